//! Figures of hand-overs in both runs, where either has pools with roles.

use super::{Outcomes, TotalComparison};
use run::session::report::RunMetric;
use serde::Serialize;

/// The figures, in the order of the table.
const FIGURES: [RunMetric; HANDOVERS] = [
    RunMetric::RemoteShare,
    RunMetric::TtftPrefill,
    RunMetric::Handover,
    RunMetric::RoomWait,
    RunMetric::Transfer,
    RunMetric::JoinWait,
];

/// Number of figures.
pub(super) const HANDOVERS: usize = 6;

/// Figures of hand-overs, without an interval from one seed. A run without roles has none of them.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HandoverTable {
    /// Share of requests that a prefill replica prefilled, 0 to 1.
    pub remote_share: TotalComparison,
    /// Mean time to first token as the prefill replicas have it.
    pub ttft_prefill_ms: TotalComparison,
    /// Mean time from the end of the prefill to joining the batch of the decode replica.
    pub handover_ms: TotalComparison,
    /// Mean wait for room at the decode replica.
    pub room_wait_ms: TotalComparison,
    /// Mean time of a transfer.
    pub transfer_ms: TotalComparison,
    /// Mean wait to join the batch of the decode replica after it.
    pub join_wait_ms: TotalComparison,
}

/// The figures of two runs with the same seed.
pub(super) fn figures(a: &Outcomes, b: &Outcomes) -> [[Option<f64>; 2]; HANDOVERS] {
    FIGURES.map(|metric| [a, b].map(|run| run.figure(metric)))
}

/// The table of all seeds; none where neither run has roles.
pub(super) fn table(seeds: &[[[Option<f64>; 2]; HANDOVERS]]) -> Option<HandoverTable> {
    seeds.iter().flatten().flatten().any(Option::is_some).then(|| {
        let of = |i: usize| {
            let pairs: Vec<[Option<f64>; 2]> = seeds.iter().map(|seed| seed[i]).collect();
            TotalComparison::of(FIGURES[i], &pairs)
        };
        HandoverTable {
            remote_share: of(0),
            ttft_prefill_ms: of(1),
            handover_ms: of(2),
            room_wait_ms: of(3),
            transfer_ms: of(4),
            join_wait_ms: of(5),
        }
    })
}
