//! Values as Python prints them: `{'model': 'x', 'fast': True, 'stops': None, 'sizes': [1, 2]}`.

use serde_json::{Map, Number, Value};

/// Deepest nesting that is read.
const DEPTH: u32 = 16;

/// The value at the beginning of a text, if it is one.
pub(crate) fn value(text: &str) -> Option<Value> {
    let mut reading = Reading { rest: text.trim_start() };
    reading.value(0)
}

struct Reading<'a> {
    rest: &'a str,
}

impl Reading<'_> {
    fn skip(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        let skipped = self.rest.strip_prefix(c);
        if let Some(rest) = skipped {
            self.rest = rest.trim_start();
        }
        skipped.is_some()
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        self.rest = self.rest.trim_start();
        match self.rest.chars().next()? {
            '{' => self.section(depth),
            '[' => self.list('[', ']', depth),
            '(' => self.list('(', ')', depth),
            q @ ('\'' | '"') => self.text(q).map(Value::from),
            _ => Some(self.word()),
        }
    }

    fn section(&mut self, depth: u32) -> Option<Value> {
        self.skip('{');
        let mut map = Map::new();
        while !self.skip('}') {
            let key = match self.value(depth + 1)? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            if !self.skip(':') {
                return None;
            }
            map.insert(key, self.value(depth + 1)?);
            if !self.skip(',') && !self.rest.starts_with('}') {
                return None;
            }
        }
        Some(Value::Object(map))
    }

    fn list(&mut self, open: char, close: char, depth: u32) -> Option<Value> {
        self.skip(open);
        let mut items = Vec::new();
        while !self.skip(close) {
            items.push(self.value(depth + 1)?);
            if !self.skip(',') && !self.rest.starts_with(close) {
                return None;
            }
        }
        Some(Value::Array(items))
    }

    fn text(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => text.push(chars.next()?.1),
                c if c == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Some(text);
                }
                c => text.push(c),
            }
        }
        None
    }

    /// A number, a constant, or the text of what Python prints for an object.
    fn word(&mut self) -> Value {
        let mut open = 0_u32;
        let end = self.rest.find(|c| {
            match c {
                '(' | '<' | '[' => open += 1,
                ')' | '>' | ']' if open > 0 => open -= 1,
                ',' | '}' | ']' | ')' | ':' if open == 0 => return true,
                _ => {}
            }
            false
        });
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        match word.trim() {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::Null,
            text => {
                let whole = text.parse::<i64>().ok().map(Value::from);
                let number = || text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number);
                whole.or_else(number).unwrap_or_else(|| Value::from(text))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_of_python_are_read() {
        let text = "{'model': \"a'b\", 'on': True, 'x': 0.9, 'n': None, 'l': [1, -2], 't': (1,), 'd': {'k': 'v'}, \
                    'e': <Enum.X: 'x'>, 'c': Config(a=1, b=[2])} and more";
        let want = json!({
            "model": "a'b", "on": true, "x": 0.9, "n": null, "l": [1, -2], "t": [1], "d": { "k": "v" },
            "e": "<Enum.X: 'x'>", "c": "Config(a=1, b=[2])",
        });
        assert_eq!(value(text), Some(want));
        for broken in ["{'a': ", "{'a' 1}", "{'a", "[1", "", &"[".repeat(100)] {
            assert_eq!(value(broken), None, "{broken}");
        }
    }
}
