//! Reading data files. A file is a header and blocks of games:
//!
//! ```text
//! mark       4 bytes "QLNB"
//! length     u32, bytes of payload
//! games      u32, number of games in it, at least 1
//! checksum   u32, CRC-32 of length, games and payload
//! payload    the games, each from a whole byte on (see `codec`)
//! ```

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::codec;
use super::error::{BlockFault, DataError, Sound};
use super::header::{DataHeader, Head, number_at};
use super::record::GameRecord;

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
