//! Orders that arrive during a search and wait for its end.

use std::collections::VecDeque;
use std::fmt::Display;

use super::super::command::Command;
use super::super::format;

/// A line of input, parsed.
pub(super) enum Order {
    Command(Command),
    /// The line is not a valid command.
    Fault {
        /// The error message.
        text: String,
        /// The line was meant to set up a position, so there is none now.
        loses_position: bool,
    },
}

impl Order {
    /// An order for a line with this error.
    pub(super) fn fault(error: &dyn Display, loses_position: bool) -> Order {
        Order::Fault { text: format::printable(&error.to_string()), loses_position }
    }

    /// Whether the order only asks for an answer and changes nothing.
    pub(super) fn is_question(&self) -> bool {
        match self {
            Order::Command(command) => {
                matches!(command, Command::Uci | Command::IsReady | Command::Debug(_) | Command::Help { .. })
            }
            Order::Fault { loses_position, .. } => !loses_position,
        }
    }

    fn is_work(&self) -> bool {
        matches!(
            self,
            Order::Command(
                Command::Go(_)
                    | Command::Perft { .. }
                    | Command::Bench(_)
                    | Command::SpeedTest(_)
                    | Command::Genfens(_)
            )
        )
    }
}

/// An order that waits for a search to end, with the `stop` and `ponderhit` that arrived for it in the meantime.
pub(super) struct Waiting {
    pub order: Order,
    pub stop: bool,
    pub ponderhit: bool,
}

/// Waiting orders, first in, first out.
#[derive(Default)]
pub(super) struct Queue(VecDeque<Waiting>);

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, order: Order) {
        self.0.push_back(Waiting { order, stop: false, ponderhit: false });
    }

    pub(super) fn pop(&mut self) -> Option<Waiting> {
        self.0.pop_front()
    }

    /// Removes and returns all questions.
    pub(super) fn take_questions(&mut self) -> Vec<Order> {
        let (questions, rest): (VecDeque<_>, _) =
            self.0.drain(..).partition(|waiting| waiting.order.is_question());
        self.0 = rest;
        questions.into_iter().map(|waiting| waiting.order).collect()
    }

    /// Removes every order that would start a search or other long work.
    pub(super) fn drop_work(&mut self) {
        self.0.retain(|waiting| !waiting.order.is_work());
    }

    /// Marks all waiting searches and other long work to be stopped as soon as they have begun.
    pub(super) fn stop(&mut self) {
        self.mark(|waiting| &mut waiting.stop);
    }

    /// Marks all waiting searches: their `ponderhit` has arrived.
    pub(super) fn ponderhit(&mut self) {
        self.mark(|waiting| &mut waiting.ponderhit);
    }

    /// Sets a flag of all orders that start work. When one has it already, so have all before it.
    fn mark(&mut self, flag: fn(&mut Waiting) -> &mut bool) {
        for waiting in self.0.iter_mut().rev().filter(|waiting| waiting.order.is_work()) {
            if std::mem::replace(flag(waiting), true) {
                break;
            }
        }
    }
}
