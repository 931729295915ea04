//! Why tiers below the GPU find less than they could: what their loads hold, what waits to be written, and what is computed
//! although it is stored.
//!
//! Something is said only where the figures of the run show it, each with its number; of two runs only of the one whose hit rate
//! is lower, and only what the other one has not.

use super::saying::{Saying, Sentence};
use run::session::Report;
use run::session::report::{KvPart, KvTierPart};
use serde::Serialize;

/// Least share of the GPU's blocks that loads hold on average, least share of writes to CPU memory that find no room, and
/// least share of prompts that is computed although it is stored, to be said.
const LEAST: [f64; 3] = [0.05, 0.1, 0.02];
/// Least difference of two hit rates to be explained.
const APART: f64 = 0.01;

/// Why tiers find less than they could.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TierTrouble {
    /// Requests that load hold blocks of the GPU, and others are preempted or take their blocks back.
    LoadsHoldBlocks,
    /// Blocks that wait to be written below keep their places in CPU memory, and new ones find no room.
    WritesWait,
    /// Blocks are computed although a tier has them.
    ComputedThoughStored,
}

/// The tiers of a run, and what keeps them from finding more.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TierFindings {
    /// Share of the blocks of prompts that were found in any tier, 0 to 1.
    pub hit_share: f64,
    /// Share of them by tier, the GPU first.
    pub by_tier: Vec<TierHits>,
    /// Blocks of all GPUs.
    pub gpu_blocks: u64,
    /// Blocks of the GPUs that loads held on average.
    pub held_blocks: f64,
    /// The share of all that this is.
    pub held_share: f64,
    /// Blocks that were loaded, and given back before their request ran.
    pub wasted_blocks: u64,
    /// Preemptions of requests that ran.
    pub preemptions: u64,
    /// Blocks that were not written to CPU memory, as nothing there could make room.
    pub refused_writes: u64,
    /// The share of all writes to it that this is.
    pub refused_share: f64,
    /// Blocks of CPU memory that wait at the end to be written below.
    pub waiting_blocks: u64,
    /// Share of the blocks of prompts that was computed although a tier had them.
    pub stored_share: f64,
    /// What keeps them from finding more.
    pub troubles: Vec<TierTrouble>,
}

/// What prompts found in a tier.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TierHits {
    /// `gpu`, `cpu`, `fs`, `p2p` or the name of a store; in a run with several pools with the name of the pool before it.
    pub tier: String,
    /// Share of the blocks of prompts, of its pool if there are several.
    pub share: f64,
}

/// Why the hit rate of one of two runs is lower.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HitRateFall {
    /// Which run has the lower one: `a` or `b`.
    pub of: &'static str,
    /// The hit rate of the other.
    pub other_share: f64,
    /// The tiers of that run, and what keeps them from finding more that does not keep those of the other.
    pub tiers: TierFindings,
    /// The same in words; paths lead from here.
    pub sentences: Vec<Sentence>,
}

/// A comparison of two runs, with why the hit rate of one of them is lower where that is known.
#[derive(Clone, Debug, Serialize)]
pub struct WithFall<'a, C> {
    /// The comparison.
    #[serde(flatten)]
    pub comparison: &'a C,
    /// Why the hit rate of one of the runs of the first seed is lower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_rate_fall: Option<HitRateFall>,
}

fn part(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

impl TierFindings {
    /// Those of a report; `None` without tiers below the GPU, and with that of BLIS.
    pub fn of_report(report: &Report) -> Option<Self> {
        let gpu_blocks = report.replicas.iter().map(|r| u64::from(r.kv_total_blocks)).sum();
        Self::of((&report.kv, &report.kv_tiers), gpu_blocks, report.requests.preemptions)
    }

    /// The findings of a run, with the number of its GPU blocks and of its preemptions.
    pub(super) fn of(
        (kv, tiers): (&KvPart, &[KvTierPart]),
        gpu_blocks: u64,
        preemptions: u64,
    ) -> Option<Self> {
        let loads = kv.loads?;
        let (written, refused) = kv.cpu.map_or((0, 0), |cpu| (cpu.offloads, cpu.refused.unwrap_or_default()));
        let several = tiers.iter().any(|tier| tier.pool != tiers[0].pool);
        let mut by_tier = vec![TierHits { tier: "gpu".to_owned(), share: loads.gpu_share }];
        if let Some(served) = kv.cpu.and_then(|cpu| cpu.served) {
            by_tier.push(TierHits { tier: "cpu".to_owned(), share: served.share });
        }
        for tier in tiers {
            let pool = if several { format!("{} ", tier.pool) } else { String::new() };
            by_tier.push(TierHits { tier: format!("{pool}{}", tier.tier), share: tier.served.share });
        }
        let mut found = Self {
            hit_share: kv.hit_rate,
            by_tier,
            gpu_blocks,
            held_blocks: loads.mean_held_blocks,
            held_share: part(loads.mean_held_blocks, gpu_blocks as f64),
            wasted_blocks: loads.wasted_blocks,
            preemptions,
            refused_writes: refused,
            refused_share: part(refused as f64, (refused + written) as f64),
            waiting_blocks: tiers.iter().map(|tier| tier.waiting_blocks).sum(),
            stored_share: loads.computed_though_stored_share,
            troubles: Vec::new(),
        };
        found.troubles = found.judged();
        Some(found)
    }

    fn judged(&self) -> Vec<TierTrouble> {
        let [holds, refuses, stored] = LEAST;
        let disturbs = self.preemptions + self.wasted_blocks > 0;
        let all = [
            (TierTrouble::LoadsHoldBlocks, self.held_share >= holds && disturbs),
            (TierTrouble::WritesWait, self.refused_share >= refuses && self.waiting_blocks > 0),
            (TierTrouble::ComputedThoughStored, self.stored_share >= stored),
        ];
        all.into_iter().filter_map(|(trouble, is_there)| is_there.then_some(trouble)).collect()
    }

    /// Sentences about what was found; their numbers are fields under `path`.
    pub(super) fn sentences(&self, path: &str) -> Vec<Sentence> {
        self.troubles.iter().map(|trouble| self.sentence(*trouble, path)).collect()
    }

    fn sentence(&self, trouble: TierTrouble, path: &str) -> Sentence {
        let at = |field: &str| format!("{path}/{field}");
        let mut said = Saying::default();
        match trouble {
            TierTrouble::LoadsHoldBlocks => {
                said.say("Requests that load from tiers hold ");
                said.whole(self.held_blocks, at("held_blocks")).say(" of ");
                said.count(self.gpu_blocks, at("gpu_blocks")).say(" blocks of the GPU on average (");
                said.percent(self.held_share, at("held_share")).say(") and do not run yet; ");
                said.count(self.preemptions, at("preemptions")).say(" preemptions, and ");
                said.count(self.wasted_blocks, at("wasted_blocks"));
                said.say(" blocks were loaded and not used.");
            }
            TierTrouble::WritesWait => {
                said.percent(self.refused_share, at("refused_share"));
                said.say(" of the blocks to be written to CPU memory (");
                said.count(self.refused_writes, at("refused_writes"));
                said.say(") find no room, as blocks that wait for the tier below keep their places: ");
                said.count(self.waiting_blocks, at("waiting_blocks")).say(" wait at the end.");
            }
            TierTrouble::ComputedThoughStored => {
                said.percent(self.stored_share, at("stored_share"));
                said.say(
                    " of the blocks of prompts were computed although a tier had them: they were not worth ",
                );
                said.say("their way, found no slot in CPU memory, took too long, or their read failed.");
            }
        }
        said.done()
    }

    /// How much a trouble weighs.
    fn weight(&self, trouble: TierTrouble) -> f64 {
        match trouble {
            TierTrouble::LoadsHoldBlocks => self.held_share,
            TierTrouble::WritesWait => self.refused_share,
            TierTrouble::ComputedThoughStored => self.stored_share,
        }
    }
}

impl HitRateFall {
    /// Why the hit rate of one of two runs is lower; `None` where their figures do not show it.
    pub fn between(a: &Report, b: &Report) -> Option<Self> {
        Self::of([a.kv.hit_rate, b.kv.hit_rate], [TierFindings::of_report(a), TierFindings::of_report(b)])
    }

    fn of([a, b]: [f64; 2], [of_a, of_b]: [Option<TierFindings>; 2]) -> Option<Self> {
        if (a - b).abs() < APART {
            return None;
        }
        let (of, other_share, tiers, other) = if a > b { ("b", a, of_b, of_a) } else { ("a", b, of_a, of_b) };
        let mut tiers = tiers?;
        let there = |trouble| other.as_ref().map_or(0.0, |other| other.weight(trouble));
        let all = std::mem::take(&mut tiers.troubles);
        tiers.troubles =
            all.into_iter().filter(|trouble| tiers.weight(*trouble) >= 2.0 * there(*trouble)).collect();
        if tiers.troubles.is_empty() {
            return None;
        }
        let mut said = Saying::default();
        said.say(if of == "b" { "B found " } else { "A found " });
        said.percent(tiers.hit_share, "/tiers/hit_share").say(" of the blocks of prompts in its caches, ");
        said.say(if of == "b" { "A " } else { "B " }).percent(other_share, "/other_share").say(".");
        let mut sentences = vec![said.done()];
        sentences.extend(tiers.sentences("/tiers"));
        Some(Self { of, other_share, tiers, sentences })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(held_blocks: f64, preemptions: u64) -> TierFindings {
        let held_share = held_blocks / 100.0;
        let mut f =
            TierFindings { gpu_blocks: 100, held_blocks, held_share, preemptions, ..TierFindings::default() };
        f.troubles = f.judged();
        f
    }

    #[test]
    fn loads_are_blamed_where_they_hold_much_and_somebody_suffers() {
        assert_eq!(found(4.0, 9).troubles, []);
        assert_eq!(found(40.0, 0).troubles, []);
        let blamed = found(40.0, 9);
        assert_eq!(blamed.troubles, [TierTrouble::LoadsHoldBlocks]);
        let text = &blamed.sentences("/tiers")[0].text;
        assert!(text.starts_with("Requests that load from tiers hold 40 of 100 blocks"), "{text}");
    }

    #[test]
    fn a_fall_is_explained_by_what_the_other_run_has_not() {
        let with = |hit_share, held| TierFindings { hit_share, ..found(held, 9) };
        let fall = HitRateFall::of([0.5, 0.4], [None, Some(with(0.4, 40.0))]).expect("it is explained");
        assert_eq!((fall.of, fall.other_share), ("b", 0.5));
        assert_eq!(fall.sentences.len(), 2);
        let turned = HitRateFall::of([0.4, 0.5], [Some(with(0.4, 40.0)), None]).map(|fall| fall.of);
        assert_eq!(turned, Some("a"));
        let none = [
            // Nearly equal; as much in both; a run without tiers; nothing found.
            ([0.5, 0.495], [None, Some(with(0.495, 40.0))]),
            ([0.5, 0.4], [Some(with(0.5, 30.0)), Some(with(0.4, 40.0))]),
            ([0.5, 0.4], [Some(with(0.5, 0.0)), None]),
            ([0.5, 0.4], [None, Some(with(0.4, 2.0))]),
        ];
        for (rates, findings) in none {
            assert_eq!(HitRateFall::of(rates, findings), None, "{rates:?}");
        }
    }
}
