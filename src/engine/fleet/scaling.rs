//! Autoscaling: when replicas are measured, when an autoscaler decides, and what becomes of its decision.
//!
//! At one instant replicas that have started come first, before arrivals, so that who arrives then can be sent there. After all
//! that the gateway does come the ends of holds, then measurements, then decisions: a decision sees the measurement of its own
//! instant, and both see the instant before replicas go on. Without a horizon a run does not go on for these events alone.

use super::decided::{Decided, DecidedBy};
use super::finishes::Finishes;
use super::scaling_group::{GroupPlace, places};
use super::scrape::Scrapes;
use super::state::Fleet;
use crate::clock::{Clock, ScalingEvent};
use crate::facts::{FleetFact, ScalingRecord, Sink};
use crate::policy::ReplicaPhase;
use crate::policy::scaling::{Measured, Scaler};
use crate::replica::phases_of;
use crate::workload::Source;
use base::{Micros, Span, math};
use document::{self, Drain, Pool, ScalingPolicy, StartPhases, Victim};
use serde::{Deserialize, Serialize};

/// A pool's autoscaler.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PoolScaler {
    #[serde(with = "document::settings_text")]
    pub(crate) settings: document::Scaling,
    /// Where it stands among pools that decide together.
    pub(crate) place: GroupPlace,
    /// Counts the edits of its settings: events of earlier ones are about nothing.
    revision: u32,
    pub(crate) policy: Scaler,
    pub(crate) scrapes: Scrapes,
    /// The latest finished requests, if the policy wants to know them.
    pub(super) finishes: Finishes,
    pub(crate) tick: Span,
    pub(super) scrape: Span,
    pub(crate) window: Span,
    pub(crate) lag: Span,
    pub(crate) hold: Span,
    /// The time within which two opposite changes are an oscillation.
    oscillation: Span,
    /// How far it may look ahead, if it may.
    pub(crate) ahead: Option<Span>,
    pub(crate) phases: Option<StartPhases>,
    /// Replicas that are to start as soon as there is room.
    pub(crate) unplaced: u32,
    /// Whether the run began without replicas of the pool, and none has served yet: requests wait for the first one.
    pub(crate) expects: bool,
    /// When it last changed the number, and whether to more.
    changed: Option<(Micros, bool)>,
    decisions: u32,
}

impl PoolScaler {
    fn new(pool: &Pool, place: GroupPlace, revision: u32, now: Micros, replicas: u32) -> Self {
        let s = &pool.scaling;
        let span = |seconds: f64| math::round_to_span(seconds * 1e6);
        let ahead = if let ScalingPolicy::Oracle(p) = &s.policy { Some(span(p.ahead_s)) } else { None };
        Self {
            settings: s.clone(),
            place,
            revision,
            policy: Scaler::new(s, now, replicas).of_role(pool.role),
            scrapes: Scrapes::default(),
            finishes: Finishes::default(),
            tick: span(s.tick_s),
            scrape: span(s.scrape_s),
            window: span(s.window_s),
            lag: span(s.lag_s),
            hold: span(s.hold_s),
            oscillation: span(s.oscillation_s()),
            ahead,
            phases: phases_of(pool),
            unplaced: 0,
            expects: now == Micros::ZERO && pool.replicas == 0,
            changed: None,
            decisions: 0,
        }
    }

    /// Measures and decides from `now` on.
    fn begin(&self, pool: u32, now: Micros, clock: &mut Clock) {
        if self.is_active() {
            let revision = self.revision;
            let (scrape, tick) = (now.saturating_add(self.scrape), now.saturating_add(self.tick));
            clock.schedule_scaling(scrape, ScalingEvent::Scrape { pool, revision });
            if self.place.leader.is_none_or(|leader| leader == pool) {
                clock.schedule_scaling(tick, ScalingEvent::Tick { pool, revision });
            }
            if let Some(period) = self.policy.carrier_period() {
                clock.schedule_scaling(now.saturating_add(period), ScalingEvent::Sync { pool, revision });
            }
        }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        1024 + self.scrapes.bytes() + self.finishes.bytes()
    }

    /// Whether anybody decides.
    pub(crate) fn is_active(&self) -> bool {
        self.settings.policy != ScalingPolicy::None
    }

    /// GPUs that the pool may hold, together with those that share its budget.
    pub(crate) fn gpus(&self) -> Option<u32> {
        (self.place.gpus > 0).then_some(self.place.gpus)
    }

    pub(crate) fn warm_up(&self) -> (u32, f64) {
        (self.settings.warm_up_requests, self.settings.warm_up_factor)
    }

    pub(crate) fn drain(&self) -> Drain {
        self.settings.drain
    }

    pub(crate) fn victim(&self) -> Victim {
        self.settings.victim
    }
}

/// By pool, whether its policy begins anew: its settings are others or it stands elsewhere, or that is so of one that it decides
/// together with.
fn begin_anew(known: &[PoolScaler], pools: &[Pool], places: &[GroupPlace]) -> Vec<bool> {
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

/// As many ranks as make whole servers: those wished for and more, or where the bounds have no room for that, fewer.
fn whole_servers(wished: u32, ranks: u32, [least, most]: [u32; 2]) -> u32 {
    match wished.checked_next_multiple_of(ranks) {
        Some(whole) if whole <= most => whole,
        Some(_) | None => (most / ranks * ranks).max(least),
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

impl Fleet {
    /// Takes up what the pools say of autoscaling, from `now` on: those whose settings have changed begin anew, with all that they
    /// decide together with now or did before.
    pub(super) fn adopt_scaling(&mut self, pools: &[Pool], now: Micros, clock: &mut Clock) {
        let expects = |p: &Pool| now == Micros::ZERO && p.replicas == 0;
        if self.scalers.is_empty() && pools.iter().all(|p| p.scaling.is_default() && !expects(p)) {
            return;
        }
        let places = places(pools);
        let anew = begin_anew(&self.scalers, pools, &places);
        for (i, (pool, place)) in pools.iter().zip(places).enumerate() {
            let replicas =
                self.replicas.iter().filter(|r| r.pool as usize == i && r.serving()).count() as u32;
            let replicas = if now == Micros::ZERO { pool.replicas } else { replicas };
            match self.scalers.get_mut(i) {
                Some(p) if !anew[i] => (p.phases, p.place) = (phases_of(pool), place),
                Some(p) => {
                    let new = PoolScaler::new(pool, place, p.revision + 1, now, replicas);
                    let before = std::mem::replace(p, new);
                    (p.unplaced, p.scrapes, p.expects) = (before.unplaced, before.scrapes, before.expects);
                    p.finishes = before.finishes;
                    p.policy.keep_learnt(before.policy);
                    p.begin(i as u32, now, clock);
                }
                None => {
                    let p = PoolScaler::new(pool, place, 0, now, replicas);
                    p.begin(i as u32, now, clock);
                    self.scalers.push(p);
                }
            }
        }
        clock.limit(self.scalers.iter().any(PoolScaler::is_active));
    }

    /// How often the replicas of a pool are measured and its autoscaler decides, if its settings are still those of `revision`.
    pub(crate) fn periods(&self, pool: u32, revision: u32) -> Option<[Span; 2]> {
        let p = self.scalers.get(pool as usize)?;
        (p.revision == revision).then_some([p.scrape, p.tick])
    }

    /// How long requests for which `pools` serve the model are held for a replica, if one can come.
    pub(crate) fn longest_hold(&self, pools: u64) -> Option<Span> {
        let can = |i: usize| pools >> i & 1 == 1;
        let hold = self.scalers.iter().enumerate().filter(|(i, p)| can(*i) && (p.is_active() || p.expects));
        hold.map(|(_, p)| p.hold).max().filter(|hold| hold.0 > 0)
    }

    /// The autoscaler of a pool decides, about all pools that decide together with it.
    pub(crate) fn decide(&mut self, pool: u32, now: Micros, source: &Source) -> Vec<Decided> {
        if self.scalers[pool as usize].place.leader.is_some() {
            return self.decide_together(pool, now, source);
        }
        let sight = self.sight(pool, now, source);
        let policy = &mut self.scalers[pool as usize].policy;
        let decision = policy.tick(&sight);
        let model = &self.pools[pool as usize].resolved.model;
        let estimate = policy.take_estimate(|size| model.coefficients(size));
        vec![Decided { pool, sight, decision, estimate, by: DecidedBy::Policy }]
    }

    /// What the autoscaler of a pool without replicas decides as a request is held for one, if it needs no measurement for that.
    pub(crate) fn wake(&mut self, pool: u32, now: Micros, source: &Source) -> Option<Decided> {
        let p = self.scalers.get(pool as usize)?;
        if !p.is_active() || !p.policy.wakes_at_once() {
            return None;
        }
        let counts = self.pool_counts(pool);
        if counts.serving + counts.starting + counts.unplaced > 0 {
            return None;
        }
        let decision = self.scalers[pool as usize].policy.wake(now);
        let sight = self.sight(pool, now, source);
        Some(Decided { pool, sight, decision, estimate: None, by: DecidedBy::Policy })
    }

    /// What the horizontal autoscaler decides that carries out the decisions of a pool's policy, and the time until its next decision;
    /// `None` if the pool's settings are no longer those of the revision.
    pub(crate) fn sync(
        &mut self,
        pool: u32,
        revision: u32,
        now: Micros,
        source: &Source,
    ) -> Option<(Decided, Span)> {
        self.periods(pool, revision)?;
        let sight = self.sight(pool, now, source);
        let carrier = self.scalers[pool as usize].policy.carrier()?;
        let decision = carrier.tick(now, sight.current());
        let period = carrier.period();
        Some((Decided { pool, sight, decision, estimate: None, by: DecidedBy::Carrier }, period))
    }

    /// Reports a decision and does what it says; `held` requests are held for the pool.
    pub(crate) fn carry_out<S: Sink>(
        &mut self,
        Decided { pool, sight, mut decision, estimate, by }: Decided,
        held: u32,
        clock: &mut Clock,
        sink: &mut S,
    ) {
        let now = sight.now;
        let present = self.present(pool, now, held);
        let p = &mut self.scalers[pool as usize];
        let b = p.policy.bounds();
        if let Some(carrier) = p.policy.carrier().filter(|_| by == DecidedBy::Policy) {
            carrier.take_wish(decision.desired);
            decision.desired = decision.current;
        }
        let ranks = self.pools[pool as usize].resolved.model.lockstep_ranks();
        if ranks > 1 && decision.desired != decision.current {
            if p.policy.steps_down_by_one() && decision.desired + 1 == decision.current {
                decision.desired = decision.current.saturating_sub(ranks).max(b.min.min(b.max));
            }
            decision.desired = whole_servers(decision.desired, ranks, [b.min.min(b.max), b.max]);
        }
        assert!(
            (b.min.min(b.max)..=b.max).contains(&decision.desired) || decision.desired == decision.current,
            "INV-10: {decision:?} is out of {b:?}"
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
            sink.fact(now, FleetFact::Scaled { pool, from, to, rule }.into());
            self.scale(pool, to, now, clock, sink);
        } else {
            self.place(pool, now, clock, sink);
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
            future_per_s: self.scalers[pool as usize].ahead.map(|_| sight.future_per_s),
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
    pub(crate) fn pool_counts(&self, pool: u32) -> PoolCounts {
        let mut counts = PoolCounts {
            unplaced: self.scalers.get(pool as usize).map_or(0, |p| p.unplaced),
            ..PoolCounts::default()
        };
        for r in self.replicas.iter().filter(|r| r.pool == pool) {
            match r.phase {
                ReplicaPhase::Serving | ReplicaPhase::Ejected => {
                    counts.serving += 1;
                    counts.cold += u32::from(r.life.cold > 0);
                }
                ReplicaPhase::Starting | ReplicaPhase::WarmingUp => counts.starting += 1,
                ReplicaPhase::Draining => counts.draining += 1,
                ReplicaPhase::Failed if self.comes_back(r.id) => counts.starting += 1,
                ReplicaPhase::Stopped | ReplicaPhase::Failed => {}
            }
        }
        counts
    }

    /// Whether a pool has an autoscaler.
    pub(crate) fn is_scaled(&self, pool: u32) -> bool {
        self.scalers.get(pool as usize).is_some_and(PoolScaler::is_active)
    }

    /// The part of all traffic that comes to each pool, as far as it can be known: pools share it alike.
    pub(crate) fn share_of_each_pool(&self) -> f64 {
        1.0 / self.pools.len().max(1) as f64
    }
}
