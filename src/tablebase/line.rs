//! Lines of play as the tables see them: how far one keeps the result it is shown with, and how perfect play
//! goes on.

use super::root::{Class, TableAccess};
use super::rounding::Sharpener;
use super::tables::Wdl;
use crate::board::Game;
use crate::types::Move;

impl TableAccess {
    /// How many of a line's moves keep what the tables know: each that is played where the result is known keeps
    /// it, for the winning, the losing and the drawing side. It is known at the root as `result`, if the tables
    /// were asked there, else from the first capture or pawn move on that leads into the tables, to a result that
    /// `agrees` with the score of the line. Both are seen by the side to move at the root.
    pub fn kept_moves(
        &self,
        game: &Game,
        line: &[Move],
        result: Option<Wdl>,
        agrees: &dyn Fn(Wdl) -> bool,
        has_time: &dyn Fn() -> bool,
    ) -> usize {
        let mut game = game.clone();
        // Seen by the side to move.
        let mut known = result;
        for (ply, &mv) in line.iter().enumerate() {
            if let Some(result) = known
                && !(has_time() && self.keeps(&game, mv, result, has_time))
            {
                return ply;
            }
            game.play(mv);
            let position = game.position();
            known = match known {
                Some(result) => Some(result.opposite()),
                None if position.halfmove_clock() > 0 || !self.covers(position) => None,
                None => {
                    let Some(result) = self.probe(position) else { continue };
                    if !agrees(if ply % 2 == 0 { result.opposite() } else { result }) {
                        return ply;
                    }
                    Some(result)
                }
            };
        }
        line.len()
    }

    /// Whether a move keeps the known result of the position in which it is played.
    fn keeps(&self, game: &Game, mv: Move, result: Wdl, has_time: &dyn Fn() -> bool) -> bool {
        let ended = game.position().after(mv);
        match result {
            // There is no other, unless a position comes up for the third time.
            Wdl::Loss => return self.rank_by_rules(game, &ended).is_none(),
            Wdl::Draw if ended.has_legal_move() && self.probe(&ended) == Some(Wdl::Draw) => return true,
            _ => {}
        }
        let rank = self.rank_by_distance(game, mv).or_else(|| self.rank_by_result(game, mv));
        let Some(class) = rank.map(|rank| rank.class) else { return false };
        let class = match class.is_narrow() {
            true => self.settled(game, mv, class, &mut Sharpener::new(self.tables(), has_time)),
            false => class,
        };
        !class.is_narrow() && class.result() == result
    }

    /// The move by which the winning side reaches the next capture, pawn move or mate fastest, or the losing
    /// side puts it off longest, or one that keeps a draw; `None` where the game is over or not in the tables, or
    /// where `has_time` said no.
    pub fn perfect_move(&self, game: &Game, has_time: &dyn Fn() -> bool) -> Option<Move> {
        self.perfect(game, has_time).map(|(mv, _)| mv)
    }

    fn perfect(&self, game: &Game, has_time: &dyn Fn() -> bool) -> Option<(Move, Class)> {
        let position = game.position();
        if !self.covers(position) || game.outcome().is_some() {
            return None;
        }
        let ranks = self.ranked_by_distance(game, &position.legal_moves(), has_time)?;
        let best = ranks.iter().map(|(_, rank)| rank.class).max()?;
        let equal = ranks.into_iter().filter(|(_, rank)| rank.class == best);
        let chosen = match best >= Class::Draw {
            true => equal.min_by_key(|(_, rank)| rank.plies),
            false => equal.max_by_key(|(_, rank)| rank.plies),
        };
        chosen.map(|(mv, _)| (mv, best))
    }

    /// The moves by which the winning side reaches each capture, pawn move and mate fastest and the losing side
    /// puts them off longest, to the mate if `longest` plies and the time suffice. Empty where the game is
    /// drawn or not in the tables.
    pub fn perfect_line(&self, mut game: Game, longest: usize, has_time: &dyn Fn() -> bool) -> Vec<Move> {
        let mut line = Vec::new();
        while line.len() < longest {
            let Some((mv, Class::Win | Class::Loss)) = self.perfect(&game, has_time) else { break };
            game.play(mv);
            line.push(mv);
        }
        line
    }
}
