//! The options that several tools have for the evaluation.

use std::path::PathBuf;
use std::sync::Arc;

use crate::nnue::{self, Network};

/// The choice of an evaluation on the command line.
#[derive(clap::Args)]
pub struct EvalFile {
    /// Evaluate with the network of this file instead of the built-in one
    #[arg(long = "eval-file", value_name = "NET")]
    path: Option<PathBuf>,
    /// Evaluate by 'material', with a little noise: where training from nothing begins
    #[arg(long = "eval", value_name = "NAME", conflicts_with = "path")]
    name: Option<Named>,
}

/// An evaluation that is part of the program besides the built-in network.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Named {
    Material,
}

impl EvalFile {
    /// The network chosen.
    ///
    /// # Errors
    /// When the file cannot be used, as a message for people.
    pub fn network(&self) -> Result<Arc<Network>, String> {
        match (&self.path, self.name) {
            (Some(path), _) => match Network::load(path) {
                Ok(network) => Ok(Arc::new(network)),
                Err(error) => Err(format!("{}: {error}", path.display())),
            },
            (None, Some(Named::Material)) => Ok(nnue::material()),
            (None, None) => Ok(nnue::built_in()),
        }
    }
}
