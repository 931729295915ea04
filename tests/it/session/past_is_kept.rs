//! An edit changes only the future. The past stays unchanged: the cost of tokens, the parts of latencies, the cost of
//! hours, what an autoscaler learnt.

use crate::support;
use crate::support::documents::scenario;
use crate::support::{run, start};
use serde_json::{Value, json};
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::base::{Micros, Span};
use tokenyard::engine::{Fact, ReplicaFact, RequestFact, ScalingRecord, Sink};
use tokenyard::scenario::Scenario;
use tokenyard::session::report::SlowRequest;
use tokenyard::session::{Report, Session};

fn report(s: &Scenario) -> Report {
    let mut session = start(s);
    session.advance(Micros::MAX, u64::MAX);
    session.report_data()
}

fn sum(r: &SlowRequest) -> u64 {
    r.parts.iter().map(|part| part.us).sum()
}

/// One replica with steps of `step_us`, and one request at 1 s with 20 tokens.
fn one_request(compat: &str, step_us: u64, output_us: u64, edits: &Value) -> Scenario {
    scenario(json!({
        "run": {"horizon_s": 60, "warmup_s": 0},
        "cluster": {"compat": compat, "pools": [{"replicas": 1, "kv": {"blocks": 4000},
            "latency": {"fitted": {"step_us": step_us, "output_us_per_token": output_us}}}]},
        "workload": {"clients": [], "requests": [
            {"id": "a", "arrival_us": 1_000_000, "prompt": [{"text": 1, "tokens": 50}], "output": {"tokens": 20}}]},
        "edits": edits,
    }))
}

const OUTPUT: &str = "cluster.pools[0].latency.fitted.output_us_per_token";

#[test]
fn a_token_costs_what_it_cost_when_it_was_shown() {
    for compat in ["none", "blis"] {
        let steps = report(&one_request(compat, 1000, 0, &json!([]))).slowest[0].e2e_us;
        for [old, new] in [[0, 500], [500, 0], [2000, 0], [0, 1_000_000], [100_000, 0], [10_000, 3]] {
            // Between two steps, within one, and before and after all of them.
            for at in [900_000, 1_000_500, 1_010_500, 1_011_000, 1_019_900, 3_000_000] {
                let edits = json!([{"at_us": at, "set": {OUTPUT: new}}]);
                let s = one_request(compat, 1000, old, &edits);
                let (engine, story) = run(&s);
                let (mut gaps, mut ttft) = (0, 0);
                for (_, fact) in &story.facts {
                    match fact {
                        Fact::Request(RequestFact::FirstToken { ttft: time, .. }) => ttft = time.0,
                        Fact::Replica(ReplicaFact::Tokens { itl, count, .. }) => {
                            gaps += itl.0 * u64::from(*count);
                        }
                        _ => {}
                    }
                }
                let record = engine.records().at(0);
                let told = format!("{compat}: {old} to {new} us at {at}");
                assert_eq!(record.e2e.get(), Some(Span(ttft + gaps)), "{told}");
                let slowest = &report(&s).slowest[0];
                assert_eq!((slowest.e2e_us, sum(slowest)), (ttft + gaps, ttft + gaps), "{told}");
                // Its steps take as long whatever its tokens cost.
                let output = slowest.parts.iter().find(|part| part.kind.name() == "output processing");
                assert_eq!(output.map_or(0, |part| part.us), ttft + gaps - steps, "{told}");
            }
        }
    }
}

#[test]
fn another_latency_model_does_not_end_a_request_before_its_first_token() {
    let exchange =
        json!([{"at_us": 1_001_500, "set": {"cluster.pools[0].latency": {"fitted": {"step_us": 700}}}}]);
    let r = report(&one_request("none", 1000, 800_000, &exchange));
    let slowest = &r.slowest[0];
    assert!(slowest.ttft_us <= slowest.e2e_us && sum(slowest) == slowest.e2e_us, "{slowest:?}");
}

/// A live edit leaves more decoders than one step serves: those that sit out a step have their next token later.
#[test]
fn requests_that_sit_out_steps_have_whole_accounts() {
    for compat in ["none", "blis"] {
        for tokens in [1, 2, 7] {
            let s = scenario(json!({
                "run": {"horizon_s": 0, "warmup_s": 0},
                "cluster": {"compat": compat, "pools": [{"replicas": 1, "kv": {"blocks": 4000},
                    "latency": {"fitted": {"step_us": 5000, "output_us_per_token": 30}}}]},
                "workload": {"clients": [{"name": "c", "arrivals": {"poisson": {"rate_per_s": 60}},
                    "prompt_tokens": {"constant": {"tokens": 5}}, "output_tokens": {"exponential": {"mean_tokens": 25, "min_tokens": 2, "max_tokens": 60}}}]},
                "edits": [
                    {"at_us": 726_724, "set": {"cluster.pools[0].engine.max_num_batched_tokens": tokens}},
                    {"at_us": 1_500_000, "set": {"cluster.pools[0].engine.max_num_batched_tokens": 500}}],
            }));
            let mut s = s;
            s.run.max_requests = 150;
            let (engine, story) = run(&s);
            for (at, fact) in &story.facts {
                let Fact::Request(RequestFact::Completed { request, e2e, .. }) = fact else { continue };
                let r = engine.records().at(request.index());
                let whole = at.since(r.arrival).0 + 30 * u64::from(r.generated);
                // BLIS adds up gaps, and has none for a step without a token.
                assert!(e2e.0 == whole || compat == "blis", "{compat}, {tokens}: {request:?}");
            }
            for slow in &report(&s).slowest {
                assert_eq!(sum(slow), slow.e2e_us, "{compat}, {tokens}: {slow:?}");
            }
        }
    }
}

#[test]
fn output_processing_is_no_part_of_a_request_that_has_none() {
    for compat in ["none", "blis"] {
        let slowest = &report(&one_request(compat, 1000, 0, &json!([]))).slowest[0];
        let kinds: Vec<&str> = slowest.parts.iter().map(|part| part.kind.name()).collect();
        assert!(
            kinds.ends_with(&["prefill", "decode"]) && sum(slowest) == slowest.e2e_us,
            "{compat}: {slowest:?}"
        );
    }
}

/// How long the gateway takes is edited while requests are on their way through it.
#[test]
fn the_way_through_the_gateway_stays_what_it_was() {
    let of = |edits: Value| {
        let mut s = one_request("none", 1000, 0, &edits);
        s.cluster.admission_latency_us = 300;
        s.cluster.routing_latency_us = 200;
        report(&s).slowest[0].clone()
    };
    let known = of(json!([]));
    let parts: Vec<(&str, u64)> = known.parts.iter().map(|part| (part.kind.name(), part.us)).collect();
    assert_eq!(parts[..2], [("admission", 300), ("router", 200)]);
    for at in [1_000_000, 1_000_100, 1_000_400, 1_000_600, 1_010_000, 40_000_000] {
        let latencies = json!({"cluster.routing_latency_us": 7_000_000, "cluster.admission_latency_us": 0});
        let edited = of(
            json!([{"at_us": at, "after_events": if at == 1_000_000 { 1 } else { 99_999 }, "set": latencies}]),
        );
        let expected = if at < 1_000_300 { 7_000_000 } else { 200 };
        let router = edited.parts.iter().find(|part| part.kind.name() == "router").map_or(0, |part| part.us);
        assert_eq!((edited.parts[0].us, router, sum(&edited)), (300, expected, edited.e2e_us), "at {at}");
    }
}

#[test]
fn hours_cost_what_they_cost_when_they_passed() {
    let usd = |edits: Value| {
        let mut document = json!({
            "run": {"horizon_s": 7200, "warmup_s": 0},
            "cluster": {"pools": [{"name": "own", "replicas": 2, "latency": {"fitted": {}}, "kv": {"blocks": 4000},
                "hardware": {"usd_per_hour": 3}}]},
            "workload": {"clients": [{"name": "c", "arrivals": {"constant": {"rate_per_s": 1}},
                "output_tokens": {"constant": {"tokens": 2}}}]},
        });
        document["edits"] = edits;
        let r = report(&scenario(document));
        (r.cost.usd, r.cost.gpu_seconds, r.pools[0].usd)
    };
    let (plain, seconds, of_pool) = usd(json!([]));
    assert!(plain.is_some_and(|usd| (usd - 12.0).abs() < 0.01) && plain == of_pool, "{plain:?}");
    let (dearer, same, of_pool) = usd(json!([
        {"at_us": 3_600_000_000_u64, "set": {"cluster.pools[0].hardware.usd_per_hour": 30}},
        {"at_us": 5_400_000_000_u64, "set": {"cluster.pools[0].hardware.usd_per_hour": 0.5}},
    ]));
    assert!(dearer.is_some_and(|usd| (usd - (6.0 + 30.0 + 0.5)).abs() < 0.05), "{dearer:?}");
    assert_eq!((same.to_bits(), of_pool), (seconds.to_bits(), dearer));
    // An hour without a price leaves the sum unknown, though there is one now.
    let (unknown, ..) = usd(json!([
        {"at_us": 1_000_000_000_u64, "set": {"cluster.pools[0].hardware.usd_per_hour": 0}},
        {"at_us": 4_600_000_000_u64, "set": {"cluster.pools[0].hardware.usd_per_hour": 3}},
    ]));
    assert_eq!(unknown, None);
}

/// Keeps what autoscalers decided.
#[derive(Default)]
struct Decided(Vec<ScalingRecord>);

impl Sink for Decided {
    fn fact(&mut self, _: Micros, _: Fact) {}

    fn scaled(&mut self, record: &ScalingRecord) {
        self.0.push(record.clone());
    }
}

/// Updates that the filter of the queueing model accepted, and the name of what else happened, by decision.
fn learnt(policy: &Value, set: &Value) -> Vec<(Micros, Option<&'static str>)> {
    let s = scenario(json!({
        "run": {"horizon_s": 900, "warmup_s": 0},
        "cluster": {"pools": [{"name": "p", "replicas": 3, "latency": {"fitted": {"step_us": 7000, "step_us_per_prefill_token": 40}},
            "kv": {"blocks": 6000}, "scaling": {"policy": {"wva-queueing-model": policy}, "min": 1, "max": 6}}]},
        "workload": {"clients": [{"name": "c", "arrivals": {"poisson": {"rate_per_s": 12}},
            "output_tokens": {"constant": {"tokens": 60}}}]},
        "edits": [{"at_us": 600_500_000, "set": set}],
    }));
    let (mut plan, mut cluster, mut decided) = (support::plan(&s), support::cluster(&s), Decided::default());
    cluster.advance(Micros(600_500_000), u64::MAX, &mut decided);
    support::adopt(&mut cluster, &mut plan, &s.edits[0].change(), Micros(600_500_000), &mut decided);
    cluster.advance(Micros::MAX, u64::MAX, &mut decided);
    let event = |r: &ScalingRecord| {
        let estimate = r.estimate.as_ref()?;
        estimate.event.map(tokenyard::queueing::Event::name)
    };
    decided.0.iter().map(|r| (r.at, event(r))).collect()
}

#[test]
fn an_edit_of_scaling_keeps_what_a_filter_of_the_same_kind_learnt() {
    let guesses_after = |set: Value| {
        let all = learnt(&json!({}), &set);
        assert!(all.iter().any(|(at, event)| at.0 < 600_000_000 && *event == Some("guessed")), "{all:?}");
        all.iter().filter(|(at, event)| at.0 > 600_500_000 && *event == Some("guessed")).count()
    };
    let scaling = |field: &str| format!("cluster.pools[0].scaling.{field}");
    assert_eq!(guesses_after(json!({scaling("hold_s"): 50})), 0);
    assert_eq!(guesses_after(json!({scaling("max"): 9, scaling("policy.wva-queueing-model.up"): 0.8})), 0);
    assert!(guesses_after(json!({scaling("policy.wva-queueing-model.mode"): "as-coded"})) > 0);
}

#[test]
fn any_edits_of_speed_leave_every_account_whole() {
    let mut draws = Stream::new(34, Purpose::Ties, 1);
    for case in 0..30 {
        let mut below = |n: u32| draws.below(n);
        let compat = if case % 2 == 0 { "none" } else { "blis" };
        let edits: Vec<Value> = (0..6)
            .map(|k| {
                let set = match below(5) {
                    0 => json!({"cluster.pools[0].engine.max_num_batched_tokens": 1 + below(40)}),
                    1 => json!({"cluster.routing_latency_us": below(200_000)}),
                    2 => json!({"cluster.admission_latency_us": below(200_000)}),
                    3 => json!({"cluster.pools[0].kv.blocks": 40 + below(400)}),
                    _ => json!({OUTPUT: below(60_000)}),
                };
                json!({"at_us": 300_000 * (k + 1) + below(250_000), "set": set})
            })
            .collect();
        let s = scenario(json!({
            "run": {"horizon_s": 4, "warmup_s": 0},
            "cluster": {"compat": compat, "routing_latency_us": 3000, "pools": [{"name": "p", "replicas": 2, "kv": {"blocks": 300},
                "latency": {"fitted": {"step_us": 4000, "step_us_per_prefill_token": 9, "output_us_per_token": 5000}}}]},
            "workload": {"clients": [{"name": "c", "arrivals": {"poisson": {"rate_per_s": 40}},
                "prompt_tokens": {"exponential": {"mean_tokens": 120, "min_tokens": 5, "max_tokens": 300}},
                "output_tokens": {"exponential": {"mean_tokens": 20, "min_tokens": 1, "max_tokens": 50}}}]},
            "edits": edits,
        }));
        let mut session: Session = start(&s);
        session.advance(Micros::MAX, u64::MAX);
        let engine = session.engine();
        engine.verify(true);
        for slow in &session.report_data().slowest {
            assert_eq!(sum(slow), slow.e2e_us, "case {case}: {slow:?}");
        }
        for (i, r) in engine.records().iter().enumerate() {
            let (Some(ttft), Some(e2e)) = (r.ttft.get(), r.e2e.get()) else { continue };
            assert_eq!(r.itl_sum, Span(e2e.0 - ttft.0));
            let detail = session.inspect(i as u32).expect("it is known");
            let told: u64 = detail.segments.iter().map(|s| s.to_us - s.from_us).sum();
            assert_eq!(told, e2e.0, "case {case}: #{i}");
        }
    }
}
