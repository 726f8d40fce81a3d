//! The static evaluation of a node and what follows from it.

use super::node::Node;
use super::thread::Thread;
use crate::board::Position;
use crate::eval::bounded;
use crate::tt::{Bound, TtEntry};
use crate::types::Score;

/// The evaluation faded out towards the fifty-move draw and corrected by what searches have found.
#[inline(always)]
fn corrected(position: &Position, raw: Score, correction: i32) -> Score {
    let clock = i32::from(position.halfmove_clock()).min(100);
    bounded(position, Score(raw.0 * (200 - clock) / 200 + correction).clamp_eval())
}

/// The evaluation, replaced by a table score where that says more: one that is a bound on the right side.
///
/// - Technique: [Table score as evaluation](https://www.chessprogramming.org/Transposition_Table)
/// - Assumes: a bound found by any search is nearer the truth than an evaluation
/// - Units: internal units
/// - Elo: not measured alone
fn adjusted_by_tt(static_eval: Score, entry: Option<TtEntry>) -> Score {
    match entry {
        Some(entry) if entry.score.is_decisive() => static_eval,
        Some(entry) if entry.score > static_eval && entry.bound.is_lower() => entry.score,
        Some(entry) if entry.score <= static_eval && entry.bound.is_upper() => entry.score,
        _ => static_eval,
    }
}

/// Whether the side to move stands better than at its last move, or at the one before where it was in check then.
///
/// - Technique: [Improving](https://www.chessprogramming.org/Improving)
/// - Assumes: a side whose evaluation rises is more likely to fail high
/// - Units: yes or no; each margin has its own term
/// - Elo: not measured alone; in the first search. With beta as a second limit: see reverse futility pruning
#[inline(always)]
fn is_improving(now: Option<Score>, two_plies_ago: Option<Score>, four_plies_ago: Option<Score>) -> bool {
    match (now, two_plies_ago.or(four_plies_ago)) {
        (Some(now), Some(before)) => now > before,
        (now, _) => now.is_some(),
    }
}

impl Thread<'_> {
    /// The evaluation, from the table where known; `None` in check. What had to be computed is stored at
    /// once, since many nodes end before they have a score.
    pub(super) fn raw_eval(&mut self, node: &Node) -> Option<Score> {
        if node.in_check {
            return None;
        }
        if let Some(eval) = node.tt_entry.and_then(|entry| entry.eval) {
            return Some(eval);
        }
        let raw = self.evaluator.evaluate(node.position);
        if self.sample.is_some() {
            self.offer_to_sample(node, raw);
        }
        let eval = Some(raw);
        if node.tt_entry.is_none() {
            let score = Score::DRAW;
            let entry = TtEntry { mv: None, score, eval, depth: 0, bound: Bound::None, was_pv: false };
            self.tt.store(node.position.key(), node.ply, entry);
        }
        eval
    }

    /// Lets the sample have a look at a node.
    #[cold]
    #[inline(never)]
    fn offer_to_sample(&mut self, node: &Node, raw: Score) {
        if let Some(sample) = &mut self.sample {
            let outside = (raw - node.beta).max(node.alpha - raw);
            sample.offer(node.position, raw, outside, self.path.moves());
        }
    }

    /// Evaluates a node and writes the result into it and into the path. A node that is searched again without one
    /// of its moves keeps the evaluation that it has.
    pub(super) fn evaluate_node(&mut self, node: &mut Node, pv: bool) {
        if node.excluded.is_none() {
            let raw = self.raw_eval(node);
            let here = self.path.here_mut();
            here.raw_eval = raw;
            here.tt_pv = pv || node.tt_entry.is_some_and(|entry| entry.was_pv);
        }
        let raw = self.path.here().raw_eval;
        let correction = self.histories.correction.get(self.params(), node.position, self.path.last_two());
        let now = raw.map(|raw| corrected(node.position, raw, correction));
        self.path.here_mut().static_eval = now;
        node.correction = correction.abs();
        node.tt_pv = self.path.here().tt_pv;
        let before = |back| self.path.before(back).static_eval;
        node.improving = is_improving(now, before(2), before(4)) || now.is_some_and(|eval| eval >= node.beta);
        node.opponent_worsening = matches!((now, before(1)), (Some(now), Some(before)) if now > -before);
        if let Some(static_eval) = now {
            node.static_eval = static_eval;
            node.eval = adjusted_by_tt(static_eval, node.tt_entry.filter(|_| node.trusts_tt_scores()));
        }
    }

    /// The score of playing no capture in quiescence: the corrected evaluation, replaced by a table score where that says more.
    #[inline(always)]
    pub(super) fn stand_pat(&self, node: &Node, raw: Score) -> Score {
        let correction = self.histories.correction.get(self.params(), node.position, self.path.last_two());
        let static_eval = corrected(node.position, raw, correction);
        adjusted_by_tt(static_eval, node.tt_entry.filter(|_| node.trusts_tt_scores()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples::{MIDDLEGAME, entry, mv, node, position, with_thread};
    use crate::types::Score;

    #[test]
    fn evaluations_fade_towards_fifty_moves_and_stay_evaluations() {
        let at = |clock| position(&format!("r3k3/8/8/8/8/8/8/R3K3 w - - {clock} 99"));
        assert_eq!(corrected(&at(0), Score(100), 0), Score(100));
        assert_eq!(corrected(&at(0), Score(100), -7), Score(93));
        for clock in 0..100 {
            assert!(corrected(&at(clock + 1), Score(1000), 0) < corrected(&at(clock), Score(1000), 0));
            assert!(corrected(&at(clock + 1), Score(-1000), 0) > corrected(&at(clock), Score(-1000), 0));
        }
        assert_eq!(corrected(&at(0), Score::MAX_EVAL, 500), Score::MAX_EVAL);
        assert_eq!(corrected(&at(0), -Score::MAX_EVAL, -500), -Score::MAX_EVAL);
    }

    #[test]
    fn a_table_score_replaces_an_evaluation_on_the_right_side_only() {
        for (score, bound, expected) in [
            (50, Bound::Lower, 50),
            (50, Bound::Exact, 50),
            (50, Bound::Upper, 10),
            (-50, Bound::Upper, -50),
            (-50, Bound::Exact, -50),
            (-50, Bound::Lower, 10),
            (50, Bound::None, 10),
            (Score::mate_in(8).0, Bound::Lower, 10),
            (Score::mated_in(8).0, Bound::Upper, 10),
            (Score::tablebase_win(8).0, Bound::Exact, 10),
        ] {
            let found = adjusted_by_tt(Score(10), Some(entry(None, score, 5, bound)));
            assert_eq!(found, Score(expected), "{score} {bound:?}");
        }
        assert_eq!(adjusted_by_tt(Score(10), None), Score(10));
    }

    #[test]
    fn improving_compares_with_the_last_evaluation_of_the_same_side() {
        let improving = |a: Option<i32>, b: Option<i32>, c: Option<i32>| {
            is_improving(a.map(Score), b.map(Score), c.map(Score))
        };
        assert!(improving(Some(1), Some(0), None) && !improving(Some(0), Some(0), None));
        assert!(improving(Some(1), None, Some(0)) && !improving(Some(1), None, Some(2)));
        assert!(improving(Some(1), Some(0), Some(2)));
        assert!(improving(Some(-500), None, None) && !improving(None, Some(0), Some(0)));
    }

    #[test]
    fn table_scores_are_not_trusted_near_fifty_moves() {
        for (clock, trusted) in [(0, true), (89, true), (90, false), (99, false)] {
            let position = position(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - {clock} 99"));
            let lower = Some(entry(None, 50, 9, Bound::Lower));
            let node = Node { tt_entry: lower, ..node(&position, 3) };
            assert_eq!(node.trusts_tt_scores(), trusted, "{clock}");
            assert_eq!(node.tt_cutoff(), trusted.then_some(Score(50)), "{clock}");
            with_thread(&position.to_string(), |thread| {
                let eval = thread.stand_pat(&node, Score(0));
                assert_eq!(eval, Score(if trusted { 50 } else { 0 }), "{clock}");
            });
        }
    }

    #[test]
    fn a_node_is_evaluated_once() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            let mut first = Node { ply: 0, ..node(&position, 5) };
            thread.evaluate_node(&mut first, false);
            let raw = thread.path.here().raw_eval.expect("not in check");
            assert_eq!(first.static_eval, corrected(&position, raw, 0));
            assert!(first.improving && !first.opponent_worsening && !first.tt_pv);
            // It went into the table, from where it comes the next time.
            let known = thread.tt.probe(position.key(), 0, 0).expect("just stored");
            assert_eq!((known.eval, known.bound, known.mv), (Some(raw), Bound::None, None));
            let odd = TtEntry { eval: Some(raw + 5), was_pv: true, ..known };
            let mut second = Node { tt_entry: Some(odd), ..first };
            thread.evaluate_node(&mut second, false);
            assert_eq!(second.static_eval, corrected(&position, raw + 5, 0));
            assert!(second.tt_pv, "it once was on a principal variation");
            // A test without one of the moves keeps all of it.
            let mut third = Node { excluded: Some(mv(&position, "e5d4")), ..first };
            thread.evaluate_node(&mut third, false);
            assert_eq!((third.static_eval, third.tt_pv), (second.static_eval, true));
        });
    }

    #[test]
    fn corrections_move_the_evaluation() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            let mut node = Node { ply: 0, ..node(&position, 5) };
            thread.evaluate_node(&mut node, false);
            let before = node.static_eval;
            for _ in 0..10 {
                thread.histories.correction.update(&position, thread.path.last_two(), 10, 200);
            }
            thread.evaluate_node(&mut node, false);
            assert!(node.static_eval > before && node.correction == node.static_eval - before);
        });
    }
}
