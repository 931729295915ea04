//! Service levels: the classes a request can belong to, their latency objectives, and the weights of the fitness score.

use crate::limits;
use crate::table::fields::fields;

/// Latency objectives.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Slo {
    /// Time to first token, in milliseconds. 0 means no objective.
    pub ttft_ms: f64,
    /// Mean time between output tokens of a request (TPOT), in milliseconds. 0 means no objective.
    pub tpot_ms: f64,
    /// End-to-end latency, in milliseconds. 0 means no objective.
    pub e2e_ms: f64,
    /// Objectives of individual classes, in place of the three above.
    pub classes: Vec<ClassTargets>,
}

fields! {
    struct Slo {
        ttft_ms: "TTFT" of "ms" in [0.0, limits::LATENCY_MS] or "use 0 for no objective" => Objectives;
        tpot_ms: "TPOT" of "ms" in [0.0, limits::LATENCY_MS] or "use 0 for no objective" => Objectives;
        e2e_ms: "E2E" of "ms" in [0.0, limits::LATENCY_MS] or "use 0 for no objective" => Objectives;
        classes: "Classes" up_to [SloClass::ALL.len(), "classes", "class"] => Objectives;
    }
}

impl Default for Slo {
    fn default() -> Self {
        Self { ttft_ms: 1000.0, tpot_ms: 50.0, e2e_ms: 0.0, classes: Vec::new() }
    }
}

/// Latency objectives of one SLO class.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct ClassTargets {
    /// The class.
    pub class: SloClass,
    /// Time to first token, in milliseconds. 0 means no objective.
    pub ttft_ms: f64,
    /// Mean time between output tokens of a request (TPOT), in milliseconds. 0 means no objective.
    pub tpot_ms: f64,
    /// End-to-end latency, in milliseconds. 0 means no objective.
    pub e2e_ms: f64,
}

fields! {
    struct ClassTargets {
        class: "Class" => Objectives;
        ttft_ms: "TTFT" of "ms" in [0.0, limits::LATENCY_MS] or "use 0 for no objective" => Objectives;
        tpot_ms: "TPOT" of "ms" in [0.0, limits::LATENCY_MS] or "use 0 for no objective" => Objectives;
        e2e_ms: "E2E" of "ms" in [0.0, limits::LATENCY_MS] or "use 0 for no objective" => Objectives;
    }
}

impl Default for ClassTargets {
    fn default() -> Self {
        let Slo { ttft_ms, tpot_ms, e2e_ms, .. } = Slo::default();
        Self { class: SloClass::default(), ttft_ms, tpot_ms, e2e_ms }
    }
}

/// Urgency of a request, the most urgent class first.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SloClass {
    /// The answer is critical.
    Critical,
    /// A user waits for the answer.
    #[default]
    Standard,
    /// A user waits, but the request can be refused under load.
    Sheddable,
    /// No user waits, but the work must be done.
    Batch,
    /// Served when there is room.
    Background,
}

fields! {
    names SloClass {
        Critical "critical" Standard "standard" Sheddable "sheddable" Batch "batch" Background "background"
    }
}

impl SloClass {
    /// All classes, the most urgent first.
    pub const ALL: [Self; 5] =
        [Self::Critical, Self::Standard, Self::Sheddable, Self::Batch, Self::Background];

    /// The class of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Its place in [`SloClass::ALL`]: 0 is the most urgent.
    pub fn rank(self) -> u32 {
        self as u32
    }
}

/// One part of the fitness score.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitnessWeight {
    /// The metric.
    pub metric: FitnessMetric,
    /// Weight of the metric.
    pub weight: f64,
}

fields! {
    entry FitnessWeight {
        metric: "Metric" => Restart;
        weight: "Weight" in [0.0, limits::FITNESS_WEIGHT]
            or "weights cannot be negative" first 1.0 => Restart;
    }
}

/// Metrics of the fitness score. Each is mapped to 0 to 1, where 1 is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "snake_case"))]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(rename_all = "snake_case"))]
pub enum FitnessMetric {
    /// Requests finished per second: v / (v + 100).
    Throughput,
    /// Output tokens per second: v / (v + 10,000).
    TokensPerSec,
    /// Mean TTFT in milliseconds: 1 / (1 + v).
    MeanTtft,
    /// Median TTFT in milliseconds: 1 / (1 + v).
    P50Ttft,
    /// 99th percentile of TTFT in milliseconds: 1 / (1 + v).
    P99Ttft,
    /// Mean E2E in milliseconds: 1 / (1 + v).
    MeanE2e,
    /// Median E2E in milliseconds: 1 / (1 + v).
    P50E2e,
    /// 99th percentile of E2E in milliseconds: 1 / (1 + v).
    P99E2e,
}

fields! {
    names FitnessMetric {
        Throughput "throughput" TokensPerSec "tokens_per_sec" MeanTtft "mean_ttft" P50Ttft "p50_ttft"
        P99Ttft "p99_ttft" MeanE2e "mean_e2e" P50E2e "p50_e2e" P99E2e "p99_e2e"
    }
}

impl FitnessMetric {
    /// The one that a report calls so, by the path in it or by the name of a column.
    pub fn of_report(name: &str) -> Option<Self> {
        Some(match name {
            "throughput.completed_per_s" | "completed_per_s" => Self::Throughput,
            "throughput.output_tokens_per_s" | "output_tokens_per_s" => Self::TokensPerSec,
            "latency_ms.ttft.mean" | "ttft_mean_ms" => Self::MeanTtft,
            "latency_ms.ttft.p50" | "ttft_p50_ms" => Self::P50Ttft,
            "latency_ms.ttft.p99" | "ttft_p99_ms" => Self::P99Ttft,
            "latency_ms.e2e.mean" | "e2e_mean_ms" => Self::MeanE2e,
            "latency_ms.e2e.p50" | "e2e_p50_ms" => Self::P50E2e,
            "latency_ms.e2e.p99" | "e2e_p99_ms" => Self::P99E2e,
            _ => return None,
        })
    }

    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Throughput,
        Self::TokensPerSec,
        Self::MeanTtft,
        Self::P50Ttft,
        Self::P99Ttft,
        Self::MeanE2e,
        Self::P50E2e,
        Self::P99E2e,
    ];
}
