//! The complaint cases of `../shared/cases`: public faults of other engines, made into small cases.

use std::path::Path;
use std::process::Command;

/// Needs Python's package `chess`.
#[test]
#[ignore = "takes half a minute; .ci/run plays the cases with the release build"]
fn the_complaint_cases_pass() {
    let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/run.py");
    if !runner.is_file() {
        println!("skipped: there is no {}", runner.display());
        return;
    }
    if !Command::new("python3").args(["-c", "import chess"]).output().is_ok_and(|done| done.status.success())
    {
        println!("skipped: python3 with the package chess is not there");
        return;
    }
    let done = Command::new("python3").arg(&runner).arg(env!("CARGO_BIN_EXE_quillon")).output();
    let done = done.expect("python3 runs");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    println!("{}", said.lines().last().unwrap_or_default());
}
