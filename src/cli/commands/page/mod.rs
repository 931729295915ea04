//! Commands that write what the page is built with: types, schema, glossary, cards, lessons.

pub(crate) mod gallery;
pub(crate) mod glossary;
pub(crate) mod lesson;
pub(crate) mod lesson_cards;
pub(crate) mod schema;
pub(crate) mod types;
