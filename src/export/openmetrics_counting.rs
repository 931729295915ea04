//! Counts what the servers of a run would have counted, fact by fact.

use super::openmetrics_families::Totals;
use base::RequestId;
use engine::policy::ReplicaPhase;
use engine::{Fact, Replica, ReplicaFact, RequestFact};
use run::session::Session;
use std::collections::{BTreeMap, BTreeSet};

/// The counters of all replicas since the start of a run.
#[derive(Default)]
pub struct Counting {
    totals: BTreeMap<u32, Totals>,
    /// Requests that were preempted and have not joined a batch since.
    preempted: BTreeSet<RequestId>,
    /// Requests with a first token, and completed requests, each with its replica, that are not in the totals yet.
    begun: Vec<(RequestId, u32)>,
    done: Vec<(RequestId, u32)>,
}

impl Counting {
    /// The totals of a replica.
    pub fn of(&mut self, replica: u32) -> &mut Totals {
        self.totals.entry(replica).or_default()
    }

    /// Something happened.
    pub fn fact(&mut self, fact: &Fact) {
        match fact {
            Fact::Request(fact) => self.request(fact),
            Fact::Replica(ReplicaFact::Tokens { replica, itl, count }) => {
                self.of(replica.0).tokens(*itl, *count);
            }
            Fact::Replica(ReplicaFact::StepStarted { .. } | ReplicaFact::StepEnded { .. })
            | Fact::Cache(_)
            | Fact::Fleet(_)
            | Fact::Handover(_)
            | Fact::Fault(_) => {}
        }
    }

    fn request(&mut self, fact: &RequestFact) {
        match *fact {
            RequestFact::Scheduled { request, replica, prefill, cached, .. } => {
                // As vLLM, which does not count the search of a preempted request.
                if !self.preempted.remove(&request) {
                    self.of(replica.0).searched(prefill, cached);
                }
            }
            RequestFact::Preempted { request, replica, .. } => {
                self.preempted.insert(request);
                self.of(replica.0).preempted();
            }
            RequestFact::FirstToken { request, replica, ttft } => {
                self.of(replica.0).first_token(ttft);
                self.begun.push((request, replica.0));
            }
            RequestFact::Completed { request, replica, .. } => self.done.push((request, replica.0)),
            RequestFact::Dropped { request, replica, .. } => {
                self.preempted.remove(&request);
                self.of(replica.0).aborted();
            }
            RequestFact::Arrived { .. }
            | RequestFact::Admitted { .. }
            | RequestFact::Rejected { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Enqueued { .. }
            | RequestFact::Dispatched { .. }
            | RequestFact::Expired { .. }
            | RequestFact::Routed { .. }
            | RequestFact::Queued { .. }
            | RequestFact::Prefilled { .. } => {}
        }
    }

    /// Adds what the records know of the requests since the last call.
    pub fn catch_up(&mut self, session: &Session) {
        let records = session.engine().records();
        for (request, replica) in std::mem::take(&mut self.begun) {
            let record = records.at(request.0 as usize);
            self.of(replica).prompt(record.prompt_tokens);
        }
        for (request, replica) in std::mem::take(&mut self.done) {
            let record = records.at(request.0 as usize);
            self.of(replica).completed(&record);
        }
    }
}

/// Whether a replica has a server that answers.
pub fn has_page(replica: &Replica) -> bool {
    match replica.phase() {
        ReplicaPhase::WarmingUp | ReplicaPhase::Serving | ReplicaPhase::Draining | ReplicaPhase::Ejected => {
            true
        }
        ReplicaPhase::Starting | ReplicaPhase::Stopped | ReplicaPhase::Failed => false,
    }
}
