//! Prefill and decode apart: roles of pools, who prefills a request, and how its KV gets to the replica that decodes it.

use crate::RoutingPolicy;
use crate::limits;
use crate::table::fields::fields;
use crate::table::number_or_auto::number_or_auto;
use serde::{Deserialize, Serialize};

/// What the replicas of a pool do.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Prefill and decode their own requests.
    #[default]
    Mixed,
    /// Prefill for decode replicas only.
    Prefill,
    /// Decode requests and answer their clients. The decider says who prefills each request.
    Decode,
}

fields! {
    names Role { Mixed "mixed" Prefill "prefill" Decode "decode" }
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Mixed, Self::Prefill, Self::Decode];

    /// Whether its replicas answer clients.
    pub fn is_home(self) -> bool {
        match self {
            Self::Mixed | Self::Decode => true,
            Self::Prefill => false,
        }
    }
}

/// How requests are divided between prefill and decode replicas. Only pools with these roles read it.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disaggregation {
    /// Who prefills a request: its decode replica, or a prefill replica.
    pub decider: Decider,
    /// Which prefill replica gets a request. Without it a second router with the same policy as `cluster.routing` chooses.
    pub prefill_routing: Option<RoutingPolicy>,
    /// When the decode replica sets blocks aside for a request.
    pub handoff: Handoff,
    /// Where the first token that the client sees comes from.
    pub first_token: FirstToken,
    /// How the KV cache of a prompt gets to the decode replica.
    pub transfer: Transfer,
    /// Which blocks of a prompt that its decode replica already has do not travel.
    pub home_hits: HomeHits,
}

fields! {
    struct Disaggregation {
        decider: "Decider" => Handover;
        prefill_routing [omit]: "Prefill routing"
            and { "x-none": "As homes", "x-none-help": "A second router with the policy of the homes." } => Routing by itself;
        handoff: "Hand-over" => Handover;
        first_token: "First token" => Handover;
        transfer: "Transfer" => Parts;
        home_hits [omit]: "Home hits" => Handover;
    }
}

/// Which blocks of a prompt that its decode replica already has do not travel.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HomeHits {
    /// Those in its cache on the GPU: where vLLM combines connectors, the one that receives takes all others.
    #[default]
    Gpu,
    /// Those, and the ones behind them in its CPU tier, which are loaded while the rest travels.
    #[cfg_attr(feature = "schema", schemars(rename = "gpu+cpu"))]
    GpuCpu,
}

fields! {
    names HomeHits { Gpu "gpu" GpuCpu "gpu+cpu" }
}

/// Who prefills a request.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    /// Always the decode replica: prefill replicas get nothing.
    Never,
    /// Always a prefill replica, if any serves.
    #[default]
    Always,
    /// The decode replica if the prompt is short or the prefill replicas are busy, otherwise a prefill replica.
    Threshold(ThresholdDecider),
}

fields! {
    choice Decider [Never "never" Always "always"] { Threshold "threshold" }
}

/// When a decode replica prefills a request itself. A request counts by the tokens that this replica would have to compute: those of the prompt without its cached blocks.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThresholdDecider {
    /// The request is short if it has fewer tokens to compute than that (llm-d: `nonCachedTokens`, 16 in its samples). 0 means that this is not looked at.
    pub uncached_tokens: u32,
    /// The request is short if it has less than this share of its prompt to compute, 0 to 1. If `uncached_tokens` is set too, both must hold. 0 means that this is not looked at.
    pub uncached_share: f64,
    /// The decode replica prefills if every prefill replica has at least that many prefills in flight. 0 means that this is not looked at.
    pub prefill_in_flight: u32,
}

fields! {
    struct ThresholdDecider {
        uncached_tokens: "Remote from" of "tokens" in [0, limits::REQUEST_TOKENS]
            or "0 means that length does not matter" => Handover;
        uncached_share: "Or a share of" in [0.0, 1.0] or "it is a share, such as 0.7" => Handover;
        prefill_in_flight: "Busy from" of "req" in [0, limits::IN_FLIGHT]
            or "0 means that load does not matter" => Handover;
    }
}

/// When the decode replica sets blocks aside for a request that is prefilled elsewhere.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handoff {
    /// After the prefill: the decode replica sets blocks aside when the request is first in its queue, and reads the KV cache from the prefill replica (vLLM, llm-d).
    #[default]
    Pull,
    /// Before the prefill: it begins once the decode replica has set blocks aside, and the prefill replica writes the KV cache to them (SGLang, Mooncake).
    Push,
}

fields! {
    names Handoff { Pull "pull" Push "push" }
}

/// Where the first token that the client sees comes from.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstToken {
    /// The decode replica computes the last prompt token again and shows the first token (vLLM, llm-d).
    #[default]
    Decode,
    /// The prefill replica shows the first token (TensorRT-LLM, DistServe, Splitwise).
    Prefill,
}

fields! {
    names FirstToken { Decode "decode" Prefill "prefill" }
}

/// How the KV cache of a prompt gets from a prefill replica to a decode replica: whole blocks, without those that the decode replica has in its cache.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Speed of the network port of one GPU in each direction, in GB/s (10^9 bytes). A replica has as many ports as GPUs. 50 is a network of 400 Gbit/s.
    pub port_gb_per_s: f64,
    /// Time before the first byte of a transfer moves.
    pub base_us: u64,
    /// Bytes of one token in the cache of the decode replica, on all of its GPUs together. "auto" takes them from the model's shape.
    pub kv_bytes_per_token: KvBytes,
    /// Share of the bytes that leaves while the prefill runs, below 1, as far as the port is fast enough. Only for push.
    pub overlap_share: f64,
    /// Whether transfers that run at the same time share the ports of a replica. If not, each has both ports to itself.
    pub shared_ports: bool,
}

fields! {
    struct Transfer {
        port_gb_per_s: "Port of a GPU" of "GB/s" in [limits::PORT_GB_PER_S_MIN, limits::PORT_GB_PER_S]
            or "50 is a network of 400 Gbit/s" => Ports;
        base_us: "First byte" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds; 0 means none" and { "x-form": ["ms", 1000] } => Transfers;
        kv_bytes_per_token: "Bytes a token" of "B" in [1, limits::KV_BYTES_PER_TOKEN]
            or "use \"auto\" for the bytes of the model's shape" first 131_072 => Transfers;
        overlap_share: "Overlap" in [0.0, limits::OVERLAP_SHARE] or "it is a share below 1, such as 0.9" => Transfers;
        shared_ports: "Shared ports" => Ports;
    }
}

impl Default for Transfer {
    fn default() -> Self {
        Self {
            port_gb_per_s: 50.0,
            base_us: 50,
            kv_bytes_per_token: KvBytes::Auto,
            overlap_share: 0.0,
            shared_ports: true,
        }
    }
}

/// Bytes of one token in the KV cache: a number, or "auto".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KvBytes {
    /// Those that follow from the shape of the decode pool's model and from its tensor parallelism.
    Auto,
    /// The given number of bytes.
    Count(u32),
}

number_or_auto! { KvBytes: "a number of bytes or \"auto\"", "The bytes that follow from the shape of the decode pool's model.", "This many bytes." }
