//! Conversations of several rounds: their number, the gaps between them, and the part of earlier rounds that a prompt
//! contains.

use crate::limits;
use crate::table::fields::fields;
use base::math;
use serde::{Deserialize, Serialize};

/// Conversations of several rounds. Every arrival of the client begins one; each is a session of its own.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// How many rounds of prompt and answer a conversation has.
    pub rounds: Rounds,
    /// Time until the user sends the next prompt.
    pub think_time: ThinkTime,
    /// When the think time begins.
    pub clock: ConversationClock,
    /// How much of the earlier rounds a prompt contains.
    pub context_growth: ContextGrowth,
    /// Most tokens of one request, prefix, prompt and answer together. A conversation ends before a round that would be longer; the first round is always sent.
    pub max_context_tokens: u32,
}

fields! {
    struct Conversation {
        rounds: "Rounds" => Conversations;
        think_time: "Think time" => Conversations;
        clock: "Clock" => Conversations;
        context_growth: "Context growth" => Conversations;
        max_context_tokens: "Longest context" of "tokens" in [1, limits::REQUEST_TOKENS]
            or "the context length of the model, for instance" => Conversations;
    }
}

impl Default for Conversation {
    fn default() -> Self {
        Self {
            rounds: Rounds::Geometric { mean_rounds: 5.0, max_rounds: 50 },
            think_time: ThinkTime::Exponential { mean_s: 10.0 },
            clock: ConversationClock::Open,
            context_growth: ContextGrowth::Accumulate,
            max_context_tokens: 131_072,
        }
    }
}

/// How many rounds a conversation has.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounds {
    /// Always the same number.
    Constant {
        /// How many.
        rounds: u32,
    },
    /// After each round the user goes on with the same probability.
    Geometric {
        /// Mean number of rounds before cutting.
        mean_rounds: f64,
        /// Most rounds.
        max_rounds: u32,
    },
}

fields! {
    enum Rounds [] {
        Constant "constant" {
            rounds: "Rounds" in [1, limits::ROUNDS]
                or "a conversation has at least one round" first 6 => Conversations;
        }
        Geometric "geometric" {
            mean_rounds: "Mean rounds" in [1.0, f64::from(limits::ROUNDS)]
                or "a conversation has at least one round" first 5.0 => Conversations;
            max_rounds: "Max rounds" in [1, limits::ROUNDS]
                or "a conversation has at least one round" first 50 => Conversations;
        }
    }
}

impl Rounds {
    /// Mean number of rounds, after cutting.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Constant { rounds } => f64::from(rounds),
            Self::Geometric { mean_rounds, max_rounds } => {
                // Round k takes place with probability q^(k - 1), k up to the most.
                let q = 1.0 - 1.0 / mean_rounds;
                mean_rounds * (1.0 - math::pow(q, f64::from(max_rounds)))
            }
        }
    }
}

/// Time until the user sends the next prompt, from a microsecond to a day.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkTime {
    /// Always the same.
    Constant {
        /// Seconds.
        think_s: f64,
    },
    /// Exponential.
    Exponential {
        /// Mean, in seconds.
        mean_s: f64,
    },
    /// Lognormal: mostly short, sometimes very long.
    Lognormal {
        /// Median, in seconds.
        median_s: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
}

fields! {
    enum ThinkTime [] {
        Constant "constant" {
            think_s: "Think" of "s" in [0.0, limits::THINK_S] or "it is in seconds" first 10.0 => Conversations;
        }
        Exponential "exponential" {
            mean_s: "Mean" of "s" in [0.0, limits::THINK_S] or "it is in seconds" first 10.0 => Conversations;
        }
        Lognormal "lognormal" {
            median_s: "Median" of "s" in [0.0, limits::THINK_S] or "it is in seconds" first 10.0 => Conversations;
            sigma: "Spread (sigma)" in [0.0, limits::SIGMA]
                or "0 is constant, 1 is a heavy tail" first 0.7 => Conversations;
        }
    }
}

/// When the think time of a conversation begins.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConversationClock {
    /// One microsecond per token of the answer after the round arrived, whatever the cluster does. Requests arrive at the same instants under every policy.
    #[default]
    Open,
    /// When the user has the whole answer. A slow cluster gets the next round later, so arrivals differ between policies, but texts do not. A refused or dropped round ends the conversation.
    Closed,
}

fields! {
    names ConversationClock { Open "open" Closed "closed" }
}

/// How much of the earlier rounds a prompt contains.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextGrowth {
    /// All earlier prompts and answers, then the new text. With the conversation in its prefix cache, a replica computes only the new text.
    #[default]
    Accumulate,
    /// Only the new text.
    None,
}

fields! {
    names ContextGrowth { Accumulate "accumulate" None "none" }
}
