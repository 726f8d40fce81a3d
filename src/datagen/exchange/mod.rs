//! Games and positions in the formats of other programs.
//!
//! ```text
//! PGN           games, both ways, with scores in the comments as fastchess and OpenBench write them
//! viriformat    games, both ways: the binpack of the crate `viriformat`, which bullet reads
//! bulletformat  positions, out only: the crate `bulletformat`, which bullet reads
//! text          positions, out only: "FEN | score | result", which bullet's tools read
//! ```
//! What each of them keeps of a game, `docs/data-formats.md` tells.
//!
//! To be read in this order: `score` (scores in centipawns and back), `positions`, `viri`, `pgn` (PGN with scores).

mod pgn;
mod positions;
mod score;
mod viri;

use std::io;

use super::file::DataError;

pub(crate) use pgn::{PgnGames, Skipped, write_pgn};
pub(crate) use positions::{each_position, write_bullet, write_text};
pub(crate) use score::ScoreUnit;
pub(crate) use viri::{ViriGames, write_viri};

/// Why a file of another format cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExchangeError {
    /// The system does not hand it out.
    #[error("cannot read: {0}")]
    Read(#[from] io::Error),
    /// It is not what it should be.
    #[error("{place}: {reason}")]
    Fault {
        /// The line, or game and byte.
        place: String,
        /// What is wrong there.
        reason: String,
    },
    /// A game cannot be stored.
    #[error(transparent)]
    Data(#[from] DataError),
}
