//! The second saturation analyser: demand and supply in tokens of KV cache; the supply of a replica is the smaller of
//! its limits by memory and by computation.

use super::view::PoolSight;
use serde::{Deserialize, Serialize};

/// The charge of a queued request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueueCharge {
    /// Its prompt.
    Input,
    /// Its prompt and its answer.
    InputAndOutput,
}

/// Thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenSettings {
    /// Share of a cache that may be in use.
    pub kv: f64,
    /// Capacity is lacking if demand is above this share of the coming supply.
    pub up: f64,
    /// Capacity is spare if demand is below this share of the present supply.
    pub down: f64,
    /// The charge of a queued request.
    pub charge: QueueCharge,
}

impl Default for TokenSettings {
    fn default() -> Self {
        Self { kv: 0.8, up: 0.85, down: 0.7, charge: QueueCharge::InputAndOutput }
    }
}

/// A replica as measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenLoad {
    /// Tokens in its cache.
    pub tokens: f64,
    /// Requests in its queue.
    pub queue: f64,
}

/// A variant as measured.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenVariant {
    /// Replicas that serve.
    pub ready: u32,
    /// Replicas that will serve.
    pub pending: u32,
    /// Tokens that a cache holds.
    pub kv_tokens: f64,
    /// Limit of a replica by computation in tokens, if known and smaller.
    pub compute_tokens: Option<f64>,
    /// Its replicas.
    pub replicas: Vec<TokenLoad>,
    /// Mean prompt.
    pub input_tokens: f64,
    /// Mean answer.
    pub output_tokens: f64,
}

/// The result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenBalance {
    /// Supply of one replica in tokens.
    pub per_replica: f64,
    /// Demand in tokens.
    pub demand: f64,
    /// Present supply in tokens.
    pub supply: f64,
    /// Coming supply in tokens.
    pub anticipated: f64,
    /// Lacking tokens.
    pub required: f64,
    /// Spare tokens.
    pub spare: f64,
    /// Change in replicas.
    pub change: i64,
}

/// Analyses a single variant: it keeps one replica.
pub fn analyze(settings: &TokenSettings, v: &TokenVariant) -> TokenBalance {
    let memory = settings.kv * v.kv_tokens;
    let per_replica = v.compute_tokens.map_or(memory, |compute| compute.min(memory));
    let charge = match settings.charge {
        QueueCharge::Input => v.input_tokens,
        QueueCharge::InputAndOutput => v.input_tokens + v.output_tokens,
    };
    let demand: f64 = v.replicas.iter().map(|r| r.tokens + r.queue * charge).sum();
    let supply = f64::from(v.ready) * per_replica;
    let anticipated = f64::from(v.ready + v.pending) * per_replica;
    let required = (demand / settings.up - anticipated).max(0.0);
    let spare = (supply - demand / settings.down).max(0.0);
    let replicas = |tokens: f64| if per_replica > 0.0 { tokens / per_replica } else { 0.0 };
    let change = if required > 0.0 {
        replicas(required).ceil() as i64
    } else {
        -(replicas(spare).floor() as i64).min(i64::from(v.ready) - 1).max(0)
    };
    TokenBalance { per_replica, demand, supply, anticipated, required, spare, change }
}

/// A pool as input of the second saturation analyser, for requests of a mean size.
pub(super) fn token_variant(sight: &PoolSight, [input_tokens, output_tokens]: [f64; 2]) -> TokenVariant {
    // Tokens of a full batch of the mean request: the derived bound of the published analyser.
    let derived = || f64::from(sight.max_batch) * (input_tokens + output_tokens / 2.0);
    TokenVariant {
        ready: sight.ready,
        pending: sight.pending,
        kv_tokens: sight.kv_capacity_tokens,
        compute_tokens: (input_tokens > 0.0 && output_tokens > 0.0).then(derived),
        replicas: sight
            .measured
            .iter()
            .map(|r| TokenLoad { tokens: r.kv_tokens, queue: r.waiting })
            .collect(),
        input_tokens,
        output_tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tokens: f64, ready: u32) -> TokenBalance {
        let one = TokenLoad { tokens, queue: 0.0 };
        let v = TokenVariant {
            ready,
            pending: 0,
            kv_tokens: 100_000.0,
            compute_tokens: None,
            replicas: vec![one; ready as usize],
            input_tokens: 512.0,
            output_tokens: 128.0,
        };
        analyze(&TokenSettings::default(), &v)
    }

    #[test]
    fn replicas_that_are_nearly_full_ask_for_more_and_idle_ones_go_but_for_one() {
        assert_eq!(of(70_000.0, 2).change, 1);
        assert_eq!(of(20_000.0, 4).change, -2);
        assert_eq!(of(0.0, 1).change, 0);
        assert_eq!(of(0.0, 3).change, -2);
    }
}
