//! `quillon data`: checks, describes and combines files of self-play games.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::about;
use super::exchange::{self, ExportArguments, ImportArguments};
use super::game_files::{bytes_bar, check_absent, each_game, fill};
use super::import_net::{self, ImportNetArguments};
use crate::console::Output;
use crate::datagen::{
    DataError, DataHeader, DataReader, DataWriter, GameRecord, Stats, Tally, WdlCounts, WholeFile,
    charts_to_svg, read_games,
};
use crate::engine::NAME;

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
        Task::Merge { files, out } => combine(files, out, "merge", |_| true, output),
        Task::Dedup { files, out } => {
            let mut seen = HashSet::new();
            combine(files, out, "dedup", |game| seen.insert(fingerprint(game)), output)
        }
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

/// Writes the wanted games of all files into a new one. When a file lacks its end, the new file holds all games that
/// could be read, but the result is an error. On other errors there is no new file.
fn combine(
    files: &[PathBuf],
    out: &Path,
    verb: &str,
    is_wanted: impl FnMut(&GameRecord) -> bool,
    output: &Output,
) -> Result<ExitCode, String> {
    check_absent(out)?;
    let header = common_header(files, verb)?;
    let (Combined { tally, dropped, torn }, bytes) =
        fill(out, &header, |writer| write_wanted(files, is_wanted, writer, output))?;
    let left_out = if verb == "dedup" { format!(", {dropped} duplicates left out") } else { String::new() };
    let Tally { games, kept, .. } = tally;
    output.line(&about(out, format!("{games} games, {kept} positions, {bytes} bytes{left_out}")));
    if torn > 0 {
        let of = files.len();
        return Err(about(out, format!("lacks games, since files are cut short: {torn} of {of}, see above")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts of a combined file.
struct Combined {
    tally: Tally,
    /// Games that were left out.
    dropped: u64,
    /// Files without their end.
    torn: usize,
}

/// Copies the wanted games of all files.
fn write_wanted(
    files: &[PathBuf],
    mut is_wanted: impl FnMut(&GameRecord) -> bool,
    writer: &mut DataWriter,
    output: &Output,
) -> Result<Combined, String> {
    let (mut tally, mut dropped) = (Tally::default(), 0);
    let read = each_game(files, output, |game| {
        if !is_wanted(game) {
            dropped += 1;
            return Ok(());
        }
        tally.add(game);
        writer.write(game)
    })?;
    let torn = read.iter().filter(|file| file.remark.is_some()).count();
    Ok(Combined { tally, dropped, torn })
}

/// The combined headers of the files, without repetition. The new header has no seed, so self-play never adds games to
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::sample;

    /// A folder with a file of ten games, and the path of one to be made.
    fn folder(name: &str) -> (PathBuf, PathBuf, PathBuf) {
        let folder = std::env::temp_dir().join(format!("quillon-data-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (file, out) = (folder.join("a.games"), folder.join("b.games"));
        let mut writer = DataWriter::create(&file, &sample::header()).unwrap();
        sample::games(10, 1).iter().for_each(|game| writer.write(game).unwrap());
        writer.finish().unwrap();
        (folder, file, out)
    }

    fn merge(
        file: &Path,
        out: &Path,
        is_wanted: impl FnMut(&GameRecord) -> bool,
    ) -> Result<ExitCode, String> {
        combine(&[file.to_owned()], out, "merge", is_wanted, &Output::standard())
    }

    #[test]
    fn a_file_that_another_process_writes_is_left_alone() {
        let (folder, file, out) = folder("other");
        let unfinished = out.with_added_extension("part");
        let other = DataWriter::create(&unfinished, &sample::header()).unwrap();
        let error = merge(&file, &out, |_| true).unwrap_err();
        assert!(error.contains("another program writes to it"), "{error}");
        assert!(unfinished.exists() && !out.exists());
        other.finish().unwrap();
        // An unfinished file of a killed process is replaced.
        merge(&file, &out, |_| true).unwrap();
        assert_eq!(DataReader::open(&out).unwrap().count(), 10);
        assert!(!unfinished.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_made_meanwhile_is_not_replaced() {
        let (folder, file, out) = folder("meanwhile");
        let make_other = |_: &GameRecord| {
            fs::write(&out, "other").unwrap();
            true
        };
        let error = merge(&file, &out, make_other).unwrap_err();
        assert!(error.contains("the file exists already"), "{error}");
        assert_eq!(fs::read(&out).unwrap(), b"other");
        assert!(!out.with_added_extension("part").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
