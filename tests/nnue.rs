//! The network against its definition: a plain reading of the formula, symmetry, and accumulators that
//! follow moves against accumulators built from nothing.

use std::collections::HashMap;
use std::sync::Arc;

use quillon::board::{Delta, Game, Position, START_FEN};
use quillon::engine::Engine;
use quillon::engine::bench;
use quillon::nnue::inference::Kernels;
use quillon::nnue::{self, AccumulatorStack, LayerParts, Network, NetworkParts};
use quillon::search::{SearchEvent, SearchJob, SearchLimits, SearchResult, Searcher};
use quillon::tt::TranspositionTable;
use quillon::types::{Color, MAX_PLY, Move, MoveKind, Piece, Score, SplitMix64, Square};

const FENS: [&str; 9] = [
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/1p1p1p1p/8/P1P1P1P1/4K3 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    // Castling of all kinds, with king and rook that trade places or stand still.
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
    "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w HAha - 0 1",
    "5rkr/pppppppp/8/8/8/8/PPPPPPPP/RKR5 w CAhf - 0 1",
];

fn position(fen: &str) -> Position {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn random_network(seed: u64, king_buckets: usize, hidden: usize, buckets: usize) -> Arc<Network> {
    let parts = NetworkParts::random_with_kings(seed, king_buckets, hidden, buckets);
    Arc::new(Network::new(parts).expect("random networks are valid"))
}

/// Which set of features a side uses whose king stands there, as the documentation defines it.
fn king_bucket(king_buckets: usize, side: Color, king: Square) -> usize {
    let king = king.relative_to(side);
    match (king_buckets, king.rank().index(), king.file().index()) {
        (1, ..) | (_, 0, 0 | 1 | 6 | 7) => 0,
        (_, 0, _) => 1,
        (_, 1, _) => 2,
        _ => 3,
    }
}

/// A random legal move; rare kinds are preferred when there are any.
fn random_move(position: &Position, rng: &mut SplitMix64) -> Option<Move> {
    let moves = position.legal_moves();
    let rare =
        |mv: &&Move| mv.promotion().is_some() || matches!(mv.kind(), MoveKind::Castle | MoveKind::EnPassant);
    let rare: Vec<Move> = moves.iter().filter(rare).copied().collect();
    match (moves.len(), rare.len()) {
        (0, _) => None,
        (_, 1..) if rng.below(3) == 0 => Some(rare[rng.below(rare.len())]),
        (count, _) => Some(moves[rng.below(count)]),
    }
}

/// The positions of random games, without end.
fn random_positions(seed: u64) -> impl Iterator<Item = Position> {
    let mut rng = SplitMix64::from_state(seed);
    let mut current = position(START_FEN);
    let mut plies = 0;
    std::iter::from_fn(move || {
        match random_move(&current, &mut rng).filter(|_| plies < 150) {
            Some(mv) => {
                current.make(mv);
                plies += 1;
            }
            None => {
                current = position(FENS[rng.below(FENS.len())]);
                plies = 0;
            }
        }
        Some(current)
    })
}

/// The network as its documentation defines it, number by number.
fn by_definition(parts: &NetworkParts, position: &Position) -> i32 {
    let hidden = parts.hidden;
    let accumulator = |perspective: Color| -> Vec<i32> {
        let own_end = |square: Square| square.relative_to(perspective);
        let king = position.king(perspective);
        let mirrored = own_end(king).file().index() >= 4;
        let bucket = king_bucket(parts.king_buckets, perspective, king);
        let mut sums: Vec<i32> = parts.feature_bias.iter().copied().map(i32::from).collect();
        for square in position.occupied() {
            let piece = position.piece_on(square).expect("the square is occupied");
            let enemy = usize::from(piece.color() != perspective);
            let seen = own_end(square).index() ^ if mirrored { 7 } else { 0 };
            let feature = ((bucket * 2 + enemy) * 6 + piece.kind().index()) * 64 + seen;
            for (neuron, sum) in sums.iter_mut().enumerate() {
                *sum += i32::from(parts.feature_weights[feature * hidden + neuron]);
            }
        }
        sums
    };
    let pieces = position.occupied().count() as usize;
    let bucket = if parts.buckets == 1 { 0 } else { (pieces - 2) / 4 };
    let halves = [accumulator(position.stm()), accumulator(!position.stm())].concat();
    if let Some(layers) = &parts.layers {
        return layers_by_definition(layers, &halves, parts, bucket);
    }
    let weights = &parts.output_weights[bucket * 2 * hidden..][..2 * hidden];
    let squares = halves.iter().map(|&sum| sum.clamp(0, 255) * sum.clamp(0, 255));
    let sum: i32 = squares.zip(weights).map(|(square, &weight)| square * i32::from(weight)).sum();
    let output = i64::from(sum / 255 + parts.output_bias[bucket]);
    (output * i64::from(parts.scale) / (255 * 64)) as i32
}

/// The same of layers.
fn layers_by_definition(layers: &LayerParts, halves: &[i32], parts: &NetworkParts, bucket: usize) -> i32 {
    let (hidden, clamped) = (parts.hidden, |sum: i32| sum.clamp(0, 255));
    let product = |input: usize| {
        let (half, neuron) = (input / (hidden / 2), input % (hidden / 2));
        let neuron = half * hidden + neuron;
        (clamped(halves[neuron]) * clamped(halves[neuron + hidden / 2]) + 256) / 512
    };
    let mut inputs = [0; 32];
    for output in 0..16 {
        let weight = |input: usize| i32::from(layers.first_weights[(bucket * hidden + input) * 16 + output]);
        let sum: i32 = (0..hidden).map(|input| product(input) * weight(input)).sum();
        let first = (sum + layers.first_bias[bucket * 16 + output]).div_euclid(32).clamp(-1024, 1024);
        (inputs[output], inputs[16 + output]) = (first.max(0), first * first / 1024);
    }
    let mut result = i64::from(layers.output_bias[bucket]);
    for output in 0..32 {
        let weight = |input: usize| i32::from(layers.second_weights[(bucket * 32 + input) * 32 + output]);
        let sum: i32 = inputs.iter().enumerate().map(|(input, value)| value * weight(input)).sum();
        let second = (sum + layers.second_bias[bucket * 32 + output]).div_euclid(1024).clamp(0, 1024);
        let weight = layers.output_weights[bucket * 32 + output];
        result += i64::from(second * second / 1024) * i64::from(weight);
    }
    (result * i64::from(parts.scale) / (1024 * 1024)) as i32
}

#[test]
fn every_kernel_computes_what_the_definition_says() {
    let plain = [(32, 1), (32, 8), (64, 8), (96, 1), (128, 8), (256, 1), (512, 8)];
    let plain = plain.map(|(hidden, buckets)| (1, hidden, buckets));
    let plain = plain.into_iter().chain([(4, 64, 1), (4, 512, 8)]);
    let plain = plain.map(|(kings, hidden, buckets)| random_network(hidden as u64, kings, hidden, buckets));
    let layered = [(1, 64, 1), (1, 256, 8), (4, 512, 8)];
    let layered = layered.map(|(kings, hidden, buckets)| {
        let parts = NetworkParts::random_with_layers(hidden as u64, kings, hidden, buckets);
        Arc::new(Network::new(parts).expect("random networks are valid"))
    });
    for network in plain.chain(layered) {
        let hidden = network.hidden();
        let parts = network.to_parts();
        let mut values = HashMap::new();
        for position in random_positions(hidden as u64).step_by(7).take(400) {
            let expected = by_definition(&parts, &position);
            for kernels in Kernels::available() {
                let found = network.evaluate_with(kernels, &position);
                assert_eq!(found, expected, "{kernels}, {hidden} neurons, {position}");
            }
            *values.entry(expected).or_insert(0) += 1;
        }
        assert!(values.len() > 100, "random weights tell positions apart");
    }
}

#[test]
fn a_bucket_answers_for_its_number_of_pieces() {
    let mut parts = NetworkParts::random(0, 32, 8);
    parts.output_weights.fill(0);
    parts.output_bias = (0..8).map(|bucket| bucket * 255 * 64 / 4).collect();
    let network = Network::new(parts).expect("the network is valid");
    let mut seen = [false; 33];
    for position in random_positions(4).take(60_000) {
        let pieces = position.occupied().count();
        seen[pieces as usize] = true;
        assert_eq!(network.evaluate(&position), (pieces as i32 - 2) / 4 * 100, "{position}");
    }
    assert_eq!(seen.iter().filter(|&&seen| seen).count(), 31, "all numbers of pieces occur: {seen:?}");
}

#[test]
fn colours_do_not_matter() {
    let network = random_network(11, 4, 128, 8);
    for position in random_positions(5).take(20_000) {
        assert_eq!(network.evaluate(&position), network.evaluate(&position.color_flipped()), "{position}");
    }
}

/// The position with the files a to h exchanged for h to a. Castling rights are lost.
fn file_mirrored(position: &Position) -> Position {
    let text = position.to_string();
    let fields: Vec<&str> = text.split(' ').collect();
    let ranks = fields[0].split('/').map(|rank| rank.chars().rev().collect::<String>());
    let board = ranks.collect::<Vec<_>>().join("/");
    let mirrored_file = |letter: char| {
        if letter.is_ascii_alphabetic() { (b'a' + b'h' - letter as u8) as char } else { letter }
    };
    let en_passant: String = fields[3].chars().map(mirrored_file).collect();
    format!("{board} {} - {en_passant} {} {}", fields[1], fields[4], fields[5]).parse().expect(&text)
}

#[test]
fn left_and_right_do_not_matter() {
    let network = random_network(12, 4, 128, 8);
    for position in random_positions(6).take(20_000) {
        assert_eq!(network.evaluate(&position), network.evaluate(&file_mirrored(&position)), "{position}");
    }
}

/// What kinds of moves a walk has made.
#[derive(Debug, Default)]
struct Coverage {
    kinds: HashMap<String, usize>,
    crossings: [usize; 2],
    nulls: usize,
    deepest: usize,
}

impl Coverage {
    fn note(&mut self, before: &Position, mv: Move, delta: &Delta) {
        *self.kinds.entry(format!("{:?}", mv.kind())).or_default() += 1;
        self.crossings[before.stm().index()] += usize::from(crosses_the_middle(before, delta));
    }
}

/// Whether a move takes its king from one half of the board to the other.
fn crosses_the_middle(before: &Position, delta: &Delta) -> bool {
    let path = delta.king_path(before.stm());
    path.is_some_and(|(from, to)| from.file().index() / 4 != to.file().index() / 4)
}

fn changes_view(king_buckets: usize, before: &Position, delta: &Delta) -> bool {
    let bucket = |king| king_bucket(king_buckets, before.stm(), king);
    let path = delta.king_path(before.stm());
    crosses_the_middle(before, delta) || path.is_some_and(|(from, to)| bucket(from) != bucket(to))
}

/// Walks up and down random lines, with null moves, and evaluates now and then.
fn walk(network: &Arc<Network>, kernels: Kernels, seed: u64, moves: usize, coverage: &mut Coverage) {
    let mut rng = SplitMix64::from_state(seed);
    let mut stack = AccumulatorStack::with_kernels(Arc::clone(network), kernels);
    let (mut made, mut pause) = (0, 1);
    while made < moves {
        let mut line = vec![position(FENS[rng.below(FENS.len())])];
        stack.reset();
        let mut pushed = Vec::new();
        for _ in 0..2000 {
            let current = *line.last().expect("the root stays");
            match rng.below(16) {
                0 if !current.in_check() && line.len() <= MAX_PLY => {
                    let mut child = current;
                    child.make_null();
                    line.push(child);
                    pushed.push(false);
                    coverage.nulls += 1;
                }
                // Back by one to three plies.
                1..=3 => {
                    for _ in 0..=rng.below(3) {
                        let Some(was_move) = pushed.pop() else { break };
                        line.pop();
                        if was_move {
                            stack.pop();
                        }
                    }
                }
                _ if line.len() <= MAX_PLY => {
                    let Some(mv) = random_move(&current, &mut rng) else { break };
                    let mut child = current;
                    let delta = child.make(mv);
                    coverage.note(&current, mv, &delta);
                    stack.push(delta);
                    line.push(child);
                    pushed.push(true);
                    made += 1;
                }
                _ => break,
            }
            coverage.deepest = coverage.deepest.max(line.len() - 1);
            pause -= 1;
            if pause == 0 {
                // At every position for a while, then at every seventh or so.
                pause = 1 + rng.below(1 + made % 8);
                let here = line.last().expect("the root stays");
                assert_eq!(stack.evaluate(here), network.evaluate(here), "{kernels}, {here}");
            }
        }
    }
}

#[test]
fn accumulators_that_follow_moves_equal_fresh_ones() {
    let mut coverage = Coverage::default();
    let available = Kernels::available();
    // The fastest path is the one in use, so it gets most of the million moves.
    for (index, &kernels) in available.iter().enumerate() {
        let moves = if index == 0 { 600_000 } else { 400_000 / (available.len() - 1).max(1) };
        walk(&random_network(21, 1, 32, 8), kernels, 1 + index as u64, moves, &mut coverage);
        walk(&random_network(22, 1, 96, 1), kernels, 100 + index as u64, moves / 20, &mut coverage);
        walk(&random_network(24, 4, 32, 1), kernels, 200 + index as u64, moves / 4, &mut coverage);
    }
    let kinds = ["Quiet", "DoublePush", "Castle", "Capture", "EnPassant", "Promote", "CapturePromote"];
    for kind in kinds {
        let count: usize =
            coverage.kinds.iter().filter(|(name, _)| name.starts_with(kind)).map(|(_, count)| count).sum();
        assert!(count > 500, "{kind}: {coverage:?}");
    }
    assert!(coverage.crossings.iter().all(|&count| count > 500), "{coverage:?}");
    assert!(coverage.nulls > 10_000 && coverage.deepest >= MAX_PLY, "{coverage:?}");
}

/// A search of all moves with a table of evaluations that stays from move to move of a game, so that the
/// root and the plies below it are never evaluated but in the first search.
struct GameSearch<'a> {
    network: &'a Network,
    stack: AccumulatorStack,
    table: HashMap<u64, i32>,
    evaluations: u64,
    /// Moves by which a king changes its side's view: its half of the board or its bucket.
    crossings: u64,
}

impl GameSearch<'_> {
    fn look(&mut self, position: &Position, depth: u32) {
        if !position.in_check() && !self.table.contains_key(&position.key()) {
            let value = self.stack.evaluate(position);
            assert_eq!(value, self.network.evaluate(position), "{position}");
            self.table.insert(position.key(), value);
            self.evaluations += 1;
        }
        if depth == 0 {
            return;
        }
        for mv in position.legal_moves() {
            let mut child = *position;
            let delta = child.make(mv);
            self.crossings += u64::from(changes_view(self.network.king_buckets(), position, &delta));
            self.stack.push(delta);
            self.look(&child, depth - 1);
            self.stack.pop();
        }
    }
}

/// Accumulators are built anew at the root and where a king changes its view, once each, whoever else
/// has the evaluations of the plies in between.
#[test]
fn a_game_with_a_kept_table_builds_few_accumulators_anew() {
    for (game, (king_buckets, fen)) in [(1, FENS[0]), (1, FENS[1]), (4, FENS[2])].into_iter().enumerate() {
        let network = random_network(23, king_buckets, 32, 8);
        let stack = AccumulatorStack::new(Arc::clone(&network));
        let mut search =
            GameSearch { network: &network, stack, table: HashMap::new(), evaluations: 0, crossings: 0 };
        let mut rng = SplitMix64::from_state(8 + game as u64);
        let mut current = position(fen);
        let (mut searches, mut known_roots) = (0, 0);
        for _ in 0..10 {
            let Some(mv) = random_move(&current, &mut rng) else { break };
            known_roots += u64::from(search.table.contains_key(&current.key()));
            searches += 1;
            search.stack.reset();
            search.look(&current, 3);
            current.make(mv);
        }
        let GameSearch { evaluations, crossings, .. } = search;
        let refreshes = search.stack.refreshes();
        let counts = format!(
            "{fen}: {searches} searches, {known_roots} roots known, {evaluations} evaluations, \
             {crossings} crossings, {refreshes} refreshes"
        );
        assert!(known_roots > 5 && crossings > 100, "{counts}");
        assert!(refreshes <= 2 * searches + crossings, "{counts}");
        assert!(refreshes * 4 < evaluations, "{counts}");
    }
}

#[test]
fn a_delta_holds_all_that_changed() {
    let pieces = |position: &Position| -> Vec<Option<Piece>> {
        Square::all().map(|square| position.piece_on(square)).collect()
    };
    for position in random_positions(7).take(30_000) {
        for mv in position.legal_moves() {
            let mut child = position;
            let delta = child.make(mv);
            let mut board = pieces(&position);
            for placed in delta.removed() {
                assert_eq!(board[placed.square.index()].take(), Some(placed.piece), "{mv:?} in {position}");
            }
            for placed in delta.added() {
                assert_eq!(board[placed.square.index()].replace(placed.piece), None, "{mv:?} in {position}");
            }
            assert_eq!(board, pieces(&child), "{mv:?} in {position}");
            let king = |position: &Position| position.king(position.stm());
            let moved = delta.king_path(position.stm());
            assert_eq!(moved.map_or(king(&position), |(_, to)| to), child.king(position.stm()));
            assert_eq!(delta.king_path(!position.stm()), None);
        }
    }
}

fn search(network: Arc<Network>, fen: &str, nodes: u64) -> SearchResult {
    let tt = Arc::new(TranspositionTable::new(1).expect("1 MiB"));
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let job = SearchJob::silent(Game::new(position(fen)), limits, tt).with_network(network);
    Searcher::new(0).search(&job)
}

/// Tests are built with debug assertions, which compare every evaluation of a search with a fresh one.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "debug assertions make the comparison")]
fn searches_keep_their_accumulators_right() {
    let network = random_network(31, 1, 64, 8);
    for fen in FENS {
        let results = [(); 2].map(|()| search(Arc::clone(&network), fen, 40_000));
        assert_eq!(results[0].best, results[1].best, "{fen}");
        assert_eq!((results[0].score, results[0].depth), (results[1].score, results[1].depth), "{fen}");
    }
}

/// The same through a game, where the table knows much of each tree from the search before.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "debug assertions make the comparison")]
fn a_game_keeps_its_accumulators_right() {
    let network = random_network(32, 4, 64, 8);
    for fen in [FENS[0], FENS[1], FENS[4]] {
        let tt = Arc::new(TranspositionTable::new(4).expect("4 MiB"));
        let mut searcher = Searcher::new(0);
        let mut game = Game::new(position(fen));
        for _ in 0..30 {
            let limits = SearchLimits { nodes: Some(4000), ..SearchLimits::default() };
            let job = SearchJob::silent(game.clone(), limits, Arc::clone(&tt));
            tt.start_search();
            let Some(mv) = searcher.search(&job.with_network(Arc::clone(&network))).best else { break };
            game.play(mv);
        }
    }
}

#[test]
fn one_searcher_may_change_its_network() {
    let networks = [nnue::built_in(), random_network(41, 1, 64, 1), random_network(42, 4, 96, 8)];
    let alone = networks.clone().map(|network| search(network, START_FEN, 5000).score);
    let tt = Arc::new(TranspositionTable::new(1).expect("1 MiB"));
    let mut searcher = Searcher::new(0);
    for (which, score) in [(0, alone[0]), (1, alone[1]), (2, alone[2]), (1, alone[1]), (0, alone[0])] {
        tt.clear(1);
        searcher.new_game();
        let limits = SearchLimits { nodes: Some(5000), ..SearchLimits::default() };
        let job = SearchJob::silent(Game::default(), limits, Arc::clone(&tt));
        let result = searcher.search(&job.with_network(networks[which].clone()));
        assert_eq!(result.score, score, "network {which}");
    }
}

#[test]
fn all_threads_of_an_engine_use_its_network() {
    // Worth the same everywhere, so any other evaluation would show.
    let mut parts = NetworkParts::random(0, 32, 1);
    parts.output_weights.fill(0);
    parts.output_bias = vec![0];
    let network = Arc::new(Network::new(parts).expect("the network is valid"));
    let mut engine = Engine::new().expect("an engine starts");
    engine.set_threads(3).expect("threads start");
    let mut score = |network: Arc<Network>| {
        engine.set_network(network);
        let (sender, results) = std::sync::mpsc::channel();
        let limits = SearchLimits { nodes: Some(60_000), ..SearchLimits::default() };
        engine.go(limits, move |event| {
            if let SearchEvent::Finished(result) = event {
                sender.send(result.score).expect("the test listens");
            }
        });
        results.recv().expect("the search ends")
    };
    assert_eq!(score(network), Score::DRAW);
    assert_ne!(score(nnue::built_in()), Score::DRAW);
}

#[test]
fn the_bench_takes_a_network_and_kernels() {
    let nodes = |network, kernels| bench::run(5, network, kernels, |_, _| {}).expect("memory").nodes;
    let with = nodes(random_network(51, 1, 64, 8), Kernels::best());
    assert_ne!(with, nodes(nnue::built_in(), Kernels::best()));
    for kernels in Kernels::available() {
        assert_eq!(with, nodes(random_network(51, 1, 64, 8), kernels), "{kernels}");
        assert_eq!(kernels.to_string().parse(), Ok(kernels));
    }
    assert!("MMX".parse::<Kernels>().is_err());
}
