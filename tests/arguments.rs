//! Lines of UCI as arguments of the program, and the openings of `genfens`.

#[path = "client/files.rs"]
#[allow(dead_code)]
mod files;

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};

use files::Folder;
use quillon::board::{Game, Position};

/// Exit code, output and errors.
fn quillon(arguments: &[&str]) -> (i32, String, String) {
    quillon_in(Path::new("."), arguments)
}

fn quillon_in(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    let output =
        command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (output.status.code().expect("it ends by itself"), text(output.stdout), text(output.stderr))
}

fn lines_beginning<'a>(output: &'a str, start: &str) -> Vec<&'a str> {
    output.lines().filter(|line| line.starts_with(start)).collect()
}

#[test]
fn each_argument_waits_for_the_one_before() {
    let (code, output, errors) =
        quillon(&["position startpos moves e2e4", "go depth 4", "go nodes 500", "quit"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(lines_beginning(&output, "bestmove ").len(), 2, "{output}");
    // The first search is not cut short by what follows.
    assert!(output.contains("info depth 4 "), "{output}");
}

#[test]
fn nothing_after_quit_is_carried_out() {
    let (code, output, _) = quillon(&["quit", "go depth 1"]);
    assert_eq!((code, output.as_str()), (0, ""));
    let (code, output, _) = quillon(&["uci", "isready", "quit"]);
    assert_eq!(code, 0);
    assert!(output.ends_with("uciok\nreadyok\n"), "{output}");
}

#[test]
fn words_of_both_kinds_are_commands_of_the_shell_by_themselves() {
    let (code, output, _) = quillon(&["perft", "2"]);
    assert_eq!((code, output.starts_with("perft 2: 400 nodes")), (0, true), "{output}");
    let (code, output, _) = quillon(&["perft 2", "quit"]);
    assert_eq!(code, 0);
    assert!(output.contains("Nodes searched: 400"), "{output}");
    assert_eq!(quillon(&["d"]).0, 0);
    let (code, _, errors) = quillon(&["tran"]);
    assert_eq!(code, 2);
    assert!(errors.contains("'train'"), "{errors}");
}

#[test]
fn unusable_lines_are_named_before_anything_is_done() {
    for (line, reason) in [
        ("god depth 5", "'god depth 5': unknown command 'god', did you mean 'go'?"),
        ("go", "'go' would never end; give it a limit"),
        ("go infinite", "'go infinite' would never end"),
        ("go ponder movetime 10", "would never end"),
        ("go depth x", "'x' after 'depth' is not a number"),
        ("genfens", "needs a number of openings"),
    ] {
        let (code, output, errors) = quillon(&["perft 1", line]);
        assert_eq!((code, output.as_str()), (2, ""), "{line}");
        assert!(errors.contains(reason), "{line}: {errors}");
    }
    let (code, output, _) = quillon(&["position fen 8/8 w - - 0 1", "go depth 1"]);
    assert_eq!(code, 1);
    assert!(output.contains("there is no position"), "{output}");
}

#[test]
fn a_failure_shows_in_the_exit_code() {
    for lines in [
        &["export_net /no/such/folder/x.nnue"][..],
        &["setoption name EvalFile value /no/such/net.nnue", "bench 2"],
        &["setoption name SyzygyPath value /no such folder", "isready"],
        &["setoption name Hash value 0", "isready"],
        &["position startpos moves e2e5", "go depth 1"],
        &["position fen 8/8 w - - 0 1", "ucinewgame", "go depth 1"],
        &["go depth 1 searchmoves e2e5"],
        // More memory than there is.
        &["bench 33554432 1 1", "quit"],
        &["speedtest 1 33554432 1", "quit"],
        &["bench", "33554432", "1", "1"],
        &["speedtest", "1", "33554432", "1"],
    ] {
        let (code, output, errors) = quillon(lines);
        assert_eq!(code, 1, "{lines:?}: {output} {errors}");
        assert!(
            output.contains("info string ") || errors.contains("not enough memory"),
            "{lines:?}: {output}"
        );
    }
    // What is put right is none.
    let (code, output, _) = quillon(&["position fen 4k3/8/8/8/8/8/4P3/4K3 w KQkq - 0 1", "go depth 1"]);
    assert_eq!(code, 0, "{output}");
    assert!(output.starts_with("info string "), "{output}");
}

/// The openings of a command.
fn openings(line: &str) -> Vec<String> {
    openings_in(Path::new("."), line)
}

fn openings_in(folder: &Path, line: &str) -> Vec<String> {
    let (code, output, errors) = quillon_in(folder, &[line, "quit"]);
    assert_eq!((code, errors.as_str()), (0, ""), "{line}");
    let fens = output.lines().filter_map(|line| line.strip_prefix("info string genfens "));
    fens.map(str::to_owned).collect()
}

#[test]
fn genfens_gives_openings_that_depend_on_the_seed_only() {
    let fens = openings("genfens 200 seed 42 book None ");
    assert_eq!(fens.len(), 200);
    assert_eq!(fens[..50], openings("genfens 50 seed 42 book none"));
    let others = openings("genfens 200 seed 43 book None");
    let all: HashSet<&String> = fens.iter().chain(&others).collect();
    assert_eq!(all.len(), 400);
    let mut to_move = [0; 2];
    for fen in &fens {
        assert_eq!(fen.split(' ').count(), 6, "{fen}");
        let position: Position = fen.parse().expect("a FEN");
        assert_eq!(Game::new(position).outcome(), None, "{fen}");
        to_move[position.stm() as usize] += 1;
        assert!((8..=9).contains(&(2 * (position.fullmove_number() - 1) + position.stm() as u16)), "{fen}");
    }
    assert!(to_move.iter().all(|&count| count > 60), "{to_move:?}");
}

#[test]
fn genfens_begins_with_the_positions_of_a_book() {
    let folder = Folder::new("genfens-book");
    let rows = b"4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -\n4k3/4pppp/8/8/8/8/4PPPP/4K3 w - - hmvc 0;\n";
    folder.write("book.epd", rows);
    let fens = openings_in(&folder.0, "genfens 20 seed 5 book book.epd plies 2");
    assert_eq!(fens.len(), 20);
    assert!(fens.iter().all(|fen| !fen.to_lowercase().contains('n')), "{fens:?}");
    let (code, output, _) = quillon_in(&folder.0, &["genfens 5 seed 5 book no-such-file.epd"]);
    assert_eq!(code, 1);
    assert!(output.contains("cannot read no-such-file.epd"), "{output}");
}

#[test]
fn a_book_with_few_openings_gives_them_again() {
    let folder = Folder::new("genfens-few");
    folder.write("one.epd", b"4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -\n");
    // With no random move or one there are 14 openings.
    let fens = openings_in(&folder.0, "genfens 30 seed 5 book one.epd plies 0");
    let different: HashSet<&String> = fens.iter().collect();
    assert_eq!(fens.len(), 30);
    assert!((5..=14).contains(&different.len()), "{different:?}");
}
