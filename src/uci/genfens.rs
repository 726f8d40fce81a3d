//! The command `genfens`, by which OpenBench asks an engine for the openings of a datagen workload:
//! `genfens N seed S book None|FILE [plies P]`. Each answer is a line `info string genfens FEN`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::Position;
use crate::nnue::Network;

/// The arguments of `genfens`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Genfens {
    /// How many openings.
    pub count: u64,
    /// The same seed gives the same openings.
    pub seed: u64,
    /// A file with a FEN or EPD in each line to begin with; `None` for the initial position.
    pub book: Option<PathBuf>,
    /// Random plies from there; `None` for as many as self-play makes.
    pub plies: Option<u32>,
}

/// Makes openings with this network and hands each to the function until it returns false or the flag is set. The
/// error is a message for people. Layers above this one know how.
pub type OpeningSource =
    fn(&Genfens, &Arc<Network>, &AtomicBool, &mut dyn FnMut(&Position) -> bool) -> Result<(), String>;

/// Why the arguments of `genfens` are of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenfensError {
    /// The number of openings is missing.
    #[error("'genfens' needs a number of openings: genfens N seed S book None|FILE [plies P]")]
    Count,
    /// A word has no value, or one of the wrong kind.
    #[error("'{0}' of 'genfens' needs {1} after it")]
    Value(&'static str, &'static str),
    /// A word is not known.
    #[error("'{0}' of 'genfens' is not understood; it takes seed S, book None|FILE and plies P")]
    Word(String),
}

/// Most random plies, as in self-play.
const MAX_PLIES: u32 = 60;

/// Reads the arguments. Without a seed it is 1, without a book there is none.
pub(super) fn parse(tokens: &[&str]) -> Result<Genfens, GenfensError> {
    let (count, mut rest) = tokens.split_first().ok_or(GenfensError::Count)?;
    let count = count.parse().map_err(|_| GenfensError::Count)?;
    let mut genfens = Genfens { count, seed: 1, book: None, plies: None };
    while let Some((&word, tail)) = rest.split_first() {
        let value = tail.first().copied().unwrap_or_default();
        match word {
            "seed" => genfens.seed = value.parse().map_err(|_| GenfensError::Value("seed", "a number"))?,
            "book" if value.is_empty() => {
                return Err(GenfensError::Value("book", "None or the name of a file"));
            }
            "book" => genfens.book = (!value.eq_ignore_ascii_case("none")).then(|| value.into()),
            "plies" => {
                let plies = value.parse().ok().filter(|plies| *plies <= MAX_PLIES);
                genfens.plies = Some(plies.ok_or(GenfensError::Value("plies", "a number from 0 to 60"))?);
            }
            _ => return Err(GenfensError::Word(word.chars().take(40).collect())),
        }
        rest = tail.get(1..).unwrap_or_default();
    }
    Ok(genfens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Genfens, GenfensError> {
        parse(&text.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn the_words_of_openbench_are_understood() {
        let plain = Genfens { count: 1000, seed: 42, book: None, plies: None };
        assert_eq!(read("1000 seed 42 book None "), Ok(plain.clone()));
        assert_eq!(read("1000 seed 42"), Ok(plain.clone()));
        let book = Genfens { book: Some("Books/a.epd".into()), plies: Some(3), ..plain };
        assert_eq!(read("1000 seed 42 book Books/a.epd plies 3"), Ok(book));
        assert_eq!(read("5"), Ok(Genfens { count: 5, seed: 1, book: None, plies: None }));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, message) in [
            ("", "needs a number of openings"),
            ("ten seed 1", "needs a number of openings"),
            ("10 seed x", "'seed' of 'genfens' needs a number after it"),
            ("10 seed", "'seed' of 'genfens' needs a number after it"),
            ("10 seed 1 book", "'book' of 'genfens' needs None or the name of a file"),
            ("10 plies 61", "needs a number from 0 to 60"),
            ("10 seed 1 book None dfrc", "'dfrc' of 'genfens' is not understood"),
        ] {
            let error = read(text).expect_err("it is wrong").to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
