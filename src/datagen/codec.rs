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
//! tree positions     number(0), from format version 2 on
//! each of them       searched moves before its search, less those before the last one's, as number(1), then
//!                    plies of its path less one as number(2), an index for each, and the score as number(6)
//! padding            zero bits up to a whole byte
//! ```
//!
//! `number(k)` is the exponential Golomb code of order k (see [`super::bits`]). A move is its index among the
//! legal moves, sorted by their sixteen bits, in as many bits as the count of legal moves needs: a
//! move that is read is legal by construction, and a forced one costs nothing. A score is stored as its
//! difference to what the last one (0 before the first) promised, the negative of it, with the sign in
//! the lowest bit: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... That of a tree position is stored as the difference to
//! the score of the search whose tree it comes from, with the sign of the side to move.

use super::bits::{BitReader, BitWriter};
use super::record::{GameRecord, Outcome, ScoredMove, TreePosition};
use crate::board::Position;
use crate::search::TreeSample;
use crate::types::{Move, MoveList, Score};

const FEN_ORDER: u32 = 6;
const OPENING_ORDER: u32 = 4;
const MOVES_ORDER: u32 = 7;
const SCORE_ORDER: u32 = 5;
const TREES_ORDER: u32 = 0;
const GAP_ORDER: u32 = 1;
const PATH_ORDER: u32 = 2;
const TREE_SCORE_ORDER: u32 = 6;

/// The format version that is written. Those before it are read: 1 had no tree positions.
pub(super) const VERSION: u32 = 2;
/// The first format version with tree positions.
const TREES_FROM_VERSION: u32 = 2;

/// More plies than this are refused, so that a block keeps below its greatest size.
const MAX_PLIES: usize = 1 << 14;
/// The same for tree positions.
pub(super) const MAX_TREES: usize = 1 << 14;

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
    /// A tree position does not come from a search of the game, is not in its place, or has an illegal move or a
    /// score out of range.
    #[error("tree position {index} does not belong to the game")]
    BadTree {
        /// Its place among those of the game, from 0.
        index: usize,
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
    if record.trees.len() > MAX_TREES {
        return Err(RecordError::BadTree { index: MAX_TREES });
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
    for (ply, &mv) in record.opening.iter().enumerate() {
        put_move(&mut bits, &mut position, mv).ok_or(RecordError::IllegalMove { ply })?;
    }
    let searched_from = position;
    let mut expected = Score::DRAW;
    for (index, &ScoredMove { mv, score }) in record.moves.iter().enumerate() {
        let ply = record.opening.len() + index;
        put_move(&mut bits, &mut position, mv).ok_or(RecordError::IllegalMove { ply })?;
        if !is_in_range(score) {
            return Err(RecordError::BadScore { ply });
        }
        bits.put_number(zigzag(score - expected), SCORE_ORDER);
        expected = -score;
    }
    bits.put_number(record.trees.len() as u32, TREES_ORDER);
    let mut tree = TreeWalk::new(searched_from, &record.moves);
    for (index, position) in record.trees.iter().enumerate() {
        put_tree(&mut bits, &mut tree, position).ok_or(RecordError::BadTree { index })?;
    }
    bits.finish();
    Ok(())
}

/// Writes a legal move and makes it.
fn put_move(bits: &mut BitWriter<'_>, position: &mut Position, mv: Move) -> Option<()> {
    let moves = sorted_moves(position);
    let index = moves.iter().position(|&legal| legal == mv)?;
    bits.put(index as u32, index_bits(moves.len()));
    position.make(mv);
    Some(())
}

/// Reads a move and makes it.
fn take_move(bits: &mut BitReader<'_>, position: &mut Position) -> Option<Move> {
    let moves = sorted_moves(position);
    let mv = *moves.get(bits.take(index_bits(moves.len()))? as usize)?;
    position.make(mv);
    Some(mv)
}

/// Goes along the searched moves to the roots of the trees.
struct TreeWalk<'a> {
    root: Position,
    /// Searched moves before the root.
    after: usize,
    moves: &'a [ScoredMove],
}

impl TreeWalk<'_> {
    fn new(searched_from: Position, moves: &[ScoredMove]) -> TreeWalk<'_> {
        TreeWalk { root: searched_from, after: 0, moves }
    }

    /// Goes to the root after so many searched moves and gives the score of its search; `None` when that is behind
    /// or there was no search.
    fn go_to(&mut self, after: usize) -> Option<Score> {
        let (score, between) = (self.moves.get(after)?.score, self.moves.get(self.after..after)?);
        between.iter().for_each(|scored| {
            self.root.make(scored.mv);
        });
        self.after = after;
        Some(score)
    }
}

/// What a position so many plies below a root with this score promises to the side to move.
fn promised(score: Score, plies: usize) -> Score {
    if plies.is_multiple_of(2) { score } else { -score }
}

fn put_tree(bits: &mut BitWriter<'_>, tree: &mut TreeWalk<'_>, found: &TreePosition) -> Option<()> {
    let gap = found.after.checked_sub(tree.after)?;
    let (root_score, plies) = (tree.go_to(found.after)?, found.path.len());
    if !(1..=TreeSample::MOST_PLIES).contains(&plies) || !is_in_range(found.score) {
        return None;
    }
    bits.put_number(gap as u32, GAP_ORDER);
    bits.put_number(plies as u32 - 1, PATH_ORDER);
    let mut position = tree.root;
    found.path.iter().try_for_each(|&mv| put_move(bits, &mut position, mv))?;
    bits.put_number(zigzag(found.score - promised(root_score, plies)), TREE_SCORE_ORDER);
    Some(())
}

fn take_tree(bits: &mut BitReader<'_>, tree: &mut TreeWalk<'_>) -> Option<TreePosition> {
    let after = tree.after + bits.take_number(GAP_ORDER)? as usize;
    let root_score = tree.go_to(after)?;
    let plies = bits.take_number(PATH_ORDER)? as usize + 1;
    if plies > TreeSample::MOST_PLIES {
        return None;
    }
    let mut position = tree.root;
    let path = (0..plies).map(|_| take_move(bits, &mut position)).collect::<Option<Vec<Move>>>()?;
    let score = promised(root_score, plies) + unzigzag(bits.take_number(TREE_SCORE_ORDER)?);
    is_in_range(score).then_some(TreePosition { after, path, score })
}

/// Reads one game of a file with this format version from the front of `bytes` and returns it with the rest;
/// `None` when they hold no game.
pub(super) fn decode(bytes: &[u8], version: u32) -> Option<(GameRecord, &[u8])> {
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
    let opening =
        (0..opening_plies).map(|_| take_move(&mut bits, &mut position)).collect::<Option<Vec<Move>>>()?;
    let searched_from = position;
    let mut expected = Score::DRAW;
    let mut moves = Vec::new();
    for _ in 0..searched_plies {
        let mv = take_move(&mut bits, &mut position)?;
        let score = expected + unzigzag(bits.take_number(SCORE_ORDER)?);
        if !is_in_range(score) {
            return None;
        }
        moves.push(ScoredMove { mv, score });
        expected = -score;
    }
    let count = if version >= TREES_FROM_VERSION { bits.take_number(TREES_ORDER)? as usize } else { 0 };
    if count > MAX_TREES {
        return None;
    }
    let mut tree = TreeWalk::new(searched_from, &moves);
    let trees = (0..count).map(|_| take_tree(&mut bits, &mut tree)).collect::<Option<Vec<_>>>()?;
    Some((GameRecord { start, opening, moves, outcome, trees }, bits.finish()?))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::types::{MoveKind, SplitMix64};

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
            let (decoded, tail) = decode(rest, VERSION).unwrap();
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
        let mut record = GameRecord {
            start,
            opening: Vec::new(),
            moves: Vec::new(),
            outcome: Outcome::Draw,
            trees: Vec::new(),
        };
        assert_eq!(decode(&encoded(&record), VERSION), Some((record.clone(), &[][..])));
        for score in [-Score::INFINITE, -Score::MATE, Score::DRAW, Score(1), Score::MATE, Score::INFINITE] {
            record.moves = vec![ScoredMove { mv, score }];
            assert_eq!(decode(&encoded(&record), VERSION), Some((record.clone(), &[][..])));
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
    fn tree_positions_out_of_place_are_refused() {
        let game = sample::games(40, 8).into_iter().find(|game| game.trees.len() > 5).unwrap();
        let refused = |index: usize, change: &dyn Fn(&mut TreePosition)| {
            let mut bad = game.clone();
            change(&mut bad.trees[index]);
            assert_eq!(encode(&bad, &mut Vec::new()), Err(RecordError::BadTree { index }));
        };
        refused(5, &|tree| tree.after = game.moves.len());
        refused(2, &|tree| tree.path = Vec::new());
        refused(2, &|tree| tree.path = vec![tree.path[0]; 2]);
        refused(2, &|tree| tree.score = Score::INFINITE + 1);
        let mut swapped = game.clone();
        let index = (1..game.trees.len()).find(|&k| game.trees[k].after > game.trees[k - 1].after).unwrap();
        swapped.trees.swap(index - 1, index);
        assert_eq!(encode(&swapped, &mut Vec::new()), Err(RecordError::BadTree { index }));
        let mut many = game.clone();
        many.trees = vec![game.trees[0].clone(); MAX_TREES + 1];
        assert_eq!(encode(&many, &mut Vec::new()), Err(RecordError::BadTree { index: MAX_TREES }));
    }

    #[test]
    fn any_bytes_decode_or_fail_without_panic() {
        let mut random = SplitMix64::from_state(5);
        for game in sample::games(100, 6) {
            let mut bytes = encoded(&game);
            assert!((0..bytes.len()).all(|length| decode(&bytes[..length], VERSION).is_none()));
            for _ in 0..50 {
                let index = random.below(bytes.len());
                bytes[index] ^= 1 << random.below(8);
                let Some((decoded, _)) = decode(&bytes, VERSION) else { continue };
                // Whatever comes out is a legal game, or it could not be written again.
                encode(&decoded, &mut Vec::new()).unwrap();
            }
        }
    }
}
