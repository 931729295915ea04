//! Accuracy of the queueing model on the engine's own step times: nine runs in which its filter learns at one load,
//! and nine at the load that it then computes for a replica. The figures are those of
//! docs/data/queueing-validity.json, which the page shows, and of the table in docs/explanation/queueing.md.

use crate::support::rows::{rows, start};
use serde_json::{Map, Value, json};
use tokenyard::export::Table;

/// Workloads by name with median lengths of prompt and answer, and three loads in requests per second.
const WORKLOADS: [(&str, [u32; 2], [f64; 3]); 3] = [
    ("chat", [512, 128], [4.0, 8.0, 12.0]),
    ("rag", [6000, 256], [0.2, 0.6, 1.2]),
    ("long-decode", [256, 2048], [0.3, 1.0, 2.0]),
];
/// The decisions from which on the filter has converged, of forty.
const CONVERGED: usize = 20;

type Row = Map<String, Value>;

/// The decisions of one replica at a steady load: its autoscaler learns and may not act.
fn decisions([prompt, answer]: [u32; 2], rate_per_s: f64) -> Vec<Row> {
    let lengths = |median: u32, most: u32| json!({"lognormal": {"median_tokens": median, "sigma": 0.5, "min_tokens": 2, "max_tokens": most}});
    let document = json!({
        "tokenyard": 1, "seed": 5, "run": {"horizon_s": 600, "warmup_s": 0},
        "cluster": {"pools": [{"replicas": 1, "scaling": {
            "policy": {"wva-queueing-model": {}}, "min": 1, "max": 1, "tick_s": 15, "scrape_s": 15, "window_s": 60}}]},
        "workload": {"clients": [{"name": "c", "arrivals": {"poisson": {"rate_per_s": rate_per_s}},
            "prompt_tokens": lengths(prompt, 32000), "output_tokens": lengths(answer, 8000)}]},
    });
    rows(&mut start(&document), Table::Scaling)
}

fn figure(row: &Row, column: &str) -> Option<f64> {
    row[column].as_f64()
}

/// The median over the decisions after convergence, of what is known.
fn median(rows: &[Row], of: impl Fn(&Row) -> Option<f64>) -> Option<f64> {
    let mut all: Vec<f64> = rows[CONVERGED..].iter().filter_map(of).collect();
    all.sort_by(f64::total_cmp);
    (!all.is_empty()).then(|| all[all.len() / 2])
}

fn percent(share: Option<f64>) -> Value {
    share.map_or(Value::Null, |share| json!((100.0 * (share - 1.0)).round() as i64))
}

/// One load: what is predicted by what is measured there, and at the load found.
fn run(name: &str, lengths: [u32; 2], rate_per_s: f64) -> Value {
    let learnt = decisions(lengths, rate_per_s);
    let there = |of: &str| {
        let (predicted, measured) = (format!("predicted_{of}_ms"), format!("{of}_ms"));
        percent(median(&learnt, |row| Some(figure(row, &predicted)? / figure(row, &measured)?)))
    };
    let last = learnt.last().expect("it decided");
    let found = figure(last, "replica_per_s");
    let carried = found.map(|found| decisions(lengths, found));
    // At λ* the predictions are the objectives: inferred ones allow the same step.
    let goal = |of: &str| {
        let measured = median(carried.as_ref()?, |row| figure(row, &format!("{of}_ms")))?;
        Some(figure(last, &format!("goal_{of}_ms"))? / measured)
    };
    json!({
        "workload": name, "prompt_tokens": lengths[0], "answer_tokens": lengths[1], "rate_per_s": rate_per_s,
        "ttft_percent": there("ttft"), "itl_percent": there("itl"),
        "replica_per_s": found.map(|found| (10.0 * found).round() / 10.0),
        "there_ttft_percent": percent(goal("ttft")), "there_itl_percent": percent(goal("itl")),
    })
}

#[test]
fn the_published_range_of_validity_is_what_runs_give() {
    let runs: Vec<Value> = WORKLOADS
        .iter()
        .flat_map(|(name, lengths, loads)| loads.iter().map(|load| run(name, *lengths, *load)))
        .collect();
    let text = include_str!("../../../docs/data/queueing-validity.json");
    let published: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(published["runs"], json!(runs), "{}", serde_json::to_string(&runs).expect("JSON"));
    let document = include_str!("../../../docs/explanation/queueing.md");
    let range = published["range"].as_str().expect("a sentence");
    assert!(document.contains(range), "docs/explanation/queueing.md says: {range}");
    for run in &runs {
        let line = line_of(run);
        assert!(document.contains(&line), "docs/explanation/queueing.md lacks: {line}");
    }
}

/// A run as a row of the document.
fn line_of(run: &Value) -> String {
    let apart =
        |key: &str| run[key].as_i64().map_or("–".to_owned(), |x| format!("{x:+}").replace("+0", "0"));
    let found = run["replica_per_s"].as_f64().map_or("–".to_owned(), |x| format!("{x:.1}"));
    format!(
        "| {}, {} + {} tokens | {} | {} | {} | {} | {} | {} |",
        run["workload"].as_str().expect("a name"),
        run["prompt_tokens"],
        run["answer_tokens"],
        run["rate_per_s"],
        apart("ttft_percent"),
        apart("itl_percent"),
        found,
        apart("there_ttft_percent"),
        apart("there_itl_percent"),
    )
}
