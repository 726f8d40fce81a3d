//! `quillon datagen` and `quillon data` as a user runs them: determinism, kills, full disks, Ctrl-C, exit codes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use quillon::datagen::{DataReader, GameRecord};

/// A folder for the files of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("quillon-datagen-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// More than any block of real games has.
const MAX_BLOCK_BYTES: u64 = 10_000;

fn command(tool: &str, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    command.arg(tool).args(arguments.split_whitespace()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finish(mut command: Command) -> Output {
    command.output().expect("the program starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Plays into `file` with these further arguments.
fn datagen(file: &Path, arguments: &str) -> Output {
    let mut command = command("datagen", arguments);
    command.arg("--out").arg(file);
    finish(command)
}

fn data(task: &str, files: &[&Path], arguments: &str) -> Output {
    let mut command = command("data", task);
    command.args(files).args(arguments.split_whitespace());
    finish(command)
}

fn start(file: &Path, arguments: &str) -> Child {
    let mut command = command("datagen", arguments);
    command.arg("--out").arg(file).spawn().expect("the program starts")
}

fn games(file: &Path) -> Vec<GameRecord> {
    let reader = DataReader::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    reader.map(|game| game.expect("the file is sound")).collect()
}

fn wait_for_bytes(file: &Path, bytes: u64) {
    let start = Instant::now();
    while fs::metadata(file).map_or(0, |data| data.len()) < bytes {
        assert!(start.elapsed() < Duration::from_secs(60), "no data came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let folder = Folder::new("seed");
    let files = ["a", "b", "c", "d"].map(|name| folder.file(name));
    let settings = "--games 30 --nodes 40 --chess960 0.3";
    for (file, more) in files.iter().zip(["", "", "--threads 3", "--seed 2"]) {
        let output = datagen(file, &format!("{settings} {more}"));
        assert!(output.status.success(), "{}", text(&output));
    }
    let bytes = files.each_ref().map(|file| fs::read(file).expect("the file is there"));
    assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2]);
    let (first, other) = (games(&files[0]), games(&files[3]));
    assert_eq!((first.len(), other.len()), (30, 30));
    assert!(first.iter().all(|game| !other.contains(game)));
}

#[test]
fn shards_are_the_games_of_a_seed_dealt_out() {
    let folder = Folder::new("shards");
    let settings = "--nodes 40 --seed 3 --threads 2";
    let whole = folder.file("whole");
    assert!(datagen(&whole, &format!("{settings} --games 15")).status.success());
    let whole = games(&whole);
    for shard in 1..=3 {
        let file = folder.file(&format!("shard{shard}"));
        // In two runs: the second goes on with the shard's next number.
        for count in [3, 5] {
            let output = datagen(&file, &format!("{settings} --games {count} --shard {shard}/3"));
            assert!(output.status.success(), "{}", text(&output));
        }
        let dealt: Vec<GameRecord> = whole.iter().skip(shard - 1).step_by(3).cloned().collect();
        assert_eq!(games(&file), dealt, "shard {shard}");
        // Its games belong to no other shard's file.
        let output = datagen(&file, &format!("{settings} --games 6 --shard {}/3", shard % 3 + 1));
        assert!(
            !output.status.success() && text(&output).contains("choose another file"),
            "{}",
            text(&output)
        );
    }
    for wrong in ["0/3", "4/3", "1", "1/0", "a/b"] {
        let output = datagen(&folder.file("wrong"), &format!("{settings} --games 1 --shard {wrong}"));
        assert!(text(&output).contains("a shard is I/N"), "{}", text(&output));
    }
}

#[test]
fn a_kill_costs_at_most_one_block() {
    let folder = Folder::new("loss");
    let killed = folder.file("killed");
    let settings = "--nodes 25 --threads 2";
    let mut child = start(&killed, settings);
    // Every ten seconds a line counts the games so far.
    let lines = BufReader::new(child.stdout.take().expect("it is a pipe")).lines();
    let counts = lines.map_while(Result::ok).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let index = words.iter().position(|&word| word == "games")?;
        words[index - 1].parse::<u64>().ok()
    });
    let counted = counts.into_iter().find(|&games| games >= 300).expect("it goes on until it is killed");
    child.kill().expect("the program runs");
    child.wait().expect("it can be waited for");
    let mut reader = DataReader::open(&killed).expect("the header is written in one go");
    let kept = reader.by_ref().map_while(Result::ok).count();
    let kept_bytes = reader.sound().bytes;
    drop(reader);
    // What is lost is played again, so that the file is that of one run.
    assert!(datagen(&killed, &format!("{settings} --games {counted}")).status.success());
    let counted_bytes = fs::metadata(&killed).expect("the file is there").len();
    assert!(counted_bytes > 3 * MAX_BLOCK_BYTES, "{counted} games take {counted_bytes} bytes");
    assert!(kept_bytes + MAX_BLOCK_BYTES >= counted_bytes, "{kept} of {counted} games are in the file");
}

#[test]
fn after_a_kill_the_same_command_goes_on() {
    let folder = Folder::new("kill");
    let (whole, killed) = (folder.file("whole"), folder.file("killed"));
    let settings = "--games 150 --nodes 25 --threads 2";
    assert!(datagen(&whole, settings).status.success());
    let expected = games(&whole);
    for bytes in [1, 2_000, MAX_BLOCK_BYTES + 1] {
        let mut child = start(&killed, settings);
        wait_for_bytes(&killed, bytes);
        child.kill().expect("the program runs or has ended");
        child.wait().expect("it can be waited for");
        // What is in the file are the first games, in whole blocks. The last block may be torn, rarely.
        let mut reader = DataReader::open(&killed).expect("the header is written in one go");
        let kept: Vec<GameRecord> = reader.by_ref().map_while(Result::ok).collect();
        assert_eq!(kept, expected[..kept.len()]);
        assert!(
            reader.sound().bytes + MAX_BLOCK_BYTES > fs::metadata(&killed).expect("the file is there").len()
        );
    }
    // Tear the last block, as a kill in the middle of writing does, and go on.
    let torn = fs::read(&killed).expect("the file is there");
    assert!(torn.len() as u64 > MAX_BLOCK_BYTES);
    fs::write(&killed, &torn[..torn.len() - 5]).expect("the file can be written");
    let verdict = data("verify", &[&killed], "");
    assert!(!verdict.status.success() && text(&verdict).contains("is cut short"), "{}", text(&verdict));
    let output = datagen(&killed, settings);
    assert!(output.status.success(), "{}", text(&output));
    assert!(fs::read(&killed).expect("the file is there") == fs::read(&whole).expect("the file is there"));
}

/// The shell limits the size of files, so that writing fails in the middle of a block.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_a_sound_file() {
    let folder = Folder::new("full");
    let (whole, full) = (folder.file("whole"), folder.file("full"));
    let settings = "--games 300 --nodes 25 --threads 2";
    assert!(datagen(&whole, settings).status.success());
    let script = format!("trap '' XFSZ; ulimit -f 20; exec \"$0\" datagen {settings} --out \"$1\"");
    let mut limited = Command::new("sh");
    limited.args(["-c", &script, env!("CARGO_BIN_EXE_quillon")]).arg(&full);
    let output = finish(limited);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("cannot write: "), "{}", text(&output));
    // What was written before is there, without the part of a block.
    let verdict = data("verify", &[&full], "");
    assert!(verdict.status.success(), "{}", text(&verdict));
    let (kept, expected) = (games(&full), games(&whole));
    assert!(!kept.is_empty() && kept.len() < expected.len());
    assert_eq!(kept, expected[..kept.len()]);
    assert!(datagen(&full, settings).status.success());
    assert!(fs::read(&full).expect("the file is there") == fs::read(&whole).expect("the file is there"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_cleanly() {
    let folder = Folder::new("interrupt");
    let file = folder.file("games");
    for signal in ["-INT", "-TERM"] {
        let before = if file.exists() { games(&file).len() } else { 0 };
        let child = start(&file, "--nodes 40 --threads 2");
        wait_for_bytes(&file, fs::metadata(&file).map_or(1, |data| data.len() + 1).max(400));
        std::thread::sleep(Duration::from_millis(300));
        let kill = Command::new("kill").arg(signal).arg(child.id().to_string()).status();
        assert!(kill.expect("kill is there").success());
        let output = child.wait_with_output().expect("it can be waited for");
        assert!(output.status.success(), "{}", text(&output));
        assert!(text(&output).contains(" new games with "), "{}", text(&output));
        assert!(games(&file).len() > before);
    }
    // In spite of the break, the games are those of one run.
    let (count, whole) = (games(&file).len(), folder.file("whole"));
    assert!(datagen(&whole, &format!("--nodes 40 --threads 2 --games {count}")).status.success());
    assert_eq!(games(&whole), games(&file));
}

#[test]
fn goals_are_met_and_not_exceeded() {
    let folder = Folder::new("goals");
    let file = folder.file("games");
    let kept = |games: &[GameRecord]| games.iter().map(GameRecord::count_kept).sum::<u64>();
    assert!(datagen(&file, "--positions 300 --nodes 40 --threads 2").status.success());
    let first = games(&file);
    assert!(kept(&first) >= 300 && kept(&first[..first.len() - 1]) < 300);
    // Both goals count what is there already; a goal that is met adds nothing.
    assert!(datagen(&file, "--positions 300 --nodes 40").status.success());
    assert_eq!(games(&file).len(), first.len());
    let more = first.len() + 3;
    assert!(datagen(&file, &format!("--games {more} --nodes 40")).status.success());
    assert_eq!(games(&file).len(), more);
    let begin = Instant::now();
    assert!(datagen(&file, "--minutes 0.005 --nodes 40").status.success());
    assert!(begin.elapsed() < Duration::from_secs(20) && games(&file).len() > more);
}

#[test]
fn openings_of_a_file_are_used() {
    let folder = Folder::new("openings");
    let (book, file) = (folder.file("book.epd"), folder.file("games"));
    let line = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -";
    fs::write(&book, format!("# Comment\n\n{line} id \"kings knight\";\n")).expect("the file can be written");
    let settings = format!("--games 5 --nodes 40 --openings {}", book.display());
    assert!(datagen(&file, &settings).status.success());
    for game in games(&file) {
        assert_eq!(game.start.to_string(), format!("{line} 0 1"));
        assert!([4, 5].contains(&game.opening.len()));
    }
    fs::write(&book, "8/8/8/8 w - -\n").expect("the file can be written");
    let output = datagen(&folder.file("none"), &settings);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("book.epd:1: FEN board needs 8 ranks"), "{}", text(&output));
    assert!(!folder.file("none").exists());
}

#[test]
fn other_settings_and_other_files_are_refused() {
    let folder = Folder::new("refused");
    let (file, other) = (folder.file("games"), folder.file("text"));
    assert!(datagen(&file, "--games 2 --nodes 40").status.success());
    let before = fs::read(&file).expect("the file is there");
    let output = datagen(&file, "--games 4 --nodes 50");
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output);
    assert!(message.contains("--nodes 40") && message.contains("--nodes 50"), "{message}");
    assert!(fs::read(&file).expect("the file is there") == before);

    fs::write(&other, "This is a letter to my aunt.").expect("the file can be written");
    for output in [datagen(&other, "--games 1"), data("stats", &[&other], ""), data("verify", &[&other], "")]
    {
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).contains("not a file of self-play games"), "{}", text(&output));
    }
    for wrong in ["--nodes 0", "--chess960 2", "--minutes -1", "--threads 0", "--games x"] {
        assert_eq!(datagen(&file, wrong).status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn data_tools() {
    let folder = Folder::new("tools");
    let [a, b, merged, clean, drawing] =
        ["a", "b", "merged", "clean", "drawing.svg"].map(|name| folder.file(name));
    assert!(datagen(&a, "--games 90 --nodes 25").status.success());
    assert!(datagen(&b, "--games 10 --nodes 25 --seed 2").status.success());
    let (first, second) = (games(&a), games(&b));

    let output = data("merge", &[&a, &b, &a], &format!("--out {}", merged.display()));
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(games(&merged), [&first[..], &second[..], &first[..]].concat());
    let again = data("merge", &[&a], &format!("--out {}", merged.display()));
    assert!(!again.status.success() && text(&again).contains("exists already"), "{}", text(&again));
    // Nothing can be added to a file without a seed.
    assert!(!datagen(&merged, "--games 500 --nodes 25").status.success());

    let output = data("dedup", &[&merged], &format!("--out {}", clean.display()));
    assert!(text(&output).contains("90 duplicates left out"), "{}", text(&output));
    assert_eq!(games(&clean), [&first[..], &second[..]].concat());

    let output = data("stats", &[&clean], &format!("--svg {}", drawing.display()));
    assert!(output.status.success() && text(&output).contains("100 games, "), "{}", text(&output));
    assert!(fs::read_to_string(&drawing).expect("it was drawn").contains("Results of games"));

    let mut bytes = fs::read(&a).expect("the file is there");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&a, &bytes).expect("the file can be written");
    let output = data("verify", &[&b, &a], "");
    assert_eq!(output.status.code(), Some(1));
    let (message, sound) = (text(&output), "b: sound, 10 games");
    assert!(message.contains(sound) && message.contains("a: block 2 has a wrong checksum"), "{message}");
    // The part that verify calls sound is.
    let bytes_before = message.split(" bytes before it").next().and_then(|text| text.rsplit(' ').next());
    bytes.truncate(bytes_before.and_then(|text| text.parse().ok()).expect("a number of bytes"));
    fs::write(&a, &bytes).expect("the file can be written");
    assert!(data("verify", &[&a], "").status.success());
    // Damaged input leaves nothing behind.
    let mut bytes = fs::read(&b).expect("the file is there");
    bytes[300] ^= 1;
    fs::write(&b, &bytes).expect("the file can be written");
    let target = folder.file("new");
    assert!(!data("merge", &[&a, &b], &format!("--out {}", target.display())).status.success());
    assert_eq!(fs::read_dir(&folder.0).expect("the folder is there").count(), 5);
}

/// Four games, played with `--games 4 --nodes 100` before there were tree positions.
const VERSION_1: &str = "tests/games/version1.games";

#[test]
fn files_of_the_first_version_are_read_and_not_added_to() {
    let folder = Folder::new("version");
    let [old, new, clean, net] = ["old", "new", "clean", "net"].map(|name| folder.file(name));
    fs::copy(VERSION_1, &old).expect("the file can be copied");
    for (task, wanted) in [("verify", "sound, 4 games, 963 bytes"), ("stats", "279 positions kept")] {
        let output = data(task, &[&old], "");
        assert!(output.status.success() && text(&output).contains(wanted), "{}", text(&output));
    }
    assert!(data("merge", &[&old], &format!("--out {}", new.display())).status.success());
    assert!(data("dedup", &[&old, &new], &format!("--out {}", clean.display())).status.success());
    let version = |file: &Path| DataReader::open(file).expect("a header").version();
    assert_eq!([version(&old), version(&new), version(&clean)], [1, 2, 2]);
    assert_eq!(games(&old).len(), 4);
    assert!(games(&new) == games(&old) && games(&clean) == games(&old));

    let mut train = command("train", "--hidden 32 --passes 2 --batch 64 --holdout 0");
    train.args(["--data", &old.to_string_lossy(), "--out", &net.to_string_lossy()]);
    let output = finish(train);
    assert!(output.status.success() && net.exists(), "{}", text(&output));

    let before = fs::read(&old).expect("the file is there");
    let output = datagen(&old, "--games 5 --nodes 100");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("has the earlier format version 1, to which no games are added"),
        "{}",
        text(&output)
    );
    assert!(fs::read(&old).expect("the file is there") == before);
}

#[test]
fn tree_positions_come_on_top_and_change_no_game() {
    let folder = Folder::new("trees");
    let [plain, trees, again, net] = ["plain", "trees", "again", "net"].map(|name| folder.file(name));
    let settings = "--games 12 --nodes 60";
    assert!(datagen(&plain, settings).status.success());
    let output = datagen(&trees, &format!("{settings} --tree-positions 2 --tree-nodes 50"));
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        datagen(&again, &format!("{settings} --tree-positions 2 --tree-nodes 50 --threads 3"))
            .status
            .success()
    );
    assert!(fs::read(&trees).expect("the file is there") == fs::read(&again).expect("the file is there"));
    let with_trees = games(&trees);
    let without: Vec<GameRecord> =
        with_trees.iter().map(|game| GameRecord { trees: Vec::new(), ..game.clone() }).collect();
    assert_eq!(without, games(&plain));
    let count = with_trees.iter().map(GameRecord::count_kept_trees).sum::<u64>();
    assert!(count > 300, "{count}");
    let output = data("stats", &[&trees], "");
    let wanted = format!("{count} positions out of search trees, without result, ");
    assert!(
        text(&output).contains(&wanted) && text(&output).contains("--tree-positions 2 --tree-nodes 50"),
        "{}",
        text(&output)
    );
    // All of them count towards a goal.
    let in_games = with_trees.iter().map(GameRecord::count_kept).sum::<u64>();
    let goal = format!("--nodes 60 --tree-positions 2 --tree-nodes 50 --positions {}", in_games + count);
    let output = datagen(&trees, &goal);
    assert!(output.status.success() && games(&trees).len() == 12, "{}", text(&output));
    assert_eq!(datagen(&trees, "--games 13 --nodes 60").status.code(), Some(1));
    assert_eq!(datagen(&folder.file("x"), "--games 1 --tree-positions 9").status.code(), Some(2));

    let mut train = command("train", "--hidden 32 --passes 2 --batch 64 --holdout 0");
    train.args(["--data", &trees.to_string_lossy(), "--out", &net.to_string_lossy()]);
    let output = finish(train);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains(" are out of search trees and have no result"), "{}", text(&output));
}

#[test]
fn material_makes_games_without_a_trained_network() {
    let folder = Folder::new("material");
    let [file, other, net] = ["games", "other", "net"].map(|name| folder.file(name));
    let output = datagen(&file, "--games 20 --nodes 60 --eval material");
    assert!(output.status.success(), "{}", text(&output));
    let header = DataReader::open(&file).expect("a header").header().clone();
    assert!(header.evaluation.starts_with("material "), "{header:?}");
    // The winner's score was the better one, mostly: such games can be learnt from.
    let output = data("stats", &[&file], "");
    let message = text(&output);
    let share = message.split(" % have the right sign").next().and_then(|text| text.rsplit(' ').next());
    let share: f64 = share.and_then(|text| text.parse().ok()).expect("a percentage");
    assert!(share > 80.0, "{message}");

    fs::write(&net, quillon::nnue::built_in().to_bytes()).expect("the file can be written");
    let file_option = format!("--eval-file {}", net.display());
    assert!(datagen(&other, &format!("--games 20 --nodes 60 {file_option}")).status.success());
    assert_ne!(games(&other), games(&file));
    for wrong in ["--eval hce", &format!("--eval material {file_option}")] {
        assert_eq!(datagen(&other, &format!("--games 1 {wrong}")).status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn a_torn_end_is_a_remark() {
    let folder = Folder::new("torn");
    let (file, merged, clean) = (folder.file("torn"), folder.file("merged"), folder.file("clean"));
    assert!(datagen(&file, "--games 150 --nodes 25").status.success());
    let (whole, bytes) = (games(&file), fs::read(&file).expect("the file is there"));
    fs::write(&file, &bytes[..bytes.len() - 5]).expect("the file can be written");
    let output = data("verify", &[&file], "");
    assert!(!output.status.success() && text(&output).contains("is cut short"), "{}", text(&output));
    let (merge, dedup) = (format!("--out {}", merged.display()), format!("--out {}", clean.display()));
    // A new file that lacks games is no success, though it is there.
    for (task, arguments, code) in
        [("stats", "", 0), ("wdl", "", 0), ("merge", &merge, 1), ("dedup", &dedup, 1)]
    {
        let output = data(task, &[&file], arguments);
        let message = text(&output);
        assert_eq!(output.status.code(), Some(code), "{task}: {message}");
        assert!(message.contains("torn: block ") && message.contains(" is cut short; "), "{task}: {message}");
        assert_eq!(
            message.contains(" lacks games, since files are cut short: 1 of 1, "),
            code == 1,
            "{message}"
        );
    }
    let kept = games(&merged);
    assert!(!kept.is_empty() && kept.len() < whole.len());
    assert_eq!(kept, whole[..kept.len()]);
    assert_eq!(games(&clean), kept);
}
