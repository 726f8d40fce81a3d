//! Perft side by side: Quillon, `cozy-chess` and `shakmaty` on the same positions in one run, one
//! thread, bulk-counted. `cargo bench --bench perft` prints leaves per second for each; compare
//! within one run only.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use quillon::board::{Position, START_FEN};
use quillon::movegen::perft;
use shakmaty::{CastlingMode, Chess, fen::Fen};

const POSITIONS: [(&str, &str, u32, u64); 3] = [
    ("start", START_FEN, 6, 119_060_324),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 193_690_690),
    ("position5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 89_941_194),
];

fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            leaves += moves.len() as u64;
            false
        });
        return leaves;
    }
    board.generate_moves(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            leaves += cozy(&child, depth - 1);
        }
        false
    });
    leaves
}

fn compare(c: &mut Criterion) {
    for (name, fen, depth, leaves) in POSITIONS {
        let mut group = c.benchmark_group(format!("perft/{name}/depth {depth}"));
        group.throughput(Throughput::Elements(leaves));
        group.sample_size(10).sampling_mode(SamplingMode::Flat);

        let position: Position = fen.parse().expect("the FEN above is valid");
        group.bench_function("quillon", |b| b.iter(|| assert_eq!(perft(&position, depth), leaves)));

        let board: cozy_chess::Board = fen.parse().expect("the FEN above is valid");
        group.bench_function("cozy-chess", |b| b.iter(|| assert_eq!(cozy(&board, depth), leaves)));

        let fen: Fen = fen.parse().expect("the FEN above is valid");
        let chess: Chess = fen.into_position(CastlingMode::Standard).expect("the position is legal");
        group.bench_function("shakmaty", |b| b.iter(|| assert_eq!(shakmaty::perft(&chess, depth), leaves)));
        group.finish();
    }
}

criterion_group!(benches, compare);
criterion_main!(benches);
