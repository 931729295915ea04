//! What a replica has done lately and has before it: signals that some routers ask for. Every count is kept where it changes.
//!
//! A recent mean is weighted exponentially: each new value counts 1/32, the first one whole. It is kept in whole
//! 32nds, so that it is the same on every machine.

use super::state::Replica;
use crate::policy::{ReplicaView, Signals};
use crate::request::{Book, Slot};
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// How many values a recent mean is about.
const VALUES: u64 = 32;

/// An exponentially weighted mean, times [`VALUES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RecentMean(Option<u64>);

impl RecentMean {
    fn add(&mut self, value: u64) {
        self.0 = Some(self.0.map_or(value * VALUES, |sum| sum - sum / VALUES + value));
    }

    fn get(self) -> Option<u64> {
        self.0.map(|sum| sum / VALUES)
    }
}

/// What a replica has done lately, and has before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recent {
    ttft: RecentMean,
    tpot: RecentMean,
    /// Tokens to prefill of requests that joined the batch, and how many of them were cached.
    prefill: RecentMean,
    cached: RecentMean,
    /// Time between completions while it is busy, and the latest completion since it last was idle.
    gap: RecentMean,
    completed_at: Option<Micros>,
    /// Tokens to prefill of all requests in the wait queue.
    pub(crate) waiting_tokens: u64,
    /// Since when it has had nothing to do; [`Micros::MAX`] while it has.
    pub(crate) idle_since: Micros,
}

impl Recent {
    /// A replica that begins with nothing to do.
    pub(crate) fn new(now: Micros) -> Self {
        Self {
            ttft: RecentMean::default(),
            tpot: RecentMean::default(),
            prefill: RecentMean::default(),
            cached: RecentMean::default(),
            gap: RecentMean::default(),
            completed_at: None,
            waiting_tokens: 0,
            idle_since: now,
        }
    }

    /// A request with `prefill` tokens to compute, `cached` of them in the cache, joins the batch.
    pub(crate) fn joined(&mut self, prefill: u32, cached: u32) {
        self.prefill.add(u64::from(prefill));
        self.cached.add(u64::from(cached));
        self.waiting_tokens -= u64::from(prefill);
    }

    /// A request has its first token.
    pub(crate) fn first_token(&mut self, ttft: Span) {
        self.ttft.add(ttft.0);
    }

    /// A request of `tokens` tokens is done at `now`; `itl_sum` lay between the first and the last.
    pub(crate) fn completed(&mut self, tokens: u32, itl_sum: Span, now: Micros) {
        if let Some(before) = self.completed_at.replace(now) {
            self.gap.add(now.since(before).0);
        }
        if tokens > 1 {
            self.tpot.add(itl_sum.0 / u64::from(tokens - 1));
        }
    }

    /// An event at `now` has left the replica with something to do, or without.
    pub(crate) fn settle(&mut self, now: Micros, busy: bool) {
        if busy {
            self.idle_since = Micros::MAX;
        } else if self.idle_since == Micros::MAX {
            self.idle_since = now;
            self.completed_at = None;
        }
    }
}

impl Replica {
    /// What a view shows of it now; its requests in flight are current in `view`.
    pub(crate) fn view(&self, view: &ReplicaView) -> ReplicaView {
        ReplicaView {
            waiting: self.waiting() + self.incoming() + self.landed(),
            running: self.running(),
            kv_used: self.kv.used(),
            kv_total: self.kv.total(),
            ..*view
        }
    }

    /// Its signals as they are now; its tokens in flight are current in `signals`.
    pub(crate) fn signals(&self, signals: &Signals) -> Signals {
        let r = &self.recent;
        let share =
            |cached: u64, prefill: u64| if prefill > 0 { cached as f64 / prefill as f64 } else { 0.0 };
        Signals {
            tokens_in_flight: signals.tokens_in_flight,
            waiting_tokens: r.waiting_tokens,
            hit_rate: share(r.cached.0.unwrap_or(0), r.prefill.0.unwrap_or(0)),
            ttft_us: r.ttft.get(),
            tpot_us: r.tpot.get(),
            gap_us: r.gap.get(),
            served: self.totals.completed.into(),
            idle_since: r.idle_since,
        }
    }

    /// Prompt tokens sent here that are not computed yet: of waiting prompts without the share that was cached lately, of those in
    /// the batch what is left.
    pub(crate) fn prefill_backlog(&self, book: &Book) -> u64 {
        let recent = &self.recent;
        let (cached, prefill) = (recent.cached.0.unwrap_or(0), recent.prefill.0.unwrap_or(0));
        let waiting = recent.waiting_tokens;
        let cached = if prefill > 0 { (waiting as f64 * cached as f64 / prefill as f64) as u64 } else { 0 };
        let left = |slot: &Slot| {
            let active = &book.active()[*slot];
            u64::from(active.prefill.saturating_sub(active.progress))
        };
        waiting.saturating_sub(cached) + self.prefilling.iter().map(left).sum::<u64>()
    }
}
