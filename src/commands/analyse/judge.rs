//! What the engine thinks of the moves of a game: every position is searched, from the last one to the first, so that
//! the table already holds what comes later. A move is judged by the expected points (chance to win plus half the
//! chance to draw) that it gives away.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::board::{Game, Outcome};
use crate::engine::Engine;
use crate::eval::{Chances, WdlModel};
use crate::search::SearchLimits;
use crate::types::{Color, Depth, Move, Score};
use crate::uci::format;

/// Centipawn losses are counted between scores no further from 0 than this, as chess sites do.
const DECIDED: i32 = 1000;

/// The searches that confirm a mark get so many times the nodes or the time, or so many plies more.
const CONFIRM: u32 = 8;
const CONFIRM_PLIES: Depth = 4;

/// How bad a move is, by the expected points lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mark {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Mark {
    /// All marks, with the loss from which on each is given. In an even middlegame these are about 0.5, 1 and 1.5
    /// pawns.
    pub(super) const ALL: [(Mark, f64); 3] =
        [(Mark::Inaccuracy, 0.1), (Mark::Mistake, 0.2), (Mark::Blunder, 0.3)];

    /// The mark for this loss of expected points.
    fn of(loss: f64) -> Option<Mark> {
        // Chances are in permille: a hair below the limit is rounding.
        Mark::ALL.into_iter().rev().find(|&(_, from)| loss > from - 1e-9).map(|(mark, _)| mark)
    }

    /// The numeric annotation glyph.
    pub(super) fn glyph(self) -> u8 {
        match self {
            Mark::Inaccuracy => 6,
            Mark::Mistake => 2,
            Mark::Blunder => 4,
        }
    }

    /// The word for a comment.
    pub(super) fn word(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "Inaccuracy",
            Mark::Mistake => "Mistake",
            Mark::Blunder => "Blunder",
        }
    }
}

/// What is thought of a move.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    /// The side that moved.
    pub(super) side: Color,
    /// The score after the move from White's side in pawns, or `#3`; `None` when the move mates.
    pub(super) score: Option<String>,
    /// Expected points lost, 0 to 1.
    pub(super) loss: f64,
    /// Centipawns lost, 0 to 2000.
    pub(super) centipawns: i32,
    /// How bad the move is.
    pub(super) mark: Option<Mark>,
    /// A better line, where the move has a mark.
    pub(super) better: Vec<Move>,
}

/// What a position is worth for the side to move.
#[derive(Clone, Debug)]
struct Worth {
    score: Score,
    /// The score in centipawns, at most [`DECIDED`] from 0.
    centipawns: i32,
    expected: f64,
    /// The best line; empty where the game has ended.
    line: Vec<Move>,
}

impl Worth {
    fn new(game: &Game, score: Score, is_drawn: bool, line: Vec<Move>) -> Worth {
        let material = WdlModel::material(game.position());
        let chances = match is_drawn {
            true => Chances::DRAWN,
            false => WdlModel::FITTED.chances(score, material),
        };
        let centipawns = WdlModel::FITTED.reported(score, material).clamp(-DECIDED, DECIDED);
        let expected = (f64::from(chances.win) + f64::from(chances.draw) / 2.0) / 1000.0;
        Worth { score, centipawns, expected, line }
    }

    /// The worth of a position in which the game has ended.
    fn of_end(game: &Game, outcome: Outcome) -> Worth {
        match outcome {
            Outcome::Checkmate(_) => Worth::new(game, Score::mated_in(0), false, Vec::new()),
            Outcome::Draw(_) => Worth::new(game, Score::DRAW, true, Vec::new()),
        }
    }
}

/// The game after these moves. To play a game again for each of its moves is little beside the searches; to keep all its
/// games would take memory that grows with the square of its length.
fn played(start: &Game, moves: &[Move]) -> Game {
    let mut game = start.clone();
    moves.iter().for_each(|&mv| game.play(mv));
    game
}

/// An engine that judges games.
pub(super) struct Analyst<'a> {
    engine: Engine,
    limits: SearchLimits,
    /// The limits of the searches that confirm a mark.
    longer: SearchLimits,
    stop: &'a AtomicBool,
}

impl<'a> Analyst<'a> {
    /// An analyst who gives each position this much, until `stop` is set.
    pub(super) fn new(engine: Engine, limits: SearchLimits, stop: &'a AtomicBool) -> Analyst<'a> {
        let longer = SearchLimits {
            depth: limits.depth.map(|depth| depth + CONFIRM_PLIES),
            nodes: limits.nodes.map(|nodes| nodes.saturating_mul(CONFIRM.into())),
            move_time: limits.move_time.map(|time| time * CONFIRM),
            ..limits.clone()
        };
        Analyst { engine, limits, longer, stop }
    }

    /// Judges the moves of a game; `step` is called after each. `None` when it was stopped.
    pub(super) fn judge(&mut self, start: &Game, moves: &[Move], step: impl Fn()) -> Option<Vec<Judgement>> {
        self.engine.new_game();
        if let Some(wait) = self.engine.readiness() {
            wait();
        }
        let mut judgements = Vec::with_capacity(moves.len());
        // Where a draw could be claimed the game may have gone on: the position is worth a draw to the one who moved
        // into it, and what the search says to the one who moves on.
        let mut next: Option<Worth> = None;
        for (ply, &mv) in moves.iter().enumerate().rev() {
            let game = played(start, &moves[..ply]);
            let after = played(&game, &[mv]);
            let searched = match next.take() {
                Some(worth) => worth,
                None if after.outcome().is_some() => Worth::new(&after, Score::DRAW, true, Vec::new()),
                None => self.search(&after)?,
            };
            let reached = after.outcome().map_or(searched, |outcome| Worth::of_end(&after, outcome));
            let best = self.search(&game)?;
            judgements.push(self.compare(&game, mv, &best, &reached)?);
            next = Some(best);
            step();
        }
        judgements.reverse();
        Some(judgements)
    }

    /// Judges a move by what its position was worth and what the one is worth to which it led.
    fn compare(&mut self, game: &Game, mv: Move, best: &Worth, reached: &Worth) -> Option<Judgement> {
        let side = game.position().stm();
        let of_white = |score: Score| if side == Color::White { -score } else { score };
        let material = WdlModel::material(&game.position().after(mv));
        let is_mate = reached.score == Score::mated_in(0);
        let mut judgement = Judgement {
            side,
            score: (!is_mate).then(|| format::pawns(of_white(reached.score), material)),
            loss: 0.0,
            centipawns: 0,
            mark: None,
            better: Vec::new(),
        };
        if best.line.first() == Some(&mv) || game.position().legal_moves().len() == 1 {
            return Some(judgement);
        }
        judgement.loss = (best.expected - (1.0 - reached.expected)).max(0.0);
        judgement.centipawns = (best.centipawns + reached.centipawns).max(0);
        // The two scores come from short searches of different positions. Before a move is blamed, it and the better one
        // are played and searched for longer.
        if Mark::of(judgement.loss).is_some()
            && let Some(&better) = best.line.first()
        {
            let [better, played] = [better, mv].map(|mv| self.confirm(game, mv));
            let (better, played) = (better?, played?);
            judgement.loss = judgement.loss.min(played.expected - better.expected).max(0.0);
            judgement.centipawns = judgement.centipawns.min(played.centipawns - better.centipawns).max(0);
            judgement.mark = Mark::of(judgement.loss);
        }
        if judgement.mark.is_some() {
            judgement.better.clone_from(&best.line);
        }
        Some(judgement)
    }

    /// Searches the position after a move for longer; `None` when it was stopped.
    fn confirm(&mut self, game: &Game, mv: Move) -> Option<Worth> {
        let after = played(game, &[mv]);
        match after.outcome() {
            Some(outcome) => Some(Worth::of_end(&after, outcome)),
            None => self.search_within(&after, self.longer.clone()),
        }
    }

    /// Searches a position; `None` when it was stopped.
    fn search(&mut self, game: &Game) -> Option<Worth> {
        self.search_within(game, self.limits.clone())
    }

    fn search_within(&mut self, game: &Game, limits: SearchLimits) -> Option<Worth> {
        self.engine.set_game(game.clone());
        let result = self.engine.search_until(limits, || self.stop.load(Relaxed))?;
        if self.stop.load(Relaxed) {
            return None;
        }
        let line = result.lines.into_iter().next();
        Some(match line {
            Some(line) => Worth::new(game, line.score, line.is_drawn, line.pv),
            None => Worth::new(game, Score::DRAW, true, Vec::new()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{format_san, parse_san};

    #[test]
    fn marks_follow_the_loss() {
        assert_eq!(Mark::of(0.099), None);
        assert_eq!(
            [0.1, 0.2, 0.3, 0.9].map(|loss| Mark::of(loss).map(Mark::glyph)),
            [Some(6), Some(2), Some(4), Some(4)]
        );
    }

    #[test]
    fn a_blunder_is_found_with_the_better_move() {
        let stop = AtomicBool::new(false);
        let limits = SearchLimits { nodes: Some(5000), ..SearchLimits::default() };
        let mut analyst = Analyst::new(Engine::new().unwrap(), limits, &stop);
        // The fool's mate: 2. g4 allows it, 1. f3 does not lose yet.
        let (start, mut game, mut moves) = (Game::default(), Game::default(), Vec::new());
        for san in ["f3", "e5", "g4", "Qh4"] {
            let mv = parse_san(game.position(), san).unwrap();
            game.play(mv);
            moves.push(mv);
        }
        let judged = analyst.judge(&start, &moves, || {}).unwrap();
        let marks: Vec<_> = judged.iter().map(|judgement| judgement.mark).collect();
        assert_eq!(marks[1..], [None, Some(Mark::Blunder), None], "{judged:?}");
        assert_eq!((judged[2].score.as_deref(), judged[3].score.as_deref()), (Some("#-1"), None));
        let before = start.position().after(moves[0]).after(moves[1]);
        assert!(judged[2].better.len() > 2 && !format_san(&before, judged[2].better[0]).is_empty());
        assert!(judged[2].loss > 0.3 && judged[3].loss == 0.0, "{judged:?}");
        stop.store(true, Relaxed);
        assert!(analyst.judge(&start, &moves, || {}).is_none());
    }
}
