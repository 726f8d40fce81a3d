//! Input of all kinds: mistyped, long, in pieces, garbage.

use std::thread;
use std::time::Duration;

use crate::client::{Client, Search, root_of};
use quillon::board::{Position, START_FEN};
use quillon::types::SplitMix64;

#[test]
fn unknown_commands_are_named_in_one_line() {
    let mut client = Client::start();
    assert!(client.expect_complaint("isredy").contains("isready"));
    assert!(client.expect_complaint("UCI").contains("'uci'"));
    for line in ["xyzzy", "\\", "-1", "bestmove e2e4", "info depth 3", "GO depth 3", "\u{1b}[31m", "♞f3"] {
        client.expect_complaint(line);
    }
    // A word that somebody mistyped is not skipped for another that follows it.
    for (line, meant) in [
        ("setopton name Ponder value d", Some("setoption")),
        ("posiiton startpos moves e2e4 go depth 3", Some("position")),
        ("isredy stop", Some("isready")),
        ("og perft 2", None),
        ("joho d", None),
    ] {
        let complaint = client.expect_complaint(line);
        assert!(complaint.contains("unknown command"), "{complaint}");
        assert_eq!(complaint.contains("did you mean"), meant.is_some(), "{complaint}");
        assert!(complaint.contains(meant.unwrap_or_default()), "{complaint}");
    }
    // Words before a command are skipped, as the specification asks.
    client.send("joho debug on");
    assert_eq!(client.sync(), [""; 0]);
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
    let mut rng = SplitMix64::from_state(7);
    for _ in 0..200 {
        let length = rng.below(300);
        // A line that happens to say quit or go would need more luck than this seed has.
        let bytes: Vec<u8> = (0..length).map(|_| rng.next() as u8).collect();
        client.send_bytes(&bytes);
    }
    client.send_bytes(b"\n");
    client.sync();
    client.expect_no_position();
    assert_eq!(client.search("position startpos", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn very_long_lines_do_no_harm() {
    let mut client = Client::start();
    client.expect_complaint(&"x".repeat(1_000_000));
    client.send(&" ".repeat(1_000_000));
    assert_eq!(client.sync(), [""; 0]);
    assert_eq!(client.fen(), START_FEN);
    client.expect_complaint(&format!("position startpos moves{}", " e2e4".repeat(200_000)));
    client.expect_no_position();
    client.expect_complaint(&format!("position fen {}", "8/".repeat(200_000)));
    client.expect_no_position();
    client.send(&format!("position fen {START_FEN} {}", "x ".repeat(400_000)));
    assert_eq!(client.sync().len(), 1);
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
    // It may have been a position.
    client.expect_no_position();
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
        format!("position fen 4k3/8/8/8/8/8/8/4K3 {long}"),
        format!("position fen 4k3/8/8/8/8/8/8/4K3 w {long} - 0 1"),
        format!("position fen 4k3/8/8/8/8/8/8/4K3 w - {long} 0 1"),
        format!("position fen 4k3/8/8/8/8/8/8/4K3 w - - {long} 1"),
        format!("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 {long}"),
        format!("position startpos moves {long}"),
        "d".to_owned(),
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
    let mut rng = SplitMix64::from_state(2024);
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
