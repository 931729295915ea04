//! The event log in words.

use super::Session;
use super::frame::{EventRow, EventRows, EventsQuery};
use super::recorder::Entry;
use super::words::{count, duration};
use crate::engine::Fact;

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

fn row(seq: u64, at_us: u64, entry: &Entry) -> EventRow {
    let (kind, request, replica, text) = match entry {
        Entry::Edit(text) => ("edit", None, None, text.clone()),
        Entry::Anomaly { kind, request, replica, text } => {
            ("anomaly", *request, Some(*replica), format!("{}: {text}", kind.name()))
        }
        Entry::Fact(fact) => words(fact),
    };
    EventRow { seq, at_us, kind: kind.to_owned(), request, replica, text }
}

/// Kind, request, replica and the rest of a fact.
fn words(fact: &Fact) -> (&'static str, Option<u32>, Option<u32>, String) {
    match *fact {
        Fact::Arrived { request, .. } => ("arrived", Some(request.0), None, String::new()),
        Fact::Admitted { request } => ("admitted", Some(request.0), None, String::new()),
        Fact::Rejected { request, reason, replica } => {
            ("rejected", Some(request.0), replica.map(|r| r.0), reason.name().to_owned())
        }
        Fact::Delayed { request, reason } => ("delayed", Some(request.0), None, reason.name().to_owned()),
        Fact::Routed { request, replica } => {
            ("routed", Some(request.0), Some(replica.0), format!("to r{}", replica.0))
        }
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
            ("step", None, Some(replica.0), text)
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
        Fact::ReloadedEarly { request, replica, blocks } => {
            let text = format!("{blocks} blocks came back from the CPU tier right after they had gone there");
            ("reload", Some(request.0), Some(replica.0), text)
        }
        Fact::HeadUnblocked { request, replica } => (
            "blocked",
            Some(request.0),
            Some(replica.0),
            "not for blocks any more: the batch is full".to_owned(),
        ),
        Fact::HeadBlocked { request, behind, replica } => {
            let text = format!("too few blocks at the head of the queue; #{} behind it would fit", behind.0);
            ("blocked", Some(request.0), Some(replica.0), text)
        }
        Fact::Completed { request, replica, e2e, tokens, .. } => {
            let text = format!("E2E {}, {} tokens", duration(e2e.0), count(tokens.into()));
            ("completed", Some(request.0), Some(replica.0), text)
        }
        Fact::Livelock { request, replica } => {
            let text = "1,000 preemptions and nothing finished between them".to_owned();
            ("livelock", Some(request.0), Some(replica.0), text)
        }
        Fact::Serving { replica, .. } => ("replica", None, Some(replica.0), "takes requests".to_owned()),
        Fact::Draining { replica } => ("replica", None, Some(replica.0), "takes no new requests".to_owned()),
    }
}
