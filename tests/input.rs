//! Any input at all: property tests of what the fuzz targets in `fuzz/` look for with more patience.

mod script;

use proptest::prelude::*;

/// Words that commands are made of, and some that they are not.
const WORDS: &str = "uci debug on off isready setoption name value Hash Clear MultiPV Threads Ponder UCI_Chess960 \
    nodestime Move Overhead true false register later ucinewgame position startpos fen moves e2e4 e7e5 g1f3 b8c6 \
    e1g1 e1h1 a7a8q 0000 8/8/8/3k4/8/3K4/3P4/8 r3k2r/8/8/8/8/8/8/R3K2R w b - KQkq HAha e3 go searchmoves ponder \
    wtime btime winc binc movestogo depth nodes mate movetime infinite stop ponderhit d eval perft help # 0 1 2 3 \
    -7 50 99999999999999999999 1e3 0x10 \u{feff} \u{0} é";

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(WORDS.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>())
        .prop_map(str::to_owned)
}

/// A line of such words; half of the lines begin with words that make the rest count.
fn sentence() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec![
        "",
        "",
        "",
        "",
        "",
        "go",
        "go ponder",
        "position startpos moves",
        "position fen",
        "setoption name",
    ]);
    (start, prop::collection::vec(word(), 0..9))
        .prop_map(|(start, words)| format!("{start} {}", words.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_line_is_a_command_or_an_error(line in any::<String>()) {
        script::check_line(&line);
    }

    #[test]
    fn any_sentence_is_a_command_or_an_error(line in sentence()) {
        script::check_line(&line);
    }

    #[test]
    fn what_is_read_as_a_fen_is_written_as_one(
        text in "[rnbqkpRNBQKP1-8]{1,8}(/[rnbqkpRNBQKP1-8]{1,8}){7} [wb] [KQkqA-Ha-h-]{1,4} [a-h1-8-]{1,2}"
    ) {
        script::check_fen(&text);
    }

    #[test]
    fn fields_behind_a_board_are_read_or_put_right(
        board in prop::sample::select(vec![
            "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R",
            "1rk2r2/8/8/3Pp3/3pP3/8/8/1R1K1R1R",
            "2kr3r/1pp2pp1/8/pP5P/Pp4pP/8/8/R4RK1",
            "4k3/8/8/8/8/8/8/4K3",
        ]),
        fields in "( {1,2}[wbWx]| {1,2}[KQkqA-Ha-hx-]{1,5}| {1,2}[a-h][1-9]| {1,2}-| {1,2}-?[0-9]{1,6}){0,7}"
    ) {
        script::check_fen(&format!("{board}{fields}"));
    }
}

proptest! {
    // Each of them starts an engine.
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_script_is_answered(lines in prop::collection::vec(sentence(), 0..25)) {
        script::check_conversation(lines.join("\n").as_bytes());
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        script::check_conversation(&bytes);
    }
}

#[test]
fn scripts_that_once_went_wrong() {
    for script in [
        "go infinite\ngo infinite\nstop\nstop",
        "go infinite\ngo perft 2\nstop\ngo depth 2",
        "go ponder\nstop\ngo ponder wtime 10 btime 10\nponderhit",
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo infinite\ngo\nisready",
        "position startpos moves g1f3\nposition startpos moves e2e5\ngo depth 3\nperft 2\nucinewgame\ngo depth 2",
        "position startpos moves g1f3\nposition fen 5rk1/8/8/8/8/8/8/5RK1 b KQkq g1 x\ngo depth 3",
        "go infinite\nstop\nposition\ngo infinite\nisready\nposition startpos e2e4\ngo ponder\nisready",
    ] {
        script::check_conversation(script.as_bytes());
    }
}
