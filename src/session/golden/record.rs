//! Runs a golden file's scenario with everything recorded.

use super::file::GoldenFile;
use crate::base::{Diagnostics, Micros, ReplicaId, RequestId};
use crate::engine::{Decision, Detail, Engine, Fact, Halt, Record, Sink};
use crate::perf;
use crate::scenario::{Scenario, check};
use crate::workload::Source;

/// Most events of one golden run: far more than any file needs.
const MOST_EVENTS: u64 = 50_000_000;

/// A finished run and everything that was recorded.
pub(super) struct Recording {
    /// The engine at the end.
    pub engine: Engine,
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
}

impl Recording {
    /// The record of the request at a position in the file, if it arrived.
    pub(super) fn record(&self, position: usize) -> Option<&Record> {
        self.arrived[position].map(|id| &self.engine.records()[id.index()])
    }

    /// The gaps between the tokens of a request.
    pub(super) fn gaps(&self, request: RequestId) -> impl Iterator<Item = u64> + '_ {
        let all = self.engine.detail().map_or(&[][..], |d| &d.itl);
        all.get(request.index()).into_iter().flatten().map(|gap| gap.0)
    }
}

/// Runs to the end.
pub(super) fn run(file: &GoldenFile, scenario: Scenario) -> Result<Recording, Diagnostics> {
    let (checked, _) = check(scenario)?;
    let scenario = checked.get();
    let mut resolved = Vec::new();
    for (i, pool) in scenario.cluster.pools.iter().enumerate() {
        resolved.push(perf::resolve(pool, &format!("cluster.pools[{i}]"))?);
    }
    let mut engine = Engine::new(scenario, &resolved, Source::new(scenario, None));
    engine.record_detail(Detail::new(file.record.max_steps_per_instance));
    let mut log = Log::default();
    // A run without an end fails by its differences rather than by hanging.
    let _: Halt = engine.advance(Micros::MAX, MOST_EVENTS, &mut log);
    let mut arrived = vec![None; file.requests.len()];
    for (i, record) in (0u32..).zip(engine.records()) {
        if let Some(place) = arrived.get_mut(record.listed as usize) {
            *place = Some(RequestId(i));
        }
    }
    let Log { drops, rejections, preemptions, routing, .. } = log;
    Ok(Recording { engine, arrived, drops, rejections, preemptions, routing })
}

/// Keeps what the file's logs are made of.
#[derive(Default)]
struct Log {
    drops: Vec<(Micros, RequestId, ReplicaId, &'static str)>,
    rejections: Vec<(Micros, RequestId, &'static str)>,
    preemptions: Vec<(Micros, ReplicaId, RequestId)>,
    routing: Vec<Decision>,
}

impl Sink for Log {
    fn fact(&mut self, at: Micros, fact: Fact) {
        match fact {
            Fact::Dropped { request, replica, reason, .. } => {
                self.drops.push((at, request, replica, reason.name()));
            }
            Fact::Rejected { request, reason } => self.rejections.push((at, request, reason.name())),
            Fact::Preempted { request, replica, .. } => self.preemptions.push((at, replica, request)),
            Fact::Arrived { .. }
            | Fact::Admitted { .. }
            | Fact::Delayed { .. }
            | Fact::Routed { .. }
            | Fact::Queued { .. }
            | Fact::Scheduled { .. }
            | Fact::StepStarted { .. }
            | Fact::StepEnded { .. }
            | Fact::Prefilled { .. }
            | Fact::FirstToken { .. }
            | Fact::Tokens { .. }
            | Fact::Completed { .. }
            | Fact::HeadBlocked { .. }
            | Fact::ReloadedEarly { .. }
            | Fact::Livelock { .. }
            | Fact::Serving { .. }
            | Fact::Draining { .. } => {}
        }
    }

    fn wants_decisions(&self) -> bool {
        true
    }

    fn decision(&mut self, decision: &Decision) {
        self.routing.push(decision.clone());
    }
}
