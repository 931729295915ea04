//! Who joins a batch: the whole prompt or its first chunk has to fit, a share of the cache stays free, and the version
//! of the document says which rule holds where the key is left out.

use crate::support::documents::{asked_at_once, one_replica, put_all, ran, steps};
use serde_json::{Value, json};
use tokenyard::scenario::from_value;
use tokenyard::session::{Report, Session};

/// Runs a document to its end, verifying everything at the end.
fn run(document: &Value) -> (Report, Session) {
    let session = ran(document);
    (session.report_data(), session)
}

/// 24 prompts of 40,000 tokens at once on a cache with room for 4.8 of them.
fn crowd() -> Value {
    json!({
        "run": {"max_requests": 24, "horizon_s": 0, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 1,
            "engine": {"max_num_seqs": 256, "max_num_batched_tokens": 8192},
            "kv": {"blocks": 12000, "prefix_caching": false},
        }]},
        "workload": {"clients": [{
            "arrivals": {"constant": {"rate_per_s": 100_000}},
            "prompt_tokens": {"constant": {"tokens": 40_000}},
            "output_tokens": {"constant": {"tokens": 500}},
        }]},
    })
}

/// A cache of `blocks` blocks of 10 tokens, steps of 1 ms, at most 10 tokens of one prompt in a step, and requests
/// that arrive together, each with its prompt and its answer.
fn small(blocks: u32, requests: &[[u32; 2]], engine: &Value) -> Value {
    let mut settings = json!({"max_num_batched_tokens": 1000, "long_prefill_threshold_tokens": 10});
    put_all(&mut settings, engine);
    let kv = json!({"blocks": blocks, "block_tokens": 10, "prefix_caching": false});
    let pool = json!({"engine": settings, "kv": kv, "latency": steps(1000.0, 0.0, 0.0)});
    one_replica(&pool, &asked_at_once(requests))
}

/// When each request first joined the batch, in ms.
fn joined(session: &Session) -> Vec<u64> {
    let at = |r: tokenyard::engine::Record| r.first_scheduled.get().expect("all of them joined").0 / 1000;
    session.engine().records().iter().map(at).collect()
}

#[test]
fn whole_prompts_have_to_fit_unless_the_scenario_says_that_a_first_chunk_is_enough() {
    let with = |whole: bool| {
        let mut document = crowd();
        document["cluster"]["pools"][0]["engine"]["reserve_full_prompt"] = json!(whole);
        run(&document).0
    };
    let (usual, whole, chunk) = (run(&crowd()).0, with(true), with(false));
    assert_eq!((usual.requests.preemptions, usual.run.clock_us), (0, whole.run.clock_us));
    // 4 of 24 at once: 6 rounds, each of 20 s at most; by first chunks it takes several times as long.
    assert!(chunk.requests.preemptions > 100, "{}", chunk.requests.preemptions);
    assert!(chunk.run.clock_us > 5 * whole.run.clock_us, "{} {}", chunk.run.clock_us, whole.run.clock_us);
    // BLIS has its own rule.
    let blis = |whole: Option<bool>| {
        let mut document = crowd();
        document["cluster"]["compat"] = json!("blis");
        document["run"]["horizon_s"] = json!(20);
        if let Some(whole) = whole {
            document["cluster"]["pools"][0]["engine"]["reserve_full_prompt"] = json!(whole);
        }
        run(&document).0.requests
    };
    assert_eq!(blis(None), blis(Some(false)));
}

/// Prompts of 30 tokens (3 blocks) and one token of output, 10 tokens in a step, on 5 blocks.
///
/// First chunks: both join at 0 with 1 block each, and a third request, too (1 block). Step 2 wants 3 more blocks of 2
/// free ones: the last is preempted.
/// Whole prompts: r0 joins (3 of 5 fit), with 1 block held and 2 promised 2 are left, fewer than r1's 3. r0 runs 3 steps
/// and is done at 3 ms, when r1 joins, then r2 at 6 ms.
#[test]
fn a_prompt_joins_when_all_of_it_fits_beside_what_is_promised() {
    let requests = [[30, 1]; 3];
    let (first, session) = run(&small(5, &requests, &json!({"reserve_full_prompt": false})));
    assert_eq!(joined(&session), [0, 0, 0]);
    assert!(first.requests.preemptions > 0);
    let (whole, session) = run(&small(5, &requests, &json!({"reserve_full_prompt": true})));
    assert_eq!(joined(&session), [0, 3, 6]);
    assert_eq!(whole.requests.preemptions, 0);
    // With 6 blocks there is room for two: 5 are free after the first step, 2 of them promised, and 3 enough for r1.
    let (_, session) = run(&small(6, &requests, &json!({"reserve_full_prompt": true})));
    assert_eq!(joined(&session), [0, 0, 3]);
}

/// Prompts of 10 tokens (1 block) and 5 tokens of output (1 more), 10 blocks.
///
/// The watermark of 0.75 keeps floor(7.5) = 7 blocks free of a batch that is not empty: r0 joins an empty one; r1, r2 join
/// while 1 + 7 ≤ free, that is with 9 and 8 free; with 7 left r3 waits. All have their second block from step 2 on. r0
/// to r2 are done at 5 ms; then r3 to r5 join.
#[test]
fn the_watermark_stays_free_while_others_run() {
    let requests = [[10, 5]; 6];
    let (report, session) =
        run(&small(10, &requests, &json!({"watermark": 0.75, "reserve_full_prompt": false})));
    assert_eq!(joined(&session), [0, 0, 0, 5, 5, 5]);
    assert_eq!(report.requests.completed, 6);
    let (_, session) = run(&small(10, &requests, &json!({"watermark": 0.75, "reserve_full_prompt": true})));
    assert_eq!(joined(&session), [0, 0, 0, 5, 5, 5]);
    // Almost all of it: one after the other, and none is stuck.
    let (report, session) = run(&small(10, &requests, &json!({"watermark": 0.9999})));
    assert_eq!(joined(&session), [0, 5, 10, 15, 20, 25]);
    assert_eq!(report.requests.completed, 6);
}

#[test]
fn a_prompt_larger_than_the_cache_is_dropped_and_none_behind_it_waits() {
    for engine in [
        json!({}),
        json!({"reserve_full_prompt": true}),
        json!({"reserve_full_prompt": true, "watermark": 0.9}),
    ] {
        let (report, _) = run(&small(5, &[[51, 3], [50, 1], [49, 9], [10, 2]], &engine));
        // r0 needs 6 blocks. r2 outgrows the cache with its third token: 49 + 2 tokens need a sixth block.
        assert_eq!((report.requests.dropped, report.requests.completed), (2, 2), "{engine}");
        assert!(report.requests.conserved);
    }
}

#[test]
fn a_queued_prompt_that_no_longer_fits_is_given_up() {
    let mut document = small(20, &[[150, 30], [150, 30], [40, 30]], &json!({"reserve_full_prompt": true}));
    document["edits"] = json!([{"at_us": 5000, "set": {"cluster.pools[0].kv.blocks": 8}}]);
    let (report, _) = run(&document);
    assert_eq!((report.requests.dropped, report.requests.completed), (2, 1));
}

#[test]
fn an_edit_changes_the_rule_from_the_next_step_on() {
    let mut document = small(5, &[[30, 1]; 3], &json!({"reserve_full_prompt": true}));
    document["edits"] =
        json!([{"at_us": 500, "set": {"cluster.pools[0].engine.reserve_full_prompt": false}}]);
    let (_, session) = run(&document);
    // From the step at 1 ms on first chunks count: 2 blocks are held by then and 3 free.
    assert_eq!(joined(&session)[..2], [0, 1]);
}

#[test]
fn blis_refuses_both_and_says_so() {
    let mut document = small(5, &[[30, 1]], &json!({"reserve_full_prompt": true, "watermark": 0.5}));
    document["cluster"]["compat"] = json!("blis");
    let scenario = from_value(document).unwrap();
    let problems = tokenyard::scenario::check(scenario).unwrap_err();
    let paths: Vec<&str> = problems.iter().map(|p| p.path.as_str()).collect();
    assert_eq!(paths, ["cluster.pools[0].engine.reserve_full_prompt", "cluster.pools[0].engine.watermark"]);
}
