//! Writing data files so that a kill at any moment costs at most the block that is being filled.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::codec;
use super::error::{DataError, Sound};
use super::header::DataHeader;
use super::reader::{BLOCK_HEAD_BYTES, BLOCK_MARK, DataReader, MAX_PAYLOAD, block_checksum};
use super::record::GameRecord;

/// A block is written when its payload reaches this: about 50 games, the work of ten to twenty seconds on
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
}

impl DataWriter {
    /// Makes a new file that keeps no promise before [`DataWriter::finish`]; one of this name is replaced.
    ///
    /// # Errors
    /// When the file cannot be made or written.
    pub fn create(path: impl AsRef<Path>, header: &DataHeader) -> Result<DataWriter, DataError> {
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(DataError::Open)?;
        lock(&file)?;
        DataWriter::restart(file, header, false)
    }

    /// Opens a file to add games, or makes it. A block that was torn at its end is cut off. Every block
    /// is forced to the disk as soon as it is full. `each` sees the games that are there already.
    ///
    /// # Errors
    /// When the file is no data file, was made with another header, is damaged before its end, is being
    /// written to by another process, or cannot be read or written.
    pub fn append(
        path: impl AsRef<Path>,
        header: &DataHeader,
        mut each: impl FnMut(&GameRecord),
    ) -> Result<DataWriter, DataError> {
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(DataError::Open)?;
        lock(&file)?;
        let buffered = std::io::BufReader::with_capacity(1 << 16, &file);
        let mut reader = match DataReader::new(buffered) {
            Ok(reader) => reader,
            Err(DataError::ShortHeader) if is_start_of(&file, &header.to_bytes())? => {
                return DataWriter::restart(file, header, true);
            }
            Err(error) => return Err(error),
        };
        if reader.header() != header {
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
        Ok(DataWriter { file, block: vec![0; BLOCK_HEAD_BYTES], games: 0, bytes, durable })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// When the game is not legal, which leaves it out, or a full block cannot be written.
    pub fn write(&mut self, game: &GameRecord) -> Result<(), DataError> {
        codec::encode(game, &mut self.block)?;
        self.games += 1;
        if self.block.len() - BLOCK_HEAD_BYTES >= BLOCK_BYTES { self.write_block() } else { Ok(()) }
    }

    /// Bytes in the file, without the block being filled.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes what is left and forces everything to the disk.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> Result<u64, DataError> {
        self.write_block()?;
        self.file.sync_all().map_err(DataError::Write)?;
        Ok(self.bytes)
    }

    fn write_block(&mut self) -> Result<(), DataError> {
        if self.games == 0 {
            return Ok(());
        }
        let length = (self.block.len() - BLOCK_HEAD_BYTES) as u32;
        self.block[..4].copy_from_slice(&BLOCK_MARK);
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.block[8..12].copy_from_slice(&self.games.to_le_bytes());
        let checksum = block_checksum(&self.block);
        self.block[12..16].copy_from_slice(&checksum.to_le_bytes());
        self.file.write_all(&self.block).map_err(DataError::Write)?;
        if self.durable {
            self.file.sync_data().map_err(DataError::Write)?;
        }
        self.bytes += self.block.len() as u64;
        self.block.truncate(BLOCK_HEAD_BYTES);
        self.games = 0;
        Ok(())
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

/// Whether the file is empty or a header whose writing was broken off.
fn is_start_of(file: &File, header: &[u8]) -> Result<bool, DataError> {
    Ok(header.starts_with(&bytes_from(file, 0, header.len() + 1)?))
}

/// Whether all that follows the sound part is one block whose writing was broken off. If another block
/// begins there, the damage is older and cutting it off would cost more.
fn is_torn_end(file: &File, sound: Sound) -> Result<bool, DataError> {
    let longest = BLOCK_HEAD_BYTES + MAX_PAYLOAD;
    let rest = bytes_from(file, sound.bytes, longest + 1)?;
    let has_other_block = rest.windows(4).skip(1).any(|bytes| bytes == BLOCK_MARK);
    Ok(rest.len() <= longest && !has_other_block)
}
