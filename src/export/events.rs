//! Export of events: one row for each fact, in order.

use super::cell::Cell;
use super::export::{Begun, Column, Export, columns_of};
use super::rows::{Destination, Rows};
use super::sheet::{Field, Sheet};
use base::{Micros, ReplicaId, RequestId, Span};
use engine::{CacheFact, Fact, FaultFact, FleetFact, HandoverFact, ReplicaFact, RequestFact};
use run::observe::roles_differ;

/// The rows of facts.
pub(super) struct Events;

impl Export for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn columns(&self) -> Vec<Column> {
        columns_of(FIELDS).into_iter().chain(columns_of(HANDOVER_FIELDS)).collect()
    }

    fn begin(&self, run: Begun<'_>) -> Box<dyn Rows> {
        let handovers = run.course.iter().any(roles_differ);
        let fields = || FIELDS.iter().chain(HANDOVER_FIELDS.iter().filter(|_| handovers));
        let pools = run.pools.clone();
        Box::new(File { sheet: run.sheet(fields()), fields: fields().map(|f| f.value).collect(), pools })
    }
}

struct File {
    sheet: Sheet,
    fields: Vec<Value>,
    pools: Vec<String>,
}

impl Rows for File {
    fn out(&mut self) -> &mut dyn Destination {
        &mut self.sheet
    }

    fn takes_facts(&self) -> bool {
        true
    }

    fn fact(&mut self, at: Micros, fact: &Fact) {
        let row = Row::new(at, fact);
        for value in &self.fields {
            self.sheet.cell(value(&row, &self.pools));
        }
        self.sheet.end_row();
    }
}

/// The figures of a fact; a figure that does not apply is unknown.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    at: Micros,
    event: &'static str,
    request: Option<RequestId>,
    replica: Option<ReplicaId>,
    pool: Option<u32>,
    reason: &'static str,
    urgency: Option<i64>,
    prefill: Option<u32>,
    cached: Option<u32>,
    decode: Option<u32>,
    output: Option<u32>,
    running: Option<u32>,
    waiting: Option<u32>,
    kv_used: Option<u32>,
    duration: Option<Span>,
    until: Option<Micros>,
    ttft: Option<Span>,
    itl: Option<Span>,
    e2e: Option<Span>,
    preemptions: Option<u32>,
    blocks: Option<u32>,
    forgotten: Option<u32>,
    behind: Option<RequestId>,
    replicas: Option<u32>,
    home: Option<ReplicaId>,
    prefill_replica: Option<ReplicaId>,
    uncached: Option<u32>,
    cached_blocks: Option<u32>,
    bytes: Option<u64>,
    early: Option<u64>,
}

type Value = for<'a> fn(&Row, &'a [String]) -> Cell<'a>;

const fn field(name: &'static str, unit: &'static str, help: &'static str, value: Value) -> Field<Value> {
    Field { name, unit, help, value }
}

/// The columns, in order.
#[rustfmt::skip]
const FIELDS: &[Field<Value>] = &[
    field("time_us", "us", "when it happened", |r, _| r.at.into()),
    field("event", "", "what happened; see above", |r, _| r.event.into()),
    field("request", "", "number of the request that it is about", |r, _| r.request.map(|id| id.0).into()),
    field("replica", "", "number of the replica that it is about", |r, _| r.replica.map(|id| id.0).into()),
    field("pool", "", "`scaled`, `starting`, `serving`: name of the pool", |r, pools| r.pool.and_then(|i| pools.get(i as usize)).map(String::as_str).into()),
    field("reason", "", "`rejected`, `delayed`, `dropped`, `broken`, `lost`, `ejected`, `fault-began`, `scaled`, `decided`: why; `adapter-loaded`: from `cpu` or `disk`", |r, _| r.reason.into()),
    field("urgency", "", "how urgent the priority policy finds the request, larger is more urgent", |r, _| r.urgency.into()),
    field("prefill_tokens", "tokens", "`scheduled`: to prefill, the cached ones included; `step-started`, `prefilled`: computed in the step; `broken`: computed in vain", |r, _| r.prefill.into()),
    field("cached_tokens", "tokens", "`scheduled`: of these, found in the cache", |r, _| r.cached.into()),
    field("decode_tokens", "tokens", "`step-started`: one for each request that decodes", |r, _| r.decode.into()),
    field("output_tokens", "tokens", "`first-token`: 1; `tokens`: one for each request that got a further one; `completed`: all of the request's; `broken`: shown so far", |r, _| r.output.into()),
    field("running", "requests", "`step-started`: requests in the batch", |r, _| r.running.into()),
    field("waiting", "requests", "`step-started`, `dropped`, `broken`, `kv-lost`: requests in the wait queue", |r, _| r.waiting.into()),
    field("kv_used_blocks", "blocks", "`step-started`: KV blocks in use", |r, _| r.kv_used.into()),
    field("duration_us", "us", "`step-started`: how long the step takes; `adapter-loaded`: how long it waits for the load; `retried`: the back-off", |r, _| r.duration.into()),
    field("until_us", "us", "`kv-load-started`: when the blocks are there; `starting`, `down`: when the replica will serve; `fault-began`, `ejected`: when it is over; `stranded`: when the lease is", |r, _| r.until.into()),
    field("ttft_us", "us", "`first-token`, `completed`: time to first token; `prefill-done`: as the prefill replica has it", |r, _| r.ttft.into()),
    field("itl_us", "us", "`tokens`: time since the previous token of each of these requests", |r, _| r.itl.into()),
    field("e2e_us", "us", "`completed`: end-to-end latency", |r, _| r.e2e.into()),
    field("preemptions", "times", "`preempted`: how often it has been by now", |r, _| r.preemptions.into()),
    field("blocks", "blocks", "`kv-…`: KV blocks moved or given back; `prefill-done`, `kv-reserved`, `handover-given-up`, `stranded`, `lease-over`: held, set aside or given back", |r, _| r.blocks.into()),
    field("forgotten_blocks", "blocks", "`kv-offloaded`: blocks that the CPU tier forgot to make room", |r, _| r.forgotten.into()),
    field("behind_request", "", "`head-blocked`: the request behind it that would have found enough blocks", |r, _| r.behind.map(|id| id.0).into()),
    field("replicas", "", "`scaled`: how many replicas are wanted", |r, _| r.replicas.into()),
];

/// The columns that follow where roles of pools differ at any time of the run.
#[rustfmt::skip]
const HANDOVER_FIELDS: &[Field<Value>] = &[
    field("home_replica", "", "of a hand-over: the replica that answers the request", |r, _| r.home.map(|id| id.0).into()),
    field("prefill_replica", "", "of a hand-over: the replica that prefills it; unknown if that is its home", |r, _| r.prefill_replica.map(|id| id.0).into()),
    field("uncached_tokens", "tokens", "`decided`: of its prompt, what its home would have to compute, where the decider looked", |r, _| r.uncached.into()),
    field("cached_blocks", "blocks", "`kv-reserved`: blocks of its prompt found in the cache of its home", |r, _| r.cached_blocks.into()),
    field("bytes", "bytes", "`transfer-started`, `transfer-landed`: bytes of the transfer, those sent during the prefill included", |r, _| r.bytes.into()),
    field("overlapped_bytes", "bytes", "`transfer-started`: of these, sent during the prefill", |r, _| r.early.into()),
];

/// The values of the column `event` and what they mean, in the order of a request's life.
pub(super) const EVENTS: [(&str, &str); 57] = [
    ("arrived", "a request arrived"),
    ("admitted", "admission let it in"),
    ("delayed", "admission holds it back for now"),
    ("rejected", "admission, the router or a full wait queue refused it"),
    ("gateway-queued", "it joined the gateway's queue, in the band of this priority"),
    ("gateway-dispatched", "the gateway's queue sent it on to the router"),
    ("gateway-expired", "it waited in the gateway's queue for as long as it may"),
    ("routed", "the router chose a replica"),
    ("queued", "it joined the wait queue"),
    ("kv-load-started", "while it waits, blocks are on their way to it from the CPU tier"),
    ("kv-loaded", "these have come"),
    ("kv-load-given-up", "it gave its blocks back before it could join a batch"),
    ("scheduled", "it joined a batch"),
    ("prefilled", "a step computed a part of its prompt"),
    ("first-token", "its first token was shown"),
    ("preempted", "it lost its blocks and waits again"),
    ("completed", "all its tokens were shown"),
    ("dropped", "it can never be served, or its client has given up"),
    ("step-started", "a step of a replica began"),
    ("tokens", "requests of a replica got a further token each"),
    ("step-ended", "the step ended"),
    (
        "head-blocked",
        "the first of the queue found too few free blocks, and one behind it would have found enough",
    ),
    ("head-unblocked", "the first of the queue waits for a place in the batch now, and no longer for blocks"),
    ("kv-offloaded", "blocks were written to the CPU tier since the latest step began"),
    ("kv-reloaded-early", "to make room, blocks came back from the CPU tier right after they had gone there"),
    ("adapter-loaded", "its adapter is loaded to the GPU in the step that it joins"),
    ("livelock", "a thousand preemptions on a replica and nothing finished between them"),
    ("scaled", "an autoscaler wants another number of replicas"),
    ("starting", "a replica has its GPUs and starts"),
    ("start-given-up", "it is not wanted any more before it serves"),
    ("cold", "a new replica serves, and its first requests find it cold"),
    ("warm", "it is warm"),
    ("redirected", "a request goes back to the router, because its replica is taken away"),
    ("serving", "a replica takes new requests"),
    ("draining", "a replica takes no new requests"),
    ("decided", "with its routing: which replica prefills it"),
    ("prefill-done", "its prompt is computed; its prefill replica holds the blocks for its home"),
    ("kv-reserved", "it left the wait queue of its home, where blocks are set aside for it"),
    ("transfer-started", "the transfer of its blocks to its home started"),
    ("transfer-flows", "the first byte of the transfer moves"),
    ("transfer-landed", "all bytes are at its home, and its prefill replica releases the blocks"),
    ("joined", "it joined the batch of its home as a decoder"),
    ("handover-given-up", "a replica gave back blocks that were held or set aside for it, before a landing"),
    ("down", "a replica crashed: its requests break, and its cache is gone"),
    ("restarted", "it is there again, with an empty cache"),
    ("noticed", "routers know of it that it is down, or serves"),
    ("ejected", "routers leave it out though it runs"),
    ("readmitted", "that is over"),
    ("fault-began", "a fault of a replica, or of all, that lasts for a while began"),
    ("fault-ended", "it is over"),
    ("broken", "an attempt of a request broke"),
    ("retried", "it gets another attempt after a back-off"),
    ("came-again", "its client had given up on a request with the same text, and came again"),
    ("lost", "it gets none"),
    ("kv-lost", "its KV does not come to its home, which computes its prompt itself"),
    ("stranded", "its home crashed: its prefill replica holds the blocks until a lease is over"),
    ("lease-over", "the prefill replica gave them back"),
];

impl Row {
    /// What a fact says.
    fn new(at: Micros, fact: &Fact) -> Self {
        let (event, request, replica) = (name(fact), fact.request(), fact.replica());
        let base = Self { at, event, request, replica, ..Self::default() };
        match *fact {
            Fact::Request(fact) => base.of_request(fact),
            Fact::Replica(fact) => base.of_replica(fact),
            Fact::Cache(fact) => base.of_cache(fact),
            Fact::Fleet(fact) => base.of_fleet(fact),
            Fact::Handover(fact) => base.of_handover(fact),
            Fact::Fault(fact) => base.of_fault(fact),
        }
    }

    fn of_request(self, fact: RequestFact) -> Self {
        match fact {
            RequestFact::Arrived { .. } | RequestFact::Admitted { .. } | RequestFact::Routed { .. } => self,
            RequestFact::Rejected { reason, .. } | RequestFact::Delayed { reason, .. } => {
                Self { reason: reason.name(), ..self }
            }
            RequestFact::Enqueued { band, .. } => Self { urgency: Some(band.into()), ..self },
            RequestFact::Dispatched { band, waited, .. } | RequestFact::Expired { band, waited, .. } => {
                Self { urgency: Some(band.into()), duration: Some(waited), ..self }
            }
            RequestFact::Queued { urgency, .. } => Self { urgency: Some(urgency), ..self },
            RequestFact::Dropped { urgency, reason, waiting, .. } => {
                Self { urgency: Some(urgency), reason: reason.name(), waiting: Some(waiting), ..self }
            }
            RequestFact::Scheduled { urgency, prefill, cached, .. } => {
                Self { urgency: Some(urgency), prefill: Some(prefill), cached: Some(cached), ..self }
            }
            RequestFact::Prefilled { tokens, .. } => Self { prefill: Some(tokens), ..self },
            RequestFact::FirstToken { ttft, .. } => Self { ttft: Some(ttft), output: Some(1), ..self },
            RequestFact::Preempted { urgency, times, .. } => {
                Self { urgency: Some(urgency), preemptions: Some(times), ..self }
            }
            RequestFact::Completed { ttft, e2e, tokens, .. } => {
                Self { ttft: Some(ttft), e2e: Some(e2e), output: Some(tokens), ..self }
            }
        }
    }

    fn of_replica(self, fact: ReplicaFact) -> Self {
        match fact {
            ReplicaFact::StepStarted { span, prefill, decode, running, waiting, kv_used, .. } => Self {
                duration: Some(span),
                prefill: Some(prefill),
                decode: Some(decode),
                running: Some(running),
                waiting: Some(waiting),
                kv_used: Some(kv_used),
                ..self
            },
            ReplicaFact::StepEnded { .. } => self,
            ReplicaFact::Tokens { itl, count, .. } => Self { itl: Some(itl), output: Some(count), ..self },
        }
    }

    fn of_cache(self, fact: CacheFact) -> Self {
        match fact {
            CacheFact::HeadUnblocked { .. } | CacheFact::Livelock { .. } => self,
            CacheFact::HeadBlocked { behind, .. } => Self { behind: Some(behind), ..self },
            CacheFact::LoadStarted { urgency, blocks, until, .. } => {
                Self { urgency: Some(urgency), blocks: Some(blocks), until: Some(until), ..self }
            }
            CacheFact::Loaded { urgency, blocks, .. } => {
                Self { urgency: Some(urgency), blocks: Some(blocks), ..self }
            }
            CacheFact::LoadGivenUp { blocks, .. } | CacheFact::ReloadedEarly { blocks, .. } => {
                Self { blocks: Some(blocks), ..self }
            }
            CacheFact::AdapterLoaded { source, took, .. } => {
                Self { reason: source.name(), duration: Some(took), ..self }
            }
            CacheFact::Offloaded { blocks, forgotten, .. } => {
                Self { blocks: Some(blocks), forgotten: Some(forgotten), ..self }
            }
        }
    }

    fn of_fleet(self, fact: FleetFact) -> Self {
        match fact {
            FleetFact::StartGivenUp { .. }
            | FleetFact::Cold { .. }
            | FleetFact::Warm { .. }
            | FleetFact::Draining { .. } => self,
            FleetFact::Scaled { pool, rule, to, .. } => {
                Self { pool: Some(pool), reason: rule.name(), replicas: Some(to), ..self }
            }
            FleetFact::Starting { pool, until, .. } => Self { pool: Some(pool), until: Some(until), ..self },
            FleetFact::Redirected { urgency, waiting, .. } => {
                Self { urgency: Some(urgency), waiting: Some(waiting), ..self }
            }
            FleetFact::Serving { pool, .. } => Self { pool: Some(pool), ..self },
        }
    }

    fn of_fault(self, fact: FaultFact) -> Self {
        match fact {
            FaultFact::Down { pool, until, .. } => {
                let until = (until != Micros::MAX).then_some(until);
                Self { pool: Some(pool), until, ..self }
            }
            FaultFact::Restarted { pool, .. } => Self { pool: Some(pool), ..self },
            FaultFact::Noticed { .. } | FaultFact::CameAgain { .. } => self,
            FaultFact::Ejected { pool, by, until, .. } => {
                let until = (until != Micros::MAX).then_some(until);
                Self { pool: Some(pool), reason: by.name(), until, ..self }
            }
            FaultFact::Readmitted { pool, by, .. } => Self { pool: Some(pool), reason: by.name(), ..self },
            FaultFact::Began { kind, until, .. } => {
                let until = (until != Micros::MAX).then_some(until);
                Self { reason: kind.name(), until, ..self }
            }
            FaultFact::Ended { kind, .. } => Self { reason: kind.name(), ..self },
            FaultFact::Broken { reason, urgency, prefilled, generated, waiting, .. } => Self {
                reason: reason.name(),
                urgency: Some(urgency),
                prefill: Some(prefilled),
                output: Some(generated),
                waiting: Some(waiting),
                ..self
            },
            FaultFact::Retried { backoff, .. } => Self { duration: Some(backoff), ..self },
            FaultFact::Lost { reason, .. } => Self { reason: reason.name(), ..self },
        }
    }

    fn of_handover(self, fact: HandoverFact) -> Self {
        let between = |from, to| Self { prefill_replica: Some(from), home: Some(to), ..self };
        match fact {
            HandoverFact::Decided { home, prefill, reason, uncached, .. } => {
                Self { home: Some(home), prefill_replica: prefill, reason: reason.name(), uncached, ..self }
            }
            HandoverFact::Prefilled { replica, home, ttft, blocks, .. } => {
                Self { ttft: Some(ttft), blocks: Some(blocks), ..between(replica, home) }
            }
            HandoverFact::Reserved { replica, urgency, blocks, cached, .. } => Self {
                home: Some(replica),
                urgency: Some(urgency),
                blocks: Some(blocks),
                cached_blocks: Some(cached),
                ..self
            },
            HandoverFact::TransferStarted { from, to, bytes, early, .. } => {
                Self { bytes: Some(bytes), early: Some(early), ..between(from, to) }
            }
            HandoverFact::Flows { from, to, .. } => between(from, to),
            HandoverFact::Landed { from, to, bytes, .. } => Self { bytes: Some(bytes), ..between(from, to) },
            HandoverFact::Joined { replica, urgency, .. } => {
                Self { home: Some(replica), urgency: Some(urgency), ..self }
            }
            HandoverFact::GivenUp { blocks, .. } | HandoverFact::LeaseOver { blocks, .. } => {
                Self { blocks: Some(blocks), ..self }
            }
            HandoverFact::KvLost { urgency, waiting, .. } => {
                Self { urgency: Some(urgency), waiting: Some(waiting), ..self }
            }
            HandoverFact::Stranded { blocks, until, .. } => {
                let until = (until != Micros::MAX).then_some(until);
                Self { blocks: Some(blocks), until, ..self }
            }
        }
    }
}

/// Its name, one of [`EVENTS`].
fn name(fact: &Fact) -> &'static str {
    match fact {
        Fact::Fault(FaultFact::Down { .. }) => "down",
        Fact::Fault(FaultFact::Restarted { .. }) => "restarted",
        Fact::Fault(FaultFact::Noticed { .. }) => "noticed",
        Fact::Fault(FaultFact::Ejected { .. }) => "ejected",
        Fact::Fault(FaultFact::Readmitted { .. }) => "readmitted",
        Fact::Fault(FaultFact::Began { .. }) => "fault-began",
        Fact::Fault(FaultFact::Ended { .. }) => "fault-ended",
        Fact::Fault(FaultFact::Broken { .. }) => "broken",
        Fact::Fault(FaultFact::Retried { .. }) => "retried",
        Fact::Fault(FaultFact::CameAgain { .. }) => "came-again",
        Fact::Fault(FaultFact::Lost { .. }) => "lost",
        Fact::Handover(HandoverFact::Decided { .. }) => "decided",
        Fact::Handover(HandoverFact::Prefilled { .. }) => "prefill-done",
        Fact::Handover(HandoverFact::Reserved { .. }) => "kv-reserved",
        Fact::Handover(HandoverFact::TransferStarted { .. }) => "transfer-started",
        Fact::Handover(HandoverFact::Flows { .. }) => "transfer-flows",
        Fact::Handover(HandoverFact::Landed { .. }) => "transfer-landed",
        Fact::Handover(HandoverFact::Joined { .. }) => "joined",
        Fact::Handover(HandoverFact::GivenUp { .. }) => "handover-given-up",
        Fact::Handover(HandoverFact::KvLost { .. }) => "kv-lost",
        Fact::Handover(HandoverFact::Stranded { .. }) => "stranded",
        Fact::Handover(HandoverFact::LeaseOver { .. }) => "lease-over",
        Fact::Request(RequestFact::Arrived { .. }) => "arrived",
        Fact::Request(RequestFact::Admitted { .. }) => "admitted",
        Fact::Request(RequestFact::Delayed { .. }) => "delayed",
        Fact::Request(RequestFact::Rejected { .. }) => "rejected",
        Fact::Request(RequestFact::Enqueued { .. }) => "gateway-queued",
        Fact::Request(RequestFact::Dispatched { .. }) => "gateway-dispatched",
        Fact::Request(RequestFact::Expired { .. }) => "gateway-expired",
        Fact::Request(RequestFact::Routed { .. }) => "routed",
        Fact::Request(RequestFact::Queued { .. }) => "queued",
        Fact::Cache(CacheFact::LoadStarted { .. }) => "kv-load-started",
        Fact::Cache(CacheFact::Loaded { .. }) => "kv-loaded",
        Fact::Cache(CacheFact::LoadGivenUp { .. }) => "kv-load-given-up",
        Fact::Request(RequestFact::Scheduled { .. }) => "scheduled",
        Fact::Request(RequestFact::Prefilled { .. }) => "prefilled",
        Fact::Request(RequestFact::FirstToken { .. }) => "first-token",
        Fact::Request(RequestFact::Preempted { .. }) => "preempted",
        Fact::Request(RequestFact::Completed { .. }) => "completed",
        Fact::Request(RequestFact::Dropped { .. }) => "dropped",
        Fact::Replica(ReplicaFact::StepStarted { .. }) => "step-started",
        Fact::Replica(ReplicaFact::Tokens { .. }) => "tokens",
        Fact::Replica(ReplicaFact::StepEnded { .. }) => "step-ended",
        Fact::Cache(CacheFact::HeadBlocked { .. }) => "head-blocked",
        Fact::Cache(CacheFact::HeadUnblocked { .. }) => "head-unblocked",
        Fact::Cache(CacheFact::Offloaded { .. }) => "kv-offloaded",
        Fact::Cache(CacheFact::ReloadedEarly { .. }) => "kv-reloaded-early",
        Fact::Cache(CacheFact::AdapterLoaded { .. }) => "adapter-loaded",
        Fact::Cache(CacheFact::Livelock { .. }) => "livelock",
        Fact::Fleet(FleetFact::Scaled { .. }) => "scaled",
        Fact::Fleet(FleetFact::Starting { .. }) => "starting",
        Fact::Fleet(FleetFact::StartGivenUp { .. }) => "start-given-up",
        Fact::Fleet(FleetFact::Cold { .. }) => "cold",
        Fact::Fleet(FleetFact::Warm { .. }) => "warm",
        Fact::Fleet(FleetFact::Redirected { .. }) => "redirected",
        Fact::Fleet(FleetFact::Serving { .. }) => "serving",
        Fact::Fleet(FleetFact::Draining { .. }) => "draining",
    }
}
