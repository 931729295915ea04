//! The values of a YAML text with their places, so that single values can be changed and all else stays as it is:
//! mappings and lists, both in blocks and in braces. What is rarer (anchors, tags, keys that are no words) is not
//! followed.
//!
//! The parser that imports read with says what the values are; where they begin and end follows from the text.

use granit_parser::{Event, Parser, ScalarStyle, StrInput};
use std::ops::Range;

/// Deepest nesting that is followed.
const DEPTH: usize = 64;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct YamlNode {
    pub(crate) what: What,
    /// Place of the value in the text; of an empty one, where it would stand.
    pub(crate) span: Range<usize>,
    /// Column of its keys or dashes.
    pub(crate) indent: usize,
    /// Whether it stands in braces or brackets.
    pub(crate) flow: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A scalar without its quotes. The value is null if nothing stands there.
    Scalar(String),
    /// A text over several lines that may be a document of its own; the lines of the text.
    Lines(Range<usize>),
    Map(Vec<YamlEntry>),
    List(Vec<YamlItem>),
}

#[derive(Clone, Debug)]
pub(crate) struct YamlEntry {
    pub(crate) key: String,
    /// From the key to the end of the value's last line, or of the value in braces.
    pub(crate) at: Range<usize>,
    pub(crate) value: YamlNode,
}

#[derive(Clone, Debug)]
pub(crate) struct YamlItem {
    /// From the dash to the end of its last line, or the value in brackets.
    pub(crate) at: Range<usize>,
    pub(crate) value: YamlNode,
}

impl YamlNode {
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let What::Map(entries) = &self.what else { return None };
        entries.iter().find(|e| e.key == key).map(|e| &e.value)
    }

    /// The value at keys, each below the one before.
    pub(crate) fn at(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(crate) fn scalar(&self) -> Option<&str> {
        if let What::Scalar(text) = &self.what { Some(text) } else { None }
    }

    pub(crate) fn items(&self) -> &[YamlItem] {
        if let What::List(items) = &self.what { items } else { &[] }
    }
}

/// The documents of a text that are followed.
pub(crate) fn documents(text: &str) -> Vec<YamlNode> {
    let mut parts: Vec<Range<usize>> = Vec::from([Range::default()]);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_end() == "---" {
            parts.push(end..end);
        } else if let Some(part) = parts.last_mut() {
            part.end = end;
        }
        at = end;
    }
    parts.into_iter().filter_map(|part| document(text, part)).collect()
}

/// A document at a place of the text; `None` if it is not followed.
pub(crate) fn document(text: &str, at: Range<usize>) -> Option<YamlNode> {
    let mut reading =
        NodeReader { text, base: at.start, end: at.end, events: Parser::new_from_str(text.get(at.clone())?) };
    reading.event(|event| matches!(event, Event::StreamStart))?;
    reading.event(|event| matches!(event, Event::DocumentStart(..)))?;
    let (event, span) = reading.next()?;
    let node = reading.value(&event, span, at.start, DEPTH)?;
    reading.event(|event| matches!(event, Event::DocumentEnd))?;
    reading.event(|event| matches!(event, Event::StreamEnd))?;
    Some(node)
}

/// All mappings of a document, and of the texts in it that are documents themselves, for which `wanted` holds.
pub(crate) fn find(text: &str, node: &YamlNode, wanted: &dyn Fn(&YamlNode) -> bool) -> Vec<YamlNode> {
    if wanted(node) {
        return vec![node.clone()];
    }
    match &node.what {
        What::Map(entries) => entries.iter().flat_map(|e| find(text, &e.value, wanted)).collect(),
        What::List(items) => items.iter().flat_map(|i| find(text, &i.value, wanted)).collect(),
        What::Lines(at) => {
            let inner = document(text, at.clone());
            inner
                .into_iter()
                .filter(|inner| !matches!(inner.what, What::Scalar(_)))
                .flat_map(|inner| find(text, &inner, wanted))
                .collect()
        }
        What::Scalar(_) => Vec::new(),
    }
}

/// A part of a text, and the events of the parser in it.
struct NodeReader<'t> {
    text: &'t str,
    base: usize,
    end: usize,
    events: Parser<'t, StrInput<'t>>,
}

impl<'t> NodeReader<'t> {
    /// The next event, and its place in the text.
    fn next(&mut self) -> Option<(Event<'t>, Range<usize>)> {
        let (event, span) = self.events.next_event()?.ok()?;
        let at = span.byte_range()?;
        Some((event, self.base + at.start..self.base + at.end))
    }

    /// Moves over an event that must be there.
    fn event(&mut self, is_one: impl Fn(&Event<'t>) -> bool) -> Option<()> {
        self.next().filter(|(event, _)| is_one(event)).map(|_| ())
    }

    /// The value of an event, of which nothing but space stands behind `from`.
    fn value(&mut self, event: &Event<'t>, at: Range<usize>, from: usize, depth: usize) -> Option<YamlNode> {
        let depth = depth.checked_sub(1)?;
        let start = self.content(from);
        let is_flow = self.text[start..self.end].starts_with(['{', '[']);
        match event {
            Event::Scalar(text, style, 0, None) => Some(self.scalar(text, *style, at, from)),
            Event::SequenceStart(_, 0, None) if is_flow => self.flow_list(start, depth),
            Event::SequenceStart(_, 0, None) => self.list(start, depth),
            Event::MappingStart(_, 0, None) if is_flow => self.flow_map(start, depth),
            Event::MappingStart(_, 0, None) => self.map(start, depth),
            _ => None,
        }
    }

    fn scalar(&self, text: &str, style: ScalarStyle, at: Range<usize>, from: usize) -> YamlNode {
        let node = |what, span| YamlNode { what, span, indent: 0, flow: false };
        match style {
            ScalarStyle::Plain if at.is_empty() => node(What::Scalar(String::new()), from..from),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let sign = self.content(from);
                let first = self.text[sign..self.end].find('\n').map_or(self.end, |i| sign + i + 1);
                let lines = self.lines(first.min(at.end)..at.end);
                node(What::Lines(lines.clone()), sign..lines.end.max(sign))
            }
            _ => node(What::Scalar(text.to_owned()), at),
        }
    }

    /// The lines of a text in a block, without the comments and empty lines at its end.
    fn lines(&self, at: Range<usize>) -> Range<usize> {
        let mut end = at.start;
        let mut begin = at.start;
        for line in self.text[at.clone()].split_inclusive('\n') {
            let said = line.trim();
            if !said.is_empty() && !said.starts_with('#') {
                end = begin + line.trim_end_matches(['\n', '\r']).len();
            }
            begin += line.len();
        }
        at.start..end
    }

    fn list(&mut self, from: usize, depth: usize) -> Option<YamlNode> {
        let mut items: Vec<YamlItem> = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if event == Event::SequenceEnd {
                break;
            }
            let start = self.content(items.last().map_or(from, |item| item.at.end));
            let behind = start + self.text[start..].strip_prefix('-').map(|_| 1)?;
            let value = self.value(&event, at, behind, depth)?;
            items.push(YamlItem { at: start..self.line_end(value.span.end), value });
        }
        let (span, indent) = (from..items.last()?.at.end, self.column(from));
        Some(YamlNode { what: What::List(items), span, indent, flow: false })
    }

    fn map(&mut self, from: usize, depth: usize) -> Option<YamlNode> {
        let mut entries: Vec<YamlEntry> = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let cursor = entries.last().map_or(from, |entry| entry.at.end);
            let key = key_of(&event, &entries).filter(|_| self.content(cursor) == at.start)?;
            let colon = self.content(at.end);
            let behind = colon + self.text[colon..].strip_prefix(':').map(|_| 1)?;
            let (event, of_value) = self.next()?;
            let value = self.value(&event, of_value, behind, depth)?;
            entries.push(YamlEntry { key, at: at.start..self.line_end(value.span.end), value });
        }
        let (span, indent) = (from..entries.last()?.at.end, self.column(from));
        Some(YamlNode { what: What::Map(entries), span, indent, flow: false })
    }

    fn flow_list(&mut self, from: usize, depth: usize) -> Option<YamlNode> {
        let mut items: Vec<YamlItem> = Vec::new();
        let mut cursor = from + 1;
        loop {
            let (event, at) = self.next()?;
            if event == Event::SequenceEnd {
                return self.closed(What::List(items), from, cursor, ']');
            }
            let value = YamlNode { flow: true, ..self.value(&event, at, cursor, depth)? };
            cursor = self.behind_comma(value.span.end);
            items.push(YamlItem { at: value.span.clone(), value });
        }
    }

    fn flow_map(&mut self, from: usize, depth: usize) -> Option<YamlNode> {
        let mut entries: Vec<YamlEntry> = Vec::new();
        let mut cursor = from + 1;
        loop {
            let (event, at) = self.next()?;
            if event == Event::MappingEnd {
                return self.closed(What::Map(entries), from, cursor, '}');
            }
            let key = key_of(&event, &[]).filter(|_| self.content(cursor) == at.start)?;
            let colon = self.content(at.end);
            let behind = colon + usize::from(self.text[colon..].starts_with(':'));
            let (event, of_value) = self.next()?;
            let value = YamlNode { flow: true, ..self.value(&event, of_value, behind, depth)? };
            cursor = self.behind_comma(value.span.end);
            entries.push(YamlEntry { key, at: at.start..value.span.end, value });
        }
    }

    /// A value in braces or brackets, which close behind `cursor`.
    fn closed(&self, what: What, from: usize, cursor: usize, close: char) -> Option<YamlNode> {
        let end = self.content(cursor);
        let span = from..end + self.text[end..].strip_prefix(close).map(|_| 1)?;
        Some(YamlNode { what, span, indent: 0, flow: true })
    }

    /// Where content goes on behind a place: behind space and comments.
    fn content(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(c) = self.text.get(at..self.end).and_then(|rest| rest.chars().next()) {
            if c == '#' && (at == 0 || self.text[..at].ends_with(char::is_whitespace)) {
                at += self.text[at..self.end].find('\n').unwrap_or(self.end - at);
            } else if c.is_whitespace() {
                at += c.len_utf8();
            } else {
                break;
            }
        }
        at
    }

    fn behind_comma(&self, from: usize) -> usize {
        let at = self.content(from);
        at + usize::from(self.text[at..self.end].starts_with(','))
    }

    /// End of the line of a place.
    fn line_end(&self, at: usize) -> usize {
        let line = self.text[at..self.end].split('\n').next().unwrap_or_default();
        at + line.trim_end_matches('\r').len()
    }

    fn column(&self, at: usize) -> usize {
        at - self.text[..at].rfind('\n').map_or(0, |i| i + 1)
    }
}

/// The key of an event, if it is followed and new among some entries.
fn key_of(event: &Event<'_>, entries: &[YamlEntry]) -> Option<String> {
    let Event::Scalar(key, style, 0, None) = event else { return None };
    let is_word = !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) && !key.is_empty();
    (is_word && key != "<<" && entries.iter().all(|e| e.key != **key)).then(|| key.clone().into_owned())
}

#[cfg(test)]
mod tests;
