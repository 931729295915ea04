//! Import of results of `InferenceX` (formerly `InferenceMAX`), as its runs and its database have them: one row for each configuration and
//! number of requests in flight, latencies in seconds, throughput for each GPU.

use super::Import;
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Text};
use serde_json::Value;

const METRICS: [(&str, &str); 4] =
    [("ttft", "ttft_ms"), ("tpot", "tpot_ms"), ("itl", "itl_ms"), ("e2el", "e2e_ms")];
const STATS: [(&str, &str); 6] =
    [("mean", "mean"), ("median", "p50"), ("p50", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99")];
/// What rows say of the engine and its hardware.
const OF_ENGINE: [&str; 13] = [
    "hw",
    "hardware",
    "framework",
    "precision",
    "spec_decoding",
    "image",
    "tp",
    "ep",
    "dp_attention",
    "prefill_tp",
    "prefill_num_workers",
    "decode_tp",
    "decode_num_workers",
];

/// A row of `InferenceX`, or several.
pub(super) struct InferenceX;

impl Import<Benchmarks> for InferenceX {
    fn name(&self) -> &'static str {
        "inferencex"
    }

    fn title(&self) -> &'static str {
        "a result of InferenceX"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        let first = text.document().map(|tree| tree.as_array().map_or(Some(tree), |list| list.first()));
        first.flatten().is_some_and(|row| {
            let figures = row.get("metrics").unwrap_or(row);
            figures.get("tput_per_gpu").is_some() && row.get("conc").is_some()
        })
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        match text.document() {
            Some(Value::Array(rows)) => {
                rows.iter().enumerate().map(|(i, one)| row(one, &format!("[{i}]"), problems)).collect()
            }
            Some(one) => vec![row(one, "", problems)],
            None => Vec::new(),
        }
    }
}

/// Reads a row at a place of a file.
fn row(tree: &Value, before: &str, problems: &mut Problems) -> Benchmark {
    let place = Place::new(tree, before);
    let nested = tree.get("metrics").filter(|metrics| metrics.is_object());
    let inner = place.way("metrics");
    let figures = nested.map_or(place, |metrics| Place::new(metrics, &inner));
    let mut b = Benchmark::new("InferenceX");
    place.text("model").clone_into(&mut b.model);
    place.text("date").clone_into(&mut b.date);
    b.name = match place.count("conc", problems) {
        Some(n) => format!("{n} in flight"),
        None => String::new(),
    };
    for (name, metric) in METRICS {
        for (of, stat) in STATS {
            let known = b.figures.iter().any(|f| f.metric == metric && f.stat == stat);
            for key in [format!("{of}_{name}"), format!("{name}_{of}")] {
                if let Some(seconds) = figures.number(&key, problems).filter(|_| !known) {
                    b.put(metric, stat, seconds * 1e3);
                }
            }
        }
        if let Some(seconds) = figures.number(&format!("std_{name}"), problems) {
            b.put_deviation(metric, seconds * 1e3);
        }
    }
    if let Some(each) = figures.number("output_tput_per_gpu", problems) {
        match gpus(place, problems) {
            Some(gpus) => b.put("out_tok_per_s", "value", each * gpus),
            None => {
                b.note("The throughput is for each GPU, and the row does not say how many wrote answers.");
            }
        }
    }
    b.load.concurrency = place.count("conc", problems).filter(|n| *n > 0);
    b.load.at_once = b.load.concurrency.is_some();
    b.load.prompt_tokens = place.number("isl", problems).filter(|n| *n > 0.0);
    b.load.output_tokens = place.number("osl", problems).filter(|n| *n > 0.0);
    if b.load.prompt_tokens.is_some() {
        b.note("Lengths are the longest of the run: prompts and answers may have been drawn below them.");
    }
    said_of_engine(&mut b, tree);
    b
}

/// The GPUs that write answers: those of decode workers where they are apart.
fn gpus(place: Place<'_>, problems: &mut Problems) -> Option<f64> {
    let apart =
        place.at("disagg").is_some_and(|on| *on == true || *on == "true") || place.at("decode_tp").is_some();
    if apart {
        let workers = place.number("decode_num_workers", problems).zip(place.number("decode_tp", problems));
        let said = place.number("num_decode_gpu", problems);
        return said.or(workers.map(|(workers, tp)| workers * tp)).filter(|n| *n > 0.0);
    }
    let tp = place.number("tp", problems).filter(|n| *n > 0.0)?;
    Some(tp * place.number("pp", problems).filter(|n| *n > 0.0).unwrap_or(1.0))
}

/// Names what the row says of its engine. The cluster of the scenario runs, which may be another one.
fn said_of_engine(b: &mut Benchmark, tree: &Value) {
    let plain = |value: &Value| match value {
        Value::String(text) => {
            Some(text.chars().take(60).collect::<String>()).filter(|text| !text.is_empty())
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_string()),
    };
    let said = OF_ENGINE.iter().filter_map(|key| Some(format!("{key} {}", plain(tree.get(*key)?)?)));
    let said: Vec<String> = said.collect();
    if !said.is_empty() {
        b.note(format!(
            "Of its server the row says: {}. The scenario's cluster is run as it is.",
            said.join(", ")
        ));
    }
}
