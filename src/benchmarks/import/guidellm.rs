//! Import of `GuideLLM`'s report: one run for each rate or number of streams, with distributions over the successful
//! requests.
//!
//! Its `time_per_output_token_ms` includes the first token (some releases divide by one more token):
//! `inter_token_latency_ms` is what others call TPOT.

use super::Import;
use super::benchmark::clock::Clock;
use super::benchmark::place::us;
use super::benchmark::problems::MOST_REQUESTS;
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Request, Text};
use serde_json::Value;

const STATS: [(&str, &str); 6] = [
    (".mean", "mean"),
    (".median", "p50"),
    (".percentiles.p50", "p50"),
    (".percentiles.p90", "p90"),
    (".percentiles.p95", "p95"),
    (".percentiles.p99", "p99"),
];

/// Keys of the time at which a request was sent, by release.
const STARTS: [&str; 3] = ["start_time", "request_start_time", "info.timings.request_start"];

/// `GuideLLM`'s report.
pub(super) struct GuideLlm;

impl Import<Benchmarks> for GuideLlm {
    fn name(&self) -> &'static str {
        "guidellm"
    }

    fn title(&self) -> &'static str {
        "a result of GuideLLM"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.has("benchmarks")
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let Some(tree) = text.document() else { return Vec::new() };
        read(tree, problems)
    }
}

/// All runs of a report.
fn read(tree: &Value, problems: &mut Problems) -> Vec<Benchmark> {
    let Some(runs) = tree.get("benchmarks").and_then(Value::as_array) else {
        problems.missing("benchmarks", "a list of runs");
        return Vec::new();
    };
    let model = [
        "args.model",
        "metadata.model",
        "args.backend_args.model",
        "args.backend_kwargs.model",
        "config.model",
        "config.backend.model",
        "config.backend_kwargs.model",
    ];
    let whole = Place::new(tree, "");
    let model = model.iter().map(|path| whole.text(path)).find(|m| !m.is_empty()).unwrap_or_default();
    let mut found = Vec::new();
    for (i, run) in runs.iter().enumerate() {
        let before = format!("benchmarks[{i}]");
        let mut b = one(Place::new(run, &before), problems);
        if b.model.is_empty() {
            model.clone_into(&mut b.model);
        }
        found.push(b);
    }
    found
}

fn one(place: Place<'_>, problems: &mut Problems) -> Benchmark {
    let mut b = Benchmark::new("GuideLLM");
    for (path, metric, scale) in [
        ("time_to_first_token_ms", "ttft_ms", 1.0),
        ("inter_token_latency_ms", "tpot_ms", 1.0),
        ("request_latency", "e2e_ms", 1e3),
    ] {
        let path = format!("metrics.{path}.successful");
        place.statistics(&path, (metric, scale), &STATS, (&mut b, problems));
        if let Some(value) = place.number(&format!("{path}.std_dev"), problems) {
            b.put_deviation(metric, value * scale);
        }
    }
    for (path, metric) in [
        ("metrics.requests_per_second.successful.mean", "req_per_s"),
        ("metrics.output_tokens_per_second.successful.mean", "out_tok_per_s"),
    ] {
        if let Some(value) = place.number(path, problems) {
            b.put(metric, "value", value);
        }
    }
    let mean = |path: &str, problems: &mut Problems| {
        place.number(&format!("metrics.{path}.successful.mean"), problems)
    };
    b.load.prompt_tokens = mean("prompt_token_count", problems);
    b.load.output_tokens = mean("output_token_count", problems);
    read_counts(&mut b, place, problems);
    read_strategy(&mut b, place, problems);
    read_requests(&mut b, place, problems);
    b.note("TPOT is GuideLLM's inter-token latency: its time per output token includes the first token.");
    b
}

/// Numbers of successful and failed requests; their place differs between releases. A report may be saved without its
/// requests.
fn read_counts(b: &mut Benchmark, place: Place<'_>, problems: &mut Problems) {
    let mut first = |paths: &[&str]| paths.iter().find_map(|path| place.count(path, problems));
    let succeeded = first(&[
        "metrics.request_latency.successful.count",
        "metrics.time_to_first_token_ms.successful.count",
        "metrics.request_totals.successful",
        "scheduler_metrics.requests_made.successful",
        "run_stats.requests_made.successful",
    ]);
    b.failed = first(&[
        "metrics.request_totals.errored",
        "scheduler_metrics.requests_made.errored",
        "run_stats.requests_made.errored",
    ])
    .unwrap_or(0);
    b.completed = succeeded;
    b.load.requests = succeeded.filter(|n| *n > 0).map(|n| n.saturating_add(b.failed));
}

fn read_strategy(b: &mut Benchmark, place: Place<'_>, problems: &mut Problems) {
    let of = ["config.strategy", "args.strategy"].into_iter().find(|p| place.at(p).is_some());
    let Some(of) = of else { return };
    let kind = place.text(&format!("{of}.type_"));
    let rate = place.number(&format!("{of}.rate"), problems).filter(|r| *r > 0.0);
    let streams = place.count(&format!("{of}.streams"), problems);
    let streams = streams.or_else(|| place.count(&format!("{of}.max_concurrency"), problems));
    match kind {
        "synchronous" => {
            b.load.at_once = true;
            b.load.concurrency = Some(1);
        }
        "throughput" => {
            b.load.at_once = true;
            b.load.concurrency = streams.filter(|n| *n > 0);
        }
        "concurrent" => {
            b.load.concurrency = streams.filter(|n| *n > 0);
            b.load.at_once = b.load.concurrency.is_some();
        }
        _ => {
            b.load.rate_per_s = rate;
            b.load.gap_cv = Some(if kind == "poisson" { 1.0 } else { 0.0 });
            b.load.concurrency = streams.filter(|n| *n > 0);
        }
    }
    b.name = match (rate, streams) {
        (Some(rate), _) => format!("{kind} {rate}/s"),
        (None, Some(streams)) => format!("{kind} {streams}"),
        (None, None) => kind.to_owned(),
    };
}

/// The successful requests, if the report contains them.
fn read_requests(b: &mut Benchmark, place: Place<'_>, problems: &mut Problems) {
    let failed = place.list("requests.errored").map_or(0, <[Value]>::len);
    b.failed = b.failed.max(failed as u32);
    let rows = place.list("requests.successful").unwrap_or_default();
    if rows.len() > MOST_REQUESTS {
        return problems.too_many("requests.successful", rows.len());
    }
    let (clock, window) = (clock(place, rows), [place.instant("start_time"), place.instant("end_time")]);
    let window = window.map(|edge| edge.and_then(|instant| clock.us(instant)));
    let mut found = Vec::new();
    for row in rows {
        let row = Place::new(row, "");
        // For releases with other names of rows, the summary is used.
        let quiet = &mut Problems::default();
        let mut first = |paths: &[&str]| paths.iter().find_map(|path| row.number(path, quiet));
        let prompt = first(&["prompt_tokens", "input_metrics.text_tokens"]);
        let output = first(&["output_tokens", "output_metrics.text_tokens"]);
        let ttft = first(&["time_to_first_token_ms"]);
        let e2e = first(&["request_latency"]);
        let start = STARTS.iter().find_map(|path| clock.us(row.instant(path)?));
        let (Some(prompt), Some(output), Some(e2e)) = (prompt, output, e2e) else { return };
        let outside = start.zip(window[0]).is_some_and(|(start, from)| start < from)
            || start.zip(window[1]).is_some_and(|(start, to)| start.saturating_add_unsigned(us(e2e)) > to);
        found.push(Request {
            start_us: start,
            prompt_tokens: prompt as u32,
            output_tokens: output as u32,
            ttft_us: ttft.map(|ms| us(ms / 1e3)),
            e2e_us: us(e2e),
            counted: !outside,
        });
    }
    b.requests = found;
    note_left_out(b, place);
    b.figures_of_requests(Vec::new());
}

/// The clock of a run's requests.
fn clock(place: Place<'_>, rows: &[Value]) -> Clock {
    let starts =
        rows.iter().filter_map(|row| STARTS.iter().find_map(|path| Place::new(row, "").instant(path)));
    let run_s = place.number("duration", &mut Problems::default());
    Clock::of(&starts.collect::<Vec<_>>(), run_s)
}

/// The tool counts the requests within its bounds of the run; if these disagree with its count, all requests are
/// counted.
fn note_left_out(b: &mut Benchmark, place: Place<'_>) {
    let quiet = &mut Problems::default();
    let told = place.count("metrics.request_latency.successful.count", quiet);
    let told = told.or_else(|| place.count("metrics.time_to_first_token_ms.successful.count", quiet));
    let (all, counted) = (b.requests.len() as u32, b.counted().count() as u32);
    if counted == 0 || told == Some(all) {
        for r in &mut b.requests {
            r.counted = true;
        }
    } else if counted < all {
        b.note(format!(
            "Figures cover {counted} of {all} requests: GuideLLM leaves out its warm-up and cool-down."
        ));
    } else if let Some(told) = told.filter(|told| *told < all) {
        b.note(format!(
            "GuideLLM's own figures cover {told} of the {all} requests; the file does not say which."
        ));
    }
}
