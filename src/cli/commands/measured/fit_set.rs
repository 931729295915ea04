//! The fit of the coefficients of one GPU and release: what it begins with, and its row.

use crate::commands::measured::experiments::Found;
use crate::commands::measured::own_row::{Own, OwnRow};
use crate::commands::measured::replay_jobs::{Job, replay_jobs};
use document::{CalibratedCoefficients, EngineGeneration};
use std::collections::BTreeMap;
use tools::validate::{
    Fit, Found as Coefficients, Latency, Options, Pull, built_in, carried, first_values, fit, same_chip,
    served_by,
};

/// First set to fit: it begins with the defaults, and the others begin with its result.
pub(crate) const FIRST: (&str, EngineGeneration) = ("H100", EngineGeneration::Ahead);

/// A GPU and a release of the engine: the key of coefficients.
pub(crate) type Set = (String, EngineGeneration);

/// Experiments by GPU and release; a set comes before those that begin with its result.
pub(crate) fn of_sets(found: Found) -> Vec<(Set, Found)> {
    let mut sets: BTreeMap<(bool, bool, Set), Found> = BTreeMap::new();
    for of in found {
        let set = served_by(&of.0);
        let order = ((set.0.as_str(), set.1) != FIRST, set.0 != FIRST.0);
        sets.entry((order.0, order.1, set)).or_default().push(of);
    }
    sets.into_iter().map(|((.., set), found)| (set, found)).collect()
}

/// First coefficients of a fit: the given ones, those of the same release on an H100, the first set of all, or the
/// built-in ones; those of an H100 are transferred to the GPU by published figures of both. From 0.18 on a chip of another kind begins
/// with what was fitted on it to the release before: releases differ less than chips do.
pub(crate) fn start_of(set: &Set, given: &Own, rows: &[OwnRow]) -> CalibratedCoefficients {
    let own = given.iter().find(|(gpu, engine, _)| (gpu, engine) == (&set.0, &set.1));
    if let Some((.., coefficients)) = own {
        return coefficients.coefficients.clone();
    }
    let older = rows.iter().filter(|r| r.gpu == set.0 && r.engine < set.1).max_by_key(|r| r.engine);
    let chip = set.0 != FIRST.0 && !same_chip(&set.0, FIRST.0);
    if let Some(older) = older.filter(|_| chip && set.1 > EngineGeneration::Ahead) {
        return older.coefficients.clone();
    }
    // A run without the H100 uses its built-in coefficients in place of fitted ones.
    let fitted =
        |engine| rows.iter().find(|r| r.gpu == FIRST.0 && r.engine == engine).map(|r| &r.coefficients);
    let table = built_in();
    let built_in = |engine| table.iter().find(|(gpu, e, _)| gpu == FIRST.0 && *e == engine);
    let of = |engine| fitted(engine).or_else(|| built_in(engine).map(|(.., c)| &c.coefficients));
    let first = of(FIRST.1);
    match set {
        (gpu, engine) if (gpu.as_str(), *engine) == FIRST => None,
        (gpu, _) if gpu == FIRST.0 => first,
        (_, engine) => of(*engine).or(first),
    }
    .map_or_else(first_values, |found| carried(found, FIRST.0, &set.0))
}

/// GPUs with the same chip: attention of the second is assumed to reach the same shares as that of the first, which
/// has more measurements.
const TWINS: (&str, &str) = ("A100-40", "A100-80");

/// First coefficients of a fit, with the attention of the same chip if that was fitted.
pub(crate) fn with_twin(
    start: CalibratedCoefficients,
    set: &Set,
    given: &Own,
    rows: &[OwnRow],
) -> CalibratedCoefficients {
    if set.0 != TWINS.1 || given.iter().any(|(gpu, engine, _)| (gpu, engine) == (&set.0, &set.1)) {
        return start;
    }
    let fitted = rows.iter().find(|r| r.gpu == TWINS.0).map(|r| r.coefficients.attention_efficiency);
    let table = built_in();
    let known =
        table.iter().find(|(gpu, ..)| gpu == TWINS.0).map(|(.., c)| c.coefficients.attention_efficiency);
    let attention_efficiency = fitted.or(known).unwrap_or(start.attention_efficiency);
    CalibratedCoefficients { attention_efficiency, ..start }
}

/// The name of a release in scenarios.
pub(crate) fn release(engine: EngineGeneration) -> String {
    engine.name().to_owned()
}

pub(crate) fn fit_set(start: &CalibratedCoefficients, set: &Set, found: &Found) -> Option<Fit> {
    let replays = |sets: &[Coefficients], most: u32| {
        let options = |c: &Coefficients| Options {
            latency: Latency::Own(vec![(set.0.clone(), set.1, c.clone())]),
            seeds: 1,
            fit_to: Some(most),
        };
        let jobs: Vec<Job<'_>> =
            sets.iter().flat_map(|c| found.iter().map(move |of| (of, options(c)))).collect();
        let mut outcomes = replay_jobs(&jobs).into_iter();
        sets.iter().map(|_| outcomes.by_ref().take(found.len()).collect()).collect()
    };
    let first = (set.0.as_str(), set.1) == FIRST;
    let pull = match found.iter().any(|(e, _)| e.is_listed()) {
        _ if first => Pull::Hard,
        true => Pull::Firm,
        false => Pull::Soft,
    };
    fit(start, pull, &replays)
}

pub(crate) fn row(set: &Set, fitted: Fit) -> OwnRow {
    let mut rests_on: Vec<String> = fitted.rows.iter().map(|r| r.source.clone()).collect();
    rests_on.sort();
    rests_on.dedup();
    OwnRow {
        gpu: set.0.clone(),
        engine: set.1,
        rests_on,
        intervals: fitted.told.iter().map(|t| (t.name.clone(), t.half)).collect(),
        experiments: fitted.told.iter().map(|t| (t.name.clone(), t.experiments)).collect(),
        coefficients: fitted.found.coefficients,
        models: fitted.found.models,
    }
}
