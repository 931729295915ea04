//! The conversations of one client: their future rounds, and when these are due.
//!
//! A conversation is one long text. Each round appends the user's text and the answer, so a prompt with all earlier
//! rounds is the text up to there: one piece, however many rounds, with equal blocks wherever it is cached.
//!
//! Every draw depends only on client, conversation and round, not on the order of events. So the rounds of a
//! conversation have the same text whenever they arrive, which in a closed loop depends on the speed of the cluster.

use super::lengths::LengthSampler;
use base::lookup::LookupMap;
use base::queue::Queue;
use base::rng::{Purpose, Stream};
use base::units::US_PER_S;
use base::{Micros, Span, dist, math};
use document::{Client, Conversation, ConversationClock, Rounds, ThinkTime, limits};
use serde::{Deserialize, Serialize};

/// Bits of a session number that hold the number of the conversation; the bits above hold the client, and the highest
/// bit marks a conversation.
pub(super) const BITS: u32 = 23;
const IS_CONVERSATION: u32 = 1 << 31;

const _: () = assert!(limits::REQUESTS <= 1 << BITS && limits::CLIENTS <= 1 << (31 - BITS));

/// The session number of a conversation: unlike any other session's, and independent of what other clients do.
pub(super) fn session_of(client: u32, conversation: u32) -> u32 {
    IS_CONVERSATION | (client << BITS) | conversation
}

/// Client and conversation, if the session is one.
pub(super) fn conversation_of(session: u32) -> Option<(u32, u32)> {
    let is = session & IS_CONVERSATION != 0;
    is.then_some(((session & !IS_CONVERSATION) >> BITS, session & ((1 << BITS) - 1)))
}

/// One round of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Round {
    /// Number of the conversation among those of its client.
    pub(super) conversation: u32,
    /// Prefix group of the conversation.
    pub(super) group: u32,
    /// Tokens of the conversation before this round.
    pub(super) before: u32,
    /// Tokens that the user adds.
    pub(super) own: u32,
    /// Tokens of the answer.
    pub(super) output: u32,
    /// Number of the round, from 0, and how many there are.
    number: u32,
    rounds: u32,
}

/// The conversations of one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Conversations {
    settings: Conversation,
    /// Whether no more conversations begin.
    ends: bool,
    seed: u64,
    client: u32,
    begun: u32,
    prompt_tokens: LengthSampler,
    output_tokens: LengthSampler,
    /// Tokens of the client's prefix, in every prompt.
    prefix_tokens: u32,
    /// Rounds with a known instant.
    due: Queue<(Micros, Round)>,
    /// Closed loop: by conversation, the round that follows the one being served, and the think time before it.
    awaited: LookupMap<u32, (Span, Round)>,
}

impl Conversations {
    /// The conversations of client number `client`, if it has any.
    pub(super) fn new(client: &Client, seed: u64, number: u32) -> Option<Self> {
        let settings = client.conversation.clone()?;
        Some(Self {
            settings,
            ends: false,
            seed,
            client: number,
            begun: 0,
            prompt_tokens: LengthSampler::new(&client.prompt_tokens),
            output_tokens: LengthSampler::new(&client.output_tokens),
            prefix_tokens: if client.prefix.groups == 0 { 0 } else { client.prefix.tokens },
            due: Queue::default(),
            awaited: LookupMap::default(),
        })
    }

    /// New conversations follow the settings of `client`, or no longer begin if it has none. Conversations in
    /// progress continue with the new lengths and think times.
    pub(super) fn adopt(&mut self, client: &Client) {
        self.ends = client.conversation.is_none();
        if let Some(settings) = &client.conversation {
            self.settings = settings.clone();
        }
        self.prompt_tokens = LengthSampler::new(&client.prompt_tokens);
        self.output_tokens = LengthSampler::new(&client.output_tokens);
        self.prefix_tokens = if client.prefix.groups == 0 { 0 } else { client.prefix.tokens };
    }

    /// Whether arrivals still begin conversations.
    pub(super) fn begin_more(&self) -> bool {
        !self.ends
    }

    /// When the next round after a first one is due; [`Micros::MAX`] if none is.
    pub(super) fn next(&self) -> Micros {
        self.due.peek().map_or(Micros::MAX, |(at, _)| *at)
    }

    /// The first round of a new conversation.
    pub(super) fn begin(&mut self, now: Micros, group: u32) -> Round {
        let conversation = self.begun;
        self.begun += 1;
        let rounds = draw_rounds(&self.settings.rounds, &mut self.stream(Purpose::Rounds, conversation, 0));
        let round = self.round(conversation, group, 0, 0, rounds);
        self.follow(&round, now);
        round
    }

    /// When the next round of a conversation is due, if that is known.
    pub(super) fn due_of(&self, conversation: u32) -> Option<Micros> {
        self.due.iter().find(|(_, round)| round.conversation == conversation).map(|(at, _)| *at)
    }

    /// Whether a round of a conversation waits for an answer.
    pub(super) fn waits(&self, conversation: u32) -> bool {
        self.awaited.get(conversation).is_some()
    }

    /// The round that is due, which must exist.
    pub(super) fn take(&mut self) -> Round {
        let (now, round) = self.due.pop().expect("INV-3: a round was due and none came");
        self.follow(&round, now);
        round
    }

    /// A round has ended: the user has the answer at `shown`, or will never have it.
    pub(super) fn ended(&mut self, conversation: u32, shown: Option<Micros>) {
        if let (Some((think, next)), Some(shown)) = (self.awaited.remove(conversation), shown) {
            self.due.push((shown.saturating_add(think), next));
        }
    }

    /// Plans the round after `round`, which arrives at `now`.
    fn follow(&mut self, round: &Round, now: Micros) {
        let number = round.number + 1;
        if number >= round.rounds {
            return;
        }
        let Round { conversation, group, rounds, .. } = *round;
        let before = round.before + round.own + round.output;
        let next = self.round(conversation, group, before, number, rounds);
        let prompt = if self.accumulates() { before + next.own } else { next.own };
        let tokens = u64::from(self.prefix_tokens) + u64::from(prompt) + u64::from(next.output);
        if tokens > u64::from(self.settings.max_context_tokens) {
            return;
        }
        let mut draws = self.stream(Purpose::ThinkTimes, conversation, number);
        let think = draw_think_time(&self.settings.think_time, &mut draws);
        match self.settings.clock {
            ConversationClock::Open => {
                let answered = now.saturating_add(Span(u64::from(round.output)));
                self.due.push((answered.saturating_add(think), next));
            }
            ConversationClock::Closed => {
                self.awaited.insert(conversation, (think, next));
            }
        }
    }

    /// The next rounds of conversations that go on, in order of conversation.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn open(&self) -> Vec<Round> {
        let awaited = self.awaited.sorted().into_iter().map(|(_, (_, round))| round);
        let mut rounds: Vec<Round> = self.due.iter().map(|(_, round)| *round).chain(awaited).collect();
        base::small::sort::sort_by_key(&mut rounds, |round| round.conversation.into());
        rounds
    }

    /// Whether prompts contain earlier rounds.
    pub(super) fn accumulates(&self) -> bool {
        self.settings.context_growth == document::ContextGrowth::Accumulate
    }

    fn stream(&self, purpose: Purpose, conversation: u32, round: u32) -> Stream {
        Stream::part(self.seed, purpose, (self.client << BITS) | conversation, round)
    }

    fn round(&self, conversation: u32, group: u32, before: u32, number: u32, rounds: u32) -> Round {
        let stream = |purpose| self.stream(purpose, conversation, number);
        let own = self.prompt_tokens.draw(&mut stream(Purpose::RoundPrompts)).max(1);
        let output = self.output_tokens.draw(&mut stream(Purpose::RoundOutputs));
        Round { conversation, group, before, own, output, number, rounds }
    }
}

/// How many rounds a conversation has.
pub(super) fn draw_rounds(rounds: &Rounds, draws: &mut Stream) -> u32 {
    match *rounds {
        Rounds::Constant { rounds } => rounds,
        Rounds::Geometric { mean_rounds, max_rounds } => {
            // Inversion: more than k rounds with probability (1 - 1/mean)^k.
            let u = 1.0 - draws.unit();
            let more = math::ln(u) / math::ln(1.0 - 1.0 / mean_rounds);
            (more.min(f64::from(max_rounds)) as u32).saturating_add(1).min(max_rounds)
        }
    }
}

/// A think time of at least a microsecond.
pub(super) fn draw_think_time(time: &ThinkTime, draws: &mut Stream) -> Span {
    let s = match *time {
        ThinkTime::Constant { think_s } => think_s,
        ThinkTime::Exponential { mean_s } => dist::exponential(draws, mean_s),
        ThinkTime::Lognormal { median_s, sigma } => dist::lognormal(draws, median_s, sigma),
    };
    math::round_to_span(s.min(limits::THINK_S) * US_PER_S as f64).max(Span(1))
}
