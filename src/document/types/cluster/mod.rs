//! The cluster half of the scenario: pools of replicas, their engine, KV cache and latency model, admission and routing.

pub(crate) mod adapters;
pub(crate) mod admission;
pub(crate) mod batch_limit;
pub(crate) mod batch_limits;
pub(crate) mod compat;
pub(crate) mod disaggregation;
pub(crate) mod experts;
pub(crate) mod flow_control;
pub(crate) mod kv_retention;
pub(crate) mod kv_tiers;
pub(crate) mod model;
pub(crate) mod ranks;
pub(crate) mod resilience;
pub(crate) mod scheduling;
pub(crate) mod speculative;

use crate::Lora;
use crate::limits;
use crate::table::fields::fields;
use crate::table::number_or_auto::number_or_auto;
use crate::types::cluster::batch_limits::BatchLimits;
use crate::types::cluster::model::{Architecture, Hardware};
use crate::types::latency::LatencyModel;
use crate::{
    AdmissionPolicy, Compat, ContextParallelism, CpuEviction, Disaggregation, EvictionOrder, ExpertPlacement,
    FlowControl, KvHint, KvSource, KvStore, LoadAsked, LoadRule, LoadWait, RandomFaults, Ranks, Resilience,
    Role, RoutingPolicy, Scaling, SecondaryTier, TierWrite,
};

/// The serving cluster.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Groups of equal replicas. Replicas are numbered through all pools in order.
    pub pools: Vec<Pool>,
    /// Which requests are admitted.
    pub admission: AdmissionPolicy,
    /// Queues at the gateway between admission and the router. Without it requests go to the router at once.
    pub flow_control: Option<FlowControl>,
    /// Which replica gets a request.
    pub routing: RoutingPolicy,
    /// Prefill and decode apart: who prefills a request, and how its KV cache gets to its decode replica. Only pools with the roles `prefill` and `decode` read it.
    pub disaggregation: Option<Disaggregation>,
    /// Stores of KV blocks that replicas share, for pools that name them among their tiers.
    pub kv_stores: Vec<KvStore>,
    /// From which replica blocks of a prompt are pulled, for pools with a tier `p2p` (llm-d: `p2p-source-producer`). Without it nothing is.
    pub kv_source: Option<KvSource>,
    /// What the gateway wants kept of sessions that say nothing themselves. Only pools with an `eviction_order` that obeys directives follow it.
    pub kv_hint: Option<KvHint>,
    /// How old the contents of caches are that routers see, of replicas and of stores: the time that events of a cache take to reach the router. 0 means that routers see what is there. A router that estimates what is cached by what it has sent does not notice.
    pub kv_event_delay_us: u64,
    /// What happens to requests whose attempt breaks, and when routers know of it.
    pub resilience: Resilience,
    /// Replicas that crash at random, beside the faults among the edits.
    pub faults: RandomFaults,
    /// Largest age of the router's view of a replica before a decision refreshes it. 0 means every decision sees the present. In-flight counts are always current.
    pub snapshot_refresh_us: u64,
    /// Time from arrival to the admission decision.
    pub admission_latency_us: u64,
    /// Time from admission to the routing decision.
    pub routing_latency_us: u64,
    /// Engine semantics. The default follows vLLM and queueing theory.
    pub compat: Compat,
}

fields! {
    struct Cluster {
        pools: "Pools" up_to [limits::POOLS, "pools", "pool"] => Pools by itself;
        admission: "Policy" => Admission by itself;
        flow_control [omit]: "Flow control" => FlowControl;
        routing: "Policy" => Routing by itself;
        disaggregation [omit]: "Prefill apart" => Handover;
        kv_stores [omit]: "KV stores" up_to [limits::KV_STORES, "stores", "store"] => Stores;
        kv_source [omit]: "KV of peers" => Routing;
        kv_hint [omit]: "KV hint" => Routing;
        kv_event_delay_us [omit]: "Cache events" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds; 0 means none" and { "x-form": ["ms", 1000] } => Signals;
        resilience [omit]: "Resilience" => Parts;
        faults [omit]: "Random faults" => Parts;
        snapshot_refresh_us: "Signal refresh" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds; 0 means none" and { "x-form": ["ms", 1000] } => Signals;
        admission_latency_us: "Latency" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds; 0 means none" and { "x-form": ["ms", 1000] } => Delays;
        routing_latency_us: "Latency" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds; 0 means none" and { "x-form": ["ms", 1000] } => Delays;
        compat: "Semantics" => Restart;
    }
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            pools: vec![Pool::default()],
            admission: AdmissionPolicy::AlwaysAdmit,
            flow_control: None,
            routing: RoutingPolicy::LeastLoaded,
            disaggregation: None,
            kv_stores: Vec::new(),
            kv_source: None,
            kv_hint: None,
            kv_event_delay_us: 0,
            resilience: Resilience::default(),
            faults: RandomFaults::default(),
            snapshot_refresh_us: 0,
            admission_latency_us: 0,
            routing_latency_us: 0,
            compat: Compat::None,
        }
    }
}

/// A group of equal replicas.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Name of the pool. A pool without a name is called `main`, or `main-2`, `main-3` and so on if that name is taken.
    pub name: String,
    /// What its replicas do: prefill and decode (mixed), or one of the two for requests that move from a prefill to a decode replica.
    pub role: Role,
    /// Number of replicas. An edit may drain a pool to 0. A pool can begin with 0 if an autoscaler or an edit adds replicas: requests wait for the first one, at most for `scaling.hold_s`.
    pub replicas: u32,
    /// Model, as named in the catalogue, such as llama-3.1-8b.
    pub model: String,
    /// Shape of your own model, in place of the catalogue's shape for `model`. Roofline and cross-model latency and derived KV blocks read it.
    pub architecture: Option<Architecture>,
    /// GPU, as named in the catalogue, such as H100.
    pub gpu: String,
    /// Figures of your own GPU, in place of the catalogue's figures for `gpu`. Roofline latency, derived KV blocks and costs read them.
    pub hardware: Option<Hardware>,
    /// Tensor parallelism: how many GPUs serve one replica.
    pub tp: u32,
    /// Pipeline parallelism: stages of a replica, each with `tp` GPUs and its part of the layers (vLLM: `--pipeline-parallel-size`). A replica has as many batches under way as stages. 1 means no pipeline.
    pub pp: u32,
    /// Speed of the link over which a stage hands tokens on to the next, in GB/s. 50 is a network of 400 Gbit/s.
    pub pp_link_gb_per_s: f64,
    /// Number of replicas that share the experts of a mixture-of-experts model. These replicas are the data-parallel ranks of one server (vLLM: `--data-parallel-size`, with or without `--enable-expert-parallel`): each has its own queue, batch and cache, and sends its tokens to the shared experts. 1 means that every replica has all experts. Only calibrated latency reads it.
    pub expert_ranks: u32,
    /// Whether the replicas that share experts start each step together, as the ranks of a real server do: a step takes as long as the longest of them, and reads the experts that the tokens of all are sent to. Without it each replica steps by itself and takes the others to carry as much as it does.
    pub expert_ranks_lockstep: bool,
    /// How ranks in lock step go together. Of no effect without `expert_ranks_lockstep`.
    pub ranks: Ranks,
    /// How the experts lie on the ranks that share them, and how evenly tokens are sent to them. Of effect with calibrated latency alone.
    pub experts: ExpertPlacement,
    /// Decode context parallelism. Left out: each GPU has the cache of all tokens.
    pub dcp: Option<ContextParallelism>,
    /// Batch limits of the engine.
    pub engine: BatchLimits,
    /// The paged KV cache of one replica.
    pub kv: KvCache,
    /// LoRA adapters on top of the model. Without it the pool serves the base model alone.
    pub lora: Option<Lora>,
    /// How long a step takes.
    pub latency: LatencyModel,
    /// How the number of replicas changes during the run.
    pub scaling: Scaling,
}

fields! {
    struct Pool {
        name: "Name" => Name;
        role [omit]: "Role" => Roles;
        replicas: "Replicas" in [0, limits::REPLICAS] or "an edit to 0 drains the pool" => Replicas;
        model: "Model" => Replace;
        architecture [omit]: "Own model" => Replace;
        gpu: "GPU" => Replace;
        hardware [omit]: "Own GPU" => Replace;
        tp: "Tensor parallel" in [1, limits::TP] or "1 means one GPU for each replica" => Replace;
        pp [omit]: "Pipeline parallel" in [1, limits::PP]
            or "1 means that every GPU has a part of every layer" => Replace;
        pp_link_gb_per_s [omit]: "Link of stages" of "GB/s" in [limits::PP_LINK_GB_PER_S_MIN, limits::PP_LINK_GB_PER_S]
            or "50 is a network of 400 Gbit/s" => Replace;
        expert_ranks [omit]: "Expert ranks" in [1, limits::EXPERT_RANKS]
            or "1 means that every replica has all experts" => Replace;
        expert_ranks_lockstep [omit]: "In lock step" => Replace;
        ranks [omit]: "Ranks" => Parts;
        experts [omit]: "Experts" => Parts;
        dcp [omit]: "Context parallel" => Replace;
        engine: "Engine" => Parts;
        kv: "KV" => Parts;
        lora [omit]: "LoRA" => Replace;
        latency: "Step times" => Replace;
        scaling [omit]: "Scaling" => Parts;
    }
}

/// Speed of a network of 400 Gbit/s, in GB/s.
const USUAL_LINK: f64 = 50.0;

impl Default for Pool {
    fn default() -> Self {
        Self {
            name: "main".to_owned(),
            role: Role::Mixed,
            replicas: 4,
            model: "llama-3.1-8b".to_owned(),
            architecture: None,
            gpu: "H100".to_owned(),
            hardware: None,
            tp: 1,
            pp: 1,
            pp_link_gb_per_s: USUAL_LINK,
            expert_ranks: 1,
            expert_ranks_lockstep: false,
            ranks: Ranks::default(),
            experts: ExpertPlacement::default(),
            dcp: None,
            engine: BatchLimits::default(),
            kv: KvCache::default(),
            lora: None,
            latency: LatencyModel::default(),
            scaling: Scaling::default(),
        }
    }
}

/// The paged KV cache of one replica.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct KvCache {
    /// Number of blocks, or "auto": the blocks that fit in the memory of all GPUs of a replica, each GPU holding its share of every block. "auto" is derived from model and GPU for calibrated, roofline and cross-model latency and for your own model or GPU; otherwise it is the catalogue's figure. With `compat: "blis"` it is counted as in BLIS: about `tp` times as many.
    pub blocks: KvBlocks,
    /// Share of the GPU's memory that the engine may use (vLLM: `gpu_memory_utilization`). Derived KV blocks follow from it; the catalogue's figures are for 0.9.
    pub gpu_memory_utilization: f64,
    /// Tokens in one block.
    pub block_tokens: u32,
    /// Whether equal prompt prefixes share blocks.
    pub prefix_caching: bool,
    /// Blocks of a second tier in CPU memory (vLLM: `--kv-offloading-size`, in GiB). Blocks evicted from the GPU can be loaded from it instead of being computed again. 0 means no second tier.
    pub cpu_blocks: u32,
    /// How the CPU tier works.
    pub cpu_tier: CpuTier,
    /// When blocks are written to the CPU tier.
    pub cpu_write: TierWrite,
    /// Which block of the CPU tier is evicted first.
    pub cpu_eviction: CpuEviction,
    /// How long a block of the CPU tier that nobody uses can be found. 0 means for ever.
    pub cpu_ttl_s: f64,
    /// Whether blocks of answers stay out of all tiers below the GPU (vLLM: `offload_prompt_only`).
    pub offload_prompt_only: bool,
    /// Whether a decode pool writes its blocks to the tiers below CPU memory too (Mooncake, LMCache: `save_decode_cache`). Without it they get blocks from prefill pools alone.
    pub write_decode: bool,
    /// Tiers below CPU memory, in order: disks, stores that replicas share, and CPU memory of other replicas.
    pub secondary_tiers: Vec<SecondaryTier>,
    /// Whether what lies below CPU memory is read, or computed again.
    pub load: LoadRule,
    /// How long a request waits for blocks on their way to CPU memory.
    pub load_wait: LoadWait,
    /// When a request asks for what lies below CPU memory.
    pub load_asked: LoadAsked,
    /// Which free block of the GPU is evicted first. What directives mean is the order's.
    pub eviction_order: EvictionOrder,
    /// Largest share of the GPU's blocks that directives may protect: one that would leave more means nothing.
    pub max_protected_share: f64,
    /// Only for the tier `blis`: share of GPU blocks in use above which cached blocks are copied to it, 0 to 1.
    pub offload_threshold: f64,
    /// Speed of the link that loads blocks from the CPU tier, in tokens per microsecond. 0.1 is about 13 GB/s for a model with 128 KB of KV a token.
    pub transfer_tokens_per_us: f64,
    /// Fixed time of one load from the CPU tier; with the tier `blis`, of each block.
    pub transfer_base_us: u64,
}

fields! {
    struct KvCache {
        blocks: "Blocks" of "blocks" in [1, limits::KV_BLOCKS]
            or "use \"auto\" for as many as fit in memory" first 4096 => CacheSize;
        gpu_memory_utilization: "Memory share" in [limits::MEMORY_SHARE_MIN, 1.0]
            or "vLLM's default is 0.9" => CacheSize;
        block_tokens: "Block size" of "tokens" in [1, limits::BLOCK_TOKENS]
            or "vLLM's default is 16" => Replace;
        prefix_caching: "Prefix cache" => Replace;
        cpu_blocks: "CPU blocks" of "blocks" in [0, limits::KV_BLOCKS] or "use 0 for no CPU tier" => Replace;
        cpu_tier [omit]: "CPU tier" => Replace;
        cpu_write [omit]: "CPU writes" => Steps;
        cpu_eviction [omit]: "CPU eviction" => FreeBlocks;
        cpu_ttl_s [omit]: "CPU keeps" of "s" in [0.0, limits::HORIZON_S] or "use 0 for blocks that stay until they are evicted" => Steps;
        offload_prompt_only [omit]: "Prompts only" => Steps;
        write_decode [omit]: "Decode writes" => Steps;
        secondary_tiers [omit]: "Tiers below" up_to [limits::SECONDARY_TIERS, "tiers", "tier"] => Replace;
        load [omit]: "Load or compute" => QueueJoin;
        load_wait [omit]: "Waits for loads" => QueueJoin;
        load_asked [omit]: "Loads asked for" => QueueJoin;
        eviction_order [omit]: "Eviction order" => FreeBlocks;
        max_protected_share [omit]: "Protected at most" in [0.0, 1.0] or "1 is no bound" => Steps;
        offload_threshold: "Offload from" in [0.0, 1.0]
            or "it is the share of GPU blocks in use, such as 0.9" => Replace;
        transfer_tokens_per_us: "Transfer rate" of "tok/µs" in [limits::TRANSFER_TOKENS_PER_US_MIN, limits::TRANSFER_TOKENS_PER_US]
            or "0.1 is about 13 GB/s for a model with 128 KB of KV a token" => Replace;
        transfer_base_us: "Transfer, fixed" of "µs" in [0, limits::LATENCY_US]
            or "it is the fixed time of one load, in microseconds" and { "x-form": ["ms", 1000] } => Replace;
    }
}

impl Default for KvCache {
    fn default() -> Self {
        Self {
            blocks: KvBlocks::Auto,
            gpu_memory_utilization: 0.9,
            block_tokens: 16,
            prefix_caching: true,
            cpu_blocks: 0,
            cpu_tier: CpuTier::Auto,
            cpu_write: TierWrite::WriteThrough,
            cpu_eviction: CpuEviction::Lru,
            cpu_ttl_s: 0.0,
            offload_prompt_only: false,
            write_decode: false,
            secondary_tiers: Vec::new(),
            load: LoadRule::Always,
            load_wait: LoadWait::Complete,
            load_asked: LoadAsked::Turn,
            eviction_order: EvictionOrder::Lru,
            max_protected_share: 1.0,
            offload_threshold: 0.9,
            transfer_tokens_per_us: 100.0,
            transfer_base_us: 0,
        }
    }
}

impl KvCache {
    /// Whether its CPU tier, if it has one, is that of BLIS.
    pub fn uses_tier_of_blis(&self, compat: Compat) -> bool {
        compat == Compat::Blis || self.cpu_tier == CpuTier::Blis
    }
}

/// How the CPU tier works.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuTier {
    /// `offloading`; with `compat: "blis"` the tier of that simulator.
    #[default]
    Auto,
    /// KV offloading as in vLLM: blocks are found by their contents. When a request's turn comes, its prompt is looked up after the GPU's prefix cache; blocks found are loaded over one link while the request waits and others go on. A full tier evicts the least recently used block.
    Offloading,
    /// As in BLIS and in golden files: when the GPU's usage is over `offload_threshold`, cached blocks move to the CPU tier; when blocks run out, all of them come back, and the next step takes the time of the copy.
    Blis,
}

fields! {
    names CpuTier { Auto "auto" Offloading "offloading" Blis "blis" }
}

/// The size of a KV cache: a number of blocks, or "auto".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KvBlocks {
    /// The blocks that fit next to the model in the memory of the replica's GPUs.
    Auto,
    /// The given number of blocks.
    Count(u32),
}

number_or_auto! { KvBlocks: "a number of blocks or \"auto\"", "The blocks that fit next to the model in the memory of all GPUs of the replica.", "This many blocks." }
