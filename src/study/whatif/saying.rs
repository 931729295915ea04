//! A sentence with numbers, each of which names its field: so a sentence cannot differ from the measurements.

use base::number_text::{count, duration};
use serde::Serialize;

/// A sentence, with the sources of its numbers.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// Its numbers, in order.
    pub numbers: Vec<Quoted>,
}

/// A number of a sentence.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quoted {
    /// The number as written in the sentence.
    pub text: String,
    /// Its field, as a path in the explanation, such as `/causes/2/diff_ms`.
    pub path: String,
}

/// A sentence being built.
#[derive(Default)]
pub(super) struct Saying(Sentence);

impl Saying {
    /// What was said.
    pub(super) fn done(self) -> Sentence {
        self.0
    }

    pub(super) fn say(&mut self, text: &str) -> &mut Self {
        self.0.text.push_str(text);
        self
    }

    pub(super) fn quote(&mut self, text: String, path: impl Into<String>) -> &mut Self {
        self.0.text.push_str(&text);
        self.0.numbers.push(Quoted { text, path: path.into() });
        self
    }

    pub(super) fn ms(&mut self, ms: f64, path: impl Into<String>) -> &mut Self {
        self.quote(in_ms(ms), path)
    }

    pub(super) fn whole(&mut self, x: f64, path: impl Into<String>) -> &mut Self {
        self.quote(whole(x), path)
    }

    pub(super) fn percent(&mut self, share: f64, path: impl Into<String>) -> &mut Self {
        self.quote(in_percent(share), path)
    }

    pub(super) fn count(&mut self, n: u64, path: impl Into<String>) -> &mut Self {
        self.quote(count(n), path)
    }
}

/// A time in milliseconds, formatted for sentences.
pub fn in_ms(ms: f64) -> String {
    duration(libm::floor(ms.max(0.0) * 1000.0 + 0.5) as u64)
}

/// A share, formatted for sentences.
pub fn in_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A mean of tokens, formatted for sentences.
pub fn whole(x: f64) -> String {
    count(libm::floor(x + 0.5) as u64)
}
