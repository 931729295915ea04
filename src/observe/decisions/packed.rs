//! Packed decisions: what a checkpoint keeps of them. One differs from the one before in few candidates, and there by little.

use super::{Decisions, KeptDecision};
use crate::base::bits::{BitReader, BitWriter};
use crate::policy::ReplicaView;
use crate::policy::routing::{Excluded, Term};
use std::rc::Rc;

/// Decisions, each as what it differs in from the one before.
#[derive(Debug, Default)]
pub(super) struct Packed {
    bits: Box<[u64]>,
    decisions: u32,
    /// Candidates and columns that are not written as differences, in order.
    views: Vec<ReplicaView>,
    excluded: Vec<Vec<Option<Excluded>>>,
    terms: Vec<Vec<(Term, f64)>>,
    summands: Vec<Vec<(u32, Rc<str>)>>,
}

/// What of a candidate changes from one decision to the next.
fn figures(view: &ReplicaView, true_load: u32) -> [u32; 5] {
    [view.waiting, view.running, view.in_flight, view.kv_used, true_load]
}

/// The candidate whose figures are others.
fn with_figures(view: &ReplicaView, [waiting, running, in_flight, kv_used, _]: [u32; 5]) -> ReplicaView {
    ReplicaView { waiting, running, in_flight, kv_used, ..*view }
}

fn write_candidate(
    packed: &mut Packed,
    out: &mut BitWriter,
    now: (&ReplicaView, u32),
    was: Option<(&ReplicaView, u32)>,
) {
    let (figures_now, zeros) = (figures(now.0, now.1), [0; 5]);
    let alike = was.filter(|(view, _)| *now.0 == with_figures(view, figures_now));
    let figures_were = alike.map_or(zeros, |(view, load)| figures(view, load));
    if alike.is_some() && figures_now == figures_were {
        out.push(0b1, 1);
        return;
    }
    out.push(if alike.is_some() { 0b10 } else { 0b00 }, 2);
    if alike.is_none() {
        packed.views.push(*now.0);
    }
    for (now, was) in figures_now.into_iter().zip(figures_were) {
        out.push_change(u64::from(now), u64::from(was));
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

/// Writes a column, unless it is that of the decision before.
fn write_column<T: Clone + PartialEq>(out: &mut BitWriter, apart: &mut Vec<Vec<T>>, now: &[T], was: &[T]) {
    out.push(u64::from(now == was), 1);
    if now != was {
        apart.push(now.to_vec());
    }
}

fn read_column<T: Clone>(from: &mut BitReader, apart: &mut std::slice::Iter<Vec<T>>, was: &[T]) -> Vec<T> {
    if from.take(1) == 1 {
        return was.to_vec();
    }
    apart.next().expect("INV-6: a column of a decision is missing").clone()
}

impl Packed {
    fn write(&mut self, out: &mut BitWriter, now: &KeptDecision, was: &KeptDecision) {
        out.push_change(u64::from(now.request), u64::from(was.request));
        out.push_number(now.chosen.map_or(0, |chosen| chosen + 1));
        out.push_number(now.seen.len() as u32);
        for (i, (view, load)) in now.seen.iter().zip(&now.true_load).enumerate() {
            write_candidate(self, out, (view, *load), was.seen.get(i).zip(was.true_load.get(i).copied()));
        }
        write_column(out, &mut self.excluded, &now.excluded, &was.excluded);
        write_column(out, &mut self.terms, &now.terms, &was.terms);
        write_numbers(out, &now.totals, &was.totals);
        write_column(out, &mut self.summands, &now.summands, &was.summands);
        write_numbers(out, &now.values, &was.values);
        write_numbers(out, &now.summand_values, &was.summand_values);
    }

    fn bytes(&self) -> u64 {
        let columns = |len: usize| 24 * len;
        let excluded: usize = self.excluded.iter().map(|c| c.len() * size_of::<Option<Excluded>>()).sum();
        let terms: usize = self.terms.iter().map(|c| c.len() * size_of::<(Term, f64)>()).sum();
        let summands: usize = self.summands.iter().map(|c| c.len() * size_of::<(u32, Rc<str>)>()).sum();
        let lists = self.excluded.len() + self.terms.len() + self.summands.len();
        let apart = columns(lists) + excluded + terms + summands;
        (8 * self.bits.len() + self.views.len() * size_of::<ReplicaView>() + apart) as u64
    }

    fn decisions(&self) -> impl Iterator<Item = KeptDecision> + '_ {
        let (mut from, mut views) = (BitReader::new(&self.bits), self.views.iter());
        let (mut excluded, mut terms) = (self.excluded.iter(), self.terms.iter());
        let mut summands = self.summands.iter();
        let mut was = KeptDecision::default();
        (0..self.decisions).map(move |_| {
            let request = from.take_change(u64::from(was.request)) as u32;
            let chosen = from.take_number().checked_sub(1);
            let rows = from.take_number() as usize;
            let (mut seen, mut true_load) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
            for i in 0..rows {
                let before = || (was.seen[i], was.true_load[i]);
                let (view, load) = if from.take(1) == 1 {
                    before()
                } else {
                    let alike = from.take(1) == 1;
                    let (view, figures_were) = if alike {
                        let (view, load) = before();
                        (view, figures(&view, load))
                    } else {
                        (*views.next().expect("INV-6: a candidate of a decision is missing"), [0; 5])
                    };
                    let figures = figures_were.map(|was| from.take_change(u64::from(was)) as u32);
                    (with_figures(&view, figures), figures[4])
                };
                seen.push(view);
                true_load.push(load);
            }
            let excluded = read_column(&mut from, &mut excluded, &was.excluded);
            let terms = read_column(&mut from, &mut terms, &was.terms);
            let totals = read_numbers(&mut from, &was.totals);
            let summands = read_column(&mut from, &mut summands, &was.summands);
            let values = read_numbers(&mut from, &was.values);
            let summand_values = read_numbers(&mut from, &was.summand_values);
            was = KeptDecision {
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
            };
            was.clone()
        })
    }
}

impl Decisions {
    /// Takes as little memory as it can until [`Decisions::unpack`].
    pub(in crate::observe) fn pack(&mut self) {
        let (mut packed, mut out) = (Packed::default(), BitWriter::default());
        let mut was = &Rc::new(KeptDecision::default());
        for decision in &self.kept {
            packed.write(&mut out, decision, was);
            was = decision;
        }
        (packed.bits, packed.decisions) = (out.finish(), self.kept.len() as u32);
        self.kept = std::collections::VecDeque::new();
        self.packed = Some(Rc::new(packed));
    }

    /// Is what it was before it was packed.
    pub(in crate::observe) fn unpack(&mut self) {
        if let Some(packed) = self.packed.take() {
            self.kept = packed.decisions().map(Rc::new).collect();
        }
    }

    /// Bytes of what is packed.
    pub(in crate::observe) fn bytes_packed(&self) -> u64 {
        self.packed.as_ref().map_or(0, |packed| packed.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ReplicaId;
    use crate::base::rng::{Purpose, Stream};
    use crate::policy::ReplicaPhase;

    #[test]
    fn decisions_come_back_as_they_were_and_take_little() {
        let mut draws = Stream::new(3, Purpose::Ties, 0);
        let mut decisions = Decisions::default();
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
            decisions.kept.push_back(Rc::new(now.clone()));
        }
        let was = decisions.kept.clone();
        let alone: u64 = was.iter().map(|d| d.bytes()).sum();
        decisions.pack();
        assert!(
            decisions.kept.is_empty() && decisions.bytes_packed() * 8 < alone,
            "{} of {alone}",
            decisions.bytes_packed()
        );
        decisions.unpack();
        assert!(decisions.kept == was && decisions.bytes_packed() == 0);
    }
}
