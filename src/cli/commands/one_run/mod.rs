//! Commands on one run: its report, its rows, and questions about it.

pub(crate) mod explain;
pub(crate) mod regret;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod theory;
pub(crate) mod what_if;
