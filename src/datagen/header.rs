//! The head of a data file: what made the games.
//!
//! ```text
//! magic      8 bytes "QLNGAMES"
//! version    u32, little-endian like all numbers
//! length     u32, bytes of text
//! text       UTF-8 lines "key: value"
//! checksum   u32, CRC-32 of version, length and text
//! ```

use std::io::{self, Read};

use super::codec::VERSION;
use super::error::DataError;

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

#[cfg(test)]
mod tests {
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
}
