//! The warm-up: the time and the first requests that the measurement window excludes.

use base::math::round_to_span;
use base::{Micros, RequestId};
use document::Run;
use engine::{Fact, RequestFact};
use serde::{Deserialize, Serialize};

/// The measurement window begins when the warm-up time is over and the first request that counts has arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warmup {
    time: Micros,
    requests: u64,
    /// When the first request that counts arrived; without a number of requests, the start.
    counted_from: Option<Micros>,
    /// When the measurement window began.
    over: Option<Micros>,
}

impl Warmup {
    /// The warm-up of a run that begins.
    pub fn new(run: &Run) -> Self {
        Self {
            time: Micros(round_to_span(run.warmup_s * 1e6).0),
            requests: run.warmup_requests,
            counted_from: (run.warmup_requests == 0).then_some(Micros::ZERO),
            over: None,
        }
    }

    /// Where the measurement window begins, if it begins with this fact: at its instant, or between the fact before
    /// and it.
    pub fn begins(&mut self, at: Micros, fact: &Fact) -> Option<Micros> {
        if self.over.is_some() {
            return None;
        }
        if self.counted_from.is_none()
            && let Fact::Request(RequestFact::Arrived { request, .. }) = fact
            && u64::from(request.0) >= self.requests
        {
            self.counted_from = Some(at);
        }
        let from = self.counted_from?.max(self.time);
        self.over = (at >= from).then_some(from);
        self.over
    }

    /// Whether the measurement window has begun.
    pub fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// When the measurement window began; [`Micros::MAX`] before.
    pub(crate) fn from(&self) -> Micros {
        self.over.unwrap_or(Micros::MAX)
    }

    /// Whether a request with this arrival counts.
    pub fn counts(&self, request: RequestId, arrival: Micros) -> bool {
        u64::from(request.0) >= self.requests && self.over.is_some_and(|from| arrival >= from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(w: &mut Warmup, at: u64, request: u32) -> Option<u64> {
        let fact = Fact::Request(RequestFact::Arrived { request: RequestId(request), client: 0, class: 0 });
        w.begins(Micros(at), &fact).map(|from| from.0)
    }

    #[test]
    fn it_is_over_when_both_time_and_number_are() {
        let run = |warmup_s, warmup_requests| Run { warmup_s, warmup_requests, ..Run::default() };
        let mut by_time = Warmup::new(&run(0.001, 0));
        assert_eq!([begins(&mut by_time, 999, 0), begins(&mut by_time, 1200, 1)], [None, Some(1000)]);
        let mut by_number = Warmup::new(&run(0.0, 2));
        assert_eq!([begins(&mut by_number, 5, 1), begins(&mut by_number, 9, 2)], [None, Some(9)]);
        assert!(by_number.counts(RequestId(2), Micros(9)) && !by_number.counts(RequestId(1), Micros(9)));
        let mut by_both = Warmup::new(&run(0.001, 2));
        assert_eq!([begins(&mut by_both, 700, 2), begins(&mut by_both, 2000, 3)], [None, Some(1000)]);
        assert!(by_both.counts(RequestId(3), Micros(2000)) && !by_both.counts(RequestId(2), Micros(700)));
    }
}
