//! The search signature: nodes of the bench at a small depth.
//!
//! It changes with every change of what the search does and with nothing else. Where the change was
//! meant, the failure message holds the number to put into `engine/bench.rs`; where it was not, it found a bug.

use std::thread;

use quillon::engine::bench::{POSITIONS, SIGNATURE, SIGNATURE_DEPTH, run};
use quillon::nnue;
use quillon::nnue::inference::Kernels;

/// The nodes of each position and their sum.
fn bench() -> (Vec<u64>, u64) {
    let mut each = Vec::new();
    let report = run(SIGNATURE_DEPTH, nnue::built_in(), Kernels::best(), |number, nodes| {
        assert_eq!(number, each.len() + 1);
        each.push(nodes);
    });
    let report = report.expect("memory for the table");
    assert_eq!(each.len(), POSITIONS.len());
    assert_eq!(each.iter().sum::<u64>(), report.nodes);
    (each, report.nodes)
}

#[test]
fn the_signature_is_the_same_on_every_run() {
    let (each, nodes) = bench();
    assert!(each.iter().all(|&nodes| nodes > 0));
    // Two at once, as two engines in one process.
    thread::scope(|scope| {
        for other in [scope.spawn(bench), scope.spawn(bench)] {
            assert_eq!(other.join().expect("no panic"), (each.clone(), nodes));
        }
    });
    assert_eq!(
        nodes, SIGNATURE,
        "the signature at depth {SIGNATURE_DEPTH} is now {nodes}; if the change of the search was meant, \
         write that number into src/engine/bench.rs; tests/samples.rs tells how the pages get it"
    );
}
