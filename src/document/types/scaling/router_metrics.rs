//! Settings of the autoscalers of llm-d 1.0 that follow tokens and objectives, both carried out by KEDA.

use crate::limits;
use crate::table::fields::fields;
use crate::types::routing::prefix_affinity::PeakPrefill;
use crate::types::scaling::horizontal::{Behavior, BehaviorRules, DirectionRules};
use crate::types::scaling::slo_quantile::SloQuantile;

/// Scales by tokens that wait for their prefill, and by KV cache in use: the one that asks for more decides.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct TokenAware {
    /// Prompt tokens per second by which the backlog becomes time: a number, or `model` for that of the pool's latency model in full steps of prompt tokens.
    pub peak_prefill_tokens_per_s: PeakPrefill,
    /// Backlog of prompt tokens that each replica may have, in seconds: about the objective of the time to first token less the time of a lone prompt.
    pub backlog_s: f64,
    /// Share of the KV blocks in use that each replica should have.
    pub kv: f64,
    /// How fast the number of replicas may change.
    pub behavior: Behavior,
}

fields! {
    struct TokenAware {
        peak_prefill_tokens_per_s: "Peak prefill" of "tokens/s" in [1, limits::THRESHOLD]
            or "\"model\" computes it" => Scaling;
        backlog_s: "Backlog" of "s" in [limits::EFFICIENCY_MIN, limits::SCALING_S] or "llm-d has 1.5 s" => Scaling;
        kv: "KV share" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share, such as 0.8" => Scaling;
        behavior: "Behaviour" => Scaling;
    }
}

impl Default for TokenAware {
    fn default() -> Self {
        let up = DirectionRules { pods: 1, percent: 0.0, period_s: 180.0, ..DirectionRules::default() };
        let down = DirectionRules { stabilization_s: 300.0, period_s: 300.0, ..up.clone() };
        let behavior = Behavior::Rules(BehaviorRules { up, down });
        Self { peak_prefill_tokens_per_s: PeakPrefill::Model, backlog_s: 1.5, kv: 0.8, behavior }
    }
}

/// Scales by latency over its objective.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct SloAware {
    /// Objective of the time to first token, in milliseconds.
    pub ttft_ms: f64,
    /// Objective of the time per output token, in milliseconds.
    pub tpot_ms: f64,
    /// Which figure of the latencies of requests finished in the window counts: a quantile, 0 to 1, or `mean`, which rises only once requests queue.
    pub quantile: SloQuantile,
    /// Largest ratio of latency over objective that counts.
    pub most: f64,
    /// Time over which the ratio is averaged, in seconds. 0 uses the latest ratio alone.
    pub smoothing_s: f64,
    /// Adds replicas above this ratio.
    pub up: f64,
    /// Removes replicas below this ratio.
    pub down: f64,
    /// How fast the number of replicas may change.
    pub behavior: Behavior,
}

fields! {
    struct SloAware {
        ttft_ms: "TTFT" of "ms" in [limits::EFFICIENCY_MIN, limits::LATENCY_MS] or "llm-d has 3,000 ms" => Scaling;
        tpot_ms: "TPOT" of "ms" in [limits::EFFICIENCY_MIN, limits::LATENCY_MS] or "llm-d has 100 ms" => Scaling;
        quantile: "Quantile" in [0.0, 1.0] or "it is a share, such as 0.9, or \"mean\"" first 0.9 => Scaling;
        most: "At most" of "×" in [limits::EFFICIENCY_MIN, limits::RATE_FACTOR] or "llm-d has 2" => Scaling;
        smoothing_s: "Smoothing" of "s" in [0.0, limits::SCALING_S] or "use 0 for the latest ratio" => Scaling;
        up: "Up above" of "×" in [limits::EFFICIENCY_MIN, limits::RATE_FACTOR] or "llm-d has 0.55" => Scaling;
        down: "Down below" of "×" in [limits::EFFICIENCY_MIN, limits::RATE_FACTOR] or "llm-d has 0.4" => Scaling;
        behavior: "Behaviour" => Scaling;
    }
}

impl Default for SloAware {
    fn default() -> Self {
        let up = DirectionRules { stabilization_s: 30.0, period_s: 60.0, ..DirectionRules::default() };
        let down = DirectionRules {
            stabilization_s: 180.0,
            pods: 1,
            percent: 0.0,
            period_s: 120.0,
            ..DirectionRules::default()
        };
        Self {
            ttft_ms: 3000.0,
            tpot_ms: 100.0,
            quantile: SloQuantile::Share(0.9),
            most: 2.0,
            smoothing_s: 45.0,
            up: 0.55,
            down: 0.4,
            behavior: Behavior::Rules(BehaviorRules { up, down }),
        }
    }
}
