//! Quiet moves: by squares and threats (butterfly history), by pawn structure, and as continuations of earlier moves
//! of the line: one ply back it is the reply to a move (the counter move idea), two plies back the follow-up to one's
//! own, and so on.

use std::collections::TryReserveError;

use super::{Histories, HistoryValue, zeroed_with};
use crate::board::{CheckInfo, Position};
use crate::search::params::Params;
use crate::types::{Bitboard, Color, Move, Piece, Square};

const QUIET_MAX: i32 = 16_384;
type Value = HistoryValue<QUIET_MAX>;

/// Scores of quiet moves by their squares.
///
/// - Technique: [Butterfly history](https://www.chessprogramming.org/History_Heuristic)
/// - Assumes: a quiet move that caused cutoffs elsewhere does so here
/// - Units: history score, plus or minus `QUIET_MAX`; plus or minus twice that in all
/// - Elo: not measured alone; apart by threats in bundle A, the rows without in bundle H: +30.0 +- 17.7, 800
///   games, 20,000 nodes (2026-12-03)
///
/// Butterfly history, told apart by whether the squares left and reached are attacked by the opponent:
/// fleeing and walking into danger are different moves.
/// `[color * 4 + from attacked * 2 + to attacked][from + 64 * to]`, and two rows by color alone, which learn faster
/// and count for as much ([`QuietHistory::get`]; bundle H).
pub(in crate::search) struct QuietHistory(Box<[[Value; 4096]; 10]>);

/// Rows that are apart by threats.
const THREAT_ROWS: usize = 8;

impl QuietHistory {
    pub(super) fn new() -> Result<QuietHistory, TryReserveError> {
        Ok(QuietHistory(zeroed_with([Value::default(); 4096])?))
    }

    pub(super) fn clear(&mut self) {
        self.0.fill([Value::default(); 4096]);
    }

    pub(super) fn age(&mut self, kept: i32) {
        self.0.iter_mut().flatten().for_each(|value| value.age(kept));
    }
}

impl QuietHistory {
    #[inline(always)]
    fn row(color: Color, threats: Bitboard, mv: Move) -> usize {
        color.index() * 4 + usize::from(threats.has(mv.from())) * 2 + usize::from(threats.has(mv.to()))
    }

    /// The sum of the scores with threats and without.
    #[inline(always)]
    fn get(&self, color: Color, threats: Bitboard, mv: Move) -> i32 {
        let [special, general] = [QuietHistory::row(color, threats, mv), THREAT_ROWS + color.index()];
        self.0[special][mv.from_to()].get() + self.0[general][mv.from_to()].get()
    }

    #[inline(always)]
    fn update(&mut self, color: Color, threats: Bitboard, mv: Move, bonus: i32) {
        for row in [QuietHistory::row(color, threats, mv), THREAT_ROWS + color.index()] {
            self.0[row][mv.from_to()].update(bonus);
        }
    }
}

const PAWN_STRUCTURES: usize = 1024;

/// Scores of quiet moves by pawn structure. `[pawn key][piece and to]`
///
/// - Technique: [Pawn history](https://www.chessprogramming.org/History_Heuristic)
/// - Assumes: where pieces belong depends on the pawns
/// - Units: history score, plus or minus `QUIET_MAX`; counts twice in the order
/// - Elo: not measured alone; in bundle A
pub(in crate::search) struct PawnHistory(Box<[[Value; 768]; PAWN_STRUCTURES]>);

impl PawnHistory {
    pub(super) fn new() -> Result<PawnHistory, TryReserveError> {
        Ok(PawnHistory(zeroed_with([Value::default(); 768])?))
    }

    pub(super) fn clear(&mut self) {
        self.0.fill([Value::default(); 768]);
    }
}

impl PawnHistory {
    #[inline(always)]
    fn row(pawn_key: u64) -> usize {
        pawn_key as usize % PAWN_STRUCTURES
    }
}

/// What the tables that do not depend on earlier moves ask of a position.
#[derive(Clone, Copy)]
pub(in crate::search) struct HistoryKey {
    /// The side to move.
    color: Color,
    /// Squares that the opponent attacks.
    threats: Bitboard,
    pawn_key: u64,
}

impl Default for HistoryKey {
    fn default() -> HistoryKey {
        HistoryKey { color: Color::White, threats: Bitboard::EMPTY, pawn_key: 0 }
    }
}

const NO_CHECKS: CheckInfo = CheckInfo { squares: [Bitboard::EMPTY; 6], discoverers: Bitboard::EMPTY };

/// What quiet history scores in a node depend on besides the move.
#[derive(Clone, Copy)]
pub(in crate::search) struct QuietContext {
    pub(in crate::search) key: HistoryKey,
    /// Which moves give check.
    pub(in crate::search) checks: CheckInfo,
    /// The moves that led here.
    pub(in crate::search) before: ContKeys,
}

impl QuietContext {
    pub(in crate::search) fn new(position: &Position, before: ContKeys) -> QuietContext {
        QuietContext { checks: position.check_info(), ..QuietContext::without_checks(position, before) }
    }

    /// For updates, which do not ask whether a move gives check.
    pub(in crate::search) fn without_checks(position: &Position, before: ContKeys) -> QuietContext {
        QuietContext {
            key: HistoryKey {
                color: position.stm(),
                threats: position.attacked_squares(!position.stm()),
                pawn_key: position.keys().pawn(),
            },
            checks: NO_CHECKS,
            before,
        }
    }

    /// Stands in where no quiet move will be looked at.
    pub(in crate::search) fn noisy_only(position: &Position) -> QuietContext {
        let threats = position.attacked_squares(!position.stm());
        QuietContext {
            key: HistoryKey { color: position.stm(), threats, ..HistoryKey::default() },
            checks: NO_CHECKS,
            before: [ContKey::NONE; 4],
        }
    }

    /// Squares that the opponent attacks, as capture history asks for them.
    #[inline(always)]
    pub(in crate::search) fn threats(&self) -> Bitboard {
        self.key.threats
    }
}

impl Histories {
    /// What gives the quiet moves of a position their ordering scores: how promising they look, within about plus or
    /// minus 140,000.
    ///
    /// - Technique: [Quiet checks and escapes first](https://www.chessprogramming.org/Move_Ordering)
    /// - Assumes: a safe check, and a piece that leaves the attack of a lesser one, are worth an early look
    /// - Units: history score: `check_bonus`, `escape_bonus`; `check_see` internal units
    /// - Elo: not measured alone; in bundle B. Checks early: see SEE pruning
    pub(in crate::search) fn quiet_scorer<'a>(
        &'a self,
        position: &'a Position,
        p: &'a Params,
        context: &'a QuietContext,
    ) -> impl Fn(Move) -> i32 + 'a {
        // The rows do not depend on the move.
        let pawn = &self.pawn.0[PawnHistory::row(context.key.pawn_key)];
        let [one, two, four, six] = self.continuation.rows(&context.before);
        let danger = position.lesser_attacks(!context.key.color);
        move |mv| {
            let Some(piece) = position.piece_on(mv.from()) else { return 0 };
            let slot = slot(piece, mv.to());
            let checks =
                context.checks.squares[piece.kind().index()].has(mv.to()) && position.see(mv, p.check_see);
            let danger = danger[piece.kind().index()];
            let escape = i32::from(danger.has(mv.from())) - i32::from(danger.has(mv.to()));
            self.quiet.get(context.key.color, context.key.threats, mv)
                + 2 * pawn[slot].get()
                + one[slot].get()
                + two[slot].get()
                + four[slot].get() / 2
                + six[slot].get() / 2
                + p.check_bonus * i32::from(checks)
                + p.escape_bonus * escape
        }
    }

    /// The parts of a quiet move's score that say most about a move that was already sorted late; for
    /// pruning and reductions. Within plus or minus 65,536.
    #[inline(always)]
    pub(in crate::search) fn quiet_history(&self, context: &QuietContext, piece: Piece, mv: Move) -> i32 {
        let [one, two, _, _] = self.continuation.rows(&context.before);
        let slot = slot(piece, mv.to());
        self.quiet.get(context.key.color, context.key.threats, mv) + one[slot].get() + two[slot].get()
    }

    /// Updates the tables that do not depend on earlier moves for a move from the position with this key.
    pub(in crate::search) fn update_main(
        &mut self,
        key: HistoryKey,
        cont_key: ContKey,
        mv: Move,
        bonus: i32,
    ) {
        self.quiet.update(key.color, key.threats, mv, bonus);
        self.pawn.0[PawnHistory::row(key.pawn_key)][cont_key.index()].update(bonus);
    }

    /// Updates all quiet tables for a move.
    pub(in crate::search) fn update_quiet(
        &mut self,
        context: &QuietContext,
        piece: Piece,
        mv: Move,
        bonus: i32,
    ) {
        self.quiet.update(context.key.color, context.key.threats, mv, bonus);
        self.pawn.0[PawnHistory::row(context.key.pawn_key)][slot(piece, mv.to())].update(bonus);
        self.continuation.update_all(&context.before, ContKey::new(piece, mv.to()), bonus);
    }
}

const CONTINUATION_MAX: i32 = 16_384;
/// Different moves by piece and target square.
pub(super) const KEYS: usize = 12 * 64;

/// A move as the tables see it: which piece went where.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct ContKey(u16);

impl ContKey {
    /// Before the root, or a null move. It has a row of its own, which stays zero.
    pub(in crate::search) const NONE: ContKey = ContKey(KEYS as u16);

    #[inline(always)]
    pub(in crate::search) fn new(piece: Piece, to: Square) -> ContKey {
        ContKey(slot(piece, to) as u16)
    }

    /// A move of this position.
    #[inline(always)]
    pub(in crate::search) fn of(position: &Position, mv: Move) -> ContKey {
        position.piece_on(mv.from()).map_or(ContKey::NONE, |piece| ContKey::new(piece, mv.to()))
    }

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Index of a piece's move, below 768.
#[inline(always)]
pub(super) fn slot(piece: Piece, to: Square) -> usize {
    piece.index() * 64 + to.index()
}

impl Default for ContKey {
    fn default() -> ContKey {
        ContKey::NONE
    }
}

/// The moves 1, 2, 4 and 6 plies ago.
pub(in crate::search) type ContKeys = [ContKey; 4];

/// The scores of all moves after one earlier move. `[piece][to]`
pub(super) type Row = [HistoryValue<CONTINUATION_MAX>; KEYS];

/// Scores of moves as continuations. `[earlier piece][earlier to]`, and one row for no earlier move.
///
/// - Technique: [Continuation history](https://www.chessprogramming.org/History_Heuristic)
/// - Assumes: a move is good or bad as an answer to one move and as a follow-up to another
/// - Units: history score, plus or minus `CONTINUATION_MAX`; those 4 and 6 plies back count half
/// - Elo: not measured alone; in bundle A
pub(in crate::search) struct ContinuationHistory(Box<[Row; KEYS + 1]>);

impl ContinuationHistory {
    pub(super) fn new() -> Result<ContinuationHistory, TryReserveError> {
        Ok(ContinuationHistory(zeroed_with([HistoryValue::default(); KEYS])?))
    }

    pub(super) fn clear(&mut self) {
        self.0.fill([HistoryValue::default(); KEYS]);
    }
}

impl ContinuationHistory {
    #[inline(always)]
    pub(super) fn rows(&self, before: &ContKeys) -> [&Row; 4] {
        let [one, two, four, six] = *before;
        [&self.0[one.index()], &self.0[two.index()], &self.0[four.index()], &self.0[six.index()]]
    }

    /// Teaches the entries of a move. It is their weighed sum, halved, by which each of them fades, so that where some
    /// have said it all the others need not (bundle H).
    pub(in crate::search) fn update_all(&mut self, before: &ContKeys, key: ContKey, bonus: i32) {
        if key == ContKey::NONE {
            return;
        }
        let [one, two, four, six] = self.rows(before).map(|row| row[key.index()].get());
        let sum = (one + two + (four + six) / 2) / 2;
        for (&before, weight) in before.iter().zip([4, 4, 2, 2]) {
            if before != ContKey::NONE {
                self.0[before.index()][key.index()].update_with(bonus * weight / 4, sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples::{MIDDLEGAME, mv, position};

    /// A quiet move of the sample, with moves before it that differ from each other.
    fn sample() -> (Position, Move, Piece, ContKeys) {
        let position = position(MIDDLEGAME);
        let quiet = mv(&position, "f8e7");
        let piece = position.piece_on(quiet.from()).unwrap();
        let before = [Square::A1, Square::B1, Square::C1, Square::D1].map(|to| ContKey::new(piece, to));
        (position, quiet, piece, before)
    }

    #[test]
    fn quiet_scores_rise_and_sink_within_their_bounds() {
        let (position, quiet, piece, before) = sample();
        let context = QuietContext::new(&position, before);
        for sign in [1, -1] {
            let mut histories = Histories::new().unwrap();
            let mut last = (0, 0);
            for _ in 0..200 {
                histories.update_quiet(&context, piece, quiet, sign * 1600);
                let order = histories.quiet_scorer(&position, &Params::DEFAULT, &context)(quiet);
                let now = (sign * histories.quiet_history(&context, piece, quiet), sign * order);
                assert!(now.0 >= last.0 && now.1 >= last.1, "{last:?} {now:?}");
                assert!(now.0 <= 4 * QUIET_MAX && now.1 <= 140_000, "{now:?}");
                last = now;
            }
            // Continuations rise until their weighed sum is twice the limit of one.
            assert!(last.0 > 3 * QUIET_MAX && last.1 > 59 * QUIET_MAX / 10, "{last:?}");
            histories.clear();
            assert_eq!(histories.quiet_history(&context, piece, quiet), 0);
        }
    }

    #[test]
    fn moves_long_ago_count_half() {
        let (_, quiet, piece, before) = sample();
        let key = ContKey::new(piece, quiet.to());
        let mut history = ContinuationHistory::new().unwrap();
        history.update_all(&before, key, 1000);
        let learnt = history.rows(&before).map(|row| row[key.index()].get());
        assert_eq!(learnt, [1000, 1000, 500, 500]);
        // The sum of all is what fades: here more than the far ones have learnt themselves.
        history.update_all(&before, key, 1000);
        let learnt = history.rows(&before).map(|row| row[key.index()].get());
        let sum = (1000 + 1000 + (500 + 500) / 2) / 2;
        let [near, far] = [1000, 500].map(|bonus| bonus + bonus - sum * bonus / CONTINUATION_MAX);
        assert_eq!(learnt, [near, near, far, far]);
        // Without a move before there is nothing to learn.
        history.update_all(&[ContKey::NONE; 4], key, 1000);
        assert!(history.rows(&[ContKey::NONE; 4])[0].iter().all(|value| value.get() == 0));
    }

    #[test]
    fn fleeing_and_walking_into_danger_are_different_moves() {
        let (_, quiet, ..) = sample();
        let mut history = QuietHistory::new().unwrap();
        let [from, to] = [quiet.from(), quiet.to()].map(|square| Bitboard::EMPTY.with(square));
        let threats = [Bitboard::EMPTY, from, to, from | to];
        for (learnt, &there) in threats.iter().enumerate() {
            history.clear();
            history.update(Color::Black, there, quiet, 1000);
            for (asked, &here) in threats.iter().enumerate() {
                // What was learnt under other threats counts half.
                let expected = if learnt == asked { 2000 } else { 1000 };
                assert_eq!(history.get(Color::Black, here, quiet), expected, "{learnt} {asked}");
                assert_eq!(history.get(Color::White, here, quiet), 0);
            }
        }
    }
}
