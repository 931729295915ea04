//! Edits: what changes while the cluster runs, between two events. The cluster is given the plan it follows and the one it is
//! to follow, and adopts the difference.

use crate::Cluster;
use crate::facts::Sink;
use crate::fleet::Adoption;
use crate::perf::Plan;
use base::Micros;

impl Cluster {
    /// Follows `new` instead of `old` from `now` on, which no event has passed yet. Pools and clients of `old` stand at the
    /// same positions in `new`.
    pub fn adopt<S: Sink>(&mut self, old: &Plan, new: &Plan, now: Micros, sink: &mut S) {
        assert!(now >= self.clock.now(), "INV-3: an edit in the past");
        self.clock.no_scaling_before(now);
        self.fleet.forget_livelock();
        self.gateway.adopt_traffic(old, new, now, &self.fleet);
        let (source, book, clock) = (self.gateway.source(), &mut self.book, &mut self.clock);
        let followed = self.fleet.life().map(|life| life.followed().to_vec());
        self.fleet.adopt(old, new, &mut Adoption { now, source, book, clock }, sink);
        if self.fleet.life().is_some_and(|life| Some(life.followed()) != followed.as_deref()) {
            // An oracle that comes, or follows other blocks, knows what is still to come.
            self.know_listed();
        }
        let (gateway, mut around) = self.at(now);
        gateway.follow(&mut around);
        gateway.adopt_pools(old, new, now, around.fleet);
        gateway.adopt_roles(new, &mut around);
        gateway.change_flow(new.scenario(), &mut around, sink);
        let (was, is) = (&old.scenario().cluster.admission, &new.scenario().cluster.admission);
        if was != is {
            gateway.change_admission(is, &mut around, sink);
        }
        gateway.tell_stages(&mut around);
        self.adopt_network(new, now);
        self.fleet.change_ports(now);
        self.adopt_faults(new, now);
        self.tell_lateness(now);
        self.adopt_probes(new, now, sink);
        let (gateway, mut around) = self.at(now);
        gateway.tell_ejections(&mut around);
        self.share_ports(now);
    }
}
