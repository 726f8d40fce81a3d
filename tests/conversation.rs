//! Random conversations with the real binary at random speed, with the crate `shakmaty` as judge.
//!
//! Whatever is sent in whatever order: each `go` is answered by exactly one `bestmove`, in order, that is
//! legal in the position the `go` was meant for, or no move where that position was refused; a held move stays
//! held; every line of play is legal to its end; `readyok` comes at once during a search and after one that was
//! stopped; and the process ends soon after `quit`.

mod client;
mod tables;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use client::files::{Folder, book};
use client::{Client, PATIENCE};
use quillon::board::START_FEN;
use quillon::types::SplitMix64;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _};

/// Longest time from `isready` to `readyok`.
const READY_TIME: Duration = Duration::from_millis(50);
/// Longest time from `quit` to the end of the process.
const QUIT_TIME: Duration = Duration::from_millis(500);

const FENS: [&str; 8] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "8/5P1k/5K2/8/8/8/8/8 w - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K3 w Q - 97 90",
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
];

/// Only understood by clients of Chess960.
const FENS_960: [&str; 2] = [
    "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

/// Fields that say too much, too little or nonsense, and the FEN that is meant by them.
const DAMAGED: [(&str, &str); 6] = [
    ("r4rk1/8/8/8/8/8/8/R4RK1 w KQkq - 0 1", "r4rk1/8/8/8/8/8/8/R4RK1 w - - 0 1"),
    ("4k3/8/8/3pP3/8/8/8/4K2R w K d5 -3 x", "4k3/8/8/3pP3/8/8/8/4K2R w K - 0 1"),
    ("r3k2r/p6p/8/8/8/8/P6P/R3K2R b HAkqx a 0 1", "r3k2r/p6p/8/8/8/8/P6P/R3K2R b - - 0 1"),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    ("8/5P1k/5K2/8/8/8/8/8  w  -  -", "8/5P1k/5K2/8/8/8/8/8 w - - 0 1"),
    ("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1 bm d4;", "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1"),
];

/// Positions that cannot be set up.
const REFUSED: [&str; 6] = [
    "positoin startpos",
    "position",
    "position startpos e2e4",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 e1g1",
    "position startpos moves e2e5",
];

const GARBAGE: [&str; 7] = [
    "go depth deep",
    "go swiftly",
    "setoption name Hash value none",
    "setoption name Colour value blue",
    "setoption Hash",
    "\u{1b}[A",
    "bestmove e2e4",
];

/// A position as both sides of the conversation know it.
#[derive(Clone)]
struct Place {
    position: Chess,
    mode: CastlingMode,
}

impl Place {
    fn start() -> Place {
        Place { position: Chess::default(), mode: CastlingMode::Standard }
    }

    /// Plays a move written exactly as it should be.
    fn play(&mut self, text: &str) -> Result<(), String> {
        let legal = self.position.legal_moves();
        let mv = legal.iter().find(|mv| mv.to_uci(self.mode).to_string() == text);
        let mv = mv.ok_or_else(|| {
            format!("{text} in {}", Fen::from_position(&self.position, shakmaty::EnPassantMode::Legal))
        })?;
        self.position.play_unchecked(*mv);
        Ok(())
    }
}

/// A `go` that has not been answered.
struct Asked {
    /// `None` after a position that was refused.
    place: Option<Place>,
    /// A `stop` came after it.
    stopped: bool,
    /// The answer must wait for `stop`.
    until_stop: bool,
    /// The answer must wait for `ponderhit` or `stop`.
    until_hit: bool,
    /// It may have no end of its own.
    endless: bool,
}

/// How long things took.
#[derive(Default)]
struct Times {
    ready: Vec<Duration>,
    quit: Vec<Duration>,
    commands: usize,
    searches: usize,
}

/// One process and what is expected of it.
struct Talk<'a> {
    client: Client,
    rng: SplitMix64,
    chess960: bool,
    /// `None` after a position that was refused.
    place: Option<Place>,
    asked: VecDeque<Asked>,
    /// The last line of rank 1 since the last `bestmove`, and the rank of the last line of any.
    main_line: Vec<String>,
    last_rank: usize,
    /// A file with opening moves.
    book: &'a str,
    times: &'a mut Times,
}

impl Talk<'_> {
    fn new<'a>(seed: u64, book: &'a str, times: &'a mut Times) -> Talk<'a> {
        Talk {
            client: Client::start(),
            rng: SplitMix64::from_state(seed),
            chess960: false,
            place: Some(Place::start()),
            asked: VecDeque::new(),
            main_line: Vec::new(),
            last_rank: 0,
            book,
            times,
        }
    }

    fn pick<'b>(&mut self, list: &[&'b str]) -> &'b str {
        list[self.rng.below(list.len())]
    }

    fn send(&mut self, line: &str) {
        self.times.commands += 1;
        // Line ends of all kinds, and sometimes in pieces.
        let text = format!("{line}{}", if self.rng.below(8) == 0 { "\r\n" } else { "\n" });
        let cut = if self.rng.below(10) == 0 { self.rng.below(line.len().max(1)) } else { 0 };
        let cut = if text.is_char_boundary(cut) { cut } else { 0 };
        self.client.send_bytes(&text.as_bytes()[..cut]);
        self.client.send_bytes(&text.as_bytes()[cut..]);
    }

    fn judge(&self, is_right: bool, what: &str) {
        assert!(is_right, "{what}\n{}", self.client.log);
    }

    /// Checks a line of the engine.
    fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "bestmove" {
            self.judge(!self.asked.is_empty(), "a bestmove that nobody asked for");
            let Some(asked) = self.asked.pop_front() else { return };
            self.judge(!asked.until_stop && !asked.until_hit, "the move should have been held back");
            self.times.searches += 1;
            let Some(place) = asked.place else {
                let is_silent = self.main_line.is_empty() && self.last_rank == 0;
                return self.judge(is_silent && words[1..] == ["0000"], "there is no position");
            };
            if place.position.legal_moves().is_empty() {
                return self.judge(words[1..] == ["(none)"], "no move is legal");
            }
            let main_line = std::mem::take(&mut self.main_line);
            self.last_rank = 0;
            self.judge(main_line.first().is_some_and(|mv| mv == words[1]), "not the move of the last line");
            let moves = match words[1..] {
                [best] => vec![best],
                [best, "ponder", reply] => vec![best, reply],
                _ => panic!("{line}\n{}", self.client.log),
            };
            self.check_moves(&place, &moves);
        } else if let Some(pv) = words.iter().position(|&word| word == "pv") {
            self.judge(!self.asked.is_empty(), "analysis of nothing");
            let place = self.asked.front().and_then(|asked| asked.place.as_ref());
            self.judge(place.is_some(), "analysis of no position");
            if let Some(place) = place {
                self.check_moves(place, &words[pv + 1..]);
            }
            let rank = words.iter().position(|&word| word == "multipv").map(|at| words[at + 1].parse());
            let Some(Ok(rank)) = rank else { panic!("{line}\n{}", self.client.log) };
            self.judge(rank == 1 || rank == self.last_rank + 1, "lines out of order");
            self.last_rank = rank;
            if rank == 1 {
                self.main_line = words[pv + 1..].iter().map(|&mv| mv.to_owned()).collect();
            }
        } else if line == "readyok" {
            self.judge(self.asked.iter().all(|asked| !asked.stopped), "readyok before what was stopped");
        }
    }

    fn check_moves(&self, place: &Place, moves: &[&str]) {
        let mut place = place.clone();
        for mv in moves {
            if let Err(error) = place.play(mv) {
                panic!("illegal or badly written: {error}\n{}", self.client.log);
            }
        }
    }

    /// Listens until `is_last` or for a time; whether the last line came.
    fn listen(&mut self, time: Duration, is_last: impl Fn(&str, &Self) -> bool) -> bool {
        let deadline = Instant::now() + time;
        while let Some(line) = self.client.next_line(deadline) {
            self.hear(&line);
            if is_last(&line, self) {
                return true;
            }
        }
        false
    }

    /// Asks whether the engine is there. The system may have given the processor to others, so a late answer
    /// counts only when it is late each time.
    fn is_ready(&mut self) {
        for attempt in 1.. {
            let sent = Instant::now();
            self.send("isready");
            let came = self.listen(PATIENCE, |line, _| line == "readyok");
            self.judge(came, "no readyok");
            let time = sent.elapsed();
            self.times.ready.push(time);
            if time <= READY_TIME {
                return;
            }
            self.judge(attempt < 6, &format!("readyok took {time:?}, and too long each time before"));
        }
    }

    fn pause(&mut self) {
        let ms = match self.rng.below(10) {
            0..=5 => 0,
            6..=8 => self.rng.below(5),
            _ => self.rng.below(30),
        };
        if ms > 0 {
            self.listen(Duration::from_millis(ms as u64), |_, _| false);
        }
    }

    fn set_position(&mut self) {
        let mut place = self.initial_place();
        let (written, meant) = match self.rng.below(8) {
            0 | 1 if self.chess960 => [self.pick(&FENS_960); 2].into(),
            0 | 1 => [self.pick(&FENS); 2].into(),
            2 if !self.chess960 => DAMAGED[self.rng.below(DAMAGED.len())],
            _ => ("", ""),
        };
        let mut command = "position startpos".to_owned();
        if !written.is_empty() {
            command = format!("position fen {written}");
            let fen: Fen = meant.parse().expect("tests give valid FENs");
            place.position = fen.into_position(CastlingMode::Chess960).expect("tests give valid FENs");
        }
        for number in 0..[0, 1, 4, 60, 200][self.rng.below(5)] {
            let legal = place.position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[self.rng.below(legal.len())];
            command.push_str(if number == 0 { " moves " } else { " " });
            command.push_str(&mv.to_uci(place.mode).to_string());
            place.position.play_unchecked(mv);
        }
        self.place = Some(place);
        self.send(&command);
    }

    fn initial_place(&self) -> Place {
        let mode = if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        Place { mode, ..Place::start() }
    }

    fn go(&mut self) {
        let number = |rng: &mut SplitMix64, limit| 1 + rng.below(limit);
        let mut asked = Asked {
            place: self.place.clone(),
            stopped: false,
            until_stop: false,
            until_hit: false,
            endless: false,
        };
        let (time, other) = (number(&mut self.rng, 400), number(&mut self.rng, 400));
        let mut command = match self.rng.below(12) {
            0 | 1 => format!("go depth {}", number(&mut self.rng, 7)),
            2 => format!("go nodes {}", number(&mut self.rng, 20_000)),
            3 => format!("go movetime {}", number(&mut self.rng, 40)),
            4 | 5 => format!("go wtime {time} btime {other} winc {} binc 0", self.rng.below(20)),
            6 => format!("go btime {time} wtime {other} movestogo {}", self.rng.below(4)),
            7 => "go mate 2 movetime 30".to_owned(),
            8 => "go ponder".to_owned(),
            9 => format!("go ponder wtime {time} btime {time}"),
            10 => "go".to_owned(),
            _ => "go infinite depth 2".to_owned(),
        };
        // Without a position the answer comes at once.
        let place = self.place.clone();
        asked.until_hit = place.is_some() && command.contains("ponder");
        asked.until_stop = place.is_some() && (command == "go" || command.contains("infinite"));
        asked.endless = asked.until_stop || asked.until_hit;
        let place = place.unwrap_or_else(Place::start);
        let legal = place.position.legal_moves();
        if self.rng.below(5) == 0 && !legal.is_empty() && command != "go" {
            command.push_str(" searchmoves");
            for _ in 0..1 + self.rng.below(3) {
                let mv = legal[self.rng.below(legal.len())].to_uci(place.mode);
                command.push_str(&format!(" {mv}"));
            }
            command.push_str(["", " e1e8", " a9a9"][self.rng.below(3)]);
        }
        self.asked.push_back(asked);
        self.send(&command);
    }

    fn stop(&mut self) {
        self.release();
        self.send("stop");
    }

    /// From now on no move is held back.
    fn release(&mut self) {
        for asked in &mut self.asked {
            asked.stopped = true;
            (asked.until_stop, asked.until_hit, asked.endless) = (false, false, false);
        }
    }

    fn ponderhit(&mut self) {
        self.asked.iter_mut().for_each(|asked| asked.until_hit = false);
        self.send("ponderhit");
    }

    fn set_option(&mut self) {
        let on = ["true", "false"][self.rng.below(2)];
        let line = match self.rng.below(20) {
            0 => format!("setoption name Hash value {}", 1 + self.rng.below(16)),
            1 | 2 => format!("setoption name Threads value {}", 1 + self.rng.below(3)),
            3 => format!("setoption name MultiPV value {}", 1 + self.rng.below(4)),
            4 => "setoption name Clear Hash".to_owned(),
            5 => format!("setoption name Move Overhead value {}", self.rng.below(30)),
            6 => format!("setoption name nodestime value {}", [0, 0, 100][self.rng.below(3)]),
            7 => "setoption name Ponder value true".to_owned(),
            8 => format!("setoption name OwnBook value {on}"),
            9 => format!("setoption name BookFile value {}", [self.book, "<empty>"][self.rng.below(2)]),
            10 => format!("setoption name BestBookMove value {on}"),
            11 => format!("setoption name BookDepth value {}", 1 + self.rng.below(3)),
            12 => format!("setoption name UCI_LimitStrength value {on}"),
            13 => format!("setoption name UCI_Elo value {}", 600 + self.rng.below(2200)),
            14 => format!("setoption name Skill Level value {}", self.rng.below(21)),
            15 => format!("setoption name UCI_ShowWDL value {on}"),
            16 => format!("setoption name UCI_AnalyseMode value {on}"),
            17 => {
                let folder = tables::three_pieces().display().to_string();
                format!("setoption name SyzygyPath value {}", [&folder, "<empty>"][self.rng.below(2)])
            }
            18 => format!("setoption name SyzygyProbeLimit value {}", self.rng.below(8)),
            _ => {
                self.chess960 = !self.chess960;
                format!("setoption name UCI_Chess960 value {}", self.chess960)
            }
        };
        self.send(&line);
        if line.contains("960") {
            // The spelling of moves changes for the position that is there, so a new one is set up.
            self.set_position();
        }
    }

    /// Waits for all answers, or for those that come without `stop`.
    fn wait(&mut self) {
        if self.asked.iter().any(|asked| asked.endless) {
            self.stop();
        }
        if !self.asked.is_empty() {
            let came = self.listen(PATIENCE, |_, talk| talk.asked.is_empty());
            self.judge(came, "a bestmove is missing");
        }
    }

    fn act(&mut self) {
        match self.rng.below(40) {
            0..=9 => self.go(),
            10..=14 => self.set_position(),
            15..=19 => self.stop(),
            20..=22 => self.ponderhit(),
            23..=26 => self.is_ready(),
            27..=31 => self.wait(),
            32..=34 => self.set_option(),
            35 => {
                self.send("ucinewgame");
                self.place = Some(self.initial_place());
            }
            36 => {
                let word = self.pick(&["uci", "d", "eval", "debug on", "help", "perft 2", "register later"]);
                self.send(word);
            }
            37 => {
                let line = self.pick(&REFUSED);
                self.send(line);
                self.place = None;
            }
            _ => {
                let line = self.pick(&GARBAGE);
                self.send(line);
            }
        }
        self.pause();
    }

    /// Ends the conversation: in peace, or in the middle of everything.
    fn end(mut self) {
        let in_peace = self.rng.below(2) == 0;
        if in_peace {
            self.wait();
            self.is_ready();
            self.judge(self.asked.is_empty(), "an answer is missing");
        }
        let sent = Instant::now();
        // A search that runs may be answered.
        self.release();
        self.send("quit");
        let status = loop {
            if let Some(status) = self.client.child.try_wait().expect("the child can be waited for") {
                break status;
            }
            self.judge(sent.elapsed() < PATIENCE, "the process does not end");
            std::thread::sleep(Duration::from_millis(1));
        };
        self.times.quit.push(sent.elapsed());
        self.judge(status.success(), &format!("{status}"));
        // What it said until then is right, too.
        self.listen(PATIENCE, |_, _| false);
        self.judge(!in_peace || self.asked.is_empty(), "an answer is missing");
    }
}

/// Holds so many conversations of about so many commands each.
fn converse(conversations: u64, actions: usize, seed: u64) {
    let mut times = Times::default();
    let folder = Folder::new(&format!("conversation {seed}"));
    let moves = &[("e2e4", 3), ("d2d4", 2)][..];
    let path = folder
        .write("b.bin", &book(&[(START_FEN, moves), (FENS[0], &[("e1g1", 1)]), (FENS[2], &[("a1a8", 1)])]));
    for number in 0..conversations {
        let mut talk = Talk::new(seed.wrapping_mul(1_000_003).wrapping_add(number), &path, &mut times);
        for _ in 0..actions {
            talk.act();
        }
        talk.end();
    }
    times.ready.sort();
    times.quit.sort();
    let at = |list: &[Duration], share: usize| list[(list.len() - 1) * share / 100];
    println!(
        "{} commands, {} searches; readyok: median {:?}, 99 % {:?}, worst {:?}; quit: median {:?}, worst {:?}",
        times.commands,
        times.searches,
        at(&times.ready, 50),
        at(&times.ready, 99),
        at(&times.ready, 100),
        at(&times.quit, 50),
        at(&times.quit, 100),
    );
    // Where others use the processors, a few may be late.
    let late = times.quit.iter().filter(|&&time| time > QUIT_TIME).count();
    assert!(late <= 1 + times.quit.len() / 20, "{late} of {} took too long to quit", times.quit.len());
    assert!(times.searches as u64 >= conversations * actions as u64 / 10, "{} searches", times.searches);
}

#[test]
fn random_conversations_follow_the_protocol() {
    converse(12, 60, 1);
}

/// Prints its times: `cargo test --test conversation -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn thousands_of_random_commands_follow_the_protocol() {
    converse(300, 120, 2);
}
