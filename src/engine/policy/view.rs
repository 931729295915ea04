//! The views that policies get. They do not contain the true output length of a request.

use base::{Content, Micros, ReplicaId, RequestId};
use document::SloClass;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;

/// The phase of a replica's life. Only a serving replica gets new requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReplicaPhase {
    /// It waits for GPUs and loads its weights.
    Starting,
    /// It runs its first steps, without requests of users.
    WarmingUp,
    /// It takes new requests.
    Serving,
    /// It finishes what it has and takes no more.
    Draining,
    /// It has finished and no longer exists; it may start again.
    Stopped,
    /// It failed and lost its requests; it may start again.
    Failed,
    /// It serves, and routers leave it out. Only routers see this phase.
    Ejected,
}

impl ReplicaPhase {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Starting,
        Self::WarmingUp,
        Self::Serving,
        Self::Draining,
        Self::Stopped,
        Self::Failed,
        Self::Ejected,
    ];

    /// Whether a replica can go from this phase to `next`.
    pub fn leads_to(self, next: Self) -> bool {
        match self {
            Self::Starting => matches!(next, Self::WarmingUp | Self::Serving | Self::Stopped | Self::Failed),
            Self::WarmingUp => matches!(next, Self::Serving | Self::Stopped | Self::Failed),
            Self::Serving => matches!(next, Self::Draining | Self::Failed),
            Self::Draining => matches!(next, Self::Serving | Self::Stopped | Self::Failed),
            Self::Stopped | Self::Failed => matches!(next, Self::Starting),
            Self::Ejected => false,
        }
    }
}

/// One replica as the gateway sees it: possibly out of date, but for `in_flight` and `phase`. Values common to all
/// replicas of its pool are in its [`PoolView`], so that this view stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaView {
    /// Which replica.
    pub id: ReplicaId,
    /// Number of its pool.
    pub pool: u32,
    /// Its phase. Always fresh.
    pub phase: ReplicaPhase,
    /// Requests in its wait queue.
    pub waiting: u32,
    /// Requests in its batch.
    pub running: u32,
    /// Requests sent there that have not left. Always fresh.
    pub in_flight: u32,
    /// KV blocks in use.
    pub kv_used: u32,
    /// KV blocks in all.
    pub kv_total: u32,
}

impl ReplicaView {
    /// A replica of a pool without observations so far.
    pub fn unseen(id: ReplicaId, pool: u32) -> Self {
        let phase = ReplicaPhase::Starting;
        Self { id, pool, phase, waiting: 0, running: 0, in_flight: 0, kv_used: 0, kv_total: 0 }
    }

    /// Waiting + running + in flight. By definition, running and waiting requests are also in flight and count twice.
    pub fn load(&self) -> u32 {
        self.waiting + self.running + self.in_flight
    }

    /// Share of KV blocks in use, 0 to 1.
    pub fn kv_use(&self) -> f64 {
        if self.kv_total == 0 { 0.0 } else { f64::from(self.kv_used) / f64::from(self.kv_total) }
    }
}

/// Signals of a replica that few routers use, kept apart from the views so that these stay small. As old as the
/// views, except `tokens_in_flight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// Prompt tokens of requests in flight. Always fresh.
    pub tokens_in_flight: u64,
    /// Tokens to prefill of the requests in its wait queue, cached or not.
    pub waiting_tokens: u64,
    /// Cached share of the tokens to prefill of requests that recently joined its batch, 0 to 1.
    pub hit_rate: f64,
    /// Recent mean of the times to first token, in microseconds.
    pub ttft_us: Option<u64>,
    /// Recent mean of the times per output token, in microseconds.
    pub tpot_us: Option<u64>,
    /// Recent mean of the times between completions while it was busy, in microseconds.
    pub gap_us: Option<u64>,
    /// Requests that it has completed.
    pub served: u64,
    /// Since when it has been idle; [`Micros::MAX`] while it is busy.
    pub idle_since: Micros,
}

/// The adapters of a replica, as old as its view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterView {
    /// Adapters of requests in its batch, in order of number.
    pub running: Vec<u32>,
    /// Adapters of requests in its wait queue, in order of number.
    pub waiting: Vec<u32>,
}

impl AdapterView {
    /// How many different adapters there are.
    pub fn different(&self) -> u32 {
        let more = self.waiting.iter().filter(|a| !self.running.contains(a)).count();
        (self.running.len() + more) as u32
    }
}

/// The view of a pool: values common to its replicas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolView {
    /// Number of the model it serves. Pools with the same model have the same number; 0 is no model.
    pub model: u32,
    /// Price of one replica in US dollars per hour; 0 if unknown.
    pub usd_per_hour: f64,
    /// Tokens in one of its KV blocks.
    pub block_tokens: u32,
    /// Most requests in the wait queue of a replica; 0 for no limit.
    pub max_waiting: u32,
    /// Most tokens in one step of a replica.
    pub step_tokens: u32,
    /// Most requests in the batch of a replica.
    pub max_running: u32,
    /// Most different adapters in the batch of a replica; 0 if it serves none.
    pub max_loras: u32,
    /// Prompt tokens per second of one of its replicas in full steps of prompt tokens.
    pub peak_prefill_tokens_per_s: f64,
}

impl PoolView {
    /// Time until a further request would have a place in the batch of a replica of the pool, in microseconds: the
    /// requests before it that have none, times the recent time between completions. 0 before any completion.
    pub fn wait_us(&self, view: &ReplicaView, signals: &Signals) -> f64 {
        let before =
            (u64::from(view.waiting) + u64::from(view.running) + 1).saturating_sub(self.max_running.into());
        before as f64 * signals.gap_us.unwrap_or(0) as f64
    }

    /// Whether a wait queue of `waiting` requests is full.
    pub fn is_full(&self, waiting: u32) -> bool {
        self.max_waiting > 0 && waiting >= self.max_waiting
    }
}

/// A request as a policy sees it.
#[derive(Clone, Debug)]
pub struct RequestView<'a> {
    /// Which request.
    pub id: RequestId,
    /// When the decision is made.
    pub now: Micros,
    /// Its tenant.
    pub tenant: u32,
    /// Its conversation; 0 for a request without one.
    pub session: u32,
    /// Its SLO class: 1 for critical to 5 for background; 0 for any other.
    pub class: u32,
    /// Number of its model; 0 for any. Only replicas that serve it are candidates.
    pub model: u32,
    /// Number of its adapter; 0 for the base model.
    pub adapter: u32,
    /// Its prompt's length in tokens.
    pub prompt_tokens: u32,
    /// Its objectives of TTFT and TPOT, in milliseconds; 0 for none.
    pub targets: [f64; 2],
    /// Requests of its tenant that were let in and have not left, itself among them.
    pub tenant_in_flight: u32,
    /// The prompt and its continuation; private, because policies must not see the latter.
    text: &'a Content,
    chains: OnceCell<Chain>,
}

/// The hashes for one block size, then those for the next requested size.
#[derive(Clone, Debug)]
struct Chain {
    block_tokens: u32,
    hashes: Vec<u64>,
    next: OnceCell<Box<Self>>,
}

impl<'a> RequestView<'a> {
    /// A request of `prompt_tokens` tokens, the first of `text`, at `now`; of tenant 0, without a session, for any
    /// model.
    pub fn new(id: RequestId, now: Micros, text: &'a Content, prompt_tokens: u32) -> Self {
        Self {
            id,
            now,
            tenant: 0,
            session: 0,
            class: 0,
            model: 0,
            adapter: 0,
            prompt_tokens,
            targets: [0.0; 2],
            tenant_in_flight: 0,
            text,
            chains: OnceCell::new(),
        }
    }

    /// The same request with a tenant, a session and a model.
    #[must_use]
    pub fn of(mut self, tenant: u32, session: u32, model: u32) -> Self {
        self.tenant = tenant;
        self.session = session;
        self.model = model;
        self
    }

    /// The same request with an adapter.
    #[must_use]
    pub fn with_adapter(mut self, adapter: u32) -> Self {
        self.adapter = adapter;
        self
    }

    /// The same request with the number of an SLO class; numbers above those of the known classes are 0.
    #[must_use]
    pub fn in_class(mut self, class: u32) -> Self {
        self.class = if class as usize <= SloClass::ALL.len() { class } else { 0 };
        self
    }

    /// The same request with its tenant's requests in flight.
    #[must_use]
    pub fn among(mut self, tenant_in_flight: u32) -> Self {
        self.tenant_in_flight = tenant_in_flight;
        self
    }

    /// The same request with objectives.
    #[must_use]
    pub fn aiming_at(mut self, targets: [f64; 2]) -> Self {
        self.targets = targets;
        self
    }

    /// How many full blocks of `block_tokens` tokens its prompt has.
    pub fn full_blocks(&self, block_tokens: u32) -> u32 {
        self.prompt_tokens / block_tokens
    }

    /// Leading tokens of its prompt that another request could share. The tokens after them are a text that occurs
    /// once.
    pub fn shareable_tokens(&self) -> u32 {
        self.text.shareable().min(self.prompt_tokens)
    }

    /// The chained hashes of the leading full blocks of `block_tokens` tokens that another request could share. They
    /// are computed once for each requested size.
    pub fn chain(&self, block_tokens: u32) -> &[u64] {
        let mut link = self.chains.get_or_init(|| self.chain_of(block_tokens));
        while link.block_tokens != block_tokens {
            link = link.next.get_or_init(|| Box::new(self.chain_of(block_tokens)));
        }
        &link.hashes
    }

    fn chain_of(&self, block_tokens: u32) -> Chain {
        let hashes = self.text.chain(block_tokens, self.shareable_tokens() / block_tokens);
        Chain { block_tokens, hashes, next: OnceCell::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::ReplicaPhase::{self, Draining, Failed, Serving, Starting, Stopped, WarmingUp};

    #[test]
    fn a_replica_serves_after_it_started_and_stops_after_it_drained() {
        let before =
            |phase| ReplicaPhase::ALL.into_iter().filter(move |p| p.leads_to(phase)).collect::<Vec<_>>();
        assert_eq!(before(Serving), [Starting, WarmingUp, Draining]);
        assert_eq!(before(Stopped), [Starting, WarmingUp, Draining]);
        assert_eq!(before(Draining), [Serving]);
        assert_eq!(before(Starting), [Stopped, Failed]);
        assert_eq!(before(Failed), [Starting, WarmingUp, Serving, Draining]);
        assert_eq!(before(ReplicaPhase::Ejected), []);
    }
}
