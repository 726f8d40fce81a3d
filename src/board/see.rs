//! Static exchange evaluation: does a sequence of captures on one square win at least so much?
//! (CPW: "SEE - The Swap Algorithm")

use super::position::Position;
use crate::attacks::{bishop_attacks, rook_attacks};
use crate::types::{Bitboard, Move, PieceType};

/// Exchange values in internal units, `[type]`. The king's never counts, since it cannot be taken.
pub const SEE_VALUES: [i32; 6] = [100, 310, 330, 500, 950, 0];

impl Position {
    /// Whether the exchange that `mv` starts gains at least `threshold` internal units for the mover, each
    /// side taking with its least valuable piece and stopping when that is better. Pins are ignored.
    /// Castling and en passant count as even exchanges of what they take.
    pub fn see(&self, mv: Move, threshold: i32) -> bool {
        let (from, to) = (mv.from(), mv.to());
        if mv.is_castle() {
            return threshold <= 0;
        }
        let victim =
            if mv.is_en_passant() { Some(PieceType::Pawn) } else { self.piece_on(to).map(|p| p.kind()) };
        let mut next = match self.piece_on(from) {
            Some(piece) => piece.kind(),
            None => return false,
        };
        let mut balance = victim.map_or(0, |kind| SEE_VALUES[kind.index()]) - threshold;
        if let Some(promoted) = mv.promotion() {
            balance += SEE_VALUES[promoted.index()] - SEE_VALUES[PieceType::Pawn.index()];
            next = promoted;
        }
        if balance < 0 {
            return false;
        }
        // Even losing the moved piece for nothing is enough.
        balance -= SEE_VALUES[next.index()];
        if balance >= 0 {
            return true;
        }

        let mut occupied = (self.occupied() ^ from.bitboard()) | to.bitboard();
        if mv.is_en_passant() {
            occupied ^= to.offset(-self.stm.forward()).bitboard();
        }
        let queens = self.of_type(PieceType::Queen);
        let diagonal = self.of_type(PieceType::Bishop) | queens;
        let orthogonal = self.of_type(PieceType::Rook) | queens;
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut side = !self.stm;
        loop {
            let own = attackers & self.colored(side);
            let Some((kind, piece)) = self.least_valuable(own) else { break };
            occupied ^= piece;
            if matches!(kind, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
                attackers |= bishop_attacks(to, occupied) & diagonal;
            }
            if matches!(kind, PieceType::Rook | PieceType::Queen) {
                attackers |= rook_attacks(to, occupied) & orthogonal;
            }
            attackers &= occupied;
            side = !side;
            balance = -balance - 1 - SEE_VALUES[kind.index()];
            if balance >= 0 {
                // A king may not take a defended piece: then the side that would have to is the loser.
                if kind == PieceType::King && attackers.meets(self.colored(side)) {
                    side = !side;
                }
                break;
            }
        }
        self.stm != side
    }

    /// The least valuable piece of a set, as its type and square.
    fn least_valuable(&self, set: Bitboard) -> Option<(PieceType, Bitboard)> {
        PieceType::ALL.into_iter().find_map(|kind| {
            let square = (self.of_type(kind) & set).first()?;
            Some((kind, square.bitboard()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MoveKind, Square};

    /// The exact exchange value found by asking for every threshold.
    fn value(fen: &str, from: Square, to: Square, kind: MoveKind) -> i32 {
        let position: Position = fen.parse().unwrap();
        let mv = Move::new(from, to, kind);
        assert!(position.is_legal(mv), "{mv:?}");
        (-3000..3000).rev().find(|&threshold| position.see(mv, threshold)).unwrap()
    }

    #[test]
    fn exchange_values() {
        use MoveKind::{Capture, EnPassant, PromoteQueen, Quiet};
        let [p, n, b, r, q, _] = SEE_VALUES;
        let undefended = "4k3/8/8/4p3/8/8/4R3/4K3 w - - 0 1";
        assert_eq!(value(undefended, Square::E2, Square::E5, Capture), p);
        let defended = "4k3/8/3p4/4p3/8/8/4R3/4K3 w - - 0 1";
        assert_eq!(value(defended, Square::E2, Square::E5, Capture), p - r);
        // A second rook behind the first does not make it pay.
        let doubled = "4k3/8/3p4/4p3/8/8/4R3/4RK2 w - - 0 1";
        assert_eq!(value(doubled, Square::E2, Square::E5, Capture), p - r + p);
        let classic = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert_eq!(value(classic, Square::D3, Square::E5, Capture), p - n);
        let quiet_into_pawn = "7k/8/3p4/8/8/8/4Q3/4K3 w - - 0 1";
        assert_eq!(value(quiet_into_pawn, Square::E2, Square::E5, Quiet), -q);
        let ep = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(value(ep, Square::E5, Square::D6, EnPassant), p);
        let ep_defended = "4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(value(ep_defended, Square::E5, Square::D6, EnPassant), 0);
        let promotion = "8/P6k/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(value(promotion, Square::A7, Square::A8, PromoteQueen), q - p);
        let guarded = "1r6/P6k/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(value(guarded, Square::A7, Square::A8, PromoteQueen), -p);
        // The king may not recapture into the bishop's reach.
        let king = "8/3k4/4p3/8/2B5/8/4R3/4K3 w - - 0 1";
        assert_eq!(value(king, Square::E2, Square::E6, Capture), p);
        assert_eq!(value(king, Square::C4, Square::E6, Capture), p);
        let lone = "8/3k4/4p3/8/2B5/8/8/4K3 w - - 0 1";
        assert_eq!(value(lone, Square::C4, Square::E6, Capture), p - b);
    }
}
