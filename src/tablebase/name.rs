//! Names of table files: `KQPvKR.rtbw` holds king, queen and pawn against king and rook.

use std::ffi::OsStr;
use std::path::Path;

use crate::types::PieceType;

/// Most pieces in a table.
pub(super) const MAX_PIECES: usize = 7;

/// What a table holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TableKind {
    /// The result: win, draw or loss.
    Wdl,
    /// The distance to the next capture, pawn move or mate.
    Dtz,
}

impl TableKind {
    /// The first four bytes of every file of the kind.
    pub(super) const fn magic(self) -> [u8; 4] {
        match self {
            TableKind::Wdl => [0x71, 0xE8, 0x23, 0x5D],
            TableKind::Dtz => [0xD7, 0x66, 0x0C, 0xA5],
        }
    }
}

/// The pieces of a table, as counts `[side][piece type]`. The side named first comes first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Material([[u8; 6]; 2]);

impl Material {
    pub(super) const EMPTY: Material = Material([[0; 6]; 2]);

    /// Reads `KQPvKR`.
    fn parse(stem: &str) -> Option<Material> {
        let (first, second) = stem.split_once('v')?;
        let mut material = Material::EMPTY;
        for (side, letters) in [first, second].into_iter().enumerate() {
            for letter in letters.chars() {
                let kind = PieceType::from_letter(letter).filter(|_| letter.is_ascii_uppercase())?;
                material.add(side, kind);
            }
        }
        let kings = [0, 1].map(|side| material.count(side, PieceType::King));
        (kings == [1, 1] && (3..=MAX_PIECES).contains(&material.piece_count())).then_some(material)
    }

    pub(super) fn add(&mut self, side: usize, kind: PieceType) {
        // Saturation keeps nonsense from becoming something else.
        let count = &mut self.0[side][kind.index()];
        *count = count.saturating_add(1);
    }

    pub(super) fn count(&self, side: usize, kind: PieceType) -> usize {
        usize::from(self.0[side][kind.index()])
    }

    pub(super) fn piece_count(&self) -> usize {
        self.0.as_flattened().iter().map(|&count| usize::from(count)).sum()
    }

    pub(super) fn swapped(self) -> Material {
        Material([self.0[1], self.0[0]])
    }

    /// The same for `KQvKR` and `KRvKQ`, which are one table.
    pub(super) fn normalised(self) -> Material {
        if self.0[0] < self.0[1] { self.swapped() } else { self }
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.0[0] == self.0[1]
    }

    pub(super) fn has_pawns(&self) -> bool {
        (0..2).any(|side| self.count(side, PieceType::Pawn) > 0)
    }

    pub(super) fn both_have_pawns(&self) -> bool {
        (0..2).all(|side| self.count(side, PieceType::Pawn) > 0)
    }

    /// Number of piece types of a side that stand alone. The kings always do, so it is at least 2.
    pub(super) fn singles(&self) -> usize {
        self.0.as_flattened().iter().filter(|&&count| count == 1).count()
    }
}

/// What a file holds by its name; `None` for files that are no tables.
pub(super) fn parse(path: &Path) -> Option<(TableKind, Material)> {
    let kind = match path.extension().and_then(OsStr::to_str)? {
        "rtbw" => TableKind::Wdl,
        "rtbz" => TableKind::Dtz,
        _ => return None,
    };
    Some((kind, Material::parse(path.file_stem().and_then(OsStr::to_str)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_pieces() {
        let (kind, material) = parse(Path::new("/somewhere/KQPvKR.rtbw")).unwrap();
        assert_eq!(kind, TableKind::Wdl);
        assert_eq!(material.piece_count(), 5);
        assert_eq!((material.count(0, PieceType::Pawn), material.count(1, PieceType::Rook)), (1, 1));
        assert!(material.has_pawns() && !material.both_have_pawns() && !material.is_symmetric());
        assert_eq!(material.singles(), 5);
        assert_eq!(material.swapped().normalised(), material.normalised());
        assert_eq!(parse(Path::new("KRvKR.rtbz")).map(|(kind, m)| (kind, m.is_symmetric())), {
            Some((TableKind::Dtz, true))
        });
    }

    #[test]
    fn other_names_are_no_tables() {
        for name in [
            "KQvK",
            "KQvK.txt",
            "KQK.rtbw",
            "kqvk.rtbw",
            "KvK.rtbw",
            "QvK.rtbw",
            "KKvK.rtbw",
            "KQvQ.rtbw",
            "KXvK.rtbw",
            "KPPPPPPvK.rtbw",
            "KQvKvK.rtbw",
            "v.rtbw",
            ".rtbw",
            "",
        ] {
            assert_eq!(parse(Path::new(name)), None, "{name}");
        }
    }
}
