//! The scenario: one document that describes a run completely.
//!
//! Plain data with defaults. Reading never panics: [`parse()`] reports every problem of shape at once, [`check()`] every
//! problem of meaning, and only a document without errors becomes a [`Checked`] one, which is what the engine takes.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

/// Settings of the scenario: their schema has the notes of the table of fields.
macro_rules! field_schema {
    ($($item:tt)*) => {
        #[cfg_attr(
            feature = "schema",
            derive(::schemars::JsonSchema),
            schemars(deny_unknown_fields, transform = crate::notes::describe::<Self>)
        )]
        $($item)*
    };
}

/// A choice of the scenario: its variants have the names of the table.
macro_rules! choice_schema {
    ($($item:tt)*) => {
        #[cfg_attr(
            feature = "schema",
            derive(::schemars::JsonSchema),
            schemars(rename_all = "kebab-case", deny_unknown_fields, transform = crate::notes::describe::<Self>)
        )]
        $($item)*
    };
}

mod adapters;
mod admission;
mod agent;
mod batch_limit;
mod batch_limits;
pub mod by_serde;
mod cache_routing;
mod carrier;
mod check;
mod client_kind;
mod cluster;
mod conversation;
mod disaggregation;
mod edit;
pub mod edit_label;
mod edited;
mod explicit;
pub mod expression;
mod fault;
mod fields;
mod filters;
mod flow_control;
mod horizontal;
mod keda;
mod keep;
mod key_order;
mod kv_cost;
mod latency;
mod lengths;
pub mod limits;
pub mod link;
mod model;
#[cfg(feature = "schema")]
mod notes;
mod parse;
mod place;
mod planners;
mod predicted_latency;
mod prefix;
mod prefix_affinity;
pub mod preset;
mod random_faults;
mod rate_profile;
pub mod read;
mod report;
mod resilience;
mod router_metrics;
mod routing;
mod scaling;
mod scaling_policy;
mod scheduling;
mod served;
mod shape;
mod slo;
mod speculative;
mod split;
mod start_up;
mod trace_window;
mod weighted;
mod workload;
pub mod write;

pub use adapters::{Adapters, Lora, LoraTargets, WeightedAdapter};
pub use admission::{
    AdmissionPolicy, ConcurrencyLimit, OverLimit, Probabilistic, RateLimit, SessionCap, Shed, ShedRule,
    SlidingWindow, TenantLimit, TenantQuota, TokenBucket,
};
pub use agent::Agent;
pub use batch_limit::BatchLimit;
pub use batch_limits::BatchLimits;
pub use cache_routing::{CacheAware, CacheBalance, CacheKnowledge, CacheMiss};
pub use carrier::{CarriedOutBy, Carrier};
pub use check::{Checked, RequestCount, check, check_edits, check_start};
pub use client_kind::ClientKind;
pub use cluster::{Cluster, Compat, CpuTier, CpuWrite, KvBlocks, KvCache, Pool};
pub use conversation::{ContextGrowth, Conversation, ConversationClock, Rounds, ThinkTime};
pub use disaggregation::{
    Decider, Disaggregation, FirstToken, Handoff, KvBytes, Role, ThresholdDecider, Transfer,
};
pub use edit::{Change, FieldValues, Route, TimedEdit};
pub use explicit::{ExplicitOutput, ExplicitPiece, ExplicitRequest};
pub use expression::Expression;
pub use fault::{Aim, Crash, Fault, LateSignals, Pick, Restart, Slow, Stuck, TransferLink, Unreachable};
pub use filters::{
    Condition, Fallback, Filter, FilterMetric, Picker, SessionFilter, Softmax, UtilizationFilter,
};
pub use flow_control::{
    Ceilings, ClassPriorities, ConcurrencyDetector, ConcurrencyMode, Detector, Fairness, FlowBand,
    FlowControl, FlowKey, HoldbackBy, Ordering, PriorityHoldback, ProgramAware, StaticCeiling,
    UtilizationDetector,
};
pub use horizontal::{
    Behavior, BehaviorRules, ChangeLimit, DirectionRules, FurtherMetric, Horizontal, LimitUnit,
    ScalingMetric, SelectRule, TargetOf,
};
pub use keda::{BESIDE_TRIGGERS, FurtherTrigger, Keda, KedaFormula};
pub use keep::Keep;
pub use key_order::in_order;
pub use kv_cost::{ApproximateIndex, CacheIndex, KvCost, KvCostProfile};
pub use latency::{
    CalibratedCoefficients, CalibratedSettings, CoefficientSource, CrossModelCoefficients, EngineGeneration,
    FittedCoefficients, LatencyClock, LatencyModel, PiecewiseRates, RooflineSettings,
};
pub use lengths::{Lengths, WeightedLength};
pub use model::{Architecture, Hardware, Precision};
pub use parse::{
    data_from_value, from_value, parse, parse_change, replay_trace, set_field, set_path, text_from_bytes,
    to_json, value_from_json, value_from_long_json, value_said_once,
};
pub use parse::{named_weights, nearest};
pub use place::At;
pub use planners::{DynamoLoad, DynamoThroughput, QueueingMode, QueueingModel, RatePredictor};
pub use predicted_latency::{HeadroomChoice, LatencyPrediction, SloHeadroomFilter};
pub use prefix::{OnOffPeriods, PrefixGroups};
pub use prefix_affinity::{PeakPrefill, PrefixAffinityFilter};
pub use random_faults::RandomFaults;
pub use rate_profile::{RatePoint, RateProfile, Window};
pub use read::{Problems, Read};
pub use report::grouped;
pub use resilience::{KvLoadFailure, Outlier, Probe, ProbeAction, Resilience};
pub use router_metrics::{SloAware, TokenAware};
pub use routing::{
    CostEscalation, PowerOfD, PrefixAware, PrefixOverlap, RoutingPolicy, Scorer, SessionAffinity,
    SessionMode, Ties,
};
pub use scaling::{Drain, Optimizer, Scaling, Victim, settings_text};
pub use scaling_policy::{
    Counted, Kpa, Oracle, QueueCharge, QueueDepth, SaturationV1, SaturationV2, ScalingPolicy,
    TargetUtilization, Threshold,
};
pub use scheduling::{
    ClassDeadlines, ClassScores, PreemptionVictim, PriorityPolicy, Scheduler, TenantScore, TenantScores,
};
pub use served::{Served, model_key};
pub use slo::{ClassTargets, FitnessMetric, FitnessWeight, Slo, SloClass};
pub use speculative::{DraftPass, DraftPosition, Drafter, Speculative};
pub use split::{RoleCounts, SplitAsked, split_change};
pub use start_up::{StartPhases, StartSpread, StartUp};
pub use trace_window::TraceWindow;
pub use weighted::{Profile, TokenCount, TokenUntil, Weighted, WeightedScorer};
pub use workload::{Arrivals, Client, TraceSettings, Workload};
pub use write::Write;

use fields::fields;

/// The version of the scenario format.
pub const FORMAT_VERSION: u32 = 1;

/// Whether documents say a version that no release had: they are of version 1.
pub fn is_unreleased(version: u64) -> bool {
    (2..=3).contains(&version)
}

/// A scenario: a cluster, the traffic it gets, and what is changed while it runs.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Version of the scenario format: 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = FORMAT_VERSION)))]
    pub tokenyard: u32,
    /// Title shown above the run.
    pub title: String,
    /// What the reader should notice, in a few sentences.
    pub note: String,
    /// Seed of every random draw. The same seed, scenario and edits give the same bytes everywhere.
    pub seed: u64,
    /// How long to run and what to measure.
    pub run: Run,
    /// The serving cluster: replicas, admission and routing.
    pub cluster: Cluster,
    /// The requests that arrive.
    pub workload: Workload,
    /// Latency objectives, for all requests and by SLO class. A request that meets all of them counts as goodput.
    pub slo: Slo,
    /// What is recorded in addition to the metrics.
    pub observe: Observe,
    /// Changes made while the run goes on, in order.
    pub edits: Vec<TimedEdit>,
}

fields! {
    struct Scenario {
        tokenyard: "Format" => None;
        title: "Title" => None;
        note: "Note" => None;
        seed: "Seed" => Restart;
        run: "Run" => Restart;
        cluster: "Cluster" => Parts by itself;
        workload: "Workload" => Parts by itself;
        slo: "Objectives" => Parts;
        observe: "Observation" => Restart;
        edits: "Edits" => Parts by itself;
    }
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            tokenyard: FORMAT_VERSION,
            title: String::new(),
            note: String::new(),
            seed: 42,
            run: Run::default(),
            cluster: Cluster::default(),
            workload: Workload::default(),
            slo: Slo::default(),
            observe: Observe::default(),
            edits: Vec::new(),
        }
    }
}

/// How long to run.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// End of the run in simulated seconds. Events at this instant still run, later ones do not. 0 means until all requests are done; a workload without an end needs a horizon or a request cap. Default 0 if `max_requests` is given.
    pub horizon_s: f64,
    /// Simulated seconds at the start that metrics exclude while queues fill.
    pub warmup_s: f64,
    /// Number of first requests that metrics exclude, in order of arrival. With `warmup_s` as well, both must be over.
    pub warmup_requests: u64,
    /// Most requests generated. 0 means no cap besides the horizon. Without a horizon the run ends when they are done; with both, at the earlier of the two. At most 5,000,000, or 100,000,000 where the run keeps summaries only.
    pub max_requests: u64,
}

fields! {
    struct Run {
        horizon_s: "Ends at" of "s" in [0.0, limits::HORIZON_S]
            or "use 0 to run until all requests are done" => Restart;
        warmup_s: "Warm-up" of "s" in [0.0, limits::HORIZON_S]
            or "use 0 to measure from the start" => Restart;
        warmup_requests: "Warm-up requests" in [0, limits::REQUESTS]
            or "use 0 to leave out no requests by number" => Restart;
        max_requests: "Request cap" in [0, limits::REQUESTS_SUMMARISED]
            or "use 0 for no cap besides the horizon" => Restart;
    }
}

impl Default for Run {
    fn default() -> Self {
        Self { horizon_s: 240.0, warmup_s: 20.0, warmup_requests: 0, max_requests: 0 }
    }
}

/// What is recorded in addition to the metrics.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Observe {
    /// Number of latest events kept for the event log and the request inspector.
    pub event_log: u32,
    /// Most points of a time series; a full series merges neighbours in pairs.
    pub series_points: u32,
    /// Number of candidates kept for each routing decision, the best first; the report then summarises the decisions. 0 keeps as many as the inspector has room for, without a summary.
    pub counterfactual_k: u32,
    /// Whether to detect priority inversion, blocked queues, KV thrashing, livelock and load imbalance.
    pub anomalies: bool,
    /// Weights of the fitness score, the only composite number in a report. Empty means no score.
    pub fitness: Vec<FitnessWeight>,
    /// What the run keeps of its requests: rows, or summaries only, which take many more requests.
    pub keep: Keep,
}

fields! {
    struct Observe {
        event_log: "Event log" in [0, limits::EVENT_LOG] or "use 0 to keep no events" => Restart;
        series_points: "Series points" in [limits::SERIES_POINTS_MIN, limits::SERIES_POINTS]
            or "600 fits most screens" => Restart;
        counterfactual_k: "Counterfactual k" in [0, limits::REPLICAS]
            or "use 0 for no summary of decisions" => Restart;
        anomalies: "Anomalies" => Restart;
        fitness: "Fitness" up_to [FitnessMetric::ALL.len(), "weights", "weight"] => Restart;
        keep [omit]: "Keeps" => Restart;
    }
}

impl Default for Observe {
    fn default() -> Self {
        Self {
            event_log: 20_000,
            series_points: 600,
            counterfactual_k: 0,
            anomalies: true,
            fitness: Vec::new(),
            keep: Keep::default(),
        }
    }
}
