//! Games on several threads, written in the order of their numbers.
//!
//! Each thread takes the next number, plays that game and hands it over. The writer holds games back
//! until those before them have come, so the file does not depend on the number of threads, and the
//! count of its games tells the number to go on with. Of several machines each has a shard of the numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::file::DataError;
use super::player::{Player, Thinking};
use super::progress::Progress;
use super::record::GameRecord;
use super::selfplay::{NoOpening, SelfPlay};
use super::stats::{Goal, Tally};
use super::writer::DataWriter;
use crate::tt::AllocationError;

/// How long the writer waits for a game before it looks at clock and stop flag.
const PATIENCE: Duration = Duration::from_millis(100);

/// Why generation failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GenerateError {
    #[error("{0}")]
    Data(#[from] DataError),
    #[error("{0}")]
    Opening(#[from] NoOpening),
    #[error("{0}")]
    Memory(#[from] AllocationError),
}

/// What a run has brought.
pub(crate) struct GenerateReport {
    before: Tally,
    after: Tally,
    bytes: u64,
    time: Duration,
}

impl fmt::Display for GenerateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let new = self.after.kept - self.before.kept;
        let seconds = self.time.as_secs_f64();
        writeln!(
            f,
            "{} new games with {new} positions in {seconds:.1} s, {:.0} positions/s",
            self.after.games - self.before.games,
            new as f64 / seconds.max(1e-3)
        )?;
        write!(
            f,
            "{} games ({}) with {} positions in all, {} bytes, {:.2} for a position",
            self.after.games,
            self.after.results_text(),
            self.after.kept,
            self.bytes,
            self.bytes as f64 / self.after.kept.max(1) as f64
        )
    }
}

/// Which of the games of a seed belong to this file: those whose number leaves the remainder `index` when it is
/// divided by `count`. The shards of all indices together are the games without shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    /// From 0.
    pub(crate) index: u64,
    /// At least 1.
    pub(crate) count: u64,
}

impl Shard {
    /// All games.
    pub(crate) const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// The number, among all games of the seed, of a game of this file.
    fn number(self, place: u64) -> u64 {
        self.index + self.count * place
    }
}

/// What is to be played, how, and how much of it.
pub(crate) struct Plan {
    /// The rules of the games.
    pub(crate) self_play: SelfPlay,
    /// How the players choose moves.
    pub(crate) thinking: Thinking,
    /// The games that belong to the file.
    pub(crate) shard: Shard,
    /// Games played at the same time.
    pub(crate) threads: usize,
    /// When enough has been played.
    pub(crate) goal: Goal,
}

/// What threads and writer share.
struct Shared<'a> {
    plan: &'a Plan,
    /// Place in the file of the next game to begin.
    next: AtomicU64,
    /// The user wants no further game to begin.
    stop: &'a AtomicBool,
    /// The time of this run is over: no further game begins.
    time_over: AtomicBool,
    /// Running games are of no use any more.
    abandon: AtomicBool,
}

impl Shared<'_> {
    /// Whether no further game begins.
    fn is_over(&self) -> bool {
        [self.stop, &self.time_over, &self.abandon].into_iter().any(|flag| flag.load(Relaxed))
    }
}

type Played = Result<(u64, GameRecord), GenerateError>;

/// Plays until the goal is met, the time is over or `stop` is set; running games are then played to
/// their end, unless they are more than the goal asks for.
///
/// # Errors
/// When the file cannot be written, no opening is balanced, or memory is refused.
pub(crate) fn generate(
    plan: &Plan,
    writer: DataWriter,
    mut progress: Progress<'_>,
    stop: &AtomicBool,
) -> Result<GenerateReport, GenerateError> {
    let start = Instant::now();
    let (before, goal) = (progress.tally(), plan.goal);
    let shared = Shared {
        plan,
        next: AtomicU64::new(before.games),
        stop,
        time_over: AtomicBool::new(false),
        abandon: AtomicBool::new(goal.is_met(&before)),
    };
    let bytes = std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..plan.threads {
            let (shared, sender) = (&shared, sender.clone());
            scope.spawn(move || play_games(shared, &sender));
        }
        drop(sender);
        let mut collector = Collector { writer, waiting: BTreeMap::new() };
        let mut result = Ok(());
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok(played) if result.is_ok() => {
                    result = played.and_then(|(place, game)| {
                        collector.add(place, game, goal, &mut progress)?;
                        Ok(())
                    });
                }
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if result.is_err() || goal.is_met(&progress.tally()) {
                shared.abandon.store(true, Relaxed);
            }
            progress.show();
            // Without a goal it would go on for ever when its reader has had enough.
            if goal.time.is_some_and(|time| start.elapsed() >= time) || progress.is_unseen() {
                shared.time_over.store(true, Relaxed);
            }
        }
        progress.finish();
        // Whatever went wrong, what could be written is kept.
        let finished = collector.writer.finish().map_err(GenerateError::Data);
        result.and(finished)
    })?;
    Ok(GenerateReport { before, after: progress.tally(), bytes, time: start.elapsed() })
}

/// One thread's work.
fn play_games(shared: &Shared<'_>, sender: &Sender<Played>) {
    let Plan { self_play, thinking, shard, .. } = shared.plan;
    let mut player = match Player::new(thinking) {
        Ok(player) => player,
        Err(error) => {
            let _ = sender.send(Err(error.into()));
            return;
        }
    };
    while !shared.is_over() {
        let place = shared.next.fetch_add(1, Relaxed);
        let number = shard.number(place);
        let played = match self_play.play(number, &mut player, &shared.abandon) {
            Ok(Some(game)) => Ok((place, game)),
            Ok(None) => return,
            Err(error) => Err(error.into()),
        };
        let failed = played.is_err();
        if sender.send(played).is_err() || failed {
            return;
        }
    }
}

/// Writes games in order.
struct Collector {
    writer: DataWriter,
    /// Games that came before their turn.
    waiting: BTreeMap<u64, GameRecord>,
}

impl Collector {
    fn add(
        &mut self,
        place: u64,
        game: GameRecord,
        goal: Goal,
        progress: &mut Progress<'_>,
    ) -> Result<(), DataError> {
        self.waiting.insert(place, game);
        while !goal.is_met(&progress.tally())
            && let Some(game) = self.waiting.remove(&progress.tally().games)
        {
            self.writer.write(&game)?;
            progress.add(&game);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::openings::Openings;
    use super::super::sample;
    use super::*;
    use crate::console::Output;
    use crate::nnue;

    #[test]
    fn the_end_of_the_time_is_no_wish_of_the_user() {
        let path = std::env::temp_dir().join(format!("quillon-{}-time-over", std::process::id()));
        let writer = DataWriter::create(&path, &sample::header()).unwrap();
        let openings = Openings { positions: Vec::new(), chess960_share: 0.0, random_plies: 8 };
        let thinking = Thinking { soft_nodes: 25, network: nnue::built_in(), trees: None };
        let goal = Goal { time: Some(Duration::ZERO), ..Goal::default() };
        let (stop, output) = (AtomicBool::new(false), Output::standard());
        let progress = Progress::new(goal, Tally::default(), &output);
        let self_play = SelfPlay { openings, seed: 1 };
        let plan = Plan { self_play, thinking, shard: Shard::WHOLE, threads: 1, goal };
        generate(&plan, writer, progress, &stop).unwrap();
        // The next Ctrl-C is the first one.
        assert!(!stop.load(Relaxed));
        std::fs::remove_file(path).unwrap();
    }
}
