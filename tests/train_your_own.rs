//! The commands of `docs/train-your-own.md`, in their order and as they stand there, but for few positions: they work,
//! and print what the page shows, apart from the numbers.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const PAGE: &str = include_str!("../docs/train-your-own.md");

/// The commands of the page with the lines that it shows of their output.
fn samples() -> Vec<(&'static str, Vec<&'static str>)> {
    let blocks = PAGE.split("```console\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let mut samples: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match (line.strip_prefix("$ "), samples.last_mut()) {
            (Some(command), _) => samples.push((command, Vec::new())),
            (None, Some((_, shown))) => shown.push(line),
            (None, None) => panic!("{line}"),
        }
    }
    samples
}

/// The command with a smaller goal.
fn reduced(command: &str) -> Vec<String> {
    let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    for index in 1..words.len() {
        match words[index - 1].as_str() {
            "--positions" => words[index] = "4000".to_owned(),
            "--passes" => words[index] = "2".to_owned(),
            _ => {}
        }
    }
    if words[1] == "train" {
        // Of few games the usual share may be none.
        words.extend(["--holdout", "0.1"].map(str::to_owned));
    }
    words
}

/// The line with each number as one letter, so that lines of the same kind are alike.
fn kind(line: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_digit() || ".:-+".contains(letter);
    let mut kind = String::new();
    for word in line.split_inclusive(|letter: char| !is_part(letter)) {
        let rest = word.trim_start_matches(is_part);
        let number = &word[..word.len() - rest.len()];
        kind += if number.contains(|letter: char| letter.is_ascii_digit()) { "N" } else { number };
        kind += rest;
    }
    kind.replace("NeN", "N")
}

#[test]
fn the_page_shows_what_its_commands_print() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("train-your-own");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    let mut ran = Vec::new();
    for (command, shown) in samples() {
        let words = reduced(command);
        if words[0] != "quillon" {
            continue;
        }
        let mut program = Command::new(env!("CARGO_BIN_EXE_quillon"));
        program.current_dir(&folder).args(&words[1..]).stdin(Stdio::null());
        let output = program.output().expect("the program starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{command}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let printed: Vec<String> = text.lines().map(kind).collect();
        for line in shown {
            // What stands for parts left out, what only a longer run shows, and what is wrong with this net only.
            let is_part = line.contains("...") || line.contains("ETA") && words[1] == "datagen";
            if is_part || line.starts_with("not as in sound nets") {
                continue;
            }
            // A short training adds a remark to a line.
            let is_printed = printed.iter().any(|printed| printed.starts_with(&kind(line)));
            assert!(is_printed, "{command} does not print {line:?}, but\n{text}");
        }
        ran.push(words[1].clone());
    }
    assert_eq!(ran, ["datagen", "data", "data", "train", "datagen", "data", "train"]);
}

#[test]
fn the_page_names_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (command, _) in samples() {
        if let Some(script) = command.split(' ').nth(1).filter(|_| command.starts_with("python3 ")) {
            assert!(root.join(script).exists(), "{script}");
        }
    }
    assert_eq!(kind("pass 1.0 of 20: loss 0.02, lr 9.94e-4, ETA 0:00:29"), "pass N of N loss N, lr N, ETA N");
}
