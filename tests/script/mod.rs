//! What any input at all must come to, for property tests and for the fuzz targets in `fuzz/`.

// Each user needs a part of it.
#![allow(dead_code)]

use std::io::{self, Cursor, Write};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use quillon::board::{Game, Position};
use quillon::notation::parse_uci;
use quillon::uci::command::{self, Command};
use quillon::uci::input::{self, Input};
use quillon::uci::{Output, converse, options, position};

/// Reads a line as the engine does, sets positions up, looks options up. Everything is an error or sound.
pub fn check_line(line: &str) {
    match command::parse(line) {
        Ok(Some(Command::Position { fen, moves })) => match position::set_up(fen.as_deref(), &moves) {
            Ok(game) => check_game(&game),
            Err(error) => assert!(!error.to_string().is_empty()),
        },
        Ok(Some(Command::SetOption { name, value })) => {
            if let Err(error) = options::parse(&name, value.as_deref()) {
                assert!(!error.to_string().is_empty());
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

/// A FEN that is read is written again as a FEN of the same position.
pub fn check_fen(text: &str) {
    let Ok(position) = text.parse::<Position>() else { return };
    check_game(&Game::new(position));
    for written in [position.to_string(), position.to_shredder_fen()] {
        let again = written.parse::<Position>();
        assert_eq!(again.as_ref().map(Position::key), Ok(position.key()), "{text} was written {written}");
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
            assert!(words[1] == "(none)" || main_move == Some(words[1]), "{line}\n{output}");
            (last_rank, main_move) = (0, None);
        }
    }
}

/// Holds a whole conversation. The end of the input ends every search, and every question has its answer.
pub fn check_conversation(bytes: &[u8]) {
    let mut stream = Cursor::new(bytes);
    let mut script = format!("setoption name BookFile value {}\n", BOOK.display());
    let (mut searches, mut counts, mut ready) = (0, 0, 0);
    while let Ok(Some(input)) = input::read(&mut stream) {
        let Input::Line(line) = input else { continue };
        if is_harmless(&line) {
            match command::parse(&line) {
                Ok(Some(Command::Go(_))) => searches += 1,
                Ok(Some(Command::Perft { .. })) => counts += 1,
                Ok(Some(Command::IsReady)) => ready += 1,
                _ => {}
            }
            script.push_str(&line);
            script.push('\n');
        }
    }
    let sink = Sink::default();
    converse(Cursor::new(script.clone()), Output::new(sink.clone()), |_, _, _, _| String::new())
        .expect("memory and threads");
    let output = sink.0.lock().expect("no writer panics");
    let output = std::str::from_utf8(&output).expect("output is UTF-8");
    let count = |start: &str| output.lines().filter(|line| line.starts_with(start)).count();
    let found = (count("bestmove "), count("Nodes searched: "), count("readyok"));
    check_order(output);
    // A count that `stop` ended tells so.
    let found = (found.0, found.1 + count("info string perft stopped"), found.2);
    assert_eq!(found, (searches, counts, ready), "script:\n{script}\noutput:\n{output}");
}
