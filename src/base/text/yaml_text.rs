//! The only writer of YAML: documents in blocks, two blanks a level, and texts in quotes where a reader could take them
//! for something else.

use serde_json::Value;

/// A document as YAML.
pub fn yaml_text(document: &Value) -> String {
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
                out.push_str(&quoted_where_needed(key));
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
        Value::String(text) => quoted_where_needed(text),
        Value::Array(list) => {
            format!("[{}]", list.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let pair =
                |(key, below): (&String, &Value)| format!("{}: {}", quoted_where_needed(key), flow(below));
            format!("{{{}}}", map.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A text as a scalar of YAML: plain where no reader can take it for anything else, otherwise in double quotes.
pub fn quoted_where_needed(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { in_quotes(text) }
}

/// Whether a text may stand without quotes: a word of letters, digits and a few signs that begins with a letter, a
/// slash or as a flag does, ends with no colon, and is no word of YAML 1.1 or 1.2 that means something else.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 13] =
        ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", "nan", "inf", "infinity"];
    let sign = |c: char| matches!(c, '-' | '_' | '.' | '/' | ':');
    let allowed = |c: char| c.is_ascii_alphanumeric() || sign(c);
    let first = text.chars().next();
    let flag =
        text.strip_prefix("--").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let begins = flag || first.is_some_and(|c| c.is_ascii_alphabetic() || c == '/');
    begins
        && text.chars().all(allowed)
        && !text.ends_with(':')
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A text in double quotes, as JSON writes it; YAML reads all of its escapes. Line ends of Unicode that YAML 1.1
/// knows are escaped too.
pub fn in_quotes(text: &str) -> String {
    let json = Value::from(text).to_string();
    let escape = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if escape(c) {
            out.extend(format!("\\u{:04x}", u32::from(c)).chars());
        } else {
            out.push(c);
        }
    }
    out
}

fn indent(out: &mut String, depth: usize) {
    out.push_str(&"  ".repeat(depth));
}

#[cfg(test)]
mod tests {
    use super::yaml_text;
    use serde_json::json;

    #[test]
    fn lists_objects_and_texts_have_their_forms() {
        let document = json!({
            "title": "A: b", "seed": 7, "run": { "horizon_s": 1.5 }, "empty": {}, "on": [1, "no", "a-b"],
            "pools": [{ "name": "main", "kv": { "blocks": 3 } }, { "name": "no" }], "nested": [[{ "a": 1 }]]
        });
        let expected = "title: \"A: b\"\nseed: 7\nrun:\n  horizon_s: 1.5\nempty: {}\n\"on\": [1, \"no\", a-b]\npools:\n  \
                        - name: main\n    kv:\n      blocks: 3\n  - name: \"no\"\nnested: [[{a: 1}]]\n";
        assert_eq!(yaml_text(&document), expected);
    }
}
