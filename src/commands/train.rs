//! `quillon train`: trains a network on files of self-play games.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::about;
use crate::console::{Output, progress};
use crate::datagen::read_games;
use crate::nnue::SCALES;
use crate::training::{
    Checkpoint, Cost, Curve, Dataset, DatasetBuilder, History, PARTS, ScaleFit, Schedule, Session, Settings,
    Shape, SignAgreement, Target, Trainer, fit_scale,
};

/// Arguments of `quillon train`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Files of games from 'quillon datagen', the newest last: a position that occurs again replaces the
    /// earlier one
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// The net file to write. Log (NET.csv) and curves (NET.svg) lie beside it; old ones are replaced
    #[arg(long, value_name = "NET")]
    out: PathBuf,
    /// Hidden neurons a side, a multiple of 32 up to 1024
    #[arg(long, value_name = "H", default_value_t = 128, value_parser = parse_hidden)]
    hidden: usize,
    /// Sets of output weights, 1 or 8, chosen by the number of pieces
    #[arg(long, value_name = "1|8", default_value_t = 1, value_parser = parse_buckets)]
    buckets: usize,
    /// Sets of input weights of a side, 1 or 4, chosen by where its king stands: castled, in the centre of the first
    /// rank, on the second, or beyond
    #[arg(long, value_name = "1|4", default_value_t = 1, value_parser = parse_king_buckets)]
    king_buckets: usize,
    /// Layers of 16 and 32 neurons between accumulators and output, for each output bucket; H must be a multiple of 128
    #[arg(long)]
    layers: bool,
    /// Number of passes over all positions
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    passes: u32,
    /// Positions in a step
    #[arg(long, value_name = "N", default_value_t = 16384, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: u32,
    /// Learning rate at the start
    #[arg(long, value_name = "RATE", default_value_t = 1e-3, value_parser = parse_rate)]
    lr: f32,
    /// Learning rate at the end; between them it falls along a cosine
    #[arg(long, value_name = "RATE", default_value_t = 2.4e-6, value_parser = parse_rate)]
    lr_end: f32,
    /// Steps at the start over which the learning rate rises from zero
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    warmup: u32,
    /// Share of the steps, 0 to 1, at the end, over which the weights are averaged: the net gets their mean
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    average: f32,
    /// Weight decay: the share of a weight that a step at a learning rate of one takes away
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_decay)]
    decay: f32,
    /// First weights of the inputs are random numbers up to this, 0 to 1
    #[arg(long, value_name = "BOUND", default_value_t = 0.05, value_parser = parse_share)]
    start: f32,
    /// Share of the game's result in the target, 0 to 1, at the start and at the end; the rest is the
    /// score. One number stands for both. Positions out of search trees have no result: their target is the
    /// score throughout
    #[arg(long, value_name = "FROM:TO", default_value = "0.05:0.2", value_parser = parse_wdl)]
    wdl: Wdl,
    /// The power of the error that is made small, 1 to 4
    #[arg(long, value_name = "POWER", default_value_t = 2.0, value_parser = parse_exponent)]
    exponent: f32,
    /// What an output that is too high for the side to move costs more, as a share, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    asymmetry: f32,
    /// Weight of a position by the number of pieces on the board, with straight lines between these points:
    /// 8:0.45,16:1 gives 8 pieces and fewer a weight of 0.45, 12 pieces 0.725, 16 and more 1
    #[arg(long, value_name = "PIECES:WEIGHT,...", default_value = "1")]
    weight_pieces: Curve,
    /// The same by plies from the start of the game; positions are kept from ply 16 on
    #[arg(long, value_name = "PLY:WEIGHT,...", default_value = "1")]
    weight_ply: Curve,
    /// The score that makes an expected result of 73 %, 50 to 1000; 'fit' chooses the one with which the
    /// scores of the data predict the results best [default: fit, and with --from that of the checkpoint]
    #[arg(long, value_name = "SCORE", value_parser = parse_scale)]
    scale: Option<Scale>,
    /// Decides first weights and order: the same seed, settings and data give the same net on the same
    /// machine
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads, up to 8, of 700 neurons and more up to 2; they do not change the net
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=PARTS as i64))]
    threads: u16,
    /// Share of the games, 0 to 0.9, that are not trained on but used to check [default: 0.03, and 0.01 of
    /// 20 million positions or more]
    #[arg(long, value_name = "SHARE", value_parser = parse_holdout)]
    holdout: Option<f64>,
    /// Decides which games are held out, and in which order they are looked at. Losses can be compared only
    /// between trainings that hold out the same games
    #[arg(long, value_name = "S", default_value_t = 1)]
    split_seed: u64,
    /// Go on with an interrupted training; data and settings must be the same
    #[arg(long, value_name = "CHECKPOINT")]
    resume: Option<PathBuf>,
    /// Begin with the net of this checkpoint, or this net file, in place of random weights: another stage of its
    /// training, with its own data and settings. Only the sizes must be the same. A stage may hold out no more
    /// games than those before it, or it is checked on games that they have seen. A net file will do if it has
    /// neither king buckets nor layers; its weights are rounded
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "start"])]
    from: Option<PathBuf>,
    /// Keep the last checkpoint, for another stage to begin with
    #[arg(long)]
    keep_checkpoint: bool,
    /// Also write the nets after half (NET.50) and three quarters (NET.75) of the passes
    #[arg(long)]
    checkpoints: bool,
    /// The name that the net carries [default: the file name of NET without ending]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

const EXAMPLES: &str = "\
All positions are kept in memory: 32 bytes each, and up to 32 more while they are read. After each pass the
state goes into NET.checkpoint, so that at most one pass is lost when the training is interrupted. It is removed
when the net is written, unless --keep-checkpoint is given.

The lines on the way show the mean loss of the steps since the line before and the loss on the positions held
out, both for the present share of the result in the target. The columns train_loss_at_last_wdl and
holdout_loss_at_last_wdl of the log are for the share at the end. They can be compared from line to line, with
each other, and between trainings that end with the same share and have the same data. The columns
holdout_square_... count the squared errors of all positions alike, whatever errors cost in the training: towards
the target at the end, towards the score alone, and towards the result alone.

Examples:
  quillon train --data gen0.games --out gen0.net --hidden 64 --threads 2
  quillon train --data gen1.games gen2.games --out gen2.net --hidden 256 --buckets 8 --checkpoints
  quillon train --data gen0.games --out gen0.net --hidden 64 --resume gen0.net.checkpoint
  quillon train --data newest.games --out gen3b.net --hidden 256 --buckets 8 --from gen3.net.checkpoint
    --lr 1e-6 --lr-end 1e-6 --warmup 200 --passes 2";

/// The share of the result at the start and at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wdl {
    from: f32,
    to: f32,
}

/// How the scale is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Fit,
    Fixed(i32),
}

/// A number that passes a test.
fn number(text: &str, what: &str, is_good: impl Fn(f32) -> bool) -> Result<f32, String> {
    text.parse().ok().filter(|&number| is_good(number)).ok_or_else(|| what.to_owned())
}

fn parse_rate(text: &str) -> Result<f32, String> {
    number(text, "a rate is a number above 0 and at most 1", |rate| rate > 0.0 && rate <= 1.0)
}

fn parse_decay(text: &str) -> Result<f32, String> {
    number(text, "a decay is a number from 0 to 10", |decay| (0.0..=10.0).contains(&decay))
}

fn parse_share(text: &str) -> Result<f32, String> {
    number(text, "a number from 0 to 1", |share| (0.0..=1.0).contains(&share))
}

fn parse_exponent(text: &str) -> Result<f32, String> {
    number(text, "a number from 1 to 4", |power| (1.0..=4.0).contains(&power))
}

fn parse_scale(text: &str) -> Result<Scale, String> {
    if text == "fit" {
        return Ok(Scale::Fit);
    }
    let scale = text.parse().ok().filter(|scale| SCALES.contains(scale)).map(Scale::Fixed);
    scale.ok_or_else(|| format!("'fit' or a whole number from {} to {}", SCALES.start(), SCALES.end()))
}

fn parse_wdl(text: &str) -> Result<Wdl, String> {
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    Ok(Wdl { from: parse_share(from)?, to: parse_share(to)? })
}

fn parse_holdout(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=0.9).contains(share));
    share.ok_or_else(|| "a number from 0 to 0.9".to_owned())
}

fn parse_hidden(text: &str) -> Result<usize, String> {
    let hidden = text
        .parse()
        .ok()
        .filter(|&hidden| Shape { hidden, king_buckets: 1, buckets: 1, layered: false }.is_valid());
    hidden.ok_or_else(|| "a multiple of 32 from 32 to 1024".to_owned())
}

fn parse_king_buckets(text: &str) -> Result<usize, String> {
    let buckets = text
        .parse()
        .ok()
        .filter(|&king_buckets| Shape { hidden: 32, king_buckets, buckets: 1, layered: false }.is_valid());
    buckets.ok_or_else(|| "1 or 4".to_owned())
}

fn parse_buckets(text: &str) -> Result<usize, String> {
    let buckets = text
        .parse()
        .ok()
        .filter(|&buckets| Shape { hidden: 32, king_buckets: 1, buckets, layered: false }.is_valid());
    buckets.ok_or_else(|| "1 or 8".to_owned())
}

impl Arguments {
    fn settings(&self, scale: i32) -> Settings {
        Settings {
            shape: Shape {
                hidden: self.hidden,
                king_buckets: self.king_buckets,
                buckets: self.buckets,
                layered: self.layers,
            },
            passes: self.passes,
            batch: self.batch as usize,
            schedule: Schedule { rate: self.lr, last_rate: self.lr_end, warmup: self.warmup },
            average: self.average,
            decay: self.decay,
            start: self.start,
            wdl: self.wdl.from,
            last_wdl: self.wdl.to,
            scale,
            seed: self.seed,
            cost: Cost {
                exponent: self.exponent,
                asymmetry: self.asymmetry,
                pieces: self.weight_pieces,
                ply: self.weight_ply,
            },
        }
    }

    fn target(&self) -> Target {
        let stem = || self.out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Target {
            net: self.out.clone(),
            name: self.name.clone().unwrap_or_else(stem),
            keep_on_the_way: self.checkpoints,
            keep_checkpoint: self.keep_checkpoint,
        }
    }
}

/// Trains and writes a network.
///
/// # Errors
/// When a file cannot be used or the training fails, as a message for people.
pub fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, String> {
    let target = arguments.target();
    spare_old_files(&target, arguments.resume.as_deref())?;
    // The checks that fail fast come first.
    let read = |path: &PathBuf| Checkpoint::load(path).map_err(|error| about(path, error));
    let resumed = arguments.resume.as_ref().map(|path| Ok::<_, String>((path, read(path)?))).transpose()?;
    let begin = |path: &PathBuf| Checkpoint::load_or_net(path).map_err(|error| about(path, error));
    let earlier = arguments.from.as_ref().map(|path| Ok::<_, String>((path, begin(path)?))).transpose()?;
    let data = load(arguments, output)?;
    check_labels(&data, output)?;
    let inherited = earlier.as_ref().map(|(_, checkpoint)| Scale::Fixed(checkpoint.scale()));
    let scale = choose_scale(arguments.scale.or(inherited).unwrap_or(Scale::Fit), &data, output)?;
    let (settings, threads) = (arguments.settings(scale), arguments.threads.into());
    let (trainer, history) = match (resumed, earlier) {
        (Some((path, checkpoint)), _) => {
            checkpoint.resume(settings, data.fingerprint(), threads).map_err(|error| about(path, error))?
        }
        (None, Some((path, checkpoint))) => {
            let trainer = checkpoint.begin(settings, threads).map_err(|error| about(path, error))?;
            (trainer, History::default())
        }
        (None, None) => (Trainer::new(settings, threads), History::default()),
    };
    Session::new(trainer, history, &data, target, output).run().map_err(|error| error.to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to replace nets, or the state of another training.
fn spare_old_files(target: &Target, resumed: Option<&Path>) -> Result<(), String> {
    let exists = |path: &Path| Err(format!("{} exists already; choose another name", path.display()));
    if target.net.exists() {
        return exists(&target.net);
    }
    let checkpoint = target.checkpoint();
    match resumed {
        // The files belong to the training that is resumed.
        Some(resumed) if same_file(resumed, &checkpoint) => return Ok(()),
        Some(_) if checkpoint.exists() => return exists(&checkpoint),
        None if checkpoint.exists() => {
            let checkpoint = checkpoint.display();
            return Err(format!("{checkpoint} exists; go on with --resume {checkpoint}, or delete it"));
        }
        _ => {}
    }
    target.nets_on_the_way().find(|net| net.exists()).map_or(Ok(()), |net| exists(&net))
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Reads all games.
fn load(arguments: &Arguments, output: &Output) -> Result<Dataset, String> {
    let sizes = arguments.data.iter().filter_map(|path| std::fs::metadata(path).ok());
    let bar = progress::bar(sizes.map(|data| data.len()).sum(), "bytes");
    let mut builder = DatasetBuilder::new(arguments.holdout, arguments.split_seed);
    for path in &arguments.data {
        let file =
            read_games(path, &bar, |game| -> Result<(), Box<dyn Error>> { Ok(builder.push_game(game)?) })
                .map_err(|error| about(path, error))?;
        if let Some(remark) = file.remark {
            bar.suspend(|| output.line(&about(path, remark)));
        }
    }
    bar.finish_and_clear();
    let (games, duplicates) = (builder.games(), builder.duplicates());
    let data = builder.finish();
    let trees = data.train().iter().filter(|record| record.half_points().is_none()).count();
    output.line(&format!(
        "{games} games, {} positions to train on, {} held out, {duplicates} repeated ones left out",
        data.train().len(),
        data.holdout().len()
    ));
    if trees > 0 {
        output.line(&format!(
            "{trees} of those to train on are out of search trees and have no result: their target is the score"
        ));
    }
    Ok(data)
}

/// Says how well the signs of scores and results agree, and refuses data in which they do not.
fn check_labels(data: &Dataset, output: &Output) -> Result<(), String> {
    let agreement = SignAgreement::of(data);
    let Some(share) = agreement.share() else { return Ok(()) };
    let text = format!(
        "of {} positions with a score beyond 300 in decided games, the better side won {:.1} %",
        agreement.clear,
        100.0 * share
    );
    if !agreement.is_plausible() {
        return Err(format!("{text}; scores or results of these data must be wrong"));
    }
    output.line(&text);
    Ok(())
}

/// Prints the scale at which the scores predict the results best, and returns the scale of the net.
fn choose_scale(wanted: Scale, data: &Dataset, output: &Output) -> Result<i32, String> {
    let fit = fit_scale(data.train()).ok_or("there are no positions to train on")?;
    let scale = match wanted {
        Scale::Fixed(scale) => scale,
        Scale::Fit => fit.rounded(),
    };
    let ScaleFit { scale: best, error } = fit;
    output.line(&format!(
        "scores predict results best with the scale {best:.0} (mean squared error {error:.5}); the scale of \
         this net is {scale}"
    ));
    Ok(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_arguments() {
        assert_eq!(parse_wdl("0.2:0.4"), Ok(Wdl { from: 0.2, to: 0.4 }));
        assert_eq!(parse_wdl("0.3"), Ok(Wdl { from: 0.3, to: 0.3 }));
        for text in ["", ":", "0.2:", "0.2:1.5", "-0.1:0", "a:b", "0:nan"] {
            assert!(parse_wdl(text).is_err(), "{text}");
        }
        assert!(parse_rate("0").is_err() && parse_rate("nan").is_err() && parse_rate("1e-3") == Ok(1e-3));
        assert!(parse_decay("-1").is_err() && parse_decay("11").is_err() && parse_decay("0") == Ok(0.0));
        assert!(parse_hidden("48").is_err() && parse_hidden("1056").is_err() && parse_hidden("96") == Ok(96));
        assert!(parse_buckets("4").is_err() && parse_buckets("8") == Ok(8));
        assert!(parse_holdout("1").is_err() && parse_holdout("0") == Ok(0.0));
        assert_eq!(parse_scale("fit"), Ok(Scale::Fit));
        assert_eq!(parse_scale("166"), Ok(Scale::Fixed(166)));
        for text in ["", "0", "49", "1001", "166.5", "best"] {
            assert!(parse_scale(text).is_err(), "{text}");
        }
    }
}
