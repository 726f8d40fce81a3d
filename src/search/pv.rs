//! Principal variations, one per ply, in a triangular table (CPW: "Triangular PV-Table").

use arrayvec::ArrayVec;

use crate::types::{MAX_PLY, Move};

/// A line of moves.
pub(super) type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// The best line found so far from each ply on.
pub(super) struct PvTable(Box<[Line]>);

impl PvTable {
    pub(super) fn new() -> PvTable {
        PvTable((0..MAX_PLY + 2).map(|_| Line::new()).collect())
    }

    /// Forgets the line at `ply`, as every node does at its start.
    #[inline(always)]
    pub(super) fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// Makes the line at `ply` this move followed by the line of the next ply.
    pub(super) fn extend(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.0.split_at_mut(ply + 1);
        let (line, rest) = (&mut upper[ply], &lower[0]);
        line.clear();
        line.push(mv);
        line.extend(rest.iter().copied().take(MAX_PLY));
    }

    pub(super) fn line(&self, ply: usize) -> &[Move] {
        &self.0[ply]
    }
}
