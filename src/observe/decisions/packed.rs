//! Packed decisions: what a checkpoint keeps of them. One differs from the one before in few candidates, and there by little.

use super::KeptDecision;
use crate::base::ReplicaId;
use crate::base::bits::{BitReader, BitWriter, Usual, signed, unsigned};
use crate::base::shared_queue::Entry;
use crate::policy::{ReplicaPhase, ReplicaView};
use std::rc::Rc;

/// Decisions, each as what it differs in from the one before.
#[derive(Debug, Default)]
pub(super) struct Packed {
    bits: Box<[u64]>,
    /// Why candidates were excluded, terms and summands, of decisions that had others of these than the one before.
    apart: Vec<KeptDecision>,
}

/// Numbers of a candidate.
const FIGURES: usize = 9;
/// So many of them, the first ones, change often.
const LIVELY: usize = 5;
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
        let lively = now[LIVELY..] == expected[LIVELY..];
        let others = if next(u64::from(lively), 1, kind::COUNT) == 1 { LIVELY } else { FIGURES };
        for kind in 0..others {
            expected[kind] = next(u64::from(now[kind]), u64::from(expected[kind]), kind) as u32;
        }
        candidate(expected)
    }

    /// Has the numbers of `other`, in the memory it has.
    fn count_as(&mut self, other: &Self) {
        (self.request, self.chosen) = (other.request, other.chosen);
        self.seen.clone_from(&other.seen);
        self.true_load.clone_from(&other.true_load);
        self.totals.clone_from(&other.totals);
        self.values.clone_from(&other.values);
        self.summand_values.clone_from(&other.summand_values);
    }

    /// What of it is no number.
    fn columns(&self) -> Self {
        let (excluded, terms, summands) = (self.excluded.clone(), self.terms.clone(), self.summands.clone());
        Self { excluded, terms, summands, ..Self::default() }
    }
}

impl Entry for KeptDecision {
    type Packed = Packed;

    fn pack(piece: &[Self]) -> Rc<Packed> {
        let (mut apart, mut out) = (Vec::new(), BitWriter::default());
        out.push_number(piece.len() as u32);
        let (mut was, mut usual) = (&Self::default(), [Usual::default(); kind::ALL]);
        let mut copy = Self::default();
        for now in piece {
            let same = now.excluded == was.excluded && now.terms == was.terms && now.summands == was.summands;
            out.push(u64::from(same), 1);
            if !same {
                apart.push(now.columns());
            }
            copy.count_as(now);
            copy.walk(was, &mut |number, known, kind| {
                if kind >= FIGURES {
                    out.push(u64::from(number == known), 1);
                    if number == known {
                        return number;
                    }
                }
                match kind {
                    kind::SCORE => out.push(number, u64::BITS),
                    other => out.push_usual(unsigned(number.wrapping_sub(known)), &mut usual[other]),
                }
                number
            });
            was = now;
        }
        Rc::new(Packed { bits: out.finish(), apart })
    }

    fn unpack(packed: &Packed) -> Vec<Self> {
        let (mut from, mut apart) = (BitReader::new(&packed.bits), packed.apart.iter());
        let (first, mut usual) = (Self::default(), [Usual::default(); kind::ALL]);
        let mut all: Vec<Self> = Vec::new();
        for _ in 0..from.take_number() {
            let was = all.last().unwrap_or(&first);
            let columns = if from.take(1) == 1 { Some(was) } else { apart.next() };
            let mut now = columns.expect("INV-6: the terms of a decision are missing").columns();
            now.walk(was, &mut |_, known, kind| {
                if kind >= FIGURES && from.take(1) == 1 {
                    return known;
                }
                match kind {
                    kind::SCORE => from.take(u64::BITS),
                    other => known.wrapping_add(signed(from.take_usual(&mut usual[other]))),
                }
            });
            all.push(now);
        }
        all
    }

    fn bytes(piece: &[Self]) -> u64 {
        piece.iter().map(Self::size).sum()
    }

    fn packed_bytes(packed: &Packed) -> u64 {
        size_of_val(&*packed.bits) as u64 + Self::bytes(&packed.apart)
    }
}

#[cfg(test)]
mod tests {
    use super::super::GROUP;
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
        let alone = KeptDecision::bytes(&decisions);
        for of in [1, GROUP, 500] {
            let mut bytes = 0;
            for group in decisions.chunks(of) {
                let packed = KeptDecision::pack(group);
                bytes += KeptDecision::packed_bytes(&packed);
                assert!(KeptDecision::unpack(&packed) == group);
            }
            assert!(of == 1 || bytes * 5 < alone, "{bytes} of {alone} in groups of {of}");
        }
    }
}
