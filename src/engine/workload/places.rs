//! The places of a client with a bound on its requests in flight: the client holds the others back.
//!
//! A place is taken when a request is sent and comes back when its user has the whole answer. What the requests are
//! depends on their order alone, never on when places come back.

use base::queue::Queue;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// How long a client that was refused, or got no answer, waits before it sends in that place again: a loop of refusals
/// must not stand still in time.
pub(super) const AFTER_REFUSAL: Span = Span(1000);

/// The number of places of a client whose bound was lifted.
const NO_BOUND: u32 = u32::MAX;

/// The places of one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Places {
    /// How many there are.
    most: u32,
    /// How many are taken.
    taken: u32,
    /// When each comes back whose request has ended.
    back: Queue<Micros>,
    /// Nothing is sent before.
    from: Micros,
}

impl Places {
    /// That many places, all free.
    pub(super) fn new(most: u32) -> Option<Self> {
        (most > 0).then(|| Self { most, taken: 0, back: Queue::default(), from: Micros::ZERO })
    }

    /// The same, from `now` on.
    pub(super) fn begun(mut self, now: Micros) -> Self {
        self.from = now;
        self
    }

    /// No bound from `now` on: what was held back until then is sent then.
    pub(super) fn lift(&mut self, now: Micros) {
        (self.most, self.from, self.back) = (NO_BOUND, now, Queue::default());
    }

    /// Whether the bound was lifted.
    pub(super) fn is_lifted(&self) -> bool {
        self.most == NO_BOUND
    }

    /// How many there are.
    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// When the next place is free; [`Micros::MAX`] while that is not known.
    pub(super) fn next(&self) -> Micros {
        if u64::from(self.taken) + (self.back.len() as u64) < u64::from(self.most) {
            return self.from;
        }
        self.back.peek().map_or(Micros::MAX, |at| self.from.max(*at))
    }

    /// A request is sent.
    pub(super) fn take(&mut self) {
        if self.taken + self.back.len() as u32 >= self.most {
            self.back.pop();
        }
        self.taken += 1;
    }

    /// A request has ended: its place is free at `at`.
    pub(super) fn free(&mut self, at: Micros) {
        // Requests sent before there was a bound had no place.
        if self.taken > 0 {
            self.taken -= 1;
            if !self.is_lifted() {
                self.back.push(at);
                self.give_up_surplus();
            }
        }
    }

    /// There are `most` places from `now` on.
    pub(super) fn change(&mut self, most: u32, now: Micros) {
        (self.most, self.from) = (most, now);
        self.give_up_surplus();
    }

    /// Of fewer places than before, those that come back last stay.
    fn give_up_surplus(&mut self) {
        while self.taken + self.back.len() as u32 > self.most && self.back.pop().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_when_enough_requests_have_ended() {
        let mut places = Places::new(2).expect("a bound");
        places.take();
        places.take();
        assert_eq!(places.next(), Micros::MAX);
        places.free(Micros(70));
        places.free(Micros(50));
        assert_eq!(places.next(), Micros(50));
        places.take();
        assert_eq!(places.next(), Micros(70));
        // One place: the request under way has it.
        places.change(1, Micros(60));
        assert_eq!(places.next(), Micros::MAX);
        places.free(Micros(90));
        assert_eq!(places.next(), Micros(90));
        // More of them are free from the edit on.
        places.change(3, Micros(80));
        assert_eq!(places.next(), Micros(80));
        assert_eq!(Places::new(0), None);
    }

    #[test]
    fn without_its_bound_a_client_sends_at_once_and_nothing_earlier() {
        let mut places = Places::new(1).expect("a bound");
        places.take();
        assert_eq!(places.next(), Micros::MAX);
        places.lift(Micros(80));
        for _ in 0..5 {
            assert_eq!(places.next(), Micros(80));
            places.take();
        }
        places.free(Micros(90));
        assert_eq!((places.next(), places.back.len()), (Micros(80), 0));
    }
}
