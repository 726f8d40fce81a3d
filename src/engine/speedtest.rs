//! The speed test: nodes per second over the positions of games, as in play: with a table and histories that are kept
//! from move to move, and with as many threads as wanted. After Stockfish 17's command of the same name.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use super::{Engine, EngineError, MAX_HASH_MIB, MAX_THREADS, nodes_per_second};
use crate::board::Game;
use crate::nnue::Network;
use crate::notation::parse_uci;
use crate::search::{Control, SearchLimits};

/// Moves of games of this engine against itself.
const GAMES: [&str; 2] = [
    "e2e4 e7e6 d2d4 d7d5 b1c3 g8f6 c1g5 d5e4 c3e4 f8e7 g5f6 g7f6 g1f3 a7a6 g2g3 b7b5 d1e2 c8b7 f1g2 f6f5 e4d2 \
     c7c5 d4c5 e7c5 e1g1 d8b6 a2a4 b8c6 a4b5 b6b5 e2b5 a6b5 a1a8 b7a8 c2c3 e8e7 f1a1 b5b4 d2b3 c5b6 f3e1 b4c3 \
     b2c3 h8b8 e1d3 b6c7 b3c5 c7b6 c5b3 b6c7 b3d4 c6d4 c3d4 a8e4 g2e4 f5e4 d3c5 c7b6 c5e4 b6d4 a1a4 e6e5 a4a6 \
     b8b2 a6h6 b2e2 h6h4 f7f5 h4h7 e7e6 e4g5 e6d5 g5h3 d5e6 h7h6 e6e7 h6h5 e7f6 h5h6 f6e7 h6a6 e2d2 g1f1 d2d1 \
     f1g2 d1d2 a6a3 e5e4 g2f1 d2d1 f1e2 d1h1 a3a4 d4e5 a4a7 e7f6 a7a6 f6e7 h3g5 e5c3 e2e3 h1h2 a6e6 e7d7 e6g6 \
     c3b4 f2f3 b4d2 e3d4 d2g5 g6g5 h2d2 d4e5 e4e3 g5g7 d7d8 g7g8 d8e7 g8g7 e7f8",
    "g1f3 g8f6 c2c4 e7e6 b1c3 f8b4 e2e3 e8g8 f1e2 b4c3 b2c3 d7d6 e1g1 e6e5 f3e1 b8d7 d1c2 b7b6 f2f3 f8e8 a2a4 \
     a7a5 e3e4 c8a6 d2d3 d7c5 g1h1 h7h6 g2g3 a6c8 e1g2 c8h3 f1d1 d8d7 g2e3 d7d8 d3d4 c5b7 a1b1 f6h7 c4c5 h3d7 \
     c5b6 c7b6 e3c4 d7c6 c4b6 a8b8 c1e3 e8e7 e2a6 h7g5 c2f2 g5e4 f3e4 e5d4 c3d4 c6e4 h1g1 e4b1 d1b1 d6d5 b1b2 \
     e7e6 e3f4 b7d6 b6d5 b8b2 f2b2 d8a8 f4d6 a8a6 b2b8 g8h7 b8b1 g7g6 d6e5 a6c4 b1f1 c4f1 g1f1 e6c6 f1e2 c6c4 \
     d5f6 h7g7 f6d7 g7g8 d7c5 g8f8 e2d3 c4c1 e5c7 f8e7 c7a5 e7d6 a5d2 c1a1 d3c4 a1a2 d2f4 d6c6 d4d5 c6b6 c5d7 \
     b6b7 d5d6 g6g5 d7c5 b7c8 d6d7 c8d8 f4e5 a2d2 a4a5 d2c2 c4d5 c2c5 d5c5 f7f6",
];

/// Longest test, in seconds.
const MAX_SECONDS: u64 = 86_400;

/// MiB of hash table for each thread, where no size is given.
const HASH_PER_THREAD: usize = 64;

/// How a speed test is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeedOptions {
    /// Search threads.
    pub threads: usize,
    /// Size of the table in MiB.
    pub hash_mib: usize,
    /// Seconds that the searches take together.
    pub seconds: u64,
}

impl SpeedOptions {
    /// Options by up to three numbers: threads (all of the machine's), MiB (64 for each thread), seconds (30). Those that
    /// are too small or too large count as the nearest that will do.
    pub fn from_numbers(numbers: &[i64]) -> SpeedOptions {
        let number =
            |index: usize, most: usize| numbers.get(index).map(|&n| n.clamp(1, most as i64) as usize);
        let machine = || available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let threads = number(0, MAX_THREADS).unwrap_or_else(machine);
        SpeedOptions {
            threads,
            hash_mib: number(1, MAX_HASH_MIB).unwrap_or(HASH_PER_THREAD * threads),
            seconds: number(2, MAX_SECONDS as usize).unwrap_or(30) as u64,
        }
    }
}

/// Result of a speed test.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpeedReport {
    /// Positions searched.
    pub positions: usize,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
    /// Sum of the depths reached.
    depths: u64,
}

impl SpeedReport {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        nodes_per_second(self.nodes, self.time)
    }

    /// Mean depth reached, in plies.
    pub fn mean_depth(&self) -> f64 {
        self.depths as f64 / self.positions.max(1) as f64
    }
}

/// The positions of a game, each with its share of the time: players think longest after the opening, and less and
/// less towards the end.
fn positions(moves: &str) -> Vec<(Game, f64)> {
    let mut game = Game::default();
    let mut positions = Vec::new();
    for (ply, text) in moves.split_whitespace().enumerate() {
        // A test checks that all of them are legal.
        let Ok(mv) = parse_uci(game.position(), text) else { break };
        positions.push((game.clone(), 1.0 / (ply + 15) as f64));
        game.play(mv);
    }
    positions
}

/// Searches position after position until `control` is stopped. `progress` gets the number of positions searched and of
/// all, and the nodes so far.
///
/// # Errors
/// When memory or a thread is refused.
pub fn run(
    control: &Control,
    options: SpeedOptions,
    network: &Arc<Network>,
    mut progress: impl FnMut(usize, usize, u64),
) -> Result<SpeedReport, EngineError> {
    let mut engine = Engine::new()?;
    engine.set_hash(options.hash_mib)?;
    engine.set_threads(options.threads)?;
    engine.set_network(Arc::clone(network));
    let games = GAMES.map(positions);
    let total = games.iter().map(Vec::len).sum();
    let share: f64 = games.iter().flatten().map(|(_, share)| share).sum();
    let mut report = SpeedReport::default();
    for game in games {
        engine.new_game();
        if let Some(wait) = engine.readiness() {
            wait();
        }
        for (position, part) in game {
            engine.set_game(position);
            search(&mut engine, options.seconds as f64 * part / share, control, &mut report);
            if control.is_stopped() {
                return Ok(report);
            }
            progress(report.positions, total, report.nodes);
        }
    }
    Ok(report)
}

/// Searches the engine's position for so many seconds and adds what was done to the report.
fn search(engine: &mut Engine, seconds: f64, control: &Control, report: &mut SpeedReport) {
    let move_time = Duration::from_secs_f64(seconds.max(0.001));
    let limits = SearchLimits { move_time: Some(move_time), ..SearchLimits::default() };
    let start = Instant::now();
    if let Some(result) = engine.search_until(limits, || control.is_stopped()) {
        report.time += start.elapsed();
        report.nodes += result.nodes;
        report.depths += u64::try_from(result.depth).unwrap_or(0);
        report.positions += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::built_in;

    #[test]
    fn games_are_legal() {
        assert_eq!(GAMES.map(|moves| positions(moves).len()), [120; 2]);
    }

    #[test]
    fn numbers_are_options() {
        let options = SpeedOptions::from_numbers(&[3, 0, 100_000]);
        assert_eq!(options, SpeedOptions { threads: 3, hash_mib: 1, seconds: MAX_SECONDS });
        assert_eq!(SpeedOptions::from_numbers(&[2]), SpeedOptions { threads: 2, hash_mib: 128, seconds: 30 });
        assert!(SpeedOptions::from_numbers(&[]).threads >= 1);
    }

    #[test]
    fn every_position_is_searched() {
        let (control, mut last) = (Control::new(1, false), (0, 0, 0));
        let options = SpeedOptions { threads: 2, hash_mib: 1, seconds: 1 };
        let report = run(&control, options, &built_in(), |at, of, nodes| last = (at, of, nodes)).unwrap();
        assert_eq!((last, report.positions), ((240, 240, report.nodes), 240));
        assert!(report.nps() > 0 && report.mean_depth() >= 1.0, "{report:?}");
        control.stop();
        assert!(run(&control, options, &built_in(), |_, _, _| {}).unwrap().positions <= 1);
    }
}
