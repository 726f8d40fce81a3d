//! What `setoption` changes.

use std::path::Path;
use std::sync::Arc;

use super::super::format;
use super::super::options::{self, Change, MATERIAL};
use super::Driver;
use crate::book::Book;
use crate::engine::EngineError;
use crate::nnue::{self, Network};
use crate::tablebase::{Opened, ProbeRules, Tablebases};

/// Unusable table files that are named one by one.
const SHOWN_FAULTS: usize = 8;

impl Driver {
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) {
        #[cfg(feature = "tuning")]
        if let Some(value) = value.and_then(|value| value.parse().ok())
            && self.engine.params.set(name, value)
        {
            return;
        }
        let change = match options::parse(name, value) {
            Ok(change) => change,
            Err(error) => return self.complain(&error),
        };
        match change {
            Change::Hash(mib) => {
                let done = self.engine.set_hash(mib);
                self.complain_if_failed(done);
            }
            Change::Threads(threads) => {
                let done = self.engine.set_threads(threads);
                self.complain_if_failed(done);
            }
            Change::ClearHash => self.engine.clear(),
            Change::Overhead(ms) => self.settings.overhead_ms = ms,
            Change::MultiPv(lines) => self.settings.multi_pv = lines,
            Change::Chess960(on) => self.settings.chess960 = on,
            Change::ShowWdl(on) => self.settings.show_wdl = on,
            Change::EvalFile(path) => self.set_eval_file(path.as_deref()),
            Change::NodesTime(nodes) => self.node_clock.set(nodes),
            Change::DebugLog(path) => {
                if let Err(error) = self.output.set_log(path.as_deref()) {
                    let path = path.unwrap_or_default();
                    self.complain(&format!("Debug Log File {}: {error}", path.display()));
                }
            }
            Change::SyzygyPath(path) => self.set_syzygy_path(path.as_deref()),
            Change::SyzygyProbeDepth(min_depth) => {
                self.engine.set_probe_rules(ProbeRules { min_depth, ..self.engine.probe_rules() })
            }
            Change::SyzygyProbeLimit(max_men) => {
                self.engine.set_probe_rules(ProbeRules { max_men, ..self.engine.probe_rules() })
            }
            Change::Syzygy50MoveRule(fifty_move_rule) => {
                self.engine.set_probe_rules(ProbeRules { fifty_move_rule, ..self.engine.probe_rules() })
            }
            Change::OwnBook(on) => self.settings.own_book = on,
            Change::AnalyseMode(on) => self.settings.analyse_mode = on,
            Change::BookFile(path) => self.set_book_file(path.as_deref()),
            Change::BookDepth(moves) => self.engine.opening.depth = moves,
            Change::BestBookMove(on) => self.engine.opening.best_only = on,
            Change::LimitStrength(on) => self.settings.limit_strength = on,
            Change::Elo(elo) => self.settings.elo = elo,
            Change::Skill(skill) => self.settings.skill = skill,
            // Pondering is the client's decision; `go ponder` always works.
            Change::Nothing => {}
        }
    }

    fn complain_if_failed(&self, done: Result<(), EngineError>) {
        if let Err(error) = done {
            self.complain(&error);
        }
    }

    /// Evaluates with the network of a file from now on, as built in, or by material. With an unusable file the
    /// present evaluation stays.
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

    /// Uses the endgame tables of these folders from now on, and tells what was found. Where there is no usable
    /// one the present tables stay.
    fn set_syzygy_path(&mut self, path: Option<&str>) {
        let Some(path) = path else { return self.engine.set_tablebases(None) };
        let Opened { tables, faults } = Tablebases::open(path);
        for fault in faults.iter().take(SHOWN_FAULTS) {
            self.complain(&format!("Syzygy: {fault}"));
        }
        if faults.len() > SHOWN_FAULTS {
            self.complain(&format!("Syzygy: {} more faults like these", faults.len() - SHOWN_FAULTS));
        }
        match tables {
            Some(tables) => {
                self.say(&format!("info string Syzygy: {tables}"));
                self.engine.set_tablebases(Some(tables));
            }
            None if self.engine.has_tablebases() => {
                self.say("info string Syzygy: no tables found, the present ones stay");
            }
            None => self.say("info string Syzygy: no tables found"),
        }
    }

    /// Takes opening moves from a file from now on. With an unusable file there is no book.
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
}
