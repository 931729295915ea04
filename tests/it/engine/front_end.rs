//! The front end of a replica: one job after the other, prompts to tokenise and tokens to write, by hand and in random scenarios.

use crate::support::documents::{ran, scenario};
use crate::support::scenarios::{a_scenario, sound, started};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::engine::{DropReason, Record};
use tokenyard::scenario::{
    CalibratedCoefficients, CalibratedSettings, Compat, EngineGeneration, LatencyModel, Scenario, to_json,
};
use tokenyard::session::view::SegmentKind;
use tokenyard::session::{Audience, Session, Stop};
use tokenyard::study::whatif::{AccountedTime, Cause, Explaining};

/// Coefficients with these times of the front end, and steps of 1 ms whatever is in them.
fn coefficients([request, prompt_token, token]: [f64; 3]) -> Value {
    json!({"weights_efficiency": 1, "kv_efficiency": 1, "compute_efficiency": 1, "attention_efficiency": 1,
        "compute_not_hidden": 0, "step_us": 1000, "step_us_per_layer": 0, "step_us_per_sequence": 0,
        "step_us_per_sequence_layer": 0, "step_us_per_prompt": 0, "step_us_with_prefill": 0,
        "queueing_us": 0, "queueing_us_per_prompt_token": 0,
        "front_end_us": request, "front_end_us_per_prompt_token": prompt_token, "stream_us_per_token": token})
}

/// One replica of a tiny model with such a front end.
fn cluster(front_end: [f64; 3]) -> Value {
    json!({
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 1,
            "engine": {"max_num_seqs": 2048, "max_num_batched_tokens": 1_000_000},
            "kv": {"blocks": 100_000, "prefix_caching": false},
            "architecture": {"layers": 1, "hidden": 64, "heads": 1, "kv_heads": 1, "vocab": 64},
            "hardware": {"memory_gib": 80, "tflops": 100_000, "bandwidth_tb_per_s": 1000},
            "latency": {"calibrated": {"engine": "synchronous", "coefficients": coefficients(front_end)}},
        }]},
        "workload": {"clients": []},
    })
}

/// The same with requests: when each arrives, its prompt and its answer.
fn with_requests(front_end: [f64; 3], requests: &[[u64; 3]]) -> Value {
    let mut document = cluster(front_end);
    let listed = (0_u64..).zip(requests).map(|(i, [at, prompt, output])| {
        json!({"arrival_us": at, "prompt": [{"text": i, "tokens": prompt}],
            "output": {"tokens": output, "text": 100_000 + i}})
    });
    document["workload"]["requests"] = listed.collect();
    document
}

fn all<T>(session: &Session, of: impl Fn(&Record) -> T) -> Vec<T> {
    session.engine().records().iter().map(|r| of(&r)).collect()
}

fn segments(session: &Session, request: u32) -> Vec<(SegmentKind, u64)> {
    let of = session.inspect(request).expect("it has arrived").segments;
    of.iter().map(|s| (s.kind, s.to_us - s.from_us)).collect()
}

#[test]
fn the_prompts_of_a_burst_are_tokenised_one_after_the_other() {
    let burst = ran(with_requests([4000.0, 10.0, 0.0], &[[0, 50, 1]].repeat(1000)));
    // 4500 us for each, and then a step of its own, which is shorter.
    let expected: Vec<u64> = (1..=1000).map(|i| i * 4500 + 1000).collect();
    assert_eq!(all(&burst, |r| r.ttft.get().unwrap().0), expected);
    assert_eq!(burst.engine().replicas()[0].totals().steps, 1000);
}

#[test]
fn a_closed_loop_waits_for_the_front_end_and_for_its_tokens_to_be_written() {
    let mut document = cluster([3000.0, 0.0, 100.0]);
    document["run"]["max_requests"] = json!(4);
    document["workload"]["clients"] = json!([{
        "arrivals": {"concurrency": 1},
        "prompt_tokens": {"constant": {"tokens": 10}},
        "output_tokens": {"constant": {"tokens": 4}},
    }]);
    let session = ran(&document);
    // Tokenised after 3 ms, four steps, and 100 us until the last token is written.
    assert_eq!(all(&session, |r| r.arrival.0), [0, 7100, 14_200, 21_300]);
    assert_eq!(all(&session, |r| r.ttft.get().unwrap().0), [4100; 4]);
    assert_eq!(all(&session, |r| r.e2e.get().unwrap().0), [7100; 4]);
    assert_eq!(all(&session, |r| r.itl_sum.0), [3000; 4]);
}

/// The first decodes while the second is tokenised.
fn two() -> Value {
    with_requests([2000.0, 0.0, 100.0], &[[0, 10, 5], [3500, 10, 1]])
}

#[test]
fn tokens_wait_for_prompts_that_came_to_the_front_end_before_them() {
    use SegmentKind::{Decode, FrontEnd, Prefill, Queue, Streaming};
    let session = ran(two());
    // Jobs of the front end: the first prompt until 2000; its token of the step that ends at 3000 until 3100; the second
    // prompt from 3500 to 5500; the token of 4000 until 5600; of 5000 until 5700; of 6000 until 6100; the two of 7000 until 7200.
    assert_eq!(all(&session, |r| r.ttft.get().unwrap().0), [3100, 3700]);
    assert_eq!(all(&session, |r| r.e2e.get().unwrap().0), [7200, 3700]);
    let of = |request| segments(&session, request);
    assert_eq!(of(0), [(FrontEnd, 2000), (Prefill, 1000), (Decode, 4000), (Streaming, 200)]);
    assert_eq!(of(1), [(FrontEnd, 2000), (Queue, 500), (Prefill, 1000), (Streaming, 200)]);
    let gaps = session.report_data().latency_ms.itl;
    assert_eq!((gaps.count, gaps.min, gaps.max), (4, 0.1, 2.5));
}

#[test]
fn the_account_of_a_time_names_the_front_end() {
    let (mut explaining, _) = Explaining::new(scenario(two()), None).unwrap_or_else(|all| panic!("{all:?}"));
    explaining.run_to(Micros::MAX).expect("few enough steps");
    let of = |request, time, causes: [Cause; 4]| {
        let account = explaining.account(request, time).expect("it has finished");
        causes.map(|cause| account.us[cause as usize])
    };
    let causes = [Cause::FrontEnd, Cause::Prompt, Cause::Streaming, Cause::Output];
    assert_eq!(of(0, AccountedTime::Ttft, causes), [2000, 1000, 100, 0]);
    assert_eq!(of(0, AccountedTime::E2e, causes), [2000, 1000, 200, 0]);
    // The step of its prompt would have taken as long without it.
    let causes = [Cause::FrontEnd, Cause::QueueDecoding, Cause::PromptOthers, Cause::Streaming];
    assert_eq!(of(1, AccountedTime::Ttft, causes), [2000, 500, 1000, 200]);
}

#[test]
fn a_client_gives_up_a_request_in_the_front_end_which_works_in_vain() {
    let mut document =
        with_requests([4000.0, 0.0, 0.0], &[[0, 10, 1], [0, 10, 1], [0, 10, 1], [6000, 10, 1]]);
    document["workload"]["timeout_s"] = json!(0.007);
    let mut session = Session::start(scenario(&document), None, Audience::Batch).expect("a sound scenario").0;
    session.advance(Micros(6999), u64::MAX);
    let replica = &session.engine().replicas()[0];
    // Two are in the front end, and the last one: none of them waits for the engine.
    assert_eq!((replica.arriving(), replica.waiting(), replica.in_flight()), (3, 0, 3));
    session.advance(Micros::MAX, u64::MAX);
    session.engine().verify(true);
    // The last one is behind 12 ms of work for those before it, and would be tokenised at 16 ms.
    assert_eq!(all(&session, |r| r.left.get().unwrap().0), [5000, 7000, 7000, 13_000]);
    let timed_out = Some(DropReason::TimedOut);
    assert_eq!(all(&session, |r| r.drop), [None, timed_out, timed_out, timed_out]);
    assert_eq!(segments(&session, 1), [(SegmentKind::FrontEnd, 7000)]);
}

#[test]
fn requests_leave_the_front_end_of_a_replica_that_is_taken_away() {
    for (drain, left) in [("immediate", [5000, 6000, 6000]), ("wait", [5000, 9000, 13_000])] {
        let mut document = with_requests([4000.0, 0.0, 0.0], &[[0, 10, 1]; 3]);
        document["cluster"]["pools"][0]["scaling"] = json!({"drain": drain});
        document["edits"] = json!([{"at_us": 6000, "set": {"cluster.pools[0].replicas": 0}}]);
        assert_eq!(all(&ran(&document), |r| r.left.get().unwrap().0), left, "{drain}");
    }
}

#[test]
fn redirected_requests_go_through_another_front_end() {
    let mut document = with_requests([4000.0, 0.0, 0.0], &[[0, 10, 1]; 4]);
    document["cluster"]["pools"][0]["replicas"] = json!(2);
    document["cluster"]["pools"][0]["scaling"] = json!({"drain": "redirect"});
    document["edits"] = json!([{"at_us": 6000, "set": {"cluster.pools[0].replicas": 1}}]);
    let session = ran(&document);
    // In turn: the third and the fourth are in the front ends at 6 ms, and one of them goes behind the other.
    let left = all(&session, |r| r.left.get().unwrap().0);
    assert_eq!(left, [5000, 5000, 9000, 13_000]);
    assert_eq!(all(&session, |r| r.replica().unwrap().0), [0, 1, 0, 0]);
}

#[test]
fn a_time_of_zero_is_left_out_of_documents_and_blis_has_no_front_end() {
    let text = to_json(&scenario(cluster([0.0; 3])));
    assert!(!text.contains("front_end") && !text.contains("stream_us"), "{text}");
    let mut document = with_requests([4000.0, 1.0, 2.0], &[[0, 10, 1]]);
    document["cluster"]["compat"] = json!("blis");
    let problems = Session::start(scenario(&document), None, Audience::Batch).expect_err("a front end");
    let paths: Vec<&str> = problems.iter().map(|d| d.path.rsplit('.').next().unwrap()).collect();
    assert_eq!(paths, ["front_end_us", "front_end_us_per_prompt_token", "stream_us_per_token"]);
    // At the clock of the engine there is none either.
    let mut document = with_requests([4000.0, 1.0, 2.0], &[[0, 10, 1]]);
    document["cluster"]["pools"][0]["latency"]["calibrated"]["clock"] = json!("server");
    assert_eq!(all(&ran(&document), |r| r.ttft.get().unwrap().0), [1000]);
}

/// The scenario with a front end that is busy for a good part of the time.
fn with_front_ends(mut scenario: Scenario, [request, token]: [f64; 2]) -> Scenario {
    scenario.cluster.compat = Compat::None;
    for pool in &mut scenario.cluster.pools {
        let engine = EngineGeneration::Synchronous;
        let coefficients = CalibratedCoefficients {
            front_end_us: request,
            front_end_us_per_prompt_token: 3.0,
            stream_us_per_token: token,
            step_us: 500.0,
            step_us_per_layer: 1.0,
            queueing_us: 200.0,
            ..CalibratedCoefficients::default()
        };
        let coefficients = Some(coefficients);
        let settings = CalibratedSettings { engine, coefficients, ..CalibratedSettings::default() };
        pool.latency = LatencyModel::Calibrated(settings);
    }
    scenario
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    /// Nobody is lost, no token is shown before the one before it, every part of a request's time has a name, and a run that is cut
    /// into pieces is the same.
    #[test]
    fn a_front_end_loses_nobody_and_keeps_the_order(
        scenario in a_scenario(), request in 0.0..20_000.0_f64, token in 0.0..300.0_f64, cut in 1_u64..300,
    ) {
        let scenario = with_front_ends(scenario, [request, token]);
        let mut straight = started(&scenario, Audience::Batch);
        straight.advance(Micros::MAX, u64::MAX);
        sound(&straight);
        let mut sliced = started(&scenario, Audience::Batch);
        while sliced.advance(Micros::MAX, cut) != Stop::Finished {
            sliced.engine().verify(true);
        }
        prop_assert_eq!(straight.digest(), sliced.digest());
        for (i, r) in (0..).zip(straight.engine().records()) {
            if let Some(e2e) = r.e2e.get() {
                let parts: u64 = segments(&straight, i).iter().map(|(_, us)| us).sum();
                prop_assert_eq!(parts, e2e.0);
                prop_assert!(r.ttft.get().unwrap() <= e2e);
            }
        }
    }
}
