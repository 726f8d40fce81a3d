//! The command line: which command runs with which arguments.

mod data;
mod datagen;
mod epd;
mod eval_file;
mod faults;
mod perft;
pub mod selftest;
pub mod suite;
mod train;

use std::fmt::Display;
use std::io::{self, IsTerminal, Write, stdin};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::sync::Arc;

use clap::{Parser, Subcommand};

use crate::console::Output;
use crate::engine::{NAME, bench};
use crate::nnue::inference::Kernels;
use crate::search::Control;
use crate::types::Depth;
use crate::uci::{self, run_bench};
use eval_file::EvalFile;

/// A UCI chess engine. Without a command it speaks UCI on standard input and output, which is what
/// chess programs such as Cute Chess or Arena expect.
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
  quillon datagen --out gen0.games --threads 2 --minutes 60
  quillon data stats gen0.games
  quillon train --data gen0.games --out gen0.net --hidden 64
  quillon bench                               the last line holds the search signature and speed";

#[derive(Subcommand)]
enum Tool {
    /// Speak UCI (the same as no command)
    Uci,
    /// Search fixed positions; the node count is the signature of the search
    Bench {
        /// Depth of each search in plies
        #[arg(default_value_t = bench::DEFAULT_DEPTH, value_parser = clap::value_parser!(i32).range(1..=60))]
        depth: Depth,
        /// Instructions to compute the network with (avx512, avx2, neon, scalar); the best if not given
        #[arg(long, value_name = "NAME")]
        kernels: Option<Kernels>,
        #[command(flatten)]
        eval_file: EvalFile,
    },
    /// Check that this program works on this machine; a few seconds
    Selftest,
    /// Count the legal move sequences of so many plies
    Perft(perft::Arguments),
    /// Solve the positions of an EPD file (operations bm, am, id)
    Epd(epd::Arguments),
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

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
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
        // That a chess program goes away without quit is the usual end of a conversation.
        Some(error) if is_client && error.kind() == io::ErrorKind::BrokenPipe => code,
        Some(error) => ExitCode::from(cannot_write(error) as u8),
    }
}

impl Tool {
    /// Whether all that the tool does is to print. It ends as soon as that is impossible; the others finish
    /// the files that they write.
    fn only_prints(&self) -> bool {
        match self {
            Tool::Uci | Tool::Datagen(_) | Tool::Train(_) => false,
            Tool::Data(arguments) => !arguments.writes_files(),
            _ => true,
        }
    }

    fn run(self, output: &Arc<Output>) -> Result<ExitCode, String> {
        match self {
            Tool::Uci => speak_uci(output),
            Tool::Bench { depth, kernels, eval_file } => eval_file.network().map(|network| {
                let kernels = kernels.unwrap_or_else(Kernels::best);
                let control = Arc::new(Control::new(1, false));
                output.line(&run_bench(depth, network, kernels, output, &control));
                ExitCode::SUCCESS
            }),
            Tool::Selftest => Ok(selftest::run(output)),
            Tool::Perft(arguments) => perft::run(&arguments, output),
            Tool::Epd(arguments) => epd::run(&arguments, output),
            Tool::Datagen(arguments) => datagen::run(&arguments, output),
            Tool::Data(arguments) => data::run(&arguments, output),
            Tool::Train(arguments) => train::run(&arguments, output),
            #[cfg(feature = "tuning")]
            Tool::Spsa => Ok(list_parameters(output)),
            Tool::PerftSuite { file, max_depth, max_nodes, threads } => {
                let limits = suite::Limits { max_depth, max_nodes, threads: threads.into() };
                suite::run_file(&file, limits, output)
            }
        }
    }
}

/// Prints what the arguments were answered with: help, the version, or what is wrong with them.
fn explain(text: &clap::Error) -> ExitCode {
    let printed = text.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if !text.use_stderr() => ExitCode::from(cannot_write(&error) as u8),
        _ => ExitCode::from(text.exit_code() as u8),
    }
}

/// Exit code of programs that wrote for nobody, as shells show it: 128 and the number of SIGPIPE.
const NOBODY_READS: i32 = 128 + 13;

/// Says why standard output could not be written, unless that is because its reader has had enough, and returns
/// the exit code.
fn cannot_write(error: &io::Error) -> i32 {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return NOBODY_READS;
    }
    complain(&format!("cannot write to standard output: {error}"));
    1
}

/// Writes an error; where even that fails there is nothing left to do.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "quillon: {message}");
}

/// A message about a file.
fn about(file: &Path, error: impl Display) -> String {
    format!("{}: {error}", file.display())
}

fn speak_uci(output: &Arc<Output>) -> Result<ExitCode, String> {
    if stdin().is_terminal() {
        output.line(&format!("{NAME}, a UCI chess engine. Type 'help' for help, 'quit' to leave."));
    }
    uci::run(Arc::clone(output)).map_err(|error| error.to_string())?;
    Ok(ExitCode::SUCCESS)
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
