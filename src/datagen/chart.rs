//! Histograms as text and as drawings.

use std::fmt::Write;

use crate::console::svg::{self, escaped};

/// A histogram: counts under labels.
pub(crate) struct Chart {
    pub(super) title: String,
    pub(super) bars: Vec<(String, u64)>,
}

/// Characters of the longest bar in a text.
const TEXT_WIDTH: u64 = 40;

// Measures of a drawing, in pixels.
const WIDTH: usize = 720;
const MARGIN: usize = 20;
const TITLE_HEIGHT: usize = 34;
const ROW_HEIGHT: usize = 16;
const LABEL_WIDTH: usize = 150;
const BAR_WIDTH: u64 = 440;

impl Chart {
    /// The share of a count in percent.
    fn percent(&self, count: u64) -> f64 {
        let total: u64 = self.bars.iter().map(|bar| bar.1).sum();
        100.0 * count as f64 / total.max(1) as f64
    }

    fn largest(&self) -> u64 {
        self.bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1)
    }

    /// The title and a line for each bar.
    pub(super) fn to_text(&self) -> String {
        let label_width = self.bars.iter().map(|bar| bar.0.len()).max().unwrap_or(0);
        let mut text = self.title.clone();
        for (label, count) in &self.bars {
            let length = (count * TEXT_WIDTH).div_ceil(self.largest()) as usize;
            let percent = self.percent(*count);
            // Writing into a String does not fail.
            let _ =
                write!(text, "\n  {label:>label_width$} {count:>11} {percent:>5.1} % {}", "#".repeat(length));
        }
        text
    }
}

/// All charts below each other as an SVG document.
pub(crate) fn to_svg(charts: &[Chart]) -> String {
    let height =
        charts.iter().map(|chart| TITLE_HEIGHT + chart.bars.len() * ROW_HEIGHT).sum::<usize>() + 2 * MARGIN;
    let mut svg = svg::start(WIDTH, height);
    let mut top = MARGIN;
    for chart in charts {
        let title_line = top + TITLE_HEIGHT - 14;
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{title_line}\" font-size=\"14\" font-weight=\"bold\">{}</text>",
            escaped(&chart.title)
        );
        top += TITLE_HEIGHT;
        for (label, count) in &chart.bars {
            let (left, line) = (MARGIN + LABEL_WIDTH, top + ROW_HEIGHT - 4);
            let width = count * BAR_WIDTH / chart.largest();
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{line}\" text-anchor=\"end\">{}</text>\
                 <rect x=\"{left}\" y=\"{}\" width=\"{width}\" height=\"{}\" fill=\"#4878a8\"/>\
                 <text x=\"{}\" y=\"{line}\">{:.1} %</text>",
                left - 8,
                escaped(label),
                top + 1,
                ROW_HEIGHT - 2,
                left as u64 + width + 6,
                chart.percent(*count)
            );
            top += ROW_HEIGHT;
        }
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let bars = vec![("< 0".to_owned(), 1), ("0".to_owned(), 3), ("more".to_owned(), 0)];
        Chart { title: "a & b".to_owned(), bars }
    }

    #[test]
    fn text() {
        let text = chart().to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a & b");
        assert_eq!(lines[1], format!("   < 0           1  25.0 % {}", "#".repeat(14)));
        assert_eq!(lines[2], format!("     0           3  75.0 % {}", "#".repeat(40)));
        assert_eq!(lines[3].trim_end(), "  more           0   0.0 %");
    }

    #[test]
    fn drawing() {
        let svg = to_svg(&[chart(), chart()]);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("a &amp; b").count(), 2);
        assert_eq!(svg.matches("&lt; 0").count(), 2);
        assert_eq!(svg.matches("fill=\"#4878a8\"").count(), 6);
        assert!(svg.contains("width=\"440\"") && svg.contains("width=\"146\""));
        let empty = Chart { title: String::new(), bars: vec![(String::new(), 0)] };
        assert!(empty.to_text().contains("0.0 %"));
    }
}
