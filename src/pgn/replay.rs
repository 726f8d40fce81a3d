//! Games by the rules: where they begin, and their moves.

use super::game::PgnGame;
use super::token::Fault;
use crate::board::{FenError, FenRepair, Game, Position};
use crate::notation::{MoveError, parse_move};
use crate::types::{CastlingMode, Color, Move};

/// Why a game cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The tag `Variant` names other rules.
    #[error("the variant '{0}' is not supported")]
    Variant(String),
    /// The tags `SetUp` and `FEN` contradict each other.
    #[error("the tag SetUp is {0}, but there is {no} tag FEN with another position", no = if *.0 == "1" { "no" } else { "a" })]
    SetUp(String),
    /// The tag `FEN` is wrong.
    #[error("the tag FEN: {0}")]
    Fen(#[from] FenError),
    /// The text is damaged.
    #[error(transparent)]
    Damage(#[from] Fault),
    /// A move of the main line is wrong.
    #[error("{number}{} {error}", if *.white { "." } else { "..." })]
    Move {
        /// What is wrong with it.
        error: MoveError,
        /// The number of the move.
        number: u16,
        /// Whether White is to move.
        white: bool,
        /// The line where it stands.
        line: u64,
    },
}

impl PgnGame {
    /// The rules of castling by the tag `Variant`, in the spellings of common programs.
    ///
    /// # Errors
    /// [`ReplayError::Variant`].
    pub fn castling_mode(&self) -> Result<CastlingMode, ReplayError> {
        let Some(variant) = self.tag("Variant") else { return Ok(CastlingMode::Standard) };
        let letters = variant.chars().filter(|letter| !matches!(letter, ' ' | '-' | '_'));
        match letters.collect::<String>().to_ascii_lowercase().as_str() {
            "standard" | "chess" | "normal" | "fromposition" => Ok(CastlingMode::Standard),
            "chess960"
            | "960"
            | "fischerandom"
            | "fischerrandom"
            | "fischerrandomchess"
            | "frc"
            | "freestyle"
            | "freestylechess"
            | "doublefischerandom"
            | "doublefischerrandom"
            | "dfrc" => Ok(CastlingMode::Chess960),
            _ => Err(ReplayError::Variant(variant.to_owned())),
        }
    }

    /// The position in which the game begins; its FEN must be without fault.
    ///
    /// # Errors
    /// When the game is of another variant, or its position wrong or not told.
    pub fn start(&self) -> Result<Position, ReplayError> {
        self.castling_mode()?;
        match self.fen()? {
            Some(fen) => Ok(fen.parse()?),
            None => Ok(Position::start()),
        }
    }

    /// The game before its first move, and what was put right in its FEN.
    ///
    /// # Errors
    /// When the game is of another variant, or its position impossible or not told.
    pub fn start_lenient(&self) -> Result<(Game, Vec<FenRepair>), ReplayError> {
        let mode = self.castling_mode()?;
        match self.fen()? {
            Some(fen) => Ok(Game::parse_lenient(fen, mode)?),
            None => Ok((Game::default(), Vec::new())),
        }
    }

    /// The tag `FEN`, if it agrees with the tag `SetUp`.
    fn fen(&self) -> Result<Option<&str>, ReplayError> {
        let fen = self.tag("FEN");
        let is_elsewhere = || fen.is_some_and(|fen| fen.parse() != Ok(Position::start()));
        match self.tag("SetUp") {
            Some("1") if fen.is_none() => Err(ReplayError::SetUp("1".to_owned())),
            Some("0") if is_elsewhere() => Err(ReplayError::SetUp("0".to_owned())),
            _ => Ok(fen),
        }
    }

    /// The moves of the main line, played from this position.
    ///
    /// # Errors
    /// When the text of the game is damaged or a move is illegal.
    pub fn replay(&self, start: &Position) -> Result<Vec<Move>, ReplayError> {
        if let Some(fault) = &self.damage {
            return Err(fault.clone().into());
        }
        let mut position = *start;
        let mut moves = Vec::with_capacity(self.moves.len());
        for written in &self.moves {
            let mv = parse_move(&position, &written.text).map_err(|error| ReplayError::Move {
                error,
                number: position.fullmove_number(),
                white: position.stm() == Color::White,
                line: written.line,
            })?;
            position.make(mv);
            moves.push(mv);
        }
        Ok(moves)
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::PgnReader;
    use super::*;

    fn game(text: &str) -> PgnGame {
        PgnReader::new(text.as_bytes()).next().unwrap().unwrap()
    }

    /// Number of moves, or what is wrong.
    fn played(text: &str) -> Result<usize, String> {
        let game = game(text);
        let start = game.start_lenient().map_err(|error| error.to_string())?.0;
        let moves = game.replay(start.position()).map_err(|error| error.to_string())?;
        assert!(game.start().is_err() || game.start() == Ok(*start.position()));
        Ok(moves.len())
    }

    #[test]
    fn the_variant_decides_whether_and_how_a_game_is_read() {
        let chess960 =
            "[FEN \"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\"]\n\n1. Nb4 Nd5 *";
        for variant in
            ["Chess960", "chess 960", "Fischerandom", "Fischer Random", "fischer-random", "Freestyle"]
        {
            assert_eq!(played(&format!("[Variant \"{variant}\"]\n{chess960}")), Ok(2), "{variant}");
        }
        for variant in ["Standard", "chess", "From Position", "?", ""] {
            assert_eq!(played(&format!("[Variant \"{variant}\"]\n\n1. e4 e5 2. Nf3 *")), Ok(3), "{variant}");
        }
        for variant in ["Antichess", "Atomic", "Crazyhouse"] {
            let refused = Err(format!("the variant '{variant}' is not supported"));
            assert_eq!(played(&format!("[Variant \"{variant}\"]\n\n1. e4 N@f3 rubbish *")), refused);
        }
    }

    #[test]
    fn position_and_tags_must_agree() {
        let fen = "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n";
        assert_eq!(played(&format!("[SetUp \"1\"]\n{fen}\n1. a8=Q+ *")), Ok(1));
        assert_eq!(played(&format!("{fen}[Setup \"1\"]\n\n1. a8=Q+ *")), Ok(1));
        assert!(played(&format!("[SetUp \"0\"]\n{fen}\n*")).unwrap_err().starts_with("the tag SetUp is 0"));
        assert!(played("[SetUp \"1\"]\n\n1. e4 *").unwrap_err().starts_with("the tag SetUp is 1"));
        assert_eq!(played("[SetUp \"0\"]\n\n1. e4 *"), Ok(1));
        assert!(played("[FEN \"8/8\"]\n\n1. e4 *").unwrap_err().starts_with("the tag FEN: "));
        // Strictly the right does not exist; leniently it is dropped and told.
        let doubtful = game("[FEN \"4k3/8/8/8/8/8/8/4K3 w K - 0 1\"]\n\n1. Kd2 *");
        assert!(matches!(doubtful.start(), Err(ReplayError::Fen(_))));
        let (start, repairs) = doubtful.start_lenient().unwrap();
        assert!(repairs.len() == 1 && doubtful.replay(start.position()).is_ok());
    }

    #[test]
    fn moves_are_san_or_coordinates() {
        assert_eq!(played("g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 O-O *"), Ok(8));
        let fen = "[FEN \"1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n";
        for promotion in
            ["a7a8q", "a7a8R", "a8Q", "a8=Q", "a8/Q", "a8(Q)", "a8n", "axb8=N", "axb8(Q)+", "a7xb8/Q+"]
        {
            assert_eq!(played(&format!("{fen}1. {promotion}! *")), Ok(1), "{promotion}");
        }
        assert_eq!(
            played(&format!("{fen}1. a7a8 *")),
            Err("1. move a7a8 does not say what the pawn becomes, e.g. a7a8q".into())
        );
        assert_eq!(played("1. e4 e5 2. Ke3 *"), Err("2. move Ke3 is illegal here".into()));
        assert_eq!(played("1. e4 Ke3 *"), Err("1... move Ke3 is illegal here".into()));
        assert_eq!(played("1. e4 -- *"), Err("1... '--' is not a move".into()));
        assert_eq!(played("1. e4 (1. Ke3 -- Z0 N) *"), Err("line 1: 'N' is not a move".into()));
        assert_eq!(played("1. e4 (1. Ke3 -- Z0) 0000 *"), Err("1... '0000' is not a move".into()));
    }
}
