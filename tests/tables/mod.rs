//! Endgame tables for tests. Those of three men stand in `tests/data/syzygy`. Tests that need four men are ignored, and
//! read the folder that the environment variable `QUILLON_SYZYGY` names.

// Each user needs a part of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quillon::tablebase::Tablebases;

/// The folder with the tables of three men.
pub fn three_men() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
}

/// A folder with all tables of three and four men.
pub fn four_men() -> PathBuf {
    let folder = std::env::var_os("QUILLON_SYZYGY").expect("QUILLON_SYZYGY names a folder of endgame tables");
    PathBuf::from(folder).canonicalize().unwrap_or_else(|error| panic!("QUILLON_SYZYGY: {error}"))
}

/// The tables of a folder, all of them sound.
pub fn open(folder: &Path) -> Arc<Tablebases> {
    let opened = Tablebases::open(&folder.display().to_string());
    assert!(opened.faults.is_empty(), "{:?}", opened.faults);
    opened.tables.expect("the folder holds tables")
}
