//! What tiers of given sizes could find again of a trace's prompts: one cache for all replicas, and a cache each with requests
//! dealt out to them.
//!
//! All sizes come from one pass over the blocks in order of arrival (Mattson's stack distance, see `base::reuse`). No time passes in
//! it: a real run finds less where a block is still being computed or is on its way. No replacement finds more than the blocks
//! that have been there before, (N − U) / N for N blocks of U different ones.

use base::reuse::Distances;
use engine::workload::Trace;
use serde::Serialize;

/// A tier of a replica, or one that all replicas share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierSize {
    /// Its name.
    pub name: String,
    /// How many tokens it holds.
    pub tokens: u64,
    /// Whether all replicas share it: its size is then that of the whole.
    pub is_shared: bool,
}

/// What caches could find again of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceCeiling {
    /// Requests looked at: the first ones, if the trace has too many blocks.
    pub requests: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens of different text in them.
    pub distinct_tokens: u64,
    /// Share of the tokens of prompts that are not there for the first time: no cache finds more.
    pub ceiling: f64,
    /// What requests find with each way to deal them out to the replicas.
    pub dealt: Vec<DealtCeiling>,
}

/// What requests find that are dealt out in one way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DealtCeiling {
    /// How: `one` cache for all, `round-robin` over the replicas, or `session`: a replica for each session.
    pub routing: &'static str,
    /// How many caches.
    pub caches: u32,
    /// Share of the tokens of prompts that caches without a bound find.
    pub unbounded: f64,
    /// The smallest size of each cache, in tokens, with which they find 99 % of that.
    pub knee_tokens: u64,
    /// What is found by tier, in order.
    pub tiers: Vec<TierShare>,
    /// Share found by the size of each cache.
    pub points: Vec<CeilingPoint>,
}

/// What one tier finds that those above it do not have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TierShare {
    /// Its name.
    pub name: String,
    /// Tokens that it holds.
    pub tokens: u64,
    /// Share of the tokens of prompts that this tier has and those above have not.
    pub share: f64,
    /// Share that is found in it or above.
    pub so_far: f64,
}

/// What caches of one size find.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CeilingPoint {
    /// Size of each cache in tokens.
    pub tokens: u64,
    /// Share of the tokens of prompts that are found.
    pub share: f64,
}

/// Most blocks looked at.
const BLOCKS: u64 = 20_000_000;
/// The smallest cache shown: 2 to this power, in tokens.
const SMALLEST: u32 = 12;

impl TraceCeiling {
    /// What `replicas` with these tiers could find of a trace. Nothing if it names no shared text.
    pub fn of(trace: &Trace, tiers: &[TierSize], replicas: u32) -> Option<Self> {
        if !trace.names_text() {
            return None;
        }
        let caches = replicas.max(1);
        let mut one = Distances::new(1);
        let mut round_robin = Distances::new(caches);
        let mut session = Distances::new(caches);
        let deals = caches > 1;
        let (mut blocks, mut tokens, mut requests, mut distinct) = (0, 0u64, 0, 0);
        for row in 0..trace.len() {
            let prompt = trace.prompt(row, 0);
            let pieces: Vec<(u64, u32)> = prompt.pieces().iter().map(|p| (p.source, p.len)).collect();
            distinct += one.prompt(0, &pieces);
            if deals {
                round_robin.prompt(row % caches as usize, &pieces);
                if trace.has_sessions() {
                    session.prompt((trace.session(row) % caches) as usize, &pieces);
                }
            }
            blocks += pieces.len() as u64;
            tokens += u64::from(trace.prompt_tokens(row));
            requests += 1;
            if blocks > BLOCKS {
                break;
            }
        }
        let all = Tokens { prompts: tokens, distinct };
        let mut dealt = vec![all.dealt("one", &one, &one, tiers)];
        if deals {
            dealt.push(all.dealt("round-robin", &round_robin, &one, tiers));
            if trace.has_sessions() {
                dealt.push(all.dealt("session", &session, &one, tiers));
            }
        }
        Some(Self {
            requests,
            prompt_tokens: tokens,
            distinct_tokens: distinct,
            ceiling: all.share(tokens.saturating_sub(distinct)),
            dealt,
        })
    }
}

/// Tokens of all prompts.
#[derive(Clone, Copy)]
struct Tokens {
    prompts: u64,
    distinct: u64,
}

impl Tokens {
    fn share(self, found: u64) -> f64 {
        found as f64 / self.prompts.max(1) as f64
    }

    /// What is found with `own` caches, beside tiers that are shared like `one`. A tier has what those above it have.
    fn dealt(
        self,
        routing: &'static str,
        own: &Distances,
        one: &Distances,
        tiers: &[TierSize],
    ) -> DealtCeiling {
        let (mut shares, mut before) = (Vec::new(), 0);
        for tier in tiers {
            let of = if tier.is_shared { one } else { own };
            let so_far = of.within(tier.tokens).max(before);
            shares.push(TierShare {
                name: tier.name.clone(),
                tokens: tier.tokens,
                share: self.share(so_far - before),
                so_far: self.share(so_far),
            });
            before = so_far;
        }
        let largest = self.distinct.max(1).next_power_of_two().ilog2().max(SMALLEST);
        let sizes = (SMALLEST..=largest).map(|k| 1u64 << k);
        DealtCeiling {
            routing,
            caches: own.caches(),
            unbounded: self.share(own.all()),
            knee_tokens: own.knee(),
            tiers: shares,
            points: sizes
                .map(|tokens| CeilingPoint { tokens, share: self.share(own.within(tokens)) })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::TraceReader;
    use std::collections::VecDeque;
    use std::sync::Arc;

    const BLOCK: u64 = 512;

    /// Chains of blocks that branch, of a few groups, with a session for each group.
    fn rows() -> Vec<(u64, Vec<u64>)> {
        let mut state = 11u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        let row = |row: u64| {
            let (group, fork, len) = (next(6), next(10), 1 + next(14));
            let id = |i: u64| if i < fork { group * 100 + i } else { 1000 + row * 100 + i };
            (group, (0..len).map(id).collect())
        };
        (0..300).map(row).collect()
    }

    fn trace(rows: &[(u64, Vec<u64>)]) -> Arc<Trace> {
        let line = |(i, (group, ids)): (usize, &(u64, Vec<u64>))| {
            let len = ids.len() as u64 * BLOCK;
            format!(
                "{{\"timestamp\":{i},\"input_length\":{len},\"output_length\":1,\"session_id\":\"s{group}\",\"hash_ids\":{ids:?}}}\n"
            )
        };
        let text: String = rows.iter().enumerate().map(line).collect();
        let mut reader = TraceReader::new("t", 1 << 24);
        reader.push(text.as_bytes());
        reader.finish().0.unwrap()
    }

    /// The share found by `caches` of `size` tokens that are played through, row `i` going to cache `i` modulo their number.
    fn played(rows: &[(u64, Vec<u64>)], caches: usize, size: u64) -> f64 {
        let mut all: Vec<VecDeque<u64>> = vec![VecDeque::new(); caches];
        let (mut found, mut blocks) = (0, 0);
        for (i, (_, ids)) in rows.iter().enumerate() {
            // The latest first.
            let cache = &mut all[i % caches];
            let held: Vec<u64> = cache.iter().copied().take((size / BLOCK) as usize).collect();
            found += ids.iter().take_while(|id| held.contains(id)).count();
            blocks += ids.len();
            for id in ids.iter().rev() {
                cache.retain(|other| other != id);
                cache.push_front(*id);
            }
        }
        found as f64 / blocks as f64
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    fn size(name: &str, blocks: u64, is_shared: bool) -> TierSize {
        TierSize { name: name.to_owned(), tokens: blocks * BLOCK, is_shared }
    }

    #[test]
    fn the_ceiling_counts_what_was_there_before_and_no_cache_finds_more() {
        let rows = rows();
        let found = TraceCeiling::of(&trace(&rows), &[], 3).unwrap();
        let all: Vec<u64> = rows.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
        let mut different = all.clone();
        different.sort_unstable();
        different.dedup();
        assert!(near(found.ceiling, (all.len() - different.len()) as f64 / all.len() as f64));
        assert!(
            near(found.dealt[0].unbounded, found.ceiling),
            "blocks of a chain are named for all before them"
        );
        assert_eq!(
            found.dealt.iter().map(|d| (d.routing, d.caches)).collect::<Vec<_>>(),
            [("one", 1), ("round-robin", 3), ("session", 3)]
        );
        for dealt in &found.dealt {
            assert!(
                dealt.unbounded <= found.ceiling && dealt.points.iter().all(|p| p.share <= dealt.unbounded)
            );
        }
    }

    #[test]
    fn the_knee_is_the_smallest_size_with_99_percent_of_what_an_unlimited_cache_finds() {
        let rows = rows();
        for (dealt, caches) in TraceCeiling::of(&trace(&rows), &[], 2).unwrap().dealt.iter().zip([1, 2]) {
            let enough = |tokens: u64| played(&rows, caches, tokens) >= 0.99 * dealt.unbounded - 1e-12;
            assert!(enough(dealt.knee_tokens) && !enough(dealt.knee_tokens - BLOCK), "{}", dealt.routing);
        }
    }

    #[test]
    fn a_tier_finds_what_a_cache_of_its_size_finds_beyond_those_above() {
        let rows = rows();
        let tiers = [size("gpu", 12, false), size("cpu", 60, false), size("store", 150, true)];
        let found = TraceCeiling::of(&trace(&rows), &tiers, 2).unwrap();
        let want =
            [played(&rows, 2, 12 * BLOCK), played(&rows, 2, 60 * BLOCK), played(&rows, 1, 150 * BLOCK)];
        let got = &found.dealt[1].tiers;
        assert!(got.iter().zip(want).all(|(tier, want)| near(tier.so_far, want)), "{got:?} {want:?}");
        assert!(want[0] < want[1] && want[1] < want[2], "the sizes differ");
        assert!(near(got[2].share, want[2] - want[1]));
    }
}
