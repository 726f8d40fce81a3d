//! The search: iterative deepening over a principal variation search with quiescence.
//!
//! One [`Searcher`] per thread owns everything that thread writes (histories, stack, lines). Threads
//! share only the [`SearchJob`]: transposition table, stop flag, node counters. The search never prints;
//! it hands typed [`Report`]s to the job's sink.

mod clock;
mod control;
mod extensions;
mod facts;
mod history;
mod iterative;
mod learning;
mod level;
mod limits;
mod line;
mod node;
mod params;
mod picker;
mod pruning;
mod pv;
mod quiescence;
mod reductions;
mod report;
mod root;
mod searcher;
mod stack;
mod tablebases;

pub use clock::TimeBudget;
pub use control::Control;
pub use level::{Contender, Level, MAX_ELO, MAX_SKILL, MIN_ELO};
pub use limits::{GameClock, SearchLimits};
pub use params::{ParamInfo, Params};
pub use report::{Report, ScoreBound, SearchEvent, SearchResult};
pub use searcher::{SearchJob, Searcher};
