//! Options that name files: networks, endgame tables, books.

use std::path::PathBuf;
use std::process::Command;

use crate::client::files::{Folder, book};
use crate::client::{Client, Search, root_of};
use crate::{KIWIPETE, tables};
use quillon::board::{Position, START_FEN};
use quillon::eval::WdlModel;
use quillon::nnue::{Network, NetworkParts};
use quillon::types::Score;

fn network_file() -> Vec<u8> {
    Network::new(NetworkParts::random(7, 64, 8)).expect("random networks are valid").to_bytes()
}

/// What `eval` answers.
fn evaluation(client: &mut Client) -> Vec<String> {
    client.send("eval");
    client.sync()
}

#[test]
fn a_network_file_replaces_the_evaluation() {
    let folder = Folder::new("good");
    let path = folder.write("my  net.nnue", &network_file());
    let mut client = Client::start();
    let built_in = (evaluation(&mut client), client.search("position startpos", "go depth 6").main().nodes);
    client.send(&format!("setoption name EvalFile value {path}"));
    assert_eq!(client.sync(), ["info string network random 7 (768hm->64)x2->1x8"]);
    let answer = evaluation(&mut client);
    assert_eq!(answer[0], "network random 7 (768hm->64)x2->1x8");
    let value = Network::from_bytes(&network_file()).expect("the file is sound").evaluate(&Position::start());
    let value = WdlModel::FITTED.centipawns(Score(value), WdlModel::material(&Position::start()));
    assert_eq!(answer[1], format!("Evaluation: {value:+} cp for White, {value:+} cp for the side to move"));
    assert_ne!(client.search("position startpos", "go depth 6").main().nodes, built_in.1);
    // And back, as if it had never been there.
    client.send("setoption name EvalFile value <empty>");
    assert_eq!(client.sync(), [""; 0]);
    assert_eq!(evaluation(&mut client), built_in.0);
    assert_eq!(client.search("position startpos", "go depth 6").main().nodes, built_in.1);
    client.quit();
}

#[test]
fn material_is_an_evaluation() {
    let mut client = Client::start();
    client.send("setoption name EvalFile value <material>");
    assert_eq!(client.sync(), ["info string network material (768hm->32)x2->1"]);
    client.send("position startpos moves e2e4 d7d5 e4d5 a7a6");
    client.send("eval");
    let answer = client.sync();
    let pawn = 70;
    let position = "rnbqkbnr/1pp1pppp/p7/3P4/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3".parse().expect("a FEN");
    let value = quillon::nnue::material().evaluate(&position);
    assert!((value - pawn).abs() < 50, "{value}");
    let value = WdlModel::FITTED.centipawns(Score(value), WdlModel::material(&position));
    assert_eq!(answer[1], format!("Evaluation: {value:+} cp for White, {value:+} cp for the side to move"));
    client.quit();
}

#[test]
fn an_unusable_network_file_is_refused_by_name() {
    let folder = Folder::new("bad");
    let bytes = network_file();
    let mut corrupt = bytes.clone();
    corrupt[5000] ^= 4;
    let mut newer = bytes.clone();
    newer[8] = 9;
    let mut client = Client::start();
    client.send(&format!("setoption name EvalFile value {}", folder.write("good.nnue", &bytes)));
    assert_eq!(client.sync().len(), 1);
    let before = evaluation(&mut client);
    for (path, reason) in [
        (folder.0.join("missing.nnue").display().to_string(), "cannot be read"),
        (folder.0.display().to_string(), "not a regular file"),
        (folder.write("empty.nnue", b""), "not a Quillon network"),
        (folder.write("wrong.nnue", b"Stockfish has another format"), "not a Quillon network"),
        (folder.write("header.nnue", &bytes[..20]), "truncated, 20 bytes of 28"),
        (folder.write("short.nnue", &bytes[..bytes.len() - 7]), "truncated"),
        (folder.write("long.nnue", &[&bytes[..], b"more"].concat()), "4 bytes too many"),
        (folder.write("corrupt.nnue", &corrupt), "corrupt, the checksum does not match"),
        (folder.write("newer.nnue", &newer), "file version 9, this program reads version 1"),
    ] {
        let complaint = client.expect_complaint(&format!("setoption name EvalFile value {path}"));
        assert!(complaint.starts_with(&format!("info string EvalFile {path}: ")), "{complaint}");
        assert!(complaint.contains(reason), "{complaint}");
        assert_eq!(evaluation(&mut client), before, "the present evaluation stays");
    }
    assert_eq!(client.search("position startpos", "go depth 5").main().depth, 5);
    client.quit();
}

/// Positions of one set of tables.
struct TableSample {
    folder: PathBuf,
    /// What is told of the tables.
    told: &'static str,
    pieces: usize,
    /// Won, without a mate in sight, and the same when it is too late.
    won: &'static str,
    late: &'static str,
    /// One capture away from a win in the tables.
    near: &'static str,
}

#[test]
fn endgame_tables_are_found_used_and_taken_away() {
    check_tables_are_used(&TableSample {
        folder: tables::three_pieces(),
        told: "5 WDL and 5 DTZ tables of up to 3 pieces",
        pieces: 3,
        won: "position fen 8/8/8/4k3/8/8/8/KR6 w - - 0 1",
        late: "position fen 8/8/8/4k3/8/8/8/KR6 w - - 90 80",
        near: "position fen 8/8/4k3/8/8/8/5Kn1/3Q4 w - - 3 60",
    });
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn endgame_tables_are_found_used_and_taken_away_with_four_pieces() {
    check_tables_are_used(&TableSample {
        folder: tables::four_pieces(),
        told: "35 WDL and 35 DTZ tables of up to 4 pieces",
        pieces: 4,
        won: "position fen 8/8/8/4k3/8/8/8/KBN5 w - - 0 1",
        late: "position fen 8/8/8/4k3/8/8/8/KBN5 w - - 90 80",
        near: "position fen 8/8/4k3/r7/8/8/5Kn1/3Q4 w - - 3 60",
    });
}

fn check_tables_are_used(sample: &TableSample) {
    let &TableSample { won, late, near, .. } = sample;
    let mut client = Client::start();
    client.send(&format!("setoption name SyzygyPath value {}", sample.folder.display()));
    assert_eq!(client.sync(), [format!("info string Syzygy: {}", sample.told)]);
    // At the root a win without a mate in sight has a score of its own, a draw is 0.
    let drawn = "position fen 8/8/4k3/8/4P3/4K3/8/8 w - - 0 1";
    assert_eq!(client.search(won, "go depth 6").main().score, "cp 19999");
    assert_eq!(client.search(drawn, "go depth 6").main().score, "cp 0");
    client.send("setoption name Threads value 2");
    assert_eq!(client.search(won, "go depth 6").main().score, "cp 19999");
    // In the tree too: the king takes the knight.
    let is_won = |search: Search| {
        let score = search.main().score.clone();
        score
            .strip_prefix("cp ")
            .and_then(|value| value.parse().ok())
            .is_some_and(|value: i32| value > 19_000)
    };
    assert!(is_won(client.search(near, "go depth 8")));
    client.send("setoption name MultiPV value 2");
    assert_eq!(client.search(won, "go depth 4").last_lines(2).len(), 2);
    // Draws are certain, with or without the fifty-move rule.
    client.send("setoption name UCI_ShowWDL value true");
    for position in [drawn, late] {
        let search = client.search(position, "go depth 4");
        assert!(search.infos.iter().all(|info| info.wdl == Some([0, 1000, 0])), "{search:?}");
    }
    assert_eq!(client.search(won, "go depth 4").main().wdl, Some([1000, 0, 0]));
    client.send("setoption name MultiPV value 1");
    // The clock makes it a draw, unless the rule is off.
    assert_eq!(client.search(late, "go depth 4").main().score, "cp 1");
    client.send("setoption name Syzygy50MoveRule value false");
    assert_eq!(client.search(late, "go depth 4").main().score, "cp 19999");
    client.send(&format!("setoption name SyzygyProbeLimit value {}", sample.pieces - 1));
    assert!(!is_won(client.search(near, "go depth 8")));
    client.send("setoption name SyzygyProbeLimit value 7");
    assert!(is_won(client.search(near, "go depth 8")));
    client.send("setoption name SyzygyProbeDepth value 100");
    assert!(!is_won(client.search(near, "go depth 8")));
    client.send("setoption name SyzygyProbeDepth value 1");
    // A folder that is not there does no harm to those that are in use.
    client.send("setoption name SyzygyPath value /no such folder");
    assert_eq!(client.sync()[1], "info string Syzygy: no tables found, the present ones stay");
    assert!(is_won(client.search(near, "go depth 8")));
    client.send("setoption name SyzygyPath value <empty>");
    assert!(!is_won(client.search(near, "go depth 8")));
    assert_eq!(client.quit(), [""; 0]);
}

#[test]
fn unusable_table_files_are_named_and_the_game_goes_on() {
    let folder = Folder::new("tables");
    for number in 1..=10 {
        folder.write(
            &format!("K{}vK.rtbw", ["Q", "R", "B", "N", "P"][number % 5].repeat(1 + number / 6)),
            b"x",
        );
    }
    let mut client = Client::start();
    client.send("setoption name SyzygyPath value /no such folder");
    let lines = client.sync();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("info string Syzygy: folder /no such folder cannot be read"), "{lines:?}");
    assert_eq!(lines[1], "info string Syzygy: no tables found");
    client.send(&format!("setoption name SyzygyPath value {}", folder.0.display()));
    let lines = client.sync();
    assert_eq!(lines.len(), 10, "{lines:?}");
    assert!(lines[0].contains("vK.rtbw is damaged"), "{lines:?}");
    assert_eq!(lines[8], "info string Syzygy: 2 more faults like these");
    assert_eq!(client.search("position fen 8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "go depth 6").infos.len(), 6);
    assert_eq!(client.quit(), [""; 0]);
}

#[test]
fn a_table_that_fails_in_a_search_is_named_once() {
    let folder = Folder::new("late");
    let mut bytes = std::fs::read(tables::three_pieces().join("KQvK.rtbw")).expect("the table can be read");
    // The header stays sound; the index that leads to the blocks does not.
    bytes[112..122].fill(0xFF);
    folder.write("KQvK.rtbw", &bytes);
    let mut client = Client::start();
    client.send(&format!("setoption name SyzygyPath value {}", folder.0.display()));
    assert_eq!(client.sync(), ["info string Syzygy: 1 WDL and 0 DTZ tables of up to 3 pieces"]);
    for expected in [1, 0] {
        client.send("position fen 8/8/4k3/8/8/8/5Kn1/3Q4 w - - 3 60");
        client.send("go depth 8");
        let lines = client.search_lines();
        let told = lines.iter().filter(|line| line.starts_with("info string Syzygy: ")).count();
        assert_eq!(told, expected, "{lines:#?}");
    }
    assert_eq!(client.quit(), [""; 0]);
}

#[test]
fn the_reason_is_told_however_long_the_path() {
    let long = format!("/no/{}here", "very/long/path/".repeat(40));
    let mut client = Client::start();
    for option in ["EvalFile", "BookFile", "Debug Log File"] {
        let complaint = client.expect_complaint(&format!("setoption name {option} value {long}"));
        assert!(complaint.starts_with(&format!("info string {option} /no/very/long/path")), "{complaint}");
        assert!(complaint.contains("/path/here") && complaint.contains("No such file"), "{complaint}");
        assert!(complaint.len() < 300, "{complaint}");
    }
    client.send(&format!("setoption name SyzygyPath value {long}"));
    let lines = client.sync();
    assert!(lines[0].contains("/path/here cannot be read: No such file"), "{lines:?}");
    client.quit();
}

#[test]
fn folders_of_tables_may_stand_in_quotation_marks() {
    let folders = [Folder::new("queens"), Folder::new("rooks")];
    for (folder, name) in folders.iter().zip(["KQvK.rtbw", "KRvK.rtbw"]) {
        folder.write(name, &std::fs::read(tables::three_pieces().join(name)).expect("the table can be read"));
    }
    let [queens, rooks] = folders.each_ref().map(|folder| folder.0.display().to_string());
    let mut client = Client::start();
    for path in
        [format!("{queens};{rooks}"), format!("\"{queens}\";\"{rooks}\""), format!("\"{queens};{rooks}\"")]
    {
        client.send(&format!("setoption name SyzygyPath value {path}"));
        assert_eq!(client.sync(), ["info string Syzygy: 2 WDL and 0 DTZ tables of up to 3 pieces"], "{path}");
    }
    client.quit();
}

#[test]
fn tools_take_a_network_file_too() {
    let folder = Folder::new("tools");
    let good = folder.write("good.nnue", &network_file());
    let bad = folder.write("bad.nnue", b"nothing");
    let epd = folder.write("one.epd", b"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8;\n");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_quillon")).args(arguments).output();
        let output = output.expect("the binary starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        (output.status.success(), text(output.stdout), text(output.stderr))
    };
    let last = |text: &str| text.lines().last().map(|line| line.split(' ').next().map(str::to_owned));
    let (ok, with, _) = run(&["bench", "3", "--eval-file", &good]);
    let (_, without, _) = run(&["bench", "3"]);
    assert!(ok && last(&with) != last(&without), "{with}\n{without}");
    let (ok, solved, _) = run(&["epd", &epd, "--depth", "2", "--eval-file", &good]);
    assert!(ok && solved.contains("1 passed, 0 failed"), "{solved}");
    for tool in [&["bench", "3"][..], &["epd", &epd]] {
        let (ok, said, error) = run(&[tool, &["--eval-file", &bad]].concat());
        assert!(!ok && said.is_empty(), "{said}");
        assert_eq!(error, format!("quillon: {bad}: not a Quillon network\n"));
    }
}

/// A move of the book: told as such, with one line of analysis, searched nowhere.
fn book_move(client: &mut Client, position: &str, go: &str) -> Search {
    client.send(position);
    client.send(go);
    let lines = client.search_lines();
    assert_eq!(lines[0], "info string book move", "{lines:?}");
    let root = root_of(position);
    let search = Search::check(&root, &lines, root.needs_chess960());
    assert_eq!((search.infos.len(), search.main().nodes), (1, 0), "{lines:?}");
    search
}

#[test]
fn moves_of_the_book_are_played_at_once() {
    let folder = Folder::new("book");
    let promotion = "7k/1P6/8/8/8/8/8/7K w - - 0 1";
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 9";
    let passing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    let chess960 = "1rk3r1/1p4p1/8/8/8/8/1P4P1/1RK3R1 w GBgb - 0 1";
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let path = folder.write(
        "b.bin",
        &book(&[
            (START_FEN, &[("e2e4", 2), ("e2e5", 9), ("a2a3", 1), ("h2h4", 0)]),
            (after_e4, &[("c7c5", 5)]),
            (promotion, &[("b7b8n", 1)]),
            (castling, &[("e8a8", 1)]),
            (passing, &[("e5d6", 1)]),
            (chess960, &[("c1g1", 1)]),
        ]),
    );
    let mut client = Client::start();
    client.send(&format!("setoption name BookFile value {path}"));
    assert_eq!(client.sync(), ["info string book with 9 entries"]);
    // Not before it is wanted.
    assert!(client.search("position startpos", "go depth 4").main().nodes > 0);
    client.send("setoption name OwnBook value true");
    for go in ["go movetime 5000", "go wtime 60000 btime 60000", "go depth 30", "go nodes 100000000"] {
        let best = book_move(&mut client, "position startpos", go).best;
        assert!(["e2e4", "a2a3"].contains(&best.as_str()), "{best}");
    }
    client.send("setoption name BestBookMove value true");
    let search = book_move(&mut client, "position startpos", "go movetime 5000");
    assert_eq!((search.best.as_str(), search.ponder.as_deref()), ("e2e4", Some("c7c5")));
    assert_eq!(book_move(&mut client, "position startpos moves e2e4", "go movetime 9").best, "c7c5");
    for (fen, best) in [(promotion, "b7b8n"), (castling, "e8c8"), (passing, "e5d6")] {
        assert_eq!(book_move(&mut client, &format!("position fen {fen}"), "go movetime 5000").best, best);
    }
    client.send("setoption name UCI_Chess960 value true");
    assert_eq!(book_move(&mut client, &format!("position fen {chess960}"), "go movetime 5000").best, "c1g1");
    client.send("setoption name UCI_Chess960 value false");
    // Outside of the book, and where a search is wanted.
    let search = client.search("position startpos moves d2d4", "go depth 4");
    assert_eq!(search.main().depth, 4);
    for go in ["go depth 3 searchmoves h2h3 h2h4", "go mate 1 depth 3"] {
        assert!(client.search("position startpos", go).main().nodes > 0, "{go}");
    }
    client.send("position startpos");
    client.send("go infinite");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    assert!(Search::check(&Position::start(), &lines, false).main().nodes > 0);
    // The move is held back while the client ponders.
    for end in ["ponderhit", "stop"] {
        client.send("position startpos moves e2e4");
        client.send("go ponder wtime 1000 btime 1000");
        client.expect_no_bestmove();
        assert_eq!(client.sync(), [""; 0]);
        client.send(end);
        let lines = client.search_lines();
        assert_eq!(lines[0], "info string book move", "{lines:?}");
        let search = Search::check(&root_of("position startpos moves e2e4"), &lines, false);
        assert_eq!((search.best.as_str(), search.main().nodes), ("c7c5", 0));
    }
    // The depth is counted in moves of the game.
    client.send("setoption name BookDepth value 8");
    assert!(client.search(&format!("position fen {castling}"), "go depth 3").main().nodes > 0);
    client.send("setoption name BookDepth value 9");
    book_move(&mut client, &format!("position fen {castling}"), "go depth 3");
    client.send("setoption name UCI_AnalyseMode value true");
    assert!(client.search("position startpos", "go depth 3").main().nodes > 0);
    client.send("setoption name UCI_AnalyseMode value false");
    book_move(&mut client, "position startpos", "go depth 3");
    client.send("setoption name BookFile value <empty>");
    assert!(client.search("position startpos", "go depth 3").main().nodes > 0);
    client.quit();
}

#[test]
fn an_unusable_book_is_named_and_the_engine_plays_on() {
    let folder = Folder::new("bad books");
    let sound = book(&[(START_FEN, &[("e2e4", 2)]), (KIWIPETE, &[("e1g1", 2)])]);
    let mut unsorted = sound.clone();
    unsorted.rotate_left(16);
    let good = folder.write("good.bin", &sound);
    let mut client = Client::start();
    client.send("setoption name OwnBook value true");
    for (name, bytes, fault) in [
        ("short.bin", &sound[..31], "not a Polyglot book, 31 bytes are no multiple of 16"),
        ("empty.bin", &[], "the book is empty"),
        ("unsorted.bin", &unsorted, "not a Polyglot book, entry 2 is out of order"),
    ] {
        client.send(&format!("setoption name BookFile value {good}"));
        client.sync();
        book_move(&mut client, "position startpos", "go depth 4");
        let path = folder.write(name, bytes);
        let complaint = client.expect_complaint(&format!("setoption name BookFile value {path}"));
        assert!(complaint.ends_with(&format!("{name}: {fault}")), "{complaint}");
        assert_eq!(client.search("position startpos", "go depth 4").main().depth, 4);
    }
    for path in [folder.0.join("missing.bin").display().to_string(), folder.0.display().to_string()] {
        let complaint = client.expect_complaint(&format!("setoption name BookFile value {path}"));
        assert!(complaint.contains("cannot be read"), "{complaint}");
    }
    client.quit();
}
