//! The sections of `expected` that are computed from the lists: distributions, rates and scores.

use super::sections::{Run, hit_rate, instance, thrash_rate};
use base::RequestId;
use base::content::spelled_token;
use run::observe::report::{hol_blocking_events, priority_inversions};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Distance between the first tokens of two texts in the row of all spelled tokens.
const TEXT_STRIDE: u32 = 0x9e37_79b1;

/// Requests' figures, in the order of the file.
struct Figures {
    ttft: Vec<u64>,
    e2e: Vec<u64>,
    itl: Vec<u64>,
    delay: Vec<u64>,
}

/// Sums over the replicas.
struct Sums {
    completed: u64,
    queued: u64,
    running: u64,
    dropped: u64,
    preemptions: u64,
    prompt_tokens: u64,
    output_tokens: u64,
    failures: u64,
    ended_us: u64,
}

/// Adds the sections.
pub(super) fn add(run: &Run<'_>, out: &mut Map<String, Value>) {
    let figures = figures(run);
    let sums = sums(run);
    let raw = raw_metrics(run, &figures, &sums);
    out.insert("token_check".into(), token_check(run));
    out.insert("trace_summary".into(), trace_summary(run));
    out.insert("fitness_unit_weights".into(), fitness(&raw));
    out.insert("raw_metrics".into(), raw);
    out.insert("jain_over_tenant_output_tokens".into(), jain(run));
    out.insert("per_slo".into(), per_slo(run));
    out.insert("summary_json".into(), summary(run, &figures, &sums));
}

fn figures(run: &Run<'_>) -> Figures {
    let mut f = Figures { ttft: Vec::new(), e2e: Vec::new(), itl: Vec::new(), delay: Vec::new() };
    for (i, r) in (0u32..).zip(run.recording.engine.records()) {
        f.ttft.extend(r.ttft.get().map(|ttft| ttft.0));
        if let Some(e2e) = r.e2e.get() {
            f.e2e.push(e2e.0);
            f.itl.extend(run.recording.gaps(RequestId(i)));
        }
        let at = if run.blis() { r.scheduled } else { r.first_scheduled };
        f.delay.extend(at.get().map(|at| at.since(r.arrival).0));
    }
    for list in [&mut f.ttft, &mut f.e2e, &mut f.itl, &mut f.delay] {
        list.sort_unstable();
    }
    f
}

fn sums(run: &Run<'_>) -> Sums {
    let engine = &run.recording.engine;
    let mut s = Sums {
        completed: 0,
        queued: 0,
        running: 0,
        dropped: 0,
        preemptions: 0,
        prompt_tokens: 0,
        output_tokens: 0,
        failures: 0,
        ended_us: 0,
    };
    for replica in engine.replicas() {
        let t = replica.totals();
        s.completed += u64::from(t.completed);
        s.queued += u64::from(replica.waiting());
        s.running += u64::from(replica.running());
        s.dropped += u64::from(t.dropped);
        s.preemptions += t.preemptions;
        s.prompt_tokens += t.prompt_tokens;
        s.output_tokens += t.output_tokens;
        s.failures += t.allocation_failures;
        s.ended_us = s.ended_us.max(run.recording.losses.clock(replica).min(engine.horizon()).0);
    }
    s
}

impl Sums {
    /// `n` per second of the run.
    fn per_s(&self, n: u64) -> f64 {
        if self.completed == 0 || self.ended_us == 0 { 0.0 } else { n as f64 / (self.ended_us as f64 / 1e6) }
    }
}

/// The values below and above percentile `p`, and its relative position between them.
fn around(sorted: &[u64], p: f64) -> (f64, f64, f64) {
    let rank = p / 100.0 * (sorted.len() - 1) as f64;
    let (low, high) = (libm::floor(rank), libm::ceil(rank));
    (sorted[low as usize] as f64, sorted[high as usize] as f64, rank - low)
}

fn percentile_us(sorted: &[u64], p: f64) -> f64 {
    let (a, b, fraction) = around(sorted, p);
    if fraction > 0.0 { a + fraction * (b - a) } else { a }
}

fn percentile_ms(sorted: &[u64], p: f64) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    let (a, b, fraction) = around(sorted, p);
    if fraction > 0.0 { a / 1000.0 + (b - a) * fraction / 1000.0 } else { a / 1000.0 }
}

fn mean_us(values: &[u64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().map(|v| *v as f64).sum::<f64>() / values.len() as f64 }
}

/// A distribution of sorted values in the format.
pub(super) fn distribution(sorted: &[u64]) -> Value {
    let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else {
        return json!({"Mean": 0, "P50": 0, "P95": 0, "P99": 0, "Min": 0, "Max": 0, "Count": 0});
    };
    json!({
        "Mean": mean_us(sorted), "P50": percentile_us(sorted, 50.0), "P95": percentile_us(sorted, 95.0),
        "P99": percentile_us(sorted, 99.0), "Min": min, "Max": max, "Count": sorted.len(),
    })
}

fn raw_metrics(run: &Run<'_>, f: &Figures, s: &Sums) -> Value {
    let replicas = run.recording.engine.replicas();
    json!({
        "TTFT": distribution(&f.ttft),
        "E2E": distribution(&f.e2e),
        "PerSLOClass": null,
        "RequestsPerSec": s.per_s(s.completed),
        "TokensPerSec": s.per_s(s.output_tokens),
        "PriorityInversions": priority_inversions(run.scenario, &run.recording.engine),
        "HOLBlockingEvents": hol_blocking_events(&run.recording.engine),
        "RejectedRequests": run.recording.rejections.len(),
        "DroppedUnservable": s.dropped,
        "CacheHitRate": replicas.iter().map(|replica| hit_rate(run, replica)).sum::<f64>() / replicas.len() as f64,
        "PreemptionRate": if s.completed == 0 { 0.0 } else { s.preemptions as f64 / s.completed as f64 },
        "KVThrashingRate": replicas.iter().map(thrash_rate).sum::<f64>() / replicas.len() as f64,
    })
}

fn fitness(raw: &Value) -> Value {
    let number = |path: &[&str]| {
        path.iter().try_fold(raw, |at, key| at.get(*key)).and_then(Value::as_f64).unwrap_or_default()
    };
    let mut parts = BTreeMap::new();
    let (rps, tps) = (number(&["RequestsPerSec"]), number(&["TokensPerSec"]));
    parts.insert("throughput".to_owned(), rps / (rps + 100.0));
    parts.insert("tokens_per_sec".to_owned(), tps / (tps + 10_000.0));
    for (name, section) in [("ttft", "TTFT"), ("e2e", "E2E")] {
        for (stat, key) in [("p99", "P99"), ("p50", "P50"), ("mean", "Mean")] {
            parts.insert(format!("{stat}_{name}"), 1.0 / (1.0 + number(&[section, key]) / 1000.0));
        }
    }
    json!({"score": parts.values().sum::<f64>(), "components": parts})
}

fn jain(run: &Run<'_>) -> Value {
    let mut tenants: BTreeMap<&str, f64> = BTreeMap::new();
    for (i, asked) in run.file.requests.iter().enumerate() {
        if run.recording.record(i).is_some_and(|r| r.e2e.is_known()) {
            *tenants.entry(asked.tenant.as_str()).or_default() += f64::from(asked.output.n);
        }
    }
    let total: f64 = tenants.values().sum();
    let squares: f64 = tenants.values().map(|t| t * t).sum();
    match tenants.len() {
        0 => json!(0),
        _ if squares <= 0.0 => json!(1),
        n => json!(total * total / (n as f64 * squares)),
    }
}

fn per_slo(run: &Run<'_>) -> Value {
    let mut classes: BTreeMap<&str, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
    for (i, asked) in run.file.requests.iter().enumerate() {
        let Some(r) = run.recording.record(i) else { continue };
        let Some(first) = r.ttft.get() else { continue };
        let name = if asked.slo.is_empty() { "default" } else { &asked.slo };
        let (ttft, e2e) = classes.entry(name).or_default();
        ttft.push(first.0);
        e2e.extend(r.e2e.get().map(|e2e| e2e.0));
    }
    let mut out = Map::new();
    for (name, (mut ttft, mut e2e)) in classes {
        ttft.sort_unstable();
        e2e.sort_unstable();
        out.insert(name.to_owned(), json!({"TTFT": distribution(&ttft), "E2E": distribution(&e2e)}));
    }
    Value::Object(out)
}

fn trace_summary(run: &Run<'_>) -> Value {
    let census = run.recording.engine.census();
    let on = run.file.config.counterfactual_k > 0;
    let regrets: Vec<f64> = run.recording.routing.iter().map(|d| if on { d.regret() } else { 0.0 }).collect();
    let mut targets: BTreeMap<String, u64> = BTreeMap::new();
    for d in &run.recording.routing {
        if let Some(target) = d.target() {
            *targets.entry(instance(target.0)).or_default() += 1;
        }
    }
    let mean = if regrets.is_empty() { 0.0 } else { regrets.iter().sum::<f64>() / regrets.len() as f64 };
    json!({
        "TotalDecisions": census.admitted + census.rejected,
        "AdmittedCount": census.admitted,
        "RejectedCount": census.rejected,
        "MeanRegret": mean,
        "MaxRegret": regrets.iter().copied().fold(0.0, f64::max),
        "UniqueTargets": targets.len(),
        "TargetDistribution": targets,
    })
}

fn summary(run: &Run<'_>, f: &Figures, s: &Sums) -> Value {
    let engine = &run.recording.engine;
    let mut o = json!({
        "instance_id": "cluster",
        "completed_requests": s.completed,
        "still_queued": s.queued,
        "still_running": s.running,
        "dropped_unservable": s.dropped,
        "injected_requests": s.completed + s.queued + s.running + s.dropped,
        "total_input_tokens": s.prompt_tokens,
        "total_output_tokens": s.output_tokens,
        "vllm_estimated_duration_s": s.ended_us as f64 / 1e6,
        "preemption_count": s.preemptions,
        "responses_per_sec": s.per_s(s.completed),
        "tokens_per_sec": s.per_s(s.output_tokens),
    });
    let done = s.completed > 0;
    o["scheduling_delay_p99_ms"] = json!(if done { percentile_ms(&f.delay, 99.0) } else { 0.0 });
    if s.failures > 0 {
        o["kv_allocation_failures"] = json!(s.failures);
    }
    if !run.blis() {
        let census = engine.census();
        let arriving: u64 = engine.replicas().iter().map(|r| u64::from(r.arriving())).sum();
        o["injected_requests"] = json!(census.arrived);
        o["rejected_requests"] = json!(census.rejected);
        o["in_pipeline"] = json!(u64::from(run.recording.engine.at_gateway()) + arriving);
        o["not_arrived"] = json!(run.file.requests.len() as u64 - u64::from(census.arrived));
    }
    for (name, values) in [("ttft", &f.ttft), ("e2e", &f.e2e), ("itl", &f.itl)] {
        let mean = if done { mean_us(values) / 1000.0 } else { 0.0 };
        o[format!("{name}_mean_ms")] = json!(mean);
        for p in [90.0, 95.0, 99.0] {
            let value = if done { percentile_ms(values, p) } else { 0.0 };
            o[format!("{name}_p{p}_ms")] = json!(value);
        }
    }
    o
}

/// The first tokens and the sum of the prompts of the first two requests, to check that texts are read correctly.
fn token_check(run: &Run<'_>) -> Value {
    let check = |asked: &super::file::Request| {
        let tokens: Vec<u64> = asked
            .input
            .iter()
            .flat_map(|s| {
                let start = (s.s as u32).wrapping_mul(TEXT_STRIDE).wrapping_add(s.o);
                (0..s.n).map(move |k| u64::from(spelled_token(start.wrapping_add(k))))
            })
            .collect();
        json!({
            "id": asked.id,
            "first_input_tokens": tokens.iter().take(4).collect::<Vec<_>>(),
            "input_token_sum": tokens.iter().sum::<u64>(),
        })
    };
    run.file.requests.iter().take(2).map(check).collect()
}
