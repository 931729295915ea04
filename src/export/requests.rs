//! Export of requests: one row each, in order of arrival, read from the records that the engine keeps anyway.

use super::sheet::{Cell, Field, Sheet};
use super::{Begun, Column, Destination, Export, Rows, columns_of};
use base::{Maybe, Micros, RequestId};
use engine::policy::Reason;
use engine::{DropReason, Handover, Progress, Record};
use run::observe::objectives::Met;
use run::observe::report::tpot_us;
use run::observe::roles_differ;
use run::session::Session;
use std::borrow::Cow;
use std::ops::Range;

/// The rows of requests.
pub(super) struct Requests;

impl Export for Requests {
    fn name(&self) -> &'static str {
        "requests"
    }

    fn columns(&self) -> Vec<Column> {
        let all = [FIELDS, HANDOVER_FIELDS, TRACE_FIELDS, GAP_FIELDS];
        all.into_iter().flat_map(columns_of).collect()
    }

    fn begin(&self, run: Begun<'_>) -> Box<dyn Rows> {
        let handovers = run.course.iter().any(roles_differ);
        let traces = run.course.iter().any(|scenario| scenario.workload.trace.is_some());
        let gaps = run.gaps;
        let fields = || {
            let split = HANDOVER_FIELDS.iter().filter(|_| handovers);
            let recorded = TRACE_FIELDS.iter().filter(|_| traces);
            FIELDS.iter().chain(split).chain(recorded).chain(GAP_FIELDS.iter().filter(|_| gaps))
        };
        Box::new(File { sheet: run.sheet(fields()), fields: fields().map(|f| f.value).collect() })
    }
}

struct File {
    sheet: Sheet,
    fields: Vec<Value>,
}

impl Rows for File {
    fn out(&mut self) -> &mut dyn Destination {
        &mut self.sheet
    }

    fn requests(&mut self, session: &Session, which: Range<usize>) {
        for i in which {
            let row = Row::new(session, i);
            for value in &self.fields {
                self.sheet.cell(value(&row));
            }
            self.sheet.end_row();
        }
    }
}

/// A request and what is known about it.
struct Row<'a> {
    session: &'a Session,
    id: RequestId,
    record: Record,
    progress: Progress,
    handover: Option<&'a Handover>,
}

type Value = for<'a> fn(&Row<'a>) -> Cell<'a>;

const fn field(name: &'static str, unit: &'static str, help: &'static str, value: Value) -> Field<Value> {
    Field { name, unit, help, value }
}

/// The columns, in order.
#[rustfmt::skip]
const FIELDS: &[Field<Value>] = &[
    field("request", "", "number of the request, from 0 in order of arrival", |r| r.id.0.into()),
    field("name", "", "its own name, where the scenario or the trace gives it one", |r| r.name().into()),
    field("client", "", "name of its client", |r| named(r.session.engine().source().clients(), r.record.client)),
    field("tenant", "", "name of its tenant", |r| named(r.session.engine().source().tenants(), r.record.tenant)),
    field("slo_class", "", "name of its SLO class", |r| named(r.session.engine().source().classes(), r.record.class)),
    field("session", "", "number of the conversation it belongs to", |r| Some(r.record.session).filter(|s| *s > 0).into()),
    field("pool", "", "name of the pool of its replica", |r| r.pool().into()),
    field("replica", "", "number of the replica that has it, or had it when it left", |r| r.record.replica().map(|id| id.0).into()),
    field("state", "", "`in-pipeline`, `queued`, `running`, `completed`, `rejected` or `dropped`, when the run ended; where roles of pools differ also `transferring` or `landed`", |r| r.record.state().name().into()),
    field("reason", "", "why it was refused, dropped or, while it is in the pipeline, held back", |r| r.reason().into()),
    field("measured", "", "whether it arrived in the measurement window, so that the report's distributions contain it", |r| r.session.recorder().warmup().counts(r.id, r.record.arrival).into()),
    field("slo_met", "", "whether it met every objective of its class; known when it completed", |r| r.session.recorder().met(r.id).map(Met::all).into()),
    field("arrival_us", "us", "when it arrived", |r| r.record.arrival.into()),
    field("routed_us", "us", "when the router chose its replica", |r| r.record.routed.get().into()),
    field("queued_us", "us", "when it joined the wait queue", |r| r.record.queued.get().into()),
    field("first_scheduled_us", "us", "when it first joined a batch", |r| r.record.first_scheduled.get().into()),
    field("kv_load_start_us", "us", "when it last asked for blocks from the CPU tier", |r| r.session.engine().load(r.id)[0].into()),
    field("kv_load_end_us", "us", "when these were there, or given up", |r| r.session.engine().load(r.id)[1].into()),
    field("first_token_us", "us", "when the client had its first token", |r| r.record.ttft.get().map(|ttft| r.record.arrival + ttft).into()),
    field("end_us", "us", "when the client had its last token, or when it was refused or dropped", |r| r.end().into()),
    field("prompt_tokens", "tokens", "length of its prompt", |r| r.record.prompt_tokens.into()),
    field("output_tokens", "tokens", "output tokens that it got", |r| r.progress.generated.into()),
    field("target_output_tokens", "tokens", "output tokens of its whole answer, which no policy knows in advance", |r| r.record.output_tokens.into()),
    field("cached_tokens", "tokens", "prompt tokens found in the prefix cache when it last joined a batch", |r| r.scheduled(r.record.cached_tokens).into()),
    field("preemptions", "times", "how often it was preempted", |r| r.record.preemptions.into()),
    field("ttft_us", "us", "time to first token: `first_token_us` − `arrival_us`", |r| r.record.ttft.get().into()),
    field("tpot_us", "us", "time per output token: (E2E − TTFT) / (tokens − 1), cut to whole microseconds, of a completed request of two tokens or more", |r| tpot_us(&r.record).into()),
    field("e2e_us", "us", "end-to-end latency of a completed request: `end_us` − `arrival_us`", |r| r.record.e2e.get().into()),
    field("gateway_queued_us", "us", "when it joined the gateway's queue, under flow control", |r| r.record.entered.get().into()),
    field("gateway_sent_us", "us", "when it went on to the router", |r| r.record.admitted.get().into()),
];

/// The columns that follow where roles of pools differ at any time of the run. The bytes are those of a transfer that started.
#[rustfmt::skip]
const HANDOVER_FIELDS: &[Field<Value>] = &[
    field("home", "", "number of the replica that answers it", |r| r.handover.map(|h| h.home.0).into()),
    field("prefill", "", "number of the replica that prefills it; empty if that is its home", |r| r.handover.and_then(|h| h.prefill).map(|id| id.0).into()),
    field("decision", "", "what the decider said: `mixed`, `never`, `no-prefill`, `always`, `short`, `busy`, `long` or `resumed`", |r| r.handover.map(|h| h.reason.name()).into()),
    field("prefill_first_us", "us", "when it first joined a batch of its prefill replica", |r| r.at(|h| h.prefill_first)),
    field("prefill_end_us", "us", "when its prompt was computed there", |r| r.at(|h| h.prefill_end)),
    field("reserved_us", "us", "when blocks were set aside for it at home", |r| r.at(|h| h.reserved)),
    field("transfer_start_us", "us", "when the transfer of its blocks started", |r| r.at(|h| h.start)),
    field("flow_us", "us", "when the first byte moved", |r| r.at(|h| h.flows)),
    field("landed_us", "us", "when all bytes were at home", |r| r.at(|h| h.landed)),
    field("joined_us", "us", "when it joined the batch of its home after that", |r| r.at(|h| h.joined)),
    field("transfer_bytes", "bytes", "bytes of its transfer, those sent during the prefill included", |r| r.transferred(|h| h.bytes).into()),
    field("overlapped_bytes", "bytes", "of these, sent during the prefill", |r| r.transferred(|h| h.early).into()),
    field("home_cached_blocks", "blocks", "blocks of its prompt found in the cache of its home when blocks were set aside", |r| r.handover.filter(|h| h.reserved.is_known()).map(|h| h.home_cached).into()),
    field("ttft_prefill_us", "us", "time to first token as its prefill replica has it", |r| r.handover.and_then(|h| h.ttft_prefill.get()).into()),
    field("ttft_decode_us", "us", "time to the first token that its home made, of one prefilled elsewhere", |r| r.handover.and_then(|h| h.ttft_decode.get()).into()),
];

/// The columns that follow where a recorded trace is replayed.
#[rustfmt::skip]
const TRACE_FIELDS: &[Field<Value>] = &[
    field("recorded_at", "", "when it arrived by the calendar of the trace, in UTC", |r| r.session.recorded_at(r.id.0).map(Cow::Owned).into()),
];

/// The last column, with `--itl`.
#[rustfmt::skip]
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method itself is of one lifetime")]
const GAP_FIELDS: &[Field<Value>] = &[
    field("itl_us", "us", "with `--itl`: the gaps between its tokens, in order; a list in JSON, between semicolons in CSV. One for each step that gave it tokens; none at replicas with pipeline stages", |r| r.gaps()),
];

fn named(names: &[String], number: u32) -> Cell<'_> {
    names.get(number as usize).map(String::as_str).into()
}

impl<'a> Row<'a> {
    /// Request number `i` of a run.
    fn new(session: &'a Session, i: usize) -> Self {
        let id = RequestId(i as u32);
        let engine = session.engine();
        let (record, progress) = (engine.records().at(i), engine.progress(id));
        Self { session, id, record, progress, handover: engine.handover(id) }
    }

    /// An instant of its hand-over.
    fn at(&self, instant: fn(&Handover) -> Maybe<Micros>) -> Cell<'a> {
        self.handover.and_then(|h| instant(h).get()).into()
    }

    /// A number of its transfer, if that has started.
    fn transferred(&self, number: fn(&Handover) -> u64) -> Option<u64> {
        self.handover.filter(|h| h.start.is_known()).map(number)
    }

    fn gaps(&self) -> Cell<'a> {
        let all = self.session.engine().detail().map_or(&[][..], |detail| &detail.itl);
        Cell::Spans(all.get(self.id.index()).map_or(&[], Vec::as_slice))
    }

    fn name(&self) -> Option<Cow<'a, str>> {
        let listed = &self.session.plan().scenario().workload.requests;
        let listed =
            listed.get(self.record.listed as usize).map(|request| Cow::Borrowed(request.id.as_str()));
        listed.or_else(|| self.session.recorded_id(self.id.0))
    }

    fn pool(&self) -> Option<&'a str> {
        let replica = &self.session.engine().replicas()[self.record.replica()?.index()];
        let pools = &self.session.plan().scenario().cluster.pools;
        pools.get(replica.pool() as usize).map(|pool| pool.name.as_str())
    }

    fn reason(&self) -> Option<&'static str> {
        let dropped = self.record.drop.map(DropReason::name);
        dropped.or_else(|| self.record.refused.map(Reason::name))
    }

    fn scheduled<T>(&self, value: T) -> Option<T> {
        self.record.first_scheduled.get().map(|_| value)
    }

    /// The engine is done with a request before its client is: output processing follows.
    fn end(&self) -> Option<Micros> {
        self.record.e2e.get().map(|e2e| self.record.arrival + e2e).or(self.record.left.get())
    }
}
