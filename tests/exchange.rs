//! `quillon data export` and `quillon data import` as a user runs them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[path = "client/files.rs"]
#[allow(dead_code)]
mod files;

use files::Folder;
use quillon::datagen::{DataReader, GameRecord};

fn quillon(folder: &Folder, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    command.current_dir(&folder.0).args(line.split_whitespace()).stdin(Stdio::null());
    command.output().expect("the program starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What a command prints that succeeds.
fn done(folder: &Folder, line: &str) -> String {
    let output = quillon(folder, line);
    assert!(output.status.success(), "{line}: {}", text(&output));
    text(&output)
}

/// What a command prints that fails, of which no file is left.
fn refused(folder: &Folder, line: &str, out: &str) -> String {
    let output = quillon(folder, line);
    assert_eq!(output.status.code(), Some(1), "{line}: {}", text(&output));
    let entries = fs::read_dir(&folder.0).expect("the folder is there");
    let mut names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    assert!(!names.any(|name| name.starts_with(out)), "{line}");
    text(&output)
}

fn games(folder: &Folder, name: &str) -> Vec<GameRecord> {
    let reader = DataReader::open(folder.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    reader.map(|game| game.expect("the file is sound")).collect()
}

/// The game without what only our own format holds.
fn without_trees(game: &GameRecord) -> GameRecord {
    GameRecord { trees: Vec::new(), ..game.clone() }
}

fn from_first_search(game: &GameRecord) -> GameRecord {
    let mut start = game.start;
    game.opening.iter().for_each(|&mv| {
        start.make(mv);
    });
    GameRecord { start, opening: Vec::new(), trees: Vec::new(), ..game.clone() }
}

#[test]
fn games_go_out_and_come_back() {
    let folder = Folder::new("exchange");
    done(
        &folder,
        "datagen --out a.games --games 40 --nodes 40 --tree-positions 1 --tree-nodes 30 --chess960 0.3",
    );
    let own = games(&folder, "a.games");
    for (format, name, expected) in [
        ("pgn", "a.pgn", own.iter().map(without_trees).collect::<Vec<_>>()),
        ("viriformat", "a.vf", own.iter().map(from_first_search).collect()),
    ] {
        let told = done(&folder, &format!("data export a.games --format {format} --out {name}"));
        assert!(told.contains("40 games") && told.contains("positions out of search trees"), "{told}");
        done(&folder, &format!("data import {name} --out {format}.games"));
        assert!(games(&folder, &format!("{format}.games")) == expected, "{format}");
        done(&folder, &format!("data verify {format}.games"));
    }
    let kept: u64 = own.iter().map(|game| game.count_kept() + game.count_kept_trees()).sum();
    let all: usize = own.iter().map(|game| game.moves.len() + game.trees.len()).sum();
    for (raw, count) in [("", kept as usize), ("--raw", all)] {
        let told = done(&folder, &format!("data export a.games --format bulletformat --out b{raw} {raw}"));
        assert!(told.contains(&format!("40 games, {count} positions, {} bytes", 32 * count)), "{told}");
        done(&folder, &format!("data export a.games --format text --out t{raw} {raw}"));
        let lines = fs::read_to_string(folder.0.join(format!("t{raw}"))).expect("it was written");
        assert_eq!(lines.lines().count(), count);
    }
}

/// The moves with their scores, and the results, of a PGN.
fn moves_and_scores(pgn: &str) -> Vec<String> {
    let body = pgn.lines().filter(|line| !line.starts_with('[')).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for piece in body.split('}') {
        let (before, comment) = piece.split_once('{').unwrap_or((piece, ""));
        let words = before.split_whitespace().filter(|word| !word.ends_with('.'));
        found.extend(words.map(str::to_owned));
        found.extend(comment.split('/').next().filter(|score| !score.is_empty()).map(str::to_owned));
    }
    found
}

#[test]
fn a_pgn_of_fastchess_goes_in_and_out_without_loss() {
    let folder = Folder::new("fastchess");
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games/fastchess.pgn"));
    let source = source.expect("it is part of the source");
    folder.write("in.pgn", source.as_bytes());
    let told = done(&folder, "data import in.pgn --out in.games");
    let count = source.matches("[Event ").count();
    assert!(told.contains(&format!("{count} games (")), "{told}");
    done(&folder, "data export in.games --format pgn --out out.pgn");
    let out = fs::read_to_string(folder.0.join("out.pgn")).expect("it was written");
    let (before, after) = (moves_and_scores(&source), moves_and_scores(&out));
    assert!(before.len() > 600 && before.iter().any(|word| word.starts_with("-M")), "{}", before.len());
    assert_eq!(before, after);
    for tag in ["[Result ", "[FEN ", "[PlyCount "] {
        let tags = |pgn: &str| -> Vec<String> {
            pgn.lines().filter(|line| line.starts_with(tag)).map(str::to_owned).collect()
        };
        assert_eq!(tags(&source), tags(&out));
    }
}

#[test]
fn a_pgn_as_openbench_stores_it_is_read() {
    let folder = Folder::new("openbench");
    let pgn = "[Event \"1\"]\n[Result \"1-0\"]\n[ScaleFactor \"1.1\"]\n\n\
               e4 {book} e5 {unknown} Nf3 {+0.35/12} Nc6 {-0.31/11, line=x} Bb5 {+0.31/12 0.1s, n=5, sd=9} 1-0\n\n";
    folder.write("a.pgn", pgn.as_bytes());
    done(&folder, "data import a.pgn --scores plain --out a.games");
    let read = games(&folder, "a.games");
    assert_eq!((read.len(), read[0].opening.len()), (1, 2));
    let scores: Vec<i32> = read[0].moves.iter().map(|scored| scored.score.0).collect();
    assert_eq!(scores, [35, -31, 31]);
}

#[test]
fn games_that_teach_nothing_are_counted() {
    let folder = Folder::new("left out");
    let games = "[Variant \"Antichess\"]\n[Result \"1-0\"]\n\n1. e3 {+0.1/1} b5 {+0.1/1} 2. Ke2xx {+0.1/1} 1-0\n\n\
        [Result \"0-1\"]\n[Termination \"illegal move\"]\n\n1. e4 {+0.1/1} Qh9 {-0.1/1, Black makes an illegal move: Qh9} 0-1\n\n\
        [Result \"1-0\"]\n\n1. e4 {1. d4 was also played} e5 {12/24 games} 2. Nf3 {1.5 hours} 1-0\n\n\
        [Result \"1-0\"]\n[Variant \"Standard\"]\n\n1. e4 {12/24 games} e5 {-0.10/3 0.1s} 1-0\n";
    folder.write("a.pgn", games.as_bytes());
    let told = done(&folder, "data import a.pgn --out a.games");
    for line in [
        "a.games: 1 games of another variant were left out",
        "a.games: 1 games that did not end on the board or by adjudication were left out",
        "a.games: 1 games without scores were left out",
    ] {
        assert!(told.contains(line), "{told}");
    }
    let read = self::games(&folder, "a.games");
    assert_eq!((read.len(), read[0].opening.len(), read[0].moves.len()), (1, 1, 1));
}

#[test]
fn damaged_files_are_refused_with_the_place() {
    let folder = Folder::new("damage");
    done(&folder, "datagen --out a.games --games 6 --nodes 30");
    done(&folder, "data export a.games --format pgn --out a.pgn");
    done(&folder, "data export a.games --format viriformat --out a.vf");
    let pgn = fs::read_to_string(folder.0.join("a.pgn")).expect("it was written");
    let lines = pgn.lines().count();
    folder.write("cut.pgn", &pgn.as_bytes()[..pgn.len() - 20]);
    let error = refused(&folder, "data import cut.pgn --out b.games", "b.games");
    assert!(error.contains(&format!("cut.pgn: line {}", lines - 1)) || error.contains("line "), "{error}");
    assert!(error.contains("cut short") || error.contains("not closed"), "{error}");
    folder.write("bad.pgn", pgn.replacen("1. ", "1. Ke8 ", 1).as_bytes());
    let error = refused(&folder, "data import bad.pgn --out b.games", "b.games");
    assert!(error.contains("bad.pgn: line 10: move Ke8 is illegal here"), "{error}");
    for word in ["rubbish", "a7a8k", "(1. d4 rubbish)"] {
        folder.write("word.pgn", pgn.replacen("1. ", &format!("1. {word} "), 1).as_bytes());
        let error = refused(&folder, "data import word.pgn --out b.games", "b.games");
        assert!(error.contains("word.pgn: line 10: '") && error.contains("' is not a move"), "{error}");
    }

    let bytes = fs::read(folder.0.join("a.vf")).expect("it was written");
    folder.write("cut.vf", &bytes[..bytes.len() - 3]);
    let error = refused(&folder, "data import cut.vf --out b.games", "b.games");
    let at = format!("at byte {}: the file is cut short", bytes.len() - 4);
    assert!(error.contains("cut.vf: game 6, which begins at byte ") && error.contains(&at), "{error}");

    let own = fs::read(folder.0.join("a.games")).expect("it was written");
    let mut damaged = own.clone();
    damaged[own.len() - 100] ^= 1;
    folder.write("bad.games", &damaged);
    let error = refused(&folder, "data export bad.games --format pgn --out c.pgn", "c.pgn");
    assert!(error.contains("bad.games: block 1 has a wrong checksum"), "{error}");
}

#[test]
fn what_a_format_cannot_do_is_said() {
    let folder = Folder::new("cannot");
    done(&folder, "datagen --out a.games --games 2 --nodes 30");
    let error = refused(&folder, "data export a.games --format pgn --raw --out c.pgn", "c.pgn");
    assert!(error.contains("--raw chooses among positions"), "{error}");
    let error = refused(&folder, "data import a.games --format text --out c.games", "c.games");
    assert!(error.contains("the others hold positions only"), "{error}");
    done(&folder, "data export a.games --format pgn --out c.pgn");
    let output = quillon(&folder, "data export a.games --format pgn --out c.pgn");
    assert!(text(&output).contains("the file exists already"), "{}", text(&output));
}

#[test]
fn a_file_with_a_name_like_that_of_an_unfinished_one_is_left_alone() {
    let folder = Folder::new("part");
    done(&folder, "datagen --out a.games --games 2 --nodes 30");
    for (line, out) in [
        ("data export a.games --format pgn --out b.pgn", "b.pgn"),
        ("data import b.pgn --out b.games", "b.games"),
        ("data merge a.games b.games --out c.games", "c.games"),
    ] {
        let part = format!("{out}.part");
        folder.write(&part, b"mine");
        done(&folder, line);
        assert_eq!(fs::read(folder.0.join(part)).expect("it is still there"), b"mine", "{line}");
    }
    assert_eq!(fs::read_dir(&folder.0).expect("the folder is there").count(), 7);
}
