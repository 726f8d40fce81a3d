//! Keys of opening books against an independent library, the crate `shakmaty`, over seeded random games.

use quillon::board::{Game, START_FEN};
use quillon::book::book_key;
use quillon::notation::format_uci;
use quillon::types::SplitMix64;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

/// What the walks met.
#[derive(Debug, Default)]
struct Seen {
    positions: usize,
    en_passant: usize,
    /// Pawns stand beside each other, but the capture is illegal.
    forbidden_captures: usize,
    castling_rights: usize,
    inner_rooks: usize,
}

fn walk(fen: &str, plies: usize, rng: &mut SplitMix64, seen: &mut Seen) {
    let mut game: Game = fen.parse().expect("tests give valid FENs");
    let parsed: Fen = fen.parse().expect("valid");
    let mut referee: Chess = parsed.into_position(CastlingMode::Chess960).expect("valid");
    for _ in 0..plies {
        // Pawns beside each other count even where a pin or a check forbids the capture.
        let expected: Zobrist64 = referee.zobrist_hash(EnPassantMode::PseudoLegal);
        // Rights of inner rooks, for which X-FEN needs the letter of the file, have no key.
        let fen = game.position().to_string();
        let rights = fen.split(' ').nth(2).expect("a field for castling");
        let key = rights.chars().all(|letter| "KQkq-".contains(letter)).then_some(expected.0);
        assert_eq!(book_key(&game), key, "{fen}");
        // The text tells as much as the moves do.
        let text = Fen::from_position(&referee, EnPassantMode::PseudoLegal).to_string();
        assert_eq!(book_key(&text.parse().expect("a valid FEN")), key, "{text}");
        let pseudo_legal = referee.ep_square(EnPassantMode::PseudoLegal).is_some();
        let legal = referee.ep_square(EnPassantMode::Legal).is_some();
        seen.positions += 1;
        seen.inner_rooks += usize::from(key.is_none());
        seen.en_passant += usize::from(legal);
        seen.forbidden_captures += usize::from(pseudo_legal && !legal);
        seen.castling_rights += usize::from(!game.position().castling().is_empty());

        let moves = game.position().legal_moves();
        if moves.is_empty() {
            return;
        }
        let mv = moves[rng.below(moves.len())];
        let same: UciMove = format_uci(mv, true).parse().expect("well-formed");
        referee.play_unchecked(same.to_move(&referee).expect("legal for the referee"));
        game.play(mv);
    }
}

#[test]
fn keys_agree_with_an_independent_library() {
    let mut rng = SplitMix64::from_state(7);
    let mut seen = Seen::default();
    let starts = [
        START_FEN,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        // Pawns that pass each other, with rooks, bishops and kings behind them.
        "r3k2r/pppp4/8/4PPPP/pppp4/8/4PPPP/R3K2R w KQkq - 0 1",
        "3rk3/2pppp2/8/3PP3/3pp3/8/2PPPP2/3RK3 w - - 0 1",
        "8/2p3p1/8/KP3P1r/R1p2p1k/8/1P2P1P1/8 w - - 0 1",
        // Many captures here would uncover the own king.
        "4q3/2p1p1p1/8/KP1P1P1r/8/8/8/7k b - - 0 1",
        // Chess960.
        "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1",
        "rkrnnbbq/pppppppp/8/8/8/8/PPPPPPPP/RKRNNBBQ w CAca - 0 1",
        "nrbkrbqn/pppppppp/8/8/8/8/PPPPPPPP/NRBKRBQN w EBeb - 0 1",
    ];
    for round in 0..4_000 {
        walk(starts[round % starts.len()], 80, &mut rng, &mut seen);
    }
    assert!(seen.positions > 20_000 && seen.castling_rights > 5_000, "{seen:?}");
    assert!(seen.en_passant > 200 && seen.forbidden_captures > 20 && seen.inner_rooks > 0, "{seen:?}");
}
