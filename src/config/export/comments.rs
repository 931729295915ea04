//! The comments of an exported file: settings that differ or have no counterpart.

use crate::export::{Standing, Written};

/// The comments at the end: rows that differ or have no counterpart. Those that a file beside it has are not repeated.
pub(crate) fn comments(written: &Written, title: &str, beside: Option<&str>) -> Vec<String> {
    if written.without_comments {
        return Vec::new();
    }
    let mut all = Vec::new();
    for row in &written.rows {
        let kind = match row.standing {
            Standing::Exact => continue,
            Standing::Near => "near",
            Standing::Ignored => "left out",
        };
        let value = if row.value.is_empty() { String::new() } else { format!(" {}", row.value) };
        all.extend(wrapped(&format!("{kind}: {}{value}: {}", row.ours, row.why)));
    }
    all.extend(written.notes.iter().flat_map(|note| wrapped(note)));
    if written.text.is_empty() {
        let why = written.nothing.map_or_else(
            || format!("no setting of this scenario has a counterpart in {title}"),
            str::to_owned,
        );
        all.insert(0, format!("# Nothing to write: {why}"));
    }
    let there: Vec<&str> = beside.into_iter().flat_map(str::lines).map(str::trim).collect();
    all.retain(|line| !there.contains(&line.as_str()));
    all
}

/// Columns of a line of comment.
const WIDTH: usize = 100;

/// A sentence as lines of comment; those after the first are indented.
fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::from("#");
    for word in one_line(sentence).split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > 4 {
            lines.push(std::mem::replace(&mut line, String::from("#  ")));
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// A text without control characters, its white space as single spaces, so that it cannot end a comment.
pub(crate) fn one_line(text: &str) -> String {
    let plain =
        |c: char| if c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') { ' ' } else { c };
    text.chars().map(plain).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_wrapped_and_cannot_be_left() {
        let title = "a\nkind: Evil\r\u{2028}x".to_owned();
        assert_eq!(one_line(&title), "a kind: Evil x");
        let lines = wrapped(&"word ".repeat(60));
        assert!(lines.len() > 2);
        assert!(lines.iter().all(|line| line.starts_with('#') && line.chars().count() <= WIDTH));
        assert!(lines[1].starts_with("#   word"));
    }
}
