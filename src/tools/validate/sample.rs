//! Samples of a replayed stage, and their statistics in the form of the measured files.

use base::stats::Summary;
use benchmarks::import::benchmark::statistics::{sort, statistic, tpot_ms};
use run::session::report::Statistic;

/// One finished request of a replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub(super) stage: u32,
    pub(super) arrival_us: u64,
    pub(super) ttft_us: u64,
    pub(super) e2e_us: u64,
    pub(super) queue_us: u64,
    pub(super) prompt_tokens: u32,
    pub(super) output_tokens: u32,
}

/// The finished requests of a replay, and its other figures.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    pub(super) finished: Vec<Finished>,
    /// Requests that never finished, or finished after the client's timeout, by stage.
    pub(super) failed: Vec<u32>,
    pub(super) preemptions: u32,
    /// Those of all replicas.
    pub(super) gpus: u32,
    /// The first stage after warming up.
    pub(super) first_scored: u32,
    /// Gaps between tokens of the whole run, in milliseconds.
    pub(super) gaps_ms: Summary,
}

impl Sample {
    /// Whether a request belongs to a stage, or to any scored stage.
    fn counts(&self, f: &Finished, stage: Option<u32>) -> bool {
        stage.map_or(f.stage >= self.first_scored, |s| f.stage == s)
    }

    /// A statistic of a metric over the requests of a stage, or of all stages; `None` if there are no values.
    pub(super) fn statistic(&self, metric: &str, stat: &str, stage: Option<u32>) -> Option<f64> {
        let chosen = || self.finished.iter().filter(|f| self.counts(f, stage));
        let base = ["_fill", "_cached", "_cold"].iter().find_map(|end| metric.strip_suffix(end));
        let mut values: Vec<f64> = match base.unwrap_or(metric) {
            "ttft_ms" => chosen().map(|f| f.ttft_us as f64 / 1e3).collect(),
            "e2e_ms" => chosen().map(|f| f.e2e_us as f64 / 1e3).collect(),
            "queue_ms" => chosen().map(|f| f.queue_us as f64 / 1e3).collect(),
            "tpot_ms" => chosen().filter_map(|f| tpot_ms(f.ttft_us, f.e2e_us, f.output_tokens)).collect(),
            "itl_ms" => return Statistic::named(stat)?.known(&self.gaps_ms),
            _ => return None,
        };
        // Means are of values in the order of requests.
        if stat != "mean" {
            sort(&mut values);
        }
        statistic(&values, stat)
    }

    /// A single number of a stage, or of the whole run. Over several stages, rates are the mean of the stages' rates,
    /// as the client waits between stages.
    pub(super) fn number(&self, metric: &str, stage: Option<u32>) -> Option<f64> {
        let stages = self.failed.len() as u32;
        if stage.is_none() && stages > self.first_scored + 1 && metric.ends_with("_per_s") {
            let rates: Vec<f64> =
                (self.first_scored..stages).filter_map(|s| self.number(metric, Some(s))).collect();
            return (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64);
        }
        let chosen = || self.finished.iter().filter(|f| self.counts(f, stage));
        let first = chosen().map(|f| f.arrival_us).min()?;
        let last = chosen().map(|f| f.arrival_us + f.e2e_us).max()?;
        let seconds = (last - first) as f64 / 1e6;
        let rate = |n: f64| (seconds > 0.0).then(|| n / seconds);
        match metric {
            "makespan_s" => Some(seconds),
            "req_per_s" => rate(chosen().count() as f64),
            "out_tok_per_s" => rate(chosen().map(|f| f64::from(f.output_tokens)).sum()),
            "tok_per_s_per_gpu" => {
                let of = |f: &Finished| f64::from(f.prompt_tokens) + f64::from(f.output_tokens);
                rate(chosen().map(of).sum::<f64>() / f64::from(self.gpus.max(1)))
            }
            "preemptions" => Some(f64::from(self.preemptions)),
            "failed" => Some(match stage {
                Some(s) => f64::from(self.failed.get(s as usize).copied().unwrap_or(0)),
                None => self.failed.iter().map(|n| f64::from(*n)).sum(),
            }),
            _ => None,
        }
    }
}
