//! The log of a training: a row for each pass, or for each part of a long one.

use std::fmt::Write;

use super::curve::{Panel, Series, to_svg};
use super::trainer::Validation;

/// How the training stood at some moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Passes over the data, with fraction.
    pub pass: f64,
    /// Positions trained on.
    pub samples: u64,
    /// Learning rate.
    pub rate: f32,
    /// Share of the result in the target.
    pub wdl: f32,
    /// Mean loss of the steps since the row before.
    pub train_loss: f64,
    /// Mean loss, under the objective of the last step, on some of the positions trained on. What the one on
    /// positions held out is larger by, was learnt by heart.
    pub train_last_loss: f64,
    /// Losses on the positions held out, if there are any.
    pub holdout: Option<Validation>,
}

/// All rows so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History(pub Vec<Row>);

impl History {
    /// A table of comma-separated values of a training at this scale. Where nothing is held out, those
    /// fields are empty.
    pub fn to_csv(&self, scale: i32) -> String {
        let mut csv =
            "pass,samples,lr,wdl,train_loss,holdout_loss,train_loss_at_last_wdl,holdout_loss_at_last_wdl,\
             holdout_square_at_last_wdl,holdout_square_to_score,holdout_square_to_result,scale\n"
                .to_owned();
        for row in &self.0 {
            let found = |part: fn(Validation) -> f64| {
                row.holdout.map_or(String::new(), |losses| format!("{:.8}", part(losses)))
            };
            let (loss, last_loss) = (found(|losses| losses.loss), found(|losses| losses.last_loss));
            let (squared, to_score) = (found(|losses| losses.squared), found(|losses| losses.to_score));
            let to_result = found(|losses| losses.to_result);
            // Writing into a String does not fail.
            let _ = writeln!(
                csv,
                "{:.4},{},{:.4e},{:.4},{:.8},{loss},{:.8},{last_loss},{squared},{to_score},{to_result},{scale}",
                row.pass, row.samples, row.rate, row.wdl, row.train_loss, row.train_last_loss,
            );
        }
        csv
    }

    /// The curves of loss, learning rate and share of the result as an SVG document.
    pub fn to_svg(&self, title: &str) -> String {
        let series = |name, color, value: &dyn Fn(&Row) -> Option<f64>| Series {
            name,
            color,
            points: self.0.iter().filter_map(|row| Some((row.pass, value(row)?))).collect(),
        };
        let fixed = |row: &Row| row.holdout.map(|losses| losses.last_loss);
        to_svg(
            title,
            "pass",
            &[
                Panel {
                    title: "loss",
                    height: 260.0,
                    series: vec![
                        series("training", "#4878a8", &|row| Some(row.train_loss)),
                        series("held out", "#d06020", &|row| row.holdout.map(|losses| losses.loss)),
                    ],
                },
                Panel {
                    title: "loss at the last wdl",
                    height: 260.0,
                    series: vec![
                        series("training", "#4878a8", &|row| Some(row.train_last_loss)),
                        series("held out", "#d06020", &fixed),
                    ],
                },
                Panel {
                    title: "learning rate",
                    height: 110.0,
                    series: vec![series("lr", "#4878a8", &|row| Some(row.rate.into()))],
                },
                Panel {
                    title: "share of the result in the target",
                    height: 110.0,
                    series: vec![series("wdl", "#4878a8", &|row| Some(row.wdl.into()))],
                },
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_drawing() {
        let holdout =
            Some(Validation { loss: 0.03, last_loss: 0.04, squared: 0.05, to_score: 0.06, to_result: 0.07 });
        let row = Row {
            pass: 0.5,
            samples: 100,
            rate: 1e-3,
            wdl: 0.2,
            train_loss: 0.02,
            train_last_loss: 0.01,
            holdout,
        };
        let history = History(vec![row, Row { pass: 1.0, holdout: None, ..row }]);
        let csv = history.to_csv(166);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[1],
            "0.5000,100,1.0000e-3,0.2000,0.02000000,0.03000000,0.01000000,0.04000000,0.05000000,0.06000000,0.07000000,166"
        );
        assert_eq!(lines[2], "1.0000,100,1.0000e-3,0.2000,0.02000000,,0.01000000,,,,,166");
        assert!(lines.iter().all(|line| line.matches(',').count() == 11), "{csv}");
        assert!(history.to_svg("net").contains("held out"));
    }
}
