//! What stands around the lanes: the whole run in buckets, and the routing decisions.

use super::{BUCKETS, LaneMark, MARKS};
use crate::observe::recorder::counter;
use crate::session::Session;
use base::units::US_PER_S;

impl Session {
    /// The whole run in buckets: start of each, prompt tokens a second, tokens produced a second.
    pub(super) fn tokens_over_time(&self) -> [Vec<f64>; 3] {
        let t = &self.recorder.timeline;
        let counts = [counter::PROMPT, counter::TOKENS].map(|which| t.counter(which));
        let buckets = counts[0].len();
        let each = buckets.div_ceil(BUCKETS).max(1);
        let mut out = [Vec::new(), Vec::new(), Vec::new()];
        for first in (0..buckets).step_by(each) {
            let range = first..(first + each).min(buckets);
            let seconds: f64 = range.clone().map(|bucket| self.bucket_seconds(bucket)).sum();
            out[0].push(first as f64 * t.width_us() as f64 / US_PER_S as f64);
            for (column, counts) in out[1..].iter_mut().zip(counts) {
                column.push(counts[range.clone()].iter().sum::<u64>() as f64 / seconds);
            }
        }
        out
    }

    /// The routing decisions between two instants, ends included: the latest, in order of arrival of the requests.
    pub(super) fn lane_marks(&self, from: u64, to: u64) -> Vec<LaneMark> {
        let mark = |(request, r): (u32, engine::Record)| {
            let at = r.routed.get()?.0;
            let replica = r.replica()?.0;
            (from <= at && at <= to).then_some(LaneMark { at_us: at, request, client: r.client, replica })
        };
        let arrived = (0..).zip(self.engine.records()).take_while(|(_, r)| r.arrival.0 <= to);
        let mut marks: Vec<LaneMark> = arrived.filter_map(mark).collect();
        marks.drain(..marks.len().saturating_sub(MARKS));
        marks
    }
}
