//! Scores as text in the comments of PGN.

use crate::board::Position;
use crate::eval::WdlModel;
use crate::types::Score;

/// What a hundredth in a comment means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScoreUnit {
    /// Quillon's centipawns: at 100 a win is as likely as not, which is turned back into internal units.
    Quillon,
    /// An internal unit, whatever it was worth to the engine.
    Plain,
}

/// A score of the side to move in this position, as fastchess writes it: `+0.35`, or with the plies to mate `-M8`.
pub(super) fn to_text(score: Score, position: &Position) -> String {
    if score.is_mate() {
        let plies = Score::MATE.0 - score.0.abs();
        return format!("{}M{plies}", if score.0 > 0 { '+' } else { '-' });
    }
    let centipawns = WdlModel::FITTED.reported(score, WdlModel::material(position));
    let sign = ["-", "", "+"][(centipawns.signum() + 1) as usize];
    format!("{sign}{}.{:02}", centipawns.abs() / 100, centipawns.abs() % 100)
}

/// The score in a comment, if there is one: of Quillon's own games in internal units after `u=`, else in front and as
/// match programs write it, `+0.35/12 0.1s`. Of what people write little looks like that.
pub(super) fn from_comment(comment: &str, position: &Position, unit: ScoreUnit) -> Option<Score> {
    let mut words = comment.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty());
    if unit == ScoreUnit::Quillon {
        let exact = words.clone().find_map(|word| word.strip_prefix("u=")?.parse().ok());
        if let Some(score) = exact.filter(|score: &i32| score.abs() <= Score::INFINITE.0) {
            return Some(Score(score));
        }
    }
    let first = words.next()?;
    let (text, depth) = first.split_once('/').unwrap_or((first, "0"));
    if !is_digits(depth) {
        return None;
    }
    let sign = text.bytes().next().filter(|sign| matches!(sign, b'+' | b'-'));
    let magnitude = if sign.is_some() { &text[1..] } else { text };
    let score = match magnitude.strip_prefix('M') {
        Some(plies) => {
            let number = plies.parse().ok().filter(|_| sign.is_some() && is_digits(plies))?;
            (number <= MAX_MATE_PLIES).then(|| Score::mate_in(number))?
        }
        None => {
            // 0.00 has no sign.
            let centipawns = hundredths(magnitude).filter(|&number| sign.is_some() || number == 0)?;
            match unit {
                ScoreUnit::Quillon => WdlModel::FITTED.score(centipawns, WdlModel::material(position)),
                ScoreUnit::Plain => Score(centipawns).clamp_eval(),
            }
        }
    };
    Some(if sign == Some(b'-') { -score } else { score })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `12.345` as 1235; `None` for what has not the form of digits around a point.
fn hundredths(text: &str) -> Option<i32> {
    let (whole, fraction) = text.split_once('.')?;
    let number: f64 = text.parse().ok().filter(|_| is_digits(whole) && is_digits(fraction))?;
    (number < MOST_PAWNS).then(|| (number * 100.0).round() as i32)
}

/// Larger numbers are no scores.
const MOST_PAWNS: f64 = 1e6;

/// Mates beyond the horizon of a search are no scores.
const MAX_MATE_PLIES: usize = (Score::MATE.0 - Score::MIN_MATE.0) as usize;

#[cfg(test)]
mod tests {
    use super::*;

    const ENDING: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

    fn read(comment: &str, unit: ScoreUnit) -> Option<i32> {
        from_comment(comment, &Position::start(), unit).map(|score| score.0)
    }

    #[test]
    fn comments_of_match_programs_are_understood() {
        for (comment, score) in [
            ("+0.35/12 0.1s", Some(35)),
            ("-0.77/8 0.022s, n=3000, sd=12", Some(-77)),
            ("0.00/1 0s", Some(0)),
            ("+12.5/3", Some(1250)),
            ("+1.006/9 0.1s", Some(101)),
            ("+M5/11 0.010s, White mates", Some(32_000 - 5)),
            ("-M8/9 0.001s", Some(8 - 32_000)),
            ("+0.35/0 0s, u=-41", Some(35)),
            ("+1.10", Some(110)),
            ("0.00", Some(0)),
            ("-0.00/3", Some(0)),
            ("book", None),
            ("unknown", None),
            ("12 good moves", None),
            ("", None),
            ("White wins by adjudication", None),
            ("1e3/4 0.1s", None),
            ("+M999/4", None),
            ("M5/4", None),
            ("+M+5/4", None),
            ("1. d4 was also played", None),
            ("12/24 games", None),
            ("1.5 hours", None),
            ("0.35 is what it was worth", None),
            ("+1 for White", None),
            ("+5/12", None),
            ("+.5/3", None),
            ("+1./3", None),
            ("+-1.5/3", None),
            ("+0.35/x", None),
            ("+0.35/", None),
            ("+0.3.5/3", None),
            ("+inf/3", None),
            ("+\u{661}.5/3", None),
            ("\u{661}", None),
            ("u=99999", None),
        ] {
            assert_eq!(read(comment, ScoreUnit::Plain), score, "{comment}");
        }
        assert_ne!(read("+0.35/12 0.1s", ScoreUnit::Quillon), Some(35));
        assert_eq!(read("+0.35/0 0s, u=-41", ScoreUnit::Quillon), Some(-41));
    }

    #[test]
    fn every_score_that_quillon_prints_comes_back_as_the_same_text() {
        for position in [Position::start(), ENDING.parse().unwrap()] {
            for score in (-32_000..=32_000).filter(|score| !(31_001..31_508).contains(&i32::abs(*score))) {
                let text = to_text(Score(score), &position);
                let read = from_comment(&format!("{text}/9 0.1s"), &position, ScoreUnit::Quillon).unwrap();
                assert_eq!(to_text(read, &position), text, "{score}");
                assert!(
                    (read.0 - score).abs() <= 1 || score.abs() > 5_700,
                    "{score} came back as {}",
                    read.0
                );
            }
        }
    }
}
