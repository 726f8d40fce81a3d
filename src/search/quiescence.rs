//! Quiescence: captures are played out until the evaluation can be trusted (CPW: "Quiescence Search").

use super::node::NodeKind;
use super::params::QS_FUTILITY_MARGIN;
use super::picker::MovePicker;
use super::searcher::{SearchJob, Searcher};
use crate::board::{Position, SEE_VALUES};
use crate::eval::evaluate;
use crate::tt::{Bound, TtEntry};
use crate::types::{Move, Score};

impl Searcher {
    /// Searches captures and queen promotions, or all evasions in check. The side to move may stop at
    /// any time with the static evaluation ("stand pat"), except in check.
    pub(super) fn quiescence<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        mut alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        self.pv.clear(ply);
        self.enter_node(job, ply);
        if self.stopped || self.is_draw(position, ply) {
            return Score::DRAW;
        }
        let in_check = position.in_check();
        if Searcher::at_max_ply(ply) {
            return if in_check { Score::DRAW } else { evaluate(position) };
        }

        let known = job.tt.probe(position.key(), ply);
        if let Some(entry) = known
            && !K::PV
            && Self::table_cutoff(position, &entry, alpha, beta)
        {
            return entry.score;
        }

        let old_alpha = alpha;
        let mut best_score = -Score::INFINITE;
        let mut best_move = None;
        let mut eval = None;
        if !in_check {
            let stand_pat = known.and_then(|entry| entry.eval).unwrap_or_else(|| evaluate(position));
            eval = Some(stand_pat);
            if stand_pat >= beta {
                return stand_pat;
            }
            best_score = stand_pat;
            alpha = alpha.max(stand_pat);
        }

        let tt_move = known.and_then(|entry| entry.mv);
        let mut picker = if in_check {
            MovePicker::new(position, tt_move, [None; 3])
        } else {
            MovePicker::noisy_only(position, tt_move)
        };
        let mut any = false;
        while let Some(mv) = picker.next(position, &self.histories) {
            any = true;
            if !best_score.is_loss() {
                if let Some(stand_pat) = eval {
                    // Even winning the victim outright would not reach alpha (CPW: "Delta Pruning").
                    let ceiling = stand_pat + gain(position, mv) + QS_FUTILITY_MARGIN;
                    if ceiling <= alpha {
                        best_score = best_score.max(ceiling);
                        continue;
                    }
                } else if mv.is_quiet() {
                    // One safe evasion is known; quiet ones are no longer needed.
                    picker.skip_quiets();
                    continue;
                }
                if !position.see(mv, 0) {
                    continue;
                }
            }

            let child = position.after(mv);
            job.tt.prefetch(child.key());
            self.stack[ply].mv = Some(mv);
            self.stack[ply].piece = position.piece_on(mv.from());
            self.keys.push(position.key());
            let score = -self.quiescence::<K>(job, &child, -beta, -alpha, ply + 1);
            self.keys.pop();
            if self.stopped {
                return Score::DRAW;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if K::PV {
                        self.pv.extend(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && !any {
            return Score::mated_in(ply);
        }

        let bound = match best_score {
            score if score >= beta => Bound::Lower,
            score if score > old_alpha && K::PV => Bound::Exact,
            _ => Bound::Upper,
        };
        let was_pv = known.is_some_and(|entry| entry.was_pv);
        let entry = TtEntry { mv: best_move, score: best_score, eval, depth: 0, bound, was_pv };
        job.tt.store(position.key(), ply, entry);
        best_score
    }
}

/// The material a noisy move wins if nothing takes back.
#[inline(always)]
fn gain(position: &Position, mv: Move) -> i32 {
    let victim = match position.piece_on(mv.to()) {
        Some(piece) => SEE_VALUES[piece.kind().index()],
        None if mv.is_capture() => SEE_VALUES[0],
        None => 0,
    };
    victim + mv.promotion().map_or(0, |piece| SEE_VALUES[piece.index()] - SEE_VALUES[0])
}
