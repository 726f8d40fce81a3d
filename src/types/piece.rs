//! The two sides, and their pieces.

use std::ops::Not;

/// A side: White moves first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Color {
    /// The side that starts on ranks 1 and 2.
    White,
    /// The side that starts on ranks 7 and 8.
    Black,
}

impl Color {
    /// Both sides, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black: the index of per-side tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// +8 for White, -8 for Black: the square offset of a pawn push.
    #[inline]
    pub const fn forward(self) -> i8 {
        match self {
            Color::White => 8,
            Color::Black => -8,
        }
    }
}

impl Not for Color {
    type Output = Color;

    #[inline]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

/// A kind of chessman without its colour, ordered by conventional worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
pub enum PieceType {
    /// Pawn.
    Pawn,
    /// Knight.
    Knight,
    /// Bishop.
    Bishop,
    /// Rook.
    Rook,
    /// Queen.
    Queen,
    /// King.
    King,
}

impl PieceType {
    /// All types, pawn to king.
    pub const ALL: [PieceType; 6] = [
        PieceType::Pawn,
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
        PieceType::King,
    ];

    /// Table index, 0 (pawn) to 5 (king).
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The English letter in lower case, as in FEN and UCI promotions.
    pub const fn letter(self) -> char {
        match self {
            PieceType::Pawn => 'p',
            PieceType::Knight => 'n',
            PieceType::Bishop => 'b',
            PieceType::Rook => 'r',
            PieceType::Queen => 'q',
            PieceType::King => 'k',
        }
    }

    /// The type named by an English letter of either case.
    pub const fn from_letter(letter: char) -> Option<PieceType> {
        Some(match letter.to_ascii_lowercase() {
            'p' => PieceType::Pawn,
            'n' => PieceType::Knight,
            'b' => PieceType::Bishop,
            'r' => PieceType::Rook,
            'q' => PieceType::Queen,
            'k' => PieceType::King,
            _ => return None,
        })
    }
}

/// A chessman with its colour. Index = 2 * type + colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Piece {
    WhitePawn,
    BlackPawn,
    WhiteKnight,
    BlackKnight,
    WhiteBishop,
    BlackBishop,
    WhiteRook,
    BlackRook,
    WhiteQueen,
    BlackQueen,
    WhiteKing,
    BlackKing,
}

// An empty square in the mailbox must cost no more than a piece.
const _: () = assert!(size_of::<Option<Piece>>() == 1);

impl Piece {
    /// All pieces in index order.
    pub const ALL: [Piece; 12] = [
        Piece::WhitePawn,
        Piece::BlackPawn,
        Piece::WhiteKnight,
        Piece::BlackKnight,
        Piece::WhiteBishop,
        Piece::BlackBishop,
        Piece::WhiteRook,
        Piece::BlackRook,
        Piece::WhiteQueen,
        Piece::BlackQueen,
        Piece::WhiteKing,
        Piece::BlackKing,
    ];

    /// The piece of this colour and type.
    #[inline]
    pub const fn new(color: Color, kind: PieceType) -> Piece {
        Piece::ALL[kind as usize * 2 + color as usize]
    }

    /// The side it belongs to.
    #[inline]
    pub const fn color(self) -> Color {
        if self as u8 & 1 == 0 { Color::White } else { Color::Black }
    }

    /// Its type without the colour.
    #[inline]
    pub const fn kind(self) -> PieceType {
        PieceType::ALL[self as usize >> 1]
    }

    /// Table index, 0 to 11.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The FEN letter: upper case for White.
    pub const fn letter(self) -> char {
        let letter = self.kind().letter();
        match self.color() {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        }
    }

    /// The piece named by a FEN letter.
    pub fn from_letter(letter: char) -> Option<Piece> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        PieceType::from_letter(letter).map(|kind| Piece::new(color, kind))
    }
}
