//! Lines of the event log in words.

use crate::observe::event_log::{LogEntry, Note};
use crate::session::Session;
use base::Micros;
use base::number_text::{bytes as bytes_text, count, duration};
use base::small::decimal::fixed;
use engine::{
    AdapterSource, CacheFact, Fact, FaultFact, FaultKind, FleetFact, HandoverFact, ReplicaFact, RequestFact,
};
use serde::{Deserialize, Serialize};

/// The kind of a line of the event log.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// It arrived.
    Arrived,
    /// Admission admitted it.
    Admitted,
    /// It was refused.
    Rejected,
    /// Admission delays it.
    Delayed,
    /// It joined the gateway's queue, left it, or waited there for too long.
    GatewayQueue,
    /// The router chose a replica.
    Routed,
    /// It joined a wait queue.
    Queued,
    /// Blocks are being loaded for it from the CPU tier.
    KvLoad,
    /// The load ended or was cancelled.
    KvLoaded,
    /// Its adapter is loaded in the step that it joins.
    AdapterLoad,
    /// It joined a batch.
    Scheduled,
    /// A step began.
    Step,
    /// A step ended.
    StepEnd,
    /// A step computed a part of a prompt.
    Prefill,
    /// Its first token was shown.
    FirstToken,
    /// Requests got a further token each.
    Tokens,
    /// It lost its blocks and waits again.
    Preempted,
    /// Blocks were written to the CPU tier.
    KvOffload,
    /// Blocks were loaded back right after they had been copied to the CPU tier.
    Reload,
    /// The first request of a queue waits for blocks, or no longer does.
    Blocked,
    /// All its tokens were shown.
    Completed,
    /// It can never be served.
    Dropped,
    /// Many preemptions without a finished request.
    Livelock,
    /// A detector noticed an anomaly.
    Anomaly,
    /// An edit was applied.
    Edit,
    /// A replica starts, takes requests, or stops taking new ones.
    Replica,
    /// An autoscaler wants another number of replicas.
    Scaling,
    /// It is sent back to the router because its replica is removed.
    Redirected,
    /// Its prefill replica was chosen, or its home prefills it.
    Decided,
    /// Its prompt is computed; its prefill replica holds the blocks for its home.
    PrefillDone,
    /// Its home set blocks aside for it.
    Reserved,
    /// The transfer of its blocks started, or its first byte moves.
    Transfer,
    /// Its blocks are at its home.
    Landed,
    /// It joined the batch of its home as a decoder.
    Joined,
    /// Blocks held or set aside for it were given back before a landing.
    HandoverGivenUp,
    /// A replica crashed, is back, or routers know of it.
    Fault,
    /// Its attempt broke.
    Broken,
    /// It gets another attempt, or its client came again.
    Retried,
    /// It gets no further attempt.
    Lost,
}

impl EventKind {
    /// All kinds, in order.
    pub const ALL: [Self; 39] = [
        Self::Arrived,
        Self::Admitted,
        Self::Rejected,
        Self::Delayed,
        Self::GatewayQueue,
        Self::Routed,
        Self::Queued,
        Self::KvLoad,
        Self::KvLoaded,
        Self::AdapterLoad,
        Self::Scheduled,
        Self::Step,
        Self::StepEnd,
        Self::Prefill,
        Self::FirstToken,
        Self::Tokens,
        Self::Preempted,
        Self::KvOffload,
        Self::Reload,
        Self::Blocked,
        Self::Completed,
        Self::Dropped,
        Self::Livelock,
        Self::Anomaly,
        Self::Edit,
        Self::Replica,
        Self::Scaling,
        Self::Redirected,
        Self::Decided,
        Self::PrefillDone,
        Self::Reserved,
        Self::Transfer,
        Self::Landed,
        Self::Joined,
        Self::HandoverGivenUp,
        Self::Fault,
        Self::Broken,
        Self::Retried,
        Self::Lost,
    ];
}

/// One line of the event log.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventRow {
    /// Number of the line; lines are numbered from 0, and the oldest may have been dropped.
    pub seq: u64,
    /// When, in microseconds.
    pub at_us: u64,
    /// What happened.
    pub kind: EventKind,
    /// The request, if there is one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<u32>,
    /// The replica, if there is one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// The rest in words, such as `TTFT 24.1 ms`.
    pub text: String,
}

/// A query for lines of the event log.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventsQuery {
    /// Only these kinds; empty means all.
    pub kinds: Vec<EventKind>,
    /// Only this request.
    #[cfg_attr(feature = "types", ts(optional))]
    pub request: Option<u32>,
    /// Only this replica.
    #[cfg_attr(feature = "types", ts(optional))]
    pub replica: Option<u32>,
    /// At most this many, the newest.
    pub limit: u32,
}

/// The answer to an [`EventsQuery`].
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventRows {
    /// Lines, oldest first.
    pub rows: Vec<EventRow>,
    /// Lines of the run so far, matching or not.
    pub total: u64,
    /// Lines no longer kept.
    pub lost: u64,
}

/// Most lines of one answer.
const ROWS: usize = 5000;

impl Session {
    /// Lines of the event log, the newest that match.
    pub fn event_rows(&self, query: &EventsQuery) -> EventRows {
        let limit = (query.limit as usize).min(ROWS);
        let log = &self.recorder.log;
        let found = log.newest_first().filter_map(|(seq, at_us, entry)| row(seq, at_us, entry, query));
        let mut rows: Vec<EventRow> = found.take(limit).collect();
        rows.reverse();
        EventRows { rows, total: log.total(), lost: log.start() }
    }
}

/// The line of an entry, if the query asks for it.
fn row(seq: u64, at_us: u64, entry: LogEntry<'_>, query: &EventsQuery) -> Option<EventRow> {
    let (kind, request, replica) = match entry {
        LogEntry::Note(Note::Edit(_)) => (EventKind::Edit, None, None),
        LogEntry::Note(Note::Anomaly { request, replica, .. }) => {
            (EventKind::Anomaly, *request, Some(*replica))
        }
        LogEntry::Fact(fact) => (kind_of(fact), fact.request().map(|r| r.0), fact.replica().map(|r| r.0)),
    };
    let wanted = (query.kinds.is_empty() || query.kinds.contains(&kind))
        && (query.request.is_none() || query.request == request)
        && (query.replica.is_none() || query.replica == replica);
    if !wanted {
        return None;
    }
    let text = match entry {
        LogEntry::Note(Note::Edit(text)) => text.clone(),
        LogEntry::Note(Note::Anomaly { kind, text, .. }) => format!("{}: {text}", kind.name()),
        LogEntry::Fact(fact) => words(fact),
    };
    Some(EventRow { seq, at_us, kind, request, replica, text })
}

/// The kind of a fact.
pub(in crate::session) fn kind_of(fact: &Fact) -> EventKind {
    match fact {
        Fact::Handover(HandoverFact::Decided { .. }) => EventKind::Decided,
        Fact::Handover(HandoverFact::Prefilled { .. }) => EventKind::PrefillDone,
        Fact::Handover(HandoverFact::Reserved { .. }) => EventKind::Reserved,
        Fact::Handover(HandoverFact::TransferStarted { .. } | HandoverFact::Flows { .. }) => {
            EventKind::Transfer
        }
        Fact::Handover(HandoverFact::Landed { .. }) => EventKind::Landed,
        Fact::Handover(HandoverFact::Joined { .. }) => EventKind::Joined,
        Fact::Handover(
            HandoverFact::GivenUp { .. }
            | HandoverFact::KvLost { .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. },
        ) => EventKind::HandoverGivenUp,
        Fact::Request(RequestFact::Arrived { .. }) => EventKind::Arrived,
        Fact::Request(RequestFact::Admitted { .. }) => EventKind::Admitted,
        Fact::Request(RequestFact::Rejected { .. }) => EventKind::Rejected,
        Fact::Request(RequestFact::Delayed { .. }) => EventKind::Delayed,
        Fact::Request(
            RequestFact::Enqueued { .. } | RequestFact::Dispatched { .. } | RequestFact::Expired { .. },
        ) => EventKind::GatewayQueue,
        Fact::Request(RequestFact::Routed { .. }) => EventKind::Routed,
        Fact::Request(RequestFact::Queued { .. }) => EventKind::Queued,
        Fact::Request(RequestFact::Dropped { .. }) => EventKind::Dropped,
        Fact::Request(RequestFact::Scheduled { .. }) => EventKind::Scheduled,
        Fact::Replica(ReplicaFact::StepStarted { .. }) => EventKind::Step,
        Fact::Replica(ReplicaFact::StepEnded { .. }) => EventKind::StepEnd,
        Fact::Request(RequestFact::Prefilled { .. }) => EventKind::Prefill,
        Fact::Request(RequestFact::FirstToken { .. }) => EventKind::FirstToken,
        Fact::Replica(ReplicaFact::Tokens { .. }) => EventKind::Tokens,
        Fact::Request(RequestFact::Preempted { .. }) => EventKind::Preempted,
        Fact::Cache(CacheFact::LoadStarted { .. }) => EventKind::KvLoad,
        Fact::Cache(CacheFact::Loaded { .. } | CacheFact::LoadGivenUp { .. }) => EventKind::KvLoaded,
        Fact::Cache(CacheFact::AdapterLoaded { .. }) => EventKind::AdapterLoad,
        Fact::Cache(CacheFact::Offloaded { .. }) => EventKind::KvOffload,
        Fact::Cache(CacheFact::ReloadedEarly { .. }) => EventKind::Reload,
        Fact::Cache(CacheFact::HeadBlocked { .. } | CacheFact::HeadUnblocked { .. }) => EventKind::Blocked,
        Fact::Request(RequestFact::Completed { .. }) => EventKind::Completed,
        Fact::Cache(CacheFact::Livelock { .. }) => EventKind::Livelock,
        Fact::Fleet(
            FleetFact::Starting { .. }
            | FleetFact::StartGivenUp { .. }
            | FleetFact::Cold { .. }
            | FleetFact::Warm { .. }
            | FleetFact::Serving { .. }
            | FleetFact::Draining { .. },
        ) => EventKind::Replica,
        Fact::Fault(
            FaultFact::Down { .. }
            | FaultFact::Restarted { .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ejected { .. }
            | FaultFact::Readmitted { .. }
            | FaultFact::Began { .. }
            | FaultFact::Ended { .. },
        ) => EventKind::Fault,
        Fact::Fault(FaultFact::Broken { .. }) => EventKind::Broken,
        Fact::Fault(FaultFact::Retried { .. } | FaultFact::CameAgain { .. }) => EventKind::Retried,
        Fact::Fault(FaultFact::Lost { .. }) => EventKind::Lost,
        Fact::Fleet(FleetFact::Scaled { .. }) => EventKind::Scaling,
        Fact::Fleet(FleetFact::Redirected { .. }) => EventKind::Redirected,
    }
}

/// A fact in words, without its kind, request and replica.
fn words(fact: &Fact) -> String {
    match *fact {
        Fact::Request(fact) => request_words(fact),
        Fact::Replica(fact) => step_words(fact),
        Fact::Cache(fact) => cache_words(fact),
        Fact::Fleet(fact) => fleet_words(fact),
        Fact::Handover(fact) => handover_words(fact),
        Fact::Fault(fact) => fault_words(fact),
    }
}

fn handover_words(fact: HandoverFact) -> String {
    match fact {
        HandoverFact::Decided { prefill, reason, uncached, .. } => {
            let place = prefill.map_or_else(|| "at home".to_owned(), |replica| format!("on r{}", replica.0));
            let tokens = uncached.map(|n| format!(", {} uncached tokens", count(n.into())));
            format!("prefill {place}: {}{}", reason.name(), tokens.unwrap_or_default())
        }
        HandoverFact::Prefilled { home, ttft, blocks, .. } => {
            format!("TTFT {} here; holds {} blocks for r{}", duration(ttft.0), count(blocks.into()), home.0)
        }
        HandoverFact::Reserved { blocks, cached, .. } => {
            format!("{} blocks set aside, {} cached", count(blocks.into()), count(cached.into()))
        }
        HandoverFact::TransferStarted { from, to, bytes, early, .. } => {
            let early = match early {
                0 => String::new(),
                early => format!(", {} of them sent during the prefill", bytes_text(early)),
            };
            format!("r{} → r{}: {}{early}", from.0, to.0, bytes_text(bytes))
        }
        HandoverFact::Flows { from, to, .. } => format!("r{} → r{}: the first byte moves", from.0, to.0),
        HandoverFact::Landed { from, bytes, .. } => format!("{} from r{}", bytes_text(bytes), from.0),
        HandoverFact::Joined { .. } => "decodes from the next step on".to_owned(),
        HandoverFact::GivenUp { blocks, .. } => {
            format!("gives back {} blocks of the hand-over", count(blocks.into()))
        }
        HandoverFact::KvLost { .. } => "its KV is lost: its home computes its prompt".to_owned(),
        HandoverFact::Stranded { blocks, until, .. } => format!(
            "its home is lost: {} blocks are held until {} s",
            count(blocks.into()),
            fixed(until.0 as f64 / 1e6, 1)
        ),
        HandoverFact::LeaseOver { blocks, .. } => {
            format!("gives back {} blocks that nobody fetched", count(blocks.into()))
        }
    }
}

fn request_words(fact: RequestFact) -> String {
    match fact {
        RequestFact::Arrived { .. } | RequestFact::Admitted { .. } | RequestFact::Queued { .. } => {
            String::new()
        }
        RequestFact::Rejected { reason, .. } | RequestFact::Delayed { reason, .. } => {
            reason.name().to_owned()
        }
        RequestFact::Enqueued { band, .. } => format!("joins band {band} of the gateway's queue"),
        RequestFact::Dispatched { band, waited, .. } => {
            format!("goes on from band {band} after {}", duration(waited.0))
        }
        RequestFact::Expired { band, waited, .. } => {
            format!("leaves band {band} after {}: it waited for as long as it may", duration(waited.0))
        }
        RequestFact::Routed { replica, .. } => format!("to r{}", replica.0),
        RequestFact::Dropped { reason, .. } => reason.name().to_owned(),
        RequestFact::Scheduled { prefill, cached, .. } => {
            format!("{} tokens to prefill, {} cached", count(prefill.into()), count(cached.into()))
        }
        RequestFact::Prefilled { tokens, .. } => format!("{} tokens", count(tokens.into())),
        RequestFact::FirstToken { ttft, .. } => format!("TTFT {}", duration(ttft.0)),
        RequestFact::Preempted { .. } => "its blocks are lost".to_owned(),
        RequestFact::Completed { e2e, tokens, .. } => {
            format!("E2E {}, {} tokens", duration(e2e.0), count(tokens.into()))
        }
    }
}

fn step_words(fact: ReplicaFact) -> String {
    match fact {
        ReplicaFact::StepStarted { span, prefill, decode, .. } => {
            format!("{}: {} prefill tokens, {decode} decodes", duration(span.0), count(prefill.into()))
        }
        ReplicaFact::StepEnded { .. } => String::new(),
        ReplicaFact::Tokens { itl, count, .. } => format!("{count} × ITL {}", duration(itl.0)),
    }
}

fn cache_words(fact: CacheFact) -> String {
    match fact {
        CacheFact::LoadStarted { blocks, until, .. } => {
            format!("{blocks} blocks from the CPU tier until {} s", fixed(until.0 as f64 / 1e6, 6))
        }
        CacheFact::Loaded { blocks, .. } => format!("{blocks} blocks loaded from the CPU tier"),
        CacheFact::LoadGivenUp { blocks, .. } => {
            format!("gives back {blocks} blocks that other requests need")
        }
        CacheFact::Offloaded { blocks, forgotten, .. } => {
            format!("{blocks} blocks to the CPU tier, {forgotten} evicted there")
        }
        CacheFact::ReloadedEarly { blocks, .. } => {
            format!("{blocks} blocks loaded back right after being copied down")
        }
        CacheFact::HeadUnblocked { .. } => "no longer waits for blocks: the batch is full".to_owned(),
        CacheFact::HeadBlocked { behind, .. } => {
            format!("too few blocks at the head of the queue; #{} behind it would fit", behind.0)
        }
        CacheFact::AdapterLoaded { source, evicted, took, .. } => {
            let from = match source {
                AdapterSource::Cpu => "CPU memory",
                AdapterSource::Disk => "disk",
            };
            let slot = if evicted == 0 { "a free slot" } else { "the slot unused for longest" };
            format!("its adapter comes from {from} into {slot} in {}", duration(took.0))
        }
        CacheFact::Livelock { .. } => "1,000 preemptions and nothing finished between them".to_owned(),
    }
}

fn fault_words(fact: FaultFact) -> String {
    match fact {
        FaultFact::Down { until, planned: true, .. } if until != Micros::MAX => {
            format!("restarts, and is back at {} s", fixed(until.0 as f64 / 1e6, 1))
        }
        FaultFact::Down { until, .. } if until == Micros::MAX => "crashed, and does not come back".to_owned(),
        FaultFact::Down { until, .. } => {
            format!("crashed, and is back at {} s", fixed(until.0 as f64 / 1e6, 1))
        }
        FaultFact::Restarted { .. } => "is back with an empty cache".to_owned(),
        FaultFact::Noticed { serves: true, .. } => "routers know that it serves".to_owned(),
        FaultFact::Noticed { serves: false, .. } => "routers know that it is down".to_owned(),
        FaultFact::Began { replica, kind, until } => {
            let until = match until {
                Micros::MAX => "until the end of the run".to_owned(),
                until => format!("until {} s", fixed(until.0 as f64 / 1e6, 1)),
            };
            format!("{} {until}", wrong(kind, replica.is_none()))
        }
        FaultFact::Ended { replica, kind } => format!("no longer: {}", wrong(kind, replica.is_none())),
        FaultFact::Ejected { by, until: Micros::MAX, .. } => {
            format!("is ejected until its probes pass: {}", by.name())
        }
        FaultFact::Ejected { by, until, .. } => {
            format!("is ejected until {} s: {}", fixed(until.0 as f64 / 1e6, 1), by.name())
        }
        FaultFact::Readmitted { by, .. } => format!("is ejected no longer: {}", by.name()),
        FaultFact::Broken { reason, attempt, prefilled, generated, .. } => format!(
            "attempt {attempt}: {}; {} prompt tokens computed, {} tokens shown",
            reason.name(),
            count(prefilled.into()),
            count(generated.into())
        ),
        FaultFact::Retried { attempt, backoff, .. } => {
            format!("attempt {attempt} after {}", duration(backoff.0))
        }
        FaultFact::CameAgain { times: 1, .. } => "its client gave up once, and came again".to_owned(),
        FaultFact::CameAgain { times, .. } => format!("its client gave up {times} times, and came again"),
        FaultFact::Lost { reason, denied: true, .. } => format!("{}: no retry budget is left", reason.name()),
        FaultFact::Lost { reason, denied: false, .. } => reason.name().to_owned(),
    }
}

/// What is wrong with a replica, or with all of them.
fn wrong(kind: FaultKind, of_all: bool) -> &'static str {
    let words = kind.words();
    if of_all { words.of_all } else { words.of_one }
}

fn fleet_words(fact: FleetFact) -> String {
    match fact {
        FleetFact::Scaled { from, to, rule, .. } => format!("{from} → {to} replicas: {}", rule.name()),
        FleetFact::Starting { until, .. } => {
            format!("starts, and will serve at {} s", fixed(until.0 as f64 / 1e6, 1))
        }
        FleetFact::Cold { .. } => "is cold: its steps take longer".to_owned(),
        FleetFact::Warm { .. } => "is warm".to_owned(),
        FleetFact::StartGivenUp { .. } => "cancelled before it served".to_owned(),
        FleetFact::Redirected { .. } => "goes back to the router: its replica is removed".to_owned(),
        FleetFact::Serving { .. } => "takes requests".to_owned(),
        FleetFact::Draining { .. } => "takes no new requests".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::EventKind;

    #[test]
    fn the_list_of_kinds_is_whole_and_in_order() {
        assert!(EventKind::ALL.iter().enumerate().all(|(i, kind)| *kind as usize == i));
        assert_eq!(EventKind::ALL.len(), EventKind::Lost as usize + 1, "the last kind");
    }
}
