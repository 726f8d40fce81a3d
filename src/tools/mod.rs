//! Command-line tools around the engine.

pub mod bench;
pub mod epd;
pub mod perft;
pub(crate) mod progress;
pub mod suite;
