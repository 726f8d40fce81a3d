//! The text of a PGN file as tags and tokens.

use std::io::{self, BufRead};

use super::lines::Lines;
use super::token::{Fault, FaultKind, GameResult, Token, decoded, has_form_of_move, is_promoted, shown};

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// A tag.
    Tag,
    /// Movetext.
    Movetext,
    /// The stream ends.
    End,
}

/// Name and value of a tag.
pub(super) type Tag = (String, String);

/// Most digits of the number of a move; longer ones are words.
const MOST_DIGITS: usize = 5;

/// Reads tags and tokens of a stream.
pub(super) struct Lexer<R> {
    pub(super) lines: Lines<R>,
    /// Whether a bracket would begin a tag: at the beginning of a line and after another tag.
    tag_may_begin: bool,
    /// Whether there has been an empty line since the last tag.
    pub(super) after_blank: bool,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(source: R) -> Lexer<R> {
        Lexer { lines: Lines::new(source), tag_may_begin: true, after_blank: false }
    }

    /// Passes over blanks and lines that begin with `%`, and says what comes then.
    pub(super) fn find(&mut self) -> io::Result<Next> {
        loop {
            self.skip_blanks();
            match self.lines.peek() {
                Some(b'[') if self.tag_may_begin => return Ok(Next::Tag),
                Some(_) => return Ok(Next::Movetext),
                None => {}
            }
            if !self.next_line()? {
                return Ok(Next::End);
            }
            while self.lines.peek() == Some(b'%') {
                if !self.next_line()? {
                    return Ok(Next::End);
                }
            }
            self.after_blank |= self.lines.rest().iter().all(u8::is_ascii_whitespace);
        }
    }

    /// Whether a comment follows on the same line.
    pub(super) fn finds_comment_here(&mut self) -> bool {
        self.skip_blanks();
        matches!(self.lines.peek(), Some(b'{' | b';'))
    }

    fn next_line(&mut self) -> io::Result<bool> {
        self.tag_may_begin = true;
        self.lines.advance()
    }

    fn skip_blanks(&mut self) {
        self.lines.take_while(|byte| byte.is_ascii_whitespace());
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault { line: self.lines.number(), kind }
    }

    /// Reads the tag that comes next. After a fault the rest of the line is passed over.
    pub(super) fn tag(&mut self) -> Result<Tag, Fault> {
        self.after_blank = false;
        self.try_tag().ok_or_else(|| {
            let fault = self.fault(FaultKind::OpenTag);
            self.lines.take(usize::MAX);
            fault
        })
    }

    /// `[Name "value"]`, in which a backslash stands before a quotation mark or a backslash of the value.
    fn try_tag(&mut self) -> Option<Tag> {
        self.lines.take(1);
        self.skip_blanks();
        let is_name = |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'[' | b']');
        let name = decoded(self.lines.take_while(is_name));
        self.skip_blanks();
        if name.is_empty() || self.lines.take(1) != b"\"" {
            return None;
        }
        let mut value = Vec::new();
        loop {
            value.extend_from_slice(self.lines.take_while(|byte| !matches!(byte, b'"' | b'\\')));
            match *self.lines.rest() {
                [b'\\', escaped @ (b'"' | b'\\'), ..] => {
                    value.push(escaped);
                    self.lines.take(2);
                }
                [b'\\', ..] => value.extend_from_slice(self.lines.take(1)),
                _ => break,
            }
        }
        self.lines.take(1);
        self.skip_blanks();
        (self.lines.take(1) == b"]").then(|| (name, decoded(&value)))
    }

    /// Reads the piece of movetext that comes next; `None` where it is the number of a move. After a fault the reading
    /// can go on.
    pub(super) fn token(&mut self) -> io::Result<Result<Option<Token>, Fault>> {
        self.tag_may_begin = false;
        let Some(first) = self.lines.peek() else { return Ok(Ok(None)) };
        if first == b'{' {
            return Ok(self.comment()?.map(Some));
        }
        Ok(match first {
            b';' => Ok(Some(Token::Comment(decoded(&self.lines.take(usize::MAX)[1..])))),
            b'(' => self.single(Token::Open),
            b')' => self.single(Token::Close),
            b'}' => {
                self.lines.take(1);
                Err(self.fault(FaultKind::NotOpened('}')))
            }
            b'$' | b'!' | b'?' => self.glyph().map(Some),
            b'.' => {
                self.lines.take_while(|byte| byte == b'.');
                Ok(None)
            }
            _ if self.skip_number() || self.skip_en_passant() => Ok(None),
            _ => self.word().map(Some),
        })
    }

    fn single(&mut self, token: Token) -> Result<Option<Token>, Fault> {
        self.lines.take(1);
        Ok(Some(token))
    }

    /// A comment in braces, which may go over several lines.
    fn comment(&mut self) -> io::Result<Result<Token, Fault>> {
        let begin = self.lines.number();
        let mut text = Vec::new();
        self.lines.take(1);
        loop {
            text.extend_from_slice(self.lines.take_while(|byte| byte != b'}'));
            if self.lines.take(1) == b"}" {
                return Ok(Ok(Token::Comment(decoded(&text))));
            }
            text.push(b'\n');
            if !self.lines.advance()? {
                return Ok(Err(Fault { line: begin, kind: FaultKind::OpenComment }));
            }
        }
    }

    /// `$14`, or signs; signs that are repeated too often count as two.
    fn glyph(&mut self) -> Result<Token, Fault> {
        let word = match self.lines.peek() {
            Some(b'$') => {
                let digits = self.lines.count_while(1, |byte| byte.is_ascii_digit());
                self.lines.take(1 + digits)
            }
            _ => self.lines.take_while(|byte| matches!(byte, b'!' | b'?')),
        };
        let number = match word {
            [b'$', digits @ ..] => str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()),
            b"!" => Some(1),
            b"?" => Some(2),
            b"!?" => Some(5),
            b"?!" => Some(6),
            _ if word.iter().all(|&sign| sign == b'!') => Some(3),
            _ if word.iter().all(|&sign| sign == b'?') => Some(4),
            _ => None,
        };
        let word = shown(word);
        number.map(Token::Glyph).ok_or_else(|| self.fault(FaultKind::NotAGlyph(word)))
    }

    /// Passes over the number of a move, `12` or `12...`, if there is one.
    fn skip_number(&mut self) -> bool {
        let digits = self.lines.count_while(0, |byte| byte.is_ascii_digit());
        let rest = self.lines.rest();
        // Some programs write 0000 for a move that is none.
        let is_number = (1..=MOST_DIGITS).contains(&digits)
            && &rest[..digits] != b"0000"
            && rest.get(digits).is_none_or(|&byte| byte == b'.' || ends_word(byte));
        if is_number {
            self.lines.take(digits);
            self.lines.take_while(|byte| byte == b'.');
        }
        is_number
    }

    /// Passes over `e.p.`, which older texts have behind a capture en passant, if it stands here.
    fn skip_en_passant(&mut self) -> bool {
        let length = self.lines.count_while(0, |byte| !ends_word(byte));
        let is_mark = matches!(&self.lines.rest()[..length], b"e.p." | b"e.p" | b"ep");
        if is_mark {
            self.lines.take(length);
        }
        is_mark
    }

    /// A move or a result.
    fn word(&mut self) -> Result<Token, Fault> {
        let mut length = self.lines.count_while(0, |byte| !ends_word(byte));
        if let ([.., b'a'..=b'h', b'1' | b'8'], [b'(', letter, b')', ..]) = self.lines.rest().split_at(length)
            && is_promoted(*letter)
        {
            length += 3 + self.lines.count_while(length + 3, |byte| matches!(byte, b'+' | b'#'));
        }
        let word = self.lines.take(length);
        if let Some(result) = GameResult::from_text(word) {
            return Ok(Token::Result(result));
        }
        if has_form_of_move(word) {
            return Ok(Token::Move(decoded(word)));
        }
        let word = shown(word);
        Err(self.fault(FaultKind::NotAMove(word)))
    }
}

/// Whether a word ends before this byte.
fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"{}();$!?".contains(&byte)
}
