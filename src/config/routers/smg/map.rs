//! The flags of `smg launch`: what each becomes in `cluster`, in both directions.

use crate::command::map::{FlagField, KnownFlag, UsualValue};
use document::limits;

/// The flags, in the order in which they are read.
pub(crate) const FLAGS: &[KnownFlag] = flags! {
    written Text ["policy"] => FlagField::new("routing", "routing", UsualValue::Word("cache_aware"));
    own Text ["prefill-policy"];
    own Text ["decode-policy"];
    same Number ["cache-threshold"]
        => FlagField::new("routing.cache-aware.cache_threshold", "cache threshold", UsualValue::Number(0.3)).within(0.0, 1.0);
    same Whole ["balance-abs-threshold"]
        => FlagField::new("routing.cache-aware.balance_abs_threshold", "imbalance above", UsualValue::Whole(64)).within(0.0, limits::IN_FLIGHT as f64);
    same Number ["balance-rel-threshold"]
        => FlagField::new("routing.cache-aware.balance_rel_threshold", "imbalance factor", UsualValue::Number(1.5)).within(0.0, limits::COST);
    nothing Number ["eviction-interval-secs", "eviction-interval"]: MemoryIntervals;
    nothing Whole ["max-tree-size"]: LettersOfText;
    written Text ["max-concurrent-requests"]
        => FlagField::new("admission.concurrency-limit.max_in_flight", "most in flight", UsualValue::Chosen);
    own Whole ["queue-size"];
    own Number ["queue-timeout-secs"];
    own Number ["rate-limit-tokens-per-second"];
    own Switch ["pd-disaggregation", "vllm-pd-disaggregation"];
    nothing Lists ["prefill"]: PoolSizes;
    nothing Lists ["decode"]: PoolSizes;
    nothing List ["worker-urls"]: PoolSizes;
    nothing Switch ["dp-aware"]: RanksAreReplicas;
    nothing Whole ["dp-size"]: RanksAreReplicas;
    own Number ["request-timeout-secs"];
    nothing Text ["host"]: Addresses;
    nothing Whole ["port"]: Addresses;
    nothing Text ["prometheus-host"]: Addresses;
    nothing Whole ["prometheus-port"]: Addresses;
    nothing Text ["api-key"]: Addresses;
    nothing Text ["model-path", "model"]: PoolModels;
    nothing Text ["tokenizer-path"]: RequestText;
    nothing Text ["chat-template"]: RequestText;
    nothing Text ["reasoning-parser"]: RequestText;
    nothing Text ["tool-call-parser"]: RequestText;
    nothing Text ["backend"]: PoolEngines;
    nothing Switch ["enable-igw"]: Discovery;
    nothing Switch ["enable-mesh"]: SeveralRouters;
    nothing Switch ["service-discovery"]: Discovery;
    nothing List ["selector"]: Discovery;
    nothing List ["prefill-selector"]: Discovery;
    nothing List ["decode-selector"]: Discovery;
    nothing Whole ["service-discovery-port"]: Discovery;
    nothing Text ["service-discovery-namespace"]: Discovery;
    nothing Number ["worker-startup-timeout-secs"]: ReplicaStarts;
    nothing Number ["worker-startup-check-interval"]: ReplicaStarts;
    nothing Text ["bootstrap-port-annotation"]: Discovery;
    nothing Text ["log-dir"]: Recording;
    nothing Text ["log-level"]: Recording;
    nothing List ["request-id-headers"]: Recording;
    nothing Whole ["max-payload-size"]: RequestBytes;
    nothing List ["cors-allowed-origins"]: Addresses;
    own Whole ["retry-max-retries"];
    own Whole ["retry-initial-backoff-ms"];
    own Whole ["retry-max-backoff-ms"];
    nothing Number ["retry-backoff-multiplier"]: BackoffDoubles;
    nothing Number ["retry-jitter-factor"]: BackoffDoubles;
    own Switch ["disable-retries"];
    own Whole ["cb-failure-threshold"];
    nothing Whole ["cb-success-threshold"]: EjectionEnds;
    own Number ["cb-timeout-duration-secs"];
    nothing Number ["cb-window-duration-secs"]: EjectionEnds;
    own Switch ["disable-circuit-breaker"];
    own Whole ["health-failure-threshold"];
    own Whole ["health-success-threshold"];
    own Number ["health-check-timeout-secs"];
    own Number ["health-check-interval-secs"];
    nothing Text ["health-check-endpoint"]: Addresses;
    nothing Text ["history-backend"]: Recording;
    nothing Switch ["mini-lb"]: PolicyNamed;
    own Switch ["test-external-dp-routing"];
};
