//! Endgame tables round the distance to the next capture, pawn move or mate; near the fifty-move limit one ply
//! makes the difference between a win and a draw. Here the true distances of endings with one or two pieces against a
//! king alone are worked out, and compared with what is said at the root.

mod tables;

use std::sync::Arc;

use quillon::attacks::{bishop_attacks, king_attacks, knight_attacks, queen_attacks, rook_attacks};
use quillon::board::{Game, Position};
use quillon::tablebase::{ProbeRules, TableAccess, Tablebases, Wdl};
use quillon::types::{Bitboard, PieceType, Square};

fn attacks(kind: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceType::Knight => knight_attacks(square),
        PieceType::Bishop => bishop_attacks(square, occupied),
        PieceType::Rook => rook_attacks(square, occupied),
        PieceType::Queen => queen_attacks(square, occupied),
        _ => king_attacks(square),
    }
}

fn neighbours(squares: Bitboard) -> Bitboard {
    squares.into_iter().fold(Bitboard::EMPTY, |all, square| all | king_attacks(square))
}

/// White has `N` pieces, the first a king, Black a king. `[place of the white pieces]`, each a set of squares of the black
/// king.
struct Endgame<const N: usize> {
    pieces: [PieceType; N],
    /// White, to move, wins within so many plies.
    won: Vec<Bitboard>,
    /// Black, to move, loses within so many plies.
    lost: Vec<Bitboard>,
}

/// The places of the white pieces, no two on one square.
fn places<const N: usize>() -> impl Iterator<Item = [Square; N]> {
    let square = |index: usize, piece: usize| Square::from_index((index >> (6 * (N - 1 - piece))) as u8 & 63);
    let place = move |index| std::array::from_fn(|piece| square(index, piece));
    (0..1 << (6 * N)).map(place).filter(|place| occupied(*place).count() as usize == N)
}

fn index<const N: usize>(place: [Square; N]) -> usize {
    place.into_iter().fold(0, |index, square| index << 6 | square.index())
}

fn occupied<const N: usize>(place: [Square; N]) -> Bitboard {
    place.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
}

impl<const N: usize> Endgame<N> {
    fn new(pieces: [PieceType; N]) -> Endgame<N> {
        let empty = vec![Bitboard::EMPTY; 1 << (6 * N)];
        Endgame { pieces, won: empty.clone(), lost: empty }
    }

    /// What White attacks, through the black king and, with `taken`, without that piece.
    fn attacked(&self, place: [Square; N], taken: Option<usize>) -> Bitboard {
        let occupied = occupied(place);
        (0..N)
            .filter(|&piece| Some(piece) != taken)
            .fold(Bitboard::EMPTY, |all, piece| all | attacks(self.pieces[piece], place[piece], occupied))
    }

    /// Whether what is left after a capture of this piece still wins.
    fn wins_without(&self, taken: usize) -> bool {
        (0..N).any(|piece| piece != taken && matches!(self.pieces[piece], PieceType::Queen | PieceType::Rook))
    }

    /// Where the black king, to move, is mated or, if it is given `time` for a move, has nothing but captures that
    /// do not save it and moves after which White wins in time.
    fn lost_at(&self, place: [Square; N], time: bool) -> Bitboard {
        let occupied = occupied(place);
        let attacked = self.attacked(place, None);
        let mut steps = !attacked & !occupied;
        let mut saved = steps & !self.won[index(place)];
        for (piece, &square) in place.iter().enumerate().skip(1) {
            if !self.attacked(place, Some(piece)).has(square) {
                steps = steps.with(square);
                if !(time && self.wins_without(piece)) {
                    saved = saved.with(square);
                }
            }
        }
        !occupied & !king_attacks(place[0]) & !neighbours(saved) & (neighbours(steps) | attacked)
    }

    /// From where White, to move, reaches a lost position.
    fn won_at(&self, place: [Square; N]) -> Bitboard {
        let occupied = occupied(place);
        let mut won = Bitboard::EMPTY;
        for piece in 0..N {
            for to in attacks(self.pieces[piece], place[piece], occupied) & !occupied {
                let mut after = place;
                after[piece] = to;
                // The black king cannot stand in the way: it would be in check.
                won |= self.lost[index(after)];
            }
        }
        // With White to move the black king is not in check.
        won & !occupied & !self.attacked(place, None)
    }

    /// The position, clock and all.
    fn fen(&self, place: [Square; N], black: Square, stm: char, clock: i32) -> String {
        let mut board = [['1'; 8]; 8];
        let mut put =
            |square: Square, letter| board[7 - square.rank().index()][square.file().index()] = letter;
        for (kind, square) in self.pieces.into_iter().zip(place) {
            put(square, ['P', 'N', 'B', 'R', 'Q', 'K'][kind.index()]);
        }
        put(black, 'k');
        let ranks: Vec<String> = board.iter().map(|rank| rank.iter().collect()).collect();
        format!("{} {stm} - - {clock} 120", ranks.join("/"))
    }
}

fn result(tables: &Arc<Tablebases>, fen: &str) -> Wdl {
    let position: Position = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    let access = TableAccess::new(Arc::clone(tables), ProbeRules::default());
    access.root(&Game::new(position), &position.legal_moves(), &|| true).expect("in the tables").result
}

/// Positions compared with the tables, and those of them in which a win by the last ply was not claimed.
#[derive(Default)]
struct Compared {
    all: usize,
    left_open: usize,
}

/// Compares one in `every` positions of an ending with the tables.
fn compare<const N: usize>(tables: &Arc<Tablebases>, pieces: [PieceType; N], every: usize) -> Compared {
    let mut endgame = Endgame::new(pieces);
    let places: Vec<[Square; N]> = places().collect();
    let (mut new, mut last_news) = (0, 0);
    let mut compared = Compared::default();
    for plies in 0.. {
        let (mut won, mut lost) = (endgame.won.clone(), endgame.lost.clone());
        for &place in &places {
            won[index(place)] |= endgame.won_at(place);
            lost[index(place)] |= endgame.lost_at(place, plies > 0);
            for (stm, now, before) in [('w', &won, &endgame.won), ('b', &lost, &endgame.lost)] {
                for black in now[index(place)] & !before[index(place)] {
                    last_news = plies;
                    new += 1;
                    if new % every == 0 && plies > 0 {
                        compared.add(&endgame, tables, (place, black, stm), plies);
                    }
                }
            }
        }
        (endgame.won, endgame.lost) = (won, lost);
        if plies > last_news + 1 {
            return compared;
        }
    }
    unreachable!()
}

impl Compared {
    /// Looks at a position in which the mate or a capture comes after so many plies, at the clocks where that
    /// matters.
    fn add<const N: usize>(
        &mut self,
        endgame: &Endgame<N>,
        tables: &Arc<Tablebases>,
        (place, black, stm): ([Square; N], Square, char),
        plies: i32,
    ) {
        for clock in (98 - plies..=102 - plies).filter(|clock| (0..100).contains(clock)) {
            let fen = endgame.fen(place, black, stm, clock);
            let decided = if stm == 'w' { Wdl::Win } else { Wdl::Loss };
            let is_decided = result(tables, &fen) == decided;
            assert!(!is_decided || clock + plies <= 100, "{fen}: not decided in {plies} plies");
            assert!(is_decided || clock + plies >= 100, "{fen}: decided in {plies} plies");
            self.all += 1;
            self.left_open += usize::from(!is_decided && clock + plies == 100);
        }
    }
}

#[test]
fn results_are_exact_at_the_fifty_move_limit() {
    use PieceType::{King, Queen, Rook};
    let tables = tables::open(&tables::three_pieces());
    for (pieces, every) in [([King, Queen], 401), ([King, Rook], 401)] {
        let compared = compare(&tables, pieces, every);
        assert!(
            compared.all > 200 && compared.left_open == 0,
            "{pieces:?}: {} {}",
            compared.all,
            compared.left_open
        );
    }
}

#[test]
#[ignore = "needs tables of four pieces: QUILLON_SYZYGY=FOLDER cargo test four_pieces -- --ignored"]
fn results_are_exact_at_the_fifty_move_limit_with_four_pieces() {
    use PieceType::{Bishop, King, Knight, Queen, Rook};
    let tables = tables::open(&tables::four_pieces());
    // The pieces of the first tell whose move ends the count; in the others the moves have to be followed.
    let endings = [
        ([King, Bishop, Knight], 30_011, 0),
        ([King, Queen, Bishop], 200_003, 0),
        ([King, Rook, Knight], 400_009, 9),
    ];
    for (pieces, every, most_open) in endings {
        let compared = compare(&tables, pieces, every);
        assert!(compared.all > 200 && compared.left_open <= most_open, "{pieces:?}: {}", compared.left_open);
    }
}
