//! `quillon datagen`: plays games against itself into a file.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::{EvalFile, stop_on_ctrl_c};
use crate::console::Output;
use crate::datagen::{
    DataHeader, DataWriter, Goal, MOST_TREE_POSITIONS, Openings, OpeningsError, Plan, Progress, RANDOM_PLIES,
    RANDOM_PLIES_AFTER_FILE, SelfPlay, Shard, Tally, Thinking, TreeSettings, generate, read_positions, rules,
};
use crate::engine::{NAME, bench};
use crate::nnue::inference::Kernels;
use crate::types::Depth;

/// Arguments of `quillon datagen`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The file for the games; if it exists and was made with the same settings, games are added
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Games played at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Stop after M minutes
    #[arg(long, value_name = "M", value_parser = parse_minutes)]
    minutes: Option<Duration>,
    /// Stop when the file holds P positions that are fit for training
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Stop when the file holds G games
    #[arg(long, value_name = "G", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Nodes of a search after which no deeper iteration begins
    #[arg(long, value_name = "SOFT", default_value_t = 1500, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Positions, 0 to 8, that are drawn from the tree of each search, searched separately and kept beside
    /// those of the game
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=MOST_TREE_POSITIONS as i64))]
    tree_positions: u8,
    /// The same as --nodes, for the searches of the positions from --tree-positions
    #[arg(long, value_name = "SOFT", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    tree_nodes: u64,
    #[command(flatten)]
    eval_file: EvalFile,
    /// Decides the random moves: the same seed and settings give the same games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Play only every Nth game of the seed, beginning with the Ith: machines with other I never play the same game
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = parse_shard)]
    shard: Shard,
    /// Begin with positions of this file (a FEN or EPD in each line) in place of the initial position
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Random plies at the start of a game, at even odds one more [default: 8, with --openings 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60))]
    random_plies: Option<u32>,
    /// Share of the games, 0 to 1, that begins with a Chess960 position
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    chess960: f64,
}

/// More shards than there will be machines.
const MAX_SHARDS: u64 = 1_000_000;

const EXAMPLES: &str = "\
Without --minutes, --positions or --games it plays until Ctrl-C, which lets the running games end (a second
one does not). The file may be kept: the same command goes on where it ended. After a kill or a power cut
at most the last few dozen games are missing.

Examples:
  quillon datagen --out gen0.games --threads 2 --positions 8000000 --nodes 1500 --eval material
  quillon datagen --out gen1.games --threads 2 --positions 15000000 --eval-file gen0.nnue --seed 2
  quillon datagen --out gen2.games --threads 2 --nodes 400 --tree-positions 1 --seed 3
  quillon datagen --out gen3.2.games --threads 2 --seed 4 --shard 2/3
  quillon datagen --out frc.games --minutes 30 --chess960 0.5 --seed 2
  quillon datagen --out book.games --games 10000 --openings book.epd --random-plies 2";

fn parse_minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| "not a number of minutes".to_owned())?;
    Duration::try_from_secs_f64(minutes * 60.0).map_err(|_| "not a number of minutes from 0 on".to_owned())
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let number = |text: &str| text.parse::<u64>().ok();
    let numbers = text.split_once('/').and_then(|(index, count)| number(index).zip(number(count)));
    match numbers {
        Some((index, count)) if 1 <= index && index <= count && count <= MAX_SHARDS => {
            Ok(Shard { index: index - 1, count })
        }
        _ => Err("a shard is I/N, such as 2/3 for the second of three machines".to_owned()),
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("a share is a number from 0 to 1".to_owned())
}

/// Plays games until the goal is reached or the user stops it.
///
/// # Errors
/// When the file or the openings cannot be used, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    let file = arguments.out.display();
    let trees = (arguments.tree_positions > 0).then_some(TreeSettings {
        positions: arguments.tree_positions.into(),
        soft_nodes: arguments.tree_nodes,
    });
    let thinking = Thinking { soft_nodes: arguments.nodes, network: arguments.eval_file.network()?, trees };
    let (self_play, header) = settings(arguments, player_text(&thinking)?, thinking.evaluation())
        .map_err(|error| error.to_string())?;
    let mut tally = Tally::default();
    let writer = DataWriter::append(&arguments.out, &header, |game| tally.add(game))
        .map_err(|error| format!("{file}: {error}"))?;
    if tally.games > 0 {
        output.line(&format!("{file} holds {} games with {} positions; going on", tally.games, tally.kept));
    }
    let goal = Goal { positions: arguments.positions, games: arguments.games, time: arguments.minutes };
    let stop = stop_on_ctrl_c()?;
    let progress = Progress::new(goal, tally, output);
    let plan = Plan { self_play, thinking, shard: arguments.shard, threads: arguments.threads.into(), goal };
    let report = generate(&plan, writer, progress, &stop).map_err(|error| format!("{file}: {error}"))?;
    output.line(&report.to_string());
    Ok(ExitCode::SUCCESS)
}

/// Identifies everything that a game depends on besides its settings: the search, by a small bench, and the rules of
/// self-play.
fn player_text(thinking: &Thinking) -> Result<String, String> {
    const DEPTH: Depth = 5;
    let bench = bench::run(DEPTH, Arc::clone(&thinking.network), Kernels::best(), |_, _| {})
        .map_err(|error| error.to_string())?;
    Ok(format!("{NAME}, bench {DEPTH} {} nodes, {}", bench.nodes, rules()))
}

/// How games are played, and the header that says so.
fn settings(
    arguments: &Arguments,
    engine: String,
    evaluation: String,
) -> Result<(SelfPlay, DataHeader), OpeningsError> {
    let mut command = format!("quillon datagen --nodes {} --seed {}", arguments.nodes, arguments.seed);
    let positions = match &arguments.openings {
        Some(file) => read_positions(file)?,
        None => Vec::new(),
    };
    let default_plies = if positions.is_empty() { RANDOM_PLIES } else { RANDOM_PLIES_AFTER_FILE };
    let openings = Openings {
        chess960_share: arguments.chess960,
        random_plies: arguments.random_plies.unwrap_or(default_plies),
        positions,
    };
    command += &format!(" --random-plies {}", openings.random_plies);
    if arguments.tree_positions > 0 {
        let (positions, nodes) = (arguments.tree_positions, arguments.tree_nodes);
        command += &format!(" --tree-positions {positions} --tree-nodes {nodes}");
    }
    if arguments.shard != Shard::WHOLE {
        command += &format!(" --shard {}/{}", arguments.shard.index + 1, arguments.shard.count);
    }
    if openings.chess960_share > 0.0 {
        command += &format!(" --chess960 {}", openings.chess960_share);
    }
    if !openings.positions.is_empty() {
        // By checksum: the file may be moved, but not changed.
        let fens: String =
            openings.positions.iter().map(|position| position.to_shredder_fen() + "\n").collect();
        command += &format!(" --openings {:08x}", crc32fast::hash(fens.as_bytes()));
    }
    let header = DataHeader { engine, evaluation, command, seed: Some(arguments.seed) };
    Ok((SelfPlay { openings, seed: arguments.seed }, header))
}
