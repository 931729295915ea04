//! Figures of a report by name, for texts, pages and studies: those that are neither a latency nor a rate. One list for
//! all of them, so that a figure has one name and one label everywhere.

use crate::observe::anomaly::AnomalyKind;
use base::number_text::{count, three_digits};
use base::small::decimal::fixed;
use engine::policy::Reason;
use serde::Serialize;
use serde_json::Value;

/// How a figure is written.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricUnit {
    /// A number of things.
    Count,
    /// A number of things for each of others, or a coefficient.
    Ratio,
    /// From 0 to 1, written in percent.
    Share,
    /// Seconds.
    Seconds,
    /// US dollars.
    Usd,
}

/// A figure of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunMetric {
    /// Its name in columns and options.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// How it is written.
    pub unit: MetricUnit,
    /// Whether higher values are the better ones.
    pub higher_is_better: bool,
    place: Place,
}

/// Where it stands in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    At(&'static str),
    /// Refusals for a reason.
    Refused(&'static str),
    /// Anomalies of a kind.
    Anomalies(&'static str),
}

/// The figures that every run has: name, label, unit, whether higher is better, place.
#[rustfmt::skip]
const EVERY: [(&str, &str, MetricUnit, bool, &str); 6] = [
    ("preemption_rate", "Preemptions per finished request", MetricUnit::Ratio, false, "/requests/preemption_rate"),
    ("request_hit_rate", "Requests with a cached prefix", MetricUnit::Share, true, "/kv/request_hit_rate"),
    ("replicas_cov", "Variation of load, replicas", MetricUnit::Ratio, false, "/fairness/replicas_cov"),
    ("tenants_cov", "Variation of load, tenants", MetricUnit::Ratio, false, "/fairness/tenants_cov"),
    ("gpu_busy_seconds_per_request", "Busy GPU-seconds per request", MetricUnit::Seconds, false, "/cost/gpu_busy_seconds_per_request"),
    ("usd_per_1k_tokens", "Cost per 1,000 tokens", MetricUnit::Usd, false, "/cost/usd_per_1k_tokens"),
];

impl RunMetric {
    /// All of them: those of every run, then refusals by reason, then anomalies by kind.
    pub fn all() -> Vec<Self> {
        let refused = Reason::ALL.into_iter().map(|reason| Self {
            name: format!("refused_{}", column(reason.name())),
            label: format!("Refused: {}", words(reason.name())),
            unit: MetricUnit::Count,
            higher_is_better: false,
            place: Place::Refused(reason.name()),
        });
        let anomalies = AnomalyKind::ALL.into_iter().map(|kind| Self {
            name: format!("anomalies_{}", column(kind.name())),
            label: format!("Anomalies: {}", words(kind.name())),
            unit: MetricUnit::Count,
            higher_is_better: false,
            place: Place::Anomalies(kind.name()),
        });
        Self::of_every_run().into_iter().chain(refused).chain(anomalies).collect()
    }

    /// Those that every run has.
    pub fn of_every_run() -> Vec<Self> {
        let metric = |(name, label, unit, higher_is_better, path): (&str, &str, _, _, _)| Self {
            name: name.to_owned(),
            label: label.to_owned(),
            unit,
            higher_is_better,
            place: Place::At(path),
        };
        EVERY.into_iter().map(metric).collect()
    }

    /// Those with these names, or the first name that none has.
    pub fn named(names: &[String]) -> Result<Vec<Self>, &str> {
        let all = Self::all();
        let find = |name: &'_ String| all.iter().find(|m| m.name == *name).cloned();
        names.iter().map(|name| find(name).ok_or(name.as_str())).collect()
    }

    /// Its value in a report; `None` if it is not known.
    pub fn of(&self, report: &Value) -> Option<f64> {
        match self.place {
            Place::At(path) => report.pointer(path)?.as_f64(),
            Place::Refused(reason) => {
                let list = report.get("rejections").and_then(Value::as_array);
                let found = list.and_then(|list| list.iter().find(|part| part["reason"] == reason));
                report.get("requests")?;
                Some(found.and_then(|part| part["requests"].as_f64()).unwrap_or(0.0))
            }
            Place::Anomalies(kind) => report.get("anomalies")?.get("counts")?.get(kind)?.as_f64(),
        }
    }

    /// Its value as text; a dash if it is not known.
    pub fn text(&self, value: Option<f64>) -> String {
        let Some(value) = value else { return "–".to_owned() };
        match self.unit {
            MetricUnit::Count => count(value as u64),
            MetricUnit::Ratio => three_digits(value),
            MetricUnit::Share => format!("{} %", fixed(value * 100.0, 1)),
            MetricUnit::Seconds => format!("{} s", three_digits(value)),
            MetricUnit::Usd => format!("{} USD", three_digits(value)),
        }
    }
}

/// A name as that of a column.
fn column(name: &str) -> String {
    name.replace(['-', ' '], "_")
}

fn words(name: &str) -> String {
    name.replace('-', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_figure_is_found_where_the_report_has_it() {
        let report = json!({
            "requests": { "preemption_rate": 0.25 }, "kv": { "request_hit_rate": 0.5 },
            "rejections": [{ "reason": "wait queue full", "requests": 1200 }],
            "anomalies": { "counts": { "livelock": 2 } }
        });
        let all = RunMetric::all();
        let said = |name: &str| {
            let metric = all.iter().find(|m| m.name == name).unwrap_or_else(|| panic!("no {name}"));
            metric.text(metric.of(&report))
        };
        assert_eq!(said("preemption_rate"), "0.250");
        assert_eq!(said("request_hit_rate"), "50.0 %");
        assert_eq!([said("usd_per_1k_tokens"), said("replicas_cov")], ["–", "–"]);
        assert_eq!([said("refused_wait_queue_full"), said("refused_rate_limit")], ["1,200", "0"]);
        assert_eq!([said("anomalies_livelock"), said("anomalies_oscillation")], ["2", "–"]);
        let mut names: Vec<&str> = all.iter().map(|m| m.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len(), "a name stands for one figure");
    }
}
