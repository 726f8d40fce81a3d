//! Legal move generation in stages, the end of the game, and perft.
//!
//! To be read in this order: `generate`, `outcome` (the end of a game), `perft`.

mod generate;
mod outcome;
mod perft;

pub use perft::{PerftError, PerftOptions, PerftReport, perft, perft_divide, perft_parallel};
