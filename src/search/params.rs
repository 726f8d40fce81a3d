//! The constants of the search in one table: name, value, range, step, meaning.
//!
//! Margins are in centipawns, depths in plies, reductions in 1024ths of a ply. Builds with the `tuning`
//! feature can change them over UCI; all others see constants.

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
    /// Step for simultaneous perturbation (SPSA).
    pub step: i32,
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
    aspiration_window = 16, 6, 40, 3; "Half width of the first aspiration window."
    aspiration_growth = 50, 20, 120, 10; "Percent by which a failed window grows."

    razor_base = 280, 100, 500, 30; "Razoring: margin below alpha."
    razor_depth = 220, 80, 400, 25; "Razoring: further margin per squared ply."

    rfp_margin = 78, 40, 130, 8; "Reverse futility pruning: margin per ply."
    rfp_improving = 70, 20, 130, 10; "Reverse futility pruning: margin taken off when improving."

    nmp_margin = 180, 0, 400, 25; "Null move pruning: margin that the depth term must make up for."
    nmp_depth = 20, 5, 40, 4; "Null move pruning: margin per ply."
    nmp_eval = 210, 100, 400, 25; "Null move pruning: evaluation surplus worth one more ply."

    probcut_margin = 190, 100, 320, 20; "ProbCut: margin above beta."
    probcut_improving = 55, 0, 120, 10; "ProbCut: margin taken off when improving."

    lmp_base = 4, 2, 8, 1; "Late move pruning: moves always searched."
    futility_base = 95, 30, 200, 15; "Futility pruning: margin."
    futility_depth = 95, 50, 160, 10; "Futility pruning: margin per ply."
    history_prune = 3800, 1500, 8000, 500; "History pruning: merit below which a quiet move is left out, per ply."
    see_quiet = 26, 10, 50, 4; "SEE pruning of quiet moves: loss allowed, per squared ply."
    see_noisy = 95, 40, 160, 10; "SEE pruning of noisy moves: loss allowed, per ply."
    see_noisy_history = 32, 10, 80, 6; "SEE pruning of noisy moves: capture history worth a centipawn."

    singular_margin = 12, 4, 28, 2; "Singular extension: sixteenths of a centipawn below the table score, per ply."
    double_margin = 18, 5, 40, 4; "Double extension: further margin."
    triple_margin = 90, 40, 180, 15; "Triple extension: further margin."

    lmr_base = 500, 300, 1500, 100; "Late move reduction: base."
    lmr_factor = 440, 300, 650, 30; "Late move reduction: factor of ln depth times ln number."
    lmr_noisy_base = 100, -500, 800, 100; "The base for noisy moves."
    lmr_noisy_factor = 330, 150, 500, 30; "The factor for noisy moves."
    lmr_pv = 1000, 0, 2200, 150; "Less reduction in nodes that are or were on a principal variation."
    lmr_cut_node = 1700, 500, 3000, 200; "More reduction where a cut-off is expected."
    lmr_improving = 700, 0, 1800, 150; "More reduction when not improving."
    lmr_check = 900, 0, 2000, 150; "Less reduction of moves that give check."
    lmr_tt_noisy = 850, 0, 2000, 150; "More reduction of quiet moves when the table move is noisy."
    lmr_cutoffs = 900, 0, 2000, 150; "More reduction where the nodes below keep cutting off."
    lmr_correction = 12, 0, 40, 4; "Less reduction per centipawn of evaluation correction."
    lmr_history = 9000, 4000, 16000, 800; "Quiet merit worth one ply."
    lmr_capture_history = 7000, 3000, 14000, 800; "Capture history worth one ply."
    deeper_margin = 45, 15, 100, 8; "Search one ply deeper when the reduced search beat the best by this much."
    shallower_margin = 9, 0, 30, 3; "Search one ply less deep when it hardly beat the best."

    bonus_depth = 150, 80, 260, 15; "History bonus per ply."
    bonus_offset = 60, 0, 300, 30; "History bonus: taken off."
    bonus_max = 1500, 800, 2600, 150; "History bonus: ceiling."
    malus_depth = 190, 80, 400, 25; "History malus per ply."
    malus_offset = 60, 0, 300, 30; "History malus: taken off."
    malus_max = 1400, 600, 2600, 150; "History malus: ceiling."

    qs_futility = 150, 60, 260, 20; "Quiescence: what a capture may add beyond the captured man."
    qs_see = -20, -120, 40, 15; "Quiescence: exchange result below which captures are left out."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_within_ranges() {
        let mut params = Params::DEFAULT;
        for info in Params::INFO {
            assert!(info.min < info.max && info.step > 0, "{}", info.name);
            assert!(params.set(info.name, info.default), "{}", info.name);
            assert!(!params.set(info.name, info.max + 1), "{}", info.name);
        }
        assert_eq!(params, Params::DEFAULT);
        assert!(!params.set("nonsense", 1));
    }
}
