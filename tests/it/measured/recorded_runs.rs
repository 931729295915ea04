//! Measured runs: a made-up sample in all its forms, broken input, and the recorded table on the measured runs themselves.

use crate::support::command::{TempFolder, printed, printed_json, refused, run, stderr};
use crate::support::documents::put_all;
use serde_json::{Value, json};
use std::path::Path;
use tokenyard::validate::{Latency, Options, Outcome, Row, read, replay};

fn experiment(id: &str, change: &Value) -> Value {
    let mut e = json!({
        "id": id, "group": "B", "model": "meta-llama/Llama-3.1-8B-Instruct", "precision": "fp16",
        "gpu": "H100-80GB-SXM", "tp": 1, "replicas": 1,
        "engine": {"version": "0.15.1", "max_num_seqs": 128, "max_num_batched_tokens": 2048, "new_field": [1]},
        "client": {"tool": "inference-perf", "latency_side": "client"},
        "workload": {
            "loop": "open", "stages": [{"req_per_s": 4, "duration_s": 20}, {"req_per_s": 8, "duration_s": 20}],
            "input_tokens": {"system": 100, "question": 400}, "output_tokens": 50,
            "prefix": {"distinct_prompts": 10, "prompts_per_group": 5, "shared_tokens_in_group": 100}
        },
        "measured": [
            {"stage": 0, "offered_req_per_s": 4, "ttft_ms": {"mean": 25.0, "p99": null}, "tpot_ms": {"mean": 7.3}},
            {"stage": "all", "e2e_ms": {"mean": 400.0, "unknown": 3}}
        ]
    });
    put_all(&mut e, change);
    e
}

/// Replays experiments with two seeds, beside files with these names and texts.
fn replayed(experiments: &Value, files: &[(&str, &str)]) -> Outcome {
    let (found, problems) = read(&experiments.to_string()).expect("experiments");
    assert_eq!(problems, []);
    let file = |name: &str| {
        let found = files.iter().find(|(file, _)| *file == name);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| "it is not there".to_owned())
    };
    let options = Options { latency: Latency::Calibrated, seeds: 2, fit_to: None };
    let mut all = Outcome::default();
    for outcome in found.iter().map(|e| replay(e, &file, &options)) {
        all.rows.extend(outcome.rows);
        all.unmodelled.extend(outcome.unmodelled);
    }
    all
}

fn of<'a>(outcome: &'a Outcome, id: &str) -> Vec<&'a Row> {
    outcome.rows.iter().filter(|row| row.id == id).collect()
}

#[test]
fn ladders_closed_loops_points_and_request_files_are_replayed() {
    let points =
        "id,isl,osl,tp,concurrency,ttft_mean_ms,tpot_mean_ms,measured_on,flags\ng,1000,20,1,4,50,8,,\n";
    let rows = "arrival_us,input_tokens,output_tokens,prefix_reuse_max\n0,600,20,0\n1000,700,30,512\n";
    let closed = json!({"loop": "closed", "stages": [{"concurrency": 4, "requests": 8}], "input_tokens": 100, "output_tokens": 20});
    let all = json!([
        experiment("ladder", &json!({})),
        experiment(
            "closed",
            &json!({"group": "E", "client": {}, "workload": closed,
            "measured": [{"stage": "c4", "itl_ms": {"p50": 7.0}, "req_per_s": 20.0}]})
        ),
        experiment("g", &json!({"group": "G", "measured": [], "workload": {"loop": "closed", "points": 1}})),
        experiment(
            "file",
            &json!({"group": "C", "client": {"latency_side": "server"},
            "workload": {"loop": "open", "requests_file": "rows.csv"},
            "measured": [{"stage": "all", "ttft_ms": {"mean": 40.0}, "makespan_s": 0.3}]})
        ),
    ]);
    let files = [("points.csv", points), ("rows.csv", rows)];
    let outcome = replayed(&all, &files);
    for (id, count) in [("ladder", 3), ("closed", 2), ("g", 2), ("file", 2)] {
        assert_eq!(of(&outcome, id).len(), count, "{id}: {outcome:?}");
    }
    for row in &outcome.rows {
        let error = row.error.expect("something was measured");
        assert!(
            (error - (row.simulated / row.measured - 1.0)).abs() < 1e-9 && row.simulated > 0.0,
            "{row:?}"
        );
    }
    assert_eq!(of(&outcome, "ladder")[0].seeds, 2);
    assert_eq!(replayed(&all, &files).rows, outcome.rows);
}

#[test]
fn what_cannot_be_modelled_is_named_and_the_rest_is_replayed() {
    let all = json!([
        experiment("pd", &json!({"disaggregated": {"prefill": 1}})),
        experiment("eagle", &json!({"engine": {"speculative": "EAGLE"}})),
        experiment("model", &json!({"model": "nobody/knows-13b"})),
        experiment("gpu", &json!({"gpu": "TPU"})),
        experiment(
            "rate",
            &json!({"workload": {"loop": "open", "input_tokens": 5, "output_tokens": 5}, "client": {},
            "measured": [{"stage": 0, "ttft_ms": {"mean": 1}}]})
        ),
        experiment("file", &json!({"workload": {"requests_file": "missing.csv.gz"}})),
        experiment("good", &json!({})),
    ]);
    let outcome = replayed(&all, &[]);
    assert_eq!(of(&outcome, "good").len(), 3);
    let named: Vec<&str> = outcome.unmodelled.iter().map(|part| part.id.as_str()).collect();
    assert_eq!(named, ["pd", "eagle", "model", "gpu", "rate", "file"]);
}

#[test]
fn input_that_is_not_a_list_of_experiments_is_refused_in_words() {
    for (broken, says) in [("{", "JSON"), ("[{\"id\": 7}]", "[0].id"), ("4", "array")] {
        let folder = TempFolder::new("broken");
        folder.write("experiments.json", broken);
        let told = refused(&["validate", folder.here()]);
        assert!(told.contains(says), "{told}");
    }
    assert_eq!(run(&["validate", "no/such/folder"]).status.code(), Some(3));
}

#[test]
fn a_gate_fails_where_a_median_is_worse_than_recorded() {
    let folder = TempFolder::new("gate");
    folder.write("experiments.json", &json!([experiment("ladder", &json!({}))]).to_string());
    let table = folder.path("table.json");
    printed(&["validate", folder.here(), "--record", &table]);
    printed(&["validate", folder.here(), "--gate", &table]);
    let mut rows: Vec<Value> = serde_json::from_str(&folder.text("table.json")).expect("JSON");
    rows[0]["median"] = json!(rows[0]["median"].as_f64().unwrap() - 0.03);
    folder.write("table.json", &json!(rows).to_string());
    let out = run(&["validate", folder.here(), "--gate", &table]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    assert!(stderr(&out).contains("worse"));
}

/// The measured runs, where there is a folder `shared` beside the checkout; without one a line says what is skipped.
#[expect(clippy::print_stderr, reason = "what is skipped is told")]
fn measured_runs() -> Option<String> {
    let measured = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/measured");
    if !measured.is_dir() {
        eprintln!(
            "skipped: the measured runs, as there is no folder ../shared/data/measured beside this checkout"
        );
        return None;
    }
    Some(measured.display().to_string())
}

#[test]
fn no_group_of_measured_runs_is_predicted_worse_than_recorded() {
    let Some(measured) = measured_runs() else { return };
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/data/validation.json").display().to_string();
    printed(&["validate", &measured, "--seeds", "1", "--gate", &table]);
}

/// Rows of the measured runs whose names begin so.
fn printed_of(measured: &str, only: &[&str], seeds: &str) -> Value {
    let mut args = vec!["validate", measured, "--json", "--seeds", seeds];
    args.extend(only.iter().flat_map(|start| ["--only", start]));
    printed_json(&args)
}

fn rows<'a>(document: &'a Value, id: &str) -> Vec<&'a Value> {
    document["rows"].as_array().into_iter().flatten().filter(|r| r["id"] == id).collect()
}

#[test]
fn kv_blocks_that_servers_recorded_come_out_within_three_percent_but_for_images() {
    let Some(measured) = measured_runs() else { return };
    let one_of_each = ["a-llama-2-7b-co", "a-llama-2-70b-co", "a-mixtral-8x7b-co", "a-codellama-34b-r"];
    let others = ["b-17-", "b-6", "c-rtx4090", "e-r4-long-output-open", "h-37-precise"];
    let document = printed_of(&measured, &[&one_of_each[..], &others].concat(), "1");
    let blocks: Vec<&Value> =
        document["rows"].as_array().into_iter().flatten().filter(|r| r["metric"] == "kv_blocks").collect();
    assert!(blocks.len() >= 13, "{}", blocks.len());
    for row in blocks {
        let error = row["error"].as_f64().expect("an error");
        // The weights for images and the memory for reading them are not modelled.
        let sees_images = row["model"].as_str().is_some_and(|m| m.contains("Scout"));
        assert!(if sees_images { error > 0.3 } else { error.abs() < 0.03 }, "{row}");
    }
}

#[test]
fn routers_of_a_measured_fleet_differ_as_measured() {
    let Some(measured) = measured_runs() else { return };
    let document = printed_of(&measured, &["h-37"], "2");
    let stage_of = |r: &Value| r["stage"].as_str().unwrap_or_default().to_owned();
    let ttft = |id: &str| -> Vec<(String, f64)> {
        let mean = |r: &&&Value| r["metric"] == "ttft_ms" && r["stat"] == "mean";
        let found = rows(&document, id);
        found.iter().filter(mean).map(|r| (stage_of(r), r["simulated"].as_f64().unwrap())).collect()
    };
    let (precise, load, random) = (ttft("h-37-precise"), ttft("h-37-load"), ttft("h-37-random"));
    for ((stage, exact), (blind, drawn)) in precise.iter().zip(load.iter().zip(&random)) {
        let rate: f64 = stage.trim_start_matches("qps").parse().unwrap_or(0.0);
        // At low rates all serve at once; above, routers that ignore caches build up a queue.
        let factor = if rate >= 6.0 { 50.0 } else { 1.0 };
        assert!(factor * exact < blind.1.min(drawn.1), "{stage}: {exact} {blind:?} {drawn:?}");
    }
    let taus: Vec<f64> =
        document["rankings"].as_array().into_iter().flatten().filter_map(|r| r["tau_b"].as_f64()).collect();
    assert!(taus.len() > 10 && taus.iter().sum::<f64>() / taus.len() as f64 >= 0.8, "{taus:?}");
}
