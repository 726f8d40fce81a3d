//! A client that holds conversations with the real binary over pipes, as a chess program does.
//!
//! [`Client`] never blocks for ever: reading and writing happen on threads of their own, every wait has
//! a deadline, and the process dies with the client. Whatever an engine says is checked line by line:
//! UTF-8, bounded length, known keywords, and lines of moves legal to their end.

// Each test program uses a part of it.
#![allow(dead_code)]

pub mod files;
pub mod screen;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quillon::board::Position;
use quillon::notation::{format_uci, parse_uci};

/// Longest wait for something that must come. Reached only when a test fails.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Longest time from end of input or `quit` to the end of the process.
pub const EXIT_TIME: Duration = Duration::from_secs(2);
/// How long to listen for something that must not come.
pub const SILENCE: Duration = Duration::from_millis(150);
/// Longest line that a client should have to expect; principal variations fit.
pub const MAX_LINE: usize = 8192;

const ENGINE: &str = env!("CARGO_BIN_EXE_quillon");

/// The engine's process with both ends of the conversation.
pub struct Client {
    pub child: Child,
    /// `None` after the end of input.
    input: Option<Sender<Vec<u8>>>,
    pub lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    /// Lines of the running search that were read while waiting for its end.
    pub heard: Vec<String>,
    /// Everything said so far, for failure messages.
    pub log: String,
}

impl Client {
    pub fn start() -> Client {
        Client::spawn(&mut Command::new(ENGINE), listen)
    }

    /// A client of an engine that runs in a folder.
    pub fn start_in(folder: &Path) -> Client {
        Client::spawn(Command::new(ENGINE).current_dir(folder), listen)
    }

    /// A client of an engine that can have only so much memory.
    #[cfg(target_os = "linux")]
    pub fn with_memory(kib: u64) -> Client {
        let script = format!("ulimit -v {kib} && exec \"$0\"");
        Client::spawn(Command::new("sh").args(["-c", &script, ENGINE]), listen)
    }

    /// A client that never listens: the read end of the engine's output is closed from the start.
    pub fn deaf() -> Client {
        Client::spawn(&mut Command::new(ENGINE), |output| {
            drop(output);
            channel().1
        })
    }

    fn spawn(engine: &mut Command, listen: impl FnOnce(ChildStdout) -> Receiver<String>) -> Client {
        let mut child = engine
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let (sender, input) = channel::<Vec<u8>>();
        let mut stdin = child.stdin.take().expect("piped");
        // Ends, and closes the pipe, when the sender is dropped or the engine is gone.
        thread::spawn(move || {
            while let Ok(bytes) = input.recv() {
                if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let lines = listen(child.stdout.take().expect("piped"));
        let mut stderr = child.stderr.take().expect("piped");
        let errors = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Client {
            child,
            input: Some(sender),
            lines,
            errors: Some(errors),
            heard: Vec::new(),
            log: String::new(),
        }
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let shown = &bytes[..bytes.len().min(200)];
        self.log.push_str(&format!("> {:?}\n", String::from_utf8_lossy(shown)));
        self.input.as_ref().expect("input is open").send(bytes.to_vec()).expect("the writer lives");
    }

    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub fn end_input(&mut self) {
        self.log.push_str("> (end of input)\n");
        self.input = None;
    }

    /// The next line, if one comes before the deadline.
    pub fn next_line(&mut self, deadline: Instant) -> Option<String> {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                self.log.push_str(&format!("< {line}\n"));
                Some(line)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// All lines up to the first that `is_last` accepts, that one included.
    pub fn read_until(&mut self, what: &str, mut is_last: impl FnMut(&str) -> bool) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            let Some(line) = self.next_line(deadline) else {
                panic!("no {what} came\n{}", self.log);
            };
            lines.push(line);
            if lines.last().is_some_and(|line| is_last(line)) {
                return lines;
            }
        }
    }

    /// Everything up to the answer to `isready`, that answer excluded.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.read_until("readyok", |line| line == "readyok");
        lines.pop();
        lines
    }

    /// Everything up to `bestmove`, that line included, with what [`Client::expect_no_bestmove`] heard.
    pub fn search_lines(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.heard);
        lines.extend(self.read_until("bestmove", |line| line.starts_with("bestmove")));
        lines
    }

    /// Asserts that no `bestmove` comes for a while.
    pub fn expect_no_bestmove(&mut self) {
        let deadline = Instant::now() + SILENCE;
        while let Some(line) = self.next_line(deadline) {
            assert!(!line.starts_with("bestmove"), "too early\n{}", self.log);
            self.heard.push(line);
        }
    }

    /// Sends a line that is wrong and asserts that it is answered by one `info string`.
    pub fn expect_complaint(&mut self, line: &str) -> String {
        self.send(line);
        let answer = self.sync();
        assert!(answer.len() == 1 && answer[0].starts_with("info string "), "{answer:?}\n{}", self.log);
        answer.into_iter().next().unwrap_or_default()
    }

    /// Asserts that the engine knows of no position: whatever is asked, it says so and gives no move.
    pub fn expect_no_position(&mut self) {
        const REASON: &str = "info string there is no position: ";
        for question in ["d", "eval"] {
            let complaint = self.expect_complaint(question);
            assert!(complaint.starts_with(REASON), "{complaint}\n{}", self.log);
        }
        for go in [
            "go depth 3",
            "go infinite",
            "go ponder wtime 1000 btime 1000",
            "go",
            "go movetime 100000 searchmoves e2e4 a1a1",
            "go wtime 100000 btime 100000",
        ] {
            self.send(go);
            let lines = self.search_lines();
            let [reason, answer] = &lines[..] else { panic!("{lines:?}\n{}", self.log) };
            assert!(reason.starts_with(REASON) && answer == "bestmove 0000", "{lines:?}\n{}", self.log);
        }
        self.send("go perft 3");
        let lines = self.read_until("a count", |line| line.starts_with("Nodes searched"));
        assert!(lines[0].starts_with(REASON), "{lines:?}\n{}", self.log);
        assert_eq!(lines.last().map(String::as_str), Some("Nodes searched: 0"), "{}", self.log);
        // Nothing goes on that `stop` could end.
        self.send("stop\nponderhit");
        assert_eq!(self.sync(), [""; 0], "{}", self.log);
    }

    /// The current position as `d` tells it.
    pub fn fen(&mut self) -> String {
        self.send("d");
        let lines = self.read_until("board", |line| line.starts_with("Legal moves ("));
        let fen = lines.iter().find_map(|line| line.strip_prefix("FEN: "));
        fen.unwrap_or_else(|| panic!("no FEN\n{}", self.log)).to_owned()
    }

    /// Sets a position up, searches, and checks all that is said.
    pub fn search(&mut self, position: &str, go: &str) -> Search {
        self.send(position);
        self.send(go);
        let lines = self.search_lines();
        Search::check(&root_of(position), &lines, false)
    }

    /// Waits for the process to end by itself and returns what it said until then.
    pub fn wait_for_exit(mut self) -> Vec<String> {
        let status = self.exit_status();
        let mut lines = Vec::new();
        while let Some(line) = self.next_line(Instant::now() + PATIENCE) {
            lines.push(line);
        }
        let errors = self.errors.take().map(|errors| errors.join().unwrap_or_default());
        assert_eq!(errors.as_deref(), Some(""), "\n{}", self.log);
        assert!(status.success(), "{status}\n{}", self.log);
        lines
    }

    pub fn exit_status(&mut self) -> ExitStatus {
        let deadline = Instant::now() + EXIT_TIME;
        loop {
            if let Some(status) = self.child.try_wait().expect("the child can be waited for") {
                return status;
            }
            assert!(Instant::now() < deadline, "the process does not end\n{}", self.log);
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn quit(mut self) -> Vec<String> {
        self.send("quit");
        self.wait_for_exit()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || read_lines(output, &sender));
    lines
}

fn read_lines(output: ChildStdout, lines: &Sender<String>) {
    let mut output = BufReader::new(output);
    let mut bytes = Vec::new();
    while output.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
        let line = match std::str::from_utf8(&bytes) {
            Ok(line) if line.len() <= MAX_LINE => line.trim_end_matches(['\r', '\n']).to_owned(),
            Ok(line) => format!("(a line of {} bytes)", line.len()),
            Err(error) => format!("(a line that is not UTF-8: {error})"),
        };
        if lines.send(line).is_err() {
            return;
        }
        bytes.clear();
    }
}

/// The position that a `position` command describes.
pub fn root_of(command: &str) -> Position {
    let words: Vec<&str> = command.split_whitespace().collect();
    let moves_at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let mut position = match words.get(1) {
        Some(&"startpos") => Position::start(),
        _ => words[2..moves_at].join(" ").parse().expect("tests give valid FENs"),
    };
    for text in words.iter().skip(moves_at + 1) {
        position.make(parse_uci(&position, text).expect("tests give legal moves"));
    }
    position
}

/// What a search said, checked and taken apart.
#[derive(Debug, Default)]
pub struct Search {
    pub best: String,
    pub ponder: Option<String>,
    /// Values of the last main line by keyword: `depth`, `nodes`, `score` ("cp 12") and so on.
    pub infos: Vec<Info>,
}

/// One `info` line with a score.
#[derive(Clone, Debug, Default)]
pub struct Info {
    pub depth: i32,
    pub multi_pv: usize,
    pub score: String,
    pub is_bound: bool,
    pub nodes: u64,
    /// Chances to win, draw and lose in permille.
    pub wdl: Option<[i64; 3]>,
    pub pv: Vec<String>,
}

impl Search {
    /// Checks each line of a finished search from `root`.
    pub fn check(root: &Position, lines: &[String], chess960: bool) -> Search {
        let mut search = Search::default();
        for line in lines {
            if let Some(rest) = line.strip_prefix("bestmove ") {
                let words: Vec<&str> = rest.split(' ').collect();
                match words[..] {
                    [best] => search.best = best.to_owned(),
                    [best, "ponder", ponder] => {
                        search.best = best.to_owned();
                        search.ponder = Some(ponder.to_owned());
                    }
                    _ => panic!("{line}"),
                }
            } else if line.contains(" score ") {
                search.infos.push(Info::parse(line, root, chess960));
            } else {
                let known = line.starts_with("info string ")
                    || line.starts_with("info nodes ")
                    || line.contains(" currmove ");
                assert!(known, "unexpected line: {line}");
            }
        }
        assert!(lines.last().is_some_and(|line| line.starts_with("bestmove")), "{lines:?}");
        if search.best == "(none)" {
            assert!(!root.has_legal_move() && search.ponder.is_none(), "{lines:?}");
            return search;
        }
        let reply = search.ponder.iter().cloned();
        check_line(root, [search.best.clone()].into_iter().chain(reply), chess960);
        let main = search.main();
        let shown = (main.pv.first(), main.pv.get(1));
        assert_eq!((Some(&search.best), search.ponder.as_ref()), shown, "bestmove and last line\n{lines:#?}");
        search
    }

    /// The last line of the best move.
    pub fn main(&self) -> &Info {
        let main = self.infos.iter().rfind(|info| info.multi_pv == 1);
        main.unwrap_or_else(|| panic!("no line of analysis: {self:?}"))
    }

    /// The lines of the last iteration that all of `count` lines were reported for.
    pub fn last_lines(&self, count: usize) -> &[Info] {
        let end = self.infos.iter().rposition(|info| info.multi_pv == count).expect("all lines are reported");
        &self.infos[end + 1 - count..=end]
    }
}

impl Info {
    pub fn parse(line: &str, root: &Position, chess960: bool) -> Info {
        let mut info = Info { multi_pv: 1, ..Info::default() };
        let mut words = line.split(' ').peekable();
        assert_eq!(words.next(), Some("info"), "{line}");
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next().unwrap_or_default();
                text.parse::<i64>().unwrap_or_else(|_| panic!("'{word} {text}' in {line}"))
            };
            match word {
                "depth" => info.depth = number() as i32,
                "multipv" => info.multi_pv = number() as usize,
                "nodes" => info.nodes = number() as u64,
                "seldepth" | "nps" | "time" | "tbhits" => assert!(number() >= 0, "{line}"),
                "hashfull" => assert!((0..=1000).contains(&number()), "{line}"),
                "score" => {
                    let kind = words.next().unwrap_or_default();
                    let value = words.next().unwrap_or_default();
                    let value: i32 = value.parse().unwrap_or_else(|_| panic!("{line}"));
                    // Evaluations end at 10,000; tablebase wins are 20,000 less the plies to them.
                    let size = value.abs();
                    let is_known = size <= 10_000 || (19_000..=20_000).contains(&size);
                    assert!(kind == "mate" || kind == "cp" && is_known, "{line}");
                    info.score = format!("{kind} {value}");
                }
                "wdl" => {
                    let chances = [number(), number(), number()];
                    assert!(chances.iter().all(|chance| (0..=1000).contains(chance)), "{line}");
                    assert_eq!(chances.iter().sum::<i64>(), 1000, "{line}");
                    info.wdl = Some(chances);
                }
                "lowerbound" | "upperbound" => info.is_bound = true,
                "pv" => info.pv = words.by_ref().map(str::to_owned).collect(),
                _ => panic!("unknown word '{word}' in {line}"),
            }
        }
        let end = check_line(root, info.pv.iter().cloned(), chess960);
        // Tables tell of wins and losses that end in mate.
        let is_evaluation = info
            .score
            .strip_prefix("cp ")
            .is_some_and(|cp| cp.parse().is_ok_and(|cp: i32| cp.abs() <= 10_000));
        assert!(!is_evaluation || end.has_legal_move() || !end.in_check(), "checkmate at the end of {line}");
        if root.has_legal_move() {
            assert!(info.depth >= 1 && !info.pv.is_empty(), "{line}");
        }
        info
    }
}

/// Every move is legal and spelled as this mode wants it. Returns the position at the end.
pub fn check_line(root: &Position, moves: impl Iterator<Item = String>, chess960: bool) -> Position {
    let mut position = *root;
    for text in moves {
        let mv = parse_uci(&position, &text).unwrap_or_else(|error| panic!("{error} in {position}"));
        assert_eq!(text, format_uci(mv, chess960), "in {position}");
        position.make(mv);
    }
    position
}
