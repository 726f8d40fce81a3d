//! What the threads of one search share besides the table: the wish to stop, and node counts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
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
    changed: Condvar,
    counters: Box<[Counters]>,
}

impl Control {
    /// Control over a search by so many threads, with the clock starting now.
    pub fn new(threads: usize, pondering: bool) -> Control {
        Control {
            started: Instant::now(),
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            ponderhit: Mutex::new(None),
            changed: Condvar::new(),
            counters: (0..threads).map(|_| Counters::default()).collect(),
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
        if self.pondering.swap(false, Relaxed) {
            *hit = Some(Instant::now());
        }
        drop(hit);
        self.changed.notify_all();
    }

    /// Whether the search runs on the opponent's time.
    #[inline(always)]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// When the own clock began to run: at the start, or at `ponderhit`.
    pub fn clock_started(&self) -> Instant {
        self.ponderhit.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(self.started)
    }

    /// Sleeps until the search is stopped or, with `until_ponderhit`, pondering ends.
    pub fn wait_for_release(&self, until_ponderhit: bool) {
        let mut guard = self.ponderhit.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (!until_ponderhit || self.is_pondering()) {
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

    /// Positions found in the endgame tables by all threads, as far as published.
    pub fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Relaxed)).sum()
    }
}
