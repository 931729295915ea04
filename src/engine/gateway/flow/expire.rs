//! Requests that have waited at the gateway for too long.

use super::lane::Waiting;
use super::queue::FlowQueue;
use crate::facts::{RequestFact, Sink};
use crate::gateway::{around::Around, state::Gateway};
use crate::policy::Reason;

impl Gateway {
    /// Refuses those that have waited for as long as they may, one after the other: admission may let others in for each, which
    /// then join.
    pub(in crate::gateway) fn sweep<S: Sink>(&mut self, around: &mut Around<'_>, sink: &mut S) {
        while let Some((waiting, served)) = self.flow.as_mut().and_then(|flow| flow.expired(around)) {
            let (request, band) = (waiting.request, waiting.priority);
            let waited = around.now.since(waiting.since);
            sink.fact(around.now, RequestFact::Expired { request, band, waited }.into());
            let reason = if served { Reason::WaitedTooLong } else { Reason::NoReplicaInTime };
            self.turn_away(waiting.slot, reason, around, sink);
        }
        if let Some(flow) = &mut self.flow {
            flow.plan_sweep(around.now, around.book);
        }
    }
}

impl FlowQueue {
    /// Takes the next request that has waited for as long as it may out of its lane; whether a replica serves there.
    fn expired(&mut self, around: &Around<'_>) -> Option<(Waiting, bool)> {
        for lane in 0..self.lanes.len() {
            let served = self.lanes[lane].served;
            while let Some(&first) = self.lanes[lane].joined.front() {
                let waits = first.waits(around.book);
                if waits && self.expires(served, first.since) > around.now {
                    break;
                }
                self.lanes[lane].joined.pop_front();
                if waits {
                    self.lanes[lane].forget(&first);
                    self.waiting -= 1;
                    self.tokens -= u64::from(first.tokens);
                    return Some((first, served.now));
                }
            }
        }
        None
    }
}
