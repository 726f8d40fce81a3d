//! What the threads of one search share ([`SearchJob`], [`Control`]), and what each of them may still search
//! ([`Quota`]): nodes, time, and the wish of the outside that it stop.

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

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

/// The counters of one thread on a cache line of their own, so that threads do not slow each other down.
#[derive(Default)]
#[repr(align(128))]
struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// Other threads leave this number of nodes to the main thread until it has finished the first line of the first iteration.
/// Of 5,000 positions from random games a thousandth took more than 675, and none more than 919.
const FIRST_LINE_NODES: u64 = 1024;

/// Steers one search from outside. A new search gets a new control, so that a late `stop` for the
/// last search can never hit the next.
pub struct Control {
    started: Instant,
    stop: AtomicBool,
    pondering: AtomicBool,
    /// When pondering ended.
    ponderhit: Mutex<Option<Instant>>,
    /// Nodes that had been searched by then.
    pondered_nodes: AtomicU64,
    changed: Condvar,
    counters: Box<[Counters]>,
    /// Nodes of a limited number that threads have claimed.
    claimed: AtomicU64,
    /// The main thread has finished the first line of the first iteration.
    first_line_done: AtomicBool,
    /// When counts were last reported, in milliseconds from the start.
    reported_ms: AtomicU64,
}

impl Control {
    /// Control over a search by `threads` threads, with the clock starting now.
    pub fn new(threads: usize, pondering: bool) -> Control {
        Control {
            started: Instant::now(),
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            ponderhit: Mutex::new(None),
            pondered_nodes: AtomicU64::new(0),
            changed: Condvar::new(),
            counters: (0..threads).map(|_| Counters::default()).collect(),
            claimed: AtomicU64::new(0),
            first_line_done: AtomicBool::new(false),
            reported_ms: AtomicU64::new(0),
        }
    }

    /// When the search began.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Asks all threads to end.
    pub fn stop(&self) {
        let guard = self.ponderhit.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.store(true, Relaxed);
        drop(guard);
        self.changed.notify_all();
    }

    /// Whether the search was asked to end.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The opponent played the expected move: the clock starts to run.
    pub fn ponderhit(&self) {
        let mut hit = self.ponderhit.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_pondering() {
            *hit = Some(Instant::now());
            self.pondered_nodes.store(self.nodes(), Relaxed);
            self.pondering.store(false, Release);
        }
        drop(hit);
        self.changed.notify_all();
    }

    /// Whether the search runs on the opponent's time.
    #[inline(always)]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Acquire)
    }

    /// When the engine's clock began to run: at the start, or at `ponderhit`.
    pub fn clock_started(&self) -> Instant {
        self.ponderhit.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(self.started)
    }

    /// Sleeps until the search is stopped.
    pub fn wait_for_stop(&self) {
        self.wait_while(|| !self.is_stopped());
    }

    /// Sleeps until pondering ends or the search is stopped.
    pub fn wait_for_ponderhit(&self) {
        self.wait_while(|| !self.is_stopped() && self.is_pondering());
    }

    fn wait_while(&self, goes_on: impl Fn() -> bool) {
        let mut guard = self.ponderhit.lock().unwrap_or_else(PoisonError::into_inner);
        while goes_on() {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Publishes how many nodes one thread has searched, and how many of them the endgame tables knew.
    #[inline(always)]
    pub(super) fn publish(&self, thread: usize, nodes: u64, tb_hits: u64) {
        self.counters[thread].nodes.store(nodes, Relaxed);
        self.counters[thread].tb_hits.store(tb_hits, Relaxed);
    }

    /// Nodes searched by all threads, as far as published.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    /// Nodes searched on the opponent's time, as far as published by then; 0 while that lasts.
    pub fn pondered_nodes(&self) -> u64 {
        self.pondered_nodes.load(Relaxed)
    }

    /// Nodes searched on the engine's clock, as far as published; `None` while the search ponders.
    pub fn own_nodes(&self) -> Option<u64> {
        (!self.is_pondering()).then(|| self.nodes().saturating_sub(self.pondered_nodes()))
    }

    /// Claims nodes for a thread, `most` or fewer, of those that all threads may search together. 0 when all
    /// are claimed. Near the end the shares become small, so that the threads end at about the same time.
    pub(super) fn claim(&self, thread: usize, limit: u64, most: u64) -> u64 {
        let reserved = if thread == 0 || self.is_first_line_done() { 0 } else { FIRST_LINE_NODES };
        let limit = limit.saturating_sub(reserved);
        let share =
            |claimed: u64| limit.saturating_sub(claimed).div_ceil(self.counters.len() as u64).min(most);
        let claim = |claimed| Some(claimed + share(claimed));
        self.claimed.fetch_update(Relaxed, Relaxed, claim).map_or(0, share)
    }

    /// Whether the main thread has finished the first line of the first iteration.
    pub(super) fn is_first_line_done(&self) -> bool {
        self.first_line_done.load(Relaxed)
    }

    /// Writes down that it has.
    pub(super) fn note_first_line(&self) {
        self.first_line_done.store(true, Relaxed);
    }

    /// Writes down that counts are reported now.
    pub(super) fn note_report(&self) {
        self.reported_ms.store(self.started.elapsed().as_millis() as u64, Relaxed);
    }

    /// Whether no counts were reported for `pause`. Of the threads that ask, one gets a yes, and must report them.
    pub(super) fn must_report(&self, pause: Duration) -> bool {
        let (last, now) = (self.reported_ms.load(Relaxed), self.started.elapsed().as_millis() as u64);
        now >= last + pause.as_millis() as u64
            && self.reported_ms.compare_exchange(last, now, Relaxed, Relaxed).is_ok()
    }

    /// Positions found in the endgame tables by all threads, as far as published.
    pub fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Relaxed)).sum()
    }
}

/// Nodes between two looks at clock and stop flag.
const CHECK_INTERVAL: u64 = 512;

/// The main thread finishes the first line of the first iteration whatever the limits, so that every move was compared
/// with all others. After this time it heeds the clock and `stop` even then: a slow disk with endgame tables, or a board
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_claim_all_nodes_and_no_more() {
        for threads in [1, 4, 64] {
            for limit in [0, 1, 100, 1000, 100_000] {
                let control = Control::new(threads, false);
                let claims = |thread| -> Vec<u64> {
                    std::iter::repeat_with(|| control.claim(thread, limit, 512))
                        .take_while(|&nodes| nodes > 0)
                        .collect()
                };
                let helper: u64 = claims(1).iter().sum();
                assert_eq!(helper, limit.saturating_sub(FIRST_LINE_NODES));
                // The rest is for the main thread, until its first line is done.
                control.note_first_line();
                let rest = claims(threads % 2);
                assert_eq!(rest.iter().sum::<u64>(), limit - helper);
                let fair = limit.div_ceil(threads as u64).min(512);
                assert!(rest.iter().all(|&nodes| nodes <= fair), "{threads} {limit}: {rest:?}");
            }
        }
    }

    #[test]
    fn one_thread_is_to_tell_the_counts_and_only_after_a_pause() {
        let control = Control::new(2, false);
        assert!(!control.must_report(Duration::from_secs(60)));
        assert!(control.must_report(Duration::ZERO));
        std::thread::sleep(Duration::from_millis(20));
        assert!(control.must_report(Duration::from_millis(15)));
        assert!(!control.must_report(Duration::from_secs(60)));
    }

    #[test]
    fn pondering_is_told_apart() {
        let control = Control::new(2, true);
        control.publish(0, 700, 0);
        control.publish(1, 50, 0);
        assert_eq!((control.pondered_nodes(), control.own_nodes()), (0, None));
        control.ponderhit();
        assert_eq!((control.pondered_nodes(), control.own_nodes()), (750, Some(0)));
        control.publish(0, 900, 0);
        control.ponderhit();
        assert_eq!((control.pondered_nodes(), control.own_nodes()), (750, Some(200)));
        assert_eq!(Control::new(1, false).own_nodes(), Some(0));
    }
}
