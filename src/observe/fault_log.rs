//! What faults did: each crash with the requests that it broke, when routers knew, and how long goodput took to come back.

use crate::base::{Micros, ReplicaId};
use crate::engine::{BreakReason, Fact, FaultFact, FaultKind, RequestFact};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Seconds before a fault whose goodput is the measure of its recovery.
const BEFORE_S: u64 = 60;

/// Seconds over which goodput must be back.
const OVER_S: usize = 10;

/// Share of the goodput before.
const BACK: f64 = 0.95;

/// A fault and what followed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FaultRow {
    pub(crate) at: Micros,
    /// What it is; `None` for a crash.
    pub(crate) kind: Option<FaultKind>,
    pub(crate) replica: ReplicaId,
    /// When it is over: a crash when the replica is back; [`Micros::MAX`] for never.
    pub(crate) until: Micros,
    /// When the last request was sent there while it was down.
    pub(crate) last_sent: Option<Micros>,
    pub(crate) broken: u32,
    pub(crate) lost: u32,
    /// Requests per second that met their objectives before.
    pub(crate) before_per_s: f64,
}

/// Faults in order, and the goodput around them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FaultLog {
    pub(crate) rows: Vec<FaultRow>,
    /// The row of the attempt that broke last.
    latest: Option<u32>,
    /// Requests that met their objectives, by second: the latest before the first fault, all from then on.
    good: VecDeque<u32>,
    /// The first of these seconds.
    from: u64,
}

impl FaultLog {
    /// A request completed, perhaps in time.
    #[inline]
    pub(crate) fn completed(&mut self, now: Micros, in_time: bool) {
        if in_time {
            self.met(now);
        }
    }

    fn met(&mut self, now: Micros) {
        let second = now.0 / 1_000_000;
        if self.good.is_empty() {
            self.from = second;
        }
        self.reach(second);
        if let Some(last) = self.good.back_mut() {
            *last += 1;
        }
    }

    fn reach(&mut self, second: u64) {
        if self.rows.is_empty() && second >= self.from + self.good.len() as u64 + BEFORE_S {
            self.good.clear();
            self.from = second;
        }
        while self.from + (self.good.len() as u64) <= second {
            self.good.push_back(0);
            if self.rows.is_empty() && self.good.len() as u64 > BEFORE_S + 1 {
                self.good.pop_front();
                self.from += 1;
            }
        }
    }

    /// Requests in time from second `from` up to `to`.
    fn between(&self, from: u64, to: u64) -> u64 {
        let at = |second: u64| (second.saturating_sub(self.from) as usize).min(self.good.len());
        self.good.range(at(from)..at(to)).map(|&n| u64::from(n)).sum()
    }

    /// Something broke.
    pub(crate) fn fact(&mut self, now: Micros, fact: &Fact) {
        match *fact {
            Fact::Fault(fact) => self.fault(now, fact),
            Fact::Request(RequestFact::Routed { replica, .. }) if !self.rows.is_empty() => {
                let down =
                    |row: &&mut FaultRow| row.kind.is_none() && row.replica == replica && now < row.until;
                if let Some(row) = self.rows.iter_mut().rev().find(down) {
                    row.last_sent = Some(now);
                }
            }
            Fact::Request(_) | Fact::Replica(_) | Fact::Cache(_) | Fact::Fleet(_) | Fact::Handover(_) => {}
        }
    }

    fn fault(&mut self, now: Micros, fact: FaultFact) {
        match fact {
            FaultFact::Down { replica, until, .. } => self.begin(now, None, replica, until),
            FaultFact::Began { replica, kind, until } => self.begin(now, Some(kind), replica, until),
            FaultFact::Broken { replica, reason, .. } => {
                // A crash breaks requests of other replicas too, in the same event.
                let lost = matches!(reason, BreakReason::Crash | BreakReason::KvLost);
                let now_down = |row: &&FaultRow| lost && row.kind.is_none() && row.at == now;
                let is_its = |row: &FaultRow| match self.rows.last().filter(now_down) {
                    Some(last) => row == last,
                    None => row.kind.is_none() && Some(row.replica) == replica,
                };
                let has_none = reason == BreakReason::TransferTimeout;
                let its = if has_none { None } else { self.rows.iter().rposition(is_its) };
                self.latest = its.map(|i| i as u32);
                if let Some(row) = self.latest_row() {
                    row.broken += 1;
                }
            }
            FaultFact::Lost { .. } => {
                if let Some(row) = self.latest_row() {
                    row.lost += 1;
                }
            }
            FaultFact::Restarted { .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ended { .. }
            | FaultFact::Retried { .. } => {}
        }
    }

    fn begin(&mut self, now: Micros, kind: Option<FaultKind>, replica: ReplicaId, until: Micros) {
        let second = now.0 / 1_000_000;
        self.reach(second);
        let seconds = second.min(BEFORE_S);
        let met = self.between(second - seconds, second);
        let before_per_s = if seconds > 0 { met as f64 / seconds as f64 } else { 0.0 };
        let (last_sent, broken, lost) = (None, 0, 0);
        self.rows.push(FaultRow { at: now, kind, replica, until, last_sent, broken, lost, before_per_s });
    }

    fn latest_row(&mut self) -> Option<&mut FaultRow> {
        self.rows.get_mut(self.latest? as usize)
    }

    /// How many seconds after a fault a period of ten begins whose goodput is what it was before; 0 if the first one after the
    /// fault is, `None` if there is none up to `now`.
    pub(crate) fn recovery_s(&self, row: &FaultRow, now: Micros) -> Option<u64> {
        let first = row.at.0.div_ceil(1_000_000);
        let last = (now.0 / 1_000_000).checked_sub(OVER_S as u64)?;
        let wanted = BACK * row.before_per_s * OVER_S as f64;
        (first..=last).find(|&s| self.between(s, s + OVER_S as u64) as f64 >= wanted).map(|s| s - first)
    }

    /// How long replicas were down up to `now`, in microseconds.
    pub(crate) fn down_us(&self, [from, to]: [Micros; 2]) -> u64 {
        let down = |row: &FaultRow| row.until.min(to).0.saturating_sub(row.at.max(from).0);
        self.rows.iter().filter(|row| row.kind.is_none()).map(down).sum()
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.rows.len() * size_of::<FaultRow>() + 4 * self.good.len()) as u64
    }
}
