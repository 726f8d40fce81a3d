//! The state of a training in a file, so that it can go on after an interruption.
//!
//! ```text
//! magic       8 bytes "QLNTRAIN"
//! version     u32, little-endian like all numbers
//! settings    u64, length of a text of lines "option<TAB>value", and that text
//! network     hidden, king buckets, output buckets, 1 with layers or 0, scale: u64 each
//! data        u64, fingerprint of the positions
//! steps       u64, steps taken
//! rows        u64, number of rows of the log, then eleven f64 each
//! averaged    u64, steps whose weights the average is of, 0 for none
//! weights     f32 each, in the order of the trainer's lanes; then the means of the gradient, those of its
//!             square, and the average of the weights if there is one
//! checksum    u32, CRC-32 of everything before
//! ```
//!
//! First weights and orders depend on the seed and the number of the pass only, so no state of a random
//! generator needs to be kept.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::adam::Adam;
use super::history::{History, Row};
use super::settings::Settings;
use super::shape::{LANE, Lanes, Shape};
use super::trainer::{State, Trainer, Validation};
use crate::nnue::NetworkError;

const MAGIC: [u8; 8] = *b"QLNTRAIN";
const VERSION: u32 = 7;

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("this is not a checkpoint of a training")]
    NoCheckpoint,
    /// Another version wrote the file.
    #[error("the checkpoint has version {0}, this program reads version {VERSION}")]
    Version(u32),
    /// The file is cut short or some byte has changed.
    #[error("the checkpoint is damaged")]
    Damaged,
    /// The training was begun in another way.
    #[error("the training was begun with {name} {found}, not {wanted}")]
    Other {
        /// Which setting differs.
        name: String,
        /// Its value in the checkpoint.
        found: String,
        /// Its value now.
        wanted: String,
    },
    /// The training was begun with other data.
    #[error("the training was begun with other data, another --holdout or --split-seed")]
    OtherData,
    /// A net file with king buckets or layers stands in place of a checkpoint.
    #[error("a net with king buckets or layers is trained on only from its checkpoint (--keep-checkpoint)")]
    NetOnly,
    /// The file is neither a checkpoint nor a sound net.
    #[error("this is not a checkpoint of a training, and no net to begin with: {0}")]
    NoNet(#[from] NetworkError),
}

/// A training at some step.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    shape: Shape,
    scale: i32,
    /// Options and their values.
    settings: Vec<(String, String)>,
    fingerprint: u64,
    history: History,
    state: State,
}

impl Checkpoint {
    /// The state of a trainer whose data has this fingerprint.
    pub fn new(trainer: &Trainer, fingerprint: u64, history: &History) -> Checkpoint {
        Checkpoint {
            shape: trainer.settings().shape,
            scale: trainer.settings().scale,
            settings: listed(trainer.settings()),
            fingerprint,
            history: history.clone(),
            state: trainer.state.clone(),
        }
    }

    /// A network, with the internal units of its output, of whose training no more is known. Only
    /// [`Checkpoint::begin`] can use it: it has no settings that `resume` could compare.
    pub(super) fn with_weights(shape: Shape, scale: i32, weights: Lanes) -> Checkpoint {
        let (settings, history) = (Vec::new(), History::default());
        Checkpoint { shape, scale, settings, fingerprint: 0, history, state: State::new(weights, shape) }
    }

    /// Goes on with the training.
    ///
    /// # Errors
    /// When settings or data are not those with which it was begun: the result would be neither the one
    /// training nor the other.
    pub fn resume(
        self,
        settings: Settings,
        fingerprint: u64,
        threads: usize,
    ) -> Result<(Trainer, History), CheckpointError> {
        let is_other_data = self.fingerprint != fingerprint;
        for ((name, found), (_, wanted)) in self.settings.into_iter().zip(listed(&settings)) {
            // With other data a scale fitted to them is another one, too.
            if found != wanted && !(is_other_data && name == "--scale") {
                return Err(CheckpointError::Other { name, found, wanted });
            }
        }
        if is_other_data {
            return Err(CheckpointError::OtherData);
        }
        Ok((Trainer::with_state(settings, threads, self.state), self.history))
    }

    /// Internal units of the network's output.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// Begins another training with the network that this one has come to. Data and all settings but the
    /// sizes of the network may differ. Nothing but the weights is taken over. A network without king buckets can go
    /// on with them: at first all have its weights.
    ///
    /// # Errors
    /// When the sizes differ.
    pub fn begin(self, settings: Settings, threads: usize) -> Result<Trainer, CheckpointError> {
        let (found, wanted) = (self.shape, settings.shape);
        let kings_added = found.king_buckets == 1 && wanted.is_factorised();
        for (name, found, wanted) in [
            ("--hidden", found.hidden, wanted.hidden),
            ("--king-buckets", found.king_buckets, if kings_added { 1 } else { wanted.king_buckets }),
            ("--buckets", found.buckets, wanted.buckets),
            ("--layers", found.layered.into(), wanted.layered.into()),
        ] {
            if found != wanted {
                let (name, found, wanted) = (name.to_owned(), found.to_string(), wanted.to_string());
                return Err(CheckpointError::Other { name, found, wanted });
            }
        }
        let trained = self.state.into_trained();
        let trained = if kings_added { with_king_buckets(&trained, found, wanted) } else { trained };
        Ok(Trainer::with_state(settings, threads, State::new(trained, wanted)))
    }

    /// Writes a file; an old one is replaced only when the new one is complete on the disk.
    ///
    /// # Errors
    /// When that fails.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.to_bytes())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is not a sound checkpoint.
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        Checkpoint::from_bytes(&fs::read(path)?)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        let lines = self.settings.iter().map(|(name, value)| format!("{name}\t{value}\n"));
        let text: String = lines.collect();
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.bytes());
        let Shape { hidden, king_buckets, buckets, layered } = self.shape;
        let steps = self.state.optimiser.steps;
        let shape = [hidden, king_buckets, buckets, usize::from(layered)].map(|number| number as u64);
        let rest = [self.scale as u64, self.fingerprint, steps, self.history.0.len() as u64];
        for number in shape.into_iter().chain(rest) {
            bytes.extend(number.to_le_bytes());
        }
        for row in &self.history.0 {
            // What is missing is stored as NaN, which no loss that got into a log is.
            let holdout = row.holdout.map_or([f64::NAN; 5], |found| {
                [found.loss, found.last_loss, found.squared, found.to_score, found.to_result]
            });
            let (rate, wdl) = (row.rate.into(), row.wdl.into());
            for number in [row.pass, row.samples as f64, rate, wdl, row.train_loss, row.train_last_loss]
                .into_iter()
                .chain(holdout)
            {
                bytes.extend(number.to_le_bytes());
            }
        }
        let State { weights, optimiser, average, averaged } = &self.state;
        bytes.extend(averaged.to_le_bytes());
        let average = (*averaged > 0).then_some(average);
        for lanes in [weights, &optimiser.first, &optimiser.second].into_iter().chain(average) {
            lanes.floats().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let damaged = CheckpointError::Damaged;
        let rest = bytes.strip_prefix(&MAGIC).ok_or(CheckpointError::NoCheckpoint)?;
        let Some((version, _)) = rest.split_first_chunk() else { return Err(damaged) };
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(CheckpointError::Version(version));
        }
        let Some((sound, checksum)) = bytes.split_last_chunk() else { return Err(damaged) };
        if crc32fast::hash(sound) != u32::from_le_bytes(*checksum) {
            return Err(damaged);
        }
        sound.get(MAGIC.len() + 4..).and_then(read).ok_or(damaged)
    }
}

/// The weights of a network without king buckets as those that king buckets share.
fn with_king_buckets(trained: &Lanes, from: Shape, to: Shape) -> Lanes {
    let mut lanes = Lanes::zeros(to.trained_lanes());
    // The shared weights lie as those of the only bucket did, and all that follows these in the same order.
    lanes.0[to.shared_lanes()].copy_from_slice(&trained.0[from.feature_lanes()]);
    lanes.0[to.feature_lanes().end..to.lanes()].copy_from_slice(&trained.0[from.feature_lanes().end..]);
    lanes
}

/// The contents between version and checksum; none if they are not of the right length.
fn read(bytes: &[u8]) -> Option<Checkpoint> {
    let (length, bytes) = bytes.split_first_chunk()?;
    let (text, mut bytes) = bytes.split_at_checked(u64::from_le_bytes(*length).try_into().ok()?)?;
    let line = |line: &str| line.split_once('\t').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let settings = std::str::from_utf8(text).ok()?.lines().map(line).collect::<Option<_>>()?;
    let mut next = || {
        let (number, rest) = bytes.split_first_chunk()?;
        bytes = rest;
        Some(u64::from_le_bytes(*number))
    };
    let [hidden, king_buckets, buckets] = [next()?, next()?, next()?].map(|number| number as usize);
    let layered = next()? != 0;
    let shape = Shape { hidden, king_buckets, buckets, layered };
    let scale = i32::try_from(next()?).ok()?;
    let (fingerprint, steps, rows) = (next()?, next()?, next()?);
    let mut history = History::default();
    for _ in 0..rows {
        let mut number = || Some(f64::from_bits(next()?));
        let (pass, samples, rate, wdl) = (number()?, number()?, number()?, number()?);
        let (train_loss, train_last_loss) = (number()?, number()?);
        let (loss, last_loss, squared) = (number()?, number()?, number()?);
        let (to_score, to_result) = (number()?, number()?);
        let validation = Validation { loss, last_loss, squared, to_score, to_result };
        let holdout = (!loss.is_nan()).then_some(validation);
        let (samples, rate, wdl) = (samples as u64, rate as f32, wdl as f32);
        history.0.push(Row { pass, samples, rate, wdl, train_loss, train_last_loss, holdout });
    }
    let averaged = next()?;
    let (floats, rest) = bytes.as_chunks::<4>();
    if !shape.is_valid() {
        return None;
    }
    let length = shape.trained_lanes() * LANE;
    let lists = 3 + usize::from(averaged > 0);
    if !rest.is_empty() || floats.len() != lists * length {
        return None;
    }
    let mut lists = floats.chunks(length).map(|floats| {
        let mut lanes = Lanes::zeros(length / LANE);
        floats.iter().enumerate().for_each(|(place, bytes)| lanes[place] = f32::from_le_bytes(*bytes));
        lanes
    });
    let weights = lists.next()?;
    let optimiser = Adam { first: lists.next()?, second: lists.next()?, steps };
    let average = lists.next().unwrap_or(Lanes(Vec::new()));
    let state = State { weights, optimiser, average, averaged };
    Some(Checkpoint { shape, scale, settings, fingerprint, history, state })
}

/// All settings in the order of the file, by the names of the options.
fn listed(settings: &Settings) -> Vec<(String, String)> {
    let Settings { shape, schedule, .. } = settings;
    let list: [(&str, &dyn ToString); 20] = [
        ("--hidden", &shape.hidden),
        ("--king-buckets", &shape.king_buckets),
        ("--buckets", &shape.buckets),
        ("--layers", &shape.layered),
        ("--passes", &settings.passes),
        ("--batch", &settings.batch),
        ("--lr", &schedule.rate),
        ("--lr-end", &schedule.last_rate),
        ("--warmup", &schedule.warmup),
        ("--average", &settings.average),
        ("--decay", &settings.decay),
        ("--start", &settings.start),
        ("--wdl from", &settings.wdl),
        ("--wdl to", &settings.last_wdl),
        ("--scale", &settings.scale),
        ("--exponent", &settings.cost.exponent),
        ("--asymmetry", &settings.cost.asymmetry),
        ("--weight-pieces", &settings.cost.pieces),
        ("--weight-ply", &settings.cost.ply),
        ("--seed", &settings.seed),
    ];
    list.into_iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect()
}

/// Writes a file; its name appears, or an old one is replaced, only when all of it is on the disk, so that
/// even a power failure leaves no half.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_added_extension("part");
    let mut file = File::create(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::samples::{material_records, settings};

    fn trained(steps: usize) -> Trainer {
        let records = material_records(21, 1000);
        let mut trainer = Trainer::new(settings(32, 8), 1);
        for _ in 0..steps {
            trainer.step(&records);
        }
        trainer
    }

    fn history() -> History {
        let holdout =
            Some(Validation { loss: 0.1, last_loss: 0.2, squared: 0.3, to_score: 0.4, to_result: 0.5 });
        let row = Row {
            pass: 0.5,
            samples: 77,
            rate: 1e-3,
            wdl: 0.25,
            train_loss: 0.125,
            train_last_loss: 0.5,
            holdout,
        };
        History(vec![row, Row { pass: 1.0, holdout: None, ..row }])
    }

    #[test]
    fn files_keep_everything() {
        let checkpoint = Checkpoint::new(&trained(3), 5, &history());
        assert_eq!(Checkpoint::from_bytes(&checkpoint.to_bytes()).unwrap(), checkpoint);
    }

    #[test]
    fn a_saved_file_replaces_the_old_one() {
        let path = std::env::temp_dir().join(format!("quillon-checkpoint-{}", std::process::id()));
        fs::write(&path, "old").unwrap();
        let checkpoint = Checkpoint::new(&trained(1), 5, &history());
        checkpoint.save(&path).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap(), checkpoint);
        assert!(!path.with_added_extension("part").exists());
        fs::remove_file(&path).unwrap();
        let error = checkpoint.save(&path.join("no folder")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn unusable_files_are_refused() {
        let bytes = Checkpoint::new(&trained(1), 5, &history()).to_bytes();
        assert!(matches!(Checkpoint::from_bytes(b"QuilNNUE..."), Err(CheckpointError::NoCheckpoint)));
        for end in [8, 11, 12, 20, bytes.len() / 2, bytes.len() - 1] {
            assert!(matches!(Checkpoint::from_bytes(&bytes[..end]), Err(CheckpointError::Damaged)), "{end}");
        }
        let mut changed = bytes.clone();
        changed[1000] ^= 1;
        assert!(matches!(Checkpoint::from_bytes(&changed), Err(CheckpointError::Damaged)));
        changed[8] = 9;
        assert!(matches!(Checkpoint::from_bytes(&changed), Err(CheckpointError::Version(9))));
        // Sizes that do not fit the rest, under a right checksum.
        for hidden in [0, 31, 64, u64::MAX] {
            let mut changed = bytes[..bytes.len() - 4].to_vec();
            changed[12..20].copy_from_slice(&hidden.to_le_bytes());
            changed.extend(crc32fast::hash(&changed).to_le_bytes());
            assert!(matches!(Checkpoint::from_bytes(&changed), Err(CheckpointError::Damaged)), "{hidden}");
        }
    }

    #[test]
    fn only_the_same_training_goes_on() {
        let checkpoint = Checkpoint::new(&trained(1), 5, &history());
        let settings = settings(32, 8);
        assert!(checkpoint.clone().resume(settings, 5, 2).is_ok());
        let other_scale = Settings { scale: 300, ..settings };
        let error = checkpoint.clone().resume(other_scale, 5, 1).unwrap_err();
        assert_eq!(error.to_string(), "the training was begun with --scale 400, not 300");
        for settings in [settings, other_scale] {
            let error = checkpoint.clone().resume(settings, 6, 1).unwrap_err();
            assert!(matches!(error, CheckpointError::OtherData));
        }
    }
}
