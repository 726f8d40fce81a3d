//! Endings that nobody can win, however many pieces one side has more, are shown as such at any depth; those that
//! look alike and are won are not.

use std::sync::{Arc, Mutex};

use quillon::board::Game;
use quillon::eval::WdlModel;
use quillon::search::{SearchEvent, SearchJob, SearchLimits, Searcher};
use quillon::tt::TranspositionTable;

/// Dead draws.
const DRAWN: [&str; 24] = [
    // Two knights.
    "8/8/6k1/8/8/3KNN2/8/8 w - - 0 1",
    "8/8/6k1/8/8/3KNN2/8/8 b - - 0 1",
    // Bishops of one colour.
    "8/8/6k1/8/8/2BKB3/8/4B3 w - - 0 1",
    "8/2b5/6k1/8/8/3K1B2/4B3/3B4 w - - 0 1",
    "8/2n5/6k1/8/8/3K1B2/4B3/3B4 w - - 0 1",
    "8/2p5/6k1/8/8/3K1B2/4B3/3B4 b - - 0 1",
    // The king stands in the corner that no bishop sees.
    "1k6/8/8/8/P7/8/1K6/4B3 w - - 0 1",
    "1k6/8/8/8/P7/P7/1K6/4B3 w - - 0 1",
    "1k6/8/8/8/P7/B7/1K6/4B3 w - - 0 1",
    "1k6/8/8/P7/P7/B7/PK1B4/4B3 w - - 0 1",
    "1b6/8/8/7p/7p/b5k1/8/7K b - - 0 1",
    "k7/8/8/P7/P7/P7/1K6/8 w - - 0 1",
    "1k5n/8/2K5/8/P7/P7/1B6/8 w - - 2 1",
    "1k6/8/5p1p/8/P7/8/1K6/4B3 w - - 0 1",
    // It gets there.
    "5k2/8/8/8/7P/3B2K1/8/8 w - - 0 1",
    "4k3/8/p3b3/8/8/8/8/K7 w - - 0 2",
    "8/8/1B3k1K/8/P7/8/8/8 b - - 0 1",
    "8/8/8/2B3k1/8/P7/3K4/8 b - - 0 1",
    "8/8/5k2/8/7P/8/1K2B2P/8 b - - 0 1",
    // It takes the pawn, or keeps the other king in front of it.
    "1k6/8/8/8/8/7P/8/1K3B2 b - - 0 1",
    "8/3k4/8/8/3K3P/8/8/8 w - - 0 1",
    "2k5/K7/P7/8/8/8/8/8 b - - 0 1",
    // It takes what a pawn becomes.
    "6B1/6kP/8/8/7P/5K2/8/8 w - - 0 1",
    "6B1/6kP/8/7P/8/5K2/8/8 w - - 0 1",
];

/// Won by the side to move or to wait, like drawn ones but for one thing.
const WON: [&str; 8] = [
    // The bishop sees the corner.
    "1k6/8/8/8/P7/8/1K6/5B2 w - - 0 1",
    "1k6/8/8/8/P7/P7/1K3B2/4BB2 w - - 0 1",
    // The king comes too late.
    "8/8/8/P7/8/3k4/1K6/4B3 w - - 0 1",
    "8/8/2k5/7P/8/1K6/8/1B6 b - - 0 1",
    // Black has a pawn that must move.
    "k7/p1K5/8/P7/3B4/8/8/8 w - - 0 1",
    // Bishops of both colours, three knights, bishop and knight.
    "8/8/6k1/8/8/3K4/4BB2/8 w - - 0 1",
    "8/8/6k1/8/8/3KNNN1/8/8 w - - 0 1",
    "8/8/6k1/8/8/3K4/4BN2/8 w - - 0 1",
];

/// A mate comes before what is known of the ending.
const MATES: [&str; 3] = [
    "k7/2K5/8/1N1N4/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/8/p7/k1K1B3 w - - 0 1",
    "kb6/8/1K6/8/8/8/4B3/5B2 w - - 0 1",
];

/// The scores shown for each depth, in centipawns; none for a mate.
fn shown(searcher: &mut Searcher, fen: &str, depth: i32) -> Vec<Option<i32>> {
    let game = Game::new(fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}")));
    let material = WdlModel::material(game.position());
    let limits = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
    let mut job = SearchJob::silent(game, limits, Arc::new(TranspositionTable::new(1).expect("1 MiB")));
    let scores = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&scores);
    job.sink = Some(Box::new(move |event| {
        if let SearchEvent::Line(line) = event {
            let centipawns = WdlModel::FITTED.centipawns(line.score, material);
            sink.lock().expect("no panic in a sink").push((!line.score.is_mate()).then_some(centipawns));
        }
    }));
    searcher.search(&job);
    let scores = scores.lock().expect("no panic in a sink");
    assert!(!scores.is_empty(), "{fen}");
    scores.clone()
}

#[test]
fn dead_draws_are_shown_as_drawn_at_any_depth() {
    // What the searcher has learned from won endings must not matter.
    let mut searcher = Searcher::new(0);
    for fen in WON.into_iter().chain(DRAWN).chain(DRAWN) {
        let scores = shown(&mut searcher, fen, 14);
        if DRAWN.contains(&fen) {
            assert!(scores.iter().all(|score| score.is_some_and(|cp| cp.abs() < 100)), "{fen}: {scores:?}");
        }
    }
}

#[test]
fn won_endings_are_not_drawn() {
    for fen in WON {
        let scores = shown(&mut Searcher::new(0), fen, 10);
        let last = scores.last().expect("a line");
        assert!(last.is_none_or(|cp| cp.abs() > 100), "{fen}: {scores:?}");
    }
    for fen in MATES {
        let scores = shown(&mut Searcher::new(0), fen, 4);
        assert_eq!(scores.last(), Some(&None), "{fen}");
    }
}
