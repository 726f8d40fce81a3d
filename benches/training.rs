//! Speed of the trainer: positions per second that a training step takes on one thread.
//!
//! ```text
//! cargo bench --bench training
//! ```
//!
//! The positions come from random games, with 24 pieces on average, from memory and in random order, as in
//! a real run. Criterion prints the rate as elements per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quillon::board::Position;
use quillon::training::{Cost, Record, Schedule, Settings, Shape, Trainer};
use quillon::types::{Score, SplitMix64};

/// Enough to be larger than the caches.
const POSITIONS: usize = 2_000_000;
const BATCH: usize = 16_384;

/// Positions of random games.
fn records() -> Vec<Record> {
    let mut random = SplitMix64::from_state(1);
    let (mut records, mut position, mut ply) = (Vec::new(), Position::start(), 0);
    while records.len() < POSITIONS {
        let moves = position.legal_moves();
        if moves.is_empty() || ply == 120 {
            (position, ply) = (Position::start(), 0);
            continue;
        }
        position = position.after(moves[random.below(moves.len())]);
        ply += 1;
        if ply >= 16 {
            records.push(Record::new(
                &position,
                Score(random.below(2000) as i32 - 1000),
                random.below(3) as u8,
            ));
        }
    }
    records
}

fn training(c: &mut Criterion) {
    let records = records();
    let pieces = records.iter().map(Record::piece_count).sum::<usize>() as f64 / records.len() as f64;
    println!("{pieces:.1} pieces on average");
    let mut group = c.benchmark_group("training");
    group.throughput(Throughput::Elements(BATCH as u64)).sample_size(20);
    for (hidden, buckets, layered) in
        [(64, 1, false), (128, 1, false), (256, 1, false), (256, 8, false), (512, 8, false), (512, 8, true)]
    {
        let settings = Settings {
            shape: Shape { hidden, king_buckets: 1, buckets, layered },
            passes: 1000,
            batch: BATCH,
            schedule: Schedule { rate: 1e-3, last_rate: 1e-6, warmup: 0 },
            average: 0.0,
            decay: 0.01,
            start: 0.18,
            wdl: 0.2,
            last_wdl: 0.4,
            scale: 400,
            cost: Cost::SQUARE,
            seed: 1,
        };
        let mut trainer = Trainer::new(settings, 1);
        let layers = if layered { " with layers" } else { "" };
        group.bench_function(format!("{hidden}x{buckets}{layers}"), |b| b.iter(|| trainer.step(&records)));
    }
}

criterion_group!(benches, training);
criterion_main!(benches);
