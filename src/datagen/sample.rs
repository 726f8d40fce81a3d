//! Random games for tests.

use super::header::DataHeader;
use super::record::{GameRecord, Outcome, ScoredMove};
use crate::board::{Game, Position};
use crate::types::Score;

/// Rich in castling, promotions and en passant captures; the last two are Chess960 and bare.
const STARTS: [&str; 6] = [
    crate::board::START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/2p1p1p1/8/1P1P1P2/1p1p1p2/8/2P1P1P1/4K3 w - - 3 40",
    "1r2kr2/pppppppp/8/8/8/8/PPPPPPPP/1R2KR2 w BFbf - 0 1",
    "8/8/4k3/8/8/4K3/8/R7 w - - 0 1",
];

/// A game of random moves with random scores.
pub(crate) fn game(rng: &mut fastrand::Rng) -> GameRecord {
    let start: Position = STARTS[rng.usize(..STARTS.len())].parse().expect("a valid FEN");
    let mut game = Game::new(start);
    let (mut opening, mut moves) = (Vec::new(), Vec::new());
    let (opening_plies, plies) = (rng.usize(0..20), rng.usize(0..150));
    while opening.len() + moves.len() < plies && game.outcome().is_none() {
        let mv = *rng.choice(&game.position().legal_moves()).expect("the game is not over");
        game.play(mv);
        if opening.len() < opening_plies {
            opening.push(mv);
        } else {
            let reach = [10, 1000, Score::INFINITE.0][rng.usize(..3)];
            moves.push(ScoredMove { mv, score: Score(rng.i32(-reach..=reach)) });
        }
    }
    GameRecord { start, opening, moves, outcome: Outcome::ALL[rng.usize(..3)] }
}

/// So many random games.
pub(crate) fn games(count: usize, seed: u64) -> Vec<GameRecord> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| game(&mut rng)).collect()
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
