//! Writes data as compact text: the bytes of `serde_json::to_string`, by code that is not copied into every type.
//!
//! Saves: not measured alone. Together with [`sort`](super::sort) and one way of reading JSON it reduced the first module
//! from 315,487 to 299,911 bytes (brotli).
//!
//! Only plain data is written, so that writing cannot fail: the error is a type without values, and callers need no
//! code for it. Texts and floats are written by `serde_json` itself.

use serde::ser::{self, Serialize, Serializer};
use std::fmt::Display;

/// There are no errors.
#[derive(Debug)]
pub enum Never {}

impl std::fmt::Display for Never {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: Display>(message: T) -> Self {
        panic!("INV-6: what is written is plain data: {message}")
    }
}

/// The text so far.
#[derive(Default)]
pub struct Text(pub(crate) Vec<u8>);

/// A list or an object that is being written.
pub struct Open<'a> {
    text: &'a mut Text,
    /// Whether it is still empty.
    empty: bool,
    /// Its closing character.
    close: &'static str,
}

impl Text {
    #[inline(never)]
    fn raw(&mut self, plain: &str) {
        self.0.extend_from_slice(plain.as_bytes());
    }

    #[inline(never)]
    fn whole(&mut self, mut n: u64) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.0.extend_from_slice(&digits[first..]);
    }

    #[inline(never)]
    fn signed(&mut self, n: i64) {
        if n < 0 {
            self.0.push(b'-');
        }
        self.whole(n.unsigned_abs());
    }

    #[inline(never)]
    fn float(&mut self, x: f64) {
        serde_json::to_writer(&mut self.0, &x).expect("INV-6: memory takes what is written");
    }

    #[inline(never)]
    fn quoted(&mut self, text: &str) {
        serde_json::to_writer(&mut self.0, text).expect("INV-6: memory takes what is written");
    }

    #[inline(never)]
    fn variant(&mut self, name: &str) {
        self.raw("{");
        self.quoted(name);
        self.raw(":");
    }

    fn open(&mut self, with: &str, close: &'static str) -> Open<'_> {
        self.raw(with);
        Open { text: self, empty: true, close }
    }
}

impl Open<'_> {
    #[inline(never)]
    fn comma(&mut self) {
        if !std::mem::take(&mut self.empty) {
            self.text.raw(",");
        }
    }

    #[inline(never)]
    fn key(&mut self, key: &str) {
        self.comma();
        self.text.quoted(key);
        self.text.raw(":");
    }

    #[inline(never)]
    fn close(self) {
        self.text.raw(self.close);
    }
}

/// Narrow whole numbers are written as the wide ones that hold them.
macro_rules! widened {
    ($($wide:ident: $($name:ident $narrow:ty),+;)+) => {
        $($(
            fn $name(self, n: $narrow) -> Result<(), Never> {
                self.$wide(n.into())
            }
        )+)+
    };
}

impl<'a> Serializer for &'a mut Text {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Open<'a>;
    type SerializeTuple = Open<'a>;
    type SerializeTupleStruct = Open<'a>;
    type SerializeTupleVariant = Open<'a>;
    type SerializeMap = Open<'a>;
    type SerializeStruct = Open<'a>;
    type SerializeStructVariant = Open<'a>;

    fn serialize_bool(self, b: bool) -> Result<(), Never> {
        self.raw(if b { "true" } else { "false" });
        Ok(())
    }

    widened! {
        serialize_i64: serialize_i8 i8, serialize_i16 i16, serialize_i32 i32;
        serialize_u64: serialize_u8 u8, serialize_u16 u16, serialize_u32 u32;
    }

    fn serialize_i64(self, n: i64) -> Result<(), Never> {
        self.signed(n);
        Ok(())
    }

    fn serialize_u64(self, n: u64) -> Result<(), Never> {
        self.whole(n);
        Ok(())
    }

    /// A narrow float keeps the digits it is written with.
    fn serialize_f32(self, x: f32) -> Result<(), Never> {
        serde_json::to_writer(&mut self.0, &x).expect("INV-6: memory takes what is written");
        Ok(())
    }

    fn serialize_f64(self, x: f64) -> Result<(), Never> {
        self.float(x);
        Ok(())
    }

    fn serialize_char(self, c: char) -> Result<(), Never> {
        self.quoted(c.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), Never> {
        self.quoted(text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Never> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<(), Never> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Never> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Never> {
        self.raw("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Never> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<(), Never> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        self.variant(name);
        value.serialize(&mut *self)?;
        self.raw("}");
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'a>, Never> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'a>, Never> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'a>, Never> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Open<'a>, Never> {
        self.variant(name);
        Ok(self.open("[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'a>, Never> {
        Ok(self.open("{", "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'a>, Never> {
        Ok(self.open("{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Open<'a>, Never> {
        self.variant(name);
        Ok(self.open("{", "}}"))
    }
}

/// The traits of lists, whose elements all have the same method under another name.
macro_rules! list {
    ($($list:ident::$method:ident),*) => {$(
        impl ser::$list for Open<'_> {
            type Ok = ();
            type Error = Never;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
                self.comma();
                value.serialize(&mut *self.text)
            }

            fn end(self) -> Result<(), Never> {
                self.close();
                Ok(())
            }
        }
    )*};
}

list!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// The traits of objects with fields.
macro_rules! fields {
    ($($fields:ident),*) => {$(
        impl ser::$fields for Open<'_> {
            type Ok = ();
            type Error = Never;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Never> {
                self.key(key);
                value.serialize(&mut *self.text)
            }

            fn end(self) -> Result<(), Never> {
                self.close();
                Ok(())
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Open<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Never> {
        self.comma();
        let start = self.text.0.len();
        key.serialize(&mut *self.text)?;
        // A number as a key is a text.
        if self.text.0[start] != b'"' {
            self.text.0.insert(start, b'"');
            self.text.0.push(b'"');
        }
        self.text.raw(":");
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(&mut *self.text)
    }

    fn end(self) -> Result<(), Never> {
        self.close();
        Ok(())
    }
}
