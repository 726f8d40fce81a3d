//! What the tables say about the moves of the position to play.
//!
//! With DTZ every move is known to win, draw or lose under the fifty-move rule, the halfmove clock and the
//! game's repetitions included. Only moves with the best result are kept; among them the search chooses,
//! since it plays more naturally than the tables, which care for captures and pawn moves only. When it
//! makes no headway the tables take over: then only the fastest moves are kept.

use std::sync::{Arc, OnceLock};

use super::rounding::Sharpener;
use super::tables::{Dtz, ProbeRules, Tablebases, Wdl};
use crate::board::{Game, Position};
use crate::types::Move;

/// Plies after a capture or pawn move in which the search may choose among all winning moves.
const FREE_PLIES: u16 = 20;

/// The halfmove clock at which the game is drawn.
const FIFTY_MOVES: i32 = 100;

/// The moves worth playing, by the tables.
#[derive(Clone, Debug)]
pub struct RootVerdict {
    /// The moves that reach the best result, in the order given.
    pub moves: Vec<Move>,
    /// That result. A win or loss of which the tables do not tell whether it comes within fifty moves does not
    /// count as one.
    pub result: Wdl,
    /// DTZ tables were asked, so playing these moves reaches the result. Otherwise the halfmove clock was left
    /// out of account, and progress is the search's business.
    pub is_certain: bool,
    /// Positions looked up.
    pub probes: u64,
}

/// Tables and rules as one search uses them.
pub struct TableAccess {
    tables: Arc<Tablebases>,
    rules: ProbeRules,
    /// Found by the first thread that asks.
    root: OnceLock<Option<RootVerdict>>,
}

/// What a move leads to, the best last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Class {
    Loss,
    /// A loss unless the distance was rounded the right way.
    NarrowLoss,
    BlessedLoss,
    Draw,
    CursedWin,
    /// A win unless the distance was rounded the wrong way.
    NarrowWin,
    Win,
}

impl Class {
    /// Whether the rounding of distances leaves it open.
    pub(super) fn is_narrow(self) -> bool {
        matches!(self, Class::NarrowWin | Class::NarrowLoss)
    }

    /// What is safe to say of a move of this class.
    pub(super) fn result(self) -> Wdl {
        match self {
            Class::Loss => Wdl::Loss,
            Class::NarrowLoss | Class::BlessedLoss => Wdl::BlessedLoss,
            Class::Draw => Wdl::Draw,
            Class::CursedWin | Class::NarrowWin => Wdl::CursedWin,
            Class::Win => Wdl::Win,
        }
    }
}

/// A move's class, with the plies to the next capture, pawn move or mate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rank {
    pub(super) class: Class,
    pub(super) plies: i32,
}

impl Rank {
    const DRAW: Rank = Rank { class: Class::Draw, plies: 0 };

    /// From the result after a capture or pawn move, seen by the mover.
    fn after_zeroing(result: Wdl, fifty_move_rule: bool) -> Rank {
        let class = match result {
            Wdl::Loss => Class::Loss,
            Wdl::BlessedLoss if fifty_move_rule => Class::BlessedLoss,
            Wdl::BlessedLoss => Class::Loss,
            Wdl::Draw => Class::Draw,
            Wdl::CursedWin if fifty_move_rule => Class::CursedWin,
            Wdl::CursedWin => Class::Win,
            Wdl::Win => Class::Win,
        };
        Rank { class, plies: 1 }
    }

    /// From the distance after a quiet move, seen by the opponent.
    fn after_quiet(child: Dtz, clock: i32, fifty_move_rule: bool) -> Rank {
        if child.plies == 0 {
            return Rank::DRAW;
        }
        let plies = child.plies.abs() + 1;
        // The clock when the capture, pawn move or mate is made: at least and at most.
        let (earliest, latest) = (clock + plies, clock + plies + i32::from(child.is_rounded));
        let class = match child.plies < 0 {
            true if !fifty_move_rule || latest <= FIFTY_MOVES => Class::Win,
            true if earliest <= FIFTY_MOVES => Class::NarrowWin,
            true => Class::CursedWin,
            false if !fifty_move_rule || latest <= FIFTY_MOVES => Class::Loss,
            false if earliest <= FIFTY_MOVES => Class::NarrowLoss,
            false => Class::BlessedLoss,
        };
        Rank { class, plies }
    }
}

impl TableAccess {
    /// Access for one search.
    pub fn new(tables: Arc<Tablebases>, rules: ProbeRules) -> TableAccess {
        TableAccess { tables, rules, root: OnceLock::new() }
    }

    /// The tables.
    pub fn tables(&self) -> &Tablebases {
        &self.tables
    }

    /// The rules.
    pub fn rules(&self) -> ProbeRules {
        self.rules
    }

    /// Most pieces of a position that is looked up.
    pub fn most_pieces(&self) -> usize {
        self.rules.max_pieces.min(self.tables.most_pieces())
    }

    /// The result of a position as if its halfmove clock stood at zero. Without the fifty-move rule no result is
    /// cursed or blessed.
    pub fn probe(&self, position: &Position) -> Option<Wdl> {
        let result = self.tables.probe_wdl(position)?;
        Some(match result {
            Wdl::CursedWin if !self.rules.fifty_move_rule => Wdl::Win,
            Wdl::BlessedLoss if !self.rules.fifty_move_rule => Wdl::Loss,
            result => result,
        })
    }

    /// The best of the game's next moves, of which `moves` are allowed; `None` when the position is not in the
    /// tables, or when `has_time` said no before all moves were looked up: files on a slow disk may take long.
    /// The first call decides, so all threads of a search get the same.
    pub fn root(&self, game: &Game, moves: &[Move], has_time: &dyn Fn() -> bool) -> Option<&RootVerdict> {
        self.root.get_or_init(|| self.judge(game, moves, has_time)).as_ref()
    }

    /// Whether a position has few enough pieces, and no castling rights, which no table knows.
    pub(super) fn covers(&self, position: &Position) -> bool {
        position.occupied().count() as usize <= self.most_pieces() && position.castling().is_empty()
    }

    fn judge(&self, game: &Game, moves: &[Move], has_time: &dyn Fn() -> bool) -> Option<RootVerdict> {
        let position = game.position();
        if !self.covers(position) || moves.is_empty() {
            return None;
        }
        let by_distance = self.ranked_by_distance(game, moves, has_time);
        let is_certain = by_distance.is_some();
        let ranks = by_distance.or_else(|| self.ranked(game, moves, Self::rank_by_result, has_time))?;
        let best = ranks.iter().map(|(_, rank)| rank.class).max()?;
        let plies = || ranks.iter().filter(|(_, rank)| rank.class == best).map(|(_, rank)| rank.plies);
        let (shortest, longest) = (plies().min()?, plies().max()?);
        let clock = i32::from(position.halfmove_clock());
        let wanted = match best {
            _ if !is_certain => 0..=i32::MAX,
            Class::Win if needs_progress(game) => shortest..=shortest,
            Class::NarrowWin => shortest..=shortest,
            // Holding out until the fifty-move rule saves the game may come within reach.
            Class::Loss | Class::NarrowLoss if 2 * longest + clock >= FIFTY_MOVES => longest..=longest,
            _ => 0..=i32::MAX,
        };
        let keeps = |rank: &Rank| rank.class == best && wanted.contains(&rank.plies);
        let moves = ranks.iter().filter(|(_, rank)| keeps(rank)).map(|&(mv, _)| mv).collect();
        let result = best.result();
        Some(RootVerdict { moves, result, is_certain, probes: ranks.len() as u64 })
    }

    /// All these moves with their ranks by distance, narrow wins and losses decided where that is possible and
    /// matters; `None` where one of them cannot be ranked, or not in time.
    pub(super) fn ranked_by_distance(
        &self,
        game: &Game,
        moves: &[Move],
        has_time: &dyn Fn() -> bool,
    ) -> Option<Vec<(Move, Rank)>> {
        let mut ranks = self.ranked(game, moves, Self::rank_by_distance, has_time)?;
        let best = ranks.iter().map(|(_, rank)| rank.class).max()?;
        let mut sharpener = Sharpener::new(&self.tables, has_time);
        for (mv, rank) in &mut ranks {
            let matters =
                best != Class::Win && (rank.class == Class::NarrowWin || best <= Class::BlessedLoss);
            if matters && rank.class.is_narrow() {
                rank.class = self.settled(game, *mv, rank.class, &mut sharpener);
            }
        }
        Some(ranks)
    }

    /// What a narrow win or loss by this move is in truth, as far as it can be found out.
    pub(super) fn settled(&self, game: &Game, mv: Move, class: Class, sharpener: &mut Sharpener) -> Class {
        let child = game.position().after(mv);
        let plies_left = FIFTY_MOVES - i32::from(child.halfmove_clock());
        match (class, sharpener.ends_within(&child, plies_left)) {
            (_, None) => class,
            (Class::NarrowWin, Some(true)) => Class::Win,
            (Class::NarrowWin, Some(false)) => Class::CursedWin,
            (_, Some(true)) => Class::Loss,
            (_, Some(false)) => Class::BlessedLoss,
        }
    }

    /// All these moves with their ranks; `None` where one of them cannot be ranked, or not in time.
    fn ranked(
        &self,
        game: &Game,
        moves: &[Move],
        rank: fn(&Self, &Game, Move) -> Option<Rank>,
        has_time: &dyn Fn() -> bool,
    ) -> Option<Vec<(Move, Rank)>> {
        let ranked = |&mv: &Move| has_time().then(|| rank(self, game, mv)).flatten().map(|rank| (mv, rank));
        moves.iter().map(ranked).collect()
    }

    pub(super) fn rank_by_distance(&self, game: &Game, mv: Move) -> Option<Rank> {
        let child = game.position().after(mv);
        if let Some(rank) = self.rank_by_rules(game, &child) {
            return Some(rank);
        }
        let fifty_move_rule = self.rules.fifty_move_rule;
        if child.halfmove_clock() == 0 {
            return Some(Rank::after_zeroing(self.tables.probe_wdl(&child)?.opposite(), fifty_move_rule));
        }
        let clock = i32::from(game.position().halfmove_clock());
        Some(Rank::after_quiet(self.tables.probe_dtz(&child)?, clock, fifty_move_rule))
    }

    pub(super) fn rank_by_result(&self, game: &Game, mv: Move) -> Option<Rank> {
        let child = game.position().after(mv);
        if let Some(rank) = self.rank_by_rules(game, &child) {
            return Some(rank);
        }
        let result = self.tables.probe_wdl(&child)?.opposite();
        Some(Rank::after_zeroing(result, self.rules.fifty_move_rule))
    }

    /// Moves that end the game.
    pub(super) fn rank_by_rules(&self, game: &Game, child: &Position) -> Option<Rank> {
        if !child.has_legal_move() {
            let mate = Rank { class: Class::Win, plies: 0 };
            return Some(if child.in_check() { mate } else { Rank::DRAW });
        }
        let seen = game.earlier_keys().iter().filter(|&&key| key == child.key()).count();
        let is_third = child.halfmove_clock() > 0 && seen >= 2;
        let fifty_moves = self.rules.fifty_move_rule && i32::from(child.halfmove_clock()) >= FIFTY_MOVES;
        (is_third || fifty_moves).then_some(Rank::DRAW)
    }
}

/// Whether a winning side has moved about for long enough: the clock has run for a while, or a position of
/// the game was repeated.
fn needs_progress(game: &Game) -> bool {
    let keys = game.earlier_keys();
    let repeats = |place: usize, key: &u64| keys[..place].contains(key);
    game.position().halfmove_clock() >= FREE_PLIES
        || game.occurrences() > 1
        || keys.iter().enumerate().any(|(place, key)| repeats(place, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(plies: i32, is_rounded: bool, clock: i32, fifty_move_rule: bool) -> Class {
        Rank::after_quiet(Dtz { plies, is_rounded }, clock, fifty_move_rule).class
    }

    #[test]
    fn the_clock_spoils_wins_and_saves_losses() {
        // One ply to the child, 20 more to the capture: it comes at clock 21 + the clock now.
        assert_eq!(class(-20, false, 0, true), Class::Win);
        assert_eq!(class(-20, false, 79, true), Class::Win);
        assert_eq!(class(-20, false, 80, true), Class::CursedWin);
        assert_eq!(class(-20, true, 78, true), Class::Win);
        assert_eq!(class(-20, true, 79, true), Class::NarrowWin);
        assert_eq!(class(-20, true, 80, true), Class::CursedWin);
        assert_eq!(class(-20, true, 80, false), Class::Win);
        assert_eq!(class(20, false, 79, true), Class::Loss);
        assert_eq!(class(20, true, 78, true), Class::Loss);
        assert_eq!(class(20, true, 79, true), Class::NarrowLoss);
        assert_eq!(class(20, false, 80, true), Class::BlessedLoss);
        assert_eq!(class(20, true, 79, false), Class::Loss);
        assert_eq!(class(20, false, 80, false), Class::Loss);
        assert_eq!(class(0, false, 99, true), Class::Draw);
        assert_eq!(class(-101, false, 0, true), Class::CursedWin);
        assert_eq!(class(-101, false, 0, false), Class::Win);
    }

    #[test]
    fn a_sure_win_ranks_above_all() {
        use Class::*;
        assert!([Loss, NarrowLoss, BlessedLoss, Draw, CursedWin, NarrowWin, Win].is_sorted());
        let after = |result, rule| Rank::after_zeroing(result, rule).class;
        assert_eq!(after(Wdl::CursedWin, true), CursedWin);
        assert_eq!(after(Wdl::CursedWin, false), Win);
        assert_eq!(after(Wdl::BlessedLoss, true), BlessedLoss);
        assert_eq!(after(Wdl::BlessedLoss, false), Loss);
    }
}
