//! What the threads of one search share besides the table: the wish to stop, and node counts.

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// The counters of one thread on a cache line of their own, so that threads do not slow each other down.
#[derive(Default)]
#[repr(align(128))]
struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

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
}

impl Control {
    /// Control over a search by so many threads, with the clock starting now.
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

    /// When the own clock began to run: at the start, or at `ponderhit`.
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

    /// Nodes searched on the own clock, as far as published; `None` while the search ponders.
    pub fn own_nodes(&self) -> Option<u64> {
        (!self.is_pondering()).then(|| self.nodes().saturating_sub(self.pondered_nodes()))
    }

    /// Claims nodes for one thread, `most` or fewer, of those that all threads may search together. 0 when all
    /// are claimed. Near the end the shares become small, so that the threads end at about the same time.
    pub(super) fn claim(&self, limit: u64, most: u64) -> u64 {
        let share =
            |claimed: u64| limit.saturating_sub(claimed).div_ceil(self.counters.len() as u64).min(most);
        let claim = |claimed| Some(claimed + share(claimed));
        self.claimed.fetch_update(Relaxed, Relaxed, claim).map_or(0, share)
    }

    /// Positions found in the endgame tables by all threads, as far as published.
    pub fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Relaxed)).sum()
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
                let claims: Vec<u64> = std::iter::repeat_with(|| control.claim(limit, 512))
                    .take_while(|&nodes| nodes > 0)
                    .collect();
                assert_eq!(claims.iter().sum::<u64>(), limit);
                let fair = limit.div_ceil(threads as u64).min(512);
                assert!(claims.iter().all(|&nodes| nodes <= fair), "{threads} {limit}: {claims:?}");
            }
        }
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
