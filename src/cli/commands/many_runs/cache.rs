//! `tokenyard capacity --vary-cache`: the capacity with each of several sizes of a cache.

use crate::args::studies::Capacity as Arguments;
use crate::commands::many_runs::near_the_knee::near_the_knee;
use crate::commands::many_runs::searches::{FIGURES, OF_FIGURES, figures, finish_all, mark, print};
use crate::failed::Failed;
use crate::print::refused;
use crate::text::table::{Align, Table, number};
use document::Scenario;
use run::session::Trace;
use std::sync::Arc;
use study::sweep::{CacheResult, CacheSearches, CacheSizes};

/// Finds the capacity with each size, and prints it.
pub(crate) fn run(
    args: &Arguments,
    sizes: &str,
    scenario: &Scenario,
    trace: Option<&Arc<Trace>>,
    seeds: u32,
) -> Result<(), Failed> {
    let sizes = CacheSizes::parse(sizes).map_err(|problem| refused("--vary-cache", &[problem]))?;
    let name = &args.input.scenario;
    let made = CacheSearches::new(scenario, &sizes, seeds, args.share);
    let mut study = made.map_err(|problems| refused(name, &problems))?;
    study.put_back(finish_all(args, &study.searches(), trace)?);
    let found = study.result();
    print(args, &found, || found.csv(), || text(&found))
}

/// The last columns of the table.
const LAST: [(&str, Align, usize); 2] = [("of best", Align::Right, 7), ("best", Align::Left, 4)];

fn text(found: &CacheResult) -> String {
    let cache = found.rows.first().map_or("", |row| row.case.cache);
    let unit = found.rows.first().map_or("", |row| row.case.unit);
    let columns = [&[(cache, Align::Right, 6), (unit, Align::Right, 6)], &FIGURES[..], &LAST].concat();
    let mut table = Table::new(&columns);
    for (i, row) in (0..).zip(&found.rows) {
        let of_best = row.to_best.and_then(|d| d.a.zip(d.b)).map(|(best, own)| own / best);
        let sizes: Vec<String> = row.case.sizes.iter().map(ToString::to_string).collect();
        let figures = figures(row.capacity.as_ref(), row.met_share.as_ref(), row.goodput_per_s.as_ref());
        let last = [number(of_best, 3), mark(found.best == Some(i), row.tied)];
        table.row([&[row.case.size.clone(), sizes.join(" ")], &figures[..], &last].concat());
    }
    format!(
        "{}\nreq/s: the capacity at {}, with its interval; {OF_FIGURES}\n* highest capacity, = no difference to it can be shown\n{}\n{}",
        table.text(),
        found.at,
        found.text,
        near_the_knee(&found.evidence)
    )
}
