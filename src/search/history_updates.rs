//! What a node teaches the histories.

use super::history::QuietContext;
use super::node::{Best, Node, SearchedMoves};
use super::params::Params;
use super::thread::Thread;
use crate::types::{Depth, Move, Score};

/// History bonus of a success at this depth.
#[inline(always)]
fn bonus(depth: Depth, p: &Params) -> i32 {
    (p.bonus_depth * depth - p.bonus_offset).min(p.bonus_max)
}

/// What a failure at this depth takes off.
#[inline(always)]
fn malus(depth: Depth, p: &Params) -> i32 {
    (p.malus_depth * depth - p.malus_offset).min(p.malus_max)
}

/// Whether the result is one that was not expected: it lies well above beta, or the evaluation said that no move would
/// raise alpha. Then it teaches more.
#[inline(always)]
fn is_surprise(node: &Node, score: Score, p: &Params) -> bool {
    score >= node.beta + p.surprise_margin || !node.in_check && node.static_eval <= node.alpha
}

/// The malus of the quiet move searched after `earlier` others: the later it came the less was expected of it.
#[inline(always)]
fn faded(malus: i32, earlier: usize, p: &Params) -> i32 {
    malus * (1024 - p.malus_fade * earlier.min(16) as i32) / 1024
}

/// Last number of a move that is blamed for being refuted by a search.
const REFUTED_EARLY: usize = 2;

/// Number of a move from which on it came late.
const LATE: usize = 6;

/// Whether a result says something about the evaluation: it must not be one that a capture explains or a bound on
/// the side where the evaluation lies.
fn corrects_evaluation(node: &Node, best: &Best) -> bool {
    let fits = match best.mv {
        Some(mv) => mv.is_quiet() && !(best.score >= node.beta && best.score <= node.static_eval),
        None => best.score < node.static_eval,
    };
    fits && !node.in_check && !best.score.is_decisive() && node.excluded.is_none()
}

impl Thread<'_> {
    /// Rewards a move that caused a cutoff or was best, blames those searched before it, and corrects the
    /// evaluation.
    ///
    /// - Technique: [History updates](https://www.chessprogramming.org/History_Heuristic)
    /// - Assumes: what was best in one node is worth an early look in others
    /// - Units: history score: `bonus_depth` and `malus_depth` per ply, up to `bonus_max` and `malus_max`
    /// - Elo: not measured alone; in the first search
    pub(super) fn update_histories(
        &mut self,
        node: &Node,
        context: &QuietContext,
        best: &Best,
        searched: &SearchedMoves,
    ) {
        match best.mv {
            Some(mv) => self.update_move_histories(node, context, (mv, best.score), searched),
            None => self.reward_last_move(node, best.score),
        }
        if corrects_evaluation(node, best) {
            let error = best.score - node.static_eval;
            let last_two = self.path.last_two();
            self.histories.correction.update(node.position, last_two, node.depth, error);
        }
    }

    fn update_move_histories(
        &mut self,
        node: &Node,
        context: &QuietContext,
        (mv, score): (Move, Score),
        searched: &SearchedMoves,
    ) {
        let p = self.params();
        let depth = node.depth + Depth::from(is_surprise(node, score, p));
        let (bonus, malus) = (bonus(depth, p), malus(depth, p));
        let position = node.position;
        if mv.is_quiet() {
            if let Some(piece) = position.piece_on(mv.from()) {
                self.histories.update_quiet(context, piece, mv, bonus);
            }
            for (number, &other) in searched.quiet.iter().enumerate().filter(|&(_, &other)| other != mv) {
                if let Some(piece) = position.piece_on(other.from()) {
                    self.histories.update_quiet(context, piece, other, -faded(malus, number, p));
                }
            }
        } else {
            self.histories.capture.update(position, context.threats(), mv, bonus);
        }
        for &other in searched.noisy.iter().filter(|&&other| other != mv) {
            self.histories.capture.update(position, context.threats(), other, -malus);
        }
        if score >= node.beta && node.ply > 0 {
            self.blame_last_move(malus * p.refuted_malus / 1024, REFUTED_EARLY);
        }
    }

    /// Takes this off the continuations of the quiet move that led here if it came no later than `number` in the order
    /// of its node: a late one is known to be bad. Not for the root.
    fn blame_last_move(&mut self, malus: i32, number: usize) {
        let last = *self.path.before(1);
        if last.number <= number && last.mv.is_some_and(Move::is_quiet) {
            let before = self.cont_keys_before_last();
            self.histories.continuation.update_all(&before, last.cont_key, -malus);
        }
    }

    /// No move helped here, so the quiet move that led here was a good one.
    ///
    /// - Technique: [Fail-low bonus](https://www.chessprogramming.org/History_Heuristic)
    /// - Assumes: a move after which all replies fail low was good
    /// - Units: `fail_low_bonus` and `fail_low_main` 1024ths of the bonus
    /// - Elo: not measured alone; butterfly and pawn tables in bundle B
    fn reward_last_move(&mut self, node: &Node, score: Score) {
        let last = *self.path.before(1);
        if let Some(mv) = last.mv.filter(|mv| mv.is_quiet() && node.ply > 0) {
            let p = self.params();
            // More for a move of which less was expected.
            let mut scale = 1024;
            scale += p.fail_low_late * i32::from(last.number >= LATE);
            scale += p.fail_low_eval * i32::from(!node.in_check && score <= node.static_eval - 25);
            scale += p.fail_low_before * i32::from(last.static_eval.is_some_and(|eval| score <= -eval - 20));
            let bonus = bonus(node.depth, p) * scale / 1024;
            let before = self.cont_keys_before_last();
            self.histories.continuation.update_all(&before, last.cont_key, bonus * p.fail_low_bonus / 1024);
            self.histories.update_main(last.history_key, last.cont_key, mv, bonus * p.fail_low_main / 1024);
        }
    }

    /// The opponent's quiet move was good if its evaluation rose by it, bad if it fell.
    ///
    /// - Technique: [Evaluation history](https://www.chessprogramming.org/History_Heuristic)
    /// - Assumes: the change of the evaluation tells about a move before any search does
    /// - Units: `eval_history` of history score per internal unit, up to `eval_history_max`
    /// - Elo: not measured alone; in bundle B
    pub(super) fn update_eval_history(&mut self, node: &Node) {
        let last = *self.path.before(1);
        let Some(before) = last.static_eval.filter(|_| !node.in_check) else { return };
        let Some(mv) = last.mv.filter(|mv| mv.is_quiet()) else { return };
        let p = self.params();
        let rise = -(node.static_eval + before.0).0;
        let bonus = (rise * p.eval_history).clamp(-p.eval_history_max, p.eval_history_max);
        self.histories.update_main(last.history_key, last.cont_key, mv, bonus);
    }

    /// A quiet table move that causes a cutoff is rewarded as if it had been searched, and the quiet move that
    /// allowed it blamed.
    ///
    /// - Technique: [History of table cutoffs](https://www.chessprogramming.org/History_Heuristic)
    /// - Assumes: a cutoff by the table tells as much as one by a search
    /// - Units: the bonus of the depth, `tt_malus` 1024ths of the malus
    /// - Elo: not measured alone; the malus in bundle B
    pub(super) fn reward_tt_cutoff(&mut self, node: &Node, score: Score) {
        let mv = node.tt_entry.and_then(|entry| entry.mv).filter(|_| score >= node.beta);
        if let Some(mv) = mv.filter(|mv| mv.is_quiet() && node.position.is_legal(*mv))
            && let Some(piece) = node.position.piece_on(mv.from())
        {
            let p = self.params();
            let context = QuietContext::without_checks(node.position, self.cont_keys());
            self.histories.update_quiet(&context, piece, mv, bonus(node.depth, p));
            if node.ply > 0 {
                let malus = malus(node.depth, p) * p.tt_malus / 1024;
                self.blame_last_move(malus, p.tt_malus_number as usize);
            }
        }
    }

    /// A reduced quiet move was searched again to this depth: its continuations learn how that came out. The move
    /// is that of the node before.
    ///
    /// - Technique: [History of re-searches](https://www.chessprogramming.org/History_Heuristic)
    /// - Assumes: a re-search tells how good a move is that was thought bad
    /// - Units: `research_bonus` 1024ths of bonus or malus
    /// - Elo: not measured alone; in bundle B
    #[inline(always)]
    pub(super) fn update_research_history(
        &mut self,
        context: &QuietContext,
        depth: Depth,
        raised_alpha: bool,
    ) {
        let p = self.params();
        let amount = if raised_alpha { bonus(depth, p) } else { -malus(depth, p) };
        let key = self.path.before(1).cont_key;
        self.histories.continuation.update_all(&context.before, key, amount * p.research_bonus / 1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::ContKey;
    use crate::search::samples::{MIDDLEGAME, entry, mv, node, position, with_thread};
    use crate::tt::Bound;

    const P: &Params = &Params::DEFAULT;

    #[test]
    fn deeper_results_teach_more_up_to_a_limit() {
        for depth in 1..60 {
            assert!(bonus(depth + 1, P) >= bonus(depth, P) && malus(depth + 1, P) >= malus(depth, P));
            assert!((1..=P.bonus_max).contains(&bonus(depth, P)), "{depth}");
            assert!((1..=P.malus_max).contains(&malus(depth, P)), "{depth}");
        }
        assert_eq!((bonus(60, P), malus(60, P)), (P.bonus_max, P.malus_max));
    }

    #[test]
    fn what_was_not_expected_is_a_surprise() {
        let position = position(MIDDLEGAME);
        let at = Node { static_eval: Score(20), ..node(&position, 5) };
        assert!(!is_surprise(&at, at.beta, P));
        assert!(is_surprise(&at, at.beta + P.surprise_margin, P));
        // The evaluation expected no such move.
        let low = Node { static_eval: at.alpha, ..at };
        assert!(is_surprise(&low, at.beta, P) && !is_surprise(&Node { in_check: true, ..low }, at.beta, P));
    }

    #[test]
    fn the_malus_fades_but_stays_one() {
        assert_eq!(faded(1000, 0, P), 1000);
        for earlier in 0..40 {
            assert!((1..=faded(1000, earlier, P)).contains(&faded(1000, earlier + 1, P)), "{earlier}");
        }
    }

    /// What the continuation of the move that led here has lost by a cutoff after it, if it came at this place.
    fn blame(number: usize, cutoff: impl Fn(&mut Thread, Node)) -> i32 {
        with_thread(MIDDLEGAME, |thread| {
            let root = *thread.game().position();
            let root_node = Node { ply: 1, ..node(&root, 6) };
            let first = thread.enter_move(&root, mv(&root, "f8e7"), 0);
            let reply = mv(&first, "b1c3");
            let context = QuietContext::new(&first, thread.path.cont_keys());
            let second = thread.enter_move(&first, reply, 0);
            thread.path.parent_mut().number = number;
            cutoff(thread, Node { ply: 2, ..node(&second, root_node.depth) });
            thread.leave_move();
            thread.histories.quiet_history(&context, first.piece_on(reply.from()).unwrap(), reply)
        })
    }

    #[test]
    fn only_an_early_move_is_blamed_for_its_refutation() {
        let refute = |thread: &mut Thread, node: Node| {
            let context = QuietContext::new(node.position, thread.path.cont_keys());
            let best = Best { score: node.beta, mv: Some(mv(node.position, "a7a6")) };
            thread.update_histories(&node, &context, &best, &SearchedMoves::default());
        };
        assert!(blame(REFUTED_EARLY, refute) < 0);
        assert_eq!(blame(REFUTED_EARLY + 1, refute), 0);
        let by_table = |thread: &mut Thread, node: Node| {
            let tt_entry = Some(entry(Some(mv(node.position, "a7a6")), 50, 9, Bound::Lower));
            thread.reward_tt_cutoff(&Node { tt_entry, ..node }, Score(50));
        };
        assert!(blame(P.tt_malus_number as usize, by_table) < 0);
        assert_eq!(blame(P.tt_malus_number as usize + 1, by_table), 0);
    }

    #[test]
    fn a_late_move_gains_more_by_a_node_that_fails_low() {
        let fail_low = |thread: &mut Thread, node: Node| {
            let context = QuietContext::new(node.position, thread.path.cont_keys());
            let best = Best { score: node.alpha, mv: None };
            thread.update_histories(&node, &context, &best, &SearchedMoves::default());
        };
        let [early, late] = [LATE - 1, LATE].map(|number| blame(number, fail_low));
        assert!(0 < early && early < late);
    }

    #[test]
    fn only_what_the_evaluation_missed_corrects_it() {
        let position = position(MIDDLEGAME);
        let quiet = Some(mv(&position, "f8e7"));
        let capture = Some(mv(&position, "e5d4"));
        let at = node(&position, 5);
        let corrects = |mv, score| corrects_evaluation(&at, &Best { score: Score(score), mv });
        assert!(corrects(quiet, 30) && !corrects(capture, 30));
        // It is at least beta, so at least what it is; but the evaluation lay above already.
        assert!(!corrects_evaluation(
            &Node { static_eval: Score(60), ..at },
            &Best { score: Score(30), mv: quiet }
        ));
        // An upper bound below the evaluation says something, one above it does not.
        assert!(corrects(None, -30) && !corrects(None, 30));
        for score in [Score::mate_in(3), Score::mated_in(3), Score::tablebase_win(3)] {
            assert!(!corrects(quiet, score.0), "{score:?}");
        }
        assert!(!corrects_evaluation(
            &Node { excluded: capture, ..at },
            &Best { score: Score(30), mv: quiet }
        ));
        assert!(!corrects_evaluation(&Node { in_check: true, ..at }, &Best { score: Score(30), mv: quiet }));
    }

    /// Ordering history of a move.
    fn history(thread: &Thread, node: &Node, text: &str) -> i32 {
        let mv = mv(node.position, text);
        let context = QuietContext::new(node.position, thread.path.cont_keys());
        if mv.is_noisy() {
            return thread.histories.capture.get(node.position, context.threats(), mv);
        }
        thread.histories.quiet_history(&context, node.position.piece_on(mv.from()).unwrap(), mv)
    }

    #[test]
    fn the_best_move_gains_and_those_before_it_lose() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            let node = Node { ply: 0, ..node(&position, 6) };
            let context = QuietContext::new(&position, thread.path.cont_keys());
            let mut searched = SearchedMoves::default();
            ["a7a6", "e5d4", "f8e7"].into_iter().for_each(|text| searched.add(mv(&position, text)));
            let best = |text| Best { score: node.beta, mv: Some(mv(&position, text)) };
            thread.update_histories(&node, &context, &best("f8e7"), &searched);
            assert!(history(thread, &node, "f8e7") > 0);
            assert!(history(thread, &node, "a7a6") < 0 && history(thread, &node, "e5d4") < 0);
            assert_eq!(history(thread, &node, "h7h6"), 0, "it was not searched");
            // A capture that is best blames captures only.
            let before = history(thread, &node, "a7a6");
            thread.update_histories(&node, &context, &best("c6d4"), &searched);
            assert!(history(thread, &node, "c6d4") > 0);
            assert_eq!(history(thread, &node, "a7a6"), before);
        });
    }

    #[test]
    fn a_node_that_fails_low_praises_the_move_that_led_to_it() {
        with_thread(MIDDLEGAME, |thread| {
            let root = *thread.game().position();
            let root_node = Node { ply: 0, ..node(&root, 6) };
            let reply = mv(&root, "f8e7");
            let key = QuietContext::new(&root, thread.path.cont_keys()).key;
            thread.path.here_mut().history_key = key;
            let child = thread.enter_move(&root, reply, 0);
            let failed = Node { ply: 1, ..node(&child, 5) };
            let context = QuietContext::new(&child, thread.path.cont_keys());
            let best = Best { score: failed.alpha, mv: None };
            thread.update_histories(&failed, &context, &best, &SearchedMoves::default());
            thread.leave_move();
            assert!(history(thread, &root_node, "f8e7") > 0);
        });
    }

    #[test]
    fn a_rising_evaluation_praises_the_opponents_move() {
        for (eval, sign) in [(-80, 1), (80, -1), (0, 0)] {
            with_thread(MIDDLEGAME, |thread| {
                let root = *thread.game().position();
                let root_node = Node { ply: 0, ..node(&root, 6) };
                thread.path.here_mut().history_key = QuietContext::new(&root, thread.path.cont_keys()).key;
                thread.path.here_mut().static_eval = Some(Score(0));
                let child = thread.enter_move(&root, mv(&root, "f8e7"), 0);
                thread.update_eval_history(&Node { static_eval: Score(eval), ..node(&child, 5) });
                thread.leave_move();
                assert_eq!(history(thread, &root_node, "f8e7").signum(), sign, "{eval}");
            });
        }
    }

    #[test]
    fn a_table_cutoff_praises_a_quiet_table_move() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            let known = |text, score| Node {
                tt_entry: Some(entry(Some(mv(&position, text)), score, 9, Bound::Lower)),
                ply: 0,
                ..node(&position, 5)
            };
            thread.reward_tt_cutoff(&known("f8e7", 0), Score(0));
            assert_eq!(history(thread, &known("f8e7", 0), "f8e7"), 0, "it failed low");
            thread.reward_tt_cutoff(&known("f8e7", 50), Score(50));
            assert!(history(thread, &known("f8e7", 50), "f8e7") > 0);
            thread.reward_tt_cutoff(&known("e5d4", 50), Score(50));
            assert_eq!(history(thread, &known("e5d4", 50), "e5d4"), 0);
        });
    }

    #[test]
    fn null_moves_have_no_continuation() {
        with_thread(MIDDLEGAME, |thread| {
            let root = *thread.game().position();
            thread.path.enter_null(&root);
            let context = QuietContext::new(&root, thread.path.cont_keys());
            assert!(context.before[0] == ContKey::NONE);
            let tried = mv(&root, "f8e7");
            let piece = root.piece_on(tried.from()).unwrap();
            for _ in 0..50 {
                thread.histories.update_quiet(&context, piece, tried, 1000);
            }
            // The row of no move stays empty: only butterfly history, which counts twice, has learnt.
            let with_row = thread.histories.quiet_history(&context, piece, tried);
            let other = ContKey::new(piece, tried.to());
            let elsewhere = QuietContext { before: [other; 4], ..context };
            assert_eq!(with_row, thread.histories.quiet_history(&elsewhere, piece, tried));
            thread.path.leave_null();
        });
    }

    #[test]
    fn a_second_search_teaches_the_continuation() {
        with_thread(MIDDLEGAME, |thread| {
            let root = *thread.game().position();
            // So that the moves before are there.
            let first = thread.enter_move(&root, mv(&root, "f8e7"), 0);
            let context = QuietContext::new(&first, thread.path.cont_keys());
            let tried = mv(&first, "b1c3");
            let piece = first.piece_on(tried.from()).unwrap();
            let score = |thread: &Thread| thread.histories.quiet_history(&context, piece, tried);
            thread.enter_move(&first, tried, 0);
            thread.update_research_history(&context, 6, true);
            let risen = score(thread);
            assert!(risen > 0);
            thread.update_research_history(&context, 6, false);
            assert!(score(thread) < risen);
        });
    }
}
