//! What requests that were preempted did before: each stay in a batch, from joining it to losing its blocks or leaving.
//!
//! A record knows the first and the latest time its request joined a batch. That is all there is to know of most requests, so
//! only those that were preempted have their stays kept.

use super::Cluster;
use super::fact::Sink;
use super::load::load_of;
use super::replica::World;
use super::slab::Slot;
use crate::base::{Maybe, Micros, RequestId, Span};
use serde::{Deserialize, Serialize};

/// A stay in a batch that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stay {
    /// Whose it was.
    pub request: RequestId,
    /// Prompt tokens computed in it.
    pub prefilled: u32,
    /// Output tokens produced up to its end.
    pub generated: u32,
    /// So many microseconds before it joined the request asked for blocks from the CPU tier, and had them or had given up.
    load: [u32; 2],
    /// So many microseconds after it had joined its prompt was computed.
    decoding: u32,
    /// When it joined the batch.
    pub from: Micros,
    /// When it left.
    pub to: Micros,
}

impl Cluster {
    /// The stays in a batch of a request that was preempted, in order; those of others are in its record.
    pub fn stays(&self, request: RequestId) -> impl Iterator<Item = &Stay> {
        let preempted = self.records.at(request.index()).preemptions > 0;
        let all = preempted.then(|| self.stays.iter()).into_iter().flatten();
        all.filter(move |stay| stay.request == request)
    }

    /// When a request last asked for blocks from the CPU tier, and when they were there or given up.
    pub fn load(&self, request: RequestId) -> [Option<Micros>; 2] {
        load_of(&self.loads, request)
    }
}

/// Stands for a span that does not exist, or is longer than 71 minutes.
const UNKNOWN: u32 = u32::MAX;

/// From one instant to a later one.
fn between(from: Maybe<Micros>, to: Maybe<Micros>) -> u32 {
    let span = from.get().zip(to.get()).and_then(|(from, to)| to.0.checked_sub(from.0));
    span.and_then(|us| u32::try_from(us).ok()).unwrap_or(UNKNOWN)
}

fn known(span: u32) -> Option<Span> {
    (span != UNKNOWN).then(|| Span(span.into()))
}

impl Stay {
    /// When the request asked for blocks from the CPU tier before it joined, and when it had them or had given up.
    pub fn load(&self) -> [Option<Micros>; 2] {
        self.load.map(|before| known(before).map(|before| Micros(self.from.0 - before.0)))
    }

    /// When its prompt was computed.
    pub fn decoding_from(&self) -> Option<Micros> {
        known(self.decoding).map(|after| self.from + after)
    }
}

/// The stay of a request in the batch ends: it has left the batch, and its progress is settled.
pub(super) fn end_stay<S: Sink>(slot: Slot, now: Micros, w: &mut World<'_, S>) {
    let active = &w.active[slot];
    let record = w.records.here(active.id);
    let from = record.scheduled;
    w.stays.push(Stay {
        request: active.id,
        prefilled: active.progress.min(active.prefill).saturating_sub(record.cached_tokens),
        generated: active.generated,
        load: load_of(w.loads, active.id).map(|at| between(at.map_or(Maybe::NONE, Micros::into), from)),
        decoding: between(from, active.decoding_from),
        from: from.get().expect("INV-5: a stay in a batch without a beginning"),
        to: now,
    });
}

/// The same as a request leaves that may have been preempted before.
pub(super) fn end_last_stay<S: Sink>(slot: Slot, now: Micros, w: &mut World<'_, S>) {
    if w.records.here(w.active[slot].id).preemptions > 0 {
        end_stay(slot, now, w);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stay_is_small_for_a_run_under_pressure_has_more_of_them_than_requests() {
        assert!(size_of::<Stay>() <= 40, "{} bytes", size_of::<Stay>());
    }
}
