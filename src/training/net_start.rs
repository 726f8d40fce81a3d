//! A net file as the start of a training, where the checkpoint of its own training is gone.

use std::fs;
use std::path::Path;

use super::checkpoint::{Checkpoint, CheckpointError};
use super::shape::{Lanes, Shape};
use crate::nnue::{Network, NetworkParts, QA, QB};

impl Checkpoint {
    /// Reads a checkpoint, or a net file in its place.
    ///
    /// # Errors
    /// When it cannot be read or is neither, or is a net file with king buckets or layers.
    pub fn load_or_net(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let bytes = fs::read(path)?;
        match Checkpoint::from_bytes(&bytes) {
            Err(CheckpointError::NoCheckpoint) => {
                Checkpoint::of_net(&Network::from_bytes(&bytes)?.to_parts())
            }
            checkpoint => checkpoint,
        }
    }

    /// The weights of a net file, as near as its integers are to them.
    ///
    /// # Errors
    /// When it has king buckets: what they share and how they differ cannot be told any more, and networks trained
    /// on without that lost 15 to 50 Elo in Viridithas. Also when it has layers: nobody has needed that yet.
    fn of_net(parts: &NetworkParts) -> Result<Checkpoint, CheckpointError> {
        if parts.king_buckets != 1 || parts.layers.is_some() {
            return Err(CheckpointError::NetOnly);
        }
        let shape = Shape { hidden: parts.hidden, king_buckets: 1, buckets: parts.buckets, layered: false };
        let mut weights = Lanes::zeros(shape.trained_lanes());
        let (feature_unit, output_unit) = (QA as f32, QB as f32);
        for (row, input) in parts.feature_weights.chunks(shape.hidden).zip(0..) {
            for (&weight, neuron) in row.iter().zip(0..) {
                weights[shape.feature_weight(input, neuron)] = f32::from(weight) / feature_unit;
            }
        }
        for (&bias, neuron) in parts.feature_bias.iter().zip(0..) {
            weights[shape.bias(neuron)] = f32::from(bias) / feature_unit;
        }
        for (row, index) in parts.output_weights.chunks(shape.hidden).zip(0..) {
            for (&weight, neuron) in row.iter().zip(0..) {
                weights[shape.output_weight(index / 2, index % 2, neuron)] = f32::from(weight) / output_unit;
            }
        }
        for (&bias, bucket) in parts.output_bias.iter().zip(0..) {
            weights[shape.output_bias(bucket)] = bias as f32 / (feature_unit * output_unit);
        }
        Ok(Checkpoint::with_weights(shape, parts.scale, weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::samples::{material_records, settings};
    use crate::training::{Settings, Trainer};

    fn trained() -> (Settings, NetworkParts) {
        let settings = settings(32, 8);
        let mut trainer = Trainer::new(settings, 1);
        let records = material_records(21, 1000);
        for _ in 0..5 {
            trainer.step(&records);
        }
        (settings, trainer.quantised("five steps"))
    }

    #[test]
    fn a_net_comes_back_as_it_was() {
        let (settings, parts) = trained();
        let checkpoint = Checkpoint::of_net(&parts).unwrap();
        assert_eq!(checkpoint.scale(), parts.scale);
        let trainer = checkpoint.begin(settings, 1).unwrap();
        assert_eq!(trainer.quantised("five steps"), parts);
    }

    #[test]
    fn a_net_of_another_size_or_kind_is_refused() {
        let (settings, parts) = trained();
        let wider = Settings { shape: Shape { hidden: 64, ..settings.shape }, ..settings };
        let error = Checkpoint::of_net(&parts).unwrap().begin(wider, 1).unwrap_err();
        assert!(matches!(error, CheckpointError::Other { name, .. } if name == "--hidden"));
        for parts in
            [NetworkParts::random_with_kings(1, 4, 32, 8), NetworkParts::random_with_layers(1, 1, 128, 8)]
        {
            assert!(matches!(Checkpoint::of_net(&parts), Err(CheckpointError::NetOnly)));
        }
    }

    #[test]
    fn files_of_both_kinds_are_told_apart() {
        let path = std::env::temp_dir().join(format!("quillon-net-start-{}", std::process::id()));
        let (_, parts) = trained();
        let checkpoint = Checkpoint::of_net(&parts).unwrap();
        fs::write(&path, Network::new(parts).unwrap().to_bytes()).unwrap();
        assert_eq!(Checkpoint::load_or_net(&path).unwrap(), checkpoint);
        assert!(matches!(Checkpoint::load(&path), Err(CheckpointError::NoCheckpoint)));
        checkpoint.save(&path).unwrap();
        assert_eq!(Checkpoint::load_or_net(&path).unwrap(), checkpoint);
        fs::write(&path, "neither").unwrap();
        assert!(matches!(Checkpoint::load_or_net(&path), Err(CheckpointError::NoNet(_))));
        fs::remove_file(&path).unwrap();
    }
}
