//! The bench as people and testers see it.

use std::sync::Arc;

use crate::console::Output;
use crate::engine::bench;
use crate::nnue::Network;
use crate::nnue::inference::Kernels;
use crate::search::Control;
use crate::types::Depth;

/// Runs the bench until it is stopped. Prints a line per position, as long as somebody reads them, and returns the
/// closing one.
pub fn run_bench(
    depth: Depth,
    network: Arc<Network>,
    kernels: Kernels,
    output: &Output,
    control: &Arc<Control>,
) -> String {
    let total = bench::POSITIONS.len();
    let progress = |number: usize, nodes| {
        if !output.line(&format!("position {number:>2} of {total}: {nodes:>9} nodes")) {
            control.stop();
        }
    };
    match bench::run_until(control, depth, network, kernels, progress) {
        Ok(_) if control.is_stopped() => "info string bench stopped".to_owned(),
        Ok(report) => format!("{} nodes {} nps", report.nodes, report.nps()),
        Err(error) => format!("info string {error}"),
    }
}
