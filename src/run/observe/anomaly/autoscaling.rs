//! Anomalies of autoscalers: changes that are soon reversed, wanted replicas that never come, and filters that have
//! stopped learning.
//!
//! All are detected in scaling decisions, so a pool without an autoscaler has none.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog};
use base::{Micros, ReplicaId, Span};
use document::{Cluster, ScalingPolicy};
use engine::ScalingRecord;
use serde::{Deserialize, Serialize};

/// How long replicas must wait for room before it is an anomaly.
const WAITING: Span = Span(60_000_000);
/// Number of successive cycles that must have rejected all their measurements.
const REJECTED: u32 = 5;

/// The state of one pool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct PoolWatch {
    name: String,
    /// The replica named for the pool: its first one.
    replica: Option<u32>,
    /// When the number last changed, and the oscillation that this change belongs to.
    changed: Option<(Micros, Option<AnomalyIndex>)>,
    /// Since when replicas have waited for room.
    waiting_since: Option<Micros>,
    /// The anomaly opened for this.
    waiting: Option<AnomalyIndex>,
    /// The wanted number while it is above the serving replicas, and since when.
    wanted: Option<(u32, Micros)>,
    /// Successive cycles that rejected all their measurements, and the instant of the first.
    rejected: Option<(u32, Micros)>,
    /// The anomaly opened for this.
    locked: Option<AnomalyIndex>,
}

/// All pools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Autoscaling {
    pools: Vec<PoolWatch>,
    /// Whether any pool has ever had an autoscaler; if not, reports leave these kinds out.
    pub(super) watched: bool,
}

impl Autoscaling {
    pub(super) fn new(cluster: &Cluster) -> Self {
        let mut all = Self::default();
        all.adopt(cluster);
        let mut first = 0;
        for (watch, pool) in all.pools.iter_mut().zip(&cluster.pools) {
            watch.replica = (pool.replicas > 0).then_some(first);
            first += pool.replicas;
        }
        all
    }

    /// Takes over the cluster after an edit.
    pub(super) fn adopt(&mut self, cluster: &Cluster) {
        self.watched |= cluster.pools.iter().any(|p| p.scaling.policy != ScalingPolicy::None);
        self.pools.resize_with(cluster.pools.len().max(self.pools.len()), PoolWatch::default);
        for (watch, pool) in self.pools.iter_mut().zip(&cluster.pools) {
            watch.name.clone_from(&pool.name);
        }
    }

    /// A replica begins to start.
    pub(super) fn starting(&mut self, replica: ReplicaId, pool: u32) {
        super::entry(&mut self.pools, pool as usize).replica.get_or_insert(replica.0);
    }

    pub(super) fn decided(&mut self, record: &ScalingRecord, log: &mut AnomalyLog) {
        let watch = super::entry(&mut self.pools, record.pool as usize);
        watch.turns_back(record, log);
        watch.waits_for_room(record, log);
        watch.gives_up(record, log);
        watch.is_locked_out(record, log);
    }
}

impl PoolWatch {
    fn anomaly(&self, kind: AnomalyKind, start: Micros, end: Option<Micros>, figure: u32) -> Anomaly {
        Anomaly {
            kind,
            start,
            end,
            replica: self.replica.unwrap_or(0),
            proofs: Vec::new(),
            figure: u64::from(figure),
            measure: None,
            of: Some(self.name.clone()),
        }
    }

    /// Detects opposite changes soon after each other; several in a row are one anomaly.
    fn turns_back(&mut self, record: &ScalingRecord, log: &mut AnomalyLog) {
        let d = &record.decision;
        if d.desired == d.current {
            return;
        }
        let mut part_of = None;
        if let (true, Some((before, open))) = (record.reverses, self.changed) {
            let place = open.unwrap_or_else(|| {
                log.open(self.anomaly(AnomalyKind::Oscillation, before, Some(record.at), 0))
            });
            if let Some(anomaly) = log.at(place) {
                anomaly.figure += 1;
                anomaly.end = Some(record.at);
            }
            part_of = Some(place);
        }
        self.changed = Some((record.at, part_of));
    }

    /// Detects wanted replicas that find no room for a minute.
    fn waits_for_room(&mut self, record: &ScalingRecord, log: &mut AnomalyLog) {
        if record.unplaced == 0 {
            self.waiting_since = None;
            if let Some(place) = self.waiting.take() {
                log.close(place, record.at);
            }
            return;
        }
        let since = *self.waiting_since.get_or_insert(record.at);
        if self.waiting.is_none() && record.at.since(since) >= WAITING {
            let anomaly = self.anomaly(AnomalyKind::CapacityNeverReached, since, None, record.unplaced);
            self.waiting = Some(log.open(anomaly));
        }
    }

    /// Detects a filter that rejects its measurements cycle after cycle: the coefficients stay wrong.
    fn is_locked_out(&mut self, record: &ScalingRecord, log: &mut AnomalyLog) {
        let Some(estimate) = &record.estimate else { return };
        match estimate.accepted() {
            None => {}
            Some(false) => {
                let (cycles, since) = self.rejected.map_or((1, record.at), |(n, since)| (n + 1, since));
                self.rejected = Some((cycles, since));
                if cycles == REJECTED {
                    self.locked =
                        Some(log.open(self.anomaly(AnomalyKind::TunerLockedOut, since, None, cycles)));
                } else if let Some(anomaly) = self.locked.and_then(|place| log.at(place)) {
                    anomaly.figure = u64::from(cycles);
                }
            }
            Some(true) => {
                self.rejected = None;
                if let Some(place) = self.locked.take() {
                    log.close(place, record.at);
                }
            }
        }
    }

    /// Detects a wanted number that falls again before that many replicas have served.
    fn gives_up(&mut self, record: &ScalingRecord, log: &mut AnomalyLog) {
        let d = &record.decision;
        if let Some((most, since)) = self.wanted {
            if record.ready >= most {
                self.wanted = None;
            } else if d.desired < most && d.desired < d.current {
                // Replicas that wait for room are reported above.
                if self.waiting.is_none() {
                    let missing = most - record.ready;
                    log.open(self.anomaly(
                        AnomalyKind::CapacityNeverReached,
                        since,
                        Some(record.at),
                        missing,
                    ));
                }
                self.wanted = None;
            }
        }
        if d.desired > d.current && d.desired > record.ready {
            let since = self.wanted.map_or(record.at, |(_, since)| since);
            self.wanted = Some((d.desired, since));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::policy::scaling::{Bounds, Decision, Estimate, Rule};

    /// A decision at a second: replicas that serve, those that there are and are wanted, and those without room.
    fn record(at_s: u64, ready: u32, current: u32, desired: u32, unplaced: u32) -> ScalingRecord {
        let decision = Decision::direct(current, desired, Rule::Target, Bounds { min: 0, max: 9 });
        ScalingRecord {
            at: Micros(at_s * 1_000_000),
            pool: 0,
            number: 0,
            seen_at: None,
            ready,
            pending: current.saturating_sub(ready),
            draining: 0,
            measured: ready,
            utilization: 0.0,
            kv: 0.0,
            queued: 0.0,
            running: 0.0,
            rate_per_s: 0.0,
            future_per_s: None,
            ttft_ms: 0.0,
            itl_ms: 0.0,
            decision,
            reverses: false,
            unplaced,
            present: None,
            estimate: None,
        }
    }

    fn found(records: &[ScalingRecord]) -> Vec<(AnomalyKind, u64, Option<u64>, u64)> {
        let mut watch = Autoscaling::new(&Cluster::default());
        let mut log = AnomalyLog::default();
        for r in records {
            watch.decided(r, &mut log);
        }
        let seconds = |at: Micros| at.0 / 1_000_000;
        log.kept.iter().map(|a| (a.kind, seconds(a.start), a.end.map(seconds), a.figure)).collect()
    }

    #[test]
    fn one_change_taken_back_after_the_other_is_one_oscillation() {
        let turn = |r: ScalingRecord| ScalingRecord { reverses: true, ..r };
        let up_and_down = [record(0, 2, 2, 3, 0), turn(record(30, 3, 3, 2, 0)), turn(record(45, 2, 2, 3, 0))];
        assert_eq!(found(&up_and_down), [(AnomalyKind::Oscillation, 0, Some(45), 2)]);
        let twice =
            [up_and_down.as_slice(), &[record(500, 3, 3, 4, 0), turn(record(510, 4, 4, 3, 0))]].concat();
        assert_eq!(found(&twice)[1], (AnomalyKind::Oscillation, 500, Some(510), 1));
        assert_eq!(found(&[record(0, 2, 2, 3, 0), record(400, 3, 3, 2, 0)]), []);
    }

    #[test]
    fn replicas_that_wait_for_room_are_told_of_after_a_minute_and_until_they_have_it() {
        let waits = |at_s| record(at_s, 2, 4, 4, 2);
        assert_eq!(found(&[waits(0), waits(59)]), []);
        let mut all = vec![waits(0), waits(30), waits(60), waits(90)];
        assert_eq!(found(&all), [(AnomalyKind::CapacityNeverReached, 0, None, 2)]);
        all.push(record(120, 4, 4, 4, 0));
        assert_eq!(found(&all), [(AnomalyKind::CapacityNeverReached, 0, Some(120), 2)]);
    }

    #[test]
    fn five_cycles_that_reject_all_are_a_lock_out_until_one_is_accepted() {
        let cycle = |at_s, updates| {
            let estimate = Estimate::of_updates(updates);
            ScalingRecord { estimate: Some(Box::new(estimate)), ..record(at_s, 2, 2, 2, 0) }
        };
        let mut all: Vec<ScalingRecord> = (0..4).map(|i| cycle(15 * i, [0.0, 2.0])).collect();
        assert_eq!(found(&all), []);
        all.extend([cycle(60, [0.0, 0.0]), cycle(75, [0.0, 1.0]), cycle(90, [0.0, 2.0])]);
        assert_eq!(found(&all), [(AnomalyKind::TunerLockedOut, 0, None, 6)]);
        all.push(cycle(105, [1.0, 1.0]));
        assert_eq!(found(&all), [(AnomalyKind::TunerLockedOut, 0, Some(105), 6)]);
    }

    #[test]
    fn giving_up_before_as_many_serve_as_were_wanted_is_told_and_a_slow_start_is_not() {
        let slow =
            [record(0, 2, 2, 4, 0), record(30, 2, 4, 6, 0), record(60, 4, 6, 6, 0), record(90, 6, 6, 6, 0)];
        assert_eq!(found(&slow), []);
        assert_eq!(found(&[slow.as_slice(), &[record(400, 6, 6, 2, 0)]].concat()), []);
        let gives_up = [&slow[..2], &[record(60, 4, 6, 3, 0)]].concat();
        assert_eq!(found(&gives_up), [(AnomalyKind::CapacityNeverReached, 0, Some(60), 2)]);
    }
}
