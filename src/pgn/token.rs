//! What can stand in the movetext of a game, and what is wrong where something else stands there.

use std::fmt;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: it has not ended, or nobody knows how.
    Unknown,
}

impl GameResult {
    /// All results.
    const ALL: [GameResult; 4] =
        [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown];

    /// The text that PGN has for it.
    pub fn text(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }

    /// The result of this text.
    pub fn from_text(text: &[u8]) -> Option<GameResult> {
        GameResult::ALL.into_iter().find(|result| result.text().as_bytes() == text)
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A piece of movetext. Numbers of moves are none: they follow from the moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// What has the form of a move, in SAN or coordinates, as it was written.
    Move(String),
    /// A numeric annotation glyph; `!` and the like are read as their numbers.
    Glyph(u8),
    /// A comment without its braces or semicolon.
    Comment(String),
    /// A variation begins, in place of the move before it.
    Open,
    /// A variation ends.
    Close,
    /// A result.
    Result(GameResult),
}

/// What is wrong with the text of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// A word is neither a move nor anything else that can stand there. Long ones are shortened.
    #[error("'{0}' is not a move")]
    NotAMove(String),
    /// A word begins like a glyph and is none.
    #[error("'{0}' is not a glyph")]
    NotAGlyph(String),
    /// A brace or parenthesis is closed that was not opened.
    #[error("'{0}' was not opened")]
    NotOpened(char),
    /// A tag is not of the form `[Name "value"]`, on a line of its own or with others.
    #[error("a tag is not closed")]
    OpenTag,
    /// A comment in braces has no end.
    #[error("a comment is not closed")]
    OpenComment,
    /// A variation has no end.
    #[error("a variation is not closed")]
    OpenVariation,
}

/// What is wrong with the text of a game, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct Fault {
    /// Number of the line, from 1; of something without an end, the line where it begins.
    pub line: u64,
    /// What it is.
    pub kind: FaultKind,
}

impl Fault {
    /// Whether more than a word is in doubt: what something without an end has swallowed may be moves and games.
    pub fn is_of_structure(&self) -> bool {
        matches!(self.kind, FaultKind::OpenTag | FaultKind::OpenComment | FaultKind::OpenVariation)
    }
}

/// Longest word that a message shows, in characters.
const SHOWN: usize = 40;

/// A word for a message.
pub(super) fn shown(word: &[u8]) -> String {
    let text = decoded(word);
    let mut letters = text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter });
    let mut shown: String = letters.by_ref().take(SHOWN).collect();
    if letters.next().is_some() {
        shown.push_str("...");
    }
    shown
}

/// Text of a file, which is UTF-8 or, in old files, Latin-1.
pub fn decoded(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// Whether a word has the form of a move: castling, SAN, long algebraic notation, coordinates, a promotion as `a8=Q`,
/// `a8Q`, `a8/Q` or `a8(Q)`, or one of the null moves that stand in variations.
pub(super) fn has_form_of_move(word: &[u8]) -> bool {
    let marks = word.iter().rev().take_while(|byte| matches!(byte, b'+' | b'#')).count();
    let body = &word[..word.len() - marks];
    let castling = [&b"O-O"[..], b"O-O-O", b"0-0", b"0-0-0", b"o-o", b"o-o-o"];
    let null = [&b"--"[..], b"Z0", b"0000"];
    if castling.contains(&body) || null.contains(&body) {
        return true;
    }
    let body = match body {
        [head @ .., b'(', letter, b')'] if is_promoted(*letter) => head,
        [head @ .., b'=' | b'/', letter] if is_promoted(*letter) => head,
        [.., b'1' | b'8', letter] if is_promoted(*letter) => &body[..body.len() - 1],
        _ => body,
    };
    let body = match body {
        [b'K' | b'Q' | b'R' | b'B' | b'N', rest @ ..] => rest,
        _ => body,
    };
    let [origin @ .., b'a'..=b'h', b'1'..=b'8'] = body else { return false };
    let origin = match origin {
        [origin @ .., b'x' | b':' | b'-'] => origin,
        _ => origin,
    };
    matches!(origin, [] | [b'a'..=b'h' | b'1'..=b'8'] | [b'a'..=b'h', b'1'..=b'8'])
}

/// Whether this is the letter of a piece that a pawn may become.
pub(super) fn is_promoted(letter: u8) -> bool {
    matches!(letter.to_ascii_uppercase(), b'Q' | b'R' | b'B' | b'N')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_known_by_their_form() {
        let moves = "e4 e4+ exd5 e:d5 ed5x Nf3 Nbd7 N1d2 Qh4e4 Ng1-f3 e2-e4 e2xd3 e2e4 a7a8q a7a8Q a8Q a8=Q a8=Q+ a8/Q \
                     a8(Q) a8(n)# bxa8=B Kd2 Bxe5+ Qxf7# O-O O-O-O+ 0-0 0-0-0 o-o -- Z0 0000 hxg8R++ 1a1";
        let (good, bad): (Vec<&str>, Vec<&str>) =
            moves.split(' ').partition(|word| has_form_of_move(word.as_bytes()));
        assert_eq!((bad, good.len()), (vec!["ed5x"], moves.split(' ').count() - 1));
        for word in "e9 i4 hello e Ng e4e5e6 Xf3 a8=K a8( a8() e4q (Q) + # 1-0 1/2 e.p. e4= a8QQ a8=QQ xe4x O-O-O-O KQ é4"
            .split(' ')
            .chain([""])
        {
            assert!(!has_form_of_move(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn messages_are_short_and_printable() {
        assert_eq!(shown(b"a\x1b[31m\xFF"), "a\u{fffd}[31mÿ");
        let long = shown("é".repeat(50).as_bytes());
        assert_eq!(long, format!("{}...", "é".repeat(40)));
        let fault = Fault { line: 7, kind: FaultKind::NotAMove("x".into()) };
        assert_eq!(
            (fault.to_string().as_str(), fault.is_of_structure()),
            ("line 7: 'x' is not a move", false)
        );
    }
}
