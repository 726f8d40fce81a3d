//! Quillon's rules against an independent referee, the crate `shakmaty`, on seeded random games.
//!
//! Games start from the standard array, from Chess960 and double Fischer random set-ups, and from the
//! rows of `perft-suites/`, whose composed positions are rich in pins, en passant and castling traps.
//! Every position met is compared completely; counters of what was met keep a test from passing
//! because nothing interesting happened. Property tests at the end feed damaged and arbitrary text.

use proptest::prelude::*;
use quillon::board::{DrawReason, Game, Outcome, Position, SEE_VALUES, START_FEN};
use quillon::movegen::perft;
use quillon::notation::{format_san, format_uci, parse_san, parse_uci};
use quillon::types::{Bitboard, Color, Move, MoveList, PieceType, SplitMix64, Square};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, CastlingSide, Chess, EnPassantMode, Position as _, Role};

/// What a walk met.
#[derive(Debug, Default)]
struct Seen {
    positions: usize,
    exhaustive: usize,
    castles: usize,
    en_passant: usize,
    promotions: usize,
    checks: usize,
    double_checks: usize,
    mates: usize,
    stalemates: usize,
    dead: usize,
    /// Castling moves whose two-file spelling is also an ordinary king move.
    shadowed_castles: usize,
}

/// Every position of this many is asked about all 65,536 move words.
const EXHAUSTIVE_EVERY: usize = 100;

/// The referee's position with castling rights as rook files, which shakmaty does not write itself.
fn shredder_fen(referee: &Chess) -> String {
    let fen = Fen::from_position(referee, EnPassantMode::Legal).to_string();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    let mut castling = String::new();
    for color in shakmaty::Color::ALL {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            if let Some(rook) = referee.castles().rook(color, side) {
                let letter = rook.file().char();
                castling.push(if color.is_white() { letter.to_ascii_uppercase() } else { letter });
            }
        }
    }
    if castling.is_empty() {
        castling.push('-');
    }
    fields[2] = &castling;
    fields.join(" ")
}

fn referee_at(fen: &str) -> Chess {
    let setup: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    setup.into_position(CastlingMode::Chess960).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Legal moves of both sides of the comparison, paired and sorted by their Chess960 spelling.
struct Paired {
    text: String,
    ours: Move,
    referee: shakmaty::Move,
}

fn pair_moves(position: &Position, referee: &Chess, fen: &str) -> Vec<Paired> {
    let mut ours: Vec<_> = position.legal_moves().into_iter().map(|mv| (format_uci(mv, true), mv)).collect();
    let mut theirs: Vec<_> = referee
        .legal_moves()
        .into_iter()
        .map(|mv| (mv.to_uci(CastlingMode::Chess960).to_string(), mv))
        .collect();
    ours.sort_by(|a, b| a.0.cmp(&b.0));
    theirs.sort_by(|a, b| a.0.cmp(&b.0));
    let texts = |moves: &[(String, _)]| moves.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>();
    let their_texts: Vec<_> = theirs.iter().map(|(text, _)| text.clone()).collect();
    assert_eq!(texts(&ours), their_texts, "legal moves of {fen}");
    ours.into_iter().zip(theirs).map(|((text, ours), (_, referee))| Paired { text, ours, referee }).collect()
}

fn compare_board(position: &Position, referee: &Chess, fen: &str) {
    assert_eq!(fen, Fen::from_position(referee, EnPassantMode::Legal).to_string());
    assert_eq!(position.to_shredder_fen(), shredder_fen(referee));
    assert_eq!(fen.parse::<Position>().as_ref(), Ok(position), "{fen}");
    assert_eq!(position.to_shredder_fen().parse::<Position>().as_ref(), Ok(position), "{fen}");

    // Equality of positions looks at the mailbox; the sets have to tell the same.
    let board = referee.board();
    for (kind, role) in PieceType::ALL.into_iter().zip(Role::ALL) {
        assert_eq!(position.of_type(kind).0, u64::from(board.by_role(role)), "{kind:?} in {fen}");
    }
    assert_eq!(position.colored(Color::White).0, u64::from(board.white()), "{fen}");
    assert_eq!(position.colored(Color::Black).0, u64::from(board.black()), "{fen}");
    assert_eq!(position.checkers().0, u64::from(referee.checkers()), "checkers in {fen}");
    assert_eq!(position.in_check(), referee.is_check(), "{fen}");
    assert_eq!(position.is_dead(), referee.is_insufficient_material(), "{fen}");
    assert_eq!(*position.keys(), position.keys_from_scratch(), "{fen}");

    let flipped = position.color_flipped();
    assert_eq!(flipped.count_legal_moves(), position.count_legal_moves(), "flipped {fen}");
    assert_eq!(flipped.to_string().parse::<Position>(), Ok(flipped), "flipped {fen}");
    assert_eq!(flipped.color_flipped(), *position, "flipped {fen}");
}

fn compare_stages(position: &Position, legal: &MoveList, fen: &str) {
    assert_eq!(position.count_legal_moves(), legal.len() as u64, "{fen}");
    assert_eq!(position.has_legal_move(), !legal.is_empty(), "{fen}");
    let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
    position.generate_noisy(&mut noisy);
    position.generate_quiet(&mut quiet);
    assert!(noisy.iter().all(|mv| mv.is_noisy()), "noisy moves of {fen}");
    assert!(quiet.iter().all(|mv| mv.is_quiet()), "quiet moves of {fen}");
    let sorted = |moves: &[Move]| {
        let mut bits: Vec<u16> = moves.iter().map(|mv| mv.bits()).collect();
        bits.sort_unstable();
        bits
    };
    let all = sorted(legal);
    assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "a move is listed twice in {fen}");
    noisy.extend(quiet);
    assert_eq!(sorted(&noisy), all, "stages of {fen}");
}

fn compare_moves(position: &Position, referee: &Chess, moves: &[Paired], seen: &mut Seen, fen: &str) {
    let info = position.check_info();
    for Paired { text, ours, referee: theirs } in moves {
        let mv = *ours;
        assert_eq!(mv.is_capture(), theirs.is_capture(), "{text} in {fen}");
        assert_eq!(mv.is_castle(), theirs.is_castle(), "{text} in {fen}");
        assert_eq!(mv.is_en_passant(), theirs.is_en_passant(), "{text} in {fen}");

        let child = position.after(mv);
        assert_eq!(*child.keys(), child.keys_from_scratch(), "{text} in {fen}");
        assert_eq!(position.gives_check(mv, &info), child.in_check(), "{text} in {fen}");

        let exchange = exchange_value(position, mv);
        assert!(position.see(mv, exchange), "{text} wins at least {exchange} in {fen}");
        assert!(!position.see(mv, exchange + 1), "{text} wins no more than {exchange} in {fen}");

        let san = format_san(position, mv);
        assert_eq!(san, SanPlus::from_move(referee.clone(), *theirs).to_string(), "{text} in {fen}");
        assert_eq!(parse_san(position, &san), Ok(mv), "{san} in {fen}");
        assert_eq!(parse_uci(position, text), Ok(mv), "{text} in {fen}");
        let short = format_uci(mv, false);
        assert_eq!(short, theirs.to_uci(CastlingMode::Standard).to_string(), "{text} in {fen}");
        let ordinary = moves.iter().find(|pair| pair.text == short).map_or(mv, |pair| pair.ours);
        if short[..2] == short[2..] {
            // A king that castles on the spot has no two-file spelling.
            assert!(parse_uci(position, &short).is_err(), "{short} in {fen}");
        } else {
            assert_eq!(parse_uci(position, &short), Ok(ordinary), "{short} in {fen}");
        }
        seen.shadowed_castles += usize::from(ordinary != mv);
    }
}

/// What `side` gains at best by taking the piece worth `prize` on `to`, its least valuable pieces first.
fn recapture_gain(position: &Position, to: Square, occupied: Bitboard, side: Color, prize: i32) -> i32 {
    let attackers = position.attackers_to(to, occupied) & occupied;
    let least = PieceType::ALL.into_iter().find_map(|kind| {
        (attackers & position.pieces(side, kind)).first().map(|square| (kind, square.bitboard()))
    });
    let Some((kind, taker)) = least else { return 0 };
    let rest = occupied ^ taker;
    let defenders = position.attackers_to(to, rest) & rest & position.colored(!side);
    if kind == PieceType::King && defenders.any() {
        return 0;
    }
    (prize - recapture_gain(position, to, rest, !side, SEE_VALUES[kind.index()])).max(0)
}

/// The exchange value of a move by plain recursion, against which the swap algorithm is held.
fn exchange_value(position: &Position, mv: Move) -> i32 {
    let value = |kind: PieceType| SEE_VALUES[kind.index()];
    let (from, to) = (mv.from(), mv.to());
    if mv.is_castle() {
        return 0;
    }
    let mut occupied = (position.occupied() ^ from.bitboard()) | to.bitboard();
    let mut gain = position.piece_on(to).map_or(0, |piece| value(piece.kind()));
    if mv.is_en_passant() {
        occupied ^= to.offset(-position.stm().forward()).bitboard();
        gain = value(PieceType::Pawn);
    }
    let moved = position.piece_on(from).expect("a legal move moves a piece").kind();
    let stands = mv.promotion().unwrap_or(moved);
    if mv.promotion().is_some() {
        gain += value(stands) - value(PieceType::Pawn);
    }
    gain - recapture_gain(position, to, occupied, !position.stm(), value(stands))
}

/// Asks about every move word there is, the unused kinds aside, which `Move` cannot hold.
fn compare_all_words(position: &Position, legal: &MoveList, fen: &str) {
    let mut expected = vec![false; 1 << 16];
    for mv in legal {
        expected[usize::from(mv.bits())] = true;
    }
    for mv in (0..=u16::MAX).filter_map(Move::from_bits) {
        assert_eq!(position.is_legal(mv), expected[usize::from(mv.bits())], "{mv:?} in {fen}");
        // The promise for illegal moves is only that nothing panics.
        std::hint::black_box(position.after(mv));
    }
}

fn compare(position: &Position, referee: &Chess, seen: &mut Seen) -> Vec<Paired> {
    let fen = position.to_string();
    let legal = position.legal_moves();
    let moves = pair_moves(position, referee, &fen);
    compare_board(position, referee, &fen);
    compare_stages(position, &legal, &fen);
    compare_moves(position, referee, &moves, seen, &fen);
    if seen.positions.is_multiple_of(EXHAUSTIVE_EVERY) {
        compare_all_words(position, &legal, &fen);
        seen.exhaustive += 1;
    }

    let outcome = Game::new(*position).outcome();
    let (mate, stalemate) = (referee.is_checkmate(), referee.is_stalemate());
    assert_eq!(mate, outcome == Some(Outcome::Checkmate(!position.stm())), "{fen}");
    assert_eq!(stalemate, outcome == Some(Outcome::Draw(DrawReason::Stalemate)), "{fen}");

    seen.positions += 1;
    seen.checks += usize::from(position.in_check());
    seen.double_checks += usize::from(position.checkers().many());
    seen.mates += usize::from(mate);
    seen.stalemates += usize::from(stalemate);
    seen.dead += usize::from(position.is_dead());
    moves
}

/// Plays a random game of at most `plies` plies and compares every position of it.
fn walk(fen: &str, plies: usize, rng: &mut SplitMix64, seen: &mut Seen) {
    let mut position: Position = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    let mut referee = referee_at(fen);
    for _ in 0..plies {
        let moves = compare(&position, &referee, seen);
        // Uniform choice rarely castles or promotes, so every other move is chosen among those.
        let special: Vec<&Paired> = moves
            .iter()
            .filter(|pair| {
                pair.ours.is_castle() || pair.ours.is_en_passant() || pair.ours.promotion().is_some()
            })
            .collect();
        let chosen = if moves.is_empty() {
            return;
        } else if !special.is_empty() && rng.below(2) == 0 {
            special[rng.below(special.len())]
        } else {
            &moves[rng.below(moves.len())]
        };
        seen.castles += usize::from(chosen.ours.is_castle());
        seen.en_passant += usize::from(chosen.ours.is_en_passant());
        seen.promotions += usize::from(chosen.ours.promotion().is_some());
        position.make(chosen.ours);
        referee.play_unchecked(chosen.referee);
    }
}

/// The back rank with this Chess960 number, 0 to 959, in lower case (CPW: "Chess960 numbering scheme").
fn back_rank(number: usize) -> String {
    let mut squares = [None; 8];
    squares[number % 4 * 2 + 1] = Some('b');
    squares[number / 4 % 4 * 2] = Some('b');
    let mut place = |skip: usize, piece: char| {
        let free = (0..8).filter(|&file| squares[file].is_none()).nth(skip).expect("a file is free");
        squares[free] = Some(piece);
    };
    place(number / 16 % 6, 'q');
    let knights =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)][number / 96];
    // The second knight is placed after the first has taken its file.
    place(knights.0, 'n');
    place(knights.1 - 1, 'n');
    for piece in ['r', 'k', 'r'] {
        place(0, piece);
    }
    squares.into_iter().flatten().collect()
}

/// The starting position with these Chess960 numbers for White and Black.
fn starting_fen(white: usize, black: usize) -> String {
    let (white, black) = (back_rank(white), back_rank(black));
    let rooks = |rank: &str| -> String {
        // King's wing first, as Shredder-FEN is usually written.
        "hgfedcba".chars().filter(|&file| rank.as_bytes()[file as usize - 'a' as usize] == b'r').collect()
    };
    format!(
        "{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{} - 0 1",
        white.to_uppercase(),
        rooks(&white).to_uppercase(),
        rooks(&black)
    )
}

const STANDARD_NUMBER: usize = 518;

#[test]
fn chess960_numbers() {
    assert_eq!(back_rank(0), "bbqnnrkr");
    assert_eq!(back_rank(STANDARD_NUMBER), "rnbqkbnr");
    assert_eq!(back_rank(959), "rkrnnqbb");
    let all: std::collections::HashSet<String> = (0..960).map(back_rank).collect();
    assert_eq!(all.len(), 960);
    let standard: Position = starting_fen(STANDARD_NUMBER, STANDARD_NUMBER).parse().unwrap();
    assert_eq!(standard, Position::start());
}

#[test]
fn standard_games() {
    let (mut rng, mut seen) = (SplitMix64::from_state(1), Seen::default());
    while seen.positions < 80_000 {
        walk(START_FEN, 250, &mut rng, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.castles > 100 && seen.en_passant > 50 && seen.promotions > 500, "{seen:?}");
    assert!(seen.checks > 1000 && seen.double_checks > 10 && seen.mates > 20, "{seen:?}");
    assert_eq!(seen.shadowed_castles, 0, "standard castling moves the king two files");
}

#[test]
fn chess960_games() {
    let (mut rng, mut seen) = (SplitMix64::from_state(2), Seen::default());
    // All 960 set-ups in turn: the king starts on every file but a and h.
    for number in 0..960 {
        walk(&starting_fen(number, number), 80, &mut rng, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.positions > 70_000, "{seen:?}");
    assert!(seen.castles > 500 && seen.en_passant > 50 && seen.shadowed_castles > 100, "{seen:?}");
}

#[test]
fn double_fischer_random_games() {
    let (mut rng, mut seen) = (SplitMix64::from_state(3), Seen::default());
    while seen.positions < 40_000 {
        let fen = starting_fen(rng.below(960), rng.below(960));
        walk(&fen, 120, &mut rng, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.castles > 200 && seen.promotions > 100 && seen.shadowed_castles > 100, "{seen:?}");
}

#[test]
fn games_from_the_perft_suites() {
    let (mut rng, mut seen) = (SplitMix64::from_state(4), Seen::default());
    for name in ["standard.epd", "chess960.epd"] {
        let path = format!("{}/perft-suites/{name}", env!("CARGO_MANIFEST_DIR"));
        let suite = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        for line in suite.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            let fen = line.split(';').next().unwrap_or_default().trim();
            walk(fen, 20, &mut rng, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.positions > 25_000 && seen.exhaustive > 250, "{seen:?}");
    assert!(seen.en_passant > 50 && seen.double_checks > 10 && seen.stalemates > 10, "{seen:?}");
    assert!(seen.castles > 500 && seen.dead > 300 && seen.mates > 20, "{seen:?}");
}

/// A pawn in front of the enemy king does not attack it, so only its pushes can land on a king.
#[test]
fn pawns_are_not_pushed_onto_the_king() {
    for fen in [
        "8/8/8/4k3/4P3/8/8/4K3 w - - 0 1",
        "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1",
        "4k3/4P3/4K3/8/8/8/8/8 w - - 0 1",
        "8/7k/8/8/3P4/4p3/4K3/8 b - - 7 6",
        "4k3/4p3/8/4K3/8/8/8/8 b - - 0 1",
        "8/8/8/8/8/4k3/4p3/4K3 b - - 0 1",
    ] {
        let position: Position = fen.parse().unwrap();
        compare_all_words(&position, &position.legal_moves(), fen);
    }
}

/// FENs with every feature, to be damaged.
const SEEDS: [&str; 8] = [
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkb1r/ppp1pppp/8/3pP3/6n1/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 4",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "4k3/8/8/8/8/8/8/4KR1R w F - 99 120",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
];

/// One change to a text: delete, replace or insert at a position taken modulo its length.
type Edit = (u8, usize, char);

fn damage(text: &str, edits: &[Edit]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for &(action, at, letter) in edits {
        let at = at % (letters.len() + 1);
        match action {
            0 if at < letters.len() => drop(letters.remove(at)),
            1 if at < letters.len() => letters[at] = letter,
            _ => letters.insert(at, letter),
        }
    }
    letters.into_iter().collect()
}

fn edits(alphabet: &'static str) -> impl Strategy<Value = Vec<Edit>> {
    let letters: Vec<char> = alphabet.chars().collect();
    prop::collection::vec((0..3u8, 0..100usize, prop::sample::select(letters)), 1..5)
}

/// What must hold for any position the parser lets through.
fn check_accepted(position: &Position) {
    let fen = position.to_string();
    assert_eq!(fen.parse::<Position>().as_ref(), Ok(position), "{fen}");
    assert_eq!(position.to_shredder_fen().parse::<Position>().as_ref(), Ok(position), "{fen}");
    assert_eq!(*position.keys(), position.keys_from_scratch(), "{fen}");
    let legal = position.legal_moves();
    compare_stages(position, &legal, &fen);
    for &mv in &legal {
        let child = position.after(mv);
        let text = child.to_string();
        // Parsing refuses a side that left its king in check, so this also says the move was legal.
        assert_eq!(text.parse::<Position>(), Ok(child), "{} in {fen}", format_uci(mv, true));
    }
    // The referee refuses some positions that Quillon accepts; where both accept they must agree.
    if let Ok(referee) =
        fen.parse::<Fen>().map_err(drop).and_then(|f| f.into_position(CastlingMode::Chess960).map_err(drop))
    {
        pair_moves(position, &referee, &fen);
        compare_board(position, &referee, &fen);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_gives_errors_not_panics(text in any::<String>()) {
        let _ = text.parse::<Position>();
        let start = Position::start();
        let _ = (parse_uci(&start, &text), parse_san(&start, &text));
    }

    #[test]
    fn fen_like_text_gives_sound_positions_or_errors(
        text in "[rnbqkpRNBQKP1-8/]{0,40} [wb]? ?[KQkqA-Ha-h-]{0,5} ?[a-h1-8-]{0,3} ?[0-9-]{0,6} ?[0-9]{0,6}"
    ) {
        if let Ok(position) = text.parse::<Position>() {
            check_accepted(&position);
        }
    }

    #[test]
    fn damaged_fens_give_sound_positions_or_errors(
        seed in prop::sample::select(&SEEDS[..]),
        edits in edits("rnbqkpRNBQKP12345678/ wb-KQkqHAhaFf36é"),
    ) {
        if let Ok(position) = damage(seed, &edits).parse::<Position>() {
            check_accepted(&position);
        }
    }

    #[test]
    fn damaged_moves_are_legal_moves_or_errors(
        seed in prop::sample::select(&SEEDS[..]),
        choice in any::<prop::sample::Index>(),
        edits in edits("abcdefgh12345678NBRQKnbrqkxO0-+#=!é"),
    ) {
        let position: Position = seed.parse().unwrap();
        let legal = position.legal_moves();
        let mv = legal[choice.index(legal.len())];
        if let Ok(read) = parse_uci(&position, &damage(&format_uci(mv, true), &edits)) {
            prop_assert!(legal.contains(&read));
        }
        if let Ok(read) = parse_san(&position, &damage(&format_san(&position, mv), &edits)) {
            prop_assert!(legal.contains(&read));
        }
    }

    #[test]
    fn random_walks_keep_the_invariants(
        number in 0..960usize,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let mut position: Position = starting_fen(number, 959 - number).parse().unwrap();
        for choice in choices {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[choice.index(legal.len())];
            prop_assert!(position.is_legal(mv));
            let before = position;
            position.make(mv);
            prop_assert_eq!(before.after(mv), position);
            prop_assert_eq!(*position.keys(), position.keys_from_scratch());
            prop_assert_eq!(position.to_string().parse::<Position>(), Ok(position));
        }
        prop_assert_eq!(perft(&position, 2), perft(&position.color_flipped(), 2));
    }
}
