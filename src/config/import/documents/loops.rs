//! Loops of a script: how many rounds a `for` has, so that a command within it starts as many servers.

use crate::command::shell_words::split;
use crate::command::variables::Variables;

/// Most rounds of a loop, and of loops within each other.
const MOST: u64 = 10_000;

/// The loops that a line of a script stands in.
#[derive(Default)]
pub(super) struct Loops {
    /// Rounds of each; `None` if only a running shell knows them.
    open: Vec<Option<u64>>,
}

impl Loops {
    /// Whether a text has a loop that is one of a shell: a `for` at the beginning of a line, and the end of it.
    pub(super) fn are_in(text: &str) -> bool {
        let begins = |line: &str| line.starts_with("for ") && (line.contains(" in ") || line.contains("(("));
        text.lines().any(begins) && text.lines().any(|line| line.trim().starts_with("done"))
    }

    /// Takes over what a line begins or ends.
    pub(super) fn line(&mut self, line: &str, variables: &Variables) {
        let line = line.trim();
        let word = line.split([' ', ';', '\t', '(']).next().unwrap_or_default();
        match word {
            "for" => self.open.push(rounds(line, variables)),
            "while" | "until" => self.open.push(None),
            "done" => _ = self.open.pop(),
            _ => {}
        }
    }

    /// Whether a line begins or ends a loop.
    pub(super) fn is_part(line: &str) -> bool {
        let word = line.trim().split([' ', ';', '\t', '(']).next().unwrap_or_default();
        matches!(word, "for" | "while" | "until" | "do" | "done")
    }

    /// Whether a line stands in a loop.
    pub(super) fn is_within(&self) -> bool {
        !self.open.is_empty()
    }

    /// The rounds of all loops together; 0 if they are not known.
    pub(super) fn rounds(&self) -> u64 {
        self.open
            .iter()
            .try_fold(1, |all: u64, own| all.checked_mul((*own)?))
            .filter(|n| *n <= MOST)
            .unwrap_or(0)
    }
}

/// The rounds of a loop by its first line.
fn rounds(line: &str, variables: &Variables) -> Option<u64> {
    let number = |text: &str| variables.put_into(text.trim()).trim().parse::<i64>().ok();
    let head = line.strip_prefix("for")?.trim_start();
    if let Some(inside) = head.strip_prefix("((") {
        let parts: Vec<&str> = inside.split("))").next()?.split(';').collect();
        let [begin, end, _] = parts.as_slice() else { return None };
        let from = number(begin.split_once('=')?.1)?;
        let (mark, more) = [("<=", 1), ("<", 0)].into_iter().find(|(mark, _)| end.contains(mark))?;
        let to = number(end.split_once(mark)?.1)?;
        return u64::try_from(to - from + more).ok();
    }
    let list = head.split_once(" in ")?.1.trim();
    let list = list.strip_suffix("do").map_or(list, str::trim_end);
    let list = list.split("; do").next()?.trim_end_matches(';').trim();
    let sequence = list.strip_prefix("$(seq ").and_then(|rest| rest.strip_suffix(')'));
    let sequence = sequence.or_else(|| list.strip_prefix("`seq ").and_then(|rest| rest.strip_suffix('`')));
    if let Some(sequence) = sequence {
        let all: Vec<i64> = sequence.split_whitespace().map(number).collect::<Option<_>>()?;
        let [from, step, to] = match all.as_slice() {
            [to] => [1, 1, *to],
            [from, to] => [*from, 1, *to],
            [from, step, to] => [*from, *step, *to],
            _ => return None,
        };
        return if step > 0 && to >= from { u64::try_from((to - from) / step + 1).ok() } else { None };
    }
    if let Some((from, to)) = list.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')?.split_once(".."))
    {
        return u64::try_from(number(to)? - number(from)? + 1).ok();
    }
    let words: Vec<String> = split(list)
        .iter()
        .filter(|word| *word != ";")
        .flat_map(|word| variables.words(word, false))
        .collect();
    let is_known = words.iter().all(|word| !word.contains('$') && !word.contains('`'));
    (is_known && !words.is_empty()).then_some(words.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_counted_where_the_script_says_them() {
        let mut set = Variables::of([("N".to_owned(), "4".to_owned())]);
        set.set("PORTS", "8000 8001 8002");
        for (line, n) in [
            ("for i in 0 1 2; do", Some(3)),
            ("for i in $(seq 0 3); do", Some(4)),
            ("for i in $(seq $N)", Some(4)),
            ("for i in `seq 0 2 6`; do", Some(4)),
            ("for i in {0..7}; do", Some(8)),
            ("for ((i=0; i<N; i++)); do", None),
            ("for ((i=0; i<$N; i++)); do", Some(4)),
            ("for ((i=1; i<=3; i++))", Some(3)),
            ("for p in $PORTS; do", Some(3)),
            ("for p in $OTHER; do", None),
            ("for f in $(ls); do", None),
        ] {
            assert_eq!(rounds(line, &set), n, "{line}");
        }
    }

    #[test]
    fn loops_within_each_other_multiply_and_end() {
        let mut loops = Loops::default();
        let set = Variables::default();
        for line in ["for a in 1 2; do", "  for b in x y z; do"] {
            loops.line(line, &set);
        }
        assert_eq!((loops.is_within(), loops.rounds()), (true, 6));
        loops.line("  done", &set);
        assert_eq!(loops.rounds(), 2);
        loops.line("while true; do", &set);
        assert_eq!(loops.rounds(), 0);
        loops.line("done", &set);
        loops.line("done &", &set);
        assert!(!loops.is_within());
    }
}
