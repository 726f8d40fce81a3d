//! PGN as games with scores.

use std::io::{self, BufRead, Write};

use super::super::record::{GameRecord, Outcome, ScoredMove};
use super::ExchangeError;
use super::score::{ScoreUnit, from_comment, to_text};
use crate::board::Position;
use crate::notation::format_san;
use crate::pgn::{Fault, GameResult, PgnGame, PgnReader, ReplayError, Words, tag_line};
use crate::types::Color;

/// Writes a game, the `number`th, between players of this name. Behind `u=` stands each score in internal units, which
/// are finer than centipawns in endings. Positions out of search trees have no place in the format.
pub(crate) fn write_pgn(
    game: &GameRecord,
    number: u64,
    player: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let result = result(game.outcome).text();
    let (round, plies, fen) = (number.to_string(), game.plies().to_string(), game.start.to_string());
    let is_elsewhere = game.start != Position::start();
    for (name, value, is_there) in [
        ("Event", "self-play", true),
        ("Site", "?", true),
        ("Date", "????.??.??", true),
        ("Round", &round, true),
        ("White", player, true),
        ("Black", player, true),
        ("Result", result, true),
        ("Variant", "Chess960", game.start.needs_chess960()),
        ("SetUp", "1", is_elsewhere),
        ("FEN", &fen, is_elsewhere),
        ("PlyCount", &plies, true),
    ] {
        if is_there {
            out.write_all(tag_line(name, value).as_bytes())?;
        }
    }
    let mut position = game.start;
    let mut words = Words::default();
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
        words.word(&word);
        position.make(mv);
    }
    words.word(result);
    writeln!(out, "\n{}\n", words.into_text())
}

fn result(outcome: Outcome) -> GameResult {
    match outcome {
        Outcome::WhiteWins => GameResult::WhiteWins,
        Outcome::Draw => GameResult::Draw,
        Outcome::BlackWins => GameResult::BlackWins,
    }
}

/// Why a game is of no use, although nothing is wrong with the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Skipped {
    /// It is of a variant with other rules.
    Variant,
    /// It has no result.
    Unfinished,
    /// It ended by a loss on time, a crash or an illegal move, which says nothing about its positions.
    Forfeited,
    /// None of its moves has a score.
    WithoutScores,
}

impl Skipped {
    /// All reasons with the words for so many games.
    pub(crate) const ALL: [(Skipped, &str); 4] = [
        (Skipped::Variant, "of another variant"),
        (Skipped::Unfinished, "without a result"),
        (Skipped::Forfeited, "that did not end on the board or by adjudication"),
        (Skipped::WithoutScores, "without scores"),
    ];
}

/// A game of the file, or why it is left out.
pub(crate) type Read = Result<GameRecord, Skipped>;

/// Reads the games of a stream.
pub(crate) struct PgnGames<R> {
    games: PgnReader<R>,
    unit: ScoreUnit,
}

impl<R: BufRead> PgnGames<R> {
    pub(crate) fn new(source: R, unit: ScoreUnit) -> PgnGames<R> {
        PgnGames { games: PgnReader::new(source), unit }
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.games.bytes()
    }

    /// The next game; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Read>, ExchangeError> {
        let game = self.games.next().transpose()?;
        game.map(|game| convert(&game, self.unit)).transpose()
    }
}

/// An error at a line.
fn fault(line: u64, reason: impl ToString) -> ExchangeError {
    ExchangeError::Fault { place: format!("line {line}"), reason: reason.to_string() }
}

impl From<Fault> for ExchangeError {
    fn from(Fault { line, kind }: Fault) -> ExchangeError {
        fault(line, kind)
    }
}

/// Reads a game unless its tags and its result say that it is of no use: the moves of such a game may be illegal, and
/// the illegal move that ended it may be among them. Moves up to the last one without a score are the opening.
fn convert(game: &PgnGame, unit: ScoreUnit) -> Result<Read, ExchangeError> {
    let outcome = match outcome(game)? {
        Ok(outcome) => outcome,
        Err(reason) => return Ok(Err(reason)),
    };
    let at_line = |error| match error {
        ReplayError::Damage(damage) => damage.into(),
        ReplayError::Move { error, line, .. } => fault(line, error),
        ReplayError::Fen(error) => fault(game.lines.0, error),
        other => fault(game.lines.0, other),
    };
    let start = game.start().map_err(at_line)?;
    let (mut position, mut opening, mut moves) = (start, Vec::new(), Vec::new());
    for (written, mv) in game.moves.iter().zip(game.replay(&start).map_err(at_line)?) {
        match from_comment(&written.comment(), &position, unit) {
            Some(score) => moves.push(ScoredMove { mv, score }),
            None => {
                opening.extend(moves.drain(..).map(|scored: ScoredMove| scored.mv));
                opening.push(mv);
            }
        }
        position.make(mv);
    }
    if moves.is_empty() {
        return Ok(Err(Skipped::WithoutScores));
    }
    Ok(Ok(GameRecord { start, opening, moves, outcome, trees: Vec::new() }))
}

/// The result of a game, or why the game is left out whatever its moves are. Where the text has no end it is refused.
fn outcome(game: &PgnGame) -> Result<Result<Outcome, Skipped>, ExchangeError> {
    if let Some(damage) = game.damage.clone().filter(Fault::is_of_structure) {
        return Err(damage.into());
    }
    if game.castling_mode().is_err() {
        return Ok(Err(Skipped::Variant));
    }
    let (begin, end) = game.lines;
    let Some(result) = game.ending else {
        // A word that is no move may have been the result.
        let reason = format!("the game that begins at line {begin} has no result; it is cut short");
        return Err(game.damage.clone().map_or_else(|| fault(end, reason), ExchangeError::from));
    };
    if let Some(tag) = game.tag("Result").filter(|tag| *tag != result.text()) {
        return Err(fault(begin, format!("the result is {result}, but {tag} in the tags")));
    }
    let outcome = match result {
        GameResult::WhiteWins => Outcome::WhiteWins,
        GameResult::BlackWins => Outcome::BlackWins,
        GameResult::Draw => Outcome::Draw,
        GameResult::Unknown => return Ok(Err(Skipped::Unfinished)),
    };
    match game.tag("Termination") {
        None | Some("normal" | "adjudication" | "Normal") => Ok(Ok(outcome)),
        Some(_) => Ok(Err(Skipped::Forfeited)),
    }
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
        // fastchess writes the illegal move itself.
        for illegal in ["Rb1#", "h9h9", "rubbish"] {
            let forfeited = FASTCHESS.replace("normal", "illegal move").replace("Ra1#", illegal);
            assert_eq!(skipped(&forfeited), [Err(Skipped::Forfeited)], "{illegal}");
            let unfinished = FASTCHESS.replace("0-1", "*").replace("Ra1#", illegal);
            assert_eq!(skipped(&unfinished), [Err(Skipped::Unfinished)], "{illegal}");
        }
        // In antichess taking is compulsory, and kings may be taken.
        let antichess = "[Variant \"Antichess\"]\n[Result \"1-0\"]\n\n1. e3 {+0.3/9} b5 {-0.3/9} 2. Bxb5 {+9.99/9} 1-0\n\n";
        assert_eq!(skipped(antichess), [Err(Skipped::Variant)]);
        assert_eq!(skipped(&(antichess.to_owned() + FASTCHESS)).len(), 2);
    }

    #[test]
    fn damage_is_refused_with_its_line() {
        for (from, to, reason) in [
            ("Ra1#", "Rb1#", "line 8: "),
            ("} 0-1", "} 1-0", "line 1: the result is 1-0, but 0-1 in the tags"),
            ("} 0-1", "}", "has no result; it is cut short"),
            ("Ra1#", "Ra1# rubbish", "line 8: 'rubbish' is not a move"),
            (" 0-1", " (9... Ra2 rubbish) 0-1", "line 8: 'rubbish' is not a move"),
            (" 0-1", " 0-1x", "line 8: '0-1x' is not a move"),
            (" 0-1", " (9... Ra2 0-1", "line 8: a variation is not closed"),
            ("} 0-1", " 0-1", "line 8: a comment is not closed"),
            ("SetUp \"1", "SetUp \"0", "line 1: the tag SetUp is 0"),
            ("4k3/", "9/", "line 1: "),
            ("b - - 0 9", "b K - 0 9", "line 1: castling right 'K' has no king and rook in place"),
        ] {
            let error = read(&FASTCHESS.replace(from, to), ScoreUnit::Plain).unwrap_err();
            assert!(error.contains(reason), "{to}: {error}");
        }
    }

    #[test]
    fn games_that_are_cut_short_are_refused() {
        for (text, reason) in [
            ("1. e4 e5\n", "line 2: the game that begins at line 1 has no result; it is cut short"),
            (
                "\n1. e4\n[Event \"x\"]\n*",
                "line 3: the game that begins at line 2 has no result; it is cut short",
            ),
            ("[Event \"x\"]\n", "line 2: the game that begins at line 1 has no result; it is cut short"),
            (
                "[Event \"x\"]\n\n[Event \"y\"]\n\n1. e4 {+0.3/9} 1-0",
                "line 3: the game that begins at line 1 has no result; it is cut short",
            ),
            // Even where the tags say that its moves do not matter.
            ("[Termination \"illegal move\"]\n\n1. e4 {+0.3/9\n", "line 3: a comment is not closed"),
        ] {
            assert_eq!(read(text, ScoreUnit::Plain).unwrap_err(), reason, "{text}");
        }
    }

    #[test]
    fn only_comments_of_the_main_line_count() {
        let game = one("1. e4 {+0.10/3} (1. d4 {+0.20/3} d5) 1... e5 $1 {-0.30/3} (1... c5) {+0.40/3} 1-0");
        assert_eq!(game.moves.iter().map(|scored| scored.score.0).collect::<Vec<_>>(), [10, -30]);
    }
}
