//! Import of inference-perf's file with all requests; all times in seconds.
//!
//! Some releases write the time of each token twice. The tool counts the tokens of an answer by tokenising its text
//! again.

use super::Import;
use super::benchmark::clock::Clock;
use super::benchmark::problems::{MOST_GAPS, MOST_REQUESTS};
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Request, Text};
use serde_json::Value;

/// The requests of inference-perf.
pub(super) struct InferencePerfRequests;

impl Import<Benchmarks> for InferencePerfRequests {
    fn name(&self) -> &'static str {
        "inference-perf-requests"
    }

    fn title(&self) -> &'static str {
        "a result of inference-perf"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.rows_have("start_time") && text.rows_have("info")
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let Some(tree) = text.document() else { return Vec::new() };
        vec![read(tree, problems)]
    }
}

/// Reads the requests.
fn read(tree: &Value, problems: &mut Problems) -> Benchmark {
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

/// A request, the gaps between its tokens in milliseconds, and whether each time was written twice.
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
    // Without a chunk for each token the gaps are not ITL.
    let each = (times.len() as f64 / output.max(1.0) - 1.0).abs() < 0.1;
    Some((request, if each { gaps } else { Vec::new() }, pairs))
}

/// The requested length, if the end of the answer was to be ignored.
fn asked(request: &str) -> Option<f64> {
    let tree: Value = serde_json::from_str(request).ok()?;
    tree.get("ignore_eos").and_then(Value::as_bool).filter(|ignored| *ignored)?;
    tree.get("max_tokens").and_then(Value::as_f64).filter(|n| *n >= 1.0)
}
