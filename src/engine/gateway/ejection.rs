//! Replicas that routers leave out although they run: those whose probes failed, and outliers, whose attempts broke one after the
//! other. If all that serve are ejected, routers take them all the same.

use super::around::Around;
use super::picture::PhaseTurn;
use super::state::Gateway;
use crate::clock::ScalingEvent;
use crate::facts::{EjectedBy, FaultFact, Sink};
use crate::policy::{ReplicaPhase, ReplicaView};
use crate::replica::Replica;
use base::math::round_to_span;
use base::{Micros, ReplicaId};
use document::Outlier;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Ejected replicas, and what speaks against others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ejections {
    /// By number: since when each is ejected, by whom in the order of [`EjectedBy::ALL`].
    out: BTreeMap<u32, [Option<Micros>; EjectedBy::ALL.len()]>,
    outlier: Option<Outlier>,
    /// By number: attempts that broke since the last one that completed.
    streaks: BTreeMap<u32, u32>,
    /// By number: how often each was ejected as an outlier.
    times: BTreeMap<u32, u32>,
}

impl Ejections {
    pub(super) fn new(outlier: Option<Outlier>) -> Self {
        Self { outlier, ..Self::default() }
    }

    /// Follows other settings from now on. Ejections under way last as long as they would have.
    pub(super) fn adopt(&mut self, outlier: Option<Outlier>) {
        if outlier.is_none() {
            self.streaks.clear();
        }
        self.outlier = outlier;
    }

    /// Whether no replica is ejected.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.out.is_empty()
    }

    fn has(&self, replica: ReplicaId, by: EjectedBy) -> bool {
        self.out.get(&replica.0).is_some_and(|since| since[by as usize].is_some())
    }

    /// The phase of a replica as routers see it.
    #[inline]
    pub(super) fn seen(&self, replica: &Replica) -> ReplicaPhase {
        let phase = replica.phase();
        let out =
            phase == ReplicaPhase::Serving && !self.are_none() && self.out.contains_key(&replica.id().0);
        if out { ReplicaPhase::Ejected } else { phase }
    }

    /// An attempt at a replica completed.
    #[inline]
    pub(super) fn completed(&mut self, replica: ReplicaId) {
        if !self.streaks.is_empty() {
            self.streaks.remove(&replica.0);
        }
    }

    /// An ejection ends. Whether there was one.
    fn end(&mut self, replica: ReplicaId, by: EjectedBy) -> bool {
        let Some(since) = self.out.get_mut(&replica.0) else { return false };
        let was = since[by as usize].take().is_some();
        if since.iter().all(Option::is_none) {
            self.out.remove(&replica.0);
        }
        was
    }

    /// A replica is in another phase: one that began to serve after its probes failed is another one to them.
    pub(super) fn begins_anew(&mut self, replica: &Replica) {
        let by = EjectedBy::Probe;
        let Some(since) = self.out.get(&replica.id().0).and_then(|since| since[by as usize]) else { return };
        if replica.serving() && replica.life.served_since >= since {
            self.end(replica.id(), by);
        }
    }
}

/// Who of some replicas gets requests.
#[derive(Clone, Copy)]
pub(super) struct Takers {
    pools: u64,
    phase: ReplicaPhase,
}

impl Takers {
    /// Those of `pools`, as bits by number: replicas that serve, and if all that do are ejected, these.
    pub(super) fn of(views: &[ReplicaView], pools: u64) -> Self {
        let of_phase = |phase| Self { pools, phase };
        let (serving, ejected) = (of_phase(ReplicaPhase::Serving), of_phase(ReplicaPhase::Ejected));
        if !views.iter().any(|view| serving.has(view)) && views.iter().any(|view| ejected.has(view)) {
            ejected
        } else {
            serving
        }
    }

    /// Whether a replica is one of them.
    #[inline]
    pub(super) fn has(self, view: &ReplicaView) -> bool {
        view.phase == self.phase && self.pools >> view.pool & 1 == 1
    }
}

/// Whether any replica of `pools` gets requests.
pub(super) fn any_serves(views: &[ReplicaView], pools: u64) -> bool {
    let takers = Takers::of(views, pools);
    views.iter().any(|view| takers.has(view))
}

/// A replica that routers leave out from now on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ejection {
    pub(crate) replica: ReplicaId,
    pub(crate) by: EjectedBy,
    /// Until then; [`Micros::MAX`] if that is not known.
    pub(crate) until: Micros,
}

impl Gateway {
    /// Whether a replica is ejected.
    pub(crate) fn is_ejected(&self, replica: ReplicaId) -> bool {
        self.ejections.out.contains_key(&replica.0)
    }

    /// The phase of a replica as routers see it once they know of it.
    pub(crate) fn seen_phase(&self, replica: &Replica) -> ReplicaPhase {
        self.ejections.seen(replica)
    }

    /// Whether its probes ejected a replica.
    pub(crate) fn is_ejected_by(&self, replica: ReplicaId, by: EjectedBy) -> bool {
        self.ejections.has(replica, by)
    }

    /// The replicas that probes or broken attempts ejected.
    pub(crate) fn ejected_by(&self, by: EjectedBy) -> Vec<ReplicaId> {
        let all = self.ejections.out.keys().map(|&number| ReplicaId(number));
        all.filter(|replica| self.ejections.has(*replica, by)).collect()
    }

    /// A replica gets no new requests for a while.
    pub(crate) fn eject<S: Sink>(&mut self, ejection: Ejection, around: &mut Around<'_>, sink: &mut S) {
        let Ejection { replica, by, until } = ejection;
        self.ejections.out.entry(replica.0).or_default()[by as usize] = Some(around.now);
        self.attempts.counts.ejections += 1;
        self.turn(replica, PhaseTurn { from: ReplicaPhase::Serving, to: ReplicaPhase::Ejected }, around);
        let pool = around.fleet.replicas()[replica.index()].pool();
        sink.fact(around.now, FaultFact::Ejected { replica, pool, by, until }.into());
    }

    /// A replica gets requests again, unless it is ejected for the other reason too.
    pub(crate) fn readmit<S: Sink>(
        &mut self,
        replica: ReplicaId,
        by: EjectedBy,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        if !self.ejections.end(replica, by) {
            return;
        }
        if !self.is_ejected(replica) {
            self.turn(replica, PhaseTurn { from: ReplicaPhase::Ejected, to: ReplicaPhase::Serving }, around);
        }
        let pool = around.fleet.replicas()[replica.index()].pool();
        sink.fact(around.now, FaultFact::Readmitted { replica, pool, by }.into());
    }

    /// The time of an outlier is over, if it is still the ejection of that number.
    pub(crate) fn end_ejection<S: Sink>(
        &mut self,
        replica: ReplicaId,
        time: u32,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        if self.ejections.times.get(&replica.0) == Some(&time) {
            self.readmit(replica, EjectedBy::Outliers, around, sink);
        }
    }

    /// Gauges that an edit made anew learn who is ejected.
    pub(crate) fn tell_ejections(&mut self, around: &mut Around<'_>) {
        let all: Vec<u32> = self.ejections.out.keys().copied().collect();
        for number in all {
            self.turn(
                ReplicaId(number),
                PhaseTurn { from: ReplicaPhase::Serving, to: ReplicaPhase::Ejected },
                around,
            );
        }
    }

    /// What routers take a replica for changes, if they take it for the first of the two.
    fn turn(&mut self, replica: ReplicaId, turn: PhaseTurn, around: &mut Around<'_>) {
        self.picture.turn(replica, turn);
        if let Some(gauge) = &mut self.admission.gauge {
            gauge.turn(replica, turn);
        }
        if let Some(flow) = &mut self.flow {
            flow.turn(replica, turn, around.now);
        }
    }

    /// An attempt at a replica broke: an outlier is ejected, unless too many of its pool are.
    pub(super) fn count_broken<S: Sink>(
        &mut self,
        replica: ReplicaId,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let Some(s) = self.ejections.outlier else { return };
        let views = self.picture.views();
        let own = &views[replica.index()];
        if own.phase != ReplicaPhase::Serving {
            self.ejections.streaks.remove(&replica.0);
            return;
        }
        let streak = self.ejections.streaks.entry(replica.0).or_insert(0);
        *streak = streak.saturating_add(1);
        if *streak < s.consecutive {
            return;
        }
        let (mut of_pool, mut out) = (0_u32, 0);
        for view in views.iter().filter(|view| view.pool == own.pool) {
            of_pool += u32::from(matches!(view.phase, ReplicaPhase::Serving | ReplicaPhase::Ejected));
            out += u32::from(self.ejections.has(view.id, EjectedBy::Outliers));
        }
        let most = ((s.most_share * f64::from(of_pool)) as u32).max(1);
        if out >= most {
            return;
        }
        self.ejections.streaks.remove(&replica.0);
        let times = self.ejections.times.entry(replica.0).or_insert(0);
        *times = times.saturating_add(1);
        let time = *times;
        let until = around.now.saturating_add(round_to_span(s.ejection_s * 1e6 * f64::from(time)));
        self.eject(Ejection { replica, by: EjectedBy::Outliers, until }, around, sink);
        around.clock.schedule_scaling(until, ScalingEvent::Readmit { replica, time });
    }
}
