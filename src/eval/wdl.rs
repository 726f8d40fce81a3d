//! What a score says about the result of a game: the win-draw-loss model.
//!
//! The chance to win is `1 / (1 + exp((a - score) / b))`, the chance to lose is the same with the score's
//! sign turned, and the rest are draws: an ordered logistic regression. `a`, the score at which a win is as
//! likely as not, and `b`, how quickly that changes, depend on the material left on the board
//! (source of the form: Stockfish's WDL model, github.com/official-stockfish/WDL_model).

use crate::board::Position;
use crate::types::{PieceType, Score};

/// Least and most material that the model tells apart, and the material of a typical middlegame, in pawns.
const MIN_MATERIAL: u32 = 17;
const MAX_MATERIAL: u32 = 78;
const TYPICAL_MATERIAL: f64 = 58.0;

/// Chances in permille, which add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chances {
    /// The side to move wins.
    pub win: u32,
    /// Nobody wins.
    pub draw: u32,
    /// The side to move loses.
    pub loss: u32,
}

impl Chances {
    /// The side to move has won.
    pub const WON: Chances = Chances { win: 1000, draw: 0, loss: 0 };
    /// The game is drawn.
    pub const DRAWN: Chances = Chances { win: 0, draw: 1000, loss: 0 };
    /// The side to move has lost.
    pub const LOST: Chances = Chances { win: 0, draw: 0, loss: 1000 };
}

/// The coefficients of `a` and `b`: polynomials of the material, [`WdlModel::material`] over 58, lowest power
/// first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlModel {
    /// The score at which a win is as likely as not.
    pub a: [f64; 4],
    /// The score by which that chance has to change for the odds to change by a factor of e.
    pub b: [f64; 4],
}

impl WdlModel {
    /// Fitted by `quillon data wdl` to the engine's games against itself (`docs/training.md` says which).
    pub const FITTED: WdlModel =
        WdlModel { a: [316.918, -667.295, 654.661, -224.523], b: [47.06, -15.966, 37.168, -13.937] };

    /// The material of both sides in pawns, as far as the model tells it apart: 1 for a pawn, 3 for a knight
    /// or bishop, 5 for a rook, 9 for a queen, 17 to 78 together.
    pub fn material(position: &Position) -> u32 {
        const WORTH: [(PieceType, u32); 5] = [
            (PieceType::Pawn, 1),
            (PieceType::Knight, 3),
            (PieceType::Bishop, 3),
            (PieceType::Rook, 5),
            (PieceType::Queen, 9),
        ];
        let sum: u32 = WORTH.iter().map(|&(kind, worth)| worth * position.of_type(kind).count()).sum();
        sum.clamp(MIN_MATERIAL, MAX_MATERIAL)
    }

    /// The argument of the polynomials at this [`WdlModel::material`].
    pub fn argument(material: u32) -> f64 {
        f64::from(material) / TYPICAL_MATERIAL
    }

    /// `a` and `b` at this [`WdlModel::material`].
    pub fn at(&self, material: u32) -> (f64, f64) {
        let x = WdlModel::argument(material);
        let value = |[c0, c1, c2, c3]: [f64; 4]| ((c3 * x + c2) * x + c1) * x + c0;
        (value(self.a), value(self.b))
    }

    /// The chances of a score for the side to move at this [`WdlModel::material`]. Proven wins and losses are
    /// certain.
    pub fn chances(&self, score: Score, material: u32) -> Chances {
        if score.is_win() {
            return Chances::WON;
        }
        if score.is_loss() {
            return Chances::LOST;
        }
        let (a, b) = self.at(material);
        let permille = |score: f64| (1000.0 / (1.0 + ((a - score) / b).exp())).round() as u32;
        let score = f64::from(score.0);
        let (win, loss) = (permille(score), permille(-score));
        // Rounded halves could add up to more than all.
        let loss = loss.min(1000 - win);
        Chances { win, draw: 1000 - win - loss, loss }
    }

    /// A score that is no proven win or loss on the scale that people read: at this [`WdlModel::material`] and
    /// 100 centipawns a win is as likely as not. Within plus or minus 10,000, and 0 only for a score of 0.
    pub fn centipawns(&self, score: Score, material: u32) -> i32 {
        let (a, _) = self.at(material);
        match ((100.0 * f64::from(score.0) / a).round() as i32).clamp(-10_000, 10_000) {
            0 => score.0.signum(),
            centipawns => centipawns,
        }
    }

    /// A score in centipawns: as [`WdlModel::centipawns`], but a tablebase win is 20,000 less one for
    /// each ply to the tablebase position. Mates count as such wins at the root.
    pub fn reported(&self, score: Score, material: u32) -> i32 {
        if score.is_win() {
            TABLEBASE_CP - (Score::TABLEBASE_WIN - score).max(0)
        } else if score.is_loss() {
            (Score::TABLEBASE_WIN - -score).max(0) - TABLEBASE_CP
        } else {
            self.centipawns(score, material)
        }
    }

    /// The reverse of [`WdlModel::reported`]: a score with so many centipawns, or the nearest one where scores are
    /// coarser than centipawns. For more than 10,000 that are no tablebase win, the least score with 10,000.
    pub fn score(&self, centipawns: i32, material: u32) -> Score {
        let plies = TABLEBASE_CP - centipawns.abs();
        if (0..Score::TABLEBASE_WIN - Score::MAX_EVAL).contains(&plies) {
            let won = Score::tablebase_win(plies as usize);
            return if centipawns > 0 { won } else { -won };
        }
        let (a, _) = self.at(material);
        let near = (a * f64::from(centipawns.clamp(-10_000, 10_000)) / 100.0).round() as i32;
        let distance = |score: &i32| (self.centipawns(Score(*score), material) - centipawns).abs();
        let candidates = [near, near - 1, near + 1];
        Score(candidates.into_iter().min_by_key(distance).unwrap_or(near))
    }
}

/// Centipawns of a tablebase win at the root.
const TABLEBASE_CP: i32 = 20_000;

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: WdlModel = WdlModel::FITTED;

    #[test]
    fn hundred_centipawns_win_every_other_game() {
        for material in MIN_MATERIAL..=MAX_MATERIAL {
            let even = Score(MODEL.at(material).0.round() as i32);
            assert!((99..=101).contains(&MODEL.centipawns(even, material)), "{material}");
            assert!((490..=510).contains(&MODEL.chances(even, material).win), "{material}");
        }
    }

    #[test]
    fn chances_are_symmetric_monotonic_and_complete() {
        for material in MIN_MATERIAL..=MAX_MATERIAL {
            let (a, b) = MODEL.at(material);
            assert!(a > 0.0 && b > 0.0, "{material}: {a} {b}");
        }
        let mut last = 0;
        for score in -2000..=2000 {
            let (wdl, turned) = (MODEL.chances(Score(score), 58), MODEL.chances(Score(-score), 58));
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
            assert!(wdl.win.abs_diff(turned.loss) <= 1);
            assert!(wdl.win >= last);
            last = wdl.win;
        }
        assert_eq!(MODEL.chances(Score::mate_in(3), 58), Chances::WON);
        assert_eq!(MODEL.chances(Score::mated_in(3), 58), Chances::LOST);
    }

    #[test]
    fn material_is_counted_in_pawns() {
        let material = |fen: &str| WdlModel::material(&fen.parse().unwrap());
        assert_eq!(material(crate::board::START_FEN), 78);
        assert_eq!(material("4k3/8/8/8/8/8/8/4K2R w - - 0 1"), MIN_MATERIAL);
        assert_eq!(material("q3k2r/ppp5/8/8/8/8/PPP5/QN2K2R w - - 0 1"), 9 + 5 + 3 + 9 + 5 + 3 + 3);
    }
}
