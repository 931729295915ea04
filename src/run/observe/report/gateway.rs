//! The part of a report about the gateway's queue: who waited there, for how long, and what became of them.

use super::in_ms;
use super::measure::MeasurementWindow;
use crate::observe::recorder::Recorder;
use base::small::sort::sort_pairs;
use base::stats::{Ranked, Summary};
use base::{Micros, RequestId};
use document::{FlowControl, Scenario};
use engine::policy::Reason;
use engine::{Cluster, DropReason, Record};
use serde::Serialize;

/// The gateway's queue under flow control.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GatewayPart {
    /// All bands together.
    pub all: BandPart,
    /// Each band in which a request waited, the highest priority first.
    pub bands: Vec<BandPart>,
}

/// The requests of one band, by the priority that their class has now; counts include the warm-up.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct BandPart {
    /// Its priority; 0 for all bands together.
    pub priority: i32,
    /// Requests that joined.
    pub entered: u32,
    /// Of these, requests that went on to the router.
    pub dispatched: u32,
    /// Requests refused because the queue or the band was full.
    pub refused_full: u32,
    /// Requests that waited for as long as they may.
    pub expired: u32,
    /// Running requests stopped to make room for a higher band.
    pub evicted: u32,
    /// Requests that wait now.
    pub waiting: u32,
    /// Mean number of requests that waited, over the measurement window.
    pub mean_waiting: f64,
    /// Most requests that waited at once in the measurement window.
    pub max_waiting: u32,
    /// Time in the gateway's queue of requests that went on and arrived in the measurement window, in milliseconds.
    pub wait_ms: Summary,
}

/// The stay of a request in the queue.
struct QueueStay {
    from: Micros,
    to: Micros,
}

fn stay(r: &Record, now: Micros) -> Option<QueueStay> {
    let from = r.entered.get()?;
    Some(QueueStay { from, to: r.admitted.get().or(r.left.get()).unwrap_or(now) })
}

/// The part; `None` without flow control.
pub(super) fn gateway(
    scenario: &Scenario,
    m: &MeasurementWindow<'_>,
    recorder: &Recorder,
) -> Option<GatewayPart> {
    let flow = scenario.cluster.flow_control.as_ref()?;
    let engine = m.engine();
    let mut priorities: Vec<i32> = Vec::new();
    let joins = |r: &Record| r.entered.is_known() || r.refused == Some(Reason::GatewayFull);
    for r in engine.records().iter().filter(joins) {
        let priority = flow.priorities.of(r.class);
        if let Err(place) = priorities.binary_search_by(|p| priority.cmp(p)) {
            priorities.insert(place, priority);
        }
    }
    let of = |which: Option<i32>| BandRequests { flow, which, engine, recorder, from: m.from() }.part();
    Some(GatewayPart { all: of(None), bands: priorities.into_iter().map(|p| of(Some(p))).collect() })
}

/// The requests of one band, or of all.
struct BandRequests<'a> {
    flow: &'a FlowControl,
    which: Option<i32>,
    engine: &'a Cluster,
    recorder: &'a Recorder,
    from: Micros,
}

impl BandRequests<'_> {
    fn has(&self, r: &Record) -> bool {
        self.which.is_none_or(|priority| self.flow.priorities.of(r.class) == priority)
    }

    fn part(&self) -> BandPart {
        let now = self.engine.last_event_at();
        let mut p = BandPart { priority: self.which.unwrap_or_default(), ..BandPart::default() };
        let mut changes: Vec<(u64, u64)> = Vec::new();
        let mut waits: Vec<(u64, u32)> = Vec::new();
        let mut area = 0_u128;
        for (i, r) in (0..).zip(self.engine.records()).filter(|(_, r)| self.has(r)) {
            p.refused_full += u32::from(r.refused == Some(Reason::GatewayFull));
            p.evicted += u32::from(r.drop == Some(DropReason::Evicted));
            let expired = matches!(r.refused, Some(Reason::WaitedTooLong | Reason::NoReplicaInTime));
            let Some(QueueStay { from, to }) = stay(&r, now) else { continue };
            p.entered += 1;
            p.dispatched += u32::from(r.admitted.is_known());
            p.expired += u32::from(expired && r.left.is_known());
            p.waiting += u32::from(!r.admitted.is_known() && !r.left.is_known());
            if r.admitted.is_known() && self.recorder.warmup().counts(RequestId(i), r.arrival) {
                waits.push((to.since(from).0, i));
            }
            let (from, to) = (from.max(self.from), to.max(self.from));
            if to > from {
                area += u128::from(to.since(from).0);
                // Those that leave at an instant leave before others join.
                changes.push((from.0, 1));
                changes.push((to.0, 0));
            }
        }
        let window = now.0.saturating_sub(self.from.0);
        p.mean_waiting = if window == 0 { 0.0 } else { area as f64 / window as f64 };
        p.max_waiting = most(changes);
        p.wait_ms = in_ms(Ranked::new(waits.len(), waits.iter().copied()).summary());
        p
    }
}

/// The most that were there at once, by the instants at which one came (1) or went (0).
fn most(mut changes: Vec<(u64, u64)>) -> u32 {
    sort_pairs(&mut changes);
    let (mut there, mut most) = (0_u32, 0);
    for (_, comes) in changes {
        there = if comes == 1 { there + 1 } else { there - 1 };
        most = most.max(there);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::most;

    #[test]
    fn one_that_goes_makes_room_for_one_that_comes_at_the_same_instant() {
        assert_eq!(most(vec![(5, 1), (7, 0), (7, 1), (9, 0)]), 1);
        assert_eq!(most(vec![(5, 1), (8, 0), (7, 1), (9, 0)]), 2);
        assert_eq!(most(Vec::new()), 0);
    }
}
