//! Command-line tools around the engine.

pub mod bench;
mod cli;
pub mod epd;
mod perft;
mod progress;
pub mod suite;

pub use cli::main;
