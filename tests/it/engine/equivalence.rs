//! The simulator against the plain reference engine, on generated scenarios, to the microsecond and the
//! block. `tests/it/reference/generate.rs` says what is drawn; a third has several pools that differ.
//!
//! `TOKENYARD_CASES` asks for more cases of each kind, and `TOKENYARD_FIRST_CASE` for others:
//!
//! ```text
//! TOKENYARD_CASES=100000 cargo test --release --features verify --test it -- engine::equivalence::
//! ```

use crate::reference;
use crate::reference::case::{RequestLine, Segment};
use crate::reference::generate;
use crate::reference::real;
use crate::reference::shrink;
use crate::reference::{Case, compare::differences};
use crate::support::numbers;
use crate::support::numbers::numbers;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokenyard::base::Piece;
use tokenyard::scenario::{Arrivals, Client, Lengths, PrefixGroups, Run, Scenario};
use tokenyard::workload::Source;

/// What the two engines disagree on; a broken assertion of either is a disagreement too.
fn disagreement(case: &Case) -> Option<Vec<String>> {
    disagreement_on(real::scenario(case), case)
}

/// The same where `scenario` has the traffic of `case`, said in another way.
pub(crate) fn disagreement_on(scenario: Scenario, case: &Case) -> Option<Vec<String>> {
    let said = |e: Box<dyn std::any::Any + Send>| {
        let text = e.downcast_ref::<String>().cloned();
        vec![text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()]
    };
    let want = match catch_unwind(|| reference::simulate(case)) {
        Ok(want) => want,
        Err(e) => return Some(said(e)),
    };
    let slice = 1 + case.requests.iter().map(|r| u64::from(r.output.n)).sum::<u64>() % 97;
    match catch_unwind(AssertUnwindSafe(|| real::simulate(scenario, case, slice))) {
        Ok(got) => Some(differences(&want, &got)).filter(|d| !d.is_empty()),
        Err(e) => Some(said(e)),
    }
}

/// Generated traffic: a scenario with clients, and the case that spells out what they send.
fn traffic(seed: u64) -> (Scenario, Case) {
    let mut case = generate::case(seed);
    let mut dice = generate::Dice::new(seed ^ 0xc11e_4715);
    let longest = dice.range(2, 60) as u32;
    let lengths = |tokens: u32| Lengths::Gaussian {
        mean_tokens: f64::from(tokens) / 2.0,
        sd_tokens: f64::from(tokens) / 3.0,
        min_tokens: 1,
        max_tokens: tokens,
    };
    let groups = dice.pick(&[0, 1, 1, 3]);
    let client = Client {
        arrivals: Arrivals::Gamma { rate_per_s: dice.pick(&[50.0, 700.0, 20_000.0]), cv: 2.0 },
        prompt_tokens: lengths(longest),
        output_tokens: lengths(dice.pick(&[2, 20, 60])),
        prefix: PrefixGroups::new(groups, if groups == 0 { 0 } else { dice.range(1, 40) as u32 }),
        ..Client::default()
    };
    if (1..generate::LONGEST_RUN_US).contains(&case.config.horizon_us) {
        // Some hundreds of steps later.
        let slowest = case.config.pools().map(|p| p.beta_coeffs[0] as u64).min().unwrap_or(0);
        case.config.horizon_us += dice.range(0, 400_000.min(1000 * (slowest + 10)));
    }
    let count = dice.range(1, 40);
    let mut scenario = real::scenario(&case);
    scenario.seed = seed;
    scenario.run.max_requests = count;
    scenario.workload.requests.clear();
    scenario.workload.clients = vec![client];
    let endless = Scenario { run: Run { horizon_s: 0.0, ..scenario.run.clone() }, ..scenario.clone() };
    case.requests = spelled_out(Source::new(&endless, None));
    (scenario, case)
}

/// Requests as the golden format has them: every source of text is a text number.
fn spelled_out(mut source: Source) -> Vec<RequestLine> {
    let mut texts: Vec<u64> = Vec::new();
    let mut lines = Vec::new();
    while let Some(spec) = source.take() {
        let mut segment = |p: &Piece| {
            let known = texts.iter().position(|t| *t == p.source);
            let s = known.unwrap_or_else(|| {
                texts.push(p.source);
                texts.len() - 1
            });
            Segment { s: s as u32 + 1, n: p.len, o: p.start as u32 }
        };
        lines.push(RequestLine {
            // Ties go by name, and among generated requests by number.
            id: format!("request_{:03}", lines.len()),
            arrival_us: spec.arrival.0,
            input: spec.prompt.pieces().iter().map(&mut segment).collect(),
            output: segment(&spec.output),
        });
    }
    lines
}

/// Compares the engines on one third of the cases, and prints a small failing case in the golden format.
fn compare(third: u64) {
    let all = numbers(600, 3000);
    for seed in all.clone().filter(|seed| seed % 3 == third) {
        let case = generate::case(seed);
        if let Some(found) = disagreement(&case) {
            let small = shrink::shrink(&case, |c| disagreement(c).is_some());
            let left = disagreement(&small).expect("shrinking keeps the failure");
            panic!(
                "case {seed}: {} differences, first {}\nshrunk: {}\n{}",
                found.len(),
                found[0],
                left[..left.len().min(6)].join("\n        "),
                serde_json::to_string(&small).expect("a case is JSON")
            );
        }
        numbers::tell(&all, seed);
    }
}

#[test]
fn generated_cases_come_out_the_same_first_third() {
    compare(0);
}

#[test]
fn generated_cases_come_out_the_same_second_third() {
    compare(1);
}

#[test]
fn generated_cases_come_out_the_same_last_third() {
    compare(2);
}

#[test]
fn generated_traffic_comes_out_as_if_it_were_spelled_out() {
    let all = numbers(100, 500);
    for seed in all.clone() {
        numbers::tell(&all, seed);
        let (scenario, case) = traffic(seed);
        let mut found = disagreement_on(scenario, &case).unwrap_or_default();
        // Texts that occur once are not in the table of prefixes, which is not visible from outside.
        found.retain(|line| !line.contains(".kv.hash_table_len"));
        if !found.is_empty() {
            let text = serde_json::to_string(&case).expect("a case is JSON");
            panic!(
                "traffic {seed}: {} differences\n{}\n{text}",
                found.len(),
                found[..found.len().min(6)].join("\n")
            );
        }
    }
}
