//! The engine's settings: how large a batch is, who is admitted to it, and in which order.

use super::batch_limit::BatchLimit;
use super::fields::fields;
use super::scheduling::{PreemptionVictim, PriorityPolicy, Scheduler};
use super::{Compat, Speculative, limits};
use serde::{Deserialize, Serialize};

/// Batch limits of the engine; names as in vLLM.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BatchLimits {
    /// Most requests in one batch (vLLM: `max_num_seqs`), up to 65,536. "auto" is vLLM's choice: 1,024 on GPUs of 70 GiB and more but the A100, otherwise 256; never more than the tokens of a step. With `compat: "blis"` it is 256.
    pub max_num_seqs: BatchLimit,
    /// Most tokens computed in one step, prefill and decode together (vLLM: `max_num_batched_tokens`), up to 1,048,576. "auto" is vLLM's choice: 8,192 on GPUs of 70 GiB and more but the A100, otherwise 2,048; never fewer than the requests of a batch. With `compat: "blis"` it is 2,048.
    pub max_num_batched_tokens: BatchLimit,
    /// Longest piece of one prompt computed in one step, in tokens. 0 means only the token budget limits it.
    pub long_prefill_threshold_tokens: u32,
    /// Most requests in the wait queue. A replica with a full queue refuses requests, and routers skip it. A preempted request always returns to the queue. 0 means no bound.
    pub max_waiting: u32,
    /// Whether a request joins the batch only if its whole prompt fits in the free KV blocks (vLLM: `scheduler_reserve_full_isl`); blocks that running prompts still need count as taken. With false its first chunk is enough. Left out: true, and false with `compat: "blis"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve_full_prompt: Option<bool>,
    /// Share of the KV blocks that stay free when a request joins a batch that is not empty, from 0 to below 1 (vLLM: `watermark`). Running requests may use them. 0 keeps none free.
    #[serde(skip_serializing_if = "is_nothing")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = 0.0)))]
    pub watermark: f64,
    /// Whether a running request that finds no block takes those of another, which is computed again later, as vLLM does. With false it waits a step and nothing joins; only where no request can go on the latest one makes room.
    #[serde(skip_serializing_if = "is_set")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    pub preemption: bool,
    /// Who makes room, of the requests that the step has not served yet.
    #[serde(skip_serializing_if = "PreemptionVictim::is_latest")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = "latest")))]
    pub victim: PreemptionVictim,
    /// Order of the wait queue.
    pub scheduler: Scheduler,
    /// Priority of a waiting request; only priority schedulers read it.
    pub priority: PriorityPolicy,
    /// Speculative decoding. Left out: a step yields one token of each decoding request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speculative: Option<Speculative>,
}

fields! {
    struct BatchLimits {
        max_num_seqs: "Max sequences" in [1, limits::BATCH]
            or "use \"auto\" for what vLLM chooses on this GPU" first 256 => BatchSize;
        max_num_batched_tokens: "Token budget" of "tokens" in [1, limits::STEP_TOKENS]
            or "use \"auto\" for what vLLM chooses on this GPU" first 8192 => BatchSize;
        long_prefill_threshold_tokens: "Prefill chunk" of "tokens" in [0, limits::STEP_TOKENS]
            or "use 0 for no limit besides the token budget" => Steps;
        max_waiting: "Max waiting" in [0, limits::IN_FLIGHT]
            or "use 0 for a queue without a bound" => QueueBound;
        reserve_full_prompt: "Whole prompt" => Steps;
        watermark: "Watermark" in [0.0, limits::WATERMARK] or "it is a share of the KV blocks, such as 0.01" => Steps;
        preemption: "Preemption" => Steps;
        victim: "Makes room" => Steps;
        scheduler: "Scheduler" => QueueOrder;
        priority: "Priority" => QueueJoin;
        speculative: "Speculation" => Replace;
    }
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self {
            max_num_seqs: BatchLimit::Auto,
            max_num_batched_tokens: BatchLimit::Auto,
            long_prefill_threshold_tokens: 0,
            max_waiting: 0,
            reserve_full_prompt: None,
            watermark: 0.0,
            preemption: true,
            victim: PreemptionVictim::Latest,
            scheduler: Scheduler::Fcfs,
            priority: PriorityPolicy::Constant,
            speculative: None,
        }
    }
}

impl BatchLimits {
    /// Whether whole prompts have to fit.
    pub fn reserves_full_prompt(&self, compat: Compat) -> bool {
        self.reserve_full_prompt.unwrap_or(compat == Compat::None)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_set(on: &bool) -> bool {
    *on
}

// A reference is smaller than the number in WebAssembly alone.
#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")
)]
fn is_nothing(share: &f64) -> bool {
    *share <= 0.0
}
