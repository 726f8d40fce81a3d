//! The training positions in memory: each board once, some games held out for validation.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::permutation::Permutation;
use super::record::Record;
use crate::board::Position;
use crate::datagen::{GameRecord, Kept, KeptTree, Outcome};
use crate::types::{Score, SplitMix64};

/// Purposes of random streams, beside the numbers of the passes.
const SPLIT: u64 = 1 << 40;
const HOLDOUT_ORDER: u64 = SPLIT + 1;

/// Positions to learn from and positions to check on.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    train: Vec<Record>,
    holdout: Vec<Record>,
}

impl Dataset {
    /// The positions to learn from.
    pub fn train(&self) -> &[Record] {
        &self.train
    }

    /// The positions of the games held out, in random order.
    pub fn holdout(&self) -> &[Record] {
        &self.holdout
    }

    /// A number that differs, most likely, for different data: a hash of sizes and of some records.
    pub fn fingerprint(&self) -> u64 {
        let sample = |records: &[Record]| {
            let stride = (records.len() / 4096).max(1);
            records.iter().step_by(stride).fold(records.len() as u64, |hash, record| {
                let labels = record.board_hash() >> 32 << 32
                    | u64::from(record.score() as u16) << 8
                    | u64::from(record.half_points().unwrap_or(3));
                SplitMix64::new(hash, labels).next()
            })
        };
        SplitMix64::new(sample(&self.train), sample(&self.holdout)).next()
    }
}

/// More positions than the set can number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {} positions", DatasetBuilder::MOST)]
pub struct TooManyPositions;

/// From so many positions on, a smaller share of them is enough to check on.
const LARGE_SET: usize = 20_000_000;
/// Shares that are held out of smaller and of larger sets if nothing else is asked for.
const DEFAULT_HOLDOUT: [f64; 2] = [0.03, 0.01];

/// Puts a [`Dataset`] together, game by game.
///
/// Whether a game is held out depends on the seed and its opening (start position and random moves) and
/// on nothing else. So a game is on the same side of the split whichever other files are given and in
/// whichever order, nets of different trainings can be compared on what none of them has seen, and games
/// that begin alike are not on both sides. What is held out with a smaller share is so with a larger one.
/// With few different openings the share is only roughly what was asked for.
///
/// A board that has been there before replaces the old record: the newest score comes from the best
/// player. So no board is in both halves of the set, and none counts more because openings share it. Within
/// a game the first stays: the score of a later one knows that a repetition is near, which the board does not show.
#[derive(Debug)]
pub struct DatasetBuilder {
    records: Vec<Record>,
    /// Numbers of the records by their boards. A record is looked at for its hash, which spares keeping it: five bytes
    /// for each of 2^n places, of which at most seven eighths are taken.
    index: HashTable<u32>,
    /// The share asked for.
    holdout: Option<f64>,
    /// What the present game has drawn.
    lot: u16,
    /// Number of the record that was next when it began, and those that it has replaced since.
    game_start: usize,
    replaced: Vec<usize>,
    games: u64,
    duplicates: u64,
    seed: u64,
}

impl DatasetBuilder {
    /// Most positions in a set.
    pub const MOST: usize = u32::MAX as usize - 1;

    /// An empty set, of whose games a share `holdout` (0 to 1) will be held out, chosen by `seed`. Without
    /// `holdout` that is 3 % of sets below 20 million positions, and 1 % of larger ones.
    pub fn new(holdout: Option<f64>, seed: u64) -> DatasetBuilder {
        DatasetBuilder {
            records: Vec::new(),
            index: HashTable::new(),
            holdout,
            lot: 0,
            game_start: 0,
            replaced: Vec::new(),
            games: 0,
            duplicates: 0,
            seed,
        }
    }

    /// Adds the positions of a game that are fit for training, and those out of its search trees, which have no
    /// result.
    ///
    /// # Errors
    /// When the set is full.
    pub fn push_game(&mut self, game: &GameRecord) -> Result<(), TooManyPositions> {
        self.start_game(opening_hash(game));
        let mut result = Ok(());
        game.for_each_kept(|Kept { position, score, outcome, ply }| {
            if result.is_ok() {
                let half_points = match outcome {
                    Outcome::WhiteWins => 2,
                    Outcome::Draw => 1,
                    Outcome::BlackWins => 0,
                };
                result = self.push_record(Record::new(position, score, half_points).with_ply(ply));
            }
        });
        game.for_each_kept_tree(|KeptTree { position, score, ply, .. }| {
            if result.is_ok() {
                result = self.push_record(Record::new(position, score, 1).without_result().with_ply(ply));
            }
        });
        result
    }

    /// Starts the next game; all positions up to the following call belong to it. `opening` stands for how
    /// it began: games with the same number share their lot.
    pub fn start_game(&mut self, opening: u64) {
        self.games += 1;
        self.game_start = self.records.len();
        self.replaced.clear();
        self.lot = (SplitMix64::new(self.seed ^ opening, SPLIT).next() >> 48) as u16;
    }

    /// Adds a position of the game. `score` is the side to move's, `white_half_points` (0, 1 or 2) is
    /// the result of the game.
    ///
    /// # Errors
    /// When the set is full.
    pub fn push(
        &mut self,
        position: &Position,
        score: Score,
        white_half_points: u8,
    ) -> Result<(), TooManyPositions> {
        self.push_record(Record::new(position, score, white_half_points))
    }

    /// Adds a packed position of the game.
    ///
    /// # Errors
    /// When the set is full.
    pub fn push_record(&mut self, record: Record) -> Result<(), TooManyPositions> {
        if self.records.len() >= DatasetBuilder::MOST {
            return Err(TooManyPositions);
        }
        let record = record.with_lot(self.lot);
        let is_same = |&number: &u32| self.records[number as usize].same_board(&record);
        let hash = |&number: &u32| self.records[number as usize].board_hash();
        match self.index.entry(record.board_hash(), is_same, hash) {
            Entry::Occupied(entry) => {
                let old = *entry.get() as usize;
                self.duplicates += 1;
                if old < self.game_start && !self.replaced.contains(&old) {
                    self.records[old] = record;
                    self.replaced.push(old);
                }
            }
            Entry::Vacant(entry) => {
                entry.insert(self.records.len() as u32);
                self.records.push(record);
            }
        }
        Ok(())
    }

    /// Games started.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Different boards.
    pub fn positions(&self) -> usize {
        self.records.len()
    }

    /// Positions whose board had been there before.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// The set.
    pub fn finish(self) -> Dataset {
        let DatasetBuilder { mut records, index, seed, holdout, .. } = self;
        drop(index);
        let share = holdout.unwrap_or(DEFAULT_HOLDOUT[usize::from(records.len() >= LARGE_SET)]);
        let first_kept = share * f64::from(1u32 << u16::BITS);
        let held_out = |record: &mut Record| f64::from(record.lot()) < first_kept;
        let held_out: Vec<Record> = records.extract_if(.., held_out).collect();
        records.iter_mut().for_each(|record| *record = record.with_lot(0));
        let order = Permutation::new(held_out.len() as u32, seed, HOLDOUT_ORDER);
        let holdout =
            (0..held_out.len() as u32).map(|place| held_out[order.at(place) as usize].with_lot(0)).collect();
        Dataset { train: records, holdout }
    }
}

/// A hash of a game's start position and the random moves from there.
fn opening_hash(game: &GameRecord) -> u64 {
    let join = |hash, move_bits| SplitMix64::new(hash, move_bits).next();
    game.opening.iter().fold(game.start.key(), |hash, mv| join(hash, u64::from(mv.bits())))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::*;
    use crate::datagen::{ScoredMove, TreePosition};
    use crate::notation::parse_uci;
    use crate::training::samples::{material_records, random_positions};
    use crate::types::Move;

    #[test]
    fn the_newest_record_of_a_board_stays() {
        // Few boards, seen often, with a score that tells which time it was.
        let boards = material_records(5, 9000);
        let mut random = SplitMix64::new(5, 5);
        let mut builder = DatasetBuilder::new(Some(0.0), 1);
        let mut expected = HashMap::new();
        for time in 0..20_000 {
            builder.start_game(time);
            let record = boards[random.below(boards.len())].with_labels(time as i16, 1);
            builder.push_record(record).unwrap();
            expected.insert((record.board_hash(), format!("{:?}", record.with_labels(0, 0))), record);
        }
        assert_eq!(builder.games(), 20_000);
        assert_eq!(builder.positions(), expected.len());
        assert_eq!(builder.duplicates() as usize, 20_000 - expected.len());
        let set = builder.finish();
        assert_eq!(set.train().len(), expected.len());
        assert!(set.holdout().is_empty());
        for record in set.train() {
            let key = (record.board_hash(), format!("{:?}", record.with_labels(0, 0)));
            assert_eq!(expected.get(&key), Some(record));
        }
    }

    #[test]
    fn within_a_game_the_first_record_of_a_board_stays() {
        let boards = material_records(7, 3);
        let mut builder = DatasetBuilder::new(Some(0.0), 1);
        for (game, scores) in [[1, 2, 3], [4, 5, 6]].into_iter().enumerate() {
            builder.start_game(game as u64);
            let seen = if game == 0 { [0, 1, 0] } else { [2, 1, 1] };
            for (board, score) in seen.into_iter().zip(scores) {
                builder.push_record(boards[board].with_labels(score, 1)).unwrap();
            }
        }
        assert_eq!((builder.positions(), builder.duplicates()), (3, 3));
        let scores: Vec<i16> = builder.finish().train().iter().map(Record::score).collect();
        assert_eq!(scores, [1, 5, 4]);
    }

    #[test]
    fn whole_games_are_held_out() {
        let positions = random_positions(6, 20_000);
        let mut builder = DatasetBuilder::new(Some(0.1), 3);
        for (game, positions) in positions.chunks(20).enumerate() {
            builder.start_game(game as u64);
            for position in positions {
                builder.push(position, Score(game as i32), 1).unwrap();
            }
        }
        let set = builder.finish();
        let games = |records: &[Record]| {
            let mut games: Vec<i16> = records.iter().map(Record::score).collect();
            games.sort_unstable();
            games.dedup();
            games
        };
        let (train, holdout) = (games(set.train()), games(set.holdout()));
        assert!((70..130).contains(&holdout.len()), "{} of 1000 games", holdout.len());
        assert!(holdout.iter().all(|game| train.binary_search(game).is_err()));
        assert!(set.holdout().iter().chain(set.train()).all(|record| record.lot() == 0));
        // Not in the order in which they came.
        assert!(!set.holdout().is_sorted_by_key(Record::score));
    }

    /// A game that began with these numbers of random moves; its positions have scores by its number.
    fn game(number: usize) -> GameRecord {
        let mut random = SplitMix64::new(number as u64, 8);
        let mut position = Position::start();
        let mut play = |plies: usize| -> Vec<Move> {
            let mut moves = Vec::new();
            for _ in 0..plies {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let mv = legal[random.below(legal.len())];
                position.make(mv);
                moves.push(mv);
            }
            moves
        };
        let (opening, moves) = (play(8), play(30));
        let score = Score(number as i32);
        let moves = moves.into_iter().map(|mv| ScoredMove { mv, score }).collect();
        GameRecord { start: Position::start(), opening, moves, outcome: Outcome::Draw, trees: Vec::new() }
    }

    #[test]
    fn the_split_does_not_depend_on_other_games() {
        let games: Vec<GameRecord> = (0..600).map(game).collect();
        let held_out = |games: &mut dyn Iterator<Item = &GameRecord>, share, seed| -> BTreeSet<i16> {
            let mut builder = DatasetBuilder::new(share, seed);
            games.for_each(|game| builder.push_game(game).unwrap());
            let set = builder.finish();
            let train: BTreeSet<i16> = set.train().iter().map(Record::score).collect();
            let holdout: BTreeSet<i16> = set.holdout().iter().map(Record::score).collect();
            assert!(train.is_disjoint(&holdout));
            holdout
        };
        let all = held_out(&mut games.iter(), Some(0.2), 1);
        assert!((80..160).contains(&all.len()), "{}", all.len());
        assert_eq!(held_out(&mut games.iter().rev(), Some(0.2), 1), all);
        let some = held_out(&mut games[..300].iter(), Some(0.2), 1);
        assert_eq!(some, all.iter().copied().filter(|&number| number < 300).collect());
        assert_ne!(held_out(&mut games.iter(), Some(0.2), 2), all);
        let fewer = held_out(&mut games.iter(), None, 1);
        assert!((8..35).contains(&fewer.len()) && fewer.is_subset(&all), "{}", fewer.len());
    }

    #[test]
    fn games_that_begin_alike_stay_together() {
        let mut other = game(3);
        other.moves.reverse();
        assert_eq!(opening_hash(&other), opening_hash(&game(3)));
        let mut shorter = game(3);
        shorter.opening.pop();
        let mut elsewhere = game(3);
        elsewhere.start = elsewhere.start.color_flipped();
        for different in [game(4), shorter, elsewhere] {
            assert_ne!(opening_hash(&different), opening_hash(&game(3)));
        }
    }

    /// Results are stored for the side to move, scores as they are.
    #[test]
    fn labels_are_the_side_to_movers() {
        let moves = |texts: &[&str]| -> Vec<Move> {
            let mut position = Position::start();
            let mut play = |text: &&str| {
                let mv = parse_uci(&position, text).unwrap();
                position.make(mv);
                mv
            };
            texts.iter().map(&mut play).collect()
        };
        let shuffle = ["b1c3", "b8c6", "c3b1", "c6b8"].repeat(4);
        let all = moves(&[&shuffle[..], &["e2e4", "c7c5", "g1f3", "d7d6"]].concat());
        let played = |index: usize, score: i32| ScoredMove { mv: all[16 + index], score: Score(score) };
        for (outcome, for_white) in [(Outcome::WhiteWins, 2), (Outcome::Draw, 1), (Outcome::BlackWins, 0)] {
            let mut builder = DatasetBuilder::new(Some(0.0), 1);
            let game = GameRecord {
                start: Position::start(),
                opening: all[..16].to_vec(),
                moves: vec![played(0, 11), played(1, -22), played(2, 33), played(3, -44)],
                outcome,
                trees: Vec::new(),
            };
            builder.push_game(&game).unwrap();
            let set = builder.finish();
            let labels: Vec<(i16, u8)> =
                set.train().iter().map(|record| (record.score(), record.half_points().unwrap())).collect();
            let for_black = 2 - for_white;
            assert_eq!(labels, [(11, for_white), (-22, for_black), (33, for_white), (-44, for_black)]);
        }
    }

    #[test]
    fn tree_positions_have_no_result_and_share_the_lot_of_their_game() {
        let games: Vec<GameRecord> = (0..300).map(game).collect();
        let with_trees = |game: &GameRecord| {
            let mut position = game.start;
            game.opening.iter().for_each(|&mv| _ = position.make(mv));
            let path = |position: &Position| vec![*position.legal_moves().last().unwrap()];
            let mut trees = Vec::new();
            for (after, scored) in game.moves.iter().enumerate() {
                trees.push(TreePosition { after, path: path(&position), score: scored.score });
                position.make(scored.mv);
            }
            GameRecord { trees, ..game.clone() }
        };
        let mut builder = DatasetBuilder::new(Some(0.2), 1);
        games.iter().for_each(|game| builder.push_game(&with_trees(game)).unwrap());
        let set = builder.finish();
        let games_of = |records: &[Record]| records.iter().map(Record::score).collect::<BTreeSet<i16>>();
        assert!(games_of(set.train()).is_disjoint(&games_of(set.holdout())));
        for records in [set.train(), set.holdout()] {
            let trees = records.iter().filter(|record| record.half_points().is_none());
            assert!(trees.clone().count() > records.len() / 4);
            assert!(trees.clone().all(|record| (16..40).contains(&record.ply())));
        }
    }

    #[test]
    fn fingerprints_tell_data_apart() {
        let build = |labels| {
            let mut builder = DatasetBuilder::new(Some(0.5), 3);
            for (game, record) in (0..).zip(material_records(7, 100)) {
                builder.start_game(game);
                builder.push_record(record.with_labels(labels, 1)).unwrap();
            }
            builder.finish().fingerprint()
        };
        assert_eq!(build(1), build(1));
        assert_ne!(build(1), build(2));
    }
}
