//! Valid scenarios at the ends of what is allowed: every setting at its smallest and its largest, and pairs of them.
//!
//! None may panic, run backward or lose a request. Each runs for a bounded number of events, which is enough to reach the
//! instants and sums that only such figures lead to.

use crate::support::edit;
use serde_json::{Value, json};
use tokenyard::base::{Diagnostic, Diagnostics, Micros, Severity};
use tokenyard::scenario::parse;
use tokenyard::session::view::FrameQuery;
use tokenyard::session::{Audience, Session};

/// Events of one run.
const EVENTS: u64 = 1500;

/// A setting: its path, its smallest and its largest value.
type Dial = (&'static str, Value, Value);

const DAY_30_US: u64 = 2_592_000_000_000;
const HOUR_US: u64 = 3_600_000_000;

/// A latency model whose figures are all `us`.
fn all_figures(model: &str, us: f64) -> Value {
    let mut figures = json!({
        "queueing_us": us, "queueing_us_per_prompt_token": us, "output_us_per_token": us,
    });
    let own: &[&str] = match model {
        "fitted" => &["step_us", "step_us_per_prefill_token", "step_us_per_decode_token"],
        "roofline" => &["step_us", "step_us_per_layer", "all_reduce_us"],
        "cross-model" => &[
            "step_us_per_layer",
            "step_us_per_decode_token_and_million_keys",
            "step_us_per_token_with_experts",
            "step_us_with_tensor_parallelism",
        ],
        _ => &[],
    };
    for name in own {
        figures[*name] = json!(us);
    }
    if model == "roofline" {
        let share = if us > 0.0 { 0.001 } else { 1.0 };
        for name in ["prefill_efficiency", "decode_efficiency", "bandwidth_efficiency"] {
            figures[name] = json!(share);
        }
    }
    if model == "piecewise" {
        let rate = if us > 0.0 { 0.01 } else { 1e9 };
        let names = ["prefill_tokens_per_s", "single_decode_tokens_per_s", "saturated_decode_tokens_per_s"];
        for name in names {
            figures[name] = json!(rate);
        }
    }
    json!({ model: figures })
}

fn shape(largest: bool) -> Value {
    let of = |least: u64, most: u64| if largest { most } else { least };
    json!({
        "layers": of(1, 1024), "hidden": of(1, 1_048_576), "heads": of(1, 4096), "kv_heads": of(1, 4096),
        "head_dim": of(1, 1_048_576), "intermediate": of(1, 1_048_576), "vocab": of(1, 16_777_216),
        "experts": of(0, 4096), "experts_per_token": of(0, 4096), "expert_intermediate": of(0, 1_048_576),
        "bytes_per_param": if largest { 8.0 } else { 0.25 }, "bytes_per_kv_value": if largest { 8.0 } else { 0.25 },
    })
}

fn hardware(largest: bool) -> Value {
    let of = |least: f64, most: f64| if largest { most } else { least };
    json!({
        "memory_gib": of(1.0, 65_536.0), "tflops": of(0.1, 1e6), "bandwidth_tb_per_s": of(0.001, 10_000.0),
        "usd_per_hour": of(0.0, 100_000.0),
    })
}

fn lengths(kind: &str, most: u32) -> Value {
    let mut own = match kind {
        "constant" => return json!({"constant": {"tokens": most}}),
        "lognormal" => json!({"median_tokens": most, "sigma": 4.0}),
        _ => json!({"mean_tokens": most}),
    };
    own["min_tokens"] = json!(1);
    own["max_tokens"] = json!(most);
    json!({ kind: own })
}

fn fleet() -> Vec<Dial> {
    vec![
        ("/cluster/compat", json!("none"), json!("blis")),
        ("/cluster/pools/0/replicas", json!(1), json!(300)),
        ("/cluster/pools/0/tp", json!(1), json!(64)),
        ("/cluster/pools/0/architecture", shape(false), shape(true)),
        ("/cluster/pools/0/hardware", hardware(false), hardware(true)),
        ("/cluster/pools/0/engine/max_num_seqs", json!(1), json!(65_536)),
        ("/cluster/pools/0/engine/max_num_batched_tokens", json!(1), json!(1_048_576)),
        ("/cluster/pools/0/engine/long_prefill_threshold_tokens", json!(1), json!(1_048_576)),
        ("/cluster/pools/0/engine/scheduler", json!("sjf"), json!("priority-fcfs")),
        (
            "/cluster/pools/0/engine/priority",
            json!({"tenant-priority": {"tenants": [{"tenant": "a", "priority": i32::MIN}], "others": i32::MAX}}),
            json!({"deadline-aware": {"standard_ms": u32::MAX}}),
        ),
        ("/cluster/pools/0/kv/blocks", json!(1), json!(4_194_304)),
        ("/cluster/pools/0/kv/block_tokens", json!(1), json!(1024)),
        ("/cluster/pools/0/kv/prefix_caching", json!(false), json!(true)),
        ("/cluster/pools/0/kv/cpu_blocks", json!(1), json!(4_194_304)),
        ("/cluster/pools/0/kv/offload_threshold", json!(0.0), json!(1.0)),
        ("/cluster/pools/0/kv/transfer_tokens_per_us", json!(1e-6), json!(1e9)),
        ("/cluster/pools/0/kv/transfer_base_us", json!(0), json!(HOUR_US)),
        ("/cluster/pools/0/latency", all_figures("fitted", 0.0), all_figures("fitted", 1e9)),
        ("/cluster/pools/0/latency", all_figures("roofline", 0.0), all_figures("roofline", 1e9)),
        ("/cluster/pools/0/latency", all_figures("cross-model", 0.0), all_figures("cross-model", 1e9)),
        ("/cluster/pools/0/latency", all_figures("piecewise", 0.0), all_figures("piecewise", 1e9)),
        ("/cluster/snapshot_refresh_us", json!(1), json!(HOUR_US)),
        ("/cluster/admission_latency_us", json!(0), json!(HOUR_US)),
        ("/cluster/routing_latency_us", json!(0), json!(HOUR_US)),
    ]
}

fn policies() -> Vec<Dial> {
    let bucket = |tokens: f64| json!({"token-bucket": {"capacity_tokens": tokens, "refill_tokens_per_s": tokens, "then": "delay"}});
    let rate =
        |per_s: f64, burst| json!({"rate-limit": {"requests_per_s": per_s, "burst": burst, "then": "delay"}});
    let quota = |most| json!({"tenant-quota": {"max_in_flight": most, "then": "delay"}});
    let escalation = |x: f64| json!({"cost-escalation": {"base": x, "queue": x, "kv": x, "decay_per_s": x}});
    let weighted = |x: f64, index| {
        json!({"weighted": {"profile": "custom", "scorers": [
            {"scorer": "prefix-affinity", "weight": x}, {"scorer": "load-balance", "weight": 1e6},
            {"scorer": "no-hit-lru", "weight": x},
        ], "prefix_index_blocks": index}})
    };
    let affinity = |most| json!({"session-affinity": {"mode": "sticky", "max_sessions": most}});
    vec![
        ("/cluster/admission", bucket(1e-6), bucket(1e12)),
        ("/cluster/admission", rate(1e-6, 1), rate(100_000.0, 5_000_000)),
        ("/cluster/admission", quota(1), quota(5_000_000)),
        ("/cluster/routing", escalation(0.0), escalation(1e6)),
        ("/cluster/routing", weighted(1e-6, 1), weighted(1e6, 4_194_304)),
        ("/cluster/routing", affinity(1), affinity(1_000_000)),
        ("/cluster/routing", json!({"power-of-d": {"d": 1}}), json!({"power-of-d": {"d": 1024}})),
        ("/cluster/routing", json!("prefix-aware"), json!("prefix-overlap")),
    ]
}

fn traffic() -> Vec<Dial> {
    let poisson = |rate_per_s: f64| json!({"poisson": {"rate_per_s": rate_per_s}});
    let gamma = |cv: f64| json!({"gamma": {"rate_per_s": 100_000.0, "cv": cv}});
    let talk = |rounds: u32, think_s: f64, clock: &str| {
        json!({"rounds": {"constant": {"rounds": rounds}}, "think_time": {"constant": {"think_s": think_s}},
            "clock": clock, "max_context_tokens": 1_048_576})
    };
    let factors = |factor: f64, repeat_s: f64| json!({"ramps": {"points": [{"at_s": 0.0, "factor": factor}, {"at_s": 0.000_001, "factor": 0.0}], "repeat_s": repeat_s}});
    let listed = |tokens: u32, arrival_us: u64| {
        let request = |id: &str, tenant: &str| {
            json!({"id": id, "arrival_us": arrival_us, "tenant": tenant, "prompt": [{"text": 1, "tokens": tokens}],
                "output": {"text": u32::MAX, "tokens": tokens}})
        };
        json!([request("x", "a"), request("y", "")])
    };
    let requests = |edit: Value| json!([{"at_us": 0, "set": edit}]);
    vec![
        ("/run/horizon_s", json!(0.000_001), json!(2_592_000.0)),
        ("/run/max_requests", json!(1), json!(5_000_000)),
        ("/run/warmup_requests", json!(0), json!(5_000_000)),
        ("/workload/clients/0/arrivals", poisson(1e-300), poisson(100_000.0)),
        ("/workload/clients/0/arrivals", poisson(1e-12), poisson(1e-4)),
        ("/workload/clients/0/arrivals", gamma(0.05), gamma(20.0)),
        ("/workload/clients/0/prompt_tokens", lengths("constant", 1), lengths("constant", 524_288)),
        ("/workload/clients/0/prompt_tokens", lengths("lognormal", 1), lengths("exponential", 500_000)),
        ("/workload/clients/0/output_tokens", lengths("constant", 1), lengths("constant", 524_288)),
        (
            "/workload/clients/0/prefix",
            json!({"groups": 0, "tokens": 0}),
            json!({"groups": 1_000_000, "tokens": 1024}),
        ),
        ("/workload/clients/0/sessions", json!(0), json!(1_000_000)),
        ("/workload/clients/0/conversation", talk(1, 0.0, "open"), talk(1000, 86_400.0, "open")),
        ("/workload/clients/0/conversation", talk(1000, 0.0, "closed"), talk(1000, 86_400.0, "closed")),
        ("/workload/clients/0/rate_profile", factors(0.0, 0.0), factors(1000.0, 2_592_000.0)),
        ("/workload/requests", listed(1, 0), listed(524_288, DAY_30_US)),
        (
            "/slo",
            json!({"ttft_ms": 0.0, "tpot_ms": 0.0}),
            json!({"ttft_ms": 3_600_000.0, "tpot_ms": 3_600_000.0}),
        ),
        ("/observe/event_log", json!(0), json!(1_000_000)),
        ("/observe/series_points", json!(16), json!(4096)),
        ("/observe/counterfactual_k", json!(0), json!(1024)),
        (
            "/edits",
            requests(json!({"cluster.pools[0].kv.blocks": 1})),
            requests(json!({"workload.clients[0].arrivals.poisson.rate_per_s": 100_000.0})),
        ),
    ]
}

/// A few requests on two replicas, with every part there that a path can lead into.
fn base() -> Value {
    json!({
        "run": {"horizon_s": 0.0, "warmup_s": 0.0, "max_requests": 12},
        "cluster": {"pools": [{
            "replicas": 2, "kv": {"blocks": 400}, "engine": {}, "latency": all_figures("fitted", 700.0),
        }]},
        "workload": {"clients": [{
            "arrivals": {"poisson": {"rate_per_s": 50.0}},
            "prompt_tokens": lengths("constant", 90), "output_tokens": lengths("constant", 20),
        }]},
        "observe": {},
    })
}

fn set(document: &mut Value, path: &str, value: &Value) {
    let (parent, key) = path.rsplit_once('/').expect("a path has a slash");
    let parent = document.pointer_mut(parent).expect("the base has every parent");
    parent[key] = value.clone();
}

/// Runs a document if it is valid, and says whether it was.
fn survives(name: &str, document: &Value) -> bool {
    let scenario = parse(&document.to_string()).unwrap_or_else(|all| panic!("{name}: {all:?}"));
    let Ok((mut session, _)) = Session::start(scenario, None, Audience::Live) else { return false };
    session.advance(Micros::MAX, EVENTS);
    assert!(session.engine().last_event_at() < Micros::END, "{name}");
    let report = session.report_data();
    assert!(report.requests.conserved, "{name}: {:?}", report.requests);
    let finite =
        [report.cost.usd.unwrap_or(0.0), report.throughput.total_tokens_per_s, report.latency_ms.e2e.mean];
    assert!(finite.iter().all(|x| x.is_finite() && *x >= 0.0), "{name}: {finite:?}");
    assert!(report.replicas.iter().all(|r| (0.0..=1.0).contains(&r.busy)), "{name}");
    session.frame(&FrameQuery::default());
    true
}

fn dials() -> Vec<Dial> {
    [fleet(), policies(), traffic()].concat()
}

#[test]
fn every_setting_may_be_at_either_end() {
    let mut valid = 0;
    for (path, low, high) in dials() {
        for end in [low, high] {
            let mut document = base();
            set(&mut document, path, &end);
            valid += u32::from(survives(&format!("{path} = {end}"), &document));
        }
    }
    assert!(valid > 80, "only {valid} were valid");
}

#[test]
fn any_two_settings_may_be_at_their_ends_together() {
    let dials = dials();
    let (mut tried, mut valid) = (0_u32, 0_u32);
    for (i, (a, a_low, a_high)) in dials.iter().enumerate() {
        for (b, b_low, b_high) in &dials[i + 1..] {
            tried += 1;
            // A fifth of the pairs, with ends that follow from their number.
            if a == b || !tried.is_multiple_of(5) {
                continue;
            }
            let x = if tried.is_multiple_of(2) { a_low } else { a_high };
            let y = if tried.is_multiple_of(3) { b_low } else { b_high };
            let mut document = base();
            set(&mut document, a, x);
            set(&mut document, b, y);
            valid += u32::from(survives(&format!("{a} = {x}, {b} = {y}"), &document));
        }
    }
    assert!(valid > 150, "only {valid} of {tried} were valid");
}

#[test]
fn a_run_that_reaches_the_end_of_the_clock_ends_there_and_says_so() {
    for compat in ["none", "blis"] {
        let mut document = base();
        set(&mut document, "/cluster/compat", &json!(compat));
        set(&mut document, "/cluster/pools/0/latency", &all_figures("fitted", 1e9));
        set(&mut document, "/cluster/pools/0/engine/max_num_seqs", &json!(1));
        set(&mut document, "/workload/clients/0/prompt_tokens", &lengths("constant", 524_288));
        set(&mut document, "/cluster/pools/0/kv/blocks", &json!(65_536));
        set(&mut document, "/run/max_requests", &json!(60));
        let scenario = parse(&document.to_string()).expect("the shape is right");
        let mut session = crate::support::start(&scenario);
        assert_eq!(session.advance(Micros::MAX, u64::MAX), tokenyard::session::Stop::Finished);
        let report = session.report_data();
        assert!(report.run.trouble.starts_with("The clock ends"), "{compat}: {:?}", report.run.trouble);
        assert!(report.requests.conserved && report.requests.completed < report.requests.arrived);
        assert_eq!(session.frame(&FrameQuery::default()).trouble, report.run.trouble);
        assert!(session.now() < Micros::END);
    }
}

/// A fleet as large as allowed, and traffic of `rate_per_s` that shares prefixes.
fn largest_fleet(rate_per_s: f64, blocks: u32, block_tokens: u32) -> Value {
    let mut document = base();
    document["run"] = json!({"horizon_s": 240.0, "warmup_s": 0.0});
    set(&mut document, "/cluster/pools/0/replicas", &json!(1024));
    set(&mut document, "/cluster/pools/0/kv", &json!({"blocks": blocks, "block_tokens": block_tokens}));
    let client = json!({
        "arrivals": {"poisson": {"rate_per_s": rate_per_s}}, "prefix": {"groups": 8, "tokens": 256},
        "prompt_tokens": lengths("constant", 1000), "output_tokens": lengths("constant", 200),
    });
    set(&mut document, "/workload/clients", &json!([client]));
    document
}

fn start(document: &Value, audience: Audience) -> Result<(Session, Diagnostics), Diagnostics> {
    Session::start(parse(&document.to_string()).expect("the shape is right"), None, audience)
}

/// Problems with memory.
fn memory(all: &Diagnostics) -> Vec<&Diagnostic> {
    all.iter().filter(|d| d.found.contains("MiB of memory")).collect()
}

#[test]
fn a_run_that_cannot_be_held_in_memory_is_refused_with_what_takes_it() {
    let tiny_blocks = largest_fleet(4000.0, 4_194_304, 1);
    let problems = start(&tiny_blocks, Audience::Batch).expect_err("more than 16 GiB");
    let [problem] = &memory(&problems)[..] else { panic!("{problems:?}") };
    assert_eq!((problem.path.as_str(), problem.allowed.as_str()), ("cluster.pools", "about 16384 MiB"));
    assert!(problem.found.contains("KV blocks") && problem.fix.contains("larger"), "{problem}");
    assert_eq!(Session::check(&tiny_blocks.to_string()), problems);
    // The same caches with less traffic are never filled.
    assert_eq!(
        start(&largest_fleet(40.0, 4_194_304, 1), Audience::Batch).map(|(_, found)| found),
        Ok(vec![])
    );
}

#[test]
fn a_page_has_less_memory_than_the_command_line() {
    let document = largest_fleet(2000.0, 4_194_304, 16);
    let (_, warnings) = start(&document, Audience::Batch).expect("less than 16 GiB");
    assert!(memory(&warnings).is_empty(), "{warnings:?}");
    let problems = start(&document, Audience::Live).expect_err("more than 1 GiB");
    let [problem] = &memory(&problems)[..] else { panic!("{problems:?}") };
    assert_eq!(problem.allowed, "about 1024 MiB");
    assert!(problem.fix.ends_with("or run it with the command line"), "{problem}");
    let warnings = start(&largest_fleet(1000.0, 4_194_304, 2), Audience::Batch).expect("less than 16 GiB").1;
    assert_eq!(memory(&warnings).iter().map(|d| d.severity).collect::<Vec<_>>(), [Severity::Warning]);
}

#[test]
fn a_large_fleet_of_real_replicas_fits_on_a_page_until_an_edit_asks_for_too_much() {
    let document = largest_fleet(200.0, 60_000, 16);
    let (mut session, warnings) = start(&document, Audience::Live).expect("less than 1 GiB");
    assert!(memory(&warnings).is_empty(), "{warnings:?}");
    let rate = |rate_per_s: f64| edit::rate(0, rate_per_s);
    assert!(session.apply(rate(300.0)).is_empty());
    assert_eq!(memory(&session.apply(rate(20_000.0))).len(), 1);
    assert_eq!(session.edits().len(), 1);
}
