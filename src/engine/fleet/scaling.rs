//! Autoscaling: when replicas are measured, when an autoscaler decides, and what becomes of its decision.
//!
//! At one instant replicas that have started come first, before arrivals, so that who arrives then can be sent there. After all
//! that the gateway does come the ends of holds, then measurements, then decisions: a decision sees the measurement of its own
//! instant, and both see the instant before replicas go on. Without a horizon a run does not go on for these events alone.

use super::scaling_group::{Place, places};
use super::scrape::Scrapes;
use crate::base::{Micros, ReplicaId, RequestId, Span, math};
use crate::engine::Cluster;
use crate::engine::clock::{Event, EventQueue};
use crate::engine::facts::{Fact, ScalingRecord, Sink};
use crate::engine::gateway::Held;
use crate::engine::replica::phases_of;
use crate::policy::ReplicaPhase;
use crate::policy::scaling::{Decision, Estimate, Measured, PoolSight, Scaler};
use crate::scenario::{self, Drain, Pool, ScalingPolicy, StartPhases, Victim, limits};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An event of autoscaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::engine) enum ScalingEvent {
    /// A replica has started, unless this start was given up.
    Ready { replica: ReplicaId, start: u32 },
    /// A request has been held for as long as it may be.
    HoldOver(RequestId),
    /// The replicas of a pool are measured, if its settings are still those.
    Scrape { pool: u32, edition: u32 },
    /// The autoscaler of a pool decides, if its settings are still those.
    Tick { pool: u32, edition: u32 },
}

impl Event for ScalingEvent {
    fn order(self) -> u8 {
        match self {
            Self::Ready { .. } => 0,
            Self::HoldOver(_) => 1,
            Self::Scrape { .. } => 2,
            Self::Tick { .. } => 3,
        }
    }
}

/// A pool's autoscaler.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct PoolScaler {
    #[serde(with = "scenario::settings_text")]
    pub(in crate::engine) settings: scenario::Scaling,
    /// Where it stands among pools that decide together.
    pub(in crate::engine) place: Place,
    /// Counts the edits of its settings: events of earlier ones are about nothing.
    edition: u32,
    pub(in crate::engine) policy: Scaler,
    pub(in crate::engine) scrapes: Scrapes,
    pub(in crate::engine) tick: Span,
    scrape: Span,
    pub(in crate::engine) window: Span,
    pub(in crate::engine) lag: Span,
    pub(in crate::engine) hold: Span,
    /// The time within which two opposite changes are an oscillation.
    oscillation: Span,
    /// How far it may look ahead, if it may.
    pub(in crate::engine) ahead: Option<Span>,
    pub(in crate::engine) phases: Option<StartPhases>,
    /// Replicas that are to start as soon as there is room.
    pub(in crate::engine) unplaced: u32,
    /// Whether the run began without replicas of the pool, and none has served yet: requests wait for the first one.
    pub(in crate::engine) expects: bool,
    /// When it last changed the number, and whether to more.
    changed: Option<(Micros, bool)>,
    decisions: u32,
}

impl PoolScaler {
    fn new(pool: &Pool, place: Place, edition: u32, (now, replicas): (Micros, u32)) -> Self {
        let s = &pool.scaling;
        let span = |seconds: f64| math::round_to_span(seconds * 1e6);
        let ahead = if let ScalingPolicy::Oracle(p) = &s.policy { Some(span(p.ahead_s)) } else { None };
        Self {
            settings: s.clone(),
            place,
            edition,
            policy: Scaler::new(s, now, replicas),
            scrapes: Scrapes::default(),
            tick: span(s.tick_s),
            scrape: span(s.scrape_s),
            window: span(s.window_s),
            lag: span(s.lag_s),
            hold: span(s.hold_s),
            oscillation: span(s.policy.oscillation_s(s.tick_s)),
            ahead,
            phases: phases_of(pool),
            unplaced: 0,
            expects: now == Micros::ZERO && pool.replicas == 0,
            changed: None,
            decisions: 0,
        }
    }

    /// Whether anybody decides.
    pub(in crate::engine) fn is_active(&self) -> bool {
        self.settings.policy != ScalingPolicy::None
    }

    /// GPUs that the pool may hold, together with those that share its budget.
    pub(in crate::engine) fn gpus(&self) -> Option<u32> {
        (self.place.gpus > 0).then_some(self.place.gpus)
    }

    pub(in crate::engine) fn warm_up(&self) -> (u32, f64) {
        (self.settings.warm_up_requests, self.settings.warm_up_factor)
    }

    pub(in crate::engine) fn drain(&self) -> Drain {
        self.settings.drain
    }

    pub(in crate::engine) fn victim(&self) -> Victim {
        self.settings.victim
    }
}

/// By pool, whether its policy begins anew: its settings are others or it stands elsewhere, or that is so of one that it decides
/// together with.
fn begin_anew(known: &[PoolScaler], pools: &[Pool], places: &[Place]) -> Vec<bool> {
    let mut anew = vec![false; pools.len()];
    for (i, pool) in pools.iter().enumerate() {
        let was = known.get(i);
        if was.is_some_and(|p| p.settings == pool.scaling && p.place.is_beside(&places[i])) {
            continue;
        }
        anew[i] = true;
        for j in 0..pools.len() {
            let before = was.zip(known.get(j)).is_some_and(|(a, b)| a.place.is_led_as(&b.place));
            anew[j] |= before || places[i].is_led_as(&places[j]);
        }
    }
    anew
}

/// All of a cluster that has to do with autoscaling; there is none in a cluster whose pools say nothing of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct Scaling {
    pub(in crate::engine) pools: Vec<PoolScaler>,
    pub(in crate::engine) events: EventQueue<ScalingEvent>,
    pub(in crate::engine) held: VecDeque<Held>,
}

impl Scaling {
    /// About how many bytes it takes.
    pub(in crate::engine) fn bytes(&self) -> u64 {
        self.pools.iter().map(|p| 1024 + p.scrapes.bytes()).sum::<u64>() + 32 * self.held.len() as u64
    }

    /// Measures and decides from `now` on.
    fn begin(&mut self, pool: u32, now: Micros) {
        let p = &self.pools[pool as usize];
        if p.is_active() {
            let edition = p.edition;
            let (scrape, tick) = (now.saturating_add(p.scrape), now.saturating_add(p.tick));
            self.events.schedule(scrape, ScalingEvent::Scrape { pool, edition });
            if p.place.leader.is_none_or(|leader| leader == pool) {
                self.events.schedule(tick, ScalingEvent::Tick { pool, edition });
            }
        }
    }
}

/// Replicas of a pool by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolCounts {
    /// Those that serve.
    pub serving: u32,
    /// Of those, the ones that are still cold.
    pub cold: u32,
    /// Those that start.
    pub starting: u32,
    /// Those that drain.
    pub draining: u32,
    /// Those that wait for room.
    pub unplaced: u32,
}

impl Cluster {
    /// Takes up what the pools say of autoscaling, from `now` on: those whose settings have changed begin anew, with all that they
    /// decide together with now or did before.
    pub(in crate::engine) fn adopt_scaling(&mut self, pools: &[Pool], now: Micros) {
        let expects = |p: &Pool| now == Micros::ZERO && p.replicas == 0;
        if self.scaling.is_none() && pools.iter().all(|p| p.scaling.is_default() && !expects(p)) {
            return;
        }
        let mut scaling = self.scaling.take().unwrap_or_else(|| {
            Box::new(Scaling { pools: Vec::new(), events: EventQueue::default(), held: VecDeque::new() })
        });
        scaling.events.not_before(now);
        let places = places(pools);
        let anew = begin_anew(&scaling.pools, pools, &places);
        for (i, (pool, place)) in pools.iter().zip(places).enumerate() {
            let replicas =
                self.replicas.iter().filter(|r| r.pool as usize == i && r.serving()).count() as u32;
            let replicas = if now == Micros::ZERO { pool.replicas } else { replicas };
            match scaling.pools.get_mut(i) {
                Some(p) if !anew[i] => (p.phases, p.place) = (phases_of(pool), place),
                Some(p) => {
                    let new = PoolScaler::new(pool, place, p.edition + 1, (now, replicas));
                    let before = std::mem::replace(p, new);
                    (p.unplaced, p.scrapes, p.expects) = (before.unplaced, before.scrapes, before.expects);
                    p.policy.keep_learnt(before.policy);
                    scaling.begin(i as u32, now);
                }
                None => {
                    scaling.pools.push(PoolScaler::new(pool, place, 0, (now, replicas)));
                    scaling.begin(i as u32, now);
                }
            }
        }
        // What all decisions of a run come to is bounded as if it ended there, so it does.
        let endless = self.horizon == Micros::MAX && scaling.pools.iter().any(PoolScaler::is_active);
        self.clock_end = if endless { Micros(limits::HORIZON_US) } else { Micros::END };
        self.scaling = Some(scaling);
    }

    /// When the next event of autoscaling runs, if the run goes on until then.
    #[inline]
    pub(in crate::engine) fn scaling_at(&self, gateway: Micros) -> Micros {
        self.scaling.as_ref().map_or(Micros::MAX, |s| self.scaling_due(s, gateway))
    }

    #[inline(never)]
    fn scaling_due(&self, scaling: &Scaling, gateway: Micros) -> Micros {
        let others = gateway.min(self.next_at.winner().0);
        let goes_on = self.horizon != Micros::MAX || others < self.clock_end || !scaling.held.is_empty();
        if goes_on { scaling.events.next_at() } else { Micros::MAX }
    }

    /// Runs the next event of autoscaling if it comes before the gateway's, which is at `gateway`; whether it did.
    pub(in crate::engine) fn run_scaling_event<S: Sink>(&mut self, gateway: Micros, sink: &mut S) -> bool {
        let Some(scaling) = &mut self.scaling else { return false };
        let first = |at: Micros, event: ScalingEvent| {
            at < gateway || (at == gateway && matches!(event, ScalingEvent::Ready { .. }))
        };
        let Some(event) = scaling.events.pop_if(first) else { return false };
        let now = self.clock;
        match event {
            ScalingEvent::Ready { replica, start } => self.ready(replica, start, now, sink),
            ScalingEvent::HoldOver(request) => self.end_hold(request, now, sink),
            ScalingEvent::Scrape { pool, edition } => {
                if let Some((scrape, _)) = self.periods(pool, edition) {
                    self.scrape(pool);
                    self.again(now, scrape, event);
                }
            }
            ScalingEvent::Tick { pool, edition } => {
                if let Some((_, tick)) = self.periods(pool, edition) {
                    self.decide(pool, sink);
                    self.again(now, tick, event);
                }
            }
        }
        true
    }

    fn periods(&self, pool: u32, edition: u32) -> Option<(Span, Span)> {
        let p = &self.scaling.as_ref()?.pools[pool as usize];
        (p.edition == edition).then_some((p.scrape, p.tick))
    }

    fn again(&mut self, now: Micros, period: Span, event: ScalingEvent) {
        if let Some(scaling) = &mut self.scaling {
            scaling.events.schedule(now.saturating_add(period), event);
        }
    }

    /// The autoscaler of a pool decides.
    fn decide<S: Sink>(&mut self, pool: u32, sink: &mut S) {
        let together = self.scaling.as_ref().is_some_and(|s| s.pools[pool as usize].place.leader.is_some());
        if together {
            return self.decide_together(pool, sink);
        }
        let sight = self.sight(pool);
        let Some(scaling) = &mut self.scaling else { return };
        let policy = &mut scaling.pools[pool as usize].policy;
        let decision = policy.tick(&sight);
        let model = &self.pools[pool as usize].resolved.model;
        let estimate = policy.take_estimate(|size| model.coefficients(size));
        self.carry_out(pool, &sight, (decision, estimate), sink);
    }

    /// A request is held: autoscalers that need no measurement for that start a replica at once.
    pub(in crate::engine) fn wake_pools<S: Sink>(&mut self, pools: u64, sink: &mut S) {
        for pool in 0..self.pools.len() as u32 {
            let wakes = |p: &PoolScaler| p.is_active() && p.policy.wakes_at_once();
            let may = self.scaling.as_ref().is_some_and(|s| wakes(&s.pools[pool as usize]));
            if pools >> pool & 1 == 0 || !may {
                continue;
            }
            let counts = self.pool_counts(pool);
            let asleep = counts.serving + counts.starting + counts.unplaced == 0;
            let Some(scaling) = &mut self.scaling else { return };
            if asleep {
                let decision = scaling.pools[pool as usize].policy.wake(self.clock);
                let sight = self.sight(pool);
                self.carry_out(pool, &sight, (decision, None), sink);
            }
        }
    }

    /// Tells of a decision and does what it says.
    pub(in crate::engine) fn carry_out<S: Sink>(
        &mut self,
        pool: u32,
        sight: &PoolSight,
        (decision, estimate): (Decision, Option<Box<Estimate>>),
        sink: &mut S,
    ) {
        let now = self.clock;
        let present = self.present(pool);
        let Some(scaling) = &mut self.scaling else { return };
        let p = &mut scaling.pools[pool as usize];
        let b = p.policy.bounds();
        assert!(
            (b.min.min(b.max)..=b.max).contains(&decision.desired) || decision.desired == decision.current,
            "INV-9: {decision:?} is out of {b:?}"
        );
        let up = decision.desired > decision.current;
        let changes = decision.desired != decision.current;
        let reverses =
            changes && p.changed.is_some_and(|(at, was_up)| was_up != up && now.0 - at.0 < p.oscillation.0);
        if changes {
            p.changed = Some((now, up));
        }
        let number = p.decisions;
        p.decisions += 1;
        if changes {
            let (from, to, rule) = (decision.current, decision.desired, decision.rule);
            sink.fact(now, Fact::Scaled { pool, from, to, rule });
            self.scale(pool, to, now, sink);
        } else {
            self.place(pool, now, sink);
        }
        sink.scaled(&ScalingRecord {
            at: now,
            pool,
            number,
            seen_at: sight.seen_at,
            ready: sight.ready,
            pending: sight.pending,
            draining: sight.draining,
            measured: sight.measured.len() as u32,
            utilization: sight.mean(Measured::utilization),
            kv: sight.mean(|r| r.kv),
            queued: sight.queued(),
            running: sight.sum(|r| r.running),
            rate_per_s: sight.rate_per_s,
            future_per_s: self
                .scaling
                .as_ref()
                .and_then(|s| s.pools[pool as usize].ahead)
                .map(|_| sight.future_per_s),
            ttft_ms: sight.mean_by_rate(|r| r.ttft_ms),
            itl_ms: sight.mean_by_rate(|r| r.itl_ms),
            decision,
            reverses,
            unplaced: self.pool_counts(pool).unplaced,
            present,
            estimate,
        });
    }

    /// Replicas of a pool by phase.
    pub fn pool_counts(&self, pool: u32) -> PoolCounts {
        let mut counts = PoolCounts {
            unplaced: self.scaling.as_ref().map_or(0, |s| s.pools[pool as usize].unplaced),
            ..PoolCounts::default()
        };
        for r in self.replicas.iter().filter(|r| r.pool == pool) {
            match r.phase {
                ReplicaPhase::Serving => {
                    counts.serving += 1;
                    counts.cold += u32::from(r.life.cold > 0);
                }
                ReplicaPhase::Starting | ReplicaPhase::WarmingUp => counts.starting += 1,
                ReplicaPhase::Draining => counts.draining += 1,
                ReplicaPhase::Stopped | ReplicaPhase::Failed => {}
            }
        }
        counts
    }

    /// Whether a pool has an autoscaler.
    pub fn is_scaled(&self, pool: u32) -> bool {
        self.scaling.as_ref().is_some_and(|s| s.pools[pool as usize].is_active())
    }

    /// The part of all traffic that comes to each pool, as far as it can be known: pools share it alike.
    pub(in crate::engine) fn share_of_each_pool(&self) -> f64 {
        1.0 / self.pools.len().max(1) as f64
    }
}
