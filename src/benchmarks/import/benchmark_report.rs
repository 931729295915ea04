//! Import of the benchmark report of llm-d-benchmark, versions 0.1 and 0.2: the result of another tool, with a unit beside
//! each figure. Its file is YAML, which the command line and the page turn into JSON.
//!
//! Its figures mean what they mean for the tool that sent the requests. `GuideLLM`'s time per output token includes the
//! first token there too, and releases of inference-perf that count a token twice do so there as well.

use super::Import;
use super::benchmark::aiperf_load::milliseconds;
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Text};
use super::inference_perf_summary::mend;
use base::Diagnostic;
use serde_json::Value;

const STATS: [(&str, &str); 6] =
    [("mean", "mean"), ("p50", "p50"), ("median", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99")];

const METRICS: [(&str, &str); 4] = [
    ("time_to_first_token", "ttft_ms"),
    ("time_per_output_token", "tpot_ms"),
    ("inter_token_latency", "itl_ms"),
    ("request_latency", "e2e_ms"),
];

/// Where the figures are: version 0.2, version 0.1.
const FIGURES: [&str; 2] = ["results.request_performance.aggregate", "metrics"];

/// Where the tool's own settings are: version 0.2, version 0.1.
const SETTINGS: [&str; 3] =
    ["scenario.load.native.config", "scenario.load.native.args", "scenario.load.args"];

/// The report of llm-d-benchmark.
pub(super) struct BenchmarkReport;

impl Import<Benchmarks> for BenchmarkReport {
    fn name(&self) -> &'static str {
        "benchmark-report"
    }

    fn title(&self) -> &'static str {
        "a result of llm-d-benchmark"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        let Some(tree) = text.document() else { return false };
        let place = Place::new(tree, "");
        place.at("scenario").is_some() && FIGURES.iter().any(|path| figures_at(place, path))
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let Some(tree) = text.document() else { return Vec::new() };
        vec![read(tree, problems)]
    }
}

fn figures_at(place: Place<'_>, path: &str) -> bool {
    ["latency", "throughput", "requests"]
        .iter()
        .any(|part| place.at(&format!("{path}.{part}")).is_some_and(Value::is_object))
}

/// Whether a text that is no JSON looks like such a report in YAML, or like that of `GuideLLM`.
pub fn is_yaml(text: &str) -> bool {
    let has =
        |key: &str| text.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
    let is_report = || has("scenario") && (has("results") || has("metrics"));
    !text.trim_start().starts_with(['{', '[']) && (is_report() || has("benchmarks"))
}

/// The text of a report in YAML with its numbers that are not finite as text, which no reader of YAML refuses.
pub fn finite_yaml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some(at) = rest.find(": ") {
            let (before, value) = rest.split_at(at + 2);
            out.push_str(before);
            let end = value.find([',', '}', ']', '\n', '\r', ' ', '#']).unwrap_or(value.len());
            let word = match value[..end].to_ascii_lowercase().as_str() {
                ".nan" => "\"nan\"",
                ".inf" | "+.inf" => "\"inf\"",
                "-.inf" => "\"-inf\"",
                _ => "",
            };
            out.push_str(word);
            // Another value may have further keys in it.
            rest = if word.is_empty() { value } else { &value[end..] };
        }
        out.push_str(rest);
    }
    out
}

/// Reads a report.
fn read(tree: &Value, problems: &mut Problems) -> Benchmark {
    let whole = Place::new(tree, "");
    let mut b = Benchmark::new("llm-d-benchmark");
    let standard = ["scenario.load.standardized.tool", "scenario.load.name"];
    let tool = standard.iter().map(|path| whole.text(path)).find(|name| !name.is_empty()).unwrap_or_default();
    let of = FIGURES.into_iter().find(|path| figures_at(whole, path)).unwrap_or_default();
    let Some(value) = whole.at(of) else { return b };
    let place = Place::new(value, of);
    read_latencies(&mut b, place, is(tool, "guidellm"), problems);
    for (paths, metric) in [
        (["throughput.request_rate.mean", "throughput.requests_per_sec"], "req_per_s"),
        (["throughput.output_token_rate.mean", "throughput.output_tokens_per_sec"], "out_tok_per_s"),
    ] {
        if let Some(value) = paths.iter().find_map(|path| place.number(path, problems)) {
            b.put(metric, "value", value);
        }
    }
    b.load.requests = place.count("requests.total", problems);
    let lost = ["failures", "incomplete"].map(|key| place.count(&format!("requests.{key}"), problems));
    b.failed = lost.iter().flatten().fold(0, |sum, n| sum.saturating_add(*n));
    b.completed = b.load.requests.map(|n| n.saturating_sub(b.failed));
    b.load.prompt_tokens = place.number("requests.input_length.mean", problems);
    b.load.output_tokens = place.number("requests.output_length.mean", problems);
    read_load(&mut b, whole, problems);
    model(whole).clone_into(&mut b.model);
    let dates = ["run.time.start", "metrics.time.start"];
    dates
        .iter()
        .map(|path| whole.text(path))
        .find(|d| !d.is_empty())
        .unwrap_or_default()
        .clone_into(&mut b.date);
    if is(tool, "inference-perf") {
        mend(&mut b);
    }
    if !tool.is_empty() {
        let tool: String = tool.chars().take(40).collect();
        b.note(format!("The requests were sent by {tool}: its figures mean what they mean there."));
    }
    b
}

/// Whether a tool has a name, however that is spelt.
fn is(tool: &str, name: &str) -> bool {
    tool.to_ascii_lowercase().replace('_', "-").contains(name)
}

fn read_latencies(b: &mut Benchmark, place: Place<'_>, guidellm: bool, problems: &mut Problems) {
    for (name, metric) in METRICS {
        let path = format!("latency.{name}");
        if place.at(&path).is_none() {
            continue;
        }
        let unit = place.text(&format!("{path}.units"));
        let time = unit.split('/').next().unwrap_or_default().trim();
        let Some(scale) = milliseconds(time).filter(|_| !time.is_empty()) else {
            problems.push(Diagnostic::error(
                place.way(&format!("{path}.units")),
                if unit.is_empty() { "nothing" } else { unit },
                "s, ms, us or ns, with or without /token",
                "give the file as the tool wrote it",
            ));
            continue;
        };
        let metric = match metric {
            "tpot_ms" if guidellm => continue,
            "itl_ms" if guidellm => "tpot_ms",
            other => other,
        };
        for (key, stat) in STATS {
            let known = b.figures.iter().any(|f| f.metric == metric && f.stat == stat);
            if let Some(value) = place.number(&format!("{path}.{key}"), problems).filter(|_| !known) {
                b.put(metric, stat, value * scale);
            }
        }
        if let Some(value) = place.number(&format!("{path}.stddev"), problems) {
            b.put_deviation(metric, value * scale);
        }
    }
}

/// How requests were sent: as the report says for all tools, or in the tool's own settings.
fn read_load(b: &mut Benchmark, whole: Place<'_>, problems: &mut Problems) {
    let standard = "scenario.load.standardized";
    let unlimited = |path: &str| whole.is_infinite(path);
    let mut rate = whole.number(&format!("{standard}.rate_qps"), problems).filter(|r| *r > 0.0);
    let mut at_once = unlimited(&format!("{standard}.rate_qps"));
    let mut cap = whole.count(&format!("{standard}.concurrency"), problems);
    let stage = ["scenario.load.standardized.stage", "scenario.load.metadata.stage"];
    let stage = stage.iter().find_map(|path| whole.count(path, problems)).unwrap_or(0) as usize;
    let mut mode = "";
    for settings in SETTINGS.into_iter().filter_map(|path| Some(Place::new(whole.at(path)?, path))) {
        for key in ["request_rate", "request-rate", "rate"] {
            at_once |= rate.is_none() && settings.is_infinite(key);
            let told = settings.at(key).filter(|v| v.is_number());
            rate = rate.or(told.and_then(Value::as_f64).filter(|r| r.is_finite() && *r > 0.0));
        }
        for key in ["max_concurrency", "max-concurrency", "concurrency"] {
            cap = cap.or(settings.at(key).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()));
        }
        if let Some(found) = settings.list("load.stages").and_then(|stages| stages.get(stage)) {
            let found = Place::new(found, "load.stages");
            rate = rate.or(found.number("rate", problems).filter(|r| *r > 0.0));
            cap = cap.or(found.count("concurrency_level", problems));
        }
        let modes = ["load.type", "rate_type", "rate-type", "profile"].map(|key| settings.text(key));
        mode = modes.into_iter().find(|m| !m.is_empty()).unwrap_or(mode);
    }
    b.load.concurrency = cap.filter(|n| *n > 0);
    b.load.rate_per_s = rate.filter(|_| !at_once);
    b.load.gap_cv = Some(if mode == "constant" { 0.0 } else { 1.0 });
    match mode {
        // Their rate is the number of streams.
        "concurrent" => {
            let streams = b.load.rate_per_s.take().filter(|n| *n <= 65_536.0).map(|n| n as u32);
            b.load.concurrency = b.load.concurrency.or(streams);
        }
        "synchronous" => (b.load.rate_per_s, b.load.concurrency) = (None, Some(1)),
        "throughput" => (b.load.rate_per_s, at_once) = (None, true),
        _ => {}
    }
    b.load.at_once = b.load.rate_per_s.is_none() && (at_once || b.load.concurrency.is_some());
}

/// The first model that a report names.
fn model(whole: Place<'_>) -> &str {
    let stack = whole.list("scenario.stack").unwrap_or_default();
    let name = |part| Place::new(part, "").text("standardized.model.name");
    let named = stack.iter().map(name).find(|name| !name.is_empty());
    named.unwrap_or_else(|| whole.text("scenario.model.name"))
}

#[cfg(test)]
mod tests {
    use super::finite_yaml;

    #[test]
    fn numbers_that_are_not_finite_become_text_and_nothing_else_changes() {
        let text = "a: .nan\nb: {c: .inf, d: -.Inf}\ne: x.nan\nf: \": .nane\"\n";
        assert_eq!(finite_yaml(text), "a: \"nan\"\nb: {c: \"inf\", d: \"-inf\"}\ne: x.nan\nf: \": .nane\"\n");
    }
}
