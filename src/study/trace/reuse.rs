//! Reuse of prompts by the size of a cache, for all sizes at once.
//!
//! By Mattson's stack distance, see `base::reuse`.

use base::reuse::Distances;
use engine::workload::Trace;
use serde::Serialize;

/// What an ideal cache finds again: least recently used blocks leave first, and a prompt finds its leading blocks.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceReuse {
    /// Share of prompt tokens that a cache without a bound finds.
    pub unbounded: f64,
    /// Tokens of different text in all prompts: a cache of this size is as good as one without a bound.
    pub distinct_tokens: u64,
    /// Share by size of the cache.
    pub points: Vec<TraceReusePoint>,
    /// Requests looked at: the first ones, if the trace has too many blocks.
    pub requests: u64,
}

/// What a cache of one size finds.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TraceReusePoint {
    /// Size of the cache in tokens.
    pub tokens: u64,
    /// Share of prompt tokens found.
    pub share: f64,
}

/// Most blocks looked at.
const BLOCKS: u64 = 20_000_000;
/// The smallest cache shown: 2 to this power, in tokens.
const SMALLEST: u32 = 12;

/// The reuse of a trace's prompts; nothing if it names no shared text.
pub(super) fn of(trace: &Trace) -> Option<TraceReuse> {
    if !trace.names_text() {
        return None;
    }
    let mut cache = Distances::new(1);
    let (mut blocks, mut tokens, mut requests, mut distinct) = (0, 0u64, 0, 0);
    for row in 0..trace.len() {
        let prompt = trace.prompt(row, 0);
        let pieces: Vec<(u64, u32)> = prompt.pieces().iter().map(|p| (p.source, p.len)).collect();
        distinct += cache.prompt(0, &pieces);
        blocks += pieces.len() as u64;
        tokens += u64::from(trace.prompt_tokens(row));
        requests += 1;
        if blocks > BLOCKS {
            break;
        }
    }
    let share = |found: u64| found as f64 / tokens.max(1) as f64;
    let sizes = (SMALLEST..=power(distinct).max(SMALLEST)).map(|k| 1u64 << k);
    let points = sizes.map(|tokens| TraceReusePoint { tokens, share: share(cache.within(tokens)) });
    Some(TraceReuse {
        unbounded: share(cache.all()),
        distinct_tokens: distinct,
        points: points.collect(),
        requests,
    })
}

/// The smallest power of two that is at least `n`.
fn power(n: u64) -> u32 {
    n.max(1).next_power_of_two().ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::TraceReader;
    use std::collections::VecDeque;

    /// The share found by a cache of `size` tokens that is played through.
    fn played(rows: &[Vec<u64>], size: u64) -> f64 {
        // The latest first.
        let mut cache: VecDeque<u64> = VecDeque::new();
        let (mut found, mut all) = (0, 0);
        for ids in rows {
            let fits = (size / 512) as usize;
            let held: Vec<u64> = cache.iter().copied().take(fits).collect();
            found += ids.iter().take_while(|id| held.contains(id)).count();
            all += ids.len();
            for id in ids.iter().rev() {
                cache.retain(|other| other != id);
                cache.push_front(*id);
            }
        }
        found as f64 / all as f64
    }

    #[test]
    fn every_size_finds_what_a_cache_of_it_finds_that_is_played_through() {
        let mut state = 7u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        // Chains that branch: block i of a prompt of group g has an id of its own from the fork on.
        let rows: Vec<Vec<u64>> = (0..400)
            .map(|row| {
                let (group, fork, len) = (next(5), next(12), 1 + next(16));
                (0..len).map(|i| if i < fork { group * 100 + i } else { 1000 + row * 100 + i }).collect()
            })
            .collect();
        let line = |(i, ids): (usize, &Vec<u64>)| {
            let len = ids.len() * 512;
            format!("{{\"timestamp\":{i},\"input_length\":{len},\"output_length\":1,\"hash_ids\":{ids:?}}}\n")
        };
        let text: String = rows.iter().enumerate().map(line).collect();
        let mut reader = TraceReader::new("t", 1 << 24);
        reader.push(text.as_bytes());
        let trace = reader.finish().0.unwrap();
        let reuse = of(&trace).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        for point in &reuse.points {
            let want = played(&rows, point.tokens);
            assert!(near(point.share, want), "{point:?} {want}");
        }
        assert!(near(reuse.unbounded, played(&rows, 1 << 40)));
        assert!(near(reuse.points.last().unwrap().share, reuse.unbounded));
        assert!(reuse.points[0].share < reuse.unbounded, "the sizes differ");
    }
}
