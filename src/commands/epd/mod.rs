//! `quillon epd`: solves test positions.
//!
//! To be read in this order: `problem` (an EPD line), `solve` (the search and when it found the solution), `report` (the
//! table), this file (the options, several positions at the same time).

mod problem;
mod report;
mod solve;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use super::{EvalFile, Tables, report_faults};
use crate::console::{Output, progress};
use crate::engine::{Engine, EngineError};
use crate::search::SearchLimits;
use crate::types::Depth;
use problem::{Problem, problems};
use report::Totals;
use solve::{Attempt, solve};

/// Arguments of `quillon epd`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
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
    /// End a search as soon as N iterations in a row have held the solution
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    hold: Option<u32>,
    /// Positions searched at the same time. This is for counting: use it with --nodes or --depth, since times mean
    /// little when searches share the machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Threads of each search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    search_threads: u16,
    /// Size of the hash table of each search
    #[arg(long, value_name = "MB", default_value_t = 64)]
    hash: usize,
    /// Lines searched; one that is not the first solves nothing, but its rank is told
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    multipv: u16,
    /// Print an object of JSON for each position and one for all, one a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    eval_file: EvalFile,
}

const EXAMPLES: &str = "\
A line of the file is a position and what is wanted: bm Nf3 (one of the best moves), am Qxb7 (none of these), dm 3
(a mate in at most 3 moves), or several of these, all of which count; id \"name\". c0 \"Nf3=10, d4=7\" gives points to
moves. 'solved in' is when the solution was found that was held to the end; the score is that for the side to move.

Examples:
  quillon epd wac.epd --movetime 1000
  quillon epd wac.epd --movetime 10000 --hold 4     on to the next position when the solution is settled
  quillon epd wac.epd --nodes 100000 --threads 4    the same count on every machine
  quillon epd sts.epd --nodes 50000 --json > sts.json";

impl Arguments {
    fn limits(&self) -> SearchLimits {
        let by_time = self.depth.is_none() && self.nodes.is_none();
        SearchLimits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: by_time.then(|| Duration::from_millis(self.movetime)),
            multi_pv: self.multipv.into(),
            ..SearchLimits::default()
        }
    }

    /// Whether the time in which a position was solved says something about the engine.
    fn times_count(&self) -> bool {
        self.threads == 1 && self.depth.is_none() && self.nodes.is_none()
    }

    fn engines(&self, number: usize) -> Result<Vec<Engine>, String> {
        let (network, tables) = (self.eval_file.network()?, self.tables.open()?);
        let engine = || {
            let mut engine = Engine::new()?;
            engine.set_hash(self.hash)?;
            engine.set_threads(self.search_threads.into())?;
            engine.set_network(network.clone());
            engine.set_tablebases(tables.clone());
            Ok(engine)
        };
        let engines = (0..number).map(|_| engine()).collect::<Result<_, EngineError>>();
        engines.map_err(|error| error.to_string())
    }
}

/// Solves the positions of a file and prints what became of each, and a summary.
///
/// # Errors
/// When the file cannot be read or used, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    let file = arguments.file.display().to_string();
    let bytes = std::fs::read(&arguments.file).map_err(|error| format!("cannot read {file}: {error}"))?;
    let text = String::from_utf8_lossy(&bytes);
    // Some editors begin a file with a byte order mark.
    let (problems, unusable) = problems(&file, text.trim_start_matches('\u{feff}'));
    let engines = arguments.engines(problems.len().min(arguments.threads.into()))?;
    arguments.begin(&file, &unusable, output);
    if problems.is_empty() {
        arguments.end(&Totals::default(), unusable.len(), None, output);
        return match unusable.len() {
            0 => Err(format!("no positions in {file}")),
            _ => Ok(ExitCode::FAILURE),
        };
    }
    if !arguments.json {
        output.line(report::HEADING);
    }
    let (start, mut totals) = (Instant::now(), Totals::default());
    let bar = progress::bar(problems.len() as u64, "positions");
    in_parallel(engines, arguments, &problems, |(line, problem), attempt| {
        totals.add(problem, &attempt);
        let text = match arguments.json {
            true => report::object(*line, problem, &attempt).to_string(),
            false => report::row(*line, problem, &attempt),
        };
        bar.suspend(|| output.line(&text));
        bar.inc(1);
        bar.set_message(format!("{} solved", totals.solved));
    });
    bar.finish_and_clear();
    arguments.end(&totals, unusable.len(), Some(start.elapsed()), output);
    Ok(if totals.unsolved + unusable.len() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Arguments {
    /// Prints what comes before the rows; with `--json` on standard error.
    fn begin(&self, file: &str, unusable: &[String], output: &Output) {
        if self.json {
            return unusable.iter().for_each(|fault| eprintln!("{fault}"));
        }
        report_faults(file, unusable, output);
        if self.threads > 1 && self.depth.is_none() && self.nodes.is_none() {
            output.line(
                "note: searches at the same time slow each other; only with --nodes or --depth is the count the \
                 same each time",
            );
        }
    }

    /// Prints the summary. Without a time nothing was searched.
    fn end(&self, totals: &Totals, unusable: usize, time: Option<Duration>, output: &Output) {
        if self.json {
            output.line(&totals.object(unusable, time.unwrap_or_default()).to_string());
            return;
        }
        if let Some(time) = time {
            output.line(&totals.table(self.times_count(), time));
        }
        output.line(&format!("{} passed, {} failed", totals.solved, totals.unsolved + unusable));
    }
}

/// Lets each engine solve problem after problem. `each` gets the attempts in the order of the problems.
fn in_parallel(
    engines: Vec<Engine>,
    arguments: &Arguments,
    problems: &[(usize, Problem)],
    mut each: impl FnMut(&(usize, Problem), Attempt),
) {
    let (limits, next) = (arguments.limits(), AtomicUsize::new(0));
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        for mut engine in engines {
            let (sender, limits, next) = (sender.clone(), &limits, &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Relaxed);
                    let Some((_, problem)) = problems.get(index) else { break };
                    let attempt = solve(&mut engine, limits, arguments.hold, problem);
                    if sender.send((index, attempt)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut waiting, mut due) = (BTreeMap::new(), 0);
        for (index, attempt) in receiver {
            waiting.insert(index, attempt);
            while let Some(attempt) = waiting.remove(&due) {
                each(&problems[due], attempt);
                due += 1;
            }
        }
    });
}
