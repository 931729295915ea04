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
            schemars(deny_unknown_fields, transform = crate::table::describe::describe::<Self>)
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
            schemars(rename_all = "kebab-case", deny_unknown_fields, transform = crate::table::describe::describe::<Self>)
        )]
        $($item)*
    };
}

mod check;
mod edit;
pub mod expression;
pub mod limits;
pub mod link;
mod parse;
pub mod preset;
mod served;
mod table;
mod types;

pub use check::{Checked, RequestCount, check, check_edits, check_start};
pub use edit::between::{ChangedField, changed_fields, edits_between, edits_that_set};
pub use edit::edit_label;
pub use edit::edit_list::EditRevision;
pub use edit::further_entry::further_entry;
pub use edit::in_force::{DocumentsInForce, InForce, in_force_at};
pub use edit::key_order::in_order;
pub use edit::split::{RoleCounts, SplitAsked, split_change};
pub use edit::undo::Undo;
pub use edit::{Change, FieldValues, Route, TimedEdit};
pub use expression::Expression;
pub use parse::named_weights;
pub use parse::{
    data_from_value, from_value, parse, parse_change, replay_trace, set_field, set_path, text_from_bytes,
    to_json, value_from_json, value_from_long_json, value_said_once,
};
pub use served::{Served, model_key};
pub use table::by_serde;
pub use table::place::At;
pub use table::read;
pub use table::read::{Problems, Read};
pub use table::report::grouped;
pub use table::write;
pub use table::write::Write;
pub use types::cluster::adapters::{Adapters, Lora, LoraTargets, WeightedAdapter};
pub use types::cluster::admission::{
    AdmissionPolicy, ConcurrencyLimit, OverLimit, Probabilistic, RateLimit, SessionCap, Shed, ShedRule,
    SlidingWindow, TenantLimit, TenantQuota, TokenBucket,
};
pub use types::cluster::batch_limit::BatchLimit;
pub use types::cluster::batch_limits::{BatchLimits, MixedStep};
pub use types::cluster::compat::Compat;
pub use types::cluster::disaggregation::{
    Decider, Disaggregation, FirstToken, Handoff, HomeHits, KvBytes, Role, ThresholdDecider, Transfer,
};
pub use types::cluster::experts::{ContextParallelism, Eplb, ExpertPlacement, ExpertSkew, ExpertSplit};
pub use types::cluster::flow_control::{
    Ceilings, ClassPriorities, ConcurrencyDetector, ConcurrencyMode, Detector, Fairness, FlowBand,
    FlowControl, FlowKey, HoldbackBy, Ordering, PriorityHoldback, ProgramAware, StaticCeiling,
    UtilizationDetector,
};
pub use types::cluster::kv_retention::{CpuEviction, EvictionOrder, KvHint, Retention};
pub use types::cluster::kv_tiers::{
    BreakEven, FsEviction, FsTier, KvSource, KvStore, LoadAsked, LoadRule, LoadTimeout, LoadWait, P2pTier,
    SecondaryTier, SelectiveWrite, StoreEviction, StoreTier, TierWrite, Watermark,
};
pub use types::cluster::model::{Architecture, Hardware, Precision};
pub use types::cluster::ranks::{RankBalance, RankPadding, Ranks, RanksSeen};
pub use types::cluster::resilience::{KvLoadFailure, Outlier, Probe, ProbeAction, Resilience};
pub use types::cluster::scheduling::{
    ClassDeadlines, ClassScores, PreemptionVictim, PriorityPolicy, Scheduler, TenantScore, TenantScores,
};
pub use types::cluster::speculative::{DraftPass, DraftPosition, Drafter, Speculative};
pub use types::cluster::{Cluster, CpuTier, KvBlocks, KvCache, Pool};
pub use types::faults::random_faults::RandomFaults;
pub use types::faults::{
    Aim, Crash, Fault, KvStoreDown, LateSignals, Pick, Restart, Slow, Stuck, TransferLink, Unreachable,
};
pub use types::keep::Keep;
pub use types::latency::{
    CalibratedCoefficients, CalibratedSettings, CoefficientSource, CrossModelCoefficients, EngineGeneration,
    FittedCoefficients, LatencyClock, LatencyModel, PiecewiseRates, RooflineSettings,
};
pub use types::routing::cache_routing::{CacheAware, CacheBalance, CacheKnowledge, CacheMiss};
pub use types::routing::filters::{
    Condition, Fallback, Filter, FilterMetric, Picker, SessionFilter, Softmax, UtilizationFilter,
};
pub use types::routing::kv_cost::{ApproximateIndex, CacheIndex, KvCost, KvCostProfile};
pub use types::routing::predicted_latency::{HeadroomChoice, LatencyPrediction, SloHeadroomFilter};
pub use types::routing::prefix_affinity::{PeakPrefill, PrefixAffinityFilter};
pub use types::routing::scorer::Scorer;
pub use types::routing::weighted::{
    Profile, TierWeights, Ties, TokenCount, TokenUntil, Weighted, WeightedScorer,
};
pub use types::routing::{
    CostEscalation, PowerOfD, PrefixAware, PrefixOverlap, RoutingPolicy, SessionAffinity, SessionMode,
};
pub use types::scaling::carrier::{CarriedOutBy, Carrier};
pub use types::scaling::horizontal::{
    Behavior, BehaviorRules, ChangeLimit, DirectionRules, FurtherMetric, Horizontal, LimitUnit,
    ScalingMetric, SelectRule, TargetOf,
};
pub use types::scaling::keda::{BESIDE_TRIGGERS, FurtherTrigger, Keda, KedaFormula};
pub use types::scaling::planners::{
    DynamoLoad, DynamoThroughput, QueueingMode, QueueingModel, RatePredictor,
};
pub use types::scaling::router_metrics::{SloAware, TokenAware};
pub use types::scaling::scaling_policy::{
    Counted, Kpa, Oracle, QueueCharge, QueueDepth, SaturationV1, SaturationV2, ScalingPolicy,
    TargetUtilization, Threshold,
};
pub use types::scaling::slo_quantile::SloQuantile;
pub use types::scaling::start_up::{StartPhases, StartSpread, StartUp};
pub use types::scaling::{Drain, Optimizer, Scaling, Victim, settings_text};
pub use types::slo::{ClassTargets, FitnessMetric, FitnessWeight, Slo, SloClass};
pub use types::workload::agent::Agent;
pub use types::workload::client_kind::ClientKind;
pub use types::workload::conversation::{ContextGrowth, Conversation, ConversationClock, Rounds, ThinkTime};
pub use types::workload::explicit::{ExplicitOutput, ExplicitPiece, ExplicitRequest};
pub use types::workload::lengths::{Lengths, WeightedLength};
pub use types::workload::prefix::{OnOffPeriods, PrefixGroups};
pub use types::workload::rate_profile::{RatePoint, RateProfile, Window};
pub use types::workload::session_kv::{PrefetchTo, PrefetchWhen, SessionKv, SessionPrefetch};
pub use types::workload::trace_window::TraceWindow;
pub use types::workload::{Arrivals, Client, TraceSettings, Workload};

use table::fields::fields;

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
