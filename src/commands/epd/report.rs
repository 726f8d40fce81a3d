//! What became of test positions, as a table for people or as JSON for programs.

use std::time::Duration;

use serde_json::{Value, json};

use super::problem::Problem;
use super::solve::{Attempt, Moment};
use crate::eval::WdlModel;
use crate::notation::format_san;
use crate::types::{Move, Score};
use crate::uci::format;

/// Columns of the table of solutions in time, in milliseconds.
const TIMES_MS: [u64; 6] = [100, 200, 500, 1000, 2000, 5000];

/// Its columns in nodes, where times would mean nothing.
const NODES: [u64; 6] = [1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000];

/// Longest id in the table, in characters.
const ID: usize = 20;

/// The heading of the rows.
pub(super) const HEADING: &str = "line  position              solved in  depth       nodes    score  move";

/// The score for the side to move with its sign.
fn score(problem: &Problem, score: Score) -> String {
    let text = format::pawns(score, WdlModel::material(&problem.position));
    if score > Score::DRAW { format!("+{text}") } else { text }
}

fn san(problem: &Problem, mv: Option<Move>) -> String {
    mv.map_or_else(|| "none".to_owned(), |mv| format_san(&problem.position, mv))
}

/// A row of the table: when the solution was found that was held, or what was played instead.
pub(super) fn row(line: usize, problem: &Problem, attempt: &Attempt) -> String {
    let id: String = problem.id.chars().filter(|letter| !letter.is_control()).take(ID).collect();
    let played = san(problem, attempt.played);
    let (time, depth, nodes, seen, told) = match attempt.found {
        Some(Moment { time, depth, nodes, score }) => {
            (format!("{:.3} s", time.as_secs_f64()), depth.to_string(), nodes.to_string(), score, played)
        }
        None => {
            let rank = attempt.rank.map_or(String::new(), |rank| format!(", line {rank}"));
            let told = format!("{played} ({}{rank})", problem.wanted());
            ("no".to_owned(), String::new(), String::new(), attempt.end.score, told)
        }
    };
    let seen = score(problem, seen);
    format!("{line:>4}  {id:ID$} {time:>10} {depth:>6} {nodes:>11} {seen:>8}  {told}").trim_end().to_owned()
}

/// The same as an object of JSON.
pub(super) fn object(line: usize, problem: &Problem, attempt: &Attempt) -> Value {
    let moment = |moment: &Moment| {
        json!({
            "time_ms": moment.time.as_millis() as u64,
            "depth": moment.depth,
            "nodes": moment.nodes,
            "score": score(problem, moment.score),
        })
    };
    let mut object = json!({
        "line": line,
        "id": problem.id,
        "wanted": problem.wanted(),
        "played": attempt.played.map(|mv| format_san(&problem.position, mv)),
        "solved": attempt.found.is_some(),
        "found": attempt.found.as_ref().map(moment),
        "end": moment(&attempt.end),
        "rank": attempt.rank,
    });
    if !problem.points.is_empty() {
        object["points"] = attempt.played.map_or(0, |mv| problem.points(mv)).into();
        object["most_points"] = problem.most_points().into();
    }
    object
}

/// The sum of all attempts.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub(super) solved: usize,
    pub(super) unsolved: usize,
    /// Points for the moves played, and for the best ones.
    points: (u64, u64),
    /// Nodes of all searches.
    nodes: u64,
    /// When each solution was found.
    found: Vec<(Duration, u64)>,
}

impl Totals {
    /// Adds an attempt.
    pub(super) fn add(&mut self, problem: &Problem, attempt: &Attempt) {
        match &attempt.found {
            Some(found) => {
                self.solved += 1;
                self.found.push((found.time, found.nodes));
            }
            None => self.unsolved += 1,
        }
        self.points.0 += u64::from(attempt.played.map_or(0, |mv| problem.points(mv)));
        self.points.1 += u64::from(problem.most_points());
        self.nodes += attempt.end.nodes;
    }

    /// How many were solved within these times and within these nodes.
    fn within(&self) -> ([usize; 6], [usize; 6]) {
        let within_time = |ms| self.found.iter().filter(|found| found.0 <= Duration::from_millis(ms)).count();
        let within_nodes = |nodes| self.found.iter().filter(|found| found.1 <= nodes).count();
        (TIMES_MS.map(within_time), NODES.map(within_nodes))
    }

    /// The summary: how many were solved within which times or, where times mean nothing, within how many nodes.
    pub(super) fn table(&self, by_time: bool, time: Duration) -> String {
        let (in_time, in_nodes) = self.within();
        let columns = |heads: [String; 6], numbers: [usize; 6]| {
            let row = |cells: [String; 6]| cells.map(|cell| format!("{cell:>9}")).concat();
            let numbers = numbers.map(|number| number.to_string());
            format!("solved within{}\n             {}\n", row(heads), row(numbers))
        };
        let mut text = match by_time {
            true => columns(TIMES_MS.map(|ms| format!("{} s", ms as f64 / 1000.0)), in_time),
            false => columns(NODES.map(|nodes| format!("{} kn", nodes / 1000)), in_nodes),
        };
        if self.points.1 > 0 {
            let (points, most) = self.points;
            let percent = 100.0 * points as f64 / most as f64;
            text += &format!("points {points} of {most} ({percent:.1} %)\n");
        }
        text + &format!("{} nodes in {:.1} s", self.nodes, time.as_secs_f64())
    }

    /// The same as an object of JSON.
    pub(super) fn object(&self, unusable: usize, time: Duration) -> Value {
        let (in_time, in_nodes) = self.within();
        let pairs = |heads: [u64; 6], numbers: [usize; 6]| -> Value {
            heads.into_iter().zip(numbers).map(|(head, number)| json!([head, number])).collect()
        };
        json!({
            "passed": self.solved,
            "failed": self.unsolved + unusable,
            "points": self.points.0,
            "most_points": self.points.1,
            "nodes": self.nodes,
            "time_ms": time.as_millis() as u64,
            "solved_within_ms": pairs(TIMES_MS, in_time),
            "solved_within_nodes": pairs(NODES, in_nodes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::parse;
    use super::*;

    fn attempt(problem: &Problem, ms: u64, solved: bool) -> Attempt {
        let found = Moment { time: Duration::from_millis(ms), depth: 7, nodes: 1200, score: Score(80) };
        let end = Moment { nodes: 5000, score: Score(-80), ..found };
        let played = Some(if solved { problem.best[0] } else { problem.position.legal_moves()[0] });
        Attempt { played, found: solved.then_some(found), end, rank: Some(if solved { 1 } else { 3 }) }
    }

    #[test]
    fn rows_and_totals() {
        let line =
            "4k3/P7/8/8/8/8/8/R3K3 w Q - c0 \"a8=Q+=10, Ra5=3,Kd2=2\"; id \"STS, with a very long name\";";
        let problem = parse(line).unwrap().unwrap();
        let (good, bad) = (attempt(&problem, 150, true), attempt(&problem, 0, false));
        let rows = [row(1, &problem, &good), row(22, &problem, &bad)];
        let cells = rows.each_ref().map(|row| row.split_whitespace().collect::<Vec<_>>());
        assert_eq!(
            cells[0][cells[0].len() - 6..cells[0].len() - 2],
            ["0.150", "s", "7", "1200"],
            "{}",
            rows[0]
        );
        assert!(
            rows[0].ends_with("a8=Q+") && rows[1].contains(" no ") && rows[1].ends_with("(bm a8=Q+, line 3)")
        );
        assert!(rows.iter().all(|row| row.len() <= 100 && !row.contains("long name")), "{rows:?}");
        let mut totals = Totals::default();
        totals.add(&problem, &good);
        totals.add(&problem, &bad);
        let table = totals.table(true, Duration::from_millis(1234));
        let lines: Vec<_> = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
        assert_eq!(lines[1], ["0", "1", "1", "1", "1", "1"], "{table}");
        assert_eq!(
            (lines[2].join(" "), lines[3].join(" ")),
            ("points 10 of 20 (50.0 %)".into(), "10000 nodes in 1.2 s".into())
        );
        assert!(totals.table(false, Duration::ZERO).contains("3 kn"));
        let object = totals.object(1, Duration::from_millis(1234));
        assert_eq!((&object["failed"], &object["solved_within_nodes"][1]), (&json!(2), &json!([3000, 1])));
        assert_eq!(super::object(1, &problem, &bad)["found"], Value::Null);
        assert_eq!(super::object(1, &problem, &good)["points"], json!(10));
    }

    #[test]
    fn sums_of_the_largest_points_are_right() {
        let problem = parse("4k3/P7/8/8/8/8/8/R3K3 w Q - c0 \"a8=Q+=4294967295\";").unwrap().unwrap();
        let mut totals = Totals::default();
        for is_solved in [true, true, false] {
            totals.add(&problem, &attempt(&problem, 1, is_solved));
        }
        let table = totals.table(true, Duration::ZERO);
        assert!(table.contains("points 8589934590 of 12884901885 (66.7 %)"), "{table}");
        assert_eq!(totals.object(0, Duration::ZERO)["most_points"], json!(12_884_901_885_u64));
    }
}
