//! Lines of input as values, the text that explains them, and the argument of `position` as a game.

use std::time::Duration;

use super::genfens::{self, Genfens, GenfensError};
use crate::board::{FenError, FenRepair, Game};
use crate::engine::bench::BenchOptions;
use crate::engine::speedtest::SpeedOptions;
use crate::notation::{MoveError, parse_move};
use crate::types::{CastlingMode, Color, Depth};

/// A command with its arguments; positions and moves are still text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Command {
    Uci,
    Debug(bool),
    IsReady,
    SetOption {
        name: String,
        value: Option<String>,
    },
    Register,
    UciNewGame,
    Position {
        /// As written, blanks included; `None` for the initial position.
        fen: Option<String>,
        moves: Vec<String>,
    },
    Go(GoCommand),
    Stop,
    PonderHit,
    Quit,
    /// `d`: show the board.
    Display,
    Eval,
    Bench(BenchOptions),
    /// Exchange the colours and turn the board upside down.
    Flip,
    /// What compiled this program, and for what.
    Compiler,
    /// Write the network into a file.
    ExportNet {
        /// As written, blanks included.
        path: String,
    },
    /// Measure the speed over a game.
    SpeedTest(SpeedOptions),
    Perft {
        depth: u32,
    },
    Genfens(Genfens),
    Help {
        /// The word `options` or the name of one.
        topic: Option<String>,
    },
}

/// The arguments of `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct GoCommand {
    pub depth: Option<Depth>,
    pub nodes: Option<u64>,
    pub mate: Option<u32>,
    pub move_time: Option<Duration>,
    pub infinite: bool,
    pub ponder: bool,
    /// `[color]`
    pub time: [Option<Duration>; 2],
    /// `[color]`
    pub increment: [Option<Duration>; 2],
    /// `None` and 0 both mean that the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
    /// `None` without the word, empty when nothing follows it.
    pub search_moves: Option<Vec<String>>,
}

impl GoCommand {
    /// Whether the search has a limit besides the clocks.
    pub fn is_bounded(&self) -> bool {
        self.depth.is_some() || self.nodes.is_some() || self.mate.is_some() || self.move_time.is_some()
    }

    /// Whether the search ends by itself.
    pub fn has_end(&self) -> bool {
        !self.infinite && !self.ponder && (self.is_bounded() || self.has_clock())
    }

    /// Whether any argument concerns the clocks.
    pub fn has_clock(&self) -> bool {
        let sides = self.time.iter().chain(&self.increment);
        sides.flatten().next().is_some() || self.moves_to_go.is_some()
    }
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum CommandError {
    #[error("unknown command '{word}'{}; 'help' lists all", suggestion(.nearest))]
    Unknown { word: String, nearest: Option<&'static str> },
    #[error("'{0}' needs a number after it")]
    MissingValue(String),
    #[error("'{value}' after '{argument}' is not a number")]
    NotANumber { argument: String, value: String },
    #[error("'export_net' needs the name of a file")]
    FileName,
    #[error("'debug' needs 'on' or 'off'")]
    Debug,
    #[error("'setoption' needs 'name' and an option name")]
    OptionName,
    #[error("'position' needs 'startpos' or 'fen' and a FEN")]
    Position,
    #[error("'{0}' after 'position startpos' is not understood; moves follow the word 'moves'")]
    StartPosition(String),
    #[error("'{0}' after 'go' is not understood")]
    Go(String),
    #[error(transparent)]
    Genfens(#[from] GenfensError),
}

impl CommandError {
    /// Whether the line was meant to set up a position; if so, there is none now.
    pub fn concerns_position(&self) -> bool {
        match self {
            CommandError::Position | CommandError::StartPosition(_) => true,
            CommandError::Unknown { nearest, .. } => *nearest == Some("position"),
            _ => false,
        }
    }
}

/// The first words that are understood.
const WORDS: [&str; 24] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
    // From here on not part of UCI.
    "exit",
    "d",
    "display",
    "eval",
    "bench",
    "perft",
    "genfens",
    "help",
    "?",
    "flip",
    "compiler",
    "export_net",
    "speedtest",
];

/// Number of words at the start of [`WORDS`] that are part of UCI. Unknown words are skipped only before these, since
/// programs send no others.
const UCI_WORDS: usize = 11;

/// Whether a line can begin with this word.
pub fn is_word(word: &str) -> bool {
    WORDS.contains(&word)
}

/// Reads a line. Empty lines and comments (`#`) give `None`. As the specification asks, unknown words
/// before a command are skipped, unless the first is a command mistyped.
///
/// # Errors
/// When the line holds no command, or a command with unusable arguments.
pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
    // Some programs begin their output with a byte order mark.
    let line = line.trim_start_matches('\u{feff}');
    let mut tokens: Vec<&str> = line.split_ascii_whitespace().collect();
    let Some(&first) = tokens.first() else { return Ok(None) };
    if first.starts_with('#') {
        return Ok(None);
    }
    let start = if WORDS.contains(&first) {
        0
    } else {
        let meant = nearest(first, WORDS.into_iter());
        let later = tokens.iter().position(|word| WORDS[..UCI_WORDS].contains(word));
        let unknown = || CommandError::Unknown { word: shorten(first), nearest: meant };
        later.filter(|_| meant.is_none()).ok_or_else(unknown)?
    };
    let word = tokens[start];
    tokens.drain(..=start);
    let arguments = &tokens[..];
    Ok(Some(match word {
        "uci" => Command::Uci,
        "debug" => match arguments.first() {
            Some(&"on") => Command::Debug(true),
            Some(&"off") => Command::Debug(false),
            _ => return Err(CommandError::Debug),
        },
        "isready" => Command::IsReady,
        "setoption" => set_option(line, arguments)?,
        "register" => Command::Register,
        "ucinewgame" => Command::UciNewGame,
        "position" => position(line, arguments)?,
        "go" => go(arguments)?,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" | "exit" => Command::Quit,
        "d" | "display" => Command::Display,
        "eval" => Command::Eval,
        "bench" => Command::Bench(bench(arguments)?),
        "flip" => Command::Flip,
        "compiler" => Command::Compiler,
        "export_net" => export_net(line, arguments)?,
        "speedtest" => Command::SpeedTest(speed_test(arguments)?),
        "perft" => Command::Perft { depth: perft_depth("perft", arguments)? },
        "genfens" => Command::Genfens(genfens::parse(arguments)?),
        _ => Command::Help { topic: (!arguments.is_empty()).then(|| arguments.join(" ")) },
    }))
}

/// Cuts long garbage, which need not be echoed in full.
fn shorten(word: &str) -> String {
    word.chars().take(40).collect()
}

/// Reads the arguments of `setoption`, which are the last tokens of the line. The value is taken as it is
/// written, since names of files may hold several blanks in a row.
fn set_option(line: &str, tokens: &[&str]) -> Result<Command, CommandError> {
    let name_at = tokens.iter().position(|&token| token == "name").ok_or(CommandError::OptionName)?;
    let rest = tokens.get(name_at + 1..).unwrap_or_default();
    let value_at = rest.iter().position(|&token| token == "value");
    let name = rest.get(..value_at.unwrap_or(rest.len())).unwrap_or_default().join(" ");
    if name.is_empty() {
        return Err(CommandError::OptionName);
    }
    let value = value_at.and_then(|at| rest.get(at)).map(|keyword| {
        let end = offset(line, keyword) + keyword.len();
        line.get(end..).unwrap_or_default().trim().to_owned()
    });
    Ok(Command::SetOption { name, value })
}

/// The byte offset of a token in its line.
fn offset(line: &str, token: &str) -> usize {
    token.as_ptr().addr() - line.as_ptr().addr()
}

/// Reads the arguments of `position`, which are the last tokens of the line.
fn position(line: &str, tokens: &[&str]) -> Result<Command, CommandError> {
    let moves_at = tokens.iter().position(|&token| token == "moves");
    let board = tokens.get(..moves_at.unwrap_or(tokens.len())).unwrap_or_default();
    let moves = moves_at.map_or(&[][..], |at| tokens.get(at + 1..).unwrap_or_default());
    let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
    // Unknown words before the keyword are skipped, as everywhere.
    let keyword = board.iter().position(|token| matches!(*token, "startpos" | "fen"));
    match keyword.map(|at| (board[at], board.get(at + 1..).unwrap_or_default())) {
        Some(("startpos", [word, ..])) => Err(CommandError::StartPosition(shorten(word))),
        Some(("startpos", [])) => Ok(Command::Position { fen: None, moves }),
        Some((_, [first, .., last] | [first @ last])) => {
            let fen = line.get(offset(line, first)..offset(line, last) + last.len());
            Ok(Command::Position { fen: Some(fen.unwrap_or_default().to_owned()), moves })
        }
        _ => Err(CommandError::Position),
    }
}

const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn go(tokens: &[&str]) -> Result<Command, CommandError> {
    let mut go = GoCommand::default();
    let (mut any_known, mut unknown) = (false, None);
    let mut rest = tokens.iter().copied().peekable();
    while let Some(token) = rest.next() {
        let mut number = || {
            let value = rest.next_if(|next| !GO_WORDS.contains(next));
            let value = value.ok_or_else(|| CommandError::MissingValue(token.to_owned()))?;
            read_number(token, value)
        };
        match token {
            "depth" => go.depth = Some(clamp_depth(number()?)),
            "nodes" => go.nodes = Some(number()?.max(1) as u64),
            "mate" => go.mate = Some(number()?.clamp(1, 1000) as u32),
            "movetime" => go.move_time = Some(milliseconds(number()?)),
            "wtime" => go.time[Color::White.index()] = Some(milliseconds(number()?)),
            "btime" => go.time[Color::Black.index()] = Some(milliseconds(number()?)),
            "winc" => go.increment[Color::White.index()] = Some(milliseconds(number()?)),
            "binc" => go.increment[Color::Black.index()] = Some(milliseconds(number()?)),
            "movestogo" => {
                go.moves_to_go = Some(number()?.clamp(0, 10_000) as u32);
            }
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "perft" => return Ok(Command::Perft { depth: clamp_perft(number()?) }),
            "searchmoves" => {
                let moves = go.search_moves.get_or_insert_default();
                while let Some(mv) = rest.next_if(|next| !GO_WORDS.contains(next)) {
                    moves.push(mv.to_owned());
                }
            }
            _ => {
                unknown.get_or_insert(token);
                continue;
            }
        }
        any_known = true;
    }
    match unknown {
        // Unknown words are skipped, but unknown words alone must not start an endless search.
        Some(word) if !any_known => Err(CommandError::Go(shorten(word))),
        _ => Ok(Command::Go(go)),
    }
}

/// Numbers too large for 64 bits count as the largest; only text that is no number is an error.
fn read_number(argument: &str, value: &str) -> Result<i64, CommandError> {
    if let Ok(number) = value.parse() {
        return Ok(number);
    }
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(if value.starts_with('-') { i64::MIN } else { i64::MAX });
    }
    // Some programs send milliseconds with decimals.
    if let Some(number) = value.parse::<f64>().ok().filter(|number| number.is_finite()) {
        return Ok(number as i64);
    }
    Err(CommandError::NotANumber { argument: argument.to_owned(), value: shorten(value) })
}

fn optional_number(command: &str, arguments: &[&str]) -> Result<Option<i64>, CommandError> {
    arguments.first().map(|value| read_number(command, value)).transpose()
}

/// `bench DEPTH`, or as other engines have it `bench HASH THREADS [DEPTH]`.
fn bench(arguments: &[&str]) -> Result<BenchOptions, CommandError> {
    let numbers: Vec<i64> =
        arguments.iter().take(3).map(|value| read_number("bench", value)).collect::<Result<_, _>>()?;
    Ok(BenchOptions::from_numbers(&numbers))
}

/// `speedtest [THREADS] [HASH] [SECONDS]`.
fn speed_test(arguments: &[&str]) -> Result<SpeedOptions, CommandError> {
    let numbers = arguments.iter().take(3).map(|value| read_number("speedtest", value));
    Ok(SpeedOptions::from_numbers(&numbers.collect::<Result<Vec<_>, _>>()?))
}

/// Reads the name of a file, which is the rest of the line.
fn export_net(line: &str, arguments: &[&str]) -> Result<Command, CommandError> {
    let first = arguments.first().ok_or(CommandError::FileName)?;
    let path = line.get(offset(line, first)..).unwrap_or_default().trim().to_owned();
    Ok(Command::ExportNet { path })
}

fn perft_depth(command: &str, arguments: &[&str]) -> Result<u32, CommandError> {
    let depth = optional_number(command, arguments)?;
    let depth = depth.ok_or_else(|| CommandError::MissingValue(command.to_owned()))?;
    Ok(clamp_perft(depth))
}

/// A negative time counts as zero. The upper limit is some decades.
fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(number.clamp(0, 1 << 40) as u64)
}

/// No perft deeper than this ends in a lifetime.
fn clamp_perft(number: i64) -> u32 {
    number.clamp(0, 30) as u32
}

fn clamp_depth(number: i64) -> Depth {
    number.clamp(1, 1000) as Depth
}

/// The known word with the smallest edit distance, if it is close. Case does not count.
pub(super) fn nearest(word: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let word: String = word.to_ascii_lowercase().chars().take(40).collect();
    known
        .filter(|known| known.len() > 1)
        .map(|known| (strsim::levenshtein(&word, &known.to_ascii_lowercase()), known))
        .min()
        .filter(|&(distance, known)| distance <= known.len() / 3 + 1 && distance < word.chars().count())
        .map(|(_, known)| known)
}

/// The end of a message that names what may have been meant.
pub(super) fn suggestion(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |word| format!(", did you mean '{word}'?"))
}

/// Why a position was not set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The FEN is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move of the list is wrong.
    #[error("{error} (move {number} of the list)")]
    Move {
        /// What is wrong with the move.
        error: MoveError,
        /// Its index in the list, from 1.
        number: usize,
    },
}

/// Sets up a FEN, or the initial position, and plays the moves. The list may be long, since a game keeps only the keys
/// that the detection of repetitions needs. Faults of the FEN that leave the placement of the pieces as it is are
/// repaired as in [`Game::parse_lenient`]. Each repair is passed to `report`, even when a move turns out to be wrong.
///
/// # Errors
/// When the FEN is beyond repair or one of the moves is wrong.
pub fn set_up(
    fen: Option<&str>,
    moves: &[String],
    mode: CastlingMode,
    report: impl FnMut(FenRepair),
) -> Result<Game, PositionError> {
    let (mut game, repairs) = match fen {
        Some(fen) => Game::parse_lenient(fen, mode)?,
        None => (Game::default(), Vec::new()),
    };
    repairs.into_iter().for_each(report);
    for (index, text) in moves.iter().enumerate() {
        let mv = parse_move(game.position(), text);
        game.play(mv.map_err(|error| PositionError::Move { error, number: index + 1 })?);
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> GoCommand {
        match parse(line) {
            Ok(Some(Command::Go(go))) => go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn leading_garbage_is_skipped() {
        assert_eq!(parse("joho debug on"), Ok(Some(Command::Debug(true))));
        assert_eq!(parse("\t isready \r"), Ok(Some(Command::IsReady)));
        assert_eq!(parse("   "), Ok(None));
        assert_eq!(parse("# a comment"), Ok(None));
        assert_eq!(parse("\u{feff}uci\r"), Ok(Some(Command::Uci)));
    }

    #[test]
    fn unknown_commands_get_a_suggestion() {
        let nearest = |line: &str| match parse(line) {
            Err(CommandError::Unknown { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("positoin startpos"), Some("position"));
        assert_eq!(nearest("isredy"), Some("isready"));
        assert_eq!(nearest("Quit"), Some("quit"));
        assert_eq!(nearest("xyzzy plugh"), None);
        // A mistyped word is not skipped like an unknown one.
        assert_eq!(nearest("setopton name Ponder value d"), Some("setoption"));
        assert_eq!(nearest("posiiton startpos moves e2e4 go depth 3"), Some("position"));
        assert_eq!(nearest("isredy uci"), Some("isready"));
        // Nor are words skipped for what only people type.
        for word in
            ["d", "?", "eval", "help", "perft 2", "bench", "display", "exit", "flip", "compiler", "speedtest"]
        {
            let line = format!("og {word}");
            assert_eq!(nearest(&line), None);
            assert!(!matches!(parse(word), Err(CommandError::Unknown { .. })), "{word}");
        }
        let uci = &WORDS[..UCI_WORDS];
        assert!(uci.contains(&"quit") && !uci.contains(&"exit"));
    }

    #[test]
    fn go_arguments() {
        let all = go("go wtime 1000 btime -5 winc 10 binc 0 movestogo 3 ponder foo depth 7 nodes 99");
        assert_eq!(all.time, [Some(Duration::from_secs(1)), Some(Duration::ZERO)]);
        assert_eq!((all.moves_to_go, all.ponder, all.depth, all.nodes), (Some(3), true, Some(7), Some(99)));
        let moves = go("go searchmoves e2e4 d2d4 movetime 50 infinite");
        assert_eq!(moves.search_moves, Some(vec!["e2e4".into(), "d2d4".into()]));
        assert_eq!(go("go searchmoves depth 3").search_moves, Some(vec![]));
        assert_eq!(all.search_moves, None);
        for clock in ["wtime 9", "btime 9", "winc 0", "binc 0", "movestogo 0"] {
            assert!(go(&format!("go {clock}")).has_clock(), "{clock}");
        }
        assert!(!go("go depth 3 movetime 5 ponder").has_clock());
        assert_eq!((moves.move_time, moves.infinite), (Some(Duration::from_millis(50)), true));
        assert_eq!(go("go depth -3").depth, Some(1));
        assert_eq!(go("go depth 99999999999999999999").depth, Some(1000));
        assert_eq!(go("go wtime 12.7").time[0], Some(Duration::from_millis(12)));
        assert_eq!(parse("go perft 5"), Ok(Some(Command::Perft { depth: 5 })));
        assert!(matches!(parse("go depth"), Err(CommandError::MissingValue(_))));
        assert!(matches!(parse("go depth infinite"), Err(CommandError::MissingValue(_))));
        assert!(matches!(parse("go nodes many"), Err(CommandError::NotANumber { .. })));
    }

    #[test]
    fn options_and_positions() {
        let option = |name: &str, value: Option<&str>| {
            Ok(Some(Command::SetOption { name: name.into(), value: value.map(str::to_owned) }))
        };
        assert_eq!(parse("setoption name Clear Hash"), option("Clear Hash", None));
        assert_eq!(parse("setoption name Hash value 32"), option("Hash", Some("32")));
        assert_eq!(
            parse("  setoption name Book  File value  C:\\my  books\\a.bin \r\n"),
            option("Book File", Some("C:\\my  books\\a.bin"))
        );
        assert_eq!(parse("setoption name Book value"), option("Book", Some("")));
        assert_eq!(parse("setoption Hash 5"), Err(CommandError::OptionName));
        let position = parse("position fen 8/8/8/3k4/8/3K4/8/8 w - - moves d3e3");
        let fen = Some("8/8/8/3k4/8/3K4/8/8 w - -".to_owned());
        assert_eq!(position, Ok(Some(Command::Position { fen, moves: vec!["d3e3".into()] })));
        let position = parse(" position  fen  8/8/8/3k4/8/3K4/8/8  w\t moves  d3e3 d5e5 \r");
        let fen = Some("8/8/8/3k4/8/3K4/8/8  w".to_owned());
        assert_eq!(position, Ok(Some(Command::Position { fen, moves: vec!["d3e3".into(), "d5e5".into()] })));
        assert_eq!(
            parse("position fen x"),
            Ok(Some(Command::Position { fen: Some("x".into()), moves: vec![] }))
        );
        assert_eq!(
            parse("position startpos moves"),
            Ok(Some(Command::Position { fen: None, moves: vec![] }))
        );
        assert!(matches!(parse("position startpos e2e4"), Err(CommandError::StartPosition(_))));
        assert!(matches!(parse("go dpeth 5"), Err(CommandError::Go(_))));
        assert_eq!(parse("position"), Err(CommandError::Position));
        assert_eq!(parse("position fen"), Err(CommandError::Position));
    }

    #[test]
    fn errors_that_leave_no_position() {
        let loses = |line: &str| parse(line).expect_err(line).concerns_position();
        for line in
            ["position", "position fen", "position startpos e2e4", "positoin startpos", "POSITION fen x"]
        {
            assert!(loses(line), "{line}");
        }
        for line in ["go depth", "isredy", "xyzzy", "setoption Hash 5"] {
            assert!(!loses(line), "{line}");
        }
    }

    #[test]
    fn only_what_is_close_is_meant() {
        let nearest = |word| nearest(word, ["Hash", "Threads", "Move Overhead", "d"].into_iter());
        assert_eq!(nearest("hsah"), Some("Hash"));
        assert_eq!(nearest("MoveOverhead"), Some("Move Overhead"));
        assert_eq!(nearest("thread"), Some("Threads"));
        assert_eq!(nearest("Contempt"), None);
        assert_eq!(nearest("e"), None);
    }

    fn standard(fen: Option<&str>, list: &str) -> (Result<Game, PositionError>, Vec<FenRepair>) {
        let moves: Vec<String> = list.split_whitespace().map(str::to_owned).collect();
        let mut repairs = Vec::new();
        let game = set_up(fen, &moves, CastlingMode::Standard, |repair| repairs.push(repair));
        (game, repairs)
    }

    #[test]
    fn all_or_nothing() {
        let game = standard(None, "e2e4 e7e5 g1f3 b8c6").0.unwrap();
        assert_eq!(game.earlier_keys().len(), 2);
        let error = standard(None, "e2e4 e7e5 e4e5").0.unwrap_err();
        assert_eq!(error.to_string(), "move e4e5 is illegal here (move 3 of the list)");
        assert!(matches!(standard(Some("8/8 w"), "").0, Err(PositionError::Fen(_))));
    }

    #[test]
    fn repairs_are_reported_before_the_moves_are_played() {
        let fen = Some("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1");
        let (game, repairs) = standard(fen, "e1g1");
        assert!(game.is_ok() && repairs.len() == 1, "{repairs:?}");
        let (game, repairs) = standard(fen, "e1c1");
        assert!(game.is_err() && repairs.len() == 1, "{repairs:?}");
    }
}
