//! Command-line tools around the engine.

pub mod bench;
pub mod epd;
pub mod perft;
mod progress;
pub mod suite;
