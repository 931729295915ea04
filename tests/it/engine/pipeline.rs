//! Pipeline parallelism: timelines by hand, what stages cost and hold, and what they must not change.

use crate::support;
use crate::support::documents::{asked, one_replica, scenario, steps};
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Record};
use tokenyard::perf::{gpus, resolve};
use tokenyard::scenario::{Compat, Pool};
use tokenyard::session::{Audience, Session, Stop};

/// Two stages, steps of 1 ms and 0.1 ms for each request that decodes, and requests: arrival in us, prompt, answer.
/// Stages hand tokens on at `link` GB/s: 16,384 bytes each.
fn document(link: f64, requests: &[[u32; 3]]) -> Value {
    let (kv, latency) = (json!({"blocks": 1000, "block_tokens": 10}), steps(1000.0, 0.0, 100.0));
    let pool = json!({"pp": 2, "pp_link_gb_per_s": link, "kv": kv, "latency": latency});
    one_replica(&pool, &asked(requests.iter().map(|request| request.map(u64::from))))
}

/// So fast that nothing is left of a microsecond.
const NO_TIME: f64 = 1e6;

/// When each request was done, in microseconds.
fn done(cluster: &Cluster) -> Vec<u64> {
    let at = |r: Record| r.arrival.0 + r.e2e.get().expect("all are done").0;
    cluster.records().iter().map(at).collect()
}

fn ends(document: &Value) -> Vec<u64> {
    done(&support::run(&scenario(document)).0)
}

/// A prompt of 10 tokens takes 1000 us and hands on 10 tokens, one us each; two further tokens 1100 us and 1 us each.
#[test]
fn one_request_takes_all_stages_and_the_time_between_them() {
    assert_eq!(ends(&document(16.384, &[[0, 10, 3]])), [1010 + 2 * 1101]);
    assert_eq!(ends(&document(NO_TIME, &[[0, 10, 3]])), [1000 + 2 * 1100]);
}

/// r0 is on stage 1 until 500 and on stage 2 until 1000. r1 arrives at 300 and enters at once: on stage 1 from 500 on,
/// on stage 2 from 1000 to 1500. The second token of r0: stage 1 from 1000 to 1550, stage 2 to 2100. That of r1: stage 1
/// from 1550, as it comes at 1500, and stage 2 from 2100 to 2650. With one stage r1 would join at 1000 and be done at
/// 3100, as the second token of r0 with the prompt of r1 takes 1100.
#[test]
fn two_batches_are_under_way_on_two_stages() {
    let mut document = document(NO_TIME, &[[0, 10, 2], [300, 10, 2]]);
    assert_eq!(ends(&document), [2100, 2650]);
    document["cluster"]["pools"][0]["pp"] = json!(1);
    assert_eq!(ends(&document), [2100, 3200]);
}

/// Requests that come together stay together: both are in every batch, and one of two stages is always idle.
#[test]
fn requests_of_a_batch_wait_until_it_has_left() {
    let together = ends(&document(NO_TIME, &[[0, 10, 3], [0, 10, 3]]));
    assert_eq!(together, [1000 + 2 * 1200; 2]);
    // A third batch finds the pipe full: it enters when the first leaves, at 1000.
    let third = ends(&document(NO_TIME, &[[0, 10, 1], [100, 10, 1], [200, 10, 1]]));
    assert_eq!(third, [1000, 1500, 2000]);
}

fn traffic(pp: u32, blocks: u32) -> Value {
    json!({
        "run": {"max_requests": 150, "horizon_s": 0, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 1, "pp": pp,
            "engine": {"max_num_batched_tokens": 512, "max_num_seqs": 64},
            "kv": {"blocks": blocks, "block_tokens": 16},
        }]},
        "workload": {"timeout_s": 30, "clients": [{
            "arrivals": {"poisson": {"rate_per_s": 60}},
            "prompt_tokens": {"gaussian": {"mean_tokens": 400, "sd_tokens": 250, "min_tokens": 10, "max_tokens": 900}},
            "output_tokens": {"gaussian": {"mean_tokens": 100, "sd_tokens": 60, "min_tokens": 1, "max_tokens": 200}},
        }]},
    })
}

/// Requests that spread over the stages are served faster, at most twice as fast; one alone is not.
#[test]
fn stages_raise_throughput_and_not_the_speed_of_one_request() {
    // Every 200 us a request with 30 tokens, and steps that take nothing but their tokens: 100 us each.
    let requests: Vec<[u32; 3]> = (0..40).map(|i| [200 * i, 10, 30]).collect();
    let end = |pp: u32| {
        let mut document = document(NO_TIME, &requests);
        let pool = &mut document["cluster"]["pools"][0];
        pool["pp"] = json!(pp);
        pool["latency"]["fitted"]["step_us"] = json!(100);
        *ends(&document).iter().max().expect("requests")
    };
    let (one, two) = (end(1), end(2));
    assert!(two * 10 < one * 9 && two * 2 > one, "{one} {two}");
    let alone = |pp: u32| {
        let mut document = document(NO_TIME, &[[0, 10, 50]]);
        document["cluster"]["pools"][0]["pp"] = json!(pp);
        ends(&document)[0]
    };
    assert_eq!((alone(1), alone(4)), (1000 + 49 * 1100, 1000 + 49 * 1100));
}

/// Too few blocks: nobody on the way through the pipe is preempted, all requests come to an end, and neither slices nor
/// snapshots change anything.
#[test]
fn preemption_and_slices_work_with_stages() {
    let document = traffic(3, 130);
    let (cluster, _) = support::run(&scenario(&document));
    assert!(cluster.replicas()[0].totals().preemptions > 5, "{:?}", cluster.replicas()[0].totals());
    assert!(cluster.records().iter().all(|r| r.location().is_gone()));
    let start = || Session::start(scenario(&document), None, Audience::Batch).expect("a valid scenario").0;
    let mut whole = start();
    assert_eq!(whole.advance(Micros::MAX, u64::MAX), Stop::Finished);
    let mut sliced = start();
    while sliced.advance(Micros::MAX, 41) != Stop::Finished {
        sliced.engine().verify(true);
        let bytes = sliced.snapshot();
        sliced = start();
        sliced.restore(&bytes).expect("a snapshot of this scenario");
    }
    assert_eq!(sliced.report(), whole.report());
}

/// Clients that give up, and a pool that is taken away at once, while batches are under way.
#[test]
fn requests_under_way_leave_when_their_batch_does() {
    let mut document = traffic(2, 4000);
    document["workload"]["timeout_s"] = json!(0.4);
    document["cluster"]["pools"][0]["scaling"] = json!({"drain": "immediate"});
    document["edits"] = json!([{"at_us": 1_000_000, "set": {"cluster.pools[0].replicas": 2}},
        {"at_us": 2_000_000, "set": {"cluster.pools[0].replicas": 1}}]);
    let (cluster, _) = support::run(&scenario(&document));
    let dropped: u32 = cluster.replicas().iter().map(|r| r.totals().dropped).sum();
    let timed_out: u32 = cluster.replicas().iter().map(|r| r.totals().timed_out).sum();
    assert!(timed_out > 0 && dropped >= timed_out, "{dropped} {timed_out}");
    assert!(cluster.records().iter().all(|r| r.location().is_gone()));
}

/// A stage has half of the layers: 141 GB of weights, which one H100 cannot hold, fit on two. Two stages of two GPUs cost
/// what four GPUs cost, and have room for about as many blocks.
#[test]
fn stages_share_weights_and_blocks() {
    let pool = |tp: u32, pp: u32| Pool { model: "llama-3.1-70b".into(), tp, pp, ..Pool::default() };
    let of = |tp: u32, pp: u32| resolve(&pool(tp, pp), Compat::None, "p");
    assert!(of(1, 1).is_err() && of(1, 2).is_ok());
    let (four, staged) = (of(4, 1).expect("fits"), of(2, 2).expect("fits"));
    assert_eq!((gpus(&pool(2, 2)), gpus(&pool(4, 1))), (4, 4));
    assert!((staged.usd_per_hour - four.usd_per_hour).abs() < 1e-9 && four.usd_per_hour > 0.0);
    let ratio = f64::from(staged.blocks.0) / f64::from(four.blocks.0);
    assert!((0.9..1.1).contains(&ratio), "{:?} {:?}", staged.blocks, four.blocks);
    let [peak, of_one] =
        [&staged, &of(2, 1).expect("fits")].map(tokenyard::perf::Resolved::peak_prefill_tokens_per_s);
    assert!((peak / of_one - 2.0).abs() < 1e-12, "{peak} {of_one}");
    let problems = of(1, 64).err();
    assert!(problems.is_none(), "{problems:?}");
    let small = Pool { pp: 64, ..Pool::default() };
    let problems = resolve(&small, Compat::None, "p").expect_err("32 layers");
    assert_eq!((problems[0].path.as_str(), problems[0].found.as_str()), ("p.pp", "64 stages for 32 layers"));
}
