//! The evaluation as a search uses it: it follows the moves.

use std::sync::Arc;

use super::evaluate;
use super::lone_king::lone_king;
use crate::board::{Delta, Position};
use crate::nnue::{AccumulatorStack, Network};
use crate::types::Score;

/// Evaluates the positions of a line of moves, by a network or, without one, by hand-made rules. Every
/// search thread has one of its own.
pub struct Evaluator {
    /// `None` stands for the hand-made evaluation.
    accumulators: Option<AccumulatorStack>,
}

impl Evaluator {
    /// An evaluator that stands at the root of a search.
    pub fn new(network: Option<Arc<Network>>) -> Evaluator {
        Evaluator { accumulators: network.map(AccumulatorStack::new) }
    }

    /// Goes back to the root of a search, which may be any position, and changes the network if this is
    /// another one.
    pub fn reset(&mut self, network: Option<&Arc<Network>>) {
        match (&mut self.accumulators, network) {
            (None, None) => {}
            (Some(accumulators), Some(network)) if Arc::ptr_eq(accumulators.network(), network) => {
                accumulators.reset();
            }
            _ => *self = Evaluator::new(network.cloned()),
        }
    }

    /// Follows a move; at most [`MAX_PLY`](crate::types::MAX_PLY) can be followed from the root. Passing
    /// the turn moves no man and need not be told.
    #[inline(always)]
    pub fn push(&mut self, delta: Delta) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.push(delta);
        }
    }

    /// Takes the last move back.
    #[inline(always)]
    pub fn pop(&mut self) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.pop();
        }
    }

    /// The worth, for the side to move, of the position to which the moves have led.
    #[inline(always)]
    pub fn evaluate(&mut self, position: &Position) -> Score {
        match &mut self.accumulators {
            Some(accumulators) => {
                lone_king(position).unwrap_or_else(|| Score(accumulators.evaluate(position)).clamp_eval())
            }
            None => evaluate(position),
        }
    }
}

/// The worth of a single position for the side to move: by the network, or without one by the hand-made
/// evaluation.
pub fn evaluate_with(network: Option<&Network>, position: &Position) -> Score {
    match network {
        Some(network) => {
            lone_king(position).unwrap_or_else(|| Score(network.evaluate(position)).clamp_eval())
        }
        None => evaluate(position),
    }
}
