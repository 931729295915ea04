//! Replay of closed loops: a fixed number of requests in flight, each followed by the next as soon as it is answered.

use super::open::Length;
use benchmarks::replayed::{ClosedLoop, equally_likely};
use document::{Client, Lengths};

/// A closed loop.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    pub(super) in_flight: u32,
    pub(super) requests: u32,
    pub(super) input: Length,
    pub(super) output: Length,
}

impl Closed {
    /// The client that keeps a number of requests in flight.
    pub(super) fn client(&self) -> Client {
        let (prompt_tokens, output_tokens) = (lengths(&self.input), lengths(&self.output));
        ClosedLoop { in_flight: self.in_flight, requests: self.requests, prompt_tokens, output_tokens }
            .client()
    }
}

fn lengths(length: &Length) -> Lengths {
    match *length {
        Length::Fixed(tokens) => Lengths::Constant { tokens: tokens.max(1) },
        Length::Uniform { min, max } => {
            // At most 512 different lengths, evenly spread.
            let step = ((max - min) / 512 + 1) as usize;
            equally_likely((min.max(1)..=max.max(1)).step_by(step))
        }
        Length::Lognormal { median, sigma, min, max, .. } => Lengths::Lognormal {
            median_tokens: median.max(1.0),
            sigma,
            min_tokens: min.max(1.0) as u32,
            max_tokens: max.max(1.0) as u32,
        },
    }
}
