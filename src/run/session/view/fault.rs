//! What broke so far: key figures, and the attempts of one request.

use super::{AttemptDetail, CrashFrame, FaultFigures, ReplicaFault, Segment, SegmentKind};
use crate::observe::fault_log::FaultRow;
use crate::observe::report::{OneFaultPart, one_fault, share};
use crate::session::Session;
use base::{Micros, Period, ReplicaId, RequestId};
use engine::{BreakReason, FaultKind, Replica};

/// Most faults in a frame.
const FAULTS: usize = 32;

impl Session {
    /// Key figures of faults; `None` if nothing broke.
    pub(super) fn fault_figures(&self) -> Option<FaultFigures> {
        let (engine, counts) = (&self.engine, self.engine.attempt_counts());
        if !engine.is_faulty() {
            return None;
        }
        let now = self.playhead;
        let down = self.recorder.faults.down_us(Period { from: Micros::ZERO, to: now });
        let up: u64 = (0..engine.replicas().len())
            .map(|i| self.recorder.meters.up_between(i, Period { from: Micros::ZERO, to: now }))
            .sum();
        let totals = || engine.replicas().iter().map(engine::Replica::totals);
        let completed: u32 = totals().map(|t| t.completed).sum();
        let dropped: u32 = totals().map(|t| t.dropped).sum();
        let lost = engine.census().lost;
        let [degraded, down_now] = self.broken_replicas(now);
        Some(FaultFigures {
            availability: 1.0 - share(down.min(up) as f64, up as f64),
            success: share(f64::from(completed), f64::from(completed + dropped + lost)),
            attempts_per_arrival: share(counts.attempts as f64, f64::from(engine.census().arrived)),
            retrying: engine.retrying(),
            lost,
            ejections: counts.ejections,
            degraded,
            down: down_now,
        })
    }

    /// How many replicas were there with a fault at `at` and not down, and how many were down.
    pub(super) fn broken_replicas(&self, at: Micros) -> [u32; 2] {
        let mut broken = vec![[false; 2]; self.engine.replicas().len()];
        for row in self.recorder.faults.rows.iter().take_while(|row| row.at <= at) {
            if at < row.until {
                let its = row.replica.map_or(0..broken.len(), |id| id.index()..id.index() + 1);
                broken[its].iter_mut().for_each(|one| one[usize::from(row.kind.is_none())] = true);
            }
        }
        let just_now = Period { from: Micros(at.0.saturating_sub(1)), to: at };
        let there = |i: &usize| self.recorder.meters.existed(*i, just_now);
        let count = |which: fn(&[bool; 2]) -> bool| {
            (0..broken.len()).filter(|i| which(&broken[*i])).filter(there).count() as u32
        };
        [count(|[wrong, down]| *wrong && !down), count(|[_, down]| *down)]
    }

    /// The latest faults, and what each did.
    pub(super) fn latest_faults(&self) -> Vec<OneFaultPart> {
        let (scenario, log) = (self.plan.scenario(), &self.recorder.faults);
        let latest = log.rows.iter().skip(log.rows.len().saturating_sub(FAULTS));
        latest.map(|row| one_fault(scenario, &self.engine, log, row, self.playhead)).collect()
    }

    /// What is wrong with a replica for a while.
    pub(super) fn replica_faults(&self, id: ReplicaId) -> Vec<ReplicaFault> {
        let fault = |(kind, until, factor): (FaultKind, Micros, f64)| ReplicaFault {
            kind: kind.name(),
            short: kind.words().short,
            factor,
            until_us: (until != Micros::MAX).then_some(until.0),
        };
        self.engine.faults_of(id).map(fault).collect()
    }

    /// What the crash of a replica did; `None` unless it is down.
    pub(super) fn crash_frame(&self, r: &Replica) -> Option<CrashFrame> {
        r.down_until()?;
        let is_its = |row: &&FaultRow| row.kind.is_none() && row.replica == Some(r.id());
        let row = self.recorder.faults.rows.iter().rfind(is_its)?;
        let FaultRow { inside, broken, lost, planned, .. } = *row;
        Some(CrashFrame { inside, broken, lost, planned })
    }

    /// The attempts of a request that broke, in order. `segments` are where its time went.
    pub(super) fn attempts_of(&self, id: RequestId, segments: &[Segment]) -> Vec<AttemptDetail> {
        let mut shown = 0;
        let mut writes = |generated: u32| generated > std::mem::replace(&mut shown, generated);
        let detail = |a: &engine::Attempt| AttemptDetail {
            replica: a.replica.map(|replica| replica.0),
            routed_us: a.routed.0,
            scheduled_us: a.scheduled.get().map(|at| at.0),
            broke_us: a.broke.0,
            reason: a.reason.name(),
            wait: if a.reason == BreakReason::Unreachable { "Connect" } else { "Queue" },
            prefilled_tokens: a.prefilled,
            shown_tokens: a.generated,
            pause_us: if writes(a.generated) { pause(a.broke, segments) } else { None },
        };
        self.engine.attempts(id).map(detail).collect()
    }
}

/// From an instant until the next tokens, in microseconds; `None` if none has come yet.
fn pause(from: Micros, segments: &[Segment]) -> Option<u64> {
    let next = segments.iter().find(|s| s.kind == SegmentKind::Decode && s.from_us >= from.0);
    next.map(|s| s.from_us - from.0)
}
