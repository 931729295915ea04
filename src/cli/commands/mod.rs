//! The commands, each in the file of its name.

pub(crate) mod documents;
pub(crate) mod golden;
pub(crate) mod many_runs;
pub(crate) mod measured;
pub(crate) mod one_run;
pub(crate) mod page;
