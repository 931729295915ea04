//! Single blocks to be looked at: what each holds, the order in which the free ones go, and when they came.

use super::{Block, BlockPool};
use base::Micros;

/// What a block holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSight {
    /// How many requests hold it.
    pub holders: u32,
    /// Whether it is full and cached.
    pub content: bool,
    /// The chained hash of its content, if it can be hit.
    pub hash: Option<u64>,
}

/// A block that no request holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleBlock {
    /// Its number.
    pub block: u32,
    /// Whether it has content.
    pub cached: bool,
    /// When it was released, if that is known.
    pub since: Option<Micros>,
}

impl BlockPool {
    /// Numbers that blocks have: those in service, and those that a smaller cache has taken out of it.
    pub fn numbers(&self) -> u32 {
        self.limit
    }

    /// Blocks that were never used, which are taken first.
    pub fn untouched(&self) -> u32 {
        self.limit - self.touched
    }

    /// Blocks taken out of service.
    pub fn retired(&self) -> &[u32] {
        &self.retired
    }

    /// What a block holds.
    pub fn sight(&self, b: u32) -> BlockSight {
        let Some(&block) = self.blocks.get(b as usize) else { return BlockSight::default() };
        let hash = self.hashes.get(b as usize).copied().filter(|_| block.is_hashed());
        BlockSight { holders: block.holders(), content: block.has_content(), hash }
    }

    /// The block that a content is found in.
    pub fn found_in(&self, hash: u64) -> Option<u32> {
        self.by_hash.get(hash)
    }

    /// Whether directives mean anything here.
    pub fn obeys_directives(&self) -> bool {
        self.order.as_ref().is_some_and(|order| order.obeys())
    }

    /// Until when a directive of `scope` wants the block of a content kept; nothing without one.
    pub fn wanted_until(&self, hash: u64, scope: u64) -> Option<Micros> {
        let b = self.by_hash.get(hash)?;
        self.order.as_ref()?.wanted_until(b, scope)
    }

    /// The blocks that no request holds and that were used before, in the order in which they will be taken. Those never used
    /// come before them.
    pub fn in_order(&self) -> impl Iterator<Item = IdleBlock> + '_ {
        let mut stamps = self.listed.stamps().all().peekable();
        let (first, mut since) = (self.listed.first(), None);
        self.listed.iter().map(move |(place, entry)| {
            let reached = |place_of: u32| {
                let at = place_of.wrapping_sub(first);
                at >= 1 << 31 || at <= place.wrapping_sub(first)
            };
            while let Some(stamp) = stamps.next_if(|stamp| reached(stamp.place)) {
                since = Some(stamp.at);
            }
            let block = Block(entry);
            IdleBlock { block: block.holders(), cached: block.has_content(), since }
        })
    }

    /// How many cached blocks were evicted between two releases, with the instant of the later one, the newest first. What was
    /// evicted since the latest release comes first, without an instant.
    pub fn evicted_lately(&self) -> impl Iterator<Item = (Option<Micros>, u64)> + '_ {
        let mut until = (None, self.evictions);
        self.listed.stamps().all().rev().map(move |stamp| {
            let (at, upper) = std::mem::replace(&mut until, (Some(stamp.at), stamp.evicted));
            (at, upper - stamp.evicted)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kv::BlockTable;

    #[test]
    fn idle_blocks_come_in_the_order_in_which_they_go_with_the_instant_of_their_release() {
        let mut pool = BlockPool::new(6, 4, true);
        let (mut a, mut b) = (BlockTable::default(), BlockTable::default());
        pool.append_prefill(&mut a, 8, &[11, 13]);
        pool.append_prefill(&mut b, 9, &[21]);
        pool.release(&mut b, 9, Micros(100));
        pool.release(&mut a, 8, Micros(250));
        let idle = |block, cached, since| IdleBlock { block, cached, since: Some(Micros(since)) };
        // The last block of a request first; that of one token has no content.
        let order: Vec<_> = pool.in_order().collect();
        assert_eq!(
            order,
            [
                idle(4, false, 100),
                idle(3, true, 100),
                idle(2, true, 100),
                idle(1, true, 250),
                idle(0, true, 250)
            ]
        );
        assert_eq!((pool.untouched(), pool.numbers()), (1, 6));
        assert_eq!(pool.sight(2), BlockSight { holders: 0, content: true, hash: Some(21) });
        assert_eq!(pool.sight(3), BlockSight { holders: 0, content: true, hash: None });
        assert_eq!((pool.sight(5), pool.found_in(13)), (BlockSight::default(), Some(1)));
        // The block never used goes first, then they do.
        let mut c = BlockTable::default();
        pool.append_prefill(&mut c, 12, &[]);
        assert_eq!(c.blocks(), [5, 4, 3]);
        pool.release(&mut c, 0, Micros(300));
        let evicted: Vec<_> = pool.evicted_lately().collect();
        assert_eq!(evicted, [(None, 0), (Some(Micros(300)), 1), (Some(Micros(250)), 0)]);
    }
}
