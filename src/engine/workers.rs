//! The search threads. They are started once, sleep on a channel between searches, and keep their
//! histories from move to move. Between searches they also make the table ready.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use super::{EngineError, THREAD_BYTES, opening};
use crate::search::{Report, SearchEvent, SearchJob, SearchResult, Searcher};
use crate::tt::TranspositionTable;

/// Stack of a search thread, in bytes: the deepest recursion fits with room to spare.
const STACK_BYTES: usize = 8 << 20;

enum Task {
    Search(Arc<SearchJob>),
    /// Reports a line of the opening book in place of a search.
    Book(Arc<SearchJob>, Report),
    /// Prepares the table, until this time at most.
    Prepare(Arc<TranspositionTable>, Option<Instant>),
    NewGame,
}

/// State that the threads of a search share.
#[derive(Default)]
struct Busy {
    /// Number of threads that are still at work.
    threads: Mutex<usize>,
    changed: Condvar,
    /// The preparation of the table is to be interrupted.
    hold: AtomicBool,
    /// Results of the helper threads.
    results: Mutex<Vec<SearchResult>>,
}

impl Busy {
    fn join(&self, threads: usize) {
        *self.threads.lock().unwrap_or_else(PoisonError::into_inner) += threads;
    }

    fn hand_in(&self, result: SearchResult) {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
    }

    fn take_results(&self) -> Vec<SearchResult> {
        std::mem::take(&mut self.results.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn leave(&self) {
        *self.threads.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.changed.notify_all();
    }

    /// Blocks until at most `threads` threads are at work.
    fn wait_for(&self, threads: usize) {
        let mut busy = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        while *busy > threads {
            busy = self.changed.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A fixed set of search threads; the first one leads.
pub(super) struct Workers {
    tasks: Vec<Sender<Task>>,
    handles: Vec<JoinHandle<()>>,
    busy: Arc<Busy>,
}

impl Workers {
    /// Starts `count` threads, one after the other. Each has its memory before the next one is started.
    ///
    /// # Errors
    /// When the system refuses a thread or its memory. All threads are ended then.
    pub(super) fn new(count: usize) -> Result<Workers, EngineError> {
        let busy = Arc::new(Busy::default());
        let mut workers = Workers { tasks: Vec::new(), handles: Vec::new(), busy };
        for index in 0..count {
            let (sender, receiver) = channel();
            let (ready, is_ready) = channel();
            let busy = Arc::clone(&workers.busy);
            // A thread allocates its own tables, so that they lie in memory near its processor (NUMA).
            let work = move || match Searcher::try_new(index) {
                Ok(searcher) => {
                    let _ = ready.send(());
                    run(searcher, index, &receiver, &busy);
                }
                Err(_) => drop(ready),
            };
            // When the stack fits into memory but the thread's other initial allocations do not, the standard library
            // aborts the process. So the memory is tried first.
            let mut room = Vec::<u8>::new();
            room.try_reserve_exact(STACK_BYTES + 2 * THREAD_BYTES as usize)
                .map_err(|_| EngineError::Memory { threads: count })?;
            drop(std::hint::black_box(room));
            let builder = Builder::new().name(format!("search {index}")).stack_size(STACK_BYTES);
            workers.handles.push(builder.spawn(work).map_err(EngineError::Thread)?);
            workers.tasks.push(sender);
            is_ready.recv().map_err(|_| EngineError::Memory { threads: count })?;
        }
        Ok(workers)
    }

    pub(super) fn count(&self) -> usize {
        self.tasks.len()
    }

    /// Lets the first `threads` threads search. If the table is not ready, they prepare it first, for at most half of
    /// the intended time of the search.
    pub(super) fn start(&self, job: SearchJob, threads: usize) {
        if !job.tt.is_ready() {
            self.prepare(&job.tt, job.intended_time().map(|time| job.control.started() + time / 2));
        }
        let job = Arc::new(job);
        self.send(threads, || Task::Search(Arc::clone(&job)));
    }

    /// Reports a line of the opening book as the result of a search, when the protocol allows it.
    pub(super) fn start_book(&self, job: SearchJob, report: Report) {
        let job = Arc::new(job);
        self.send(1, || Task::Book(Arc::clone(&job), report.clone()));
    }

    /// Lets all threads prepare a table, until this time at most.
    pub(super) fn prepare(&self, tt: &Arc<TranspositionTable>, until: Option<Instant>) {
        self.busy.hold.store(false, Relaxed);
        self.send(self.count(), || Task::Prepare(Arc::clone(tt), until));
    }

    /// Interrupts the preparation of the table.
    pub(super) fn hold(&self) {
        self.busy.hold.store(true, Relaxed);
    }

    pub(super) fn new_game(&self) {
        self.send(self.count(), || Task::NewGame);
    }

    fn send(&self, threads: usize, task: impl Fn() -> Task) {
        self.busy.join(threads);
        for sender in self.tasks.iter().take(threads) {
            // A worker lives as long as its sender, so sending fails only after a panic in a search.
            if sender.send(task()).is_err() {
                self.busy.leave();
            }
        }
    }

    /// Blocks until no thread is at work.
    pub(super) fn wait(&self) {
        self.busy.wait_for(0);
    }

    /// Whether no thread is at work.
    pub(super) fn are_idle(&self) -> bool {
        *self.busy.threads.lock().unwrap_or_else(PoisonError::into_inner) == 0
    }

    /// [`Workers::wait`] as a function that another thread can call.
    pub(super) fn waiter(&self) -> impl FnOnce() + Send + use<> {
        let busy = Arc::clone(&self.busy);
        move || busy.wait_for(0)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.tasks.clear();
        for handle in self.handles.drain(..) {
            let _ = handle.join();
        }
    }
}

fn run(mut searcher: Searcher, index: usize, tasks: &Receiver<Task>, busy: &Busy) {
    while let Ok(task) = tasks.recv() {
        match task {
            Task::NewGame => searcher.new_game(),
            Task::Prepare(tt, until) => {
                tt.make_ready(|| !busy.hold.load(Relaxed) && until.is_none_or(|until| Instant::now() < until))
            }
            Task::Book(job, report) => {
                wait_for_release(&job);
                report_book_move(&job, report);
            }
            Task::Search(job) => {
                job.tt.use_what_is_ready();
                let result = searcher.think(&job);
                if index == 0 {
                    finish_search(&mut searcher, &job, result, busy);
                } else {
                    busy.hand_in(result);
                }
            }
        }
        busy.leave();
    }
}

/// Waits for `stop` or `ponderhit` where the protocol holds the result back until then.
fn wait_for_release(job: &SearchJob) {
    if job.limits.infinite {
        job.control.wait_for_stop();
    } else {
        job.control.wait_for_ponderhit();
    }
}

/// Reports a line of the opening book like a search that found it.
fn report_book_move(job: &SearchJob, report: Report) {
    let result = SearchResult { own_nodes: job.control.own_nodes(), ..opening::result(report.clone()) };
    job.tell(SearchEvent::BookMove);
    job.tell(SearchEvent::Line(report));
    job.tell(SearchEvent::Finished(result));
}

/// Ends a search on the main thread: waits where the protocol demands it, stops the helpers, chooses among the results
/// and reports.
fn finish_search(searcher: &mut Searcher, job: &SearchJob, own: SearchResult, busy: &Busy) {
    wait_for_release(job);
    job.control.stop();
    busy.wait_for(1);
    let mut results = busy.take_results();
    results.insert(0, own);
    // A main thread that has reached the requested depth needs no vote.
    let is_deep_enough = job.limits.depth.is_some_and(|depth| results[0].depth >= depth);
    let winner = if is_deep_enough { 0 } else { elect(&results) };
    let mut result = results.swap_remove(winner);
    if let Some(access) = &job.tablebases {
        access
            .tables()
            .take_complaints()
            .into_iter()
            .for_each(|text| job.tell(SearchEvent::TableFault(text)));
    }
    searcher.conclude(job, &mut result);
    job.tell(SearchEvent::Finished(result));
}

/// Lets the threads vote on the move and returns the index of the winner: deep and good results weigh more,
/// and a proven result beats all votes (CPW: "Lazy SMP"). The first result wins ties. A thread that has reached less
/// than half of the greatest depth has no vote, unless it has found a win.
fn elect(results: &[SearchResult]) -> usize {
    let deepest = results.iter().map(|result| result.depth).max().unwrap_or(0);
    let has_vote = |result: &&SearchResult| 2 * result.depth >= deepest || result.score.is_win();
    let voters = || results.iter().filter(has_vote);
    let worst = voters().map(|result| result.score.0).min().unwrap_or(0);
    let weight = |result: &SearchResult| i64::from(result.score.0 - worst + 10) * i64::from(result.depth);
    let votes = |result: &SearchResult| -> i64 {
        voters().filter(|other| other.best == result.best).map(weight).sum()
    };
    let rank = |result: &SearchResult| {
        let proven = if result.score.is_decisive() { result.score.0 } else { 0 };
        (proven, votes(result), weight(result))
    };
    let candidates = results.iter().enumerate().filter(|(_, result)| has_vote(result));
    // `max_by_key` returns the last of equal elements, and the first result is to win ties.
    candidates.rev().max_by_key(|(_, result)| rank(result)).map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Move, MoveKind, Score, Square};

    fn result(to: Square, score: Score, depth: i32) -> SearchResult {
        let best = Some(Move::new(Square::E2, to, MoveKind::Quiet));
        SearchResult { best, score, depth, ..SearchResult::none() }
    }

    #[test]
    fn shallow_results_have_no_vote() {
        let (a, b) = (Square::E3, Square::E4);
        let to = |results: Vec<SearchResult>| results[elect(&results)].best.unwrap().to();
        // Without a finished iteration a score is a guess, and disproves no mate that another thread sees.
        assert_eq!(to(vec![result(a, Score(-50), 1), result(b, Score(700), 0)]), a);
        assert_eq!(to(vec![result(b, Score(700), 0), result(a, Score(-50), 1)]), a);
        assert_eq!(to(vec![result(a, Score::mated_in(4), 9), result(b, Score(-300), 4)]), a);
        // The main thread has no privilege.
        assert_eq!(to(vec![result(a, Score(300), 1), result(b, Score(10), 8), result(b, Score(5), 7)]), b);
        assert_eq!(to(vec![result(a, Score(300), 20), result(b, Score::mate_in(3), 2)]), b);
        // The main thread wins ties.
        assert_eq!(elect(&[result(b, Score(0), 0), result(a, Score(0), 0)]), 0);
        assert_eq!(elect(&[result(b, Score(7), 5), result(b, Score(7), 5)]), 0);
    }

    #[test]
    fn votes_count_depth_and_score_but_a_mate_wins() {
        let (a, b) = (Square::E3, Square::E4);
        let to = |results: Vec<SearchResult>| results[elect(&results)].best.unwrap().to();
        assert_eq!(to(vec![result(a, Score(20), 10), result(b, Score(20), 10)]), a);
        assert_eq!(to(vec![result(a, Score(20), 10), result(b, Score(25), 12), result(b, Score(22), 11)]), b);
        let mate = result(b, Score::mate_in(5), 8);
        assert_eq!(to(vec![result(a, Score(900), 20), result(a, Score(900), 20), mate]), b);
        assert_eq!(to(vec![result(a, Score::mate_in(3), 9), result(b, Score::mate_in(5), 20)]), a);
        // A thread that sees itself mated does not outvote one that sees an escape.
        assert_eq!(to(vec![result(a, Score::mated_in(4), 20), result(b, Score(-500), 15)]), b);
    }
}
