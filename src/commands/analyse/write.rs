//! Annotated games as PGN that other programs read: the tags and moves as they were, and after each move its score as
//! `[%eval 0.35]`, a mark and a better line. What the game had of comments, glyphs and variations stays.

use super::judge::Judgement;
use super::pgn::{PgnGame, Played, Token};
use crate::board::{Game, Position};
use crate::notation::format_san;
use crate::types::{Color, Move};

/// Longest line of movetext, as the standard asks.
const WIDTH: usize = 79;

/// Longest better line, in plies.
const LINE: usize = 10;

/// A game as it was read: what cannot be analysed is copied.
pub(super) fn copied(game: &PgnGame) -> String {
    let fen = game.tag("FEN").and_then(|fen| fen.parse::<Position>().ok());
    let start = Count::at(&fen.unwrap_or_else(Position::start));
    let mut text = Movetext::new(start);
    text.tokens(&game.before);
    for played in &game.moves {
        text.san(&played.san);
        text.tokens(&played.after);
    }
    document(game, text)
}

/// A game with what was found about its moves, and `summary` as a comment before the first of them.
pub(super) fn annotated(
    game: &PgnGame,
    start: &Game,
    moves: &[Move],
    judgements: &[Judgement],
    summary: &str,
) -> String {
    let mut position = *start.position();
    let mut text = Movetext::new(Count::at(&position));
    let (comment, rest) = leading_comment(&game.before);
    text.comment(&joined([summary, &comment]));
    text.tokens(rest);
    for ((played, &mv), judgement) in game.moves.iter().zip(moves).zip(judgements) {
        text.san(&format_san(&position, mv));
        annotate(&mut text, played, &position, judgement);
        position.make(mv);
    }
    document(game, text)
}

/// What follows a move: glyphs, one comment, the better line, the variations there were.
fn annotate(text: &mut Movetext, played: &Played, before: &Position, judgement: &Judgement) {
    let glyphs = played.after.iter().take_while(|token| matches!(token, Token::Nag(_))).count();
    let (glyphs, rest) = played.after.split_at(glyphs);
    // Marks that a person gave stay alone.
    let is_marked = glyphs.iter().any(|token| matches!(token, Token::Nag(1..=6)));
    if let Some(mark) = judgement.mark.filter(|_| !is_marked) {
        text.word(&format!("${}", mark.glyph()));
    }
    text.tokens(glyphs);
    let (comment, rest) = leading_comment(rest);
    let score = judgement.score.as_ref().map_or(String::new(), |score| format!("[%eval {score}]"));
    let verdict = judgement.mark.zip(judgement.better.first()).map_or(String::new(), |(mark, &better)| {
        format!("{}. {} was best.", mark.word(), format_san(before, better))
    });
    text.comment(&joined([score.as_str(), &verdict, &without_score(&comment)]));
    if !judgement.better.is_empty() {
        let mut position = *before;
        text.open();
        for &mv in judgement.better.iter().take(LINE) {
            text.san(&format_san(&position, mv));
            position.make(mv);
        }
        text.close();
    }
    text.tokens(rest);
}

/// The comments at the beginning, as one, and what follows them.
fn leading_comment(tokens: &[Token]) -> (String, &[Token]) {
    let mut comments = Vec::new();
    for token in tokens {
        let Token::Comment(comment) = token else { break };
        comments.push(comment.as_str());
    }
    (joined(comments.iter().copied()), &tokens[comments.len()..])
}

/// Texts with blanks between them; empty ones count for nothing.
fn joined<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A comment without the score that another engine left there.
fn without_score(comment: &str) -> String {
    match comment.split_once("[%eval ").and_then(|(head, tail)| Some((head, tail.split_once(']')?.1))) {
        Some((head, tail)) => without_score(&joined([head, tail])),
        None => comment.to_owned(),
    }
}

/// Tags, movetext and result.
fn document(game: &PgnGame, mut text: Movetext) -> String {
    text.word(game.result());
    let escape = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
    let mut document = String::new();
    for (name, value) in &game.tags {
        document.push_str(&format!("[{name} \"{}\"]\n", escape(value)));
    }
    if !document.is_empty() {
        document.push('\n');
    }
    document.push_str(&text.lines);
    document.push_str("\n\n");
    document
}

/// Where in the numbering of moves a text stands.
#[derive(Clone, Copy)]
struct Count {
    /// Plies since before the first move of White's move 0.
    ply: u32,
}

impl Count {
    fn at(position: &Position) -> Count {
        let black = u32::from(position.stm() == Color::Black);
        Count { ply: u32::from(position.fullmove_number()) * 2 + black }
    }
}

/// Movetext in lines that are not too long.
struct Movetext {
    lines: String,
    /// Characters in the last line.
    column: usize,
    count: Count,
    /// Where each open variation began.
    outer: Vec<Count>,
    /// The next move is written with its number, whoever plays it.
    needs_number: bool,
    /// The text ends with an opening parenthesis, after which there is no blank.
    is_open: bool,
}

impl Movetext {
    fn new(count: Count) -> Movetext {
        Movetext {
            lines: String::new(),
            column: 0,
            count,
            outer: Vec::new(),
            needs_number: true,
            is_open: false,
        }
    }

    /// Adds a word, on a new line where the last one is full.
    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 && !std::mem::take(&mut self.is_open) {
            // A line that begins like this would mean something else.
            let must_stay = word.starts_with(['%', ';', '[']);
            let blank = if self.column + 1 + length > WIDTH && !must_stay { '\n' } else { ' ' };
            self.lines.push(blank);
            self.column = if blank == '\n' { 0 } else { self.column + 1 };
        }
        self.lines.push_str(word);
        self.column += length;
    }

    fn san(&mut self, san: &str) {
        let Count { ply } = self.count;
        let number = ply / 2;
        match (ply.is_multiple_of(2), std::mem::take(&mut self.needs_number)) {
            (true, _) => self.word(&format!("{number}.")),
            (false, true) => self.word(&format!("{number}...")),
            (false, false) => {}
        }
        self.word(san);
        self.count.ply += 1;
    }

    fn comment(&mut self, comment: &str) {
        // Commands such as `[%clk 0:01:00]` stay in one piece; closing braces cannot occur.
        let mut pieces: Vec<String> = Vec::new();
        let mut is_command = false;
        for word in comment.split_whitespace() {
            match pieces.last_mut().filter(|_| is_command) {
                Some(piece) => *piece = format!("{piece} {word}"),
                None => pieces.push(word.to_owned()),
            }
            let starts = word.starts_with("[%");
            is_command = (is_command || starts) && !word.contains(']');
        }
        let (Some(first), Some(_)) = (pieces.first_mut(), comment.chars().next()) else { return };
        first.insert(0, '{');
        if let Some(last) = pieces.last_mut() {
            last.push('}');
        }
        pieces.iter().for_each(|piece| self.word(piece));
        self.needs_number = true;
    }

    fn open(&mut self) {
        self.word("(");
        self.is_open = true;
        self.outer.push(self.count);
        // A variation begins in place of the last move.
        self.count.ply = self.count.ply.saturating_sub(1);
        self.needs_number = true;
    }

    fn close(&mut self) {
        if self.column >= WIDTH {
            self.lines.push('\n');
            self.column = 0;
        }
        self.lines.push(')');
        self.column += 1;
        self.is_open = false;
        if let Some(count) = self.outer.pop() {
            self.count = count;
        }
        self.needs_number = true;
    }

    fn tokens(&mut self, tokens: &[Token]) {
        for token in tokens {
            match token {
                Token::San(san) => self.san(san),
                Token::Nag(number) => self.word(&format!("${number}")),
                Token::Comment(comment) => self.comment(comment),
                Token::Open => self.open(),
                Token::Close => self.close(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::Mark;
    use super::super::pgn::Games;
    use super::*;
    use crate::notation::parse_san;

    fn game(text: &str) -> PgnGame {
        Games::new(text.as_bytes()).next().unwrap().unwrap()
    }

    const TEXT: &str = "[White \"A \\\"B\\\" \\\\ C\"]\n[Result \"1-0\"]\n\n\
        {of old} 1. e4 $14 {good [%eval 0.1] move} (1. d4 d5 (1... Nf6 2. c4) 2. c4) {and} 1... e5 $6 2. Nf3 1-0\n\n";

    #[test]
    fn a_copy_is_the_same_game() {
        let (once, text) = (game(TEXT), copied(&game(TEXT)));
        let unbroken = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(unbroken(&text), unbroken(TEXT));
        let again = game(&text);
        assert_eq!((again.tags, again.before, again.moves), (once.tags, once.before, once.moves));
        let black = "[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 40\"]\n\n40... Kd7 41. O-O (41. Ke2) *\n\n";
        assert_eq!(copied(&game(black)), black);
    }

    #[test]
    fn scores_marks_and_better_lines_are_added() {
        let game = game(TEXT);
        let (start, moves) = game.play().unwrap();
        let sans = ["c5", "Nf3", "d6"];
        let mut position = start.position().after(moves[0]);
        let better = sans.map(|san| {
            let mv = parse_san(&position, san).unwrap();
            position.make(mv);
            mv
        });
        let judgement = |score: &str, mark, better: &[Move]| Judgement {
            side: Color::White,
            score: Some(score.to_owned()),
            loss: 0.0,
            centipawns: 0,
            mark,
            better: better.to_vec(),
        };
        let judgements = [
            judgement("0.30", None, &[]),
            judgement("0.90", Some(Mark::Mistake), &better),
            judgement("0.80", None, &[]),
        ];
        let text = annotated(&game, &start, &moves, &judgements, "Summary.");
        // The mark that was there stays alone, and the old score is replaced.
        let expected = "{Summary. of old} 1. e4 $14 {[%eval 0.30] good move} (1. d4 d5 (1... Nf6 2. c4) \
            2. c4) {and} 1... e5 $6 {[%eval 0.90] Mistake. c5 was best.} (1... c5 2. Nf3 d6) \
            2. Nf3 {[%eval 0.80]} 1-0";
        let movetext = text.split("\n\n").nth(1).unwrap();
        assert_eq!(movetext.replace("\n)", ")").replace("\n", " "), expected);
        assert!(text.lines().all(|line| line.len() <= 79), "{text}");
        let mut unmarked = game.clone();
        unmarked.moves[1].after.clear();
        assert!(annotated(&unmarked, &start, &moves, &judgements, "").contains("e5 $2 {"));
    }

    #[test]
    fn lines_are_broken_where_it_does_no_harm() {
        let mut text = Movetext::new(Count { ply: 2 });
        text.comment(&format!("{} [%clk 0:01:00] ; % x", "word ".repeat(15)));
        let lines: Vec<&str> = text.lines.lines().collect();
        assert_eq!(lines, [&format!("{{{}[%clk 0:01:00] ; %", "word ".repeat(15)), "x}"]);
        text.comment("   ");
        assert!(text.lines.ends_with("x}"));
    }
}
