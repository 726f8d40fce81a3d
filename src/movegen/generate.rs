//! Legal moves, by stage.
//!
//! Checks and pins are turned into masks first, so that every move produced is legal at once: with
//! one checker only squares on its line help, with two only the king moves, and a pinned piece stays on
//! its line (CPW: "Move Generation, Legal"). One generator body serves three purposes through its
//! [`Sink`]: filling a list, counting without writing moves down, and stopping at the first move.

use std::ops::ControlFlow::{self, Break, Continue};

use crate::attacks::{
    bishop_attacks, bishop_rays, king_attacks, knight_attacks, line, pawn_attacks, pawn_attacks_of_set,
    rook_attacks, rook_rays,
};
use crate::board::Position;
use crate::types::{Bitboard, CastlingSide, Color, Move, MoveKind, MoveList, PieceType, Rank, Square};

/// Receives what the generator finds.
trait Sink {
    /// The king, a knight or a slider on `from` goes to any of `targets`.
    fn piece(&mut self, from: Square, targets: Bitboard, enemies: Bitboard) -> ControlFlow<()>;
    /// Pawns reach `targets`, each coming from `offset` squares before it, without promotion.
    fn pawns(&mut self, targets: Bitboard, offset: i8, kind: MoveKind) -> ControlFlow<()>;
    /// Pawns reach the last rank. Which promotions count depends on `MODE`.
    fn promotions<const MODE: u8>(&mut self, targets: Bitboard, offset: i8, capture: bool)
    -> ControlFlow<()>;
    /// One move of any other kind.
    fn single(&mut self, mv: Move) -> ControlFlow<()>;
}

const NOISY: u8 = 1;
const QUIET: u8 = 2;
const ALL: u8 = NOISY | QUIET;

struct ListSink<'a>(&'a mut MoveList);

impl ListSink<'_> {
    #[inline]
    fn push(&mut self, mv: Move) {
        // 218 moves are the most a legal position can have; the FEN rules keep every position below the capacity.
        let full = self.0.try_push(mv);
        debug_assert!(full.is_ok(), "move list overflow");
    }
}

impl Sink for ListSink<'_> {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard, enemies: Bitboard) -> ControlFlow<()> {
        for to in targets {
            let kind = if enemies.has(to) { MoveKind::Capture } else { MoveKind::Quiet };
            self.push(Move::new(from, to, kind));
        }
        Continue(())
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, offset: i8, kind: MoveKind) -> ControlFlow<()> {
        for to in targets {
            self.push(Move::new(to.offset(-offset), to, kind));
        }
        Continue(())
    }

    #[inline]
    fn promotions<const MODE: u8>(
        &mut self,
        targets: Bitboard,
        offset: i8,
        capture: bool,
    ) -> ControlFlow<()> {
        for to in targets {
            let from = to.offset(-offset);
            // Capturing promotions are noisy whatever the piece; of the others only the queen is.
            if capture || MODE & NOISY != 0 {
                self.push(Move::new(from, to, MoveKind::promotion(PieceType::Queen, capture)));
            }
            if capture || MODE & QUIET != 0 {
                for piece in [PieceType::Knight, PieceType::Rook, PieceType::Bishop] {
                    self.push(Move::new(from, to, MoveKind::promotion(piece, capture)));
                }
            }
        }
        Continue(())
    }

    #[inline]
    fn single(&mut self, mv: Move) -> ControlFlow<()> {
        self.push(mv);
        Continue(())
    }
}

struct CountSink(u64);

impl Sink for CountSink {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard, _: Bitboard) -> ControlFlow<()> {
        self.0 += u64::from(targets.count());
        Continue(())
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8, _: MoveKind) -> ControlFlow<()> {
        self.0 += u64::from(targets.count());
        Continue(())
    }

    #[inline]
    fn promotions<const MODE: u8>(&mut self, targets: Bitboard, _: i8, _: bool) -> ControlFlow<()> {
        self.0 += 4 * u64::from(targets.count());
        Continue(())
    }

    #[inline]
    fn single(&mut self, _: Move) -> ControlFlow<()> {
        self.0 += 1;
        Continue(())
    }
}

/// Breaks off at the first move.
struct AnySink;

impl Sink for AnySink {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard, _: Bitboard) -> ControlFlow<()> {
        if targets.any() { Break(()) } else { Continue(()) }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8, _: MoveKind) -> ControlFlow<()> {
        if targets.any() { Break(()) } else { Continue(()) }
    }

    #[inline]
    fn promotions<const MODE: u8>(&mut self, targets: Bitboard, _: i8, _: bool) -> ControlFlow<()> {
        if targets.any() { Break(()) } else { Continue(()) }
    }

    #[inline]
    fn single(&mut self, _: Move) -> ControlFlow<()> {
        Break(())
    }
}

impl Position {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        let _ = generate::<ALL, _>(self, &mut ListSink(&mut list));
        list
    }

    /// Appends the legal captures and queen promotions (and capturing underpromotions).
    pub fn generate_noisy(&self, list: &mut MoveList) {
        let _ = generate::<NOISY, _>(self, &mut ListSink(list));
    }

    /// Appends the legal moves that [`Position::generate_noisy`] leaves out.
    pub fn generate_quiet(&self, list: &mut MoveList) {
        let _ = generate::<QUIET, _>(self, &mut ListSink(list));
    }

    /// The number of legal moves, without listing them.
    #[inline]
    pub fn count_legal_moves(&self) -> u64 {
        let mut sink = CountSink(0);
        let _ = generate::<ALL, _>(self, &mut sink);
        sink.0
    }

    /// Whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        generate::<ALL, _>(self, &mut AnySink).is_break()
    }
}

#[inline]
fn generate<const MODE: u8, S: Sink>(position: &Position, sink: &mut S) -> ControlFlow<()> {
    match position.stm() {
        Color::White => generate_for::<true, MODE, S>(position, sink),
        Color::Black => generate_for::<false, MODE, S>(position, sink),
    }
}

/// The generator for one colour, so that pawn directions are constants.
#[inline]
fn generate_for<const WHITE: bool, const MODE: u8, S: Sink>(
    position: &Position,
    sink: &mut S,
) -> ControlFlow<()> {
    let us = if WHITE { Color::White } else { Color::Black };
    let enemies = position.colored(!us);
    let occupied = position.occupied();
    let king = position.king(us);
    let targets = match MODE {
        NOISY => enemies,
        QUIET => !occupied,
        _ => !position.colored(us),
    };

    king_moves::<MODE, S>(position, us, targets, sink)?;
    if position.checkers().many() {
        return Continue(());
    }
    let check_mask = position.check_mask();
    pawn_moves::<WHITE, MODE, S>(position, check_mask, sink)?;

    let targets = targets & check_mask;
    let pinned = position.pinned();
    for from in position.pieces(us, PieceType::Knight) & !pinned {
        sink.piece(from, knight_attacks(from) & targets, enemies)?;
    }
    let (diagonal, orthogonal) = (position.diagonal_sliders(us), position.orthogonal_sliders(us));
    for from in diagonal & !pinned {
        sink.piece(from, bishop_attacks(from, occupied) & targets, enemies)?;
    }
    for from in orthogonal & !pinned {
        sink.piece(from, rook_attacks(from, occupied) & targets, enemies)?;
    }
    // A pinned slider keeps to its pin line. With a check it cannot help at all.
    if pinned.any() && !position.in_check() {
        for from in diagonal & pinned {
            sink.piece(from, bishop_attacks(from, occupied) & targets & line(king, from), enemies)?;
        }
        for from in orthogonal & pinned {
            sink.piece(from, rook_attacks(from, occupied) & targets & line(king, from), enemies)?;
        }
    }
    Continue(())
}

/// Steps of the king, and castling. Attacked squares are struck off the few candidates of both kinds
/// together; a slider that could not reach them even on an empty board costs no look-up.
#[inline(always)]
fn king_moves<const MODE: u8, S: Sink>(
    position: &Position,
    us: Color,
    targets: Bitboard,
    sink: &mut S,
) -> ControlFlow<()> {
    let them = !us;
    let king = position.king(us);
    let steps = king_attacks(king) & targets;
    let may_castle = MODE & QUIET != 0 && position.castling().any_of(us) && !position.in_check();
    let mut walks = [None; 2];
    if may_castle {
        // A loop, since `array::map` with so large a closure is not inlined.
        for side in CastlingSide::ALL {
            walks[side as usize] = position.castling_walk(side);
        }
    }
    let walked = walks[0].unwrap_or_default() | walks[1].unwrap_or_default();

    let mut safe = (steps | walked)
        & !king_attacks(position.king(them))
        & !pawn_attacks_of_set(them, position.pieces(them, PieceType::Pawn));
    if safe.is_empty() {
        return Continue(());
    }
    for knight in position.pieces(them, PieceType::Knight) {
        safe &= !knight_attacks(knight);
    }
    let occupied = position.occupied().without(king);
    for slider in position.diagonal_sliders(them) {
        if bishop_rays(slider).meets(safe) {
            safe &= !bishop_attacks(slider, occupied);
        }
    }
    for slider in position.orthogonal_sliders(them) {
        if rook_rays(slider).meets(safe) {
            safe &= !rook_attacks(slider, occupied);
        }
    }
    sink.piece(king, steps & safe, position.colored(them))?;
    if may_castle {
        for side in CastlingSide::ALL {
            if walks[side as usize].is_some_and(|walk| (walk & !safe).is_empty())
                && let Some(rook) = position.castling_rook(us, side)
            {
                sink.single(Move::new(king, rook, MoveKind::Castle))?;
            }
        }
    }
    Continue(())
}

#[inline]
fn pawn_moves<const WHITE: bool, const MODE: u8, S: Sink>(
    position: &Position,
    check_mask: Bitboard,
    sink: &mut S,
) -> ControlFlow<()> {
    let us = if WHITE { Color::White } else { Color::Black };
    let pawns = position.pieces(us, PieceType::Pawn);
    let pinned = pawns & position.pinned();
    pawn_set_moves::<WHITE, MODE, S>(position, pawns & !pinned, check_mask, sink)?;
    if pinned.any() {
        let king = position.king(us);
        for pawn in pinned {
            let mask = check_mask & line(king, pawn);
            pawn_set_moves::<WHITE, MODE, S>(position, pawn.bitboard(), mask, sink)?;
        }
    }
    if MODE & NOISY != 0
        && let Some(to) = position.en_passant()
    {
        for from in pawn_attacks(!us, to) & pawns {
            if position.is_en_passant_safe(from, to) {
                sink.single(Move::new(from, to, MoveKind::EnPassant))?;
            }
        }
    }
    Continue(())
}

/// Moves of a set of pawns that may all land on the same squares.
#[inline(always)]
fn pawn_set_moves<const WHITE: bool, const MODE: u8, S: Sink>(
    position: &Position,
    pawns: Bitboard,
    mask: Bitboard,
    sink: &mut S,
) -> ControlFlow<()> {
    let us = if WHITE { Color::White } else { Color::Black };
    let up = us.forward();
    let last_rank = Rank::R8.relative_to(us).bitboard();
    let empty = !position.occupied();
    let ahead = pawns.forward(us);

    let push = ahead & empty;
    let pushes = push & mask;
    if MODE & QUIET != 0 {
        let double = (push & Rank::R3.relative_to(us).bitboard()).forward(us) & empty & mask;
        sink.pawns(pushes & !last_rank, up, MoveKind::Quiet)?;
        sink.pawns(double, 2 * up, MoveKind::DoublePush)?;
    }
    sink.promotions::<MODE>(pushes & last_rank, up, false)?;

    if MODE & NOISY != 0 {
        let victims = position.colored(!us) & mask;
        let (east, west) = (ahead.east() & victims, ahead.west() & victims);
        sink.pawns(east & !last_rank, up + 1, MoveKind::Capture)?;
        sink.pawns(west & !last_rank, up - 1, MoveKind::Capture)?;
        sink.promotions::<MODE>(east & last_rank, up + 1, true)?;
        sink.promotions::<MODE>(west & last_rank, up - 1, true)?;
    }
    Continue(())
}
