//! Columns of gaps between tokens, and of the times from arrival to the first batch.

use super::columns::{Columns, with_time};
use crate::base::units::US_PER_S;
use crate::observe::rolling::ROLLING_S;
use crate::session::Session;
use crate::stats::RunLength;

impl Session {
    /// Percentiles of the latest seconds at the end of each bucket: of gaps between tokens (0), or of the times from arrival to the
    /// first batch (1).
    pub(super) fn waits_over_time(&self, which: usize) -> Columns {
        let r = &self.recorder;
        if !r.live {
            return Columns::default();
        }
        let mut rows: Vec<_> = r.rolling_waits.buckets().iter().map(|all| all[which]).collect();
        let mut out = with_time(&r.timeline, false);
        // A bucket that ends at the playhead has no row of its own. A checkpoint has none for its playhead.
        if !r.is_packed() {
            let whole = (self.playhead.0.saturating_sub(1) / r.timeline.width_us()) as usize;
            out.columns[0].truncate(whole);
            rows.truncate(whole);
            out.columns[0].push(self.playhead.0 as f64 / US_PER_S as f64);
            rows.push(r.window.latest_waits(self.playhead, ROLLING_S)[which]);
        }
        for (k, name) in ["p50_ms", "p90_ms", "p99_ms"].into_iter().enumerate() {
            out.push(name, rows.iter().map(|b| b.map_or(f64::NAN, |(_, p)| p[k] / 1000.0)).collect());
        }
        out.push("count", rows.iter().map(|b| b.map_or(0.0, |(n, _)| n as f64)).collect());
        out
    }

    /// The gaps between tokens of the window, or all since the warm-up, each with its count.
    pub(super) fn gaps_of(&self, window_s: f64) -> Vec<(u64, u64)> {
        if window_s > 0.0 {
            self.recorder.window.values_of(self.playhead, window_s, false)
        } else {
            self.recorder.itl.values()
        }
    }

    /// The times from arrival to the first batch, of requests that joined it in the window, or of all that the report counts.
    pub(super) fn waits_of(&self, window_s: f64) -> Vec<(u64, u64)> {
        if window_s > 0.0 {
            return self.recorder.window.values_of(self.playhead, window_s, true);
        }
        let mut all = RunLength::default();
        for (id, r) in (0..).zip(self.engine.records()) {
            let counts = self.recorder.warmup().counts(crate::base::RequestId(id), r.arrival);
            if let Some(at) = r.first_scheduled.get().filter(|_| counts) {
                all.add(at.since(r.arrival).0, 1);
            }
        }
        all.sorted()
    }
}
