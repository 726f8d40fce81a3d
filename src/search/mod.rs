//! The search: iterative deepening over a principal variation search with quiescence.
//!
//! One [`Searcher`] per thread owns everything that the thread writes (histories, path, lines). Threads share only
//! the [`SearchJob`]: transposition table, stop flag, node counters. The search never prints; it hands typed
//! [`Report`]s to the job's sink.
//!
//! # One `go`
//!
//! The engine makes a [`SearchJob`] of the game and the [`SearchLimits`] and calls [`Searcher::search`] in each thread.
//! That makes a `Thread` (`thread`), whose `run` (`iterative`) searches depth after depth, and for each line of MultiPV
//! a window around the last score, by `Thread::search` (`alpha_beta`). A node is a `Node` (`node`); it looks at the
//! transposition table, at the endgame tables (`tablebases`) and at its evaluation (`static_eval`), tries to end without
//! a look at its moves (`pruning`), takes its moves from a `MovePicker` (`picker`), leaves out bad ones (`pruning`),
//! chooses depths (`reductions`), and calls itself for the position after a move. Below the horizon `quiescence` goes on.
//! What was found goes into the histories (`history_updates`) and into the table. At the root the result is written
//! down for the move (`thread`), and lines go to the sink (`reporting`). A `Quota` (`job`) counts nodes and ends it
//! all; [`Searcher::conclude`] has the last word, a [`SearchResult`].
//!
//! # In which order to read
//!
//! 1. `limits`, `report`: what is asked and what is answered; `job`: what threads share.
//! 2. `node`, `path`, `thread`: a node, the line to it, and who searches.
//! 3. `iterative`, then `alpha_beta`: the page of contents, whose numbered steps name all else.
//! 4. `params` with `pruning`, `reductions`, `static_eval`, `quiescence`: the techniques and their constants.
//! 5. `history` with `history_updates` and `picker`: what orders the moves.
//! 6. `tablebases`, `reporting`, `tree_sample` when they are needed.
//!
//! # Techniques
//!
//! Above each technique stand its name and page, what it assumes, the units of its formula, and the Elo it was measured
//! at here, in one form that a test reads (`tests/techniques.rs`; `grep -rA9 "Technique:" src/search`).
//! Error bars are of 95 %. Games are from pairs with reversed colours; nodes are nodes a move. Most techniques came
//! in bundles:
//!
//! - "The first search" is commit 96d8035; nothing was measured against a search without it.
//! - "Bundle A" is commit e1a3e88: +119.1 +- 49.5 against the first search, 100 games, 0.5+0.005 (2026-11-30).
//! - "Bundle B" is commit 1e5c68d: +53.7 +- 23.0, 600 games, 5,000 nodes (2026-11-30).
//!
//! In builds with the feature `tuning` the switches of `params` turn techniques off, to measure them by.
//!
//! [`Searcher`]: crate::search::Searcher
//! [`Searcher::search`]: crate::search::Searcher::search
//! [`Searcher::conclude`]: crate::search::Searcher::conclude
//! [`SearchJob`]: crate::search::SearchJob
//! [`SearchLimits`]: crate::search::SearchLimits
//! [`SearchResult`]: crate::search::SearchResult
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
