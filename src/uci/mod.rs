//! The Universal Chess Interface (Meyer-Kahlen, 2006).
//!
//! [`input`] reads lines, [`command`] turns a line into a value and sets games up, [`format`] turns
//! search events into lines, and the driver, which also knows the engine's options, puts them together.
//!
//! [`input`]: crate::uci::input
//! [`command`]: crate::uci::command
//! [`format`]: crate::uci::format

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod command;
mod driver;
pub mod format;
pub mod input;
mod node_clock;

pub use driver::{converse, run, run_bench};
