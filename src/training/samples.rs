//! Positions for tests: random games with a score that can be learnt.

use super::objective::Cost;
use super::record::Record;
use super::settings::{Schedule, Settings};
use super::shape::Shape;
use crate::board::Position;
use crate::types::Score;
use crate::types::SplitMix64;

/// Positions of random games, five plies apart.
pub fn random_positions(seed: u64, count: usize) -> Vec<Position> {
    let mut random = SplitMix64::new(seed, 0);
    let (mut positions, mut position, mut ply) = (Vec::new(), Position::start(), 0);
    while positions.len() < count {
        let moves = position.legal_moves();
        if moves.is_empty() || ply == 150 || position.is_dead() {
            (position, ply) = (Position::start(), 0);
            continue;
        }
        position = position.after(moves[random.below(moves.len())]);
        ply += 1;
        if ply % 5 == 0 {
            positions.push(position);
        }
    }
    positions
}

/// Records of random positions; the score is the material, and the result follows it by chance.
pub fn material_records(seed: u64, count: usize) -> Vec<Record> {
    let mut random = SplitMix64::new(seed, 1);
    random_positions(seed, count)
        .iter()
        .map(|position| {
            let record = Record::new(position, Score(0), 1);
            let score = record.material().clamp(-1500, 1500);
            let expected = 1.0 / (1.0 + (-f64::from(score) / 400.0).exp());
            record.with_labels(score, if random.unit() < expected { 2 } else { 0 })
        })
        .collect()
}

/// Settings for short trainings.
pub fn settings(hidden: usize, buckets: usize) -> Settings {
    Settings {
        shape: Shape { hidden, king_buckets: 1, buckets, layered: false },
        passes: 4,
        batch: 512,
        schedule: Schedule { rate: 1e-2, last_rate: 1e-5, warmup: 0 },
        average: 0.0,
        decay: 0.01,
        start: 0.176_776_7,
        wdl: 0.2,
        last_wdl: 0.4,
        scale: 400,
        cost: Cost::SQUARE,
        seed: 1,
    }
}
