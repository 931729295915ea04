//! Reads a document as a tree and reports keys that an object has twice: `serde_json` silently keeps the last value.

use crate::json::PathStep;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Most repeated keys that are remembered.
const MOST: usize = 100;

/// A tree, and the repeated keys of its text.
#[derive(Debug, Default)]
pub struct ReadTree {
    /// The tree, with the last of several values.
    pub tree: Value,
    /// The path of each repeated key, in the order of the text.
    pub repeated: Vec<Vec<PathStep>>,
}

impl ReadTree {
    /// Reads any document.
    pub fn read<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let mut walk = Walk::default();
        let tree = Tree(&mut walk).deserialize(source)?;
        Ok(Self { tree, repeated: walk.repeated })
    }

    /// Reads JSON text.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let mut source = serde_json::Deserializer::from_str(text);
        let read = Self::read(&mut source)?;
        source.end().map(|()| read)
    }
}

/// The current position of reading.
#[derive(Default)]
struct Walk {
    path: Vec<PathStep>,
    repeated: Vec<Vec<PathStep>>,
}

/// Reads one value of the tree.
struct Tree<'a>(&'a mut Walk);

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(n.into())
    }

    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        Ok(n.into())
    }

    fn visit_f64<E>(self, x: f64) -> Result<Value, E> {
        Ok(Number::from_f64(x).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        self.deserialize(source)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            self.0.path.push(PathStep::Index(list.len()));
            let entry = entries.next_element_seed(Tree(self.0))?;
            self.0.path.pop();
            match entry {
                Some(entry) => list.push(entry),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            self.0.path.push(PathStep::Key(key.clone()));
            let value = fields.next_value_seed(Tree(self.0))?;
            if map.insert(key, value).is_some() && self.0.repeated.len() < MOST {
                self.0.repeated.push(self.0.path.clone());
            }
            self.0.path.pop();
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_the_one_that_serde_json_reads() {
        for text in [
            "null",
            "-0",
            "0",
            "18446744073709551615",
            "-9223372036854775808",
            "184467440737095516150",
            "1.5e-300",
            "0.1",
            r#"["a", {"b": [], "c": {}, "d": [true, false, null, -3]}, "é\u0001\ud83d\ude00"]"#,
        ] {
            let read = ReadTree::from_json(text).unwrap();
            assert_eq!(read.tree, serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(read.repeated, [] as [Vec<PathStep>; 0]);
        }
        for text in ["", "1e400", "[1,]", "{} {}", "{\"a\":1,}", &"[".repeat(500)] {
            let want = serde_json::from_str::<Value>(text).unwrap_err().to_string();
            assert_eq!(ReadTree::from_json(text).unwrap_err().to_string(), want);
        }
    }

    #[test]
    fn repeated_keys_are_noted_with_their_path() {
        let read =
            ReadTree::from_json(r#"{"a": 1, "b": [{"c": 1}, {"c": 2, "d": 0, "c": 3, "c": 4}], "a": 5}"#)
                .unwrap();
        let key = |k: &str| PathStep::Key(k.to_owned());
        let c = vec![key("b"), PathStep::Index(1), key("c")];
        assert_eq!(read.repeated, [c.clone(), c, vec![key("a")]]);
        assert_eq!(read.tree["a"], 5);
    }
}
