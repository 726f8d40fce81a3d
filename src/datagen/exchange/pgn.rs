//! PGN as games with scores.

use std::io::{self, BufRead, Write};

use super::super::record::{GameRecord, Outcome, ScoredMove};
use super::ExchangeError;
use super::pgn_text::{PgnText, TextGame, fault};
use super::score::{ScoreUnit, from_comment, to_text};
use crate::board::{FenError, Position};
use crate::notation::{format_san, parse_san, parse_uci};
use crate::types::{Color, Move};

/// Longest line that is written, in bytes, unless a single comment is longer.
const LINE: usize = 80;

/// Writes a game, the `number`th, between players of this name. Behind `u=` stands each score in internal units, which
/// are finer than centipawns in endings. Positions out of search trees have no place in the format.
pub(crate) fn write_pgn(
    game: &GameRecord,
    number: u64,
    player: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let result = result(game.outcome);
    let player: String = player.chars().filter(|letter| !"\"\\".contains(*letter)).collect();
    writeln!(out, "[Event \"self-play\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"{number}\"]")?;
    writeln!(out, "[White \"{player}\"]\n[Black \"{player}\"]\n[Result \"{result}\"]")?;
    if game.start.needs_chess960() {
        writeln!(out, "[Variant \"Chess960\"]")?;
    }
    if game.start != Position::start() {
        writeln!(out, "[SetUp \"1\"]\n[FEN \"{}\"]", game.start)?;
    }
    writeln!(out, "[PlyCount \"{}\"]\n", game.plies())?;
    let mut position = game.start;
    let mut line = String::new();
    let opening = game.opening.iter().map(|&mv| (mv, None));
    let searched = game.moves.iter().map(|scored| (scored.mv, Some(scored.score)));
    for (ply, (mv, score)) in opening.chain(searched).enumerate() {
        let mut word = match (position.stm(), ply) {
            (Color::White, _) => format!("{}. ", position.fullmove_number()),
            (Color::Black, 0) => format!("{}... ", position.fullmove_number()),
            (Color::Black, _) => String::new(),
        };
        word.push_str(&format_san(&position, mv));
        word.push_str(&match score {
            Some(score) => format!(" {{{}/0 0s, u={}}}", to_text(score, &position), score.0),
            None => " {book}".to_owned(),
        });
        push(&mut line, &word, out)?;
        position.make(mv);
    }
    push(&mut line, result, out)?;
    writeln!(out, "{line}\n")
}

/// Appends a word, on a new line when the line would be too long.
fn push(line: &mut String, word: &str, out: &mut impl Write) -> io::Result<()> {
    if !line.is_empty() && line.len() + 1 + word.len() > LINE {
        writeln!(out, "{line}")?;
        line.clear();
    }
    if !line.is_empty() {
        line.push(' ');
    }
    line.push_str(word);
    Ok(())
}

fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WhiteWins => "1-0",
        Outcome::Draw => "1/2-1/2",
        Outcome::BlackWins => "0-1",
    }
}

/// Why a game is of no use, although nothing is wrong with the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Skipped {
    /// It has no result.
    Unfinished,
    /// It ended by a loss on time, a crash or an illegal move, which says nothing about its positions.
    Forfeited,
    /// None of its moves has a score.
    WithoutScores,
}

impl Skipped {
    /// All reasons with the words for so many games.
    pub(crate) const ALL: [(Skipped, &str); 3] = [
        (Skipped::Unfinished, "without a result"),
        (Skipped::Forfeited, "that did not end on the board or by adjudication"),
        (Skipped::WithoutScores, "without scores"),
    ];
}

/// A game of the file, or why it is left out.
pub(crate) type Read = Result<GameRecord, Skipped>;

/// Reads the games of a stream.
pub(crate) struct PgnGames<R> {
    text: PgnText<R>,
    unit: ScoreUnit,
}

impl<R: BufRead> PgnGames<R> {
    pub(crate) fn new(source: R, unit: ScoreUnit) -> PgnGames<R> {
        PgnGames { text: PgnText::new(source), unit }
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.text.bytes()
    }

    /// The next game; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Read>, ExchangeError> {
        self.text.next()?.map(|game| convert(&game, self.unit)).transpose()
    }
}

/// Moves up to the last one without a score are the opening.
fn convert(text: &TextGame, unit: ScoreUnit) -> Result<Read, ExchangeError> {
    let start = start(text)?;
    let (mut position, mut opening, mut moves) = (start, Vec::new(), Vec::new());
    for written in &text.moves {
        let mv = read_move(&position, &written.text).map_err(|reason| fault(written.line, reason))?;
        match from_comment(&written.comment, &position, unit) {
            Some(score) => moves.push(ScoredMove { mv, score }),
            None => {
                opening.extend(moves.drain(..).map(|scored: ScoredMove| scored.mv));
                opening.push(mv);
            }
        }
        position.make(mv);
    }
    if let Some(tag) = text.tag("Result").filter(|tag| *tag != text.result) {
        let reason = format!("the result is {}, but {tag} in the tags", text.result);
        return Err(fault(text.line, reason));
    }
    let outcome = match text.result.as_str() {
        "1-0" => Outcome::WhiteWins,
        "0-1" => Outcome::BlackWins,
        "1/2-1/2" => Outcome::Draw,
        _ => return Ok(Err(Skipped::Unfinished)),
    };
    if !matches!(text.tag("Termination"), None | Some("normal" | "adjudication" | "Normal")) {
        return Ok(Err(Skipped::Forfeited));
    }
    if moves.is_empty() {
        return Ok(Err(Skipped::WithoutScores));
    }
    Ok(Ok(GameRecord { start, opening, moves, outcome, trees: Vec::new() }))
}

fn start(text: &TextGame) -> Result<Position, ExchangeError> {
    let Some(fen) = text.tag("FEN") else { return Ok(Position::start()) };
    fen.parse().map_err(|error: FenError| fault(text.line, error.to_string()))
}

/// A move in SAN or in UCI's notation.
fn read_move(position: &Position, text: &str) -> Result<Move, String> {
    parse_san(position, text).or_else(|error| parse_uci(position, text).map_err(|_| error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::super::sample;
    use super::*;
    use crate::types::Score;

    fn read(text: &str, unit: ScoreUnit) -> Result<Vec<Read>, String> {
        let mut games = PgnGames::new(text.as_bytes(), unit);
        let mut read = Vec::new();
        while let Some(game) = games.next().map_err(|error| error.to_string())? {
            read.push(game);
        }
        assert_eq!(games.bytes(), text.len() as u64);
        Ok(read)
    }

    fn one(text: &str) -> GameRecord {
        match &read(text, ScoreUnit::Plain).unwrap()[..] {
            [Ok(game)] => game.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn written(games: &[GameRecord]) -> String {
        let mut text = Vec::new();
        for (game, number) in games.iter().zip(1..) {
            write_pgn(game, number, "Quillon 1", &mut text).unwrap();
        }
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_hundred_thousand_positions_come_back() {
        let games: Vec<GameRecord> =
            sample::games(2_200, 9).into_iter().filter(|game| !game.moves.is_empty()).collect();
        let positions: usize = games.iter().map(|game| game.moves.len()).sum();
        assert!(positions > 100_000, "{positions}");
        let text = written(&games);
        let back = read(&text, ScoreUnit::Quillon).unwrap();
        assert_eq!(back.len(), games.len());
        for (read, game) in back.into_iter().zip(games) {
            assert!(read == Ok(GameRecord { trees: Vec::new(), ..game }));
        }
        assert!(text.lines().all(|line| line.len() <= 100));
    }

    /// As fastchess writes it.
    const FASTCHESS: &str = "[Event \"Fastchess Tournament\"]\n[White \"A\"]\n[Result \"0-1\"]\n[SetUp \"1\"]\n\
        [FEN \"4k3/8/8/8/8/8/r4PPP/6K1 b - - 0 9\"]\n[Termination \"normal\"]\n\n\
        9... Ra1# {+M1/245 0.007s, n=1190, sd=2, White gets checkmated} 0-1\n\n";

    #[test]
    fn scores_are_those_of_the_side_that_moves() {
        let game = one(FASTCHESS);
        assert_eq!((game.outcome, game.moves[0].score), (Outcome::BlackWins, Score::mate_in(1)));
        assert_eq!(game.start.to_string(), "4k3/8/8/8/8/8/r4PPP/6K1 b - - 0 9");
    }

    #[test]
    fn moves_without_scores_in_front_are_the_opening() {
        let game = one("e4 {book} e5 {unknown} Nf3 {+0.30/9} Nc6 {-0.25/9} 1/2-1/2");
        assert_eq!((game.opening.len(), game.moves.len(), game.outcome), (2, 2, Outcome::Draw));
        assert_eq!(game.moves.iter().map(|scored| scored.score.0).collect::<Vec<_>>(), [30, -25]);
        let game = one("e2e4 {+0.30/9} e7e5 g1f3 {+0.3/9} 1-0");
        assert_eq!((game.opening.len(), game.moves.len()), (2, 1));
    }

    #[test]
    fn games_that_teach_nothing_are_skipped() {
        let skipped = |text: &str| read(text, ScoreUnit::Plain).unwrap();
        assert_eq!(skipped("1. e4 {+0.3/9} *"), [Err(Skipped::Unfinished)]);
        assert_eq!(skipped("1. e4 e5 1-0"), [Err(Skipped::WithoutScores)]);
        let forfeited = FASTCHESS.replace("normal", "time forfeit");
        assert_eq!(skipped(&forfeited), [Err(Skipped::Forfeited)]);
    }

    #[test]
    fn damage_is_refused_with_its_line() {
        for (from, to, reason) in [
            ("Ra1#", "Rb1#", "line 8: "),
            ("} 0-1", "} 1-0", "line 1: the result is 1-0, but 0-1 in the tags"),
            ("} 0-1", "}", "has no result; it is cut short"),
            ("4k3/", "9/", "line 1: "),
            ("b - - 0 9", "b K - 0 9", "line 1: castling right 'K' has no king and rook in place"),
        ] {
            let error = read(&FASTCHESS.replace(from, to), ScoreUnit::Plain).unwrap_err();
            assert!(error.contains(reason), "{to}: {error}");
        }
    }
}
