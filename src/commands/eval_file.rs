//! The option that several tools have for the evaluation.

use std::path::PathBuf;
use std::sync::Arc;

use crate::nnue::{self, Network};

/// The choice of an evaluation on the command line.
#[derive(clap::Args)]
pub struct EvalFile {
    /// Evaluate with the network of this file instead of the built-in one
    #[arg(long = "eval-file", value_name = "NET")]
    path: Option<PathBuf>,
}

impl EvalFile {
    /// The network chosen.
    ///
    /// # Errors
    /// When the file cannot be used, as a message for people.
    pub fn network(&self) -> Result<Arc<Network>, String> {
        let Some(path) = &self.path else { return Ok(nnue::built_in()) };
        match Network::load(path) {
            Ok(network) => Ok(Arc::new(network)),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }
}
