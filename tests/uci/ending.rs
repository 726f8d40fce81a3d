//! How the process ends.

use std::thread;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::{KIWIPETE, in_some_try};
use quillon::board::START_FEN;

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
        ("bench 40\n", 0),
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
fn stop_ends_a_perft_of_any_depth_at_once() {
    let queens = "3Q4/1KQ2QQq/6q1/2q3q1/2q5/6q1/QQQQQ3/q3qq1k w - - 0 1";
    for (fen, depth) in [(START_FEN, 8), (START_FEN, 30), (KIWIPETE, 14), (queens, 7), (queens, 30)] {
        let is_in_time = || {
            let mut client = Client::start();
            client.send(&format!("position fen {fen}"));
            client.send(&format!("go perft {depth}"));
            thread::sleep(Duration::from_millis(100));
            let asked = Instant::now();
            client.send("stop");
            client.read_until("end of the perft", |line| line.starts_with("info string perft stopped"));
            let taken = asked.elapsed();
            client.quit();
            taken <= Duration::from_millis(20)
        };
        assert!(in_some_try(is_in_time), "{depth} plies from {fen}");
    }
}

#[test]
fn stop_and_quit_end_a_bench() {
    let mut client = Client::start();
    client.send("bench 30");
    client.send("go depth 3");
    thread::sleep(Duration::from_millis(100));
    client.send("stop");
    client.read_until("end of the bench", |line| line == "info string bench stopped");
    client.search_lines();
    // Also one that has not begun.
    client.send("go infinite\nbench 30\nstop");
    client.search_lines();
    client.read_until("end of the bench", |line| line == "info string bench stopped");
    client.send("bench 3");
    let lines = client.read_until("end of the bench", |line| line.ends_with(" nps"));
    assert_eq!(lines.iter().filter(|line| line.starts_with("position ")).count(), 42);
    client.send("bench 30");
    client.quit();
}

#[test]
fn work_that_nobody_waits_for_ends() {
    // The client has died: no input comes, and nobody reads.
    for work in ["go perft 14", "bench 50"] {
        let mut client = Client::deaf();
        client.send(work);
        client.end_input();
        client.wait_for_exit();
    }
}

#[test]
fn a_closed_output_ends_an_infinite_search() {
    let mut client = Client::deaf();
    client.send("go infinite");
    client.wait_for_exit();
}

#[test]
fn a_closed_output_ends_the_process() {
    for input in [
        "uci\n",
        "isready\n",
        "d\n",
        "position startpos\ngo movetime 100\n",
        "go depth 4\n",
        "go perft 3\n",
        "go perft 7\n",
        "bench 9\n",
    ] {
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
    // Also what had to wait for a search.
    let mut client = Client::start();
    client.send_bytes(b"go infinite\nstop\nisready\nquit\n");
    let lines = client.wait_for_exit();
    let [.., best, ready] = &lines[..] else { panic!("{lines:?}") };
    assert!(best.starts_with("bestmove ") && ready == "readyok", "{lines:?}");
}
