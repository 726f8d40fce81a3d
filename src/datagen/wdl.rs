//! `quillon data wdl`: fits the win-draw-loss model to games.
//!
//! Maximum likelihood by Fisher scoring: Newton's method with the expected in place of the observed second
//! derivatives, so that every step goes uphill and a short one never fails.

use std::collections::BTreeMap;
use std::fmt;

use super::record::{GameRecord, Kept, Outcome};
use crate::eval::WdlModel;

/// Width of a class of scores, in internal units.
const SCORE_STEP: i32 = 8;

const COEFFICIENTS: usize = 8;
type Vector = [f64; COEFFICIENTS];

/// Results counted by material and score.
#[derive(Default)]
pub(crate) struct WdlCounts {
    /// By material and class of scores: how often the side to move won, drew and lost.
    classes: BTreeMap<(u32, i32), [u64; 3]>,
}

impl WdlCounts {
    /// Counts the positions of a game that are fit for training.
    pub(crate) fn add(&mut self, game: &GameRecord) {
        game.for_each_kept(|Kept { position, score, outcome, .. }| {
            let result = match outcome {
                Outcome::Draw => 1,
                _ if outcome.winner() == Some(position.stm()) => 0,
                _ => 2,
            };
            let class = (WdlModel::material(position), score.0.div_euclid(SCORE_STEP));
            self.classes.entry(class).or_default()[result] += 1;
        });
    }

    /// The model that makes the counted results most likely; `None` where they do not determine one.
    pub(crate) fn fit(&self) -> Option<WdlFit> {
        let mut model = WdlModel { a: [150.0, 0.0, 0.0, 0.0], b: [100.0, 0.0, 0.0, 0.0] };
        let mut loss = self.loss(&model);
        for _ in 0..100 {
            let (gradient, information) = self.derivatives(&model);
            let step = solve(information, gradient)?;
            let better =
                (0..20).map(|halvings| moved(&model, &step, 0.5_f64.powi(halvings))).find_map(|new| {
                    let new_loss = self.loss(&new);
                    (new_loss < loss).then_some((new, new_loss))
                });
            let Some((new, new_loss)) = better else { break };
            let gain = loss - new_loss;
            (model, loss) = (new, new_loss);
            if gain < 1e-10 {
                break;
            }
        }
        Some(WdlFit { model, loss, rows: self.rows(&model) })
    }

    fn positions(&self) -> f64 {
        self.classes.values().flatten().sum::<u64>() as f64
    }

    /// Mean negative logarithm of the chance given to what happened; infinite outside the model's domain.
    fn loss(&self, model: &WdlModel) -> f64 {
        let sum: f64 = self
            .classes
            .iter()
            .map(|(&(material, class), counts)| {
                let chances = Chances::new(model, material, class);
                counts
                    .iter()
                    .zip(chances.p)
                    .map(|(&n, p)| if n == 0 { 0.0 } else { -p.ln() * n as f64 })
                    .sum::<f64>()
            })
            .sum();
        let loss = sum / self.positions();
        if loss.is_nan() { f64::INFINITY } else { loss }
    }

    /// Gradient of the log-likelihood, and the expected information.
    fn derivatives(&self, model: &WdlModel) -> (Vector, [Vector; COEFFICIENTS]) {
        let mut gradient = [0.0; COEFFICIENTS];
        let mut information = [[0.0; COEFFICIENTS]; COEFFICIENTS];
        for (&(material, class), counts) in &self.classes {
            let chances = Chances::new(model, material, class);
            let x = WdlModel::argument(material);
            let powers = [1.0, x, x * x, x * x * x];
            let total = counts.iter().sum::<u64>() as f64;
            for (result, &n) in counts.iter().enumerate() {
                let p = chances.p[result].max(1e-12);
                let [by_a, by_b] = chances.slopes[result];
                let slope: Vector = std::array::from_fn(|k| if k < 4 { by_a } else { by_b } * powers[k % 4]);
                for (row, &s) in slope.iter().enumerate() {
                    gradient[row] += n as f64 / p * s;
                    for (column, &t) in slope.iter().enumerate() {
                        information[row][column] += total / p * s * t;
                    }
                }
            }
        }
        (gradient, information)
    }

    /// What the model says beside what was counted, in classes of material.
    fn rows(&self, model: &WdlModel) -> Vec<WdlRow> {
        let mut rows: BTreeMap<u32, WdlRow> = BTreeMap::new();
        for (&(material, class), counts) in &self.classes {
            let band = material / MATERIAL_BAND * MATERIAL_BAND;
            let row = rows.entry(band).or_insert_with(|| WdlRow { band, ..WdlRow::default() });
            let total: u64 = counts.iter().sum();
            row.positions += total;
            let expected = Chances::new(model, material, class).p;
            for (result, &n) in counts.iter().enumerate() {
                row.counted[result] += n as f64;
                row.expected[result] += expected[result] * total as f64;
            }
        }
        rows.into_values().collect()
    }
}

/// Materials in one line of the report.
const MATERIAL_BAND: u32 = 10;

/// Chances to win, draw and lose and their derivatives by `a` and `b`.
struct Chances {
    p: [f64; 3],
    slopes: [[f64; 2]; 3],
}

impl Chances {
    fn new(model: &WdlModel, material: u32, class: i32) -> Chances {
        let (a, b) = model.at(material);
        let score = f64::from(class * SCORE_STEP) + f64::from(SCORE_STEP - 1) / 2.0;
        if b <= 0.0 || a <= 0.0 {
            return Chances { p: [f64::NAN; 3], slopes: [[0.0; 2]; 3] };
        }
        let side = |score: f64| {
            let p = 1.0 / (1.0 + ((a - score) / b).exp());
            let by_a = -p * (1.0 - p) / b;
            (p, [by_a, by_a * (score - a) / b])
        };
        let ((win, win_slope), (loss, loss_slope)) = (side(score), side(-score));
        let draw_slope = std::array::from_fn(|k| -(win_slope[k] + loss_slope[k]));
        Chances { p: [win, (1.0 - win - loss).max(1e-12), loss], slopes: [win_slope, draw_slope, loss_slope] }
    }
}

fn moved(model: &WdlModel, step: &Vector, share: f64) -> WdlModel {
    WdlModel {
        a: std::array::from_fn(|k| model.a[k] + share * step[k]),
        b: std::array::from_fn(|k| model.b[k] + share * step[4 + k]),
    }
}

/// Solves a symmetric system by elimination with pivoting; `None` when it is singular.
fn solve(mut matrix: [Vector; COEFFICIENTS], mut right: Vector) -> Option<Vector> {
    for column in 0..COEFFICIENTS {
        let by_size =
            |&row: &usize, &other: &usize| matrix[row][column].abs().total_cmp(&matrix[other][column].abs());
        let pivot = (column..COEFFICIENTS).max_by(by_size)?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let head = matrix[column];
        if head[column].abs() < 1e-12 {
            return None;
        }
        for row in column + 1..COEFFICIENTS {
            let factor = matrix[row][column] / head[column];
            for (cell, above) in matrix[row].iter_mut().zip(head) {
                *cell -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    let mut solution = [0.0; COEFFICIENTS];
    for row in (0..COEFFICIENTS).rev() {
        let known: f64 = (row + 1..COEFFICIENTS).map(|column| matrix[row][column] * solution[column]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    Some(solution)
}

/// Counted against expected results of positions of similar material.
#[derive(Default)]
struct WdlRow {
    band: u32,
    positions: u64,
    counted: [f64; 3],
    expected: [f64; 3],
}

/// A fitted model with what speaks for it.
pub(crate) struct WdlFit {
    /// The model.
    pub(super) model: WdlModel,
    loss: f64,
    rows: Vec<WdlRow>,
}

impl fmt::Display for WdlFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "a: {:.3?}", self.model.a)?;
        writeln!(f, "b: {:.3?}", self.model.b)?;
        for material in [17, 38, 58, 78] {
            let (a, b) = self.model.at(material);
            writeln!(f, "material {material}: a {a:.1}, b {b:.1}")?;
        }
        writeln!(f, "mean negative log-likelihood {:.5}", self.loss)?;
        write!(f, "material   positions    win draw loss in permille, counted and expected")?;
        for row in &self.rows {
            let share = |sums: [f64; 3]| sums.map(|sum| (1000.0 * sum / row.positions as f64).round() as u32);
            let ([cw, cd, cl], [ew, ed, el]) = (share(row.counted), share(row.expected));
            let last = row.band + MATERIAL_BAND - 1;
            write!(
                f,
                "\n{:>2} to {last:>2} {:>11}    {cw:>3} {cd:>3} {cl:>3}   {ew:>3} {ed:>3} {el:>3}",
                row.band, row.positions
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SplitMix64;

    /// Results in exactly the shares that a model says.
    fn counts_of(model: &WdlModel) -> WdlCounts {
        let mut counts = WdlCounts::default();
        for material in 17..=78 {
            for class in -150..150 {
                let p = Chances::new(model, material, class).p;
                counts.classes.insert((material, class), p.map(|p| (1e6 * p).round() as u64));
            }
        }
        counts
    }

    #[test]
    fn a_known_model_is_found_again() {
        let model = WdlModel { a: [60.0, -90.0, 150.0, 80.0], b: [70.0, 30.0, -20.0, 10.0] };
        let fit = counts_of(&model).fit().unwrap();
        for material in 17..=78 {
            let ((a, b), (fitted_a, fitted_b)) = (model.at(material), fit.model.at(material));
            assert!(
                (a - fitted_a).abs() < 0.1 && (b - fitted_b).abs() < 0.1,
                "{material}: {a} {fitted_a} {b} {fitted_b}"
            );
        }
    }

    #[test]
    fn slopes_are_those_of_the_chances() {
        let model = WdlModel { a: [200.0, 0.0, 0.0, 0.0], b: [90.0, 0.0, 0.0, 0.0] };
        let shifted =
            |da: f64, db: f64| WdlModel { a: [200.0 + da, 0.0, 0.0, 0.0], b: [90.0 + db, 0.0, 0.0, 0.0] };
        for class in [-60, -20, 0, 7, 40] {
            let slopes = Chances::new(&model, 58, class).slopes;
            for (result, slope) in slopes.into_iter().enumerate() {
                let along = |da, db| {
                    let (up, down) = (shifted(da, db), shifted(-da, -db));
                    (Chances::new(&up, 58, class).p[result] - Chances::new(&down, 58, class).p[result]) / 2e-3
                };
                assert!((along(1e-3, 0.0) - slope[0]).abs() < 1e-8);
                assert!((along(0.0, 1e-3) - slope[1]).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn results_are_those_of_the_side_to_move() {
        let mut random = SplitMix64::from_state(5);
        let mut counts = WdlCounts::default();
        let mut sums = [0; 3];
        for _ in 0..200 {
            let game = super::super::sample::game(&mut random);
            counts.add(&game);
            game.for_each_kept(|Kept { position, outcome, .. }| {
                let won = outcome == Outcome::win_for(position.stm());
                let lost = outcome == Outcome::win_for(!position.stm());
                sums[if won {
                    0
                } else if lost {
                    2
                } else {
                    1
                }] += 1;
            });
        }
        let counted = counts.classes.values().fold([0; 3], |sum, n| std::array::from_fn(|k| sum[k] + n[k]));
        assert_eq!(counted, sums);
        assert!(WdlCounts::default().fit().is_none());
    }
}
