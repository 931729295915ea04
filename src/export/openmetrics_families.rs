//! The metrics of a replica under vLLM's names: families with their type, unit and meaning, and the counters behind them.
//!
//! Edges of histograms are vLLM's. Times are counted in whole microseconds, so that sums are exact.

use base::Span;
use engine::{Record, Replica};
use std::fmt::{Arguments, Write as _};

/// The type of a family, and how its values are written.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A whole number.
    Gauge,
    /// A share of the whole: two values, the part and the whole.
    Share,
    Counter,
    /// A counter for each of these reasons.
    Finished(&'static [&'static str]),
    /// A histogram with these upper edges; its values are microseconds where its unit is seconds.
    Histogram(&'static [f64], Scale),
    /// Settings as labels: number of blocks, tokens of a block, whether prefixes are cached.
    Info,
}

/// The unit in which the values of a histogram are counted.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scale {
    Micros,
    One,
}

/// A metric family.
pub(super) struct Family {
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    pub(super) kind: Kind,
}

const fn family(name: &'static str, unit: &'static str, help: &'static str, kind: Kind) -> Family {
    Family { name, unit, help, kind }
}

const TTFT_EDGES: &[f64] = &[
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0,
    80.0, 160.0, 640.0, 2560.0,
];
const ITL_EDGES: &[f64] = &[
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0,
];
const LATENCY_EDGES: &[f64] = &[
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0,
    960.0, 1920.0, 7680.0,
];
const TOKEN_EDGES: &[f64] = &[
    1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 20_000.0,
    50_000.0, 100_000.0, 200_000.0, 500_000.0,
];

const TTFT: Kind = Kind::Histogram(TTFT_EDGES, Scale::Micros);
const ITL: Kind = Kind::Histogram(ITL_EDGES, Scale::Micros);
const LATENCY: Kind = Kind::Histogram(LATENCY_EDGES, Scale::Micros);
const TOKENS: Kind = Kind::Histogram(TOKEN_EDGES, Scale::One);

/// Reasons for which a request ends: all its tokens were shown, or its client gave up or it was dropped.
const REASONS: &[&str] = &["stop", "abort"];

/// All families, in the order in which [`Totals::values`] has their values.
#[rustfmt::skip]
pub(super) const FAMILIES: &[Family] = &[
    family("vllm:cache_config", "", "Settings of the KV cache.", Kind::Info),
    family("vllm:num_requests_running", "", "Requests in the batch.", Kind::Gauge),
    family("vllm:num_requests_waiting", "", "Requests in the wait queue.", Kind::Gauge),
    family("vllm:kv_cache_usage_perc", "", "KV blocks in use; 1 means all.", Kind::Share),
    family("vllm:num_preemptions", "", "Preemptions.", Kind::Counter),
    family("vllm:prompt_tokens", "tokens", "Prompt tokens of requests with a first token.", Kind::Counter),
    family("vllm:generation_tokens", "tokens", "Output tokens.", Kind::Counter),
    family("vllm:prefix_cache_queries", "", "Prompt tokens that were looked up in the prefix cache.", Kind::Counter),
    family("vllm:prefix_cache_hits", "", "Of these, tokens that were found.", Kind::Counter),
    family("vllm:request_success", "", "Requests that left, by reason.", Kind::Finished(REASONS)),
    family("vllm:time_to_first_token_seconds", "seconds", "Time to first token.", TTFT),
    family("vllm:inter_token_latency_seconds", "seconds", "Gaps between tokens.", ITL),
    family("vllm:request_time_per_output_token_seconds", "seconds", "Time per output token of each request.", ITL),
    family("vllm:e2e_request_latency_seconds", "seconds", "End-to-end latency.", LATENCY),
    family("vllm:request_queue_time_seconds", "seconds", "Time in the wait queue until the first batch.", LATENCY),
    family("vllm:request_inference_time_seconds", "seconds", "Time from the first batch to the last token.", LATENCY),
    family("vllm:request_prefill_time_seconds", "seconds", "Time from the first batch to the first token.", LATENCY),
    family("vllm:request_decode_time_seconds", "seconds", "Time from the first token to the last.", LATENCY),
    family("vllm:request_prompt_tokens", "tokens", "Prompt lengths of completed requests.", TOKENS),
    family("vllm:request_generation_tokens", "tokens", "Lengths of completed answers.", TOKENS),
];

impl Family {
    /// How many values it has.
    pub(super) fn width(&self) -> usize {
        match self.kind {
            Kind::Gauge | Kind::Counter => 1,
            Kind::Share => 2,
            Kind::Info => 3,
            Kind::Finished(reasons) => reasons.len(),
            Kind::Histogram(edges, _) => edges.len() + 2,
        }
    }

    /// The lines before its samples.
    pub(super) fn head(&self, text: &mut String) {
        let kind = match self.kind {
            Kind::Gauge | Kind::Share => "gauge",
            Kind::Counter | Kind::Finished(_) => "counter",
            Kind::Histogram(..) => "histogram",
            Kind::Info => "info",
        };
        add(text, format_args!("# TYPE {} {kind}\n", self.name));
        if !self.unit.is_empty() {
            add(text, format_args!("# UNIT {} {}\n", self.name, self.unit));
        }
        add(text, format_args!("# HELP {} {}\n", self.name, self.help));
    }

    /// The samples of one series at one instant; the values begin with those of the family.
    pub(super) fn samples(&self, text: &mut String, labels: &str, values: &[u64], stamp: &str) {
        let name = self.name;
        match self.kind {
            Kind::Gauge => add(text, format_args!("{name}{{{labels}}} {} {stamp}\n", values[0])),
            Kind::Share => {
                let share = if values[1] == 0 { 0.0 } else { values[0] as f64 / values[1] as f64 };
                add(text, format_args!("{name}{{{labels}}} {share} {stamp}\n"));
            }
            Kind::Counter | Kind::Finished(_) => {
                add(text, format_args!("{name}_total{{{labels}}} {} {stamp}\n", values[0]));
            }
            Kind::Info => {
                let caching = if values[2] > 0 { "True" } else { "False" };
                add(
                    text,
                    format_args!(
                        "{name}_info{{{labels},block_size=\"{}\",num_gpu_blocks=\"{}\",\
                         enable_prefix_caching=\"{caching}\"}} 1 {stamp}\n",
                        values[0], values[1]
                    ),
                );
            }
            Kind::Histogram(edges, scale) => {
                let mut below = 0;
                for (edge, n) in edges.iter().zip(values) {
                    below += n;
                    add(text, format_args!("{name}_bucket{{{labels},le=\"{edge:?}\"}} {below} {stamp}\n"));
                }
                below += values[edges.len()];
                add(text, format_args!("{name}_bucket{{{labels},le=\"+Inf\"}} {below} {stamp}\n"));
                add(text, format_args!("{name}_count{{{labels}}} {below} {stamp}\n"));
                let sum = values[edges.len() + 1];
                match scale {
                    Scale::One => add(text, format_args!("{name}_sum{{{labels}}} {sum} {stamp}\n")),
                    Scale::Micros => {
                        let (whole, part) = (sum / 1_000_000, sum % 1_000_000);
                        add(text, format_args!("{name}_sum{{{labels}}} {whole}.{part:06} {stamp}\n"));
                    }
                }
            }
        }
    }
}

/// A histogram: values between edges, above the last one, and their sum.
#[derive(Clone, Debug, Default)]
struct Histogram {
    counts: Vec<u64>,
    sum: u64,
}

impl Histogram {
    fn add(&mut self, (edges, scale): (&[f64], Scale), value: u64, times: u64) {
        self.counts.resize(edges.len() + 1, 0);
        let shown = if scale == Scale::Micros { value as f64 / 1e6 } else { value as f64 };
        let place = edges.partition_point(|edge| *edge < shown);
        self.counts[place] += times;
        self.sum = self.sum.saturating_add(value.saturating_mul(times));
    }

    fn push(&self, into: &mut Vec<u64>, edges: &[f64]) {
        into.extend((0..=edges.len()).map(|i| self.counts.get(i).copied().unwrap_or(0)));
        into.push(self.sum);
    }
}

/// The number of histograms among the families.
const HISTOGRAMS: usize = 10;

/// Counters of one replica since the start of the run.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    preemptions: u64,
    prompt_tokens: u64,
    output_tokens: u64,
    queries: u64,
    hits: u64,
    /// By [`REASONS`].
    left: [u64; 2],
    /// In the order of the families.
    histograms: [Histogram; HISTOGRAMS],
}

/// Places in [`Totals::histograms`].
mod of {
    pub(super) const TTFT: usize = 0;
    pub(super) const ITL: usize = 1;
    pub(super) const TPOT: usize = 2;
    pub(super) const E2E: usize = 3;
    pub(super) const QUEUE: usize = 4;
    pub(super) const INFERENCE: usize = 5;
    pub(super) const PREFILL: usize = 6;
    pub(super) const DECODE: usize = 7;
    pub(super) const PROMPT: usize = 8;
    pub(super) const OUTPUT: usize = 9;
}

/// Edges and unit of each of [`Totals::histograms`].
const SHAPES: [(&[f64], Scale); HISTOGRAMS] = [
    (TTFT_EDGES, Scale::Micros),
    (ITL_EDGES, Scale::Micros),
    (ITL_EDGES, Scale::Micros),
    (LATENCY_EDGES, Scale::Micros),
    (LATENCY_EDGES, Scale::Micros),
    (LATENCY_EDGES, Scale::Micros),
    (LATENCY_EDGES, Scale::Micros),
    (LATENCY_EDGES, Scale::Micros),
    (TOKEN_EDGES, Scale::One),
    (TOKEN_EDGES, Scale::One),
];

impl Totals {
    fn see(&mut self, which: usize, value: u64, times: u64) {
        self.histograms[which].add(SHAPES[which], value, times);
    }

    /// A request joined a batch for the first time.
    pub(super) fn searched(&mut self, tokens: u32, cached: u32) {
        self.queries += u64::from(tokens);
        self.hits += u64::from(cached);
    }

    pub(super) fn preempted(&mut self) {
        self.preemptions += 1;
    }

    pub(super) fn first_token(&mut self, ttft: Span) {
        self.output_tokens += 1;
        self.see(of::TTFT, ttft.0, 1);
    }

    pub(super) fn tokens(&mut self, itl: Span, count: u32) {
        self.output_tokens += u64::from(count);
        self.see(of::ITL, itl.0, u64::from(count));
    }

    /// The prompt of a request was computed.
    pub(super) fn prompt(&mut self, tokens: u32) {
        self.prompt_tokens += u64::from(tokens);
    }

    /// A request was given up.
    pub(super) fn aborted(&mut self) {
        self.left[1] += 1;
    }

    pub(super) fn completed(&mut self, r: &Record) {
        self.left[0] += 1;
        self.see(of::PROMPT, r.prompt_tokens.into(), 1);
        self.see(of::OUTPUT, r.output_tokens.into(), 1);
        let (Some(ttft), Some(e2e)) = (r.ttft.get(), r.e2e.get()) else { return };
        let decode = e2e.0.saturating_sub(ttft.0);
        self.see(of::E2E, e2e.0, 1);
        self.see(of::DECODE, decode, 1);
        if let Some(gaps) = r.output_tokens.checked_sub(1).filter(|n| *n > 0) {
            self.see(of::TPOT, decode / u64::from(gaps), 1);
        }
        let Some(scheduled) = r.first_scheduled.get() else { return };
        let since = |span: Span| (r.arrival + span).0.saturating_sub(scheduled.0);
        self.see(of::PREFILL, since(ttft), 1);
        self.see(of::INFERENCE, since(e2e), 1);
        if let Some(queued) = r.queued.get() {
            self.see(of::QUEUE, scheduled.since(queued).0, 1);
        }
    }

    /// The values whose course over time is compared: name without beginning, value.
    pub fn course(&self, replica: &Replica) -> Vec<(String, f64)> {
        let values = self.values(replica);
        let (mut first, mut found) = (0, Vec::new());
        for family in FAMILIES {
            let of = &values[first..first + family.width()];
            let name = family.name.trim_start_matches("vllm:");
            match family.kind {
                Kind::Info => {}
                Kind::Gauge => found.push((name.to_owned(), of[0] as f64)),
                Kind::Share => found.push((name.to_owned(), of[0] as f64 / of[1].max(1) as f64)),
                Kind::Counter => found.push((format!("{name}_total"), of[0] as f64)),
                Kind::Finished(_) => found.push((format!("{name}_total"), of.iter().sum::<u64>() as f64)),
                Kind::Histogram(edges, scale) => {
                    let sum = of[edges.len() + 1] as f64 / if scale == Scale::Micros { 1e6 } else { 1.0 };
                    found.push((format!("{name}_sum"), sum));
                    found.push((format!("{name}_count"), of[..=edges.len()].iter().sum::<u64>() as f64));
                }
            }
            first += family.width();
        }
        found
    }

    /// All values in the order of the families.
    pub(super) fn values(&self, replica: &Replica) -> Vec<u64> {
        let kv = replica.kv();
        let mut all = vec![kv.block_tokens().into(), kv.total().into(), u64::from(kv.caching())];
        all.extend([replica.running(), replica.waiting(), kv.used(), kv.total()].map(u64::from));
        all.extend([self.preemptions, self.prompt_tokens, self.output_tokens, self.queries, self.hits]);
        all.extend(self.left);
        for (histogram, (edges, _)) in self.histograms.iter().zip(SHAPES) {
            histogram.push(&mut all, edges);
        }
        all
    }
}

/// Adds formatted text.
fn add(text: &mut String, words: Arguments<'_>) {
    text.write_fmt(words).expect("a String takes any text");
}
