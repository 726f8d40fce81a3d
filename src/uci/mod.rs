//! The Universal Chess Interface (Meyer-Kahlen, 2006).
//!
//! [`input`] reads lines, [`command`] turns a line into a value, [`position`] sets games up, [`options`]
//! knows the engine's options, [`format`] turns search events into lines, and the driver puts them together.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(windows)]
mod codepage;
pub mod command;
mod driver;
pub mod format;
mod help;
pub mod input;
mod log;
mod nearest;
mod node_clock;
pub mod options;
mod output;
pub mod position;

pub use driver::{NAME, converse, run};
pub use output::Output;
