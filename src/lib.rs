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

/// Legal move generation in stages, and perft counting on top of it.
pub mod movegen;

/// Moves as people and protocols write them: coordinate notation and SAN.
pub mod notation;
