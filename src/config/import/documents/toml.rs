//! TOML texts as trees, with the place of every key that stands on a line of its own.

use crate::import::documents::places::{Place, Places};
use crate::import::documents::words;
use crate::import::documents::yaml::Tree;
use base::{Diagnostic, Diagnostics};
use serde_json::Value;

/// Whether a text is TOML: its first line that says something opens a table or sets a key. A variable before a command
/// looks the same.
pub fn is_toml(text: &str) -> bool {
    if text.lines().any(|line| words::begins(line.trim())) {
        return false;
    }
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.filter(|line| !crate::import::documents::words::begins(line)).is_some_and(|line| {
        let table = line.starts_with('[') && line.ends_with(']') && !line.contains([',', '{', '"', ':']);
        table || key_of(line).is_some_and(|(key, _)| !key.contains(' '))
    })
}

/// The tree of a text.
pub fn tree(text: &str) -> Result<Tree, Diagnostics> {
    let value: Value = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = text.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let place = format!("line {line}, column {column}");
        let reason = error.message().lines().next().unwrap_or_default().to_owned();
        vec![Diagnostic::error(
            place,
            format!("no TOML: {reason}"),
            "a TOML document",
            "correct the text there",
        )]
    })?;
    let mut places = Places::default();
    let mut table = String::new();
    let mut entries: Vec<(String, u32)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place =
            |from: usize, to: usize| Place { line: number as u32 + 1, from: from as u32, to: to as u32 };
        let start = line.chars().take_while(|c| c.is_whitespace()).count();
        let said = line.trim();
        let end = start + said.chars().count();
        if let Some(name) = said.strip_prefix("[[").and_then(|rest| rest.split("]]").next()) {
            let name = name.trim().to_owned();
            let known = entries.iter_mut().find(|(known, _)| *known == name);
            let index = if let Some((_, index)) = known {
                *index += 1;
                *index
            } else {
                entries.push((name.clone(), 0));
                0
            };
            table = format!("{name}.{index}");
            places.insert(table.clone(), place(start, end));
        } else if let Some(name) = said.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            name.trim().clone_into(&mut table);
            places.insert(table.clone(), place(start, end));
        } else if let Some((key, _)) = key_of(said) {
            let path = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
            places.insert(path, place(start, end));
        }
    }
    Ok(Tree { value, places, first_line: 1, last_line: text.lines().count() as u32 })
}

/// The key and the value of a line.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim().trim_matches('"');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!key.is_empty() && key.chars().all(plain)).then_some((key, value.trim()))
}
