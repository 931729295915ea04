//! What all readers share: which format a text has, and numbers of a document with their place where they are none.

use super::Benchmark;
use crate::base::pointer::pointer;
use crate::base::{Diagnostic, Diagnostics, json};
use crate::exchange::import::{aiperf, engine_log, guidellm, inference_perf, llmperf, metrics, vllm_bench};
use crate::scenario::limits;
use serde_json::Value;
use std::borrow::Cow;

/// Most bytes of a file.
const MOST_BYTES: usize = limits::TRACE_BYTES_PAGE as usize;
/// Most requests of a file.
pub(crate) const MOST_REQUESTS: usize = limits::EXPLICIT_REQUESTS;
/// Most gaps between tokens that are kept of a file.
pub(crate) const MOST_GAPS: usize = 4_000_000;
/// Most messages about one file.
const MOST_PROBLEMS: usize = 20;

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `vllm bench serve --save-result`, with `--save-detailed` or without.
    VllmBench,
    /// `GuideLLM`'s report.
    GuideLlm,
    /// The summary of inference-perf.
    InferencePerfSummary,
    /// The requests of inference-perf.
    InferencePerfRequests,
    /// The summary of `AIPerf`.
    AiPerfSummary,
    /// The records of `AIPerf`, one a line.
    AiPerfRecords,
    /// The summary of `LLMPerf`.
    LlmPerfSummary,
    /// The responses of `LLMPerf`.
    LlmPerfResponses,
    /// The log of a vLLM server.
    EngineLog,
    /// A page of metrics of a vLLM server.
    Metrics,
}

/// The formats, in words.
pub const FORMATS: &str = "a result of vllm bench serve, sglang.bench_serving, GuideLLM, inference-perf, AIPerf or LLMPerf, the log of \
                           a vLLM server, or its /metrics";

/// The format of a text, if it is one of them.
pub fn format(text: &str) -> Option<Format> {
    let text = &*plain(text);
    if !text.starts_with(['{', '[']) {
        return if metrics::is(text) {
            Some(Format::Metrics)
        } else {
            engine_log::is(text).then_some(Format::EngineLog)
        };
    }
    if let Ok(tree) = serde_json::from_str(text) {
        return of_tree(&tree);
    }
    let first = text.lines().next()?;
    let of_line = serde_json::from_str(first).ok().and_then(|tree| of_tree(&tree)).filter(|f| one_a_line(*f));
    // Lines of a log may begin with a pod's name in brackets.
    of_line.or_else(|| (text.starts_with("[pod/") && engine_log::is(text)).then_some(Format::EngineLog))
}

/// The text without what stands around it; JSON as Python writes it becomes plain JSON.
fn plain(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with(['{', '[']) { json::from_python(text) } else { Cow::Borrowed(text) }
}

/// Formats with a document in each line.
fn one_a_line(format: Format) -> bool {
    matches!(format, Format::AiPerfRecords | Format::VllmBench)
}

fn of_tree(tree: &Value) -> Option<Format> {
    let first = tree.as_array().and_then(|list| list.first());
    let has = |key: &str| tree.get(key).is_some();
    let rows_have = |key: &str| first.is_some_and(|row| row.get(key).is_some());
    if has("benchmarks") {
        Some(Format::GuideLlm)
    } else if has("successes") && has("load_summary") {
        Some(Format::InferencePerfSummary)
    } else if rows_have("start_time") && rows_have("info") {
        Some(Format::InferencePerfRequests)
    } else if rows_have("end_to_end_latency_s") || rows_have("number_output_tokens") {
        Some(Format::LlmPerfResponses)
    } else if has("results_ttft_s_mean") || has("results_end_to_end_latency_s_mean") {
        Some(Format::LlmPerfSummary)
    } else if has("metrics") && has("metadata") {
        Some(Format::AiPerfRecords)
    } else if aiperf::is_summary(tree) {
        Some(Format::AiPerfSummary)
    } else if has("mean_ttft_ms") || has("ttfts") || (has("request_throughput") && has("completed")) {
        Some(Format::VllmBench)
    } else {
        None
    }
}

/// Reads what a benchmark tool or a server wrote: its runs, with warnings, or all problems.
pub fn read(text: &str) -> Result<(Vec<Benchmark>, Diagnostics), Diagnostics> {
    if text.len() > MOST_BYTES {
        let fix = "save it without the texts of requests and answers";
        return Err(vec![Diagnostic::error(
            "",
            format!("{} bytes", text.len()),
            format!("at most {MOST_BYTES} bytes"),
            fix,
        )]);
    }
    let text = &*plain(text);
    let Some(format) = format(text) else {
        return Err(vec![pointer(text).unwrap_or_else(|| unknown(text))]);
    };
    let mut problems = Problems::default();
    let found = match format {
        Format::Metrics => vec![metrics::read(text, &mut problems)],
        Format::EngineLog => vec![engine_log::read(text, &mut problems)],
        Format::AiPerfRecords => aiperf::records(text, &mut problems).into_iter().collect(),
        Format::VllmBench => documents(text, &mut problems)
            .iter()
            .enumerate()
            .map(|(i, document)| vllm_bench::read(document, i, &mut problems))
            .collect(),
        _ => {
            let tree = serde_json::from_str(text).unwrap_or(Value::Null);
            of_document(format, &tree, &mut problems)
        }
    };
    let warned = problems.finish()?;
    if found.iter().all(|b| b.figures.is_empty() && b.engine == super::EngineFacts::default()) {
        let fix = "give the file of a run in which requests succeeded";
        return Err(vec![Diagnostic::error("", "no figures", "latencies of one request or more", fix)]);
    }
    Ok((found, warned))
}

fn of_document(format: Format, tree: &Value, problems: &mut Problems) -> Vec<Benchmark> {
    match format {
        Format::GuideLlm => guidellm::read(tree, problems),
        Format::InferencePerfSummary => vec![inference_perf::summary(tree, problems)],
        Format::InferencePerfRequests => vec![inference_perf::requests(tree, problems)],
        Format::AiPerfSummary => vec![aiperf::summary(tree, problems)],
        Format::LlmPerfSummary => vec![llmperf::summary(tree, problems)],
        Format::LlmPerfResponses => vec![llmperf::responses(tree, problems)],
        Format::VllmBench | Format::AiPerfRecords | Format::EngineLog | Format::Metrics => Vec::new(),
    }
}

/// The documents of a text: one, or one a line.
fn documents(text: &str, problems: &mut Problems) -> Vec<Value> {
    if let Ok(whole) = serde_json::from_str(text) {
        return vec![whole];
    }
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(document) => found.push(document),
            Err(e) => problems.push(Diagnostic::error(
                format!("line {}", i + 1),
                format!("text that is not JSON: {e}"),
                "a result in each line",
                "give the file as the tool wrote it",
            )),
        }
    }
    found
}

/// Why a text is none of the formats.
fn unknown(text: &str) -> Diagnostic {
    let fix = "give the file as the tool wrote it";
    if text.is_empty() {
        return Diagnostic::error("", "an empty file", FORMATS, fix);
    }
    let start: String = text.chars().take(40).collect();
    let is_report =
        |has: &dyn Fn(&str) -> bool| has("version") && has("scenario") && (has("results") || has("metrics"));
    let found = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) if is_report(&|key| map.contains_key(key)) => return report(),
        Ok(Value::Object(map)) => an_object(&map),
        Ok(Value::Array(list)) => match list.first() {
            Some(Value::Object(map)) => {
                format!("a list of {} entries, the first {}", list.len(), an_object(map))
            }
            Some(_) | None => format!("a list of {} entries", list.len()),
        },
        Err(_)
            if is_report(&|key| {
                text.lines().any(|line| line.strip_prefix(key).is_some_and(|l| l.starts_with(':')))
            }) =>
        {
            return report();
        }
        Err(e) if text.starts_with(['{', '[']) => {
            let path = format!("line {}", e.line());
            return Diagnostic::error(path, format!("JSON that ends or breaks off: {e}"), FORMATS, fix);
        }
        _ => format!("text that begins with {start:?}"),
    };
    Diagnostic::error("", found, FORMATS, fix)
}

/// An object by its keys, which are cut where they are long.
fn an_object(map: &serde_json::Map<String, Value>) -> String {
    let short = |key: &String| format!("\"{}\"", key.chars().take(30).collect::<String>());
    let keys: Vec<String> = map.keys().take(5).map(short).collect();
    match map.len() {
        0 => "an object without keys".to_owned(),
        1 => format!("an object with the key {}", keys[0]),
        2..=5 => format!("an object with the keys {}", keys.join(", ")),
        all => format!("an object with {all} keys: {} and others", keys.join(", ")),
    }
}

/// A report of llm-d-benchmark, which is written from the result of another tool.
fn report() -> Diagnostic {
    let fix = "give the result of the tool that sent the requests, which the report names under scenario";
    Diagnostic::error("", "a benchmark report of llm-d-benchmark, which is not read", FORMATS, fix)
}

/// The problems of one file, not more than people read.
#[derive(Default)]
pub(crate) struct Problems {
    all: Diagnostics,
    more: u32,
}

impl Problems {
    pub(crate) fn push(&mut self, problem: Diagnostic) {
        if self.all.len() < MOST_PROBLEMS {
            self.all.push(problem);
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Result<Diagnostics, Diagnostics> {
        if self.more > 0 {
            let found = format!("{} more problems", self.more);
            self.all.push(Diagnostic::warning("", found, "none", "mend those above first"));
        }
        if crate::base::diag::has_errors(&self.all) { Err(self.all) } else { Ok(self.all) }
    }

    /// A list that is not as long as another.
    pub(crate) fn length(&mut self, path: &str, found: usize, other: &str, wanted: usize) {
        let allowed = format!("{wanted} entries, as {other} has");
        let fix = "give the file as the tool wrote it";
        self.push(Diagnostic::error(path, format!("{found} entries"), allowed, fix));
    }

    /// More requests than are read.
    pub(crate) fn too_many(&mut self, path: &str, found: usize) {
        let allowed = format!("at most {MOST_REQUESTS}");
        let fix = "give a shorter run, or its summary";
        self.push(Diagnostic::error(path, format!("{found} requests"), allowed, fix));
    }

    /// Something that a format always has.
    pub(crate) fn missing(&mut self, path: &str, allowed: &str) {
        let fix = "give the file as the tool wrote it";
        self.push(Diagnostic::error(path, "nothing", allowed, fix));
    }
}

/// A place in a document, which knows its way there.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    value: &'a Value,
    before: &'a str,
}

impl<'a> Place<'a> {
    pub(crate) fn new(value: &'a Value, before: &'a str) -> Self {
        Self { value, before }
    }

    /// The way to a place below.
    pub(crate) fn way(&self, path: &str) -> String {
        if self.before.is_empty() { path.to_owned() } else { format!("{}.{path}", self.before) }
    }

    /// What stands at a path such as `latency.mean`, if it is neither null nor an empty text, as no number is.
    pub(crate) fn at(&self, path: &str) -> Option<&'a Value> {
        let found = path.split('.').try_fold(self.value, |value, key| value.get(key))?;
        (!found.is_null() && found.as_str() != Some("")).then_some(found)
    }

    /// The number at a path as it stands there, if it is one.
    pub(crate) fn instant(&self, path: &str) -> Option<&'a Value> {
        self.at(path).filter(|v| v.is_number())
    }

    /// Whether an infinite number stands at a path: whether what it limits has no limit.
    pub(crate) fn is_infinite(&self, path: &str) -> bool {
        not_finite(self.text(path)) == Some(f64::INFINITY)
    }

    pub(crate) fn text(&self, path: &str) -> &'a str {
        self.at(path).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn list(&self, path: &str) -> Option<&'a [Value]> {
        self.at(path).and_then(Value::as_array).map(Vec::as_slice)
    }

    /// A finite number that is not negative. One that is not finite is not given; anything else that stands there is a problem.
    pub(crate) fn number(&self, path: &str, problems: &mut Problems) -> Option<f64> {
        let value = self.at(path).filter(|v| v.as_str().and_then(not_finite).is_none())?;
        let number = value.as_f64().filter(|n| n.is_finite() && *n >= 0.0);
        if number.is_none() {
            let found: String = value.to_string().chars().take(40).collect();
            let fix = "give the file as the tool wrote it";
            problems.push(Diagnostic::error(self.way(path), found, "a number of 0 or more", fix));
        }
        number
    }

    /// A whole number of things.
    pub(crate) fn count(&self, path: &str, problems: &mut Problems) -> Option<u32> {
        self.number(path, problems).filter(|n| *n <= 1e9).map(|n| n.round() as u32)
    }

    /// Statistics of a metric at a path, times `scale`: as (name in the file, our name).
    pub(crate) fn statistics(
        &self,
        path: &str,
        (metric, scale): (&'static str, f64),
        names: &[(&str, &'static str)],
        (into, problems): (&mut Benchmark, &mut Problems),
    ) {
        for (name, stat) in names {
            if let Some(value) = self.number(&format!("{path}{name}"), problems) {
                into.put(metric, stat, value * scale);
            }
        }
    }
}

/// A number that is not finite, as tools write it into a text.
fn not_finite(text: &str) -> Option<f64> {
    let letters = text.trim_start_matches(['+', '-']);
    let number =
        if letters.starts_with(|c: char| c.is_ascii_digit()) { None } else { text.parse::<f64>().ok() };
    number.filter(|x| !x.is_finite())
}

/// Whether a text stands for a number that is not finite, or for none.
pub(crate) fn is_not_finite(text: &str) -> bool {
    text.is_empty() || not_finite(text).is_some()
}

/// Microseconds of seconds.
pub(crate) fn us(seconds: f64) -> u64 {
    (seconds * 1e6).round().clamp(0.0, 1e15) as u64
}
