//! What the numbers of a network may be, and why bytes or numbers are refused.

use std::ops::RangeInclusive;

use super::inference::{LANES, MAX_HIDDEN, QA};

/// One, in the units of the output weights.
pub const QB: i32 = 64;
/// Internal units that an output of one may be worth.
pub const SCALES: RangeInclusive<i32> = 50..=1000;

/// Checks magnitudes.
pub(super) fn within(
    part: &'static str,
    limit: impl Into<i64>,
    values: impl IntoIterator<Item = i64>,
) -> Result<(), NetworkError> {
    let limit = limit.into();
    match values.into_iter().find(|value| value.abs() > limit) {
        Some(value) => Err(NetworkError::Range { part, value, limit }),
        None => Ok(()),
    }
}

/// Why bytes or numbers do not make a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file starts with other bytes.
    #[error("not a Quillon network")]
    Magic,
    /// The layout is of another version.
    #[error("file version {found}, this program reads version {known}")]
    Version {
        /// The version of the file.
        found: u16,
        /// The version of this program.
        known: u16,
    },
    /// The network is of an unknown kind.
    #[error("a network of architecture {0}, which this program does not know; a newer one may")]
    Architecture(u16),
    /// Its numbers count in other units.
    #[error("a network in other units than {QA} and {QB}")]
    Units,
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
    /// The number of king buckets is not supported.
    #[error("{0} king buckets, not 1 or 4")]
    KingBuckets(usize),
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
    Io(#[from] std::io::Error),
    /// Its contents are not a usable network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}
