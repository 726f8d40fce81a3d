//! The one writer to standard output.

use std::io::{self, Write, stdout};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use super::log::Log;

/// Writes whole lines from any thread, each flushed at once, never mixed.
pub struct Output {
    stream: Mutex<Box<dyn Write + Send>>,
    /// Why a line could not be written, the first time that happened.
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

    /// The same, with something to be done as soon as a line cannot be written.
    pub fn on_failure(self, on_failure: fn(&io::Error)) -> Output {
        Output { on_failure, ..self }
    }

    /// Writes one or more lines, to which a line end is added. False when they cannot be written, mostly because
    /// nobody reads them any more.
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

    /// Why a line could not be written, where that has happened.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.get()
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
