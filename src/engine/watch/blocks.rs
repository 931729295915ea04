//! Who holds the blocks of a replica, and whose texts are there.

use super::packed::{Of, holders, table};
use crate::policy::routing::RouterState;
use crate::replica::Stranded;
use crate::{Cluster, Replica};
use base::{Content, RequestId};

/// Why a request holds blocks of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldFor {
    /// It is there.
    Itself,
    /// It is on its way from there: they are held until its KV has landed at its home. Or its home is lost, and nobody fetches them.
    HandOver,
    /// It is on its way to there: they are set aside for its KV.
    Arrival,
}

/// The blocks of a replica that a request holds.
#[derive(Clone, Copy, Debug)]
pub struct HeldBlocks<'a> {
    /// Which request.
    pub request: RequestId,
    /// Why.
    pub why: HeldFor,
    /// Their numbers, in order of its tokens.
    pub blocks: &'a [u32],
    /// Tokens that they hold, now or once its KV has landed.
    pub tokens: u32,
}

/// What a request in the system computes.
#[derive(Clone, Copy, Debug)]
pub struct RequestText<'a> {
    /// Prompt and answer.
    pub text: &'a Content,
    /// Tokens of the prompt, with those made before a preemption.
    pub prefill: u32,
}

impl Cluster {
    /// The requests that hold blocks of a replica, in order of batch, queue, landing and hand-over.
    pub fn held_blocks<'a>(&'a self, replica: &'a Replica) -> Vec<HeldBlocks<'a>> {
        let slab = self.book.active();
        let held = |(slot, of)| {
            let active = &slab[slot];
            let table = table(active, of);
            let why = match of {
                Of::Own => HeldFor::Itself,
                Of::Held => HeldFor::HandOver,
                Of::Reserved => HeldFor::Arrival,
            };
            let grown =
                if of == Of::Own && active.decoding { active.counts(replica.decoders.ticks).0 } else { 0 };
            HeldBlocks { request: active.id, why, blocks: table.blocks(), tokens: table.tokens().max(grown) }
        };
        let stranded = replica.moving.stranded.iter().map(Stranded::sight);
        let stranded = stranded.map(|(request, held)| HeldBlocks {
            request,
            why: HeldFor::HandOver,
            blocks: held.blocks(),
            tokens: held.tokens(),
        });
        let all = holders(replica, slab).into_iter().map(held).chain(stranded);
        all.filter(|held| !held.blocks.is_empty()).collect()
    }

    /// What a request computes; `None` once it has left.
    pub fn text_of(&self, request: RequestId) -> Option<RequestText<'_>> {
        let record = self.records().get(request.index())?;
        let active = self.book.active().get(record.slot)?;
        Some(RequestText { text: &active.text, prefill: active.prefill.max(active.prompt_tokens) })
    }

    /// The router that chooses a replica: for prompts of others where it prefills for them.
    pub fn router_of(&self, replica: &Replica) -> &RouterState {
        self.gateway.router_of(replica.pool())
    }

    /// Bytes of one token in the caches of a replica's GPUs together; none if the model's shape is not known.
    pub fn kv_bytes_per_token(&self, replica: &Replica) -> Option<u64> {
        self.fleet.blueprint(replica.pool()).resolved.kv_bytes_per_token
    }
}
