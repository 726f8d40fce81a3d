//! How table files are read.
//!
//! Files are read by position instead of being mapped into memory: a mapped file that shrinks or lies on a
//! drive that fails ends the process, a read that fails is an error. Small files are kept in memory once
//! used, which spares the system calls.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};

/// Files up to this size are kept in memory: all tables of up to four men, many of five.
const KEEP_BYTES: u64 = 1 << 20;

/// The reader's access to files.
pub(super) struct Files {
    system: OsFilesystem,
}

impl Files {
    pub(super) fn new() -> Files {
        Files { system: OsFilesystem::new() }
    }
}

impl Filesystem for Files {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.system.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.system.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        if self.regular_file_size(path)? <= KEEP_BYTES {
            return Ok(Box::new(Kept(fs::read(path)?)));
        }
        self.system.open(path)
    }
}

/// A file in memory.
struct Kept(Vec<u8>);

impl RandomAccessFile for Kept {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or(&[]);
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}
