//! Faults: what an edit breaks, between two events.

use super::facts::Sink;
use super::{Cluster, Replica};
use crate::base::rng::{Purpose, Stream};
use crate::base::{Micros, ReplicaId, math};
use crate::perf::Plan;
use crate::scenario::{Aim, Fault, Pick};

impl Cluster {
    /// Something breaks at `now`, which no event has passed yet. A fault of a replica that is not there does nothing.
    pub fn fault<S: Sink>(&mut self, fault: &Fault, plan: &Plan, now: Micros, sink: &mut S) {
        assert!(now >= self.clock.now(), "INV-3: a fault in the past");
        let number = self.faults;
        self.faults += 1;
        let Some(replica) = self.aimed_at(fault, plan, number) else { return };
        match fault {
            Fault::Crash(s) => {
                self.crash(replica, math::round_to_span(s.restart_s * 1e6), now, sink);
            }
        }
    }

    /// The replica that fault number `number` is about, if it is there.
    fn aimed_at(&self, fault: &Fault, plan: &Plan, number: u32) -> Option<ReplicaId> {
        match fault.aim()? {
            Aim::Replica(number) => self.replicas().get(number as usize).map(Replica::id),
            Aim::Pool(name, pick) => {
                let pools = &plan.scenario().cluster.pools;
                let pool = pools.iter().position(|pool| pool.name == name)? as u32;
                let serving = || self.replicas().iter().filter(|r| r.pool() == pool && r.serving());
                let place = match pick {
                    Pick::Lowest => 0,
                    Pick::Random => {
                        let among = serving().count() as u32;
                        let seed = plan.scenario().seed;
                        if among == 0 { 0 } else { Stream::new(seed, Purpose::Faults, number).below(among) }
                    }
                };
                serving().nth(place as usize).map(Replica::id)
            }
        }
    }

    /// A replica crashes: its requests break now, and it is back after `restart`; never if that is 0.
    fn crash<S: Sink>(&mut self, replica: ReplicaId, restart: crate::base::Span, now: Micros, sink: &mut S) {
        let with = (&mut self.book, &mut self.clock);
        let Some(gone) = self.fleet.crash(replica, (now, restart), with, sink) else { return };
        let index = replica.index();
        self.gateway.see_replica(&self.fleet.replicas()[index], (gone, now), std::iter::empty());
        let mut left = self.fleet.take_departures();
        let (gateway, mut around) = self.at(now);
        gateway.follow(&mut around);
        gateway.settle_departures(replica, &mut left, &mut around, sink);
        self.fleet.keep_room(left);
        self.fleet.follow_up(replica, now, &mut self.clock, sink);
        self.follow(now);
    }
}
