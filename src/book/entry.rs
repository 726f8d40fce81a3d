//! One entry of a book, 16 bytes with the highest byte of each number first.
//!
//! ```text
//! key 8 | move 2 | weight 2 | learn 4
//! move:  14..12 promotion (0 none, 1 knight .. 4 queen) | 11..6 from | 5..0 to
//! ```

use crate::board::Position;
use crate::notation::parse_uci;
use crate::types::{Move, PieceType, Square};

/// Length of an entry in bytes.
pub(super) const LENGTH: usize = 16;

/// An entry as it lies in the file. `learn`, notes of other programs, is not looked at.
pub(super) type Bytes = [u8; LENGTH];

/// The key of the position that the entry belongs to.
pub(super) fn key(bytes: &Bytes) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *bytes;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// How much the book likes the move; 0 forbids it.
pub(super) fn weight(bytes: &Bytes) -> u16 {
    u16::from_be_bytes([bytes[10], bytes[11]])
}

/// The move, if it is legal here. Castling is written as the king taking its rook; the king's two steps,
/// which some programs write instead, are understood too.
pub(super) fn legal_move(bytes: &Bytes, position: &Position) -> Option<Move> {
    let bits = u16::from_be_bytes([bytes[8], bytes[9]]);
    let square = |shift: u16| Square::from_index((bits >> shift) as u8 & 63);
    let promotion = match bits >> 12 {
        0 => String::new(),
        code @ 1..=4 => PieceType::ALL[code as usize].letter().to_string(),
        _ => return None,
    };
    parse_uci(position, &format!("{}{}{promotion}", square(6), square(0))).ok()
}
