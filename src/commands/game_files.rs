//! Reading files of games and making new ones, as the tasks of `quillon data` do it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::ProgressBar;
use tempfile::NamedTempFile;

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
    let unfinished = begin(out)?;
    let mut writer = DataWriter::create(unfinished.path(), header).map_err(|error| about(out, error))?;
    let value = write(&mut writer)?;
    let bytes = writer.finish().map_err(|error| about(out, error))?;
    give_name(unfinished, out)?;
    Ok((value, bytes))
}

/// What is said of a file that is there although it is to be made.
const EXISTS: &str = "the file exists already";

/// An error when there is a file of this name.
pub(super) fn check_absent(out: &Path) -> Result<(), String> {
    if out.exists() { Err(about(out, EXISTS)) } else { Ok(()) }
}

/// A message about a new file that cannot be made.
fn cannot_make(out: &Path, error: &io::Error) -> String {
    if error.kind() == ErrorKind::AlreadyExists { about(out, EXISTS) } else { about(out, error) }
}

/// Makes a new file. One that is there already is left alone.
pub(super) fn create_new(out: &Path) -> Result<File, String> {
    File::create_new(out).map_err(|error| cannot_make(out, &error))
}

/// Begins a new file beside `out`, under a name that no other file has: `out`, some letters and `.part`. It is removed
/// unless [`give_name`] gives it the name `out`.
pub(super) fn begin(out: &Path) -> Result<NamedTempFile, String> {
    check_absent(out)?;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = out.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    // As for other new files; by default nobody else may read it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|error| about(out, error))
}

/// Gives a finished file its name, unless another process has made a file of that name in the meantime.
pub(super) fn give_name(finished: NamedTempFile, out: &Path) -> Result<(), String> {
    finished.persist_noclobber(out).map(drop).map_err(|fault| cannot_make(out, &fault.error))
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

    /// How many files there are in a folder.
    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_that_another_process_writes_is_left_alone() {
        let (folder, out) = folder("other");
        let part = out.with_added_extension("part");
        let mut other = DataWriter::create(&part, &sample::header()).unwrap();
        write_ten(&mut other).unwrap();
        fill(&out, &sample::header(), |writer| {
            // Two at the same time do not meet either.
            let again = fill(&out, &sample::header(), write_ten);
            again.and_then(|_| write_ten(writer))
        })
        .unwrap_err();
        other.finish().unwrap();
        for file in [&out, &part] {
            assert_eq!(DataReader::open(file).unwrap().count(), 10, "{}", file.display());
        }
        assert_eq!(count(&folder), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_not_finished_leaves_nothing() {
        let (folder, out) = folder("nothing");
        let error = fill(&out, &sample::header(), |writer| {
            write_ten(writer)?;
            Err::<(), _>("no more".to_owned())
        });
        assert_eq!((error.unwrap_err().as_str(), count(&folder)), ("no more", 0));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn new_files_are_as_readable_as_others() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, out) = folder("readable");
        let plain = folder.join("plain");
        fs::write(&plain, "").unwrap();
        fill(&out, &sample::header(), write_ten).unwrap();
        let [new, other] = [&out, &plain].map(|file| fs::metadata(file).unwrap().permissions().mode());
        assert_eq!(new, other);
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
        assert_eq!(count(&folder), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
