//! A chess position: what stands where, whose turn it is, what may still be done.
//!
//! The position is small and plain, so a search keeps one copy per ply and never has to take moves
//! back (CPW: "Copy-Make"). It carries what nearly every node asks for: the pieces that give check, the
//! pinned pieces, and the hash keys.

use super::zobrist::Keys;
use crate::attacks::{
    between, bishop_attacks, bishop_rays, king_attacks, knight_attacks, pawn_attacks, pawn_attacks_of_set,
    rook_attacks, rook_rays,
};
use crate::types::{Bitboard, CastlingRights, CastlingSide, Color, File, Piece, PieceType, Rank, Square};

/// A legal chess position.
///
/// Invariants, established by FEN parsing and kept by legal moves: one king a side, the side not to
/// move is not in check, castling rights have their king and rook in place, and the en-passant square
/// is present exactly if an en-passant capture is legal.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// `[type]`, both colours together.
    pub(super) by_type: [Bitboard; 6],
    /// `[color]`
    pub(super) by_color: [Bitboard; 2],
    /// `[square]`
    pub(super) mailbox: [Option<Piece>; 64],
    pub(super) keys: Keys,
    /// Pieces that give check to the side to move.
    pub(super) checkers: Bitboard,
    /// Pieces of the side to move that may not leave the line to their king.
    pub(super) pinned: Bitboard,
    /// Squares of kings and rooks that still may castle.
    pub(super) castling_squares: Bitboard,
    /// Rook square of each right, meaningful while the right is held. `[CastlingRights::slot]`
    pub(super) castling_rooks: [Square; 4],
    pub(super) castling: CastlingRights,
    pub(super) en_passant: Option<Square>,
    pub(super) stm: Color,
    pub(super) halfmove_clock: u16,
    pub(super) fullmove_number: u16,
}

/// The squares a castling move involves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CastlingPath {
    /// Where the king goes.
    pub king_to: Square,
    /// Where the rook goes.
    pub rook_to: Square,
}

impl CastlingPath {
    /// The destinations of `color`'s castling to this wing.
    #[inline]
    pub const fn new(color: Color, side: CastlingSide) -> CastlingPath {
        let rank = Rank::R1.relative_to(color);
        let (king, rook) = match side {
            CastlingSide::King => (File::G, File::F),
            CastlingSide::Queen => (File::C, File::D),
        };
        CastlingPath { king_to: Square::new(king, rank), rook_to: Square::new(rook, rank) }
    }

    /// The wing of a castling move stored as king takes rook.
    #[inline]
    pub fn side_of(king_from: Square, rook_from: Square) -> CastlingSide {
        if rook_from > king_from { CastlingSide::King } else { CastlingSide::Queen }
    }
}

impl Position {
    /// A board without pieces, for the FEN parser to fill.
    pub(super) fn empty() -> Position {
        Position {
            by_type: [Bitboard::EMPTY; 6],
            by_color: [Bitboard::EMPTY; 2],
            mailbox: [None; 64],
            keys: Keys::default(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling_squares: Bitboard::EMPTY,
            castling_rooks: [Square::A1; 4],
            castling: CastlingRights::NONE,
            en_passant: None,
            stm: Color::White,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }

    /// The side to move.
    #[inline]
    pub fn stm(&self) -> Color {
        self.stm
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// All pieces of a side.
    #[inline]
    pub fn colored(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// All pieces of a type, of both sides.
    #[inline]
    pub fn of_type(&self, kind: PieceType) -> Bitboard {
        self.by_type[kind.index()]
    }

    /// All pieces of a side and type.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.by_type[kind.index()] & self.by_color[color.index()]
    }

    /// Rooks and queens of a side.
    #[inline]
    pub fn orthogonal_sliders(&self, color: Color) -> Bitboard {
        (self.of_type(PieceType::Rook) | self.of_type(PieceType::Queen)) & self.colored(color)
    }

    /// Bishops and queens of a side.
    #[inline]
    pub fn diagonal_sliders(&self, color: Color) -> Bitboard {
        (self.of_type(PieceType::Bishop) | self.of_type(PieceType::Queen)) & self.colored(color)
    }

    /// Whether a side has anything besides king and pawns.
    #[inline]
    pub fn has_pieces(&self, color: Color) -> bool {
        let pawns_and_king = self.of_type(PieceType::Pawn) | self.of_type(PieceType::King);
        (self.colored(color) & !pawns_and_king).any()
    }

    /// The square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        // The invariant promises a king; a1 can only appear while a FEN is being read.
        self.pieces(color, PieceType::King).first().unwrap_or(Square::A1)
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Pieces of the side to move that are pinned to their king.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The castling rights still held.
    #[inline]
    pub fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// Where the rook of a castling right stands, if the right is held.
    #[inline]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.castling.has(color, side).then(|| self.castling_rooks[CastlingRights::slot(color, side)])
    }

    /// The square behind the pawn that just moved two steps, if it can legally be taken en passant.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// Number of the current full move, from 1.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// All hash keys.
    #[inline]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The hash key of the whole position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.main
    }

    /// Adds a piece to an empty square.
    #[inline]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        self.mailbox[square.index()] = Some(piece);
        self.toggle(piece, square);
    }

    /// Removes the piece `piece` from its square.
    #[inline]
    pub(super) fn take(&mut self, piece: Piece, square: Square) {
        self.mailbox[square.index()] = None;
        self.toggle(piece, square);
    }

    /// Moves the piece `piece` to an empty square.
    #[inline]
    pub(super) fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        self.mailbox[from.index()] = None;
        self.mailbox[to.index()] = Some(piece);
        let bits = from.bitboard() | to.bitboard();
        self.by_type[piece.kind().index()] ^= bits;
        self.by_color[piece.color().index()] ^= bits;
        self.keys.shift_piece(piece, from, to);
    }

    #[inline]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let bit = square.bitboard();
        self.by_type[piece.kind().index()] ^= bit;
        self.by_color[piece.color().index()] ^= bit;
        self.keys.toggle_piece(piece, square);
    }

    /// All pieces of both sides that attack `square` when the board is occupied as given.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let queens = self.of_type(PieceType::Queen);
        pawn_attacks(Color::Black, square) & self.pieces(Color::White, PieceType::Pawn)
            | pawn_attacks(Color::White, square) & self.pieces(Color::Black, PieceType::Pawn)
            | knight_attacks(square) & self.of_type(PieceType::Knight)
            | king_attacks(square) & self.of_type(PieceType::King)
            | bishop_attacks(square, occupied) & (self.of_type(PieceType::Bishop) | queens)
            | rook_attacks(square, occupied) & (self.of_type(PieceType::Rook) | queens)
    }

    /// Whether `by` attacks `square` when the board is occupied as given.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        (pawn_attacks(!by, square) & self.pieces(by, PieceType::Pawn)
            | knight_attacks(square) & self.pieces(by, PieceType::Knight)
            | king_attacks(square) & self.pieces(by, PieceType::King))
        .any()
            || bishop_attacks(square, occupied).meets(self.diagonal_sliders(by))
            || rook_attacks(square, occupied).meets(self.orthogonal_sliders(by))
    }

    /// Every square that `by` attacks or defends, looking through the king of the other side.
    pub fn attacked_squares(&self, by: Color) -> Bitboard {
        let occupied = self.occupied() ^ self.pieces(!by, PieceType::King);
        let mut attacked = pawn_attacks_of_set(by, self.pieces(by, PieceType::Pawn));
        attacked |= king_attacks(self.king(by));
        for square in self.pieces(by, PieceType::Knight) {
            attacked |= knight_attacks(square);
        }
        for square in self.diagonal_sliders(by) {
            attacked |= bishop_attacks(square, occupied);
        }
        for square in self.orthogonal_sliders(by) {
            attacked |= rook_attacks(square, occupied);
        }
        attacked
    }

    /// For each type of piece, the squares that cheaper pieces of `by` attack. `[type]`
    pub fn lesser_attacks(&self, by: Color) -> [Bitboard; 6] {
        let occupied = self.occupied();
        let pawns = pawn_attacks_of_set(by, self.pieces(by, PieceType::Pawn));
        let mut minors = pawns;
        for square in self.pieces(by, PieceType::Knight) {
            minors |= knight_attacks(square);
        }
        for square in self.pieces(by, PieceType::Bishop) {
            minors |= bishop_attacks(square, occupied);
        }
        let mut rooks = minors;
        for square in self.pieces(by, PieceType::Rook) {
            rooks |= rook_attacks(square, occupied);
        }
        [Bitboard::EMPTY, pawns, pawns, minors, rooks, Bitboard::EMPTY]
    }

    /// The single pieces, of either side, that stand between `color`'s king and an enemy slider on its line.
    #[inline]
    pub fn blockers_for_king(&self, color: Color) -> Bitboard {
        let king = self.king(color);
        let occupied = self.occupied();
        let snipers = rook_rays(king) & self.orthogonal_sliders(!color)
            | bishop_rays(king) & self.diagonal_sliders(!color);
        let mut blockers = Bitboard::EMPTY;
        for sniper in snipers {
            let screen = between(king, sniper) & occupied;
            if !screen.many() {
                blockers |= screen;
            }
        }
        blockers
    }

    /// Finds checkers and pinned pieces of the side to move from scratch.
    #[inline]
    pub(super) fn refresh_king_danger(&mut self) {
        let (us, them) = (self.stm, !self.stm);
        let king = self.king(us);
        let occupied = self.occupied();
        let mut checkers = knight_attacks(king) & self.pieces(them, PieceType::Knight)
            | pawn_attacks(us, king) & self.pieces(them, PieceType::Pawn);
        let mut screens = Bitboard::EMPTY;
        let snipers =
            rook_rays(king) & self.orthogonal_sliders(them) | bishop_rays(king) & self.diagonal_sliders(them);
        for sniper in snipers {
            let screen = between(king, sniper) & occupied;
            if screen.is_empty() {
                checkers = checkers.with(sniper);
            } else if !screen.many() {
                screens |= screen;
            }
        }
        self.checkers = checkers;
        self.pinned = screens & self.colored(us);
    }

    /// Whether neither side can ever give mate: bare kings, one minor piece, or bishops that all
    /// stand on squares of one colour.
    pub fn is_dead(&self) -> bool {
        let heavy =
            self.of_type(PieceType::Pawn) | self.of_type(PieceType::Rook) | self.of_type(PieceType::Queen);
        if heavy.any() {
            return false;
        }
        let (knights, bishops) = (self.of_type(PieceType::Knight), self.of_type(PieceType::Bishop));
        if knights.any() {
            return bishops.is_empty() && !knights.many();
        }
        (bishops & Bitboard::DARK_SQUARES).is_empty() || (bishops & !Bitboard::DARK_SQUARES).is_empty()
    }

    /// The keys computed from the pieces and the state, which the incremental ones must equal.
    pub fn keys_from_scratch(&self) -> Keys {
        let mut keys = Keys::default();
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                keys.toggle_piece(piece, square);
            }
        }
        if self.stm == Color::Black {
            keys.toggle_side();
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                if let Some(rook) = self.castling_rook(color, side) {
                    keys.toggle_castling(color, side, rook.file());
                }
            }
        }
        if let Some(square) = self.en_passant {
            keys.toggle_en_passant(square.file());
        }
        keys
    }

    /// The position with colours exchanged and the board turned upside down: same play, other side.
    pub fn color_flipped(&self) -> Position {
        let mut flipped = Position::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                flipped.put(Piece::new(!piece.color(), piece.kind()), square.flip_rank());
            }
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                if let Some(rook) = self.castling_rook(color, side) {
                    flipped.grant_castling(!color, side, rook.flip_rank());
                }
            }
        }
        flipped.stm = !self.stm;
        flipped.en_passant = self.en_passant.map(Square::flip_rank);
        flipped.halfmove_clock = self.halfmove_clock;
        flipped.fullmove_number = self.fullmove_number;
        flipped.keys = flipped.keys_from_scratch();
        flipped.refresh_king_danger();
        flipped
    }

    /// The position without the piece of a square, to see what it is worth: nobody may castle with a rook that is gone, nor
    /// capture en passant. `None` for an empty square and for kings. The side not to move may be in check.
    pub fn without(&self, square: Square) -> Option<Position> {
        self.piece_on(square).filter(|piece| piece.kind() != PieceType::King)?;
        let mut position = Position::empty();
        for other in self.occupied() {
            if let Some(kept) = self.piece_on(other).filter(|_| other != square) {
                position.put(kept, other);
            }
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                if let Some(rook) = self.castling_rook(color, side).filter(|&rook| rook != square) {
                    position.grant_castling(color, side, rook);
                }
            }
        }
        position.stm = self.stm;
        position.halfmove_clock = self.halfmove_clock;
        position.fullmove_number = self.fullmove_number;
        position.keys = position.keys_from_scratch();
        position.refresh_king_danger();
        Some(position)
    }

    /// Records a castling right. The keys are not touched.
    pub(super) fn grant_castling(&mut self, color: Color, side: CastlingSide, rook: Square) {
        self.castling.insert(color, side);
        self.castling_rooks[CastlingRights::slot(color, side)] = rook;
        self.castling_squares = self.castling_squares.with(rook).with(self.king(color));
    }
}

/// Positions are equal when they are the same under the laws of chess and their counters agree.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.mailbox == other.mailbox
            && self.keys == other.keys
            && self.checkers == other.checkers
            && self.pinned == other.pinned
            && self.castling == other.castling
            && CastlingSide::ALL.iter().all(|&side| {
                Color::ALL.iter().all(|&c| self.castling_rook(c, side) == other.castling_rook(c, side))
            })
            && self.en_passant == other.en_passant
            && self.stm == other.stm
            && self.halfmove_clock == other.halfmove_clock
            && self.fullmove_number == other.fullmove_number
    }
}
