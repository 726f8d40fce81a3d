//! Levels of play for people: weaker on purpose, by mistakes that a person could make.
//!
//! A level is weaker in two ways. First, its search is limited in plies and nodes, whatever the machine and the
//! clock, so it misses what lies deeper. At the lowest levels, where every legal move must be searched to find the
//! plausible mistakes, the limit of plies decides, at the higher levels the limit of nodes. Second, it does not
//! judge the best moves exactly: a bounded random amount (the blur) is added to each move's score, so a move is chosen
//! only if its score is close to the best. Rarely the attention of a level lapses and the blur is large, as in a
//! blunder, or it overlooks an obvious move. (The idea to choose among the lines of MultiPV is known from Stockfish's
//! skill levels.) The levels also have the basic knowledge of a human player: they mate a lone king, promote pawns to
//! queens, and do not repeat a won position. In the first moves of a game even the highest levels choose at random, so
//! that games differ.
//!
//! To fit the levels again, change [`ANCHORS`] only (`docs/levels.md` explains how). All arithmetic is in integers and
//! the random numbers have a seed, so a level plays the same on every machine.

use crate::board::{Game, Position};
use crate::eval::hunts_lone_king;
use crate::search::SearchLimits;
use crate::types::{Depth, Move, MoveKind, PieceType, Score, SplitMix64};

/// Lowest Elo number of a level.
pub const MIN_ELO: u32 = 600;
/// Highest Elo number of a level.
pub const MAX_ELO: u32 = 2800;
/// The highest skill, which stands for full strength.
pub const MAX_SKILL: u32 = 20;

/// The parameters of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Anchor {
    elo: u32,
    /// Maximum depth of the search, in plies.
    depth: u32,
    /// Maximum number of nodes searched for a move.
    nodes: u64,
    /// Number of best moves that the level chooses among (MultiPV).
    lines: u32,
    /// Largest random difference between two moves, in internal units, that is added to their scores.
    blur: u32,
    /// Number of moves among 1000 at which attention lapses.
    lapses: u32,
    /// The blur of such a move, in internal units.
    lapse_blur: u32,
    /// Number of obvious moves (mates in one, recaptures) among 1000 that are overlooked.
    overlooks: u32,
}

const fn anchor(
    elo: u32,
    (depth, nodes): (u32, u64),
    (lines, blur): (u32, u32),
    [lapses, lapse_blur, overlooks]: [u32; 3],
) -> Anchor {
    Anchor { elo, depth, nodes, lines, blur, lapses, lapse_blur, overlooks }
}

/// From 1400 on fitted to the games in `docs/levels.md`, below to a ladder of about equal steps; between them values
/// are interpolated.
const ANCHORS: [Anchor; 12] = [
    anchor(600, (1, 2_000), (30, 880), [330, 1_300, 280]),
    anchor(800, (1, 2_200), (26, 570), [220, 1_150, 160]),
    anchor(1000, (1, 2_500), (22, 380), [150, 1_000, 85]),
    anchor(1200, (1, 2_800), (18, 250), [100, 800, 45]),
    anchor(1400, (2, 3_400), (12, 215), [85, 620, 24]),
    anchor(1600, (2, 4_200), (8, 130), [40, 450, 10]),
    anchor(1800, (4, 8_000), (6, 60), [14, 360, 3]),
    anchor(2000, (8, 25_000), (4, 29), [4, 300, 1]),
    anchor(2200, (10, 60_000), (4, 17), [2, 250, 0]),
    anchor(2400, (14, 230_000), (3, 8), [1, 200, 0]),
    anchor(2600, (20, 900_000), (1, 0), [0, 0, 0]),
    anchor(2800, (28, 2_500_000), (1, 0), [0, 0, 0]),
];

/// In a position that is won or lost by this score, in internal units, the blur is halved, at twice this score divided
/// by three and so on: in a decided position a blunder must be larger to cost as much of the expected result.
const DECIDED: i32 = 500;

/// Evaluations are cut off here, in internal units. This is above every evaluation against a lone king; mates are worth
/// more.
const LARGEST_WORTH: i32 = 8000;

/// Score from which a position counts as won, in internal units.
const WON: i32 = 300;

/// Bonus for a winning promotion to a queen, in internal units: without it the search may put the promotion off from
/// move to move.
const QUEENING: i32 = 150;

/// Penalty for the repetition of a won position, in internal units.
const REPEATING: i32 = 150;

/// An underpromotion must be better than all other moves by this margin, in internal units.
const CLEARLY: i32 = 100;

/// Against a lone king even weak players have technique: the blur is divided by this.
const TECHNIQUE: u32 = 6;
/// Against a lone king a level chooses among this number of moves at most.
const TECHNIQUE_LINES: u32 = 6;

/// Least depth against a lone king, in plies; one more for each [`TECHNIQUE_STEP`] of Elo above [`MIN_ELO`].
const TECHNIQUE_DEPTH: u32 = 2;
const TECHNIQUE_STEP: u32 = 200;

/// The opening lasts up to this move of the game.
const OPENING: u16 = 10;
/// Least number of pieces on the board in the opening.
const OPENING_PIECES: u32 = 24;
/// In the opening all levels choose among at least this number of moves.
const OPENING_LINES: u32 = 4;
/// Least blur in the opening, in internal units.
const OPENING_BLUR: u32 = 20;

/// Nodes kept in reserve: a search that has reached its node limit may enter a few more nodes while it unwinds, and a
/// level must not exceed its number of nodes. All levels have more nodes than this.
const WAY_OUT: u64 = 64;

/// A level of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    values: Anchor,
    seed: u64,
}

/// A move that a level may choose: its score and other properties that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contender {
    /// The move's score for the side to move.
    pub score: Score,
    /// It recaptures on the square of the opponent's last capture.
    pub retakes: bool,
    /// It loses the moved piece, by static exchange evaluation.
    pub gives_away: bool,
    /// It is an underpromotion.
    pub underpromotes: bool,
    /// It promotes to a queen that is not lost at once.
    pub makes_queen: bool,
    /// It leads to a position that was on the board before.
    pub repeats: bool,
}

impl Contender {
    /// The move in this game, with its score.
    pub fn new(game: &Game, mv: Move, score: Score) -> Contender {
        let position = game.position();
        let is_safe = position.see(mv, 0);
        Contender {
            score,
            retakes: mv.is_capture() && game.last_capture() == Some(mv.to()),
            gives_away: !is_safe,
            underpromotes: mv.promotion().is_some_and(|piece| piece != PieceType::Queen),
            makes_queen: mv.promotion() == Some(PieceType::Queen) && is_safe,
            repeats: game.earlier_keys().contains(&position.after(mv).key()),
        }
    }
}

/// Whether a level considers the move at all. A person considers an underpromotion to a knight when it gives check, and
/// to a rook or bishop when the queen would give stalemate.
fn is_considered(position: &Position, mv: Move) -> bool {
    match mv.promotion() {
        None | Some(PieceType::Queen) => true,
        Some(PieceType::Knight) => position.after(mv).in_check(),
        Some(_) => {
            let kind = MoveKind::promotion(PieceType::Queen, mv.is_capture());
            let queen = position.after(Move::new(mv.from(), mv.to(), kind));
            !queen.in_check() && !queen.has_legal_move()
        }
    }
}

impl Level {
    /// The level of an Elo number, clamped to the range from [`MIN_ELO`] to [`MAX_ELO`].
    pub fn new(elo: u32) -> Level {
        let elo = elo.clamp(MIN_ELO, MAX_ELO);
        // The first anchor has the lowest Elo there is, so one lies at or below.
        let above = ANCHORS.iter().position(|anchor| anchor.elo >= elo).unwrap_or(0);
        let (low, high) = (&ANCHORS[above.saturating_sub(1)], &ANCHORS[above]);
        let (done, span) = (u64::from(elo - low.elo), u64::from((high.elo - low.elo).max(1)));
        let between = |low: u64, high: u64| (low * (span - done) + high * done + span / 2) / span;
        let value = |of: fn(&Anchor) -> u32| between(of(low).into(), of(high).into()) as u32;
        let values = Anchor {
            elo,
            depth: value(|anchor| anchor.depth),
            nodes: between(low.nodes, high.nodes),
            lines: value(|anchor| anchor.lines),
            blur: value(|anchor| anchor.blur),
            lapses: value(|anchor| anchor.lapses),
            lapse_blur: value(|anchor| anchor.lapse_blur),
            overlooks: value(|anchor| anchor.overlooks),
        };
        Level { values, seed: 0 }
    }

    /// The level of a skill from 0, the weakest, on; `None` from [`MAX_SKILL`] on, which is full strength.
    pub fn of_skill(skill: u32) -> Option<Level> {
        let elo = MIN_ELO + skill.min(MAX_SKILL) * (MAX_ELO - MIN_ELO) / MAX_SKILL;
        (skill < MAX_SKILL).then(|| Level::new(elo))
    }

    /// The same level with another seed. Searches of one game with the same seed choose the same moves.
    pub fn with_seed(self, seed: u64) -> Level {
        Level { seed, ..self }
    }

    /// The level as it plays this position: with technique against a lone king, with variety in the opening. To be
    /// called once, on the result of [`Level::new`].
    pub fn suited_to(mut self, position: &Position) -> Level {
        let values = &mut self.values;
        if hunts_lone_king(position) {
            values.depth = values.depth.max(TECHNIQUE_DEPTH + (values.elo - MIN_ELO) / TECHNIQUE_STEP);
            // A promotion must not be left out.
            if position.pieces(position.stm(), PieceType::Pawn).is_empty() {
                values.lines = values.lines.min(TECHNIQUE_LINES);
            }
            values.blur /= TECHNIQUE;
            values.lapse_blur /= TECHNIQUE;
        } else if position.fullmove_number() <= OPENING && position.occupied().count() >= OPENING_PIECES {
            values.lines = values.lines.max(OPENING_LINES);
            values.blur = values.blur.max(OPENING_BLUR);
        }
        self
    }

    /// The Elo number.
    pub fn elo(&self) -> u32 {
        self.values.elo
    }

    /// Maximum depth of the search, in plies.
    pub fn depth(&self) -> Depth {
        self.values.depth as Depth
    }

    /// Maximum number of nodes searched for a move.
    pub fn nodes(&self) -> u64 {
        self.values.nodes
    }

    /// Number of best moves to choose among, at least 1.
    pub fn lines(&self) -> usize {
        self.values.lines as usize
    }

    /// The limits of the search in which this level finds the moves to choose among: the narrower of its own and the
    /// wanted limits, with a line (MultiPV) for each of these moves.
    pub(super) fn limits(&self, wanted: SearchLimits, position: &Position) -> SearchLimits {
        let mut search_moves = wanted.root_moves(position);
        if !wanted.restrict(position) {
            search_moves.retain(|&mv| is_considered(position, mv));
        }
        SearchLimits {
            depth: Some(wanted.depth.map_or(self.depth(), |depth| depth.min(self.depth()))),
            nodes: Some(wanted.nodes.unwrap_or(u64::MAX).min(self.nodes() - WAY_OUT)),
            search_moves,
            multi_pv: self.lines(),
            ..wanted
        }
    }

    /// Chooses among the best moves, best first and at least one, and returns the index of the move to play.
    /// `situation` distinguishes the moves of a game; with the same seed and situation, the choice is the same.
    pub fn choose(&self, contenders: &[Contender], situation: u64) -> usize {
        let contenders = &contenders[..contenders.len().min(self.lines())];
        let [best, _, ..] = contenders else { return 0 };
        let mut random = SplitMix64::new(self.seed, situation);
        let mut happens = |permille: u32| random.below(1000) < permille as usize;
        let (overlooks, lapses) = (happens(self.values.overlooks), happens(self.values.lapses));
        let is_obvious = best.retakes && !best.underpromotes || best.score >= Score::mate_in(1);
        if is_obvious && !overlooks {
            return 0;
        }
        let blur = if lapses { self.values.lapse_blur } else { self.values.blur };
        let decided = worth(best.score).abs().min(LARGEST_WORTH);
        let half = blur as i32 * DECIDED / (DECIDED + decided) / 2;
        let usual = contenders.iter().find(|contender| !contender.underpromotes);
        let asked = usual.map_or(i32::MIN, |best| worth(best.score) + CLEARLY);
        let mut die = || random.below(half as usize + 1) as i32;
        let appeal = |contender: &Contender| {
            if contender.underpromotes && worth(contender.score) < asked {
                return i32::MIN;
            }
            let shortfall = worth(best.score) - worth(contender.score);
            let care = if contender.gives_away && !lapses { 2 } else { 1 };
            let queening = if contender.makes_queen && worth(contender.score) >= WON { QUEENING } else { 0 };
            let repeating = if contender.repeats && worth(best.score) >= WON { REPEATING } else { 0 };
            // The sum of two dice: small errors are more common than large ones.
            die() + die() - care * shortfall + queening - repeating
        };
        let appeals: Vec<i32> = contenders.iter().map(appeal).collect();
        // An overlooked move is left out; a rejected underpromotion is not chosen in its place.
        let from = usize::from(is_obvious);
        let open = (from..appeals.len()).rev().filter(|&index| appeals[index] > i32::MIN);
        open.max_by_key(|&index| appeals[index]).unwrap_or(0)
    }
}

/// A score in internal units, in which a nearer mate is worth more, within bounds.
fn worth(score: Score) -> i32 {
    match score.mate_moves() {
        Some(moves) if score > Score::DRAW => 2 * LARGEST_WORTH - 10 * moves.min(100),
        Some(moves) => -2 * LARGEST_WORTH - 10 * moves.max(-100),
        None => score.0.clamp(-LARGEST_WORTH, LARGEST_WORTH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{format_uci, parse_uci};

    const SEEDS: u64 = 4000;

    fn contenders(scores: &[i32]) -> Vec<Contender> {
        let contender = |&score| Contender { score: Score(score), ..Contender::default() };
        scores.iter().map(contender).collect()
    }

    /// How often each of the contenders is chosen.
    fn counts(elo: u32, contenders: &[Contender]) -> Vec<u64> {
        let mut counts = vec![0; contenders.len()];
        for seed in 0..SEEDS {
            counts[Level::new(elo).with_seed(seed).choose(contenders, 7)] += 1;
        }
        counts
    }

    #[test]
    fn anchors_rise() {
        assert_eq!((ANCHORS[0].elo, ANCHORS[ANCHORS.len() - 1].elo), (MIN_ELO, MAX_ELO));
        for pair in ANCHORS.windows(2) {
            let (low, high) = (&pair[0], &pair[1]);
            assert!(low.depth <= high.depth, "{high:?}");
            assert!(low.elo < high.elo && low.nodes < high.nodes, "{high:?}");
            assert!(low.lines >= high.lines && low.blur >= high.blur && low.overlooks >= high.overlooks);
            assert!(low.lapses >= high.lapses && low.lapse_blur >= high.lapse_blur, "{high:?}");
        }
        assert!(ANCHORS.iter().all(|anchor| anchor.lines >= 1));
    }

    #[test]
    fn levels_lie_on_and_between_the_anchors() {
        for anchor in ANCHORS {
            assert_eq!(Level::new(anchor.elo).values, anchor);
        }
        let (low, high) = (&ANCHORS[4], &ANCHORS[5]);
        let middle = Level::new((low.elo + high.elo) / 2);
        assert_eq!(middle.nodes(), (low.nodes + high.nodes) / 2);
        assert_eq!(middle.values.blur, (low.blur + high.blur).div_ceil(2));
        assert_eq!((Level::new(0).elo(), Level::new(u32::MAX).elo()), (MIN_ELO, MAX_ELO));
        for elo in MIN_ELO..MAX_ELO {
            assert!(Level::new(elo).nodes() <= Level::new(elo + 1).nodes());
        }
        assert_eq!(Level::of_skill(0), Some(Level::new(600)));
        assert_eq!(Level::of_skill(10), Some(Level::new(1700)));
        assert_eq!(Level::of_skill(19), Some(Level::new(2690)));
        assert_eq!(Level::of_skill(20), None);
    }

    #[test]
    fn higher_levels_find_the_best_move_more_often() {
        for scores in [&[30, 10, 0, -20, -60, -100, -150, -300][..], &[0, -40, -90, -200, -500], &[9, 8, 7]] {
            let mut before = 0;
            for elo in (MIN_ELO..=MAX_ELO).step_by(200) {
                let best = counts(elo, &contenders(scores))[0];
                // A difference of 2 % is more than two standard deviations.
                assert!(best + SEEDS / 50 >= before, "{elo}: {best} after {before} in {scores:?}");
                before = best;
            }
            let lowest = counts(MIN_ELO, &contenders(scores))[0];
            assert!(before == SEEDS && lowest < SEEDS * 6 / 10, "{lowest} {before}");
        }
    }

    #[test]
    fn errors_are_bounded_and_small_ones_are_more_common() {
        let moves = contenders(&[0, -50, -100, -150, -200, -250, -300, -800, -1000]);
        let counts = counts(600, &moves);
        assert!(counts.windows(2).take(7).all(|pair| pair[0] >= pair[1]), "{counts:?}");
        // A piece is lost rarely, a queen never.
        assert!((1..SEEDS / 20).contains(&counts[6]), "{counts:?}");
        assert_eq!(counts[8], 0);
        for elo in (MIN_ELO..=MAX_ELO).step_by(100) {
            let level = Level::new(elo);
            let limit = level.values.blur.max(level.values.lapse_blur) as i32;
            let moves = contenders(&[0, -limit - 1]);
            assert!((0..SEEDS).all(|seed| level.with_seed(seed).choose(&moves, 1) == 0), "{elo}");
        }
    }

    #[test]
    fn a_move_that_loses_a_piece_is_chosen_less() {
        let mut moves = contenders(&[0, -80]);
        let plain = counts(1000, &moves)[1];
        moves[1].gives_away = true;
        let careless = counts(1000, &moves)[1];
        assert!(0 < careless && careless * 2 < plain, "{careless} {plain}");
    }

    #[test]
    fn obvious_moves_are_overlooked_less_and_less() {
        let mut retaking = contenders(&[10, 0, -5]);
        retaking[0].retakes = true;
        let mating = contenders(&[Score::mate_in(1).0, Score::mate_in(3).0, 800]);
        for moves in [retaking, mating] {
            let overlooked = |elo| SEEDS - counts(elo, &moves)[0];
            let mut before = SEEDS;
            for elo in (MIN_ELO..=MAX_ELO).step_by(400) {
                let expected = SEEDS * u64::from(Level::new(elo).values.overlooks) / 1000;
                // Four standard deviations of the rarest.
                let spread = 4 * (expected.isqrt() + u64::from(expected > 0));
                let count = overlooked(elo);
                assert!(count.abs_diff(expected) <= spread && count <= before, "{elo}: {count}");
                before = count;
            }
            assert_eq!(before, 0);
        }
    }

    #[test]
    fn the_winning_side_promotes_at_once_and_avoids_repetitions() {
        for elo in [600, 1200, 1500, 1800, 2200] {
            let mut moves = contenders(&[2100, 2080, 2000]);
            moves[2].makes_queen = true;
            assert!(counts(elo, &moves)[2] > SEEDS / 2, "{elo}");
            let mut moves = contenders(&[800, 790, 780]);
            let plain = counts(elo, &moves)[0];
            moves[0].repeats = true;
            assert!(counts(elo, &moves)[0] < plain / 2, "{elo}");
            let mut moves = contenders(&[40, 20]);
            let plain = counts(elo, &moves);
            moves[0].repeats = true;
            assert_eq!(counts(elo, &moves), plain, "{elo}");
        }
    }

    #[test]
    fn underpromotions_must_be_clearly_better() {
        let mut moves = contenders(&[900, 880, 500]);
        moves[0].underpromotes = true;
        let mut both = contenders(&[40, 30]);
        both.iter_mut().for_each(|contender| contender.underpromotes = true);
        for elo in (MIN_ELO..=MAX_ELO).step_by(200).filter(|&elo| Level::new(elo).lines() > 1) {
            moves[0].score = Score(900);
            assert_eq!(counts(elo, &moves)[0], 0, "{elo}");
            moves[0].score = Score(2500);
            assert!(counts(elo, &moves)[0] > SEEDS * 9 / 10, "{elo}");
            assert_eq!(counts(elo, &both).iter().sum::<u64>(), SEEDS);
        }
    }

    #[test]
    fn contenders_know_their_moves() {
        let mut game: Game = "1r2k3/P7/8/8/8/8/8/R3K2R w - - 0 40".parse().unwrap();
        for text in ["h1h2", "b8d8", "h2h1", "d8b8"] {
            game.play(parse_uci(game.position(), text).unwrap());
        }
        let flags = |text: &str| {
            let mv = parse_uci(game.position(), text).unwrap();
            let found = Contender::new(&game, mv, Score(7));
            (found.score.0, found.gives_away, found.makes_queen, found.underpromotes, found.repeats)
        };
        assert_eq!(flags("h1h2"), (7, false, false, false, true));
        assert_eq!(flags("h1h3"), (7, false, false, false, false));
        assert_eq!(flags("a7b8q"), (7, false, true, false, false));
        assert_eq!(flags("a7b8r"), (7, false, false, true, false));
        assert_eq!(flags("a7a8q"), (7, false, true, false, false));
        assert_eq!(flags("h1h8"), (7, false, false, false, false));
        assert_eq!(flags("a1b1"), (7, true, false, false, false));
        game.play(parse_uci(game.position(), "a7b8q").unwrap());
        assert!(!Contender::new(&game, parse_uci(game.position(), "e8e7").unwrap(), Score(0)).retakes);
    }

    #[test]
    fn a_promotion_out_of_the_question_is_not_played_for_an_overlooked_move() {
        let mut moves = contenders(&[900, 880]);
        moves[0].retakes = true;
        moves[1].underpromotes = true;
        assert_eq!(counts(MIN_ELO, &moves), [SEEDS, 0]);
    }

    #[test]
    fn underpromotions_that_are_considered() {
        for (fen, expected) in [
            // Nothing speaks against the queen; a check by the knight; stalemate by the queen.
            ("8/P6k/8/8/8/8/6PP/6K1 w - - 0 1", "a7a8q"),
            ("1n6/P1k5/8/8/8/8/8/6K1 w - - 0 1", "a7a8q a7a8n a7b8q"),
            ("8/k1P5/8/K7/8/8/8/8 w - - 0 1", "c7c8q c7c8r c7c8b c7c8n"),
        ] {
            let position: Position = fen.parse().unwrap();
            let mut promotions: Vec<Move> = position.legal_moves().into_iter().collect();
            assert!(
                promotions
                    .iter()
                    .filter(|mv| mv.promotion().is_none())
                    .all(|&mv| is_considered(&position, mv))
            );
            promotions.retain(|&mv| mv.promotion().is_some() && is_considered(&position, mv));
            let mut found: Vec<String> = promotions.iter().map(|&mv| format_uci(mv, false)).collect();
            let mut expected: Vec<&str> = expected.split(' ').collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{fen}");
        }
    }

    #[test]
    fn lone_kings_and_openings_have_their_own_rules() {
        let [start, late, few, lone]: [Position; 4] = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 10",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 11",
            "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
            "8/8/8/4k3/8/8/8/K2R4 w - - 0 60",
        ]
        .map(|fen| fen.parse().unwrap());
        for elo in (MIN_ELO..=MAX_ELO).step_by(100) {
            let level = Level::new(elo);
            assert_eq!((level.suited_to(&late), level.suited_to(&few)), (level, level));
            let opening = level.suited_to(&start);
            assert!(opening.lines() >= 4 && opening.values.blur >= 20, "{elo}");
            assert_eq!((opening.depth(), opening.nodes()), (level.depth(), level.nodes()));
            let technique = level.suited_to(&lone);
            assert!(
                technique.values.blur == level.values.blur / TECHNIQUE
                    && technique.depth() >= level.depth().max(2)
            );
            assert!(technique.nodes() == level.nodes() && technique.lines() <= level.lines());
        }
    }

    #[test]
    fn the_nearest_mate_is_worth_most() {
        let worths: Vec<i32> =
            [Score::mate_in(1), Score::mate_in(5), Score(30_000), Score(800), Score(-800), Score(-30_000)]
                .into_iter()
                .chain([Score::mated_in(6), Score::mated_in(2)])
                .map(worth)
                .collect();
        assert!(worths.windows(2).all(|pair| pair[0] > pair[1]), "{worths:?}");
    }

    #[test]
    fn choices_are_repeatable_and_differ_between_games_and_moves() {
        let moves = contenders(&[5, 4, 3, 2, 1, 0]);
        let choices = |seed| -> Vec<usize> {
            (0..50).map(|situation| Level::new(1000).with_seed(seed).choose(&moves, situation)).collect()
        };
        assert_eq!(choices(1), choices(1));
        assert_ne!(choices(1), choices(2));
        assert!((0..6).all(|index| choices(1).contains(&index)), "{:?}", choices(1));
        assert_eq!(Level::new(600).choose(&moves[..1], 3), 0);
    }
}
