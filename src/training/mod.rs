//! Training of the evaluation network on the engine's own games, on plain processor cores.
//!
//! ```text
//! games ──Dataset──> records in memory, each board once, some games held out
//!   └─ every pass visits all records in a new random order (Permutation), in batches
//!        └─ batch = 8 parts, shared out among threads, each with its own gradient
//!             └─ part = blocks of 256 positions (Block): forward, loss, backward in cache
//!        └─ AdamW adds the parts up and moves the weights
//! weights ──quantise──> integers of the net file
//! ```
//!
//! The network is (768 -> H) x 2 -> 1 with horizontally mirrored features and squared clipped
//! activation. Its float side, from which quantising makes the integers:
//!
//! ```text
//! a[P]   = bias + sum of the rows of the features that perspective P sees
//! c      = clamp(a, 0, 1)
//! out    = sum c[own]^2 * w[own] + sum c[enemy]^2 * w[enemy] + output bias    (out * scale = score)
//! target = wdl * result + (1 - wdl) * sigmoid(score / scale)
//! loss   = mean (sigmoid(out) - target)^2    (other powers, asymmetry and weights on demand: Cost)
//! ```
//!
//! The scale is where the scores of the data predict their results best. The net file holds it: with a
//! larger one the same outputs would mean larger scores than the scores that they were learnt from.
//!
//! The same data, settings and seed give the same net bit for bit on one machine, however many threads
//! there are: the parts of a batch are fixed, and so is the order in which they are added.
//!
//! To be read in this order: `record`, `dataset` and `permutation` (the positions), `shape`, `objective` and
//! `settings`, `block` (forward and backward pass), `adam`, `trainer`, `quantise`, `session` with `history`,
//! `checkpoint` and `net_start`; `labels` and `knowledge` examine data and nets. `reference` is the definition that
//! tests compare with.

mod adam;
mod block;
mod checkpoint;
mod dataset;
mod history;
mod knowledge;
mod labels;
mod layers;
mod net_start;
mod objective;
mod permutation;
mod quantise;
mod record;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod samples;
mod session;
mod settings;
mod shape;
mod trainer;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use dataset::{Dataset, DatasetBuilder, TooManyPositions};
pub use history::{History, Row};
pub use knowledge::Knowledge;
pub use labels::{ScaleFit, SignAgreement, fit_scale};
pub use objective::{Cost, Curve, Objective};
pub use quantise::{Health, evaluate, examine};
pub use record::Record;
pub use session::{Session, Target, TrainingError};
pub use settings::{Schedule, Settings};
pub use shape::Shape;
pub use trainer::{PARTS, Trainer, Validation};
