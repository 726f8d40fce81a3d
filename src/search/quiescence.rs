//! Quiescence: captures are played out until the evaluation can be trusted.

use super::history::{QuietContext, victim_value};
use super::node::{Node, NodeKind, Window};
use super::params::Params;
use super::picker::MovePicker;
use super::thread::Thread;
use crate::board::Position;
use crate::eval::cannot_lose;
use crate::tt::{Bound, TtEntry};
use crate::types::{Move, Score};

/// What a capture can reach at most above the stand-pat score.
///
/// - Technique: [Delta pruning](https://www.chessprogramming.org/Delta_Pruning)
/// - Assumes: a capture raises the score by no more than what it takes and the margin
/// - Units: `qs_futility` internal units
/// - Elo: not measured alone; in the first search
#[inline(always)]
fn delta_ceiling(node: &Node, stand_pat: Score, mv: Move, p: &Params) -> Score {
    stand_pat + victim_value(node.position, mv) + p.qs_futility
}

/// Whether, no move having been found worth trying, there is none at all. Without a check it is asked
/// only of a king with pawns, since stalemates with pieces are too rare to pay for.
#[inline(always)]
fn has_no_move(node: &Node) -> bool {
    let position = node.position;
    node.in_check || !position.has_pieces(position.stm()) && !position.has_legal_move()
}

impl Thread<'_> {
    /// Searches captures and queen promotions, or all evasions in check. The side to move may stop at
    /// any time with the static evaluation ("stand pat"), except in check.
    ///
    /// - Technique: [Quiescence search](https://www.chessprogramming.org/Quiescence_Search)
    /// - Assumes: some quiet move keeps the static evaluation; captures that lose more than `qs_see` by
    ///   exchange are no good
    /// - Units: internal units; a stand-pat score above beta is returned half way to beta
    /// - Elo: not measured alone; in the first search
    /// - Technique: [Late captures in quiescence](https://www.chessprogramming.org/Quiescence_Search)
    /// - Assumes: after `qs_moves` captures that did not help only recaptures and promotions still might
    /// - Units: number of captures searched
    /// - Elo: +13.5 +- 18.2, 800 games, 5,000 nodes; +6.5 +- 17.6, 800 games, 10,000 nodes (2026-11-30)
    pub(super) fn quiescence<K: NodeKind>(&mut self, position: &Position, window: Window) -> Score {
        if !self.enter_node() {
            return Score::DRAW;
        }
        let mut node = Node::new(position, self.path.ply(), window, 0, false);
        if let Some(score) = self.draw_or_bound(&mut node) {
            return score;
        }
        node.tt_entry = self.tt.probe(position.key(), node.ply, position.halfmove_clock());
        if !K::PV
            && let Some(score) = node.tt_bound()
        {
            return score;
        }

        let mut alpha = node.alpha;
        let mut best_score = -Score::INFINITE;
        let mut best_move = None;
        let raw_eval = self.raw_eval(&node);
        let stand_pat = raw_eval.map(|raw| self.stand_pat(&node, raw));
        if let Some(score) = stand_pat {
            if score >= node.beta {
                return if score.is_decisive() { score } else { Score((score.0 + node.beta.0) / 2) };
            }
            best_score = score;
            alpha = alpha.max(score);
        }

        let p = self.params();
        node.tt_move = node.tt_entry.and_then(|entry| entry.mv);
        let (mut picker, context) = if node.in_check {
            (MovePicker::new(position, node.tt_move), QuietContext::new(position, self.cont_keys()))
        } else {
            (MovePicker::noisy(position, node.tt_move, p.qs_see), QuietContext::noisy_only(position))
        };
        // Any piece that a king alone takes may have been the one that could win.
        let is_alone = !position.colored(position.stm()).many();
        let last_to = self.path.before(1).mv.map(Move::to);
        let mut any = false;
        let mut searched = 0;
        while let Some(mv) = picker.next(position, p, self.histories, &context) {
            any = true;
            self.tt.prefetch(position.likely_key_after(mv));
            if !best_score.is_loss() {
                if let Some(stand_pat) = stand_pat
                    && !is_alone
                {
                    // When the best captures have not helped, only recaptures still might.
                    if searched >= p.qs_moves && Some(mv.to()) != last_to && mv.promotion().is_none() {
                        continue;
                    }
                    // Even winning the victim outright would not reach alpha.
                    let ceiling = delta_ceiling(&node, stand_pat, mv, p);
                    if ceiling <= alpha {
                        best_score = best_score.max(ceiling);
                        continue;
                    }
                } else if node.in_check && mv.is_quiet() {
                    // One safe evasion is known; quiet ones are no longer needed, unless the only thing that
                    // counts is to stay in a corner.
                    if !cannot_lose(position) {
                        picker.skip_quiets();
                        continue;
                    }
                } else if node.in_check && !position.see(mv, 0) {
                    continue;
                }
            }

            searched += 1;
            let child = self.enter_move(position, mv, 0);
            let score = -self.quiescence::<K>(&child, Window::new(alpha, node.beta).flipped());
            self.leave_move();
            if self.quota.is_stopped() {
                return Score::DRAW;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if K::PV {
                        self.path.extend_pv(mv);
                    }
                    if score >= node.beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if !any && has_no_move(&node) {
            return node.no_move_score();
        }

        let bound = match node.bound_of(best_score) {
            Bound::Exact if !K::PV => Bound::Upper,
            bound => bound,
        };
        let was_pv = node.tt_entry.is_some_and(|entry| entry.was_pv);
        let entry = TtEntry { mv: best_move, score: best_score, eval: raw_eval, depth: 0, bound, was_pv };
        self.tt.store(position.key(), node.ply, entry);
        best_score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::{NonPv, Pv};
    use crate::search::samples::{MIDDLEGAME, PAWN_ENDING, mv, node, position, with_thread};

    #[test]
    fn captures_reach_what_they_win_and_a_margin() {
        let position = position(MIDDLEGAME);
        let ceiling = |text, stand_pat| {
            delta_ceiling(&node(&position, 0), Score(stand_pat), mv(&position, text), &Params::DEFAULT)
        };
        assert!(ceiling("e5d4", 0) > ceiling("e5d4", -100));
        assert!(ceiling("e5d4", 0) - Score(0) > victim_value(&position, mv(&position, "e5d4")));
    }

    #[test]
    fn stalemate_is_looked_for_with_king_and_pawns_only() {
        let none = |fen: &str| has_no_move(&node(&position(fen), 0));
        assert!(none("k7/P7/K7/8/8/8/8/8 b - - 0 1") && !none(PAWN_ENDING));
        assert!(!none("k7/P7/K6n/8/8/8/8/8 b - - 0 1"), "the knight moves");
        assert!(none("k6R/8/K7/8/8/8/8/8 b - - 0 1"), "asked only when no evasion was found");
    }

    /// The quiescence score of a position, with a window of everything.
    fn score(fen: &str) -> (Score, Option<Move>) {
        with_thread(fen, |thread| {
            let position = *thread.game().position();
            let score = thread.quiescence::<Pv>(&position, Window::FULL);
            (score, thread.tt.probe(position.key(), 0, 0).and_then(|entry| entry.mv))
        })
    }

    #[test]
    fn hanging_men_are_taken_and_mates_seen() {
        let quiet = "4k3/8/8/3p4/8/8/4P3/R3K3 w - - 0 1";
        let hanging = "4k3/8/8/q7/8/8/4P3/R3K3 w - - 0 1";
        let (taken, best) = score(hanging);
        assert_eq!(best, Some(mv(&position(hanging), "a1a5")));
        assert!(taken > score(quiet).0 - 300 && !taken.is_decisive());
        assert_eq!(score("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").0, Score::mated_in(0));
        assert_eq!(score("k7/P7/K7/8/8/8/8/8 b - - 0 1").0, Score::DRAW);
    }

    #[test]
    fn a_good_position_needs_no_move() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            let beta = Score(-2000);
            let score = thread.quiescence::<NonPv>(&position, Window::below(beta));
            assert!(score >= beta && thread.quota.nodes() == 1);
        });
    }
}
