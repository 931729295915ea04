//! What flowed over the ports of one replica, in one direction, in the measurement window.

use crate::observe::trips::Trip;
use base::multiply::area;
use base::{Micros, Period};
use serde::{Deserialize, Serialize};

/// The transfers over a port now, and the sums up to the latest change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PortMeter {
    flows: u32,
    since: Micros,
    sums: PortReading,
}

/// The ports of one replica in one direction over the measurement window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PortReading {
    /// Transfers, times microseconds.
    pub(crate) flow_area: u128,
    /// How long at least one transfer flowed.
    pub(crate) busy_us: u64,
    /// Transfers that landed.
    pub(crate) landed: u32,
    /// Their bytes, with those that left during the prefill.
    pub(crate) bytes: u64,
    /// Bytes that flowed, of transfers that landed. Of one that began before the window, the part that its time in it is of all
    /// its time.
    pub(crate) flowed: u64,
}

impl PortMeter {
    /// Drops everything before `from`.
    pub(super) fn restart(&mut self, from: Micros) {
        self.since = from;
        self.sums = PortReading::default();
    }

    /// The sums up to `now`.
    pub(super) fn read(&self, now: Micros) -> PortReading {
        let us = now.0.saturating_sub(self.since.0);
        PortReading {
            flow_area: self.sums.flow_area + area(self.flows, us),
            busy_us: self.sums.busy_us + if self.flows > 0 { us } else { 0 },
            ..self.sums
        }
    }

    /// A transfer begins to flow.
    pub(super) fn begins(&mut self, now: Micros) {
        self.sums = self.read(now);
        self.since = now;
        self.flows += 1;
    }

    /// A transfer no longer flows.
    pub(super) fn ends(&mut self, now: Micros) {
        self.sums = self.read(now);
        self.since = now;
        self.flows = self.flows.saturating_sub(1);
    }

    /// The transfer of a request has landed; the window began at `from`.
    pub(super) fn lands(&mut self, trip: &Trip, from: Micros, now: Micros) {
        let [bytes, early] = trip.bytes;
        self.sums.landed += 1;
        self.sums.bytes += bytes;
        let began = trip.flows_since.unwrap_or(now);
        self.sums.flowed += within(bytes - early, Period { from: began, to: now }, from);
    }
}

/// The part of an amount that flowed evenly over a period, from `from` on.
pub(crate) fn within(amount: u64, period: Period, from: Micros) -> u64 {
    let all = period.to.0.saturating_sub(period.from.0);
    if period.from >= from || all == 0 {
        return amount;
    }
    let part = period.to.0.saturating_sub(from.0);
    (u128::from(amount) * u128::from(part) / u128::from(all)) as u64
}
