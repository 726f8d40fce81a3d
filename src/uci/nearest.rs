//! What somebody who mistyped a word may have meant.

/// The known word with the smallest edit distance, if it is close. Case does not count.
pub(super) fn nearest(word: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let word: Vec<char> = word.to_ascii_lowercase().chars().take(40).collect();
    known
        .filter(|known| known.len() > 1)
        .map(|known| (edit_distance(&word, &known.to_ascii_lowercase()), known))
        .min()
        .filter(|&(distance, known)| distance <= known.len() / 3 + 1 && distance < word.len())
        .map(|(_, known)| known)
}

/// The end of a message that names what may have been meant.
pub(super) fn suggestion(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |word| format!(", did you mean '{word}'?"))
}

/// Levenshtein's distance.
fn edit_distance(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.chars().enumerate() {
            let substituted = diagonal + usize::from(*letter != other);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let distance = |a: &str, b| edit_distance(&a.chars().collect::<Vec<_>>(), b);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("positoin", "position"), 2);
        assert_eq!(distance("hash", "stash"), 2);
    }

    #[test]
    fn only_what_is_close_is_meant() {
        let nearest = |word| nearest(word, ["Hash", "Threads", "Move Overhead", "d"].into_iter());
        assert_eq!(nearest("hsah"), Some("Hash"));
        assert_eq!(nearest("MoveOverhead"), Some("Move Overhead"));
        assert_eq!(nearest("thread"), Some("Threads"));
        assert_eq!(nearest("Contempt"), None);
        assert_eq!(nearest("e"), None);
    }
}
