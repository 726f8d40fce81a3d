//! A line of input is a command or an error, and a position that is set up is sound.

#![no_main]

#[path = "../../tests/script/mod.rs"]
mod script;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| script::check_line(&String::from_utf8_lossy(bytes)));
