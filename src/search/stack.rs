//! What a node leaves for the nodes below it.

use arrayvec::ArrayVec;

use crate::types::{MAX_PLY, Move, Piece, Score};

/// The record of one ply.
#[derive(Clone, Copy, Default)]
pub(super) struct StackEntry {
    /// The move being searched from here; `None` for a null move.
    pub(super) mv: Option<Move>,
    /// The piece that makes it.
    pub(super) piece: Option<Piece>,
    /// Static evaluation; `None` in check.
    pub(super) static_eval: Option<Score>,
    /// Quiet moves that caused a cut-off at this ply elsewhere in the tree.
    pub(super) killers: [Option<Move>; 2],
}

/// One record per ply.
pub(super) type Stack = Box<[StackEntry]>;

pub(super) fn new_stack() -> Stack {
    vec![StackEntry::default(); MAX_PLY + 4].into_boxed_slice()
}

/// Moves already tried in a node, for the history penalty.
pub(super) type TriedMoves = ArrayVec<Move, 64>;
