//! What the network is asked to predict, what its errors cost, and how much a position counts: a weight by the
//! pieces on the board, and one by the ply.

use std::fmt;
use std::str::FromStr;

use super::record::Record;

/// Targets and loss at one moment of the training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// Share of the game's result in the target, 0 to 1; the rest is the score.
    pub wdl: f32,
    /// Internal units that make an expected result of 73 % (the scale of the sigmoid), which is also what an
    /// output of one is worth.
    pub scale: f32,
    /// What errors cost.
    pub cost: Cost,
}

/// What an error costs: its magnitude to a power, times a factor for its sign, times the position's weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The power, 1 to 4.
    pub exponent: f32,
    /// What is added to the cost of an output that is too high for the side to move, as a share of it, 0 to 1.
    pub asymmetry: f32,
    /// Weight by the number of pieces.
    pub pieces: Curve,
    /// Weight by the plies from the start of the game.
    pub ply: Curve,
}

impl Cost {
    /// The squared error of every position alike.
    pub const SQUARE: Cost = Cost { exponent: 2.0, asymmetry: 0.0, pieces: Curve::ONE, ply: Curve::ONE };

    /// The weight of a position.
    #[inline(always)]
    pub fn weight(&self, record: &Record) -> f32 {
        self.pieces.at(record.piece_count()) * self.ply.at(record.ply().into())
    }

    /// The cost of an output, and the slope of it towards the output.
    #[inline(always)]
    pub fn loss_and_slope(&self, output: f32, target: f32, weight: f32) -> (f32, f32) {
        let expected = sigmoid(output);
        let error = expected - target;
        let steepness = expected * (1.0 - expected);
        let factor = if error > 0.0 { weight * (1.0 + self.asymmetry) } else { weight };
        if self.exponent == 2.0 {
            return (factor * error * error, factor * 2.0 * error * steepness);
        }
        let power = error.abs().powf(self.exponent - 1.0);
        (factor * power * error.abs(), factor * self.exponent * power.copysign(error) * steepness)
    }
}

impl Objective {
    /// The expected result that the network should give, 0 to 1. Where there is no result it is that of the score.
    #[inline(always)]
    pub fn target(&self, record: &Record) -> f32 {
        let expected = sigmoid(f32::from(record.score()) / self.scale);
        match record.half_points() {
            Some(half_points) => self.wdl * 0.5 * f32::from(half_points) + (1.0 - self.wdl) * expected,
            None => expected,
        }
    }

    /// What this output costs for this record.
    pub fn loss(&self, output: f32, record: &Record) -> f64 {
        self.cost.loss_and_slope(output, self.target(record), self.cost.weight(record)).0.into()
    }

    /// The same target, under which the squared errors of all positions count alike.
    pub fn squared(self) -> Objective {
        Objective { cost: Cost::SQUARE, ..self }
    }
}

/// The expected result of a score in units of the scale.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Most points of a curve.
const POINTS: usize = 8;

/// A weight over whole numbers: straight lines between a few points, level before the first and after the
/// last. Written `8:0.45,16:1`, as a number that stands for itself everywhere, or `1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// By rising place; those from `len` on mean nothing.
    points: [(u8, f32); POINTS],
    len: usize,
}

impl Curve {
    /// One everywhere.
    pub const ONE: Curve = Curve { points: [(0, 1.0); POINTS], len: 1 };

    /// The weight at this place.
    #[inline]
    pub fn at(&self, place: usize) -> f32 {
        let points = &self.points[..self.len];
        let next = points.partition_point(|point| usize::from(point.0) <= place);
        if next == 0 || next == self.len {
            return points[next.saturating_sub(1)].1;
        }
        let ((start, low), (end, high)) = (points[next - 1], points[next]);
        low + (high - low) * (place - usize::from(start)) as f32 / f32::from(end - start)
    }
}

impl FromStr for Curve {
    type Err = String;

    fn from_str(text: &str) -> Result<Curve, String> {
        let error = || {
            format!(
                "PLACE:WEIGHT[,PLACE:WEIGHT...], up to {POINTS} places from 0 to 255, rising, weights 0 to 10"
            )
        };
        let weight =
            |text: &str| text.parse().ok().filter(|weight| (0.0..=10.0).contains(weight)).ok_or_else(error);
        let mut curve = Curve { len: 0, ..Curve::ONE };
        if !text.contains(':') {
            return Ok(Curve { points: [(0, weight(text)?); POINTS], len: 1 });
        }
        for point in text.split(',') {
            let (place, height) = point.split_once(':').ok_or_else(error)?;
            let place: u8 = place.parse().map_err(|_| error())?;
            if curve.len == POINTS || (curve.len > 0 && curve.points[curve.len - 1].0 >= place) {
                return Err(error());
            }
            curve.points[curve.len] = (place, weight(height)?);
            curve.len += 1;
        }
        Ok(curve)
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [(0, weight)] = self.points[..self.len] {
            return write!(f, "{weight}");
        }
        for (index, (place, weight)) in self.points[..self.len].iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{place}:{weight}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::samples::material_records;

    #[test]
    fn slopes_are_those_of_the_loss() {
        for (exponent, asymmetry) in [(2.0, 0.0), (2.0, 0.2), (2.5, 0.0), (1.5, 0.15), (3.0, 1.0)] {
            let cost = Cost { exponent, asymmetry, ..Cost::SQUARE };
            for output in [-3.0, -0.4, 0.0, 0.7, 2.5] {
                for target in [0.0, 0.3, 0.9, 1.0] {
                    const STEP: f32 = 1e-2;
                    let loss = |output| f64::from(cost.loss_and_slope(output, target, 0.7).0);
                    let slope = (loss(output + STEP) - loss(output - STEP)) / f64::from(2.0 * STEP);
                    let found = f64::from(cost.loss_and_slope(output, target, 0.7).1);
                    assert!((slope - found).abs() < 2e-4, "{cost:?} {output} {target}: {found}, not {slope}");
                }
            }
        }
    }

    #[test]
    fn without_a_result_the_score_is_the_target() {
        let record = material_records(3, 1)[0].with_labels(250, 0);
        let expected = sigmoid(250.0 / 160.0);
        for wdl in [0.0, 0.3, 1.0] {
            let objective = Objective { wdl, scale: 160.0, cost: Cost::SQUARE };
            assert!((objective.target(&record) - (1.0 - wdl) * expected).abs() < 1e-6);
            assert_eq!(objective.target(&record.without_result()), expected);
        }
    }

    #[test]
    fn costs_are_as_described() {
        let loss = |cost: Cost, expected: f32, target: f32| {
            cost.loss_and_slope((expected / (1.0 - expected)).ln(), target, 1.0).0
        };
        let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
        close(loss(Cost::SQUARE, 0.6, 0.4), 0.04);
        let unequal = Cost { asymmetry: 0.25, ..Cost::SQUARE };
        close(loss(unequal, 0.6, 0.4), 0.05);
        close(loss(unequal, 0.4, 0.6), 0.04);
        close(loss(Cost { exponent: 3.0, ..Cost::SQUARE }, 0.6, 0.4), 0.008);
        let record = material_records(3, 1)[0].with_ply(21);
        let weighted =
            Cost { pieces: "2:2,32:2".parse().unwrap(), ply: "16:0,26:1".parse().unwrap(), ..Cost::SQUARE };
        assert_eq!(weighted.weight(&record), 1.0);
        let objective = Objective { wdl: 0.5, scale: 300.0, cost: weighted };
        let doubled = Objective { cost: Cost { ply: Curve::ONE, ..weighted }, ..objective };
        assert_eq!(2.0 * objective.loss(0.1, &record), doubled.loss(0.1, &record));
        assert_eq!(objective.squared().loss(0.1, &record), objective.loss(0.1, &record));
    }

    #[test]
    fn straight_lines_between_points() {
        let curve: Curve = "8:0.5,16:1,32:0".parse().unwrap();
        for (place, weight) in [(0, 0.5), (8, 0.5), (12, 0.75), (16, 1.0), (24, 0.5), (32, 0.0), (200, 0.0)] {
            assert_eq!(curve.at(place), weight, "{place}");
        }
        let full: Curve = "0:1,1:2,2:3,3:4,4:5,5:6,6:7,255:8".parse().unwrap();
        assert_eq!([0, 3, 6, 255, 300].map(|place| full.at(place)), [1.0, 4.0, 7.0, 8.0, 8.0]);
        assert_eq!([0, 30].map(|place| Curve::ONE.at(place)), [1.0; 2]);
    }

    #[test]
    fn texts_round_trip_and_mistakes_are_refused() {
        for text in ["1", "0.5", "16:0,26:1", "8:0.45,16:1,24:0.95,32:0.75", "5:2"] {
            assert_eq!(text.parse::<Curve>().unwrap().to_string(), text);
        }
        assert_eq!("1".parse(), Ok(Curve::ONE));
        for text in
            ["", ":", "a", "8:", "8:-1", "8:11", "8:nan", "256:1", "8:1,8:1", "9:1,8:1", "8:1,", "inf"]
        {
            assert!(text.parse::<Curve>().is_err(), "{text}");
        }
        assert!("0:1,1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1".parse::<Curve>().is_err());
    }
}
