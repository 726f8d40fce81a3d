//! Search events and positions as text.

use std::fmt::Write;

use crate::board::{DrawReason, Game, Outcome, Position};
use crate::eval::{Chances, WdlModel};
use crate::nnue::Network;
use crate::notation::{format_san, format_uci};
use crate::search::{Counts, Report, ScoreBound, SearchEvent, SearchResult};
use crate::types::{Color, File, Move, Piece, PieceType, Rank, Score, Square};

/// How a client wants to read search events.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Castling is written king takes rook.
    pub chess960: bool,
    /// Chances to win, draw and lose are added to scores.
    pub show_wdl: bool,
    /// [`WdlModel::material`] at the root, on which the meaning of scores depends.
    pub material: u32,
    /// Number of lines that are told.
    pub multi_pv: usize,
}

/// One UCI line per event.
pub fn event(event: &SearchEvent, style: Style) -> String {
    match event {
        SearchEvent::Line(report) => info_line(report, style),
        // Without a depth, which some clients would take for the depth of the last PV.
        SearchEvent::Progress(progress) => format!("info{}", counts(*progress)),
        SearchEvent::CurrentMove { depth, mv, number } => {
            format!("info depth {depth} currmove {} currmovenumber {number}", format_uci(*mv, style.chess960))
        }
        SearchEvent::TableFault(text) => format!("info string Syzygy: {text}"),
        SearchEvent::NoMoves { in_check } => {
            let (score, chances) =
                if *in_check { ("mate 0", Chances::LOST) } else { ("cp 0", Chances::DRAWN) };
            format!("info depth 0 score {score}{}", wdl(chances, style))
        }
        SearchEvent::BookMove => "info string book move".to_owned(),
        SearchEvent::Finished(result) => best_move(result, style.chess960),
    }
}

fn info_line(report: &Report, style: Style) -> String {
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}",
        report.depth,
        report.seldepth,
        report.multi_pv,
        score(report.score, style.material)
    );
    line.push_str(match report.bound {
        ScoreBound::Exact => "",
        ScoreBound::Lower => " lowerbound",
        ScoreBound::Upper => " upperbound",
    });
    line.push_str(&wdl(chances(report, style), style));
    line.push_str(&counts(report.counts()));
    line.push_str(" pv");
    for &mv in &report.pv {
        line.push(' ');
        line.push_str(&format_uci(mv, style.chess960));
    }
    line
}

/// The chances that belong to a score.
pub(super) fn chances(report: &Report, style: Style) -> Chances {
    match report.is_drawn {
        true => Chances::DRAWN,
        false => WdlModel::FITTED.chances(report.score, style.material),
    }
}

/// Nodes, speed and the like, after a blank.
fn counts(Counts { nodes, tb_hits, time, hashfull }: Counts) -> String {
    let nps = u128::from(nodes) * 1_000_000 / time.as_micros().max(1);
    let time_ms = time.as_millis();
    format!(" nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tb_hits} time {time_ms}")
}

/// The chances after a score, where the client wants them.
fn wdl(chances: Chances, style: Style) -> String {
    let Chances { win, draw, loss } = chances;
    if style.show_wdl { format!(" wdl {win} {draw} {loss}") } else { String::new() }
}

/// `mate 3`, `cp -12`; a tablebase win three plies ahead is `cp 19997`. At 100 centipawns the probability of a win
/// is one half.
pub fn score(score: Score, material: u32) -> String {
    match score.mate_moves() {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {}", WdlModel::FITTED.reported(score, material)),
    }
}

/// A score in pawns with two decimals, `0.35`, or the moves to a mate, `#3` and `#-3`, as PGN comments have it.
pub fn pawns(score: Score, material: u32) -> String {
    match score.mate_moves() {
        Some(moves) => format!("#{moves}"),
        None => format!("{:.2}", f64::from(WdlModel::FITTED.reported(score, material)) / 100.0),
    }
}

/// The answer to a `go` without a position to search.
pub const NO_MOVE: &str = "bestmove 0000";

fn best_move(result: &SearchResult, chess960: bool) -> String {
    let text = |mv: Move| format_uci(mv, chess960);
    match (result.best, result.ponder) {
        (Some(best), Some(ponder)) => format!("bestmove {} ponder {}", text(best), text(ponder)),
        (Some(best), None) => format!("bestmove {}", text(best)),
        (None, _) => "bestmove (none)".to_owned(),
    }
}

/// A root move with its number of leaf nodes, as perft tools parse it.
pub fn perft_move(mv: Move, leaves: u64, chess960: bool) -> String {
    format!("{}: {leaves}", format_uci(mv, chess960))
}

/// The total number of leaf nodes, after an empty line.
pub fn perft_total(total: u64) -> String {
    format!("\nNodes searched: {total}")
}

/// Maximum length of a message in characters.
const MESSAGE: usize = 280;
/// The part of a shortened message, in characters, that comes from its end.
const MESSAGE_END: usize = 160;

/// A message that may quote input.
pub fn message(text: &str) -> String {
    format!("info string {}", printable(text))
}

/// A text that may quote input, made printable and not too long. The middle of a long text is left out: it is part of a
/// path or garbage, while the reason comes last.
pub fn printable(text: &str) -> String {
    let letters: Vec<char> = text.chars().filter(|letter| !letter.is_control()).collect();
    match letters.len() > MESSAGE {
        true => {
            let (start, end) = (&letters[..MESSAGE - MESSAGE_END], &letters[letters.len() - MESSAGE_END..]);
            start.iter().chain(&[' ', '.', '.', '.', ' ']).chain(end).collect()
        }
        false => letters.into_iter().collect(),
    }
}

/// What boards are drawn with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drawing {
    /// Letters, upper case for White, and lines of ASCII, which programs read as well.
    Letters,
    /// The chess figures of Unicode.
    Figures,
}

impl Drawing {
    fn piece(self, piece: Piece) -> char {
        const FIGURES: [[char; 6]; 2] = [
            ['\u{2659}', '\u{2658}', '\u{2657}', '\u{2656}', '\u{2655}', '\u{2654}'],
            ['\u{265F}', '\u{265E}', '\u{265D}', '\u{265C}', '\u{265B}', '\u{265A}'],
        ];
        match self {
            Drawing::Letters => piece.letter(),
            Drawing::Figures => FIGURES[piece.color().index()][piece.kind().index()],
        }
    }

    /// The squares with their edges, ranks and files.
    fn squares(self, position: &Position) -> String {
        let ([top, middle, bottom], wall) = match self {
            Drawing::Letters => (["+-++"; 3].map(|edge| edge.chars().collect::<Vec<_>>()), '|'),
            Drawing::Figures => (["┌─┬┐", "├─┼┤", "└─┴┘"].map(|edge| edge.chars().collect::<Vec<_>>()), '│'),
        };
        let edge = |chars: &[char]| match chars {
            [left, line, cross, right] => {
                let cell = line.to_string().repeat(3);
                format!("  {left}{}{right}\n", vec![cell; 8].join(&cross.to_string()))
            }
            _ => String::new(),
        };
        let mut text = String::new();
        for rank in Rank::ALL.into_iter().rev() {
            text.push_str(&edge(if rank == Rank::R8 { &top } else { &middle }));
            let _ = write!(text, "{} {wall}", rank.index() + 1);
            for file in File::ALL {
                let piece = position.piece_on(Square::new(file, rank)).map_or(' ', |piece| self.piece(piece));
                let _ = write!(text, " {piece} {wall}");
            }
            text.push('\n');
        }
        text + &edge(&bottom) + "    a   b   c   d   e   f   g   h\n\n"
    }
}

/// The board as a diagram, with FEN, key, checkers and legal moves.
pub fn board(game: &Game, chess960: bool, drawing: Drawing) -> String {
    let position = game.position();
    let mut text = drawing.squares(position);
    let side = if position.stm() == Color::White { "White" } else { "Black" };
    let fen = if chess960 { position.to_shredder_fen() } else { position.to_string() };
    let _ = writeln!(text, "{side} to move");
    let _ = writeln!(text, "Material: {}", material(position));
    let _ = writeln!(text, "FEN: {fen}");
    let _ = writeln!(text, "Key: {:016X}", position.key());
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let _ =
        writeln!(text, "Checkers: {}", if checkers.is_empty() { "none".into() } else { checkers.join(" ") });
    if let Some(end) = game.outcome() {
        let _ = writeln!(text, "The game is over: {}", outcome(end));
    }
    let mut moves: Vec<String> =
        position.legal_moves().into_iter().map(|mv| format_san(position, mv)).collect();
    moves.sort();
    let _ = write!(text, "Legal moves ({}):", moves.len());
    for san in &moves {
        let _ = write!(text, " {san}");
    }
    text
}

/// The pieces of both sides, and who is ahead by the usual values: pawn 1, knight and bishop 3, rook 5, queen 9.
fn material(position: &Position) -> String {
    use PieceType::{Bishop, Knight, Pawn, Queen, Rook};
    let count = |color| {
        let (mut letters, mut worth) = (String::from("K"), 0);
        for (kind, value) in [(Queen, 9), (Rook, 5), (Bishop, 3), (Knight, 3), (Pawn, 1)] {
            let number = position.pieces(color, kind).count() as usize;
            letters.push_str(&kind.letter().to_ascii_uppercase().to_string().repeat(number));
            worth += number as i32 * value;
        }
        (letters, worth)
    };
    let ((white, white_worth), (black, black_worth)) = (count(Color::White), count(Color::Black));
    let balance = match white_worth - black_worth {
        0 => "even".to_owned(),
        ahead if ahead > 0 => format!("White is ahead by {ahead}"),
        behind => format!("Black is ahead by {}", -behind),
    };
    format!("White {white}, Black {black}; {balance}")
}

/// The result of a game and its reason, in words.
fn outcome(end: Outcome) -> &'static str {
    match end {
        Outcome::Checkmate(Color::White) => "checkmate, White wins",
        Outcome::Checkmate(Color::Black) => "checkmate, Black wins",
        Outcome::Draw(DrawReason::Stalemate) => "stalemate",
        Outcome::Draw(DrawReason::ThreefoldRepetition) => "draw by threefold repetition",
        Outcome::Draw(DrawReason::FiftyMoves) => "draw by the fifty-move rule",
        Outcome::Draw(DrawReason::DeadPosition) => "draw, neither side can checkmate",
    }
}

/// A network's name, without unprintable characters, and architecture.
pub fn network(network: &Network) -> String {
    let name: String = network.name().chars().filter(|letter| !letter.is_control()).take(100).collect();
    format!("network {name} {}", network.architecture())
}
