//! The hand-made evaluation: material, piece squares, mobility, pawns, king safety, threats.
//!
//! Every term is a parameter times a count, so the whole is linear in [`EvalParams`] apart from the
//! king-danger table, which is indexed by a count of attacks.

use super::params::EvalParams;
use super::tapered::Tapered;
use crate::attacks::{
    bishop_attacks, king_attacks, knight_attacks, pawn_attacks, pawn_attacks_of_set, rook_attacks,
};
use crate::board::Position;
use crate::types::{Bitboard, Color, PieceType, Rank, Square};

/// Game phase of the initial men; 0 is a pawn ending.
pub(super) const FULL_PHASE: i32 = 24;
/// `[type]`
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// The evaluation before the phases are blended.
#[derive(Clone, Copy, Debug)]
pub struct Breakdown {
    /// White's score minus Black's.
    pub white: Tapered,
    /// 24 with all pieces on the board, 0 with none.
    pub phase: i32,
}

impl Breakdown {
    /// Middlegame and endgame values weighted by the phase, in centipawns for White.
    #[inline]
    pub fn tapered(&self) -> i32 {
        let phase = self.phase.min(FULL_PHASE);
        (self.white.middlegame() * phase + self.white.endgame() * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

/// Evaluates with the given parameters; the tempo is left out.
pub fn breakdown(params: &EvalParams, position: &Position) -> Breakdown {
    let facts = [Facts::new(position, Color::White), Facts::new(position, Color::Black)];
    let mut phase = 0;
    for kind in PieceType::ALL {
        phase += PHASE[kind.index()] * position.of_type(kind).count() as i32;
    }
    let white = side(params, position, &facts, Color::White) - side(params, position, &facts, Color::Black);
    Breakdown { white, phase }
}

/// What one side's evaluation needs to know of either side.
struct Facts {
    king: Square,
    king_zone: Bitboard,
    pawns: Bitboard,
    pawn_attacks: Bitboard,
}

impl Facts {
    #[inline(always)]
    fn new(position: &Position, color: Color) -> Facts {
        let king = position.king(color);
        let ring = king_attacks(king).with(king);
        let pawns = position.pieces(color, PieceType::Pawn);
        Facts {
            king,
            king_zone: ring | ring.forward(color),
            pawns,
            pawn_attacks: pawn_attacks_of_set(color, pawns),
        }
    }
}

#[inline(always)]
fn side(params: &EvalParams, position: &Position, facts: &[Facts; 2], us: Color) -> Tapered {
    let (own, their) = (&facts[us.index()], &facts[(!us).index()]);
    pieces(params, position, own, their, us)
        + pawns(params, position, own, their, us)
        + shelter(params, own, us)
}

/// Material, placement, mobility, pressure on the enemy king, threats.
#[inline(always)]
fn pieces(params: &EvalParams, position: &Position, own: &Facts, their: &Facts, us: Color) -> Tapered {
    let them = !us;
    let occupied = position.occupied();
    let all_pawns = own.pawns | their.pawns;
    let mut score = Tapered::ZERO;
    let mut danger = 0;
    let mut attacked = own.pawn_attacks;

    score += params.piece_square(PieceType::King, own.king.relative_to(us));
    // Squares of the own king, of pawns that are blocked or at home, and squares that enemy pawns guard do
    // not count as mobility.
    let stuck = own.pawns & (occupied.forward(them) | Rank::R2.relative_to(us).bitboard());
    let area = !(stuck | own.king.bitboard() | their.pawn_attacks);
    for (slot, kind) in
        [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen].into_iter().enumerate()
    {
        for square in position.pieces(us, kind) {
            score += params.piece_square(kind, square.relative_to(us));
            let reach = match kind {
                PieceType::Knight => knight_attacks(square),
                // Batteries: sliders see through their partners.
                PieceType::Bishop => bishop_attacks(square, occupied ^ position.pieces(us, PieceType::Queen)),
                PieceType::Rook => rook_attacks(square, occupied ^ position.orthogonal_sliders(us)),
                _ => bishop_attacks(square, occupied) | rook_attacks(square, occupied),
            };
            attacked |= reach;
            score += params.mobility[slot][(reach & area).count() as usize];
            let pressure = (reach & their.king_zone).count();
            danger += params.danger_weights[slot] * pressure as usize;
            if matches!(kind, PieceType::Knight | PieceType::Bishop) {
                let prey = reach & position.colored(them);
                score +=
                    params.minor_attacks_rook * (prey & position.of_type(PieceType::Rook)).count() as i32;
                score +=
                    params.minor_attacks_queen * (prey & position.of_type(PieceType::Queen)).count() as i32;
                let outpost = Rank::R4.relative_to(us).bitboard()
                    | Rank::R5.relative_to(us).bitboard()
                    | Rank::R6.relative_to(us).bitboard();
                if (outpost & own.pawn_attacks).has(square)
                    && (forward_cone(us, square) & !square.file().bitboard() & their.pawns).is_empty()
                {
                    score += params.outpost[slot];
                }
            }
            if kind == PieceType::Rook {
                let file = square.file().bitboard();
                if (file & all_pawns).is_empty() {
                    score += params.rook_open_file;
                } else if (file & own.pawns).is_empty() {
                    score += params.rook_half_open_file;
                }
                score += params.rook_attacks_queen
                    * (reach & position.pieces(them, PieceType::Queen)).count() as i32;
            }
        }
    }
    if position.pieces(us, PieceType::Bishop).many() {
        score += params.bishop_pair;
    }
    let prey = own.pawn_attacks & position.colored(them);
    score += params.pawn_attacks_minor
        * (prey & (position.of_type(PieceType::Knight) | position.of_type(PieceType::Bishop))).count() as i32;
    score += params.pawn_attacks_major
        * (prey & (position.of_type(PieceType::Rook) | position.of_type(PieceType::Queen))).count() as i32;
    let loose = position.colored(them) & !their.pawns & !their.pawn_attacks & !their.king.bitboard();
    score += params.attacked_unguarded * (loose & attacked).count() as i32;

    if position.pieces(us, PieceType::Queen).is_empty() {
        danger /= 2;
    }
    score + params.king_danger[danger.min(params.king_danger.len() - 1)]
}

/// Squares ahead of `square` on its own and the neighbouring files.
#[inline(always)]
fn forward_cone(us: Color, square: Square) -> Bitboard {
    let file = square.bitboard();
    (file | file.east() | file.west()).forward_fill(us)
}

/// Pawn structure and passed pawns.
#[inline(always)]
fn pawns(params: &EvalParams, position: &Position, own: &Facts, their: &Facts, us: Color) -> Tapered {
    let mut score = Tapered::ZERO;
    let occupied = position.occupied();
    for square in own.pawns {
        score += params.piece_square(PieceType::Pawn, square.relative_to(us));
        let rank = square.rank().relative_to(us).index();
        let file = square.file().bitboard();
        let neighbours = file.east() | file.west();
        let ahead = square.bitboard().forward_fill(us);
        if (own.pawns & neighbours).is_empty() {
            score += params.isolated_pawn;
        }
        if own.pawns.meets(ahead) {
            score += params.doubled_pawn;
        }
        if own.pawn_attacks.has(square) {
            score += params.guarded_pawn[rank];
        }
        let beside = square.bitboard().east() | square.bitboard().west();
        if own.pawns.meets(beside) {
            score += params.phalanx[rank];
        }
        if (forward_cone(us, square) & their.pawns).is_empty() && !own.pawns.meets(ahead) {
            score += params.passed_pawn[rank];
            let stop = square.offset(us.forward());
            score += params.passer_own_king[distance(own.king, stop)] * rank as i32;
            score += params.passer_their_king[distance(their.king, stop)] * rank as i32;
            if occupied.has(stop) {
                score += params.passer_blocked[rank];
            }
        } else if !own.pawn_attacks.has(square)
            && (neighbours & own.pawns & !ahead_of_rank(us, square)).is_empty()
            && pawn_attacks(us, square.offset(us.forward())).meets(their.pawns)
        {
            score += params.backward_pawn;
        }
    }
    score
}

/// All squares of higher ranks than `square`, as `us` counts them.
#[inline(always)]
fn ahead_of_rank(us: Color, square: Square) -> Bitboard {
    square.rank().bitboard().forward_fill(us)
}

/// Steps a king needs between two squares.
#[inline(always)]
fn distance(a: Square, b: Square) -> usize {
    let files = a.file().index().abs_diff(b.file().index());
    let ranks = a.rank().index().abs_diff(b.rank().index());
    files.max(ranks)
}

/// Own pawns in front of the king, and files without them.
#[inline(always)]
fn shelter(params: &EvalParams, own: &Facts, us: Color) -> Tapered {
    let mut score = Tapered::ZERO;
    let king_file = own.king.file().bitboard();
    let from_king_on = own.king.rank().bitboard() | ahead_of_rank(us, own.king);
    for (slot, file) in [king_file.west(), king_file, king_file.east()].into_iter().enumerate() {
        if file.is_empty() {
            continue;
        }
        let guards = own.pawns & file & from_king_on;
        let nearest = match us {
            Color::White => guards.first(),
            Color::Black => guards.last(),
        };
        let gap = nearest.map_or(7, |pawn| pawn.rank().index().abs_diff(own.king.rank().index()));
        score += params.shelter[usize::from(slot == 1)][gap];
    }
    score
}
