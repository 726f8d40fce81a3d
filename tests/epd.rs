//! `quillon epd`: when solutions are found, and that the count depends on nothing but the nodes.

#[path = "client/files.rs"]
#[allow(dead_code)]
mod files;

use std::process::{Command, Output, Stdio};

use files::Folder;
use serde_json::Value;

/// From "Win at Chess": the third and fourth are easy.
const TACTICS: &str = "\
2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"WAC.001\";
# a comment
8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - bm Rxb2; id \"WAC.002\";
5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - bm Rg3; id \"WAC.003\";
r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - bm Qxh7+; dm 2; id \"WAC.004\";
";

fn epd(file: &str, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    command.args(["epd", file, "--hash", "4"]).args(options).stdin(Stdio::null());
    command.output().expect("the program runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

/// The objects that `--json` prints.
fn objects(file: &str, options: &[&str]) -> Vec<Value> {
    let output = epd(file, &[options, &["--json"]].concat());
    let lines = text(&output.stdout).lines();
    lines.map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

/// Lines of output without times.
fn timeless(output: &Output) -> Vec<String> {
    let is_time = |word: &&str| !word.contains('.') || word.starts_with(['+', '-', 'W']);
    let lines = text(&output.stdout).lines();
    lines.map(|line| line.split_whitespace().filter(is_time).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn every_position_has_a_row() {
    let folder = Folder::new("epd");
    let file = folder.write("tactics.epd", TACTICS.as_bytes());
    let output = epd(&file, &["--nodes", "20000"]);
    let said = text(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((output.status.code(), lines.len()), (Some(1), 9), "{said}");
    assert!(lines[0].starts_with("line  position"));
    let row = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>();
    assert!(row(1).starts_with(&["1", "WAC.001", "no"]) && lines[1].ends_with("(bm Qg6)"), "{said}");
    let solved = row(4);
    assert!(solved.starts_with(&["5", "WAC.004"]) && solved.ends_with(&["+#2", "Qxh7+"]), "{said}");
    assert_eq!(solved[3], "s");
    let (depth, nodes): (u32, u32) = (solved[4].parse().expect("a depth"), solved[5].parse().expect("nodes"));
    assert!(depth >= 1 && nodes > 0 && nodes < 20000, "{said}");
    assert!(lines[5].starts_with("solved within") && lines[5].contains("10 kn"), "{said}");
    assert_eq!(row(6).last(), Some(&"2"), "{said}");
    assert_eq!(lines[8], "2 passed, 2 failed");
    assert!(lines.iter().all(|line| line.len() <= 80), "{said}");
    // The count depends on nodes only.
    let parallel = epd(&file, &["--nodes", "20000", "--threads", "3"]);
    assert_eq!(timeless(&parallel), timeless(&output));
}

#[test]
fn times_have_a_table_too() {
    let folder = Folder::new("epd times");
    let file = folder.write("tactics.epd", TACTICS.lines().last().expect("it has lines").as_bytes());
    let output = epd(&file, &["--movetime", "50"]);
    let said = text(&output.stdout);
    assert!(
        output.status.success() && said.contains("0.1 s    0.2 s    0.5 s      1 s      2 s      5 s\n"),
        "{said}"
    );
    assert!(said.ends_with("1 passed, 0 failed\n") && !said.contains("note"), "{said}");
    let shared = epd(&file, &["--movetime", "10", "--threads", "2"]);
    assert!(text(&shared.stdout).starts_with("note: ") && text(&shared.stdout).contains(" kn"));
}

#[test]
fn programs_read_json() {
    let folder = Folder::new("epd json");
    let points = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - c0 \"Ra8#=10, Ra7=3\"; id \"Ann \\ Öl\";\nnonsense\n";
    let file = folder.write("some.epd", format!("{TACTICS}{points}").as_bytes());
    let all = objects(&file, &["--nodes", "3000"]);
    assert_eq!(all.len(), 6, "{all:?}");
    assert_eq!(
        (&all[0]["solved"], &all[0]["found"], &all[0]["wanted"]),
        (&false.into(), &Value::Null, &"bm Qg6".into())
    );
    let mate = &all[3];
    assert_eq!((&mate["solved"], &mate["played"], &mate["line"]), (&true.into(), &"Qxh7+".into(), &5.into()));
    assert_eq!((&mate["found"]["score"], &mate["wanted"]), (&"+#2".into(), &"bm Qxh7+ dm 2".into()));
    assert!(mate["found"]["nodes"].as_u64() <= mate["end"]["nodes"].as_u64(), "{mate}");
    assert_eq!(
        (&all[4]["id"], &all[4]["points"], &all[4]["most_points"]),
        (&"Ann \\ Öl".into(), &10.into(), &10.into())
    );
    let sum = &all[5];
    assert_eq!((&sum["points"], &sum["most_points"]), (&10.into(), &10.into()));
    let counted = sum["passed"].as_u64().zip(sum["failed"].as_u64()).map(|(passed, failed)| passed + failed);
    assert_eq!(counted, Some(6), "an unusable line has failed too: {sum}");
}

#[test]
fn a_solution_that_is_held_ends_the_search() {
    let folder = Folder::new("epd hold");
    let last = TACTICS.lines().nth(3).expect("it has lines");
    let file = folder.write("one.epd", last.as_bytes());
    let nodes = |options: &[&str]| {
        let all = objects(&file, options);
        assert_eq!(all[0]["solved"], true, "{all:?}");
        all[0]["end"]["nodes"].as_u64().expect("a number")
    };
    let (held, whole) = (nodes(&["--depth", "12", "--hold", "2"]), nodes(&["--depth", "12"]));
    assert!(held < whole, "{held} of {whole}");
}

#[test]
fn lines_behind_the_first_are_told() {
    let folder = Folder::new("epd lines");
    // One move mates, and it is not to be played.
    let file = folder.write("one.epd", b"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - am Ra8;\n");
    let all = objects(&file, &["--depth", "4", "--multipv", "3"]);
    assert_eq!((&all[0]["solved"], &all[0]["rank"]), (&false.into(), &2.into()), "{all:?}");
    let output = epd(&file, &["--depth", "4", "--multipv", "3"]);
    assert!(text(&output.stdout).contains("Ra8# (am Ra8#, line 2)"), "{}", text(&output.stdout));
    let tables = epd(&file, &["--depth", "1", "--syzygy", "/nowhere"]);
    assert!(text(&tables.stderr).contains("no usable endgame tables in /nowhere"));
}
