//! Reads data from a tree in one pass: every problem of shape is reported with its path, what was found, what is
//! allowed and how to fix it, and the rest is read.
//!
//! A value of the wrong shape counts as one that is left out: a field keeps its default, an entry of a list is dropped,
//! and where a field has no default the part that needs it cannot be read either. `shape!` writes [`Read`] for types.

use crate::At;
use crate::table::foreign;
use base::{Diagnostic, Diagnostics, SortedMap, alike};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most problems listed for one document.
const MOST_PROBLEMS: usize = 100;

/// Data that is read from a tree.
pub trait Read: Sized {
    /// Reads the value at a place; reports what is wrong with it, and gives `None` if nothing of it can be used.
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self>;
}

/// A choice without settings, which is written as its name.
pub trait Named: Copy + 'static {
    /// All of them.
    const ALL: &'static [Self];
    /// Their names, in the same order.
    const NAMES: &'static [&'static str];
}

/// The problems of shape of one document.
#[derive(Debug)]
pub struct Problems {
    /// What the document should be, such as "a scenario".
    whole: String,
    all: Diagnostics,
    /// The paths of values that were left out.
    gone: Vec<String>,
    /// Whether entries of lists were left out, so that those after them moved up.
    moved: bool,
    cut_off: bool,
}

impl Problems {
    /// None so far; `whole` is what the document should be, such as "a scenario".
    pub fn of(whole: &str) -> Self {
        Self { whole: whole.to_owned(), all: Vec::new(), gone: Vec::new(), moved: false, cut_off: false }
    }

    /// All problems, in the order of the document.
    pub fn finish(mut self) -> Diagnostics {
        if self.cut_off {
            let many = format!("more than {MOST_PROBLEMS} problems");
            self.all.push(Diagnostic::error("", many, "", "solve those above first"));
        }
        self.all
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether there are more than a list takes.
    pub fn are_too_many(&self) -> bool {
        self.cut_off
    }

    /// Whether entries of lists were left out: the paths of what was read are not those of the document.
    pub fn moved_entries(&self) -> bool {
        self.moved
    }

    /// Whether the value at `path`, or a part that contains it, was left out.
    pub fn left_out(&self, path: &str) -> bool {
        self.gone.iter().any(|gone| {
            path.strip_prefix(gone).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    /// Reports a value of the wrong shape.
    #[cold]
    #[inline(never)]
    pub fn wrong(&mut self, value: &Value, at: &At<'_>, allowed: impl Into<String>, fix: &str) {
        let path = at.text();
        let problem = if path.is_empty() {
            let allowed = format!("{}: an object in braces", self.whole);
            Diagnostic::error(path, show(value), allowed, "start with { and end with }")
        } else {
            Diagnostic::error(path, show(value), allowed, fix)
        };
        self.add(problem);
    }

    /// Reports a key that the object around it does not have.
    #[cold]
    #[inline(never)]
    pub fn unknown_key(&mut self, key: &str, known: &[&str], at: &At<'_>) {
        let fix = match (foreign::ours(key, known), foreign::place(key)) {
            (Some(own), _) => format!("its name here is `{own}`"),
            (None, Some(place)) if alike::nearest(key, known.iter().copied()).is_none() => {
                format!("it belongs at `{place}`")
            }
            (None, _) => meant(key, known, "remove it"),
        };
        self.add(Diagnostic::error(at.text(), format!("unknown key `{key}`"), known.join(", "), fix));
    }

    /// The fields of an object.
    #[inline(never)]
    pub fn object<'v>(&mut self, value: &'v Value, at: &At<'_>) -> Option<&'v Map<String, Value>> {
        if !value.is_object() {
            self.wrong(value, at, "an object", "put the settings in braces");
        }
        value.as_object()
    }

    /// Reads a field that has a default, which stays if the value cannot be used.
    pub fn set<T: Read>(&mut self, field: &mut T, value: &Value, at: &At<'_>) {
        match T::read(value, at, self) {
            Some(read) => *field = read,
            None => self.leave_out(at),
        }
    }

    /// The chosen name, which is one of `known`, and what stands with it.
    #[inline(never)]
    pub fn choice<'v>(&mut self, value: &'v Value, at: &At<'_>, known: &[&str]) -> Option<Choice<'v>> {
        let Some(choice) = Choice::of(value) else {
            let allowed = "one choice: its name, or {\"name\": {...}} with its settings";
            self.wrong(value, at, allowed, "keep exactly one choice");
            return None;
        };
        self.known(choice, known, at)
    }

    /// A choice among names alone.
    #[inline(never)]
    fn name<'v>(&mut self, value: &'v Value, at: &At<'_>, known: &[&str]) -> Option<&'v str> {
        let Some(choice) = Choice::of(value) else {
            self.wrong(value, at, known.join(", "), "choose one of these");
            return None;
        };
        let choice = self.known(choice, known, at)?;
        self.without_settings(&choice, at).then_some(choice.name)
    }

    fn known<'v>(&mut self, choice: Choice<'v>, known: &[&str], at: &At<'_>) -> Option<Choice<'v>> {
        if known.contains(&choice.name) {
            return Some(choice);
        }
        let fix = foreign::ours(choice.name, known).map_or_else(
            || meant(choice.name, known, "choose one of these"),
            |own| format!("its name here is `{own}`"),
        );
        let found = format!("unknown choice \"{}\"", choice.name);
        self.add(Diagnostic::error(at.text(), found, known.join(", "), fix));
        None
    }

    /// Whether a choice comes without settings, as it must; reports any.
    #[inline(never)]
    pub fn without_settings(&mut self, choice: &Choice<'_>, at: &At<'_>) -> bool {
        let Some(settings) = choice.content.filter(|content| !content.is_null()) else { return true };
        let fix = "this choice has no settings: write only its name";
        self.wrong(settings, &at.key(choice.name), "the name of the choice alone", fix);
        false
    }

    #[cold]
    fn missing(&mut self, field: &str, object: &Value, at: &At<'_>) {
        let found = format!("no `{field}` in {}", show(object));
        self.add(Diagnostic::error(at.text(), found, "", format!("add `{field}`")));
    }

    #[cold]
    #[inline(never)]
    fn leave_out(&mut self, at: &At<'_>) {
        self.gone.push(at.text());
    }

    fn add(&mut self, problem: Diagnostic) {
        if self.all.len() < MOST_PROBLEMS {
            self.all.push(problem);
        } else {
            self.cut_off = true;
        }
    }
}

/// A choice as it was written: its name, and its settings if it has any.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'v> {
    /// The name.
    pub name: &'v str,
    content: Option<&'v Value>,
}

impl<'v> Choice<'v> {
    fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::String(name) => Some(Self { name, content: None }),
            Value::Object(map) if map.len() == 1 => {
                map.iter().next().map(|(name, content)| Self { name, content: Some(content) })
            }
            _ => None,
        }
    }

    /// Its settings: a bare name stands for none that differ from their defaults.
    pub fn settings(self) -> Cow<'v, Value> {
        self.content.map_or_else(|| Cow::Owned(Value::Object(Map::new())), Cow::Borrowed)
    }
}

/// A field of an object while the object is read.
#[derive(Debug)]
pub enum Slot<T> {
    /// No value was found yet.
    Empty,
    /// A value was found, and cannot be used.
    Unusable,
    /// The value.
    Filled(T),
}

impl<T: Read> Slot<T> {
    /// Reads the value of the field.
    pub fn fill(&mut self, value: &Value, at: &At<'_>, problems: &mut Problems) {
        *self = T::read(value, at, problems).map_or(Self::Unusable, Self::Filled);
        if matches!(self, Self::Unusable) {
            problems.leave_out(at);
        }
    }

    /// The value of a field that the object at a place must have; reports a missing one.
    pub fn needed(self, field: &str, object: &Value, at: &At<'_>, problems: &mut Problems) -> Option<T> {
        match self {
            Self::Filled(value) => return Some(value),
            Self::Unusable => {}
            Self::Empty => problems.missing(field, object, at),
        }
        None
    }

    /// The value of a field, or its default.
    pub fn or_default(self) -> T
    where
        T: Default,
    {
        if let Self::Filled(value) = self { value } else { T::default() }
    }
}

impl Slot<u32> {
    /// The value of a number, or 1.
    pub fn or_one(self) -> u32 {
        if let Self::Filled(value) = self { value } else { 1 }
    }
}

/// Reads one of some names.
pub fn one_of<T: Named>(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<T> {
    let name = problems.name(value, at, T::NAMES)?;
    T::NAMES.iter().zip(T::ALL).find(|(known, _)| **known == name).map(|(_, read)| *read)
}

/// Reads a number, or `None` for a word in its place; `allowed` is what messages call that.
pub fn number_or(
    word: &str,
    allowed: &str,
    value: &Value,
    at: &At<'_>,
    problems: &mut Problems,
) -> Option<Option<u32>> {
    if value.as_str() == Some(word) {
        return Some(None);
    }
    let number = value.as_u64().and_then(|n| u32::try_from(n).ok());
    if number.is_none() {
        problems.wrong(value, at, allowed, "change the value");
    }
    number.map(Some)
}

/// A value as the user wrote it, shortened.
fn show(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let head: String = text.chars().take(57).collect();
    format!("{head}...")
}

fn meant(found: &str, known: &[&str], otherwise: &str) -> String {
    let nearest = alike::nearest(found, known.iter().copied());
    nearest.map_or_else(|| otherwise.to_owned(), |name| format!("did you mean `{name}`?"))
}

/// Types that one value of JSON stands for.
macro_rules! plain {
    ($($type:ty: $take:expr, $allowed:literal, $fix:literal;)*) => {$(
        impl Read for $type {
            fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
                let take: fn(&Value) -> Option<Self> = $take;
                let read = take(value);
                if read.is_none() {
                    problems.wrong(value, at, $allowed, $fix);
                }
                read
            }
        }
    )*};
}

plain! {
    bool: Value::as_bool, "true or false", "write it without quotes";
    u32: |value| value.as_u64()?.try_into().ok(),
        "a whole number from 0 to 4,294,967,295", "write it without quotes, point or minus";
    u64: Value::as_u64,
        "a whole number from 0 to 18,446,744,073,709,551,615", "write it without quotes, point or minus";
    i32: |value| value.as_i64()?.try_into().ok(),
        "a whole number from -2,147,483,648 to 2,147,483,647", "write it without quotes or point";
    // Adding 0 turns a negative zero into 0.
    f64: |value| value.as_f64().map(|x| x + 0.0), "a number", "write it without quotes";
    String: |value| value.as_str().map(str::to_owned), "text", "put it in double quotes";
    Map<String, Value>: |value| value.as_object().map(|map| map.iter().map(with_plain_zeros).collect()),
        "an object", "put the settings in braces";
}

impl Read for Value {
    fn read(value: &Value, _: &At<'_>, _: &mut Problems) -> Option<Self> {
        Some(with_plain_zero(value))
    }
}

/// The value with 0 for each negative zero, as numbers are read.
fn with_plain_zero(value: &Value) -> Value {
    match value {
        Value::Number(n) if n.is_f64() => n.as_f64().map_or(Value::Null, |x| Value::from(x + 0.0)),
        Value::Array(list) => list.iter().map(with_plain_zero).collect(),
        Value::Object(map) => map.iter().map(with_plain_zeros).collect(),
        other => other.clone(),
    }
}

fn with_plain_zeros((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), with_plain_zero(value))
}

impl<T: Read> Read for Option<T> {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::read(value, at, problems).map(Some) }
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        let Value::Array(list) = value else {
            problems.wrong(value, at, "a list", "put the entries in brackets, even a single one");
            return None;
        };
        let mut read = Self::with_capacity(list.len());
        for (index, entry) in list.iter().enumerate() {
            let at = at.entry(index);
            if let Some(entry) = T::read(entry, &at, problems) {
                read.push(entry);
            } else {
                problems.leave_out(&at);
                problems.moved = true;
            }
        }
        Some(read)
    }
}

impl<T: Read> Read for BTreeMap<String, T> {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        let mut read = Self::new();
        for (key, value) in problems.object(value, at)? {
            let at = at.key(key);
            match T::read(value, &at, problems) {
                Some(value) => drop(read.insert(key.clone(), value)),
                None => problems.leave_out(&at),
            }
        }
        Some(read)
    }
}

impl<T: Read, const N: usize> Read for [T; N] {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        let read = Vec::read(value, at, problems)?;
        if value.as_array().is_some_and(|list| list.len() != N) {
            problems.wrong(value, at, format!("a list of {N} entries"), "change the value");
        }
        read.try_into().ok()
    }
}

impl<T: Read> Read for SortedMap<String, T> {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        BTreeMap::read(value, at, problems).map(|read| read.into_iter().collect())
    }
}
