//! The pages of this repository (Markdown) and the blocks in them.

// Each test program uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// Where the pages are, the root of the source.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All pages below a folder, sorted. Hidden folders, but for `.github`, and what is built are left out.
pub fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let is_left_out =
                name.starts_with('.') && name != ".github" || name == "target" || name == "dist";
            if !is_left_out {
                pages.extend(self::pages(&path));
            }
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

/// The text of a page; lines end as on Unix.
pub fn read(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    text.replace("\r\n", "\n")
}

/// A fenced block: the word behind the fence, the lines without their indent, and the number of the first one.
pub struct Block {
    pub language: String,
    pub first: usize,
    pub indent: usize,
    pub lines: Vec<String>,
}

/// The fenced blocks of a page. Lines are counted from 0.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (number, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        match (bare.strip_prefix("```"), is_open) {
            (Some(language), false) => {
                let (indent, language) = (line.len() - bare.len(), language.trim().to_owned());
                blocks.push(Block { language, first: number + 1, indent, lines: Vec::new() });
                is_open = true;
            }
            (Some(_), true) => is_open = false,
            (None, true) => {
                let block = blocks.last_mut().expect("a block is open");
                let indent = block.indent.min(line.len() - bare.len());
                block.lines.push(line[indent..].to_owned());
            }
            (None, false) => {}
        }
    }
    assert!(!is_open, "a fence is open at the end");
    blocks
}
