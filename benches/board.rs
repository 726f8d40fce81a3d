//! The board's work as the search asks for it, over thirty positions of all phases, Chess960 included.
//!
//! ```text
//! cargo bench --bench board                              # all, about two minutes
//! cargo bench --bench board -- movegen                   # only names that contain "movegen"
//! cargo bench --bench board -- --save-baseline before    # then change something, and
//! cargo bench --bench board -- --baseline before         # compare with what was saved
//! ```
//!
//! Rates are per move or per position as each group says. Compare on one quiet machine only.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use quillon::board::{CheckInfo, Position, START_FEN};
use quillon::types::{Move, MoveKind, MoveList, Square};

const POSITIONS: [&str; 30] = [
    START_FEN,
    // Openings and middlegames.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/ppp1pppp/8/3pP3/6n1/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 4",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1 w - - 0 10",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "r1bbk1nr/pp3p1p/2n5/1N4p1/2Np1B2/8/PPP2PPP/2KR1B1R w kq - 0 13",
    "4rrk1/2p1b1p1/p1p3q1/4p3/2P2n1p/1P1NR2P/PB3PP1/3R1QK1 b - - 2 24",
    "r3r1k1/2p2ppp/p1p1bn2/8/1q2P3/2NPQN2/PPP3PP/R4RK1 b - - 2 15",
    "1r3k2/4q3/2Pp3b/3Bp3/2Q2p2/1p1P2P1/1P2KP2/3N4 w - - 0 1",
    "3r1rk1/p5pp/bpp1pp2/8/q1PP1P2/b3P3/P2NQRPP/1R2B1K1 b - - 6 22",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    // In check, once and twice.
    "r1bqk1nr/pppp1ppp/2n5/4p3/1bP1P3/5N2/PP1P1PPP/RNBQKB1R w KQkq - 1 4",
    "4k3/8/4r3/8/8/5n2/8/R3K2R w KQ - 0 1",
    // Open boards with many moves.
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "3qk3/8/2b2n2/8/8/2N2B2/8/3QK3 w - - 0 1",
    // Endings and promotions.
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "8/3k4/p2p1p2/P1pP1P2/2P3pK/6P1/8/8 w - - 0 60",
    "8/6pk/1p6/8/PP3p1p/5P2/4KP1q/3Q4 w - - 0 1",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
    // Chess960.
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
    "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
];

/// A position with everything the benches feed to it.
struct Case {
    position: Position,
    legal: MoveList,
    captures: Vec<Move>,
    /// What transposition table and killer slots hold: moves of other positions, some legal here.
    foreign: Vec<Move>,
    info: CheckInfo,
}

fn cases() -> Vec<Case> {
    let positions = POSITIONS.map(|fen| fen.parse::<Position>().expect("the FENs above are valid"));
    let others: Vec<Move> = positions.iter().flat_map(|position| position.legal_moves()).collect();
    let case = |(index, position): (usize, Position)| {
        let legal = position.legal_moves();
        let captures = legal.iter().copied().filter(|mv| mv.is_capture()).collect();
        // A stride that shares no factor with most lengths picks moves from everywhere.
        let foreign = (0..16).map(|step| others[(index * 31 + step * 97) % others.len()]);
        let foreign = foreign.chain(legal.iter().copied().step_by(2)).collect();
        Case { position, captures, foreign, info: position.check_info(), legal }
    };
    positions.into_iter().enumerate().map(case).collect()
}

/// Measures `work` on every case per iteration; `units` is how many units one iteration handles.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    units: usize,
    work: impl Fn(&Case) -> usize,
) {
    let cases = cases();
    assert!(units > 0, "{name} has something to do");
    group.throughput(Throughput::Elements(units as u64));
    group.bench_function(name, |b| b.iter(|| cases.iter().map(|case| work(black_box(case))).sum::<usize>()));
}

fn movegen(c: &mut Criterion) {
    let mut group = c.benchmark_group("movegen");
    let moves: usize = cases().iter().map(|case| case.legal.len()).sum();
    let noisy: usize = cases().iter().map(|case| case.legal.iter().filter(|mv| mv.is_noisy()).count()).sum();
    measure(&mut group, "all", moves, |case| case.position.legal_moves().len());
    measure(&mut group, "count", moves, |case| case.position.count_legal_moves() as usize);
    measure(&mut group, "noisy", noisy, |case| {
        let mut list = MoveList::new();
        case.position.generate_noisy(&mut list);
        black_box(&list).len()
    });
    measure(&mut group, "quiet", moves - noisy, |case| {
        let mut list = MoveList::new();
        case.position.generate_quiet(&mut list);
        black_box(&list).len()
    });
    group.finish();
}

fn make(c: &mut Criterion) {
    let mut group = c.benchmark_group("make");
    let moves: usize = cases().iter().map(|case| case.legal.len()).sum();
    measure(&mut group, "every legal move", moves, |case| {
        for &mv in &case.legal {
            black_box(case.position.after(mv));
        }
        case.legal.len()
    });
    group.finish();
}

fn see(c: &mut Criterion) {
    let mut group = c.benchmark_group("see");
    let captures: usize = cases().iter().map(|case| case.captures.len()).sum();
    let won = |case: &Case, threshold: i32| {
        case.captures.iter().filter(|&&mv| case.position.see(mv, black_box(threshold))).count()
    };
    measure(&mut group, "captures at least even", captures, |case| won(case, 0));
    measure(&mut group, "captures not losing a pawn", captures, |case| won(case, -100));
    group.finish();
}

fn legality(c: &mut Criterion) {
    let mut group = c.benchmark_group("legality");
    let foreign: usize = cases().iter().map(|case| case.foreign.len()).sum();
    measure(&mut group, "is_legal of table moves", foreign, |case| {
        case.foreign.iter().filter(|&&mv| case.position.is_legal(mv)).count()
    });
    let moves: usize = cases().iter().map(|case| case.legal.len()).sum();
    measure(&mut group, "gives_check of legal moves", moves, |case| {
        case.legal.iter().filter(|&&mv| case.position.gives_check(mv, &case.info)).count()
    });
    measure(&mut group, "check_info", POSITIONS.len(), |case| {
        black_box(case.position.check_info()).discoverers.count() as usize
    });
    group.finish();
}

/// The answers that the benches time have to be sensible ones.
fn check_cases() {
    let cases = cases();
    assert_eq!(cases[0].legal.len(), 20);
    assert!(cases[0].position.is_legal(Move::new(Square::E2, Square::E4, MoveKind::DoublePush)));
    let illegal = |case: &Case| case.foreign.iter().any(|&mv| !case.position.is_legal(mv));
    assert!(cases.iter().all(illegal), "table moves are to be a mixture");
}

fn all(c: &mut Criterion) {
    check_cases();
    movegen(c);
    make(c);
    see(c);
    legality(c);
}

criterion_group!(benches, all);
criterion_main!(benches);
