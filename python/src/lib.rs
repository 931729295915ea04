//! `tokenyard._core`: the simulator for Python. Scenarios, reports and answers cross as JSON text, tables as columns of
//! numbers; `tokenyard/*.py` makes of these what its users see.

mod columns;
mod evaluate;
mod keeper;
mod problem;
mod run;
mod scenario;
mod session;
mod study;
mod table;
mod trace;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::evaluate::{Suite, suites};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::scenario::{Scenario, imported, presets};
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::study::{Capacity, Outcomes, Questions, SeedFound, compared, regret};
    #[pymodule_export]
    use crate::trace::{Trace, TraceFile};
    use pyo3::prelude::*;
    use tokenyard::base::stats::HEADLINE;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("PERCENTILES", HEADLINE.map(|(name, _)| name))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
