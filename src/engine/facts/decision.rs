//! What a routing decision was made on, for the page and for reports.

use crate::policy::ReplicaView;
use crate::policy::routing::{Excluded, Scores, by_load};
use base::small::sort::{select_pairs, sort_pairs};
use base::{ReplicaId, RequestId};

/// Positions of candidates by score, the best first; among equals by the replica's number written as text, as BLIS has it.
pub fn ranking(candidates: impl Iterator<Item = (f64, ReplicaId)>) -> Vec<usize> {
    let key = |(i, (score, id)): (u64, (f64, ReplicaId))| {
        (downward(score), (text_order(id.0) << POSITION_BITS) | i)
    };
    let mut order: Vec<(u64, u64)> = (0..).zip(candidates).map(key).collect();
    sort_pairs(&mut order);
    order.into_iter().map(|(_, place)| (place & ((1 << POSITION_BITS) - 1)) as usize).collect()
}

/// Bits of a position among the candidates.
const POSITION_BITS: u32 = 24;

/// A number that is the smaller, the larger `x` is in the total order of floating point numbers.
fn downward(x: f64) -> u64 {
    let bits = x.to_bits();
    // Those of negative numbers grow the wrong way.
    if bits >> 63 == 1 { bits } else { !bits & !(1 << 63) }
}

/// A number of 38 bits that orders numbers as their decimal digits would be as text: 1, 10, 11, 2.
fn text_order(x: u32) -> u64 {
    let digits = x.checked_ilog10().unwrap_or(0);
    let scaled = u64::from(x) * 10_u64.pow(9 - digits);
    (scaled << 4) | u64::from(digits)
}

/// Which of the two decisions on a request it is, where roles differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Which replica answers it. The only decision where no roles differ.
    #[default]
    Home,
    /// Which replica prefills it.
    Prefill,
}

/// A routing decision: what was seen, what was true, and what the policy made of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// The request.
    pub request: Option<RequestId>,
    /// Which decision on it.
    pub stage: Stage,
    /// The replicas that take requests, as seen.
    pub seen: Vec<ReplicaView>,
    /// Their loads as they truly were.
    pub true_load: Vec<u32>,
    /// Why each of them could not be chosen all the same; empty if all could.
    pub excluded: Vec<Option<Excluded>>,
    /// Position of the chosen one; none if the request was refused.
    pub chosen: Option<usize>,
    /// The policy's scores, empty if it has none of its own.
    pub scores: Scores,
}

impl Decision {
    /// The score of a candidate: the policy's own, or that of its load.
    pub fn score(&self, position: usize) -> f64 {
        self.scores.totals.get(position).copied().unwrap_or_else(|| by_load(&self.seen[position]))
    }

    /// Why that replica could not be chosen.
    pub fn excluded(&self, position: usize) -> Option<Excluded> {
        self.excluded.get(position).copied().flatten()
    }

    /// Its score, or one below all others if it could not be chosen.
    fn in_flight(&self, position: usize) -> f64 {
        if self.excluded(position).is_some() { f64::NEG_INFINITY } else { self.score(position) }
    }

    /// How much better the best candidate scored than the chosen one; 0 if there is none.
    pub fn regret(&self) -> f64 {
        let Some(chosen) = self.chosen else { return 0.0 };
        let best = if self.excluded.is_empty() && !self.scores.totals.is_empty() {
            self.scores.totals.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        } else {
            (0..self.seen.len()).map(|i| self.in_flight(i)).fold(f64::NEG_INFINITY, f64::max)
        };
        (best - self.score(chosen)).max(0.0)
    }

    /// The replica that was chosen.
    pub fn target(&self) -> Option<ReplicaId> {
        self.chosen.map(|chosen| self.seen[chosen].id)
    }

    /// Positions by score, the best first, those that could not be chosen last.
    pub fn ranking(&self) -> Vec<usize> {
        ranking(self.standings())
    }

    /// Positions of the best `most`, in no order; of equals the first. Finding them takes less than ranking all.
    pub fn best(&self, most: usize) -> Vec<usize> {
        let mut order: Vec<(u64, u64)> =
            self.standings().zip(0..).map(|((score, _), i)| (downward(score), i)).collect();
        select_pairs(&mut order, most);
        order.into_iter().take(most).map(|(_, position)| position as usize).collect()
    }

    fn standings(&self) -> impl Iterator<Item = (f64, ReplicaId)> + '_ {
        (0..self.seen.len()).map(|i| (self.in_flight(i), self.seen[i].id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_the_first_of_the_ranking() {
        let seen =
            (0..40).map(|i| ReplicaView { waiting: i * 7 % 11, ..ReplicaView::unseen(ReplicaId(i), 0) });
        let mut d = Decision { seen: seen.collect(), ..Decision::default() };
        d.excluded = vec![None; 40];
        d.excluded[33] = Some(Excluded::QueueFull);
        for most in [1, 2, 17, 39, 40, 100] {
            let scores = |positions: &[usize]| {
                let mut scores: Vec<f64> = positions.iter().map(|&i| d.in_flight(i)).collect();
                scores.sort_by(f64::total_cmp);
                scores
            };
            let first: Vec<usize> = d.ranking().into_iter().take(most).collect();
            assert_eq!(scores(&d.best(most)), scores(&first), "the best {most}");
        }
    }

    #[test]
    fn keys_order_as_what_they_stand_for() {
        let numbers = [0, 1, 2, 9, 10, 11, 19, 99, 100, 101, 110, 999, 1000, 1023, u32::MAX];
        let scores = [f64::NEG_INFINITY, -7.5, -1e-300, -0.0, 0.0, 0.1, 0.25, 3.0, f64::INFINITY];
        for a in numbers {
            for b in numbers {
                assert_eq!(
                    text_order(a).cmp(&text_order(b)),
                    a.to_string().cmp(&b.to_string()),
                    "{a} and {b}"
                );
            }
            assert!(text_order(a) < 1 << 38);
        }
        for a in scores {
            for b in scores {
                assert_eq!(downward(a).cmp(&downward(b)), b.total_cmp(&a), "{a} and {b}");
            }
        }
    }
}
