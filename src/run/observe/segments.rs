//! Where a request's time went: segments that follow each other without gaps and add up to its E2E, to the microsecond.
//!
//! They are made from its record and, for a preempted request, from its stays in a batch. So they do not depend on
//! how long ago it was or whether the run was watched.

mod remote;

use base::{Micros, RequestId};
use document::Compat;
use engine::{Cluster, Progress, Record};
use serde::Serialize;

/// What a request does or waits for in a part of its time.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SegmentKind {
    /// On its way to admission, or delayed there.
    Admission,
    /// In the gateway's queue: its band may not send while the replicas are saturated.
    Gateway,
    /// On its way to the router.
    Router,
    /// In an attempt that broke, from its routing on.
    Broken,
    /// After an attempt that broke, until the router decides again.
    BackOff,
    /// In the front end of its replica, behind requests and tokens that came there before, until its prompt is tokenised.
    FrontEnd,
    /// On its way to the wait queue.
    Delay,
    /// In the wait queue.
    Queue,
    /// Waiting for blocks to be loaded from the CPU tier.
    KvLoad,
    /// In the step that it joined, waiting for its adapter to be loaded to the GPU.
    AdapterLoad,
    /// Computing its prompt.
    Prefill,
    /// Prefilled elsewhere: waiting until its home has set blocks aside for it.
    Room,
    /// Prefilled elsewhere: its transfer has started, and no byte has moved.
    FirstByte,
    /// Prefilled elsewhere: its KV is on its way to its home.
    Transfer,
    /// Prefilled elsewhere: its KV is at home, where it waits for the running step to end.
    Join,
    /// Prefilled elsewhere: in its first step at home, which makes its first token.
    FirstToken,
    /// Producing tokens.
    Decode,
    /// In the wait queue again, after it lost its blocks.
    Preempted,
    /// Recomputing the tokens that it lost.
    Recompute,
    /// Its last token, or its first in an account of TTFT, in the front end until it is written to the client.
    Streaming,
    /// Output processing of its tokens, which is no part of a step: the client waits for it, the engine does not.
    Output,
}

impl SegmentKind {
    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Admission => "admission",
            Self::Gateway => "gateway queue",
            Self::Router => "router",
            Self::Broken => "broken attempt",
            Self::BackOff => "back-off",
            Self::FrontEnd => "front end",
            Self::Delay => "delay",
            Self::Queue => "queue",
            Self::KvLoad => "KV load",
            Self::AdapterLoad => "adapter load",
            Self::Prefill => "prefill",
            Self::Room => "room at home",
            Self::FirstByte => "first byte",
            Self::Transfer => "transfer",
            Self::Join => "joining",
            Self::FirstToken => "first token",
            Self::Decode => "decode",
            Self::Preempted => "preempted",
            Self::Recompute => "recompute",
            Self::Streaming => "streaming",
            Self::Output => "output processing",
        }
    }
}

/// A part of a request's time, spent on one activity.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Segment {
    /// The activity or wait.
    pub kind: SegmentKind,
    /// Start in microseconds.
    pub from_us: u64,
    /// End in microseconds; the playhead for an open one.
    pub to_us: u64,
    /// Tokens computed, produced or processed in it.
    pub tokens: u32,
    /// Whether it is still open.
    pub open: bool,
}

/// All of a request's time spent on one activity.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The activity or wait.
    pub kind: SegmentKind,
    /// How long, in microseconds.
    pub us: u64,
    /// Tokens computed, produced or processed in it.
    pub tokens: u32,
    /// In how many segments.
    pub segments: u32,
}

/// The segments summed by activity, in the order in which each began.
pub(crate) fn parts(segments: &[Segment]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut before = None;
    for s in segments {
        let us = s.to_us - s.from_us;
        let goes_on = before.replace(s.kind) == Some(s.kind);
        match parts.iter_mut().find(|part| part.kind == s.kind) {
            Some(part) => {
                part.us += us;
                part.tokens += s.tokens;
                part.segments += u32::from(!goes_on);
            }
            None => parts.push(Part { kind: s.kind, us, tokens: s.tokens, segments: 1 }),
        }
    }
    parts
}

/// Where the time of a request went, up to `now` or until it left.
pub fn segments(engine: &Cluster, id: RequestId, now: Micros) -> Vec<Segment> {
    let r = engine.records().at(id.index());
    let p = engine.progress(id);
    let computed = r.e2e.get().map(|e2e| (r.arrival + e2e).0 - p.output_time.0);
    let end = r.left.get().unwrap_or(now).0;
    let mut path = Path {
        segments: Vec::new(),
        since: r.arrival.0,
        end: computed.map_or(end, |computed| computed.min(end)),
        open: !r.left.is_known(),
    };
    if path.gateway(engine, id, &r) {
        match engine.handover(id).filter(|h| h.prefill.is_some()) {
            Some(handover) => path.remote(engine, id, (&r, &p), handover),
            None if path.before_queue(&r) => path.replica(engine, id, &r, &p),
            None => {}
        }
    }
    path.last_step(computed, &r, &p);
    if computed.is_some() {
        path.add(SegmentKind::Streaming, path.since + r.streamed[1].0, 1);
    }
    let shown = match r.e2e.get() {
        Some(e2e) => (r.arrival + e2e).0,
        None if path.open => path.since + p.output_time.0,
        None => 0,
    };
    path.add(SegmentKind::Output, shown, p.generated);
    path.segments
}

/// Segments one after the other.
struct Path {
    segments: Vec<Segment>,
    since: u64,
    /// Now, or when the request left.
    end: u64,
    /// Whether the request is still in the system.
    open: bool,
}

impl Path {
    /// Adds a segment of this kind from the end of the last one until `at`; an empty one is left out.
    fn add(&mut self, kind: SegmentKind, at: u64, tokens: u32) {
        if at > self.since {
            let (from_us, to_us) = (self.since, at);
            match self.segments.last_mut() {
                Some(last) if last.kind == kind => {
                    last.to_us = to_us;
                    last.tokens += tokens;
                }
                _ => self.segments.push(Segment { kind, from_us, to_us, tokens, open: false }),
            }
            self.since = at;
        }
    }

    /// Adds a segment until `at`, or an open one without `at`. Returns whether the path continues.
    fn until(&mut self, kind: SegmentKind, at: Option<Micros>, tokens: u32) -> bool {
        let passed = at.is_some_and(|at| at.0 <= self.end);
        self.add(kind, at.map_or(self.end, |at| at.0.min(self.end)), tokens);
        if !passed && self.open {
            if self.segments.last().is_none_or(|last| last.kind != kind) {
                let (from_us, to_us) = (self.since, self.since);
                self.segments.push(Segment { kind, from_us, to_us, tokens, open: true });
            }
            self.segments.last_mut().expect("INV-3: a segment was just added").open = true;
        }
        passed
    }

    /// Adds the segments before the router's decision.
    fn gateway(&mut self, engine: &Cluster, id: RequestId, r: &Record) -> bool {
        let let_in = match r.entered.get() {
            None => self.until(SegmentKind::Admission, r.admitted.get(), 0),
            entered => {
                self.until(SegmentKind::Admission, entered, 0)
                    && self.until(SegmentKind::Gateway, r.admitted.get(), 0)
            }
        };
        let mut way = SegmentKind::Router;
        // An answer that went on elsewhere has its stays instead.
        for attempt in engine.attempts(id).filter(|attempt| attempt.generated == 0) {
            self.add(way, attempt.routed.0.min(self.end), 0);
            self.add(SegmentKind::Broken, attempt.broke.0.min(self.end), attempt.prefilled);
            way = SegmentKind::BackOff;
        }
        let_in && self.until(way, r.routed.get(), 0)
    }

    /// Adds the segments from the router's decision to the wait queue.
    fn before_queue(&mut self, r: &Record) -> bool {
        let tokenised = r.tokenised.get();
        (tokenised.is_none() || self.until(SegmentKind::FrontEnd, tokenised, 0))
            && self.until(SegmentKind::Delay, r.queued.get(), 0)
    }

    /// Adds the segments from joining the wait queue on.
    fn replica(&mut self, engine: &Cluster, id: RequestId, r: &Record, p: &Progress) {
        let (mut wait, mut work) = (SegmentKind::Queue, SegmentKind::Prefill);
        let mut shown = 0;
        let kept = engine.compat() == Compat::None;
        for stay in engine.stays(id) {
            self.wait(wait, stay.load(), Some(stay.from));
            self.adapter(engine, id, stay.from);
            self.until(work, Some(stay.decoding_from().unwrap_or(stay.to)), stay.prefilled);
            self.until(SegmentKind::Decode, Some(stay.to), stay.generated - shown);
            shown = if kept { stay.generated } else { 0 };
            (wait, work) = (SegmentKind::Preempted, SegmentKind::Recompute);
        }
        let over = !self.open && wait == SegmentKind::Preempted && self.since == self.end;
        let joined = r.scheduled.get().filter(|at| at.0 >= self.since);
        let joins = !over && self.wait(wait, engine.load(id), joined);
        if joins && joined.is_none_or(|at| self.adapter(engine, id, at)) {
            let computed = if self.open { p.decoding_from } else { first_token(r) };
            let prefilled = if self.open { p.stored.min(p.prefill) } else { r.prompt_tokens };
            if self.until(work, computed, prefilled.saturating_sub(r.cached_tokens)) {
                self.until(SegmentKind::Decode, None, p.generated - shown);
            }
        }
    }

    /// Adds the load of its adapter in the step that began `at`, when it joined, if there was one. Returns whether the path
    /// continues.
    fn adapter(&mut self, engine: &Cluster, id: RequestId, at: Micros) -> bool {
        let loaded = engine.adapter(id).and_then(|adapter| adapter.loaded).filter(|(_, from, _)| *from == at);
        loaded.is_none_or(|(_, _, until)| self.until(SegmentKind::AdapterLoad, Some(until), 0))
    }

    /// Under `compat: blis` a request completes as its last step begins: the rest of that step is a separate segment.
    fn last_step(&mut self, computed: Option<u64>, r: &Record, p: &Progress) {
        let Some(to_us) = computed.filter(|end| *end > self.since) else { return };
        let kind = match (p.generated, r.preemptions) {
            (2.., _) => SegmentKind::Decode,
            (_, 0) => SegmentKind::Prefill,
            (_, 1..) => SegmentKind::Recompute,
        };
        let tokens = match p.generated {
            _ if self.segments.last().is_some_and(|before| before.kind == kind) => 0,
            2.. => p.generated,
            _ => r.prompt_tokens.saturating_sub(r.cached_tokens),
        };
        self.segments.push(Segment { kind, from_us: self.since, to_us, tokens, open: false });
        self.since = to_us;
    }

    /// Adds a wait in the queue of a replica, with or without a load from the CPU tier.
    fn wait(&mut self, kind: SegmentKind, load: [Option<Micros>; 2], joined: Option<Micros>) -> bool {
        let [from, until] = load.map(|at| at.filter(|at| at.0 >= self.since));
        let loaded = from.is_none() || self.until(kind, from, 0) && self.until(SegmentKind::KvLoad, until, 0);
        loaded && self.until(kind, joined, 0)
    }
}

/// When the prompt of a request that left without a preemption was computed, if it was.
fn first_token(r: &Record) -> Option<Micros> {
    let shown = r.arrival + r.ttft.get()?;
    Some(Micros(shown.0 - r.first_output.0))
}
