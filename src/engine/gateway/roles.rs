//! The second routing decision, where pools have roles: whether a request is prefilled at its home, and if not, on which prefill
//! replica.

use super::around::Around;
use super::ejection::Takers;
use super::routing::blocks_in_tiers_of;
use super::state::Gateway;
use crate::clock::ClusterEvent;
use crate::facts::{DeciderReason, HandoverFact, Sink, Stage};
use crate::perf::Plan;
use crate::policy::routing::{Outcome, RouterState};
use crate::request::{Handover, Remote, Slot};
use base::json;
use base::rng::{Purpose, Stream};
use base::{ReplicaId, RequestId};
use document::{Decider, FirstToken, Handoff, Role, RoutingPolicy};
use serde::{Deserialize, Serialize};

/// What the gateway has where pools have roles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Roles {
    /// Chooses prefill replicas.
    pub(super) router: RouterState,
    /// The policy behind it, as text: settings that are left out have no place in a snapshot.
    policy: String,
    /// The pools whose replicas answer clients, mixed ones among them, and those that prefill for others, as bits by number.
    homes: u64,
    mixed: u64,
    prefills: u64,
    decider: Decider,
    push: bool,
    ahead: u32,
}

impl Roles {
    /// Those of a plan; none if every pool is mixed.
    fn of(plan: &Plan, seed: u64) -> Option<Box<Self>> {
        let c = &plan.scenario().cluster;
        let with = |is: &dyn Fn(Role) -> bool| {
            c.pools.iter().enumerate().fold(0, |bits, (i, pool)| bits | u64::from(is(pool.role)) << i)
        };
        if c.pools.iter().all(|pool| pool.role == Role::Mixed) {
            return None;
        }
        let d = c.disaggregation.clone().unwrap_or_default();
        let policy = policy_of(plan);
        Some(Box::new(Self {
            router: RouterState::new(&policy, prefill_seed(seed)),
            policy: json::compact(&policy),
            homes: with(&Role::is_home),
            mixed: with(&|role| role == Role::Mixed),
            prefills: with(&|role| role == Role::Prefill),
            decider: d.decider,
            push: d.handoff == Handoff::Push,
            ahead: u32::from(d.first_token == FirstToken::Prefill),
        }))
    }
}

/// The policy that chooses prefill replicas.
fn policy_of(plan: &Plan) -> RoutingPolicy {
    let c = &plan.scenario().cluster;
    let own = c.disaggregation.as_ref().and_then(|d| d.prefill_routing.clone());
    own.unwrap_or_else(|| c.routing.clone())
}

/// The seed of the draws that choose prefill replicas, which are a stream of their own.
fn prefill_seed(seed: u64) -> u64 {
    let mut stream = Stream::new(seed, Purpose::PrefillRouting, 0);
    u64::from(stream.below(u32::MAX)) << 32 | u64::from(stream.below(u32::MAX))
}

/// The roles that the gateway of a plan begins with.
pub(super) fn roles_of(plan: &Plan) -> Option<Box<Roles>> {
    Roles::of(plan, plan.scenario().seed)
}

impl Gateway {
    /// The router that chooses replicas of a pool.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(crate) fn router_of(&self, pool: u32) -> &RouterState {
        match &self.roles {
            Some(roles) if roles.prefills >> pool & 1 == 1 => &roles.router,
            Some(_) | None => &self.router,
        }
    }

    /// Follows the roles and the settings of hand-overs of `new`; the router of the prefill stage keeps its memory.
    pub(crate) fn adopt_roles(&mut self, new: &Plan, around: &mut Around<'_>) {
        let stages = |roles: &Option<Box<Roles>>| {
            roles.as_ref().map_or([u64::MAX, 0], |roles| [roles.homes, roles.prefills])
        };
        let pushes = |roles: &Option<Box<Roles>>| roles.as_ref().map(|roles| roles.push);
        let (were, pushed) = (stages(&self.roles), pushes(&self.roles));
        let before = self.roles.take();
        self.roles = Roles::of(new, self.seed);
        if let (Some(old), Some(roles)) = (before, &mut self.roles) {
            roles.router = old.router;
            if roles.policy != old.policy {
                roles.router.change(&policy_of(new), prefill_seed(self.seed));
            }
        }
        if stages(&self.roles) != were {
            self.epoch += 1;
            self.ask_again(around);
        } else if pushes(&self.roles) != pushed {
            // A push takes blocks at home first, a pull on the prefill replica: the two could wait for each other.
            self.epoch += 1;
        }
    }

    /// Gauges of the saturation know the pools of each stage.
    pub(crate) fn tell_stages(&mut self, around: &mut Around<'_>) {
        let stages = self.roles.as_ref().map_or([u64::MAX, 0], |roles| [roles.homes, roles.prefills]);
        if let Some(gauge) = &mut self.admission.gauge {
            gauge.set_stages(stages);
        }
        if let Some(flow) = &mut self.flow {
            flow.set_stages(stages, around.now, around.book);
        }
    }

    /// Pools have other roles: requests that are held for replicas ask the router again.
    fn ask_again(&mut self, around: &mut Around<'_>) {
        for held in std::mem::take(&mut self.held) {
            around.book.here_mut(held.request).refused = None;
            self.back_to_router(held.request, around);
            around.clock.schedule(around.now, ClusterEvent::Routing(held.slot));
        }
    }

    /// The pools whose replicas can be the home of a request for this model, as bits by number; every bit is set if all can.
    pub(super) fn homes_for(&self, model: u32) -> u64 {
        let pools = self.serves[model as usize];
        self.roles.as_ref().map_or(pools, |roles| pools & roles.homes)
    }

    /// Whether a replica prefills for others: an edit that sends a request there means the second decision.
    pub(super) fn aims_at_prefill(&self, to: ReplicaId) -> bool {
        let Some(roles) = &self.roles else { return false };
        let pool = self.picture.views().get(to.index()).map(|view| view.pool);
        pool.is_some_and(|pool| roles.prefills >> pool & 1 == 1)
    }

    /// Decides who prefills a request whose home was chosen. None where all pools are mixed.
    pub(super) fn divide<S: Sink>(
        &mut self,
        slot: Slot,
        home: ReplicaId,
        around: &mut Around<'_>,
        sink: &mut S,
    ) -> Option<Handover> {
        let roles = self.roles.as_ref()?;
        let (push, ahead) = (roles.push, roles.ahead);
        let active = &around.book.active()[slot];
        let request = active.id;
        let pools = self.serves[active.model as usize] & roles.prefills;
        let (mut reason, uncached) = self.decide(slot, home, pools, around);
        let mut prefill = None;
        if reason.is_remote() {
            self.look_at_tiers(slot, Stage::Prefill, around);
            let choice = self.choose(slot, pools, Stage::Prefill, around);
            let redirected = self.redirected(request, pools, Stage::Prefill);
            if sink.wants_decision(request, around.fleet.replicas().len()) {
                self.remember(request, choice.ok(), pools, around);
                self.remember_redirect(redirected);
                self.decision.stage = Stage::Prefill;
                sink.decision(around.now, &self.decision);
            }
            prefill = redirected.or(choice.ok().map(|(_, chosen)| chosen));
            if prefill.is_none() {
                // None of them takes it.
                reason = DeciderReason::Busy;
            }
        } else {
            // No prefill replica is asked: an edit that names one comes to nothing.
            self.redirected(request, 0, Stage::Prefill);
        }
        let handover = Handover::new(home, prefill, reason, uncached);
        Some(Handover { push, ahead, ..handover })
    }

    /// Why a request is prefilled where it is, and how much of its prompt its home would have to compute if that was looked at.
    fn decide(
        &self,
        slot: Slot,
        home: ReplicaId,
        pools: u64,
        around: &mut Around<'_>,
    ) -> (DeciderReason, Option<u32>) {
        let Some(roles) = &self.roles else { return (DeciderReason::Mixed, None) };
        let views = self.picture.views();
        if roles.mixed >> views[home.index()].pool & 1 == 1 {
            return (DeciderReason::Mixed, None);
        }
        if around.book.active()[slot].generated > 0 {
            return (DeciderReason::Resumed, None);
        }
        if roles.decider == Decider::Never {
            return (DeciderReason::Never, None);
        }
        let takers = Takers::of(views, pools);
        let serving = || views.iter().filter(|view| takers.has(view));
        if serving().next().is_none() {
            return (DeciderReason::NoPrefill, None);
        }
        let Decider::Threshold(t) = &roles.decider else { return (DeciderReason::Always, None) };
        let active = &around.book.active()[slot];
        let (replica, lower) = around.fleet.replica_and_lower(home);
        let block = replica.kv().block_tokens();
        let cached = blocks_in_tiers_of((replica, lower), active, around.now);
        let cached = cached.min((active.prompt_tokens - 1) / block);
        let uncached = active.prompt_tokens - cached * block;
        let few = t.uncached_tokens == 0 || uncached < t.uncached_tokens;
        let share = t.uncached_share * f64::from(active.prompt_tokens);
        let little = t.uncached_share == 0.0 || f64::from(uncached) < share;
        let looks = t.uncached_tokens > 0 || t.uncached_share > 0.0;
        let least = || serving().map(|view| self.in_flight[view.id.index()]).min().unwrap_or(0);
        let reason = if looks && few && little {
            DeciderReason::Short
        } else if t.prefill_in_flight > 0 && least() >= t.prefill_in_flight {
            DeciderReason::Busy
        } else {
            DeciderReason::Long
        };
        (reason, Some(uncached))
    }

    /// A request goes to its home, or first to its prefill replica: the one of the two that it does not go to now counts it among
    /// its requests. Returns the replica that it goes to first, and the fact of the decision.
    pub(super) fn bind(
        &mut self,
        slot: Slot,
        home: ReplicaId,
        handover: Option<Handover>,
        around: &mut Around<'_>,
    ) -> (ReplicaId, Option<HandoverFact>) {
        let Some(handover) = handover else { return (home, None) };
        let active = &mut around.book.active_mut()[slot];
        let (request, prompt_tokens) = (active.id, active.prompt_tokens);
        let Handover { prefill, reason, uncached, push, ahead, .. } = handover;
        let fact = HandoverFact::Decided { request, home, prefill, reason, uncached };
        let mut to = home;
        if let Some(prefill) = prefill {
            active.remote = Some(Box::new(Remote::new(home, prefill, push, ahead, self.epoch)));
            let index = prefill.index();
            self.in_flight[index] += 1;
            self.picture.send(index, self.in_flight[index], prompt_tokens, around.now);
            let [first, then] = if push { [home, prefill] } else { [prefill, home] };
            let replicas = around.fleet.replicas_mut();
            for of in [home, prefill] {
                replicas[of.index()].moving.take_duty(self.epoch);
            }
            replicas[then.index()].moving.bound += 1;
            to = first;
        }
        around.book.handovers_mut().set(request, handover);
        (to, Some(fact))
    }

    /// A request has left its prefill replica, or will not come to it: the gateway no longer counts it there. `computed` tells the
    /// router that its prompt was computed.
    pub(crate) fn leaves_prefill(
        &mut self,
        request: RequestId,
        replica: ReplicaId,
        computed: bool,
        around: &Around<'_>,
    ) {
        let record = around.book.here(request);
        self.picture.forget(replica.index(), record.prompt_tokens);
        self.leaves_prefill_router(request, replica, computed, around);
    }

    /// The same, for the router alone.
    pub(crate) fn leaves_prefill_router(
        &mut self,
        request: RequestId,
        replica: ReplicaId,
        computed: bool,
        around: &Around<'_>,
    ) {
        let ttft = around.book.handovers().get(request).and_then(|h| h.ttft_prefill.get());
        let replica = self.known_as(replica, around);
        let Some(roles) = &mut self.roles else { return };
        if computed {
            roles.router.prefilled(request);
        }
        if roles.router.wants_departures() {
            let ttft = ttft.filter(|_| computed);
            let (now, e2e, output_tokens) = (around.now, ttft, 0);
            roles.router.left(&Outcome { now, request, replica, ttft, e2e, output_tokens });
        }
    }

    /// The router of the prefill stage forgets the prompts that it sent to a replica.
    pub(super) fn forget_prefills(&mut self, replica: ReplicaId) {
        if let Some(roles) = &mut self.roles {
            roles.router.forget(replica);
        }
    }

    /// The gateway no longer counts a request at its home, which it has not reached.
    pub(crate) fn forget_at(&mut self, replica: ReplicaId, request: RequestId, around: &Around<'_>) {
        self.picture.forget(replica.index(), around.book.here(request).prompt_tokens);
    }

    /// How many scores of the router of the prefill stage counted as 0 because they were no finite numbers.
    pub(crate) fn not_finite_of_prefill(&self) -> u64 {
        self.roles.as_ref().map_or(0, |roles| roles.router.not_finite())
    }
}
