//! What every program with a text interface needs: output line by line, a log of it, progress of long runs, drawings.
//! Nothing here knows of chess.

mod log;
mod output;
pub(crate) mod progress;
pub(crate) mod svg;

pub use output::Output;
