//! Clusters of a case: pools of every kind, roles, and what stands between clients and replicas.

use super::draw::Draw;
use serde_json::{Value, json};

/// Caches: blocks, and tokens in each. The first are smaller than the longest requests.
const CACHES: [(u32, u32); 10] =
    [(5, 4), (9, 16), (12, 16), (30, 4), (40, 1), (80, 4), (20, 16), (60, 16), (2000, 16), (8, 64)];

/// What the pools of a cluster have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// Prefill and decode are on different replicas.
    pub(crate) roles: bool,
    /// Adapters are served.
    pub(crate) lora: bool,
    /// The model has experts, whose ranks step together in some pools.
    pub(crate) experts: bool,
    pub(crate) block_tokens: u32,
}

impl Kind {
    pub(crate) fn drawn(draw: &mut Draw) -> Self {
        let block_tokens = draw.of(&CACHES).1;
        Self { roles: draw.below(5) < 2, lora: draw.one_in(4), experts: draw.one_in(6), block_tokens }
    }
}

/// Every routing policy, some more than once.
pub(crate) fn routing(draw: &mut Draw) -> Value {
    let expression = draw.of(&["1 / (1 + waiting)", "waiting - running", "prefix"]);
    draw.of(&[
        json!("round-robin"),
        json!("random"),
        json!("least-loaded"),
        json!({"power-of-d": {}}),
        json!("always-busiest"),
        json!("least-kv"),
        json!({"prefix-aware": {}}),
        json!({"prefix-overlap": {}}),
        json!({"session-affinity": {"mode": "sticky"}}),
        json!({"session-affinity": {"mode": "consistent-hash"}}),
        json!({"cost-escalation": {}}),
        json!({"kv-cost": {"profile": "dynamo-agentic", "index": {"approximate": {"ttl_s": 0.3}}}}),
        json!({"kv-cost": {"temperature": 0.5, "active_weight": 1}}),
        json!({"cache-aware": {"balance_abs_threshold": 2, "knows": "events"}}),
        json!({"cache-aware": {}}),
        json!({"weighted": {"profile": "llm-d-default"}}),
        json!({"weighted": {"profile": "llm-d-1.0"}}),
        json!({"weighted": {"profile": "custom", "scorers": [{"scorer": {"expression": expression}, "weight": 1},
            {"scorer": "predicted-latency", "weight": 1}], "filters": [{"slo-headroom": {"shed": true}}]}}),
        json!({"weighted": {"profile": "custom", "scorers": [{"scorer": "precise-prefix", "weight": 2},
            {"scorer": "lora-affinity", "weight": 1}, {"scorer": "peak-ewma", "weight": 1}],
            "filters": [{"utilization": {"conditions": [{"metric": "waiting-requests", "max": 1}], "fallback": "refuse"}}],
            "picker": "weighted-random"}}),
    ])
}

/// Every admission policy, tight enough to refuse requests; half of them admit all.
pub(crate) fn admission(draw: &mut Draw) -> Value {
    let then = draw.of(&["reject", "delay"]);
    let detector = detector(draw);
    let tight = [
        json!({"token-bucket": {"capacity_tokens": 400, "refill_tokens_per_s": 900, "then": then}}),
        json!({"rate-limit": {"requests_per_s": 9, "burst": 3, "per_tenant": true, "then": then}}),
        json!({"tenant-quota": {"max_in_flight": 2, "tenants": [{"tenant": "t1", "max_in_flight": 1}], "then": then}}),
        json!({"sliding-window": {"window_s": 0.3, "max_requests": 4, "max_prompt_tokens": 400, "then": then}}),
        json!({"concurrency-limit": {"max_in_flight": 4, "then": then}}),
        json!({"session-cap": {"max_sessions": 2, "idle_s": 0.2, "then": then}}),
        json!({"shed": {"detector": detector, "rule": {"probabilistic": {}}}}),
        json!("reject-all"),
    ];
    if draw.one_in(2) { json!("always-admit") } else { draw.of(&tight) }
}

fn detector(draw: &mut Draw) -> Value {
    let mode = draw.of(&["requests", "tokens", "hybrid"]);
    draw.of(&[
        json!("never"),
        json!({"concurrency": {"mode": mode, "max_requests": 2, "max_tokens": 60}}),
        json!({"utilization": {"queue_threshold": 1, "kv_threshold": 0.5, "refresh_us": 0}}),
        json!({"utilization": {"queue_threshold": 1, "kv_threshold": 0.5, "refresh_us": 50_000}}),
    ])
}

pub(crate) fn flow_control(draw: &mut Draw) -> Value {
    let fairness = ["global-strict".into(), "round-robin".into(), json!({"program-aware": {}})];
    let orderings = ["fcfs", "edf", "slo-deadline"];
    let by = draw.of(&["rank", "value"]);
    let ceilings = draw.of(&[
        json!({"static": {"ceiling": 0.8}}),
        json!({"priority-holdback": {"max": 1, "min": 0.3, "by": by}}),
        json!("soft-reflective"),
    ]);
    json!({
        "detector": detector(draw),
        "ceilings": ceilings,
        "flow": draw.of(&["tenant", "client", "session"]),
        "fairness": draw.of(&fairness),
        "ordering": draw.of(&orderings),
        "bands": [{"priority": 0, "fairness": draw.of(&fairness), "ordering": draw.of(&orderings)}],
        "max_requests": draw.of(&[0, 0, 5]),
        "max_prompt_tokens": draw.of(&[0, 0, 900]),
        "ttl_s": draw.of(&[0.0, 0.05, 1.2]),
        "no_replica_ttl_s": draw.of(&[0.0, 0.5]),
        "tick_us": draw.of(&[1000, 1000, 700, 70_000]),
        "eviction": draw.one_in(2),
    })
}

pub(crate) fn disaggregation(draw: &mut Draw) -> Value {
    let threshold = json!({"uncached_tokens": draw.of(&[0, 20, 60]), "uncached_share": draw.of(&[0.0, 0.3]),
        "prefill_in_flight": draw.of(&[0, 0, 1, 3])});
    let decider =
        draw.of(&[json!("always"), json!("always"), json!("never"), json!({"threshold": threshold})]);
    let prefill_routing = if draw.one_in(2) { Value::Null } else { routing(draw) };
    let (handoff, overlap) =
        draw.of(&[("pull", 0.0), ("pull", 0.0), ("push", 0.0), ("push", 0.6), ("push", 0.999)]);
    json!({
        "decider": decider,
        "prefill_routing": prefill_routing,
        "handoff": handoff,
        "first_token": draw.of(&["decode", "prefill"]),
        "transfer": {
            "port_gb_per_s": draw.of(&[0.02, 0.1, 0.5, 50.0]),
            "base_us": draw.of(&[0, 0, 50, 2500, 30_000]),
            "kv_bytes_per_token": draw.of(&[json!("auto"), json!(1000), json!(100_000)]),
            "overlap_share": overlap,
            "shared_ports": draw.one_in(2),
        },
    })
}

pub(crate) fn probe(draw: &mut Draw) -> Value {
    json!({"interval_s": draw.of(&[0.1, 0.13, 0.4]), "timeout_s": draw.of(&[0.0, 0.03, 0.25]),
        "failures": 1 + draw.below(2), "successes": 1 + draw.below(2), "then": draw.of(&["eject", "restart"]),
        "restart_s": draw.of(&[0.0, 0.02, 0.3])})
}

pub(crate) fn outlier(draw: &mut Draw) -> Value {
    json!({"consecutive": 1 + draw.below(3), "ejection_s": draw.of(&[0.1, 0.5]), "most_share": draw.of(&[0.0, 0.4, 1.0])})
}

pub(crate) fn resilience(draw: &mut Draw) -> Value {
    let mut all = json!({
        "retries": draw.of(&[0, 1, 1, 3, 9]),
        "backoff_ms": draw.of(&[0.0, 1.0, 25.0]),
        "retry_budget_share": draw.of(&[0.0, 0.2, 1.0]),
        "retry_budget_least": draw.of(&[0, 3]),
        "resume": draw.one_in(2),
        "discovery_ms": draw.of(&[0.0, 1.0, 100.0, 1000.0]),
        "connect_ms": draw.of(&[0.0, 3.0, 200.0]),
        "kv_load_failure": draw.of(&["fail", "recompute"]),
        "lease_s": draw.of(&[0.0, 0.02, 0.3]),
        "transfer_timeout_s": draw.of(&[0.0, 0.01, 0.2, 30.0]),
    });
    if draw.one_in(2) {
        all["probe"] = probe(draw);
    }
    if draw.one_in(2) {
        all["outlier"] = outlier(draw);
    }
    all
}

/// Autoscalers that act within seconds.
pub(crate) fn scaling_policy(draw: &mut Draw) -> Value {
    draw.of(&[
        json!({"queue-depth": {"up": 2, "down": 0.2, "cooldown_s": 0.1}}),
        json!({"threshold": {"up": 0.5, "down": 0.1, "cooldown_s": 0.2}}),
        json!({"target-utilization": {"cooldown_s": 0.2}}),
        json!({"hpa": {"metric": "requests", "target": 3, "behavior": {"rules": {"down": {"stabilization_s": 0.2}}}}}),
        json!({"hpa": {"metric": "gateway-queue", "target": 2, "target_of": "pool"}}),
        json!({"keda": {"metric": "waiting", "threshold": 2, "cooldown_s": 0.3}}),
        json!({"kpa": {"concurrency": 3, "stable_s": 6, "panic_s": 1, "grace_s": 1}}),
        json!({"token-aware": {}}),
        json!({"slo-aware": {"smoothing_s": 1}}),
        json!({"wva-saturation-v1": {}}),
        json!({"wva-saturation-v2": {}}),
        json!({"wva-queueing-model": {}}),
        json!({"dynamo-throughput": {}}),
        json!({"dynamo-load": {}}),
        json!({"oracle": {"replica_per_s": 8, "ahead_s": 0.4}}),
    ])
}

pub(crate) fn scaling(draw: &mut Draw) -> Value {
    let start = draw.of(&[
        json!("instant"),
        json!({"phases": {"scheduling_s": 0.05, "load_s": 0.1, "initialise_s": 0.1, "probe_s": 0.02}}),
    ]);
    let carrier = draw.of(&[json!("policy"), json!("policy"), json!({"hpa": {"sync_s": 0.3}})]);
    json!({
        "policy": scaling_policy(draw),
        "carried_out_by": carrier,
        "optimizer": draw.of(&["alone", "alone", "cost-aware", "greedy"]),
        "min": draw.of(&[0, 1, 1]),
        "max": draw.of(&[2, 5]),
        "tick_s": 0.2,
        "scrape_s": draw.of(&[0.1, 0.3]),
        "window_s": draw.of(&[0.3, 1.0]),
        "lag_s": draw.of(&[0.0, 0.1]),
        "hold_s": draw.of(&[0.0, 0.5]),
        "start": start,
        "warm_up_requests": draw.of(&[0, 0, 3]),
        "warm_up_factor": draw.of(&[1.0, 2.5]),
        "drain": draw.of(&["wait", "immediate", "redirect"]),
        "victim": draw.of(&["newest", "oldest", "least-loaded", "least-cache"]),
    })
}

pub(crate) fn lora(draw: &mut Draw) -> Value {
    json!({"max_loras": 1 + draw.below(3), "max_cpu_loras": draw.of(&[0, 2]), "adapter_mib": 20,
        "cpu_load_ms": draw.of(&[0.0, 4.0]), "step_us_per_layer": draw.of(&[0.0, 2.5])})
}

pub(crate) fn speculative(draw: &mut Draw) -> Value {
    let drafter = draw.of(&[json!({"one-pass": {"share": 0.1}}), json!({"autoregressive": {"share": 0.05}})]);
    json!({"tokens": 1 + draw.below(4), "acceptance": draw.of(&[0.0, 0.6, 1.0]), "drafter": drafter,
        "disable_above_batch": draw.of(&[0, 0, 2]), "pad_first_step": draw.one_in(2), "prefill_share": draw.of(&[0.0, 0.2])})
}

fn engine(draw: &mut Draw) -> Value {
    let priorities = [
        "constant".into(),
        "slo-based".into(),
        "request".into(),
        json!({"slo-class": {}}),
        json!({"tenant-priority": {"tenants": [{"tenant": "t1", "priority": 5}]}}),
        json!({"deadline-aware": {}}),
    ];
    let mut all = json!({
        "max_num_seqs": draw.of(&[1, 3, 8, 64]),
        "max_num_batched_tokens": draw.of(&[4, 40, 300, 2048, 2048]),
        "long_prefill_threshold_tokens": draw.of(&[0, 0, 7, 64]),
        "max_waiting": draw.of(&[0, 0, 0, 1, 6]),
        "watermark": draw.of(&[0.0, 0.0, 0.05, 0.4]),
        "preemption": !draw.one_in(4),
        "victim": draw.of(&["latest", "lowest-priority", "cheapest-to-recompute"]),
        "scheduler": draw.of(&["fcfs", "fcfs", "priority-fcfs", "sjf", "reverse-priority"]),
        "priority": draw.of(&priorities),
    });
    if draw.one_in(2) {
        all["reserve_full_prompt"] = json!(draw.one_in(2));
    }
    if draw.one_in(5) {
        all["speculative"] = speculative(draw);
    }
    if draw.one_in(5) {
        all["mixed_step_us"] = draw.of(&[json!(300), json!("auto")]);
    }
    all
}

pub(crate) fn latency(draw: &mut Draw) -> Value {
    if draw.one_in(5) {
        let engine = draw.of(&["synchronous", "ahead", "v0.18", "latest"]);
        return json!({"calibrated": {"engine": engine, "coefficients": {"step_us": 500, "step_us_per_layer": 5,
            "step_us_per_prompt": 900, "queueing_us": 300, "front_end_us": 400, "front_end_us_per_prompt_token": 3,
            "stream_us_per_token": draw.of(&[0, 20])}}});
    }
    if draw.one_in(6) {
        return json!("catalogue");
    }
    let per_token = draw.of(&[0.0, 7.3, 20.0]);
    json!({"fitted": {
        "queueing_us": draw.of(&[0, 230]),
        "queueing_us_per_prompt_token": draw.of(&[0.0, 2.3]),
        "output_us_per_token": draw.of(&[0, 0, 350]),
        "step_us": draw.of(&[700, 2000, 6000]),
        "step_us_per_prefill_token": per_token,
        "step_us_per_decode_token": per_token / 3.0,
        "step_us_per_context_token": per_token / 1000.0,
    }})
}

/// Data-parallel ranks in lock step, which need a model of experts.
fn in_lockstep(draw: &mut Draw, pool: &mut Value) {
    let engine = draw.of(&["synchronous", "ahead"]);
    pool["architecture"] = json!({"layers": 4, "hidden": 512, "heads": 4, "kv_heads": 2, "vocab": 1000,
        "experts": 8, "experts_per_token": 2});
    pool["latency"] = json!({"calibrated": {"engine": engine, "coefficients": {"step_us": 600,
        "step_us_per_layer": 1, "step_us_per_prompt": 900, "queueing_us": 100}}});
    pool["expert_ranks"] = json!(2);
    pool["expert_ranks_lockstep"] = json!(!draw.one_in(3));
    pool["ranks"] = json!({"padding": draw.of(&["none", "max", "graph"]),
        "seen": draw.of(&["flat", "internal", "internal", "hash"]), "align_prefills_ms": draw.of(&[0, 0, 3, 40])});
    if pool["ranks"]["seen"] == "internal" {
        pool["ranks"]["sync_ms"] = json!(draw.of(&[0, 100]));
    }
    if pool["role"] == "decode" {
        pool["ranks"]["align_prefills_ms"] = json!(0);
    }
    pool["experts"] = draw.of(&[
        json!({}),
        json!({"skew": {"zipf": 0.6}}),
        json!({"skew": {"imbalance": 1.5}, "eplb": {"redundant": 2, "interval_steps": 5, "rebalance_ms": 3, "coverage": 0.5}}),
        json!({"split": "tensor"}),
    ]);
    if pool["role"] != "prefill" && draw.one_in(2) {
        pool["tp"] = json!(4);
        pool["dcp"] = json!({"size": 2, "us_per_layer": draw.of(&[0, 3])});
    }
    if pool["engine"]["speculative"].is_object() {
        pool["engine"]["speculative"]["draft_layers"] = json!(draw.below(2));
    }
}

fn tier(draw: &mut Draw, kv: &mut Value) {
    kv["cpu_blocks"] = json!(draw.of(&[4, 40, 3000]));
    kv["cpu_tier"] = json!(draw.of(&["auto", "auto", "offloading"]));
    kv["cpu_write"] = json!(draw.of(&["write-through", "write-back"]));
    kv["transfer_tokens_per_us"] = json!(draw.of(&[1e9, 100.0, 0.01]));
    kv["transfer_base_us"] = json!(draw.of(&[0, 0, 300, 30_000]));
}

/// A pool by its number, with a role where prefill and decode are apart.
pub(crate) fn pool(draw: &mut Draw, kind: Kind, number: usize, role: &str) -> Value {
    let (blocks, own_tokens) = draw.of(&CACHES);
    let block_tokens = if kind.roles { kind.block_tokens } else { own_tokens };
    let mut kv = json!({"blocks": blocks, "block_tokens": block_tokens, "prefix_caching": !draw.one_in(4)});
    if draw.one_in(3) {
        tier(draw, &mut kv);
    }
    let mut pool = json!({"name": format!("pool-{number}"), "role": role, "replicas": draw.of(&[0, 1, 1, 2, 2, 3, 5]),
        "engine": engine(draw), "kv": kv, "latency": latency(draw)});
    if kind.experts {
        in_lockstep(draw, &mut pool);
    }
    if kind.lora {
        pool["lora"] = lora(draw);
    }
    if draw.one_in(10) {
        pool["pp"] = json!(2);
    }
    if draw.one_in(3) {
        pool["scaling"] = scaling(draw);
    }
    pool
}

fn pools(draw: &mut Draw, kind: Kind) -> Vec<Value> {
    if !kind.roles {
        let n = draw.of(&[1, 1, 1, 2, 3]);
        return (0..n).map(|i| pool(draw, kind, i, "mixed")).collect();
    }
    let mut roles = vec!["prefill", "decode"];
    for _ in 0..draw.of(&[0, 0, 1, 2]) {
        roles.push(draw.of(&["prefill", "decode", "mixed"]));
    }
    let turn = draw.below(roles.len() as u64) as usize;
    roles.rotate_left(turn);
    (0..).zip(roles).map(|(i, role)| pool(draw, kind, i, role)).collect()
}

pub(crate) fn cluster(draw: &mut Draw, kind: Kind) -> Value {
    let (admission_us, routing_us) = draw.of(&[(0, 0), (0, 0), (120, 45)]);
    let mut all = json!({
        "pools": pools(draw, kind),
        "admission": admission(draw),
        "routing": routing(draw),
        "snapshot_refresh_us": draw.of(&[0, 0, 700, 50_000]),
        "admission_latency_us": admission_us,
        "routing_latency_us": routing_us,
    });
    if draw.below(5) < 2 {
        all["flow_control"] = flow_control(draw);
    }
    if kind.roles || draw.one_in(8) {
        all["disaggregation"] = disaggregation(draw);
    }
    if draw.below(3) < 2 {
        all["resilience"] = resilience(draw);
    }
    if draw.one_in(6) {
        all["faults"] = json!({"crash_mtbf_s": draw.of(&[1.0, 3.0]), "restart_s": draw.of(&[0.0, 0.1])});
    }
    all
}
