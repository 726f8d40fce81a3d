//! Coordinate notation as UCI uses it: `e2e4`, `e7e8q`, castling `e1g1` or, in Chess960, `e1h1`.

use super::MoveError;
use crate::board::{CastlingPath, Position};
use crate::types::{Move, PieceType, Square};

/// Writes a move. With `chess960`, castling is the king taking its rook; else the king's two steps.
pub fn format_uci(mv: Move, chess960: bool) -> String {
    let from = mv.from();
    let to = if mv.is_castle() && !chess960 {
        let side = CastlingPath::side_of(from, mv.to());
        Square::new(CastlingPath::new(crate::types::Color::White, side).king_to.file(), from.rank())
    } else {
        mv.to()
    };
    match mv.promotion() {
        Some(piece) => format!("{from}{to}{}", piece.letter()),
        None => format!("{from}{to}"),
    }
}

/// Reads a legal move. Castling is understood in both spellings whatever the mode; where the king's
/// destination is also an ordinary king move, the two-file spelling means the ordinary move. Promotion
/// letters may be upper case.
pub fn parse_uci(position: &Position, text: &str) -> Result<Move, MoveError> {
    let malformed = || MoveError::Malformed(text.to_owned());
    let (Some(from), Some(to), rest) = (text.get(0..2), text.get(2..4), text.get(4..).unwrap_or("")) else {
        return Err(malformed());
    };
    let from: Square = from.parse().map_err(|_| malformed())?;
    let to: Square = to.parse().map_err(|_| malformed())?;
    let promotion = match rest.chars().collect::<Vec<_>>()[..] {
        [] => None,
        [letter] => match PieceType::from_letter(letter) {
            Some(PieceType::Pawn | PieceType::King) | None => return Err(malformed()),
            piece => piece,
        },
        _ => return Err(malformed()),
    };

    let legal = position.legal_moves();
    let is_candidate = |mv: &&Move| mv.from() == from && mv.promotion() == promotion;
    let exact = legal.iter().filter(is_candidate).find(|mv| mv.to() == to);
    // A king that steps onto its castling destination stays an ordinary move, so this comes second.
    let castling = || {
        legal.iter().filter(is_candidate).find(|mv| {
            mv.is_castle() && {
                let path = CastlingPath::new(position.stm(), CastlingPath::side_of(from, mv.to()));
                path.king_to == to && from != to
            }
        })
    };
    let promotes = || legal.iter().any(|mv| mv.from() == from && mv.to() == to && mv.promotion().is_some());
    match exact.or_else(castling) {
        Some(mv) => Ok(*mv),
        None if promotion.is_none() && promotes() => Err(MoveError::MissingPromotion(text.to_owned())),
        None => Err(MoveError::Illegal(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_castling_spellings_are_read() {
        let position: Position = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse().unwrap();
        for (short, long) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
            let mv = parse_uci(&position, short).unwrap();
            assert_eq!(parse_uci(&position, long), Ok(mv));
            assert_eq!((format_uci(mv, false).as_str(), format_uci(mv, true).as_str()), (short, long));
        }
        // The king next to g1 steps there; castling needs the rook's square.
        let position: Position = "4k3/8/8/8/8/8/8/5K1R w H - 0 1".parse().unwrap();
        assert!(!parse_uci(&position, "f1g1").unwrap().is_castle());
        assert!(parse_uci(&position, "f1h1").unwrap().is_castle());
    }

    #[test]
    fn bad_moves_are_told_apart() {
        let start = Position::start();
        for text in ["", "e2", "e2e9", "z2e4", "e2e4qq", "e2e4x", "0000", "é2e4", "e2e4é"] {
            assert_eq!(parse_uci(&start, text), Err(MoveError::Malformed(text.to_owned())), "{text}");
        }
        for text in ["e2e5", "e7e5", "e1g1", "e2e4q", "a1a1"] {
            assert_eq!(parse_uci(&start, text), Err(MoveError::Illegal(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn promotions() {
        let position: Position = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
        for text in ["e7e8q", "e7e8r", "e7e8b", "e7e8n"] {
            assert_eq!(format_uci(parse_uci(&position, text).unwrap(), false), text);
        }
        assert_eq!(parse_uci(&position, "e7e8N"), parse_uci(&position, "e7e8n"));
        assert_eq!(parse_uci(&position, "e7e8"), Err(MoveError::MissingPromotion("e7e8".into())));
        assert!(parse_uci(&position, "e7e8k").is_err());
    }
}
