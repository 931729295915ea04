//! The view of an autoscaler on its pool: measurements, taken some time ago and averaged over a window, and the
//! present numbers of replicas.

use super::saturation_v1::ReplicaLoad;
use base::Micros;
use document::Counted;

/// A replica that serves, as measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Share of KV blocks in use.
    pub kv: f64,
    /// Tokens in KV blocks in use.
    pub kv_tokens: f64,
    /// Share of the batch in use.
    pub batch: f64,
    /// Requests in its wait queue.
    pub waiting: f64,
    /// Requests in its batch.
    pub running: f64,
    /// Requests per second that arrived there.
    pub rate_per_s: f64,
    /// Mean prompt of these requests, in tokens; 0 if there were none.
    pub input_tokens: f64,
    /// Mean answer of the requests that it finished, in tokens; 0 if there were none.
    pub output_tokens: f64,
    /// Mean time to first token of the requests that it finished, in milliseconds; 0 if there were none.
    pub ttft_ms: f64,
    /// Mean time between tokens of these, in milliseconds; 0 if there were none.
    pub itl_ms: f64,
    /// How long it had served, in seconds.
    pub ready_s: f64,
    /// Prompt tokens that were sent there and are not computed yet; of waiting prompts without the recent cached share.
    pub backlog_tokens: f64,
}

/// A request that finished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finished {
    /// Its time to first token and time per output token, in milliseconds.
    pub ms: [f64; 2],
    /// Whether it met the objectives of its class.
    pub met: bool,
}

impl Measured {
    /// The replica as input of the first saturation analyser.
    pub(super) fn replica_load(&self) -> ReplicaLoad {
        ReplicaLoad { kv: self.kv, queue: self.waiting }
    }

    /// The larger of the shares of KV blocks and of the batch in use.
    pub fn utilization(&self) -> f64 {
        self.kv.max(self.batch)
    }
}

/// A pool as its autoscaler sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoolSight {
    /// Now.
    pub now: Micros,
    /// When the latest visible measurement was taken; `None` if there is none yet.
    pub seen_at: Option<Micros>,
    /// Replicas that serve now.
    pub ready: u32,
    /// Replicas that start or wait for room.
    pub pending: u32,
    /// Replicas that drain.
    pub draining: u32,
    /// Replicas that serve and have been measured, in order.
    pub measured: Vec<Measured>,
    /// Requests held at the gateway for the pool, as measured.
    pub held: f64,
    /// Requests per second that arrived for the pool, held ones included.
    pub rate_per_s: f64,
    /// Tokens that a replica's KV cache holds.
    pub kv_capacity_tokens: f64,
    /// Most requests in a batch.
    pub max_batch: u32,
    /// Price of one replica in US dollars per hour; 0 if unknown.
    pub usd_per_hour: f64,
    /// Future requests per second, for the oracle.
    pub future_per_s: f64,
    /// Requests that waited at the gateway, as measured: held ones and those delayed by admission.
    pub at_gateway: f64,
    /// Prompt tokens per second of a replica in full steps of prompt tokens.
    pub peak_prefill_tokens_per_s: f64,
    /// Requests that finished in the window, for policies that want to know them.
    pub finished: Vec<Finished>,
}

impl PoolSight {
    /// Replicas present and starting: the number that a decision changes.
    pub fn current(&self) -> u32 {
        self.ready + self.pending
    }

    /// The replicas that a ratio of load multiplies.
    pub(super) fn counted(&self, counted: Counted) -> u32 {
        match counted {
            Counted::Present => self.current(),
            Counted::Ready => self.ready,
        }
    }

    /// A mean over the replicas that were measured; 0 without any.
    pub fn mean(&self, of: impl Fn(&Measured) -> f64) -> f64 {
        if self.measured.is_empty() { 0.0 } else { self.sum(of) / self.measured.len() as f64 }
    }

    /// A sum over the replicas that were measured.
    pub fn sum(&self, of: impl Fn(&Measured) -> f64) -> f64 {
        self.measured.iter().map(of).sum()
    }

    /// Saturation of the pool as the default detector of llm-d's router has it, with 5 requests and 80 % as its thresholds.
    pub fn saturation(&self) -> f64 {
        self.mean(|r| {
            let (queue, kv) = (r.waiting / 5.0, r.kv / 0.8);
            if kv > queue { kv } else { queue }
        })
    }

    /// Share of the finished requests that missed an objective; 0 without any.
    pub fn missed(&self) -> f64 {
        let missed = self.finished.iter().filter(|f| !f.met).count();
        if missed == 0 { 0.0 } else { missed as f64 / self.finished.len() as f64 }
    }

    /// Requests waiting at replicas and at the gateway.
    pub fn queued(&self) -> f64 {
        self.sum(|r| r.waiting) + self.held
    }

    /// Mean prompt and mean answer of its requests, in tokens.
    pub(super) fn mean_size(&self) -> [f64; 2] {
        [self.mean_by_rate(|r| r.input_tokens), self.mean_by_rate(|r| r.output_tokens)]
    }

    /// A mean over the replicas, weighted by their rates; unweighted without arrivals.
    pub fn mean_by_rate(&self, of: impl Fn(&Measured) -> f64) -> f64 {
        let counted = || self.measured.iter().filter(|r| of(r) > 0.0 && r.rate_per_s > 0.0);
        let weight: f64 = counted().map(|r| r.rate_per_s).sum();
        if weight > 0.0 { counted().map(|r| r.rate_per_s * of(r)).sum::<f64>() / weight } else { 0.0 }
    }
}
