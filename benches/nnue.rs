//! The network's work, for four sizes of the hidden layer and all that the processor can run.
//!
//! ```text
//! cargo bench --bench nnue                      # all, about three minutes
//! cargo bench --bench nnue -- '/512/'           # one size
//! cargo bench --bench nnue -- 'evaluation'      # what a search pays: a move, both updates, the output
//! ```
//!
//! Weights are random. Times are for one side's accumulator (`update`, `refresh`) or for both (`output`,
//! `evaluation`, `evaluation from nothing`). The rows that a move needs come from all over the first layer,
//! as in a search.

use std::hint::black_box;
use std::sync::Arc;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use quillon::board::{Delta, Position};
use quillon::engine::bench::POSITIONS;
use quillon::nnue::inference::{Block, Kernels, LANES};
use quillon::nnue::{AccumulatorStack, FEATURES, Network, NetworkParts};

const SIZES: [usize; 4] = [128, 256, 512, 1024];

/// Positions one move from the bench positions, with that move.
fn moves() -> Vec<(Position, Delta, Position)> {
    let roots = POSITIONS.iter().map(|fen| fen.parse::<Position>().expect("the bench positions are valid"));
    roots
        .flat_map(|root| {
            root.legal_moves().into_iter().map(move |mv| {
                let mut child = root;
                let delta = child.make(mv);
                (root, delta, child)
            })
        })
        .collect()
}

/// Feature numbers without order.
fn features(count: usize) -> Vec<u16> {
    (0..count).map(|number| (number * 331 % FEATURES) as u16).collect()
}

fn kernels(group: &mut BenchmarkGroup<'_, WallTime>, kernels: Kernels, parts: &NetworkParts) {
    let name = |work: &str| format!("{work}/{}/{kernels}", parts.hidden);
    let blocks = parts.hidden / LANES;
    let rows = Block::from_numbers(&parts.feature_weights);
    let row = |feature: u16| &rows[usize::from(feature) * blocks..][..blocks];
    let from = Block::from_numbers(&parts.feature_bias);
    let weights = Block::from_numbers(&parts.output_weights);
    let mut to = from.clone();

    let changes = features(FEATURES);
    group.throughput(Throughput::Elements(changes.len() as u64 / 2));
    group.bench_function(name("update, add and sub"), |b| {
        b.iter(|| {
            for pair in changes.chunks_exact(2) {
                kernels.update(black_box(&mut to), black_box(&from), [row(pair[0])], [row(pair[1])]);
            }
        });
    });
    let pieces = features(24);
    let mut cached = from.clone();
    group.throughput(Throughput::Elements(1));
    group.bench_function(name("refresh, 24 pieces"), |b| {
        b.iter(|| kernels.refresh(black_box(&mut cached), &mut to, &rows, black_box(&pieces), &[]));
    });
    group.bench_function(name("output"), |b| {
        b.iter(|| kernels.activate(black_box(&from), black_box(&to), black_box(&weights)));
    });
}

fn evaluations(group: &mut BenchmarkGroup<'_, WallTime>, kernels: Kernels, network: &Arc<Network>) {
    let name = |work: &str| format!("{work}/{}/{kernels}", network.hidden());
    let moves = moves();
    let mut stack = AccumulatorStack::with_kernels(Arc::clone(network), kernels);
    group.throughput(Throughput::Elements(moves.len() as u64));
    // The roots follow each other, so most find their accumulator computed, like siblings in a search.
    group.bench_function(name("evaluation"), |b| {
        b.iter(|| {
            let (mut last, mut sum) = (0, 0);
            for (root, delta, child) in &moves {
                if root.key() != last {
                    last = root.key();
                    stack.reset();
                    stack.evaluate(root);
                }
                stack.push(*delta);
                sum += stack.evaluate(black_box(child));
                stack.pop();
            }
            sum
        });
    });
    group.bench_function(name("evaluation from the cache"), |b| {
        b.iter(|| {
            let refreshed = moves.iter().map(|(_, _, child)| {
                stack.reset();
                stack.evaluate(black_box(child))
            });
            refreshed.sum::<i32>()
        });
    });
}

fn all(c: &mut Criterion) {
    let mut group = c.benchmark_group("nnue");
    for hidden in SIZES {
        let parts = NetworkParts::random(1, hidden, 8);
        let network = Arc::new(Network::new(parts.clone()).expect("random networks are valid"));
        for which in Kernels::available() {
            kernels(&mut group, which, &parts);
            evaluations(&mut group, which, &network);
        }
    }
    group.finish();
}

criterion_group!(benches, all);
criterion_main!(benches);
