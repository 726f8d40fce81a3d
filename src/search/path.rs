//! The line from the root to the present node: what each ply leaves for the plies below it, the keys that a
//! repetition needs, and the principal variations found so far. The only ways to move along it are
//! [`Path::enter`], [`Path::enter_null`] and [`Path::leave`].

use arrayvec::ArrayVec;

use super::history::{ContKey, ContKeys, HistoryKey};
use crate::board::{Game, Position, ReversibleMoves};
use crate::types::{Depth, MAX_PLY, Move, Score};

/// The record of one ply.
#[derive(Clone, Copy, Default)]
pub(super) struct PathEntry {
    /// The move being searched from here; `None` for a null move.
    pub(super) mv: Option<Move>,
    /// The same move for the continuation tables.
    pub(super) cont_key: ContKey,
    /// What the tables that do not depend on earlier moves ask of the position.
    pub(super) history_key: HistoryKey,
    /// Evaluation as computed; `None` in check.
    pub(super) raw_eval: Option<Score>,
    /// Corrected static evaluation; `None` in check.
    pub(super) static_eval: Option<Score>,
    /// The node is, or once was, on a principal variation.
    pub(super) tt_pv: bool,
    /// The move left out while it is tested whether it is singular.
    pub(super) excluded: Option<Move>,
    /// Plies by which the move being searched is reduced.
    pub(super) reduction: Depth,
    /// Number of the move being searched, counted from 1 in the order of the node; 0 for a null move and outside of
    /// the move loop.
    pub(super) number: usize,
    /// Beta cutoffs at this ply since the node two plies before it was entered.
    pub(super) cutoffs: u32,
    /// Double extensions on the line so far.
    pub(super) double_extensions: u32,
    /// [`Path::keys_floor`] before the null move that is being searched from here.
    floor_before_null: usize,
}

/// A line of moves.
pub(super) type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// Plies that histories look back, and so records before the root.
const BEFORE_ROOT: usize = 6;

/// The records of all plies, the keys and the principal variations of one thread.
pub(super) struct Path {
    /// Plies from the root to the present node.
    ply: usize,
    entries: Box<[PathEntry]>,
    /// Keys of the game's and the line's earlier positions, latest last.
    keys: Vec<u64>,
    /// Keys before this index lie behind a null move and cannot be repeated.
    keys_floor: usize,
    /// The best line found so far from each ply on (CPW: "Triangular PV-Table").
    pv: Box<[Line]>,
    reversible_moves: &'static ReversibleMoves,
}

impl Path {
    pub(super) fn new() -> Path {
        Path {
            ply: 0,
            entries: vec![PathEntry::default(); BEFORE_ROOT + MAX_PLY + 4].into_boxed_slice(),
            keys: Vec::with_capacity(1024),
            keys_floor: 0,
            pv: (0..MAX_PLY + 2).map(|_| Line::new()).collect(),
            reversible_moves: ReversibleMoves::get(),
        }
    }

    /// Goes back to the root of a search from this game.
    pub(super) fn reset(&mut self, game: &Game) {
        self.ply = 0;
        self.entries.fill(PathEntry::default());
        self.keys.clear();
        self.keys.extend_from_slice(game.earlier_keys());
        self.keys_floor = 0;
    }

    /// Plies from the root to the present node.
    #[inline(always)]
    pub(super) fn ply(&self) -> usize {
        self.ply
    }

    /// The record of the present node.
    #[inline(always)]
    pub(super) fn here(&self) -> &PathEntry {
        &self.entries[self.ply + BEFORE_ROOT]
    }

    #[inline(always)]
    pub(super) fn here_mut(&mut self) -> &mut PathEntry {
        &mut self.entries[self.ply + BEFORE_ROOT]
    }

    /// The record `back` plies before the present node, up to six, or seven below the root.
    #[inline(always)]
    pub(super) fn before(&self, back: usize) -> &PathEntry {
        &self.entries[self.ply + BEFORE_ROOT - back]
    }

    /// The record of the node before.
    #[inline(always)]
    pub(super) fn parent_mut(&mut self) -> &mut PathEntry {
        &mut self.entries[self.ply + BEFORE_ROOT - 1]
    }

    /// The moves from the root to the present node; `None` stands for a null move.
    pub(super) fn moves(&self) -> impl ExactSizeIterator<Item = Option<Move>> {
        self.entries[BEFORE_ROOT..][..self.ply].iter().map(|entry| entry.mv)
    }

    /// Makes the records below ready for the moves of a node.
    pub(super) fn prepare_children(&mut self) {
        let child = self.ply + BEFORE_ROOT + 1;
        if self.ply == 0 {
            self.entries[child].cutoffs = 0;
        }
        self.entries[child].excluded = None;
        self.entries[child + 1].cutoffs = 0;
    }

    /// The plies by which the move that led here was reduced, once: a node that is searched again at the same ply,
    /// as for a singular test, must not count them a second time.
    #[inline(always)]
    pub(super) fn take_reduction(&mut self) -> Depth {
        std::mem::take(&mut self.parent_mut().reduction)
    }

    /// The moves 1, 2, 4 and 6 plies before the present node.
    #[inline(always)]
    pub(super) fn cont_keys(&self) -> ContKeys {
        [1, 2, 4, 6].map(|back| self.before(back).cont_key)
    }

    /// The same as seen from the node before. Not for the root.
    #[inline(always)]
    pub(super) fn cont_keys_before_last(&self) -> ContKeys {
        debug_assert!(self.ply > 0);
        [2, 3, 5, 7].map(|back| self.before(back).cont_key)
    }

    /// The last two moves before the present node, latest first.
    #[inline(always)]
    pub(super) fn last_two(&self) -> [ContKey; 2] {
        [1, 2].map(|back| self.before(back).cont_key)
    }

    /// Steps to the position after a move that is extended by `extension` plies.
    pub(super) fn enter(&mut self, position: &Position, mv: Move, extension: Depth) {
        let doubles = self.before(1).double_extensions + u32::from(extension >= 2);
        let entry = self.here_mut();
        entry.mv = Some(mv);
        entry.cont_key = ContKey::of(position, mv);
        entry.double_extensions = doubles;
        entry.reduction = 0;
        entry.number = 0;
        self.keys.push(position.key());
        self.ply += 1;
    }

    /// Steps to the position after a null move. Positions before it cannot be repeated after it.
    pub(super) fn enter_null(&mut self, position: &Position) {
        let doubles = self.before(1).double_extensions;
        let floor = std::mem::replace(&mut self.keys_floor, self.keys.len() + 1);
        let entry = self.here_mut();
        entry.mv = None;
        entry.cont_key = ContKey::NONE;
        entry.double_extensions = doubles;
        entry.reduction = 0;
        entry.number = 0;
        entry.floor_before_null = floor;
        self.keys.push(position.key());
        self.ply += 1;
    }

    /// Goes back to the position before the last move.
    #[inline(always)]
    pub(super) fn leave(&mut self) {
        self.keys.pop();
        self.ply -= 1;
    }

    /// Goes back to the position before the null move.
    pub(super) fn leave_null(&mut self) {
        self.leave();
        self.keys_floor = self.here().floor_before_null;
    }

    /// Whether the line has reached the deepest ply that there is room for.
    #[inline(always)]
    pub(super) fn is_at_max_ply(&self) -> bool {
        self.ply >= MAX_PLY - 1
    }

    /// Whether the position, the present one, is drawn by rule here in the tree. A position that already occurred
    /// in the searched line counts at once, since what was best then is best now; one from the game before the
    /// root must occur for the third time.
    pub(super) fn is_draw(&self, position: &Position) -> bool {
        let fifty_moves = position.halfmove_clock() >= 100;
        if fifty_moves && (!position.in_check() || position.has_legal_move()) {
            return true;
        }
        position.is_dead() || self.is_repetition(position)
    }

    fn is_repetition(&self, position: &Position) -> bool {
        let key = position.key();
        let reach = usize::from(position.halfmove_clock()).min(self.keys.len() - self.keys_floor);
        let mut seen_in_game = false;
        for back in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - back] == key {
                if back < self.ply || seen_in_game {
                    return true;
                }
                seen_in_game = true;
            }
        }
        false
    }

    /// Whether the side to move can repeat a position of the searched line at once.
    #[inline(always)]
    pub(super) fn can_repeat(&self, position: &Position) -> bool {
        position.halfmove_clock() >= 3
            && self.reversible_moves.can_repeat(position, &self.keys[self.keys_floor..], self.ply)
    }

    /// Forgets the principal variation from here, as every node does at its start.
    #[inline(always)]
    pub(super) fn clear_pv(&mut self) {
        self.pv[self.ply].clear();
    }

    /// Makes the principal variation from here this move followed by that of the next ply.
    pub(super) fn extend_pv(&mut self, mv: Move) {
        let (upper, lower) = self.pv.split_at_mut(self.ply + 1);
        let (line, rest) = (&mut upper[self.ply], &lower[0]);
        line.clear();
        line.push(mv);
        line.extend(rest.iter().copied().take(MAX_PLY));
    }

    /// The principal variation from the next ply on.
    pub(super) fn child_pv(&self) -> &[Move] {
        &self.pv[self.ply + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples::{MIDDLEGAME, mv, position};

    /// Walks along moves, and null moves written as `0000`, from the root; returns the position reached.
    fn walk(path: &mut Path, root: &Position, moves: &str) -> Position {
        let mut position = *root;
        for text in moves.split_whitespace() {
            if text == "0000" {
                path.enter_null(&position);
                position.make_null();
            } else {
                let mv = mv(&position, text);
                path.enter(&position, mv, 0);
                position = position.after(mv);
            }
        }
        position
    }

    fn path_of(fen: &str, game: &str) -> (Path, Position) {
        let mut played = Game::new(position(fen));
        for text in game.split_whitespace() {
            let mv = mv(played.position(), text);
            played.play(mv);
        }
        let mut path = Path::new();
        path.reset(&played);
        (path, *played.position())
    }

    const TO_AND_FRO: &str = "f6g8 b1c3 g8f6 c3b1";

    #[test]
    fn a_repetition_counts_at_once_below_the_root_and_a_third_time_from_the_game() {
        let (mut path, root) = path_of(MIDDLEGAME, "");
        let here = walk(&mut path, &root, "f8e7 g1h1 e7f8");
        assert!(!path.is_draw(&here));
        // The root itself has stood only once in the game.
        let here = walk(&mut path, &here, "h1g1");
        assert_eq!(here.key(), root.key());
        assert!(!path.is_draw(&here));
        let here = walk(&mut path, &here, "f8e7");
        assert!(path.is_draw(&here), "that stood below the root");

        let (mut path, root) = path_of(MIDDLEGAME, TO_AND_FRO);
        let here = walk(&mut path, &root, TO_AND_FRO);
        assert!(path.is_draw(&here), "twice in the game, now once more");
    }

    #[test]
    fn nothing_is_repeated_across_a_null_move() {
        let (mut path, root) = path_of(MIDDLEGAME, "");
        let here = walk(&mut path, &root, "f8e7 0000 e7f8 g1h1 f8e7");
        assert!(!path.is_draw(&here));
        let here = walk(&mut path, &here, "h1g1");
        assert!(path.is_draw(&here) || here.key() != root.key());
        // Behind it the old positions count again.
        let (mut path, root) = path_of(MIDDLEGAME, "");
        let here = walk(&mut path, &root, "f8e7 g1h1");
        path.enter_null(&here);
        path.leave_null();
        let here = walk(&mut path, &here, "e7f8 h1g1 f8e7");
        assert!(path.is_draw(&here));
    }

    #[test]
    fn entering_and_leaving_keeps_the_books() {
        let (mut path, root) = path_of(MIDDLEGAME, "");
        let bishop = mv(&root, "f8e7");
        path.enter(&root, bishop, 2);
        assert_eq!((path.ply(), path.before(1).mv, path.before(1).double_extensions), (1, Some(bishop), 1));
        assert!(path.cont_keys()[0] == ContKey::of(&root, bishop) && path.cont_keys()[1] == ContKey::NONE);
        let child = root.after(bishop);
        let king = mv(&child, "g1h1");
        path.enter(&child, king, 1);
        assert_eq!((path.before(1).double_extensions, path.before(1).reduction), (1, 0));
        assert!(path.last_two() == [ContKey::of(&child, king), ContKey::of(&root, bishop)]);
        assert!(path.cont_keys_before_last()[0] == ContKey::of(&root, bishop));
        path.leave();
        path.enter_null(&child);
        assert!(path.before(1).mv.is_none() && path.last_two()[0] == ContKey::NONE);
        assert_eq!(path.before(1).double_extensions, 1);
        path.leave_null();
        path.leave();
        assert_eq!(path.ply(), 0);
    }

    #[test]
    fn principal_variations_grow_from_below() {
        let (mut path, root) = path_of(MIDDLEGAME, "");
        let bishop = mv(&root, "f8e7");
        path.clear_pv();
        path.enter(&root, bishop, 0);
        let child = root.after(bishop);
        let king = mv(&child, "g1h1");
        path.clear_pv();
        path.enter(&child, king, 0);
        path.clear_pv();
        path.leave();
        path.extend_pv(king);
        path.leave();
        assert_eq!(path.child_pv(), [king]);
        path.extend_pv(bishop);
        assert_eq!(path.pv[0].as_slice(), [bishop, king]);
    }

    #[test]
    fn fifty_moves_are_a_draw_but_for_mate() {
        let (path, root) = path_of("7k/8/8/8/8/8/8/R6K w - - 99 90", "");
        assert!(!path.is_draw(&root));
        let (mut path, root) = path_of("7k/8/6K1/8/8/8/8/R7 w - - 99 90", "");
        let mated = walk(&mut path, &root, "a1a8");
        assert!(!path.is_draw(&mated));
        path.leave();
        let other = walk(&mut path, &root, "a1a7");
        assert!(path.is_draw(&other));
    }
}
