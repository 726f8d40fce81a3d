//! What a node leaves for the nodes below it.

use arrayvec::ArrayVec;

use super::history::{ContKey, ContKeys, Place};
use crate::types::{Depth, MAX_PLY, Move, Score};

/// The record of one ply.
#[derive(Clone, Copy, Default)]
pub(super) struct StackEntry {
    /// The move being searched from here; `None` for a null move.
    pub(super) mv: Option<Move>,
    /// The same move for the history tables.
    pub(super) key: ContKey,
    /// The side to move, squares that the opponent attacks, and the pawns.
    pub(super) place: Place,
    /// Evaluation as computed; `None` in check.
    pub(super) raw_eval: Option<Score>,
    /// Corrected static evaluation; `None` in check.
    pub(super) static_eval: Option<Score>,
    /// The node is, or once was, on a principal variation.
    pub(super) tt_pv: bool,
    /// The move left out while it is checked whether it is the only good one.
    pub(super) excluded: Option<Move>,
    /// Plies by which the move being searched is reduced.
    pub(super) reduction: Depth,
    /// Beta cut-offs at this ply since the node two plies before it was entered.
    pub(super) cutoffs: u32,
    /// Double extensions on the line so far.
    pub(super) double_extensions: u32,
}

/// One record per ply, with as many before the root as histories look back.
pub(super) struct Stack(Box<[StackEntry]>);

/// Plies that histories look back.
const BEFORE_ROOT: usize = 6;

impl Stack {
    pub(super) fn new() -> Stack {
        Stack(vec![StackEntry::default(); BEFORE_ROOT + MAX_PLY + 4].into_boxed_slice())
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(StackEntry::default());
    }

    /// The record `back` plies before `ply`, up to six.
    #[inline(always)]
    pub(super) fn before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.0[ply + BEFORE_ROOT - back]
    }

    #[inline(always)]
    pub(super) fn before_mut(&mut self, ply: usize, back: usize) -> &mut StackEntry {
        &mut self.0[ply + BEFORE_ROOT - back]
    }

    /// The moves 1, 2, 4 and 6 plies before `ply`.
    #[inline(always)]
    pub(super) fn cont_keys(&self, ply: usize) -> ContKeys {
        [1, 2, 4, 6].map(|back| self.before(ply, back).key)
    }

    /// The last two moves before `ply`, latest first.
    #[inline(always)]
    pub(super) fn last_two(&self, ply: usize) -> [ContKey; 2] {
        [1, 2].map(|back| self.before(ply, back).key)
    }
}

impl std::ops::Index<usize> for Stack {
    type Output = StackEntry;

    #[inline(always)]
    fn index(&self, ply: usize) -> &StackEntry {
        &self.0[ply + BEFORE_ROOT]
    }
}

impl std::ops::IndexMut<usize> for Stack {
    #[inline(always)]
    fn index_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.0[ply + BEFORE_ROOT]
    }
}

/// Moves already tried in a node, for the history penalty.
pub(super) type TriedMoves = ArrayVec<Move, 32>;
