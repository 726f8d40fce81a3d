//! Conversations with the real binary over pipes, as a chess program has them.

#[path = "../client/mod.rs"]
mod client;
#[path = "../tables/mod.rs"]
mod tables;

mod ending;
mod files;
mod input;
mod options;
mod positions;
mod resources;
mod searching;
mod telling;
mod timing;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
/// White mates at once.
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
const CHECKMATE: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// Tries again where other processes may have had the processor. A wrong time budget fails each time.
fn in_some_try(is_in_time: impl FnMut() -> bool) -> bool {
    std::iter::repeat_with(is_in_time).take(20).any(|in_time| in_time)
}
