//! The loop that reads commands and drives an engine.
//!
//! A reader thread turns standard input into events, and so does a finished search, so the loop never
//! blocks on either. While a search runs, `stop`, `ponderhit` and `quit` act at once and questions such as
//! `isready` are answered at once; every command that changes the engine waits in a queue until the search has ended.
//! After `stop` a search counts as ended: questions then wait for their turn, so that `readyok` comes only after
//! the answers to all earlier commands. `stop` and `ponderhit` also apply to each `go` in the queue.
//!
//! When a position cannot be set up, the driver has no position and searches nothing until the next valid one: the
//! client would take a move of the previous position for a move of the refused one.

mod arguments;
mod extras;
mod options;
mod queue;

use std::io::{BufRead, BufReader, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use super::command::{self, Command, CommandError, GoCommand, PositionError};
use super::evaluation::evaluation;
use super::format;
use super::genfens::OpeningSource;
use super::help::HELP;
use super::input::{self, Input, MAX_LINE};
use super::node_clock::NodeClock;
use super::terminal::{Audience, MOVES, Table, Telling};
use crate::board::{Game, Position};
use crate::console::Output;
use crate::engine::{Engine, EngineError, NAME};
use crate::eval::WdlModel;
use crate::movegen::perft_divide;
use crate::notation::parse_move;
use crate::search::{GameClock, SearchEvent, SearchLimits};
use crate::types::Move;
use options::Settings;
use queue::{Order, Queue};

pub use arguments::{LineError, carry_out};
pub use extras::{run_bench, run_speed_test};

enum Event {
    /// A line of input and the time of its arrival.
    Input(Input, SystemTime),
    EndOfInput,
    /// A search, perft or bench has ended.
    Done {
        /// The last line of its output.
        text: String,
        /// Nodes searched while our own clock ran; `None` if it never ran.
        own_nodes: Option<u64>,
    },
    /// The reader of our output has gone away.
    OutputClosed,
}

/// After the end of input, the interval at which a line is written to find out whether the output is still read.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// The answer to `isready`.
const READY: &str = "readyok";

/// Speaks UCI on standard input and this output until `quit` or the end of input.
///
/// # Errors
/// When the engine cannot be set up.
pub fn run(output: Arc<Output>, audience: Audience, openings: OpeningSource) -> Result<(), EngineError> {
    // A lock of standard input cannot be moved to the reader thread.
    serve(BufReader::new(stdin()), output, audience, Some(openings))
}

/// Speaks UCI with a program on any streams until `quit` or the end of input. It makes no openings.
///
/// # Errors
/// When the engine cannot be set up.
pub fn converse(
    stream: impl BufRead + Send + 'static,
    output: impl Into<Arc<Output>>,
) -> Result<(), EngineError> {
    serve(stream, output.into(), Audience::Program, None)
}

/// The same with a program or a person.
///
/// # Errors
/// When the engine cannot be set up.
pub fn converse_with(
    stream: impl BufRead + Send + 'static,
    output: impl Into<Arc<Output>>,
    audience: Audience,
) -> Result<(), EngineError> {
    serve(stream, output.into(), audience, None)
}

fn serve(
    stream: impl BufRead + Send + 'static,
    output: Arc<Output>,
    audience: Audience,
    openings: Option<OpeningSource>,
) -> Result<(), EngineError> {
    let (sender, events) = channel();
    let reader_sender = sender.clone();
    let reader = move || read_input(stream, &reader_sender);
    thread::Builder::new().name("input".to_owned()).spawn(reader).map_err(EngineError::Thread)?;
    Driver { audience, openings, ..Driver::new(output, sender)? }.serve(&events);
    Ok(())
}

/// Sends the input line by line to the driver.
fn read_input(mut stream: impl BufRead, events: &Sender<Event>) {
    while let Ok(Some(input)) = input::read(&mut stream) {
        if events.send(Event::Input(input, SystemTime::now())).is_err() {
            return;
        }
    }
    let _ = events.send(Event::EndOfInput);
}

struct Driver {
    engine: Engine,
    settings: Settings,
    node_clock: NodeClock,
    output: Arc<Output>,
    /// Who reads the output; a program once it has said `uci`.
    audience: Audience,
    sender: Sender<Event>,
    /// Why the last position was refused. While this is `Some`, there is no position.
    refused: Option<String>,
    /// A search, perft or bench runs, or its `bestmove` is being held back.
    searching: bool,
    /// The running work has received `stop`.
    stopping: bool,
    /// The running work is the preparation of the table: a client waits for `readyok`.
    preparing: bool,
    /// The conversation has ended; only earlier questions are still answered.
    leaving: bool,
    /// Ends a running perft or bench.
    stop_work: Box<dyn Fn()>,
    /// Orders that wait for the search to end.
    queue: Queue,
    /// Makes the openings of `genfens`.
    openings: Option<OpeningSource>,
    /// A command has failed, here or on a thread of its own.
    failed: Arc<AtomicBool>,
}

impl Driver {
    /// A driver with all options at their defaults. Finished work sends its events to `sender`.
    fn new(output: Arc<Output>, sender: Sender<Event>) -> Result<Driver, EngineError> {
        let mut driver = Driver {
            engine: Engine::new()?,
            settings: Settings::default(),
            node_clock: NodeClock::default(),
            output,
            audience: Audience::Program,
            sender,
            refused: None,
            searching: false,
            stopping: false,
            preparing: false,
            leaving: false,
            stop_work: Box::new(|| {}),
            queue: Queue::default(),
            openings: None,
            failed: Arc::default(),
        };
        driver.set_defaults();
        Ok(driver)
    }

    fn serve(&mut self, events: &Receiver<Event>) {
        let mut input_ended = false;
        while let Some(event) = self.next_event(events, input_ended) {
            match event {
                Event::Input(Input::Line(line), time) => {
                    self.output.log_input(&line, time);
                    match command::parse(&line) {
                        Ok(None) => {}
                        Ok(Some(Command::Quit)) => break,
                        Ok(Some(command)) => self.receive(Order::Command(command)),
                        Err(error) => {
                            let fault = self.mistyped(&line, &error);
                            self.receive(fault);
                        }
                    }
                }
                Event::Input(Input::TooLong, time) => {
                    self.output.log_input("(a line that is too long)", time);
                    // The only valid command that can be so long is `position`.
                    let text = format!("a line of more than {MAX_LINE} bytes is ignored");
                    self.receive(Order::fault(&text, true));
                }
                Event::Done { text, own_nodes } => self.finish(&text, own_nodes),
                Event::OutputClosed => break,
                Event::EndOfInput => input_ended = true,
            }
            if self.output.is_closed() || input_ended && !self.searching && self.queue.is_empty() {
                break;
            }
            if input_ended {
                self.engine.stop();
            }
        }
        (self.stop_work)();
        self.engine.stop();
        self.engine.wait();
        // A search that was still running gets its `bestmove`, and waiting questions their answers.
        self.leaving = true;
        while let Ok(event) = events.try_recv() {
            if let Event::Done { text, .. } = event
                && !self.preparing
            {
                self.output.line(&text);
            }
        }
        if self.preparing {
            // The orders in the queue waited only for the preparation.
            (self.searching, self.preparing) = (false, false);
            self.say(READY);
            self.queue.drop_work();
            self.drain_queue();
        }
        self.answer_questions();
    }

    /// Ends the work whose last line this is, and goes on with what waited for it.
    fn finish(&mut self, text: &str, own_nodes: Option<u64>) {
        // A client that waits for this line sends its next command only now, so that command can never be taken as
        // meant for the search that has ended.
        (self.searching, self.stopping, self.preparing) = (false, false, false);
        self.node_clock.stop(own_nodes);
        self.output.line(text);
        self.drain_queue();
    }

    /// Waits for the next event. After the end of input only a perft or bench can go on for long. It goes on as long as
    /// the output is read, which shows when a line is written.
    fn next_event(&self, events: &Receiver<Event>, input_ended: bool) -> Option<Event> {
        if !input_ended {
            return events.recv().ok();
        }
        loop {
            match events.recv_timeout(SIGN_OF_LIFE) {
                Err(RecvTimeoutError::Timeout) => {
                    if !self.output.line("info string the input has ended, the work goes on") {
                        return Some(Event::OutputClosed);
                    }
                }
                event => return event.ok(),
            }
        }
    }

    /// Executes an order, at once or when its turn has come.
    fn receive(&mut self, order: Order) {
        // `stop` and `ponderhit` apply to every earlier search, whether it has begun or not.
        let urgent = match order {
            Order::Command(Command::Stop) => {
                self.queue.stop();
                true
            }
            Order::Command(Command::PonderHit) => {
                self.queue.ponderhit();
                true
            }
            _ => order.is_question() && !self.stopping && !self.preparing,
        };
        if urgent || !self.searching && self.queue.is_empty() {
            self.execute(order);
        } else {
            if self.audience.is_person() {
                self.say("This waits for the end of the search; 'stop' ends it.");
            }
            self.queue.push(order);
        }
    }

    fn drain_queue(&mut self) {
        while !self.searching {
            let Some(waiting) = self.queue.pop() else { break };
            self.execute(waiting.order);
            if waiting.ponderhit {
                self.execute(Order::Command(Command::PonderHit));
            }
            if waiting.stop {
                self.execute(Order::Command(Command::Stop));
            }
        }
        // The client may wait for these answers before it stops the search that has just begun.
        if !self.stopping && !self.preparing {
            self.answer_questions();
        }
    }

    fn answer_questions(&mut self) {
        for question in self.queue.take_questions() {
            self.execute(question);
        }
    }

    /// What a line is that is no command. A program loses the position by a mistyped `position`; a person goes on from
    /// where the board stands, and may have tried to make a move.
    fn mistyped(&self, line: &str, error: &CommandError) -> Order {
        if !self.audience.is_person() {
            return Order::fault(error, error.concerns_position());
        }
        match parse_move(self.position(), line.trim()) {
            Ok(_) => Order::fault(&format!("to make a move: position startpos moves {}", line.trim()), false),
            Err(_) => Order::fault(error, false),
        }
    }

    fn execute(&mut self, order: Order) {
        match order {
            Order::Command(command) => self.obey(command),
            Order::Fault { text, loses_position } => {
                self.complain(&text);
                if loses_position {
                    self.refused = Some(text);
                }
            }
        }
    }

    /// Says why a command has failed.
    fn complain(&self, error: &dyn std::fmt::Display) {
        self.failed.store(true, Ordering::Relaxed);
        self.remark(error);
    }

    /// Says something about a command that is carried out nevertheless.
    fn remark(&self, text: &dyn std::fmt::Display) {
        let text = text.to_string();
        match self.audience {
            Audience::Program => self.output.line(&format::message(&text)),
            Audience::Person(_) => self.output.line(&format::printable(&text)),
        };
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Uci => self.identify(),
            Command::IsReady => self.make_ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::UciNewGame => {
                self.node_clock.new_game();
                self.engine.new_game();
                self.refused = None;
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.go(&go),
            // The preparation that a client waits for with `isready` is not a search.
            Command::Stop if self.preparing => {}
            Command::Stop => {
                (self.stop_work)();
                self.engine.stop();
                self.stopping = self.searching;
            }
            Command::PonderHit => self.engine.ponderhit(),
            Command::Display if self.has_position() => {
                let drawing = self.audience.drawing();
                self.say(&format::board(self.engine.game(), self.writes_960(), drawing));
            }
            Command::Eval if self.has_position() => {
                self.say(&evaluation(self.position(), self.engine.network()));
            }
            Command::Flip if self.has_position() => {
                self.engine.set_game(Game::new(self.position().color_flipped()));
            }
            Command::Compiler => self.say(&extras::compiler()),
            Command::ExportNet { path } => self.export_net(&path),
            Command::Bench(options) => self.bench(options),
            Command::SpeedTest(options) => self.speed_test(options),
            Command::Perft { depth } => self.perft(depth),
            Command::Genfens(genfens) => self.make_openings(genfens),
            Command::Help { topic } => self.help(topic.as_deref()),
            Command::Display | Command::Eval | Command::Flip => {}
            Command::Debug(_) | Command::Register | Command::Quit => {}
        }
    }

    /// Answers `isready`: during a search at once, otherwise when the preparation of the table is done.
    fn make_ready(&mut self) {
        let wait = if self.searching || self.leaving { None } else { self.engine.readiness() };
        match wait {
            None => self.say(READY),
            Some(wait) => {
                self.preparing = true;
                self.stop_work = Box::new(|| {});
                self.run_beside(move || {
                    wait();
                    Ok::<_, EngineError>(READY.to_owned())
                });
                if !self.searching {
                    // No thread could be started to wait.
                    self.preparing = false;
                    self.say(READY);
                }
            }
        }
    }

    fn say(&self, text: &str) {
        self.output.line(text);
    }

    /// Whether there is a position; if not, says why.
    fn has_position(&self) -> bool {
        if let Some(reason) = &self.refused {
            self.complain(&format!("there is no position: {reason}"));
        }
        self.refused.is_none()
    }

    fn position(&self) -> &Position {
        self.engine.game().position()
    }

    /// Whether castling is written king takes rook: when the client asked for it, or when the position needs it.
    fn writes_960(&self) -> bool {
        self.settings.chess960 || self.position().needs_chess960()
    }

    /// Explains the commands, all options, or one option.
    fn help(&self, topic: Option<&str>) {
        match topic.map(|name| options::explain(Some(name).filter(|&name| name != "options"))) {
            Some(Ok(text)) => self.say(&text),
            Some(Err(error)) => self.complain(&format!("{error}; 'help' explains the commands")),
            None => self.say(HELP),
        }
    }

    fn identify(&mut self) {
        // Only programs ask.
        self.audience = Audience::Program;
        let options = options::list().join("\n");
        self.say(&format!("id name {NAME}\nid author the Quillon authors\n{options}\nuciok"));
    }

    /// Sets up a position with all its moves. On any error there is no position afterwards.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let mode = self.settings.castling_mode();
        match command::set_up(fen, moves, mode, |repair| self.remark(&repair)) {
            Ok(game) => {
                self.engine.set_game(game);
                self.refused = None;
            }
            // A person who mistypes goes on from where the board stands.
            Err(error) if self.audience.is_person() => {
                self.complain(&error);
                if matches!(error, PositionError::Move { .. }) {
                    self.say(MOVES);
                }
                self.say("The position stays as it was.");
            }
            Err(error) => self.execute(Order::fault(&error, true)),
        }
    }

    fn go(&mut self, go: &GoCommand) {
        if !self.has_position() {
            return self.say(format::NO_MOVE);
        }
        let limits = self.limits(go);
        let (output, sender) = (Arc::clone(&self.output), self.sender.clone());
        let style = format::Style {
            chess960: self.writes_960(),
            show_wdl: self.settings.show_wdl,
            material: WdlModel::material(self.position()),
            multi_pv: self.settings.multi_pv,
        };
        let telling = match self.audience {
            Audience::Program => Telling::Protocol(style),
            Audience::Person(_) => Telling::Table(Box::new(Table::new(*self.position(), style))),
        };
        self.searching = true;
        self.engine.opening.enabled = self.settings.own_book && !self.settings.analyse_mode;
        let plays = !limits.infinite && limits.mate.is_none() && !self.settings.analyse_mode;
        self.engine.level = self.settings.level().filter(|_| plays);
        self.engine.go(limits, move |event| {
            let text = telling.text(&event);
            let next = match event {
                SearchEvent::Finished(result) => {
                    Some(Event::Done { text: text.unwrap_or_default(), own_nodes: result.own_nodes })
                }
                _ => text.filter(|text| !output.line(text)).map(|_| Event::OutputClosed),
            };
            // The driver may have quit without waiting.
            let _ = next.map(|event| sender.send(event));
        });
    }

    fn limits(&mut self, go: &GoCommand) -> SearchLimits {
        let search_moves = self.search_moves(go.search_moves.as_deref());
        let position = self.position();
        let stm = position.stm();
        let (us, them) = (stm.index(), (!stm).index());
        let bounded = go.is_bounded();
        // When only the opponent's clock is given, ours is taken to show the same. With only an increment or a number
        // of moves the clock counts as empty: a move at once is better than a loss on time.
        let time = go.time[us].or(go.time[them]);
        let has_clock = time.is_some() || go.has_clock() && !bounded;
        let clock = has_clock.then(|| GameClock {
            remaining: time.unwrap_or_default(),
            increment: go.increment[us].unwrap_or_default(),
            moves_to_go: go.moves_to_go.filter(|&moves| moves > 0),
        });
        // A bare `go` means the same as `go infinite`.
        let infinite = go.infinite || !(bounded || clock.is_some() || go.ponder);
        SearchLimits {
            depth: go.depth,
            nodes: go.nodes,
            soft_nodes: None,
            mate: go.mate,
            move_time: go.move_time,
            clock: self.node_clock.start(stm, clock),
            nodes_per_ms: self.node_clock.nodes_per_ms(),
            infinite,
            ponder: go.ponder,
            search_moves,
            multi_pv: self.settings.multi_pv,
            overhead: Duration::from_millis(self.settings.overhead_ms),
        }
    }

    /// Returns the legal moves among these and names all others in one line.
    fn search_moves(&self, texts: Option<&[String]>) -> Vec<Move> {
        let Some(texts) = texts else { return Vec::new() };
        if texts.is_empty() {
            self.complain(&"no move follows searchmoves; all moves are searched");
        }
        let mut moves = Vec::new();
        let mut wrong = Vec::new();
        for text in texts {
            match parse_move(self.position(), text) {
                Ok(mv) => moves.push(mv),
                Err(_) => wrong.push(text.chars().take(10).collect::<String>()),
            }
        }
        if !wrong.is_empty() {
            let rest = if moves.is_empty() { "all moves are searched" } else { "the others are searched" };
            let more = if wrong.len() > 8 { " ..." } else { "" };
            let named = wrong[..wrong.len().min(8)].join(" ");
            self.complain(&format!("of searchmoves illegal here: {named}{more}; {rest}"));
        }
        moves
    }

    /// Starts a perft on its own thread. Its output is what perft tools parse: a line per move, then the total.
    fn perft(&mut self, depth: u32) {
        if !self.has_position() {
            return self.say(&format::perft_total(0));
        }
        let position = *self.position();
        let chess960 = self.writes_960();
        let output = Arc::clone(&self.output);
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        self.stop_work = Box::new(move || flag.store(true, Ordering::Relaxed));
        self.run_beside(move || {
            let report = |mv, leaves| {
                if !output.line(&format::perft_move(mv, leaves, chess960)) {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            perft_divide(&position, depth, &stop, report).map(format::perft_total)
        });
    }

    /// Starts long work on its own thread. The text that it returns, or why it failed, is printed when it ends.
    fn run_beside<E: std::fmt::Display>(
        &mut self,
        work: impl FnOnce() -> Result<String, E> + Send + 'static,
    ) {
        let (sender, failed) = (self.sender.clone(), Arc::clone(&self.failed));
        let run = move || {
            let text = work().unwrap_or_else(|error| {
                failed.store(true, Ordering::Relaxed);
                format::message(&error.to_string())
            });
            // The driver may have quit without waiting.
            let _ = sender.send(Event::Done { text, own_nodes: None });
        };
        match thread::Builder::new().spawn(run) {
            Ok(_) => self.searching = true,
            Err(error) => self.complain(&error),
        }
    }
}
