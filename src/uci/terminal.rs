//! Output for a person at a terminal. Programs get what the protocol says, to the last byte.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::format::{self, Drawing, Style};
use crate::board::Position;
use crate::eval::Chances;
use crate::notation::{format_san, format_uci};
use crate::search::{Report, ScoreBound, SearchEvent, SearchResult};
use crate::types::{Color, Move, Score};

/// Who reads the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// A program that speaks UCI.
    Program,
    /// A person at a terminal, whose boards are drawn with this.
    Person(Drawing),
}

impl Audience {
    /// What boards are drawn with.
    pub fn drawing(self) -> Drawing {
        match self {
            Audience::Program => Drawing::Letters,
            Audience::Person(drawing) => drawing,
        }
    }

    /// Whether a person reads.
    pub fn is_person(self) -> bool {
        self != Audience::Program
    }
}

/// How moves are written, for one that is not understood.
pub const MOVES: &str = "Moves are written e2e4, e7e8q, castling e1g1, or e4, e8=Q, O-O.";

/// How a search is told.
pub enum Telling {
    /// By lines of the protocol.
    Protocol(Style),
    /// By a table.
    Table(Box<Table>),
}

impl Telling {
    /// The text for an event, if it is told. The last event of a search always is.
    pub fn text(&self, event: &SearchEvent) -> Option<String> {
        match self {
            Telling::Protocol(style) => Some(format::event(event, *style)),
            Telling::Table(table) => table.text(event),
        }
    }
}

/// Width of a terminal that everybody has, in characters.
const WIDTH: usize = 80;

/// A search as a table: depth and deepest ply, time, nodes, the score for the side to move and for White, the chances
/// to win, draw and lose in percent where they are wanted, the line.
pub struct Table {
    root: Position,
    style: Style,
    last: Mutex<Option<Report>>,
}

impl Table {
    /// The table of a search of this position.
    pub fn new(root: Position, style: Style) -> Table {
        Table { root, style, last: Mutex::new(None) }
    }

    fn text(&self, event: &SearchEvent) -> Option<String> {
        match event {
            SearchEvent::Line(report) => self.next_row(report),
            SearchEvent::Progress(_) | SearchEvent::CurrentMove { .. } => None,
            SearchEvent::TableFault(text) => Some(format!("Syzygy: {text}")),
            SearchEvent::NoMoves { in_check: true } => Some("checkmate, there is no move".to_owned()),
            SearchEvent::NoMoves { in_check: false } => Some("stalemate, there is no move".to_owned()),
            SearchEvent::BookMove => Some("a move of the opening book".to_owned()),
            SearchEvent::Finished(result) => Some(self.best_move(result)),
        }
    }

    /// The row of this report, unless it repeats a mate that the row before has told already: from there on iterations
    /// take no time. The first row has the heading above it.
    fn next_row(&self, report: &Report) -> Option<String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |last: &Report| {
            report.score.mate_moves().is_some() && report.score == last.score && report.pv == last.pv
        };
        match last.replace(report.clone()) {
            None => Some(format!("{}\n{}", self.heading(), self.row(report))),
            Some(before) if is_known(&before) => None,
            Some(_) => Some(self.row(report)),
        }
    }

    fn heading(&self) -> String {
        let chances = if self.style.show_wdl { "   win/draw/loss" } else { "" };
        format!("  depth    time   nodes   score   White{chances}  line")
    }

    fn row(&self, report: &Report) -> String {
        let score = |score: Score| {
            let text = format::pawns(score, self.style.material);
            if score > Score::DRAW { format!("+{text}") } else { text }
        };
        let white = if self.root.stm() == Color::White { report.score } else { -report.score };
        let bound = match report.bound {
            ScoreBound::Exact => "",
            ScoreBound::Lower => ">",
            ScoreBound::Upper => "<",
        };
        let mut row = format!(
            "{:>7} {:>7} {:>7} {:>7} {:>7}  ",
            format!("{}/{}", report.depth, report.seldepth),
            time(report.time),
            count(report.nodes),
            format!("{bound}{}", score(report.score)),
            score(white),
        );
        if self.style.show_wdl {
            let Chances { win, loss, .. } = format::chances(report, self.style);
            // Whole percents that make 100 together.
            let [win, loss] = [win, loss].map(|share| (share + 5) / 10);
            let shares = format!("{win}/{}/{loss} %", 100 - win - loss);
            row.insert_str(row.len() - 2, &format!("{shares:>16}"));
        }
        if report.multi_pv > 1 || self.style.multi_pv > 1 {
            row.push_str(&format!("{}) ", report.multi_pv));
        }
        let room = WIDTH - row.chars().count().min(WIDTH);
        row + &line(&self.root, &report.pv, room)
    }

    /// The protocol's last line, with the moves as people write them.
    fn best_move(&self, result: &SearchResult) -> String {
        let Some(best) = result.best else { return "bestmove (none)".to_owned() };
        let written =
            |position: &Position, mv: Move| (format_uci(mv, self.style.chess960), format_san(position, mv));
        let (move_text, san) = written(&self.root, best);
        match result.ponder {
            Some(ponder) => {
                let (reply, reply_san) = written(&self.root.after(best), ponder);
                format!("bestmove {move_text} ponder {reply} ({san}, expecting {reply_san})")
            }
            None => format!("bestmove {move_text} ({san})"),
        }
    }
}

/// As many moves in SAN, with their numbers, as there is room for; one at least.
fn line(root: &Position, moves: &[Move], room: usize) -> String {
    let (mut position, mut text) = (*root, String::new());
    for &mv in moves {
        let number = position.fullmove_number();
        let start = match position.stm() {
            Color::White => format!("{number}. "),
            Color::Black if text.is_empty() => format!("{number}... "),
            Color::Black => String::new(),
        };
        let word = format!("{start}{}", format_san(&position, mv));
        if text.is_empty() {
            text = word;
        } else if text.len() + 1 + word.len() <= room {
            text = format!("{text} {word}");
        } else {
            break;
        }
        position.make(mv);
    }
    text
}

/// A time in at most seven characters.
fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..100 => format!("{:.2} s", time.as_secs_f64()),
        100..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

/// A number of nodes in at most seven characters.
fn count(nodes: u64) -> String {
    match nodes {
        0..100_000 => nodes.to_string(),
        100_000..100_000_000 => format!("{} k", nodes / 1000),
        100_000_000..100_000_000_000 => format!("{} M", nodes / 1_000_000),
        _ => format!("{} G", nodes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_san;

    fn moves(root: &Position, sans: &str) -> Vec<Move> {
        let mut position = *root;
        let read = |san| {
            let mv = parse_san(&position, san).unwrap();
            position.make(mv);
            mv
        };
        sans.split(' ').map(read).collect()
    }

    #[test]
    fn a_line_fits() {
        let root = Position::start().after(moves(&Position::start(), "e4")[0]);
        let pv = moves(&root, "e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3");
        let style = Style { chess960: false, show_wdl: false, material: 78, multi_pv: 1 };
        let table = Table::new(root, style);
        let report = Report {
            depth: 120,
            seldepth: 200,
            multi_pv: 1,
            score: Score(-40),
            bound: ScoreBound::Exact,
            is_drawn: false,
            nodes: 123_456_789,
            tb_hits: 0,
            time: Duration::from_millis(3_723_000),
            hashfull: 0,
            pv: pv.clone(),
        };
        let first = table.text(&SearchEvent::Line(report.clone())).unwrap();
        let rows: Vec<&str> = first.lines().collect();
        assert_eq!(rows[0], "  depth    time   nodes   score   White  line");
        assert!(rows[1].starts_with("120/200  1:02 h   123 M   -0.") && rows[1].len() <= WIDTH, "{first}");
        assert!(rows[1].contains("  +0.") && rows[1].contains("  1... e5 2. Nf3 Nc6 3. Bb5 a6"), "{first}");
        let mate =
            Report { score: Score::mated_in(4), multi_pv: 2, bound: ScoreBound::Lower, ..report.clone() };
        let second = table.text(&SearchEvent::Line(mate.clone())).unwrap();
        assert!(second.contains("    >#-2     +#2  2) 1... e5") && !second.contains("depth"), "{second}");
        assert!(table.text(&SearchEvent::Line(mate.clone())).is_none(), "the mate is known");
        assert!(table.text(&SearchEvent::Line(report.clone())).is_some());
        let with_chances = Table::new(root, Style { show_wdl: true, ..style });
        let rows = with_chances.text(&SearchEvent::Line(report)).unwrap();
        let columns: Vec<usize> =
            rows.lines().map(|row| row.find("  line").or(row.find("  1...")).unwrap()).collect();
        assert!(columns[0] == columns[1] && rows.lines().all(|row| row.len() <= WIDTH), "{rows}");
        let shares = rows
            .lines()
            .next_back()
            .unwrap()
            .split_whitespace()
            .find(|word| word.contains("/") && word.matches('/').count() == 2);
        let sum: u32 = shares.unwrap().split('/').map(|share| share.parse::<u32>().unwrap()).sum();
        assert_eq!(sum, 100, "{rows}");
        let result = SearchResult { best: Some(pv[0]), ponder: Some(pv[1]), ..SearchResult::none() };
        let last = table.text(&SearchEvent::Finished(result)).unwrap();
        assert_eq!(last, "bestmove e7e5 ponder g1f3 (e5, expecting Nf3)");
        assert!(table.text(&SearchEvent::Progress(crate::search::Counts::default())).is_none());
    }

    #[test]
    fn numbers_fit_their_columns() {
        let times = [0, 99_990, 100_000, 3_600_000, 3_600_000 * 99].map(|ms| time(Duration::from_millis(ms)));
        assert_eq!(times, ["0.00 s", "99.99 s", "1:40", "1:00 h", "99:00 h"]);
        assert_eq!([99_999, 100_000, 1_234_567_890].map(count), ["99999", "100 k", "1234 M"]);
    }
}
