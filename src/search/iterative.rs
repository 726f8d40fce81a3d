//! Iterative deepening with aspiration windows, and the choice of the move to play.

use std::time::Duration;

use super::clock::Certainty;
use super::level::{Contender, Level};
use super::node::{Root, Window};
use super::report::{ScoreBound, SearchEvent, SearchResult};
use super::root;
use super::searcher::{SearchJob, Searcher};
use crate::types::{Depth, MAX_PLY, Move, Score};

/// Uncertain scores are reported, and current moves named, only in searches longer than this.
pub(super) const VERBOSE_AFTER: Duration = Duration::from_secs(3);

/// A new best move is reported before its iteration ends only in searches longer than this.
pub(super) const NEWS_AFTER: Duration = Duration::from_secs(1);

impl Searcher {
    /// Searches until a limit is reached or the search is stopped, reports through the job's sink (main
    /// thread only), and returns the result. Does not wait for `stop` in infinite mode.
    pub fn search(&mut self, job: &SearchJob) -> SearchResult {
        self.prepare(job);
        if self.root_moves.is_empty() {
            return self.no_moves(job);
        }
        let max_depth = job.limits.depth.unwrap_or(MAX_PLY as Depth - 1).clamp(1, MAX_PLY as Depth - 1);
        let max_depth = job.limits.level.map_or(max_depth, |level| level.depth().min(max_depth));
        let shown = job.limits.multi_pv.clamp(1, self.root_moves.len());
        let weighed = job.limits.level.map_or(1, |level| level.lines());
        let lines = weighed.clamp(shown, self.root_moves.len());
        let mut completed = 0;
        let mut stable_iterations = 0;
        for depth in 1..=max_depth {
            let (previous_best, previous_score) = (self.root_moves[0].mv, self.root_moves[0].score);
            self.iterate(job, depth, lines);
            let best = &self.root_moves[0];
            // A level takes no notice of an unfinished iteration if it has a finished one.
            let counts = !self.stopped || job.limits.level.is_none() || completed == 0;
            if best.is_searched() && counts && (!self.stopped || self.told_best() != Some(best.mv)) {
                self.report(job, depth, shown);
            }
            if self.stopped {
                break;
            }
            completed = depth;
            let settled = self.root_moves[0].mv == previous_best;
            stable_iterations = if settled { stable_iterations + 1 } else { 0 };
            if self.index == 0 && self.is_enough(job, stable_iterations, previous_score) {
                break;
            }
        }
        if completed == 0 && !self.root_moves[0].is_searched() {
            // Stopped before anything was known: the evaluation stands in for a score.
            self.root_moves[0].score = self.evaluator.evaluate(job.game.position());
            self.report(job, 1, 1);
        }
        if let Some(level) = &job.limits.level {
            self.play_at_level(job, level, completed);
            if self.told_best() != Some(self.root_moves[0].mv) {
                self.report(job, completed.max(1), shown);
            }
        }
        self.result(job, completed)
    }

    /// One iteration over so many best lines. The best moves stand in front after it.
    fn iterate(&mut self, job: &SearchJob, depth: Depth, lines: usize) {
        self.root_depth = depth;
        for root in &mut self.root_moves {
            root.previous_score = root.score;
            root.score = -Score::INFINITE;
        }
        for line in 0..lines {
            self.line = line;
            self.seldepth = 0;
            self.aspiration(job, depth);
            // Ranks found so far stay in front; with an aborted line the best of it still counts.
            root::sort(&mut self.root_moves[line..]);
            if self.stopped {
                break;
            }
        }
        root::sort(&mut self.root_moves[..lines]);
    }

    /// What comes of a search that has completed so many iterations.
    fn result(&self, job: &SearchJob, completed: Depth) -> SearchResult {
        let best = &self.root_moves[0];
        // What was last told about the move holds, so that the reply to ponder on is the one shown.
        let told = self.told.as_ref().filter(|told| told.pv.first() == Some(&best.mv));
        let line = told.cloned().unwrap_or_else(|| self.line_report(job, completed.max(1), 0, best));
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
            nodes: self.nodes_of_all(job),
            own_nodes: job.control.own_nodes(),
            line: Some(line),
        }
    }

    /// Puts the move that a level of play chooses in front.
    fn play_at_level(&mut self, job: &SearchJob, level: &Level, completed: Depth) {
        if self.stopped && completed > 0 {
            // Only scores of one iteration can be compared with each other.
            for root in &mut self.root_moves {
                (root.score, root.bound) = (root.previous_score, ScoreBound::Exact);
            }
        }
        root::sort(&mut self.root_moves);
        let position = job.game.position();
        let searched = self.root_moves.iter().take_while(|root| root.is_searched());
        let contenders: Vec<Contender> =
            searched.map(|root| Contender::new(&job.game, root.mv, root.score)).collect();
        let situation = position.key() ^ u64::from(position.fullmove_number());
        self.root_moves[..=level.choose(&contenders, situation)].rotate_right(1);
    }

    fn no_moves(&self, job: &SearchJob) -> SearchResult {
        let position = job.game.position();
        if self.index == 0 {
            job.tell(SearchEvent::NoMoves { in_check: position.in_check() });
        }
        let score = Searcher::no_move_score(position.in_check(), 0);
        SearchResult { score, own_nodes: job.control.own_nodes(), ..SearchResult::none() }
    }

    /// Searches one line of the iteration with a window around the last score, widened on the side
    /// where it fails (CPW: "Aspiration Windows").
    fn aspiration(&mut self, job: &SearchJob, depth: Depth) {
        let expected = self.root_moves[self.line].previous_score;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        let mut delta = self.params().aspiration_window;
        let mut searched = depth;
        if depth >= 5 && !expected.is_decisive() {
            alpha = (expected - delta).max(-Score::INFINITE);
            beta = (expected + delta).min(Score::INFINITE);
        }
        loop {
            let position = *job.game.position();
            let score = self.node::<Root>(job, &position, Window::new(alpha, beta), searched, 0, false);
            if self.stopped {
                return;
            }
            root::sort(&mut self.root_moves[self.line..]);
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
            let best = self.root_moves[self.line].mv;
            let is_news = self.told_best() != Some(best) && self.has_run(job, NEWS_AFTER);
            if Searcher::tells_unfinished(job) && (is_news || self.has_run(job, VERBOSE_AFTER)) {
                self.report_line(job, depth, 0, best);
            }
            delta += delta * self.params().aspiration_growth / 100;
            if delta > 500 {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// Whether the completed iteration is the last.
    fn is_enough(&self, job: &SearchJob, stable_iterations: usize, previous_score: Score) -> bool {
        let limits = &job.limits;
        let best = &self.root_moves[0];
        if let Some(moves) = limits.mate
            && best.score.mate_moves().is_some_and(|found| found > 0 && found <= moves as i32)
        {
            return true;
        }
        if job.control.is_pondering() || limits.infinite {
            return false;
        }
        if limits.soft_nodes.is_some_and(|soft| self.nodes >= soft) {
            return true;
        }
        let Some(soft) = self.budget.soft else { return false };
        if self.root_moves.len() == 1 {
            return true;
        }
        let known_before = previous_score > -Score::INFINITE;
        let certainty = Certainty {
            stable_iterations,
            best_share: best.nodes as f64 / self.nodes.max(1) as f64,
            score_drop: if known_before { previous_score - best.score } else { 0 },
        };
        let soft = soft.mul_f64(certainty.soft_scale());
        // Time spent pondering counts: a choice that is ripe is played when its iteration ends.
        let (pondered, own) = self.times(job);
        pondered + own >= soft.min(self.budget.hard.unwrap_or(Duration::MAX))
    }

    /// Whether the search has lasted longer than this.
    pub(super) fn has_run(&self, job: &SearchJob, time: Duration) -> bool {
        job.control.started().elapsed() > time
    }

    fn report(&mut self, job: &SearchJob, depth: Depth, lines: usize) {
        for rank in 0..lines {
            self.report_line(job, depth, rank, self.root_moves[rank].mv);
        }
    }

    /// Whether an iteration may be told of before it ends. A level of play takes no notice of an unfinished one, and
    /// what it tells last must be what it goes by.
    fn tells_unfinished(job: &SearchJob) -> bool {
        job.limits.multi_pv <= 1 && job.limits.level.is_none()
    }

    /// Tells about a root move that has become the best before the iteration is over, in long searches only.
    pub(super) fn announce_best(&mut self, job: &SearchJob, mv: Move) {
        if Searcher::tells_unfinished(job) && self.told_best() != Some(mv) && self.has_run(job, NEWS_AFTER) {
            self.report_line(job, self.root_depth, 0, mv);
        }
    }

    /// The move that heads the last line told of rank 1.
    fn told_best(&self) -> Option<Move> {
        self.told.as_ref().and_then(|told| told.pv.first().copied())
    }

    /// Tells about a root move. Helpers tell nothing, and where nobody listens the work is spared.
    fn report_line(&mut self, job: &SearchJob, depth: Depth, rank: usize, mv: Move) {
        if self.index > 0 || job.sink.is_none() {
            return;
        }
        let Some(root) = self.root_moves.iter().find(|root| root.mv == mv) else { return };
        let report = self.line_report(job, depth, rank, root);
        if report.score > -Score::INFINITE {
            if rank == 0 {
                self.told = Some(report.clone());
            }
            job.tell(SearchEvent::Line(report));
        }
    }
}
