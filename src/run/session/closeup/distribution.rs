//! Distributions of requests.

use super::selected::latency;
use super::{Ecdf, EcdfQuery, Measure};
use crate::observe::Percentiles;
use crate::session::Session;
use base::stats::percentiles_of;
use engine::Record;

/// Most points of a distribution.
const POINTS: u64 = 400;

/// The percentiles of latencies, whose order changes.
pub(super) fn percentiles(values: &mut [u64]) -> Percentiles {
    percentiles_of(values).map_or_else(Percentiles::default, |(count, [p50_us, p90_us, p99_us])| {
        Percentiles { count, p50_us, p90_us, p99_us }
    })
}

/// A share in percent; `None` of nothing.
pub(super) fn percent(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| 100.0 * part as f64 / all as f64)
}

/// Latencies, and how many of those with an objective are within it.
#[derive(Default)]
struct Values {
    all: Vec<u64>,
    judged: u64,
    within: u64,
}

impl Values {
    fn add(&mut self, session: &Session, of: Measure, r: &Record) {
        let Some(us) = latency(of, r) else { return };
        self.all.push(us);
        if let Some(objective) = session.objective(of, r.class) {
            self.judged += 1;
            self.within += u64::from(us <= objective);
        }
    }

    fn ecdf(mut self) -> Ecdf {
        self.all.sort_unstable();
        let count = self.all.len() as u64;
        let mut out = Ecdf { count, within: percent(self.within, self.judged), ..Ecdf::default() };
        let mut due = 0;
        for (i, &us) in self.all.iter().enumerate() {
            let last = self.all.get(i + 1).is_none_or(|next| *next > us);
            let passed = i as u64 + 1;
            if last && (passed * POINTS >= due * count || passed == count) {
                out.ms.push(us as f64 / 1000.0);
                out.percent.push(100.0 * passed as f64 / count as f64);
                due = passed * POINTS / count + 1;
            }
        }
        if let Some((_, all)) = percentiles_of(&mut self.all) {
            out.percentiles_ms = all.map(|us| Some(us / 1000.0));
        }
        out
    }
}

impl Session {
    /// The distribution of a latency over the requests of a filter.
    pub fn ecdf(&self, query: &EcdfQuery) -> Ecdf {
        let mut values = Values::default();
        for (_, r) in self.filtered(&query.filter) {
            values.add(self, query.of, &r);
        }
        values.ecdf()
    }
}
