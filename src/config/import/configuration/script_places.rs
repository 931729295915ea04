//! Where the words of a script stand that is one text of a document: below the key that has the text.

use crate::import::documents::Place;

/// Most lines of a script that are looked through, and the longest of them, in bytes.
const LINES: usize = 200;
const LINE: usize = 2000;

/// The place of a word, with its value if that stands beside it, from the line of its key on; `None` if it is not
/// found.
pub(crate) fn place_of(lines: &[&str], key: Place, found: &str) -> Option<Place> {
    let first = found.split(' ').next().filter(|word| !word.is_empty())?;
    let start = (key.line as usize).checked_sub(1)?;
    let rest = || lines.iter().enumerate().skip(start).take(LINES).filter(|(_, line)| line.len() <= LINE);
    let of = |text: &str| {
        rest().find_map(|(number, line)| {
            let at = whole_word(line, text)?;
            let from = line[..at].chars().count() as u32;
            Some(Place { line: number as u32 + 1, from, to: from + text.chars().count() as u32 })
        })
    };
    of(found).or_else(|| of(first))
}

/// Where a text stands in a line between spaces, quotes or the ends.
fn whole_word(line: &str, text: &str) -> Option<usize> {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !"-_./=".contains(c));
    line.match_indices(text)
        .map(|(at, _)| at)
        .find(|at| ends(line[..*at].chars().next_back()) && ends(line[at + text.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_script_are_found_below_its_key() {
        let lines =
            ["args:", "- |", "  vllm serve a/b \\", "  --max-num-seqs-x 1 \\", "  --max-num-seqs  256"];
        let key = Place { line: 2, from: 0, to: 1 };
        assert_eq!(place_of(&lines, key, "a/b"), Some(Place { line: 3, from: 13, to: 16 }));
        assert_eq!(place_of(&lines, key, "--max-num-seqs 256"), Some(Place { line: 5, from: 2, to: 16 }));
        assert_eq!(place_of(&lines, key, "--other"), None);
        assert_eq!(place_of(&lines, Place::default(), "a/b"), None);
    }
}
