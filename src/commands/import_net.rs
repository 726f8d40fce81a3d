//! `quillon data import-net`: a net file of a network that bullet has trained.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::about;
use super::game_files::check_absent;
use crate::console::Output;
use crate::nnue::{BulletChoice, Network, SCALES};

/// Arguments of `quillon data import-net`.
#[derive(clap::Args)]
pub struct ImportNetArguments {
    /// The file 'quantised.bin' of a checkpoint of bullet's
    file: PathBuf,
    /// The new file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The 'eval_scale' of its training
    #[arg(long, value_name = "UNITS", default_value_t = 400, value_parser = parse_scale)]
    scale: i32,
    /// A name for the net, shown at its start; by default that of the new file
    #[arg(long)]
    name: Option<String>,
    /// Hidden neurons a side; by default the length of the file tells this and the next three
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// King buckets, 1 or 4
    #[arg(long, value_name = "N")]
    king_buckets: Option<usize>,
    /// Output buckets, 1 or 8
    #[arg(long, value_name = "N")]
    buckets: Option<usize>,
    /// The net has two small layers in front of the output
    #[arg(long)]
    layers: bool,
}

fn parse_scale(text: &str) -> Result<i32, String> {
    let scale = text.parse().ok().filter(|scale| SCALES.contains(scale));
    scale.ok_or(format!("a scale is a number from {} to {}", SCALES.start(), SCALES.end()))
}

/// Longer files are no networks of this program's.
const MAX_BYTES: u64 = 1 << 24;

/// Makes the net file.
pub(super) fn run(arguments: &ImportNetArguments, output: &Output) -> Result<ExitCode, String> {
    let ImportNetArguments { file, out, scale, name, hidden, king_buckets, buckets, layers } = arguments;
    check_absent(out)?;
    let bytes = read(file).map_err(|error| about(file, error))?;
    let choice = BulletChoice {
        hidden: *hidden,
        king_buckets: *king_buckets,
        buckets: *buckets,
        layered: layers.then_some(true),
    };
    let stem = || out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.clone().unwrap_or_else(stem);
    let network = Network::from_bullet(&bytes, choice, *scale, &name).map_err(|error| about(file, error))?;
    let bytes = network.save_new(out).map_err(|error| about(out, error))?;
    let text = format!("{name} {}, scale {scale}, {bytes} bytes", network.architecture());
    output.line(&about(out, text));
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
