//! Lines of a file that cannot be used.

use crate::console::Output;

/// Faults that are told one by one.
const SHOWN: usize = 8;

/// Tells the first faults of a file, a line each, and how many more there are. A file that is something else
/// altogether is wrong in every line.
pub(super) fn tell(file: &str, faults: &[String], output: &Output) {
    for fault in faults.iter().take(SHOWN) {
        output.line(fault);
    }
    if faults.len() > SHOWN {
        output.line(&format!("{file}: {} more lines that cannot be used", faults.len() - SHOWN));
    }
}
