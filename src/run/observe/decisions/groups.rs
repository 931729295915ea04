//! Decisions stored in groups: entering a decision copies it. A full group can be packed, once for the run and all
//! checkpoints, which keep only the packed form. There a decision is coded as its difference from the one before: few
//! candidates change, and by little.

mod plain;

use super::KeptDecision;
use super::code::{Code, DecisionReader, DecisionWriter};
use base::{PACKS, RequestId};
use plain::Plain;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Most decisions kept.
const DECISIONS_KEPT: usize = 4096;
/// Most candidates kept, of all these decisions together.
const ROWS_KEPT: usize = 131_072;

/// Decisions of a group. It has fewer if they have too many candidates together.
const GROUP: usize = 64;
const GROUP_ROWS: usize = 8192;

/// What is known about a group without unpacking it.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    decisions: usize,
    /// Candidates of these.
    rows: usize,
    /// The smallest and the largest request number of its decisions.
    requests: Option<(u32, u32)>,
}

/// Decisions one after the other: plain, packed, or both.
#[derive(Clone, Debug, Default)]
struct Group {
    head: Head,
    /// Exclusions, terms and summands of the decisions where these differ from the decision before.
    apart: Rc<Vec<KeptDecision>>,
    plain: Option<Plain>,
    packed: OnceCell<Rc<[u64]>>,
}

/// The latest decisions.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Oldest first. A group here never changes, so copies share it.
    full: VecDeque<Rc<Group>>,
    /// The group that is being written.
    open: Group,
    /// Decisions and candidates of all groups.
    decisions: usize,
    rows: usize,
    /// Memory for the next decision, and for the next group.
    next: KeptDecision,
    spare: Plain,
}

impl KeptDecision {
    /// Its columns that are not numbers.
    fn columns(&self) -> Self {
        let (excluded, terms, summands) = (self.excluded.clone(), self.terms.clone(), self.summands.clone());
        Self { excluded, terms, summands, ..Self::default() }
    }

    fn has_columns_of(&self, other: &Self) -> bool {
        self.excluded == other.excluded && self.terms == other.terms && self.summands == other.summands
    }
}

impl Head {
    fn enter(&mut self, decision: &KeptDecision) {
        self.decisions += 1;
        self.rows += decision.seen.len();
        let number = decision.request;
        let (first, last) = self.requests.unwrap_or((number, number));
        self.requests = Some((first.min(number), last.max(number)));
    }

    fn may_have(&self, request: u32) -> bool {
        self.requests.is_some_and(|(first, last)| (first..=last).contains(&request))
    }
}

impl Group {
    fn enter(&mut self, decision: &KeptDecision) {
        self.head.enter(decision);
        let known = self.apart.last().is_some_and(|columns| decision.has_columns_of(columns));
        if !known {
            Rc::make_mut(&mut self.apart).push(decision.columns());
        }
        self.plain.get_or_insert_default().enter(decision, known);
    }

    /// Its latest decision about a request.
    fn latest_about(&self, request: u32) -> Option<KeptDecision> {
        let mut found = None;
        if self.head.may_have(request) {
            self.read(|d| {
                if d.request == request {
                    found = Some(d.clone());
                }
            });
        }
        found
    }

    /// Reads its decisions, the oldest first.
    fn read(&self, mut each: impl FnMut(&KeptDecision)) {
        match &self.plain {
            Some(plain) => plain.read(&self.apart, |d, _| each(d)),
            None if PACKS && self.head.decisions > 0 => self.read_packed(each),
            None => {}
        }
    }

    fn read_packed(&self, mut each: impl FnMut(&KeptDecision)) {
        let packed = self.packed.get().expect("INV-6: a group of decisions is missing");
        let (mut from, mut apart) = (DecisionReader::new(packed), self.apart.iter());
        let mut was = KeptDecision::default();
        for _ in 0..self.head.decisions {
            let columns = if from.flag(false) { Some(&was) } else { apart.next() };
            let mut now = columns.expect("INV-6: the terms of a decision are missing").columns();
            now.walk(&was, &mut from);
            each(&now);
            was = now;
        }
    }

    fn pack(&self) -> Rc<[u64]> {
        let Some(plain) = &self.plain else { return Rc::default() };
        let (mut to, mut was) = (DecisionWriter::default(), KeptDecision::default());
        plain.read(&self.apart, |now, known| {
            to.flag(known);
            now.walk(&was, &mut to);
            was.clone_from(now);
        });
        to.finish().into()
    }

    /// The group as a checkpoint keeps it.
    fn at_rest(&self) -> Self {
        let packed = Rc::clone(self.packed.get_or_init(|| self.pack()));
        Self { head: self.head, apart: Rc::clone(&self.apart), plain: None, packed: packed.into() }
    }

    /// The group at rest, unpacked for writing.
    fn plain_again(&self) -> Self {
        let mut group = Self::default();
        self.read(|d| group.enter(d));
        group
    }

    fn shares(&self, other: &Self) -> bool {
        let both = self.packed.get().zip(other.packed.get());
        std::ptr::eq(self, other) || both.is_some_and(|(a, b)| Rc::ptr_eq(a, b))
    }

    fn bytes(&self) -> u64 {
        let apart = self.apart.iter().map(KeptDecision::size).sum::<u64>();
        let packed = self.packed.get().map_or(0, |packed| size_of_val(&**packed) as u64);
        size_of::<Self>() as u64 + apart + packed + self.plain.as_ref().map_or(0, Plain::bytes)
    }
}

impl Groups {
    /// Enters a decision with `rows` candidates, which `fill` writes over an old decision. The oldest group is
    /// dropped if there is no room.
    pub(super) fn push(&mut self, rows: usize, fill: impl FnOnce(&mut KeptDecision)) {
        while self.decisions >= DECISIONS_KEPT || self.rows + rows > ROWS_KEPT {
            let Some(oldest) = self.full.pop_front() else { break };
            self.decisions -= oldest.head.decisions;
            self.rows -= oldest.head.rows;
            let plain = Rc::into_inner(oldest).and_then(|group| group.plain);
            self.spare = plain.map_or_else(Plain::default, Plain::emptied);
        }
        let Head { decisions, rows: others, .. } = self.open.head;
        if decisions == GROUP || (decisions > 0 && others + rows > GROUP_ROWS) {
            let plain = Some(std::mem::take(&mut self.spare));
            let full = std::mem::replace(&mut self.open, Group { plain, ..Group::default() });
            self.full.push_back(Rc::new(full));
        }
        fill(&mut self.next);
        self.open.enter(&self.next);
        self.decisions += 1;
        self.rows += rows;
    }

    /// Bytes of decisions that no checkpoint has packed yet.
    pub(super) fn bytes_to_pack(&self) -> u64 {
        let unpacked = |group: &&Group| group.packed.get().is_none();
        let groups = self.full.iter().map(|group| &**group).chain([&self.open]);
        groups.filter(unpacked).filter_map(|group| group.plain.as_ref()).map(Plain::bytes).sum()
    }

    /// The latest decision about a request, if that is still kept.
    pub(super) fn latest_about(&self, request: RequestId) -> Option<KeptDecision> {
        let older = || self.full.iter().rev().find_map(|group| group.latest_about(request.0));
        self.open.latest_about(request.0).or_else(older)
    }

    /// Reads all, the oldest first.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn each(&self, mut read: impl FnMut(&KeptDecision)) {
        for group in self.full.iter().map(|group| &**group).chain([&self.open]) {
            group.read(&mut read);
        }
    }

    /// All, the oldest first.
    fn all(&self) -> Vec<KeptDecision> {
        let mut all = Vec::with_capacity(self.decisions);
        for group in self.full.iter().map(|group| &**group).chain([&self.open]) {
            group.read(|d| all.push(d.clone()));
        }
        all
    }

    /// Packs the decisions and frees spare memory.
    pub(super) fn pack(&mut self) {
        for group in self.full.iter_mut().filter(|group| group.plain.is_some()) {
            *group = Rc::new(group.at_rest());
        }
        self.open = self.open.at_rest();
        (self.next, self.spare) = Default::default();
    }

    /// Restores the group being written; full groups are unpacked when they are read.
    pub(super) fn unpack(&mut self) {
        self.open = self.open.plain_again();
    }

    /// Bytes of the decisions not shared with `later`, which continued from a copy.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        let first = later.and_then(|later| later.full.front());
        // Shared groups are in the same order in both.
        let shared = first.map_or(self.full.len(), |first| {
            self.full.iter().position(|group| group.shares(first)).unwrap_or(self.full.len())
        });
        let own = self.full.iter().take(shared).map(|group| group.bytes()).sum::<u64>();
        own + self.open.bytes() + self.next.size() + self.spare.bytes()
    }
}

impl Serialize for Groups {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        (self.all(), self.rows).serialize(s)
    }
}

impl<'de> Deserialize<'de> for Groups {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let (all, rows) = <(Vec<KeptDecision>, usize)>::deserialize(d)?;
        let mut groups = Self::default();
        for decision in all {
            groups.push(decision.seen.len(), |next| *next = decision);
        }
        if groups.rows == rows { Ok(groups) } else { Err(D::Error::custom("another number of candidates")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::ReplicaId;
    use base::rng::{Purpose, Stream};
    use engine::policy::routing::{Excluded, Term};
    use engine::policy::{ReplicaPhase, ReplicaView};

    impl KeptDecision {
        /// Scores its candidates as routers do.
        fn score(&mut self, rounds: u32) {
            self.terms = vec![(Term::Idle, 0.5), (Term::Cache, 0.25)];
            let free = self.seen.iter().map(|view| 1.0 - view.kv_use());
            let idle = self.seen.iter().map(|view| f64::from(view.load() % (1 + rounds)) / 7.0);
            self.values = free.chain(idle).collect();
            let (free, idle) = self.values.split_at(self.seen.len());
            self.totals = free.iter().zip(idle).map(|(free, idle)| 0.0 + free * 0.5 + idle * 0.25).collect();
        }
    }

    #[test]
    fn decisions_come_back_as_they_were_and_take_little() {
        let mut draws = Stream::new(3, Purpose::Ties, 0);
        let mut decisions = Vec::new();
        let unseen = |r: usize| ReplicaView::unseen(ReplicaId(r as u32), 0);
        let mut now = KeptDecision {
            seen: (0..64).map(unseen).collect(),
            true_load: vec![0; 64],
            ..KeptDecision::default()
        };
        for request in 0..500 {
            let at = draws.below(64) as usize;
            now.request = request + request / 7;
            now.chosen = (draws.below(5) > 0).then_some(at as u32);
            if at < now.seen.len() {
                now.seen[at].kv_used = now.seen[at].kv_used.wrapping_add(draws.below(30)).wrapping_sub(9);
                (now.seen[at].running, now.seen[at].kv_total) = (draws.below(5), 1 + draws.below(2));
                now.true_load[at] = draws.below(u32::MAX);
            }
            match draws.below(30) {
                0 => now.seen[3].phase = ReplicaPhase::Serving,
                1 => now.excluded = vec![Some(Excluded::QueueFull), None],
                2 => now.totals = (0..now.seen.len()).map(|i| 1.0 / (1.0 + i as f64)).collect(),
                3 => now.values = vec![f64::NEG_INFINITY, -0.0],
                6 => now.summands = vec![(1, "a + b".into())],
                7 => now.summand_values.push(0.25),
                4 => now.seen.swap(0, 1),
                8 | 9 => now.score(draws.below(7)),
                5 => {
                    let rows = 4 + draws.below(60) as usize;
                    now.seen = (0..rows).map(unseen).collect();
                    now.true_load = vec![9; rows];
                }
                _ => {}
            }
            decisions.push(now.clone());
        }
        let mut groups = Groups::default();
        for decision in &decisions {
            groups.push(decision.seen.len(), |next| next.clone_from(decision));
        }
        let mut packed = groups.clone();
        packed.pack();
        let plain = decisions.iter().map(KeptDecision::size).sum::<u64>();
        assert!(packed.bytes_beside(None) * 5 < plain);
        let mut restored = packed.clone();
        restored.unpack();
        for groups in [groups, packed, restored] {
            assert!(groups.all() == decisions);
            for (i, decision) in decisions.iter().enumerate() {
                let latest = decisions[i..].iter().rfind(|d| d.request == decision.request);
                assert!(groups.latest_about(RequestId(decision.request)).as_ref() == latest);
            }
            assert!(groups.latest_about(RequestId(1_000_000)).is_none());
        }
    }

    #[test]
    fn the_oldest_decisions_go_where_there_is_no_room() {
        for rows in [1, 100, 5000] {
            let mut groups = Groups::default();
            let requests = 3 * DECISIONS_KEPT.min(ROWS_KEPT / rows) as u32;
            for request in 0..requests {
                groups.push(rows, |next| {
                    next.request = request;
                    next.seen.resize(rows, ReplicaView::unseen(ReplicaId(0), 0));
                    next.true_load.resize(rows, 0);
                });
                assert!(groups.decisions <= DECISIONS_KEPT && groups.rows <= ROWS_KEPT);
            }
            let kept = groups.all();
            assert_eq!((kept.len(), kept.len() * rows), (groups.decisions, groups.rows));
            assert!(kept.iter().map(|d| d.request).eq(requests - kept.len() as u32..requests));
            assert!(kept.len() + GROUP > DECISIONS_KEPT.min(ROWS_KEPT / rows), "{rows}: {}", kept.len());
        }
    }

    #[test]
    fn a_copy_that_went_on_shares_the_groups_that_are_full() {
        let mut groups = Groups::default();
        let push = |groups: &mut Groups, requests: std::ops::Range<u32>| {
            for request in requests {
                groups.push(0, |next| next.request = request);
            }
        };
        push(&mut groups, 0..1000);
        let alone = groups.bytes_beside(None);
        let mut later = groups.clone();
        push(&mut later, 1000..1100);
        let own = groups.bytes_beside(Some(&later));
        assert!(own < alone / 2, "{own} of {alone}");
        push(&mut later, 1100..9000);
        assert_eq!(groups.bytes_beside(Some(&later)), alone);
    }

    #[test]
    fn a_group_is_packed_once_for_all_checkpoints_even_after_one_was_restored() {
        let mut groups = Groups::default();
        let mut next = 0;
        let mut checkpoints = Vec::new();
        for _ in 0..4 {
            for _ in 0..1000 {
                groups.push(0, |decision| decision.request = next);
                next += 1;
            }
            let mut checkpoint = groups.clone();
            checkpoint.pack();
            assert!(
                checkpoint.full.iter().chain([&Rc::new(checkpoint.open.clone())]).all(|g| g.plain.is_none())
            );
            groups = checkpoint.clone();
            groups.unpack();
            checkpoints.push(checkpoint);
        }
        for two in checkpoints.windows(2) {
            let same = two[0].full.iter().zip(&two[1].full).filter(|(a, b)| a.shares(b)).count();
            assert_eq!(same, two[0].full.len());
            assert!(two[0].bytes_beside(Some(&two[1])) < two[0].bytes_beside(None) / 4);
        }
        assert!(groups.all().iter().map(|d| d.request).eq(0..next));
    }
}
