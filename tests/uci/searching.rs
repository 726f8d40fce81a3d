//! Limits, analysis, and what is asked for during a search.

use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Client, Search};
use crate::{CHECKMATE, KIWIPETE, MATE_IN_ONE, STALEMATE};
use quillon::board::{Position, START_FEN};
use quillon::notation::parse_uci;

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
    // A look at all moves is always taken.
    let least = client.search(&format!("position fen {KIWIPETE}"), "go depth 1").main().nodes;
    for nodes in [1, 2, 10, 100, 1000, 12_345] {
        client.send("ucinewgame");
        let search = client.search(&format!("position fen {KIWIPETE}"), &format!("go nodes {nodes}"));
        assert!(search.main().nodes <= nodes.max(least), "{nodes}: {search:?}");
        // The last line tells of the whole search.
        assert!(search.main().nodes * 1000 >= nodes * 999, "{nodes}: {search:?}");
    }
    client.quit();
}

#[test]
fn a_game_goes_on_where_nobody_claims_the_draw() {
    let mut client = Client::start();
    client.send("setoption name UCI_ShowWDL value true");
    let attacked = "7k/6pp/8/3q4/8/2N5/6PP/6K1 b - -";
    let shuffles = "h8g8 g1f1 g8h8 f1g1 ".repeat(2);
    for position in [
        format!("position fen {attacked} 100 160"),
        format!("position fen {attacked} 117 160"),
        format!("position fen {attacked} 92 160 moves {shuffles}"),
        format!("position fen {attacked} 4 160 moves {shuffles}"),
    ] {
        for go in ["go depth 1", "go nodes 1", "go depth 9", "go movetime 30"] {
            let search = client.search(position.trim(), go);
            assert!(search.best.starts_with("d5"), "{position} {go}: {search:?}");
            let score: i32 =
                search.main().score.strip_prefix("cp ").expect("no mate").parse().expect("a number");
            let [win, _, loss] = search.main().wdl.expect("chances");
            assert!(score > 300 && win > loss, "{position} {go}: {search:?}");
        }
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
    // They name the depth of the iteration: the one that comes next in the table of a chess program.
    let mut finished = 0;
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["info", "depth", depth, "seldepth", ..] = words[..] {
            finished = depth.parse().expect("a depth");
        }
        if !words.contains(&"currmove") {
            continue;
        }
        let ["info", "depth", depth, "currmove", mv, "currmovenumber", number] = words[..] else {
            panic!("{line}")
        };
        let depth: i32 = depth.parse().expect("a depth");
        assert!(depth == finished || depth == finished + 1, "depth {finished} is finished: {line}");
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
        assert_eq!(client.search("position startpos", "go depth 7").main().depth, 7);
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
    // What is said of clocks only does not hide a limit.
    assert_eq!(client.search("position startpos", "go depth 6 movestogo 40 binc 5").main().depth, 6);
    // A restriction to nothing is none, but worth a word.
    client.send("go depth 3 searchmoves");
    let lines = client.search_lines();
    assert_eq!(lines[0], "info string no move follows searchmoves; all moves are searched");
    assert_eq!(Search::check(&Position::start(), &lines, false).main().depth, 3);
    // Unknown words are skipped.
    let search = client.search("position startpos", "go quickly depth 3 please");
    assert_eq!(search.main().depth, 3);
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

/// What a line of output is about, for lines that are no analysis.
fn topic(line: &str) -> Option<&str> {
    match line.split(' ').collect::<Vec<_>>()[..] {
        ["info", "string", topic, ..] => Some(topic),
        ["uciok" | "readyok" | "bestmove" | "Evaluation:", ..] => line.split(' ').next(),
        _ => None,
    }
}

#[test]
fn questions_wait_for_a_search_that_was_stopped() {
    let mut client = Client::start();
    // Each in one write.
    for (script, expected) in [
        ("go infinite\nstop\nisready", "bestmove readyok"),
        ("go infinite\nstop\nuci\nisready", "bestmove uciok readyok"),
        ("go infinite\nstop\nucinewgame\nisready", "bestmove readyok"),
        ("go infinite\nucinewgame\nstop\nisready", "bestmove readyok"),
        ("go infinite depth 1\nstop\nsetoption name Clear Hash\nisready", "bestmove readyok"),
        ("go infinite\nstop\nposition startpos moves e2e4\neval\nisready", "bestmove Evaluation: readyok"),
        (
            "go infinite\nstop\nposition startpos moves e2e5\ngo\nisready",
            "bestmove move there bestmove readyok",
        ),
        ("go ponder\nstop\nxyzzy\nisready", "bestmove unknown readyok"),
        ("go infinite\nxyzzy\nstop\nisready", "unknown bestmove readyok"),
        ("go infinite\ngo infinite\ngo ponder\nstop\nisready", "bestmove bestmove bestmove readyok"),
        ("go perft 12\nstop\nisready", "perft readyok"),
        ("bench 40\ngo infinite\nstop\nisready", "bench bestmove readyok"),
        ("go infinite\nstop\nisready\nponderhit\nuci\nisready", "bestmove readyok uciok readyok"),
        // The second search goes on, so the answer comes while it runs.
        ("go infinite\nstop\nposition startpos\ngo infinite\nisready", "bestmove readyok"),
    ] {
        for _ in 0..10 {
            client.send(script);
            let mut lines = Vec::new();
            for _ in script.matches("isready") {
                lines.extend(client.read_until("readyok", |line| line == "readyok"));
            }
            let said: Vec<&str> = lines.iter().filter_map(|line| topic(line)).collect();
            assert_eq!(said.join(" "), expected, "{script:?}\n{}", client.log);
            client.send("stop\nucinewgame");
            client.sync();
        }
    }
    client.quit();
}

#[test]
fn the_answer_to_isready_means_that_all_before_it_is_done() {
    let mut client = Client::start();
    client.send("position startpos\ngo depth 7");
    let first = client.search_lines();
    let nodes = |lines: &[String]| Search::check(&Position::start(), lines, false).main().nodes;
    for _ in 0..5 {
        client.send("go infinite");
        client.send("stop\nucinewgame\nisready");
        let lines = client.read_until("readyok", |line| line == "readyok");
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 1, "{lines:?}");
        // Nothing is known any more, and the initial position is back.
        client.send("go depth 7");
        assert_eq!(nodes(&client.search_lines()), nodes(&first));
    }
    client.quit();
}

#[test]
fn questions_are_answered_at_once_while_a_search_goes_on() {
    let mut client = Client::start();
    client.send("go infinite\nposition startpos moves e2e4\ngo infinite");
    assert!(client.sync().iter().all(|line| line.starts_with("info ")), "{}", client.log);
    client.send("uci");
    client.read_until("uciok", |line| line == "uciok");
    client.expect_no_bestmove();
    // The first search ends, the second goes on.
    client.send("stop\ngo infinite\nisready");
    client.search_lines();
    client.search_lines();
    client.read_until("readyok", |line| line == "readyok");
    client.expect_no_bestmove();
    client.send("stop");
    client.search_lines();
    // A search that has ended by itself and waits for `stop` is one that goes on.
    client.send("go infinite depth 1");
    client.expect_no_bestmove();
    client.sync();
    client.send("ucinewgame\nisready");
    client.read_until("readyok", |line| line == "readyok");
    client.send("stop");
    client.search_lines();
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
