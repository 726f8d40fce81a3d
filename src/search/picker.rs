//! The staged move picker: moves come best first, and are generated only when asked for.
//!
//! ```text
//! table move | good captures by victim and attacker | killers, counter move | quiets by history | bad captures
//! ```
//! (CPW: "Move Ordering", "MVV-LVA", "Killer Heuristic", "Countermove Heuristic".)

use arrayvec::ArrayVec;

use super::history::Histories;
use crate::board::{Position, SEE_VALUES};
use crate::types::{MAX_MOVES, Move, MoveList, PieceType};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    Refutations,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Hands out the moves of a position.
pub(super) struct MovePicker {
    stage: Stage,
    tt_move: Option<Move>,
    /// Killers and counter move, legal quiet moves without repetition.
    refutations: [Option<Move>; 3],
    next_refutation: usize,
    moves: MoveList,
    scores: ArrayVec<i32, MAX_MOVES>,
    next: usize,
    bad_noisy: MoveList,
    next_bad: usize,
    noisy_only: bool,
    skip_quiets: bool,
}

impl MovePicker {
    /// All moves, for the main search. Moves from tables are checked for legality here.
    pub(super) fn new(
        position: &Position,
        tt_move: Option<Move>,
        refutations: [Option<Move>; 3],
    ) -> MovePicker {
        let tt_move = tt_move.filter(|&mv| position.is_legal(mv));
        let [first, mut second, mut third] = refutations;
        if second == first {
            second = None;
        }
        if third == first || third == second {
            third = None;
        }
        let usable = |mv: &Move| mv.is_quiet() && Some(*mv) != tt_move && position.is_legal(*mv);
        let refutations = [first, second, third].map(|mv| mv.filter(usable));
        MovePicker::with(tt_move, refutations, false)
    }

    /// Captures and queen promotions only, for quiescence.
    pub(super) fn noisy_only(position: &Position, tt_move: Option<Move>) -> MovePicker {
        let tt_move = tt_move.filter(|&mv| mv.is_noisy() && position.is_legal(mv));
        MovePicker::with(tt_move, [None; 3], true)
    }

    fn with(tt_move: Option<Move>, refutations: [Option<Move>; 3], noisy_only: bool) -> MovePicker {
        MovePicker {
            stage: Stage::TableMove,
            tt_move,
            refutations,
            next_refutation: 0,
            moves: MoveList::new(),
            scores: ArrayVec::new(),
            next: 0,
            bad_noisy: MoveList::new(),
            next_bad: 0,
            noisy_only,
            skip_quiets: false,
        }
    }

    /// Leaves the quiet moves out from now on.
    pub(super) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move, best first.
    pub(super) fn next(&mut self, position: &Position, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateNoisy;
                    if self.tt_move.is_some() {
                        return self.tt_move;
                    }
                }
                Stage::GenerateNoisy => {
                    position.generate_noisy(&mut self.moves);
                    self.scores.extend(self.moves.iter().map(|&mv| noisy_score(position, mv)));
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.pick_best() {
                    Some(mv) if Some(mv) == self.tt_move => {}
                    Some(mv) if self.noisy_only || position.see(mv, 0) => return Some(mv),
                    Some(mv) => self.bad_noisy.push(mv),
                    None if self.noisy_only => self.stage = Stage::Done,
                    None => self.stage = Stage::Refutations,
                },
                Stage::Refutations => match self.refutations.get(self.next_refutation) {
                    Some(&mv) if !self.skip_quiets => {
                        self.next_refutation += 1;
                        if mv.is_some() {
                            return mv;
                        }
                    }
                    _ => self.stage = Stage::GenerateQuiet,
                },
                Stage::GenerateQuiet => {
                    if self.skip_quiets {
                        self.stage = Stage::BadNoisy;
                        continue;
                    }
                    self.moves.clear();
                    self.scores.clear();
                    self.next = 0;
                    position.generate_quiet(&mut self.moves);
                    let color = position.stm();
                    self.scores.extend(self.moves.iter().map(|&mv| histories.quiet(color, mv)));
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if self.skip_quiets {
                        self.stage = Stage::BadNoisy;
                        continue;
                    }
                    match self.pick_best() {
                        Some(mv) if Some(mv) == self.tt_move || self.refutations.contains(&Some(mv)) => {}
                        Some(mv) => return Some(mv),
                        None => self.stage = Stage::BadNoisy,
                    }
                }
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

    /// One step of a selection sort: most nodes need only the first few moves.
    #[inline(always)]
    fn pick_best(&mut self) -> Option<Move> {
        let rest = self.scores.get(self.next..)?;
        let mut best = 0;
        for (index, score) in rest.iter().enumerate().skip(1) {
            if *score > rest[best] {
                best = index;
            }
        }
        let best = self.next + best;
        let mv = *self.moves.get(best)?;
        self.moves.swap(best, self.next);
        self.scores.swap(best, self.next);
        self.next += 1;
        Some(mv)
    }
}

/// Most valuable victim first, among equals the least valuable attacker.
#[inline(always)]
fn noisy_score(position: &Position, mv: Move) -> i32 {
    let victim = match position.piece_on(mv.to()) {
        Some(piece) => piece.kind(),
        // En passant, or a promotion to an empty square, whose gain is added below.
        None if mv.is_capture() => PieceType::Pawn,
        None => PieceType::King,
    };
    let attacker = position.piece_on(mv.from()).map_or(0, |piece| piece.kind().index() as i32);
    let promotion = mv.promotion().map_or(0, |piece| SEE_VALUES[piece.index()] - SEE_VALUES[0]);
    (SEE_VALUES[victim.index()] + promotion) * 16 - attacker
}
