//! The numbers of the hand-made evaluation.
//!
//! Set by hand as a start, then fitted to results of the engine's own games by gradient descent on
//! the logistic loss (CPW: "Texel's Tuning Method").

use super::tapered::Tapered;
use crate::types::{PieceType, Square};

/// Every weight of the evaluation, in centipawns, from the owner's point of view: squares and ranks
/// are counted from its own side.
#[repr(C)]
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct EvalParams {
    /// Material and placement together. `[type][relative square]`
    pub piece_squares: [[Tapered; 64]; 6],
    /// Squares a knight, bishop, rook, queen may go to. `[piece slot][count]`
    pub mobility: [[Tapered; 28]; 4],
    /// By weighted count of attacks on the zone around the enemy king.
    pub king_danger: [Tapered; 48],
    /// By distance of the nearest own pawn ahead of the king, 7 for none. `[king's own file][distance]`
    pub shelter: [[Tapered; 8]; 2],
    /// `[relative rank]`
    pub passed_pawn: [Tapered; 8],
    /// Times the rank, by the own king's distance to the square ahead of the passed pawn.
    pub passer_own_king: [Tapered; 8],
    /// The same for the other king.
    pub passer_their_king: [Tapered; 8],
    /// Something stands right ahead. `[relative rank]`
    pub passer_blocked: [Tapered; 8],
    /// A pawn that a pawn guards. `[relative rank]`
    pub guarded_pawn: [Tapered; 8],
    /// A pawn with a neighbour on its rank. `[relative rank]`
    pub phalanx: [Tapered; 8],
    /// A knight or bishop that a pawn guards and no pawn can drive away. `[piece slot]`
    pub outpost: [Tapered; 2],
    pub isolated_pawn: Tapered,
    pub doubled_pawn: Tapered,
    /// Cannot be guarded by a pawn and cannot safely advance.
    pub backward_pawn: Tapered,
    pub bishop_pair: Tapered,
    pub rook_open_file: Tapered,
    pub rook_half_open_file: Tapered,
    pub pawn_attacks_minor: Tapered,
    pub pawn_attacks_major: Tapered,
    pub minor_attacks_rook: Tapered,
    pub minor_attacks_queen: Tapered,
    pub rook_attacks_queen: Tapered,
    /// An enemy piece without a pawn's guard is attacked.
    pub attacked_unguarded: Tapered,
    /// The right to move; only the middlegame half counts.
    pub tempo: Tapered,
    /// How much an attack by a knight, bishop, rook, queen adds to the danger count. Not fitted.
    pub danger_weights: [usize; 4],
}

impl EvalParams {
    #[inline(always)]
    pub(super) fn piece_square(&self, kind: PieceType, relative: Square) -> Tapered {
        self.piece_squares[kind.index()][relative.index()]
    }
}

const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

/// The weights in use.
#[rustfmt::skip]
pub static PARAMS: EvalParams = EvalParams {
    piece_squares: [
        [
        s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        s(80, 95), s(81, 95), s(83, 95), s(84, 95), s(84, 95), s(83, 95), s(81, 95), s(80, 95),
        s(80, 103), s(84, 103), s(88, 103), s(92, 103), s(92, 103), s(88, 103), s(84, 103), s(80, 103),
        s(84, 111), s(88, 111), s(92, 111), s(96, 111), s(96, 111), s(92, 111), s(88, 111), s(84, 111),
        s(88, 119), s(92, 119), s(96, 119), s(100, 119), s(100, 119), s(96, 119), s(92, 119), s(88, 119),
        s(96, 127), s(97, 127), s(99, 127), s(100, 127), s(100, 127), s(99, 127), s(97, 127), s(96, 127),
        s(100, 135), s(101, 135), s(103, 135), s(104, 135), s(104, 135), s(103, 135), s(101, 135), s(100, 135),
        s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        ],
        [
        s(296, 272), s(296, 272), s(296, 272), s(296, 272), s(296, 272), s(296, 272), s(296, 272), s(296, 272),
        s(299, 272), s(311, 282), s(311, 282), s(311, 282), s(311, 282), s(311, 282), s(311, 282), s(299, 272),
        s(302, 272), s(314, 282), s(326, 292), s(326, 292), s(326, 292), s(326, 292), s(314, 282), s(302, 272),
        s(305, 272), s(317, 282), s(329, 292), s(341, 302), s(341, 302), s(329, 292), s(317, 282), s(305, 272),
        s(308, 272), s(320, 282), s(332, 292), s(344, 302), s(344, 302), s(332, 292), s(320, 282), s(308, 272),
        s(311, 272), s(323, 282), s(335, 292), s(335, 292), s(335, 292), s(335, 292), s(323, 282), s(311, 272),
        s(314, 272), s(326, 282), s(326, 282), s(326, 282), s(326, 282), s(326, 282), s(326, 282), s(314, 272),
        s(317, 272), s(317, 272), s(317, 272), s(317, 272), s(317, 272), s(317, 272), s(317, 272), s(317, 272),
        ],
        [
        s(324, 292), s(324, 292), s(324, 292), s(324, 292), s(324, 292), s(324, 292), s(324, 292), s(324, 292),
        s(330, 292), s(337, 297), s(337, 297), s(337, 297), s(337, 297), s(337, 297), s(337, 297), s(330, 292),
        s(330, 292), s(337, 297), s(344, 302), s(344, 302), s(344, 302), s(344, 302), s(337, 297), s(330, 292),
        s(330, 292), s(337, 297), s(344, 302), s(351, 307), s(351, 307), s(344, 302), s(337, 297), s(330, 292),
        s(330, 292), s(337, 297), s(344, 302), s(351, 307), s(351, 307), s(344, 302), s(337, 297), s(330, 292),
        s(330, 292), s(337, 297), s(344, 302), s(344, 302), s(344, 302), s(344, 302), s(337, 297), s(330, 292),
        s(330, 292), s(337, 297), s(337, 297), s(337, 297), s(337, 297), s(337, 297), s(337, 297), s(330, 292),
        s(330, 292), s(330, 292), s(330, 292), s(330, 292), s(330, 292), s(330, 292), s(330, 292), s(330, 292),
        ],
        [
        s(465, 510), s(468, 510), s(471, 510), s(474, 510), s(474, 510), s(471, 510), s(468, 510), s(465, 510),
        s(465, 510), s(468, 510), s(471, 510), s(474, 510), s(474, 510), s(471, 510), s(468, 510), s(465, 510),
        s(465, 510), s(468, 510), s(471, 510), s(474, 510), s(474, 510), s(471, 510), s(468, 510), s(465, 510),
        s(465, 510), s(468, 510), s(471, 510), s(474, 510), s(474, 510), s(471, 510), s(468, 510), s(465, 510),
        s(465, 510), s(468, 510), s(471, 510), s(474, 510), s(474, 510), s(471, 510), s(468, 510), s(465, 510),
        s(465, 520), s(468, 520), s(471, 520), s(474, 520), s(474, 520), s(471, 520), s(468, 520), s(465, 520),
        s(480, 520), s(483, 520), s(486, 520), s(489, 520), s(489, 520), s(486, 520), s(483, 520), s(480, 520),
        s(465, 520), s(468, 520), s(471, 520), s(474, 520), s(474, 520), s(471, 520), s(468, 520), s(465, 520),
        ],
        [
        s(997, 930), s(997, 930), s(997, 930), s(997, 930), s(997, 930), s(997, 930), s(997, 930), s(997, 930),
        s(997, 930), s(999, 938), s(999, 938), s(999, 938), s(999, 938), s(999, 938), s(999, 938), s(997, 930),
        s(997, 930), s(999, 938), s(1001, 946), s(1001, 946), s(1001, 946), s(1001, 946), s(999, 938), s(997, 930),
        s(997, 930), s(999, 938), s(1001, 946), s(1003, 954), s(1003, 954), s(1001, 946), s(999, 938), s(997, 930),
        s(997, 930), s(999, 938), s(1001, 946), s(1003, 954), s(1003, 954), s(1001, 946), s(999, 938), s(997, 930),
        s(993, 930), s(995, 938), s(997, 946), s(997, 946), s(997, 946), s(997, 946), s(995, 938), s(993, 930),
        s(993, 930), s(995, 938), s(995, 938), s(995, 938), s(995, 938), s(995, 938), s(995, 938), s(993, 930),
        s(993, 930), s(993, 930), s(993, 930), s(993, 930), s(993, 930), s(993, 930), s(993, 930), s(993, 930),
        ],
        [
        s(21, -24), s(7, -24), s(-7, -24), s(-21, -24), s(-21, -24), s(-7, -24), s(7, -24), s(21, -24),
        s(3, -21), s(-11, -5), s(-25, -5), s(-39, -5), s(-39, -5), s(-25, -5), s(-11, -5), s(3, -21),
        s(-28, -18), s(-33, -2), s(-39, 14), s(-44, 14), s(-44, 14), s(-39, 14), s(-33, -2), s(-28, -18),
        s(-46, -15), s(-51, 1), s(-57, 17), s(-62, 33), s(-62, 33), s(-57, 17), s(-51, 1), s(-46, -15),
        s(-64, -12), s(-69, 4), s(-75, 20), s(-80, 36), s(-80, 36), s(-75, 20), s(-69, 4), s(-64, -12),
        s(-82, -9), s(-87, 7), s(-93, 23), s(-98, 23), s(-98, 23), s(-93, 23), s(-87, 7), s(-82, -9),
        s(-100, -6), s(-105, 10), s(-111, 10), s(-116, 10), s(-116, 10), s(-111, 10), s(-105, 10), s(-100, -6),
        s(-118, -3), s(-123, -3), s(-129, -3), s(-134, -3), s(-134, -3), s(-129, -3), s(-123, -3), s(-118, -3),
        ],
    ],
    mobility: [[s(-20, -19), s(-3, -2), s(4, 5), s(10, 10), s(14, 14), s(18, 18), s(22, 22), s(25, 25), s(29, 28), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0)],
        [s(-25, -31), s(-7, -12), s(1, -4), s(7, 2), s(12, 8), s(16, 12), s(20, 16), s(23, 20), s(27, 24), s(30, 27), s(33, 30), s(36, 33), s(38, 36), s(41, 38), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0)],
        [s(-30, -46), s(-20, -25), s(-15, -16), s(-12, -9), s(-9, -3), s(-7, 2), s(-5, 7), s(-3, 11), s(-1, 15), s(1, 19), s(3, 22), s(4, 25), s(6, 29), s(7, 32), s(9, 35), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0)],
        [s(-30, -77), s(-24, -63), s(-22, -57), s(-20, -52), s(-19, -48), s(-17, -45), s(-16, -42), s(-15, -39), s(-14, -36), s(-13, -34), s(-12, -31), s(-11, -29), s(-10, -27), s(-9, -25), s(-9, -23), s(-8, -21), s(-7, -19), s(-6, -18), s(-6, -16), s(-5, -14), s(-4, -13), s(-4, -11), s(-3, -9), s(-3, -8), s(-2, -6), s(-1, -5), s(-1, -3), s(0, -2)]],
    king_danger: [s(0, 0), s(0, 1), s(1, 2), s(3, 3), s(6, 4), s(9, 5), s(13, 6), s(17, 7), s(22, 8), s(28, 9), s(35, 10), s(42, 11), s(50, 12), s(59, 13), s(69, 14), s(79, 15), s(90, 16), s(101, 17), s(113, 18), s(126, 19), s(140, 20), s(154, 21), s(169, 22), s(185, 23), s(202, 24), s(219, 25), s(237, 26), s(255, 27), s(274, 28), s(294, 29), s(315, 30), s(336, 31), s(358, 32), s(381, 33), s(405, 34), s(429, 35), s(454, 36), s(479, 37), s(500, 38), s(500, 39), s(500, 40), s(500, 41), s(500, 42), s(500, 43), s(500, 44), s(500, 45), s(500, 46), s(500, 47)],
    shelter: [[s(0, 0), s(25, 0), s(15, 0), s(5, 0), s(0, 0), s(-5, 0), s(-8, 0), s(-18, 0)], [s(0, 0), s(30, 0), s(16, 0), s(2, 0), s(-5, 0), s(-10, 0), s(-15, 0), s(-28, 0)]],
    passed_pawn: [s(0, 0), s(-5, 8), s(-5, 14), s(0, 35), s(20, 65), s(50, 110), s(90, 170), s(0, 0)],
    passer_own_king: [s(0, 4), s(0, 3), s(0, 1), s(0, -1), s(0, -2), s(0, -3), s(0, -4), s(0, -4)],
    passer_their_king: [s(0, -8), s(0, -6), s(0, -2), s(0, 3), s(0, 6), s(0, 8), s(0, 9), s(0, 9)],
    passer_blocked: [s(0, 0), s(0, -5), s(0, -8), s(-4, -16), s(-6, -28), s(-10, -45), s(-20, -80), s(0, 0)],
    guarded_pawn: [s(0, 0), s(0, 0), s(12, 6), s(10, 6), s(14, 10), s(30, 25), s(60, 50), s(0, 0)],
    phalanx: [s(0, 0), s(3, 0), s(8, 4), s(12, 10), s(25, 25), s(60, 60), s(90, 90), s(0, 0)],
    outpost: [s(25, 15), s(20, 5)],
    isolated_pawn: s(-12, -10),
    doubled_pawn: s(-8, -18),
    backward_pawn: s(-8, -8),
    bishop_pair: s(28, 50),
    rook_open_file: s(35, 8),
    rook_half_open_file: s(16, 6),
    pawn_attacks_minor: s(55, 35),
    pawn_attacks_major: s(60, 30),
    minor_attacks_rook: s(35, 20),
    minor_attacks_queen: s(30, 15),
    rook_attacks_queen: s(35, 10),
    attacked_unguarded: s(8, 10),
    tempo: s(16, 16),
    danger_weights: [2, 2, 3, 4],
};
