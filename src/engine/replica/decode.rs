//! The decoding members of a batch, at a cost that follows change.
//!
//! A tick is a step that gives every decoding request one token. A request that starts to decode is put on a wheel of as
//! many slots as a block has tokens: it opens a new block at every tick of its slot, and fills one at the tick before. A
//! heap knows the tick that yields its last token. A step therefore looks only at those that open or fill a block or
//! finish; all others have moved on by one tick without being touched.

use crate::request::{ActiveRequest, Slab, Slot};
use base::multiply::times;
use base::queue::Queue;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// The decoding members of one batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Decoders {
    /// Finished ticks.
    pub(crate) ticks: u64,
    /// By wheel slot: the members that open a block at its ticks, in batch order.
    wheel: Vec<Vec<Slot>>,
    /// The same, of members whose blocks other requests can share: these are hashed when they are full.
    hashed: Vec<Vec<Slot>>,
    /// (tick, order in the batch, slot of the request): when each finishes. Those of requests that left are stale.
    due: Queue<(u64, u64, Slot)>,
    len: u32,
    /// Sum of (progress at the anchor - anchor tick): with `len x ticks` added, the sum of all progress.
    offset: i64,
    /// Requests that got nothing in some step since they last got a token.
    pub(crate) behind: Vec<Slot>,
    /// Requests that get nothing in the running step.
    pub(crate) starved: Vec<Slot>,
}

impl Decoders {
    pub(crate) fn new(block_tokens: u32) -> Self {
        Self {
            ticks: 0,
            wheel: vec![Vec::new(); block_tokens as usize],
            hashed: vec![Vec::new(); block_tokens as usize],
            due: Queue::default(),
            len: 0,
            offset: 0,
            behind: Vec::new(),
            starved: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Sum of the tokens all of them have in the cache.
    pub(crate) fn context(&self) -> u64 {
        let sum = self.offset + times(self.ticks, self.len) as i64;
        u64::try_from(sum).expect("INV-4: a negative context")
    }

    /// Number of wheel slots, which is the number of tokens in a block.
    fn slots(&self) -> u64 {
        self.wheel.len() as u64
    }

    /// The wheel slot of a tick. Blocks of 2^k tokens need no division, which every step would pay.
    fn row(&self, tick: u64) -> usize {
        let n = self.slots();
        (if n.is_power_of_two() { tick & (n - 1) } else { tick % n }) as usize
    }

    /// The members that open a block at the next tick, in batch order.
    pub(crate) fn opening(&self) -> &[Slot] {
        &self.wheel[self.row(self.ticks + 1)]
    }

    /// The members that fill a shareable block at the next tick, in batch order; not for blocks of one token.
    pub(crate) fn filling(&self) -> &[Slot] {
        &self.hashed[self.row(self.ticks + 2)]
    }

    /// A request whose progress is as of `ticks` starts to decode.
    pub(crate) fn join(&mut self, slot: Slot, slab: &mut Slab) {
        let active = &mut slab[slot];
        active.decoding = true;
        active.anchor_tick = self.ticks;
        active.behind = false;
        active.starved_tick = 0;
        self.insert(slot, slab);
    }

    /// The same, with the latest token ready at `shown`. If another front end shows it later, the gap before the next one is not a step.
    pub(crate) fn join_after(&mut self, slot: Slot, shown: Micros, slab: &mut Slab) {
        self.join(slot, slab);
        if slab[slot].last_token > shown {
            self.fall_behind(slot, slab);
        }
    }

    /// A request starts to decode and to verify drafts: ticks say nothing about its progress, and it is on no wheel.
    pub(crate) fn join_verifying(&mut self, slot: Slot, slab: &mut Slab) {
        let active = &mut slab[slot];
        active.decoding = true;
        active.anchor_tick = ActiveRequest::VERIFIES;
        active.behind = true;
        active.granted = 0;
        self.len += 1;
    }

    /// Takes a member out and settles its progress.
    pub(crate) fn leave(&mut self, slot: Slot, slab: &mut Slab) {
        if slab[slot].verifies() {
            self.len -= 1;
        } else {
            self.extract(slot, slab);
        }
        let active = &mut slab[slot];
        active.settle(self.ticks);
        active.decoding = false;
        if active.behind {
            self.behind.retain(|&s| s != slot);
            active.behind = false;
        }
        self.starved.retain(|&s| s != slot);
    }

    /// A member gets nothing at the tick after `ticks`: everything it was to do comes one tick later. The tokens of the latest
    /// step were shown at `last_shown`.
    pub(crate) fn starve(&mut self, slot: Slot, slab: &mut Slab, last_shown: Micros) {
        self.extract(slot, slab);
        let next = self.ticks + 1;
        let active = &mut slab[slot];
        active.settle(self.ticks);
        active.anchor_tick = next;
        active.starved_tick = next;
        if !active.behind {
            active.last_token = last_shown;
            self.fall_behind(slot, slab);
        }
        self.insert(slot, slab);
        self.starved.push(slot);
    }

    /// The gap before the next token of a member is not a step.
    pub(crate) fn fall_behind(&mut self, slot: Slot, slab: &mut Slab) {
        slab[slot].behind = true;
        self.behind.push(slot);
    }

    /// The next request whose last token comes with the latest finished tick.
    #[inline(always)]
    pub(crate) fn pop_due(&mut self, slab: &Slab) -> Option<Slot> {
        let due = self.due.peek().is_some_and(|&(tick, ..)| tick <= self.ticks);
        if due { self.pop_due_now(slab) } else { None }
    }

    fn pop_due_now(&mut self, slab: &Slab) -> Option<Slot> {
        while let Some(&(tick, order, slot)) = self.due.peek() {
            if tick > self.ticks {
                return None;
            }
            self.due.pop();
            if let Some(active) = still_due(slab, tick, order, slot) {
                assert!(tick == self.ticks, "INV-8: {:?} finished late", active.id);
                return Some(slot);
            }
        }
        None
    }

    /// `compat: blis`: the latest tick took `span`, which does not count for members that got no token. That simulator adds up the
    /// gaps between tokens, and has none for a step that a request sat out.
    pub(crate) fn pass_over(&mut self, span: Span, slab: &mut Slab) {
        for &slot in &self.starved {
            slab[slot].sat_out += span;
        }
        for slot in self.behind.drain(..) {
            slab[slot].behind = false;
        }
    }

    fn insert(&mut self, slot: Slot, slab: &mut Slab) {
        let n = self.slots();
        let active = &mut slab[slot];
        active.due_tick = active.anchor_tick + u64::from(active.tokens_due() - active.generated);
        let (order, due) = (active.order, active.due_tick);
        self.offset += i64::from(active.progress) - active.anchor_tick as i64;
        self.len += 1;
        let place = (active.anchor_tick + 1 + n - u64::from(active.progress + active.excess) % n) % n;
        let hashed = active.output_is_shareable();
        insert_in_order(&mut self.wheel[place as usize], slot, order, slab);
        if hashed {
            insert_in_order(&mut self.hashed[place as usize], slot, order, slab);
        }
        self.due.push((due, order, slot));
        if self.due.len() > 64 + 4 * self.len as usize {
            self.drop_stale(slab);
        }
    }

    fn extract(&mut self, slot: Slot, slab: &Slab) {
        let n = self.slots();
        let active = &slab[slot];
        let place = (active.anchor_tick + 1 + n - u64::from(active.progress + active.excess) % n) % n;
        remove_from(&mut self.wheel[place as usize], slot);
        if active.output_is_shareable() {
            remove_from(&mut self.hashed[place as usize], slot);
        }
        self.offset -= i64::from(active.progress) - active.anchor_tick as i64;
        self.len -= 1;
    }

    /// Keeps the heap proportional to the batch when preemption leaves many stale entries.
    fn drop_stale(&mut self, slab: &Slab) {
        let fresh: Vec<_> = self
            .due
            .iter()
            .copied()
            .filter(|&(tick, order, slot)| still_due(slab, tick, order, slot).is_some())
            .collect();
        self.due.clear();
        for entry in fresh {
            self.due.push(entry);
        }
    }
}

/// The request that an entry of `due` is about, unless the entry is stale: the request has left, or lost its place in the
/// batch, or gets its last token at another tick now.
fn still_due(slab: &Slab, tick: u64, order: u64, slot: Slot) -> Option<&ActiveRequest> {
    slab.get(slot).filter(|active| active.order == order && active.decoding && active.due_tick == tick)
}

/// Rows are in batch order; a new member is usually the last.
fn insert_in_order(row: &mut Vec<Slot>, slot: Slot, order: u64, slab: &Slab) {
    let at = row.len() - row.iter().rev().take_while(|&&s| slab[s].order > order).count();
    row.insert(at, slot);
}

fn remove_from(row: &mut Vec<Slot>, slot: Slot) {
    let at = row.iter().rposition(|&s| s == slot).expect("INV-2: a decoding request is not on the wheel");
    row.remove(at);
}

/// The work of the requests that decode in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decoding {
    /// How many there are.
    pub(crate) sequences: u32,
    /// Sum of their contexts before it.
    pub(crate) context: u64,
    /// Drafts that they verify together.
    pub(crate) drafts: u32,
}

impl Decoding {
    /// No work.
    pub(crate) const NONE: Self = Self { sequences: 0, context: 0, drafts: 0 };
}
