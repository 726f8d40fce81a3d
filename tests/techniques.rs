//! Above each technique of the search stands in one form what it is, assumes and is worth, so that it can be listed.

use std::fs;
use std::path::Path;

/// What is said of a technique, in this order.
const ITEMS: [&str; 4] = ["Technique", "Assumes", "Units", "Elo"];

/// The techniques of a source: the text of their items, without marks of comments.
fn techniques(source: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut is_open = false;
    for line in source.lines() {
        let Some(text) = line.trim_start().strip_prefix("///") else {
            is_open = false;
            continue;
        };
        let item = text.strip_prefix(" - ");
        if item.is_some_and(|item| item.starts_with("Technique:")) {
            found.push(Vec::new());
            is_open = true;
        }
        if let Some(items) = found.last_mut().filter(|_| is_open) {
            match (item, text.strip_prefix("   "), items.last_mut()) {
                (Some(item), _, _) => items.push(item.to_owned()),
                (None, Some(more), Some(last)) => *last = format!("{last} {more}"),
                _ => is_open = false,
            }
        }
    }
    found
}

/// Whether a text about Elo has a figure with its error or says that there is none.
fn has_figure(elo: &str) -> bool {
    let is_number = |word: &str| word.trim_end_matches([',', ';']).parse::<f64>().is_ok();
    let words: Vec<&str> = elo.split(' ').collect();
    elo.contains("not measured alone")
        || words.windows(3).any(|trio| is_number(trio[0]) && trio[1] == "+-" && is_number(trio[2]))
}

#[test]
fn every_technique_says_what_it_is_and_what_it_is_worth() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/search");
    let mut names = Vec::new();
    for folder in [folder.clone(), folder.join("history")] {
        for path in fs::read_dir(folder).expect("the folder is there").map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                continue;
            }
            for items in techniques(&fs::read_to_string(&path).unwrap()) {
                let place = format!("{}: {items:?}", path.display());
                let labels: Vec<&str> = items.iter().filter_map(|item| item.split(": ").next()).collect();
                assert_eq!(labels, ITEMS, "{place}");
                let name = items[0].strip_prefix("Technique: [").and_then(|rest| rest.split_once(']'));
                let (name, page) = name.expect(&place);
                assert!(page.starts_with("(https://www.chessprogramming.org/"), "{place}");
                assert!(has_figure(&items[3]), "{place}");
                names.push(name.to_owned());
            }
        }
    }
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "a technique stands in one place: {names:?}");
    for name in ["Null move pruning", "Late move reductions", "Correction history", "Aspiration windows"] {
        assert!(names.iter().any(|found| found == name), "{names:?}");
    }
    println!("{count} techniques: {names:#?}");
}

#[test]
fn incomplete_techniques_are_found() {
    let source =
        "/// - Technique: [A](x)\n///   more\n/// - Elo: 3\n///\n/// - Other: y\nfn a() {}\n/// - Units: z\n";
    assert_eq!(techniques(source), [["Technique: [A](x) more", "Elo: 3"]]);
    assert!(has_figure("+1.5 +- 3.0, 100 games") && has_figure("not measured alone; in a bundle"));
    assert!(!has_figure("+1.5") && !has_figure("much"));
}
