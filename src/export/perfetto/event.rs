//! What a trace is made of: slices, instants and values of counters, each in its place.

use base::{Micros, ReplicaId, RequestId};
use engine::policy::Reason;
use engine::{DropReason, FaultFact, FleetFact, Stage};
use run::observe::anomaly::AnomalyKind;
use std::collections::BTreeMap;

/// A process of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Process {
    /// Edits, anomalies and changes of the fleet.
    Edits,
    /// The gateway.
    Gateway,
    /// A replica.
    Replica(u32),
}

/// A lane of a process. Packed lanes are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lane {
    Edits,
    Anomalies,
    Fleet,
    Decisions,
    Refusals,
    Held(u32),
    Steps(u32),
    Requests(u32),
}

/// Where something is drawn.
pub(super) type Place = (Process, Lane);

/// A candidate of a decision and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Best {
    pub(super) replica: u32,
    pub(super) score: f64,
}

/// A routing decision.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decided {
    pub(super) request: RequestId,
    pub(super) class: u32,
    pub(super) stage: Stage,
    pub(super) chosen: Option<ReplicaId>,
    /// The best candidates, best first.
    pub(super) best: Vec<Best>,
    /// The parts of the score of the chosen one.
    pub(super) parts: Vec<(&'static str, f64)>,
}

/// Why a request was not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Rejected(Reason),
    Dropped(DropReason),
}

/// The values of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    Arrived(u32),
    Held(u32),
    Requests {
        waiting: u32,
        running: u32,
    },
    KvBlocks(u32),
    /// In thousandths.
    HitShare(u32),
}

/// What a request does at a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Queue,
    KvLoad {
        blocks: u32,
    },
    /// A piece of its prompt is computed in a step; the first one tells what was found in the cache.
    Chunk {
        tokens: u32,
        cached: u32,
        again: bool,
    },
    Decode {
        output: Option<u32>,
    },
    Preempted {
        times: u32,
    },
    /// Prefilled here, held for its home.
    Held,
    /// Blocks are set aside for it.
    Reserved,
    /// Its KV is here.
    Landed,
}

/// What a slice, an instant or a counter says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Step {
        prompt: u32,
        decode: u32,
        running: u32,
        waiting: u32,
        kv: u32,
    },
    /// All of a request's time at a replica.
    Stay {
        request: RequestId,
        client: u32,
        class: u32,
        prompt: u32,
        output: u32,
        preemptions: u32,
        end: &'static str,
    },
    /// A part of that time.
    Phase(Phase),
    /// At the gateway.
    AtGateway {
        request: RequestId,
        class: u32,
    },
    Decision(Box<Decided>),
    /// A replica broke, or is back.
    Fault(FaultFact),
    Refused {
        request: RequestId,
        class: u32,
        why: Refusal,
    },
    Fleet(FleetFact),
    Edit(String),
    Anomaly {
        kind: AnomalyKind,
        replica: u32,
        request: Option<RequestId>,
        text: String,
    },
    Counter(Counter),
}

/// One end of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flow {
    #[default]
    None,
    /// It begins in this slice.
    From(u32),
    /// It ends in this slice.
    To(u32),
}

/// A slice, an instant or a value of a counter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) at: Micros,
    /// Its order among those of one instant: what contains others comes before them.
    pub(super) seq: u32,
    /// `None` for what takes no time.
    pub(super) span_us: Option<u64>,
    pub(super) process: Process,
    /// `None` for a counter.
    pub(super) lane: Option<Lane>,
    pub(super) flow: Flow,
    pub(super) what: What,
}

/// A slice that has begun. Its number is its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) at: Micros,
    seq: u32,
}

/// The events so far.
#[derive(Debug)]
pub(super) struct Log {
    /// The span that was asked for.
    pub(super) from: Micros,
    pub(super) to: Micros,
    pub(super) most: u32,
    pub(super) events: Vec<Event>,
    seq: u32,
    slices: u32,
    counters: u32,
    /// When the limit was reached.
    full: Option<Micros>,
    /// By the order of a decision: the flow that begins there.
    begun: BTreeMap<u32, u32>,
}

impl Log {
    pub(super) fn new(from: Micros, to: Micros, most: u32) -> Self {
        let (events, begun) = (Vec::new(), BTreeMap::new());
        Self { from, to, most, events, seq: 0, slices: 0, counters: 0, full: None, begun }
    }

    /// When the limit was reached, if it was.
    pub(super) fn full(&self) -> Option<Micros> {
        self.full
    }

    /// A slice begins.
    pub(super) fn open(&mut self, at: Micros) -> Open {
        let seq = self.seq;
        self.seq = self.seq.saturating_add(1);
        Open { at, seq }
    }

    /// Whether what lasts from one instant to another is of the span, and there is room for it. Takes the room.
    fn takes(&mut self, from: Micros, to: Micros) -> bool {
        let end = self.full.unwrap_or(self.to);
        if to < self.from || from > end {
            return false;
        }
        if self.slices == self.most {
            self.full.get_or_insert(from.max(self.from));
            return false;
        }
        self.slices += 1;
        true
    }

    /// The slice that began there ends. Whether it was taken.
    pub(super) fn close(&mut self, open: Open, to: Micros, (process, lane): Place, what: What) -> bool {
        let to = to.max(open.at);
        let taken = self.takes(open.at, to);
        if taken {
            let span_us = Some(to.0 - open.at.0);
            let (at, seq, flow) = (open.at, open.seq, Flow::None);
            self.events.push(Event { at, seq, span_us, process, lane: Some(lane), flow, what });
        }
        taken
    }

    /// The flow ends in the slice that was taken last.
    pub(super) fn end_flow(&mut self, (flow, from): (u32, u32)) {
        if let Some(event) = self.events.last_mut() {
            event.flow = Flow::To(flow);
            self.begun.insert(from, flow);
        }
    }

    /// Something that takes no time. Gives its order, if it was taken.
    pub(super) fn instant(&mut self, at: Micros, (process, lane): Place, what: What) -> Option<u32> {
        let open = self.open(at);
        self.takes(at, at).then(|| {
            let (seq, lane) = (open.seq, Some(lane));
            self.events.push(Event { at, seq, span_us: None, process, lane, flow: Flow::None, what });
            seq
        })
    }

    /// An instant that is known at the end: beyond the limit, but there are few.
    pub(super) fn late(&mut self, at: Micros, (process, lane): Place, what: What) {
        let open = self.open(at);
        if at >= self.from && at <= self.full.unwrap_or(self.to) {
            let (seq, lane) = (open.seq, Some(lane));
            self.events.push(Event { at, seq, span_us: None, process, lane, flow: Flow::None, what });
        }
    }

    /// A counter has new values.
    pub(super) fn count(&mut self, at: Micros, process: Process, counter: Counter) {
        let open = self.open(at);
        if at < self.from || at > self.full.unwrap_or(self.to) {
            return;
        }
        if self.counters == self.most {
            self.full = Some(at);
            return;
        }
        self.counters += 1;
        let (seq, what) = (open.seq, What::Counter(counter));
        self.events.push(Event { at, seq, span_us: None, process, lane: None, flow: Flow::None, what });
    }

    /// In order of time.
    pub(super) fn sort(&mut self) {
        for event in &mut self.events {
            if let Some(flow) = self.begun.get(&event.seq) {
                event.flow = Flow::From(*flow);
            }
        }
        self.events.sort_by_key(|event| (event.at, event.seq));
    }
}
