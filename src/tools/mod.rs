//! Command-line tools around the engine.

pub mod bench;
mod cli;
mod perft;
pub mod suite;

pub use cli::main;
