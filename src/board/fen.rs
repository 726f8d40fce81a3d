//! Forsyth-Edwards Notation: reading it with care, writing it back.
//!
//! Accepted beyond the strict form: missing fields after the side to move, missing counters, castling
//! rights in standard (`KQkq`), X-FEN and Shredder (`HAha`) form. Whatever could not arise on a board
//! is refused with an error that names it, because the rest of the engine relies on these rules.
//! `fen_repair` reads what this refuses for the sake of a field that the board can do without.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::fmt;
use std::str::FromStr;

use super::position::Position;
use crate::attacks::pawn_attacks;
use crate::types::{Bitboard, CastlingSide, Color, File, Piece, PieceType, Rank, Square};

/// The initial position.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// What is wrong with a FEN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum FenError {
    #[error("FEN is empty")]
    Empty,
    #[error("FEN board needs 8 ranks, not {0}")]
    RankCount(usize),
    #[error("FEN rank {rank} ('{text}') does not describe 8 squares")]
    FileCount { rank: usize, text: String },
    #[error("FEN board has an unknown letter '{0}'")]
    UnknownPiece(char),
    #[error("{} has no king", side(*.0))]
    MissingKing(Color),
    #[error("{} has {count} kings", side(*.color))]
    ExtraKing { color: Color, count: u32 },
    #[error("pawn on {0}: pawns cannot stand on the first or last rank")]
    PawnOnEndRank(Square),
    #[error("{} has {count} pawns, at most 8 are possible", side(*.color))]
    TooManyPawns { color: Color, count: u32 },
    #[error("{} has {count} pieces, at most 16 are possible", side(*.color))]
    TooManyPieces { color: Color, count: u32 },
    #[error("{} has more promoted pieces than missing pawns", side(*.0))]
    TooManyPromotions(Color),
    #[error("FEN does not say who is to move")]
    MissingSide,
    #[error("side to move is '{0}', expected 'w' or 'b'")]
    BadSide(String),
    #[error("{} is in check although the other side is to move", side(*.0))]
    OpponentInCheck(Color),
    #[error("castling field '{0}' is not understood")]
    BadCastling(String),
    #[error("castling right '{0}' has no king and rook in place")]
    CastlingWithoutRook(char),
    #[error("en-passant field '{0}' is not a square")]
    BadEnPassant(String),
    #[error("en-passant square {0} is impossible: no pawn can just have passed it")]
    ImpossibleEnPassant(Square),
    #[error("halfmove clock '{0}' is not a number from 0 to 65535")]
    BadHalfmoveClock(String),
    #[error("fullmove number '{0}' is not a number from 0 to 65535")]
    BadFullmoveNumber(String),
    #[error("FEN has unexpected text '{0}' at its end")]
    TrailingText(String),
    #[error("move '{0}' stands among the fields of the FEN, not after the word 'moves'")]
    MoveInFen(String),
}

fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

impl Position {
    /// The initial position.
    pub fn start() -> Position {
        // The constant is a valid FEN, which a test checks.
        START_FEN.parse().unwrap_or_else(|_| Position::empty())
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Position, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let mut position = Position::empty();
        read_board(&mut position, fields.next().ok_or(FenError::Empty)?)?;
        check_pieces(&position)?;

        position.stm = match fields.next() {
            Some("w") => Color::White,
            Some("b") => Color::Black,
            Some(other) => return Err(FenError::BadSide(other.to_owned())),
            None => return Err(FenError::MissingSide),
        };
        check_turn(&position)?;

        read_castling(&mut position, fields.next().unwrap_or("-"))?;
        position.refresh_king_danger();
        position.keys = position.keys_from_scratch();
        read_en_passant(&mut position, fields.next().unwrap_or("-"))?;

        if let Some(text) = fields.next() {
            position.halfmove_clock =
                read_counter(text).ok_or(FenError::BadHalfmoveClock(text.to_owned()))?;
        }
        if let Some(text) = fields.next() {
            let number = read_counter(text).ok_or(FenError::BadFullmoveNumber(text.to_owned()))?;
            position.fullmove_number = number.max(1);
        }
        match fields.next() {
            Some(text) => Err(FenError::TrailingText(text.to_owned())),
            None => Ok(position),
        }
    }
}

/// A counter; `-` stands for an unknown one, as some programs write it.
fn read_counter(text: &str) -> Option<u16> {
    if text == "-" { Some(0) } else { text.parse().ok() }
}

pub(super) fn read_board(position: &mut Position, text: &str) -> Result<(), FenError> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != 8 {
        return Err(FenError::RankCount(rows.len()));
    }
    for (row, rank) in rows.into_iter().zip(Rank::ALL.into_iter().rev()) {
        let wrong_width = || FenError::FileCount { rank: rank.index() + 1, text: row.to_owned() };
        let mut files = File::ALL.into_iter();
        for letter in row.chars() {
            if let Some(gap @ 1..=8) = letter.to_digit(10) {
                for _ in 0..gap {
                    files.next().ok_or_else(wrong_width)?;
                }
            } else {
                let piece = Piece::from_letter(letter).ok_or(FenError::UnknownPiece(letter))?;
                position.put(piece, Square::new(files.next().ok_or_else(wrong_width)?, rank));
            }
        }
        if files.next().is_some() {
            return Err(wrong_width());
        }
    }
    Ok(())
}

/// Checks that each side's pieces could come from the initial position.
pub(super) fn check_pieces(position: &Position) -> Result<(), FenError> {
    let end_ranks = Rank::R1.bitboard() | Rank::R8.bitboard();
    if let Some(square) = (position.of_type(PieceType::Pawn) & end_ranks).first() {
        return Err(FenError::PawnOnEndRank(square));
    }
    for color in Color::ALL {
        let count = |kind| position.pieces(color, kind).count();
        match count(PieceType::King) {
            0 => return Err(FenError::MissingKing(color)),
            1 => {}
            count => return Err(FenError::ExtraKing { color, count }),
        }
        let pawns = count(PieceType::Pawn);
        if pawns > 8 {
            return Err(FenError::TooManyPawns { color, count: pawns });
        }
        let pieces = position.colored(color).count();
        if pieces > 16 {
            return Err(FenError::TooManyPieces { color, count: pieces });
        }
        let promoted = count(PieceType::Knight).saturating_sub(2)
            + count(PieceType::Bishop).saturating_sub(2)
            + count(PieceType::Rook).saturating_sub(2)
            + count(PieceType::Queen).saturating_sub(1);
        if promoted > 8 - pawns {
            return Err(FenError::TooManyPromotions(color));
        }
    }
    Ok(())
}

/// Checks that the side to move cannot take the king.
pub(super) fn check_turn(position: &Position) -> Result<(), FenError> {
    let (us, them) = (position.stm, !position.stm);
    match position.is_attacked(position.king(them), us, position.occupied()) {
        true => Err(FenError::OpponentInCheck(them)),
        false => Ok(()),
    }
}

fn read_castling(position: &mut Position, text: &str) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    let not_understood = || FenError::BadCastling(text.to_owned());
    if text.chars().count() > 4 {
        return Err(not_understood());
    }
    for letter in text.chars() {
        if !is_castling_letter(letter) {
            return Err(not_understood());
        }
        let (color, side, rook) =
            right_in_place(position, letter).ok_or(FenError::CastlingWithoutRook(letter))?;
        if position.castling.has(color, side) {
            return Err(not_understood());
        }
        position.grant_castling(color, side, rook);
    }
    Ok(())
}

/// Whether a letter can name a castling right: a wing or the file of a rook, in either case.
pub(super) fn is_castling_letter(letter: char) -> bool {
    matches!(letter.to_ascii_lowercase(), 'k' | 'q' | 'a'..='h')
}

/// The right that a letter names with the square of its rook, if king and rook are in place. A wing stands
/// for the outermost rook on it.
pub(super) fn right_in_place(position: &Position, letter: char) -> Option<(Color, CastlingSide, Square)> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    let king = position.king(color);
    let rank = Rank::R1.relative_to(color).bitboard();
    if !rank.has(king) {
        return None;
    }
    let rooks = position.pieces(color, PieceType::Rook) & rank;
    let east_of_king = Bitboard(!0 << king as u8).without(king);
    let rook = match letter.to_ascii_lowercase() {
        'k' => (rooks & east_of_king).last(),
        'q' => (rooks & !east_of_king).first(),
        _ => (rooks & File::from_letter(letter)?.bitboard()).first(),
    }?;
    let side = if rook > king { CastlingSide::King } else { CastlingSide::Queen };
    Some((color, side, rook))
}

fn read_en_passant(position: &mut Position, text: &str) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    let square: Square = text.parse().map_err(|_| FenError::BadEnPassant(text.to_owned()))?;
    if !is_just_passed(position, square) {
        return Err(FenError::ImpossibleEnPassant(square));
    }
    position.set_en_passant_if_legal(square);
    Ok(())
}

/// Whether the last move can have been a pawn's double step across this square.
pub(super) fn is_just_passed(position: &Position, square: Square) -> bool {
    let (us, them) = (position.stm, !position.stm);
    let (pawn, origin) = (square.offset(-us.forward()), square.offset(us.forward()));
    let is_on_board = square.rank() == Rank::R6.relative_to(us)
        && position.pieces(them, PieceType::Pawn).has(pawn)
        && !position.occupied().has(square)
        && !position.occupied().has(origin);
    if !is_on_board {
        return false;
    }
    // Before it the other side was to move, so our king was not in check then.
    let king = position.king(us);
    let before = position.occupied() ^ pawn.bitboard() ^ origin.bitboard();
    let checkers = position.attackers_to(king, before) & position.colored(them).without(pawn);
    checkers.is_empty() && !pawn_attacks(them, origin).has(king)
}

impl Position {
    /// Whether a castling right belongs to a king or rook that does not stand where standard chess puts it.
    pub fn needs_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            CastlingSide::ALL.into_iter().any(|side| {
                self.castling_rook(color, side).is_some_and(|rook| !self.is_standard_right(color, side, rook))
            })
        })
    }

    /// Whether standard chess knows the right to castle with this rook.
    pub(super) fn is_standard_right(&self, color: Color, side: CastlingSide, rook: Square) -> bool {
        let rank = Rank::R1.relative_to(color);
        let corner = if side == CastlingSide::King { File::H } else { File::A };
        self.king(color) == Square::new(File::E, rank) && rook == Square::new(corner, rank)
    }

    /// The FEN with castling rights as rook files (Shredder-FEN), as Chess960 programs expect it.
    pub fn to_shredder_fen(&self) -> String {
        let mut text = String::new();
        // Writing into a String does not fail.
        let _ = self.write_fen(&mut text, true);
        text
    }

    fn write_fen(&self, f: &mut impl fmt::Write, shredder: bool) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            let mut gap = 0;
            for file in File::ALL {
                match self.piece_on(Square::new(file, rank)) {
                    None => gap += 1,
                    Some(piece) => {
                        if gap > 0 {
                            write!(f, "{gap}")?;
                        }
                        f.write_char(piece.letter())?;
                        gap = 0;
                    }
                }
            }
            if gap > 0 {
                write!(f, "{gap}")?;
            }
            if rank != Rank::R1 {
                f.write_char('/')?;
            }
        }
        f.write_str(if self.stm == Color::White { " w " } else { " b " })?;
        self.write_castling(f, shredder)?;
        match self.en_passant {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", self.halfmove_clock, self.fullmove_number)
    }

    /// `KQkq` where that names the rook (X-FEN: the outermost on its wing), else the rook's file.
    fn write_castling(&self, f: &mut impl fmt::Write, shredder: bool) -> fmt::Result {
        if self.castling.is_empty() {
            return f.write_char('-');
        }
        for color in Color::ALL {
            let rank = Rank::R1.relative_to(color).bitboard();
            let rooks = self.pieces(color, PieceType::Rook) & rank;
            for side in CastlingSide::ALL {
                let Some(rook) = self.castling_rook(color, side) else { continue };
                let (outermost, letter) = match side {
                    CastlingSide::King => (rooks.last(), 'k'),
                    CastlingSide::Queen => (rooks.first(), 'q'),
                };
                let by_file = shredder || outermost != Some(rook);
                let letter = if by_file { rook.file().letter() } else { letter };
                f.write_char(if color == Color::White { letter.to_ascii_uppercase() } else { letter })?;
            }
        }
        Ok(())
    }
}

/// Writes the FEN, with castling rights in X-FEN form.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_fen(f, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(fen: &str) -> FenError {
        fen.parse::<Position>().unwrap_err()
    }

    #[test]
    fn start_position_is_valid() {
        assert_eq!(Position::start().to_string(), START_FEN);
        assert_eq!(Position::start().to_shredder_fen(), START_FEN.replace("KQkq", "HAha"));
    }

    #[test]
    fn missing_fields_take_their_defaults() {
        for short in ["8/8/8/3k4/8/3K4/8/8 w", "8/8/8/3k4/8/3K4/8/8 w -", "8/8/8/3k4/8/3K4/8/8 w - -"] {
            let position: Position = short.parse().unwrap();
            assert_eq!(position.to_string(), "8/8/8/3k4/8/3K4/8/8 w - - 0 1");
        }
    }

    #[test]
    fn each_fault_has_its_error() {
        use FenError::*;
        assert_eq!(error("  "), Empty);
        assert_eq!(error("8/8/8/8 w - - 0 1"), RankCount(4));
        assert!(matches!(error("7/8/8/3k4/8/3K4/8/8 w"), FileCount { rank: 8, .. }));
        assert!(matches!(error("8/8/8/3k5/8/3K4/8/8 w"), FileCount { rank: 5, .. }));
        assert_eq!(error("8/8/8/3k4/8/3X4/8/8 w"), UnknownPiece('X'));
        assert_eq!(error("8/8/8/3k4/8/8/8/8 w - - 0 1"), MissingKing(Color::White));
        assert_eq!(error("8/8/8/8/8/3K4/8/8 w - - 0 1"), MissingKing(Color::Black));
        assert_eq!(error("k6k/8/8/8/8/3K4/8/8 w"), ExtraKing { color: Color::Black, count: 2 });
        assert_eq!(error("3P4/8/8/3k4/8/3K4/8/8 w"), PawnOnEndRank(Square::D8));
        assert!(matches!(error("8/8/pppppppp/p2k4/8/3K4/8/8 w"), TooManyPawns { count: 9, .. }));
        assert!(matches!(error("8/k7/8/NNNNNNNN/NNNNNNNN/3K4/8/8 w"), TooManyPieces { count: 17, .. }));
        assert_eq!(error("k7/8/8/8/QQ6/3K4/PPPPPPPP/8 w"), TooManyPromotions(Color::White));
        assert_eq!(error("8/8/8/3k4/8/3K4/8/8"), MissingSide);
        assert_eq!(error("8/8/8/3k4/8/3K4/8/8 white"), BadSide("white".into()));
        assert_eq!(error("8/8/8/3k4/8/2K5/3R4/8 w"), OpponentInCheck(Color::Black));
        assert_eq!(error("8/8/8/3k4/3K4/8/8/8 w"), OpponentInCheck(Color::Black));
        assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w K"), CastlingWithoutRook('K'));
        assert_eq!(error("4k3/8/8/8/8/8/8/R3K3 w Xq"), BadCastling("Xq".into()));
        assert_eq!(error("4k3/8/8/8/8/4K3/8/R7 w Q"), CastlingWithoutRook('Q'));
        assert_eq!(error("4k3/8/8/8/8/8/8/4K2R w KK"), BadCastling("KK".into()));
        assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - x9"), BadEnPassant("x9".into()));
        assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - e6"), ImpossibleEnPassant(Square::E6));
        assert_eq!(error("4k3/8/8/4p3/8/8/8/4K3 w - e3"), ImpossibleEnPassant(Square::E3));
        // Before the double step it was Black's turn with White in check.
        assert_eq!(error("4k3/8/8/3Pp3/8/b7/8/2K5 w - e6"), ImpossibleEnPassant(Square::E6));
        assert_eq!(error("4k3/8/3K4/3Pp3/8/8/8/8 w - e6"), ImpossibleEnPassant(Square::E6));
        assert_eq!(error("4k3/2b5/8/3Pp3/8/6K1/8/8 w - e6"), ImpossibleEnPassant(Square::E6));
        assert!("4kb2/8/8/3Pp3/8/K7/8/8 w - e6".parse::<Position>().is_ok(), "a check by the double step");
        assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - - x 1"), BadHalfmoveClock("x".into()));
        assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - - 0 -3"), BadFullmoveNumber("-3".into()));
        assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - - 0 1 x"), TrailingText("x".into()));
    }

    #[test]
    fn castling_forms() {
        let round = |fen: &str| fen.parse::<Position>().unwrap().to_string();
        // X-FEN: the letter of the file only where K or Q would mean the outer rook.
        let inner = "4k3/8/8/8/8/8/8/4KR1R w F - 0 1";
        assert_eq!(round(inner), inner);
        assert_eq!(round("4k3/8/8/8/8/8/8/4KR1R w H - 0 1"), "4k3/8/8/8/8/8/8/4KR1R w K - 0 1");
        assert_eq!(round("r3k2r/8/8/8/8/8/8/R3K2R b HAha - 5 9"), "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 5 9");
        let plain: Position = START_FEN.parse().unwrap();
        assert!(!plain.needs_chess960());
        assert!(inner.parse::<Position>().unwrap().needs_chess960());
    }

    #[test]
    fn en_passant_without_a_captor_is_dropped() {
        let position: Position =
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1".parse().unwrap();
        assert_eq!(position.en_passant(), None);
        assert!(position.to_string().contains(" KQkq - "));
    }
}
