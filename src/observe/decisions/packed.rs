//! Packed decisions: what a checkpoint keeps of them. One differs from the one before in few candidates, and there by little.

use super::KeptDecision;
use crate::base::ReplicaId;
use crate::base::bits::{BitReader, BitWriter, Usual, signed, unsigned};
use crate::base::shared_queue::Entry;
use crate::policy::ReplicaView;
use std::rc::Rc;

/// Decisions, each as what it differs in from the one before.
#[derive(Debug, Default)]
pub(super) struct Packed {
    bits: Box<[u64]>,
    /// Candidates that are not written as differences, in order.
    views: Vec<ReplicaView>,
    /// Why candidates were excluded, terms and summands, of decisions that had others of these than the one before.
    apart: Vec<KeptDecision>,
}

/// What of a candidate changes from one decision to the next.
fn figures(view: &ReplicaView, true_load: u32) -> [u32; 5] {
    [view.waiting, view.running, view.in_flight, view.kv_used, true_load]
}

/// The candidate whose figures are others.
fn with_figures(view: &ReplicaView, [waiting, running, in_flight, kv_used, _]: [u32; 5]) -> ReplicaView {
    ReplicaView { waiting, running, in_flight, kv_used, ..*view }
}

/// A candidate with its true load.
type Candidate = (ReplicaView, u32);

/// The candidate at position `i` as it is expected to be: as in the decision before, or else like the one before it.
fn expected(was: &KeptDecision, i: usize, latest: Option<Candidate>) -> Option<Candidate> {
    let next =
        |(view, load): Candidate| (ReplicaView { id: ReplicaId(view.id.0.wrapping_add(1)), ..view }, load);
    was.seen.get(i).copied().zip(was.true_load.get(i).copied()).or_else(|| latest.map(next))
}

/// How large changes of each figure are.
type Usuals = [Usual; 5];

impl Packed {
    fn write_candidate(
        &mut self,
        out: &mut BitWriter,
        usual: &mut Usuals,
        (view, load): Candidate,
        expected: Option<Candidate>,
    ) {
        let figures_now = figures(&view, load);
        let alike = expected.filter(|(expected, _)| view == with_figures(expected, figures_now));
        let figures_were = alike.map_or([0; 5], |(view, load)| figures(&view, load));
        if alike.is_some() && figures_now == figures_were {
            out.push(0b1, 1);
            return;
        }
        out.push(if alike.is_some() { 0b10 } else { 0b00 }, 2);
        if alike.is_none() {
            self.views.push(view);
        }
        for (usual, (now, was)) in usual.iter_mut().zip(figures_now.into_iter().zip(figures_were)) {
            out.push_usual(unsigned(u64::from(now).wrapping_sub(u64::from(was))), usual);
        }
    }
}

fn write_numbers(out: &mut BitWriter, now: &[f64], was: &[f64]) {
    out.push_number(now.len() as u32);
    for (i, x) in now.iter().enumerate() {
        let same = was.get(i).is_some_and(|was| was.to_bits() == x.to_bits());
        out.push(u64::from(same), 1);
        if !same {
            out.push(x.to_bits(), u64::BITS);
        }
    }
}

fn read_numbers(from: &mut BitReader, was: &[f64]) -> Vec<f64> {
    let len = from.take_number() as usize;
    let next = |i| if from.take(1) == 1 { was[i] } else { f64::from_bits(from.take(u64::BITS)) };
    (0..len).map(next).collect()
}

impl Packed {
    fn write(&mut self, out: &mut BitWriter, usual: &mut Usuals, now: &KeptDecision, was: &KeptDecision) {
        out.push_change(u64::from(now.request), u64::from(was.request));
        out.push_number(now.chosen.map_or(0, |chosen| chosen + 1));
        out.push_number(now.seen.len() as u32);
        let mut latest = None;
        for (i, (view, load)) in now.seen.iter().zip(&now.true_load).enumerate() {
            self.write_candidate(out, usual, (*view, *load), expected(was, i, latest));
            latest = Some((*view, *load));
        }
        let same = now.excluded == was.excluded && now.terms == was.terms && now.summands == was.summands;
        out.push(u64::from(same), 1);
        if !same {
            self.apart.push(KeptDecision {
                excluded: now.excluded.clone(),
                terms: now.terms.clone(),
                summands: now.summands.clone(),
                ..KeptDecision::default()
            });
        }
        for (now, was) in now.numbers().into_iter().zip(was.numbers()) {
            write_numbers(out, now, was);
        }
    }
}

impl KeptDecision {
    /// Its columns of scores.
    fn numbers(&self) -> [&[f64]; 3] {
        [&self.totals, &self.values, &self.summand_values]
    }
}

impl Entry for KeptDecision {
    type Packed = Packed;

    fn pack(piece: &[Self]) -> Rc<Packed> {
        let (mut packed, mut out) = (Packed::default(), BitWriter::default());
        out.push_number(piece.len() as u32);
        let (mut was, mut usual) = (&Self::default(), Usuals::default());
        for decision in piece {
            packed.write(&mut out, &mut usual, decision, was);
            was = decision;
        }
        packed.bits = out.finish();
        Rc::new(packed)
    }

    fn unpack(packed: &Packed) -> Vec<Self> {
        let (mut from, mut views) = (BitReader::new(&packed.bits), packed.views.iter());
        let mut apart = packed.apart.iter();
        let (first, mut usual) = (Self::default(), Usuals::default());
        let mut all: Vec<Self> = Vec::new();
        for _ in 0..from.take_number() {
            let was = all.last().unwrap_or(&first);
            let request = from.take_change(u64::from(was.request)) as u32;
            let chosen = from.take_number().checked_sub(1);
            let rows = from.take_number() as usize;
            let (mut seen, mut true_load) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
            let mut latest = None;
            for i in 0..rows {
                let before = || expected(was, i, latest).expect("INV-6: a candidate differs from none");
                let now = if from.take(1) == 1 {
                    before()
                } else {
                    let alike = from.take(1) == 1;
                    let (view, figures_were) = if alike {
                        let (view, load) = before();
                        (view, figures(&view, load))
                    } else {
                        (*views.next().expect("INV-6: a candidate of a decision is missing"), [0; 5])
                    };
                    let mut now = figures_were;
                    for (n, usual) in now.iter_mut().zip(&mut usual) {
                        *n = u64::from(*n).wrapping_add(signed(from.take_usual(usual))) as u32;
                    }
                    (with_figures(&view, now), now[4])
                };
                seen.push(now.0);
                true_load.push(now.1);
                latest = Some(now);
            }
            let columns = if from.take(1) == 1 { Some(was) } else { apart.next() };
            let columns = columns.expect("INV-6: the terms of a decision are missing");
            let [totals, values, summand_values] = was.numbers().map(|was| read_numbers(&mut from, was));
            let (excluded, terms, summands) =
                (columns.excluded.clone(), columns.terms.clone(), columns.summands.clone());
            all.push(Self {
                request,
                chosen,
                seen,
                true_load,
                excluded,
                totals,
                terms,
                values,
                summands,
                summand_values,
            });
        }
        all
    }

    fn bytes(piece: &[Self]) -> u64 {
        piece.iter().map(Self::size).sum()
    }

    fn packed_bytes(packed: &Packed) -> u64 {
        let bits = 8 * packed.bits.len() + packed.views.len() * size_of::<ReplicaView>();
        bits as u64 + Self::bytes(&packed.apart)
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
