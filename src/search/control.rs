//! What the threads of one search share besides the table: the wish to stop, and node counts.

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The counters of one thread on a cache line of their own, so that threads do not slow each other down.
#[derive(Default)]
#[repr(align(128))]
struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// Other threads leave so many nodes to the main thread until it has finished the first line of the first iteration.
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
    /// When counts were last told, in milliseconds from the start.
    told_ms: AtomicU64,
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
            first_line_done: AtomicBool::new(false),
            told_ms: AtomicU64::new(0),
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

    /// Writes down that counts are told now.
    pub(super) fn note_told(&self) {
        self.told_ms.store(self.started.elapsed().as_millis() as u64, Relaxed);
    }

    /// Whether no counts were told for so long. Of the threads that ask, one is told so, and must tell them.
    pub(super) fn must_tell(&self, pause: Duration) -> bool {
        let (told, now) = (self.told_ms.load(Relaxed), self.started.elapsed().as_millis() as u64);
        now >= told + pause.as_millis() as u64
            && self.told_ms.compare_exchange(told, now, Relaxed, Relaxed).is_ok()
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
        assert!(!control.must_tell(Duration::from_secs(60)));
        assert!(control.must_tell(Duration::ZERO));
        std::thread::sleep(Duration::from_millis(20));
        assert!(control.must_tell(Duration::from_millis(15)));
        assert!(!control.must_tell(Duration::from_secs(60)));
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
