//! Positions as the table reader wants them.

use std::num::NonZeroU32;

use shakmaty::{
    Bitboard as Squares, Board, ByColor, ByRole, CastlingMode, Chess, Color as Side, FromSetup,
    PositionError, Setup, Square as Field,
};

use crate::board::Position;
use crate::types::{Color, PieceType};

/// The position for the table reader. `None` for those with castling rights, which no table knows.
pub(super) fn to_reader(position: &Position) -> Option<Chess> {
    if !position.castling().is_empty() {
        return None;
    }
    let of_type = |kind| Squares(position.of_type(kind).0);
    let by_role = ByRole {
        pawn: of_type(PieceType::Pawn),
        knight: of_type(PieceType::Knight),
        bishop: of_type(PieceType::Bishop),
        rook: of_type(PieceType::Rook),
        queen: of_type(PieceType::Queen),
        king: of_type(PieceType::King),
    };
    let colored = |color| Squares(position.colored(color).0);
    let by_color = ByColor { white: colored(Color::White), black: colored(Color::Black) };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: Side::from_white(position.stm() == Color::White),
        ep_square: position.en_passant().map(|square| Field::new(square.index() as u32)),
        halfmoves: u32::from(position.halfmove_clock()),
        fullmoves: NonZeroU32::MIN,
        ..Setup::empty()
    };
    // Men beyond the first sixteen and checks that no move can have given are no matter to the tables.
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}
