//! The search: iterative deepening over a principal variation search with quiescence.
//!
//! One [`Searcher`] per thread owns everything that thread writes (histories, stack, lines). Threads
//! share only the [`SearchJob`]: transposition table, stop flag, node counters. The search never prints;
//! it hands typed [`Report`]s to the job's sink.
//!
//! [`Searcher`]: crate::search::Searcher
//! [`SearchJob`]: crate::search::SearchJob
//! [`Report`]: crate::search::Report

mod alpha_beta;
mod history;
mod history_updates;
mod iterative;
mod job;
mod limits;
mod node;
mod params;
mod path;
mod picker;
mod pruning;
mod quiescence;
mod reductions;
mod report;
mod reporting;
#[cfg(test)]
mod samples;
mod static_eval;
mod tablebases;
mod thread;
mod tree_sample;

pub use job::{Control, SearchJob};
pub use limits::{GameClock, SearchLimits, TimeBudget};
pub use params::{ParamInfo, Params};
pub use report::{Counts, Report, ScoreBound, SearchEvent, SearchResult};
pub use thread::Searcher;
pub use tree_sample::{TreeNode, TreeSample};
