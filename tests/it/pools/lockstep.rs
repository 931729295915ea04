//! Data-parallel ranks of a server that step together, by hand and in random scenarios.

use crate::support::documents::scenario;
use crate::support::scenarios::{a_scenario, sound, started};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use tokenyard::base::{Micros, Span};
use tokenyard::engine::Record;
use tokenyard::perf::{StepLoad, resolve};
use tokenyard::scenario::{
    Architecture, CalibratedCoefficients, CalibratedSettings, Compat, EngineGeneration, KvBlocks,
    LatencyModel, Pool, Scenario, to_json,
};
use tokenyard::session::{Audience, Session, Stop};

/// Two ranks of a server, in lock step or not: a step takes 1 ms, and 5 ms more for each prompt in it.
pub(super) fn server(lockstep: bool, requests: &[[u64; 2]]) -> Value {
    let listed = (0_u64..).zip(requests).map(|(i, [at, output])| {
        json!({"arrival_us": at, "prompt": [{"text": i, "tokens": 10}],
            "output": {"tokens": output, "text": 100_000 + i}})
    });
    json!({
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {"routing": "round-robin", "pools": [{
            "replicas": 2,
            "expert_ranks": 2,
            "expert_ranks_lockstep": lockstep,
            "kv": {"blocks": 1000, "prefix_caching": false},
            "architecture": {"layers": 1, "hidden": 64, "heads": 1, "kv_heads": 1, "vocab": 64,
                "experts": 4, "experts_per_token": 1},
            "hardware": {"memory_gib": 80, "tflops": 100_000, "bandwidth_tb_per_s": 1000},
            "latency": {"calibrated": {"engine": "synchronous", "coefficients": {
                "weights_efficiency": 1, "kv_efficiency": 1, "compute_efficiency": 1, "attention_efficiency": 1,
                "compute_not_hidden": 0, "step_us": 1000, "step_us_per_layer": 0, "step_us_per_sequence": 0,
                "step_us_per_sequence_layer": 0, "step_us_per_prompt": 5000, "step_us_with_prefill": 0,
                "step_us_per_expert_layer": 0, "prefill_us_per_expert_layer": 0, "step_us_per_parallel_layer": 0,
                "reduce_us_per_megabyte": 0, "queueing_us": 0, "queueing_us_per_prompt_token": 0}}},
        }]},
        "workload": {"clients": [], "requests": listed.collect::<Vec<_>>()},
    })
}

fn run(document: &Value) -> Session {
    let mut session = Session::start(scenario(document), None, Audience::Batch).expect("a sound scenario").0;
    while session.advance(Micros::MAX, 1) != Stop::Finished {
        session.engine().verify(true);
    }
    session
}

fn all(session: &Session, of: impl Fn(&Record) -> Option<Span>) -> Vec<u64> {
    session.engine().records().iter().map(|r| of(&r).expect("it completed").0).collect()
}

#[test]
fn a_prompt_on_one_rank_holds_up_the_others() {
    // The third arrives during the step from 6 to 7 ms, on the first rank: its prompt makes the next step last until 13 ms.
    let requests = [[0, 5], [0, 5], [6500, 1]];
    let together = run(&server(true, &requests));
    assert_eq!(all(&together, |r| r.e2e.get()), [15_000, 15_000, 6500]);
    assert_eq!(all(&together, |r| Some(r.itl_sum)), [9000, 9000, 0]);
    let alone = run(&server(false, &requests));
    assert_eq!(all(&alone, |r| r.e2e.get()), [15_000, 10_000, 6500]);
    // Five steps each, no more for waiting.
    let steps = |s: &Session| s.engine().replicas().iter().map(|r| r.totals().steps).collect::<Vec<_>>();
    assert_eq!((steps(&together), steps(&alone)), (vec![5, 5], vec![5, 5]));
}

#[test]
fn an_idle_rank_takes_a_request_in_when_the_step_of_its_server_ends() {
    let requests = [[0, 1], [1000, 1]];
    assert_eq!(all(&run(&server(true, &requests)), |r| r.ttft.get()), [6000, 11_000]);
    assert_eq!(all(&run(&server(false, &requests)), |r| r.ttft.get()), [6000, 6000]);
    // It does not wait for a server that is idle.
    let later = [[0, 1], [6001, 1]];
    assert_eq!(all(&run(&server(true, &later)), |r| r.ttft.get()), [6000, 6000]);
}

#[test]
fn servers_are_made_of_as_many_ranks_as_there_are_and_refilled() {
    // Of four replicas the last two are another server, which no prompt of the first holds up.
    let mut document = server(true, &[[0, 5], [0, 5], [0, 5], [0, 5], [6500, 1]]);
    document["cluster"]["pools"][0]["replicas"] = json!(4);
    assert_eq!(all(&run(&document), |r| r.e2e.get()), [15_000, 15_000, 10_000, 10_000, 6500]);
    // With three there is half a server, and a warning; a fourth fills it.
    document["cluster"]["pools"][0]["replicas"] = json!(3);
    let warned = Session::start(scenario(&document), None, Audience::Batch).expect("a sound scenario").1;
    assert!(warned.iter().any(|d| d.path == "cluster.pools[0].replicas"), "{warned:?}");
    // What comes to the fourth waits for the step of the third.
    document["workload"]["requests"] =
        server(true, &[[0, 5], [0, 5], [0, 5], [1000, 1]])["workload"]["requests"].take();
    document["edits"] = json!([{"at_us": 500, "set": {"cluster.pools[0].replicas": 4}}]);
    assert_eq!(all(&run(&document), |r| r.e2e.get()), [10_000, 10_000, 15_000, 11_000]);
}

#[test]
fn ranks_wait_for_prompts_of_others_for_more_decoding_and_without_work() {
    // In the step from 7 to 13 ms the first rank has a prompt, and the second would be done in 1 ms.
    let found = run(&server(true, &[[0, 5], [0, 5], [6500, 1]])).report_data();
    let ranks = found.pools[0].ranks.as_ref().expect("they step together");
    assert_eq!((ranks.wait_prompts_s, ranks.wait_decodes_s, ranks.wait_empty_s), (0.005, 0.0, 0.0));
    // Alone, a request has its prompt's step of 6 ms and four of 1 ms beside a rank without work.
    let found = run(&server(true, &[[0, 5]])).report_data();
    let ranks = found.pools[0].ranks.as_ref().expect("they step together");
    assert_eq!((ranks.wait_prompts_s, ranks.wait_empty_s), (0.0, 0.010));
    assert!(run(&server(false, &[[0, 5]])).report_data().pools[0].ranks.is_none());
}

#[test]
fn padded_ranks_compute_as_many_rows_as_the_one_with_the_most() {
    let padded = |padding: &str| {
        // The first rank has three requests, the second two.
        let mut document = server(true, &[[0, 5]; 5]);
        document["cluster"]["pools"][0]["ranks"] = json!({"padding": padding});
        run(&document).report_data().pools[0].ranks.as_ref().expect("they step together").padding_tokens
    };
    // Four steps without prompts: 3 + 2 rows, or 4 + 4.
    assert_eq!([padded("none"), padded("max"), padded("graph")], [0, 4, 4 + 8]);
    // A rank without requests computes as many rows as the other.
    let mut alone = server(true, &[[0, 5]]);
    alone["cluster"]["pools"][0]["ranks"] = json!({"padding": "max"});
    assert_eq!(
        run(&alone).report_data().pools[0].ranks.as_ref().expect("they step together").padding_tokens,
        4
    );
    let model =
        resolve(&scenario(server(true, &[])).cluster.pools[0], Compat::None, "").expect("it resolves").model;
    let ten = StepLoad { decode: 10, ..StepLoad::default() };
    let padded = StepLoad { decode: 4, padding: 6, ..StepLoad::default() };
    let four = StepLoad { decode: 4, ..StepLoad::default() };
    // A request itself takes no time by these coefficients: its row does.
    assert_eq!(model.step_beside(&padded, 30), model.step_beside(&ten, 30));
    assert!(model.step_beside(&four, 30) <= model.step_beside(&ten, 30));
}

/// The replica that gets each of these requests.
fn replicas_of(document: &Value) -> Vec<u32> {
    use tokenyard::engine::Location;
    let found = run(document);
    let of = |r: Record| match r.location() {
        Location::Completed(replica) => replica.0,
        other => panic!("{other:?}"),
    };
    found.engine().records().iter().map(of).collect()
}

#[test]
fn a_server_seen_as_one_gives_requests_to_the_rank_with_the_least() {
    // Two servers of two ranks. The router takes servers in turn, whose rank follows from 4 · waiting + running.
    let seen = |seen: &str, sync_ms: u64, requests: &[[u64; 2]]| {
        let mut document = server(true, requests);
        document["cluster"]["pools"][0]["replicas"] = json!(4);
        document["cluster"]["pools"][0]["ranks"] = json!({"seen": seen, "sync_ms": sync_ms});
        replicas_of(&document)
    };
    let together = [[0, 5]; 8];
    assert_eq!(seen("flat", 0, &together), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(seen("internal", 0, &together), [0, 2, 1, 3, 0, 2, 1, 3]);
    // Requests of the first server alone: the first is over before the third comes, which goes to the same rank; what runs on it then
    // counts, but for a server whose counts are from before, where what it gave away itself waits.
    let apart = [[0, 1], [0, 1], [7000, 5], [7000, 1], [14_000, 1], [14_000, 1]];
    assert_eq!(seen("internal", 0, &apart), [0, 2, 0, 2, 1, 2]);
    assert_eq!(seen("internal", 1000, &apart), [0, 2, 1, 3, 0, 2]);
    // By hash: as many as there are, all over both servers, whatever waits.
    let many: Vec<[u64; 2]> = (0..400).map(|i| [i * 20_000, 1]).collect();
    let found = seen("hash", 0, &many);
    let servers: Vec<u32> = found.iter().map(|replica| replica / 2).collect();
    assert_eq!(servers[..4], [0, 1, 0, 1]);
    let of_second = found.iter().filter(|replica| **replica % 2 == 1).count();
    assert!((160..240).contains(&of_second), "{of_second}");
}

#[test]
fn a_server_balances_requests_or_tokens_or_takes_its_ranks_in_turn() {
    let found = |balance: &str| {
        let mut document = server(true, &[]);
        let listed = [100, 10, 10, 10].into_iter().enumerate().map(|(i, tokens)| {
            json!({"arrival_us": i, "prompt": [{"text": i, "tokens": tokens}],
                "output": {"tokens": 1, "text": 100_000 + i}})
        });
        document["workload"]["requests"] = listed.collect();
        let ranks = json!({"seen": "internal", "balance": balance, "sync_ms": 1000});
        document["cluster"]["pools"][0]["ranks"] = ranks;
        replicas_of(&document)
    };
    assert_eq!(found("waiting"), [0, 1, 0, 1]);
    assert_eq!(found("requests"), [0, 1, 0, 1]);
    assert_eq!(found("tokens"), [0, 1, 1, 1]);
    assert_eq!(found("round-robin"), [0, 1, 0, 1]);
}

#[test]
fn a_server_is_known_by_what_any_of_its_ranks_has() {
    // One text for all: the router follows it to the first server, whose ranks take it blindly in turn (together t36).
    let mut document = server(true, &[]);
    let listed = (0..4).map(|i| {
        json!({"arrival_us": i * 20_000, "prompt": [{"text": 7, "tokens": 64}],
            "output": {"tokens": 1, "text": 100_000 + i}})
    });
    document["workload"]["requests"] = listed.collect();
    let pool = &mut document["cluster"]["pools"][0];
    pool["kv"] = json!({"blocks": 1000, "block_tokens": 16});
    pool["replicas"] = json!(4);
    pool["ranks"] = json!({"seen": "internal", "sync_ms": 1_000_000});
    document["cluster"]["routing"] =
        json!({"weighted": {"scorers": [{"scorer": "precise-prefix", "weight": 1}]}});
    let found = replicas_of(&document);
    let first = found[0] / 2;
    assert!(found.iter().all(|replica| replica / 2 == first), "{found:?}");
    assert_eq!(found.iter().map(|replica| replica % 2).collect::<Vec<_>>(), [0, 1, 0, 1]);
}

#[test]
fn an_autoscaler_adds_and_removes_whole_servers() {
    // Forty requests at once, one at a time on each rank: the queues ask for one replica more at each tick, and for fewer afterwards.
    let mut document = server(true, &[[1_000_000, 1000]; 40]);
    let pool = &mut document["cluster"]["pools"][0];
    pool["engine"] = json!({"max_num_seqs": 1});
    pool["scaling"] = json!({"policy": {"queue-depth": {"up": 2, "down": 0.2, "cooldown_s": 0}}, "min": 1, "max": 7,
        "tick_s": 2, "scrape_s": 1, "window_s": 1,
        "start": {"phases": {"scheduling_s": 0, "node_s": 0, "pull_s": 0, "load_s": 1, "initialise_s": 0, "probe_s": 0, "cv": 0.5}}});
    document["run"]["horizon_s"] = json!(95);
    let mut session = Session::start(scenario(&document), None, Audience::Batch).expect("a sound scenario").0;
    let serving = |session: &Session| {
        let serves = |r: &&tokenyard::engine::Replica| r.serving();
        session.engine().replicas().iter().filter(serves).count()
    };
    let mut found = Vec::new();
    for at in 1..=95 {
        session.advance(Micros(at * 1_000_000), u64::MAX);
        let now = serving(&session);
        if found.last() != Some(&now) {
            found.push(now);
        }
    }
    assert_eq!(found.iter().max(), Some(&6), "{found:?}");
    assert_eq!((found.first(), found.last()), (Some(&2), Some(&2)), "{found:?}");
    assert!(
        found.iter().all(|ranks| ranks % 2 == 0),
        "ranks of a server serve and leave together: {found:?}"
    );
}

#[test]
fn prompts_of_ranks_wait_for_each_other() {
    let aligned = |ms: u64, requests: &[[u64; 2]]| {
        let mut document = server(true, requests);
        document["cluster"]["pools"][0]["ranks"] = json!({"align_prefills_ms": ms});
        all(&run(&document), |r| r.ttft.get())
    };
    // The second comes 2 ms later, on the other rank: one step for both, in place of one after the other.
    let two = [[0, 1], [2000, 1]];
    assert_eq!(aligned(0, &two), [6000, 10_000]);
    assert_eq!(aligned(50, &two), [8000, 6000]);
    // Without a second one the first waits as long as it may.
    assert_eq!(aligned(50, &[[0, 1]]), [56_000]);
    assert_eq!(aligned(1, &two), [7000, 11_000]);
    // What decodes goes on: the third waits 10 ms, in steps of 1 ms, and begins with the next one.
    let mut document = server(true, &[[0, 100], [0, 1], [20_000, 1]]);
    document["cluster"]["pools"][0]["ranks"] = json!({"align_prefills_ms": 10});
    let found = run(&document);
    assert_eq!(all(&found, |r| r.ttft.get()), [6000, 6000, 16_000]);
    assert_eq!(all(&found, |r| r.e2e.get())[0], 6000 + 99_000 + 5000);
    // An edit ends the wait.
    let mut document = server(true, &[[0, 1]]);
    document["cluster"]["pools"][0]["ranks"] = json!({"align_prefills_ms": 50});
    document["edits"] = json!([{"at_us": 9000, "set": {"cluster.pools[0].ranks.align_prefills_ms": 0}}]);
    assert_eq!(all(&run(&document), |r| r.ttft.get()), [15_000]);
}

#[test]
fn a_step_of_one_rank_without_a_graph_is_longer_for_all() {
    let with = |mixed_step_us: &Value| {
        let mut document = server(true, &[[0, 5], [0, 5], [6500, 1]]);
        document["cluster"]["pools"][0]["engine"] = json!({"mixed_step_us": mixed_step_us});
        run(&document)
    };
    let slow = with(&json!(2000));
    // Both steps with prompts take 2 ms more: from 0 to 8 and from 8 to 16 ms.
    assert_eq!(all(&slow, |r| r.e2e.get()), [19_000, 19_000, 9500]);
    let found = slow.report_data();
    let mixed = found.pools[0].mixed_steps.as_ref().expect("it is asked for");
    assert_eq!((mixed.steps, mixed.longer_s), (4, 0.008));
    assert!(with(&json!(0)).report_data().pools[0].mixed_steps.is_none());
    // This model has nothing for it.
    assert_eq!(all(&with(&json!("auto")), |r| r.e2e.get()), [15_000, 15_000, 6500]);
}

#[test]
fn experts_move_every_so_many_steps_of_the_server() {
    let mut document = server(true, &[[0, 5], [0, 4]]);
    document["cluster"]["pools"][0]["experts"] = json!({"skew": {"imbalance": 2}, "eplb": {"redundant": 0, "interval_steps": 2, "rebalance_ms": 10, "coverage": 0.5}});
    let session = run(&document);
    // Steps 2 and 4 of five are the long ones; in the fifth the second rank has no work.
    assert_eq!(all(&session, |r| r.e2e.get()), [6000 + 4 * 1000 + 20_000, 6000 + 3 * 1000 + 20_000]);
    let found = session.report_data();
    let experts = found.pools[0].experts.as_ref().expect("they are asked for");
    assert_eq!((experts.rebalanced, experts.imbalance), (4, 1.5));
    // An edit of something else leaves them where they are, and one of the skew replaces no replica.
    let edited = |set: Value| {
        let mut document = document.clone();
        document["edits"] = json!([{"at_us": 20_000, "set": set}]);
        let session = run(&document);
        let imbalance = session.report_data().pools[0].experts.as_ref().map(|experts| experts.imbalance);
        (session.engine().replicas().len(), imbalance)
    };
    assert_eq!(edited(json!({"cluster.routing": "random"})), (2, Some(1.5)));
    assert_eq!(edited(json!({"cluster.pools[0].experts.skew": {"imbalance": 1.4}})), (2, Some(1.2)));
}

#[test]
fn what_cannot_be_in_lock_step_is_pointed_out_and_the_key_is_left_out_where_it_says_nothing() {
    assert!(!to_json(&scenario(server(false, &[]))).contains("lockstep"));
    let path = "cluster.pools[0].expert_ranks_lockstep";
    let mut document = server(true, &[[0, 1]]);
    document["cluster"]["pools"][0]["expert_ranks"] = json!(1);
    let warned = Session::start(scenario(&document), None, Audience::Batch).expect("a sound scenario").1;
    assert!(warned.iter().any(|d| d.path == path), "{warned:?}");
    assert_eq!(all(&run(&document), |r| r.ttft.get()), [6000]);
    let mut document = server(true, &[[0, 1]]);
    document["cluster"]["compat"] = json!("blis");
    let problems = Session::start(scenario(&document), None, Audience::Batch).expect_err("lock step");
    assert!(problems.iter().any(|d| d.path == path), "{problems:?}");
}

#[test]
fn the_experts_that_the_tokens_of_all_ranks_touch_are_read() {
    let mut pool = Pool { expert_ranks: 4, expert_ranks_lockstep: true, ..Pool::default() };
    pool.architecture = Some(Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() });
    pool.kv.blocks = KvBlocks::Count(100);
    let model = |pool: &Pool| resolve(pool, Compat::None, "pool").expect("a pool").model;
    let together = model(&pool);
    let apart = model(&Pool { expert_ranks_lockstep: false, ..pool.clone() });
    let load = |decode| StepLoad { prefill: &[], decode, decode_context: 0, drafts: 0, padding: 0 };
    // Where the others carry as much, both say the same.
    for decode in [1, 2, 7] {
        let beside = together.step_beside(&load(decode), u64::from(3 * decode));
        assert!(beside.0.abs_diff(apart.step(&load(decode)).0) <= 1, "{decode}");
        assert_eq!(beside, together.step(&load(decode)));
    }
    let (idle, busy) = (together.step_beside(&load(2), 0), together.step_beside(&load(2), 100));
    assert!(idle < apart.step(&load(2)) && apart.step(&load(2)) < busy, "{idle:?} {busy:?}");
}

/// The scenario with pairs of replicas that share experts and step together.
fn in_lockstep(mut scenario: Scenario, ahead: bool) -> Scenario {
    scenario.cluster.compat = Compat::None;
    for pool in &mut scenario.cluster.pools {
        let engine = if ahead { EngineGeneration::Ahead } else { EngineGeneration::Synchronous };
        let coefficients = CalibratedCoefficients {
            step_us: 500.0,
            step_us_per_layer: 1.0,
            step_us_per_prompt: 900.0,
            queueing_us: 100.0,
            ..CalibratedCoefficients::default()
        };
        let coefficients = Some(coefficients);
        let settings = CalibratedSettings { engine, coefficients, ..CalibratedSettings::default() };
        pool.latency = LatencyModel::Calibrated(settings);
        pool.architecture =
            Some(Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() });
        (pool.expert_ranks, pool.expert_ranks_lockstep) = (2, true);
    }
    scenario
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(13), failure_persistence: None, ..ProptestConfig::default() })]

    /// Every invariant holds at every cut, and where a run is cut changes nothing.
    #[test]
    fn servers_lose_nobody_and_may_be_cut_anywhere(scenario in a_scenario(), ahead: bool, cut in 1_u64..40) {
        let scenario = in_lockstep(scenario, ahead);
        let mut straight = started(&scenario, Audience::Batch);
        straight.advance(Micros::MAX, u64::MAX);
        sound(&straight);
        let mut sliced = started(&scenario, Audience::Batch);
        while sliced.advance(Micros::MAX, cut) != Stop::Finished {
            sliced.engine().verify(true);
        }
        prop_assert_eq!(straight.digest(), sliced.digest());
    }
}
