//! Import of the log of a vLLM server: a line of averages every ten seconds, a line for each step if
//! `--enable-logging-iteration-details` is given, and the size of the KV cache.
//!
//! By Little's law, the time of a token is the number of running requests divided by the tokens generated in a second.
//! This holds while running requests decode, not while prompts are computed. The time of a step is the time of one
//! turn of the engine's loop: if steps are scheduled ahead of the GPU, it can be the time of the CPU alone. Several
//! engines write a line each at about the same time: their requests and rates are added up.

use super::Import;
use super::benchmark::problems::MOST_GAPS;
use super::benchmark::statistics::{STATISTICS, sort};
use super::benchmark::{Benchmark, Benchmarks, Problems, Text};
use base::log_lines::uncut;
use document::LatencyClock;

const PROMPTS: &str = "Avg prompt throughput: ";
const THROUGHPUT: &str = "Avg generation throughput: ";
const STEP: &str = "Iteration(";
const KV_TOKENS: &str = "GPU KV cache size: ";
const BLOCKS: &str = "num_gpu_blocks is: ";

/// With more prompt tokens than this for each generated token, Little's law does not give the time of a token.
/// Computing a prompt token takes some 1/400 of the time of a step, so that at 10 of them requests spend 2.5 % of
/// their time before they decode.
const PROMPT_TOKENS_EACH: f64 = 10.0;

/// A shorter median step is not the time of a GPU.
const SHORTEST_STEP_MS: f64 = 0.5;

/// The log of a vLLM server.
pub(super) struct EngineLog;

impl Import<Benchmarks> for EngineLog {
    fn name(&self) -> &'static str {
        "engine-log"
    }

    fn title(&self) -> &'static str {
        "the log of a vLLM server"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.is_plain() && [THROUGHPUT, STEP, KV_TOKENS, BLOCKS].iter().any(|mark| text.text.contains(mark))
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        vec![read(&text.text, problems)]
    }
}

/// The number after a mark, with or without commas between thousands.
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

/// The line of averages of one engine, or the sum of several.
#[derive(Clone, Copy, Default)]
struct Averages {
    prompts: f64,
    generated: f64,
    running: f64,
    waiting: f64,
}

impl Averages {
    fn read(line: &str) -> Option<Self> {
        Some(Self {
            prompts: after(line, PROMPTS).unwrap_or(0.0),
            generated: after(line, THROUGHPUT)?,
            running: after(line, "Running: ")?,
            // Older vLLM, before its second scheduler.
            waiting: after(line, "Waiting: ").or_else(|| after(line, "Pending: "))?,
        })
    }

    fn plus(self, other: Self) -> Self {
        Self {
            prompts: self.prompts + other.prompts,
            generated: self.generated + other.generated,
            running: self.running + other.running,
            waiting: self.waiting + other.waiting,
        }
    }
}

/// The lines of averages, summed over all engines of an interval.
#[derive(Default)]
struct Intervals<'a> {
    done: Vec<Averages>,
    now: Averages,
    /// Engines with a line in the current interval, and all engines.
    here: Vec<Engine<'a>>,
    engines: Vec<Engine<'a>>,
    /// Number of engines that a line says it covers.
    aggregated: f64,
}

impl<'a> Intervals<'a> {
    fn add(&mut self, line: &'a str, averages: Averages) {
        self.aggregated = self.aggregated.max(before(line, " Engines Aggregated:").unwrap_or(0.0));
        let engine = engine(line);
        if self.here.contains(&engine) || self.here.len() >= MOST_ENGINES {
            self.close();
        }
        self.here.push(engine);
        if !self.engines.contains(&engine) && self.engines.len() < MOST_ENGINES {
            self.engines.push(engine);
        }
        self.now = self.now.plus(averages);
    }

    /// Ends an interval; an interval without generated tokens does not count.
    fn close(&mut self) {
        if self.now.running > 0.0 && self.now.generated > 0.0 {
            self.done.push(self.now);
        }
        self.now = Averages::default();
        self.here.clear();
    }

    fn put(mut self, b: &mut Benchmark) {
        self.close();
        let sum = |all: &[Averages]| all.iter().fold(Averages::default(), |sum, one| sum.plus(*one));
        let all = sum(&self.done);
        let intervals = self.done.len() as f64;
        if intervals == 0.0 {
            return;
        }
        let before = self.done.len();
        self.done.retain(|one| one.prompts <= PROMPT_TOKENS_EACH * one.generated);
        let decoding = sum(&self.done);
        if decoding.generated > 0.0 {
            b.put("tpot_ms", "mean", decoding.running / decoding.generated * 1e3);
            b.note(
                "TPOT is the number of running requests divided by the tokens generated in a second, \
            averaged over the lines of the log with generated tokens.",
            );
        }
        match (before - self.done.len(), self.done.len()) {
            (0, _) => {}
            (_, 0) => b.note(
                "TPOT is left out: prompts are computed all the time, and most running requests do not \
                decode yet.",
            ),
            (left_out, kept) => b.note(format!(
                "TPOT is measured over {kept} intervals: {left_out} intervals that mostly compute prompts \
                are left out, as most running requests do not decode yet."
            )),
        }
        b.put("out_tok_per_s", "value", all.generated / intervals);
        b.put("running", "value", all.running / intervals);
        b.put("waiting", "value", all.waiting / intervals);
        let engines = self.aggregated.max(self.engines.len() as f64);
        if engines > 1.0 {
            b.note(format!("{engines} engines: their requests and rates are added up."));
        }
    }
}

/// Largest number of engines in one log that are distinguished.
const MOST_ENGINES: usize = 1024;

/// The identity of an engine in a log: the pod or container before the line, and the number that vLLM gives it.
type Engine<'a> = [&'a str; 2];

fn engine(line: &str) -> Engine<'_> {
    let end = line.find(PROMPTS).or_else(|| line.find(THROUGHPUT)).unwrap_or(0);
    let number = line[..end].rfind("Engine ").map_or("", |at| &line[at..end]);
    let first = line.split_whitespace().next().unwrap_or_default();
    if first.starts_with("[pod/") || line[first.len()..].trim_start().starts_with("| ") {
        return [first, number];
    }
    // Other tools write the pod, and vLLM its process, before the level; times there differ from line to line.
    let mut rest = line.find("INFO").filter(|at| *at < end).map_or("", |at| line[..at].trim());
    while let Some(word) = rest.split_whitespace().next().filter(|word| is_time(word)) {
        rest = rest[word.len()..].trim_start();
    }
    [if rest.split_whitespace().any(is_time) { "" } else { rest }, number]
}

/// Whether a word is a date, a time or a number, which differ from line to line.
fn is_time(word: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let clock = word
        .match_indices(':')
        .any(|(at, _)| digit(word[..at].chars().next_back()) && digit(word[at + 1..].chars().next()));
    clock || !word.contains(char::is_alphabetic)
}

/// Reads a log.
fn read(text: &str, problems: &mut Problems) -> Benchmark {
    let mut b = Benchmark::new("vLLM log");
    b.clock = LatencyClock::Server;
    let (mut intervals, mut steps) = (Intervals::default(), Vec::new());
    let lines = uncut(text);
    for (i, line) in &lines {
        let line = &**line;
        if line.contains(THROUGHPUT) {
            let Some(averages) = Averages::read(line) else {
                problems.missing(
                    &format!("line {}", i + 1),
                    "Running: N reqs, Waiting: N reqs after the throughput",
                );
                continue;
            };
            intervals.add(line, averages);
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
    intervals.put(&mut b);
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
        b.note(
            "The times of steps are left out: most are shorter than any step of a GPU, which happens if \
        steps are scheduled ahead.",
        );
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
