//! What any input at all must come to, for property tests and for the fuzz targets in `fuzz/`.

// Each user needs a part of it.
#![allow(dead_code)]

use std::io::{self, Cursor, Write};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use quillon::board::{FenRepair, Game, Position};
use quillon::console::Output;
use quillon::notation::{format_uci, parse_uci};
use quillon::types::CastlingMode;
use quillon::uci::command::{self, Command};
use quillon::uci::converse;
use quillon::uci::input::{self, Input};

const MODES: [CastlingMode; 2] = [CastlingMode::Standard, CastlingMode::Chess960];

/// Reads a line as the engine does, and sets positions up. Everything is an error or sound.
pub fn check_line(line: &str) {
    match command::parse(line) {
        Ok(Some(Command::Position { fen, moves })) => {
            for mode in MODES {
                let tell = |repair: FenRepair| assert!(!repair.to_string().is_empty());
                match command::set_up(fen.as_deref(), &moves, mode, tell) {
                    Ok(game) => check_game(&game),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
        Ok(Some(Command::Go(go))) => {
            assert!(go.depth.is_none_or(|depth| (1..=1000).contains(&depth)), "{line}");
            assert!(go.nodes != Some(0) && go.mate != Some(0), "{line}");
            for text in go.search_moves.iter().flatten() {
                let _ = parse_uci(&Position::start(), text);
            }
        }
        Ok(Some(Command::Perft { depth })) => assert!(depth <= 30, "{line}"),
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Whether a position that was accepted is one that the rules can be applied to.
pub fn check_game(game: &Game) {
    let position = game.position();
    let _ = game.outcome();
    for &mv in &position.legal_moves() {
        let mut child = *position;
        child.make(mv);
        assert!(!child.is_attacked(child.king(position.stm()), child.stm(), child.occupied()), "{position}");
        assert_eq!(*child.keys(), child.keys_from_scratch(), "{position}");
    }
}

/// A FEN that is read is written again as a FEN of the same position, by the strict reader and the lenient one.
pub fn check_fen(text: &str) {
    let strict = text.parse::<Position>();
    if let Ok(position) = strict {
        check_game(&Game::new(position));
        for written in [position.to_string(), position.to_shredder_fen()] {
            let again = written.parse::<Position>();
            assert_eq!(again.as_ref().map(Position::key), Ok(position.key()), "{text} was written {written}");
        }
    }
    for mode in MODES {
        let Ok((position, repairs)) = Position::parse_lenient(text, mode) else {
            assert!(strict.is_err(), "only the strict reader accepts {text}");
            continue;
        };
        check_game(&Game::new(position));
        assert!(repairs.iter().all(|repair| !repair.to_string().is_empty()), "{text}: {repairs:?}");
        // No repair touches the pieces, and what was read without any is what the strict reader reads.
        let board = text.split_ascii_whitespace().next().unwrap_or_default();
        let side = ["w", "b"][position.stm().index()];
        let bare = format!("{board} {side}").parse::<Position>().expect("the board is in order");
        assert!(bare.occupied().into_iter().all(|square| bare.piece_on(square) == position.piece_on(square)));
        assert_eq!(bare.occupied(), position.occupied(), "{text}");
        if repairs.is_empty() || strict.is_ok() && mode == CastlingMode::Chess960 {
            assert_eq!(strict.as_ref(), Ok(&position), "{text}: {repairs:?}");
        }
        let written = position.to_string();
        assert_eq!(Position::parse_lenient(&written, mode), Ok((position, vec![])), "{text}");
    }
}

/// Whether a line can be part of a script that anybody may run: no file is written, little memory taken, no
/// endless count begun, and the process not ended.
fn is_harmless(line: &str) -> bool {
    const OPTIONS: [&str; 21] = [
        "MultiPV",
        "Ponder",
        "UCI_Chess960",
        "Move Overhead",
        "nodestime",
        "Clear Hash",
        "EvalFile",
        "OwnBook",
        "BookDepth",
        "BestBookMove",
        "UCI_AnalyseMode",
        "UCI_LimitStrength",
        "UCI_Elo",
        "Skill Level",
        "UCI_ShowWDL",
        "SyzygyPath",
        "SyzygyProbeDepth",
        "SyzygyProbeLimit",
        "Syzygy50MoveRule",
        "UCI_Opponent",
        "UCI_EngineAbout",
    ];
    match command::parse(line) {
        Ok(Some(Command::SetOption { name, value })) => match name.to_ascii_lowercase().as_str() {
            "threads" | "hash" => value.is_some_and(|value| value.len() == 1),
            _ => OPTIONS.iter().any(|option| name.eq_ignore_ascii_case(option)),
        },
        Ok(Some(Command::Perft { depth })) => depth <= 2,
        Ok(Some(Command::Bench { .. } | Command::Quit)) => false,
        _ => true,
    }
}

/// A stream that keeps what is written.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no writer panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file with one opening move, e2e4, which the option `OwnBook` puts into use.
static BOOK: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = std::env::temp_dir().join(format!("quillon script {}.bin", std::process::id()));
    let entry = [0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 0, 1, 0, 0, 0, 0];
    std::fs::write(&path, entry).expect("there is room for 16 bytes");
    path
});

/// Lines of analysis come by their rank, and the move played is that of the last line of rank 1.
fn check_order(output: &str) {
    let (mut last_rank, mut main_move) = (0, None);
    for line in output.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let after =
            |key| words.iter().position(|&word| word == key).and_then(|at| words.get(at + 1)).copied();
        if let (Some(rank), Some(mv)) = (after("multipv"), after("pv")) {
            let rank: usize = rank.parse().expect("a number");
            assert!(rank == 1 || rank == last_rank + 1, "{line}\n{output}");
            last_rank = rank;
            main_move = if rank == 1 { Some(mv) } else { main_move };
        } else if words[0] == "bestmove" {
            let shown = if words[1] == "0000" { None } else { main_move };
            assert!(words[1] == "(none)" || shown.unwrap_or("0000") == words[1], "{line}\n{output}");
            (last_rank, main_move) = (0, None);
        }
    }
}

/// What a client believes of an engine that it sends lines to: which position each `go` is for.
struct Belief {
    /// `None` after a position that was refused.
    position: Option<Position>,
    mode: CastlingMode,
    /// The position of each `go`, and whether castling is king takes rook.
    searches: Vec<(Option<Position>, bool)>,
    counts: usize,
    ready: usize,
}

impl Belief {
    fn new() -> Belief {
        Belief {
            position: Some(Position::start()),
            mode: CastlingMode::Standard,
            searches: Vec::new(),
            counts: 0,
            ready: 0,
        }
    }

    fn hear(&mut self, line: &str) {
        match command::parse(line) {
            Ok(Some(Command::Position { fen, moves })) => {
                let game = command::set_up(fen.as_deref(), &moves, self.mode, |_| ());
                self.position = game.ok().map(|game| *game.position());
            }
            Ok(Some(Command::UciNewGame)) => self.position = Some(Position::start()),
            Ok(Some(Command::SetOption { name, value })) if name.eq_ignore_ascii_case("UCI_Chess960") => {
                match value.unwrap_or_default().to_ascii_lowercase().as_str() {
                    "true" => self.mode = CastlingMode::Chess960,
                    "false" => self.mode = CastlingMode::Standard,
                    _ => {}
                }
            }
            Ok(Some(Command::Go(_))) => {
                let only_there = self.position.is_some_and(|position| position.needs_chess960());
                let chess960 = self.mode == CastlingMode::Chess960 || only_there;
                self.searches.push((self.position, chess960));
            }
            Ok(Some(Command::Perft { .. })) => self.counts += 1,
            Ok(Some(Command::IsReady)) => self.ready += 1,
            Err(error) if error.concerns_position() => self.position = None,
            _ => {}
        }
    }

    /// Each search is answered by a move of its own position, or by none where there is no position.
    fn check(&self, answers: &[&str], script: &str) {
        assert_eq!(answers.len(), self.searches.len(), "{script}\n{answers:?}");
        for (&answer, (position, chess960)) in answers.iter().zip(&self.searches) {
            let Some(position) = position else {
                assert_eq!(answer, "0000", "{script}\n{answers:?}");
                continue;
            };
            let legal: Vec<String> =
                position.legal_moves().into_iter().map(|mv| format_uci(mv, *chess960)).collect();
            let is_right = legal.iter().any(|mv| mv == answer) || legal.is_empty() && answer == "(none)";
            assert!(is_right, "{answer} in {position}\n{script}\n{answers:?}");
        }
    }
}

/// What an engine in this process says to a script.
pub fn output_of(script: &str) -> String {
    let sink = Sink::default();
    let script = Cursor::new(script.to_owned());
    converse(script, Output::new(sink.clone())).expect("memory and threads");
    let output = sink.0.lock().expect("no writer panics").clone();
    String::from_utf8(output).expect("output is UTF-8")
}

/// The moves of all `bestmove` lines.
pub fn best_moves(output: &str) -> Vec<&str> {
    let answers = output.lines().filter_map(|line| line.strip_prefix("bestmove "));
    answers.map(|answer| answer.split(' ').next().unwrap_or_default()).collect()
}

/// Holds a whole conversation. The end of the input ends every search, and every question has its answer.
pub fn check_conversation(bytes: &[u8]) {
    let mut stream = Cursor::new(bytes);
    let mut script = format!("setoption name BookFile value {}\n", BOOK.display());
    let mut belief = Belief::new();
    while let Ok(Some(input)) = input::read(&mut stream) {
        let Input::Line(line) = input else { continue };
        if is_harmless(&line) {
            belief.hear(&line);
            script.push_str(&line);
            script.push('\n');
        }
    }
    let output = output_of(&script);
    check_order(&output);
    belief.check(&best_moves(&output), &script);
    let count = |start: &str| output.lines().filter(|line| line.starts_with(start)).count();
    // A count that `stop` ended tells so.
    let counts = count("Nodes searched: ") + count("info string perft stopped");
    assert_eq!(
        (counts, count("readyok")),
        (belief.counts, belief.ready),
        "script:\n{script}\noutput:\n{output}"
    );
}
