//! The latest finished requests of a pool, for autoscalers that follow latencies and objectives. Kept only where one does.

use crate::policy::scaling::Finished;
use base::math::round_to_span;
use base::{Micros, Span};
use document::{Slo, SloClass};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Most requests that are kept; the oldest go first.
const MOST: usize = 1 << 16;

/// A request that finished.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finish {
    pub(crate) at: Micros,
    pub(crate) class: u32,
    pub(crate) ttft: Span,
    pub(crate) tpot: Span,
    pub(crate) e2e: Span,
}

/// The latest of them, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finishes(VecDeque<Finish>);

impl Finishes {
    /// Adds one, and forgets those that finished longer than `reach` before it.
    pub(super) fn add(&mut self, finish: Finish, reach: Span) {
        self.0.push_back(finish);
        while self.0.len() > MOST || self.0.front().is_some_and(|f| finish.at.0 - f.at.0 > reach.0) {
            self.0.pop_front();
        }
    }

    /// Those that finished in the `window` before `end`.
    pub(super) fn within(&self, end: Micros, window: Span, objectives: &Objectives) -> Vec<Finished> {
        let inside = self.0.iter().filter(|f| f.at <= end && end.0 - f.at.0 < window.0.max(1));
        let ms = |span: Span| span.0 as f64 / 1000.0;
        inside.map(|f| Finished { ms: [ms(f.ttft), ms(f.tpot)], met: objectives.met(f) }).collect()
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        (self.0.len() * size_of::<Finish>()) as u64
    }
}

/// Objectives by number of the class: TTFT, TPOT and E2E; the first is for requests of no class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Objectives(Vec<[Span; 3]>);

impl Objectives {
    pub(crate) fn new(slo: &Slo) -> Self {
        let span = |ms: f64| if ms > 0.0 { round_to_span(ms * 1000.0) } else { Span(u64::MAX) };
        let default = [slo.ttft_ms, slo.tpot_ms, slo.e2e_ms].map(span);
        let of = |class: SloClass| {
            let own = slo.classes.iter().find(|c| c.class == class);
            own.map_or(default, |c| [c.ttft_ms, c.tpot_ms, c.e2e_ms].map(span))
        };
        Self(std::iter::once(default).chain(SloClass::ALL.map(of)).collect())
    }

    fn met(&self, f: &Finish) -> bool {
        let of_class = self.0.get(f.class as usize).unwrap_or(&self.0[0]);
        of_class.iter().zip([f.ttft, f.tpot, f.e2e]).all(|(most, found)| found <= *most)
    }
}
