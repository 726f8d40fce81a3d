//! The transposition table: what earlier searches found out about positions, shared by all threads.
//!
//! Threads read and write without locks. Every access is a relaxed atomic, and each entry carries a
//! checksum of its data mixed into its key, so an entry torn by two writers looks like another
//! position (CPW: "Shared Hash Table", Hyatt's lockless hashing). What still slips
//! through, about three false matches in 65,536 probes of a full table, can mislead a search but not break
//! it: moves are checked for legality before use.
//!
//! To be read in this order: `entry`, `table`, `memory`.

mod entry;
mod memory;
mod table;

pub use entry::{Bound, TtEntry};
pub use memory::memory_shortage;
pub use table::{AllocationError, TranspositionTable};
