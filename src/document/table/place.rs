//! A place in a document, which becomes text only where there is a problem.

use std::fmt::Write;

/// A place in a document.
#[derive(Clone, Copy)]
pub struct At<'a> {
    before: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Entry(usize),
}

impl<'a> At<'a> {
    /// The whole document.
    pub const ROOT: At<'static> = At::path("");

    /// The place with this path.
    pub const fn path(path: &'a str) -> Self {
        Self { before: None, step: Step::Key(path) }
    }

    /// The value of a key there.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> Self {
        Self { before: Some(self), step: Step::Key(key) }
    }

    /// An entry of the list there.
    #[must_use]
    pub fn entry(&'a self, index: usize) -> Self {
        Self { before: Some(self), step: Step::Entry(index) }
    }

    /// Its path as users write it.
    pub fn text(&self) -> String {
        let mut text = self.before.map_or_else(String::new, Self::text);
        match self.step {
            Step::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            Step::Entry(index) => write!(text, "[{index}]").expect("a String takes any text"),
        }
        text
    }
}
