//! Buckets of the timeline: how wide they are at first, and what is entered at the end of each.

use super::Recorder;
use crate::observe::rolling::ROLLING_S;
use base::Micros;
use base::small::sort::sort_pairs;
use engine::{Cluster, Replica};

/// Buckets of a run of known length, about as many as a chart can show. Narrower ones would hold too few requests for
/// their percentiles to mean anything.
const BUCKETS: u64 = 240;

/// Width of the first buckets: 100, 200 or 500 ms, 1, 2 or 5 s, … by the length of the run; 100 ms if it is
/// open-ended.
pub(super) fn first_width_us(horizon_s: f64) -> u64 {
    let horizon = base::math::round_to_span(horizon_s * 1e6).0;
    let mut decade = 100_000;
    loop {
        for width in [decade, 2 * decade, 5 * decade] {
            if horizon <= width * BUCKETS {
                return width;
            }
        }
        decade *= 10;
    }
}

/// Replicas beyond this number have no columns of their own, but the smallest, median and largest value.
pub(crate) const OWN_COLUMN: usize = 16;

/// The smallest, median and largest value; zeros if there is none.
fn spread(values: impl Iterator<Item = u32>) -> [u32; 3] {
    let mut pairs: Vec<(u64, u64)> = values.map(|v| (u64::from(v), 0)).collect();
    sort_pairs(&mut pairs);
    let at = |k: usize| pairs.get(k).map_or(0, |&(v, _)| v as u32);
    [at(0), at(pairs.len() / 2), at(pairs.len().saturating_sub(1))]
}

impl Recorder {
    /// Closes the open bucket of the timeline: queue depth and KV use of each replica at its end.
    pub(crate) fn close_bucket(&mut self, engine: &Cluster) {
        let end = Micros(self.timeline.boundary_us());
        let permille =
            |r: &Replica| (u64::from(r.kv().used()) * 1000 / u64::from(r.kv().total().max(1))) as u32;
        if self.live {
            let queues = spread(engine.replicas().iter().map(Replica::waiting));
            let kv_use = spread(engine.replicas().iter().map(permille));
            let own = queues.into_iter().chain(kv_use).chain([engine.held_back()]);
            match engine.gateway_gauges(engine.last_event_at()) {
                Some((saturation, bands)) => {
                    self.spread.close(own.chain([saturation]).chain(bands.map(|(_, waiting)| waiting)));
                }
                None => {
                    self.spread.close(own);
                }
            }
        }
        if let Some(batches) = &mut self.batches {
            let running = || engine.replicas().iter().map(Replica::running);
            batches.close(spread(running()).into_iter().chain(running().take(OWN_COLUMN)));
        }
        self.transit.close(engine, end);
        let doubled = self.timeline.close(engine.replicas().iter().flat_map(|r| [r.waiting(), permille(r)]));
        self.ttft_log.follow(doubled);
        self.e2e_log.follow(doubled);
        self.ttft_prefill_log.follow(doubled);
        if self.live {
            self.rolling.follow(self.window.latest(end, ROLLING_S), doubled);
            #[cfg(any(feature = "cli", feature = "closeup"))]
            {
                self.pauses.close(engine, &self.texts, &self.origins, end);
                self.gap_counts.follow(doubled);
                self.rolling_waits.follow(self.window.latest_waits(end, ROLLING_S), doubled);
            }
        }
    }
}
