//! Looking deeper where one move stands out (CPW: "Singular Extensions", "Multi-Cut").

use super::facts::NodeFacts;
use super::node::{NodeKind, NonPv, Window};
use super::searcher::{SearchJob, Searcher};
use crate::board::Position;
use crate::types::{Depth, Move, Score};

/// Double extensions that a line may hold.
const MAX_DOUBLE_EXTENSIONS: u32 = 12;

impl Searcher {
    /// Tests whether the table move is much better than all others, by a reduced search without it
    /// against a lower bound. Gives the plies to extend by (negative when others are as good), or the
    /// score to return when even without it the node fails high.
    #[inline(always)]
    pub(super) fn singular<K: NodeKind>(
        &mut self,
        job: &SearchJob,
        position: &Position,
        facts: &NodeFacts,
        mv: Move,
    ) -> Result<Depth, Score> {
        let (ply, depth, window) = (facts.ply, facts.depth, facts.window);
        let Some(entry) = facts.known else { return Ok(0) };
        let p = self.params();
        let testable = depth >= p.singular_depth + Depth::from(facts.tt_pv)
            && entry.depth >= depth - 3
            && entry.bound.is_lower()
            && !entry.score.is_decisive()
            && ply < 2 * self.root_depth as usize;
        if !testable {
            return Ok(0);
        }
        let pv_factor = 1 + Depth::from(facts.tt_pv && !K::PV);
        let beta = entry.score - p.singular_margin * depth * pv_factor / 16;
        self.stack[ply].excluded = Some(mv);
        let score =
            self.node::<NonPv>(job, position, Window::below(beta), (depth - 1) / 2, ply, facts.cut_node);
        self.stack[ply].excluded = None;
        if self.stopped {
            return Ok(0);
        }
        if score < beta {
            let mut plies = 1;
            if !K::PV && self.stack.before(ply, 1).double_extensions < MAX_DOUBLE_EXTENSIONS {
                plies += Depth::from(score < beta - p.double_margin);
                plies += Depth::from(score < beta - p.triple_margin && mv.is_quiet());
            }
            return Ok(plies);
        }
        if score >= window.beta && !score.is_decisive() {
            return Err(score);
        }
        Ok(if entry.score >= window.beta {
            -2
        } else if facts.cut_node {
            -1
        } else {
            0
        })
    }
}
