//! Writing data files so that a kill at any moment costs at most the block that is being filled.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::codec;
use super::file::{
    BLOCK_HEAD_BYTES, BLOCK_MARK, DataError, DataHeader, DataReader, MAX_PAYLOAD, Sound, block_checksum,
    holds_other_block,
};
use super::record::GameRecord;

/// A block is written when its payload reaches this: about 50 games, a few seconds of work on
/// one core. Only the contents decide where blocks end, so that the same games give the same file.
const BLOCK_BYTES: usize = 1 << 13;

/// Writes games to a file, block by block.
pub struct DataWriter {
    file: File,
    /// The block being filled, with room for its head in front.
    block: Vec<u8>,
    games: u32,
    /// Bytes in the file.
    bytes: u64,
    /// Whether each block is forced to the disk.
    durable: bool,
    /// Why a block could not be written. Then nothing more is.
    failed: Option<io::Error>,
}

impl DataWriter {
    /// Makes a new file that keeps no promise before [`DataWriter::finish`]; one of this name is replaced.
    ///
    /// # Errors
    /// When the file cannot be made or written.
    pub fn create(path: impl AsRef<Path>, header: &DataHeader) -> Result<DataWriter, DataError> {
        let file = open_locked(path.as_ref())?;
        DataWriter::restart(file, header, false)
    }

    /// Opens a file to add games, or makes it. A block that was torn at its end is cut off. Every block
    /// is forced to the disk as soon as it is full. `each` sees the games that are there already.
    ///
    /// # Errors
    /// When the file is no data file or one of an earlier format, was made with another header, is damaged before
    /// its end, is being written to by another process, or cannot be read or written.
    pub fn append(
        path: impl AsRef<Path>,
        header: &DataHeader,
        mut each: impl FnMut(&GameRecord),
    ) -> Result<DataWriter, DataError> {
        let file = open_locked(path.as_ref())?;
        let buffered = std::io::BufReader::with_capacity(1 << 16, &file);
        let mut reader = match DataReader::new(buffered) {
            Ok(reader) => reader,
            Err(DataError::ShortHeader) if is_start_of(&file, &header.to_bytes())? => {
                return DataWriter::restart(file, header, true);
            }
            Err(error) => return Err(error),
        };
        if reader.version() != codec::VERSION {
            return Err(DataError::OldVersion { version: reader.version() });
        }
        // As files have them: a line end in a name, for example, does not get there.
        if reader.header().to_bytes() != header.to_bytes() {
            let name =
                |header: &DataHeader| format!("{}, {}: {}", header.engine, header.evaluation, header.command);
            return Err(DataError::OtherHeader { found: name(reader.header()), wanted: name(header) });
        }
        for game in reader.by_ref() {
            match game {
                Ok(game) => each(&game),
                Err(error @ DataError::BadBlock { sound, .. }) => {
                    if !is_torn_end(&file, sound)? {
                        return Err(error);
                    }
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let bytes = reader.sound().bytes;
        drop(reader);
        file.set_len(bytes).map_err(DataError::Write)?;
        DataWriter::continue_at(file, bytes, true)
    }

    fn restart(mut file: File, header: &DataHeader, durable: bool) -> Result<DataWriter, DataError> {
        let head = header.to_bytes();
        let mut write = || {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&head)?;
            file.sync_all()
        };
        write().map_err(DataError::Write)?;
        DataWriter::continue_at(file, head.len() as u64, durable)
    }

    fn continue_at(mut file: File, bytes: u64, durable: bool) -> Result<DataWriter, DataError> {
        file.seek(SeekFrom::Start(bytes)).map_err(DataError::Write)?;
        Ok(DataWriter { file, block: vec![0; BLOCK_HEAD_BYTES], games: 0, bytes, durable, failed: None })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// When the game is not legal, which leaves it out, or a full block cannot be written. In that case its
    /// games are lost, the file keeps those before them and the writer takes no more.
    pub fn write(&mut self, game: &GameRecord) -> Result<(), DataError> {
        self.check()?;
        codec::encode(game, &mut self.block)?;
        self.games += 1;
        if self.block.len() - BLOCK_HEAD_BYTES >= BLOCK_BYTES { self.write_block() } else { Ok(()) }
    }

    /// Bytes in the file, without the block being filled.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes what is left, forces everything to the disk and returns the bytes in the file.
    ///
    /// # Errors
    /// When writing fails, or has failed before.
    pub fn finish(mut self) -> Result<u64, DataError> {
        self.complete()
    }

    /// [`DataWriter::finish`], except that the file stays locked as long as the writer lives.
    pub(crate) fn complete(&mut self) -> Result<u64, DataError> {
        let written = self.check().and_then(|()| self.write_block());
        let synced = self.file.sync_all().map_err(DataError::Write);
        written.and(synced).map(|()| self.bytes)
    }

    /// An error once a block could not be written.
    fn check(&self) -> Result<(), DataError> {
        self.failed.as_ref().map_or(Ok(()), |error| Err(DataError::Write(copy_of(error))))
    }

    /// Writes the games that wait. After an error a part of the block or all of it may be in the file, so
    /// they must not be written again: the file is cut back to what was sound.
    fn write_block(&mut self) -> Result<(), DataError> {
        if self.games == 0 {
            return Ok(());
        }
        self.put_block().map_err(|error| {
            // If this fails as well, a torn end is left, which `append` cuts off.
            let _ = self.file.set_len(self.bytes);
            self.failed = Some(copy_of(&error));
            DataError::Write(error)
        })
    }

    fn put_block(&mut self) -> io::Result<()> {
        let length = (self.block.len() - BLOCK_HEAD_BYTES) as u32;
        self.block[..4].copy_from_slice(&BLOCK_MARK);
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.block[8..12].copy_from_slice(&self.games.to_le_bytes());
        let checksum = block_checksum(&self.block);
        self.block[12..16].copy_from_slice(&checksum.to_le_bytes());
        self.file.write_all(&self.block)?;
        if self.durable {
            self.file.sync_data()?;
        }
        self.bytes += self.block.len() as u64;
        self.block.truncate(BLOCK_HEAD_BYTES);
        self.games = 0;
        Ok(())
    }
}

/// The same error once more.
fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// Keeps other processes from writing to the same file. Where the system knows no locks, nothing is locked.
fn lock(file: &File) -> Result<(), DataError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(DataError::InUse),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The bytes of a file from `start` on, at most `limit`.
fn bytes_from(mut file: &File, start: u64, limit: usize) -> Result<Vec<u8>, DataError> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(DataError::Read)?;
    file.take(limit as u64).read_to_end(&mut bytes).map_err(DataError::Read)?;
    Ok(bytes)
}

/// Opens a file for this process alone, or makes it.
fn open_locked(path: &Path) -> Result<File, DataError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(DataError::Open)?;
    lock(&file)?;
    // Whoever held the lock may have given the file its final name.
    if path.exists() { Ok(file) } else { Err(DataError::InUse) }
}

/// Whether the file is empty or a header whose writing was broken off.
fn is_start_of(file: &File, header: &[u8]) -> Result<bool, DataError> {
    Ok(header.starts_with(&bytes_from(file, 0, header.len() + 1)?))
}

/// Whether all that follows the sound part is one block whose writing was broken off. If another block
/// begins there, the damage is older and cutting it off would cost more.
fn is_torn_end(file: &File, sound: Sound) -> Result<bool, DataError> {
    let longest = BLOCK_HEAD_BYTES + MAX_PAYLOAD;
    let rest = bytes_from(file, sound.bytes, longest + 1)?;
    Ok(rest.len() <= longest && !holds_other_block(&rest))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::super::file::BlockFault;
    use super::super::sample;
    use super::*;
    use crate::types::SplitMix64;

    /// A file in the folder for temporary files, removed at the end of the test.
    struct TempFile(PathBuf);

    impl TempFile {
        fn new(name: &str) -> TempFile {
            let path = std::env::temp_dir().join(format!("quillon-{}-{name}", std::process::id()));
            let _ = fs::remove_file(&path);
            TempFile(path)
        }

        fn bytes(&self) -> Vec<u8> {
            fs::read(&self.0).unwrap()
        }

        fn append(&self) -> Result<(DataWriter, Vec<GameRecord>), DataError> {
            let mut games = Vec::new();
            let writer = DataWriter::append(&self.0, &sample::header(), |game| games.push(game.clone()))?;
            Ok((writer, games))
        }
    }

    impl Drop for TempFile {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    fn read(bytes: &[u8]) -> (Vec<GameRecord>, Option<DataError>) {
        let mut games = Vec::new();
        let reader = DataReader::new(bytes).unwrap();
        for game in reader {
            match game {
                Ok(game) => games.push(game),
                Err(error) => return (games, Some(error)),
            }
        }
        (games, None)
    }

    /// A file of two full blocks and a short one, its games, and after the header and each block the bytes
    /// and games so far.
    fn sample_file(file: &TempFile) -> (Vec<u8>, Vec<GameRecord>, Vec<(usize, usize)>) {
        let mut random = SplitMix64::from_state(2);
        let mut games = Vec::new();
        let mut writer = DataWriter::create(&file.0, &sample::header()).unwrap();
        let mut ends = vec![(writer.bytes() as usize, 0)];
        while ends.len() < 3 || games.len() < ends[2].1 + 2 {
            let game = sample::game(&mut random);
            writer.write(&game).unwrap();
            games.push(game);
            if writer.bytes() as usize > ends[ends.len() - 1].0 {
                ends.push((writer.bytes() as usize, games.len()));
            }
        }
        writer.finish().unwrap();
        let bytes = file.bytes();
        ends.push((bytes.len(), games.len()));
        (bytes, games, ends)
    }

    #[test]
    fn what_was_written_is_read() {
        let file = TempFile::new("round-trip");
        let (bytes, games, ends) = sample_file(&file);
        let mut reader = DataReader::open(&file.0).unwrap();
        assert_eq!(reader.header(), &sample::header());
        assert_eq!(reader.by_ref().map(Result::unwrap).collect::<Vec<_>>(), games);
        let sound =
            Sound { blocks: ends.len() as u64 - 1, games: games.len() as u64, bytes: bytes.len() as u64 };
        assert_eq!(reader.sound(), sound);
    }

    #[test]
    fn a_block_cut_anywhere_costs_no_other() {
        let file = TempFile::new("cut");
        let (bytes, games, ends) = sample_file(&file);
        let (start, count) = ends[2];
        for length in start..bytes.len() {
            let (read, error) = read(&bytes[..length]);
            assert_eq!(read.len(), count);
            match error {
                None => assert_eq!(length, start),
                Some(DataError::BadBlock { fault, sound }) => {
                    assert_eq!(fault, BlockFault::Truncated);
                    assert_eq!((sound.bytes as usize, sound.games as usize), (start, count));
                }
                Some(error) => panic!("{length}: {error}"),
            }
        }
        // Going on from any cut gives the same file as writing in one go.
        for length in
            [0, 1, 20, ends[0].0, ends[0].0 + 3, start, start + 1, start + 15, start + 16, bytes.len() - 1]
        {
            fs::write(&file.0, &bytes[..length]).unwrap();
            let (mut writer, old) = file.append().unwrap();
            assert_eq!(old, games[..old.len()]);
            assert!(length < start || old.len() == count);
            games[old.len()..].iter().for_each(|game| writer.write(game).unwrap());
            writer.finish().unwrap();
            assert!(file.bytes() == bytes, "cut at {length}");
        }
    }

    #[test]
    fn flipped_bits_are_found() {
        let file = TempFile::new("flip");
        let (bytes, games, ends) = sample_file(&file);
        let mut bad = bytes.clone();
        let second = ends[1].0..ends[2].0;
        for index in (second.start..second.start + 16).chain(second.clone().step_by(41)) {
            let bit = 1 << (index % 8);
            bad[index] ^= bit;
            let (read, error) = read(&bad);
            assert!(read == games[..ends[1].1], "{index}");
            let Some(DataError::BadBlock { fault, sound }) = error else { panic!("{index}: {error:?}") };
            assert_eq!((sound.blocks, sound.bytes as usize), (1, second.start));
            match index - second.start {
                0..4 => assert_eq!(fault, BlockFault::BadStart),
                4..8 => assert_ne!(fault, BlockFault::BadGame),
                _ => assert_eq!(fault, BlockFault::BadChecksum),
            }
            bad[index] ^= bit;
        }
        // Damage in the middle is no torn end: nothing is cut off.
        bad[second.start + 100] ^= 1;
        fs::write(&file.0, &bad).unwrap();
        assert!(matches!(file.append(), Err(DataError::BadBlock { .. })));
        assert!(file.bytes() == bad);
        // In the last block it cannot be told apart from one.
        bad[second.start + 100] ^= 1;
        bad[bytes.len() - 1] ^= 1;
        fs::write(&file.0, &bad).unwrap();
        assert_eq!(file.append().unwrap().1.len(), ends[2].1);
    }

    #[test]
    fn files_that_do_not_fit_are_left_alone() {
        let file = TempFile::new("other");
        fs::write(&file.0, "some text that is not to be lost").unwrap();
        assert!(matches!(file.append(), Err(DataError::NoData)));
        fs::write(&file.0, "short").unwrap();
        assert!(matches!(file.append(), Err(DataError::NoData)));
        assert_eq!(file.bytes(), b"short");

        let other = DataHeader { command: "other".to_owned(), ..sample::header() };
        DataWriter::create(&file.0, &other).unwrap().finish().unwrap();
        let Err(error) = file.append() else { panic!("the header differs") };
        assert!(
            error.to_string().contains("none: other") && error.to_string().contains("none: test"),
            "{error}"
        );
    }

    #[test]
    fn any_header_is_recognised() {
        let file = TempFile::new("header");
        for name in ["two\nlines", "\r\n", " a\tb \u{85}", "seed: 3\nseed: 4", ""] {
            let header = DataHeader { evaluation: name.to_owned(), ..sample::header() };
            DataWriter::create(&file.0, &header).unwrap().finish().unwrap();
            let opened = DataWriter::append(&file.0, &header, |_| {});
            assert!(opened.is_ok(), "{name:?}: {}", opened.err().unwrap());
        }
    }

    #[test]
    fn after_a_failed_write_nothing_more_is_written() {
        let (file, games) = (TempFile::new("failed"), sample::games(1000, 3));
        let mut writer = file.append().unwrap().0;
        let start = writer.bytes();
        let mut games = games.iter();
        while writer.bytes() == start {
            writer.write(games.next().unwrap()).unwrap();
        }
        let sound = file.bytes();
        // A file that is open for reading only refuses the next block; then the disk is well again.
        let good = std::mem::replace(&mut writer.file, File::open(&file.0).unwrap());
        let error = games.by_ref().find_map(|game| writer.write(game).err()).unwrap().to_string();
        writer.file = good;
        assert!(error.starts_with("cannot write: "), "{error}");
        assert_eq!(writer.write(games.next().unwrap()).unwrap_err().to_string(), error);
        assert_eq!(writer.finish().unwrap_err().to_string(), error);
        assert!(file.bytes() == sound);
    }

    #[test]
    fn one_writer_at_a_time() {
        let file = TempFile::new("lock");
        let (writer, _) = file.append().unwrap();
        assert!(matches!(file.append(), Err(DataError::InUse)));
        assert!(matches!(DataWriter::create(&file.0, &sample::header()), Err(DataError::InUse)));
        drop(writer);
        assert!(file.append().is_ok());
    }
}
