//! Speculative decoding: timelines by hand, the mean acceptance length against its formula, and what it must not change.

use crate::support;
use crate::support::documents::{asked_at_once, one_replica, put_all, ran, scenario, steps};
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::engine::{Fact, Record, ReplicaFact};
use tokenyard::observe::report::SpeculativePart;
use tokenyard::perf::resolve;
use tokenyard::scenario::{Compat, Pool, Scenario, Speculative};
use tokenyard::session::{Audience, Session, Stop};

/// Blocks of 10 tokens, steps of 1 ms and 0.1 ms for each token of requests that decode, and requests that arrive
/// together, each with its prompt and its answer.
fn document(requests: &[[u32; 2]], engine: &Value) -> Value {
    let pool = json!({"engine": engine, "kv": {"blocks": 1000, "block_tokens": 10}, "latency": steps(1000.0, 0.0, 100.0)});
    one_replica(&pool, &asked_at_once(requests))
}

/// Three draft tokens, each accepted with probability `acceptance`, that take no time to make.
fn drafts(acceptance: f64) -> Value {
    json!({"speculative": {"tokens": 3, "acceptance": acceptance, "drafter": {"one-pass": {"share": 0}}}})
}

/// When each request was done, in microseconds.
fn done(session: &Session) -> Vec<u64> {
    session.engine().records().iter().map(|r: Record| r.e2e.get().expect("all are done").0).collect()
}

fn totals(session: &Session) -> SpeculativePart {
    session.report_data().pools[0].speculative.expect("speculative decoding")
}

/// A prompt of 10 tokens and an answer of 11. The first token comes with the prompt at 1 ms; a step that verifies four
/// tokens takes 1.4 ms. If all drafts are accepted, ten further tokens take three steps, 4 + 4 + 2; if none is, ten.
#[test]
fn one_request_advances_by_one_token_and_the_accepted_drafts() {
    let all = ran(document(&[[10, 11]], &drafts(1.0)));
    assert_eq!(done(&all), [1000 + 3 * 1400]);
    let found = totals(&all);
    assert_eq!((found.verifications, found.draft_tokens, found.accepted_tokens), (3, 9, 9));
    assert_eq!((found.acceptance_rate, found.mean_acceptance_length), (Some(1.0), Some(4.0)));
    let none = ran(document(&[[10, 11]], &drafts(0.0)));
    assert_eq!(done(&none), [1000 + 10 * 1400]);
    let found = totals(&none);
    assert_eq!((found.verifications, found.draft_tokens, found.accepted_tokens), (10, 30, 0));
    assert_eq!((found.acceptance_rate, found.mean_acceptance_length), (Some(0.0), Some(1.0)));
    let without = ran(document(&[[10, 11]], &json!({})));
    assert_eq!(done(&without), [1000 + 10 * 1100]);
    assert!(without.report_data().pools[0].speculative.is_none());
}

/// The tokens of a step come together: of ten gaps three last a step, and seven no time. TPOT is the mean gap.
#[test]
fn tokens_that_come_together_have_gaps_of_no_time() {
    let report = ran(document(&[[10, 11]], &drafts(1.0))).report_data();
    let itl = &report.latency_ms.itl;
    assert_eq!((itl.count, itl.p50, itl.max), (10, 0.0, 1.4));
    assert!((itl.mean - 0.42).abs() < 1e-9 && (report.latency_ms.tpot.mean - 0.42).abs() < 1e-9);
    assert!((report.latency_ms.ttft.mean - 1.0).abs() < 1e-9);
    // Output processing counts for every token.
    let mut slow = document(&[[10, 11]], &drafts(1.0));
    slow["cluster"]["pools"][0]["latency"]["fitted"]["output_us_per_token"] = json!(50);
    assert_eq!(done(&ran(&slow)), [1000 + 3 * 1400 + 11 * 50]);
}

/// A pass takes a tenth of a step: the first of all its tokens, two further ones of one token. With the prompt
/// 1000 + 100 + 2 * 110 us, with four tokens 1400 + 140 + 2 * 110. One pass alone: 1100 and 1540 us.
#[test]
fn drafting_takes_its_share_of_a_step() {
    let with = |drafter: &Value| {
        let engine = json!({"speculative": {"tokens": 3, "acceptance": 1, "drafter": drafter}});
        done(&ran(document(&[[10, 11]], &engine)))
    };
    let mut prompt_only = document(
        &[[10, 1]],
        &json!({"speculative": {"tokens": 3, "drafter":
        {"autoregressive": {"share": 0.1}}}}),
    );
    assert_eq!(done(&ran(&prompt_only)), [1320]);
    assert_eq!(with(&json!({"autoregressive": {"share": 0.1}})), [1320 + 3 * 1760]);
    assert_eq!(with(&json!({"one-pass": {"share": 0.1}})), [1100 + 3 * 1540]);
    // Drafts that are off take no time.
    prompt_only["cluster"]["pools"][0]["engine"]["speculative"]["disable_above_batch"] = json!(1);
    prompt_only["workload"]["requests"][0]["output"]["tokens"] = json!(2);
    let mut two = prompt_only.clone();
    let mut second = two["workload"]["requests"][0].clone();
    (second["id"], second["prompt"][0]["text"]) = (json!("r1"), json!(77));
    two["workload"]["requests"].as_array_mut().expect("a list").push(second);
    // The batch is empty when the first step is formed; the second step has two requests and no drafts.
    assert_eq!(done(&ran(&two)), [1340 + 1200, 1340 + 1200]);
}

/// Two requests and steps of 6 tokens: the first verifies four, the second two. With all drafts accepted the first has
/// its 9 tokens after two such steps, of 1.6 ms, and the second 5; its last four take one step of 1.4 ms.
#[test]
fn drafts_count_toward_the_token_budget() {
    let mut engine = drafts(1.0);
    engine["max_num_batched_tokens"] = json!(6);
    engine["max_num_seqs"] = json!(2);
    let session = ran(document(&[[3, 9], [3, 9]], &engine));
    assert_eq!(done(&session), [1000 + 2 * 1600, 1000 + 2 * 1600 + 1400]);
    // Three verifications with three drafts, two with one.
    let found = totals(&session);
    assert_eq!((found.verifications, found.draft_tokens), (5, 11));
}

/// In a batch of two nothing is drafted: a token for each in steps of 1.2 ms until the first is done; then 4 in 1.4 ms.
#[test]
fn large_batches_decode_without_drafts_if_asked_for() {
    let mut engine = drafts(1.0);
    engine["speculative"]["disable_above_batch"] = json!(1);
    let session = ran(document(&[[10, 4], [10, 8]], &engine));
    let both = 1000 + 3 * 1200;
    assert_eq!(done(&session), [both, both + 1400]);
    assert_eq!(totals(&session).verifications, 1);
}

/// A prompt of 4 tokens in blocks of 10. Its first step with three drafts verifies positions 4 to 7, and the drafter may
/// write 3 further ones: 11 positions, two blocks. At last the request holds what it would hold without drafts.
#[test]
fn blocks_are_held_for_the_drafts_but_never_more_than_the_answer_needs() {
    let blocks = |engine: &Value, output: u32| {
        let (cluster, story) = support::run(&scenario(document(&[[4, output]], engine)));
        let used = story.facts.iter().filter_map(|(_, fact)| match fact {
            Fact::Replica(ReplicaFact::StepStarted { kv_used, .. }) => Some(*kv_used),
            _ => None,
        });
        (used.take(3).collect::<Vec<_>>(), cluster.replicas()[0].totals().kv_peak)
    };
    // Positions 0 to 3, 4 to 10, and with one token accepted 5 to 11.
    assert_eq!(blocks(&drafts(0.0), 27).0, [1, 2, 2]);
    assert_eq!(blocks(&json!({}), 27).0, [1, 1, 1]);
    // 4 + 27 - 1 = 30 tokens are stored at most; without the bound a fourth block would be opened.
    assert_eq!((blocks(&drafts(0.0), 27).1, blocks(&json!({}), 27).1), (3, 3));
    // Four tokens and an answer of seven fill one block.
    assert_eq!(blocks(&drafts(1.0), 7), (vec![1, 1, 1], 1));
}

/// 200 requests of 200 tokens that arrive at random.
fn traffic(acceptance: &Value, max_num_seqs: u32) -> Value {
    let mut speculative = json!({"tokens": 4, "drafter": {"one-pass": {"share": 0.1}}});
    put_all(&mut speculative, acceptance);
    json!({
        "run": {"max_requests": 200, "horizon_s": 0, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 1,
            "engine": {"max_num_seqs": max_num_seqs, "max_num_batched_tokens": 8192, "speculative": speculative},
        }]},
        "workload": {"clients": [{
            "arrivals": {"poisson": {"rate_per_s": 10}},
            "prompt_tokens": {"constant": {"tokens": 300}},
            "output_tokens": {"constant": {"tokens": 200}},
        }]},
    })
}

#[test]
fn the_mean_acceptance_length_is_that_of_the_formula() {
    let length = |acceptance: &Value| {
        let found = totals(&ran(traffic(acceptance, 256)));
        assert!(found.verifications > 10_000 && found.draft_tokens == 4 * found.verifications, "{found:?}");
        found.mean_acceptance_length.expect("drafts")
    };
    // (1 - a^5) / (1 - a); the standard error is below 0.015.
    for a in [0.3_f64, 0.7] {
        let formula = (1.0 - a * a * a * a * a) / (1.0 - a);
        let found = length(&json!({"acceptance": a}));
        assert!((found - formula).abs() < 0.045, "{found}, not {formula}");
    }
    // 1 + 0.8 (1 + 0.5 (1 + 0.4 (1 + 0.4)))
    let rates = json!({"acceptance": 0.4, "positions": [{"acceptance": 0.8}, {"acceptance": 0.5}]});
    let found = length(&rates);
    assert!((found - 2.424).abs() < 0.045, "{found}");
}

/// Every token of an answer has its own draw: whatever the batch and the steps, the same drafts are accepted.
#[test]
fn the_same_drafts_are_accepted_whatever_the_schedule() {
    let acceptance = json!({"acceptance": 0.6});
    let [alone, together] = [1, 256].map(|seqs| ran(traffic(&acceptance, seqs)));
    assert_eq!(totals(&alone), totals(&together));
    assert_ne!(done(&alone), done(&together));
}

/// 60 requests on far too few blocks: who is preempted computes its prompt and its tokens again, and the draws of the
/// tokens to come stay. Slices and snapshots change nothing.
#[test]
fn preemption_and_slices_keep_the_draws() {
    let mut document = traffic(&json!({"acceptance": 0.6}), 64);
    document["run"]["max_requests"] = json!(60);
    let roomy = ran(&document);
    document["cluster"]["pools"][0]["kv"] = json!({"blocks": 150, "block_tokens": 16});
    let tight = ran(&document);
    let report = tight.report_data();
    assert!(report.requests.preemptions > 10 && report.requests.completed == 60, "{:?}", report.requests);
    let [roomy, found] = [&roomy, &tight].map(totals);
    // A preempted request gets one token with its prompt, which would have been a draft or the one after.
    let share = |s: SpeculativePart| s.acceptance_rate.expect("drafts");
    assert!((share(roomy) - share(found)).abs() < 0.02, "{roomy:?} {found:?}");
    let start = || Session::start(scenario(&document), None, Audience::Batch).expect("a valid scenario").0;
    let mut sliced = start();
    while sliced.advance(Micros::MAX, 37) != Stop::Finished {
        sliced.engine().verify(true);
        let bytes = sliced.snapshot();
        sliced = start();
        sliced.restore(&bytes).expect("a snapshot of this scenario");
    }
    assert_eq!(sliced.report(), tight.report());
}

/// Conversations find their own answers in the cache, block by block, with drafts as without.
#[test]
fn accepted_tokens_fill_blocks_that_can_be_hit() {
    let mut scenario = support::preset("long-chats", 40.0);
    let hits = |scenario: &Scenario| {
        let (cluster, _) = support::run(scenario);
        let [hits, misses] = cluster
            .replicas()
            .iter()
            .fold([0, 0], |[h, m], r| [h + r.kv().hits(), m + r.kv().prompt_misses()]);
        assert!(hits > 1000, "{hits} of {}", hits + misses);
        hits as f64 / (hits + misses) as f64
    };
    let without = hits(&scenario);
    for pool in &mut scenario.cluster.pools {
        pool.engine.speculative = Some(Speculative::default());
    }
    let with = hits(&scenario);
    assert!((with - without).abs() < 0.05, "{with} beside {without}");
}

/// An edit turns drafts on: other replicas serve with them, and who runs is finished by the old ones.
#[test]
fn an_edit_replaces_replicas() {
    let mut document = traffic(&json!({}), 64);
    document["cluster"]["pools"][0]["engine"].as_object_mut().expect("settings").remove("speculative");
    document["edits"] = json!([{"at_us": 3_000_000, "set":
        {"cluster.pools[0].engine.speculative": {"tokens": 2, "acceptance": 0.5}}}]);
    let (cluster, _) = support::run(&scenario(&document));
    let verified: Vec<u64> = cluster.replicas().iter().map(|r| r.totals().drafts.verified).collect();
    assert_eq!((verified.len(), verified[0]), (2, 0));
    assert!(verified[1] > 0 && cluster.replicas().iter().all(|r| r.totals().completed > 0));
}

/// 8 GiB of drafter are 8 GiB less for blocks of 16 tokens and 128 KiB each.
#[test]
fn the_drafter_takes_its_memory_from_the_blocks() {
    let blocks = |memory_gib: f64| {
        let mut pool = Pool::default();
        pool.engine.speculative = Some(Speculative { memory_gib, ..Speculative::default() });
        resolve(&pool, Compat::None, "p").expect("it fits").blocks.0
    };
    let less = blocks(0.0) - blocks(8.0);
    assert!(less.abs_diff(8 * 1024 * 1024 / (16 * 128)) <= 1, "{less}");
    assert_eq!(blocks(0.0), resolve(&Pool::default(), Compat::None, "p").expect("it fits").blocks.0);
}
