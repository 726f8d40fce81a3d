//! Tells the compiler which network becomes part of the program: `src/nnue/default.nnue`, or the file that
//! `QUILLON_EVALFILE` names (`make EVALFILE=...`). A file that is no network ends the build.
//!
//! What is checked here is what a wrong, damaged or outdated file gets wrong: mark, version, length and checksum. The
//! program checks everything when it loads the network.

use std::path::{Path, PathBuf};
use std::{env, fs};

const VARIABLE: &str = "QUILLON_EVALFILE";
const HEADER_BYTES: usize = 28;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    let chosen = env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let path = chosen.map_or_else(|| PathBuf::from("src/nnue/default.nnue"), PathBuf::from);
    if let Err(reason) = embed(&path) {
        println!("cargo::error=the network {}: {reason}", path.display());
    }
}

fn embed(path: &Path) -> Result<(), String> {
    // Relative to the package, in which Cargo runs this.
    let path = fs::canonicalize(path).map_err(|error| error.to_string())?;
    check(&fs::read(&path).map_err(|error| error.to_string())?)?;
    let text = path.to_str().ok_or("the path is not UTF-8")?;
    println!("cargo:rerun-if-changed={text}");
    println!("cargo:rustc-env=QUILLON_NETWORK={text}");
    Ok(())
}

/// Whether these bytes begin and end like a network; the layout is that of `src/nnue/file.rs`.
fn check(bytes: &[u8]) -> Result<(), String> {
    if !bytes.starts_with(b"QuilNNUE") {
        return Err(
            "this is not a Quillon network ('quillon data import-net' makes one of a file by bullet)".into(),
        );
    }
    if bytes.len() < HEADER_BYTES {
        return Err(format!("truncated, {} bytes", bytes.len()));
    }
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    if version != 1 {
        return Err(format!("file version {version}, this program reads version 1"));
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..24]);
    hasher.update(&bytes[HEADER_BYTES..]);
    if hasher.finalize().to_le_bytes() != bytes[24..HEADER_BYTES] {
        return Err("corrupt or cut short, the checksum does not match".into());
    }
    Ok(())
}
