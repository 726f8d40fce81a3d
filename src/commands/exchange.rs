//! `quillon data export` and `quillon data import`: games and positions in the formats of other programs.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::ProgressBar;
use tempfile::NamedTempFile;

use super::about;
use super::game_files::{begin, bytes_bar, complain_of_torn, each_game, fill, give_name};
use crate::console::Output;
use crate::datagen::exchange::{
    ExchangeError, PgnGames, ScoreUnit, Skipped, ViriGames, each_position, write_bullet, write_pgn,
    write_text, write_viri,
};
use crate::datagen::{DataError, DataHeader, DataWriter, GameRecord, Tally};
use crate::engine::NAME;

/// A format of other programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// Games with scores in the comments
    Pgn,
    /// A line 'FEN | score | result' for each position
    Text,
    /// Games in binary, as the crate of that name and bullet read them
    Viriformat,
    /// Positions of 32 bytes, as the crate of that name and bullet read them
    Bulletformat,
}

/// What a hundredth in the comments of PGN means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Scores {
    /// Quillon's centipawns: at 100 a win is as likely as not, which is turned back into internal units
    Quillon,
    /// An internal unit, whatever it was worth to the engine
    Plain,
}

impl From<Scores> for ScoreUnit {
    fn from(scores: Scores) -> ScoreUnit {
        match scores {
            Scores::Quillon => ScoreUnit::Quillon,
            Scores::Plain => ScoreUnit::Plain,
        }
    }
}

/// Arguments of `quillon data export`.
#[derive(clap::Args)]
pub struct ExportArguments {
    /// Files of games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The format of the new file
    #[arg(long)]
    format: Format,
    /// The new file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// For text and bulletformat: all positions with a score, not only those that are fit for training
    #[arg(long)]
    raw: bool,
}

/// Arguments of `quillon data import`.
#[derive(clap::Args)]
pub struct ImportArguments {
    /// Files of games in another format
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Their format, pgn or viriformat; by default pgn for names that end so, else viriformat
    #[arg(long)]
    format: Option<Format>,
    /// What the scores in the comments of PGN mean
    #[arg(long, value_enum, default_value_t = Scores::Quillon)]
    scores: Scores,
    /// The new file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Writes games or positions for other programs.
pub(super) fn export(arguments: &ExportArguments, output: &Output) -> Result<ExitCode, String> {
    let ExportArguments { files, format, out, raw } = arguments;
    if *raw && matches!(format, Format::Pgn | Format::Viriformat) {
        return Err("--raw chooses among positions, but this format holds whole games".to_owned());
    }
    let mut export = Export::new(*format, *raw, begin(out)?);
    let read = each_game(files, output, |game| export.write(game))?;
    let Export { games, positions, trees_left_out, .. } = export;
    let (file, bytes) = export.finish().map_err(|error| about(out, error))?;
    give_name(file, out)?;
    output.line(&about(out, format!("{games} games, {positions} positions, {bytes} bytes")));
    if trees_left_out > 0 {
        let text = format!("{trees_left_out} positions out of search trees have no place in this format");
        output.line(&about(out, text));
    }
    complain_of_torn(out, &read)
}

/// A file being exported.
struct Export {
    format: Format,
    raw: bool,
    out: BufWriter<NamedTempFile>,
    games: u64,
    positions: u64,
    trees_left_out: u64,
}

impl Export {
    fn new(format: Format, raw: bool, file: NamedTempFile) -> Export {
        let out = BufWriter::with_capacity(1 << 20, file);
        Export { format, raw, out, games: 0, positions: 0, trees_left_out: 0 }
    }

    fn write(&mut self, game: &GameRecord) -> Result<(), DataError> {
        self.games += 1;
        self.add(game).map_err(DataError::Write)
    }

    fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        let Export { format, raw, out, games, positions, trees_left_out } = self;
        if matches!(format, Format::Pgn | Format::Viriformat) {
            *positions += game.moves.len() as u64;
            *trees_left_out += game.trees.len() as u64;
        }
        let mut result = Ok(());
        match format {
            Format::Pgn => write_pgn(game, *games, NAME, out)?,
            Format::Viriformat => write_viri(game, out)?,
            Format::Text | Format::Bulletformat => each_position(game, *raw, |labelled| {
                *positions += 1;
                let written = match format {
                    Format::Text => write_text(&labelled, out),
                    _ => write_bullet(&labelled, out),
                };
                if result.is_ok() {
                    result = written;
                }
            }),
        }
        result
    }

    /// Forces everything to the disk and returns the file and its number of bytes.
    fn finish(self) -> io::Result<(NamedTempFile, u64)> {
        let file = self.out.into_inner()?;
        file.as_file().sync_all()?;
        let bytes = file.as_file().metadata()?.len();
        Ok((file, bytes))
    }
}

/// Makes a file of games from files of other programs. A fault in one of them, and there is no new file.
pub(super) fn import(arguments: &ImportArguments, output: &Output) -> Result<ExitCode, String> {
    let ImportArguments { files, scores, out, .. } = arguments;
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let header = DataHeader {
        engine: NAME.to_owned(),
        evaluation: "imported".to_owned(),
        command: format!("quillon data import of {}", names.join(" + ")),
        seed: None,
    };
    let bar = bytes_bar(files);
    let mut import = Import {
        unit: (*scores).into(),
        bar: &bar,
        tally: Tally::default(),
        skipped: [0; Skipped::ALL.len()],
    };
    let ((), bytes) = fill(out, &header, |writer| {
        for file in files {
            let format = arguments.format_of(file)?;
            import.file(file, format, writer).map_err(|error| about(file, error))?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let Import { tally, skipped, .. } = import;
    let results = tally.results_text();
    let text =
        format!("{} games ({results}), {} positions for training, {bytes} bytes", tally.games, tally.kept);
    output.line(&about(out, text));
    for ((_, words), count) in Skipped::ALL.iter().zip(skipped).filter(|(_, count)| *count > 0) {
        output.line(&about(out, format!("{count} games {words} were left out")));
    }
    Ok(ExitCode::SUCCESS)
}

impl ImportArguments {
    fn format_of(&self, file: &Path) -> Result<Format, String> {
        let is_pgn = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
        match self.format {
            None if is_pgn => Ok(Format::Pgn),
            None => Ok(Format::Viriformat),
            Some(format @ (Format::Pgn | Format::Viriformat)) => Ok(format),
            Some(_) => {
                Err("games can be read from pgn and viriformat; the others hold positions only".to_owned())
            }
        }
    }
}

/// What is read.
struct Import<'a> {
    unit: ScoreUnit,
    bar: &'a ProgressBar,
    tally: Tally,
    /// Games left out, for each reason.
    skipped: [u64; Skipped::ALL.len()],
}

impl Import<'_> {
    fn file(&mut self, file: &Path, format: Format, writer: &mut DataWriter) -> Result<(), ExchangeError> {
        let source = BufReader::with_capacity(1 << 20, File::open(file)?);
        let start = self.bar.position();
        if format == Format::Viriformat {
            let mut games = ViriGames::new(source);
            while let Some(game) = games.next()? {
                self.bar.set_position(start + games.bytes());
                self.add(&game, writer)?;
            }
            return Ok(());
        }
        let mut games = PgnGames::new(source, self.unit);
        while let Some(read) = games.next()? {
            self.bar.set_position(start + games.bytes());
            match read {
                Ok(game) => self.add(&game, writer)?,
                Err(reason) => self.skipped[reason as usize] += 1,
            }
        }
        Ok(())
    }

    fn add(&mut self, game: &GameRecord, writer: &mut DataWriter) -> Result<(), ExchangeError> {
        self.tally.add(game);
        Ok(writer.write(game)?)
    }
}
