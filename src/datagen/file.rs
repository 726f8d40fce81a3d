//! Data files: what they consist of, what can be wrong with them, and reading them. A file is a header and blocks of
//! games. All numbers are little-endian. The header says what made the games:
//!
//! ```text
//! magic      8 bytes "QLNGAMES"
//! version    u32
//! length     u32, bytes of text
//! text       UTF-8 lines "key: value"
//! checksum   u32, CRC-32 of version, length and text
//! ```
//!
//! A block:
//!
//! ```text
//! mark       4 bytes "QLNB"
//! length     u32, bytes of payload
//! games      u32, number of games in it, at least 1
//! checksum   u32, CRC-32 of length, games and payload
//! payload    the games, each from a whole byte on (see `codec`)
//! ```

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use indicatif::ProgressBar;

use super::codec::{self, RecordError, VERSION};
use super::record::GameRecord;

/// The part of a file in front of its first fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sound {
    /// Blocks.
    pub blocks: u64,
    /// Games in them.
    pub games: u64,
    /// Bytes, header included. The file cut to this length is in order.
    pub bytes: u64,
}

impl fmt::Display for Sound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} games in the {} bytes before it are sound", self.games, self.bytes)
    }
}

/// Why a block cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BlockFault {
    /// The file ends inside the block.
    #[error("is cut short")]
    Truncated,
    /// It does not begin with the mark of a block, or claims an impossible length.
    #[error("does not begin like a block")]
    BadStart,
    /// Checksum and contents differ.
    #[error("has a wrong checksum")]
    BadChecksum,
    /// The checksum is right, but the contents are no games.
    #[error("holds something that is not a game")]
    BadGame,
}

/// Why data cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be opened.
    #[error("{0}")]
    Open(io::Error),
    /// Another process writes to the file.
    #[error("another program writes to it")]
    InUse,
    /// Reading failed.
    #[error("cannot read: {0}")]
    Read(io::Error),
    /// Writing failed.
    #[error("cannot write: {0}")]
    Write(io::Error),
    /// A temporary file cannot be written or read.
    #[error("a temporary file in this folder: {0}")]
    Temporary(io::Error),
    /// The file does not begin like a data file.
    #[error("this is not a file of self-play games")]
    NoData,
    /// The file is empty or ends inside its header.
    #[error("the header is missing or cut short")]
    ShortHeader,
    /// The header's checksum is wrong.
    #[error("the header is damaged")]
    DamagedHeader,
    /// A later version wrote the file.
    #[error("the file has format version {version}, which this program does not know")]
    UnknownVersion {
        /// The version in the file.
        version: u32,
    },
    /// The file has an earlier format, which can be read, but not added to.
    #[error("it has the earlier format version {version}, to which no games are added; choose another file")]
    OldVersion {
        /// The version in the file.
        version: u32,
    },
    /// A block is damaged.
    #[error("block {block} {fault}; {sound}", block = .sound.blocks + 1)]
    BadBlock {
        /// What is wrong with the block.
        fault: BlockFault,
        /// What comes before it.
        sound: Sound,
    },
    /// The games of the file were made in another way than those to be added.
    #[error("its games were made with '{found}', not with '{wanted}'; choose another file")]
    OtherHeader {
        /// How the games of the file were made.
        found: String,
        /// How the new ones would be.
        wanted: String,
    },
    /// A game cannot be stored.
    #[error("{0}")]
    Record(#[from] RecordError),
}

const MAGIC: [u8; 8] = *b"QLNGAMES";
/// Longer texts are damage.
const MAX_TEXT: u32 = 1 << 20;
const FIXED_BYTES: usize = 8 + 4 + 4 + 4;

/// What made the games of a file. Line ends and other control characters become spaces when it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataHeader {
    /// Name and version of the engine.
    pub engine: String,
    /// Name of the evaluation it played with.
    pub evaluation: String,
    /// The command, without what does not influence the games (file name, threads, duration).
    pub command: String,
    /// The seed; `None` in a file put together from others.
    pub seed: Option<u64>,
}

/// The head of a file.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) header: DataHeader,
    /// The format version of the file.
    pub(super) version: u32,
    /// Length in bytes.
    pub(super) bytes: u64,
}

impl DataHeader {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let seed = self.seed.map_or("-".to_owned(), |seed| seed.to_string());
        let line = |text: &str| text.replace(char::is_control, " ");
        let text = format!(
            "engine: {}\nevaluation: {}\ncommand: {}\nseed: {seed}\n",
            line(&self.engine),
            line(&self.evaluation),
            line(&self.command)
        );
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.bytes());
        bytes.extend(crc32fast::hash(&bytes[MAGIC.len()..]).to_le_bytes());
        bytes
    }

    /// Reads a header.
    pub(super) fn read(source: &mut impl Read) -> Result<Head, DataError> {
        let mut bytes = Vec::new();
        source.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(DataError::Read)?;
        if !MAGIC.starts_with(&bytes) {
            return Err(DataError::NoData);
        }
        if bytes.len() < MAGIC.len() {
            return Err(DataError::ShortHeader);
        }
        fetch(source, 8, &mut bytes)?;
        let version = number_at(&bytes, 8);
        if !(1..=VERSION).contains(&version) {
            return Err(DataError::UnknownVersion { version });
        }
        let length = number_at(&bytes, 12);
        if length > MAX_TEXT {
            return Err(DataError::DamagedHeader);
        }
        fetch(source, length as usize + 4, &mut bytes)?;
        let text_end = 16 + length as usize;
        if crc32fast::hash(&bytes[8..text_end]) != number_at(&bytes, text_end) {
            return Err(DataError::DamagedHeader);
        }
        let text = std::str::from_utf8(&bytes[16..text_end]).map_err(|_| DataError::DamagedHeader)?;
        Ok(Head { header: DataHeader::parse(text), version, bytes: (FIXED_BYTES + length as usize) as u64 })
    }

    /// Later versions may add lines, which are passed over.
    fn parse(text: &str) -> DataHeader {
        let value = |key: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(": "));
            lines.into_iter().find(|&(name, _)| name == key).map_or("", |(_, value)| value).to_owned()
        };
        DataHeader {
            engine: value("engine"),
            evaluation: value("evaluation"),
            command: value("command"),
            seed: value("seed").parse().ok(),
        }
    }
}

pub(super) fn number_at(bytes: &[u8], index: usize) -> u32 {
    bytes[index..index + 4].iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// Appends the next `count` bytes.
fn fetch(source: &mut impl Read, count: usize, bytes: &mut Vec<u8>) -> Result<(), DataError> {
    let start = bytes.len();
    bytes.resize(start + count, 0);
    source.read_exact(&mut bytes[start..]).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => DataError::ShortHeader,
        _ => DataError::Read(error),
    })
}

/// The first bytes of a block.
pub(super) const BLOCK_MARK: [u8; 4] = *b"QLNB";
/// Bytes of a block before its payload.
pub(super) const BLOCK_HEAD_BYTES: usize = 16;
/// Blocks that claim a longer payload are damaged. Written ones are much shorter.
pub(super) const MAX_PAYLOAD: usize = 1 << 20;

/// Reads the games of a file, in order. A block's games are given out only when the whole block is
/// sound. After the first error the reader has ended.
pub struct DataReader<R = BufReader<File>> {
    source: R,
    header: DataHeader,
    version: u32,
    sound: Sound,
    /// Games of the current block, the next one last.
    games: Vec<GameRecord>,
    ended: bool,
}

impl DataReader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// When the file cannot be opened or does not begin with a sound header.
    pub fn open(path: impl AsRef<Path>) -> Result<DataReader, DataError> {
        let file = File::open(path).map_err(DataError::Open)?;
        DataReader::new(BufReader::with_capacity(1 << 16, file))
    }
}

impl<R: Read> DataReader<R> {
    /// Reads from anything that is buffered.
    ///
    /// # Errors
    /// When it does not begin with a sound header.
    pub fn new(mut source: R) -> Result<DataReader<R>, DataError> {
        let Head { header, version, bytes } = DataHeader::read(&mut source)?;
        let sound = Sound { bytes, ..Sound::default() };
        Ok(DataReader { source, header, version, sound, games: Vec::new(), ended: false })
    }

    /// What made the games.
    pub fn header(&self) -> &DataHeader {
        &self.header
    }

    /// The version of the file's format.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The part of the file that was read so far and is in order.
    pub fn sound(&self) -> Sound {
        self.sound
    }

    /// Reads the next block; false at the end of the file.
    fn read_block(&mut self) -> Result<bool, DataError> {
        let sound = self.sound;
        let bad = |fault| DataError::BadBlock { fault, sound };
        let mut block = Vec::with_capacity(1 << 14);
        self.fetch(BLOCK_HEAD_BYTES, &mut block)?;
        if block.is_empty() {
            return Ok(false);
        }
        if !block.starts_with(&BLOCK_MARK[..block.len().min(4)]) {
            return Err(bad(BlockFault::BadStart));
        }
        if block.len() < BLOCK_HEAD_BYTES {
            return Err(bad(BlockFault::Truncated));
        }
        let (length, games) = (number_at(&block, 4) as usize, number_at(&block, 8));
        if length > MAX_PAYLOAD {
            return Err(bad(BlockFault::BadStart));
        }
        self.fetch(length, &mut block)?;
        if block.len() < BLOCK_HEAD_BYTES + length {
            // With another block in the rest of the file it is the length that is wrong.
            let fault = if holds_other_block(&block) { BlockFault::BadStart } else { BlockFault::Truncated };
            return Err(bad(fault));
        }
        if block_checksum(&block) != number_at(&block, 12) {
            return Err(bad(BlockFault::BadChecksum));
        }
        let payload = &block[BLOCK_HEAD_BYTES..];
        self.games = decode_games(payload, games, self.version).ok_or(bad(BlockFault::BadGame))?;
        self.sound.blocks += 1;
        self.sound.games += u64::from(games);
        self.sound.bytes += block.len() as u64;
        Ok(true)
    }

    /// Appends the next `count` bytes, or as many as there are.
    fn fetch(&mut self, count: usize, bytes: &mut Vec<u8>) -> Result<(), DataError> {
        self.source.by_ref().take(count as u64).read_to_end(bytes).map_err(DataError::Read)?;
        Ok(())
    }
}

/// Whether another block begins in these bytes, behind the start of the first.
pub(super) fn holds_other_block(bytes: &[u8]) -> bool {
    bytes.windows(BLOCK_MARK.len()).skip(1).any(|bytes| bytes == BLOCK_MARK)
}

/// The checksum of a whole block: of everything but mark and checksum.
pub(super) fn block_checksum(block: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&block[4..12]);
    hasher.update(&block[BLOCK_HEAD_BYTES..]);
    hasher.finalize()
}

/// The games of a payload, the first one last.
fn decode_games(mut payload: &[u8], count: u32, version: u32) -> Option<Vec<GameRecord>> {
    let mut games = Vec::new();
    while !payload.is_empty() {
        let (game, rest) = codec::decode(payload, version)?;
        games.push(game);
        payload = rest;
    }
    games.reverse();
    (games.len() == count as usize && count > 0).then_some(games)
}

impl<R: Read> Iterator for DataReader<R> {
    type Item = Result<GameRecord, DataError>;

    fn next(&mut self) -> Option<Result<GameRecord, DataError>> {
        if let Some(game) = self.games.pop() {
            return Some(Ok(game));
        }
        if self.ended {
            return None;
        }
        match self.read_block() {
            Ok(true) => self.games.pop().map(Ok),
            Ok(false) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                Some(Err(error))
            }
        }
    }
}

/// What there is to say of a file besides its games.
#[derive(Debug)]
pub struct WholeFile {
    /// What made the games.
    pub header: DataHeader,
    /// The bytes of header and games.
    pub bytes: u64,
    /// What is wrong with the end of the file when it lies in the middle of a block, as it may while `quillon
    /// datagen` runs and after it was killed.
    pub remark: Option<String>,
}

/// Hands on every game of a file, in order, and moves `bar` on by the bytes they take.
///
/// # Errors
/// When the file cannot be read or is damaged in another way than by missing its end, and when `each` fails.
pub fn read_games<E: From<DataError>>(
    path: &Path,
    bar: &ProgressBar,
    mut each: impl FnMut(&GameRecord) -> Result<(), E>,
) -> Result<WholeFile, E> {
    let mut reader = DataReader::open(path)?;
    let start = bar.position();
    let mut remark = None;
    while let Some(game) = reader.next() {
        match game {
            Ok(game) => each(&game)?,
            Err(error @ DataError::BadBlock { fault: BlockFault::Truncated, .. }) => {
                remark = Some(error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
        bar.set_position(start + reader.sound().bytes);
    }
    Ok(WholeFile { header: reader.header().clone(), bytes: reader.sound().bytes, remark })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::sample;
    use super::super::writer::DataWriter;
    use super::*;

    fn header() -> DataHeader {
        DataHeader {
            engine: "Quillon 1".into(),
            evaluation: "a: b".into(),
            command: "quillon datagen --seed 5".into(),
            seed: Some(5),
        }
    }

    #[test]
    fn round_trip() {
        for header in [header(), DataHeader { seed: None, evaluation: String::new(), ..header() }] {
            let bytes = header.to_bytes();
            let head = DataHeader::read(&mut &bytes[..]).unwrap();
            assert_eq!((head.header, head.version, head.bytes), (header, VERSION, bytes.len() as u64));
        }
    }

    #[test]
    fn every_value_stays_on_its_line() {
        let odd =
            DataHeader { evaluation: "a\nseed: 9\r\n\u{85}".into(), engine: "\tb\n".into(), ..header() };
        let read = DataHeader::read(&mut &odd.to_bytes()[..]).unwrap().header;
        let clean = DataHeader { evaluation: "a seed: 9   ".into(), engine: " b ".into(), ..header() };
        assert_eq!(read, clean);
        assert_eq!(read.to_bytes(), odd.to_bytes());
    }

    #[test]
    fn damage_is_named() {
        let bytes = header().to_bytes();
        for length in 0..bytes.len() {
            let error = DataHeader::read(&mut &bytes[..length]).unwrap_err();
            assert!(matches!(error, DataError::ShortHeader), "{length}: {error}");
        }
        for index in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[index] ^= 4;
            let error = DataHeader::read(&mut &bad[..]).unwrap_err();
            let expected = match index {
                0..8 => matches!(error, DataError::NoData),
                8..12 => matches!(error, DataError::UnknownVersion { .. }),
                12..16 => matches!(error, DataError::DamagedHeader | DataError::ShortHeader),
                _ => matches!(error, DataError::DamagedHeader),
            };
            assert!(expected, "{index}: {error}");
        }
    }

    #[test]
    fn a_missing_end_is_a_remark_and_damage_an_error() {
        let path = std::env::temp_dir().join(format!("quillon-{}-whole-file", std::process::id()));
        let games = sample::games(150, 4);
        let mut writer = DataWriter::create(&path, &sample::header()).unwrap();
        let mut ends = vec![(writer.bytes() as usize, 0)];
        for (index, game) in games.iter().enumerate() {
            writer.write(game).unwrap();
            if writer.bytes() as usize > ends[ends.len() - 1].0 {
                ends.push((writer.bytes() as usize, index + 1));
            }
        }
        ends.push((writer.finish().unwrap() as usize, games.len()));
        assert!(ends.len() >= 4, "three blocks or more");
        let bytes = fs::read(&path).unwrap();
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let (mut found, bar) = (Vec::new(), ProgressBar::hidden());
            let result = read_games(&path, &bar, |game| {
                found.push(game.clone());
                Ok::<(), DataError>(())
            });
            result.map(|whole| {
                assert_eq!(found, games[..found.len()]);
                assert_eq!((&whole.header, bar.position()), (&sample::header(), whole.bytes));
                (found.len(), whole.bytes as usize, whole.remark)
            })
        };
        assert_eq!(read(&bytes).unwrap(), (games.len(), bytes.len(), None));
        let (start, count) = ends[ends.len() - 2];
        assert_eq!(read(&bytes[..start]).unwrap(), (count, start, None));
        for cut in [start + 1, start + 20, bytes.len() - 1] {
            let remark = format!(
                "block {} is cut short; the {count} games in the {start} bytes before it are sound",
                ends.len() - 1
            );
            assert_eq!(read(&bytes[..cut]).unwrap(), (count, start, Some(remark)));
        }
        // A wrong checksum, and a length that reaches beyond the end of the file though blocks follow.
        for (index, flip) in [(bytes.len() - 1, 1), (ends[0].0 + 6, 8)] {
            let mut bad = bytes.clone();
            bad[index] ^= flip;
            assert!(matches!(read(&bad), Err(DataError::BadBlock { .. })));
        }
        fs::remove_file(&path).unwrap();
    }
}
