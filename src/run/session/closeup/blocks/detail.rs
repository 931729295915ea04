//! One block in full.

use super::count::{page_at, page_of};
use super::{BlockDetail, BlockQuery, PAGE};
use crate::session::Session;
use base::number_text::{count, duration};
use engine::HeldBlocks;
use engine::kv::{BlockPool, BlockSight};

/// Most nodes of the tree that are looked at for the run of a block.
const NODES: u32 = 2048;

/// The place of a block among those that no request holds.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Among the cached ones.
    order: Option<u32>,
    /// Among all.
    before_it: Option<u32>,
    idle_us: Option<u64>,
    next: Option<u32>,
}

impl Session {
    /// One block in full; `None` if there is no such block or single blocks are not shown.
    pub fn block_detail(&self, query: &BlockQuery) -> Option<BlockDetail> {
        let engine = &self.engine;
        let replica = engine.replicas().get(query.replica as usize)?;
        let (kv, block) = (replica.kv(), query.block);
        if !engine.shows_blocks() || block >= kv.numbers() {
            return None;
        }
        let held = engine.held_blocks(replica);
        let (_, numbers) = page_at(kv, block / PAGE);
        let (mut grid, _) = page_of(kv, &held, numbers, self.playhead);
        let search = self.search(replica);
        let texts = search.cached_texts();
        let prefixes = search.prefixes(&held, &texts, NODES, &mut grid);
        let at = (block - grid.first) as usize;
        let (sight, place) = (kv.sight(block), self.place_of(kv, block));
        let holders: Vec<&HeldBlocks<'_>> = held.iter().filter(|one| one.blocks.contains(&block)).collect();
        let first = holders.first().copied();
        let position = first.and_then(|one| one.blocks.iter().position(|b| *b == block)).map(|p| p as u32);
        let chain = usize::try_from(grid.node[at]).ok().map_or(&[][..], |node| &prefixes.chains[node][..]);
        let group = usize::try_from(grid.group[at]).ok();
        let holders: Vec<u32> = holders.iter().map(|one| one.request.0).collect();
        let state = grid.states.chars().nth(at).unwrap_or('.');
        let sentence = sentence(state, &holders, sight, place);
        Some(BlockDetail {
            replica: query.replica,
            block,
            state: state.to_string(),
            position,
            of: first.map(|one| one.blocks.len() as u32),
            tokens: first.zip(position).and_then(|(one, position)| tokens_of(kv, one, position)),
            group: group.map(|group| prefixes.groups[group].name.clone()),
            hash: sight.hash.map(hex),
            before: hash_before(kv, first.zip(position), sight, chain).map(hex),
            idle_us: place.idle_us,
            order: place.order,
            before_it: place.before_it,
            cached: kv.cached(),
            free: kv.free() - kv.cached(),
            next: place.next,
            holders,
            sentence,
        })
    }

    fn place_of(&self, kv: &BlockPool, block: u32) -> Place {
        let (mut place, mut rank) = (Place::default(), 0);
        if block >= kv.numbers() - kv.untouched() {
            place.before_it = Some(block + kv.untouched() - kv.numbers());
        }
        for (before, idle) in (kv.untouched()..).zip(kv.in_order()) {
            if idle.block == block {
                place.before_it = Some(before);
                if idle.cached {
                    place.order = Some(rank);
                    place.idle_us = idle.since.map(|since| self.playhead.since(since).0);
                }
            }
            if idle.cached {
                place.next = place.next.or(Some(idle.block));
                rank += 1;
            }
        }
        place
    }
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

/// The tokens of a request that its block number `position` holds; `None` while it has none.
fn tokens_of(kv: &BlockPool, held: &HeldBlocks<'_>, position: u32) -> Option<[u32; 2]> {
    let from = position * kv.block_tokens();
    let end = (from + kv.block_tokens()).min(held.tokens);
    (from < end).then_some([from, end])
}

/// The hash of the content before that of a block: of the block before it in a table, or in the run that it belongs to.
fn hash_before(
    kv: &BlockPool,
    held: Option<(&HeldBlocks<'_>, u32)>,
    sight: BlockSight,
    chain: &[u64],
) -> Option<u64> {
    let hash = sight.hash?;
    if let Some((held, position)) = held {
        return kv.sight(held.blocks[position.checked_sub(1)? as usize]).hash;
    }
    let at = chain.iter().position(|known| *known == hash)?;
    Some(chain[at.checked_sub(1)?])
}

/// When it goes.
fn sentence(state: char, holders: &[u32], sight: BlockSight, place: Place) -> String {
    let idle =
        place.idle_us.map_or_else(String::new, |us| format!(" No request has held it for {}.", duration(us)));
    match (state, place.before_it, place.order) {
        ('x', ..) => "A smaller cache has taken it out of service.".to_owned(),
        ('h', ..) => "Held until its request's KV has landed at its home.".to_owned(),
        ('r', ..) => "Set aside for KV that is on its way here.".to_owned(),
        (_, _, Some(0)) => format!("It is the next cached block to be evicted.{idle}"),
        (_, Some(before), Some(order)) => format!(
            "{} blocks are taken before it, {} of them cached.{idle}",
            count(before.into()),
            count(order.into())
        ),
        (_, Some(0), None) => "Empty: it is the next block to be taken.".to_owned(),
        (_, Some(before), None) => format!("Empty: {} blocks are taken before it.", count(before.into())),
        (_, None, _) if holders.is_empty() && sight.holders > 0 => {
            "Held for the states of running requests, without content that others can use.".to_owned()
        }
        (_, None, _) if holders.len() > 1 => {
            format!(
                "Held by {} requests: it joins the end of the order when the last of them lets it go.",
                holders.len()
            )
        }
        (_, None, _) => "Held: it joins the end of the order when its request lets it go.".to_owned(),
    }
}
