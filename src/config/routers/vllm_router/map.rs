//! The flags of the router of vLLM's production stack, and what becomes of each.

use crate::command::map::KnownFlag;

/// The flags, in the order in which they are read.
pub(crate) const FLAGS: &[KnownFlag] = flags! {
    own Text ["routing-logic"];
    nothing Text ["session-key"]: SessionsOfClients;
    own Whole ["kv-aware-threshold"];
    nothing Text ["prefill-model-labels"]: PoolRoles;
    nothing Text ["decode-model-labels"]: PoolRoles;
    group Text ["nixl-proxy-host", "nixl-proxy-port", "nixl-peer-host", "nixl-peer-init-port", "nixl-peer-alloc-port"]: Addresses;
    nothing Whole ["backend-health-check-timeout-seconds"]: RouterSight;
    nothing Whole ["lmcache-health-check-interval"]: CacheReports;
    nothing Whole ["lmcache-worker-timeout"]: CacheReports;
    group Text ["sentry-traces-sample-rate", "sentry-profile-session-sample-rate", "otel-endpoint", "otel-service-name", "otel-secure"]: Recording;
    nothing Text ["host"]: Addresses;
    nothing Whole ["port"]: Addresses;
    nothing Whole ["lmcache-controller-port"]: Addresses;
    nothing Text ["service-discovery", "service-discovery-type", "k8s-service-discovery-type"]: Discovery;
    nothing List ["static-backends"]: Discovery;
    nothing List ["static-models"]: PoolModels;
    nothing List ["static-model-types"]: PoolModels;
    nothing List ["static-model-labels"]: PoolRoles;
    nothing List ["static-aliases"]: PoolModels;
    own Switch ["static-backend-health-checks"];
    nothing Whole ["k8s-port"]: Discovery;
    nothing Text ["k8s-namespace"]: Discovery;
    nothing Text ["k8s-label-selector"]: Discovery;
    nothing Number ["k8s-watcher-timeout-seconds"]: Discovery;
    own Number ["engine-stats-interval"];
    nothing Number ["request-stats-window"]: RouterSight;
    nothing Switch ["log-stats"]: Recording;
    nothing Number ["log-stats-interval"]: Recording;
    nothing Text ["log-level"]: Recording;
    nothing Text ["dynamic-config-json", "dynamic-config-yaml"]: Discovery;
    nothing Text ["callbacks"]: RequestRewriting;
    nothing Text ["request-rewriter"]: RequestRewriting;
    nothing Switch ["enable-batch-api"]: OfflineBatches;
    nothing Text ["file-storage-class"]: OfflineBatches;
    nothing Text ["file-storage-path"]: OfflineBatches;
    nothing Text ["batch-processor"]: OfflineBatches;
    nothing Text ["feature-gates"]: Experiments;
    nothing Text ["semantic-cache-model"]: AnswerCache;
    nothing Text ["semantic-cache-dir"]: AnswerCache;
    nothing Number ["semantic-cache-threshold"]: AnswerCache;
    nothing Text ["sentry-dsn"]: Recording;
    own Whole ["max-instance-failover-reroute-attempts"];
};
