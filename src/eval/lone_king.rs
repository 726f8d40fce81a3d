//! A king alone against pieces that can mate it.
//!
//! Networks are trained on positions with four pieces or more that are still undecided, so they know that such
//! endings are won, but not which way leads to the mate. That has been known for centuries: drive the king
//! to the edge, with bishop and knight into a corner of the bishop's colour, and bring the winning king near
//! (CPW: "Mop-up Evaluation").

use crate::board::Position;
use crate::types::{Color, PieceType, Score, Square};

/// Well above what networks say of positions that are still to be won, in internal units.
const WON: i32 = 3000;
/// For each piece that is left, so that none is given away.
const PIECE: i32 = 100;
/// For each queen besides, so that pawns become queens.
const QUEEN: i32 = 100;
/// For each step of the lone king from the centre, or towards a corner in which it can be mated.
const DRIVEN: i32 = 20;
/// For each step that the kings are nearer.
const NEARNESS: i32 = 8;

/// The value of such a position for the side to move; `None` where the network is to judge.
#[inline(always)]
pub(super) fn lone_king(position: &Position) -> Option<Score> {
    let loser = Color::ALL.into_iter().find(|&side| position.colored(side).count() == 1)?;
    mop_up(position, loser).map(|won| if position.stm() == loser { -won } else { won })
}

/// Whether the side to move faces a king alone and has pieces that can mate it; pawns alone are none.
pub fn hunts_lone_king(position: &Position) -> bool {
    lone_king(position).is_some_and(|score| score > Score::DRAW)
}

/// The value for the side that has more than its king.
#[cold]
fn mop_up(position: &Position, loser: Color) -> Option<Score> {
    let winner = !loser;
    let count = |kind| position.pieces(winner, kind).count();
    let bishops = position.pieces(winner, PieceType::Bishop);
    let (light, dark) =
        (bishops.into_iter().any(is_light), bishops.into_iter().any(|square| !is_light(square)));
    let is_easy = count(PieceType::Queen) + count(PieceType::Rook) > 0 || light && dark;
    let is_bishop_and_knight = (light || dark) && count(PieceType::Knight) > 0;
    if !is_easy && !is_bishop_and_knight {
        return None;
    }
    let (hunter, hunted) = (position.king(winner), position.king(loser));
    let driven = if is_easy { 2 * from_centre(hunted) } else { 14 - 2 * to_corner(hunted, light) };
    let (pieces, queens) = (position.colored(winner).count() as i32, count(PieceType::Queen) as i32);
    Some(Score(
        WON + PIECE * pieces + QUEEN * queens + DRIVEN * driven + NEARNESS * (14 - steps(hunter, hunted)),
    ))
}

fn coordinates(square: Square) -> (i32, i32) {
    (square.file().index() as i32, square.rank().index() as i32)
}

fn is_light(square: Square) -> bool {
    let (file, rank) = coordinates(square);
    (file + rank) % 2 == 1
}

/// Steps along ranks and files from one square to the other, 0 to 14.
fn steps(a: Square, b: Square) -> i32 {
    let ((file, rank), (other_file, other_rank)) = (coordinates(a), coordinates(b));
    (file - other_file).abs() + (rank - other_rank).abs()
}

/// Steps from the four squares in the middle, 0 to 6.
fn from_centre(square: Square) -> i32 {
    let (file, rank) = coordinates(square);
    (3 - file).max(file - 4) + (3 - rank).max(rank - 4)
}

/// Steps to the nearer corner of a colour, 0 to 7.
fn to_corner(square: Square, light: bool) -> i32 {
    let corners = if light { [Square::A8, Square::H1] } else { [Square::A1, Square::H8] };
    steps(square, corners[0]).min(steps(square, corners[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(fen: &str) -> Option<i32> {
        lone_king(&fen.parse().unwrap()).map(|score| score.0)
    }

    #[test]
    fn only_a_lone_king_against_mating_material_is_judged() {
        for fen in [
            crate::board::START_FEN,
            "8/8/6k1/8/8/3K4/8/8 w - - 0 1",
            "8/8/6k1/8/8/3KN3/8/8 w - - 0 1",
            "8/8/6k1/8/8/3KB3/8/8 w - - 0 1",
            "8/8/6k1/8/8/2BKB3/8/4B3 w - - 0 1",
            "8/8/6k1/8/8/3KNN2/8/8 w - - 0 1",
            "8/8/6k1/6p1/8/3KR3/8/8 w - - 0 1",
            "8/8/6k1/8/8/3KP3/8/8 w - - 0 1",
        ] {
            assert_eq!(value(fen), None, "{fen}");
        }
        for pieces in ["Q7", "R7", "BB6", "BN6", "QP6"] {
            let white_to_move = value(&format!("8/8/6k1/8/8/3K4/{pieces}/8 w - - 0 1")).unwrap();
            assert!((WON..WON + 1000).contains(&white_to_move), "{pieces}");
            assert_eq!(value(&format!("8/8/6k1/8/8/3K4/{pieces}/8 b - - 0 1")), Some(-white_to_move));
            let turned = format!("8/{}/3k4/8/8/6K1/8/8 b - - 0 1", pieces.to_lowercase());
            assert_eq!(value(&turned), Some(white_to_move), "{turned}");
        }
    }

    #[test]
    fn the_way_to_the_mate_leads_uphill() {
        let better = |more: &str, less: &str| assert!(value(more) > value(less), "{more} before {less}");
        better("8/8/4k3/8/4K3/8/R7/8 w - - 0 1", "8/8/4k3/8/8/4K3/R7/8 w - - 0 1");
        better("4k3/8/8/8/4K3/8/R7/8 w - - 0 1", "8/4k3/8/8/4K3/8/R7/8 w - - 0 1");
        better("k7/8/2K5/8/8/8/1R6/8 w - - 0 1", "8/k7/8/2K5/8/8/1R6/8 w - - 0 1");
        better("1Q6/8/4k3/8/8/8/R4K2/8 w - - 0 1", "8/1P6/4k3/8/8/4K3/R7/8 w - - 0 1");
        // A bishop on light squares mates on a8 and h1.
        let bishop_and_knight = |king: &str| format!("{king}/8/2K5/8/2B1N3/8/8/8 w - - 0 1");
        better(&bishop_and_knight("k7"), &bishop_and_knight("3k4"));
        better(&bishop_and_knight("3k4"), &bishop_and_knight("7k"));
    }
}
