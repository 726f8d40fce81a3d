//! Links in all pages lead somewhere: to files of the source, and to headings that are there. So do those of the papers
//! that go into the archives of a release.

mod pages;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

/// What README may have: it is to be read at one sitting.
const README_BYTES: u64 = 11_000;

/// A page as far as links go.
struct Page {
    /// Where links lead: files, headings, addresses.
    links: Vec<String>,
    /// Places in the page that a link may name.
    anchors: BTreeSet<String>,
}

impl Page {
    fn read(path: &Path) -> Page {
        let text = pages::read(path);
        let mut page = Page { links: Vec::new(), anchors: BTreeSet::new() };
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.add(&heading.take().unwrap_or_default()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// The name of a heading's place as GitHub, GitLab and Gitea form it; the second of a kind gets a number.
    fn add(&mut self, heading: &str) {
        let kept = heading
            .to_lowercase()
            .replace(|letter: char| !letter.is_alphanumeric() && !" -_".contains(letter), "");
        let name = kept.replace(' ', "-");
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let free = names.find(|name| !self.anchors.contains(name)).expect("numbers do not end");
        self.anchors.insert(free);
    }
}

/// The links of all pages below a folder that lead nowhere, or out of the folder.
fn dead_links(folder: &Path) -> (usize, Vec<String>) {
    let folder = fs::canonicalize(folder).expect("there is the folder");
    let read: HashMap<PathBuf, Page> =
        pages::pages(&folder).into_iter().map(|path| (path.clone(), Page::read(&path))).collect();
    let (mut seen, mut dead) = (0, Vec::new());
    for (path, page) in &read {
        for link in &page.links {
            seen += 1;
            if !leads_somewhere(link, path, &folder, &read) {
                dead.push(format!("{}: {link}", path.display()));
            }
        }
    }
    dead.sort();
    (seen, dead)
}

fn leads_somewhere(link: &str, from: &Path, folder: &Path, read: &HashMap<PathBuf, Page>) -> bool {
    if link.starts_with("https://") || link.starts_with("mailto:") {
        return true;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = match file {
        "" => from.to_owned(),
        file => match fs::canonicalize(from.parent().expect("a page lies in a folder").join(file)) {
            Ok(target) => target,
            Err(_) => return false,
        },
    };
    let has_anchor = |anchor| read.get(&target).is_some_and(|page| page.anchors.contains(anchor));
    target.starts_with(folder) && anchor.is_none_or(has_anchor)
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    let (seen, dead) = dead_links(pages::root());
    assert!(dead.is_empty(), "{dead:#?}");
    assert!(seen > 50, "{seen} links");
}

#[test]
fn every_page_can_be_reached_from_the_readme() {
    let root = fs::canonicalize(pages::root()).expect("there is the folder");
    let mut reached = BTreeSet::new();
    let mut open = vec![root.join("README.md")];
    while let Some(path) = open.pop() {
        if path.extension().is_none_or(|extension| extension != "md") || !reached.insert(path.clone()) {
            continue;
        }
        let files = Page::read(&path)
            .links
            .into_iter()
            .map(|link| link.split('#').next().unwrap_or_default().to_owned());
        let folder = path.parent().expect("a page lies in a folder");
        open.extend(
            files.filter(|file| !file.is_empty()).filter_map(|file| fs::canonicalize(folder.join(file)).ok()),
        );
    }
    for page in pages::pages(&root.join("docs")) {
        assert!(reached.contains(&page), "no page leads to {}", page.display());
    }
}

#[test]
fn the_readme_is_short() {
    let bytes = fs::metadata(pages::root().join("README.md")).expect("there is a README").len();
    assert!(bytes < README_BYTES, "README.md has {bytes} bytes; details belong into docs/");
}

/// Code names pages as well.
#[test]
fn pages_that_the_code_names_exist() {
    let name = Regex::new(r"\bdocs/[a-z0-9_-]+\.(md|py|svg|png)\b").expect("a sound pattern");
    let mut named = 0;
    let folders = [".ci", ".github", "benches", "fuzz", "src", "tests"];
    let mut open: Vec<PathBuf> = folders.iter().map(|name| pages::root().join(name)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("a file").path());
            open.extend(entries.filter(|entry| !entry.ends_with("target")));
            continue;
        }
        // Files that are no text name nothing.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for page in name.find_iter(&text) {
            named += 1;
            assert!(pages::root().join(page.as_str()).exists(), "{} names {}", path.display(), page.as_str());
        }
    }
    assert!(named > 10, "{named} names");
}

/// The papers of a release in a folder of their own.
#[cfg(target_os = "linux")]
fn papers(system: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("papers-{system}"));
    let _ = fs::remove_dir_all(&folder);
    let script = pages::root().join("tests/release/papers.sh");
    let output = std::process::Command::new("bash")
        .arg(script)
        .arg(&folder)
        .arg(system)
        .output()
        .expect("there is a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn links_in_archives_lead_somewhere() {
    for system in ["linux", "windows"] {
        let folder = papers(system);
        let (seen, dead) = dead_links(&folder);
        assert!(dead.is_empty(), "{dead:#?}");
        assert!(seen > 5, "{seen} links");
        let licence = if system == "windows" { "LICENSE.txt" } else { "LICENSE" };
        for name in ["README.md", "levels.md", "uci.md", "troubleshooting.md", "CHANGELOG.md", licence] {
            let text = fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
            let ends = |end: &[u8]| text.windows(end.len()).filter(|bytes| *bytes == end).count();
            let expected = if system == "windows" { ends(b"\n") } else { 0 };
            assert_eq!(ends(b"\r\n"), expected, "lines of {name} for {system}");
        }
    }
}

#[test]
fn headings_have_the_names_that_links_use() {
    let mut page = Page { links: Vec::new(), anchors: BTreeSet::new() };
    for heading in ["Below 1400: against itself", "`perft`, `perft-suite`", "Twice", "Twice"] {
        page.add(&heading.replace('`', ""));
    }
    for anchor in ["below-1400-against-itself", "perft-perft-suite", "twice", "twice-1"] {
        assert!(page.anchors.contains(anchor), "{:?}", page.anchors);
    }
}
