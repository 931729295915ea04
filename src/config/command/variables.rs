//! Variables of a shell: those that a script sets itself, and their values in its words.

use std::collections::BTreeMap;

/// Most words of an array, and most lines over which it goes.
const MOST: usize = 1000;

/// Variables by their names. A name without a value was set to what only a running shell knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables(BTreeMap<String, Option<Vec<String>>>);

impl Variables {
    /// Variables with values.
    pub(crate) fn of(values: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(values.into_iter().map(|(name, value)| (name, Some(vec![value]))).collect())
    }

    /// Sets a variable to a text, in which others are put in their places.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        self.keep(name, vec![text.to_owned()], false, false);
    }

    /// The words that a word becomes: a variable alone, outside quotes, is split as a shell does.
    pub(crate) fn words(&self, text: &str, quoted: bool) -> Vec<String> {
        let trimmed = text.trim();
        if let Some(list) = self.array(trimmed) {
            return list.iter().flat_map(|word| self.words(word, true)).collect();
        }
        let done = self.put_into(text);
        let alone = trimmed.starts_with('$') && !trimmed.contains(char::is_whitespace);
        if !quoted && alone && done.contains(char::is_whitespace) && done != text {
            return crate::command::shell_words::split(&done.replace('\n', " "));
        }
        vec![done]
    }

    /// The words of an array that a word names: `${NAME[@]}`.
    fn array(&self, text: &str) -> Option<&Vec<String>> {
        let name = text.strip_prefix("${")?.strip_suffix('}')?;
        let name = name.strip_suffix("[@]").or_else(|| name.strip_suffix("[*]"))?;
        self.0.get(name)?.as_ref()
    }

    /// A text with the values of known variables; others stay.
    pub(crate) fn put_into(&self, text: &str) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let mut done = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            done.push_str(before);
            let (inner, next) = inside(after);
            if let Some(value) = self.value(inner) {
                done.push_str(&value);
            } else {
                done.push('$');
                done.push_str(&after[..after.len() - next.len()]);
            }
            rest = next;
        }
        done.push_str(rest);
        done
    }

    /// The value of what stands between braces, or of a plain name.
    fn value(&self, inner: &str) -> Option<String> {
        let name_end = inner.find(|c| !is_of_name(c)).unwrap_or(inner.len());
        let (name, after) = inner.split_at(name_end);
        let known = self.0.get(name).and_then(|value| Some(value.as_ref()?.join(" ")));
        let unset = !self.0.contains_key(name);
        let usual = [":-", ":=", "-", "="].iter().find_map(|mark| after.strip_prefix(mark));
        let empty = known.as_ref().is_some_and(String::is_empty) && after.starts_with(':');
        match (known, usual) {
            (Some(_), Some(usual)) if empty => Some(self.put_into(unquoted(usual))),
            (Some(value), _) if after.is_empty() || usual.is_some() => Some(value),
            (None, Some(usual)) if unset => Some(self.put_into(unquoted(usual))),
            _ => None,
        }
    }

    /// Takes over what a line of a script sets. `depth` says how many conditions it stands in: where the ways set different values,
    /// none is known.
    fn line(&mut self, line: &str, depth: u32) {
        for command in commands(line) {
            let mut rest = command.trim_start();
            for word in ["export ", "readonly ", "local ", "declare -x ", "declare "] {
                rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
            }
            while let Some((name, adds, value, next)) = assignment(rest) {
                self.keep(name, value, adds, depth > 0);
                rest = next.trim_start();
            }
        }
    }

    fn keep(&mut self, name: &str, words: Vec<String>, adds: bool, in_condition: bool) {
        let words: Vec<String> = words.into_iter().map(|word| self.put_into(&word)).collect();
        let is_known = !words.iter().any(|word| word.contains("$(") || word.contains('`'));
        let mut value = is_known.then_some(words);
        if adds {
            let before = self.0.get(name).cloned().flatten();
            value = before.zip(value).map(|(mut all, more)| {
                all.extend(more);
                all
            });
        }
        let differs = in_condition && self.0.get(name).is_some_and(|before| *before != value);
        self.0.insert(name.to_owned(), value.filter(|_| !differs));
    }
}

/// The variables that a script has set before each of its lines, and lines that belong to an assignment.
pub(crate) struct ScriptVariables {
    lines: Vec<String>,
    at: usize,
    depth: u32,
    /// Those set so far.
    pub(crate) set: Variables,
}

impl ScriptVariables {
    /// Those of a script before its first line: the ones of its surroundings.
    pub(crate) fn new(script: &str, around: Variables) -> Self {
        let lines = script.lines().map(str::to_owned).collect();
        Self { lines, at: 0, depth: 0, set: around }
    }

    /// Goes on to a line, counted from 0. Returns whether it belongs to an assignment that began before.
    pub(crate) fn go_to(&mut self, line: usize) -> bool {
        while self.at < line {
            let first = self.lines[self.at].trim().to_owned();
            self.at += 1;
            let word = first.split([' ', ';', '\t']).next().unwrap_or_default();
            match word {
                "if" | "case" | "for" | "while" | "until" => self.depth += 1,
                "fi" | "esac" | "done" => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            let mut whole = first;
            // A list in parentheses, or a text in quotes, may go on over several lines.
            let end = (self.at + MOST).min(self.lines.len());
            let mut to = self.at;
            while opens(&whole) && to < end {
                whole.push('\n');
                whole.push_str(&self.lines[to]);
                to += 1;
            }
            if !opens(&whole) {
                self.at = to;
            }
            self.set.line(&whole, self.depth);
        }
        self.at > line
    }
}

/// The commands of a line, which stand between operators.
fn commands(line: &str) -> Vec<&str> {
    let (mut all, mut from, mut quote, mut open) = (Vec::new(), 0, None, 0_u32);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '{') => open += 1,
            (None, ')' | '}') => open = open.saturating_sub(1),
            (None, ';' | '&' | '|') if open == 0 => {
                all.push(&line[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(&line[from..]);
    all
}

/// Whether an assignment goes on in the next line.
fn opens(text: &str) -> bool {
    let Some((_, value)) = text.split_once('=') else { return false };
    let is_set = text.split_once('=').is_some_and(|(name, _)| {
        let name = name.rsplit(' ').next().unwrap_or_default();
        !name.is_empty() && name.trim_end_matches('+').chars().all(is_of_name)
    });
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    is_set
        && match quote {
            Some(quote) => value[1..].matches(quote).count() % 2 == 0,
            None => value.starts_with('(') && !value.trim_end().ends_with(')'),
        }
}

/// The name, the words of the value and the rest of a text that begins with an assignment, and whether it adds to what was there.
fn assignment(text: &str) -> Option<(&str, bool, Vec<String>, &str)> {
    let (name, after) = text.split_once('=')?;
    let (name, adds) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    let is_name =
        name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) && name.chars().all(is_of_name);
    if !is_name {
        return None;
    }
    if let Some(list) = after.strip_prefix('(') {
        let end = list.rfind(')')?;
        let words = crate::command::shell_words::split(&list[..end]);
        let words = words.into_iter().filter(|word| word != ";").take(MOST).collect();
        return Some((name, adds, words, &list[end + 1..]));
    }
    let (value, rest) = match after.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = &after[1..];
            let end = inner.find(quote)?;
            (&inner[..end], &inner[end + 1..])
        }
        _ if after.starts_with("$(") => {
            let end = after.find(')').map_or(after.len(), |at| at + 1);
            after.split_at(end)
        }
        _ => {
            let end = word_end(after);
            after.split_at(end)
        }
    };
    Some((name, adds, vec![value.to_owned()], rest))
}

/// The end of a word without quotes; braces may have blanks in them.
fn word_end(text: &str) -> usize {
    let mut open = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            ' ' | '\t' | '\n' | ';' | '&' | '|' if open == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// What a dollar sign stands before, and what follows it.
fn inside(after: &str) -> (&str, &str) {
    let pair = match after.chars().next() {
        Some('{') => Some(('{', '}')),
        Some('(') => Some(('(', ')')),
        _ => None,
    };
    let closed = pair.and_then(|(begin, end)| {
        let mut open = 0_u32;
        let at = after.find(|c| {
            open += u32::from(c == begin);
            open -= u32::from(c == end && open > 0);
            open == 0
        })?;
        Some((&after[1..at], &after[at + 1..]))
    });
    closed.unwrap_or_else(|| {
        let end = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
        after.split_at(end)
    })
}

fn unquoted(text: &str) -> &str {
    let inner = |quote| text.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

fn is_of_name(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// Whether a text has a variable that nothing here gives a value, or a placeholder that another program fills in.
pub(crate) fn is_open(text: &str) -> bool {
    let variable = text
        .match_indices('$')
        .any(|(at, _)| text[at + 1..].starts_with(|c: char| "{(_".contains(c) || c.is_ascii_alphanumeric()));
    variable || text.contains("{{")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(script: &str) -> Variables {
        let mut all = ScriptVariables::new(script, Variables::default());
        all.go_to(script.lines().count());
        all.set
    }

    #[test]
    fn a_script_sets_its_variables_line_by_line() {
        let script = "export MODEL=Qwen3-14B TP=4 # both\nDIR=\"/models/$MODEL\"; N=${2:-8}\nX=$(nproc)\nreadonly Y='a b'";
        let set = after(script);
        for (text, value) in [
            ("$DIR", "/models/Qwen3-14B"),
            ("${TP}", "4"),
            ("--n=$N", "--n=8"),
            ("$(MODEL)", "Qwen3-14B"),
            ("$X", "$X"),
            ("${X:-3}", "${X:-3}"),
            ("${Z:-${TP}}", "4"),
            ("${Z:-\"q\"}", "q"),
            ("${TP:+x}", "${TP:+x}"),
            ("$Y", "a b"),
            ("a$", "a$"),
        ] {
            assert_eq!(set.put_into(text), value, "{text}");
        }
    }

    #[test]
    fn lists_and_texts_over_several_lines_are_words() {
        let set = after("ARGS=(\n  --tp 2 # two\n  --name \"a b\"\n)\nARGS+=(--fast)\nMORE=\"--x 1\n--y 2\"");
        assert_eq!(set.words("${ARGS[@]}", true), ["--tp", "2", "--name", "a b", "--fast"]);
        assert_eq!(set.words("$MORE", false), ["--x", "1", "--y", "2"]);
        assert_eq!(set.words("$MORE", true), ["--x 1\n--y 2"]);
    }

    #[test]
    fn ways_that_set_different_values_leave_none() {
        let set = after("TP=1\nif [ $BIG ]; then\n  TP=8\n  GPU=H100\nfi\nN=3");
        assert_eq!(set.put_into("$TP $GPU $N"), "$TP H100 3");
    }

    #[test]
    fn open_texts_are_known() {
        for text in ["$X", "a/${X}", "$(X)", "$1", "{{ .Model }}"] {
            assert!(is_open(text), "{text}");
        }
        for text in ["5$", "plain", ""] {
            assert!(!is_open(text), "{text}");
        }
    }
}
