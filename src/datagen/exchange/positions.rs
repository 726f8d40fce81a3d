//! Positions with score and result: text and bulletformat.

use std::io::{self, Write};

use bulletformat::{BulletFormat, ChessBoard};

use super::super::record::{GameRecord, Kept, Outcome};
use crate::board::Position;
use crate::types::{Color, PieceType, Score};

/// A position as training sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labelled<'a> {
    pub(crate) position: &'a Position,
    /// From the view of the side to move.
    pub(crate) score: Score,
    pub(crate) outcome: Outcome,
}

/// Calls `f` with the positions of a game, those out of search trees last: those that are fit for training or, when
/// `raw`, all that have a score.
pub(crate) fn each_position(game: &GameRecord, raw: bool, mut f: impl FnMut(Labelled<'_>)) {
    let outcome = game.outcome;
    if !raw {
        game.for_each_kept(|Kept { position, score, .. }| f(Labelled { position, score, outcome }));
        game.for_each_kept_tree(|kept| f(Labelled { position: kept.position, score: kept.score, outcome }));
        return;
    }
    let mut position = game.start;
    game.opening.iter().for_each(|&mv| {
        position.make(mv);
    });
    let mut roots = game.trees.iter().peekable();
    let mut trees = Vec::new();
    for (index, scored) in game.moves.iter().enumerate() {
        f(Labelled { position: &position, score: scored.score, outcome });
        while let Some(tree) = roots.next_if(|tree| tree.after == index) {
            let mut below = position;
            tree.path.iter().for_each(|&mv| {
                below.make(mv);
            });
            trees.push((below, tree.score));
        }
        position.make(scored.mv);
    }
    trees.iter().for_each(|(position, score)| f(Labelled { position, score: *score, outcome }));
}

impl Labelled<'_> {
    /// The score from White's view.
    fn white_score(&self) -> i32 {
        if self.position.stm() == Color::White { self.score.0 } else { -self.score.0 }
    }

    /// What White got.
    fn white_points(&self) -> f32 {
        match self.outcome {
            Outcome::WhiteWins => 1.0,
            Outcome::Draw => 0.5,
            Outcome::BlackWins => 0.0,
        }
    }
}

/// Writes a line `FEN | score | result`, both from White's view.
pub(crate) fn write_text(labelled: &Labelled<'_>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{} | {} | {:.1}", labelled.position, labelled.white_score(), labelled.white_points())
}

/// Writes 32 bytes of bulletformat.
pub(crate) fn write_bullet(labelled: &Labelled<'_>, out: &mut impl Write) -> io::Result<()> {
    let position = labelled.position;
    let mut boards = [0; 8];
    for square in position.occupied() {
        let Some(piece) = position.piece_on(square) else { continue };
        let bit = 1_u64 << square.index();
        boards[piece.color().index()] |= bit;
        boards[2 + piece.kind().index()] |= bit;
    }
    let (score, points) = (labelled.white_score() as i16, labelled.white_points());
    let board =
        ChessBoard::from_raw(boards, position.stm().index(), score, points).map_err(io::Error::other)?;
    out.write_all(BulletFormat::as_bytes_slice(&[board]))
}

const _: () = assert!(PieceType::ALL.len() == 6);

#[cfg(test)]
mod tests {
    use super::super::super::sample;
    use super::*;

    /// All positions of random games as both formats.
    fn exported(raw: bool) -> (Vec<(Position, i32, Outcome)>, String, Vec<u8>) {
        let (mut known, mut text, mut bullet) = (Vec::new(), Vec::new(), Vec::new());
        for game in sample::games(1_800, 8) {
            each_position(&game, raw, |labelled| {
                known.push((*labelled.position, labelled.score.0, labelled.outcome));
                write_text(&labelled, &mut text).unwrap();
                write_bullet(&labelled, &mut bullet).unwrap();
            });
        }
        (known, String::from_utf8(text).unwrap(), bullet)
    }

    #[test]
    fn a_hundred_thousand_positions_come_back_from_text() {
        let (known, text, _) = exported(true);
        assert!(known.len() > 100_000 && text.lines().count() == known.len());
        for (line, (position, score, outcome)) in text.lines().zip(known) {
            let fields: Vec<&str> = line.split(" | ").collect();
            assert_eq!(fields[0].parse::<Position>().unwrap(), position);
            let white = if position.stm() == Color::White { score } else { -score };
            assert_eq!(fields[1].parse::<i32>().unwrap(), white);
            assert_eq!(fields[2], ["1.0", "0.5", "0.0"][outcome as usize]);
        }
    }

    #[test]
    fn bulletformat_is_what_the_crate_makes_of_the_text() {
        let (known, text, bullet) = exported(true);
        assert_eq!(bullet.len(), 32 * known.len());
        for ((line, bytes), (position, score, outcome)) in
            text.lines().zip(bullet.as_chunks::<32>().0).zip(known)
        {
            let board: ChessBoard = line.parse().unwrap();
            assert_eq!(BulletFormat::as_bytes_slice(&[board]), bytes, "{line}");
            assert_eq!(i32::from(board.score()), score);
            let own = outcome.winner().map_or(1, |winner| if winner == position.stm() { 2 } else { 0 });
            assert_eq!(board.result_idx(), own);
            assert_eq!(board.into_iter().count() as u32, position.occupied().count());
        }
    }

    #[test]
    fn without_raw_only_positions_for_training_are_written() {
        let (known, ..) = exported(false);
        let kept: u64 =
            sample::games(1_800, 8).iter().map(|game| game.count_kept() + game.count_kept_trees()).sum();
        assert_eq!(known.len() as u64, kept);
        assert!(known.iter().all(|(position, score, _)| !position.in_check() && score.abs() <= 1250));
    }
}
