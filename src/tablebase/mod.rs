//! Syzygy endgame tables: who wins with few pieces on the board, and how far the next capture or pawn move is.
//!
//! The files are read by the crate `shakmaty-syzygy`, which keeps no global state and answers damaged data
//! with an error. What it does not look at before the first use of a table is checked when a folder is
//! opened (`check`), so that a file cut short or overwritten is named at once and left out.
//!
//! The tables hold two numbers (CPW: "Syzygy Bases"). WDL is the result under the fifty-move rule if the
//! halfmove clock stood at zero. DTZ is the number of plies to the next capture, pawn move or mate; playing
//! for small DTZ wins every win.
//!
//! To be read in this order: `name`, `check` (of a file before its use), `tables` (opening and probing), `root`
//! (which root moves keep the result), `rounding` (distances in full moves), `line` (PVs that keep the result).

mod check;
mod line;
mod name;
mod root;
mod rounding;
mod tables;

pub use check::TableFault;
pub use name::TableKind;
pub use root::{RootVerdict, TableAccess};
pub use tables::{Dtz, Opened, PathFault, ProbeRules, Tablebases, Wdl};
