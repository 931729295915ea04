//! Values of some keys of a line of JSON; all others are skipped without being stored.

use super::columns::first_part;
use super::jsonl::bad_json;
use super::row::Bad;
use super::scalar::Scalar;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::fmt;

/// The values under `keys` of the object in `line`, in their order. A key with points that the object does not have is a
/// path: `usage.input` is the key `input` of the object under `usage`.
pub(super) fn pick<'a>(line: &'a str, keys: &[&str]) -> Result<Vec<Option<Scalar<'a>>>, Bad> {
    let mut found = vec![None; keys.len()];
    let mut reader = serde_json::Deserializer::from_str(line);
    reader.deserialize_map(Picker { keys, found: &mut found }).map_err(|e| bad_json(&e))?;
    reader.end().map_err(|e| bad_json(&e))?;
    Ok(found)
}

struct Picker<'k, 'a> {
    keys: &'k [&'k str],
    found: &'k mut [Option<Scalar<'a>>],
}

impl<'de> Visitor<'de> for Picker<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let key = key.0;
            if let Some(at) = self.keys.iter().position(|name| **name == *key) {
                let value: Scalar<'de> = map.next_value()?;
                for (name, place) in self.keys.iter().zip(self.found.iter_mut()).skip(at + 1) {
                    if **name == *key {
                        *place = Some(value.clone());
                    }
                }
                self.found[at] = Some(value);
            } else if self.keys.iter().any(|name| first_part(name) == key) {
                let value: Value = map.next_value()?;
                for (name, place) in self.keys.iter().zip(self.found.iter_mut()) {
                    let rest = name.strip_prefix(&*key).and_then(|rest| rest.strip_prefix('.'));
                    if let Some(rest) = rest {
                        *place = rest.split('.').try_fold(&value, |value, key| value.get(key)).map(scalar);
                    }
                }
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

pub(super) fn scalar<'a>(value: &Value) -> Scalar<'a> {
    match value {
        Value::Null => Scalar::Null,
        Value::String(text) => Scalar::Text(Cow::Owned(text.clone())),
        Value::Number(number) => Scalar::Number(Number::clone(number)),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Scalar::Other(value.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_paths_are_picked_and_the_rest_is_skipped() {
        let line = r#"{"a": {"b": {"c": 7}}, "skip": [1, {"x": 2}], "d.e": "f", "n": null}"#;
        let all = pick(line, &["d.e", "a.b.c", "n", "missing", "a.x"]).ok().unwrap();
        assert_eq!(all[0], Some(Scalar::Text(Cow::Borrowed("f"))));
        assert_eq!(all[1], Some(Scalar::Number(7.into())));
        assert_eq!(all[2..], [Some(Scalar::Null), None, None]);
        assert!(pick("[1]", &["a"]).is_err());
        assert!(pick("{\"a\": 1} x", &["a"]).is_err());
    }
}
