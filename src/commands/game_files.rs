//! Reading files of games and making new ones, as the tasks of `quillon data` do it.

use std::fs;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

use super::about;
use crate::console::{Output, progress};
use crate::datagen::{DataError, DataHeader, DataWriter, GameRecord, WholeFile, read_games};

/// A progress bar for reading these files.
pub(super) fn bytes_bar(files: &[PathBuf]) -> ProgressBar {
    let sizes = files.iter().filter_map(|file| fs::metadata(file).ok()).map(|data| data.len());
    progress::bar(sizes.sum(), "bytes")
}

/// Calls `f` with every game of all files. A file without its end is read as far as possible, with a remark.
pub(super) fn each_game(
    files: &[PathBuf],
    output: &Output,
    mut f: impl FnMut(&GameRecord) -> Result<(), DataError>,
) -> Result<Vec<WholeFile>, String> {
    let bar = bytes_bar(files);
    let mut read = Vec::new();
    for file in files {
        let whole = read_games(file, &bar, &mut f).map_err(|error| about(file, error))?;
        if let Some(remark) = &whole.remark {
            bar.suspend(|| output.line(&about(file, remark)));
        }
        read.push(whole);
    }
    bar.finish_and_clear();
    Ok(read)
}

/// Makes a new file of games, which gets its name only when it is complete; otherwise nothing is left of it. Gives what
/// `write` gave, and the bytes in the file.
pub(super) fn fill<T>(
    out: &Path,
    header: &DataHeader,
    write: impl FnOnce(&mut DataWriter) -> Result<T, String>,
) -> Result<(T, u64), String> {
    check_absent(out)?;
    // The writer locks it as long as it lives.
    let unfinished = out.with_added_extension("part");
    let mut writer = DataWriter::create(&unfinished, header).map_err(|error| about(&unfinished, error))?;
    let filled = write(&mut writer).and_then(|value| {
        let bytes = writer.complete().map_err(|error| about(&unfinished, error))?;
        // Another process may have created it in the meantime.
        check_absent(out)?;
        fs::rename(&unfinished, out).map_err(|error| about(out, error))?;
        Ok((value, bytes))
    });
    filled.inspect_err(|_| {
        let _ = fs::remove_file(&unfinished);
    })
}

/// An error when there is a file of this name.
pub(super) fn check_absent(out: &Path) -> Result<(), String> {
    if out.exists() { Err(about(out, "the file exists already")) } else { Ok(()) }
}
