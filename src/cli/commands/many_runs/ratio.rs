//! `tokenyard capacity --vary-ratio`: the capacity with each ratio of prefill to decode replicas at equal GPUs.

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
use study::sweep::{Ratio, RatioResult, RatioSearches, SweepValue};

/// Finds the capacity with each ratio, and prints it.
pub(crate) fn run(
    args: &Arguments,
    ratios: &str,
    scenario: &Scenario,
    trace: Option<&Arc<Trace>>,
    seeds: u32,
) -> Result<(), Failed> {
    let chosen = Ratio::list(ratios).map_err(|problem| refused("--vary-ratio", &[problem]))?;
    let name = &args.input.scenario;
    let made = RatioSearches::new(scenario, &chosen, seeds, args.share);
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

/// The columns of the table.
const COLUMNS: [(&str, Align, usize); 9] = [
    ("ratio", Align::Left, 6),
    ("GPUs", Align::Right, 4),
    ("req/s", Align::Right, 7),
    ("from", Align::Right, 7),
    ("to", Align::Right, 7),
    ("times", Align::Right, 6),
    ("met", Align::Right, 6),
    ("goodput", Align::Right, 7),
    ("best", Align::Left, 4),
];

fn text(found: &RatioResult) -> String {
    let mut table = Table::new(&COLUMNS);
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
        table.row(vec![
            row.case.ratio.clone(),
            row.case.gpus.to_string(),
            number(capacity.and_then(|c| c.rate_per_s), 2),
            number(capacity.and_then(|c| c.lo), 2),
            number(capacity.and_then(|c| c.hi), 2),
            number(capacity.and_then(|c| c.factor), 3),
            number(mean(&row.met_share), 4),
            number(mean(&row.goodput_per_s), 2),
            mark.to_owned(),
        ]);
    }
    let left_out = match found.left_out {
        0 => String::new(),
        n => format!("{n} further ratios are left out: name them with --vary-ratio=...\n"),
    };
    format!(
        "{}\nreq/s: the capacity at {}, with its interval; times: the factor on the scenario's rates there\nmet, goodput: at the \
         scenario's own rates\n* best ratio, = no difference to it can be shown\n{left_out}{}\n{}",
        table.text(),
        found.at,
        found.text,
        near_the_knee(&found.evidence)
    )
}
