//! Routing by predicted latency: how a weighted router predicts, how it scores what it predicts, and the filter.

use crate::limits;
use crate::table::fields::fields;

/// Predictions of TTFT and TPOT by the pool's latency model, and how `predicted-latency` scores them.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyPrediction {
    /// Weight of the TTFT against the TPOT.
    pub ttft_weight: f64,
    /// Weight of the TPOT against the TTFT.
    pub tpot_weight: f64,
    /// Which replica scores highest of those that are predicted to meet the objectives. Of those that miss them it is always the closest.
    pub headroom: HeadroomChoice,
    /// Error of the predictions: standard deviation of the logarithm of prediction over model. 0 draws nothing.
    pub noise: f64,
    /// Age that the signals behind the predictions may reach before the router looks again, in milliseconds.
    pub staleness_ms: f64,
}

fields! {
    struct LatencyPrediction {
        ttft_weight: "TTFT weight" in [0.0, limits::WEIGHT] or "0.8 is llm-d's default" => Routing;
        tpot_weight: "TPOT weight" in [0.0, limits::WEIGHT] or "0.2 is llm-d's default" => Routing;
        headroom: "Headroom" => Routing;
        noise: "Noise" in [0.0, limits::SIGMA] or "0.2 is off by a factor of 1.2 or more in a third of cases" => Routing;
        staleness_ms: "Staleness" of "ms" in [0.0, limits::LATENCY_MS] or "0 looks at every decision" => Routing;
    }
}

impl Default for LatencyPrediction {
    fn default() -> Self {
        Self {
            ttft_weight: 0.8,
            tpot_weight: 0.2,
            headroom: HeadroomChoice::Least,
            noise: 0.0,
            staleness_ms: 0.0,
        }
    }
}

/// Which of several replicas that are predicted to meet the objectives scores highest.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeadroomChoice {
    /// The closest to the objectives: the others stay free for bursts.
    #[default]
    Least,
    /// The farthest from the objectives.
    Most,
}

fields! {
    names HeadroomChoice { Least "least" Most "most" }
}

/// Keeps replicas that are predicted to meet the objectives.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct SloHeadroomFilter {
    /// Probability of keeping those that are predicted to miss the objectives instead, if there are both, 0 to 1.
    pub epsilon: f64,
    /// Whether requests of the classes sheddable, batch and background are refused if no replica is predicted to meet the objectives, has an empty batch, or uses less than 2 % of its KV blocks. llm-d's latency-slo-admitter.
    pub shed: bool,
}

fields! {
    struct SloHeadroomFilter {
        epsilon: "Exploration" in [0.0, 1.0] or "0.01 is llm-d's default" => Routing;
        shed [omit]: "Shed" => Routing;
    }
}

impl Default for SloHeadroomFilter {
    fn default() -> Self {
        Self { epsilon: 0.01, shed: false }
    }
}
