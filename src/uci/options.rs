//! The engine's options: what `uci` lists and `setoption` changes.

use std::fmt;
use std::path::PathBuf;

use super::nearest::{nearest, suggestion};
use crate::engine::{DEFAULT_HASH_MIB, MAX_HASH_MIB, MAX_THREADS};
use crate::types::Depth;

/// Options that search settings are taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Milliseconds kept in reserve for every move.
    pub overhead_ms: u64,
    /// Number of lines to report.
    pub multi_pv: usize,
    /// Castling is written king takes rook.
    pub chess960: bool,
    /// Scores come with the chances to win, draw and lose.
    pub show_wdl: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { overhead_ms: 10, multi_pv: 1, chess960: false, show_wdl: false }
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
    Ponder,
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
}

/// How UCI writes an empty string.
const EMPTY: &str = "<empty>";

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
    Spin {
        default: i64,
        min: i64,
        max: i64,
        change: fn(i64) -> Change,
    },
    Check {
        default: bool,
        change: fn(bool) -> Change,
    },
    Button(Change),
    /// A string, empty by default.
    Text {
        change: fn(&str) -> Change,
    },
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

/// The file that a value names, if it names one.
fn file(value: &str) -> Option<PathBuf> {
    (!value.is_empty() && value != EMPTY).then(|| PathBuf::from(value))
}

/// Folders that a value names.
fn syzygy_path(value: &str) -> Change {
    Change::SyzygyPath((!value.is_empty() && value != EMPTY).then(|| value.to_owned()))
}

static OPTIONS: [Description; 15] = [
    spin("Hash", DEFAULT_HASH_MIB as i64, 1, MAX_HASH_MIB as i64, |mib| Change::Hash(mib as usize)),
    Description { name: "Clear Hash", kind: Kind::Button(Change::ClearHash) },
    spin("Threads", 1, 1, MAX_THREADS as i64, |threads| Change::Threads(threads as usize)),
    spin("Move Overhead", 10, 0, 5000, |ms| Change::Overhead(ms as u64)),
    spin("MultiPV", 1, 1, 256, |lines| Change::MultiPv(lines as usize)),
    check("Ponder", false, |_| Change::Ponder),
    check("UCI_Chess960", false, Change::Chess960),
    check("UCI_ShowWDL", false, Change::ShowWdl),
    Description { name: "EvalFile", kind: Kind::Text { change: |value| Change::EvalFile(file(value)) } },
    spin("nodestime", 0, 0, 10_000, |nodes| Change::NodesTime(nodes as u64)),
    Description {
        name: "Debug Log File",
        kind: Kind::Text { change: |value| Change::DebugLog(file(value)) },
    },
    Description { name: "SyzygyPath", kind: Kind::Text { change: syzygy_path } },
    spin("SyzygyProbeDepth", 1, 1, 100, |depth| Change::SyzygyProbeDepth(depth as Depth)),
    spin("SyzygyProbeLimit", 7, 0, 7, |men| Change::SyzygyProbeLimit(men as usize)),
    check("Syzygy50MoveRule", true, Change::Syzygy50MoveRule),
];

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            Kind::Spin { default, min, max, .. } => write!(f, "spin default {default} min {min} max {max}"),
            Kind::Check { default, .. } => write!(f, "check default {default}"),
            Kind::Button(_) => write!(f, "button"),
            Kind::Text { .. } => write!(f, "string default {EMPTY}"),
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
        Kind::Text { change } => Ok(change(text)),
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
        for none in [None, Some(""), Some("<empty>")] {
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
