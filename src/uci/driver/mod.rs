//! The loop that reads commands and drives an engine.
//!
//! A reader thread turns standard input into events, and so does a finished search, so the loop never
//! blocks on either. While a search runs, `stop`, `ponderhit`, `isready`, `quit` and the like act at
//! once; everything that changes the engine waits in a queue until the search is over. `stop` and
//! `ponderhit` are also for each `go` that waits there.

mod set_option;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use super::command::{self, Command, GoCommand};
use super::help::HELP;
use super::input::{self, Input, MAX_LINE};
use super::node_clock::NodeClock;
use super::options::{self, Settings};
use super::{Output, format, position};
use crate::board::Position;
use crate::engine::{Engine, EngineError};
use crate::eval::WdlModel;
use crate::movegen::perft_divide;
use crate::nnue::Network;
use crate::notation::parse_uci;
use crate::search::{Control, GameClock, SearchEvent, SearchLimits};
use crate::types::{Depth, Move};

/// Name and version as `id name` shows them.
pub const NAME: &str = concat!("Quillon ", env!("CARGO_PKG_VERSION"));

enum Event {
    /// A line, and when it came.
    Input(Input, SystemTime),
    EndOfInput,
    /// A search, perft or bench is over.
    Done {
        /// Its last word.
        text: String,
        /// Nodes searched on the own clock, if that ran.
        own_nodes: Option<u64>,
    },
    /// Nobody reads our output any more.
    OutputClosed,
}

/// How often it is tried, after the end of input, whether anybody still reads the output.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Runs the bench to a depth with a network, writing its progress, until it is stopped, and returns its last
/// line.
pub type Bench = fn(Option<Depth>, Arc<Network>, &Output, &Arc<Control>) -> String;

/// Speaks UCI on standard input and output until `quit` or the end of input. `bench` runs the bench
/// command, which lives in a later room.
///
/// # Errors
/// When the engine cannot be set up.
pub fn run(bench: Bench) -> Result<(), EngineError> {
    // A lock of standard input cannot go to the thread that reads.
    converse(BufReader::new(stdin()), Output::standard(), bench)
}

/// The same on any streams.
///
/// # Errors
/// When the engine cannot be set up.
pub fn converse(
    stream: impl BufRead + Send + 'static,
    output: Output,
    bench: Bench,
) -> Result<(), EngineError> {
    let (sender, events) = channel();
    let reader_sender = sender.clone();
    let reader = move || read_input(stream, &reader_sender);
    thread::Builder::new().name("input".to_owned()).spawn(reader).map_err(EngineError::Thread)?;
    let mut driver = Driver {
        engine: Engine::new()?,
        settings: Settings::default(),
        node_clock: NodeClock::default(),
        output: Arc::new(output),
        sender,
        searching: false,
        stop_work: Box::new(|| {}),
        queue: VecDeque::new(),
        bench,
    };
    driver.serve(&events);
    Ok(())
}

/// Hands line by line to the driver.
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
    sender: Sender<Event>,
    /// A search, perft or bench runs, or a `bestmove` is held back.
    searching: bool,
    /// Ends a running perft or bench.
    stop_work: Box<dyn Fn()>,
    /// Commands that wait for the search to end.
    queue: VecDeque<Waiting>,
    bench: Bench,
}

impl Driver {
    fn serve(&mut self, events: &Receiver<Event>) {
        let mut input_ended = false;
        while let Some(event) = self.next_event(events, input_ended) {
            match event {
                Event::Input(Input::Line(line), time) => {
                    self.output.log_input(&line, time);
                    match command::parse(&line) {
                        Ok(None) => {}
                        Ok(Some(Command::Quit)) => break,
                        Ok(Some(command)) => self.receive(command),
                        Err(error) => self.complain(&error),
                    }
                }
                Event::Input(Input::TooLong, time) => {
                    self.output.log_input("(a line that is too long)", time);
                    self.complain(&format!("a line of more than {MAX_LINE} bytes is ignored"));
                }
                Event::Done { text, own_nodes } => {
                    // Only now may a client that waits for this line send the next command, so what it
                    // sends can never be taken as meant for the search that is over.
                    self.searching = false;
                    self.node_clock.stop(own_nodes);
                    self.output.line(&text);
                    self.drain_queue();
                }
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
        // A search that was still running is answered like any other.
        while let Ok(event) = events.try_recv() {
            if let Event::Done { text, .. } = event {
                self.output.line(&text);
            }
        }
    }

    /// Waits for the next event. When the input has ended, only a perft or bench can go on for long; it does so
    /// as long as somebody reads the output, which shows when something is written.
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

    /// Carries a command out, now or when its turn has come.
    fn receive(&mut self, command: Command) {
        // A search that was asked for before is meant, whether it has begun or not.
        match command {
            Command::Stop => mark(&mut self.queue, |waiting| &mut waiting.stop),
            Command::PonderHit => mark(&mut self.queue, |waiting| &mut waiting.ponderhit),
            _ => {}
        }
        let immediate = matches!(
            command,
            Command::Uci
                | Command::IsReady
                | Command::Stop
                | Command::PonderHit
                | Command::Debug(_)
                | Command::Help
        );
        if immediate || !self.searching && self.queue.is_empty() {
            self.execute(command);
        } else {
            self.queue.push_back(Waiting { command, stop: false, ponderhit: false });
        }
    }

    fn drain_queue(&mut self) {
        while !self.searching {
            let Some(waiting) = self.queue.pop_front() else { break };
            self.execute(waiting.command);
            if waiting.ponderhit {
                self.execute(Command::PonderHit);
            }
            if waiting.stop {
                self.execute(Command::Stop);
            }
        }
    }

    fn complain(&self, error: &dyn std::fmt::Display) {
        self.output.line(&format::message(&error.to_string()));
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Uci => self.identify(),
            Command::IsReady => self.say("readyok"),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::UciNewGame => {
                self.node_clock.new_game();
                self.engine.new_game();
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.go(&go),
            Command::Stop => {
                (self.stop_work)();
                self.engine.stop();
            }
            Command::PonderHit => self.engine.ponderhit(),
            Command::Display => self.say(&format::board(self.engine.game(), self.writes_960())),
            Command::Eval => self.say(&format::evaluation(self.position(), self.engine.network())),
            Command::Bench { depth } => self.bench(depth),
            Command::Perft { depth } => self.perft(depth),
            Command::Help => self.say(HELP),
            Command::Debug(_) | Command::Register | Command::Quit => {}
        }
    }

    fn say(&self, text: &str) {
        self.output.line(text);
    }

    fn position(&self) -> &Position {
        self.engine.game().position()
    }

    /// Castling is written king takes rook when the client asked for it, or when nothing else would be
    /// clear.
    fn writes_960(&self) -> bool {
        self.settings.chess960 || self.position().needs_chess960()
    }

    fn identify(&self) {
        let options: Vec<String> = options::describe().collect();
        self.output
            .line(&format!("id name {NAME}\nid author the Quillon authors\n{}\nuciok", options.join("\n")));
    }

    /// All or nothing: only when everything fits does the new position replace the old one.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        match position::set_up(fen, moves) {
            Ok(game) => self.engine.set_game(game),
            Err(error) => self.complain(&error),
        }
    }

    fn go(&mut self, go: &GoCommand) {
        let limits = self.limits(go);
        let (output, sender) = (Arc::clone(&self.output), self.sender.clone());
        let style = format::Style {
            chess960: self.writes_960(),
            show_wdl: self.settings.show_wdl,
            material: WdlModel::material(self.position()),
        };
        self.searching = true;
        self.engine.opening.enabled = self.settings.own_book && !self.settings.analyse_mode;
        self.engine.go(limits, move |event| {
            let text = format::event(&event, style);
            let next = match event {
                SearchEvent::Finished(result) => Some(Event::Done { text, own_nodes: result.own_nodes }),
                _ => (!output.line(&text)).then_some(Event::OutputClosed),
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
        let bounded = go.depth.is_some() || go.nodes.is_some() || go.mate.is_some() || go.move_time.is_some();
        // Where only the other side's clock is given, one like it is the best guess. Where an increment or a
        // number of moves is all there is, the clock is empty: better a move at once than none.
        let time = go.time[us].or(go.time[them]);
        let has_clock = time.is_some() || go.has_clock() && !bounded;
        let clock = has_clock.then(|| GameClock {
            remaining: time.unwrap_or_default(),
            increment: go.increment[us].unwrap_or_default(),
            moves_to_go: go.moves_to_go.filter(|&moves| moves > 0),
        });
        // A bare `go` means the same as `go infinite`.
        let infinite = go.infinite || !(bounded || clock.is_some() || go.ponder);
        let plays = !infinite && go.mate.is_none() && !self.settings.analyse_mode;
        SearchLimits {
            depth: go.depth,
            nodes: go.nodes,
            soft_nodes: None,
            level: self.settings.level().filter(|_| plays),
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

    /// The legal ones of these moves. All others are named in one line.
    fn search_moves(&self, texts: Option<&[String]>) -> Vec<Move> {
        let Some(texts) = texts else { return Vec::new() };
        if texts.is_empty() {
            self.complain(&"no move follows searchmoves; all moves are searched");
        }
        let mut moves = Vec::new();
        let mut wrong = Vec::new();
        for text in texts {
            match parse_uci(self.position(), text) {
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

    /// Counts on a thread of its own and prints what perft tools parse: a line per move, then the total.
    fn perft(&mut self, depth: u32) {
        let position = *self.position();
        let chess960 = self.writes_960();
        let output = Arc::clone(&self.output);
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        self.stop_work = Box::new(move || flag.store(true, Ordering::Relaxed));
        self.run_beside(move || {
            let tell = |mv, leaves| {
                if !output.line(&format::perft_move(mv, leaves, chess960)) {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            match perft_divide(&position, depth, &stop, tell) {
                Ok(total) => format::perft_total(total),
                Err(error) => format!("info string {error}"),
            }
        });
    }

    /// Runs the bench on a thread of its own.
    fn bench(&mut self, depth: Option<Depth>) {
        let (bench, network) = (self.bench, Arc::clone(self.engine.network()));
        let output = Arc::clone(&self.output);
        let control = Arc::new(Control::new(1, false));
        let stop = Arc::clone(&control);
        self.stop_work = Box::new(move || stop.stop());
        self.run_beside(move || bench(depth, network, &output, &control));
    }

    /// Runs long work on a thread of its own. What it returns is printed when it is done.
    fn run_beside(&mut self, work: impl FnOnce() -> String + Send + 'static) {
        let sender = self.sender.clone();
        let run = move || {
            // The driver may have quit without waiting.
            let _ = sender.send(Event::Done { text: work(), own_nodes: None });
        };
        match thread::Builder::new().spawn(run) {
            Ok(_) => self.searching = true,
            Err(error) => self.complain(&error),
        }
    }
}

/// A command that waits for a search to end, and what came for it in the meantime.
struct Waiting {
    command: Command,
    stop: bool,
    ponderhit: bool,
}

/// Sets a flag of all commands that start something. Those before one that has it have it too.
fn mark(queue: &mut VecDeque<Waiting>, flag: fn(&mut Waiting) -> &mut bool) {
    let work = |waiting: &&mut Waiting| {
        matches!(waiting.command, Command::Go(_) | Command::Perft { .. } | Command::Bench { .. })
    };
    for waiting in queue.iter_mut().rev().filter(work) {
        if std::mem::replace(flag(waiting), true) {
            break;
        }
    }
}
