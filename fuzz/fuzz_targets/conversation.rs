//! A whole conversation with an engine in this process: every question has its answer, and every search a move of
//! its own position, or none where that was refused.

#![no_main]

#[path = "../../tests/script/mod.rs"]
mod script;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| script::check_conversation(bytes));
