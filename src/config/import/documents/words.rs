//! Command lines as trees: the words of a shell, with the place of each.

use crate::import::documents::places::{Place, Places};
use crate::import::documents::yaml::Tree;
use serde_json::{Value, json};

/// How the command lines begin that are read, after variables of the environment.
const PROGRAMS: [&str; 13] = [
    "vllm serve",
    "vllm bench",
    "vllm-router",
    "smg",
    "amg",
    "sglang_router",
    "sglang-router",
    "dynamo.frontend",
    "dynamo-frontend",
    "python -m",
    "python3 -m",
    "dynamo-run",
    "docker run",
];

/// Whether a line begins a command that is read.
pub fn begins(line: &str) -> bool {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let mut rest = line.strip_prefix("export ").unwrap_or(line);
    loop {
        if PROGRAMS.iter().any(|program| {
            rest.strip_prefix(program).is_some_and(|after| after.is_empty() || after.starts_with([' ', '\\']))
        }) {
            return true;
        }
        let Some((word, after)) = rest.split_once(' ') else { return false };
        let variable = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|c| c == b'_' || c.is_ascii_alphanumeric())
        });
        if !variable && word != "nohup" && word != "sudo" && word != "exec" {
            return false;
        }
        rest = after.trim_start();
    }
}

/// Whether a text is a script that runs a command which is read.
pub fn is_script(text: &str) -> bool {
    let runs = |line: &str| {
        begins(line) || [" vllm serve ", " -m vllm", " -m dynamo"].iter().any(|part| line.contains(part))
    };
    text.starts_with("#!") || text.lines().any(|line| runs(line.trim_start()))
}

/// Whether a line only sets a variable of a shell, such as `export MODEL=name`.
pub fn is_variable(line: &str) -> bool {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let name = line.split_once('=').map_or("", |(name, _)| name);
    let plain = |c: char| c == '_' || c.is_ascii_alphanumeric();
    !name.is_empty() && name.chars().all(plain) && !begins(line) && !line.contains(": ")
}

/// Whether a command goes on after this line.
pub fn goes_on(line: &str) -> bool {
    line.trim_end().ends_with('\\')
}

/// The quotes of a command that goes on over several lines.
pub struct Quotes<'a> {
    lines: Vec<&'a str>,
    open: Option<char>,
}

/// Most lines of a text in quotes.
const QUOTED_LINES: usize = 200;

impl<'a> Quotes<'a> {
    /// The quotes of the lines of a text.
    pub fn new(text: &'a str) -> Self {
        Self { lines: text.lines().collect(), open: None }
    }

    /// Whether a quote is open at the end of a line of a command and closed on a later line. `goes_on` says whether the
    /// line continues the one before.
    pub fn is_open(&mut self, line: usize, goes_on: bool) -> bool {
        let before = if goes_on { self.open } else { None };
        self.open = self.lines.get(line).and_then(|line| quote_after(line, before));
        let Some(quote) = self.open else { return false };
        let rest = self.lines.iter().skip(line + 1).take(QUOTED_LINES);
        let closed = rest.clone().any(|line| line.contains(quote));
        if !closed {
            self.open = None;
        }
        closed
    }
}

/// The quote that is open after a line.
fn quote_after(line: &str, before: Option<char>) -> Option<char> {
    let (mut quote, mut skipped, mut begun) = (before, false, before.is_some());
    for c in line.chars() {
        match c {
            _ if skipped => skipped = false,
            '\\' if quote != Some('\'') => skipped = true,
            '#' if quote.is_none() && !begun => return None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            c if quote == Some(c) => quote = None,
            _ => {}
        }
        begun = quote.is_some() || !c.is_whitespace();
    }
    quote
}

/// The words of a command as the tree `{"words": […]}`. Quotes are taken off, a backslash before the end of a line
/// joins lines, a comment ends the line.
pub fn tree(text: &str, first_line: u32) -> Tree {
    let mut words: Vec<Value> = Vec::new();
    let mut places = Places::default();
    let mut word = Word::default();
    let mut lines = 0;
    for (number, line) in text.lines().enumerate() {
        lines = number as u32 + 1;
        let start = line.strip_prefix("$ ").map_or(0, |_| 2);
        let mut skipped = false;
        for (column, c) in line.chars().enumerate().skip(start) {
            if skipped {
                word.push(c, lines, column);
                skipped = false;
            } else if word.quote == Some(c) {
                word.quote = None;
                word.to = column as u32 + 1;
            } else if word.quote.is_some() {
                word.push(c, lines, column);
            } else if c == '\\' {
                skipped = true;
            } else if c == '"' || c == '\'' {
                word.begin(lines, column);
                word.quote = Some(c);
            } else if c == '#' && !word.begun {
                break;
            } else if c.is_whitespace() {
                word.end(&mut words, &mut places);
            } else {
                word.push(c, lines, column);
            }
        }
        if word.quote.is_some() {
            word.text.push('\n');
        } else {
            word.end(&mut words, &mut places);
        }
    }
    word.end(&mut words, &mut places);
    let last_line = first_line + lines.saturating_sub(1);
    Tree { value: json!({ "words": words }), places, first_line, last_line }
}

/// The word that is being read.
#[derive(Default)]
struct Word {
    text: String,
    begun: bool,
    quote: Option<char>,
    line: u32,
    from: u32,
    to: u32,
}

impl Word {
    fn begin(&mut self, line: u32, column: usize) {
        if !self.begun {
            (self.begun, self.line, self.from) = (true, line, column as u32);
        }
    }

    fn push(&mut self, c: char, line: u32, column: usize) {
        self.begin(line, column);
        self.text.push(c);
        self.to = if line == self.line { column as u32 + 1 } else { self.to };
    }

    fn end(&mut self, words: &mut Vec<Value>, places: &mut Places) {
        if self.begun {
            let place = Place { line: self.line, from: self.from, to: self.to.max(self.from) };
            places.insert(format!("words.{}", words.len()), place);
            words.push(Value::from(std::mem::take(&mut self.text)));
        }
        *self = Self::default();
    }
}
