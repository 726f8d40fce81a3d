//! Endings that the side with more material cannot win, whatever a network makes of them.
//!
//! Hardly any game of the training data ends in them, so a network goes by the pieces (CPW: "Draw Evaluation", "Wrong
//! Color Bishop"). Here only what is sure is called drawn:
//!
//! * bishops of one colour without pawns: they cannot mate a king that its own pieces do not shut in;
//! * knights, one or two, against a king alone: a mate comes about by a blunder only;
//! * rook's pawns on one file, with or without bishops of one colour, where no bishop sees the corner in which they
//!   queen and the defending king holds it or gets there in time.
//!
//! In the corner the defender may have other pieces besides, if they cannot be forced to the file next to the pawns,
//! where a pawn could take them and change its file.

use super::corner_race::{CornerRace, Race};
use crate::board::Position;
use crate::types::{Bitboard, Color, File, PieceType, Score, Square};

/// The better side's advantage is divided by this: what remains keeps it trying.
const DAMPING: i32 = 64;
/// The most that is left of it, in internal units: about a third of what is shown as a pawn.
const LITTLE: i32 = 50;

/// The evaluation, made small where the better side cannot win.
#[inline(always)]
pub(super) fn damped(position: &Position, eval: Score) -> Score {
    match cannot_be_won(position, eval) {
        true => kept_small(Score(eval.0 / DAMPING)),
        false => eval,
    }
}

/// What search results have made of an evaluation, kept small where the better side cannot win: they come
/// from positions much like this one in which the defender has gone wrong.
#[inline(always)]
pub fn bounded(position: &Position, corrected: Score) -> Score {
    if cannot_be_won(position, corrected) { kept_small(corrected) } else { corrected }
}

/// Whether the game is drawn for sure, so that no search can find anything else: a king alone stops rook's pawns
/// for good. Only blunders lead out of such positions.
pub fn is_held(position: &Position) -> bool {
    if heavy_pieces(position).any() {
        return false;
    }
    faces_lone_king(position, Color::White) && is_held_by_lone_king(position, Color::White)
        || faces_lone_king(position, Color::Black) && is_held_by_lone_king(position, Color::Black)
}

/// Whether the side to move holds such a draw, or a better result, against pieces that have no way to win.
#[inline(always)]
pub fn cannot_lose(position: &Position) -> bool {
    heavy_pieces(position).is_empty() && cannot_win(position, !position.stm())
}

/// Whether the side to move has nothing but rook's pawns, and bishops that do not see their corner, against a king
/// alone: whether that can reach the corner decides everything.
#[inline(always)]
pub fn hangs_on_corner(position: &Position) -> bool {
    faces_lone_king(position, position.stm()) && pawns_without_help(position, position.stm()).is_some()
}

/// Whether a side, which has no heavy pieces, plays against a king alone.
#[inline(always)]
fn faces_lone_king(position: &Position, side: Color) -> bool {
    !position.colored(!side).many() && heavy_pieces(position).is_empty()
}

#[cold]
fn is_held_by_lone_king(position: &Position, side: Color) -> bool {
    position.pieces(side, PieceType::Pawn).any() && cannot_win(position, side)
}

fn kept_small(eval: Score) -> Score {
    eval.clamp(Score(-LITTLE), Score(LITTLE))
}

#[inline(always)]
fn heavy_pieces(position: &Position) -> Bitboard {
    position.of_type(PieceType::Queen) | position.of_type(PieceType::Rook)
}

/// Whether the side that is better by this evaluation cannot win.
fn cannot_be_won(position: &Position, eval: Score) -> bool {
    if heavy_pieces(position).any() {
        return false;
    }
    let better = if eval > Score::DRAW { position.stm() } else { !position.stm() };
    let pawns = position.pieces(better, PieceType::Pawn);
    let on_file = |file: Bitboard| (pawns & !file).is_empty();
    (on_file(Bitboard::FILE_A) || on_file(Bitboard::FILE_H)) && cannot_win(position, better)
}

/// Whether a side, in an ending of minor pieces and rook's pawns, has no way to win.
#[cold]
fn cannot_win(position: &Position, side: Color) -> bool {
    if position.pieces(side, PieceType::Pawn).any() {
        return pawns_without_help(position, side)
            .is_some_and(|on_h_file| is_corner_held(position, side, on_h_file));
    }
    let knights = position.pieces(side, PieceType::Knight);
    let bishops = position.pieces(side, PieceType::Bishop);
    if knights.is_empty() {
        return of_one_colour(bishops);
    }
    let is_alone = !position.colored(!side).many();
    is_alone && bishops.is_empty() && knights.count() <= 2
}

fn of_one_colour(squares: Bitboard) -> bool {
    (squares & Bitboard::DARK_SQUARES).is_empty() || (squares & !Bitboard::DARK_SQUARES).is_empty()
}

/// Whether all pawns of a side stand on one rook's file and it has no pieces but bishops, none of which sees the
/// corner where they queen; says whether the file is the h-file.
#[cold]
fn pawns_without_help(position: &Position, side: Color) -> Option<bool> {
    let pawns = position.pieces(side, PieceType::Pawn);
    let bishops = position.pieces(side, PieceType::Bishop);
    let on_h_file = pawns.meets(Bitboard::FILE_H);
    let (file, corner) =
        if on_h_file { (Bitboard::FILE_H, Square::H8) } else { (Bitboard::FILE_A, Square::A8) };
    let is_dark = Bitboard::DARK_SQUARES.has(corner.relative_to(side));
    let helpers = if is_dark { bishops & Bitboard::DARK_SQUARES } else { bishops & !Bitboard::DARK_SQUARES };
    let others = position.colored(side).without(position.king(side)) & !pawns & !bishops;
    ((pawns & file).any() && (pawns & !file).is_empty() && (helpers | others).is_empty()).then_some(on_h_file)
}

/// Whether the defending king stops the pawns for good, on the a-file or the h-file, with the help that the bishops
/// are to them.
fn is_corner_held(position: &Position, side: Color, on_h_file: bool) -> bool {
    // Turned so that the pawns stand on the a-file and move up the board.
    let turned = |square: Square| {
        let square = square.relative_to(side);
        let file = if on_h_file { File::ALL[7 - square.file().index()] } else { square.file() };
        Square::new(file, square.rank())
    };
    let all_turned =
        |squares: Bitboard| squares.into_iter().fold(Bitboard::EMPTY, |all, square| all.with(turned(square)));
    let bishops = position.pieces(side, PieceType::Bishop);
    let defender = turned(position.king(!side));
    let others = position.colored(!side).without(position.king(!side));
    if others.any() {
        let stay_away = match (others & position.of_type(PieceType::Pawn)) == others {
            true => pawns_stay_away(all_turned(others), bishops.count()),
            false => {
                !others.many()
                    && !others.meets(heavy_pieces(position))
                    && piece_stays_away(all_turned(others))
            }
        };
        return CornerRace::is_home(defender) && stay_away;
    }
    CornerRace::get().is_safe(&Race {
        attacker: turned(position.king(side)),
        defender,
        pawns: all_turned(position.pieces(side, PieceType::Pawn)),
        bishops: all_turned(bishops),
        defender_to_move: position.stm() != side,
    })
}

/// Whether the defender's pawns cannot come to the b-file even if all the bishops are sacrificed to them.
fn pawns_stay_away(pawns: Bitboard, bishops: u32) -> bool {
    pawns.into_iter().all(|pawn| pawn.file().index() > File::B.index() + bishops as usize)
}

/// Whether the defender's knight or bishop never has to go to the a-file or b-file. From the d-file on it has
/// another move, or none at all, even if the attacking king stands in its way.
fn piece_stays_away(piece: Bitboard) -> bool {
    piece.into_iter().all(|square| square.file().index() >= File::D.index())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::{Tablebases, Wdl};
    use crate::types::{Move, Rank, SplitMix64};

    /// Whether White cannot win, which must be the same for all reflections.
    fn white_cannot_win(fen: &str) -> bool {
        let position: Position = fen.parse().unwrap();
        let answer = cannot_win(&position, Color::White);
        assert_eq!(cannot_win(&position.color_flipped(), Color::Black), answer, "{fen}");
        let (board, rest) = fen.split_once(' ').unwrap();
        let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
        let mirrored: Position = format!("{} {rest}", ranks.join("/")).parse().unwrap();
        assert_eq!(cannot_win(&mirrored, Color::White), answer, "{fen} mirrored");
        answer
    }

    #[test]
    fn dead_draws() {
        for fen in [
            "8/8/6k1/8/8/3KNN2/8/8 w - - 0 1",
            "8/2n5/6k1/8/8/3K1B2/4B3/3B4 w - - 0 1",
            "8/2b5/6k1/8/8/3K1B2/4B3/3B4 b - - 0 1",
            "8/2p5/6k1/8/8/3K1B2/4B3/3B4 w - - 0 1",
            "1k6/8/8/8/P7/8/1K6/4B3 w - - 0 1",
            "5k2/8/8/8/7P/3B2K1/8/8 w - - 0 1",
            "1k6/8/8/P7/P7/B7/PK1B4/4B3 w - - 0 1",
            "k7/8/8/P7/P7/P7/1K6/8 w - - 0 1",
            "k7/8/1K6/P7/8/8/5B2/8 b - - 0 1",
            "1k6/8/5p1p/8/P7/8/1K6/4B3 w - - 0 1",
            "1k6/8/5n2/8/P7/P7/1K6/4B3 w - - 0 1",
            "1k6/8/5b2/8/P7/P7/1K6/2B1B3 w - - 0 1",
        ] {
            assert!(white_cannot_win(fen), "{fen}");
        }
    }

    #[test]
    fn nothing_else_is_drawn() {
        for fen in [
            // Bishops of both colours, bishop and knight, three knights.
            "8/8/6k1/8/8/3K4/4BB2/8 w - - 0 1",
            "8/8/6k1/8/8/3K4/4BN2/8 w - - 0 1",
            "8/8/6k1/8/8/3KNNN1/8/8 w - - 0 1",
            // With pawns against them two knights may win.
            "8/2p5/6k1/8/8/3KNN2/8/8 w - - 0 1",
            // The bishop sees the corner.
            "1k6/8/8/8/P7/8/1K6/5B2 w - - 0 1",
            "1k6/8/8/8/P7/8/1K6/4BB2 w - - 0 1",
            // Pawns on another file, or on both.
            "1k6/8/8/8/1P6/8/1K6/4B3 w - - 0 1",
            "1k6/8/8/8/P6P/8/1K6/4B3 w - - 0 1",
            // A knight helps.
            "k7/8/8/8/P7/8/1K6/4BN2 w - - 0 1",
            // The king comes too late, or is kept out.
            "8/8/8/8/P3k3/8/1K6/4B3 w - - 0 1",
            "8/2k5/K7/P7/8/8/5B2/8 w - - 0 1",
            // Zugzwang: Bb6 forces a7xb6, and the pawn takes back.
            "k7/p1K5/8/P7/3B4/8/8/8 w - - 0 1",
            "k7/1p6/8/P7/3B4/2K5/8/8 w - - 0 1",
            "k7/2p5/8/P7/3B4/2K5/8/8 w - - 0 1",
            "k7/1n6/8/P7/3B4/2K5/8/8 w - - 0 1",
        ] {
            assert!(!white_cannot_win(fen), "{fen}");
        }
    }

    /// A position with these pieces, or `None` where it is illegal.
    fn position(pieces: &[(char, Square)], stm: char) -> Option<Position> {
        let mut board = [['1'; 8]; 8];
        for &(letter, square) in pieces {
            let place = &mut board[7 - square.rank().index()][square.file().index()];
            if *place != '1' {
                return None;
            }
            *place = letter;
        }
        let ranks: Vec<String> = board.iter().map(|rank| rank.iter().collect()).collect();
        format!("{} {stm} - - 0 1", ranks.join("/")).parse().ok()
    }

    /// Calls `look` with one in `every` positions of two kings with these pieces.
    fn for_all(letters: &str, every: usize, mut look: impl FnMut(&Position)) {
        let letters: Vec<char> = "Kk".chars().chain(letters.chars()).collect();
        for number in (0..2 << (6 * letters.len())).step_by(every) {
            let square = |piece: usize| Square::from_index((number >> (6 * piece + 1)) as u8 & 63);
            let pieces: Vec<(char, Square)> =
                letters.iter().enumerate().map(|(piece, &letter)| (letter, square(piece))).collect();
            if let Some(position) = position(&pieces, if number % 2 == 0 { 'w' } else { 'b' }) {
                look(&position);
            }
        }
    }

    /// Two knights, or a bishop against a pawn, can mate if the king has blundered. The search sees that, whatever
    /// the evaluation. No other position of a bishop and a pawn is won, as a run over all of them has shown.
    fn is_mate_at_hand(position: &Position) -> bool {
        let is_mate = |position: &Position| position.in_check() && !position.has_legal_move();
        is_mate(position) || position.legal_moves().into_iter().any(|mv| is_mate(&position.after(mv)))
    }

    /// Compares one in `every` positions of some endings with the tables of a folder.
    fn compare_with_tables(folder: &str, endings: &[(&str, usize)]) {
        let tables = Tablebases::open(folder).tables.expect("the folder holds tables");
        for &(pieces, every) in endings {
            let mut claimed = 0;
            for_all(pieces, every, |position| {
                let claims = cannot_win(position, Color::White);
                if !claims && !pieces.contains('P') {
                    return;
                }
                let result = tables.probe_wdl(position).unwrap();
                let for_white = if position.stm() == Color::White { result } else { result.opposite() };
                let is_won = for_white > Wdl::Draw && !is_mate_at_hand(position);
                assert!(!(claims && is_won), "{position}");
                claimed += usize::from(claims);
            });
            assert!(claimed > 100, "{pieces}: {claimed}");
        }
    }

    #[test]
    fn what_is_called_drawn_is_drawn_by_the_tables() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
        compare_with_tables(folder, &[("P", 5), ("N", 31), ("B", 31)]);
    }

    #[test]
    #[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
    fn what_is_called_drawn_is_drawn_by_the_tables_with_four_pieces() {
        let folder =
            std::env::var("QUILLON_SYZYGY").expect("QUILLON_SYZYGY names a folder of endgame tables");
        let two_pieces = [("BP", 113), ("PP", 113), ("BB", 997), ("NN", 997)];
        let one_each = [("Bp", 97), ("Bb", 997), ("Bn", 997), ("Pp", 211)];
        compare_with_tables(&folder, &[two_pieces, one_each].concat());
    }

    /// Whether White cannot win after its move, by the rules here or because Black takes back what has queened.
    fn is_kept(position: &Position) -> bool {
        let keeps = |position: &Position| {
            let no_queen = position.pieces(Color::White, PieceType::Queen).is_empty();
            position.is_dead() || no_queen && cannot_win(position, Color::White)
        };
        let takes_back = |mv: Move| mv.is_capture() && keeps(&position.after(mv));
        keeps(position) || position.legal_moves().into_iter().any(takes_back)
    }

    /// By induction the defender, who always has a move that keeps the draw, never loses it.
    #[test]
    fn no_move_leads_out_of_a_held_corner() {
        let mut random = SplitMix64::new(16, 6);
        let sets = [
            "PB", "PPB", "PBB", "PPBB", "PPPBBB", "PP", "PPP", "PBn", "PPBBn", "PBb", "PPBBb", "PBp",
            "PPBpp", "Pp",
        ];
        for pieces in sets {
            let letters: Vec<char> = "Kk".chars().chain(pieces.chars()).collect();
            let mut claimed = [0; 2];
            while claimed.iter().any(|&count| count < 1000) {
                let mut square = |letter: char| match letter {
                    'P' => Square::new(File::A, Rank::ALL[1 + random.below(6)]),
                    'B' => Bitboard::DARK_SQUARES.into_iter().nth(random.below(32)).unwrap(),
                    'k' if random.below(2) == 0 => {
                        [Square::A8, Square::B8, Square::A7, Square::B7][random.below(4)]
                    }
                    _ => Square::from_index(random.below(64) as u8),
                };
                let pieces: Vec<(char, Square)> =
                    letters.iter().map(|&letter| (letter, square(letter))).collect();
                let Some(position) = position(&pieces, ['w', 'b'][random.below(2)]) else { continue };
                if !cannot_win(&position, Color::White) {
                    continue;
                }
                claimed[position.stm() as usize] += 1;
                let moves = position.legal_moves();
                let mut after = moves.iter().map(|&mv| position.after(mv));
                let holds = match position.stm() {
                    Color::White => after.all(|child| is_kept(&child)),
                    Color::Black if moves.is_empty() => !position.in_check(),
                    // With a queen of its own Black has other moves than to leave the corner.
                    Color::Black => after.any(|child| {
                        let queened = child.pieces(Color::Black, PieceType::Queen).any();
                        queened || cannot_win(&child, Color::White) || child.is_dead()
                    }),
                };
                assert!(holds, "{position}");
            }
        }
    }
}
