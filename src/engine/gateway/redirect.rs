//! Requests that edits send elsewhere: their routing decisions are made as ever, and then not followed.
//!
//! The router is asked first, so that its memory and its draws go on as if its choice had been followed: an edit that sends a
//! request where it goes anyway changes nothing of a run.

use super::state::Gateway;
use crate::facts::Stage;
use crate::request::Records;
use base::{ReplicaId, RequestId};
use serde::{Deserialize, Serialize};

/// Why a request did not go where an edit sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhyNot {
    /// It had been routed or refused before the edit applied.
    TooLate,
    /// The replica was not there, took no requests or served another model.
    CannotTake,
    /// It has not been routed yet.
    NotYet,
}

/// A request that did not go where an edit sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRedirected {
    /// The request.
    pub request: RequestId,
    /// Where the edit sends it.
    pub to: ReplicaId,
    /// Why it did not go there.
    pub why: WhyNot,
}

/// What edits say of single requests. Their number is that of edits, at most.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Redirects {
    /// Requests that are still to be routed.
    open: Vec<(RequestId, ReplicaId)>,
    /// Those that went elsewhere.
    missed: Vec<NotRedirected>,
}

impl Gateway {
    /// When `request` is routed, `to` gets it instead of the router's choice, if it takes requests then. A prefill replica takes the
    /// place of the second decision's choice, any other replica that of the first.
    pub(crate) fn redirect(&mut self, request: RequestId, to: ReplicaId, records: &Records) {
        let aims = self.aims_at_prefill(to);
        let open: Vec<_> = self.redirects.open.drain(..).collect();
        let stays =
            |(other, to): &(RequestId, ReplicaId)| *other != request || self.aims_at_prefill(*to) != aims;
        self.redirects.open = open.into_iter().filter(stays).collect();
        let decided = records.get(request.index()).is_some_and(|r| r.routed.is_known() || r.left.is_known());
        if decided {
            self.redirects.missed.push(NotRedirected { request, to, why: WhyNot::TooLate });
        } else {
            self.redirects.open.push((request, to));
        }
    }

    /// Takes over what edits said of requests before this gateway took the place of another one.
    pub(crate) fn keep_redirects(&mut self, before: &Self) {
        self.redirects = before.redirects.clone();
    }

    /// The requests that did not go where edits send them, or have not yet.
    pub(crate) fn not_redirected(&self) -> impl Iterator<Item = NotRedirected> + '_ {
        let open = self.redirects.open.iter();
        let open = open.map(|&(request, to)| NotRedirected { request, to, why: WhyNot::NotYet });
        self.redirects.missed.iter().copied().chain(open)
    }

    /// Where an edit sends a request in the decision that is being made, for which `pools` serve the model.
    pub(super) fn redirected(&mut self, request: RequestId, pools: u64, stage: Stage) -> Option<ReplicaId> {
        let is_meant = |(other, to): &(RequestId, ReplicaId)| {
            *other == request && self.aims_at_prefill(*to) == (stage == Stage::Prefill)
        };
        let place = self.redirects.open.iter().position(is_meant)?;
        let (_, to) = self.redirects.open.remove(place);
        // A full wait queue is no reason: the replica itself refuses who finds it full.
        let takes = self.can_take(to, pools);
        if !takes {
            self.redirects.missed.push(NotRedirected { request, to, why: WhyNot::CannotTake });
        }
        takes.then_some(to)
    }

    /// The decision that is kept names the replica that gets the request.
    pub(super) fn remember_redirect(&mut self, to: Option<ReplicaId>) {
        if let Some(to) = to {
            self.decision.chosen = self.decision.seen.iter().position(|view| view.id == to);
        }
    }
}
