//! Text of Windows programs that know no Unicode: letters by the code page that the system is set to.

// Only the system knows its code page, and there is no safe way to ask it.
#![allow(unsafe_code)]

use windows_sys::Win32::Globalization::{CP_ACP, MultiByteToWideChar};

/// Text in the system's code page; `None` where the system cannot make anything of it.
pub fn decode(bytes: &[u8]) -> Option<String> {
    // No code page has letters that need more units in UTF-16 than bytes in it.
    let mut units = vec![0_u16; bytes.len()];
    let length = i32::try_from(bytes.len()).ok()?;
    // SAFETY: both pointers are to `length` elements, the function's two counts, and last until it returns.
    let written =
        unsafe { MultiByteToWideChar(CP_ACP, 0, bytes.as_ptr(), length, units.as_mut_ptr(), length) };
    let written = usize::try_from(written).ok().filter(|&written| written > 0)?;
    Some(String::from_utf16_lossy(&units[..written]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_in_every_code_page() {
        assert_eq!(decode(b"position startpos").as_deref(), Some("position startpos"));
        assert_eq!(decode(b""), None);
    }
}
