//! The search threads. They are started once, sleep on a channel between searches, and keep their
//! histories from move to move.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::EngineError;
use crate::search::{SearchEvent, SearchJob, SearchResult, Searcher};

/// Deep lines of large node frames fit with room to spare.
const STACK_BYTES: usize = 8 << 20;

enum Task {
    Search(Arc<SearchJob>),
    NewGame,
}

/// Counts threads that are still searching.
#[derive(Default)]
struct Busy {
    threads: Mutex<usize>,
    changed: Condvar,
}

impl Busy {
    fn set(&self, threads: usize) {
        *self.threads.lock().unwrap_or_else(PoisonError::into_inner) = threads;
    }

    fn leave(&self) {
        *self.threads.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.changed.notify_all();
    }

    /// Blocks until at most so many threads search.
    fn wait_for(&self, threads: usize) {
        let mut busy = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        while *busy > threads {
            busy = self.changed.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn any(&self) -> bool {
        *self.threads.lock().unwrap_or_else(PoisonError::into_inner) > 0
    }
}

/// A fixed set of search threads; the first one leads.
pub(super) struct Workers {
    tasks: Vec<Sender<Task>>,
    handles: Vec<JoinHandle<()>>,
    busy: Arc<Busy>,
}

impl Workers {
    pub(super) fn new(count: usize) -> Result<Workers, EngineError> {
        let busy = Arc::new(Busy::default());
        let mut workers = Workers { tasks: Vec::new(), handles: Vec::new(), busy };
        for index in 0..count {
            let (sender, receiver) = channel();
            let busy = Arc::clone(&workers.busy);
            let handle = Builder::new()
                .name(format!("search {index}"))
                .stack_size(STACK_BYTES)
                .spawn(move || run(index, &receiver, &busy))
                .map_err(EngineError::Thread)?;
            workers.tasks.push(sender);
            workers.handles.push(handle);
        }
        Ok(workers)
    }

    pub(super) fn count(&self) -> usize {
        self.tasks.len()
    }

    pub(super) fn start(&self, job: SearchJob) {
        let job = Arc::new(job);
        self.busy.set(self.count());
        self.send(|| Task::Search(Arc::clone(&job)));
    }

    pub(super) fn new_game(&self) {
        self.send(|| Task::NewGame);
    }

    fn send(&self, task: impl Fn() -> Task) {
        for sender in &self.tasks {
            // A worker lives as long as its sender, so this fails only after a panic in a search.
            let _ = sender.send(task());
        }
    }

    pub(super) fn wait(&self) {
        self.busy.wait_for(0);
    }

    pub(super) fn is_busy(&self) -> bool {
        self.busy.any()
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

fn run(index: usize, tasks: &Receiver<Task>, busy: &Busy) {
    let mut searcher = Searcher::new(index);
    while let Ok(task) = tasks.recv() {
        match task {
            Task::NewGame => searcher.new_game(),
            Task::Search(job) => {
                let result = searcher.search(&job);
                if index == 0 {
                    lead_home(&job, result, busy);
                }
                busy.leave();
            }
        }
    }
}

/// Ends a search: holds the result back where the protocol wants it, gathers the helpers, reports.
fn lead_home(job: &SearchJob, mut result: SearchResult, busy: &Busy) {
    if job.limits.infinite || job.control.is_pondering() {
        job.control.wait_for_release(!job.limits.infinite);
    }
    job.control.stop();
    busy.wait_for(1);
    result.nodes = job.control.nodes();
    (job.sink)(SearchEvent::Finished(result));
}
