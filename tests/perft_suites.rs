//! Leaf counts of the move tree against the suites in `perft-suites/`. A row is `FEN ;D1 20 ;D2 400 ...`; `#` starts a
//! comment line. `quillon perft-suite FILE` counts any other suite.
//!
//! An ordinary run counts entries of up to [`QUICK`] leaves. `cargo test --release --test perft_suites
//! -- --ignored` counts those of up to [`DEEP`] as well.

use std::fs;
use std::path::{Path, PathBuf};

use quillon::board::Position;
use quillon::movegen::perft;

/// Largest entry, in leaves, of an ordinary run. Nothing in our Chess960 suite exceeds it.
const QUICK: u64 = 5_000_000;
/// Largest entry, in leaves, of an ignored test.
const DEEP: u64 = 200_000_000;

struct Row {
    line: usize,
    fen: String,
    /// Depth and leaves.
    entries: Vec<(u32, u64)>,
}

fn read_entry(text: &str) -> Option<(u32, u64)> {
    let (depth, leaves) = text.trim().strip_prefix('D')?.split_once(' ')?;
    Some((depth.parse().ok()?, leaves.trim().parse().ok()?))
}

/// Reads a suite. A row that is not understood is an error, never skipped.
fn read_suite(text: &str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut fields = line.split(';');
        let fen = fields.next().unwrap_or_default().trim().to_owned();
        let entries: Option<Vec<_>> = fields.map(read_entry).collect();
        match entries {
            Some(entries) if !entries.is_empty() => rows.push(Row { line: index + 1, fen, entries }),
            _ => return Err(format!("line {}: no perft row: {line}", index + 1)),
        }
    }
    Ok(rows)
}

/// Counts all entries of a suite whose leaves lie in `range` and reports every wrong one.
fn check_suite(path: &Path, range: std::ops::RangeInclusive<u64>, least_rows: usize) {
    let name = path.display();
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let rows = read_suite(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(rows.len() >= least_rows, "{name} has only {} rows", rows.len());

    let (mut entries, mut total, mut wrong) = (0, 0, Vec::new());
    for row in &rows {
        let position: Position =
            row.fen.parse().unwrap_or_else(|error| panic!("{name}:{}: {}: {error}", row.line, row.fen));
        for &(depth, leaves) in row.entries.iter().filter(|(_, leaves)| range.contains(leaves)) {
            let counted = perft(&position, depth);
            entries += 1;
            total += counted;
            if counted != leaves {
                wrong.push(format!("line {}: {} depth {depth}: {counted}, not {leaves}", row.line, row.fen));
            }
        }
    }
    println!("{name}: {} rows, {entries} entries, {total} leaves", rows.len());
    assert!(entries > 0, "{name}: no entry within {range:?}");
    assert!(wrong.is_empty(), "{name}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("perft-suites").join(name)
}

#[test]
fn rows_are_read_strictly() {
    let rows = read_suite("# comment\n\n8/8/8/3k4/8/3K4/8/8 w - - 0 1 ;D1 6 ;D2 36\n").unwrap();
    assert_eq!((rows.len(), rows[0].line), (1, 3));
    assert_eq!(rows[0].fen, "8/8/8/3k4/8/3K4/8/8 w - - 0 1");
    assert_eq!(rows[0].entries, [(1, 6), (2, 36)]);
    for bad in ["8/8/8/3k4/8/3K4/8/8 w - - 0 1", "8/8 w ;D1", "8/8 w ;D1 x", "8/8 w ;1 20", "8/8 w ;D1 20 ;"]
    {
        assert!(read_suite(bad).is_err(), "{bad}");
    }
}

#[test]
fn standard() {
    check_suite(&own("standard.epd"), 0..=QUICK, 500);
}

#[test]
fn chess960() {
    check_suite(&own("chess960.epd"), 0..=QUICK, 1000);
}

#[test]
#[ignore = "counts 800 million leaves"]
fn deep_standard() {
    check_suite(&own("standard.epd"), QUICK + 1..=DEEP, 500);
}
