//! Conversations with the real binary over pipes, as a chess program has them.

mod client;

use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use client::{Client, Rng, Search, root_of};
use quillon::board::{Position, START_FEN};
use quillon::book::book_key;
use quillon::eval::WdlModel;
use quillon::nnue::{Network, NetworkParts};
use quillon::notation::{format_uci, parse_uci};
use quillon::types::Score;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
/// White mates at once.
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
const CHECKMATE: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// A random game from the initial position that is not over after so many plies.
fn random_game(plies: usize, seed: u64) -> Vec<String> {
    for seed in seed.. {
        let mut rng = Rng(seed);
        let mut position = Position::start();
        let mut moves = Vec::new();
        while moves.len() < plies {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[rng.below(legal.len())];
            moves.push(format_uci(mv, false));
            position.make(mv);
        }
        if moves.len() == plies && position.has_legal_move() {
            return moves;
        }
    }
    unreachable!("some random game is long enough")
}

#[test]
fn identifies_itself_and_lists_its_options() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.read_until("uciok", |line| line == "uciok");
    assert!(lines[0].starts_with("id name Quillon"), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    let options = &lines[2..lines.len() - 1];
    assert!(options.iter().all(|line| line.starts_with("option name ")), "{lines:?}");
    for expected in [
        "option name Hash type spin default 16 min 1 max ",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max ",
        "option name Move Overhead type spin default ",
        "option name MultiPV type spin default 1 min 1 max ",
        "option name Ponder type check default false",
        "option name UCI_Chess960 type check default false",
        "option name EvalFile type string default <empty>",
        "option name SyzygyPath type string default <empty>",
        "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
        "option name SyzygyProbeLimit type spin default 7 min 0 max 7",
        "option name Syzygy50MoveRule type check default true",
        "option name OwnBook type check default false",
        "option name BookFile type string default <empty>",
        "option name BookDepth type spin default 255 min 1 max 255",
        "option name BestBookMove type check default false",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1500 min 600 max 2800",
        "option name Skill Level type spin default 20 min 0 max 20",
        "option name UCI_Opponent type string default <empty>",
        "option name UCI_EngineAbout type string default Quillon ",
    ] {
        assert!(options.iter().any(|line| line.starts_with(expected)), "{expected}: {lines:#?}");
    }
    // Every default is accepted, each in silence.
    for line in options {
        let words: Vec<&str> = line.split(' ').collect();
        let type_at = words.iter().position(|&word| word == "type").expect("options have a type");
        let name = words[2..type_at].join(" ");
        let value = words.iter().position(|&word| word == "default").map(|at| words[at + 1]);
        let value = value.map_or(String::new(), |value| format!(" value {value}"));
        client.send(&format!("setoption name {name}{value}"));
    }
    assert_eq!(client.sync(), [""; 0], "{}", client.log);
    assert_eq!(client.quit(), [""; 0]);
}

#[test]
fn wrong_options_are_refused_in_one_line() {
    let mut client = Client::start();
    for line in [
        "setoption",
        "setoption name",
        "setoption name value 3",
        "setoption Hash value 3",
        "setoption name Nonsense value 3",
        "setoption name Hash",
        "setoption name Hash value",
        "setoption name Hash value zero",
        "setoption name Hash value 0",
        "setoption name Hash value -5",
        "setoption name Hash value 1.5",
        "setoption name Hash value 33554433",
        "setoption name Hash value 99999999999999999999999",
        "setoption name Threads value 0",
        "setoption name Threads value 100000",
        "setoption name MultiPV value 0",
        "setoption name Move Overhead value -1",
        "setoption name UCI_Chess960 value maybe",
        "setoption name Ponder value 1",
        "setoption name OwnBook value",
        "setoption name BookDepth value 0",
        "setoption name BookDepth value 256",
        "setoption name BestBookMove value best",
        "setoption name UCI_LimitStrength value 1500",
        "setoption name UCI_Elo value 599",
        "setoption name UCI_Elo value 2801",
        "setoption name Skill Level value 21",
        "setoption name Skill Level value -1",
    ] {
        client.expect_complaint(line);
    }
    assert_eq!(client.search("position startpos", "go depth 4").main().depth, 4);
    client.quit();
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    let mut client = Client::start();
    // The largest size of the list: 32 TiB. Where the system promises memory that it does not have, the
    // size may be accepted; untouched pages cost nothing then.
    client.send("setoption name Hash value 33554432");
    let answer = client.sync();
    assert!(answer.len() <= 1, "{answer:?}");
    assert!(answer.iter().all(|line| line.starts_with("info string not enough memory")), "{answer:?}");
    assert_eq!(client.search(&format!("position fen {KIWIPETE}"), "go depth 5").main().depth, 5);
    client.send("setoption name Hash value 2");
    assert_eq!(client.sync(), [""; 0]);
    assert_eq!(client.search("position startpos", "go depth 5").main().depth, 5);
    client.quit();
}

#[test]
fn option_names_are_matched_without_case_and_act() {
    let mut client = Client::start();
    client.send("setoption name mUlTiPv value 3");
    let search = client.search("position startpos", "go depth 5");
    assert_eq!(search.last_lines(3).len(), 3);
    client.send("setoption name multipv value 1");
    let search = client.search("position startpos", "go depth 5");
    assert!(search.infos.iter().all(|info| info.multi_pv == 1));
    client.quit();
}

#[test]
fn mistyped_option_names_are_recognised() {
    let mut client = Client::start();
    for (line, meant) in [
        ("setoption name Hahs value 3", "'Hash'"),
        ("setoption name MoveOverhead value 3", "'Move Overhead'"),
        ("setoption name multi pv value 3", "'MultiPV'"),
        ("setoption name UCI_Ches960 value true", "'UCI_Chess960'"),
    ] {
        assert!(client.expect_complaint(line).contains(&format!("did you mean {meant}?")), "{line}");
    }
    assert!(!client.expect_complaint("setoption name Contempt value 3").contains("did you mean"));
    client.quit();
}

/// The rows of README's table of options: name, range, default.
fn documented_options() -> Vec<[String; 3]> {
    let readme = include_str!("../README.md");
    let section = readme.split("\n## UCI options\n").nth(1).expect("README has the section");
    let table = section.split("\n## ").next().unwrap_or_default().lines();
    let cell = |text: &str| text.trim().trim_matches('`').to_owned();
    table
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            assert_eq!(cells.len(), 7, "five cells: {line}");
            assert!(cells[4..6].iter().all(|text| text.trim().len() > 10), "explained: {line}");
            [cell(cells[1]), cell(cells[2]), cell(cells[3])]
        })
        .collect()
}

// A build for tuning has many more options, which the README does not list.
#[cfg(not(feature = "tuning"))]
#[test]
fn the_readme_lists_all_options_with_ranges_and_defaults() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.read_until("uciok", |line| line == "uciok");
    client.quit();
    let documented = documented_options();
    for line in lines.iter().filter_map(|line| line.strip_prefix("option name ")) {
        let (name, rest) = line.split_once(" type ").expect("options have a type");
        let words: Vec<&str> = rest.split(' ').collect();
        let after = |key| words.iter().position(|&word| word == key).map_or("", |at| words[at + 1]);
        let range = match words[0] {
            "spin" => format!("{} to {}", after("min"), after("max")),
            "check" => "true, false".to_owned(),
            "button" => "button".to_owned(),
            "combo" => rest.split(" var ").skip(1).collect::<Vec<_>>().join(", "),
            "string" => "text".to_owned(),
            other => panic!("unknown type {other}"),
        };
        let row = documented.iter().find(|row| row[0] == name);
        let row = row.unwrap_or_else(|| panic!("README does not list {name}"));
        // What a text is, a path for instance, is said in words.
        let said = if words[0] == "string" && !row[1].is_empty() { "text" } else { row[1].as_str() };
        assert_eq!((said, row[2].as_str()), (range.as_str(), after("default")), "{name}");
    }
    let listed = lines.iter().filter(|line| line.starts_with("option ")).count();
    assert_eq!(documented.len(), listed, "README lists options that there are not: {documented:?}");
}

/// A folder that is removed with this value.
struct Folder(PathBuf);

impl Folder {
    /// The blanks in its name are there to be kept.
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("quillon  {name} {}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("the test may write its folder");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn network_file() -> Vec<u8> {
    Network::new(NetworkParts::random(7, 64, 8)).expect("random networks are valid").to_bytes()
}

#[test]
fn chances_are_shown_on_demand_and_fit_the_score() {
    let mut client = Client::start();
    let queen_down = "position fen rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";
    let search = client.search(queen_down, "go depth 5");
    assert!(search.infos.iter().all(|info| info.wdl.is_none()));
    client.send("setoption name UCI_ShowWDL value true");
    let search = client.search(queen_down, "go depth 5");
    assert!(search.infos.iter().all(|info| info.wdl.is_some()));
    let [win, draw, loss] = search.main().wdl.unwrap();
    assert!(win < 20 && loss > 950, "{win} {draw} {loss}");
    let mate = client.search("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "go depth 3");
    assert_eq!(mate.main().wdl, Some([1000, 0, 0]));
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

/// The tables of three and four men, if they are there.
fn shared_tables() -> Option<PathBuf> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/syzygy");
    if !folder.is_dir() {
        println!("skipped: there are no tables in {}", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn endgame_tables_are_found_used_and_taken_away() {
    let Some(shared) = shared_tables() else { return };
    let mut client = Client::start();
    client.send(&format!("setoption name SyzygyPath value {}", shared.display()));
    assert_eq!(client.sync(), ["info string Syzygy: 35 WDL and 35 DTZ tables of up to 4 men"]);
    // At the root a win without a mate in sight has a score of its own, a draw is 0.
    let won = "position fen 8/8/8/4k3/8/8/8/KBN5 w - - 0 1";
    let drawn = "position fen 8/8/4k3/8/4P3/4K3/8/8 w - - 0 1";
    assert_eq!(client.search(won, "go depth 6").main().score, "cp 19999");
    assert_eq!(client.search(drawn, "go depth 6").main().score, "cp 0");
    client.send("setoption name Threads value 2");
    assert_eq!(client.search(won, "go depth 6").main().score, "cp 19999");
    // In the tree too: the king takes the knight and has queen against rook.
    let near = "position fen 8/8/4k3/r7/8/8/5Kn1/3Q4 w - - 3 60";
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
    client.send("setoption name MultiPV value 1");
    // The clock makes it a draw, unless the rule is off.
    let late = "position fen 8/8/8/4k3/8/8/8/KBN5 w - - 90 80";
    assert_eq!(client.search(late, "go depth 4").main().score, "cp 1");
    client.send("setoption name Syzygy50MoveRule value false");
    assert_eq!(client.search(late, "go depth 4").main().score, "cp 19999");
    client.send("setoption name SyzygyProbeLimit value 3");
    assert!(!is_won(client.search(near, "go depth 8")));
    client.send("setoption name SyzygyProbeLimit value 7");
    assert!(is_won(client.search(near, "go depth 8")));
    client.send("setoption name SyzygyProbeDepth value 100");
    assert!(!is_won(client.search(near, "go depth 8")));
    client.send("setoption name SyzygyProbeDepth value 1");
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
    let Some(shared) = shared_tables() else { return };
    let folder = Folder::new("late");
    let mut bytes = std::fs::read(shared.join("KQvKR.rtbw")).expect("the shared file can be read");
    // The header stays sound; the index that leads to the blocks does not.
    bytes[2234..2306].fill(0xFF);
    folder.write("KQvKR.rtbw", &bytes);
    for name in ["KQvK.rtbw", "KRvK.rtbw"] {
        folder.write(name, &std::fs::read(shared.join(name)).expect("the shared file can be read"));
    }
    let mut client = Client::start();
    client.send(&format!("setoption name SyzygyPath value {}", folder.0.display()));
    assert_eq!(client.sync(), ["info string Syzygy: 3 WDL and 0 DTZ tables of up to 4 men"]);
    for expected in [1, 0] {
        client.send("position fen 8/8/4k3/r7/8/8/5Kn1/3Q4 w - - 3 60");
        client.send("go depth 8");
        let lines = client.search_lines();
        let told = lines.iter().filter(|line| line.starts_with("info string Syzygy: ")).count();
        assert_eq!(told, expected, "{lines:#?}");
    }
    assert_eq!(client.quit(), [""; 0]);
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

/// A Polyglot book: for each position (FEN) moves, in its own spelling, with their weights.
fn book(positions: &[(&str, &[(&str, u16)])]) -> Vec<u8> {
    let mut entries: Vec<Vec<u8>> = Vec::new();
    for (fen, moves) in positions {
        let key = book_key(&fen.parse().expect("tests give valid FENs")).expect("the position has a key");
        for (text, weight) in *moves {
            let at = |index: usize| u16::from(text.as_bytes()[index]);
            let square = |index: usize| (at(index + 1) - u16::from(b'1')) * 8 + at(index) - u16::from(b'a');
            let promotion = match text.get(4..) {
                Some("n") => 1,
                Some("b") => 2,
                Some("r") => 3,
                Some("q") => 4,
                _ => 0u16,
            };
            let bits = promotion << 12 | square(0) << 6 | square(2);
            let mut entry = key.to_be_bytes().to_vec();
            entry.extend(bits.to_be_bytes());
            entry.extend(weight.to_be_bytes());
            entry.extend([0; 4]);
            entries.push(entry);
        }
    }
    entries.sort_by_key(|entry| entry[..8].to_vec());
    entries.concat()
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
    for (fen, best) in [(promotion, "b7b8n"), (castling, "e8c8"), (passing, "e5d6"), (chess960, "c1g1")] {
        assert_eq!(book_move(&mut client, &format!("position fen {fen}"), "go movetime 5000").best, best);
    }
    // Outside of the book, and where a search is wanted.
    let search = client.search("position startpos moves d2d4", "go depth 4");
    assert_eq!(search.main().depth, 4);
    for go in ["go depth 3 searchmoves h2h3 h2h4", "go mate 1 depth 3"] {
        assert!(client.search("position startpos", go).main().nodes > 0, "{go}");
    }
    for (go, end) in [("go infinite", "stop"), ("go ponder movetime 20", "ponderhit")] {
        client.send("position startpos");
        client.send(go);
        client.expect_no_bestmove();
        client.send(end);
        let lines = client.search_lines();
        assert!(Search::check(&Position::start(), &lines, false).main().nodes > 0, "{go}");
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

#[test]
fn a_limited_level_spends_few_nodes_in_games_only() {
    let kiwipete = format!("position fen {KIWIPETE}");
    let mut client = Client::start();
    let nodes = |client: &mut Client, go: &str| client.search(&kiwipete, go).main().nodes;
    client.send("setoption name UCI_LimitStrength value true");
    client.send("setoption name UCI_Elo value 600");
    for go in ["go movetime 9000", "go wtime 900000 btime 900000", "go depth 12", "go nodes 50000"] {
        assert!(nodes(&mut client, go) <= 3000, "{go}");
    }
    client.send(&kiwipete);
    client.send("go ponder wtime 90000 btime 90000");
    client.expect_no_bestmove();
    client.send("ponderhit");
    let lines = client.search_lines();
    assert!(Search::check(&KIWIPETE.parse().expect("valid"), &lines, false).main().nodes <= 3000);
    // Analysis is not weakened.
    client.send("go infinite");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    assert!(Search::check(&KIWIPETE.parse().expect("valid"), &lines, false).main().nodes > 3000);
    client.send("setoption name UCI_AnalyseMode value true");
    assert!(nodes(&mut client, "go nodes 100000") > 3000);
    client.send("setoption name UCI_AnalyseMode value false");
    // The other scale, and which of them counts.
    client.send("setoption name UCI_LimitStrength value false");
    assert!(nodes(&mut client, "go nodes 100000") > 3000);
    client.send("setoption name Skill Level value 0");
    assert!(nodes(&mut client, "go nodes 100000") <= 3000);
    client.send("setoption name UCI_LimitStrength value true");
    client.send("setoption name UCI_Elo value 2800");
    assert!(nodes(&mut client, "go nodes 100000") > 3000);
    client.quit();
}

#[test]
fn levels_keep_to_the_clock() {
    let mut client = Client::start();
    client.send("setoption name UCI_LimitStrength value true");
    client.send("setoption name Move Overhead value 0");
    for elo in [600, 1500, 2800] {
        client.send(&format!("setoption name UCI_Elo value {elo}"));
        for (go, limit_ms) in [
            ("go movetime 1", 1),
            ("go movetime 20", 20),
            ("go wtime 1 btime 1", 1),
            ("go wtime 100 btime 100", 100),
            ("go wtime 0 btime 0 winc 0 binc 0", 1),
        ] {
            // The pipe and a busy machine take time too.
            let is_in_time = in_some_try(|| {
                client.sync();
                let start = Instant::now();
                client.search(&format!("position fen {KIWIPETE}"), go);
                start.elapsed() <= Duration::from_millis(limit_ms + 20)
            });
            assert!(is_in_time, "{elo} {go}");
        }
    }
    client.quit();
}

#[test]
fn options_that_clients_send_anyway_are_taken_in_silence() {
    let mut client = Client::start();
    for line in [
        "setoption name UCI_Opponent value GM 2800 human Gary Kasparov",
        "setoption name UCI_Opponent value none none computer Shredder",
        "setoption name UCI_Opponent value <empty>",
        "setoption name UCI_EngineAbout value something",
        "setoption name UCI_AnalyseMode value false",
    ] {
        client.send(line);
        assert_eq!(client.sync(), [""; 0], "{line}");
    }
    client.quit();
}

#[test]
fn all_lines_are_logged_when_asked_for() {
    let folder = Folder::new("log");
    let path = folder.write("quillon.log", b"old\n");
    let mut client = Client::start();
    client.send("uci");
    client.read_until("uciok", |line| line == "uciok");
    client.send(&format!("setoption name Debug Log File value {path}"));
    assert_eq!(client.sync(), [""; 0]);
    client.send("go depth 1");
    client.search_lines();
    client.send_bytes(b"nons\xffense\r\n");
    client.sync();
    // Refused, and the present log goes on.
    for (wrong, reason) in [(folder.0.join("none").join("x"), "No such file"), (folder.0.clone(), "regular")]
    {
        let complaint =
            client.expect_complaint(&format!("setoption name debug log file value {}", wrong.display()));
        let start = format!("info string Debug Log File {}: ", wrong.display());
        assert!(complaint.starts_with(&start) && complaint.contains(reason), "{complaint}");
    }
    client.send("setoption name Debug Log File value <empty>");
    client.sync();
    client.quit();
    let log = std::fs::read_to_string(&path).expect("the log is UTF-8");
    let mut lines = log.lines();
    assert_eq!(lines.next(), Some("old"), "it is appended to");
    let mut said = Vec::new();
    for line in lines {
        let (time, rest) = line.split_at(13);
        let digits = |range: std::ops::Range<usize>| time[range].parse::<u32>().expect("a time");
        assert!(
            digits(0..2) < 24 && digits(3..5) < 60 && digits(6..8) < 60 && digits(9..12) < 1000,
            "{line}"
        );
        said.push(rest);
    }
    assert_eq!(said[..3], ["> isready", "< readyok", "> go depth 1"]);
    assert!(said[3].starts_with("< info depth 1 "), "{said:?}");
    assert!(said[4].starts_with("< bestmove "), "{said:?}");
    assert_eq!(said[5], "> nons\u{FFFD}ense");
    assert!(said[6].starts_with("< info string unknown command"), "{said:?}");
    assert_eq!(said.last(), Some(&"> setoption name Debug Log File value <empty>"));
}

/// The moves of a game against itself at 1 s + 10 ms a move in the engine's own time, and the nodes of each.
fn game_by_nodes(client: &mut Client, plies: usize) -> Vec<(String, u64)> {
    client.send("ucinewgame");
    let mut moves: Vec<(String, u64)> = Vec::new();
    for _ in 0..plies {
        let played: String = moves.iter().map(|(mv, _)| format!(" {mv}")).collect();
        let position = format!("position startpos moves{played}");
        let search = client.search(&position, "go wtime 1000 btime 1000 winc 10 binc 10");
        moves.push((search.best.clone(), search.main().nodes));
    }
    moves
}

#[test]
fn time_can_be_counted_in_nodes() {
    let mut client = Client::start();
    client.send("setoption name nodestime value 200");
    let first = game_by_nodes(&mut client, 30);
    assert_eq!(game_by_nodes(&mut client, 30), first, "games can be repeated");
    // 200,000 nodes a side to begin with, and 2,000 for each move.
    for side in [0, 1] {
        let nodes: u64 = first.iter().skip(side).step_by(2).map(|(_, nodes)| nodes).sum();
        assert!((60_000..230_000).contains(&nodes), "{nodes}: {first:?}");
    }
    // So does a time for a move: 50 ms less an overhead of 10.
    let search = client.search("position startpos", "go movetime 50");
    assert!((4000..=8000).contains(&search.main().nodes), "{search:?}");
    client.send("setoption name nodestime value 0");
    assert_eq!(client.sync(), [""; 0]);
    assert!(client.search("position startpos", "go movetime 100").main().nodes > 8000);
    client.quit();
}

#[test]
fn is_ready_at_once_while_searching() {
    let mut client = Client::start();
    client.send("position startpos");
    client.send("go infinite");
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(30));
        let asked = Instant::now();
        let lines = client.sync();
        assert!(asked.elapsed() < Duration::from_secs(1), "{}", client.log);
        assert!(lines.iter().all(|line| line.starts_with("info ")), "{}", client.log);
    }
    client.send("stop");
    let lines = client.search_lines();
    assert!(lines.len() > 1 || client.log.contains(" pv "), "{}", client.log);
    // One search, one bestmove, though stop comes twice.
    client.send("stop");
    assert_eq!(client.sync(), [""; 0]);
    client.quit();
}

#[test]
fn analysis_of_an_infinite_search_is_sound() {
    let mut client = Client::start();
    client.send(&format!("position fen {KIWIPETE}"));
    for _ in 0..3 {
        client.send("go infinite");
        thread::sleep(Duration::from_millis(60));
        client.send("stop");
        let lines = client.search_lines();
        Search::check(&KIWIPETE.parse().expect("valid"), &lines, false);
    }
    client.quit();
}

#[test]
fn a_search_stopped_at_once_still_has_a_move_and_a_line() {
    let mut client = Client::start();
    for round in 0..20 {
        client.send_bytes(b"position startpos\ngo infinite\nstop\n");
        let lines = client.search_lines();
        let search = Search::check(&Position::start(), &lines, false);
        assert!(!search.main().pv.is_empty(), "round {round}: {lines:?}");
        client.send("ucinewgame");
        assert_eq!(client.fen(), START_FEN);
    }
    client.quit();
}

#[test]
fn a_quick_client_stops_the_search_it_means() {
    let mut client = Client::start();
    for _ in 0..300 {
        // The answer to a bestmove comes so fast that the driver may not yet know of the search's end.
        client.send("go infinite\nstop");
        client.search_lines();
    }
    client.quit();
}

#[test]
fn an_infinite_search_that_is_over_waits_for_stop() {
    let mut client = Client::start();
    for (position, go) in [
        (format!("position fen {CHECKMATE}"), "go infinite"),
        (format!("position fen {STALEMATE}"), "go infinite"),
        (format!("position fen {MATE_IN_ONE}"), "go infinite mate 1"),
        ("position startpos".to_owned(), "go infinite depth 1"),
        ("position startpos".to_owned(), "go nodes 1 infinite"),
        ("position startpos".to_owned(), "go infinite movetime 1"),
    ] {
        client.send(&position);
        client.send(go);
        client.expect_no_bestmove();
        client.send("isready");
        client.read_until("readyok", |line| line == "readyok");
        client.send("stop");
        client.search_lines();
        assert_eq!(client.sync(), [""; 0]);
    }
    client.quit();
}

#[test]
fn a_bare_go_searches_until_stopped() {
    let mut client = Client::start();
    client.send("go");
    client.expect_no_bestmove();
    client.send("stop");
    client.search_lines();
    client.quit();
}

#[test]
fn pondering_holds_the_move_until_ponderhit() {
    let mut client = Client::start();
    let is_in_time = || {
        client.send("position startpos moves e2e4 e7e5");
        // The clock would be over long before the hit.
        client.send("go ponder wtime 300 btime 300 winc 0 binc 0");
        thread::sleep(Duration::from_millis(300));
        client.expect_no_bestmove();
        client.send("ponderhit");
        let hit = Instant::now();
        let lines = client.search_lines();
        Search::check(&root_of("position startpos moves e2e4 e7e5"), &lines, false);
        // A late second hit is harmless.
        client.send("ponderhit");
        assert_eq!(client.sync(), [""; 0]);
        hit.elapsed() < Duration::from_millis(300)
    };
    assert!(in_some_try(is_in_time));
    client.quit();
}

#[test]
fn a_ponder_search_that_is_over_waits_too() {
    let mut client = Client::start();
    for release in ["ponderhit", "stop"] {
        for position in [format!("position fen {CHECKMATE}"), "position startpos".to_owned()] {
            client.send(&position);
            client.send("go ponder depth 1 wtime 1000 btime 1000");
            client.expect_no_bestmove();
            client.send(release);
            client.search_lines();
            assert_eq!(client.sync(), [""; 0]);
        }
    }
    client.quit();
}

#[test]
fn stop_ends_pondering() {
    let mut client = Client::start();
    client.send("position startpos moves d2d4");
    client.send("go wtime 60000 btime 60000 ponder");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    assert!(!lines.is_empty());
    assert_eq!(client.sync(), [""; 0]);
    client.quit();
}

#[test]
fn ponderhit_and_stop_without_a_search_say_nothing() {
    let mut client = Client::start();
    client.send("stop");
    client.send("ponderhit");
    client.send("debug on");
    client.send("debug off");
    client.send("register later");
    assert_eq!(client.sync(), [""; 0]);
    // A stray stop does not end the search after it.
    client.send("stop");
    assert_eq!(client.search("position startpos", "go depth 6").main().depth, 6);
    client.quit();
}

#[test]
fn depth_limits_count_iterations() {
    let mut client = Client::start();
    for depth in [1, 2, 5, 9] {
        for position in ["position startpos", &format!("position fen {KIWIPETE}")] {
            let search = client.search(position, &format!("go depth {depth}"));
            let depths: Vec<i32> = search.infos.iter().map(|info| info.depth).collect();
            assert_eq!(depths, (1..=depth).collect::<Vec<_>>(), "{}", client.log);
            assert!(search.infos.iter().all(|info| !info.is_bound));
            assert!(search.infos.is_sorted_by_key(|info| info.nodes));
        }
    }
    client.quit();
}

#[test]
fn node_limits_are_kept() {
    let mut client = Client::start();
    for nodes in [1, 2, 10, 100, 1000, 12_345] {
        let search = client.search(&format!("position fen {KIWIPETE}"), &format!("go nodes {nodes}"));
        assert!(search.main().nodes <= nodes, "{nodes}: {search:?}");
    }
    client.quit();
}

/// Tries again where other processes may have had the processor. A wrong time budget fails each time.
fn in_some_try(is_in_time: impl FnMut() -> bool) -> bool {
    std::iter::repeat_with(is_in_time).take(5).any(|in_time| in_time)
}

#[test]
fn move_time_is_used_and_kept() {
    let mut client = Client::start();
    client.send("setoption name Move Overhead value 0");
    for time in [1, 50, 250] {
        let is_in_time = || {
            let asked = Instant::now();
            client.search("position startpos", &format!("go movetime {time}"));
            let taken = asked.elapsed().as_millis();
            assert!(taken >= time, "{taken} ms of {time}");
            taken < time + 300
        };
        assert!(in_some_try(is_in_time), "{}", client.log);
    }
    client.quit();
}

#[test]
fn the_clock_is_never_overstepped() {
    let mut client = Client::start();
    for (clock, at_most) in [
        ("wtime 1000 btime 1 winc 0 binc 0", 1000),
        ("wtime 600 btime 600 movestogo 1", 600),
        ("wtime 500 btime 500 winc 100 binc 100 movestogo 40", 500),
        ("wtime 400 movetime 100000", 400),
        ("wtime 300 btime 300 winc 1000", 300),
        // The flag has fallen or is about to: the move must come at once.
        ("wtime 0 btime 0", 300),
        ("wtime -20 btime -20 winc 0", 300),
        ("wtime 1", 300),
        ("winc 100", 300),
    ] {
        let is_in_time = || {
            let asked = Instant::now();
            client.search("position startpos", &format!("go {clock}"));
            asked.elapsed() < Duration::from_millis(at_most)
        };
        assert!(in_some_try(is_in_time), "{clock}\n{}", client.log);
    }
    client.quit();
}

#[test]
fn mate_limits_end_the_search() {
    let mut client = Client::start();
    let search = client.search(&format!("position fen {MATE_IN_ONE}"), "go mate 1");
    assert_eq!((search.best.as_str(), search.main().score.as_str()), ("a1a8", "mate 1"));
    // Underpromotion: the queen would be stalemate.
    let search = client.search("position fen 8/5P1k/5K2/8/8/8/8/8 w - - 0 1", "go mate 2");
    assert_eq!((search.best.as_str(), search.main().score.as_str()), ("f7f8r", "mate 2"));
    client.quit();
}

#[test]
fn search_moves_are_respected() {
    let mut client = Client::start();
    for (go, allowed) in [
        ("go depth 5 searchmoves a2a3", &["a2a3"][..]),
        ("go searchmoves a2a3 h2h4 depth 5", &["a2a3", "h2h4"][..]),
        ("go searchmoves a2a3 h2h4 a2a3 depth 5", &["a2a3", "h2h4"][..]),
    ] {
        let search = client.search("position startpos", go);
        assert!(search.infos.iter().all(|info| allowed.contains(&info.pv[0].as_str())), "{search:?}");
    }
    // Illegal ones are left out and named in one line.
    for (moves, best) in [("e2e5 nonsense b1c3", Some("b1c3")), (&"e7e5 ".repeat(500), None)] {
        client.send("position startpos");
        client.send(&format!("go depth 3 searchmoves {moves}"));
        let lines = client.search_lines();
        assert_eq!(lines.iter().filter(|line| line.starts_with("info string")).count(), 1, "{lines:?}");
        let search = Search::check(&Position::start(), &lines, false);
        assert!(best.is_none_or(|best| search.best == best), "{search:?}");
    }
    client.quit();
}

#[test]
fn multi_pv_reports_distinct_lines_in_order() {
    let mut client = Client::start();
    client.send("setoption name MultiPV value 4");
    let search = client.search(&format!("position fen {KIWIPETE}"), "go depth 6");
    let lines = search.last_lines(4);
    assert!(lines.iter().enumerate().all(|(rank, info)| info.multi_pv == rank + 1 && info.depth == 6));
    let mut firsts: Vec<&String> = lines.iter().map(|info| &info.pv[0]).collect();
    firsts.sort();
    firsts.dedup();
    assert_eq!(firsts.len(), 4, "{lines:?}");
    // Fewer legal moves than lines.
    client.send("setoption name MultiPV value 256");
    let search = client.search("position fen 7k/8/8/8/8/8/8/K6R b - - 0 1", "go depth 4");
    assert_eq!(search.infos.iter().map(|info| info.multi_pv).max(), Some(2));
    let search = client.search("position startpos", "go depth 2");
    assert_eq!(search.infos.iter().map(|info| info.multi_pv).max(), Some(20));
    client.quit();
}

#[test]
fn only_long_searches_are_talkative() {
    let mut client = Client::start();
    // A line for each iteration, and one more where the last was cut off.
    let search = client.search(&format!("position fen {KIWIPETE}"), "go movetime 700");
    let depths: Vec<i32> = search.infos.iter().map(|info| info.depth).collect();
    let expected: Vec<i32> = (1..=depths[depths.len() - 1]).collect();
    assert!(depths == expected || depths[..depths.len() - 1] == expected, "{depths:?}");
    assert!(search.infos.iter().rev().skip(1).all(|info| !info.is_bound), "{search:?}");
    // Current moves are named after three seconds.
    client.send("setoption name MultiPV value 4");
    client.send("position startpos");
    client.send("go movetime 4500");
    let begin = Instant::now();
    let mut moves_named = 0;
    let lines = client.read_until("bestmove", |line| {
        if line.contains(" currmove ") {
            assert!(begin.elapsed() > Duration::from_secs(3), "{:?}: {line}", begin.elapsed());
        }
        line.starts_with("bestmove")
    });
    for line in lines.iter().filter(|line| line.contains(" currmove ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let [.., "currmove", mv, "currmovenumber", number] = words[..] else { panic!("{line}") };
        assert!(parse_uci(&Position::start(), mv).is_ok(), "{line}");
        assert!((1..=20).contains(&number.parse::<usize>().expect("a number")), "{line}");
        moves_named += 1;
    }
    assert!(moves_named > 0, "{lines:#?}");
    Search::check(&Position::start(), &lines, false);
    client.quit();
}

#[test]
fn several_threads_follow_the_protocol_too() {
    let mut client = Client::start();
    client.send("setoption name Threads value 3");
    for _ in 0..3 {
        assert!(client.search("position startpos", "go depth 7").main().depth <= 7);
        client.search(&format!("position fen {KIWIPETE}"), "go movetime 30");
        client.search(&format!("position fen {KIWIPETE}"), "go nodes 5000");
        client.send("go infinite");
        client.expect_no_bestmove();
        client.send("stop");
        client.search_lines();
    }
    client.send("setoption name Threads value 1");
    client.search("position startpos", "go depth 3");
    client.quit();
}

#[test]
fn unusable_go_arguments_start_no_search() {
    let mut client = Client::start();
    for line in
        ["go depth", "go depth deep", "go movetime infinite", "go nodes wtime 5", "go perft", "go mate x"]
    {
        client.expect_complaint(line);
    }
    // Unknown words are skipped.
    let search = client.search("position startpos", "go quickly depth 3 please");
    assert_eq!(search.main().depth, 3);
    client.quit();
}

#[test]
fn options_set_during_a_search_wait_for_its_end() {
    let mut client = Client::start();
    client.send("position startpos");
    client.send("go infinite");
    client.send("setoption name MultiPV value 3");
    client.send("setoption name Hash value 4");
    client.send("setoption name Threads value 2");
    client.send("setoption name Clear Hash");
    client.send("setoption name Nonsense value 1");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    let search = Search::check(&Position::start(), &lines, false);
    assert!(search.infos.iter().all(|info| info.multi_pv == 1));
    // The complaint about the last of them comes after the search.
    assert!(!lines.iter().any(|line| line.starts_with("info string")));
    client.read_until("complaint", |line| line.starts_with("info string"));
    assert_eq!(client.search("position startpos", "go depth 5").last_lines(3).len(), 3);
    client.quit();
}

#[test]
fn positions_and_searches_sent_during_a_search_wait_for_its_end() {
    let mut client = Client::start();
    client.send("position startpos");
    client.send("go movetime 300");
    client.send(&format!("position fen {MATE_IN_ONE}"));
    client.send("go depth 3");
    client.send("position startpos moves e2e4");
    client.send("d");
    client.expect_no_bestmove();
    let first = client.search_lines();
    Search::check(&Position::start(), &first, false);
    let second = client.search_lines();
    let second = Search::check(&MATE_IN_ONE.parse().expect("valid"), &second, false);
    assert_eq!(second.best, "a1a8");
    let board = client.read_until("board", |line| line.starts_with("Legal moves ("));
    assert!(board.iter().any(|line| line.starts_with("FEN: ") && line.contains("/4P3/")), "{board:?}");
    client.quit();
}

#[test]
fn stop_ends_all_that_was_asked_for_before_it() {
    let mut client = Client::start();
    // Whole conversations in one write: the engine reads much faster than it searches.
    client.send_bytes(&b"go infinite\nstop\n".repeat(200));
    for _ in 0..200 {
        client.search_lines();
    }
    client.send("go infinite\ngo infinite\nposition startpos moves d2d4\ngo perft 12\ngo ponder\nstop");
    client.search_lines();
    client.search_lines();
    client.read_until("perft's end", |line| line.starts_with("info string perft stopped"));
    client.search_lines();
    assert_eq!(client.sync(), [""; 0]);
    // And nothing that comes after it.
    client.send("go infinite\nstop\nposition startpos\ngo depth 6\n");
    client.search_lines();
    let lines = client.search_lines();
    assert_eq!(Search::check(&Position::start(), &lines, false).main().depth, 6);
    client.quit();
}

#[test]
fn ponderhit_finds_its_search_however_quickly_it_comes() {
    let mut client = Client::start();
    // The wrong guess, then the right one, as a client that does not wait for `bestmove` sends them.
    let misses = "position startpos moves e2e4 e7e5\ngo ponder wtime 99000 btime 99000\nstop\n";
    let hit = "position startpos moves e2e4 c7c5\ngo ponder wtime 50 btime 50\nponderhit\n";
    for _ in 0..20 {
        client.send_bytes(format!("{misses}{hit}").as_bytes());
        client.search_lines();
        let lines = client.search_lines();
        Search::check(&root_of("position startpos moves e2e4 c7c5"), &lines, false);
    }
    assert_eq!(client.sync(), [""; 0]);
    client.quit();
}

#[test]
fn a_new_game_during_a_search_waits_for_its_end() {
    let mut client = Client::start();
    client.send(&format!("position fen {KIWIPETE}"));
    client.send("go infinite");
    client.send("ucinewgame");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    Search::check(&KIWIPETE.parse().expect("valid"), &lines, false);
    client.sync();
    assert_eq!(client.search("position startpos", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn uci_and_errors_are_answered_during_a_search() {
    let mut client = Client::start();
    client.send("go infinite");
    client.send("uci");
    client.read_until("uciok", |line| line == "uciok");
    client.send("xyzzy");
    client.read_until("complaint", |line| line.starts_with("info string unknown command"));
    client.expect_no_bestmove();
    client.send("stop");
    client.search_lines();
    client.quit();
}

#[test]
fn the_same_game_gives_the_same_search_after_ucinewgame() {
    let mut client = Client::start();
    let mut nodes = Vec::new();
    for _ in 0..3 {
        client.send("ucinewgame");
        client.search("position startpos moves e2e4", "go depth 6");
        nodes.push(client.search("position startpos moves e2e4 e7e5 g1f3", "go depth 7").main().nodes);
    }
    assert!(nodes.iter().all(|&count| count == nodes[0]), "{nodes:?}");
    client.quit();
}

#[test]
fn long_games_are_followed() {
    let mut client = Client::start();
    for plies in [1, 50, 250, 600] {
        let command = format!("position startpos moves {}", random_game(plies, plies as u64).join(" "));
        client.send(&command);
        assert_eq!(client.fen(), root_of(&command).to_string());
        let search = client.search(&command, "go depth 4");
        assert!(search.main().depth <= 4);
    }
    // A thousand plies of moving knights to and fro.
    let command = format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(250));
    let is_quick = || {
        let sent = Instant::now();
        client.send(&command);
        client.sync();
        sent.elapsed() < Duration::from_millis(20)
    };
    assert!(in_some_try(is_quick));
    assert_eq!(client.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 1000 501");
    client.search(&command, "go depth 3");
    client.quit();
}

#[test]
fn the_board_counts_the_men() {
    let mut client = Client::start();
    for (fen, material) in [
        (START_FEN, "White KQRRBBNNPPPPPPPP, Black KQRRBBNNPPPPPPPP; even"),
        ("4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1", "White KRP, Black K; White is ahead by 6"),
        ("3qk3/8/8/8/8/8/8/1NB1K3 w - - 0 1", "White KBN, Black KQ; Black is ahead by 3"),
    ] {
        client.send(&format!("position fen {fen}"));
        client.send("d");
        let lines = client.read_until("board", |line| line.starts_with("Legal moves ("));
        assert!(lines.contains(&format!("Material: {material}")), "{lines:#?}");
    }
    client.quit();
}

#[test]
fn the_board_names_the_end_of_the_game() {
    let mut client = Client::start();
    for (command, end) in [
        ("position startpos moves f2f3 e7e5 g2g4 d8h4", "checkmate, Black wins"),
        ("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("position fen 4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "draw, nobody can give mate"),
        ("position fen 4k3/8/8/8/8/8/8/R3K3 w - - 100 90", "draw by the fifty-move rule"),
        ("position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "draw by threefold repetition"),
    ] {
        client.send(command);
        client.send("d");
        let lines = client.read_until("board", |line| line.starts_with("Legal moves ("));
        assert!(lines.contains(&format!("The game is over: {end}")), "{command}\n{lines:#?}");
    }
    client.send("position startpos");
    client.send("d");
    let lines = client.read_until("board", |line| line.starts_with("Legal moves ("));
    assert!(!lines.iter().any(|line| line.starts_with("The game is over")), "{lines:#?}");
    client.quit();
}

#[test]
fn fens_are_read_with_missing_fields() {
    let mut client = Client::start();
    for (fen, expected) in [
        ("4k3/8/8/8/8/8/4P3/4K3 w", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 b - -", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 7", "4k3/8/8/8/8/8/4P3/4K3 w - - 7 1"),
    ] {
        client.send(&format!("position fen {fen}"));
        assert_eq!(client.fen(), expected);
    }
    client.quit();
}

#[test]
fn an_illegal_move_keeps_the_old_position() {
    let mut client = Client::start();
    client.send("position startpos moves d2d4 d7d5");
    let old = client.fen();
    for moves in [
        "e2e5",
        "e2e4 e2e4",
        "e2e4 e7e5 e1g1",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 c8g4 h2h3 h7h5 h3g4 h5g4 f3e1 d8h4 e1e2",
        "0000",
        "e2e4 (none)",
        "e2",
        "e7e8q",
        "é2é4",
        "e2e4 moves e7e5",
    ] {
        client.expect_complaint(&format!("position startpos moves {moves}"));
        assert_eq!(client.fen(), old, "after {moves}");
    }
    client.expect_complaint(&format!("position fen {KIWIPETE} moves e1g1 e8g8 a1a8"));
    assert_eq!(client.fen(), old);
    client.quit();
}

const BAD_FENS: [&str; 38] = [
    // Shape of the board.
    "8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/7/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/9/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/44p/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/0p7/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/x7/4K3 w - - 0 1",
    "4k3//8/8/8/8/8/4K3 w - - 0 1",
    "startpos",
    "-",
    // Men.
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
    "3kk3/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/p3K3 w - - 0 1",
    "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
    "4k3/8/8/8/QQ6/8/PPPPPPPP/4K3 w - - 0 1",
    "QQQQQQQQ/QQQQQQQQ/8/4k3/8/8/8/4K3 b - - 0 1",
    // Side to move.
    "4k3/8/8/8/8/8/8/4K3",
    "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 W - - 0 1",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
    "8/8/8/3kK3/8/8/8/8 w - - 0 1",
    // Castling rights.
    "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkqK - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w yes - 0 1",
    "r3k2r/8/8/8/8/8/4K3/R6R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w B - 0 1",
    // En passant.
    "4k3/8/8/4p3/8/8/8/4K3 w - e9 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
    "4k3/8/8/4p3/8/8/8/4K3 w - e3 0 1",
    // Counters and the end.
    "4k3/8/8/8/8/8/8/4K3 w - - many 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 99999999",
    "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 0 1",
];

#[test]
fn bad_fens_keep_the_old_position() {
    let mut client = Client::start();
    client.send("position startpos moves e2e4 c7c5");
    let old = client.fen();
    for fen in BAD_FENS {
        client.expect_complaint(&format!("position fen {fen}"));
        client.expect_complaint(&format!("position fen {fen} moves e2e4"));
        assert_eq!(client.fen(), old, "after {fen}");
    }
    for line in
        ["position", "position fen", "position fen moves e2e4", "position moves e2e4", "position nowhere"]
    {
        client.expect_complaint(line);
        assert_eq!(client.fen(), old, "after {line}");
    }
    assert_eq!(client.search("position startpos moves e2e4 c7c5", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn the_end_of_the_game_has_no_move() {
    let mut client = Client::start();
    for go in ["go depth 5", "go movetime 50", "go wtime 1000 btime 1000", "go nodes 100", "go mate 3"] {
        for (fen, score) in [(CHECKMATE, "mate 0"), (STALEMATE, "cp 0")] {
            let search = client.search(&format!("position fen {fen}"), go);
            assert_eq!(search.best, "(none)");
            assert_eq!(search.infos.iter().map(|info| info.score.as_str()).collect::<Vec<_>>(), [score]);
        }
    }
    client.quit();
}

#[test]
fn castling_is_spelled_as_the_client_wants() {
    // Castling mates, so it is always the best move.
    let fen = "8/8/8/8/8/8/7R/2k1K2R w K - 0 1";
    let mut client = Client::start();
    client.send(&format!("position fen {fen}"));
    client.send("go depth 3 searchmoves e1g1");
    let search = Search::check(&fen.parse().expect("valid"), &client.search_lines(), false);
    assert_eq!(search.best, "e1g1");
    client.send("go depth 3 searchmoves e1h1");
    assert_eq!(Search::check(&fen.parse().expect("valid"), &client.search_lines(), false).best, "e1g1");
    assert_eq!(client.fen(), fen);

    client.send("setoption name UCI_Chess960 value true");
    client.send("go depth 3 searchmoves e1h1");
    let search = Search::check(&fen.parse().expect("valid"), &client.search_lines(), true);
    assert_eq!(search.best, "e1h1");
    assert_eq!(client.fen(), fen.replace(" K ", " H "));
    // Both spellings are understood in both modes.
    for mv in ["e1g1", "e1h1"] {
        client.send(&format!("position fen {fen} moves {mv}"));
        assert!(client.fen().starts_with("8/8/8/8/8/8/7R/2k2RK1 b - "), "{}", client.log);
    }
    client.send("setoption name UCI_Chess960 value false");
    client.send(&format!("position fen {fen} moves e1h1"));
    assert!(client.fen().starts_with("8/8/8/8/8/8/7R/2k2RK1 b - "));
    client.quit();
}

#[test]
fn chess960_games_are_searched() {
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let root: Position = fen.parse().expect("valid");
    let mut client = Client::start();
    client.send("setoption name UCI_Chess960 value true");
    client.send(&format!("position fen {fen}"));
    assert_eq!(client.fen(), fen);
    client.send("go depth 7");
    Search::check(&root, &client.search_lines(), true);
    // Without the option, a position that cannot be written otherwise is written this way too.
    client.send("setoption name UCI_Chess960 value false");
    client.send("go depth 5");
    Search::check(&root, &client.search_lines(), true);
    client.quit();
}

#[test]
fn perft_is_printed_for_tools_to_read() {
    let mut client = Client::start();
    for (position, depth, total) in [
        ("position startpos".to_owned(), 3, 8902),
        (format!("position fen {KIWIPETE}"), 2, 2039),
        (format!("position fen {CHECKMATE}"), 2, 0),
        ("position startpos".to_owned(), 1, 20),
    ] {
        client.send(&position);
        client.send(&format!("go perft {depth}"));
        let lines = client.read_until("total", |line| line.starts_with("Nodes searched"));
        assert_eq!(lines.last(), Some(&format!("Nodes searched: {total}")));
        let root = root_of(&position);
        let mut sum = 0;
        let mut moves = Vec::new();
        for line in lines[..lines.len() - 1].iter().filter(|line| !line.is_empty()) {
            let (mv, count) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            assert!(parse_uci(&root, mv).is_ok(), "{line}");
            moves.push(mv.to_owned());
            sum += count.parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
        }
        moves.sort();
        moves.dedup();
        assert_eq!((moves.len(), sum), (root.legal_moves().len(), total));
        if depth == 3 {
            assert!(lines.contains(&"e2e4: 600".to_owned()) && lines.contains(&"a2a3: 380".to_owned()));
        }
    }
    // Without `go` too, and castling in the right spelling.
    client.send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    client.send("perft 1");
    let lines = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert!(lines.contains(&"e1g1: 1".to_owned()), "{lines:?}");
    client.quit();
}

#[test]
fn commands_after_a_perft_wait_for_it_and_quit_does_not() {
    let mut client = Client::start();
    client.send("go perft 4");
    client.send("position startpos moves e2e4");
    client.send("go perft 1");
    let first = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert_eq!(first.last().map(String::as_str), Some("Nodes searched: 197281"));
    let second = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert_eq!(second.last().map(String::as_str), Some("Nodes searched: 20"));
    client.send("go perft 9");
    client.sync();
    client.quit();
}

#[test]
fn unknown_commands_are_named_in_one_line() {
    let mut client = Client::start();
    assert!(client.expect_complaint("isredy").contains("isready"));
    assert!(client.expect_complaint("UCI").contains("'uci'"));
    for line in ["xyzzy", "\\", "-1", "bestmove e2e4", "info depth 3", "GO depth 3", "\u{1b}[31m", "♞f3"] {
        client.expect_complaint(line);
    }
    // Words before a command are skipped, as the specification asks.
    assert_eq!(client.search("position startpos", "please go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn line_ends_blanks_and_several_commands_at_once() {
    let mut client = Client::start();
    client.send_bytes(b"uci\r\nisready\r\n");
    let lines = client.read_until("readyok", |line| line == "readyok");
    assert!(lines.iter().any(|line| line == "uciok"));
    client.send_bytes(b"\n\r\n   \n\t\t\n# a comment\n\x0c\n");
    assert_eq!(client.sync(), [""; 0]);
    client.send_bytes(b"  position\tstartpos   moves\te2e4  e7e5\t\r\n\tgo \t depth\t4\r\n");
    let lines = client.search_lines();
    let search = Search::check(&root_of("position startpos moves e2e4 e7e5"), &lines, false);
    assert_eq!(search.main().depth, 4);
    // A command in two writes.
    client.send_bytes(b"isre");
    thread::sleep(Duration::from_millis(20));
    client.send_bytes(b"ady\n");
    assert_eq!(client.read_until("readyok", |line| line == "readyok").len(), 1);
    client.send_bytes(b"setoption name MultiPV value 2\nposition startpos\ngo depth 2\nisready\n");
    client.search_lines();
    client.quit();
}

#[test]
fn arbitrary_bytes_do_no_harm() {
    let mut client = Client::start();
    client.send_bytes(b"\xff\xfe\x80 isready\n");
    client.read_until("readyok", |line| line == "readyok");
    client.send_bytes(b"\0\0\0\0\n\0isready\0\nposition startpos moves e2\0e4\nposition fen \xc3\x28\n");
    client.sync();
    client.send_bytes(b"setoption name \xf0\x9f\x92 value \xed\xa0\x80\ngo depth \xff\n");
    client.sync();
    let mut rng = Rng(7);
    for _ in 0..200 {
        let length = rng.below(300);
        // A line that happens to say quit or go would need more luck than this seed has.
        let bytes: Vec<u8> = (0..length).map(|_| rng.next() as u8).collect();
        client.send_bytes(&bytes);
    }
    client.send_bytes(b"\n");
    client.sync();
    assert_eq!(client.fen(), START_FEN);
    assert_eq!(client.search("position startpos", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn very_long_lines_do_no_harm() {
    let mut client = Client::start();
    client.expect_complaint(&"x".repeat(1_000_000));
    client.send(&" ".repeat(1_000_000));
    assert_eq!(client.sync(), [""; 0]);
    client.expect_complaint(&format!("position startpos moves{}", " e2e4".repeat(200_000)));
    client.expect_complaint(&format!("position fen {}", "8/".repeat(200_000)));
    assert_eq!(client.fen(), START_FEN);
    client.send(&format!("go depth 2 {}", "ponder ".repeat(100_000)));
    client.send("stop");
    client.search_lines();
    client.send(&format!("go depth 1 searchmoves{}", " e2e4".repeat(20_000)));
    let lines = client.search_lines();
    assert_eq!(Search::check(&Position::start(), &lines, false).best, "e2e4");
    client.quit();
}

#[test]
fn a_line_beyond_all_measure_is_thrown_away_as_it_comes() {
    let mut client = Client::start();
    let complaint = client.expect_complaint(&" quit".repeat(20_000_000));
    assert_eq!(complaint, "info string a line of more than 1048576 bytes is ignored");
    // Where the system tells: the 100 MB have never been in memory.
    if let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())) {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number of kB");
        assert!(kib < 40_000, "{kib} KiB");
    }
    assert_eq!(client.search("position startpos", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn complaints_stay_short_and_printable() {
    let mut client = Client::start();
    let long = "x".repeat(100_000);
    for line in [
        format!("position fen 4k3/8/8/8/8/8/8/4K3 w {long}"),
        format!("position startpos moves {long}"),
        format!("setoption name {long}"),
        format!("setoption name Hash value {long}"),
        format!("go depth {long}"),
        "\u{1b}[2J\0".to_owned(),
        "setoption name \u{1b}[2J\0".to_owned(),
    ] {
        let complaint = client.expect_complaint(&line);
        assert!(complaint.len() < 500, "{} bytes", complaint.len());
        assert!(!complaint.contains(char::is_control), "{complaint:?}");
    }
    client.quit();
}

#[test]
fn random_sentences_of_uci_words_do_no_harm() {
    const WORDS: &str = "uci debug on off isready setoption name value Hash Clear MultiPV Threads Ponder \
        UCI_Chess960 Move Overhead true false register later ucinewgame position startpos fen moves e2e4 \
        e7e5 g1f3 e1g1 a7a8q 0000 8/8/8/3k4/8/3K4/3P4/8 w b - KQkq go searchmoves ponder wtime btime winc \
        movestogo depth nodes mate movetime infinite stop ponderhit d eval perft help # 1 3";
    const NUMBERS: [&str; 9] =
        ["0", "1", "2", "3", "-7", "99999999999999999999", "2147483648", "1e3", "0x10"];
    let vocabulary: Vec<&str> = WORDS.split_whitespace().collect();
    let mut rng = Rng(2024);
    for process in 0..3 {
        let mut client = Client::start();
        for sentence in 0..150 {
            let mut words = Vec::new();
            // Half of the sentences begin with a word that makes the rest count.
            if rng.below(2) == 0 {
                let openings = ["go", "position startpos", "setoption name", "position fen", "stop", "go"];
                words.push(openings[rng.below(openings.len())]);
            }
            for _ in 0..1 + rng.below(8) {
                // A count of long games would not end; everything else may have any number.
                let after_perft = words.last() == Some(&"perft");
                let word = match rng.below(4) {
                    _ if after_perft => ["0", "1", "2", "-1", "x"][rng.below(5)],
                    0 => NUMBERS[rng.below(NUMBERS.len())],
                    _ => vocabulary[rng.below(vocabulary.len())],
                };
                words.push(word);
            }
            client.send(&words.join(" "));
            if sentence % 10 == 9 {
                client.sync();
                client.send("stop");
            }
        }
        client.sync();
        match process {
            0 => {
                client.end_input();
                client.wait_for_exit();
            }
            _ => {
                client.quit();
            }
        }
    }
}

#[test]
fn quit_ends_the_process_whatever_it_does() {
    for (before, best_moves) in [
        ("", 0),
        ("position startpos\ngo infinite\n", 1),
        ("position startpos\ngo infinite\nstop\n", 1),
        ("go ponder wtime 1000 btime 1000\n", 1),
        ("go infinite depth 1\n", 1),
        // Searches that have not begun are given up.
        ("go infinite\nposition startpos\ngo infinite\ngo infinite\n", 1),
        ("setoption name Threads value 4\ngo infinite\n", 1),
        ("go movetime 100000\n", 1),
        ("go perft 8\n", 0),
    ] {
        let count = |lines: &[String]| lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        let mut client = Client::start();
        client.send_bytes(before.as_bytes());
        let earlier = client.sync();
        assert_eq!(count(&earlier) + count(&client.quit()), best_moves, "{before}");
        // And all in one write, so that quit comes while the search begins.
        let mut client = Client::start();
        client.send_bytes(format!("{before}quit\n").as_bytes());
        assert_eq!(count(&client.wait_for_exit()), best_moves, "{before}");
    }
}

#[test]
fn the_end_of_input_ends_the_process_with_a_move() {
    for (input, best_moves) in [
        ("", 0),
        ("uci\n", 0),
        ("isready", 0),
        ("posit", 0),
        ("position startpos\ngo infinite\n", 1),
        ("position startpos\ngo infinite", 1),
        ("go ponder wtime 1000 btime 1000\n", 1),
        ("go infinite depth 1\n", 1),
        ("go movetime 100000\n", 1),
        ("go wtime 100000000 btime 100000000\n", 1),
        ("go depth 3\n", 1),
        ("go depth 2\nposition startpos moves e2e4\ngo depth 2\n", 2),
        ("go infinite\nposition startpos moves e2e4\ngo infinite\ngo ponder\n", 3),
        ("setoption name Threads value 3\ngo infinite\n", 1),
        ("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo infinite\n", 1),
        ("go perft 3\n", 0),
    ] {
        for pause in [0, 60] {
            let mut client = Client::start();
            client.send_bytes(input.as_bytes());
            thread::sleep(Duration::from_millis(pause));
            client.end_input();
            let lines = client.wait_for_exit();
            let found = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
            assert_eq!(found, best_moves, "{input:?}: {lines:?}");
            assert_eq!(
                lines.iter().filter(|&line| line == "readyok").count(),
                input.matches("isready").count()
            );
        }
    }
}

#[test]
fn a_perft_from_a_pipe_is_finished() {
    // `echo "go perft 5" | quillon` must print its count, though the input has long ended.
    let mut client = Client::start();
    client.send("go perft 5");
    client.end_input();
    client.read_until("end of the perft", |line| line == "Nodes searched: 4865609");
    client.wait_for_exit();
}

#[test]
fn stop_ends_a_deep_perft() {
    let mut client = Client::start();
    client.send("go perft 12");
    thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    client.send("stop");
    client.read_until("end of the perft", |line| line.starts_with("info string perft stopped"));
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    client.quit();
}

#[test]
fn a_closed_output_ends_an_infinite_search() {
    let mut client = Client::deaf();
    client.send("go infinite");
    client.wait_for_exit();
}

#[test]
fn a_closed_output_ends_the_process() {
    for input in
        ["uci\n", "isready\n", "d\n", "position startpos\ngo movetime 100\n", "go depth 4\n", "go perft 3\n"]
    {
        // Input stays open: the engine has to notice by itself.
        let mut client = Client::deaf();
        client.send_bytes(input.as_bytes());
        client.wait_for_exit();
    }
    let mut client = Client::deaf();
    client.send("go infinite");
    thread::sleep(Duration::from_millis(50));
    client.send("isready");
    client.wait_for_exit();
}

#[test]
fn the_last_words_are_complete() {
    // What was asked before quit is answered, down to the last line.
    let mut client = Client::start();
    client.send_bytes(b"uci\nisready\nd\nquit\n");
    let lines = client.wait_for_exit();
    assert!(lines.iter().any(|line| line == "uciok") && lines.iter().any(|line| line == "readyok"));
    assert!(lines.last().is_some_and(|line| line.starts_with("Legal moves (20): ")), "{lines:?}");
}
