//! Commands that write what the page is built with: schema, glossary, lessons.

pub(crate) mod glossary;
pub(crate) mod lesson;
pub(crate) mod schema;
