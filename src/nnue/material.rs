//! A network that has not learnt anything: it counts material, for the games of a first generation.
//!
//! The worth of the pieces is shared out among the neurons, so that the accumulators of a side add up to its balance of
//! material, and those of the other side to the negative of that. The neurons' bias stands in the middle of their
//! range: there the difference of the squares is (b + x)^2 - (b - x)^2 = 4bx, a multiple of the balance.

use std::sync::Arc;

use once_cell::sync::Lazy;

use super::features::{FEATURES, feature_index};
use super::inference::LANES;
use super::network::{Network, NetworkParts};
use crate::types::SplitMix64;

/// The worth of pawn, knight, bishop, rook and queen in internal units; that of the king does not matter.
const WORTH: [i64; 6] = [70, 220, 230, 350, 650, 0];

/// What a piece may be worth more or less on a square, by chance, in internal units: without it all quiet moves would
/// be alike, and the first one would be played.
const NOISE: i64 = 8;

/// Decides the noise.
const SEED: u64 = 1;

/// Units of an accumulator at which a neuron is in the middle of its range.
const BIAS: i16 = 127;

/// With these an accumulator's unit in one neuron is an internal unit: 4 * [`BIAS`] * 64 * 128 / (255 * 255 * 64).
const OUTPUT_WEIGHT: i16 = 64;
const SCALE: i32 = 128;

/// Neurons, the fewest that there can be. Each one counts up to 127 units either way, so the balance is exact up to
/// 58 pawns.
const NEURONS: usize = LANES;

/// The network that counts material.
pub fn material() -> Arc<Network> {
    static NETWORK: Lazy<Arc<Network>> = Lazy::new(|| {
        let network = Network::new(parts());
        Arc::new(network.expect("its numbers are within bounds, as a test finds"))
    });
    Arc::clone(&NETWORK)
}

fn parts() -> NetworkParts {
    let mut random = SplitMix64::from_state(SEED);
    let mut feature_weights = vec![0; FEATURES * NEURONS];
    for (kind, &worth) in WORTH.iter().enumerate() {
        for square in 0..64 {
            let share = share_out(worth + random.signed(NOISE));
            let mut set = |feature: usize, sign: i16| {
                let row = &mut feature_weights[feature * NEURONS..][..NEURONS];
                row.iter_mut().zip(share).for_each(|(weight, share)| *weight = sign * share);
            };
            set(feature_index(false, kind, square), 1);
            // The enemy sees the board from the other side.
            set(feature_index(true, kind, square ^ 56), -1);
        }
    }
    NetworkParts {
        name: "material".to_owned(),
        hidden: NEURONS,
        king_buckets: 1,
        buckets: 1,
        scale: SCALE,
        feature_weights,
        feature_bias: vec![BIAS; NEURONS],
        output_weights: [[OUTPUT_WEIGHT; NEURONS], [-OUTPUT_WEIGHT; NEURONS]].concat(),
        output_bias: vec![0],
        layers: None,
    }
}

/// Whole numbers that add up to this and differ by one at most.
fn share_out(worth: i64) -> [i16; NEURONS] {
    let neurons = NEURONS as i64;
    let (share, rest) = (worth.div_euclid(neurons) as i16, worth.rem_euclid(neurons) as usize);
    std::array::from_fn(|neuron| share + i16::from(neuron < rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    /// The balance of material for the side to move.
    fn balance(position: &Position) -> i32 {
        let side = |color| -> i32 {
            let pieces = position.colored(color).into_iter();
            pieces
                .filter_map(|square| position.piece_on(square))
                .map(|piece| WORTH[piece.kind() as usize] as i32)
                .sum()
        };
        side(position.stm()) - side(!position.stm())
    }

    #[test]
    fn the_value_is_the_balance_within_the_noise() {
        let mut random = SplitMix64::new(3, 3);
        let (mut largest, mut differ, mut count) = (0, 0, 0);
        for _ in 0..100 {
            let mut position = Position::start();
            for _ in 0..200 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.make(moves[random.below(moves.len())]);
                let (value, balance) = (material().evaluate(&position), balance(&position));
                let noise = NOISE as i32 * position.occupied().count() as i32;
                assert!((value - balance).abs() <= noise, "{value}, not {balance}: {position}");
                largest = largest.max(balance.abs());
                differ += i32::from(value != balance);
                count += 1;
            }
        }
        assert!(largest > 1000 && differ > count / 2, "{largest}, {differ} of {count}");
    }

    #[test]
    fn known_positions() {
        let value = |fen: &str| material().evaluate(&fen.parse().unwrap());
        assert_eq!(value(crate::board::START_FEN), 0);
        assert_eq!(value("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"), 0);
        // From six queens more on it counts no further, but nothing turns round.
        let queens = |pieces: &str| value(&format!("{pieces}/8/8/8/8/k7/8/K7 b - - 0 1"));
        let [five, six, eight] = ["QQQQQ3", "QQQQQQ2", "QQQQQQQQ"].map(queens);
        assert!(five < -3200 && six < five - 500 && eight <= six && eight > -4200, "{five} {six} {eight}");
    }

    #[test]
    fn shares_add_up() {
        for worth in [-33, -1, 0, 1, 70, 650] {
            assert_eq!(share_out(worth).into_iter().map(i64::from).sum::<i64>(), worth);
        }
    }
}
