//! Clocks, pondering and answers in time.

use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Client, Search, root_of};
use crate::{CHECKMATE, KIWIPETE, in_some_try};

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
fn pondering_costs_no_nodes_of_the_own_clock() {
    let mut client = Client::start();
    // A thousand nodes for the game, far fewer than one pondering takes.
    client.send("setoption name nodestime value 1");
    for end in ["stop", "ponderhit", "stop"] {
        // What an earlier round has left in the table would answer at once.
        client.send("setoption name Clear Hash");
        client.send("position startpos moves e2e4");
        client.send("go ponder wtime 1000 btime 1000");
        let mut lines = client.read_until("twelve plies", |line| line.starts_with("info depth 12 "));
        client.send(end);
        lines.extend(client.search_lines());
        let pondered = Search::check(&root_of("position startpos moves e2e4"), &lines, false);
        assert!(pondered.main().nodes > 1000, "{pondered:?}");
    }
    // With an empty clock it would be a single one.
    let nodes =
        client.search("position startpos moves e2e4 e7e5 g1f3", "go wtime 1000 btime 1000").main().nodes;
    assert!((10..300).contains(&nodes), "{nodes}");
    client.quit();
}

#[test]
fn time_controls_add_nodes() {
    let mut client = Client::start();
    client.send("setoption name nodestime value 10");
    for round in 0..6 {
        let nodes = client.search("position startpos", "go wtime 1000 btime 1000 movestogo 1").main().nodes;
        assert!((3000..=50_000).contains(&nodes), "{round}: {nodes}");
    }
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
fn move_time_is_used_and_kept() {
    let mut client = Client::start();
    client.send("setoption name Move Overhead value 0");
    for time in [1, 50, 250] {
        let is_in_time = || {
            let asked = Instant::now();
            client.search("position startpos", &format!("go movetime {time}"));
            let taken = asked.elapsed().as_millis();
            assert!(taken >= time, "{taken} ms of {time}");
            taken <= time + 20
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
        ("binc 1000", 300),
        ("movestogo 40", 300),
        ("movestogo 0", 300),
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
