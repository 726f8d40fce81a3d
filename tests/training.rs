//! `quillon train` as a person runs it: files in, files out, interruption, mistakes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use quillon::board::{Position, START_FEN};
use quillon::datagen::{DataHeader, DataWriter, GameRecord, Outcome, ScoredMove};
use quillon::nnue::{Network, NetworkParts};
use quillon::types::{Color, PieceType, Score, SplitMix64};

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Material balance in centipawns, for the side to move.
fn material(position: &Position) -> Score {
    let worth = [(PieceType::Pawn, 100), (PieceType::Knight, 300), (PieceType::Bishop, 300)];
    let heavy = [(PieceType::Rook, 500), (PieceType::Queen, 900)];
    let side = |color: Color| -> i32 {
        let kinds = worth.into_iter().chain(heavy);
        kinds.map(|(kind, value)| value * position.pieces(color, kind).count() as i32).sum()
    };
    Score(side(position.stm()) - side(!position.stm()))
}

/// Random games whose scores are material, and whose winner is who has more of it at the end.
fn write_games(path: &Path, games: usize) {
    write_random_games(path, games, &[START_FEN], material, |_, end| match material(end).0 {
        -99..100 => Outcome::Draw,
        100.. => Outcome::win_for(end.stm()),
        _ => Outcome::win_for(!end.stm()),
    });
}

/// Random games from these positions in turn, with the score of each position and the outcome by the first
/// and the last one.
fn write_random_games(
    path: &Path,
    games: usize,
    starts: &[&str],
    score: impl Fn(&Position) -> Score,
    outcome: impl Fn(&Position, &Position) -> Outcome,
) {
    let header = DataHeader {
        engine: "random".to_owned(),
        evaluation: "material".to_owned(),
        command: "test".to_owned(),
        seed: None,
    };
    let mut writer = DataWriter::create(path, &header).unwrap();
    let mut random = SplitMix64::from_state(5);
    for game in 0..games {
        let start: Position = starts[game % starts.len()].parse().unwrap();
        let (mut position, mut opening, mut moves) = (start, Vec::new(), Vec::new());
        for _ in 0..8 {
            // Nobody is mated so soon with these random numbers.
            opening.push(*random.choose(&position.legal_moves()).unwrap());
            position.make(opening[opening.len() - 1]);
        }
        while moves.len() < 92 && position.has_legal_move() && !position.is_dead() {
            let mv = *random.choose(&position.legal_moves()).unwrap();
            moves.push(ScoredMove { mv, score: score(&position) });
            position.make(mv);
        }
        let outcome = outcome(&start, &position);
        writer.write(&GameRecord { start, opening, moves, outcome, trees: Vec::new() }).unwrap();
    }
    writer.finish().unwrap();
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quillon"));
    command.current_dir(folder).arg("train").args(arguments.split_whitespace()).stdin(Stdio::null());
    command
}

fn train(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().expect("quillon runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_net_that_knows_material_comes_out() {
    let folder = folder("train-material");
    write_games(&folder.join("a.games"), 150);
    write_games(&folder.join("b.games"), 800);
    let output = train(
        &folder,
        "--data a.games b.games --out net.bin --hidden 32 --buckets 8 --passes 20 --batch 512 --lr 0.01 \
         --wdl 0 --holdout 0.1 --checkpoints --name pawns --threads 2",
    );
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    // The 150 games are the first ones of the 800, so their positions come again.
    assert!(said.starts_with("950 games, ") && said.contains("pass 20.0 of 20: loss "), "{said}");
    assert!(
        said.contains(" steps a pass, ")
            && said.contains("few to learn by")
            && said.contains("best with the scale ")
            && said.contains("dead neurons "),
        "{said}"
    );
    assert!(said.contains("the better side won ") && said.contains("; KQK "), "{said}");
    for name in ["net.bin", "net.bin.50", "net.bin.75"] {
        let network = Network::from_bytes(&fs::read(folder.join(name)).unwrap()).unwrap();
        assert_eq!((network.name(), network.hidden(), network.buckets()), ("pawns", 32, 8));
        // White lacks the queen; then Black does.
        for (fen, sign) in [(NO_WHITE_QUEEN, -1), (NO_BLACK_QUEEN, 1)] {
            let value = network.evaluate(&fen.parse().unwrap());
            assert!((400..1500).contains(&(sign * value)), "{name}: {value} for {fen}");
        }
    }
    let csv = fs::read_to_string(folder.join("net.bin.csv")).unwrap();
    let column = |line: &str, number: usize| line.split(',').nth(number).unwrap().parse::<f64>().unwrap();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(rows.len(), 20, "{csv}");
    for losses in [4, 5] {
        assert!(column(rows[19], losses) < 0.2 * column(rows[0], losses), "{csv}");
    }
    assert!(!folder.join("net.bin.checkpoint").exists());
    assert!(fs::read_to_string(folder.join("net.bin.svg")).unwrap().ends_with("</svg>\n"));
}

/// The start position without White's and without Black's queen.
const NO_WHITE_QUEEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1";
const NO_BLACK_QUEEN: &str = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The scores say nothing, the results say who lacked the queen.
#[test]
fn results_alone_teach_the_right_sign() {
    let folder = folder("train-results");
    let winner = |start: &Position, _: &Position| {
        let queen = start.pieces(Color::White, PieceType::Queen);
        Outcome::win_for(if queen.is_empty() { Color::Black } else { Color::White })
    };
    let starts = [NO_WHITE_QUEEN, NO_BLACK_QUEEN];
    write_random_games(&folder.join("a.games"), 600, &starts, |_| Score(0), winner);
    let output = train(
        &folder,
        "--data a.games --out net.bin --hidden 32 --passes 10 --batch 512 --lr 0.01 --wdl 1:1 --scale 200",
    );
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let network = Network::from_bytes(&fs::read(folder.join("net.bin")).unwrap()).unwrap();
    assert_eq!(network.scale(), 200);
    for (fen, sign) in [(NO_WHITE_QUEEN, -1), (NO_BLACK_QUEEN, 1)] {
        let (white, black) = (fen.to_owned(), fen.replace(" w ", " b "));
        for (fen, sign) in [(white, sign), (black, -sign)] {
            let value = network.evaluate(&fen.parse().unwrap());
            assert!((100..3000).contains(&(sign * value)), "{value} for {fen}");
        }
    }
}

#[test]
fn scores_that_contradict_the_results_are_refused() {
    let folder = folder("train-contradiction");
    let winner = |_: &Position, end: &Position| {
        Outcome::win_for(if material(end).0 > 0 { end.stm() } else { !end.stm() })
    };
    let wrong = |position: &Position| Score(-material(position).0);
    write_random_games(&folder.join("a.games"), 100, &[START_FEN], wrong, winner);
    let output = train(&folder, "--data a.games --out net.bin --hidden 32");
    let error = text(&output.stderr);
    assert!(output.status.code() == Some(1) && error.contains("must be wrong"), "{error}");
    assert!(!folder.join("net.bin").exists());
}

#[test]
fn a_killed_training_goes_on_to_the_same_net() {
    let folder = folder("train-killed");
    write_games(&folder.join("a.games"), 100);
    let arguments = "--data a.games --hidden 256 --passes 150 --batch 512";
    let mut child = command(&folder, &format!("{arguments} --out killed.net"))
        .stdout(Stdio::null())
        .spawn()
        .expect("quillon runs");
    let (start, checkpoint) = (Instant::now(), folder.join("killed.net.checkpoint"));
    while !checkpoint.exists() && start.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(checkpoint.exists() && !folder.join("killed.net").exists());

    let output = train(&folder, &format!("{arguments} --out killed.net"));
    assert!(text(&output.stderr).contains("go on with --resume"), "{}", text(&output.stderr));
    let resume = format!("{arguments} --out killed.net --resume killed.net.checkpoint");
    let output = train(&folder, &resume.replace("--passes 150", "--passes 100"));
    assert!(text(&output.stderr).contains("begun with --passes 150, not 100"), "{}", text(&output.stderr));
    assert!(train(&folder, &format!("{resume} --name whole")).status.success());

    assert!(train(&folder, &format!("{arguments} --out whole.net")).status.success());
    for [killed, whole] in [["killed.net", "whole.net"], ["killed.net.csv", "whole.net.csv"]] {
        assert!(fs::read(folder.join(killed)).unwrap() == fs::read(folder.join(whole)).unwrap(), "{killed}");
    }
}

#[test]
fn a_second_stage_begins_with_the_net_of_the_first() {
    let folder = folder("train-stages");
    write_games(&folder.join("a.games"), 300);
    let first = "--data a.games --hidden 32 --passes 10 --batch 512 --lr 0.01 --average 0.2 --holdout 0.1";
    let output = train(&folder, &format!("{first} --out first.net --scale 170 --keep-checkpoint"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let second = "--data a.games --out second.net --hidden 32 --passes 1 --lr 1e-9 --wdl 0 --holdout 0.1 \
                  --warmup 3 --from first.net.checkpoint";
    let output = train(&folder, second);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!folder.join("second.net.checkpoint").exists());
    let read = |name: &str| Network::from_bytes(&fs::read(folder.join(name)).unwrap()).unwrap().to_parts();
    let (first, second) = (read("first.net"), read("second.net"));
    // At such a rate nothing moves.
    assert_eq!((second.scale, &second.feature_weights), (170, &first.feature_weights));
    // The net file will do in place of its checkpoint.
    let third = "--data a.games --out third.net --hidden 32 --passes 1 --lr 1e-9 --wdl 0 --holdout 0.1 \
                 --from first.net";
    let output = train(&folder, third);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let third = read("third.net");
    assert_eq!((third.scale, &third.feature_weights), (170, &first.feature_weights));
    for from in ["first.net.checkpoint", "first.net"] {
        let output = train(&folder, &format!("--data a.games --out x.net --hidden 64 --from {from}"));
        let error = text(&output.stderr);
        let expected = format!("{from}: the training was begun with --hidden 32, not 64");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn mistakes_are_named() {
    let folder = folder("train-mistakes");
    write_games(&folder.join("a.games"), 3);
    fs::write(folder.join("junk"), "no games").unwrap();
    let precious = ["old.net", "half.net.50", "other.net.checkpoint"];
    precious.iter().for_each(|name| fs::write(folder.join(name), "precious").unwrap());
    let whole = fs::read(folder.join("a.games")).unwrap();
    fs::write(folder.join("cut.games"), &whole[..whole.len() - 1]).unwrap();
    let kings = Network::new(NetworkParts::random_with_kings(1, 4, 32, 8)).unwrap().to_bytes();
    let mut damaged = kings.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(folder.join("kings.net"), kings).unwrap();
    fs::write(folder.join("damaged.net"), damaged).unwrap();
    for (arguments, code, message) in [
        ("--data none --out x.net", 1, "none: "),
        ("--data junk --out x.net", 1, "junk: "),
        ("--data a.games --out old.net", 1, "old.net exists already"),
        ("--data a.games --out half.net --checkpoints", 1, "half.net.50 exists already"),
        ("--data a.games --out other.net", 1, "go on with --resume other.net.checkpoint"),
        ("--data a.games --out other.net --resume junk", 1, "other.net.checkpoint exists already"),
        ("--data a.games --out no/x.net --holdout 0 --passes 1", 1, "cannot write no/x.net.csv: "),
        ("--data a.games --out x.net --resume junk", 1, "junk: this is not a checkpoint"),
        // The only block is cut, so nothing is left.
        ("--data cut.games --out x.net", 1, "there are no positions"),
        ("--data a.games --out x.net --hidden 100", 2, "a multiple of 32"),
        ("--data a.games --out x.net --wdl 2", 2, "a number from 0 to 1"),
        ("--data a.games --out x.net --from junk", 1, "junk: this is not a checkpoint"),
        ("--data a.games --out x.net --resume damaged.net", 1, "damaged.net: this is not a checkpoint"),
        ("--data a.games --out x.net --from damaged.net", 1, "no net to begin with: corrupt"),
        ("--data a.games --out x.net --from kings.net", 1, "kings.net: a net with king buckets"),
        ("--data a.games --out x.net --from a --resume b", 2, "cannot be used with"),
        ("--data a.games --out x.net --exponent 0.5", 2, "a number from 1 to 4"),
        ("--data a.games --out x.net --weight-pieces 8:x", 2, "PLACE:WEIGHT"),
        ("--data a.games --out x.net --start 1.5", 2, "a number from 0 to 1"),
        ("--data a.games --out x.net --decay 11", 2, "a number from 0 to 10"),
    ] {
        let output = train(&folder, arguments);
        let error = text(&output.stderr);
        assert!(output.status.code() == Some(code) && error.contains(message), "{arguments}: {error}");
        assert!(!folder.join("x.net").exists());
    }
    for name in precious {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "precious");
    }
}
