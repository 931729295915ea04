//! Single requests of a pair of runs as points, for charts that draw each request: its arrival, and a time of it in
//! both runs.

use super::pairing::Pair;
use super::{Metric, Outcomes};
use serde::Serialize;

/// Most points.
const POINTS: usize = 2000;

/// The same requests in both runs, in order of arrival; columns of equal length.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RequestCloud {
    /// Of the requests with the time in both runs, every n-th is a point; 1 if all are.
    pub every: u32,
    /// When the request arrived in A, in seconds.
    pub t_s: Vec<f64>,
    /// Its time in A, in milliseconds.
    pub a_ms: Vec<f64>,
    /// Its time in B.
    pub b_ms: Vec<f64>,
    /// B minus A.
    pub diff_ms: Vec<f64>,
    /// Its number in A.
    pub request_a: Vec<u32>,
    /// Its number in B.
    pub request_b: Vec<u32>,
}

impl RequestCloud {
    /// Evenly many requests of the pairs that have a time in both runs. A choice by size would draw another picture
    /// than the requests have.
    pub(super) fn of(metric: Metric, [a, b]: [&Outcomes; 2], pairs: &[Pair]) -> Self {
        let time = |pair: &Pair| {
            let both = (a.requests[pair.a].time_us(metric)?, b.requests[pair.b].time_us(metric)?);
            Some((*pair, both))
        };
        let known: Vec<_> = pairs.iter().filter_map(time).collect();
        let every = known.len().div_ceil(POINTS).max(1);
        let mut cloud = Self { every: every as u32, ..Self::default() };
        for (pair, (a_us, b_us)) in known.into_iter().step_by(every) {
            cloud.t_s.push(a.requests[pair.a].arrival_us as f64 / 1e6);
            cloud.a_ms.push(a_us as f64 / 1000.0);
            cloud.b_ms.push(b_us as f64 / 1000.0);
            cloud.diff_ms.push((b_us as i64 - a_us as i64) as f64 / 1000.0);
            cloud.request_a.push(pair.a as u32);
            cloud.request_b.push(pair.b as u32);
        }
        cloud
    }
}
