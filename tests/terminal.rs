//! What a person at a terminal sees, and commands beyond the protocol.

#[path = "client/files.rs"]
#[allow(dead_code)]
mod files;
#[path = "client/screen.rs"]
mod screen;

use std::process::{Command, Stdio};

use files::Folder;
use quillon::nnue::Network;
use quillon::uci::Audience;
use quillon::uci::format::Drawing;
use screen::Terminal;

/// What is said to these lines. Each is typed when the answer to the line before it shows this text.
fn said(audience: Audience, lines: &[(&str, &str)]) -> String {
    let mut terminal = Terminal::open(audience);
    for (line, answer) in lines {
        terminal.enter(line);
        if !answer.is_empty() {
            terminal.wait_for(answer);
        }
    }
    terminal.close()
}

const PERSON: Audience = Audience::Person(Drawing::Figures);

#[test]
fn a_search_is_a_table() {
    let moves = "position startpos moves e4 e7e5 Nf3";
    let text = said(PERSON, &[(moves, ""), ("go depth 8", "bestmove")]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0].split_whitespace().collect::<Vec<_>>(),
        ["depth", "time", "nodes", "score", "White", "line"]
    );
    assert!(lines.iter().all(|line| line.len() <= 80), "{text}");
    assert!(!text.contains("info "), "{text}");
    let last = lines[lines.len() - 2].split_whitespace().collect::<Vec<_>>();
    assert!(last[0].starts_with("8/") && last[2] == "s" && last[6] == "2...", "{text}");
    let value = |word: &str| word.parse::<f64>().expect("a score");
    assert_eq!(value(last[4]), -value(last[5]), "Black is to move: {text}");
    let best = lines[lines.len() - 1];
    assert!(best.starts_with("bestmove ") && best.contains(" ponder ") && best.ends_with(')'), "{best}");
    assert!(best.contains(&format!("({}, expecting", last[7])), "{text}");
    let several = said(PERSON, &[("setoption name MultiPV value 2", ""), ("go depth 3", "bestmove")]);
    assert!(several.contains("  1) 1. ") && several.contains("  2) 1. "), "{several}");
}

#[test]
fn a_program_gets_the_protocol() {
    for script in [
        &[("go depth 5", "bestmove")][..],
        &[("go depth 5", "bestmove"), ("d", "Legal moves"), ("nonsense", "help")],
    ] {
        let program = said(Audience::Program, script);
        assert!(
            program.starts_with("info depth 1 seldepth ") && !program.contains("White  line"),
            "{program}"
        );
        // Who says `uci` is a program, even at a terminal.
        let with_uci = [&[("uci", "uciok")], script].concat();
        let at_terminal = said(PERSON, &with_uci);
        let after = at_terminal.split_once("uciok\n").expect("it was waited for").1;
        let timeless = |text: &str| -> Vec<String> {
            let words = text.split(' ').scan("", |last, word| Some((std::mem::replace(last, word), word)));
            words
                .filter(|(last, _)| !["nps", "time"].contains(last))
                .map(|(_, word)| word.to_owned())
                .collect()
        };
        assert_eq!(timeless(after), timeless(&program));
    }
}

#[test]
fn boards_have_figures_where_the_terminal_has_them() {
    let text = said(PERSON, &[("position startpos moves e4", ""), ("d", "Legal moves")]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "  ┌───┬───┬───┬───┬───┬───┬───┬───┐");
    assert_eq!(lines[1], "8 │ ♜ │ ♞ │ ♝ │ ♛ │ ♚ │ ♝ │ ♞ │ ♜ │");
    assert_eq!(lines[9], "4 │   │   │   │   │ ♙ │   │   │   │");
    assert_eq!(lines[15], "1 │ ♖ │ ♘ │ ♗ │ ♕ │ ♔ │ ♗ │ ♘ │ ♖ │");
    assert_eq!(lines[16], "  └───┴───┴───┴───┴───┴───┴───┴───┘");
    let letters = said(Audience::Person(Drawing::Letters), &[("d", "Legal moves")]);
    assert!(letters.contains("8 | r | n | b | q | k | b | n | r |\n") && letters.is_ascii(), "{letters}");
}

#[test]
fn errors_say_how_moves_are_written() {
    let wrong = ("position startpos moves e4 Nf9", "written");
    let text = said(PERSON, &[wrong]);
    assert!(text.starts_with("'Nf9' is not a move (move 2 of the list)\nMoves are written e2e4, "), "{text}");
    assert!(said(PERSON, &[("e2e4", "make")]).starts_with("to make a move: position startpos moves e2e4\n"));
    assert!(said(PERSON, &[("help Hsh", "did you mean 'Hash'")]).contains("'help' explains"));
    let program = said(Audience::Program, &[("position startpos moves e4 Nf9", "list")]);
    assert_eq!(program, "info string 'Nf9' is not a move (move 2 of the list)\n");
    assert!(
        said(PERSON, &[("psition startpos", "help")]).starts_with("unknown command 'psition', did you mean")
    );
}

#[test]
fn a_person_who_mistypes_keeps_the_position() {
    for wrong in ["position startpos moves e4 Ke7", "position fen 8/8 w", "psition startpos", "position"] {
        let lines = [("position startpos moves e4 e5", ""), (wrong, "\n"), ("d", "Legal moves")];
        let text = said(PERSON, &lines);
        assert!(text.contains("FEN: rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"), "{wrong}: {text}");
    }
}

#[test]
fn who_waits_is_told() {
    let lines = [("go infinite", "line"), ("d", "waits"), ("stop", "Legal moves")];
    let text = said(PERSON, &lines);
    assert!(text.contains("This waits for the end of the search; 'stop' ends it.\n"), "{text}");
    let program = said(Audience::Program, &[("go infinite", "pv"), ("d", ""), ("stop", "Legal moves")]);
    assert!(!program.contains("waits"), "{program}");
}

#[test]
fn a_mate_is_told_once() {
    let lines = [("position fen 8/8/8/8/8/2k5/8/K1q5 w - - 0 1", ""), ("go depth 60", "bestmove")];
    let rows = |audience| said(audience, &lines).lines().count();
    assert!(rows(PERSON) < 12 && rows(Audience::Program) > 50);
}

#[test]
fn the_table_shows_chances() {
    let lines = [("setoption name UCI_ShowWDL value true", ""), ("go depth 8", "bestmove")];
    let text = said(PERSON, &lines);
    let heading = text.lines().next().unwrap_or_default();
    assert!(
        heading.ends_with("  win/draw/loss  line") && text.lines().all(|line| line.len() <= 80),
        "{text}"
    );
}

#[test]
fn positions_are_flipped() {
    let lines = [("position startpos moves e4 c5 Nf3", ""), ("flip", ""), ("d", "Legal moves")];
    let text = said(Audience::Program, &lines);
    assert!(text.contains("FEN: rnbqkb1r/pppp1ppp/5n2/4p3/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 1 2\n"), "{text}");
    let none = said(Audience::Program, &[("position startpos moves e5", "illegal"), ("flip", "no position")]);
    assert!(none.contains("there is no position: "), "{none}");
}

#[test]
fn the_network_is_written_into_a_new_file() {
    let folder = Folder::new("export");
    let path = folder.0.join("some net.nnue").display().to_string();
    let command = format!("export_net {path}");
    let text =
        said(Audience::Program, &[(&command, "bytes\n"), (&command, "exists"), ("export_net", "needs")]);
    assert!(text.starts_with("info string network ") && text.contains("info string export_net "), "{text}");
    let bytes = std::fs::read(&path).expect("it was written");
    let network = Network::from_bytes(&bytes).expect("it is a network");
    assert_eq!(network, *quillon::nnue::built_in());
}

#[test]
fn the_program_tells_what_compiled_it() {
    let text = said(Audience::Program, &[("compiler", "sliders")]);
    assert!(text.contains(", compiled by rustc 1.") && text.contains(std::env::consts::ARCH), "{text}");
}

fn quillon(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    let output = command.args(arguments).stdin(Stdio::null()).output().expect("the program runs");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("output is UTF-8"));
    (output.status.code(), said.concat())
}

#[test]
fn speed_is_measured_over_games() {
    let (code, said) = quillon(&["speedtest", "2", "2", "1"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((code, lines[0]), (Some(0), "2 threads, 2 MiB of hash table, 1 second"), "{said}");
    assert!(lines.len() == 13 && lines[10].starts_with("position 240 of 240: "), "{said}");
    assert!(lines[11].ends_with("on average") && lines[12].ends_with(" nps"), "{said}");
    let stopped = said_when_stopped();
    assert!(stopped.ends_with("info string speedtest stopped\n"), "{stopped}");
}

fn said_when_stopped() -> String {
    said(
        Audience::Program,
        &[("speedtest 1 1 1000", "1 thread, 1 MiB of hash table, 1000 seconds"), ("stop", "stopped")],
    )
}

#[test]
fn the_bench_takes_hash_and_threads() {
    let last = |arguments: &[&str]| {
        let (code, said) = quillon(&[&["bench"], arguments].concat());
        assert_eq!(code, Some(0), "{said}");
        said.lines().last().unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
    };
    let depth = last(&["4"]);
    assert_eq!(last(&["16", "1", "4"]), depth);
    assert!(last(&["1", "2", "4"]).parse::<u64>().is_ok_and(|nodes| nodes > 1000));
    let typed = said(Audience::Program, &[("bench 16 1 4", " nps")]);
    assert!(typed.lines().last().is_some_and(|line| line.starts_with(&format!("{depth} nodes "))), "{typed}");
    for wrong in [&["bench", "0"][..], &["bench", "x"], &["bench", "1", "2", "3", "4"], &["speedtest", "0"]] {
        assert_eq!(quillon(wrong).0, Some(2), "{wrong:?}");
    }
}

#[test]
fn the_initial_position_has_a_name() {
    let (code, said) = quillon(&["perft", "3", "--fen", "startpos"]);
    assert!(code == Some(0) && said.starts_with("perft 3: 8902 nodes"), "{said}");
}
