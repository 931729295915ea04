//! Laws of queueing theory beside runs: where a cluster is the queue of a law they agree, and where it is not the reason is named.

use crate::support::command;
use crate::support::documents::scenario;
use serde_json::{Value, json};
use tokenyard::study::compare::Outcomes;
use tokenyard::study::theory::{
    AssumptionKind as A, AssumptionVerdict, Law, LawFound, Measured, Theorist, Theory,
};

/// A pool of replicas with batches of at most `seqs` requests and steps of these microseconds: fixed, per prompt token, per decoding
/// request; and one client.
pub(super) fn queue(replicas: u32, seqs: u32, [step, prefill, decode]: [f64; 3], rate: f64) -> Value {
    json!({
        "run": { "horizon_s": 0, "warmup_s": 1, "max_requests": 40_000 },
        "cluster": { "pools": [{
            "replicas": replicas,
            "engine": { "max_num_seqs": seqs, "max_num_batched_tokens": 1 << 20 },
            "kv": { "blocks": 1 << 20, "prefix_caching": false },
            "latency": { "fitted": { "step_us": step, "step_us_per_prefill_token": prefill, "step_us_per_decode_token": decode } },
        }] },
        "workload": { "clients": [{
            "arrivals": { "poisson": { "rate_per_s": rate } },
            "prompt_tokens": { "constant": { "tokens": 16 } },
            "output_tokens": { "constant": { "tokens": 1 } },
        }] },
    })
}

/// The same with some values replaced, by pointer.
pub(super) fn with(mut s: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let object = s.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
        object.insert(key.to_owned(), value.clone());
    }
    s
}

const CLIENT: &str = "/workload/clients/0";
const POOL: &str = "/cluster/pools/0";

pub(super) fn client(field: &str) -> String {
    format!("{CLIENT}/{field}")
}

fn pool(field: &str) -> String {
    format!("{POOL}/{field}")
}

/// Exponential services of 1 ms on average.
pub(super) fn exponential(replicas: u32, rate: f64) -> Value {
    let lengths = json!({ "exponential": { "mean_tokens": 1000, "min_tokens": 1, "max_tokens": 1 << 19 } });
    with(queue(replicas, 1, [0.0, 1.0, 0.0], rate), &[(&client("prompt_tokens"), lengths)])
}

pub(super) fn theorist(s: &Value) -> Theorist {
    let scenario = scenario(s);
    let run = Outcomes::of_run(scenario.clone(), None).expect("it runs");
    Theorist::of_run(&scenario, &run).expect("it is a queue")
}

fn of(t: &Theory, law: Law) -> &LawFound {
    t.laws.iter().find(|l| l.law == law).expect("all laws are there")
}

/// The acceptance rule: three standard errors, or one per cent.
fn accept(what: &str, measured: Option<Measured>, exact: Option<f64>) {
    let (m, exact) = (measured.expect("it was measured"), exact.expect("the law gives it"));
    let error = m.error.expect("enough requests");
    let slack = (3.0 * error).max(0.01 * exact);
    assert!((m.mean - exact).abs() < slack, "{what}: {} +- {error} simulated, {exact} by the law", m.mean);
}

/// That a law is chosen, that nothing violates it, and that it says what the run shows.
fn agrees(s: &Value, law: Law) {
    let t = theorist(s).theory(None);
    let found = of(&t, law);
    let violated: Vec<_> =
        found.assumptions.iter().filter(|a| a.verdict == AssumptionVerdict::Violated).collect();
    assert_eq!((t.chosen, violated.len()), (law, 0), "{violated:?}");
    let (p, m) = (&found.predicted, &t.simulated);
    let name = law.name();
    accept(&format!("{name}, wait"), m.wait_ms, p.wait_ms);
    accept(&format!("{name}, TTFT"), m.ttft_ms, p.ttft_ms);
    accept(&format!("{name}, E2E"), m.e2e_ms, p.e2e_ms);
    if let (Some(itl), Some(exact)) = (m.itl_ms, p.itl_ms) {
        assert!((itl.mean / exact - 1.0).abs() < 0.01, "{name}, ITL: {} simulated, {exact}", itl.mean);
    }
}

#[test]
fn one_server_agrees_with_its_law() {
    agrees(&queue(1, 1, [1000.0, 0.0, 0.0], 600.0), Law::Md1);
    agrees(&exponential(1, 600.0), Law::Mm1);
    let two = json!({ "empirical": { "lengths": [{ "tokens": 4, "weight": 0.8 }, { "tokens": 34, "weight": 0.2 }] } });
    agrees(&with(queue(1, 1, [100.0, 0.0, 0.0], 600.0), &[(&client("output_tokens"), two)]), Law::Mg1);
}

#[test]
fn a_server_with_places_classes_or_delays_agrees_with_its_law() {
    let places = json!({ "concurrency-limit": { "max_in_flight": 5, "then": "reject" } });
    agrees(&with(exponential(1, 900.0), &[("/cluster/admission", places)]), Law::Mm1k);
    let class = |name: &str, class: &str, rate: f64, tokens: u32| {
        json!({ "name": name, "slo_class": class, "arrivals": { "poisson": { "rate_per_s": rate } },
                "prompt_tokens": { "constant": { "tokens": tokens } }, "output_tokens": { "constant": { "tokens": 1 } } })
    };
    let by_class = [
        (
            "/workload/clients",
            json!([class("a", "critical", 600.0, 500), class("b", "standard", 300.0, 1500)]),
        ),
        ("/cluster/pools/0/engine/scheduler", json!("priority-fcfs")),
        ("/cluster/pools/0/engine/priority", json!({ "slo-class": {} })),
    ];
    agrees(&with(queue(1, 1, [0.0, 1.0, 0.0], 0.0), &by_class), Law::Priority);
    // Delays outside the engine are part of what is measured, and of what is predicted.
    let mut delayed = queue(1, 1, [1000.0, 3.0, 7.0], 100.0);
    delayed = with(
        delayed,
        &[
            ("/cluster/admission_latency_us", json!(400)),
            ("/cluster/routing_latency_us", json!(300)),
            (&client("output_tokens"), json!({ "constant": { "tokens": 5 } })),
        ],
    );
    agrees(&delayed, Law::Md1);
}

#[test]
fn several_servers_agree_with_their_laws() {
    let routed = |router: Value| with(exponential(4, 2800.0), &[("/cluster/routing", router)]);
    agrees(&routed(json!("round-robin")), Law::RoundRobin);
    agrees(&routed(json!("least-loaded")), Law::ShortestQueue);
    agrees(&routed(json!("random")), Law::Mm1);
    let one_queue = json!({ "concurrency-limit": { "max_in_flight": 4, "then": "delay" } });
    let one_queue = [("/cluster/admission", one_queue)];
    agrees(&with(exponential(4, 2800.0), &one_queue), Law::Mmc);
    agrees(&with(queue(4, 1, [1000.0, 0.0, 0.0], 2800.0), &one_queue), Law::Mdc);
    let hundred =
        with(exponential(100, 70_000.0), &[("/cluster/routing", json!({ "power-of-d": { "d": 2 } }))]);
    agrees(
        &with(hundred, &[("/run/warmup_s", json!(0.2)), ("/run/max_requests", json!(250_000))]),
        Law::PowerOfD,
    );
}

#[test]
fn batches_agree_with_their_laws() {
    let long = |rate: f64, steps: [f64; 3]| {
        with(
            queue(1, 60_000, steps, rate),
            &[(&client("output_tokens"), json!({ "constant": { "tokens": 50 } }))],
        )
    };
    // Steps of constant length are servers for all requests of the batch.
    agrees(&long(20.0, [1000.0, 0.0, 0.0]), Law::Mdc);
    // A fixed part of 12 ms and 0.15 ms for each request.
    let s = with(
        long(60.0, [12_000.0, 50.0, 150.0]),
        &[(&client("prompt_tokens"), json!({ "constant": { "tokens": 64 } }))],
    );
    agrees(&with(s, &[("/run/max_requests", json!(20_000))]), Law::BatchServer);
}

#[test]
fn a_full_batch_agrees_with_the_law_of_the_limited_one() {
    // A batch of at most 16, nine tenths of what it carries full. By Lee and Longton's factor lengths count by their variance alone.
    let most = 16.0 / (100.0 * (12_000.0 + 16.0 * 150.0)) * 1e6;
    for (what, lengths) in [
        (
            "exponential",
            json!({ "exponential": { "mean_tokens": 100, "min_tokens": 1, "max_tokens": 1 << 15 } }),
        ),
        ("constant", json!({ "constant": { "tokens": 100 } })),
    ] {
        let s = with(
            queue(1, 16, [12_000.0, 50.0, 150.0], 0.9 * most),
            &[
                (&client("prompt_tokens"), json!({ "constant": { "tokens": 3 } })),
                (&client("output_tokens"), lengths),
            ],
        );
        let t = theorist(&s).theory(None);
        let found = of(&t, Law::LimitedBatch);
        let violated: Vec<_> =
            found.assumptions.iter().filter(|a| a.verdict == AssumptionVerdict::Violated).collect();
        assert_eq!((t.chosen, violated.len()), (Law::LimitedBatch, 0), "{violated:?}");
        let (p, m) = (&found.predicted, &t.simulated);
        let near = |metric: &str, measured: Option<Measured>, exact: Option<f64>, share: f64| {
            let (m, exact) = (measured.expect("it was measured"), exact.expect("it is stable"));
            let slack = (3.0 * m.error.unwrap_or(0.0)).max(share * exact);
            assert!((m.mean - exact).abs() < slack, "{what}, {metric}: {m:?} simulated, {exact} by the law");
        };
        near("ITL", m.itl_ms, p.itl_ms, 0.02);
        near("TTFT", m.ttft_ms, p.ttft_ms, 0.1);
        near("E2E", m.e2e_ms, p.e2e_ms, 0.05);
    }
}

#[test]
fn users_who_think_agree_with_the_law_of_the_closed_loop() {
    // Ten users begin within a tenth of a second, think for 9 services on average, and ask again.
    let users = json!({
        "arrivals": { "constant": { "rate_per_s": 100.0 } },
        "rate_profile": { "windows": { "windows": [{ "start_s": 0.0, "end_s": 0.105 }] } },
        "prompt_tokens": { "exponential": { "mean_tokens": 1000, "min_tokens": 1, "max_tokens": 1 << 19 } },
        "output_tokens": { "constant": { "tokens": 1 } },
        "conversation": {
            "rounds": { "constant": { "rounds": 1000 } }, "think_time": { "exponential": { "mean_s": 0.009 } },
            "clock": "closed", "context_growth": "none",
        },
    });
    let run = json!({ "horizon_s": 10, "warmup_s": 1 });
    let closed = [("/workload/clients", json!([users])), ("/run", run)];
    agrees(&with(exponential(1, 1.0), &closed), Law::ClosedLoop);
}

#[test]
fn steps_that_cost_by_the_request_agree_with_processor_sharing() {
    // Half loaded by answers of 200 tokens at 20 us; the first token takes 1 us of prompt.
    let s = with(
        queue(1, 60_000, [0.0, 1.0, 20.0], 125.0),
        &[
            (&client("prompt_tokens"), json!({ "constant": { "tokens": 1 } })),
            (&client("output_tokens"), json!({ "constant": { "tokens": 200 } })),
        ],
    );
    let t = theorist(&s).theory(None);
    let found = of(&t, Law::ProcessorSharing);
    assert_eq!(t.chosen, Law::ProcessorSharing);
    let (itl, e2e) = (t.simulated.itl_ms.expect("tokens"), t.simulated.e2e_ms.expect("requests"));
    let exact = [found.predicted.itl_ms, found.predicted.e2e_ms].map(|x| x.expect("it is stable"));
    // Two per cent for whole steps: a new request waits for the current step.
    for (what, simulated, exact) in [("ITL", itl.mean, exact[0]), ("E2E", e2e.mean, exact[1])] {
        assert!((simulated / exact - 1.0).abs() < 0.02, "{what}: {simulated} simulated, {exact} by the law");
    }
}

#[test]
fn the_closed_form_has_the_itl_of_a_large_fixed_part_and_a_ttft_that_is_too_short() {
    let s = with(
        queue(1, 60_000, [12_000.0, 50.0, 150.0], 60.0),
        &[
            (&client("prompt_tokens"), json!({ "constant": { "tokens": 64 } })),
            (&client("output_tokens"), json!({ "constant": { "tokens": 50 } })),
            ("/run/max_requests", json!(20_000)),
        ],
    );
    let t = theorist(&s).theory(None);
    let predicted = &of(&t, Law::ClosedForm).predicted;
    let of_run = |m: Option<Measured>| m.expect("it was measured").mean;
    let [itl, ttft] = [of_run(t.simulated.itl_ms), of_run(t.simulated.ttft_ms)];
    let [itl_of_law, ttft_of_law] = [predicted.itl_ms, predicted.ttft_ms].map(|x| x.expect("it is stable"));
    assert!((itl / itl_of_law - 1.0).abs() < 0.02, "ITL: {itl} simulated, {itl_of_law} by the closed form");
    // The first arrival waits for the rest of a step, which the closed form ignores.
    assert!(ttft > ttft_of_law + 3.0, "TTFT: {ttft} simulated, {ttft_of_law} by the closed form");
}

/// What is said of an assumption.
fn said(t: &Theory, law: Law, kind: A) -> (AssumptionVerdict, String) {
    let a = of(t, law).assumptions.iter().find(|a| a.kind == kind).expect("the law assumes it");
    (a.verdict, a.text.clone())
}

fn short(s: Value) -> Value {
    with(s, &[("/run/max_requests", json!(4000))])
}

/// That a scenario violates an assumption of a law, in these words.
fn violates(s: Value, law: Law, kind: A, words: &str) {
    let t = theorist(&short(s)).theory(Some(law));
    let (verdict, text) = said(&t, law, kind);
    assert!(verdict == AssumptionVerdict::Violated && text.contains(words), "{kind:?}: {verdict:?}, {text}");
    assert_eq!(t.chosen, law);
}

#[test]
fn traffic_that_is_not_that_of_the_law_is_named() {
    let md1 = || queue(1, 1, [1000.0, 0.0, 0.0], 400.0);
    let arrivals = |a: Value| with(md1(), &[(&client("arrivals"), a)]);
    let bursts = arrivals(json!({ "gamma": { "rate_per_s": 400, "cv": 2.1 } }));
    violates(bursts, Law::Md1, A::PoissonArrivals, "arrivals are not Poisson: CV of the gaps 2.");
    violates(
        arrivals(json!({ "constant": { "rate_per_s": 400 } })),
        Law::Md1,
        A::PoissonArrivals,
        "CV of the gaps 0.00",
    );
    let windows =
        json!({ "windows": { "windows": [{ "start_s": 0, "end_s": 2 }, { "start_s": 5, "end_s": 9 }] } });
    let on_and_off = with(md1(), &[(&client("rate_profile"), windows), ("/run/warmup_s", json!(0))]);
    violates(on_and_off, Law::Md1, A::SteadyRate, "the rate is not steady: it drifts");
    let conversation = json!({ "clock": "closed", "think_time": { "exponential": { "mean_s": 0.1 } } });
    let talks = with(
        md1(),
        &[
            (&client("conversation"), conversation),
            ("/workload/clients/0/arrivals/poisson/rate_per_s", json!(20)),
        ],
    );
    violates(talks.clone(), Law::Md1, A::OpenArrivals, "wait for their answers");
    violates(talks, Law::ClosedLoop, A::ClosedUsers, "users come and go");
    violates(
        queue(1, 1, [1000.0, 0.0, 0.0], 1200.0),
        Law::Md1,
        A::StableLoad,
        "the queue grows without bound",
    );
    let refuses = json!({ "concurrency-limit": { "max_in_flight": 1, "then": "reject" } });
    violates(with(md1(), &[("/cluster/admission", refuses)]), Law::Md1, A::NobodyLost, "refused or dropped");
    violates(md1(), Law::Mm1k, A::LimitedPlaces, "not limited");
    violates(md1(), Law::Mm1, A::ExponentialService, "services are not exponential: CV 0.00");
    violates(exponential(1, 400.0), Law::Md1, A::ConstantService, "services are not constant: CV ");
}

#[test]
fn clusters_that_are_not_those_of_the_law_are_named() {
    let four = || exponential(4, 1600.0);
    violates(four(), Law::Mg1, A::RandomSplit, "the router is not random: it is least-loaded");
    violates(four(), Law::RoundRobin, A::RouterOfLaw, "the router is least-loaded, not round robin");
    let two_of_four = with(four(), &[("/cluster/routing", json!({ "power-of-d": {} }))]);
    violates(two_of_four, Law::PowerOfD, A::ManyServers, "few servers: 4");
    let stale = with(four(), &[("/cluster/snapshot_refresh_us", json!(50_000))]);
    violates(stale, Law::ShortestQueue, A::FreshSignals, "up to 50 ms before");
    violates(four(), Law::Mmc, A::OneQueue, "a queue each");
    let sjf = with(exponential(1, 400.0), &[("/cluster/pools/0/engine/scheduler", json!("sjf"))]);
    violates(sjf, Law::Mg1, A::ServedInOrder, "not served in order of arrival: sjf");
    violates(exponential(1, 400.0), Law::Priority, A::ServedByClass, "not served by class");
    violates(queue(1, 8, [1000.0, 0.0, 10.0], 400.0), Law::Md1, A::OneAtATime, "up to 8 requests at a time");
    let mut pools = queue(2, 1, [1000.0, 0.0, 0.0], 800.0);
    let mut other = pools["cluster"]["pools"][0].clone();
    other["name"] = json!("other");
    pools["cluster"]["pools"].as_array_mut().expect("a list").push(other);
    violates(pools, Law::Md1, A::AlikeReplicas, "of 2 pools");
    let edit = json!([{ "at_us": 2_000_000, "set": { "cluster.pools[0].replicas": 2 } }]);
    violates(
        with(exponential(1, 400.0), &[("/edits", edit)]),
        Law::Mg1,
        A::NoEdits,
        "1 edit changes the run",
    );
}

#[test]
fn batches_that_are_not_those_of_the_law_are_named() {
    let law = Law::BatchServer;
    let lengths = |s: Value, prompt: u32, output: u32| {
        let constant = |tokens: u32| json!({ "constant": { "tokens": tokens } });
        with(s, &[(&client("prompt_tokens"), constant(prompt)), (&client("output_tokens"), constant(output))])
    };
    let batch = |rate: f64| lengths(queue(1, 64, [10_000.0, 20.0, 100.0], rate), 64, 40);
    violates(lengths(batch(20.0), 64, 3), law, A::ManySteps, "answers are short: 3.0 steps");
    violates(
        lengths(batch(5.0), 4096, 40),
        law,
        A::ShortPrompts,
        "prompts are long: one adds 81.9 ms to a step of 10.0 ms",
    );
    let chunked = with(
        lengths(batch(5.0), 4096, 40),
        &[("/cluster/pools/0/engine/max_num_batched_tokens", json!(2048))],
    );
    violates(chunked, law, A::WholePrompts, "prompts are chunked: 100.0 %");
    violates(
        with(batch(200.0), &[("/cluster/pools/0/engine/max_num_seqs", json!(8))]),
        law,
        A::BatchNotFull,
        "batch limit reached: 8 requests",
    );
    violates(batch(20.0), Law::ProcessorSharing, A::NoFixedPart, "a step has a fixed part: 10.00 ms");
    let cached = [
        (&*pool("kv/prefix_caching"), json!(true)),
        (&*client("prefix"), json!({ "groups": 2, "tokens": 512 })),
    ];
    violates(with(batch(20.0), &cached), law, A::NoReuse, "prefix cache on: it saves ");
    let tight = with(batch(120.0), &[(&pool("kv/blocks"), json!(60))]);
    violates(tight, law, A::NoPreemption, "requests are preempted: ");
}

#[test]
fn presets_name_what_no_law_has() {
    let preset = |name: &str| {
        let found = tokenyard::scenario::preset::Preset::named(name).expect("a preset");
        let mut s: Value = serde_json::from_str(found.text).expect("JSON");
        s["run"]["horizon_s"] = json!(60);
        s
    };
    let t = theorist(&preset("spike-cold-starts")).theory(None);
    assert_eq!(said(&t, t.chosen, A::FixedReplicas).0, AssumptionVerdict::Violated);
    let t = theorist(&preset("chat-4xh100")).theory(None);
    assert_eq!(t.chosen, Law::BatchServer);
    assert_eq!(said(&t, t.chosen, A::RandomSplit).0, AssumptionVerdict::Violated);
    assert_eq!(said(&t, t.chosen, A::BatchNotFull).1, "batch limit reached: 40 requests");
}

#[test]
fn a_line_over_time_has_the_law_at_the_rate_of_each_stretch() {
    let windows =
        json!({ "windows": { "windows": [{ "start_s": 0, "end_s": 20 }, { "start_s": 30, "end_s": 60 }] } });
    let s = with(
        queue(1, 1, [1000.0, 0.0, 0.0], 500.0),
        &[(&client("rate_profile"), windows), ("/run/max_requests", json!(20_000))],
    );
    let t = theorist(&s);
    let line = t.line(Law::Md1);
    let n = line.t_s.len();
    assert!(n > 50 && [line.ttft_ms.len(), line.e2e_ms.len(), line.violated.len()] == [n; 3]);
    for (i, rate) in line.rate_per_s.iter().enumerate() {
        assert_eq!(line.ttft_ms[i], t.at(Law::Md1, *rate).ttft_ms);
    }
    assert!(line.violated.iter().any(|v| *v) && line.violated.iter().any(|v| !v), "{:?}", line.violated);
    // Without arrivals, a request would find an idle server.
    let idle = line.rate_per_s.iter().position(|rate| *rate < 1.0).expect("the pause");
    assert_eq!(line.ttft_ms[idle], Some(1.0));
}

#[test]
fn the_command_prints_the_same_and_refuses_a_law_it_does_not_know() {
    let args = ["theory", "chat-4xh100", "--set", "run.horizon_s=30"];
    let out = command::run(&[&args[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&command::stdout(&out)).expect("JSON");
    assert_eq!(found["chosen"], "batch-server");
    assert_eq!(found["laws"].as_array().map(Vec::len), Some(Law::ALL.len()));
    let text = command::stdout(&command::run(&[&args[..], &["--law", "mg1"]].concat()));
    assert!(
        text.contains("* M/G/1 (mg1): the cluster does not have the structure that this law assumes"),
        "{text}"
    );
    assert!(text.contains("violated  a replica serves up to 40 requests at a time"), "{text}");
    let out = command::run(&[&args[..], &["--law", "mm2"]].concat());
    assert_eq!(out.status.code(), Some(2));
    let said = command::stderr(&out);
    assert!(said.contains("--law") && said.contains("\"mm2\"") && said.contains("batch-server"), "{said}");
}
