//! The tables of all folders, opened and asked.
//!
//! Files are read by position instead of being mapped into memory: a mapped file that shrinks or lies on a
//! drive that fails ends the process, a read that fails is an error. Small files are kept in memory once
//! used, which spares the system calls.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, fs, io};

use shakmaty::{
    Bitboard as Squares, Board, ByColor, ByRole, CastlingMode, Chess, Color as Side, FromSetup,
    PositionError, Setup, Square as Field,
};
use shakmaty_syzygy as reader;
use shakmaty_syzygy::SyzygyError;
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};

use super::check::{TableFault, check};
use super::name::{self, TableKind};
use crate::board::Position;
use crate::types::{Color, Depth, PieceType};

/// The result of a position whose halfmove clock stands at zero, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Lost, but the fifty-move rule makes it a draw.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but the fifty-move rule makes it a draw.
    CursedWin,
    /// Won.
    Win,
}

impl Wdl {
    /// The same result for the other side.
    pub fn opposite(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Draw => Wdl::Draw,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Win => Wdl::Loss,
        }
    }

    fn from_reader(wdl: reader::Wdl) -> Wdl {
        match wdl {
            reader::Wdl::Loss => Wdl::Loss,
            reader::Wdl::BlessedLoss => Wdl::BlessedLoss,
            reader::Wdl::Draw => Wdl::Draw,
            reader::Wdl::CursedWin => Wdl::CursedWin,
            reader::Wdl::Win => Wdl::Win,
        }
    }
}

/// Plies to the next capture, pawn move or mate with best play: positive for a win, negative for a loss, 0
/// for a draw. From 101 on the fifty-move rule makes the win a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dtz {
    /// The number of plies, with the sign of the result.
    pub plies: i32,
    /// The table holds full moves only: the true distance may be one ply longer.
    pub is_rounded: bool,
}

/// When the search asks the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbeRules {
    /// Least depth, in plies, of nodes with as many pieces as the limit; with fewer pieces any depth will do.
    pub min_depth: Depth,
    /// Most pieces of a position that is looked up; 0 looks up none.
    pub max_pieces: usize,
    /// Wins that the fifty-move rule forestalls count as draws.
    pub fifty_move_rule: bool,
}

impl ProbeRules {
    /// All tables are asked at any depth.
    pub const DEFAULT: ProbeRules =
        ProbeRules { min_depth: 1, max_pieces: name::MAX_PIECES, fifty_move_rule: true };
}

impl Default for ProbeRules {
    fn default() -> ProbeRules {
        ProbeRules::DEFAULT
    }
}

/// What was wrong with a part of a path. The rest is used.
#[derive(Debug, thiserror::Error)]
pub enum PathFault {
    /// The folder cannot be listed.
    #[error("folder {path} cannot be read: {error}")]
    Folder {
        /// The folder.
        path: String,
        /// The reason.
        error: std::io::Error,
    },
    /// A table file was left out.
    #[error("{path} {fault}")]
    File {
        /// The file.
        path: String,
        /// The reason.
        fault: TableFault,
    },
}

/// What a path has brought.
pub struct Opened {
    /// The tables; `None` where there was not a single one.
    pub tables: Option<Arc<Tablebases>>,
    /// What was left out, and why.
    pub faults: Vec<PathFault>,
}

/// Table files, ready to be asked from several threads.
pub struct Tablebases {
    reader: reader::Tablebase<Chess>,
    most_pieces: usize,
    /// Number of WDL and of DTZ tables.
    counts: [usize; 2],
    trouble: Mutex<Trouble>,
    /// Look-ups that met a damaged table.
    failures: AtomicU32,
}

/// After so many failed look-ups no more are made: each costs more than a search without tables does.
const MAX_FAILURES: u32 = 1000;

/// Faults met while probing.
#[derive(Default)]
struct Trouble {
    /// Tables that were complained about.
    known: HashSet<String>,
    /// Complaints nobody has heard yet.
    news: Vec<String>,
}

impl Tablebases {
    /// Opens the tables in all folders of `paths`, separated by the platform's separator or semicolons. Where
    /// two folders hold the same table the first usable one counts.
    pub fn open(paths: &str) -> Opened {
        let mut faults = Vec::new();
        let mut found = HashMap::new();
        for folder in folders(paths) {
            let mut files = match table_files(&folder) {
                Ok(files) => files,
                Err(error) => {
                    faults.push(PathFault::Folder { path: folder.display().to_string(), error });
                    continue;
                }
            };
            files.sort();
            for path in files {
                let Some((kind, material)) = name::parse(&path) else { continue };
                let place = (kind, material.normalised());
                if found.contains_key(&place) {
                    continue;
                }
                match check(&path, kind, &material) {
                    Ok(()) => drop(found.insert(place, path)),
                    Err(fault) => faults.push(PathFault::File { path: path.display().to_string(), fault }),
                }
            }
        }
        let mut tables = Tablebases {
            reader: reader::Tablebase::with_filesystem(Arc::new(Files::new())),
            most_pieces: 0,
            counts: [0; 2],
            trouble: Mutex::default(),
            failures: AtomicU32::new(0),
        };
        for ((kind, material), path) in found {
            match tables.reader.add_file(&path) {
                Ok(()) => {
                    tables.counts[kind as usize] += 1;
                    if kind == TableKind::Wdl {
                        tables.most_pieces = tables.most_pieces.max(material.piece_count());
                    }
                }
                Err(error) => {
                    let path = path.display().to_string();
                    faults.push(PathFault::File { path, fault: TableFault::Read(error) });
                }
            }
        }
        let tables = (tables.most_pieces > 0).then(|| Arc::new(tables));
        Opened { tables, faults }
    }

    /// Pieces of the largest WDL table.
    pub fn most_pieces(&self) -> usize {
        self.most_pieces
    }

    /// Number of tables of a kind.
    pub fn count(&self, kind: TableKind) -> usize {
        self.counts[kind as usize]
    }

    /// The result of a position under the fifty-move rule, as if its halfmove clock stood at zero. `None` when
    /// a table is missing or damaged, or when castling is still possible.
    pub fn probe_wdl(&self, position: &Position) -> Option<Wdl> {
        let position = self.question(position)?;
        self.heard(self.reader.probe_wdl_after_zeroing(&position)).map(Wdl::from_reader)
    }

    /// The distance to the next capture, pawn move or mate; `None` like [`Tablebases::probe_wdl`].
    pub fn probe_dtz(&self, position: &Position) -> Option<Dtz> {
        let dtz = self.heard(self.reader.probe_dtz(&self.question(position)?))?;
        let is_rounded = dtz.precise().is_none();
        Some(Dtz { plies: dtz.ignore_rounding().0, is_rounded }.sharpened(position))
    }

    /// The position for the reader, if it should be asked at all.
    fn question(&self, position: &Position) -> Option<Chess> {
        if self.failures.load(Relaxed) >= MAX_FAILURES { None } else { to_reader(position) }
    }

    /// Complaints about damaged tables that have come up since the last call.
    pub fn take_complaints(&self) -> Vec<String> {
        std::mem::take(&mut self.trouble.lock().unwrap_or_else(PoisonError::into_inner).news)
    }

    /// The value; a fault is remembered. That a table is missing is none.
    fn heard<T>(&self, result: Result<T, SyzygyError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(SyzygyError::ProbeFailed { metric, material, error }) => {
                let reason = match *error {
                    reader::ProbeError::Read { error } => format!("cannot be read: {error}"),
                    _ => "is damaged".to_owned(),
                };
                self.complain(format!("{metric} table {material}"), &reason);
                None
            }
            Err(_) => None,
        }
    }

    #[cold]
    fn complain(&self, table: String, reason: &str) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if self.failures.fetch_add(1, Relaxed) + 1 == MAX_FAILURES {
            trouble.news.push("too many failures, the tables are not used any more".to_owned());
        }
        if !trouble.known.contains(&table) {
            trouble.news.push(format!("{table} {reason}"));
            trouble.known.insert(table);
        }
    }
}

impl fmt::Display for Tablebases {
    /// How many tables of how many pieces there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wdl, dtz] = self.counts;
        write!(f, "{wdl} WDL and {dtz} DTZ tables of up to {} pieces", self.most_pieces)
    }
}

/// The folders of a path. A colon does not separate on Windows, where it stands in drive names. Quotation marks
/// round the whole or round each folder are left out.
fn folders(paths: &str) -> Vec<PathBuf> {
    let is_separator = |letter: char| letter == ';' || letter == ':' && !cfg!(windows);
    let folders = paths.split(is_separator).map(|path| path.trim().trim_matches('"').trim());
    folders.filter(|path| !path.is_empty()).map(PathBuf::from).collect()
}

/// The files of a folder that are tables by their names.
fn table_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if name::parse(&path).is_some() {
            files.push(path);
        }
    }
    Ok(files)
}

/// The position for the table reader. `None` for those with castling rights, which no table knows.
pub(super) fn to_reader(position: &Position) -> Option<Chess> {
    if !position.castling().is_empty() {
        return None;
    }
    let of_type = |kind| Squares(position.of_type(kind).0);
    let by_role = ByRole {
        pawn: of_type(PieceType::Pawn),
        knight: of_type(PieceType::Knight),
        bishop: of_type(PieceType::Bishop),
        rook: of_type(PieceType::Rook),
        queen: of_type(PieceType::Queen),
        king: of_type(PieceType::King),
    };
    let colored = |color| Squares(position.colored(color).0);
    let by_color = ByColor { white: colored(Color::White), black: colored(Color::Black) };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: Side::from_white(position.stm() == Color::White),
        ep_square: position.en_passant().map(|square| Field::new(square.index() as u32)),
        halfmoves: u32::from(position.halfmove_clock()),
        fullmoves: NonZeroU32::MIN,
        ..Setup::empty()
    };
    // Pieces beyond the first sixteen and checks that no move can have given are no matter to the tables.
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// Files up to this size are kept in memory: all tables of up to four pieces, many of five.
const KEEP_BYTES: u64 = 1 << 20;

/// The reader's access to files.
pub(super) struct Files {
    system: OsFilesystem,
}

impl Files {
    pub(super) fn new() -> Files {
        Files { system: OsFilesystem::new() }
    }
}

impl Filesystem for Files {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.system.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.system.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        if self.regular_file_size(path)? <= KEEP_BYTES {
            return Ok(Box::new(Kept(fs::read(path)?)));
        }
        self.system.open(path)
    }
}

/// A file in memory.
struct Kept(Vec<u8>);

impl RandomAccessFile for Kept {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or(&[]);
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_separated() {
        let texts = |paths: &str| -> Vec<String> {
            folders(paths).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(texts("a;b c ; d"), ["a", "b c", "d"]);
        assert_eq!(texts("\"a\";\"b c\" ; d"), ["a", "b c", "d"]);
        assert_eq!(texts("\"a;b c\""), ["a", "b c"]);
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts(" ;; "), [""; 0]);
        assert_eq!(texts("C:\\x;/y:/z").len(), if cfg!(windows) { 2 } else { 4 });
    }

    #[test]
    fn results_mirror() {
        let all = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];
        for (one, other) in all.into_iter().zip(all.into_iter().rev()) {
            assert_eq!(one.opposite(), other);
        }
        assert!(all.is_sorted());
    }
}
