//! Tiers of the KV cache below CPU memory: what was read from each and written to it.

use engine::kv::Place;
use engine::{Cluster, LowerTiers, Replica};
use serde::Serialize;

/// A tier below CPU memory of a pool's replicas together, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KvTierPart {
    /// Name of the pool.
    pub pool: String,
    /// `fs`, `p2p`, or the name of the store.
    pub tier: String,
    /// Blocks read from it: of `p2p`, pulled.
    pub read_blocks: u64,
    /// Their bytes, in GB.
    pub read_gb: f64,
    /// Blocks written to it.
    pub written_blocks: u64,
    /// Their bytes, in GB.
    pub written_gb: f64,
    /// Reads and writes that failed.
    pub failed_flows: u64,
    /// Blocks that wait to be written to it now.
    pub waiting_blocks: u64,
    /// What is in it; missing for `p2p`. Of a store it is what all pools have there.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<KvPlacePart>,
}

/// A place below CPU memory: the disks of a pool's replicas together, or a store.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KvPlacePart {
    /// Blocks in it now.
    pub blocks: u64,
    /// Blocks looked up.
    pub lookups: u64,
    /// Of these found.
    pub found: u64,
    /// Blocks that found no room.
    pub refused: u64,
    /// Blocks that made room for others.
    pub evicted: u64,
    /// Blocks that were not used for longer than they are kept.
    pub expired: u64,
}

impl KvPlacePart {
    fn add(&mut self, place: &Place) {
        let counts = place.counts();
        self.blocks += place.len();
        self.lookups += counts.lookups;
        self.found += counts.found;
        self.refused += counts.refused;
        self.evicted += counts.evicted;
        self.expired += counts.expired;
    }
}

/// The tiers below CPU memory by pool, in order; none where no replica has any.
pub(super) fn kv_tiers(pools: &[String], engine: &Cluster) -> Vec<KvTierPart> {
    let Some(lower) = engine.lower_tiers() else { return Vec::new() };
    let mut all = Vec::new();
    for (number, pool) in (0..).zip(pools) {
        let mut tiers: Vec<KvTierPart> = Vec::new();
        for replica in engine.replicas().iter().filter(|r| r.pool() == number) {
            for tier in 0..lower.tiers(replica.id()) {
                add(&mut tiers, pool, (replica, tier), lower);
            }
        }
        all.append(&mut tiers);
    }
    all
}

fn add(tiers: &mut Vec<KvTierPart>, pool: &str, (replica, tier): (&Replica, u32), lower: &LowerTiers) {
    let (id, place) = (replica.id(), lower.place(replica.id(), tier));
    let (store, name) = (lower.store_of(id, tier), lower.name_of(id, tier));
    let at = tiers.iter().position(|part| part.tier == name).unwrap_or_else(|| {
        let place = place.map(|_| KvPlacePart::default());
        tiers.push(KvTierPart {
            pool: pool.to_owned(),
            tier: name.to_owned(),
            place,
            ..KvTierPart::default()
        });
        tiers.len() - 1
    });
    let (part, counts) = (&mut tiers[at], lower.counts(id, tier));
    let gb = |blocks: u64| (blocks * lower.block_bytes(id)) as f64 / 1e9;
    part.read_blocks += counts.read;
    part.read_gb += gb(counts.read);
    part.written_blocks += counts.written;
    part.written_gb += gb(counts.written);
    part.failed_flows += counts.failed;
    part.waiting_blocks += u64::from(replica.kv().waiting_to_write(tier));
    let Some((sum, place)) = part.place.as_mut().zip(place) else { return };
    if store.is_some() {
        *sum = KvPlacePart::default();
    }
    sum.add(place);
}
