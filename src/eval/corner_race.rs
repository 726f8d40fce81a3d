//! Whether a lone king stops rook's pawns for good that no bishop helps past the corner.
//!
//! The attacker has pawns on the a-file and bishops on dark squares, so none that sees the corner a8. A king that
//! stands on a8, b8, a7 or b7 never has to leave: only the other king could attack a8, from squares that it
//! cannot get to then, so a8 is always free to step on, and a king that stands there stays near it or is
//! stalemated. A pawn can queen only beside the king, which takes it.
//!
//! Which other kings hold the draw is found backwards (CPW: "Retrograde Analysis"). The king is safe if it can go on for
//! ever without letting a pawn queen. With one pawn and one bishop or none that is chess. With more pieces the
//! game is made worse for the king, so that whoever is safe in it is safe in chess: two bishops or more guard all dark
//! squares all the time, further pawns stand on all squares behind the foremost, and the attacker may pass.

use once_cell::sync::Lazy;

use crate::attacks::{bishop_attacks, king_attacks};
use crate::types::{Bitboard, Color, File, Rank, Square};

/// Squares that the king need never leave once it stands there.
const HOME: Bitboard = Bitboard::EMPTY.with(Square::A8).with(Square::B8).with(Square::A7).with(Square::B7);

/// The attacker's bishops.
#[derive(Clone, Copy, PartialEq)]
enum Bishops {
    None,
    One(Square),
    Many,
}

/// Cases of bishops: none, one on each dark square, many.
const BISHOP_CASES: usize = 1 + 32 + 1;

impl Bishops {
    fn all() -> impl Iterator<Item = Bishops> {
        let one = Bitboard::DARK_SQUARES.into_iter().map(Bishops::One);
        std::iter::once(Bishops::None).chain(one).chain(std::iter::once(Bishops::Many))
    }

    fn of(bishops: Bitboard) -> Bishops {
        match bishops.first() {
            None => Bishops::None,
            Some(bishop) if !bishops.many() => Bishops::One(bishop),
            Some(_) => Bishops::Many,
        }
    }

    fn index(self) -> usize {
        match self {
            Bishops::None => 0,
            // Each pair of neighbouring squares holds one dark one.
            Bishops::One(square) => 1 + square.index() / 2,
            Bishops::Many => BISHOP_CASES - 1,
        }
    }
}

/// Where the defending king is safe. `[case of bishops][attacking king]`
#[derive(Clone, PartialEq)]
struct Safe {
    /// With the defender to move.
    to_move: Box<[[Bitboard; 64]; BISHOP_CASES]>,
    /// With the attacker to move.
    waiting: Box<[[Bitboard; 64]; BISHOP_CASES]>,
}

impl Safe {
    fn only(squares: Bitboard) -> Safe {
        let all = Box::new([[squares; 64]; BISHOP_CASES]);
        Safe { to_move: all.clone(), waiting: all }
    }
}

/// The safe squares for all places of the other pieces.
pub(super) struct CornerRace {
    /// `[more than one pawn][rank of the foremost pawn]`
    safe: [[Safe; 8]; 2],
}

/// What is to be known of a position, turned so that the pawns stand on the a-file and move up the board.
pub(super) struct Race {
    /// King of the side with the pawns.
    pub(super) attacker: Square,
    /// King alone.
    pub(super) defender: Square,
    /// The pawns, on the a-file all of them; one at least.
    pub(super) pawns: Bitboard,
    /// The bishops, on dark squares all of them.
    pub(super) bishops: Bitboard,
    /// The defender is to move.
    pub(super) defender_to_move: bool,
}

impl CornerRace {
    /// The table, worked out at first use in some milliseconds.
    pub(super) fn get() -> &'static CornerRace {
        static TABLE: Lazy<CornerRace> = Lazy::new(CornerRace::build);
        &TABLE
    }

    /// Whether the defending king never has to leave the corner.
    pub(super) fn is_home(defender: Square) -> bool {
        HOME.has(defender)
    }

    /// Whether the defending king stops the pawns for good.
    pub(super) fn is_safe(&self, race: &Race) -> bool {
        let Some(foremost) = race.pawns.last() else { return false };
        let safe = &self.safe[usize::from(race.pawns.many())][foremost.rank().index()];
        let squares = if race.defender_to_move { &safe.to_move } else { &safe.waiting };
        squares[Bishops::of(race.bishops).index()][race.attacker.index()].has(race.defender)
    }

    fn build() -> CornerRace {
        let mut race = CornerRace {
            // Beyond the last rank a pawn has queened, which is safe at home only.
            safe: std::array::from_fn(|_| std::array::from_fn(|_| Safe::only(HOME))),
        };
        for (many_pawns, stages) in race.safe.iter_mut().enumerate() {
            for rank in (Rank::R2.index()..=Rank::R7.index()).rev() {
                let pawn = Square::new(File::A, Rank::ALL[rank]);
                let safe = Stage { pawn, many_pawns: many_pawns > 0, later: stages }.safe_squares();
                stages[rank] = safe;
            }
        }
        race
    }
}

/// The part of the race in which the foremost pawn stands on one square.
struct Stage<'a> {
    pawn: Square,
    many_pawns: bool,
    /// The stages with the pawn further up the board. `[rank]`
    later: &'a [Safe; 8],
}

impl Stage<'_> {
    /// What is safe, approached from above: all squares that are not found unsafe.
    fn safe_squares(&self) -> Safe {
        let mut safe = Safe::only(Bitboard::ALL);
        loop {
            let before = safe.clone();
            for bishops in Bishops::all() {
                for king in Square::all() {
                    safe.to_move[bishops.index()][king.index()] = self.safe_to_move(&safe, bishops, king);
                }
            }
            for bishops in Bishops::all() {
                for king in Square::all() {
                    safe.waiting[bishops.index()][king.index()] = self.safe_waiting(&safe, bishops, king);
                }
            }
            if safe == before {
                return safe;
            }
        }
    }

    /// Where the defender, to move, is at home, has a step to safety, or is stalemated.
    fn safe_to_move(&self, safe: &Safe, bishops: Bishops, king: Square) -> Bitboard {
        let pawn = self.pawn.bitboard();
        let pawns = if self.many_pawns { Bitboard::FILE_A & !pawn.forward_fill(Color::White) } else { pawn };
        let seen = match bishops {
            Bishops::None => Bitboard::EMPTY,
            Bishops::One(bishop) => bishop_attacks(bishop, pawn.with(king)),
            Bishops::Many => Bitboard::DARK_SQUARES,
        };
        let guarded = seen | king_attacks(king) | pawns.east().forward(Color::White);
        let free = !guarded.with(king);
        let after = |bishops: Bishops| safe.waiting[bishops.index()][king.index()];
        let bishop = if let Bishops::One(square) = bishops { square.bitboard() } else { Bitboard::EMPTY };
        let mut steps = after(bishops) & !bishop & !pawns | after(Bishops::None) & bishop & !pawns;
        let mut stalemated = Bitboard::EMPTY;
        if !self.many_pawns {
            // Without the pawn nobody can win.
            steps |= pawn;
            if bishops != Bishops::Many {
                stalemated = free & !neighbours(free);
            }
        }
        HOME | neighbours(steps & free) | stalemated
    }

    /// Where the defender is safe whatever the attacker does.
    fn safe_waiting(&self, safe: &Safe, bishops: Bishops, king: Square) -> Bitboard {
        let after = |bishops: Bishops, king: Square| safe.to_move[bishops.index()][king.index()];
        let mut kept = self.safe_after_push(bishops, king);
        for to in king_attacks(king).without(self.pawn) {
            // Kings do not meet.
            kept &= after(bishops, to) | king_attacks(to).with(to);
        }
        if let Bishops::One(bishop) = bishops {
            for to in bishop_attacks(bishop, self.pawn.bitboard().with(king)).without(self.pawn).without(king)
            {
                kept &= after(Bishops::One(to), king).with(to);
            }
        }
        if self.many_pawns || bishops == Bishops::Many {
            kept &= after(bishops, king);
        }
        HOME | kept
    }

    /// Where the defender is safe if the foremost pawn steps forward, or cannot do so.
    fn safe_after_push(&self, bishops: Bishops, king: Square) -> Bitboard {
        let rank = self.pawn.rank().index();
        let once = self.pawn.bitboard().forward(Color::White);
        let mut blocked = king.bitboard();
        if let Bishops::One(bishop) = bishops {
            blocked = blocked.with(bishop);
        }
        if blocked.meets(once) {
            return Bitboard::ALL;
        }
        let after = |rank: usize| match self.later.get(rank) {
            Some(stage) if rank < Rank::R8.index() => stage.to_move[bishops.index()][king.index()],
            // The pawn has queened.
            _ => HOME,
        };
        let twice = once.forward(Color::White);
        match rank == Rank::R2.index() && !blocked.meets(twice) {
            true => (after(rank + 1) | once) & (after(rank + 2) | once | twice),
            false => after(rank + 1) | once,
        }
    }
}

/// All squares a king's step away from one of these.
fn neighbours(squares: Bitboard) -> Bitboard {
    let beside = squares.east() | squares.west();
    let row = squares | beside;
    beside | row.forward(Color::White) | row.forward(Color::Black)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_of_the_king() {
        for square in Square::all() {
            assert_eq!(neighbours(square.bitboard()), king_attacks(square), "{square}");
        }
    }

    fn set(squares: &[Square]) -> Bitboard {
        squares.iter().fold(Bitboard::EMPTY, |all, &square| all.with(square))
    }

    #[test]
    fn a_king_near_the_corner_gets_there() {
        use Square::*;
        let race = CornerRace::get();
        for defender_to_move in [true, false] {
            let is_safe = |attacker, defender, pawns: &[Square], bishops: &[Square]| {
                let (pawns, bishops) = (set(pawns), set(bishops));
                race.is_safe(&Race { attacker, defender, pawns, bishops, defender_to_move })
            };
            for bishops in [&[E1][..], &[], &[E1, G3]] {
                assert!(is_safe(B6, A8, &[A5], bishops));
                assert!(is_safe(B2, C8, &[A4], bishops));
                assert!(is_safe(B2, C8, &[A4, A3, A2], bishops));
                assert!(!is_safe(B2, H1, &[A4], bishops));
                assert!(!is_safe(B7, D8, &[A4], bishops));
            }
            // Only bishops keep the king from going to and fro before the other one.
            assert!(is_safe(A8, C8, &[A6], &[]) && is_safe(A8, C7, &[A6, A4], &[]));
            assert!(!is_safe(A8, C8, &[A6], &[E1]));
            // The pawn guards b7 and the bishop b8: the king takes the pawn if no king is near.
            assert!(is_safe(H1, C6, &[A6], &[H2]));
            assert!(!is_safe(C5, D8, &[A6], &[H2]));
            // Then there is another pawn.
            assert!(!is_safe(C4, D6, &[A6, A5], &[H2]));
        }
    }
}
