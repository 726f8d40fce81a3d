//! Reading files of games and making new ones, as the tasks of `quillon data` do it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::ProgressBar;

use super::about;
use crate::console::{Output, progress};
use crate::datagen::{DataError, DataHeader, DataReader, DataWriter, GameRecord, WholeFile, read_games};
use crate::engine::NAME;

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
    each_game_of(files, Some(output), |_, game| f(game))
}

/// The same with the number of each game's file. Without an output nothing is remarked.
pub(super) fn each_game_of(
    files: &[PathBuf],
    output: Option<&Output>,
    mut f: impl FnMut(usize, &GameRecord) -> Result<(), DataError>,
) -> Result<Vec<WholeFile>, String> {
    let bar = bytes_bar(files);
    let mut read = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let whole = read_games(file, &bar, |game| f(number, game)).map_err(|error| about(file, error))?;
        if let (Some(remark), Some(output)) = (&whole.remark, output) {
            bar.suspend(|| output.line(&about(file, remark)));
        }
        read.push(whole);
    }
    bar.finish_and_clear();
    Ok(read)
}

/// Success, or what is to be said of a new file that lacks games because files that were read lack their ends.
pub(super) fn complain_of_torn(out: &Path, read: &[WholeFile]) -> Result<ExitCode, String> {
    let torn = read.iter().filter(|file| file.remark.is_some()).count();
    if torn == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let of = read.len();
    Err(about(out, format!("lacks games, since files are cut short: {torn} of {of}, see above")))
}

/// The combined headers of the files, without repetition. The new header has no seed, so self-play never adds games to
/// the new file.
pub(super) fn common_header(files: &[PathBuf], verb: &str) -> Result<DataHeader, String> {
    let mut evaluations: Vec<String> = Vec::new();
    let mut commands: Vec<String> = Vec::new();
    for file in files {
        let reader = DataReader::open(file).map_err(|error| about(file, error))?;
        let header = reader.header();
        for (list, text) in [(&mut evaluations, &header.evaluation), (&mut commands, &header.command)] {
            if !list.contains(text) {
                list.push(text.clone());
            }
        }
    }
    Ok(DataHeader {
        engine: NAME.to_owned(),
        evaluation: evaluations.join(" + "),
        command: format!("quillon data {verb} of {}", commands.join(" + ")),
        seed: None,
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::sample;

    /// A folder, and the path of a file to be made.
    fn folder(name: &str) -> (PathBuf, PathBuf) {
        let folder = std::env::temp_dir().join(format!("quillon-files-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let out = folder.join("b.games");
        (folder, out)
    }

    fn write_ten(writer: &mut DataWriter) -> Result<(), String> {
        sample::games(10, 1).iter().for_each(|game| writer.write(game).unwrap());
        Ok(())
    }

    #[test]
    fn a_file_that_another_process_writes_is_left_alone() {
        let (folder, out) = folder("other");
        let unfinished = out.with_added_extension("part");
        let other = DataWriter::create(&unfinished, &sample::header()).unwrap();
        let error = fill(&out, &sample::header(), write_ten).unwrap_err();
        assert!(error.contains("another program writes to it"), "{error}");
        assert!(unfinished.exists() && !out.exists());
        other.finish().unwrap();
        // An unfinished file of a killed process is replaced.
        fill(&out, &sample::header(), write_ten).unwrap();
        assert_eq!(DataReader::open(&out).unwrap().count(), 10);
        assert!(!unfinished.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_made_meanwhile_is_not_replaced() {
        let (folder, out) = folder("meanwhile");
        let make_other = |writer: &mut DataWriter| {
            fs::write(&out, "other").unwrap();
            write_ten(writer)
        };
        let error = fill(&out, &sample::header(), make_other).unwrap_err();
        assert!(error.contains("the file exists already"), "{error}");
        assert_eq!(fs::read(&out).unwrap(), b"other");
        assert!(!out.with_added_extension("part").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
