//! The simulator against the plain reference engine, on thousands of generated scenarios, to the microsecond and the
//! block.

#[path = "reference/generate.rs"]
mod generate;
#[path = "reference/real.rs"]
mod real;
#[expect(dead_code, reason = "only golden cases ask for what is not built")]
mod reference;
#[path = "reference/shrink.rs"]
mod shrink;

use reference::{Case, compare::differences};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the two engines disagree on; a broken assertion of either is a disagreement too.
fn disagreement(case: &Case) -> Option<Vec<String>> {
    let said = |e: Box<dyn std::any::Any + Send>| {
        let text = e.downcast_ref::<String>().cloned();
        vec![text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()]
    };
    let want = match catch_unwind(|| reference::simulate(case)) {
        Ok(want) => want,
        Err(e) => return Some(said(e)),
    };
    let slice = 1 + case.requests.iter().map(|r| u64::from(r.output.n)).sum::<u64>() % 97;
    match catch_unwind(AssertUnwindSafe(|| real::simulate(case, slice))) {
        Ok(got) => Some(differences(&want, &got)).filter(|d| !d.is_empty()),
        Err(e) => Some(said(e)),
    }
}

/// Compares the engines on the cases of these seeds, and prints a small failing case in the golden format.
fn compare(seeds: std::ops::Range<u64>) {
    for seed in seeds {
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
    }
}

#[test]
fn generated_cases_come_out_the_same_first_quarter() {
    compare(0..1000);
}

#[test]
fn generated_cases_come_out_the_same_second_quarter() {
    compare(1000..2000);
}

#[test]
fn generated_cases_come_out_the_same_third_quarter() {
    compare(2000..3000);
}

#[test]
fn generated_cases_come_out_the_same_last_quarter() {
    compare(3000..4000);
}
