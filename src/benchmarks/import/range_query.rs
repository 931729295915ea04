//! Import of the JSON that Prometheus answers to a range query of a server's metrics (`resultType: matrix`): each
//! series has its labels and pairs of an instant in seconds and a value as text.
//!
//! Several answers may stand in one file: in a list, or one a line. The name of the metric must be there: `rate`, `sum`
//! and `histogram_quantile` drop it, and rates and sums are worked out here anyway.

use super::Import;
use super::benchmark::exposition::SERVERS;
use super::benchmark::series::{MOST_INSTANTS, Points};
use super::benchmark::{Benchmark, Benchmarks, Problems, Text, Timeline};
use base::Diagnostic;
use document::LatencyClock;
use serde_json::Value;
use std::collections::BTreeMap;

/// Most series of a file.
const MOST_SERIES: usize = 20_000;

const FIX: &str =
    "query the metric itself, such as vllm:num_requests_running: rates, sums and means are computed from it";

/// The answer of Prometheus to a range query.
pub(super) struct RangeQuery;

impl Import<Benchmarks> for RangeQuery {
    fn name(&self) -> &'static str {
        "range-query"
    }

    fn title(&self) -> &'static str {
        "a range query of these metrics in Prometheus"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.first().is_some_and(|tree| {
            let one = tree.as_array().map_or(Some(tree), |list| list.first());
            one.and_then(result).is_some()
        })
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        vec![read(text, problems)]
    }
}

/// The list of series of an answer, or of its part `data`.
fn result(answer: &Value) -> Option<&Vec<Value>> {
    let data = answer.get("data").unwrap_or(answer);
    data.get("resultType").and_then(Value::as_str)?;
    data.get("result").and_then(Value::as_array)
}

/// The answers of a file.
fn answers(text: &Text<'_>, problems: &mut Problems) -> Vec<Value> {
    if let Some(tree) = text.document() {
        return tree.as_array().map_or_else(|| vec![tree.clone()], Clone::clone);
    }
    let mut found = Vec::new();
    for (i, line) in text.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(answer) => found.push(answer),
            Err(e) => problems.push(Diagnostic::error(
                format!("line {}", i + 1),
                format!("text that is not JSON: {e}"),
                "an answer in each line",
                "give the answers as Prometheus gave them",
            )),
        }
    }
    found
}

fn read(text: &Text<'_>, problems: &mut Problems) -> Benchmark {
    let mut b = Benchmark::new("Prometheus");
    b.clock = LatencyClock::Server;
    let mut by_name: BTreeMap<String, Vec<Points>> = BTreeMap::new();
    let (mut others, mut series) = (Vec::new(), 0);
    for (i, answer) in answers(text, problems).iter().enumerate() {
        let kind = answer.get("data").unwrap_or(answer).get("resultType").and_then(Value::as_str);
        let Some(list) = result(answer).filter(|_| kind == Some("matrix")) else {
            let found = kind.map_or_else(|| "nothing".to_owned(), |kind| kind.chars().take(40).collect());
            let allowed = "matrix, the result of query_range";
            problems.push(Diagnostic::error(format!("[{i}].data.resultType"), found, allowed, FIX));
            continue;
        };
        series += list.len();
        if series > MOST_SERIES {
            let allowed = format!("at most {MOST_SERIES}");
            problems.push(Diagnostic::error("", format!("{series} series"), allowed, "query fewer metrics"));
            return b;
        }
        for (k, one) in list.iter().enumerate() {
            let path = format!("[{i}].data.result[{k}]");
            read_series(&mut b, one, &path, (&mut by_name, &mut others), problems);
        }
    }
    others.sort_unstable();
    others.dedup();
    if !others.is_empty() {
        let (all, shown) = (others.len(), others.iter().take(5).cloned().collect::<Vec<_>>().join(", "));
        b.note(format!(
            "{all} metrics are left out, which a run does not have: {shown}{}.",
            if all > 5 { ", …" } else { "" }
        ));
    }
    finish(&mut b, by_name, problems);
    b
}

fn finish(b: &mut Benchmark, by_name: BTreeMap<String, Vec<Points>>, problems: &mut Problems) {
    if by_name.is_empty() {
        return;
    }
    let buckets = by_name.keys().any(|name| name.ends_with("_bucket"));
    let line = Timeline::new(by_name).filter(|line| line.step_s() > 0.0);
    match line {
        None => {
            let fix = "query a longer range, or a shorter step";
            problems.push(Diagnostic::error("", "one instant", "at least two instants", fix));
        }
        Some(line)
            if line.instants() > MOST_INSTANTS || line.span_s() / line.step_s() > MOST_INSTANTS as f64 =>
        {
            let found = format!("{} instants over {} s", line.instants(), line.span_s());
            let fix = "query a shorter range, or a longer step";
            problems.push(Diagnostic::error("", found, format!("at most {MOST_INSTANTS}"), fix));
        }
        Some(line) => {
            if line.metrics().is_empty() {
                let allowed = "a gauge, a counter, or the _sum and the _count of a histogram";
                let found = if buckets { "buckets alone" } else { "no metric that a run has" };
                problems.push(Diagnostic::error("", found, allowed, FIX));
                return;
            }
            if line.servers() > 1 {
                b.note(format!(
                    "{} series of a metric are added up; shares of the KV cache are averaged.",
                    line.servers()
                ));
            }
            b.series = Some(line);
        }
    }
}

/// Reads one series: its points go to those of its name.
fn read_series(
    b: &mut Benchmark,
    one: &Value,
    path: &str,
    (by_name, others): (&mut BTreeMap<String, Vec<Points>>, &mut Vec<String>),
    problems: &mut Problems,
) {
    let label = |name: &str| one.get("metric").and_then(|m| m.get(name)).and_then(Value::as_str);
    let Some(full) = label("__name__") else {
        let allowed = "the name of a metric as __name__, which functions and sums drop";
        return problems.push(Diagnostic::error(format!("{path}.metric"), "no name", allowed, FIX));
    };
    let known = SERVERS.iter().find_map(|(start, _)| full.strip_prefix(start));
    let Some(name) = known.filter(|name| is_known(name)) else {
        others.push(full.chars().take(80).collect());
        return;
    };
    if b.model.is_empty() {
        label("model_name").unwrap_or_default().clone_into(&mut b.model);
    }
    let Some(values) = one.get("values").and_then(Value::as_array) else {
        return problems.missing(&format!("{path}.values"), "pairs of seconds and a value");
    };
    let mut points = Points::new();
    for (i, pair) in values.iter().enumerate() {
        let number = |v: Option<&Value>| {
            let v = v?;
            v.as_f64().or_else(|| v.as_str()?.replace("Inf", "inf").parse().ok())
        };
        let (at, value) = (number(pair.get(0)), number(pair.get(1)));
        let Some((at, value)) = at.filter(|at| at.is_finite() && at.abs() < 1e12).zip(value) else {
            return problems
                .missing(&format!("{path}.values[{i}]"), "seconds and a value, such as [1700000000, \"3\"]");
        };
        if value.is_finite() {
            points.insert((at * 1e3).round() as i64, value);
        }
    }
    by_name.entry(name.to_owned()).or_default().push(points);
}

/// Whether a run has the metric, or a part of its histogram.
fn is_known(name: &str) -> bool {
    super::benchmark::series::names().any(|known| known == name)
        || super::benchmark::exposition::HISTOGRAMS.iter().any(|(histogram, _)| {
            name.strip_prefix(histogram).is_some_and(|end| ["_sum", "_count", "_bucket"].contains(&end))
        })
}
