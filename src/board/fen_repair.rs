//! Reading a FEN that has faults, as board editors and people leave them.
//!
//! Where the pieces stand and whose turn it is must be told; whatever else is wrong is put right, since the
//! same board without a castling right, an en-passant square or a counter is still the board that was meant.
//! Each such repair is told. Only a board that cannot be set up, or that breaks the laws of chess in a way
//! that no other field could mend, is refused.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::fmt;

use super::fen::{self, FenError};
use super::position::Position;
use crate::types::{CastlingMode, Color, Square};

/// A field that follows the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FenField {
    Castling,
    EnPassant,
    HalfmoveClock,
    FullmoveNumber,
}

impl FenField {
    /// All in the order of a FEN.
    const ALL: [FenField; 4] =
        [FenField::Castling, FenField::EnPassant, FenField::HalfmoveClock, FenField::FullmoveNumber];
    /// What stands for a field that is not there, in the same order.
    const DEFAULTS: [&str; 4] = ["-", "-", "0", "1"];
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenField::Castling => "castling rights",
            FenField::EnPassant => "en passant square",
            FenField::HalfmoveClock => "halfmove clock",
            FenField::FullmoveNumber => "fullmove number",
        })
    }
}

/// Why a castling right was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastlingFault {
    /// King or rook stands elsewhere.
    NotInPlace,
    /// King and rook are in place by the rules of Chess960 only, and standard chess was asked for.
    Chess960Only,
    /// The same side may castle to this wing by another letter of the field.
    SecondOfWing,
}

/// What was put right in a FEN. As text, a message for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenRepair {
    /// More than one blank in a row.
    Blanks,
    /// The side to move was not told: White, or Black where White could take the king.
    SideMissing(Color),
    /// The side to move was told in other words than `w` and `b`.
    SideSpelling {
        /// As it was written.
        text: String,
        /// Who it is.
        side: Color,
    },
    /// Fields that are not there, of which at least one is named.
    Missing(Vec<FenField>),
    /// A castling right was dropped.
    Castling {
        /// As it was written: a wing or the file of a rook, upper case for White.
        right: char,
        /// Why.
        fault: CastlingFault,
    },
    /// The castling field was read without the letters or dashes in it that mean nothing there.
    CastlingText {
        /// As it was written.
        text: String,
        /// What it was taken for.
        read: String,
    },
    /// The en passant field is no square.
    EnPassantText(String),
    /// No pawn can just have passed this square.
    EnPassant(Square),
    /// A counter was no number, or one out of range.
    Counter {
        /// Which.
        field: FenField,
        /// As it was written.
        text: String,
        /// What it was taken for.
        read: u16,
    },
    /// Text after the last field was left out.
    TrailingText(String),
}

impl fmt::Display for FenRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenRepair::Blanks => f.write_str("doubled blanks in the FEN ignored"),
            FenRepair::SideMissing(side) => {
                write!(f, "FEN does not say who is to move, '{}' assumed", side_letter(*side))
            }
            FenRepair::SideSpelling { text, side } => {
                write!(f, "side to move '{text}' read as '{}'", side_letter(*side))
            }
            FenRepair::Missing(fields) => {
                let names: Vec<String> = fields.iter().map(FenField::to_string).collect();
                let values: Vec<&str> =
                    fields.iter().map(|&field| FenField::DEFAULTS[field as usize]).collect();
                write!(f, "FEN lacks {}; '{}' assumed", names.join(", "), values.join(" "))
            }
            FenRepair::Castling { right, fault } => {
                let why = match fault {
                    CastlingFault::NotInPlace => "no king and rook in place",
                    CastlingFault::Chess960Only => "no king and rook in place outside Chess960",
                    CastlingFault::SecondOfWing => "the right to castle to that wing is there already",
                };
                write!(f, "castling right '{right}' dropped: {why}")
            }
            FenRepair::CastlingText { text, read } => write!(f, "castling field '{text}' read as '{read}'"),
            FenRepair::EnPassantText(text) => write!(f, "en passant square '{text}' dropped: not a square"),
            FenRepair::EnPassant(square) => {
                write!(f, "en passant square '{square}' dropped: no pawn can just have passed it")
            }
            FenRepair::Counter { field, text, read } => write!(f, "{field} '{text}' read as {read}"),
            FenRepair::TrailingText(text) => write!(f, "text '{text}' after the FEN ignored"),
        }
    }
}

fn side_letter(side: Color) -> char {
    if side == Color::White { 'w' } else { 'b' }
}

/// A position that was read leniently.
pub(super) struct Lenient {
    pub position: Position,
    /// The square that the en passant field names, where it is in order.
    pub passed_square: Option<Square>,
    pub repairs: Vec<FenRepair>,
}

impl Position {
    /// Reads a FEN and puts right what does not change where the pieces stand and whose turn it is: castling
    /// rights without king and rook in place, an impossible en passant square, counters that are no numbers or
    /// out of range, missing fields, text behind them. Without `Chess960`, castling rights that exist only there
    /// are dropped too. The second value tells what was put right; it is empty
    /// when the FEN is in order.
    ///
    /// # Errors
    /// When the board cannot be set up or breaks the laws of chess, and when a move stands among the fields:
    /// the position after it is another one.
    pub fn parse_lenient(fen: &str, mode: CastlingMode) -> Result<(Position, Vec<FenRepair>), FenError> {
        read(fen, mode).map(|read| (read.position, read.repairs))
    }
}

/// Reads a FEN leniently.
pub(super) fn read(fen: &str, mode: CastlingMode) -> Result<Lenient, FenError> {
    let fen = fen.trim_ascii();
    let mut fields = fen.split_ascii_whitespace();
    let mut position = Position::empty();
    fen::read_board(&mut position, fields.next().ok_or(FenError::Empty)?)?;
    fen::check_pieces(&position)?;
    if let Some(text) = fields.clone().find(|text| is_move(text)) {
        return Err(FenError::MoveInFen(text.to_owned()));
    }
    let mut repairs = Vec::new();
    if fen.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_whitespace)) {
        repairs.push(FenRepair::Blanks);
    }
    read_side(&mut position, fields.next(), &mut repairs)?;

    let rest: Vec<&str> = fields.collect();
    let (assigned, trailing) = assign(&rest);
    let missing: Vec<FenField> =
        FenField::ALL.into_iter().filter(|&field| assigned[field as usize].is_none()).collect();
    if !missing.is_empty() {
        repairs.push(FenRepair::Missing(missing));
    }
    let text = |field: FenField| assigned[field as usize].unwrap_or(FenField::DEFAULTS[field as usize]);
    read_castling(&mut position, text(FenField::Castling), mode, &mut repairs);
    position.refresh_king_danger();
    position.keys = position.keys_from_scratch();
    let passed_square = read_en_passant(&mut position, text(FenField::EnPassant), &mut repairs);
    let mut counter = |field, least| {
        read_counter(field, text(field), least).unwrap_or_else(|(read, repair)| {
            repairs.push(repair);
            read
        })
    };
    position.halfmove_clock = counter(FenField::HalfmoveClock, 0);
    position.fullmove_number = counter(FenField::FullmoveNumber, 1);
    if !trailing.is_empty() {
        repairs.push(FenRepair::TrailingText(trailing.join(" ")));
    }
    Ok(Lenient { position, passed_square, repairs })
}

/// Whether a text looks like a move in coordinate notation.
fn is_move(text: &str) -> bool {
    let is_square = |at: usize| {
        text.get(at..at + 2).is_some_and(|text| text.to_ascii_lowercase().parse::<Square>().is_ok())
    };
    matches!(text.len(), 4 | 5) && is_square(0) && is_square(2)
}

fn read_side(
    position: &mut Position,
    text: Option<&str>,
    repairs: &mut Vec<FenRepair>,
) -> Result<(), FenError> {
    let Some(text) = text else {
        position.stm = Color::White;
        if fen::check_turn(position).is_err() {
            position.stm = Color::Black;
        }
        repairs.push(FenRepair::SideMissing(position.stm));
        return fen::check_turn(position);
    };
    position.stm = match text.to_ascii_lowercase().as_str() {
        "w" | "white" => Color::White,
        "b" | "black" => Color::Black,
        _ => return Err(FenError::BadSide(text.to_owned())),
    };
    if !matches!(text, "w" | "b") {
        repairs.push(FenRepair::SideSpelling { text: text.to_owned(), side: position.stm });
    }
    fen::check_turn(position)
}

/// Which of the texts after the side to move is which field, and the texts behind them all. Four or more stand
/// in their order; of fewer, a square is no castling field and a number belongs to a counter.
fn assign<'a, 't>(texts: &'a [&'t str]) -> ([Option<&'t str>; 4], &'a [&'t str]) {
    let mut fields = [None; 4];
    let mut next = 0;
    for (index, text) in texts.iter().enumerate() {
        if texts.len() < fields.len() {
            next = next.max(first_field(text) as usize);
        }
        match fields.get_mut(next) {
            Some(field) => *field = Some(*text),
            None => return (fields, texts.get(index..).unwrap_or_default()),
        }
        next += 1;
    }
    (fields, &[])
}

/// The first field that a text can be.
fn first_field(text: &str) -> FenField {
    match text {
        _ if is_number(text) => FenField::HalfmoveClock,
        _ if text.parse::<Square>().is_ok() => FenField::EnPassant,
        _ => FenField::Castling,
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// More letters than this cannot be meant as castling rights.
const MAX_CASTLING_LETTERS: usize = 8;

fn read_castling(position: &mut Position, text: &str, mode: CastlingMode, repairs: &mut Vec<FenRepair>) {
    if text == "-" {
        return;
    }
    // Some programs write a dash for each right that is missing.
    let letters: String = text.chars().filter(|&letter| letter != '-').collect();
    let is_understood = letters.chars().all(fen::is_castling_letter) && letters.len() <= MAX_CASTLING_LETTERS;
    let letters = if is_understood { letters } else { String::new() };
    if letters != text {
        let read = if letters.is_empty() { "-".to_owned() } else { letters.clone() };
        repairs.push(FenRepair::CastlingText { text: text.to_owned(), read });
    }
    for right in letters.chars() {
        if let Err(fault) = grant(position, right, mode) {
            repairs.push(FenRepair::Castling { right, fault });
        }
    }
}

fn grant(position: &mut Position, right: char, mode: CastlingMode) -> Result<(), CastlingFault> {
    let (color, side, rook) = fen::right_in_place(position, right).ok_or(CastlingFault::NotInPlace)?;
    if mode == CastlingMode::Standard && !position.is_standard_right(color, side, rook) {
        return Err(CastlingFault::Chess960Only);
    }
    if position.castling.has(color, side) {
        return Err(CastlingFault::SecondOfWing);
    }
    position.grant_castling(color, side, rook);
    Ok(())
}

/// The square that was passed, if the field names one.
fn read_en_passant(position: &mut Position, text: &str, repairs: &mut Vec<FenRepair>) -> Option<Square> {
    if text == "-" {
        return None;
    }
    match text.parse() {
        Ok(square) if fen::is_just_passed(position, square) => {
            position.set_en_passant_if_legal(square);
            return Some(square);
        }
        Ok(square) => repairs.push(FenRepair::EnPassant(square)),
        Err(_) => repairs.push(FenRepair::EnPassantText(text.to_owned())),
    }
    None
}

/// A counter; one that is too small or too large counts as the nearest, one that is no number as the least.
fn read_counter(field: FenField, text: &str, least: u16) -> Result<u16, (u16, FenRepair)> {
    let read = match text.parse::<i64>() {
        Ok(number) => number.clamp(least.into(), u16::MAX.into()) as u16,
        Err(_) if is_number(text) => u16::MAX,
        Err(_) => least,
    };
    match text.parse::<u16>() {
        Ok(number) if read == number => Ok(read),
        _ => Err((read, FenRepair::Counter { field, text: text.to_owned(), read })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::START_FEN;

    fn read(fen: &str, mode: CastlingMode) -> (String, Vec<String>) {
        let (position, repairs) = Position::parse_lenient(fen, mode).unwrap_or_else(|e| panic!("{fen}: {e}"));
        (position.to_string(), repairs.iter().map(FenRepair::to_string).collect())
    }

    fn standard(fen: &str) -> (String, Vec<String>) {
        read(fen, CastlingMode::Standard)
    }

    fn error(fen: &str) -> FenError {
        Position::parse_lenient(fen, CastlingMode::Standard).unwrap_err()
    }

    #[test]
    fn what_is_in_order_stays() {
        for fen in [
            START_FEN,
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 5 9",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
            "8/8/8/3k4/8/3K4/8/8 w - - 65535 65535",
        ] {
            assert_eq!(standard(fen), (fen.to_owned(), vec![]));
        }
        let inner = "4k3/8/8/8/8/8/8/4KR1R w F - 0 1";
        assert_eq!(read(inner, CastlingMode::Chess960), (inner.to_owned(), vec![]));
    }

    #[test]
    fn castling_rights_need_king_and_rook() {
        let castled = "r2q1rk1/pp2bppp/2n1bn2/3p4/8/2NBPN2/PP3PPP/R1BQ1RK1 w";
        let outside =
            |right| format!("castling right '{right}' dropped: no king and rook in place outside Chess960");
        let missing = |right| format!("castling right '{right}' dropped: no king and rook in place");
        let (fen, repairs) = standard(&format!("{castled} KQkq - 0 11"));
        assert_eq!(fen, format!("{castled} - - 0 11"));
        assert_eq!(repairs, [missing('K'), outside('Q'), missing('k'), outside('q')]);
        assert_eq!(standard(&format!("{castled} HAha - 0 11")).1[..2], [missing('H'), outside('A')]);
        // In Chess960 a king may have begun on g1.
        let (fen, repairs) = read(&format!("{castled} KQkq - 0 11"), CastlingMode::Chess960);
        assert_eq!(fen, format!("{castled} Qq - 0 11"));
        assert_eq!(repairs, [missing('K'), missing('k')]);

        for (board, rights, left, dropped) in [
            ("r3k2r/8/8/8/8/8/8/R4K1R w", "KQkq", "kq", "KQ"),
            ("r3k2r/8/8/8/8/8/8/4K1R1 w", "KQkq", "kq", "KQ"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w", "HAha", "KQkq", ""),
            ("r3k2r/8/8/8/8/8/8/R3K2R w", "KKQHq", "KQq", "KH"),
            ("r3k3/8/8/8/8/8/8/R3K1BR w", "KQkqb", "KQq", "kb"),
            ("4k3/8/8/8/8/8/4K3/R6R w", "KQkq", "-", "KQkq"),
        ] {
            let (fen, repairs) = standard(&format!("{board} {rights} - 0 1"));
            assert_eq!(fen, format!("{board} {left} - 0 1"));
            let letters: String = repairs.iter().filter_map(|text| text.chars().nth(16)).collect();
            assert_eq!(letters, dropped, "{repairs:?}");
        }
        // Two rooks of a wing.
        let (fen, repairs) = read("4k3/8/8/8/8/8/8/4KR1R w FH - 0 1", CastlingMode::Chess960);
        assert_eq!(fen, "4k3/8/8/8/8/8/8/4KR1R w F - 0 1");
        assert_eq!(
            repairs,
            ["castling right 'H' dropped: the right to castle to that wing is there already"]
        );
    }

    #[test]
    fn castling_fields_that_are_none() {
        let board = "r3k2r/8/8/8/8/8/8/R3K2R w";
        for (text, left) in [
            ("--", "-"),
            ("KQ--", "KQ"),
            ("K-k-", "Kk"),
            ("yes", "-"),
            ("KQxq", "-"),
            ("KQkqKQkqK", "-"),
            ("é", "-"),
        ] {
            let (fen, repairs) = standard(&format!("{board} {text} - 0 1"));
            assert_eq!(fen, format!("{board} {left} - 0 1"));
            assert_eq!(repairs, [format!("castling field '{text}' read as '{left}'")]);
        }
    }

    #[test]
    fn en_passant_squares_that_no_pawn_passed() {
        let board = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq";
        assert_eq!(standard(&format!("{board} e3 0 3")), (format!("{board} e3 0 3"), vec![]));
        for wrong in ["e4", "e6", "e2", "d3", "a3", "h8", "e", "3", "e33", "E3", "e9", "x", "0", "--"] {
            let (fen, repairs) = standard(&format!("{board} {wrong} 0 3"));
            assert_eq!(fen, format!("{board} - 0 3"));
            let start = format!("en passant square '{wrong}' dropped: ");
            assert!(repairs.len() == 1 && repairs[0].starts_with(&start), "{repairs:?}");
        }
        // A pawn moved two steps, but nobody can take it: the square is in order and makes no difference.
        let useless = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(standard(useless), (useless.replace("e3", "-"), vec![]));
        // The square before the step is occupied; the passed square is; White was in check before the step.
        for fen in [
            "4k3/4n3/8/3Pp3/8/8/8/4K3 w - e6 0 1",
            "4k3/8/4n3/3Pp3/8/8/8/4K3 w - e6 0 1",
            "4k3/2b5/8/3Pp3/8/6K1/8/8 w - e6 0 1",
        ] {
            assert_eq!(
                standard(fen).1,
                ["en passant square 'e6' dropped: no pawn can just have passed it"],
                "{fen}"
            );
        }
    }

    #[test]
    fn counters_are_numbers_in_range() {
        for (text, clock, number) in [
            ("many 7", 0, 7),
            ("-1 1", 0, 1),
            ("0 0", 0, 1),
            ("70000 70000", 65535, 65535),
            ("99999999999999999999999999 5", 65535, 5),
            ("-99999999999999999999999999 5", 0, 5),
            ("3.5 5", 0, 5),
            ("- -", 0, 1),
            ("12 -3", 12, 1),
        ] {
            let (fen, repairs) = standard(&format!("8/8/8/3k4/8/3K4/8/8 w - - {text}"));
            assert_eq!(fen, format!("8/8/8/3k4/8/3K4/8/8 w - - {clock} {number}"));
            assert!((1..=2).contains(&repairs.len()), "{text}: {repairs:?}");
        }
        let (_, repairs) = standard("8/8/8/3k4/8/3K4/8/8 w - - x 0");
        assert_eq!(repairs, ["halfmove clock 'x' read as 0", "fullmove number '0' read as 1"]);
    }

    #[test]
    fn missing_fields_are_known_by_what_is_there() {
        let board = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR";
        let all = "castling rights, en passant square, halfmove clock, fullmove number; '- - 0 1' assumed";
        for (rest, read, lacking) in [
            ("b", "b - - 0 1", all),
            ("b KQkq", "b KQkq - 0 1", "en passant square, halfmove clock, fullmove number; '- 0 1' assumed"),
            ("b KQkq e3", "b KQkq e3 0 1", "halfmove clock, fullmove number; '0 1' assumed"),
            ("b KQkq e3 4", "b KQkq e3 4 1", "fullmove number; '1' assumed"),
            ("b e3 4 9", "b - e3 4 9", "castling rights; '-' assumed"),
            ("b KQkq 4 9", "b KQkq - 4 9", "en passant square; '-' assumed"),
            ("b 4 9", "b - - 4 9", "castling rights, en passant square; '- -' assumed"),
            ("b - 4 9", "b - - 4 9", "en passant square; '-' assumed"),
            ("b e3", "b - e3 0 1", "castling rights, halfmove clock, fullmove number; '- 0 1' assumed"),
        ] {
            let (fen, repairs) = standard(&format!("{board} {rest}"));
            assert_eq!(fen, format!("{board} {read}"));
            assert_eq!(repairs, [format!("FEN lacks {lacking}")]);
        }
    }

    #[test]
    fn the_side_to_move() {
        let told = |fen: &str| standard(fen).1[0].clone();
        assert_eq!(told("4k3/8/8/8/8/8/8/4K3"), "FEN does not say who is to move, 'w' assumed");
        assert_eq!(told("4k3/4R3/8/8/8/8/8/4K3"), "FEN does not say who is to move, 'b' assumed");
        assert_eq!(told("4k3/8/8/8/8/8/8/4K3 White - - 0 1"), "side to move 'White' read as 'w'");
        assert_eq!(told("4k3/8/8/8/8/8/8/4K3 B - - 0 1"), "side to move 'B' read as 'b'");
        assert_eq!(error("4k3/8/8/8/8/8/8/4K3 x - - 0 1"), FenError::BadSide("x".into()));
        assert_eq!(error("4k3/8/8/8/8/8/8/4K3 - - 0 1"), FenError::BadSide("-".into()));
        assert_eq!(error("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1"), FenError::OpponentInCheck(Color::Black));
        assert_eq!(error("4k3/4R3/8/8/8/8/4r3/4K3"), FenError::OpponentInCheck(Color::White));
    }

    #[test]
    fn blanks_and_text_at_the_end() {
        let fen = "8/8/8/3k4/8/3K4/8/8 w - - 0 1";
        assert_eq!(standard(&format!("  {fen}\r\n")), (fen.to_owned(), vec![]));
        let blanks = "doubled blanks in the FEN ignored";
        assert_eq!(standard(&fen.replace(" w ", "  w \t")), (fen.to_owned(), vec![blanks.to_owned()]));
        let (read, repairs) = standard(&format!("{fen} id \"x\";"));
        assert_eq!(
            (read.as_str(), repairs),
            (fen, vec!["text 'id \"x\";' after the FEN ignored".to_owned()])
        );
        assert_eq!(standard("8/8/8/3k4/8/3K4/8/8 w 0 1 7").1.len(), 2);
    }

    #[test]
    fn a_move_makes_another_position_of_it() {
        for rest in
            ["w - - 0 1 d3e3", "w - - 0 1 move d3e3", "w - - d3e3 d5e5", "w d3e3", "w - D3E3 0 1", "w e7e8q"]
        {
            let error = error(&format!("8/8/8/3k4/8/3K4/8/8 {rest}"));
            assert!(matches!(error, FenError::MoveInFen(_)), "{rest}: {error}");
        }
    }

    #[test]
    fn what_no_field_can_mend_is_refused() {
        for fen in [
            "",
            "8/8/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/9/4K3 w - - 0 1",
            "8/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
            "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
            "8/8/8/3kK3/8/8/8/8 w - - 0 1",
        ] {
            assert_eq!(error(fen), fen.parse::<Position>().unwrap_err(), "{fen}");
        }
    }
}
