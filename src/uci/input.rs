//! Lines of standard input, which may be anything.

use std::io::{self, BufRead, Read};

/// Longest line that is read, in bytes. A `position` with every move of the longest possible game (the
/// seventy-five-move rule ends it before move 8850) is a tenth of it.
pub const MAX_LINE: usize = 1 << 20;

/// A line of input, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// On Windows, a line that is not UTF-8 is taken for text in the system's code page. What cannot be read
    /// as text is replaced.
    Line(String),
    /// More than [`MAX_LINE`] bytes, thrown away as they came.
    TooLong,
}

/// Reads a line; `None` at the end of the input. A last line may lack its end.
///
/// # Errors
/// When the stream cannot be read.
pub fn read(stream: &mut impl BufRead) -> io::Result<Option<Input>> {
    let mut bytes = Vec::new();
    stream.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() > MAX_LINE {
        stream.skip_until(b'\n')?;
        return Ok(Some(Input::TooLong));
    }
    Ok(Some(Input::Line(text(bytes))))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        #[cfg(windows)]
        if let Some(text) = super::codepage::decode(error.as_bytes()) {
            return text;
        }
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8]) -> Vec<Input> {
        let mut stream = io::BufReader::with_capacity(1000, bytes);
        std::iter::from_fn(|| read(&mut stream).unwrap()).collect()
    }

    fn line(text: &str) -> Input {
        Input::Line(text.to_owned())
    }

    #[test]
    fn lines_end_with_a_line_feed_or_the_input() {
        assert_eq!(read_all(b""), []);
        assert_eq!(read_all(b"uci\r\n\nquit"), [line("uci\r"), line(""), line("quit")]);
        assert_eq!(read_all(b"\n"), [line("")]);
        #[cfg(not(windows))]
        assert_eq!(read_all(b"a\xFFb\n"), [line("a\u{FFFD}b")]);
    }

    #[test]
    fn only_what_is_too_long_is_thrown_away() {
        let long = |length: usize| [&vec![b'x'; length][..], b"\nuci\n"].concat();
        assert_eq!(read_all(&long(MAX_LINE)), [line(&"x".repeat(MAX_LINE)), line("uci")]);
        assert_eq!(read_all(&long(MAX_LINE + 1)), [Input::TooLong, line("uci")]);
        assert_eq!(read_all(&long(3 * MAX_LINE)), [Input::TooLong, line("uci")]);
        assert_eq!(read_all(&vec![b' '; 2 * MAX_LINE]), [Input::TooLong]);
    }
}
