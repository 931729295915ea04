//! From which replica blocks of a request's prompt are pulled: asked before its routing decision, and told after it.

use super::around::Around;
use super::state::Gateway;
use crate::facts::{Sink, TierNews};
use crate::policy::kv_source::{Servable, choose, draw_of};
use crate::request::Slot;
use base::{Micros, ReplicaId, RequestId};

/// A replica that has a beginning of a prompt, and how many tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    replica: ReplicaId,
    tokens: u64,
}

impl Gateway {
    /// The replica that has most of a request's prompt in CPU memory, or nearly so, on whatever replica it is computed; `pools` serve its
    /// model.
    pub(super) fn peer_of(slot: Slot, pools: u64, around: &mut Around<'_>) -> Option<Peer> {
        let lower = around.fleet.lower.as_ref()?;
        lower.sources.lead_tokens?;
        let request = around.book.active()[slot].id;
        let draw = lower.sources.draw(around.book.here(request).listed).unwrap_or_else(|| draw_of(request.0));
        let mut all = Vec::new();
        for index in 0..around.fleet.replicas().len() {
            let r = &around.fleet.replicas()[index];
            let (replica, waiting) = (r.id(), r.waiting());
            let has_peers = around.fleet.lower.as_ref().is_some_and(|lower| lower.has_peers(replica));
            let is_up = r.lends_blocks() || r.kv().is_loss_hidden();
            if !has_peers || !is_up || pools >> r.pool() & 1 == 0 {
                continue;
            }
            let block = u64::from(r.kv().block_tokens());
            let tokens = leading_tokens(slot, replica, false, around);
            all.push(Servable { replica, tokens, block, waiting });
        }
        choose(&all, draw).map(|found| Peer { replica: found.replica, tokens: found.tokens })
    }

    /// A request goes to `chosen`: whether blocks are pulled for it, and from where.
    pub(super) fn tell_source<S: Sink>(
        slot: Slot,
        (peer, chosen): (Option<Peer>, ReplicaId),
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let Some(lower) = &around.fleet.lower else { return };
        let (lead, request) = (lower.sources.lead_tokens, around.book.active()[slot].id);
        let pulls = |peer: &Peer| {
            peer.replica != chosen && lower.has_peers(chosen) && lower.are_alike(chosen, peer.replica)
        };
        let mut source = peer.filter(pulls);
        if let Some((peer, lead)) = source.zip(lead) {
            let own = leading_tokens(slot, chosen, true, around);
            if peer.tokens < own + u64::from(lead) {
                source = None;
            }
        }
        let from = source.map(|peer| peer.replica);
        if let Some(lower) = &mut around.fleet.lower {
            lower.sources.set(request, from);
        }
        if let Some(from) = from {
            sink.tiers(around.now, TierNews::Source { request, from });
        }
    }

    /// A request has left the system: nothing is pulled for it.
    pub(super) fn forget_source(request: RequestId, around: &mut Around<'_>) {
        if let Some(lower) = &mut around.fleet.lower {
            lower.sources.set(request, None);
        }
    }
}

/// Leading tokens of a request's prompt in whole blocks of a replica's CPU memory, or on its GPU where that counts too.
fn leading_tokens(slot: Slot, replica: ReplicaId, with_gpu: bool, around: &mut Around<'_>) -> u64 {
    let now: Micros = around.now;
    let active = &around.book.active()[slot];
    let r = &mut around.fleet.replicas_mut()[replica.index()];
    let block = r.kv().block_tokens();
    let chain = active.text.chain(block, active.prompt_tokens / block);
    u64::from(r.leading(&chain, with_gpu, now)) * u64::from(block)
}
