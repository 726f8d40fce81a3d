//! A book in memory and the choice among its moves.
//!
//! An entry has 16 bytes, with the highest byte of each number first:
//!
//! ```text
//! key 8 | move 2 | weight 2 | learn 4
//! move:  14..12 promotion (0 none, 1 knight .. 4 queen) | 11..6 from | 5..0 to
//! ```

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::key::book_key;
use crate::board::{Game, Position};
use crate::notation::parse_uci;
use crate::types::{Move, PieceType, SplitMix64, Square};

/// Why a file is no book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The system did not let it be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The length is not one of whole entries.
    #[error("not a Polyglot book, {0} bytes are no multiple of {ENTRY_LENGTH}")]
    Length(u64),
    /// Nothing is in it.
    #[error("the book is empty")]
    Empty,
    /// The entries are not sorted, so none could be found.
    #[error("not a Polyglot book, entry {0} is out of order")]
    Unsorted(usize),
}

/// A move that a book proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move, legal where it was asked for.
    pub mv: Move,
    /// How much the book likes it, at least 1, against the other moves of the position.
    pub weight: u16,
}

/// An opening book, wholly in memory.
pub struct Book {
    /// Sorted by key.
    entries: Vec<u8>,
}

impl Book {
    /// Reads a book from a file.
    ///
    /// # Errors
    /// When the file cannot be read or is no book.
    pub fn load(path: &Path) -> Result<Book, BookError> {
        let mut file = File::open(path)?;
        // A wrong length is told before gigabytes are read, and a device that never ends is not a file.
        let length = file.metadata()?;
        if !length.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file").into());
        }
        check_length(length.len())?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Book::from_bytes(bytes)
    }

    /// A book from the contents of its file.
    ///
    /// # Errors
    /// When the bytes are no book.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Book, BookError> {
        check_length(bytes.len() as u64)?;
        let book = Book { entries: bytes };
        match book.entries().windows(2).position(|pair| key_of(&pair[0]) > key_of(&pair[1])) {
            Some(at) => Err(BookError::Unsorted(at + 2)),
            None => Ok(book),
        }
    }

    fn entries(&self) -> &[Entry] {
        self.entries.as_chunks().0
    }

    /// How many entries it has, one for each move of each position.
    pub fn entry_count(&self) -> usize {
        self.entries().len()
    }

    /// The moves for the game's position, in the order of the file. Left out are moves of weight 0, which
    /// the format forbids to play, and moves that are illegal here.
    pub fn moves(&self, game: &Game) -> Vec<BookMove> {
        let Some(key) = book_key(game) else { return Vec::new() };
        let entries = self.entries();
        let first = entries.partition_point(|entry| key_of(entry) < key);
        entries[first..]
            .iter()
            .take_while(|entry| key_of(entry) == key)
            .filter_map(|entry| {
                let mv = legal_move(entry, game.position())?;
                Some(BookMove { mv, weight: weight(entry) })
            })
            .filter(|found| found.weight > 0)
            .collect()
    }

    /// The move of the highest weight, of several the first.
    pub fn best(&self, game: &Game) -> Option<Move> {
        // `max_by_key` would take the last of several.
        self.moves(game).into_iter().rev().max_by_key(|found| found.weight).map(|found| found.mv)
    }

    /// A move at random, each as likely as its share of the weights.
    pub fn pick(&self, game: &Game, random: &mut SplitMix64) -> Option<Move> {
        let moves = self.moves(game);
        let total: usize = moves.iter().map(|found| usize::from(found.weight)).sum();
        let mut ticket = if total > 0 { random.below(total) } else { return None };
        moves.into_iter().find_map(|found| match ticket.checked_sub(found.weight.into()) {
            Some(rest) => {
                ticket = rest;
                None
            }
            None => Some(found.mv),
        })
    }
}

/// Length of an entry in bytes.
const ENTRY_LENGTH: usize = 16;

/// An entry as it lies in the file. `learn`, notes of other programs, is not looked at.
type Entry = [u8; ENTRY_LENGTH];

/// The key of the position that the entry belongs to.
fn key_of(entry: &Entry) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *entry;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// How much the book likes the move; 0 forbids it.
fn weight(entry: &Entry) -> u16 {
    u16::from_be_bytes([entry[10], entry[11]])
}

/// The move, if it is legal here. Castling is written as the king taking its rook; the king's two steps,
/// which some programs write instead, are understood too.
fn legal_move(entry: &Entry, position: &Position) -> Option<Move> {
    let bits = u16::from_be_bytes([entry[8], entry[9]]);
    let square = |shift: u16| Square::from_index((bits >> shift) as u8 & 63);
    let promotion = match bits >> 12 {
        0 => String::new(),
        code @ 1..=4 => PieceType::ALL[code as usize].letter().to_string(),
        _ => return None,
    };
    parse_uci(position, &format!("{}{}{promotion}", square(6), square(0))).ok()
}

fn check_length(bytes: u64) -> Result<(), BookError> {
    match bytes {
        0 => Err(BookError::Empty),
        _ if !bytes.is_multiple_of(ENTRY_LENGTH as u64) => Err(BookError::Length(bytes)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::format_uci;

    /// Writes entries of one game's position as other programs do.
    fn entries(game: &Game, moves: &[(&str, u16)]) -> Vec<u8> {
        let key = book_key(game).expect("the position has a key");
        let square = |text: &str| {
            let [file, rank] = text.as_bytes() else { panic!("{text}") };
            u16::from(rank - b'1') * 8 + u16::from(file - b'a')
        };
        let mut bytes = Vec::new();
        for (text, weight) in moves {
            let promotion = text.get(4..).and_then(|letter| " nbrq".find(letter)).unwrap_or(0) as u16;
            let promotion = if text.len() > 4 { promotion } else { 0 };
            let bits = square(&text[2..4]) | square(&text[0..2]) << 6 | promotion << 12;
            bytes.extend(key.to_be_bytes());
            bytes.extend(bits.to_be_bytes());
            bytes.extend(weight.to_be_bytes());
            bytes.extend([7; 4]);
        }
        bytes
    }

    fn book_of(games: &[(&Game, &[(&str, u16)])]) -> Book {
        let mut chunks: Vec<Vec<u8>> = games.iter().map(|(game, moves)| entries(game, moves)).collect();
        chunks.sort_by_key(|bytes| bytes[..8].to_vec());
        Book::from_bytes(chunks.concat()).expect("a sound book")
    }

    fn found(fen: &str, moves: &[(&str, u16)]) -> Vec<(String, u16)> {
        let game: Game = fen.parse().expect("a valid FEN");
        let other: Game = "7k/8/8/8/8/8/8/K7 w - - 0 1".parse().expect("valid");
        let book = book_of(&[(&other, &[("a1a2", 1)]), (&game, moves)]);
        let moves = book.moves(&game);
        moves.iter().map(|found| (format_uci(found.mv, true), found.weight)).collect()
    }

    #[test]
    fn moves_are_found_by_position() {
        let start = Game::default();
        let mut second = Game::default();
        second.play(crate::notation::parse_uci(start.position(), "e2e4").expect("legal"));
        let third: Game = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().expect("valid");
        let book = book_of(&[
            (&start, &[("e2e4", 3), ("d2d4", 9), ("g1f3", 9)]),
            (&second, &[("c7c5", 2)]),
            (&third, &[("e1e2", 1)]),
        ]);
        assert_eq!(book.entry_count(), 5);
        let best = |game: &Game| book.best(game).map(|mv| format_uci(mv, false));
        assert_eq!(best(&start).as_deref(), Some("d2d4"));
        assert_eq!(best(&second).as_deref(), Some("c7c5"));
        assert_eq!(best(&third).as_deref(), Some("e1e2"));
        assert_eq!(best(&"4k3/8/8/8/8/8/8/3K4 w - - 0 1".parse().expect("valid")), None);
    }

    #[test]
    fn special_moves_are_decoded() {
        let is = |text: &str| vec![(text.to_owned(), 5)];
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(found(castling, &[("e1h1", 5)]), is("e1h1"));
        assert_eq!(found(castling, &[("e1a1", 5)]), is("e1a1"));
        assert_eq!(found(castling, &[("e1g1", 5)]), is("e1h1"));
        assert_eq!(found(&castling.replace(" w ", " b "), &[("e8a8", 5)]), is("e8a8"));
        // A rook's moves between the squares of castling, and castling in Chess960.
        for text in ["e1g1", "e1h1"] {
            assert_eq!(found("3k4/8/8/8/8/8/K7/4R3 w - - 0 1", &[(text, 5)]), is(text));
        }
        assert_eq!(found("1rk3r1/1p4p1/8/8/8/8/1P4P1/1RK3R1 w GBgb - 0 1", &[("c1g1", 5)]), is("c1g1"));
        assert_eq!(found("1rk3r1/1p4p1/8/8/8/8/1P4P1/1RK3R1 b GBgb - 0 1", &[("c8b8", 5)]), is("c8b8"));
        for text in ["b7a8n", "b7a8b", "b7b8r", "b7b8q"] {
            assert_eq!(found("r6k/1P6/8/8/8/8/8/7K w - - 0 1", &[(text, 5)]), is(text));
        }
        assert_eq!(found("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", &[("e5d6", 5)]), is("e5d6"));
    }

    #[test]
    fn what_cannot_be_played_is_left_out() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let moves =
            [("e2e5", 9), ("a1a1", 9), ("e7e5", 9), ("e1h1", 9), ("e2e4q", 9), ("d2d4", 0), ("c2c4", 1)];
        assert_eq!(found(start, &moves), [("c2c4".to_owned(), 1)]);
        // A pawn that does not say what it becomes, and one that becomes nothing known.
        assert_eq!(found("7k/1P6/8/8/8/8/8/7K w - - 0 1", &[("b7b8", 5)]), []);
        let game: Game = "7k/1P6/8/8/8/8/8/7K w - - 0 1".parse().expect("valid");
        for code in 5..=15u8 {
            let mut bytes = entries(&game, &[("b7b8", 5)]);
            bytes[8] |= code << 4;
            assert_eq!(Book::from_bytes(bytes).expect("a sound book").moves(&game), []);
        }
        let nothing = book_of(&[(&game, &[("h1g1", 0)])]);
        assert_eq!(nothing.best(&game), None);
        assert_eq!(nothing.pick(&game, &mut SplitMix64::from_state(1)), None);
    }

    #[test]
    fn choice_follows_the_weights() {
        let start = Game::default();
        let book = book_of(&[(&start, &[("e2e4", 600), ("d2d4", 300), ("c2c4", 100), ("a2a3", 0)])]);
        let mut random = SplitMix64::from_state(5);
        let mut counts = std::collections::HashMap::new();
        for _ in 0..10_000 {
            let mv = book.pick(&start, &mut random).expect("a move");
            *counts.entry(format_uci(mv, false)).or_insert(0) += 1;
        }
        // Five standard deviations are below 250.
        for (text, expected) in [("e2e4", 6000), ("d2d4", 3000), ("c2c4", 1000)] {
            assert!((expected - 250..expected + 250).contains(&counts[text]), "{counts:?}");
        }
        assert_eq!(counts.len(), 3);
    }

    #[test]
    fn damaged_books_are_refused() {
        let start = Game::default();
        let third: Game = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().expect("valid");
        let error = |bytes: &[u8]| Book::from_bytes(bytes.to_vec()).err().map(|error| error.to_string());
        let (low, high) = (entries(&start, &[("e2e4", 1)]), entries(&third, &[("e1e2", 1)]));
        let (low, high) = if low[..8] < high[..8] { (low, high) } else { (high, low) };
        let sound = [low.clone(), low.clone(), high.clone()].concat();
        assert_eq!(error(&sound), None);
        for length in 1..sound.len() {
            assert_eq!(error(&sound[..length]).is_none(), length % 16 == 0, "{length}");
        }
        assert_eq!(
            error(&sound[..17]).as_deref(),
            Some("not a Polyglot book, 17 bytes are no multiple of 16")
        );
        assert_eq!(error(&[]).as_deref(), Some("the book is empty"));
        let unsorted = [low.clone(), high, low].concat();
        assert_eq!(error(&unsorted).as_deref(), Some("not a Polyglot book, entry 3 is out of order"));
    }
}
