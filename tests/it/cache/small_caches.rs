//! Caches too small for their load: requests are given up, preempted and moved, and the run still ends with every
//! request accounted for.

use crate::support::start;
use tokenyard::base::Micros;
use tokenyard::session::Report;

/// Runs a scenario to its end, verifying everything now and then. At most `most_events` events.
fn run(text: &str, most_events: u64) -> Report {
    let scenario = tokenyard::scenario::parse(text).expect("a scenario of the right shape");
    let mut session = start(&scenario);
    for _ in 0..most_events / 500 {
        if session.advance(Micros::MAX, 500) == tokenyard::session::Stop::Finished {
            session.engine().verify(true);
            return session.report_data();
        }
        session.engine().verify(session.events().is_multiple_of(4_000));
    }
    panic!("{text}: no end after {most_events} events");
}

/// Every request is somewhere, and `dropped` of them were given up.
fn assert_accounted(report: &Report, dropped: u32) {
    let q = &report.requests;
    assert!(q.conserved, "{q:?}");
    assert_eq!(
        (q.dropped, q.completed + q.rejected + q.running + q.queued + q.in_pipeline),
        (dropped, q.arrived - dropped)
    );
}

#[test]
fn a_request_given_up_while_decoding_leaves_nothing_to_the_next_one_in_its_slot() {
    let report = run(
        r#"{"run":{"max_requests":21},"cluster":{"pools":[{"kv":{"blocks":5,"block_tokens":1}}]},
        "workload":{"clients":[{"prompt_tokens":{"constant":{"tokens":1}},"output_tokens":{"constant":{"tokens":16}},
        "arrivals":{"poisson":{"rate_per_s":50}}}]}}"#,
        100_000,
    );
    assert_accounted(&report, 21);
}

#[test]
fn replicas_that_give_up_requests_leave_each_others_alone() {
    for seed in 1..12 {
        for (replicas, blocks, block_tokens) in [(8, 10, 16), (2, 3, 16), (10, 12, 4), (3, 5, 1)] {
            let text = format!(
                r#"{{"seed":{seed},"run":{{"max_requests":120,"horizon_s":0,"warmup_s":0}},"cluster":{{"pools":[{{"replicas":{replicas},
                "kv":{{"blocks":{blocks},"block_tokens":{block_tokens}}}}}]}},
                "workload":{{"clients":[{{"prompt_tokens":{{"constant":{{"tokens":{}}}}},
                "output_tokens":{{"constant":{{"tokens":{}}}}},"arrivals":{{"poisson":{{"rate_per_s":16}}}}}}]}}}}"#,
                block_tokens * blocks / 3,
                block_tokens * blocks + 40,
            );
            assert_accounted(&run(&text, 1_000_000), 120);
        }
    }
}

#[test]
fn a_queued_prompt_that_no_longer_fits_is_given_up_in_both_modes() {
    for compat in ["none", "blis"] {
        let text = format!(
            r#"{{"run":{{"max_requests":6,"horizon_s":0,"warmup_s":0}},"cluster":{{"compat":"{compat}","pools":[{{"replicas":1,
            "engine":{{"max_num_seqs":1}},"kv":{{"blocks":20,"block_tokens":16}}}}]}},
            "workload":{{"clients":[{{"prompt_tokens":{{"constant":{{"tokens":200}}}},"output_tokens":{{"constant":{{"tokens":30}}}},
            "arrivals":{{"constant":{{"rate_per_s":1000}}}}}}]}},
            "edits":[{{"at_us":10000,"set":{{"cluster.pools[0].kv.blocks":8}}}}]}}"#
        );
        let report = run(&text, 100_000);
        // The one that runs as the cache shrinks is preempted for good too, or ends before it needs another block.
        assert!(report.requests.dropped >= 5, "{compat}: {:?}", report.requests);
        assert!(report.requests.conserved);
    }
}

#[test]
fn a_livelock_before_a_distant_horizon_ends_the_run_and_is_reported() {
    let report = run(
        r#"{"run":{"horizon_s":2000000,"warmup_s":0,"max_requests":2},"cluster":{"compat":"blis","pools":[{"replicas":1,
        "latency":{"fitted":{"step_us":0,"step_us_per_prefill_token":0,"step_us_per_decode_token":0}},
        "kv":{"blocks":2,"block_tokens":4}}]},"workload":{"clients":[{"prompt_tokens":{"constant":{"tokens":4}},
        "output_tokens":{"constant":{"tokens":60}},"arrivals":{"constant":{"rate_per_s":1000}}}]}}"#,
        20_000_000,
    );
    assert!(report.run.trouble.contains("Livelock on r0"), "{}", report.run.trouble);
    assert!(report.requests.conserved);
}

#[test]
fn many_preemptions_between_two_completions_are_no_reason_to_give_up() {
    let report = run(
        r#"{"run":{"horizon_s":0,"warmup_s":0,"max_requests":40},"cluster":{"pools":[{"replicas":1,
        "engine":{"long_prefill_threshold_tokens":1,"reserve_full_prompt":false},"kv":{"blocks":750,"block_tokens":4,"prefix_caching":false}}]},
        "workload":{"clients":[{"prompt_tokens":{"constant":{"tokens":2900}},
        "output_tokens":{"constant":{"tokens":2}},"arrivals":{"constant":{"rate_per_s":100000}}}]}}"#,
        1_000_000,
    );
    assert!(report.requests.preemptions > 1000, "{} preemptions", report.requests.preemptions);
    assert_eq!((report.requests.completed, report.run.trouble.as_str()), (40, ""));
}
