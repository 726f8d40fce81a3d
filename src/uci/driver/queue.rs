//! What was asked for during a search and waits for its end.

use std::collections::VecDeque;
use std::fmt::Display;

use super::super::command::Command;
use super::super::format;

/// What a line of input comes to.
pub(super) enum Order {
    Command(Command),
    /// It could not be understood or carried out.
    Fault {
        /// What is to be said about it.
        text: String,
        /// It was to set a position up, so there is none now.
        loses_position: bool,
    },
}

impl Order {
    /// A line that is wrong in this way.
    pub(super) fn fault(error: &dyn Display, loses_position: bool) -> Order {
        Order::Fault { text: format::printable(&error.to_string()), loses_position }
    }

    /// Whether it only wants an answer.
    pub(super) fn is_question(&self) -> bool {
        match self {
            Order::Command(command) => {
                matches!(command, Command::Uci | Command::IsReady | Command::Debug(_) | Command::Help { .. })
            }
            Order::Fault { loses_position, .. } => !loses_position,
        }
    }

    fn is_work(&self) -> bool {
        matches!(self, Order::Command(Command::Go(_) | Command::Perft { .. } | Command::Bench { .. }))
    }
}

/// An order that waits for a search to end, and what came for it in the meantime.
pub(super) struct Waiting {
    pub order: Order,
    pub stop: bool,
    pub ponderhit: bool,
}

/// Orders in the sequence in which they came.
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

    /// Takes all questions out.
    pub(super) fn take_questions(&mut self) -> Vec<Order> {
        let (questions, rest): (VecDeque<_>, _) =
            self.0.drain(..).partition(|waiting| waiting.order.is_question());
        self.0 = rest;
        questions.into_iter().map(|waiting| waiting.order).collect()
    }

    /// Forgets what would start something.
    pub(super) fn drop_work(&mut self) {
        self.0.retain(|waiting| !waiting.order.is_work());
    }

    /// Everything that waits is to be stopped as soon as it has begun.
    pub(super) fn stop(&mut self) {
        self.mark(|waiting| &mut waiting.stop);
    }

    /// No search that waits is to ponder.
    pub(super) fn ponderhit(&mut self) {
        self.mark(|waiting| &mut waiting.ponderhit);
    }

    /// Sets a flag of all orders that start something. Those before one that has it have it too.
    fn mark(&mut self, flag: fn(&mut Waiting) -> &mut bool) {
        for waiting in self.0.iter_mut().rev().filter(|waiting| waiting.order.is_work()) {
            if std::mem::replace(flag(waiting), true) {
                break;
            }
        }
    }
}
