//! Commands beyond the protocol: bench, speed test, the network as a file, and what the program was made with.

use std::path::Path;
use std::sync::Arc;

use super::super::format;
use super::{Driver, options};
use crate::console::Output;
use crate::engine::bench::{self, BenchOptions};
use crate::engine::speedtest::{self, SpeedOptions};
use crate::engine::{EngineError, NAME};
use crate::nnue::Network;
use crate::nnue::inference::Kernels;
use crate::search::Control;

impl Driver {
    /// Starts the bench on its own thread.
    pub(super) fn bench(&mut self, options: BenchOptions) {
        self.measure(move |network, output, control| {
            run_bench(options, network, Kernels::best(), output, control)
        });
    }

    /// Starts the speed test on its own thread.
    pub(super) fn speed_test(&mut self, options: SpeedOptions) {
        self.measure(move |network, output, control| run_speed_test(options, &network, output, control));
    }

    /// Starts work that measures something, with the network in use, on its own thread.
    fn measure(
        &mut self,
        work: impl FnOnce(Arc<Network>, &Output, &Arc<Control>) -> Result<String, EngineError> + Send + 'static,
    ) {
        let (network, output) = (Arc::clone(self.engine.network()), Arc::clone(&self.output));
        let control = Arc::new(Control::new(1, false));
        let stop = Arc::clone(&control);
        self.stop_work = Box::new(move || stop.stop());
        self.run_beside(move || work(network, &output, &control));
    }

    /// Writes the network in use into a new file.
    pub(super) fn export_net(&self, path: &str) {
        let Some(path) = options::path(path) else {
            return self.complain(&"'export_net' needs the name of a file");
        };
        let network = self.engine.network();
        match network.save_new(Path::new(path)) {
            Ok(bytes) => {
                let text = format!("{} written to {path}, {bytes} bytes", format::network(network));
                self.say(&format!("info string {}", format::printable(&text)));
            }
            Err(error) => self.complain(&format!("export_net {path}: {error}")),
        }
    }
}

/// What compiled this program, for which machine, and which of the machine's instructions it uses.
pub(super) fn compiler() -> String {
    let kernels = Kernels::available().iter().map(Kernels::to_string).collect::<Vec<_>>().join(", ");
    let kind = if cfg!(debug_assertions) { "with debug assertions" } else { "without debug assertions" };
    let sliders = if cfg!(target_feature = "bmi2") { "PEXT" } else { "magic numbers" };
    format!(
        "{NAME}, compiled by rustc {} for {} {}, {} bits, {kind}\nevaluation by {} (here there are {kernels}); sliders by {sliders}",
        rustc_version_runtime::version(),
        std::env::consts::ARCH,
        std::env::consts::OS,
        usize::BITS,
        Kernels::best(),
    )
}

/// Runs the bench. Prints a line per position and returns the last line. The bench ends early when `control` is stopped
/// or the output is no longer read.
///
/// # Errors
/// When memory or a thread is refused.
pub fn run_bench(
    options: BenchOptions,
    network: Arc<Network>,
    kernels: Kernels,
    output: &Output,
    control: &Arc<Control>,
) -> Result<String, EngineError> {
    let total = bench::POSITIONS.len();
    let progress = |number: usize, nodes| {
        if !output.line(&format!("position {number:>2} of {total}: {nodes:>9} nodes")) {
            control.stop();
        }
    };
    let report = bench::run_until(control, options, network, kernels, progress)?;
    Ok(match control.is_stopped() {
        true => "info string bench stopped".to_owned(),
        false => format!("{} nodes {} nps", report.nodes, report.nps()),
    })
}

/// Runs the speed test. Prints a line for each tenth of the positions and returns the last line. The test ends early when
/// `control` is stopped or the output is no longer read.
///
/// # Errors
/// When memory or a thread is refused.
pub fn run_speed_test(
    options: SpeedOptions,
    network: &Arc<Network>,
    output: &Output,
    control: &Arc<Control>,
) -> Result<String, EngineError> {
    let SpeedOptions { threads, hash_mib, seconds } = options;
    let [threads, seconds] = [(threads as u64, "thread"), (seconds, "second")]
        .map(|(count, name)| format!("{count} {name}{}", if count == 1 { "" } else { "s" }));
    output.line(&format!("{threads}, {hash_mib} MiB of hash table, {seconds}"));
    let progress = |number: usize, total: usize, nodes| {
        let is_tenth = 10 * number / total > 10 * (number - 1) / total;
        if is_tenth && !output.line(&format!("position {number:>3} of {total}: {nodes:>12} nodes so far")) {
            control.stop();
        }
    };
    let report = speedtest::run(control, options, network, progress)?;
    if control.is_stopped() {
        return Ok("info string speedtest stopped".to_owned());
    }
    output.line(&format!("depth {:.1} on average", report.mean_depth()));
    Ok(format!("{} nodes {} nps", report.nodes, report.nps()))
}
