//! The requests of a filter, and the latencies of a request as the report has them.

use super::{Measure, RequestFilter};
use crate::observe::objectives::Met;
use crate::observe::report::tpot_us;
use crate::session::Session;
use base::{Micros, RequestId};
use engine::Record;

/// Most boxes of a filter that are read.
const MOST_BOXES: usize = 64;

/// A latency of a request, once known. The mean gap between its tokens is known once it has finished.
pub(super) fn latency(of: Measure, r: &Record) -> Option<u64> {
    match of {
        Measure::Ttft => r.ttft.get().map(|ttft| ttft.0),
        Measure::Itl => tpot_us(r),
        Measure::E2e => r.e2e.get().map(|e2e| e2e.0),
    }
}

impl Session {
    /// Requests that arrived between two instants, both included.
    pub(super) fn arrived(&self, from_us: u64, to_us: u64) -> impl Iterator<Item = (RequestId, Record)> + '_ {
        let records = self.engine.records();
        let first_after = |us: u64, after: bool| {
            let (mut low, mut high) = (0, records.len());
            while low < high {
                let middle = low + (high - low) / 2;
                let arrival = records.at(middle).arrival.0;
                let before = if after { arrival <= us } else { arrival < us };
                if before { low = middle + 1 } else { high = middle }
            }
            low
        };
        let (from, to) = (first_after(from_us, false), first_after(to_us, true));
        (from..to.max(from)).map(move |i| (RequestId(i as u32), records.at(i)))
    }

    /// The requests of a filter.
    pub(super) fn filtered<'a>(
        &'a self,
        filter: &'a RequestFilter,
    ) -> impl Iterator<Item = (RequestId, Record)> + 'a {
        let to_us = self.until(filter);
        self.arrived(filter.from_us, to_us).filter(|(id, r)| self.passes(filter, *id, r))
    }

    /// The latest arrival of a filter.
    fn until(&self, filter: &RequestFilter) -> u64 {
        if filter.to_us == 0 { self.playhead.0 } else { filter.to_us }
    }

    /// Whether a request is one of a filter.
    pub(super) fn is_in(&self, filter: &RequestFilter, id: RequestId, r: &Record) -> bool {
        let at = r.arrival.0;
        filter.from_us <= at && at <= self.until(filter) && self.passes(filter, id, r)
    }

    /// Whether it is, but for its arrival.
    fn passes(&self, filter: &RequestFilter, id: RequestId, r: &Record) -> bool {
        let in_box = |b: &super::LatencyBox| {
            (b.from_us..=b.to_us).contains(&r.arrival.0)
                && latency(b.of, r).is_some_and(|us| (b.least_us..=b.most_us).contains(&(us as f64)))
        };
        filter.client.is_none_or(|client| client == r.client)
            && filter.replica.is_none_or(|replica| r.replica().is_some_and(|id| id.0 == replica))
            && filter.state.is_none_or(|state| state == r.state())
            && (!filter.measured || self.recorder.warmup().counts(id, r.arrival))
            && (filter.boxes.is_empty() || filter.boxes.iter().take(MOST_BOXES).any(in_box))
    }

    /// When a request first joined a batch that computes its prompt.
    fn first_step(&self, id: RequestId, r: &Record) -> Option<Micros> {
        let elsewhere = self.engine.handover(id).filter(|h| h.prefill.is_some());
        elsewhere.map_or(r.first_scheduled, |h| h.prefill_first).get()
    }

    /// TTFT so far: the part before its first step, and the rest.
    pub(super) fn ttft_parts(&self, id: RequestId, r: &Record) -> [u64; 2] {
        let end = r.left.get().unwrap_or(self.playhead);
        let so_far = r.ttft.get().map_or_else(|| end.0.saturating_sub(r.arrival.0), |ttft| ttft.0);
        let waited = self.first_step(id, r).map_or(so_far, |at| at.0.saturating_sub(r.arrival.0));
        let waited = waited.min(so_far);
        [waited, so_far - waited]
    }

    /// The objective of a latency for requests of a class; `None` if there is none.
    pub(super) fn objective(&self, of: Measure, class: u32) -> Option<u64> {
        let of_class = self.recorder.targets.of(class);
        let us = match of {
            Measure::Ttft => of_class.ttft_us,
            Measure::Itl => of_class.tpot_us,
            Measure::E2e => of_class.e2e_us,
        };
        (us != u64::MAX).then_some(us)
    }

    /// The objective of the strictest class; 0 if none has one.
    pub(super) fn strictest(&self, of: Measure) -> u64 {
        let classes = self.engine.source().classes().len() as u32;
        (0..classes).filter_map(|class| self.objective(of, class)).min().unwrap_or(0)
    }

    /// Whether the TTFT of a request missed its objective: as judged when it finished, by the objective in force before that.
    pub(super) fn ttft_missed(&self, id: RequestId, r: &Record) -> Option<bool> {
        let ttft = r.ttft.get()?;
        let objective = self.objective(Measure::Ttft, r.class)?;
        let judged = self.recorder.met(id).map(Met::ttft);
        Some(judged.map_or(ttft.0 > objective, |met| !met))
    }
}
