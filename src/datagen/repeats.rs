//! Finding what occurs again among more than memory holds: fingerprints are sorted in runs that fit, which are kept in
//! temporary files and then merged (Knuth, "The Art of Computer Programming" 3, 5.4: "External sorting").

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A fingerprint, and its place among all that were added.
type Entry = (u64, u64);
const ENTRY_BYTES: usize = 16;

/// Entries of a run, of 16 bytes each: 64 MiB. The run is sorted in its place, so this is most of the memory needed.
const RUN_ENTRIES: usize = 1 << 22;
/// Bytes of a run that are in memory while runs are merged. A thousand runs are four thousand million fingerprints.
const BUFFER_BYTES: usize = 1 << 16;

/// Fingerprints in the order in which they come.
pub(crate) struct Fingerprints {
    folder: PathBuf,
    run_entries: usize,
    /// The run being filled.
    run: Vec<Entry>,
    /// Sorted runs.
    runs: Vec<File>,
    count: u64,
}

impl Fingerprints {
    /// No fingerprints. Temporary files will be in this folder, 16 bytes for each fingerprint beyond the first four
    /// million; nothing is left of them.
    pub(crate) fn new(folder: &Path) -> Fingerprints {
        Fingerprints::with_runs(folder, RUN_ENTRIES)
    }

    fn with_runs(folder: &Path, run_entries: usize) -> Fingerprints {
        Fingerprints { folder: folder.to_owned(), run_entries, run: Vec::new(), runs: Vec::new(), count: 0 }
    }

    /// Adds the next one.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(crate) fn add(&mut self, fingerprint: u64) -> io::Result<()> {
        self.run.push((fingerprint, self.count));
        self.count += 1;
        if self.run.len() < self.run_entries {
            return Ok(());
        }
        self.run.sort_unstable();
        let file = tempfile::tempfile_in(&self.folder)?;
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
        for (fingerprint, place) in self.run.drain(..) {
            out.write_all(&fingerprint.to_le_bytes())?;
            out.write_all(&place.to_le_bytes())?;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        Ok(())
    }

    /// The places of all that were there before.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub(crate) fn repeats(self) -> io::Result<Repeats> {
        let mut last = self.run;
        last.sort_unstable();
        let mut files: Vec<_> =
            self.runs.into_iter().map(|file| BufReader::with_capacity(BUFFER_BYTES, file)).collect();
        let mut last = last.into_iter();
        let mut next = |run: usize| match files.get_mut(run) {
            Some(file) => read(file),
            None => Ok(last.next()),
        };
        let mut heads = BinaryHeap::new();
        for run in 0..=(self.count as usize / self.run_entries) {
            heads.extend(next(run)?.map(|entry| Reverse((entry, run))));
        }
        let (mut repeats, mut previous) = (Repeats::default(), None);
        while let Some(Reverse(((fingerprint, place), run))) = heads.pop() {
            if previous == Some(fingerprint) {
                repeats.insert(place);
            }
            previous = Some(fingerprint);
            heads.extend(next(run)?.map(|entry| Reverse((entry, run))));
        }
        Ok(repeats)
    }
}

/// The next entry of a run; `None` at its end.
fn read(file: &mut impl Read) -> io::Result<Option<Entry>> {
    let mut bytes = [0; ENTRY_BYTES];
    match file.read_exact(&mut bytes) {
        Ok(()) => {
            let number = u128::from_le_bytes(bytes);
            Ok(Some((number as u64, (number >> 64) as u64)))
        }
        // Runs consist of whole entries.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// A set of places, a bit for each.
#[derive(Debug, Default)]
pub(crate) struct Repeats(Vec<u64>);

impl Repeats {
    fn insert(&mut self, place: u64) {
        let word = (place / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (place % 64);
    }

    /// Whether what was added at this place was there before.
    pub(crate) fn contains(&self, place: u64) -> bool {
        self.0.get((place / 64) as usize).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::types::SplitMix64;

    #[test]
    fn what_was_there_before_is_found_whatever_the_length_of_runs() {
        let mut random = SplitMix64::from_state(11);
        for count in [0, 1, 999, 1000, 1001, 20_000] {
            let numbers: Vec<u64> = (0..count).map(|_| random.below(count / 2 + 1) as u64).collect();
            let mut seen = HashSet::new();
            let expected: Vec<bool> = numbers.iter().map(|number| !seen.insert(*number)).collect();
            for run_entries in [1, 7, 1000, RUN_ENTRIES] {
                // A file for each run: there may not be too many.
                if count / run_entries > 200 {
                    continue;
                }
                let mut prints = Fingerprints::with_runs(&std::env::temp_dir(), run_entries);
                numbers.iter().for_each(|&number| prints.add(number).unwrap());
                let repeats = prints.repeats().unwrap();
                let found: Vec<bool> = (0..count as u64).map(|place| repeats.contains(place)).collect();
                assert!(found == expected, "{count} in runs of {run_entries}");
                assert!(!repeats.contains(count as u64 + 1000));
            }
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error() {
        let mut prints = Fingerprints::with_runs(Path::new("no such folder"), 2);
        prints.add(1).unwrap();
        prints.add(2).unwrap_err();
    }
}
