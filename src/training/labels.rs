//! Whether scores and results of a data set belong together.

use super::dataset::Dataset;
use super::record::Record;

/// Scores beyond this, in internal units, should tell who wins.
const CLEAR: i16 = 300;
/// Fewer positions are too few to judge by.
const FEW: u64 = 1000;
/// Least share that passes. Sound data have more than 90 %; with results or sides mixed up it is half or
/// less.
const LEAST: f64 = 0.7;

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
        self.clear < FEW || self.share().is_none_or(|share| share >= LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::samples::material_records;

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
}
