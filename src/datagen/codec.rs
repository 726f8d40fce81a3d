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
//! `number(k)` is the exponential Golomb code of order k (see [`BitWriter::put_number`]). Bits are packed without gaps,
//! from the lowest one of a byte on. A move is its index among the legal moves, sorted by their sixteen bits, in as many
//! bits as the count of legal moves needs: a move that is read is legal by construction, and a forced one costs nothing.
//! A score is stored as its difference to what the last one (0 before the first) promised, the negative of it, with the
//! sign in the lowest bit: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... That of a tree position is stored as the difference
//! to the score of the search whose tree it comes from, with the sign of the side to move.

use bitstream_io::{BitRead, BitWrite, LittleEndian};

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

/// Appends bits to bytes.
pub(super) struct BitWriter<'a>(bitstream_io::BitWriter<&'a mut Vec<u8>, LittleEndian>);

impl BitWriter<'_> {
    pub(super) fn new(bytes: &mut Vec<u8>) -> BitWriter<'_> {
        BitWriter(bitstream_io::BitWriter::new(bytes))
    }

    /// Writes the low `bits` (at most 32) bits of a value that has no others.
    pub(super) fn put(&mut self, value: u32, bits: u32) {
        debug_assert!(bits <= 32 && u64::from(value) < 1 << bits);
        // Memory takes everything.
        let _ = self.0.write_unsigned_var(bits, value);
    }

    /// Writes a number below 2^24 in an exponential Golomb code: cheap up to about 2^`order`, two bits more for
    /// each doubling beyond.
    pub(super) fn put_number(&mut self, value: u32, order: u32) {
        let shifted = value + (1 << order);
        let extra = shifted.ilog2() - order;
        let _ = self.0.write_unary::<0>(extra);
        self.put(shifted - (1 << (order + extra)), order + extra);
    }

    /// Fills the last byte with zeros.
    pub(super) fn finish(mut self) {
        let _ = self.0.byte_align();
    }
}

/// Reads what [`BitWriter`] wrote. All methods give `None` where the bytes end too early.
pub(super) struct BitReader<'a>(bitstream_io::BitReader<&'a [u8], LittleEndian>);

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader(bitstream_io::BitReader::new(bytes))
    }

    /// Reads a value of `bits` (at most 32) bits.
    pub(super) fn take(&mut self, bits: u32) -> Option<u32> {
        self.0.read_unsigned_var(bits).ok()
    }

    /// Reads a number in the exponential Golomb code of [`BitWriter::put_number`]; `None` also for one of 2^24
    /// or more.
    pub(super) fn take_number(&mut self, order: u32) -> Option<u32> {
        let length = order + self.0.read_unary::<0>().ok()?;
        if length > 24 {
            return None;
        }
        Some(self.take(length)? + (1 << length) - (1 << order))
    }

    /// Ends at the next whole byte and returns the bytes from there; `None` when the bits skipped are not zero.
    pub(super) fn finish(mut self) -> Option<&'a [u8]> {
        while !self.0.byte_aligned() {
            if self.0.read_bit().ok()? {
                return None;
            }
        }
        Some(self.0.into_reader())
    }
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

    #[test]
    fn values_round_trip() {
        let mut bytes = vec![0xAB];
        let mut writer = BitWriter::new(&mut bytes);
        for bits in 0..=32 {
            writer.put(((1u64 << bits) - 1) as u32, bits);
            writer.put(0, bits);
        }
        writer.finish();
        assert_eq!(bytes.len(), 1 + (32 * 33usize).div_ceil(8));
        let mut reader = BitReader::new(&bytes[1..]);
        for bits in 0..=32 {
            assert_eq!(reader.take(bits), Some(((1u64 << bits) - 1) as u32));
            assert_eq!(reader.take(bits), Some(0));
        }
        assert_eq!(reader.finish(), Some(&[][..]));
    }

    #[test]
    fn numbers_round_trip_in_the_promised_length() {
        for order in [0, 4, 7] {
            for value in (0..300).chain([1000, 65_535, 131_071, (1 << 24) - 1 - (1 << order)]) {
                let mut bytes = Vec::new();
                let mut writer = BitWriter::new(&mut bytes);
                writer.put_number(value, order);
                writer.finish();
                let bits = (value + (1 << order)).ilog2() * 2 + 1 - order;
                assert_eq!(bytes.len(), bits.div_ceil(8) as usize, "{value} in order {order}");
                let mut reader = BitReader::new(&bytes);
                assert_eq!(reader.take_number(order), Some(value));
                assert_eq!(reader.finish(), Some(&[][..]));
            }
        }
    }

    /// Files hold these bits, so they stay what they are.
    #[test]
    fn the_lowest_bit_comes_first() {
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes);
        writer.put(0b01, 2);
        writer.put(0b1, 1);
        // Two ones and the zero that ends them, then 9 + 2 - 8 in three bits.
        writer.put_number(9, 1);
        writer.put(0xABC, 12);
        writer.finish();
        assert_eq!(bytes, [0b1101_1101, 0b0111_1000, 0b0001_0101]);
    }

    #[test]
    fn bad_input_is_refused() {
        assert_eq!(BitReader::new(&[1]).take(9), None);
        assert_eq!(BitReader::new(&[0xFF; 9]).take_number(4), None);
        assert_eq!(BitReader::new(&[0x0F]).take_number(4), None);
        let mut reader = BitReader::new(&[0b101]);
        assert_eq!(reader.take(1), Some(1));
        assert_eq!(reader.finish(), None);
    }
}
