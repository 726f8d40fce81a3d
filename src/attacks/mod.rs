//! Attack sets: which squares a piece reaches from a square.
//!
//! Everything here is computed at compile time, so a look-up is a plain load without an
//! initialisation check.
//!
//! To be read in this order: `leapers` (king, knight, pawn), `magics` (how magic numbers are found and checked),
//! `sliders` (bishop, rook, queen), `lines` (squares between two squares, for pins and checks).

mod leapers;
mod lines;
pub mod magics;
mod sliders;

pub use leapers::{king_attacks, knight_attacks, pawn_attacks, pawn_attacks_of_set};
pub use lines::{between, line, line_attacks, relevant_occupancy};
pub use sliders::{bishop_attacks, bishop_rays, queen_attacks, rook_attacks, rook_rays};
