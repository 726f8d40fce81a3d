//! What the threads of a search have in common.

use std::sync::Arc;
use std::time::Duration;

use super::control::Control;
use super::limits::{SearchLimits, TimeBudget};
#[cfg(feature = "tuning")]
use super::params::Params;
use super::report::{Counts, SearchEvent};
use crate::board::Game;
use crate::nnue::inference::Kernels;
use crate::nnue::{self, Network};
use crate::tablebase::TableAccess;
use crate::tt::TranspositionTable;

/// Everything the threads of a search have in common.
pub struct SearchJob {
    /// The position to search, with its history: [`Game::gone_on`] of the game that is played.
    pub game: Game,
    /// When to end.
    pub limits: SearchLimits,
    /// The table.
    pub tt: Arc<TranspositionTable>,
    /// What evaluates.
    pub network: Arc<Network>,
    /// The instructions that it is computed with.
    pub kernels: Kernels,
    /// Endgame tables, if any.
    pub tablebases: Option<TableAccess>,
    /// Steering from outside.
    pub control: Arc<Control>,
    /// Search constants.
    #[cfg(feature = "tuning")]
    pub params: Params,
    /// Receives events from the main thread of the search. Without it no reports are made.
    pub sink: Option<Box<dyn Fn(SearchEvent) + Send + Sync>>,
}

impl SearchJob {
    /// A job for a single thread that tells nobody about its progress. The built-in network is used
    /// unless [`SearchJob::with_network`] names another.
    pub fn silent(game: Game, limits: SearchLimits, tt: Arc<TranspositionTable>) -> SearchJob {
        SearchJob {
            game: game.gone_on(),
            limits,
            tt,
            network: nnue::built_in(),
            kernels: Kernels::best(),
            tablebases: None,
            control: Arc::new(Control::new(1, false)),
            #[cfg(feature = "tuning")]
            params: Params::DEFAULT,
            sink: None,
        }
    }

    /// How far all threads have come, as far as published.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            nodes: self.control.nodes(),
            tb_hits: self.control.tb_hits(),
            time: self.control.started().elapsed(),
            hashfull: self.tt.hashfull(),
        }
    }

    /// The time that the search is meant to take, from its start or from `ponderhit` on, where a clock decides.
    pub fn intended_time(&self) -> Option<Duration> {
        let budget = TimeBudget::new(&self.limits, self.game.position().fullmove_number());
        budget.soft.or(budget.hard).filter(|_| self.limits.nodes_per_ms.is_none())
    }

    /// Tells the outside of an event, if it listens.
    pub(crate) fn tell(&self, event: SearchEvent) {
        if let Some(sink) = &self.sink {
            sink(event);
        }
    }

    /// The same job with this network.
    pub fn with_network(mut self, network: Arc<Network>) -> SearchJob {
        self.network = network;
        self
    }

    /// The same job with these instructions for the network.
    pub fn with_kernels(mut self, kernels: Kernels) -> SearchJob {
        self.kernels = kernels;
        self
    }

    /// The same job with endgame tables.
    pub fn with_tablebases(mut self, tablebases: Option<TableAccess>) -> SearchJob {
        self.tablebases = tablebases;
        self
    }
}
