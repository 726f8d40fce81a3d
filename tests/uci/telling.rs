//! What a search tells of itself while it runs and at its end, and that the move played is one it knows of.

use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Client, Search};
use crate::{KIWIPETE, in_some_try};
use quillon::board::{Game, Position, START_FEN};
use quillon::types::SplitMix64;

/// A position of a random game in which there is a move.
fn random_position(rng: &mut SplitMix64) -> Position {
    let mut game = Game::default();
    for _ in 0..rng.below(120) {
        let before = game.clone();
        let moves = game.position().legal_moves();
        game.play(moves[rng.below(moves.len())]);
        if game.outcome().is_some() {
            return *before.position();
        }
    }
    *game.position()
}

fn set(client: &mut Client, threads: usize, lines: usize) {
    client.send("ucinewgame");
    client.send(&format!("setoption name Threads value {threads}"));
    client.send(&format!("setoption name MultiPV value {lines}"));
    client.sync();
}

/// Searches random positions with random limits. The last lines must be one picture of the search's end, and the
/// move played one that was compared with all others.
fn play_random_searches(seed: u64, searches: usize) {
    let mut client = Client::start();
    let mut rng = SplitMix64::from_state(seed);
    for number in 0..searches {
        let root = random_position(&mut rng);
        let (threads, lines) = (1 + rng.below(8), 1 + rng.below(4));
        // As many small limits as large ones.
        let nodes = 20_000_f64.powf(rng.below(1001) as f64 / 1000.0).round() as u64;
        set(&mut client, threads, lines);
        let search = client.search(&format!("position fen {root}"), &format!("go nodes {nodes}"));
        let about = format!("{number}: {root}, {threads} threads, {lines} lines, {nodes} nodes: {search:?}");
        let moves = root.legal_moves().len();
        let shown = lines.min(moves);
        // With several lines an end within the first iteration leaves the later ones unknown.
        let start = search.infos.iter().rposition(|info| info.multi_pv == 1).expect("there is a line");
        let last = &search.infos[start..];
        assert!(last.iter().enumerate().all(|(rank, info)| info.multi_pv == rank + 1), "{about}");
        assert!(last.len() == shown || last.len() < shown && nodes < 4096, "{about}");
        assert!(last.iter().all(|info| info.nodes == last[0].nodes), "{about}");
        let mut firsts: Vec<&String> = last.iter().map(|info| &info.pv[0]).collect();
        firsts.sort();
        firsts.dedup();
        assert_eq!(firsts.len(), last.len(), "{about}");
        assert!(search.main().depth >= 1 && search.main().nodes >= moves as u64, "{about}");
        // A thread may enter a node or two more on its way out, and the first look at all moves is always taken.
        assert!(search.main().nodes <= nodes.max(4096) + 2 * threads as u64, "{about}");
    }
    client.quit();
}

#[test]
fn the_move_played_was_compared_with_all_others() {
    play_random_searches(16, 150);
}

#[test]
#[ignore = "takes half a minute"]
fn the_move_played_was_compared_with_all_others_a_thousand_times() {
    play_random_searches(17, 1000);
}

#[test]
fn what_one_look_shows_is_seen_whatever_the_limits() {
    let mut client = Client::start();
    // A queen can be taken, and one must go.
    for (fen, right) in [
        ("rnb1kbnr/pp1p1ppp/2p5/8/3qP3/2N2N2/PPP2PPP/R1BQKB1R w KQkq - 0 6", ["d1d4", "f3d4"]),
        ("4k3/pp3ppp/8/3q4/8/2N5/PP3PPP/4K3 w - - 0 30", ["c3d5", "c3d5"]),
        ("7k/6pp/8/3q4/8/2N5/6PP/6K1 b - - 0 60", ["d5", "d5"]),
    ] {
        for threads in [1, 2, 4, 8] {
            for lines in [1, 3, 4] {
                set(&mut client, threads, lines);
                for go in ["go nodes 1", "go nodes 30", "go nodes 600", "go nodes 4000", "go movetime 1"] {
                    let search = client.search(&format!("position fen {fen}"), go);
                    let is_right = right.iter().any(|mv| search.best.starts_with(mv));
                    assert!(is_right, "{fen} {threads} {lines} {go}: {search:?}");
                    client.send("ucinewgame");
                }
                client.send(&format!("position fen {fen}\ngo infinite\nstop"));
                let search = Search::check(&fen.parse().expect("valid"), &client.search_lines(), false);
                assert!(right.iter().any(|mv| search.best.starts_with(mv)), "{fen} {threads} {lines}");
            }
        }
    }
    client.quit();
}

#[test]
fn no_line_runs_on_into_a_checkmate_that_its_score_knows_nothing_of() {
    let mut client = Client::start();
    let mut rng = SplitMix64::from_state(5);
    // What a small table knows of a line is soon replaced. The client checks each line.
    client.send("setoption name Hash value 1");
    for _ in 0..400 {
        client.send(&format!("setoption name MultiPV value {}", [1, 1, 3][rng.below(3)]));
        let nodes = [500, 3000, 20_000][rng.below(3)];
        client.search(&format!("position fen {}", random_position(&mut rng)), &format!("go nodes {nodes}"));
    }
    client.quit();
}

/// The number after a keyword in a line.
fn number_after(line: &str, keyword: &str) -> u64 {
    let mut words = line.split(' ').skip_while(|&word| word != keyword);
    let number = words.nth(1).and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no {keyword} in {line}"))
}

#[test]
fn the_last_line_tells_of_the_whole_search() {
    let mut client = Client::start();
    for lines in [1, 3] {
        for (fen, go) in [
            (KIWIPETE, "go nodes 50000"),
            (START_FEN, "go nodes 77777"),
            (KIWIPETE, "go movetime 200"),
            (KIWIPETE, "go wtime 4000 btime 4000"),
            (START_FEN, "go infinite"),
        ] {
            set(&mut client, 1, lines);
            client.send(&format!("position fen {fen}"));
            client.send(go);
            if go == "go infinite" {
                thread::sleep(Duration::from_millis(300));
                client.send("stop");
            }
            let said = client.search_lines();
            Search::check(&fen.parse().expect("valid"), &said, false);
            let end = &said[said.len() - 1 - lines..said.len() - 1];
            for (rank, line) in end.iter().enumerate() {
                assert_eq!(number_after(line, "multipv"), rank as u64 + 1, "{said:#?}");
                assert!(line.contains(" score ") && number_after(line, "depth") >= 1, "{said:#?}");
                assert!(number_after(line, "nps") > 0 && number_after(line, "hashfull") <= 1000, "{line}");
                assert_eq!(number_after(line, "nodes"), number_after(&end[0], "nodes"), "{said:#?}");
            }
            let (nodes, time) = (number_after(&end[0], "nodes"), number_after(&end[0], "time"));
            if let Some(limit) = go.strip_prefix("go nodes ") {
                let limit: u64 = limit.parse().expect("a number");
                assert!((limit * 999 / 1000..=limit).contains(&nodes), "{said:#?}");
            } else if go != "go wtime 4000 btime 4000" {
                assert!(time >= 100, "{said:#?}");
            }
        }
    }
    client.quit();
}

/// The longest time without counts in a search of so many milliseconds, and how often its first line was told.
fn silence(client: &mut Client, ms: u64) -> (Duration, usize) {
    client.send(&format!("go movetime {ms}"));
    let (mut last, mut longest, mut updates) = (Instant::now(), Duration::ZERO, 0);
    client.read_until("bestmove", |line| {
        if line.contains(" nodes ") {
            for keyword in ["nodes", "nps", "hashfull", "tbhits", "time"] {
                number_after(line, keyword);
            }
            longest = longest.max(last.elapsed());
            last = Instant::now();
            updates += usize::from(line.contains(" multipv 1 "));
        }
        line.starts_with("bestmove")
    });
    (longest.max(last.elapsed()), updates)
}

#[test]
fn a_long_search_tells_every_second_how_far_it_is() {
    for lines in [1, 4] {
        let mut client = Client::start();
        let is_told = in_some_try(|| {
            set(&mut client, 1, lines);
            client.send(&format!("position fen {KIWIPETE}"));
            silence(&mut client, 4500).0 < Duration::from_millis(1200)
        });
        assert!(is_told, "{lines}\n{}", client.log);
        client.quit();
    }
}

#[test]
#[ignore = "takes a minute and wants a processor for itself"]
fn no_long_search_is_silent() {
    let mut client = Client::start();
    for lines in [1, 4] {
        for fen in [KIWIPETE, START_FEN] {
            set(&mut client, 1, lines);
            client.send(&format!("position fen {fen}"));
            let (longest, updates) = silence(&mut client, 20_000);
            assert!(longest < Duration::from_millis(1200), "{lines} {fen}: {longest:?}");
            println!("{lines} lines, {fen}: at most {longest:?}, told {updates} times");
        }
    }
    client.quit();
}
