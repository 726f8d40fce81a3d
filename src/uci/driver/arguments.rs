//! Commands from the command line of the program, one after the other, and the openings of `genfens`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};

use super::super::command::{self, Command, CommandError};
use super::super::format;
use super::super::genfens::{Genfens, OpeningSource};
use super::queue::Order;
use super::{Driver, Event};
use crate::console::Output;
use crate::engine::EngineError;

/// Why lines from the command line are not carried out.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// A line is no command.
    #[error("'{line}': {error}")]
    Command {
        /// The line.
        line: String,
        /// What is wrong with it.
        error: CommandError,
    },
    /// Nobody could stop the search.
    #[error("'{0}' would never end; give it a limit, such as 'go depth 12' or 'go movetime 1000'")]
    Endless(String),
    /// The engine cannot be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Reads the lines. Those without a command are left out.
fn read(lines: &[String]) -> Result<Vec<Command>, LineError> {
    let mut commands = Vec::new();
    for line in lines {
        match command::parse(line) {
            Ok(Some(Command::Go(go))) if !go.has_end() => {
                return Err(LineError::Endless(format::printable(line)));
            }
            Ok(command) => commands.extend(command),
            Err(error) => return Err(LineError::Command { line: format::printable(line), error }),
        }
    }
    Ok(commands)
}

/// Carries out these lines of UCI one after the other, each when the one before has ended, up to the last one or
/// `quit`. False when one of them failed.
///
/// # Errors
/// When one of the lines is no command, or a search without an end; then none is carried out. When the engine cannot
/// be set up.
pub fn carry_out(lines: &[String], output: Arc<Output>, openings: OpeningSource) -> Result<bool, LineError> {
    let commands = read(lines)?;
    let (sender, events) = channel();
    let mut driver = Driver { openings: Some(openings), ..Driver::new(output, sender)? };
    for command in commands {
        if matches!(command, Command::Quit) {
            break;
        }
        driver.receive(Order::Command(command));
        driver.wait(&events);
        if driver.output.is_closed() {
            break;
        }
    }
    Ok(!driver.failed.load(Ordering::Relaxed))
}

impl Driver {
    /// Waits until the running work has ended.
    fn wait(&mut self, events: &Receiver<Event>) {
        while self.searching {
            match events.recv() {
                Ok(Event::Done { text, own_nodes }) => self.finish(&text, own_nodes),
                Ok(Event::Input(..) | Event::EndOfInput) => {}
                Ok(Event::OutputClosed) | Err(_) => {
                    (self.stop_work)();
                    self.engine.stop();
                    self.engine.wait();
                    return;
                }
            }
        }
    }

    /// Starts to make openings on a thread of its own.
    pub(super) fn make_openings(&mut self, genfens: Genfens) {
        let Some(source) = self.openings else {
            return self.complain(&"this program makes no openings");
        };
        let (network, output) = (Arc::clone(self.engine.network()), Arc::clone(&self.output));
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        self.stop_work = Box::new(move || flag.store(true, Ordering::Relaxed));
        self.run_beside(move || {
            let mut count = 0_u64;
            source(&genfens, &network, &stop, &mut |position| {
                count += 1;
                output.line(&format!("info string genfens {position}"))
            })?;
            Ok::<_, String>(format!("info string {count} openings"))
        });
    }
}
