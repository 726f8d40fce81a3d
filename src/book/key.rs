//! The key that Polyglot gives a position. Its random numbers belong to the format; the crate `shakmaty` has them.

use shakmaty::zobrist::{Zobrist64, ZobristValue};

use crate::attacks::pawn_attacks;
use crate::board::{Game, Position};
use crate::types::{CastlingSide, Color, PieceType, Rank};

/// The key of a game's position in a book. `None` where a castling right belongs to an inner rook of
/// Chess960: the format cannot tell such a position from the one in which the outer rook has the right,
/// and leaves it out of books.
pub fn book_key(game: &Game) -> Option<u64> {
    let position = game.position();
    let mut key = pieces(position);
    key ^= castling(position)?;
    // In this format a capture counts as soon as a pawn stands beside the one that moved two steps, even
    // where a pin or a check forbids it. The position keeps legal captures only, so the game is asked.
    if let Some(passed) = game.passed_square() {
        let beside = pawn_attacks(!position.stm(), passed) & position.pieces(position.stm(), PieceType::Pawn);
        if beside.any() {
            key ^= Zobrist64::zobrist_for_en_passant_file(shakmaty::File::new(passed.file().index() as u32));
        }
    }
    if position.stm() == Color::White {
        key ^= Zobrist64::zobrist_for_white_turn();
    }
    Some(key.0)
}

fn side(color: Color) -> shakmaty::Color {
    shakmaty::Color::from_white(color == Color::White)
}

fn pieces(position: &Position) -> Zobrist64 {
    let mut key = Zobrist64::default();
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            let piece = shakmaty::Role::ALL[piece.kind().index()].of(side(piece.color()));
            key ^= Zobrist64::zobrist_for_piece(shakmaty::Square::new(square.index() as u32), piece);
        }
    }
    key
}

fn castling(position: &Position) -> Option<Zobrist64> {
    let mut key = Zobrist64::default();
    for color in Color::ALL {
        let rooks = position.pieces(color, PieceType::Rook) & Rank::R1.relative_to(color).bitboard();
        for wing in CastlingSide::ALL {
            let Some(rook) = position.castling_rook(color, wing) else { continue };
            let (outermost, same_wing) = match wing {
                CastlingSide::King => (rooks.last(), shakmaty::CastlingSide::KingSide),
                CastlingSide::Queen => (rooks.first(), shakmaty::CastlingSide::QueenSide),
            };
            if outermost != Some(rook) {
                return None;
            }
            key ^= Zobrist64::zobrist_for_castling_right(side(color), same_wing);
        }
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_uci;

    fn key_after(moves: &str) -> Option<u64> {
        let mut game = Game::default();
        for text in moves.split_whitespace() {
            let mv = parse_uci(game.position(), text).expect("a legal move");
            game.play(mv);
        }
        book_key(&game)
    }

    fn key_of(fen: &str) -> Option<u64> {
        book_key(&fen.parse().expect("a valid FEN"))
    }

    /// The keys that the description of the format publishes.
    #[test]
    fn published_keys() {
        for (moves, fen, key) in [
            ("", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b_9618_1691_fc9c),
            ("e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
            (
                "e2e4 d7d5",
                "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2",
                0x0756_b944_61c5_0fb0,
            ),
            (
                "e2e4 d7d5 e4e5",
                "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
                0x662f_afb9_65db_29d4,
            ),
            (
                "e2e4 d7d5 e4e5 f7f5",
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
                0x22a4_8b5a_8e47_ff78,
            ),
            (
                "e2e4 d7d5 e4e5 f7f5 e1e2",
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3",
                0x652a_607c_a3f2_42c1,
            ),
            (
                "e2e4 d7d5 e4e5 f7f5 e1e2 e8f7",
                "rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4",
                0x00fd_d303_c946_bdd9,
            ),
            (
                "a2a4 b7b5 h2h4 b5b4 c2c4",
                "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
                0x3c81_23ea_7b06_7637,
            ),
            (
                "a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3",
                "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4",
                0x5c3f_9b82_9b27_9560,
            ),
        ] {
            assert_eq!(key_after(moves), Some(key), "{moves}");
            assert_eq!(key_of(fen), Some(key), "{fen}");
        }
    }

    #[test]
    fn a_pinned_captor_counts() {
        let with = key_of("4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        let without = key_of("4r2k/8/8/3pP3/8/8/8/4K3 w - - 0 1");
        // On the e-file the pawn may not leave: no legal capture, but a pawn beside.
        let legal: Position = "4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1".parse().expect("valid");
        assert_eq!(legal.en_passant(), None);
        assert_eq!(with, without.map(|key| key ^ 0x1c99_ded3_3cb8_90a1));
        // The same by a move, and gone after the next.
        let mut game: Game = "4r2k/3p4/8/4P3/8/8/8/4K3 b - - 0 1".parse().expect("valid");
        game.play(parse_uci(game.position(), "d7d5").expect("legal"));
        assert_eq!(book_key(&game), with);
        let same_pieces = key_of("4r2k/8/8/3pP3/8/8/3K4/8 b - - 0 1");
        game.play(parse_uci(game.position(), "e1d2").expect("legal"));
        assert_eq!(book_key(&game), same_pieces);
    }

    #[test]
    fn inner_castling_rooks_have_no_key() {
        assert_eq!(key_of("4k3/8/8/8/8/8/8/4KR1R w F - 0 1"), None);
        let outer = key_of("4k3/8/8/8/8/8/8/4KR1R w H - 0 1");
        let none = key_of("4k3/8/8/8/8/8/8/4KR1R w - - 0 1");
        assert_eq!(outer, none.map(|key| key ^ 0x31d7_1dce_64b2_c310));
    }
}
