//! YAML and JSON texts as trees, with the place of every key: the only reader of YAML, for imports and for documents of
//! the program itself. What aliases and nesting may cost is bounded; no text makes it panic.

mod plain;
mod problem;
#[cfg(test)]
mod tests;

use crate::import::documents::places::{Place, Places};
use crate::import::documents::words;
use base::json::PathStep;
use base::repeated_keys::ReadTree;
use base::{Diagnostic, Diagnostics};
use document::value_said_once;
use granit_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput, Tag};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Deepest nesting that is read.
const DEPTH: usize = 64;
/// Most values of a text; also most values that aliases and anchors may add to it.
const VALUES: usize = 250_000;
/// Most bytes of text that aliases and anchors may add.
const COPIED_BYTES: usize = 64 << 20;
/// Deepest nesting of texts within texts.
const TEXTS: u32 = 3;
/// Most repeated keys that are remembered.
const REPEATED: usize = 100;
/// The key of a mapping that fills in what the others do not say.
const MERGE: &str = "<<";

/// One document of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Its values; entries of lists have their numbers as keys where `flat` is asked for.
    pub value: Value,
    /// Where its keys stand, lines counted from its first.
    pub places: Places,
    /// The first line of the document in the text, from 1.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
}

/// The only document of a text; null if it says nothing. Problems of syntax name line and column, keys that are given
/// twice their path.
pub fn value(text: &str) -> Result<Value, Diagnostics> {
    let mut all = read(text, 0)?;
    if let Some(second) = all.get(1) {
        return Err(vec![problem::second_document(second.tree.first_line)]);
    }
    let Some(only) = all.pop() else { return Ok(Value::Null) };
    if !only.unfit.is_empty() {
        return Err(only.unfit);
    }
    let repeated = only.repeated.into_iter().map(|key| key.path).collect();
    value_said_once(ReadTree { tree: only.tree.value, repeated })
}

/// The documents of a text; a document that says nothing is left out. A text value that is itself YAML, as in the data
/// of a `ConfigMap`, is read as a part of the tree. A key may be given twice with one value.
pub fn documents(text: &str) -> Result<Vec<Tree>, Diagnostics> {
    documents_within(text, TEXTS)
}

fn documents_within(text: &str, texts: u32) -> Result<Vec<Tree>, Diagnostics> {
    let all = read(text, texts)?;
    let repeated: Diagnostics =
        all.iter().flat_map(|document| &document.repeated).filter_map(differing).collect();
    if !repeated.is_empty() {
        return Err(repeated);
    }
    Ok(all.into_iter().map(|document| document.tree).filter(|tree| !tree.value.is_null()).collect())
}

/// The problem of a key with two values.
fn differing(key: &RepeatedKey) -> Option<Diagnostic> {
    let fix = "keep the one that holds";
    let found = key.values.clone()?;
    Some(Diagnostic::error(dotted(&key.path), found, "one value", fix))
}

/// A document as it was found.
struct FoundDocument {
    tree: Tree,
    repeated: Vec<RepeatedKey>,
    /// Values that no document of the program may have, and texts of other programs may.
    unfit: Diagnostics,
}

/// A key that a mapping has twice.
struct RepeatedKey {
    path: Vec<PathStep>,
    /// Both values, if they differ.
    values: Option<String>,
}

fn read(text: &str, texts: u32) -> Result<Vec<FoundDocument>, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = Reading {
        text,
        parser: Parser::new_from_str(text),
        anchors: BTreeMap::new(),
        values: 0,
        copied: Size::default(),
        texts,
        path: Vec::new(),
        places: Places::default(),
        first_line: 1,
        repeated: Vec::new(),
        unfit: Diagnostics::new(),
    };
    let mut all = Vec::new();
    while let Some((event, span)) = reading.next()? {
        match event {
            Event::DocumentStart(explicit, _) => {
                reading.first_line = span.start.line() as u32 + u32::from(explicit);
                reading.anchors.clear();
            }
            Event::DocumentEnd | Event::StreamStart | Event::StreamEnd => {}
            event => {
                let value = reading.value(&event, span)?;
                let places = std::mem::take(&mut reading.places);
                let last_line = reading.last_line();
                let tree = Tree { value, places, first_line: reading.first_line, last_line };
                let repeated = std::mem::take(&mut reading.repeated);
                all.push(FoundDocument { tree, repeated, unfit: std::mem::take(&mut reading.unfit) });
            }
        }
    }
    Ok(all)
}

struct Reading<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    anchors: BTreeMap<usize, Value>,
    values: usize,
    copied: Size,
    texts: u32,
    /// The way to the value that is being read.
    path: Vec<PathStep>,
    places: Places,
    first_line: u32,
    repeated: Vec<RepeatedKey>,
    unfit: Diagnostics,
}

impl<'a> Reading<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Diagnostics> {
        let event = self.parser.next_event().transpose();
        event.map_err(|error| vec![problem::of_syntax(self.text, &error)])
    }

    /// The next event, which a value must have.
    fn inner(&mut self) -> Result<(Event<'a>, Span), Diagnostics> {
        self.next()?.ok_or_else(|| {
            vec![Diagnostic::error("", "a document that ends early", "a whole document", "paste all of it")]
        })
    }

    fn last_line(&mut self) -> u32 {
        let end = self.parser.peek().and_then(Result::ok).map(|(_, span)| span.start.line() as u32);
        end.unwrap_or_else(|| self.text.lines().count() as u32)
    }

    fn value(&mut self, event: &Event<'a>, span: Span) -> Result<Value, Diagnostics> {
        self.values += 1;
        if self.values > VALUES {
            return Err(vec![problem::too_many(&span.start, VALUES)]);
        }
        if self.path.len() > DEPTH {
            return Err(vec![problem::too_deep(&span.start)]);
        }
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = match tag_of(tag.as_deref(), *style) {
                    ScalarTag::Plain => self.plain(text, &span.start),
                    ScalarTag::Text => self.text(text, *style, span),
                    ScalarTag::Binary => {
                        self.unfit.push(problem::unreadable(&span.start, "binary data"));
                        Value::from(&**text)
                    }
                };
                (value, *anchor)
            }
            Event::SequenceStart(_, anchor, _) => (self.list()?, *anchor),
            Event::MappingStart(_, anchor, _) => (self.section()?, *anchor),
            Event::Alias(id) => (self.alias(*id, &span.start)?.clone(), 0),
            _ => (Value::Null, 0),
        };
        self.keep(anchor, &value, &span.start)?;
        Ok(value)
    }

    /// Keeps a value for the aliases of an anchor.
    fn keep(&mut self, anchor: usize, value: &Value, at: &Marker) -> Result<(), Diagnostics> {
        if anchor > 0 {
            self.copied.add(value);
            if self.copied.is_too_large() {
                return Err(vec![problem::too_large(at)]);
            }
            self.anchors.insert(anchor, value.clone());
        }
        Ok(())
    }

    /// The value that an alias stands for.
    fn alias(&mut self, id: usize, at: &Marker) -> Result<&Value, Diagnostics> {
        let found = self.anchors.get(&id);
        let value =
            found.ok_or_else(|| vec![problem::unreadable(at, "an alias within what it stands for")])?;
        self.copied.add(value);
        if self.copied.is_too_large() { Err(vec![problem::too_large(at)]) } else { Ok(value) }
    }

    fn list(&mut self) -> Result<Value, Diagnostics> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.inner()?;
            if event == Event::SequenceEnd {
                return Ok(Value::Array(items));
            }
            self.path.push(PathStep::Index(items.len()));
            self.place(span);
            items.push(self.value(&event, span)?);
            self.path.pop();
        }
    }

    fn section(&mut self) -> Result<Value, Diagnostics> {
        let mut map = Map::new();
        let mut merged = Vec::new();
        loop {
            let (event, span) = self.inner()?;
            if event == Event::MappingEnd {
                break;
            }
            let key = self.key(&event, &span.start)?;
            let merges = key == MERGE && matches!(event, Event::Scalar(_, ScalarStyle::Plain, _, None));
            self.path.push(PathStep::Key(key.clone()));
            let line = self.place(span);
            let (event, span) = self.inner()?;
            let value = self.value(&event, span)?;
            if matches!(event, Event::Scalar(..)) && self.line(&span.start) == line {
                self.extend_place(span);
            }
            match map.get(&key) {
                _ if merges => merged.push((value, span.start)),
                Some(before) => self.repeat(before, &value),
                None => {
                    map.insert(key, value);
                }
            }
            self.path.pop();
        }
        for (value, at) in merged {
            merge(&mut map, value)
                .ok_or_else(|| vec![problem::unreadable(&at, "a merge of a value that is not an object")])?;
        }
        Ok(Value::Object(map))
    }

    fn key(&mut self, event: &Event<'a>, at: &Marker) -> Result<String, Diagnostics> {
        match event {
            Event::Scalar(text, _, anchor, _) => {
                self.keep(*anchor, &Value::from(&**text), at)?;
                return Ok((**text).to_owned());
            }
            Event::Alias(id) => {
                if let Value::String(text) = self.alias(*id, at)? {
                    return Ok(text.clone());
                }
            }
            _ => {}
        }
        Err(vec![problem::key_without_text(at)])
    }

    /// Notes that the key on the way is repeated.
    fn repeat(&mut self, before: &Value, value: &Value) {
        if self.repeated.len() < REPEATED {
            let values = (before != value).then(|| format!("{} and {}", short(before), short(value)));
            self.repeated.push(RepeatedKey { path: self.path.clone(), values });
        }
    }

    /// Line of a place in the document, from 1.
    fn line(&self, at: &Marker) -> u32 {
        (at.line() as u32 + 1).saturating_sub(self.first_line)
    }

    /// Sets the place of the key on the way, and returns its line.
    fn place(&mut self, span: Span) -> u32 {
        let line = self.line(&span.start);
        let from = span.start.col() as u32;
        let to = if span.end.line() == span.start.line() { span.end.col() as u32 } else { from };
        self.places.insert(dotted(&self.path), Place { line, from, to });
        line
    }

    /// Extends the place of the key on the way to the end of its value, if that ends in the same line.
    fn extend_place(&mut self, span: Span) {
        if span.start.line() == span.end.line() {
            self.places.extend(&dotted(&self.path), self.line(&span.start), span.end.col() as u32);
        }
    }

    fn plain(&mut self, text: &str, at: &Marker) -> Value {
        plain::plain(text).unwrap_or_else(|| {
            self.unfit.push(problem::not_finite(at));
            Value::from(text)
        })
    }

    /// A text value, or the section that it spells.
    fn text(&mut self, text: &str, style: ScalarStyle, span: Span) -> Value {
        let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if block
            && self.texts > 0
            && text.contains(':')
            && !words::is_script(text)
            && let Ok(inner) = documents_within(text, self.texts - 1)
            && let [inner] = inner.as_slice()
            && is_document(&inner.value)
        {
            let mut size = Size::default();
            size.add(&inner.value);
            self.values += size.values;
            let line = self.line(&span.start);
            let columns = span.indent.unwrap_or(0) as u32;
            let first = line + inner.first_line.saturating_sub(1);
            self.places.adopt(&inner.places, &dotted(&self.path), first, columns);
            return inner.value.clone();
        }
        Value::from(text)
    }
}

/// How a scalar is read.
enum ScalarTag {
    /// As what it looks like.
    Plain,
    Text,
    Binary,
}

fn tag_of(tag: Option<&Tag>, style: ScalarStyle) -> ScalarTag {
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { ScalarTag::Plain } else { ScalarTag::Text };
    };
    match tag.core_suffix() {
        Some("int" | "float" | "bool" | "null") => ScalarTag::Plain,
        None if tag.suffix_in_namespace("tag:yaml.org,2002:").as_deref() == Some("binary") => {
            ScalarTag::Binary
        }
        _ => ScalarTag::Text,
    }
}

/// Fills a mapping with what others say and it does not; `None` if the value is no mapping and no list of them.
fn merge(map: &mut Map<String, Value>, value: Value) -> Option<()> {
    match value {
        Value::Null => {}
        Value::Object(other) => {
            for (key, value) in other {
                map.entry(key).or_insert(value);
            }
        }
        Value::Array(list) if list.iter().all(Value::is_object) => {
            list.into_iter().try_for_each(|other| merge(map, other))?;
        }
        _ => return None,
    }
    Some(())
}

/// Whether a text is a document rather than a formula or a query that happens to be YAML: its keys are names.
fn is_document(value: &Value) -> bool {
    let name = |key: &String| !key.contains(|c: char| c.is_whitespace() || "()?=<>".contains(c));
    value.as_object().map_or_else(|| value.is_array(), |map| map.keys().all(name))
}

/// A path with dots between its steps, as places have them.
fn dotted(path: &[PathStep]) -> String {
    let mut out = String::new();
    for step in path {
        if !out.is_empty() {
            out.push('.');
        }
        match step {
            PathStep::Index(i) => out.push_str(&i.to_string()),
            PathStep::Key(key) | PathStep::Variant(key) => out.push_str(key),
        }
    }
    out
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

/// How much values take.
#[derive(Default)]
struct Size {
    values: usize,
    bytes: usize,
}

impl Size {
    fn add(&mut self, value: &Value) {
        self.values += 1;
        match value {
            Value::Array(items) => {
                for item in items {
                    self.add(item);
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    self.bytes += key.len();
                    self.add(value);
                }
            }
            Value::String(text) => self.bytes += text.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn is_too_large(&self) -> bool {
        self.values > VALUES || self.bytes > COPIED_BYTES
    }
}
