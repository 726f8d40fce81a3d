//! # Quillon
//!
//! A UCI chess engine. The rooms below are listed in the order in which they build on each other:
//! each one imports only rooms above it, which `tests/layering.rs` checks.

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

/// The command line: UCI, bench, self-test, perft, test positions (EPD), data generation, training.
pub mod commands;
