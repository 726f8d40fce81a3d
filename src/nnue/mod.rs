//! The evaluation network: what it sees of a position, its weights, and how its output is computed.
//!
//! ```text
//! 768 features of White's view -> accumulator of H numbers \
//!                                                           > clamp(x, 0, 255)^2 -> weighted sum -> centipawns
//! 768 features of Black's view -> accumulator of H numbers /
//! ```
//! A move changes two to four features, so the accumulators of a position are those of its parent plus
//! and minus a few rows of weights: the network is efficiently updatable (Yu Nasu, "NNUE", 2018; CPW:
//! "NNUE"). `AccumulatorStack` follows a search's moves and computes only what an evaluation asks for.
//! The arithmetic is in integers, and every processor gives the same result to the last bit.

mod accumulator;
mod error;
mod features;
mod file;
pub mod inference;
mod network;

use std::sync::Arc;

pub use accumulator::AccumulatorStack;
pub use error::{LoadError, NetworkError};
pub use features::{FEATURES, Viewpoint, feature_index, output_bucket};
pub use network::{
    MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_HIDDEN, MAX_OUTPUT_WEIGHT, Network, NetworkParts, QA, QB,
    SCALES,
};

/// The network that is part of the program; `None` as long as the hand-made evaluation plays better.
pub fn built_in() -> Option<Arc<Network>> {
    None
}
