//! The same bytes on every target: golden digests of reports, snapshots and draws, run natively and as WebAssembly in Node.
//!
//! A digest that differs on one target only means that something there computes differently: a transcendental function
//! from outside `base::math`, a map's order, a word size. A digest that changed on both means that a result changed; the
//! failing test prints the new table, and the commit that takes it over says why.

#![expect(clippy::unreadable_literal, reason = "the tables are printed by the tests")]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[path = "it/support/edit.rs"]
#[expect(dead_code, reason = "edits of admission are for other tests")]
mod edit;
#[path = "it/support/gateway.rs"]
mod gateway;
#[path = "portability/split.rs"]
mod split;

use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;
use tokenyard::base::digest::Digest;
use tokenyard::base::{Micros, math};
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{
    Arrivals, CalibratedCoefficients, CalibratedSettings, Change, Client, Compat, ContextGrowth,
    Conversation, ConversationClock, CrossModelCoefficients, EngineGeneration, ExplicitOutput, ExplicitPiece,
    ExplicitRequest, FittedCoefficients, KvBlocks, LatencyModel, Lengths, PiecewiseRates, PrefixGroups,
    RatePoint, RateProfile, RooflineSettings, Rounds, RoutingPolicy, Scenario, ThinkTime, TimedEdit,
    TraceSettings, WeightedLength, Window,
};
use tokenyard::session::{Audience, Budget, History, Session, Stop, Trace, TraceReader};
use tokenyard::workload::digest_of;

/// What a golden table says of one piece of text: its name, length and digest.
type Line = (&'static str, usize, &'static str);

const REPORTS: &[Line] = &[
    ("slow-replica, default", 23717, "d83f50b7e23054b3"),
    ("chat-4xh100, default", 28393, "925c0a02be25ca88"),
    ("kv-pressure, default", 23988, "fe81dc3065793e4d"),
    ("router-showdown, default", 30397, "000f4099ae61f38e"),
    ("long-chats, default", 24018, "752de261be4e69d4"),
    ("regret-and-tail, default", 24763, "7f1bea226dc6be56"),
    ("mixed-fleet, default", 31845, "0547b5ba071a8b29"),
    ("pressure, default", 25098, "61186f54f978cd7d"),
    ("everything, default", 30044, "815bde975c8c016a"),
    ("conversations, default", 36994, "6f7ecd08859d4d9e"),
    ("gateway, default", 31250, "7f3283271d9c1bb4"),
    ("hashes, default", 20331, "d86e245969e149fb"),
    ("stamps, default", 18344, "714c0852558d06ca"),
    ("chat-4xh100, blis", 26201, "b0f66ef17126f4a9"),
    ("kv-pressure, blis", 22089, "f3558354e72bb757"),
    ("router-showdown, blis", 27965, "475f6bf7e9f51fd3"),
    ("long-chats, blis", 21593, "77d96a91c0f0c23b"),
    ("regret-and-tail, blis", 22490, "387677a13977586a"),
    ("mixed-fleet, blis", 29261, "4c7f42f4b31b1db5"),
    ("pressure, blis", 29678, "4e837ab39313ed3b"),
    ("everything, blis", 28406, "ecf47ebf78e70f58"),
    ("conversations, blis", 36877, "f583491d707434fd"),
    ("gateway, blis", 28916, "a65e52c589477db0"),
    ("hashes, blis", 18254, "632f4f6fbe243887"),
    ("stamps, blis", 16044, "0dfb563521d6b146"),
    ("split, default", 40299, "4e903c40a87d3900"),
];

const SNAPSHOTS: &[Line] = &[
    ("pressure", 200224, "a34d0ed04b1b137e"),
    ("everything", 118715, "70a75a8f838e2237"),
    ("conversations", 139894, "150a3b09e7079021"),
    ("gateway", 227972, "1ec09f7906beaada"),
    ("split", 120583, "57d039bd4bb000b1"),
];

const DRAWS: &[Line] = &[
    ("traffic", 16, "d7479005e8bf0bc9"),
    ("changing loads", 16, "31fccb3f4d92af56"),
    ("conversations", 16, "191a1869aca57205"),
    ("functions", 639968, "071cff7376f674b5"),
    ("gamma and cosine", 319984, "028103528882f176"),
];

const MODELS: &[Line] = &[
    ("roofline", 26902, "faf4ec46caeee138"),
    ("roofline with experts", 27365, "bfc6966fb9ad2550"),
    ("roofline with latent attention", 27234, "4830256cac5e3b2a"),
    ("cross-model", 31803, "cae398b305cc7b1f"),
    ("piecewise", 30046, "d2c09d62c7f2cd84"),
    ("calibrated", 28636, "e10ebf4b230963dd"),
    ("calibrated with experts", 30297, "b87016cd81f253bc"),
    ("calibrated in 4 bits", 31120, "ef5b7ec83fbbe732"),
];

const ROUTERS: &[Line] = &[
    ("expression", 32186, "a7e9c6172e8e92e5"),
    ("kv-cost", 31857, "7fde9b8f1dec0a66"),
    ("cache-aware", 32785, "342208bd0d16e832"),
];

/// One result: its name and its bytes.
struct Found {
    name: String,
    bytes: Vec<u8>,
}

fn compare(table: &[Line], found: &[Found]) {
    let mut now = String::new();
    let mut same = table.len() == found.len();
    for (i, f) in found.iter().enumerate() {
        let hex = Digest::of(&f.bytes).hex();
        let _ = writeln!(now, "    (\"{}\", {}, \"{hex}\"),", f.name, f.bytes.len());
        same &= table.get(i).is_some_and(|want| *want == (f.name.as_str(), f.bytes.len(), hex.as_str()));
    }
    assert!(same, "the results differ from the golden table; they are now\n{now}");
}

fn session(scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Session {
    match Session::start(scenario.clone(), trace.cloned(), Audience::Live) {
        Ok((session, _)) => session,
        Err(problems) => panic!("not a valid scenario: {problems:?}"),
    }
}

fn report(name: String, scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Found {
    let mut run = session(scenario, trace);
    assert_eq!(run.advance(Micros::MAX, u64::MAX), Stop::Finished, "{name}");
    Found { name, bytes: run.report().into_bytes() }
}

/// The number of presets that are run: the first ones.
const CUT: usize = 7;

/// A preset, cut to a length that WebAssembly runs in a moment.
fn preset(index: usize) -> (&'static str, Scenario) {
    let mut scenario = PRESETS[index].scenario();
    scenario.run.horizon_s = 30.0;
    scenario.run.warmup_s = 5.0;
    (PRESETS[index].name, scenario)
}

/// A list of requests in conversations, on two replicas with far too few blocks.
fn pressure() -> Scenario {
    let mut s = Scenario::default();
    s.run.horizon_s = 20.0;
    s.run.warmup_s = 0.0;
    let pool = &mut s.cluster.pools[0];
    pool.replicas = 2;
    pool.engine.max_num_seqs = 12.into();
    pool.engine.max_num_batched_tokens = 96.into();
    pool.engine.long_prefill_threshold_tokens = 50;
    pool.kv.blocks = KvBlocks::Count(40);
    pool.kv.block_tokens = 8;
    pool.latency = LatencyModel::Fitted(FittedCoefficients {
        queueing_us: 120.5,
        queueing_us_per_prompt_token: 0.75,
        output_us_per_token: 33.3,
        step_us: 2000.1,
        step_us_per_prefill_token: 11.7,
        step_us_per_decode_token: 3.9,
        step_us_per_context_token: 0.0,
    });
    s.cluster.snapshot_refresh_us = 10_000;
    (s.cluster.admission_latency_us, s.cluster.routing_latency_us) = (70, 30);
    s.workload.clients.clear();
    for (k, talk, turn) in (0..150_u32).map(|k| (k, k % 30, k / 30)) {
        let mut prompt = vec![ExplicitPiece { text: 1, tokens: 24, offset: 0 }];
        for t in 0..turn {
            prompt.push(ExplicitPiece { text: 100 + 10 * talk + t, tokens: 9, offset: 0 });
            prompt.push(ExplicitPiece { text: 900 + 10 * talk + t, tokens: 5 + talk, offset: 0 });
        }
        prompt.push(ExplicitPiece { text: 100 + 10 * talk + turn, tokens: 9 + k % 70, offset: 0 });
        s.workload.requests.push(ExplicitRequest {
            id: format!("talk {talk} turn {turn}"),
            arrival_us: u64::from(turn) * 700_000 + u64::from(talk * talk) * 400,
            prompt,
            output: ExplicitOutput { text: 900 + 10 * talk + turn, tokens: 5 + talk, offset: 0 },
            tenant: if talk.is_multiple_of(3) { "free" } else { "paid" }.to_owned(),
            slo_class: String::new(),
            model: String::new(),
            adapter: String::new(),
            session: String::new(),
            priority: 0,
            max_offload_tokens: None,
            retention: Vec::new(),
        });
    }
    // One prompt longer than the cache, one answer that outgrows it.
    s.workload.requests[7].prompt.push(ExplicitPiece { text: 7, tokens: 400, offset: 0 });
    s.workload.requests[11].output.tokens = 500;
    s
}

/// Every distribution, every router and every edit.
fn everything() -> Scenario {
    let client = |name: &str, arrivals, prompt_tokens, output_tokens, groups| Client {
        name: name.to_owned(),
        arrivals,
        prompt_tokens,
        output_tokens,
        prefix: PrefixGroups::new(groups, if groups == 0 { 0 } else { 96 }),
        ..Client::default()
    };
    let mut s = Scenario { seed: 20_260_101, ..Scenario::default() };
    s.run.horizon_s = 24.0;
    s.run.warmup_s = 2.0;
    s.cluster.routing = RoutingPolicy::Random;
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(900);
    let bell = Lengths::Gaussian { mean_tokens: 180.0, sd_tokens: 70.0, min_tokens: 8, max_tokens: 400 };
    let tail = Lengths::Lognormal { median_tokens: 90.0, sigma: 1.1, min_tokens: 1, max_tokens: 900 };
    let flat = Lengths::Constant { tokens: 40 };
    s.workload.clients = vec![
        client("poisson", Arrivals::Poisson { rate_per_s: 9.0 }, tail.clone(), bell.clone(), 4),
        client("bursty", Arrivals::Gamma { rate_per_s: 6.0, cv: 3.0 }, bell, tail, 0),
        client("clock", Arrivals::Constant { rate_per_s: 3.0 }, flat.clone(), flat, 1),
    ];
    let changes = [
        edit::rate(0, 30.0),
        edit::routing(&RoutingPolicy::LeastLoaded),
        edit::max_num_seqs(0, 24),
        edit::kv_blocks(0, 500),
        edit::replicas(0, 6),
        edit::snapshot_refresh(80_000),
        edit::max_num_batched_tokens(0, 512),
        edit::replicas(0, 2),
        edit::routing(&RoutingPolicy::RoundRobin),
        Change::set("workload.clients[1].arrivals.gamma.rate_per_s", 0.5),
    ];
    let at = |k: usize| 1_700_000 + 2_000_000 * k as u64;
    s.edits = changes.into_iter().enumerate().map(|(k, change)| TimedEdit::new(at(k), change)).collect();
    s
}

/// Rates that change in every way, and the lengths with heavy tails.
fn changing_loads() -> Scenario {
    let point = |at_s, factor| RatePoint { at_s, factor };
    let points = vec![point(0.0, 0.3), point(13.0, 2.5), point(13.0, 1.0), point(31.5, 0.0)];
    let profiles = vec![
        RateProfile::Windows {
            windows: vec![Window { start_s: 3.3, end_s: 8.1 }, Window { start_s: 9.0, end_s: 77.7 }],
        },
        RateProfile::Spike { start_s: 20.0, duration_s: 11.1, factor: 6.5 },
        RateProfile::Drain { start_s: 50.0, duration_s: 300.0 },
        RateProfile::Diurnal { peak_hour: 17, peak_to_trough: 7.0, day_s: 90.0 },
        RateProfile::Steps { points: vec![point(0.0, 1.5), point(4.0, 0.2)], repeat_s: 5.5 },
        RateProfile::Ramps { points, repeat_s: 40.0 },
    ];
    let (min_tokens, max_tokens) = (1, 100_000);
    let prompt_tokens = Lengths::ParetoLognormal {
        pareto_share: 0.2,
        pareto_min_tokens: 700.0,
        pareto_tail: 1.2,
        median_tokens: 300.0,
        sigma: 0.9,
        min_tokens,
        max_tokens,
    };
    let measured = |(tokens, weight)| WeightedLength { tokens, weight };
    let output_tokens = [
        Lengths::Exponential { mean_tokens: 150.0, min_tokens, max_tokens },
        Lengths::Empirical { lengths: [(3, 0.3), (50, 12.5), (900, 1.7)].map(measured).to_vec() },
    ];
    let mut s = Scenario { seed: 7, ..Scenario::default() };
    s.run.horizon_s = 600.0;
    let client = |(i, rate_profile): (usize, RateProfile)| Client {
        name: format!("client {i}"),
        arrivals: Arrivals::Weibull { rate_per_s: 12.0, cv: 0.4 + i as f64 },
        rate_profile,
        prompt_tokens: prompt_tokens.clone(),
        output_tokens: output_tokens[i % 2].clone(),
        ..Client::default()
    };
    s.workload.clients = profiles.into_iter().enumerate().map(client).collect();
    s
}

/// Conversations with both clocks, every think time and both ways of context.
fn conversations() -> Scenario {
    let talk = |clock, rounds, think_time, context_growth| Conversation {
        rounds,
        think_time,
        clock,
        context_growth,
        ..Conversation::default()
    };
    let geometric = Rounds::Geometric { mean_rounds: 7.5, max_rounds: 30 };
    let (open, closed) = (ConversationClock::Open, ConversationClock::Closed);
    let grows = ContextGrowth::Accumulate;
    let talks = [
        talk(open, geometric.clone(), ThinkTime::Exponential { mean_s: 1.7 }, grows),
        talk(closed, geometric, ThinkTime::Lognormal { median_s: 1.1, sigma: 0.9 }, grows),
        talk(
            closed,
            Rounds::Constant { rounds: 3 },
            ThinkTime::Constant { think_s: 0.35 },
            ContextGrowth::None,
        ),
    ];
    let mut s = everything();
    for (client, conversation) in s.workload.clients.iter_mut().zip(talks) {
        client.conversation = Some(conversation);
    }
    s
}

/// A trace read in pieces of 100 bytes.
fn trace(file_name: &str, text: &str) -> (Scenario, Arc<Trace>) {
    let mut reader = TraceReader::new(file_name, 1 << 20);
    for piece in text.as_bytes().chunks(100) {
        reader.push(piece);
    }
    let (trace, problems, _) = reader.finish();
    let mut s = Scenario::default();
    s.run.horizon_s = 0.0;
    s.run.warmup_s = 0.0;
    s.cluster.pools[0].replicas = 2;
    s.workload.clients.clear();
    s.workload.trace =
        Some(TraceSettings { file: file_name.to_owned(), speed: 2.0, ..TraceSettings::default() });
    (s, trace.unwrap_or_else(|| panic!("{file_name}: {problems:?}")))
}

fn rows_with_hashes() -> String {
    let mut text = String::new();
    for k in 0..200_u32 {
        let _ = writeln!(
            text,
            "{{\"timestamp\": {}, \"input_length\": {}, \"output_length\": {}, \"hash_ids\": [0, {}, {}]}}",
            137 * k,
            1030 + 31 * (k % 16),
            5 + k % 90,
            1 + k % 7,
            10 + k
        );
    }
    text
}

fn rows_with_stamps() -> String {
    let mut text = "TIMESTAMP,ContextTokens,GeneratedTokens\n".to_owned();
    for k in 0..200_u32 {
        let _ = writeln!(
            text,
            "2023-11-16 18:{:02}:{:02}.{:07},{},{}",
            k / 60,
            k % 60,
            k * 41_003,
            20 + 7 * k,
            1 + k % 33
        );
    }
    text
}

#[test]
fn reports_are_the_same_everywhere() {
    let mut found = Vec::new();
    for compat in [Compat::None, Compat::Blis] {
        let mode = if compat == Compat::Blis { "blis" } else { "default" };
        let mut add = |name: &str, mut scenario: Scenario, trace: Option<&Arc<Trace>>| {
            scenario.cluster.compat = compat;
            found.push(report(format!("{name}, {mode}"), &scenario, trace));
        };
        // The later presets are made of the same parts, which "everything" has too. BLIS has no faults.
        for index in 0..CUT {
            let (name, scenario) = preset(index);
            if compat == Compat::None || scenario.edits.iter().all(|edit| edit.fault.is_none()) {
                add(name, scenario, None);
            }
        }
        add("pressure", pressure(), None);
        add("everything", everything(), None);
        add("conversations", conversations(), None);
        add("gateway", gateway::gateway(compat), None);
        let (scenario, read) = trace("hashes.jsonl", &rows_with_hashes());
        add("hashes", scenario, Some(&read));
        let (scenario, read) = trace("stamps.csv", &rows_with_stamps());
        add("stamps", scenario, Some(&read));
    }
    found.push(report("split, default".to_owned(), &split::split(), None));
    compare(REPORTS, &found);
}

#[test]
fn snapshots_are_the_same_everywhere_and_go_on_everywhere() {
    let mut found = Vec::new();
    for (name, scenario) in [
        ("pressure", pressure()),
        ("everything", everything()),
        ("conversations", conversations()),
        ("gateway", gateway::gateway(Compat::None)),
        ("split", split::split()),
    ] {
        let mut run = session(&scenario, None);
        assert_eq!(run.advance(Micros::MAX, 1500), Stop::Events);
        let bytes = run.snapshot();
        let mut other = session(&preset(0).1, None);
        assert_eq!(other.restore(&bytes), Ok(()));
        run.advance(Micros::MAX, u64::MAX);
        other.advance(Micros::MAX, u64::MAX);
        assert_eq!(run.report(), other.report());
        found.push(Found { name: name.to_owned(), bytes });
    }
    compare(SNAPSHOTS, &found);
}

#[test]
fn runs_that_went_back_and_forth_end_as_any_other() {
    let budget = Budget { bytes: 8 << 20, events: 300 };
    let mut found = Vec::new();
    for i in 0..CUT {
        let (name, scenario) = preset(i);
        let mut run = History::new(session(&scenario, None), budget);
        for until in [11_000_000, 3_300_000, 3_200_000, 19_000_000, 0, 30_000_000] {
            run.seek(Micros(until));
            while run.advance(Micros(until), 501) == Stop::Events {}
        }
        run.advance(Micros::MAX, u64::MAX);
        found.push(Found { name: format!("{name}, default"), bytes: run.present().report().into_bytes() });
    }
    compare(&REPORTS[..CUT], &found);
}

#[test]
fn draws_and_functions_are_the_same_everywhere() {
    let mut found = Vec::new();
    let mut endless = everything();
    endless.run.horizon_s = 0.0;
    endless.run.max_requests = 20_000;
    let loads =
        [("traffic", endless), ("changing loads", changing_loads()), ("conversations", conversations())];
    for (name, scenario) in loads {
        let bytes = digest_of(&scenario, None, 20_000).hex().into_bytes();
        found.push(Found { name: name.to_owned(), bytes });
    }
    let mut add = |name: &str, values: &dyn Fn(f64) -> Vec<f64>| {
        let bits = |k| values(f64::from(k)).into_iter().flat_map(|y| y.to_bits().to_le_bytes());
        found.push(Found { name: name.to_owned(), bytes: (1..20_000_u32).flat_map(bits).collect() });
    };
    let rising = |x: f64| vec![math::ln(x), math::exp(x / 9.0), math::pow(x, 1.7), math::log10(x)];
    add("functions", &|k| rising(k * 0.003_7));
    add("gamma and cosine", &|k| vec![math::gamma(k * 0.001_3), math::cos(k * 0.001_3)]);
    compare(DRAWS, &found);
}

/// Every family of latency models that computes in floating point, on shapes with and without experts.
#[test]
fn step_times_of_every_latency_model_are_the_same_everywhere() {
    let mut found = Vec::new();
    let mut add = |name: &str, model: &str, tp: u32, latency: LatencyModel| {
        let mut scenario = everything();
        let pool = &mut scenario.cluster.pools[0];
        model.clone_into(&mut pool.model);
        pool.tp = tp;
        pool.kv.blocks = KvBlocks::Auto;
        pool.latency = latency;
        found.push(report(name.to_owned(), &scenario, None));
    };
    let roofline = || LatencyModel::Roofline(RooflineSettings::default());
    add("roofline", "llama-3.1-8b", 1, roofline());
    add("roofline with experts", "mixtral-8x7b", 4, roofline());
    add("roofline with latent attention", "deepseek-v2-lite", 2, roofline());
    add("cross-model", "qwen3-30b-a3b", 2, LatencyModel::CrossModel(CrossModelCoefficients::default()));
    add("piecewise", "llama-3.1-8b", 1, LatencyModel::Piecewise(PiecewiseRates::default()));
    // With coefficients of their own, so that only the formula can move them.
    let calibrated = |engine| {
        let coefficients = CalibratedCoefficients { step_us: 412.3, ..CalibratedCoefficients::default() };
        let settings =
            CalibratedSettings { engine, coefficients: Some(coefficients), ..CalibratedSettings::default() };
        LatencyModel::Calibrated(settings)
    };
    add("calibrated", "llama-3.1-8b", 1, calibrated(EngineGeneration::Synchronous));
    add("calibrated with experts", "mixtral-8x7b", 4, calibrated(EngineGeneration::Ahead));
    add("calibrated in 4 bits", "gpt-oss-120b", 2, calibrated(EngineGeneration::Latest));
    compare(MODELS, &found);
}

/// Routers that compute in floating point: an expression with every operation and function, and the cost and cache rules.
#[test]
fn routers_that_weigh_decide_the_same_everywhere() {
    let text = "0.4 * pow(1 + exp(-ln(1 + waiting) / 3), 0.7) + sqrt(abs(prefix - cached)) % 0.9 \
                + (session_here || class == 2 && idle_s > min.idle_s ? 0.1 : clamp(hit_rate, 0.01, 0.2)) \
                - floor(3 * kv_use) / max(7, mean.load) - 1e-5 * (tokens_in_flight + uncached_tokens)";
    let mut found = Vec::new();
    for (name, routing) in [
        (
            "expression",
            json!({"weighted": {"profile": "custom", "scorers": [{"scorer": {"expression": text}, "weight": 1.0}]}}),
        ),
        ("kv-cost", json!({"kv-cost": {"temperature": 0.4, "prefill_scale": 0.7}})),
        ("cache-aware", json!({"cache-aware": {"balance_abs_threshold": 3, "prefix_index_blocks": 60}})),
    ] {
        let mut scenario = conversations();
        scenario.cluster.pools[0].replicas = 4;
        scenario.edits.clear();
        scenario.cluster.routing = tokenyard::base::json::data(&routing).expect("a routing policy");
        found.push(report(name.to_owned(), &scenario, None));
    }
    compare(ROUTERS, &found);
}
