//! Requests that have waited at the gateway for too long.

use crate::engine::facts::{RequestFact, Sink};
use crate::engine::gateway::state::{Around, Gateway};
use crate::policy::Reason;

impl Gateway {
    /// Refuses those that have waited for as long as they may.
    pub(in crate::engine::gateway) fn sweep<S: Sink>(&mut self, around: &mut Around<'_>, sink: &mut S) {
        let Some(flow) = &mut self.flow else { return };
        let mut gone = Vec::new();
        for lane in 0..flow.lanes.len() {
            let served = flow.lanes[lane].served;
            while let Some(&first) = flow.lanes[lane].joined.front() {
                let waits = first.waits(around.book);
                if waits && flow.expires(served, first.since) > around.now {
                    break;
                }
                flow.lanes[lane].joined.pop_front();
                if waits {
                    flow.lanes[lane].forget(&first);
                    flow.waiting -= 1;
                    flow.tokens -= u64::from(first.tokens);
                    gone.push((first, served.0));
                }
            }
        }
        flow.plan_sweep(around.now, around.book);
        for (waiting, served) in gone {
            let (request, band, waited) =
                (waiting.request, waiting.priority, around.now.since(waiting.since));
            sink.fact(around.now, RequestFact::Expired { request, band, waited }.into());
            let reason = if served { Reason::WaitedTooLong } else { Reason::NoReplicaInTime };
            self.turn_away(waiting.slot, reason, around, sink);
        }
    }
}
