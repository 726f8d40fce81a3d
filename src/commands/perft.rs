//! `quillon perft`.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::board::{Position, START_FEN};
use crate::console::Output;
use crate::movegen::{PerftError, PerftOptions, perft_parallel};
use crate::notation::format_uci;
use crate::tt::memory_shortage;

/// Deepest perft in plies; far beyond what any machine finishes.
pub(super) const MAX_DEPTH: u32 = 30;

/// Arguments of `quillon perft`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Number of plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// Position to start from (standard, X-FEN or Shredder-FEN castling rights)
    #[arg(long, default_value = START_FEN, hide_default_value = true)]
    fen: String,
    /// Print the count below each first move
    #[arg(long)]
    divide: bool,
    /// Worker threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Remember counts of equal positions in a table of so many MB (the count is then no longer an
    /// independent check of move generation)
    #[arg(long, value_name = "MB", default_value_t = 0)]
    hash: usize,
}

/// Counts and prints.
///
/// # Errors
/// When the position is not valid, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    let position: Position = arguments.fen.parse().map_err(|error| format!("{error}"))?;
    let options =
        PerftOptions { depth: arguments.depth, threads: arguments.threads.into(), hash_mib: arguments.hash };
    let mib = arguments.hash;
    if memory_shortage((mib as u64).saturating_mul(1 << 20)).is_some() {
        return Err(PerftError::Memory { mib }.to_string());
    }
    let start = Instant::now();
    let never = AtomicBool::new(false);
    let report = perft_parallel(&position, options, &never).map_err(|error| error.to_string())?;
    let time = start.elapsed();
    if arguments.divide {
        for (mv, leaves) in &report.divide {
            output.line(&format!("{}: {leaves}", format_uci(*mv, position.needs_chess960())));
        }
        output.line("");
    }
    let nps = report.total as f64 / time.as_secs_f64().max(1e-9);
    output.line(&format!(
        "perft {}: {} nodes in {:.3} s, {:.1} Mnps",
        arguments.depth,
        report.total,
        time.as_secs_f64(),
        nps / 1e6
    ));
    Ok(ExitCode::SUCCESS)
}
