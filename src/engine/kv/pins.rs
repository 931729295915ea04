//! What requests in the system want kept of what they write to stores: for how long each block is evicted after others.

use base::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The wishes of requests that have not left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pins {
    by_request: BTreeMap<u32, Vec<u64>>,
    /// By content and request.
    wanted: BTreeMap<(u64, u32), Span>,
}

impl Pins {
    /// A request wants these blocks kept for that long after they are written.
    pub(super) fn tell(&mut self, request: u32, blocks: &[(u64, Span)]) {
        self.forget(request);
        self.wanted.extend(blocks.iter().map(|&(hash, span)| ((hash, request), span)));
        self.by_request.insert(request, blocks.iter().map(|(hash, _)| *hash).collect());
    }

    /// It has left.
    pub(super) fn forget(&mut self, request: u32) {
        for hash in self.by_request.remove(&request).unwrap_or_default() {
            self.wanted.remove(&(hash, request));
        }
    }

    /// For how long a block is to be kept: the longest that anybody wants; no time if nobody wants anything.
    pub(super) fn of(&self, hash: u64) -> Span {
        let all = self.wanted.range((hash, 0)..=(hash, u32::MAX)).map(|(_, span)| *span);
        all.max().unwrap_or(Span::ZERO)
    }

    /// Whether nobody wants anything.
    pub(super) fn is_empty(&self) -> bool {
        self.by_request.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_kept_as_long_as_the_longest_wish_of_those_who_are_there() {
        let mut pins = Pins::default();
        pins.tell(1, &[(11, Span(5)), (13, Span(5))]);
        pins.tell(2, &[(11, Span(9))]);
        assert_eq!([11, 13, 15].map(|hash| pins.of(hash)), [Span(9), Span(5), Span::ZERO]);
        pins.tell(2, &[(13, Span(2))]);
        assert_eq!([11, 13].map(|hash| pins.of(hash)), [Span(5), Span(5)]);
        pins.forget(1);
        assert_eq!([11, 13].map(|hash| pins.of(hash)), [Span::ZERO, Span(2)]);
        pins.forget(2);
        assert!(pins.is_empty() && pins == Pins::default());
    }
}
