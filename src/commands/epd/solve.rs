//! The search for the solution of a test position, and when it was found.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::problem::Problem;
use crate::board::Game;
use crate::engine::Engine;
use crate::search::{Report, ScoreBound, SearchEvent, SearchLimits, SearchResult};
use crate::types::{Depth, Move, Score};

/// How far a search had come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    pub(super) time: Duration,
    pub(super) depth: Depth,
    pub(super) nodes: u64,
    /// The score for the side to move.
    pub(super) score: Score,
}

/// What a search for a solution came to.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// The engine's move; `None` where there is no legal one.
    pub(super) played: Option<Move>,
    /// When the solution was found that was held to the end; `None` when the move is no solution.
    pub(super) found: Option<Moment>,
    /// The end of the search.
    pub(super) end: Moment,
    /// The rank of the first of the lines, from 1, that begins with a solution.
    pub(super) rank: Option<usize>,
}

/// Follows the iterations of a search.
struct Watch<'a> {
    problem: &'a Problem,
    /// When the present move was found, if it is a solution.
    found: Option<Moment>,
    /// The last iteration, and how many in a row have held the solution.
    depth: Depth,
    held: u32,
}

impl Watch<'_> {
    /// Takes note of the best line of an iteration.
    fn see(&mut self, report: &Report) {
        let is_solution = report.pv.first().is_some_and(|&mv| self.problem.is_solved_by(mv, report.score));
        if !is_solution {
            (self.found, self.held) = (None, 0);
            return;
        }
        let Report { time, depth, nodes, score, .. } = *report;
        self.found.get_or_insert(Moment { time, depth, nodes, score });
        self.held += u32::from(self.held == 0 || depth > self.depth);
        self.depth = depth;
    }
}

/// Searches from empty tables, until `hold` iterations in a row, if that is given, have held a solution. Where the search
/// tells its lines only now and then, a solution counts as found when it was told.
pub(super) fn solve(
    engine: &mut Engine,
    limits: &SearchLimits,
    hold: Option<u32>,
    problem: &Problem,
) -> Attempt {
    engine.new_game();
    engine.set_game(Game::new(problem.position));
    if let Some(wait) = engine.readiness() {
        wait();
    }
    let start = Instant::now();
    let (sender, receiver) = channel();
    engine.go(limits.clone(), move |event| {
        let _ = sender.send(event);
    });
    let mut watch = Watch { problem, found: None, depth: 0, held: 0 };
    let mut result = SearchResult::none();
    for event in receiver {
        match event {
            SearchEvent::Line(report) if report.multi_pv == 1 && report.bound == ScoreBound::Exact => {
                watch.see(&report);
                if hold.is_some_and(|hold| watch.held >= hold) {
                    engine.stop();
                }
            }
            SearchEvent::Finished(finished) => {
                result = finished;
                break;
            }
            _ => {}
        }
    }
    let SearchResult { best, score, depth, nodes, .. } = result;
    let end = Moment { time: start.elapsed(), depth, nodes, score };
    let is_solved = best.is_some_and(|mv| problem.is_solved_by(mv, score));
    let rank = result
        .lines
        .iter()
        .find(|line| line.pv.first().is_some_and(|&mv| problem.is_solved_by(mv, line.score)))
        .map(|line| line.multi_pv);
    Attempt { played: best, found: is_solved.then(|| watch.found.unwrap_or(end)), end, rank }
}

#[cfg(test)]
mod tests {
    use super::super::problem::parse;
    use super::*;

    #[test]
    fn a_solution_counts_from_where_it_was_held() {
        let problem = parse("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8;").unwrap().unwrap();
        let mut watch = Watch { problem: &problem, found: None, depth: 0, held: 0 };
        let (solution, other) = (problem.best[0], problem.position.legal_moves()[0]);
        assert_ne!(solution, other);
        let mut see = |mv, depth, nodes| {
            watch.see(&Report {
                depth,
                seldepth: 1,
                multi_pv: 1,
                score: Score(depth),
                bound: ScoreBound::Exact,
                is_drawn: false,
                nodes,
                tb_hits: 0,
                time: Duration::ZERO,
                hashfull: 0,
                pv: vec![mv],
            });
            (watch.found.map(|found| found.nodes), watch.held)
        };
        assert_eq!(see(solution, 1, 10), (Some(10), 1));
        assert_eq!(see(other, 2, 20), (None, 0));
        assert_eq!(see(solution, 2, 25), (Some(25), 1));
        // The end of the same iteration.
        assert_eq!(see(solution, 2, 30), (Some(25), 1));
        assert_eq!(see(solution, 3, 40), (Some(25), 2));
    }

    #[test]
    fn a_held_solution_ends_the_search() {
        let mut engine = Engine::new().unwrap();
        // Good moves, and a depth that would never be reached.
        let limits = SearchLimits { depth: Some(60), ..SearchLimits::default() };
        let start = format!("{} bm e4 d4 Nf3 c4 e3 d3 c3 Nc3 g3;", crate::board::START_FEN);
        let early = solve(&mut engine, &limits, Some(3), &parse(&start).unwrap().unwrap());
        let found = early.found.expect("one of them is played");
        assert!(early.rank == Some(1) && early.end.depth < 30 && found.nodes < early.end.nodes, "{early:?}");
        let limits = SearchLimits { depth: Some(5), ..SearchLimits::default() };
        let problem = parse("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7;")
            .unwrap()
            .unwrap();
        let found = solve(&mut engine, &limits, None, &problem).found.expect("a mate in one is found");
        assert_eq!(found.score, Score::mate_in(1));
        let avoid = Problem { best: Vec::new(), avoid: problem.best.clone(), ..problem };
        let attempt = solve(&mut engine, &SearchLimits { multi_pv: 2, ..limits }, None, &avoid);
        assert_eq!((attempt.found, attempt.rank), (None, Some(2)));
    }
}
