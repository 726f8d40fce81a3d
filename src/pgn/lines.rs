//! The text of a PGN file line by line, with a place in the line that only goes forward.

use std::io::{self, BufRead};

/// The mark that some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A stream and a place in it.
pub(super) struct Lines<R> {
    source: R,
    /// The current line without its end.
    line: Vec<u8>,
    /// The end of the line: nothing, or one or two bytes.
    line_end: Vec<u8>,
    /// The place in the line.
    at: usize,
    /// Number of the line, from 1; 0 before the first.
    number: u64,
    /// Bytes read so far.
    bytes: u64,
    /// What has been kept of lines before this one.
    kept: Vec<u8>,
    /// From where in this line text is kept.
    keep_from: usize,
    /// Bytes that were looked at.
    #[cfg(test)]
    pub(super) examined: u64,
}

impl<R: BufRead> Lines<R> {
    /// The beginning of a stream.
    pub(super) fn new(source: R) -> Lines<R> {
        Lines {
            source,
            line: Vec::new(),
            line_end: Vec::new(),
            at: 0,
            number: 0,
            bytes: 0,
            kept: Vec::new(),
            keep_from: 0,
            #[cfg(test)]
            examined: 0,
        }
    }

    /// Number of the current line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Goes to the next line; false at the end of the stream, where the line is empty and counts as one more.
    pub(super) fn advance(&mut self) -> io::Result<bool> {
        self.kept.extend_from_slice(&self.line[self.keep_from..]);
        self.kept.append(&mut self.line_end);
        self.line.clear();
        let count = self.source.read_until(b'\n', &mut self.line)?;
        self.bytes += count as u64;
        self.number += 1;
        let length = match self.line[..] {
            [.., b'\r', b'\n'] => self.line.len() - 2,
            [.., b'\n'] => self.line.len() - 1,
            _ => self.line.len(),
        };
        self.line_end = self.line.split_off(length);
        self.at = if self.line.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        self.keep_from = 0;
        Ok(count > 0)
    }

    /// What is left of the line.
    pub(super) fn rest(&self) -> &[u8] {
        &self.line[self.at..]
    }

    /// The next byte of the line.
    pub(super) fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Passes over so many bytes of the line, at most its rest, and gives them.
    pub(super) fn take(&mut self, count: usize) -> &[u8] {
        let from = self.at;
        self.at = from.saturating_add(count).min(self.line.len());
        &self.line[from..self.at]
    }

    /// Passes over the bytes in front for which this holds, and gives them.
    pub(super) fn take_while(&mut self, holds: impl Fn(u8) -> bool) -> &[u8] {
        let count = self.count_while(0, holds);
        self.take(count)
    }

    /// The number of bytes for which this holds, so far behind the place.
    pub(super) fn count_while(&mut self, behind: usize, holds: impl Fn(u8) -> bool) -> usize {
        let bytes = self.rest().get(behind..).unwrap_or_default();
        let count = bytes.iter().take_while(|&&byte| holds(byte)).count();
        #[cfg(test)]
        {
            self.examined += count as u64 + 1;
        }
        count
    }

    /// From here on text is kept.
    pub(super) fn begin_keeping(&mut self) {
        self.kept.clear();
        self.keep_from = self.at;
    }

    /// The text up to here since [`begin_keeping`](Self::begin_keeping), byte for byte.
    pub(super) fn take_kept(&mut self) -> Vec<u8> {
        self.kept.extend_from_slice(&self.line[self.keep_from..self.at]);
        self.keep_from = self.at;
        std::mem::take(&mut self.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_was_there() {
        let text = b"\xEF\xBB\xBF  ab c\r\n\n\xFFd\r\nlast";
        let mut lines = Lines::new(&text[..]);
        assert!(lines.advance().unwrap());
        assert_eq!(lines.take_while(|byte| byte == b' ').len(), 2);
        lines.begin_keeping();
        assert_eq!(
            (lines.take(1).to_vec(), lines.peek(), lines.rest()),
            (b"a".to_vec(), Some(b'b'), &b"b c"[..])
        );
        while lines.rest() != b"last" {
            assert!(lines.advance().unwrap());
        }
        assert_eq!((lines.number(), lines.take(99)), (4, &b"last"[..]));
        assert_eq!(lines.take_kept(), b"ab c\r\n\n\xFFd\r\nlast");
        assert!(!lines.advance().unwrap() && lines.peek().is_none());
        assert_eq!((lines.bytes(), lines.number()), (text.len() as u64, 5));
    }
}
