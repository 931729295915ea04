//! Plugins of the router and their parameters: what each becomes here, in both directions.

use crate::capability::Capability::{
    self, AdapterScorer, CacheSight, ContextLengths, Discovery, GapsSeen, GpuUtilisation, ImageEncoders,
    MetricProtocols, NetworkPlaces, OneProfile, PrefillByHandler, ProfileHandlers, PromptImages,
    PromptTokens, RanksAreReplicas, ReplicaAttributes, ReplicaLabels, RequestHeaders, RequestText,
    RouterSight, SessionFootprints, SessionsOfClients, Subsets, TurnPriorities,
};
use crate::yaml::scalar::Scalar;
use crate::yaml::want::Want;
use serde_json::Value;

/// Scorers by their types.
pub(crate) const SCORERS: [(&str, &str); 15] = [
    ("queue-scorer", "waiting-requests"),
    ("queue-depth-scorer", "waiting-requests"),
    ("kv-cache-utilization-scorer", "kv-utilization"),
    ("prefix-cache-scorer", "prefix-affinity"),
    ("precise-prefix-cache-scorer", "precise-prefix"),
    ("running-requests-size-scorer", "running-requests"),
    ("running-request-scorer", "running-requests"),
    ("token-load-scorer", "token-load"),
    ("active-request-scorer", "active-requests"),
    ("load-aware-scorer", "load-aware"),
    ("no-hit-lru-scorer", "no-hit-lru"),
    ("lora-affinity-scorer", "lora-affinity"),
    ("latency-scorer", "predicted-latency"),
    ("predicted-latency-scorer", "predicted-latency"),
    ("pd-slo-pair-optimizer", "predicted-latency"),
];

pub(crate) const AFFINITY: &str = "prefix-cache-affinity-filter";
pub(crate) const APPROXIMATE: &str = "approx-prefix-cache-producer";

/// A parameter that is a number here.
pub(crate) struct Parameter {
    /// The type of its plugin.
    pub(crate) plugin: &'static str,
    pub(crate) theirs: &'static str,
    pub(crate) field: &'static str,
    /// Its name in the tables of an export.
    pub(crate) ours: &'static str,
    /// Its value where a file does not say it.
    pub(crate) usual: f64,
}

const fn parameter(
    plugin: &'static str,
    theirs: &'static str,
    field: &'static str,
    ours: &'static str,
    usual: f64,
) -> Parameter {
    Parameter { plugin, theirs, field, ours, usual }
}

/// Parameters of scorers that are keys of the weighted router.
const SCORES: [Parameter; 4] = [
    parameter("token-load-scorer", "queueThresholdTokens", "token_threshold", "token threshold", 4_194_304.0),
    parameter("load-aware-scorer", "threshold", "waiting_threshold", "waiting threshold", 128.0),
    parameter("active-request-scorer", "idleThreshold", "idle_threshold", "idle threshold", 0.0),
    parameter("active-request-scorer", "maxBusyScore", "max_busy_score", "busy score", 1.0),
];

/// Parameters of the router's memory of prompts: blocks of a replica, tokens of a block, leading tokens of a prompt.
pub(crate) const MEMORY: [Parameter; 3] = [
    parameter(APPROXIMATE, "lruCapacityPerServer", "prefix_index_blocks", "prefix index, blocks", 31_250.0),
    parameter(APPROXIMATE, BLOCK, "prefix_block_tokens", "prefix block, tokens", 64.0),
    parameter(
        APPROXIMATE,
        "maxPrefixTokensToMatch",
        "prefix_match_tokens",
        "prefix match, tokens",
        131_072.0,
    ),
];
/// The key of the tokens of a block.
pub(crate) const BLOCK: &str = "blockSizeTokens";
/// The plugins with parameters of the memory.
pub(crate) const MEMORY_PLUGINS: [&str; 2] = [APPROXIMATE, "prefix-cache-scorer"];
/// The keys of the size of a block of the memory in bytes of text, in older files.
pub(crate) const FORMER_BLOCK: [&str; 2] = ["blockSize", "hashBlockSize"];

/// Parameters of the scorer of predicted latency.
pub(crate) const PREDICTION: [Parameter; 2] = [
    parameter("latency-scorer", "ttftWeight", "ttft_weight", "", 0.8),
    parameter("latency-scorer", "tpotWeight", "tpot_weight", "", 0.2),
];

/// Parameters of the filter that stays with a replica.
pub(crate) const STAYS: [Parameter; 3] = [
    parameter(AFFINITY, "affinityThreshold", "threshold", "affinity threshold", 0.8),
    parameter(AFFINITY, "explorationProbability", "exploration", "exploration", 0.0),
    parameter(AFFINITY, "maxTTFTPenaltyMs", "max_ttft_penalty_ms", "TTFT penalty, ms", 18_000.0),
];

/// Thresholds of the detector of replicas in use.
pub(crate) const UTILIZATION: [Parameter; 2] = [
    parameter("utilization-detector", "queueDepthThreshold", "queue_threshold", "", 5.0),
    parameter("utilization-detector", "kvCacheUtilThreshold", "kv_threshold", "", 0.8),
];

/// Limits of the detector of requests in flight.
pub(crate) const CONCURRENCY: [Parameter; 2] = [
    parameter("concurrency-detector", "maxConcurrency", "max_requests", "", 100.0),
    parameter("concurrency-detector", "maxTokenConcurrency", "max_tokens", "", 1_000_000.0),
];

/// The fairness among programs.
pub(crate) const PROGRAM_AWARE: &str = "program-aware-fairness";

/// Parameters of the fairness among programs.
pub(crate) const SERVICE: [Parameter; 3] = [
    parameter(PROGRAM_AWARE, "lasWeightService", "service_weight", "", 0.8),
    parameter(PROGRAM_AWARE, "lasWeightHeadWait", "wait_weight", "", 0.2),
    parameter(PROGRAM_AWARE, "lasHalfLifeSeconds", "half_life_s", "", 60.0),
];

/// The former name of a parameter of fairness.
pub(crate) fn former_service(theirs: &str) -> Option<&'static str> {
    let all = [
        ("weightService", "lasWeightService"),
        ("weightServiceHeadWait", "lasWeightHeadWait"),
        ("serviceHalfLifeSeconds", "lasHalfLifeSeconds"),
    ];
    all.into_iter().find(|(_, now)| *now == theirs).map(|(former, _)| former)
}

/// The parameters of a scorer that are keys of the weighted router.
pub(crate) fn parameters_of(plugin: &str) -> impl Iterator<Item = &'static Parameter> {
    SCORES.iter().filter(move |parameter| parameter.plugin == plugin)
}

impl Parameter {
    /// Its value in a document, which leaves out what is usual.
    pub(crate) fn value(&self, document: &Value) -> f64 {
        document[self.field].as_f64().unwrap_or(self.usual)
    }

    /// The parameter with its value, which is not written where it is usual.
    pub(crate) fn want(&self, document: &Value) -> (&'static str, Want<'static>) {
        let scalar = Scalar::Number;
        (self.theirs, Want::unless(scalar(self.value(document)), scalar(self.usual)))
    }
}

/// Known plugins without a counterpart, by a part of their types.
pub(crate) const OTHERS: [(&str, Capability); 29] = [
    ("token-producer", PromptTokens),
    ("tokenizer", PromptTokens),
    ("metrics-data-source", RouterSight),
    ("core-metrics-extractor", RouterSight),
    ("model-server-protocol-metrics", MetricProtocols),
    ("endpoint-notification", Discovery),
    ("kv-events", CacheSight),
    ("dcgm", GpuUtilisation),
    ("endpoint-attribute", ReplicaAttributes),
    ("data-parallel-profile-handler", RanksAreReplicas),
    ("single-profile-handler", OneProfile),
    ("profile-handler", ProfileHandlers),
    ("parser", RequestText),
    ("topology", NetworkPlaces),
    ("header", RequestHeaders),
    ("context-length", ContextLengths),
    ("label", ReplicaLabels),
    ("by-label", ReplicaLabels),
    ("subset", Subsets),
    ("lora", AdapterScorer),
    ("thunder-agent", SessionFootprints),
    ("agent-identity", SessionsOfClients),
    ("session-state-producer", SessionsOfClients),
    ("session-id-producer", SessionsOfClients),
    ("session-interturn", GapsSeen),
    ("turn-priority", TurnPriorities),
    ("mm-embeddings", PromptImages),
    ("encode", ImageEncoders),
    ("prefill-filter", PrefillByHandler),
];

#[cfg(test)]
mod tests {
    use super::*;
    use document::{Detector, Filter, LatencyPrediction, Read, Weighted, data_from_value};
    use serde_json::json;

    /// Whether parameters are fields of a part of the scenario, which a choice may name.
    fn are_fields<T: Read>(parameters: &[Parameter], choice: Option<&str>) -> bool {
        parameters.iter().all(|Parameter { field, usual, .. }| {
            let number = if usual.fract() > 0.0 { json!(usual) } else { json!(*usual as u64) };
            let fields = json!({ *field: number });
            let part = choice.map_or_else(|| fields.clone(), |choice| json!({ choice: fields }));
            data_from_value::<T>(&part, "a part").is_ok()
        })
    }

    #[test]
    fn parameters_are_fields_of_the_scenario() {
        assert!(are_fields::<Weighted>(&SCORES, None));
        assert!(are_fields::<Weighted>(&MEMORY, None));
        assert!(are_fields::<LatencyPrediction>(&PREDICTION, None));
        assert!(are_fields::<Filter>(&STAYS, Some("prefix-affinity")));
        assert!(are_fields::<Detector>(&UTILIZATION, Some("utilization")));
        assert!(are_fields::<Detector>(&CONCURRENCY, Some("concurrency")));
    }
}
