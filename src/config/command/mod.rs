//! Command lines: their flags by the map of a program, read and written, and the words of a shell.

pub(crate) mod flag_words;
pub(crate) mod flags;
#[macro_use]
pub(crate) mod map;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod shell_words;
pub(crate) mod values;
pub(crate) mod variables;
pub(crate) mod words;
pub(crate) mod write;
