//! One client: arrivals, lengths, prefix groups and sessions, each from a stream of its own.

use super::arrivals::ArrivalProcess;
use super::lengths::LengthSampler;
use super::{NOT_LISTED, RequestSpec, family};
use crate::base::content::{once_name, source_name};
use crate::base::rng::{Purpose, Stream};
use crate::base::{Content, Micros, Piece};
use crate::scenario::{Client, PrefixGroups};
use serde::{Deserialize, Serialize};

/// The requests of one client that are still to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ClientSource {
    number: u32,
    tenant: u32,
    class: u32,
    arrivals: ArrivalProcess,
    prompt_tokens: LengthSampler,
    output_tokens: LengthSampler,
    prefix: PrefixGroups,
    /// How many requests were made.
    made: u32,
    prompt_draws: Stream,
    output_draws: Stream,
    prefix_draws: Stream,
    /// How many sessions there are, and how many the clients before this one have.
    sessions: u32,
    other_sessions: u32,
    session_draws: Stream,
}

impl ClientSource {
    /// The requests of client `number` in a run with `seed`; the first arrives after one gap. The clients before it have
    /// `other_sessions` sessions.
    pub(super) fn new(client: &Client, seed: u64, number: u32, tenant: u32, other_sessions: u32) -> Self {
        Self {
            number,
            tenant,
            class: super::class_number(client.slo_class),
            arrivals: ArrivalProcess::new(client, seed, number),
            prompt_tokens: LengthSampler::new(&client.prompt_tokens),
            output_tokens: LengthSampler::new(&client.output_tokens),
            prefix: client.prefix.clone(),
            made: 0,
            prompt_draws: Stream::new(seed, Purpose::PromptLengths, number),
            output_draws: Stream::new(seed, Purpose::OutputLengths, number),
            prefix_draws: Stream::new(seed, Purpose::PrefixGroups, number),
            sessions: client.sessions,
            other_sessions,
            session_draws: Stream::new(seed, Purpose::Sessions, number),
        }
    }

    /// When the next request arrives.
    pub(super) fn next(&self) -> Micros {
        self.arrivals.next()
    }

    /// Makes the next request; `position` is its place in the order of arrival.
    pub(super) fn take(&mut self, position: u32) -> RequestSpec {
        let arrival = self.arrivals.next();
        let own = self.prompt_tokens.draw(&mut self.prompt_draws);
        let output_tokens = self.output_tokens.draw(&mut self.output_draws);
        let index = (u64::from(self.number) << 32) | u64::from(self.made);
        let mut prompt = self.draw_prefix();
        // A prompt has at least one token.
        let own = if prompt.is_empty() { own.max(1) } else { own };
        prompt.push(Piece { source: once_name(family::CLIENT_PROMPT, index), start: 0, len: own });
        self.made += 1;
        self.arrivals.advance();
        RequestSpec {
            arrival,
            client: self.number,
            tenant: self.tenant,
            class: self.class,
            session: self.draw_session(),
            rank: position,
            listed: NOT_LISTED,
            prompt_tokens: prompt.len(),
            prompt,
            output: Piece { source: once_name(family::CLIENT_OUTPUT, index), start: 0, len: output_tokens },
        }
    }

    /// Changes the rate from `now` on. The running gap keeps the share of it that is left.
    pub(super) fn set_rate(&mut self, rate_per_s: f64, now: Micros) {
        self.arrivals.set_rate(rate_per_s, now);
    }

    /// The session of the next request; sessions are numbered from 1 through all clients.
    fn draw_session(&mut self) -> u32 {
        if self.sessions == 0 {
            return 0;
        }
        self.other_sessions + 1 + self.session_draws.below(self.sessions)
    }

    /// The shared part of the next prompt.
    fn draw_prefix(&mut self) -> Content {
        if self.prefix.groups == 0 || self.prefix.tokens == 0 {
            return Content::EMPTY;
        }
        let group = self.prefix_draws.below(self.prefix.groups);
        let index = (u64::from(self.number) << 32) | u64::from(group);
        Content::single(source_name(family::CLIENT_PREFIX, index), 0, self.prefix.tokens)
    }
}
