//! The one writer to standard output.

use std::io::{self, Write, stdout};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::log::Log;

/// Writes whole lines from any thread, each flushed at once, never mixed.
pub struct Output {
    stream: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
    log: Mutex<Option<Log>>,
}

impl Output {
    /// The process's standard output.
    pub fn standard() -> Output {
        Output::new(stdout())
    }

    /// Output to any stream.
    pub fn new(stream: impl Write + Send + 'static) -> Output {
        Output { stream: Mutex::new(Box::new(stream)), closed: AtomicBool::new(false), log: Mutex::default() }
    }

    /// Writes one or more lines, to which a line end is added. False when nobody reads them any more.
    pub fn line(&self, text: &str) -> bool {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let mut written = writeln!(stream, "{text}").and_then(|()| stream.flush());
        if let Err(error) = self.record(SystemTime::now(), '<', text) {
            written = written.and_then(|()| writeln!(stream, "{}", log_lost(&error)));
        }
        if written.is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
        written.is_ok()
    }

    /// Whether the reader of our output has gone away.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Logs all lines from now on at the end of a file, or nowhere. On an error the present log goes on.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set_log(&self, path: Option<&Path>) -> io::Result<()> {
        let log = path.map(Log::open).transpose()?;
        *self.log() = log;
        Ok(())
    }

    /// Writes a line of input, which came at this time, into the log, if there is one.
    pub fn log_input(&self, line: &str, time: SystemTime) {
        if let Err(error) = self.record(time, '>', line) {
            self.line(&log_lost(&error));
        }
    }

    fn log(&self) -> MutexGuard<'_, Option<Log>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes into the log. One that cannot be written is given up.
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
