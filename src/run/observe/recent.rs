//! The latest hand-overs of a run, for the frame: whose they are. What became of each is known to the engine.

use base::RequestId;
use engine::HandoverFact;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Most requests of a kind: older ones are forgotten.
const KEPT: usize = 512;

/// Requests of which something was told lately, the oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Latest(VecDeque<RequestId>);

impl Latest {
    fn push(&mut self, request: RequestId) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(request);
    }

    /// The oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = RequestId> + ExactSizeIterator + '_ {
        self.0.iter().copied()
    }

    /// Whether older ones may have been forgotten.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() == KEPT
    }
}

/// The latest hand-overs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RecentHandovers {
    /// Requests that were routed, in that order.
    pub(crate) decided: Latest,
    /// Requests whose KV landed, in that order.
    pub(crate) landed: Latest,
    /// Requests that joined the batch of their home after that, in that order.
    pub(crate) joined: Latest,
}

impl RecentHandovers {
    pub(crate) fn fact(&mut self, fact: HandoverFact) {
        match fact {
            HandoverFact::Decided { request, .. } => self.decided.push(request),
            HandoverFact::Landed { request, .. } => self.landed.push(request),
            HandoverFact::Joined { request, .. } => self.joined.push(request),
            HandoverFact::Prefilled { .. }
            | HandoverFact::Reserved { .. }
            | HandoverFact::TransferStarted { .. }
            | HandoverFact::Flows { .. }
            | HandoverFact::GivenUp { .. }
            | HandoverFact::KvLost { .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::ReplicaId;

    #[test]
    fn the_latest_of_each_kind_are_kept_in_order() {
        let mut recent = RecentHandovers::default();
        let [from, to] = [ReplicaId(0), ReplicaId(1)];
        for i in 0..600 {
            recent.fact(HandoverFact::Landed { request: RequestId(i), from, to, bytes: 1 });
        }
        recent.fact(HandoverFact::Joined { request: RequestId(7), replica: to, class: 0, urgency: 0 });
        assert!(recent.landed.is_full() && !recent.joined.is_full());
        assert!(recent.landed.iter().eq((88..600).map(RequestId)));
        assert!(recent.joined.iter().eq([RequestId(7)]));
        assert_eq!(recent.decided.iter().len(), 0);
    }
}
