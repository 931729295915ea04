//! The event log in words.

use crate::base::{ReplicaId, RequestId};
use crate::engine::Fact;
use crate::observe::recorder::LogEntry;
use crate::observe::words::{count, duration};
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// One line of the event log.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct EventRow {
    /// Number of the line; lines are numbered from 0 and the oldest may be gone.
    pub seq: u64,
    /// When, in microseconds.
    pub at_us: u64,
    /// What happened: `arrived`, `admitted`, `rejected`, `delayed`, `routed`, `queued`, `scheduled`, `step`, `first-token`, `preempted`, `completed`, `dropped`, `edit`, `replica`, `blocked`, `kv-offload`, `kv-load`, `kv-loaded`, `anomaly`.
    pub kind: String,
    /// The request, where there is one.
    #[cfg_attr(feature = "cli", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<u32>,
    /// The replica, where there is one.
    #[cfg_attr(feature = "cli", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// The rest in words, such as `TTFT 24.1 ms`.
    pub text: String,
}

/// Which lines of the event log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct EventsQuery {
    /// Only these kinds; empty means all.
    pub kinds: Vec<String>,
    /// Only this request.
    #[cfg_attr(feature = "cli", ts(optional))]
    pub request: Option<u32>,
    /// Only this replica.
    #[cfg_attr(feature = "cli", ts(optional))]
    pub replica: Option<u32>,
    /// At most this many, the newest.
    pub limit: u32,
}

/// The answer to an [`EventsQuery`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
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
        let start = self.recorder.log_start;
        let limit = (query.limit as usize).min(ROWS);
        let log = &self.recorder.log;
        let mut rows = Vec::new();
        for (k, (at_us, entry)) in log.iter().enumerate().rev() {
            if rows.len() == limit {
                break;
            }
            let row = row(start + k as u64, *at_us, entry);
            let kind = query.kinds.is_empty() || query.kinds.contains(&row.kind);
            let request = query.request.is_none_or(|r| row.request == Some(r));
            let replica = query.replica.is_none_or(|r| row.replica == Some(r));
            if kind && request && replica {
                rows.push(row);
            }
        }
        rows.reverse();
        EventRows { rows, total: start + log.len() as u64, lost: start }
    }
}

fn row(seq: u64, at_us: u64, entry: &LogEntry) -> EventRow {
    let (kind, request, replica, text) = match entry {
        LogEntry::Edit(text) => ("edit", None, None, text.clone()),
        LogEntry::Anomaly { kind, request, replica, text } => {
            ("anomaly", *request, Some(*replica), format!("{}: {text}", kind.name()))
        }
        LogEntry::Fact(fact) => words(fact),
    };
    EventRow { seq, at_us, kind: kind.to_owned(), request, replica, text }
}

/// Kind, request, replica and the rest.
type Words = (&'static str, Option<u32>, Option<u32>, String);

/// What happened to a request on a replica.
fn of(kind: &'static str, request: RequestId, replica: ReplicaId, text: String) -> Words {
    (kind, Some(request.0), Some(replica.0), text)
}

/// What happened on a replica.
fn on(kind: &'static str, replica: ReplicaId, text: String) -> Words {
    (kind, None, Some(replica.0), text)
}

/// A fact in words.
fn words(fact: &Fact) -> Words {
    match *fact {
        Fact::Arrived { request, .. } => ("arrived", Some(request.0), None, String::new()),
        Fact::Admitted { request } => ("admitted", Some(request.0), None, String::new()),
        Fact::Rejected { request, reason, replica } => {
            ("rejected", Some(request.0), replica.map(|r| r.0), reason.name().to_owned())
        }
        Fact::Delayed { request, reason } => ("delayed", Some(request.0), None, reason.name().to_owned()),
        Fact::Routed { request, replica } => of("routed", request, replica, format!("to r{}", replica.0)),
        Fact::Queued { request, replica, .. } => ("queued", Some(request.0), Some(replica.0), String::new()),
        Fact::Dropped { request, replica, reason, .. } => {
            ("dropped", Some(request.0), Some(replica.0), reason.name().to_owned())
        }
        Fact::Scheduled { request, replica, prefill, cached, .. } => {
            let text =
                format!("{} tokens to prefill, {} cached", count(prefill.into()), count(cached.into()));
            ("scheduled", Some(request.0), Some(replica.0), text)
        }
        Fact::StepStarted { replica, span, prefill, decode, .. } => {
            let text =
                format!("{}: {} prefill tokens, {decode} decodes", duration(span.0), count(prefill.into()));
            on("step", replica, text)
        }
        Fact::StepEnded { replica } => ("step-end", None, Some(replica.0), String::new()),
        Fact::Prefilled { request, replica, tokens } => {
            ("prefill", Some(request.0), Some(replica.0), format!("{} tokens", count(tokens.into())))
        }
        Fact::FirstToken { request, replica, ttft } => {
            ("first-token", Some(request.0), Some(replica.0), format!("TTFT {}", duration(ttft.0)))
        }
        Fact::Tokens { replica, itl, count } => {
            ("tokens", None, Some(replica.0), format!("{count} × ITL {}", duration(itl.0)))
        }
        Fact::Preempted { request, replica, .. } => {
            ("preempted", Some(request.0), Some(replica.0), "its blocks are lost".to_owned())
        }
        Fact::LoadStarted { request, replica, blocks, until, .. } => {
            of("kv-load", request, replica, format!("{blocks} blocks from the CPU tier until {} µs", until.0))
        }
        Fact::Loaded { request, replica, blocks, .. } => {
            of("kv-loaded", request, replica, format!("{blocks} blocks have come from the CPU tier"))
        }
        Fact::LoadGivenUp { request, replica, blocks } => {
            of("kv-loaded", request, replica, format!("gives {blocks} blocks back: others need the room"))
        }
        Fact::Offloaded { replica, blocks, forgotten } => {
            on("kv-offload", replica, format!("{blocks} blocks to the CPU tier, {forgotten} forgotten there"))
        }
        Fact::ReloadedEarly { request, replica, blocks } => {
            of("reload", request, replica, format!("{blocks} blocks came back right after they had left"))
        }
        Fact::HeadUnblocked { request, replica } => {
            of("blocked", request, replica, "not for blocks any more: the batch is full".to_owned())
        }
        Fact::HeadBlocked { request, behind, replica } => {
            let text = format!("too few blocks at the head of the queue; #{} behind it would fit", behind.0);
            of("blocked", request, replica, text)
        }
        Fact::Completed { request, replica, e2e, tokens, .. } => {
            let text = format!("E2E {}, {} tokens", duration(e2e.0), count(tokens.into()));
            of("completed", request, replica, text)
        }
        Fact::Livelock { request, replica } => {
            of("livelock", request, replica, "1,000 preemptions and nothing finished between them".to_owned())
        }
        Fact::Serving { replica, .. } => ("replica", None, Some(replica.0), "takes requests".to_owned()),
        Fact::Draining { replica } => ("replica", None, Some(replica.0), "takes no new requests".to_owned()),
    }
}
