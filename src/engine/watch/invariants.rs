//! The invariants in full: O(everything), for tests and the `verify` feature.

use super::Sight;
use super::progress::batch;
use crate::clock::Clock;
use crate::gateway::FlowQueue;
use crate::policy::{AdapterView, ReplicaPhase};
use crate::request::{Load, Location, LocationCounts, Slot};

impl Sight<'_> {
    /// Checks what can be checked cheaply, and with `deep` everything.
    pub(crate) fn verify(&self, clock: &Clock, deep: bool) {
        self.verify_conservation(clock);
        for r in self.fleet.replicas() {
            r.verify_counts();
            if r.phase == ReplicaPhase::Failed {
                r.verify_down();
            }
        }
        if deep {
            self.verify_blocks();
            self.verify_locations();
            self.verify_states();
            self.verify_views();
            self.verify_adapters();
            if let Some(flow) = self.gateway.flow() {
                flow.verify(self.book);
            }
        }
    }

    /// INV-1 in numbers: every request that arrived is in exactly one place, as many as the lists of that place hold.
    fn verify_conservation(&self, clock: &Clock) {
        assert!(
            self.book.locations().total() == self.book.census().arrived
                && self.book.census().arrived as usize == self.book.records().len(),
            "INV-1: {} requests arrived and {} are somewhere",
            self.book.census().arrived,
            self.book.locations().total()
        );
        let mut accounted =
            self.book.locations().at_gateway() + self.book.census().rejected + self.book.census().lost;
        for r in self.fleet.replicas() {
            accounted += r.arriving + r.waiting() + r.running() + r.totals.completed + r.totals.dropped;
            accounted += self.travelling_to(r.id) + r.landed();
        }
        assert!(
            accounted == self.book.census().arrived,
            "INV-1: {} requests arrived and {accounted} are accounted for",
            self.book.census().arrived
        );
        let deciding = clock.deciding();
        let waiting = self.gateway.flow().map_or(0, FlowQueue::waiting);
        assert!(
            deciding + self.gateway.delayed() + self.gateway.held() + waiting
                == self.book.locations().at_gateway(),
            "INV-1: {} requests at the gateway, {deciding} on their way, {waiting} in its queue and {} held back",
            self.book.locations().at_gateway(),
            self.gateway.delayed() + self.gateway.held()
        );
        let replicas = self.fleet.replicas().iter();
        let left =
            replicas.map(|r| r.totals.completed + r.totals.dropped).sum::<u32>() + self.book.census().lost;
        self.gateway.admission().verify(self.book.census().admitted - self.book.census().turned_away - left);
    }

    /// INV-1 and INV-2 request by request: the counts of places are those of the records, and each list holds the requests
    /// that say they are in it.
    fn verify_locations(&self) {
        if self.book.records().forgets() {
            return;
        }
        let mut counts = LocationCounts::default();
        let mut by_replica = vec![[0_u32; 5]; self.fleet.replicas().len()];
        for r in self.book.records() {
            counts.enter(r.location());
            let list = match r.location() {
                Location::OnItsWay(id) => Some((id, 0)),
                Location::Queue(id) | Location::Loading(id) => Some((id, 1)),
                Location::Batch(id) => Some((id, 2)),
                Location::Transferring(id) => Some((id, 3)),
                Location::Landed(id) => Some((id, 4)),
                Location::Gateway
                | Location::Completed(_)
                | Location::Rejected
                | Location::Refused(_)
                | Location::Dropped(_)
                | Location::Lost => None,
            };
            if let Some((id, list)) = list {
                by_replica[id.index()][list] += 1;
            }
        }
        assert!(
            counts == *self.book.locations(),
            "INV-1: requests are at {counts:?}, not at {:?}",
            *self.book.locations()
        );
        for (r, counted) in self.fleet.replicas().iter().zip(by_replica) {
            let travelling = self.travelling_to(r.id);
            let lists = [r.arriving(), r.waiting(), r.running(), travelling, r.landed()];
            assert!(lists == counted, "INV-1: {:?} has {lists:?} requests and {counted:?} say so", r.id);
            for request in batch(self.book, r) {
                let location = self.book.here(request).location();
                assert!(
                    location == Location::Batch(r.id),
                    "INV-2: {request:?} in a batch is at {location:?}"
                );
            }
            for &slot in &r.waiting {
                let active = &self.book.active()[slot];
                let loads = matches!(active.load, Load::UnderWay { .. } | Load::Fetching);
                let expected = if loads { Location::Loading(r.id) } else { Location::Queue(r.id) };
                let location = self.book.here(active.id).location();
                assert!(location == expected, "INV-2: {:?} in a queue is at {location:?}", active.id);
            }
        }
    }

    /// INV-4: blocks are held exactly by running requests, as many as their tokens need, and by waiting ones whose load from
    /// the CPU tier is under way or done.
    fn verify_blocks(&self) {
        for r in self.fleet.replicas() {
            let mut held = Vec::new();
            let mut slot = r.head;
            let (mut members, mut holders, mut states) = (0, 0, 0);
            while slot != Slot::NONE {
                let active = &self.book.active()[slot];
                let stored =
                    if active.decoding { active.counts(r.decoders.ticks).0 } else { active.computed };
                let running = u32::from(
                    active.decoding && r.step.is_some() && active.starved_tick != r.decoders.ticks + 1,
                );
                let tokens = if active.verifies() { active.computed } else { stored + running };
                let need = tokens.div_ceil(r.kv.block_tokens());
                assert!(
                    active.block_table.len() == need,
                    "INV-4: {:?} holds {} blocks for {} tokens",
                    active.id,
                    active.block_table.len(),
                    tokens
                );
                held.push(&active.block_table);
                states += r.states_of(active);
                members += 1;
                slot = active.after;
            }
            let mut loading = 0;
            for &slot in &r.waiting {
                let active = &self.book.active()[slot];
                let none = matches!(active.load, Load::None | Load::Fetching);
                assert!(
                    none == active.block_table.is_empty(),
                    "INV-4: {:?} holds blocks it did not ask for",
                    active.id
                );
                loading += active.blocks_on_their_way();
                if !none {
                    held.push(&active.block_table);
                    holders += 1;
                }
            }
            let life = self.fleet.life();
            for one in life.into_iter().flat_map(|life| &life.under_way).filter(|one| one.replica == r.id) {
                loading += one.table.len();
                held.push(&one.table);
            }
            states += self.verify_moving(r, &mut held);
            assert!(states == r.kv.states(), "INV-4: the states of {:?} are miscounted", r.id);
            assert!(holders == r.loads.holders(), "INV-4: the loads of {:?} are miscounted", r.id);
            let read = self.fleet.lower.iter().flat_map(|lower| lower.flows());
            let read = read.filter(|flow| flow.source == Some(r.id)).flat_map(|flow| &flow.hashes);
            let mut kept: Vec<u64> = r.kept_below().into_iter().chain(read.copied()).collect();
            kept.extend(self.fleet.fetched_before(r.id));
            r.kv.verify_tiers(loading, &kept);
            assert!(members == r.running(), "INV-2: the batch of {:?} is miscounted", r.id);
            r.kv.verify(held.into_iter());
        }
    }

    /// INV-2: the adapters of a replica are those of its requests: as many in the batch as there are slots, and no more in
    /// memory than fit.
    fn verify_adapters(&self) {
        for r in self.fleet.replicas() {
            let Some(adapters) = &r.adapters else { continue };
            let of = |slots: &mut dyn Iterator<Item = Slot>| {
                let mut all: Vec<u32> = slots.map(|slot| self.book.active()[slot].adapter).collect();
                all.retain(|&adapter| adapter > 0);
                all.sort_unstable();
                all
            };
            let some = |slot: Slot| (slot != Slot::NONE).then_some(slot);
            let mut batch = std::iter::successors(some(r.head), |&slot| some(self.book.active()[slot].after));
            let ([running, waiting], idle) = (adapters.users(), adapters.idle());
            let counted = |users: &[(u32, u32)]| -> Vec<u32> {
                users.iter().flat_map(|&(adapter, n)| (0..n).map(move |_| adapter)).collect()
            };
            assert!(of(&mut batch) == counted(running), "INV-2: the adapters of the batch of {:?}", r.id);
            let queue = of(&mut r.waiting.iter().copied());
            assert!(queue == counted(waiting), "INV-2: the adapters of the queue of {:?}", r.id);
            let [slots, places] = adapters.limits();
            assert!(running.len() <= slots as usize, "INV-2: {:?} has more adapters than slots", r.id);
            assert!(
                running.len() + idle.len() <= places as usize,
                "INV-2: the adapters of {:?} do not fit",
                r.id
            );
            let twice = |adapter: &u32| running.iter().any(|user| user.0 == *adapter);
            assert!(!idle.iter().any(twice), "INV-2: {:?} has an adapter twice", r.id);
            let picture = self.gateway.picture();
            let mut now = AdapterView::default();
            adapters.look(&mut now);
            let seen = !picture.sees_all()
                || picture.is_late(r.id)
                || !self.gateway.router().wants_adapters()
                || now == picture.adapters()[r.id.index()];
            assert!(seen, "INV-7: the adapters of {:?} are not what the gateway sees", r.id);
        }
    }

    /// INV-7: a gateway that is to see every replica as it is does.
    fn verify_views(&self) {
        for (i, r) in self.fleet.replicas().iter().enumerate() {
            let tokens: u32 =
                r.waiting.iter().map(|&slot| self.book.active()[slot].to_compute_at(r.id)).sum();
            assert!(
                u64::from(tokens) == r.recent.waiting_tokens,
                "INV-7: {:?} has {tokens} tokens waiting and counts {}",
                r.id,
                r.recent.waiting_tokens
            );
            let now = r.signals(&self.gateway.picture().signals()[i]);
            let seen = !self.gateway.picture().sees_all()
                || self.gateway.picture().is_late(r.id)
                || !self.gateway.router().wants_signals()
                || now == self.gateway.picture().signals()[i];
            assert!(seen, "INV-7: the signals of {:?} are not what the gateway sees", r.id);
        }
        for (view, replica) in self
            .gateway
            .picture()
            .views()
            .iter()
            .zip(self.fleet.replicas())
            .filter(|_| self.gateway.picture().sees_all())
        {
            let late = self.gateway.picture().is_late(replica.id);
            assert!(
                late || replica.view(view) == *view,
                "INV-7: {:?} is not what the gateway sees",
                replica.id
            );
        }
        for (r, view) in self.fleet.replicas().iter().zip(self.gateway.picture().views()) {
            assert!(
                self.gateway.seen_phase(r) == view.phase || r.life.hidden,
                "INV-7: the phase of {:?} is not what the gateway sees",
                r.id
            );
            let empty = self.gateway.has_none(r.id) && r.outgoing() + r.stranded() == 0;
            let right = match r.phase {
                ReplicaPhase::Serving | ReplicaPhase::Ejected => true,
                ReplicaPhase::Draining => !empty || r.life.restarts.is_some(),
                ReplicaPhase::Starting
                | ReplicaPhase::WarmingUp
                | ReplicaPhase::Stopped
                | ReplicaPhase::Failed => empty,
            };
            assert!(
                right,
                "INV-2: {:?} is {:?} with {} requests",
                r.id,
                r.phase,
                self.gateway.in_flight()[r.id.index()]
            );
        }
        let not_serving = self.fleet.replicas().iter().filter(|r| !r.serving()).count() as u32;
        assert!(
            not_serving == self.fleet.not_serving(),
            "INV-2: {not_serving} replicas do not serve, not {}",
            self.fleet.not_serving()
        );
    }

    /// INV-2 and INV-5: a request has a slot until it leaves, and causes precede effects.
    fn verify_states(&self) {
        for (i, r) in self.book.records().iter().enumerate() {
            assert!(
                r.location().is_gone() == (r.slot == Slot::NONE),
                "INV-2: request {i} is at {:?} and has a slot or lacks one",
                r.location()
            );
            let times =
                [Some(r.arrival), r.routed.get(), r.queued.get(), r.first_scheduled.get(), r.finish().get()];
            let known = times.iter().flatten();
            assert!(known.clone().is_sorted(), "INV-5: an effect before its cause, request {i}: {times:?}");
            let gap = times.iter().skip_while(|t| t.is_some()).any(Option::is_some);
            assert!(!gap, "INV-5: an effect without its cause, request {i}: {times:?}");
        }
    }
}
