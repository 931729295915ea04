//! Runs a golden file's scenario and records everything.

use super::convert::longest_us;
use super::file::GoldenFile;
use super::kv::{self, Losses, TierLog};
use super::places::in_the_file;
use base::{Diagnostic, Diagnostics, Micros, ReplicaId, RequestId};
use document::{Scenario, check_start, limits};
use engine::perf::{self, Plan, Resolved};
use engine::workload::Source;
use engine::{Cluster, Decision, Detail, Fact, Halt, HandoverFact, Record, RequestFact, Sink, TierNews};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most events of one golden run: far more than any file needs, and few enough to take seconds.
const MOST_EVENTS: u64 = 20_000_000;

/// A finished run and everything that was recorded.
pub(super) struct Recording {
    /// The engine at the end.
    pub engine: Cluster,
    /// By position in the file: number of the request, if it arrived.
    pub arrived: Vec<Option<RequestId>>,
    /// Drops in order.
    pub drops: Vec<(Micros, RequestId, ReplicaId, &'static str)>,
    /// Refusals in order.
    pub rejections: Vec<(Micros, RequestId, &'static str)>,
    /// Preemptions in order.
    pub preemptions: Vec<(Micros, ReplicaId, RequestId)>,
    /// Routing decisions in order.
    pub routing: Vec<Decision>,
    /// Blocks set aside for hand-overs.
    pub set_aside: SetAside,
    /// What happened in the tiers below the GPU.
    pub tiers: TierLog,
    /// Requests that crashes lost.
    pub losses: Losses,
}

/// Blocks opened at the homes of requests that are prefilled elsewhere.
#[derive(Default)]
pub(super) struct SetAside {
    opened: u64,
    landed: u64,
    given_up: u64,
    /// Those that wait for a landing, with their home.
    pending: BTreeMap<RequestId, (ReplicaId, u64)>,
}

impl SetAside {
    fn handover(&mut self, fact: HandoverFact) {
        match fact {
            HandoverFact::Reserved { request, replica, blocks, .. } => {
                self.opened += u64::from(blocks);
                self.pending.insert(request, (replica, u64::from(blocks)));
            }
            HandoverFact::Landed { request, .. } => {
                self.landed += self.pending.remove(&request).map_or(0, |(_, blocks)| blocks);
            }
            HandoverFact::GivenUp { request, replica, .. } => {
                if self.pending.get(&request).is_some_and(|(home, _)| *home == replica) {
                    self.given_up += self.pending.remove(&request).map_or(0, |(_, blocks)| blocks);
                }
            }
            HandoverFact::Decided { .. }
            | HandoverFact::Prefilled { .. }
            | HandoverFact::TransferStarted { .. }
            | HandoverFact::Flows { .. }
            | HandoverFact::Joined { .. }
            | HandoverFact::KvLost { .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. } => {}
        }
    }

    /// In the format.
    pub(super) fn as_json(&self) -> Value {
        json!({"reserved": self.opened, "landed": self.landed, "cancelled": self.given_up})
    }
}

impl Recording {
    /// The record of the request at a position in the file, if it arrived.
    pub(super) fn record(&self, position: usize) -> Option<Record> {
        self.arrived[position].map(|id| self.engine.records().at(id.index()))
    }

    /// The gaps between the tokens of a request.
    pub(super) fn gaps(&self, request: RequestId) -> impl Iterator<Item = u64> + '_ {
        let all = self.engine.detail().map_or(&[][..], |d| &d.itl);
        all.get(request.index()).into_iter().flatten().map(|gap| gap.0)
    }
}

/// Runs to the end.
pub(super) fn run(file: &GoldenFile, scenario: Scenario) -> Result<Recording, Diagnostics> {
    let in_the_file = |problems| in_the_file(file, problems);
    // A pool may be empty, and stays so.
    let (checked, _) = check_start(scenario).map_err(in_the_file)?;
    let scenario = checked.get().clone();
    let mut resolved = Vec::new();
    for (i, pool) in scenario.cluster.pools.iter().enumerate() {
        let pool = perf::resolve_uneven(pool, scenario.cluster.compat, &format!("cluster.pools[{i}]"));
        let pool = pool.map_err(in_the_file)?;
        resolved.push(if file.has_roles() { with_bytes(file, i, pool) } else { with_tier_bytes(file, pool) });
    }
    let plan = Plan::of(checked, resolved).with_store_ports(kv::store_ports(&file.config));
    let plan = plan.with_draws(kv::draws(file));
    let mut engine = Cluster::new(&plan, Source::new(&scenario, None));
    engine.record_detail(Detail::new(file.record().max_steps_per_instance));
    let mut log = Log { tiers: TierLog::of(&file.config), ..Log::default() };
    for (at, fault) in kv::faults(&file.config) {
        if file.config.horizon_us > 0 && at.0 > file.config.horizon_us {
            break;
        }
        if at > Micros::ZERO {
            engine.advance(Micros(at.0 - 1), MOST_EVENTS, &mut log);
        }
        let ([running, waiting], before) = (kv::inside(&engine, &fault), log.losses.len());
        log.losses.breaks(&engine, &fault, at);
        engine.fault(&fault, &plan, at, &mut log);
        log.losses.waiting_first(before, running, waiting);
    }
    let halt = engine.advance(kv::last_instant(&file.config), MOST_EVENTS, &mut log);
    within_bounds(file, halt, engine.clock())?;
    let mut arrived = vec![None; file.requests.len()];
    for (i, record) in (0u32..).zip(engine.records()) {
        if let Some(place) = arrived.get_mut(record.listed as usize) {
            *place = Some(RequestId(i));
        }
    }
    let Log { mut drops, rejections, preemptions, routing, set_aside, tiers, losses } = log;
    drops.extend(losses.all().map(|(at, id, replica)| (at, id, replica, "crash")));
    drops.sort_by_key(|(at, ..)| *at);
    Ok(Recording { engine, arrived, drops, rejections, preemptions, routing, set_aside, tiers, losses })
}

/// The file gives bytes of a token and of a replica's ports, whatever the model and the GPUs.
fn with_bytes(file: &GoldenFile, pool: usize, resolved: Resolved) -> Resolved {
    let transfer = file.config.disaggregation.clone().unwrap_or_default().transfer;
    let own = file.config.pools.get(pool).and_then(|p| p.port_bytes_per_s);
    Resolved {
        kv_bytes_per_token: Some(transfer.kv_bytes_per_token),
        port_bytes_per_s: Some(own.unwrap_or(transfer.port_bytes_per_s)),
        ..resolved
    }
}

/// The same where it has tiers.
fn with_tier_bytes(file: &GoldenFile, resolved: Resolved) -> Resolved {
    let Some(kv) = &file.config.kv else { return resolved };
    let (bytes, port) = (kv.bytes_per_token, kv.port_bytes_per_s);
    Resolved { kv_bytes_per_token: Some(bytes), port_bytes_per_s: Some(port), ..resolved }
}

/// The run matches the file only if it was short enough.
fn within_bounds(file: &GoldenFile, halt: Halt, clock: Micros) -> Result<(), Diagnostics> {
    let c = &file.config;
    let problem = |key: &str, found: String, allowed: &str, fix: &str| {
        Err(vec![Diagnostic::error(format!("config.{key}"), found, allowed, fix)])
    };
    if halt == Halt::Events {
        let found = format!("a run that is not over after {MOST_EVENTS} events");
        return problem("horizon_us", found, "a run with an end", "give it an earlier horizon");
    }
    if c.horizon_us > longest_us() && clock.0 > c.horizon_us {
        let found = format!("{}, which cuts the run", c.horizon_us);
        return problem("horizon_us", found, "up to 30 days", "give it an earlier horizon");
    }
    if c.snapshot_refresh_interval_us > limits::LATENCY_US && clock.0 >= limits::LATENCY_US {
        let found = format!("{} in a run of {} us", c.snapshot_refresh_interval_us, clock.0);
        let allowed = "up to an hour, or a shorter run";
        return problem("snapshot_refresh_interval_us", found, allowed, "give it an earlier horizon");
    }
    Ok(())
}

/// Records the data of the file's logs.
#[derive(Default)]
struct Log {
    drops: Vec<(Micros, RequestId, ReplicaId, &'static str)>,
    rejections: Vec<(Micros, RequestId, &'static str)>,
    preemptions: Vec<(Micros, ReplicaId, RequestId)>,
    routing: Vec<Decision>,
    set_aside: SetAside,
    tiers: TierLog,
    losses: Losses,
}

impl Log {
    fn request(&mut self, at: Micros, fact: RequestFact) {
        match fact {
            RequestFact::Dropped { request, replica, reason, .. } => {
                self.drops.push((at, request, replica, reason.name()));
            }
            RequestFact::Rejected { request, reason, .. } => {
                self.rejections.push((at, request, reason.name()));
            }
            RequestFact::Preempted { request, replica, .. } => self.preemptions.push((at, replica, request)),
            RequestFact::Arrived { .. }
            | RequestFact::Admitted { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Enqueued { .. }
            | RequestFact::Dispatched { .. }
            | RequestFact::Expired { .. }
            | RequestFact::Routed { .. }
            | RequestFact::Queued { .. }
            | RequestFact::Scheduled { .. }
            | RequestFact::Prefilled { .. }
            | RequestFact::FirstToken { .. }
            | RequestFact::Completed { .. } => {}
        }
    }
}

impl Sink for Log {
    fn fact(&mut self, at: Micros, fact: Fact) {
        match fact {
            Fact::Request(fact) => self.request(at, fact),
            Fact::Handover(fact) => self.set_aside.handover(fact),
            Fact::Cache(fact) => self.tiers.cache(at, fact),
            Fact::Fault(fact) => self.losses.fault(at, fact),
            Fact::Replica(_) | Fact::Fleet(_) => {}
        }
    }

    fn tiers(&mut self, at: Micros, news: TierNews) {
        self.tiers.tiers(at, news);
    }

    fn wants_decision(&self, _: RequestId, _: usize) -> bool {
        true
    }

    fn decision(&mut self, _: Micros, decision: &Decision) {
        self.routing.push(decision.clone());
    }
}
