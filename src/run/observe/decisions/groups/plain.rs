//! Unpacked decisions, one after the other: their numbers in three lists.

use super::KeptDecision;
use engine::policy::ReplicaView;

/// Numbers of decisions.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    /// Of each decision: the fields of [`Numbers`], then the true loads of its candidates.
    counts: Vec<u32>,
    seen: Vec<ReplicaView>,
    /// Of each decision: totals, values and values of summands.
    scores: Vec<f64>,
}

/// How many numbers one decision has in the lists, and which decision it is.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    /// 1 if its columns are those of the one before, else 0.
    known: u32,
    request: u32,
    /// The position of the chosen candidate plus 1; 0 if there is none.
    chosen: u32,
    rows: u32,
    totals: u32,
    values: u32,
    summand_values: u32,
}

impl Numbers {
    const COUNT: usize = 7;

    fn as_list(self) -> [u32; Self::COUNT] {
        let Self { known, request, chosen, rows, totals, values, summand_values } = self;
        [known, request, chosen, rows, totals, values, summand_values]
    }

    fn of_list(list: [u32; Self::COUNT]) -> Self {
        let [known, request, chosen, rows, totals, values, summand_values] = list;
        Self { known, request, chosen, rows, totals, values, summand_values }
    }
}

/// The next `n` entries of a list.
fn next<T: Copy>(from: &mut &[T], n: u32, to: &mut Vec<T>) {
    let (head, rest) = from.split_at(n as usize);
    to.clear();
    to.extend_from_slice(head);
    *from = rest;
}

impl Plain {
    pub(super) fn enter(&mut self, d: &KeptDecision, known: bool) {
        let numbers = Numbers {
            known: u32::from(known),
            request: d.request,
            chosen: d.chosen.map_or(0, |chosen| chosen.wrapping_add(1)),
            rows: d.seen.len() as u32,
            totals: d.totals.len() as u32,
            values: d.values.len() as u32,
            summand_values: d.summand_values.len() as u32,
        };
        self.counts.extend_from_slice(&numbers.as_list());
        self.counts.extend_from_slice(&d.true_load);
        self.seen.extend_from_slice(&d.seen);
        self.scores.extend_from_slice(&d.totals);
        self.scores.extend_from_slice(&d.values);
        self.scores.extend_from_slice(&d.summand_values);
    }

    /// Its decisions, the oldest first, and whether each has the columns of the one before; the others have the next of `apart`.
    pub(super) fn read(&self, apart: &[KeptDecision], mut each: impl FnMut(&mut KeptDecision, bool)) {
        let Self { counts, seen, scores } = self;
        let (mut counts, mut seen, mut scores) = (&counts[..], &seen[..], &scores[..]);
        let (mut apart, mut d) = (apart.iter(), KeptDecision::default());
        while let Some((numbers, rest)) = counts.split_first_chunk() {
            let numbers = Numbers::of_list(*numbers);
            counts = rest;
            if numbers.known == 0 {
                d = apart.next().expect("INV-6: the terms of a decision are missing").columns();
            }
            (d.request, d.chosen) = (numbers.request, numbers.chosen.checked_sub(1));
            next(&mut counts, numbers.rows, &mut d.true_load);
            next(&mut seen, numbers.rows, &mut d.seen);
            next(&mut scores, numbers.totals, &mut d.totals);
            next(&mut scores, numbers.values, &mut d.values);
            next(&mut scores, numbers.summand_values, &mut d.summand_values);
            each(&mut d, numbers.known == 1);
        }
    }

    /// Empty lists that keep their memory.
    pub(super) fn emptied(mut self) -> Self {
        self.counts.clear();
        self.seen.clear();
        self.scores.clear();
        self
    }

    pub(super) fn bytes(&self) -> u64 {
        (size_of_val(&*self.counts) + size_of_val(&*self.seen) + size_of_val(&*self.scores)) as u64
    }
}
