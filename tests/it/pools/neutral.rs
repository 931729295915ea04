//! Factors that meet in a pool, two by two: with one of them in force, another that is written down with its neutral value changes no
//! byte of the report and no row of a request.

use crate::support::rows::lines;
use serde_json::{Map, Value, json};
use tokenyard::base::Micros;
use tokenyard::export::{Format, Output, Table, Tables};
use tokenyard::scenario::parse;
use tokenyard::session::{Audience, Session, Stop};

/// What a factor puts into a scenario: into both pools, into each of the two, into the cluster, into each client.
#[derive(Clone, Default)]
struct Fields {
    pool: Value,
    each: [Value; 2],
    cluster: Value,
    client: Value,
}

/// A factor in force; its neutral value, by all of its keys; and the neutral values of the keys beside those that put it in force.
struct Factor {
    name: &'static str,
    active: Fields,
    neutral: Fields,
    beside: Fields,
}

fn pool(pool: Value) -> Fields {
    Fields { pool, ..Fields::default() }
}

/// Pools that answer one client's conversations; about half of the requests are done when the run ends.
fn base() -> Value {
    let pool = |name: &str| {
        json!({"name": name, "replicas": 2, "tp": 2, "kv": {"blocks": 40, "block_tokens": 16},
        "engine": {"max_num_seqs": 8, "max_num_batched_tokens": 256},
        "architecture": {"layers": 4, "hidden": 256, "heads": 4, "kv_heads": 1, "vocab": 640,
            "experts": 8, "experts_per_token": 2},
        "hardware": {"memory_gib": 80, "tflops": 1.0, "bandwidth_tb_per_s": 0.01},
        "latency": {"calibrated": {"engine": "synchronous", "coefficients": {
            "weights_efficiency": 1, "kv_efficiency": 1, "compute_efficiency": 1, "attention_efficiency": 1,
            "compute_not_hidden": 0.3, "step_us": 1000, "step_us_per_layer": 10, "step_us_per_sequence": 5,
            "step_us_per_sequence_layer": 1, "step_us_per_prompt": 3000, "step_us_with_prefill": 500,
            "step_us_per_expert_layer": 20, "prefill_us_per_expert_layer": 20, "step_us_per_parallel_layer": 3,
            "reduce_us_per_megabyte": 2, "queueing_us": 100, "queueing_us_per_prompt_token": 1}}}})
    };
    let lengths = |median: u32, most: u32| json!({"lognormal": {"median_tokens": median, "sigma": 0.6, "min_tokens": 1, "max_tokens": most}});
    json!({
        "tokenyard": 1, "seed": 3, "run": {"horizon_s": 4, "warmup_s": 0.5},
        "cluster": {"routing": "round-robin", "pools": [pool("a"), pool("b")]},
        "workload": {"clients": [{"arrivals": {"poisson": {"rate_per_s": 7}},
            "prompt_tokens": lengths(60, 200), "output_tokens": lengths(24, 90),
            "conversation": {"rounds": {"constant": {"rounds": 3}}, "think_time": {"constant": {"think_s": 0.2}}},
            "prefix": {"groups": 3, "tokens": 64}}]},
        "slo": {"ttft_ms": 100, "tpot_ms": 20},
    })
}

/// All of them. Ranks come after the experts that they share.
fn factors() -> Vec<Factor> {
    [of_pools(), of_steps(), of_blocks()].into_iter().flatten().collect()
}

fn of_pools() -> Vec<Factor> {
    let cluster = |cluster: Value| Fields { cluster, ..Fields::default() };
    let roles = cluster(json!({"disaggregation": {"decider": "always", "transfer": {"port_gb_per_s": 0.1}}}));
    let unread = cluster(
        json!({"disaggregation": {"decider": "always", "handoff": "push", "first_token": "prefill"}}),
    );
    vec![
        Factor {
            name: "prefill and decode apart",
            active: Fields { each: [json!({"role": "prefill"}), json!({"role": "decode"})], ..roles },
            neutral: Fields { pool: json!({"role": "mixed"}), ..unread },
            beside: cluster(json!({"disaggregation": {"handoff": "pull", "first_token": "decode",
                "home_hits": "gpu", "transfer": {"overlap_share": 0, "shared_ports": true}}})),
        },
        Factor {
            name: "faults",
            active: cluster(
                json!({"faults": {"crash_mtbf_s": 1.5, "restart_s": 0.3}, "resilience": {"retries": 2}}),
            ),
            neutral: cluster(json!({"faults": {"crash_mtbf_s": 0, "restart_s": 3},
                "resilience": {"retries": 1, "backoff_ms": 7}})),
            beside: cluster(json!({"resilience": {"resume": false}})),
        },
        Factor {
            name: "adapters",
            active: Fields {
                client: json!({"adapters": {"uniform": {"count": 4}}}),
                ..pool(json!({"lora": {"max_loras": 2, "adapter_mib": 4}}))
            },
            neutral: Fields {
                client: json!({"adapters": {"weighted": {"adapters": [{"name": "", "weight": 1}]}}}),
                ..pool(json!({"lora": null}))
            },
            beside: pool(json!({"lora": {"max_cpu_loras": 0}})),
        },
    ]
}

fn of_steps() -> Vec<Factor> {
    vec![
        Factor {
            name: "experts",
            active: pool(json!({"expert_ranks": 2, "expert_ranks_lockstep": false,
                "experts": {"skew": {"zipf": 1}}})),
            neutral: pool(json!({"experts": {"split": "ranks", "skew": "even", "eplb": null}})),
            beside: pool(json!({"experts": {"split": "ranks", "eplb": null}})),
        },
        Factor {
            name: "lock step",
            active: pool(
                json!({"expert_ranks": 2, "expert_ranks_lockstep": true, "ranks": {"padding": "max"}}),
            ),
            neutral: pool(json!({"expert_ranks": 1, "expert_ranks_lockstep": true})),
            beside: pool(
                json!({"ranks": {"seen": "flat", "balance": "waiting", "sync_ms": 0, "align_prefills_ms": 0}}),
            ),
        },
        Factor {
            name: "drafts",
            active: pool(json!({"engine": {"speculative": {"tokens": 2, "acceptance": 0.6}}})),
            neutral: pool(json!({"engine": {"speculative": null}})),
            beside: pool(json!({"engine": {"speculative": {"positions": [], "disable_above_batch": 0,
                "pad_first_step": true, "prefill_share": 0, "draft_layers": 0}}})),
        },
        Factor {
            name: "stages",
            active: pool(json!({"pp": 2})),
            neutral: pool(json!({"pp": 1, "pp_link_gb_per_s": 7})),
            beside: pool(json!({"pp_link_gb_per_s": 50})),
        },
        Factor {
            name: "mixed steps",
            active: pool(json!({"engine": {"mixed_step_us": 4000}})),
            neutral: pool(json!({"engine": {"mixed_step_us": 0}})),
            beside: Fields::default(),
        },
    ]
}

fn of_blocks() -> Vec<Factor> {
    let unused = json!({"kv_stores": [{"name": "unused"}], "kv_event_delay_us": 0});
    let store = json!({"kv_stores": [{"name": "s", "gb": 1, "port_gb_per_s": 1}]});
    vec![
        Factor {
            name: "tiers",
            active: Fields {
                cluster: store,
                ..pool(json!({"kv": {"cpu_blocks": 60, "transfer_tokens_per_us": 0.5,
                    "secondary_tiers": [{"store": {"name": "s"}}]}}))
            },
            neutral: Fields {
                cluster: unused,
                ..pool(json!({"kv": {"cpu_blocks": 0, "cpu_ttl_s": 3, "transfer_base_us": 70,
                    "secondary_tiers": [], "write_decode": false, "load": "always"}}))
            },
            beside: pool(json!({"kv": {"cpu_tier": "offloading", "cpu_write": "write-through",
                "cpu_eviction": "lru", "cpu_ttl_s": 0, "load_wait": "complete", "load_asked": "turn"}})),
        },
        Factor {
            name: "divided cache",
            active: Fields {
                each: [Value::Null, json!({"dcp": {"size": 2, "us_per_layer": 30}})],
                ..Fields::default()
            },
            neutral: pool(json!({"dcp": {"size": 1, "us_per_layer": 30}})),
            beside: Fields::default(),
        },
        Factor {
            name: "pauses and orders",
            active: Fields {
                client: json!({"retention": [{"priority": 70, "duration_s": 1}], "session_kv": {"supersede": true}}),
                ..pool(json!({"kv": {"eviction_order": "vllm"}}))
            },
            neutral: Fields {
                client: json!({"retention": [], "session_kv": null}),
                ..pool(json!({"kv": {"eviction_order": "lru", "max_protected_share": 0.5}}))
            },
            beside: pool(json!({"kv": {"max_protected_share": 1}})),
        },
    ]
}

/// Puts fields into an object and the objects in it; without `over` those that are there stay.
fn put(into: &mut Value, more: &Value, over: bool) {
    for (name, value) in more.as_object().into_iter().flatten() {
        let there = &mut into[name];
        if value.is_object() && (there.is_object() || there.is_null()) {
            put(there, value, over);
        } else if over || there.is_null() {
            *there = value.clone();
        }
    }
}

fn with(document: &mut Value, fields: &Fields, over: bool) {
    put(&mut document["cluster"], &fields.cluster, over);
    for i in 0..2 {
        put(&mut document["cluster"]["pools"][i], &fields.pool, over);
        put(&mut document["cluster"]["pools"][i], &fields.each[i], over);
    }
    put(&mut document["workload"]["clients"][0], &fields.client, over);
}

/// The report, and the rows of requests as text; none if the scenario is refused. What names the document is left out: its digest and
/// warnings.
fn outcome(document: &Value) -> Option<(Value, String)> {
    let scenario = parse(&document.to_string()).ok()?;
    let mut session = Session::start(scenario, None, Audience::Batch).ok()?.0;
    let file = crate::support::memory::Memory::default();
    let output = Output { table: Table::Requests, format: Format::Jsonl, out: Box::new(file.clone()) };
    let mut tables = Tables::new(&session, vec![output], 1);
    while tables.advance(&mut session, Micros::MAX, 1000).expect("memory takes all") != Stop::Finished {}
    while !tables.write_rest(&session, 1000).expect("memory takes all") {}
    session.engine().verify(true);
    let mut report = serde_json::to_value(session.report_data()).expect("a report is JSON");
    let parts: &mut Map<String, Value> = report.as_object_mut().expect("an object");
    parts.retain(|name, _| !["scenario_digest", "link", "notices"].contains(&name.as_str()));
    Some((report, file.text()))
}

/// A document in which these factors are in force.
fn active(factors: &[&Factor]) -> Value {
    let mut document = base();
    for factor in factors {
        with(&mut document, &factor.active, true);
    }
    document
}

#[test]
fn a_factor_at_its_neutral_value_changes_nothing_beside_any_other() {
    let (all, plain) = (factors(), outcome(&base()).expect("a sound scenario"));
    assert!(lines(&plain.1).len() > 40 && plain.1.contains("\"e2e_us\":null"), "{}", plain.1);
    for a in &all {
        let document = active(&[a]);
        let alone = outcome(&document).unwrap_or_else(|| panic!("{} is refused", a.name));
        assert_ne!(alone, plain, "{} does nothing", a.name);
        for b in &all {
            let mut more = document.clone();
            with(&mut more, if a.name == b.name { &b.beside } else { &b.neutral }, false);
            assert!(
                outcome(&more).as_ref() == Some(&alone),
                "{}, with {} at its neutral value",
                a.name,
                b.name
            );
        }
    }
}

#[test]
fn two_factors_meet_unless_refused_and_all_others_at_their_neutral_values_change_nothing() {
    let all = factors();
    let mut refused = Vec::new();
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            let mut document = active(&[a, b]);
            let Some(both) = outcome(&document) else {
                refused.push([a.name, b.name]);
                continue;
            };
            for c in all.iter().filter(|c| ![a.name, b.name].contains(&c.name)) {
                with(&mut document, &c.neutral, false);
            }
            assert!(outcome(&document) == Some(both), "{} and {}", a.name, b.name);
        }
    }
    let with_stages = [["experts", "stages"], ["lock step", "stages"], ["drafts", "stages"]];
    assert_eq!(refused, [&with_stages[..], &[["stages", "divided cache"]]].concat());
}

/// Values that are in force and say that nothing is so: the report names them, and the requests fare as without.
#[test]
fn equal_shares_of_experts_and_rules_that_ask_for_nothing_move_no_request() {
    let skews = [json!({"zipf": 0}), json!({"imbalance": 1}), json!({"weights": vec![3; 8]})];
    let experts = skews.map(|skew| pool(json!({"experts": {"skew": skew}})));
    let moved = pool(json!({"experts": {"eplb": {"interval_steps": 10}}}));
    let asked = Fields { client: json!({"session_kv": {"supersede": false}}), ..Fields::default() };
    let obeyed_by_none = Fields { client: json!({"retention": [{"priority": 70}]}), ..Fields::default() };
    let all = factors();
    let ranks = all.iter().filter(|f| ["lock step", "prefill and decode apart", "tiers"].contains(&f.name));
    let mut document = active(&ranks.collect::<Vec<_>>());
    let rows = outcome(&document).expect("a sound scenario").1;
    for fields in experts.iter().chain([&moved, &asked, &obeyed_by_none]) {
        let before = document.clone();
        with(&mut document, fields, true);
        assert_eq!(
            outcome(&document).expect("a sound scenario").1,
            rows,
            "{}",
            document["cluster"]["pools"][0]
        );
        document = before;
    }
}
