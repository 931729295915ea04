//! The engine's settings: how large a batch is, who is admitted to it, and in which order.

use crate::table::fields::fields;
use crate::table::number_or_auto::number_or_auto;
use crate::types::cluster::batch_limit::BatchLimit;
use crate::types::cluster::scheduling::{PreemptionVictim, PriorityPolicy, Scheduler};
use crate::{Compat, Speculative, limits};

/// Batch limits of the engine; names as in vLLM.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
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
    pub reserve_full_prompt: Option<bool>,
    /// Share of the KV blocks that stay free when a request joins a batch that is not empty, from 0 to below 1 (vLLM: `watermark`). Running requests may use them. 0 keeps none free.
    pub watermark: f64,
    /// Whether a running request that finds no block takes those of another, which is computed again later, as vLLM does. With false it waits a step and nothing joins; only where no request can go on the latest one makes room.
    pub preemption: bool,
    /// Who makes room, of the requests that the step has not served yet.
    pub victim: PreemptionVictim,
    /// Order of the wait queue.
    pub scheduler: Scheduler,
    /// Priority of a waiting request; only priority schedulers read it.
    pub priority: PriorityPolicy,
    /// Speculative decoding. Left out: a step yields one token of each decoding request.
    pub speculative: Option<Speculative>,
    /// How much longer a step takes for which the engine has no recorded graph, in microseconds: one of at most 512 tokens whose requests do not all have the same number of tokens. Where ranks step together, a step of one rank like that counts for all of them. "auto" is the model's layers times `step_us_per_layer_without_graph` of calibrated latency.
    pub mixed_step_us: MixedStep,
}

/// What a step without a recorded graph takes longer: a number of microseconds, or "auto".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MixedStep {
    /// What the calibrated latency model has for it.
    Auto,
    /// That many microseconds.
    Count(u32),
}

number_or_auto! { MixedStep: "a number of microseconds or \"auto\"", "What the calibrated latency model has for it.", "This many microseconds." }

impl Default for MixedStep {
    fn default() -> Self {
        Self::Count(0)
    }
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
        reserve_full_prompt [omit]: "Whole prompt" => Steps;
        watermark [omit]: "Watermark" in [0.0, limits::WATERMARK] or "it is a share of the KV blocks, such as 0.01" => Steps;
        preemption [omit]: "Preemption" => Steps;
        victim [omit]: "Makes room" => Steps;
        scheduler: "Scheduler" => QueueOrder;
        priority: "Priority" => QueueJoin;
        speculative [omit]: "Speculation" => Replace;
        mixed_step_us [omit]: "Without a graph" of "µs" in [0, limits::MIXED_STEP_US]
            or "use 0 where every step has a recorded graph" and { "x-form": ["ms", 1000], "x-first": 1000 } => Steps;
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
            mixed_step_us: MixedStep::default(),
        }
    }
}

impl BatchLimits {
    /// Whether whole prompts have to fit.
    pub fn reserves_full_prompt(&self, compat: Compat) -> bool {
        self.reserve_full_prompt.unwrap_or(compat == Compat::None)
    }
}
