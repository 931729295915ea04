//! Limits on what is admitted in any window of time: requests and prompt tokens, exactly as they came.

use super::{Admission, Circumstances, Verdict, over_time};
use crate::policy::Reason;
use crate::policy::RequestView;
use base::{Micros, Span, math};
use document::{OverLimit, SlidingWindow as Settings};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What was admitted in the latest window, by tenant or in all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlidingWindow {
    window: Span,
    max_requests: u32,
    max_prompt_tokens: u64,
    per_tenant: bool,
    then: OverLimit,
    windows: Vec<AdmittedWindow>,
}

/// Admitted requests in order, and their tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct AdmittedWindow {
    admitted: VecDeque<(Micros, u32)>,
    tokens: u64,
}

impl SlidingWindow {
    pub(super) fn new(s: &Settings) -> Self {
        Self {
            window: math::round_to_span(s.window_s * 1e6),
            max_requests: s.max_requests,
            max_prompt_tokens: s.max_prompt_tokens,
            per_tenant: s.per_tenant,
            then: s.then,
            windows: Vec::new(),
        }
    }

    /// Continues with what `before` admitted, unless one of them counts by tenant and the other does not.
    pub(super) fn resume(&mut self, before: Self) {
        if self.per_tenant == before.per_tenant {
            self.windows = before.windows;
        }
    }

    /// Admits a request if it fits; otherwise returns when it will, `None` if never.
    fn take(&mut self, request: &RequestView<'_>) -> Result<(), Option<Micros>> {
        let (tokens, now) = (u64::from(request.prompt_tokens), request.now);
        let (most, most_tokens) = (self.max_requests as usize, self.max_prompt_tokens);
        if most_tokens > 0 && tokens > most_tokens {
            return Err(None);
        }
        let place = self.queue(request.tenant) as usize;
        if self.windows.len() <= place {
            self.windows.resize(place + 1, AdmittedWindow::default());
        }
        let span = self.window;
        let window = &mut self.windows[place];
        window.forget(now, span);
        let fits =
            |n: usize, sum: u64| (most == 0 || n < most) && (most_tokens == 0 || sum + tokens <= most_tokens);
        let (mut n, mut sum) = (window.admitted.len(), window.tokens);
        if fits(n, sum) {
            window.admitted.push_back((now, request.prompt_tokens));
            window.tokens += tokens;
            return Ok(());
        }
        for &(at, prompt) in &window.admitted {
            (n, sum) = (n - 1, sum - u64::from(prompt));
            if fits(n, sum) {
                return Err(Some(at.saturating_add(span)));
            }
        }
        Err(None)
    }
}

impl AdmittedWindow {
    /// What was admitted a window ago or earlier counts no more.
    fn forget(&mut self, now: Micros, span: Span) {
        while self.admitted.front().is_some_and(|&(at, _)| at.saturating_add(span) <= now) {
            if let Some((_, tokens)) = self.admitted.pop_front() {
                self.tokens -= u64::from(tokens);
            }
        }
    }
}

impl Admission for SlidingWindow {
    fn decide(&mut self, request: &RequestView<'_>, _: Circumstances) -> Verdict {
        let taken = self.take(request);
        over_time(taken, Reason::RateLimit, self.then)
    }

    fn queue(&self, tenant: u32) -> u32 {
        if self.per_tenant { tenant } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::admission::RetryWhen;
    use base::{Content, RequestId};

    #[test]
    fn a_window_that_slides_admits_so_much_and_says_when_more_fits() {
        let s = Settings {
            window_s: 10.0,
            max_requests: 2,
            max_prompt_tokens: 100,
            then: OverLimit::Delay,
            ..Settings::default()
        };
        let mut policy = SlidingWindow::new(&s);
        let text = Content::EMPTY;
        let mut ask = |at_s: u64, tokens: u32| {
            let view = RequestView::new(RequestId(0), Micros(at_s * 1_000_000), &text, tokens);
            policy.decide(&view, Circumstances::default())
        };
        let at = |s: u64| Verdict::Delay(Reason::RateLimit, RetryWhen::At(Micros(s * 1_000_000)));
        assert_eq!(ask(0, 60), Verdict::Admit);
        // 60 + 50 tokens are too many until the first is 10 s old.
        assert_eq!(ask(3, 50), at(10));
        assert_eq!(ask(4, 40), Verdict::Admit);
        // Two requests are the most, and 30 + 40 tokens fit once the first has gone.
        assert_eq!(ask(5, 30), at(10));
        // 90 tokens fit once both have gone.
        assert_eq!(ask(6, 90), at(14));
        assert_eq!(ask(10, 60), Verdict::Admit);
        assert_eq!(ask(11, 101), Verdict::Reject(Reason::RateLimit));
    }
}
