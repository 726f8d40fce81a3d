//! Annotated games as PGN that other programs read: the tags and moves as they were, and after each move its score as
//! `[%eval 0.35]`, a mark and a better line. What the game had of comments, glyphs and variations stays.

use super::judge::Judgement;
use crate::board::{Game, Position};
use crate::notation::format_san;
use crate::pgn::{Movetext, PgnGame, PgnMove, Token, tag_line};
use crate::types::Move;

/// Longest better line, in plies.
const LINE: usize = 10;

/// A game that cannot be analysed, byte for byte as it was read.
pub(super) fn copied(game: &PgnGame) -> Vec<u8> {
    [&game.text[..], b"\n\n"].concat()
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
    let mut text = Movetext::new(&position);
    let (comment, rest) = leading_comment(&game.before);
    text.comment(&joined([summary, &comment]));
    text.tokens(rest);
    for ((played, &mv), judgement) in game.moves.iter().zip(moves).zip(judgements) {
        text.mv(&format_san(&position, mv));
        annotate(&mut text, played, &position, judgement);
        position.make(mv);
    }
    document(game, text)
}

/// What follows a move: glyphs, one comment, the better line, the variations there were.
fn annotate(text: &mut Movetext, played: &PgnMove, before: &Position, judgement: &Judgement) {
    let glyphs = played.after.iter().take_while(|token| matches!(token, Token::Glyph(_))).count();
    let (glyphs, rest) = played.after.split_at(glyphs);
    // Marks that a person gave stay alone.
    let is_marked = glyphs.iter().any(|token| matches!(token, Token::Glyph(1..=6)));
    if let Some(mark) = judgement.mark.filter(|_| !is_marked) {
        text.glyph(mark.glyph());
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
            text.mv(&format_san(&position, mv));
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

/// A comment without the scores that another engine left there.
fn without_score(comment: &str) -> String {
    let mut kept = Vec::new();
    let mut rest = comment;
    while let Some((head, tail)) = rest.split_once("[%eval ")
        && let Some((_, tail)) = tail.split_once(']')
    {
        kept.push(head);
        rest = tail;
    }
    kept.push(rest);
    joined(kept)
}

/// Tags, movetext and result.
fn document(game: &PgnGame, mut text: Movetext) -> String {
    text.word(game.result().text());
    let mut document: String = game.tags.iter().map(|(name, value)| tag_line(name, value)).collect();
    if !document.is_empty() {
        document.push('\n');
    }
    document.push_str(&text.into_text());
    document.push_str("\n\n");
    document
}

#[cfg(test)]
mod tests {
    use super::super::judge::Mark;
    use super::*;
    use crate::notation::parse_san;
    use crate::pgn::PgnReader;
    use crate::types::Color;

    fn game(text: &str) -> PgnGame {
        PgnReader::new(text.as_bytes()).next().unwrap().unwrap()
    }

    const TEXT: &str = "[White \"A \\\"B\\\" \\\\ C\"]\n[Result \"1-0\"]\n\n\
        {of old} 1. e4 $14 {good [%eval 0.1] move} (1. d4 d5 (1... Nf6 2. c4) 2. c4) {and} 1... e5 $6 2. Nf3 1-0\n\n";

    #[test]
    fn games_without_moves_stay() {
        for text in [TEXT.split("1. e4").next().unwrap().to_owned() + "1-0\n\n", "*\n\n".to_owned()] {
            let game = game(&text);
            assert_eq!(annotated(&game, &Game::default(), &[], &[], ""), text);
        }
        assert_eq!(copied(&game("1. e4\te5 rubbish \r\n\r\n")), b"1. e4\te5 rubbish\n\n");
    }

    #[test]
    fn scores_of_other_engines_are_left_out() {
        let many = |piece: &str| piece.repeat(12_000);
        for (comment, left) in [
            ("good".to_owned(), "good".to_owned()),
            ("a [%eval 0.1] b [%clk 1] [%eval #3] c".to_owned(), "a b [%clk 1] c".to_owned()),
            (many("[%eval 0.1] "), String::new()),
            (many("[%eval "), many("[%eval ").trim().to_owned()),
            (many("[%eval ") + "] x", "x".to_owned()),
        ] {
            assert_eq!(without_score(&comment), left);
        }
    }

    #[test]
    fn scores_marks_and_better_lines_are_added() {
        let game = game(TEXT);
        let start = Game::default();
        let moves = game.replay(start.position()).unwrap();
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
}
