//! The engine's options in one table: `uci` lists it, `setoption` changes a value, `help` explains a row.
//!
//! The defaults stand here and nowhere else in this module: a driver begins by setting each option to its default, as
//! a client could. Where the engine has a default of its own, the row names that constant.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::super::command::{nearest, suggestion};
use super::super::format;
use super::Driver;
use crate::book::Book;
use crate::engine::{
    DEFAULT_BOOK_DEPTH, DEFAULT_HASH_MIB, DEFAULT_THREADS, Engine, EngineError, Level, MAX_ELO, MAX_HASH_MIB,
    MAX_SKILL, MAX_THREADS, MIN_ELO,
};
use crate::nnue::{self, Network};
use crate::tablebase::{Opened, ProbeRules, Tablebases};
use crate::types::{CastlingMode, Depth};
use Kind::{Button, Check, Spin, Text};

/// Options that concern the protocol or the next search, not the engine's resources. [`Driver::set_defaults`] gives
/// them their first values.
#[derive(Default)]
pub(super) struct Settings {
    /// Milliseconds kept in reserve for every move.
    pub overhead_ms: u64,
    /// Number of principal variations to report.
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
    /// Level from 0 to [`MAX_SKILL`], which is full strength; `limit_strength` takes precedence.
    pub skill: u32,
}

impl Settings {
    /// The castling rules by which positions are read.
    pub(super) fn castling_mode(&self) -> CastlingMode {
        if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
    }

    /// The level of play; `None` for full strength.
    pub(super) fn level(&self) -> Option<Level> {
        if self.limit_strength { Some(Level::new(self.elo)) } else { Level::of_skill(self.skill) }
    }
}

/// A row of the table.
#[derive(Clone, Copy)]
struct UciOption {
    name: &'static str,
    kind: Kind,
    /// What the option does, in one sentence, with which the option's row in `docs/uci.md` begins as well.
    about: &'static str,
}

/// Type, default and range of an option, and how a value is applied.
#[derive(Clone, Copy)]
enum Kind {
    Spin {
        default: i64,
        min: i64,
        max: i64,
        set: fn(&mut Driver, i64),
    },
    Check {
        default: bool,
        set: fn(&mut Driver, bool),
    },
    Button {
        press: fn(&mut Driver),
    },
    Text {
        default: &'static str,
        /// What the text is.
        range: &'static str,
        set: fn(&mut Driver, &str),
    },
    /// A parameter of the search, which is a spin option.
    #[cfg(feature = "tuning")]
    Parameter(&'static crate::search::ParamInfo),
}

const fn spin(default: i64, min: i64, max: i64, set: fn(&mut Driver, i64)) -> Kind {
    Spin { default, min, max, set }
}

/// How UCI writes an empty string.
const EMPTY: &str = "<empty>";
/// In place of the path of a network: the one that counts material.
const MATERIAL: &str = "<material>";
/// The value of `UCI_EngineAbout`.
const ABOUT: &str = concat!(
    "Quillon ",
    env!("CARGO_PKG_VERSION"),
    " by the Quillon authors, free software under the GNU General Public License, version 3 or later",
);

static OPTIONS: [UciOption; 25] = [
    UciOption {
        name: "Hash",
        kind: spin(DEFAULT_HASH_MIB as i64, 1, MAX_HASH_MIB as i64, |driver, mib| {
            driver.change_engine(|engine| engine.set_hash(mib as usize))
        }),
        about: "Size of the transposition table in MiB.",
    },
    UciOption {
        name: "Clear Hash",
        kind: Button { press: |driver| driver.engine.clear() },
        about: "Empties the transposition table and forgets all histories.",
    },
    UciOption {
        name: "Threads",
        kind: spin(DEFAULT_THREADS as i64, 1, MAX_THREADS as i64, |driver, threads| {
            driver.change_engine(|engine| engine.set_threads(threads as usize))
        }),
        about: "Number of search threads.",
    },
    UciOption {
        name: "Move Overhead",
        kind: spin(10, 0, 5000, |driver, ms| driver.settings.overhead_ms = ms as u64),
        about: "Milliseconds kept in reserve on every move, also under go movetime.",
    },
    UciOption {
        name: "MultiPV",
        kind: spin(1, 1, 256, |driver, count| driver.settings.multi_pv = count as usize),
        about: "Number of best moves that are shown, each with its own line; at a level of play it is one.",
    },
    UciOption {
        name: "Ponder",
        // Pondering is the client's decision; `go ponder` always works.
        kind: Check { default: false, set: |_, _| {} },
        about: "Has no effect in the engine; it tells the GUI that pondering is supported.",
    },
    UciOption {
        name: "UCI_Chess960",
        kind: Check { default: false, set: |driver, on| driver.settings.chess960 = on },
        about: "Castling follows the rules of Chess960 and is written as the king taking its own rook, \
                for example e1h1.",
    },
    UciOption {
        name: "UCI_ShowWDL",
        kind: Check { default: false, set: |driver, on| driver.settings.show_wdl = on },
        about: "Adds the chances to win, draw and lose to every score, in permille, \
                for instance wdl 333 412 255.",
    },
    UciOption {
        name: "EvalFile",
        kind: Text {
            default: EMPTY,
            range: "a path",
            set: |driver, value| driver.set_eval_file(path(value).map(Path::new)),
        },
        about: "Evaluates with the network of this file; <empty> stands for the built-in network, \
                <material> for an evaluation that counts material.",
    },
    UciOption {
        name: "SyzygyPath",
        kind: Text {
            default: EMPTY,
            range: "folders",
            set: |driver, value| driver.set_syzygy_path(path(value)),
        },
        about: "Folders with Syzygy endgame tables (.rtbw, .rtbz), separated by ; or, except on Windows, by :.",
    },
    UciOption {
        name: "SyzygyProbeDepth",
        kind: spin(ProbeRules::DEFAULT.min_depth as i64, 1, 100, |driver, depth| {
            driver.change_probe_rules(|rules| rules.min_depth = depth as Depth)
        }),
        about: "Least depth, in plies, at which the search probes positions with the largest number of pieces; \
                those with fewer are probed at any depth.",
    },
    UciOption {
        name: "SyzygyProbeLimit",
        kind: spin(
            ProbeRules::DEFAULT.max_pieces as i64,
            0,
            ProbeRules::DEFAULT.max_pieces as i64,
            |driver, pieces| driver.change_probe_rules(|rules| rules.max_pieces = pieces as usize),
        ),
        about: "Largest number of pieces, kings included, in a position that is probed; 0 probes none.",
    },
    UciOption {
        name: "Syzygy50MoveRule",
        kind: Check {
            default: ProbeRules::DEFAULT.fifty_move_rule,
            set: |driver, on| driver.change_probe_rules(|rules| rules.fifty_move_rule = on),
        },
        about: "Wins that the fifty-move rule makes draws count as draws.",
    },
    // `OwnBook` is the specification's; the other three are called as in asmFish, Brainfish and Cfish, whose
    // users are the ones who set up Polyglot books.
    UciOption {
        name: "OwnBook",
        kind: Check { default: false, set: |driver, on| driver.settings.own_book = on },
        about: "Plays moves from the opening book of BookFile, without thinking.",
    },
    UciOption {
        name: "BookFile",
        kind: Text {
            default: EMPTY,
            range: "a path",
            set: |driver, value| driver.set_book_file(path(value).map(Path::new)),
        },
        about: "The opening book, a file in Polyglot's format (.bin).",
    },
    UciOption {
        name: "BookDepth",
        kind: spin(DEFAULT_BOOK_DEPTH as i64, 1, 255, |driver, number| {
            driver.engine.opening.depth = number as u16
        }),
        about: "Number of the last move of a game for which the book is probed.",
    },
    UciOption {
        name: "BestBookMove",
        kind: Check { default: false, set: |driver, on| driver.engine.opening.best_only = on },
        about: "Always plays the book move with the highest weight.",
    },
    UciOption {
        name: "UCI_AnalyseMode",
        kind: Check { default: false, set: |driver, on| driver.settings.analyse_mode = on },
        about: "The engine analyses and does not play: no moves from the book, and always at full strength.",
    },
    UciOption {
        name: "UCI_LimitStrength",
        kind: Check { default: false, set: |driver, on| driver.settings.limit_strength = on },
        about: "Plays at the level of UCI_Elo.",
    },
    UciOption {
        name: "UCI_Elo",
        kind: spin(1500, MIN_ELO as i64, MAX_ELO as i64, |driver, elo| driver.settings.elo = elo as u32),
        about: "The level of play, as an Elo number.",
    },
    UciOption {
        name: "Skill Level",
        kind: spin(MAX_SKILL as i64, 0, MAX_SKILL as i64, |driver, skill| {
            driver.settings.skill = skill as u32
        }),
        about: "The same levels on another scale: 0 is Elo 600, each step is 110 more, 20 is full strength.",
    },
    UciOption {
        name: "UCI_Opponent",
        kind: Text { default: EMPTY, range: "text", set: |_, _| {} },
        about: "Has no effect; the GUI names the opponent.",
    },
    UciOption {
        name: "UCI_EngineAbout",
        kind: Text { default: ABOUT, range: "text", set: |_, _| {} },
        about: "Has no effect; its default tells the GUI about the engine.",
    },
    UciOption {
        name: "nodestime",
        kind: spin(0, 0, 10_000, |driver, nodes| driver.node_clock.set(nodes as u64)),
        about: "Number of nodes that count as one millisecond in place of real time; 0 is real time.",
    },
    UciOption {
        name: "Debug Log File",
        kind: Text {
            default: EMPTY,
            range: "a path",
            set: |driver, value| driver.set_debug_log(path(value).map(Path::new)),
        },
        about: "Adds everything that is read (>) and written (<), with the time of day in UTC, \
                to the end of this file.",
    },
];

/// The table, in a build for tuning followed by the parameters of the search.
fn options() -> impl Iterator<Item = UciOption> {
    let options = OPTIONS.iter().copied();
    #[cfg(feature = "tuning")]
    let options = options.chain(crate::search::Params::INFO.iter().map(|info| UciOption {
        name: info.name,
        kind: Kind::Parameter(info),
        about: "A parameter of the search.",
    }));
    options
}

/// A path as people write it; those pasted from a file manager stand in quotation marks.
pub(super) fn path(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    Some(inner.unwrap_or(value)).filter(|value| !value.is_empty() && *value != EMPTY)
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OptionError {
    #[error("no option is named '{name}'{}; 'uci' lists all", suggestion(.nearest))]
    Unknown { name: String, nearest: Option<&'static str> },
    #[error("option {name} needs a whole number from {min} to {max}, not '{value}'")]
    Number { name: &'static str, min: i64, max: i64, value: String },
    #[error("option {name} needs true or false, not '{value}'")]
    Check { name: &'static str, value: String },
}

/// The option of a name. Case does not matter, as the specification asks.
fn find(name: &str) -> Result<UciOption, OptionError> {
    options().find(|option| option.name.eq_ignore_ascii_case(name)).ok_or_else(|| OptionError::Unknown {
        name: name.chars().take(40).collect(),
        nearest: nearest(name, OPTIONS.iter().map(|option| option.name)),
    })
}

impl UciOption {
    /// The value at the start as text; `None` for a button.
    fn default(&self) -> Option<String> {
        match self.kind {
            Spin { default, .. } => Some(default.to_string()),
            Check { default, .. } => Some(default.to_string()),
            Button { .. } => None,
            Text { default, .. } => Some(default.to_owned()),
            #[cfg(feature = "tuning")]
            Kind::Parameter(info) => Some(info.default.to_string()),
        }
    }

    /// Reads a value and applies it.
    ///
    /// # Errors
    /// When the value is not in the option's range. Nothing is changed then.
    fn set(&self, driver: &mut Driver, value: &str) -> Result<(), OptionError> {
        match self.kind {
            Spin { min, max, set, .. } => set(driver, self.number(value, min, max)?),
            Check { set, .. } => set(driver, self.truth(value)?),
            Button { press } => press(driver),
            Text { set, .. } => set(driver, value),
            #[cfg(feature = "tuning")]
            Kind::Parameter(info) => {
                let number = self.number(value, info.min.into(), info.max.into())?;
                driver.engine.params.set(info.name, number as i32);
            }
        }
        Ok(())
    }

    fn number(&self, value: &str, min: i64, max: i64) -> Result<i64, OptionError> {
        let number = value.parse().ok().filter(|number| (min..=max).contains(number));
        number.ok_or_else(|| OptionError::Number { name: self.name, min, max, value: value.to_owned() })
    }

    fn truth(&self, value: &str) -> Result<bool, OptionError> {
        match value.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(OptionError::Check { name: self.name, value: value.to_owned() }),
        }
    }

    /// Name, range, default and what the option does, for a person.
    fn explanation(&self) -> String {
        let range = match self.kind {
            Spin { min, max, .. } => format!("{min} to {max}"),
            Check { .. } => "true, false".to_owned(),
            Button { .. } => "button".to_owned(),
            Text { range, .. } => range.to_owned(),
            #[cfg(feature = "tuning")]
            Kind::Parameter(info) => format!("{} to {}", info.min, info.max),
        };
        let default = self.default().map_or(String::new(), |default| format!(", default {default}"));
        format!("{}: {range}{default}\n  {}", self.name, self.about)
    }
}

/// The line by which `uci` lists the option.
impl fmt::Display for UciOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match self.kind {
            Spin { default, min, max, .. } => write!(f, "spin default {default} min {min} max {max}"),
            Check { default, .. } => write!(f, "check default {default}"),
            Button { .. } => write!(f, "button"),
            Text { default, .. } => write!(f, "string default {default}"),
            #[cfg(feature = "tuning")]
            Kind::Parameter(info) => {
                write!(f, "spin default {} min {} max {}", info.default, info.min, info.max)
            }
        }
    }
}

/// The lines by which `uci` lists all options.
pub(super) fn list() -> Vec<String> {
    options().map(|option| option.to_string()).collect()
}

/// What the options do: all of them, or the one of this name.
///
/// # Errors
/// When there is no such option.
pub(super) fn explain(name: Option<&str>) -> Result<String, OptionError> {
    match name {
        Some(name) => find(name).map(|option| option.explanation()),
        None => Ok(options().map(|option| option.explanation()).collect::<Vec<_>>().join("\n")),
    }
}

/// Unusable table files that are named one by one.
const SHOWN_FAULTS: usize = 8;

impl Driver {
    /// Obeys a `setoption`. A value that does not fit changes nothing.
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) {
        let done = find(name).and_then(|option| option.set(self, value.unwrap_or_default().trim()));
        if let Err(error) = done {
            self.complain(&error);
        }
    }

    /// Sets every option to its default.
    pub(super) fn set_defaults(&mut self) {
        for option in &OPTIONS {
            if let Some(default) = option.default() {
                self.set_option(option.name, Some(&default));
            }
        }
    }

    fn change_engine(&mut self, change: impl FnOnce(&mut Engine) -> Result<(), EngineError>) {
        if let Err(error) = change(&mut self.engine) {
            self.complain(&error);
        }
    }

    fn change_probe_rules(&mut self, change: impl FnOnce(&mut ProbeRules)) {
        let mut rules = self.engine.probe_rules();
        change(&mut rules);
        self.engine.set_probe_rules(rules);
    }

    /// Evaluates with the network of a file from now on, with the built-in one, or by material. When the file is
    /// unusable the present evaluation stays.
    fn set_eval_file(&mut self, path: Option<&Path>) {
        let Some(path) = path else { return self.engine.set_network(nnue::built_in()) };
        let loaded = match path == Path::new(MATERIAL) {
            true => Ok(nnue::material()),
            false => Network::load(path).map(Arc::new),
        };
        match loaded {
            Ok(network) => {
                self.say(&format!("info string {}", format::network(&network)));
                self.engine.set_network(network);
            }
            Err(error) => self.complain(&format!("EvalFile {}: {error}", path.display())),
        }
    }

    /// Uses the endgame tables of these folders from now on, and reports what was found. When there is no usable
    /// table the present ones stay.
    fn set_syzygy_path(&mut self, path: Option<&str>) {
        let Some(path) = path else { return self.engine.set_tablebases(None) };
        let Opened { tables, faults } = Tablebases::open(path);
        for fault in faults.iter().take(SHOWN_FAULTS) {
            self.remark(&format!("Syzygy: {fault}"));
        }
        if faults.len() > SHOWN_FAULTS {
            self.remark(&format!("Syzygy: {} more faults like these", faults.len() - SHOWN_FAULTS));
        }
        match tables {
            Some(tables) => {
                self.say(&format!("info string Syzygy: {tables}"));
                self.engine.set_tablebases(Some(tables));
            }
            None if self.engine.has_tablebases() => {
                self.complain(&"Syzygy: no tables found, the present ones stay");
            }
            None => self.complain(&"Syzygy: no tables found"),
        }
    }

    /// Takes opening moves from a file from now on. When the file is unusable there is no book.
    fn set_book_file(&mut self, path: Option<&Path>) {
        let book = path.map(|path| Book::load(path).map_err(|error| (path, error))).transpose();
        self.engine.opening.book = book.unwrap_or_else(|(path, error)| {
            self.complain(&format!("BookFile {}: {error}", path.display()));
            None
        });
        if let Some(book) = &self.engine.opening.book {
            self.say(&format!("info string book with {} entries", book.entry_count()));
        }
    }

    /// Logs all input and output to this file from now on, or nowhere. When the file is unusable the present log
    /// goes on.
    fn set_debug_log(&mut self, path: Option<&Path>) {
        if let Err(error) = self.output.set_log(path) {
            let path = path.unwrap_or(Path::new(""));
            self.complain(&format!("Debug Log File {}: {error}", path.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Output;

    /// A driver whose output is thrown away.
    fn driver() -> Driver {
        let (sender, _) = std::sync::mpsc::channel();
        Driver::new(Arc::new(Output::new(std::io::sink())), sender).unwrap()
    }

    fn set(driver: &mut Driver, name: &str, value: &str) -> Result<(), OptionError> {
        find(name).and_then(|option| option.set(driver, value))
    }

    #[test]
    fn values_are_checked_and_applied() {
        let mut driver = driver();
        assert_eq!(driver.settings.multi_pv, 1);
        assert_eq!(set(&mut driver, "multipv", "64"), Ok(()));
        assert_eq!(set(&mut driver, "CLEAR HASH", ""), Ok(()));
        assert_eq!(set(&mut driver, "uci_chess960", "True"), Ok(()));
        for bad in ["0", "-1", "x", "", "1.5", "257", "99999999999999999999"] {
            let error = set(&mut driver, "MultiPV", bad);
            assert!(matches!(error, Err(OptionError::Number { .. })), "{bad}");
        }
        assert!(matches!(set(&mut driver, "UCI_Chess960", "no"), Err(OptionError::Check { .. })));
        assert!(driver.settings.multi_pv == 64 && driver.settings.chess960);
    }

    #[test]
    fn paths_may_stand_in_quotation_marks() {
        assert_eq!(path("nets/my net.nnue"), Some("nets/my net.nnue"));
        assert_eq!(path("\"C:\\my nets\\a.nnue\""), Some("C:\\my nets\\a.nnue"));
        assert_eq!(path("\"half"), Some("\"half"));
        for none in ["", EMPTY, "\"\"", "\"<empty>\""] {
            assert_eq!(path(none), None);
        }
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let unknown = |name| find(name).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(unknown("Nonsense"), "no option is named 'Nonsense'; 'uci' lists all");
        let answer = "no option is named 'move overhaed', did you mean 'Move Overhead'?; 'uci' lists all";
        assert_eq!(unknown("move overhaed"), answer);
    }

    #[test]
    fn every_default_is_in_range_and_every_option_is_explained() {
        let mut driver = driver();
        for option in options() {
            if let Some(default) = option.default() {
                assert_eq!(option.set(&mut driver, &default), Ok(()), "{}", option.name);
            }
            assert!(option.about.ends_with('.') && !option.about.contains('\n'), "{}", option.name);
        }
        assert_eq!(list()[0], "option name Hash type spin default 16 min 1 max 33554432");
        let hash = "Hash: 1 to 33554432, default 16\n  Size of the transposition table in MiB.";
        assert_eq!(explain(Some("hash")).ok().as_deref(), Some(hash));
    }

    /// A bare engine, as the library's users get it, has the defaults of the table.
    #[test]
    fn the_engine_begins_with_the_defaults() {
        let engine = Engine::new().unwrap();
        let driver = driver();
        assert_eq!(driver.engine.probe_rules(), engine.probe_rules());
        assert_eq!(driver.engine.opening.depth, engine.opening.depth);
        assert_eq!(driver.engine.opening.best_only, engine.opening.best_only);
        assert!(Arc::ptr_eq(driver.engine.network(), engine.network()));
    }
}
