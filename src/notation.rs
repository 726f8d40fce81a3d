//! Moves as text: coordinate notation for UCI, and standard algebraic notation (SAN; FIDE Laws of Chess, Appendix C;
//! PGN standard, section 8.2.3) for people and EPD files.

use crate::board::{CastlingPath, Position};
use crate::types::{Bitboard, CastlingSide, Color, File, Move, MoveList, Piece, PieceType, Rank, Square};

/// Why a text is not a legal move here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text does not have the form of a move.
    #[error("'{0}' is not a move")]
    Malformed(String),
    /// The text has the form of a move, but no legal move fits it.
    #[error("move {0} is illegal here")]
    Illegal(String),
    /// A pawn reaches the last rank, but the text names no promotion piece.
    #[error("move {0} does not say what the pawn becomes, e.g. {0}q")]
    MissingPromotion(String),
    /// More than one legal move fits the text.
    #[error("move {0} is ambiguous here")]
    Ambiguous(String),
}

/// Writes a move in coordinate notation: `e2e4`, `e7e8q`. With `chess960`, castling is written as the king
/// taking its rook, otherwise by the square on which the king lands.
pub fn format_uci(mv: Move, chess960: bool) -> String {
    let from = mv.from();
    let to = if mv.is_castle() && !chess960 {
        let side = CastlingPath::side_of(from, mv.to());
        Square::new(CastlingPath::new(Color::White, side).king_to.file(), from.rank())
    } else {
        mv.to()
    };
    match mv.promotion() {
        Some(piece) => format!("{from}{to}{}", piece.letter()),
        None => format!("{from}{to}"),
    }
}

/// Reads a legal move in coordinate notation. Castling is read in both forms in every mode; when the king's
/// destination is also the destination of an ordinary king move, the text means the ordinary move. Promotion
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
    // An ordinary king move to the castling destination takes precedence, so this comes second.
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

/// Reads a legal move in coordinate notation or, where it is none, in SAN. The error is that of the notation whose form
/// the text has.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    parse_uci(position, text).or_else(|error| match (error, parse_san(position, text)) {
        (_, Ok(mv)) => Ok(mv),
        (MoveError::Malformed(_), Err(error)) | (error, Err(_)) => Err(error),
    })
}

/// Writes a legal move in SAN: `Nbd7`, `exd6`, `e8=Q+`, `O-O-O#`, with as little disambiguation as needed.
pub fn format_san(position: &Position, mv: Move) -> String {
    let mut san = String::with_capacity(8);
    let (from, to) = (mv.from(), mv.to());
    let kind = position.piece_on(from).map_or(PieceType::Pawn, Piece::kind);
    if mv.is_castle() {
        san.push_str(match CastlingPath::side_of(from, to) {
            CastlingSide::King => "O-O",
            CastlingSide::Queen => "O-O-O",
        });
    } else {
        if kind == PieceType::Pawn {
            if mv.is_capture() {
                san.push(from.file().letter());
            }
        } else {
            san.push(kind.letter().to_ascii_uppercase());
            disambiguate(&mut san, position, mv, kind);
        }
        if mv.is_capture() {
            san.push('x');
        }
        san.push_str(&to.to_string());
        if let Some(piece) = mv.promotion() {
            san.push('=');
            san.push(piece.letter().to_ascii_uppercase());
        }
    }
    let after = position.after(mv);
    if after.in_check() {
        san.push(if after.has_legal_move() { '+' } else { '#' });
    }
    san
}

/// Adds the file, else the rank, else both, when another piece of the same type has a legal move to the same square.
fn disambiguate(san: &mut String, position: &Position, mv: Move, kind: PieceType) {
    let rivals: Bitboard = position
        .legal_moves()
        .iter()
        .filter(|other| other.to() == mv.to() && other.from() != mv.from() && !other.is_castle())
        .map(|other| other.from())
        .filter(|&from| position.piece_on(from).map(Piece::kind) == Some(kind))
        .collect();
    if rivals.is_empty() {
        return;
    }
    let from = mv.from();
    let same_file = rivals.meets(from.file().bitboard());
    let same_rank = rivals.meets(from.rank().bitboard());
    if !same_file || same_rank {
        san.push(from.file().letter());
    }
    if same_file {
        san.push_str(&(from.rank().index() + 1).to_string());
    }
}

/// Reads a move in SAN. Also accepts: check marks and annotations (`+ # ! ?`) missing or
/// extra, `0-0` for `O-O`, promotion without `=` or as `a8/Q` and `a8(Q)`, more disambiguation than needed, a missing
/// `x`.
pub fn parse_san(position: &Position, text: &str) -> Result<Move, MoveError> {
    let malformed = || MoveError::Malformed(text.to_owned());
    let legal = position.legal_moves();
    let body = text.trim_end_matches(['+', '#', '!', '?']);
    let wing = match body {
        "O-O" | "0-0" | "o-o" => Some(CastlingSide::King),
        "O-O-O" | "0-0-0" | "o-o-o" => Some(CastlingSide::Queen),
        _ => None,
    };
    if let Some(wing) = wing {
        let is_it = |mv: &Move| mv.is_castle() && CastlingPath::side_of(mv.from(), mv.to()) == wing;
        return only_one(legal.into_iter().filter(is_it).collect(), text);
    }

    let mut letters: Vec<char> = body.chars().filter(|letter| !"x:-=".contains(*letter)).collect();
    if let [.., '/', _] | [.., '(', _, ')'] = letters[..] {
        letters.retain(|letter| !"/()".contains(*letter));
        if letters.last().is_none_or(|letter| !letter.is_alphabetic()) {
            return Err(malformed());
        }
    }
    let kind = match letters.first() {
        Some(letter @ ('N' | 'B' | 'R' | 'Q' | 'K')) => PieceType::from_letter(*letter),
        _ => None,
    };
    if kind.is_some() {
        letters.remove(0);
    }
    let kind = kind.unwrap_or(PieceType::Pawn);
    let mut promotion = None;
    if let Some(letter) = letters.last().filter(|letter| letter.is_alphabetic()) {
        promotion = match PieceType::from_letter(*letter) {
            Some(PieceType::Pawn | PieceType::King) | None => return Err(malformed()),
            piece => piece,
        };
        letters.pop();
    }
    let (Some(rank), Some(file)) = (letters.pop(), letters.pop()) else { return Err(malformed()) };
    let to: Square = format!("{file}{rank}").parse().map_err(|_| malformed())?;
    let mut origin = Bitboard::ALL;
    for letter in letters {
        origin &= match (File::from_letter(letter), letter.to_digit(10)) {
            (Some(file), _) if letter.is_ascii_lowercase() => file.bitboard(),
            (_, Some(digit @ 1..=8)) => Rank::ALL[digit as usize - 1].bitboard(),
            _ => return Err(malformed()),
        };
    }
    let fits = |mv: &Move| {
        mv.to() == to
            && origin.has(mv.from())
            && mv.promotion() == promotion
            && !mv.is_castle()
            && position.piece_on(mv.from()).map(Piece::kind) == Some(kind)
    };
    only_one(legal.into_iter().filter(fits).collect(), text)
}

fn only_one(found: MoveList, text: &str) -> Result<Move, MoveError> {
    match found[..] {
        [mv] => Ok(mv),
        [] => Err(MoveError::Illegal(text.to_owned())),
        _ => Err(MoveError::Ambiguous(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_castling_are_read() {
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
    fn kinds_of_bad_moves_are_distinguished() {
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

    fn all_san(fen: &str) -> Vec<String> {
        let position: Position = fen.parse().unwrap();
        let mut all: Vec<String> = Vec::new();
        for mv in position.legal_moves() {
            let san = format_san(&position, mv);
            assert_eq!(parse_san(&position, &san), Ok(mv), "{fen} {san}");
            all.push(san);
        }
        all.sort();
        all
    }

    #[test]
    fn disambiguation_is_minimal() {
        // By file, by rank, by both, and not at all where the rival is pinned.
        let moves = all_san("1k6/8/8/8/R6R/8/8/K7 w - - 0 1");
        assert!(moves.contains(&"Rae4".into()) && moves.contains(&"Rhe4".into()), "{moves:?}");
        let moves = all_san("7k/R7/8/8/8/8/R7/K7 w - - 0 1");
        assert!(moves.contains(&"R2a4".into()) && moves.contains(&"R7a4".into()), "{moves:?}");
        let moves = all_san("6k1/8/8/8/Q6Q/8/8/K6Q w - - 0 1");
        assert!(moves.contains(&"Qh4e4".into()), "{moves:?}");
        let moves = all_san("4r2k/8/8/8/8/4N3/1N6/4K3 w - - 0 1");
        assert!(moves.contains(&"Nc4".into()), "{moves:?}");
    }

    #[test]
    fn marks() {
        assert!(all_san("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").contains(&"Ra8#".into()));
        assert!(all_san("6k1/6pp/8/8/8/8/8/R3K3 w Q - 0 1").contains(&"Ra8+".into()));
        let castles = all_san("5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        assert!(castles.contains(&"O-O+".into()) && castles.contains(&"O-O-O".into()), "{castles:?}");
        let promotions = all_san("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1");
        for san in ["exd8=Q+", "exd8=R+", "exd8=B", "exd8=N", "e8=Q+", "e8=N"] {
            assert!(promotions.contains(&san.into()), "{san} in {promotions:?}");
        }
        assert!(all_san("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1").contains(&"exd6".into()));
    }

    #[test]
    fn both_notations_are_read() {
        let position: Position = "4k3/P7/8/8/8/8/4P3/4K2R w K - 0 1".parse().unwrap();
        for [coordinates, san] in [
            ["e2e4", "e4"],
            ["e1g1", "O-O"],
            ["a7a8q", "a8=Q+"],
            ["h1h8", "Rh8+"],
            ["a7a8n", "a8N"],
            ["a7a8r", "a8/R"],
            ["a7a8b", "a8(B)"],
        ] {
            let read = parse_move(&position, san);
            assert!(read.is_ok() && read == parse_move(&position, coordinates), "{san}");
        }
        assert_eq!(parse_move(&position, "Nf3"), Err(MoveError::Illegal("Nf3".into())));
        assert_eq!(parse_move(&position, "e2e9"), Err(MoveError::Malformed("e2e9".into())));
        assert_eq!(parse_move(&position, "a7a8"), Err(MoveError::MissingPromotion("a7a8".into())));
    }

    #[test]
    fn lenient_reading() {
        let position: Position = "r3k2r/8/8/8/8/8/6P1/R3K2R w KQkq - 0 1".parse().unwrap();
        let san = |text| parse_san(&position, text).map(|mv| format_san(&position, mv));
        assert_eq!(san("0-0"), Ok("O-O".into()));
        assert_eq!(san("Rxa8"), Ok("Rxa8+".into()));
        assert_eq!(san("Ra1a8+!?"), Ok("Rxa8+".into()));
        assert_eq!(san("g4"), Ok("g4".into()));
        assert!(matches!(san("Rd1f1"), Err(MoveError::Illegal(_))));
        for text in ["", "x", "e", "Kz3", "e9", "Rxx", "🙂", "g8=K", "g4/", "g(4)", "g/4", "(g)"] {
            assert!(san(text).is_err(), "{text}");
        }
    }
}
