//! Prefixes that are used unequally, and sets of prefixes that clients share.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tokenyard::scenario::{Scenario, from_value};
use tokenyard::workload::{RequestSpec, Source, digest_of};

fn scenario(prefixes: &[Value]) -> Scenario {
    let client = |(i, prefix): (usize, &Value)| {
        json!({
            "name": format!("client-{i}"), "arrivals": { "poisson": { "rate_per_s": 50 } },
            "prompt_tokens": { "constant": { "tokens": 5 } }, "output_tokens": { "constant": { "tokens": 2 } },
            "prefix": prefix,
        })
    };
    let clients: Vec<Value> = prefixes.iter().enumerate().map(client).collect();
    from_value(json!({ "run": { "horizon_s": 600 }, "workload": { "clients": clients } }))
        .expect("a scenario")
}

fn requests(s: &Scenario, n: usize) -> Vec<RequestSpec> {
    let mut source = Source::new(s, None);
    std::iter::from_fn(|| source.take()).take(n).collect()
}

/// The texts that the prompts of a client begin with.
fn texts(all: &[RequestSpec], client: u32) -> BTreeSet<u64> {
    all.iter().filter(|r| r.client == client).map(|r| r.prompt.pieces()[0].source).collect()
}

#[test]
fn prefix_k_is_used_in_proportion_to_one_over_k_to_the_exponent() {
    let (groups, exponent, n) = (20, 1.0, 20_000);
    let s = scenario(&[json!({ "groups": groups, "tokens": 64, "zipf": exponent })]);
    let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
    for r in requests(&s, n) {
        *counts.entry(r.prompt.pieces()[0].source).or_default() += 1.0;
    }
    let mut counts: Vec<f64> = counts.into_values().collect();
    counts.sort_by(|a, b| b.total_cmp(a));
    let sum: f64 = (1..=groups).map(|k| 1.0 / f64::from(k)).sum();
    // Chi-square with 19 degrees of freedom is below 43.8 with probability 0.999.
    let expected = |k: usize| n as f64 / (k as f64 + 1.0) / sum;
    let chi: f64 =
        counts.iter().enumerate().map(|(k, c)| (c - expected(k)) * (c - expected(k)) / expected(k)).sum();
    assert!(counts.len() == 20 && chi < 43.8, "{chi}: {counts:?}");
}

#[test]
fn without_an_exponent_the_draws_are_what_they_were() {
    let plain = scenario(&[json!({ "groups": 7, "tokens": 64 })]);
    let zero = scenario(&[json!({ "groups": 7, "tokens": 64, "zipf": 0, "shared": "" })]);
    assert_eq!(digest_of(&plain, None, 500), digest_of(&zero, None, 500));
}

#[test]
fn clients_that_name_the_same_set_draw_from_the_same_texts() {
    let set = json!({ "groups": 4, "tokens": 64, "shared": "manuals" });
    let larger = json!({ "groups": 6, "tokens": 32, "shared": "manuals" });
    let other = json!({ "groups": 4, "tokens": 64, "shared": "tickets" });
    let own = json!({ "groups": 4, "tokens": 64 });
    let all = requests(&scenario(&[set.clone(), set, larger, other, own.clone(), own]), 4000);
    let of: Vec<BTreeSet<u64>> = (0..6).map(|client| texts(&all, client)).collect();
    assert_eq!(of.iter().map(BTreeSet::len).collect::<Vec<_>>(), [4, 4, 6, 4, 4, 4]);
    assert_eq!(of[0], of[1]);
    // The first four of the six, and shorter parts of them.
    assert!(of[0].is_subset(&of[2]));
    for (a, b) in [(0, 3), (0, 4), (3, 4), (4, 5)] {
        assert!(of[a].is_disjoint(&of[b]), "{a} and {b}");
    }
}

#[test]
fn exponents_out_of_range_are_refused() {
    let s = scenario(&[json!({ "groups": 4, "tokens": 64, "zipf": 11 })]);
    let problems = tokenyard::scenario::check(s).expect_err("a problem");
    assert_eq!(problems[0].path, "workload.clients[0].prefix.zipf");
}
