//! `quillon epd`: solves test positions that name best moves (`bm`) or moves to avoid (`am`).

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::{EvalFile, report_faults};
use crate::board::{FenError, Game, Position};
use crate::console::{Output, progress};
use crate::engine::Engine;
use crate::notation::{MoveError, format_san, parse_san, parse_uci};
use crate::search::{SearchEvent, SearchLimits};
use crate::types::{Depth, Move};

/// Arguments of `quillon epd`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The EPD file
    file: PathBuf,
    /// Milliseconds for each position
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    movetime: u64,
    /// Search to this depth instead
    #[arg(long, value_name = "PLIES", conflicts_with = "movetime", value_parser = clap::value_parser!(i32).range(1..=200))]
    depth: Option<Depth>,
    /// Search this many nodes instead
    #[arg(long, value_name = "N", conflicts_with_all = ["movetime", "depth"], value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Size of the hash table
    #[arg(long, value_name = "MB", default_value_t = 64)]
    hash: usize,
    #[command(flatten)]
    eval_file: EvalFile,
}

/// A test position with its solution.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// Moves of which one must be played; empty when the line has no `bm`.
    pub best: Vec<Move>,
    /// Moves that must not be played.
    pub avoid: Vec<Move>,
    /// The operand of `id`, or an empty text.
    pub id: String,
}

/// Why an EPD line is unusable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// The position is not valid.
    #[error("{0}")]
    Fen(#[from] FenError),
    /// A move of `bm` or `am` is not legal.
    #[error("{0}")]
    Move(#[from] MoveError),
    /// The line names neither `bm` nor `am`.
    #[error("neither bm nor am is given")]
    NoMoves,
}

/// Reads an EPD line; empty lines and comments (`#`) give `None`.
///
/// # Errors
/// When the position or a move is not valid, or no move is named.
pub fn parse(line: &str) -> Result<Option<Problem>, EpdError> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let mut rest = line;
    let mut fields = Vec::new();
    while fields.len() < 4 && !rest.is_empty() {
        let (field, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        fields.push(field);
        rest = tail.trim_start();
    }
    let position: Position = fields.join(" ").parse()?;
    // Strictly EPD has no move counters, but many files do.
    for _ in 0..2 {
        let (field, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit()) {
            rest = tail.trim_start();
        }
    }
    let mut problem = Problem { position, best: Vec::new(), avoid: Vec::new(), id: String::new() };
    for operation in operations(rest) {
        let (code, operands) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
        let moves = || {
            operands
                .split([' ', '\t', ','])
                .filter(|text| !text.is_empty())
                .map(|text| read_move(&position, text))
        };
        match code {
            "bm" => problem.best = moves().collect::<Result<_, _>>()?,
            "am" => problem.avoid = moves().collect::<Result<_, _>>()?,
            "id" => problem.id = operands.trim().trim_matches('"').to_owned(),
            _ => {}
        }
    }
    if problem.best.is_empty() && problem.avoid.is_empty() {
        return Err(EpdError::NoMoves);
    }
    Ok(Some(problem))
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

/// A move in SAN or, as some files have it, in coordinates.
fn read_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    parse_san(position, text).or_else(|error| parse_uci(position, text).map_err(|_| error))
}

impl Problem {
    /// Whether this move solves the problem.
    pub fn is_solved_by(&self, mv: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
    }

    /// The id as the start of a message.
    fn label(&self) -> String {
        if self.id.is_empty() { String::new() } else { format!("{}: ", self.id) }
    }

    /// The wanted moves, as in the file.
    fn wanted(&self) -> String {
        let list = |moves: &[Move]| {
            moves.iter().map(|&mv| format_san(&self.position, mv)).collect::<Vec<_>>().join(" ")
        };
        match (self.best.is_empty(), self.avoid.is_empty()) {
            (false, true) => format!("bm {}", list(&self.best)),
            (true, _) => format!("am {}", list(&self.avoid)),
            (false, false) => format!("bm {} am {}", list(&self.best), list(&self.avoid)),
        }
    }
}

/// Solves the positions of a file and prints misses and a summary.
///
/// # Errors
/// When the file cannot be read or used, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    let file = arguments.file.display();
    let bytes = std::fs::read(&arguments.file).map_err(|error| format!("cannot read {file}: {error}"))?;
    let mut engine = Engine::new().map_err(|error| error.to_string())?;
    engine.set_hash(arguments.hash).map_err(|error| error.to_string())?;
    engine.set_threads(arguments.threads.into()).map_err(|error| error.to_string())?;
    engine.set_network(arguments.eval_file.network()?);
    let text = String::from_utf8_lossy(&bytes);
    // Some editors begin a file with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let (problems, unusable) = problems(&file.to_string(), text);
    report_faults(&file.to_string(), &unusable, output);
    let bar = progress::bar(problems.len() as u64, "positions");
    let (mut passed, mut failed) = (0, unusable.len());
    for (line, problem) in problems {
        let miss = match solve(&mut engine, arguments, &problem) {
            Some(mv) if problem.is_solved_by(mv) => None,
            Some(mv) => {
                let played = format_san(&problem.position, mv);
                Some(format!("{}{}, played {played}", problem.label(), problem.wanted()))
            }
            None => Some(format!("{}no legal move", problem.label())),
        };
        match miss {
            None => passed += 1,
            Some(miss) => {
                failed += 1;
                bar.suspend(|| output.line(&format!("{file}:{line}: {miss}")));
            }
        }
        bar.inc(1);
        bar.set_message(format!("{passed} solved"));
    }
    bar.finish_and_clear();
    output.line(&format!("{passed} passed, {failed} failed"));
    if passed + failed == 0 {
        return Err(format!("no positions in {file}"));
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The problems of a file with the numbers of their lines, and what is wrong with the other lines.
fn problems(file: &str, text: &str) -> (Vec<(usize, Problem)>, Vec<String>) {
    let (mut problems, mut unusable) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()) {
        match parse(text) {
            Ok(problem) => problems.extend(problem.map(|problem| (line, problem))),
            Err(error) => unusable.push(format!("{file}:{line}: {error}")),
        }
    }
    (problems, unusable)
}

/// The engine's move, from a search that begins with empty tables.
fn solve(engine: &mut Engine, arguments: &Arguments, problem: &Problem) -> Option<Move> {
    engine.new_game();
    engine.set_game(Game::new(problem.position));
    if let Some(wait) = engine.readiness() {
        wait();
    }
    let by_time = arguments.depth.is_none() && arguments.nodes.is_none();
    let limits = SearchLimits {
        depth: arguments.depth,
        nodes: arguments.nodes,
        move_time: by_time.then(|| Duration::from_millis(arguments.movetime)),
        ..SearchLimits::default()
    };
    let (sender, receiver) = channel();
    engine.go(limits, move |event| {
        if let SearchEvent::Finished(result) = event {
            let _ = sender.send(result.best);
        }
    });
    receiver.recv().ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations() {
        let line = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8+; id \"back rank\"; c0 \"x\";";
        let problem = parse(line).unwrap().unwrap();
        assert_eq!((problem.best.len(), problem.avoid.len(), problem.id.as_str()), (1, 0, "back rank"));
        assert!(problem.is_solved_by(problem.best[0]));
        let avoid = parse("6k1/5ppp/8/8/8/8/8/R3K3 w Q - am Ra8 O-O-O;").unwrap().unwrap();
        assert!(!avoid.is_solved_by(avoid.avoid[0]) && !avoid.is_solved_by(avoid.avoid[1]));
        let counters =
            parse("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1 bm a1a8, Kd2; id \"a; b\";").unwrap().unwrap();
        assert_eq!((counters.best.len(), counters.id.as_str()), (2, "a; b"));
        assert!(parse("# nothing").unwrap().is_none());
        assert_eq!(parse("6k1/8/8/8/8/8/8/R3K3 w Q - id \"x\";").unwrap_err(), EpdError::NoMoves);
        assert!(matches!(parse("6k1/8/8/8/8/8/8/R3K3 w Q - bm Qa8;"), Err(EpdError::Move(_))));
        assert!(matches!(parse("8/8/8 w - - bm Qa8;"), Err(EpdError::Fen(_))));
    }
}
