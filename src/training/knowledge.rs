//! What a network says about positions whose worth is known: a look at its health without playing it.

use std::fmt;
use std::ops::RangeInclusive;

use crate::board::{Position, START_FEN};
use crate::nnue::Network;

/// Quiet positions in which having the move helps: openings and middlegames without threats.
const QUIET: [&str; 6] = [
    START_FEN,
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 4 4",
    "rnbq1rk1/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQ - 4 5",
    "r1bq1rk1/pp2ppbp/2np1np1/2p5/2P5/2NP1NP1/PP2PPBP/R1BQ1RK1 w - - 0 8",
    "2r2rk1/pb1qbppp/1p2pn2/8/8/1P2PN2/PB1QBPPP/2R2RK1 w - - 0 15",
    "2r3k1/pb3ppp/1p2pn2/8/8/1P2PN2/PB3PPP/2R3K1 w - - 0 22",
];
/// White to move, and winning.
const KQK: &str = "8/8/4k3/8/8/3QK3/8/8 w - - 0 1";
const KRK: &str = "8/8/4k3/8/8/3RK3/8/8 w - - 0 1";
/// Black's pieces in the start position.
const BLACK_PIECES: &str = "rnbqkbnr/pppppppp";
/// Names of the pieces, from the least to the most valuable.
const PIECES: [char; 5] = ['P', 'N', 'B', 'R', 'Q'];

/// What sound networks of this kind say, in internal units.
const START_RANGE: RangeInclusive<i32> = 0..=60;
const TEMPO_RANGE: RangeInclusive<i32> = 5..=50;
/// An elementary win is worth 600 internal units where the scale is 400, which is a 82 % chance by the net's own
/// measure.
const LEAST_WIN: i32 = 600;
const LEAST_WIN_SCALE: i32 = 400;

/// Values of known positions in internal units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knowledge {
    /// The start position.
    pub start: i32,
    /// What White gains there, with the move, when Black lacks a pawn, knight, bishop, rook, queen: the
    /// mean over the pieces of the kind.
    pub pieces: [i32; 5],
    /// King and queen against king.
    pub kqk: i32,
    /// King and rook against king.
    pub krk: i32,
    /// What having the move is worth in quiet positions, on average.
    pub tempo: i32,
    /// What elementary wins are worth at least in sound networks of this scale.
    pub least_win: i32,
}

impl Knowledge {
    /// Asks a network.
    pub fn of(network: &Network) -> Knowledge {
        // The FENs are known to be good, which a test checks.
        let value = |fen: &str| fen.parse().map_or(0, |position: Position| network.evaluate(&position));
        let start = value(START_FEN);
        let pieces = PIECES.map(|name| {
            let places = BLACK_PIECES.match_indices(name.to_ascii_lowercase());
            let values: Vec<i32> = places.map(|(place, _)| value(&start_without(place))).collect();
            values.iter().sum::<i32>() / values.len().max(1) as i32 - start
        });
        // With the turns exchanged the sum of both sides' values is twice the worth of the turn.
        let both = |fen: &&str| value(fen) + value(&other_turn(fen));
        let tempo = QUIET.iter().map(both).sum::<i32>() / (2 * QUIET.len() as i32);
        let least_win = LEAST_WIN * network.scale() / LEAST_WIN_SCALE;
        Knowledge { start, pieces, kqk: value(KQK), krk: value(KRK), tempo, least_win }
    }

    /// What is not as in sound networks, in words.
    pub fn doubts(&self) -> Vec<String> {
        let [pawn, knight, bishop, rook, queen] = self.pieces;
        let [lesser, greater] = [knight.min(bishop), knight.max(bishop)];
        let mut doubts = Vec::new();
        let mut doubt = |is_sound: bool, text: String| doubts.extend((!is_sound).then_some(text));
        let within = |range: &RangeInclusive<i32>| format!("{} to {}", range.start(), range.end());
        doubt(START_RANGE.contains(&self.start), format!("start position ({})", within(&START_RANGE)));
        // Bishops are worth a little more in most positions, but less than knights in this one by some.
        let is_ordered = 0 < pawn && pawn < lesser && greater < rook && rook < queen;
        doubt(is_ordered && bishop * 10 >= knight * 9, "order of the pieces (P < N <= B < R < Q)".to_owned());
        let least = self.least_win;
        doubt(self.kqk >= least && self.krk >= least, format!("KQK, KRK (at least {least})"));
        doubt(TEMPO_RANGE.contains(&self.tempo), format!("the move ({})", within(&TEMPO_RANGE)));
        doubts
    }
}

impl fmt::Display for Knowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "start position {}; Black's pieces there", self.start)?;
        for (name, value) in PIECES.into_iter().zip(self.pieces) {
            write!(f, " {name} {value}")?;
        }
        write!(f, "; KQK {}, KRK {}; having the move {}", self.kqk, self.krk, self.tempo)
    }
}

/// The start position without the black piece at this place of [`BLACK_PIECES`]. Castling rights, which
/// networks do not see, are left out.
fn start_without(place: usize) -> String {
    let black: String =
        BLACK_PIECES.char_indices().map(|(at, piece)| if at == place { '1' } else { piece }).collect();
    format!("{black}/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1")
}

/// The same pieces with the other side to move.
fn other_turn(fen: &str) -> String {
    fen.replace(" w ", " b ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::{FEATURES, NetworkParts};

    /// A network of one kind of neuron, which adds up the own pieces' worth in units of a pawn; its squares
    /// minus those of the enemy's are the value.
    fn counter(worth: [i16; 6], output_weight: i16, output_bias: i32) -> Network {
        let mut parts = NetworkParts::random(0, 32, 1);
        parts.feature_bias.fill(0);
        for feature in 0..FEATURES {
            let weight = if feature < FEATURES / 2 { worth[feature / 64] } else { 0 };
            parts.feature_weights[feature * 32..][..32].fill(weight);
        }
        parts.output_weights = [[output_weight; 32], [-output_weight; 32]].concat();
        (parts.output_bias, parts.scale) = (vec![output_bias], 400);
        Network::new(parts).unwrap()
    }

    #[test]
    fn the_positions_are_good() {
        let mut fens: Vec<String> = [KQK, KRK].map(str::to_owned).to_vec();
        fens.extend(QUIET.iter().flat_map(|fen| [fen.to_string(), other_turn(fen)]));
        fens.extend((0..BLACK_PIECES.len()).filter(|place| ![4, 8].contains(place)).map(start_without));
        for fen in fens {
            let position: Position = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(!position.in_check() && position.has_legal_move(), "{fen}");
        }
    }

    #[test]
    fn a_sound_network_raises_no_doubts() {
        // All pieces add up to 168, without Black's queen to 132, and so on; 20 for the move.
        let knowledge = Knowledge::of(&counter([4, 12, 12, 20, 36, 12], 16, 20 * 255 * 64 / 400));
        assert_eq!((knowledge.start, knowledge.tempo), (20, 20));
        // 16 * 32 / 255 * 400 / (255 * 64) = 0.0492 for a unit of the squares' difference.
        let expected = [4, 12, 12, 20, 36].map(|worth| {
            let squares = 168 * 168 - (168 - worth) * (168 - worth);
            squares * 512 / 255 * 400 / (255 * 64)
        });
        for (found, expected) in knowledge.pieces.into_iter().zip(expected) {
            assert!((found - expected).abs() <= 1, "{knowledge}, not {expected}");
        }
        let text = knowledge.to_string();
        assert!(text.starts_with("start position 20; Black's pieces there P 6") && text.contains("; KQK "));
        // Squares make endings too small.
        assert_eq!(knowledge.doubts(), ["KQK, KRK (at least 600)"]);
        assert!(Knowledge { kqk: 900, krk: 600, ..knowledge }.doubts().is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let knowledge = Knowledge::of(&counter([4, 12, 12, 36, 20, 12], 16, -100 * 255 * 64 / 400));
        assert_eq!(
            knowledge.doubts(),
            [
                "start position (0 to 60)",
                "order of the pieces (P < N <= B < R < Q)",
                "KQK, KRK (at least 600)",
                "the move (5 to 50)"
            ]
        );
        let bishops = |bishop| Knowledge { pieces: [80, 300, bishop, 500, 900], ..knowledge }.doubts().len();
        assert_eq!([260, 280, 320, 510].map(bishops), [4, 3, 3, 4]);
    }
}
