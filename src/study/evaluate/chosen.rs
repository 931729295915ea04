//! Which cases of a suite an evaluation runs, and with how many of their seeds.

use super::options::Options;
use super::suite::{Suite, no_such_case};
use base::{Diagnostic, Diagnostics};

/// A case and how many of its seeds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub(super) case: usize,
    pub(super) seeds: usize,
}

/// The cases that the options ask for.
pub(super) fn chosen(suite: &Suite, options: &Options) -> Result<Vec<Chosen>, Diagnostics> {
    let ids: Vec<&str> = suite.cases.iter().map(|case| case.id.as_str()).collect();
    let unknown = options.cases.iter().filter(|id| !ids.contains(&id.as_str()));
    let unknown: Diagnostics = unknown.map(|id| no_such_case("--case".to_owned(), id, &ids)).collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let stage = match options.stage {
        None => None,
        Some(number) => {
            Some((number as usize).checked_sub(1).and_then(|i| suite.stages.get(i)).ok_or_else(|| {
                let allowed = if suite.stages.is_empty() {
                    "none: the suite has no stages".to_owned()
                } else {
                    format!("1 to {}", suite.stages.len())
                };
                vec![Diagnostic::error("--stage", number.to_string(), allowed, "stages are counted from 1")]
            })?)
        }
    };
    let named = |id: &String, names: &[String]| names.is_empty() || names.contains(id);
    let mut chosen = Vec::new();
    for (i, case) in suite.cases.iter().enumerate() {
        let of_split = if options.cases.is_empty() {
            case.split == options.split
        } else {
            options.cases.contains(&case.id)
        };
        if of_split && stage.is_none_or(|stage| named(&case.id, &stage.cases)) {
            let most = stage.map_or(0, |stage| stage.seeds as usize);
            let seeds = if most == 0 { case.seeds.len() } else { most.min(case.seeds.len()) };
            chosen.push(Chosen { case: i, seeds });
        }
    }
    if chosen.is_empty() {
        let found = format!("no case of split {}", options.split.name());
        let fix = "choose another split or stage";
        return Err(vec![Diagnostic::error("", found, "a split and a stage with cases", fix)]);
    }
    Ok(chosen)
}
