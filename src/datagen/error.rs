//! What can be wrong with a data file.

use std::fmt;
use std::io;

use super::codec::RecordError;

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
