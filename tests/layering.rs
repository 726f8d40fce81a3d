//! The architecture as a test: every room of `src/` imports only rooms that `src/lib.rs` lists before
//! it, so the import graph has no cycle. Also forbidden are mutable statics, which would let two
//! engines in one process notice each other, and files too long to be read in one go.
//!
//! The source is read as tokens, without comments and literals. A path counts as an import when it
//! starts at the crate root, spelled `crate::room`, `crate::{room, ..}` or as enough `super::`s to
//! climb out of the room. Test modules count too: a room is tested with what it builds on.

use std::fs;
use std::path::{Path, PathBuf};

const MAX_LINES: usize = 600;

/// A word or a punctuation character, with its line.
#[derive(Clone, Debug, PartialEq)]
struct Token {
    text: String,
    line: usize,
}

/// Splits Rust source into words and single punctuation characters. Comments and the contents of
/// string and character literals are left out; lifetimes become ordinary words.
fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let (mut found, mut index, mut line) = (Vec::new(), 0, 1);
    let newlines =
        |from: usize, to: usize| chars[from..to.min(chars.len())].iter().filter(|&&c| c == '\n').count();
    while index < chars.len() {
        let start = index;
        match at(index) {
            '/' if at(index + 1) == '/' => {
                while index < chars.len() && at(index) != '\n' {
                    index += 1;
                }
            }
            '/' if at(index + 1) == '*' => {
                let mut nesting = 0;
                while index < chars.len() {
                    match (at(index), at(index + 1)) {
                        ('/', '*') => nesting += 1,
                        ('*', '/') => nesting -= 1,
                        _ => {
                            index += 1;
                            continue;
                        }
                    }
                    index += 2;
                    if nesting == 0 {
                        break;
                    }
                }
            }
            '"' => index = end_of_string(&chars, index),
            '\'' => {
                // A lifetime has no quote after its first letter, a character literal has.
                if at(index + 1) == '\\' {
                    index += 3;
                    while index < chars.len() && at(index) != '\'' {
                        index += 1;
                    }
                    index += 1;
                } else if at(index + 2) == '\'' {
                    index += 3;
                } else {
                    index += 1;
                }
            }
            first if first.is_alphanumeric() || first == '_' => {
                while at(index).is_alphanumeric() || at(index) == '_' {
                    index += 1;
                }
                let text: String = chars[start..index].iter().collect();
                let hashes = chars[index..].iter().take_while(|&&c| c == '#').count();
                if matches!(text.as_str(), "r" | "br") && at(index + hashes) == '"' {
                    index = end_of_raw_string(&chars, index + hashes, hashes);
                } else {
                    found.push(Token { text, line });
                }
            }
            other => {
                if !other.is_whitespace() {
                    found.push(Token { text: other.to_string(), line });
                }
                index += 1;
            }
        }
        line += newlines(start, index);
    }
    found
}

fn end_of_string(chars: &[char], quote: usize) -> usize {
    let mut index = quote + 1;
    while index < chars.len() && chars[index] != '"' {
        index += if chars[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

fn end_of_raw_string(chars: &[char], quote: usize, hashes: usize) -> usize {
    let mut index = quote + 1;
    while index < chars.len() {
        if chars[index] == '"' && chars[index + 1..].iter().take_while(|&&c| c == '#').count() >= hashes {
            return index + 1 + hashes;
        }
        index += 1;
    }
    index
}

/// The first segments of all paths in `tokens` that start at the crate root. `depth` is how many
/// modules the file lies below the root: 0 for `lib.rs`, 1 for `board/mod.rs`, 2 for `board/fen.rs`.
fn root_imports(tokens: &[Token], depth: usize) -> Vec<Token> {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let is_path_separator = |index: usize| text(index) == ":" && text(index + 1) == ":";
    let mut imports = Vec::new();
    // For each open brace, whether it belongs to an inline module.
    let mut braces: Vec<bool> = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        match text(index) {
            "{" => braces.push(index >= 2 && text(index - 2) == "mod"),
            "}" => drop(braces.pop()),
            "crate" if is_path_separator(index + 1) => {
                index += 3;
                push_segments(tokens, index, &mut imports);
                continue;
            }
            "super" if is_path_separator(index + 1) => {
                let levels = depth + braces.iter().filter(|&&is_module| is_module).count();
                let mut climbed = 0;
                while text(index) == "super" && is_path_separator(index + 1) {
                    climbed += 1;
                    index += 3;
                }
                if climbed >= levels {
                    push_segments(tokens, index, &mut imports);
                }
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    imports
}

/// The segment at `start`, or the first segment of each branch if a group in braces is there.
fn push_segments(tokens: &[Token], start: usize, imports: &mut Vec<Token>) {
    if tokens.get(start).is_none_or(|token| token.text != "{") {
        imports.extend(tokens.get(start).cloned());
        return;
    }
    let (mut nesting, mut at_branch) = (0, false);
    for token in &tokens[start..] {
        match token.text.as_str() {
            "{" => {
                nesting += 1;
                at_branch = nesting == 1;
            }
            "}" => {
                nesting -= 1;
                if nesting == 0 {
                    return;
                }
            }
            "," => at_branch = nesting == 1,
            _ => {
                if at_branch {
                    imports.push(token.clone());
                }
                at_branch = false;
            }
        }
    }
}

/// The rooms that `lib.rs` declares, in order.
fn rooms_in(lib: &str) -> Vec<String> {
    let tokens = tokens(lib);
    tokens
        .windows(3)
        .filter(|window| window[0].text == "mod" && window[2].text == ";")
        .map(|window| window[1].text.clone())
        .collect()
}

/// What is wrong with one file of a room, given the order of the rooms.
fn faults(name: &str, source: &str, room: &str, depth: usize, rooms: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    let tokens = tokens(source);
    let lines = source.lines().count();
    if lines > MAX_LINES {
        faults.push(format!("{name}: {lines} lines, at most {MAX_LINES} are allowed"));
    }
    for pair in tokens.windows(2).filter(|pair| pair[0].text == "static" && pair[1].text == "mut") {
        faults.push(format!("{name}:{}: mutable static", pair[0].line));
    }
    // The two roots put the rooms together, so order does not bind them.
    if room == "lib" || room == "main" {
        return faults;
    }
    let Some(place) = rooms.iter().position(|listed| listed == room) else {
        faults.push(format!("{name}: room '{room}' is not declared in lib.rs"));
        return faults;
    };
    for import in root_imports(&tokens, depth) {
        let (target, line) = (&import.text, import.line);
        match rooms.iter().position(|listed| listed == target) {
            Some(other) if other <= place => {}
            Some(_) => faults.push(format!("{name}:{line}: {room} imports {target}, which comes after it")),
            // Anything else at the root, `crate::*` included, would hide what is imported.
            None => faults.push(format!("{name}:{line}: '{target}' of the crate root is not a room")),
        }
    }
    faults
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("a folder entry can be read").path()) {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn rooms_import_only_what_comes_before_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let rooms = rooms_in(&read(&src.join("lib.rs")));
    assert_eq!(rooms.first().map(String::as_str), Some("types"), "{rooms:?}");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    files.sort();
    assert!(files.len() > rooms.len(), "{files:?}");

    let mut all = Vec::new();
    for path in &files {
        let inner = path.strip_prefix(&src).expect("the file lies in src");
        let parts: Vec<String> =
            inner.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let depth =
            if parts.last().is_some_and(|last| last == "mod") { parts.len() - 1 } else { parts.len() };
        all.extend(faults(&inner.display().to_string(), &read(path), &parts[0], depth, &rooms));
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

/// The checker itself, on a room in the middle of three.
fn faults_of_board(source: &str, depth: usize) -> Vec<String> {
    let rooms = rooms_in("//! mod fake;\n/// Doc.\npub mod types;\npub mod board;\n\npub mod movegen;\n");
    assert_eq!(rooms, ["types", "board", "movegen"]);
    faults("board/x.rs", source, "board", depth, &rooms)
}

#[test]
fn wrong_imports_are_found() {
    for (source, depth) in [
        ("use crate::movegen::perft;", 2),
        ("use crate::movegen;", 1),
        ("use crate::{types::{Move, Square}, movegen::perft};", 2),
        ("use crate :: {\n    movegen,\n    types,\n};", 2),
        ("fn f() { crate::movegen::perft() }", 2),
        ("pub(crate) fn f() {}\n#[cfg(test)]\nmod tests { use crate::movegen::perft; }", 2),
        ("use super::super::movegen::perft;", 2),
        ("use super::movegen::perft;", 1),
        ("use super::{types::Move, movegen};", 1),
        ("mod tests { use super::super::super::movegen; }", 2),
        ("mod tests { fn f() {} use super::super::movegen; }", 1),
        ("fn f<'a>(c: char) { c == '\"'; crate::movegen::g(); let s = \"\"; }", 2),
        ("use crate::tactics::pin;", 2),
        ("use crate::*;", 2),
    ] {
        assert_eq!(faults_of_board(source, depth).len(), 1, "{source}");
    }
}

#[test]
fn allowed_text_is_left_alone() {
    for (source, depth) in [
        ("use crate::types::{Move, Square};\nuse crate::board::Position;", 2),
        ("use crate::{types::{self, Move}, board::{Position, movegen}};", 2),
        ("use super::position::Position;\nmod tests { use super::super::fen; use super::*; }", 2),
        (
            "/// See [`crate::movegen`].\nfn f() {} // crate::movegen\n/* crate::movegen /* */ crate::movegen */",
            2,
        ),
        ("fn f() { g(\"crate::movegen \\\" \"); h(r#\"crate::movegen \" \"#); }", 2),
        ("pub(crate) fn f(c: &'static str) { let _ = ('\\'', '\"', c, '\"'); }", 2),
        ("pub(super) static TABLE: [u8; 2] = [0, 1];", 2),
    ] {
        assert_eq!(faults_of_board(source, depth), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn mutable_statics_and_long_files_are_found() {
    assert_eq!(faults_of_board("\nstatic mut COUNT: u64 = 0;", 2), ["board/x.rs:2: mutable static"]);
    assert_eq!(faults_of_board(&"\n".repeat(MAX_LINES), 2), Vec::<String>::new());
    assert_eq!(faults_of_board(&"\n".repeat(MAX_LINES + 1), 2).len(), 1);
    let stray = faults("x/y.rs", "", "x", 2, &["types".to_owned()]);
    assert_eq!(stray, ["x/y.rs: room 'x' is not declared in lib.rs"]);
}
