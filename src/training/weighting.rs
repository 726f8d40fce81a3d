//! How much a position counts in the training: a weight by the men on the board, and one by the ply.

use std::fmt;
use std::str::FromStr;

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
