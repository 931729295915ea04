//! What requests that were preempted did before: each stay in a batch, from joining it to losing its blocks or leaving.
//!
//! A record knows the first and the latest time its request joined a batch. That is all there is to know of most requests, so
//! only those that were preempted have their stays kept.

use super::active::ActiveRequest;
use super::record::Record;
use base::{Maybe, Micros, RequestId, Span};
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
    /// The stay of a request that has left the batch `now`, with its progress settled; `load` are the times of its latest load.
    pub(crate) fn ended(
        active: &ActiveRequest,
        record: &Record,
        load: [Option<Micros>; 2],
        now: Micros,
    ) -> Self {
        let from = record.scheduled;
        Self {
            request: active.id,
            prefilled: active.progress.min(active.prefill).saturating_sub(record.cached_tokens),
            generated: active.generated,
            load: load.map(|at| between(at.map_or(Maybe::NONE, Micros::into), from)),
            decoding: between(from, active.decoding_from),
            from: from.get().expect("INV-5: a stay in a batch without a beginning"),
            to: now,
        }
    }

    /// When the request asked for blocks from the CPU tier before it joined, and when it had them or had given up.
    pub fn load(&self) -> [Option<Micros>; 2] {
        self.load.map(|before| known(before).map(|before| Micros(self.from.0 - before.0)))
    }

    /// When its prompt was computed.
    pub fn decoding_from(&self) -> Option<Micros> {
        known(self.decoding).map(|after| self.from + after)
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
