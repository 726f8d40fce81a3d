//! The command line: `main` reads the arguments and runs the command that they name.
//!
//! Each command has a file; this one has what they share. They can be read in any order: `perft`, `epd`, `analyse`,
//! `selftest` use the engine, `datagen` and `data` make and examine games, `train` makes a network, `genfens` serves
//! a command of UCI. Arguments may also be lines of UCI.

mod analyse;
mod data;
mod datagen;
mod dedup;
mod epd;
mod exchange;
mod game_files;
mod genfens;
mod import_net;
mod perft;
pub mod selftest;
mod train;

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write, stdin};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::{CommandFactory, Parser, Subcommand};

use crate::console::Output;
use crate::engine::bench::BenchOptions;
use crate::engine::speedtest::SpeedOptions;
use crate::engine::{EngineError, NAME};
use crate::nnue::inference::Kernels;
use crate::nnue::{self, Network};
use crate::search::Control;
use crate::tablebase::{Opened, Tablebases};
use crate::uci::format::Drawing;
use crate::uci::{self, Audience, command, run_bench, run_speed_test};

/// A UCI chess engine. Without a command it speaks UCI on standard input and output, which is what
/// chess programs such as Cute Chess or Arena expect. Lines of UCI may also be arguments, each a word of its
/// own for the shell; the program carries them out one after the other and ends.
#[derive(Parser)]
#[command(name = "quillon", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Tool>,
}

const EXAMPLES: &str = "\
Examples:
  quillon                                     speak UCI; type 'help' there for its commands
  quillon selftest                            check that all is well on this machine
  quillon perft 6                             119060324 from the initial position
  quillon perft 4 --divide --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
  quillon perft-suite perft-suites/standard.epd --max-nodes 1000000
  quillon epd tactics.epd --movetime 1000
  quillon analyse games.pgn --out annotated.pgn
  quillon datagen --out gen0.games --threads 2 --minutes 60
  quillon data stats gen0.games
  quillon train --data gen0.games --out gen0.net --hidden 64
  quillon 'go depth 12'                       search the initial position and end
  quillon 'position startpos moves e2e4' 'go movetime 1000'
  quillon 'genfens 1000 seed 42 book None'    balanced openings, as OpenBench asks for them
  quillon bench                               the last line holds the search signature and speed";

#[derive(Subcommand)]
enum Tool {
    /// Speak UCI (the same as no command)
    Uci,
    /// Search fixed positions; the node count is the signature of the search
    Bench {
        /// Depth of each search in plies, 13 if not given; or MiB of hash table, threads and, if wanted, depth. Only with
        /// 16 MiB and one thread are the nodes a signature
        #[arg(num_args = 0..=3, value_name = "NUMBER", value_parser = clap::value_parser!(i64).range(1..))]
        numbers: Vec<i64>,
        /// Instructions to compute the network with (avx512, avx2, neon, scalar); the best if not given
        #[arg(long, value_name = "NAME")]
        kernels: Option<Kernels>,
        #[command(flatten)]
        eval_file: EvalFile,
    },
    /// Measure the nodes per second of the searches of two games
    Speedtest {
        /// Threads (all that the machine has), MiB of hash table (64 for each thread), seconds (30)
        #[arg(num_args = 0..=3, value_name = "NUMBER", value_parser = clap::value_parser!(i64).range(1..))]
        numbers: Vec<i64>,
        #[command(flatten)]
        eval_file: EvalFile,
    },
    /// Check that this program works on this machine; a few seconds
    Selftest,
    /// Count the legal move sequences of a number of plies
    Perft(perft::Arguments),
    /// Solve the positions of an EPD file (operations bm, am, dm, c0, id)
    Epd(epd::Arguments),
    /// Annotate the games of a PGN file with scores, marks and better lines
    Analyse(analyse::Arguments),
    /// Play games against itself into a file of training data
    Datagen(datagen::Arguments),
    /// Check, describe and combine files of training data
    Data(data::Arguments),
    /// Train a network on such files
    Train(Box<train::Arguments>),
    /// List the search parameters in the input format of OpenBench's SPSA tuner
    #[cfg(feature = "tuning")]
    Spsa,
    /// Check perft counts of an EPD file with rows like 'FEN ;D1 20 ;D2 400'
    PerftSuite {
        /// The EPD file
        file: PathBuf,
        /// Leave out deeper entries
        #[arg(long, value_name = "D")]
        max_depth: Option<u32>,
        /// Leave out entries with more nodes
        #[arg(long, value_name = "N")]
        max_nodes: Option<u64>,
        /// Worker threads
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
        threads: u16,
    },
}

/// The options that several tools have for the evaluation.
#[derive(clap::Args)]
pub struct EvalFile {
    /// Evaluate with the network of this file instead of the built-in one
    #[arg(long = "eval-file", value_name = "NET")]
    path: Option<PathBuf>,
    /// Evaluate by 'material', with a little noise: where training from nothing begins
    #[arg(long = "eval", value_name = "NAME", conflicts_with = "path")]
    name: Option<Named>,
}

/// An evaluation that is part of the program besides the built-in network.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Named {
    Material,
}

impl EvalFile {
    /// The network chosen.
    ///
    /// # Errors
    /// When the file cannot be used, as a message for people.
    pub fn network(&self) -> Result<Arc<Network>, String> {
        match (&self.path, self.name) {
            (Some(path), _) => match Network::load(path) {
                Ok(network) => Ok(Arc::new(network)),
                Err(error) => Err(format!("{}: {error}", path.display())),
            },
            (None, Some(Named::Material)) => Ok(nnue::material()),
            (None, None) => Ok(nnue::built_in()),
        }
    }
}

/// The option that several tools have for endgame tables.
#[derive(clap::Args)]
pub struct Tables {
    /// Use the Syzygy tables of these folders, separated as in the UCI option SyzygyPath
    #[arg(long = "syzygy", value_name = "FOLDERS")]
    folders: Option<String>,
}

impl Tables {
    /// The tables, if any are asked for.
    ///
    /// # Errors
    /// When there is no usable table, as a message for people.
    pub fn open(&self) -> Result<Option<Arc<Tablebases>>, String> {
        let Some(folders) = &self.folders else { return Ok(None) };
        let Opened { tables, faults } = Tablebases::open(folders);
        let reason = faults.first().map_or(String::new(), |fault| format!(": {fault}"));
        tables.map(Some).ok_or_else(|| format!("no usable endgame tables in {folders}{reason}"))
    }
}

/// A flag that the first Ctrl-C (or a termination signal) sets. A second one ends the program at once, which must not
/// damage any file.
fn stop_on_ctrl_c() -> Result<Arc<AtomicBool>, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let on_signal = move || {
        if flag.swap(true, Relaxed) {
            process::exit(130);
        }
    };
    ctrlc::set_handler(on_signal).map_err(|error| format!("cannot catch Ctrl-C: {error}"))?;
    Ok(stop)
}

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    let words: Vec<String> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if are_lines(&words) {
        return carry_out(&words);
    }
    let tool = match Arguments::try_parse() {
        Ok(arguments) => arguments.command.unwrap_or(Tool::Uci),
        Err(text) => return explain(&text),
    };
    let output = Arc::new(if tool.only_prints() {
        Output::standard().on_failure(|error| process::exit(cannot_write(error)))
    } else {
        Output::standard()
    });
    let is_client = matches!(tool, Tool::Uci);
    let code = tool.run(&output).unwrap_or_else(|message| {
        complain(&message);
        ExitCode::FAILURE
    });
    match output.failure() {
        None => code,
        // Chess programs often close the pipe without `quit`.
        Some(error) if is_client && error.kind() == io::ErrorKind::BrokenPipe => code,
        Some(error) => ExitCode::from(cannot_write(error) as u8),
    }
}

/// Whether the arguments are lines of UCI: when the first holds blanks or begins no command of the shell. `uci`,
/// `bench` and `perft` are commands of both kinds; they count as UCI when another line of UCI follows.
fn are_lines(words: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let is_tool = Arguments::command().find_subcommand(first).is_some() || first == "help";
    match rest.first() {
        _ if first.starts_with('-') => false,
        _ if first.contains(char::is_whitespace) => true,
        Some(next) if first != "help" && command::is_word(first) => {
            !is_tool || matches!(command::parse(next), Ok(Some(_)))
        }
        _ => command::is_word(first) && !is_tool,
    }
}

/// Carries out lines of UCI that were arguments.
fn carry_out(lines: &[String]) -> ExitCode {
    let output = Arc::new(Output::standard());
    let result = uci::carry_out(lines, Arc::clone(&output), genfens::make_openings);
    match (result, output.failure()) {
        (Err(error), _) => {
            complain(&error.to_string());
            // As for all unusable arguments.
            ExitCode::from(2)
        }
        (Ok(_), Some(error)) => ExitCode::from(cannot_write(error) as u8),
        (Ok(true), None) => ExitCode::SUCCESS,
        (Ok(false), None) => ExitCode::FAILURE,
    }
}

impl Tool {
    /// Whether the tool does nothing but print. Such a tool ends as soon as its output cannot be written; the others
    /// finish the files that they write.
    fn only_prints(&self) -> bool {
        match self {
            Tool::Uci | Tool::Datagen(_) | Tool::Train(_) => false,
            Tool::Data(arguments) => !arguments.writes_files(),
            Tool::Analyse(arguments) => !arguments.writes_files(),
            _ => true,
        }
    }

    fn run(self, output: &Arc<Output>) -> Result<ExitCode, String> {
        match self {
            Tool::Uci => speak_uci(output),
            Tool::Bench { numbers, kernels, eval_file } => {
                let (options, kernels) =
                    (BenchOptions::from_numbers(&numbers), kernels.unwrap_or_else(Kernels::best));
                let control = Arc::new(Control::new(1, false));
                say_speed(run_bench(options, eval_file.network()?, kernels, output, &control), output)
            }
            Tool::Speedtest { numbers, eval_file } => {
                let (options, control) =
                    (SpeedOptions::from_numbers(&numbers), Arc::new(Control::new(1, false)));
                say_speed(run_speed_test(options, &eval_file.network()?, output, &control), output)
            }
            Tool::Selftest => Ok(selftest::run(output)),
            Tool::Perft(arguments) => perft::run(&arguments, output),
            Tool::Epd(arguments) => epd::run(&arguments, output),
            Tool::Analyse(arguments) => analyse::run(&arguments, output),
            Tool::Datagen(arguments) => datagen::run(&arguments, output),
            Tool::Data(arguments) => data::run(&arguments, output),
            Tool::Train(arguments) => train::run(&arguments, output),
            #[cfg(feature = "tuning")]
            Tool::Spsa => Ok(list_parameters(output)),
            Tool::PerftSuite { file, max_depth, max_nodes, threads } => {
                let limits = perft::SuiteLimits { max_depth, max_nodes, threads: threads.into() };
                perft::run_suite(&file, limits, output)
            }
        }
    }
}

/// Prints the last line of a measurement.
fn say_speed(measured: Result<String, EngineError>, output: &Output) -> Result<ExitCode, String> {
    output.line(&measured.map_err(|error| error.to_string())?);
    Ok(ExitCode::SUCCESS)
}

/// Prints the answer to the arguments: help, the version, or an error.
fn explain(text: &clap::Error) -> ExitCode {
    let printed = text.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if !text.use_stderr() => ExitCode::from(cannot_write(&error) as u8),
        _ => ExitCode::from(text.exit_code() as u8),
    }
}

/// Exit code of a program whose output is no longer read, as shells show it: 128 plus the number of SIGPIPE.
const NOBODY_READS: i32 = 128 + 13;

/// Reports why standard output could not be written, unless its reader has gone away, and returns the exit code.
fn cannot_write(error: &io::Error) -> i32 {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return NOBODY_READS;
    }
    complain(&format!("cannot write to standard output: {error}"));
    1
}

/// Writes an error message. A failure to write it is ignored, since it could not be reported.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "quillon: {message}");
}

/// A message about a file.
fn about(file: &Path, error: impl Display) -> String {
    format!("{}: {error}", file.display())
}

/// Number of faults that are reported one by one.
const SHOWN_FAULTS: usize = 8;

/// Reports the first faults of a file, a line each, and the number of further ones: in a file of another kind every
/// line is faulty.
fn report_faults(file: &str, faults: &[String], output: &Output) {
    for fault in faults.iter().take(SHOWN_FAULTS) {
        output.line(fault);
    }
    if faults.len() > SHOWN_FAULTS {
        output.line(&format!("{file}: {} more lines that cannot be used", faults.len() - SHOWN_FAULTS));
    }
}

fn speak_uci(output: &Arc<Output>) -> Result<ExitCode, String> {
    if stdin().is_terminal() {
        output.line(&format!("{NAME}, a UCI chess engine. Type 'help' for help, 'quit' to leave."));
    }
    uci::run(Arc::clone(output), audience(), genfens::make_openings).map_err(|error| error.to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Who reads what is said: a person where both input and output are a terminal.
fn audience() -> Audience {
    if !stdin().is_terminal() || !io::stdout().is_terminal() {
        return Audience::Program;
    }
    // The first of these that is set counts. On Windows only the newer terminal has the figures.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|name| env::var(name).ok());
    let locale = locale.filter(|value| !value.is_empty()).map(|value| value.to_ascii_uppercase()).next();
    let is_unicode = locale.is_some_and(|value| value.contains("UTF-8") || value.contains("UTF8"));
    let has_figures = if cfg!(windows) { env::var_os("WT_SESSION").is_some() } else { is_unicode };
    Audience::Person(if has_figures { Drawing::Figures } else { Drawing::Letters })
}

/// Prints the search parameters in the input format of OpenBench's tuner.
#[cfg(feature = "tuning")]
fn list_parameters(output: &Output) -> ExitCode {
    for info in crate::search::Params::INFO.iter().filter(|info| !info.is_switch()) {
        output.line(&format!(
            "{}, int, {}.0, {}.0, {}.0, {}.0, 0.002",
            info.name, info.default, info.min, info.max, info.step
        ));
    }
    ExitCode::SUCCESS
}
