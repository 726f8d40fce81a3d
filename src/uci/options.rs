//! The engine's options: what `uci` lists and `setoption` changes.

use std::fmt;
use std::path::PathBuf;

use super::command::{nearest, suggestion};
use crate::engine::{
    DEFAULT_BOOK_DEPTH, DEFAULT_HASH_MIB, Level, MAX_ELO, MAX_HASH_MIB, MAX_SKILL, MAX_THREADS, MIN_ELO,
};
use crate::types::{CastlingMode, Depth};

/// Options that search settings are taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Milliseconds kept in reserve for every move.
    pub overhead_ms: u64,
    /// Number of lines to report.
    pub multi_pv: usize,
    /// Castling follows the rules of Chess960 and is written king takes rook.
    pub chess960: bool,
    /// Scores come with the chances to win, draw and lose.
    pub show_wdl: bool,
    /// Opening moves come from the book.
    pub own_book: bool,
    /// The client analyses and does not play.
    pub analyse_mode: bool,
    /// Plays at the level of `elo`.
    pub limit_strength: bool,
    /// Elo number of the level.
    pub elo: u32,
    /// Level from 0 to [`MAX_SKILL`], which is full strength; `limit_strength` goes before it.
    pub skill: u32,
}

/// The Elo number of the level at first.
const DEFAULT_ELO: u32 = 1500;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            overhead_ms: 10,
            multi_pv: 1,
            chess960: false,
            show_wdl: false,
            own_book: false,
            analyse_mode: false,
            limit_strength: false,
            elo: DEFAULT_ELO,
            skill: MAX_SKILL,
        }
    }
}

impl Settings {
    /// The rules of castling that positions are read by.
    pub fn castling_mode(&self) -> CastlingMode {
        if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
    }

    /// The level of play, below full strength.
    pub fn level(&self) -> Option<Level> {
        if self.limit_strength { Some(Level::new(self.elo)) } else { Level::of_skill(self.skill) }
    }
}

/// A change that `setoption` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Change {
    Hash(usize),
    ClearHash,
    Threads(usize),
    Overhead(u64),
    MultiPv(usize),
    Chess960(bool),
    ShowWdl(bool),
    /// The network file to evaluate with; `None` for the built-in evaluation.
    EvalFile(Option<PathBuf>),
    /// Nodes that count as a millisecond; 0 for real milliseconds.
    NodesTime(u64),
    /// The file that all lines are logged to; `None` for none.
    DebugLog(Option<PathBuf>),
    /// The folders with endgame tables; `None` for no tables.
    SyzygyPath(Option<String>),
    SyzygyProbeDepth(Depth),
    SyzygyProbeLimit(usize),
    Syzygy50MoveRule(bool),
    OwnBook(bool),
    /// The book to play from; `None` for none.
    BookFile(Option<PathBuf>),
    BookDepth(u16),
    BestBookMove(bool),
    AnalyseMode(bool),
    LimitStrength(bool),
    Elo(u32),
    Skill(u32),
    /// The option tells the client something or is told what the engine need not know.
    Nothing,
}

/// What `UCI_EngineAbout` says.
const ABOUT: &str = concat!(
    "Quillon ",
    env!("CARGO_PKG_VERSION"),
    " by the Quillon authors, free software under the GNU General Public License, version 3 or later",
);

/// How UCI writes an empty string.
const EMPTY: &str = "<empty>";
/// In place of the path of a network: the one that counts material.
pub(super) const MATERIAL: &str = "<material>";

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum OptionError {
    #[error("no option is named '{name}'{}; 'uci' lists all", suggestion(.nearest))]
    Unknown { name: String, nearest: Option<&'static str> },
    #[error("option {name} needs a whole number from {min} to {max}, not '{value}'")]
    Number { name: &'static str, min: i64, max: i64, value: String },
    #[error("option {name} needs true or false, not '{value}'")]
    Check { name: &'static str, value: String },
}

enum Kind {
    Spin { default: i64, min: i64, max: i64, change: fn(i64) -> Change },
    Check { default: bool, change: fn(bool) -> Change },
    Button(Change),
    Text { default: &'static str, change: fn(&str) -> Change },
}

struct Description {
    name: &'static str,
    kind: Kind,
}

const fn spin(
    name: &'static str,
    default: i64,
    min: i64,
    max: i64,
    change: fn(i64) -> Change,
) -> Description {
    Description { name, kind: Kind::Spin { default, min, max, change } }
}

const fn check(name: &'static str, default: bool, change: fn(bool) -> Change) -> Description {
    Description { name, kind: Kind::Check { default, change } }
}

const fn text(name: &'static str, default: &'static str, change: fn(&str) -> Change) -> Description {
    Description { name, kind: Kind::Text { default, change } }
}

/// The file that a value names, if it names one.
fn file(value: &str) -> Option<PathBuf> {
    path(value).map(PathBuf::from)
}

/// A path as people write it: those pasted from a file manager stand in quotation marks.
fn path(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    Some(inner.unwrap_or(value)).filter(|value| !value.is_empty() && *value != EMPTY)
}

/// Folders that a value names.
fn syzygy_path(value: &str) -> Change {
    Change::SyzygyPath(path(value).map(str::to_owned))
}

static OPTIONS: [Description; 25] = [
    spin("Hash", DEFAULT_HASH_MIB as i64, 1, MAX_HASH_MIB as i64, |mib| Change::Hash(mib as usize)),
    Description { name: "Clear Hash", kind: Kind::Button(Change::ClearHash) },
    spin("Threads", 1, 1, MAX_THREADS as i64, |threads| Change::Threads(threads as usize)),
    spin("Move Overhead", 10, 0, 5000, |ms| Change::Overhead(ms as u64)),
    spin("MultiPV", 1, 1, 256, |lines| Change::MultiPv(lines as usize)),
    check("Ponder", false, |_| Change::Nothing),
    check("UCI_Chess960", false, Change::Chess960),
    check("UCI_ShowWDL", false, Change::ShowWdl),
    text("EvalFile", EMPTY, |path| Change::EvalFile(file(path))),
    text("SyzygyPath", EMPTY, syzygy_path),
    spin("SyzygyProbeDepth", 1, 1, 100, |depth| Change::SyzygyProbeDepth(depth as Depth)),
    spin("SyzygyProbeLimit", 7, 0, 7, |men| Change::SyzygyProbeLimit(men as usize)),
    check("Syzygy50MoveRule", true, Change::Syzygy50MoveRule),
    // `OwnBook` is the specification's; the other three are called as in asmFish, Brainfish and Cfish, whose
    // users are the ones who set up Polyglot books.
    check("OwnBook", false, Change::OwnBook),
    text("BookFile", EMPTY, |path| Change::BookFile(file(path))),
    spin("BookDepth", DEFAULT_BOOK_DEPTH as i64, 1, 255, |moves| Change::BookDepth(moves as u16)),
    check("BestBookMove", false, Change::BestBookMove),
    check("UCI_AnalyseMode", false, Change::AnalyseMode),
    check("UCI_LimitStrength", false, Change::LimitStrength),
    spin("UCI_Elo", DEFAULT_ELO as i64, MIN_ELO as i64, MAX_ELO as i64, |elo| Change::Elo(elo as u32)),
    spin("Skill Level", MAX_SKILL as i64, 0, MAX_SKILL as i64, |skill| Change::Skill(skill as u32)),
    text("UCI_Opponent", EMPTY, |_| Change::Nothing),
    text("UCI_EngineAbout", ABOUT, |_| Change::Nothing),
    spin("nodestime", 0, 0, 10_000, |nodes| Change::NodesTime(nodes as u64)),
    text("Debug Log File", EMPTY, |path| Change::DebugLog(file(path))),
];

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            Kind::Spin { default, min, max, .. } => write!(f, "spin default {default} min {min} max {max}"),
            Kind::Check { default, .. } => write!(f, "check default {default}"),
            Kind::Button(_) => write!(f, "button"),
            Kind::Text { default, .. } => write!(f, "string default {default}"),
        }
    }
}

/// The lines that describe all options.
pub fn describe() -> impl Iterator<Item = String> {
    let options = OPTIONS.iter().map(Description::to_string);
    #[cfg(feature = "tuning")]
    let options = options.chain(crate::search::Params::INFO.iter().map(|info| {
        format!(
            "option name {} type spin default {} min {} max {}",
            info.name, info.default, info.min, info.max
        )
    }));
    options
}

/// Reads a `setoption`. Names are matched without regard to case, as the specification asks.
///
/// # Errors
/// When there is no such option or the value does not fit it. Nothing is changed then.
pub fn parse(name: &str, value: Option<&str>) -> Result<Change, OptionError> {
    let option = OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    let option = option.ok_or_else(|| OptionError::Unknown {
        name: name.chars().take(40).collect(),
        nearest: nearest(name, OPTIONS.iter().map(|option| option.name)),
    })?;
    let text = value.unwrap_or("").trim();
    match &option.kind {
        Kind::Spin { min, max, change, .. } => {
            let number = text.parse().ok().filter(|number| (min..=max).contains(&number));
            number.map(change).ok_or_else(|| OptionError::Number {
                name: option.name,
                min: *min,
                max: *max,
                value: text.to_owned(),
            })
        }
        Kind::Check { change, .. } => match text.to_ascii_lowercase().as_str() {
            "true" => Ok(change(true)),
            "false" => Ok(change(false)),
            _ => Err(OptionError::Check { name: option.name, value: text.to_owned() }),
        },
        Kind::Button(change) => Ok(change.clone()),
        Kind::Text { change, .. } => Ok(change(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        assert_eq!(parse("hash", Some("64")), Ok(Change::Hash(64)));
        assert_eq!(parse("CLEAR HASH", None), Ok(Change::ClearHash));
        assert_eq!(parse("uci_chess960", Some("True")), Ok(Change::Chess960(true)));
        let file = |path: &str| Ok(Change::EvalFile(Some(path.into())));
        assert_eq!(parse("evalfile", Some("nets/my net.nnue")), file("nets/my net.nnue"));
        assert_eq!(parse("evalfile", Some("\"C:\\my nets\\a.nnue\"")), file("C:\\my nets\\a.nnue"));
        assert_eq!(parse("evalfile", Some("\"half")), file("\"half"));
        for none in [None, Some(""), Some("<empty>"), Some("\"\"")] {
            assert_eq!(parse("EvalFile", none), Ok(Change::EvalFile(None)));
        }
        for bad in ["0", "-1", "x", "", "1.5", "99999999999999999999"] {
            assert!(matches!(parse("Hash", Some(bad)), Err(OptionError::Number { .. })), "{bad}");
        }
        assert!(matches!(parse("Ponder", Some("yes")), Err(OptionError::Check { .. })));
        let unknown = |name| parse(name, None).unwrap_err().to_string();
        assert_eq!(unknown("Nonsense"), "no option is named 'Nonsense'; 'uci' lists all");
        let answer = "no option is named 'move overhaed', did you mean 'Move Overhead'?; 'uci' lists all";
        assert_eq!(unknown("move overhaed"), answer);
    }

    #[test]
    fn defaults_lie_within_their_ranges() {
        for option in &OPTIONS {
            if let Kind::Spin { default, min, max, .. } = option.kind {
                assert!((min..=max).contains(&default), "{}", option.name);
            }
        }
        assert_eq!(
            describe().next().as_deref(),
            Some("option name Hash type spin default 16 min 1 max 33554432")
        );
    }
}
