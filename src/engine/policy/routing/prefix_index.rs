//! The router's memory of prompts: for each replica the latest block hashes sent there, up to a limit.
//!
//! Recording a prompt makes its blocks the newest, the first block of the prompt first, so the first blocks are also
//! the first to be forgotten. Look-up does not count as use. Blocks of unique text count against the limit like all
//! others, but are never looked up, so only their number is kept.
//!
//! One table holds for each hash the replicas that have it, so a look-up costs one probe a block for all replicas
//! together.

use super::lru::{Lru, NO_KEY};
use base::lookup::LookupMap;
use serde::{Deserialize, Serialize};

/// Block hashes by replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PrefixIndex {
    /// Most blocks remembered for each replica.
    capacity: u32,
    memories: Vec<Memory>,
    holders: Holders,
    /// Buffer for a look-up: the replicas that have all blocks so far.
    #[serde(skip)]
    matching: Matching,
}

/// The blocks of one replica.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Memory {
    /// Blocks in all; a hash counts as one, an entry without a key as many as its value.
    blocks: u32,
    recent: Lru,
}

/// For each hash the set of replicas that remember it, as bits in `words` words.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Holders {
    words: u32,
    place: LookupMap<u64, u32>,
    bits: Vec<u64>,
    vacant: Vec<u32>,
}

/// A set of replicas; a buffer, not part of the state.
#[derive(Clone, Debug, Default)]
struct Matching(Vec<u64>);

impl PartialEq for Matching {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PrefixIndex {
    /// An empty index that remembers at most `capacity` blocks for each replica.
    pub(super) fn new(capacity: u32) -> Self {
        Self { capacity, memories: Vec::new(), holders: Holders::default(), matching: Matching::default() }
    }

    /// Approximate size of a copy in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let memories: u64 = self.memories.iter().map(|m| m.recent.bytes()).sum();
        memories + (24 * self.holders.place.len() + 8 * self.holders.bits.len()) as u64
    }

    /// How many blocks it remembers for a replica.
    pub(super) fn blocks_of(&self, replica: u32) -> u32 {
        self.memories.get(replica as usize).map_or(0, |memory| memory.blocks)
    }

    /// Whether it remembers a block for a replica.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn remembers(&self, replica: u32, hash: u64) -> bool {
        let word = |holders: &[u64]| holders.get(replica as usize / 64).copied();
        self.holders.of(hash).and_then(word).is_some_and(|bits| bits >> (replica % 64) & 1 == 1)
    }

    /// Sets the most blocks remembered for each replica; the oldest are forgotten first.
    pub(super) fn set_capacity(&mut self, capacity: u32) {
        self.capacity = capacity;
        for (replica, memory) in (0..).zip(&mut self.memories) {
            memory.make_room(0, capacity, replica, &mut self.holders);
        }
    }

    /// Forgets all blocks of a replica.
    pub(super) fn forget(&mut self, replica: u32) {
        if let Some(memory) = self.memories.get_mut(replica as usize) {
            memory.make_room(0, 0, replica, &mut self.holders);
        }
    }

    /// Looks up how many leading blocks of `chain` are remembered for each replica: calls `found(replica, blocks)`
    /// for every replica with at least one.
    pub(super) fn look_up(&mut self, chain: &[u64], mut found: impl FnMut(u32, u32)) {
        let matching = &mut self.matching.0;
        matching.clear();
        matching.resize(self.holders.words as usize, u64::MAX);
        let mut blocks = 0;
        for &hash in chain {
            let Some(holders) = self.holders.of(hash) else { break };
            let mut left = 0;
            for (word, (matching, holders)) in (0u32..).zip(matching.iter_mut().zip(holders)) {
                // The replicas that have all blocks before this one (at first: all replicas) but not this one.
                let lost = if blocks == 0 { 0 } else { *matching & !holders };
                *matching &= holders;
                left |= *matching;
                each_bit(lost, |bit| found(64 * word + bit, blocks));
            }
            if left == 0 {
                return;
            }
            blocks += 1;
        }
        if blocks > 0 {
            for (word, &matching) in (0u32..).zip(matching.iter()) {
                each_bit(matching, |bit| found(64 * word + bit, blocks));
            }
        }
    }

    /// Records a prompt of `blocks` full blocks that begins with `chain` for `replica`.
    pub(super) fn record(&mut self, replica: u32, chain: &[u64], blocks: u32) {
        if self.memories.len() <= replica as usize {
            self.memories.resize(replica as usize + 1, Memory::default());
            self.holders.widen(replica);
        }
        let memory = &mut self.memories[replica as usize];
        for &hash in chain {
            if memory.recent.put(hash, 1) {
                // The newest block stays: room is made at the other end.
                memory.blocks += 1;
                memory.make_room(0, self.capacity, replica, &mut self.holders);
                self.holders.add(hash, replica);
            }
        }
        let alone = (blocks - chain.len() as u32).min(self.capacity);
        if alone > 0 {
            memory.make_room(alone, self.capacity, replica, &mut self.holders);
            memory.blocks += alone;
            match memory.recent.newest_mut() {
                Some((NO_KEY, run)) => *run += alone,
                _ => {
                    memory.recent.put(NO_KEY, alone);
                }
            }
        }
    }
}

impl Memory {
    /// Forgets the oldest blocks until `more` fit.
    fn make_room(&mut self, more: u32, capacity: u32, replica: u32, holders: &mut Holders) {
        let mut excess = (self.blocks + more).saturating_sub(capacity);
        self.blocks -= excess;
        while excess > 0 {
            let Some((key, run)) = self.recent.oldest_mut() else { return };
            if key == NO_KEY && *run > excess {
                *run -= excess;
                return;
            }
            excess -= *run;
            self.recent.pop_oldest();
            if key != NO_KEY {
                holders.remove(key, replica);
            }
        }
    }
}

impl Holders {
    /// The replicas that have `hash`, as bits.
    fn of(&self, hash: u64) -> Option<&[u64]> {
        let at = self.place.get(hash)? as usize * self.words as usize;
        Some(&self.bits[at..at + self.words as usize])
    }

    /// Widens the rows for replicas up to number `replica`.
    fn widen(&mut self, replica: u32) {
        let (old, new) = (self.words as usize, (replica / 64 + 1).max(self.words) as usize);
        if new > old && old > 0 {
            let rows = self.bits.chunks_exact(old);
            self.bits = rows.flat_map(|row| row.iter().copied().chain((old..new).map(|_| 0))).collect();
        }
        self.words = new as u32;
    }

    fn add(&mut self, hash: u64, replica: u32) {
        let words = self.words as usize;
        let row = if let Some(row) = self.place.get(hash) {
            row
        } else {
            let row = self.vacant.pop().unwrap_or_else(|| {
                self.bits.resize(self.bits.len() + words, 0);
                (self.bits.len() / words) as u32 - 1
            });
            self.place.insert(hash, row);
            row
        };
        self.bits[row as usize * words + replica as usize / 64] |= 1 << (replica % 64);
    }

    fn remove(&mut self, hash: u64, replica: u32) {
        let row = self.place.get(hash).expect("INV-4: a remembered block has holders");
        let words = self.words as usize;
        let bits = &mut self.bits[row as usize * words..(row as usize + 1) * words];
        bits[replica as usize / 64] &= !(1 << (replica % 64));
        if bits.iter().all(|&word| word == 0) {
            self.place.remove(hash);
            self.vacant.push(row);
        }
    }
}

/// Always equal: the rows in use do not matter, and the memories are compared themselves.
impl PartialEq for Holders {
    fn eq(&self, other: &Self) -> bool {
        self.place.len() == other.place.len()
    }
}

fn each_bit(mut word: u64, mut f: impl FnMut(u32)) {
    while word != 0 {
        f(word.trailing_zeros());
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::{Purpose, Stream};

    /// The definition: a list of hashes for each replica, the oldest first; 0 stands for a block that occurs once.
    #[derive(Default)]
    struct Plain(Vec<Vec<u64>>);

    impl Plain {
        fn record(&mut self, replica: usize, prompt: &[u64], capacity: usize) {
            let known = &mut self.0[replica];
            for &hash in prompt {
                if let Some(at) = known.iter().position(|&h| h == hash && h != 0) {
                    known.remove(at);
                } else if known.len() >= capacity {
                    known.remove(0);
                }
                known.push(hash);
            }
        }

        fn matched(&self, replica: usize, chain: &[u64]) -> u32 {
            chain.iter().take_while(|h| self.0[replica].contains(h)).count() as u32
        }
    }

    #[test]
    fn it_remembers_exactly_what_a_plain_list_would() {
        let (replicas, capacity) = (70, 23);
        let mut draws = Stream::new(3, Purpose::Routing, 0);
        let mut index = PrefixIndex::new(capacity);
        let mut plain = Plain((0..replicas).map(|_| Vec::new()).collect());
        let mut matched = 0;
        for _ in 0..4000 {
            let group = u64::from(draws.below(6)) + 1;
            let chain: Vec<u64> = (0..u64::from(draws.below(9))).map(|k| 2 * (100 * group + k) + 1).collect();
            let alone = [0, 1, 5, 30][draws.below(4) as usize];
            let mut got = vec![0; replicas];
            index.look_up(&chain, |replica, blocks| got[replica as usize] = blocks);
            let want: Vec<u32> = (0..replicas).map(|r| plain.matched(r, &chain)).collect();
            assert_eq!(got, want);
            matched += want.iter().sum::<u32>();
            let replica = draws.below(replicas as u32);
            index.record(replica, &chain, chain.len() as u32 + alone);
            let mut prompt = chain.clone();
            prompt.extend((0..alone).map(|_| 0));
            plain.record(replica as usize, &prompt, capacity as usize);
            assert_eq!(index.memories[replica as usize].blocks as usize, plain.0[replica as usize].len());
            if draws.below(500) == 0 {
                index.forget(replica);
                plain.0[replica as usize].clear();
            }
        }
        assert!(matched > 10_000, "{matched}");
    }
}
