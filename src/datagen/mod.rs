//! Games that the engine plays against itself, from which a network learns.
//!
//! [`GameRecord`] is a game, [`DataReader`] and [`DataWriter`] move games from and to files. The search
//! is used as it is; only limits and openings differ from ordinary play.
//!
//! [`GameRecord`]: crate::datagen::GameRecord
//! [`DataReader`]: crate::datagen::DataReader
//! [`DataWriter`]: crate::datagen::DataWriter

mod bits;
pub(crate) mod chart;
mod codec;
mod error;
mod generate;
mod header;
mod openings;
mod player;
mod progress;
mod reader;
mod record;
#[cfg(test)]
pub(crate) mod sample;
mod selfplay;
mod small_search;
mod stats;
mod tally;
mod trees;
mod wdl;
mod whole_file;
mod writer;

pub(crate) use generate::generate;
pub(crate) use openings::{Openings, RANDOM_PLIES, RANDOM_PLIES_AFTER_FILE, read_positions};
pub(crate) use player::Thinking;
pub(crate) use progress::Progress;
pub(crate) use selfplay::{SelfPlay, rules};
pub(crate) use stats::Stats;
pub(crate) use tally::Goal;
pub(crate) use trees::{MOST_TREE_POSITIONS, TreeSettings};
pub(crate) use wdl::WdlCounts;

pub use codec::RecordError;
pub use error::{BlockFault, DataError, Sound};
pub use header::DataHeader;
pub use openings::OpeningsError;
pub use reader::DataReader;
pub use record::{GameRecord, Kept, KeptTree, Outcome, ScoredMove, TreePosition};
pub use selfplay::NoOpening;
pub use tally::Tally;
pub use whole_file::{WholeFile, read_games};
pub use writer::DataWriter;
