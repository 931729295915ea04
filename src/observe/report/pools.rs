//! The part of a report about pools: resolved settings, and sums over the replicas.

use super::measure::{By, MeasurementWindow};
use super::{GroupPart, PoolPart, has_price, share};
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
        for r in engine.replicas().iter().filter(|r| r.pool() == pool) {
            part.replicas += u32::from(r.serving());
            part.completed += r.totals().completed;
            part.usd = part.usd.zip(m.usd_of(r)).map(|(usd, more)| usd + more);
            hits += r.kv().hits();
            blocks += r.kv().hits() + r.kv().prompt_misses();
        }
        part.kv_hit_rate = share(hits as f64, blocks as f64);
        part
    };
    (0..).zip(&scenario.cluster.pools).zip(requests).map(part).collect()
}
