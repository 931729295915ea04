//! Rows of a run: they match the run in both formats, and do not change it.

use crate::support::memory::Memory;
use crate::support::rows::{cell, lines, rows, start, text, texts, whole};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tokenyard::base::{Micros, RequestId};
use tokenyard::engine::RequestState;
use tokenyard::export::{Format, Output, Table, Tables, events};
use tokenyard::session::Stop;

/// A pool with steps of five milliseconds.
fn pool(name: &str, replicas: u32, blocks: u32) -> Value {
    json!({
        "name": name, "replicas": replicas, "model": "llama-3.1-8b", "gpu": "H100",
        "kv": { "blocks": blocks, "cpu_blocks": 200, "transfer_base_us": 100 },
        "engine": { "max_num_seqs": 6, "max_num_batched_tokens": 256 },
        "latency": { "fitted": { "step_us": 5000 } }
    })
}

/// Two pools with small caches and a tier below them, conversations, single requests of another tenant and class, and more
/// of both than admission lets in. A prompt of the second client may be larger than a cache.
fn crowded() -> Value {
    let lengths = |most: u32| json!({ "gaussian": { "mean_tokens": most / 2, "sd_tokens": most / 3, "min_tokens": 1, "max_tokens": most } });
    json!({
        "seed": 3,
        "run": { "horizon_s": 6, "warmup_s": 1 },
        "cluster": {
            "pools": [pool("small", 2, 30), pool("large", 1, 60)],
            "admission": { "concurrency-limit": { "max_in_flight": 14, "then": "reject" } },
            "routing": { "weighted": { "profile": "custom", "scorers": [
                { "scorer": "prefix-affinity", "weight": 2 }, { "scorer": "queue-depth", "weight": 1 }
            ] } }
        },
        "workload": { "clients": [
            {
                "name": "chats, long ones", "tenant": "blue", "slo_class": "critical",
                "arrivals": { "poisson": { "rate_per_s": 6 } },
                "prompt_tokens": lengths(90), "output_tokens": lengths(60),
                "conversation": { "rounds": { "geometric": { "mean_rounds": 4, "max_rounds": 8 } },
                    "think_time": { "exponential": { "mean_s": 0.3 } }, "max_context_tokens": 400 }
            },
            {
                "name": "\"single\"", "tenant": "red",
                "arrivals": { "poisson": { "rate_per_s": 20 } },
                "prompt_tokens": lengths(520), "output_tokens": lengths(60)
            }
        ] },
        "slo": { "ttft_ms": 200, "tpot_ms": 8 }
    })
}

/// A preset, shortened.
fn preset(name: &str, horizon_s: u32) -> Value {
    let preset = tokenyard::scenario::preset::Preset::named(name).expect("there is one of that name");
    let mut scenario: Value = serde_json::from_str(preset.text).expect("a preset is JSON");
    scenario["run"] = json!({ "horizon_s": horizon_s, "warmup_s": 1 });
    scenario["edits"] = json!([]);
    scenario
}

fn all(format: Format) -> [(Table, Format); 5] {
    Table::ALL.map(|table| (table, format))
}

#[test]
fn every_request_has_one_row_and_its_times_and_figures_are_those_of_its_record() {
    let mut session = start(&crowded());
    let found = rows(&mut session, Table::Requests);
    let records = session.engine().records();
    assert_eq!(found.len(), records.len());
    for (i, (row, r)) in (0..).zip(found.iter().zip(records)) {
        assert_eq!(whole(row, "request"), Some(i));
        assert_eq!(whole(row, "arrival_us"), Some(r.arrival.0));
        let instants =
            [("routed_us", r.routed), ("queued_us", r.queued), ("first_scheduled_us", r.first_scheduled)];
        for (name, at) in instants {
            assert_eq!(whole(row, name), at.get().map(|at| at.0), "{name} of {i}");
        }
        let since_arrival = |name| whole(row, name).map(|at| at - r.arrival.0);
        assert_eq!(whole(row, "ttft_us"), r.ttft.get().map(|ttft| ttft.0));
        assert_eq!(whole(row, "ttft_us"), since_arrival("first_token_us"));
        assert_eq!(whole(row, "e2e_us"), r.e2e.get().map(|e2e| e2e.0));
        if r.state() == RequestState::Completed {
            assert_eq!(whole(row, "e2e_us"), since_arrival("end_us"));
            assert_eq!(whole(row, "output_tokens"), Some(u64::from(r.output_tokens)));
        } else {
            assert_eq!(whole(row, "end_us"), r.left.get().map(|at| at.0));
        }
        assert_eq!(text(row, "state"), r.state().name());
        assert_eq!(whole(row, "preemptions"), Some(u64::from(r.preemptions)));
        assert_eq!(whole(row, "prompt_tokens"), Some(u64::from(r.prompt_tokens)));
        assert_eq!(whole(row, "replica"), r.replica().map(|id| u64::from(id.0)));
        assert_eq!(whole(row, "session"), Some(u64::from(r.session)).filter(|s| *s > 0));
        let load = session.engine().load(RequestId(i as u32)).map(|at| at.map(|at| at.0));
        assert_eq!([whole(row, "kv_load_start_us"), whole(row, "kv_load_end_us")], load);
        let of_pool = r.replica().map_or("", |id| if id.0 < 2 { "small" } else { "large" });
        assert_eq!(text(row, "pool"), of_pool);
        let client = ["chats, long ones", "\"single\""][r.client as usize];
        assert_eq!(text(row, "client"), client);
        assert_eq!(text(row, "tenant"), ["blue", "red"][r.client as usize]);
        assert_eq!(text(row, "slo_class"), ["critical", "standard"][r.client as usize]);
    }
}

/// How many rows have this in that column.
fn counted(found: &[Map<String, Value>], name: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for row in found {
        *counts.entry(text(row, name).to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn the_rows_of_requests_add_up_to_the_report() {
    let mut session = start(&crowded());
    let found = rows(&mut session, Table::Requests);
    let report: Value = serde_json::from_str(&session.report()).expect("a report is JSON");
    let of_state = counted(&found, "state");
    for state in ["completed", "rejected", "dropped", "queued", "running"] {
        let n = of_state.get(state).copied().unwrap_or_default();
        assert_eq!(json!(n), report["requests"][state], "{state}");
    }
    for state in ["completed", "rejected", "dropped"] {
        assert!(of_state.contains_key(state), "the run is meant to have requests {state}: {of_state:?}");
    }
    let preemptions: u64 = found.iter().filter_map(|row| whole(row, "preemptions")).sum();
    assert!(preemptions > 0, "the run is meant to preempt");
    assert_eq!(json!(preemptions), report["requests"]["preemptions"]);
    let reasons = counted(&found, "reason");
    assert_eq!(reasons["concurrency limit"], of_state["rejected"]);
    assert_eq!(
        reasons["prompt-exceeds-kv-cache"] + reasons.get("outgrew-kv-cache").unwrap_or(&0),
        of_state["dropped"]
    );
    for (kind, column) in [("ttft", "ttft_us"), ("tpot", "tpot_us"), ("e2e", "e2e_us")] {
        let measured = found.iter().filter(|row| cell(row, "measured") == &json!(true));
        let values: Vec<u64> = measured.filter_map(|row| whole(row, column)).collect();
        let of_report = &report["latency_ms"][kind];
        assert_eq!(json!(values.len()), of_report["count"], "{kind}");
        let longest = values.iter().max().copied().unwrap_or_default() as f64 / 1000.0;
        assert_eq!(json!(longest), of_report["max"], "{kind}");
    }
    assert!(
        found.iter().any(|row| whole(row, "kv_load_end_us").is_some()),
        "the run is meant to load blocks"
    );
    assert!(
        found.iter().any(|row| whole(row, "cached_tokens") > Some(0)),
        "the run is meant to find prefixes"
    );
    assert!(
        found.iter().any(|row| cell(row, "slo_met") == &json!(false)),
        "the run is meant to miss objectives"
    );
}

#[test]
fn the_results_of_a_run_do_not_depend_on_its_rows() {
    for anomalies in [true, false] {
        let mut scenario = crowded();
        scenario["observe"] = json!({ "anomalies": anomalies });
        let (mut with, mut without) = (start(&scenario), start(&scenario));
        texts(&mut with, &all(Format::Csv), 2);
        without.advance(Micros::MAX, u64::MAX);
        assert_eq!(with.report(), without.report());
    }
}

/// The cell as CSV has it.
fn in_csv(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[test]
fn both_formats_have_the_same_cells() {
    let mut scaled = crowded();
    scaled["cluster"]["pools"][0]["scaling"] =
        json!({ "policy": { "queue-depth": {} }, "max": 4, "tick_s": 0.5, "scrape_s": 0.5 });
    let lines_of = texts(&mut start(&scaled), &all(Format::Jsonl), 64);
    let csv_of = texts(&mut start(&scaled), &all(Format::Csv), 64);
    for ((table, jsonl), csv) in Table::ALL.into_iter().zip(&lines_of).zip(&csv_of) {
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let names: Vec<String> = reader.headers().expect("names").iter().map(str::to_owned).collect();
        let objects = lines(jsonl);
        let records: Vec<csv::StringRecord> = reader.records().map(|r| r.expect("a row")).collect();
        assert_eq!(records.len(), objects.len(), "{table:?}");
        assert!(!objects.is_empty(), "{table:?}");
        for (record, object) in records.iter().zip(&objects) {
            let keys: Vec<&String> = object.keys().collect();
            assert_eq!(keys, names.iter().collect::<Vec<_>>());
            let cells: Vec<String> = object.values().map(in_csv).collect();
            assert_eq!(record.iter().collect::<Vec<_>>(), cells);
        }
    }
}

#[test]
fn events_are_all_facts_in_order_and_name_what_the_requests_did() {
    let mut session = start(&crowded());
    let [requests, found] =
        &texts(&mut session, &[(Table::Requests, Format::Jsonl), (Table::Events, Format::Jsonl)], 1)[..]
    else {
        panic!("two tables were asked for");
    };
    let (requests, found) = (lines(requests), lines(found));
    let times: Vec<u64> = found.iter().filter_map(|row| whole(row, "time_us")).collect();
    assert!(times.len() == found.len() && times.is_sorted());
    let of_event = counted(&found, "event");
    let known: Vec<&str> = events().iter().map(|(name, _)| *name).collect();
    for name in of_event.keys() {
        assert!(known.contains(&name.as_str()), "{name}");
    }
    let report: Value = serde_json::from_str(&session.report()).expect("a report is JSON");
    for (event, part) in [
        ("arrived", "arrived"),
        ("completed", "completed"),
        ("rejected", "rejected"),
        ("dropped", "dropped"),
        ("preempted", "preemptions"),
    ] {
        assert_eq!(json!(of_event[event]), report["requests"][part], "{event}");
    }
    assert_eq!(json!(of_event["kv-loaded"]), report["kv"]["cpu"]["loads"]);
    for row in &found {
        let Some(request) = whole(row, "request") else { continue };
        let of_request = &requests[request as usize];
        match text(row, "event") {
            "arrived" => assert_eq!(whole(row, "time_us"), whole(of_request, "arrival_us")),
            "routed" => assert_eq!(whole(row, "time_us"), whole(of_request, "routed_us")),
            "queued" if whole(of_request, "preemptions") == Some(0) => {
                assert_eq!(whole(row, "time_us"), whole(of_request, "queued_us"));
            }
            "first-token" => assert_eq!(whole(row, "ttft_us"), whole(of_request, "ttft_us")),
            "completed" => assert_eq!(whole(row, "e2e_us"), whole(of_request, "e2e_us")),
            "rejected" | "dropped" => assert_eq!(cell(row, "reason"), cell(of_request, "reason")),
            _ => {}
        }
    }
    let shown = |row: &&Map<String, Value>| ["first-token", "tokens"].contains(&text(row, "event"));
    let tokens: u64 = found.iter().filter(shown).filter_map(|row| whole(row, "output_tokens")).sum();
    let of_requests: u64 = requests.iter().filter_map(|row| whole(row, "output_tokens")).sum();
    assert_eq!(tokens, of_requests);
}

#[test]
fn an_edit_reports_the_replicas_it_starts_and_stops() {
    let mut scenario = preset("chat-4xh100", 4);
    scenario["edits"] = json!([
        { "at_us": 1_000_000, "set": { "cluster.pools[0].replicas": 5 } },
        { "at_us": 2_000_000, "set": { "cluster.pools[0].replicas": 3 } }
    ]);
    let found = rows(&mut start(&scenario), Table::Events);
    let of = |event: &str| -> Vec<(Option<u64>, Option<u64>)> {
        let rows = found.iter().filter(|row| text(row, "event") == event);
        rows.map(|row| (whole(row, "time_us"), whole(row, "replica"))).collect()
    };
    assert_eq!(of("serving"), [(Some(1_000_000), Some(4))]);
    assert_eq!(of("draining").len(), 2);
    let pools = counted(&found, "pool");
    assert_eq!(pools.get("main").copied(), Some(1), "{pools:?}");
}

#[test]
fn decisions_show_each_candidate_with_the_parts_that_its_score_is_the_sum_of() {
    let mut session = start(&crowded());
    let found = rows(&mut session, Table::Decisions);
    let mut chosen = 0;
    for decision in found.chunk_by(|a, b| cell(a, "decision") == cell(b, "decision")) {
        assert_eq!(decision.len(), 3, "all candidates");
        let ranks: Vec<u64> = decision.iter().filter_map(|row| whole(row, "rank")).collect();
        assert_eq!(ranks, [1, 2, 3]);
        let scores: Vec<f64> = decision.iter().filter_map(|row| cell(row, "score").as_f64()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        for (row, score) in decision.iter().zip(&scores) {
            let part = |name: &str| cell(row, name).as_f64().expect("the policy scores");
            let sum = part("score_prefix_affinity") * part("weight_prefix_affinity")
                + part("score_queue_depth") * part("weight_queue_depth");
            assert!((sum - score).abs() < 1e-12, "{row:?}");
            let load = ["waiting", "running", "in_flight"].map(|name| whole(row, name).expect("it is seen"));
            assert_eq!(whole(row, "load"), Some(load.iter().sum()));
        }
        let it: Vec<_> = decision.iter().filter(|row| cell(row, "chosen") == &json!(true)).collect();
        let [row] = it[..] else { panic!("{} chosen of {decision:?}", it.len()) };
        chosen += 1;
        let request = whole(row, "request").expect("it is about a request") as usize;
        let record = session.engine().records().at(request);
        assert_eq!(whole(row, "time_us"), record.routed.get().map(|at| at.0));
        assert_eq!(whole(row, "replica"), record.replica().map(|id| u64::from(id.0)));
        let regret = scores[0] - cell(row, "score").as_f64().expect("it has a score");
        assert_eq!(cell(row, "score_regret").as_f64(), Some(regret));
    }
    let routed = session.engine().records().into_iter().filter(|r| r.routed.is_known()).count();
    assert_eq!((chosen, routed > 50), (routed, true));
}

#[test]
fn of_many_candidates_the_best_and_the_chosen_one_are_written() {
    let mut scenario = preset("chat-4xh100", 3);
    scenario["cluster"]["pools"][0]["replicas"] = json!(8);
    scenario["cluster"]["routing"] = json!("always-busiest");
    let asked = [(Table::Decisions, Format::Jsonl)];
    let found = lines(&texts(&mut start(&scenario), &asked, 2)[0]);
    let mut worst = 0;
    for decision in found.chunk_by(|a, b| cell(a, "decision") == cell(b, "decision")) {
        let ranks: Vec<u64> = decision.iter().filter_map(|row| whole(row, "rank")).collect();
        assert_eq!(ranks[..2], [1, 2]);
        let beyond = decision.iter().skip(2).filter(|row| cell(row, "chosen") == &json!(true)).count();
        assert_eq!(beyond, decision.len() - 2, "only the chosen one stands beyond the best two");
        worst += beyond;
    }
    assert!(worst > 10, "the busiest of eight is seldom among the best two: {worst}");
}

#[test]
fn a_scorer_that_an_edit_brings_has_its_columns_from_the_start() {
    let mut scenario = preset("chat-4xh100", 4);
    scenario["cluster"]["routing"] = json!("random");
    scenario["edits"] = json!([{ "at_us": 2_000_000, "set": { "cluster.routing": "weighted" } }]);
    let found = rows(&mut start(&scenario), Table::Decisions);
    let (before, after): (Vec<_>, Vec<_>) =
        found.iter().partition(|row| whole(row, "time_us") < Some(2_000_000));
    assert!(!before.is_empty() && !after.is_empty());
    assert!(before.iter().all(|row| cell(row, "score_queue_depth").is_null()));
    assert!(after.iter().all(|row| cell(row, "score_queue_depth").is_f64() && cell(row, "weight_kv_utilization").is_f64()));
}

#[test]
fn every_policy_has_columns_for_all_that_it_scores() {
    for routing in
        ["prefix-aware", "prefix-overlap", "cost-escalation", "session-affinity", "power-of-d", "least-kv"]
    {
        let mut scenario = crowded();
        scenario["cluster"]["routing"] = json!({ routing: {} });
        if routing == "least-kv" {
            scenario["cluster"]["routing"] = json!(routing);
        }
        for row in rows(&mut start(&scenario), Table::Decisions) {
            let score = cell(&row, "score").as_f64().expect("it has a score");
            let parts: Vec<&String> =
                row.keys().filter(|name| name.starts_with("score_") && *name != "score_regret").collect();
            let product = |name: &&String| {
                let weight = name.replacen("score", "weight", 1);
                cell(&row, name).as_f64().zip(cell(&row, &weight).as_f64()).map(|(x, y)| x * y)
            };
            let products: Vec<f64> = parts.iter().filter_map(product).collect();
            let sum = if products.is_empty() {
                -cell(&row, "load").as_f64().expect("a load")
            } else {
                products.iter().sum()
            };
            assert!((sum - score).abs() < 1e-9, "{routing}: {row:?}");
        }
    }
}

#[test]
fn a_decision_with_only_full_queues_says_so_and_refuses_without_a_chosen_replica() {
    let mut scenario = crowded();
    for pool in scenario["cluster"]["pools"].as_array_mut().expect("pools") {
        pool["engine"]["max_waiting"] = json!(1);
    }
    scenario["cluster"]["admission"] = json!("always-admit");
    let mut session = start(&scenario);
    let found = rows(&mut session, Table::Decisions);
    let left_out: Vec<_> = found.iter().filter(|row| text(row, "excluded") == "queue-full").collect();
    assert!(!left_out.is_empty());
    assert!(left_out.iter().all(|row| cell(row, "chosen") == &json!(false)));
    let refused = found.iter().filter(|row| cell(row, "score_regret").is_null()).count();
    assert!(refused > 0, "the run is meant to refuse");
}

#[test]
fn the_series_add_up_to_the_requests_and_cover_the_run_without_a_gap() {
    let mut session = start(&crowded());
    let found = rows(&mut session, Table::Series);
    let (cluster, replicas): (Vec<_>, Vec<_>) = found.iter().partition(|row| cell(row, "replica").is_null());
    let mut end = 0;
    for row in &cluster {
        assert_eq!(whole(row, "bucket_start_us"), Some(end));
        end += whole(row, "bucket_width_us").expect("a bucket has a width");
    }
    assert_eq!(end, 6_000_000);
    let report: Value = serde_json::from_str(&session.report()).expect("a report is JSON");
    for (column, part) in [("arrived", "arrived"), ("completed", "completed"), ("preemptions", "preemptions")]
    {
        let sum: u64 = cluster.iter().filter_map(|row| whole(row, column)).sum();
        assert_eq!(json!(sum), report["requests"][part], "{column}");
    }
    let first_tokens: u64 = cluster.iter().filter_map(|row| whole(row, "ttft_count")).sum();
    let records = session.engine().records();
    assert_eq!(first_tokens, records.into_iter().filter(|r| r.ttft.is_known()).count() as u64);
    let full: Vec<_> = cluster.iter().filter(|row| !cell(row, "waiting").is_null()).collect();
    assert_eq!(replicas.len(), 3 * full.len());
    for bucket in full {
        let of_bucket =
            replicas.iter().filter(|row| cell(row, "bucket_start_us") == cell(bucket, "bucket_start_us"));
        assert_eq!(
            of_bucket.filter_map(|row| whole(row, "waiting")).sum::<u64>(),
            whole(bucket, "waiting").unwrap_or_default()
        );
    }
    assert!(replicas.iter().any(|row| cell(row, "kv_usage").as_f64() > Some(0.5)));
}

#[test]
fn a_run_cut_into_pieces_writes_the_same_rows_up_to_each_instant() {
    let mut whole_run = start(&crowded());
    let whole_text = texts(&mut whole_run, &[(Table::Events, Format::Csv)], 1).remove(0);
    let mut session = start(&crowded());
    let file = Memory::default();
    let output = Output { table: Table::Events, format: Format::Csv, out: Box::new(file.clone()) };
    let mut tables = Tables::new(&session, vec![output], 1);
    let stop = tables.advance(&mut session, Micros(2_000_000), u64::MAX).expect("memory takes all");
    assert_eq!(stop, Stop::Until);
    assert!(tables.write_rest(&session, u32::MAX).expect("memory takes all"));
    let part = file.text();
    assert!(whole_text.starts_with(&part));
    let next = whole_text[part.len()..].lines().next().and_then(|line| line.split(',').next());
    assert!(next.and_then(|time| time.parse().ok()) > Some(2_000_000_u64), "{next:?}");
}

#[test]
fn docs_explain_every_column_and_every_event_and_no_others() {
    let page = include_str!("../../../docs/reference/output.md");
    let rows_of = |heading: &str| -> Vec<&str> {
        let section = page.split("\n## ").find(|section| section.starts_with(heading));
        let section = section.unwrap_or_else(|| panic!("docs/reference/output.md has no section {heading}"));
        section.lines().filter(|line| line.starts_with("| `")).collect()
    };
    for table in Table::ALL {
        let unit = |unit: &str| if unit.is_empty() { String::new() } else { format!("{unit} ") };
        let columns = table.columns();
        let expected: Vec<String> =
            columns.iter().map(|c| format!("| `{}` | {}| {} |", c.name, unit(c.unit), c.help)).collect();
        assert_eq!(
            rows_of(table.name()),
            expected,
            "the section {} of docs/reference/output.md is to have\n{}",
            table.name(),
            expected.join("\n")
        );
    }
    let expected: Vec<String> =
        events().iter().map(|(name, help)| format!("| `{name}` | {help} |")).collect();
    assert_eq!(
        rows_of("what happens"),
        expected,
        "docs/reference/output.md is to have\n{}",
        expected.join("\n")
    );
}
