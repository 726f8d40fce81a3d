//! Iterative deepening with aspiration windows, and the choice of the move to play.

use std::time::Duration;

use super::job::SearchJob;
use super::level::{Contender, Level};
use super::limits::Certainty;
use super::node::{Candidate, Node, RootNode, Window};
use super::report::{NEWS_AFTER, ScoreBound, SearchEvent, SearchResult, VERBOSE_AFTER};
use super::root::{self, RootResult};
use super::thread::{Searcher, Thread};
use crate::types::{Depth, MAX_PLY, Move, Score};

impl Searcher {
    /// Searches until a limit is reached or the search is stopped, reports through the job's sink (main
    /// thread only), and returns the result. Does not wait for `stop` in infinite mode.
    pub fn search(&mut self, job: &SearchJob) -> SearchResult {
        Thread::new(self, job).run()
    }
}

impl Thread<'_> {
    /// Deepens until the search is over.
    fn run(&mut self) -> SearchResult {
        if self.root.moves.is_empty() {
            return self.no_moves();
        }
        let max_depth = self.job.limits.depth.unwrap_or(MAX_PLY as Depth - 1).clamp(1, MAX_PLY as Depth - 1);
        let max_depth = self.job.limits.level.map_or(max_depth, |level| level.depth().min(max_depth));
        let shown = self.job.limits.multi_pv.clamp(1, self.root.moves.len());
        let weighed = self.job.limits.level.map_or(1, |level| level.lines());
        let lines = weighed.clamp(shown, self.root.moves.len());
        let mut completed = 0;
        let mut stable_iterations = 0;
        for depth in 1..=max_depth {
            let (previous_best, previous_score) = (self.root.moves[0].mv, self.root.moves[0].score);
            self.iterate(depth, lines);
            let best = &self.root.moves[0];
            // A level takes no notice of an unfinished iteration if it has a finished one.
            let counts = !self.quota.is_stopped() || self.job.limits.level.is_none() || completed == 0;
            if best.is_searched()
                && counts
                && (!self.quota.is_stopped() || self.reported_best() != Some(best.mv))
            {
                self.report(depth, shown);
            }
            if self.quota.is_stopped() {
                break;
            }
            completed = depth;
            let settled = self.root.moves[0].mv == previous_best;
            stable_iterations = if settled { stable_iterations + 1 } else { 0 };
            if self.id == 0 && self.is_enough(stable_iterations, previous_score) {
                break;
            }
        }
        if completed == 0 && !self.root.moves[0].is_searched() {
            // Stopped before anything was known: the evaluation stands in for a score.
            self.root.moves[0].score = self.evaluator.evaluate(self.job.game.position());
            self.report(1, 1);
        }
        if let Some(level) = &self.job.limits.level {
            self.play_at_level(level, completed);
            if self.reported_best() != Some(self.root.moves[0].mv) {
                self.report(completed.max(1), shown);
            }
        }
        self.result(completed)
    }

    /// One iteration over so many best lines. The best moves stand in front after it.
    fn iterate(&mut self, depth: Depth, lines: usize) {
        self.root.depth = depth;
        for root in &mut self.root.moves {
            root.previous_score = root.score;
            root.score = -Score::INFINITE;
        }
        for line in 0..lines {
            self.root.pv_index = line;
            self.seldepth = 0;
            self.aspiration(depth);
            // Ranks found so far stay in front; with an aborted line the best of it still counts.
            root::sort(&mut self.root.moves[line..]);
            if self.quota.is_stopped() {
                break;
            }
        }
        root::sort(&mut self.root.moves[..lines]);
    }

    /// What comes of a search that has completed so many iterations.
    fn result(&self, completed: Depth) -> SearchResult {
        let best = &self.root.moves[0];
        // What was last told about the move holds, so that the reply to ponder on is the one shown.
        let told = self.root.last_report.as_ref().filter(|told| told.pv.first() == Some(&best.mv));
        let line = told.cloned().unwrap_or_else(|| self.line_report(completed.max(1), 0, best));
        // The bound of an unfinished search says less than the last finished one.
        let score = match best.bound {
            ScoreBound::Exact if best.is_searched() => best.score,
            _ if best.previous_score > -Score::INFINITE => best.previous_score,
            _ => best.score,
        };
        SearchResult {
            best: Some(best.mv),
            ponder: line.pv.get(1).copied(),
            score: self.proven_at_root(score).unwrap_or(score),
            depth: completed,
            nodes: self.quota.nodes_of_all(),
            own_nodes: self.job.control.own_nodes(),
            line: Some(line),
        }
    }

    /// Puts the move that a level of play chooses in front.
    fn play_at_level(&mut self, level: &Level, completed: Depth) {
        if self.quota.is_stopped() && completed > 0 {
            // Only scores of one iteration can be compared with each other.
            for root in &mut self.root.moves {
                (root.score, root.bound) = (root.previous_score, ScoreBound::Exact);
            }
        }
        root::sort(&mut self.root.moves);
        let position = self.job.game.position();
        let searched = self.root.moves.iter().take_while(|root| root.is_searched());
        let contenders: Vec<Contender> =
            searched.map(|root| Contender::new(&self.job.game, root.mv, root.score)).collect();
        let situation = position.key() ^ u64::from(position.fullmove_number());
        self.root.moves[..=level.choose(&contenders, situation)].rotate_right(1);
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
    /// where it fails (CPW: "Aspiration Windows").
    fn aspiration(&mut self, depth: Depth) {
        let expected = self.root.moves[self.root.pv_index].previous_score;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        let mut delta = self.params().aspiration_window;
        let mut searched = depth;
        if depth >= 5 && !expected.is_decisive() {
            alpha = (expected - delta).max(-Score::INFINITE);
            beta = (expected + delta).min(Score::INFINITE);
        }
        loop {
            let position = self.game().position();
            let score = self.search::<RootNode>(position, Window::new(alpha, beta), searched, false);
            if self.quota.is_stopped() {
                return;
            }
            root::sort(&mut self.root.moves[self.root.pv_index..]);
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
            let is_news = self.reported_best() != Some(best) && self.quota.has_run(NEWS_AFTER);
            if self.tells_unfinished() && (is_news || self.quota.has_run(VERBOSE_AFTER)) {
                self.report_line(depth, 0, best);
            }
            delta += delta * self.params().aspiration_growth / 100;
            if delta > 500 {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// Whether the completed iteration is the last.
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

    /// Tells which root move is being searched, in long searches only.
    pub(super) fn announce_move(&self, depth: Depth, mv: Move, number: usize) {
        // Short searches need not ask the clock at every root move.
        if self.id == 0 && self.quota.nodes() > 10_000 && self.quota.has_run(VERBOSE_AFTER) {
            self.job.tell(SearchEvent::CurrentMove { depth, mv, number: number + self.root.pv_index });
        }
    }

    /// Writes the result of a root move down, which took so many nodes.
    pub(super) fn record_root_move(&mut self, node: &Node, candidate: &Candidate, score: Score, nodes: u64) {
        let (pv, seldepth) = (self.path.child_pv(), self.seldepth);
        let result = RootResult { score, beta: node.beta, pv, seldepth, nodes };
        if self.root.record(candidate, &result) {
            self.announce_best(candidate.mv);
        }
    }

    fn report(&mut self, depth: Depth, lines: usize) {
        for rank in 0..lines {
            self.report_line(depth, rank, self.root.moves[rank].mv);
        }
    }

    /// Whether an iteration may be told of before it ends. A level of play takes no notice of an unfinished one, and
    /// what it tells last must be what it goes by.
    fn tells_unfinished(&self) -> bool {
        self.job.limits.multi_pv <= 1 && self.job.limits.level.is_none()
    }

    /// Tells about a root move that has become the best before the iteration is over, in long searches only.
    pub(super) fn announce_best(&mut self, mv: Move) {
        if self.tells_unfinished() && self.reported_best() != Some(mv) && self.quota.has_run(NEWS_AFTER) {
            self.report_line(self.root.depth, 0, mv);
        }
    }

    /// The move that heads the last line told of rank 1.
    fn reported_best(&self) -> Option<Move> {
        self.root.last_report.as_ref().and_then(|told| told.pv.first().copied())
    }

    /// Tells about a root move. Helpers tell nothing, and where nobody listens the work is spared.
    fn report_line(&mut self, depth: Depth, rank: usize, mv: Move) {
        if self.id > 0 || self.job.sink.is_none() {
            return;
        }
        let Some(root) = self.root.moves.iter().find(|root| root.mv == mv) else { return };
        let report = self.line_report(depth, rank, root);
        if report.score > -Score::INFINITE {
            if rank == 0 {
                self.root.last_report = Some(report.clone());
            }
            self.job.tell(SearchEvent::Line(report));
        }
    }
}
