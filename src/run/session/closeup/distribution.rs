//! Distributions of requests, and the figures before and after an instant.

use super::selected::latency;
use super::{Around, AroundQuery, Ecdf, EcdfQuery, Measure, SpanFigures};
use crate::observe::Percentiles;
use crate::observe::objectives::Met;
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

/// After less before; `None` where a side has nothing.
fn differences(before: &Percentiles, after: &Percentiles) -> [Option<f64>; 3] {
    let all = |p: &Percentiles| [p.p50_us, p.p90_us, p.p99_us];
    let (before_us, after_us) = (all(before), all(after));
    [0, 1, 2].map(|k| (before.count > 0 && after.count > 0).then(|| after_us[k] - before_us[k]))
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

    /// The figures before and after an instant.
    pub fn around(&self, query: &AroundQuery) -> Around {
        let at = query.at_us.min(self.playhead.0);
        let edits = || self.edits.all().iter().filter(|e| !e.off && e.at_us != query.at_us).map(|e| e.at_us);
        let from = edits().filter(|e| *e < at).max().unwrap_or(0).max(at.saturating_sub(query.most_us));
        let next = edits().filter(|e| *e > at).min().unwrap_or(u64::MAX);
        let to = next.min(at.saturating_add(query.most_us)).min(self.playhead.0);
        let (before, after) = (self.span_figures(from, at), self.span_figures(at, to));
        Around {
            ttft_us: differences(&before.ttft, &after.ttft),
            tpot_us: differences(&before.tpot, &after.tpot),
            e2e_us: differences(&before.e2e, &after.e2e),
            met_points: before.met_percent.zip(after.met_percent).map(|(before, after)| after - before),
            before,
            after,
        }
    }

    /// The figures of requests that arrived from one instant to before another one; the playhead counts.
    fn span_figures(&self, from_us: u64, to_us: u64) -> SpanFigures {
        let mut out = SpanFigures { from_us, to_us, ..SpanFigures::default() };
        let (mut ttft, mut tpot, mut e2e) = (Values::default(), Values::default(), Values::default());
        let (mut met, mut here, mut prompt, mut cached) = (0, 0_u64, 0_u64, 0_u64);
        let last = if to_us == self.playhead.0 { Some(to_us) } else { to_us.checked_sub(1) };
        let all = last.filter(|_| from_us < to_us).map(|last| self.arrived(from_us, last));
        for (id, r) in all.into_iter().flatten() {
            out.arrived += 1;
            out.preemptions += u64::from(r.preemptions);
            ttft.add(self, Measure::Ttft, &r);
            tpot.add(self, Measure::Itl, &r);
            e2e.add(self, Measure::E2e, &r);
            met += u64::from(self.recorder.met(id).is_some_and(Met::all));
            here += u64::from(!r.location().is_gone());
            if r.first_scheduled.is_known() {
                prompt += u64::from(r.prompt_tokens);
                cached += u64::from(r.cached_tokens.min(r.prompt_tokens));
            }
        }
        out.met_percent = percent(met, out.arrived).filter(|_| here == 0);
        out.cached_percent = percent(cached, prompt);
        (out.ttft, out.tpot) = (percentiles(&mut ttft.all), percentiles(&mut tpot.all));
        out.e2e = percentiles(&mut e2e.all);
        (out.ttft_ecdf, out.e2e_ecdf) = (ttft.ecdf(), e2e.ecdf());
        out
    }
}
