//! Tiers of KV below the GPU and the life of sessions' KV, in a third of the cases each: from draws of their own, so that what else a
//! case has does not depend on them.

use super::draw::Draw;
use serde_json::{Map, Value, json};

/// When blocks are written to a tier.
fn write(draw: &mut Draw) -> Value {
    draw.of(&[
        json!("write-through"),
        json!("write-through"),
        json!("release"),
        json!("write-back"),
        json!({"selective": {"hits": 2}}),
    ])
}

fn store(draw: &mut Draw, name: &str) -> Value {
    let eviction = draw.of(&[
        json!("none"),
        json!("lru"),
        json!({"watermark": {"high": 0.5, "share": 0.3}}),
        json!({"watermark": {}}),
    ]);
    json!({"name": name, "servers": 1 + draw.below(2), "gb": draw.of(&[0.0, 0.000_1, 0.001, 0.1]),
        "port_gb_per_s": draw.of(&[0.001, 0.05, 50.0]), "base_us": draw.of(&[0, 200, 30_000]), "eviction": eviction,
        "lease_ms": draw.of(&[0.0, 0.0, 0.5, 400.0]), "ttl_s": draw.of(&[0.0, 0.0, 0.05]), "keeps_contents": draw.one_in(2), "soft_pins": draw.one_in(2)})
}

fn lower_tiers(draw: &mut Draw, stores: u64) -> Vec<Value> {
    let mut all = Vec::new();
    if draw.one_in(2) {
        all.push(json!({"fs": {"gb": draw.of(&[0.0, 0.000_1, 0.01]), "eviction": draw.of(&["none", "lru"]),
            "read_gb_per_s": draw.of(&[0.001, 0.1, 5.0]), "write_gb_per_s": draw.of(&[0.001, 2.0]),
            "latency_us": draw.of(&[0, 100, 20_000]), "n_read_threads": draw.of(&[1, 16]), "write": write(draw)}}));
    }
    for number in 0..stores {
        if draw.below(3) < 2 {
            all.push(json!({"store": {"name": format!("store-{number}"), "write": write(draw)}}));
        }
    }
    if draw.below(3) < 2 {
        all.push(json!({"p2p": {"base_us": draw.of(&[0, 200, 30_000])}}));
    }
    let turn = draw.below(all.len().max(1) as u64) as usize;
    all.rotate_left(turn);
    all
}

fn give_tiers(draw: &mut Draw, document: &mut Value) {
    let stores = draw.below(3);
    let cluster = &mut document["cluster"];
    cluster["kv_stores"] = (0..stores).map(|i| store(draw, &format!("store-{i}"))).collect();
    if draw.one_in(2) {
        cluster["kv_source"] = json!({"min_cached_token_delta": draw.of(&[1, 20, 400])});
    }
    cluster["kv_event_delay_us"] = json!(draw.of(&[0, 0, 900, 60_000]));
    if !cluster["disaggregation"].is_object() {
        cluster["disaggregation"] = json!({"transfer": {"port_gb_per_s": draw.of(&[0.001, 0.1, 50.0]),
            "kv_bytes_per_token": 1000, "shared_ports": draw.one_in(2)}});
    }
    for pool in cluster["pools"].as_array_mut().into_iter().flatten() {
        let role = pool["role"].clone();
        let kv = &mut pool["kv"];
        kv["secondary_tiers"] = json!(lower_tiers(draw, stores));
        kv["cpu_write"] = write(draw);
        kv["load"] = draw.of(&[
            json!("always"),
            json!("always"),
            json!({"min_tokens": 40}),
            json!({"break_even": {}}),
            json!({"break_even": {"us_per_token": 30.0}}),
        ]);
        kv["load_wait"] = draw.of(&[
            json!("complete"),
            json!("complete"),
            json!({"timeout": {}}),
            json!({"timeout": {"base_us": 900, "per_ki_token_us": 20_000}}),
        ]);
        if draw.below(4) < 3 {
            kv["cpu_blocks"] = json!(draw.of(&[4, 40, 3000]));
        }
        if kv["cpu_blocks"].as_u64().is_some_and(|blocks| blocks > 0) {
            kv["load_asked"] = json!(draw.of(&["turn", "arrival"]));
        }
        kv["offload_prompt_only"] = json!(draw.one_in(3));
        kv["cpu_ttl_s"] = json!(draw.of(&[0.0, 0.0, 0.03]));
        if role == "decode" {
            kv["write_decode"] = json!(draw.one_in(2));
        }
    }
}

fn directive(draw: &mut Draw) -> Value {
    json!({"start": draw.of(&[0, 0, 16]), "end": draw.of(&[Value::Null, json!(64)]), "priority": draw.of(&[0, 20, 70, 100]),
        "duration_s": draw.of(&[Value::Null, json!(0.0), json!(0.05)])})
}

fn prefetch(draw: &mut Draw) -> Value {
    json!({"when": draw.of(&["known", "fixed", "ewma", "pause"]), "lead_s": draw.of(&[0.0, 0.01, 10.0]),
        "gap_s": draw.of(&[0.0, 0.05]), "hold_s": draw.of(&[0.0, 0.05]), "to": draw.of(&["gpu", "cpu"]),
        "reserve_blocks": draw.of(&[0, 3])})
}

fn give_life(draw: &mut Draw, document: &mut Value) {
    for pool in document["cluster"]["pools"].as_array_mut().into_iter().flatten() {
        pool["kv"]["eviction_order"] = json!(draw.of(&["lru", "vllm", "vllm", "sglang", "trtllm", "belady"]));
        pool["kv"]["max_protected_share"] = json!(draw.of(&[1.0, 1.0, 0.3, 0.0]));
        pool["kv"]["cpu_eviction"] = json!(draw.of(&["lru", "lru", "belady"]));
    }
    if draw.one_in(2) {
        document["cluster"]["kv_hint"] = json!({"min_s": 0.01, "max_s": draw.of(&[0.02, 5.0]),
            "head_tokens": draw.of(&[0, 32]), "budget_tokens": draw.of(&[0, 64, 1_000_000])});
    }
    for client in document["workload"]["clients"].as_array_mut().into_iter().flatten() {
        if draw.one_in(2) {
            client["retention"] = (0..=draw.below(3)).map(|_| directive(draw)).collect();
        }
        if client["agent"].is_object() || client["conversation"].is_object() {
            client["session_kv"] = json!({"supersede": draw.one_in(2),
                "demote_after_s": draw.of(&[Value::Null, json!(0.0), json!(0.01)]),
                "prefetch": if draw.one_in(4) { Value::Null } else { prefetch(draw) }});
        }
        if draw.one_in(4) {
            client["max_offload_tokens"] = json!(draw.of(&[0, 40]));
        }
    }
}

/// A store that is down, or an edit of a tier.
fn edit(draw: &mut Draw) -> Value {
    let set = |path: &str, value: Value| json!({"set": Map::from_iter([(path.to_owned(), value)])});
    let kv = |key: &str| format!("cluster.pools[0].kv.{key}");
    match draw.below(13) {
        0..=2 => json!({"fault": {"kv-store": {"name": "store-0", "for_s": draw.of(&[0.0, 0.001, 0.2])}}}),
        3 => set("cluster.kv_stores[0].gb", json!(draw.of(&[0.0, 0.000_01, 0.01]))),
        4 => set("cluster.kv_stores[0].port_gb_per_s", json!(draw.of(&[0.001, 10.0]))),
        5 => set("cluster.pools[0].kv.load", draw.of(&[json!("always"), json!({"min_tokens": 64})])),
        6 => set("cluster.kv_source", draw.of(&[Value::Null, json!({})])),
        7 => set("cluster.kv_event_delay_us", json!(draw.of(&[0, 400, 30_000]))),
        8 => set(&kv("cpu_write"), write(draw)),
        9 => set(&kv("cpu_ttl_s"), json!(draw.of(&[0.0, 0.02]))),
        10 => set(&kv("eviction_order"), json!(draw.of(&["lru", "vllm", "sglang", "trtllm", "belady"]))),
        11 => set(&kv("offload_prompt_only"), json!(draw.one_in(2))),
        _ => set("cluster.pools[0].kv.secondary_tiers", json!(lower_tiers(draw, 1))),
    }
}

/// Adds tiers and what sessions want kept to the document of a case.
pub(crate) fn add(draw: &mut Draw, document: &mut Value) {
    let (tiers, life) = (draw.one_in(3), draw.one_in(3));
    if tiers {
        give_tiers(draw, document);
    }
    if life {
        give_life(draw, document);
    }
    if !tiers {
        return;
    }
    let mut edits: Vec<Value> = document["edits"].as_array().cloned().unwrap_or_default();
    for _ in 0..draw.below(3) {
        let mut one = edit(draw);
        one["at_us"] = json!(draw.below(1_500_000));
        edits.push(one);
    }
    edits.sort_by_key(|edit| edit["at_us"].as_u64());
    document["edits"] = json!(edits);
    read_at_home(draw, document);
}

/// Homes read from their CPU tiers, if no edit takes away the last decode pool that has one.
fn read_at_home(draw: &mut Draw, document: &mut Value) {
    let keeps = [".role", "pools\"", "disaggregation\"", "cpu_blocks", ".kv\""]
        .iter()
        .all(|part| !document["edits"].to_string().contains(part));
    let decodes = |pool: &Value| pool["role"] == "decode" && pool["kv"]["cpu_blocks"].as_u64() > Some(0);
    let cluster = &mut document["cluster"];
    if keeps && cluster["pools"].as_array().is_some_and(|pools| pools.iter().any(decodes)) && draw.one_in(2) {
        cluster["disaggregation"]["home_hits"] = json!("gpu+cpu");
    }
}
