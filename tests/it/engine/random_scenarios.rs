//! Random scenarios, everything that `tests/it/support/scenarios.rs` draws: none panics, none goes on for ever, none loses a request.
//!
//! Hundreds at each run of the tests. `TOKENYARD_CASES` asks for more, and `TOKENYARD_FIRST_CASE` for others:
//!
//! ```text
//! TOKENYARD_CASES=100000 cargo test --release --features verify --test it -- engine::random_scenarios:: engine::equivalence::
//! ```

use crate::support::numbers;
use crate::support::numbers::numbers;
use crate::support::scenarios::{a_scenario, sound, started};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestError, TestRunner};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::session::Audience;
use tokenyard::session::Stop;

/// More events than any of these scenarios has: steps of 40 us for 2.5 s on 40 replicas, with what comes between.
const MOST_EVENTS: u64 = 6_000_000;

/// Number of scenarios per seed.
const OF_ONE_SEED: u64 = 100;

/// Runs a scenario in two pieces and looks at everything in between and at the end.
fn ends_in_good_order(scenario: &Scenario, first: u64) {
    let mut session = started(scenario, Audience::Batch);
    session.advance(Micros::MAX, first);
    sound(&session);
    let stop = session.advance(Micros::MAX, MOST_EVENTS);
    assert_eq!(stop, Stop::Finished, "a run of more than {MOST_EVENTS} events");
    sound(&session);
    let report: serde_json::Value = serde_json::from_str(&session.report()).expect("a report is JSON");
    assert!(report["requests"]["conserved"] == true, "{}", report["requests"]);
}

#[test]
fn any_scenario_ends_in_good_order() {
    let all = numbers(200, 600);
    let mut at = all.start;
    while at < all.end {
        let cases = OF_ONE_SEED.min(all.end - at);
        let config = ProptestConfig {
            cases: cases as u32,
            rng_seed: RngSeed::Fixed(at),
            failure_persistence: None,
            max_shrink_iters: 2000,
            ..ProptestConfig::default()
        };
        let each = |(scenario, first): (Scenario, u64)| {
            ends_in_good_order(&scenario, first);
            Ok(())
        };
        if let Err(TestError::Fail(why, (scenario, first))) =
            TestRunner::new(config).run(&(a_scenario(), 0_u64..3000), each)
        {
            let text = serde_json::to_string(&scenario).expect("a scenario is JSON");
            panic!("scenarios from {at}: {why}\nafter {first} events of\n{text}");
        }
        at += cases;
        numbers::tell(&all, at);
    }
}
