//! Games in PGN (portable game notation): reading and writing them.
//!
//! PGN is read here and not by a crate, since it is a part of chess notation like SAN and FEN, and since the reader that
//! there is drops every word that it does not know without a word: a move vanishes, and what is left is another game.
//! Here each word has a meaning or is a [`Fault`] with its line.
//!
//! What is read: tags, moves in SAN or coordinates, numbers of moves, glyphs as numbers (`$2`) and as signs (`?`),
//! comments in braces and after a semicolon, variations, results, and lines that begin with `%`, which are passed over.
//! Text is UTF-8 or, in old files, Latin-1. Time and memory grow linearly with the length of a game.
//!
//! To be read in this order: `token` (what can stand in a game, and what is wrong with it), `lines` (the text line by
//! line), `lexer` (text to tokens), `game` (tokens to games), `replay` (the first position and the moves by the rules),
//! `write` (movetext in lines).
//!
//! [`Fault`]: crate::pgn::Fault

mod game;
mod lexer;
mod lines;
mod replay;
mod token;
mod write;

pub use game::{PgnGame, PgnMove, PgnReader};
pub use replay::ReplayError;
pub use token::{Fault, FaultKind, GameResult, Token, decoded};
pub use write::{Movetext, Words, tag_line};
