//! The architecture as a test: every module of `src/` imports only modules that `src/lib.rs` lists before it, so the
//! import graph has no cycle, and within a module no circle of files import each other. Also forbidden are mutable
//! statics, which would let two engines in one process notice each other, and files too long to be read in one go.
//!
//! The source is read as tokens, without comments and literals. A path counts as an import when it
//! starts at the crate root, spelled `crate::module`, `crate::{module, ..}` or as enough `super::`s to
//! climb out of the module. Test modules count too: a module is tested with what it builds on.

use std::collections::{BTreeMap, BTreeSet};
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

/// A path from the crate root, and the line it stands on.
#[derive(Clone, Debug, PartialEq)]
struct Import {
    path: Vec<String>,
    line: usize,
}

/// All paths in `tokens` that start at the crate root, whether they are spelled `crate::..` or with `super::`s.
/// `here` is the module whose source this is: nothing for `lib.rs`, `board` for `board/mod.rs`, `board` and `fen`
/// for `board/fen.rs`.
fn imports(tokens: &[Token], here: &[String]) -> Vec<Import> {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let is_path_separator = |index: usize| text(index) == ":" && text(index + 1) == ":";
    let mut found = Vec::new();
    // For each open brace, the name of the inline module that it opens.
    let mut braces: Vec<Option<String>> = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        match text(index) {
            "{" => {
                braces.push((index >= 2 && text(index - 2) == "mod").then(|| tokens[index - 1].text.clone()))
            }
            "}" => drop(braces.pop()),
            "crate" if is_path_separator(index + 1) => {
                index += 3;
                push_branches(tokens, &mut index, Vec::new(), &mut found);
                continue;
            }
            "super" if is_path_separator(index + 1) => {
                let mut module: Vec<String> = here.iter().chain(braces.iter().flatten()).cloned().collect();
                while text(index) == "super" && is_path_separator(index + 1) {
                    module.pop();
                    index += 3;
                }
                push_branches(tokens, &mut index, module, &mut found);
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    found
}

/// Reads a path, with all branches of its groups in braces, that goes on from `start`.
fn push_branches(tokens: &[Token], index: &mut usize, start: Vec<String>, found: &mut Vec<Import>) {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let mut path = start;
    let line = tokens.get(*index).map_or(0, |token| token.line);
    loop {
        if text(*index) == "{" {
            *index += 1;
            while !matches!(text(*index), "}" | "") {
                if text(*index) == "," {
                    *index += 1;
                } else {
                    push_branches(tokens, index, path.clone(), found);
                }
            }
            *index += 1;
            return;
        }
        if text(*index) != "self" {
            path.push(text(*index).to_owned());
        }
        *index += 1;
        if text(*index) == "as" {
            *index += 2;
        }
        if (text(*index), text(*index + 1)) != (":", ":") {
            found.push(Import { path, line });
            return;
        }
        *index += 2;
    }
}

/// The tokens without test modules, which may look at anything in their module.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    const MARK: [&str; 10] = ["#", "[", "cfg", "(", "test", ")", "]", "mod", "tests", "{"];
    let mark =
        tokens.windows(MARK.len()).position(|window| window.iter().zip(MARK).all(|(a, b)| a.text == b));
    tokens[..mark.unwrap_or(tokens.len())].to_vec()
}

/// What imports what among the members, files and folders, of each folder.
#[derive(Default)]
struct Members(BTreeMap<Vec<String>, BTreeSet<(String, String)>>);

impl Members {
    /// Adds the imports of a file; `here` is its module. A `mod.rs` only puts its folder together.
    fn add(&mut self, here: &[String], imports: &[Import]) {
        for Import { path, .. } in imports {
            let shared = here.iter().zip(path).take_while(|(a, b)| a == b).count();
            // Above all folders stand the modules, whose order is checked elsewhere.
            if shared > 0 && shared < here.len() && shared < path.len() {
                let edge = (here[shared].clone(), path[shared].clone());
                self.0.entry(here[..shared].to_vec()).or_default().insert(edge);
            }
        }
    }

    /// The members of a folder from which a way of imports leads back to themselves.
    fn circles(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (folder, edges) in &self.0 {
            let mut edges = edges.clone();
            // Whoever imports nothing that is left, or is imported by nobody left, lies on no circle.
            loop {
                let before = edges.len();
                let from: BTreeSet<String> = edges.iter().map(|edge| edge.0.clone()).collect();
                let to: BTreeSet<String> = edges.iter().map(|edge| edge.1.clone()).collect();
                edges.retain(|(a, b)| from.contains(b) && to.contains(a));
                if edges.len() == before {
                    break;
                }
            }
            if !edges.is_empty() {
                let arrows: Vec<String> = edges.iter().map(|(a, b)| format!("{a} -> {b}")).collect();
                found.push(format!("{}: circle of imports: {}", folder.join("/"), arrows.join(", ")));
            }
        }
        found
    }
}

/// The modules that `lib.rs` declares, in order.
fn modules_in(lib: &str) -> Vec<String> {
    let tokens = tokens(lib);
    tokens
        .windows(3)
        .filter(|window| window[0].text == "mod" && window[2].text == ";")
        .map(|window| window[1].text.clone())
        .collect()
}

/// Modules that stand beside each other although one is listed first: what imports what it must not.
const STRANGERS: [(&str, &str); 3] = [("datagen", "uci"), ("training", "uci"), ("training", "engine")];

/// What is wrong with one file of a module, given the order of the modules.
fn faults(name: &str, source: &str, here: &[String], modules: &[String]) -> Vec<String> {
    let module = here.first().map_or("lib", String::as_str);
    let mut faults = Vec::new();
    let tokens = tokens(source);
    let lines = source.lines().count();
    if lines > MAX_LINES {
        faults.push(format!("{name}: {lines} lines, at most {MAX_LINES} are allowed"));
    }
    for pair in tokens.windows(2).filter(|pair| pair[0].text == "static" && pair[1].text == "mut") {
        faults.push(format!("{name}:{}: mutable static", pair[0].line));
    }
    // The two roots put the modules together, so order does not bind them.
    if module == "lib" || module == "main" {
        return faults;
    }
    let Some(place) = modules.iter().position(|listed| listed == module) else {
        faults.push(format!("{name}: module '{module}' is not declared in lib.rs"));
        return faults;
    };
    for Import { path, line } in imports(&tokens, here) {
        let Some(target) = path.first() else { continue };
        if STRANGERS.contains(&(module, target.as_str())) {
            faults.push(format!("{name}:{line}: {module} is to know nothing of {target}"));
        }
        match modules.iter().position(|listed| listed == target) {
            Some(other) if other <= place => {}
            Some(_) => faults.push(format!("{name}:{line}: {module} imports {target}, which comes after it")),
            // Anything else at the root, `crate::*` included, would hide what is imported.
            None => faults.push(format!("{name}:{line}: '{target}' of the crate root is not a module")),
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
    let modules = modules_in(&read(&src.join("lib.rs")));
    assert_eq!(modules.first().map(String::as_str), Some("types"), "{modules:?}");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    files.sort();
    assert!(files.len() > modules.len(), "{files:?}");

    let (mut all, mut members) = (Vec::new(), Members::default());
    for path in &files {
        let inner = path.strip_prefix(&src).expect("the file lies in src");
        let mut here: Vec<String> =
            inner.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
        here.pop_if(|last| last == "mod");
        let source = read(path);
        all.extend(faults(&inner.display().to_string(), &source, &here, &modules));
        members.add(&here, &imports(&without_tests(&tokens(&source)), &here));
    }
    all.extend(members.circles());
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

/// The checker itself, on a module in the middle of three.
fn faults_of_board(source: &str, depth: usize) -> Vec<String> {
    let modules = modules_in("//! mod fake;\n/// Doc.\npub mod types;\npub mod board;\n\npub mod movegen;\n");
    assert_eq!(modules, ["types", "board", "movegen"]);
    let here = ["board", "x"].map(str::to_owned);
    faults("board/x.rs", source, &here[..depth], &modules)
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
fn circles_are_found() {
    let circles = |files: &[(&str, &str)]| {
        let mut members = Members::default();
        for (module, source) in files {
            let here: Vec<String> = module.split('/').map(str::to_owned).collect();
            members.add(&here, &imports(&without_tests(&tokens(source)), &here));
        }
        members.circles()
    };
    let line = [("b/x", "use super::y::Y;"), ("b/y", "use crate::{b::z::{self, Z as W}, a};"), ("b/z", "")];
    assert_eq!(circles(&line), Vec::<String>::new());
    let ring = [line[0], line[1], ("b/z", "fn f() { super::x::g() }"), ("b/w", "use super::x;")];
    assert_eq!(circles(&ring), ["b: circle of imports: x -> y, y -> z, z -> x"]);
    // A folder counts as one, and is looked at by itself, too.
    let folder =
        [("b/x", "use super::f::g::G;"), ("b/f/g", "use super::h;"), ("b/f/h", "use super::super::x;")];
    assert_eq!(circles(&folder), ["b: circle of imports: f -> x, x -> f"]);
    let inner = [("b/f/g", "use super::h::H;"), ("b/f/h", "use crate::b::f::g::G;")];
    assert_eq!(circles(&inner), ["b/f: circle of imports: g -> h, h -> g"]);
    let tests =
        [line[0], ("b/y", "fn f() {}\n#[cfg(test)]\nmod tests { use super::super::x; }"), ("b", "use x::X;")];
    assert_eq!(circles(&tests), Vec::<String>::new());
}

#[test]
fn mutable_statics_and_long_files_are_found() {
    assert_eq!(faults_of_board("\nstatic mut COUNT: u64 = 0;", 2), ["board/x.rs:2: mutable static"]);
    assert_eq!(faults_of_board(&"\n".repeat(MAX_LINES), 2), Vec::<String>::new());
    assert_eq!(faults_of_board(&"\n".repeat(MAX_LINES + 1), 2).len(), 1);
    let stray = faults("x/y.rs", "", &["x".to_owned()], &["types".to_owned()]);
    assert_eq!(stray, ["x/y.rs: module 'x' is not declared in lib.rs"]);
}
