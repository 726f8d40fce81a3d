//! Files for the engine to read.

use std::path::PathBuf;

use quillon::book::book_key;

/// A folder that is removed with this value.
pub struct Folder(pub PathBuf);

impl Folder {
    /// The blanks in its name are there to be kept.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("quillon  {name} {}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("the test may write its folder");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A Polyglot book: for each position (FEN) moves, in its own spelling, with their weights.
pub fn book(positions: &[(&str, &[(&str, u16)])]) -> Vec<u8> {
    let mut entries: Vec<Vec<u8>> = Vec::new();
    for (fen, moves) in positions {
        let key = book_key(&fen.parse().expect("tests give valid FENs")).expect("the position has a key");
        for (text, weight) in *moves {
            let at = |index: usize| u16::from(text.as_bytes()[index]);
            let square = |index: usize| (at(index + 1) - u16::from(b'1')) * 8 + at(index) - u16::from(b'a');
            let promotion = match text.get(4..) {
                Some("n") => 1,
                Some("b") => 2,
                Some("r") => 3,
                Some("q") => 4,
                _ => 0u16,
            };
            let bits = promotion << 12 | square(0) << 6 | square(2);
            let mut entry = key.to_be_bytes().to_vec();
            entry.extend(bits.to_be_bytes());
            entry.extend(weight.to_be_bytes());
            entry.extend([0; 4]);
            entries.push(entry);
        }
    }
    entries.sort_by_key(|entry| entry[..8].to_vec());
    entries.concat()
}
