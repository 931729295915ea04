//! Mean and quantiles, computed the same way for measured and simulated values.

use super::{Benchmark, Request};

/// The statistics of a distribution.
pub const STATISTICS: [&str; 5] = ["mean", "p50", "p90", "p95", "p99"];

/// A statistic of values in ascending order; `None` if there are none.
pub fn statistic(sorted: &[f64], stat: &str) -> Option<f64> {
    if stat == "mean" {
        return (!sorted.is_empty()).then(|| sorted.iter().sum::<f64>() / sorted.len() as f64);
    }
    let percent: f64 = stat.strip_prefix('p')?.parse().ok()?;
    quantile(sorted, percent / 100.0)
}

/// A quantile of values in ascending order, by linear interpolation.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let rank = share.clamp(0.0, 1.0) * last as f64;
    let below = rank.floor() as usize;
    let above = (below + 1).min(last);
    Some(sorted[below] + (sorted[above] - sorted[below]) * (rank - below as f64))
}

/// Sorts values.
pub fn sort(values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
}

/// Mean gap between the tokens of a request after its first, in milliseconds.
pub fn tpot_ms(ttft_us: u64, e2e_us: u64, output_tokens: u32) -> Option<f64> {
    let gaps = output_tokens.checked_sub(1).filter(|n| *n > 0)?;
    Some(e2e_us.saturating_sub(ttft_us) as f64 / 1e3 / f64::from(gaps))
}

/// A metric of a request.
pub fn of_request(r: &Request, metric: &str) -> Option<f64> {
    match metric {
        "ttft_ms" => r.ttft_us.map(|us| us as f64 / 1e3),
        "tpot_ms" => r.ttft_us.and_then(|ttft| tpot_ms(ttft, r.e2e_us, r.output_tokens)),
        "e2e_ms" => Some(r.e2e_us as f64 / 1e3),
        "decode_ms" => r.ttft_us.map(|ttft| r.e2e_us.saturating_sub(ttft) as f64 / 1e3),
        _ => None,
    }
}

impl Benchmark {
    /// Adds figures that the tool leaves out: those of the requests that it counts, and of the gaps between their
    /// tokens in milliseconds.
    pub(crate) fn figures_of_requests(&mut self, gaps: Vec<f64>) {
        for metric in ["ttft_ms", "tpot_ms", "e2e_ms"] {
            let values = self.counted().filter_map(|r| of_request(r, metric)).collect();
            self.put_all(metric, values);
        }
        self.put_all("itl_ms", gaps);
        self.load.requests = self.load.requests.or(Some(self.requests.len() as u32 + self.failed));
        let mean = |of: fn(&Request) -> u32| {
            let sum: f64 = self.requests.iter().map(|r| f64::from(of(r))).sum();
            (!self.requests.is_empty()).then(|| sum / self.requests.len() as f64)
        };
        let (prompt, output) = (mean(|r| r.prompt_tokens), mean(|r| r.output_tokens));
        self.load.prompt_tokens = prompt.or(self.load.prompt_tokens);
        self.load.output_tokens = output.or(self.load.output_tokens);
        self.put_rates();
    }

    fn put_all(&mut self, metric: &'static str, mut values: Vec<f64>) {
        if values.is_empty() {
            return;
        }
        sort(&mut values);
        for stat in STATISTICS {
            let known = self.figures.iter().any(|f| f.metric == metric && f.stat == stat);
            if let Some(value) = statistic(&values, stat).filter(|_| !known) {
                self.put(metric, stat, value);
            }
        }
    }

    /// Rates from the first request sent to the last answered, if the file has none.
    fn put_rates(&mut self) {
        let starts = || self.counted().filter_map(|r| r.start_us);
        let first = starts().min();
        let last = self.counted().filter_map(|r| r.start_us?.checked_add_unsigned(r.e2e_us)).max();
        let seconds = first.zip(last).map_or(0.0, |(a, b)| (b - a) as f64 / 1e6);
        let counted = self.counted().count();
        if seconds <= 0.0 || starts().count() != counted {
            return;
        }
        let tokens: f64 = self.counted().map(|r| f64::from(r.output_tokens)).sum();
        for (metric, value) in [("req_per_s", counted as f64), ("out_tok_per_s", tokens)] {
            if self.figure(metric, "value").is_none() {
                self.put(metric, "value", value / seconds);
            }
        }
    }
}
