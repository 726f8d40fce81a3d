//! What one thread may still search: nodes, time, and the wish of the outside that it stop.

use std::time::{Duration, Instant};

use super::job::SearchJob;
use super::limits::TimeBudget;
use super::report::Counts;

/// Nodes between two looks at clock and stop flag.
const CHECK_INTERVAL: u64 = 512;

/// The main thread finishes the first line of the first iteration whatever the limits, so that every move was compared
/// with all others. After so long it heeds the clock and `stop` even then: a slow disk with endgame tables, or a board
/// full of queens, may hold it up.
const FIRST_LINE_TIME: Duration = Duration::from_millis(20);

/// One thread's node count and the limits that end its search.
pub(super) struct Quota<'a> {
    job: &'a SearchJob,
    /// Number of the thread; 0 is the main thread, which watches the clock.
    id: usize,
    nodes: u64,
    /// Successful look-ups in endgame tables.
    tb_hits: u64,
    /// All threads together end the search at this node count.
    node_limit: u64,
    /// This thread has claimed its share of that up to this node count of its own.
    granted: u64,
    /// Limits are looked at when the node count reaches this.
    next_check: u64,
    budget: TimeBudget,
    /// When this thread began to search.
    began: Instant,
    stopped: bool,
}

impl<'a> Quota<'a> {
    /// The quota of thread `id` at the start of a search.
    pub(super) fn new(job: &'a SearchJob, id: usize) -> Quota<'a> {
        let limits = &job.limits;
        let budget = TimeBudget::new(limits, job.game.position().fullmove_number());
        let mut node_limit = limits.nodes.unwrap_or(u64::MAX);
        if let (Some(rate), Some(hard), false) = (limits.nodes_per_ms, budget.hard, limits.ponder) {
            let hard = (hard.as_micros() as u64).saturating_mul(rate.get()) / 1000;
            node_limit = node_limit.min(hard.max(1));
        }
        let mut quota = Quota {
            job,
            id,
            nodes: 0,
            tb_hits: 0,
            node_limit,
            granted: 0,
            next_check: 0,
            budget,
            began: Instant::now(),
            stopped: false,
        };
        quota.claim_nodes();
        quota.next_check = CHECK_INTERVAL.min(quota.granted);
        quota
    }

    /// Counts a node; true when it is time for [`Quota::check`].
    #[inline(always)]
    pub(super) fn count_node(&mut self) -> bool {
        self.nodes += 1;
        self.nodes >= self.next_check
    }

    /// Publishes the counts and looks at everything that may end the search.
    pub(super) fn check(&mut self) {
        let control = &self.job.control;
        control.publish(self.id, self.nodes, self.tb_hits);
        self.claim_nodes();
        let no_nodes = self.nodes >= self.granted;
        let next = self.nodes + CHECK_INTERVAL;
        self.next_check = if no_nodes { next } else { next.min(self.granted) };
        let out_of_time = self.id == 0 && self.is_out_of_time();
        self.stopped |= if self.owes_first_line() {
            // Where milliseconds are nodes, no clock may decide.
            let is_late = out_of_time && self.job.limits.nodes_per_ms.is_none();
            (control.is_stopped() || is_late) && self.began.elapsed() > FIRST_LINE_TIME
        } else {
            control.is_stopped() || out_of_time || no_nodes
        };
    }

    /// Whether the thread must not end before it has compared all moves with each other.
    fn owes_first_line(&self) -> bool {
        self.id == 0 && !self.job.control.is_first_line_done()
    }

    /// Writes down that the first line of the first iteration is finished. From now on all limits hold.
    pub(super) fn finish_first_line(&mut self) {
        if self.owes_first_line() {
            self.job.control.note_first_line();
            self.check();
        }
    }

    /// Has the limits looked at with the next node, since something may have taken long.
    pub(super) fn check_soon(&mut self) {
        self.next_check = self.nodes;
    }

    /// Counts positions found in the endgame tables.
    pub(super) fn count_tb_hits(&mut self, hits: u64) {
        self.tb_hits += hits;
    }

    /// Sees to it that the thread may search on, as far as the node limit allows.
    fn claim_nodes(&mut self) {
        if self.node_limit == u64::MAX {
            self.granted = u64::MAX;
        } else if self.nodes >= self.granted {
            self.granted = self.nodes + self.job.control.claim(self.id, self.node_limit, CHECK_INTERVAL);
        }
    }

    /// Whether the search is over.
    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Nodes searched by this thread.
    #[inline(always)]
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Nodes searched by all threads.
    pub(super) fn nodes_of_all(&self) -> u64 {
        self.job.control.publish(self.id, self.nodes, self.tb_hits);
        self.job.control.nodes()
    }

    /// How far all threads have come.
    pub(super) fn counts(&self) -> Counts {
        self.job.control.publish(self.id, self.nodes, self.tb_hits);
        self.job.counts()
    }

    /// The time that the search may take.
    pub(super) fn budget(&self) -> TimeBudget {
        self.budget
    }

    /// Time spent on the opponent's clock and on the engine's own, counted in nodes where the limits want that.
    pub(super) fn times(&self) -> (Duration, Duration) {
        let control = &self.job.control;
        match self.job.limits.nodes_per_ms {
            Some(rate) => {
                let time = |nodes: u64| Duration::from_micros(nodes.saturating_mul(1000) / rate);
                let pondered = control.pondered_nodes();
                (time(pondered), time(self.nodes_of_all().saturating_sub(pondered)))
            }
            None => {
                let clock_started = control.clock_started();
                (clock_started - control.started(), clock_started.elapsed())
            }
        }
    }

    /// Whether the hard limit has passed. A search that had its soft limit already while pondering only
    /// gets half of that again to finish its iteration.
    pub(super) fn is_out_of_time(&self) -> bool {
        let Some(hard) = self.budget.hard.filter(|_| !self.job.control.is_pondering()) else { return false };
        let (pondered, own) = self.times();
        own >= match self.budget.soft {
            Some(soft) if pondered >= soft => hard.min(soft / 2),
            _ => hard,
        }
    }

    /// Whether more than half of the hard limit has passed.
    pub(super) fn has_used_half(&self) -> bool {
        let hard = self.budget.hard.filter(|_| !self.job.control.is_pondering());
        hard.is_some_and(|hard| self.times().1 >= hard / 2)
    }

    /// Whether the search has lasted longer than this.
    pub(super) fn has_run(&self, time: Duration) -> bool {
        self.job.control.started().elapsed() > time
    }
}
