//! Whether and how a game has ended.

use crate::board::{DrawReason, Game, Outcome};

impl Game {
    /// The end of the game, if it has come. Checkmate goes before everything else: a mate delivered by
    /// the hundredth reversible ply counts as mate.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        if !position.has_legal_move() {
            return Some(if position.in_check() {
                Outcome::Checkmate(!position.stm())
            } else {
                Outcome::Draw(DrawReason::Stalemate)
            });
        }
        let reason = if position.is_dead() {
            DrawReason::DeadPosition
        } else if position.halfmove_clock() >= 100 {
            DrawReason::FiftyMoves
        } else if self.occurrences() >= 3 {
            DrawReason::ThreefoldRepetition
        } else {
            return None;
        };
        Some(Outcome::Draw(reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::types::{Color, Move, MoveKind, Square};

    fn outcome(fen: &str) -> Option<Outcome> {
        Game::new(fen.parse::<Position>().unwrap()).outcome()
    }

    #[test]
    fn mates_and_stalemates() {
        let mate = outcome("R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 80");
        assert_eq!(mate, Some(Outcome::Checkmate(Color::White)));
        let stalemate = outcome("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert_eq!(stalemate, Some(Outcome::Draw(DrawReason::Stalemate)));
        assert_eq!(outcome("7k/8/6K1/8/8/8/8/R7 w - - 99 90"), None);
    }

    #[test]
    fn fifty_moves() {
        let drawn = outcome("7k/8/6K1/8/8/8/8/R7 w - - 100 90");
        assert_eq!(drawn, Some(Outcome::Draw(DrawReason::FiftyMoves)));
    }

    #[test]
    fn dead_positions() {
        for dead in [
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/4KB2 w - - 0 1",
            "4k1n1/8/8/8/8/8/8/4K3 w - - 0 1",
            "4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1",
            "4kb2/8/3b1b2/8/8/8/8/2B1K3 w - - 0 1",
        ] {
            assert_eq!(outcome(dead), Some(Outcome::Draw(DrawReason::DeadPosition)), "{dead}");
        }
        for alive in [
            "2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1",
            "4k1n1/8/8/8/8/8/8/4KB2 w - - 0 1",
            "4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1",
            "4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        ] {
            assert_eq!(outcome(alive), None, "{alive}");
        }
    }

    #[test]
    fn threefold_repetition_needs_the_same_rights() {
        let mut game = Game::default();
        let quiet = |from, to| Move::new(from, to, MoveKind::Quiet);
        let shuffle = [
            quiet(Square::G1, Square::F3),
            quiet(Square::G8, Square::F6),
            quiet(Square::F3, Square::G1),
            quiet(Square::F6, Square::G8),
        ];
        for round in 1..=2 {
            for mv in shuffle {
                assert_eq!(game.outcome(), None);
                game.play(mv);
            }
            assert_eq!(game.occurrences(), round + 1);
        }
        assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::ThreefoldRepetition)));

        // The first occurrence still had castling rights, so it is another position.
        let mut game = Game::new("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1".parse().unwrap());
        let shuffle = [
            quiet(Square::H1, Square::H2),
            quiet(Square::E8, Square::E7),
            quiet(Square::H2, Square::H1),
            quiet(Square::E7, Square::E8),
        ];
        for _ in 0..2 {
            shuffle.into_iter().for_each(|mv| game.play(mv));
        }
        assert_eq!((game.occurrences(), game.outcome()), (2, None));
        shuffle.into_iter().for_each(|mv| game.play(mv));
        assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::ThreefoldRepetition)));
    }
}
