//! The file of the option `Debug Log File`: all that is read and written, for finding out who was to blame.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// An open log.
pub struct Log(File);

impl Log {
    /// Opens a log to write at its end.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(path: &Path) -> io::Result<Log> {
        // Opening a pipe would wait for somebody to read it.
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(Log(OpenOptions::new().create(true).append(true).open(path)?))
    }

    /// Adds lines, each with this time, the time of day in UTC, and a mark: `>` for input, `<` for output.
    ///
    /// # Errors
    /// When the file cannot be written, for instance on a full disk.
    pub fn add(&mut self, time: SystemTime, mark: char, text: &str) -> io::Result<()> {
        let ms = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let mut entry = String::new();
        for line in text.lines() {
            entry.push_str(&format!("{} {mark} {line}\n", time_of_day(ms)));
        }
        // In one piece, since the file may be shared with another engine.
        self.0.write_all(entry.as_bytes())
    }
}

/// A time in milliseconds as hours, minutes and seconds of its day.
fn time_of_day(ms: u128) -> String {
    let (seconds, minutes, hours) = (ms / 1000 % 60, ms / 60_000 % 60, ms / 3_600_000 % 24);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{:03}", ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(time_of_day(0), "00:00:00.000");
        assert_eq!(time_of_day(86_400_000 + 86_399_987), "23:59:59.987");
    }
}
