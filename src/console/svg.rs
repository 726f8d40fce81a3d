//! What all drawings have in common: SVG documents written as text.

use std::fmt::Display;

/// The start of a document of this size in pixels, on white. It ends with `</svg>`.
pub(crate) fn start(width: impl Display, height: impl Display) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    )
}

/// A text as it may stand between tags.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
