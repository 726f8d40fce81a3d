//! A FEN is an error, or a sound position that is written as a FEN again.

#![no_main]

#[path = "../../tests/script/mod.rs"]
mod script;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| script::check_fen(&String::from_utf8_lossy(bytes)));
