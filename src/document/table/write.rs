//! Writes data as a tree, field by field in the order of the table. `shape!` writes [`Write`] for types.

use serde_json::{Map, Value};

/// Data that is written as a tree.
pub trait Write {
    /// The tree that reads as this.
    fn write(&self) -> Value;
}

/// An object while it is written.
#[derive(Debug, Default)]
pub struct Object(Map<String, Value>);

impl Object {
    /// Writes a field.
    pub fn put<T: Write>(&mut self, name: &str, value: &T) {
        self.put_tree(name, value.write());
    }

    /// Writes a field, unless it has its default.
    pub fn put_unless<T: Write + PartialEq>(&mut self, name: &str, value: &T, default: &T) {
        if value != default {
            self.put(name, value);
        }
    }

    #[inline(never)]
    fn put_tree(&mut self, name: &str, tree: Value) {
        self.0.insert(name.to_owned(), tree);
    }

    /// The object.
    pub fn finish(self) -> Value {
        Value::Object(self.0)
    }
}

/// A choice with its settings.
#[inline(never)]
pub fn chosen(name: &str, settings: Value) -> Value {
    let mut object = Object::default();
    object.put_tree(name, settings);
    object.finish()
}

/// A number, or the word that stands for none.
pub fn number_or(word: &str, number: Option<u32>) -> Value {
    number.map_or_else(|| Value::from(word), Value::from)
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Write for $type {
            fn write(&self) -> Value {
                Value::from(self.clone())
            }
        }
    )*};
}

plain! { bool u32 u64 i32 f64 String Map<String, Value> Value }

impl<T: Write> Write for Option<T> {
    fn write(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::write)
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self) -> Value {
        self.iter().map(T::write).collect()
    }
}

#[cfg(feature = "schema")]
impl<T: Write, const N: usize> Write for [T; N] {
    fn write(&self) -> Value {
        self.iter().map(T::write).collect()
    }
}

#[cfg(feature = "schema")]
impl Write for &str {
    fn write(&self) -> Value {
        Value::from(*self)
    }
}
