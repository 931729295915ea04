//! The row of a request: all values that are known of it, and the table of its columns. Files of rows, the page, Python,
//! comparisons and benchmarks take their values from here, so that each has one definition.

use super::Session;
use super::outcomes::Ending;
use crate::observe::objectives::Met;
use crate::observe::report::tpot_us;
use crate::observe::summaries::{queue_wait_us, scheduling_delay_us};
use base::{Maybe, Micros, RequestId, Span};
use engine::policy::Reason;
use engine::{DropReason, Handover, Record, RequestState};
use std::borrow::Cow;

/// A request of a run.
#[derive(Clone, Debug)]
pub struct RequestRow<'a> {
    pub(super) session: &'a Session,
    /// Its number.
    pub id: RequestId,
    /// Its record.
    pub record: Record,
}

impl Session {
    /// The row of a request; `None` if it has not arrived.
    pub fn row(&self, id: RequestId) -> Option<RequestRow<'_>> {
        let record = self.engine.records().get(id.index())?;
        Some(RequestRow { session: self, id, record })
    }

    /// The rows of all requests that have arrived, in order of arrival.
    pub fn rows(&self) -> impl Iterator<Item = RequestRow<'_>> {
        let all = (0..).map(RequestId).zip(self.engine.records());
        all.map(|(id, record)| RequestRow { session: self, id, record })
    }
}

impl<'a> RequestRow<'a> {
    /// Its own name, where the scenario or the trace gives it one.
    pub fn name(&self) -> Option<Cow<'a, str>> {
        let listed = self.session.plan.scenario().workload.requests.get(self.record.listed as usize);
        let listed = listed.map(|request| Cow::Borrowed(request.id.as_str()));
        listed.or_else(|| self.session.recorded_id(self.id.0))
    }

    /// Name of its client.
    pub fn client(&self) -> &'a str {
        named(self.session.engine.source().clients(), self.record.client)
    }

    /// Name of its tenant.
    pub fn tenant(&self) -> &'a str {
        named(self.session.engine.source().tenants(), self.record.tenant)
    }

    /// Name of its SLO class.
    pub fn class(&self) -> &'a str {
        named(self.session.engine.source().classes(), self.record.class)
    }

    /// Number of the replica that has it, or had it when it left.
    pub fn replica(&self) -> Option<u32> {
        self.record.replica().map(|id| id.0)
    }

    /// Name of the pool of that replica.
    fn pool(&self) -> Option<&'a str> {
        let replica = &self.session.engine.replicas()[self.record.replica()?.index()];
        let pools = &self.session.plan.scenario().cluster.pools;
        pools.get(replica.pool() as usize).map(|pool| pool.name.as_str())
    }

    /// Its state.
    pub fn state(&self) -> RequestState {
        self.record.state()
    }

    /// What became of it by its objectives.
    pub fn ending(&self) -> Ending {
        let (r, recorder) = (&self.record, &self.session.recorder);
        match r.state() {
            RequestState::Completed if recorder.met(self.id).is_some_and(Met::all) => Ending::Met,
            RequestState::Completed => Ending::Missed,
            RequestState::Rejected => Ending::Refused,
            RequestState::Dropped | RequestState::Lost => Ending::Dropped,
            RequestState::InPipeline
            | RequestState::Queued
            | RequestState::Running
            | RequestState::Transferring
            | RequestState::Landed => {
                let objectives = recorder.targets.of(r.class);
                let age = self.session.playhead.0.saturating_sub(r.arrival.0);
                let first = self.ttft_us().unwrap_or(age);
                let late = first > objectives.ttft_us || age > objectives.e2e_us;
                if late { Ending::Late } else { Ending::Open }
            }
        }
    }

    /// Why it was refused, dropped or, while it is in the pipeline, held back.
    fn reason(&self) -> Option<&'static str> {
        let dropped = self.record.drop.map(DropReason::name);
        dropped.or_else(|| self.record.refused.map(Reason::name))
    }

    /// Whether it arrived in the measurement window, so that the report's distributions contain it.
    pub fn measured(&self) -> bool {
        self.session.recorder.warmup().counts(self.id, self.record.arrival)
    }

    /// When it arrived, in microseconds.
    pub fn arrival_us(&self) -> u64 {
        self.record.arrival.0
    }

    /// When its client had its last token, or when it was refused or dropped. The engine is done with a request before
    /// its client is: output processing follows.
    pub fn end(&self) -> Option<Micros> {
        self.record.e2e.get().map(|e2e| self.record.arrival + e2e).or(self.record.left.get())
    }

    /// Output tokens that it got so far.
    fn generated(&self) -> u32 {
        if self.record.left.is_known() {
            self.record.generated
        } else {
            self.session.engine.progress(self.id).generated
        }
    }

    /// Tokens of its answer that it got so far.
    pub fn output_tokens(&self) -> u32 {
        self.generated().min(self.record.output_tokens)
    }

    /// Time to first token in microseconds.
    pub fn ttft_us(&self) -> Option<u64> {
        self.record.ttft.get().map(|ttft| ttft.0)
    }

    /// Mean gap between its tokens in whole microseconds, of a completed request of two tokens or more.
    pub fn tpot_us(&self) -> Option<u64> {
        tpot_us(&self.record)
    }

    /// End-to-end latency in microseconds.
    pub fn e2e_us(&self) -> Option<u64> {
        self.record.e2e.get().map(|e2e| e2e.0)
    }

    /// Joining the wait queue to first joining a batch, in microseconds.
    pub fn queue_wait_us(&self) -> Option<u64> {
        queue_wait_us(&self.record)
    }

    /// Arrival to first joining a batch, in microseconds.
    pub fn scheduling_delay_us(&self) -> Option<u64> {
        scheduling_delay_us(&self.record)
    }

    /// The gaps between its tokens, if the run keeps them.
    fn gaps(&self) -> &'a [Span] {
        let all = self.session.engine.detail().map_or(&[][..], |detail| &detail.itl);
        all.get(self.id.index()).map_or(&[], Vec::as_slice)
    }

    fn handover(&self) -> Option<&'a Handover> {
        self.session.engine.handover(self.id)
    }

    /// An instant of its hand-over.
    fn handed(&self, instant: fn(&Handover) -> Maybe<Micros>) -> Option<u64> {
        us(instant(self.handover()?))
    }

    /// A number of its transfer, if that has started.
    fn transferred(&self, number: fn(&Handover) -> u64) -> Option<u64> {
        self.handover().filter(|h| h.start.is_known()).map(number)
    }
}

/// A name by its number; empty without one.
fn named(names: &[String], number: u32) -> &str {
    names.get(number as usize).map_or("", String::as_str)
}

fn us(at: Maybe<Micros>) -> Option<u64> {
    at.get().map(|at| at.0)
}

/// A text, unless it is empty.
fn known(text: &str) -> Option<Cow<'_, str>> {
    (!text.is_empty()).then_some(Cow::Borrowed(text))
}

/// The values of a column; `None` if a value is not known.
#[derive(Clone, Copy, Debug)]
pub enum RequestValues {
    /// Whole numbers.
    Whole(for<'a> fn(&RequestRow<'a>) -> Option<u64>),
    /// Yes or no.
    Flag(for<'a> fn(&RequestRow<'a>) -> Option<bool>),
    /// Names.
    Text(for<'a> fn(&RequestRow<'a>) -> Option<Cow<'a, str>>),
    /// Lists of durations.
    Spans(for<'a> fn(&RequestRow<'a>) -> &'a [Span]),
}

/// The runs whose tables have a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUse {
    /// All runs.
    Always,
    /// Those in which roles of pools differ at any time. The bytes are those of a transfer that started.
    Roles,
    /// Those in which homes read from their CPU memory at any time.
    HomeReads,
    /// Those that replay a recorded trace.
    Trace,
    /// Those that keep the gaps between tokens.
    Gaps,
}

/// A column of the table of requests.
#[derive(Clone, Copy, Debug)]
pub struct RequestColumn {
    /// Its name.
    pub name: &'static str,
    /// The unit of its values; empty if they have none.
    pub unit: &'static str,
    /// What it says.
    pub help: &'static str,
    /// The runs that have it.
    pub of: ColumnUse,
    /// Its values.
    pub values: RequestValues,
}

type Whole = for<'a> fn(&RequestRow<'a>) -> Option<u64>;
type Text = for<'a> fn(&RequestRow<'a>) -> Option<Cow<'a, str>>;
type Flag = for<'a> fn(&RequestRow<'a>) -> Option<bool>;

const fn column(
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    values: RequestValues,
) -> RequestColumn {
    RequestColumn { name, unit, help, of: ColumnUse::Always, values }
}

const fn whole(name: &'static str, unit: &'static str, help: &'static str, value: Whole) -> RequestColumn {
    column(name, unit, help, RequestValues::Whole(value))
}

const fn text(name: &'static str, help: &'static str, value: Text) -> RequestColumn {
    column(name, "", help, RequestValues::Text(value))
}

const fn flag(name: &'static str, help: &'static str, value: Flag) -> RequestColumn {
    column(name, "", help, RequestValues::Flag(value))
}

impl RequestColumn {
    /// The same column, of some runs only.
    const fn only(self, of: ColumnUse) -> Self {
        Self { of, ..self }
    }

    /// All columns, in order.
    #[rustfmt::skip]
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a method is of rows with one lifetime, a column of all")]
    pub const ALL: &[Self] = &[
        whole("request", "", "number of the request, from 0 in order of arrival", |r| Some(r.id.0.into())),
        text("name", "its own name, where the scenario or the trace gives it one", |r| r.name()),
        text("client", "name of its client", |r| known(r.client())),
        text("tenant", "name of its tenant", |r| known(r.tenant())),
        text("slo_class", "name of its SLO class", |r| known(r.class())),
        whole("session", "", "number of the conversation it belongs to", |r| Some(r.record.session.into()).filter(|s| *s > 0)),
        text("pool", "name of the pool of its replica", |r| known(r.pool()?)),
        whole("replica", "", "number of the replica that has it, or had it when it left", |r| r.replica().map(u64::from)),
        text("state", "`in-pipeline`, `queued`, `running`, `completed`, `rejected` or `dropped`, when the run ended; where roles of pools differ also `transferring` or `landed`", |r| known(r.state().name())),
        text("reason", "why it was refused, dropped or, while it is in the pipeline, held back", |r| known(r.reason()?)),
        flag("measured", "whether it arrived in the measurement window, so that the report's distributions contain it", |r| Some(r.measured())),
        flag("slo_met", "whether it met every objective of its class; known when it completed", |r| r.session.recorder.met(r.id).map(Met::all)),
        whole("arrival_us", "us", "when it arrived", |r| Some(r.arrival_us())),
        whole("routed_us", "us", "when the router chose its replica", |r| us(r.record.routed)),
        whole("queued_us", "us", "when it joined the wait queue", |r| us(r.record.queued)),
        whole("first_scheduled_us", "us", "when it first joined a batch", |r| us(r.record.first_scheduled)),
        whole("kv_load_start_us", "us", "when it last asked for blocks from the CPU tier", |r| r.session.engine.load(r.id)[0].map(|at| at.0)),
        whole("kv_load_end_us", "us", "when these were there, or given up", |r| r.session.engine.load(r.id)[1].map(|at| at.0)),
        whole("first_token_us", "us", "when the client had its first token", |r| Some(r.arrival_us() + r.ttft_us()?)),
        whole("end_us", "us", "when the client had its last token, or when it was refused or dropped", |r| r.end().map(|at| at.0)),
        whole("prompt_tokens", "tokens", "length of its prompt", |r| Some(r.record.prompt_tokens.into())),
        whole("output_tokens", "tokens", "output tokens that it got", |r| Some(r.generated().into())),
        whole("target_output_tokens", "tokens", "output tokens of its whole answer, which no policy knows in advance", |r| Some(r.record.output_tokens.into())),
        whole("cached_tokens", "tokens", "prompt tokens found in the prefix cache when it last joined a batch", |r| r.record.first_scheduled.get().map(|_| r.record.cached_tokens.into())),
        whole("preemptions", "times", "how often it was preempted", |r| Some(r.record.preemptions.into())),
        whole("ttft_us", "us", "time to first token: `first_token_us` − `arrival_us`", |r| r.ttft_us()),
        whole("tpot_us", "us", "time per output token: (E2E − TTFT) / (tokens − 1), cut to whole microseconds, of a completed request of two tokens or more", |r| r.tpot_us()),
        whole("e2e_us", "us", "end-to-end latency of a completed request: `end_us` − `arrival_us`", |r| r.e2e_us()),
        whole("gateway_queued_us", "us", "when it joined the gateway's queue, under flow control", |r| us(r.record.entered)),
        whole("gateway_sent_us", "us", "when it went on to the router", |r| us(r.record.admitted)),
        whole("home", "", "number of the replica that answers it", |r| r.handover().map(|h| h.home.0.into())).only(ColumnUse::Roles),
        whole("prefill", "", "number of the replica that prefills it; empty if that is its home", |r| r.handover()?.prefill.map(|id| id.0.into())).only(ColumnUse::Roles),
        text("decision", "what the decider said: `mixed`, `never`, `no-prefill`, `always`, `short`, `busy`, `long` or `resumed`", |r| known(r.handover()?.reason.name())).only(ColumnUse::Roles),
        whole("prefill_first_us", "us", "when it first joined a batch of its prefill replica", |r| r.handed(|h| h.prefill_first)).only(ColumnUse::Roles),
        whole("prefill_end_us", "us", "when its prompt was computed there", |r| r.handed(|h| h.prefill_end)).only(ColumnUse::Roles),
        whole("reserved_us", "us", "when blocks were set aside for it at home", |r| r.handed(|h| h.reserved)).only(ColumnUse::Roles),
        whole("transfer_start_us", "us", "when the transfer of its blocks started", |r| r.handed(|h| h.start)).only(ColumnUse::Roles),
        whole("flow_us", "us", "when the first byte moved", |r| r.handed(|h| h.flows)).only(ColumnUse::Roles),
        whole("landed_us", "us", "when all bytes were at home", |r| r.handed(|h| h.landed)).only(ColumnUse::Roles),
        whole("joined_us", "us", "when it joined the batch of its home after that", |r| r.handed(|h| h.joined)).only(ColumnUse::Roles),
        whole("transfer_bytes", "bytes", "bytes of its transfer, those sent during the prefill included", |r| r.transferred(|h| h.bytes)).only(ColumnUse::Roles),
        whole("overlapped_bytes", "bytes", "of these, sent during the prefill", |r| r.transferred(|h| h.early)).only(ColumnUse::Roles),
        whole("home_cached_blocks", "blocks", "blocks of its prompt found in the cache of its home when blocks were set aside", |r| r.handover().filter(|h| h.reserved.is_known()).map(|h| h.home_cached.into())).only(ColumnUse::Roles),
        whole("ttft_prefill_us", "us", "time to first token as its prefill replica has it", |r| r.handover()?.ttft_prefill.get().map(|span| span.0)).only(ColumnUse::Roles),
        whole("ttft_decode_us", "us", "time to the first token that its home made, of one prefilled elsewhere", |r| r.handover()?.ttft_decode.get().map(|span| span.0)).only(ColumnUse::Roles),
        whole("home_read_blocks", "blocks", "with `home_hits: gpu+cpu`: blocks after these that its home reads from CPU memory while the others travel", |r| r.handover().filter(|h| h.reserved.is_known()).map(|h| h.home_below.into())).only(ColumnUse::HomeReads),
        whole("home_read_us", "us", "when the last of them was there; the request joins no sooner", |r| r.handed(|h| h.home_read)).only(ColumnUse::HomeReads),
        text("recorded_at", "when it arrived by the calendar of the trace, in UTC", |r| r.session.recorded_at(r.id.0).map(Cow::Owned)).only(ColumnUse::Trace),
        column("itl_us", "us", "with `--itl`: the gaps between its tokens, in order; a list in JSON, between semicolons in CSV. One for each step that gave it tokens; none at replicas with pipeline stages", RequestValues::Spans(|r| r.gaps())).only(ColumnUse::Gaps),
    ];
}
