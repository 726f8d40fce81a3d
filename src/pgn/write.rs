//! Movetext in lines that are not too long.

use super::token::Token;
use crate::board::Position;
use crate::types::Color;

/// Longest line, in characters, as the standard asks.
const WIDTH: usize = 79;

/// A tag as a line of its own.
pub fn tag_line(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{name} \"{value}\"]\n")
}

/// Words in lines of at most 79 characters, unless a single word is longer.
#[derive(Default)]
pub struct Words {
    text: String,
    /// Characters in the last line.
    column: usize,
}

impl Words {
    /// Adds a word, in which there may be blanks, after a blank or, where it would be too long, on a new line.
    pub fn word(&mut self, word: &str) {
        // A line that begins like this would mean something else.
        let must_stay = word.starts_with(['%', ';', '[']);
        let fits = self.column + 1 + word.chars().count() <= WIDTH;
        match self.column {
            0 => {}
            _ if fits || must_stay => self.join(" "),
            _ => self.break_line(),
        }
        self.join(word);
    }

    /// Adds a text without a blank before it.
    fn join(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    fn break_line(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }

    /// The text, without an end of the last line.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// Where in the numbering of moves a text stands.
#[derive(Clone, Copy)]
struct Count {
    /// Plies since before the first move of White's move 0.
    ply: u32,
}

/// Movetext: moves with their numbers, glyphs, comments and variations.
pub struct Movetext {
    words: Words,
    count: Count,
    /// Where each open variation began.
    outer: Vec<Count>,
    /// The next move is written with its number, whoever plays it.
    needs_number: bool,
    /// Opening parentheses that are not written yet, since they belong to the next word.
    opening: String,
}

impl Movetext {
    /// Nothing so far; the first move is played in this position.
    pub fn new(start: &Position) -> Movetext {
        let black = u32::from(start.stm() == Color::Black);
        let count = Count { ply: u32::from(start.fullmove_number()) * 2 + black };
        Movetext {
            words: Words::default(),
            count,
            outer: Vec::new(),
            needs_number: true,
            opening: String::new(),
        }
    }

    /// Adds a word that is none of the other things.
    pub fn word(&mut self, word: &str) {
        let opening = std::mem::take(&mut self.opening);
        self.words.word(&(opening + word));
    }

    /// Adds a move, with its number where one is needed.
    pub fn mv(&mut self, text: &str) {
        let Count { ply } = self.count;
        let number = ply / 2;
        match (ply.is_multiple_of(2), std::mem::take(&mut self.needs_number)) {
            (true, _) => self.word(&format!("{number}.")),
            (false, true) => self.word(&format!("{number}...")),
            (false, false) => {}
        }
        self.word(text);
        self.count.ply += 1;
    }

    /// Adds a glyph.
    pub fn glyph(&mut self, number: u8) {
        self.word(&format!("${number}"));
    }

    /// Adds a comment in braces, unless it is empty. Closing braces, which cannot stand in it, become parentheses.
    pub fn comment(&mut self, comment: &str) {
        let text = comment.replace('}', ")");
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            return;
        }
        // Commands such as `[%clk 0:01:00]` stay in one piece.
        let mut ends = words.iter().filter(|word| word.contains(']')).count();
        let mut is_command = false;
        let mut piece = String::from("{");
        for (index, word) in words.into_iter().enumerate() {
            if is_command {
                piece.push(' ');
            } else if index > 0 {
                self.word(&piece);
                piece.clear();
            }
            piece.push_str(word);
            let begins = word.starts_with("[%") && ends > 0;
            let is_end = word.contains(']');
            is_command = (is_command || begins) && !is_end;
            ends -= usize::from(is_end);
        }
        piece.push('}');
        self.word(&piece);
        self.needs_number = true;
    }

    /// Begins a variation, in place of the last move.
    pub fn open(&mut self) {
        self.opening.push('(');
        self.outer.push(self.count);
        self.count.ply = self.count.ply.saturating_sub(1);
        self.needs_number = true;
    }

    /// Ends a variation.
    pub fn close(&mut self) {
        if self.opening.is_empty() {
            if self.words.column >= WIDTH {
                self.words.break_line();
            }
            self.words.join(")");
        } else {
            self.word(")");
        }
        if let Some(count) = self.outer.pop() {
            self.count = count;
        }
        self.needs_number = true;
    }

    /// Adds what was read.
    pub fn tokens(&mut self, tokens: &[Token]) {
        for token in tokens {
            match token {
                Token::Move(text) => self.mv(text),
                Token::Glyph(number) => self.glyph(*number),
                Token::Comment(comment) => self.comment(comment),
                Token::Open => self.open(),
                Token::Close => self.close(),
                Token::Result(result) => self.word(result.text()),
            }
        }
    }

    /// The text, without an end of the last line.
    pub fn into_text(mut self) -> String {
        if !self.opening.is_empty() {
            self.word("");
        }
        self.words.into_text()
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::PgnReader;
    use super::*;

    fn empty() -> Movetext {
        Movetext::new(&Position::start())
    }

    #[test]
    fn what_is_read_is_written_as_the_same() {
        let text = "{of old} 1. e4 $14 {good [%eval 0.1] move} (1. d4 d5 (1... Nf6 2. c4 *) 2. c4) {and} 1... e5 $6 \
                    2. Nf3 a8(Q)+";
        let game = PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
        let mut written = empty();
        written.tokens(&game.before);
        for mv in &game.moves {
            written.mv(&mv.text);
            written.tokens(&mv.after);
        }
        let written = written.into_text();
        assert_eq!(written.replace("\n)", ")").replace('\n', " "), text);
        assert!(written.lines().all(|line| line.len() <= 79), "{written}");
        let mut black = Movetext::new(&"4k3/8/8/8/8/8/8/4K2R b K - 3 40".parse().unwrap());
        ["Kd7", "O-O"].into_iter().for_each(|mv| black.mv(mv));
        assert_eq!(black.into_text(), "40... Kd7 41. O-O");
        assert_eq!(tag_line("A", "b \"c\" \\"), "[A \"b \\\"c\\\" \\\\\"]\n");
    }

    #[test]
    fn lines_are_broken_where_it_does_no_harm() {
        let mut text = empty();
        text.comment(&format!("{} [%clk 0:01:00] ; % x", "word ".repeat(15)));
        text.comment("   ");
        let text = text.into_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, [&format!("{{{}[%clk 0:01:00] ; %", "word ".repeat(15)), "x}"]);
        // What is not closed is no command, and a brace would end the comment.
        let mut text = empty();
        text.comment(&format!("[%clk 1] a}} [%clk {}", "word ".repeat(20)));
        let text = text.into_text();
        assert!(text.starts_with("{[%clk 1] a) [%clk word"), "{text}");
        assert!(text.lines().count() == 2 && text.lines().all(|line| line.len() <= 79), "{text}");
    }

    #[test]
    fn a_variation_begins_on_a_line_with_room_for_it() {
        for shift in 0..=77 {
            let mut text = empty();
            text.comment(&"x".repeat(shift));
            text.mv("e4");
            text.open();
            text.mv("Nb1xc3");
            text.close();
            text.open();
            text.close();
            let text = text.into_text();
            assert!(text.lines().all(|line| line.len() <= 79), "{text}");
            assert!(text.split_whitespace().collect::<String>().ends_with("1.e4(1.Nb1xc3)()"), "{text}");
        }
    }

    #[test]
    fn long_comments_are_written_whole() {
        for comment in ["[%clk ".repeat(100_000), "x ".repeat(100_000), "[%a ".repeat(100_000) + "]"] {
            let mut text = empty();
            text.comment(&comment);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&text.into_text().replace(['{', '}'], "")), words(&comment));
        }
    }
}
