//! Opening books in Polyglot's format (`.bin`), read only.
//!
//! The file is a list of entries of 16 bytes, sorted by the key of the position they belong to. Format:
//! "Polyglot book format" by Michel Van den Bergh, with its extension to Chess960.
//!
//! To be read in this order: `file`, `key`.

mod file;
mod key;

pub use file::{Book, BookError, BookMove};
pub use key::book_key;
