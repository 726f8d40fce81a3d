//! Iterative deepening with aspiration windows, and the choice of the move to play.

use std::time::Duration;

use super::job::SearchJob;
use super::limits::Certainty;
use super::node::{Candidate, Node, RootNode, Window};
use super::report::{NEWS_AFTER, ScoreBound, SearchEvent, SearchResult, VERBOSE_AFTER};
use super::thread::{RootResult, Searcher, Thread, sort_root_moves};
use super::tree_sample::TreeSample;
use crate::types::{Depth, MAX_PLY, Score};

impl Searcher {
    /// Searches until a limit is reached or the search is stopped, reports through the job's sink (main
    /// thread only), and returns the result. Does not wait for `stop` in infinite mode.
    pub fn search(&mut self, job: &SearchJob) -> SearchResult {
        self.search_sampled(job, None)
    }

    /// The same; besides, `sample` draws from the positions that the search evaluates. The result does not depend on
    /// it.
    pub fn search_sampled(&mut self, job: &SearchJob, sample: Option<&mut TreeSample>) -> SearchResult {
        let mut result = Thread::new(self, job, sample).run();
        self.conclude(job, &mut result);
        result
    }

    /// The same as [`Searcher::search`] without the last word, for a thread among others that may know more in the
    /// end.
    pub fn think(&mut self, job: &SearchJob) -> SearchResult {
        Thread::new(self, job, None).run()
    }
}

impl Thread<'_> {
    /// Deepens until the search is over.
    fn run(&mut self) -> SearchResult {
        if self.root.moves.is_empty() {
            return self.no_moves();
        }
        let max_depth = self.job.limits.depth.unwrap_or(MAX_PLY as Depth - 1).clamp(1, MAX_PLY as Depth - 1);
        let lines = self.shown_lines();
        // The last iteration of which the first line is finished.
        let mut finished_depth = 0;
        let mut stable_iterations = 0;
        for depth in 1..=max_depth {
            let (previous_best, previous_score) = (self.root.moves[0].mv, self.root.moves[0].score);
            let finished = self.iterate(depth, lines);
            if finished > 0 {
                finished_depth = depth;
            }
            if finished == lines {
                self.tell_lines();
            }
            if self.quota.is_stopped() {
                break;
            }
            let settled = self.root.moves[0].mv == previous_best;
            stable_iterations = if settled { stable_iterations + 1 } else { 0 };
            if self.id == 0 && self.is_enough(stable_iterations, previous_score) {
                break;
            }
        }
        if finished_depth == 0 && !self.root.moves[0].is_searched() {
            // Stopped before anything was known: the evaluation stands in for a score.
            self.root.moves[0].score = self.evaluator.evaluate(self.job.game.position());
        }
        self.result(finished_depth)
    }

    /// One iteration over the best `lines` lines. Returns how many of them it has finished. They stand in front
    /// after it, best first; where none is finished, the best move found so far.
    fn iterate(&mut self, depth: Depth, lines: usize) -> usize {
        self.root.depth = depth;
        for root in &mut self.root.moves {
            root.previous_score = root.score;
            root.score = -Score::INFINITE;
        }
        self.root.pv_index = 0;
        while self.root.pv_index < lines {
            self.seldepth = 0;
            self.aspiration(depth);
            sort_root_moves(&mut self.root.moves[self.root.pv_index..]);
            if self.quota.is_stopped() {
                break;
            }
            self.root.pv_index += 1;
            sort_root_moves(&mut self.root.moves[..self.root.pv_index]);
            self.quota.finish_first_line();
            if self.quota.is_stopped() {
                break;
            }
            if self.root.pv_index < lines && self.shows_each_line() {
                self.tell_lines();
            }
        }
        self.root.pv_index
    }

    /// What comes of a search in which the best move was compared with all others at this depth.
    fn result(&self, depth: Depth) -> SearchResult {
        let best = &self.root.moves[0];
        let lines = self.lines();
        // The bound of an unfinished search says less than the last finished one.
        let score = match best.bound {
            ScoreBound::Exact if best.is_searched() => best.score,
            _ if best.was_searched() => best.previous_score,
            _ => best.score,
        };
        SearchResult {
            best: Some(best.mv),
            ponder: lines.first().and_then(|line| line.pv.get(1).copied()),
            score: self.proven_at_root(score).unwrap_or(score),
            depth,
            nodes: self.quota.nodes_of_all(),
            own_nodes: self.job.control.own_nodes(),
            lines,
        }
    }

    fn no_moves(&self) -> SearchResult {
        let position = self.job.game.position();
        if self.id == 0 {
            self.job.tell(SearchEvent::NoMoves { in_check: position.in_check() });
        }
        let score = if position.in_check() { Score::mated_in(0) } else { Score::DRAW };
        SearchResult { score, own_nodes: self.job.control.own_nodes(), ..SearchResult::none() }
    }

    /// Searches one line of the iteration with a window around the last score, widened on the side
    /// where it fails.
    ///
    /// - Technique: [Aspiration windows](https://www.chessprogramming.org/Aspiration_Windows)
    /// - Assumes: the score changes little from one iteration to the next
    /// - Units: `aspiration_window` internal units either side, growing by `aspiration_growth` percent
    /// - Elo: not measured alone; in the first search
    fn aspiration(&mut self, depth: Depth) {
        let expected = self.root.moves[self.root.pv_index].previous_score;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        let mut delta = self.params().aspiration_window;
        let mut searched = depth;
        if self.params().aspiration != 0 && depth >= 5 && !expected.is_decisive() {
            alpha = (expected - delta).max(-Score::INFINITE);
            beta = (expected + delta).min(Score::INFINITE);
        }
        loop {
            let position = self.game().position();
            let score = self.search::<RootNode>(position, Window::new(alpha, beta), searched, false);
            if self.quota.is_stopped() {
                return;
            }
            sort_root_moves(&mut self.root.moves[self.root.pv_index..]);
            if score <= alpha {
                beta = Score((alpha.0 + beta.0) / 2);
                alpha = (score - delta).max(-Score::INFINITE);
                searched = depth;
            } else if score >= beta {
                beta = (score + delta).min(Score::INFINITE);
                // A fail-high is confirmed a little less deep; it mostly holds.
                searched = (searched - 1).max(depth - 3).max(1);
            } else {
                return;
            }
            let best = self.root.moves[self.root.pv_index].mv;
            let is_news = self.last_reported_best() != Some(best) && self.quota.has_run(NEWS_AFTER);
            if self.tells_unfinished() && (is_news || self.quota.has_run(VERBOSE_AFTER)) {
                self.tell_best(best);
            }
            delta += delta * self.params().aspiration_growth / 100;
            if delta > 500 {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// Whether the completed iteration is the last.
    ///
    /// - Technique: [Iterative deepening](https://www.chessprogramming.org/Iterative_Deepening)
    /// - Assumes: an iteration orders the moves of the next, and costs a fraction of it
    /// - Units: plies
    /// - Elo: not measured alone; in the first search
    fn is_enough(&self, stable_iterations: usize, previous_score: Score) -> bool {
        let limits = &self.job.limits;
        let best = &self.root.moves[0];
        if let Some(moves) = limits.mate
            && best.score.mate_moves().is_some_and(|found| found > 0 && found <= moves as i32)
        {
            return true;
        }
        if self.job.control.is_pondering() || limits.infinite {
            return false;
        }
        if limits.soft_nodes.is_some_and(|soft| self.quota.nodes() >= soft) {
            return true;
        }
        let Some(soft) = self.quota.budget().soft else { return false };
        if self.root.moves.len() == 1 {
            return true;
        }
        let known_before = previous_score > -Score::INFINITE;
        let certainty = Certainty {
            stable_iterations,
            best_share: best.nodes as f64 / self.quota.nodes().max(1) as f64,
            score_drop: if known_before { previous_score - best.score } else { 0 },
        };
        let soft = soft.mul_f64(certainty.soft_scale());
        // Time spent pondering counts: a choice that is ripe is played when its iteration ends.
        let (pondered, own) = self.quota.times();
        pondered + own >= soft.min(self.quota.budget().hard.unwrap_or(Duration::MAX))
    }

    /// Writes down the result of a root move, which took `nodes` nodes.
    pub(super) fn record_root_move(&mut self, node: &Node, candidate: &Candidate, score: Score, nodes: u64) {
        let (pv, seldepth) = (self.path.child_pv(), self.seldepth);
        let result = RootResult { score, beta: node.beta, pv, seldepth, nodes };
        if self.root.record(candidate, &result) {
            self.announce_best(candidate.mv);
        }
    }
}
