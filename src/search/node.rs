//! The node of the main search: principal variation search in fail-soft negamax form
//! (CPW: "Principal Variation Search", "Fail-Soft").

use super::history;
use super::iterative::VERBOSE_AFTER;
use super::params::*;
use super::picker::MovePicker;
use super::report::{ScoreBound, SearchEvent};
use super::searcher::{SearchJob, Searcher};
use super::stack::TriedMoves;
use crate::board::Position;
use crate::eval::evaluate;
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

/// What the pruning rules of a node look at.
#[derive(Clone, Copy)]
struct NodeFacts {
    depth: Depth,
    ply: usize,
    alpha: Score,
    beta: Score,
    in_check: bool,
    /// Minus infinity in check.
    static_eval: Score,
    /// The evaluation is better than two plies ago.
    improving: bool,
    cut_node: bool,
}

/// The best so far in a move loop.
struct Best {
    score: Score,
    mv: Option<Move>,
}

impl Searcher {
    /// Searches a position to `depth` and returns its score: exact inside the window, else a bound.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn node<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        mut alpha: Score,
        mut beta: Score,
        depth: Depth,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        // 1. Below the horizon only captures count.
        if depth <= 0 {
            return self.quiescence::<K>(job, position, alpha, beta, ply);
        }
        self.pv.clear(ply);
        self.enter_node(job, ply);
        if self.stopped {
            return Score::DRAW;
        }

        // 2. Draws by rule, and scores that no mate from here can change (CPW: "Mate Distance Pruning").
        if !K::ROOT {
            if self.is_draw(position, ply) {
                return Score::DRAW;
            }
            if Searcher::at_max_ply(ply) {
                return if position.in_check() { Score::DRAW } else { evaluate(position) };
            }
            alpha = alpha.max(Score::mated_in(ply));
            beta = beta.min(Score::mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // 3. What the table knows.
        let known = job.tt.probe(position.key(), ply);
        if let Some(entry) = known
            && !K::PV
            && entry.depth >= depth
            && Self::table_cutoff(position, &entry, alpha, beta)
        {
            return entry.score;
        }
        let tt_move =
            if K::ROOT { Some(self.root_moves[self.line].mv) } else { known.and_then(|entry| entry.mv) };

        // 4. Static evaluation.
        let in_check = position.in_check();
        let raw_eval =
            (!in_check).then(|| known.and_then(|entry| entry.eval).unwrap_or_else(|| evaluate(position)));
        self.stack[ply].static_eval = raw_eval;
        self.stack[ply + 2].killers = [None; 2];
        let facts = NodeFacts {
            depth,
            ply,
            alpha,
            beta,
            in_check,
            static_eval: raw_eval.unwrap_or(-Score::INFINITE),
            improving: self.is_improving(ply),
            cut_node,
        };

        // 5. Cut-offs without looking at moves.
        if !K::PV && !in_check {
            if let Some(score) = reverse_futility(&facts) {
                return score;
            }
            if let Some(score) = self.null_move(job, position, &facts) {
                return score;
            }
        }

        // 6. The moves.
        let mut best = Best { score: -Score::INFINITE, mv: None };
        let mut tried_quiets = TriedMoves::new();
        let mut picker = MovePicker::new(position, tt_move, self.refutations(ply));
        let old_alpha = alpha;
        let mut number = 0;
        while let Some(mv) = picker.next(position, &self.histories) {
            if K::ROOT && !self.root_moves[self.line..].iter().any(|root| root.mv == mv) {
                continue;
            }
            number += 1;
            if K::ROOT {
                self.announce_move(job, depth, mv, number);
            }
            // 7. Moves not worth searching at low depth.
            if !K::ROOT && !best.score.is_loss() && self.is_pruned(position, &facts, mv, number, &mut picker)
            {
                continue;
            }

            let nodes_before = self.nodes;
            let child = position.after(mv);
            job.tt.prefetch(child.key());
            self.stack[ply].mv = Some(mv);
            self.stack[ply].piece = position.piece_on(mv.from());
            self.keys.push(position.key());

            // 8. Checks are looked at one ply deeper (CPW: "Check Extensions").
            let extension = Depth::from(child.in_check() && position.see(mv, 0));
            let new_depth = depth - 1 + extension;
            let score = self.search_move::<K>(job, position, &child, &facts, mv, number, new_depth, alpha);
            self.keys.pop();
            if self.stopped {
                return Score::DRAW;
            }
            if K::ROOT {
                self.record_root_move(mv, score, number, alpha, beta, self.nodes - nodes_before);
            }

            // 9. Is it better?
            if score > best.score {
                best.score = score;
                if score > alpha {
                    best.mv = Some(mv);
                    if K::PV {
                        self.pv.extend(ply, mv);
                    }
                    if score >= beta {
                        self.learn_from_cutoff(position, &facts, mv, &tried_quiets);
                        break;
                    }
                    alpha = score;
                }
            }
            if mv.is_quiet() && !tried_quiets.is_full() {
                tried_quiets.push(mv);
            }
        }

        // 10. No legal move: mate or stalemate.
        if number == 0 {
            return Searcher::no_move_score(in_check, ply);
        }

        // 11. Remember.
        let bound = match best.score {
            score if score >= beta => Bound::Lower,
            score if score > old_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        if !(K::ROOT && self.line > 0) {
            let entry = TtEntry {
                mv: best.mv,
                score: best.score,
                eval: raw_eval,
                depth,
                bound,
                was_pv: K::PV || known.is_some_and(|entry| entry.was_pv),
            };
            job.tt.store(position.key(), ply, entry);
        }
        best.score
    }

    /// Whether a table score decides the window. Near the fifty-move limit it may not: it was found
    /// with another count.
    #[inline(always)]
    pub(super) fn table_cutoff(position: &Position, entry: &TtEntry, alpha: Score, beta: Score) -> bool {
        position.halfmove_clock() < TT_MAX_HALFMOVE_CLOCK
            && (entry.bound.is_lower() && entry.score >= beta
                || entry.bound.is_upper() && entry.score <= alpha)
    }

    #[inline(always)]
    fn is_improving(&self, ply: usize) -> bool {
        let before = ply.checked_sub(2).and_then(|ply| self.stack[ply].static_eval);
        match (self.stack[ply].static_eval, before) {
            (Some(now), Some(before)) => now > before,
            (now, _) => now.is_some(),
        }
    }

    /// Killers of this ply and the move that once answered the opponent's last move.
    #[inline(always)]
    fn refutations(&self, ply: usize) -> [Option<Move>; 3] {
        let [first, second] = self.stack[ply].killers;
        let counter = ply.checked_sub(1).and_then(|ply| {
            let last = &self.stack[ply];
            self.histories.counter(last.piece?, last.mv?.to())
        });
        [first, second, counter]
    }

    /// If passing the turn still fails high, a real move surely would (CPW: "Null Move Pruning"). Not
    /// with king and pawns only, where zugzwang is common, nor twice in a row.
    #[inline(always)]
    fn null_move(&mut self, job: &SearchJob, position: &Position, facts: &NodeFacts) -> Option<Score> {
        let (ply, beta) = (facts.ply, facts.beta);
        let allowed = facts.depth >= NMP_MIN_DEPTH
            && facts.static_eval >= beta
            && !beta.is_loss()
            && position.has_pieces(position.stm())
            && ply > 0
            && self.stack[ply - 1].mv.is_some();
        if !allowed {
            return None;
        }
        let margin = ((facts.static_eval - beta) / NMP_EVAL_DIVISOR).min(3);
        let reduction = NMP_BASE + facts.depth / NMP_DEPTH_DIVISOR + margin;
        let mut child = *position;
        child.make_null();
        job.tt.prefetch(child.key());
        self.stack[ply].mv = None;
        self.stack[ply].piece = None;
        self.keys.push(position.key());
        let floor = std::mem::replace(&mut self.keys_floor, self.keys.len());
        let depth = facts.depth - reduction;
        let score = -self.node::<NonPv>(job, &child, -beta, -beta + 1, depth, ply + 1, !facts.cut_node);
        self.keys_floor = floor;
        self.keys.pop();
        if self.stopped {
            return Some(Score::DRAW);
        }
        // A mate found after passing is not proven.
        (score >= beta).then_some(if score.is_win() { beta } else { score })
    }

    /// Whether a move is left out: late quiet moves, quiet moves that cannot lift a low evaluation, and
    /// moves that lose material (CPW: "Late Move Pruning", "Futility Pruning", "SEE Pruning").
    #[inline(always)]
    fn is_pruned(
        &self,
        position: &Position,
        facts: &NodeFacts,
        mv: Move,
        number: usize,
        picker: &mut MovePicker,
    ) -> bool {
        let depth = facts.depth;
        if !position.has_pieces(position.stm()) {
            return false;
        }
        if mv.is_quiet() {
            let limit = (LMP_BASE + depth * depth) / if facts.improving { 1 } else { 2 };
            if depth <= LMP_MAX_DEPTH && number as i32 > limit {
                picker.skip_quiets();
                return true;
            }
            let ceiling = facts.static_eval + FUTILITY_BASE + FUTILITY_MARGIN * depth;
            if !facts.in_check && depth <= FUTILITY_MAX_DEPTH && ceiling <= facts.alpha {
                picker.skip_quiets();
                return true;
            }
        }
        let margin = if mv.is_quiet() { SEE_QUIET_MARGIN * depth } else { SEE_NOISY_MARGIN * depth * depth };
        depth <= SEE_MAX_DEPTH && !position.see(mv, -margin)
    }

    /// Searches one move: the first with the full window, the others with a null window, late ones at
    /// reduced depth, and again wherever they turn out better than thought.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    fn search_move<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        child: &Position,
        facts: &NodeFacts,
        mv: Move,
        number: usize,
        new_depth: Depth,
        alpha: Score,
    ) -> Score {
        let ply = facts.ply + 1;
        let beta = facts.beta;
        if number == 1 {
            return if K::PV {
                -self.node::<Pv>(job, child, -beta, -alpha, new_depth, ply, false)
            } else {
                -self.node::<NonPv>(job, child, -beta, -alpha, new_depth, ply, !facts.cut_node)
            };
        }
        let reduction = self.reduction::<K>(position, child, facts, mv, number);
        let reduced = (new_depth - reduction).clamp(1.min(new_depth), new_depth);
        let mut score = -self.node::<NonPv>(job, child, -alpha - 1, -alpha, reduced, ply, true);
        if score > alpha && reduced < new_depth && !self.stopped {
            score = -self.node::<NonPv>(job, child, -alpha - 1, -alpha, new_depth, ply, !facts.cut_node);
        }
        if K::PV && score > alpha && !self.stopped {
            score = -self.node::<Pv>(job, child, -beta, -alpha, new_depth, ply, false);
        }
        score
    }

    /// Plies to search a late move less deeply (CPW: "Late Move Reductions").
    #[inline(always)]
    fn reduction<K: NodeKind>(
        &self,
        position: &Position,
        child: &Position,
        facts: &NodeFacts,
        mv: Move,
        number: usize,
    ) -> Depth {
        if facts.depth < LMR_MIN_DEPTH || number < 2 + 2 * usize::from(K::ROOT) || mv.is_noisy() {
            return 0;
        }
        let mut plies = self.reductions.plies(facts.depth, number);
        plies -= Depth::from(K::PV);
        plies += Depth::from(facts.cut_node);
        plies += Depth::from(!facts.improving);
        plies -= Depth::from(child.in_check());
        plies -= self.histories.quiet(position.stm(), mv) / LMR_HISTORY_DIVISOR;
        plies.max(0)
    }

    /// Rewards the quiet move that cut off and blames the quiet moves tried before it.
    fn learn_from_cutoff(&mut self, position: &Position, facts: &NodeFacts, mv: Move, tried_quiets: &[Move]) {
        if mv.is_noisy() {
            return;
        }
        let (color, ply) = (position.stm(), facts.ply);
        let bonus = history::bonus(facts.depth);
        self.histories.update_quiet(color, mv, bonus);
        for &tried in tried_quiets {
            self.histories.update_quiet(color, tried, -bonus);
        }
        let killers = &mut self.stack[ply].killers;
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        if let Some(last) = ply.checked_sub(1).map(|ply| self.stack[ply])
            && let (Some(piece), Some(last)) = (last.piece, last.mv)
        {
            self.histories.set_counter(piece, last.to(), mv);
        }
    }

    /// Tells which root move is being searched, in long searches only.
    fn announce_move(&self, job: &SearchJob, depth: Depth, mv: Move, number: usize) {
        if self.index == 0 && self.nodes > 1_000_000 && job.control.started().elapsed() > VERBOSE_AFTER {
            (job.sink)(SearchEvent::CurrentMove { depth, mv, number: number + self.line });
        }
    }

    /// Writes a root move's result down. A move that does not improve on the best keeps no score.
    fn record_root_move(
        &mut self,
        mv: Move,
        score: Score,
        number: usize,
        alpha: Score,
        beta: Score,
        nodes: u64,
    ) {
        let seldepth = self.seldepth;
        let line = self.pv.line(1);
        let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        if number > 1 && score <= alpha {
            root.score = -Score::INFINITE;
            return;
        }
        root.score = score;
        root.seldepth = seldepth;
        root.bound = match score {
            score if score <= alpha => ScoreBound::Upper,
            score if score >= beta => ScoreBound::Lower,
            _ => ScoreBound::Exact,
        };
        // A fail-low line holds no information; the line of the last iteration stays.
        if score > alpha {
            root.pv.truncate(1);
            root.pv.extend(line.iter().copied().take(root.pv.remaining_capacity()));
        }
    }
}

/// An evaluation far above beta fails high without search (CPW: "Reverse Futility Pruning").
#[inline(always)]
fn reverse_futility(facts: &NodeFacts) -> Option<Score> {
    let margin = RFP_MARGIN * (facts.depth - Depth::from(facts.improving));
    let applies = facts.depth <= RFP_MAX_DEPTH
        && facts.static_eval - margin >= facts.beta
        && !facts.beta.is_loss()
        && !facts.static_eval.is_win();
    applies.then_some(facts.static_eval)
}
