//! Settings of the autoscalers that follow objectives: the queueing model of llm-d and the planners of NVIDIA Dynamo.

use crate::limits;
use crate::table::fields::fields;

/// The queueing model of llm-d's variant autoscaler.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct QueueingModel {
    /// As the description says, or as the published program does.
    pub mode: QueueingMode,
    /// Objective of the time to first token, in milliseconds. If one of the two objectives is 0, both are inferred from the learnt model, or from measurements until the model is learnt.
    pub ttft_ms: f64,
    /// Objective of the mean time between tokens, in milliseconds.
    pub itl_ms: f64,
    /// Allowed step time as a multiple of an empty step, if objectives are inferred.
    pub slo_multiplier: f64,
    /// Adds replicas if demand is above this share of what they will carry.
    pub up: f64,
    /// Removes replicas if demand is below this share of what they carry.
    pub down: f64,
}

fields! {
    struct QueueingModel {
        mode: "Mode" => Scaling;
        ttft_ms: "TTFT" of "ms" in [0.0, limits::LATENCY_MS] or "use 0 to infer it" => Scaling;
        itl_ms: "ITL" of "ms" in [0.0, limits::LATENCY_MS] or "use 0 to infer it" => Scaling;
        slo_multiplier: "Multiplier" of "×" in [limits::SLO_MULTIPLIER_MIN, limits::RATE_FACTOR]
            or "3 allows two thirds of the load" => Scaling;
        up: "Up above" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share, such as 0.85" => Scaling;
        down: "Down below" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share, such as 0.7" => Scaling;
    }
}

impl Default for QueueingModel {
    fn default() -> Self {
        let mode = QueueingMode::Corrected;
        Self { mode, ttft_ms: 0.0, itl_ms: 0.0, slo_multiplier: 3.0, up: 0.85, down: 0.7 }
    }
}

/// Which queueing model.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueingMode {
    /// As the description says.
    #[default]
    Corrected,
    /// As the published program does, which at some point never adds replicas again.
    AsCoded,
}

fields! {
    names QueueingMode { Corrected "corrected" AsCoded "as-coded" }
}

/// The throughput planner of NVIDIA Dynamo.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct DynamoThroughput {
    /// Objective of the time to first token, in milliseconds.
    pub ttft_ms: f64,
    /// Objective of the mean time between tokens, in milliseconds.
    pub itl_ms: f64,
    /// How the next rate is predicted.
    pub predictor: RatePredictor,
}

fields! {
    struct DynamoThroughput {
        ttft_ms: "TTFT" of "ms" in [limits::EFFICIENCY_MIN, limits::LATENCY_MS] or "Dynamo has 500 ms" => Scaling;
        itl_ms: "ITL" of "ms" in [limits::EFFICIENCY_MIN, limits::LATENCY_MS] or "Dynamo has 50 ms" => Scaling;
        predictor: "Predictor" => Scaling;
    }
}

impl Default for DynamoThroughput {
    fn default() -> Self {
        Self { ttft_ms: 500.0, itl_ms: 50.0, predictor: RatePredictor::Constant }
    }
}

/// How the next rate is predicted.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RatePredictor {
    /// The last rate.
    #[default]
    Constant,
    /// The next value of the straight line through the latest eight rates.
    Trend,
}

fields! {
    names RatePredictor { Constant "constant" Trend "trend" }
}

/// The load planner of NVIDIA Dynamo.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct DynamoLoad {
    /// Objective of the time to first token, in milliseconds. 0 means none.
    pub ttft_ms: f64,
    /// Objective of the mean time between tokens, in milliseconds. 0 means none.
    pub itl_ms: f64,
    /// Removes a replica if the others would stay below this share of the objectives.
    pub sensitivity: f64,
    /// Number of measurements before the first decision.
    pub min_observations: u32,
}

fields! {
    struct DynamoLoad {
        ttft_ms: "TTFT" of "ms" in [0.0, limits::LATENCY_MS] or "Dynamo has 500 ms" => Scaling;
        itl_ms: "ITL" of "ms" in [0.0, limits::LATENCY_MS] or "Dynamo has 50 ms" => Scaling;
        sensitivity: "Down below" in [limits::EFFICIENCY_MIN, 1.0] or "Dynamo has 0.8" => Scaling;
        min_observations: "Observations" in [1, limits::SCALING_SCRAPES] or "Dynamo has 5" => Scaling;
    }
}

impl Default for DynamoLoad {
    fn default() -> Self {
        Self { ttft_ms: 500.0, itl_ms: 50.0, sensitivity: 0.8, min_observations: 5 }
    }
}
