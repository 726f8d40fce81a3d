//! A conversation with the engine as a person at a terminal has it.

use std::io::{self, BufReader, PipeWriter, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

use quillon::console::Output;
use quillon::uci::{Audience, converse_with};

/// Output that can be waited for.
#[derive(Clone, Default)]
struct Screen(Arc<(Mutex<String>, Condvar)>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).expect("output is UTF-8, whole lines");
        self.0.0.lock().expect("no panic").push_str(text);
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An engine of its own, to which lines are typed.
pub struct Terminal {
    screen: Screen,
    keyboard: PipeWriter,
    engine: JoinHandle<()>,
    /// Length of what has been read of the screen.
    read: usize,
}

impl Terminal {
    pub fn open(audience: Audience) -> Terminal {
        let screen = Screen::default();
        let (reader, keyboard) = io::pipe().expect("a pipe");
        let output = Output::new(screen.clone());
        let engine = std::thread::spawn(move || {
            converse_with(BufReader::new(reader), output, audience).expect("the engine starts");
        });
        Terminal { screen, keyboard, engine, read: 0 }
    }

    pub fn enter(&mut self, line: &str) {
        writeln!(self.keyboard, "{line}").expect("the engine reads");
    }

    /// Waits until the screen shows `text` after what was read before, and gives what is new there.
    pub fn wait_for(&mut self, text: &str) -> String {
        let screen = self.screen.0.0.lock().expect("no panic");
        let screen = self.screen.0.1.wait_while(screen, |all| !all[self.read..].contains(text));
        let screen = screen.expect("no panic");
        let new = screen[self.read..].to_owned();
        self.read = screen.len();
        new
    }

    /// Leaves the engine, and gives all that the screen has shown.
    pub fn close(mut self) -> String {
        self.enter("quit");
        self.engine.join().expect("no panic");
        self.screen.0.0.lock().expect("no panic").clone()
    }
}
