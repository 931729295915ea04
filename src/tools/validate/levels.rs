//! The page's data of the levels of validation: errors by group, a dot for each figure, residuals by model, rankings.

use super::compare::{Aggregate, Row, aggregates, median};
use super::pool::gpu_name;
use super::ranking::rankings;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Figures with a target below the knee: the target, and the best published error on the same kind of data.
const FIGURES: [(&str, &str, f64, f64); 4] = [
    ("tpot_ms", "mean", 0.03, 0.065),
    ("e2e_ms", "mean", 0.04, 0.068),
    ("ttft_ms", "mean", 0.07, 0.184),
    ("e2e_ms", "p99", 0.09, 0.091),
];
/// Targets of what was predicted from another GPU, token budget or parallelism.
const TRANSFER: [(&str, f64); 2] = [("tpot_ms mean", 0.10), ("e2e_ms mean", 0.15)];
/// Target of Kendall's tau-b of rankings.
const TARGET_TAU_B: f64 = 0.8;

fn is_shown(metric: &str, stat: &str) -> bool {
    FIGURES.iter().any(|f| (f.0, f.1) == (metric, stat))
}

fn short(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// The figures with the best errors published.
pub fn page_figures() -> Value {
    let figure = |(metric, stat, _, published): &(&str, &str, f64, f64)| json!({"figure": format!("{metric} {stat}"), "published": published});
    FIGURES.iter().map(figure).collect()
}

/// The targets of a level, by figure.
fn targets(level: &str) -> Map<String, Value> {
    let own = |(metric, stat, target, _): (&str, &str, f64, f64)| (format!("{metric} {stat}"), target.into());
    match level {
        "calibrated" => FIGURES.into_iter().map(own).collect(),
        "transfer" => {
            TRANSFER.into_iter().map(|(figure, target)| (figure.to_owned(), target.into())).collect()
        }
        _ => Map::new(),
    }
}

/// A level: its targets, its aggregates, by group, GPU and regime and of all experiments by regime, and the error of
/// each stage. Predictions from another source are a group of that name.
pub fn page_level(name: &str, rows: &[Row]) -> Value {
    let mut rows: Vec<Row> = rows.to_vec();
    for row in &mut rows {
        if let Some(from) = &row.transfer {
            row.group.clone_from(from);
        }
    }
    let mut all = rows.clone();
    for row in &mut all {
        (row.group, row.gpu) = ("all".to_owned(), "all".to_owned());
    }
    let figure = |g: &Aggregate| {
        json!({"group": g.group, "gpu": g.gpu, "regime": g.regime, "figure": format!("{} {}", g.metric, g.stat),
            "experiments": g.experiments, "median": short(g.median), "signed": short(g.signed),
            "worst": short(g.worst), "worst_id": g.worst_id})
    };
    let (by_group, whole) = (aggregates(&rows, false), aggregates(&all, false));
    let shown = |g: &&Aggregate| is_shown(&g.metric, &g.stat);
    let groups: Vec<Value> = whole.iter().chain(&by_group).filter(shown).map(figure).collect();
    let mut dots: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for r in rows.iter().filter(|r| is_shown(&r.metric, &r.stat)) {
        let Some(error) = r.error else { continue };
        let regime = r.regime.as_deref().unwrap_or("any");
        let key = format!("{}|{}|{regime}|{} {}", r.group, gpu_name(&r.gpu), r.metric, r.stat);
        dots.entry(key).or_default().push(json!([short(error.abs()), u8::from(r.fitted_on)]));
    }
    json!({"level": name, "targets": targets(name), "groups": groups, "dots": dots})
}

/// Medians of the levels below the knee, as a table of Markdown; predictions from another source have a line for each.
pub fn level_table(levels: &[(&str, &[Row])]) -> String {
    let names = FIGURES.map(|(metric, stat, ..)| format!("{metric} {stat}"));
    let mut text = format!("| level | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for (level, rows) in levels {
        let kinds: BTreeSet<Option<&str>> = rows.iter().map(|r| r.transfer.as_deref()).collect();
        for kind in kinds {
            let mut of_kind: Vec<Row> =
                rows.iter().filter(|r| r.transfer.as_deref() == kind).cloned().collect();
            for row in &mut of_kind {
                (row.group, row.gpu) = ("all".to_owned(), "all".to_owned());
            }
            let found = aggregates(&of_kind, false);
            let cell = |(metric, stat, ..): (&str, &str, f64, f64)| {
                let one = |g: &&Aggregate| {
                    (g.metric.as_str(), g.stat.as_str()) == (metric, stat) && g.regime == "below"
                };
                found.iter().find(one).map_or_else(
                    || "–".to_owned(),
                    |g| format!("{:.1} % of {}", g.median * 100.0, g.experiments),
                )
            };
            let name = kind.map_or_else(|| (*level).to_owned(), |kind| format!("{level}: {kind}"));
            writeln!(text, "| {name} | {} |", FIGURES.map(cell).join(" | "))
                .expect("a String takes any text");
        }
    }
    text
}

/// By figure and model: signed errors below the knee with their GPUs, and the median of those that were predicted.
pub fn page_models(rows: &[Row]) -> Value {
    let mut figures = Map::new();
    for (metric, stat, ..) in FIGURES {
        let mut by_model: BTreeMap<&str, Vec<(&Row, f64)>> = BTreeMap::new();
        let of_figure = rows.iter().filter(|r| (r.metric.as_str(), r.stat.as_str()) == (metric, stat));
        for r in of_figure.filter(|r| r.regime.as_deref() == Some("below")) {
            let Some(error) = r.error else { continue };
            by_model.entry(r.model.split(" (").next().unwrap_or(&r.model)).or_default().push((r, error));
        }
        let model = |(model, found): (&str, Vec<(&Row, f64)>)| {
            let predicted: Vec<f64> = found.iter().filter(|(r, _)| !r.fitted_on).map(|(_, e)| *e).collect();
            let median = (!predicted.is_empty()).then(|| short(median(predicted)));
            let dots = found.iter().map(|(r, e)| json!([short(*e), gpu_name(&r.gpu), u8::from(r.fitted_on)]));
            json!({"model": model, "median": median, "dots": dots.collect::<Vec<_>>()})
        };
        figures.insert(format!("{metric} {stat}"), by_model.into_iter().map(model).collect());
    }
    Value::Object(figures)
}

/// Quality of rankings, and the number of sets that reach the target.
pub fn page_rankings(rows: &[Row]) -> Value {
    let found = rankings(rows);
    let told: Vec<f64> = found.iter().filter_map(|r| r.tau_b).collect();
    let sets = found.iter().map(|r| {
        json!({"set": r.set, "metric": r.metric, "configurations": r.configurations, "pairs": r.pairs,
            "tau_b": r.tau_b.map(short)})
    });
    json!({"target": TARGET_TAU_B, "told": told.len(), "reached": told.iter().filter(|t| **t >= TARGET_TAU_B).count(),
        "median": short(median(told)), "sets": sets.collect::<Vec<_>>()})
}
