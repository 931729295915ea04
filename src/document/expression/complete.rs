//! Completions at a position of an expression: names and functions that continue the word there.

use super::names::{AGGREGATES, FUNCTIONS, NAMES};
use serde::Serialize;

/// A word that is valid at a position.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Completion {
    /// The text that replaces the word there, such as `waiting` or `clamp(`.
    pub text: String,
    /// What it means.
    pub help: String,
}

/// The start of the word that ends at byte `at`, and the words that continue it; words that contain it elsewhere come
/// last. If no word ends at `at` and one can begin, all words are returned; otherwise none.
pub fn complete(text: &str, at: usize) -> (usize, Vec<Completion>) {
    let before = text.get(..at).unwrap_or(text);
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let start = before.len() - before.chars().rev().take_while(|c| is_of_word(*c)).count();
    let word = &before[start..];
    if word.is_empty() {
        let can_begin = before.trim_end().chars().last().is_none_or(|c| "(,?:+-*/%<>=!&|".contains(c));
        return (start, if can_begin { words() } else { Vec::new() });
    }
    if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return (start, Vec::new());
    }
    let all = match word.split_once('.') {
        Some((over, _)) if AGGREGATES.iter().any(|a| a.1 == over) => over_all(over),
        Some(_) => Vec::new(),
        None => words(),
    };
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for known in all {
        if known.text.starts_with(word) {
            first.push(known);
        } else if known.text.contains(word) {
            others.push(known);
        }
    }
    first.extend(others);
    (start, first)
}

fn words() -> Vec<Completion> {
    let word = |text: &str, help: &str| Completion { text: text.to_owned(), help: help.to_owned() };
    let names = NAMES.iter().map(|n| word(n.1, n.0.help()));
    let functions = FUNCTIONS.iter().map(|f| word(&format!("{}(", f.1), f.0.help()));
    let over = AGGREGATES.iter().map(|a| word(&format!("{}.", a.1), a.0.help()));
    names.chain(functions).chain(over).collect()
}

fn over_all(over: &str) -> Vec<Completion> {
    let can = NAMES.iter().filter(|n| n.0.can_be_asked_of_all());
    can.map(|n| Completion { text: format!("{over}.{}", n.1), help: n.0.help().to_owned() }).collect()
}
