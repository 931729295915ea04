//! llm-d's token-aware scaling: seconds of prompt tokens that are not computed yet, and KV caches in use. Both go to KEDA's
//! horizontal autoscaler as average values: max(⌈tokens / V / backlog⌉, ⌈Σ KV share / share⌉), V the tokens that a replica
//! computes in a second.

use super::hpa::{Hpa, Metric};
use super::view::PoolSight;
use super::{Bounds, Decision, Rule};
use serde::{Deserialize, Serialize};

/// A policy with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenAware {
    /// Prompt tokens per second of a replica; `None` for those of its latency model.
    pub peak_per_s: Option<f64>,
    /// Seconds of backlog for each replica.
    pub backlog_s: f64,
    /// Share of KV blocks in use for each replica.
    pub kv: f64,
    /// The autoscaler that carries it out.
    pub hpa: Hpa,
}

impl TokenAware {
    /// Decides at a tick.
    pub fn tick(&mut self, sight: &PoolSight, bounds: Bounds) -> Decision {
        let current = sight.current();
        if current == 0 && sight.at_gateway > 0.0 {
            return Decision::direct(current, bounds.min.max(1), Rule::Woken, bounds);
        }
        if sight.measured.is_empty() {
            return self.hpa.tick(sight.now, current, &[Metric::Failed]);
        }
        let peak = self.peak_per_s.unwrap_or(sight.peak_prefill_tokens_per_s);
        let backlog_s = sight.sum(|r| r.backlog_tokens) / peak;
        let metrics = [
            Metric::AverageValue { value: backlog_s, target: self.backlog_s },
            Metric::AverageValue { value: sight.sum(|r| r.kv), target: self.kv },
        ];
        self.hpa.tick(sight.now, current, &metrics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::scaling::Measured;
    use crate::policy::scaling::hpa::{Behavior, Rules};
    use base::Micros;

    const BOUNDS: Bounds = Bounds { min: 1, max: 10 };

    /// Two replicas, each with this backlog and this share of its KV blocks in use.
    fn decided(backlog_tokens: f64, kv: f64) -> u32 {
        let one = Measured { kv, backlog_tokens, ..Measured::default() };
        let sight = PoolSight {
            now: Micros(60_000_000),
            seen_at: Some(Micros(60_000_000)),
            ready: 2,
            measured: vec![one; 2],
            ..PoolSight::default()
        };
        let up = Rules { policies: Vec::new(), ..Behavior::default().up };
        let hpa = Hpa::new(BOUNDS, Some(Behavior { up, ..Behavior::default() }));
        TokenAware { peak_per_s: Some(16_000.0), backlog_s: 1.5, kv: 0.8, hpa }.tick(&sight, BOUNDS).desired
    }

    #[test]
    fn the_phase_that_asks_for_more_decides() {
        // 120,000 tokens are 7.5 s of 16,000 tokens a second: 7.5 / 1.5 = 5 replicas.
        assert_eq!(decided(60_000.0, 0.1), 5);
        // 2 · 0.95 = 1.9 caches in use: ⌈1.9 / 0.8⌉ = 3.
        assert_eq!(decided(0.0, 0.95), 3);
        // 1.5 caches are 1.875 of a target: 0.94 of the two that there are, within the tolerance.
        assert_eq!(decided(0.0, 0.75), 2);
    }

    #[test]
    fn a_pool_without_replicas_is_woken_by_a_request_at_the_gateway() {
        let sight = PoolSight { at_gateway: 1.0, ..PoolSight::default() };
        let hpa = Hpa::new(Bounds { min: 0, max: 4 }, None);
        let mut policy = TokenAware { peak_per_s: None, backlog_s: 1.5, kv: 0.8, hpa };
        assert_eq!(policy.tick(&sight, Bounds { min: 0, max: 4 }).desired, 1);
    }
}
