//! FENs with damaged fields: the board that was sent is searched or nothing is, with the crate `shakmaty` as
//! judge. The positions come from random games of standard chess and Chess960, the damage from `proptest`.

mod script;

use std::collections::BTreeSet;

use proptest::prelude::*;
use quillon::board::{FenError, Position};
use quillon::notation::format_uci;
use quillon::types::{CastlingMode as Mode, SplitMix64};
use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Position as _, Rank, Role, Setup,
    Square,
};

/// A position from a random game that is not over.
fn random_setup(seed: u64, plies: usize, chess960: bool) -> Setup {
    let mut random = SplitMix64::from_state(seed);
    let mut below = |bound: usize| random.below(bound);
    let start = match chess960 {
        true => shuffled_start(&mut below),
        false => Chess::default(),
    };
    let mut position = start.clone();
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            position = start.clone();
            continue;
        }
        position.play_unchecked(legal[below(legal.len())]);
    }
    position.to_setup(EnPassantMode::Always)
}

/// A starting position of Chess960: bishops on both colours, the king between the rooks.
fn shuffled_start(mut below: impl FnMut(usize) -> usize) -> Chess {
    let mut rank = [' '; 8];
    rank[2 * below(4)] = 'b';
    rank[2 * below(4) + 1] = 'b';
    let mut put = |letter, nth| {
        let free: Vec<usize> = (0..8).filter(|&file| rank[file] == ' ').collect();
        rank[free[nth]] = letter;
    };
    put('q', below(6));
    put('n', below(5));
    put('n', below(4));
    ['r', 'k', 'r'].into_iter().for_each(|letter| put(letter, 0));
    let black: String = rank.iter().collect();
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_uppercase());
    let fen: Fen = fen.parse().expect("a FEN");
    fen.into_position(CastlingMode::Chess960).expect("a starting position")
}

/// Legal moves of a board, written as Chess960 does. Of castling only what is set up is possible; `None` when
/// it cannot be set up.
fn legal_moves(setup: Setup) -> Option<Vec<Move>> {
    let position = match Chess::from_setup(setup, CastlingMode::Chess960) {
        Ok(position) => position,
        Err(error) => error.ignore_impossible_check().ok()?,
    };
    Some(position.legal_moves().into_iter().collect())
}

fn texts(moves: impl IntoIterator<Item = Move>) -> BTreeSet<String> {
    moves.into_iter().map(|mv| mv.to_uci(CastlingMode::Chess960).to_string()).collect()
}

/// What can be played on a board, whatever fields follow it.
struct Playable {
    /// Moves of all kinds but castling and taking en passant.
    always: BTreeSet<String>,
    /// These with the right field only.
    perhaps: BTreeSet<String>,
}

impl Playable {
    fn new(setup: &Setup, mode: Mode) -> Playable {
        let bare = Setup { castling_rights: Bitboard::EMPTY, ep_square: None, ..setup.clone() };
        let always = texts(legal_moves(bare.clone()).expect("a legal board"));
        let us = setup.turn;
        let mut perhaps = BTreeSet::new();
        let home = Bitboard::from_rank(us.fold_wb(Rank::First, Rank::Eighth));
        let king = setup.board.king_of(us).expect("a king");
        for rook in setup.board.by_color(us) & setup.board.by_role(Role::Rook) & home {
            let is_standard = king.file() == shakmaty::File::E
                && matches!(rook.file(), shakmaty::File::A | shakmaty::File::H);
            if home.contains(king) && (mode == Mode::Chess960 || is_standard) {
                let with_right = Setup { castling_rights: Bitboard::from_square(rook), ..bare.clone() };
                perhaps
                    .extend(texts(legal_moves(with_right).into_iter().flatten().filter(|mv| mv.is_castle())));
            }
        }
        for passed in Bitboard::from_rank(us.fold_wb(Rank::Sixth, Rank::Third)) {
            let with_square = Setup { ep_square: Some(passed), ..bare.clone() };
            let moves = legal_moves(with_square).into_iter().flatten();
            perhaps.extend(texts(moves.filter(|mv| mv.is_en_passant())));
        }
        Playable { always, perhaps }
    }
}

/// What is done to the fields behind the board and the side to move. An empty text leaves the field out.
#[derive(Clone, Debug)]
struct Damage {
    /// Castling rights, en passant square and counters; `None` leaves the field as it is.
    fields: [Option<String>; 4],
    /// How many of the fields are written.
    length: usize,
    blanks: String,
    rest: String,
}

fn damage() -> impl Strategy<Value = Damage> {
    let castling = prop_oneof![
        "[KQkq]{1,4}",
        "[A-Ha-h]{1,4}",
        "[KQkqA-Ha-h-]{1,9}",
        "[KQkqA-Ha-hx0é]{1,6}",
        Just("KQkq".to_owned()),
        Just(String::new())
    ];
    let passed =
        prop_oneof!["[a-h][36]", "[a-h][1-9]", "[a-hA-Hx]", "[0-9]", "[a-h][36][0-9-]", Just(String::new())];
    let clock = || prop_oneof!["-?[0-9]{1,3}", "-?[0-9]{4,25}", "[a-z.]{1,4}", Just(String::new())];
    let fields = (
        prop::option::weighted(0.7, castling),
        prop::option::weighted(0.7, passed),
        prop::option::weighted(0.4, clock()),
        prop::option::weighted(0.4, clock()),
    );
    (
        fields,
        prop_oneof![4 => Just(4_usize), 1 => 0..4_usize],
        " {1,3}",
        prop_oneof![4 => Just(""), 1 => Just(" bm Nf3;")],
    )
        .prop_map(|((castling, passed, clock, number), length, blanks, rest)| Damage {
            fields: [castling, passed, clock, number],
            length,
            blanks,
            rest: rest.to_owned(),
        })
}

fn damaged(setup: &Setup, damage: &Damage) -> String {
    let whole = Fen::try_from_setup(setup.clone()).expect("a board").to_string();
    let fields: Vec<&str> = whole.split(' ').collect();
    let mut text = format!("{} {}", fields[0], fields[1]);
    for (field, change) in fields[2..].iter().zip(&damage.fields).take(damage.length) {
        let field = change.as_deref().unwrap_or(field);
        if !field.is_empty() {
            text.push_str(&format!("{}{field}", damage.blanks));
        }
    }
    text + &damage.rest
}

fn mode(chess960: bool) -> Mode {
    if chess960 { Mode::Chess960 } else { Mode::Standard }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_fields_leave_the_board(
        seed in any::<u64>(), plies in 0..160_usize, shuffled: bool, chess960: bool, damage in damage()
    ) {
        let setup = random_setup(seed, plies, shuffled);
        let fen = damaged(&setup, &damage);
        let (position, _) = Position::parse_lenient(&fen, mode(chess960)).map_err(|error| {
            TestCaseError::fail(format!("{fen}: {error}"))
        })?;
        script::check_fen(&fen);
        let playable = Playable::new(&setup, mode(chess960));
        let found: BTreeSet<String> =
            position.legal_moves().into_iter().map(|mv| format_uci(mv, true)).collect();
        prop_assert!(playable.always.is_subset(&found), "{fen}: {:?} lacks some of {:?}", found, playable.always);
        let special: Vec<_> = found.difference(&playable.always).collect();
        prop_assert!(special.iter().all(|&mv| playable.perhaps.contains(mv)), "{fen}: {special:?}");
        // A field that nothing was done to says what it said, unless it is of the other game.
        if damage.length == 4 && damage.fields[..2].iter().all(Option::is_none) && shuffled <= chess960 {
            prop_assert_eq!(found, texts(legal_moves(setup).expect("a legal position")), "{}", fen);
        }
    }

    #[test]
    fn a_move_among_the_fields_is_never_overlooked(
        seed in any::<u64>(), plies in 0..60_usize, damage in damage(), at in 2..8_usize
    ) {
        let setup = random_setup(seed, plies, false);
        let fen = damaged(&setup, &damage);
        let mut fields: Vec<&str> = fen.split(' ').collect();
        fields.insert(at.min(fields.len()), "e2e4");
        let read = Position::parse_lenient(&fields.join(" "), Mode::Standard);
        prop_assert_eq!(read.map(|_| ()), Err(FenError::MoveInFen("e2e4".into())));
    }
}

/// One position and search of a conversation, and the move that may come.
#[derive(Clone, Debug)]
struct Question {
    seed: u64,
    plies: usize,
    shuffled: bool,
    damage: Damage,
    /// What else is wrong; nothing, where it is not a fault below.
    fault: usize,
    go: &'static str,
}

/// Faults that no field can mend, at the end of a `position` command.
const FAULTS: [&str; 4] = [" moves a1a1", " moves e2e9 e7e5", " e2e4", " moves 0000"];

fn question() -> impl Strategy<Value = Question> {
    let go = prop::sample::select(vec![
        "go depth 1",
        "go depth 3",
        "go infinite",
        "go ponder wtime 100 btime 100",
        "go",
        "go nodes 20 searchmoves a1a1 e2e4",
        "go movetime 2",
        "go mate 2 depth 2",
    ]);
    (any::<u64>(), 0..120_usize, any::<bool>(), damage(), 0..3 * FAULTS.len(), go).prop_map(
        |(seed, plies, shuffled, damage, fault, go)| Question { seed, plies, shuffled, damage, fault, go },
    )
}

proptest! {
    // Each of them starts an engine.
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_search_is_answered_from_its_own_board(
        chess960: bool, questions in prop::collection::vec(question(), 1..12)
    ) {
        let mut conversation = format!("setoption name UCI_Chess960 value {chess960}\n");
        let mut allowed = Vec::new();
        for question in &questions {
            let setup = random_setup(question.seed, question.plies, question.shuffled);
            let fault = FAULTS.get(question.fault).copied().unwrap_or_default();
            conversation += &format!("position fen {}{fault}\n{}\n", damaged(&setup, &question.damage), question.go);
            if question.fault == 0 {
                // A search right after it has no position either.
                conversation += "stop\ngo infinite\n";
                allowed.push(None);
            }
            allowed.push(fault.is_empty().then(|| (Playable::new(&setup, mode(chess960)), setup)));
        }
        let output = script::output_of(&conversation);
        let answers = script::best_moves(&output);
        prop_assert_eq!(answers.len(), allowed.len(), "{}{}", conversation, output);
        for (answer, allowed) in answers.iter().zip(&allowed) {
            let Some((playable, setup)) = allowed else {
                prop_assert_eq!(*answer, "0000", "{}{}", conversation, output);
                continue;
            };
            let answer = if chess960 { answer.to_string() } else { castling_by_rook(answer, setup) };
            let is_legal = playable.always.contains(&answer) || playable.perhaps.contains(&answer);
            let is_over = answer == "(none)" && playable.always.is_empty();
            prop_assert!(is_legal || is_over, "{} in {:?}\n{}{}", answer, setup, conversation, output);
        }
    }
}

/// A move in standard spelling as Chess960 spells it.
fn castling_by_rook(text: &str, setup: &Setup) -> String {
    let king = setup.board.king_of(setup.turn).expect("a king");
    let rank = setup.turn.fold_wb(1, 8);
    let is_from_home = king == setup.turn.fold_wb(Square::E1, Square::E8);
    match text.get(..4) {
        Some("e1g1" | "e8g8") if is_from_home => format!("e{rank}h{rank}"),
        Some("e1c1" | "e8c8") if is_from_home => format!("e{rank}a{rank}"),
        _ => text.to_owned(),
    }
}

#[test]
fn the_judge_knows_castling_and_en_passant() {
    let fen: Fen = "r3k2r/8/8/3Pp3/8/8/8/R3K2R w - - 0 1".parse().expect("a FEN");
    let playable = Playable::new(&fen.into_setup(), Mode::Standard);
    assert_eq!(playable.perhaps.into_iter().collect::<Vec<_>>(), ["d5e6", "e1a1", "e1h1"]);
    assert_eq!(random_setup(1, 40, true).turn, Color::White);
}
