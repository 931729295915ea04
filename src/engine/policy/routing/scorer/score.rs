//! What a scorer knows and gives.

use crate::policy::RequestView;
use crate::policy::routing::predictor::Headroom;
use crate::policy::routing::{Fleet, Outcome, Summand};
use base::ReplicaId;

/// A scorer.
pub(super) trait Score {
    /// Scores every replica of `fleet`; `known` tells whether a scorer of prefixes has found the prompt anywhere.
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, known: bool, out: &mut [f64]);

    /// The request is sent to the replica at this position.
    fn chosen(&mut self, _request: &RequestView<'_>, _fleet: &Fleet<'_>, _position: usize, _known: bool) {}

    /// A request has left its replica.
    fn left(&mut self, _gone: &Outcome) {}
}

/// Facts about one decision that several scorers use, determined once.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::routing) struct Facts {
    /// Whether a scorer of prefixes has found the prompt anywhere.
    pub(in crate::policy::routing) known: bool,
    /// By candidate: the share of the prompt that the router sent there before. Empty if no scorer uses it.
    pub(in crate::policy::routing) prefix: Vec<f64>,
    /// By candidate: the tokens of that share.
    pub(in crate::policy::routing) matched: Vec<u32>,
    /// By candidate: the tokens that `token-load` counts. Empty if it counts whole prompts until their end.
    pub(in crate::policy::routing) load: Vec<u64>,
    /// By candidate: how far it is predicted to be from the objectives. Empty if nothing is predicted.
    pub(in crate::policy::routing) headroom: Vec<Headroom>,
    /// By candidate: the share of the prompt that its cache has. Empty if no scorer uses it.
    pub(in crate::policy::routing) cached: Vec<f64>,
    /// The replica of the session's latest request.
    pub(in crate::policy::routing) home: Option<ReplicaId>,
}

impl Facts {
    /// Leaves what is known of the candidates at the positions `kept`, in ascending order.
    pub(in crate::policy::routing) fn keep(&mut self, kept: &[u32]) {
        if self.prefix.is_empty() {
            return;
        }
        for (to, &from) in kept.iter().enumerate() {
            self.prefix[to] = self.prefix[from as usize];
            self.matched[to] = self.matched[from as usize];
        }
        if !self.headroom.is_empty() {
            for (to, &from) in kept.iter().enumerate() {
                self.headroom[to] = self.headroom[from as usize];
            }
            self.headroom.truncate(kept.len());
        }
        self.prefix.truncate(kept.len());
        self.matched.truncate(kept.len());
    }
}

/// They are not part of the state.
impl PartialEq for Facts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The output of a scorer: its scores and, for a sum, the summands.
pub(in crate::policy::routing) struct Out<'a> {
    pub(in crate::policy::routing) values: &'a mut [f64],
    pub(in crate::policy::routing) summands: &'a mut [Summand],
}

/// 1 for the smallest of `values`, 0 for the largest, in proportion between; 1 for all if they are equal.
pub(super) fn smallest_first(values: impl Iterator<Item = u32> + Clone, out: &mut [f64]) {
    let (least, most) = values.clone().fold((u32::MAX, 0), |(low, high), x| (low.min(x), high.max(x)));
    for (score, x) in out.iter_mut().zip(values) {
        *score = if least == most { 1.0 } else { f64::from(most - x) / f64::from(most - least) };
    }
}

/// Replaces each number by 1 for the smallest, 0 for the largest, in proportion between; 1 for all if they are equal.
/// An infinite number means unknown, and becomes 1.
pub(super) fn smallest_first_of(out: &mut [f64]) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &x in out.iter().filter(|x| x.is_finite()) {
        low = low.min(x);
        high = high.max(x);
    }
    for x in out {
        *x = if x.is_finite() && high > low { (high - *x) / (high - low) } else { 1.0 };
    }
}
