//! The constants of the search in one table: name, value, range, step, meaning. The base of late move reductions,
//! which is made of them, stands below.
//!
//! Margins are in internal units, depths in plies, reductions in 1024ths of a ply. Builds with the `tuning`
//! feature can change them over UCI; all others see constants.

use once_cell::sync::Lazy;

use crate::types::Depth;

/// A parameter as tuning programs list it.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// Name, as in the source.
    pub name: &'static str,
    /// Value in use unless changed.
    pub default: i32,
    /// Smallest sensible value.
    pub min: i32,
    /// Largest sensible value.
    pub max: i32,
    /// Step for simultaneous perturbation (SPSA); 0 for a switch.
    pub step: i32,
}

impl ParamInfo {
    /// Whether the parameter is 1 where a technique is used and 0 where it is not. There is nothing to tune about
    /// it: it serves to measure what the technique is worth.
    pub fn is_switch(&self) -> bool {
        self.step == 0
    }
}

macro_rules! params {
    ($($name:ident = $default:literal, $min:literal, $max:literal, $step:literal; $doc:literal)*) => {
        /// The search parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Params {
            $(#[doc = $doc] pub $name: i32,)*
        }

        impl Params {
            /// The values in use.
            pub const DEFAULT: Params = Params { $($name: $default,)* };

            /// All parameters with their ranges.
            pub const INFO: &'static [ParamInfo] = &[$(ParamInfo {
                name: stringify!($name), default: $default, min: $min, max: $max, step: $step,
            },)*];

            /// Changes one parameter; false when there is none of that name or the value is out of range.
            pub fn set(&mut self, name: &str, value: i32) -> bool {
                match name {
                    $(stringify!($name) if ($min..=$max).contains(&value) => {
                        self.$name = value;
                        true
                    })*
                    _ => false,
                }
            }
        }
    };
}

params! {
    null_move = 1, 0, 1, 0; "Switch of null move pruning."
    lmr = 1, 0, 1, 0; "Switch of late move reductions."
    lmp = 1, 0, 1, 0; "Switch of late move pruning."
    rfp = 1, 0, 1, 0; "Switch of reverse futility pruning."
    futility = 1, 0, 1, 0; "Switch of futility pruning of quiet moves."
    noisy_futility = 1, 0, 1, 0; "Switch of futility pruning of noisy moves."
    history_pruning = 1, 0, 1, 0; "Switch of history pruning."
    see_pruning = 1, 0, 1, 0; "Switch of SEE pruning in the main search."
    singular = 1, 0, 1, 0; "Switch of singular, double, triple and negative extensions and of multi-cut."
    continuation_history = 1, 0, 1, 0; "Switch of continuation histories."
    correction_history = 1, 0, 1, 0; "Switch of correction histories."
    probcut = 1, 0, 1, 0; "Switch of ProbCut."
    razoring = 1, 0, 1, 0; "Switch of razoring."
    iir = 1, 0, 1, 0; "Switch of internal iterative reductions."
    hindsight = 1, 0, 1, 0; "Switch of hindsight reductions and extensions."
    aspiration = 1, 0, 1, 0; "Switch of aspiration windows."

    aspiration_window = 13, 6, 40, 3; "Half width of the first aspiration window."
    aspiration_growth = 50, 20, 120, 10; "Percent by which a failed window grows."

    razor_base = 250, 100, 500, 30; "Razoring: margin below alpha."
    razor_depth = 223, 80, 400, 25; "Razoring: further margin per squared ply."

    rfp_depth = 6, 4, 12, 1; "Reverse futility pruning: deepest node."
    rfp_margin = 55, 40, 130, 8; "Reverse futility pruning: margin per ply."
    rfp_least = 20, 0, 60, 5; "Reverse futility pruning: least margin."
    rfp_improving = 64, 20, 130, 10; "Reverse futility pruning: margin taken off when improving."
    rfp_worsening = 10, 0, 60, 5; "Reverse futility pruning: margin taken off when the opponent's evaluation is getting worse."

    nmp_margin = 186, 0, 400, 25; "Null move pruning: margin that the depth term must make up for."
    nmp_depth = 26, 5, 40, 4; "Null move pruning: margin per ply."
    nmp_eval = 148, 100, 400, 25; "Null move pruning: evaluation surplus worth one more ply."

    nmp_least_depth = 3, 2, 5, 1; "Null move pruning: shallowest node."
    nmp_verify_depth = 14, 8, 20, 1; "Null move pruning: from this depth on a cut-off is checked by a search without null moves."
    nmp_base = 4010, 2500, 5500, 300; "Null move pruning: reduction in 1024ths of a ply."
    nmp_per_ply = 361, 150, 550, 30; "Null move pruning: further reduction per ply of depth, in 1024ths."

    probcut_depth = 5, 3, 8, 1; "ProbCut: shallowest node."
    probcut_margin = 198, 100, 320, 20; "ProbCut: margin above beta."
    probcut_improving = 54, 0, 120, 10; "ProbCut: margin taken off when improving."

    iir_depth = 4, 2, 8, 1; "Internal iterative reduction: shallowest node."

    lmp_base = 5, 2, 8, 1; "Late move pruning: moves always searched."
    futility_max = 10, 5, 16, 1; "Futility pruning: reduced depth at which it ends."
    prune_history = 8192, 4000, 16000, 800; "Quiet history worth one ply of reduced depth when pruning."
    futility_base = 95, 30, 200, 15; "Futility pruning: margin."
    futility_depth = 77, 50, 160, 10; "Futility pruning: margin per ply."
    history_prune = 5271, 1500, 8000, 500; "History pruning: quiet history below which a quiet move is left out, per ply."
    see_quiet = 16, 10, 50, 4; "SEE pruning of quiet moves: loss allowed, per squared ply."
    see_noisy = 98, 40, 160, 10; "SEE pruning of noisy moves: loss allowed, per ply."
    see_noisy_history = 33, 10, 80, 6; "SEE pruning of noisy moves: capture history worth an internal unit."

    noisy_futility_max = 8, 4, 14, 1; "Futility pruning of noisy moves: reduced depth at which it ends."
    noisy_futility_base = 289, 50, 2000, 40; "Futility pruning of noisy moves: margin."
    noisy_futility_depth = 137, 60, 300, 20; "Futility pruning of noisy moves: margin per ply."
    noisy_futility_history = 31, 10, 80, 6; "Futility pruning of noisy moves: capture history worth an internal unit."

    hindsight_more = 3, 1, 5, 1; "Hindsight: reduction from which a node may be searched deeper."
    hindsight_less = 2, 1, 5, 1; "Hindsight: reduction from which a node may be searched less."
    hindsight_margin = 166, 40, 400, 30; "Hindsight: sum of evaluations above which a reduced move is searched less."

    singular_depth = 6, 4, 9, 1; "Singular extension: shallowest node, one more where a principal variation once was."
    singular_margin = 7, 4, 28, 2; "Singular extension: sixteenths of an internal unit below the table score, per ply."
    double_margin = 17, 5, 40, 4; "Double extension: further margin."
    triple_margin = 82, 40, 180, 15; "Triple extension: further margin."

    lmr_base = 587, 300, 1500, 100; "Late move reduction: base."
    lmr_factor = 467, 300, 650, 30; "Late move reduction: factor of ln depth times ln number."
    lmr_noisy_base = 289, -500, 800, 100; "The base for noisy moves."
    lmr_noisy_factor = 336, 150, 500, 30; "The factor for noisy moves."
    lmr_pv = 1173, 0, 2200, 150; "Less reduction in nodes that are or were on a principal variation."
    lmr_cut_node = 1537, 500, 3000, 200; "More reduction where a cut-off is expected."
    lmr_improving = 700, 0, 1800, 150; "More reduction when not improving."
    lmr_check = 933, 0, 2000, 150; "Less reduction of moves that give check."
    lmr_root = 1000, 0, 3000, 200; "Less reduction at the root."
    lmr_root_forcing = 2000, 0, 5000, 300; "Still less there for noisy moves and checks, which may be sacrifices."
    lmr_tt_noisy = 620, 0, 2000, 150; "More reduction of quiet moves when the table move is noisy."
    cutoffs_many = 3, 1, 8, 1; "Cut-offs below a node that are not yet many."
    lmr_cutoffs = 878, 0, 2000, 150; "More reduction where the nodes below keep cutting off."
    lmr_correction = 10, 0, 40, 4; "Less reduction per internal unit of evaluation correction."
    lmr_history = 10407, 4000, 16000, 800; "Quiet history worth one ply."
    lmr_capture_history = 7302, 3000, 14000, 800; "Capture history worth one ply."
    deeper_margin = 47, 15, 100, 8; "Search one ply deeper when the reduced search beat the best by this much."
    shallower_margin = 12, 0, 30, 3; "Search one ply less deep when it hardly beat the best."

    bonus_depth = 164, 80, 260, 15; "History bonus per ply."
    bonus_offset = 36, 0, 300, 30; "History bonus: taken off."
    bonus_max = 1375, 800, 2600, 150; "History bonus: ceiling."
    malus_depth = 192, 80, 400, 25; "History malus per ply."
    malus_offset = 51, 0, 300, 30; "History malus: taken off."
    malus_max = 1258, 600, 2600, 150; "History malus: ceiling."

    fail_low_bonus = 450, 0, 1600, 120; "Bonus of the move before a node that failed low, in 1024ths."
    fail_low_main = 410, 0, 1600, 120; "The same for the butterfly and pawn tables."
    tt_malus = 448, 0, 1600, 120; "Malus of the last quiet move where the table cuts off, in 1024ths."
    research_bonus = 452, 0, 1600, 120; "Continuation bonus after a re-search of a reduced move, in 1024ths."
    eval_history = 7, 0, 24, 2; "History bonus of the last quiet move per internal unit of evaluation lost by the opponent."
    eval_history_max = 1080, 300, 2500, 150; "Its ceiling."

    check_bonus = 11726, 0, 24000, 1500; "Ordering bonus of a quiet check."
    check_see = -60, -900, 0, 30; "A quiet check that loses more than this gets no bonus."
    escape_bonus = 9497, 0, 24000, 1500; "Ordering bonus of a piece that leaves an attack by a lesser one; a malus where it enters one."
    good_noisy_divisor = 4, 2, 40, 2; "A noisy move may lose this part of its ordering score and still come early."
    noisy_order_history = 41, 8, 128, 8; "Capture history that outweighs an internal unit in the order of noisy moves."

    correction_pawn = 69, 10, 120, 8; "Weight of a correction table in 1024ths."
    correction_minor = 27, 10, 120, 8; "Weight of a correction table in 1024ths."
    correction_non_pawn = 39, 10, 120, 8; "Weight of a correction table in 1024ths."
    correction_continuation = 40, 10, 120, 8; "Weight of a correction table in 1024ths."

    surprise_margin = 40, 5, 150, 10; "A result this far above beta teaches as one of a ply more."
    malus_fade = 30, 0, 60, 5; "Part of the malus, in 1024ths, that each earlier move takes off it."
    refuted_malus = 500, 0, 2000, 150; "Malus of an early quiet move that is refuted, in 1024ths."
    tt_malus_number = 3, 1, 255, 1; "Last number of a move that a table cutoff blames."
    fail_low_late = 400, 0, 1500, 120; "More fail-low bonus of late moves."
    fail_low_eval = 500, 0, 1500, 120; "More fail-low bonus where the score falls below the evaluation."
    fail_low_before = 400, 0, 1500, 120; "More fail-low bonus where the score falls below the evaluation before."
    history_kept = 768, 512, 1024, 40; "What stays of the scores by squares at the next search, in 1024ths."

    qs_moves = 3, 1, 8, 1; "Quiescence: captures searched before only those of the last moved piece are left."
    qs_futility = 126, 60, 260, 20; "Quiescence: what a capture may add beyond the captured piece."
    qs_see = -8, -120, 40, 15; "Quiescence: exchange result below which captures are left out."
}

/// A reduction in 1024ths of a ply.
pub(super) type Reduction = i32;

/// One ply of reduction.
pub(super) const PLY: Reduction = 1024;

/// Products of logarithms, scaled by 1024. `[depth][move number]`, both capped at 63.
pub(super) struct LmrTable([[i32; 64]; 64]);

impl LmrTable {
    /// The table, built at first use. Threads keep the reference, so a node pays no check.
    pub(super) fn get() -> &'static LmrTable {
        static TABLE: Lazy<LmrTable> = Lazy::new(|| {
            let mut table = [[0; 64]; 64];
            for (depth, row) in table.iter_mut().enumerate().skip(1) {
                for (number, product) in row.iter_mut().enumerate().skip(1) {
                    *product = ((depth as f64).ln() * (number as f64).ln() * 1024.0) as i32;
                }
            }
            LmrTable(table)
        });
        &TABLE
    }

    /// The reduction of the `number`th move (from 1) before adjustments.
    #[inline(always)]
    pub(super) fn base(&self, p: &Params, depth: Depth, number: usize, quiet: bool) -> Reduction {
        let product = self.0[depth.clamp(0, 63) as usize][number.min(63)];
        let (base, factor) =
            if quiet { (p.lmr_base, p.lmr_factor) } else { (p.lmr_noisy_base, p.lmr_noisy_factor) };
        base + product * factor / 1024
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_within_ranges() {
        let mut params = Params::DEFAULT;
        for info in Params::INFO {
            assert!(info.min < info.max && info.step >= 0, "{}", info.name);
            assert!(params.set(info.name, info.default), "{}", info.name);
            assert!(!params.set(info.name, info.max + 1), "{}", info.name);
            let is_flag = (info.min, info.default, info.max) == (0, 1, 1);
            assert_eq!(info.is_switch(), is_flag, "{}", info.name);
        }
        assert_eq!(params, Params::DEFAULT);
        assert!(!params.set("nonsense", 1));
    }

    /// Every switch changes what a search does, so none is dead. Constants cannot be changed in other builds.
    #[cfg(feature = "tuning")]
    #[test]
    fn every_switch_switches_something() {
        use std::sync::Arc;

        use crate::board::Game;
        use crate::search::samples::{MIDDLEGAME, position};
        use crate::search::{SearchJob, SearchLimits, Searcher};
        use crate::tt::TranspositionTable;

        let nodes = |params| {
            let limits = SearchLimits { depth: Some(11), ..SearchLimits::default() };
            let tt = Arc::new(TranspositionTable::new(4).expect("4 MiB are there"));
            let job = SearchJob { params, ..SearchJob::silent(Game::new(position(MIDDLEGAME)), limits, tt) };
            Searcher::new(0).search(&job).nodes
        };
        let plain = nodes(Params::DEFAULT);
        assert_eq!(nodes(Params::DEFAULT), plain);
        for info in Params::INFO.iter().filter(|info| info.is_switch()) {
            let mut params = Params::DEFAULT;
            assert!(params.set(info.name, 0));
            assert_ne!(nodes(params), plain, "{}", info.name);
        }
    }
}
