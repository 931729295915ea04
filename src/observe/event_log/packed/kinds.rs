//! The kinds of lines that the log packs: one fact of each, whose place is the number of the kind.

use super::super::Line;
use crate::base::bits::{BitReader, BitWriter, signed, unsigned};
use crate::base::shared_queue::Entry;
use crate::base::{Micros, ReplicaId, RequestId, Span};
use crate::engine::{
    AdapterSource, BreakReason, CacheFact, DeciderReason, DropReason, EjectedBy, Fact, FaultFact, FaultKind,
    FleetFact, HandoverFact, ReplicaFact, RequestFact,
};
use crate::policy::Reason;
use crate::policy::scaling::Rule;
use std::mem::discriminant;
use std::rc::Rc;

/// One fact of each kind, frequent ones first.
pub(super) const KINDS: [Fact; 57] = {
    let (request, replica, reason) = (RequestId(0), ReplicaId(0), Reason::RejectAll);
    let (ttft, until) = (Span(0), Micros(0));
    let (class, urgency, blocks, tokens, pool, waiting) = (0, 0, 0, 0, 0, 0);
    [
        Fact::Replica(ReplicaFact::StepEnded { replica }),
        Fact::Replica(ReplicaFact::Tokens { replica, itl: ttft, count: 0 }),
        Fact::Replica(ReplicaFact::StepStarted {
            replica,
            span: ttft,
            prefill: 0,
            decode: 0,
            running: 0,
            waiting,
            kv_used: 0,
        }),
        Fact::Request(RequestFact::Prefilled { request, replica, tokens }),
        Fact::Request(RequestFact::Arrived { request, client: 0, class }),
        Fact::Request(RequestFact::Admitted { request }),
        Fact::Request(RequestFact::Routed { request, replica }),
        Fact::Request(RequestFact::Queued { request, replica, class, urgency }),
        Fact::Request(RequestFact::Scheduled { request, replica, class, urgency, prefill: 0, cached: 0 }),
        Fact::Request(RequestFact::FirstToken { request, replica, ttft }),
        Fact::Request(RequestFact::Completed { request, replica, class, ttft, e2e: ttft, tokens }),
        Fact::Request(RequestFact::Rejected { request, reason, replica: None }),
        Fact::Request(RequestFact::Delayed { request, reason }),
        Fact::Request(RequestFact::Enqueued { request, band: 0 }),
        Fact::Request(RequestFact::Dispatched { request, band: 0, waited: ttft }),
        Fact::Request(RequestFact::Expired { request, band: 0, waited: ttft }),
        Fact::Request(RequestFact::Dropped {
            request,
            replica,
            class,
            urgency,
            reason: DropReason::TimedOut,
            waiting,
        }),
        Fact::Request(RequestFact::Preempted { request, replica, class, urgency, times: 0 }),
        Fact::Cache(CacheFact::HeadBlocked { request, behind: request, replica }),
        Fact::Cache(CacheFact::HeadUnblocked { request, replica }),
        Fact::Cache(CacheFact::LoadStarted { request, replica, class, urgency, blocks, until }),
        Fact::Cache(CacheFact::Loaded { request, replica, class, urgency, blocks }),
        Fact::Cache(CacheFact::LoadGivenUp { request, replica, blocks }),
        Fact::Cache(CacheFact::Offloaded { replica, blocks, forgotten: 0 }),
        Fact::Cache(CacheFact::ReloadedEarly { request, replica, blocks }),
        Fact::Cache(CacheFact::AdapterLoaded {
            request,
            replica,
            adapter: 0,
            source: AdapterSource::Cpu,
            evicted: 0,
            took: ttft,
        }),
        Fact::Cache(CacheFact::Livelock { request, replica }),
        Fact::Fleet(FleetFact::Scaled { pool, from: 0, to: 0, rule: Rule::Hold }),
        Fact::Fleet(FleetFact::Starting { replica, pool, until }),
        Fact::Fleet(FleetFact::Cold { replica }),
        Fact::Fleet(FleetFact::Warm { replica }),
        Fact::Fleet(FleetFact::StartGivenUp { replica }),
        Fact::Fleet(FleetFact::Redirected { request, replica, class, urgency, waiting }),
        Fact::Fleet(FleetFact::Serving { replica, pool }),
        Fact::Fleet(FleetFact::Draining { replica }),
        Fact::Handover(HandoverFact::Decided {
            request,
            home: replica,
            prefill: None,
            reason: DeciderReason::Mixed,
            uncached: None,
        }),
        Fact::Handover(HandoverFact::Prefilled { request, replica, home: replica, ttft, blocks }),
        Fact::Handover(HandoverFact::Reserved { request, replica, class, urgency, blocks, cached: 0 }),
        Fact::Handover(HandoverFact::TransferStarted {
            request,
            from: replica,
            to: replica,
            bytes: 0,
            early: 0,
        }),
        Fact::Handover(HandoverFact::Flows { request, from: replica, to: replica }),
        Fact::Handover(HandoverFact::Landed { request, from: replica, to: replica, bytes: 0 }),
        Fact::Handover(HandoverFact::Joined { request, replica, class, urgency }),
        Fact::Handover(HandoverFact::GivenUp { request, replica, blocks }),
        Fact::Handover(HandoverFact::KvLost { request, replica, class, urgency, waiting }),
        Fact::Handover(HandoverFact::Stranded { request, replica, blocks, until }),
        Fact::Handover(HandoverFact::LeaseOver { request, replica, blocks }),
        Fact::Fault(FaultFact::Down { replica, pool, until, planned: false }),
        Fact::Fault(FaultFact::Restarted { replica, pool }),
        Fact::Fault(FaultFact::Noticed { replica, serves: false }),
        Fact::Fault(FaultFact::Broken {
            request,
            replica: None,
            reason: BreakReason::Crash,
            class,
            urgency,
            attempt: 0,
            prefilled: 0,
            generated: 0,
            waiting,
        }),
        Fact::Fault(FaultFact::Retried { request, attempt: 0, backoff: ttft }),
        Fact::Fault(FaultFact::Began { replica: None, kind: FaultKind::Slow, until }),
        Fact::Fault(FaultFact::Ended { replica: None, kind: FaultKind::Slow }),
        Fact::Fault(FaultFact::Lost { request, class, reason: BreakReason::Crash, denied: false }),
        Fact::Fault(FaultFact::CameAgain { request, times: 0 }),
        Fact::Fault(FaultFact::Ejected { replica, pool, by: EjectedBy::Probe, until }),
        Fact::Fault(FaultFact::Readmitted { replica, pool, by: EjectedBy::Probe }),
    ]
};
