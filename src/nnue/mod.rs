//! The evaluation network: what it sees of a position, its weights, and how its output is computed.
//!
//! ```text
//! 768 features of White's view -> accumulator of H numbers \
//!                                                           > clamp(x, 0, 255)^2 -> weighted sum -> score
//! 768 features of Black's view -> accumulator of H numbers /
//! ```
//! A move changes two to four features, so the accumulators of a position are those of its parent plus
//! and minus a few rows of weights: the network is efficiently updatable (Yu Nasu, "NNUE", 2018; CPW:
//! "NNUE"). `AccumulatorStack` follows a search's moves and computes only what an evaluation asks for.
//! The arithmetic is in integers, and every processor gives the same result to the last bit.
//!
//! To be read in this order: `features`, `network` (weights and evaluation), `accumulator` (incremental update),
//! `inference` (vector arithmetic; `scalar` is the definition), `file` (the format), `material` (a network that
//! counts material), `bullet` (the format of another trainer).

mod accumulator;
mod bounds;
mod bullet;
mod features;
mod file;
pub mod inference;
mod layers;
mod material;
mod network;

use std::sync::Arc;

use once_cell::sync::Lazy;

pub use accumulator::AccumulatorStack;
pub use bounds::{LoadError, NetworkError, QB, SCALES};
pub use bullet::{BulletChoice, BulletError, BulletShape};
pub use features::{FEATURES, Viewpoint, can_occur, feature_index, king_bucket, output_bucket};
pub use inference::{FIRST_LAYER, LAYER_UNIT, MAX_HIDDEN, QA, SECOND_INPUTS, SECOND_LAYER};
pub use layers::{FIRST_UNIT, LayerParts, MAX_FIRST_WEIGHT, MAX_LAYER_WEIGHT, PRODUCT_UNIT};
pub use material::material;
pub use network::{MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_OUTPUT_WEIGHT, Network, NetworkParts};

/// The network that is part of the program: `default.nnue`, of which `docs/training.md` tells how it was trained, or
/// the file that `make EVALFILE=...` names.
///
/// # Panics
/// When a program was built with a network whose weights could overflow.
pub fn built_in() -> Arc<Network> {
    static NETWORK: Lazy<Arc<Network>> = Lazy::new(|| {
        match Network::from_bytes(include_bytes!(env!("QUILLON_NETWORK"))) {
            Ok(network) => Arc::new(network),
            // Of the file of the source a test says that it is sound.
            Err(error) => panic!("the program was built with a network of no use: {error}"),
        }
    });
    Arc::clone(&NETWORK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_network_is_sound() {
        let network = built_in();
        assert!(Arc::ptr_eq(&network, &built_in()), "loaded once");
        assert_eq!(*network, Network::from_bytes(&network.to_bytes()).expect("it can be written and read"));
    }
}
