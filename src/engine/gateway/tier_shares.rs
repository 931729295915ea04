//! What the tiers of each replica have of a prompt, for routers that ask: determined before the decision, as a look lets go of what was
//! not used for too long.

use super::around::Around;
use super::state::Gateway;
use crate::facts::Stage;
use crate::network::TierKind;
use crate::policy::routing::TierPrefix;
use crate::request::Slot;
use base::ReplicaId;

impl Gateway {
    /// Looks at the tiers of all replicas, if the router of this stage asks for that.
    pub(super) fn look_at_tiers(&mut self, slot: Slot, stage: Stage, around: &mut Around<'_>) {
        let router = match (stage, &self.roles) {
            (Stage::Prefill, Some(roles)) => &roles.router,
            (Stage::Home | Stage::Prefill, _) => &self.router,
        };
        self.tier_shares.clear();
        if router.asks_disks() && around.fleet.has_lower() {
            for index in 0..around.fleet.replicas().len() {
                self.tier_shares.push(disk_share(slot, ReplicaId(index as u32), around));
            }
        }
        let Some(worth) = router.tier_prefix() else { return };
        for index in 0..around.fleet.replicas().len() {
            self.tier_shares.push(tier_share(slot, ReplicaId(index as u32), worth, around));
        }
    }
}

/// The share of a prompt's full blocks that only the disks of a replica have, after those in its cache and in CPU memory.
fn disk_share(slot: Slot, replica: ReplicaId, around: &mut Around<'_>) -> f64 {
    let now = around.now;
    let active = &around.book.active()[slot];
    let (r, lower) = around.fleet.replica_and_lower(replica);
    let Some(lower) = lower.filter(|lower| lower.has_disk(replica)) else { return 0.0 };
    let block = r.kv().block_tokens();
    let full = active.prompt_tokens / block;
    let chain = active.text.chain(block, active.shareable.min(active.prompt_tokens) / block);
    let cached = r.kv().shown(&chain, now);
    let below = r.kv().shown_below(&chain[cached as usize..], now);
    let rest = &chain[(cached + below) as usize..];
    let is_there = |hash: &&u64| lower.shows(replica, **hash, now) == Some(TierKind::Disk);
    let there = rest.iter().take_while(is_there).count();
    if there == 0 { 0.0 } else { there as f64 / f64::from(full) }
}

/// What the leading blocks of a prompt are worth to a replica, over all.
fn tier_share(slot: Slot, replica: ReplicaId, worth: TierPrefix, around: &mut Around<'_>) -> f64 {
    let now = around.now;
    let active = &around.book.active()[slot];
    let (r, lower) = around.fleet.replica_and_lower(replica);
    let block = r.kv().block_tokens();
    let chain = active.text.chain(block, active.prompt_tokens / block);
    r.tell_time(now);
    let mut sum = 0.0;
    let mut lower = lower;
    for &hash in &chain {
        let is_below = r.shows_below(hash, now);
        sum += if r.kv().shows(hash, now) {
            worth.gpu
        } else if is_below {
            worth.cpu
        } else {
            let found = lower.as_deref_mut().and_then(|lower| lower.shows(replica, hash, now));
            match found {
                Some(TierKind::Disk) => worth.disk,
                Some(TierKind::Store) => worth.store,
                None => break,
            }
        };
    }
    if chain.is_empty() { 0.0 } else { sum / chain.len() as f64 }
}
