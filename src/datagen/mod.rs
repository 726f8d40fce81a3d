//! Games that the engine plays against itself, from which a network learns.
//!
//! [`GameRecord`] is a game, [`DataReader`] and [`DataWriter`] move games from and to files. The search
//! is used as it is; only limits and openings differ from ordinary play.

mod bits;
mod chart;
mod codec;
pub mod data_command;
pub mod datagen_command;
mod error;
mod generate;
mod header;
mod openings;
mod player;
mod progress;
mod reader;
mod record;
#[cfg(test)]
mod sample;
mod selfplay;
mod stats;
mod tally;
mod wdl;
mod whole_file;
mod writer;

pub use codec::RecordError;
pub use error::{BlockFault, DataError, Sound};
pub use header::DataHeader;
pub use openings::OpeningsError;
pub use reader::DataReader;
pub use record::{GameRecord, Kept, Outcome, ScoredMove};
pub use selfplay::NoOpening;
pub use tally::Tally;
pub use whole_file::{WholeFile, read_games};
pub use writer::DataWriter;
