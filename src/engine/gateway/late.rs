//! Signals that reach the gateway late: what it sees of a replica is what the replica was a while ago.
//!
//! While a replica's signals are late, looks at it are kept as samples, and each is let through when it is old enough. Counts and
//! phases that the gateway knows by itself stay current. The samples are bounded: looks closer together than 1/256 of the delay
//! become one, so that a picture may be older by that much more.

use super::picture::Picture;
use crate::policy::{AdapterView, ReplicaView, Signals};
use crate::replica::Replica;
use base::{Micros, ReplicaId, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The delay of signals that do not come at all.
pub(crate) const FROZEN: Span = Span(u64::MAX);

/// Samples within a delay.
const SAMPLES: u64 = 256;

/// What a look at a replica found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LateSight {
    at: Micros,
    view: ReplicaView,
    signals: Signals,
    adapters: AdapterView,
}

/// The signals of a replica that are late.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Late {
    delay: Span,
    /// When they began to be late.
    since: Micros,
    /// When what the gateway sees was so.
    seen: Micros,
    /// Looks that are not old enough, in order.
    samples: VecDeque<LateSight>,
}

impl Late {
    fn new(delay: Span, since: Micros, seen: Micros) -> Self {
        Self { delay, since, seen, samples: VecDeque::new() }
    }

    /// A look is kept. Of signals that do not come only the latest one is.
    fn keep(&mut self, sample: LateSight) {
        if self.delay == FROZEN {
            self.samples.clear();
        }
        while self.samples.get(1).is_some_and(|second| self.is_old_enough(second, sample.at)) {
            self.samples.pop_front();
        }
        let before = self.samples.len().checked_sub(2).map(|i| self.samples[i].at);
        if before.is_some_and(|at| sample.at.since(at).0 < self.delay.0 / SAMPLES) {
            self.samples.pop_back();
        }
        self.samples.push_back(sample);
    }

    fn is_old_enough(&self, sample: &LateSight, now: Micros) -> bool {
        self.delay != FROZEN && sample.at.saturating_add(self.delay) <= now
    }

    /// The latest look that is old enough; older ones are forgotten.
    fn let_through(&mut self, now: Micros) -> Option<LateSight> {
        let mut latest = None;
        while self.samples.front().is_some_and(|first| self.is_old_enough(first, now)) {
            latest = self.samples.pop_front();
        }
        if let Some(sample) = &latest {
            self.seen = sample.at;
        }
        latest
    }

    /// The latest look that is old enough.
    fn would_let_through(&self, now: Micros) -> Option<&LateSight> {
        self.samples.iter().take_while(|sample| self.is_old_enough(sample, now)).last()
    }
}

/// What a sample says of a replica, beside what the gateway knows by itself.
fn seen(sample: &ReplicaView, now: &ReplicaView) -> ReplicaView {
    ReplicaView { phase: now.phase, in_flight: now.in_flight, ..*sample }
}

impl Picture {
    /// The signals of a replica are that late from now on; not any more if that is 0.
    pub(super) fn set_late(&mut self, replica: &Replica, delay: Span, now: Micros) {
        let index = replica.id().index();
        if delay == Span::ZERO {
            let Some(mut late) = self.late.remove(&replica.id().0) else { return };
            if self.sees_all() {
                self.look(replica);
            } else if let Some(sample) = late.samples.pop_back() {
                self.take(index, sample);
            }
            return;
        }
        let seen = if self.sees_all() { now } else { self.viewed_at[index] };
        let late = self.late.entry(replica.id().0).or_insert_with(|| Late::new(delay, now, seen));
        if late.delay != delay {
            (late.delay, late.since) = (delay, late.since.min(now));
        }
    }

    /// Whether the signals of a replica are late.
    pub(crate) fn is_late(&self, replica: ReplicaId) -> bool {
        self.late.contains_key(&replica.0)
    }

    /// Whether any signals are late.
    pub(crate) fn any_late(&self) -> bool {
        !self.late.is_empty()
    }

    /// Whether the gateway sees every replica as it is. Signals that never come do not count; late ones have to be as fresh as they get.
    pub(super) fn shows_all(&self, replicas: &[Replica], now: Micros) -> bool {
        let is_fresh = |late: &Late| {
            let age = now.max(late.seen).since(late.seen);
            self.sees_all() || age.0 <= late.delay.0 + late.delay.0 / SAMPLES + 2 * self.refresh.0
        };
        replicas.iter().zip(&self.views).all(|(replica, view)| match self.late.get(&replica.id().0) {
            None => replica.view(view) == *view,
            Some(late) if late.delay == FROZEN => true,
            Some(late) => {
                let same = |sample: &LateSight| seen(&sample.view, view) == *view;
                is_fresh(late) && replica.view(view) == *view && late.samples.iter().all(same)
            }
        })
    }

    /// The gateway sees a replica as it is.
    fn look(&mut self, replica: &Replica) {
        let i = replica.id().index();
        self.views[i] = replica.view(&self.views[i]);
        self.signals[i] = replica.signals(&self.signals[i]);
        replica.look_at_adapters(&mut self.adapters[i]);
    }

    /// A look at a replica at `now`, whose signals may be late.
    pub(super) fn look_or_keep(&mut self, replica: &Replica, now: Micros) {
        let i = replica.id().index();
        let Some(late) = self.late.get_mut(&replica.id().0) else { return self.look(replica) };
        let mut adapters = AdapterView::default();
        replica.look_at_adapters(&mut adapters);
        late.keep(LateSight {
            at: now,
            view: replica.view(&self.views[i]),
            signals: replica.signals(&self.signals[i]),
            adapters,
        });
    }

    /// What is old enough by now is seen.
    #[inline(never)]
    pub(super) fn let_through(&mut self, now: Micros) {
        let due: Vec<(u32, LateSight)> = self
            .late
            .iter_mut()
            .filter_map(|(&number, late)| late.let_through(now).map(|sample| (number, sample)))
            .collect();
        for (number, sample) in due {
            self.take(number as usize, sample);
        }
    }

    fn take(&mut self, index: usize, sample: LateSight) {
        self.views[index] = seen(&sample.view, &self.views[index]);
        let tokens_in_flight = self.signals[index].tokens_in_flight;
        self.signals[index] = Signals { tokens_in_flight, ..sample.signals };
        self.adapters[index] = sample.adapters;
    }

    /// How old the view of a replica with late signals is.
    pub(super) fn age_of_late(&self, index: usize, now: Micros) -> Option<Span> {
        let late = self.late.get(&(index as u32))?;
        // A replica without events since then is as it was. `now` is the instant of the latest event, and a fault may begin after it.
        let since = if self.sees_all() { late.since } else { late.seen };
        let age = now.max(since).since(since);
        Some(if self.sees_all() { late.delay.min(age) } else { age })
    }

    /// What a decision at `now` would see of a replica with late signals.
    pub(super) fn would_see_late(&self, replica: &Replica, now: Micros) -> Option<ReplicaView> {
        let late = self.late.get(&replica.id().0)?;
        let view = &self.views[replica.id().index()];
        Some(late.would_let_through(now).map_or(*view, |sample| seen(&sample.view, view)))
    }
}
