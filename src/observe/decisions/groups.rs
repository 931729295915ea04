//! Decisions in groups. One differs from the one before in few candidates, and there by little: it is written as what it differs in
//! when it comes, and read when somebody asks for it.

use super::KeptDecision;
use crate::base::bits::{BitReader, BitWriter, Usual, signed, unsigned};
use crate::base::{ReplicaId, RequestId};
use crate::policy::{ReplicaPhase, ReplicaView};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;
use std::rc::Rc;

/// Most decisions kept.
const DECISIONS_KEPT: usize = 4096;
/// Most candidates kept, of all these decisions together.
const ROWS_KEPT: usize = 131_072;

/// Decisions of a group. It has fewer if they have more than so many candidates together.
const GROUP: usize = 64;
const GROUP_ROWS: usize = 8192;

/// What is known of a group without reading it.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    decisions: usize,
    /// Candidates of these.
    rows: usize,
    /// The smallest and the largest number of a request they are about.
    requests: Option<(u32, u32)>,
}

/// Decisions that stay as they are.
#[derive(Debug)]
struct Group {
    head: Head,
    bits: Box<[u64]>,
    apart: Vec<KeptDecision>,
    /// What it takes.
    bytes: u64,
}

/// The group that is being written.
#[derive(Clone, Debug, Default)]
struct Open {
    head: Head,
    bits: BitWriter,
    /// Why candidates were excluded, terms and summands, of decisions that had others of these than the one before.
    apart: Vec<KeptDecision>,
    usual: [Usual; kind::ALL],
    latest: KeptDecision,
}

/// The latest decisions.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Oldest first. None changes once it is here: copies share them.
    full: VecDeque<Rc<Group>>,
    open: Open,
    /// Decisions and candidates of all groups.
    decisions: usize,
    rows: usize,
    /// Memory for the next decision.
    next: KeptDecision,
}

/// Numbers of a candidate.
const FIGURES: usize = 9;
/// So many of them, the first ones, change often.
const LIVELY: usize = 5;
/// The true load, which differs from the load as it was seen by about as much as before.
const LOAD: usize = 4;
/// The number of the replica is the next.
const ID: usize = LIVELY;

/// Kinds of numbers: first the figures, then these.
mod kind {
    pub(super) const REQUEST: usize = super::FIGURES;
    pub(super) const CHOSEN: usize = REQUEST + 1;
    pub(super) const COUNT: usize = CHOSEN + 1;
    pub(super) const SCORE: usize = COUNT + 1;
    pub(super) const ALL: usize = SCORE + 1;
}

/// With its true load.
type Candidate = (ReplicaView, u32);

fn figures(view: ReplicaView, load: u32) -> [u32; FIGURES] {
    let ReplicaView { id, pool, phase, waiting, running, in_flight, kv_used, kv_total } = view;
    [waiting, running, in_flight, kv_used, load, id.0, pool, phase as u32, kv_total]
}

/// The load as it was seen.
fn load(figures: &[u32; FIGURES]) -> u32 {
    figures[..3].iter().fold(0, |sum, n| sum.wrapping_add(*n))
}

fn candidate(figures: [u32; FIGURES]) -> Candidate {
    let [waiting, running, in_flight, kv_used, load, id, pool, phase, kv_total] = figures;
    let (id, phase) = (ReplicaId(id), ReplicaPhase::ALL[phase as usize]);
    (ReplicaView { id, pool, phase, waiting, running, in_flight, kv_used, kv_total }, load)
}

impl KeptDecision {
    /// Its numbers, one after the other: `next` gets each with the one that is expected after `was`, and its kind, and returns what is
    /// to stand in its place. So what writes them and what reads them is the same.
    fn walk(&mut self, was: &Self, next: &mut impl FnMut(u64, u64, usize) -> u64) {
        let chosen = |d: &Self| d.chosen.map_or(0, |chosen| 1 + u64::from(chosen));
        self.request = next(u64::from(self.request), u64::from(was.request), kind::REQUEST) as u32;
        let number = next(chosen(self), chosen(was), kind::CHOSEN);
        self.chosen = number.checked_sub(1).map(|chosen| chosen as u32);
        let rows = next(self.seen.len() as u64, was.seen.len() as u64, kind::COUNT) as usize;
        self.seen.resize(rows, ReplicaView::unseen(ReplicaId(0), 0));
        self.true_load.resize(rows, 0);
        for i in 0..rows {
            let before = was.seen.get(i).copied().zip(was.true_load.get(i).copied());
            let same = before == Some((self.seen[i], self.true_load[i]));
            let now = match before {
                Some(before) if next(u64::from(same), 1, kind::COUNT) == 1 => before,
                Some(_) | None => self.other_candidate(i, before, next),
            };
            (self.seen[i], self.true_load[i]) = now;
        }
        let scores = [&mut self.totals, &mut self.values, &mut self.summand_values];
        for (now, was) in scores.into_iter().zip([&was.totals, &was.values, &was.summand_values]) {
            now.resize(next(now.len() as u64, was.len() as u64, kind::COUNT) as usize, 0.0);
            for (i, x) in now.iter_mut().enumerate() {
                let known = was.get(i).map_or(0, |x| x.to_bits());
                *x = f64::from_bits(next(x.to_bits(), known, kind::SCORE));
            }
        }
    }

    /// The candidate at position `i`, which is not as `before`. Where there was none, it is expected to be like the one beside it.
    fn other_candidate(
        &self,
        i: usize,
        before: Option<Candidate>,
        next: &mut impl FnMut(u64, u64, usize) -> u64,
    ) -> Candidate {
        let now = figures(self.seen[i], self.true_load[i]);
        let mut expected = [0; FIGURES];
        if let Some((view, load)) = before {
            expected = figures(view, load);
        } else if i > 0 {
            expected = figures(self.seen[i - 1], self.true_load[i - 1]);
            expected[ID] = expected[ID].wrapping_add(1);
        }
        let unseen = expected[LOAD].wrapping_sub(load(&expected));
        let lively = now[LIVELY..] == expected[LIVELY..];
        let others = if next(u64::from(lively), 1, kind::COUNT) == 1 { LIVELY } else { FIGURES };
        for kind in 0..others {
            if kind == LOAD {
                expected[LOAD] = unseen.wrapping_add(load(&expected));
            }
            expected[kind] = next(u64::from(now[kind]), u64::from(expected[kind]), kind) as u32;
        }
        candidate(expected)
    }

    /// What of it is no number.
    fn columns(&self) -> Self {
        let (excluded, terms, summands) = (self.excluded.clone(), self.terms.clone(), self.summands.clone());
        Self { excluded, terms, summands, ..Self::default() }
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

    /// The latest of its decisions about a request.
    fn latest_about(&self, request: u32, bits: &[u64], apart: &[KeptDecision]) -> Option<KeptDecision> {
        let mut found = None;
        if self.requests.is_some_and(|(first, last)| (first..=last).contains(&request)) {
            self.read(bits, apart, |d| {
                if d.request == request {
                    found = Some(d.clone());
                }
            });
        }
        found
    }

    /// Reads its decisions, the oldest first.
    fn read(&self, bits: &[u64], apart: &[KeptDecision], mut each: impl FnMut(&KeptDecision)) {
        let (mut from, mut apart) = (BitReader::new(bits), apart.iter());
        let (mut was, mut usual) = (KeptDecision::default(), [Usual::default(); kind::ALL]);
        for _ in 0..self.decisions {
            let columns = if from.take(1) == 1 { Some(&was) } else { apart.next() };
            let mut now = columns.expect("INV-6: the terms of a decision are missing").columns();
            now.walk(&was, &mut |_, known, kind| {
                if kind >= FIGURES && from.take(1) == 1 {
                    return known;
                }
                match kind {
                    kind::SCORE => from.take(u64::BITS),
                    other => known.wrapping_add(signed(from.take_usual(&mut usual[other]))),
                }
            });
            each(&now);
            was = now;
        }
    }
}

impl Group {
    fn of(Open { head, bits, apart, .. }: Open) -> Self {
        let bits = bits.finish();
        let bytes = bytes_of(&apart) + (size_of::<Self>() + size_of_val(&*bits)) as u64;
        Self { head, bits, apart, bytes }
    }
}

impl Open {
    fn write(&mut self, now: &mut KeptDecision) {
        let Self { head, bits, apart, usual, latest: was } = self;
        head.enter(now);
        let same = now.excluded == was.excluded && now.terms == was.terms && now.summands == was.summands;
        bits.push(u64::from(same), 1);
        if !same {
            apart.push(now.columns());
        }
        now.walk(was, &mut |number, known, kind| {
            if kind >= FIGURES {
                bits.push(u64::from(number == known), 1);
                if number == known {
                    return number;
                }
            }
            match kind {
                kind::SCORE => bits.push(number, u64::BITS),
                other => bits.push_usual(unsigned(number.wrapping_sub(known)), &mut usual[other]),
            }
            number
        });
        std::mem::swap(was, now);
    }
}

fn bytes_of(apart: &[KeptDecision]) -> u64 {
    apart.iter().map(KeptDecision::size).sum()
}

impl Groups {
    /// Enters a decision about so many candidates, which `fill` writes over another one. The oldest group goes where there is no room.
    pub(super) fn push(&mut self, rows: usize, fill: impl FnOnce(&mut KeptDecision)) {
        while self.decisions >= DECISIONS_KEPT || self.rows + rows > ROWS_KEPT {
            let Some(oldest) = self.full.pop_front() else { break };
            self.decisions -= oldest.head.decisions;
            self.rows -= oldest.head.rows;
        }
        let Head { decisions, rows: others, .. } = self.open.head;
        if decisions == GROUP || (decisions > 0 && others + rows > GROUP_ROWS) {
            self.full.push_back(Rc::new(Group::of(std::mem::take(&mut self.open))));
        }
        fill(&mut self.next);
        self.open.write(&mut self.next);
        self.decisions += 1;
        self.rows += rows;
    }

    /// The latest decision about a request, if that is still kept.
    pub(super) fn latest_about(&self, request: RequestId) -> Option<KeptDecision> {
        let Open { head, bits, apart, .. } = &self.open;
        let open = head.latest_about(request.0, &bits.clone().finish(), apart);
        let older = || self.full.iter().rev().find_map(|g| g.head.latest_about(request.0, &g.bits, &g.apart));
        open.or_else(older)
    }

    /// All, the oldest first.
    fn all(&self) -> Vec<KeptDecision> {
        let mut all = Vec::with_capacity(self.decisions);
        for group in &self.full {
            group.head.read(&group.bits, &group.apart, |d| all.push(d.clone()));
        }
        let Open { head, bits, apart, .. } = &self.open;
        head.read(&bits.clone().finish(), apart, |d| all.push(d.clone()));
        all
    }

    /// Bytes of the decisions that `later`, which went on from a copy, does not share.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        let first = later.and_then(|later| later.full.front());
        // What both have stands in the same order in both.
        let shared = first.map_or(self.full.len(), |first| {
            self.full.iter().position(|group| Rc::ptr_eq(group, first)).unwrap_or(self.full.len())
        });
        let own = self.full.iter().take(shared).map(|group| group.bytes).sum::<u64>();
        let decisions = [&self.open.latest, &self.next].map(KeptDecision::size);
        own + bytes_of(&self.open.apart) + self.open.bits.bytes() + decisions.iter().sum::<u64>()
    }
}

impl Serialize for Groups {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.all().serialize(s)
    }
}

impl<'de> Deserialize<'de> for Groups {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let mut groups = Self::default();
        for decision in Vec::<KeptDecision>::deserialize(d)? {
            groups.push(decision.seen.len(), |next| *next = decision);
        }
        Ok(groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::{Purpose, Stream};
    use crate::policy::ReplicaPhase;
    use crate::policy::routing::Excluded;

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
        assert!(groups.all() == decisions);
        assert!(groups.bytes_beside(None) * 5 < bytes_of(&decisions));
        for (i, decision) in decisions.iter().enumerate() {
            let latest = decisions[i..].iter().rfind(|d| d.request == decision.request);
            assert!(groups.latest_about(RequestId(decision.request)).as_ref() == latest);
        }
        assert!(groups.latest_about(RequestId(1_000_000)).is_none());
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
}
