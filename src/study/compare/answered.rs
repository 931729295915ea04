//! Which requests count in the times of two runs: where the runs answered different requests, those that both answered. Otherwise a
//! run that loses its slowest requests would be faster for that alone.

use super::pairing::Pair;
use super::{Metric, Outcome, Outcomes, Over, Side};
use base::number_text::count;

/// The known times of requests.
const TIMES: [fn(&mut Outcome) -> &mut Option<u64>; 4] =
    [|r| &mut r.ttft_us, |r| &mut r.e2e_us, |r| &mut r.queue_wait_us, |r| &mut r.scheduling_delay_us];

/// For each time, whether it was left out of requests because only one of two runs has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut([bool; TIMES.len()]);

impl LeftOut {
    /// Leaves out the times that only one of two runs has; `pairs` are the requests that count in both.
    pub(super) fn of(a: &mut Outcomes, b: &mut Outcomes, pairs: &[Pair]) -> Self {
        let mut left_out = Self::default();
        let mut in_pair = [vec![false; a.requests.len()], vec![false; b.requests.len()]];
        for pair in pairs {
            (in_pair[0][pair.a], in_pair[1][pair.b]) = (true, true);
            let (x, y) = (&mut a.requests[pair.a], &mut b.requests[pair.b]);
            for (time, left_out) in TIMES.iter().zip(&mut left_out.0) {
                if time(x).is_some() != time(y).is_some() {
                    (*time(x), *time(y), *left_out) = (None, None, true);
                }
            }
        }
        for (run, in_pair) in [a, b].into_iter().zip(in_pair) {
            let alone = run.requests.iter_mut().zip(in_pair).filter(|(r, in_pair)| r.counted && !in_pair);
            for (r, _) in alone {
                for (time, left_out) in TIMES.iter().zip(&mut left_out.0) {
                    *left_out |= time(r).take().is_some();
                }
            }
        }
        left_out
    }

    /// The same of two seeds together.
    pub(super) fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] || other.0[i]))
    }

    /// Which values of a metric are compared, `values` of them; `None` if those of all requests of both runs are.
    pub(super) fn over(self, metric: Metric, values: u64) -> Option<Over> {
        let [ttft, e2e, queue_wait, scheduling_delay] = self.0;
        let (left_out, short) = match metric {
            Metric::Ttft => (ttft, "both answered"),
            Metric::Tpot | Metric::E2e => (e2e || ttft, "both answered"),
            Metric::QueueWait => (queue_wait, "both began"),
            Metric::SchedulingDelay => (scheduling_delay, "both began"),
            Metric::Itl => {
                let text = "over the tokens that each run made".to_owned();
                return self.0.contains(&true).then_some(Over { short: "own tokens", text });
            }
        };
        let requests = if values == 1 { "request" } else { "requests" };
        let text = format!("over the {} {requests} that {short}", count(values));
        left_out.then_some(Over { short, text })
    }
}

/// Which requests are compared without pairs, if one run answered a larger share of its own.
pub(super) fn apart([a, b]: &[Side; 2]) -> Option<Over> {
    let share = |side: &Side| format!("{} of {}", count(side.finished), count(side.requests));
    let products = [a.finished * b.requests, b.finished * a.requests];
    let text = format!("over the requests that each answered: {} (A), {} (B)", share(a), share(b));
    (products[0] != products[1]).then_some(Over { short: "own requests", text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_which_requests_it_is_over() {
        let left_out = LeftOut([false, true, false, false]);
        let text = |metric, values| left_out.over(metric, values).map(|over| over.text);
        assert_eq!(text(Metric::Ttft, 7), None);
        assert_eq!(text(Metric::E2e, 1234).as_deref(), Some("over the 1,234 requests that both answered"));
        assert_eq!(text(Metric::Tpot, 1).as_deref(), Some("over the 1 request that both answered"));
        assert_eq!(text(Metric::Itl, 99).as_deref(), Some("over the tokens that each run made"));
        assert_eq!(LeftOut::default().over(Metric::Itl, 99), None);
        let side = |finished, requests| Side { requests, finished, ..Side::default() };
        assert_eq!(apart(&[side(1, 2), side(2, 4)]), None);
        assert_eq!(
            apart(&[side(2, 2), side(2, 4)]).map(|over| over.text).as_deref(),
            Some("over the requests that each answered: 2 of 2 (A), 2 of 4 (B)")
        );
    }
}
