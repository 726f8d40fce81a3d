//! The search's work: table probes and stores, and whole searches of fixed size.
//!
//! ```text
//! cargo bench --bench search                              # all, about two minutes
//! cargo bench --bench search -- table                     # only names that contain "table"
//! cargo bench --bench search -- --save-baseline before    # then change something, and
//! cargo bench --bench search -- --baseline before         # compare with what was saved
//! ```
//!
//! Rates are per position, table access or node. A search visits other nodes after every change of what
//! it does, so compare its rate, and only with the signature in mind. One quiet machine, of course.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use quillon::board::{Game, Position};
use quillon::engine::bench::POSITIONS;
use quillon::search::{SearchJob, SearchLimits, Searcher};
use quillon::tt::{Bound, TranspositionTable, TtEntry};
use quillon::types::{Move, MoveKind, Score, SplitMix64, Square};

fn positions() -> Vec<Position> {
    POSITIONS.iter().map(|fen| fen.parse().expect("the bench positions are valid")).collect()
}

/// Keys as random as Zobrist's.
fn keys(count: usize, seed: u64) -> Vec<u64> {
    let mut random = SplitMix64::from_state(seed);
    (0..count).map(|_| random.next()).collect()
}

/// Accesses per iteration.
const ACCESSES: usize = 1 << 16;
const TABLE_MIB: usize = 16;

fn entry(key: u64) -> TtEntry {
    TtEntry {
        mv: Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush)),
        score: Score((key % 800) as i32 - 400),
        eval: Some(Score(12)),
        depth: (key >> 32) as i32 & 15,
        bound: if key & 1 == 0 { Bound::Lower } else { Bound::Upper },
        was_pv: false,
    }
}

fn table(c: &mut Criterion) {
    let mut group = c.benchmark_group("table");
    group.throughput(Throughput::Elements(ACCESSES as u64));
    let table = TranspositionTable::new(TABLE_MIB).expect("memory for the table");
    // Fills most buckets, as in the middle of a long search.
    keys(1 << 20, 1).iter().for_each(|&key| table.store(key, 3, entry(key)));
    let (known, unknown) = (keys(ACCESSES, 1), keys(ACCESSES, 2));
    let hits = |keys: &[u64]| keys.iter().filter(|&&key| table.probe(key, 3, 0).is_some()).count();
    assert!(hits(&known) > ACCESSES / 3 && hits(&unknown) < ACCESSES / 100, "hits and misses are told apart");

    group.bench_function("probe, known keys", |b| b.iter(|| hits(black_box(&known))));
    group.bench_function("probe, unknown keys", |b| b.iter(|| hits(black_box(&unknown))));
    group.bench_function("probe, prefetched", |b| {
        b.iter(|| {
            let ahead = unknown[8..].iter().chain(&unknown[..8]);
            let found = unknown.iter().zip(ahead).filter(|&(&key, &later)| {
                table.prefetch(later);
                table.probe(black_box(key), 3, 0).is_some()
            });
            found.count()
        });
    });
    group.bench_function("store", |b| {
        b.iter(|| unknown.iter().for_each(|&key| table.store(black_box(key), 3, entry(key))));
    });
    group.finish();

    let mut group = c.benchmark_group("table upkeep");
    group.throughput(Throughput::Bytes((TABLE_MIB as u64) << 20));
    group.bench_function("clear", |b| b.iter(|| table.clear(1)));
    group.finish();
}

/// Nodes of each search below.
const NODES: u64 = 100_000;

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group.throughput(Throughput::Elements(NODES)).sample_size(20).measurement_time(Duration::from_secs(8));
    let tt = Arc::new(TranspositionTable::new(TABLE_MIB).expect("memory for the table"));
    for (name, number) in [("opening", 0), ("middlegame", 17), ("endgame", 29)] {
        let game = Game::new(POSITIONS[number].parse().expect("the bench positions are valid"));
        let mut searcher = Searcher::new(0);
        group.bench_function(name, |b| {
            let fresh_job = || {
                tt.clear(1);
                let limits = SearchLimits { nodes: Some(NODES), ..SearchLimits::default() };
                SearchJob::silent(game.clone(), limits, Arc::clone(&tt))
            };
            let run = |job: SearchJob| {
                searcher.new_game();
                let result = searcher.search(&job);
                assert_eq!(result.nodes, NODES);
                result.best
            };
            b.iter_batched(fresh_job, run, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// Generating, scoring and sorting all moves of a position, as a node that finds no cut-off must.
fn picker(c: &mut Criterion) {
    let mut group = c.benchmark_group("picker");
    let positions = positions();
    let searcher = Searcher::new(0);
    let moves: usize = positions.iter().map(|position| position.legal_moves().len()).sum();
    group.throughput(Throughput::Elements(moves as u64));
    group.bench_function("all moves", |b| {
        b.iter(|| positions.iter().map(|position| searcher.move_order(position).len()).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, picker, table, search);
criterion_main!(benches);
