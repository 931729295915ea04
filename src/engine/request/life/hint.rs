//! The gateway's own directives: on the head of a session's context, for as long as most gaps between turns last, within a budget
//! (llm-d: `kv-cache-hint`).

use crate::kv::Directive;
use base::{Micros, RequestId, Span};
use document::KvHint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The hints of a gateway.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Hint {
    settings: KvHint,
    /// All gaps seen, in order of length: how often each.
    gaps: BTreeMap<u64, u32>,
    seen: u64,
    /// By session: tokens under its hint, and until when that lives.
    live: BTreeMap<u32, (u32, Micros)>,
    /// By request: its directive.
    given: BTreeMap<u32, Directive>,
}

impl Hint {
    pub(super) fn new(settings: &KvHint) -> Self {
        Self {
            settings: settings.clone(),
            gaps: BTreeMap::new(),
            seen: 0,
            live: BTreeMap::new(),
            given: BTreeMap::new(),
        }
    }

    /// Follows other settings from now on.
    pub(super) fn adopt(&mut self, settings: &KvHint) {
        self.settings = settings.clone();
    }

    /// A gap between two turns was seen.
    pub(super) fn saw(&mut self, gap: u64) {
        *self.gaps.entry(gap).or_default() += 1;
        self.seen += 1;
    }

    /// The quantile of the gaps seen so far, nearest rank, within its bounds.
    fn duration(&self) -> Span {
        let rank = ((self.settings.quantile * self.seen as f64).ceil() as u64).max(1);
        let mut passed = 0;
        let reached = self.gaps.iter().find(|(_, n)| {
            passed += u64::from(**n);
            passed >= rank
        });
        let gap = reached.map_or(0, |(gap, _)| *gap);
        let [min, max] =
            [self.settings.min_s, self.settings.max_s].map(|s| base::math::round_to_span(s * 1e6).0);
        Span(gap.max(min).min(max))
    }

    /// A directive for a request of a session that brings none.
    pub(super) fn give(&mut self, request: RequestId, (session, prompt): (u32, u32), now: Micros) {
        let s = &self.settings;
        if self.seen < u64::from(s.least_gaps) || self.given.contains_key(&request.0) {
            return;
        }
        let duration = self.duration();
        self.live.retain(|_, (_, until)| *until >= now);
        let mut size = if s.head_tokens > 0 { prompt.min(s.head_tokens) } else { prompt };
        if s.budget_tokens > 0 {
            let of_others = self.live.iter().filter(|(of, _)| **of != session);
            let others: u64 = of_others.map(|(_, (tokens, _))| u64::from(*tokens)).sum();
            if others + u64::from(size) > s.budget_tokens {
                let Some((before, _)) = self.live.get(&session) else { return };
                size = size.min(*before);
            }
            self.live.insert(session, (size, now.saturating_add(duration)));
        }
        let end = if s.head_tokens > 0 { size } else { u32::MAX };
        let hinted = Directive { start: 0, end, priority: s.priority, duration: Some(duration) };
        self.given.insert(request.0, hinted);
    }

    /// The directive of a request.
    pub(super) fn of(&self, request: RequestId) -> Option<Directive> {
        self.given.get(&request.0).copied()
    }

    /// A request has left.
    pub(super) fn forget(&mut self, request: RequestId) {
        self.given.remove(&request.0);
    }

    /// Tokens under hints that live.
    pub(super) fn live_tokens(&self, now: Micros) -> u64 {
        let live = self.live.values().filter(|(_, until)| *until >= now);
        live.map(|(tokens, _)| u64::from(*tokens)).sum()
    }
}
