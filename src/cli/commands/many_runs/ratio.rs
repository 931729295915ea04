//! `tokenyard capacity --vary-ratio`: the capacity with each ratio of prefill to decode replicas at equal GPUs.

use crate::args::studies::Capacity as Arguments;
use crate::commands::many_runs::near_the_knee::near_the_knee;
use crate::commands::many_runs::searches::{FIGURES, OF_FIGURES, figures, finish_all, mark, print};
use crate::failed::Failed;
use crate::print::refused;
use crate::text::table::{Align, Table};
use document::Scenario;
use run::session::Trace;
use std::sync::Arc;
use study::sweep::{Ratio, RatioResult, RatioSearches};

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
    print(args, &found, || found.csv(), || text(&found))
}

fn text(found: &RatioResult) -> String {
    let first = [("ratio", Align::Left, 6), ("GPUs", Align::Right, 4)];
    let mut table = Table::new(&[&first, &FIGURES[..], &[("best", Align::Left, 4)]].concat());
    for (i, row) in (0..).zip(&found.rows) {
        let figures = figures(row.capacity.as_ref(), row.met_share.as_ref(), row.goodput_per_s.as_ref());
        let first = [row.case.ratio.clone(), row.case.gpus.to_string()];
        table.row([&first, &figures[..], &[mark(found.best == Some(i), row.tied)]].concat());
    }
    let left_out = match found.left_out {
        0 => String::new(),
        n => format!("{n} further ratios are left out: name them with --vary-ratio=...\n"),
    };
    format!(
        "{}\nreq/s: the capacity at {}, with its interval; {OF_FIGURES}\n* best ratio, = no difference to it can be shown\n{left_out}{}\n{}",
        table.text(),
        found.at,
        found.text,
        near_the_knee(&found.evidence)
    )
}
