//! What all command-line tools have in common: files that are not what they should be, and output that cannot be
//! written.

#[path = "client/files.rs"]
#[allow(dead_code)]
mod files;

use std::process::{Command, Output, Stdio};

use files::Folder;

/// Exit code where nobody reads: 128 and the number of SIGPIPE, as shells show it.
const NOBODY_READS: i32 = 141;

fn quillon(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

fn finish(mut command: Command) -> Output {
    command.output().expect("the program runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

/// Runs a tool whose output nobody reads, and returns exit code and errors.
fn unread(arguments: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = quillon(arguments);
    command.stdout(writer);
    let output = finish(command);
    (output.status.code(), text(&output.stderr).to_owned())
}

/// A file of games from self-play.
fn games(folder: &Folder, name: &str) -> String {
    let path = folder.0.join(name).display().to_string();
    let made = finish(quillon(&["datagen", "--out", &path, "--games", "10", "--nodes", "25"]));
    assert!(made.status.success(), "{}", text(&made.stderr));
    path
}

/// Arguments of tools that do nothing but print, with the file that they read.
fn printing_tools(folder: &Folder) -> Vec<Vec<String>> {
    let games = games(folder, "some.games");
    let rows = folder.write("rows.epd", b"7k/8/8/8/8/8/8/K7 w - - 0 1 ;D1 3 ;D2 9\n");
    let problem = folder.write("problem.epd", b"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Rb1;\n");
    let game = folder.write("game.pgn", b"1. e4 e5 *\n");
    let tools = [
        &["--help"][..],
        &["--version"],
        &["help", "perft"],
        &["data", "merge", "--help"],
        &["selftest"],
        &["bench", "3"],
        &["perft", "3", "--divide"],
        &["perft-suite", &rows],
        &["epd", &problem, "--nodes", "100"],
        &["analyse", &game, "--nodes", "100"],
        &["data", "stats", &games],
        &["data", "verify", &games],
        #[cfg(feature = "tuning")]
        &["spsa"],
    ];
    tools.iter().map(|tool| tool.iter().map(|&word| word.to_owned()).collect()).collect()
}

#[test]
fn a_tool_that_nobody_reads_ends_quietly() {
    let folder = Folder::new("unread");
    for tool in printing_tools(&folder) {
        let tool: Vec<&str> = tool.iter().map(String::as_str).collect();
        assert_eq!(unread(&tool), (Some(NOBODY_READS), String::new()), "{tool:?}");
    }
    // Wrong arguments are told on standard error, which is read.
    let (code, errors) = unread(&["nonsense"]);
    assert!(code == Some(2) && errors.contains("nonsense"), "{errors}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let folder = Folder::new("full");
    let mut tools = printing_tools(&folder);
    tools.push(vec!["uci".to_owned()]);
    for tool in tools {
        let tool: Vec<&str> = tool.iter().map(String::as_str).collect();
        let mut command = quillon(&tool);
        command.stdout(std::fs::File::create("/dev/full").expect("Linux has it"));
        if tool == ["uci"] {
            command.stdin(std::fs::File::open(folder.write("script", b"uci\n")).expect("it was written"));
        }
        let output = finish(command);
        let message = "quillon: cannot write to standard output: No space left on device (os error 28)\n";
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), message), "{tool:?}");
    }
}

#[test]
fn a_tool_that_nobody_reads_finishes_its_file() {
    let folder = Folder::new("unread files");
    let some = games(&folder, "some.games");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let (merged, drawing, net) = (path("merged"), path("drawing.svg"), path("some.net"));
    let (game, annotated) = (folder.write("game.pgn", b"1. e4 e5 *\n"), path("annotated.pgn"));
    for tool in [
        &["data", "merge", &some, "--out", &merged][..],
        &["data", "stats", &some, "--svg", &drawing],
        &["analyse", &game, "--out", &annotated, "--nodes", "100"],
        // Without a goal it would go on for ever.
        &["datagen", "--out", &some, "--nodes", "25"],
        &["train", "--data", &some, "--out", &net, "--hidden", "32", "--passes", "1"],
    ] {
        assert_eq!(unread(tool), (Some(NOBODY_READS), String::new()), "{tool:?}");
    }
    for path in [&drawing, &net, &annotated] {
        assert!(std::fs::metadata(path).is_ok_and(|data| data.len() > 0), "{path}");
    }
    for path in [&some, &merged] {
        assert!(finish(quillon(&["data", "verify", path])).status.success(), "{path}");
    }
}

#[test]
fn a_file_that_is_none_of_its_kind_is_named() {
    let folder = Folder::new("corners");
    let good = games(&folder, "good.games");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let out = path("out");
    let tools = |file: &str| {
        [
            &["perft-suite", file][..],
            &["epd", file, "--nodes", "10"],
            &["analyse", file, "--out", &out],
            &["bench", "2", "--eval-file", file],
            &["data", "stats", file],
            &["data", "verify", file],
            &["data", "wdl", file],
            &["data", "merge", &good, file, "--out", &out],
            &["data", "dedup", &good, file, "--out", &out],
            &["train", "--data", &good, file, "--out", &out],
            &["train", "--data", &good, "--out", &out, "--resume", file],
            &["datagen", "--out", &out, "--games", "1", "--openings", file],
            &["datagen", "--out", &out, "--games", "1", "--eval-file", file],
        ]
        .map(|tool| tool.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    };
    let folders = folder.0.join("folder");
    std::fs::create_dir_all(&folders).expect("the test may write its folder");
    for (file, reason) in [
        (path("missing"), "No such file"),
        (path("missing/file"), "No such file"),
        (folders.display().to_string(), ""),
        (folder.write("empty", b""), ""),
        (folder.write("text", b"hello\n"), ""),
        (folder.write("comment", b"# nothing but a comment\n\n"), ""),
        (folder.write("bytes", &[0xFF, 0xFE, 0, 10].repeat(500)), ""),
        (folder.write("mark", &[b"\xEF\xBB\xBF", &b"q".repeat(2000)[..]].concat()), ""),
    ] {
        for tool in tools(&file) {
            let tool: Vec<&str> = tool.iter().map(String::as_str).collect();
            let output = finish(quillon(&tool));
            let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(1), "{tool:?}: {said}");
            assert!(said.contains(&file) && said.contains(reason), "{tool:?}: {said}");
            assert!(said.lines().count() <= 15, "{tool:?}: {said}");
            assert_eq!(files_beginning(&folder, "out"), [""; 0], "{tool:?}");
        }
    }
}

/// The names of files in a folder that begin so.
fn files_beginning(folder: &Folder, start: &str) -> Vec<String> {
    let entries = std::fs::read_dir(&folder.0).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(start)).collect()
}

#[test]
fn of_many_bad_lines_the_first_are_told() {
    let folder = Folder::new("bad lines");
    let row = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let rows = |good: &str, bad: usize| format!("{row} {good}\n{}", "something else\n".repeat(bad));
    let least: [&[&str]; 2] = [&["--max-nodes", "20"], &["--depth", "2"]];
    for ((tool, good), least) in [("perft-suite", ";D1 20"), ("epd", "am a3;")].into_iter().zip(least) {
        for (bad, lines) in [(1, 1), (8, 8), (9, 9), (62, 9)] {
            let file = folder.write("rows", rows(good, bad).as_bytes());
            let output = finish(quillon(&[&[tool, &file], least].concat()));
            assert_eq!(output.status.code(), Some(1), "{tool}");
            let said = text(&output.stdout);
            assert_eq!(
                said.matches(&format!("{file}:")).count() - usize::from(tool == "perft-suite"),
                lines,
                "{said}"
            );
            assert!(said.contains(&format!("{file}:2: ")), "{said}");
            let more = format!("{file}: {} more lines that cannot be used\n", bad.saturating_sub(8));
            assert_eq!(said.contains(&more), bad > 8, "{said}");
            assert!(said.ends_with(&format!("1 passed, {bad} failed\n")), "{said}");
        }
    }
}
