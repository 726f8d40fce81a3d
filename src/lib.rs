//! # Quillon
//!
//! A UCI chess engine. The modules of this crate are listed in `src/lib.rs` in the order in which they build on each
//! other: each one imports only modules listed before it, which `tests/layering.rs` checks. The page of each module says
//! in which order to read its files.
//!
//! # How a `go` becomes a `bestmove`
//!
//! 1. [`commands::main`] finds no command in the arguments and calls [`uci::run`]. A reader thread sends each line of
//!    standard input, read by [`uci::input::read`], to the driver (`src/uci/driver/mod.rs`).
//! 2. [`uci::command::parse`] turns the line into [`Command::Go`](uci::command::Command::Go). The driver turns its
//!    arguments into [`search::SearchLimits`] and calls [`Engine::go`](engine::Engine::go).
//! 3. The [`engine`] plays a move of the opening [`book`], if there is one. Otherwise it makes a
//!    [`search::SearchJob`]: game, limits, the shared [`tt::TranspositionTable`], network and endgame tables. The job
//!    goes to its search threads (`src/engine/workers.rs`), each of which has a [`search::Searcher`].
//! 4. A searcher deepens iteratively (`src/search/iterative.rs`): depth by depth, in an aspiration window, until the
//!    limits end it.
//! 5. Each iteration is a principal variation search; its node is `src/search/alpha_beta.rs`. A node probes the
//!    [`tt`] and the [`tablebase`]s, evaluates the position, tries to prune it, and searches its moves.
//! 6. The move picker (`src/search/picker.rs`) gives out these moves best first, generated in stages by [`movegen`].
//!    Each move is made on a copy of the [`board`], and the search goes on a ply deeper; at depth 0 it goes over to
//!    quiescence (`src/search/quiescence.rs`).
//! 7. Positions are evaluated by [`eval`]: in most of them a network, [`nnue`], whose accumulators follow the moves.
//! 8. The search sends each finished iteration as a [`search::SearchEvent`] to the driver's sink, where
//!    [`uci::format::event`] writes an `info` line. When the search has ended, the threads vote on the move; the last
//!    event becomes `bestmove`, which the driver prints through [`console::Output`].
//!
//! # How a `position` becomes a position
//!
//! [`uci::command::parse`] leaves FEN and moves as text. [`uci::command::set_up`] repairs and reads the FEN
//! ([`Game::parse_lenient`](board::Game::parse_lenient)), reads each move ([`notation::parse_uci`]), which must be
//! one of [`Position::legal_moves`](board::Position::legal_moves), and plays it. Only if all of this succeeds does
//! the engine get the new game ([`Engine::set_game`](engine::Engine::set_game)).
//!
//! # How a network is trained
//!
//! `quillon datagen` plays games with small searches and writes them with [`datagen::DataWriter`]. `quillon train`
//! reads them into a [`training::Dataset`], fits a float network ([`training::Session`]) and writes the integers of a
//! [`nnue::Network`], which the option `EvalFile` loads; the built-in network is such a file.

#![warn(missing_docs)]

/// Vocabulary: colours, pieces, squares, bitboards, moves, castling rights, scores.
pub mod types;

/// Where pieces reach on a given occupancy: leapers, magic-bitboard sliders, lines between squares.
pub mod attacks;

/// The rules: position, FEN, make move, Zobrist keys, legality of one move, repetition, exchange evaluation.
pub mod board;

/// Legal move generation in stages, the end of a game, and perft counting.
pub mod movegen;

/// Moves as people and protocols write them: coordinate notation and SAN.
pub mod notation;

/// Games in PGN: reading, replaying and writing them.
pub mod pgn;

/// Opening books in Polyglot's format.
pub mod book;

/// The transposition table shared by all search threads.
pub mod tt;

/// Syzygy endgame tables: opening, checking and probing them, the best moves of a position.
pub mod tablebase;

/// The evaluation network: features, weights, accumulators that follow the moves, vector arithmetic.
pub mod nnue;

/// A position's score without search.
pub mod eval;

/// Iterative deepening, principal variation search, move ordering, quiescence, time control.
pub mod search;

/// The engine without text: owns position, table and worker threads; the bench.
pub mod engine;

/// Lines of output, progress bars, drawings: text interfaces without chess.
pub mod console;

/// The Universal Chess Interface: command parsing, options, output, the I/O loop.
pub mod uci;

/// Games against itself as training data: playing, file format, reports.
pub mod datagen;

/// Training of the evaluation network on the engine's own games.
pub mod training;

/// The command line: UCI, bench, self-test, perft, test positions (EPD), analysis of games, data generation, training.
pub mod commands;
