//! The gateway's picture of the replicas: what it sees of each, and when it last looked.

use super::late::Late;
use crate::policy::{AdapterView, PoolView, ReplicaPhase, ReplicaView, Signals};
use crate::replica::Replica;
use base::{Micros, ReplicaId, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the gateway sees of pools and replicas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Picture {
    /// How old a view may become; 0 if the gateway sees every replica as it is.
    pub(super) refresh: Span,
    /// By pool: what the gateway knows of all its replicas.
    pools: Vec<PoolView>,
    /// By replica: what the gateway sees, and when it last looked.
    pub(super) views: Vec<ReplicaView>,
    pub(super) viewed_at: Vec<Micros>,
    /// By replica: further signals, as old as the views. Where these follow the replicas' events, signals do only if the
    /// router wants them.
    pub(super) signals: Vec<Signals>,
    /// By replica: its adapters, as old and as far as signals are.
    pub(super) adapters: Vec<AdapterView>,
    /// The earliest of `viewed_at`.
    oldest_view: Micros,
    /// By number: replicas whose signals are late.
    pub(super) late: BTreeMap<u32, Late>,
}

/// What a router wants to see beyond the views.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RouterWants {
    pub(super) signals: bool,
    pub(super) adapters: bool,
}

/// A replica that turns from one phase to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhaseTurn {
    pub(super) from: ReplicaPhase,
    pub(super) to: ReplicaPhase,
}

impl Picture {
    /// A picture without replicas.
    pub(super) fn new(pools: Vec<PoolView>, refresh: Span) -> Self {
        Self {
            refresh,
            pools,
            views: Vec::new(),
            viewed_at: Vec::new(),
            signals: Vec::new(),
            adapters: Vec::new(),
            oldest_view: Micros::ZERO,
            late: BTreeMap::new(),
        }
    }

    pub(super) fn pools(&self) -> &[PoolView] {
        &self.pools
    }

    pub(crate) fn views(&self) -> &[ReplicaView] {
        &self.views
    }

    pub(crate) fn signals(&self) -> &[Signals] {
        &self.signals
    }

    pub(crate) fn adapters(&self) -> &[AdapterView] {
        &self.adapters
    }

    /// Whether the gateway sees every replica as it is: its picture then follows the replicas' events instead of being
    /// taken anew for each decision, which would touch all of them.
    #[inline]
    pub(crate) fn sees_all(&self) -> bool {
        self.refresh == Span::ZERO
    }

    pub(super) fn set_refresh(&mut self, refresh: Span) {
        self.refresh = refresh;
    }

    pub(super) fn set_pools(&mut self, pools: Vec<PoolView>) {
        self.pools = pools;
    }

    /// A replica was added.
    pub(super) fn add(&mut self, replica: &Replica) {
        self.views.push(replica.view(&ReplicaView::unseen(replica.id(), replica.pool())));
        self.viewed_at.push(Micros::ZERO);
        self.signals.push(replica.signals(&Signals::default()));
        self.adapters.push(AdapterView::default());
        self.oldest_view = Micros::ZERO;
    }

    /// A replica is in another phase, which the gateway sees at once.
    pub(super) fn set_phase(&mut self, replica: ReplicaId, phase: ReplicaPhase) {
        self.views[replica.index()].phase = phase;
    }

    /// A replica turns from one phase to another if the gateway saw it in the first.
    pub(super) fn turn(&mut self, replica: ReplicaId, turn: PhaseTurn) {
        let seen = &mut self.views[replica.index()].phase;
        if *seen == turn.from {
            *seen = turn.to;
        }
    }

    /// A replica is down, as far as the gateway knows.
    pub(super) fn set_down(&mut self, replica: ReplicaId) {
        self.views[replica.index()].phase = ReplicaPhase::Failed;
    }

    /// An event of a replica has run at `now`, which has `in_flight` requests now.
    #[inline]
    pub(super) fn see(&mut self, replica: &Replica, in_flight: u32, now: Micros, wants: RouterWants) {
        let index = replica.id().index();
        self.views[index].in_flight = in_flight;
        if self.sees_all() {
            if self.any_late() && self.is_late(replica.id()) {
                return self.look_or_keep(replica, now);
            }
            self.see_now(replica, wants);
        }
    }

    /// A replica is in another phase, perhaps with an empty memory.
    pub(super) fn look_again(&mut self, replica: &Replica, wants: RouterWants) {
        if self.sees_all() && !self.is_late(replica.id()) {
            self.see_now(replica, wants);
        }
    }

    #[inline]
    fn see_now(&mut self, replica: &Replica, wants: RouterWants) {
        let index = replica.id().index();
        self.views[index] = replica.view(&self.views[index]);
        if wants.signals {
            self.signals[index] = replica.signals(&self.signals[index]);
        }
        if wants.adapters {
            replica.look_at_adapters(&mut self.adapters[index]);
        }
    }

    /// A request of `prompt_tokens` is sent to replica `index`, which has `in_flight` requests with it. INV-7: what is seen of the
    /// replica is not older than it may be.
    pub(super) fn send(&mut self, index: usize, in_flight: u32, prompt_tokens: u32, now: Micros) {
        let age = now.since(self.viewed_at[index]);
        assert!(
            self.sees_all() || age < self.refresh,
            "INV-7: {:?} chosen by a signal of {age:?} ago",
            self.views[index].id
        );
        self.views[index].in_flight = in_flight;
        self.signals[index].tokens_in_flight += u64::from(prompt_tokens);
    }

    /// A request that was sent to replica `index` is not there, which has `in_flight` requests without it.
    pub(super) fn take_back(&mut self, index: usize, in_flight: u32) {
        self.views[index].in_flight = in_flight;
    }

    /// A request of `prompt_tokens` has left replica `index`.
    pub(super) fn forget(&mut self, index: usize, prompt_tokens: u32) {
        self.signals[index].tokens_in_flight -= u64::from(prompt_tokens);
    }

    /// INV-7: signals are refreshed by pull, at decisions only, and only when they are old enough; in-flight counts are
    /// always current.
    #[inline]
    pub(super) fn observe(&mut self, replicas: &[Replica], now: Micros) {
        if !self.sees_all() && now.since(self.oldest_view) >= self.refresh {
            self.refresh(replicas, now, self.refresh);
        }
        if self.any_late() {
            self.let_through(now);
        }
    }

    /// How old the view of replica `index` is.
    pub(super) fn age(&self, index: usize, now: Micros) -> Span {
        match self.age_of_late(index, now) {
            Some(age) => age,
            None if self.sees_all() => Span::ZERO,
            None => now.since(self.viewed_at[index]),
        }
    }

    /// Whether a decision at `now` would see replica `index` as it is then.
    pub(super) fn is_due(&self, index: usize, now: Micros) -> bool {
        let looks = self.sees_all() || now.since(self.viewed_at[index]) >= self.refresh;
        looks && !(self.any_late() && self.late.contains_key(&(index as u32)))
    }

    /// What a decision at `now` would see of a replica.
    pub(super) fn would_see(&self, replica: &Replica, now: Micros) -> ReplicaView {
        if let Some(view) = self.would_see_late(replica, now) {
            return view;
        }
        let view = &self.views[replica.id().index()];
        if self.is_due(replica.id().index(), now) { replica.view(view) } else { *view }
    }

    /// When a decision would look at a replica again; `now` if the picture follows the present.
    pub(super) fn next_look(&self, now: Micros) -> Micros {
        if self.sees_all() { now } else { self.oldest_view.saturating_add(self.refresh) }
    }

    /// Refreshes the views that are at least `age` old.
    pub(super) fn refresh(&mut self, replicas: &[Replica], now: Micros, age: Span) {
        self.oldest_view = now;
        for (i, replica) in replicas.iter().enumerate() {
            if now.since(self.viewed_at[i]) >= age {
                self.look_or_keep(replica, now);
                self.viewed_at[i] = now;
            }
            self.oldest_view = self.oldest_view.min(self.viewed_at[i]);
        }
    }
}
