//! Scores the predicted distance from the objectives, as llm-d's latency-scorer. Replicas that are predicted to meet
//! both score by it, all others 0. If none does, only the idle ones score; without idle ones only those of the least
//! severe kind: that miss the TPOT alone, the TTFT alone, or both. Within such a group each distance is mapped to 0 for
//! the smallest and 1 for the largest, ½ if all are equal (and then the other distance alone counts), and their
//! weighted mean x becomes (⌊100 (1 − x)⌋ + 1) / 100, or with `most` (⌊100 x⌋ + 1) / 100 where the objectives are met.

use crate::policy::ReplicaView;
use crate::policy::routing::predictor::Headroom;
use base::math;
use document::{HeadroomChoice, LatencyPrediction};
use serde::{Deserialize, Serialize};

/// The weights of both distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PredictedLatency {
    weights: [f64; 2],
    most: bool,
}

/// Differences up to this many milliseconds are none.
const NO_RANGE: f64 = 1e-9;

impl PredictedLatency {
    pub(super) fn new(s: &LatencyPrediction) -> Self {
        let sum = s.ttft_weight + s.tpot_weight;
        let weights = if sum > 0.0 { [s.ttft_weight / sum, s.tpot_weight / sum] } else { [1.0, 0.0] };
        Self { weights, most: s.headroom == HeadroomChoice::Most }
    }

    /// Scores every candidate; the scores are 0 before.
    pub(super) fn score(&self, headroom: &[Headroom], replicas: &[ReplicaView], out: &mut [f64]) {
        let positions = |of: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..headroom.len()).filter(|&position| of(position)).collect()
        };
        let misses = |position: usize| (headroom[position].ttft_ms < 0.0, headroom[position].tpot_ms < 0.0);
        let groups: [&dyn Fn(usize) -> bool; 5] = [
            &|position| headroom[position].is_positive(),
            &|position| replicas[position].in_flight == 0,
            &|position| misses(position) == (false, true),
            &|position| misses(position) == (true, false),
            &|_| true,
        ];
        let first =
            groups.iter().enumerate().map(|(i, of)| (i, positions(of))).find(|(_, all)| !all.is_empty());
        if let Some((group, all)) = first {
            self.score_group(headroom, &all, self.most && group == 0, out);
        }
    }

    fn score_group(&self, headroom: &[Headroom], all: &[usize], most: bool, out: &mut [f64]) {
        let distance = |position: usize| [headroom[position].ttft_ms.abs(), headroom[position].tpot_ms.abs()];
        let (mut low, mut high) = ([f64::INFINITY; 2], [0.0_f64; 2]);
        for &position in all {
            for (k, x) in distance(position).into_iter().enumerate() {
                low[k] = low[k].min(x);
                high[k] = high[k].max(x);
            }
        }
        let has_range = [0, 1].map(|k| high[k] - low[k] > NO_RANGE);
        let weights = match has_range {
            [false, true] => [0.0, 1.0],
            [true, false] => [1.0, 0.0],
            [false, false] | [true, true] => self.weights,
        };
        for &position in all {
            let mut mean = 0.0;
            for (k, x) in distance(position).into_iter().enumerate() {
                let share = if has_range[k] { (x - low[k]) / (high[k] - low[k]) } else { 0.5 };
                mean += weights[k] * share;
            }
            let share = if most { mean } else { 1.0 - mean };
            out[position] = (math::floor(100.0 * share) + 1.0) / 100.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::ReplicaId;

    fn scores(rows: &[(f64, f64, u32)], s: &LatencyPrediction) -> Vec<f64> {
        let headroom: Vec<_> =
            rows.iter().map(|&(ttft_ms, tpot_ms, _)| Headroom { ttft_ms, tpot_ms }).collect();
        let view = |(i, row): (u32, &(f64, f64, u32))| {
            let mut view = ReplicaView::unseen(ReplicaId(i), 0);
            view.in_flight = row.2;
            view
        };
        let replicas: Vec<_> = (0..).zip(rows).map(view).collect();
        let mut out = vec![0.0; rows.len()];
        PredictedLatency::new(s).score(&headroom, &replicas, &mut out);
        out
    }

    #[test]
    fn the_closest_to_the_objectives_scores_highest_and_those_that_miss_them_0() {
        // TTFT 100, 300, 200: 0, 1, ½; TPOT 8, 8, 4: 1, 1, 0. Means 0.2, 1, 0.4.
        let rows = [(100.0, 8.0, 1), (300.0, 8.0, 1), (-1.0, 9.0, 0), (200.0, 4.0, 1)];
        let near = |found: Vec<f64>, want: [f64; 4]| {
            assert!(found.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}, not {want:?}");
        };
        near(scores(&rows, &LatencyPrediction::default()), [0.81, 0.01, 0.0, 0.61]);
        let most = LatencyPrediction { headroom: HeadroomChoice::Most, ..LatencyPrediction::default() };
        near(scores(&rows, &most), [0.21, 1.01, 0.0, 0.41]);
    }

    #[test]
    fn without_one_that_meets_them_the_idle_score_then_the_least_severe_by_the_smallest_miss() {
        let plain = LatencyPrediction::default();
        assert_eq!(scores(&[(-50.0, -5.0, 0), (-20.0, 1.0, 3), (9.0, -9.0, 2)], &plain), [0.51, 0.0, 0.0]);
        assert_eq!(scores(&[(-50.0, -5.0, 1), (-20.0, 1.0, 3), (9.0, -9.0, 2)], &plain), [0.0, 0.0, 0.51]);
        assert_eq!(scores(&[(-50.0, -5.0, 1), (-20.0, 1.0, 3), (-30.0, 1.0, 3)], &plain), [0.0, 1.01, 0.01]);
        let most = LatencyPrediction { headroom: HeadroomChoice::Most, ..plain };
        // Equal TPOT: the TTFT alone counts, and the smallest miss even under `most`.
        assert_eq!(scores(&[(-50.0, -5.0, 1), (-20.0, -5.0, 3)], &most), [0.01, 1.01]);
    }
}
