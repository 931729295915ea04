//! What requests hold besides the blocks of their tokens: windows of sliding layers, and states of linear layers.

use crate::support::Story;
use crate::support::documents::{asked_at_once, one_replica, put_all, scenario, steps};
use serde_json::{Value, json};
use tokenyard::base::{Blocks, Micros};
use tokenyard::engine::{Cluster, DropReason, Fact, Halt, Ignore, RequestFact};
use tokenyard::perf::{self, Plan, Resolved};
use tokenyard::scenario::{Compat, Pool, Scenario, check_start};
use tokenyard::workload::Source;

/// The cluster of a document.
fn cluster(document: &Value) -> Cluster {
    let (checked, _) = check_start(scenario(document)).expect("a valid scenario");
    let scenario: Scenario = checked.get().clone();
    let compat = scenario.cluster.compat;
    let figures = |pool: &Pool| perf::resolve(pool, compat, "p").expect("known figures");
    let resolved: Vec<Resolved> = scenario.cluster.pools.iter().map(figures).collect();
    Cluster::new(&Plan::of(checked, resolved), Source::new(&scenario, None))
}

/// Runs to the end and checks everything after each event.
fn run(document: &Value) -> (Cluster, Story) {
    let (mut cluster, mut story) = (cluster(document), Story::default());
    while cluster.advance(Micros::MAX, 1, &mut story) == Halt::Events {
        cluster.verify(true);
    }
    let kv = cluster.replicas()[0].kv();
    assert_eq!((kv.used(), kv.states()), (0, 0), "all blocks are given back");
    (cluster, story)
}

/// Four layers, two of which have full attention: a block of 10 tokens has 10 * 2 * 2 * 64 numbers of 2 bytes, 5 KiB.
fn shape(others: &Value) -> Value {
    let mut shape = json!({
        "layers": 4, "hidden": 64, "heads": 4, "kv_heads": 4, "intermediate": 128, "vocab": 100
    });
    put_all(&mut shape, others);
    shape
}

/// A cache of `blocks` blocks of 10 tokens, steps of 1 ms that compute at most 10 tokens of a prompt, and requests that
/// arrive together, each with its prompt and its answer.
fn document(shape: &Value, blocks: u32, requests: &[[u32; 2]], whole: bool) -> Value {
    let engine = json!({"max_num_batched_tokens": 1000, "long_prefill_threshold_tokens": 10, "reserve_full_prompt": whole});
    let kv = json!({"blocks": blocks, "block_tokens": 10});
    let latency = steps(1000.0, 0.0, 0.0);
    let pool = json!({"architecture": shape, "engine": engine, "kv": kv, "latency": latency});
    one_replica(&pool, &asked_at_once(requests))
}

/// When each request first joined the batch, in ms.
fn joined(cluster: &Cluster) -> Vec<u64> {
    let at = |r: tokenyard::engine::Record| r.first_scheduled.get().expect("all of them joined").0 / 1000;
    cluster.records().iter().map(at).collect()
}

#[test]
fn a_state_of_fixed_size_is_held_from_the_first_step_to_the_last() {
    // 15 KiB of states are three blocks.
    let linear = shape(&json!({"linear_layers": 2, "state_kib_per_request": 15}));
    let requests = [[40, 1], [20, 1], [10, 1]];
    // Whole prompts: 4 + 3 and 2 + 3 blocks fill the cache. After two steps the second is done; the first has three
    // blocks and its states, and needs one more: 12 - 6 - 1 blocks are enough for 1 + 3.
    assert_eq!(joined(&run(&document(&linear, 12, &requests, true)).0), [0, 0, 2]);
    // With four blocks more for its prompt and its states, the third joins at once.
    assert_eq!(joined(&run(&document(&linear, 16, &requests, true)).0), [0, 0, 0]);
    assert_eq!(joined(&run(&document(&linear, 15, &requests, true)).0), [0, 0, 2]);
    // First chunks alone: three times 1 + 3 blocks.
    assert_eq!(joined(&run(&document(&linear, 12, &requests, false)).0), [0, 0, 0]);
    assert!(joined(&run(&document(&linear, 11, &requests, false)).0)[2] > 0);
    // Without states, seven blocks are enough.
    assert_eq!(joined(&run(&document(&shape(&json!({})), 7, &requests, true)).0), [0, 0, 0]);
}

#[test]
fn a_window_is_held_as_far_as_the_request_is_long() {
    // 30 earlier tokens in three blocks, and one for the newest: four at most, and two of 11 tokens.
    let sliding = shape(&json!({"sliding_layers": 2, "sliding_window": 31}));
    let requests = [[100, 1], [10, 1]];
    assert_eq!(joined(&run(&document(&sliding, 17, &requests, true)).0), [0, 0]);
    let late = joined(&run(&document(&sliding, 16, &requests, true)).0);
    assert_eq!((late[0], late[1]), (0, 10), "as the first is done");
    // 10 + 4 blocks for the first alone.
    let dropped = |blocks: u32| {
        let (_, story) = run(&document(&sliding, blocks, &requests[..1], true));
        let reason = |(_, fact): &(Micros, Fact)| match fact {
            Fact::Request(RequestFact::Dropped { reason, .. }) => Some(*reason),
            _ => None,
        };
        story.facts.iter().find_map(reason)
    };
    assert_eq!((dropped(14), dropped(13)), (None, Some(DropReason::PromptExceedsKvCache)));
}

/// Traffic that fills a small cache: shared prefixes, preemptions, long answers.
fn pressure(kv: &Value) -> Value {
    let mut document = json!({
        "run": {"max_requests": 150, "horizon_s": 0, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 1,
            "model": "gpt-oss-20b",
            "engine": {"max_num_seqs": 64, "max_num_batched_tokens": 2048},
            "kv": {"blocks": 700},
        }]},
        "workload": {"clients": [{
            "arrivals": {"poisson": {"rate_per_s": 60}},
            "prefix": {"groups": 4, "tokens": 200},
            "prompt_tokens": {"gaussian": {"mean_tokens": 400, "sd_tokens": 200, "min_tokens": 100, "max_tokens": 700}},
            "output_tokens": {"gaussian": {"mean_tokens": 300, "sd_tokens": 200, "min_tokens": 50, "max_tokens": 700}},
        }]},
    });
    put_all(&mut document["cluster"]["pools"][0]["kv"], kv);
    document
}

#[test]
fn states_are_conserved_under_pressure_and_in_checkpoints() {
    for kv in [json!({}), json!({"cpu_blocks": 300}), json!({"prefix_caching": false})] {
        let document = pressure(&kv);
        let mut straight = cluster(&document);
        straight.advance(Micros::MAX, u64::MAX, &mut Ignore);
        let mut cut = cluster(&document);
        let mut most = 0;
        while cut.advance(Micros::MAX, 97, &mut Ignore) == Halt::Events {
            cut.verify(true);
            most = most.max(cut.replicas()[0].kv().states());
            cut = cut.packed();
            cut.unpack();
            cut.verify(true);
        }
        assert!(most > 9, "{kv}: several requests hold windows");
        let ends = |cluster: &Cluster| {
            let of =
                |r: tokenyard::engine::Record| (r.first_scheduled, r.ttft, r.preemptions, r.cached_tokens);
            cluster.records().iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(ends(&cut), ends(&straight), "{kv}");
        let preempted = straight.records().iter().any(|r| r.preemptions > 0);
        assert!(preempted, "{kv}: the cache is too small for its traffic");
    }
}

#[test]
fn automatic_blocks_are_those_of_layers_with_full_attention() {
    let blocks = |model: &str, compat: Compat| {
        let pool = Pool { model: model.to_owned(), gpu: "B200".to_owned(), ..Pool::default() };
        let found: Resolved = perf::resolve(&pool, compat, "p").expect("it fits");
        let Blocks(blocks) = found.blocks;
        f64::from(blocks)
    };
    let gain = |model: &str| blocks(model, Compat::None) / blocks(model, Compat::Blis);
    // Beside the kinds of layers, only the memory that is kept free differs: 18 of 36 layers have a window.
    assert!((1.8..2.2).contains(&(gain("gpt-oss-120b") / gain("llama-3.1-8b"))), "{}", gain("gpt-oss-120b"));
}
