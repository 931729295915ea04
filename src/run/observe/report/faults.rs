//! The part of a report about what broke: how available the replicas were, what became of attempts, and each crash.

use super::measure::MeasurementWindow;
use super::share;
use crate::observe::fault_log::{FaultLog, FaultRow};
use crate::observe::recorder::Recorder;
use base::{Micros, Period, ReplicaId};
use document::Scenario;
use engine::{AttemptCounts, BreakReason, Cluster, Replica};
use serde::Serialize;

/// What broke, and what became of it.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultPart {
    /// Share of the replicas' time in the measurement window in which they were not down.
    pub availability: f64,
    /// Requests completed, as a share of those that ended: completed, lost, timed out or dropped. Includes the warm-up.
    pub success: f64,
    /// Attempts begun.
    pub attempts: u64,
    /// Attempts for each request that arrived.
    pub retry_amplification: f64,
    /// Attempts that broke, by reason.
    pub broken: Vec<BrokenPart>,
    /// Attempts that broke and were followed by another one.
    pub retried: u64,
    /// Requests lost.
    pub lost: u32,
    /// Of these, requests that had an attempt left and no retry budget.
    pub budget_denied: u64,
    /// Requests whose clients gave up.
    pub timed_out: u32,
    /// How often clients that gave up came again, or are to. Each time is a request that arrived.
    pub client_retries: u32,
    /// How often a client would have come again and the budget of the clients was spent.
    pub client_denied: u32,
    /// Prompt tokens computed by attempts that broke.
    pub wasted_prefill_tokens: u64,
    /// Tokens of answers that were shown and given up.
    pub wasted_decode_tokens: u64,
    /// How often replicas were ejected: by probes that failed, or as outliers.
    pub ejections: u32,
    /// KV blocks of prefill replicas that were held for homes that had crashed, times seconds. Includes the warm-up.
    pub stranded_block_s: f64,
    /// Each fault, in order.
    pub each: Vec<OneFaultPart>,
}

/// Attempts that broke for one reason.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BrokenPart {
    /// The reason.
    pub reason: &'static str,
    /// Attempts that broke.
    pub attempts: u64,
    /// Requests that were lost with them.
    pub lost: u64,
}

/// One fault.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneFaultPart {
    /// `crash`, `restart`, or the name of what lasts for a while.
    pub kind: &'static str,
    /// When, in microseconds.
    pub at_us: u64,
    /// The replica; missing if the fault is about all.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// Its pool; missing if the fault is about all.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// When the replica served or worked again, or will, in microseconds; missing if never.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_us: Option<u64>,
    /// Attempts that broke there: those under way, and those sent before routers knew.
    pub broken: u32,
    /// Requests lost with them.
    pub lost: u32,
    /// From the beginning to the last request that was sent there while the replica was down, stuck or unreachable, in seconds; 0 if
    /// none was.
    pub detection_s: f64,
    /// From a crash until routers knew of it, in seconds; missing if they do not know yet, and for other faults.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_s: Option<f64>,
    /// Prompt tokens computed by the attempts that broke there.
    pub wasted_prefill_tokens: u64,
    /// Tokens of answers that they showed.
    pub wasted_decode_tokens: u64,
    /// KV blocks that the replica had in use or cached when it went down; missing for other faults.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_blocks_lost: Option<u32>,
    /// What the replica cost while it was down, so far, in US dollars; missing for other faults, and without a price.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_while_down: Option<f64>,
    /// Goodput in the minute before, in requests per second.
    pub goodput_before_per_s: f64,
    /// Seconds after the fault from which on goodput over 10 s is at least 95 % of what it was in the minute before; missing
    /// while it is not.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_s: Option<f64>,
}

/// The part; `None` if nothing broke.
pub(super) fn faults(
    scenario: &Scenario,
    m: &MeasurementWindow<'_>,
    recorder: &Recorder,
) -> Option<FaultPart> {
    let engine = m.engine();
    let c: &AttemptCounts = engine.attempt_counts();
    if !engine.is_faulty() {
        return None;
    }
    let (log, end) = (&recorder.faults, engine.end());
    let up: u64 = m.readings().iter().map(|read| read.up_us).sum();
    let down = log.down_us(Period { from: m.from(), to: engine.last_event_at() });
    let totals = || engine.replicas().iter().map(Replica::totals);
    let completed: u32 = totals().map(|t| t.completed).sum();
    let dropped: u32 = totals().map(|t| t.dropped).sum();
    let lost = engine.census().lost;
    let stranded = |r: &Replica| r.stranded_block_us(end.min(engine.last_event_at()));
    let stranded_us = engine.replicas().iter().map(stranded).fold(0, u64::saturating_add);
    let part = |reason: BreakReason| BrokenPart {
        reason: reason.name(),
        attempts: c.broken[reason as usize],
        lost: c.lost[reason as usize],
    };
    let now = end.min(engine.last_event_at());
    Some(FaultPart {
        availability: if up > 0 { 1.0 - down.min(up) as f64 / up as f64 } else { 1.0 },
        success: share(f64::from(completed), f64::from(completed + dropped + lost)),
        attempts: c.attempts,
        retry_amplification: share(c.attempts as f64, f64::from(engine.census().arrived)),
        broken: BreakReason::ALL.into_iter().map(part).filter(|p| p.attempts > 0).collect(),
        retried: c.retried,
        lost,
        budget_denied: c.budget_denied,
        timed_out: totals().map(|t| t.timed_out).sum(),
        client_retries: engine.client_returns(),
        client_denied: engine.client_returns_denied(),
        wasted_prefill_tokens: c.wasted_prefill_tokens,
        wasted_decode_tokens: c.wasted_decode_tokens,
        stranded_block_s: stranded_us as f64 / 1e6,
        ejections: c.ejections,
        each: log.rows.iter().map(|row| one_fault(scenario, engine, log, row, now)).collect(),
    })
}

/// What one fault did up to `now`.
pub(crate) fn one_fault(
    scenario: &Scenario,
    engine: &Cluster,
    log: &FaultLog,
    row: &FaultRow,
    now: Micros,
) -> OneFaultPart {
    let seconds = |at: Micros| at.since(row.at).0 as f64 / 1e6;
    let its_replica = || row.replica.filter(|_| row.kind.is_none()).map(|id| &engine.replicas()[id.index()]);
    let hours_down = row.until.min(now).0.saturating_sub(row.at.0) as f64 / 3.6e9;
    let pool_of = |replica: ReplicaId| {
        let pool = engine.replicas()[replica.index()].pool();
        scenario.cluster.pools[pool as usize].name.clone()
    };
    OneFaultPart {
        kind: row.words(),
        at_us: row.at.0,
        replica: row.replica.map(|replica| replica.0),
        pool: row.replica.map(pool_of),
        back_us: (row.until != Micros::MAX).then_some(row.until.0),
        broken: row.broken,
        lost: row.lost,
        detection_s: row.last_sent.map_or(0.0, seconds),
        known_s: row.known.map(seconds),
        wasted_prefill_tokens: row.wasted_prefill,
        wasted_decode_tokens: row.wasted_decode,
        kv_blocks_lost: its_replica().map(|_| row.kv_blocks),
        usd_while_down: its_replica().and_then(Replica::usd_per_hour).map(|usd| usd * hours_down),
        goodput_before_per_s: row.before_per_s,
        recovery_s: log.recovery_s(row, now).map(|s| s as f64),
    }
}
