//! Tiers that follow other settings while the replica runs.

use super::{LOOSE, POSTED, TierSettings, Tiers};
use crate::kv::cpu_tier::CpuTier;
use crate::kv::written::Written;
use base::Span;
use base::lookup::LookupMap;

impl Tiers {
    /// Follows other settings from now on: blocks that were written, or are to be, stay. The capacity and the tiers are as they were.
    /// `known` are the contents of the GPU.
    pub(in crate::kv) fn adopt(&mut self, settings: &TierSettings, known: impl FnOnce() -> Vec<u64>) {
        if let (Some(cpu), Some(new)) = (&mut self.cpu, settings.cpu) {
            if cpu.settings.ttl == Span::ZERO && new.ttl > Span::ZERO {
                cpu.use_all_now();
            }
            (cpu.settings.written, cpu.settings.ttl) = (new.written, new.ttl);
        }
        for (tier, &written) in settings.below.iter().enumerate() {
            self.adopt_rule(tier, written);
        }
        self.prompt_only = settings.prompt_only;
        if !settings.restricted {
            self.may_leave = None;
        } else if self.may_leave.is_none() {
            // What came before may still leave.
            let here = self.cpu.iter().flat_map(CpuTier::contents);
            self.may_leave = Some(here.chain(known()).map(|hash| (hash, 1)).collect());
        }
        let counts = |written: &Written| matches!(written, Written::WhenHit(_));
        let any = settings.cpu.is_some_and(|cpu| counts(&cpu.written)) || settings.below.iter().any(counts);
        self.had = if any { self.had.take().or_else(|| Some(LookupMap::default())) } else { None };
    }

    /// A tier below is written by another rule. What waits for it stays, and keeps its place in CPU memory if it did and still has to.
    fn adopt_rule(&mut self, tier: usize, written: Written) {
        let out = &mut self.below[tier];
        let all: Vec<u64> = out.waiting.iter().chain(&out.writing).copied().collect();
        match (out.written == Written::WhenEvicted, written == Written::WhenEvicted) {
            (false, true) => {
                let kept: Vec<u64> = all.into_iter().filter(|hash| out.keeps(*hash)).collect();
                for hash in kept {
                    if let Some(cpu) = &mut self.cpu {
                        cpu.unrefer(hash);
                    }
                }
            }
            (true, false) => {
                for hash in all {
                    let how = out.posted.get(hash).unwrap_or(0);
                    out.posted.insert(hash, how & !POSTED | LOOSE);
                }
            }
            (false, false) | (true, true) => {}
        }
        self.below[tier].written = written;
    }
}
