//! The loop that reads commands and drives an engine.
//!
//! A reader thread turns standard input into events, and so does a finished search, so the loop never
//! blocks on either. While a search runs, `stop`, `ponderhit`, `isready`, `quit` and the like act at
//! once; everything that changes the engine waits in a queue until the search is over. `stop` and
//! `ponderhit` are also for each `go` that waits there.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, stdin};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use super::command::{self, Command, GoCommand};
use super::help::HELP;
use super::input::{self, Input, MAX_LINE};
use super::node_clock::NodeClock;
use super::options::{self, Change, Settings};
use super::{Output, format, position};
use crate::board::Position;
use crate::book::Book;
use crate::engine::{Engine, EngineError};
use crate::eval::WdlModel;
use crate::movegen::{PerftOptions, perft_parallel};
use crate::nnue::{self, Network};
use crate::notation::parse_uci;
use crate::search::{GameClock, SearchEvent, SearchLimits};
use crate::tablebase::{Opened, ProbeRules, Tablebases};
use crate::types::{Depth, Move};

/// Name and version as `id name` shows them.
pub const NAME: &str = concat!("Quillon ", env!("CARGO_PKG_VERSION"));

/// Unusable table files that are named one by one.
const SHOWN_FAULTS: usize = 8;

enum Event {
    /// A line, and when it came.
    Input(Input, SystemTime),
    EndOfInput,
    /// A search, perft or bench is over.
    Done {
        /// Its last word.
        text: String,
        /// Nodes searched.
        nodes: u64,
    },
    /// Nobody reads our output any more.
    OutputClosed,
}

/// Runs the bench to a depth with a network, writing its progress, and returns
/// its last line.
pub type Bench = fn(Option<Depth>, Arc<Network>, &Output) -> String;

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
        perft_stop: Arc::default(),
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
    /// A search or perft runs, or a `bestmove` is held back.
    searching: bool,
    /// Ends a running perft.
    perft_stop: Arc<AtomicBool>,
    /// Commands that wait for the search to end.
    queue: VecDeque<Waiting>,
    bench: Bench,
}

impl Driver {
    fn serve(&mut self, events: &Receiver<Event>) {
        let mut input_ended = false;
        while let Ok(event) = events.recv() {
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
                Event::Done { text, nodes } => {
                    // Only now may a client that waits for this line send the next command, so what it
                    // sends can never be taken as meant for the search that is over.
                    self.searching = false;
                    self.node_clock.stop(nodes);
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
        self.engine.stop();
        self.engine.wait();
        // A search that was still running is answered like any other.
        while let Ok(event) = events.try_recv() {
            if let Event::Done { text, .. } = event {
                self.output.line(&text);
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
        // The text may quote input, which may be long or unprintable.
        let text: String =
            error.to_string().chars().filter(|letter| !letter.is_control()).take(200).collect();
        self.output.line(&format!("info string {text}"));
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
                self.perft_stop.store(true, Ordering::Relaxed);
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

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        #[cfg(feature = "tuning")]
        if let Some(value) = value.and_then(|value| value.parse().ok())
            && self.engine.params.set(name, value)
        {
            return;
        }
        let change = match options::parse(name, value) {
            Ok(change) => change,
            Err(error) => return self.complain(&error),
        };
        match change {
            Change::Hash(mib) => {
                let done = self.engine.set_hash(mib);
                self.complain_if_failed(done);
            }
            Change::Threads(threads) => {
                let done = self.engine.set_threads(threads);
                self.complain_if_failed(done);
            }
            Change::ClearHash => self.engine.clear(),
            Change::Overhead(ms) => self.settings.overhead_ms = ms,
            Change::MultiPv(lines) => self.settings.multi_pv = lines,
            Change::Chess960(on) => self.settings.chess960 = on,
            Change::ShowWdl(on) => self.settings.show_wdl = on,
            Change::EvalFile(path) => self.set_eval_file(path.as_deref()),
            Change::NodesTime(nodes) => self.node_clock.set(nodes),
            Change::DebugLog(path) => {
                if let Err(error) = self.output.set_log(path.as_deref()) {
                    let path = path.unwrap_or_default();
                    self.complain(&format!("Debug Log File {}: {error}", path.display()));
                }
            }
            Change::SyzygyPath(path) => self.set_syzygy_path(path.as_deref()),
            Change::SyzygyProbeDepth(min_depth) => {
                self.engine.set_probe_rules(ProbeRules { min_depth, ..self.engine.probe_rules() })
            }
            Change::SyzygyProbeLimit(max_men) => {
                self.engine.set_probe_rules(ProbeRules { max_men, ..self.engine.probe_rules() })
            }
            Change::Syzygy50MoveRule(fifty_move_rule) => {
                self.engine.set_probe_rules(ProbeRules { fifty_move_rule, ..self.engine.probe_rules() })
            }
            Change::OwnBook(on) => self.settings.own_book = on,
            Change::AnalyseMode(on) => self.settings.analyse_mode = on,
            Change::BookFile(path) => self.set_book_file(path.as_deref()),
            Change::BookDepth(moves) => self.engine.opening.depth = moves,
            Change::BestBookMove(on) => self.engine.opening.best_only = on,
            Change::LimitStrength(on) => self.settings.limit_strength = on,
            Change::Elo(elo) => self.settings.elo = elo,
            Change::Skill(skill) => self.settings.skill = skill,
            // Pondering is the client's decision; `go ponder` always works.
            Change::Nothing => {}
        }
    }

    fn complain_if_failed(&self, done: Result<(), EngineError>) {
        if let Err(error) = done {
            self.complain(&error);
        }
    }

    /// Evaluates with the network of a file from now on, or as built in. With an unusable file the present
    /// evaluation stays.
    fn set_eval_file(&mut self, path: Option<&Path>) {
        let Some(path) = path else { return self.engine.set_network(nnue::built_in()) };
        match Network::load(path) {
            Ok(network) => {
                self.say(&format!("info string {}", format::network(&network)));
                self.engine.set_network(Arc::new(network));
            }
            Err(error) => self.complain(&format!("EvalFile {}: {error}", path.display())),
        }
    }

    /// Uses the endgame tables of these folders from now on, and tells what was found.
    fn set_syzygy_path(&mut self, path: Option<&str>) {
        let Some(path) = path else { return self.engine.set_tablebases(None) };
        let Opened { tables, faults } = Tablebases::open(path);
        for fault in faults.iter().take(SHOWN_FAULTS) {
            self.complain(&format!("Syzygy: {fault}"));
        }
        if faults.len() > SHOWN_FAULTS {
            self.complain(&format!("Syzygy: {} more faults like these", faults.len() - SHOWN_FAULTS));
        }
        match &tables {
            Some(tables) => self.say(&format!("info string Syzygy: {tables}")),
            None => self.say("info string Syzygy: no tables found"),
        }
        self.engine.set_tablebases(tables);
    }

    /// Takes opening moves from a file from now on. With an unusable file there is no book.
    fn set_book_file(&mut self, path: Option<&Path>) {
        let book = path.map(|path| Book::load(path).map_err(|error| (path, error))).transpose();
        self.engine.opening.book = book.unwrap_or_else(|(path, error)| {
            self.complain(&format!("BookFile {}: {error}", path.display()));
            None
        });
        if let Some(book) = &self.engine.opening.book {
            self.say(&format!("info string book with {} entries", book.entry_count()));
        }
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
                SearchEvent::Finished(result) => Some(Event::Done { text, nodes: result.nodes }),
                _ => (!output.line(&text)).then_some(Event::OutputClosed),
            };
            // The driver may have quit without waiting.
            let _ = next.map(|event| sender.send(event));
        });
    }

    fn limits(&mut self, go: &GoCommand) -> SearchLimits {
        let search_moves = self.search_moves(&go.search_moves);
        let position = self.position();
        let stm = position.stm();
        let (us, them) = (stm.index(), (!stm).index());
        // Where only the other side's clock is given, one like it is the best guess; where only an
        // increment is given, the clock is empty.
        let time = go.time[us].or(go.time[them]);
        let clock = (time.is_some() || go.increment[us].is_some()).then(|| GameClock {
            remaining: time.unwrap_or_default(),
            increment: go.increment[us].unwrap_or_default(),
            moves_to_go: go.moves_to_go,
        });
        let bounded = go.depth.is_some() || go.nodes.is_some() || go.mate.is_some() || go.move_time.is_some();
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
    fn search_moves(&self, texts: &[String]) -> Vec<Move> {
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
        let stop = Arc::new(AtomicBool::new(false));
        self.perft_stop = Arc::clone(&stop);
        self.run_beside(move || {
            let options = PerftOptions { depth, threads: 1, hash_mib: 0 };
            match perft_parallel(&position, options, &stop) {
                Ok(report) => format::perft(&report, chess960),
                Err(error) => format!("info string {error}"),
            }
        });
    }

    /// Runs the bench on a thread of its own.
    fn bench(&mut self, depth: Option<Depth>) {
        let (bench, network) = (self.bench, Arc::clone(self.engine.network()));
        let output = Arc::clone(&self.output);
        self.run_beside(move || bench(depth, network, &output));
    }

    /// Runs long work on a thread of its own. What it returns is printed when it is done.
    fn run_beside(&mut self, work: impl FnOnce() -> String + Send + 'static) {
        let sender = self.sender.clone();
        let run = move || {
            // The driver may have quit without waiting.
            let _ = sender.send(Event::Done { text: work(), nodes: 0 });
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
    let work = |waiting: &&mut Waiting| matches!(waiting.command, Command::Go(_) | Command::Perft { .. });
    for waiting in queue.iter_mut().rev().filter(work) {
        if std::mem::replace(flag(waiting), true) {
            break;
        }
    }
}
