//! The Universal Chess Interface (Meyer-Kahlen, 2006).
//!
//! Text stands here and in the command-line tools only: the engine below takes and returns values.
//!
//! To be read in this order: [`input`] reads lines, [`command`] turns a line into a value and sets up positions,
//! `driver` is the loop that obeys them, with the `queue` of commands that wait for a search and the table of
//! `options`, [`format`] turns search events into lines, or `terminal` into a table where a person reads them, and
//! `evaluation` writes the answer to `eval`. `genfens` asks for openings; `node_clock` is the option `nodestime`,
//! `help` the text of `help`.
//!
//! [`input`]: crate::uci::input
//! [`command`]: crate::uci::command
//! [`format`]: crate::uci::format

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod command;
mod driver;
mod evaluation;
pub mod format;
pub mod genfens;
mod help;
pub mod input;
mod node_clock;
mod terminal;

pub use driver::{LineError, carry_out, converse, converse_with, run, run_bench, run_speed_test};
pub use terminal::Audience;
