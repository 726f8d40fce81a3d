//! What a search reports while it runs, and its last word: when lines are reported, and how a principal variation
//! becomes a line that is worth showing. It is continued by the transposition table's moves, where the search proved
//! its score without looking at every move again, and by the endgame tables to the mate.

use std::time::{Duration, Instant};

use super::job::SearchJob;
use super::report::{Counts, NEWS_AFTER, Report, ScoreBound, SearchEvent, SearchResult, VERBOSE_AFTER};
use super::tablebases::root_score;
use super::thread::{RootMove, Searcher, Thread, sort_root_moves};
use crate::board::{Game, Outcome};
use crate::tablebase::{TableAccess, Wdl};
use crate::tt::TranspositionTable;
use crate::types::{Move, Score};

/// The counts are reported when nothing that holds them was reported for this time.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// The least time, for each line, between two reports of all lines before an iteration ends.
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
        let mut pairs = self.last_reports.iter().zip(&result.lines);
        let is_reported = self.last_reports.len() == result.lines.len()
            && pairs.all(|(report, line)| report.nodes == line.nodes && report.tells_the_same(line));
        if !is_reported {
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
    pub(super) fn announce_move(&self, mv: Move, number: usize) {
        // Short searches need not ask the clock at every root move.
        if self.id == 0 && self.quota.nodes() > 10_000 && self.quota.has_run(VERBOSE_AFTER) {
            // The depth is that of the iteration, also while a search after a high score is less deep.
            let depth = self.root.depth;
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
        let last_time = self.last_reports.first().map_or(Duration::ZERO, |line| line.time);
        let pause = LINE_PAUSE * self.shown_lines() as u32;
        self.quota.has_run(NEWS_AFTER) && self.quota.has_run(last_time + pause)
    }

    /// Tells about a root move that has become the best before the iteration is over, in long searches only.
    pub(super) fn announce_best(&mut self, mv: Move) {
        if self.tells_unfinished() && self.last_reported_best() != Some(mv) && self.quota.has_run(NEWS_AFTER)
        {
            self.tell_best(mv);
        }
    }

    /// The first move of the last reported line of rank 1.
    pub(super) fn last_reported_best(&self) -> Option<Move> {
        self.last_reports.first().and_then(|report| report.pv.first().copied())
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
        sort_root_moves(&mut later);
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
        self.job.control.note_report();
        lines.iter().cloned().for_each(|line| self.job.tell(SearchEvent::Line(line)));
        *self.last_reports = lines;
    }

    /// Tells how far the search has come, once a second where nothing else tells it. Any thread does, since one
    /// look at a table on a slow disk may hold the main thread up.
    pub(super) fn tell_progress(&self) {
        if self.job.sink.is_some() && self.job.control.must_report(PROGRESS_EVERY) {
            self.job.tell(SearchEvent::Progress(self.quota.counts()));
        }
    }
}

/// Lines that the endgame tables continue have at most this number of moves, and it takes at most this time, within the
/// time for the move: on a slow disk each look-up may take milliseconds.
const LONGEST_LINE: usize = 200;
const LONGEST_LOOK: Duration = Duration::from_millis(20);
/// What is looked up to see whether a line keeps its result may go beyond the time for the move by this.
const SHORT_LOOK: Duration = Duration::from_millis(2);

impl Thread<'_> {
    /// What the endgame tables make of a root move's score. A mate says more than the tables, anything else
    /// less.
    pub(super) fn proven_at_root(&self, score: Score) -> Option<Score> {
        self.tb_result.filter(|_| !score.is_mate() && score > -Score::INFINITE).map(root_score)
    }

    /// What there is to tell about a root move of this rank, from 0.
    pub(super) fn line_report(&self, counts: Counts, rank: usize, root: &RootMove) -> Report {
        // An unfinished iteration may not have come to this line; the one before has. Beside other lines a bound
        // says too little.
        let is_known = root.is_searched()
            && (root.bound == ScoreBound::Exact || self.job.limits.multi_pv <= 1 || !root.was_searched());
        let (score, bound, depth) = match is_known {
            true => (root.score, root.bound, self.root.depth),
            false => (root.previous_score, ScoreBound::Exact, (self.root.depth - 1).max(1)),
        };
        let proven = self.proven_at_root(score);
        let (score, bound) = proven.map_or((score, bound), |known| (known, ScoreBound::Exact));
        let is_same = |report: &&Report| {
            (report.depth, report.score, report.bound, report.pv.first())
                == (depth, score, bound, Some(&root.mv))
        };
        if let Some(last) = self.last_reports.iter().find(is_same) {
            // Nothing new is known. The last report holds, so that the reply to ponder on is the one shown.
            return Report { multi_pv: rank + 1, ..last.clone().with_counts(counts) };
        }
        let plies = match score.is_mate() {
            true => (Score::MATE.0 - score.0.abs()) as usize,
            // What leads into the tables is proven, other moves might not. All replies lose to a win.
            false if score.is_decisive() && proven.is_none() => 1 + usize::from(score.is_win()),
            // Two at least: the second move is the one to ponder on.
            false => depth.max(2) as usize,
        };
        let mut pv = root.pv.to_vec();
        continue_line(&self.job.game, &mut pv, &self.job.tt, plies);
        if !score.is_decisive() {
            stop_before_mate(&self.job.game, &mut pv);
        }
        if let Some(access) = &self.job.tablebases
            && !score.is_mate()
        {
            self.keep_to_tables(access, &mut pv, score, bound);
        }
        let Counts { nodes, tb_hits, time, hashfull } = counts;
        Report {
            depth,
            seldepth: root.seldepth,
            multi_pv: rank + 1,
            score,
            bound,
            is_drawn: proven.is_some_and(|known| !known.is_decisive()) || self.job.game.position().is_dead(),
            nodes,
            tb_hits,
            time,
            hashfull,
            pv,
        }
    }

    /// Ends a line where it would not keep the result that the tables know. Where they have proven the score, it has
    /// a reply to ponder on, and in long searches it goes on to the mate.
    fn keep_to_tables(&self, access: &TableAccess, line: &mut Vec<Move>, score: Score, bound: ScoreBound) {
        let started = Instant::now();
        let is_in_time = || {
            let spent = started.elapsed();
            spent < LONGEST_LOOK && (spent < SHORT_LOOK || !self.quota.is_out_of_time())
        };
        let agrees = |result: Wdl| agrees(score, bound, result);
        let kept = access.kept_moves(&self.job.game, line, self.tb_result, &agrees, &is_in_time);
        line.truncate(kept.max(1));
        let is_long = score.is_decisive() && self.quota.has_run(NEWS_AFTER);
        if !is_long && (line.len() > 1 || self.tb_result.is_none()) {
            return;
        }
        let mut game = self.job.game.clone();
        line.iter().for_each(|&mv| game.play(mv));
        let has_time = || started.elapsed() < LONGEST_LOOK && !self.quota.is_out_of_time();
        if is_long {
            line.extend(access.perfect_line(game, LONGEST_LINE.saturating_sub(line.len()), &has_time));
        } else {
            line.extend(access.perfect_move(&game, &has_time));
        }
    }
}

/// Whether a line shown with this score may lead to this result. Both are seen by the same side. Scores that are
/// neither decisive nor a draw leave the result open.
fn agrees(score: Score, bound: ScoreBound, result: Wdl) -> bool {
    let shown = root_score(result);
    match bound {
        _ if !score.is_decisive() && score.0.abs() > 1 => true,
        ScoreBound::Exact => (shown.is_win(), shown.is_loss()) == (score.is_win(), score.is_loss()),
        ScoreBound::Lower => !score.is_win() || shown.is_win(),
        ScoreBound::Upper => !score.is_loss() || shown.is_loss(),
    }
}

/// Continues a line with the table's moves up to a length of `plies`. It ends earlier where the game is over,
/// where a position would come up again, and where the table knows no good move.
fn continue_line(game: &Game, line: &mut Vec<Move>, tt: &TranspositionTable, plies: usize) {
    if line.len() >= plies {
        return;
    }
    let mut game = game.clone();
    line.iter().for_each(|&mv| game.play(mv));
    while line.len() < plies && game.outcome().is_none() {
        let position = game.position();
        let known = tt.probe(position.key(), line.len(), position.halfmove_clock());
        // A move that only failed least is no continuation, but good enough to ponder on.
        let known = known.filter(|entry| entry.bound.is_lower() || line.len() == 1);
        let mv = known.and_then(|entry| entry.mv).filter(|&mv| position.is_legal(mv));
        let Some(mv) = mv else { break };
        game.play(mv);
        if game.occurrences() > 1 {
            break;
        }
        line.push(mv);
    }
}

/// Cuts the last move off a line that ends in checkmate, which is not what its score says. The search that gave the
/// score has not looked so far.
fn stop_before_mate(game: &Game, line: &mut Vec<Move>) {
    let mut game = game.clone();
    line.iter().for_each(|&mv| game.play(mv));
    if line.len() > 1 && matches!(game.outcome(), Some(Outcome::Checkmate(_))) {
        line.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{format_uci, parse_uci};
    use crate::tt::{Bound, TtEntry};

    /// A game, and a table that knows a move with a bound for the position after each of `moves`.
    fn known(played: &str, moves: &[(&str, Bound)]) -> (Game, TranspositionTable) {
        let play = |game: &mut Game, text: &str| game.play(parse_uci(game.position(), text).unwrap());
        let mut game = Game::default();
        played.split_whitespace().for_each(|text| play(&mut game, text));
        let table = TranspositionTable::new(1).unwrap();
        let mut line = game.clone();
        for &(text, bound) in moves {
            let mv = Some(parse_uci(line.position(), text).unwrap());
            let entry = TtEntry { mv, score: Score(10), eval: None, depth: 5, bound, was_pv: true };
            table.store(line.position().key(), 0, entry);
            play(&mut line, text);
        }
        (game, table)
    }

    /// The line `start` from the game, continued.
    fn continued(game: &Game, table: &TranspositionTable, start: &str, plies: usize) -> String {
        let mut line = vec![parse_uci(game.position(), start).unwrap()];
        continue_line(game, &mut line, table, plies);
        line.iter().map(|&mv| format_uci(mv, false)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_go_on_as_far_as_good_moves_are_known() {
        use Bound::{Exact, Lower, Upper};
        let moves = [("e2e4", Exact), ("e7e5", Lower), ("g1f3", Exact), ("b8c6", Upper), ("f1b5", Exact)];
        let (game, table) = known("", &moves);
        assert_eq!(continued(&game, &table, "e2e4", 10), "e2e4 e7e5 g1f3");
        assert_eq!(continued(&game, &table, "e2e4", 2), "e2e4 e7e5");
        assert_eq!(continued(&game, &table, "e2e4", 1), "e2e4");
        assert_eq!(continued(&game, &table, "d2d4", 10), "d2d4");
        // Any known reply is good enough to ponder on.
        let (game, table) = known("e2e4 e7e5", &[("g1f3", Exact), ("b8c6", Upper), ("f1b5", Upper)]);
        assert_eq!(continued(&game, &table, "g1f3", 10), "g1f3 b8c6");
    }

    #[test]
    fn lines_stop_before_a_repetition() {
        use Bound::Exact;
        // The table knows a circle.
        let circle = [("g1f3", Exact), ("g8f6", Exact), ("f3g1", Exact), ("f6g8", Exact)];
        let (game, table) = known("", &circle);
        assert_eq!(continued(&game, &table, "g1f3", 100), "g1f3 g8f6 f3g1");
        // Positions of the game count too.
        let (game, table) = known("b1c3 b8c6 c3b1", &[("c6b8", Exact), ("g1f3", Exact), ("g8f6", Exact)]);
        assert_eq!(continued(&game, &table, "c6b8", 100), "c6b8 g1f3 g8f6");
        let (game, table) = known("b1c3 b8c6", &[("c3b1", Exact), ("c6b8", Exact), ("g1f3", Exact)]);
        assert_eq!(continued(&game, &table, "c3b1", 100), "c3b1");
    }

    #[test]
    fn lines_without_a_mate_score_stop_before_the_mate() {
        let cut = |start: &str| {
            let mut game = Game::default();
            let mut play = |text| {
                let mv = parse_uci(game.position(), text).unwrap();
                game.play(mv);
                mv
            };
            let mut line: Vec<Move> = start.split(' ').map(&mut play).collect();
            let length = line.len();
            stop_before_mate(&Game::default(), &mut line);
            length - line.len()
        };
        assert_eq!(cut("f2f3 e7e5 g2g4 d8h4"), 1);
        assert_eq!(cut("f2f3 e7e5 g2g4 d8g5"), 0);
        assert_eq!(cut("e2e4"), 0);
    }

    #[test]
    fn lines_lead_to_what_the_score_says() {
        use ScoreBound::{Exact, Lower, Upper};
        let (win, loss) = (Score::tablebase_win(5), -Score::tablebase_win(4));
        for (score, bound, results) in [
            (win, Exact, vec![Wdl::Win]),
            (win, Lower, vec![Wdl::Win]),
            (win, Upper, vec![Wdl::Loss, Wdl::Draw, Wdl::Win]),
            (loss, Exact, vec![Wdl::Loss]),
            (loss, Upper, vec![Wdl::Loss]),
            (loss, Lower, vec![Wdl::Loss, Wdl::Draw, Wdl::Win]),
            (Score::DRAW, Exact, vec![Wdl::Draw]),
            (Score(40), Exact, vec![Wdl::Loss, Wdl::Draw, Wdl::Win]),
        ] {
            for result in [Wdl::Loss, Wdl::Draw, Wdl::Win] {
                let expected = results.contains(&result);
                assert_eq!(agrees(score, bound, result), expected, "{score:?} {bound:?} {result:?}");
            }
        }
        assert!(agrees(Score::DRAW, Exact, Wdl::CursedWin) && agrees(Score(-1), Exact, Wdl::BlessedLoss));
    }

    #[test]
    fn a_finished_game_is_not_continued() {
        let (game, table) = known("f2f3 e7e5 g2g4", &[("d8h4", Bound::Exact)]);
        assert_eq!(continued(&game, &table, "d8h4", 10), "d8h4");
    }
}
