//! Sessions of agents: turns with tools between them, and sub-agents that fork and join.

use crate::table::fields::fields;
use crate::{Rounds, ThinkTime, limits};
use serde::{Deserialize, Serialize};

/// Sessions of an agent. Every arrival of the client begins one. A turn comes after the answer before and the time of the tools; its prompt has all that was said before. After some answers sub-agents go on from the context so far, each with turns of its own, and the next turn waits for all of them and has their last answers in its prompt. A turn without an answer ends the session.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// Turns of a session, those of sub-agents not counted.
    pub turns: Rounds,
    /// Time that tools take between an answer and the next prompt.
    pub tools: ThinkTime,
    /// Probability that sub-agents follow an answer. Never after the last one.
    pub fork: f64,
    /// How many sub-agents a fork has.
    pub sub_agents: u32,
    /// Turns of each sub-agent.
    pub sub_turns: u32,
    /// Most tokens of one request, prefix, prompt and answer together. A session ends before a turn that would be longer; the first one is always sent.
    pub max_context_tokens: u32,
}

fields! {
    struct Agent {
        turns: "Turns" => Conversations;
        tools: "Tools" => Conversations;
        fork: "Fork" in [0.0, 1.0] or "a probability; 0 for no sub-agents" => Conversations;
        sub_agents: "Sub-agents" in [1, limits::SUB_AGENTS] or "sub-agents of a fork" => Conversations;
        sub_turns: "Their turns" in [1, limits::ROUNDS] or "a sub-agent has at least one turn" => Conversations;
        max_context_tokens: "Longest context" of "tokens" in [1, limits::REQUEST_TOKENS]
            or "the context length of the model, for instance" => Conversations;
    }
}

impl Default for Agent {
    fn default() -> Self {
        Self {
            turns: Rounds::Geometric { mean_rounds: 20.0, max_rounds: 100 },
            tools: ThinkTime::Lognormal { median_s: 2.0, sigma: 1.0 },
            fork: 0.0,
            sub_agents: 3,
            sub_turns: 4,
            max_context_tokens: 131_072,
        }
    }
}

impl Agent {
    /// Mean number of requests of a session, at most.
    pub fn mean_requests(&self) -> f64 {
        let turns = self.turns.mean().max(1.0);
        turns + (turns - 1.0) * self.fork * f64::from(self.sub_agents) * f64::from(self.sub_turns)
    }
}
