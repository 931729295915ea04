//! One request in full: where its time went, and why it was sent where it was.

use super::{RequestDetail, Segment, SegmentKind};
use crate::base::{Maybe, Micros, RequestId, Span};
use crate::engine::{Fact, Record, RequestState};
use crate::observe::recorder::LogEntry;
use crate::observe::words::duration;
use crate::policy::Reason;
use crate::session::Session;

impl Session {
    /// Everything known about a request; `None` if it has not arrived.
    pub fn inspect(&self, request: u32) -> Option<RequestDetail> {
        let id = RequestId(request);
        let r = self.engine.records().get(id.index())?;
        let p = self.engine.progress(id);
        let tpot_us = (p.itl_count > 0).then(|| p.itl_sum.0 as f64 / f64::from(p.itl_count));
        let segments = self.segments(id, r);
        Some(RequestDetail {
            request,
            label: self.label_of(r),
            client: self.engine.source().clients().get(r.client as usize).cloned().unwrap_or_default(),
            state: r.state(),
            summary: summary(r, &segments),
            replica: r.replica().map(|id| id.0),
            prompt_tokens: r.prompt_tokens,
            output_tokens: p.generated.min(r.output_tokens),
            cached_tokens: r.cached_tokens,
            preemptions: r.preemptions,
            blocks: p.blocks,
            arrival_us: r.arrival.0,
            ttft_us: r.ttft.get().map(|ttft| ttft.0),
            tpot_us,
            e2e_us: r.e2e.get().map(|e2e| e2e.0),
            segments,
            candidates: self.recorder.decisions.candidates(id),
        })
    }

    fn label_of(&self, r: &Record) -> String {
        let listed = self.plan.scenario().workload.requests.get(r.listed as usize);
        listed.map_or_else(String::new, |e| e.id.clone())
    }

    /// Where its time went, from the event log as far as it is kept, else from its record.
    fn segments(&self, id: RequestId, r: &Record) -> Vec<Segment> {
        let mut path = Path { segments: Vec::new(), since: r.arrival.0, now: self.playhead.0 };
        let mut seen_arrival = false;
        let mut shown = 0;
        let mut to_prefill = 0;
        let mut loading = false;
        for (at_us, entry) in &self.recorder.log {
            let LogEntry::Fact(fact) = entry else { continue };
            if fact.request() != Some(id) {
                continue;
            }
            match *fact {
                Fact::Arrived { .. } => seen_arrival = true,
                Fact::Admitted { .. } => path.end(SegmentKind::Admission, *at_us, 0),
                Fact::Routed { .. } => path.end(SegmentKind::Router, *at_us, 0),
                Fact::Queued { .. } => path.end(SegmentKind::Delay, *at_us, 0),
                Fact::LoadStarted { .. } => {
                    path.end(if shown == 0 { SegmentKind::Queue } else { SegmentKind::Preempted }, *at_us, 0);
                    loading = true;
                }
                Fact::Loaded { .. } | Fact::LoadGivenUp { .. } if loading => {
                    path.end(SegmentKind::KvLoad, *at_us, 0);
                    loading = false;
                }
                Fact::Scheduled { prefill, cached, .. } => {
                    path.end(if shown == 0 { SegmentKind::Queue } else { SegmentKind::Preempted }, *at_us, 0);
                    to_prefill = prefill - cached;
                }
                Fact::Prefilled { tokens, .. } => {
                    to_prefill = to_prefill.saturating_sub(tokens);
                    let kind = if shown == 0 { SegmentKind::Prefill } else { SegmentKind::Recompute };
                    path.end(kind, *at_us, tokens);
                    shown += u32::from(to_prefill == 0);
                }
                Fact::Preempted { .. } => path.end(SegmentKind::Decode, *at_us, 0),
                Fact::Completed { tokens, .. } => path.end(SegmentKind::Decode, *at_us, tokens),
                Fact::Dropped { .. } => path.end(SegmentKind::Queue, *at_us, 0),
                Fact::Rejected { reason, replica, .. } => {
                    let kind = match replica {
                        Some(_) => SegmentKind::Delay,
                        None if reason.is_of_admission() => SegmentKind::Admission,
                        None => SegmentKind::Router,
                    };
                    path.end(kind, *at_us, 0);
                }
                Fact::Delayed { .. }
                | Fact::StepStarted { .. }
                | Fact::StepEnded { .. }
                | Fact::FirstToken { .. }
                | Fact::Tokens { .. }
                | Fact::HeadBlocked { .. }
                | Fact::HeadUnblocked { .. }
                | Fact::Loaded { .. }
                | Fact::LoadGivenUp { .. }
                | Fact::Offloaded { .. }
                | Fact::ReloadedEarly { .. }
                | Fact::Livelock { .. }
                | Fact::Serving { .. }
                | Fact::Draining { .. } => {}
            }
        }
        if !seen_arrival {
            return from_record(r, self.playhead.0);
        }
        path.open(r, shown);
        path.segments
    }
}

/// Segments one after the other.
struct Path {
    segments: Vec<Segment>,
    since: u64,
    now: u64,
}

impl Path {
    /// The time since the last segment was of this kind; nothing to show if it took no time.
    fn end(&mut self, kind: SegmentKind, at: u64, tokens: u32) {
        if at > self.since {
            let (from_us, to_us) = (self.since, at);
            match self.segments.last_mut() {
                Some(last) if last.kind == kind => {
                    last.to_us = to_us;
                    last.tokens += tokens;
                }
                _ => {
                    self.segments.push(Segment { kind, from_us, to_us, tokens, open: false });
                }
            }
        }
        self.since = at.max(self.since);
    }

    /// What it is doing now.
    fn open(&mut self, r: &Record, shown: u32) {
        let kind = match r.state() {
            RequestState::InPipeline if r.routed.is_known() => SegmentKind::Delay,
            RequestState::InPipeline if r.refused.is_some() => SegmentKind::Admission,
            RequestState::InPipeline => SegmentKind::Router,
            RequestState::Queued if r.load_until.get().is_some_and(|until| self.now < until.0) => {
                SegmentKind::KvLoad
            }
            RequestState::Queued if shown > 0 => SegmentKind::Preempted,
            RequestState::Queued => SegmentKind::Queue,
            RequestState::Running if r.ttft.is_known() => SegmentKind::Decode,
            RequestState::Running => SegmentKind::Prefill,
            RequestState::Completed | RequestState::Rejected | RequestState::Dropped => return,
        };
        let (from_us, to_us) = (self.since, self.now.max(self.since));
        self.segments.push(Segment { kind, from_us, to_us, tokens: 0, open: true });
    }
}

/// The segments that can be told from its record alone, without preemptions.
fn from_record(r: &Record, now: u64) -> Vec<Segment> {
    let finish = r.finish.get();
    let first_token = r.ttft.get().map(|ttft| r.arrival + ttft);
    let first_token = first_token.map(|at| finish.map_or(at, |finish| at.min(finish)));
    // A load after the first time in the batch belongs to a later wait.
    let loaded = r.load_until.get().zip(r.first_scheduled.get());
    let before_first = r.load_until.is_known() && loaded.is_none_or(|(until, first)| until <= first);
    let load = |at: Maybe<Micros>| {
        if before_first { at.get().filter(|at| at.0 <= now) } else { r.queued.get() }
    };
    let marks = [
        (SegmentKind::Router, r.routed.get()),
        (SegmentKind::Delay, r.queued.get()),
        (SegmentKind::Queue, load(r.load_from)),
        (SegmentKind::KvLoad, load(r.load_until)),
        (SegmentKind::Queue, r.first_scheduled.get()),
        (SegmentKind::Prefill, first_token),
        (SegmentKind::Decode, finish),
    ];
    let mut path = Path { segments: Vec::new(), since: r.arrival.0, now };
    for (kind, at) in marks {
        let Some(at) = at else {
            path.open(r, u32::from(r.preemptions > 0));
            break;
        };
        path.end(kind, at.0, 0);
    }
    path.segments
}

/// What happened to it, in one sentence.
fn summary(r: &Record, segments: &[Segment]) -> String {
    let place = r.replica().map_or_else(String::new, |id| format!("r{}", id.0));
    let took = |span: Maybe<Span>| span.get().map_or_else(String::new, |span| duration(span.0));
    let longest = segments.iter().max_by_key(|s| (s.to_us - s.from_us, std::cmp::Reverse(s.from_us)));
    let most = longest.map_or_else(String::new, |s| {
        format!("; its longest segment was {} ({})", s.kind.name(), duration(s.to_us - s.from_us))
    });
    match r.state() {
        RequestState::InPipeline if r.refused.is_some() => {
            format!("Held back by admission: {}{most}.", r.refused.map_or("", Reason::name))
        }
        RequestState::InPipeline => "On its way to a replica.".to_owned(),
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
        RequestState::Dropped => {
            let why = r.drop.map_or("", crate::engine::DropReason::name);
            format!("Dropped on {place}: {why}.")
        }
    }
}
