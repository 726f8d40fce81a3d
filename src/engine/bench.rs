//! The bench: a fixed set of positions searched to a fixed depth on one thread.
//!
//! The total node count is the search signature: the same on every run and machine, and changed by
//! every change of what the search does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{DEFAULT_HASH_MIB, Engine, EngineError, MAX_HASH_MIB, MAX_THREADS, nodes_per_second};
use crate::board::{Game, Position};
use crate::nnue::Network;
use crate::nnue::inference::Kernels;
use crate::search::{Control, SearchJob, SearchLimits, Searcher};
use crate::tt::TranspositionTable;
use crate::types::Depth;

/// Depth of each search, in plies.
pub const DEFAULT_DEPTH: Depth = 13;

/// Depth of the small bench that tests and `quillon selftest` compare with [`SIGNATURE`].
pub const SIGNATURE_DEPTH: Depth = 9;

/// Nodes of the bench at [`SIGNATURE_DEPTH`] with the built-in evaluation.
pub const SIGNATURE: u64 = 294_202;

/// Openings, middlegames and endings from engine games, sorted by number of pieces, then compositions,
/// mates, a stalemate trap and Chess960 positions.
pub const POSITIONS: [&str; 42] = [
    "r1bqk2r/1pp1bppp/p1np1n2/4p3/B3P3/3P1N2/PPP2PPP/RNBQ1RK1 w kq - 0 7",
    "r1bqk2r/ppp1b1pp/2n1p3/3p1pB1/2PPn3/5NP1/PPQ1PPBP/RN2K2R w KQkq - 6 8",
    "rnbqkb1r/ppp1pp1p/1n1pP1p1/3P4/2P4N/8/PP3PPP/RNBQKB1R w KQkq - 0 9",
    "rn2kbnr/pp3pp1/1qp1p1b1/3pP2P/3P3P/2N5/PPPBBP2/R2QK1NR b KQkq - 0 9",
    "rnbq1rk1/pp2ppbp/3p1np1/2P5/4PP2/2NB1N2/PPP3PP/R1BQK2R b KQ - 0 7",
    "r1b1k2r/pp1p1ppp/2n1p3/q1p1P3/2PPn3/P1P2N2/3B1PPP/R2QKB1R b KQkq - 4 9",
    "rnbqk2r/pp2ppbp/3p1np1/8/3NP3/2N3PP/PPP2P2/R1BQKB1R b KQkq - 0 7",
    "r1b2rk1/4n1pp/1p1qp3/2ppNp2/p1PPn3/P3P1P1/1PQN1PBP/2RR2K1 w - - 2 16",
    "r1bqkb1r/pp3ppp/2n2n2/3pp3/3N4/6P1/PPP1PPBP/RNBQ1RK1 w kq - 0 7",
    "r1qr2k1/2p1bppp/p1pp1n2/4p1Bb/2P1P3/2NP1N1P/PP2QPP1/R4RK1 w - - 4 13",
    "r4rk1/1pp1q1bp/n2p2p1/p2Pp2b/2P1Pn2/P1N1BP1B/1PQ5/2KR2NR w - - 3 16",
    "rnbqk2r/ppp1bp1p/8/3n2p1/2PP1p2/5N1P/PP2Q1P1/RNB1KB1R b KQkq - 0 8",
    "1r1qk2r/1bp2pp1/ppnp1n1p/8/2P1PpP1/2PP3P/P3N1B1/R1BQ1RK1 w k - 0 13",
    "r4rk1/pp2ppbp/2n2np1/q4bN1/2BP4/2N1B2P/PP2QPP1/R4RK1 w - - 13 14",
    "r1b1k2r/pp2ppbp/2n2np1/q7/2BP4/2N1B2P/PP3PP1/R2QK1NR w KQkq - 5 10",
    "r2qkb1r/3n1ppp/p2Pp3/1p1bP3/2p2B2/5N2/PPB2PPP/R2Q1RK1 w kq - 2 15",
    "1r1qk2r/p2bbppp/5n2/3p2B1/4p3/1QN3P1/PP2PPBP/R4RK1 w k - 4 14",
    "r3k2r/p2p1ppp/bpn1p3/q3P3/2PP3P/P4N2/3Q1PP1/R3KB1R w KQkq - 1 13",
    "r2q1rk1/pb1npp1p/1p1p2p1/8/3QPP2/2N3PP/PPP3B1/R4RK1 w - - 1 14",
    "r2k1br1/3n1p2/p2P3p/1p1pP2N/2p2Pqp/6B1/PPB3P1/R3R1K1 w - - 4 26",
    "2r3k1/6pp/q3p3/1b1nNp2/1P1P4/p1p1P1P1/5P1P/1RR1Q1K1 w - - 0 29",
    "4rrk1/ppp2p2/1n6/3P1qp1/2P2p2/P1N5/1P1R1QP1/K6R w - - 0 23",
    "5rk1/1p5p/n1ppq1p1/p3p1b1/2P1P2R/P3B2Q/1P6/1K1R4 b - - 1 27",
    "3n2rk/6pn/p2p1p1p/2p2P1B/P2PrB1P/5R2/7K/2R5 w - - 0 38",
    "2r3k1/pp4pp/3P1n2/4pb2/7P/5N2/P2B1PP1/2R3K1 w - - 1 29",
    "3r1k2/p6p/5pp1/1r1p4/5P2/1P3BPP/P1PR4/6K1 b - - 3 24",
    "6k1/6pp/4p3/8/1n4p1/1r2P3/p1pK1P1P/R4R2 w - - 4 44",
    "8/2r5/6p1/p4pPp/Pk1p1P1P/1P1B4/2P1K3/8 w - - 4 38",
    "3r4/2R3pk/4Bp1p/p4PnP/5B2/r7/7K/8 w - - 8 54",
    "4b3/1pB3pp/p2Pk3/8/7P/P7/5PPK/8 w - - 4 44",
    "8/1p2B3/p2Pk1p1/8/5K1P/P7/2b2P2/8 w - - 7 51",
    "6k1/6p1/4p3/7p/1n4p1/4P3/4KP1r/8 b - - 1 52",
    "5k2/5p2/1p3R1p/8/8/4P1P1/r2r4/6K1 b - - 17 55",
    "4k3/5p2/8/p1r2p2/R7/8/8/6K1 w - - 0 40",
    "k7/P7/5p2/P7/8/2K5/8/5n2 w - - 0 54",
    "8/1p6/7p/1p6/5k1p/2K5/8/8 b - - 1 52",
    "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 92 80",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "kr6/p1p5/8/8/8/8/5Q2/6K1 w - - 0 1",
];

/// How a bench is run. Only with the default hash and one thread is the number of nodes the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchOptions {
    /// Depth of each search, in plies.
    pub depth: Depth,
    /// Size of the table in MiB.
    pub hash_mib: usize,
    /// Search threads.
    pub threads: usize,
}

impl BenchOptions {
    /// The bench to this depth, with the default table and one thread.
    pub const fn to_depth(depth: Depth) -> BenchOptions {
        BenchOptions { depth, hash_mib: DEFAULT_HASH_MIB, threads: 1 }
    }

    /// Options by up to three numbers: the depth alone, or hash, threads and depth. Those that are too small or too large
    /// count as the nearest that will do.
    pub fn from_numbers(numbers: &[i64]) -> BenchOptions {
        let depth = |number: i64| number.clamp(1, 1000) as Depth;
        let up_to = |number: i64, most: usize| number.clamp(1, most as i64) as usize;
        match *numbers {
            [] => BenchOptions::to_depth(DEFAULT_DEPTH),
            [number] => BenchOptions::to_depth(depth(number)),
            [hash, threads, ref rest @ ..] => BenchOptions {
                depth: rest.first().map_or(DEFAULT_DEPTH, |&number| depth(number)),
                hash_mib: up_to(hash, MAX_HASH_MIB),
                threads: up_to(threads, MAX_THREADS),
            },
        }
    }
}

/// Result of a bench run.
#[derive(Clone, Copy, Debug)]
pub struct BenchReport {
    /// The signature.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

impl BenchReport {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        nodes_per_second(self.nodes, self.time)
    }
}

/// Searches all positions to `depth` with a network computed by `kernels`; `progress` receives the number of each
/// position, from 1, and its nodes.
///
/// # Errors
/// When there is no memory for the table.
pub fn run(
    depth: Depth,
    network: Arc<Network>,
    kernels: Kernels,
    progress: impl FnMut(usize, u64),
) -> Result<BenchReport, EngineError> {
    run_until(&Arc::new(Control::new(1, false)), BenchOptions::to_depth(depth), network, kernels, progress)
}

/// The same with other options under a control that can stop it. The report of a stopped bench covers the positions
/// searched. Several threads compute with the best kernels.
///
/// # Errors
/// When memory or a thread is refused.
pub fn run_until(
    control: &Arc<Control>,
    options: BenchOptions,
    network: Arc<Network>,
    kernels: Kernels,
    mut progress: impl FnMut(usize, u64),
) -> Result<BenchReport, EngineError> {
    if options.threads > 1 {
        return run_threads(control, options, network, progress);
    }
    let tt = Arc::new(TranspositionTable::new(options.hash_mib)?);
    let mut searcher = Searcher::new(0);
    let mut report = BenchReport { nodes: 0, time: Duration::ZERO };
    for (number, fen) in POSITIONS.iter().enumerate() {
        // Every position starts with empty tables, so the order does not matter.
        tt.clear(1);
        searcher.new_game();
        // A test checks that all of them are valid.
        let Ok(position) = fen.parse::<Position>() else { continue };
        let limits = SearchLimits { depth: Some(options.depth), ..SearchLimits::default() };
        let mut job = SearchJob::silent(Game::new(position), limits, Arc::clone(&tt))
            .with_network(Arc::clone(&network))
            .with_kernels(kernels);
        job.control = Arc::clone(control);
        let start = Instant::now();
        let nodes = searcher.search(&job).nodes;
        report.time += start.elapsed();
        report.nodes += nodes;
        if control.is_stopped() {
            break;
        }
        progress(number + 1, nodes);
    }
    Ok(report)
}

/// The bench by an engine with several threads.
fn run_threads(
    control: &Control,
    options: BenchOptions,
    network: Arc<Network>,
    mut progress: impl FnMut(usize, u64),
) -> Result<BenchReport, EngineError> {
    let mut engine = Engine::new()?;
    engine.set_hash(options.hash_mib)?;
    engine.set_threads(options.threads)?;
    engine.set_network(network);
    let mut report = BenchReport { nodes: 0, time: Duration::ZERO };
    for (number, fen) in POSITIONS.iter().enumerate() {
        engine.new_game();
        if let Some(wait) = engine.readiness() {
            wait();
        }
        let Ok(position) = fen.parse::<Position>() else { continue };
        engine.set_game(Game::new(position));
        let limits = SearchLimits { depth: Some(options.depth), ..SearchLimits::default() };
        let start = Instant::now();
        let Some(result) = engine.search_until(limits, || control.is_stopped()) else { break };
        report.time += start.elapsed();
        report.nodes += result.nodes;
        if control.is_stopped() {
            break;
        }
        progress(number + 1, result.nodes);
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_is_the_depth() {
        let options = |depth, hash_mib, threads| BenchOptions { depth, hash_mib, threads };
        for (numbers, expected) in [
            (&[][..], options(DEFAULT_DEPTH, DEFAULT_HASH_MIB, 1)),
            (&[6], options(6, DEFAULT_HASH_MIB, 1)),
            (&[32, 2], options(DEFAULT_DEPTH, 32, 2)),
            (&[0, 99_999, -3], options(1, 1, MAX_THREADS)),
        ] {
            assert_eq!(BenchOptions::from_numbers(numbers), expected);
        }
    }

    #[test]
    fn several_threads_search_every_position() {
        let (control, mut seen) = (Arc::new(Control::new(1, false)), 0);
        let options = BenchOptions { depth: 3, hash_mib: 1, threads: 2 };
        let network = crate::nnue::built_in();
        let report = run_until(&control, options, network, Kernels::best(), |_, _| seen += 1).unwrap();
        assert!(seen == POSITIONS.len() && report.nodes > 1000, "{report:?}");
    }

    #[test]
    fn positions_are_valid_and_distinct() {
        let keys: std::collections::HashSet<u64> =
            POSITIONS.iter().map(|fen| fen.parse::<Position>().expect(fen).key()).collect();
        assert_eq!(keys.len(), POSITIONS.len());
    }
}
