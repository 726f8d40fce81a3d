//! Hash keys: equal for equal positions, different for different ones, incremental or not.
//!
//! The main key stands for pieces, side to move, castling rights and a legal en-passant capture; the
//! structure keys stand for the pieces they name and for nothing else.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use quillon::board::{Position, START_FEN};
use quillon::notation::parse_uci;
use quillon::types::{Color, Move, Piece, PieceType};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const PROMOTIONS: &str = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1";
const FISCHER: &str = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
const EN_PASSANT: &str = "4k3/p1p1p1p1/8/1P1P1P1P/1p1p1p1p/8/P1P1P1P1/4K3 w - - 0 1";

fn position(fen: &str) -> Position {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The FEN without its counters: the same text means the same position.
fn identity(position: &Position) -> String {
    let mut text = position.to_string();
    for _ in 0..2 {
        text.truncate(text.rfind(' ').expect("a FEN has six fields"));
    }
    text
}

fn play(fen: &str, moves: &str) -> Position {
    let mut current = position(fen);
    for text in moves.split_whitespace() {
        let mv = parse_uci(&current, text).unwrap_or_else(|error| panic!("{fen} {moves}: {error}"));
        current.make(mv);
        assert_eq!(*current.keys(), current.keys_from_scratch(), "{fen} {moves} after {text}");
    }
    current
}

/// All keys but the main one: pawns, White's pieces, Black's pieces, minor pieces.
fn structure(position: &Position) -> [u64; 4] {
    let keys = position.keys();
    [keys.pawn(), keys.non_pawn(Color::White), keys.non_pawn(Color::Black), keys.minor]
}

/// The pieces that the structure keys stand for, in the same order; squares of other pieces are empty.
fn structure_pieces(position: &Position) -> [Pieces; 4] {
    let only = |belongs: fn(Piece) -> bool| {
        Piece::ALL.map(|piece| {
            let set = position.pieces(piece.color(), piece.kind());
            if belongs(piece) { set.0 } else { 0 }
        })
    };
    [
        only(|piece| piece.kind() == PieceType::Pawn),
        only(|piece| piece.kind() != PieceType::Pawn && piece.color() == Color::White),
        only(|piece| piece.kind() != PieceType::Pawn && piece.color() == Color::Black),
        only(|piece| matches!(piece.kind(), PieceType::Knight | PieceType::Bishop)),
    ]
}

/// The squares of each piece, `[piece]`.
type Pieces = [u64; 12];

#[test]
fn transpositions_give_equal_keys() {
    let ending = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (fen, one, other) in [
        (START_FEN, "g1f3 g8f6 b1c3", "b1c3 g8f6 g1f3"),
        (START_FEN, "d2d4 d7d5 c2c4 e7e6", "c2c4 e7e6 d2d4 d7d5"),
        (START_FEN, "g1f3 g8f6 f3g1 f6g8", ""),
        // A double step leaves no trace where nobody can take en passant.
        (START_FEN, "e2e4 a7a6 h2h3 a6a5 h3h4 b7b6", "e2e3 a7a6 e3e4 a6a5 h2h4 b7b6"),
        // The chance to take en passant lasts one move.
        (EN_PASSANT, "c2c4 e8d8 e1d1 d8e8 d1d2 e8d8", "c2c3 e8d8 c3c4 d8e8 e1d2 e8d8"),
        // Castling and walking there by hand both cost the rights.
        (ending, "e1g1 e8d8", "e1f2 e8e7 h1f1 e7d7 f2g1 d7d8"),
    ] {
        let (one, other) = (play(fen, one), play(fen, other));
        assert_eq!(identity(&one), identity(&other));
        assert_eq!(one.keys(), other.keys(), "{one} and {other}");
    }
}

#[test]
fn every_set_of_castling_rights_has_its_own_key() {
    let mut keys = Vec::new();
    for rights in 0..16 {
        let field: String =
            "KQkq".chars().enumerate().filter(|(i, _)| rights >> i & 1 != 0).map(|(_, c)| c).collect();
        let field = if field.is_empty() { "-" } else { &field };
        let position = position(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {field} - 0 1"));
        keys.push(position.key());
        assert_eq!(structure(&position), structure(&self::position("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1")));
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 16);
}

#[test]
fn losing_a_right_changes_the_key_for_good() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let home = position(fen);
    for there_and_back in ["e1e2 e8e7 e2e1 e7e8", "h1h2 a8a7 h2h1 a7a8", "a1a2 h8h7 a2a1 h7h8"] {
        let back = play(fen, there_and_back);
        assert_ne!(back.key(), home.key(), "{there_and_back}");
        assert_eq!(structure(&back), structure(&home), "{there_and_back}");
    }
}

#[test]
fn en_passant_counts_only_where_it_is_possible() {
    let mut differences = Vec::new();
    for (board, files) in [("pPpPpPpP", "aceg"), ("PpPpPpPp", "bdfh")] {
        let at = |field: &str| position(&format!("4k3/8/8/{board}/8/8/8/4K3 w - {field} 0 1"));
        for file in files.chars() {
            let (plain, taking) = (at("-"), at(&format!("{file}6")));
            assert_eq!(structure(&taking), structure(&plain), "{taking}");
            differences.push(taking.key() ^ plain.key());
        }
    }
    differences.sort_unstable();
    differences.dedup();
    assert_eq!(differences.len(), 8, "each file has its own number");
    assert!(!differences.contains(&0));

    // No captor, and a captor that would expose its king.
    for (with, without) in [
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1"),
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1"),
    ] {
        assert_eq!(position(with).keys(), position(without).keys(), "{with}");
    }
}

#[test]
fn the_side_to_move_changes_the_main_key_alone() {
    for fen in
        [START_FEN, KIWIPETE, FISCHER, "rnbqkb1r/ppp1pppp/8/3pP3/6n1/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 4"]
    {
        let before = position(fen);
        let mut passed = before;
        passed.make_null();
        assert_eq!(*passed.keys(), passed.keys_from_scratch(), "{fen}");
        assert_ne!(passed.key(), before.key(), "{fen}");
        assert_eq!(structure(&passed), structure(&before), "{fen}");
        passed.make_null();
        // Two passed turns restore everything but a chance to take en passant.
        assert_eq!(passed.key() == before.key(), before.en_passant().is_none(), "{fen}");
    }
}

/// Which structure keys a move has to change: those of the mover, of the captured piece and of the
/// piece promoted to.
fn expected_changes(position: &Position, mv: Move) -> [bool; 4] {
    let us = position.stm();
    let kind = |square| position.piece_on(square).map(|piece| piece.kind());
    let moved = kind(mv.from()).expect("a legal move moves a piece");
    let captured = match (mv.is_en_passant(), mv.is_capture()) {
        (true, _) => Some(PieceType::Pawn),
        (_, true) => kind(mv.to()),
        _ => None,
    };
    let mut changes = [false; 4];
    for (kind, color) in [(Some(moved), us), (captured, !us), (mv.promotion(), us)] {
        let Some(kind) = kind else { continue };
        changes[if kind == PieceType::Pawn { 0 } else { 1 + color.index() }] = true;
        changes[3] |= matches!(kind, PieceType::Knight | PieceType::Bishop);
    }
    changes
}

#[test]
fn structure_keys_change_only_with_their_pieces() {
    let mut seen = [0u32; 4];
    let mut moves = 0;
    for fen in [START_FEN, KIWIPETE, PROMOTIONS, FISCHER, EN_PASSANT] {
        let mut layer = vec![position(fen)];
        for _ in 0..3 {
            let mut next = Vec::new();
            for parent in &layer {
                for mv in parent.legal_moves() {
                    let child = parent.after(mv);
                    let (before, after) = (structure(parent), structure(&child));
                    let changes: [bool; 4] = std::array::from_fn(|i| before[i] != after[i]);
                    assert_eq!(changes, expected_changes(parent, mv), "{mv:?} in {parent}");
                    for (count, changed) in seen.iter_mut().zip(changes) {
                        *count += u32::from(changed);
                    }
                    moves += 1;
                    next.push(child);
                }
            }
            layer = next;
        }
    }
    assert!(moves > 100_000 && seen.iter().all(|&count| count > 5000), "{moves} moves, {seen:?}");
}

/// Finds every position within some plies of several roots and holds all keys against what they
/// stand for. One table serves all roots, so a collision between them would be noticed as well.
#[test]
fn a_million_positions_without_collision() {
    const PER_ROOT: usize = 240_000;
    let mut by_key: HashMap<u64, Box<str>> = HashMap::new();
    let mut by_structure: [HashMap<u64, Pieces>; 4] = Default::default();
    let mut bits = [0u32; 64];
    for fen in [START_FEN, KIWIPETE, PROMOTIONS, FISCHER, EN_PASSANT] {
        let enough = by_key.len() + PER_ROOT;
        let mut queue = VecDeque::from([position(fen)]);
        while by_key.len() < enough {
            let parent = queue.pop_front().expect("the tree is larger than the quota");
            for mv in parent.legal_moves() {
                let child = parent.after(mv);
                let identity = identity(&child);
                match by_key.entry(child.key()) {
                    Entry::Occupied(known) => assert_eq!(**known.get(), *identity, "main key"),
                    Entry::Vacant(free) => {
                        free.insert(identity.into());
                        for ((map, key), pieces) in
                            by_structure.iter_mut().zip(structure(&child)).zip(structure_pieces(&child))
                        {
                            assert_eq!(*map.entry(key).or_insert(pieces), pieces, "structure key of {child}");
                        }
                        for (bit, count) in bits.iter_mut().enumerate() {
                            *count += (child.key() >> bit & 1) as u32;
                        }
                        queue.push_back(child);
                    }
                }
            }
        }
    }

    // The other direction: no position has two keys.
    let positions = by_key.len();
    assert!(positions >= 5 * PER_ROOT, "{positions}");
    let mut texts: Vec<&str> = by_key.values().map(|text| &**text).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), positions);
    for map in &by_structure {
        let mut pieces: Vec<&Pieces> = map.values().collect();
        pieces.sort_unstable();
        pieces.dedup();
        assert_eq!(pieces.len(), map.len());
    }

    // Tables index by parts of the key, so each bit has to be set about half of the time. Pieces that
    // never moved bias a tree's keys, but by far less than this.
    for (bit, &count) in bits.iter().enumerate() {
        let share = f64::from(count) / positions as f64;
        assert!((0.4..0.6).contains(&share), "bit {bit} is set in {share:.3} of the keys");
    }
}
