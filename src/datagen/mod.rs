//! Games that the engine plays against itself, from which a network learns.
//!
//! [`GameRecord`] is a game, [`DataReader`] and [`DataWriter`] move games from and to files. The search
//! is used as it is; only limits and openings differ from ordinary play.
//!
//! To be read in this order: `record` (a game as data), `openings`, `player`, `selfplay` (one game), `generate`
//! (games on several threads), `file`, `codec` and `writer` (the format), `exchange` (the formats of other programs),
//! `repeats` (games that occur again), `stats` and `wdl` (reports), `progress`.
//!
//! [`GameRecord`]: crate::datagen::GameRecord
//! [`DataReader`]: crate::datagen::DataReader
//! [`DataWriter`]: crate::datagen::DataWriter

mod codec;
pub(crate) mod exchange;
mod file;
mod generate;
mod openings;
mod player;
mod progress;
mod record;
mod repeats;
#[cfg(test)]
pub(crate) mod sample;
mod selfplay;
mod stats;
mod wdl;
mod writer;

pub(crate) use generate::{Plan, Shard, generate};
pub(crate) use openings::{Openings, RANDOM_PLIES, RANDOM_PLIES_AFTER_FILE, read_positions};
pub(crate) use player::{MOST_TREE_POSITIONS, Thinking, TreeSettings};
pub(crate) use progress::Progress;
pub(crate) use repeats::{Fingerprints, Repeats};
pub(crate) use selfplay::{OpeningSearch, SelfPlay, rules};
pub(crate) use stats::{Goal, Stats, charts_to_svg};
pub(crate) use wdl::WdlCounts;

pub use codec::RecordError;
pub use file::{BlockFault, DataError, DataHeader, DataReader, Sound, WholeFile, read_games};
pub use openings::OpeningsError;
pub use record::{GameRecord, Kept, KeptTree, Outcome, ScoredMove, TreePosition};
pub use selfplay::NoOpening;
pub use stats::Tally;
pub use writer::DataWriter;
