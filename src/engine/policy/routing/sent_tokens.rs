//! Tokens that the router sent to each replica and that count until an end: a count of its own, never out of date.

use crate::policy::RequestView;
use base::lookup::LookupMap;
use base::{ReplicaId, RequestId};
use document::{TokenCount, TokenUntil};
use serde::{Deserialize, Serialize};

/// The tokens of requests that the router sent, by replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SentTokens {
    count: TokenCount,
    until: TokenUntil,
    /// By replica number.
    tokens: Vec<u64>,
    /// By request number: the index of its charge in `charges`.
    charged: LookupMap<u64, u32>,
    charges: Vec<Charge>,
    /// Free indices in `charges`.
    vacant: Vec<u32>,
}

/// The tokens of one request on its replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Charge {
    replica: ReplicaId,
    tokens: u32,
}

impl SentTokens {
    pub(super) fn new((count, until): (TokenCount, TokenUntil)) -> Self {
        Self {
            count,
            until,
            tokens: Vec::new(),
            charged: LookupMap::default(),
            charges: Vec::new(),
            vacant: Vec::new(),
        }
    }

    /// Whether it counts these tokens until then.
    pub(super) fn is_of(&self, (count, until): (TokenCount, TokenUntil)) -> bool {
        self.count == count && self.until == until
    }

    /// Continues with the counts of `before`, if they are of the same kind.
    pub(super) fn resume(&mut self, before: &Self) {
        if before.is_of((self.count, self.until)) {
            self.clone_from(before);
        }
    }

    /// Approximate size of a copy in bytes.
    pub(super) fn bytes(&self) -> u64 {
        32 * self.charges.len() as u64 + 8 * self.tokens.len() as u64
    }

    /// The tokens that count on a replica.
    pub(super) fn on(&self, replica: ReplicaId) -> u64 {
        self.tokens.get(replica.index()).copied().unwrap_or_default()
    }

    /// Whether it needs to know what a replica was sent of a prompt before.
    pub(super) fn asks_prefix(&self) -> bool {
        self.count == TokenCount::Uncached
    }

    /// The tokens on a replica as they count for a prompt of `prompt_tokens` that is being routed, of which the replica
    /// was sent `matched` before: with what the prompt would add, if only tokens that are not cached count.
    pub(super) fn with(&self, replica: ReplicaId, prompt_tokens: u32, matched: u32) -> u64 {
        let projected = match self.count {
            TokenCount::Prompt => 0,
            TokenCount::Uncached => prompt_tokens - matched,
        };
        self.on(replica) + u64::from(projected)
    }

    /// The request is sent to this replica, which was sent `matched` tokens of its prompt before.
    pub(super) fn send(&mut self, request: &RequestView<'_>, replica: ReplicaId, matched: u32) {
        let tokens = match self.count {
            TokenCount::Prompt => request.prompt_tokens,
            TokenCount::Uncached => request.prompt_tokens - matched,
        };
        self.add(request.id, replica, tokens);
    }

    fn add(&mut self, request: RequestId, replica: ReplicaId, tokens: u32) {
        self.release(request);
        if self.tokens.len() <= replica.index() {
            self.tokens.resize(replica.index() + 1, 0);
        }
        self.tokens[replica.index()] += u64::from(tokens);
        let charge = Charge { replica, tokens };
        let place = if let Some(place) = self.vacant.pop() {
            self.charges[place as usize] = charge;
            place
        } else {
            self.charges.push(charge);
            self.charges.len() as u32 - 1
        };
        self.charged.insert(request.0.into(), place);
    }

    /// The request has its first token.
    pub(super) fn prefilled(&mut self, request: RequestId) {
        match self.until {
            TokenUntil::FirstToken => self.release(request),
            TokenUntil::End => {}
        }
    }

    /// The request no longer counts.
    pub(super) fn release(&mut self, request: RequestId) {
        let Some(place) = self.charged.remove(request.0.into()) else { return };
        let Charge { replica, tokens } = self.charges[place as usize];
        self.tokens[replica.index()] -= u64::from(tokens);
        self.vacant.push(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Content, Micros};

    #[test]
    fn tokens_count_until_their_end_and_once() {
        let text = Content::default();
        let view = |id, tokens| RequestView::new(RequestId(id), Micros::ZERO, &text, tokens);
        let on = |sent: &SentTokens| [0, 1].map(|replica| sent.on(ReplicaId(replica)));
        for (rule, first, then) in [
            ((TokenCount::Prompt, TokenUntil::End), [100, 30], [100, 30]),
            ((TokenCount::Uncached, TokenUntil::FirstToken), [40, 10], [0, 10]),
            ((TokenCount::Prompt, TokenUntil::FirstToken), [100, 30], [0, 30]),
            ((TokenCount::Uncached, TokenUntil::End), [40, 10], [40, 10]),
        ] {
            let mut sent = SentTokens::new(rule);
            sent.send(&view(7, 100), ReplicaId(0), 60);
            sent.send(&view(9, 30), ReplicaId(1), 20);
            assert_eq!(on(&sent), first);
            sent.prefilled(RequestId(7));
            assert_eq!(on(&sent), then);
            let projected = if rule.0 == TokenCount::Uncached { 3 } else { 0 };
            assert_eq!(sent.with(ReplicaId(1), 5, 2), then[1] + projected);
            // A request that comes back counts on its new replica alone.
            sent.send(&view(9, 5), ReplicaId(0), 0);
            sent.prefilled(RequestId(8));
            sent.release(RequestId(7));
            assert_eq!(on(&sent), [5, 0]);
            sent.release(RequestId(9));
            sent.release(RequestId(9));
            assert_eq!((on(&sent), sent.charges.len()), ([0, 0], 2));
        }
    }
}
