//! The part of a report about pools: resolved settings, and sums over the replicas.

use super::measure::{By, MeasurementWindow};
use super::{GroupPart, LoraPart, PoolPart, SpeculativePart, has_price, known_share, share};
use crate::engine::{Cluster, DraftTotals};
use crate::scenario::{Pool, Scenario};

/// All pools, in order.
pub(super) fn pools(scenario: &Scenario, m: &MeasurementWindow<'_>) -> Vec<PoolPart> {
    let engine = m.engine();
    let names: Vec<String> = scenario.cluster.pools.iter().map(|p| p.name.clone()).collect();
    let requests = m.groups(&names, By::Pool).into_parts();
    let part = |((pool, p), requests): ((u32, &Pool), GroupPart)| {
        let [max_num_seqs, max_num_batched_tokens] = engine.batch_limits(pool);
        let mut part = PoolPart {
            name: p.name.clone(),
            requests,
            model: p.model.clone(),
            max_num_seqs,
            max_num_batched_tokens,
            block_tokens: p.kv.block_tokens,
            kv_blocks: engine.kv_blocks(pool),
            usd_per_hour: has_price(engine, pool).then(|| engine.usd_per_hour(pool)),
            usd: has_price(engine, pool).then_some(0.0),
            ..PoolPart::default()
        };
        let (mut hits, mut blocks) = (0, 0);
        let mut drafts = DraftTotals::default();
        for r in engine.replicas().iter().filter(|r| r.pool() == pool) {
            part.replicas += u32::from(r.serving());
            part.completed += r.totals().completed;
            part.usd = part.usd.zip(m.usd_of(r)).map(|(usd, more)| usd + more);
            drafts.add(&r.totals().drafts);
            hits += r.kv().hits();
            blocks += r.kv().hits() + r.kv().prompt_misses();
        }
        part.kv_hit_rate = share(hits as f64, blocks as f64);
        part.lora = lora(engine, pool);
        part.speculative = p.engine.speculative.is_some().then(|| speculative(&drafts));
        part
    };
    (0..).zip(&scenario.cluster.pools).zip(requests).map(part).collect()
}

/// The adapters of a pool's replicas, if it serves any. Replicas that were replaced count too.
fn lora(engine: &Cluster, pool: u32) -> Option<LoraPart> {
    let figures = engine.lora(pool)?;
    let mut p = LoraPart {
        max_loras: figures.slots,
        max_cpu_loras: figures.cpu_slots,
        adapter_mib: figures.bytes / 1_048_576.0,
        ..LoraPart::default()
    };
    let of_pool = engine.replicas().iter().filter(|r| r.pool() == pool);
    for counts in of_pool.filter_map(|r| r.adapter_counts()) {
        p.hits += counts.hits;
        p.cpu_loads += counts.cpu_loads;
        p.disk_loads += counts.disk_loads;
        p.evictions += counts.evictions;
        p.load_s += counts.load_time.0 as f64 / 1e6;
        p.step_s += counts.step_time.0 as f64 / 1e6;
    }
    p.hit_rate = share(p.hits as f64, (p.hits + p.cpu_loads + p.disk_loads) as f64);
    Some(p)
}

fn speculative(drafts: &DraftTotals) -> SpeculativePart {
    let [verifications, verified, accepted] =
        [drafts.verifications, drafts.verified, drafts.accepted].map(|n| n as f64);
    SpeculativePart {
        verifications: drafts.verifications,
        draft_tokens: drafts.verified,
        accepted_tokens: drafts.accepted,
        acceptance_rate: known_share(accepted, verified),
        mean_acceptance_length: known_share(verifications + accepted, verifications),
    }
}
