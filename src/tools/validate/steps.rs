//! Recorded steps (`steps.csv`): wall times of decode-only steps, compared with the latency model.

use super::Files;
use super::compare::{Row, may_be_fitted, rests_on};
use super::experiment::Experiment;
use super::pool::{Latency, pool};
use benchmarks::import::benchmark::statistics::quantile;
use document::Compat;
use engine::perf::{self, StepLoad};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Batches are grouped by this many requests; fewer steps than this give no median.
const TOGETHER: u32 = 8;
const FEWEST: usize = 5;

/// Requests that decode, KV blocks in use, and time of one step.
type Step = [f64; 3];

/// Rows for an experiment whose steps were recorded; none without the file, or if it does not contain the experiment.
pub(super) fn rows(e: &Experiment, files: &Files<'_>, latency: &Latency) -> Vec<Row> {
    let Some((tp, all)) = e.count("/tp").zip(recorded(e, files)) else { return Vec::new() };
    let resolved = pool(e, tp, latency).ok().and_then(|p| perf::resolve(&p, Compat::None, "").ok());
    let Some(model) = resolved.map(|r| r.model) else { return Vec::new() };
    let block = e.number("/engine/block_size").unwrap_or(16.0);
    let mut rows = Vec::new();
    for (batch, steps) in all.into_iter().filter(|(_, steps)| steps.len() >= FEWEST) {
        let mean = |of: usize| steps.iter().map(|s| s[of]).sum::<f64>() / steps.len() as f64;
        let mut times: Vec<f64> = steps.iter().map(|s| s[2]).collect();
        times.sort_by(f64::total_cmp);
        let (decode, context) = (mean(0), mean(1) * block);
        let load = StepLoad {
            prefill: &[],
            decode: decode.round() as u32,
            decode_context: context as u64,
            drafts: 0,
            padding: 0,
        };
        let simulated = model.step(&load).0 as f64 / 1e3;
        let Some(measured) = quantile(&times, 0.5).map(|us| us / 1e3).filter(|ms| *ms > 0.0) else {
            continue;
        };
        let first_stage = may_be_fitted(e, &json!({"stage": 0}));
        let stage = Value::from(format!("decode {}-{}", batch * TOGETHER, (batch + 1) * TOGETHER - 1));
        rows.push(Row {
            fitted_on: first_stage && rests_on(e),
            may_be_fitted: first_stage,
            ..Row::of(e, tp, (stage, "step_ms", "p50"), measured, simulated)
        });
    }
    rows
}

/// The steps of an experiment that only decode, followed by one that does too, by size of their batch.
fn recorded(e: &Experiment, files: &Files<'_>) -> Option<BTreeMap<u32, Vec<Step>>> {
    if e.group != "A" {
        return None;
    }
    let bytes = files("steps.csv").ok()?;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let names = reader.headers().ok()?.clone();
    let column = |name: &str| names.iter().position(|n| n.trim() == name);
    let of = column("experiment")?;
    let prefills = [column("prefill_tokens")?, column("next_prefill_tokens")?];
    let wanted = [column("decode_reqs")?, column("kv_blocks_used")?, column("dt_us")?];
    let mut found: BTreeMap<u32, Vec<Step>> = BTreeMap::new();
    for record in reader.records().filter_map(Result::ok).filter(|r| r.get(of) == Some(e.id.as_str())) {
        let number = |at: usize| record.get(at).and_then(|x| x.trim().parse::<f64>().ok());
        if prefills.iter().any(|at| number(*at) != Some(0.0)) {
            continue;
        }
        if let [Some(decode), Some(blocks), Some(us)] = wanted.map(number)
            && (1.0..1e6).contains(&decode)
        {
            found.entry(decode as u32 / TOGETHER).or_default().push([decode, blocks, us]);
        }
    }
    Some(found).filter(|f| !f.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_only_steps_of_an_experiment_are_compared_by_size_of_their_batch() {
        let document = json!({"id": "a-x-codegen", "group": "A", "model": "meta-llama/Llama-2-7b-hf", "precision": "fp16",
            "gpu": "H100-80GB-SXM", "tp": 1, "engine": {"version": "0.15.1"}, "measured": []});
        let e = super::super::read(&document.to_string()).unwrap().0.remove(0);
        let head = "experiment,dt_us,decode_reqs,prefill_tokens,next_prefill_tokens,kv_blocks_used\n";
        let step = |id: &str, us: u32, prefill: u32| format!("{id},{us},20,{prefill},0,800\n");
        let mut text = head.to_owned();
        for us in [7000, 8000, 9000, 8100, 7900] {
            text += &step("a-x-codegen", us, 0);
        }
        text += &step("a-x-codegen", 50_000, 1);
        text += &step("another", 50_000, 0);
        let files = move |_: &str| Ok(text.clone().into_bytes());
        let found = rows(&e, &files, &Latency::Calibrated);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].stage.as_str(), found[0].measured), (Some("decode 16-23"), 8.0));
        assert!(found[0].may_be_fitted && found[0].simulated > 4.0 && found[0].simulated < 16.0);
        let none = |_: &str| Err("no such file".to_owned());
        assert!(rows(&e, &none, &Latency::Calibrated).is_empty());
    }
}
