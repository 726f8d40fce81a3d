//! What options there are, what they take and what they do.

use crate::client::files::Folder;
use crate::client::{Client, Search};
use crate::{CHECKMATE, KIWIPETE, STALEMATE};
use quillon::board::Position;

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
        "option name SyzygyPath type string default <empty>",
        "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
        "option name SyzygyProbeLimit type spin default 7 min 0 max 7",
        "option name Syzygy50MoveRule type check default true",
        "option name OwnBook type check default false",
        "option name BookFile type string default <empty>",
        "option name BookDepth type spin default 255 min 1 max 255",
        "option name BestBookMove type check default false",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1500 min 600 max 2800",
        "option name Skill Level type spin default 20 min 0 max 20",
        "option name UCI_Opponent type string default <empty>",
        "option name UCI_EngineAbout type string default Quillon ",
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
        "setoption name OwnBook value",
        "setoption name BookDepth value 0",
        "setoption name BookDepth value 256",
        "setoption name BestBookMove value best",
        "setoption name UCI_LimitStrength value 1500",
        "setoption name UCI_Elo value 599",
        "setoption name UCI_Elo value 2801",
        "setoption name Skill Level value 21",
        "setoption name Skill Level value -1",
    ] {
        client.expect_complaint(line);
    }
    assert_eq!(client.search("position startpos", "go depth 4").main().depth, 4);
    client.quit();
}

#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_into_memory_is_refused() {
    let mut client = Client::with_memory(600_000);
    let analysis = |client: &mut Client| client.search(&format!("position fen {KIWIPETE}"), "go depth 5");
    for hash in [33_554_432, 1024] {
        let complaint = client.expect_complaint(&format!("setoption name Hash value {hash}"));
        assert_eq!(complaint, format!("info string not enough memory for a hash table of {hash} MB"));
        assert_eq!(analysis(&mut client).main().depth, 5);
    }
    for threads in [256, 128, 64] {
        let complaint = client.expect_complaint(&format!("setoption name Threads value {threads}"));
        let reasons = ["info string not enough memory for ", "info string cannot start search thread: "];
        assert!(reasons.iter().any(|reason| complaint.starts_with(reason)), "{complaint}");
        assert_eq!(analysis(&mut client).main().depth, 5);
        client.send("ucinewgame");
    }
    client.send("setoption name Hash value 2");
    client.send("setoption name Threads value 2");
    assert_eq!(client.sync(), [""; 0]);
    assert_eq!(analysis(&mut client).main().depth, 5);
    client.quit();
}

#[test]
fn a_value_that_is_there_already_changes_nothing() {
    let mut client = Client::start();
    // Nodes of the same search twice: the second profits from the first.
    let mut twice = |between: &[&str]| {
        client.send("ucinewgame");
        let mut nodes = || client.search(&format!("position fen {KIWIPETE}"), "go depth 9").main().nodes;
        let first = nodes();
        between.iter().for_each(|line| client.send(line));
        let mut nodes = || client.search(&format!("position fen {KIWIPETE}"), "go depth 9").main().nodes;
        (first, nodes())
    };
    let (first, second) = twice(&[]);
    assert!(second < first * 2 / 3, "{first} {second}");
    assert_eq!(twice(&["setoption name Hash value 16", "setoption name Threads value 1"]), (first, second));
    assert_eq!(twice(&["setoption name Clear Hash"]), (first, first));
    assert_eq!(twice(&["setoption name Hash value 4", "setoption name Hash value 16"]).0, first);
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

#[test]
fn mistyped_option_names_are_recognised() {
    let mut client = Client::start();
    for (line, meant) in [
        ("setoption name Hahs value 3", "'Hash'"),
        ("setoption name MoveOverhead value 3", "'Move Overhead'"),
        ("setoption name multi pv value 3", "'MultiPV'"),
        ("setoption name UCI_Ches960 value true", "'UCI_Chess960'"),
    ] {
        assert!(client.expect_complaint(line).contains(&format!("did you mean {meant}?")), "{line}");
    }
    assert!(!client.expect_complaint("setoption name Contempt value 3").contains("did you mean"));
    client.quit();
}

/// An option as `docs/uci.md` or the program describes it.
#[derive(Debug, PartialEq)]
struct Described {
    name: String,
    range: String,
    default: String,
    about: String,
}

/// The rows of the table of options in `docs/uci.md`.
fn documented_options() -> Vec<Described> {
    let page = include_str!("../../docs/uci.md");
    let section = page.split("\n## Options\n").nth(1).expect("the page has the section");
    let table = section.split("\n## ").next().unwrap_or_default().lines();
    let cell = |text: &str| text.trim().replace('`', "");
    table
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            assert_eq!(cells.len(), 7, "five cells: {line}");
            assert!(cells[5].trim().len() > 10, "it is said when to touch it: {line}");
            let [name, range, default, about] = [1, 2, 3, 4].map(|index| cell(cells[index]));
            Described { name, range, default, about }
        })
        .collect()
}

/// What `help` with these words says of options: for each a line `NAME: RANGE, default DEFAULT` and a sentence.
fn explained_options(client: &mut Client, topic: &str) -> Vec<Described> {
    client.send(&format!("help {topic}"));
    let lines = client.sync();
    let explained = lines.chunks(2).map(|pair| {
        let [first, about] = pair else { panic!("{lines:?}") };
        let (name, rest) = first.split_once(": ").expect("a range follows the name");
        let (range, default) = rest.split_once(", default ").unwrap_or((rest, ""));
        let [name, range, default, about] = [name, range, default, about.trim()].map(str::to_owned);
        Described { name, range, default, about }
    });
    explained.collect()
}

// A build for tuning has many more options, which the page does not list.
#[cfg(not(feature = "tuning"))]
#[test]
fn page_and_help_describe_the_options_that_the_program_has() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.read_until("uciok", |line| line == "uciok");
    let listed: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("option name ")).collect();
    let explained = explained_options(&mut client, "options");
    let documented = documented_options();
    assert_eq!((explained.len(), documented.len()), (listed.len(), listed.len()), "{documented:#?}");
    for (line, option) in listed.iter().zip(&explained) {
        let Described { name, range, default, about } = option;
        // What `help` says is what `uci` lists.
        let kind = match range.split_once(" to ") {
            Some((min, max)) => format!("spin default {default} min {min} max {max}"),
            None if range == "true, false" => format!("check default {default}"),
            None if range == "button" => "button".to_owned(),
            None => format!("string default {default}"),
        };
        assert_eq!(*line, format!("{name} type {kind}"));
        let row = documented.iter().find(|row| row.name == *name);
        let row = row.unwrap_or_else(|| panic!("docs/uci.md does not list {name}"));
        assert_eq!(row.range, *range, "{name}");
        // Only the text that names the version is given by its first word.
        let said = if name == "UCI_EngineAbout" { default.split(' ').next() } else { Some(default.as_str()) };
        assert_eq!(Some(row.default.as_str()), said, "{name}");
        assert!(
            row.about.starts_with(about.as_str()),
            "docs/uci.md on {name} begins otherwise than '{about}'"
        );
    }
    client.quit();
}

#[test]
fn help_explains_one_option_or_the_commands() {
    let mut client = Client::start();
    for topic in ["Move Overhead", "move  overhead"] {
        let [option] = &explained_options(&mut client, topic)[..] else { panic!("{}", client.log) };
        let found = (option.name.as_str(), option.range.as_str(), option.default.as_str());
        assert_eq!(found, ("Move Overhead", "0 to 5000", "10"));
    }
    for line in ["help", "?"] {
        client.send(line);
        assert!(client.sync().iter().any(|line| line.contains("go depth")), "{line}");
    }
    let complaint = client.expect_complaint("help Hsh");
    assert!(complaint.contains("no option is named 'Hsh', did you mean 'Hash'?"), "{complaint}");
    client.quit();
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
    // Nothing but a draw is possible where nobody can give mate, or nobody can move.
    for fen in ["4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 9 70", STALEMATE] {
        let search = client.search(&format!("position fen {fen}"), "go depth 5");
        assert!(search.infos.iter().all(|info| info.wdl == Some([0, 1000, 0])), "{fen} {search:?}");
    }
    let mated = client.search(&format!("position fen {CHECKMATE}"), "go depth 5");
    assert_eq!(mated.main().wdl, Some([0, 0, 1000]));
    client.quit();
}

#[test]
fn a_limited_level_spends_few_nodes_in_games_only() {
    let kiwipete = format!("position fen {KIWIPETE}");
    let mut client = Client::start();
    let nodes = |client: &mut Client, go: &str| client.search(&kiwipete, go).main().nodes;
    client.send("setoption name UCI_LimitStrength value true");
    client.send("setoption name UCI_Elo value 600");
    for go in ["go movetime 9000", "go wtime 900000 btime 900000", "go depth 12", "go nodes 50000"] {
        assert!(nodes(&mut client, go) <= 3000, "{go}");
    }
    client.send(&kiwipete);
    client.send("go ponder wtime 90000 btime 90000");
    client.expect_no_bestmove();
    client.send("ponderhit");
    let lines = client.search_lines();
    assert!(Search::check(&KIWIPETE.parse().expect("valid"), &lines, false).main().nodes <= 3000);
    // Analysis is not weakened.
    client.send("go infinite");
    client.expect_no_bestmove();
    client.send("stop");
    let lines = client.search_lines();
    assert!(Search::check(&KIWIPETE.parse().expect("valid"), &lines, false).main().nodes > 3000);
    client.send("setoption name UCI_AnalyseMode value true");
    assert!(nodes(&mut client, "go nodes 100000") > 3000);
    client.send("setoption name UCI_AnalyseMode value false");
    // The other scale, and which of them counts.
    client.send("setoption name UCI_LimitStrength value false");
    assert!(nodes(&mut client, "go nodes 100000") > 3000);
    client.send("setoption name Skill Level value 0");
    assert!(nodes(&mut client, "go nodes 100000") <= 3000);
    client.send("setoption name UCI_LimitStrength value true");
    client.send("setoption name UCI_Elo value 2800");
    assert!(nodes(&mut client, "go nodes 100000") > 3000);
    client.quit();
}

#[test]
fn options_that_clients_send_anyway_are_taken_in_silence() {
    let mut client = Client::start();
    for line in [
        "setoption name UCI_Opponent value GM 2800 human Gary Kasparov",
        "setoption name UCI_Opponent value none none computer Shredder",
        "setoption name UCI_Opponent value <empty>",
        "setoption name UCI_EngineAbout value something",
        "setoption name UCI_AnalyseMode value false",
    ] {
        client.send(line);
        assert_eq!(client.sync(), [""; 0], "{line}");
    }
    client.quit();
}

#[test]
fn all_lines_are_logged_when_asked_for() {
    let folder = Folder::new("log");
    let path = folder.write("quillon.log", b"old\n");
    let mut client = Client::start();
    client.send("uci");
    client.read_until("uciok", |line| line == "uciok");
    client.send(&format!("setoption name Debug Log File value {path}"));
    assert_eq!(client.sync(), [""; 0]);
    client.send("go depth 1");
    client.search_lines();
    client.send_bytes(b"nons\xffense\r\n");
    client.sync();
    // Refused, and the present log goes on.
    for (wrong, reason) in [(folder.0.join("none").join("x"), "No such file"), (folder.0.clone(), "regular")]
    {
        let complaint =
            client.expect_complaint(&format!("setoption name debug log file value {}", wrong.display()));
        let start = format!("info string Debug Log File {}: ", wrong.display());
        assert!(complaint.starts_with(&start) && complaint.contains(reason), "{complaint}");
    }
    client.send("setoption name Debug Log File value <empty>");
    client.sync();
    client.quit();
    let log = std::fs::read_to_string(&path).expect("the log is UTF-8");
    let mut lines = log.lines();
    assert_eq!(lines.next(), Some("old"), "it is appended to");
    let mut said = Vec::new();
    for line in lines {
        let (time, rest) = line.split_at(13);
        let digits = |range: std::ops::Range<usize>| time[range].parse::<u32>().expect("a time");
        assert!(
            digits(0..2) < 24 && digits(3..5) < 60 && digits(6..8) < 60 && digits(9..12) < 1000,
            "{line}"
        );
        said.push(rest);
    }
    assert_eq!(said[..3], ["> isready", "< readyok", "> go depth 1"]);
    assert!(said[3].starts_with("< info depth 1 "), "{said:?}");
    assert!(said[4].starts_with("< bestmove "), "{said:?}");
    assert_eq!(said[5], "> nons\u{FFFD}ense");
    assert!(said[6].starts_with("< info string unknown command"), "{said:?}");
    assert_eq!(said.last(), Some(&"> setoption name Debug Log File value <empty>"));
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
