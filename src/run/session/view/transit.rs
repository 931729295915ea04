//! Columns of numbers about hand-overs, for charts.

use super::columns::{Columns, OWN_COLUMN, with_time};
use crate::observe::transit::StageGauge;
use crate::session::Session;
use engine::Direction;

impl Session {
    /// TTFT over time; with the TTFT at prefill replicas, where there are any.
    pub(super) fn ttft_over_time(&self, window_s: f64) -> Columns {
        let mut out = self.percentiles_over_time(0, window_s);
        if self.recorder.transit.is_known() {
            let prefill = self.percentiles_over_time(2, window_s);
            for (name, column) in prefill.names.into_iter().zip(prefill.columns) {
                if ["p50_ms", "p99_ms", "count"].contains(&name.as_str()) {
                    out.push(&format!("prefill_{name}"), column);
                }
            }
        }
        out
    }

    /// Requests in some stages at the end of each bucket.
    pub(super) fn stages(&self, stages: &[(StageGauge, &str)]) -> Columns {
        let transit = &self.recorder.transit;
        if !transit.is_known() {
            return Columns::default();
        }
        let mut out = with_time(&self.recorder.timeline, false);
        for &(stage, name) in stages {
            out.push(name, transit.stage(stage).iter().map(|&n| f64::from(n)).collect());
        }
        out
    }

    /// The use of ports in percent, a column for each replica that used its own; for many the smallest, median and largest use.
    pub(super) fn ports(&self, direction: Direction) -> Columns {
        let transit = &self.recorder.transit;
        let used = transit.used_ports(direction);
        if used.is_empty() {
            return Columns::default();
        }
        let percent = |replica: &usize| -> Vec<f64> {
            transit.port(*replica, direction).into_iter().map(|share| 100.0 * share).collect()
        };
        let columns: Vec<Vec<f64>> = used.iter().map(percent).collect();
        // Sums over a bucket, as a rate: at its middle.
        let mut out = with_time(&self.recorder.timeline, true);
        out.columns[0].truncate(self.recorder.timeline.closed());
        if used.len() <= OWN_COLUMN {
            for (replica, column) in used.into_iter().zip(columns) {
                out.push(&format!("r{replica}"), column);
            }
            return out;
        }
        let buckets = columns.iter().map(Vec::len).min().unwrap_or(0);
        let mut ranked: [Vec<f64>; 3] = Default::default();
        for bucket in 0..buckets {
            let mut values: Vec<f64> = columns.iter().map(|column| column[bucket]).collect();
            values.sort_by(f64::total_cmp);
            for (list, at) in ranked.iter_mut().zip([0, values.len() / 2, values.len() - 1]) {
                list.push(values[at]);
            }
        }
        for (name, column) in ["min", "median", "max"].into_iter().zip(ranked) {
            out.push(name, column);
        }
        out
    }
}
