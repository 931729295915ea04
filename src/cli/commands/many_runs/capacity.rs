//! `tokenyard capacity`: the highest arrival rate at which enough requests meet their objectives.

use crate::args::studies::Capacity as Arguments;
use crate::commands::many_runs::near_the_knee::near_the_knee;
use crate::commands::many_runs::parallel::{NOTHING_DRAWN, each, progress, threads};
use crate::commands::many_runs::{cache, ratio};
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::print::{refused, say, tell, tell_all};
use base::{Diagnostic, json};
use run::session::{Audience, Session};
use study::sweep::{Capacity, Objective, SeedCapacity, capacity, capacity_of_seed};

/// `tokenyard capacity`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    let (mut objectives, mut problems) = (Vec::new(), Vec::new());
    for text in &args.objective {
        match Objective::parse(text) {
            Ok(objective) => objectives.push(objective),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(refused("--objective", &problems));
    }
    if !(args.share > 0.0 && args.share <= 1.0) {
        let found = args.share.to_string();
        let wrong = Diagnostic::error("", found, "above 0 up to 1", "0.99 is 99 % of the requests");
        return Err(refused("--share", &[wrong]));
    }
    let name = &args.input.scenario;
    let Loaded { mut scenario, trace, .. } = load(&args.input)?;
    Objective::replace(&objectives, &mut scenario);
    let started = Session::start(scenario.clone(), trace.clone(), Audience::Batch);
    let (session, warnings) = started.map_err(|problems| refused(name, &problems))?;
    tell_all(name, &warnings);
    if let Some(problem) = Capacity::refuses(&scenario) {
        return Err(refused(name, &[problem]));
    }
    let mut seeds = args.seeds;
    if seeds > 1 && !session.draws_workload() {
        tell(&NOTHING_DRAWN);
        seeds = 1;
    }
    if let Some(ratios) = &args.vary_ratio {
        return ratio::run(args, ratios, &scenario, trace.as_ref(), seeds);
    }
    if let Some(sizes) = &args.vary_cache {
        return cache::run(args, sizes, &scenario, trace.as_ref(), seeds);
    }
    let pool = threads(args.jobs)?;
    let bar = progress(seeds.into());
    let searched = each(&pool, seeds as usize, |k| {
        let seed = scenario.seed.wrapping_add(k as u64);
        let found = capacity_of_seed(&scenario, trace.as_ref(), seed, args.share);
        bar.inc(1);
        found
    });
    bar.finish_and_clear();
    let searched: Result<Vec<SeedCapacity>, _> = searched.into_iter().collect();
    let found = capacity(&scenario, args.share, searched.map_err(|problems| refused(name, &problems))?);
    if args.json {
        return say(&format!("{}\n", json::indented(&found)));
    }
    say(&text(&found))
}

fn text(found: &Capacity) -> String {
    let factor =
        found.factor.map_or(String::new(), |f| format!("that is {f:.3} times the scenario's rates\n"));
    format!("{}\n{factor}{}", found.text, near_the_knee(&found.evidence))
}
