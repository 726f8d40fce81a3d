//! `quillon selftest`: does this program work on this machine?
//!
//! A quick check of everything that differs between machines and builds: instruction sets, memory, threads, and the
//! compiled rules and search. The tests of the project check far more.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::board::{Game, Position, START_FEN};
use crate::console::Output;
use crate::engine::Engine;
use crate::engine::bench::{self, POSITIONS, SIGNATURE, SIGNATURE_DEPTH};
use crate::movegen::{PerftOptions, perft_parallel};
use crate::nnue::inference::Kernels;
use crate::nnue::{self, Network, NetworkParts};
use crate::notation::format_san;
use crate::search::{SearchEvent, SearchLimits};
use crate::tt::{Bound, TranspositionTable, TtEntry};
use crate::types::{Move, MoveKind, Score, Square};

/// The result of a check: what it found, or what is wrong.
type Finding = Result<String, String>;

/// Runs all checks and prints a line for each, then `N passed, M failed`.
pub fn run(output: &Output) -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    let mut report = |name: &str, finding: Finding| match finding {
        Ok(text) => {
            passed += 1;
            output.line(&format!("passed  {name}: {text}"));
        }
        Err(text) => {
            failed += 1;
            output.line(&format!("FAILED  {name}: {text}"));
        }
    };
    report("processor", Ok(processor()));
    report("network", network());
    let kernels = Kernels::available();
    for &vector in &kernels {
        report(&format!("evaluation by {vector}"), evaluation(vector, kernels[kernels.len() - 1]));
    }
    for &(name, fen, depth, leaves) in PERFTS {
        report(&format!("perft {depth}, {name}"), perft(fen, depth, leaves));
    }
    report("hash table", table());
    report("two threads", threads());
    report("signature", signature());
    output.line(&format!("{passed} passed, {failed} failed"));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The instruction sets of the processor, and which of them the build uses for sliders.
fn processor() -> String {
    let names = |kernels: Vec<Kernels>| kernels.iter().map(Kernels::to_string).collect::<Vec<_>>().join(", ");
    let sliders = if cfg!(target_feature = "bmi2") { "PEXT" } else { "magic numbers" };
    let threads = std::thread::available_parallelism().map_or("?".to_owned(), |count| count.to_string());
    format!(
        "{} with {threads} threads; evaluation can use {}; sliders by {sliders}",
        std::env::consts::ARCH,
        names(Kernels::available())
    )
}

/// The network's name and checksum. The network is written out and read back, which compares the checksum and checks
/// all sums for overflow.
fn network() -> Finding {
    let network = nnue::built_in();
    let bytes = network.to_bytes();
    Network::from_bytes(&bytes).map_err(|error| error.to_string())?;
    Ok(format!("{} {}, checksum {:08x}", network.name(), network.architecture(), crc32fast::hash(&bytes)))
}

/// Compares an implementation of the network's arithmetic with the scalar one, by the built-in network and by
/// random ones, small and large.
fn evaluation(kernels: Kernels, scalar: Kernels) -> Finding {
    let random = |hidden, buckets| Network::new(NetworkParts::random(1, hidden, buckets));
    let networks = [
        random(32, 1).map_err(|error| error.to_string())?,
        random(1024, 8).map_err(|error| error.to_string())?,
        (*nnue::built_in()).clone(),
    ];
    let mut compared = 0;
    for network in &networks {
        for fen in POSITIONS {
            let position: Position = fen.parse().map_err(|error| format!("{fen}: {error}"))?;
            let (found, expected) =
                (network.evaluate_with(kernels, &position), network.evaluate_with(scalar, &position));
            if found != expected {
                return Err(format!("{found}, the scalar one says {expected} of {fen}"));
            }
            compared += 1;
        }
    }
    Ok(format!("{compared} evaluations equal those in plain arithmetic"))
}

/// Name, position, plies, leaves.
const PERFTS: &[(&str, &str, u32, u64)] = &[
    ("initial position", START_FEN, 4, 197_281),
    (
        "castling and captures",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        3,
        97_862,
    ),
    ("pins and en passant", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
    ("promotions", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
    ("Chess960", "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1", 4, 198_393),
];

fn perft(fen: &str, depth: u32, leaves: u64) -> Finding {
    let position: Position = fen.parse().map_err(|error| format!("{fen}: {error}"))?;
    let options = PerftOptions { depth, threads: 1, hash_mib: 0 };
    let never = AtomicBool::new(false);
    let report = perft_parallel(&position, options, &never).map_err(|error| error.to_string())?;
    match report.total {
        total if total == leaves => Ok(format!("{leaves} nodes")),
        total => Err(format!("{total} nodes instead of {leaves} from {fen}")),
    }
}

/// Size of the tested table, in MiB.
const TABLE_MIB: usize = 64;

/// Allocates a table and looks up what was stored in it.
fn table() -> Finding {
    let table = TranspositionTable::new(TABLE_MIB).map_err(|error| error.to_string())?;
    let mv = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
    let entry = |key: u64| TtEntry {
        mv,
        score: Score((key % 1000) as i32),
        eval: Some(Score(7)),
        depth: 9,
        bound: Bound::Exact,
        was_pv: false,
    };
    // The keys are spread over the whole table, and few enough that no entry is replaced.
    let keys = || (0..100_000u64).map(|number| (number << 47) | number);
    keys().for_each(|key| table.store(key, 0, entry(key)));
    match keys().find(|&key| table.probe(key, 0, 0) != Some(entry(key))) {
        None => Ok(format!("{TABLE_MIB} MB, 100000 entries found again")),
        Some(key) => Err(format!("entry {key:x} is not found again")),
    }
}

/// Lets two threads find a mate.
fn threads() -> Finding {
    let position: Position =
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse().map_err(|error| format!("{error}"))?;
    let mut engine = Engine::new().map_err(|error| error.to_string())?;
    engine.set_threads(2).map_err(|error| error.to_string())?;
    engine.set_game(Game::new(position));
    let (sender, receiver) = channel();
    let limits = SearchLimits { mate: Some(1), ..SearchLimits::default() };
    engine.go(limits, move |event| {
        if let SearchEvent::Finished(result) = event {
            let _ = sender.send(result.best);
        }
    });
    let best = receiver.recv_timeout(Duration::from_secs(60)).map_err(|_| "no answer in a minute")?;
    match best.map(|mv| format_san(&position, mv)) {
        Some(san) if san == "Ra8#" => Ok("they find a mate in one".to_owned()),
        other => Err(format!("{} instead of Ra8#", other.unwrap_or_default())),
    }
}

/// The node count of the bench at a small depth: the same on every machine.
fn signature() -> Finding {
    let report = bench::run(SIGNATURE_DEPTH, nnue::built_in(), Kernels::best(), |_, _| {})
        .map_err(|error| error.to_string())?;
    match report.nodes {
        SIGNATURE => Ok(format!("{SIGNATURE} nodes at depth {SIGNATURE_DEPTH}, {} nps", report.nps())),
        nodes => Err(format!("{nodes} nodes at depth {SIGNATURE_DEPTH} instead of {SIGNATURE}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A stream that its owner can read.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn all_is_well_here() {
        let shared = Shared::default();
        assert_eq!(run(&Output::new(shared.clone())), ExitCode::SUCCESS);
        let text = String::from_utf8(shared.0.lock().unwrap().clone()).unwrap();
        let passed = text.lines().filter(|line| line.starts_with("passed  ")).count();
        assert_eq!(passed, 10 + Kernels::available().len());
        assert_eq!(text.lines().last(), Some(format!("{passed} passed, 0 failed").as_str()));
    }

    #[test]
    fn wrong_counts_are_found() {
        assert!(perft(START_FEN, 3, 8903).unwrap_err().starts_with("8902 nodes instead of 8903"));
        assert!(perft("8/8", 3, 1).is_err());
    }
}
