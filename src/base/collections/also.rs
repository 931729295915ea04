//! An optional value with room for another beside it. Without the other it is written as the optional value alone, so that state
//! which hardly any run has takes no byte of the others'.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};

/// An optional value, and perhaps another beside it. It can be used as the optional value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Also<A, B> {
    /// The value.
    pub value: Option<A>,
    /// What is beside it.
    pub also: Option<B>,
}

impl<A, B> Default for Also<A, B> {
    fn default() -> Self {
        Self { value: None, also: None }
    }
}

impl<A, B> From<Option<A>> for Also<A, B> {
    fn from(value: Option<A>) -> Self {
        Self { value, also: None }
    }
}

impl<A, B> Deref for Also<A, B> {
    type Target = Option<A>;

    fn deref(&self) -> &Option<A> {
        &self.value
    }
}

impl<A, B> DerefMut for Also<A, B> {
    fn deref_mut(&mut self) -> &mut Option<A> {
        &mut self.value
    }
}

/// The form in which it is written: the first two are those of an optional value.
#[derive(Serialize, Deserialize)]
enum Form<A, B> {
    None,
    Value(A),
    Both(Option<A>, B),
}

impl<A: Serialize, B: Serialize> Serialize for Also<A, B> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match (&self.value, &self.also) {
            (None, None) => Form::<&A, &B>::None,
            (Some(value), None) => Form::Value(value),
            (value, Some(also)) => Form::Both(value.as_ref(), also),
        }
        .serialize(s)
    }
}

impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Deserialize<'de> for Also<A, B> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(match Form::deserialize(d)? {
            Form::None => Self::default(),
            Form::Value(value) => Some(value).into(),
            Form::Both(value, also) => Self { value, also: Some(also) },
        })
    }
}
