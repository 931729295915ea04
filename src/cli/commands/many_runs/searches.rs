//! Searches for capacities on all cores, and their results as rows of a table.

use crate::args::studies::Capacity as Arguments;
use crate::commands::many_runs::parallel::{each, progress, threads};
use crate::failed::Failed;
use crate::print::{refused, say};
use crate::text::table::{Align, number};
use base::json;
use run::session::Trace;
use serde::Serialize;
use std::sync::Arc;
use study::sweep::{Capacity, CapacitySearch, SweepValue};

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

/// The columns of [`figures`].
pub(super) const FIGURES: [(&str, Align, usize); 6] = [
    ("req/s", Align::Right, 7),
    ("from", Align::Right, 7),
    ("to", Align::Right, 7),
    ("times", Align::Right, 6),
    ("met", Align::Right, 6),
    ("goodput", Align::Right, 7),
];

/// What [`FIGURES`] are.
pub(super) const OF_FIGURES: &str =
    "times: the factor on the scenario's rates there\nmet, goodput: at the scenario's own rates";

/// A capacity with its interval and its factor, and two figures at the scenario's own rates.
pub(super) fn figures(
    capacity: Option<&Capacity>,
    met: Option<&SweepValue>,
    goodput: Option<&SweepValue>,
) -> [String; 6] {
    [
        number(capacity.and_then(|c| c.rate_per_s), 2),
        number(capacity.and_then(|c| c.lo), 2),
        number(capacity.and_then(|c| c.hi), 2),
        number(capacity.and_then(|c| c.factor), 3),
        number(met.and_then(|v| v.mean), 4),
        number(goodput.and_then(|v| v.mean), 2),
    ]
}

/// The mark of the best row, and of one that is not told apart from it.
pub(super) fn mark(is_best: bool, is_tied: bool) -> String {
    let mark = if is_best {
        "*"
    } else if is_tied {
        "="
    } else {
        ""
    };
    mark.to_owned()
}

/// Prints a result as JSON, as CSV or as text.
pub(super) fn print(
    args: &Arguments,
    found: &impl Serialize,
    csv: impl FnOnce() -> String,
    text: impl FnOnce() -> String,
) -> Result<(), Failed> {
    if args.json {
        say(&format!("{}\n", json::indented(found)))
    } else if args.csv {
        say(&csv())
    } else {
        say(&text())
    }
}
