//! Percentiles of the latest seconds at the end of each bucket of the timeline: what the key figures showed then.

use base::stats::Percentiles;
use serde::{Deserialize, Serialize};

/// How many seconds: the span of the key figures on the page.
pub(crate) const ROLLING_S: f64 = 30.0;

/// Of TTFT, of E2E and of TTFT as prefill replicas have it.
pub(crate) type Latest = [Percentiles; 3];

/// Of the gaps between tokens, and of the times from arrival to the first batch.
#[cfg(any(feature = "cli", feature = "closeup"))]
pub(crate) type LatestWaits = [Percentiles; 2];

/// By closed bucket.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rolling<T>(Vec<T>);

impl<T: Copy> Rolling<T> {
    /// Follows the timeline, which has closed a bucket and, if `doubled`, merged every two: their ends are those of the second ones.
    pub(super) fn follow(&mut self, latest: T, doubled: bool) {
        self.0.push(latest);
        if doubled {
            self.0 = self.0.chunks_exact(2).map(|pair| pair[1]).collect();
        }
    }

    /// By closed bucket.
    pub(crate) fn buckets(&self) -> &[T] {
        &self.0
    }

    /// Bytes of a copy.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.0) as u64
    }
}
