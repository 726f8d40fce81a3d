//! The log of a training, a row for each pass or for each part of a long one, and its drawing: line charts, one below the
//! other, as an SVG document.

use std::fmt::Write;

use super::trainer::Validation;
use crate::console::svg;

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

/// A line with its name.
pub(super) struct Series {
    pub name: &'static str,
    pub color: &'static str,
    /// By rising x.
    pub points: Vec<(f64, f64)>,
}

/// A chart of lines over the same axes.
pub(super) struct Panel {
    pub title: &'static str,
    /// Pixels between its x axis and its top.
    pub height: f64,
    pub series: Vec<Series>,
}

// Measures in pixels.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
/// Above a panel, for its title.
const HEAD: f64 = 28.0;
/// Below a panel, for the numbers on its x axis.
const FOOT: f64 = 26.0;
const BOTTOM: f64 = 24.0;

/// A linear scale: numbers that are round, and where they lie.
struct Axis {
    from: f64,
    to: f64,
    step: f64,
}

impl Axis {
    /// Covers all values, from one round number to another, with about `steps` of them between.
    fn around(values: impl Iterator<Item = f64> + Clone, steps: f64) -> Axis {
        let values = values.filter(|value| value.is_finite());
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // A flat line lies in the middle.
        let span = if high > low { high - low } else { low.abs().max(1e-9) };
        let (low, high) = if high > low { (low, high) } else { (low - span / 2.0, high + span / 2.0) };
        let rough = span / steps;
        let power = 10f64.powf(rough.log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= 0.999 * rough);
        let step = factor.unwrap_or(10.0) * power;
        Axis { from: (low / step).floor() * step, to: (high / step).ceil() * step, step }
    }

    /// Where a value lies, from 0 (start) to 1 (end).
    fn place(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }

    /// The round numbers, with their texts.
    fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let count = ((self.to - self.from) / self.step).round() as usize;
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        (0..=count).map(move |index| {
            let value = self.from + index as f64 * self.step;
            // No "-0".
            let value = if value.abs() < self.step / 1e6 { 0.0 } else { value };
            (value, format!("{value:.decimals$}"))
        })
    }
}

/// Draws the panels over a common x axis.
pub(super) fn to_svg(title: &str, x_label: &str, panels: &[Panel]) -> String {
    let height = TOP + BOTTOM + panels.iter().map(|panel| HEAD + panel.height + FOOT).sum::<f64>();
    let mut svg = svg::start(WIDTH, height);
    // Writing into a String does not fail.
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{}</text>",
        svg::escaped(title)
    );
    let all = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let x_axis = Axis::around(all.map(|point| point.0).chain([0.0]), 10.0);
    let mut top = TOP;
    for panel in panels {
        top += HEAD;
        draw_panel(&mut svg, panel, &x_axis, top);
        top += panel.height + FOOT;
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n</svg>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        top + 12.0,
        svg::escaped(x_label)
    );
    svg
}

fn draw_panel(svg: &mut String, panel: &Panel, x_axis: &Axis, top: f64) {
    let points = panel.series.iter().flat_map(|series| &series.points);
    let y_axis = Axis::around(points.map(|point| point.1), panel.height / 40.0);
    let x_at = |x: f64| LEFT + x_axis.place(x) * (WIDTH - LEFT - RIGHT);
    let y_at = |y: f64| top + (1.0 - y_axis.place(y)) * panel.height;
    let (right, bottom) = (WIDTH - RIGHT, top + panel.height);
    for (value, text) in y_axis.ticks() {
        let y = y_at(value);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#dddddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    for (value, text) in x_axis.ticks() {
        let x = x_at(value);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#eeeeee\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            bottom + 16.0
        );
    }
    let _ = writeln!(svg, "<path d=\"M{LEFT} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>");
    let _ =
        writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\" font-weight=\"bold\">{}</text>", top - 8.0, panel.title);
    let mut legend = right;
    for series in panel.series.iter().filter(|series| !series.points.is_empty()) {
        let line: String =
            series.points.iter().map(|&(x, y)| format!("{:.1},{:.1} ", x_at(x), y_at(y))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>",
            line.trim_end(),
            series.color
        );
        if panel.series.len() > 1 {
            let _ = writeln!(
                svg,
                "<text x=\"{legend}\" y=\"{}\" text-anchor=\"end\" fill=\"{}\">{}</text>",
                top - 8.0,
                series.color,
                series.name
            );
            // Letters are about half as wide as the font is high.
            legend -= 6.5 * series.name.len() as f64 + 16.0;
        }
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

    fn ticks(values: &[f64], steps: f64) -> Vec<String> {
        Axis::around(values.iter().copied(), steps).ticks().map(|tick| tick.1).collect()
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(ticks(&[0.0, 30.0], 10.0), ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(ticks(&[0.0123, 0.0178], 4.0), ["0.012", "0.014", "0.016", "0.018"]);
        assert_eq!(ticks(&[-0.1, 0.1], 2.0), ["-0.1", "0.0", "0.1"]);
        let flat = Axis::around([0.3, 0.3].into_iter(), 2.0);
        assert!((0.2..0.8).contains(&flat.place(0.3)), "{}", flat.place(0.3));
        assert_eq!(ticks(&[f64::NAN], 2.0), ["0.0", "0.5", "1.0"], "nothing to show");
    }

    #[test]
    fn points_lie_where_they_should() {
        let points = vec![(0.0, 1.0), (10.0, 0.0)];
        let panel = Panel {
            title: "loss",
            height: 100.0,
            series: vec![Series { name: "a", color: "#000000", points }],
        };
        let svg = to_svg("a < b", "pass", &[panel]);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("a &lt; b") && svg.contains(">pass</text>"));
        let (left, right, top) = (LEFT, WIDTH - RIGHT, TOP + HEAD);
        let line = format!("points=\"{left:.1},{top:.1} {right:.1},{:.1}\"", top + 100.0);
        assert!(svg.contains(&line), "{svg}");
    }
}
