//! The log of a vLLM server: one line of averages every ten seconds, one line for each step if
//! `--enable-logging-iteration-details` is given, and the size of the KV cache.
//!
//! By Little's law the requests that run, over the tokens generated in a second, are the time of a token. The time of a step is that of
//! the turn of a loop: where steps are scheduled ahead of the GPU it can be the time of the processor alone.

use super::benchmark::Benchmark;
use super::reading::{MOST_GAPS, Problems};
use super::statistics::{STATISTICS, sort};
use crate::scenario::LatencyClock;

const THROUGHPUT: &str = "Avg generation throughput: ";
const STEP: &str = "Iteration(";
const KV_TOKENS: &str = "GPU KV cache size: ";
const BLOCKS: &str = "num_gpu_blocks is: ";

/// Steps shorter than this, in the median, are not those of a GPU.
const SHORTEST_STEP_MS: f64 = 0.5;

/// Whether a text has lines of such a log.
pub(super) fn is(text: &str) -> bool {
    [THROUGHPUT, STEP, KV_TOKENS, BLOCKS].iter().any(|mark| text.contains(mark))
}

/// The number after a mark, with commas between thousands or without.
fn after(line: &str, mark: &str) -> Option<f64> {
    let rest = &line[line.find(mark)? + mark.len()..];
    let digits: String =
        rest.trim_start().chars().take_while(|c| c.is_ascii_digit() || ".,".contains(*c)).collect();
    digits.trim_end_matches(['.', ',']).replace(',', "").parse().ok().filter(|x: &f64| x.is_finite())
}

/// The number before a mark.
fn before(line: &str, mark: &str) -> Option<f64> {
    line[..line.find(mark)?].split_whitespace().next_back()?.parse().ok()
}

/// Sums over the lines of averages.
#[derive(Default)]
struct Averages {
    lines: f64,
    generated: f64,
    running: f64,
    waiting: f64,
}

/// Reads a log.
pub(super) fn read(text: &str, problems: &mut Problems) -> Benchmark {
    let mut b = Benchmark::new("vLLM log");
    b.clock = LatencyClock::Server;
    let (mut averages, mut steps) = (Averages::default(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        if line.contains(THROUGHPUT) {
            let [generated, running, waiting] =
                [THROUGHPUT, "Running: ", "Waiting: "].map(|mark| after(line, mark));
            let (Some(generated), Some(running), Some(waiting)) = (generated, running, waiting) else {
                problems.missing(
                    &format!("line {}", i + 1),
                    "Running: N reqs, Waiting: N reqs after the throughput",
                );
                continue;
            };
            if running > 0.0 && generated > 0.0 {
                averages.lines += 1.0;
                averages.generated += generated;
                averages.running += running;
                averages.waiting += waiting;
            }
        } else if line.contains(STEP) && line.contains("generation requests") {
            let [tokens, requests] =
                [" context tokens", " generation requests"].map(|mark| before(line, mark));
            let took = after(line, "iteration elapsed time: ");
            let (Some(tokens), Some(requests), Some(took)) = (tokens, requests, took) else {
                let allowed = "context tokens, generation requests and iteration elapsed time";
                problems.missing(&format!("line {}", i + 1), allowed);
                continue;
            };
            if steps.len() < MOST_GAPS {
                steps.push((took, tokens, requests));
            }
        }
        b.engine.kv_tokens = b.engine.kv_tokens.or(after(line, KV_TOKENS).map(|n| n as u32));
        b.engine.blocks = b.engine.blocks.or(after(line, BLOCKS).map(|n| n as u32));
    }
    if averages.lines > 0.0 {
        b.put("tpot_ms", "mean", averages.running / averages.generated * 1e3);
        b.put("out_tok_per_s", "value", averages.generated / averages.lines);
        b.put("running", "value", averages.running / averages.lines);
        b.put("waiting", "value", averages.waiting / averages.lines);
        b.note("TPOT is the requests that run over the tokens generated in a second, averaged over the lines of the log with any.");
    }
    put_steps(&mut b, &steps);
    b
}

/// Each step is a gap for each request that decodes in it.
fn put_steps(b: &mut Benchmark, steps: &[(f64, f64, f64)]) {
    let mut decoding: Vec<(f64, f64)> =
        steps.iter().filter(|s| s.2 > 0.0).map(|&(took, _, requests)| (took, requests)).collect();
    if decoding.is_empty() {
        return;
    }
    let mut alone: Vec<f64> = steps.iter().filter(|s| s.1 == 0.0 && s.2 > 0.0).map(|s| s.0).collect();
    sort(&mut alone);
    if alone.get(alone.len() / 2).is_some_and(|median| *median < SHORTEST_STEP_MS) {
        b.note("The times of steps are left out: most are shorter than any step of a GPU, as where steps are scheduled ahead.");
        return;
    }
    decoding.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = decoding.iter().map(|d| d.1).sum();
    for stat in STATISTICS {
        let value = match stat.strip_prefix('p').and_then(|p| p.parse::<f64>().ok()) {
            None => decoding.iter().map(|d| d.0 * d.1).sum::<f64>() / all,
            Some(percent) => {
                let mut so_far = 0.0;
                let reached = decoding.iter().find(|d| {
                    so_far += d.1;
                    so_far >= all * percent / 100.0
                });
                reached.map_or(0.0, |d| d.0)
            }
        };
        b.put("itl_ms", stat, value);
    }
}
