//! Reads lines of standard input, which may hold any bytes.

use std::io::{self, BufRead, Read};

/// Longest line that is read, in bytes. A `position` with every move of the longest possible game (the
/// seventy-five-move rule ends it before move 8850) is a tenth of it.
pub const MAX_LINE: usize = 1 << 20;

/// A line of input, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line as text. On Windows, a line that is not UTF-8 is decoded by the system's code page. Bytes that cannot be
    /// decoded are replaced.
    Line(String),
    /// A line of more than [`MAX_LINE`] bytes, which were discarded as they were read.
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
        if let Some(text) = codepage::decode(error.as_bytes()) {
            return text;
        }
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })
}

/// Decoding of text from Windows programs without Unicode, by the code page that the system is set to.
#[cfg(windows)]
mod codepage {
    use windows_sys::Win32::Globalization::{CP_ACP, MultiByteToWideChar};

    /// Decodes text in the system's code page; `None` when the system cannot.
    // Only the system knows its code page, and it has no safe interface.
    #[allow(unsafe_code)]
    pub(super) fn decode(bytes: &[u8]) -> Option<String> {
        // No code page has a character that takes more UTF-16 units than bytes.
        let mut units = vec![0_u16; bytes.len()];
        let length = i32::try_from(bytes.len()).ok()?;
        // SAFETY: both pointers are to `length` elements, the function's two counts, and last until it returns.
        let written =
            unsafe { MultiByteToWideChar(CP_ACP, 0, bytes.as_ptr(), length, units.as_mut_ptr(), length) };
        let written = usize::try_from(written).ok().filter(|&written| written > 0)?;
        Some(String::from_utf16_lossy(&units[..written]))
    }
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
    fn only_lines_that_are_too_long_are_discarded() {
        let long = |length: usize| [&vec![b'x'; length][..], b"\nuci\n"].concat();
        assert_eq!(read_all(&long(MAX_LINE)), [line(&"x".repeat(MAX_LINE)), line("uci")]);
        assert_eq!(read_all(&long(MAX_LINE + 1)), [Input::TooLong, line("uci")]);
        assert_eq!(read_all(&long(3 * MAX_LINE)), [Input::TooLong, line("uci")]);
        assert_eq!(read_all(&vec![b' '; 2 * MAX_LINE]), [Input::TooLong]);
    }

    #[cfg(windows)]
    #[test]
    fn ascii_is_in_every_code_page() {
        assert_eq!(codepage::decode(b"position startpos").as_deref(), Some("position startpos"));
        assert_eq!(codepage::decode(b""), None);
    }
}
