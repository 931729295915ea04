//! Two front ends for one request: a prefill replica shows its first token, its home the others. Whichever is behind, the tokens are
//! shown in order.

use crate::support::documents::scenario;
use crate::support::scenarios::{sound, started};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::session::{Audience, Session, Stop};
use tokenyard::study::whatif::{AccountedTime, Explaining};

/// More events than any of these runs has.
const MOST_EVENTS: u64 = 5_000_000;

/// Runs to the end, with the gaps between the tokens of each request.
fn run(scenario: &Scenario) -> Session {
    let mut session = started(scenario, Audience::Batch);
    session.keep_gaps();
    assert_eq!(session.advance(Micros::MAX, MOST_EVENTS), Stop::Finished);
    sound(&session);
    session
}

/// The gaps between the tokens of a request that was answered come to the time from its first token to its last.
fn gaps_add_up(session: &Session) {
    let gaps = &session.engine().detail().expect("gaps are kept").itl;
    let mut answered = 0;
    for (i, record) in session.engine().records().iter().enumerate() {
        let (Some(ttft), Some(e2e)) = (record.ttft.get(), record.e2e.get()) else { continue };
        assert!(ttft <= e2e, "request {i}: {ttft:?} to its first token, {e2e:?} to its last");
        let own = gaps.get(i).map_or(&[][..], Vec::as_slice);
        assert_eq!(own.len() as u32 + 1, record.generated, "request {i}: {own:?}");
        let sum: u64 = own.iter().map(|gap| gap.0).sum();
        assert_eq!(sum, e2e.0 - ttft.0, "request {i}: {own:?}");
        answered += 1;
    }
    assert!(answered > 0, "no request was answered");
}

#[test]
fn a_burst_at_one_prefill_replica_shows_tokens_in_order() {
    let document = json!({
        "tokenyard": 1,
        "run": {"horizon_s": 20, "warmup_s": 0},
        "cluster": {
            "pools": [{"role": "prefill"}, {"role": "decode"}],
            "disaggregation": {"first_token": "prefill"},
        },
        "workload": {"clients": [{"arrivals": {"concurrency": {"requests": 120}}}]},
    });
    let burst = scenario(document);
    let session = run(&burst);
    gaps_add_up(&session);
    // What the time of each request went to adds up too, and can be explained.
    let (mut explaining, _) = Explaining::new(burst, None).unwrap_or_else(|all| panic!("{all:?}"));
    explaining.run_to(Micros::MAX).expect("few enough steps");
    for (i, record) in session.engine().records().iter().enumerate().filter(|(_, r)| r.e2e.is_known()) {
        let detail = session.inspect(i as u32).expect("it has arrived");
        let parts: u64 = detail.segments.iter().map(|s| s.to_us - s.from_us).sum();
        assert_eq!(Some(parts), record.e2e.get().map(|e2e| e2e.0), "request {i}: {:?}", detail.segments);
        for time in [AccountedTime::Ttft, AccountedTime::E2e] {
            assert!(explaining.account(i as u32, time).is_some(), "request {i}");
        }
    }
}

/// A pool with this role, and the time that its front end takes to write a token.
fn a_pool(role: &'static str) -> impl Strategy<Value = Value> {
    let front_end = (select(vec![0.0, 5.0, 200.0, 3000.0]), select(vec![0.0, 1.0, 40.0]));
    (1_u32..3, front_end, select(vec![500.0, 4000.0]), select(vec![2_u32, 64])).prop_map(
        move |(replicas, (stream, prompt), step, seqs)| {
            json!({
                "name": role, "role": role, "replicas": replicas,
                "engine": {"max_num_seqs": seqs},
                "latency": {"calibrated": {"coefficients": {
                    "step_us": step, "stream_us_per_token": stream, "front_end_us_per_prompt_token": prompt,
                }}},
            })
        },
    )
}

/// Prefill and decode apart, closed loops that begin with a burst, and perhaps crashes whose requests go on where they were.
fn a_scenario() -> impl Strategy<Value = Scenario> {
    let loops = (select(vec![1_u32, 7, 60]), 1_u64..400, select(vec![1_u32, 2, 20]));
    let rules = (select(vec!["prefill", "decode"]), select(vec!["pull", "push"]));
    let crash = proptest::option::weighted(0.3, (0_u64..2_000_000, 0_u32..2));
    (a_pool("prefill"), a_pool("decode"), loops, rules, crash).prop_map(
        |(prefill, decode, (requests, prompt, output), (first_token, handoff), crash)| {
            let edits: Vec<Value> = crash
                .iter()
                .map(|(at_us, replica)| json!({"at_us": at_us, "fault": {"crash": {"replica": replica, "restart_s": 0.1}}}))
                .collect();
            let document = json!({
                "tokenyard": 1,
                "run": {"horizon_s": 4, "warmup_s": 0},
                "cluster": {
                    "pools": [prefill, decode],
                    "disaggregation": {"first_token": first_token, "handoff": handoff},
                    "resilience": {"retries": 3, "resume": true, "discovery_ms": 0},
                },
                "workload": {"clients": [{
                    "arrivals": {"concurrency": {"requests": requests}},
                    "prompt_tokens": {"constant": {"tokens": prompt}},
                    "output_tokens": {"constant": {"tokens": output}},
                }]},
                "edits": edits,
            });
            scenario(document)
        },
    )
}

#[test]
fn tokens_are_shown_in_order_whichever_front_end_is_behind() {
    let config = ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(41),
        failure_persistence: None,
        max_shrink_iters: 60,
        ..ProptestConfig::default()
    };
    proptest!(config, |(s in a_scenario())| {
        let session = run(&s);
        if s.edits.is_empty() {
            gaps_add_up(&session);
        }
    });
}
