//! Why keys of other programs have no counterpart. Each sentence is about one thing that the simulation lacks, does in one
//! way, or has elsewhere; it stands here alone, so that a map cannot go on saying what is no longer true.

macro_rules! capabilities {
    ($($name:ident: $sentence:literal,)*) => {
        /// All of them.
        #[cfg(test)]
        const ALL: &[Capability] = &[$(Capability::$name),*];

        /// What a key without a counterpart is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Capability {
            $($name,)*
        }

        impl Capability {
            /// Why the key has no counterpart.
            pub(crate) const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)*
                }
            }
        }
    };
}

capabilities! {
    // Engines.
    ClientNames: "the name that clients use",
    OneChunkRule: "one rule of chunks is simulated: the token budget in order of the queue",
    OneCpuTier: "one CPU tier is simulated, that of vLLM",
    OlderSpeculation: "older releases: give --speculative-config",
    AdaptersOfClients: "which requests name an adapter says `adapters` of a client",
    AdapterBits: "adapters have 16 bits",
    AdapterShards: "adapters are divided among the GPUs of a replica as vLLM does by default",
    AdapterTargets: "adapters are on the weights of `lora.targets`",
    LengthLimits: "no request is refused for its length: lengths come from the workload",
    ConfigFile: "the file has the same keys: import it beside this command",
    EagerSteps: "step times are those of a server with CUDA graphs: without them steps take longer",
    Swapping: "vLLM recomputes pre-empted requests since its second engine; nothing is swapped",
    CpuWeights: "weights in CPU memory are not simulated",
    PreemptionModes: "pre-empted requests are computed again",
    MultiStep: "a step is scheduled for one token of each request",
    Kernels: "choices of kernels and graphs are part of the measured step times",
    ExpertLoad: "experts are taken to be loaded evenly",
    AttentionRanks: "each GPU of it has requests and a cache of its own there, and here the GPUs of a replica work on one batch: with experts write it as tp 1, expert_ranks and expert_ranks_lockstep of cluster.pools[]",
    WeightFormats: "the bits of weights come with the name of the model, or with its config.json",
    BatchWaits: "a step begins as soon as the one before is over",
    ContextParallel: "context parallelism of prefills is not simulated: every GPU computes all tokens",
    RankMeeting: "how ranks find each other does not change a run",
    OwnCode: "code of your own is not simulated",
    NoChange: "it does not change a run here",
    BlockHashes: "blocks are found by their contents, whatever the hash",
    CacheEventDelay: "cluster.kv_event_delay_us says how late events of the cache reach the router",
    CodeOrEncoderCache: "it names code or a cache of encoders",
    StreamIntervals: "every token is streamed",
    ServerApi: "the address and the API of the server",
    Logs: "logs and metrics do not change a run",
    WeightLoading: "how weights are loaded does not change serving; start-up times are `scaling.start`",
    SamplingSeed: "the seed of sampling; the simulation has its own",
    Sampling: "output lengths come from the workload",
    ChatTemplates: "chat templates and tools do not change a simulated run",
    OtherInputs: "images and other inputs are not simulated",
    ModelShape: "the shape of the model is that of the catalogue",
    RoleOfService: "the service says the role",
    OfDynamo: "it belongs to Dynamo, not to the engine",
    TierProgram: "it concerns how the program copies blocks, not what is kept",
    TransferProgram: "cluster.disaggregation.transfer says how caches are handed over",
    AnswersReserved: "vLLM's rules take blocks for answers as they grow",
    SeparateBatches: "vLLM's rules compute prompts and answers in one step, by its token budget",
    DraftsByHand: "write engine.speculative: acceptance and the drafter's time are not said",
    AdaptersByHand: "write lora: which clients use which adapters is not said",
    Files: "it names files",
    // Routers.
    MemoryIntervals: "the router forgets as soon as its memory is full",
    LettersOfText: "it counts letters of text; prefix_index_blocks counts blocks of tokens",
    PoolSizes: "cluster.pools say how many replicas there are",
    RanksAreReplicas: "each rank of a server is a replica here",
    Addresses: "it is an address",
    ServerAddress: "it is the address of the server",
    PoolModels: "pools name their model",
    PoolRoles: "pools have roles",
    PoolEngines: "the engine of a pool says how it behaves",
    RequestText: "requests have no text to parse",
    RequestRewriting: "requests have no text to change",
    RequestBytes: "requests have no bytes",
    Discovery: "the router knows every replica at once",
    SeveralRouters: "there is one router",
    ReplicaStarts: "replicas start as scaling.start says",
    Recording: "the simulation records everything",
    BackoffDoubles: "the back-off of cluster.resilience doubles with each attempt and is drawn evenly up to that",
    EjectionEnds: "cluster.resilience.outlier counts attempts that break one after the other, and its time ends an ejection",
    MovesOfAnyLength: "requests of any length go on elsewhere",
    PolicyNamed: "the policies say the router",
    SharedCache: "a store is the same to all replicas, so that this router leaves it out; tier_weights of the scorer tier-prefix value stores",
    IndexPruning: "blocks leave the index one by one",
    BlocksInUse: "blocks in use always count",
    BlocksOfAnswers: "blocks of answers count as they come",
    TokensToPrefill: "tokens to prefill always count",
    BusyRefusals: "this router refuses no request for busy replicas; cluster.flow_control holds requests back",
    BlockSizes: "blocks are as large as those of the pool",
    CacheReports: "reports of caches arrive after cluster.kv_event_delay_us and are never lost",
    FirstReplicas: "all replicas are there at the beginning",
    RolesSplit: "pools with roles always prefill apart as cluster.disaggregation says",
    PrefillDecider: "cluster.disaggregation.decider says who prefills",
    MetricNames: "names of metrics make no difference",
    MessageTimes: "messages take no time",
    SessionsOfClients: "sessions are known by their clients",
    RouterSight: "the router sees every replica, as often as cluster.snapshot_refresh_us says",
    OfflineBatches: "all requests come at their own times",
    Experiments: "its experiments are not simulated",
    AnswerCache: "answers are not kept",
    // Plugins of llm-d's router.
    PromptTokens: "prompts are counted in tokens here",
    MetricProtocols: "the router sees every replica, whatever the names of its metrics",
    CacheSight: "the router sees the caches as they were cluster.kv_event_delay_us ago",
    GpuUtilisation: "GPU utilisation is not measured here",
    ReplicaAttributes: "this attribute of a replica is not measured here",
    OneProfile: "one profile for all requests, as here",
    ProfileHandlers: "this handler of profiles is not simulated",
    NetworkPlaces: "replicas have no place in a network here",
    RequestHeaders: "requests have no headers",
    ContextLengths: "no router here goes by the length of the context alone",
    ReplicaLabels: "replicas have no labels; cluster.pools and their roles group them",
    Subsets: "all replicas of a pool may serve a request",
    AdapterScorer: "the scorer lora-affinity alone knows adapters",
    SessionFootprints: "sessions with a footprint of their own are not simulated by this router",
    GapsSeen: "cluster.kv_hint counts the gaps between turns itself",
    TurnPriorities: "priorities come from engine.priority and cluster.flow_control",
    PromptImages: "prompts have no images",
    ImageEncoders: "replicas that encode images are not simulated",
    PrefillByHandler: "pools with the role prefill get requests through a handler of stages alone",
    // Autoscalers.
    PoolsMeasured: "the pools themselves are measured",
    MeasurementAge: "scaling.scrape_s and scaling.lag_s say how old a measurement is",
    Coordinator: "no coordinator changes the limits of other autoscalers",
    GpuLimits: "the GPUs of a pool are in scaling.gpus",
    Nodes: "replicas have no nodes here",
    OneController: "one controller decides",
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::from_value;
    use serde_json::{Value, json};

    /// Whether a path is one of the scenario: `null` at it is no unknown key.
    fn is_field(path: &str) -> bool {
        let of_pool = ["engine.", "kv.", "lora.", "scaling.", "latency.", "architecture."];
        let whole = if of_pool.iter().any(|start| path.starts_with(start)) {
            format!("cluster.pools[].{path}")
        } else {
            path.to_owned()
        };
        let document = whole.split('.').rev().fold(Value::Null, |inner, key| match key.strip_suffix("[]") {
            Some(list) => json!({ list: [inner] }),
            None => json!({ key: inner }),
        });
        let problems = from_value(document).err().unwrap_or_default();
        !problems.iter().any(|d| d.found.starts_with("unknown"))
    }

    #[test]
    fn reasons_name_fields_that_there_are() {
        let starts =
            ["cluster.", "engine.", "kv.", "lora.", "scaling.", "latency.", "architecture.", "workload."];
        let mut seen = 0;
        for capability in ALL {
            let words = capability.sentence().split([' ', ',', ';', ':', '`', '(', ')']);
            for path in words
                .map(|word| word.trim_end_matches('.'))
                .filter(|w| starts.iter().any(|s| w.starts_with(s)))
            {
                assert!(is_field(path), "{capability:?}: {path}");
                seen += 1;
            }
        }
        assert!(seen > 15, "{seen}");
        assert!(!is_field("cluster.resilient") && !is_field("scaling.startt") && is_field("kv.blocks"));
    }

    #[test]
    fn no_reason_says_that_nothing_fails() {
        for capability in ALL {
            assert!(!capability.sentence().contains("never fail"), "{capability:?}");
        }
    }
}
