//! What all replays of measured runs share, of benchmarks and of experiments: a load as a scenario has it, a run to its end, and
//! the figures of its seeds beside a measured one.

use base::rng::Stream;
use base::{Diagnostic, Diagnostics, Micros, dist};
use document::{
    Arrivals, Client, ContextGrowth, Conversation, ConversationClock, ExplicitOutput, ExplicitPiece,
    ExplicitRequest, Lengths, RateProfile, Rounds, Scenario, ThinkTime, WeightedLength, Window, limits,
};
use run::session::{Session, Stop};

/// A fixed number of requests in flight, each followed by the next as soon as it is answered.
pub struct ClosedLoop {
    /// How many are in flight.
    pub in_flight: u32,
    /// How many there are.
    pub requests: u32,
    /// Lengths of prompts.
    pub prompt_tokens: Lengths,
    /// Lengths of answers.
    pub output_tokens: Lengths,
}

/// Gap between the first requests of the users of a closed loop.
const BETWEEN_USERS_US: f64 = 10.0;
/// Longer than any closed loop.
const CLOSED_LOOP_S: f64 = 1_000_000.0;

impl ClosedLoop {
    /// The client that keeps the requests in flight: as many conversations without memory, each with its share of the requests.
    pub fn client(self) -> Client {
        let in_flight = self.in_flight.max(1);
        let rounds = self.requests.max(in_flight).div_ceil(in_flight);
        let end_s = BETWEEN_USERS_US * (f64::from(in_flight) + 0.5) / 1e6;
        Client {
            arrivals: Arrivals::Constant { rate_per_s: 1e6 / BETWEEN_USERS_US },
            rate_profile: RateProfile::Windows { windows: vec![Window { start_s: 0.0, end_s }] },
            prompt_tokens: self.prompt_tokens,
            output_tokens: self.output_tokens,
            conversation: Some(Conversation {
                rounds: Rounds::Constant { rounds },
                think_time: ThinkTime::Constant { think_s: 0.0 },
                clock: ConversationClock::Closed,
                context_growth: ContextGrowth::None,
                max_context_tokens: limits::REQUEST_TOKENS,
            }),
            ..Client::default()
        }
    }
}

/// Gives a scenario the traffic of a closed loop, and the time for it.
pub fn send_closed_loop(scenario: &mut Scenario, client: Client) {
    scenario.run.horizon_s = CLOSED_LOOP_S;
    scenario.workload.clients = vec![client];
}

/// Lengths that are all equally likely.
pub fn equally_likely(lengths: impl Iterator<Item = u32>) -> Lengths {
    Lengths::Empirical { lengths: lengths.map(|tokens| WeightedLength { tokens, weight: 1.0 }).collect() }
}

/// A piece of text from its beginning.
pub fn piece(text: u32, tokens: u32) -> ExplicitPiece {
    ExplicitPiece { text, tokens, offset: 0 }
}

/// Request `number` of a list. `answer` is a text of its own.
pub fn listed_request(
    number: u32,
    arrival_us: u64,
    prompt: Vec<ExplicitPiece>,
    answer: &ExplicitPiece,
) -> ExplicitRequest {
    ExplicitRequest {
        id: format!("{number:06}"),
        arrival_us,
        prompt,
        output: ExplicitOutput { text: answer.text, tokens: answer.tokens, offset: answer.offset },
        tenant: String::new(),
        slo_class: String::new(),
        model: String::new(),
        adapter: String::new(),
        session: String::new(),
        priority: 0,
        max_offload_tokens: None,
        retention: Vec::new(),
    }
}

/// A drawn gap between two arrivals; `cv` is the variation of gaps, 1 for those at random.
pub fn gap(stream: &mut Stream, mean: f64, cv: f64) -> f64 {
    if cv < limits::CV_MIN {
        mean
    } else if (cv - 1.0).abs() < 1e-9 {
        dist::exponential(stream, mean)
    } else {
        dist::gamma(stream, mean, cv)
    }
}

/// Runs a scenario to its end, in at most `most_events` events.
pub fn ended(scenario: Scenario, most_events: u64) -> Result<Session, Diagnostics> {
    let (mut session, _) = Session::start_for_rows(scenario, None)?;
    if session.advance(Micros::MAX, most_events) == Stop::Finished {
        return Ok(session);
    }
    let found = format!("a run that is not over after {most_events} events");
    let fix = "give a shorter run, or a scenario that can carry its load";
    Err(vec![Diagnostic::error("", found, "a run that ends", fix)])
}

/// A figure over several seeds.
#[derive(Clone, Copy, Debug)]
pub struct OverSeeds {
    /// The mean.
    pub mean: f64,
    /// The smallest.
    pub lowest: f64,
    /// The largest.
    pub highest: f64,
}

impl OverSeeds {
    /// Sums up the values of the seeds; `None` if no run has the figure.
    pub fn of(values: &[f64]) -> Option<Self> {
        (!values.is_empty()).then(|| Self {
            mean: values.iter().sum::<f64>() / values.len() as f64,
            lowest: values.iter().copied().fold(f64::INFINITY, f64::min),
            highest: values.iter().copied().fold(0.0, f64::max),
        })
    }
}

/// The relative error of a simulated figure against the nearer of the two bounds of the measured one, which are equal where it is
/// exact: 0 between them, `None` if 0 was measured.
pub fn error(simulated: f64, low: f64, high: f64) -> Option<f64> {
    let nearest = simulated.clamp(low, high);
    let of = if nearest > 0.0 { nearest } else { high };
    (of > 0.0).then(|| (simulated - nearest) / of)
}
