//! Saturation detectors: how full the replicas are, as one number. 1 is saturated.

use crate::policy::ReplicaView;
use document::{ConcurrencyDetector, ConcurrencyMode, Detector, UtilizationDetector};

/// What a detector sees of one replica.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// The replica as last seen.
    pub view: &'a ReplicaView,
    /// How long ago that was, in microseconds.
    pub age_us: u64,
    /// Requests in flight. Always current.
    pub in_flight: u32,
    /// Uncached prompt tokens of the requests in flight without a first token. Always current.
    pub uncached_tokens: u64,
}

/// The saturation of these replicas; 1 if there are none.
pub fn saturation<'a>(detector: &Detector, replicas: impl Iterator<Item = Load<'a>>) -> f64 {
    match detector {
        Detector::Utilization(s) => mean(replicas.map(|load| utilization(s, &load))),
        Detector::Concurrency(s) => concurrency(s, replicas),
        Detector::Never => 0.0,
    }
}

/// The larger share of its two thresholds that a replica reaches; 1 if what is known of it is too old.
fn utilization(s: &UtilizationDetector, load: &Load<'_>) -> f64 {
    if load.age_us > s.stale_us {
        return 1.0;
    }
    let queue = f64::from(load.view.waiting) / s.queue_threshold;
    queue.max(load.view.kv_use() / s.kv_threshold)
}

fn concurrency<'a>(s: &ConcurrencyDetector, replicas: impl Iterator<Item = Load<'a>>) -> f64 {
    match s.mode {
        ConcurrencyMode::Requests => {
            let (sum, n) = replicas.fold((0_u64, 0_u64), |(sum, n), r| (sum + u64::from(r.in_flight), n + 1));
            share(sum, n * u64::from(s.max_requests))
        }
        ConcurrencyMode::Tokens => {
            let (sum, n) = replicas.fold((0_u64, 0_u64), |(sum, n), r| (sum + r.uncached_tokens, n + 1));
            share(sum, n * s.max_tokens)
        }
        ConcurrencyMode::Hybrid => {
            let requests = |r: &Load<'_>| f64::from(r.in_flight) / f64::from(s.max_requests);
            mean(replicas.map(|r| requests(&r).max(r.uncached_tokens as f64 / s.max_tokens as f64)))
        }
    }
}

/// A part of what there is room for; 1 without any room.
fn share(part: u64, room: u64) -> f64 {
    if room == 0 { 1.0 } else { part as f64 / room as f64 }
}

/// The mean, summed up in order; 1 of nothing.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), x| (sum + x, n + 1));
    if n == 0 { 1.0 } else { sum / f64::from(n) }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the shares are exact")]
mod tests {
    use super::*;
    use base::ReplicaId;

    fn view(waiting: u32, kv_used: u32) -> ReplicaView {
        ReplicaView { waiting, kv_used, kv_total: 1000, ..ReplicaView::unseen(ReplicaId(0), 0) }
    }

    fn of(detector: &Detector, rows: &[(u32, u32, u64, u32, u64)]) -> f64 {
        let views: Vec<ReplicaView> = rows.iter().map(|r| view(r.0, r.1)).collect();
        let loads = rows.iter().zip(&views).map(|(r, view)| Load {
            view,
            age_us: r.2,
            in_flight: r.3,
            uncached_tokens: r.4,
        });
        saturation(detector, loads)
    }

    #[test]
    fn utilization_is_the_mean_of_the_fuller_of_queue_and_cache() {
        let detector = Detector::default();
        // 2 / 5 = 0.4 against 0.2 / 0.8 = 0.25; 0 against 0.6 / 0.8 = 0.75: the mean is 0.575.
        assert_eq!(of(&detector, &[(2, 200, 0, 0, 0), (0, 600, 0, 0, 0)]), f64::midpoint(0.4, 0.6 / 0.8));
        // More than 200 ms old counts as saturated, exactly 200 ms does not.
        assert_eq!(of(&detector, &[(0, 0, 200_001, 0, 0)]), 1.0);
        assert_eq!(of(&detector, &[(0, 0, 200_000, 0, 0)]), 0.0);
        assert_eq!(of(&detector, &[(20, 0, 0, 0, 0)]), 4.0);
        assert_eq!(of(&detector, &[]), 1.0);
    }

    #[test]
    fn concurrency_counts_all_in_flight_over_all_there_is_room_for() {
        let of_mode =
            |mode| Detector::Concurrency(ConcurrencyDetector { mode, max_requests: 10, max_tokens: 1000 });
        let rows = [(0, 0, 0, 10, 100), (0, 0, 0, 2, 900)];
        assert_eq!(of(&of_mode(ConcurrencyMode::Requests), &rows), 12.0 / 20.0);
        assert_eq!(of(&of_mode(ConcurrencyMode::Tokens), &rows), 0.5);
        // The fuller of the two of each: 10 / 10 and 900 / 1000.
        assert_eq!(of(&of_mode(ConcurrencyMode::Hybrid), &rows), 0.95);
        assert_eq!(of(&of_mode(ConcurrencyMode::Requests), &[]), 1.0);
        assert_eq!(of(&Detector::Never, &rows), 0.0);
    }
}
