//! What follows faults: retries that are a large part of the load, pools without a replica that serves, and goodput that stays
//! down.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog, KEPT, PROOFS, Proof, keep_latest};
use crate::observe::fault_log::FaultLog;
use base::{Micros, ReplicaId, RequestId, Span};
use document::Cluster;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Seconds over which retries are compared with all attempts.
const OVER_S: usize = 10;
/// Least number of retries in that time.
const LEAST: u32 = 20;
/// How long goodput may take after a fault is over.
const RECOVERY: Span = Span(30_000_000);

/// Attempts of one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct AttemptSecond {
    /// Arrivals; those of clients that came again are among them.
    arrivals: u32,
    /// Further attempts, which are no arrivals.
    attempts: u32,
    /// Further attempts, and clients that came again.
    again: u32,
}

/// Retries among the attempts of the latest seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Storm {
    /// The seconds, the last one at `second`.
    seconds: VecDeque<AttemptSecond>,
    second: u64,
    latest: VecDeque<Proof>,
    open: Option<AnomalyIndex>,
}

impl Storm {
    fn at(&mut self, now: Micros) -> &mut AttemptSecond {
        let second = now.0 / 1_000_000;
        if second > self.second + OVER_S as u64 {
            self.seconds.clear();
        }
        if self.seconds.is_empty() {
            self.second = second;
            self.seconds.push_back(AttemptSecond::default());
        }
        while self.second < second {
            self.second += 1;
            self.seconds.push_back(AttemptSecond::default());
            if self.seconds.len() > OVER_S {
                self.seconds.pop_front();
            }
        }
        self.seconds.back_mut().expect("INV-3: a second was pushed")
    }

    /// Whether at least a third of the attempts are retries, and how many retries there are.
    fn rages(&self) -> (bool, u32) {
        let sum = |of: fn(&AttemptSecond) -> u32| self.seconds.iter().map(of).sum::<u32>();
        let (all, again) = (sum(|s| s.arrivals + s.attempts), sum(|s| s.again));
        (again >= LEAST && 3 * again >= all, again)
    }

    fn arrived(&mut self, now: Micros, log: &mut AnomalyLog) {
        self.at(now).arrivals += 1;
        if let Some(place) = self.open.filter(|_| !self.rages().0) {
            log.close(place, now);
            self.open = None;
        }
    }

    fn again(&mut self, request: RequestId, arrived: bool, now: Micros, log: &mut AnomalyLog) {
        let second = self.at(now);
        second.again += 1;
        second.attempts += u32::from(!arrived);
        keep_latest(&mut self.latest, Proof { request, at: now });
        match (self.open, self.rages()) {
            (Some(place), _) => {
                if let Some(anomaly) = log.at(place) {
                    anomaly.figure += 1;
                }
            }
            (None, (false, _)) => {}
            (None, (true, retries)) => {
                // It began with the first of these retries.
                let quiet = self.seconds.iter().take_while(|second| second.again == 0).count();
                let first = self.second + 1 - (self.seconds.len() - quiet) as u64;
                self.open = Some(log.open(Anomaly {
                    kind: AnomalyKind::RetryStorm,
                    start: Micros(first * 1_000_000),
                    end: None,
                    replica: 0,
                    proofs: self.latest.iter().copied().take(PROOFS).collect(),
                    figure: u64::from(retries),
                    measure: None,
                    of: None,
                }));
            }
        }
    }
}

/// A pool, and who serves in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct PoolWatch {
    name: String,
    serving: Vec<u32>,
    open: Option<AnomalyIndex>,
}

/// A fault after which goodput is not back yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pending {
    row: u32,
    open: Option<AnomalyIndex>,
}

/// All that follows faults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Faults {
    storm: Storm,
    pools: Vec<PoolWatch>,
    pending: Vec<Pending>,
    /// Faults before this one were looked at.
    known: u32,
    /// The second that was looked at last.
    looked: u64,
    broke: bool,
}

impl Faults {
    pub(super) fn new(cluster: &Cluster) -> Self {
        let mut all = Self::default();
        all.adopt(cluster);
        let mut first = 0;
        for (watch, pool) in all.pools.iter_mut().zip(&cluster.pools) {
            watch.serving = (first..first + pool.replicas).collect();
            first += pool.replicas;
        }
        all
    }

    /// Takes over the cluster after an edit.
    pub(super) fn adopt(&mut self, cluster: &Cluster) {
        self.pools.resize_with(cluster.pools.len().max(self.pools.len()), PoolWatch::default);
        for (watch, pool) in self.pools.iter_mut().zip(&cluster.pools) {
            watch.name.clone_from(&pool.name);
        }
    }

    /// Whether anything broke, or a client came again; if not, reports leave these kinds out.
    pub(super) fn watched(&self) -> bool {
        self.broke
    }

    pub(super) fn arrived(&mut self, now: Micros, log: &mut AnomalyLog) {
        self.storm.arrived(now, log);
    }

    /// A request gets a further attempt, or arrived from a client that came again.
    pub(super) fn again(&mut self, request: RequestId, arrived: bool, now: Micros, log: &mut AnomalyLog) {
        self.broke = true;
        self.storm.again(request, arrived, now, log);
    }

    pub(super) fn serves(&mut self, replica: ReplicaId, pool: u32, now: Micros, log: &mut AnomalyLog) {
        let watch = super::entry(&mut self.pools, pool as usize);
        if !watch.serving.contains(&replica.0) {
            watch.serving.push(replica.0);
        }
        if let Some(place) = watch.open.take() {
            log.close(place, now);
        }
    }

    pub(super) fn drains(&mut self, replica: ReplicaId) {
        for watch in &mut self.pools {
            watch.serving.retain(|&number| number != replica.0);
        }
    }

    /// A replica of a pool goes down; one that was `planned` drained before.
    pub(super) fn down(
        &mut self,
        replica: ReplicaId,
        (pool, planned): (u32, bool),
        now: Micros,
        log: &mut AnomalyLog,
    ) {
        self.broke = true;
        let watch = super::entry(&mut self.pools, pool as usize);
        let served = planned || !watch.serving.is_empty();
        watch.serving.retain(|&number| number != replica.0);
        if served && watch.serving.is_empty() && watch.open.is_none() {
            watch.open = Some(log.open(Anomaly {
                kind: AnomalyKind::UnavailablePool,
                start: now,
                end: None,
                replica: replica.0,
                proofs: Vec::new(),
                figure: 0,
                measure: None,
                of: Some(watch.name.clone()),
            }));
        }
    }

    /// A request completed: looks once in a second at the faults that are over, whether goodput is back.
    pub(super) fn recovers(&mut self, now: Micros, faults: &FaultLog, log: &mut AnomalyLog) {
        self.broke = true;
        let rows = faults.rows.len() as u32;
        while self.known < rows {
            if self.pending.len() < KEPT as usize {
                self.pending.push(Pending { row: self.known, open: None });
            }
            self.known += 1;
        }
        let second = now.0 / 1_000_000;
        if self.pending.is_empty() || second == self.looked {
            return;
        }
        self.looked = second;
        self.pending.retain_mut(|pending| {
            let row = &faults.rows[pending.row as usize];
            if now < row.until {
                return true;
            }
            // Ten whole seconds must lie after the end of the fault, or they say nothing about what followed.
            let whole = now.since(row.until).0 >= 1_000_000 * OVER_S as u64;
            if whole && faults.is_back(row, now) {
                if let Some(place) = pending.open {
                    log.close(place, now);
                }
                return false;
            }
            if pending.open.is_none() && now.since(row.until) >= RECOVERY {
                pending.open = Some(log.open(Anomaly {
                    kind: AnomalyKind::SlowRecovery,
                    start: row.until,
                    end: None,
                    replica: row.replica.map_or(0, |replica| replica.0),
                    proofs: Vec::new(),
                    figure: 0,
                    measure: None,
                    of: Some(row.words().to_owned()),
                }));
            }
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::anomaly::Detectors;

    fn at(ms: u64) -> Micros {
        Micros(ms * 1000)
    }

    #[test]
    fn a_third_of_retries_over_ten_seconds_is_a_storm_until_it_is_less() {
        let (mut faults, mut log) = (Faults::default(), AnomalyLog::default());
        for i in 0..60_u64 {
            faults.arrived(at(100 * i), &mut log);
        }
        assert!(!faults.watched());
        // Every third arrival is one of these from 6 s on: 29 of 90, then 30 of 90.
        for i in 0..30_u64 {
            faults.arrived(at(6000 + 100 * i), &mut log);
            faults.again(RequestId(i as u32), true, at(6000 + 100 * i), &mut log);
            assert_eq!(log.kept.len(), usize::from(i == 29), "{i}");
        }
        assert_eq!((log.kept[0].start, log.kept[0].end, log.kept[0].figure), (at(6000), None, 30));
        for i in 0..40_u64 {
            faults.arrived(at(9000 + 50 * i), &mut log);
        }
        assert!(log.kept[0].end.is_some());
        assert!(log.kept[0].sentence().contains("30 of them"), "{}", log.kept[0].sentence());
    }

    #[test]
    fn few_retries_are_no_storm_whatever_their_share() {
        let (mut faults, mut log) = (Faults::default(), AnomalyLog::default());
        for i in 0..19 {
            faults.again(RequestId(i), false, at(u64::from(i)), &mut log);
        }
        assert!(log.kept.is_empty());
        faults.again(RequestId(19), false, at(20), &mut log);
        assert_eq!(log.kept.len(), 1);
    }

    #[test]
    fn a_pool_whose_last_replica_goes_down_is_unavailable_until_one_serves() {
        let mut cluster = Cluster::default();
        cluster.pools[0].replicas = 2;
        let (mut faults, mut log) = (Faults::new(&cluster), AnomalyLog::default());
        faults.down(ReplicaId(1), (0, false), at(1000), &mut log);
        faults.serves(ReplicaId(1), 0, at(2000), &mut log);
        faults.down(ReplicaId(1), (0, false), at(3000), &mut log);
        assert!(log.kept.is_empty());
        faults.down(ReplicaId(0), (0, false), at(4000), &mut log);
        faults.serves(ReplicaId(1), 0, at(9000), &mut log);
        let found = &log.kept[0];
        assert_eq!(
            (found.kind, found.start, found.end),
            (AnomalyKind::UnavailablePool, at(4000), Some(at(9000)))
        );
        // A pool that an autoscaler emptied is none.
        faults.drains(ReplicaId(1));
        assert_eq!(log.kept.len(), 1);
    }

    #[test]
    fn runs_without_faults_do_not_list_these_kinds() {
        let detectors = Detectors::new(&document::Scenario::default(), 1);
        assert!(detectors.counts().all(|(kind, _)| !kind.is_of_faults()));
    }
}
