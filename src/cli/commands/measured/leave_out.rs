//! Fits that leave something out and predict it: `tokenyard calibrate --leave-out`, and the transfers of `tokenyard validate
//! --level 2`.

use crate::args::LeaveOut;
use crate::commands::measured::experiments::Found;
use crate::commands::measured::fit_set::{FIRST, Set, fit_set, of_sets, release, row, start_of, with_twin};
use crate::commands::measured::own_row::OwnRow;
use crate::commands::measured::replay_jobs::{Job, replay_jobs};
use crate::failed::Failed;
use crate::print::{say, tell};
use document::{EngineGeneration, model_key};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use tools::validate::{
    Experiment, Found as Coefficients, Latency, LeftOut, Options, Outcome, built_in, carried, distance_table,
    distances, left_out, left_out_lines, model_name, precision_name, served_by, without_precision,
};

/// Predicts experiments of one GPU and release with coefficients that have not seen them.
fn predicted(found: &Found, set: &Set, own: &Coefficients, seeds: u32) -> Outcome {
    let latency = Latency::Own(vec![(set.0.clone(), set.1, own.clone())]);
    let options = Options { latency, seeds, fit_to: None };
    let jobs: Vec<Job<'_>> = found.iter().map(|of| (of, options.clone())).collect();
    let mut all = Outcome::default();
    for outcome in replay_jobs(&jobs) {
        all.rows.extend(outcome.rows);
        all.unmodelled.extend(outcome.unmodelled);
    }
    for row in all.rows.iter_mut().filter(|r| r.metric != "kv_blocks") {
        row.fitted_on = false;
    }
    all
}

/// The model of an experiment, in whatever precision.
fn bare_name(e: &Experiment) -> String {
    let name = e.model.split(" (").next().unwrap_or(&e.model);
    let key = model_name(e).map_or_else(|| model_key(name), str::to_owned);
    without_precision(&key).to_owned()
}

/// The key by which an experiment is left out.
fn key(e: &Experiment, by: LeaveOut) -> String {
    match by {
        LeaveOut::Model => bare_name(e),
        LeaveOut::Group => e.group.clone(),
        LeaveOut::Gpu => served_by(e).0,
        LeaveOut::Precision => precision_name(e),
    }
}

/// Fits of sets without the experiments of one key; a set without any of them is fitted once.
struct Fits<'a> {
    sets: &'a [(Set, Found)],
    by: LeaveOut,
    done: Mutex<BTreeMap<(usize, String), Option<OwnRow>>>,
}

impl Fits<'_> {
    /// The fit of a set without what has this key, beginning with those of the sets before it that lack it too.
    fn without(&self, set: usize, left: &str) -> Option<OwnRow> {
        let (of, found) = &self.sets[set];
        let (before, chain) = self.chain(of);
        let has = |i: usize| self.sets[i].1.iter().any(|(e, _)| key(e, self.by) == left);
        let name = if chain.iter().chain([&set]).any(|i| has(*i)) { left } else { "" };
        let done =
            |all: &BTreeMap<(usize, String), Option<OwnRow>>| all.get(&(set, name.to_owned())).cloned();
        if let Some(known) = done(&self.done.lock().expect("no thread panics while it is locked")) {
            return known;
        }
        let begun: Vec<OwnRow> = before.iter().filter_map(|i| self.without(*i, left)).collect();
        let start = with_twin(start_of(of, &Vec::new(), &begun), of, &Vec::new(), &begun);
        let rest: Found = found.iter().filter(|(e, _)| key(e, self.by) != left).cloned().collect();
        let fitted = fit_set(&start, of, &rest).map(|fit| row(of, fit));
        let kept = fitted.clone();
        self.done.lock().expect("no thread panics while it is locked").insert((set, name.to_owned()), kept);
        fitted
    }

    /// The sets that a set begins with, and all that stand behind them.
    fn chain(&self, of: &Set) -> (Vec<usize>, Vec<usize>) {
        let at = |gpu: &str, engine| self.sets.iter().position(|((g, e), _)| g == gpu && *e == engine);
        let first = at(FIRST.0, FIRST.1).filter(|_| (of.0.as_str(), of.1) != FIRST);
        let same = at(FIRST.0, of.1).filter(|_| of.0 != FIRST.0);
        let mut before: Vec<usize> = first.into_iter().chain(same).collect();
        before.dedup();
        (before.clone(), before)
    }
}

/// `tokenyard calibrate --leave-out`: every model, group, GPU or precision in turn, predicted by a fit to the others.
pub(crate) fn leave_out(found: Found, by: LeaveOut, only: &[String]) -> Vec<LeftOut> {
    let sets = of_sets(found);
    let fits = Fits { sets: &sets, by, done: Mutex::default() };
    let chosen = |set: &Set| {
        let name = format!("{}/{}", set.0, release(set.1));
        only.is_empty() || only.iter().any(|start| name.starts_with(start.as_str()))
    };
    let mut lines = Vec::new();
    for (i, (set, found)) in sets.iter().enumerate().filter(|(_, (set, _))| chosen(set)) {
        let name = format!("{}/{}", set.0, release(set.1));
        if by == LeaveOut::Gpu {
            if set.0 != FIRST.0 {
                let (before, _) = fits.chain(set);
                let begun: Vec<OwnRow> = before.iter().filter_map(|i| fits.without(*i, &set.0)).collect();
                let own = Coefficients {
                    coefficients: start_of(set, &Vec::new(), &begun),
                    ..Coefficients::default()
                };
                lines.extend(left_out(&name, &set.0, &predicted(found, set, &own, 1).rows));
            }
            continue;
        }
        let keys: BTreeSet<String> = found.iter().map(|(e, _)| key(e, by)).collect();
        let mut rows = Vec::new();
        for left in &keys {
            let Some(fit) = fits.without(i, left) else { continue };
            let own: Found = found.iter().filter(|(e, _)| key(e, by) == *left).cloned().collect();
            let coefficients = Coefficients { coefficients: fit.coefficients, models: fit.models };
            let of_left = predicted(&own, set, &coefficients, 1).rows;
            tell(&format_args!("{name} without {left}: fitted"));
            lines.extend(left_out(&name, left, &of_left));
            rows.extend(of_left);
        }
        if let Some(all) = left_out(&name, ALL, &rows) {
            lines.push(LeftOut { errors: Vec::new(), ..all });
        }
    }
    lines
}

/// Predictions by fits that left something out: a line for each, and errors by regime.
pub(crate) fn held_out(as_json: bool, by: LeaveOut, found: Found) -> Result<(), Failed> {
    let lines = leave_out(found, by, &[]);
    let name = match by {
        LeaveOut::Model => "unseen model",
        LeaveOut::Gpu => "unseen GPU",
        LeaveOut::Precision => "unseen precision",
        LeaveOut::Group => "unseen group",
    };
    let by_regime = distances(&[], &[(name, &lines)]);
    if as_json {
        let document = serde_json::json!({"left_out": lines, "distances": by_regime});
        return say(&format!("{document:#}\n"));
    }
    say(&format!("{}\n{}", left_out_lines(&lines), distance_table(&by_regime)))
}

/// Name of the line over all parts that were left out in turn.
const ALL: &str = "all of these";

/// Level 2: predictions from another token budget, another parallelism, or another GPU.
pub(crate) fn transfers(found: &Found, seeds: u32) -> Outcome {
    let mut all = Outcome::default();
    for (set, found) in of_sets(found.clone()) {
        if set.0 != FIRST.0 {
            all = joined(all, from_another_gpu(&found, &set, seeds));
            continue;
        }
        let start = start_of(&set, &Vec::new(), &[]);
        let budget = |e: &Experiment| count(e, "/engine/max_num_batched_tokens");
        let wide = |e: &Experiment| count(e, "/tp").is_some_and(|tp| tp > 2);
        let usual = most_common(found.iter().filter_map(|(e, _)| budget(e)));
        let other = |e: &Experiment| budget(e).is_some() && budget(e) != usual;
        for (transfer, left) in [("token budget", &other as &dyn Fn(&_) -> bool), ("TP 1, 2 to more", &wide)]
        {
            let (own, rest): (Found, Found) = found.iter().cloned().partition(|(e, _)| left(e));
            if own.is_empty() {
                continue;
            }
            let Some(fit) = fit_set(&start, &set, &rest) else { continue };
            all = joined(all, marked(predicted(&own, &set, &fit.found, seeds), transfer));
        }
    }
    all
}

fn joined(mut all: Outcome, more: Outcome) -> Outcome {
    all.rows.extend(more.rows);
    all.unmodelled.extend(more.unmodelled);
    all
}

fn marked(mut outcome: Outcome, transfer: &str) -> Outcome {
    outcome.rows.retain(|r| r.metric != "kv_blocks");
    for row in &mut outcome.rows {
        row.transfer = Some(transfer.to_owned());
    }
    outcome
}

fn count(e: &Experiment, path: &str) -> Option<u64> {
    e.document.pointer(path).and_then(serde_json::Value::as_u64)
}

fn most_common(values: impl Iterator<Item = u64>) -> Option<u64> {
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, n)| *n).map(|(value, _)| value)
}

/// The built-in coefficients of an H100, which were fitted to no other GPU: those of the same release, or else the
/// nearest, transferred by published figures of both.
fn from_another_gpu(found: &Found, set: &Set, seeds: u32) -> Outcome {
    let distance = |engine: EngineGeneration| (engine as i32 - set.1 as i32).abs();
    let of_first = built_in().into_iter().filter(|(gpu, ..)| gpu == FIRST.0);
    let Some((.., first)) = of_first.min_by_key(|(_, engine, _)| distance(*engine)) else {
        return Outcome::default();
    };
    let coefficients = carried(&first.coefficients, FIRST.0, &set.0);
    let own = Coefficients { coefficients, ..Coefficients::default() };
    marked(predicted(found, set, &own, seeds), "GPU")
}
