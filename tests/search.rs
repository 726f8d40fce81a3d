//! What the search must find, and what it must keep to.
//!
//! Mates and their distances were verified outside: those up to three moves by exhaustive search, the
//! longer ones with Stockfish 15.1.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use quillon::board::{Game, Position};
use quillon::engine::Engine;
use quillon::engine::bench::POSITIONS;
use quillon::eval::evaluate;
use quillon::movegen::perft;
use quillon::notation::{format_uci, parse_uci};
use quillon::search::{
    GameClock, Report, ScoreBound, SearchEvent, SearchJob, SearchLimits, SearchResult, Searcher,
};
use quillon::tt::TranspositionTable;
use quillon::types::{Depth, MAX_PLY, Move, Piece, PieceType, Score, SplitMix64};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Nodes after which a mate that was not found counts as missed. The slowest needs less than a tenth.
const MATE_NODES: u64 = 3_000_000;

/// Forced mates for the side to move, with the number of moves.
const MATES: [(&str, i32); 31] = [
    ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1),
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1),
    ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", 1),
    ("6rk/6pp/8/4N3/8/8/8/6K1 w - - 0 1", 1),
    ("r5r1/pQ5p/1qp2R2/2k1p3/P3P3/2PP4/2P3PP/6K1 w - - 0 1", 1),
    // Only promotion to a rook mates; the queen stalemates.
    ("8/5P1k/5K2/8/8/8/8/8 w - - 0 1", 2),
    // A problem by Morphy: Black has moves, but each of them loses.
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
    ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", 2),
    ("1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 1 1", 2),
    ("6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1", 2),
    ("r2q1b1r/1pN1n1pp/p1n3k1/4Pb2/2BP4/8/PPP3PP/R1BQ1RK1 w - - 1 1", 2),
    ("r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 1", 2),
    ("5k2/6pp/p1qN4/1p1p4/3P4/2PKP2Q/PP3r2/3R4 b - - 0 1", 2),
    ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", 3),
    ("3r1r1k/1p3p1p/p2p4/4n1NN/6bQ/1BPq4/P3p1PP/1R5K w - - 0 1", 3),
    ("r3k2r/ppp2Npp/1b5n/4p2b/2B1P2q/BQP2P2/P5PP/RN5K w kq - 1 1", 3),
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3),
    ("2r3k1/p4p2/3Rp2p/1p2P1pK/8/1P4P1/P3Q2P/1q6 b - - 0 1", 3),
    ("8/3k4/5K2/8/8/8/8/2Q5 w - - 0 1", 3),
    ("8/8/8/8/8/1R3K2/8/6k1 w - - 0 1", 3),
    ("8/8/8/1Q6/8/2k2K2/8/8 w - - 0 1", 4),
    ("1k6/3K4/8/8/8/2R5/8/8 w - - 0 1", 4),
    ("4R3/1k6/8/8/R5K1/8/8/8 w - - 0 1", 4),
    ("8/4k3/8/Q7/8/8/2K3R1/8 w - - 0 1", 4),
    ("6k1/3b3r/1p1p4/p1n2p2/1PPNpP1q/P3Q1p1/1R1RB1P1/5K2 b - - 0 1", 5),
    ("7k/8/3Q4/8/8/6K1/8/8 w - - 0 1", 5),
    ("3K1k2/8/1R6/8/8/8/8/8 w - - 0 1", 5),
    ("7k/8/1B6/7K/8/5B2/8/8 w - - 0 1", 5),
    // Castling mates, promotion with capture mates.
    ("8/8/8/8/8/8/7R/2k1K2R w K - 0 1", 1),
    ("3r3k/2P3pp/8/8/8/8/8/6K1 w - - 0 1", 1),
];

/// Forced mates against the side to move.
const LOST: [(&str, i32); 7] = [
    ("k7/8/1K6/8/8/8/8/7R b - - 0 1", 1),
    ("6k1/8/6K1/8/8/8/8/3R4 b - - 0 1", 2),
    ("7k/8/8/8/8/8/RR6/6K1 b - - 0 1", 3),
    ("3k4/8/8/3KQ3/8/8/8/8 b - - 0 1", 3),
    ("4K3/8/8/5k2/R7/7Q/8/8 b - - 0 1", 3),
    ("1R6/6K1/8/8/4R3/7k/8/8 b - - 0 1", 4),
    ("k7/2K4B/8/8/7B/8/8/8 b - - 0 1", 4),
];

fn position(fen: &str) -> Position {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(position(fen));
    for text in moves.split_whitespace() {
        game.play(parse_uci(game.position(), text).expect("tests give legal moves"));
    }
    game
}

fn to_depth(depth: Depth) -> SearchLimits {
    SearchLimits { depth: Some(depth), multi_pv: 1, ..SearchLimits::default() }
}

fn to_nodes(nodes: u64) -> SearchLimits {
    SearchLimits { nodes: Some(nodes), multi_pv: 1, ..SearchLimits::default() }
}

/// A finished search.
struct Found {
    result: SearchResult,
    lines: Vec<Report>,
    no_moves: Option<bool>,
}

impl Found {
    fn best(&self) -> String {
        self.result.best.map_or("(none)".to_owned(), |mv| format_uci(mv, false))
    }

    /// The last line of a rank.
    fn line(&self, rank: usize) -> &Report {
        self.lines.iter().rfind(|line| line.multi_pv == rank).expect("there is a line of this rank")
    }
}

/// A thread with its table, as one game has it.
struct Player {
    searcher: Searcher,
    tt: Arc<TranspositionTable>,
}

impl Player {
    fn new() -> Player {
        Player { searcher: Searcher::new(0), tt: Arc::new(TranspositionTable::new(4).expect("4 MiB")) }
    }

    fn search(&mut self, game: &Game, limits: SearchLimits) -> Found {
        let events = Arc::new(Mutex::new(Vec::new()));
        let sink_events = Arc::clone(&events);
        self.tt.start_search();
        let mut job = SearchJob::silent(game.clone(), limits, Arc::clone(&self.tt));
        job.sink = Some(Box::new(move |event| sink_events.lock().expect("no panic in a sink").push(event)));
        let result = self.searcher.search(&job);
        let mut found = Found { result, lines: Vec::new(), no_moves: None };
        for event in events.lock().expect("no panic in a sink").drain(..) {
            match event {
                SearchEvent::Line(line) => found.lines.push(line),
                SearchEvent::NoMoves { in_check } => found.no_moves = Some(in_check),
                SearchEvent::CurrentMove { .. } | SearchEvent::Progress(_) => {}
                SearchEvent::TableFault(text) => panic!("no tables are in use, but {text}"),
                SearchEvent::Finished(_) | SearchEvent::BookMove => {
                    panic!("a searcher leaves this event to its engine")
                }
            }
        }
        check_reports(game.position(), &found);
        found
    }
}

/// What must hold for every search: legal lines, and the result the same as the last main line.
fn check_reports(root: &Position, found: &Found) {
    for line in &found.lines {
        let mut position = *root;
        for &mv in &line.pv {
            assert!(position.is_legal(mv), "{mv:?} in {position}, line {line:?} of {root}");
            position.make(mv);
        }
        let is_mate = position.in_check() && !position.has_legal_move();
        assert!(!is_mate || line.score.is_decisive(), "checkmate at the end of {line:?} of {root}");
        assert!(!line.pv.is_empty() && line.pv.len() <= MAX_PLY, "{line:?}");
        assert!(line.score.0.abs() <= Score::MATE.0, "{line:?}");
    }
    if let Some(best) = found.result.best {
        assert_eq!(found.line(1).pv[0], best, "{root}");
        if let Some(ponder) = found.result.ponder {
            assert!(root.after(best).is_legal(ponder), "{root}");
        }
    }
}

fn search_game(game: &Game, limits: SearchLimits) -> Found {
    Player::new().search(game, limits)
}

fn search(fen: &str, limits: SearchLimits) -> Found {
    search_game(&game(fen, ""), limits)
}

/// The line is as long as its score says and ends with mate.
fn assert_mate_line(root: &Position, line: &Report) {
    let end = line.pv.iter().fold(*root, |position, &mv| position.after(mv));
    assert!(end.in_check() && !end.has_legal_move(), "{root}: {line:?}");
    assert_eq!(line.pv.len() as i32, Score::MATE.0 - line.score.0.abs(), "{root}: {line:?}");
}

#[test]
fn mates_are_found_at_their_exact_distance() {
    let mut missed = Vec::new();
    for (fen, moves) in MATES {
        let found = search(fen, SearchLimits { mate: Some(moves as u32), ..to_nodes(MATE_NODES) });
        // A shorter mate would be an invention, at whatever depth.
        let scores: Vec<_> = found.lines.iter().filter_map(|line| line.score.mate_moves()).collect();
        assert!(scores.iter().all(|&found| found >= moves), "{fen}: {scores:?}, true is {moves}");
        if found.result.score.mate_moves() == Some(moves) {
            assert_mate_line(&position(fen), found.line(1));
        } else {
            missed.push((fen, moves, found.result));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn being_mated_is_seen_and_never_too_near() {
    for (fen, moves) in LOST {
        // Pruning hides the fastest mate at low depth, most of all where the attacker has to wait; in
        // the longest of these lines a detour of one move is let pass.
        let found = search(fen, SearchLimits { depth: Some(30), ..to_nodes(MATE_NODES) });
        let seen = found.result.score.mate_moves().unwrap_or(0);
        let detour = i32::from(moves >= 4);
        assert!((-moves - detour..=-moves).contains(&seen), "{fen}: {:?}", found.result);
        assert_mate_line(&position(fen), found.line(1));
        let scores: Vec<_> = found.lines.iter().filter_map(|line| line.score.mate_moves()).collect();
        assert!(scores.iter().all(|&found| found <= -moves), "{fen}: {scores:?}");
    }
}

#[test]
fn a_mate_is_played_out_in_time() {
    // With table and histories kept, each move has to bring the mate nearer.
    for (fen, moves) in MATES.into_iter().filter(|&(_, moves)| moves >= 3) {
        let mut game = game(fen, "");
        let mut player = Player::new();
        for left in (1..=moves).rev() {
            let limits = SearchLimits { mate: Some(left as u32), ..to_nodes(MATE_NODES) };
            let found = player.search(&game, limits);
            assert_eq!(found.result.score.mate_moves(), Some(left), "{} from {fen}", game.position());
            game.play(found.result.best.expect("a mate has a move"));
            if left > 1 {
                let reply = found.line(1).pv[1];
                game.play(reply);
            }
        }
        assert!(game.position().in_check() && !game.position().has_legal_move(), "{fen}");
    }
}

#[test]
fn the_end_of_the_game_is_reported_as_such() {
    for depth in [1, 10] {
        let mated = search("R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1", to_depth(depth));
        assert_eq!((mated.result.best, mated.no_moves), (None, Some(true)));
        assert_eq!(mated.result.score, Score::mated_in(0));
        let stalemate = search("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", to_depth(depth));
        assert_eq!((stalemate.result.best, stalemate.no_moves), (None, Some(false)));
        assert_eq!(stalemate.result.score, Score::DRAW);
        assert!(mated.lines.is_empty() && stalemate.lines.is_empty());
    }
}

/// White is a queen down; black king and white king have been moving to and fro. Once more and the
/// position occurs for the third time.
const REPEATED: &str = "7k/5ppp/8/8/8/8/q4PPP/6K1 b - - 0 1";
const TWICE: &str = "h8g8 g1f1 g8h8 f1g1 h8g8 g1f1 g8h8";

#[test]
fn a_third_occurrence_saves_the_worse_side() {
    let repeated = game(REPEATED, TWICE);
    for depth in [1, 4, 8] {
        let found = search_game(&repeated, to_depth(depth));
        assert_eq!((found.best().as_str(), found.result.score), ("f1g1", Score::DRAW), "depth {depth}");
        // Without the history the same move does not help.
        let fresh = Game::new(*repeated.position());
        let found = search_game(&fresh, to_depth(depth));
        assert!(found.result.score < Score(-200), "depth {depth}: {:?}", found.result);
    }
}

#[test]
fn a_third_occurrence_is_avoided_by_the_better_side() {
    // The same with the queen's side to move: Kg8-h8 would repeat for the third time.
    let repeated = game(REPEATED, "h8g8 g1f1 g8h8 f1g1 h8g8 g1f1 g8h8 f1e1 h8g8 e1f1");
    let repeating = parse_uci(repeated.position(), "g8h8").expect("legal");
    let mut after = repeated.clone();
    after.play(repeating);
    assert_eq!(after.occurrences(), 3);
    for depth in [1, 4, 8] {
        let only = SearchLimits { search_moves: vec![repeating], ..to_depth(depth) };
        assert_eq!(search_game(&repeated, only).result.score, Score::DRAW, "depth {depth}");
        let free = search_game(&repeated, to_depth(depth));
        assert!(free.result.best != Some(repeating) && free.result.score > Score(200), "{:?}", free.result);
    }
}

#[test]
fn a_second_occurrence_before_the_root_is_no_draw_yet() {
    // Once in the game and once in the tree: Black may still play on afterwards.
    let game = game(REPEATED, "h8g8 g1f1 g8h8");
    let found = search_game(&game, to_depth(6));
    assert!(found.result.score < Score(-200), "{:?}", found.result);
}

#[test]
fn perpetual_check_saves_a_lost_position() {
    // Qe8+ Kh7 Qh5+ Kg8 for ever; anything else is mated in three moves.
    let found = search("6k1/6p1/4b3/7Q/8/3q4/1rr3PP/n6K w - - 0 1", to_depth(10));
    assert_eq!((found.best().as_str(), found.result.score), ("h5e8", Score::DRAW));
}

#[test]
fn the_fifty_move_rule_is_seen() {
    // One ply left: only a pawn move, a capture or mate keeps the game going.
    assert_eq!(search("8/8/8/8/8/2k5/7r/K7 b - - 99 80", to_depth(6)).result.score, Score::DRAW);
    assert!(search("8/8/8/8/8/2k5/7r/K7 b - - 0 80", to_depth(6)).result.score > Score(300));
    // With the pawn moving, the win is kept.
    let pawn = search("4k3/8/8/8/8/8/R6P/4K3 w - - 99 80", to_depth(6));
    assert!(pawn.best().starts_with("h2") && pawn.result.score > Score(300), "{:?}", pawn.result);
    // Only the capture keeps the win.
    let capture = search("4k3/8/8/8/8/1n6/8/1R2K3 w - - 99 80", to_depth(6));
    assert_eq!(capture.best(), "b1b3");
    assert!(capture.result.score > Score(300), "{:?}", capture.result);
    // The worse side runs the clock out.
    let saved = search("4k3/8/8/8/8/8/R6P/4K3 b - - 99 80", to_depth(6));
    assert_eq!(saved.result.score, Score::DRAW);
}

#[test]
fn mate_on_the_hundredth_ply_counts() {
    let found = search("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 99 80", to_depth(5));
    assert_eq!(found.result.score, Score::mate_in(1), "{:?}", found.result);
    // Mate in two without a pawn move or capture: ply 100 mates, ply 101 comes too late.
    let in_time = "7k/8/8/8/8/8/R7/1R4K1 w - - 97 80";
    assert_eq!(search(in_time, to_depth(30)).result.score, Score::mate_in(3));
    let late = "7k/8/8/8/8/8/R7/1R4K1 w - - 98 80";
    assert_eq!(search(late, to_depth(30)).result.score, Score::DRAW);
    // Being mated in two, likewise.
    assert_eq!(search("6k1/8/6K1/8/8/8/8/3R4 b - - 96 80", to_depth(30)).result.score, Score::mated_in(4));
    assert_eq!(search("6k1/8/6K1/8/8/8/8/3R4 b - - 97 80", to_depth(30)).result.score, Score::DRAW);
}

#[test]
fn the_table_does_not_hide_the_fifty_move_rule() {
    // What was learnt with a fresh clock, mates and lost scores included, must not count near the limit.
    for fen in ["7k/8/8/8/8/8/R7/1R4K1 w - -", "6k1/8/6K1/8/8/8/8/3R4 b - -", "8/8/8/8/8/2k5/7r/K7 b - -"] {
        let mut player = Player::new();
        let fresh = player.search(&game(&format!("{fen} 0 80"), ""), to_depth(20));
        assert!(fresh.result.score.0.abs() > 300, "{fen}: {:?}", fresh.result);
        let late = player.search(&game(&format!("{fen} 98 80"), ""), to_depth(20));
        assert_eq!(late.result.score, Score::DRAW, "{fen}");
    }
}

/// Black's queen is attacked; every other move than one of the queen or with its own attack loses it.
const ATTACKED: &str = "7k/6pp/8/3q4/8/2N5/6PP/6K1 b - -";

#[test]
fn a_game_goes_on_after_a_fifty_move_draw_that_nobody_claimed() {
    for clock in [100, 101, 117, 148, 149, 150, 151, 1000, 65_535] {
        let root = position(&format!("{ATTACKED} {clock} 160"));
        for depth in [1, 4, 8] {
            let found = search_game(&Game::new(root), to_depth(depth));
            let best = found.result.best.expect("there are moves");
            assert_eq!(
                root.piece_on(best.from()).map(Piece::kind),
                Some(PieceType::Queen),
                "{clock} {depth}"
            );
            assert!(found.result.score > Score(300), "{clock} {depth}: {:?}", found.result);
        }
        // The better and the worse side, and mates of both.
        let score = |fen: &str, depth| {
            search_game(&game(&format!("{fen} {clock} 160"), ""), to_depth(depth)).result.score
        };
        assert!(score("4k3/8/8/8/8/8/R6P/4K3 w - -", 6) > Score(300), "{clock}");
        assert!(score("4k3/8/8/8/8/8/R6P/4K3 b - -", 6) < Score(-300), "{clock}");
        assert_eq!(score("6k1/5ppp/8/8/8/8/8/R3K3 w Q -", 5), Score::mate_in(1));
        assert_eq!(score("7k/8/8/8/8/8/R7/1R4K1 w - -", 12), Score::mate_in(3));
        assert_eq!(score("6k1/8/6K1/8/8/8/8/3R4 b - -", 12), Score::mated_in(4));
        // What an earlier search found, for which the draw was near, does not count any more.
        for earlier in [97, 98, 99] {
            let mut player = Player::new();
            player.search(&game(&format!("{ATTACKED} {earlier} 160"), ""), to_depth(12));
            let found = player.search(&Game::new(root), to_depth(1)).result;
            assert!(found.score > Score(300), "{earlier} {clock}: {found:?}");
        }
        // What is drawn otherwise is drawn.
        assert_eq!(score("k7/P7/8/1K6/8/8/8/8 w - -", 8), Score::DRAW);
        assert_eq!(score("4k3/8/8/8/8/8/8/4KB2 w - -", 4), Score::DRAW);
    }
    // The hundredth ply itself: a mate counts, anything else that is no capture or pawn move is a draw.
    assert_eq!(search(&format!("{ATTACKED} 99 160"), to_depth(8)).result.score, Score::DRAW);
}

#[test]
fn a_game_goes_on_after_a_repetition_that_nobody_claimed() {
    for occurrences in [3, 4, 5, 6] {
        // An attacked queen moves away, whatever the kings have done before.
        let shuffles = "h8g8 g1f1 g8h8 f1g1 ".repeat(occurrences - 1);
        let attacked = game(&format!("{ATTACKED} 0 40"), &shuffles);
        assert_eq!(attacked.occurrences(), occurrences);
        // The king has one move, which leads to where it was before, too.
        let cornered =
            game("1r4k1/8/8/8/8/8/8/K7 w - - 0 40", &"a1a2 g8h8 a2a1 h8g8 ".repeat(occurrences - 1));
        for depth in [1, 4, 8] {
            let found = search_game(&attacked, to_depth(depth)).result;
            let best = found.best.expect("there are moves");
            let moved = attacked.position().piece_on(best.from()).map(Piece::kind);
            assert_eq!(moved, Some(PieceType::Queen), "{occurrences} {depth}");
            assert!(found.score > Score(300), "{occurrences} {depth}: {found:?}");
            let found = search_game(&cornered, to_depth(depth)).result;
            assert!(found.score < Score(-300), "{occurrences} {depth}: {found:?}");
        }
    }
}

#[test]
fn stalemate_is_avoided_and_sought() {
    // Queen to f7 stalemates, to f8 mates.
    let fen = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1";
    let stalemating = vec![parse_uci(&position(fen), "f1f7").expect("legal")];
    let only = SearchLimits { search_moves: stalemating, ..to_depth(6) };
    assert_eq!(search(fen, only).result.score, Score::DRAW);
    assert_eq!(search(fen, to_depth(6)).result.score, Score::mate_in(1));
    // A pawn that can only be kept by stalemating.
    assert_eq!(search("k7/P7/8/1K6/8/8/8/8 w - - 0 1", to_depth(8)).result.score, Score::DRAW);
    // The cornered king has no move: the rook offers itself until it is taken.
    let found = search("8/8/8/8/7R/1qk5/8/K7 w - - 0 1", to_depth(10));
    assert_eq!((found.best().as_str(), found.result.score), ("h4h3", Score::DRAW));
}

#[test]
fn zugzwang_is_not_hidden_by_null_moves() {
    // Trebuchet: whoever must move gives up the own pawn, and with it the game.
    for fen in ["8/8/8/3Kp3/4Pk2/8/8/8 w - - 0 1", "8/8/8/3Kp3/4Pk2/8/8/8 b - - 0 1"] {
        let found = search(fen, to_depth(20));
        assert!(found.line(1).score < Score(-250), "{fen}: {:?}", found.line(1).score);
    }
    // The opposition: Black must step aside.
    let lost = search("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", to_depth(20));
    assert!(lost.line(1).score < Score(-400), "{:?}", lost.line(1).score);
    // The rook exchange leaves Black with pawn moves only, the last of which opens the mating square.
    let quiet = search("8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", to_depth(20));
    assert_eq!(quiet.best(), "e1f1");
}

#[test]
fn dead_positions_are_worth_nothing() {
    for fen in [
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KB2 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KN2 b - - 0 1",
        "4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1",
        // The last pawn falls at once.
        "8/8/8/8/8/3k4/3P4/6KB b - - 0 1",
    ] {
        let found = search(fen, to_depth(7));
        assert_eq!(found.result.score, Score::DRAW, "{fen}");
        assert!(found.result.best.is_some());
    }
    // Bishop against knight can mate by help only; still it is not dead, and not won either.
    assert!(search("4k1n1/8/8/8/8/8/8/4KB2 w - - 0 1", to_depth(7)).result.score < Score(250));
}

/// What must be equal in two runs of the same search: all but times.
fn fingerprint(found: &Found) -> String {
    let result = &found.result;
    let mut text = format!("{:?} {:?} {:?}", result.best, result.ponder, result.score);
    text.push_str(&format!(" {} {}", result.depth, result.nodes));
    for line in &found.lines {
        // The time is the one thing that may differ.
        text.push_str(&format!("\n{:?}", Report { time: Duration::ZERO, ..line.clone() }));
    }
    text
}

#[test]
fn the_same_search_gives_the_same_result() {
    for fen in [POSITIONS[1], POSITIONS[20], POSITIONS[35], KIWIPETE] {
        let game = game(fen, "");
        let first = search_game(&game, to_depth(9));
        let second = search_game(&game, to_depth(9));
        assert_eq!(fingerprint(&first), fingerprint(&second), "{fen}");
    }
}

#[test]
fn a_new_game_forgets_everything() {
    let (a, b) = (game(KIWIPETE, ""), game(POSITIONS[5], ""));
    let alone = fingerprint(&search_game(&a, to_depth(8)));
    // Whatever came before, and in whichever order table and histories were cleared.
    let mut player = Player::new();
    for round in 0..4 {
        player.search(&b, to_depth(5 + round));
        player.search(&a, to_depth(4));
        if round % 2 == 0 {
            player.tt.clear(1);
            player.searcher.new_game();
        } else {
            player.searcher.new_game();
            player.tt.clear(3);
        }
        assert_eq!(fingerprint(&player.search(&a, to_depth(8))), alone, "round {round}");
        player.tt.clear(2);
        player.searcher.new_game();
    }
}

/// Searches with an engine and waits for the result.
fn engine_search(engine: &mut Engine, game: &Game, limits: SearchLimits) -> (SearchResult, Vec<Report>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink_events = Arc::clone(&events);
    engine.set_game(game.clone());
    engine.go(limits, move |event| {
        sink_events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    });
    engine.wait();
    let mut lines = Vec::new();
    let mut results = Vec::new();
    for event in events.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        match event {
            SearchEvent::Line(line) => lines.push(line),
            SearchEvent::Finished(result) => results.push(result),
            _ => {}
        }
    }
    assert_eq!(results.len(), 1, "one result per search");
    (results.remove(0), lines)
}

#[test]
fn two_engines_in_one_process_do_not_notice_each_other() {
    let games: Vec<Game> = [KIWIPETE, POSITIONS[3], POSITIONS[27]].map(|fen| game(fen, "")).into();
    let play = |games: &[Game]| {
        let mut engine = Engine::new().expect("an engine starts");
        let mut seen = Vec::new();
        for game in games {
            let (result, _) = engine_search(&mut engine, game, to_depth(8));
            seen.push((result.best, result.score, result.nodes));
        }
        seen
    };
    let alone = play(&games);
    let reversed: Vec<Game> = games.iter().rev().cloned().collect();
    thread::scope(|scope| {
        let first = scope.spawn(|| play(&games));
        let other = scope.spawn(|| play(&reversed));
        assert_eq!(first.join().expect("no panic"), alone);
        assert_eq!(other.join().expect("no panic").len(), games.len());
    });
}

#[test]
fn an_engine_repeats_itself_after_new_game() {
    let game = game(POSITIONS[8], "");
    let mut engine = Engine::new().expect("an engine starts");
    let fingerprint = |engine: &mut Engine| {
        let (result, lines) = engine_search(engine, &game, to_depth(9));
        (result.best, result.score, result.nodes, lines.len())
    };
    let first = fingerprint(&mut engine);
    engine.new_game();
    assert_eq!(fingerprint(&mut engine), first);
    // The same is what `Clear Hash` promises.
    engine.clear();
    assert_eq!(fingerprint(&mut engine), first);
    // A fresh table is not enough, since histories stay; changing the threads drops those too.
    engine.set_threads(2).expect("threads");
    engine_search(&mut engine, &game, to_depth(6));
    engine.set_threads(1).expect("a thread");
    engine.set_hash(4).expect("a table");
    engine.set_hash(16).expect("a table");
    assert_eq!(fingerprint(&mut engine), first);
}

#[test]
fn colours_do_not_matter() {
    for (fen, moves) in MATES.into_iter().filter(|&(_, moves)| moves <= 3) {
        let flipped = Game::new(position(fen).color_flipped());
        let found = search_game(&flipped, SearchLimits { mate: Some(moves as u32), ..to_nodes(MATE_NODES) });
        assert_eq!(found.result.score.mate_moves(), Some(moves), "flipped {fen}");
    }
    // Scores of searches may differ, since equal moves come in the order of their squares and what is pruned
    // depends on the moves before. What searches are made of does not: evaluation, exchanges, checks. Castling
    // of Chess960 is included.
    let network = quillon::nnue::built_in();
    for fen in POSITIONS {
        let position = position(fen);
        let flipped = position.color_flipped();
        let mirrored = flipped.legal_moves();
        assert_eq!(position.legal_moves().len(), mirrored.len(), "{fen}");
        for mv in position.legal_moves() {
            let child = position.after(mv);
            let twin = child.color_flipped();
            let same = mirrored.iter().find(|&&other| flipped.after(other).key() == twin.key());
            let other = *same.unwrap_or_else(|| panic!("{mv:?} in {fen} has no twin"));
            assert_eq!(evaluate(&network, &child), evaluate(&network, &twin), "{mv:?} in {fen}");
            assert_eq!(child.in_check(), twin.in_check());
            for threshold in [-900, -500, -300, -100, 0, 1, 100, 300, 500, 900] {
                assert_eq!(position.see(mv, threshold), flipped.see(other, threshold), "{mv:?} in {fen}");
            }
        }
    }
}

#[test]
fn node_limits_hold() {
    for fen in [KIWIPETE, POSITIONS[0], "8/8/8/8/8/2k5/7r/K7 b - - 0 1"] {
        // All moves are compared with each other, whatever the limit.
        let least = search(fen, to_depth(1)).result.nodes;
        for nodes in [1, 2, 3, 50, 511, 512, 513, 1000, 4096, 10_000, 77_777] {
            let found = search(fen, to_nodes(nodes));
            assert!(found.result.nodes <= nodes.max(least), "{} of {nodes} in {fen}", found.result.nodes);
            assert!(found.result.depth >= 1, "{nodes} in {fen}: {:?}", found.result);
            // Nor is much left over, unless the tree was exhausted.
            let is_used = found.result.nodes * 1000 >= nodes * 999;
            assert!(is_used || found.result.depth >= MAX_PLY as Depth - 1, "{:?}", found.result);
        }
    }
}

#[test]
fn a_soft_node_limit_ends_the_search_between_iterations() {
    for (fen, soft) in [(KIWIPETE, 1), (KIWIPETE, 3000), ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 2000)]
    {
        let limits = SearchLimits { soft_nodes: Some(soft), multi_pv: 1, ..SearchLimits::default() };
        let found = search(fen, limits).result;
        assert!(found.nodes >= soft, "{fen}: {found:?}");
        // The same search with a depth limit, and one iteration less does not reach the limit.
        let by_depth = search(fen, to_depth(found.depth)).result;
        assert_eq!((by_depth.best, by_depth.score, by_depth.nodes), (found.best, found.score, found.nodes));
        if found.depth > 1 {
            assert!(search(fen, to_depth(found.depth - 1)).result.nodes < soft, "{fen}");
        }
    }
}

#[test]
fn several_threads_share_the_nodes_out() {
    let mut engine = Engine::new().expect("an engine starts");
    let first = search(KIWIPETE, to_depth(1)).result.nodes;
    for threads in [3, 16] {
        engine.set_threads(threads).expect("threads");
        for nodes in [1, 10, 100, 1000, 20_000, 300_000] {
            let (result, _) = engine_search(&mut engine, &game(KIWIPETE, ""), to_nodes(nodes));
            // A thread may enter a node or two more on its way out.
            let most = nodes.max(first) + 2 * threads as u64;
            // When the first has none left, each of the others may have up to 512.
            let least = nodes.saturating_sub(512 * threads as u64).max(nodes / 20);
            assert!((least..=most).contains(&result.nodes), "{threads}: {} of {nodes}", result.nodes);
        }
    }
}

#[test]
fn stop_takes_effect_soon() {
    let mut engine = Engine::new().expect("an engine starts");
    for threads in [1, 2] {
        engine.set_threads(threads).expect("threads");
        let delays: Vec<Duration> = (0..10)
            .map(|_| {
                engine.set_game(game(KIWIPETE, ""));
                let is_over = Arc::new(AtomicBool::new(false));
                let over = Arc::clone(&is_over);
                engine.go(SearchLimits { infinite: true, ..SearchLimits::default() }, move |event| {
                    over.fetch_or(matches!(event, SearchEvent::Finished(_)), Ordering::Relaxed);
                });
                thread::sleep(Duration::from_millis(40));
                assert!(!is_over.load(Ordering::Relaxed));
                let stopped = Instant::now();
                engine.stop();
                engine.wait();
                assert!(is_over.load(Ordering::Relaxed));
                stopped.elapsed()
            })
            .collect();
        // The shortest, since others use this machine too; the next test counts what does not depend on them.
        assert!(delays.iter().min() < Some(&Duration::from_millis(20)), "{threads} threads: {delays:?}");
    }
}

#[test]
fn a_stopped_search_looks_at_few_more_nodes() {
    // At 100,000 nodes a second this is 6 ms.
    const MOST: u64 = 600;
    for depth in [3, 6, 9, 12] {
        let mut player = Player::new();
        let mut job = SearchJob::silent(game(KIWIPETE, ""), SearchLimits::default(), Arc::clone(&player.tt));
        let control = Arc::clone(&job.control);
        let nodes_at_stop = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&nodes_at_stop);
        job.sink = Some(Box::new(move |event| {
            if let SearchEvent::Line(line) = event
                && line.depth == depth
                && line.bound == ScoreBound::Exact
                && !control.is_stopped()
            {
                *seen.lock().expect("no panic in a sink") = Some(line.nodes);
                control.stop();
            }
        }));
        let result = player.searcher.search(&job);
        let nodes_at_stop = nodes_at_stop.lock().expect("no panic in a sink").expect("the depth is reached");
        assert!(
            result.nodes <= nodes_at_stop + MOST,
            "depth {depth}: {} after {nodes_at_stop}",
            result.nodes
        );
    }
}

#[test]
fn a_new_search_ends_the_one_before() {
    let mut engine = Engine::new().expect("an engine starts");
    let finished = Arc::new(Mutex::new(0));
    for _ in 0..4 {
        let finished = Arc::clone(&finished);
        engine.go(SearchLimits { infinite: true, ..SearchLimits::default() }, move |event| {
            if matches!(event, SearchEvent::Finished(_)) {
                *finished.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            }
        });
    }
    engine.stop();
    engine.wait();
    assert_eq!(*finished.lock().expect("no panic"), 4);
}

#[test]
fn move_time_and_clock_are_kept() {
    let ms = Duration::from_millis;
    let clock = |remaining, increment, moves_to_go| SearchLimits {
        clock: Some(GameClock { remaining: ms(remaining), increment: ms(increment), moves_to_go }),
        ..SearchLimits::default()
    };
    for (limits, at_most) in [
        (SearchLimits { move_time: Some(ms(80)), ..SearchLimits::default() }, 80),
        (clock(300, 0, None), 300),
        (clock(200, 0, Some(1)), 200),
        (clock(200, 1000, None), 200),
        (clock(0, 0, None), 1),
    ] {
        // Margin and retries are for a loaded machine; a wrong budget helps itself to neither.
        let is_kept = || {
            let started = Instant::now();
            search(KIWIPETE, limits.clone());
            started.elapsed() < ms(at_most + 150)
        };
        assert!((0..5).any(|_| is_kept()), "{limits:?}");
    }
}

#[test]
fn a_forced_move_is_played_at_once() {
    let clock = GameClock {
        remaining: Duration::from_secs(600),
        increment: Duration::from_secs(5),
        moves_to_go: None,
    };
    let started = Instant::now();
    let forced =
        search("7k/8/8/8/8/8/6r1/7K w - - 0 1", SearchLimits { clock: Some(clock), ..Default::default() });
    assert_eq!(perft(&position("7k/8/8/8/8/8/6r1/7K w - - 0 1"), 1), 1);
    assert_eq!(forced.best(), "h1g2");
    assert!(started.elapsed() < Duration::from_secs(1));
    // With a depth it is searched like any other.
    assert_eq!(search("K7/8/8/8/8/8/1r6/7k w - - 0 1", to_depth(6)).result.depth, 6);
}

#[test]
fn only_the_given_moves_are_searched() {
    let root = position(KIWIPETE);
    let chosen: Vec<Move> =
        ["a2a3", "e1c1", "g2g4"].map(|text| parse_uci(&root, text).expect("legal")).into();
    let found = search(KIWIPETE, SearchLimits { search_moves: chosen.clone(), multi_pv: 5, ..to_depth(7) });
    assert!(found.lines.iter().all(|line| chosen.contains(&line.pv[0])));
    assert_eq!(found.lines.iter().map(|line| line.multi_pv).max(), Some(3));
    // Even where everything else mates.
    let fen = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
    let quiet = parse_uci(&position(fen), "e1e2").expect("legal");
    let found = search(fen, SearchLimits { search_moves: vec![quiet], ..to_depth(5) });
    assert_eq!(found.result.best, Some(quiet));
}

#[test]
fn several_lines_are_distinct_and_ordered() {
    for (fen, lines) in [(KIWIPETE, 5), (POSITIONS[18], 3), (POSITIONS[30], 4), (MATES[13].0, 3)] {
        let found = search(fen, SearchLimits { multi_pv: lines, ..to_depth(8) });
        for depth in 1..=8 {
            let iteration: Vec<&Report> = found.lines.iter().filter(|line| line.depth == depth).collect();
            assert_eq!(iteration.len(), lines, "{fen} depth {depth}");
            assert!(iteration.iter().enumerate().all(|(rank, line)| line.multi_pv == rank + 1));
            assert!(iteration.iter().all(|line| line.bound == ScoreBound::Exact));
            assert!(iteration.is_sorted_by(|a, b| a.score >= b.score), "{fen}: {iteration:#?}");
            let mut firsts: Vec<Move> = iteration.iter().map(|line| line.pv[0]).collect();
            firsts.sort_by_key(|mv| mv.bits());
            firsts.dedup();
            assert_eq!(firsts.len(), lines, "{fen} depth {depth}");
        }
        // The best of several lines is at least as good as the only one, of which nothing is pruned by rank at low depth:
        // the search of another line may find a mate that the first one missed.
        let single = search(fen, to_depth(1));
        let several = search(fen, SearchLimits { multi_pv: lines, ..to_depth(1) });
        assert!(several.result.score >= single.result.score, "{fen}");
    }
    // No more lines than moves.
    let few = search("7k/8/8/8/8/8/8/K6R b - - 0 1", SearchLimits { multi_pv: 50, ..to_depth(5) });
    assert_eq!(few.lines.iter().map(|line| line.multi_pv).max(), Some(2));
}

#[test]
fn very_deep_searches_end() {
    // Locked pawns and bare kings: iterations are cheap, so the deepest is reached.
    for fen in ["4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", "8/8/8/8/4k3/8/4p3/4K3 w - - 0 1"] {
        let found = search(fen, SearchLimits { depth: Some(1000), ..to_nodes(400_000) });
        assert!(found.result.best.is_some(), "{fen}");
        assert!(found.result.depth < MAX_PLY as Depth, "{fen}: {:?}", found.result);
        assert!(found.lines.iter().all(|line| line.seldepth < MAX_PLY), "{fen}");
    }
}

#[test]
fn random_games_are_searched_soundly() {
    // One table and one set of histories for all, so that what they hold is mostly foreign. What has to
    // hold for each search is asserted by the player.
    let mut rng = SplitMix64::from_state(12);
    let mut player = Player::new();
    let (mut searches, mut ends, mut repeated, mut old) = (0, 0, 0, 0);
    for start in POSITIONS.iter().cycle().take(3 * POSITIONS.len()) {
        // Any count of the fifty-move rule may be reached, and pieces like to go back where they were.
        let mut fields: Vec<String> = start.split(' ').map(str::to_owned).collect();
        fields[4] = rng.below(100).to_string();
        let mut game = game(&fields.join(" "), "");
        let mut last_moves = [None; 2];
        for ply in 0..60 {
            let legal = game.position().legal_moves();
            if rng.below(15) == 0 || legal.is_empty() {
                let limits =
                    SearchLimits { multi_pv: 1 + rng.below(3), ..to_nodes(1 + rng.below(2500) as u64) };
                let found = player.search(&game, limits);
                assert_eq!(found.result.best.is_none(), legal.is_empty(), "{}", game.position());
                searches += 1;
                repeated += usize::from(game.occurrences() > 1);
                old += usize::from(game.position().halfmove_clock() > 80);
            }
            if legal.is_empty() {
                ends += 1;
                break;
            }
            let quiet: Vec<Move> = legal.iter().copied().filter(|mv| mv.is_quiet()).collect();
            let moves = if quiet.is_empty() || rng.below(4) == 0 { &legal[..] } else { &quiet[..] };
            let last: Option<Move> = last_moves[ply % 2];
            let back = quiet
                .iter()
                .find(|mv| last.is_some_and(|last| (mv.from(), mv.to()) == (last.to(), last.from())));
            let mv = back.filter(|_| rng.below(4) > 0).copied().unwrap_or(moves[rng.below(moves.len())]);
            last_moves[ply % 2] = Some(mv);
            game.play(mv);
        }
    }
    assert!(searches > 300 && ends > 0 && repeated > 20 && old > 20, "{searches} {ends} {repeated} {old}");
}
