//! Quiescence: captures are played out until the evaluation can be trusted (CPW: "Quiescence Search").

use super::history::{QuietContext, gain};
use super::node::{NodeKind, Window};
use super::picker::MovePicker;
use super::searcher::{SearchJob, Searcher};
use crate::board::Position;
use crate::tt::{Bound, TtEntry};
use crate::types::{Move, Score};

impl Searcher {
    /// Searches captures and queen promotions, or all evasions in check. The side to move may stop at
    /// any time with the static evaluation ("stand pat"), except in check.
    pub(super) fn quiescence<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        window: Window,
        ply: usize,
    ) -> Score {
        self.pv.clear(ply);
        self.enter_node(job, ply);
        if self.stopped {
            return Score::DRAW;
        }
        let Window { mut alpha, mut beta } = window;
        if let Some(score) = self.decided(position, ply, &mut alpha, &mut beta) {
            return score;
        }
        let in_check = position.in_check();
        let known = job.tt.probe(position.key(), ply, position.halfmove_clock());
        if let Some(entry) = known
            && !K::PV
            && Self::table_cutoff(position, &entry, Window::new(alpha, beta))
        {
            return entry.score;
        }

        let old_alpha = alpha;
        let mut best_score = -Score::INFINITE;
        let mut best_move = None;
        let raw_eval = self.raw_eval(job, position, known, ply);
        let stand_pat = raw_eval.map(|raw| self.stand_pat(position, known, raw, ply));
        if let Some(score) = stand_pat {
            if score >= beta {
                return if score.is_decisive() { score } else { Score((score.0 + beta.0) / 2) };
            }
            best_score = score;
            alpha = alpha.max(score);
        }

        let p = self.params();
        let tt_move = known.and_then(|entry| entry.mv);
        let (mut picker, context) = if in_check {
            (MovePicker::new(position, tt_move), QuietContext::new(position, self.stack.cont_keys(ply)))
        } else {
            (MovePicker::noisy(position, tt_move, p.qs_see), QuietContext::unused(position))
        };
        let last_to = self.stack.before(ply, 1).mv.map(Move::to);
        let mut any = false;
        let mut searched = 0;
        while let Some(mv) = picker.next(position, &p, &self.histories, &context) {
            any = true;
            job.tt.prefetch(position.likely_key_after(mv));
            if !best_score.is_loss() {
                if let Some(stand_pat) = stand_pat {
                    // When the best captures have not helped, only recaptures still might.
                    if searched >= p.qs_moves && Some(mv.to()) != last_to && mv.promotion().is_none() {
                        continue;
                    }
                    // Even winning the victim outright would not reach alpha (CPW: "Delta Pruning").
                    let ceiling = stand_pat + gain(position, mv) + p.qs_futility;
                    if ceiling <= alpha {
                        best_score = best_score.max(ceiling);
                        continue;
                    }
                } else if mv.is_quiet() {
                    // One safe evasion is known; quiet ones are no longer needed.
                    picker.skip_quiets();
                    continue;
                } else if !position.see(mv, 0) {
                    continue;
                }
            }

            searched += 1;
            let child = self.enter_move(position, ply, mv, 0);
            let score = -self.quiescence::<K>(job, &child, Window::new(alpha, beta).flipped(), ply + 1);
            self.leave_move();
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
        if !any && self.has_no_move(position) {
            return Searcher::no_move_score(in_check, ply);
        }

        let bound = match best_score {
            score if score >= beta => Bound::Lower,
            score if score > old_alpha && K::PV => Bound::Exact,
            _ => Bound::Upper,
        };
        let was_pv = known.is_some_and(|entry| entry.was_pv);
        let entry = TtEntry { mv: best_move, score: best_score, eval: raw_eval, depth: 0, bound, was_pv };
        job.tt.store(position.key(), ply, entry);
        best_score
    }

    /// Whether, no move having been found worth trying, there is none at all. Without a check it is asked
    /// only of a king with pawns, since stalemates with pieces are too rare to pay for.
    #[inline(always)]
    fn has_no_move(&self, position: &Position) -> bool {
        position.in_check() || !position.has_pieces(position.stm()) && !position.has_legal_move()
    }

    /// The score of playing no capture: the corrected evaluation, bettered by the table where it knows.
    #[inline(always)]
    fn stand_pat(&self, position: &Position, known: Option<TtEntry>, raw: Score, ply: usize) -> Score {
        let correction = self.histories.correction.get(&self.params(), position, self.stack.last_two(ply));
        let static_eval = self.corrected(position, raw, correction);
        match known.filter(|_| Self::table_scores_hold(position)) {
            Some(entry) if entry.score.is_decisive() => static_eval,
            Some(entry) if entry.score > static_eval && entry.bound.is_lower() => entry.score,
            Some(entry) if entry.score < static_eval && entry.bound.is_upper() => entry.score,
            _ => static_eval,
        }
    }
}
