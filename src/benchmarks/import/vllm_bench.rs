//! Import of the result of `vllm bench serve --save-result`: a summary in milliseconds, and with `--save-detailed`
//! lists over requests in seconds. A file may have several, in a list or one a line. SGLang's `bench_serving` began as a copy of it and has the same keys.
//!
//! TPOT leaves the first token out, as ours does. Its gaps are those between chunks: if a chunk holds several tokens,
//! they are longer than ITL.

use super::Import;
use super::benchmark::clock::Clock;
use super::benchmark::place::{is_not_finite, us};
use super::benchmark::problems::{MOST_GAPS, MOST_REQUESTS};
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Request, Text};
use base::Diagnostic;
use serde_json::Value;

const METRICS: [(&str, &str); 5] = [
    ("ttft", "ttft_ms"),
    ("tpot", "tpot_ms"),
    ("itl", "itl_ms"),
    ("e2el", "e2e_ms"),
    // As SGLang has it.
    ("e2e_latency", "e2e_ms"),
];
const STATS: [(&str, &str); 6] =
    [("mean", "mean"), ("median", "p50"), ("p50", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99")];

/// A result of `vllm bench serve`, or several, one a line.
pub(super) struct VllmBench;

impl Import<Benchmarks> for VllmBench {
    fn name(&self) -> &'static str {
        "vllm-bench"
    }

    fn title(&self) -> &'static str {
        "a result of vllm bench serve, sglang.bench_serving"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        let first = text.first().and_then(|tree| tree.as_array().map_or(Some(tree), |list| list.first()));
        let has = |key: &str| first.is_some_and(|tree| tree.get(key).is_some());
        has("mean_ttft_ms") || has("ttfts") || (has("request_throughput") && has("completed"))
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let Some(whole) = text.document() else {
            let documents = lines(&text.text, problems);
            let before = |i: usize| if i == 0 { String::new() } else { format!("line {}", i + 1) };
            return documents.iter().enumerate().map(|(i, one)| read(one, &before(i), problems)).collect();
        };
        match whole.as_array() {
            None => vec![read(whole, "", problems)],
            Some(list) => {
                list.iter().enumerate().map(|(i, one)| read(one, &format!("[{i}]"), problems)).collect()
            }
        }
    }
}

/// The documents of a text with one in each line.
fn lines(text: &str, problems: &mut Problems) -> Vec<Value> {
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

/// Reads one run at a place of a file.
pub(super) fn read(tree: &Value, before: &str, problems: &mut Problems) -> Benchmark {
    let place = Place::new(tree, before);
    let sglang = ["mean_e2e_latency_ms", "sharegpt_output_len", "random_range_ratio"];
    let sglang = sglang.iter().any(|key| tree.get(key).is_some());
    let mut b = Benchmark::new(if sglang { "sglang.bench_serving" } else { "vllm bench serve" });
    place.text("model_id").clone_into(&mut b.model);
    place.text("date").clone_into(&mut b.date);
    for (name, metric) in METRICS {
        for (of, stat) in STATS {
            let known = b.figures.iter().any(|f| f.metric == metric && f.stat == stat);
            if let Some(value) = place.number(&format!("{of}_{name}_ms"), problems).filter(|_| !known) {
                b.put(metric, stat, value);
            }
        }
        if let Some(value) = place.number(&format!("std_{name}_ms"), problems) {
            b.put_deviation(metric, value);
        }
    }
    let completed = place.number("completed", problems);
    for (path, metric) in [("request_throughput", "req_per_s"), ("output_throughput", "out_tok_per_s")] {
        if let Some(value) = place.number(path, problems) {
            b.put(metric, "value", value);
        }
    }
    b.completed = place.count("completed", problems);
    let prompts = place.count("num_prompts", problems);
    let lacking = prompts.zip(b.completed).map(|(sent, completed)| sent.saturating_sub(completed));
    b.failed = place.count("failed", problems).or(lacking).unwrap_or(0);
    read_load(&mut b, place, completed, problems);
    if completed == Some(0.0) {
        b.figures.clear();
        return b;
    }
    read_requests(&mut b, place, problems);
    b
}

fn read_load(b: &mut Benchmark, place: Place<'_>, completed: Option<f64>, problems: &mut Problems) {
    let sent = b.completed.map(|n| n.saturating_add(b.failed));
    b.load.requests = place.count("num_prompts", problems).or(sent);
    b.load.at_once = place.is_infinite("request_rate");
    let named = place.text("request_rate");
    if let Some(rate) = named.parse::<f64>().ok().filter(|r| r.is_finite() && *r > 0.0) {
        b.load.rate_per_s = Some(rate);
    } else if !is_not_finite(named) {
        // As SGLang writes `trace`.
        let shown: String = named.chars().take(40).collect();
        b.note(format!("The rate is `{shown}`: only a file with start times says when requests were sent."));
    } else if !b.load.at_once {
        b.load.rate_per_s = place.number("request_rate", problems).filter(|r| *r > 0.0);
    }
    if !place.text("ramp_up_strategy").is_empty() {
        b.load.at_once = false;
        b.load.rate_per_s = None;
        b.note("The rate was raised during the run, which is not simulated: only a file with start times says when requests were sent.");
    }
    let burstiness = place.number("burstiness", problems).filter(|x| *x > 0.0);
    b.load.gap_cv = burstiness.map(|x| (1.0 / x.sqrt()).clamp(0.05, 20.0));
    b.load.concurrency = place.count("max_concurrency", problems).filter(|n| *n > 0);
    let mean = |total: Option<f64>| total.zip(completed.filter(|n| *n > 0.0)).map(|(t, n)| t / n);
    b.load.prompt_tokens = mean(place.number("total_input_tokens", problems));
    b.load.output_tokens = mean(place.number("total_output_tokens", problems));
}

/// The lists of `--save-detailed`, which all have an entry for each request.
fn read_requests(b: &mut Benchmark, place: Place<'_>, problems: &mut Problems) {
    let Some(inputs) = place.list("input_lens") else { return };
    let n = inputs.len();
    if n > MOST_REQUESTS {
        return problems.too_many("input_lens", n);
    }
    let mut lists = [&[] as &[Value]; 3];
    for (list, name) in lists.iter_mut().zip(["output_lens", "ttfts", "itls"]) {
        match place.list(name) {
            // Without `--save-detailed` the lists are left out.
            None => return,
            Some(found) if found.len() == n => *list = found,
            Some(found) => return problems.length(name, found.len(), "input_lens", n),
        }
    }
    let [outputs, ttfts, itls] = lists;
    let starts = place.list("start_times").filter(|s| s.len() == n);
    let instants: Vec<&Value> = starts.unwrap_or_default().iter().collect();
    let clock = Clock::of(&instants, place.number("duration", &mut Problems::default()));
    let errors = place.list("errors");
    let (mut gaps, mut failed, mut chunks) = (Vec::new(), 0, 0.0);
    for i in 0..n {
        let told = errors.and_then(|e| e.get(i)).and_then(Value::as_str);
        let number = |list: &[Value]| list[i].as_f64().filter(|x| x.is_finite() && *x >= 0.0);
        let (Some(input), Some(output), Some(ttft)) = (number(inputs), number(outputs), number(ttfts)) else {
            if [inputs, outputs, ttfts].iter().any(|list| list[i].as_str().is_some_and(is_not_finite)) {
                failed += 1;
                continue;
            }
            let path = format!("entry {i} of input_lens, output_lens or ttfts");
            problems.missing(&path, "a number of 0 or more");
            continue;
        };
        if told.is_some_and(|e| !e.is_empty()) || output < 1.0 || ttft <= 0.0 {
            failed += 1;
            continue;
        }
        let own: Vec<f64> = itls[i]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .filter(|x| *x >= 0.0)
            .collect();
        let e2e = ttft + own.iter().sum::<f64>();
        chunks += (own.len() as f64 + 1.0) / output;
        if gaps.len() + own.len() <= MOST_GAPS {
            gaps.extend(own.iter().map(|s| s * 1e3));
        }
        b.requests.push(Request {
            start_us: starts.and_then(|s| clock.us(&s[i])),
            prompt_tokens: input as u32,
            output_tokens: output as u32,
            ttft_us: Some(us(ttft)),
            e2e_us: us(e2e),
            counted: true,
        });
    }
    b.failed = b.failed.max(failed);
    if !b.requests.is_empty() && chunks / (b.requests.len() as f64) < 0.9 {
        b.note("Chunks hold several tokens: the gaps between them are left out, as they are not ITL.");
        b.figures.retain(|f| f.metric != "itl_ms");
        gaps.clear();
    }
    b.figures_of_requests(gaps);
}
