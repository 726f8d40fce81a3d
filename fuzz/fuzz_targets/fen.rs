//! A FEN is an error, or a sound position that is written as a FEN again. What the lenient reader puts right, it
//! tells, and it moves no piece.

#![no_main]

#[path = "../../tests/script/mod.rs"]
mod script;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| script::check_fen(&String::from_utf8_lossy(bytes)));
