//! Games in PGN as values: tags, moves, and what stands between the moves. The crate `pgn-reader` reads the text;
//! comments to the end of a line (`;`) and lines that begin with `%` are not part of what it gives.

use std::io::{self, Read};
use std::ops::ControlFlow;

use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};

use crate::board::{FenError, Game};
use crate::notation::{MoveError, parse_san, parse_uci};
use crate::types::{CastlingMode, Color, Move};

/// Longest tag line that is read, in bytes.
const LONGEST_TAG: usize = 1 << 16;

/// Something of the text of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A move in SAN as it was written.
    San(String),
    /// A numeric annotation glyph; `!` and the like are read as their numbers.
    Nag(u8),
    /// A comment without its braces.
    Comment(String),
    /// A variation begins, in place of the move before it.
    Open,
    /// A variation ends.
    Close,
}

/// A move of the main line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Played {
    /// The move as it was written.
    pub(super) san: String,
    /// What stands between this move and the next one of the main line: glyphs, comments, variations.
    pub(super) after: Vec<Token>,
}

/// A game as it was written. Its moves may be illegal.
#[derive(Clone, Debug, Default)]
pub(super) struct PgnGame {
    /// Names and values in their order.
    pub(super) tags: Vec<(String, String)>,
    /// What stands before the first move.
    pub(super) before: Vec<Token>,
    /// The main line.
    pub(super) moves: Vec<Played>,
    /// The result at the end of the moves.
    result: Option<&'static str>,
}

/// Why a game cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum GameError {
    /// The tag `Variant` names other rules.
    #[error("the variant '{0}' is not supported")]
    Variant(String),
    /// The tag `FEN` is wrong.
    #[error("the tag FEN: {0}")]
    Fen(#[from] FenError),
    /// A move of the main line is wrong.
    #[error("{number}{} {error}", if *.white { "." } else { "..." })]
    Move {
        /// What is wrong with it.
        error: MoveError,
        /// The number of the move.
        number: u16,
        /// Whether White is to move.
        white: bool,
    },
}

impl PgnGame {
    /// The value of a tag; `None` where it is missing, empty or unknown (`?`).
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        let known = |value: &&str| !value.is_empty() && *value != "?";
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str()).filter(known)
    }

    /// The result, as it ends the moves or as the tag gives it; `*` where neither does.
    pub(super) fn result(&self) -> &str {
        let by_tag = || self.tag("Result").filter(|text| matches!(*text, "1-0" | "0-1" | "1/2-1/2"));
        self.result.filter(|&result| result != "*").or_else(by_tag).unwrap_or("*")
    }

    /// The position in which the game begins, and its moves.
    ///
    /// # Errors
    /// When the game is of another variant, its position is impossible or a move is illegal.
    pub(super) fn play(&self) -> Result<(Game, Vec<Move>), GameError> {
        let mode = match self.tag("Variant").map(str::to_ascii_lowercase).as_deref() {
            None | Some("standard" | "chess" | "normal" | "from position") => CastlingMode::Standard,
            Some("chess960" | "chess 960" | "fischerandom" | "fischer random" | "freestyle") => {
                CastlingMode::Chess960
            }
            Some(_) => return Err(GameError::Variant(self.tag("Variant").unwrap_or_default().to_owned())),
        };
        let start = match self.tag("FEN") {
            Some(fen) => Game::parse_lenient(fen, mode)?.0,
            None => Game::default(),
        };
        let (mut game, mut moves) = (start.clone(), Vec::with_capacity(self.moves.len()));
        for played in &self.moves {
            let position = game.position();
            // Some programs write coordinates.
            let read = parse_san(position, &played.san)
                .or_else(|error| parse_uci(position, &played.san).map_err(|_| error));
            let mv = read.map_err(|error| GameError::Move {
                error,
                number: position.fullmove_number(),
                white: position.stm() == Color::White,
            })?;
            game.play(mv);
            moves.push(mv);
        }
        Ok((start, moves))
    }
}

/// Reads one game after the other. What is neither a tag nor a move is skipped, and where there is nothing else there
/// is no game.
///
/// # Errors
/// When the stream cannot be read, or a comment or tag does not end.
pub(super) struct Games<R: Read>(Reader<R>);

impl<R: Read> Games<R> {
    /// The games of a stream.
    pub(super) fn new(stream: R) -> Games<R> {
        Games(Reader::build(stream).set_supported_tag_line_length(LONGEST_TAG).finish())
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = io::Result<PgnGame>;

    fn next(&mut self) -> Option<io::Result<PgnGame>> {
        loop {
            match self.0.read_game(&mut Collector).transpose()? {
                Ok(game) if game.tags.is_empty() && game.moves.is_empty() => {}
                game => return Some(game),
            }
        }
    }
}

/// Makes a [`PgnGame`] of what the reader reports. Nothing ends the reading early.
struct Collector;

/// A game that is being read.
#[derive(Default)]
struct Unfinished {
    game: PgnGame,
    /// Number of variations that have begun and not ended.
    depth: usize,
    /// The beginning of a comment that is too long for the reader's buffer.
    comment: Vec<u8>,
}

impl Unfinished {
    fn push(&mut self, token: Token) {
        match (token, self.game.moves.last_mut()) {
            (Token::San(san), _) if self.depth == 0 => {
                self.game.moves.push(Played { san, after: Vec::new() });
            }
            (token, Some(last)) => last.after.push(token),
            (token, None) => self.game.before.push(token),
        }
    }
}

/// Text of a file, which is UTF-8 or, in old files, Latin-1.
fn decoded(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

type Flow<T> = ControlFlow<PgnGame, T>;

impl Visitor for Collector {
    type Tags = PgnGame;
    type Movetext = Unfinished;
    type Output = PgnGame;

    fn begin_tags(&mut self) -> Flow<PgnGame> {
        Flow::Continue(PgnGame::default())
    }

    fn tag(&mut self, game: &mut PgnGame, name: &[u8], value: RawTag<'_>) -> Flow<()> {
        game.tags.push((decoded(name).trim().to_owned(), decoded(&value.decode())));
        Flow::Continue(())
    }

    fn begin_movetext(&mut self, game: PgnGame) -> Flow<Unfinished> {
        Flow::Continue(Unfinished { game, ..Unfinished::default() })
    }

    fn san(&mut self, game: &mut Unfinished, san: SanPlus) -> Flow<()> {
        game.push(Token::San(san.to_string()));
        Flow::Continue(())
    }

    fn nag(&mut self, game: &mut Unfinished, nag: Nag) -> Flow<()> {
        game.push(Token::Nag(nag.0));
        Flow::Continue(())
    }

    fn partial_comment(&mut self, game: &mut Unfinished, comment: RawComment<'_>) -> Flow<()> {
        game.comment.extend_from_slice(comment.as_bytes());
        Flow::Continue(())
    }

    fn comment(&mut self, game: &mut Unfinished, comment: RawComment<'_>) -> Flow<()> {
        let mut bytes = std::mem::take(&mut game.comment);
        bytes.extend_from_slice(comment.as_bytes());
        game.push(Token::Comment(decoded(&bytes)));
        Flow::Continue(())
    }

    fn begin_variation(&mut self, game: &mut Unfinished) -> Flow<Skip> {
        game.depth += 1;
        game.push(Token::Open);
        Flow::Continue(Skip(false))
    }

    fn end_variation(&mut self, game: &mut Unfinished) -> Flow<()> {
        if let Some(depth) = game.depth.checked_sub(1) {
            game.push(Token::Close);
            game.depth = depth;
        }
        Flow::Continue(())
    }

    fn outcome(&mut self, game: &mut Unfinished, outcome: pgn_reader::Outcome) -> Flow<()> {
        if game.depth == 0 {
            game.game.result = Some(outcome.as_str());
        }
        Flow::Continue(())
    }

    fn end_game(&mut self, mut game: Unfinished) -> PgnGame {
        for _ in 0..game.depth {
            game.push(Token::Close);
        }
        game.game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &[u8]) -> Vec<PgnGame> {
        Games::new(text).collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn everything_between_the_moves_is_kept() {
        let text = b"[Event \"A \\\"B\\\"\"]\n[Site \"K\xF6ln\"]\n\n{first} 1. e4! $14 (1. d4 {x} (1. c4 Nf6)) {then} e5 2. 0-0 *\n";
        let [game] = &games(text)[..] else { panic!("one game") };
        assert_eq!(game.tags, [("Event", "A \"B\""), ("Site", "Köln")].map(|(a, b)| (a.into(), b.into())));
        assert_eq!(game.before, [Token::Comment("first".into())]);
        let san = |text: &str| Token::San(text.into());
        let after = [
            Token::Nag(1),
            Token::Nag(14),
            Token::Open,
            san("d4"),
            Token::Comment("x".into()),
            Token::Open,
            san("c4"),
            san("Nf6"),
            Token::Close,
            Token::Close,
            Token::Comment("then".into()),
        ];
        assert_eq!(game.moves[0], Played { san: "e4".into(), after: after.into() });
        assert_eq!((game.moves.len(), game.moves[2].san.as_str(), game.result()), (3, "O-O", "*"));
        let error = game.play().unwrap_err().to_string();
        assert_eq!(error, "2. move O-O is illegal here");
    }

    #[test]
    fn games_of_other_rules_are_refused() {
        let text = b"[Variant \"Atomic\"]\n\n1. e4 *\n\n[FEN \"8/8\"]\n\n1. e4 *\n\n[Variant \"Chess960\"]\n[FEN \"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\"]\n\n1. Nb4 Nd5 1/2-1/2\n\n1. e4 e5 (1... c5\n";
        let games = games(text);
        assert_eq!(games[0].play().unwrap_err(), GameError::Variant("Atomic".into()));
        assert!(matches!(games[1].play(), Err(GameError::Fen(_))));
        let (start, moves) = games[2].play().unwrap();
        assert!(start.position().needs_chess960() && moves.len() == 2 && games[2].result() == "1/2-1/2");
        assert_eq!(games[3].moves[1].after.last(), Some(&Token::Close));
        assert_eq!(games.len(), 4);
    }

    #[test]
    fn moves_may_be_coordinates() {
        let [game] = &games(b"g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 *\n")[..] else { panic!("one game") };
        assert_eq!(game.play().map(|(_, moves)| moves.len()), Ok(7));
    }

    #[test]
    fn what_is_no_game_is_none() {
        for text in
            [&b""[..], b"hello\n", b"# nothing\n\n", &[0xFF, 0xFE, 0, 10].repeat(500), &b"q".repeat(2000)]
        {
            assert!(games(text).is_empty(), "{text:?}");
        }
        assert!(Games::new(&b"1. e4 {no end"[..]).next().is_some_and(|game| game.is_err()));
        let long = "x".repeat(100_000);
        let [game] = &games(format!("1. e4 {{{long}}} *").as_bytes())[..] else { panic!("one game") };
        assert_eq!(game.moves[0].after, [Token::Comment(long)]);
    }
}
