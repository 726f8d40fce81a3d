//! `quillon analyse`: searches every position of the games of a PGN file and writes the games with scores, marks and
//! better lines.
//!
//! To be read in this order: this file (arguments, games in parallel, the order of writing), `judge` (searching), `write`
//! (the annotated text), `tally` (how well each player played).

mod judge;
mod tally;
mod write;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Write, stderr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::ProgressBar;

use super::game_files::{check_absent, create_new};
use super::{EvalFile, Tables, about, stop_on_ctrl_c};
use crate::board::FenRepair;
use crate::console::{Output, progress};
use crate::engine::{Engine, NAME};
use crate::pgn::{PgnGame, PgnReader, ReplayError, decoded};
use crate::search::SearchLimits;
use crate::types::Depth;
use judge::Analyst;
use tally::Tally;

/// Arguments of `quillon analyse`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The games, a PGN file
    file: PathBuf,
    /// The new file for the annotated games; without it they go to standard output
    #[arg(long, value_name = "PGN")]
    out: Option<PathBuf>,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Milliseconds for each position instead
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Search each position to this depth instead
    #[arg(long, value_name = "PLIES", conflicts_with_all = ["nodes", "movetime"], value_parser = clap::value_parser!(i32).range(1..=200))]
    depth: Option<Depth>,
    /// Games analysed at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Size of the hash table of each game that is analysed
    #[arg(long, value_name = "MB", default_value_t = 64)]
    hash: usize,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    eval_file: EvalFile,
}

const EXAMPLES: &str = "\
Every move gets its score from White's side, [%eval 0.35] in pawns or [%eval #3]; at 1.00 the engine expects to
win every other game. A move that gives points away is marked: ?! from 0.1 points on, ? from 0.2, ?? from 0.3,
where a win is one point and a draw half of one; then the better move is named and a better line added. Moves,
tags, comments, glyphs and variations of the file stay. A game with an illegal move, or with a word that is no
move, is copied as it is and named; then the exit code is 1.

With --nodes and --depth the result is the same on every machine and with any --threads. Ctrl-C ends the
analysis; the games that are finished are kept.

Examples:
  quillon analyse games.pgn --out annotated.pgn
  quillon analyse games.pgn --out annotated.pgn --nodes 1000000 --threads 4 --syzygy /tables
  quillon analyse game.pgn --movetime 500 | less";

impl Arguments {
    /// Whether the games go into a file.
    pub fn writes_files(&self) -> bool {
        self.out.is_some()
    }

    fn limits(&self) -> SearchLimits {
        let by_nodes = self.movetime.is_none() && self.depth.is_none();
        SearchLimits {
            depth: self.depth,
            nodes: by_nodes.then_some(self.nodes),
            move_time: self.movetime.map(Duration::from_millis),
            ..SearchLimits::default()
        }
    }

    /// How much is searched, in words.
    fn effort(&self) -> String {
        match (self.depth, self.movetime) {
            (Some(depth), _) => format!("depth {depth}"),
            (None, Some(ms)) => format!("{ms} ms a position"),
            (None, None) => format!("{} nodes a position", self.nodes),
        }
    }

    fn engine(&self) -> Result<Engine, String> {
        let mut engine = Engine::new().map_err(|error| error.to_string())?;
        engine.set_hash(self.hash).map_err(|error| error.to_string())?;
        engine.set_network(self.eval_file.network()?);
        engine.set_tablebases(self.tables.open()?);
        Ok(engine)
    }

    /// The games; a bare result is none. What is no regular file, such as a pipe, is refused, since it could not be read
    /// again.
    fn read(&self) -> Result<impl Iterator<Item = io::Result<PgnGame>> + use<>, String> {
        let unreadable = |error| about(&self.file, error);
        if !self.file.metadata().map_err(unreadable)?.is_file() {
            let text = "not a regular file, which is needed since the games are read twice";
            return Err(about(&self.file, text));
        }
        let file = File::open(&self.file).map_err(unreadable)?;
        let is_game = |game: &PgnGame| !game.is_blank() || game.damage.is_some();
        Ok(PgnReader::new(BufReader::new(file)).filter(move |read| read.as_ref().map_or(true, is_game)))
    }
}

/// Analyses the games of a file.
///
/// # Errors
/// When the file cannot be read, holds no game or changes meanwhile, or the annotated games cannot be written or their file
/// is there already, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    arguments.out.as_deref().map_or(Ok(()), check_absent)?;
    let (games, plies) = count(arguments)?;
    let engines = (0..games.min(usize::from(arguments.threads))).map(|_| arguments.engine());
    let engines = engines.collect::<Result<Vec<_>, _>>()?;
    let stop = stop_on_ctrl_c()?;
    let bar = progress::bar(plies, "moves");
    let desk = Desk {
        file: &arguments.file,
        games: Mutex::new(arguments.read()?.enumerate()),
        writer: Mutex::new(Writer::new(arguments, output)?),
        bar: bar.clone(),
        stop: Arc::clone(&stop),
    };
    thread::scope(|scope| {
        for engine in engines {
            scope.spawn(|| desk.work(Analyst::new(engine, arguments.limits(), &stop), &arguments.effort()));
        }
    });
    bar.finish_and_clear();
    let writer = desk.writer.into_inner().unwrap_or_else(PoisonError::into_inner);
    writer.finish(games, stop.load(Relaxed))
}

/// The numbers of games and of moves in the file.
fn count(arguments: &Arguments) -> Result<(usize, u64), String> {
    let (mut games, mut plies) = (0, 0);
    let mut are_blank = true;
    for game in arguments.read()? {
        let game = game.map_err(|error| {
            let number = games + 1;
            about(&arguments.file, format!("game {number} cannot be read: {error}"))
        })?;
        (games, plies) = (games + 1, plies + game.moves.len() as u64);
        are_blank &= game.is_blank();
    }
    if are_blank {
        return Err(about(&arguments.file, "there are no games in it"));
    }
    Ok((games, plies))
}

/// What the threads share.
struct Desk<'a, I> {
    /// Where the games come from.
    file: &'a Path,
    games: Mutex<I>,
    writer: Mutex<Writer<'a>>,
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<I: Iterator<Item = (usize, io::Result<PgnGame>)>> Desk<'_, I> {
    /// The game; when it cannot be read, that ends all work, since it was readable when the games were counted.
    fn readable(&self, index: usize, game: io::Result<PgnGame>) -> Option<PgnGame> {
        game.inspect_err(|error| {
            let text = format!("game {} cannot be read again: {error}", index + 1);
            lock(&self.writer).failure.get_or_insert_with(|| about(self.file, text));
            self.stop.store(true, Relaxed);
        })
        .ok()
    }

    /// Takes game after game and analyses it.
    fn work(&self, mut analyst: Analyst, effort: &str) {
        while !self.stop.load(Relaxed) {
            let next = lock(&self.games).next();
            let Some((index, game)) = next else { break };
            let Some(game) = self.readable(index, game) else { break };
            let Some(finished) = analyse(&mut analyst, &game, effort, &self.bar) else { break };
            let mut writer = lock(&self.writer);
            let fault = finished.judged.as_ref().err().map(|error| self.describe(error));
            for remark in finished.repairs.iter().chain(&fault) {
                let message = format!("game {} ({}): {remark}", index + 1, names(&game));
                self.bar.suspend(|| writer.note(&message));
            }
            self.bar.suspend(|| writer.add(index, finished));
            if writer.failure.is_some() {
                self.stop.store(true, Relaxed);
            }
        }
    }
}

impl<I> Desk<'_, I> {
    /// Why a game is not analysed.
    fn describe(&self, error: &ReplayError) -> String {
        let reason = match error {
            ReplayError::Damage(fault) => about(self.file, fault),
            other => other.to_string(),
        };
        format!("{reason}; it is copied as it is")
    }
}

/// A game that needs no more work.
struct Finished {
    text: Vec<u8>,
    /// What was put right in its FEN.
    repairs: Vec<String>,
    /// How its players did, or why it could not be analysed.
    judged: Result<Tally, ReplayError>,
}

/// Analyses a game; `None` when it was stopped.
fn analyse(analyst: &mut Analyst, game: &PgnGame, effort: &str, bar: &ProgressBar) -> Option<Finished> {
    let mut repairs = Vec::new();
    let played = game.start_lenient().and_then(|(start, made)| {
        repairs.extend(made.iter().map(FenRepair::to_string));
        let moves = game.replay(start.position())?;
        Ok((start, moves))
    });
    let (start, moves) = match played {
        Ok(played) => played,
        Err(error) => {
            bar.inc(game.moves.len() as u64);
            return Some(Finished { text: write::copied(game), repairs, judged: Err(error) });
        }
    };
    let mut tally = Tally::default();
    if moves.is_empty() {
        let text = write::annotated(game, &start, &[], &[], "").into_bytes();
        return Some(Finished { text, repairs, judged: Ok(tally) });
    }
    let judgements = analyst.judge(&start, &moves, || bar.inc(1))?;
    let sides = tally::sides(&judgements);
    let summary = tally::summary(&format!("{NAME}, {effort}"), &sides);
    let text = write::annotated(game, &start, &moves, &judgements, &summary).into_bytes();
    for (name, side) in ["White", "Black"].into_iter().zip(sides) {
        tally.add(game.tag(name).unwrap_or(name), side);
    }
    Some(Finished { text, repairs, judged: Ok(tally) })
}

fn names(game: &PgnGame) -> String {
    format!("{} - {}", game.tag("White").unwrap_or("?"), game.tag("Black").unwrap_or("?"))
}

/// Writes the games in their order.
struct Writer<'a> {
    output: &'a Output,
    /// The new file and its name.
    file: Option<(File, &'a Path)>,
    /// The file that the games come from.
    source: &'a Path,
    /// Games that wait for earlier ones, by their index.
    waiting: BTreeMap<usize, Finished>,
    /// The index of the next game to be written.
    next: usize,
    analysed: usize,
    faulty: usize,
    tally: Tally,
    /// Why nothing more can be done.
    failure: Option<String>,
}

impl<'a> Writer<'a> {
    fn new(arguments: &'a Arguments, output: &'a Output) -> Result<Writer<'a>, String> {
        let new = |path: &'a PathBuf| Ok::<_, String>((create_new(path)?, path.as_path()));
        Ok(Writer {
            output,
            file: arguments.out.as_ref().map(new).transpose()?,
            source: &arguments.file,
            waiting: BTreeMap::new(),
            next: 0,
            analysed: 0,
            faulty: 0,
            tally: Tally::default(),
            failure: None,
        })
    }

    fn add(&mut self, index: usize, game: Finished) {
        self.waiting.insert(index, game);
        while let Some(game) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.put(game);
        }
    }

    fn put(&mut self, game: Finished) {
        match game.judged {
            Ok(tally) => {
                self.analysed += 1;
                self.tally.merge(tally);
            }
            Err(_) => self.faulty += 1,
        }
        match &mut self.file {
            Some((file, path)) => {
                if let Err(error) = file.write_all(&game.text) {
                    self.failure.get_or_insert_with(|| about(path, error));
                }
            }
            None => {
                self.output.line(&decoded(game.text.trim_ascii_end()));
                self.output.line("");
            }
        }
    }

    /// Says something about the work: where the games are not.
    fn note(&self, text: &str) {
        if self.file.is_some() {
            self.output.line(text);
        } else {
            let _ = writeln!(stderr(), "{text}");
        }
    }

    /// Writes what is left and the table of players. `games` is how many there were when they were counted.
    fn finish(mut self, games: usize, is_stopped: bool) -> Result<ExitCode, String> {
        // After Ctrl-C a game may lack those before it.
        for (_, game) in std::mem::take(&mut self.waiting) {
            self.put(game);
        }
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        if !self.tally.is_empty() {
            self.note(&self.tally.to_string());
        }
        let place =
            self.file.as_ref().map_or(String::new(), |(_, path)| format!(", written to {}", path.display()));
        let stopped = if is_stopped { "stopped: " } else { "" };
        self.note(&format!("{stopped}{} of {games} games analysed{place}", self.analysed));
        let found = self.analysed + self.faulty;
        if !is_stopped && found != games {
            let text = format!("has changed: there were {games} games in it, and then {found}");
            return Err(about(self.source, text));
        }
        Ok(if self.faulty == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(output: &Output) -> Writer<'_> {
        Writer {
            output,
            file: None,
            source: Path::new("games.pgn"),
            waiting: BTreeMap::new(),
            next: 0,
            analysed: 0,
            faulty: 0,
            tally: Tally::default(),
            failure: None,
        }
    }

    #[test]
    fn games_that_have_gone_are_missed() {
        let output = Output::new(io::sink());
        let error = writer(&output).finish(2, false).unwrap_err();
        assert_eq!(error, "games.pgn: has changed: there were 2 games in it, and then 0");
        // After Ctrl-C some are always missing.
        assert!(writer(&output).finish(2, true).is_ok());
    }

    #[test]
    fn a_game_that_cannot_be_read_again_is_a_failure() {
        let output = Output::new(io::sink());
        let stop = Arc::new(AtomicBool::new(false));
        let games = [Err(io::Error::other("the disk is gone"))];
        let desk = Desk {
            file: Path::new("games.pgn"),
            games: Mutex::new(games.into_iter().enumerate()),
            writer: Mutex::new(writer(&output)),
            bar: ProgressBar::hidden(),
            stop: Arc::clone(&stop),
        };
        desk.work(Analyst::new(Engine::new().unwrap(), SearchLimits::default(), &stop), "");
        let error = desk.writer.into_inner().unwrap().finish(1, stop.load(Relaxed)).unwrap_err();
        assert_eq!(error, "games.pgn: game 1 cannot be read again: the disk is gone");
    }
}
