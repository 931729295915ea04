//! The core's table of evidence, from replays of all experiments: medians of errors by latency model, errors by class and
//! regime, the measured configurations, and the range measured on each GPU.

use super::compare::{Row, median};
use super::experiment::{Experiment, number_at};
use super::open::Length;
use super::pool::{Latency, generation, gpu_name, pool, shape, without_precision};
use base::json;
use benchmarks::import::benchmark::statistics::quantile;
use document::model_key;
use engine::perf::{
    self, ClassError, Classified, Configuration, ErrorBand, ErrorFigure, EvidenceClass, EvidenceTable, Facts,
    Found, KindError, MeasuredOn, Regime,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The core's table, as JSON text: medians of errors by latency model, and the measurements on each GPU. Rows of other engines do not
/// count.
pub fn evidence_table(
    experiments: &[&Experiment],
    by_latency: &[(&str, &[Row])],
    transfers: &[Row],
    kinds: Vec<KindError>,
) -> String {
    let calibrated =
        by_latency.iter().find(|(latency, _)| *latency == "calibrated").map_or(&[][..], |(_, rows)| rows);
    let configurations = configurations(experiments, calibrated);
    let mut errors_by_class = Vec::new();
    for (latency, rows) in by_latency {
        let mut of_class: Vec<(EvidenceClass, &Row)> = rows
            .iter()
            .filter_map(|row| Some((class(experiments, row, latency, &configurations)?, row)))
            .collect();
        if *latency == "calibrated" {
            of_class.extend(transfers.iter().filter_map(|row| Some((class_of_transfer(row)?, row))));
        }
        errors_by_class.extend(class_errors(latency, &of_class));
    }
    let found = by_latency.iter().map(|(latency, rows)| errors(latency, rows)).collect();
    let measured = measured_on(experiments);
    format!(
        "{}\n",
        json::indented(&EvidenceTable { found, measured, configurations, errors: errors_by_class, kinds })
    )
}

/// The measurements on each GPU.
fn measured_on(experiments: &[&Experiment]) -> Vec<MeasuredOn> {
    let mut by_gpu: BTreeMap<String, (BTreeSet<String>, f64, f64)> = BTreeMap::new();
    let of_vllm = experiments.iter().filter(|e| !e.is_apart());
    for e in of_vllm.filter(|e| perf::known_gpu(&gpu_name(&e.gpu)).is_some()) {
        let (models, batch, context) = by_gpu.entry(gpu_name(&e.gpu)).or_default();
        models.insert(model(e));
        let replicas = f64::from(e.count("/replicas").unwrap_or(1).max(1));
        let seqs = e.number("/engine/max_num_seqs").filter(|n| *n > 0.0).unwrap_or(f64::INFINITY);
        for m in e.measured() {
            let latency = m.get("e2e_ms").and_then(|x| number_at(x, "mean"));
            let rate = number_at(m, "req_per_s").or_else(|| number_at(m, "offered_req_per_s"));
            let by_little = latency.zip(rate).map(|(ms, rate)| ms / 1e3 * rate / replicas);
            let told = number_at(m, "concurrency").or(by_little);
            *batch = batch.max(told.unwrap_or(0.0).min(seqs));
        }
        *context = context.max(mean_context(e));
    }
    let measured = by_gpu.into_iter().filter(|(_, (_, batch, context))| *batch >= 1.0 && *context >= 1.0);
    let measured = measured.map(|(gpu, (models, batch, context))| MeasuredOn {
        gpu,
        models: models.into_iter().collect(),
        batch: batch.round() as u32,
        context_tokens: context.round() as u32,
    });
    measured.collect()
}

/// The model by the key of the catalogue.
fn model(e: &Experiment) -> String {
    let bare = e.model.split(" (").next().unwrap_or(&e.model);
    perf::known_model(bare).map_or_else(|| model_key(bare), |m| m.name.clone())
}

/// The configurations of replayed experiments that the catalogue knows.
pub(super) fn configurations(experiments: &[&Experiment], rows: &[Row]) -> Vec<Configuration> {
    // By experiment and parallelism: whether coefficients were fitted to a stage.
    let mut replayed: BTreeMap<(&str, u32), bool> = BTreeMap::new();
    for row in rows.iter().filter(|r| r.metric != "kv_blocks") {
        *replayed.entry((&row.id, row.tp)).or_default() |= row.fitted_on && row.may_be_fitted;
    }
    let mut found: Vec<Configuration> = Vec::new();
    for (&(id, tp), &fitted) in &replayed {
        let of_vllm = experiments.iter().find(|e| e.id == id && !e.is_apart());
        let Some(e) = of_vllm else { continue };
        let (gpu, model) = (gpu_name(&e.gpu), known_name(e));
        let (Some(model), Some(shape), true) = (model, shape(e), perf::known_gpu(&gpu).is_some()) else {
            continue;
        };
        let one = Configuration {
            model,
            gpu,
            engine: generation(e),
            precision: perf::precision(&shape),
            tp,
            fitted: u32::from(fitted),
            measured: 1,
        };
        let key = |c: &Configuration| (c.model.clone(), c.gpu.clone(), c.engine, c.precision.clone(), c.tp);
        match found.iter_mut().find(|c| key(c) == key(&one)) {
            Some(same) => {
                same.fitted += one.fitted;
                same.measured += 1;
            }
            None => found.push(one),
        }
    }
    found.sort_by(|a, b| {
        (&a.gpu, a.engine, &a.model, &a.precision, a.tp).cmp(&(
            &b.gpu,
            b.engine,
            &b.model,
            &b.precision,
            b.tp,
        ))
    });
    found
}

/// The catalogue's name of the model, whatever the precision that the experiment's name has at its end.
fn known_name(e: &Experiment) -> Option<String> {
    let key = model(e);
    let known = perf::known_model(&key).or_else(|| perf::known_model(without_precision(&key)));
    known.map(|m| m.name.clone())
}

/// The class of a row that nothing was fitted to.
fn class(
    experiments: &[&Experiment],
    row: &Row,
    latency: &str,
    measured: &[Configuration],
) -> Option<EvidenceClass> {
    if row.fitted_on {
        return None;
    }
    let e = experiments.iter().find(|e| e.id == row.id && !e.is_apart())?;
    let replay = match latency {
        "catalogue" => Latency::Catalogue,
        "roofline" => Latency::Roofline,
        _ => Latency::Calibrated,
    };
    let pool = pool(e, row.tp, &replay).ok()?;
    Some(Classified::by(&pool, measured).class())
}

/// The class of a prediction from another GPU or parallelism. Another token budget is no class.
fn class_of_transfer(row: &Row) -> Option<EvidenceClass> {
    let gpu = gpu_name(&row.gpu);
    match row.transfer.as_deref() {
        Some("GPU") if perf::same_chip(&gpu, "H100") => Some(EvidenceClass::SameChip),
        Some("GPU") if Facts::of(&gpu).is_some() => Some(EvidenceClass::Carried),
        Some("GPU") => Some(EvidenceClass::Guessed),
        Some(text) if text.starts_with("TP") => Some(EvidenceClass::Carried),
        _ => None,
    }
}

/// Errors by class, regime and figure: over experiments, each with the mean over its stages.
fn class_errors(latency: &str, rows: &[(EvidenceClass, &Row)]) -> Vec<ClassError> {
    let mut found = Vec::new();
    for class in EvidenceClass::ALL {
        for (regime, name) in [(Regime::Below, "below"), (Regime::Near, "near"), (Regime::Over, "overload")] {
            for (figure, metric) in
                [(ErrorFigure::Tpot, "tpot_ms"), (ErrorFigure::Ttft, "ttft_ms"), (ErrorFigure::E2e, "e2e_ms")]
            {
                let is = |(of, r): &&(EvidenceClass, &Row)| {
                    *of == class
                        && r.metric == metric
                        && r.stat == "mean"
                        && r.regime.as_deref().unwrap_or("below") == name
                };
                let error = band(rows.iter().filter(is).map(|(_, row)| *row));
                let latency = latency.to_owned();
                found.extend(error.map(|error| ClassError { latency, class, regime, figure, error }));
            }
        }
    }
    found
}

fn band<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<ErrorBand> {
    let mut by_id: BTreeMap<(&str, Option<&str>), Vec<f64>> = BTreeMap::new();
    for row in rows {
        by_id.entry((&row.source, row.transfer.as_deref())).or_default().extend(row.error.map(f64::abs));
    }
    let means = by_id.values().filter(|e| !e.is_empty()).map(|e| e.iter().sum::<f64>() / e.len() as f64);
    band_of(means.collect())
}

pub(super) fn band_of(mut means: Vec<f64>) -> Option<ErrorBand> {
    means.sort_by(f64::total_cmp);
    let at = |share| quantile(&means, share).map(|x| (x * 1e4).round() / 1e4);
    Some(ErrorBand { median: at(0.5)?, p90: at(0.9)?, n: means.len() as u32 })
}

/// Mean prompt and half of an answer, of the longest stage.
fn mean_context(e: &Experiment) -> f64 {
    let mean = |value: Option<&Value>| match value.and_then(|v| Length::read(v, None)) {
        Some(Length::Fixed(n)) => f64::from(n),
        Some(Length::Uniform { min, max }) => f64::midpoint(f64::from(min), f64::from(max)),
        Some(Length::Lognormal { median, sigma, .. }) => median * base::math::exp(sigma * sigma / 2.0),
        None => 0.0,
    };
    let usual = [mean(e.at("/workload/input_tokens")), mean(e.at("/workload/output_tokens"))];
    let of = |m: &Value| {
        let own = [m.get("input_tokens"), m.get("output_tokens")].map(mean);
        let context = number_at(m, "context_tokens").unwrap_or(0.0);
        let [input, output] = [0, 1].map(|i| if own[i] > 0.0 { own[i] } else { usual[i] });
        context.max(input + output / 2.0)
    };
    e.measured().iter().map(of).fold(usual[0] + usual[1] / 2.0, f64::max)
}

/// Medians over experiments of the absolute error below the knee, as the aggregates have them.
fn errors(latency: &str, rows: &[Row]) -> Found {
    let of = |metric: &str| {
        let mut by_id: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let below = |r: &&Row| {
            r.metric == metric && r.stat == "mean" && r.regime.as_deref() == Some("below") && !r.fitted_on
        };
        for r in rows.iter().filter(below) {
            by_id.entry(&r.id).or_default().extend(r.error.map(f64::abs));
        }
        let means: Vec<f64> = by_id
            .values()
            .filter(|e| !e.is_empty())
            .map(|e| e.iter().sum::<f64>() / e.len() as f64)
            .collect();
        (means.len() as u32, (median(means) * 1e4).round() / 1e4)
    };
    let (experiments, e2e) = of("e2e_ms");
    Found { latency: latency.to_owned(), experiments, e2e, tpot: of("tpot_ms").1, ttft: of("ttft_ms").1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn experiment(id: &str, gpu: &str) -> Experiment {
        let document = json!({"id": id, "group": "B", "model": "meta-llama/Llama-3.1-8B-Instruct", "gpu": gpu, "tp": 1,
            "engine": {"version": "0.15.1"}, "measured": []});
        super::super::read(&document.to_string()).expect("an experiment").0.remove(0)
    }

    fn row(e: &Experiment, regime: &str, fitted: bool, simulated: f64) -> Row {
        let row = Row::of(e, 1, (json!(0), "tpot_ms", "mean"), 10.0, simulated);
        Row { regime: Some(regime.to_owned()), fitted_on: fitted, may_be_fitted: fitted, ..row }
    }

    #[test]
    fn the_table_has_what_was_fitted_and_the_errors_of_what_was_not() {
        let (a, b) = (experiment("a", "H100"), experiment("b", "L40S"));
        let rows = [
            row(&a, "below", true, 10.1),
            row(&a, "below", false, 11.0),
            row(&a, "below", false, 7.0),
            row(&a, "near", false, 15.0),
            row(&b, "below", false, 10.4),
        ];
        let table = evidence_table(&[&a, &b], &[("calibrated", &rows)], &[], Vec::new());
        let table: EvidenceTable = serde_json::from_str(&table).expect("its own shape");
        let found: Vec<_> =
            table.configurations.iter().map(|c| (c.gpu.as_str(), c.fitted, c.measured)).collect();
        assert_eq!(found, [("H100", 1, 1), ("L40S", 0, 1)]);
        let error = |class, regime| {
            table.errors.iter().find(|e| (e.class, e.regime) == (class, regime)).map(|e| e.error)
        };
        // 10 and 30 % in one experiment, whose own runs were fitted to; nothing was on the L40S here.
        let fitted = ErrorBand { median: 0.2, p90: 0.2, n: 1 };
        assert_eq!(error(EvidenceClass::Fitted, Regime::Below), Some(fitted));
        assert_eq!(error(EvidenceClass::Fitted, Regime::Near).map(|e| e.median), Some(0.5));
        assert_eq!(error(EvidenceClass::Carried, Regime::Below).map(|e| e.median), Some(0.04));
    }

    #[test]
    fn a_prediction_from_another_gpu_has_the_class_of_what_is_published() {
        let of = |gpu: &str, transfer: &str| {
            let row = row(&experiment("x", gpu), "below", false, 12.0);
            class_of_transfer(&Row { transfer: Some(transfer.to_owned()), ..row })
        };
        assert_eq!(of("A100-80", "GPU"), Some(EvidenceClass::Carried));
        assert_eq!(of("H200", "GPU"), Some(EvidenceClass::SameChip));
        assert_eq!(of("H100", "TP 1, 2 to more"), Some(EvidenceClass::Carried));
        assert_eq!(of("H100", "token budget"), None);
    }
}
