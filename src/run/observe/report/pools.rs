//! The part of a report about pools: resolved settings, and sums over the replicas.

use super::disaggregation::{PoolSplitPart, RoleSums};
use super::measure::{By, MeasurementWindow};
use super::{GroupPart, has_price, known_share, share};
use document::{ExpertPlacement, MixedStep, Pool, Scenario};
use engine::{Cluster, DraftTotals, Replica, Totals};
use serde::Serialize;

/// One pool: its resolved settings, and the sums over its replicas.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PoolPart {
    /// Its name.
    pub name: String,
    /// Its model.
    pub model: String,
    /// Replicas that take new requests.
    pub replicas: u32,
    /// Most requests in a batch; the resolved value of "auto", or the latest edit.
    pub max_num_seqs: u32,
    /// Most tokens in a step; the resolved value of "auto", or the latest edit.
    pub max_num_batched_tokens: u32,
    /// Tokens in a KV block.
    pub block_tokens: u32,
    /// Blocks in the KV cache of one replica; the resolved value of "auto", or the latest edit.
    pub kv_blocks: u32,
    /// US dollars per hour of one replica, if its price is known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<f64>,
    /// Requests finished on its replicas.
    pub completed: u32,
    /// The requests sent there, warm-up excluded.
    pub requests: GroupPart,
    /// Share of prompt blocks found on its replicas, those loaded from tiers below included, 0 to 1.
    pub kv_hit_rate: f64,
    /// Cost in US dollars of its replicas while they existed, if their price is known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Their LoRA adapters; missing without any.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lora: Option<LoraPart>,
    /// What speculative decoding came to; missing without it.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speculative: Option<SpeculativePart>,
    /// Ranks in lock step; missing where replicas step by themselves.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RanksPart>,
    /// Steps without a recorded graph; missing where `mixed_step_us` is not set.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixed_steps: Option<MixedStepsPart>,
    /// Experts; missing where they are liked alike, lie in order and stay.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts: Option<ExpertsPart>,
    /// Its role and what its replicas did; missing where all pools are mixed.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<PoolSplitPart>,
}

/// The LoRA adapters of a pool's replicas, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LoraPart {
    /// Adapters on the GPU of one replica at once.
    pub max_loras: u32,
    /// Adapters in CPU memory of one replica, those on the GPU among them.
    pub max_cpu_loras: u32,
    /// Size of one adapter in MiB.
    pub adapter_mib: f64,
    /// Requests that joined a batch with their adapter in a GPU slot.
    pub hits: u64,
    /// hits / (hits + loads), 0 to 1.
    pub hit_rate: f64,
    /// Adapters loaded from CPU memory.
    pub cpu_loads: u64,
    /// Adapters loaded from disk.
    pub disk_loads: u64,
    /// Adapters that lost their GPU slot to another.
    pub evictions: u64,
    /// Time that steps waited for loads, in seconds.
    pub load_s: f64,
    /// Time that adapters added to steps, in seconds.
    pub step_s: f64,
}

/// Speculative decoding of a pool, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SpeculativePart {
    /// How often a request had draft tokens verified: once in each of its steps with drafts.
    pub verifications: u64,
    /// Draft tokens verified.
    pub draft_tokens: u64,
    /// Of those, the accepted ones. Those after the end of an answer count too, and are not shown.
    pub accepted_tokens: u64,
    /// `accepted_tokens` / `draft_tokens`, 0 to 1; missing without draft tokens.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance_rate: Option<f64>,
    /// Mean acceptance length: 1 + `accepted_tokens` / verifications, the tokens of a step; missing without drafts.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_acceptance_length: Option<f64>,
    /// Dummy tokens in the first steps of requests whose prompts were computed elsewhere; they are no draft tokens.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "is_none_of")]
    pub padding_tokens: u64,
}

/// What ranks in lock step wait for each other, and what steps without a recorded graph take longer. Whole run.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RanksPart {
    /// Rows of no request that ranks computed so that all had as many.
    pub padding_tokens: u64,
    /// Seconds that ranks waited in steps of their server in which some rank had a prompt, for the slowest.
    pub wait_prompts_s: f64,
    /// The same in steps without prompts.
    pub wait_decodes_s: f64,
    /// Seconds of steps of their server in which they had no work.
    pub wait_empty_s: f64,
}

/// Steps for which the engine had no recorded graph. Whole run.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MixedStepsPart {
    /// How many there were; of ranks each counts for itself.
    pub steps: u64,
    /// Their share of all steps, 0 to 1; missing without steps.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// How much longer they took together, in seconds.
    pub longer_s: f64,
}

/// How evenly experts are computed. At the end of the run.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExpertsPart {
    /// How many times the mean the rank with the most computes for its experts, on the replica where that is highest.
    pub imbalance: f64,
    /// How often experts were moved, of all replicas together.
    pub rebalanced: u64,
}

/// All pools, in order.
pub(super) fn pools(
    scenario: &Scenario,
    m: &MeasurementWindow<'_>,
    roles: Option<&RoleSums>,
) -> Vec<PoolPart> {
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
        let (mut found, mut blocks) = (0, 0);
        for r in engine.replicas().iter().filter(|r| r.pool() == pool) {
            part.replicas += u32::from(r.serving());
            part.completed += r.totals().completed;
            part.usd = part.usd.zip(m.usd_of(r)).map(|(usd, more)| usd + more);
            found += r.kv().found();
            blocks += r.kv().found() + r.kv().prompt_misses();
        }
        part.kv_hit_rate = share(found as f64, blocks as f64);
        part.lora = lora(engine, pool);
        part.split = roles.map(|sums| sums.of_pool(pool, p.role, m));
        part.speculative = speculative(engine, pool, p);
        let mut of_pool = engine.replicas().iter().filter(|r| r.pool() == pool).map(Replica::totals);
        part.experts = (p.experts != ExpertPlacement::default()).then(|| experts(engine, pool));
        let in_lockstep = p.expert_ranks_lockstep && p.expert_ranks > 1;
        part.ranks = in_lockstep.then(|| ranks(&mut of_pool.clone()));
        part.mixed_steps =
            (p.engine.mixed_step_us != MixedStep::default()).then(|| mixed_steps(&mut of_pool));
        part
    };
    (0..).zip(&scenario.cluster.pools).zip(requests).map(part).collect()
}

fn ranks(all: &mut dyn Iterator<Item = &Totals>) -> RanksPart {
    let mut part = RanksPart::default();
    for totals in all {
        let [prompts, decodes, empty] = totals.rank_waits.map(|wait| wait.0 as f64 / 1e6);
        part.padding_tokens += totals.rank_padding;
        part.wait_prompts_s += prompts;
        part.wait_decodes_s += decodes;
        part.wait_empty_s += empty;
    }
    part
}

fn experts(engine: &Cluster, pool: u32) -> ExpertsPart {
    let mut part = ExpertsPart { imbalance: 1.0, rebalanced: 0 };
    for r in engine.replicas().iter().filter(|r| r.pool() == pool) {
        part.rebalanced += r.totals().rebalanced;
        part.imbalance = part.imbalance.max(r.imbalance().unwrap_or(1.0));
    }
    part
}

fn mixed_steps(all: &mut dyn Iterator<Item = &Totals>) -> MixedStepsPart {
    let (mut part, mut steps) = (MixedStepsPart::default(), 0);
    for totals in all {
        steps += totals.steps;
        part.steps += totals.mixed_steps;
        part.longer_s += totals.mixed_time.0 as f64 / 1e6;
    }
    part.share = known_share(part.steps as f64, steps as f64);
    part
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

/// Whether a count is 0.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none_of(count: &u64) -> bool {
    *count == 0
}

/// What drafts came to in a pool; none without speculative decoding.
pub(crate) fn speculative(engine: &Cluster, pool: u32, p: &Pool) -> Option<SpeculativePart> {
    p.engine.speculative.as_ref()?;
    let mut drafts = DraftTotals::default();
    for r in engine.replicas().iter().filter(|r| r.pool() == pool) {
        drafts.add(&r.totals().drafts);
    }
    let [verifications, verified, accepted] =
        [drafts.verifications, drafts.verified, drafts.accepted].map(|n| n as f64);
    Some(SpeculativePart {
        verifications: drafts.verifications,
        draft_tokens: drafts.verified,
        accepted_tokens: drafts.accepted,
        acceptance_rate: known_share(accepted, verified),
        mean_acceptance_length: known_share(verifications + accepted, verifications),
        padding_tokens: drafts.padding,
    })
}
