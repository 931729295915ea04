//! What faults did: each crash with the requests that it broke, when routers knew, and how long goodput took to come back.

use base::{Micros, Period, ReplicaId};
use engine::{BreakReason, Fact, FaultFact, FaultKind, RequestFact};
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
    /// What it is; `None` for a crash or a planned restart.
    pub(crate) kind: Option<FaultKind>,
    /// Whether it was planned.
    pub(crate) planned: bool,
    /// Its replica; none if it is about all.
    pub(crate) replica: Option<ReplicaId>,
    /// When it is over: a crash when the replica is back; [`Micros::MAX`] for never.
    pub(crate) until: Micros,
    /// When routers learned of it; a crash only.
    pub(crate) known: Option<Micros>,
    /// When the last request was sent there while it was down, stuck or unreachable.
    pub(crate) last_sent: Option<Micros>,
    pub(crate) broken: u32,
    /// Requests of these whose attempts broke in the very event; of a crash.
    pub(crate) inside: u32,
    pub(crate) lost: u32,
    /// Prompt tokens that its broken attempts computed.
    pub(crate) wasted_prefill: u64,
    /// Tokens of answers that they showed.
    pub(crate) wasted_decode: u64,
    /// KV blocks that it had in use or cached; of a crash.
    pub(crate) kv_blocks: u32,
    /// Requests per second that met their objectives before.
    pub(crate) before_per_s: f64,
}

impl FaultRow {
    /// What it is, in words.
    pub(crate) fn words(&self) -> &'static str {
        self.kind.map_or(if self.planned { "restart" } else { "crash" }, FaultKind::name)
    }

    /// The goodput at which it counts as overcome.
    pub(crate) fn wanted_per_s(&self) -> f64 {
        BACK * self.before_per_s
    }

    /// Whether what is sent there meanwhile breaks or stays.
    fn breaks_what_comes(&self) -> bool {
        self.kind.is_none_or(|kind| kind.words().breaks_what_comes)
    }
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
    #[inline]
    pub(crate) fn fact(&mut self, now: Micros, fact: &Fact) {
        match *fact {
            Fact::Fault(fact) => self.fault(now, fact),
            Fact::Request(RequestFact::Routed { replica, .. }) if !self.rows.is_empty() => {
                let gone = |row: &&mut FaultRow| {
                    row.breaks_what_comes() && row.replica == Some(replica) && now < row.until
                };
                if let Some(row) = self.rows.iter_mut().rev().find(gone) {
                    row.last_sent = Some(now);
                }
            }
            Fact::Request(_) | Fact::Replica(_) | Fact::Cache(_) | Fact::Fleet(_) | Fact::Handover(_) => {}
        }
    }

    #[cold]
    fn fault(&mut self, now: Micros, fact: FaultFact) {
        match fact {
            FaultFact::Down { replica, until, planned, blocks, .. } => {
                self.begin(now, (None, planned), Some(replica), until);
                if let Some(row) = self.rows.last_mut() {
                    row.kv_blocks = blocks;
                }
            }
            FaultFact::Began { replica, kind, until } => {
                self.begin(now, (Some(kind), false), replica, until);
            }
            FaultFact::Broken { replica, reason, prefilled, generated, .. } => {
                // A crash breaks requests of other replicas too, in the same event.
                let lost = matches!(reason, BreakReason::Crash | BreakReason::KvLost);
                let now_down = |row: &&FaultRow| lost && row.kind.is_none() && row.at == now;
                let unreachable = reason == BreakReason::Unreachable;
                let kind = unreachable.then_some(FaultKind::Unreachable);
                let is_its = |row: &FaultRow| match self.rows.last().filter(now_down) {
                    Some(last) => row == last,
                    None => row.kind == kind && replica.is_some() && row.replica == replica,
                };
                let has_none = reason == BreakReason::TransferTimeout;
                let its = if has_none { None } else { self.rows.iter().rposition(is_its) };
                self.latest = its.map(|i| i as u32);
                if let Some(row) = self.latest_row() {
                    row.broken += 1;
                    row.inside += u32::from(lost && row.at == now);
                    row.wasted_prefill += u64::from(prefilled);
                    row.wasted_decode += u64::from(generated);
                }
            }
            FaultFact::Lost { .. } => {
                if let Some(row) = self.latest_row() {
                    row.lost += 1;
                }
            }
            FaultFact::Noticed { replica, serves: false } => {
                let is_its = |row: &&mut FaultRow| row.kind.is_none() && row.replica == Some(replica);
                if let Some(row) = self.rows.iter_mut().rev().find(is_its) {
                    row.known = row.known.or(Some(now));
                }
            }
            FaultFact::Restarted { .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ejected { .. }
            | FaultFact::Readmitted { .. }
            | FaultFact::Ended { .. }
            | FaultFact::CameAgain { .. }
            | FaultFact::Retried { .. } => {}
        }
    }

    fn begin(
        &mut self,
        now: Micros,
        (kind, planned): (Option<FaultKind>, bool),
        replica: Option<ReplicaId>,
        until: Micros,
    ) {
        let second = now.0 / 1_000_000;
        self.reach(second);
        let seconds = second.min(BEFORE_S);
        let met = self.between(second - seconds, second);
        let before_per_s = if seconds > 0 { met as f64 / seconds as f64 } else { 0.0 };
        self.rows.push(FaultRow {
            at: now,
            kind,
            planned,
            replica,
            until,
            known: planned.then_some(now),
            last_sent: None,
            broken: 0,
            inside: 0,
            lost: 0,
            wasted_prefill: 0,
            wasted_decode: 0,
            kv_blocks: 0,
            before_per_s,
        });
    }

    fn latest_row(&mut self) -> Option<&mut FaultRow> {
        self.rows.get_mut(self.latest? as usize)
    }

    /// How many seconds after a fault a period of ten begins whose goodput is what it was before; 0 if the first one after the
    /// fault is, `None` if there is none up to `now`.
    pub(crate) fn recovery_s(&self, row: &FaultRow, now: Micros) -> Option<u64> {
        let first = row.at.0.div_ceil(1_000_000);
        let last = (now.0 / 1_000_000).checked_sub(OVER_S as u64)?;
        let wanted = row.wanted_per_s() * OVER_S as f64;
        let mut met = self.between(first, first + OVER_S as u64);
        for s in first..=last {
            if met as f64 >= wanted {
                return Some(s - first);
            }
            let next = s + OVER_S as u64;
            met = met + self.between(next, next + 1) - self.between(s, s + 1);
        }
        None
    }

    /// Whether the goodput of the last whole seconds up to `now` is what it was before a fault.
    pub(crate) fn is_back(&self, row: &FaultRow, now: Micros) -> bool {
        let to = now.0 / 1_000_000;
        let from = to.saturating_sub(OVER_S as u64);
        self.between(from, to) as f64 >= row.wanted_per_s() * OVER_S as f64
    }

    /// How long replicas were down in a period, all together, in microseconds.
    pub(crate) fn down_us(&self, Period { from, to }: Period) -> u64 {
        let down = |row: &FaultRow| row.until.min(to).0.saturating_sub(row.at.max(from).0);
        self.rows.iter().filter(|row| row.kind.is_none()).map(down).sum()
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.rows.len() * size_of::<FaultRow>() + 4 * self.good.len()) as u64
    }
}
