//! PGN as text: tags, moves and comments of one game after the other, whatever they mean. The crate `pgn-reader` would
//! read the same, but it cannot say at which line a fault is.

use std::io::BufRead;

use super::ExchangeError;

/// A move as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TextMove {
    pub(super) text: String,
    /// The comments behind it.
    pub(super) comment: String,
    /// Number of its line, from 1.
    pub(super) line: u64,
}

/// A game as written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TextGame {
    tags: Vec<(String, String)>,
    pub(super) moves: Vec<TextMove>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub(super) result: String,
    /// Number of its first line, from 1.
    pub(super) line: u64,
}

impl TextGame {
    /// The value of a tag.
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Reads games of a stream line by line.
pub(super) struct PgnText<R> {
    source: R,
    line: u64,
    bytes: u64,
    /// What is left of the current line.
    rest: String,
}

/// An error at a line.
pub(super) fn fault(line: u64, reason: impl Into<String>) -> ExchangeError {
    ExchangeError::Fault { place: format!("line {line}"), reason: reason.into() }
}

impl<R: BufRead> PgnText<R> {
    pub(super) fn new(source: R) -> PgnText<R> {
        PgnText { source, line: 0, bytes: 0, rest: String::new() }
    }

    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Goes to the next line; false at the end.
    fn advance(&mut self) -> Result<bool, ExchangeError> {
        let mut bytes = Vec::new();
        let count = self.source.read_until(b'\n', &mut bytes)?;
        self.bytes += count as u64;
        self.line += 1;
        self.rest = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').trim().to_owned();
        Ok(count > 0)
    }

    /// The next game; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<TextGame>, ExchangeError> {
        let mut game = TextGame::default();
        loop {
            if self.rest.is_empty() || self.rest.starts_with('%') {
                if self.advance()? {
                    continue;
                }
                return if game.line == 0 { Ok(None) } else { Err(self.cut_short(&game)) };
            }
            if game.line == 0 {
                game.line = self.line;
            }
            if self.rest.starts_with('[') {
                if !game.moves.is_empty() {
                    return Err(self.cut_short(&game));
                }
                let tag = read_tag(&self.rest).ok_or_else(|| fault(self.line, "a tag is not closed"))?;
                game.tags.push(tag);
                self.rest.clear();
            } else if self.token(&mut game)? {
                return Ok(Some(game));
            }
        }
    }

    fn cut_short(&self, game: &TextGame) -> ExchangeError {
        fault(self.line, format!("the game that begins at line {} has no result; it is cut short", game.line))
    }

    /// Reads what comes first in the rest of the line; true when it was the result.
    fn token(&mut self, game: &mut TextGame) -> Result<bool, ExchangeError> {
        match self.rest.as_bytes().first() {
            Some(b'{') => {
                let comment = self.comment()?;
                if let Some(last) = game.moves.last_mut() {
                    last.comment = format!("{} {}", last.comment, comment.trim()).trim().to_owned();
                }
            }
            Some(b';') => self.rest.clear(),
            Some(b'(') => self.variation()?,
            _ => {
                let end = self.rest.find(|letter: char| letter.is_whitespace() || "{}();".contains(letter));
                let end = end.unwrap_or(self.rest.len()).max(1);
                let word: String = self.rest.drain(..end).collect();
                self.skip_blanks();
                if RESULTS.contains(&word.as_str()) {
                    game.result = word;
                    return Ok(true);
                }
                // `12.`, `12...`, `12.e4`, `$5`
                let number = word.bytes().take_while(u8::is_ascii_digit).count();
                let text = word[number..].trim_start_matches('.');
                let is_number = number > 0 && (text.is_empty() || text.len() < word.len() - number);
                let text = if is_number || number == 0 { text } else { &word };
                if word.starts_with(['}', ')']) {
                    return Err(fault(self.line, format!("'{word}' was not opened")));
                }
                if !text.is_empty() && !text.starts_with('$') {
                    game.moves.push(TextMove {
                        text: text.to_owned(),
                        comment: String::new(),
                        line: self.line,
                    });
                }
            }
        }
        Ok(false)
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest.len() - self.rest.trim_start().len();
        self.rest.drain(..blanks);
    }

    /// Reads a comment, which may go over several lines.
    fn comment(&mut self) -> Result<String, ExchangeError> {
        let begin = self.line;
        let mut text = self.rest.split_off(1);
        loop {
            if let Some(end) = text.find('}') {
                self.rest = text.split_off(end + 1);
                text.pop();
                self.skip_blanks();
                return Ok(text);
            }
            if !self.advance()? {
                return Err(fault(begin, "a comment is not closed"));
            }
            text.push(' ');
            text.push_str(&self.rest);
        }
    }

    /// Passes over a variation and those in it.
    fn variation(&mut self) -> Result<(), ExchangeError> {
        let (begin, mut depth) = (self.line, 0);
        loop {
            match self.rest.chars().next() {
                None | Some(';') => {
                    if !self.advance()? {
                        return Err(fault(begin, "a variation is not closed"));
                    }
                    continue;
                }
                Some('{') => {
                    self.comment()?;
                    continue;
                }
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                Some(_) => {}
            }
            let first = self.rest.chars().next().map_or(0, char::len_utf8);
            self.rest.drain(..first);
            if depth == 0 {
                self.skip_blanks();
                return Ok(());
            }
        }
    }
}

/// `[Name "value"]`, in which a backslash takes the next letter as it is.
fn read_tag(line: &str) -> Option<(String, String)> {
    let (name, rest) = line.strip_prefix('[')?.trim_start().split_once(char::is_whitespace)?;
    let mut letters = rest.trim_start().strip_prefix('"')?.chars();
    let mut value = String::new();
    loop {
        match letters.next()? {
            '"' => break,
            '\\' => value.push(letters.next()?),
            letter => value.push(letter),
        }
    }
    letters.as_str().trim().starts_with(']').then(|| (name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<TextGame>, String> {
        let mut source = PgnText::new(text.as_bytes());
        let mut games = Vec::new();
        while let Some(game) = source.next().map_err(|error| error.to_string())? {
            games.push(game);
        }
        assert_eq!(source.bytes(), text.len() as u64);
        Ok(games)
    }

    fn moves(game: &TextGame) -> Vec<(&str, &str)> {
        game.moves.iter().map(|mv| (mv.text.as_str(), mv.comment.as_str())).collect()
    }

    #[test]
    fn tags_moves_and_comments_are_told_apart() {
        let text = "\u{feff}[Event \"a \\\"b\\\" c\"]\r\n[FEN \"x\"]\r\n\r\n1. e4 {+0.35/12 0.1s,\nline two} e5 $1 ; rest\n\
                    2.Nf3 (2. f4 {no)} exf4 (2... d5) 3. Nf3) Nc6 {one} {two} 2... a6 e8=Q+ O-O 0-0-0 1-0\n\n\
                    % not read\n1... d5 1/2-1/2 *";
        let games = read(text).unwrap();
        assert_eq!(games.len(), 3);
        assert_eq!(
            (games[0].tag("Event"), games[0].tag("FEN"), games[0].tag("Site")),
            (Some("a \"b\" c"), Some("x"), None)
        );
        let expected = [
            ("e4", "+0.35/12 0.1s, line two"),
            ("e5", ""),
            ("Nf3", ""),
            ("Nc6", "one two"),
            ("a6", ""),
            ("e8=Q+", ""),
            ("O-O", ""),
            ("0-0-0", ""),
        ];
        assert_eq!(moves(&games[0]), expected);
        assert_eq!((games[0].result.as_str(), games[0].line, games[0].moves[2].line), ("1-0", 1, 6));
        assert_eq!((moves(&games[1]), games[1].result.as_str()), (vec![("d5", "")], "1/2-1/2"));
        assert_eq!((games[2].moves.len(), games[2].result.as_str()), (0, "*"));
    }

    #[test]
    fn what_is_not_closed_is_named_with_its_line() {
        for (text, reason) in [
            ("[Event \"x]\n", "line 1: a tag is not closed"),
            ("1. e4 e5\n", "line 2: the game that begins at line 1 has no result; it is cut short"),
            (
                "\n1. e4\n[Event \"x\"]\n*",
                "line 3: the game that begins at line 2 has no result; it is cut short",
            ),
            ("[Event \"x\"]\n", "line 2: the game that begins at line 1 has no result; it is cut short"),
            ("1. e4\n{+0.1/2\n1-0", "line 2: a comment is not closed"),
            ("1. e4 (1. d4\n*", "line 1: a variation is not closed"),
            ("1. e4 } *", "line 1: '}' was not opened"),
        ] {
            assert_eq!(read(text).unwrap_err(), reason, "{text}");
        }
    }
}
