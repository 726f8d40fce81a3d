//! Quiet moves: by squares and threats, and by pawn structure.

use super::continuation::ContKeys;
use super::value::{HistoryValue, zeroed};
use super::{ContKey, Histories};
use crate::board::{CheckInfo, Position};
use crate::types::{Bitboard, Color, Move, Piece};

const QUIET_MAX: i32 = 16_384;
type Value = HistoryValue<QUIET_MAX>;

/// Butterfly history, told apart by whether the squares left and reached are attacked by the opponent:
/// fleeing and walking into danger are different moves.
/// `[color][from attacked * 2 + to attacked][from + 64 * to]`
pub(in crate::search) struct QuietHistory(Box<[Value; 2 * 4 * 4096]>);

impl Default for QuietHistory {
    fn default() -> QuietHistory {
        QuietHistory(zeroed())
    }
}

impl QuietHistory {
    #[inline(always)]
    fn index(color: Color, threats: Bitboard, mv: Move) -> usize {
        let danger = usize::from(threats.has(mv.from())) * 2 + usize::from(threats.has(mv.to()));
        (color.index() * 4 + danger) * 4096 + mv.from_to()
    }

    #[inline(always)]
    pub(in crate::search) fn get(&self, color: Color, threats: Bitboard, mv: Move) -> i32 {
        self.0[QuietHistory::index(color, threats, mv)].get()
    }

    #[inline(always)]
    pub(in crate::search) fn update(&mut self, color: Color, threats: Bitboard, mv: Move, bonus: i32) {
        self.0[QuietHistory::index(color, threats, mv)].update(bonus);
    }
}

/// What a direct check adds to the ordering score of a quiet move.
const CHECK_BONUS: i32 = 12_000;

const PAWN_STRUCTURES: usize = 1024;

/// History by pawn structure: where pieces belong depends on it. `[pawn key][piece][to]`
pub(in crate::search) struct PawnHistory(Box<[Value; PAWN_STRUCTURES * 768]>);

impl Default for PawnHistory {
    fn default() -> PawnHistory {
        PawnHistory(zeroed())
    }
}

impl PawnHistory {
    #[inline(always)]
    fn index(pawn_key: u64, key: ContKey) -> usize {
        (pawn_key as usize % PAWN_STRUCTURES) * 768 + key.index()
    }
}

/// What quiet history scores in a node depend on besides the move.
#[derive(Clone, Copy)]
pub(in crate::search) struct QuietContext {
    pub(in crate::search) color: Color,
    /// Squares that the opponent attacks.
    pub(in crate::search) threats: Bitboard,
    pub(in crate::search) pawn_key: u64,
    /// Which moves give check.
    pub(in crate::search) checks: CheckInfo,
    /// The moves that led here.
    pub(in crate::search) before: ContKeys,
}

impl QuietContext {
    pub(in crate::search) fn new(position: &Position, before: ContKeys) -> QuietContext {
        QuietContext {
            color: position.stm(),
            threats: position.attacked_squares(!position.stm()),
            pawn_key: position.keys().pawn(),
            checks: position.check_info(),
            before,
        }
    }
}

impl QuietContext {
    /// Stands in where no quiet move will be looked at.
    pub(in crate::search) fn unused(position: &Position) -> QuietContext {
        QuietContext {
            color: position.stm(),
            threats: Bitboard::EMPTY,
            pawn_key: 0,
            checks: CheckInfo { squares: [Bitboard::EMPTY; 6], discoverers: Bitboard::EMPTY },
            before: [ContKey::NONE; 4],
        }
    }
}

impl Histories {
    /// How promising a quiet move of `piece` looks; used for ordering. Within about plus or minus 98,000.
    #[inline(always)]
    pub(in crate::search) fn quiet_order(&self, context: &QuietContext, piece: Piece, mv: Move) -> i32 {
        let key = ContKey::new(piece, mv.to());
        let [one, two, four, six] = self.continuation.get_all(&context.before, key);
        2 * self.quiet.get(context.color, context.threats, mv)
            + 2 * self.pawn.0[PawnHistory::index(context.pawn_key, key)].get()
            + one
            + two
            + four / 2
            + six / 2
            + CHECK_BONUS * i32::from(context.checks.squares[piece.kind().index()].has(mv.to()))
    }

    /// The same with the parts that say most about a move that was already sorted late; used for
    /// pruning and reductions. Within plus or minus 65,536.
    #[inline(always)]
    pub(in crate::search) fn quiet_merit(&self, context: &QuietContext, piece: Piece, mv: Move) -> i32 {
        let key = ContKey::new(piece, mv.to());
        let [one, two, _, _] = self.continuation.get_all(&context.before, key);
        2 * self.quiet.get(context.color, context.threats, mv) + one + two
    }

    /// Teaches all quiet tables about a move.
    pub(in crate::search) fn update_quiet(
        &mut self,
        context: &QuietContext,
        piece: Piece,
        mv: Move,
        bonus: i32,
    ) {
        let key = ContKey::new(piece, mv.to());
        self.quiet.update(context.color, context.threats, mv, bonus);
        self.pawn.0[PawnHistory::index(context.pawn_key, key)].update(bonus);
        self.continuation.update_all(&context.before, key, bonus);
    }
}
