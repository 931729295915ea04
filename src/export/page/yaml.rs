//! A scenario as YAML: blocks, two blanks a level, texts in quotes where they could be read as something else.

use serde_json::Value;

/// The document as YAML.
pub(super) fn yaml(document: &Value) -> String {
    let mut out = String::new();
    block(&mut out, document, 0);
    out
}

/// A list or an object in lines of its own, or a value in the line that is open.
fn block(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (i, (key, below)) in map.iter().enumerate() {
                if i > 0 || !out.ends_with("- ") {
                    indent(out, depth);
                }
                out.push_str(&scalar(key));
                out.push(':');
                entry(out, below, depth);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for item in list {
                indent(out, depth);
                out.push_str("- ");
                if is_open(item) && item.is_object() {
                    block(out, item, depth + 1);
                } else {
                    out.push_str(&flow(item));
                    out.push('\n');
                }
            }
        }
        _ => {
            out.push_str(&flow(value));
            out.push('\n');
        }
    }
}

/// What stands after a key.
fn entry(out: &mut String, value: &Value, depth: usize) {
    if is_open(value) {
        out.push('\n');
        block(out, value, depth + 1);
    } else {
        out.push(' ');
        out.push_str(&flow(value));
        out.push('\n');
    }
}

/// Whether it takes lines of its own. Lists of plain values stand in one line.
fn is_open(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => list.iter().any(Value::is_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => scalar(text),
        Value::Array(list) => {
            format!("[{}]", list.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let pair = |(key, below): (&String, &Value)| format!("{}: {}", scalar(key), flow(below));
            format!("{{{}}}", map.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A text; in the quotes of JSON, which YAML reads too, unless it is a plain word.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if plain { text.to_owned() } else { Value::from(text).to_string() }
}

fn indent(out: &mut String, depth: usize) {
    out.push_str(&"  ".repeat(depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_objects_and_texts_have_their_forms() {
        let document = json!({
            "title": "A: b", "seed": 7, "run": { "horizon_s": 1.5 }, "empty": {}, "on": [1, "no", "a-b"],
            "pools": [{ "name": "main", "kv": { "blocks": 3 } }, { "name": "no" }], "nested": [[{ "a": 1 }]]
        });
        let expected = "title: \"A: b\"\nseed: 7\nrun:\n  horizon_s: 1.5\nempty: {}\n\"on\": [1, \"no\", a-b]\npools:\n  \
                        - name: main\n    kv:\n      blocks: 3\n  - name: \"no\"\nnested: [[{a: 1}]]\n";
        assert_eq!(yaml(&document), expected);
    }
}
