//! `quillon data`: looks at files of self-play games and puts them together.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::ProgressBar;

use super::chart;
use super::error::DataError;
use super::header::DataHeader;
use super::progress::bytes_bar;
use super::reader::DataReader;
use super::record::GameRecord;
use super::stats::Stats;
use super::tally::Tally;
use super::wdl::WdlCounts;
use super::writer::DataWriter;
use crate::uci::{NAME, Output};

/// Arguments of `quillon data`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    task: Task,
}

const EXAMPLES: &str = "\
Examples:
  quillon data verify gen0.games              names the first bad block; exit code 1
  quillon data stats gen0.games --svg gen0.svg
  quillon data merge a.games b.games --out all.games
  quillon data dedup all.games --out clean.games
  quillon data wdl long.games                 the model behind 'score cp' and WDL; 20,000 nodes a move or more";

#[derive(clap::Subcommand)]
enum Task {
    /// Report counts, histograms, duplicates, and how well scores foretell results
    Stats {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Draw the histograms into this file, too
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// Check every block; the exit code is 1 when one is bad
    Verify {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Put the games of several files into one
    Merge {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The new file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Put games into one file, of games with the same start and moves only the first
    Dedup {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The new file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Fit the model that tells chances to win, draw and lose from scores
    Wdl {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Does what the arguments ask for.
///
/// # Errors
/// When a file cannot be used, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    match &arguments.task {
        Task::Stats { files, svg } => stats(files, svg.as_deref(), output),
        Task::Verify { files } => Ok(verify(files, output)),
        Task::Merge { files, out } => combine(files, out, "merge", |_| true, output),
        Task::Dedup { files, out } => {
            let mut seen = HashSet::new();
            combine(files, out, "dedup", |game| seen.insert(fingerprint(game)), output)
        }
        Task::Wdl { files } => wdl(files, output),
    }
}

/// A message about a file.
fn about(file: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: {error}", file.display())
}

fn total_bytes(files: &[PathBuf]) -> u64 {
    files.iter().filter_map(|file| fs::metadata(file).ok()).map(|data| data.len()).sum()
}

/// Hands on every game of a file and returns the bytes read.
fn each_game(
    file: &Path,
    bar: &ProgressBar,
    mut f: impl FnMut(&GameRecord) -> Result<(), DataError>,
) -> Result<u64, DataError> {
    let mut reader = DataReader::open(file)?;
    let start = bar.position();
    while let Some(game) = reader.next() {
        f(&game?)?;
        bar.set_position(start + reader.sound().bytes);
    }
    Ok(reader.sound().bytes)
}

fn stats(files: &[PathBuf], svg: Option<&Path>, output: &Output) -> Result<ExitCode, String> {
    let bar = bytes_bar(total_bytes(files));
    let mut stats = Stats::new();
    for file in files {
        let add = |game: &GameRecord| {
            stats.add(game);
            Ok(())
        };
        let bytes = each_game(file, &bar, add).map_err(|error| about(file, error))?;
        stats.add_bytes(bytes);
    }
    bar.finish_and_clear();
    for file in files {
        let header = DataReader::open(file).map_err(|error| about(file, error))?.header().clone();
        output.line(&about(
            file,
            format!("{}, evaluation {}, {}", header.engine, header.evaluation, header.command),
        ));
    }
    let report = stats.report();
    output.line(&report.to_string());
    if let Some(svg) = svg {
        fs::write(svg, chart::to_svg(&report.charts)).map_err(|error| about(svg, error))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn wdl(files: &[PathBuf], output: &Output) -> Result<ExitCode, String> {
    let bar = bytes_bar(total_bytes(files));
    let mut counts = WdlCounts::default();
    for file in files {
        let add = |game: &GameRecord| {
            counts.add(game);
            Ok(())
        };
        each_game(file, &bar, add).map_err(|error| about(file, error))?;
    }
    bar.finish_and_clear();
    let fit = counts.fit().ok_or("these games are too few or too uniform for a fit")?;
    output.line(&fit.to_string());
    Ok(ExitCode::SUCCESS)
}

fn verify(files: &[PathBuf], output: &Output) -> ExitCode {
    let bar = bytes_bar(total_bytes(files));
    let mut code = ExitCode::SUCCESS;
    for file in files {
        let mut games = 0;
        let count = |_: &GameRecord| {
            games += 1;
            Ok(())
        };
        let verdict = match each_game(file, &bar, count) {
            Ok(bytes) => format!("sound, {games} games, {bytes} bytes"),
            Err(error) => {
                code = ExitCode::FAILURE;
                error.to_string()
            }
        };
        bar.suspend(|| output.line(&about(file, verdict)));
    }
    bar.finish_and_clear();
    code
}

/// Start and moves of a game as one number. Two of a million games share it by chance with a probability
/// of one in thirty million.
fn fingerprint(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.start.to_shredder_fen().hash(&mut hasher);
    game.opening.hash(&mut hasher);
    game.moves.iter().for_each(|scored| scored.mv.hash(&mut hasher));
    game.plies().hash(&mut hasher);
    hasher.finish()
}

/// Writes the wanted games of all files into a new one.
fn combine(
    files: &[PathBuf],
    out: &Path,
    verb: &str,
    mut is_wanted: impl FnMut(&GameRecord) -> bool,
    output: &Output,
) -> Result<ExitCode, String> {
    if out.exists() {
        return Err(about(out, "the file exists already"));
    }
    let header = common_header(files, verb)?;
    // The new name appears only when all is written.
    let unfinished = out.with_added_extension("part");
    let result = (|| {
        let mut writer =
            DataWriter::create(&unfinished, &header).map_err(|error| about(&unfinished, error))?;
        let bar = bytes_bar(total_bytes(files));
        let (mut tally, mut dropped) = (Tally::default(), 0);
        for file in files {
            let add = |game: &GameRecord| {
                if !is_wanted(game) {
                    dropped += 1;
                    return Ok(());
                }
                tally.add(game);
                writer.write(game)
            };
            each_game(file, &bar, add).map_err(|error| about(file, error))?;
        }
        let bytes = writer.finish().map_err(|error| about(&unfinished, error))?;
        bar.finish_and_clear();
        fs::rename(&unfinished, out).map_err(|error| about(out, error))?;
        let left_out =
            if verb == "dedup" { format!(", {dropped} duplicates left out") } else { String::new() };
        Ok(about(out, format!("{} games, {} positions, {bytes} bytes{left_out}", tally.games, tally.kept)))
    })();
    match result {
        Ok(message) => {
            output.line(&message);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let _ = fs::remove_file(&unfinished);
            Err(error)
        }
    }
}

/// What the headers of the files say, without repetition. It names no seed, so self-play never adds to
/// the new file.
fn common_header(files: &[PathBuf], verb: &str) -> Result<DataHeader, String> {
    let mut evaluations: Vec<String> = Vec::new();
    let mut commands: Vec<String> = Vec::new();
    for file in files {
        let reader = DataReader::open(file).map_err(|error| about(file, error))?;
        let header = reader.header();
        for (list, text) in [(&mut evaluations, &header.evaluation), (&mut commands, &header.command)] {
            if !list.contains(text) {
                list.push(text.clone());
            }
        }
    }
    Ok(DataHeader {
        engine: NAME.to_owned(),
        evaluation: evaluations.join(" + "),
        command: format!("quillon data {verb} of {}", commands.join(" + ")),
        seed: None,
    })
}
