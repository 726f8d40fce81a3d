//! Random games for tests.

use super::file::DataHeader;
use super::record::{GameRecord, Outcome, ScoredMove, TreePosition};
use crate::board::{Game, Position};
use crate::types::{Score, SplitMix64};

/// Rich in castling, promotions and en passant captures; the last two are Chess960 and bare.
const STARTS: [&str; 6] = [
    crate::board::START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/2p1p1p1/8/1P1P1P2/1p1p1p2/8/2P1P1P1/4K3 w - - 3 40",
    "1r2kr2/pppppppp/8/8/8/8/PPPPPPPP/1R2KR2 w BFbf - 0 1",
    "8/8/4k3/8/8/4K3/8/R7 w - - 0 1",
];

/// A game of random moves with random scores. Every other one has positions out of search trees.
pub(crate) fn game(random: &mut SplitMix64) -> GameRecord {
    let start: Position = STARTS[random.below(STARTS.len())].parse().expect("a valid FEN");
    let mut game = Game::new(start);
    let (mut opening, mut moves) = (Vec::new(), Vec::new());
    let (opening_plies, plies) = (random.below(20), random.below(150));
    let (has_trees, mut trees) = (random.below(2) == 0, Vec::new());
    while opening.len() + moves.len() < plies && game.outcome().is_none() {
        let mv = *random.choose(&game.position().legal_moves()).expect("the game is not over");
        if opening.len() < opening_plies {
            opening.push(mv);
        } else {
            while has_trees && random.below(3) == 0 {
                trees.push(tree(random, *game.position(), moves.len()));
            }
            moves.push(ScoredMove { mv, score: score(random) });
        }
        game.play(mv);
    }
    GameRecord { start, opening, moves, outcome: Outcome::ALL[random.below(3)], trees }
}

fn score(random: &mut SplitMix64) -> Score {
    let reach = [10, 1000, Score::INFINITE.0][random.below(3)];
    Score(random.signed(reach.into()) as i32)
}

/// Some moves on from a position that has one.
fn tree(random: &mut SplitMix64, mut position: Position, after: usize) -> TreePosition {
    let (plies, mut path) = (1 + random.below(12), Vec::new());
    while path.len() < plies
        && let Some(&mv) = random.choose(&position.legal_moves())
    {
        path.push(mv);
        position.make(mv);
    }
    TreePosition { after, path, score: score(random) }
}

/// So many random games.
pub(crate) fn games(count: usize, seed: u64) -> Vec<GameRecord> {
    let mut random = SplitMix64::from_state(seed);
    (0..count).map(|_| game(&mut random)).collect()
}

/// A header as self-play writes it.
pub(crate) fn header() -> DataHeader {
    DataHeader {
        engine: "Quillon 0.0.0".to_owned(),
        evaluation: "none".to_owned(),
        command: "test".to_owned(),
        seed: Some(7),
    }
}
