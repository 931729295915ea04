//! The flags of Dynamo's frontend: what each becomes in `cluster`, in both directions.

use crate::command::map::{FlagField, KnownFlag, UsualValue};
use document::limits;

/// The flags, in the order in which they are read.
pub(crate) const FLAGS: &[KnownFlag] = flags! {
    written Text ["router-mode"] => FlagField::new("routing", "routing", UsualValue::Word("round-robin"));
    same Number ["router-kv-overlap-score-credit"]
        => FlagField::new("routing.kv-cost.overlap_credit", "overlap credit", UsualValue::Number(1.0)).within(0.0, limits::COST);
    same Number ["router-kv-overlap-score-credit-decay"]
        => FlagField::new("routing.kv-cost.credit_decay", "credit decay", UsualValue::Number(0.0)).within(0.0, limits::COST);
    own Number ["router-kv-overlap-score-weight", "kv-overlap-score-weight"];
    same Number ["router-prefill-load-scale"]
        => FlagField::new("routing.kv-cost.prefill_scale", "prefill scale", UsualValue::Number(1.0)).within(0.0, limits::COST);
    same Number ["router-host-cache-hit-weight", "router-host-cache-credit", "router-host-credit"]
        => FlagField::new("routing.kv-cost.host_credit", "CPU tier credit", UsualValue::Number(0.75)).within(0.0, limits::COST);
    same Number ["router-disk-cache-hit-weight", "router-disk-cache-credit", "router-disk-credit"]
        => FlagField::new("routing.kv-cost.disk_credit", "disk credit", UsualValue::Number(0.25)).within(0.0, limits::COST);
    nothing Number ["shared-cache-multiplier"]: SharedCache;
    nothing Text ["shared-cache-type"]: SharedCache;
    same Number ["router-decode-active-request-weight"]
        => FlagField::new("routing.kv-cost.active_weight", "active requests", UsualValue::Number(0.0)).within(0.0, limits::COST);
    same Number ["router-temperature"]
        => FlagField::new("routing.kv-cost.temperature", "temperature", UsualValue::Number(0.0)).within(0.0, limits::TEMPERATURE);
    written Switch ["router-kv-events", "kv-events", "router-use-kv-events", "use-kv-events"]
        => FlagField::new("routing.kv-cost.index", "cache index", UsualValue::Switch(true));
    written Number ["router-ttl-secs", "router-ttl"]
        => FlagField::new("routing.kv-cost.index.approximate.ttl_s", "remembered for, s", UsualValue::Number(120.0));
    written Number ["router-predicted-ttl-secs"]
        => FlagField::new("routing.kv-cost.predicted_ttl_s", "predicted for, s", UsualValue::Number(0.0));
    own Whole ["router-max-tree-size"];
    nothing Number ["router-prune-target-ratio"]: IndexPruning;
    written Switch ["router-assume-kv-reuse"]
        => FlagField::new("routing.kv-cost.assume_reuse", "assume reuse", UsualValue::Switch(true));
    same Number ["router-session-affinity-ttl-secs"]
        => FlagField::new("routing.kv-cost.session_ttl_s", "session bound for, s", UsualValue::Number(0.0)).within(0.0, limits::ROUTER_TTL_S);
    nothing Switch ["router-track-active-blocks"]: BlocksInUse;
    nothing Switch ["router-track-output-blocks"]: BlocksOfAnswers;
    nothing Switch ["router-track-prefill-tokens"]: TokensToPrefill;
    own Switch ["load-aware"];
    own Switch ["agentic"];
    own Number ["router-queue-threshold"];
    own Text ["router-queue-policy"];
    nothing Number ["active-decode-blocks-threshold"]: BusyRefusals;
    nothing Number ["active-prefill-tokens-threshold"]: BusyRefusals;
    nothing Number ["active-prefill-tokens-threshold-frac"]: BusyRefusals;
    nothing Number ["busy-threshold"]: BusyRefusals;
    nothing Text ["admission-control"]: BusyRefusals;
    nothing Whole ["kv-cache-block-size", "router-block-size"]: BlockSizes;
    nothing Switch ["router-replica-sync"]: SeveralRouters;
    nothing Switch ["router-reset-states"]: SeveralRouters;
    nothing Whole ["router-snapshot-threshold"]: SeveralRouters;
    nothing Whole ["router-event-threads"]: CacheReports;
    nothing Whole ["router-min-initial-workers"]: FirstReplicas;
    nothing Switch ["durable-kv-events", "router-durable-kv-events"]: CacheReports;
    nothing Switch ["enforce-disagg"]: RolesSplit;
    nothing Switch ["decode-fallback"]: PrefillDecider;
    own Whole ["migration-limit"];
    nothing Whole ["migration-max-seq-len"]: MovesOfAnyLength;
    nothing Text ["http-host", "host"]: ServerAddress;
    nothing Whole ["http-port", "port"]: ServerAddress;
    nothing Whole ["grpc-metrics-port"]: ServerAddress;
    nothing Text ["tls-cert-path"]: ServerAddress;
    nothing Text ["tls-key-path"]: ServerAddress;
    nothing Text ["namespace", "dyn-namespace"]: ServerAddress;
    nothing Text ["namespace-prefix"]: ServerAddress;
    nothing Switch ["kserve-grpc-server"]: ServerAddress;
    nothing Text ["model-name", "model"]: PoolModels;
    nothing Text ["model-path"]: PoolModels;
    nothing Text ["metrics-prefix"]: MetricNames;
    nothing Text ["request-plane"]: MessageTimes;
    nothing Text ["event-plane"]: MessageTimes;
    nothing Text ["discovery-backend", "store-kv"]: Discovery;
    nothing Text ["chat-processor", "dyn-chat-processor"]: RequestText;
    own Switch ["interactive", "i"];
    own Switch ["version"];
    own Switch ["exp-python-factory"];
    nothing List ["endpoint"]: ServerAddress;
};
