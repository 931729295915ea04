//! Load imbalance: the coefficient of variation of the requests present on each serving replica stays high.
//!
//! With S the sum of the loads x of n replicas and Q the sum of their squares, cov² = n Q / S² - 1, so both sums are
//! kept up to date without a pass over the replicas. The state lasts from one change to the next, so it is judged
//! before each change.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog, Proof};
use crate::base::multiply::{is_larger_product, times};
use crate::base::{Micros, RequestId, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// It begins above a coefficient of variation of 1/2: n Q > 5/4 S².
const HIGH: (u64, u64) = (5, 4);
/// It ends below 2/5: n Q < 29/25 S².
const LOW: (u64, u64) = (29, 25);
/// Mean load below which nothing is reported: a handful of requests cannot be spread evenly.
const MEAN: u32 = 2;
/// How long it must last.
const LASTING: Span = Span(5_000_000);

/// The loads of all replicas: requests sent there that are still present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Imbalance {
    /// Load, and whether it gets new requests.
    loads: Vec<(u64, bool)>,
    /// By replica: the latest requests sent there.
    latest: Vec<VecDeque<Proof>>,
    n: u64,
    sum: u64,
    squares: u64,
    since: Option<Micros>,
    open: Option<AnomalyIndex>,
    /// Largest value of the open anomaly so far, in thousandths.
    peak: u64,
}

impl Imbalance {
    pub(super) fn new(replicas: usize) -> Self {
        Self {
            loads: vec![(0, true); replicas],
            latest: Vec::new(),
            n: replicas as u64,
            sum: 0,
            squares: 0,
            since: None,
            open: None,
            peak: 0,
        }
    }

    pub(super) fn came(&mut self, request: RequestId, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.report(now, log);
        super::keep_latest(super::entry(&mut self.latest, replica), Proof { request, at: now });
        let (load, serving) = &mut self.loads[replica];
        *load += 1;
        if *serving {
            self.sum += 1;
            self.squares += 2 * *load - 1;
        }
        self.look(now, log);
    }

    pub(super) fn left(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.report(now, log);
        let (load, serving) = &mut self.loads[replica];
        *load -= 1;
        if *serving {
            self.sum -= 1;
            self.squares -= 2 * *load + 1;
        }
        self.look(now, log);
    }

    pub(super) fn serving(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.report(now, log);
        let (load, serving) = super::entry(&mut self.loads, replica);
        if !*serving {
            *serving = true;
            self.n += 1;
            self.sum += *load;
            self.squares += *load * *load;
        }
        self.look(now, log);
    }

    pub(super) fn draining(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.report(now, log);
        let (load, serving) = &mut self.loads[replica];
        if *serving {
            *serving = false;
            self.n -= 1;
            self.sum -= *load;
            self.squares -= *load * *load;
        }
        self.look(now, log);
    }

    /// Reports an imbalance that has lasted until `now`, before the loads change.
    #[inline]
    pub(super) fn report(&mut self, now: Micros, log: &mut AnomalyLog) {
        if let Some(since) = self.since
            && self.open.is_none()
        {
            self.report_since(since, now, log);
        }
    }

    fn report_since(&mut self, since: Micros, now: Micros, log: &mut AnomalyLog) {
        if now.since(since) >= LASTING {
            let most = self.loads.iter().enumerate().filter(|(_, (_, serving))| *serving);
            let most = most.max_by_key(|(i, (load, _))| (*load, std::cmp::Reverse(*i)));
            let busiest = most.map_or(0, |(i, _)| i);
            self.peak = 0;
            self.open = Some(log.open(Anomaly {
                kind: AnomalyKind::LoadImbalance,
                start: since,
                end: None,
                replica: busiest as u32,
                proofs: self.latest.get(busiest).into_iter().flatten().copied().collect(),
                figure: 0,
                measure: None,
                of: None,
            }));
            self.grow(log);
        }
    }

    /// Raises the largest value of the open anomaly.
    fn grow(&mut self, log: &mut AnomalyLog) {
        if let Some(place) = self.open {
            let squared = self.n as f64 * self.squares as f64 / (self.sum as f64 * self.sum as f64) - 1.0;
            self.peak = self.peak.max((libm::sqrt(squared) * 1000.0) as u64);
            if let Some(anomaly) = log.at(place) {
                anomaly.figure = self.peak;
            }
        }
    }

    /// Begins or ends an imbalance after the loads have changed.
    fn look(&mut self, now: Micros, log: &mut AnomalyLog) {
        let (over, of) = if self.since.is_some() { LOW } else { HIGH };
        let uneven = self.sum >= times(self.n.max(1), MEAN)
            && is_larger_product([of, self.n, self.squares], [over, self.sum, self.sum]);
        if uneven {
            self.since.get_or_insert(now);
            self.grow(log);
        } else {
            self.since = None;
            if let Some(place) = self.open.take() {
                log.close(place, now);
            }
        }
    }
}
