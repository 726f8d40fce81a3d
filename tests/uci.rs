//! Conversations with the real binary over pipes, as a chess program has them.
//!
//! [`Client`] never blocks for ever: reading and writing happen on threads of their own, every wait has
//! a deadline, and the process dies with the client. Whatever an engine says is checked line by line:
//! UTF-8, bounded length, known keywords, and lines of moves legal to their end.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quillon::board::{Position, START_FEN};
use quillon::eval::WdlModel;
use quillon::nnue::{Network, NetworkParts};
use quillon::notation::{format_uci, parse_uci};
use quillon::types::Score;

/// Longest wait for something that must come. Reached only when a test fails.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest time from end of input or `quit` to the end of the process.
const EXIT_TIME: Duration = Duration::from_secs(2);
/// How long to listen for something that must not come.
const SILENCE: Duration = Duration::from_millis(150);
/// Longest line that a client should have to expect; principal variations fit.
const MAX_LINE: usize = 8192;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
/// White mates at once.
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
const CHECKMATE: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// The engine's process with both ends of the conversation.
struct Client {
    child: Child,
    /// `None` after the end of input.
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    /// Lines of the running search that were read while waiting for its end.
    heard: Vec<String>,
    /// Everything said so far, for failure messages.
    log: String,
}

impl Client {
    fn start() -> Client {
        Client::spawn(|output| {
            let (sender, lines) = channel();
            thread::spawn(move || read_lines(output, &sender));
            lines
        })
    }

    /// A client that never listens: the read end of the engine's output is closed from the start.
    fn deaf() -> Client {
        Client::spawn(|output| {
            drop(output);
            channel().1
        })
    }

    fn spawn(listen: impl FnOnce(ChildStdout) -> Receiver<String>) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quillon"))
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

    fn send_bytes(&mut self, bytes: &[u8]) {
        let shown = &bytes[..bytes.len().min(200)];
        self.log.push_str(&format!("> {:?}\n", String::from_utf8_lossy(shown)));
        self.input.as_ref().expect("input is open").send(bytes.to_vec()).expect("the writer lives");
    }

    fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    fn end_input(&mut self) {
        self.log.push_str("> (end of input)\n");
        self.input = None;
    }

    /// The next line, if one comes before the deadline.
    fn next_line(&mut self, deadline: Instant) -> Option<String> {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                self.log.push_str(&format!("< {line}\n"));
                Some(line)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// All lines up to the first that `is_last` accepts, that one included.
    fn read_until(&mut self, what: &str, is_last: impl Fn(&str) -> bool) -> Vec<String> {
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
    fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.read_until("readyok", |line| line == "readyok");
        lines.pop();
        lines
    }

    /// Everything up to `bestmove`, that line included, with what [`Client::expect_no_bestmove`] heard.
    fn search_lines(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.heard);
        lines.extend(self.read_until("bestmove", |line| line.starts_with("bestmove")));
        lines
    }

    /// Asserts that no `bestmove` comes for a while.
    fn expect_no_bestmove(&mut self) {
        let deadline = Instant::now() + SILENCE;
        while let Some(line) = self.next_line(deadline) {
            assert!(!line.starts_with("bestmove"), "too early\n{}", self.log);
            self.heard.push(line);
        }
    }

    /// Sends a line that is wrong and asserts that it is answered by one `info string`.
    fn expect_complaint(&mut self, line: &str) -> String {
        self.send(line);
        let answer = self.sync();
        assert!(answer.len() == 1 && answer[0].starts_with("info string "), "{answer:?}\n{}", self.log);
        answer.into_iter().next().unwrap_or_default()
    }

    /// The current position as `d` tells it.
    fn fen(&mut self) -> String {
        self.send("d");
        let lines = self.read_until("board", |line| line.starts_with("Legal moves ("));
        let fen = lines.iter().find_map(|line| line.strip_prefix("FEN: "));
        fen.unwrap_or_else(|| panic!("no FEN\n{}", self.log)).to_owned()
    }

    /// Sets a position up, searches, and checks all that is said.
    fn search(&mut self, position: &str, go: &str) -> Search {
        self.send(position);
        self.send(go);
        let lines = self.search_lines();
        Search::check(&root_of(position), &lines, false)
    }

    /// Waits for the process to end by itself and returns what it said until then.
    fn wait_for_exit(mut self) -> Vec<String> {
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

    fn exit_status(&mut self) -> ExitStatus {
        let deadline = Instant::now() + EXIT_TIME;
        loop {
            if let Some(status) = self.child.try_wait().expect("the child can be waited for") {
                return status;
            }
            assert!(Instant::now() < deadline, "the process does not end\n{}", self.log);
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn quit(mut self) -> Vec<String> {
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
fn root_of(command: &str) -> Position {
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
struct Search {
    best: String,
    ponder: Option<String>,
    /// Values of the last main line by keyword: `depth`, `nodes`, `score` ("cp 12") and so on.
    infos: Vec<Info>,
}

/// One `info` line with a score.
#[derive(Clone, Debug, Default)]
struct Info {
    depth: i32,
    multi_pv: usize,
    score: String,
    is_bound: bool,
    nodes: u64,
    /// Chances to win, draw and lose in permille.
    wdl: Option<[i64; 3]>,
    pv: Vec<String>,
}

impl Search {
    /// Checks each line of a finished search from `root`.
    fn check(root: &Position, lines: &[String], chess960: bool) -> Search {
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
                let known = line.starts_with("info string ") || line.contains(" currmove ");
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
        assert_eq!(Some(&search.best), main.pv.first(), "bestmove and last main line\n{lines:#?}");
        search
    }

    /// The last line of the best move.
    fn main(&self) -> &Info {
        let main = self.infos.iter().rfind(|info| info.multi_pv == 1);
        main.unwrap_or_else(|| panic!("no line of analysis: {self:?}"))
    }

    /// The lines of the last iteration that all of `count` lines were reported for.
    fn last_lines(&self, count: usize) -> &[Info] {
        let end = self.infos.iter().rposition(|info| info.multi_pv == count).expect("all lines are reported");
        &self.infos[end + 1 - count..=end]
    }
}

impl Info {
    fn parse(line: &str, root: &Position, chess960: bool) -> Info {
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
                    assert!(kind == "mate" || kind == "cp" && value.abs() <= 10_000, "{line}");
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
        check_line(root, info.pv.iter().cloned(), chess960);
        if root.has_legal_move() {
            assert!(info.depth >= 1 && !info.pv.is_empty(), "{line}");
        }
        info
    }
}

/// Every move is legal and spelled as this mode wants it.
fn check_line(root: &Position, moves: impl Iterator<Item = String>, chess960: bool) {
    let mut position = *root;
    for text in moves {
        let mv = parse_uci(&position, &text).unwrap_or_else(|error| panic!("{error} in {position}"));
        assert_eq!(text, format_uci(mv, chess960), "in {position}");
        position.make(mv);
    }
}

/// SplitMix64: failures must be repeatable.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// A random game from the initial position that is not over after so many plies.
fn random_game(plies: usize, seed: u64) -> Vec<String> {
    for seed in seed.. {
        let mut rng = Rng(seed);
        let mut position = Position::start();
        let mut moves = Vec::new();
        while moves.len() < plies {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[rng.below(legal.len())];
            moves.push(format_uci(mv, false));
            position.make(mv);
        }
        if moves.len() == plies && position.has_legal_move() {
            return moves;
        }
    }
    unreachable!("some random game is long enough")
}

#[test]
fn identifies_itself_and_lists_its_options() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.read_until("uciok", |line| line == "uciok");
    assert!(lines[0].starts_with("id name Quillon"), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    let options = &lines[2..lines.len() - 1];
    assert!(options.iter().all(|line| line.starts_with("option name ")), "{lines:?}");
    for expected in [
        "option name Hash type spin default 16 min 1 max ",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max ",
        "option name Move Overhead type spin default ",
        "option name MultiPV type spin default 1 min 1 max ",
        "option name Ponder type check default false",
        "option name UCI_Chess960 type check default false",
        "option name EvalFile type string default <empty>",
    ] {
        assert!(options.iter().any(|line| line.starts_with(expected)), "{expected}: {lines:#?}");
    }
    // Every default is accepted, each in silence.
    for line in options {
        let words: Vec<&str> = line.split(' ').collect();
        let type_at = words.iter().position(|&word| word == "type").expect("options have a type");
        let name = words[2..type_at].join(" ");
        let value = words.iter().position(|&word| word == "default").map(|at| words[at + 1]);
        let value = value.map_or(String::new(), |value| format!(" value {value}"));
        client.send(&format!("setoption name {name}{value}"));
    }
    assert_eq!(client.sync(), [""; 0], "{}", client.log);
    assert_eq!(client.quit(), [""; 0]);
}

#[test]
fn wrong_options_are_refused_in_one_line() {
    let mut client = Client::start();
    for line in [
        "setoption",
        "setoption name",
        "setoption name value 3",
        "setoption Hash value 3",
        "setoption name Nonsense value 3",
        "setoption name Hash",
        "setoption name Hash value",
        "setoption name Hash value zero",
        "setoption name Hash value 0",
        "setoption name Hash value -5",
        "setoption name Hash value 1.5",
        "setoption name Hash value 33554433",
        "setoption name Hash value 99999999999999999999999",
        "setoption name Threads value 0",
        "setoption name Threads value 100000",
        "setoption name MultiPV value 0",
        "setoption name Move Overhead value -1",
        "setoption name UCI_Chess960 value maybe",
        "setoption name Ponder value 1",
    ] {
        client.expect_complaint(line);
    }
    assert_eq!(client.search("position startpos", "go depth 4").main().depth, 4);
    client.quit();
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    let mut client = Client::start();
    // The largest size of the list: 32 TiB. Where the system promises memory that it does not have, the
    // size may be accepted; untouched pages cost nothing then.
    client.send("setoption name Hash value 33554432");
    let answer = client.sync();
    assert!(answer.len() <= 1, "{answer:?}");
    assert!(answer.iter().all(|line| line.starts_with("info string not enough memory")), "{answer:?}");
    assert_eq!(client.search(&format!("position fen {KIWIPETE}"), "go depth 5").main().depth, 5);
    client.send("setoption name Hash value 2");
    assert_eq!(client.sync(), [""; 0]);
    assert_eq!(client.search("position startpos", "go depth 5").main().depth, 5);
    client.quit();
}

#[test]
fn option_names_are_matched_without_case_and_act() {
    let mut client = Client::start();
    client.send("setoption name mUlTiPv value 3");
    let search = client.search("position startpos", "go depth 5");
    assert_eq!(search.last_lines(3).len(), 3);
    client.send("setoption name multipv value 1");
    let search = client.search("position startpos", "go depth 5");
    assert!(search.infos.iter().all(|info| info.multi_pv == 1));
    client.quit();
}

/// A folder that is removed with this value.
struct Folder(PathBuf);

impl Folder {
    /// The blanks in its name are there to be kept.
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("quillon  {name} {}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("the test may write its folder");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn network_file() -> Vec<u8> {
    Network::new(NetworkParts::random(7, 64, 8)).expect("random networks are valid").to_bytes()
}

#[test]
fn chances_are_shown_on_demand_and_fit_the_score() {
    let mut client = Client::start();
    let queen_down = "position fen rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";
    let search = client.search(queen_down, "go depth 5");
    assert!(search.infos.iter().all(|info| info.wdl.is_none()));
    client.send("setoption name UCI_ShowWDL value true");
    let search = client.search(queen_down, "go depth 5");
    assert!(search.infos.iter().all(|info| info.wdl.is_some()));
    let [win, draw, loss] = search.main().wdl.unwrap();
    assert!(win < 20 && loss > 950, "{win} {draw} {loss}");
    let mate = client.search("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "go depth 3");
    assert_eq!(mate.main().wdl, Some([1000, 0, 0]));
}

/// What `eval` answers.
fn evaluation(client: &mut Client) -> Vec<String> {
    client.send("eval");
    client.sync()
}

#[test]
fn a_network_file_replaces_the_evaluation() {
    let folder = Folder::new("good");
    let path = folder.write("my  net.nnue", &network_file());
    let mut client = Client::start();
    let built_in = (evaluation(&mut client), client.search("position startpos", "go depth 6").main().nodes);
    client.send(&format!("setoption name EvalFile value {path}"));
    assert_eq!(client.sync(), ["info string network random 7 (768hm->64)x2->1x8"]);
    let answer = evaluation(&mut client);
    assert_eq!(answer[0], "network random 7 (768hm->64)x2->1x8");
    let value = Network::from_bytes(&network_file()).expect("the file is sound").evaluate(&Position::start());
    let value = WdlModel::FITTED.centipawns(Score(value), WdlModel::material(&Position::start()));
    assert_eq!(answer[1], format!("Evaluation: {value:+} cp for White, {value:+} cp for the side to move"));
    assert_ne!(client.search("position startpos", "go depth 6").main().nodes, built_in.1);
    // And back, as if it had never been there.
    client.send("setoption name EvalFile value <empty>");
    assert_eq!(client.sync(), [""; 0]);
    assert_eq!(evaluation(&mut client), built_in.0);
    assert_eq!(client.search("position startpos", "go depth 6").main().nodes, built_in.1);
    client.quit();
}

#[test]
fn an_unusable_network_file_is_refused_by_name() {
    let folder = Folder::new("bad");
    let bytes = network_file();
    let mut corrupt = bytes.clone();
    corrupt[5000] ^= 4;
    let mut newer = bytes.clone();
    newer[8] = 9;
    let mut client = Client::start();
    client.send(&format!("setoption name EvalFile value {}", folder.write("good.nnue", &bytes)));
    assert_eq!(client.sync().len(), 1);
    let before = evaluation(&mut client);
    for (path, reason) in [
        (folder.0.join("missing.nnue").display().to_string(), "cannot be read"),
        (folder.0.display().to_string(), "not a regular file"),
        (folder.write("empty.nnue", b""), "not a Quillon network"),
        (folder.write("wrong.nnue", b"Stockfish has another format"), "not a Quillon network"),
        (folder.write("header.nnue", &bytes[..20]), "truncated, 20 bytes of 28"),
        (folder.write("short.nnue", &bytes[..bytes.len() - 7]), "truncated"),
        (folder.write("long.nnue", &[&bytes[..], b"more"].concat()), "4 bytes too many"),
        (folder.write("corrupt.nnue", &corrupt), "corrupt, the checksum does not match"),
        (folder.write("newer.nnue", &newer), "file version 9, this program reads version 1"),
    ] {
        let complaint = client.expect_complaint(&format!("setoption name EvalFile value {path}"));
        assert!(complaint.starts_with(&format!("info string EvalFile {path}: ")), "{complaint}");
        assert!(complaint.contains(reason), "{complaint}");
        assert_eq!(evaluation(&mut client), before, "the present evaluation stays");
    }
    assert_eq!(client.search("position startpos", "go depth 5").main().depth, 5);
    client.quit();
}

#[test]
fn tools_take_a_network_file_too() {
    let folder = Folder::new("tools");
    let good = folder.write("good.nnue", &network_file());
    let bad = folder.write("bad.nnue", b"nothing");
    let epd = folder.write("one.epd", b"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8;\n");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_quillon")).args(arguments).output();
        let output = output.expect("the binary starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        (output.status.success(), text(output.stdout), text(output.stderr))
    };
    let last = |text: &str| text.lines().last().map(|line| line.split(' ').next().map(str::to_owned));
    let (ok, with, _) = run(&["bench", "3", "--eval-file", &good]);
    let (_, without, _) = run(&["bench", "3"]);
    assert!(ok && last(&with) != last(&without), "{with}\n{without}");
    let (ok, solved, _) = run(&["epd", &epd, "--depth", "2", "--eval-file", &good]);
    assert!(ok && solved.contains("1 passed, 0 failed"), "{solved}");
    for tool in [&["bench", "3"][..], &["epd", &epd]] {
        let (ok, said, error) = run(&[tool, &["--eval-file", &bad]].concat());
        assert!(!ok && said.is_empty(), "{said}");
        assert_eq!(error, format!("quillon: {bad}: not a Quillon network\n"));
    }
}

#[test]
fn is_ready_at_once_while_searching() {
    let mut client = Client::start();
    client.send("position startpos");
    client.send("go infinite");
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(30));
        let asked = Instant::now();
        let lines = client.sync();
        assert!(asked.elapsed() < Duration::from_secs(1), "{}", client.log);
        assert!(lines.iter().all(|line| line.starts_with("info ")), "{}", client.log);
    }
    client.send("stop");
    let lines = client.search_lines();
    assert!(lines.len() > 1 || client.log.contains(" pv "), "{}", client.log);
    // One search, one bestmove, though stop comes twice.
    client.send("stop");
    assert_eq!(client.sync(), [""; 0]);
    client.quit();
}

#[test]
fn analysis_of_an_infinite_search_is_sound() {
    let mut client = Client::start();
    client.send(&format!("position fen {KIWIPETE}"));
    for _ in 0..3 {
        client.send("go infinite");
        thread::sleep(Duration::from_millis(60));
        client.send("stop");
        let lines = client.search_lines();
        Search::check(&KIWIPETE.parse().expect("valid"), &lines, false);
    }
    client.quit();
}

#[test]
fn a_search_stopped_at_once_still_has_a_move_and_a_line() {
    let mut client = Client::start();
    for round in 0..20 {
        client.send_bytes(b"position startpos\ngo infinite\nstop\n");
        let lines = client.search_lines();
        let search = Search::check(&Position::start(), &lines, false);
        assert!(!search.main().pv.is_empty(), "round {round}: {lines:?}");
        client.send("ucinewgame");
        assert_eq!(client.fen(), START_FEN);
    }
    client.quit();
}

#[test]
fn a_quick_client_stops_the_search_it_means() {
    let mut client = Client::start();
    for _ in 0..300 {
        // The answer to a bestmove comes so fast that the driver may not yet know of the search's end.
        client.send("go infinite\nstop");
        client.search_lines();
    }
    client.quit();
}

#[test]
fn an_infinite_search_that_is_over_waits_for_stop() {
    let mut client = Client::start();
    for (position, go) in [
        (format!("position fen {CHECKMATE}"), "go infinite"),
        (format!("position fen {STALEMATE}"), "go infinite"),
        (format!("position fen {MATE_IN_ONE}"), "go infinite mate 1"),
        ("position startpos".to_owned(), "go infinite depth 1"),
        ("position startpos".to_owned(), "go nodes 1 infinite"),
        ("position startpos".to_owned(), "go infinite movetime 1"),
    ] {
        client.send(&position);
        client.send(go);
        client.expect_no_bestmove();
        client.send("isready");
        client.read_until("readyok", |line| line == "readyok");
        client.send("stop");
        client.search_lines();
        assert_eq!(client.sync(), [""; 0]);
    }
    client.quit();
}

#[test]
fn a_bare_go_searches_until_stopped() {
    let mut client = Client::start();
    client.send("go");
    client.expect_no_bestmove();
    client.send("stop");
    client.search_lines();
    client.quit();
}

#[test]
fn pondering_holds_the_move_until_ponderhit() {
    let mut client = Client::start();
    let is_in_time = || {
        client.send("position startpos moves e2e4 e7e5");
        // The clock would be over long before the hit.
        client.send("go ponder wtime 300 btime 300 winc 0 binc 0");
        thread::sleep(Duration::from_millis(300));
        client.expect_no_bestmove();
        client.send("ponderhit");
        let hit = Instant::now();
        let lines = client.search_lines();
        Search::check(&root_of("position startpos moves e2e4 e7e5"), &lines, false);
        // A late second hit is harmless.
        client.send("ponderhit");
        assert_eq!(client.sync(), [""; 0]);
        hit.elapsed() < Duration::from_millis(300)
    };
    assert!(in_some_try(is_in_time));
    client.quit();
}

#[test]
fn a_ponder_search_that_is_over_waits_too() {
    let mut client = Client::start();
    for release in ["ponderhit", "stop"] {
        for position in [format!("position fen {CHECKMATE}"), "position startpos".to_owned()] {
            client.send(&position);
            client.send("go ponder depth 1 wtime 1000 btime 1000");
            client.expect_no_bestmove();
            client.send(release);
            client.search_lines();
            assert_eq!(client.sync(), [""; 0]);
        }
    }
    client.quit();
}

#[test]
fn stop_ends_pondering() {
    let mut client = Client::start();
    client.send("position startpos moves d2d4");
    client.send("go wtime 60000 btime 60000 ponder");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    assert!(!lines.is_empty());
    assert_eq!(client.sync(), [""; 0]);
    client.quit();
}

#[test]
fn ponderhit_and_stop_without_a_search_say_nothing() {
    let mut client = Client::start();
    client.send("stop");
    client.send("ponderhit");
    client.send("debug on");
    client.send("debug off");
    client.send("register later");
    assert_eq!(client.sync(), [""; 0]);
    // A stray stop does not end the search after it.
    client.send("stop");
    assert_eq!(client.search("position startpos", "go depth 6").main().depth, 6);
    client.quit();
}

#[test]
fn depth_limits_count_iterations() {
    let mut client = Client::start();
    for depth in [1, 2, 5, 9] {
        for position in ["position startpos", &format!("position fen {KIWIPETE}")] {
            let search = client.search(position, &format!("go depth {depth}"));
            let depths: Vec<i32> = search.infos.iter().map(|info| info.depth).collect();
            assert_eq!(depths, (1..=depth).collect::<Vec<_>>(), "{}", client.log);
            assert!(search.infos.iter().all(|info| !info.is_bound));
            assert!(search.infos.is_sorted_by_key(|info| info.nodes));
        }
    }
    client.quit();
}

#[test]
fn node_limits_are_kept() {
    let mut client = Client::start();
    for nodes in [1, 2, 10, 100, 1000, 12_345] {
        let search = client.search(&format!("position fen {KIWIPETE}"), &format!("go nodes {nodes}"));
        assert!(search.main().nodes <= nodes, "{nodes}: {search:?}");
    }
    client.quit();
}

/// Tries again where other processes may have had the processor. A wrong time budget fails each time.
fn in_some_try(is_in_time: impl FnMut() -> bool) -> bool {
    std::iter::repeat_with(is_in_time).take(5).any(|in_time| in_time)
}

#[test]
fn move_time_is_used_and_kept() {
    let mut client = Client::start();
    client.send("setoption name Move Overhead value 0");
    for time in [1, 50, 250] {
        let is_in_time = || {
            let asked = Instant::now();
            client.search("position startpos", &format!("go movetime {time}"));
            let taken = asked.elapsed().as_millis();
            assert!(taken >= time, "{taken} ms of {time}");
            taken < time + 300
        };
        assert!(in_some_try(is_in_time), "{}", client.log);
    }
    client.quit();
}

#[test]
fn the_clock_is_never_overstepped() {
    let mut client = Client::start();
    for (clock, at_most) in [
        ("wtime 1000 btime 1 winc 0 binc 0", 1000),
        ("wtime 600 btime 600 movestogo 1", 600),
        ("wtime 500 btime 500 winc 100 binc 100 movestogo 40", 500),
        ("wtime 400 movetime 100000", 400),
        ("wtime 300 btime 300 winc 1000", 300),
        // The flag has fallen or is about to: the move must come at once.
        ("wtime 0 btime 0", 300),
        ("wtime -20 btime -20 winc 0", 300),
        ("wtime 1", 300),
        ("winc 100", 300),
    ] {
        let is_in_time = || {
            let asked = Instant::now();
            client.search("position startpos", &format!("go {clock}"));
            asked.elapsed() < Duration::from_millis(at_most)
        };
        assert!(in_some_try(is_in_time), "{clock}\n{}", client.log);
    }
    client.quit();
}

#[test]
fn mate_limits_end_the_search() {
    let mut client = Client::start();
    let search = client.search(&format!("position fen {MATE_IN_ONE}"), "go mate 1");
    assert_eq!((search.best.as_str(), search.main().score.as_str()), ("a1a8", "mate 1"));
    // Underpromotion: the queen would be stalemate.
    let search = client.search("position fen 8/5P1k/5K2/8/8/8/8/8 w - - 0 1", "go mate 2");
    assert_eq!((search.best.as_str(), search.main().score.as_str()), ("f7f8r", "mate 2"));
    client.quit();
}

#[test]
fn search_moves_are_respected() {
    let mut client = Client::start();
    for (go, allowed) in [
        ("go depth 5 searchmoves a2a3", &["a2a3"][..]),
        ("go searchmoves a2a3 h2h4 depth 5", &["a2a3", "h2h4"][..]),
        ("go searchmoves a2a3 h2h4 a2a3 depth 5", &["a2a3", "h2h4"][..]),
    ] {
        let search = client.search("position startpos", go);
        assert!(search.infos.iter().all(|info| allowed.contains(&info.pv[0].as_str())), "{search:?}");
    }
    // Illegal ones are named and left out.
    client.send("position startpos");
    client.send("go depth 3 searchmoves e2e5 nonsense b1c3");
    let lines = client.search_lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("info string")).count(), 2, "{lines:?}");
    assert_eq!(Search::check(&Position::start(), &lines, false).best, "b1c3");
    client.quit();
}

#[test]
fn multi_pv_reports_distinct_lines_in_order() {
    let mut client = Client::start();
    client.send("setoption name MultiPV value 4");
    let search = client.search(&format!("position fen {KIWIPETE}"), "go depth 6");
    let lines = search.last_lines(4);
    assert!(lines.iter().enumerate().all(|(rank, info)| info.multi_pv == rank + 1 && info.depth == 6));
    let mut firsts: Vec<&String> = lines.iter().map(|info| &info.pv[0]).collect();
    firsts.sort();
    firsts.dedup();
    assert_eq!(firsts.len(), 4, "{lines:?}");
    // Fewer legal moves than lines.
    client.send("setoption name MultiPV value 256");
    let search = client.search("position fen 7k/8/8/8/8/8/8/K6R b - - 0 1", "go depth 4");
    assert_eq!(search.infos.iter().map(|info| info.multi_pv).max(), Some(2));
    let search = client.search("position startpos", "go depth 2");
    assert_eq!(search.infos.iter().map(|info| info.multi_pv).max(), Some(20));
    client.quit();
}

#[test]
fn several_threads_follow_the_protocol_too() {
    let mut client = Client::start();
    client.send("setoption name Threads value 3");
    for _ in 0..3 {
        assert!(client.search("position startpos", "go depth 7").main().depth <= 7);
        client.search(&format!("position fen {KIWIPETE}"), "go movetime 30");
        client.search(&format!("position fen {KIWIPETE}"), "go nodes 5000");
        client.send("go infinite");
        client.expect_no_bestmove();
        client.send("stop");
        client.search_lines();
    }
    client.send("setoption name Threads value 1");
    client.search("position startpos", "go depth 3");
    client.quit();
}

#[test]
fn unusable_go_arguments_start_no_search() {
    let mut client = Client::start();
    for line in
        ["go depth", "go depth deep", "go movetime infinite", "go nodes wtime 5", "go perft", "go mate x"]
    {
        client.expect_complaint(line);
    }
    // Unknown words are skipped.
    let search = client.search("position startpos", "go quickly depth 3 please");
    assert_eq!(search.main().depth, 3);
    client.quit();
}

#[test]
fn options_set_during_a_search_wait_for_its_end() {
    let mut client = Client::start();
    client.send("position startpos");
    client.send("go infinite");
    client.send("setoption name MultiPV value 3");
    client.send("setoption name Hash value 4");
    client.send("setoption name Threads value 2");
    client.send("setoption name Clear Hash");
    client.send("setoption name Nonsense value 1");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    let search = Search::check(&Position::start(), &lines, false);
    assert!(search.infos.iter().all(|info| info.multi_pv == 1));
    // The complaint about the last of them comes after the search.
    assert!(!lines.iter().any(|line| line.starts_with("info string")));
    client.read_until("complaint", |line| line.starts_with("info string"));
    assert_eq!(client.search("position startpos", "go depth 5").last_lines(3).len(), 3);
    client.quit();
}

#[test]
fn positions_and_searches_sent_during_a_search_wait_for_its_end() {
    let mut client = Client::start();
    client.send("position startpos");
    client.send("go infinite");
    client.send(&format!("position fen {MATE_IN_ONE}"));
    client.send("go depth 3");
    client.send("position startpos moves e2e4");
    client.send("d");
    client.expect_no_bestmove();
    client.send("stop");
    let first = client.search_lines();
    Search::check(&Position::start(), &first, false);
    let second = client.search_lines();
    let second = Search::check(&MATE_IN_ONE.parse().expect("valid"), &second, false);
    assert_eq!(second.best, "a1a8");
    let board = client.read_until("board", |line| line.starts_with("Legal moves ("));
    assert!(board.iter().any(|line| line.starts_with("FEN: ") && line.contains("/4P3/")), "{board:?}");
    client.quit();
}

#[test]
fn a_new_game_during_a_search_waits_for_its_end() {
    let mut client = Client::start();
    client.send(&format!("position fen {KIWIPETE}"));
    client.send("go infinite");
    client.send("ucinewgame");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    Search::check(&KIWIPETE.parse().expect("valid"), &lines, false);
    client.sync();
    assert_eq!(client.search("position startpos", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn uci_and_errors_are_answered_during_a_search() {
    let mut client = Client::start();
    client.send("go infinite");
    client.send("uci");
    client.read_until("uciok", |line| line == "uciok");
    client.send("xyzzy");
    client.read_until("complaint", |line| line.starts_with("info string unknown command"));
    client.expect_no_bestmove();
    client.send("stop");
    client.search_lines();
    client.quit();
}

#[test]
fn the_same_game_gives_the_same_search_after_ucinewgame() {
    let mut client = Client::start();
    let mut nodes = Vec::new();
    for _ in 0..3 {
        client.send("ucinewgame");
        client.search("position startpos moves e2e4", "go depth 6");
        nodes.push(client.search("position startpos moves e2e4 e7e5 g1f3", "go depth 7").main().nodes);
    }
    assert!(nodes.iter().all(|&count| count == nodes[0]), "{nodes:?}");
    client.quit();
}

#[test]
fn long_games_are_followed() {
    let mut client = Client::start();
    for plies in [1, 50, 250, 600] {
        let command = format!("position startpos moves {}", random_game(plies, plies as u64).join(" "));
        client.send(&command);
        assert_eq!(client.fen(), root_of(&command).to_string());
        let search = client.search(&command, "go depth 4");
        assert!(search.main().depth <= 4);
    }
    // A thousand plies of moving knights to and fro.
    let command = format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(250));
    client.send(&command);
    assert_eq!(client.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 1000 501");
    client.search(&command, "go depth 3");
    client.quit();
}

#[test]
fn the_board_names_the_end_of_the_game() {
    let mut client = Client::start();
    for (command, end) in [
        ("position startpos moves f2f3 e7e5 g2g4 d8h4", "checkmate, Black wins"),
        ("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("position fen 4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "draw, nobody can give mate"),
        ("position fen 4k3/8/8/8/8/8/8/R3K3 w - - 100 90", "draw by the fifty-move rule"),
        ("position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "draw by threefold repetition"),
    ] {
        client.send(command);
        client.send("d");
        let lines = client.read_until("board", |line| line.starts_with("Legal moves ("));
        assert!(lines.contains(&format!("The game is over: {end}")), "{command}\n{lines:#?}");
    }
    client.send("position startpos");
    client.send("d");
    let lines = client.read_until("board", |line| line.starts_with("Legal moves ("));
    assert!(!lines.iter().any(|line| line.starts_with("The game is over")), "{lines:#?}");
    client.quit();
}

#[test]
fn fens_are_read_with_missing_fields() {
    let mut client = Client::start();
    for (fen, expected) in [
        ("4k3/8/8/8/8/8/4P3/4K3 w", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 b - -", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 7", "4k3/8/8/8/8/8/4P3/4K3 w - - 7 1"),
    ] {
        client.send(&format!("position fen {fen}"));
        assert_eq!(client.fen(), expected);
    }
    client.quit();
}

#[test]
fn an_illegal_move_keeps_the_old_position() {
    let mut client = Client::start();
    client.send("position startpos moves d2d4 d7d5");
    let old = client.fen();
    for moves in [
        "e2e5",
        "e2e4 e2e4",
        "e2e4 e7e5 e1g1",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 c8g4 h2h3 h7h5 h3g4 h5g4 f3e1 d8h4 e1e2",
        "0000",
        "e2e4 (none)",
        "e2",
        "e7e8q",
        "é2é4",
        "e2e4 moves e7e5",
    ] {
        client.expect_complaint(&format!("position startpos moves {moves}"));
        assert_eq!(client.fen(), old, "after {moves}");
    }
    client.expect_complaint(&format!("position fen {KIWIPETE} moves e1g1 e8g8 a1a8"));
    assert_eq!(client.fen(), old);
    client.quit();
}

const BAD_FENS: [&str; 38] = [
    // Shape of the board.
    "8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/7/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/9/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/44p/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/0p7/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/x7/4K3 w - - 0 1",
    "4k3//8/8/8/8/8/4K3 w - - 0 1",
    "startpos",
    "-",
    // Men.
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
    "3kk3/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/p3K3 w - - 0 1",
    "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
    "4k3/8/8/8/QQ6/8/PPPPPPPP/4K3 w - - 0 1",
    "QQQQQQQQ/QQQQQQQQ/8/4k3/8/8/8/4K3 b - - 0 1",
    // Side to move.
    "4k3/8/8/8/8/8/8/4K3",
    "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 W - - 0 1",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
    "8/8/8/3kK3/8/8/8/8 w - - 0 1",
    // Castling rights.
    "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkqK - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w yes - 0 1",
    "r3k2r/8/8/8/8/8/4K3/R6R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w B - 0 1",
    // En passant.
    "4k3/8/8/4p3/8/8/8/4K3 w - e9 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
    "4k3/8/8/4p3/8/8/8/4K3 w - e3 0 1",
    // Counters and the end.
    "4k3/8/8/8/8/8/8/4K3 w - - many 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 99999999",
    "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 0 1",
];

#[test]
fn bad_fens_keep_the_old_position() {
    let mut client = Client::start();
    client.send("position startpos moves e2e4 c7c5");
    let old = client.fen();
    for fen in BAD_FENS {
        client.expect_complaint(&format!("position fen {fen}"));
        client.expect_complaint(&format!("position fen {fen} moves e2e4"));
        assert_eq!(client.fen(), old, "after {fen}");
    }
    for line in
        ["position", "position fen", "position fen moves e2e4", "position moves e2e4", "position nowhere"]
    {
        client.expect_complaint(line);
        assert_eq!(client.fen(), old, "after {line}");
    }
    assert_eq!(client.search("position startpos moves e2e4 c7c5", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn the_end_of_the_game_has_no_move() {
    let mut client = Client::start();
    for go in ["go depth 5", "go movetime 50", "go wtime 1000 btime 1000", "go nodes 100", "go mate 3"] {
        for (fen, score) in [(CHECKMATE, "mate 0"), (STALEMATE, "cp 0")] {
            let search = client.search(&format!("position fen {fen}"), go);
            assert_eq!(search.best, "(none)");
            assert_eq!(search.infos.iter().map(|info| info.score.as_str()).collect::<Vec<_>>(), [score]);
        }
    }
    client.quit();
}

#[test]
fn castling_is_spelled_as_the_client_wants() {
    // Castling mates, so it is always the best move.
    let fen = "8/8/8/8/8/8/7R/2k1K2R w K - 0 1";
    let mut client = Client::start();
    client.send(&format!("position fen {fen}"));
    client.send("go depth 3 searchmoves e1g1");
    let search = Search::check(&fen.parse().expect("valid"), &client.search_lines(), false);
    assert_eq!(search.best, "e1g1");
    client.send("go depth 3 searchmoves e1h1");
    assert_eq!(Search::check(&fen.parse().expect("valid"), &client.search_lines(), false).best, "e1g1");
    assert_eq!(client.fen(), fen);

    client.send("setoption name UCI_Chess960 value true");
    client.send("go depth 3 searchmoves e1h1");
    let search = Search::check(&fen.parse().expect("valid"), &client.search_lines(), true);
    assert_eq!(search.best, "e1h1");
    assert_eq!(client.fen(), fen.replace(" K ", " H "));
    // Both spellings are understood in both modes.
    for mv in ["e1g1", "e1h1"] {
        client.send(&format!("position fen {fen} moves {mv}"));
        assert!(client.fen().starts_with("8/8/8/8/8/8/7R/2k2RK1 b - "), "{}", client.log);
    }
    client.send("setoption name UCI_Chess960 value false");
    client.send(&format!("position fen {fen} moves e1h1"));
    assert!(client.fen().starts_with("8/8/8/8/8/8/7R/2k2RK1 b - "));
    client.quit();
}

#[test]
fn chess960_games_are_searched() {
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let root: Position = fen.parse().expect("valid");
    let mut client = Client::start();
    client.send("setoption name UCI_Chess960 value true");
    client.send(&format!("position fen {fen}"));
    assert_eq!(client.fen(), fen);
    client.send("go depth 7");
    Search::check(&root, &client.search_lines(), true);
    // Without the option, a position that cannot be written otherwise is written this way too.
    client.send("setoption name UCI_Chess960 value false");
    client.send("go depth 5");
    Search::check(&root, &client.search_lines(), true);
    client.quit();
}

#[test]
fn perft_is_printed_for_tools_to_read() {
    let mut client = Client::start();
    for (position, depth, total) in [
        ("position startpos".to_owned(), 3, 8902),
        (format!("position fen {KIWIPETE}"), 2, 2039),
        (format!("position fen {CHECKMATE}"), 2, 0),
        ("position startpos".to_owned(), 1, 20),
    ] {
        client.send(&position);
        client.send(&format!("go perft {depth}"));
        let lines = client.read_until("total", |line| line.starts_with("Nodes searched"));
        assert_eq!(lines.last(), Some(&format!("Nodes searched: {total}")));
        let root = root_of(&position);
        let mut sum = 0;
        let mut moves = Vec::new();
        for line in lines[..lines.len() - 1].iter().filter(|line| !line.is_empty()) {
            let (mv, count) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            assert!(parse_uci(&root, mv).is_ok(), "{line}");
            moves.push(mv.to_owned());
            sum += count.parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
        }
        moves.sort();
        moves.dedup();
        assert_eq!((moves.len(), sum), (root.legal_moves().len(), total));
        if depth == 3 {
            assert!(lines.contains(&"e2e4: 600".to_owned()) && lines.contains(&"a2a3: 380".to_owned()));
        }
    }
    // Without `go` too, and castling in the right spelling.
    client.send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    client.send("perft 1");
    let lines = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert!(lines.contains(&"e1g1: 1".to_owned()), "{lines:?}");
    client.quit();
}

#[test]
fn commands_after_a_perft_wait_for_it_and_quit_does_not() {
    let mut client = Client::start();
    client.send("go perft 4");
    client.send("position startpos moves e2e4");
    client.send("go perft 1");
    let first = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert_eq!(first.last().map(String::as_str), Some("Nodes searched: 197281"));
    let second = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert_eq!(second.last().map(String::as_str), Some("Nodes searched: 20"));
    client.send("go perft 9");
    client.sync();
    client.quit();
}

#[test]
fn unknown_commands_are_named_in_one_line() {
    let mut client = Client::start();
    assert!(client.expect_complaint("isredy").contains("isready"));
    assert!(client.expect_complaint("UCI").contains("'uci'"));
    for line in ["xyzzy", "\\", "-1", "bestmove e2e4", "info depth 3", "GO depth 3", "\u{1b}[31m", "♞f3"] {
        client.expect_complaint(line);
    }
    // Words before a command are skipped, as the specification asks.
    assert_eq!(client.search("position startpos", "please go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn line_ends_blanks_and_several_commands_at_once() {
    let mut client = Client::start();
    client.send_bytes(b"uci\r\nisready\r\n");
    let lines = client.read_until("readyok", |line| line == "readyok");
    assert!(lines.iter().any(|line| line == "uciok"));
    client.send_bytes(b"\n\r\n   \n\t\t\n# a comment\n\x0c\n");
    assert_eq!(client.sync(), [""; 0]);
    client.send_bytes(b"  position\tstartpos   moves\te2e4  e7e5\t\r\n\tgo \t depth\t4\r\n");
    let lines = client.search_lines();
    let search = Search::check(&root_of("position startpos moves e2e4 e7e5"), &lines, false);
    assert_eq!(search.main().depth, 4);
    // A command in two writes.
    client.send_bytes(b"isre");
    thread::sleep(Duration::from_millis(20));
    client.send_bytes(b"ady\n");
    assert_eq!(client.read_until("readyok", |line| line == "readyok").len(), 1);
    client.send_bytes(b"setoption name MultiPV value 2\nposition startpos\ngo depth 2\nisready\n");
    client.search_lines();
    client.quit();
}

#[test]
fn arbitrary_bytes_do_no_harm() {
    let mut client = Client::start();
    client.send_bytes(b"\xff\xfe\x80 isready\n");
    client.read_until("readyok", |line| line == "readyok");
    client.send_bytes(b"\0\0\0\0\n\0isready\0\nposition startpos moves e2\0e4\nposition fen \xc3\x28\n");
    client.sync();
    client.send_bytes(b"setoption name \xf0\x9f\x92 value \xed\xa0\x80\ngo depth \xff\n");
    client.sync();
    let mut rng = Rng(7);
    for _ in 0..200 {
        let length = rng.below(300);
        // A line that happens to say quit or go would need more luck than this seed has.
        let bytes: Vec<u8> = (0..length).map(|_| rng.next() as u8).collect();
        client.send_bytes(&bytes);
    }
    client.send_bytes(b"\n");
    client.sync();
    assert_eq!(client.fen(), START_FEN);
    assert_eq!(client.search("position startpos", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn very_long_lines_do_no_harm() {
    let mut client = Client::start();
    client.expect_complaint(&"x".repeat(3_000_000));
    client.send(&" ".repeat(3_000_000));
    assert_eq!(client.sync(), [""; 0]);
    client.expect_complaint(&format!("position startpos moves{}", " e2e4".repeat(300_000)));
    client.expect_complaint(&format!("position fen {}", "8/".repeat(200_000)));
    assert_eq!(client.fen(), START_FEN);
    client.send(&format!("go depth 2 {}", "ponder ".repeat(100_000)));
    client.send("stop");
    client.search_lines();
    client.send(&format!("go depth 1 searchmoves{}", " e2e4".repeat(20_000)));
    let lines = client.search_lines();
    assert_eq!(Search::check(&Position::start(), &lines, false).best, "e2e4");
    client.quit();
}

#[test]
fn complaints_stay_short_and_printable() {
    let mut client = Client::start();
    let long = "x".repeat(100_000);
    for line in [
        format!("position fen 4k3/8/8/8/8/8/8/4K3 w {long}"),
        format!("position startpos moves {long}"),
        format!("setoption name {long}"),
        format!("setoption name Hash value {long}"),
        format!("go depth {long}"),
        "\u{1b}[2J\0".to_owned(),
        "setoption name \u{1b}[2J\0".to_owned(),
    ] {
        let complaint = client.expect_complaint(&line);
        assert!(complaint.len() < 500, "{} bytes", complaint.len());
        assert!(!complaint.contains(char::is_control), "{complaint:?}");
    }
    client.quit();
}

#[test]
fn random_sentences_of_uci_words_do_no_harm() {
    const WORDS: &str = "uci debug on off isready setoption name value Hash Clear MultiPV Threads Ponder \
        UCI_Chess960 Move Overhead true false register later ucinewgame position startpos fen moves e2e4 \
        e7e5 g1f3 e1g1 a7a8q 0000 8/8/8/3k4/8/3K4/3P4/8 w b - KQkq go searchmoves ponder wtime btime winc \
        movestogo depth nodes mate movetime infinite stop ponderhit d eval perft help # 1 3";
    const NUMBERS: [&str; 9] =
        ["0", "1", "2", "3", "-7", "99999999999999999999", "2147483648", "1e3", "0x10"];
    let vocabulary: Vec<&str> = WORDS.split_whitespace().collect();
    let mut rng = Rng(2024);
    for process in 0..3 {
        let mut client = Client::start();
        for sentence in 0..150 {
            let mut words = Vec::new();
            // Half of the sentences begin with a word that makes the rest count.
            if rng.below(2) == 0 {
                let openings = ["go", "position startpos", "setoption name", "position fen", "stop", "go"];
                words.push(openings[rng.below(openings.len())]);
            }
            for _ in 0..1 + rng.below(8) {
                // A count of long games would not end; everything else may have any number.
                let after_perft = words.last() == Some(&"perft");
                let word = match rng.below(4) {
                    _ if after_perft => ["0", "1", "2", "-1", "x"][rng.below(5)],
                    0 => NUMBERS[rng.below(NUMBERS.len())],
                    _ => vocabulary[rng.below(vocabulary.len())],
                };
                words.push(word);
            }
            client.send(&words.join(" "));
            if sentence % 10 == 9 {
                client.sync();
                client.send("stop");
            }
        }
        client.sync();
        match process {
            0 => {
                client.end_input();
                client.wait_for_exit();
            }
            _ => {
                client.quit();
            }
        }
    }
}

#[test]
fn quit_ends_the_process_whatever_it_does() {
    for before in [
        "",
        "position startpos\ngo infinite\n",
        "go ponder wtime 1000 btime 1000\n",
        "go infinite depth 1\n",
        "go infinite\nposition startpos\ngo infinite\ngo infinite\n",
        "setoption name Threads value 4\ngo infinite\n",
        "go movetime 100000\n",
        "go perft 8\n",
    ] {
        let mut client = Client::start();
        client.send_bytes(before.as_bytes());
        client.sync();
        client.quit();
        // And all in one write, so that quit comes while the search begins.
        let mut client = Client::start();
        client.send_bytes(format!("{before}quit\n").as_bytes());
        client.wait_for_exit();
    }
}

#[test]
fn the_end_of_input_ends_the_process_with_a_move() {
    for (input, best_moves) in [
        ("", 0),
        ("uci\n", 0),
        ("isready", 0),
        ("posit", 0),
        ("position startpos\ngo infinite\n", 1),
        ("position startpos\ngo infinite", 1),
        ("go ponder wtime 1000 btime 1000\n", 1),
        ("go infinite depth 1\n", 1),
        ("go movetime 100000\n", 1),
        ("go wtime 100000000 btime 100000000\n", 1),
        ("go depth 3\n", 1),
        ("go depth 2\nposition startpos moves e2e4\ngo depth 2\n", 2),
        ("go infinite\nposition startpos moves e2e4\ngo infinite\ngo ponder\n", 3),
        ("setoption name Threads value 3\ngo infinite\n", 1),
        ("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo infinite\n", 1),
        ("go perft 3\n", 0),
    ] {
        for pause in [0, 60] {
            let mut client = Client::start();
            client.send_bytes(input.as_bytes());
            thread::sleep(Duration::from_millis(pause));
            client.end_input();
            let lines = client.wait_for_exit();
            let found = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
            assert_eq!(found, best_moves, "{input:?}: {lines:?}");
            assert_eq!(
                lines.iter().filter(|&line| line == "readyok").count(),
                input.matches("isready").count()
            );
        }
    }
}

#[test]
fn a_perft_from_a_pipe_is_finished() {
    // `echo "go perft 5" | quillon` must print its count, though the input has long ended.
    let mut client = Client::start();
    client.send("go perft 5");
    client.end_input();
    client.read_until("end of the perft", |line| line == "Nodes searched: 4865609");
    client.wait_for_exit();
}

#[test]
fn stop_ends_a_deep_perft() {
    let mut client = Client::start();
    client.send("go perft 12");
    thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    client.send("stop");
    client.read_until("end of the perft", |line| line.starts_with("info string perft stopped"));
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    client.quit();
}

#[test]
fn a_closed_output_ends_an_infinite_search() {
    let mut client = Client::deaf();
    client.send("go infinite");
    client.wait_for_exit();
}

#[test]
fn a_closed_output_ends_the_process() {
    for input in
        ["uci\n", "isready\n", "d\n", "position startpos\ngo movetime 100\n", "go depth 4\n", "go perft 3\n"]
    {
        // Input stays open: the engine has to notice by itself.
        let mut client = Client::deaf();
        client.send_bytes(input.as_bytes());
        client.wait_for_exit();
    }
    let mut client = Client::deaf();
    client.send("go infinite");
    thread::sleep(Duration::from_millis(50));
    client.send("isready");
    client.wait_for_exit();
}

#[test]
fn the_last_words_are_complete() {
    // What was asked before quit is answered, down to the last line.
    let mut client = Client::start();
    client.send_bytes(b"uci\nisready\nd\nquit\n");
    let lines = client.wait_for_exit();
    assert!(lines.iter().any(|line| line == "uciok") && lines.iter().any(|line| line == "readyok"));
    assert!(lines.last().is_some_and(|line| line.starts_with("Legal moves (20): ")), "{lines:?}");
}
