//! YAML and JSON texts as trees, with the place of every key. A text value that is itself YAML, as in the data of a
//! `ConfigMap`, is read as a part of the tree.

use crate::import::documents::places::{Place, Places};
use crate::import::documents::words;
use base::{Diagnostic, Diagnostics};
use granit_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// Deepest nesting that is read.
const DEPTH: usize = 64;
/// Most values of a text, those of aliases included.
const VALUES: usize = 100_000;
/// Deepest nesting of texts within texts.
const TEXTS: u32 = 3;

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

/// The documents of a text; a document that says nothing is left out.
pub fn documents(text: &str) -> Result<Vec<Tree>, Diagnostics> {
    read(text, TEXTS)
}

fn read(text: &str, texts: u32) -> Result<Vec<Tree>, Diagnostics> {
    let mut reading = Reading {
        parser: Parser::new_from_str(text),
        anchors: BTreeMap::new(),
        values: 0,
        texts,
        places: Places::default(),
        first_line: 1,
        repeated: Diagnostics::new(),
    };
    let mut all = Vec::new();
    while let Some((event, span)) = reading.next()? {
        match event {
            Event::DocumentStart(explicit, _) => {
                reading.first_line = span.start.line() as u32 + u32::from(explicit);
                reading.places = Places::default();
                reading.anchors.clear();
            }
            Event::DocumentEnd | Event::StreamStart | Event::StreamEnd => {}
            event => {
                let value = reading.value(&event, span, "", 0)?;
                let last_line = reading.last_line(text);
                if !value.is_null() {
                    let places = std::mem::take(&mut reading.places);
                    all.push(Tree { value, places, first_line: reading.first_line, last_line });
                }
            }
        }
    }
    if reading.repeated.is_empty() { Ok(all) } else { Err(reading.repeated) }
}

struct Reading<'a> {
    parser: Parser<'a, granit_parser::StrInput<'a>>,
    anchors: BTreeMap<usize, Value>,
    values: usize,
    texts: u32,
    places: Places,
    first_line: u32,
    repeated: Diagnostics,
}

impl<'a> Reading<'a> {
    /// The next event that is no comment.
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Diagnostics> {
        loop {
            return match self.parser.next_event() {
                None => Ok(None),
                Some(Ok((Event::Comment(..), _))) => continue,
                Some(Ok(found)) => Ok(Some(found)),
                Some(Err(error)) => {
                    let marker = error.marker();
                    let place = format!("line {}, column {}", marker.line(), marker.col() + 1);
                    let found = format!("no YAML: {}", error.info());
                    let fix = "correct the text there";
                    Err(vec![Diagnostic::error(place, found, "a YAML or JSON document", fix)])
                }
            };
        }
    }

    /// The next event, which a value must have.
    fn inner(&mut self) -> Result<(Event<'a>, Span), Diagnostics> {
        self.next()?.ok_or_else(|| {
            vec![Diagnostic::error("", "a document that ends early", "a whole document", "paste all of it")]
        })
    }

    fn last_line(&mut self, text: &str) -> u32 {
        let end = self.parser.peek().and_then(Result::ok).map(|(_, span)| span.start.line() as u32);
        end.unwrap_or_else(|| text.lines().count() as u32)
    }

    fn value(
        &mut self,
        event: &Event<'a>,
        span: Span,
        path: &str,
        depth: usize,
    ) -> Result<Value, Diagnostics> {
        self.values += 1;
        let at = || format!("line {}", span.start.line());
        if self.values > VALUES {
            let found = format!("more than {VALUES} values");
            return Err(vec![Diagnostic::error(at(), found, "less", "give the objects that matter")]);
        }
        if depth > DEPTH {
            let fix = "no configuration is nested that deeply: check the indentation";
            return Err(vec![Diagnostic::error(at(), "values nested too deeply", "64 levels", fix)]);
        }
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = *style == ScalarStyle::Plain && tag.is_none();
                let value = if plain { scalar(text) } else { self.text(text, *style, span, path) };
                (value, *anchor)
            }
            Event::SequenceStart(_, anchor, _) => (self.list(path, depth)?, *anchor),
            Event::MappingStart(_, anchor, _) => (self.section(path, depth)?, *anchor),
            Event::Alias(id) => {
                let value = self.anchors.get(id).cloned().unwrap_or_default();
                self.values += size(&value);
                (value, 0)
            }
            _ => (Value::Null, 0),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn list(&mut self, path: &str, depth: usize) -> Result<Value, Diagnostics> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.inner()?;
            if event == Event::SequenceEnd {
                return Ok(Value::Array(items));
            }
            let inner = below(path, &items.len().to_string());
            self.place(&inner, span);
            items.push(self.value(&event, span, &inner, depth + 1)?);
        }
    }

    fn section(&mut self, path: &str, depth: usize) -> Result<Value, Diagnostics> {
        let mut map = Map::new();
        loop {
            let (event, span) = self.inner()?;
            let key = match event {
                Event::MappingEnd => return Ok(Value::Object(map)),
                Event::Scalar(text, ..) => text.into_owned(),
                _ => {
                    let place = format!("line {}", span.start.line());
                    let fix = "write a plain name before the colon";
                    return Err(vec![Diagnostic::error(place, "a key that is no text", "a name", fix)]);
                }
            };
            let inner = below(path, &key);
            let line = self.place(&inner, span);
            let (event, span) = self.inner()?;
            let value = self.value(&event, span, &inner, depth + 1)?;
            if matches!(event, Event::Scalar(..)) && span.start.line() == span.end.line() {
                let line_of_value = (span.start.line() as u32 + 1).saturating_sub(self.first_line);
                self.places.extend(
                    &inner,
                    if line_of_value == line { line } else { 0 },
                    span.end.col() as u32,
                );
            }
            match map.get(&key) {
                Some(before) if *before != value => {
                    let found = format!("{} and {}", short(before), short(&value));
                    let fix = "keep the one that holds";
                    self.repeated.push(Diagnostic::error(inner, found, "one value", fix));
                }
                _ if key == "<<" => {
                    for (name, merged) in value.as_object().cloned().into_iter().flatten() {
                        map.entry(name).or_insert(merged);
                    }
                }
                _ => {
                    map.insert(key, value);
                }
            }
        }
    }

    /// Sets the place of a key, and returns its line.
    fn place(&mut self, path: &str, span: Span) -> u32 {
        let line = (span.start.line() as u32 + 1).saturating_sub(self.first_line);
        let from = span.start.col() as u32;
        let to = if span.end.line() == span.start.line() { span.end.col() as u32 } else { from };
        self.places.insert(path.to_owned(), Place { line, from, to });
        line
    }

    /// A text value, or the section that it spells.
    fn text(&mut self, text: &str, style: ScalarStyle, span: Span, path: &str) -> Value {
        let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if block
            && self.texts > 0
            && text.contains(':')
            && !words::is_script(text)
            && let Ok(inner) = read(text, self.texts - 1)
            && let [inner] = inner.as_slice()
            && is_document(&inner.value)
        {
            self.values += size(&inner.value);
            let line = (span.start.line() as u32 + 1).saturating_sub(self.first_line);
            let columns = span.indent.unwrap_or(0) as u32;
            self.places.adopt(&inner.places, path, line + inner.first_line.saturating_sub(1), columns);
            return inner.value.clone();
        }
        Value::from(text)
    }
}

/// Whether a text is a document rather than a formula or a query that happens to be YAML: its keys are names.
fn is_document(value: &Value) -> bool {
    let name = |key: &String| !key.contains(|c: char| c.is_whitespace() || "()?=<>".contains(c));
    value.as_object().map_or_else(|| value.is_array(), |map| map.keys().all(name))
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// The value of a plain scalar, by the core schema of YAML 1.2.
fn scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let signed = text.strip_prefix('+').unwrap_or(text);
    if let Ok(n) = signed.parse::<i64>() {
        return Value::from(n);
    }
    if let Ok(n) = signed.parse::<u64>() {
        return Value::from(n);
    }
    for (start, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(n) = text.strip_prefix(start).and_then(|digits| u64::from_str_radix(digits, radix).ok()) {
            return Value::from(n);
        }
    }
    let digits = signed.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number = digits.then(|| signed.parse::<f64>().ok()).flatten().filter(|x| x.is_finite());
    number.and_then(Number::from_f64).map_or_else(|| Value::from(text), Value::Number)
}
