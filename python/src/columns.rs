//! Rows as columns: JSON lines are read as they are written, so that no text of all rows is ever held.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The values of a column. It starts as the narrowest kind, and widens.
#[derive(Debug)]
enum Values {
    /// Nothing but unknown values so far.
    Unknown(usize),
    /// Yes or no, all known.
    Flags(Vec<bool>),
    /// Whole numbers, all known.
    Whole(Vec<i64>),
    /// Numbers; what is unknown is NaN.
    Real(Vec<f64>),
    /// Names by number; what is unknown has none.
    Texts(Vec<Option<u32>>, Names),
    /// Lists of whole numbers.
    Lists(Vec<Vec<i64>>),
}

/// Different texts of a column.
#[derive(Debug, Default)]
struct Names {
    numbers: BTreeMap<String, u32>,
    all: Vec<String>,
}

impl Names {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Unknown(n) => *n,
            Self::Flags(all) => all.len(),
            Self::Whole(all) => all.len(),
            Self::Real(all) => all.len(),
            Self::Texts(all, _) => all.len(),
            Self::Lists(all) => all.len(),
        }
    }

    /// The numbers so far, with room for more of any kind.
    fn real(&mut self) -> Option<&mut Vec<f64>> {
        let wide = match self {
            Self::Unknown(n) => vec![f64::NAN; *n],
            Self::Flags(all) => all.iter().map(|yes| f64::from(u8::from(*yes))).collect(),
            Self::Whole(all) => all.iter().map(|x| *x as f64).collect(),
            Self::Real(all) => std::mem::take(all),
            Self::Texts(..) | Self::Lists(_) => return None,
        };
        *self = Self::Real(wide);
        match self {
            Self::Real(all) => Some(all),
            _ => None,
        }
    }

    fn unknown(&mut self) {
        match self {
            Self::Unknown(n) => *n += 1,
            Self::Texts(all, _) => all.push(None),
            Self::Lists(all) => all.push(Vec::new()),
            Self::Flags(_) | Self::Whole(_) | Self::Real(_) => {
                if let Some(all) = self.real() {
                    all.push(f64::NAN);
                }
            }
        }
    }

    fn flag(&mut self, yes: bool) {
        match self {
            Self::Unknown(0) => *self = Self::Flags(vec![yes]),
            Self::Flags(all) => all.push(yes),
            other => other.number(f64::from(u8::from(yes))),
        }
    }

    fn whole(&mut self, x: i64) {
        match self {
            Self::Unknown(0) => *self = Self::Whole(vec![x]),
            Self::Whole(all) => all.push(x),
            other => other.number(x as f64),
        }
    }

    fn number(&mut self, x: f64) {
        if let Some(all) = self.real() {
            all.push(x);
        }
    }

    fn text(&mut self, text: &str) {
        if let Self::Unknown(n) = self {
            *self = Self::Texts(vec![None; *n], Names::default());
        }
        if let Self::Texts(all, names) = self {
            all.push(Some(names.number(text)));
        }
    }

    fn list(&mut self, list: Vec<i64>) {
        if let Self::Unknown(n) = self {
            *self = Self::Lists(vec![Vec::new(); *n]);
        }
        if let Self::Lists(all) = self {
            all.push(list);
        }
    }

    fn into_python(self, py: Python<'_>) -> Bound<'_, PyAny> {
        match self {
            Self::Unknown(n) => vec![f64::NAN; n].into_pyarray(py).into_any(),
            Self::Flags(all) => all.into_pyarray(py).into_any(),
            Self::Whole(all) => all.into_pyarray(py).into_any(),
            Self::Real(all) => all.into_pyarray(py).into_any(),
            Self::Texts(all, names) => {
                let names: Vec<Py<PyAny>> =
                    names.all.iter().map(|name| PyString::new(py, name).into_any().unbind()).collect();
                let none = py.None();
                let of = |number: Option<u32>| {
                    number.and_then(|n| names.get(n as usize)).unwrap_or(&none).clone_ref(py)
                };
                let texts: Vec<Py<PyAny>> = all.into_iter().map(of).collect();
                texts.into_pyarray(py).into_any()
            }
            Self::Lists(all) => {
                let lists: Vec<Py<PyAny>> =
                    all.into_iter().map(|list| list.into_pyarray(py).into_any().unbind()).collect();
                lists.into_pyarray(py).into_any()
            }
        }
    }
}

/// Columns that are being filled.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    named: Vec<(String, Values)>,
    /// The line that is not complete yet.
    open: Vec<u8>,
}

impl Columns {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let mut reader = serde_json::Deserializer::from_slice(line);
        Row(&mut self.named)
            .deserialize(&mut reader)
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
    }

    /// The columns by name, as arrays.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        for (name, values) in self.named {
            dict.set_item(name, values.into_python(py))?;
        }
        Ok(dict)
    }
}

/// Columns to which rows are written as JSON lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared(Arc<Mutex<Columns>>);

impl Shared {
    /// The columns, once all rows were written.
    pub(crate) fn take(&self) -> Columns {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut columns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|b| *b == b'\n') {
            if columns.open.is_empty() {
                columns.line(&rest[..end])?;
            } else {
                let mut line = std::mem::take(&mut columns.open);
                line.extend_from_slice(&rest[..end]);
                columns.line(&line)?;
            }
            rest = &rest[end + 1..];
        }
        columns.open.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a row into the columns.
struct Row<'a>(&'a mut Vec<(String, Values)>);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            // All rows have the same columns in the same order.
            if place == self.0.len() {
                self.0.push((name.into_owned(), Values::Unknown(0)));
            } else if self.0[place].0 != name {
                return Err(A::Error::custom(format!("the column {name} is not {}", self.0[place].0)));
            }
            let before = self.0[place].1.len();
            map.next_value_seed(Cell(&mut self.0[place].1))?;
            if self.0[place].1.len() != before + 1 {
                return Err(A::Error::custom(format!(
                    "a value of {} is of another kind than those before",
                    self.0[place].0
                )));
            }
            place += 1;
        }
        Ok(())
    }
}

/// Reads a value into its column.
struct Cell<'a>(&'a mut Values);

impl<'de> DeserializeSeed<'de> for Cell<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Cell<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a row")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.unknown();
        Ok(())
    }

    fn visit_bool<E: Error>(self, yes: bool) -> Result<(), E> {
        self.0.flag(yes);
        Ok(())
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<(), E> {
        match i64::try_from(x) {
            Ok(x) => self.0.whole(x),
            Err(_) => self.0.number(x as f64),
        }
        Ok(())
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<(), E> {
        self.0.whole(x);
        Ok(())
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<(), E> {
        self.0.number(x);
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut all = Vec::new();
        while let Some(x) = list.next_element()? {
            all.push(x);
        }
        self.0.list(all);
        Ok(())
    }
}
