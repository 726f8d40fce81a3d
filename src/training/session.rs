//! A training from the first pass to the net file: log, checkpoints, report.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;

use super::checkpoint::{Checkpoint, write_whole};
use super::dataset::Dataset;
use super::history::{History, Row};
use super::knowledge::Knowledge;
use super::quantise::examine;
use super::record::Record;
use super::trainer::Trainer;
use crate::console::{Output, progress};
use crate::nnue::{Network, NetworkError, NetworkParts};

/// A row of the log covers a pass, or this many positions of a longer one.
const ROW_POSITIONS: usize = 10_000_000;
/// Held-out positions that a row of the log looks at. Positions of one game share its
/// result, so as a guess at other games their mean loss is only as exact as some thousand games make it, to
/// one percent or two. Differences between moments of a training, on the same positions, are more exact.
const ROW_HOLDOUT: usize = 500_000;
/// Positions, spread over those trained on, whose loss a row of the log tells beside it.
const ROW_SAMPLE: usize = 200_000;
/// Positions, spread over those trained on, by which rounding is made up for.
const ROUNDING_POSITIONS: usize = 160_000;
/// Positions that the last report looks at.
const REPORT_POSITIONS: usize = 100_000;
/// With fewer steps than this a network is far from what its data could teach: of 7.4 million positions in 8
/// passes, batches of 16,384 (3,600 steps) left 4 % more loss on games held out than batches of 4,096.
const FEW_STEPS: u64 = 5_000;
/// What the loss on games held out may be above that on games trained on, as a share of it, and the
/// least positions held out for that to mean something.
const MOST_GAP: f64 = 0.15;
const GAP_POSITIONS: usize = 10_000;
/// When, in percent of the passes, nets are kept on the way.
const KEPT_AT: [u32; 2] = [50, 75];

/// Why a training ended without a net.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    /// A file cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The loss is no longer a number.
    #[error("the training diverged in pass {0}; try a smaller --lr")]
    Diverged(u64),
    /// The integers do not make a network.
    #[error("after pass {pass} the network cannot be stored: {error}; try a smaller --lr")]
    Network {
        /// The pass at whose end that was found.
        pass: u64,
        /// Why.
        error: NetworkError,
    },
}

/// What to write, and where.
#[derive(Clone, Debug)]
pub struct Target {
    /// The net file. Log and checkpoint lie beside it.
    pub net: PathBuf,
    /// The name inside it.
    pub name: String,
    /// Whether nets are written after half and three quarters of the passes, too.
    pub keep_on_the_way: bool,
    /// Whether the last checkpoint stays, for another training to begin with.
    pub keep_checkpoint: bool,
}

impl Target {
    /// The file beside the net with this ending.
    pub fn beside(&self, ending: &str) -> PathBuf {
        self.net.with_added_extension(ending)
    }

    /// The nets on the way.
    pub fn nets_on_the_way(&self) -> impl Iterator<Item = PathBuf> {
        KEPT_AT.iter().filter(|_| self.keep_on_the_way).map(|percent| self.beside(&percent.to_string()))
    }

    /// The file from which an interrupted training goes on.
    pub fn checkpoint(&self) -> PathBuf {
        self.beside("checkpoint")
    }
}

/// A training in progress.
pub struct Session<'a> {
    trainer: Trainer,
    data: &'a Dataset,
    fingerprint: u64,
    /// Some of the positions trained on.
    sample: Vec<Record>,
    history: History,
    target: Target,
    output: &'a Output,
    bar: ProgressBar,
    start: Instant,
    /// Steps that were taken before this session.
    steps_before: u64,
}

impl<'a> Session<'a> {
    /// A session of a new trainer, or of one that has already come as far as `history` tells.
    pub fn new(
        trainer: Trainer,
        history: History,
        data: &'a Dataset,
        target: Target,
        output: &'a Output,
    ) -> Session<'a> {
        let total = data.train().len() as u64 * u64::from(trainer.settings().passes);
        let bar = progress::bar(total, "positions");
        bar.set_position(trainer.samples(data.train().len()));
        bar.reset_eta();
        Session {
            steps_before: trainer.steps(),
            fingerprint: data.fingerprint(),
            sample: spread(data.train(), ROW_SAMPLE),
            start: Instant::now(),
            trainer,
            data,
            history,
            target,
            output,
            bar,
        }
    }

    /// Trains to the end, writes the net and reports on it.
    ///
    /// # Errors
    /// When a file cannot be written or the training diverges.
    pub fn run(mut self) -> Result<(), TrainingError> {
        // Now rather than after hours: can files be written there?
        self.write_log()?;
        let positions = self.data.train().len();
        let steps = self.trainer.settings().steps(positions);
        let total = self.trainer.settings().all_steps(positions);
        let rows = (positions.div_ceil(ROW_POSITIONS) as u64).min(steps);
        self.bar.suspend(|| self.output.line(&announce(steps, total)));
        let (mut losses, mut count) = (0.0, 0);
        while self.trainer.steps() < total {
            let step = self.trainer.steps() % steps;
            let loss = self.trainer.step(self.data.train());
            if !loss.is_finite() {
                self.bar.finish_and_clear();
                return Err(TrainingError::Diverged(self.trainer.steps().div_ceil(steps)));
            }
            self.bar.set_position(self.trainer.samples(positions));
            (losses, count) = (losses + loss, count + 1);
            if (step + 1) * rows / steps > step * rows / steps {
                self.add_row(losses / f64::from(count), total)?;
                (losses, count) = (0.0, 0);
            }
            if step + 1 == steps {
                self.end_pass((self.trainer.steps() / steps) as u32)?;
            }
        }
        self.bar.finish_and_clear();
        let path = self.target.net.clone();
        let network = self.write_net(&path)?;
        if !self.target.keep_checkpoint {
            // It has served its purpose. If it stays, nothing is lost.
            let _ = fs::remove_file(self.target.checkpoint());
        }
        self.report(&network);
        Ok(())
    }

    /// Adds a row to the log and shows it.
    fn add_row(&mut self, train_loss: f64, total: u64) -> Result<(), TrainingError> {
        let settings = *self.trainer.settings();
        let positions = self.data.train().len();
        // That of the step just taken.
        let progress = settings.progress_at(self.trainer.steps() - 1, positions);
        let objective = settings.objective_at(progress);
        let holdout = self.data.holdout();
        let holdout = self.trainer.validate(&holdout[..holdout.len().min(ROW_HOLDOUT)], objective);
        let train = self.trainer.validate(&self.sample, objective);
        let row = Row {
            pass: self.trainer.steps() as f64 / total as f64 * f64::from(settings.passes),
            samples: self.trainer.samples(positions),
            rate: settings.rate_at(self.trainer.steps() - 1, positions),
            wdl: objective.wdl,
            train_loss,
            train_last_loss: train.map_or(f64::NAN, |losses| losses.last_loss),
            holdout,
        };
        self.history.0.push(row);
        self.write_log()?;
        let text = self.describe(&row, total);
        self.bar.suspend(|| self.output.line(&text));
        Ok(())
    }

    /// A row of the log for people, with speed and the time that is left.
    fn describe(&self, row: &Row, total: u64) -> String {
        let seconds = self.start.elapsed().as_secs_f64();
        let done = self.trainer.steps() - self.steps_before;
        let positions = self.data.train().len() as f64;
        let passes = self.trainer.settings().passes;
        let share = done as f64 / total as f64;
        let rate = share * positions * f64::from(passes) / seconds;
        let left = seconds / done as f64 * (total - self.trainer.steps()) as f64;
        let holdout = row.holdout.map_or(String::new(), |losses| format!(", held out {:.6}", losses.loss));
        format!(
            "pass {:.1} of {passes}: loss {:.6}{holdout}, lr {:.2e}, wdl {:.3}, {:.2} M positions/s, ETA {}",
            row.pass,
            row.train_loss,
            row.rate,
            row.wdl,
            rate / 1e6,
            progress::clock(left as u64)
        )
    }

    /// Keeps the state. A network that has left the bounds of the integers ends the training, since it
    /// would be of no use after the last pass either.
    fn end_pass(&mut self, pass: u32) -> Result<(), TrainingError> {
        self.network(self.trainer.quantised(&self.target.name))?;
        let path = self.target.checkpoint();
        let checkpoint = Checkpoint::new(&self.trainer, self.fingerprint, &self.history);
        checkpoint.save(&path).map_err(|error| TrainingError::Write { path, error })?;
        let passes = self.trainer.settings().passes;
        for percent in KEPT_AT {
            if self.target.keep_on_the_way && pass < passes && pass == (passes * percent).div_ceil(100) {
                let path = self.target.beside(&percent.to_string());
                self.write_net(&path)?;
            }
        }
        Ok(())
    }

    fn write_log(&self) -> Result<(), TrainingError> {
        write(&self.target.beside("csv"), self.history.to_csv(self.trainer.settings().scale).as_bytes())?;
        write(&self.target.beside("svg"), self.history.to_svg(&self.target.name).as_bytes())
    }

    /// The network of these integers.
    fn network(&self, parts: NetworkParts) -> Result<Network, TrainingError> {
        let pass = self.trainer.steps() / self.trainer.settings().steps(self.data.train().len());
        Network::new(parts).map_err(|error| TrainingError::Network { pass, error })
    }

    /// Writes the network as it is now.
    fn write_net(&mut self, path: &Path) -> Result<Network, TrainingError> {
        let sample = spread(self.data.train(), ROUNDING_POSITIONS);
        let parts = self.trainer.quantised_for(&self.target.name, &sample);
        let network = self.network(parts)?;
        write_whole(path, &network.to_bytes())
            .map_err(|error| TrainingError::Write { path: path.to_owned(), error })?;
        Ok(network)
    }

    /// Says how the net has turned out.
    fn report(&mut self, network: &Network) {
        let (kind, records) = match self.data.holdout() {
            [] => ("training", self.data.train()),
            holdout => ("held-out", holdout),
        };
        let records = &records[..records.len().min(REPORT_POSITIONS)];
        let scale = network.scale();
        let health = examine(&mut self.trainer, &network.to_parts(), records);
        let knowledge = Knowledge::of(network);
        let mut doubts = health.doubts();
        doubts.extend(knowledge.doubts());
        self.output.line(&format!(
            "{}: {}, scale {scale}, name '{}'\n\
             on {} {kind} positions: mean magnitude {:.1}; integers differ from floats by {:.2} on \
             average, at most {:.1}\n\
             loss {:.6}, with integers {:.6}\n\
             dead neurons {:.1} %; weights at the clip: first layer {:.3} %, output {:.2} %\n\
             {knowledge}",
            self.target.net.display(),
            network.architecture(),
            self.target.name,
            records.len(),
            health.mean_value,
            health.mean_difference,
            health.largest_difference,
            health.loss,
            health.integer_loss,
            100.0 * health.dead_neurons,
            100.0 * health.clipped_features,
            100.0 * health.clipped_outputs,
        ));
        doubts.extend(self.learnt_by_heart());
        if !doubts.is_empty() {
            self.output.line(&format!("not as in sound nets (usual values): {}", doubts.join("; ")));
        }
    }
}

impl Session<'_> {
    /// That the loss on games held out is far above the one on games trained on, in words.
    fn learnt_by_heart(&self) -> Option<String> {
        let row = self.history.0.last().filter(|_| self.data.holdout().len() >= GAP_POSITIONS)?;
        let gap = row.holdout?.last_loss / row.train_last_loss - 1.0;
        (gap > MOST_GAP).then(|| {
            format!(
                "loss on games held out, {:.0} % above that on games trained on (at most {:.0} %: more games, \
                 fewer passes or a smaller share of the result help)",
                100.0 * gap,
                100.0 * MOST_GAP
            )
        })
    }
}

/// How many steps a training takes, and whether they are few.
fn announce(steps: u64, total: u64) -> String {
    let few = "; these are few to learn by: a smaller --batch or more --passes make more of them";
    let doubt = if total < FEW_STEPS { few } else { "" };
    format!("{steps} steps a pass, {total} in all{doubt}")
}

/// At most so many of these records, evenly spread.
fn spread(records: &[Record], count: usize) -> Vec<Record> {
    records.iter().copied().step_by(records.len().div_ceil(count).max(1)).collect()
}

/// Writes a file, or says which one could not be written.
fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainingError> {
    fs::write(path, bytes).map_err(|error| TrainingError::Write { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::dataset::DatasetBuilder;
    use crate::training::samples::{material_records, settings};

    #[test]
    fn few_steps_are_named() {
        assert_eq!(announce(500, 10_000), "500 steps a pass, 10000 in all");
        assert!(announce(50, 4999).starts_with("50 steps a pass, 4999 in all; these are few to learn by"));
    }

    #[test]
    fn what_is_learnt_by_heart_is_named() {
        use crate::training::trainer::Validation;
        let mut builder = DatasetBuilder::new(Some(0.6), 1);
        for (game, record) in (0..).zip(material_records(52, 24_000)) {
            builder.start_game(game);
            builder.push_record(record).unwrap();
        }
        let data = builder.finish();
        assert!(data.holdout().len() >= GAP_POSITIONS, "{}", data.holdout().len());
        let said = |last_loss: f64, data: &Dataset| {
            let holdout =
                Some(Validation { loss: 0.2, last_loss, squared: 0.2, to_score: 0.2, to_result: 0.2 });
            let row = Row {
                pass: 1.0,
                samples: 1,
                rate: 1e-3,
                wdl: 0.1,
                train_loss: 0.2,
                train_last_loss: 0.1,
                holdout,
            };
            let target = Target {
                net: PathBuf::from("a.net"),
                name: "a".to_owned(),
                keep_on_the_way: false,
                keep_checkpoint: false,
            };
            let (trainer, output) = (Trainer::new(settings(32, 1), 1), Output::standard());
            Session::new(trainer, History(vec![row]), data, target, &output).learnt_by_heart()
        };
        assert!(said(0.118, &data).unwrap().contains("18 % above"));
        assert_eq!(said(0.114, &data), None);
        // A few games tell nothing.
        assert_eq!(said(0.2, &DatasetBuilder::new(Some(0.5), 1).finish()), None);
    }

    #[test]
    fn a_network_that_cannot_be_stored_ends_the_training_early() {
        let mut builder = DatasetBuilder::new(Some(0.0), 1);
        builder.start_game(0);
        material_records(51, 1500).into_iter().for_each(|record| builder.push_record(record).unwrap());
        let data = builder.finish();
        let settings = settings(32, 1);
        let mut trainer = Trainer::new(settings, 1);
        // 80 * 255 is more than a bias can be; steps are much smaller.
        trainer.state.weights[settings.shape.bias(5)] = -80.0;
        let folder = std::env::temp_dir().join(format!("quillon-session-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let target = Target {
            net: folder.join("a.net"),
            name: "a".to_owned(),
            keep_on_the_way: true,
            keep_checkpoint: false,
        };
        let session =
            Session::new(trainer, History::default(), &data, target.clone(), &Output::standard()).run();
        let error = session.unwrap_err();
        assert!(matches!(error, TrainingError::Network { pass: 1, .. }), "{error}");
        assert!(error.to_string().contains("feature bias -20"), "{error}");
        assert!(!target.checkpoint().exists() && !target.net.exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
