//! `quillon data dedup`: each game once, of files that may be larger than memory. They are read twice: to find the games
//! that were there before, and to copy the others.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::about;
use super::game_files::{check_absent, common_header, complain_of_torn, each_game_of, fill};
use crate::console::Output;
use crate::datagen::{DataError, DataWriter, Fingerprints, GameRecord, Repeats, Tally};

/// Writes the first of the games with the same start and moves into a new file. When a file lacks its end, the new file
/// holds all games that could be read, but the result is an error. On other errors there is no new file.
pub(super) fn run(files: &[PathBuf], out: &Path, output: &Output) -> Result<ExitCode, String> {
    check_absent(out)?;
    let header = common_header(files, "dedup")?;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (mut prints, mut counts) = (Fingerprints::new(folder), vec![0; files.len()]);
    let read = each_game_of(files, Some(output), |file, game| {
        counts[file] += 1;
        prints.add(fingerprint(game)).map_err(DataError::Temporary)
    })?;
    let repeats = prints.repeats().map_err(|error| about(out, DataError::Temporary(error)))?;
    let ((tally, dropped), bytes) =
        fill(out, &header, |writer| copy_others(files, &counts, &repeats, writer))?;
    let Tally { games, kept, .. } = tally;
    let text = format!("{games} games, {kept} positions, {bytes} bytes, {dropped} duplicates left out");
    output.line(&about(out, text));
    complain_of_torn(out, &read)
}

/// Copies the games that are no repeats, of each file so many as were there when the repeats were found: self-play may
/// add games meanwhile. Gives the counts of those copied, and how many were repeats.
fn copy_others(
    files: &[PathBuf],
    counts: &[u64],
    repeats: &Repeats,
    writer: &mut DataWriter,
) -> Result<(Tally, u64), String> {
    let (mut tally, mut dropped) = (Tally::default(), 0);
    let mut copied = vec![0; files.len()];
    each_game_of(files, None, |file, game| {
        if copied[file] == counts[file] {
            return Ok(());
        }
        let place = counts[..file].iter().sum::<u64>() + copied[file];
        copied[file] += 1;
        if repeats.contains(place) {
            dropped += 1;
            return Ok(());
        }
        tally.add(game);
        writer.write(game)
    })?;
    match files.iter().zip(counts).zip(copied).find(|((_, count), copied)| **count != *copied) {
        Some(((file, _), _)) => Err(about(file, "the file was changed while it was read")),
        None => Ok((tally, dropped)),
    }
}

/// Start and moves of a game as one number. Of a hundred million games two share it by chance with a probability of one
/// in four thousand.
fn fingerprint(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.start.to_shredder_fen().hash(&mut hasher);
    game.opening.hash(&mut hasher);
    game.moves.iter().for_each(|scored| scored.mv.hash(&mut hasher));
    game.plies().hash(&mut hasher);
    hasher.finish()
}
