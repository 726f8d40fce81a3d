//! One game of self-play, and when it is over.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::codec::MAX_TREES;
use super::openings::{Opening, Openings};
use super::player::{self, MOST_TREE_POSITIONS, Player, Thinking};
use super::record::{GameRecord, Outcome, ScoredMove, TreePosition};
use crate::board::{self, Position};
use crate::tt::AllocationError;
use crate::types::{Color, Move, Score, SplitMix64};

/// Openings that a quick look finds more one-sided than this, in internal units, are thrown away.
const MAX_OPENING_SCORE: i32 = 200;
/// Openings that are tried for a game. With the initial position a few are enough.
const MAX_ATTEMPTS: usize = 1000;

/// A side that is ahead by this many units for so many plies in a row has won. Results of the engine's own games
/// follow 1 / (1 + exp(-score / scale)) with a scale of 134 to 166, so that this is an expected result of 0.99
/// or more.
const WIN_SCORE: i32 = 800;
const WIN_PLIES: u32 = 5;

/// A game in which neither side is ahead by more units for so many plies in a row is drawn, from a certain ply on.
const DRAW_SCORE: i32 = 8;
const DRAW_PLIES: u32 = 10;
const DRAW_FROM_PLY: usize = 70;

/// A game that takes longer is drawn.
const MAX_PLIES: usize = 600;
const _: () = assert!(MOST_TREE_POSITIONS * MAX_PLIES <= MAX_TREES);

/// The rules above and the player's in a few words, for the header of a file: games under other rules do not
/// belong into it.
pub(crate) fn rules() -> String {
    format!(
        "opening {MAX_OPENING_SCORE}, win {WIN_SCORE}x{WIN_PLIES}, draw {DRAW_SCORE}x{DRAW_PLIES} from {DRAW_FROM_PLY}, end {MAX_PLIES}, {}",
        player::limits()
    )
}

/// What decides which games are played, besides the engine itself.
pub(crate) struct SelfPlay {
    pub(crate) openings: Openings,
    pub(crate) seed: u64,
}

/// No balanced opening was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no opening within {MAX_OPENING_SCORE} units in {MAX_ATTEMPTS} attempts")]
pub struct NoOpening;

impl SelfPlay {
    /// Plays the game of this number, which depends on nothing else; `None` when it was abandoned.
    pub(super) fn play(
        &self,
        number: u64,
        player: &mut Player,
        abandon: &AtomicBool,
    ) -> Result<Option<GameRecord>, NoOpening> {
        let opening = self.open(number, player, abandon)?;
        Ok(opening.and_then(|opening| finish(opening, player, abandon)))
    }

    /// The opening of the game of this number, balanced by the player's judgement, which the game begins with;
    /// `None` when it was abandoned.
    fn open(
        &self,
        number: u64,
        player: &mut Player,
        abandon: &AtomicBool,
    ) -> Result<Option<Opening>, NoOpening> {
        let seed = SplitMix64::new(self.seed, number).next();
        let mut random = SplitMix64::from_state(seed);
        player.new_game(seed);
        let is_balanced = |player: &mut Player, opening: &Opening| {
            player.judge(&opening.game).is_some_and(|score| score.0.abs() <= MAX_OPENING_SCORE)
        };
        for _ in 0..MAX_ATTEMPTS {
            if abandon.load(Relaxed) {
                return Ok(None);
            }
            match self.openings.draw(&mut random) {
                Some(opening) if is_balanced(player, &opening) => return Ok(Some(opening)),
                _ => {}
            }
        }
        Err(NoOpening)
    }
}

/// The openings of all games of self-play, in the order of their numbers.
pub(crate) struct OpeningSearch<'a> {
    self_play: &'a SelfPlay,
    player: Player,
    /// Number of the next game.
    number: u64,
    stop: &'a AtomicBool,
}

impl OpeningSearch<'_> {
    /// A search from the first game on, until the flag is set.
    pub(crate) fn new<'a>(
        self_play: &'a SelfPlay,
        thinking: &Thinking,
        stop: &'a AtomicBool,
    ) -> Result<OpeningSearch<'a>, AllocationError> {
        Ok(OpeningSearch { self_play, player: Player::new(thinking)?, number: 0, stop })
    }

    /// The position in which the next game begins to be searched; `None` when the search was stopped.
    pub(crate) fn next(&mut self) -> Result<Option<Position>, NoOpening> {
        let opening = self.self_play.open(self.number, &mut self.player, self.stop)?;
        self.number += 1;
        Ok(opening.map(|opening| *opening.game.position()))
    }
}

/// Plays from the opening to the end.
fn finish(opening: Opening, player: &mut Player, abandon: &AtomicBool) -> Option<GameRecord> {
    let Opening { start, moves: opening, mut game } = opening;
    let mut moves: Vec<ScoredMove> = Vec::new();
    // With the keys of their positions.
    let mut trees: Vec<(u64, TreePosition)> = Vec::new();
    let mut umpire = Umpire::default();
    loop {
        let ply = opening.len() + moves.len();
        let by_rule = game.outcome().map(|outcome| match outcome {
            board::Outcome::Checkmate(winner) => Outcome::win_for(winner),
            board::Outcome::Draw(_) => Outcome::Draw,
        });
        if let Some(outcome) = by_rule.or((ply >= MAX_PLIES).then_some(Outcome::Draw)) {
            return Some(record(start, opening, moves, outcome, trees));
        }
        if abandon.load(Relaxed) {
            return None;
        }
        let mover = game.position().stm();
        // The game is not over, so there is a move.
        let chosen = player.choose(&game, ply)?;
        player.label_tree(ply, moves.len(), |position, tree| trees.push((position.key(), tree)));
        game.play(chosen.mv);
        moves.push(chosen);
        if let Some(outcome) = umpire.judge(mover, chosen.score, ply) {
            return Some(record(start, opening, moves, outcome, trees));
        }
    }
}

/// The record of a game, which leaves out the positions of trees that the game has come to.
fn record(
    start: Position,
    opening: Vec<Move>,
    moves: Vec<ScoredMove>,
    outcome: Outcome,
    mut trees: Vec<(u64, TreePosition)>,
) -> GameRecord {
    if !trees.is_empty() {
        let mut position = start;
        let mut played = HashSet::from([position.key()]);
        for mv in opening.iter().copied().chain(moves.iter().map(|scored| scored.mv)) {
            position.make(mv);
            played.insert(position.key());
        }
        trees.retain(|(key, _)| !played.contains(key));
    }
    let trees = trees.into_iter().map(|(_, tree)| tree).collect();
    GameRecord { start, opening, moves, outcome, trees }
}

/// Ends games by their scores.
#[derive(Default)]
struct Umpire {
    /// Plies in a row that White, Black is far ahead.
    ahead: [u32; 2],
    /// Plies in a row that nobody is ahead.
    level: u32,
}

impl Umpire {
    /// Takes note of the score of `mover` at a ply of the game, counted from 0.
    fn judge(&mut self, mover: Color, score: Score, ply: usize) -> Option<Outcome> {
        for color in Color::ALL {
            let own = if color == mover { score } else { -score };
            if own.is_win() {
                return Some(Outcome::win_for(color));
            }
            let streak = &mut self.ahead[color.index()];
            *streak = if own.0 >= WIN_SCORE { *streak + 1 } else { 0 };
            if *streak >= WIN_PLIES {
                return Some(Outcome::win_for(color));
            }
        }
        self.level = if score.0.abs() <= DRAW_SCORE { self.level + 1 } else { 0 };
        (self.level >= DRAW_PLIES && ply >= DRAW_FROM_PLY).then_some(Outcome::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::super::player::TreeSettings;
    use super::*;
    use crate::nnue;

    fn quick() -> Thinking {
        Thinking { soft_nodes: 60, network: nnue::built_in(), trees: None }
    }

    /// The ply, counted from `first`, at which these scores (from White's view) end a game in which White
    /// moves at even plies.
    fn ended(first: usize, scores: &[i32]) -> Option<(usize, Outcome)> {
        let mut umpire = Umpire::default();
        scores.iter().enumerate().find_map(|(index, &white)| {
            let ply = first + index;
            let (mover, score) =
                if ply.is_multiple_of(2) { (Color::White, white) } else { (Color::Black, -white) };
            umpire.judge(mover, Score(score), ply).map(|outcome| (index, outcome))
        })
    }

    #[test]
    fn five_plies_far_ahead_win() {
        assert_eq!(ended(20, &[800; 9]), Some((4, Outcome::WhiteWins)));
        assert_eq!(ended(21, &[-800; 9]), Some((4, Outcome::BlackWins)));
        assert_eq!(ended(20, &[800, 900, 1700, 1800, 799, 800, 800, 800, 800]), None);
        assert_eq!(ended(20, &[800, 800, 800, -800, -800, -800, -800]), None);
        assert_eq!(ended(20, &[0, Score::mate_in(7).0]), Some((1, Outcome::WhiteWins)));
        assert_eq!(ended(21, &[0, Score::mated_in(7).0]), Some((1, Outcome::BlackWins)));
    }

    #[test]
    fn ten_level_plies_draw_from_ply_70_on() {
        assert_eq!(ended(70, &[8; 12]), Some((9, Outcome::Draw)));
        assert_eq!(ended(40, &[-8; 60]), Some((30, Outcome::Draw)));
        assert_eq!(ended(70, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0]), None);
    }

    fn self_play(seed: u64) -> SelfPlay {
        SelfPlay { openings: Openings { positions: Vec::new(), chess960_share: 0.3, random_plies: 8 }, seed }
    }

    #[test]
    fn a_game_depends_on_seed_and_number_only() {
        let go_on = AtomicBool::new(false);
        let mut player = Player::new(&quick()).unwrap();
        let mut play = |seed, number| self_play(seed).play(number, &mut player, &go_on).unwrap().unwrap();
        let first = play(1, 0);
        let others = [play(1, 1), play(2, 0), play(0, 1)];
        assert!(others.iter().all(|other| *other != first));
        assert_eq!(play(1, 0), first);
        assert_eq!(
            Player::new(&quick()).map(|mut new| self_play(1).play(0, &mut new, &go_on)).unwrap(),
            Ok(Some(first))
        );
    }

    #[test]
    fn games_end_for_a_reason() {
        let go_on = AtomicBool::new(false);
        let mut player = Player::new(&quick()).unwrap();
        for number in 0..12 {
            let record = self_play(5).play(number, &mut player, &go_on).unwrap().unwrap();
            assert!([8, 9].contains(&record.opening.len()));
            let mut game = board::Game::new(record.start);
            record.opening.iter().for_each(|&mv| game.play(mv));
            let mut umpire = Umpire::default();
            for (index, scored) in record.moves.iter().enumerate() {
                assert_eq!(game.outcome(), None);
                let mover = game.position().stm();
                game.play(scored.mv);
                let verdict = umpire.judge(mover, scored.score, record.opening.len() + index);
                if index + 1 < record.moves.len() {
                    assert_eq!(verdict, None);
                    continue;
                }
                let by_rule = game.outcome().map(|outcome| match outcome {
                    board::Outcome::Checkmate(winner) => Outcome::win_for(winner),
                    board::Outcome::Draw(_) => Outcome::Draw,
                });
                assert_eq!(verdict.or(by_rule), Some(record.outcome));
            }
        }
    }

    #[test]
    fn tree_positions_are_those_of_the_game_and_fit() {
        let go_on = AtomicBool::new(false);
        let trees = Some(TreeSettings { positions: 2, soft_nodes: 80 });
        let mut player = Player::new(&Thinking { trees, ..quick() }).unwrap();
        let mut plain = Player::new(&quick()).unwrap();
        let play = |player: &mut Player, number| self_play(3).play(number, player, &go_on).unwrap().unwrap();
        for number in 0..6 {
            let game = play(&mut player, number);
            // Neither the moves nor their scores depend on what is drawn beside them.
            assert_eq!(GameRecord { trees: Vec::new(), ..game.clone() }, play(&mut plain, number));
            assert!(game.trees.len() > game.moves.len() / 2, "{} of {}", game.trees.len(), game.moves.len());
            assert_eq!(game.count_kept_trees(), game.trees.len() as u64);
            let mut keys = HashSet::new();
            let mut position = game.start;
            for mv in game.opening.iter().copied().chain(game.moves.iter().map(|scored| scored.mv)) {
                keys.insert(position.key());
                position.make(mv);
            }
            game.for_each_kept_tree(|kept| assert!(keys.insert(kept.position.key()), "seen before"));
            assert_eq!(play(&mut player, number), game);
        }
    }

    #[test]
    fn abandoned_and_hopeless_games() {
        let mut player = Player::new(&quick()).unwrap();
        assert_eq!(self_play(1).play(0, &mut player, &AtomicBool::new(true)), Ok(None));
        let won = "4k3/8/8/8/8/8/8/QQQQK3 b - - 0 1".parse().unwrap();
        let openings = Openings { positions: vec![won], chess960_share: 0.0, random_plies: 0 };
        let hopeless = SelfPlay { openings, seed: 1 };
        assert_eq!(hopeless.play(0, &mut player, &AtomicBool::new(false)), Err(NoOpening));
    }
}
