//! What a policy may know. The true output length of a request is not in here.

use crate::base::{Content, Micros, ReplicaId, RequestId};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;

/// One replica as the gateway sees it: possibly out of date, but for `in_flight`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaView {
    /// Which replica.
    pub id: ReplicaId,
    /// Requests in its wait queue.
    pub waiting: u32,
    /// Requests in its batch.
    pub running: u32,
    /// Requests sent there that have neither finished nor been dropped. Always fresh.
    pub in_flight: u32,
    /// KV blocks in use.
    pub kv_used: u32,
    /// KV blocks in all.
    pub kv_total: u32,
}

impl ReplicaView {
    /// A replica of which nothing has been seen yet.
    pub fn unseen(id: ReplicaId) -> Self {
        Self { id, waiting: 0, running: 0, in_flight: 0, kv_used: 0, kv_total: 0 }
    }

    /// Waiting + running + in flight. What runs or waits is also in flight and counts twice, by definition.
    pub fn load(&self) -> u32 {
        self.waiting + self.running + self.in_flight
    }

    /// Share of KV blocks in use, 0 to 1.
    pub fn kv_use(&self) -> f64 {
        if self.kv_total == 0 { 0.0 } else { f64::from(self.kv_used) / f64::from(self.kv_total) }
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
    /// The conversation it belongs to; 0 for a request that stands alone.
    pub session: u32,
    /// Its prompt's length in tokens.
    pub prompt_tokens: u32,
    /// Tokens in a block, as the gateway counts them: those of the first pool.
    block_tokens: u32,
    /// The prompt and what may follow it, which is why it is private.
    text: &'a Content,
    chain: OnceCell<Vec<u64>>,
}

impl<'a> RequestView<'a> {
    /// A request of `prompt_tokens` tokens, the first of `text`, at `now`; it belongs to tenant 0 and no session.
    pub fn new(id: RequestId, now: Micros, text: &'a Content, prompt_tokens: u32, block_tokens: u32) -> Self {
        Self { id, now, tenant: 0, session: 0, prompt_tokens, block_tokens, text, chain: OnceCell::new() }
    }

    /// The same request of a tenant and a session.
    #[must_use]
    pub fn of(mut self, tenant: u32, session: u32) -> Self {
        self.tenant = tenant;
        self.session = session;
        self
    }

    /// How many full blocks its prompt has.
    pub fn full_blocks(&self) -> u32 {
        self.prompt_tokens / self.block_tokens
    }

    /// The chained hashes of the leading full blocks of its prompt that any other request could share. Those after them
    /// hold a text that occurs once.
    pub fn chain(&self) -> &[u64] {
        self.chain.get_or_init(|| self.chain_of(self.block_tokens))
    }

    /// The same for blocks of another size.
    pub fn chain_of(&self, block_tokens: u32) -> Vec<u64> {
        let shareable = self.text.recurring().min(self.prompt_tokens);
        self.text.chain(block_tokens, shareable / block_tokens)
    }

    /// Tokens in a block, as the gateway counts them.
    pub fn block_tokens(&self) -> u32 {
        self.block_tokens
    }
}
