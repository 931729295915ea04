//! Requests at the gateway and at replicas, and the steps of these: what becomes slices.

use super::event::{Counter, Lane, Log, Open, Phase, Place, Process, Refusal, What};
use super::lanes::Packed;
use base::{Micros, ReplicaId, RequestId, Span};
use engine::{CacheFact, HandoverFact, ReplicaFact, RequestFact};
use std::collections::{BTreeMap, VecDeque};

/// What a request does at a replica.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Queue(Open),
    /// In the batch, with a prompt to compute: its pieces are slices of their own.
    Prefill,
    Decode(Open),
    Preempted(Open),
    /// Prefilled, and held for its home.
    Held(Open),
    Reserved(Open),
    Landed(Open),
}

/// A request at a replica.
#[derive(Clone, Copy, Debug)]
struct Stay {
    row: u32,
    outer: Open,
    phase: Doing,
    /// A load from the CPU tier under way, and its blocks.
    load: Option<(Open, u32)>,
    prompt: u32,
    /// Tokens that are left to compute before it decodes.
    left: u32,
    /// Tokens found in the cache, until the first piece of the prompt has told.
    cached: u32,
    preemptions: u32,
    output: u32,
    /// The flow from its decision, until its first piece: its number, and the order of the decision.
    flow: Option<(u32, u32)>,
}

/// A replica.
#[derive(Clone, Debug, Default)]
struct AtReplica {
    requests: Packed,
    steps: Packed,
    stays: u32,
    /// Steps under way: start, duration.
    under_way: VecDeque<(Micros, Span)>,
    /// The step that ended last.
    ended: (Micros, Span),
    batch: [u32; 2],
    kv: u32,
    prompts: u64,
    cached: u64,
    hit_share: u32,
}

/// A counter that is written once its value has lasted.
#[derive(Clone, Copy, Debug, Default)]
struct Lasting {
    value: u32,
    since: Micros,
    written: u32,
}

impl Lasting {
    /// It has a new value. Gives the value before, and since when, if it lasted and was not written yet.
    fn set(&mut self, at: Micros, value: u32) -> Option<(Micros, u32)> {
        let lasted = (at > self.since && self.value != self.written).then_some((self.since, self.value));
        if let Some((_, before)) = lasted {
            self.written = before;
        }
        (self.value, self.since) = (value, at);
        lasted
    }
}

/// All of them.
#[derive(Clone, Debug)]
pub(super) struct Stays {
    /// Whether the results of a step are reported at its beginning, as under `compat: blis`.
    blis: bool,
    /// Client and class of each request.
    who: Vec<(u32, u32)>,
    gateway: Packed,
    held: BTreeMap<RequestId, (Open, u32)>,
    counted: Lasting,
    open: BTreeMap<(RequestId, ReplicaId), Stay>,
    flows: BTreeMap<(RequestId, ReplicaId), (u32, u32)>,
    replicas: Vec<AtReplica>,
}

impl Stays {
    pub(super) fn new(blis: bool) -> Self {
        Self {
            blis,
            who: Vec::new(),
            gateway: Packed::default(),
            held: BTreeMap::new(),
            counted: Lasting::default(),
            open: BTreeMap::new(),
            flows: BTreeMap::new(),
            replicas: Vec::new(),
        }
    }

    fn who(&self, request: RequestId) -> (u32, u32) {
        self.who.get(request.index()).copied().unwrap_or_default()
    }

    /// The class of a request that has arrived.
    pub(super) fn class_of(&self, request: RequestId) -> u32 {
        self.who(request).1
    }

    fn replica(&mut self, id: ReplicaId) -> &mut AtReplica {
        if self.replicas.len() <= id.index() {
            self.replicas.resize_with(id.index() + 1, AtReplica::default);
        }
        &mut self.replicas[id.index()]
    }

    /// The router chose: the flow goes to the first piece of the prompt that is computed there.
    pub(super) fn expect(&mut self, request: RequestId, chosen: ReplicaId, flow: (u32, u32)) {
        self.flows.insert((request, chosen), flow);
    }

    /// A request is at the gateway.
    pub(super) fn hold(&mut self, at: Micros, request: RequestId, log: &mut Log) {
        let row = self.gateway.take(at);
        self.held.insert(request, (log.open(at), row));
        self.count_held(at, log);
    }

    /// It is lost at the gateway.
    pub(super) fn give_up(&mut self, at: Micros, request: RequestId, log: &mut Log) {
        self.release(at, request, log);
    }

    /// It is there no longer.
    fn release(&mut self, at: Micros, request: RequestId, log: &mut Log) {
        let Some((open, row)) = self.held.remove(&request) else { return };
        self.gateway.release(row, at);
        let class = self.class_of(request);
        if at > open.at {
            log.close(open, at, (Process::Gateway, Lane::Held(row)), What::AtGateway { request, class });
        }
        self.count_held(at, log);
    }

    fn count_held(&mut self, at: Micros, log: &mut Log) {
        if let Some((since, value)) = self.counted.set(at, self.held.len() as u32) {
            log.count(since, Process::Gateway, Counter::Held(value));
        }
    }

    /// A request on its way.
    pub(super) fn request(&mut self, at: Micros, fact: RequestFact, log: &mut Log) {
        match fact {
            RequestFact::Arrived { request, client, class } => {
                self.who.resize(self.who.len().max(request.index() + 1), (0, 0));
                self.who[request.index()] = (client, class);
                log.count(at, Process::Gateway, Counter::Arrived(request.0 + 1));
                self.hold(at, request, log);
            }
            RequestFact::Rejected { request, reason, .. } => {
                self.refuse(at, request, Refusal::Rejected(reason), log);
            }
            RequestFact::Dropped { request, reason, .. } => {
                self.refuse(at, request, Refusal::Dropped(reason), log);
            }
            RequestFact::Routed { request, .. } => self.release(at, request, log),
            RequestFact::Queued { request, replica, .. } => self.queued(at, (request, replica), log),
            RequestFact::Scheduled { request, replica, prefill, cached, .. } => {
                self.scheduled(at, (request, replica), [prefill, cached], log);
            }
            RequestFact::Prefilled { request, replica, tokens } => {
                self.prefilled(at, (request, replica), tokens, log);
            }
            RequestFact::Preempted { request, replica, times, .. } => {
                self.turn(at, (request, replica), Doing::Preempted, log);
                if let Some(stay) = self.open.get_mut(&(request, replica)) {
                    stay.preemptions = times;
                }
            }
            RequestFact::Completed { request, replica, tokens, .. } => {
                if let Some(stay) = self.open.get_mut(&(request, replica)) {
                    stay.output = tokens;
                }
                let end = if self.blis { self.step_end(replica).max(at) } else { at };
                self.leave(end, request, "completed", log);
            }
            // The gateway's queue is a part of the time at the gateway; a first token is the end of a piece of a prompt.
            RequestFact::Admitted { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Enqueued { .. }
            | RequestFact::Dispatched { .. }
            | RequestFact::Expired { .. }
            | RequestFact::FirstToken { .. } => {}
        }
    }

    fn refuse(&mut self, at: Micros, request: RequestId, why: Refusal, log: &mut Log) {
        let class = self.class_of(request);
        log.instant(at, (Process::Gateway, Lane::Refusals), What::Refused { request, class, why });
        self.release(at, request, log);
        let end = match why {
            Refusal::Rejected(_) => "rejected",
            Refusal::Dropped(_) => "dropped",
        };
        self.leave(at, request, end, log);
    }

    /// The end of the latest step that began.
    fn step_end(&self, replica: ReplicaId) -> Micros {
        let latest = self.replicas.get(replica.index()).and_then(|r| r.under_way.back().copied());
        latest.map_or(Micros::ZERO, |(start, span)| start.saturating_add(span))
    }

    fn queued(&mut self, at: Micros, key: (RequestId, ReplicaId), log: &mut Log) {
        let flow = self.flows.remove(&key);
        let replica = self.replica(key.1);
        replica.stays += 1;
        let row = replica.requests.take(at);
        let (outer, queue) = (log.open(at), log.open(at));
        let phase = Doing::Queue(queue);
        let (load, prompt, left, cached, preemptions, output) = (None, 0, 0, 0, 0, 0);
        self.open
            .insert(key, Stay { row, outer, phase, load, prompt, left, cached, preemptions, output, flow });
    }

    fn scheduled(
        &mut self,
        at: Micros,
        key: (RequestId, ReplicaId),
        [prefill, cached]: [u32; 2],
        log: &mut Log,
    ) {
        let left = prefill.saturating_sub(cached);
        self.turn(at, key, |open| if left == 0 { Doing::Decode(open) } else { Doing::Prefill }, log);
        if let Some(stay) = self.open.get_mut(&key) {
            (stay.left, stay.cached) = (left, cached);
            stay.prompt = stay.prompt.max(prefill);
        }
        let replica = self.replica(key.1);
        replica.prompts += u64::from(prefill);
        replica.cached += u64::from(cached);
        let share = (replica.cached * 1000 / replica.prompts.max(1)) as u32;
        if share != std::mem::replace(&mut replica.hit_share, share) {
            log.count(at, Process::Replica(key.1.0), Counter::HitShare(share));
        }
    }

    /// The step that ended just now computed a piece of its prompt, or the one that begins will.
    fn prefilled(&mut self, at: Micros, key: (RequestId, ReplicaId), tokens: u32, log: &mut Log) {
        let blis = self.blis;
        let replica = self.replica(key.1);
        let latest = replica.under_way.back().copied().filter(|_| blis);
        let (start, span) = latest.unwrap_or(replica.ended);
        let end = start.saturating_add(span).max(at);
        let Some(stay) = self.open.get_mut(&key) else { return };
        let (cached, again) = (std::mem::take(&mut stay.cached), stay.preemptions > 0);
        let place = requests(key.1, stay.row);
        let open = log.open(start.max(stay.outer.at));
        let taken = log.close(open, end, place, What::Phase(Phase::Chunk { tokens, cached, again }));
        if let Some(flow) = stay.flow.take().filter(|_| taken) {
            log.end_flow(flow);
        }
        stay.left = stay.left.saturating_sub(tokens);
        if stay.left == 0 && stay.phase == Doing::Prefill {
            stay.phase = Doing::Decode(log.open(end));
        }
    }

    /// Its phase ends, and another begins.
    fn turn(&mut self, at: Micros, key: (RequestId, ReplicaId), to: impl Fn(Open) -> Doing, log: &mut Log) {
        let Some(stay) = self.open.get_mut(&key) else { return };
        end_phase(stay, at, key.1, None, log);
        stay.phase = to(log.open(at));
    }

    /// It leaves every replica that has it.
    pub(super) fn leave(&mut self, at: Micros, request: RequestId, end: &'static str, log: &mut Log) {
        let range = (request, ReplicaId(0))..=(request, ReplicaId(u32::MAX));
        while let Some((&key, _)) = self.open.range(range.clone()).next() {
            self.leave_one(at, key, end, log);
        }
        while let Some((&key, _)) = self.flows.range(range.clone()).next() {
            self.flows.remove(&key);
        }
    }

    fn leave_one(&mut self, at: Micros, key: (RequestId, ReplicaId), end: &'static str, log: &mut Log) {
        let Some(mut stay) = self.open.remove(&key) else { return };
        let (request, (client, class)) = (key.0, self.who(key.0));
        let at = match stay.phase {
            Doing::Decode(open) => at.max(open.at),
            Doing::Queue(_)
            | Doing::Prefill
            | Doing::Preempted(_)
            | Doing::Held(_)
            | Doing::Reserved(_)
            | Doing::Landed(_) => at,
        };
        let output = (end == "completed").then_some(stay.output);
        end_phase(&mut stay, at, key.1, output, log);
        let Stay { row, outer, prompt, output, preemptions, .. } = stay;
        let what = What::Stay { request, client, class, prompt, output, preemptions, end };
        log.close(outer, at, requests(key.1, row), what);
        let replica = self.replica(key.1);
        replica.requests.release(row, at);
        replica.stays -= 1;
        if replica.stays == 0 {
            (replica.batch, replica.kv) = ([0, 0], 0);
            log.count(at, Process::Replica(key.1.0), Counter::Requests { waiting: 0, running: 0 });
            log.count(at, Process::Replica(key.1.0), Counter::KvBlocks(0));
        }
    }

    /// A step begins or ends.
    pub(super) fn step(&mut self, at: Micros, fact: ReplicaFact, log: &mut Log) {
        match fact {
            ReplicaFact::StepStarted { replica: id, span, prefill, decode, running, waiting, kv_used } => {
                let replica = self.replica(id);
                replica.under_way.push_back((at, span));
                let end = at.saturating_add(span);
                let row = replica.steps.take(at);
                replica.steps.release(row, end);
                let batch_changed =
                    std::mem::replace(&mut replica.batch, [waiting, running]) != [waiting, running];
                let kv_changed = std::mem::replace(&mut replica.kv, kv_used) != kv_used;
                let open = log.open(at);
                let what = What::Step { prompt: prefill, decode, running, waiting, kv: kv_used };
                log.close(open, end, (Process::Replica(id.0), Lane::Steps(row)), what);
                if batch_changed {
                    log.count(at, Process::Replica(id.0), Counter::Requests { waiting, running });
                }
                if kv_changed {
                    log.count(at, Process::Replica(id.0), Counter::KvBlocks(kv_used));
                }
            }
            ReplicaFact::StepEnded { replica } => {
                let replica = self.replica(replica);
                if let Some(step) = replica.under_way.pop_front() {
                    replica.ended = step;
                }
            }
            ReplicaFact::Tokens { .. } => {}
        }
    }

    /// Blocks come from the CPU tier.
    pub(super) fn cache(&mut self, at: Micros, fact: CacheFact, log: &mut Log) {
        match fact {
            CacheFact::LoadStarted { request, replica, blocks, .. } => {
                if let Some(stay) = self.open.get_mut(&(request, replica)) {
                    stay.load = Some((log.open(at), blocks));
                }
            }
            CacheFact::Loaded { request, replica, .. } | CacheFact::LoadGivenUp { request, replica, .. } => {
                if let Some(stay) = self.open.get_mut(&(request, replica)) {
                    end_load(stay, at, replica, log);
                }
            }
            CacheFact::HeadBlocked { .. }
            | CacheFact::HeadUnblocked { .. }
            | CacheFact::Offloaded { .. }
            | CacheFact::ReloadedEarly { .. }
            | CacheFact::AdapterLoaded { .. }
            | CacheFact::Livelock { .. } => {}
        }
    }

    /// A request on its way from its prefill replica to its home.
    pub(super) fn handover(&mut self, at: Micros, fact: HandoverFact, log: &mut Log) {
        match fact {
            HandoverFact::Prefilled { request, replica, .. } => {
                self.turn(at, (request, replica), Doing::Held, log);
            }
            HandoverFact::Reserved { request, replica, .. } => {
                self.turn(at, (request, replica), Doing::Reserved, log);
            }
            HandoverFact::Landed { request, from, to, .. } => {
                self.leave_one(at, (request, from), "handed over", log);
                self.turn(at, (request, to), Doing::Landed, log);
            }
            HandoverFact::Joined { request, replica, .. } => {
                self.turn(at, (request, replica), Doing::Decode, log);
            }
            HandoverFact::GivenUp { request, replica, .. } => {
                self.leave_one(at, (request, replica), "given up", log);
            }
            HandoverFact::KvLost { request, replica, .. } => {
                let range = (request, ReplicaId(0))..=(request, ReplicaId(u32::MAX));
                let others: Vec<_> = self.open.range(range).map(|(&key, _)| key).collect();
                for key in others.into_iter().filter(|key| key.1 != replica) {
                    self.leave_one(at, key, "given up", log);
                }
                self.turn(at, (request, replica), Doing::Preempted, log);
            }
            HandoverFact::Decided { .. }
            | HandoverFact::TransferStarted { .. }
            | HandoverFact::Flows { .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. } => {}
        }
    }

    /// The run is over: what has not ended ends here.
    pub(super) fn end(&mut self, now: Micros, log: &mut Log) {
        while let Some((&key, _)) = self.open.first_key_value() {
            self.leave_one(now, key, "unfinished", log);
        }
        while let Some((&request, _)) = self.held.first_key_value() {
            self.release(now, request, log);
        }
        self.count_held(Micros(now.0.saturating_add(1)), log);
    }
}

fn requests(replica: ReplicaId, row: u32) -> Place {
    (Process::Replica(replica.0), Lane::Requests(row))
}

fn end_load(stay: &mut Stay, at: Micros, replica: ReplicaId, log: &mut Log) {
    if let Some((open, blocks)) = stay.load.take().filter(|(open, _)| at > open.at) {
        log.close(open, at, requests(replica, stay.row), What::Phase(Phase::KvLoad { blocks }));
    }
}

/// A phase ends; one that took no time is left out.
fn end_phase(stay: &mut Stay, at: Micros, replica: ReplicaId, output: Option<u32>, log: &mut Log) {
    end_load(stay, at, replica, log);
    let (open, phase) = match stay.phase {
        Doing::Prefill => return,
        Doing::Queue(open) => (open, Phase::Queue),
        Doing::Decode(open) => (open, Phase::Decode { output }),
        Doing::Preempted(open) => (open, Phase::Preempted { times: stay.preemptions }),
        Doing::Held(open) => (open, Phase::Held),
        Doing::Reserved(open) => (open, Phase::Reserved),
        Doing::Landed(open) => (open, Phase::Landed),
    };
    if at > open.at {
        log.close(open, at, requests(replica, stay.row), What::Phase(phase));
    }
}
