//! What a set of games looks like. Sudden changes from one set to the next mean that something broke.

use std::fmt::{self, Write};
use std::time::Duration;

use super::record::{GameRecord, Kept, KeptTree, Outcome};
use crate::board::{self, DrawReason, Game};
use crate::console::svg::{self, escaped};

/// What is known of a number of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Plies, random ones included.
    pub plies: u64,
    /// Positions that are fit for training, those out of search trees included.
    pub kept: u64,
    /// Those out of search trees.
    pub trees: u64,
    /// Games by outcome, in the order of [`Outcome::ALL`].
    pub results: [u64; 3],
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += game.plies() as u64;
        let trees = game.count_kept_trees();
        self.kept += game.count_kept() + trees;
        self.trees += trees;
        self.results[game.outcome as usize] += 1;
    }

    /// Games with this outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.results[outcome as usize]
    }

    /// Wins of White, draws and wins of Black as people write them.
    pub(crate) fn results_text(&self) -> String {
        let [white, draws, black] = self.results;
        format!("+{white} ={draws} -{black}")
    }
}

/// When to stop; whatever comes first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Goal {
    /// Positions fit for training in the file.
    pub(crate) positions: Option<u64>,
    /// Games in the file.
    pub(crate) games: Option<u64>,
    /// Time of this run.
    pub(crate) time: Option<Duration>,
}

impl Goal {
    /// Whether a file with these games is complete.
    pub(crate) fn is_met(&self, tally: &Tally) -> bool {
        self.positions.is_some_and(|positions| tally.kept >= positions)
            || self.games.is_some_and(|games| tally.games >= games)
    }
}

/// Scores beyond this, in internal units, should predict the winner.
const TELLING_SCORE: i32 = 300;

/// Width of the score histogram's columns and the score at which its last ones begin, in internal units.
const SCORE_STEP: i32 = 100;
const SCORE_REACH: i32 = 1000;
const SCORE_BARS: usize = (2 * SCORE_REACH / SCORE_STEP) as usize + 2;

const PLIES_STEP: usize = 20;
const PLIES_BARS: usize = 16;

/// Pieces in one column, as the output buckets of a network have it.
const PIECE_STEP: u32 = 4;
const PIECE_BARS: usize = 8;

/// How games end, in the order of their counts.
const ENDINGS: [&str; 7] = [
    "win by score",
    "draw by score or length",
    "checkmate",
    "stalemate",
    "repetition",
    "fifty moves",
    "dead position",
];

/// Counts over games and the positions in them that are fit for training.
pub(crate) struct Stats {
    tally: Tally,
    /// Bytes of the files.
    bytes: u64,
    longest: usize,
    endings: [u64; ENDINGS.len()],
    plies: [u64; PLIES_BARS],
    scores: [u64; SCORE_BARS],
    pieces: [u64; PIECE_BARS],
    /// Positions with a telling score in games that were won, and those in which its sign was right.
    telling: u64,
    right: u64,
    /// Plies between positions out of search trees and the game, and how many of them have a telling score.
    tree_plies: u64,
    telling_trees: u64,
    /// The key of each position, those out of search trees included.
    keys: Vec<u64>,
}

impl Stats {
    pub(crate) fn new() -> Stats {
        Stats {
            tally: Tally::default(),
            bytes: 0,
            longest: 0,
            endings: [0; ENDINGS.len()],
            plies: [0; PLIES_BARS],
            scores: [0; SCORE_BARS],
            pieces: [0; PIECE_BARS],
            telling: 0,
            right: 0,
            tree_plies: 0,
            telling_trees: 0,
            keys: Vec::new(),
        }
    }

    /// Counts the size of a file.
    pub(crate) fn add_bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Counts a game.
    pub(crate) fn add(&mut self, game: &GameRecord) {
        self.tally.add(game);
        self.longest = self.longest.max(game.plies());
        self.plies[(game.plies() / PLIES_STEP).min(PLIES_BARS - 1)] += 1;
        self.endings[ending(game)] += 1;
        game.for_each_kept(|Kept { position, score, outcome, .. }| {
            self.scores[score_bar(score.0)] += 1;
            self.pieces[((position.occupied().count() - 2) / PIECE_STEP) as usize] += 1;
            self.keys.push(position.key());
            if let Some(winner) = outcome.winner()
                && score.0.abs() > TELLING_SCORE
            {
                self.telling += 1;
                self.right += u64::from((score.0 > 0) == (position.stm() == winner));
            }
        });
        game.for_each_kept_tree(|KeptTree { position, score, below, .. }| {
            self.tree_plies += below as u64;
            self.telling_trees += u64::from(score.0.abs() > TELLING_SCORE);
            self.keys.push(position.key());
        });
    }

    /// Positions that occur more than once, not counting the first time.
    fn duplicates(&mut self) -> u64 {
        self.keys.sort_unstable();
        self.keys.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
    }

    /// The counts as sentences and histograms.
    pub(crate) fn report(mut self) -> StatsReport {
        let duplicates = self.duplicates();
        let Tally { games, plies, kept, trees, results } = self.tally;
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let each = |total: u64, count: u64| total as f64 / count.max(1) as f64;
        let in_games = kept - trees;
        let tree_text = if trees == 0 {
            String::new()
        } else {
            format!(
                "{trees} positions out of search trees, without result, {:.1} a game, {:.1} plies off it, {:.1} % \
                 with scores beyond {TELLING_SCORE}; they are not in the histograms\n",
                each(trees, games),
                each(self.tree_plies, trees),
                percent(self.telling_trees, trees)
            )
        };
        let summary = format!(
            "{games} games, {plies} plies, {:.1} a game, at most {}\n\
             {in_games} positions kept, {:.1} % of the plies, {:.1} a game\n\
             {tree_text}{} bytes, {:.2} for a kept position\n\
             {duplicates} kept positions are duplicates, {:.1} %\n\
             scores beyond {TELLING_SCORE} in games with a winner: {:.1} % have the right sign ({} of {})",
            each(plies, games),
            self.longest,
            percent(in_games, plies),
            each(in_games, games),
            self.bytes,
            each(self.bytes, kept),
            percent(duplicates, kept),
            percent(self.right, self.telling),
            self.right,
            self.telling
        );
        let chart = |title: &str, bars: Vec<(String, u64)>| Chart { title: title.to_owned(), bars };
        let results = ["White wins", "draw", "Black wins"].map(str::to_owned).into_iter().zip(results);
        let endings = ENDINGS.map(str::to_owned).into_iter().zip(self.endings);
        let plies = self.plies.iter().enumerate().map(|(bar, &count)| (plies_label(bar), count));
        let scores = self.scores.iter().enumerate().map(|(bar, &count)| (score_label(bar), count));
        let pieces = self.pieces.iter().enumerate().map(|(bar, &count)| (piece_label(bar as u32), count));
        let charts = vec![
            chart("Results of games", results.collect()),
            chart("Ends of games", endings.collect()),
            chart("Plies of games", plies.collect()),
            chart("Scores of kept positions, in internal units for the side to move", scores.collect()),
            chart("Pieces in kept positions", pieces.collect()),
        ];
        StatsReport { summary, charts }
    }
}

/// Which of [`ENDINGS`] a game had.
fn ending(record: &GameRecord) -> usize {
    let mut game = Game::new(record.start);
    record.opening.iter().for_each(|&mv| game.play(mv));
    record.moves.iter().for_each(|scored| game.play(scored.mv));
    match game.outcome() {
        None if record.outcome == Outcome::Draw => 1,
        None => 0,
        Some(board::Outcome::Checkmate(_)) => 2,
        Some(board::Outcome::Draw(DrawReason::Stalemate)) => 3,
        Some(board::Outcome::Draw(DrawReason::ThreefoldRepetition)) => 4,
        Some(board::Outcome::Draw(DrawReason::FiftyMoves)) => 5,
        Some(board::Outcome::Draw(DrawReason::DeadPosition)) => 6,
    }
}

fn score_bar(score: i32) -> usize {
    let bar = (score + SCORE_REACH).div_euclid(SCORE_STEP) + 1;
    bar.clamp(0, SCORE_BARS as i32 - 1) as usize
}

fn score_label(bar: usize) -> String {
    let from = (bar as i32 - 1) * SCORE_STEP - SCORE_REACH;
    match bar {
        0 => format!("below {}", -SCORE_REACH),
        _ if bar == SCORE_BARS - 1 => format!("{from} and more"),
        _ => format!("{from} to {}", from + SCORE_STEP - 1),
    }
}

fn plies_label(bar: usize) -> String {
    let from = bar * PLIES_STEP;
    match bar {
        _ if bar == PLIES_BARS - 1 => format!("{from} and more"),
        _ => format!("{from} to {}", from + PLIES_STEP - 1),
    }
}

fn piece_label(bar: u32) -> String {
    let from = 2 + bar * PIECE_STEP;
    format!("{from} to {}", (from + PIECE_STEP - 1).min(32))
}

/// The outcome of [`Stats`].
pub(crate) struct StatsReport {
    summary: String,
    pub(crate) charts: Vec<Chart>,
}

impl fmt::Display for StatsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)?;
        self.charts.iter().try_for_each(|chart| write!(f, "\n\n{}", chart.to_text()))
    }
}

/// A histogram: counts under labels.
pub(crate) struct Chart {
    pub(super) title: String,
    pub(super) bars: Vec<(String, u64)>,
}

/// Characters of the longest bar in a text.
const TEXT_WIDTH: u64 = 40;

// Measures of a drawing, in pixels.
const WIDTH: usize = 720;
const MARGIN: usize = 20;
const TITLE_HEIGHT: usize = 34;
const ROW_HEIGHT: usize = 16;
const LABEL_WIDTH: usize = 150;
const BAR_WIDTH: u64 = 440;

impl Chart {
    /// The share of a count in percent.
    fn percent(&self, count: u64) -> f64 {
        let total: u64 = self.bars.iter().map(|bar| bar.1).sum();
        100.0 * count as f64 / total.max(1) as f64
    }

    fn largest(&self) -> u64 {
        self.bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1)
    }

    /// The title and a line for each bar.
    pub(super) fn to_text(&self) -> String {
        let label_width = self.bars.iter().map(|bar| bar.0.len()).max().unwrap_or(0);
        let mut text = self.title.clone();
        for (label, count) in &self.bars {
            let length = (count * TEXT_WIDTH).div_ceil(self.largest()) as usize;
            let percent = self.percent(*count);
            // Writing into a String does not fail.
            let _ =
                write!(text, "\n  {label:>label_width$} {count:>11} {percent:>5.1} % {}", "#".repeat(length));
        }
        text
    }
}

/// All charts below each other as an SVG document.
pub(crate) fn charts_to_svg(charts: &[Chart]) -> String {
    let height =
        charts.iter().map(|chart| TITLE_HEIGHT + chart.bars.len() * ROW_HEIGHT).sum::<usize>() + 2 * MARGIN;
    let mut svg = svg::start(WIDTH, height);
    let mut top = MARGIN;
    for chart in charts {
        let title_line = top + TITLE_HEIGHT - 14;
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{title_line}\" font-size=\"14\" font-weight=\"bold\">{}</text>",
            escaped(&chart.title)
        );
        top += TITLE_HEIGHT;
        for (label, count) in &chart.bars {
            let (left, line) = (MARGIN + LABEL_WIDTH, top + ROW_HEIGHT - 4);
            let width = count * BAR_WIDTH / chart.largest();
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{line}\" text-anchor=\"end\">{}</text>\
                 <rect x=\"{left}\" y=\"{}\" width=\"{width}\" height=\"{}\" fill=\"#4878a8\"/>\
                 <text x=\"{}\" y=\"{line}\">{:.1} %</text>",
                left - 8,
                escaped(label),
                top + 1,
                ROW_HEIGHT - 2,
                left as u64 + width + 6,
                chart.percent(*count)
            );
            top += ROW_HEIGHT;
        }
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::super::record::{ScoredMove, TreePosition};
    use super::*;
    use crate::board::Position;
    use crate::notation::parse_uci;
    use crate::types::Score;

    fn game(start: &str, moves: &[(&str, i32)], outcome: Outcome) -> GameRecord {
        let start: Position = start.parse().unwrap();
        let mut position = start;
        let mut scored = Vec::new();
        for &(text, score) in moves {
            let mv = parse_uci(&position, text).unwrap();
            position.make(mv);
            scored.push(ScoredMove { mv, score: Score(score) });
        }
        GameRecord { start, opening: Vec::new(), moves: scored, outcome, trees: Vec::new() }
    }

    #[test]
    fn every_end_is_recognised() {
        let start = crate::board::START_FEN;
        let knights = [("g1f3", 0), ("g8f6", 0), ("f3g1", 0), ("f6g8", 0)];
        let mate = [("f2f3", 0), ("e7e5", 0), ("g2g4", 0), ("d8h4", 0)];
        let repeated = knights.repeat(2);
        for (start, moves, outcome, name) in [
            (start, &knights[..1], Outcome::WhiteWins, "win by score"),
            (start, &knights[..1], Outcome::Draw, "draw by score or length"),
            (start, &mate[..], Outcome::BlackWins, "checkmate"),
            ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", &[("f1f7", 0)][..], Outcome::Draw, "stalemate"),
            (start, &repeated[..], Outcome::Draw, "repetition"),
            ("7k/8/6K1/8/8/8/8/R7 w - - 99 90", &[("a1a2", 0)][..], Outcome::Draw, "fifty moves"),
            ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", &[("a1b2", 0)][..], Outcome::Draw, "dead position"),
        ] {
            assert_eq!(ENDINGS[ending(&game(start, moves, outcome))], name);
        }
    }

    #[test]
    fn bars_cover_their_labels() {
        for (score, label) in [
            (-1250, "below -1000"),
            (-1001, "below -1000"),
            (-1000, "-1000 to -901"),
            (-1, "-100 to -1"),
            (0, "0 to 99"),
            (999, "900 to 999"),
            (1000, "1000 and more"),
            (1250, "1000 and more"),
        ] {
            assert_eq!(score_label(score_bar(score)), label, "{score}");
        }
        assert_eq!((piece_label(0), piece_label(7)), ("2 to 5".to_owned(), "30 to 32".to_owned()));
        assert_eq!((plies_label(0), plies_label(15)), ("0 to 19".to_owned(), "300 and more".to_owned()));
    }

    #[test]
    fn counts() {
        // Sixteen plies that do not count, then four that do; the score after c7c6 has the wrong sign.
        let shuffle = [("g1f3", 0), ("g8f6", 0), ("f3g1", 0), ("f6g8", 0)].repeat(4);
        let tail = [("c2c3", 400), ("c7c6", 350), ("d2d3", 299), ("d7d6", -500)];
        let record = game(crate::board::START_FEN, &[shuffle, tail.to_vec()].concat(), Outcome::WhiteWins);
        let mut stats = Stats::new();
        stats.add(&record);
        stats.add(&record);
        stats.add_bytes(100);
        assert_eq!((stats.telling, stats.right, stats.longest), (6, 4, 20));
        assert_eq!((stats.pieces[7], stats.plies[1]), (8, 2));
        let report = stats.report().to_string();
        assert!(report.contains("2 games, 40 plies, 20.0 a game, at most 20"), "{report}");
        assert!(report.contains("8 positions kept, 20.0 % of the plies, 4.0 a game"), "{report}");
        assert!(report.contains("100 bytes, 12.50 for a kept position"), "{report}");
        assert!(report.contains("4 kept positions are duplicates, 50.0 %"), "{report}");
        assert!(report.contains("66.7 % have the right sign (4 of 6)"), "{report}");
        assert!(!report.contains("search trees"), "{report}");
    }

    #[test]
    fn tree_positions_are_counted_apart() {
        let shuffle = [("g1f3", 0), ("g8f6", 0), ("f3g1", 0), ("f6g8", 0)].repeat(4);
        let mut record = game(crate::board::START_FEN, &shuffle, Outcome::Draw);
        let tree = |after: usize, score| {
            let mut position = record.start;
            for scored in &record.moves[..after] {
                position.make(scored.mv);
            }
            let mut path = Vec::new();
            for text in ["a2a3", "a7a6", "b2b3"] {
                path.push(parse_uci(&position, text).unwrap());
                position.make(path[path.len() - 1]);
            }
            TreePosition { after, path, score: Score(score) }
        };
        // The first one is 15 plies from the start, too few.
        let trees = vec![tree(12, 5), tree(14, 20), tree(14, -301)];
        record.trees = trees;
        let mut stats = Stats::new();
        stats.add(&record);
        let report = stats.report().to_string();
        assert!(report.contains("0 positions kept"), "{report}");
        assert!(report.contains("2 positions out of search trees, without result, 2.0 a game"), "{report}");
        assert!(report.contains("50.0 % with scores beyond 300"), "{report}");
        assert!(report.contains("1 kept positions are duplicates, 50.0 %"), "{report}");
    }

    fn chart() -> Chart {
        let bars = vec![("< 0".to_owned(), 1), ("0".to_owned(), 3), ("more".to_owned(), 0)];
        Chart { title: "a & b".to_owned(), bars }
    }

    #[test]
    fn text() {
        let text = chart().to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a & b");
        assert_eq!(lines[1], format!("   < 0           1  25.0 % {}", "#".repeat(14)));
        assert_eq!(lines[2], format!("     0           3  75.0 % {}", "#".repeat(40)));
        assert_eq!(lines[3].trim_end(), "  more           0   0.0 %");
    }

    #[test]
    fn drawing() {
        let svg = charts_to_svg(&[chart(), chart()]);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("a &amp; b").count(), 2);
        assert_eq!(svg.matches("&lt; 0").count(), 2);
        assert_eq!(svg.matches("fill=\"#4878a8\"").count(), 6);
        assert!(svg.contains("width=\"440\"") && svg.contains("width=\"146\""));
        let empty = Chart { title: String::new(), bars: vec![(String::new(), 0)] };
        assert!(empty.to_text().contains("0.0 %"));
    }
}
