//! Starved bands: requests wait in a band of the gateway's queue and none of them goes on, while others do.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog, PROOFS, Proof};
use base::{Micros, RequestId, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How long a band must send none before it is an anomaly.
const LASTING: Span = Span(10_000_000);

/// A band of the gateway's queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WatchedBand {
    priority: i32,
    waiting: u32,
    /// Since when none has gone on while some waited.
    since: Micros,
    /// Requests of other bands that went on since.
    others: u64,
    /// The first that joined and may still wait.
    joined: VecDeque<Proof>,
    reported: Option<AnomalyIndex>,
}

/// All bands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Starvation {
    bands: Vec<WatchedBand>,
}

impl Starvation {
    /// Whether a request ever joined a band.
    pub(super) fn watched(&self) -> bool {
        !self.bands.is_empty()
    }

    fn band(&mut self, priority: i32) -> &mut WatchedBand {
        let place = self.bands.partition_point(|b| b.priority > priority);
        if self.bands.get(place).is_none_or(|b| b.priority != priority) {
            let (since, joined) = (Micros::ZERO, VecDeque::new());
            self.bands.insert(
                place,
                WatchedBand { priority, waiting: 0, since, others: 0, joined, reported: None },
            );
        }
        &mut self.bands[place]
    }

    /// A request joins.
    pub(super) fn joins(&mut self, request: RequestId, priority: i32, now: Micros) {
        let band = self.band(priority);
        if band.waiting == 0 {
            (band.since, band.others) = (now, 0);
            band.joined.clear();
        }
        band.waiting += 1;
        if band.joined.len() < PROOFS {
            band.joined.push_back(Proof { request, at: now });
        }
    }

    /// A request goes on: its band is not starved, and others may be.
    pub(super) fn goes_on(&mut self, request: RequestId, priority: i32, now: Micros, log: &mut AnomalyLog) {
        self.leaves(request, priority, now, log);
        let band = self.band(priority);
        (band.since, band.others) = (now, 0);
        for band in self.bands.iter_mut().filter(|b| b.priority != priority && b.waiting > 0) {
            band.others += 1;
            if now.since(band.since) < LASTING {
                continue;
            }
            match band.reported {
                Some(place) => {
                    if let Some(anomaly) = log.at(place) {
                        anomaly.figure = band.others;
                    }
                }
                None => {
                    band.reported = Some(log.open(Anomaly {
                        kind: AnomalyKind::StarvedBand,
                        start: band.since,
                        end: None,
                        replica: 0,
                        proofs: band.joined.iter().copied().collect(),
                        figure: band.others,
                        measure: None,
                        of: Some(band.priority.to_string()),
                    }));
                }
            }
        }
    }

    /// A request leaves, whether it goes on or has waited for too long.
    pub(super) fn leaves(&mut self, request: RequestId, priority: i32, now: Micros, log: &mut AnomalyLog) {
        let band = self.band(priority);
        band.waiting = band.waiting.saturating_sub(1);
        band.joined.retain(|proof| proof.request != request);
        if let Some(place) = band.reported.take() {
            log.close(place, now);
        }
    }

    /// An edit queues all requests again: what waits is counted from then on.
    pub(super) fn adopt(&mut self, flow_control: bool, now: Micros, log: &mut AnomalyLog) {
        for band in &mut self.bands {
            if let Some(place) = band.reported.take() {
                log.close(place, now);
            }
            if !flow_control {
                band.waiting = 0;
            }
            (band.since, band.others) = (now, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_that_sends_none_for_ten_seconds_while_others_do_is_starved_until_it_does() {
        let (mut bands, mut log) = (Starvation::default(), AnomalyLog::default());
        let at = |s: u64| Micros(s * 1_000_000);
        assert!(!bands.watched());
        bands.joins(RequestId(0), -50, at(1));
        for i in 1..=10 {
            bands.joins(RequestId(i), 100, at(u64::from(i)));
            bands.goes_on(RequestId(i), 100, at(u64::from(i)), &mut log);
        }
        assert_eq!(log.kept.len(), 0, "nine seconds");
        bands.joins(RequestId(11), 100, at(11));
        bands.goes_on(RequestId(11), 100, at(11), &mut log);
        bands.joins(RequestId(12), 100, at(12));
        bands.goes_on(RequestId(12), 100, at(12), &mut log);
        bands.goes_on(RequestId(0), -50, at(14), &mut log);
        let found = &log.kept[0];
        assert_eq!((found.start, found.end, found.figure), (at(1), Some(at(14)), 12));
        assert_eq!(found.proofs[0].request, RequestId(0));
        assert!(found.sentence().contains("band -50") && found.sentence().contains("12 of other bands"));
        // Nothing waits now: a pause is no starvation.
        bands.goes_on(RequestId(13), 100, at(60), &mut log);
        assert_eq!(log.kept.len(), 1);
    }
}
