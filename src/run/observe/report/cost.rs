//! The cost of a run, and its score by the scenario's weights.

use super::measure::MeasurementWindow;
use super::{CostPart, FitnessPart, FitnessTerm, LatencyPart, ThroughputPart, known_share};
use base::stats::Summary;
use document::{FitnessMetric, FitnessWeight};
use engine::{Cluster, Replica};

/// A replica costs from when it is added until it is drained and empty, busy or idle.
pub(super) fn cost(m: &MeasurementWindow<'_>, t: &ThroughputPart) -> CostPart {
    let engine = m.engine();
    let mut c = CostPart { usd_per_hour: usd_per_hour(engine), ..CostPart::default() };
    let mut usd = Some(0.0);
    for (r, read) in engine.replicas().iter().zip(m.readings()) {
        let gpus = f64::from(r.gpus());
        usd = usd.zip(m.usd_of(r)).map(|(usd, more)| usd + more);
        c.gpu_seconds += gpus * read.up_us as f64 / 1e6;
        c.gpu_busy_seconds += gpus * read.busy_us as f64 / 1e6;
    }
    let finished = f64::from(m.finished_requests());
    let (prompt, output) = (m.prompt_tokens() as f64, m.output_tokens() as f64);
    assert!(t.seconds > 0.0 || c.gpu_seconds <= 0.0, "INV-1: GPU time in a measurement window of no length");
    c.usd = usd;
    let by = |amount: f64, whole: f64| usd.and_then(|usd| known_share(usd * amount, whole));
    c.usd_per_request = by(1.0, finished);
    c.usd_per_1k_tokens = by(1e3, prompt + output);
    c.usd_per_million_output_tokens = by(1e6, output);
    c.gpu_busy_seconds_per_request = known_share(c.gpu_busy_seconds, finished);
    c
}

/// The score; `None` without weights.
pub(super) fn fitness(weights: &[FitnessWeight], t: &ThroughputPart, l: &LatencyPart) -> Option<FitnessPart> {
    let term = |w: &FitnessWeight| {
        let (value, norm) = value_and_norm(w.metric, t, l);
        FitnessTerm { metric: w.metric, weight: w.weight, value, norm }
    };
    let parts: Vec<FitnessTerm> = weights.iter().map(term).collect();
    let score = parts.iter().map(|p| p.weight * p.norm).sum();
    (!parts.is_empty()).then_some(FitnessPart { score, parts })
}

fn value_and_norm(metric: FitnessMetric, t: &ThroughputPart, l: &LatencyPart) -> (f64, f64) {
    let rate = |v: f64, half: f64| (v, v / (v + half));
    let latency = |s: &Summary, v: f64| (v, if s.count == 0 { 0.0 } else { 1.0 / (1.0 + v) });
    match metric {
        FitnessMetric::Throughput => rate(t.completed_per_s, 100.0),
        FitnessMetric::TokensPerSec => rate(t.output_tokens_per_s, 10_000.0),
        FitnessMetric::MeanTtft => latency(&l.ttft, l.ttft.mean),
        FitnessMetric::P50Ttft => latency(&l.ttft, l.ttft.p50),
        FitnessMetric::P99Ttft => latency(&l.ttft, l.ttft.p99),
        FitnessMetric::MeanE2e => latency(&l.e2e, l.e2e.mean),
        FitnessMetric::P50E2e => latency(&l.e2e, l.e2e.p50),
        FitnessMetric::P99E2e => latency(&l.e2e, l.e2e.p99),
    }
}

/// Price of all serving replicas in US dollars per hour; `None` if one of them has none.
pub(crate) fn usd_per_hour(engine: &Cluster) -> Option<f64> {
    let serving = engine.replicas().iter().filter(|r| r.serving());
    // An empty sum is a negative zero.
    serving.map(Replica::usd_per_hour).try_fold(0.0, |sum, usd| Some(sum + usd?))
}
