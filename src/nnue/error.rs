//! Why something is no usable network.

use std::io;

use super::file::VERSION;
use super::inference::LANES;
use super::network::{MAX_HIDDEN, SCALES};

/// Why bytes or numbers do not make a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file starts with other bytes.
    #[error("not a Quillon network")]
    Magic,
    /// The layout is of another version.
    #[error("file version {0}, this program reads version {VERSION}")]
    Version(u16),
    /// The network is of another kind.
    #[error("a network of another architecture")]
    Architecture,
    /// The file ends early.
    #[error("truncated, {found} bytes of {expected}")]
    Truncated {
        /// Bytes in the file.
        found: usize,
        /// Bytes that its header promises.
        expected: usize,
    },
    /// The file goes on after the network.
    #[error("{0} bytes too many")]
    TooLong(usize),
    /// Some byte has changed.
    #[error("corrupt, the checksum does not match")]
    Checksum,
    /// The name is not text.
    #[error("the name is not UTF-8")]
    Name,
    /// The number of hidden neurons is not supported.
    #[error("{0} hidden neurons, not a multiple of {LANES} up to {MAX_HIDDEN}")]
    Hidden(usize),
    /// The number of output buckets is not supported.
    #[error("{0} output buckets, not 1 or 8")]
    Buckets(usize),
    /// The output's worth in internal units is not supported.
    #[error("an output of one is worth {0} units, not {first} to {last}", first = SCALES.start(), last = SCALES.end())]
    Scale(i32),
    /// A list of weights has the wrong length.
    #[error("{found} numbers for the {part}, not {expected}")]
    Length {
        /// Which list.
        part: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits the sizes.
        expected: usize,
    },
    /// A number is so large that sums could overflow.
    #[error("{part} {value} could overflow, the largest magnitude is {limit}")]
    Range {
        /// What the number is.
        part: &'static str,
        /// The number.
        value: i64,
        /// The largest magnitude allowed.
        limit: i64,
    },
}

/// Why a network file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot be read, {0}")]
    Io(#[from] io::Error),
    /// Its contents are not a usable network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}
