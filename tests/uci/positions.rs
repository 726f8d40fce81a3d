//! Positions, moves, castling, Chess960 and perft.

use std::time::{Duration, Instant};

use crate::client::{Client, Search, root_of};
use crate::{CHECKMATE, KIWIPETE, in_some_try};
use quillon::board::{Position, START_FEN};
use quillon::notation::{format_uci, parse_uci};
use quillon::types::SplitMix64;

/// A random game from the initial position that is not over after so many plies.
fn random_game(plies: usize, seed: u64) -> Vec<String> {
    for seed in seed.. {
        let mut rng = SplitMix64::from_state(seed);
        let mut position = Position::start();
        let mut moves = Vec::new();
        while moves.len() < plies {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[rng.below(legal.len())];
            moves.push(format_uci(mv, false));
            position.make(mv);
        }
        if moves.len() == plies && position.has_legal_move() {
            return moves;
        }
    }
    unreachable!("some random game is long enough")
}

#[test]
fn long_games_are_followed() {
    let mut client = Client::start();
    for plies in [1, 50, 250, 600] {
        let command = format!("position startpos moves {}", random_game(plies, plies as u64).join(" "));
        client.send(&command);
        assert_eq!(client.fen(), root_of(&command).to_string());
        let search = client.search(&command, "go depth 4");
        assert_eq!(search.main().depth, 4);
    }
    // A thousand plies of moving knights to and fro.
    let command = format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(250));
    let is_quick = || {
        let sent = Instant::now();
        client.send(&command);
        client.sync();
        sent.elapsed() < Duration::from_millis(20)
    };
    assert!(in_some_try(is_quick));
    assert_eq!(client.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 1000 501");
    client.search(&command, "go depth 3");
    client.quit();
}

#[test]
fn the_board_counts_the_pieces() {
    let mut client = Client::start();
    for (fen, material) in [
        (START_FEN, "White KQRRBBNNPPPPPPPP, Black KQRRBBNNPPPPPPPP; even"),
        ("4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1", "White KRP, Black K; White is ahead by 6"),
        ("3qk3/8/8/8/8/8/8/1NB1K3 w - - 0 1", "White KBN, Black KQ; Black is ahead by 3"),
    ] {
        client.send(&format!("position fen {fen}"));
        client.send("d");
        let lines = client.read_until("board", |line| line.starts_with("Legal moves ("));
        assert!(lines.contains(&format!("Material: {material}")), "{lines:#?}");
    }
    client.quit();
}

#[test]
fn the_board_names_the_end_of_the_game() {
    let mut client = Client::start();
    for (command, end) in [
        ("position startpos moves f2f3 e7e5 g2g4 d8h4", "checkmate, Black wins"),
        ("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("position fen 4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "draw, neither side can checkmate"),
        ("position fen 4k3/8/8/8/8/8/8/R3K3 w - - 100 90", "draw by the fifty-move rule"),
        ("position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "draw by threefold repetition"),
    ] {
        client.send(command);
        client.send("d");
        let lines = client.read_until("board", |line| line.starts_with("Legal moves ("));
        assert!(lines.contains(&format!("The game is over: {end}")), "{command}\n{lines:#?}");
    }
    client.send("position startpos");
    client.send("d");
    let lines = client.read_until("board", |line| line.starts_with("Legal moves ("));
    assert!(!lines.iter().any(|line| line.starts_with("The game is over")), "{lines:#?}");
    client.quit();
}

#[test]
fn an_illegal_move_leaves_no_position() {
    let mut client = Client::start();
    for moves in [
        "e2e5",
        "e2e4 e2e4",
        "e2e4 e7e5 e1g1",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 c8g4 h2h3 h7h5 h3g4 h5g4 f3e1 d8h4 e1e2",
        "0000",
        "e2e4 (none)",
        "e2",
        "e7e8q",
        "é2é4",
        "e2e4 moves e7e5",
    ] {
        assert_eq!(client.search("position startpos moves d2d4 d7d5", "go depth 2").main().depth, 2);
        client.expect_complaint(&format!("position startpos moves {moves}"));
        client.expect_no_position();
    }
    client.expect_complaint(&format!("position fen {KIWIPETE} moves e1g1 e8g8 a1a8"));
    client.expect_no_position();
    assert_eq!(client.search(&format!("position fen {KIWIPETE} moves e1g1"), "go depth 2").main().depth, 2);
    client.quit();
}

const BAD_FENS: [&str; 32] = [
    // Shape of the board.
    "8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/7/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/9/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/44p/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/0p7/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/x7/4K3 w - - 0 1",
    "4k3//8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/ 8/8/8/4K3 w - - 0 1",
    "startpos",
    "-",
    // Pieces.
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
    "3kk3/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/p3K3 w - - 0 1",
    "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
    "4k3/8/8/8/QQ6/8/PPPPPPPP/4K3 w - - 0 1",
    "QQQQQQQQ/QQQQQQQQ/8/4k3/8/8/8/4K3 b - - 0 1",
    // Side to move.
    "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 KQkq - 0 1",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/4R3/8/8/8/8/4r3/4K3",
    "8/8/8/3kK3/8/8/8/8 w - - 0 1",
    // Moves that do not follow the word: the position after them is meant.
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 e1e2",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 move e1e2 e8e7",
    "4k3/8/8/8/8/8/8/4K3 w - - e1e2",
    "4k3/8/8/8/8/8/8/4K3 w e1e2 e8e7",
    "4k3/8/8/8/8/8/4P3/4K3 w E2E4",
];

#[test]
fn a_bad_fen_leaves_no_position() {
    let mut client = Client::start();
    for fen in BAD_FENS {
        client.send("position startpos moves e2e4 c7c5");
        client.expect_complaint(&format!("position fen {fen}"));
        client.expect_no_position();
        client.send("position startpos moves e2e4 c7c5");
        client.expect_complaint(&format!("position fen {fen} moves e2e4"));
        client.expect_no_position();
    }
    for line in [
        "position",
        "position fen",
        "position fen moves e2e4",
        "position moves e2e4",
        "position nowhere",
        "position startpos e2e4",
        "positoin startpos moves e2e4",
    ] {
        client.send("position startpos moves e2e4 c7c5");
        client.expect_complaint(line);
        client.expect_no_position();
    }
    assert_eq!(client.search("position startpos moves e2e4 c7c5", "go depth 3").main().depth, 3);
    client.quit();
}

#[test]
fn a_new_game_gives_the_initial_position_back() {
    let mut client = Client::start();
    client.expect_complaint("position startpos moves e2e5");
    client.send("setoption name Clear Hash");
    client.send("setoption name UCI_Chess960 value true");
    client.expect_no_position();
    client.send("ucinewgame");
    assert_eq!(client.fen(), START_FEN.replace("KQkq", "HAha"));
    client.send("go depth 3");
    Search::check(&Position::start(), &client.search_lines(), true);
    client.quit();
}

#[test]
fn a_refusal_during_a_search_holds_for_what_follows_it() {
    let mut client = Client::start();
    for bad in ["position startpos moves e2e5", "position", "position fen 8/8 w - -", "positoin startpos"] {
        client.send("position startpos moves e2e4");
        client.send("go infinite");
        client.send(bad);
        client.send("go infinite\ngo ponder\nposition startpos moves d2d4\ngo depth 2");
        client.expect_no_bestmove();
        client.send("stop");
        Search::check(&root_of("position startpos moves e2e4"), &client.search_lines(), false);
        for _ in 0..2 {
            assert_eq!(client.search_lines().last().map(String::as_str), Some("bestmove 0000"));
        }
        Search::check(&root_of("position startpos moves d2d4"), &client.search_lines(), false);
    }
    client.quit();
}

/// FENs with faults, the FEN that is meant, and the beginnings of what is said about them.
const REPAIRED: [(&str, &str, &[&str]); 17] = [
    (
        "r2q1rk1/pp2bppp/2n1bn2/3p4/8/2NBPN2/PP3PPP/R1BQ1RK1 w KQkq - 0 11",
        "r2q1rk1/pp2bppp/2n1bn2/3p4/8/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 11",
        &[
            "castling right 'K' dropped: no king and rook in place",
            "castling right 'Q' dropped: no king and rook in place outside Chess960",
            "castling right 'k' dropped: no king and rook in place",
            "castling right 'q' dropped: no king and rook in place outside Chess960",
        ],
    ),
    (
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkqK - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        &["castling right 'K' dropped: "],
    ),
    (
        "r3k2r/8/8/8/8/8/8/R3K2R w yes - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1",
        &["castling field 'yes' read as '-'"],
    ),
    (
        "rnbqkb1r/pp2pppp/3p1n2/2p5/P3P3/5N2/1PPP1PPP/RNBQKB1R b KQkq a6 0 4",
        "rnbqkb1r/pp2pppp/3p1n2/2p5/P3P3/5N2/1PPP1PPP/RNBQKB1R b KQkq - 0 4",
        &["en passant square 'a6' dropped: no pawn can just have passed it"],
    ),
    (
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e4 0 3",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3",
        &["en passant square 'e4' dropped: "],
    ),
    (
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e 0 3",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3",
        &["en passant square 'e' dropped: not a square"],
    ),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - many 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["halfmove clock 'many'"]),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - -1 5", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 5", &["halfmove clock '-1'"]),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 0", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["fullmove number '0'"]),
    (
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 99999999",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 65535",
        &["fullmove number '99999999' read as 65535"],
    ),
    ("4k3/8/8/8/8/8/4P3/4K3 w", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["FEN lacks castling rights, "]),
    ("4k3/8/8/8/8/8/4P3/4K3 b - -", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", &["FEN lacks halfmove clock, "]),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 7", "4k3/8/8/8/8/8/4P3/4K3 w - - 7 1", &["FEN lacks fullmove number; "]),
    (
        "4k3/8/8/8/8/8/4P3/4K3",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        &["FEN does not say who is to move, 'w' assumed", "FEN lacks "],
    ),
    ("4k3/8/8/8/8/8/4P3/4K3 W - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["side to move 'W'"]),
    ("4k3/8/8/8/8/8/4P3/4K3  w -  - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["doubled blanks"]),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["text '0 1' after the FEN"]),
];

#[test]
fn what_the_board_can_do_without_is_repaired_and_said() {
    let mut client = Client::start();
    for (written, meant, said) in REPAIRED {
        client.send("position startpos moves g1f3");
        client.send(&format!("position fen {written}"));
        let lines = client.sync();
        assert_eq!(lines.len(), said.len(), "{lines:?}");
        for (line, said) in lines.iter().zip(said) {
            assert!(line.starts_with(&format!("info string {said}")), "{line}: {said}");
        }
        assert_eq!(client.fen(), meant);
        client.send("go depth 6");
        Search::check(&meant.parse().expect("valid"), &client.search_lines(), false);
        // With moves after it, too.
        let reply = format_uci(meant.parse::<Position>().expect("valid").legal_moves()[0], false);
        client.send(&format!("position fen {written} moves {reply}"));
        assert_eq!(client.fen(), root_of(&format!("position fen {meant} moves {reply}")).to_string());
    }
    client.quit();
}

#[test]
fn castling_rights_are_those_of_the_game_that_is_played() {
    let (x_fen, shredder) = ("r4k1r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", "r4k1r/8/8/8/8/8/8/R4K1R w HAha - 0 1");
    let mut client = Client::start();
    for fen in [x_fen, shredder] {
        // In standard chess the king has left its square.
        client.send(&format!("position fen {fen}"));
        assert_eq!(client.sync().len(), 4);
        assert_eq!(client.fen(), "r4k1r/8/8/8/8/8/8/R4K1R w - - 0 1");
    }
    client.send("setoption name UCI_Chess960 value true");
    for fen in [x_fen, shredder] {
        client.send(&format!("position fen {fen}"));
        assert_eq!(client.sync(), [""; 0]);
        assert_eq!(client.fen(), shredder);
    }
    client.send("position fen r4k1r/8/8/8/8/8/8/R4KR1 w HAhaQ - 0 1");
    assert_eq!(client.sync().len(), 2);
    assert_eq!(client.fen(), "r4k1r/8/8/8/8/8/8/R4KR1 w Aha - 0 1");
    client.quit();
}

#[test]
fn castling_is_spelled_as_the_client_wants() {
    // Castling mates, so it is always the best move.
    let fen = "8/8/8/8/8/8/7R/2k1K2R w K - 0 1";
    let mut client = Client::start();
    client.send(&format!("position fen {fen}"));
    client.send("go depth 3 searchmoves e1g1");
    let search = Search::check(&fen.parse().expect("valid"), &client.search_lines(), false);
    assert_eq!(search.best, "e1g1");
    client.send("go depth 3 searchmoves e1h1");
    assert_eq!(Search::check(&fen.parse().expect("valid"), &client.search_lines(), false).best, "e1g1");
    assert_eq!(client.fen(), fen);

    client.send("setoption name UCI_Chess960 value true");
    client.send("go depth 3 searchmoves e1h1");
    let search = Search::check(&fen.parse().expect("valid"), &client.search_lines(), true);
    assert_eq!(search.best, "e1h1");
    assert_eq!(client.fen(), fen.replace(" K ", " H "));
    // Both spellings are understood in both modes.
    for mv in ["e1g1", "e1h1"] {
        client.send(&format!("position fen {fen} moves {mv}"));
        assert!(client.fen().starts_with("8/8/8/8/8/8/7R/2k2RK1 b - "), "{}", client.log);
    }
    client.send("setoption name UCI_Chess960 value false");
    client.send(&format!("position fen {fen} moves e1h1"));
    assert!(client.fen().starts_with("8/8/8/8/8/8/7R/2k2RK1 b - "));
    client.quit();
}

#[test]
fn chess960_games_are_searched() {
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let root: Position = fen.parse().expect("valid");
    let mut client = Client::start();
    client.send("setoption name UCI_Chess960 value true");
    client.send(&format!("position fen {fen}"));
    assert_eq!(client.fen(), fen);
    client.send("go depth 7");
    Search::check(&root, &client.search_lines(), true);
    // Without the option, a position that cannot be written otherwise is written this way too.
    client.send("setoption name UCI_Chess960 value false");
    client.send("go depth 5");
    Search::check(&root, &client.search_lines(), true);
    client.quit();
}

#[test]
fn perft_is_printed_for_tools_to_read() {
    let mut client = Client::start();
    for (position, depth, total) in [
        ("position startpos".to_owned(), 3, 8902),
        (format!("position fen {KIWIPETE}"), 2, 2039),
        (format!("position fen {CHECKMATE}"), 2, 0),
        ("position startpos".to_owned(), 1, 20),
    ] {
        client.send(&position);
        client.send(&format!("go perft {depth}"));
        let lines = client.read_until("total", |line| line.starts_with("Nodes searched"));
        assert_eq!(lines.last(), Some(&format!("Nodes searched: {total}")));
        let root = root_of(&position);
        let mut sum = 0;
        let mut moves = Vec::new();
        for line in lines[..lines.len() - 1].iter().filter(|line| !line.is_empty()) {
            let (mv, count) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            assert!(parse_uci(&root, mv).is_ok(), "{line}");
            moves.push(mv.to_owned());
            sum += count.parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
        }
        moves.sort();
        moves.dedup();
        assert_eq!((moves.len(), sum), (root.legal_moves().len(), total));
        if depth == 3 {
            assert!(lines.contains(&"e2e4: 600".to_owned()) && lines.contains(&"a2a3: 380".to_owned()));
        }
    }
    // Each move is told as soon as it is counted.
    client.send("position startpos");
    client.send("go perft 7");
    client.read_until("the first count", |line| line == "a2a3: 106743106");
    client.send("stop");
    client.read_until("the end", |line| line == "info string perft stopped");
    // Without `go` too, and castling in the right spelling.
    client.send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    client.send("perft 1");
    let lines = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert!(lines.contains(&"e1g1: 1".to_owned()), "{lines:?}");
    client.quit();
}

#[test]
fn commands_after_a_perft_wait_for_it_and_quit_does_not() {
    let mut client = Client::start();
    client.send("go perft 4");
    client.send("position startpos moves e2e4");
    client.send("go perft 1");
    let first = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert_eq!(first.last().map(String::as_str), Some("Nodes searched: 197281"));
    let second = client.read_until("total", |line| line.starts_with("Nodes searched"));
    assert_eq!(second.last().map(String::as_str), Some("Nodes searched: 20"));
    client.send("go perft 9");
    client.sync();
    client.quit();
}
