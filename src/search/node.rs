//! The node of the main search: principal variation search in fail-soft negamax form
//! (CPW: "Principal Variation Search", "Fail-Soft").
//!
//! [`Searcher::node`] is a page of contents; the techniques stand in `pruning`, `extensions`,
//! `reductions` and `learning`, what is known of a node in `facts`, what only the root does in `root`.

use super::facts::NodeFacts;
use super::history::QuietContext;
use super::picker::MovePicker;
use super::searcher::{SearchJob, Searcher, cont_key};
use super::stack::TriedMoves;
use crate::board::Position;
use crate::tt::{Bound, TtEntry};
use crate::types::{Depth, Move, Score};

/// What is known of a node at compile time.
pub(super) trait NodeKind {
    /// The node has an open window.
    const PV: bool;
    /// The node is the root.
    const ROOT: bool;
}

/// The root of the tree.
pub(super) struct Root;
/// A node of the principal variation.
pub(super) struct Pv;
/// A node searched with a null window.
pub(super) struct NonPv;

impl NodeKind for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeKind for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeKind for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// What a search is asked of a position.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

impl Window {
    pub(super) fn new(alpha: Score, beta: Score) -> Window {
        Window { alpha, beta }
    }

    /// The empty window just below `beta`.
    pub(super) fn below(beta: Score) -> Window {
        Window { alpha: beta - 1, beta }
    }

    /// The same window as the opponent sees it.
    #[inline(always)]
    pub(super) fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// The best so far in a move loop.
pub(super) struct Best {
    pub(super) score: Score,
    pub(super) mv: Option<Move>,
}

/// A move of the loop, and what the moves before it have reached.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// Its place in the order, from 1.
    pub(super) number: usize,
    pub(super) alpha: Score,
    pub(super) best_score: Score,
    /// Depth of its search before reductions.
    pub(super) new_depth: Depth,
}

/// Moves searched without success.
#[derive(Default)]
pub(super) struct Tried {
    pub(super) quiet: TriedMoves,
    pub(super) noisy: TriedMoves,
}

impl Tried {
    #[inline(always)]
    fn add(&mut self, mv: Move) {
        let list = if mv.is_quiet() { &mut self.quiet } else { &mut self.noisy };
        // The first dozens carry the lesson; later ones may be dropped.
        let _ = list.try_push(mv);
    }
}

impl Searcher {
    /// Searches a position to `depth` and returns its score: exact inside the window, else a bound.
    pub(super) fn node<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        // 1. Below the horizon only captures count.
        if depth <= 0 {
            return self.quiescence::<K>(job, position, window, ply);
        }
        self.pv.clear(ply);
        self.enter_node(job, ply);
        if self.stopped {
            return Score::DRAW;
        }

        // 2. Draws by rule, and scores that nothing below here can change.
        let Window { mut alpha, mut beta } = window;
        if !K::ROOT
            && let Some(score) = self.decided(position, ply, &mut alpha, &mut beta)
        {
            return score;
        }

        // 3. What the table knows.
        let excluded = self.stack[ply].excluded;
        let known = if excluded.is_some() {
            None
        } else {
            job.tt.probe(position.key(), ply, position.halfmove_clock())
        };
        if !K::PV
            && let Some(entry) = known
            && self.table_decides(position, &entry, Window::new(alpha, beta), depth, ply, cut_node)
        {
            return entry.score;
        }

        // 4. What the endgame tables know.
        let proven = match self.proven::<K>(job, position, known, Window::new(alpha, beta), depth, ply) {
            Ok(proven) => proven,
            Err(score) => return score,
        };
        alpha = alpha.max(proven.alpha);

        // 5. Static evaluation.
        let window = Window::new(alpha, beta);
        self.note_evaluation::<K>(job, position, known, ply);
        let mut facts = self.gather_facts::<K>(position, window, depth, ply, cut_node, known);
        self.use_facts::<K>(&mut facts);

        // 6. Cut-offs without a full look at the moves.
        if !K::PV
            && excluded.is_none()
            && !facts.in_check
            && let Some(score) = self.prune_node(job, position, &facts)
        {
            return score;
        }

        // 7. Without a table move the first move is a guess: look less deep (CPW: "Internal Iterative
        // Reductions").
        if (K::PV || cut_node)
            && facts.depth >= self.params().iir_depth
            && facts.tt_move.is_none()
            && excluded.is_none()
        {
            facts.depth -= 1;
        }

        // 8. The moves.
        let context = QuietContext::new(position, self.stack.cont_keys(ply));
        self.stack[ply].place = context.place;
        let mut picker = MovePicker::new(position, facts.tt_move);
        let mut best = Best { score: proven.alpha, mv: None };
        let mut tried = Tried::default();
        let mut number = 0;
        while let Some(mv) = picker.next(position, &self.params(), &self.histories, &context) {
            if Some(mv) == excluded || K::ROOT && !self.is_root_move(mv) {
                continue;
            }
            number += 1;
            // Whether the move is worth a search is worked out while its entry comes.
            job.tt.prefetch(position.likely_key_after(mv));
            if K::ROOT {
                self.announce_move(job, facts.depth, mv, number);
            }
            let new_depth = facts.depth - 1;
            let mut candidate = Candidate { mv, number, alpha, best_score: best.score, new_depth };
            // 9. Moves not worth searching at low depth.
            if !K::ROOT
                && !best.score.is_loss()
                && self.prune_move(position, &facts, &context, candidate, &mut picker)
            {
                continue;
            }
            // 10. Is this the only good move?
            let mut extension = 0;
            if !K::ROOT && excluded.is_none() && Some(mv) == facts.tt_move {
                match self.singular::<K>(job, position, &facts, mv) {
                    Ok(plies) => extension = plies,
                    Err(score) => return score,
                }
                if self.stopped {
                    return Score::DRAW;
                }
            }

            // 11. Make the move and search it.
            let nodes_before = self.nodes;
            let child = self.enter_move(position, ply, mv, extension);
            candidate.new_depth += extension;
            let score = self.search_move::<K>(job, position, &child, &facts, &context, candidate);
            self.leave_move();
            if self.stopped {
                return Score::DRAW;
            }
            if K::ROOT {
                self.record_root_move(job, candidate, score, beta, self.nodes - nodes_before);
            }

            // 12. Is it better?
            if score > best.score {
                best.score = score;
                if score > alpha {
                    best.mv = Some(mv);
                    if K::PV {
                        self.pv.extend(ply, mv);
                    }
                    if score >= beta {
                        self.stack[ply].cutoffs += 1;
                        break;
                    }
                    alpha = score;
                }
            }
            tried.add(mv);
        }

        // 13. No legal move: mate or stalemate, or the excluded move was the only one.
        if number == 0 {
            return excluded.map_or(Searcher::no_move_score(facts.in_check, ply), |_| window.alpha);
        }
        if K::PV {
            best.score = best.score.min(proven.beta);
        }

        // 14. Learn and remember.
        self.learn(position, &facts, &context, &best, &tried);
        if excluded.is_none() && !(K::ROOT && self.line > 0) {
            self.remember(job, position, &facts, &best);
        }
        best.score
    }

    /// Draws by rule, the deepest ply, and windows that no result can touch: an upcoming repetition
    /// makes a draw the least, and no mate is nearer than here (CPW: "Mate Distance Pruning").
    #[inline(always)]
    pub(super) fn decided(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: &mut Score,
        beta: &mut Score,
    ) -> Option<Score> {
        if self.is_draw(position, ply) {
            return Some(Score::DRAW);
        }
        if Searcher::at_max_ply(ply) {
            return Some(if position.in_check() { Score::DRAW } else { self.evaluator.evaluate(position) });
        }
        if *alpha < Score::DRAW && self.can_repeat(position, ply) {
            *alpha = Score::DRAW;
        }
        *alpha = (*alpha).max(Score::mated_in(ply));
        *beta = (*beta).min(Score::mate_in(ply + 1));
        (*alpha >= *beta).then_some(*alpha)
    }

    /// Makes a move that is to be searched and writes it down. [`Searcher::leave_move`] goes back.
    #[inline(always)]
    pub(super) fn enter_move(
        &mut self,
        position: &Position,
        ply: usize,
        mv: Move,
        extension: Depth,
    ) -> Position {
        let mut child = *position;
        let delta = child.make(mv);
        self.evaluator.push(delta);
        let doubles = self.stack.before(ply, 1).double_extensions + u32::from(extension >= 2);
        let entry = &mut self.stack[ply];
        entry.mv = Some(mv);
        entry.key = cont_key(position, mv);
        entry.double_extensions = doubles;
        entry.reduction = 0;
        self.keys.push(position.key());
        child
    }

    /// Goes back to the position before the last move.
    #[inline(always)]
    pub(super) fn leave_move(&mut self) {
        self.evaluator.pop();
        self.keys.pop();
    }

    /// Searches one move: the first with the full window, the others with a null window, late ones at
    /// reduced depth, and again wherever they turn out better than thought.
    #[inline(always)]
    fn search_move<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        child: &Position,
        facts: &NodeFacts,
        context: &QuietContext,
        candidate: Candidate,
    ) -> Score {
        let Candidate { mv, number, alpha, best_score, mut new_depth } = candidate;
        let (ply, beta) = (facts.ply + 1, facts.window.beta);
        let null = Window::below(-alpha);
        let mut score = alpha + 1;
        if facts.depth >= 2 && number > 1 + usize::from(K::ROOT) {
            let plies = self.reduction(position, child, facts, context, mv, number);
            let reduced = (new_depth - plies).clamp(1.min(new_depth), new_depth + Depth::from(K::PV));
            self.stack[facts.ply].reduction = new_depth - reduced;
            score = -self.node::<NonPv>(job, child, null, reduced, ply, true);
            self.stack[facts.ply].reduction = 0;
            if score > alpha && reduced < new_depth && !self.stopped {
                let p = self.params();
                new_depth += Depth::from(score > best_score + p.deeper_margin);
                new_depth -= Depth::from(score < best_score + p.shallower_margin);
                if reduced < new_depth {
                    score = -self.node::<NonPv>(job, child, null, new_depth, ply, !facts.cut_node);
                }
                if mv.is_quiet() {
                    let bonus = if score > alpha { self.bonus(new_depth) } else { -self.malus(new_depth) };
                    let key = self.stack[facts.ply].key;
                    let bonus = bonus * p.research_bonus / 1024;
                    self.histories.continuation.update_all(&context.before, key, bonus);
                }
            }
        } else if !K::PV || number > 1 {
            score = -self.node::<NonPv>(job, child, null, new_depth, ply, !facts.cut_node);
        }
        if K::PV && (number == 1 || score > alpha) && !self.stopped {
            score = -self.node::<Pv>(job, child, Window::new(-beta, -alpha), new_depth, ply, false);
        }
        score
    }

    /// Stores the node's result.
    #[inline(always)]
    fn remember(&self, job: &SearchJob, position: &Position, facts: &NodeFacts, best: &Best) {
        let eval = self.stack[facts.ply].raw_eval;
        let bound = match best.score {
            score if score >= facts.window.beta => Bound::Lower,
            score if score > facts.window.alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let (mv, score, depth, was_pv) = (best.mv, best.score, facts.depth, facts.tt_pv);
        let entry = TtEntry { mv, score, eval, depth, bound, was_pv };
        job.tt.store(position.key(), facts.ply, entry);
    }
}
