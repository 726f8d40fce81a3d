//! Endgame tables against the rules, against the engine's own mates, and against damaged files. What is checked of
//! the tables of three pieces, which stand in `tests/data/syzygy`, is checked of four pieces too where there are such.

mod tables;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quillon::board::{Game, Outcome, Position};
use quillon::engine::Engine;
use quillon::search::{Report, ScoreBound, SearchEvent, SearchJob, SearchLimits, SearchResult, Searcher};
use quillon::tablebase::{ProbeRules, TableAccess, TableKind, Tablebases, Wdl};
use quillon::tt::TranspositionTable;
use quillon::types::{Color, Move, Score, SplitMix64};
use tables::open;

/// Tables, their folder and the endings in them.
struct Set {
    tables: Arc<Tablebases>,
    folder: PathBuf,
    endings: &'static [&'static str],
    pieces: usize,
}

impl Set {
    fn three_pieces() -> Set {
        let folder = tables::three_pieces();
        Set { tables: open(&folder), folder, endings: &ENDINGS[..5], pieces: 3 }
    }

    fn four_pieces() -> Set {
        let folder = tables::four_pieces();
        Set { tables: open(&folder), folder, endings: &ENDINGS, pieces: 4 }
    }

    /// Whether the tables know a position of the kings with these other pieces.
    fn has(&self, pieces: &str) -> bool {
        pieces.len() + 2 <= self.pieces
    }

    fn has_position(&self, fen: &str) -> bool {
        position(fen).occupied().count() as usize <= self.pieces
    }
}

fn position(fen: &str) -> Position {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// A legal position with the kings and these other pieces, capitals being White's.
fn random_position(rng: &mut SplitMix64, pieces: &str) -> Position {
    loop {
        let mut board = [['1'; 8]; 8];
        for letter in "Kk".chars().chain(pieces.chars()) {
            let (mut rank, mut file) = (rng.below(8), rng.below(8));
            while board[rank][file] != '1' || letter.eq_ignore_ascii_case(&'p') && rank % 7 == 0 {
                (rank, file) = (rng.below(8), rng.below(8));
            }
            board[rank][file] = letter;
        }
        let ranks: Vec<String> = board.iter().map(|rank| rank.iter().collect()).collect();
        let side = ["w", "b"][rng.below(2)];
        if let Ok(position) = format!("{} {side} - - 0 1", ranks.join("/")).parse() {
            return position;
        }
    }
}

/// Pieces beside the kings; the endings of three pieces come first.
const ENDINGS: [&str; 35] = [
    "Q", "R", "B", "N", "P", "QQ", "QR", "QB", "QN", "QP", "RR", "RB", "RN", "RP", "BB", "BN", "BP", "NN",
    "NP", "PP", "Qq", "Qr", "Qb", "Qn", "Qp", "Rr", "Rb", "Rn", "Rp", "Bb", "Bn", "Bp", "Nn", "Np", "Pp",
];

#[test]
fn all_tables_are_found_sound() {
    check_all_found(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn all_tables_are_found_sound_with_four_pieces() {
    check_all_found(&Set::four_pieces());
}

fn check_all_found(set: &Set) {
    let tables = &set.tables;
    let (count, pieces) = (set.endings.len(), set.pieces);
    assert_eq!((tables.count(TableKind::Wdl), tables.count(TableKind::Dtz)), (count, count));
    assert_eq!(tables.most_pieces(), pieces);
    assert_eq!(tables.to_string(), format!("{count} WDL and {count} DTZ tables of up to {pieces} pieces"));
    let mut rng = SplitMix64::from_state(1);
    for &pieces in set.endings {
        assert!(tables.probe_wdl(&random_position(&mut rng, pieces)).is_some(), "{pieces}");
        assert!(tables.probe_dtz(&random_position(&mut rng, pieces)).is_some(), "{pieces}");
        let swapped: String = pieces
            .chars()
            .map(|c| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() })
            .collect();
        assert!(tables.probe_wdl(&random_position(&mut rng, &swapped)).is_some(), "{swapped}");
    }
    assert!(tables.probe_wdl(&position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")).is_none(), "castling");
    assert!(tables.probe_wdl(&Position::start()).is_none());
    assert_eq!(tables.probe_wdl(&position("4k3/8/8/8/8/8/8/4K3 w - - 0 1")), Some(Wdl::Draw));
    assert_eq!(tables.take_complaints(), [""; 0]);
}

#[test]
fn known_results() {
    check_known_results(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn known_results_with_four_pieces() {
    check_known_results(&Set::four_pieces());
}

fn check_known_results(set: &Set) {
    use Wdl::{Draw, Loss, Win};
    let tables = &set.tables;
    for (fen, result) in [
        ("8/8/8/8/8/2k5/8/KQ6 w - - 0 1", Win),
        ("8/8/8/8/8/8/1Qk5/K7 b - - 0 1", Loss),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Draw), // stalemate
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Loss), // mate
        ("8/8/8/4k3/8/8/8/KR6 b - - 0 1", Loss),
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Win),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Loss),
        ("4k3/8/8/4K3/4P3/8/8/8 b - - 0 1", Draw),
        ("8/8/4k3/8/4P3/4K3/8/8 w - - 0 1", Draw),
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", Draw), // rook's pawn
        ("8/8/8/8/3k4/8/8/KNN5 w - - 0 1", Draw),
        ("8/8/8/8/3k4/8/8/KBN5 w - - 0 1", Win),
        ("8/8/8/8/3k4/8/8/KBB5 w - - 0 1", Win),
        ("8/8/8/8/3k4/8/8/KB1B4 w - - 0 1", Draw), // like-coloured bishops
        ("8/8/3k4/8/2r5/8/8/K6Q w - - 0 1", Win),
        ("3k4/8/8/8/8/8/3r4/3QK3 b - - 0 1", Draw), // the rook takes
    ] {
        if !set.has_position(fen) {
            continue;
        }
        let position = position(fen);
        assert_eq!(tables.probe_wdl(&position), Some(result), "{fen}");
        let sign = tables.probe_dtz(&position).map(|dtz| dtz.plies.signum());
        assert_eq!(sign, Some(i32::from(result == Win) - i32::from(result == Loss)), "{fen}");
        let mirrored = position.color_flipped();
        assert_eq!(tables.probe_wdl(&mirrored), Some(result), "{mirrored}");
    }
}

/// The result by looking one ply ahead with the engine's own rules. No ending of four pieces needs fifty moves.
fn result_by_moves(tables: &Tablebases, position: &Position) -> Wdl {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return if position.in_check() { Wdl::Loss } else { Wdl::Draw };
    }
    let after = |mv: Move| tables.probe_wdl(&position.after(mv)).expect("all endings are there").opposite();
    moves.into_iter().map(after).max().expect("there are moves")
}

#[test]
fn results_follow_from_those_one_ply_later() {
    check_results_by_moves(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn results_follow_from_those_one_ply_later_with_four_pieces() {
    check_results_by_moves(&Set::four_pieces());
}

fn check_results_by_moves(set: &Set) {
    let tables = &set.tables;
    let mut rng = SplitMix64::from_state(7);
    let mut seen = [0; 5];
    for &pieces in set.endings {
        // As many with three pieces as with all.
        for _ in 0..10_500 / set.endings.len() {
            let position = random_position(&mut rng, pieces);
            let result = tables.probe_wdl(&position).expect("all endings are there");
            assert_eq!(result, result_by_moves(tables, &position), "{position}");
            seen[result as usize] += 1;
        }
    }
    assert!(
        seen[Wdl::Win as usize] > 1000 && seen[Wdl::Draw as usize] > 1000 && seen[Wdl::Loss as usize] > 1000
    );
    assert_eq!((seen[Wdl::CursedWin as usize], seen[Wdl::BlessedLoss as usize]), (0, 0));
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn en_passant_counts_with_four_pieces() {
    let tables = Set::four_pieces().tables;
    let mut rng = SplitMix64::from_state(3);
    let (mut found, mut matters) = (0, 0);
    while found < 200 {
        let before = random_position(&mut rng, "Pp");
        for mv in before.legal_moves() {
            let position = before.after(mv);
            if position.en_passant().is_none() {
                continue;
            }
            found += 1;
            let result = tables.probe_wdl(&position);
            assert_eq!(result, Some(result_by_moves(&tables, &position)), "{position}");
            let fen =
                position.to_string().replace(&position.en_passant().expect("just seen").to_string(), "-");
            matters +=
                usize::from(tables.probe_wdl(&fen.parse().expect("the same without en passant")) != result);
        }
    }
    assert!(matters > 10, "{matters}");
}

/// A search on this thread.
fn search(game: &Game, limits: SearchLimits, access: Option<TableAccess>) -> (SearchResult, Vec<Report>) {
    let tt = Arc::new(TranspositionTable::new(4).expect("4 MiB"));
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink_lines = Arc::clone(&lines);
    let mut job = SearchJob::silent(game.clone(), limits, tt).with_tablebases(access);
    job.sink = Some(Box::new(move |event| {
        if let SearchEvent::Line(line) = event {
            sink_lines.lock().expect("no panic in a sink").push(line);
        }
    }));
    let result = Searcher::new(0).search(&job);
    let lines = std::mem::take(&mut *lines.lock().expect("no panic in a sink"));
    (result, lines)
}

fn access(tables: &Arc<Tablebases>) -> Option<TableAccess> {
    Some(TableAccess::new(Arc::clone(tables), ProbeRules::default()))
}

fn to_depth(depth: i32) -> SearchLimits {
    SearchLimits { depth: Some(depth), ..SearchLimits::default() }
}

fn nodes(nodes: u64) -> SearchLimits {
    SearchLimits { nodes: Some(nodes), ..SearchLimits::default() }
}

/// Whether the side to move mates within so many moves, by looking at everything.
fn mates_within(position: &Position, moves: i32) -> bool {
    moves > 0
        && position.legal_moves().into_iter().any(|mv| {
            let child = position.after(mv);
            let replies = child.legal_moves();
            if replies.is_empty() {
                return child.in_check();
            }
            replies.into_iter().all(|reply| mates_within(&child.after(reply), moves - 1))
        })
}

#[test]
fn distances_agree_with_mates() {
    check_distances(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn distances_agree_with_mates_with_four_pieces() {
    check_distances(&Set::four_pieces());
}

fn check_distances(set: &Set) {
    let tables = &set.tables;
    // Where no piece can be captured or sacrificed the distance is that to mate, to within the rounding.
    let mut compared = 0;
    let mut rng = SplitMix64::from_state(11);
    for pieces in ["Q", "R", "BB", "BN"].into_iter().filter(|pieces| set.has(pieces)) {
        for _ in 0..300 {
            let position = random_position(&mut rng, pieces);
            let dtz = tables.probe_dtz(&position).expect("all endings are there");
            if !(1..=5).contains(&dtz.plies) {
                continue;
            }
            let moves = (dtz.plies + 1) / 2;
            let latest = (dtz.plies + i32::from(dtz.is_rounded) + 1) / 2;
            assert!(!mates_within(&position, moves - 1), "{position}: earlier than {dtz:?}");
            assert!(mates_within(&position, latest), "{position}: not by {dtz:?}");
            // The engine alone finds a mate too, maybe a longer one.
            let (result, _) = search(&Game::new(position), to_depth(12), None);
            assert!(result.score.mate_moves().is_some_and(|found| found >= moves), "{position}: {result:?}");
            compared += 1;
        }
    }
    assert!(compared >= 15, "{compared}");
}

/// The defence that puts the next capture, pawn move or mate off for longest.
fn stubborn(tables: &Tablebases, game: &Game) -> Move {
    let position = game.position();
    let value = |mv: &Move| {
        let child = position.after(*mv);
        let result = tables.probe_wdl(&child).expect("all endings are there").opposite();
        let dtz = tables.probe_dtz(&child).expect("all endings are there").plies;
        (result, if child.halfmove_clock() == 0 { 0 } else { dtz })
    };
    position.legal_moves().into_iter().max_by_key(value).expect("the game goes on")
}

/// Won endings with the side that wins, from easy to hard.
const WON: [(&str, Color); 20] = [
    ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Color::White),
    ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", Color::White),
    ("kr6/8/8/8/4K3/8/8/8 w - - 0 1", Color::Black),
    ("8/8/3k4/8/8/4K3/4P3/8 w - - 0 1", Color::White),
    ("8/4p3/4k3/8/8/4K3/8/8 b - - 0 1", Color::Black),
    ("8/8/8/4k3/8/8/8/KBB5 w - - 0 1", Color::White),
    ("8/8/8/4k3/8/8/8/KBN5 w - - 0 1", Color::White),
    ("7K/8/5k2/8/8/8/3n4/4b3 b - - 0 1", Color::Black),
    ("8/8/3kr3/8/8/8/8/KQ6 w - - 0 1", Color::White),
    ("8/8/3k4/8/2r5/8/8/K6Q w - - 0 1", Color::White),
    ("8/8/3kb3/8/8/8/8/KQ6 w - - 0 1", Color::White),
    ("8/8/3kn3/8/8/8/8/KQ6 w - - 0 1", Color::White),
    ("8/8/8/8/8/1k6/3p4/K6Q w - - 0 1", Color::White),
    ("8/8/8/8/2k1p3/8/8/1K5R w - - 0 1", Color::White),
    ("8/8/8/3k4/8/8/PP6/K7 w - - 0 1", Color::White),
    ("8/8/8/3k4/8/P7/8/KB6 w - - 0 1", Color::White),
    ("8/8/8/3k4/8/4P3/8/KN6 w - - 0 1", Color::White),
    ("8/8/8/3k4/8/8/8/KQQ5 b - - 0 1", Color::White),
    ("8/8/8/3k4/8/8/8/KRN5 b - - 0 1", Color::White),
    ("8/8/8/7n/8/8/R4K2/7k b - - 0 1", Color::White),
];

/// Plays on until the game is over. Returns the outcome and the number of plies.
fn play(fen: &str, mut choose: impl FnMut(&Game) -> Move) -> (Outcome, usize) {
    let mut game = Game::new(position(fen));
    for ply in 0.. {
        if let Some(outcome) = game.outcome() {
            return (outcome, ply);
        }
        assert!(ply < 1000, "{fen}: no end");
        let mv = choose(&game);
        assert!(game.position().is_legal(mv));
        game.play(mv);
    }
    unreachable!()
}

#[test]
fn won_endings_are_won_against_the_best_defence() {
    check_won_endings(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn won_endings_are_won_against_the_best_defence_with_four_pieces() {
    check_won_endings(&Set::four_pieces());
}

fn check_won_endings(set: &Set) {
    let tables = &set.tables;
    let won = WON.into_iter().filter(|(fen, _)| set.has_position(fen));
    for (fen, winner) in won.clone() {
        let start = position(fen);
        let expected = if start.stm() == winner { Wdl::Win } else { Wdl::Loss };
        assert_eq!(tables.probe_wdl(&start), Some(expected), "{fen}");
    }
    for (fen, winner) in won {
        // The referee ends a game by repetition or fifty moves, so that a mate is one within the rules.
        for budget in [50, 2000] {
            let engine = |game: &Game| search(game, nodes(budget), access(tables)).0.best.expect("a move");
            let against_tables = play(fen, |game| {
                if game.position().stm() == winner { engine(game) } else { stubborn(tables, game) }
            });
            assert_eq!(against_tables.0, Outcome::Checkmate(winner), "{fen} {budget} {against_tables:?}");
            let against_itself = play(fen, engine);
            assert_eq!(against_itself.0, Outcome::Checkmate(winner), "{fen} {budget} {against_itself:?}");
        }
    }
}

#[test]
fn drawn_endings_are_held() {
    check_drawn_endings(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn drawn_endings_are_held_with_four_pieces() {
    check_drawn_endings(&Set::four_pieces());
}

fn check_drawn_endings(set: &Set) {
    let tables = &set.tables;
    let mut rng = SplitMix64::from_state(5);
    let endings = ["P", "Qp", "Rb", "Rn", "Rp", "Pp", "Bp", "Qr", "PP", "RP"];
    for pieces in endings.into_iter().filter(|pieces| set.has(pieces)) {
        let start = loop {
            let position = random_position(&mut rng, pieces);
            if tables.probe_wdl(&position) == Some(Wdl::Draw) && position.legal_moves().len() > 1 {
                break position;
            }
        };
        let engine = |game: &Game| search(game, nodes(300), access(tables)).0.best.expect("a move");
        let (outcome, _) = play(&start.to_string(), engine);
        assert!(matches!(outcome, Outcome::Draw(_)), "{start}: {outcome:?}");
    }
}

#[test]
fn the_root_keeps_what_keeps_the_result() {
    check_root_moves(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn the_root_keeps_what_keeps_the_result_with_four_pieces() {
    check_root_moves(&Set::four_pieces());
}

fn check_root_moves(set: &Set) {
    let tables = &set.tables;
    let mut rng = SplitMix64::from_state(13);
    for &pieces in set.endings.iter().filter(|pieces| pieces.len() + 2 == set.pieces) {
        for _ in 0..10 {
            let position = random_position(&mut rng, pieces);
            let moves: Vec<Move> = position.legal_moves().into_iter().collect();
            let game = Game::new(position);
            let access = access(tables).expect("just made");
            let Some(verdict) = access.root(&game, &moves, &|| true) else {
                assert!(moves.is_empty(), "{position}");
                continue;
            };
            let result = tables.probe_wdl(&position).expect("all endings are there");
            assert!(verdict.is_certain);
            assert_eq!(verdict.result, result, "{position}");
            for mv in moves {
                let reached =
                    tables.probe_wdl(&position.after(mv)).expect("all endings are there").opposite();
                let is_kept = verdict.moves.contains(&mv);
                assert!(reached == result || !is_kept, "{position} {mv:?}");
                // Lost positions may keep the longest resistance only.
                assert!(reached != result || is_kept || result == Wdl::Loss, "{position} {mv:?}");
            }
        }
    }
}

#[test]
fn multi_pv_and_search_moves_choose_among_the_best() {
    let tables = Set::three_pieces().tables;
    // Four moves of the king win, all others draw.
    let start = position("8/8/3k4/8/8/4K3/4P3/8 w - - 0 1");
    let all: Vec<Move> = start.legal_moves().into_iter().collect();
    let winning: Vec<Move> =
        all.iter().copied().filter(|&mv| tables.probe_wdl(&start.after(mv)) == Some(Wdl::Loss)).collect();
    assert!(winning.len() == 4 && all.len() > 4, "{winning:?}");
    let game = Game::new(start);
    let limits = SearchLimits { multi_pv: 50, ..to_depth(6) };
    let (_, lines) = search(&game, limits, access(&tables));
    let last: Vec<&Report> = lines.iter().filter(|line| line.depth == 6).collect();
    assert_eq!(last.len(), winning.len());
    assert!(last.iter().all(|line| winning.contains(&line.pv[0]) && line.score.is_win() && line.tb_hits > 0));
    assert!(last.iter().enumerate().all(|(rank, line)| line.multi_pv == rank + 1));
    // The moves asked for are compared with each other only.
    let drawing: Vec<Move> = all.into_iter().filter(|mv| !winning.contains(mv)).collect();
    let limits = SearchLimits { search_moves: drawing.clone(), multi_pv: 50, ..to_depth(6) };
    let (result, lines) = search(&game, limits, access(&tables));
    assert!(result.best.is_some_and(|mv| drawing.contains(&mv)));
    assert_eq!(result.score, Score::DRAW);
    assert!(lines.iter().all(|line| drawing.contains(&line.pv[0])));
}

#[test]
fn the_fifty_move_rule_spoils_wins_unless_it_is_off() {
    check_fifty_move_rule(&Set::three_pieces(), "8/8/8/4k3/8/8/8/KR6");
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn the_fifty_move_rule_spoils_wins_unless_it_is_off_with_four_pieces() {
    check_fifty_move_rule(&Set::four_pieces(), "8/8/8/4k3/8/8/8/KBN5");
}

/// `pieces` need many moves to win.
fn check_fifty_move_rule(set: &Set, pieces: &str) {
    let tables = &set.tables;
    let rules = |fifty_move_rule| ProbeRules { fifty_move_rule, ..ProbeRules::default() };
    // The clock has run for long.
    for (clock, with_rule) in [(0, Wdl::Win), (90, Wdl::CursedWin)] {
        let start = position(&format!("{pieces} w - - {clock} 80"));
        let moves: Vec<Move> = start.legal_moves().into_iter().collect();
        for (fifty_move_rule, expected) in [(true, with_rule), (false, Wdl::Win)] {
            let access = TableAccess::new(Arc::clone(tables), rules(fifty_move_rule));
            let verdict = access.root(&Game::new(start), &moves, &|| true).expect("in the tables");
            assert_eq!(verdict.result, expected, "{clock} {fifty_move_rule}");
        }
    }
    // A mate on the board comes before the rule.
    let start = position("7k/8/6K1/8/8/8/8/R7 w - - 99 80");
    let (result, _) = search(&Game::new(start), to_depth(4), access(tables));
    assert_eq!(result.score, Score::mate_in(1));
}

/// One ply decides, and the tables hold full moves.
#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn what_is_won_only_if_not_rounded_is_not_shown_as_won_with_four_pieces() {
    let tables = Set::four_pieces().tables;
    let shown = |fen: &str| {
        let (result, _) = search(&Game::new(position(fen)), to_depth(8), access(&tables));
        result.score
    };
    assert_eq!(shown("8/8/6k1/3B4/3K4/4N3/8/8 w - - 54 106"), Score::DRAW + 1);
    assert!(shown("8/8/6k1/3B4/3K4/4N3/8/8 w - - 53 106").is_win());
}

#[test]
fn a_third_occurrence_is_no_win() {
    let tables = Set::three_pieces().tables;
    let mut game = Game::new(position("8/8/8/4k3/8/8/8/KR6 w - - 0 1"));
    let shuffle = ["b1c1", "e5e4", "c1b1", "e4e5"];
    for text in shuffle.iter().chain(&shuffle).take(7) {
        game.play(quillon::notation::parse_uci(game.position(), text).expect("legal"));
    }
    // Black, to move, would repeat for the third time with Ke5.
    let moves: Vec<Move> = game.position().legal_moves().into_iter().collect();
    let access = access(&tables).expect("just made");
    let verdict = access.root(&game, &moves, &|| true).expect("in the tables");
    assert_eq!(verdict.result, Wdl::Draw);
    let texts: Vec<String> =
        verdict.moves.iter().map(|&mv| quillon::notation::format_uci(mv, false)).collect();
    assert_eq!(texts, ["e4e5"]);
}

#[test]
fn captures_into_the_tables_are_seen_in_the_tree() {
    // Taking the knight leaves a queen, which wins.
    check_captures_into_tables(&Set::three_pieces(), "8/8/4k3/8/8/8/5Kn1/3Q4 w - - 3 60");
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn captures_into_the_tables_are_seen_in_the_tree_with_four_pieces() {
    // Taking the knight leaves queen against rook, which is won; the evaluation alone would call it good but not won.
    check_captures_into_tables(&Set::four_pieces(), "8/8/4k3/r7/8/8/5Kn1/3Q4 w - - 3 60");
}

/// The position is one capture away from a win in the tables.
fn check_captures_into_tables(set: &Set, fen: &str) {
    let tables = &set.tables;
    let start = position(fen);
    let (with, lines) = search(&Game::new(start), to_depth(8), access(tables));
    assert!(with.score.is_decisive(), "{:?}", with.score);
    assert!(lines.last().expect("a line").tb_hits > 0);
    let (_, lines) = search(&Game::new(start), to_depth(8), None);
    assert_eq!(lines.last().expect("a line").tb_hits, 0);
    // Limits keep the tables out.
    for rules in [
        ProbeRules { max_pieces: 0, ..ProbeRules::default() },
        ProbeRules { max_pieces: set.pieces, min_depth: 100, ..ProbeRules::default() },
        ProbeRules { max_pieces: 2, ..ProbeRules::default() },
    ] {
        let access = Some(TableAccess::new(Arc::clone(tables), rules));
        let (_, lines) = search(&Game::new(start), to_depth(6), access);
        let hits = lines.last().expect("a line").tb_hits;
        // Fewer pieces than the limit are always asked.
        assert!(hits == 0 || rules.max_pieces == 4, "{rules:?} {hits}");
    }
}

#[test]
fn without_wins_in_the_tables_the_game_goes_on() {
    // A draw that the root must not confuse with a loss: it is played, and to the end.
    let tables = Set::three_pieces().tables;
    for fen in ["8/8/4k3/8/4P3/4K3/8/8 w - - 0 1", "8/8/4k3/8/4P3/4K3/8/8 b - - 0 1"] {
        let (outcome, plies) = play(fen, |game| {
            let (result, _) = search(game, nodes(200), access(&tables));
            assert_eq!(result.score, Score::DRAW, "{}", game.position());
            result.best.expect("a move")
        });
        assert!(matches!(outcome, Outcome::Draw(_)) && plies > 1, "{fen}: {outcome:?} after {plies}");
    }
}

#[test]
fn tables_are_not_waited_for_when_time_is_short() {
    let tables = Set::three_pieces().tables;
    let start = position("8/8/3k4/8/8/4K3/4P3/8 w - - 0 1");
    let (game, moves) = (Game::new(start), start.legal_moves());
    // Time for so many moves.
    let asked = |most: usize| {
        let count = Cell::new(0);
        let has_time = || count.replace(count.get() + 1) < most;
        access(&tables).expect("just made").root(&game, &moves, &has_time).is_some()
    };
    assert!(!asked(0) && !asked(moves.len() - 1) && asked(moves.len()));
    // A search that has been stopped asks once, in the tree, and has a move all the same.
    let tt = Arc::new(TranspositionTable::new(1).expect("1 MiB"));
    let job = SearchJob::silent(game, to_depth(6), tt).with_tablebases(access(&tables));
    job.control.stop();
    let result = Searcher::new(0).search(&job);
    assert!(result.best.is_some_and(|mv| start.is_legal(mv)) && result.depth < 6, "{result:?}");
    assert!(job.control.tb_hits() <= 1, "{}", job.control.tb_hits());
}

#[test]
fn won_positions_have_a_line_to_the_mate() {
    check_lines_to_mates(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn won_positions_have_a_line_to_the_mate_with_four_pieces() {
    check_lines_to_mates(&Set::four_pieces());
}

fn check_lines_to_mates(set: &Set) {
    let tables = &set.tables;
    let access = access(tables).expect("there are tables");
    let mut rng = SplitMix64::from_state(77);
    let (mut mates, mut none) = (0, 0);
    for pieces in set.endings.iter().cycle().take(140) {
        let position = random_position(&mut rng, pieces);
        let result = access.probe(&position).expect("in the tables");
        let mut game = Game::new(position);
        let line = access.perfect_line(game.clone(), 300, &|| true);
        let winner = match result {
            Wdl::Win => position.stm(),
            Wdl::Loss => !position.stm(),
            _ => {
                assert!(line.is_empty(), "{position} is drawn");
                none += 1;
                continue;
            }
        };
        for mv in line {
            assert!(game.position().is_legal(mv), "{position}: {mv:?} in {}", game.position());
            game.play(mv);
        }
        assert_eq!(game.outcome(), Some(Outcome::Checkmate(winner)), "{position}");
        mates += 1;
    }
    assert!(mates > 40 && none > 10, "{mates} {none}");
}

/// What the tables leave possible for a position of a game, at its halfmove clock, for the side to move: -1 a loss,
/// 0 a draw, 1 a win. Distances are rounded, so near the limit two things may be.
fn possible(tables: &Tablebases, game: &Game) -> Option<Vec<i32>> {
    match game.outcome() {
        Some(Outcome::Checkmate(winner)) => {
            return Some(vec![if winner == game.position().stm() { 1 } else { -1 }]);
        }
        Some(_) => return Some(vec![0]),
        None => {}
    }
    let position = game.position();
    if matches!(tables.probe_wdl(position)?, Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss) {
        return Some(vec![0]);
    }
    let distance = tables.probe_dtz(position)?.plies;
    let end = distance.abs() + i32::from(position.halfmove_clock());
    Some(match distance.signum() {
        sign if end < 100 => vec![sign],
        sign if end == 100 => vec![sign, 0],
        _ => vec![0],
    })
}

#[test]
fn lines_keep_the_result_shown() {
    check_shown_lines(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn lines_keep_the_result_shown_with_four_pieces() {
    check_shown_lines(&Set::four_pieces());
}

/// In the tables, with all distances of the clock, and one capture away from them.
fn check_shown_lines(set: &Set) {
    let tables = &set.tables;
    let mut rng = SplitMix64::from_state(5);
    let near = ["Ppp", "PPp", "RPr", "BPn", "NPp", "BPp", "RNr", "QPp", "BBn"];
    let near = if set.pieces == 3 { ["Pp", "Rr", "Bn", "Np", "Bp", "Rn", "Qp", "Qr", "PP"] } else { near };
    let endings = set.endings.iter().chain(&near);
    let (mut decided, mut drawn) = (0, 0);
    for pieces in endings.cycle().take(if set.pieces == 3 { 196 } else { 132 }) {
        let mut game = Game::new(random_position(&mut rng, pieces));
        game.set_halfmove_clock([0, 10, 90, rng.below(100) as u16][rng.below(4)]);
        if game.outcome().is_some() {
            continue;
        }
        let limits = SearchLimits { depth: Some(9), multi_pv: 2, ..SearchLimits::default() };
        let (_, lines) = search(&game, limits, access(tables));
        for line in lines.iter().filter(|line| line.bound == ScoreBound::Exact) {
            let mut shown = i32::from(line.score.is_win()) - i32::from(line.score.is_loss());
            if shown == 0 && !line.is_drawn {
                continue;
            }
            (decided, drawn) = (decided + shown.abs(), drawn + 1 - shown.abs());
            let mut game = game.clone();
            for &mv in &line.pv {
                game.play(mv);
                shown = -shown;
                let possible = possible(tables, &game).unwrap_or(vec![shown]);
                assert!(possible.contains(&shown), "{}: {possible:?}, {line:?}", game.position());
            }
        }
    }
    assert!(decided > 500 && drawn > 200, "{decided} {drawn}");
}

/// Lines of long searches show the way to the mate, those of short ones spare the look-ups.
#[test]
fn lines_are_continued_in_long_searches_only() {
    let tables = Set::three_pieces().tables;
    let game = Game::new(position("8/8/3k4/8/8/4K3/4P3/8 w - - 0 1"));
    let ends_in_mate = |line: &Report| {
        let mut game = game.clone();
        line.pv.iter().for_each(|&mv| game.play(mv));
        game.outcome() == Some(Outcome::Checkmate(Color::White))
    };
    let (_, lines) = search(&game, to_depth(4), access(&tables));
    assert!(lines.iter().all(|line| line.pv.len() < 30 && !ends_in_mate(line)));
    // The look-ups have little time: a busy machine may cut some lines short, but not all of them.
    let goes_on = || {
        let line = line_after_a_second(&game, &tables);
        assert!(line.score.is_win(), "{line:?}");
        ends_in_mate(&line)
    };
    assert!(std::iter::repeat_with(goes_on).take(20).any(|goes_on| goes_on));
}

/// The first line that a search tells of after more than a second, when it ends.
fn line_after_a_second(game: &Game, tables: &Arc<Tablebases>) -> Report {
    let tt = Arc::new(TranspositionTable::new(1).expect("1 MiB"));
    let limits = SearchLimits { infinite: true, ..SearchLimits::default() };
    let mut job = SearchJob::silent(game.clone(), limits, tt).with_tablebases(access(tables));
    let (control, late) = (Arc::clone(&job.control), Arc::new(Mutex::new(None)));
    let seen = Arc::clone(&late);
    job.sink = Some(Box::new(move |event| {
        if let SearchEvent::Line(line) = event
            && line.time > Duration::from_millis(1100)
        {
            seen.lock().expect("no panic in a sink").get_or_insert(line);
            control.stop();
        }
    }));
    Searcher::new(0).search(&job);
    late.lock().expect("no panic in a sink").take().expect("a line")
}

/// A folder that is removed with this value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("quillon syzygy {name} {}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).expect("the test may write its folder");
    }

    fn copy(&self, from: &Path, names: &[&str]) {
        for name in names {
            self.write(name, &std::fs::read(from.join(name)).expect("the table can be read"));
        }
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Files of all shapes, with the pieces they are for.
const SAMPLES: [(&str, &str); 13] = [
    ("KQvK.rtbz", "Q"),
    ("KRvK.rtbw", "R"),
    ("KRvK.rtbz", "R"),
    ("KPvK.rtbw", "P"),
    ("KPvK.rtbz", "P"),
    ("KBvK.rtbw", "B"),
    ("KRvKN.rtbw", "Rn"),
    ("KRvKN.rtbz", "Rn"),
    ("KPvKP.rtbw", "Pp"),
    ("KPvKP.rtbz", "Pp"),
    ("KQvKQ.rtbw", "Qq"),
    ("KRvKP.rtbz", "Rp"),
    ("KBvKB.rtbz", "Bb"),
];

#[test]
fn cut_files_are_left_out_with_a_message() {
    check_cut_files(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn cut_files_are_left_out_with_a_message_with_four_pieces() {
    check_cut_files(&Set::four_pieces());
}

fn check_cut_files(set: &Set) {
    let origin = &set.folder;
    let folder = Folder::new(&format!("cut {}", set.pieces));
    folder.copy(origin, &["KQvK.rtbw"]);
    for (name, _) in SAMPLES.into_iter().filter(|(_, pieces)| set.has(pieces)) {
        let bytes = std::fs::read(origin.join(name)).expect("the table can be read");
        let mut lengths: Vec<usize> = (0..bytes.len().min(300)).collect();
        lengths.extend((0..60).map(|step| bytes.len() * step / 60));
        // Lengths that look right, since every table ends 16 bytes after a multiple of 64.
        lengths.extend((0..20).map(|step| (bytes.len() * step / 20) / 64 * 64 + 16));
        lengths.extend(1..=16.min(bytes.len()));
        for length in lengths.into_iter().filter(|&length| length < bytes.len()) {
            folder.write(name, &bytes[..length]);
            let opened = Tablebases::open(&folder.path());
            assert_eq!(opened.faults.len(), 1, "{name} {length}");
            assert!(opened.faults[0].to_string().contains(name), "{}", opened.faults[0]);
            let tables = opened.tables.expect("the other table is sound");
            assert_eq!((tables.count(TableKind::Wdl), tables.most_pieces()), (1, 3));
            assert_eq!(tables.probe_wdl(&position("8/8/8/8/8/2k5/8/KQ6 w - - 0 1")), Some(Wdl::Win));
        }
        let mut longer = bytes.clone();
        longer.resize(bytes.len() + 64, 0);
        folder.write(name, &longer);
        assert_eq!(Tablebases::open(&folder.path()).faults.len(), 1, "{name} made longer");
        std::fs::remove_file(folder.0.join(name)).expect("the test may write its folder");
    }
}

/// Asks for everything a table might be asked.
fn ask(tables: &Arc<Tablebases>, pieces: &str, rng: &mut SplitMix64) {
    for _ in 0..12 {
        let position = random_position(rng, pieces);
        let _ = tables.probe_wdl(&position);
        let _ = tables.probe_dtz(&position);
        let moves: Vec<Move> = position.legal_moves().into_iter().collect();
        let access = access(tables).expect("just made");
        let _ = access.root(&Game::new(position), &moves, &|| true);
    }
}

#[test]
fn overwritten_files_do_no_harm() {
    check_overwritten_files(&Set::three_pieces());
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn overwritten_files_do_no_harm_with_four_pieces() {
    check_overwritten_files(&Set::four_pieces());
}

fn check_overwritten_files(set: &Set) {
    let origin = &set.folder;
    let folder = Folder::new(&format!("overwritten {}", set.pieces));
    let others: Vec<String> = std::fs::read_dir(origin)
        .expect("the folder can be listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".rtbw"))
        .collect();
    folder.copy(origin, &others.iter().map(String::as_str).collect::<Vec<_>>());
    let mut rng = SplitMix64::from_state(17);
    let (mut refused, mut complained) = (0, 0);
    for (name, pieces) in SAMPLES.into_iter().filter(|(_, pieces)| set.has(pieces)) {
        let bytes = std::fs::read(origin.join(name)).expect("the table can be read");
        let mut places: Vec<usize> = (0..bytes.len().min(140)).collect();
        places.extend((0..60).map(|_| rng.below(bytes.len())));
        for place in places {
            for flip in [0xFF, 1 << rng.below(8)] {
                let mut damaged = bytes.clone();
                damaged[place] ^= flip;
                // Some damage is wide.
                if place % 7 == 0 {
                    let end = (place + 40).min(bytes.len());
                    damaged[place..end].fill(flip);
                }
                folder.write(name, &damaged);
                let opened = Tablebases::open(&folder.path());
                refused += opened.faults.len();
                let tables = opened.tables.expect("the other tables are sound");
                ask(&tables, pieces, &mut rng);
                complained += tables.take_complaints().len();
            }
        }
        folder.write(name, &bytes);
    }
    // Most damage to a header is seen at once; some shows when the table is used.
    assert!(refused > 300 && complained > 0, "{refused} {complained}");
}

#[test]
fn files_that_are_no_tables_are_named() {
    let folder = Folder::new("no tables");
    for (name, bytes) in [("KQvK.rtbw", &b""[..]), ("KRvK.rtbw", b"hello"), ("KPvK.rtbz", &[0; 80])] {
        folder.write(name, bytes);
    }
    folder.write("readme.txt", b"not asked");
    std::fs::create_dir_all(folder.0.join("KBvK.rtbw")).expect("the test may write its folder");
    let opened = Tablebases::open(&folder.path());
    assert!(opened.tables.is_none());
    assert_eq!(opened.faults.len(), 4, "{:?}", opened.faults);
    let missing = Tablebases::open("/nowhere/at/all");
    assert!(missing.tables.is_none());
    assert!(missing.faults[0].to_string().starts_with("folder /nowhere/at/all cannot be read"));
    assert!(Tablebases::open("").faults.is_empty());
}

#[test]
fn without_distances_the_clock_leaves_results_open() {
    check_results_only(&Set::three_pieces(), "KR6", &["KRvK.rtbw", "KPvK.rtbw"]);
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn without_distances_the_clock_leaves_results_open_with_four_pieces() {
    let files = ["KBNvK.rtbw", "KBvK.rtbw", "KNvK.rtbw", "KPvK.rtbw"];
    check_results_only(&Set::four_pieces(), "KBN5", &files);
}

/// White has `pieces` in the corner.
fn check_results_only(set: &Set, pieces: &str, files: &[&str]) {
    let folder = Folder::new(&format!("no distances {}", set.pieces));
    folder.copy(&set.folder, files);
    let tables = open(&folder.0);
    let score = |fen: &str| search(&Game::new(position(fen)), to_depth(5), access(&tables)).0.score;
    assert!(score(&format!("8/8/8/4k3/8/8/8/{pieces} w - - 0 80")).is_win());
    assert!(score(&format!("{pieces}/8/8/4k3/8/8/8/8 b - - 0 80")).is_loss());
    // Too late to win, which the results do not tell.
    for clock in [1, 95] {
        assert!(!score(&format!("8/8/8/4k3/8/8/8/{pieces} w - - {clock} 80")).is_decisive(), "{clock}");
        assert!(!score(&format!("{pieces}/8/8/4k3/8/8/8/8 b - - {clock} 80")).is_decisive(), "{clock}");
    }
    // A draw stays one.
    assert_eq!(score("8/8/4k3/8/4P3/4K3/8/8 w - - 9 80"), Score::DRAW);
}

#[test]
fn a_good_copy_in_another_folder_is_used() {
    let origin = tables::three_pieces();
    let (bad, good) = (Folder::new("bad copy"), Folder::new("good copy"));
    bad.copy(&origin, &["KQvK.rtbw"]);
    bad.write("KRvK.rtbw", b"damaged");
    good.copy(&origin, &["KRvK.rtbw", "KRvK.rtbz"]);
    let opened = Tablebases::open(&format!("{};{}", bad.path(), good.path()));
    assert_eq!(opened.faults.len(), 1);
    let tables = opened.tables.expect("two sound tables");
    assert_eq!((tables.count(TableKind::Wdl), tables.count(TableKind::Dtz)), (2, 1));
    assert_eq!(tables.probe_wdl(&position("8/8/8/4k3/8/8/8/KR6 w - - 0 1")), Some(Wdl::Win));
}

#[test]
fn without_distances_results_must_do() {
    let origin = tables::three_pieces();
    let folder = Folder::new("results only");
    folder.copy(&origin, &["KQvK.rtbw", "KRvK.rtbw", "KPvK.rtbw", "KBvK.rtbw", "KNvK.rtbw"]);
    let tables = open(&folder.0);
    let start = position("8/8/3k4/8/8/4K3/4P3/8 w - - 0 1");
    let moves: Vec<Move> = start.legal_moves().into_iter().collect();
    let access = access(&tables).expect("just made");
    let verdict = access.root(&Game::new(start), &moves, &|| true).expect("in the tables");
    assert!(!verdict.is_certain);
    assert_eq!(verdict.result, Wdl::Win);
    assert!(verdict.moves.len() < moves.len());
    let engine = |game: &Game| search(game, nodes(3000), self::access(&tables)).0.best.expect("a move");
    assert_eq!(play("8/8/3k4/8/8/4K3/4P3/8 w - - 0 1", engine).0, Outcome::Checkmate(Color::White));
}

/// Searches with an engine; returns its lines.
fn engine_lines(engine: &mut Engine, fen: &str) -> Vec<Report> {
    engine.set_game(Game::new(position(fen)));
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink_lines = Arc::clone(&lines);
    engine.go(to_depth(6), move |event| {
        if let SearchEvent::Line(line) = event {
            sink_lines.lock().expect("no panic in a sink").push(line);
        }
    });
    engine.wait();
    let lines = std::mem::take(&mut *lines.lock().expect("no panic in a sink"));
    assert!(!lines.is_empty());
    lines
}

#[test]
fn engines_do_not_share_tables() {
    let origin = tables::three_pieces();
    let rooks = Folder::new("rooks");
    rooks.copy(&origin, &["KRvK.rtbw", "KRvK.rtbz"]);
    let queens = Folder::new("queens");
    queens.copy(&origin, &["KQvK.rtbw", "KQvK.rtbz"]);
    let [rook, queen] = ["8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1"];
    let mut engines = [&rooks, &queens].map(|folder| {
        let mut engine = Engine::new().expect("an engine");
        engine.set_tablebases(Some(open(&folder.0)));
        engine
    });
    let hits = |engine: &mut Engine, fen| engine_lines(engine, fen).last().expect("a line").tb_hits;
    assert!(hits(&mut engines[0], rook) > 0 && hits(&mut engines[1], queen) > 0);
    assert!(hits(&mut engines[0], queen) == 0 && hits(&mut engines[1], rook) == 0);
    // Exchanged between two searches, and taken away.
    engines[0].set_tablebases(Some(open(&queens.0)));
    assert!(hits(&mut engines[0], rook) == 0 && hits(&mut engines[0], queen) > 0);
    engines[0].set_tablebases(None);
    let without = engine_lines(&mut engines[0], queen);
    let fresh = engine_lines(&mut Engine::new().expect("an engine"), queen);
    assert_eq!(
        without.last().map(|line| (line.nodes, line.tb_hits)),
        fresh.last().map(|line| (line.nodes, 0))
    );
}

/// Prints what a probe costs: `QUILLON_SYZYGY=FOLDER cargo test speed_of_a_probe -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, which needs tables of four pieces in the folder QUILLON_SYZYGY"]
fn speed_of_a_probe() {
    let tables = Set::four_pieces().tables;
    let mut rng = SplitMix64::from_state(23);
    for pieces in ["Q", "Qr", "RP", "Pp", "Bn"] {
        let positions: Vec<Position> = (0..2000).map(|_| random_position(&mut rng, pieces)).collect();
        for pass in ["first", "second"] {
            let start = std::time::Instant::now();
            let found = positions.iter().filter(|position| tables.probe_wdl(position).is_some()).count();
            let wdl = start.elapsed().as_nanos() / 2000;
            let start = std::time::Instant::now();
            let distances = positions.iter().filter(|position| tables.probe_dtz(position).is_some()).count();
            let dtz = start.elapsed().as_nanos() / 2000;
            println!("{pieces} {pass} pass: WDL {wdl} ns, DTZ {dtz} ns ({found} {distances})");
        }
    }
}
