//! Static evaluation: what a position is worth without searching.
//!
//! A search asks its `Evaluator`, which computes with a network, except where a lone king has to be mated.
//! Without a network the small hand-made evaluation answers, `evaluate`, of which the first network learnt.

mod evaluator;
mod hand_made;
mod lone_king;
mod params;
mod tapered;
mod wdl;

pub use evaluator::{Evaluator, evaluate_with};
pub use hand_made::{Breakdown, breakdown};
pub use params::{EvalParams, PARAMS};
pub use tapered::Tapered;
pub use wdl::{Wdl, WdlModel};

use crate::board::Position;
use crate::types::{Color, Score};

/// The hand-made evaluation: the worth of a position in centipawns for the side to move. It does not depend
/// on history, and a position with colours exchanged is worth the same.
#[inline]
pub fn evaluate(position: &Position) -> Score {
    let sum = breakdown(&PARAMS, position);
    let white = sum.tapered();
    let own = if position.stm() == Color::White { white } else { -white };
    Score(own + PARAMS.tempo.middlegame()).clamp_eval()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FENS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/P6p/8/3b4/8/8/1q4RP/6K1 b - - 0 1",
        "r1bq1rk1/pp3ppp/2n1pn2/3p4/1bPP4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
        "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
    ];

    #[test]
    fn symmetric_under_colour_flip() {
        for fen in FENS {
            let position: Position = fen.parse().unwrap();
            assert_eq!(evaluate(&position), evaluate(&position.color_flipped()), "{fen}");
        }
    }

    #[test]
    fn material_order() {
        let worth = |fen: &str| evaluate(&fen.parse::<Position>().unwrap()).0;
        let pawn = worth("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1");
        let knight = worth("4k3/8/8/8/8/8/3N4/4K3 w - - 0 1");
        let rook = worth("4k3/8/8/8/8/8/3R4/4K3 w - - 0 1");
        let queen = worth("4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1");
        assert!(0 < pawn && pawn < knight && knight < rook && rook < queen, "{pawn} {knight} {rook} {queen}");
    }
}
