//! How far long runs have come.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar up to `total`, with the time left, on standard error; hidden where that is no terminal.
pub(crate) fn bar(total: u64, unit: &str) -> ProgressBar {
    let target =
        if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(total), target);
    let template = format!("{{bar:40}} {{percent:>3}}%  {{human_pos}} {unit}  ETA {{eta}}  {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Hours, minutes and seconds.
pub(crate) fn clock(seconds: u64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_shows_every_digit() {
        assert_eq!(clock(0), "0:00:00");
        assert_eq!(clock(3599), "0:59:59");
        assert_eq!(clock(100 * 3600 + 61), "100:01:01");
    }
}
