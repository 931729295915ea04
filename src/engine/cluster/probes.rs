//! Probes: replicas that are stuck or cannot be reached fail them, and are ejected or restarted.
//!
//! A probe of a replica that works passes and changes nothing, so that only those are probed that fail or are ejected; and of the
//! ejected ones only from when what is wrong with them may be over. Probes are at multiples of their interval all the same.

use crate::Cluster;
use crate::clock::ScalingEvent;
use crate::facts::{EjectedBy, FaultKind, Sink};
use crate::fleet::Crash;
use crate::gateway::Ejection;
use crate::perf::Plan;
use base::{Micros, ReplicaId, Span, math};
use document::{Probe, ProbeAction, limits};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Probes of one replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ProbeStreak {
    /// Failures in a row, and successes.
    failed: u32,
    passed: u32,
}

/// Who is probed, and when next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Probes {
    settings: Option<Probe>,
    /// How often the settings changed.
    revision: u32,
    /// By number: replicas that fail, or that their probes ejected.
    watched: BTreeMap<u32, ProbeStreak>,
    /// The number of the next event of probes; earlier ones are about nothing.
    number: u32,
    /// When it runs; [`Micros::MAX`] if there is none.
    next: Micros,
    /// When the latest one ran.
    latest: Option<Micros>,
    /// How many replicas were restarted.
    restarts: u32,
}

impl Default for Probes {
    fn default() -> Self {
        Self {
            settings: None,
            revision: 0,
            watched: BTreeMap::new(),
            number: 0,
            next: Micros::MAX,
            latest: None,
            restarts: 0,
        }
    }
}

impl Cluster {
    /// Probes as a plan has them from now on. Without any those that probes ejected get requests again.
    pub(crate) fn adopt_probes<S: Sink>(&mut self, plan: &Plan, now: Micros, sink: &mut S) {
        let settings = plan.scenario().cluster.resilience.probe;
        let probes = &mut self.probes;
        if probes.settings != settings {
            probes.settings = settings;
            probes.revision += 1;
            probes.number += 1;
            probes.next = Micros::MAX;
            probes.watched.values_mut().for_each(|watch| *watch = ProbeStreak::default());
        }
        if settings.is_none() {
            self.probes.watched.clear();
            for replica in self.gateway.ejected_by(EjectedBy::Probe) {
                let (gateway, mut around) = self.at(now);
                gateway.readmit(replica, EjectedBy::Probe, &mut around, sink);
            }
        }
        self.watch_failing(now);
    }

    /// Until when a replica fails its probes; `None` if it passes them.
    fn fails_until(&self, replica: ReplicaId, now: Micros) -> Option<Micros> {
        let r = &self.replicas()[replica.index()];
        let stuck = r.stuck_until(now);
        if !r.life.unreachable {
            return stuck;
        }
        let unreachable = self.faults_of(replica).filter(|(kind, ..)| *kind == FaultKind::Unreachable);
        unreachable.map(|(_, until, _)| until).chain(stuck).max()
    }

    /// Replicas that begin to fail are probed.
    #[inline]
    pub(crate) fn watch_failing(&mut self, now: Micros) {
        if self.probes.settings.is_some() && (self.faults.any_open() || !self.probes.watched.is_empty()) {
            self.watch_those_that_fail(now);
        }
    }

    #[inline(never)]
    fn watch_those_that_fail(&mut self, now: Micros) {
        for replica in self.faults.may_fail() {
            if !self.probes.watched.contains_key(&replica.0)
                && self.replicas()[replica.index()].serving()
                && self.fails_until(replica, now).is_some()
            {
                self.probes.watched.insert(replica.0, ProbeStreak::default());
            }
        }
        self.plan_probes(now);
    }

    /// The next probes are at the first multiple of the interval at which one can come to something.
    fn plan_probes(&mut self, now: Micros) {
        let Some(settings) = self.probes.settings else { return };
        let interval = interval(settings);
        let none_is_left =
            settings.then == ProbeAction::Restart && self.probes.restarts >= limits::PROBE_RESTARTS;
        let mut from = Micros::MAX;
        for &number in self.probes.watched.keys() {
            let replica = ReplicaId(number);
            let ejected = self.gateway.is_ejected_by(replica, EjectedBy::Probe);
            if self.replicas()[replica.index()].serving() && (ejected || !none_is_left) {
                let until = self.fails_until(replica, now).filter(|_| ejected);
                from = from.min(until.unwrap_or(now));
            }
        }
        if from == Micros::MAX {
            return;
        }
        let after = self.probes.latest.map_or(0, |latest| latest.0 + 1);
        let at = Micros(from.0.max(after).div_ceil(interval.0).saturating_mul(interval.0));
        let probes = &mut self.probes;
        if at < probes.next {
            probes.number += 1;
            probes.next = at;
            self.clock.schedule_scaling(at, ScalingEvent::Probe(probes.number));
        }
    }

    /// All that are watched are probed. A failure is known when the timeout is over.
    pub(crate) fn probe<S: Sink>(&mut self, number: u32, sink: &mut S) {
        let (Some(s), true) = (self.probes.settings, self.probes.number == number) else { return };
        let now = self.clock.now();
        (self.probes.next, self.probes.latest) = (Micros::MAX, Some(now));
        let verdict_at = now.saturating_add(math::round_to_span(s.timeout_s * 1e6));
        let all: Vec<u32> = self.probes.watched.keys().copied().collect();
        for number in all {
            let replica = ReplicaId(number);
            let r = &self.replicas()[replica.index()];
            let (serves, crash) = (r.serving(), r.crashes());
            if !serves {
                self.probes.watched.insert(number, ProbeStreak::default());
            } else if self.fails_until(replica, now).is_some() {
                let revision = self.probes.revision;
                self.clock
                    .schedule_scaling(verdict_at, ScalingEvent::ProbeFails { replica, crash, revision });
            } else {
                self.pass_probe(replica, s.successes, sink);
            }
        }
        self.plan_probes(now);
    }

    fn pass_probe<S: Sink>(&mut self, replica: ReplicaId, wanted: u32, sink: &mut S) {
        let Some(watch) = self.probes.watched.get_mut(&replica.0) else { return };
        *watch = ProbeStreak { failed: 0, passed: watch.passed.saturating_add(1) };
        let passed = watch.passed;
        let ejected = self.gateway.is_ejected_by(replica, EjectedBy::Probe);
        if ejected && passed < wanted {
            return;
        }
        self.probes.watched.remove(&replica.0);
        if ejected {
            let (gateway, mut around) = self.at(self.clock.now());
            gateway.readmit(replica, EjectedBy::Probe, &mut around, sink);
        }
    }

    /// A probe has failed: after `failures` in a row the replica is ejected or restarted.
    pub(crate) fn fail_probe<S: Sink>(
        &mut self,
        replica: ReplicaId,
        crash: u32,
        revision: u32,
        sink: &mut S,
    ) {
        let (now, r) = (self.clock.now(), &self.replicas()[replica.index()]);
        if self.probes.revision != revision || r.crashes() != crash || !r.serving() {
            return;
        }
        let (Some(s), Some(watch)) = (self.probes.settings, self.probes.watched.get_mut(&replica.0)) else {
            return;
        };
        *watch = ProbeStreak { failed: watch.failed.saturating_add(1), passed: 0 };
        if watch.failed < s.failures {
            return;
        }
        match s.then {
            ProbeAction::Eject if self.gateway.is_ejected_by(replica, EjectedBy::Probe) => {}
            ProbeAction::Eject => {
                let (gateway, mut around) = self.at(now);
                let ejection = Ejection { replica, by: EjectedBy::Probe, until: Micros::MAX };
                gateway.eject(ejection, &mut around, sink);
            }
            ProbeAction::Restart if self.probes.restarts >= limits::PROBE_RESTARTS => {}
            ProbeAction::Restart => {
                *watch = ProbeStreak::default();
                self.faults.count += 1;
                self.probes.restarts += 1;
                let restart = math::round_to_span(s.restart_s * 1e6);
                self.crash(Crash { replica, now, restart, planned: false }, sink);
            }
        }
    }

    /// Whether a run without a horizon goes on for probes: requests are in a replica that they are about to restart.
    #[inline]
    pub(crate) fn probes_hold(&self) -> bool {
        !self.probes.watched.is_empty() && self.is_to_restart()
    }

    #[inline(never)]
    fn is_to_restart(&self) -> bool {
        let restarts = self.probes.settings.is_some_and(|s| s.then == ProbeAction::Restart)
            && self.probes.restarts < limits::PROBE_RESTARTS;
        let waits = |&number: &u32| {
            let r = &self.replicas()[number as usize];
            r.serving() && r.in_flight() > 0 && self.fails_until(r.id(), self.clock.now()).is_some()
        };
        restarts && self.probes.watched.keys().any(waits)
    }
}

/// The time between two probes.
fn interval(s: Probe) -> Span {
    Span(math::round_to_span(s.interval_s * 1e6).0.max(1))
}
