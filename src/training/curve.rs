//! Line charts, one below the other, as an SVG document.

use std::fmt::Write;

use crate::console::svg;

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
