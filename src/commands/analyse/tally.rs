//! How well the players of games played, by the judgements of their moves.

use std::collections::BTreeMap;
use std::fmt;

use super::judge::{Judgement, Mark};
use crate::types::Color;

/// The moves of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Side {
    games: u32,
    moves: u32,
    /// Sum of the moves' accuracies, each 0 to 100.
    accuracy: f64,
    /// Centipawns lost.
    centipawns: u64,
    /// Number of moves with each mark.
    marks: [u32; 3],
}

/// The accuracy of a move in percent by the points out of 100 that it gives away. The curve is that of lichess.org
/// (<https://lichess.org/page/accuracy>): 100 for none, 64 for 10, 40 for 20.
fn accuracy(loss: f64) -> f64 {
    (103.1668 * (-0.04354 * 100.0 * loss).exp() - 3.1669).clamp(0.0, 100.0)
}

/// What the judgements of a game say about White and Black.
pub(super) fn sides(judgements: &[Judgement]) -> [Side; 2] {
    let mut sides = [Side { games: 1, ..Side::default() }; 2];
    for judgement in judgements {
        let side = &mut sides[judgement.side.index()];
        side.moves += 1;
        side.accuracy += accuracy(judgement.loss);
        side.centipawns += judgement.centipawns.unsigned_abs() as u64;
        if let Some(mark) = judgement.mark {
            side.marks[mark as usize] += 1;
        }
    }
    sides
}

impl Side {
    fn merge(&mut self, other: Side) {
        self.games += other.games;
        self.moves += other.moves;
        self.accuracy += other.accuracy;
        self.centipawns += other.centipawns;
        for (sum, number) in self.marks.iter_mut().zip(other.marks) {
            *sum += number;
        }
    }

    /// Mean accuracy in percent and mean loss in centipawns.
    fn means(&self) -> (f64, f64) {
        let moves = f64::from(self.moves.max(1));
        (self.accuracy / moves, self.centipawns as f64 / moves)
    }
}

/// A sentence about each side, for the comment at the beginning of a game.
pub(super) fn summary(by: &str, sides: &[Side; 2]) -> String {
    let mut text = format!("{by}.");
    for (color, side) in
        [Color::White, Color::Black].into_iter().zip(sides).filter(|(_, side)| side.moves > 0)
    {
        let name = if color == Color::White { "White" } else { "Black" };
        let ((accuracy, loss), [inaccuracies, mistakes, blunders]) = (side.means(), side.marks);
        text.push_str(&format!(
            " {name}: accuracy {accuracy:.1} %, average loss {loss:.0} cp, \
             {inaccuracies} ?!, {mistakes} ?, {blunders} ??."
        ));
    }
    text
}

/// The players of several games, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(BTreeMap<String, Side>);

impl Tally {
    /// Whether nobody has moved.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what a player did in a game.
    pub(super) fn add(&mut self, name: &str, side: Side) {
        if side.moves > 0 {
            self.0.entry(name.to_owned()).or_default().merge(side);
        }
    }

    /// Adds the players of other games.
    pub(super) fn merge(&mut self, other: Tally) {
        for (name, side) in other.0 {
            self.0.entry(name).or_default().merge(side);
        }
    }
}

/// Width of the column of names.
const NAME: usize = 24;

/// A table, a line for each player.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:NAME$} games  moves  accuracy  loss a move   ?!    ?   ??", "player")?;
        for (name, side) in &self.0 {
            let printable = name.chars().filter(|letter| !letter.is_control());
            let name: String = printable.take(NAME).collect();
            let ((accuracy, loss), [inaccuracies, mistakes, blunders]) = (side.means(), side.marks);
            write!(
                f,
                "\n{name:NAME$} {:>5}  {:>5}  {accuracy:>6.1} %  {loss:>8.0} cp {inaccuracies:>4} {mistakes:>4} {blunders:>4}",
                side.games, side.moves
            )?;
        }
        debug_assert_eq!(Mark::ALL.len(), 3, "a column for each mark");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_falls_with_the_loss() {
        assert!((accuracy(0.0) - 100.0).abs() < 0.01 && accuracy(1.0) < 1.0);
        assert!(
            (accuracy(0.1) - 63.6).abs() < 0.1 && (accuracy(0.2) - 40.0).abs() < 0.3,
            "{}",
            accuracy(0.2)
        );
    }

    #[test]
    fn players_are_added_up() {
        let judgement = |side, loss, centipawns, mark| Judgement {
            side,
            score: None,
            loss,
            centipawns,
            mark,
            better: Vec::new(),
        };
        let judgements = [
            judgement(Color::White, 0.0, 10, None),
            judgement(Color::Black, 0.0, 0, None),
            judgement(Color::White, 0.2, 90, Some(Mark::Blunder)),
        ];
        let sides = sides(&judgements);
        let text = summary("By X", &sides);
        let expected = "By X. White: accuracy 70.0 %, average loss 50 cp, 0 ?!, 0 ?, 1 ??. \
                        Black: accuracy 100.0 %, average loss 0 cp, 0 ?!, 0 ?, 0 ??.";
        assert_eq!(text, expected);
        let (mut tally, mut other) = (Tally::default(), Tally::default());
        tally.add("A", sides[0]);
        other.add("A", sides[1]);
        other.add("B", Side::default());
        tally.merge(other);
        let table = tally.to_string();
        assert_eq!(table.lines().count(), 2, "{table}");
        assert!(table.lines().all(|line| line.len() <= 80), "{table}");
        assert_eq!(
            table.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(),
            ["A", "2", "3", "80.0", "%", "33", "cp", "0", "0", "1"]
        );
    }
}
