//! What caches of any size could find again of the latest prompts: one cache for all replicas, and one on each as requests were routed.

use crate::session::Session;
use base::reuse::Distances;
use serde::{Deserialize, Serialize};

/// Most pieces of prompts that are looked at: with more, a piece is of several blocks.
const PIECES: u64 = 120_000;
/// The smallest cache shown: 2 to this power, in tokens.
const SMALLEST: u32 = 12;
/// Most replicas with a cache of their own.
const REPLICAS: u32 = 256;

/// Asks what caches could find again.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReuseQuery {}

/// What caches of any size could find again of the latest prompts, each least recently used block first to go. No time passes in it: a
/// real run finds less where a block is still being computed or is on its way.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reuse {
    /// Requests looked at.
    pub requests: u32,
    /// When the first of them arrived.
    pub from_us: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens of a piece: what is found is found in pieces of this size.
    pub piece_tokens: u32,
    /// Share of the tokens of prompts that were in a prompt or an answer before, 0 to 1: no cache finds more.
    pub ceiling: f64,
    /// Of the requests looked at that have joined a batch: the share of the tokens of their prompts that was in the cache, 0 to 1.
    pub found: f64,
    /// One cache for all, and one on each replica.
    pub curves: Vec<ReuseCurve>,
    /// How large the caches are today.
    pub marks: Vec<ReuseMark>,
}

/// What caches of any size find.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReuseCurve {
    /// How many caches the requests are divided over, as they were routed: 1 for one that all share.
    pub caches: u32,
    /// The smallest size of each cache, in tokens, with which they find 99 % of what caches without a bound find.
    pub knee_tokens: u64,
    /// What caches of that size find, 0 to 1.
    pub knee_share: f64,
    /// Share by size.
    pub points: Vec<ReusePoint>,
}

/// What caches of one size find.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReusePoint {
    /// Size of each cache, in tokens.
    pub tokens: u64,
    /// Share of the tokens of prompts that are found, 0 to 1.
    pub share: f64,
}

/// How large a cache is today.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReuseMark {
    /// `gpu`, `cpu`, `fs`, or the name of a store. Each holds what those before it on its replica hold too.
    pub tier: String,
    /// Which of the curves it is on.
    pub curve: u32,
    /// Its size in tokens: of one replica, the smallest of all, or of the store; missing where there is no end.
    pub tokens: Option<u64>,
    /// What a cache of this size finds by its curve, 0 to 1.
    pub share: f64,
}

impl Session {
    /// What caches of any size could find again of the latest prompts; nothing if there are none, or replicas keep none.
    pub fn reuse(&self, _: &ReuseQuery) -> Option<Reuse> {
        let replicas = self.engine.replicas();
        let kv = replicas.iter().map(engine::Replica::kv).find(|kv| kv.caching())?;
        let block = kv.block_tokens();
        let records = self.engine.records();
        let all: u64 = self.recorder.texts.all().map(|text| u64::from(text.whole.len())).sum();
        let piece = block * all.div_ceil(PIECES * u64::from(block)).max(1).next_power_of_two() as u32;
        let caches = (replicas.len() as u32).min(REPLICAS);
        let (mut one, mut own) = (Distances::new(1), Distances::new(caches));
        let (mut requests, mut tokens, mut distinct, mut from_us) = (0, 0, 0, None);
        let (mut found, mut joined) = (0, 0);
        for text in self.recorder.texts.all() {
            let Some(record) = records.get(text.request.index()) else { continue };
            let (len, prompt) = (text.prompt, (text.prompt / piece) as usize);
            let chain = text.whole.chain(piece, text.whole.len() / piece);
            let pieces: Vec<(u64, u32)> = chain.into_iter().map(|hash| (hash, piece)).collect();
            distinct += one.text(0, &pieces, prompt);
            if let Some(replica) = record.replica().filter(|r| r.0 < caches) {
                own.text(replica.index(), &pieces, prompt);
            }
            if record.first_scheduled.is_known() {
                found += u64::from(record.cached_tokens.min(len));
                joined += u64::from(len);
            }
            requests += 1;
            tokens += u64::from(len);
            from_us = from_us.or(Some(record.arrival.0));
        }
        let share = |found: u64| found as f64 / tokens.max(1) as f64;
        let largest = distinct.max(1).next_power_of_two().ilog2().max(SMALLEST + 1);
        let curve = |of: &Distances| ReuseCurve {
            caches: of.caches(),
            knee_tokens: of.knee(),
            knee_share: share(of.within(of.knee())),
            points: (SMALLEST..=largest)
                .flat_map(|k| [1u64 << k, (1u64 << k) / 2 * 3])
                .map(|tokens| ReusePoint { tokens, share: share(of.within(tokens)) })
                .collect(),
        };
        let several = caches > 1;
        let curves = if several { vec![curve(&one), curve(&own)] } else { vec![curve(&one)] };
        let of = |curve: u32| if curve == 1 { &own } else { &one };
        let marks = self.sizes(u32::from(several)).into_iter().map(|(tier, curve, tokens)| ReuseMark {
            tier,
            curve,
            tokens,
            share: share(of(curve).within(tokens.unwrap_or(u64::MAX))),
        });
        Some(Reuse {
            requests,
            from_us: from_us?,
            prompt_tokens: tokens,
            piece_tokens: piece,
            ceiling: share(one.all()),
            found: found as f64 / joined.max(1) as f64,
            curves,
            marks: marks.collect(),
        })
    }

    /// The sizes of today's caches in tokens, with the curve that each is on; nothing where there is no end.
    fn sizes(&self, own: u32) -> Vec<(String, u32, Option<u64>)> {
        let there = || self.engine.replicas().iter().filter(|r| r.kv().caching());
        let tokens = |blocks: u64, r: &engine::Replica| blocks * u64::from(r.kv().block_tokens());
        let least = |of: &dyn Fn(&engine::Replica) -> u64| there().map(of).min();
        let mut sizes = Vec::new();
        sizes.extend(least(&|r| tokens(r.kv().total().into(), r)).map(|n| ("gpu".to_owned(), own, Some(n))));
        let cpu = least(&|r| tokens(r.kv().tier_blocks().1.into(), r)).filter(|n| *n > 0);
        sizes.extend(cpu.map(|n| ("cpu".to_owned(), own, Some(n))));
        let Some((lower, first)) = self.engine.lower_tiers().zip(there().next()) else { return sizes };
        let end = |capacity: u64| (capacity > 0).then(|| tokens(capacity, first));
        for place in lower.disks(first.id()) {
            sizes.push(("fs".to_owned(), own, end(place.settings().capacity)));
        }
        for store in lower.stores() {
            sizes.push((store.name.to_owned(), 0, end(store.place.settings().capacity)));
        }
        sizes
    }
}
