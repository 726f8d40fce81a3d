//! What rounded distances leave open.
//!
//! Most DTZ tables hold full moves, so the true distance may be one ply longer than the one read (R. de Man's
//! format never rounds where that would matter right after a capture or pawn move, but a game may come to the
//! limit of fifty moves with plies wasted before). Near the limit that ply decides. In some endings it follows from who
//! alone can make the capture, pawn move or mate; in others the moves are followed until the distances are clear.

use std::collections::HashMap;

use super::tables::{Dtz, Tablebases, Wdl};
use crate::board::Position;
use crate::types::{Color, PieceType};

impl Dtz {
    /// The distance made exact where the pieces tell whose move ends the count.
    pub(super) fn sharpened(self, position: &Position) -> Dtz {
        let winner = if self.plies > 0 { position.stm() } else { !position.stm() };
        if !self.is_rounded || self.plies == 0 || !winner_ends_count(position, winner) {
            return self;
        }
        // The winner's move comes after an odd number of plies if it is to move now.
        let is_odd = self.plies % 2 != 0;
        let missing = i32::from(is_odd != (self.plies > 0));
        Dtz { plies: self.plies + missing * self.plies.signum(), is_rounded: false }
    }

    /// The fewest and the most plies to the capture, pawn move or mate.
    fn range(self) -> (i32, i32) {
        let plies = self.plies.abs();
        (plies, plies + i32::from(self.is_rounded))
    }
}

/// Whether the loser, a king alone, can make no capture that does not save it: only the winner ends the count.
fn winner_ends_count(position: &Position, winner: Color) -> bool {
    let pieces = position.colored(winner).without(position.king(winner));
    let minor = position.of_type(PieceType::Knight) | position.of_type(PieceType::Bishop);
    let is_alone = !position.colored(!winner).many();
    is_alone && (!pieces.many() || pieces.count() == 2 && (pieces & !minor).is_empty())
}

/// Most look-ups spent on one question.
const LOOKUPS: u32 = 20_000;

/// Follows moves until the distances are clear, with all that was found on the way.
pub(super) struct Sharpener<'a> {
    tables: &'a Tablebases,
    has_time: &'a dyn Fn() -> bool,
    lookups: u32,
    /// Whether the side to move wins, or loses, within so many plies. `[key, plies]`
    known: HashMap<(u64, i32), bool>,
}

impl<'a> Sharpener<'a> {
    pub(super) fn new(tables: &'a Tablebases, has_time: &'a dyn Fn() -> bool) -> Sharpener<'a> {
        Sharpener { tables, has_time, lookups: 0, known: HashMap::new() }
    }

    /// Whether the capture, pawn move or mate of a position that the tables call won or lost comes within so many
    /// plies. `None` where that stays open.
    pub(super) fn ends_within(&mut self, position: &Position, plies: i32) -> Option<bool> {
        let dtz = self.distance(position)?;
        self.comes_within(position, dtz, plies)
    }

    fn comes_within(&mut self, position: &Position, dtz: Dtz, plies: i32) -> Option<bool> {
        let (least, most) = dtz.range();
        if most <= plies || least > plies {
            return Some(most <= plies);
        }
        let question = (position.key(), plies);
        if let Some(&known) = self.known.get(&question) {
            return Some(known);
        }
        // One move is enough to win, all moves have to lose.
        let (result_after, decisive) = if dtz.plies > 0 { (Wdl::Loss, true) } else { (Wdl::Win, false) };
        let mut is_open = false;
        for mv in position.legal_moves() {
            match self.leads_within(&position.after(mv), result_after, plies) {
                Some(answer) if answer == decisive => {
                    self.known.insert(question, decisive);
                    return Some(decisive);
                }
                Some(_) => {}
                None => is_open = true,
            }
        }
        if is_open {
            return None;
        }
        self.known.insert(question, !decisive);
        Some(!decisive)
    }

    /// Whether a move to a position ends the count, or leads to where it ends within so many plies, with this result
    /// for the side to move there.
    fn leads_within(&mut self, child: &Position, result: Wdl, plies: i32) -> Option<bool> {
        if !child.has_legal_move() {
            return Some(child.in_check() && plies >= 1);
        }
        if child.halfmove_clock() == 0 {
            self.spend()?;
            return Some(self.tables.probe_wdl(child)? == result && plies >= 1);
        }
        let dtz = self.distance(child)?;
        match dtz.plies.signum() == if result == Wdl::Win { 1 } else { -1 } {
            true => self.comes_within(child, dtz, plies - 1),
            false => Some(false),
        }
    }

    fn distance(&mut self, position: &Position) -> Option<Dtz> {
        self.spend()?;
        self.tables.probe_dtz(position)
    }

    /// `None` when enough was looked up.
    fn spend(&mut self) -> Option<()> {
        self.lookups += 1;
        (self.lookups <= LOOKUPS && (self.has_time)()).then_some(())
    }
}
