//! Blocks of KV caches and CPU tiers.

use super::kv_tiers::{KvTierPart, cpu_served, kv_loads, kv_tiers};
use super::shares::share;
use super::{CpuTierPart, KvPart, PausesPart};
use engine::{Cluster, PrefetchOutcome};

/// Blocks of the KV caches of all replicas together.
pub(crate) fn kv_blocks(engine: &Cluster) -> KvPart {
    let mut p = KvPart::default();
    for r in engine.replicas() {
        p.hits += r.kv().hits();
        p.misses += r.kv().prompt_misses();
        p.opened += r.kv().misses();
        p.evictions += r.kv().evictions();
    }
    p.cpu = cpu_tier(engine.replicas());
    p.pauses = pauses(engine);
    let found: u64 = engine.replicas().iter().map(|r| r.kv().found()).sum();
    p.hit_rate = share(found as f64, (found + p.misses) as f64);
    p
}

/// The same with what tiers below the GPU gave to prompts, which takes longer to find out.
pub(super) fn kv_blocks_and_loads(engine: &Cluster) -> KvPart {
    let mut p = kv_blocks(engine);
    if let Some((cpu, served)) = p.cpu.as_mut().zip(cpu_served(engine)) {
        let counts = || engine.replicas().iter().map(|r| r.kv().tier_counts());
        cpu.refused = Some(counts().map(|tier| tier.refused).sum());
        cpu.expired = Some(counts().map(|tier| tier.expired).sum());
        cpu.served = Some(served);
    }
    p.loads = kv_loads(engine);
    p
}

/// The same, and the tiers below CPU memory by pool.
pub(crate) fn kv_parts(cluster: &document::Cluster, engine: &Cluster) -> (KvPart, Vec<KvTierPart>) {
    let names: Vec<String> = cluster.pools.iter().map(|pool| pool.name.clone()).collect();
    (kv_blocks_and_loads(engine), kv_tiers(&names, engine))
}

/// What was kept and fetched for sessions in their pauses; `None` where the scenario asks for none of that.
fn pauses(engine: &Cluster) -> Option<PausesPart> {
    if !engine.keeps_in_pauses() {
        return None;
    }
    let mut p = PausesPart { hinted_tokens: engine.hinted_tokens(), ..PausesPart::default() };
    p.protected_blocks = engine.replicas().iter().map(|r| u64::from(r.kv().protected())).sum();
    for (number, row) in (0..).zip(engine.prefetches()) {
        p.prefetches += 1;
        let count = match row.outcome {
            PrefetchOutcome::Landed => &mut p.landed,
            PrefetchOutcome::Late => &mut p.late,
            PrefetchOutcome::Refused => &mut p.refused,
            PrefetchOutcome::Stopped => &mut p.stopped,
            PrefetchOutcome::Nothing => &mut p.nothing,
            PrefetchOutcome::Failed => &mut p.failed,
            PrefetchOutcome::Asked => continue,
        };
        *count += 1;
        if row.outcome == PrefetchOutcome::Landed {
            p.blocks += u64::from(row.blocks);
        }
        let brought = engine.replicas()[row.replica.index()].kv().brought(number);
        p.useful_blocks += u64::from(brought.useful);
        p.wasted_blocks += u64::from(brought.wasted);
    }
    Some(p)
}

/// The CPU tiers of some replicas together; `None` if none of them has one.
pub(super) fn cpu_tier(replicas: &[engine::Replica]) -> Option<CpuTierPart> {
    let (mut p, mut load_us) = (CpuTierPart::default(), 0);
    let mut tiered = replicas.iter().map(engine::Replica::kv).filter(|kv| kv.tiered()).peekable();
    tiered.peek()?;
    for kv in tiered {
        let ((used, total), tier) = (kv.tier_blocks(), kv.tier_counts());
        p.total_blocks += u64::from(total);
        p.used_blocks += u64::from(used);
        p.offloads += tier.offloads;
        p.evictions += tier.evictions;
        p.loads += tier.loads;
        p.hits += tier.hits;
        p.misses += tier.misses;
        p.thrash += tier.thrash;
        load_us += tier.load_time.0;
    }
    p.mean_load_ms = share(load_us as f64 / 1000.0, p.loads as f64);
    p.hit_rate = share(p.hits as f64, (p.hits + p.misses) as f64);
    p.thrash_rate = share(p.thrash as f64, p.offloads as f64);
    Some(p)
}
