//! `quillon data`: checks, describes and combines files of self-play games.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::about;
use super::dedup;
use super::exchange::{self, ExportArguments, ImportArguments};
use super::game_files::{bytes_bar, check_absent, common_header, complain_of_torn, each_game, fill};
use super::import_net::{self, ImportNetArguments};
use crate::console::Output;
use crate::datagen::{DataError, GameRecord, Stats, Tally, WdlCounts, WholeFile, charts_to_svg, read_games};

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
  quillon data export gen0.games --format viriformat --out gen0.vf
  quillon data import fleet.pgn --out fleet.games
  quillon data import-net checkpoints/q-40/quantised.bin --out q.nnue
  quillon data wdl long.games                 the model behind 'score cp' and WDL; 20,000 nodes a move or more";

#[derive(clap::Subcommand)]
enum Task {
    /// Report counts, histograms, duplicates, and how well scores predict results
    Stats {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Also draw the histograms into this file
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// Check every block; the exit code is 1 when one is bad
    Verify {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Combine the games of several files in one; the exit code is 1 when one of them is cut short
    Merge {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The new file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// The same, but keep only the first of games with the same start and moves
    Dedup {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The new file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Write games or positions for other programs: PGN, text, viriformat, bulletformat
    Export(ExportArguments),
    /// Read games of other programs: PGN with scores in the comments, viriformat
    Import(ImportArguments),
    /// Make a net file of a network that bullet has trained
    ImportNet(ImportNetArguments),
    /// Fit the model that turns scores into chances to win, draw and lose
    Wdl {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

impl Arguments {
    /// Whether the task writes files.
    pub fn writes_files(&self) -> bool {
        match &self.task {
            Task::Stats { svg, .. } => svg.is_some(),
            Task::Merge { .. }
            | Task::Dedup { .. }
            | Task::Export(_)
            | Task::Import(_)
            | Task::ImportNet(_) => true,
            Task::Verify { .. } | Task::Wdl { .. } => false,
        }
    }
}

/// Runs `quillon data`.
///
/// # Errors
/// When a file cannot be used, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    match &arguments.task {
        Task::Stats { files, svg } => stats(files, svg.as_deref(), output),
        Task::Verify { files } => Ok(verify(files, output)),
        Task::Merge { files, out } => merge(files, out, output),
        Task::Dedup { files, out } => dedup::run(files, out, output),
        Task::Export(arguments) => exchange::export(arguments, output),
        Task::Import(arguments) => exchange::import(arguments, output),
        Task::ImportNet(arguments) => import_net::run(arguments, output),
        Task::Wdl { files } => wdl(files, output),
    }
}

fn stats(files: &[PathBuf], svg: Option<&Path>, output: &Output) -> Result<ExitCode, String> {
    let mut stats = Stats::new();
    let read = each_game(files, output, |game| {
        stats.add(game);
        Ok(())
    })?;
    for (file, WholeFile { header, bytes, .. }) in files.iter().zip(read) {
        stats.add_bytes(bytes);
        output.line(&about(
            file,
            format!("{}, evaluation {}, {}", header.engine, header.evaluation, header.command),
        ));
    }
    let report = stats.report();
    output.line(&report.to_string());
    if let Some(svg) = svg {
        fs::write(svg, charts_to_svg(&report.charts)).map_err(|error| about(svg, error))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn wdl(files: &[PathBuf], output: &Output) -> Result<ExitCode, String> {
    let mut counts = WdlCounts::default();
    each_game(files, output, |game| {
        counts.add(game);
        Ok(())
    })?;
    let fit = counts.fit().ok_or("these games are too few or too uniform for a fit")?;
    output.line(&fit.to_string());
    Ok(ExitCode::SUCCESS)
}

fn verify(files: &[PathBuf], output: &Output) -> ExitCode {
    let bar = bytes_bar(files);
    let mut code = ExitCode::SUCCESS;
    for file in files {
        let mut games = 0;
        let count = |_: &GameRecord| {
            games += 1;
            Ok(())
        };
        let fault = match read_games(file, &bar, count) {
            Ok(WholeFile { bytes, remark: None, .. }) => {
                let verdict = format!("sound, {games} games, {bytes} bytes");
                bar.suspend(|| output.line(&about(file, verdict)));
                continue;
            }
            Ok(WholeFile { remark: Some(fault), .. }) => fault,
            Err(error) => DataError::to_string(&error),
        };
        code = ExitCode::FAILURE;
        bar.suspend(|| output.line(&about(file, fault)));
    }
    bar.finish_and_clear();
    code
}

/// Copies all games into a new file. When a file lacks its end, the new file holds all games that could be read, but the
/// result is an error. On other errors there is no new file.
fn merge(files: &[PathBuf], out: &Path, output: &Output) -> Result<ExitCode, String> {
    check_absent(out)?;
    let header = common_header(files, "merge")?;
    let mut tally = Tally::default();
    let (read, bytes) = fill(out, &header, |writer| {
        each_game(files, output, |game| {
            tally.add(game);
            writer.write(game)
        })
    })?;
    let Tally { games, kept, .. } = tally;
    output.line(&about(out, format!("{games} games, {kept} positions, {bytes} bytes")));
    complain_of_torn(out, &read)
}
