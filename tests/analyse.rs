//! `quillon analyse`: what it writes is read back by another implementation of PGN and of the rules.

#[path = "client/files.rs"]
#[allow(dead_code)]
mod files;

use std::ops::ControlFlow::{self, Continue};
use std::process::{Command, Output, Stdio};

use files::Folder;
use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

/// A game as the referee reads it.
#[derive(Debug, Default, PartialEq)]
struct Read {
    tags: Vec<(String, String)>,
    /// The main line as the referee played it.
    moves: Vec<String>,
    /// After each move of the main line (first: before all) its comments in one.
    comments: Vec<String>,
    /// After each move of the main line (first: before all) its glyphs.
    glyphs: Vec<Vec<u8>>,
    /// The first moves of the variations, each with the number of moves of the main line before it.
    variations: Vec<(usize, String)>,
}

/// A game that is being read, and the positions to return to.
struct Reading {
    game: Read,
    positions: Vec<Chess>,
    outer: Vec<Vec<Chess>>,
    variation_begins: bool,
}

struct Referee;

impl Visitor for Referee {
    type Tags = Read;
    type Movetext = Reading;
    type Output = Read;

    fn begin_tags(&mut self) -> ControlFlow<Read, Read> {
        Continue(Read::default())
    }

    fn tag(&mut self, game: &mut Read, name: &[u8], value: RawTag<'_>) -> ControlFlow<Read> {
        let name = String::from_utf8_lossy(name).into_owned();
        game.tags.push((name, value.decode_utf8_lossy().into_owned()));
        Continue(())
    }

    fn begin_movetext(&mut self, mut game: Read) -> ControlFlow<Read, Reading> {
        let fen = game.tags.iter().find(|(name, _)| name == "FEN").map(|(_, fen)| fen.clone());
        let start = fen.map_or(Chess::default(), |fen| {
            let fen: Fen = fen.parse().expect("a FEN");
            fen.into_position(CastlingMode::Chess960).expect("a position")
        });
        game.comments.push(String::new());
        game.glyphs.push(Vec::new());
        Continue(Reading { game, positions: vec![start], outer: Vec::new(), variation_begins: false })
    }

    fn san(&mut self, reading: &mut Reading, san: SanPlus) -> ControlFlow<Read> {
        let position = reading.positions.last().expect("there is a position").clone();
        let mv = san.san.to_move(&position).unwrap_or_else(|error| panic!("{san}: {error}"));
        if reading.outer.is_empty() {
            reading.game.moves.push(UciMove::from_chess960(mv).to_string());
            reading.game.comments.push(String::new());
            reading.game.glyphs.push(Vec::new());
        } else if std::mem::take(&mut reading.variation_begins) && reading.outer.len() == 1 {
            reading.game.variations.push((reading.game.moves.len() - 1, san.to_string()));
        }
        reading.positions.push(position.play(mv).expect("the move was found legal"));
        Continue(())
    }

    fn nag(&mut self, reading: &mut Reading, nag: Nag) -> ControlFlow<Read> {
        if reading.outer.is_empty() {
            reading.game.glyphs.last_mut().expect("there is one").push(nag.0);
        }
        Continue(())
    }

    fn comment(&mut self, reading: &mut Reading, comment: RawComment<'_>) -> ControlFlow<Read> {
        let text =
            String::from_utf8_lossy(comment.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ");
        if reading.outer.is_empty() {
            let all = reading.game.comments.last_mut().expect("there is one");
            *all = format!("{all} {text}").trim().to_owned();
        }
        Continue(())
    }

    fn begin_variation(&mut self, reading: &mut Reading) -> ControlFlow<Read, Skip> {
        reading.outer.push(reading.positions.clone());
        reading.positions.pop();
        reading.variation_begins = true;
        Continue(Skip(false))
    }

    fn end_variation(&mut self, reading: &mut Reading) -> ControlFlow<Read> {
        reading.positions = reading.outer.pop().expect("a variation has begun");
        Continue(())
    }

    fn end_game(&mut self, reading: Reading) -> Read {
        assert!(reading.outer.is_empty(), "every variation ends");
        reading.game
    }
}

fn read(text: &str) -> Vec<Read> {
    let (mut reader, mut referee) = (Reader::new(text.as_bytes()), Referee);
    reader.read_games(&mut referee).map(|game| game.expect("readable PGN")).collect()
}

fn quillon(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

/// Analyses a text with few nodes. Returns what the program said and the annotated games.
fn analysed(folder: &Folder, games: &[u8], options: &[&str]) -> (Output, String) {
    let (file, out) = (folder.write("games.pgn", games), folder.0.join("out.pgn").display().to_string());
    let _ = std::fs::remove_file(&out);
    let always = ["analyse", &file, "--out", &out, "--hash", "1"];
    let output = quillon(&[&always[..], options].concat()).output().expect("the program runs");
    let annotated = std::fs::read_to_string(&out).unwrap_or_default();
    (output, annotated)
}

/// A game with everything that PGN has, one from a set-up position, a Chess960 game and one with a mate.
const GAMES: &str = "\
[Event \"Café \\\"A\\\" \\\\ B\"]
[White \"Anna\"]
[Black \"Bert\"]
[Result \"1-0\"]

{Main [%csl Gd4] opening} 1. e4 {[%clk 0:05:00]} c5 {Sicilian} ({Scandinavian} 1... d5) (1... h5 $2) (1... e5 2. Qf3
$2 Bc5 3. Bc4 Nc6 $4 {falls for mate} 4. Ne2 $4 (4. Qxf7#)) 2. Nf3 g6 3. d4 cxd4 4. Qxd4 Nf6 5. Ba6 $4 {[%eval 9.9] loses
the bishop} 5... bxa6 $16 6. O-O Nxe4 $2 7. Qxh8 1-0

[White \"Bert\"]
[Black \"Anna\"]
[SetUp \"1\"]
[FEN \"4k3/8/8/8/8/8/4P3/4K2R b K - 3 40\"]

40... Kd7 41. O-O Ke6 1/2-1/2

[White \"Anna\"]
[Black \"Carl\"]
[Variant \"Chess960\"]
[FEN \"rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1\"]

1. O-O O-O-O 2. e4 *

[White \"Carl\"]
[Black \"Bert\"]

1. f3 e5 2. g4 Qh4# 0-1
";

#[test]
fn games_stay_what_they_are() {
    let folder = Folder::new("analyse");
    let before = read(GAMES);
    assert_eq!(before.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [13, 3, 3, 4]);
    let (output, annotated) = analysed(&folder, GAMES.as_bytes(), &["--nodes", "2000"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let after = read(&annotated);
    assert_eq!(after.len(), before.len());
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((&old.tags, &old.moves), (&new.tags, &new.moves));
        for (ply, (old, new)) in old.comments.iter().zip(&new.comments).enumerate() {
            let kept = old.replace("[%eval 9.9] ", "");
            assert!(new.ends_with(&kept) && !new.contains("9.9"), "{ply}: {new}");
        }
        for (old, new) in old.glyphs.iter().zip(&new.glyphs) {
            assert!(old.iter().all(|glyph| new.contains(glyph)), "{new:?}");
            assert!(new.iter().filter(|glyph| (1..=6).contains(*glyph)).count() <= 1, "{new:?}");
        }
        assert!(old.variations.iter().all(|variation| new.variations.contains(variation)));
    }
    for game in &after[..3] {
        assert!(game.comments[0].starts_with("Quillon 0."), "{}", game.comments[0]);
        assert!(game.comments[1..].iter().all(|comment| comment.starts_with("[%eval ")), "{annotated}");
    }
    // 2. g4 is a blunder: a mate in one follows, and there is a better move with a line of its own.
    let mate = &after[3];
    assert_eq!(mate.comments[3].split(' ').take(3).collect::<Vec<_>>(), ["[%eval", "#-1]", "Blunder."]);
    assert_eq!((mate.glyphs[3].as_slice(), mate.comments[4].as_str()), (&[4][..], ""));
    assert!(mate.variations.iter().any(|(ply, _)| *ply == 2), "{annotated}");
    assert!(annotated.lines().all(|line| line.chars().count() <= 79 || line.starts_with('[')), "{annotated}");
}

#[test]
fn every_player_is_in_the_table() {
    let folder = Folder::new("players");
    let (output, annotated) = analysed(&folder, GAMES.as_bytes(), &["--nodes", "2000"]);
    let said = text(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("player ") && lines.len() == 5, "{said}");
    let row = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>();
    assert_eq!(
        (row(1)[..3].to_vec(), row(2)[..3].to_vec()),
        (vec!["Anna", "3", "11"], vec!["Bert", "3", "9"])
    );
    let accuracy: f64 = row(1)[3].parse().expect("a number");
    // 5. Ba6 gives a piece away.
    assert!((20.0..99.0).contains(&accuracy), "{said}");
    assert!(lines[4].starts_with("4 of 4 games analysed, written to "), "{said}");
    // Neither how many games run at once nor the order in which they end changes anything.
    let (again, parallel) = analysed(&folder, GAMES.as_bytes(), &["--nodes", "2000", "--threads", "3"]);
    assert_eq!((text(&again.stdout), &parallel), (said, &annotated));
}

#[test]
fn what_cannot_be_analysed_is_copied() {
    let folder = Folder::new("copied");
    let games = "\u{feff}[White \"A\"]\r\n[Variant \"Atomic\"]\r\n\r\n1. e4 {x} *\r\n\r\n[White \"B\"]\r\n\r\n1. e4 e5 2. Ke3 *\r\n\r\n1. e2e4 *\r\n\r\n[White \"C\"]\r\n\r\n*\r\n";
    let (output, annotated) = analysed(&folder, games.as_bytes(), &["--depth", "3"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    let expected = [
        "game 1 (A - ?): the variant 'Atomic' is not supported; it is copied as it is",
        "game 2 (B - ?): 2. move Ke3 is illegal here; it is copied as it is",
    ];
    assert_eq!(lines[..2], expected, "{said}");
    assert!(said.contains("\n2 of 4 games analysed"), "{said}");
    // Byte for byte, line ends included.
    let games: Vec<&str> = annotated.split("\n\n").collect();
    let copies = [
        "[White \"A\"]\r\n[Variant \"Atomic\"]\r\n\r\n1. e4 {x} *",
        "[White \"B\"]\r\n\r\n1. e4 e5 2. Ke3 *",
    ];
    assert_eq!(games[..2], copies);
    assert!(
        games[2].contains("depth 3. White: accuracy 100.0 %") && games[2].contains("1. e4 {[%eval "),
        "{annotated}"
    );
    assert_eq!(games[3..], ["[White \"C\"]", "*", ""]);
}

#[test]
fn a_word_that_is_no_move_is_named() {
    let folder = Folder::new("words");
    let damaged = [
        &b"[White \"A\"]\n\n1. e4  e5 2. Nf3 a8K Nc6 *"[..],
        b"[White \"B\"]\n\n1. e4 (1. d4 {G\xFCnther} rubbish) e5 1-0",
        b"[White \"C\"]\n\n1. e4 e5 rubbish",
        b"[White \"D\"]\n\n1. e4 (1. d4 (1. c4) e5 *",
        b"[White \"E\"\n\n1. e4 e5 *",
        b"[White \"F\"]\n\n1. e4 {no end *",
    ];
    let games: Vec<u8> = damaged.iter().flat_map(|game| [game, &b"\n\n"[..]].concat()).collect();
    let (output, _) = analysed(&folder, &games, &["--depth", "1"]);
    assert_eq!(output.status.code(), Some(1));
    let file = folder.0.join("games.pgn").display().to_string();
    let expected = [
        ("1 (A - ?)", "3: 'a8K' is not a move"),
        ("2 (B - ?)", "7: 'rubbish' is not a move"),
        ("3 (C - ?)", "11: 'rubbish' is not a move"),
        ("4 (D - ?)", "15: a variation is not closed"),
        ("5 (? - ?)", "17: a tag is not closed"),
        ("6 (F - ?)", "23: a comment is not closed"),
    ];
    let expected =
        expected.map(|(game, fault)| format!("game {game}: {file}: line {fault}; it is copied as it is"));
    assert_eq!(text(&output.stdout).lines().take(6).collect::<Vec<_>>(), expected);
    let written = std::fs::read(folder.0.join("out.pgn")).expect("it was written");
    assert!(written == games, "{}", String::from_utf8_lossy(&written));
}

#[test]
fn moves_in_other_writings_are_analysed() {
    let folder = Folder::new("writings");
    let fen = "[FEN \"4k3/P6P/8/8/8/8/8/4K3 w K - 0 1\"]";
    let moves = "a7a8q! ; fine }\ne8e7 h8(Q) Ke6 Qa8-b8 (3. --) *\n";
    let games = format!("[White \"A\"]\n\n[White \"B\"]\n\n[White \"C\"]\n{fen}\n\n{moves}");
    let (output, annotated) = analysed(&folder, games.as_bytes(), &["--depth", "1"]);
    assert!(output.status.success(), "{output:?}");
    let said = text(&output.stdout);
    assert!(
        said.starts_with("game 3 (C - ?): castling right 'K' dropped: no king and rook in place\n"),
        "{said}"
    );
    assert!(said.contains("3 of 3 games analysed"), "{said}");
    // A game without moves keeps its tags to itself.
    assert!(
        annotated.starts_with("[White \"A\"]\n\n*\n\n[White \"B\"]\n\n*\n\n[White \"C\"]\n"),
        "{annotated}"
    );
    for written in [" 1. a8=Q+ $1 {[%eval ", " fine )}", "1... Ke7 {", " 2. h8=Q {", " 3. Qab8 {", "(3. --)"]
    {
        assert!(annotated.replace('\n', " ").contains(written), "{written}: {annotated}");
    }
}

#[test]
fn without_a_file_the_games_are_printed() {
    let folder = Folder::new("printed");
    let file = folder.write("games.pgn", GAMES.as_bytes());
    let output =
        quillon(&["analyse", &file, "--movetime", "5", "--hash", "1"]).output().expect("the program runs");
    assert!(output.status.success());
    assert_eq!(read(text(&output.stdout)).len(), 4);
    assert!(text(&output.stderr).starts_with("player "), "{}", text(&output.stderr));
}

#[test]
fn a_file_that_is_there_is_not_overwritten() {
    let folder = Folder::new("kept");
    let (file, other) = (folder.write("games.pgn", GAMES.as_bytes()), folder.write("notes.txt", b"mine"));
    for (out, contents) in [(&file, GAMES), (&other, "mine")] {
        let output = quillon(&["analyse", &file, "--out", out]).output().expect("the program runs");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("{out}: the file exists already")), "{said}");
        assert_eq!(std::fs::read_to_string(out).expect("it is still there"), contents);
    }
}

#[cfg(unix)]
#[test]
fn games_of_a_pipe_are_refused() {
    use std::io::Write;
    let mut command = quillon(&["analyse", "/dev/stdin", "--nodes", "10"]);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
    // It may end before it has read anything.
    let _ = child.stdin.take().expect("there is a pipe").write_all(GAMES.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{said}");
    assert!(
        said.contains("/dev/stdin: not a regular file, which is needed since the games are read twice"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_finished_games() {
    use std::time::{Duration, Instant};
    let folder = Folder::new("stopped");
    let long = "1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5 4. Nf3 Nc6 5. Bb5 a6 6. Ba4 Nf6 7. O-O Be7 *\n";
    let file = folder.write("games.pgn", format!("1. e4 *\n\n{long}").as_bytes());
    let out = folder.0.join("out.pgn");
    let (path, ms) = (out.display().to_string(), "500");
    let mut command = quillon(&["analyse", &file, "--out", &path, "--movetime", ms, "--hash", "1"]);
    let child = command.spawn().expect("the program runs");
    let begin = Instant::now();
    while std::fs::read_to_string(&out).is_ok_and(|text| text.is_empty()) || !out.exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the first game does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    let output = child.wait_with_output().expect("the program ends");
    assert!(text(&output.stdout).contains("stopped: 1 of 2 games analysed"), "{output:?}");
    assert_eq!(read(&std::fs::read_to_string(&out).expect("the file is there")).len(), 1);
}
