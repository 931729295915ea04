//! What a YAML file should say: a tree that is written as a new file, or put into a file that is there. Values at their
//! defaults are not written, and stay as they are where a file has them.

use crate::yaml::node::{What, YamlEntry, YamlItem, YamlNode, document};
use crate::yaml::scalar::Scalar;
use std::ops::Range;

/// Whether an item of a list in a file may be removed if it is not wanted.
pub(crate) type IsOurs<'a> = Box<dyn Fn(&YamlNode) -> bool + 'a>;
/// The name by which an item of a list in a file is known.
pub(crate) type NameOf<'a> = Box<dyn Fn(&YamlNode) -> String + 'a>;

/// What a value should be.
pub(crate) enum Want<'a> {
    /// A scalar, and the value that it has where it is not written.
    Scalar(Scalar, Option<Scalar>),
    Map(Vec<(&'static str, Want<'a>)>),
    /// A mapping in braces.
    Braces(Vec<(&'static str, Want<'a>)>),
    List(Items<'a>),
    /// A text that is a document itself.
    Document(Box<Want<'a>>),
    /// Words in brackets, of which the file may have more.
    Words(Vec<String>),
    /// Nothing: it is removed where a file has it.
    Nothing,
    /// Whatever stands there.
    Anything,
}

/// Items of a list by name.
pub(crate) struct Items<'a> {
    pub(crate) items: Vec<(String, Want<'a>)>,
    pub(crate) name_of: NameOf<'a>,
    pub(crate) is_ours: IsOurs<'a>,
}

impl<'a> Want<'a> {
    /// A scalar that is always written.
    pub(crate) fn said(value: impl Into<Scalar>) -> Self {
        Self::Scalar(value.into(), None)
    }

    /// A scalar that is written unless it is the default.
    pub(crate) fn unless(value: impl Into<Scalar>, default: impl Into<Scalar>) -> Self {
        Self::Scalar(value.into(), Some(default.into()))
    }

    /// A list whose items are known by their places; further ones are removed.
    pub(crate) fn rows(items: Vec<Want<'a>>) -> Self {
        let items = items.into_iter().enumerate().map(|(i, want)| (i.to_string(), want)).collect();
        // Places are filled in where the list is merged.
        Self::List(Items { items, name_of: Box::new(|_| String::new()), is_ours: Box::new(|_| true) })
    }

    /// Whether it is written in a new file.
    pub(crate) fn is_written(&self) -> bool {
        match self {
            Self::Scalar(value, default) => default.as_ref() != Some(value),
            Self::Map(entries) | Self::Braces(entries) => entries.iter().any(|(_, want)| want.is_written()),
            Self::List(list) => !list.items.is_empty(),
            Self::Document(want) => want.is_written(),
            Self::Words(words) => !words.is_empty(),
            Self::Nothing | Self::Anything => false,
        }
    }

    /// The lines of a new file.
    pub(crate) fn lines(&self, indent: usize) -> Vec<String> {
        let pad = " ".repeat(indent);
        match self {
            Self::Map(entries) => {
                let written = entries.iter().filter(|(_, want)| want.is_written());
                written.flat_map(|(key, want)| want.entry(key, indent)).collect()
            }
            Self::List(list) => list.items.iter().flat_map(|(_, want)| want.item(indent)).collect(),
            _ => vec![format!("{pad}{}", self.inline())],
        }
    }

    /// The lines of an entry of a mapping.
    fn entry(&self, key: &str, indent: usize) -> Vec<String> {
        let pad = " ".repeat(indent);
        if let Self::Document(want) = self {
            return std::iter::once(format!("{pad}{key}: |")).chain(want.lines(indent + 2)).collect();
        }
        if matches!(self, Self::Map(_) | Self::List(_)) {
            let below = self.lines(indent + if matches!(self, Self::List(_)) { 0 } else { 2 });
            return std::iter::once(format!("{pad}{key}:")).chain(below).collect();
        }
        vec![format!("{pad}{key}: {}", self.inline())]
    }

    /// The lines of an item of a list.
    fn item(&self, indent: usize) -> Vec<String> {
        let mut lines = self.lines(indent + 2);
        if let Some(first) = lines.first_mut() {
            first.replace_range(indent..=indent, "-");
        }
        lines
    }

    /// As it is written within a line.
    fn inline(&self) -> String {
        match self {
            Self::Scalar(value, _) => value.yaml(),
            Self::Map(entries) | Self::Braces(entries) => {
                let written = entries.iter().filter(|(_, want)| want.is_written());
                let parts: Vec<String> =
                    written.map(|(key, want)| format!("{key}: {}", want.inline())).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Self::List(list) => {
                let parts: Vec<String> = list.items.iter().map(|(_, want)| want.inline()).collect();
                format!("[{}]", parts.join(", "))
            }
            Self::Words(words) => {
                let parts: Vec<String> =
                    words.iter().map(|word| Scalar::text(word.as_str()).yaml()).collect();
                format!("[{}]", parts.join(", "))
            }
            Self::Document(want) => Scalar::text(new_file(want)).in_quotes(),
            Self::Nothing | Self::Anything => "null".to_owned(),
        }
    }
}

/// Changes of a text, by place.
#[derive(Default)]
pub(crate) struct Changes {
    all: Vec<(Range<usize>, String)>,
}

impl Changes {
    pub(crate) fn replace(&mut self, at: Range<usize>, with: String) {
        self.all.push((at, with));
    }

    pub(crate) fn insert(&mut self, at: usize, text: String) {
        self.all.push((at..at, text));
    }

    /// The text with all changes. Of changes that overlap the first holds.
    pub(crate) fn made(mut self, text: &str) -> String {
        self.all.sort_by_key(|(at, _)| (at.start, at.end));
        let (mut out, mut done) = (String::new(), 0);
        for (at, with) in self.all {
            if at.start >= done && at.end <= text.len() {
                out.push_str(&text[done..at.start]);
                out.push_str(&with);
                done = at.end;
            }
        }
        out.push_str(&text[done..]);
        out
    }
}

/// Puts what is wanted into a value of a file.
pub(crate) fn merge(text: &str, node: &YamlNode, want: &Want<'_>, changes: &mut Changes) {
    match (want, &node.what) {
        (Want::Anything | Want::Nothing, _) => {}
        (Want::Scalar(value, _), What::Scalar(said)) => {
            let null = node.span.is_empty() || said == "null" || said == "~";
            if !value.is_said_by(said) && (!null || want.is_written()) {
                let space = if node.span.is_empty() { " " } else { "" };
                changes.replace(node.span.clone(), format!("{space}{}", like(text, node, value)));
            }
        }
        (Want::Document(want), What::Lines(at)) => {
            if let Some(inner) = document(text, at.clone()) {
                merge(text, &inner, want, changes);
            }
        }
        (Want::Document(want), What::Map(_)) => merge(text, node, want, changes),
        (Want::Map(wanted) | Want::Braces(wanted), What::Map(there)) => {
            for (key, want) in wanted {
                match there.iter().find(|e| e.key == *key) {
                    Some(entry) if matches!(want, Want::Nothing) => {
                        remove_entry(text, there, entry, node, changes);
                    }
                    Some(entry) => merge(text, &entry.value, want, changes),
                    None if want.is_written() => insert_entry(there, node, key, want, changes),
                    None => {}
                }
            }
        }
        (Want::List(list), What::List(items)) => merge_list(text, items, node, list, changes),
        (Want::Words(words), What::List(items)) => {
            let lacks = |word: &&String| !items.iter().any(|i| i.value.scalar() == Some(word.as_str()));
            for word in words.iter().filter(lacks) {
                insert_item(text, items, items.last(), node, &Want::said(word.as_str()), changes);
            }
        }
        // A value of another kind, such as null: it is written anew.
        (want, _) if want.is_written() => changes.replace(node.span.clone(), format!(" {}", want.inline())),
        _ => {}
    }
}

/// A scalar as the file quotes the one in its place.
fn like(text: &str, node: &YamlNode, value: &Scalar) -> String {
    let plain = value.plain();
    match text.get(node.span.clone()).and_then(|said| said.chars().next()) {
        Some('\'') if !plain.contains(['\'', '\n', '\\']) => format!("'{plain}'"),
        Some('"') => Scalar::text(plain).in_quotes(),
        _ => value.yaml(),
    }
}

fn merge_list(text: &str, there: &[YamlItem], node: &YamlNode, list: &Items<'_>, changes: &mut Changes) {
    let by_place = list.items.iter().enumerate().all(|(i, (name, _))| *name == i.to_string());
    let name_of =
        |i: usize, item: &YamlItem| if by_place { i.to_string() } else { (list.name_of)(&item.value) };
    let names: Vec<String> = there.iter().enumerate().map(|(i, item)| name_of(i, item)).collect();
    for (item, name) in there.iter().zip(&names) {
        match list.items.iter().find(|(wanted, _)| wanted == name) {
            Some((_, want)) => merge(text, &item.value, want, changes),
            None if (list.is_ours)(&item.value) => remove_item(text, there, item, node, changes),
            None => {}
        }
    }
    // What is removed is no place to insert at.
    let stays = |i: &usize| {
        list.items.iter().any(|(wanted, _)| *wanted == names[*i]) || !(list.is_ours)(&there[*i].value)
    };
    for (i, (name, want)) in list.items.iter().enumerate() {
        if names.contains(name) {
            continue;
        }
        let place = |(wanted, _): &(String, Want<'_>)| names.iter().position(|n| n == wanted);
        let before = list.items[..i].iter().rev().find_map(place).map(|at| at + 1);
        let after = || list.items[i..].iter().find_map(place);
        let at = before.or_else(after).unwrap_or(there.len());
        let before = (0..at).rev().find(stays).map(|i| &there[i]);
        insert_item(text, there, before, node, want, changes);
    }
}

fn insert_entry(there: &[YamlEntry], node: &YamlNode, key: &str, want: &Want<'_>, changes: &mut Changes) {
    if node.flow {
        let comma = if there.is_empty() { "" } else { ", " };
        let at = there.last().map_or(node.span.start + 1, |e| e.at.end);
        changes.insert(at, format!("{comma}{key}: {}", want.inline()));
    } else {
        let lines = want.entry(key, node.indent);
        changes.insert(node.span.end, lines.iter().flat_map(|line| ["\n", line]).collect());
    }
}

/// Inserts an item behind another, or at the beginning.
pub(crate) fn insert_item(
    text: &str,
    there: &[YamlItem],
    before: Option<&YamlItem>,
    node: &YamlNode,
    want: &Want<'_>,
    changes: &mut Changes,
) {
    if node.flow {
        match (before, there.first()) {
            (Some(item), _) => changes.insert(item.at.end, format!(", {}", want.inline())),
            (None, Some(first)) => changes.insert(first.at.start, format!("{}, ", want.inline())),
            (None, None) => changes.insert(node.span.start + 1, want.inline()),
        }
        return;
    }
    let lines = want.item(node.indent);
    let Some(first) = there.first() else { return };
    let begin = text[..first.at.start].rfind('\n').map_or(0, |i| i + 1);
    match before {
        Some(item) => changes.insert(item.at.end, lines.iter().flat_map(|line| ["\n", line]).collect()),
        None if text[begin..first.at.start].trim().is_empty() => {
            changes.insert(begin, lines.iter().flat_map(|line| [line, "\n"]).collect());
        }
        None => {
            let rest = format!("\n{}", " ".repeat(node.indent));
            let own = lines.join("\n");
            changes.insert(first.at.start, format!("{}{rest}", own.trim_start_matches(' ')));
        }
    }
}

fn remove_entry(text: &str, there: &[YamlEntry], entry: &YamlEntry, node: &YamlNode, changes: &mut Changes) {
    let next = there.iter().find(|e| e.at.start > entry.at.start).map(|e| e.at.start);
    remove(text, entry.at.clone(), next, node.flow, changes);
}

fn remove_item(text: &str, there: &[YamlItem], item: &YamlItem, node: &YamlNode, changes: &mut Changes) {
    let next = there.iter().find(|i| i.at.start > item.at.start).map(|i| i.at.start);
    remove(text, item.at.clone(), next, node.flow, changes);
}

/// Removes a part: whole lines where it begins one, otherwise up to the next part.
fn remove(text: &str, at: Range<usize>, next: Option<usize>, flow: bool, changes: &mut Changes) {
    let line_begin = text[..at.start].rfind('\n').map_or(0, |i| i + 1);
    if flow {
        let before = text[..at.start].trim_end();
        let start = if next.is_none() && before.ends_with(',') { before.len() - 1 } else { at.start };
        changes.replace(start..next.unwrap_or(at.end), String::new());
    } else if text[line_begin..at.start].trim().is_empty() {
        let end = (at.end + 1).min(text.len());
        changes.replace(line_begin..end, String::new());
    } else if let Some(next) = next {
        changes.replace(at.start..next, String::new());
    }
}

/// A new file.
pub(crate) fn new_file(want: &Want<'_>) -> String {
    want.lines(0).iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

#[cfg(test)]
#[path = "want_tests.rs"]
mod tests;
