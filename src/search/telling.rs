//! What a search tells while it runs, and its last word.

use std::time::Duration;

use super::job::SearchJob;
use super::report::{NEWS_AFTER, Report, SearchEvent, SearchResult, VERBOSE_AFTER};
use super::root::{self, RootMove};
use super::thread::{Searcher, Thread};
use crate::types::{Depth, Move, Score};

/// The counts are told when nothing that holds them was told for so long.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Between two times that all lines are told before an iteration ends lies at least this for each of them.
const LINE_PAUSE: Duration = Duration::from_millis(25);

impl Searcher {
    /// Ends a search with the result of one of its threads, told by the main thread: the counts become final, and
    /// the lines are told once more where that says anything new.
    pub fn conclude(&mut self, job: &SearchJob, result: &mut SearchResult) {
        let counts = job.counts();
        (result.nodes, result.own_nodes) = (counts.nodes, job.control.own_nodes());
        for line in &mut result.lines {
            *line = line.clone().with_counts(counts);
        }
        let mut pairs = self.told.iter().zip(&result.lines);
        let is_told = self.told.len() == result.lines.len()
            && pairs.all(|(told, line)| told.nodes == line.nodes && told.tells_the_same(line));
        if !is_told {
            result.lines.iter().cloned().for_each(|line| job.tell(SearchEvent::Line(line)));
        }
    }
}

impl Thread<'_> {
    /// Number of lines that are shown.
    pub(super) fn shown_lines(&self) -> usize {
        self.job.limits.multi_pv.clamp(1, self.root.moves.len())
    }

    /// Tells which root move is being searched, in long searches only.
    pub(super) fn announce_move(&self, depth: Depth, mv: Move, number: usize) {
        // Short searches need not ask the clock at every root move.
        if self.id == 0 && self.quota.nodes() > 10_000 && self.quota.has_run(VERBOSE_AFTER) {
            self.job.tell(SearchEvent::CurrentMove { depth, mv, number: number + self.root.pv_index });
        }
    }

    /// Whether a new best move or an uncertain score may be told of before the iteration ends. With several lines
    /// each is told when it is finished.
    pub(super) fn tells_unfinished(&self) -> bool {
        self.job.limits.multi_pv <= 1
    }

    /// Whether the lines are told each time that one of them is finished: in long searches, where not too many
    /// come at once.
    pub(super) fn shows_each_line(&self) -> bool {
        let told = self.told.first().map_or(Duration::ZERO, |line| line.time);
        let pause = LINE_PAUSE * self.shown_lines() as u32;
        self.quota.has_run(NEWS_AFTER) && self.quota.has_run(told + pause)
    }

    /// Tells about a root move that has become the best before the iteration is over, in long searches only.
    pub(super) fn announce_best(&mut self, mv: Move) {
        if self.tells_unfinished() && self.told_best() != Some(mv) && self.quota.has_run(NEWS_AFTER) {
            self.tell_best(mv);
        }
    }

    /// The move that heads the last line told of rank 1.
    pub(super) fn told_best(&self) -> Option<Move> {
        self.told.first().and_then(|told| told.pv.first().copied())
    }

    /// Tells about a root move as the best.
    pub(super) fn tell_best(&mut self, best: Move) {
        if self.is_heard()
            && let Some(root) = self.root.moves.iter().find(|root| root.mv == best)
        {
            let report = self.line_report(self.quota.counts(), 0, root);
            self.tell(vec![report]);
        }
    }

    /// Tells the best lines as they are known now.
    pub(super) fn tell_lines(&mut self) {
        if self.is_heard() {
            let lines = self.lines();
            self.tell(lines);
        }
    }

    /// The best lines as they are known now. Those that the running iteration has not finished are as the one
    /// before it left them, except for the best.
    pub(super) fn lines(&self) -> Vec<Report> {
        let (counts, shown) = (self.quota.counts(), self.shown_lines());
        let (now, later) = self.root.moves.split_at(self.root.pv_index.clamp(1, shown));
        let mut later: Vec<RootMove> =
            later.iter().filter(|root| root.was_searched()).map(RootMove::before).collect();
        root::sort(&mut later);
        let lines = now.iter().chain(&later).take(shown).enumerate();
        lines
            .map(|(rank, root)| self.line_report(counts, rank, root))
            .filter(|line| line.score > -Score::INFINITE)
            .collect()
    }

    /// Whether anybody hears what this thread tells. Helpers tell nothing, and where nobody listens the work is
    /// spared.
    fn is_heard(&self) -> bool {
        self.id == 0 && self.job.sink.is_some()
    }

    /// Tells these lines, the first of which is the best.
    fn tell(&mut self, lines: Vec<Report>) {
        self.job.control.note_told();
        lines.iter().cloned().for_each(|line| self.job.tell(SearchEvent::Line(line)));
        *self.told = lines;
    }

    /// Tells how far the search has come, once a second where nothing else tells it. Any thread does, since one
    /// look at a table on a slow disk may hold the main thread up.
    pub(super) fn tell_progress(&self) {
        if self.job.sink.is_some() && self.job.control.must_tell(PROGRESS_EVERY) {
            self.job.tell(SearchEvent::Progress(self.quota.counts()));
        }
    }
}
