//! Pairing: which requests of two runs are the same.

use super::{Outcome, Outcomes};
use base::small::sort::sort_pairs;

/// One request, by its number in both runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) a: usize,
    pub(crate) b: usize,
}

/// The requests that both runs have, in the order of A; or why there are no pairs.
///
/// Requests of equal workloads have equal numbers, except those of conversations that wait for their answers: these
/// arrive in another order if answers come at other times. They are identified by client, conversation and place in
/// it.
pub(crate) fn pairs(a: &Outcomes, b: &Outcomes) -> Result<Vec<Pair>, String> {
    if a.workload_digest != b.workload_digest {
        return Err(why_not(a, b));
    }
    let both = a.requests.len().min(b.requests.len());
    if a.requests.iter().zip(&b.requests).all(|(x, y)| is_same(x, y) && x.arrival_us == y.arrival_us) {
        return Ok((0..both).map(|i| Pair { a: i, b: i }).collect());
    }
    let (of_a, of_b) = (by_place(a), by_place(b));
    let mut found = Vec::with_capacity(both);
    let mut rest = of_b.iter().peekable();
    for &(place, i) in &of_a {
        while rest.next_if(|(other, _)| *other < place).is_some() {}
        if let Some(&(_, j)) = rest.next_if(|(other, _)| *other == place) {
            found.push((i as u64, j as u64));
        }
    }
    sort_pairs(&mut found);
    let pairs = found.into_iter().map(|(a, b)| Pair { a: a as usize, b: b as usize });
    Ok(pairs.filter(|p| is_same(&a.requests[p.a], &b.requests[p.b])).collect())
}

fn is_same(x: &Outcome, y: &Outcome) -> bool {
    let key = |r: &Outcome| [r.client, r.session, r.class, r.tenant, r.prompt_tokens, r.output_tokens];
    key(x) == key(y)
}

/// Client, session and the number of earlier requests of that session, with the number of the request; sorted.
fn by_place(run: &Outcomes) -> Vec<((u64, u32), usize)> {
    let key = |r: &Outcome| (u64::from(r.client) << 32) | u64::from(r.session);
    let mut keys: Vec<(u64, u64)> = run.requests.iter().map(key).zip(0..).collect();
    sort_pairs(&mut keys);
    let mut places: Vec<((u64, u32), usize)> = Vec::with_capacity(keys.len());
    for (key, i) in keys {
        let before = places.last().filter(|((k, _), _)| *k == key).map_or(0, |((_, n), _)| n + 1);
        places.push(((key, before), i as usize));
    }
    places
}

/// The known differences between two workloads.
fn why_not(a: &Outcomes, b: &Outcomes) -> String {
    let (x, y) = (&a.report, &b.report);
    let mut found = Vec::new();
    if x.run.seed != y.run.seed {
        found.push(format!("seed {} and {}", x.run.seed, y.run.seed));
    }
    if x.run.horizon_us != y.run.horizon_us {
        let [x, y] = [x, y].map(|report| report.run.horizon_us as f64 / 1e6);
        found.push(format!("run.horizon_s {x} and {y} (0 for none)"));
    }
    if x.trace_digest != y.trace_digest {
        found.push("another trace".to_owned());
    }
    let what = if found.is_empty() {
        "clients, requests, their edits or the request cap differ".to_owned()
    } else {
        found.join(", ")
    };
    format!(
        "the workloads are not the same: {what}. Distributions are compared; requests are paired where seed, workload and the end of \
         the run are equal"
    )
}
