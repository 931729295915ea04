//! Lines of logs as a server wrote them: a terminal cuts them at its width, and a copy keeps the cuts.

use std::borrow::Cow;

const LEVELS: [&str; 5] = ["INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL"];
/// The narrowest terminal.
const NARROWEST: usize = 60;

/// Whether a line begins an entry of a log: a level and a date, perhaps after the names of pod and process.
pub fn begins_entry(line: &str) -> bool {
    let date = |word: &str| {
        let mut parts = word.split('-');
        let digits =
            |part: Option<&str>| part.is_some_and(|p| p.len() >= 2 && p.bytes().all(|c| c.is_ascii_digit()));
        digits(parts.next()) && digits(parts.next())
    };
    let mut words = line.split_whitespace().take(8).peekable();
    while let Some(word) = words.next() {
        if LEVELS.contains(&word) && words.peek().is_some_and(|next| date(next)) {
            return true;
        }
    }
    LEVELS.iter().any(|level| line.strip_prefix(level).is_some_and(|rest| rest.starts_with(":     ")))
}

/// The lines of a log with the number of the first of each, counted from 0. A line as wide as the widest one is joined with the next,
/// if that begins no entry: a terminal of this width has cut it.
pub fn uncut(text: &str) -> Vec<(usize, Cow<'_, str>)> {
    let lines: Vec<&str> = text.lines().collect();
    let width = |line: &str| line.chars().count();
    let widest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    let mut all: Vec<(usize, Cow<'_, str>)> = Vec::with_capacity(lines.len());
    let mut is_cut = false;
    for (number, line) in lines.iter().enumerate() {
        match all.last_mut().filter(|_| is_cut && !line.is_empty() && !begins_entry(line)) {
            Some((_, before)) => before.to_mut().push_str(line),
            None => all.push((number, Cow::Borrowed(*line))),
        }
        is_cut = widest >= NARROWEST && width(line) == widest && lines.len() > 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_width_of_a_terminal_go_on_in_the_next() {
        let cut = "(pid=1) INFO 09-04 01:28:28 [utils.py:326] non-default args: {'model': 'Qwe\n\
                   n3-14B', 'port': 80}\nINFO 09-04 01:29:26 [x.py:1] GPU KV cache size: 129,152 tokens";
        let lines: Vec<String> = uncut(cut).into_iter().map(|(n, line)| format!("{n} {line}")).collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].ends_with("{'model': 'Qwen3-14B', 'port': 80}") && lines[1].starts_with("2 INFO"));
        let whole = "INFO 09-04 01:28:28 a line that is long enough to be one of a narrow terminal\nINFO 09-04 01:28:29 b";
        assert_eq!(uncut(whole).len(), 2);
        assert_eq!(uncut("a\nb").len(), 2);
    }
}
