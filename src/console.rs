//! The text interface without chess: `Output` writes and logs lines, `progress` shows how far long runs are, `svg`
//! has the common parts of drawings.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write, stdout};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes whole lines from any thread, each flushed at once, never mixed.
pub struct Output {
    stream: Mutex<Box<dyn Write + Send>>,
    /// The error of the first line that could not be written.
    failure: OnceLock<io::Error>,
    on_failure: fn(&io::Error),
    log: Mutex<Option<Log>>,
}

impl Output {
    /// The process's standard output.
    pub fn standard() -> Output {
        Output::new(stdout())
    }

    /// Output to any stream.
    pub fn new(stream: impl Write + Send + 'static) -> Output {
        Output {
            stream: Mutex::new(Box::new(stream)),
            failure: OnceLock::new(),
            on_failure: |_| {},
            log: Mutex::default(),
        }
    }

    /// The same output, which calls `on_failure` as soon as a line cannot be written.
    pub fn on_failure(self, on_failure: fn(&io::Error)) -> Output {
        Output { on_failure, ..self }
    }

    /// Writes one or more lines and adds a line end. Returns false when they cannot be written, usually because the
    /// reader has gone away.
    pub fn line(&self, text: &str) -> bool {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let mut written = writeln!(stream, "{text}").and_then(|()| stream.flush());
        if let Err(error) = self.record(SystemTime::now(), '<', text) {
            written = written.and_then(|()| writeln!(stream, "{}", log_lost(&error)));
        }
        let Err(error) = written else { return true };
        (self.on_failure)(&error);
        let _ = self.failure.set(error);
        false
    }

    /// Whether a line could not be written; the reader has gone away, for instance.
    pub fn is_closed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// The error of the first line that could not be written.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.get()
    }

    /// Appends all lines from now on to this log file; `None` ends logging. On an error the present log stays open.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set_log(&self, path: Option<&Path>) -> io::Result<()> {
        let log = path.map(Log::open).transpose()?;
        *self.log() = log;
        Ok(())
    }

    /// Writes a line of input with the time of its arrival into the log, if there is one.
    pub fn log_input(&self, line: &str, time: SystemTime) {
        if let Err(error) = self.record(time, '>', line) {
            self.line(&log_lost(&error));
        }
    }

    fn log(&self) -> MutexGuard<'_, Option<Log>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes into the log, which is closed when that fails.
    fn record(&self, time: SystemTime, mark: char, text: &str) -> io::Result<()> {
        let mut log = self.log();
        let result = log.as_mut().map_or(Ok(()), |log| log.add(time, mark, text));
        if result.is_err() {
            *log = None;
        }
        result
    }
}

fn log_lost(error: &io::Error) -> String {
    format!("info string Debug Log File is given up: {error}")
}

/// A log of all input and output, the file of the option `Debug Log File`.
struct Log(File);

impl Log {
    /// Opens a log, to append to it.
    ///
    /// # Errors
    /// When the file cannot be written.
    fn open(path: &Path) -> io::Result<Log> {
        // Opening a pipe would block until another process reads it.
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(Log(OpenOptions::new().create(true).append(true).open(path)?))
    }

    /// Appends lines, each with the time of day in UTC and a mark: `>` for input, `<` for output.
    ///
    /// # Errors
    /// When the file cannot be written, for instance on a full disk.
    fn add(&mut self, time: SystemTime, mark: char, text: &str) -> io::Result<()> {
        let ms = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let mut entry = String::new();
        for line in text.lines() {
            entry.push_str(&format!("{} {mark} {line}\n", time_of_day(ms)));
        }
        // With one call, since another engine may write to the same file.
        self.0.write_all(entry.as_bytes())
    }
}

/// A time in milliseconds since the epoch as hours, minutes and seconds of the day.
fn time_of_day(ms: u128) -> String {
    let (seconds, minutes, hours) = (ms / 1000 % 60, ms / 60_000 % 60, ms / 3_600_000 % 24);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{:03}", ms % 1000)
}

/// Progress of long runs.
pub(crate) mod progress {
    use std::io::{IsTerminal, stderr};
    use std::time::Duration;

    use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

    /// A bar up to `total`, with the time left, on standard error; hidden where that is no terminal.
    pub(crate) fn bar(total: u64, unit: &str) -> ProgressBar {
        let target =
            if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let template = format!("{{bar:40}} {{percent:>3}}%  {{human_pos}} {unit}  ETA {{eta}}  {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    /// A duration as hours, minutes and seconds.
    pub(crate) fn clock(seconds: u64) -> String {
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

/// The common parts of drawings: SVG documents written as text.
pub(crate) mod svg {
    use std::fmt::Display;

    /// The start of a document of this size in pixels, with a white background. The caller ends it with `</svg>`.
    pub(crate) fn start(width: impl Display, height: impl Display) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        )
    }

    /// A text with the characters escaped that may not stand between tags.
    pub(crate) fn escaped(text: &str) -> String {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(time_of_day(0), "00:00:00.000");
        assert_eq!(time_of_day(86_400_000 + 86_399_987), "23:59:59.987");
    }

    #[test]
    fn clock_shows_every_digit() {
        assert_eq!(progress::clock(0), "0:00:00");
        assert_eq!(progress::clock(3599), "0:59:59");
        assert_eq!(progress::clock(100 * 3600 + 61), "100:01:01");
    }
}
