//! The evaluation as a search uses it: it follows the moves.

use std::sync::Arc;

use super::drawn_endings::damped;
use super::lone_king::lone_king;
use crate::board::{Delta, Position};
use crate::nnue::inference::Kernels;
use crate::nnue::{AccumulatorStack, Network};
use crate::types::Score;

/// Evaluates the positions of a line of moves. Every search thread has one of its own.
pub struct Evaluator {
    accumulators: AccumulatorStack,
}

impl Evaluator {
    /// An evaluator that stands at the root of a search.
    pub fn new(network: Arc<Network>) -> Evaluator {
        Evaluator { accumulators: AccumulatorStack::new(network) }
    }

    /// Goes back to the root of a search, which may be any position, and changes the network if this is
    /// another one, and the instructions to compute with.
    pub fn reset(&mut self, network: &Arc<Network>, kernels: Kernels) {
        if Arc::ptr_eq(self.accumulators.network(), network) && self.accumulators.kernels() == kernels {
            self.accumulators.reset();
        } else {
            self.accumulators = AccumulatorStack::with_kernels(Arc::clone(network), kernels);
        }
    }

    /// Follows a move; at most [`MAX_PLY`](crate::types::MAX_PLY) can be followed from the root. Passing
    /// the turn moves no piece and need not be told.
    #[inline(always)]
    pub fn push(&mut self, delta: Delta) {
        self.accumulators.push(delta);
    }

    /// Takes the last move back.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.accumulators.pop();
    }

    /// The worth, for the side to move, of the position to which the moves have led.
    #[inline(always)]
    pub fn evaluate(&mut self, position: &Position) -> Score {
        lone_king(position)
            .unwrap_or_else(|| damped(position, Score(self.accumulators.evaluate(position)).clamp_eval()))
    }
}

/// The worth of a single position for the side to move.
pub fn evaluate(network: &Network, position: &Position) -> Score {
    lone_king(position).unwrap_or_else(|| damped(position, Score(network.evaluate(position)).clamp_eval()))
}
