//! Pickers: how one of the scored candidates is chosen, by the highest score or at random by score. Every kind of
//! draw has its own random stream.

use base::math;
use base::rng::{Purpose, Stream};
use document::{Picker, Ties, Weighted};
use serde::{Deserialize, Serialize};

/// A picker with its random stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum PickerState {
    /// The first with the highest score.
    First,
    /// Any with the highest score.
    AnyBest(Stream),
    /// In proportion to the scores.
    Proportional(Stream),
    /// In proportion to exp(score / temperature).
    Softmax { temperature: f64, draws: Stream },
}

impl PickerState {
    pub(super) fn new(s: &Weighted, seed: u64) -> Self {
        let draws = || Stream::new(seed, Purpose::Picks, 0);
        match (&s.picker, s.ties()) {
            (Picker::Max, Ties::Lowest) => Self::First,
            (Picker::Max, Ties::Random) => Self::AnyBest(Stream::new(seed, Purpose::Ties, 0)),
            (Picker::WeightedRandom, _) => Self::Proportional(draws()),
            (Picker::Softmax(p), _) => Self::Softmax { temperature: p.temperature, draws: draws() },
        }
    }

    /// Continues the draws of `before`, if they are of the same kind.
    pub(super) fn resume(&mut self, before: Self) {
        match (self, before) {
            (Self::AnyBest(draws), Self::AnyBest(old))
            | (
                Self::Proportional(draws) | Self::Softmax { draws, .. },
                Self::Proportional(old) | Self::Softmax { draws: old, .. },
            ) => *draws = old,
            (Self::First | Self::AnyBest(_) | Self::Proportional(_) | Self::Softmax { .. }, _) => {}
        }
    }

    /// The position of one of `scores`, which has at least one entry.
    pub(super) fn pick(&mut self, scores: &[f64]) -> usize {
        match self {
            Self::First => first_best(scores),
            Self::AnyBest(draws) => any_best(scores, draws),
            Self::Proportional(draws) => by_weight(scores.len(), |i| scores[i], draws),
            Self::Softmax { temperature, draws } => {
                let highest = scores[first_best(scores)];
                // The highest has weight 1, so that the sum neither vanishes nor overflows.
                by_weight(scores.len(), |i| math::exp((scores[i] - highest) / *temperature), draws)
            }
        }
    }
}

/// The first position with the highest score.
pub(super) fn first_best(scores: &[f64]) -> usize {
    let mut best = 0;
    for (position, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = position;
        }
    }
    best
}

/// One of the positions with the highest score, at random; nothing is drawn if there is only one.
fn any_best(scores: &[f64], draws: &mut Stream) -> usize {
    let best = first_best(scores);
    let equal = |&position: &usize| scores[position] >= scores[best];
    let ties = (0..scores.len()).filter(equal).count() as u32;
    if ties == 1 {
        return best;
    }
    let drawn = draws.below(ties) as usize;
    let mut equals = (0..scores.len()).filter(equal);
    equals.nth(drawn).expect("INV-6: fewer equals than were counted")
}

/// A position below `n`, drawn in proportion to its weight, which is not negative; uniformly if all are 0.
pub(super) fn by_weight(n: usize, weight: impl Fn(usize) -> f64, draws: &mut Stream) -> usize {
    let mut sum = 0.0;
    for position in 0..n {
        sum += weight(position);
    }
    if sum <= 0.0 {
        return draws.below(n as u32) as usize;
    }
    let mut left = draws.unit() * sum;
    let mut drawn = 0;
    for position in 0..n {
        let weight = weight(position);
        if weight > 0.0 {
            drawn = position;
            if left < weight {
                break;
            }
            left -= weight;
        }
    }
    drawn
}
