//! Reading and writing of JSON, along one path: text becomes a tree, a tree becomes data, data becomes compact text,
//! and compact text becomes indented text.
//!
//! Every other path (data from text, data to a tree, data to indented text) would add another copy of every type's
//! serde code to the page's download.

use crate::small::json_writer;
use serde::Serialize;
use serde::de::value::{BorrowedStrDeserializer, U64Deserializer};
use serde::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};
use std::fmt;

/// A step down a document, from a value to one it contains.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStep {
    /// Into an object.
    Key(String),
    /// Into a list.
    Index(usize),
    /// Into the content of a chosen variant, which stands in an object under the variant's name.
    Variant(String),
}

/// Why a tree does not have the shape of the data.
#[derive(Debug)]
pub struct Misfit(Box<MisfitPath>);

#[derive(Debug)]
struct MisfitPath {
    /// What is wrong, in serde's words.
    message: String,
    /// Innermost step first.
    steps: Vec<PathStep>,
}

impl Misfit {
    /// The path of the place, from the root.
    pub fn steps(&self) -> impl Iterator<Item = &PathStep> {
        self.0.steps.iter().rev()
    }

    fn new(message: String) -> Self {
        Self(Box::new(MisfitPath { message, steps: Vec::new() }))
    }

    fn below(mut self, step: PathStep) -> Self {
        self.0.steps.push(step);
        self
    }

    #[cold]
    #[inline(never)]
    fn in_field(self, key: &str) -> Self {
        self.below(PathStep::Key(key.to_owned()))
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    #[cold]
    #[inline(never)]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("invalid type: {}, expected {expected}", in_words(found)))
    }

    #[cold]
    #[inline(never)]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("invalid value: {}, expected {expected}", in_words(found)))
    }
}

/// Compact text.
pub fn compact<T: Serialize + ?Sized>(value: &T) -> String {
    let mut text = json_writer::Text::default();
    match value.serialize(&mut text) {
        Ok(()) => String::from_utf8(text.0).expect("INV-6: JSON is text"),
        Err(never) => match never {},
    }
}

/// Text indented by two spaces a level.
pub fn indented<T: Serialize + ?Sized>(value: &T) -> String {
    indent(&compact(value))
}

/// Data as a tree. Narrow floats keep the digits they are written with.
pub fn tree<T: Serialize + ?Sized>(value: &T) -> Value {
    serde_json::from_str(&compact(value)).expect("INV-6: what was written as JSON reads as JSON")
}

/// Data from a tree.
pub fn data<T: DeserializeOwned>(tree: &Value) -> Result<T, Misfit> {
    T::deserialize(Node(tree))
}

/// Indents compact text: the bytes of `serde_json::to_string_pretty`.
fn indent(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut before = ' ';
    for c in compact.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            out.push(c);
            before = c;
            continue;
        }
        let closes = matches!(c, '}' | ']');
        depth -= usize::from(closes);
        // Empty lists and objects stay on their line.
        let empty = closes && matches!(before, '{' | '[');
        if !empty && (closes || matches!(before, '{' | '[' | ',')) {
            out.push('\n');
            (0..depth).for_each(|_| out.push_str("  "));
        }
        depth += usize::from(matches!(c, '{' | '['));
        in_string = c == '"';
        out.push(c);
        if c == ':' {
            out.push(' ');
        }
        before = c;
    }
    out
}

/// A value in the tree. Its methods are not inlined, as each field of each type would contain a copy. Its message for
/// a wrong type is that of `serde_json`, with the path.
#[derive(Clone, Copy)]
struct Node<'a>(&'a Value);

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Misfit;

    #[inline(never)]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Number(n) => match (n.as_u64(), n.as_i64()) {
                (Some(whole), _) => visitor.visit_u64(whole),
                (None, Some(whole)) => visitor.visit_i64(whole),
                // Adding 0 turns a negative zero into 0.
                (None, None) => visitor.visit_f64(n.as_f64().unwrap_or(f64::NAN) + 0.0),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    #[inline(never)]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let Value::Array(list) = self.0 else { return Err(de::Error::invalid_type(kind(self.0), &visitor)) };
        let mut entries = Entries { list, next: 0 };
        let read = visitor.visit_seq(&mut entries)?;
        all_read(entries.next, list.len(), "fewer elements in array").map(|()| read)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_seq(visitor)
    }

    #[inline(never)]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let Value::Object(map) = self.0 else { return Err(de::Error::invalid_type(kind(self.0), &visitor)) };
        let mut fields = Fields { map: map.iter(), current: None };
        let read = visitor.visit_map(&mut fields)?;
        all_read(map.len() - fields.map.len(), map.len(), "fewer elements in map").map(|()| read)
    }

    /// Only from an object: `serde_json` also accepts a list of the fields in order, which is never intended.
    #[inline(never)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let Value::Object(map) = self.0 else { return Err(de::Error::invalid_type(kind(self.0), &visitor)) };
        visitor.visit_map(NamedFields { names, fields: Fields { map: map.iter(), current: None } })
    }

    #[inline(never)]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    #[inline(never)]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_enum(choice(self.0, names)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }

    // The visitor refuses other values, in the same words.
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        tuple_struct identifier
    }
}

fn all_read(read: usize, there: usize, expected: &'static str) -> Result<(), Misfit> {
    if read == there { Ok(()) } else { Err(de::Error::invalid_length(there, &expected)) }
}

fn kind(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(b) => Unexpected::Bool(*b),
        Value::Number(n) => match (n.as_u64(), n.as_i64()) {
            (Some(whole), _) => Unexpected::Unsigned(whole),
            (None, Some(whole)) => Unexpected::Signed(whole),
            (None, None) => Unexpected::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

/// The found value in the words of `serde_json`, whose own code would add the standard library's formatting of floats.
fn in_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(b) => format!("boolean `{b}`"),
        Unexpected::Unsigned(n) => format!("integer `{n}`"),
        Unexpected::Signed(n) => format!("integer `{n}`"),
        Unexpected::Float(x) => format!("floating point `{}`", compact(&x)),
        Unexpected::Str(text) => format!("string {}", compact(text)),
        Unexpected::Unit => "null".to_owned(),
        Unexpected::Seq => "sequence".to_owned(),
        Unexpected::Map => "map".to_owned(),
        Unexpected::UnitVariant => "unit variant".to_owned(),
        // A tree has nothing else.
        _ => "something else".to_owned(),
    }
}

/// The entries of a list still to read.
struct Entries<'a> {
    list: &'a [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for &mut Entries<'de> {
    type Error = Misfit;

    #[inline(never)]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        let Some(entry) = self.list.get(self.next) else { return Ok(None) };
        self.next += 1;
        seed.deserialize(Node(entry)).map(Some).map_err(|e| e.below(PathStep::Index(self.next - 1)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.list.len() - self.next)
    }
}

/// The fields of an object still to read.
struct Fields<'a> {
    map: serde_json::map::Iter<'a>,
    current: Option<(&'a String, &'a Value)>,
}

impl<'de> MapAccess<'de> for &mut Fields<'de> {
    type Error = Misfit;

    #[inline(never)]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        self.current = self.map.next();
        let Some((key, _)) = self.current else { return Ok(None) };
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some).map_err(|e: Misfit| e.in_field(key))
    }

    #[inline(never)]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Misfit> {
        let (key, value) = self.current.expect("serde asks for a key before its value");
        seed.deserialize(Node(value)).map_err(|e| e.in_field(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.map.len())
    }
}

/// The fields of a struct still to read. Names are looked up here, by the same code for all types, and the type's own
/// code gets only the index: otherwise the code of each type would compare texts.
struct NamedFields<'a> {
    names: &'static [&'static str],
    fields: Fields<'a>,
}

impl<'de> MapAccess<'de> for NamedFields<'de> {
    type Error = Misfit;

    #[inline(never)]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        self.fields.current = self.fields.map.next();
        let Some((key, _)) = self.fields.current else { return Ok(None) };
        // A type without unknown fields refuses their index; others ignore it.
        let found = seed.deserialize(place_of(key, self.names));
        found.map(Some).map_err(|_: Misfit| unknown_field(key, self.names))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Misfit> {
        (&mut self.fields).next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.map.len())
    }
}

/// The index of `name` among `names`, in the form that serde takes; one beyond the last if it is missing.
#[inline(never)]
fn place_of(name: &str, names: &'static [&'static str]) -> U64Deserializer<Misfit> {
    let place = names.iter().position(|n| *n == name).unwrap_or(names.len());
    (place as u64).into_deserializer()
}

#[cold]
#[inline(never)]
fn unknown_field(key: &str, names: &'static [&'static str]) -> Misfit {
    <Misfit as de::Error>::unknown_field(key, names).in_field(key)
}

/// A variant by name, with its content if it has one.
#[derive(Clone, Copy)]
struct Choice<'a> {
    name: &'a str,
    names: &'static [&'static str],
    content: Option<&'a Value>,
}

fn choice<'a>(value: &'a Value, names: &'static [&'static str]) -> Result<Choice<'a>, Misfit> {
    match value {
        Value::String(name) => Ok(Choice { name, names, content: None }),
        Value::Object(map) => single(map, names)
            .ok_or_else(|| de::Error::invalid_value(Unexpected::Map, &"map with a single key")),
        other => Err(de::Error::invalid_type(kind(other), &"string or map")),
    }
}

fn single<'a>(map: &'a Map<String, Value>, names: &'static [&'static str]) -> Option<Choice<'a>> {
    let (name, content) = map.iter().next()?;
    (map.len() == 1).then_some(Choice { name, names, content: Some(content) })
}

impl<'a> Choice<'a> {
    /// The content, which must be of the right kind.
    fn content(self, fits: fn(&Value) -> bool, expected: &'static str) -> Result<Node<'a>, Misfit> {
        let found = match self.content {
            Some(value) if fits(value) => return Ok(Node(value)),
            Some(other) => kind(other),
            None => Unexpected::UnitVariant,
        };
        Err(de::Error::invalid_type(found, &expected))
    }

    #[cold]
    #[inline(never)]
    fn named(self, error: Misfit) -> Misfit {
        error.below(PathStep::Variant(self.name.to_owned()))
    }
}

#[cold]
#[inline(never)]
fn unknown_variant(choice: Choice<'_>) -> Misfit {
    de::Error::unknown_variant(choice.name, choice.names)
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Misfit> {
        let found = seed.deserialize(place_of(self.name, self.names));
        found.map(|variant| (variant, self)).map_err(|_: Misfit| unknown_variant(self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        self.content.map_or(Ok(()), |value| <()>::deserialize(Node(value))).map_err(|e| self.named(e))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Misfit> {
        let node = self.content(|_| true, "newtype variant");
        node.and_then(|node| seed.deserialize(node)).map_err(|e| self.named(e))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misfit> {
        let node = self.content(Value::is_array, "tuple variant");
        node.and_then(|node| node.deserialize_seq(visitor)).map_err(|e| self.named(e))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let node = self.content(Value::is_object, "struct variant");
        node.and_then(|node| node.deserialize_struct("", names, visitor)).map_err(|e| self.named(e))
    }
}

mod python;

pub use python::from_python;

#[cfg(test)]
mod tests;
