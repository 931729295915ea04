//! Searches for capacities on all cores.

use crate::args::studies::Capacity as Arguments;
use crate::commands::many_runs::parallel::{each, progress, threads};
use crate::failed::Failed;
use crate::print::refused;
use run::session::Trace;
use std::sync::Arc;
use study::sweep::CapacitySearch;

/// The searches with all their runs made.
pub(crate) fn finish_all(
    args: &Arguments,
    searches: &[CapacitySearch],
    trace: Option<&Arc<Trace>>,
) -> Result<Vec<CapacitySearch>, Failed> {
    let pool = threads(args.jobs)?;
    let bar = progress(searches.len() as u64);
    let finished = each(&pool, searches.len(), |i| {
        let mut search = searches[i].clone();
        let done = search.finish(trace);
        bar.inc(1);
        done.map(|()| search)
    });
    bar.finish_and_clear();
    let finished: Result<Vec<_>, _> = finished.into_iter().collect();
    finished.map_err(|problems| refused(&args.input.scenario, &problems))
}
