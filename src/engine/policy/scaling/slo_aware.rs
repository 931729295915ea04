//! llm-d's scaling by objectives. s is the larger of TTFT and TPOT over their objectives, each a quantile or the mean of the requests that
//! finished in the window, limited and averaged over some time. With n replicas present and r of them ready, above `up` it asks for n + ⌈n (s · r/n / up − 1)⌉, so that replicas that
//! start count; below `down` for n − ⌊n (1 − s / down)⌋; between for n. KEDA's horizontal autoscaler carries it out, with an
//! average value of 1 as its target.

use super::hpa::{Hpa, Metric};
use super::view::PoolSight;
use super::{Bounds, Decision, Rule};
use base::{Micros, Span, math};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What of the latencies is held against an objective.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LatencyFigure {
    /// The mean.
    Mean,
    /// The quantile at this share, 0 to 1.
    Quantile(f64),
}

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SloSettings {
    /// Objectives of the time to first token and of the time per output token, in milliseconds.
    pub objectives_ms: [f64; 2],
    /// Which figure of the latencies counts.
    pub figure: LatencyFigure,
    /// Largest ratio that counts.
    pub most: f64,
    /// Time over which the ratio is averaged.
    pub smoothing: Span,
    /// Adds replicas above this ratio.
    pub up: f64,
    /// Removes replicas below this ratio.
    pub down: f64,
}

/// A policy with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SloAware {
    settings: SloSettings,
    /// Ratios at earlier ticks.
    ratios: VecDeque<(Micros, f64)>,
    hpa: Hpa,
}

impl SloAware {
    /// A new one without a history.
    pub fn new(settings: SloSettings, hpa: Hpa) -> Self {
        Self { settings, ratios: VecDeque::new(), hpa }
    }

    /// Takes over the ratios that the one before an edit has seen, if it made them in the same way.
    pub fn keep_learnt(&mut self, before: Self) {
        let made_of = |s: &SloSettings| (s.objectives_ms.map(f64::to_bits), s.most.to_bits());
        let [own, old] = [&self.settings, &before.settings];
        if own.figure == old.figure && made_of(own) == made_of(old) {
            self.ratios = before.ratios;
        }
    }

    /// Decides at a tick.
    pub fn tick(&mut self, sight: &PoolSight, bounds: Bounds) -> Decision {
        let (now, current) = (sight.now, sight.current());
        if current == 0 && sight.at_gateway > 0.0 {
            return Decision::direct(current, bounds.min.max(1), Rule::Woken, bounds);
        }
        let ratio = self.smoothed(now, sight);
        let wanted = self.wanted(ratio, current, sight.ready);
        self.hpa.tick(now, current, &[Metric::AverageValue { value: wanted, target: 1.0 }])
    }

    /// The mean of the ratios in the time before `now`, the one of `now` included.
    fn smoothed(&mut self, now: Micros, sight: &PoolSight) -> f64 {
        let s = &self.settings;
        let of = |k: usize| s.figure.of(sight.finished.iter().map(|f| f.ms[k])) / s.objectives_ms[k];
        let (ttft, tpot) = (of(0), of(1));
        let ratio = if tpot > ttft { tpot } else { ttft };
        self.ratios.push_back((now, if ratio > s.most { s.most } else { ratio }));
        while self.ratios.len() > 1 && now.0 - self.ratios[0].0.0 >= s.smoothing.0 {
            self.ratios.pop_front();
        }
        self.ratios.iter().map(|(_, ratio)| ratio).sum::<f64>() / self.ratios.len() as f64
    }

    fn wanted(&self, ratio: f64, present: u32, ready: u32) -> f64 {
        let (n, s) = (f64::from(present), &self.settings);
        if ratio > s.up {
            let credit = if ready > 0 && ready < present { f64::from(ready) / n } else { 1.0 };
            n + (n * (ratio * credit / s.up - 1.0)).ceil()
        } else if ratio < s.down {
            n - math::floor(n * (1.0 - ratio / s.down))
        } else {
            n
        }
    }
}

impl LatencyFigure {
    /// This figure of some values; 0 without values.
    fn of(self, values: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Mean => mean(values),
            Self::Quantile(share) => quantile(values, share),
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0_u32, 0.0), |(n, sum), value| (n + 1, sum + value));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// The smallest value that is not below this share of all; 0 without values.
fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::scaling::Finished;

    fn policy(figure: LatencyFigure) -> SloAware {
        let (objectives_ms, smoothing) = ([3000.0, 100.0], Span(45_000_000));
        let settings = SloSettings { objectives_ms, figure, most: 2.0, smoothing, up: 0.55, down: 0.4 };
        SloAware::new(settings, Hpa::new(Bounds { min: 1, max: 20 }, None))
    }

    /// Ten requests, nine of them with these latencies and one that is far slower.
    fn sight(seconds: u64, ms: [f64; 2]) -> PoolSight {
        let mut finished = vec![Finished { ms, met: true }; 9];
        finished.push(Finished { ms: [90_000.0, 9_000.0], met: false });
        PoolSight { now: Micros(seconds * 1_000_000), ready: 4, finished, ..PoolSight::default() }
    }

    #[test]
    fn the_law_asks_for_the_published_numbers() {
        let p = policy(LatencyFigure::Quantile(0.9));
        let wanted = |ratio: f64, present, ready| p.wanted(ratio, present, ready) as u32;
        // 4 + ⌈4 (1.1 / 0.55 − 1)⌉ = 8; with 4 of 6 ready 6 + ⌈6 (0.9 · 4/6 / 0.55 − 1)⌉ = 6 + ⌈0.55⌉ = 7.
        assert_eq!([wanted(1.1, 4, 4), wanted(0.9, 6, 4)], [8, 7]);
        assert_eq!(wanted(0.5, 4, 4), 4);
        // 4 − ⌊4 (1 − 0.2 / 0.4)⌋ = 2, and an idle pool 0.
        assert_eq!([wanted(0.2, 4, 4), wanted(0.0, 4, 4)], [2, 0]);
    }

    #[test]
    fn the_ratio_is_the_worse_quantile_limited_and_averaged() {
        let mut p = policy(LatencyFigure::Quantile(0.9));
        // 1,500 of 3,000 ms and 80 of 100 ms: 0.8.
        assert!((p.smoothed(Micros(0), &sight(0, [1500.0, 80.0])) - 0.8).abs() < 1e-12);
        // 9,000 of 3,000 ms counts 2: (0.8 + 2) / 2.
        assert!((p.smoothed(Micros(15_000_000), &sight(15, [9000.0, 80.0])) - 1.4).abs() < 1e-12);
        // The one of 0 s is 45 s old and counts no more: (2 + 0.2) / 2.
        assert!((p.smoothed(Micros(45_000_000), &sight(45, [600.0, 10.0])) - 1.1).abs() < 1e-12);
        assert!(p.smoothed(Micros(200_000_000), &PoolSight::default()).abs() < 1e-12);
    }

    #[test]
    fn the_mean_counts_what_a_quantile_passes_over() {
        let mut p = policy(LatencyFigure::Mean);
        // Nine of 300 ms and one of 90,000 ms: 9,270 of 3,000 ms, which counts 2.
        assert!((p.smoothed(Micros(0), &sight(0, [300.0, 10.0])) - 2.0).abs() < 1e-12);
        // Nothing finished: (2 + 0) / 2.
        assert!((p.smoothed(Micros(15_000_000), &PoolSight::default()) - 1.0).abs() < 1e-12);
        // 600 and 1,800 ms: 0.4 of 3,000 ms, where their P90 is 0.6; the ratios before are too old.
        let finished = [600.0, 1800.0].map(|ttft| Finished { ms: [ttft, 10.0], met: true }).to_vec();
        let two = PoolSight { now: Micros(100_000_000), ready: 4, finished, ..PoolSight::default() };
        assert!((p.smoothed(two.now, &two) - 0.4).abs() < 1e-12);
        let mut p90 = policy(LatencyFigure::Quantile(0.9));
        assert!((p90.smoothed(two.now, &two) - 0.6).abs() < 1e-12);
    }
}
