//! Comparison of measured and simulated figures: rows, and aggregates by group and regime.

use super::experiment::{Experiment, label, number, number_at};
use super::halves::HALVES;
use super::sample::Sample;
use benchmarks::import::benchmark::statistics::{STATISTICS, quantile};
use benchmarks::replayed::{OverSeeds, error};
use serde::Serialize;
use serde_json::Value;

/// One figure: measured and simulated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Experiment.
    pub id: String,
    /// Its group.
    pub group: String,
    /// What it counts as in errors and fits: itself, or all rows of a table with one model, GPU and parallelism.
    #[serde(skip)]
    pub source: String,
    /// Stage, as named in the measured file.
    pub stage: Value,
    /// below, near or overload; empty if unknown.
    pub regime: Option<String>,
    /// What was measured, such as `ttft_ms`.
    pub metric: String,
    /// Its statistic: mean, p50, p90, p95, p99, or `value` for a single value.
    pub stat: String,
    /// As measured.
    pub measured: f64,
    /// As simulated: the mean over the seeds.
    pub simulated: f64,
    /// (simulated - measured) / measured; missing if 0 was measured.
    pub error: Option<f64>,
    /// Model.
    pub model: String,
    /// GPU.
    pub gpu: String,
    /// Tensor parallelism.
    pub tp: u32,
    /// Whether built-in coefficients were fitted to this figure.
    pub fitted_on: bool,
    /// Whether the protocol allows that.
    #[serde(skip)]
    pub may_be_fitted: bool,
    /// Level 2: the source and target of the prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer: Option<String>,
    /// What the client and the server set, as far as the source says it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub settings: String,
    /// Engine and release, in words.
    #[serde(skip)]
    pub engine: String,
    /// Seeds, and the smallest and largest value among them.
    pub seeds: u32,
    /// Smallest value of a seed.
    pub lowest: f64,
    /// Largest value of a seed.
    pub highest: f64,
}

impl Row {
    /// Whether it is compared apart: a figure of another engine than vLLM, or of prefill and decode on different replicas.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        super::experiment::is_apart(&self.group)
    }

    /// A figure of one run with its measured value, without a regime and not fitted. `named`: stage, metric,
    /// statistic.
    pub(super) fn of(
        e: &Experiment,
        tp: u32,
        named: (Value, &str, &str),
        measured: f64,
        simulated: f64,
    ) -> Self {
        let (stage, metric, stat) = named;
        Self {
            id: e.id.clone(),
            group: e.group.clone(),
            source: e.source.clone(),
            stage,
            regime: None,
            metric: metric.to_owned(),
            stat: stat.to_owned(),
            measured,
            simulated,
            error: error(simulated, measured, measured),
            model: e.model.clone(),
            gpu: e.gpu.clone(),
            tp,
            fitted_on: false,
            may_be_fitted: false,
            transfer: None,
            settings: e.text("/settings").to_owned(),
            engine: engine_words(e),
            seeds: 1,
            lowest: simulated,
            highest: simulated,
        }
    }
}

/// Engine and release of an experiment.
fn engine_words(e: &Experiment) -> String {
    let name = match e.text("/engine/name") {
        "" | "vllm" => "vLLM",
        own => own,
    };
    match e.text("/engine/version") {
        "" => format!("{name}, release unknown"),
        version => format!("{name} {version}"),
    }
}

/// The part of a run that a measured stage is compared with.
pub(super) struct Side<'a> {
    pub(super) measured: &'a Value,
    /// Stage of the run; `None` for all of them.
    pub(super) stage: Option<u32>,
    pub(super) tp: u32,
}

/// Metrics with statistics, and metrics with one value.
const METRICS: [&str; 8] =
    ["ttft_ms", "tpot_ms", "itl_ms", "e2e_ms", "queue_ms", "ttft_ms_fill", "ttft_ms_cached", "ttft_ms_cold"];
const NUMBERS: [&str; 6] =
    ["req_per_s", "out_tok_per_s", "tok_per_s_per_gpu", "makespan_s", "failed", "preemptions"];

/// All figures of a stage.
pub(super) fn compare(e: &Experiment, side: &Side<'_>, samples: &[Sample]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |metric: &str, stat: &str, measured: f64, values: Vec<f64>| {
        let Some(OverSeeds { mean: simulated, lowest, highest }) = OverSeeds::of(&values) else { return };
        let stage = side.measured.get("stage").cloned().unwrap_or(Value::Null);
        rows.push(Row {
            regime: regime(e, side.measured),
            fitted_on: rests_on(e) && (may_be_fitted(e, side.measured) || holds_fitted(e, side.measured)),
            may_be_fitted: may_be_fitted(e, side.measured),
            seeds: values.len() as u32,
            lowest,
            highest,
            ..Row::of(e, side.tp, (stage, metric, stat), measured, simulated)
        });
    };
    for metric in METRICS {
        let Some(of_metric) = side.measured.get(metric) else { continue };
        let stage = match metric {
            "ttft_ms_cached" => Some(1),
            "ttft_ms_cold" => Some(2),
            _ => side.stage,
        };
        if let Some(measured) = number(of_metric) {
            let values = samples.iter().filter_map(|s| s.statistic(metric, "mean", stage)).collect();
            add(metric, "mean", measured, values);
        }
        for stat in STATISTICS {
            let Some(measured) = number_at(of_metric, stat) else { continue };
            let values = samples.iter().filter_map(|s| s.statistic(metric, stat, stage)).collect();
            add(metric, stat, measured, values);
        }
    }
    for metric in NUMBERS {
        let Some(measured) = number_at(side.measured, metric) else { continue };
        let values = samples.iter().filter_map(|s| s.number(metric, side.stage)).collect();
        add(metric, "value", measured, values);
    }
    rows
}

/// KV blocks as recorded by the engine, and as computed if the scenario leaves them open.
pub(super) fn blocks(e: &Experiment, tp: u32, simulated: f64) -> Option<Row> {
    let measured = e.number("/engine/kv_blocks").filter(|b| *b > 0.0)?;
    Some(Row {
        fitted_on: true,
        ..Row::of(e, tp, (Value::from("all"), "kv_blocks", "value"), measured, simulated)
    })
}

/// Regime below, near or above the knee: from the file, or from the mean TTFT relative to that of the lowest rate.
fn regime(e: &Experiment, measured: &Value) -> Option<String> {
    if let Some(told) = measured.get("regime").and_then(Value::as_str) {
        return Some(told.to_owned());
    }
    let ttft = |m: &Value| m.get("ttft_ms").and_then(|t| number_at(t, "mean"));
    let rate = |m: &Value| number_at(m, "offered_req_per_s");
    let own = ttft(measured).filter(|_| rate(measured).is_some())?;
    let ladder = e.measured().iter().filter(|m| rate(m).is_some());
    let lowest = ladder.min_by(|a, b| rate(a).unwrap_or(0.0).total_cmp(&rate(b).unwrap_or(0.0)))?;
    let times = own / ttft(lowest).filter(|t| *t > 0.0)?;
    Some(
        if times <= 2.0 {
            "below"
        } else if times <= 5.0 {
            "near"
        } else {
            "overload"
        }
        .to_owned(),
    )
}

/// Whether built-in coefficients were fitted to stages of an experiment.
pub(super) fn rests_on(e: &Experiment) -> bool {
    engine::perf::calibrations().iter().any(|c| c.rests_on.contains(&e.source))
}

/// Whether the protocol allows coefficients to be fitted to a stage: lowest stages, grids of single steps, one workload of each
/// model.
pub(super) fn may_be_fitted(e: &Experiment, measured: &Value) -> bool {
    let rate = |m: &Value| number_at(m, "offered_req_per_s");
    // A figure of unknown client, limits and release has no known meaning.
    if e.text("/trust") == "C" {
        return false;
    }
    match e.group.as_str() {
        "E" => ["e-r1", "e-r2", "e-r6-prefix-cache-ttft", "e-r8-decode"].iter().any(|p| e.id.starts_with(p)),
        "A" => {
            let workload = if e.id.contains("codellama") { "-general" } else { "-codegen" };
            label(measured) == "0" && e.id.ends_with(workload)
        }
        "B" | "F" => {
            let lowest = e.measured().iter().filter_map(rate).fold(f64::INFINITY, f64::min);
            rate(measured).is_some_and(|r| r <= lowest)
        }
        "G" => measured.get("lowest") == Some(&Value::Bool(true)),
        "S" => measured.get("lowest") == Some(&Value::Bool(true)) && measured.get("regime").is_none(),
        "C" => label(measured) == HALVES[0],
        _ => false,
    }
}

/// Whether figures of a whole run include a stage that may be fitted.
fn holds_fitted(e: &Experiment, measured: &Value) -> bool {
    label(measured) == "all" && (e.group == "C" || e.measured().iter().any(|m| may_be_fitted(e, m)))
}

/// Errors of one metric over the experiments of a group and regime.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aggregate {
    /// Group of experiments.
    pub group: String,
    /// GPU.
    pub gpu: String,
    /// Regime, or `any`.
    pub regime: String,
    /// Metric.
    pub metric: String,
    /// Statistic.
    pub stat: String,
    /// How many experiments.
    pub experiments: u32,
    /// Median over experiments of the absolute error; an experiment's is the mean over its stages.
    pub median: f64,
    /// The same with its sign.
    pub signed: f64,
    /// The largest.
    pub worst: f64,
    /// The experiment with that error.
    pub worst_id: String,
}

/// Aggregates of predicted rows, by group, GPU, regime, metric and statistic.
pub fn aggregates(rows: &[Row], with_fitted: bool) -> Vec<Aggregate> {
    use std::collections::BTreeMap;
    let mut by_key: BTreeMap<[String; 5], BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for row in rows.iter().filter(|r| with_fitted || !r.fitted_on) {
        let Some(error) = row.error else { continue };
        let regime = row.regime.clone().unwrap_or_else(|| "any".to_owned());
        let gpu = super::pool::gpu_name(&row.gpu);
        let key = [row.group.clone(), gpu, regime, row.metric.clone(), row.stat.clone()];
        by_key.entry(key).or_default().entry(&row.source).or_default().push(error);
    }
    let summed = |([group, gpu, regime, metric, stat], by_id): ([String; 5], BTreeMap<&str, Vec<f64>>)| {
        let mean = |errors: &[f64], of: fn(f64) -> f64| {
            errors.iter().map(|e| of(*e)).sum::<f64>() / errors.len() as f64
        };
        let size: Vec<(f64, &str)> = by_id.iter().map(|(id, errors)| (mean(errors, f64::abs), *id)).collect();
        let signed = by_id.values().map(|errors| mean(errors, |e| e)).collect();
        let worst = size.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, ""));
        Aggregate {
            group,
            gpu,
            regime,
            metric,
            stat,
            experiments: size.len() as u32,
            median: median(size.iter().map(|s| s.0).collect()),
            signed: median(signed),
            worst: worst.0,
            worst_id: worst.1.to_owned(),
        }
    };
    by_key.into_iter().map(summed).collect()
}

/// The median; 0 if there are no values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5).unwrap_or(0.0)
}
