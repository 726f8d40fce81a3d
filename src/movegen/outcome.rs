//! Whether and how a game has ended.

use crate::board::{DrawReason, Game, Outcome};

/// At this halfmove clock a draw can be claimed.
const FIFTY_MOVES: u16 = 100;

/// When a position occurs so often a draw can be claimed.
const THREEFOLD: usize = 3;

/// The halfmove clock of a search in a game that has gone on beyond the fifty-move rule. It leaves room to play, and
/// yet shows that there was no progress, with the latest positions still to be repeated.
const CLOCK_GONE_ON: u16 = 20;

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
        } else if position.halfmove_clock() >= FIFTY_MOVES {
            DrawReason::FiftyMoves
        } else if self.occurrences() >= THREEFOLD {
            DrawReason::ThreefoldRepetition
        } else {
            return None;
        };
        Some(Outcome::Draw(reason))
    }

    /// The game as a search should see it when it goes on although a draw could be claimed. Where the fifty-move rule
    /// has run out, every move would count as a draw, and nothing could tell one from another: so the count begins
    /// again. Where the position has stood three times the same is true only if every move repeats another one for
    /// the third time: then the earlier positions are forgotten. Scores from before, which knew of the draw, are not
    /// to be taken for those of the game that goes on, so its positions have other keys.
    #[must_use]
    pub fn gone_on(&self) -> Game {
        let mut game = self.clone();
        let is_past_clock = self.position().halfmove_clock() >= FIFTY_MOVES;
        let is_past_repetition = self.occurrences() >= THREEFOLD && self.repeats_whatever_is_played();
        if is_past_clock {
            game.set_halfmove_clock(CLOCK_GONE_ON);
        }
        if is_past_repetition {
            game.forget_earlier();
        }
        if is_past_clock || is_past_repetition {
            game.set_keys_apart();
        }
        game
    }

    /// Whether every move brings a position about for the third time.
    fn repeats_whatever_is_played(&self) -> bool {
        self.position().legal_moves().into_iter().all(|mv| {
            let key = self.position().after(mv).key();
            self.earlier_keys().iter().filter(|&&earlier| earlier == key).count() + 1 >= THREEFOLD
        })
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

    /// A game in which kings have gone to and fro, so that the position has occurred so often.
    fn shuffled(fen: &str, squares: [Square; 4], occurrences: usize) -> Game {
        let mut game: Game = fen.parse().unwrap();
        let quiet = |from, to| Move::new(from, to, MoveKind::Quiet);
        let [white, white_to, black, black_to] = squares;
        for _ in 1..occurrences {
            game.play(quiet(white, white_to));
            game.play(quiet(black, black_to));
            game.play(quiet(white_to, white));
            game.play(quiet(black_to, black));
        }
        assert_eq!(game.occurrences(), occurrences);
        game
    }

    #[test]
    fn the_fifty_move_count_begins_again_where_nobody_claimed() {
        let at = |clock: u16| -> Game { format!("7k/8/6K1/8/8/8/8/R7 w - - {clock} 90").parse().unwrap() };
        for clock in [0, 98, 99] {
            assert_eq!(at(clock).gone_on().position(), at(clock).position());
        }
        for clock in [100, 101, 149, 150, 151, 5000, u16::MAX] {
            let game = at(clock).gone_on();
            assert_eq!(game.position().halfmove_clock(), CLOCK_GONE_ON);
            assert_eq!((game.position().to_string(), game.outcome()), (at(20).position().to_string(), None));
        }
    }

    #[test]
    fn earlier_positions_are_forgotten_where_every_move_repeats_one() {
        use Square::{A1, A2, G1, G8, H1, H8};
        // White's king has other moves.
        for occurrences in 1..=6 {
            let game = shuffled("6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 4 30", [G1, H1, G8, H8], occurrences);
            assert_eq!(game.gone_on().earlier_keys(), game.earlier_keys());
        }
        // The king can go to a2 only. The second time that is a draw, which nobody has left unclaimed.
        for (occurrences, left) in [(1, 0), (2, 4), (3, 0), (4, 0), (6, 0)] {
            let game = shuffled("1r4k1/8/8/8/8/8/8/K7 w - - 4 30", [A1, A2, G8, H8], occurrences);
            assert_eq!(game.gone_on().earlier_keys().len(), left, "{occurrences}");
            assert_eq!(game.gone_on().position().to_string(), game.position().to_string());
        }
    }
}
