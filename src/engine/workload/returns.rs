//! Clients that come again: a request whose client gave up is sent anew after a while, as a new request with the same text.

use super::RequestSpec;
use base::{Micros, RequestId, Span, math};
use document::Workload;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most returns that a budget of clients saves up.
const SAVED: f64 = 10.0;

/// How often clients may come again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct ReturnBudget {
    /// What a request that comes for the first time adds; 0 for no budget.
    share: f64,
    left: f64,
}

impl Default for ReturnBudget {
    fn default() -> Self {
        Self { share: 0.0, left: SAVED }
    }
}

impl ReturnBudget {
    fn add(&mut self) {
        self.left = (self.left + self.share).min(SAVED);
    }

    /// Takes one return out, if there is one.
    fn take(&mut self) -> bool {
        let granted = self.share <= 0.0 || self.left >= 1.0;
        if granted && self.share > 0.0 {
            self.left -= 1.0;
        }
        granted
    }
}

/// What was sent, and how often its client has come again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SentText {
    spec: RequestSpec,
    again: u32,
}

/// Requests whose clients may come again, and those that do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Returns {
    /// How often a client comes again; with 0 nothing is kept.
    most: u32,
    wait: Span,
    /// Requests in the system.
    sent: BTreeMap<u32, SentText>,
    /// Those that come again, by instant and in the order in which their clients gave up.
    due: BTreeMap<(Micros, u32), SentText>,
    /// How many clients came or come again.
    count: u32,
    /// How often the client of the request that was taken last has come again.
    taken: u32,
    budget: ReturnBudget,
    /// How many clients would have come again and had no budget left.
    denied: u32,
}

impl Returns {
    /// Follows other settings from now on. Who waits to come again still does.
    pub(super) fn adopt(&mut self, w: &Workload) {
        self.most = w.client_retries;
        self.wait = math::round_to_span(w.client_wait_s * 1e6);
        self.budget.share = w.client_retry_share;
        if self.most == 0 {
            self.sent.clear();
        }
    }

    /// When the next client comes again.
    pub(super) fn next(&self) -> Micros {
        self.due.first_key_value().map_or(Micros::MAX, |((at, _), _)| *at)
    }

    /// The next request of a client that comes again, as number `taken` of all.
    pub(super) fn take(&mut self, taken: u32) -> Option<RequestSpec> {
        let ((at, _), SentText { spec, again }) = self.due.pop_first()?;
        self.taken = again;
        let rank = if spec.is_listed() { spec.rank } else { taken };
        Some(RequestSpec { arrival: at, rank, ..spec })
    }

    /// The request that was taken last is another one's.
    pub(super) fn first_time(&mut self) {
        self.taken = 0;
    }

    /// The request that was taken last is in the system under this number.
    pub(super) fn sent(&mut self, request: RequestId, spec: RequestSpec) {
        if self.most > 0 {
            if self.taken == 0 {
                self.budget.add();
            }
            self.sent.insert(request.0, SentText { spec, again: self.taken });
        }
    }

    /// A request has left; its client gave up on it, or not. Whether the client comes again.
    pub(super) fn left(&mut self, request: RequestId, now: Micros, gave_up: bool) -> bool {
        if self.sent.is_empty() {
            return false;
        }
        let Some(SentText { spec, again }) = self.sent.remove(&request.0) else { return false };
        if !gave_up || again >= self.most {
            return false;
        }
        if !self.budget.take() {
            self.denied += 1;
            return false;
        }
        let at = now.saturating_add(self.wait);
        self.due.insert((at, self.count), SentText { spec, again: again + 1 });
        self.count += 1;
        true
    }

    /// How many clients came or come again.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// How many clients would have come again and had no budget left.
    pub(super) fn denied(&self) -> u32 {
        self.denied
    }

    /// How often the client of the request that was taken last has come again.
    pub(super) fn times(&self) -> u32 {
        self.taken
    }
}
