//! `tokenyard regret`: the KV caches of a run beside those of an oracle.

use crate::args::studies::Regret as Arguments;
use crate::commands::many_runs::parallel::{NOTHING_DRAWN, each, threads};
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::print::{refused, say, tell};
use crate::text::table::{Align, Table, number};
use base::{Diagnostics, json};
use document::Scenario;
use run::session::{Audience, Session, Trace};
use std::sync::Arc;
use study::kv_regret::{KvFigures, KvRegret, KvRegrets, RegretMean, SeedRegret, kv_regret, with_seed};

/// `tokenyard regret`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    let Loaded { scenario, trace, .. } = load(&args.input)?;
    if args.seeds > 1 {
        let started = Session::start(scenario.clone(), trace.clone(), Audience::Batch);
        let (session, _) = started.map_err(|problems| refused(&args.input.scenario, &problems))?;
        if session.draws_workload() {
            return run_seeds(args, &scenario, trace.as_ref());
        }
        tell(&NOTHING_DRAWN);
    }
    let found = kv_regret(&scenario, trace).map_err(|problems| refused(&args.input.scenario, &problems))?;
    if args.json {
        return say(&format!("{}\n", json::indented(&found)));
    }
    say(&text(&found))
}

/// Runs each seed with its oracle.
fn run_seeds(args: &Arguments, scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Result<(), Failed> {
    let pool = threads(args.jobs)?;
    let made = each(&pool, args.seeds as usize, |k| {
        let (seed, scenario) = with_seed(scenario, k as u32);
        kv_regret(&scenario, trace.cloned()).map(|found| (seed, found))
    });
    let failed = |problems: Diagnostics| refused(&args.input.scenario, &problems);
    let runs: Result<Vec<_>, Failed> = made.into_iter().map(|run| run.map_err(failed)).collect();
    let found = KvRegrets::of(runs?);
    let text = if args.json { format!("{}\n", json::indented(&found)) } else { text_of_seeds(&found) };
    say(&text)
}

fn text_of_seeds(found: &KvRegrets) -> String {
    let right = |name| (name, Align::Right, 8);
    let heads = [
        ("seed", Align::Right, 4),
        right("computed %"),
        right("oracle's %"),
        right("blocks %"),
        right("mean TTFT ms"),
    ];
    let mut table = Table::new(&heads);
    for SeedRegret { seed, regret } in &found.seeds {
        table.row(vec![
            seed.clone(),
            number(computed(&regret.own), 2),
            number(computed(&regret.oracle), 2),
            number(regret.block_regret.map(|share| share * 100.0), 2),
            number(regret.mean_ttft_regret_ms, 3),
        ]);
    }
    let mean = |of: Option<RegretMean>, by: f64, digits| {
        let n = |value: Option<f64>| number(value.map(|v| v * by), digits);
        of.map_or("–".to_owned(), |m| format!("{} ({} to {})", n(Some(m.mean)), n(m.lo), n(m.hi)))
    };
    let blocks = mean(found.block_regret, 100.0, 2);
    let ttft = mean(found.mean_ttft_regret_ms, 1.0, 3);
    let means = format!(
        "regret, mean of {} seeds (95 % interval): {blocks} % of the blocks of prompts, {ttft} ms of mean TTFT\n",
        found.seeds.len()
    );
    let has = found.seeds.first().into_iter().flat_map(|first| &first.regret.oracle_has);
    let has = has.map(|path| format!("the oracle has {path}\n"));
    [table.text(), means].into_iter().chain(has).collect()
}

fn text(found: &KvRegret) -> String {
    let right = |name| (name, Align::Right, 8);
    let heads = [
        ("", Align::Left, 8),
        right("blocks of prompts"),
        right("computed"),
        right("computed %"),
        right("mean TTFT ms"),
    ];
    let mut table = Table::new(&heads);
    for (name, of) in [("run", &found.own), ("oracle", &found.oracle)] {
        table.row(vec![
            name.to_owned(),
            of.prompt_blocks.to_string(),
            of.computed_blocks.to_string(),
            number(computed(of), 2),
            number(of.mean_ttft_ms, 3),
        ]);
    }
    let share = number(found.block_regret.map(|share| share * 100.0), 2);
    let ttft = number(found.mean_ttft_regret_ms, 3);
    let regret = format!("regret: {share} % of the blocks of prompts, {ttft} ms of mean TTFT\n");
    let has = found.oracle_has.iter().map(|path| format!("the oracle has {path}\n"));
    [table.text(), regret].into_iter().chain(has).collect()
}

/// The computed blocks in percent.
fn computed(of: &KvFigures) -> Option<f64> {
    (of.prompt_blocks > 0).then(|| 100.0 * of.computed_blocks as f64 / of.prompt_blocks as f64)
}
