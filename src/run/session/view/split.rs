//! What a frame says where pools have the roles prefill and decode: ports, transfers under way, and who prefilled what.

use super::Percentiles;
use serde::Serialize;

/// Prefill and decode apart, for the whole cluster.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SplitFrame {
    /// The replicas that prefill for others.
    pub prefill: RoleFrame,
    /// The replicas that decode what others may prefill.
    pub decode: RoleFrame,
    /// The ratio that the loads of the two suggest: prefill and decode replicas, together as many as serve; missing while
    /// one of the two has none.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<[u32; 2]>,
    /// Whether homes set blocks aside before the prefill (push), instead of after it (pull).
    pub push: bool,
    /// How the decider divides requests now.
    pub decider: DeciderFrame,
    /// Decisions of the window of the key figures, of those still known.
    pub decided: DecidedFrame,
    /// From the end of a prefill to joining the batch at home, of the requests that joined in the window of the key figures.
    pub handover: Percentiles,
    /// Time to first token as prefill replicas have it, of the prefills that ended in the window of the key figures.
    pub ttft_prefill: Percentiles,
    /// Requests whose KV is on its way to their home.
    pub transferring: u32,
    /// Requests at home with their KV, not in the batch yet.
    pub landed: u32,
    /// Length of the window of the flows, in seconds.
    pub flow_s: f64,
    /// Bytes per second over all ports in the window of the flows.
    pub bytes_per_s: f64,
    /// Share of the capacity of all prefill replicas' outgoing ports used in that window, 0 to 1.
    pub ports_out: f64,
    /// What flowed between two replicas in that window, or flows now; in order of the two.
    pub pairs: Vec<PairFrame>,
    /// Transfers under way, the first of them in order of their start.
    pub transfers: Vec<TransferFrame>,
    /// All transfers under way.
    pub under_way: u32,
    /// The latest decisions, the oldest first.
    pub latest: Vec<DecisionMark>,
}

/// The replicas of one role.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RoleFrame {
    /// Replicas that get new requests.
    pub serving: u32,
    /// Share of the window of the key figures in which a step was running, 0 to 1.
    pub busy: f64,
    /// Share of their KV blocks in use, 0 to 1.
    pub kv_used: f64,
    /// The load that the suggested ratio goes by, 0 to 1: of prefill replicas the busy share, of decode replicas the larger of
    /// KV use and running requests over their limit.
    pub load: f64,
}

/// How the decider divides requests.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DeciderFrame {
    /// `never`, `always` or `threshold`.
    pub name: &'static str,
    /// Requests with fewer tokens to compute stay at home; 0 if it does not count.
    pub uncached_tokens: u32,
    /// Requests with less than this share of their prompt to compute stay at home; 0 if it does not count.
    pub uncached_share: f64,
}

/// Decisions in a window.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DecidedFrame {
    /// Share of the requests that a prefill replica prefills, 0 to 1.
    pub remote_share: f64,
    /// Share of the requests prefilled at home, 0 to 1.
    pub local_share: f64,
    /// Requests per second for prefill replicas.
    pub remote_per_s: f64,
    /// Requests per second prefilled at home.
    pub local_per_s: f64,
    /// Why most of those prefilled at home were: `mixed`, `never`, `no-prefill`, `short`, `busy` or `resumed`; empty if none was.
    pub local_because: &'static str,
}

/// One decision.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecisionMark {
    /// The request.
    pub request: u32,
    /// When, in microseconds.
    pub at_us: u64,
    /// Its home.
    pub home: u32,
    /// Its prefill replica; missing if it is prefilled at home.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill: Option<u32>,
    /// Why: `mixed`, `never`, `no-prefill`, `always`, `short`, `busy`, `long` or `resumed`.
    pub reason: &'static str,
    /// Tokens of its prompt.
    pub prompt_tokens: u32,
    /// Tokens that its home would have had to compute, where the decider looked; otherwise those of its prompt.
    pub uncached: u32,
}

/// What flows from one replica to another.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairFrame {
    /// The prefill replica.
    pub from: u32,
    /// The home.
    pub to: u32,
    /// Bytes per second in the window of the flows.
    pub bytes_per_s: f64,
    /// The use of the fuller one of its two ports in that window, 0 to 1.
    pub fullness: f64,
    /// Transfers under way.
    pub flows: u32,
    /// Bytes per second now.
    pub now_per_s: u64,
}

/// A transfer under way.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TransferFrame {
    /// The request.
    pub request: u32,
    /// Its prefill replica.
    pub from: u32,
    /// Its home.
    pub to: u32,
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes that have arrived.
    pub arrived: u64,
    /// The share that has arrived, 0 to 1.
    pub share: f64,
    /// Bytes per second now; 0 before the first byte.
    pub bytes_per_s: u64,
    /// When it started, in microseconds.
    pub start_us: u64,
    /// When it lands, in microseconds, if no other transfer begins or ends before; missing before its first byte.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lands_us: Option<u64>,
}

/// What a replica has of prefills and decodes apart.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MovingFrame {
    /// The role of its pool: `mixed`, `prefill` or `decode`.
    pub role: &'static str,
    /// Requests whose blocks are set aside here and whose KV is not here.
    pub incoming: u32,
    /// Requests whose KV is here and that wait for the next step.
    pub landed: u32,
    /// Requests prefilled here whose blocks are held for their home.
    pub outgoing: u32,
    /// Requests bound for here that wait or are prefilled elsewhere.
    pub bound: u32,
    /// Blocks held for the homes of outgoing requests.
    pub held_blocks: u32,
    /// Blocks set aside for incoming requests, with those of their prompts that were cached.
    pub reserved_blocks: u32,
    /// Time between two tokens by its latest step, in microseconds; 0 before the first.
    pub itl_us: u64,
    /// Its port to others.
    pub out: PortFrame,
    /// Its port from others.
    pub into: PortFrame,
}

/// One direction of a replica's ports.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PortFrame {
    /// Bytes per second that it carries.
    pub capacity: u64,
    /// Share of that used in the window of the flows, 0 to 1.
    pub used: f64,
    /// Bytes per second now.
    pub now_per_s: u64,
    /// Transfers that use it now.
    pub flows: u32,
}
