//! What a move changes on the board, for those who keep running sums over the pieces, such as a network.

use crate::types::{Color, Piece, PieceType, Square};

/// A piece on its square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedPiece {
    /// The piece.
    pub piece: Piece,
    /// Where it stands.
    pub square: Square,
}

/// The pieces a move takes from the board and puts on it. The mover comes first in every list, so a king that
/// moves is `removed[0]` and `added[0]`; one that promotes is removed as a pawn and added as what it became.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Delta {
    /// Nothing moved, as when the turn is passed.
    #[default]
    Nothing,
    /// A piece moved to an empty square.
    Move {
        /// The piece as it stood.
        removed: PlacedPiece,
        /// The piece as it stands.
        added: PlacedPiece,
    },
    /// A piece moved and took another.
    Capture {
        /// The piece as it stood, and its victim.
        removed: [PlacedPiece; 2],
        /// The piece as it stands.
        added: PlacedPiece,
    },
    /// King and rook moved together.
    Castle {
        /// King and rook as they stood.
        removed: [PlacedPiece; 2],
        /// King and rook as they stand.
        added: [PlacedPiece; 2],
    },
}

// One is kept for every ply of a search.
const _: () = assert!(size_of::<Delta>() <= 10);

impl Delta {
    /// The pieces taken from the board, the mover first.
    pub fn removed(&self) -> &[PlacedPiece] {
        match self {
            Delta::Nothing => &[],
            Delta::Move { removed, .. } => std::slice::from_ref(removed),
            Delta::Capture { removed, .. } | Delta::Castle { removed, .. } => removed,
        }
    }

    /// The pieces put on the board, the mover first.
    pub fn added(&self) -> &[PlacedPiece] {
        match self {
            Delta::Nothing => &[],
            Delta::Move { added, .. } | Delta::Capture { added, .. } => std::slice::from_ref(added),
            Delta::Castle { added, .. } => added,
        }
    }

    /// Where `color`'s king came from and went to, if it moved.
    #[inline]
    pub fn king_path(&self, color: Color) -> Option<(Square, Square)> {
        let (removed, added) = match self {
            Delta::Nothing => return None,
            Delta::Move { removed, added } => (removed, added),
            Delta::Capture { removed, added } => (&removed[0], added),
            Delta::Castle { removed, added } => (&removed[0], &added[0]),
        };
        (removed.piece == Piece::new(color, PieceType::King)).then_some((removed.square, added.square))
    }
}
