//! One game in as few bytes as a simple scheme gives, about one and a half for a ply.
//!
//! ```text
//! outcome            2 bits: 0 White wins, 1 draw, 2 Black wins
//! other start        1 bit: 0 the initial position, 1 a FEN follows
//! [FEN               length as number(6), then 8 bits a letter; castling rights as rook files]
//! opening plies      number(4)
//! searched plies     number(7)
//! opening moves      one index each
//! searched moves     an index, then the score as number(5)
//! padding            zero bits up to a whole byte
//! ```
//!
//! `number(k)` is the exponential Golomb code of order k (see [`super::bits`]). A move is its index among the
//! legal moves, sorted by their sixteen bits, in as many bits as the count of legal moves needs: a
//! move that is read is legal by construction, and a forced one costs nothing. A score is stored as its
//! difference to what the last one (0 before the first) promised, the negative of it, with the sign in
//! the lowest bit: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...

use super::bits::{BitReader, BitWriter};
use super::record::{GameRecord, Outcome, ScoredMove};
use crate::board::Position;
use crate::types::{Move, MoveList, Score};

const FEN_ORDER: u32 = 6;
const OPENING_ORDER: u32 = 4;
const MOVES_ORDER: u32 = 7;
const SCORE_ORDER: u32 = 5;

/// More plies than this are refused, so that a block keeps below its greatest size.
const MAX_PLIES: usize = 1 << 14;

/// Why a game cannot be stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// A move does not belong to its position.
    #[error("the move at ply {ply} is not legal")]
    IllegalMove {
        /// Plies from the start of the game, from 0.
        ply: usize,
    },
    /// No real game is that long.
    #[error("a game of {plies} plies is too long")]
    TooLong {
        /// Plies of the game.
        plies: usize,
    },
    /// A score lies outside the range that scores have.
    #[error("the score at ply {ply} is out of range")]
    BadScore {
        /// Plies from the start of the game, from 0.
        ply: usize,
    },
}

/// The legal moves in the order of their bits.
fn sorted_moves(position: &Position) -> MoveList {
    let mut moves = position.legal_moves();
    moves.sort_unstable_by_key(|mv| mv.bits());
    moves
}

/// Bits that hold every index below `count`.
fn index_bits(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

fn zigzag(difference: i32) -> u32 {
    (difference << 1 ^ difference >> 31) as u32
}

fn unzigzag(code: u32) -> i32 {
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

fn is_in_range(score: Score) -> bool {
    (-Score::INFINITE..=Score::INFINITE).contains(&score)
}

/// Appends a game. On an error `bytes` is as before.
pub(super) fn encode(record: &GameRecord, bytes: &mut Vec<u8>) -> Result<(), RecordError> {
    let length = bytes.len();
    let result = encode_game(record, BitWriter::new(bytes));
    if result.is_err() {
        bytes.truncate(length);
    }
    result
}

fn encode_game(record: &GameRecord, mut bits: BitWriter<'_>) -> Result<(), RecordError> {
    if record.plies() > MAX_PLIES {
        return Err(RecordError::TooLong { plies: record.plies() });
    }
    bits.put(record.outcome as u32, 2);
    let other_start = record.start != Position::start();
    bits.put(u32::from(other_start), 1);
    if other_start {
        let fen = record.start.to_shredder_fen();
        bits.put_number(fen.len() as u32, FEN_ORDER);
        fen.bytes().for_each(|letter| bits.put(u32::from(letter), 8));
    }
    bits.put_number(record.opening.len() as u32, OPENING_ORDER);
    bits.put_number(record.moves.len() as u32, MOVES_ORDER);
    let mut position = record.start;
    let mut put_move = |bits: &mut BitWriter<'_>, mv: Move, ply| {
        let moves = sorted_moves(&position);
        let index = moves.iter().position(|&legal| legal == mv);
        bits.put(index.ok_or(RecordError::IllegalMove { ply })? as u32, index_bits(moves.len()));
        position.make(mv);
        Ok(())
    };
    for (ply, &mv) in record.opening.iter().enumerate() {
        put_move(&mut bits, mv, ply)?;
    }
    let mut expected = Score::DRAW;
    for (index, &ScoredMove { mv, score }) in record.moves.iter().enumerate() {
        let ply = record.opening.len() + index;
        put_move(&mut bits, mv, ply)?;
        if !is_in_range(score) {
            return Err(RecordError::BadScore { ply });
        }
        bits.put_number(zigzag(score - expected), SCORE_ORDER);
        expected = -score;
    }
    bits.finish();
    Ok(())
}

/// Reads one game from the front of `bytes` and returns it with the rest; `None` when they hold no game.
pub(super) fn decode(bytes: &[u8]) -> Option<(GameRecord, &[u8])> {
    let mut bits = BitReader::new(bytes);
    let outcome = *Outcome::ALL.get(bits.take(2)? as usize)?;
    let start = match bits.take(1)? {
        0 => Position::start(),
        _ => {
            let length = bits.take_number(FEN_ORDER)?;
            let letters: Option<Vec<u8>> =
                (0..length).map(|_| bits.take(8).map(|letter| letter as u8)).collect();
            String::from_utf8(letters?).ok()?.parse().ok()?
        }
    };
    let opening_plies = bits.take_number(OPENING_ORDER)?;
    let searched_plies = bits.take_number(MOVES_ORDER)?;
    if (opening_plies + searched_plies) as usize > MAX_PLIES {
        return None;
    }
    let mut position = start;
    let mut take_move = |bits: &mut BitReader<'_>| {
        let moves = sorted_moves(&position);
        let mv = *moves.get(bits.take(index_bits(moves.len()))? as usize)?;
        position.make(mv);
        Some(mv)
    };
    let opening = (0..opening_plies).map(|_| take_move(&mut bits)).collect::<Option<Vec<Move>>>()?;
    let mut expected = Score::DRAW;
    let mut moves = Vec::new();
    for _ in 0..searched_plies {
        let mv = take_move(&mut bits)?;
        let score = expected + unzigzag(bits.take_number(SCORE_ORDER)?);
        if !is_in_range(score) {
            return None;
        }
        moves.push(ScoredMove { mv, score });
        expected = -score;
    }
    Some((GameRecord { start, opening, moves, outcome }, bits.finish()?))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::types::MoveKind;

    fn encoded(record: &GameRecord) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(record, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn random_games_round_trip() {
        let games = sample::games(400, 1);
        let mut bytes = Vec::new();
        games.iter().for_each(|game| encode(game, &mut bytes).unwrap());
        let mut rest = &bytes[..];
        for game in &games {
            let (decoded, tail) = decode(rest).unwrap();
            assert_eq!(decoded, *game);
            rest = tail;
        }
        assert!(rest.is_empty());

        let moves = || {
            games.iter().flat_map(|game| game.opening.iter().copied().chain(game.moves.iter().map(|m| m.mv)))
        };
        for kind in [
            MoveKind::Castle,
            MoveKind::EnPassant,
            MoveKind::PromoteKnight,
            MoveKind::PromoteBishop,
            MoveKind::PromoteRook,
            MoveKind::PromoteQueen,
            MoveKind::CapturePromoteKnight,
            MoveKind::CapturePromoteQueen,
        ] {
            assert!(moves().any(|mv| mv.kind() == kind), "{kind:?}");
        }
        let chess960 = |game: &&GameRecord| game.start.needs_chess960();
        let castles = games.iter().filter(chess960).any(|game| game.moves.iter().any(|m| m.mv.is_castle()));
        assert!(castles);
    }

    #[test]
    fn extreme_scores_and_empty_games_round_trip() {
        let start = Position::start();
        let mv = start.legal_moves()[0];
        let mut record = GameRecord { start, opening: Vec::new(), moves: Vec::new(), outcome: Outcome::Draw };
        assert_eq!(decode(&encoded(&record)), Some((record.clone(), &[][..])));
        for score in [-Score::INFINITE, -Score::MATE, Score::DRAW, Score(1), Score::MATE, Score::INFINITE] {
            record.moves = vec![ScoredMove { mv, score }];
            assert_eq!(decode(&encoded(&record)), Some((record.clone(), &[][..])));
        }
        record.moves = vec![ScoredMove { mv, score: Score::INFINITE + 1 }];
        assert_eq!(encode(&record, &mut Vec::new()), Err(RecordError::BadScore { ply: 0 }));
    }

    #[test]
    fn what_is_no_game_is_refused() {
        let mut bytes = vec![1, 2, 3];
        let mut game = sample::games(1, 3).remove(0);
        let wrong = game.moves[5].mv;
        game.moves.insert(6, ScoredMove { mv: wrong, score: Score::DRAW });
        let ply = game.opening.len() + 6;
        assert_eq!(encode(&game, &mut bytes), Err(RecordError::IllegalMove { ply }));
        assert_eq!(bytes, [1, 2, 3]);
        game.moves = vec![game.moves[0]; MAX_PLIES + 1];
        assert!(matches!(encode(&game, &mut bytes), Err(RecordError::TooLong { .. })));
    }

    #[test]
    fn any_bytes_decode_or_fail_without_panic() {
        let mut rng = fastrand::Rng::with_seed(5);
        for game in sample::games(100, 6) {
            let mut bytes = encoded(&game);
            assert!((0..bytes.len()).all(|length| decode(&bytes[..length]).is_none()));
            for _ in 0..50 {
                let index = rng.usize(..bytes.len());
                bytes[index] ^= 1 << rng.u32(0..8);
                let Some((decoded, _)) = decode(&bytes) else { continue };
                // Whatever comes out is a legal game, or it could not be written again.
                encode(&decoded, &mut Vec::new()).unwrap();
            }
        }
    }
}
