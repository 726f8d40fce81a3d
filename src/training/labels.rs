//! Whether scores and results of a data set belong together, and the scale at which scores predict results best.

use super::dataset::Dataset;
use super::record::Record;
use crate::nnue::SCALES;

/// Scores beyond this, in internal units, should tell who wins.
const CLEAR: i16 = 300;
/// Fewer positions are too few to judge by.
const FEW: u64 = 1000;
/// Least share that passes. Sound data have more than 90 %; with results or sides mixed up it is half or
/// less.
const LEAST_AGREEMENT: f64 = 0.7;

/// How often clear scores have the sign of the result, among positions of decided games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignAgreement {
    /// Positions with a score beyond 300, of games that were not drawn.
    pub clear: u64,
    /// Those among them whose side with the better score won.
    pub agreeing: u64,
}

impl SignAgreement {
    /// Counts in all positions, those held out included.
    pub fn of(data: &Dataset) -> SignAgreement {
        let mut agreement = SignAgreement::default();
        for record in data.train().iter().chain(data.holdout()) {
            agreement.add(record);
        }
        agreement
    }

    fn add(&mut self, record: &Record) {
        let score = record.score();
        if score.unsigned_abs() > CLEAR.unsigned_abs()
            && let Some(half_points @ (0 | 2)) = record.half_points()
        {
            self.clear += 1;
            self.agreeing += u64::from((score > 0) == (half_points == 2));
        }
    }

    /// The share that agrees; none without such positions.
    pub fn share(&self) -> Option<f64> {
        (self.clear > 0).then(|| self.agreeing as f64 / self.clear as f64)
    }

    /// Whether the labels may be trained on; too few positions pass.
    pub fn is_plausible(&self) -> bool {
        self.clear < FEW || self.share().is_none_or(|share| share >= LEAST_AGREEMENT)
    }
}

/// A sigmoid fitted to scores and results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleFit {
    /// Internal units of the sigmoid's unit.
    pub scale: f64,
    /// Mean squared difference between sigmoid(score / scale) and the result (0, 0.5, 1).
    pub error: f64,
}

impl ScaleFit {
    /// The scale as a network can have it: a whole number within [`SCALES`].
    pub fn rounded(&self) -> i32 {
        (self.scale.round() as i32).clamp(*SCALES.start(), *SCALES.end())
    }
}

/// Scales that are tried, in internal units.
const LEAST: f64 = 20.0;
const MOST: f64 = 5000.0;

/// All records with one score: how many, the sum of their results and of the squares of these.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: f64,
    sum: f64,
    squares: f64,
}

/// The scale that makes sigmoid(score / scale) the best forecast of the result, in the sense of least
/// squares; none without records that have a result.
pub fn fit_scale(records: &[Record]) -> Option<ScaleFit> {
    let mut bins = vec![Bin::default(); 1 << 16];
    for record in records {
        let Some(half_points) = record.half_points() else { continue };
        let bin = &mut bins[usize::from(record.score() as u16)];
        let result = 0.5 * f64::from(half_points);
        bin.count += 1.0;
        bin.sum += result;
        bin.squares += result * result;
    }
    let bins: Vec<(f64, Bin)> = bins
        .into_iter()
        .enumerate()
        .filter(|(_, bin)| bin.count > 0.0)
        .map(|(index, bin)| (f64::from(index as u16 as i16), bin))
        .collect();
    let total: f64 = bins.iter().map(|(_, bin)| bin.count).sum();
    let error = |scale: f64| {
        let sum: f64 = bins
            .iter()
            .map(|(score, bin)| {
                let expected = 1.0 / (1.0 + (-score / scale).exp());
                bin.squares - 2.0 * expected * bin.sum + expected * expected * bin.count
            })
            .sum();
        sum / total
    };
    let scale = minimum(|exponent: f64| error(exponent.exp()), LEAST.ln(), MOST.ln()).exp();
    (total > 0.0).then(|| ScaleFit { scale, error: error(scale) })
}

/// Where a function with one valley between `low` and `high` is least (golden section search).
fn minimum(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (f(left), f(right));
    while high - low > 1e-6 {
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = f(right);
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::samples::material_records;
    use crate::types::SplitMix64;

    fn agreement(labels: &[(i16, u8, usize)]) -> SignAgreement {
        let record = material_records(61, 1)[0];
        let mut agreement = SignAgreement::default();
        for &(score, half_points, times) in labels {
            (0..times).for_each(|_| agreement.add(&record.with_labels(score, half_points)));
        }
        agreement
    }

    #[test]
    fn only_clear_scores_and_decided_games_count() {
        let found =
            agreement(&[(300, 2, 5), (-300, 2, 5), (2000, 1, 5), (301, 2, 1), (-301, 0, 2), (900, 0, 4)]);
        assert_eq!(found, SignAgreement { clear: 7, agreeing: 3 });
        assert_eq!(agreement(&[]).share(), None);
        let mut none = SignAgreement::default();
        none.add(&material_records(61, 1)[0].with_labels(900, 0).without_result());
        assert_eq!(none.clear, 0);
    }

    #[test]
    fn mixed_up_labels_are_noticed() {
        assert!(agreement(&[(500, 2, 350), (-500, 0, 350), (500, 0, 300)]).is_plausible());
        assert!(!agreement(&[(500, 2, 349), (-500, 0, 350), (500, 0, 301)]).is_plausible());
        // Too few to tell.
        assert!(agreement(&[(500, 0, 999)]).is_plausible());
        assert!(agreement(&[]).is_plausible());
    }

    #[test]
    fn the_scale_of_the_data_is_found() {
        let record = material_records(1, 1)[0];
        for scale in [150.0, 400.0] {
            let mut random = SplitMix64::new(1, 1);
            let records: Vec<Record> = (0..200_000)
                .map(|_| {
                    let score = random.within(1000.0);
                    let expected = 1.0 / (1.0 + (-f64::from(score) / scale).exp());
                    record.with_labels(score as i16, if random.unit() < expected { 2 } else { 0 })
                })
                .collect();
            let fit = fit_scale(&records).unwrap();
            assert!((fit.scale / scale - 1.0).abs() < 0.03, "{fit:?}");
            assert!((0.05..0.25).contains(&fit.error), "{fit:?}");
        }
        assert_eq!(fit_scale(&[]), None);
        assert_eq!(fit_scale(&[record.without_result()]), None);
    }

    #[test]
    fn networks_get_whole_scales_within_bounds() {
        for (scale, rounded) in [(166.4, 166), (166.5, 167), (20.0, 50), (5000.0, 1000)] {
            assert_eq!(ScaleFit { scale, error: 0.1 }.rounded(), rounded);
        }
    }
}
