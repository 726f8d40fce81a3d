//! The one writer to standard output.

use std::io::{Stdout, Write, stdout};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes whole lines from any thread, each flushed at once, never mixed.
pub struct Output {
    stream: Mutex<Stdout>,
    closed: AtomicBool,
}

impl Output {
    /// The process's standard output.
    pub fn standard() -> Output {
        Output { stream: Mutex::new(stdout()), closed: AtomicBool::new(false) }
    }

    /// Writes one or more lines, to which a line end is added. False when nobody reads them any more.
    pub fn line(&self, text: &str) -> bool {
        let mut stream = self.stream.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let written = writeln!(stream, "{text}").and_then(|()| stream.flush());
        if written.is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
        written.is_ok()
    }

    /// Whether the reader of our output has gone away.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}
