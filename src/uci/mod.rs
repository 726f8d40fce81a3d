//! The Universal Chess Interface (Meyer-Kahlen, 2006).
//!
//! [`input`] reads lines, [`command`] turns a line into a value, [`position`] sets games up, [`format`]
//! turns search events into lines, and the driver, which also knows the engine's options, puts them together.
//!
//! [`input`]: crate::uci::input
//! [`command`]: crate::uci::command
//! [`position`]: crate::uci::position
//! [`format`]: crate::uci::format

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod bench;
#[cfg(windows)]
mod codepage;
pub mod command;
mod driver;
pub mod format;
mod help;
pub mod input;
mod node_clock;
pub mod position;

pub use bench::run_bench;
pub use driver::{converse, run};
