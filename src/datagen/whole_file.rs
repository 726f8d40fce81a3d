//! Reading a file of games from one end to the other.

use std::path::Path;

use indicatif::ProgressBar;

use super::error::{BlockFault, DataError};
use super::header::DataHeader;
use super::reader::DataReader;
use super::record::GameRecord;

/// What there is to say of a file besides its games.
#[derive(Debug)]
pub struct WholeFile {
    /// What made the games.
    pub header: DataHeader,
    /// The bytes of header and games.
    pub bytes: u64,
    /// What is wrong with the end of the file when it lies in the middle of a block, as it may while `quillon
    /// datagen` runs and after it was killed.
    pub remark: Option<String>,
}

/// Hands on every game of a file, in order, and moves `bar` on by the bytes they take.
///
/// # Errors
/// When the file cannot be read or is damaged in another way than by missing its end, and when `each` fails.
pub fn read_games<E: From<DataError>>(
    path: &Path,
    bar: &ProgressBar,
    mut each: impl FnMut(&GameRecord) -> Result<(), E>,
) -> Result<WholeFile, E> {
    let mut reader = DataReader::open(path)?;
    let start = bar.position();
    let mut remark = None;
    while let Some(game) = reader.next() {
        match game {
            Ok(game) => each(&game)?,
            Err(error @ DataError::BadBlock { fault: BlockFault::Truncated, .. }) => {
                remark = Some(error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
        bar.set_position(start + reader.sound().bytes);
    }
    Ok(WholeFile { header: reader.header().clone(), bytes: reader.sound().bytes, remark })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::sample;
    use super::super::writer::DataWriter;
    use super::*;

    #[test]
    fn a_missing_end_is_a_remark_and_damage_an_error() {
        let path = std::env::temp_dir().join(format!("quillon-{}-whole-file", std::process::id()));
        let games = sample::games(150, 4);
        let mut writer = DataWriter::create(&path, &sample::header()).unwrap();
        let mut ends = vec![(writer.bytes() as usize, 0)];
        for (index, game) in games.iter().enumerate() {
            writer.write(game).unwrap();
            if writer.bytes() as usize > ends[ends.len() - 1].0 {
                ends.push((writer.bytes() as usize, index + 1));
            }
        }
        ends.push((writer.finish().unwrap() as usize, games.len()));
        assert!(ends.len() >= 4, "three blocks or more");
        let bytes = fs::read(&path).unwrap();
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let (mut found, bar) = (Vec::new(), ProgressBar::hidden());
            let result = read_games(&path, &bar, |game| {
                found.push(game.clone());
                Ok::<(), DataError>(())
            });
            result.map(|whole| {
                assert_eq!(found, games[..found.len()]);
                assert_eq!((&whole.header, bar.position()), (&sample::header(), whole.bytes));
                (found.len(), whole.bytes as usize, whole.remark)
            })
        };
        assert_eq!(read(&bytes).unwrap(), (games.len(), bytes.len(), None));
        let (start, count) = ends[ends.len() - 2];
        assert_eq!(read(&bytes[..start]).unwrap(), (count, start, None));
        for cut in [start + 1, start + 20, bytes.len() - 1] {
            let remark = format!(
                "block {} is cut short; the {count} games in the {start} bytes before it are sound",
                ends.len() - 1
            );
            assert_eq!(read(&bytes[..cut]).unwrap(), (count, start, Some(remark)));
        }
        // A wrong checksum, and a length that reaches beyond the end of the file though blocks follow.
        for (index, flip) in [(bytes.len() - 1, 1), (ends[0].0 + 6, 8)] {
            let mut bad = bytes.clone();
            bad[index] ^= flip;
            assert!(matches!(read(&bad), Err(DataError::BadBlock { .. })));
        }
        fs::remove_file(&path).unwrap();
    }
}
