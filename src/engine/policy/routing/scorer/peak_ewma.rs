//! Scores the latency observed by the router times the requests in flight: the rule of Finagle's and Linkerd's
//! balancers. For each replica the router keeps a mean of the TTFTs of completed requests; a longer TTFT replaces it
//! at once, a shorter one counts more the longer ago the latest was: w = exp(-t / 10 s), mean = mean w + ttft (1 -
//! w). Without new values the mean decays as exp(-t / 10 s). The load is mean · (in flight + 1); the smallest scores
//! 1, the largest 0. A replica without a measurement counts as the fastest of the others.

use super::{Score, smallest_first_of};
use crate::policy::RequestView;
use crate::policy::routing::{Fleet, Outcome};
use base::{Micros, ReplicaId, Span, math};
use serde::{Deserialize, Serialize};

/// Time constant of the decay, in seconds.
const DECAY_S: f64 = 10.0;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PeakEwma {
    /// By replica number: the mean in microseconds, and the instant of that value.
    means: Vec<Option<(f64, Micros)>>,
}

impl PeakEwma {
    fn mean(&self, replica: ReplicaId, now: Micros) -> Option<f64> {
        let (mean, at) = (*self.means.get(replica.index())?)?;
        Some(mean * fade(now.since(at)))
    }
}

fn fade(span: Span) -> f64 {
    math::exp(-span.as_secs() / DECAY_S)
}

impl Score for PeakEwma {
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        let means = || fleet.replicas.iter().map(|v| self.mean(v.id, request.now));
        let fastest = means().flatten().fold(f64::INFINITY, f64::min);
        let unknown = if fastest.is_finite() { fastest } else { 1.0 };
        for ((score, view), mean) in out.iter_mut().zip(fleet.replicas).zip(means()) {
            *score = mean.unwrap_or(unknown) * (f64::from(view.in_flight) + 1.0);
        }
        smallest_first_of(out);
    }

    fn left(&mut self, gone: &Outcome) {
        let Some(ttft) = gone.ttft else { return };
        let index = gone.replica.index();
        if self.means.len() <= index {
            self.means.resize(index + 1, None);
        }
        let ttft = ttft.0 as f64;
        let mean = match self.means[index] {
            Some((mean, at)) if ttft < mean => {
                let w = fade(gone.now.since(at));
                mean * w + ttft * (1.0 - w)
            }
            _ => ttft,
        };
        self.means[index] = Some((mean, gone.now));
    }
}
