//! The numbers of the hand-made evaluation.
//!
//! Set by hand as a start, then fitted by gradient descent on the logistic loss (CPW: "Texel's Tuning
//! Method") to 300,000 quiet positions of the engine's own games at 3,000 nodes a move, with the mean
//! of game result and search score as the target and a pull towards the hand-set values.

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
            s(76, 94), s(84, 95), s(80, 98), s(81, 101), s(79, 96), s(90, 103), s(87, 98), s(84, 94),
            s(81, 101), s(84, 108), s(85, 109), s(87, 115), s(89, 110), s(81, 103), s(89, 94), s(77, 101),
            s(79, 98), s(79, 99), s(93, 106), s(94, 104), s(90, 103), s(87, 105), s(81, 102), s(80, 110),
            s(96, 128), s(85, 107), s(90, 112), s(97, 111), s(102, 119), s(92, 110), s(89, 113), s(86, 127),
            s(98, 140), s(95, 116), s(100, 127), s(100, 130), s(104, 131), s(102, 122), s(93, 131), s(101, 127),
            s(101, 136), s(101, 137), s(101, 127), s(104, 134), s(104, 135), s(103, 136), s(101, 137), s(103, 139),
            s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        ],
        [
            s(296, 273), s(291, 269), s(296, 272), s(297, 273), s(299, 273), s(297, 272), s(296, 266), s(296, 273),
            s(298, 274), s(308, 281), s(310, 284), s(318, 282), s(308, 285), s(310, 278), s(314, 281), s(306, 271),
            s(304, 271), s(308, 286), s(315, 281), s(331, 289), s(339, 291), s(322, 287), s(312, 285), s(301, 273),
            s(309, 272), s(319, 281), s(329, 295), s(341, 297), s(329, 301), s(332, 288), s(317, 283), s(311, 276),
            s(310, 276), s(325, 285), s(332, 292), s(343, 298), s(342, 302), s(340, 298), s(322, 289), s(312, 275),
            s(310, 271), s(322, 280), s(337, 290), s(340, 292), s(335, 293), s(336, 291), s(320, 280), s(313, 274),
            s(314, 271), s(325, 282), s(326, 281), s(326, 282), s(325, 283), s(324, 282), s(325, 283), s(314, 272),
            s(317, 271), s(317, 272), s(317, 272), s(317, 272), s(317, 272), s(317, 271), s(317, 271), s(315, 272),
        ],
        [
            s(323, 293), s(324, 293), s(328, 290), s(327, 293), s(319, 290), s(322, 289), s(324, 292), s(325, 292),
            s(334, 291), s(339, 293), s(338, 292), s(336, 293), s(340, 293), s(332, 297), s(352, 303), s(324, 291),
            s(335, 294), s(340, 298), s(346, 306), s(340, 300), s(341, 300), s(341, 306), s(334, 302), s(327, 293),
            s(322, 291), s(342, 297), s(349, 302), s(349, 308), s(356, 306), s(338, 306), s(339, 297), s(328, 291),
            s(327, 291), s(334, 300), s(350, 303), s(357, 307), s(349, 304), s(346, 303), s(337, 295), s(330, 293),
            s(329, 293), s(337, 299), s(342, 301), s(344, 302), s(346, 301), s(345, 302), s(340, 302), s(332, 291),
            s(328, 293), s(336, 296), s(334, 299), s(336, 297), s(337, 295), s(338, 298), s(338, 297), s(326, 291),
            s(328, 291), s(330, 294), s(330, 293), s(329, 292), s(330, 292), s(330, 293), s(330, 293), s(330, 293),
        ],
        [
            s(464, 505), s(467, 506), s(484, 513), s(482, 508), s(471, 518), s(481, 511), s(473, 510), s(478, 509),
            s(465, 510), s(468, 507), s(466, 507), s(477, 513), s(472, 507), s(463, 509), s(464, 508), s(458, 508),
            s(454, 510), s(472, 510), s(468, 511), s(471, 509), s(472, 507), s(472, 508), s(466, 508), s(455, 507),
            s(464, 509), s(466, 511), s(472, 513), s(473, 512), s(473, 511), s(472, 511), s(469, 510), s(462, 507),
            s(466, 515), s(470, 514), s(472, 512), s(475, 511), s(472, 512), s(469, 511), s(466, 509), s(470, 514),
            s(469, 525), s(468, 519), s(473, 523), s(475, 519), s(475, 520), s(473, 519), s(467, 519), s(466, 516),
            s(484, 523), s(482, 520), s(489, 524), s(492, 523), s(491, 523), s(486, 520), s(481, 517), s(478, 514),
            s(467, 522), s(469, 521), s(472, 522), s(475, 522), s(474, 522), s(471, 519), s(468, 520), s(467, 523),
        ],
        [
            s(996, 930), s(999, 930), s(998, 930), s(1000, 931), s(996, 929), s(995, 930), s(999, 930), s(1000, 931),
            s(996, 930), s(999, 936), s(1002, 934), s(996, 939), s(999, 938), s(1000, 937), s(1002, 937), s(997, 930),
            s(996, 929), s(989, 935), s(998, 945), s(999, 945), s(999, 945), s(1000, 944), s(1000, 936), s(1001, 930),
            s(999, 930), s(996, 938), s(1001, 947), s(1004, 955), s(1004, 955), s(1001, 947), s(1002, 938), s(996, 931),
            s(1003, 931), s(995, 938), s(1001, 946), s(1001, 954), s(1001, 955), s(1000, 946), s(1000, 939), s(1000, 929),
            s(991, 930), s(994, 938), s(997, 947), s(996, 946), s(998, 947), s(997, 947), s(992, 937), s(992, 930),
            s(994, 930), s(996, 938), s(998, 940), s(995, 938), s(995, 939), s(996, 939), s(996, 939), s(992, 930),
            s(992, 930), s(994, 931), s(994, 931), s(993, 931), s(992, 930), s(994, 930), s(994, 931), s(997, 932),
        ],
        [
            s(19, -24), s(13, -24), s(-5, -16), s(-22, -24), s(-24, -17), s(-14, -22), s(18, -18), s(13, -30),
            s(-1, -26), s(-11, -5), s(-27, -9), s(-46, -5), s(-35, -2), s(-16, 4), s(-11, -3), s(3, -13),
            s(-28, -19), s(-31, 1), s(-39, 14), s(-44, 12), s(-43, 10), s(-39, 9), s(-29, 6), s(-22, -12),
            s(-46, -15), s(-51, 1), s(-57, 19), s(-66, 16), s(-64, 25), s(-58, 9), s(-51, 2), s(-47, -21),
            s(-64, -12), s(-69, 6), s(-77, 15), s(-82, 22), s(-82, 23), s(-75, 17), s(-69, 5), s(-65, -13),
            s(-81, -5), s(-87, 8), s(-93, 22), s(-98, 23), s(-98, 24), s(-93, 25), s(-87, 10), s(-82, -8),
            s(-99, -2), s(-104, 13), s(-111, 11), s(-116, 12), s(-116, 11), s(-111, 12), s(-105, 12), s(-100, -4),
            s(-118, -1), s(-122, -1), s(-129, -2), s(-134, -3), s(-134, -3), s(-129, -2), s(-123, -2), s(-118, -3),
        ],
    ],
    mobility: [
        [
            s(-21, -20), s(1, -10), s(5, 6), s(11, 11), s(16, 17), s(21, 25), s(26, 24),
            s(29, 24), s(38, 14), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
            s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
            s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        ],
        [
            s(-27, -32), s(-9, -16), s(-2, 0), s(11, 3), s(10, 8), s(22, 14), s(25, 20),
            s(23, 23), s(27, 29), s(32, 30), s(33, 32), s(35, 26), s(39, 36), s(41, 33),
            s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
            s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        ],
        [
            s(-35, -49), s(-19, -26), s(-12, -18), s(-14, -7), s(-7, -9), s(-8, 7), s(-7, 6),
            s(-6, 19), s(1, 19), s(5, 28), s(10, 29), s(8, 37), s(12, 32), s(8, 29),
            s(10, 16), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
            s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        ],
        [
            s(-30, -77), s(-21, -63), s(-24, -57), s(-21, -51), s(-17, -48), s(-20, -46), s(-20, -43),
            s(-19, -41), s(-12, -38), s(-10, -37), s(-12, -32), s(-10, -28), s(-13, -25), s(-8, -25),
            s(-11, -20), s(-6, -18), s(-4, -17), s(-4, -15), s(-5, -15), s(-4, -13), s(-4, -12),
            s(-4, -11), s(-3, -9), s(-4, -10), s(-2, -6), s(-2, -6), s(-1, -3), s(0, -2),
        ],
    ],
    king_danger: [
        s(13, 4), s(6, 0), s(12, 7), s(1, 3), s(14, 4), s(11, 5), s(21, 7), s(15, 3),
        s(23, 12), s(29, 9), s(32, 10), s(41, 11), s(44, 12), s(59, 13), s(67, 14), s(79, 15),
        s(79, 15), s(104, 18), s(108, 17), s(124, 18), s(135, 19), s(154, 21), s(167, 22), s(185, 23),
        s(198, 22), s(218, 25), s(235, 25), s(255, 27), s(272, 27), s(293, 29), s(315, 30), s(336, 31),
        s(357, 31), s(381, 33), s(405, 34), s(429, 35), s(454, 36), s(479, 37), s(500, 38), s(500, 39),
        s(500, 40), s(500, 41), s(500, 42), s(500, 43), s(500, 44), s(500, 45), s(500, 46), s(500, 47),
    ],
    shelter: [
        [s(10, -2), s(20, -7), s(7, -1), s(3, -4), s(2, 1), s(-2, 5), s(-8, 1), s(-10, -2)],
        [s(0, 0), s(26, 1), s(14, -6), s(1, -1), s(-6, 3), s(-9, 0), s(-14, 1), s(-21, 3)],
    ],
    passed_pawn: [s(0, 0), s(-6, 9), s(-9, 8), s(-2, 40), s(17, 71), s(51, 108), s(92, 170), s(0, 0)],
    passer_own_king: [s(1, 11), s(-7, 16), s(-4, 4), s(0, -1), s(-2, -4), s(-1, -6), s(-1, -5), s(1, -3)],
    passer_their_king: [s(-6, -9), s(4, -15), s(0, -1), s(-1, 6), s(0, 10), s(0, 13), s(-4, 16), s(-7, 18)],
    passer_blocked: [s(0, 0), s(1, -7), s(-3, -7), s(-3, -17), s(-8, -28), s(-13, -41), s(-22, -84), s(0, 0)],
    guarded_pawn: [s(0, 0), s(0, 0), s(10, 8), s(7, 5), s(14, 7), s(32, 34), s(60, 46), s(0, 0)],
    phalanx: [s(0, 0), s(2, 3), s(5, -1), s(9, 10), s(26, 22), s(60, 58), s(90, 90), s(0, 0)],
    outpost: [s(15, 11), s(18, 1)],
    isolated_pawn: s(-11, -8),
    doubled_pawn: s(-12, -17),
    backward_pawn: s(-5, -15),
    bishop_pair: s(31, 52),
    rook_open_file: s(42, -4),
    rook_half_open_file: s(20, 15),
    pawn_attacks_minor: s(49, 30),
    pawn_attacks_major: s(54, 28),
    minor_attacks_rook: s(41, 18),
    minor_attacks_queen: s(35, 16),
    rook_attacks_queen: s(41, 11),
    attacked_unguarded: s(10, 18),
    tempo: s(8, 16),
    danger_weights: [2, 2, 3, 4],
};
