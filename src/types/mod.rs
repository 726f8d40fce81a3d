//! The types that every other module uses: colours, pieces, squares, bitboards, moves, scores.
//!
//! To be read in this order: `square`, `piece`, `bitboard`, `mv` (moves and castling rights), `score`; `random` has
//! the random numbers of the whole crate.

mod bitboard;
mod mv;
mod piece;
mod random;
mod score;
mod square;

pub use bitboard::Bitboard;
pub use mv::{CastlingMode, CastlingRights, CastlingSide, MAX_MOVES, Move, MoveKind, MoveList};
pub use piece::{Color, Piece, PieceType};
pub use random::SplitMix64;
pub use score::{MAX_PLY, Score};
pub use square::{File, Rank, Square};

/// Remaining search depth in plies. May be negative inside reductions; nodes clamp it to zero.
pub type Depth = i32;
