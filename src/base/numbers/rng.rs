//! Random numbers: one ChaCha8 stream for every (purpose, entity), all derived from the run's seed.
//!
//! A stream belongs to one consumer. Adding a replica or switching the router opens or closes only its own streams and
//! leaves all other draws unchanged. This makes two policies comparable on identical traffic.

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The purpose of a stream. The numbers are part of every result: never renumber, only append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Gaps between arrivals of one client.
    Arrivals = 1,
    /// Prompt lengths of one client.
    PromptLengths = 2,
    /// Output lengths of one client.
    OutputLengths = 3,
    /// Which prefix group a request of one client belongs to.
    PrefixGroups = 4,
    /// Draws of the routing policy.
    Routing = 5,
    /// Choices among equal scores.
    Ties = 6,
    /// Sessions of one client: which one a request belongs to.
    Sessions = 7,
    /// Number of rounds of one conversation.
    Rounds = 8,
    /// Tokens that the user adds in a round of one conversation.
    RoundPrompts = 9,
    /// Length of the answer in a round of one conversation.
    RoundOutputs = 10,
    /// Thinking time of the user before a round of one conversation.
    ThinkTimes = 11,
    /// Choices by score.
    Picks = 12,
    /// The order of the prompts that a measured client mixed.
    PromptOrder = 13,
    /// Choices by cost.
    CostPicks = 14,
    /// The parts of a run that make up a resample of it.
    Resamples = 15,
    /// Duration of one start of one replica.
    Starts = 16,
    /// Whether a filter of prefixes keeps all replicas.
    Exploration = 17,
    /// Errors of predictions, and choices by them.
    Predictions = 18,
    /// Which requests of low priority are refused.
    Shedding = 19,
    /// Draws of the routing policy of the prefill stage.
    PrefillRouting = 41,
    /// Which drafts of one request are accepted.
    Acceptance = 24,
    /// Gaps between the starts of recorded sessions.
    SessionStarts = 44,
    /// Whether sub-agents follow an answer of a session.
    Forks = 45,
    /// Which adapter a request of one client names.
    Adapters = 40,
    /// Delays of the rows of a trace.
    TraceJitter = 50,
    /// Periods in which one client sends, and those in which it does not.
    OnOff = 51,
    /// Which replica of a pool a fault is about.
    Faults = 55,
    /// Back-offs before the attempts of one request.
    BackOff = 56,
    /// Times between the crashes of one replica.
    Crashes = 57,
    /// Which rank of a server one request goes to.
    RankHash = 61,
}

/// One random stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of `purpose` for entity number `entity` in a run with `seed`.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, entity: u32) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream((u64::from(purpose as u32) << 32) | u64::from(entity));
        Self(rng)
    }

    /// Part number `part` of such a stream: it starts 65,536 words of 32 bits after the part before it, many more than
    /// are ever drawn for one purpose. A draw can thus be repeated without those before it.
    #[must_use]
    pub fn part(seed: u64, purpose: Purpose, entity: u32, part: u32) -> Self {
        let mut stream = Self::new(seed, purpose, entity);
        stream.0.set_word_pos(u128::from(part) << 16);
        stream
    }

    /// Such a stream from draw number `draw` of [`Stream::unit`] on.
    #[must_use]
    pub fn from_draw(seed: u64, purpose: Purpose, entity: u32, draw: u32) -> Self {
        let mut stream = Self::new(seed, purpose, entity);
        stream.0.set_word_pos(2 * u128::from(draw));
        stream
    }

    /// The generator itself, for the interfaces of `rand`.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.0
    }

    /// A uniform draw from [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A uniform draw from 0..n, unbiased. `n` must not be zero.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "INV-6: a draw from nothing");
        let n = u64::from(n);
        let zone = (1_u64 << 32) / n * n;
        // Each try succeeds with probability above one half.
        loop {
            let x = u64::from(self.0.next_u32());
            if x < zone {
                return (x % n) as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_independent_and_repeatable() {
        let mut a = Stream::new(42, Purpose::Arrivals, 0);
        let mut b = Stream::new(42, Purpose::Arrivals, 1);
        let mut again = Stream::new(42, Purpose::Arrivals, 0);
        let first: Vec<u32> = (0..8).map(|_| a.below(1000)).collect();
        assert_eq!(first, (0..8).map(|_| again.below(1000)).collect::<Vec<_>>());
        assert_ne!(first, (0..8).map(|_| b.below(1000)).collect::<Vec<_>>());
    }

    #[test]
    fn parts_of_a_stream_start_where_they_should() {
        let mut whole = Stream::new(5, Purpose::Rounds, 9);
        let mut zeroth = Stream::part(5, Purpose::Rounds, 9, 0);
        assert_eq!(whole.clone(), zeroth);
        for _ in 0..65_536 / 2 {
            assert_eq!(whole.unit().to_bits(), zeroth.unit().to_bits());
        }
        let mut first = Stream::part(5, Purpose::Rounds, 9, 1);
        assert_eq!(first.unit().to_bits(), whole.unit().to_bits());
    }

    #[test]
    fn a_stream_goes_on_from_any_draw() {
        let mut whole = Stream::new(5, Purpose::Acceptance, 9);
        let draws: Vec<u64> = (0..40).map(|_| whole.unit().to_bits()).collect();
        for (i, draw) in (0..).zip(&draws) {
            assert_eq!(Stream::from_draw(5, Purpose::Acceptance, 9, i).unit().to_bits(), *draw);
        }
    }

    #[test]
    fn unit_draws_stay_in_range_and_below_covers_all() {
        let mut s = Stream::new(7, Purpose::Routing, 3);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&s.unit())));
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[s.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| n > 120), "{seen:?}");
    }
}
