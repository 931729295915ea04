//! Columns of what faults do: the goodput around them, and attempts for each request.

use super::columns::{Columns, with_time};
use crate::observe::recorder::counter;
use crate::observe::report::known_share;
use crate::session::Session;
use base::units::{Micros, US_PER_S};

/// Seconds of which rates are, as in the recovery of a fault.
const OVER_S: u64 = 10;

impl Session {
    /// Rates of arrivals and of goodput, and the goodput that is wanted while that of before a fault is not back.
    pub(super) fn goodput_over_time(&self) -> Columns {
        let t = &self.recorder.timeline;
        let mut out = with_time(t, false);
        let good: Vec<u64> = t
            .counter(counter::COMPLETED)
            .iter()
            .zip(t.counter(counter::MISSED))
            .map(|(all, m)| all - m)
            .collect();
        for (name, counts) in [("arrived_per_s", t.counter(counter::ARRIVED)), ("good_per_s", &good)] {
            out.push(name, self.latest_sums(counts).map(|(n, seconds)| n as f64 / seconds).collect());
        }
        out.push("wanted_per_s", self.wanted_goodput(&out.columns[0]));
        out
    }

    /// Attempts begun for each arrival, and arrivals for each that is no return of a client.
    pub(super) fn attempts_over_time(&self) -> Columns {
        let t = &self.recorder.timeline;
        let mut out = with_time(t, false);
        let sums = |which| self.latest_sums(t.counter(which)).map(|(n, _)| n as f64);
        let arrived = || sums(counter::ARRIVED);
        let share = |(some, of): (f64, f64)| known_share(some, of).unwrap_or(f64::NAN);
        let of_gateway = sums(counter::ATTEMPTS).zip(arrived()).map(share);
        out.push("of_gateway", of_gateway.collect());
        let of_clients = arrived().zip(sums(counter::CAME_AGAIN)).map(|(n, again)| share((n, n - again)));
        out.push("of_clients", of_clients.collect());
        out
    }

    /// Adds, where something broke, how many replicas were degraded and how many were down, at the end of each bucket.
    pub(super) fn push_broken_replicas(&self, out: &mut Columns) {
        if self.recorder.faults.rows.is_empty() {
            return;
        }
        let t = &self.recorder.timeline;
        let ends = (1..=t.closed() as u64).map(|bucket| Micros(bucket * t.width_us()));
        let all: Vec<[u32; 2]> = ends.map(|end| self.broken_replicas(end)).collect();
        for (which, name) in ["degraded", "down"].into_iter().enumerate() {
            out.push(name, all.iter().map(|counts| f64::from(counts[which])).collect());
        }
    }

    /// By closed bucket: the sum over the latest seconds up to its end, and how many seconds those are.
    fn latest_sums<'a>(&'a self, counts: &'a [u64]) -> impl Iterator<Item = (u64, f64)> + 'a {
        let t = &self.recorder.timeline;
        let buckets = (OVER_S * US_PER_S / t.width_us()).max(1) as usize;
        let width = t.width_us() as f64 / US_PER_S as f64;
        let mut sum = 0;
        (0..t.closed()).map(move |i| {
            sum += counts[i];
            if i >= buckets {
                sum -= counts[i - buckets];
            }
            (sum, (i + 1).min(buckets) as f64 * width)
        })
    }

    /// At these instants: the goodput at which the latest fault counts as overcome, while it does not.
    fn wanted_goodput(&self, times: &[f64]) -> Vec<f64> {
        let (log, now) = (&self.recorder.faults, self.playhead);
        let mut out = vec![f64::NAN; times.len()];
        for row in &log.rows {
            let wanted = row.wanted_per_s();
            let from = row.at.0 as f64 / US_PER_S as f64;
            let back = log.recovery_s(row, now);
            let to = back.map_or(f64::INFINITY, |s| (row.at.0.div_ceil(US_PER_S) + s + OVER_S) as f64);
            if wanted <= 0.0 || back == Some(0) {
                continue;
            }
            for (value, _) in out.iter_mut().zip(times).filter(|(_, at)| (from..=to).contains(*at)) {
                *value = wanted;
            }
        }
        out
    }
}
