//! Giving up early: on whole nodes, and on single moves. Each technique has a function that decides, from the node
//! alone, and, where that takes a search, a method of the thread that carries it out.

use super::history::{QuietContext, victim_value};
use super::node::{Candidate, Node, NonPv, Window};
use super::params::{PLY, Params};
use super::picker::MovePicker;
use super::thread::Thread;
use crate::tt::{Bound, TtEntry};
use crate::types::{Depth, Move, Score};

/// Whether a quiescence search takes the place of the search.
///
/// - Technique: [Razoring](https://www.chessprogramming.org/Razoring)
/// - Assumes: an evaluation far below alpha is only raised by captures
/// - Units: `razor_base` internal units below alpha, `razor_depth` more per squared ply
/// - Elo: not measured alone; in bundle A
#[inline(always)]
fn razoring_applies(node: &Node, p: &Params) -> bool {
    let margin = p.razor_base + p.razor_depth * node.depth * node.depth;
    p.razoring != 0 && !node.alpha.is_decisive() && node.eval + margin < node.alpha
}

/// The score of a node that fails high without a search. Not where a principal variation once was.
///
/// - Technique: [Reverse futility pruning](https://www.chessprogramming.org/Reverse_Futility_Pruning)
/// - Assumes: no quiet reply lowers an evaluation that is far above beta by more than the margin
/// - Units: `rfp_margin` internal units per ply, less when improving or the opponent worsens, `rfp_least` at
///   least; the score is a third evaluation, two thirds beta
/// - Elo: not measured alone; in the first search. The opponent worsening, with improving at beta: +12.6 +-
///   17.8, 800 games, 10,000 nodes (2026-11-30)
fn reverse_futility(node: &Node, p: &Params) -> Option<Score> {
    let beta = node.beta;
    let margin = p.rfp_margin * node.depth
        - p.rfp_improving * i32::from(node.improving)
        - p.rfp_worsening * i32::from(node.opponent_worsening);
    let applies = p.rfp != 0
        && node.depth <= p.rfp_depth
        && !node.tt_pv
        && node.eval - margin.max(p.rfp_least) >= beta
        && !beta.is_loss()
        && !node.eval.is_win();
    applies.then(|| Score((node.eval.0 + 2 * beta.0) / 3))
}

/// Depth of the search after a null move, which may be below 1; `None` where passing is no test: with king and pawns
/// only, where zugzwang is common, and where the evaluation gives little hope.
///
/// - Technique: [Null move pruning](https://www.chessprogramming.org/Null_Move_Pruning)
/// - Assumes: a real move is better than passing, so a pass that fails high is proof enough
/// - Units: reduction `nmp_base` and `nmp_per_ply` in 1024ths of a ply, one ply per `nmp_eval` internal units
///   above beta, three at most
/// - Elo: switched off -6.1 +- 10.6, 2,000 games, 20,000 nodes (2026-12-03). At cut nodes only: -5.2, 800
///   games, 5,000 nodes (2026-11-30, not taken)
fn null_move_depth(node: &Node, p: &Params) -> Option<Depth> {
    let depth = node.depth;
    let allowed = p.null_move != 0
        && node.eval >= node.beta
        && node.static_eval + p.nmp_depth * depth >= node.beta + p.nmp_margin
        && depth >= p.nmp_least_depth
        && !node.beta.is_decisive()
        && node.position.has_pieces(node.position.stm());
    let surplus = ((node.eval - node.beta) / p.nmp_eval).min(3);
    allowed.then(|| depth - (p.nmp_base + p.nmp_per_ply * depth) / 1024 - surplus)
}

/// The score that a capture has to reach in a reduced search to prove a cutoff; `None` where it is not tried or the
/// transposition table has refuted it.
///
/// - Technique: [ProbCut](https://www.chessprogramming.org/ProbCut)
/// - Assumes: a capture that beats beta by a margin four plies less deep beats beta
/// - Units: `probcut_margin` internal units above beta, less when improving
/// - Elo: not measured alone; in bundle A
fn probcut_beta(node: &Node, p: &Params) -> Option<Score> {
    let beta = node.beta + p.probcut_margin - p.probcut_improving * i32::from(node.improving);
    let refuted = node.tt_entry.is_some_and(|entry| entry.depth >= node.depth - 3 && entry.score < beta);
    let applies = p.probcut != 0
        && node.depth >= p.probcut_depth
        && !node.beta.is_decisive()
        && !refuted
        && !beta.is_win();
    applies.then_some(beta)
}

/// The number of the move from which on no further quiet moves are taken.
///
/// - Technique: [Late move pruning](https://www.chessprogramming.org/Futility_Pruning)
/// - Assumes: quiet moves that are sorted late do not raise alpha at low depth
/// - Units: moves: `lmp_base` and one per squared ply, half of it when not improving
/// - Elo: not measured alone; in the first search
#[inline(always)]
pub(super) fn late_move_limit(node: &Node, p: &Params) -> usize {
    if p.lmp == 0 {
        return usize::MAX;
    }
    ((p.lmp_base + node.depth * node.depth) / (2 - i32::from(node.improving))).max(0) as usize
}

/// What the score of a quiet move can reach at most; `None` where that is not asked.
///
/// - Technique: [Futility pruning](https://www.chessprogramming.org/Futility_Pruning)
/// - Assumes: a quiet move raises the evaluation by no more than the margin
/// - Units: `futility_base` internal units, `futility_depth` more per ply of depth after reduction
/// - Elo: not measured alone; in the first search
#[inline(always)]
fn quiet_ceiling(node: &Node, lmr_depth: Depth, p: &Params) -> Option<Score> {
    (p.futility != 0 && !node.in_check && lmr_depth < p.futility_max)
        .then(|| node.static_eval + p.futility_base + p.futility_depth * lmr_depth)
}

/// The same for a noisy move that wins `victim` internal units and has this capture history.
///
/// - Technique: [Futility pruning of captures](https://www.chessprogramming.org/Futility_Pruning)
/// - Assumes: a capture raises the evaluation by no more than what it takes and the margin
/// - Units: `noisy_futility_base` internal units, `noisy_futility_depth` more per ply of depth after
///   reduction, one more per `noisy_futility_history` of history
/// - Elo: not measured alone; in bundle B
fn noisy_ceiling(node: &Node, lmr_depth: Depth, victim: i32, history: i32, p: &Params) -> Option<Score> {
    (p.noisy_futility != 0 && !node.in_check && lmr_depth < p.noisy_futility_max).then(|| {
        node.static_eval
            + p.noisy_futility_base
            + p.noisy_futility_depth * lmr_depth
            + victim
            + history / p.noisy_futility_history
    })
}

/// Whether a quiet move has failed so often that it is left out.
///
/// - Technique: [History pruning](https://www.chessprogramming.org/History_Leaf_Pruning)
/// - Assumes: a quiet move that failed in other nodes fails here
/// - Units: history score below `-history_prune` per ply of depth
/// - Elo: not measured alone; in bundle A
#[inline(always)]
fn history_prunes(node: &Node, history: i32, p: &Params) -> bool {
    p.history_pruning != 0 && history < -p.history_prune * node.depth
}

/// Whether a move loses no more than `margin` internal units by exchange, so that it is searched.
///
/// - Technique: [SEE pruning](https://www.chessprogramming.org/Static_Exchange_Evaluation)
/// - Assumes: material that is lost on the target square is not won back elsewhere
/// - Units: `see_quiet` internal units per squared ply of depth after reduction; noisy moves and checks:
///   `see_noisy` per ply, one more per `see_noisy_history` of history
/// - Elo: not measured alone; in the first search. Checks judged by the exchange alone: +26.1 +- 31.2, 200
///   games, 0.5+0.005 (2026-11-30)
#[inline(always)]
fn passes_see(node: &Node, mv: Move, margin: i32, p: &Params) -> bool {
    p.see_pruning == 0 || node.position.see(mv, -margin)
}

/// What becomes of a move before it is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveVerdict {
    /// It is searched.
    Search,
    /// It is left out.
    Skip,
    /// It and all quiet moves after it are left out.
    SkipQuiets,
}

impl Thread<'_> {
    /// All cutoffs that come before the move loop, cheapest first.
    pub(super) fn prune_node(&mut self, node: &Node) -> Option<Score> {
        if let Some(score) = self.razoring(node) {
            return Some(score);
        }
        if let Some(score) = reverse_futility(node, self.params()) {
            return Some(score);
        }
        if let Some(score) = self.null_move(node) {
            return Some(score);
        }
        self.probcut(node)
    }

    /// Razoring: quiescence in place of a search.
    fn razoring(&mut self, node: &Node) -> Option<Score> {
        if !razoring_applies(node, self.params()) {
            return None;
        }
        let score = self.quiescence::<NonPv>(node.position, node.window());
        (score <= node.alpha || self.quota.is_stopped()).then_some(score)
    }

    /// Null move pruning: a search after passing. Not twice in a row. Deep cutoffs are verified by a search in which
    /// nobody may pass before three quarters of its depth.
    ///
    /// - Technique: [Verified null moves](https://www.chessprogramming.org/Null_Move_Pruning)
    /// - Assumes: zugzwang shows in a search of the same depth without null moves
    /// - Units: depths in plies, from `nmp_verify_depth` on
    /// - Elo: not measured alone; in bundle A
    fn null_move(&mut self, node: &Node) -> Option<Score> {
        let p = self.params();
        let depth = null_move_depth(node, p)
            .filter(|_| self.path.before(1).mv.is_some() && node.ply >= self.nmp_min_ply)?;
        let mut child = *node.position;
        child.make_null();
        self.tt.prefetch(child.key());
        // The evaluator need not know: no piece moves.
        self.path.enter_null(node.position);
        let score = -self.search::<NonPv>(&child, Window::below(node.beta).flipped(), depth, !node.cut_node);
        self.path.leave_null();
        if self.quota.is_stopped() {
            return Some(Score::DRAW);
        }
        if score < node.beta {
            return None;
        }
        // A mate found after passing is not proven.
        let score = if score.is_win() { node.beta } else { score };
        if node.depth < p.nmp_verify_depth || self.nmp_min_ply > 0 {
            return Some(score);
        }
        self.nmp_min_ply = node.ply + (3 * depth / 4).max(1) as usize;
        let verified = self.search::<NonPv>(node.position, Window::below(node.beta), depth, false);
        self.nmp_min_ply = 0;
        (verified >= node.beta || self.quota.is_stopped()).then_some(score)
    }

    /// ProbCut: a good capture whose reduced search beats beta by a margin is taken as proof.
    fn probcut(&mut self, node: &Node) -> Option<Score> {
        let beta = probcut_beta(node, self.params())?;
        let context = QuietContext::noisy_only(node.position);
        let mut picker = MovePicker::noisy(node.position, node.tt_move, beta - node.static_eval);
        while let Some(mv) = picker.next(node.position, self.params(), self.histories, &context) {
            self.tt.prefetch(node.position.likely_key_after(mv));
            let child = self.enter_move(node.position, mv, 0);
            let window = Window::below(beta).flipped();
            let mut score = -self.quiescence::<NonPv>(&child, window);
            if score >= beta && !self.quota.is_stopped() {
                score = -self.search::<NonPv>(&child, window, node.depth - 4, !node.cut_node);
            }
            self.leave_move();
            if self.quota.is_stopped() {
                return Some(Score::DRAW);
            }
            if score >= beta {
                let entry = TtEntry {
                    mv: Some(mv),
                    score,
                    eval: self.path.here().raw_eval,
                    depth: node.depth - 3,
                    bound: Bound::Lower,
                    was_pv: node.tt_pv,
                };
                self.tt.store(node.position.key(), node.ply, entry);
                return Some(if score.is_decisive() { score } else { score - (beta - node.beta) });
            }
        }
        None
    }

    /// Futility, history and SEE pruning: whether a move is left out. Checks are judged like captures, by the
    /// exchange alone. Not for positions with king and pawns only.
    pub(super) fn judge_move(
        &self,
        node: &Node,
        context: &QuietContext,
        candidate: &Candidate,
    ) -> MoveVerdict {
        let (p, position, mv) = (self.params(), node.position, candidate.mv);
        let reduction = self.lmr_table.base(p, node.depth, candidate.number, mv.is_quiet())
            + PLY * i32::from(!node.improving);
        let lmr_depth = (node.depth - reduction / PLY).max(0);
        let gives_check = position.gives_check(mv, &context.checks);
        if mv.is_noisy() || gives_check {
            let history =
                if mv.is_noisy() { self.histories.capture.get(position, context.threats(), mv) } else { 0 };
            let ceiling = noisy_ceiling(node, lmr_depth, victim_value(position, mv), history, p)
                .filter(|_| !gives_check && !candidate.alpha.is_win());
            if ceiling.is_some_and(|ceiling| ceiling <= candidate.alpha) {
                return MoveVerdict::Skip;
            }
            let margin = (p.see_noisy * node.depth + history / p.see_noisy_history).max(0);
            return if passes_see(node, mv, margin, p) { MoveVerdict::Search } else { MoveVerdict::Skip };
        }
        let Some(piece) = position.piece_on(mv.from()) else { return MoveVerdict::Search };
        let history = self.histories.quiet_history(context, piece, mv);
        // With a win in hand quiet moves may still win faster.
        if candidate.alpha.is_win() {
            return MoveVerdict::Search;
        }
        if history_prunes(node, history, p) {
            return MoveVerdict::Skip;
        }
        let lmr_depth = (lmr_depth + history / p.prune_history).max(0);
        if quiet_ceiling(node, lmr_depth, p).is_some_and(|ceiling| ceiling <= candidate.alpha) {
            return MoveVerdict::SkipQuiets;
        }
        if passes_see(node, mv, p.see_quiet * lmr_depth * lmr_depth, p) {
            MoveVerdict::Search
        } else {
            MoveVerdict::Skip
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::search::samples::{MIDDLEGAME, PAWN_ENDING, entry, mv, node, position, with_thread};
    use crate::types::MAX_PLY;

    const P: &Params = &Params::DEFAULT;
    /// Scores of mates and of endgame tables, for either side.
    const DECISIVE: [Score; 4] = [
        Score::mate_in(20),
        Score::mated_in(20),
        Score::tablebase_win(20),
        Score(-Score::tablebase_win(20).0),
    ];

    /// The least of the scores for which something holds that holds for all larger ones.
    fn least(holds: impl Fn(Score) -> bool) -> Score {
        let (mut low, mut high) = (-Score::MAX_EVAL.0, Score::MAX_EVAL.0);
        assert!(!holds(Score(low)) && holds(Score(high)));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(Score(middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Score(high)
    }

    #[test]
    fn razoring_is_for_hopeless_nodes() {
        let position = position(MIDDLEGAME);
        // The more depth is left, the more hopeless.
        let ceiling = |depth| least(|eval| !razoring_applies(&Node { eval, ..node(&position, depth) }, P));
        assert!(ceiling(1) < Score(0) && ceiling(2) < ceiling(1) && ceiling(5) < ceiling(2));
        for alpha in DECISIVE {
            let hopeless = Node { alpha, beta: alpha + 1, eval: -Score::MAX_EVAL, ..node(&position, 1) };
            assert!(!razoring_applies(&hopeless, P), "{alpha:?}");
        }
    }

    #[test]
    fn reverse_futility_needs_a_margin() {
        let position = position(MIDDLEGAME);
        let margin = |change: &dyn Fn(&mut Node), depth| {
            least(|eval| {
                let mut node = Node { static_eval: eval, eval, ..node(&position, depth) };
                change(&mut node);
                reverse_futility(&node, P).is_some()
            })
            .0
        };
        let plain = |_: &mut Node| {};
        assert!(margin(&plain, 1) >= P.rfp_least && margin(&plain, 2) > margin(&plain, 1));
        assert!(margin(&|node| node.improving = true, 3) < margin(&plain, 3));
        assert!(margin(&|node| node.opponent_worsening = true, 3) < margin(&plain, 3));
        // However good the signs are, some margin is asked.
        let best = |node: &mut Node| (node.improving, node.opponent_worsening) = (true, true);
        assert!(margin(&best, 1) >= P.rfp_least);

        let good = Node { eval: Score(2000), ..node(&position, 2) };
        let score = reverse_futility(&good, P).expect("far above beta");
        assert!(score >= good.beta && score < good.eval, "{score:?}");
        assert_eq!(reverse_futility(&Node { tt_pv: true, ..good }, P), None);
        assert_eq!(reverse_futility(&Node { depth: P.rfp_depth + 1, ..good }, P), None);
        // A win is worth looking for, and what beats being mated is no evaluation's business.
        assert_eq!(reverse_futility(&Node { eval: Score::tablebase_win(9), ..good }, P), None);
        for beta in DECISIVE.into_iter().filter(|beta| beta.is_loss()) {
            assert_eq!(reverse_futility(&Node { beta, alpha: beta - 1, ..good }, P), None, "{beta:?}");
        }
    }

    #[test]
    fn null_moves_need_pieces_depth_and_an_evaluation() {
        let middlegame = position(MIDDLEGAME);
        let good =
            |position, depth| Node { eval: Score(300), static_eval: Score(300), ..node(position, depth) };
        let depth = |node: Node| null_move_depth(&node, P);
        assert!(depth(good(&middlegame, P.nmp_least_depth)).is_some());
        assert_eq!(depth(good(&middlegame, P.nmp_least_depth - 1)), None);
        assert_eq!(depth(Node { eval: Score(0), ..good(&middlegame, 8) }), None, "below beta");
        assert_eq!(
            depth(Node { static_eval: Score(-900), ..good(&middlegame, 8) }),
            None,
            "the table lifted it"
        );
        let ending = position(PAWN_ENDING);
        assert_eq!(depth(good(&ending, 8)), None, "zugzwang");
        for beta in DECISIVE {
            let sure = Node {
                beta,
                alpha: beta - 1,
                eval: Score::INFINITE,
                static_eval: Score::INFINITE,
                ..good(&middlegame, 8)
            };
            assert_eq!(depth(sure), None, "{beta:?}");
        }
        // The reduction grows with depth and with what the evaluation has to spare, up to a limit.
        let reduction = |depth, eval| {
            depth - null_move_depth(&Node { eval, static_eval: eval, ..node(&middlegame, depth) }, P).unwrap()
        };
        assert!(reduction(4, Score(250)) >= 3);
        assert!(reduction(20, Score(250)) > reduction(4, Score(250)));
        assert!(reduction(8, Score(2000)) > reduction(8, Score(200)));
        assert_eq!(reduction(8, Score(2000)), reduction(8, Score(20_000)));
    }

    #[test]
    fn no_null_move_follows_another() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            let nodes = |thread: &mut Thread, position| {
                let good = Node { eval: Score(900), static_eval: Score(900), ..node(position, 4) };
                let good = Node { ply: thread.path.ply(), beta: Score(-900), alpha: Score(-901), ..good };
                let before = thread.quota.nodes();
                let score = thread.null_move(&good);
                (score, thread.quota.nodes() - before)
            };
            // At the root there is no move before.
            assert_eq!(nodes(thread, &position), (None, 0));
            let reply = mv(&position, "f8e7");
            let position = thread.enter_move(&position, reply, 0);
            let (score, searched) = nodes(thread, &position);
            assert!(searched > 0 && score.is_some_and(|score| score >= Score(-900) && !score.is_win()));
            thread.path.enter_null(&position);
            assert_eq!(nodes(thread, &position), (None, 0));
            thread.path.leave_null();
            // Nor where it is forbidden, as in a verification.
            thread.nmp_min_ply = thread.path.ply() + 1;
            assert_eq!(nodes(thread, &position), (None, 0));
        });
    }

    #[test]
    fn probcut_asks_for_more_than_beta() {
        let position = position(MIDDLEGAME);
        let plain = node(&position, 8);
        let beta = probcut_beta(&plain, P).expect("deep enough");
        assert!(beta > plain.beta);
        assert!(probcut_beta(&Node { improving: true, ..plain }, P).unwrap() < beta);
        assert_eq!(probcut_beta(&Node { depth: P.probcut_depth - 1, ..plain }, P), None);
        // The table knows better, from as deep a search as would be made.
        let known = |score: Score, depth| Some(entry(None, score.0, depth, Bound::Upper));
        assert_eq!(probcut_beta(&Node { tt_entry: known(beta - 1, 5), ..plain }, P), None);
        assert_eq!(probcut_beta(&Node { tt_entry: known(beta - 1, 4), ..plain }, P), Some(beta));
        assert_eq!(probcut_beta(&Node { tt_entry: known(beta, 5), ..plain }, P), Some(beta));
        for beta in DECISIVE {
            assert_eq!(probcut_beta(&Node { beta, alpha: beta - 1, ..plain }, P), None, "{beta:?}");
        }
        // Nor where the margin would ask for a win.
        let almost = Score::TABLEBASE_WIN - MAX_PLY as i32 - 1;
        assert_eq!(probcut_beta(&Node { beta: almost, alpha: almost - 1, ..plain }, P), None);
    }

    #[test]
    fn late_moves_come_later_at_depth_and_when_improving() {
        let position = position(MIDDLEGAME);
        let limit = |depth, improving| late_move_limit(&Node { improving, ..node(&position, depth) }, P);
        for depth in 1..20 {
            assert!(limit(depth, false) >= 1);
            assert!(limit(depth + 1, false) > limit(depth, false) || depth < 3);
            assert!(limit(depth, true) >= 2 * limit(depth, false));
        }
    }

    #[test]
    fn futility_is_for_low_depth_and_not_in_check() {
        let quiet = position(MIDDLEGAME);
        let ceiling = |depth| quiet_ceiling(&node(&quiet, 9), depth, P);
        assert!(ceiling(0).is_some_and(|ceiling| ceiling > Score(0)) && ceiling(3) > ceiling(0));
        assert_eq!(ceiling(P.futility_max), None);
        let noisy = |depth, victim, history| noisy_ceiling(&node(&quiet, 9), depth, victim, history, P);
        assert!(noisy(2, 900, 0) > noisy(2, 300, 0) && noisy(2, 300, 5000) > noisy(2, 300, 0));
        assert!(noisy(3, 300, 0) > noisy(2, 300, 0));
        assert_eq!(noisy(P.noisy_futility_max, 300, 0), None);
        let check = position("rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3");
        assert!(check.in_check());
        assert_eq!(quiet_ceiling(&node(&check, 9), 0, P), None);
        assert_eq!(noisy_ceiling(&node(&check, 9), 0, 0, 0, P), None);
    }

    /// What is thought of a move as the tenth of a node.
    fn verdict(thread: &Thread, node: &Node, text: &str, alpha: Score) -> MoveVerdict {
        let position: &Position = node.position;
        let candidate = Candidate {
            mv: mv(position, text),
            number: 10,
            alpha,
            best_score: alpha,
            new_depth: node.depth - 1,
        };
        thread.judge_move(node, &QuietContext::new(position, thread.path.cont_keys()), &candidate)
    }

    #[test]
    fn moves_are_judged() {
        with_thread(MIDDLEGAME, |thread| {
            let position = *thread.game().position();
            let shallow = node(&position, 2);
            assert_eq!(verdict(thread, &shallow, "f8e7", Score(0)), MoveVerdict::Search);
            // No quiet move can raise the evaluation to alpha.
            assert_eq!(verdict(thread, &shallow, "f8e7", Score(2000)), MoveVerdict::SkipQuiets);
            // A piece is put where a pawn takes it.
            assert_eq!(verdict(thread, &shallow, "f6g4", Score(0)), MoveVerdict::Search);
            assert_eq!(verdict(thread, &shallow, "c8h3", Score(0)), MoveVerdict::Skip);
            // Captures by what they win.
            assert_eq!(verdict(thread, &shallow, "e5d4", Score(0)), MoveVerdict::Search);
            assert_eq!(verdict(thread, &shallow, "e5d4", Score(5000)), MoveVerdict::Skip);
            // Deep down the same moves are looked at.
            let deep = node(&position, 30);
            assert_eq!(verdict(thread, &deep, "f8e7", Score(2000)), MoveVerdict::Search);
            // A quiet move that failed so often is left out, unless a win is already in hand.
            let bad = mv(&position, "a7a6");
            let context = QuietContext::new(&position, thread.path.cont_keys());
            let piece = position.piece_on(bad.from()).unwrap();
            for _ in 0..100 {
                thread.histories.update_quiet(&context, piece, bad, -1500);
            }
            assert_eq!(verdict(thread, &shallow, "a7a6", Score(0)), MoveVerdict::Skip);
            assert_eq!(verdict(thread, &shallow, "a7a6", Score::tablebase_win(9)), MoveVerdict::Search);
        });
    }
}
