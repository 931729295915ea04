//! inference-perf: the summary of a stage or a run, and the file with all requests; seconds throughout.
//!
//! Some releases count the closing chunk of a stream as a token and halve TPOT and ITL so; they count the tokens of an answer by reading
//! its text again. (E2E - TTFT) / (N - 1) is right in all of them.

use super::benchmark::clock::Clock;
use super::benchmark::reading::{MOST_GAPS, MOST_REQUESTS, Place, Problems};
use super::benchmark::{Benchmark, Request};
use serde_json::Value;

const STATS: [(&str, &str); 5] =
    [(".mean", "mean"), (".median", "p50"), (".p90", "p90"), (".p95", "p95"), (".p99", "p99")];

/// The smallest share of (E2E - TTFT) / (N - 1) that the TPOT of a summary may be before it counts as halved.
const HALVED: f64 = 0.75;

/// Reads a summary.
pub(super) fn summary(tree: &Value, problems: &mut Problems) -> Benchmark {
    let place = Place::new(tree, "");
    let mut b = Benchmark::new("inference-perf");
    for (path, metric) in [
        ("time_to_first_token", "ttft_ms"),
        ("time_per_output_token", "tpot_ms"),
        ("inter_token_latency", "itl_ms"),
        ("request_latency", "e2e_ms"),
    ] {
        let path = format!("successes.latency.{path}");
        place.statistics(&path, (metric, 1e3), &STATS, (&mut b, problems));
    }
    for (path, metric) in [("requests_per_sec", "req_per_s"), ("output_tokens_per_sec", "out_tok_per_s")] {
        if let Some(value) = place.number(&format!("successes.throughput.{path}"), problems) {
            b.put(metric, "value", value);
        }
    }
    let succeeded = place.number("successes.count", problems);
    b.completed = place.count("successes.count", problems);
    let mut length = |names: [&str; 2]| {
        names.iter().find_map(|name| {
            let mean = place.number(&format!("successes.{name}.mean"), problems);
            let total = place.number(&format!("successes.{name}.total"), problems);
            mean.or_else(|| total.zip(succeeded.filter(|n| *n > 0.0)).map(|(t, n)| t / n))
        })
    };
    b.load.prompt_tokens = length(["prompt_len", "prompt_tokens"]);
    b.load.output_tokens = length(["output_len", "output_tokens"]);
    b.failed = place.count("failures.count", problems).unwrap_or(0);
    b.load.requests = place.count("load_summary.count", problems);
    let mut rate = |key: &str| place.number(&format!("load_summary.{key}"), problems).filter(|r| *r > 0.0);
    let (requested, achieved) = (rate("requested_rate"), rate("achieved_rate"));
    b.load.gap_cv = Some(1.0);
    b.load.concurrency = place.count("load_summary.concurrency", problems).filter(|n| *n > 0);
    // With a limit of requests in flight the rate that was reached is what came of it, not what was asked for.
    b.load.rate_per_s = requested.or(achieved.filter(|_| b.load.concurrency.is_none()));
    b.load.at_once = b.load.rate_per_s.is_none() && b.load.concurrency.is_some();
    mend(&mut b);
    b
}

/// Puts the right TPOT in the place of a halved one.
fn mend(b: &mut Benchmark) {
    let [Some(ttft), Some(e2e), Some(told)] =
        ["ttft_ms", "e2e_ms", "tpot_ms"].map(|metric| b.figure(metric, "mean"))
    else {
        return;
    };
    let Some(output) = b.load.output_tokens.filter(|n| *n > 1.5) else { return };
    let right = (e2e - ttft) / (output - 1.0);
    if right > 0.0 && told < HALVED * right {
        b.figures.retain(|f| f.metric != "tpot_ms" && f.metric != "itl_ms");
        b.put("tpot_ms", "mean", right);
        b.note(
            "This release of inference-perf counts the tokens of a stream twice: TPOT is (E2E - TTFT) / (N - 1) instead, and its ITL \
             is left out.",
        );
    }
}

/// Reads the file with all requests.
pub(super) fn requests(tree: &Value, problems: &mut Problems) -> Benchmark {
    let mut b = Benchmark::new("inference-perf");
    let rows = tree.as_array().map_or(&[][..], Vec::as_slice);
    if rows.len() > MOST_REQUESTS {
        problems.too_many("", rows.len());
        return b;
    }
    let instants: Vec<&Value> = rows.iter().filter_map(|row| row.get("start_time")).collect();
    let clock = Clock::of(&instants, None);
    let (mut gaps, mut doubled) = (Vec::new(), false);
    for (i, row) in rows.iter().enumerate() {
        let before = format!("[{i}]");
        let place = Place::new(row, &before);
        if place.at("error").is_some() {
            b.failed += 1;
            continue;
        }
        if let Some((request, own, twice)) = one(place, clock, problems) {
            doubled |= twice;
            if gaps.len() + own.len() <= MOST_GAPS {
                gaps.extend(own);
            }
            b.requests.push(request);
        }
    }
    if doubled {
        b.note("Every token has two times in this file: the second of each pair is left out.");
    }
    b.load.gap_cv = Some(1.0);
    b.figures_of_requests(gaps);
    b
}

/// A request, the gaps between its tokens in milliseconds, and whether its times came in pairs.
fn one(place: Place<'_>, clock: Clock, problems: &mut Problems) -> Option<(Request, Vec<f64>, bool)> {
    let instant = |path: &str| clock.us(place.instant(path)?);
    let (Some(start), Some(end)) = (instant("start_time"), instant("end_time")) else {
        problems.missing(&place.way("start_time or end_time"), "seconds");
        return None;
    };
    let mut first = |paths: &[&str]| paths.iter().find_map(|path| place.number(path, problems));
    let prompt = first(&[
        "info.input_tokens",
        "info.request_metrics.text.input_tokens",
        "info.response_metrics.input_tokens",
    ]);
    let counted = first(&["info.output_tokens", "info.response_metrics.output_tokens"]);
    let times = ["info.output_token_times", "info.response_metrics.output_token_times"];
    let times = times.iter().find_map(|path| place.list(path)).unwrap_or_default();
    let times: Vec<i64> = times.iter().filter_map(|time| clock.us(time)).collect();
    let pairs = times.len() > 3 && times.chunks_exact(2).all(|pair| pair[1] - pair[0] < 1000);
    let times: Vec<i64> = if pairs { times.iter().copied().step_by(2).collect() } else { times };
    let output = asked(place.text("request")).or(counted).unwrap_or(times.len() as f64);
    let request = Request {
        start_us: Some(start),
        prompt_tokens: prompt.unwrap_or(0.0) as u32,
        output_tokens: output as u32,
        ttft_us: times.first().and_then(|t| u64::try_from(t - start).ok()),
        e2e_us: u64::try_from(end - start).unwrap_or(0),
        counted: true,
    };
    let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]).max(0) as f64 / 1e3).collect();
    // A chunk for each token, or the gaps are no ITL.
    let each = (times.len() as f64 / output.max(1.0) - 1.0).abs() < 0.1;
    Some((request, if each { gaps } else { Vec::new() }, pairs))
}

/// The length that was asked for, where the end of the answer was to be ignored.
fn asked(request: &str) -> Option<f64> {
    let tree: Value = serde_json::from_str(request).ok()?;
    tree.get("ignore_eos").and_then(Value::as_bool).filter(|ignored| *ignored)?;
    tree.get("max_tokens").and_then(Value::as_f64).filter(|n| *n >= 1.0)
}
