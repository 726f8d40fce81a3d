//! Games as values, read one after the other.

use std::io::{self, BufRead};

use super::lexer::{Lexer, Next, Tag};
use super::token::{Fault, FaultKind, GameResult, Token};

/// A move of the main line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move as it was written, without glyphs.
    pub text: String,
    /// Number of its line, from 1.
    pub line: u64,
    /// What stands between this move and the next one of the main line: glyphs, comments, variations.
    pub after: Vec<Token>,
}

impl PgnMove {
    /// The comments behind the move that are not part of a variation, as one.
    pub fn comment(&self) -> String {
        let mut depth = 0;
        let mut comments = Vec::new();
        for token in &self.after {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::Comment(comment) if depth == 0 => comments.push(comment.trim()),
                _ => {}
            }
        }
        comments.join(" ")
    }
}

/// A game as it was written. Its moves may be illegal.
#[derive(Clone, Debug, Default)]
pub struct PgnGame {
    /// Names and values in their order.
    pub tags: Vec<(String, String)>,
    /// What stands before the first move.
    pub before: Vec<Token>,
    /// The main line; where the game is damaged, what is left of it.
    pub moves: Vec<PgnMove>,
    /// The result behind the moves; `None` where it is missing: the game may be cut short.
    pub ending: Option<GameResult>,
    /// What is wrong with the text: the first fault or, before others, the first one of the structure.
    pub damage: Option<Fault>,
    /// The lines on which the game begins, and on which its end was noticed, from 1.
    pub lines: (u64, u64),
    /// The text from the first to the last word, byte for byte.
    pub text: Vec<u8>,
}

impl PgnGame {
    /// The value of a tag, whose name may be in any case; `None` where it is missing, empty or unknown (`?`).
    pub fn tag(&self, name: &str) -> Option<&str> {
        let known = |value: &&str| !value.is_empty() && *value != "?";
        let tag = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        tag.map(|(_, value)| value.as_str()).filter(known)
    }

    /// The result, as it ends the moves or as the tag gives it.
    pub fn result(&self) -> GameResult {
        let by_tag = || self.tag("Result").and_then(|text| GameResult::from_text(text.as_bytes()));
        let ending = self.ending.filter(|&result| result != GameResult::Unknown);
        ending.or_else(by_tag).unwrap_or(GameResult::Unknown)
    }

    /// Whether there is neither a tag nor anything that has the form of a move.
    pub fn is_blank(&self) -> bool {
        self.tags.is_empty() && self.moves.is_empty()
    }

    /// Keeps a fault unless one that matters more is known.
    fn note(&mut self, fault: Fault) {
        match &self.damage {
            Some(first) if first.is_of_structure() || !fault.is_of_structure() => {}
            _ => self.damage = Some(fault),
        }
    }
}

/// Reads one game after the other. A game ends with its result, before the tags of the next one, or with the stream.
/// Tags after an empty line that follows tags are those of another game. Comments at the end without a game are none.
pub struct PgnReader<R>(Lexer<R>);

impl<R: BufRead> PgnReader<R> {
    /// The games of a stream.
    pub fn new(stream: R) -> PgnReader<R> {
        PgnReader(Lexer::new(stream))
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.0.lines.bytes()
    }

    fn read(&mut self) -> io::Result<Option<PgnGame>> {
        let lexer = &mut self.0;
        let mut reading = Reading::default();
        loop {
            match lexer.find()? {
                Next::End => break,
                Next::Tag if reading.ends_before_tag(lexer.after_blank) => break,
                next => {
                    reading.begin(lexer);
                    if next == Next::Tag {
                        reading.add_tag(lexer.tag());
                    } else if reading.add(lexer.lines.number(), lexer.token()?) {
                        while lexer.finds_comment_here() {
                            reading.add(lexer.lines.number(), lexer.token()?);
                        }
                        break;
                    }
                }
            }
        }
        Ok(reading.finish(lexer))
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = io::Result<PgnGame>;

    /// The next game; an error when the stream cannot be read.
    fn next(&mut self) -> Option<io::Result<PgnGame>> {
        self.read().transpose()
    }
}

/// A game that is being read.
#[derive(Default)]
struct Reading {
    game: PgnGame,
    /// Number of variations that have begun and not ended.
    depth: usize,
    /// The line where the outermost of them begins.
    outermost: u64,
}

impl Reading {
    fn begin<R: BufRead>(&mut self, lexer: &mut Lexer<R>) {
        if self.game.lines.0 == 0 {
            self.game.lines.0 = lexer.lines.number();
            lexer.lines.begin_keeping();
        }
    }

    /// Whether a tag that comes now is one of the next game.
    fn ends_before_tag(&self, after_blank: bool) -> bool {
        let PgnGame { tags, moves, damage, .. } = &self.game;
        let has_movetext = !moves.is_empty() || self.depth > 0;
        has_movetext || (after_blank && (!tags.is_empty() || damage.is_some()))
    }

    fn add_tag(&mut self, tag: Result<Tag, Fault>) {
        match tag {
            Ok(tag) => self.game.tags.push(tag),
            Err(fault) => self.game.note(fault),
        }
    }

    /// Adds what stands at this line; true when it was the result that ends the game.
    fn add(&mut self, line: u64, token: Result<Option<Token>, Fault>) -> bool {
        match token {
            Ok(Some(Token::Move(text))) if self.depth == 0 => {
                self.game.moves.push(PgnMove { text, line, after: Vec::new() });
            }
            Ok(Some(Token::Result(result))) if self.depth == 0 => {
                self.game.ending = Some(result);
                return true;
            }
            Ok(Some(Token::Close)) if self.depth == 0 => {
                self.game.note(Fault { line, kind: FaultKind::NotOpened(')') });
            }
            Ok(Some(token)) => self.add_between(line, token),
            Ok(None) => {}
            Err(fault) => self.game.note(fault),
        }
        false
    }

    /// Adds what stands between moves of the main line.
    fn add_between(&mut self, line: u64, token: Token) {
        match token {
            Token::Open if self.depth == 0 => (self.depth, self.outermost) = (1, line),
            Token::Open => self.depth += 1,
            Token::Close => self.depth -= 1,
            _ => {}
        }
        match self.game.moves.last_mut() {
            Some(last) => last.after.push(token),
            None => self.game.before.push(token),
        }
    }

    /// The game, if there was one.
    fn finish<R: BufRead>(mut self, lexer: &mut Lexer<R>) -> Option<PgnGame> {
        if self.depth > 0 {
            self.game.note(Fault { line: self.outermost, kind: FaultKind::OpenVariation });
        }
        let is_game = !self.game.is_blank() || self.game.damage.is_some() || self.game.ending.is_some();
        self.game.lines.1 = lexer.lines.number();
        self.game.text = lexer.lines.take_kept();
        let length = self.game.text.trim_ascii_end().len();
        self.game.text.truncate(length);
        is_game.then_some(self.game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SplitMix64;

    fn games(text: impl AsRef<[u8]>) -> Vec<PgnGame> {
        let mut reader = PgnReader::new(text.as_ref());
        let games = reader.by_ref().collect::<io::Result<_>>().unwrap();
        assert_eq!(reader.bytes(), text.as_ref().len() as u64);
        games
    }

    fn one(text: impl AsRef<[u8]>) -> PgnGame {
        let [game] = &games(text)[..] else { panic!("one game") };
        game.clone()
    }

    fn moves(game: &PgnGame) -> Vec<&str> {
        game.moves.iter().map(|mv| mv.text.as_str()).collect()
    }

    /// What is wrong with the only game of a text.
    fn damage(text: &str) -> String {
        one(text).damage.unwrap_or_else(|| panic!("{text}")).to_string()
    }

    #[test]
    fn everything_between_the_moves_is_kept() {
        let game = one(
            b"[Event \"A \\\"B\\\"\"]\n[Site \"K\xF6ln\"] [Dir \"C:\\x\"]\n\n{first} 1. e4! $14 (1. d4 {x} (1. c4 Nf6)) \
              ; then\n e5 2. 0-0?! *{end}\n",
        );
        let tags = [("Event", "A \"B\""), ("Site", "Köln"), ("Dir", "C:\\x")];
        assert_eq!(game.tags, tags.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(game.before, [Token::Comment("first".into())]);
        let [mv, comment] = [Token::Move, Token::Comment].map(|make| move |text: &str| make(text.into()));
        let after = [
            Token::Glyph(1),
            Token::Glyph(14),
            Token::Open,
            mv("d4"),
            comment("x"),
            Token::Open,
            mv("c4"),
            mv("Nf6"),
            Token::Close,
            Token::Close,
            comment(" then"),
        ];
        assert_eq!(game.moves[0], PgnMove { text: "e4".into(), line: 4, after: after.into() });
        assert_eq!(game.moves[0].comment(), "then");
        assert_eq!(game.moves[2].after, [Token::Glyph(6), comment("end")]);
        assert_eq!((moves(&game), game.ending), (vec!["e4", "e5", "0-0"], Some(GameResult::Unknown)));
        assert_eq!((game.damage, game.lines), (None, (1, 5)));
    }

    #[test]
    fn numbers_moves_and_results_are_told_apart() {
        let text = "\u{feff}[FEN \"x\"]\r\n\r\n1. e4 {one,\ntwo} e5$1\n2.Nf3 (2. f4 {no} exf4) Nc6 {a} {b} 2... a6 e8=Q+ \
                    3 . O-O ... 0-0-0 a8(Q)+ 12.a7a8q e.p. b8/N (1. e4 1-0) 1-0\n\n% not read [(\n1... d5 1/2-1/2 *";
        let games = games(text);
        let expected = "e4 e5 Nf3 Nc6 a6 e8=Q+ O-O 0-0-0 a8(Q)+ a7a8q b8/N";
        assert_eq!(moves(&games[0]).join(" "), expected);
        assert_eq!(
            (games[0].moves[0].comment().as_str(), games[0].moves[3].comment()),
            ("one,\ntwo", "a b".into())
        );
        assert_eq!((games[0].moves[2].line, games[0].lines, games[0].tag("fen")), (5, (1, 5), Some("x")));
        assert_eq!((moves(&games[1]), games[1].ending), (vec!["d5"], Some(GameResult::Draw)));
        assert!(games.len() == 3 && games[2].is_blank() && games.iter().all(|game| game.damage.is_none()));
    }

    #[test]
    fn what_has_no_meaning_is_damage() {
        for (text, reason) in [
            ("[A \"b\"]\n\n1. e4 rubbish e5 *", "line 3: 'rubbish' is not a move"),
            ("1. e4 (1. d4 rubbish) e5 *", "line 1: 'rubbish' is not a move"),
            ("1. e4\ne5 rubbish", "line 2: 'rubbish' is not a move"),
            ("1. e4 e5 1-0x", "line 1: '1-0x' is not a move"),
            ("1. e4 a8K *", "line 1: 'a8K' is not a move"),
            ("1. e4 a8(K) *", "line 1: 'K' is not a move"),
            ("1. e4 123456 *", "line 1: '123456' is not a move"),
            ("1. e4 e5, Nf3 *", "line 1: 'e5,' is not a move"),
            ("1. e4 [A \"b\"] *", "line 1: '[A' is not a move"),
            ("1. e4 % x *", "line 1: '%' is not a move"),
            ("1. e4 {a {b} c} *", "line 1: 'c' is not a move"),
            ("1. e4 $999 *", "line 1: '$999' is not a glyph"),
            ("1. e4 $ *", "line 1: '$' is not a glyph"),
            ("1. e4 !?! *", "line 1: '!?!' is not a glyph"),
            ("1. e4 } *", "line 1: '}' was not opened"),
            ("1. e4 ) *", "line 1: ')' was not opened"),
            ("[A \"b]\n\n1. e4 *", "line 1: a tag is not closed"),
            ("[\"b\"]\n1. e4 *", "line 1: a tag is not closed"),
            ("[A \"b\" c]\n1. e4 *", "line 1: a tag is not closed"),
            ("1. e4\n{x *\n\n[A \"b\"]\n\n*", "line 2: a comment is not closed"),
            ("1. e4 (1. d4\n(1. c4) *", "line 1: a variation is not closed"),
            // Of two faults the one that may have swallowed more.
            ("1. e4 rubbish\n{x *", "line 2: a comment is not closed"),
            ("1. e4 {a} rubbish trash *", "line 1: 'rubbish' is not a move"),
        ] {
            assert_eq!(damage(text), reason, "{text}");
        }
        assert_eq!(moves(&one("1. e4 0000 *")), ["e4", "0000"]);
        assert_eq!(one("1. e4!!! e5??? *").moves[0].after, [Token::Glyph(3)]);
    }

    #[test]
    fn a_damaged_game_is_kept_as_it_was() {
        let text = b"1. e4 *\n\n[A \"\xF6\"]\r\n% x\r\n\r\n1.  e4 rubbish\t{\xF6}\r\n\r\n; y\r\n [B \"2\"]\r\n\r\n*\r\n";
        let games = games(text);
        assert_eq!(games.len(), 3);
        assert_eq!(games[1].text, b"[A \"\xF6\"]\r\n% x\r\n\r\n1.  e4 rubbish\t{\xF6}\r\n\r\n; y");
        assert_eq!((&games[0].text[..], games[2].lines), (&b"1. e4 *"[..], (9, 11)));
        assert_eq!(games[1].lines, (3, 9));
    }

    #[test]
    fn tags_of_two_games_are_not_merged() {
        let games =
            games("; header\n[A \"1\"]\n[B \"1\"]\n\n[A \"2\"]\n\n\n{x}\n[A \"3\"]\n\n1. e4\n[A \"4\"]\n");
        let firsts: Vec<_> = games.iter().map(|game| (game.tag("A").unwrap(), game.tags.len())).collect();
        assert_eq!(firsts, [("1", 2), ("2", 1), ("3", 1), ("4", 1)]);
        assert!(games.iter().all(|game| game.ending.is_none() && game.damage.is_none()));
        assert_eq!(
            games.iter().map(|game| game.lines).collect::<Vec<_>>(),
            [(1, 5), (5, 9), (9, 12), (12, 13)]
        );
    }

    #[test]
    fn what_is_no_game_is_none_or_blank() {
        for text in [&b""[..], b"\n\n", b"% x\n", b"; only this\n{and that}\n"] {
            assert!(games(text).is_empty(), "{text:?}");
        }
        for text in [&b"hello\n"[..], b"# nothing\n\n", &[0xFF, 0xFE, 0, 10].repeat(500), &b"q".repeat(2000)]
        {
            assert!(games(text).iter().all(|game| game.is_blank() && game.damage.is_some()), "{text:?}");
        }
    }

    #[test]
    fn every_letter_is_in_a_game() {
        let pieces = [
            "[A \"b\"]\n",
            "[A \"\\\"",
            "[",
            "\n",
            "\r\n\r\n",
            " ",
            "1. ",
            "e4 ",
            "a8(Q)",
            "O-O",
            "rubbish",
            "{",
            "}",
            "(",
            ") ",
            ";",
            "$1",
            "!",
            "* ",
            "1-0\n",
            "1/2-1/2 ",
            "\u{e9}",
            "\t",
            "...",
            "[%eval 1] ",
        ];
        let solid = |bytes: &[u8]| {
            bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<_>>()
        };
        let mut random = SplitMix64::new(5, 0);
        for _ in 0..3_000 {
            let length = random.below(40);
            let text: String = (0..length).map(|_| pieces[random.below(pieces.len())]).collect();
            let text = text + "\n} *";
            let texts: Vec<u8> = games(&text).into_iter().flat_map(|game| game.text).collect();
            assert_eq!(solid(&texts), solid(text.as_bytes()), "{text}");
        }
    }

    /// Bytes looked at for each byte of a text.
    fn effort(text: &str) -> f64 {
        let mut reader = PgnReader::new(text.as_bytes());
        assert!(reader.by_ref().all(|game| game.is_ok()));
        reader.0.lines.examined as f64 / text.len() as f64
    }

    #[test]
    fn the_work_grows_with_the_length_only() {
        for piece in [
            "(1. d4) ",
            "{x} ",
            "rubbish ",
            "1",
            "(",
            "e4 ",
            "$1",
            "!",
            "[A \"b\"] ",
            "a8(Q)",
            "{",
            ";{\n",
            "\\",
        ] {
            let text = format!("1. e4 {}", piece.repeat(400_000 / piece.len()));
            assert!(effort(&text) < 5.0, "{piece}: {}", effort(&text));
            let tag = format!("[A \"{text}");
            assert!(effort(&tag) < 5.0, "{piece}: {}", effort(&tag));
        }
    }
}
