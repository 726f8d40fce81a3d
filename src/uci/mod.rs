//! The Universal Chess Interface (Meyer-Kahlen, 2006).
//!
//! Text stands here and in the command-line tools only: the engine below takes and returns values.
//!
//! To be read in this order: [`input`] reads lines, [`command`] turns a line into a value and sets up positions,
//! `driver` is the loop that obeys them, with the `queue` of commands that wait for a search and the table of
//! `options`, [`format`] turns search events into lines. `genfens` asks for openings; `node_clock` is the
//! option `nodestime`.
//!
//! [`input`]: crate::uci::input
//! [`command`]: crate::uci::command
//! [`format`]: crate::uci::format

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod command;
mod driver;
pub mod format;
pub mod genfens;
pub mod input;
mod node_clock;

pub use driver::{LineError, carry_out, converse, run, run_bench};
