//! Levels of play in whole searches: what they may spend, what they play and what they depend on.

mod tables;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use quillon::board::{Game, Outcome, START_FEN};
use quillon::engine::{Engine, Level};
use quillon::notation::parse_uci;
use quillon::search::{GameClock, Report, SearchEvent, SearchLimits, SearchResult};
use quillon::types::{Color, Move, PieceType, Score, Square};

const FENS: [&str; 10] = [
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r1bq1rk1/pp3ppp/2n1pn2/3p4/1bPP4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
    // Very many moves, a single move, and a mate in one.
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "6rk/8/8/8/8/8/7r/7K w - - 0 1",
    "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "4k3/P6p/8/3b4/8/8/1q4RP/6K1 b - - 0 1",
    // Few pieces, and fewer after a capture.
    "8/8/8/4k3/8/8/8/KR6 w - - 30 60",
    "8/8/8/8/4k3/8/5Kn1/3R4 w - - 3 60",
];

const LEVELS: [u32; 8] = [600, 850, 1100, 1400, 1700, 2000, 2300, 2800];

/// A game clock with time for every level.
fn in_a_game() -> SearchLimits {
    let remaining = Duration::from_secs(3600);
    let clock = GameClock { remaining, increment: Duration::ZERO, moves_to_go: None };
    SearchLimits { clock: Some(clock), multi_pv: 1, ..SearchLimits::default() }
}

/// The same with one of so many parts of the level's nodes, where those are many: the whole is for the long forms of
/// the tests, which `cargo test --release --test levels -- --ignored` runs.
fn with_part(elo: u32, parts: u64) -> SearchLimits {
    let nodes = Level::new(elo).nodes();
    SearchLimits { nodes: Some((nodes / parts).max(nodes.min(4000))), ..in_a_game() }
}

/// The result of a search, at a level or at full strength, with the lines that were told.
fn search(
    engine: &mut Engine,
    elo: impl Into<Option<u32>>,
    game: &Game,
    limits: SearchLimits,
) -> (SearchResult, Vec<Report>) {
    engine.level = elo.into().map(Level::new);
    engine.set_game(game.clone());
    let told = Arc::new(Mutex::new((None, Vec::new())));
    let sink = Arc::clone(&told);
    engine.go(limits, move |event| {
        let mut told = sink.lock().expect("no panic in a sink");
        match event {
            SearchEvent::Line(line) => told.1.push(line),
            SearchEvent::Finished(result) => told.0 = Some(result),
            SearchEvent::CurrentMove { .. }
            | SearchEvent::Progress(_)
            | SearchEvent::NoMoves { .. }
            | SearchEvent::BookMove
            | SearchEvent::TableFault(_) => {}
        }
    });
    engine.wait();
    let (result, lines) = std::mem::take(&mut *told.lock().expect("no panic in a sink"));
    (result.expect("a search ends with its result"), lines)
}

fn game(fen: &str) -> Game {
    fen.parse().expect("tests give valid FENs")
}

#[test]
fn levels_keep_to_their_nodes_and_plies_and_tell_the_move_they_play() {
    check_nodes_plies_and_lines(10);
}

#[test]
#[ignore = "takes long: all of the levels' nodes"]
fn nodes_plies_and_lines_in_full() {
    check_nodes_plies_and_lines(1);
}

fn check_nodes_plies_and_lines(parts: u64) {
    let mut engine = Engine::new().expect("an engine");
    for elo in LEVELS {
        let level = Level::new(elo);
        for (number, fen) in FENS.into_iter().enumerate() {
            engine.seed = number as u64;
            let game = game(fen);
            let level = level.suited_to(game.position());
            let (result, lines) = search(&mut engine, elo, &game, with_part(elo, parts));
            let best = result.best.expect("a move");
            assert!(game.position().is_legal(best), "{elo} {fen}");
            assert!(result.nodes <= level.nodes() && result.depth <= level.depth(), "{elo} {fen} {result:?}");
            let last = lines.last().expect("a line of analysis");
            assert_eq!((last.multi_pv, last.pv[0], last.score), (1, best, result.score), "{elo} {fen}");
            assert!(
                lines.iter().all(|line| line.multi_pv == 1 && line.nodes <= level.nodes()),
                "{elo} {fen}"
            );
        }
    }
}

#[test]
fn other_limits_hold_too() {
    let mut engine = Engine::new().expect("an engine");
    let to_depth = SearchLimits { depth: Some(1), multi_pv: 1, ..SearchLimits::default() };
    let least = search(&mut engine, None, &game(FENS[1]), to_depth).0.nodes;
    for nodes in [1, 2, 10, 100, 1000] {
        let limits = SearchLimits { nodes: Some(nodes), ..in_a_game() };
        let (result, lines) = search(&mut engine, 1500, &game(FENS[1]), limits);
        // A look at all moves is always taken.
        assert!(
            result.nodes <= nodes.max(least) && result.best == lines.last().map(|line| line.pv[0]),
            "{result:?}"
        );
    }
    let limits = SearchLimits { depth: Some(2), ..in_a_game() };
    assert_eq!(search(&mut engine, 2800, &game(FENS[1]), limits).0.depth, 2);
    let wanted: Vec<Move> =
        ["a2a3", "h2h3"].map(|text| parse_uci(game(START_FEN).position(), text).expect("legal")).to_vec();
    let limits = SearchLimits { search_moves: wanted.clone(), ..in_a_game() };
    assert!(wanted.contains(&search(&mut engine, 600, &game(START_FEN), limits).0.best.expect("a move")));
    // One line is shown whatever was asked for; the last is that of the move played.
    for (elo, seed) in [(600, 1), (600, 2), (600, 3), (1000, 4), (2000, 5)] {
        engine.seed = seed;
        let limits = SearchLimits { multi_pv: 12, ..in_a_game() };
        let (result, lines) = search(&mut engine, elo, &game(FENS[3]), limits);
        assert!(lines.iter().all(|line| line.multi_pv == 1), "{elo} {seed}");
        assert!(lines.is_sorted_by_key(|line| line.depth), "{elo} {seed}");
        assert_eq!(lines.last().map(|line| line.pv[0]), result.best, "{elo} {seed}");
    }
}

#[test]
fn levels_go_on_after_a_draw_that_nobody_claimed() {
    let mut engine = Engine::new().expect("an engine");
    // Only moves of the queen keep it.
    let fen = |clock: u16| format!("7k/6pp/8/3q4/8/2N5/6PP/6K1 b - - {clock} 160");
    for seed in 0..3 {
        engine.seed = seed;
        for elo in [1700, 2300] {
            let fresh = search(&mut engine, elo, &game(&fen(20)), in_a_game()).0;
            for clock in [100, 117, 150] {
                let late = search(&mut engine, elo, &game(&fen(clock)), in_a_game()).0;
                assert_eq!(
                    late.score > Score(200),
                    fresh.score > Score(200),
                    "{elo} {seed} {clock}: {late:?}"
                );
                let queen_moves = |result: &SearchResult| result.best.map(Move::from) == Some(Square::D5);
                assert_eq!(queen_moves(&late), queen_moves(&fresh), "{elo} {seed} {clock}: {late:?}");
            }
        }
    }
}

#[test]
fn a_level_plays_the_same_whatever_the_settings_and_earlier_searches() {
    check_independence(20);
}

#[test]
#[ignore = "takes long: all of the levels' nodes"]
fn independence_in_full() {
    check_independence(1);
}

fn check_independence(parts: u64) {
    let mut plain = Engine::new().expect("an engine");
    let mut other = Engine::new().expect("an engine");
    other.set_hash(1).expect("1 MiB");
    other.set_threads(3).expect("3 threads");
    other.set_tablebases(Some(tables::open(&tables::three_pieces())));
    for elo in LEVELS {
        for (number, fen) in FENS.into_iter().enumerate() {
            let game = game(fen);
            // Deep knowledge of the position must not help.
            let full = SearchLimits { depth: Some(8), ..SearchLimits::default() };
            search(&mut other, None, &game, full);
            (plain.seed, other.seed) = (number as u64, number as u64);
            let outcome = |engine: &mut Engine| {
                let (result, _) = search(engine, elo, &game, with_part(elo, parts));
                (result.best, result.ponder, result.score, result.nodes)
            };
            let expected = outcome(&mut plain);
            assert_eq!(outcome(&mut other), expected, "{elo} {fen}");
            assert_eq!(outcome(&mut plain), expected, "{elo} {fen}");
        }
    }
}

#[test]
fn games_differ_by_their_seeds() {
    let mut engine = Engine::new().expect("an engine");
    let mut seeds = Vec::new();
    let mut moves = Vec::new();
    for _ in 0..20 {
        engine.new_game();
        seeds.push(engine.seed);
        moves.push(search(&mut engine, 1000, &game(START_FEN), in_a_game()).0.best.map(Move::bits));
    }
    seeds.sort_unstable();
    seeds.dedup();
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(seeds.len(), 20);
    assert!(moves.len() >= 4, "{moves:?}");
}

#[test]
fn games_of_the_highest_levels_differ_too() {
    check_variety(20);
}

#[test]
#[ignore = "takes long: all of the levels' nodes"]
fn variety_in_full() {
    check_variety(1);
}

fn check_variety(parts: u64) {
    let mut engine = Engine::new().expect("an engine");
    for (elo, plies) in [(2400, 6), (2600, 6), (2800, 4)] {
        let mut openings = Vec::new();
        for seed in 0..6 {
            engine.seed = seed;
            let mut game = Game::default();
            for _ in 0..plies {
                let best = search(&mut engine, elo, &game, with_part(elo, parts)).0.best;
                game.play(best.expect("the game is not over"));
            }
            openings.push(game.position().key());
        }
        openings.sort_unstable();
        openings.dedup();
        assert!(openings.len() >= 3, "{elo}: {} openings", openings.len());
    }
}

#[test]
fn a_lone_king_is_mated_by_weak_players_too() {
    let mut engine = Engine::new().expect("an engine");
    let mut defender = Engine::new().expect("an engine");
    let defence = SearchLimits { nodes: Some(500), ..SearchLimits::default() };
    let endings = [
        "8/8/8/4k3/8/8/8/K2Q4 w - - 0 1",
        "8/8/8/4k3/8/8/8/K1RR4 w - - 0 60",
        "k2r4/8/8/4K3/8/8/8/8 b - - 0 1",
    ];
    for elo in [600, 1000, 1400, 1800, 2200] {
        let mut mates = 0;
        for (seed, fen) in (0..4).flat_map(|seed| endings.map(|fen| (seed, fen))) {
            let mut game = game(fen);
            let winner = game.position().stm();
            engine.seed = seed;
            defender.new_game();
            while game.outcome().is_none() {
                let best = if game.position().stm() == winner {
                    search(&mut engine, elo, &game, in_a_game()).0.best
                } else {
                    search(&mut defender, None, &game, defence.clone()).0.best
                };
                game.play(best.expect("the game is not over"));
            }
            mates += u32::from(game.outcome() == Some(Outcome::Checkmate(winner)));
        }
        // Weak players fail with the rook now and then.
        assert!(mates >= 9, "{elo} mated in {mates} of 12 games");
    }
}

#[test]
fn pawns_become_queens_unless_less_is_better() {
    check_promotions(10);
}

#[test]
#[ignore = "takes long: all of the levels' nodes"]
fn promotions_in_full() {
    check_promotions(1);
}

fn check_promotions(parts: u64) {
    let mut engine = Engine::new().expect("an engine");
    let mut queens = 0;
    for fen in [
        "8/P6k/8/8/8/8/6PP/6K1 w - - 0 1",
        "2K5/8/1p6/5p1k/1r6/4p3/7p/5r2 b - - 5 68",
        "1n6/P1k5/8/8/8/8/8/6K1 w - - 0 1",
        "5q1k/4P1pp/8/8/8/8/5PPP/6K1 w - - 0 1",
    ] {
        for elo in LEVELS {
            for seed in 0..6 {
                engine.seed = seed;
                let best =
                    search(&mut engine, elo, &game(fen), with_part(elo, parts)).0.best.expect("a move");
                assert!(
                    best.promotion().is_none_or(|piece| piece == PieceType::Queen),
                    "{elo} {fen} {best:?}"
                );
                queens += u32::from(best.promotion().is_some());
            }
        }
    }
    assert!(queens > 50, "{queens}");
    // Who asks for a rook gets one.
    let position = game("8/P6k/8/8/8/8/6PP/6K1 w - - 0 1");
    let rook = parse_uci(position.position(), "a7a8r").expect("legal");
    let limits = SearchLimits { search_moves: vec![rook], ..in_a_game() };
    assert_eq!(search(&mut engine, 1500, &position, limits).0.best, Some(rook));
    // The queen would give stalemate, the rook mates soon.
    for elo in LEVELS {
        let best = search(&mut engine, elo, &game("8/k1P5/8/K7/8/8/8/8 w - - 0 1"), in_a_game()).0.best;
        assert_eq!(best.and_then(Move::promotion), Some(PieceType::Rook), "{elo}");
    }
}

/// Plays a game, which the seed determines, and returns the score of White in half points.
fn play(engine: &mut Engine, white: u32, black: u32, seed: u64) -> u32 {
    let mut game = Game::default();
    for _ in 0..400 {
        match game.outcome() {
            Some(Outcome::Checkmate(winner)) => return if winner == Color::White { 2 } else { 0 },
            Some(Outcome::Draw(_)) => return 1,
            None => {}
        }
        let elo = if game.position().stm() == Color::White { white } else { black };
        engine.seed = seed;
        let (result, _) = search(engine, elo, &game, in_a_game());
        game.play(result.best.expect("the game is not over"));
    }
    1
}

#[test]
fn the_higher_level_wins() {
    let mut engine = Engine::new().expect("an engine");
    for (low, high) in [(600, 1400), (1200, 1800)] {
        let points: u32 = (0..6)
            .map(|seed| play(&mut engine, high, low, seed) + 2 - play(&mut engine, low, high, seed))
            .sum();
        assert!(points >= 18, "{high} made {points} of 24 half points against {low}");
    }
}
