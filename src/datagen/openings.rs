//! Where self-play games begin: the initial position, a Chess960 position or a line of a file, and a few
//! random moves from there.

use std::path::{Path, PathBuf};

use crate::board::{FenError, Game, Position};
use crate::types::{Move, SplitMix64};

/// Random plies from the initial position; one more at even odds, so that both sides come to move first.
pub(crate) const RANDOM_PLIES: u32 = 8;

/// Random plies from positions of a file, which are varied already.
pub(crate) const RANDOM_PLIES_AFTER_FILE: u32 = 4;

/// Why a file of openings is of no use.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("cannot read {file}: {error}", file = .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's reason.
        error: std::io::Error,
    },
    /// A line holds no position.
    #[error("{file}:{line}: {error}", file = .file.display())]
    Fen {
        /// The file.
        file: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        error: FenError,
    },
    /// The game is over in a position.
    #[error("{file}:{line}: the game is over there", file = .file.display())]
    Over {
        /// The file.
        file: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    /// The file holds no position.
    #[error("no positions in {file}", file = .file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
}

/// How games begin.
#[derive(Clone, Debug)]
pub(crate) struct Openings {
    /// Positions of a file, in place of the initial position; may be empty.
    pub(crate) positions: Vec<Position>,
    /// Share of games, 0 to 1, that begin from one of the 960 positions of Chess960.
    pub(crate) chess960_share: f64,
    /// Random plies; one more at even odds.
    pub(crate) random_plies: u32,
}

/// A beginning that was drawn.
pub(super) struct Opening {
    pub(super) start: Position,
    pub(super) moves: Vec<Move>,
    /// The game after the random moves.
    pub(super) game: Game,
}

impl Openings {
    /// Draws a beginning; `None` when the random moves ended the game.
    pub(super) fn draw(&self, random: &mut SplitMix64) -> Option<Opening> {
        let start = if random.unit() < self.chess960_share {
            chess960_start(random.below(960) as u32)
        } else {
            random.choose(&self.positions).copied().unwrap_or_else(Position::start)
        };
        let plies = self.random_plies + random.below(2) as u32;
        let mut game = Game::new(start);
        let mut moves = Vec::new();
        for _ in 0..plies {
            let mv = *random.choose(&game.position().legal_moves())?;
            game.play(mv);
            moves.push(mv);
        }
        game.outcome().is_none().then_some(Opening { start, moves, game })
    }
}

/// The positions of a file with a FEN or EPD in each line. Operations after the position are passed over, so
/// are empty lines and comments (`#`).
pub(crate) fn read_positions(file: &Path) -> Result<Vec<Position>, OpeningsError> {
    let name = || file.to_owned();
    let bytes = std::fs::read(file).map_err(|error| OpeningsError::Read { file: name(), error })?;
    let mut positions = Vec::new();
    for (index, line) in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let position =
            parse_line(line).map_err(|error| OpeningsError::Fen { file: name(), line: index + 1, error })?;
        if Game::new(position).outcome().is_some() {
            return Err(OpeningsError::Over { file: name(), line: index + 1 });
        }
        positions.push(position);
    }
    if positions.is_empty() { Err(OpeningsError::Empty { file: name() }) } else { Ok(positions) }
}

/// The position at the front of a line: four fields, then two counters if they are there.
fn parse_line(line: &str) -> Result<Position, FenError> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let is_counter = |field: &&&str| field.bytes().all(|byte| byte.is_ascii_digit());
    let counters = fields.iter().skip(4).take(2).take_while(is_counter).count();
    let used = fields.len().min(4) + counters;
    fields[..used].join(" ").trim_end_matches(';').parse()
}

/// A starting position of Chess960 by its number below 960 (CPW: "Chess960", Scharnagl's numbering;
/// 518 is the initial position of standard chess).
fn chess960_start(number: u32) -> Position {
    let mut rank = [None; 8];
    let digit = |divisor: u32, base: u32| (number / divisor % base) as usize;
    rank[2 * digit(1, 4) + 1] = Some('b');
    rank[2 * digit(4, 4)] = Some('b');
    let mut put_on_free = |nth: usize, letter| {
        if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(nth) {
            *square = Some(letter);
        }
    };
    put_on_free(digit(16, 6), 'q');
    // The ten ways to put two knights on five squares, in the order 01 02 03 04 12 13 14 23 24 34.
    let ways = (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second)));
    for (first, second) in ways.skip(digit(96, 10)).take(1) {
        put_on_free(first, 'n');
        put_on_free(second - 1, 'n');
    }
    for letter in ['r', 'k', 'r'] {
        put_on_free(0, letter);
    }
    let pieces: String = rank.into_iter().flatten().collect();
    let fen = format!("{pieces}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", pieces.to_uppercase());
    // A test goes through all of them.
    fen.parse().unwrap_or_else(|_| Position::start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_960_positions_are_those_of_the_suite() {
        let suite = include_str!("../../perft-suites/chess960.epd");
        let known: HashSet<u64> = suite
            .lines()
            .filter(|line| line.contains("/pppppppp/8/8/8/8/PPPPPPPP/"))
            .map(|line| line.split(';').next().unwrap().trim().parse::<Position>().unwrap().key())
            .collect();
        let ours: HashSet<u64> = (0..960).map(|number| chess960_start(number).key()).collect();
        assert_eq!(ours.len(), 960);
        assert!(ours.is_subset(&known));
        assert_eq!(chess960_start(518), Position::start());
        let first = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1";
        assert_eq!(chess960_start(0).to_shredder_fen(), first);
    }

    #[test]
    fn lines_of_a_file() {
        let plain = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for tail in ["", " 0 1", " 0", ";", " bm e4; id \"x\";", " 0 1 ;D1 20"] {
            let position = parse_line(&format!("{plain}{tail}")).unwrap();
            assert_eq!(position.to_string(), format!("{plain} 0 1"), "{tail}");
        }
        assert!(parse_line("4k3/8/8/8/8/8/4P3 w - -").is_err());
    }

    #[test]
    fn openings_have_the_wished_length_and_start() {
        let file: Position = "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1".parse().unwrap();
        let openings = Openings { positions: vec![file], chess960_share: 0.5, random_plies: 3 };
        let mut random = SplitMix64::from_state(1);
        let (mut lengths, mut from_file) = ([0; 2], 0);
        for _ in 0..400 {
            let opening = openings.draw(&mut random).unwrap();
            lengths[opening.moves.len() - 3] += 1;
            from_file += usize::from(opening.start == file);
            let mut position = opening.start;
            for mv in opening.moves {
                assert!(position.is_legal(mv));
                position.make(mv);
            }
            assert_eq!(position, *opening.game.position());
        }
        assert!(lengths.iter().all(|&count| count > 150), "{lengths:?}");
        assert!((150..250).contains(&from_file), "{from_file}");
        let bare = Openings { positions: Vec::new(), chess960_share: 0.0, random_plies: 0 };
        assert_eq!(bare.draw(&mut random).unwrap().start, Position::start());
    }
}
