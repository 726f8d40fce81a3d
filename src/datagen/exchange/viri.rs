//! viriformat, the binpack of the crate of that name: a game is its first position and then moves with scores.
//!
//! ```text
//! occupied squares   u64
//! pieces             32 half bytes, the lower one first, in the order of the squares: kind (0 pawn .. 5 king, 6 a rook
//!                    that may castle), 8 more for Black
//! side and square    u8: 128 with Black to move, and the en passant square or 64
//! halfmove clock     u8
//! fullmove number    u16
//! score              i16, not used in games
//! result             u8: 0 Black wins, 1 draw, 2 White wins
//! not used           u8
//! each move          u16: from, 64 * to, 4096 * promotion (0 knight .. 3 queen), and 0x4000 en passant, 0x8000 castling
//!                    (king takes rook), 0xC000 promotion; then i16: the score for White
//! end                four zero bytes
//! ```
//! All numbers are little-endian. The crate itself would bring a reader of TOML and random numbers into the program; the
//! tests hold this file against it.

use std::io::{self, BufRead, Write};

use super::super::record::{GameRecord, Outcome, ScoredMove};
use super::ExchangeError;
use crate::board::{FenError, Position};
use crate::types::{CastlingSide, Color, File, Move, MoveKind, Piece, PieceType, Rank, Score, Square};

const HEAD_BYTES: usize = 32;
const MOVE_BYTES: usize = 4;
const UNMOVED_ROOK: u8 = 6;
const NO_SQUARE: u8 = 64;
const EN_PASSANT: u16 = 0x4000;
const CASTLE: u16 = 0x8000;
const PROMOTION: u16 = 0xC000;

/// Longer games than can be stored are damage.
const MAX_MOVES: usize = 1 << 14;

/// Writes a game from its first scored move on. The random moves before it and positions out of search trees have no
/// place in the format.
pub(crate) fn write_viri(game: &GameRecord, out: &mut impl Write) -> io::Result<()> {
    let mut position = game.start;
    game.opening.iter().for_each(|&mv| {
        position.make(mv);
    });
    out.write_all(&head(&position, game.outcome))?;
    for &ScoredMove { mv, score } in &game.moves {
        let white = if position.stm() == Color::White { score.0 } else { -score.0 };
        out.write_all(&code(mv).to_le_bytes())?;
        // All scores fit 16 bits.
        out.write_all(&(white as i16).to_le_bytes())?;
        position.make(mv);
    }
    out.write_all(&[0; MOVE_BYTES])
}

fn head(position: &Position, outcome: Outcome) -> [u8; HEAD_BYTES] {
    let mut bytes = [0; HEAD_BYTES];
    let may_castle = |square: Square| {
        let rights = Color::ALL.into_iter().flat_map(|color| CastlingSide::ALL.map(|side| (color, side)));
        rights.into_iter().any(|(color, side)| position.castling_rook(color, side) == Some(square))
    };
    let mut occupied = 0_u64;
    for (place, square) in position.occupied().into_iter().enumerate() {
        occupied |= 1 << square.index();
        let piece = position.piece_on(square).map_or(0, Piece::index) as u8;
        let kind = if may_castle(square) { UNMOVED_ROOK } else { piece >> 1 };
        bytes[8 + place / 2] |= (kind | (piece & 1) << 3) << (4 * (place % 2));
    }
    bytes[..8].copy_from_slice(&occupied.to_le_bytes());
    let side = if position.stm() == Color::Black { 128 } else { 0 };
    bytes[24] = side | position.en_passant().map_or(NO_SQUARE, |square| square.index() as u8);
    bytes[25] = position.halfmove_clock().min(u8::MAX.into()) as u8;
    bytes[26..28].copy_from_slice(&position.fullmove_number().to_le_bytes());
    bytes[30] = match outcome {
        Outcome::BlackWins => 0,
        Outcome::Draw => 1,
        Outcome::WhiteWins => 2,
    };
    bytes
}

fn code(mv: Move) -> u16 {
    let flags = match mv.kind() {
        MoveKind::EnPassant => EN_PASSANT,
        MoveKind::Castle => CASTLE,
        _ => match mv.promotion() {
            Some(piece) => PROMOTION | (piece.index() as u16 - 1) << 12,
            None => 0,
        },
    };
    mv.from_to() as u16 | flags
}

/// Reads the games of a stream.
pub(crate) struct ViriGames<R> {
    source: R,
    /// Games read so far.
    games: u64,
    /// Bytes read so far.
    bytes: u64,
}

impl<R: BufRead> ViriGames<R> {
    pub(crate) fn new(source: R) -> ViriGames<R> {
        ViriGames { source, games: 0, bytes: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next game; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<GameRecord>, ExchangeError> {
        if self.source.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let begin = self.bytes;
        let game = self.game().map_err(|fault| match fault {
            Fault::Read(error) => ExchangeError::Read(error),
            Fault::Here(reason) => ExchangeError::Fault {
                place: format!(
                    "game {}, which begins at byte {begin}, at byte {}",
                    self.games + 1,
                    self.bytes
                ),
                reason,
            },
        })?;
        self.games += 1;
        Ok(Some(game))
    }

    fn game(&mut self) -> Result<GameRecord, Fault> {
        let (start, outcome) = position(&self.take::<HEAD_BYTES>()?)?;
        let (mut position, mut moves) = (start, Vec::new());
        loop {
            let bytes = self.take::<MOVE_BYTES>()?;
            if bytes == [0; MOVE_BYTES] {
                return Ok(GameRecord { start, opening: Vec::new(), moves, outcome, trees: Vec::new() });
            }
            let wanted = u16::from_le_bytes([bytes[0], bytes[1]]);
            let mv = position.legal_moves().into_iter().find(|&mv| code(mv) == wanted);
            let mv = mv.ok_or_else(|| Fault::Here(format!("move {} is not legal", moves.len() + 1)))?;
            let white = i32::from(i16::from_le_bytes([bytes[2], bytes[3]]));
            let score = if position.stm() == Color::White { white } else { -white };
            let score = Score(score.clamp(-Score::INFINITE.0, Score::INFINITE.0));
            moves.push(ScoredMove { mv, score });
            position.make(mv);
            if moves.len() > MAX_MOVES {
                return Err(Fault::Here("the game does not end".to_owned()));
            }
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        match self.source.read_exact(&mut bytes) {
            Ok(()) => {
                self.bytes += N as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(Fault::Here("the file is cut short".to_owned()))
            }
            Err(error) => Err(Fault::Read(error)),
        }
    }
}

/// What is wrong in a game.
enum Fault {
    Read(io::Error),
    Here(String),
}

/// The position and the result of a head.
fn position(head: &[u8; HEAD_BYTES]) -> Result<(Position, Outcome), Fault> {
    let fault = |reason: &str| Fault::Here(reason.to_owned());
    let outcome = match head[30] {
        0 => Outcome::BlackWins,
        1 => Outcome::Draw,
        2 => Outcome::WhiteWins,
        _ => return Err(fault("the result is none")),
    };
    let occupied = u64::from_le_bytes(std::array::from_fn(|index| head[index]));
    if occupied.count_ones() > 32 {
        return Err(fault("more than 32 pieces"));
    }
    let mut board = [' '; 64];
    let (mut castling, mut place) = (String::new(), 0);
    for square in Square::all().filter(|square| occupied >> square.index() & 1 == 1) {
        let code = head[8 + place / 2] >> (4 * (place % 2)) & 15;
        place += 1;
        let color = Color::ALL[usize::from(code >> 3)];
        let kind = match code & 7 {
            UNMOVED_ROOK => {
                let letter = square.file().letter();
                castling.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
                PieceType::Rook
            }
            kind => *PieceType::ALL.get(usize::from(kind)).ok_or_else(|| fault("an unknown piece"))?,
        };
        board[square.index()] = Piece::new(color, kind).letter();
    }
    let en_passant = match head[24] & 127 {
        square @ 0..NO_SQUARE => Square::from_index(square).to_string(),
        NO_SQUARE => "-".to_owned(),
        _ => return Err(fault("an unknown square")),
    };
    let fen = format!(
        "{} {} {} {en_passant} {} {}",
        placement(&board),
        if head[24] & 128 == 0 { 'w' } else { 'b' },
        if castling.is_empty() { "-" } else { &castling },
        head[25],
        u16::from_le_bytes([head[26], head[27]])
    );
    let position = fen.parse().map_err(|error: FenError| Fault::Here(error.to_string()))?;
    Ok((position, outcome))
}

/// The board as the first field of a FEN.
fn placement(board: &[char; 64]) -> String {
    let rank = |rank: Rank| {
        let line =
            File::ALL.map(|file| board[Square::new(file, rank).index()]).into_iter().collect::<String>();
        // The longest gap first.
        (1..=8).rev().fold(line, |line, gap| line.replace(&" ".repeat(gap), &gap.to_string()))
    };
    Rank::ALL.into_iter().rev().map(rank).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::super::super::sample;
    use super::*;

    /// The game without what the format does not hold.
    fn searched(game: &GameRecord) -> GameRecord {
        let mut start = game.start;
        game.opening.iter().for_each(|&mv| {
            start.make(mv);
        });
        GameRecord { start, opening: Vec::new(), trees: Vec::new(), ..game.clone() }
    }

    fn read_all(bytes: &[u8]) -> Result<Vec<GameRecord>, String> {
        let mut games = ViriGames::new(bytes);
        let mut read = Vec::new();
        while let Some(game) = games.next().map_err(|error| error.to_string())? {
            read.push(game);
        }
        assert_eq!(games.bytes(), bytes.len() as u64);
        Ok(read)
    }

    fn written(games: &[GameRecord]) -> Vec<u8> {
        let mut bytes = Vec::new();
        games.iter().for_each(|game| write_viri(game, &mut bytes).unwrap());
        bytes
    }

    #[test]
    fn a_hundred_thousand_positions_come_back() {
        let games = sample::games(2_000, 4);
        let positions: usize = games.iter().map(|game| game.moves.len()).sum();
        assert!(positions > 100_000, "{positions}");
        let expected: Vec<GameRecord> = games.iter().map(searched).collect();
        assert!(read_all(&written(&games)).unwrap() == expected);
    }

    #[test]
    fn the_crate_reads_and_writes_the_same_bytes() {
        let games = sample::games(200, 5);
        let bytes = written(&games);
        let (mut source, mut again) = (&bytes[..], Vec::new());
        for game in &games {
            let read = viriformat::dataformat::Game::deserialise_from(&mut source, Vec::new()).unwrap();
            let (mut position, mut moves) = (searched(game).start, game.moves.iter());
            read.visit_positions(|board, white| {
                let ScoredMove { mv, score } = *moves.next().unwrap();
                let own = if position.stm() == Color::White { white } else { -white };
                assert_eq!((board.to_string(), own), (fen_as_there(&position, &board.to_string()), score.0));
                position.make(mv);
            });
            assert!(moves.next().is_none());
            read.serialise_into(&mut again).unwrap();
        }
        assert!(source.is_empty() && again == bytes);
    }

    /// The FEN as the crate writes it: rights as `KQkq` in all positions, and its own en passant square, which may be
    /// one where no pawn can take.
    fn fen_as_there(position: &Position, there: &str) -> String {
        let ours = position.to_shredder_fen();
        let mut fields: Vec<&str> = ours.split(' ').collect();
        if fields[3] == "-" {
            fields[3] = there.split(' ').nth(3).unwrap();
        }
        let rights = Color::ALL.into_iter().flat_map(|color| CastlingSide::ALL.map(|side| (color, side)));
        let letters =
            rights.zip("KQkq".chars()).filter(|((color, side), _)| position.castling().has(*color, *side));
        let castling: String = letters.map(|(_, letter)| letter).collect();
        fields[2] = if castling.is_empty() { "-" } else { &castling };
        fields.join(" ")
    }

    #[test]
    fn damage_is_refused_with_its_place() {
        let games: Vec<GameRecord> =
            sample::games(40, 6).into_iter().filter(|game| game.moves.len() > 5).collect();
        let bytes = written(&games);
        let first = HEAD_BYTES + MOVE_BYTES * (games[0].moves.len() + 1);
        let refused = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = bytes.clone();
            change(&mut bytes);
            read_all(&bytes).unwrap_err()
        };
        let error = refused(&|bytes| bytes.truncate(first + 50));
        assert!(error.starts_with(&format!("game 2, which begins at byte {first}, at byte ")), "{error}");
        assert!(error.ends_with(": the file is cut short"), "{error}");
        assert!(refused(&|bytes| bytes[first + 30] = 3).ends_with("the result is none"));
        assert!(refused(&|bytes| bytes[first + 8] = 0x77).ends_with("an unknown piece"));
        for square in [65, 100, 127] {
            let error = refused(&|bytes| bytes[first + 24] = bytes[first + 24] & 128 | square);
            assert!(error.ends_with("an unknown square"), "{square}: {error}");
        }
        assert!(refused(&|bytes| bytes[first..first + 8].fill(0xFF)).ends_with("more than 32 pieces"));
        assert!(refused(&|bytes| bytes[HEAD_BYTES] ^= 0x3F).ends_with("move 1 is not legal"));
        assert!(refused(&|bytes| bytes[first + 8..first + 24].fill(0)).contains("game 2, "));
    }
}
