//! How far generation has come: a bar in a terminal, otherwise a line now and then.

use std::collections::VecDeque;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::record::GameRecord;
use super::stats::{Goal, Tally};
use crate::console::Output;
use crate::console::progress::clock;

const BAR_INTERVAL: Duration = Duration::from_millis(200);
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Counts games and shows the count.
pub(crate) struct Progress<'a> {
    goal: Goal,
    before: Tally,
    tally: Tally,
    pace: Pace,
    start: Instant,
    shown: Instant,
    bar: Option<ProgressBar>,
    output: &'a Output,
}

impl<'a> Progress<'a> {
    /// Progress towards a goal from the games that there are already.
    pub(crate) fn new(goal: Goal, tally: Tally, output: &'a Output) -> Progress<'a> {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(1000);
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Progress { goal, before: tally, tally, pace: Pace::new(tally), start: now, shown: now, bar, output }
    }

    /// The games so far.
    pub(super) fn tally(&self) -> Tally {
        self.tally
    }

    /// Counts a game.
    pub(super) fn add(&mut self, game: &GameRecord) {
        self.tally.add(game);
    }

    /// Shows the count, if it is time for it.
    pub(super) fn show(&mut self) {
        self.pace.add(self.start.elapsed(), self.tally);
        let interval = if self.bar.is_some() { BAR_INTERVAL } else { LINE_INTERVAL };
        if self.shown.elapsed() < interval {
            return;
        }
        self.shown = Instant::now();
        match &self.bar {
            Some(bar) => {
                bar.set_position((self.share() * 1000.0) as u64);
                bar.set_message(self.text());
            }
            None => {
                self.output.line(&self.text());
            }
        }
    }

    /// Whether nobody sees the count any more.
    pub(super) fn is_unseen(&self) -> bool {
        self.output.is_closed()
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// The share of the work of this run that is done, 0 to 1; 0 without a goal.
    fn share(&self) -> f64 {
        let part = |now: u64, before: u64, wanted: Option<u64>| {
            let wanted = wanted?.saturating_sub(before).max(1);
            Some((now - before) as f64 / wanted as f64)
        };
        let time = self.goal.time.map(|time| self.start.elapsed().div_duration_f64(time));
        let positions = part(self.tally.kept, self.before.kept, self.goal.positions);
        let games = part(self.tally.games, self.before.games, self.goal.games);
        [time, positions, games].into_iter().flatten().fold(0.0, f64::max).min(1.0)
    }

    fn text(&self) -> String {
        let Tally { games, kept, .. } = self.tally;
        let left = self.left().map_or(String::new(), |left| format!(", ETA {}", clock(left.as_secs())));
        let (rate, results) = (self.pace.per_second(|tally| tally.kept), self.tally.results_text());
        format!("{kept} positions, {rate:.0}/s, {games} games ({results}){left}")
    }

    /// The time that is left if work goes on as in the last minute; `None` without a goal.
    fn left(&self) -> Option<Duration> {
        let work = |wanted: Option<u64>, count: fn(&Tally) -> u64| {
            let missing = wanted?.saturating_sub(count(&self.tally)) as f64;
            Duration::try_from_secs_f64(missing / self.pace.per_second(count)).ok()
        };
        let time = self.goal.time.map(|time| time.saturating_sub(self.start.elapsed()));
        let positions = work(self.goal.positions, |tally| tally.kept);
        let games = work(self.goal.games, |tally| tally.games);
        [time, positions, games].into_iter().flatten().min()
    }
}

/// How fast the work has gone lately, since other work on the machine may come and go.
struct Pace {
    /// Moments, counted from the start, and what was done by then: one from about a minute ago and those since.
    samples: VecDeque<(Duration, Tally)>,
}

impl Pace {
    /// What is looked back at.
    const WINDOW: Duration = Duration::from_secs(60);
    /// Between two samples.
    const STEP: Duration = Duration::from_secs(1);

    fn new(before: Tally) -> Pace {
        Pace { samples: VecDeque::from([(Duration::ZERO, before)]) }
    }

    /// Takes note of what is done at a moment.
    fn add(&mut self, now: Duration, tally: Tally) {
        if self.samples.back().is_none_or(|last| now >= last.0 + Pace::STEP) {
            self.samples.push_back((now, tally));
        }
        while self.samples.get(1).is_some_and(|second| now >= second.0 + Pace::WINDOW) {
            self.samples.pop_front();
        }
    }

    /// What was done in a second; 0 as long as nothing is known.
    fn per_second(&self, count: impl Fn(&Tally) -> u64) -> f64 {
        let (Some(first), Some(last)) = (self.samples.front(), self.samples.back()) else { return 0.0 };
        let seconds = (last.0 - first.0).as_secs_f64();
        if seconds > 0.0 { (count(&last.1) - count(&first.1)) as f64 / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_is_that_of_the_last_minute() {
        let at = |kept| Tally { games: kept / 10, kept, ..Tally::default() };
        let kept = |tally: &Tally| tally.kept;
        let mut pace = Pace::new(at(500));
        assert_eq!(pace.per_second(kept), 0.0);
        // Ten minutes of 1000 a second, looked at ten times a second.
        for tenths in 1..=6000 {
            pace.add(Duration::from_millis(100 * tenths), at(500 + 100 * tenths));
        }
        assert_eq!(pace.per_second(kept), 1000.0);
        assert_eq!(pace.per_second(|tally| tally.games), 100.0);
        assert!(pace.samples.len() <= 61);
        // Now 200 a second: after half a minute half of the window, after a minute all of it.
        for seconds in 1..=60 {
            pace.add(Duration::from_secs(600 + seconds), at(600_500 + 200 * seconds));
            if seconds == 30 {
                assert_eq!(pace.per_second(kept), 600.0);
            }
        }
        assert_eq!(pace.per_second(kept), 200.0);
        // One look after a long pause.
        pace.add(Duration::from_secs(860), at(612_500));
        assert_eq!(pace.per_second(kept), 0.0);
    }

    #[test]
    fn time_left() {
        let output = Output::standard();
        let left = |goal, tally, pace_after: Option<(u64, Tally)>| {
            let mut progress = Progress::new(goal, Tally::default(), &output);
            progress.tally = tally;
            if let Some((seconds, tally)) = pace_after {
                progress.pace.add(Duration::from_secs(seconds), tally);
            }
            progress.left().map(|left| left.as_secs())
        };
        let tally = Tally { games: 10, kept: 700, ..Tally::default() };
        let pace = Some((10, tally));
        assert_eq!(left(Goal::default(), tally, pace), None);
        assert_eq!(left(Goal { positions: Some(7700), ..Goal::default() }, tally, pace), Some(100));
        assert_eq!(left(Goal { games: Some(60), ..Goal::default() }, tally, pace), Some(50));
        assert_eq!(left(Goal { games: Some(60), positions: Some(7700), time: None }, tally, pace), Some(50));
        assert_eq!(left(Goal { games: Some(5), ..Goal::default() }, tally, pace), Some(0));
        assert_eq!(left(Goal { games: Some(60), ..Goal::default() }, tally, None), None);
        let time = Some(Duration::from_secs(20));
        let soon = left(Goal { games: Some(60), time, ..Goal::default() }, tally, pace);
        assert!(soon.is_some_and(|soon| (15..20).contains(&soon)), "{soon:?}");
    }
}
