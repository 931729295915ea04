//! Inspection of one request: where its time went, and why it was sent to its replica.

use super::{Part, RequestDetail, RequestState};
use crate::observe::segments;
use crate::session::Session;
use base::number_text::duration;
use base::{Maybe, Period, RequestId, Span};
use engine::{Record, Stage};

impl Session {
    /// Everything known about a request; `None` if it has not arrived.
    pub fn inspect(&self, request: u32) -> Option<RequestDetail> {
        let id = RequestId(request);
        let row = self.row(id)?;
        let (r, p) = (&row.record, self.engine.progress(id));
        let tpot_us = (p.itl_count > 0).then(|| p.itl_sum.0 as f64 / f64::from(p.itl_count));
        let segments = segments::segments(&self.engine, id, self.playhead);
        let parts = segments::parts(&segments);
        let until = row.end().unwrap_or(self.playhead);
        Some(RequestDetail {
            request,
            label: row.name().unwrap_or_default().into_owned(),
            recorded_at: self.recorded_at(request),
            client: row.client().to_owned(),
            adapter: self.engine.adapter(id).map(|used| self.engine.source().adapter(used.adapter)),
            state: row.state(),
            summary: self.handover_summary(id, r).unwrap_or_else(|| summary(r, &parts)),
            replica: row.replica(),
            prompt_tokens: r.prompt_tokens,
            output_tokens: row.output_tokens(),
            cached_tokens: r.cached_tokens,
            preemptions: r.preemptions,
            blocks: p.blocks,
            arrival_us: row.arrival_us(),
            routed_us: r.routed.get().map(|at| at.0),
            ttft_us: row.ttft_us(),
            tpot_us,
            e2e_us: row.e2e_us(),
            total_us: parts.iter().map(|part| part.us).sum(),
            until_us: until.0,
            lasted_us: until.since(r.arrival).0,
            parts,
            candidates: self.recorder.decisions.candidates(id, Stage::Home),
            handover: self.handover_detail(id),
            attempts: self.attempts_of(id, &segments),
            segments,
        })
    }

    /// The slowest request that took no longer than `at_most`, among those that got their first token in a
    /// period (`ttft`) or finished in it: the request behind a point of a chart or distribution.
    pub fn slowest(&self, ttft: bool, period: Period, at_most: Span) -> Option<u32> {
        let took = |r: &Record| {
            let (span, at) =
                if ttft { (r.ttft, r.arrival + r.ttft.get()?) } else { (r.e2e, r.finish().get()?) };
            let span = span.get()?;
            (period.from <= at && at <= period.to && span <= at_most).then_some(span)
        };
        let all = (0..).zip(self.engine.records());
        all.filter_map(|(i, r)| took(&r).map(|span| (span, i))).max().map(|(_, i)| i)
    }
}

/// Its summary, in one sentence.
fn summary(r: &Record, parts: &[Part]) -> String {
    let place = r.replica().map_or_else(String::new, |id| format!("r{}", id.0));
    let took = |span: Maybe<Span>| span.get().map_or_else(String::new, |span| duration(span.0));
    let longest = parts.iter().rev().max_by_key(|part| part.us);
    let most = longest.map_or_else(String::new, |part| {
        format!("; most of its time went to {} ({})", part.kind.name(), duration(part.us))
    });
    match r.state() {
        RequestState::InPipeline if r.refused.is_some() => {
            let (by, why) = r.refused.map_or(("admission", ""), |reason| (reason.by(), reason.name()));
            format!("Held back by {by}: {why}{most}.")
        }
        RequestState::InPipeline => "On its way to a replica.".to_owned(),
        RequestState::Transferring => format!("Its KV is on its way to {place}{most}."),
        RequestState::Landed => format!("Its KV is on {place}, where it waits for the next step{most}."),
        RequestState::Queued if r.preemptions > 0 => {
            format!("Preempted on {place}, and waiting again{most}.")
        }
        RequestState::Queued => format!("Waiting on {place}{most}."),
        RequestState::Running if !r.ttft.is_known() => format!("Computing its prompt on {place}{most}."),
        RequestState::Running => {
            format!("Decoding on {place}, first token after {}{most}.", took(r.ttft))
        }
        RequestState::Completed => {
            format!("Finished on {place} in {}, first token after {}{most}.", took(r.e2e), took(r.ttft))
        }
        RequestState::Rejected => {
            let (by, why) = r.refused.map_or(("admission", ""), |reason| (reason.by(), reason.name()));
            let who = if r.replica().is_none() { by } else { &place };
            format!("Refused by {who}: {why}.")
        }
        RequestState::Lost => {
            let why = r.drop.map_or("", engine::DropReason::name);
            format!("Lost: {why}{most}.")
        }
        RequestState::Dropped => {
            let why = r.drop.map_or("", engine::DropReason::name);
            format!("Dropped on {place}: {why}.")
        }
    }
}
