//! Command-line tools around the engine.

pub mod bench;
pub mod epd;
mod eval_file;
mod faults;
pub mod perft;
pub(crate) mod progress;
pub mod selftest;
pub mod suite;
pub(crate) mod svg;

pub use eval_file::EvalFile;
