//! The staged move picker: moves come best first, and are generated only when asked for.
//!
//! ```text
//! table move | good noisy moves | quiet moves by history | noisy moves that lose material
//! ```
//! Noisy moves are sorted by victim and capture history, quiet moves by the sum of their histories
//! A selection sort takes one move at a time, since most nodes need few.

use arrayvec::ArrayVec;

use super::history::{Histories, QuietContext, victim_value};
use super::params::Params;
use crate::board::Position;
use crate::types::{MAX_MOVES, Move, MoveList};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Which moves are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    All,
    /// Noisy moves whose exchange result reaches this, in internal units.
    Noisy(i32),
}

/// Hands out the moves of a position.
///
/// - Technique: [Move ordering](https://www.chessprogramming.org/Move_Ordering)
/// - Assumes: the better the first move, the fewer nodes
/// - Units: order scores; a noisy move may lose a `good_noisy_divisor`th of its score by exchange and still
///   come early
/// - Elo: not measured alone; in bundle B
pub(super) struct MovePicker {
    stage: Stage,
    want: Want,
    tt_move: Option<Move>,
    moves: MoveList,
    scores: ArrayVec<i32, MAX_MOVES>,
    next: usize,
    bad_noisy: ArrayVec<Move, MAX_MOVES>,
    next_bad: usize,
    skip_quiets: bool,
}

impl MovePicker {
    /// All moves. The table move is checked for legality here.
    pub(super) fn new(position: &Position, tt_move: Option<Move>) -> MovePicker {
        MovePicker::with(tt_move.filter(|&mv| position.is_legal(mv)), Want::All)
    }

    /// Noisy moves whose exchange result reaches `threshold` internal units.
    pub(super) fn noisy(position: &Position, tt_move: Option<Move>, threshold: i32) -> MovePicker {
        let usable = |mv: &Move| mv.is_noisy() && position.is_legal(*mv) && position.see(*mv, threshold);
        MovePicker::with(tt_move.filter(usable), Want::Noisy(threshold))
    }

    fn with(tt_move: Option<Move>, want: Want) -> MovePicker {
        MovePicker {
            stage: Stage::TableMove,
            want,
            tt_move,
            moves: MoveList::new(),
            scores: ArrayVec::new(),
            next: 0,
            bad_noisy: ArrayVec::new(),
            next_bad: 0,
            skip_quiets: false,
        }
    }

    /// Leaves the quiet moves out from now on.
    pub(super) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move, best first. `context` serves to sort them.
    pub(super) fn next(
        &mut self,
        position: &Position,
        p: &Params,
        histories: &Histories,
        context: &QuietContext,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateNoisy;
                    if self.tt_move.is_some() {
                        return self.tt_move;
                    }
                }
                Stage::GenerateNoisy => {
                    self.generate_noisy(position, p, histories, context);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => {
                    if let Some((mv, score)) = self.pick_best() {
                        if self.is_good(position, p, mv, score) {
                            return Some(mv);
                        }
                    } else {
                        self.stage = if self.want == Want::All { Stage::GenerateQuiet } else { Stage::Done };
                    }
                }
                Stage::GenerateQuiet => {
                    self.moves.clear();
                    self.scores.clear();
                    self.next = 0;
                    if !self.skip_quiets {
                        self.generate_quiets(position, p, histories, context);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.pick_best() {
                    Some((mv, _)) if !self.skip_quiets => {
                        if Some(mv) != self.tt_move {
                            return Some(mv);
                        }
                    }
                    _ => self.stage = Stage::BadNoisy,
                },
                Stage::BadNoisy => {
                    let mv = self.bad_noisy.get(self.next_bad).copied();
                    self.next_bad += 1;
                    if mv.is_none() {
                        self.stage = Stage::Done;
                    }
                    return mv;
                }
                Stage::Done => return None,
            }
        }
    }

    // Generation stays out of line: inlined, its many registers are saved at every call of `next`, most of
    // which take one more move from the list.
    #[inline(never)]
    fn generate_noisy(
        &mut self,
        position: &Position,
        p: &Params,
        histories: &Histories,
        context: &QuietContext,
    ) {
        position.generate_noisy(&mut self.moves);
        // Victim's and promotion's worth, corrected by what captures like this have done before.
        let score = |&mv: &Move| {
            let history = histories.capture.get(position, context.threats(), mv);
            victim_value(position, mv) + history / p.noisy_order_history
        };
        self.scores.extend(self.moves.iter().map(score));
    }

    #[inline(never)]
    fn generate_quiets(
        &mut self,
        position: &Position,
        p: &Params,
        histories: &Histories,
        context: &QuietContext,
    ) {
        position.generate_quiet(&mut self.moves);
        let score = histories.quiet_scorer(position, p, context);
        self.scores.extend(self.moves.iter().map(|&mv| score(mv)));
    }

    /// Whether a noisy move comes in the first batch; otherwise it is kept for the end.
    fn is_good(&mut self, position: &Position, p: &Params, mv: Move, score: i32) -> bool {
        if Some(mv) == self.tt_move {
            return false;
        }
        match self.want {
            Want::Noisy(threshold) => position.see(mv, threshold),
            Want::All => {
                let good = position.see(mv, -score / p.good_noisy_divisor);
                if !good {
                    self.bad_noisy.push(mv);
                }
                good
            }
        }
    }

    /// One step of a selection sort. Score and place are compared as one number, without branches that
    /// no processor could predict; among equals the earlier one is taken.
    fn pick_best(&mut self) -> Option<(Move, i32)> {
        let rest = self.scores.get(self.next..)?;
        let key = |(place, &score): (usize, &i32)| i64::from(score) << 16 | (0xFFFF - place as i64);
        let best = rest.iter().enumerate().map(key).max()?;
        let best = self.next + (0xFFFF - (best & 0xFFFF)) as usize;
        let (mv, score) = (*self.moves.get(best)?, *self.scores.get(best)?);
        self.moves.swap(best, self.next);
        self.scores.swap(best, self.next);
        self.next += 1;
        Some((mv, score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::perft;
    use crate::search::thread::Searcher;

    /// Checks that the picker hands out each legal move once, below every move to this depth.
    fn check(searcher: &Searcher, position: &Position, depth: u32) -> u64 {
        let mut ordered: Vec<u16> = searcher.move_order(position).iter().map(|mv| mv.bits()).collect();
        let mut legal: Vec<u16> = position.legal_moves().iter().map(|mv| mv.bits()).collect();
        ordered.sort_unstable();
        legal.sort_unstable();
        assert_eq!(ordered, legal, "{position}");
        if depth <= 1 {
            return legal.len() as u64;
        }
        position.legal_moves().iter().map(|&mv| check(searcher, &position.after(mv), depth - 1)).sum()
    }

    #[test]
    fn every_legal_move_comes_once() {
        let searcher = Searcher::new(0);
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let position: Position = fen.parse().unwrap();
            assert_eq!(check(&searcher, &position, 3), perft(&position, 3));
        }
    }
}
