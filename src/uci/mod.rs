//! The Universal Chess Interface (Meyer-Kahlen, 2006).
//!
//! [`command`] turns a line into a value, [`options`] knows the engine's options, [`format`] turns
//! search events into lines, and the driver is the only place that reads and writes.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod command;
mod driver;
pub mod format;
mod help;
pub mod options;
mod output;

pub use driver::{NAME, run};
pub use output::Output;
