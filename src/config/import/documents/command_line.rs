//! Command lines as trees: the words of a shell, with the place of each.

use crate::command::variables::Variables;
use crate::import::documents::places::{Place, Places};
use crate::import::documents::yaml::Tree;
use serde_json::{Value, json};

/// The words of a command as the tree `{"words": […]}`. Quotes are taken off, a backslash before the end of a line
/// joins lines, a comment ends the line. Variables that the script has set are put in their places.
pub(super) fn tree(text: &str, first_line: u32, variables: &Variables) -> Tree {
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
                word.quoted = true;
                word.plain |= c == '\'';
            } else if c == '#' && !word.begun {
                break;
            } else if c.is_whitespace() {
                word.end(&mut words, &mut places, variables);
            } else {
                word.push(c, lines, column);
            }
        }
        if word.quote.is_some() {
            word.text.push('\n');
        } else {
            word.end(&mut words, &mut places, variables);
        }
    }
    word.end(&mut words, &mut places, variables);
    let last_line = first_line + lines.saturating_sub(1);
    Tree { value: json!({ "words": words }), places, first_line, last_line }
}

/// The word that is being read.
#[derive(Default)]
struct Word {
    text: String,
    begun: bool,
    /// Whether a part of it stood in quotes, or in single quotes, where variables are plain text.
    quoted: bool,
    plain: bool,
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

    fn end(&mut self, words: &mut Vec<Value>, places: &mut Places, variables: &Variables) {
        if self.begun {
            let place = Place { line: self.line, from: self.from, to: self.to.max(self.from) };
            let text = std::mem::take(&mut self.text);
            let all = if self.plain { vec![text] } else { variables.words(&text, self.quoted) };
            for text in all {
                places.insert(format!("words.{}", words.len()), place);
                words.push(Value::from(text));
            }
        }
        *self = Self::default();
    }
}
