//! The answer to `eval`: what the evaluation thinks of a position and of each piece in it.

use std::fmt::Write;

use super::format;
use crate::board::Position;
use crate::eval::{Chances, WdlModel, evaluate};
use crate::nnue::{Network, output_bucket};
use crate::types::{Color, File, Piece, PieceType, Rank, Score, Square};

/// The static evaluation by a network: the network, the evaluation, what each piece is worth, the output layers, the
/// chances of both sides. Programs read the first two lines.
pub fn evaluation(position: &Position, by: &Network) -> String {
    if position.in_check() {
        return "Evaluation: none, the side to move is in check".to_owned();
    }
    let scale = Scale { material: WdlModel::material(position), stm: position.stm() };
    let score = evaluate(by, position);
    let (own, white) = (scale.centipawns(score), scale.white(score));
    let mut text = format::network(by);
    let _ = write!(text, "\nEvaluation: {white:+} cp for White, {own:+} cp for the side to move\n");
    text.push_str(&chances(scale.chances(score)));
    text.push_str(&sides(position, by, scale));
    text.push_str(&buckets(position, by, scale));
    text.push_str(&pieces(position, by, scale));
    text.truncate(text.trim_end().len());
    text
}

/// How scores of a position are written.
#[derive(Clone, Copy)]
struct Scale {
    /// [`WdlModel::material`] of the position, for all variants of it too, so that their scores compare.
    material: u32,
    stm: Color,
}

impl Scale {
    fn centipawns(self, score: Score) -> i32 {
        WdlModel::FITTED.reported(score, self.material)
    }

    /// The score for the side to move as White's, in centipawns.
    fn white(self, score: Score) -> i32 {
        let own = self.centipawns(score);
        if self.stm == Color::White { own } else { -own }
    }

    /// The chances of White.
    fn chances(self, score: Score) -> Chances {
        let white = if self.stm == Color::White { score } else { -score };
        WdlModel::FITTED.chances(white, self.material)
    }
}

/// White's chances in percent.
fn chances(Chances { win, draw, loss }: Chances) -> String {
    let [win, draw, loss] = [win, draw, loss].map(|permille| f64::from(permille) / 10.0);
    format!("White wins {win:.1} %, draws {draw:.1} %, loses {loss:.1} %\n")
}

/// The worth for White with either side to move: what the network says from both perspectives.
fn sides(position: &Position, by: &Network, scale: Scale) -> String {
    let mut passed = *position;
    passed.make_null();
    let [now, passed] = [position, &passed].map(|side| scale.white(Score(by.evaluate(side)).clamp_eval()));
    let (white, black) = if scale.stm == Color::White { (now, -passed) } else { (-passed, now) };
    format!("Network alone, for White: {white:+} cp with White to move, {black:+} cp with Black to move\n")
}

/// What each output layer answers; the one that counts is marked.
fn buckets(position: &Position, by: &Network, scale: Scale) -> String {
    let all = by.evaluate_in_buckets(position);
    let used = output_bucket(all.len(), position.occupied().count() as usize);
    let cells = all.iter().enumerate().map(|(bucket, &value)| {
        let value = scale.white(Score(value).clamp_eval());
        if bucket == used { format!("[{value:+}]") } else { format!("{value:+}") }
    });
    let cells: Vec<String> = cells.collect();
    format!("Output layers by number of pieces, few to many: {}\n", cells.join(" "))
}

/// A diagram with the worth of each piece below it, in pawns for White: what the network says with it less what it says
/// without.
fn pieces(position: &Position, by: &Network, scale: Scale) -> String {
    const EDGE: &str = "  +------+------+------+------+------+------+------+------+\n";
    let whole = scale.white(Score(by.evaluate(position)).clamp_eval());
    let worth = |square: Square| {
        let without = scale.white(Score(by.evaluate(&position.without(square)?)).clamp_eval());
        Some(format!("{:+.2}", f64::from(whole - without) / 100.0))
    };
    let mut text = String::from("Worth of each piece: the evaluation with it less that without it\n");
    for rank in Rank::ALL.into_iter().rev() {
        let squares = File::ALL.map(|file| Square::new(file, rank));
        let letter = |square| position.piece_on(square).map_or(' ', Piece::letter);
        let row = |cells: [String; 8]| cells.map(|cell| format!("{cell:^6}|")).concat();
        let _ =
            writeln!(text, "{EDGE}{} |{}", rank.index() + 1, row(squares.map(|at| letter(at).to_string())));
        let _ = writeln!(text, "  |{}", row(squares.map(|at| worth(at).unwrap_or_default())));
    }
    text.push_str(EDGE);
    text.push_str("     a      b      c      d      e      f      g      h\n");
    let _ = write!(text, "Mean of each kind: {}", means(position, &worth));
    text
}

/// The mean worth of the pieces of each kind, of both sides.
fn means(position: &Position, worth: &dyn Fn(Square) -> Option<String>) -> String {
    let mean = |kind: PieceType| {
        let squares = position.of_type(kind);
        let sum: f64 = squares
            .into_iter()
            .filter_map(|square| {
                let value: f64 = worth(square)?.parse().ok()?;
                let is_white = position.piece_on(square)?.color() == Color::White;
                Some(if is_white { value } else { -value })
            })
            .sum();
        let letter = kind.letter().to_ascii_uppercase();
        (!squares.is_empty()).then(|| format!("{letter} {:.2}", sum / f64::from(squares.count())))
    };
    let kinds = [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
    kinds.into_iter().filter_map(mean).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::built_in;

    fn lines(fen: &str) -> Vec<String> {
        evaluation(&fen.parse().unwrap(), &built_in()).lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_piece_has_a_worth() {
        let lines = lines("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
        assert_eq!(lines.len(), 6 + 25 + 2, "{lines:?}");
        assert!(lines.iter().all(|line| line.len() <= 100 && line.trim_end() == line), "{lines:?}");
        let row = |line: usize| lines[line].split('|').map(str::trim).collect::<Vec<_>>();
        assert_eq!(row(7)[1..9], ["r", "n", "b", "", "k", "b", "n", "r"]);
        // Rank 1: the king has none, a queen is worth more than a rook.
        let worths = row(7 + 3 * 7 + 1);
        let value = |file: usize| worths[file].parse::<f64>().unwrap_or(0.0);
        assert!(worths[5].is_empty() && value(4) > value(1) && value(1) > 0.5, "{worths:?}");
        assert!(row(8)[1].starts_with('-'), "Black's pieces count against White: {lines:?}");
        assert!(
            lines[32].starts_with("Mean of each kind: P ") && lines[32].contains(", Q "),
            "{}",
            lines[32]
        );
    }

    #[test]
    fn the_answer_begins_as_programs_know_it() {
        let lines = lines(crate::board::START_FEN);
        assert!(lines[0].starts_with("network ") && lines[1].starts_with("Evaluation: +"), "{lines:?}");
        assert!(lines[2].starts_with("White wins ") && lines[2].ends_with(" %"), "{}", lines[2]);
        let value = |text: &str| text.split(' ').nth(1).unwrap().to_owned();
        assert!(lines[3].contains(&format!("{} cp with White to move", value(&lines[1]))), "{}", lines[3]);
        assert_eq!(lines[4].matches('[').count(), 1, "{}", lines[4]);
        assert_eq!(lines[4].split(' ').next_back(), Some(format!("[{}]", value(&lines[1])).as_str()));
        let check = evaluation(&"4k3/8/8/8/8/8/4r3/4K3 w - - 0 1".parse().unwrap(), &built_in());
        assert_eq!(check, "Evaluation: none, the side to move is in check");
    }
}
