//! Endgame tables for tests. Those of three pieces stand in `tests/data/syzygy`. Tests that need four pieces are ignored, and
//! read the folder that the environment variable `QUILLON_SYZYGY` names.

// Each user needs a part of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quillon::tablebase::Tablebases;

/// The folder with the tables of three pieces.
pub fn three_pieces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
}

/// A folder with all tables of three and four pieces.
pub fn four_pieces() -> PathBuf {
    let folder = std::env::var_os("QUILLON_SYZYGY").expect("QUILLON_SYZYGY names a folder of endgame tables");
    PathBuf::from(folder).canonicalize().unwrap_or_else(|error| panic!("QUILLON_SYZYGY: {error}"))
}

/// The tables of a folder, all of them sound.
pub fn open(folder: &Path) -> Arc<Tablebases> {
    let opened = Tablebases::open(&folder.display().to_string());
    assert!(opened.faults.is_empty(), "{:?}", opened.faults);
    opened.tables.expect("the folder holds tables")
}
