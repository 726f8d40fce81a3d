//! Test positions: EPD lines with the operations `bm`, `am`, `dm`, `c0` and `id`.

use crate::board::{FenError, Position};
use crate::notation::{MoveError, format_san, parse_move};
use crate::types::{Move, Score};

/// A test position with its solution.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// Moves of which one must be played; empty when the line has no `bm`.
    pub best: Vec<Move>,
    /// Moves that must not be played.
    pub avoid: Vec<Move>,
    /// A mate in so many moves must be found.
    pub mate: Option<i32>,
    /// Moves and the points that they are worth.
    pub points: Vec<(Move, u32)>,
    /// The operand of `id`, or an empty text.
    pub id: String,
}

/// Why an EPD line is unusable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// The position is not valid.
    #[error("{0}")]
    Fen(#[from] FenError),
    /// A move of `bm`, `am` or `c0` is not legal.
    #[error("{0}")]
    Move(#[from] MoveError),
    /// The operand of `dm` is not a number of moves.
    #[error("dm needs a number of moves, not '{0}'")]
    Mate(String),
    /// The line does not say what the solution is.
    #[error("neither bm nor am is given, nor dm, nor points in c0")]
    NoMoves,
}

/// Reads an EPD line; empty lines and comments (`#`) give `None`.
///
/// # Errors
/// When the position or a move is not valid, or nothing says what the solution is.
pub fn parse(line: &str) -> Result<Option<Problem>, EpdError> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let mut rest = line;
    let mut fields = Vec::new();
    while fields.len() < 4 && !rest.is_empty() {
        let (field, tail) = first_word(rest);
        fields.push(field);
        rest = tail;
    }
    let position: Position = fields.join(" ").parse()?;
    // Strictly EPD has no move counters, but many files do.
    for _ in 0..2 {
        let (field, tail) = first_word(rest);
        if !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit()) {
            rest = tail;
        }
    }
    let mut problem = Problem {
        position,
        best: Vec::new(),
        avoid: Vec::new(),
        mate: None,
        points: Vec::new(),
        id: String::new(),
    };
    for operation in operations(rest) {
        problem.read(operation)?;
    }
    if problem.best.is_empty() && problem.avoid.is_empty() && problem.mate.is_none() {
        problem.best = problem.worth_most();
    }
    let is_empty = problem.best.is_empty() && problem.avoid.is_empty() && problem.mate.is_none();
    if is_empty { Err(EpdError::NoMoves) } else { Ok(Some(problem)) }
}

/// The first word and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// Splits at semicolons outside quotation marks.
fn operations(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |letter| {
        quoted ^= letter == '"';
        letter == ';' && !quoted
    })
    .map(str::trim)
}

/// Points of moves, `"f5=10, Be5+=2"`, as the Strategic Test Suite has them; `None` for any other comment.
fn read_points(position: &Position, text: &str) -> Option<Result<Vec<(Move, u32)>, MoveError>> {
    let pairs: Option<Vec<(&str, u32)>> = text
        .split(',')
        .map(|pair| {
            let (mv, points) = pair.trim().rsplit_once('=')?;
            Some((mv, points.parse().ok()?))
        })
        .collect();
    Some(pairs?.into_iter().map(|(mv, points)| Ok((parse_move(position, mv)?, points))).collect())
}

impl Problem {
    /// Takes what one operation says; those that say nothing about the solution are skipped.
    fn read(&mut self, operation: &str) -> Result<(), EpdError> {
        let (code, operands) = first_word(operation);
        let words = operands.split([' ', '\t', ',']).filter(|text| !text.is_empty());
        let moves = || words.map(|text| parse_move(&self.position, text)).collect::<Result<_, _>>();
        match code {
            "bm" => self.best = moves()?,
            "am" => self.avoid = moves()?,
            "dm" => {
                let number = operands.parse().ok().filter(|number| *number > 0);
                self.mate = Some(number.ok_or_else(|| EpdError::Mate(operands.chars().take(40).collect()))?);
            }
            "c0" => {
                if let Some(points) = read_points(&self.position, operands.trim_matches('"')) {
                    self.points = points?;
                }
            }
            "id" => self.id = operands.trim().trim_matches('"').to_owned(),
            _ => {}
        }
        Ok(())
    }

    /// The moves with the most points.
    fn worth_most(&self) -> Vec<Move> {
        let most = self.most_points();
        self.points.iter().filter(|&&(_, points)| points == most).map(|&(mv, _)| mv).collect()
    }

    /// The points of the best move; 0 where there are no points.
    pub fn most_points(&self) -> u32 {
        self.points.iter().map(|&(_, points)| points).max().unwrap_or(0)
    }

    /// The points that this move is worth.
    pub fn points(&self, mv: Move) -> u32 {
        self.points.iter().find(|(worth, _)| *worth == mv).map_or(0, |&(_, points)| points)
    }

    /// Whether this move, with this score, solves the problem: by every operation that the line has.
    pub fn is_solved_by(&self, mv: Move, score: Score) -> bool {
        let mates = |within| score.mate_moves().is_some_and(|moves| (1..=within).contains(&moves));
        (self.best.is_empty() || self.best.contains(&mv))
            && !self.avoid.contains(&mv)
            && self.mate.is_none_or(mates)
    }

    /// What is wanted, as in the file.
    pub fn wanted(&self) -> String {
        let list = |code: &str, moves: &[Move]| {
            let sans = moves.iter().map(|&mv| format_san(&self.position, mv));
            (!moves.is_empty()).then(|| format!("{code} {}", sans.collect::<Vec<_>>().join(" ")))
        };
        let mate = self.mate.map(|moves| format!("dm {moves}"));
        let all = [list("bm", &self.best), list("am", &self.avoid), mate];
        all.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// The problems of a file with the numbers of their lines, and what is wrong with the other lines.
pub fn problems(file: &str, text: &str) -> (Vec<(usize, Problem)>, Vec<String>) {
    let (mut problems, mut unusable) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()) {
        match parse(text) {
            Ok(problem) => problems.extend(problem.map(|problem| (line, problem))),
            Err(error) => unusable.push(format!("{file}:{line}: {error}")),
        }
    }
    (problems, unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &str) -> Problem {
        parse(line).unwrap().unwrap()
    }

    #[test]
    fn operations() {
        let zero = Score(0);
        let line = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8+; id \"back rank\"; c0 \"x\";";
        let best = problem(line);
        assert_eq!((best.best.len(), best.avoid.len(), best.id.as_str()), (1, 0, "back rank"));
        assert!(best.is_solved_by(best.best[0], zero) && best.points.is_empty());
        let avoid = problem("6k1/5ppp/8/8/8/8/8/R3K3 w Q - am Ra8 O-O-O;");
        assert!(avoid.avoid.iter().all(|&mv| !avoid.is_solved_by(mv, zero)));
        let counters = problem("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1 bm a1a8, Kd2; id \"a; b\";");
        assert_eq!((counters.best.len(), counters.id.as_str()), (2, "a; b"));
        assert!(parse("# nothing").unwrap().is_none());
        assert_eq!(parse("6k1/8/8/8/8/8/8/R3K3 w Q - id \"x\";").unwrap_err(), EpdError::NoMoves);
        assert!(matches!(parse("6k1/8/8/8/8/8/8/R3K3 w Q - bm Qa8;"), Err(EpdError::Move(_))));
        assert!(matches!(parse("8/8/8 w - - bm Qa8;"), Err(EpdError::Fen(_))));
    }

    #[test]
    fn a_mate_must_be_short_enough() {
        let mate = problem("6k1/5ppp/8/8/8/8/8/R3K3 w Q - dm 2;");
        let any = mate.position.legal_moves()[0];
        assert!(mate.is_solved_by(any, Score::mate_in(3)) && mate.is_solved_by(any, Score::mate_in(1)));
        for score in [Score::mate_in(5), Score::mated_in(2), Score(0)] {
            assert!(!mate.is_solved_by(any, score));
        }
        let both = problem("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8; dm 1;");
        assert!(
            both.is_solved_by(both.best[0], Score::mate_in(1)) && !both.is_solved_by(both.best[0], Score(0))
        );
        assert_eq!(both.wanted(), "bm Ra8# dm 1");
        for wrong in ["dm", "dm 0", "dm x"] {
            assert!(matches!(parse(&format!("6k1/8/8/8/8/8/8/R3K3 w Q - {wrong};")), Err(EpdError::Mate(_))));
        }
    }

    #[test]
    fn points_of_the_strategic_test_suite() {
        let line = "4k3/P7/8/8/8/8/8/R3K3 w Q - c0 \"a8=Q+=10, Ra5=3,Kd2=2\"";
        let rated = problem(line);
        assert_eq!((rated.points.len(), rated.most_points(), rated.wanted().as_str()), (3, 10, "bm a8=Q+"));
        assert_eq!((rated.points(rated.best[0]), rated.points(rated.position.legal_moves()[0])), (10, 0));
        let both = problem("4k3/P7/8/8/8/8/8/R3K3 w Q - bm Ra5; c0 \"a8=Q=10, Ra5=3\"");
        assert_eq!((both.wanted().as_str(), both.points(both.best[0])), ("bm Ra5", 3));
        assert!(matches!(parse("4k3/8/8/8/8/8/8/R3K3 w Q - c0 \"Qa5=3\""), Err(EpdError::Move(_))));
        assert!(problem("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra5; c0 \"x=10, y\"").points.is_empty());
    }
}
