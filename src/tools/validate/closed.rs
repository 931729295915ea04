//! Replay of closed loops: a fixed number of requests in flight, each followed by the next as soon as it is answered.

use super::open::Length;
use document::{
    Arrivals, Client, ContextGrowth, Conversation, ConversationClock, Lengths, RateProfile, Rounds,
    ThinkTime, WeightedLength, Window,
};

/// A closed loop.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    pub(super) in_flight: u32,
    pub(super) requests: u32,
    pub(super) input: Length,
    pub(super) output: Length,
}

/// Gap between the first requests of the users.
const APART_US: f64 = 10.0;

impl Closed {
    /// The client that keeps a number of requests in flight: as many conversations without memory, each with its share
    /// of the requests.
    pub(super) fn client(&self) -> Client {
        let in_flight = self.in_flight.max(1);
        let rounds = self.requests.max(in_flight).div_ceil(in_flight);
        let end_s = APART_US * (f64::from(in_flight) + 0.5) / 1e6;
        Client {
            arrivals: Arrivals::Constant { rate_per_s: 1e6 / APART_US },
            rate_profile: RateProfile::Windows { windows: vec![Window { start_s: 0.0, end_s }] },
            prompt_tokens: lengths(&self.input),
            output_tokens: lengths(&self.output),
            conversation: Some(Conversation {
                rounds: Rounds::Constant { rounds },
                think_time: ThinkTime::Constant { think_s: 0.0 },
                clock: ConversationClock::Closed,
                context_growth: ContextGrowth::None,
                max_context_tokens: 1 << 20,
            }),
            ..Client::default()
        }
    }
}

fn lengths(length: &Length) -> Lengths {
    match *length {
        Length::Fixed(tokens) => Lengths::Constant { tokens: tokens.max(1) },
        Length::Uniform { min, max } => {
            // At most 512 different lengths, evenly spread.
            let step = ((max - min) / 512 + 1) as usize;
            let lengths = (min.max(1)..=max.max(1)).step_by(step);
            let lengths = lengths.map(|tokens| WeightedLength { tokens, weight: 1.0 }).collect();
            Lengths::Empirical { lengths }
        }
        Length::Lognormal { median, sigma, min, max, .. } => Lengths::Lognormal {
            median_tokens: median.max(1.0),
            sigma,
            min_tokens: min.max(1.0) as u32,
            max_tokens: max.max(1.0) as u32,
        },
    }
}
