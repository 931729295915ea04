//! The values of a YAML text with their places, so that single values can be changed and all else stays as it is:
//! mappings and lists, both in blocks and in braces. What is rarer (anchors, tags, keys that are no words) is not
//! followed.

use std::ops::Range;

/// Deepest nesting that is followed.
const DEPTH: usize = 64;

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) what: What,
    /// Place of the value in the text; of an empty one, where it would stand.
    pub(super) span: Range<usize>,
    /// Column of its keys or dashes.
    pub(super) indent: usize,
    /// Whether it stands in braces or brackets.
    pub(super) flow: bool,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// A scalar without its quotes. The value is null if nothing stands there.
    Scalar(String),
    /// A text over several lines that may be a document of its own; the lines of the text.
    Lines(Range<usize>),
    Map(Vec<Entry>),
    List(Vec<Item>),
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// From the key to the end of the value's last line, or of the value in braces.
    pub(super) at: Range<usize>,
    pub(super) value: Node,
}

#[derive(Clone, Debug)]
pub(super) struct Item {
    /// From the dash to the end of its last line, or the value in brackets.
    pub(super) at: Range<usize>,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let What::Map(entries) = &self.what else { return None };
        entries.iter().find(|e| e.key == key).map(|e| &e.value)
    }

    /// The value at keys, each below the one before.
    pub(super) fn at(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(super) fn scalar(&self) -> Option<&str> {
        if let What::Scalar(text) = &self.what { Some(text) } else { None }
    }

    pub(super) fn items(&self) -> &[Item] {
        if let What::List(items) = &self.what { items } else { &[] }
    }
}

/// The documents of a text that are followed.
pub(super) fn documents(text: &str) -> Vec<Node> {
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
pub(super) fn document(text: &str, at: Range<usize>) -> Option<Node> {
    let parser = Parser { text, lines: lines(text, at) };
    let first = parser.lines.first()?.clone();
    let mut next = 0;
    let node = parser.value(&mut next, first.start, DEPTH)?;
    (next == parser.lines.len()).then_some(node)
}

/// All mappings of a document, and of the texts in it that are documents themselves, for which `wanted` holds.
pub(super) fn find(text: &str, node: &Node, wanted: &dyn Fn(&Node) -> bool) -> Vec<Node> {
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

/// A line with content.
#[derive(Clone, Debug)]
struct Row {
    /// Begin of the line.
    begin: usize,
    /// First letter.
    start: usize,
    /// End of the content, without a comment.
    end: usize,
    /// End of the line.
    line_end: usize,
}

impl Row {
    fn indent(&self) -> usize {
        self.start - self.begin
    }
}

fn lines(text: &str, at: Range<usize>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut begin = at.start;
    for line in text[at].split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let content = body.trim_start_matches(' ');
        let start = begin + body.len() - content.len();
        let end = start + without_comment(content).trim_end().len();
        if end > start {
            rows.push(Row { begin, start, end, line_end: begin + body.len() });
        }
        begin += line.len();
    }
    rows
}

/// A line without its comment, which begins with `#` after white space outside of quotes.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    let mut chars = line.char_indices();
    while let Some((i, c)) = chars.next() {
        match quote {
            Some('"') if c == '\\' => _ = chars.next(),
            Some(q) if c == q => quote = None,
            None if c == '#' && before.is_whitespace() => return &line[..i],
            None if matches!(c, '"' | '\'') && matches!(before, ' ' | '{' | '[' | ',' | ':' | '(') => {
                quote = Some(c);
            }
            Some(_) | None => {}
        }
        before = c;
    }
    line
}

struct Parser<'a> {
    text: &'a str,
    lines: Vec<Row>,
}

impl Parser<'_> {
    /// The value that begins at a place of the line `next`, and moves on behind it.
    fn value(&self, next: &mut usize, from: usize, depth: usize) -> Option<Node> {
        let row = self.lines.get(*next)?;
        let content = self.text.get(from..row.end)?;
        let depth = depth.checked_sub(1)?;
        let indent = from - row.begin;
        if content == "-" || content.starts_with("- ") {
            return self.list(next, indent, from, depth);
        }
        if content.starts_with(['{', '[']) {
            return self.braces(next, from, depth);
        }
        if key_of(content).is_some() {
            return self.map(next, indent, from, depth);
        }
        if content.starts_with(['&', '*', '!', '?', '%', '@', '`', '|', '>', '\t']) {
            return None;
        }
        let node = self.scalar(from, row.end)?;
        *next += 1;
        Some(node)
    }

    fn scalar(&self, from: usize, end: usize) -> Option<Node> {
        let text = unquoted(self.text.get(from..end)?)?;
        Some(Node { what: What::Scalar(text), span: from..end, indent: 0, flow: false })
    }

    fn list(&self, next: &mut usize, indent: usize, from: usize, depth: usize) -> Option<Node> {
        let mut items = Vec::new();
        let mut start = from;
        loop {
            let row = self.lines.get(*next)?;
            let rest = self.text.get(start + 1..row.end)?;
            let inner = rest.trim_start_matches(' ');
            let value = if inner.is_empty() {
                let place = row.end;
                *next += 1;
                self.below(next, indent + 1, place, depth)?
            } else if inner.starts_with(['|', '>']) {
                let place = row.end - inner.len();
                self.text_lines(next, indent, place)
            } else {
                self.value(next, row.end - inner.len(), depth)?
            };
            items.push(Item { at: start..self.line_end(*next), value });
            match self.lines.get(*next) {
                Some(row) if row.indent() == indent && is_dash(&self.text[row.start..row.end]) => {
                    start = row.start;
                }
                Some(row) if row.indent() > indent => return None,
                _ => break,
            }
        }
        let span = from..items.last()?.at.end;
        Some(Node { what: What::List(items), span, indent, flow: false })
    }

    fn map(&self, next: &mut usize, indent: usize, from: usize, depth: usize) -> Option<Node> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut start = from;
        loop {
            let row = self.lines.get(*next)?;
            let (key, length) = key_of(self.text.get(start..row.end)?)?;
            let rest = self.text.get(start + length..row.end)?.trim_start_matches(' ');
            let place = row.end - rest.len();
            let value = if rest.is_empty() {
                *next += 1;
                // A list may stand at the column of its key.
                let dash = self.lines.get(*next).is_some_and(|r| is_dash(&self.text[r.start..r.end]));
                self.below(next, indent + usize::from(!dash), place, depth)?
            } else if rest.starts_with(['|', '>']) {
                self.text_lines(next, indent, place)
            } else if rest.starts_with(['{', '[']) {
                self.braces(next, place, depth)?
            } else if rest.starts_with(['&', '*', '!']) {
                return None;
            } else {
                self.long_scalar(next, indent, place)?
            };
            if entries.iter().any(|e| e.key == key) {
                return None;
            }
            entries.push(Entry { key, at: start..self.line_end(*next), value });
            match self.lines.get(*next) {
                Some(row) if row.indent() == indent && !is_dash(&self.text[row.start..row.end]) => {
                    start = row.start;
                }
                Some(row) if row.indent() > indent => return None,
                _ => break,
            }
        }
        let span = from..entries.last()?.at.end;
        Some(Node { what: What::Map(entries), span, indent, flow: false })
    }

    /// The value in the lines below, which are indented at least so far; null if there are none.
    fn below(&self, next: &mut usize, least: usize, place: usize, depth: usize) -> Option<Node> {
        match self.lines.get(*next) {
            Some(row) if row.indent() >= least => self.value(next, row.start, depth),
            _ => Some(Node { what: What::Scalar(String::new()), span: place..place, indent: 0, flow: false }),
        }
    }

    /// A scalar that may go on in lines which are indented further.
    fn long_scalar(&self, next: &mut usize, indent: usize, place: usize) -> Option<Node> {
        let mut end = self.lines.get(*next)?.end;
        *next += 1;
        while let Some(row) = self.lines.get(*next).filter(|row| row.indent() > indent) {
            end = row.end;
            *next += 1;
        }
        self.scalar(place, end)
    }

    /// The lines of a text in a block, which are indented further than its key.
    fn text_lines(&self, next: &mut usize, indent: usize, place: usize) -> Node {
        *next += 1;
        let first = self.lines.get(*next).map_or(self.text.len(), |row| row.begin);
        let mut end = first;
        while let Some(row) = self.lines.get(*next).filter(|row| row.indent() > indent) {
            end = row.line_end;
            *next += 1;
        }
        Node { what: What::Lines(first..end), span: place..end.max(place), indent: 0, flow: false }
    }

    /// A value in braces or brackets, which may go over lines.
    fn braces(&self, next: &mut usize, from: usize, depth: usize) -> Option<Node> {
        let end_of_text = self.lines.last()?.line_end;
        let mut flow = Flow { text: self.text, at: from, end: end_of_text };
        let node = flow.value(depth)?;
        let end = flow.at;
        while self.lines.get(*next).is_some_and(|row| row.end < end) {
            *next += 1;
        }
        // Nothing else stands behind it.
        let row = self.lines.get(*next)?;
        *next += 1;
        (row.end == end).then_some(node)
    }

    /// End of the line before `next`.
    fn line_end(&self, next: usize) -> usize {
        next.checked_sub(1).and_then(|i| self.lines.get(i)).map_or(0, |row| row.line_end)
    }
}

fn is_dash(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

/// The key that a line begins with, and its length with the colon.
fn key_of(content: &str) -> Option<(String, usize)> {
    let (key, length) = if let quote @ ('"' | '\'') = content.chars().next()? {
        let end = content[1..].find(quote)? + 2;
        (unquoted(&content[..end])?, end)
    } else {
        let end = content.match_indices(':').map(|(i, _)| i).find(|i| {
            let rest = &content[i + 1..];
            rest.is_empty() || rest.starts_with(' ')
        })?;
        (content[..end].trim_end().to_owned(), end)
    };
    let rest = content[length..].strip_prefix(':')?;
    let plain = !key.is_empty()
        && !key.starts_with(['?', '&', '*', '!', '{', '[', '|', '>', '-', '#'])
        && key != "<<";
    (plain && (rest.is_empty() || rest.starts_with(' '))).then_some((key, length + 1))
}

/// A scalar without its quotes.
fn unquoted(text: &str) -> Option<String> {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    if text.starts_with('"') {
        inner('"')?;
        return serde_json::from_str(text).ok();
    }
    if text.starts_with('\'') {
        return text
            .get(1..)
            .filter(|rest| !rest.is_empty())
            .and_then(|_| inner('\''))
            .map(|t| t.replace("''", "'"));
    }
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Reads values in braces.
struct Flow<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl Flow<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..self.end)?.chars().next()
    }

    /// Moves over white space and comments.
    fn skip(&mut self) {
        while let Some(c) = self.peek() {
            if c == '#' && self.text[..self.at].ends_with(char::is_whitespace) {
                let rest = &self.text[self.at..self.end];
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if c.is_whitespace() {
                self.at += c.len_utf8();
            } else {
                return;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        self.skip();
        match self.peek()? {
            '{' => self.map(depth),
            '[' => self.list(depth),
            _ => self.scalar(),
        }
    }

    fn map(&mut self, depth: usize) -> Option<Node> {
        let from = self.at;
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            self.skip();
            if self.peek()? == '}' {
                self.at += 1;
                return Some(Node { what: What::Map(entries), span: from..self.at, indent: 0, flow: true });
            }
            let start = self.at;
            let key = self.scalar()?;
            let What::Scalar(key) = key.what else { return None };
            self.skip();
            let value = if self.peek()? == ':' {
                self.at += 1;
                self.value(depth)?
            } else {
                Node { what: What::Scalar(String::new()), span: self.at..self.at, indent: 0, flow: true }
            };
            entries.push(Entry { key, at: start..value.span.end, value });
            self.comma('}')?;
        }
    }

    fn list(&mut self, depth: usize) -> Option<Node> {
        let from = self.at;
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip();
            if self.peek()? == ']' {
                self.at += 1;
                return Some(Node { what: What::List(items), span: from..self.at, indent: 0, flow: true });
            }
            let value = self.value(depth)?;
            items.push(Item { at: value.span.clone(), value });
            self.comma(']')?;
        }
    }

    fn comma(&mut self, close: char) -> Option<()> {
        self.skip();
        match self.peek()? {
            ',' => self.at += 1,
            c if c == close => {}
            _ => return None,
        }
        Some(())
    }

    fn scalar(&mut self) -> Option<Node> {
        let from = self.at;
        let rest = self.text.get(from..self.end)?;
        let length = match rest.chars().next()? {
            '"' => {
                let mut escaped = false;
                let close = rest[1..].char_indices().find(|(_, c)| {
                    let ends = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    ends
                });
                close?.0 + 2
            }
            '\'' => {
                let mut end = 1;
                loop {
                    end += rest[end..].find('\'')? + 1;
                    if !rest[end..].starts_with('\'') {
                        break end;
                    }
                    end += 1;
                }
            }
            '&' | '*' | '!' => return None,
            _ => {
                let ends = |(i, c): &(usize, char)| {
                    let colon = *c == ':' && rest[i + 1..].starts_with([' ', '\n', ',', '}', ']']);
                    colon || matches!(c, ',' | '{' | '}' | '[' | ']' | '\n')
                };
                let end = rest.char_indices().find(ends)?.0;
                rest[..end].trim_end().len()
            }
        };
        self.at = from + length;
        let text = unquoted(&rest[..length])?;
        Some(Node { what: What::Scalar(text), span: from..self.at, indent: 0, flow: true })
    }
}

#[cfg(test)]
mod tests;
