//! Iterative deepening with aspiration windows, and the choice of the move to play.

use std::time::{Duration, Instant};

use super::clock::Certainty;
use super::node::{Root, Window};
use super::report::{Report, ScoreBound, SearchEvent, SearchResult};
use super::root;
use super::searcher::{SearchJob, Searcher};
use crate::eval::evaluate;
use crate::types::{Depth, MAX_PLY, Score};

/// Uncertain scores are reported, and current moves named, only in searches longer than this.
pub(super) const VERBOSE_AFTER: Duration = Duration::from_secs(3);

impl Searcher {
    /// Searches until a limit is reached or the search is stopped, reports through the job's sink (main
    /// thread only), and returns the result. Does not wait for `stop` in infinite mode.
    pub fn search(&mut self, job: &SearchJob) -> SearchResult {
        self.prepare(job);
        if self.root_moves.is_empty() {
            return self.no_moves(job);
        }
        let max_depth = job.limits.depth.unwrap_or(MAX_PLY as Depth - 1).clamp(1, MAX_PLY as Depth - 1);
        let lines = job.limits.multi_pv.clamp(1, self.root_moves.len());
        let mut completed = 0;
        let mut stable_iterations = 0;
        let mut last_reported = None;
        for depth in 1..=max_depth {
            self.root_depth = depth;
            let (previous_best, previous_score) = (self.root_moves[0].mv, self.root_moves[0].score);
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
            let best = &self.root_moves[0];
            let is_news = best.is_searched() && (!self.stopped || last_reported != Some(best.mv));
            if is_news {
                last_reported = Some(best.mv);
                if self.index == 0 {
                    self.report(job, depth, lines);
                }
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
        if last_reported.is_none() {
            // Stopped before anything was known: the evaluation stands in for a score.
            self.root_moves[0].score = evaluate(job.game.position());
            if self.index == 0 {
                self.report(job, 1, 1);
            }
        }
        let best = &self.root_moves[0];
        let line = self.line_report(job, completed.max(1), 0);
        SearchResult {
            best: Some(best.mv),
            ponder: best.pv.get(1).copied(),
            // The bound of an unfinished search says less than the last finished one.
            score: match line.bound {
                ScoreBound::Exact => line.score,
                _ if best.previous_score > -Score::INFINITE => best.previous_score,
                _ => line.score,
            },
            depth: completed,
            nodes: line.nodes,
            line: Some(line),
        }
    }

    fn no_moves(&self, job: &SearchJob) -> SearchResult {
        let position = job.game.position();
        if self.index == 0 {
            (job.sink)(SearchEvent::NoMoves { in_check: position.in_check() });
        }
        let score = Searcher::no_move_score(position.in_check(), 0);
        SearchResult { best: None, ponder: None, score, depth: 0, nodes: 0, line: None }
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
            if self.index == 0 && job.limits.multi_pv <= 1 && job.control.started().elapsed() > VERBOSE_AFTER
            {
                self.report_line(job, depth, 0);
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
        job.control.started().elapsed() >= soft.min(self.budget.hard.unwrap_or(Duration::MAX))
    }

    fn report(&self, job: &SearchJob, depth: Depth, lines: usize) {
        for line in 0..lines {
            self.report_line(job, depth, line);
        }
    }

    fn report_line(&self, job: &SearchJob, depth: Depth, line: usize) {
        let report = self.line_report(job, depth, line);
        if report.score > -Score::INFINITE {
            (job.sink)(SearchEvent::Line(report));
        }
    }

    fn line_report(&self, job: &SearchJob, depth: Depth, line: usize) -> Report {
        let root = &self.root_moves[line];
        let (score, bound) = match root.is_searched() {
            true => (root.score, root.bound),
            false => (root.previous_score, ScoreBound::Exact),
        };
        job.control.publish_nodes(self.index, self.nodes);
        Report {
            depth,
            seldepth: root.seldepth,
            multi_pv: line + 1,
            score,
            bound,
            nodes: job.control.nodes(),
            time: Instant::now() - job.control.started(),
            hashfull: job.tt.hashfull(),
            pv: root.pv.to_vec(),
        }
    }
}
