//! The state-dependent M/M/1/K of the published program: n requests leave at n / (prefill + o decodes), each at the length of a
//! step of n, up to the batch limit; more wait, up to K. A birth-death chain, solved without a fixed point.
//!
//! It counts a request's own work twice, inside n delta and again beside it, and takes o / 2 tokens of context where
//! the closed form has (o + 1) / 2: as published. The published program uses two queue lengths: 100 for sizing, ten
//! batches for the filter.

use super::Mode;
use super::closed_form::ClosedForm;
use super::trouble::Trouble;
use super::{Objectives, Params, RequestSize};

/// Longest wait queue and largest batch: longer ones have the same result to all digits, and only take longer.
const MOST_PLACES: u32 = 1_000_000;
/// Weights are scaled down above this.
const LARGE: f64 = 1e200;
/// The smallest rate considered, as a share of that of one request alone; the largest is 1 minus this share.
const EDGE: f64 = 0.001;
/// Relative difference at which a search ends.
const FOUND: f64 = 1e-6;
/// Most halvings of a search.
const HALVINGS: u32 = 100;
/// Share of the largest rate that any throughput objective leaves.
const WITH_THROUGHPUT_OBJECTIVE: f64 = 0.9;

/// How many requests may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLength {
    /// This number.
    Requests(u32),
    /// Ten batches, as the filter has it.
    TenBatches,
}

/// A server with a batch limit and a wait queue.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    params: Params,
    size: RequestSize,
    delta_ms: f64,
    max_batch: u32,
    places: u32,
}

/// The state of the server under a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// Requests per second that are served; requests that find the queue full are not.
    pub throughput_per_s: f64,
    /// Time in the system.
    pub response_ms: f64,
    /// Time in the queue.
    pub wait_ms: f64,
    /// Requests in the batch.
    pub in_service: f64,
    /// First step.
    pub prefill_ms: f64,
    /// Time between tokens.
    pub itl_ms: f64,
    /// Time to the first token as sizing counts it: with one decoding step.
    pub ttft_sizing_ms: f64,
    /// Time to the first token as the filter counts it.
    pub ttft_filter_ms: f64,
    /// Requests in the batch as a share of its limit.
    pub rho: f64,
}

/// An objective that not even the slowest rate meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetBelow {
    /// Time to the first token.
    Ttft,
    /// Time between tokens.
    Itl,
}

/// The rates that objectives allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainSizing {
    /// By the TTFT objective.
    pub rate_ttft_per_s: f64,
    /// By the ITL objective.
    pub rate_itl_per_s: f64,
    /// By the throughput objective, whose value has no effect.
    pub rate_throughput_per_s: f64,
    /// The server at the smallest of these rates.
    pub analysis: Analysis,
}

impl Chain {
    /// Makes a server, or refuses numbers out of range.
    pub fn new(
        params: Params,
        size: RequestSize,
        max_batch: u32,
        queue: QueueLength,
    ) -> Result<Self, Trouble> {
        let delta_ms = ClosedForm::new(params, size)?.delta_ms();
        let waiting = match queue {
            QueueLength::Requests(n) => n,
            QueueLength::TenBatches => max_batch.saturating_mul(10),
        };
        let places = max_batch.saturating_add(waiting);
        if max_batch == 0 || places > MOST_PLACES {
            let found = f64::from(places);
            return Err(Trouble::input(
                "batch and queue",
                found,
                "1 to 1000000 requests, at least 1 in the batch",
            ));
        }
        Ok(Self { params, size, delta_ms, max_batch, places })
    }

    fn step(&self, batch: f64) -> f64 {
        self.params.alpha + batch * self.delta_ms
    }

    fn prefill(&self, batch: f64) -> f64 {
        if self.size.input_tokens > 0.0 {
            self.step(batch) + (self.params.beta + self.params.gamma) * self.size.input_tokens
        } else {
            0.0
        }
    }

    /// Departures per millisecond from a batch of `n`. It grows with `n`: n / (a + b n).
    fn service(&self, n: u32) -> f64 {
        let n = f64::from(n.min(self.max_batch));
        let context = self.size.input_tokens + self.size.output_tokens / 2.0;
        let decode = self.step(n) + self.params.beta + self.params.gamma * context;
        n / (self.prefill(n) + self.size.output_tokens * decode)
    }

    fn least_per_ms(&self) -> f64 {
        EDGE * self.service(1)
    }

    fn most_per_ms(&self) -> f64 {
        (1.0 - EDGE) * self.service(self.max_batch)
    }

    /// The largest rate that can be analysed, in requests per second.
    pub fn most_per_s(&self) -> f64 {
        1000.0 * self.most_per_ms()
    }

    /// The smallest rate considered by sizing, in requests per second.
    pub fn least_per_s(&self) -> f64 {
        1000.0 * self.least_per_ms()
    }

    /// Analyses the server under `rate_per_s`.
    pub fn analyze(&self, rate_per_s: f64) -> Result<Analysis, Trouble> {
        if !(rate_per_s.is_finite() && rate_per_s > 0.0) {
            return Err(Trouble::input("the rate", rate_per_s, "above 0 requests/s"));
        }
        if rate_per_s / 1000.0 > self.most_per_ms() {
            return Err(Trouble::Overload { rate_per_s, most_per_s: self.most_per_s() });
        }
        Ok(self.solve(rate_per_s / 1000.0))
    }

    /// The weight of each state follows from the one before. Weights rise and then fall, so small ones may underflow
    /// to 0 and large ones are scaled down.
    fn solve(&self, rate: f64) -> Analysis {
        let (mut weight, mut total, mut present, mut served) = (1.0, 1.0, 0.0, 0.0);
        for n in 1..=self.places {
            weight *= rate / self.service(n);
            if weight > LARGE {
                total /= weight;
                present /= weight;
                served /= weight;
                weight = 1.0;
            }
            total += weight;
            present += f64::from(n) * weight;
            served += f64::from(n.min(self.max_batch)) * weight;
        }
        let (present, served) = (present / total, served / total);
        let throughput = rate * (1.0 - weight / total);
        let (response, service) = (present / throughput, served / throughput);
        let wait = (response - service).max(0.0);
        let prefill = self.prefill(served);
        let itl = (service - prefill) / self.size.output_tokens;
        Analysis {
            throughput_per_s: 1000.0 * throughput,
            response_ms: response,
            wait_ms: wait,
            in_service: served,
            prefill_ms: prefill,
            itl_ms: itl,
            ttft_sizing_ms: wait + prefill + itl,
            ttft_filter_ms: wait + prefill,
            rho: (served / f64::from(self.max_batch)).clamp(0.0, 1.0),
        }
    }

    /// The largest rate for each objective, and the server at the smallest of them. `throughput` tells only whether
    /// there is a throughput objective.
    pub fn size(&self, goals: Objectives, throughput: bool, mode: Mode) -> Result<ChainSizing, TargetBelow> {
        let ttft = self.search(goals.ttft_ms, mode, |a| a.ttft_sizing_ms).ok_or(TargetBelow::Ttft)?;
        let itl = self.search(goals.itl_ms, mode, |a| a.itl_ms).ok_or(TargetBelow::Itl)?;
        let most = self.most_per_ms();
        let with = if throughput { WITH_THROUGHPUT_OBJECTIVE * most } else { most };
        Ok(ChainSizing {
            rate_ttft_per_s: 1000.0 * ttft,
            rate_itl_per_s: 1000.0 * itl,
            rate_throughput_per_s: 1000.0 * with,
            analysis: self.solve(ttft.min(itl).min(with)),
        })
    }

    /// The largest rate at which `value` is at most `target`; `None` if it is above at every rate. Some latencies
    /// fall as the rate grows: the published search then takes the wrong end.
    fn search(&self, target: f64, mode: Mode, value: impl Fn(&Analysis) -> f64) -> Option<f64> {
        let (mut low, mut high) = (self.least_per_ms(), self.most_per_ms());
        if target <= 0.0 {
            return Some(high);
        }
        let at = |rate: f64| value(&self.solve(rate));
        let (first, last) = (at(low), at(high));
        let found = |x: f64| ((x - target) / target).abs() <= FOUND;
        let rises = first < last;
        if mode == Mode::Corrected && !rises {
            return (last <= target || found(last)).then_some(high);
        }
        if found(first) {
            return Some(low);
        }
        let (before, after) =
            if rises { (target < first, target > last) } else { (target > first, target < last) };
        if found(last) || after {
            return Some(high);
        }
        if before {
            return None;
        }
        let mut middle = f64::midpoint(low, high);
        for _ in 0..HALVINGS {
            middle = f64::midpoint(low, high);
            let here = at(middle);
            if found(here) {
                break;
            }
            if (here > target) == rises {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(middle)
    }
}

#[cfg(test)]
mod tests {
    use super::super::DEFAULT_PARAMS;
    use super::*;

    fn chain(max_batch: u32) -> Chain {
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        Chain::new(DEFAULT_PARAMS, size, max_batch, QueueLength::Requests(100)).unwrap()
    }

    #[test]
    fn littles_law_holds_for_batch_and_queue() {
        let a = chain(64).analyze(15.0).unwrap();
        let in_batch = a.throughput_per_s / 1000.0 * (a.response_ms - a.wait_ms);
        assert!((in_batch / a.in_service - 1.0).abs() < 1e-12);
    }

    #[test]
    fn more_places_than_a_float_can_count_weights_for_are_still_a_law() {
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        let long = Chain::new(DEFAULT_PARAMS, size, 256, QueueLength::Requests(20_000)).unwrap();
        let a = long.analyze(long.most_per_s()).unwrap();
        assert!(a.response_ms.is_finite() && (a.throughput_per_s / long.most_per_s() - 1.0).abs() < 1e-6);
        assert!(Chain::new(DEFAULT_PARAMS, size, 0, QueueLength::TenBatches).is_err());
        assert!(Chain::new(DEFAULT_PARAMS, size, u32::MAX, QueueLength::TenBatches).is_err());
    }

    #[test]
    fn a_batch_of_one_meets_generous_objectives_in_the_corrected_mode_only() {
        let goals = Objectives { ttft_ms: 0.0, itl_ms: 50.0 };
        let one = chain(1);
        assert_eq!(one.size(goals, false, Mode::AsCoded), Err(TargetBelow::Itl));
        let found = one.size(goals, false, Mode::Corrected).unwrap();
        assert!((found.rate_itl_per_s / one.most_per_s() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_rate_without_an_answer_is_refused_by_name() {
        let server = chain(8);
        assert!(matches!(server.analyze(0.0), Err(Trouble::Input { .. })));
        assert!(matches!(server.analyze(2.0 * server.most_per_s()), Err(Trouble::Overload { .. })));
    }
}
