//! A cache as readers see it that learn of its contents late: on the GPU and in CPU memory.

use super::BlockPool;
use crate::kv::past::Then;
use base::{Micros, Span};

impl BlockPool {
    /// Readers see the contents as they were that long ago, from `now` on; 0: as they are.
    pub fn see_late(&mut self, delay: Span, now: Micros) {
        self.version.see_late(delay, now);
        if let Some(cpu) = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut()) {
            cpu.now.see_late(delay, now);
        }
    }

    /// Whether readers see the contents late.
    #[inline]
    pub fn is_seen_late(&self) -> bool {
        self.version.past.is_some()
    }

    /// Whether readers do not know yet that all contents were lost.
    pub fn is_loss_hidden(&self) -> bool {
        self.version.past.as_ref().is_some_and(|past| past.is_held())
    }

    /// They know it from now on.
    pub fn show_loss(&mut self) {
        let cpu = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut());
        let all = [self.version.past.as_mut(), cpu.and_then(|cpu| cpu.now.past.as_mut())];
        for past in all.into_iter().flatten() {
            past.release();
        }
    }

    /// The present, for what is seen late.
    pub(super) fn tell_past(&mut self, now: Micros) {
        if self.is_seen_late() {
            self.set_clock(now);
        }
    }

    pub(super) fn past_bytes(&self) -> usize {
        let cpu = self.cpu().and_then(|cpu| cpu.now.past.as_ref());
        [self.version.past.as_ref(), cpu].into_iter().flatten().map(|past| past.bytes()).sum()
    }

    /// Whether readers see a content on the GPU at `now`.
    pub fn shows(&self, hash: u64, now: Micros) -> bool {
        match self.version.past.as_ref().map_or(Then::AsNow, |past| past.of(hash, now)) {
            Then::AsNow => self.knows(hash),
            Then::Absent => false,
            Then::There(_) => true,
        }
    }

    /// Whether they see it in CPU memory.
    pub fn shows_below(&self, hash: u64, now: Micros) -> bool {
        self.cpu().is_some_and(|cpu| cpu.shows(hash, now))
    }

    /// The longest leading run of `chain` that readers see on the GPU at `now`.
    pub fn shown(&self, chain: &[u64], now: Micros) -> u32 {
        if self.is_seen_late() {
            chain.iter().take_while(|hash| self.shows(**hash, now)).count() as u32
        } else {
            self.lookup(chain).blocks
        }
    }

    /// How many leading blocks of `rest`, which follows such a run, they see in the CPU tier.
    pub fn shown_below(&self, rest: &[u64], now: Micros) -> u32 {
        if self.is_seen_late() {
            rest.iter().take_while(|hash| self.shows_below(**hash, now)).count() as u32
        } else {
            self.known_below(rest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kv::{BlockTable, StoreSettings, TierSettings, Written};

    /// Three blocks on the GPU and one in CPU memory, seen 10 us late.
    fn pool() -> BlockPool {
        let cpu = StoreSettings {
            capacity: 1,
            written: Written::WhenEvicted,
            tokens_per_us: 1.0,
            base: Span::ZERO,
            ttl: Span::ZERO,
        };
        let below = TierSettings { cpu: Some(cpu), below: Vec::new(), prompt_only: false, restricted: false };
        let mut pool = BlockPool::new(3, 4, true).with_tiers(&below);
        pool.see_late(Span(10), Micros::ZERO);
        pool
    }

    fn fill(pool: &mut BlockPool, chain: &[u64], now: u64) {
        pool.set_clock(Micros(now));
        let mut table = BlockTable::default();
        let tokens = 4 * chain.len() as u32;
        pool.append_prefill(&mut table, tokens, chain);
        pool.release(&mut table, tokens, Micros(now));
    }

    #[test]
    fn contents_come_and_go_as_late_as_they_are_seen() {
        let mut pool = pool();
        fill(&mut pool, &[11, 13], 100);
        assert_eq!([109, 110].map(|now| pool.shown(&[11, 13], Micros(now))), [0, 2]);
        // The third block is free; the end of the first text goes to CPU memory.
        fill(&mut pool, &[21, 23], 200);
        assert_eq!(pool.lookup(&[11, 13]).blocks, 1);
        assert_eq!([209, 210].map(|now| pool.shown(&[11, 13], Micros(now))), [2, 1]);
        assert_eq!([209, 210].map(|now| pool.shown_below(&[13], Micros(now))), [0, 1]);
        assert_eq!([209, 210].map(|now| pool.shown(&[21, 23], Micros(now))), [0, 2]);
        pool.see_late(Span::ZERO, Micros(205));
        assert_eq!((pool.shown(&[11, 13], Micros(205)), pool.shown_below(&[13], Micros(205))), (1, 1));
    }

    #[test]
    fn a_loss_of_everything_is_seen_when_readers_are_told() {
        let mut pool = pool();
        fill(&mut pool, &[11, 13], 100);
        fill(&mut pool, &[21, 23], 200);
        pool.set_clock(Micros(300));
        pool.restart();
        assert!(pool.is_loss_hidden());
        let seen = |pool: &BlockPool, now| {
            (pool.shown(&[21, 23], Micros(now)), pool.shown_below(&[13], Micros(now)))
        };
        assert_eq!((pool.lookup(&[21]).blocks, seen(&pool, 900)), (0, (2, 1)));
        pool.show_loss();
        assert_eq!((pool.is_loss_hidden(), seen(&pool, 300)), (false, (0, 0)));
        fill(&mut pool, &[21], 310);
        assert_eq!([319, 320].map(|now| pool.shown(&[21], Micros(now))), [0, 1]);
    }
}
