//! `tokenyard capacity --vary-cache`: the capacity with each of several sizes of a cache.

use crate::args::studies::Capacity as Arguments;
use crate::commands::many_runs::near_the_knee::near_the_knee;
use crate::commands::many_runs::searches::finish_all;
use crate::failed::Failed;
use crate::print::{refused, say};
use crate::text::table::{Align, Table, number};
use base::json;
use document::Scenario;
use run::session::Trace;
use std::sync::Arc;
use study::sweep::{CacheResult, CacheSearches, CacheSizes, SweepValue};

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
    if args.json {
        return say(&format!("{}\n", json::indented(&found)));
    }
    if args.csv {
        return say(&found.csv());
    }
    say(&text(&found))
}

fn text(found: &CacheResult) -> String {
    let cache = found.rows.first().map_or("", |row| row.case.cache);
    let unit = found.rows.first().map_or("", |row| row.case.unit);
    let mut table = Table::new(&[
        (cache, Align::Right, 6),
        (unit, Align::Right, 6),
        ("req/s", Align::Right, 7),
        ("from", Align::Right, 7),
        ("to", Align::Right, 7),
        ("times", Align::Right, 6),
        ("of best", Align::Right, 7),
        ("met", Align::Right, 6),
        ("goodput", Align::Right, 7),
        ("best", Align::Left, 4),
    ]);
    for (i, row) in (0..).zip(&found.rows) {
        let capacity = row.capacity.as_ref();
        let mean = |value: &Option<SweepValue>| value.as_ref().and_then(|v| v.mean);
        let mark = if found.best == Some(i) {
            "*"
        } else if row.tied {
            "="
        } else {
            ""
        };
        let of_best = row.to_best.and_then(|d| d.a.zip(d.b)).map(|(best, own)| own / best);
        let sizes: Vec<String> = row.case.sizes.iter().map(ToString::to_string).collect();
        table.row(vec![
            row.case.size.clone(),
            sizes.join(" "),
            number(capacity.and_then(|c| c.rate_per_s), 2),
            number(capacity.and_then(|c| c.lo), 2),
            number(capacity.and_then(|c| c.hi), 2),
            number(capacity.and_then(|c| c.factor), 3),
            number(of_best, 3),
            number(mean(&row.met_share), 4),
            number(mean(&row.goodput_per_s), 2),
            mark.to_owned(),
        ]);
    }
    format!(
        "{}\nreq/s: the capacity at {}, with its interval; times: the factor on the scenario's rates there\nmet, goodput: at the \
         scenario's own rates\n* highest capacity, = no difference to it can be shown\n{}\n{}",
        table.text(),
        found.at,
        found.text,
        near_the_knee(&found.evidence)
    )
}
