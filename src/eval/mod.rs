//! Static evaluation: what a position is worth without searching.
//!
//! A search asks its `Evaluator`, which computes with a network, except where a lone king has to be mated
//! or nobody can win.
//!
//! To be read in this order: `evaluator`, `lone_king`, `drawn_endings` and `corner_race`, `wdl` (what a score means).

mod corner_race;
mod drawn_endings;
mod evaluator;
mod lone_king;
mod wdl;

pub use drawn_endings::{bounded, cannot_lose, hangs_on_corner, is_held};
pub use evaluator::{Evaluator, evaluate};
pub use lone_king::hunts_lone_king;
pub use wdl::{Chances, WdlModel};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::nnue;

    /// The history of a position and the colours of its pieces do not matter.
    #[test]
    fn symmetric_under_colour_flip() {
        for fen in [
            crate::board::START_FEN,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/P6p/8/3b4/8/8/1q4RP/6K1 b - - 0 1",
            "r1bq1rk1/pp3ppp/2n1pn2/3p4/1bPP4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
            "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
            "8/8/4k3/8/4K3/8/R7/8 b - - 0 1",
        ] {
            let (network, position): (_, Position) = (nnue::built_in(), fen.parse().unwrap());
            assert_eq!(evaluate(&network, &position), evaluate(&network, &position.color_flipped()), "{fen}");
        }
    }

    #[test]
    fn material_order() {
        let worth = |pieces: &str| {
            let position = format!("4k3/3ppppp/8/8/8/8/PPPPPPPP/{pieces} w - - 0 1").parse().unwrap();
            evaluate(&nnue::built_in(), &position).0
        };
        let [nothing, knight, rook, queen] = ["4K3", "1N2K3", "R3K3", "3QK3"].map(worth);
        assert!(0 < nothing && nothing < knight && knight < rook && rook < queen);
    }
}
