//! What README and the pages in `docs/` show of the program's output is what it prints.
//!
//! The commands of all blocks marked `console` are run, those of one page in its order and in one folder:
//!
//! - `$ COMMAND` is run by the shell; the lines after it are its output.
//! - `$ cat FILE` shows a file. The sample is where the file comes from.
//! - `$ quillon` is a conversation: lines after `> ` are typed, the others are answers. They are those that a chess
//!   program gets, or, after a comment `<!-- at a terminal -->` before the block, a person.
//! - `...` alone stands for any lines, within a line for any text.
//!
//! Times, speeds and what depends on the processor may differ. A comment `<!-- not run: REASON -->` before a block
//! leaves it out. To write the numbers of a changed search into the pages:
//! `cargo test --release --test samples -- --ignored`.
#![cfg(unix)]

mod client;
mod pages;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use client::Client;
use client::files::book;
use client::screen::Terminal;
use quillon::uci::Audience;
use quillon::uci::format::Drawing;
use regex::Regex;

/// What may stand behind the fence of a block that is not run: commands without output, and formats.
const NOT_RUN: [&str; 7] = ["sh", "yaml", "toml", "epd", "rust", "pgn", "text"];
/// These pages have tests of their own, which run them in a smaller form.
const ELSEWHERE: [&str; 1] = ["docs/train-your-own.md"];
const MARK: &str = "<!-- not run: ";
const AT_TERMINAL: &str = "<!-- at a terminal -->";
const GAP: &str = "...";

/// A line that is shown, and where.
#[derive(Clone)]
struct Shown {
    number: usize,
    text: String,
}

/// A command, or a line typed to the engine, and the lines that a page shows of the answer.
struct Step {
    number: usize,
    command: String,
    shown: Vec<Shown>,
    /// Lines typed to the engine that the command starts.
    typed: Vec<Step>,
}

/// The commands of a block.
fn steps(block: &pages::Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (index, line) in block.lines.iter().enumerate() {
        let number = block.first + index;
        let new = |command: &str| Step {
            number,
            command: command.to_owned(),
            shown: Vec::new(),
            typed: Vec::new(),
        };
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(new(command));
            continue;
        }
        let step = steps.last_mut().unwrap_or_else(|| panic!("line {}: no command", number + 1));
        match line.strip_prefix("> ") {
            Some(typed) if step.command == "quillon" => step.typed.push(new(typed)),
            _ => {
                let shown = Shown { number, text: line.clone() };
                match step.typed.last_mut() {
                    Some(typed) => typed.shown.push(shown),
                    None => step.shown.push(shown),
                }
            }
        }
    }
    steps
}

/// The line without what may differ from run to run and from machine to machine.
fn steady(line: &str) -> String {
    static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let rules = [
            (r"\b\d+(\.\d+)? (s|ms)\b", "TIME"),
            (r"\b\d+(\.\d+)? ([kMG]?nps$|(M )?positions/s)", "SPEED"),
            (r"\b\d+/s\b", "SPEED"),
            (r"\b(nps|time) \d+", "$1 N"),
            (r"^passed  processor: .*", "passed  processor"),
            (r"^1\d passed, 0 failed$", "passed"),
        ];
        rules.map(|(rule, by)| (Regex::new(rule).expect("a sound rule"), by)).to_vec()
    });
    let mut line = line.trim_end().to_owned();
    for (rule, by) in RULES.iter() {
        line = rule.replace_all(&line, *by).into_owned();
    }
    line
}

/// What is left of a line when the search has changed: no numbers, no moves.
fn kind(line: &str) -> String {
    static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let rules = [
            (r"(bestmove| pv) .*", "$1"),
            (r"(cp|mate) -?\d+ (wdl \d+ \d+ \d+ )?", "SCORE "),
            (r"^( +\d+/\d+ .* \d\)) .*", "$1"),
            (r" [+-](\d+\.\d\d|M\d+)\b", " SCORE"),
            (r"[\d.]+", "N"),
            (r" +", " "),
        ];
        rules.map(|(rule, by)| (Regex::new(rule).expect("a sound rule"), by)).to_vec()
    });
    let mut line = steady(line);
    for (rule, by) in RULES.iter() {
        line = rule.replace_all(&line, *by).into_owned();
    }
    line
}

/// Whether a printed line is the one shown, in the form that `form` gives to lines.
fn is_shown(shown: &str, printed: &str, form: fn(&str) -> String) -> bool {
    // A gap within the line stands for any text.
    let (shown, printed) = (form(&shown.replace(GAP, "\0")), form(printed));
    let Some((start, end)) = shown.split_once('\0') else { return shown == printed };
    printed.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
}

/// For each shown line that is no gap the printed one that it shows; `None` when they do not fit.
fn matched(shown: &[Shown], printed: &[String], form: fn(&str) -> String) -> Option<Vec<(usize, String)>> {
    let Some((first, rest)) = shown.split_first() else {
        return printed.is_empty().then(Vec::new);
    };
    if first.text == GAP {
        return (0..=printed.len()).find_map(|skipped| matched(rest, &printed[skipped..], form));
    }
    let (line, others) = printed.split_first()?;
    if !is_shown(&first.text, line, form) {
        return None;
    }
    let mut pairs = matched(rest, others, form)?;
    pairs.insert(0, (first.number, line.clone()));
    Some(pairs)
}

/// What is wrong with a page: shown line, what stands there in place of it where that is known, and a message.
#[derive(Default)]
struct Verdict {
    ran: usize,
    changes: Vec<(usize, String)>,
    faults: Vec<String>,
}

impl Verdict {
    fn judge(&mut self, step: &Step, printed: &[String]) {
        self.ran += 1;
        if matched(&step.shown, printed, steady).is_some() {
            return;
        }
        let shown: Vec<&str> = step.shown.iter().map(|line| line.text.as_str()).collect();
        let printed_start = &printed[..printed.len().min(30)];
        let fault = format!(
            "line {}: '{}' shows\n{}\nbut prints\n{}\n",
            step.number + 1,
            step.command,
            shown.join("\n"),
            printed_start.join("\n")
        );
        self.faults.push(fault);
        for (number, line) in matched(&step.shown, printed, kind).unwrap_or_default() {
            let is_changed = |shown: &&Shown| shown.number == number && !is_shown(&shown.text, &line, steady);
            if step.shown.iter().find(is_changed).is_some_and(|shown| !shown.text.contains(GAP)) {
                self.changes.push((number, line.trim_end().to_owned()));
            }
        }
    }
}

/// The folder in which the samples of a page are run: with the files that come with the source, and a small book.
fn workplace(page: &Path) -> PathBuf {
    let name = page.file_name().unwrap_or_default();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    for name in ["perft-suites", "tests"] {
        symlink(pages::root().join(name), folder.join(name)).expect("a link can be made");
    }
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let reply = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1";
    let replies: &[(&str, u16)] = &[("g8f6", 8), ("d7d5", 7), ("e7e6", 1)];
    fs::write(folder.join("book.bin"), book(&[(start, &[("d2d4", 1)]), (reply, replies)]))
        .expect("the book can be written");
    folder
}

/// What a command of the shell prints.
fn run(command: &str, folder: &Path) -> Vec<String> {
    let programs =
        Path::new(env!("CARGO_BIN_EXE_quillon")).parent().expect("it lies in a folder").display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {command}")]).env("PATH", path).current_dir(folder);
    let output = shell.stdin(Stdio::null()).output().expect("there is a shell");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// What the engine, which a person talks to, answers to a line.
fn answer(terminal: &mut Terminal, typed: &Step) -> Vec<String> {
    terminal.enter(&typed.command);
    let answer = if typed.shown.last().is_some_and(|line| line.text.starts_with("bestmove")) {
        terminal.wait_for("bestmove")
    } else {
        terminal.enter("isready");
        terminal.wait_for("readyok").replace("readyok\n", "")
    };
    answer.lines().map(str::to_owned).collect()
}

/// Runs what a person types, and judges what a page shows of the answers.
fn check_terminal(step: &Step, verdict: &mut Verdict) {
    let mut terminal = Terminal::open(Audience::Person(Drawing::Letters));
    for typed in step.typed.iter().filter(|typed| typed.command != "quit") {
        verdict.judge(typed, &answer(&mut terminal, typed));
    }
    terminal.close();
}

/// Runs a command and judges what a page shows of it.
fn check(step: &Step, folder: &Path, verdict: &mut Verdict) {
    if let Some(file) = step.command.strip_prefix("cat ") {
        let lines: String = step.shown.iter().map(|line| format!("{}\n", line.text)).collect();
        return fs::write(folder.join(file), lines).expect("the file can be written");
    }
    if step.typed.is_empty() {
        return verdict.judge(step, &run(&step.command, folder));
    }
    assert!(step.shown.is_empty(), "line {}: the engine says nothing before it is asked", step.number + 1);
    let mut client = Client::start_in(folder);
    for typed in &step.typed {
        client.send(&typed.command);
        if typed.command == "quit" {
            client.wait_for_exit();
            return;
        }
        // A search answers later than all else, and ends with the last line that is shown.
        let mut printed = Vec::new();
        if typed.shown.last().is_some_and(|line| line.text.starts_with("bestmove")) {
            printed = client.search_lines();
        }
        printed.extend(client.sync());
        verdict.judge(typed, &printed);
    }
    client.quit();
}

/// Runs the samples of a page.
fn verdict(page: &Path, text: &str) -> Verdict {
    let lines: Vec<&str> = text.lines().collect();
    let (mut verdict, folder) = (Verdict::default(), workplace(page));
    for block in pages::blocks(text) {
        let before =
            lines[..block.first - 1].iter().rev().map(|line| line.trim()).find(|line| !line.is_empty());
        let reason = before.and_then(|line| line.strip_prefix(MARK));
        let is_at_terminal = before == Some(AT_TERMINAL);
        if block.language != "console" {
            let is_known = NOT_RUN.contains(&block.language.as_str());
            let is_sample =
                block.lines.iter().any(|line| line.starts_with("$ ") || line.starts_with("info "));
            if !is_known || is_sample && reason.is_none() {
                verdict.faults.push(format!("line {}: samples are marked 'console'", block.first));
            }
        } else if is_at_terminal {
            steps(&block).iter().for_each(|step| check_terminal(step, &mut verdict));
        } else if reason.is_none() {
            steps(&block).iter().for_each(|step| check(step, &folder, &mut verdict));
        }
    }
    let _ = fs::remove_dir_all(&folder);
    verdict
}

/// The pages, with their names in the source.
fn all_pages() -> Vec<(String, PathBuf)> {
    let named = pages::pages(pages::root()).into_iter().map(|page| {
        let name = page.strip_prefix(pages::root()).expect("it lies there").display().to_string();
        (name, page)
    });
    named.filter(|(name, _)| !ELSEWHERE.contains(&name.as_str())).collect()
}

#[test]
fn the_pages_show_what_the_program_prints() {
    let mut faults = Vec::new();
    let mut ran = Vec::new();
    for (name, page) in all_pages() {
        let verdict = verdict(&page, &pages::read(&page));
        faults.extend(verdict.faults.iter().map(|fault| format!("{name}, {fault}")));
        if verdict.ran > 0 {
            ran.push(name);
        }
    }
    assert!(
        faults.is_empty(),
        "{}\nWhere the change was meant, `cargo test --release --test samples -- --ignored` writes new numbers into the pages.",
        faults.join("\n")
    );
    for name in ["README.md", "docs/engine-authors.md", "docs/players.md", "docs/tools.md", "docs/uci.md"] {
        assert!(ran.iter().any(|page| page == name), "{name} shows nothing: {ran:?}");
    }
}

#[test]
#[ignore = "writes what the program prints into the pages"]
fn write_new_numbers_into_the_pages() {
    for (name, page) in all_pages() {
        let text = pages::read(&page);
        let verdict = verdict(&page, &text);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (number, line) in &verdict.changes {
            let indent = lines[*number].len() - lines[*number].trim_start().len();
            let indent = " ".repeat(if line.starts_with(' ') { 0 } else { indent });
            lines[*number] = format!("{indent}{line}");
            println!("{name}:{}: {line}", number + 1);
        }
        if !verdict.changes.is_empty() {
            fs::write(&page, lines.join("\n") + "\n").expect("the page can be written");
        }
    }
}

/// Shown lines, as if they stood in a page.
fn shown(lines: &[&str]) -> Vec<Shown> {
    lines.iter().enumerate().map(|(number, line)| Shown { number, text: (*line).to_owned() }).collect()
}

#[test]
fn samples_are_compared_but_for_times_and_gaps() {
    let printed = ["start", "one 1 of 2 in 0.3 s", "two", "2000 nodes 31 nps"].map(str::to_owned);
    let fits = |lines: &[&str], form| matched(&shown(lines), &printed, form).is_some();
    assert!(fits(&["start", "one 1 of 2 in 15 s", "two", "2000 nodes 7 nps"], steady));
    assert!(fits(&["...", "one ... of 2 in 15 s", "two", "..."], steady));
    assert!(fits(&["...", "2000 nodes 7 nps"], steady));
    assert!(!fits(&["start", "one 1 of 3 in 0.3 s", "..."], steady));
    assert!(!fits(&["start", "two", "..."], steady));
    assert!(!fits(&["start", "one 1 of 2 in 0.3 s", "two"], steady));
    assert_eq!(steady("info nodes 4 nps 5 time 6"), steady("info nodes 4 nps 9 time 8"));
    assert_ne!(steady("info nodes 4 nps 5 time 6"), steady("info nodes 5 nps 5 time 6"));
    let changed = matched(&shown(&["...", "1999 nodes 7 nps"]), &printed, kind);
    assert_eq!(changed, Some(vec![(1, "2000 nodes 31 nps".to_owned())]));
    assert_eq!(
        kind("info depth 3 score cp -5 wdl 1 2 3 nodes 4 nps 5 time 6 pv e2e4"),
        kind("info depth 3 score mate 2 nodes 4 nps 5 time 6 pv a2a3 a7a6")
    );
}
