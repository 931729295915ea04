//! The words of commands in a text: of a shell, or as lists of arguments in a container.

use crate::yaml::node::{What, YamlNode, documents, find};
use crate::yaml::scalar::shell_word;
use base::yaml_text::quoted_where_needed;
use std::ops::Range;

/// The programs whose commands are looked for, as their words: any of these.
pub(crate) type Programs = &'static [&'static [&'static str]];

/// A word of a command and its place.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
    pub(crate) style: Style,
}

/// How a word is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    Shell,
    /// A scalar of YAML, in quotes if it had some.
    Yaml {
        quoted: bool,
    },
}

impl Style {
    pub(crate) fn written(self, text: &str) -> String {
        match self {
            Self::Shell => shell_word(text),
            Self::Yaml { quoted: true } => serde_json::Value::from(text).to_string(),
            Self::Yaml { quoted: false } => quoted_where_needed(text),
        }
    }
}

/// A command of a text.
pub(crate) struct Found {
    pub(crate) words: Vec<Word>,
    /// Number of words up to the end of the program's name.
    pub(crate) program_end: usize,
    /// The list of a container that its last words stand in.
    pub(crate) list: Option<YamlNode>,
}

impl Found {
    /// What it serves: the word behind the program's name, or the value of `--model`.
    pub(crate) fn subject(&self) -> Option<String> {
        let named = self.words.iter().enumerate().find_map(|(i, word)| {
            let value =
                word.text.strip_prefix("--model=").or_else(|| word.text.strip_prefix("--model-path="));
            let next = || self.words.get(i + 1).map(|w| w.text.as_str());
            value.or_else(|| {
                if matches!(word.text.as_str(), "--model" | "--model-path") { next() } else { None }
            })
        });
        let first = self.words.get(self.program_end).map(|w| w.text.as_str()).filter(|w| !w.starts_with('-'));
        first.or(named).map(str::to_owned)
    }
}

/// The commands of programs in a text.
pub(crate) fn commands_in(text: &str, programs: Programs) -> Vec<Found> {
    let container = |node: &YamlNode| {
        let list = |key: &str| node.get(key).is_some_and(|list| matches!(list.what, What::List(_)));
        list("args") || list("command")
    };
    let is_yaml = text
        .lines()
        .any(|line| line.trim_start().starts_with("kind:") || line.trim_start().starts_with("containers:"));
    let documents = if is_yaml { documents(text) } else { Vec::new() };
    let containers: Vec<YamlNode> =
        documents.iter().flat_map(|document| find(text, document, &container)).collect();
    if containers.is_empty() {
        return shell(text, 0..text.len(), programs);
    }
    containers.iter().flat_map(|node| in_container(text, node, programs)).collect()
}

fn in_container(text: &str, node: &YamlNode, programs: Programs) -> Vec<Found> {
    let lists =
        ["command", "args"].map(|key| node.get(key).filter(|list| matches!(list.what, What::List(_))));
    let mut words = Vec::new();
    for item in lists.iter().flatten().flat_map(|list| list.items()) {
        match &item.value.what {
            What::Scalar(word) => {
                let span = item.value.span.clone();
                let quoted = text[span.clone()].starts_with(['"', '\'']);
                words.push(Word { text: word.clone(), span, style: Style::Yaml { quoted } });
            }
            What::Lines(at) => {
                let found = shell(text, at.clone(), programs);
                if !found.is_empty() {
                    return found;
                }
            }
            What::Map(_) | What::List(_) => return Vec::new(),
        }
    }
    let list = lists.into_iter().flatten().last().cloned();
    let end = end_of_program(&words, programs);
    end.map(|program_end| Found { words, program_end, list }).into_iter().collect()
}

/// The commands of a shell in a part of a text.
fn shell(text: &str, at: Range<usize>, programs: Programs) -> Vec<Found> {
    let mut found = Vec::new();
    let (mut words, mut word): (Vec<Word>, Option<(usize, String)>) = (Vec::new(), None);
    let mut quote = None;
    let mut end = |words: &mut Vec<Word>| {
        let words = std::mem::take(words);
        if let Some(program_end) = end_of_program(&words, programs) {
            found.push(Found { words, program_end, list: None });
        }
    };
    let mut chars = text[at.clone()].char_indices().map(|(i, c)| (at.start + i, c)).peekable();
    while let Some((i, c)) = chars.next() {
        let finish = |word: &mut Option<(usize, String)>, words: &mut Vec<Word>| {
            if let Some((start, text)) = word.take() {
                words.push(Word { text, span: start..i, style: Style::Shell });
            }
        };
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('"') | None, '\\') => match chars.next() {
                Some((_, '\n')) if quote.is_none() => finish(&mut word, &mut words),
                Some((_, '\r')) => finish(&mut word, &mut words),
                Some((_, c)) => word.get_or_insert((i, String::new())).1.push(c),
                None => {}
            },
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert((i, String::new()));
            }
            (None, '#') if word.is_none() => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            (None, ' ' | '\t' | '\r') => finish(&mut word, &mut words),
            (None, '\n' | ';' | '&' | '|') => {
                finish(&mut word, &mut words);
                end(&mut words);
            }
            (_, c) => word.get_or_insert((i, String::new())).1.push(c),
        }
    }
    if let Some((start, text)) = word.take() {
        words.push(Word { text, span: start..at.end, style: Style::Shell });
    }
    end(&mut words);
    found
}

/// Number of words up to the end of a program's name.
fn end_of_program(words: &[Word], programs: Programs) -> Option<usize> {
    let is = |word: &Word, wanted: &str| word.text == wanted || word.text.ends_with(&format!("/{wanted}"));
    let at = |program: &&[&str]| {
        let places = 0..(words.len() + 1).saturating_sub(program.len());
        let mut found =
            places.filter(|i| program.iter().zip(&words[*i..]).all(|(wanted, word)| is(word, wanted)));
        found.next().map(|i| i + program.len())
    };
    programs.iter().find_map(at)
}
