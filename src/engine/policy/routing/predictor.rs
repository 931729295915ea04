//! Predictions of the latencies that a request would have on each candidate, by the latency model of its pool:
//!
//! ```text
//! N    = tokens ahead + tokens of the prompt without those that the router sent there before, at least one
//! q    = max(most tokens of a step − running, 1)
//! TTFT = W + ⌊N / q⌋ · T(q, running, context) + T(N mod q, running, context)
//! TPOT = T(0, running + 1, context + prompt)
//! ```
//!
//! T(p, r, c) is the duration of a step with p prompt tokens and r requests that decode with c tokens of context in
//! all. W is the wait for a place in the batch: the requests that wait or run, and this one, above the largest batch,
//! times the recent time between completions. Tokens ahead are those, without the cached ones, that the router sent there and that have no first token yet;
//! the context is the KV blocks in use. The signals of a replica (W, tokens ahead, running, context) are looked at again
//! once they have the age that is allowed. Each prediction is multiplied by e to a normal draw, if there is noise.

use super::Fleet;
use crate::perf::{Chunk, StepLoad};
use crate::policy::RequestView;
use base::dist::lognormal;
use base::math::round_to_span;
use base::rng::{Purpose, Stream};
use base::{Micros, ReplicaId, Span};
use document::LatencyPrediction as Settings;
use serde::{Deserialize, Serialize};

/// How far predictions are below the objectives, in milliseconds; negative above them. Without an objective for
/// either, both are minus the predictions; an objective that is missing beside the other counts as met, by 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Headroom {
    pub(super) ttft_ms: f64,
    pub(super) tpot_ms: f64,
}

impl Headroom {
    fn new(targets: [f64; 2], ttft_ms: f64, tpot_ms: f64) -> Self {
        let none = targets.iter().all(|target| *target <= 0.0);
        let below = |target: f64, ms: f64| if target > 0.0 || none { target - ms } else { 0.0 };
        Self { ttft_ms: below(targets[0], ttft_ms), tpot_ms: below(targets[1], tpot_ms) }
    }

    /// Whether both objectives are predicted to be met.
    pub(super) fn is_positive(self) -> bool {
        self.ttft_ms >= 0.0 && self.tpot_ms >= 0.0
    }
}

/// What the predictor sees of a replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Seen {
    /// When it looked; `None` before it did.
    at: Option<Micros>,
    ahead: u64,
    running: u32,
    context: u64,
    wait_ms: f64,
}

/// The predictor with its signals and draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Predictor {
    noise: f64,
    staleness: Span,
    /// By replica number.
    seen: Vec<Seen>,
    draws: Stream,
}

impl Predictor {
    pub(super) fn new(s: &Settings, seed: u64) -> Self {
        let staleness = round_to_span(s.staleness_ms * 1000.0);
        Self {
            noise: s.noise,
            staleness,
            seen: Vec::new(),
            draws: Stream::new(seed, Purpose::Predictions, 0),
        }
    }

    /// Continues with the signals and draws of `before`.
    pub(super) fn resume(&mut self, before: Self) {
        self.seen = before.seen;
        self.draws = before.draws;
    }

    /// Predicts for every candidate. `ahead` counts tokens on a replica, `matched` is what each was sent of the prompt.
    pub(super) fn predict(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        ahead: &dyn Fn(ReplicaId) -> u64,
        matched: &[u32],
        out: &mut Vec<Headroom>,
    ) {
        out.clear();
        for (position, view) in fleet.replicas.iter().enumerate() {
            let pool = fleet.pool_of(position);
            let index = view.id.index();
            if self.seen.len() <= index {
                self.seen.resize(index + 1, Seen::default());
            }
            if self.seen[index].at.is_none_or(|at| request.now.since(at) >= self.staleness) {
                self.seen[index] = Seen {
                    at: Some(request.now),
                    ahead: ahead(view.id),
                    running: view.running,
                    context: u64::from(view.kv_used) * u64::from(pool.block_tokens),
                    wait_ms: pool.wait_us(view, &fleet.signals[index]) / 1000.0,
                };
            }
            let own = request.prompt_tokens - matched.get(position).copied().unwrap_or_default();
            let step = |load: &StepLoad<'_>| (fleet.step)(view.id, load).0 as f64 / 1000.0;
            let [ttft, tpot] =
                predicted(self.seen[index], request.prompt_tokens, own, pool.step_tokens, &step);
            let [ttft, tpot] = [self.noisy(ttft), self.noisy(tpot)];
            out.push(Headroom::new(request.targets, ttft, tpot));
        }
    }

    fn noisy(&mut self, ms: f64) -> f64 {
        if self.noise > 0.0 { lognormal(&mut self.draws, ms, self.noise) } else { ms }
    }
}

/// TTFT and TPOT of a prompt, `own` tokens of which must be computed, in milliseconds as `step` is.
fn predicted(
    seen: Seen,
    prompt: u32,
    own: u32,
    step_tokens: u32,
    step: &dyn Fn(&StepLoad<'_>) -> f64,
) -> [f64; 2] {
    let Seen { ahead, running, context, wait_ms, .. } = seen;
    let tokens = ahead + u64::from(own.max(1));
    let most = step_tokens.saturating_sub(running).max(1);
    let with = |tokens: u32| {
        let prefill = [Chunk { context: 0, cached: 0, tokens }];
        step(&StepLoad { prefill: &prefill, decode: running, decode_context: context, drafts: 0, padding: 0 })
    };
    let (full, rest) = (tokens / u64::from(most), (tokens % u64::from(most)) as u32);
    let mut ttft = wait_ms;
    if full > 0 {
        ttft += full as f64 * with(most);
    }
    if rest > 0 {
        ttft += with(rest);
    }
    let decode_context = context + u64::from(prompt);
    [ttft, step(&StepLoad { prefill: &[], decode: running + 1, decode_context, drafts: 0, padding: 0 })]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_sums_of_steps() {
        // A step takes 1 ms, 0.01 ms a prompt token, 0.1 ms a decoding request and 0.001 ms a token of context.
        let step = |load: &StepLoad<'_>| {
            let prompt: u32 = load.prefill.iter().map(|c| c.tokens).sum();
            1.0 + 0.01 * f64::from(prompt) + 0.1 * f64::from(load.decode) + 0.001 * load.decode_context as f64
        };
        let seen = Seen { at: None, ahead: 900, running: 4, context: 500, wait_ms: 7.0 };
        // A wait of 7 ms, then 900 + 140 tokens in steps of 104 − 4: ten of 1 + 1 + 0.4 + 0.5 ms, one of 1 + 0.4 + 0.4 + 0.5; a token then
        // takes 1 + 0.5 + 0.5 + 0.2 ms.
        let [ttft, tpot] = predicted(seen, 200, 140, 104, &step);
        assert!((ttft - (7.0 + 29.0 + 2.3)).abs() < 1e-9 && (tpot - 2.2).abs() < 1e-9, "{ttft} {tpot}");
        // A prompt that is cached whole computes one token.
        let [ttft, _] = predicted(Seen::default(), 200, 0, 104, &step);
        assert!((ttft - 1.01).abs() < 1e-9);
        // With a batch as large as a step, one prompt token a step is left.
        let [ttft, _] = predicted(Seen { running: 104, ..Seen::default() }, 3, 3, 104, &step);
        assert!((ttft - 3.0 * (1.01 + 10.4)).abs() < 1e-9);
    }

    #[test]
    fn headroom_is_objective_minus_prediction() {
        let of = |targets| Headroom::new(targets, 30.0, 4.0);
        assert_eq!(of([100.0, 3.0]), Headroom { ttft_ms: 70.0, tpot_ms: -1.0 });
        assert_eq!(of([0.0, 5.0]), Headroom { ttft_ms: 0.0, tpot_ms: 1.0 });
        assert_eq!(of([0.0, 0.0]), Headroom { ttft_ms: -30.0, tpot_ms: -4.0 });
        assert!(of([30.0, 4.0]).is_positive() && !of([29.0, 5.0]).is_positive());
    }
}
