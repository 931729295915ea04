//! Tiers of the KV cache below the GPU: what was read from each and written to it, and how it served requests.

use super::shares::{in_ms, in_s, share};
use base::Micros;
use base::stats::{Sketch, Summary};
use engine::kv::{Ages, Place};
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
    /// How it served requests.
    pub served: TierServedPart,
}

/// How a tier below the GPU served requests, warm-up included. Percentiles are estimates that are off by less than 0.4 %.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TierServedPart {
    /// Blocks of prompts that came from it. A block counts for the tier that it came from first.
    pub blocks: u64,
    /// Their share of all blocks of prompts of the pool, 0 to 1: what the tier adds to the hit rate.
    pub share: f64,
    /// For how long it was read or written, in seconds, added over replicas.
    pub busy_s: f64,
    /// From asking to having, of requests that waited for blocks of it, in milliseconds.
    pub wait_ms: Summary,
    /// Time since the last use of a block as a request found it, in seconds; empty for `p2p`. Of a store it is all pools'.
    pub age_at_hit_s: Summary,
    /// The same as a block made room for others.
    pub age_at_eviction_s: Summary,
}

/// Blocks of prompts that came from tiers below the GPU of all replicas, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KvLoadsPart {
    /// Share of all blocks of prompts that were on the GPU, 0 to 1.
    pub gpu_share: f64,
    /// Blocks that were loaded to the GPU for requests, those under way included.
    pub loaded_blocks: u64,
    /// Of these, blocks that spared computing.
    pub useful_blocks: u64,
    /// Of these, blocks that were given back before their request joined a batch, as others needed them.
    pub wasted_blocks: u64,
    /// Blocks of the GPU that requests held which load or have loaded and do not run yet, on average over the run.
    pub mean_held_blocks: f64,
    /// Tokens that were computed although a tier had them, as they were not worth their way.
    pub refused_tokens: u64,
    /// Tokens that found no room in CPU memory, or took longer than a request waits.
    pub cut_tokens: u64,
    /// Tokens whose read failed.
    pub failed_tokens: u64,
    /// Share of all blocks of prompts that these three are, 0 to 1.
    pub computed_though_stored_share: f64,
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

/// What is added up of a tier before its figures follow from it.
#[derive(Default)]
struct TierSums {
    blocks: u64,
    busy_us: u64,
    waits: Sketch,
    ages: Ages,
}

impl TierSums {
    /// The figures of prompts with `prompt_blocks` blocks in all.
    fn served(&self, prompt_blocks: u64) -> TierServedPart {
        TierServedPart {
            blocks: self.blocks,
            share: share(self.blocks as f64, prompt_blocks as f64),
            busy_s: self.busy_us as f64 / 1e6,
            wait_ms: in_ms(self.waits.summary()),
            age_at_hit_s: in_s(self.ages.hit.summary()),
            age_at_eviction_s: in_s(self.ages.evicted.summary()),
        }
    }
}

/// Blocks of the prompts that joined batches: those that were found, and those that were computed.
fn prompt_blocks<'a>(replicas: impl Iterator<Item = &'a Replica>) -> u64 {
    let found = |r: &Replica| r.kv().load_counts().map_or(0, |loads| loads.from_gpu + loads.from_below);
    replicas.map(|r| found(r) + r.kv().prompt_misses()).sum()
}

/// How the CPU tiers of all replicas served requests; `None` where there is none, and with that of BLIS.
pub(super) fn cpu_served(engine: &Cluster) -> Option<TierServedPart> {
    let (mut sums, mut any) = (TierSums::default(), false);
    for kv in engine.replicas().iter().map(Replica::kv) {
        let Some((waits, ages)) = kv.cpu_figures() else { continue };
        any = true;
        sums.blocks += kv.load_counts().map_or(0, |loads| loads.from_cpu);
        sums.busy_us += kv.link_busy().0;
        sums.waits.merge(waits);
        sums.ages.merge(ages);
    }
    any.then(|| sums.served(prompt_blocks(engine.replicas().iter())))
}

/// What came from all tiers below the GPU; `None` without any.
pub(super) fn kv_loads(engine: &Cluster) -> Option<KvLoadsPart> {
    let now = engine.last_event_at();
    let (mut p, mut any) = (KvLoadsPart::default(), false);
    let (mut from_gpu, mut held_us, mut stored) = (0, 0, 0);
    for replica in engine.replicas() {
        let Some(loads) = replica.kv().load_counts() else { continue };
        any = true;
        from_gpu += loads.from_gpu;
        p.loaded_blocks += loads.from_below;
        p.wasted_blocks += loads.given_back;
        held_us += loads.held_us(now);
        let Some(lower) = engine.lower_tiers() else { continue };
        let block = u64::from(replica.kv().block_tokens());
        for tier in 0..lower.tiers(replica.id()) {
            let counts = lower.counts(replica.id(), tier);
            p.refused_tokens += counts.refused * block;
            p.cut_tokens += counts.cut * block;
            p.failed_tokens += counts.lost * block;
            stored += counts.refused + counts.cut + counts.lost;
        }
    }
    p.useful_blocks = p.loaded_blocks.saturating_sub(p.wasted_blocks);
    p.mean_held_blocks = share(held_us as f64, now.0 as f64);
    let blocks = prompt_blocks(engine.replicas().iter()) as f64;
    p.gpu_share = share(from_gpu as f64, blocks);
    p.computed_though_stored_share = share(stored as f64, blocks);
    any.then_some(p)
}

/// The tiers below CPU memory by pool, in order; none where no replica has any.
pub(super) fn kv_tiers(pools: &[String], engine: &Cluster) -> Vec<KvTierPart> {
    let Some(lower) = engine.lower_tiers() else { return Vec::new() };
    let (mut all, now) = (Vec::new(), engine.last_event_at());
    for (number, pool) in (0..).zip(pools) {
        let mut tiers: Vec<(KvTierPart, TierSums)> = Vec::new();
        let own = || engine.replicas().iter().filter(move |r| r.pool() == number);
        for replica in own() {
            for tier in 0..lower.tiers(replica.id()) {
                add(&mut tiers, pool, (replica, tier), (lower, now));
            }
        }
        let blocks = prompt_blocks(own());
        all.extend(tiers.into_iter().map(|(part, sums)| KvTierPart { served: sums.served(blocks), ..part }));
    }
    all
}

fn add(
    tiers: &mut Vec<(KvTierPart, TierSums)>,
    pool: &str,
    (replica, tier): (&Replica, u32),
    (lower, now): (&LowerTiers, Micros),
) {
    let (id, place) = (replica.id(), lower.place(replica.id(), tier));
    let (store, name) = (lower.store_of(id, tier), lower.name_of(id, tier));
    let at = tiers.iter().position(|(part, _)| part.tier == name).unwrap_or_else(|| {
        let (place, pool, tier) = (place.map(|_| KvPlacePart::default()), pool.to_owned(), name.to_owned());
        tiers.push((KvTierPart { pool, tier, place, ..KvTierPart::default() }, TierSums::default()));
        tiers.len() - 1
    });
    let ((part, sums), counts) = (&mut tiers[at], lower.counts(id, tier));
    let gb = |blocks: u64| (blocks * lower.block_bytes(id)) as f64 / 1e9;
    part.read_blocks += counts.read;
    part.read_gb += gb(counts.read);
    part.written_blocks += counts.written;
    part.written_gb += gb(counts.written);
    part.failed_flows += counts.failed;
    part.waiting_blocks += u64::from(replica.kv().waiting_to_write(tier));
    sums.blocks += counts.found;
    sums.busy_us += lower.busy(id, tier, now).0;
    sums.waits.merge(lower.waits(id, tier));
    let Some((sum, place)) = part.place.as_mut().zip(place) else { return };
    if store.is_some() {
        *sum = KvPlacePart::default();
        sums.ages = Ages::default();
    }
    sum.add(place);
    sums.ages.merge(place.ages());
}
