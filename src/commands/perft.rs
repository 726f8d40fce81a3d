//! `quillon perft` counts, `quillon perft-suite` checks the counts listed in an EPD file.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::report_faults;
use crate::board::{FenError, Position, START_FEN};
use crate::console::{Output, progress};
use crate::movegen::{PerftError, PerftOptions, perft_parallel};
use crate::notation::format_uci;
use crate::tt::memory_shortage;

/// Deepest perft in plies; far beyond what any machine finishes.
const MAX_DEPTH: u32 = 30;

/// Arguments of `quillon perft`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Number of plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// Position to start from: startpos, or a FEN (standard, X-FEN or Shredder-FEN castling rights)
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// Print the count below each first move
    #[arg(long)]
    divide: bool,
    /// Worker threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Remember counts of equal positions in a table of MB megabytes (the count is then no longer an
    /// independent check of move generation)
    #[arg(long, value_name = "MB", default_value_t = 0)]
    hash: usize,
}

/// Runs `quillon perft`.
///
/// # Errors
/// When the position is not valid, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    let fen = if arguments.fen.trim() == "startpos" { START_FEN } else { &arguments.fen };
    let position: Position = fen.parse().map_err(|error| format!("{error}"))?;
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

/// One row of a suite.
#[derive(Clone, Debug)]
pub struct Row {
    /// Line number in the file, from 1.
    pub line: usize,
    /// The FEN as written.
    pub fen: String,
    /// The position.
    pub position: Position,
    /// Expected counts by depth.
    pub entries: Vec<(u32, u64)>,
}

/// Why a row is unusable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// The position is not valid.
    #[error("{0}")]
    Fen(#[from] FenError),
    /// An entry does not have the form `D4 197281`.
    #[error("entry '{0}' is not of the form 'D4 197281' with a depth up to 30")]
    Entry(String),
    /// The row has no entry.
    #[error("no entries after the FEN")]
    NoEntries,
}

/// Which entries to check, and with how many threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct SuiteLimits {
    /// Deepest entries.
    pub max_depth: Option<u32>,
    /// Largest expected counts.
    pub max_nodes: Option<u64>,
    /// Worker threads; 0 counts as 1.
    pub threads: usize,
}

/// Reads a row such as `FEN ;D1 20 ;D2 400`. Empty lines and comments (`#`) give `None`.
///
/// # Errors
/// When the row is malformed or its position impossible.
pub fn parse_row(line: usize, text: &str) -> Result<Option<Row>, RowError> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let mut parts = text.split(';');
    let fen = parts.next().unwrap_or_default().trim().to_owned();
    let position = fen.parse()?;
    let mut entries = Vec::new();
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        let entry = part.strip_prefix(['D', 'd']).and_then(|entry| {
            let (depth, count) = entry.split_once(char::is_whitespace)?;
            let depth = depth.trim().parse().ok().filter(|depth| *depth <= MAX_DEPTH)?;
            Some((depth, count.trim().parse().ok()?))
        });
        entries.push(entry.ok_or_else(|| RowError::Entry(part.to_owned()))?);
    }
    if entries.is_empty() {
        return Err(RowError::NoEntries);
    }
    Ok(Some(Row { line, fen, position, entries }))
}

/// Checks a suite file and prints mismatches and a summary.
///
/// # Errors
/// When the file cannot be read or holds no entry, as a message for people.
pub fn run_suite(file: &Path, limits: SuiteLimits, output: &Output) -> Result<ExitCode, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    // Some editors begin a file with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let mut unusable = Vec::new();
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match parse_row(index + 1, line) {
            Ok(None) => {}
            Ok(Some(mut row)) => {
                row.entries.retain(|&(depth, count)| {
                    limits.max_depth.is_none_or(|max| depth <= max)
                        && limits.max_nodes.is_none_or(|max| count <= max)
                });
                rows.push(row);
            }
            Err(error) => unusable.push(format!("{}:{}: {error}", file.display(), index + 1)),
        }
    }
    let chess960 = rows.iter().filter(|row| row.position.needs_chess960()).count();
    output.line(&format!("{}: {} positions, {chess960} of them Chess960", file.display(), rows.len()));
    report_faults(&file.display().to_string(), &unusable, output);
    let (passed, failed) = check_rows(file, &rows, limits, output);
    let failed = failed + unusable.len();
    output.line(&format!("{passed} passed, {failed} failed"));
    if passed + failed == 0 {
        let what = if rows.is_empty() { "no positions in" } else { "no entry is within the limits in" };
        return Err(format!("{what} {}", file.display()));
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks all entries, prints the wrong ones, and returns the numbers of right and wrong ones.
fn check_rows(file: &Path, rows: &[Row], limits: SuiteLimits, output: &Output) -> (usize, usize) {
    let total =
        rows.iter().flat_map(|row| &row.entries).fold(0u64, |sum, &(_, count)| sum.saturating_add(count));
    let bar = progress::bar(total, "nodes");
    let never = AtomicBool::new(false);
    let interactive = !bar.is_hidden();
    let (mut passed, mut failed, mut done) = (0, 0, 0u64);
    for (index, row) in rows.iter().enumerate() {
        for &(depth, expected) in &row.entries {
            let options = PerftOptions { depth, threads: limits.threads.max(1), hash_mib: 0 };
            let found = perft_parallel(&row.position, options, &never).map_or(0, |report| report.total);
            if found == expected {
                passed += 1;
            } else {
                failed += 1;
                bar.suspend(|| {
                    output.line(&format!(
                        "{}:{}: {} depth {depth}: expected {expected}, found {found}",
                        file.display(),
                        row.line,
                        row.fen
                    ));
                });
            }
            done = done.saturating_add(expected);
            bar.set_position(done);
        }
        if !interactive && (index + 1) % 100 == 0 {
            output.line(&format!("{} of {} positions", index + 1, rows.len()));
        }
    }
    bar.finish_and_clear();
    (passed, failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let row = parse_row(3, &format!("{start} ;D1 20 ;D2 400;D3 8902 ;")).unwrap().unwrap();
        assert_eq!((row.line, row.entries), (3, vec![(1, 20), (2, 400), (3, 8902)]));
        assert!(parse_row(1, "  # comment").unwrap().is_none());
        assert!(parse_row(1, "").unwrap().is_none());
        assert_eq!(parse_row(1, start).unwrap_err(), RowError::NoEntries);
        for entry in ["D1", "1 20", "D300 20", "Dx 20", "D1 y", "D1 -3"] {
            let error = parse_row(1, &format!("{start} ;{entry}")).unwrap_err();
            assert_eq!(error, RowError::Entry(entry.into()));
        }
        assert!(matches!(parse_row(1, "8/8/8 w - - ;D1 1"), Err(RowError::Fen(_))));
    }
}
