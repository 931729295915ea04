//! Columns of gaps between tokens, and of the times from arrival to the first batch.

use super::columns::Columns;
use crate::observe::rolling::ROLLING_S;
use crate::session::Session;
use base::stats::RunLength;

impl Session {
    /// Percentiles of the latest seconds at the end of each bucket: of gaps between tokens (0), or of the times from arrival to the
    /// first batch (1).
    pub(super) fn waits_over_time(&self, which: usize) -> Columns {
        let r = &self.recorder;
        if !r.live {
            return Columns::default();
        }
        let rows = r.rolling_waits.buckets().iter().map(|all| all[which]).collect();
        let latest = || r.window.latest_waits(self.playhead, ROLLING_S)[which];
        let (mut out, rows) = self.up_to_the_playhead(rows, &latest);
        out.push_percentiles(&rows);
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
            let counts = self.recorder.warmup().counts(base::RequestId(id), r.arrival);
            if let Some(at) = r.first_scheduled.get().filter(|_| counts) {
                all.add(at.since(r.arrival).0, 1);
            }
        }
        all.sorted()
    }
}
