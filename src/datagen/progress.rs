//! How far generation has come: a bar in a terminal, otherwise a line now and then.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::generate::Goal;
use super::record::GameRecord;
use super::tally::Tally;
use crate::tools::progress::clock;
use crate::uci::Output;

const BAR_INTERVAL: Duration = Duration::from_millis(200);
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Counts games and shows the count.
pub(super) struct Progress<'a> {
    goal: Goal,
    before: Tally,
    tally: Tally,
    start: Instant,
    shown: Instant,
    bar: Option<ProgressBar>,
    output: &'a Output,
}

impl<'a> Progress<'a> {
    /// Progress towards a goal from the games that there are already.
    pub(super) fn new(goal: Goal, tally: Tally, output: &'a Output) -> Progress<'a> {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(1000);
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Progress { goal, before: tally, tally, start: now, shown: now, bar, output }
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
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = (self.tally.kept - self.before.kept) as f64 / seconds.max(1e-3);
        let share = self.share();
        let left = match share > 0.0 {
            true => format!(", ETA {}", clock((seconds * (1.0 - share) / share) as u64)),
            false => String::new(),
        };
        let Tally { games, kept, .. } = self.tally;
        let results = self.tally.results_text();
        format!("{kept} positions, {rate:.0}/s, {games} games ({results}){left}")
    }
}
