//! Moves of requests between two frames, for the dots on the stage.

use super::Recorder;
use base::Micros;
use engine::{Fact, HandoverFact, RequestFact};
use serde::Serialize;

/// Moves kept between two frames.
const MOVES_KEPT: usize = 512;

/// What kind of move a dot on the stage makes.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveKind {
    /// It arrived.
    Arrive,
    /// It was sent to a replica.
    Route,
    /// It was refused.
    Reject,
    /// It finished.
    Complete,
    /// Its KV cache came from its prefill replica to its home.
    Land,
}

/// A move of a request since the previous frame.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    /// When, in microseconds.
    pub at_us: u64,
    /// What it did.
    pub kind: MoveKind,
    /// The request.
    pub request: u32,
    /// Number of its client.
    pub client: u32,
    /// The replica, if there is one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// The replica that it comes from: of a landing.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
}

impl Recorder {
    pub(super) fn note_move(&mut self, at: Micros, fact: &Fact) {
        let (kind, request, replica) = match *fact {
            Fact::Request(RequestFact::Arrived { request, .. }) => (MoveKind::Arrive, request, None),
            Fact::Request(RequestFact::Routed { request, replica }) => {
                (MoveKind::Route, request, Some(replica.0))
            }
            Fact::Request(RequestFact::Rejected { request, replica, .. }) => {
                (MoveKind::Reject, request, replica.map(|r| r.0))
            }
            Fact::Request(RequestFact::Completed { request, replica, .. }) => {
                (MoveKind::Complete, request, Some(replica.0))
            }
            Fact::Request(
                RequestFact::Admitted { .. }
                | RequestFact::Delayed { .. }
                | RequestFact::Enqueued { .. }
                | RequestFact::Dispatched { .. }
                | RequestFact::Expired { .. }
                | RequestFact::Queued { .. }
                | RequestFact::Dropped { .. }
                | RequestFact::Scheduled { .. }
                | RequestFact::Prefilled { .. }
                | RequestFact::FirstToken { .. }
                | RequestFact::Preempted { .. },
            )
            | Fact::Replica(_)
            | Fact::Cache(_)
            | Fact::Fleet(_)
            | Fact::Fault(_) => return,
            Fact::Handover(fact) => return self.note_handover(at, fact),
        };
        self.keep_move(Move { at_us: at.0, kind, request: request.0, client: 0, replica, from: None });
    }

    fn keep_move(&mut self, m: Move) {
        if self.moves.len() == MOVES_KEPT {
            self.moves.pop_front();
        }
        self.moves.push_back(m);
    }

    /// A request that is prefilled elsewhere goes there first, and from there to its home.
    fn note_handover(&mut self, at: Micros, fact: HandoverFact) {
        match fact {
            HandoverFact::Decided { request, prefill: Some(prefill), .. } => {
                let routed = |m: &&mut Move| m.kind == MoveKind::Route && m.request == request.0;
                if let Some(routed) = self.moves.back_mut().filter(routed) {
                    routed.replica = Some(prefill.0);
                }
            }
            HandoverFact::Landed { request, from, to, .. } => self.keep_move(Move {
                at_us: at.0,
                kind: MoveKind::Land,
                request: request.0,
                client: 0,
                replica: Some(to.0),
                from: Some(from.0),
            }),
            HandoverFact::Decided { prefill: None, .. }
            | HandoverFact::Prefilled { .. }
            | HandoverFact::Reserved { .. }
            | HandoverFact::TransferStarted { .. }
            | HandoverFact::Flows { .. }
            | HandoverFact::Joined { .. }
            | HandoverFact::GivenUp { .. }
            | HandoverFact::KvLost { .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. } => {}
        }
    }
}
