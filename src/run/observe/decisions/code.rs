//! The coding of decisions: each as its difference from the one before. One function writes and reads it.

use super::KeptDecision;
use base::ReplicaId;
use base::bits::{BitReader, BitWriter, Usual, signed, unsigned};
use engine::policy::routing::Term;
use engine::policy::{ReplicaPhase, ReplicaView};

/// Kinds of numbers; each number is about as large as the previous one of its kind.
mod kind {
    /// The first kind of a candidate's figures.
    pub(super) const FIGURE: usize = 0;
    pub(super) const REQUEST: usize = super::FIGURES;
    pub(super) const CHOSEN: usize = REQUEST + 1;
    pub(super) const LENGTH: usize = CHOSEN + 1;
    pub(super) const ALL: usize = LENGTH + 1;
}

/// Writes numbers, or reads them back: the result of a function replaces the number passed to it.
pub(super) trait Code {
    /// A number of at most `width` bits.
    fn bits(&mut self, number: u64, width: u32) -> u64;

    /// A number about as large as others of its kind.
    fn usual(&mut self, number: u64, kind: usize) -> u64;

    fn flag(&mut self, flag: bool) -> bool {
        self.bits(u64::from(flag), 1) == 1
    }

    /// A number that differs little from `expected`.
    fn near(&mut self, number: u32, expected: u32, kind: usize) -> u32 {
        changed(expected, self.usual(change(number, expected), kind))
    }

    /// The guess at a number, if there is one and it is right.
    fn guessed(&mut self, x: f64, guess: Option<f64>) -> Option<f64> {
        guess.filter(|guess| self.flag(x.to_bits() == guess.to_bits()))
    }

    /// A number that cannot be predicted.
    fn whole(&mut self, x: f64) -> f64 {
        f64::from_bits(self.bits(x.to_bits(), u64::BITS))
    }
}

/// The difference of a number from `expected`, coded so that small differences are small.
fn change(number: u32, expected: u32) -> u64 {
    unsigned(i64::from(number.wrapping_sub(expected) as i32) as u64)
}

fn changed(expected: u32, change: u64) -> u32 {
    expected.wrapping_add(signed(change) as u32)
}

#[derive(Clone, Debug, Default)]
pub(super) struct DecisionWriter {
    bits: BitWriter,
    usual: [Usual; kind::ALL],
}

impl DecisionWriter {
    pub(super) fn finish(self) -> Box<[u64]> {
        self.bits.finish()
    }
}

impl Code for DecisionWriter {
    #[inline]
    fn bits(&mut self, number: u64, width: u32) -> u64 {
        self.bits.push(number, width);
        number
    }

    #[inline]
    fn usual(&mut self, number: u64, kind: usize) -> u64 {
        self.bits.push_usual(number, &mut self.usual[kind]);
        number
    }
}

pub(super) struct DecisionReader<'a> {
    bits: BitReader<'a>,
    usual: [Usual; kind::ALL],
}

impl<'a> DecisionReader<'a> {
    pub(super) fn new(bits: &'a [u64]) -> Self {
        Self { bits: BitReader::new(bits), usual: [Usual::default(); kind::ALL] }
    }
}

impl Code for DecisionReader<'_> {
    fn bits(&mut self, _: u64, width: u32) -> u64 {
        self.bits.take(width)
    }

    fn usual(&mut self, _: u64, kind: usize) -> u64 {
        self.bits.take_usual(&mut self.usual[kind])
    }
}

/// Numbers of a candidate: those that change often come first, blocks in use as the last of them.
const FIGURES: usize = 9;
const LIVELY: usize = 5;
const KV_USED: usize = LIVELY - 1;
/// The true load, whose difference from the seen load rarely changes.
const LOAD: usize = 3;
/// Then the number of the replica.
const ID: usize = LIVELY;
/// Bits of a change by less than four, as most counts of a candidate have.
const STEP_BITS: u32 = 3;

/// A replica as the router saw it, with its true load.
type Candidate = (ReplicaView, u32);

fn figures((view, load): Candidate) -> [u32; FIGURES] {
    let ReplicaView { id, pool, phase, waiting, running, in_flight, kv_used, kv_total } = view;
    [waiting, running, in_flight, load, kv_used, id.0, pool, phase as u32, kv_total]
}

fn candidate(figures: [u32; FIGURES]) -> Candidate {
    let [waiting, running, in_flight, load, kv_used, id, pool, phase, kv_total] = figures;
    let (id, phase) = (ReplicaId(id), ReplicaPhase::ALL[phase as usize]);
    (ReplicaView { id, pool, phase, waiting, running, in_flight, kv_used, kv_total }, load)
}

/// The true load minus the seen load.
fn load_above_seen(figures: &[u32; FIGURES]) -> u32 {
    figures[..LOAD].iter().fold(figures[LOAD], |rest, n| rest.wrapping_sub(*n))
}

/// Codes a candidate that is not as expected.
fn walk_candidate(now: Candidate, expected: Candidate, code: &mut impl Code) -> Candidate {
    let (mut now, mut expected) = (figures(now), figures(expected));
    // Codes the unseen part of the load instead of the load.
    now[LOAD] = load_above_seen(&now);
    expected[LOAD] = load_above_seen(&expected);
    let mut changes = 0;
    let mut near = true;
    for i in 0..KV_USED {
        let change = change(now[i], expected[i]);
        near &= change < 1 << STEP_BITS;
        changes = changes << STEP_BITS | change & ((1 << STEP_BITS) - 1);
    }
    if code.flag(near) {
        let changes = code.bits(changes, STEP_BITS * KV_USED as u32);
        for i in 0..KV_USED {
            let change = changes >> (STEP_BITS * (KV_USED - 1 - i) as u32) & ((1 << STEP_BITS) - 1);
            now[i] = changed(expected[i], change);
        }
    } else {
        for i in 0..KV_USED {
            now[i] = code.near(now[i], expected[i], kind::FIGURE + i);
        }
    }
    now[KV_USED] = code.near(now[KV_USED], expected[KV_USED], kind::FIGURE + KV_USED);
    let steady = code.flag(now[LIVELY..] == expected[LIVELY..]);
    for i in LIVELY..FIGURES {
        now[i] = if steady { expected[i] } else { code.near(now[i], expected[i], kind::FIGURE + i) };
    }
    now[LOAD] = now[..LOAD].iter().fold(now[LOAD], |sum, n| sum.wrapping_add(*n));
    candidate(now)
}

/// How many candidates back to look for one with the same load, which then has the same score.
const BESIDE: usize = 8;

impl KeptDecision {
    /// Codes its numbers relative to those of `was`.
    pub(super) fn walk(&mut self, was: &Self, code: &mut impl Code) {
        self.request = code.near(self.request, was.request.wrapping_add(1), kind::REQUEST);
        let number = |d: &Self| d.chosen.map_or(0, |chosen| chosen.wrapping_add(1));
        self.chosen = code.near(number(self), number(was), kind::CHOSEN).checked_sub(1);
        let rows = length(self.seen.len(), was.seen.len(), code);
        self.seen.resize(rows, ReplicaView::unseen(ReplicaId(0), 0));
        self.true_load.resize(rows, 0);
        for i in 0..rows {
            let now = (self.seen[i], self.true_load[i]);
            let before = was.seen.get(i).copied().zip(was.true_load.get(i).copied());
            (self.seen[i], self.true_load[i]) = match before {
                Some(before) if code.flag(now == before) => before,
                Some(before) => walk_candidate(now, before, code),
                None => walk_candidate(now, self.next_beside(i), code),
            };
        }
        self.walk_scores(was, code);
    }

    /// The candidate after the one before position `i`.
    fn next_beside(&self, i: usize) -> Candidate {
        let Some(before) = i.checked_sub(1) else { return candidate([0; FIGURES]) };
        let mut next = figures((self.seen[before], self.true_load[before]));
        next[ID] = next[ID].wrapping_add(1);
        candidate(next)
    }

    fn walk_scores(&mut self, was: &Self, code: &mut impl Code) {
        let Self { seen, totals, terms, values, summands, summand_values, .. } = self;
        walk_columns(values, &was.values, terms.len(), seen, code);
        walk_columns(summand_values, &was.summand_values, summands.len(), seen, code);
        totals.resize(length(totals.len(), was.totals.len(), code), 0.0);
        let rows = values.len() / terms.len().max(1);
        for (i, total) in totals.iter_mut().enumerate() {
            let add = |sum, (k, (_, weight)): (usize, &(Term, f64))| sum + values[k * rows + i] * weight;
            let sum = (i < rows).then(|| terms.iter().enumerate().fold(0.0, add));
            *total = code
                .guessed(*total, sum)
                .or_else(|| code.guessed(*total, was.totals.get(i).copied()))
                .unwrap_or_else(|| code.whole(*total));
        }
    }
}

/// Scores, one column after another: often equal to the previous score, to that of a candidate with the same load, or
/// to the share of free blocks.
fn walk_columns(now: &mut Vec<f64>, was: &[f64], columns: usize, seen: &[ReplicaView], code: &mut impl Code) {
    now.resize(length(now.len(), was.len(), code), 0.0);
    let rows = (now.len() / columns.max(1)).max(1);
    for at in 0..now.len() {
        let (x, row) = (now[at], at % rows);
        let view = seen.get(row);
        let like = || {
            let load = view?.load();
            let like = (row.saturating_sub(BESIDE)..row).rfind(|&other| seen[other].load() == load)?;
            Some(now[at - row + like])
        };
        now[at] = code
            .guessed(x, was.get(at).copied())
            .or_else(|| code.guessed(x, like()))
            .or_else(|| code.guessed(x, view.map(|view| 1.0 - view.kv_use())))
            .unwrap_or_else(|| code.whole(x));
    }
}

fn length(now: usize, was: usize, code: &mut impl Code) -> usize {
    if code.flag(now == was) { was } else { code.usual(now as u64, kind::LENGTH) as usize }
}
