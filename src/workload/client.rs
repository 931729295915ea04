//! One client: arrivals, lengths and prefix groups, each from a stream of its own.
//!
//! Gaps are drawn at unit rate and divided by the rate, so that changing the rate consumes no draw and shifts none.

use super::lengths::LengthSampler;
use super::{NOT_LISTED, RequestSpec, family};
use crate::base::content::{once_name, source_name};
use crate::base::rng::{Purpose, Stream};
use crate::base::units::US_PER_S;
use crate::base::{Content, Micros, Piece, Span, dist, math};
use crate::scenario::{Arrivals, Client, PrefixGroups};
use serde::{Deserialize, Serialize};

/// The shape of the gaps, whatever their rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Gaps {
    Poisson,
    Gamma { cv: f64 },
    Weibull { shape: f64, scale: f64 },
    Constant,
}

/// The requests of one client that are still to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ClientSource {
    number: u32,
    tenant: u32,
    class: u32,
    gaps: Gaps,
    rate_per_s: f64,
    /// When the next request arrives; [`Micros::MAX`] while the rate is 0.
    next: Micros,
    /// What is left of the running gap, in units of the mean gap, while the rate is 0.
    paused_gap: f64,
    prompt_tokens: LengthSampler,
    output_tokens: LengthSampler,
    prefix: PrefixGroups,
    /// How many requests were made.
    made: u32,
    arrival_draws: Stream,
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
        let gaps = match client.arrivals {
            Arrivals::Poisson { .. } => Gaps::Poisson,
            Arrivals::Gamma { cv, .. } => Gaps::Gamma { cv },
            Arrivals::Weibull { cv, .. } => {
                let (shape, scale) = dist::weibull_of(cv);
                Gaps::Weibull { shape, scale }
            }
            Arrivals::Constant { .. } => Gaps::Constant,
        };
        let mut source = Self {
            number,
            tenant,
            class: super::class_number(client.slo_class),
            gaps,
            rate_per_s: client.arrivals.rate_per_s(),
            next: Micros::ZERO,
            paused_gap: 0.0,
            prompt_tokens: LengthSampler::new(&client.prompt_tokens),
            output_tokens: LengthSampler::new(&client.output_tokens),
            prefix: client.prefix.clone(),
            made: 0,
            arrival_draws: Stream::new(seed, Purpose::Arrivals, number),
            prompt_draws: Stream::new(seed, Purpose::PromptLengths, number),
            output_draws: Stream::new(seed, Purpose::OutputLengths, number),
            prefix_draws: Stream::new(seed, Purpose::PrefixGroups, number),
            sessions: client.sessions,
            other_sessions,
            session_draws: Stream::new(seed, Purpose::Sessions, number),
        };
        source.start_gap(Micros::ZERO);
        source
    }

    /// When the next request arrives.
    pub(super) fn next(&self) -> Micros {
        self.next
    }

    /// Makes the next request; `position` is its place in the order of arrival.
    pub(super) fn take(&mut self, position: u32) -> RequestSpec {
        let arrival = self.next;
        let own = self.prompt_tokens.draw(&mut self.prompt_draws);
        let output_tokens = self.output_tokens.draw(&mut self.output_draws);
        let index = (u64::from(self.number) << 32) | u64::from(self.made);
        let mut prompt = self.draw_prefix();
        // A prompt has at least one token.
        let own = if prompt.is_empty() { own.max(1) } else { own };
        prompt.push(Piece { source: once_name(family::CLIENT_PROMPT, index), start: 0, len: own });
        self.made += 1;
        self.start_gap(arrival);
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
        assert!(
            rate_per_s.is_finite() && rate_per_s >= 0.0,
            "INV-3: a rate of {rate_per_s} requests per second"
        );
        if rate_per_s.to_bits() == self.rate_per_s.to_bits() {
            return;
        }
        if self.rate_per_s > 0.0 {
            let left = self.next.0.saturating_sub(now.0);
            self.paused_gap = left as f64 * self.rate_per_s / US_PER_S as f64;
        }
        self.rate_per_s = rate_per_s;
        self.next = match self.span_of(self.paused_gap) {
            Some(left) => now.saturating_add(left),
            None => Micros::MAX,
        };
    }

    /// Draws the gap that starts at `from`. It is rounded to whole microseconds and at least one.
    fn start_gap(&mut self, from: Micros) {
        let gap = match self.gaps {
            Gaps::Poisson => dist::exponential(&mut self.arrival_draws, 1.0),
            Gaps::Gamma { cv } => dist::gamma(&mut self.arrival_draws, 1.0, cv),
            Gaps::Weibull { shape, scale } => dist::weibull(&mut self.arrival_draws, shape, scale),
            Gaps::Constant => 1.0,
        };
        if let Some(span) = self.span_of(gap) {
            self.next = from.saturating_add(Span(span.0.max(1)));
        } else {
            self.next = Micros::MAX;
            self.paused_gap = gap;
        }
    }

    /// How long a gap of `gap` mean gaps is at the present rate, rounded; `None` if nothing arrives at all.
    fn span_of(&self, gap: f64) -> Option<Span> {
        if self.rate_per_s <= 0.0 {
            return None;
        }
        let us = gap / self.rate_per_s * US_PER_S as f64;
        Some(math::round_to_span(us.min(Micros::MAX.0 as f64)))
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
