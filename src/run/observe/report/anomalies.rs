//! The anomalies of a run, and the two heuristics of BLIS beside them.

use super::share;
use crate::observe::anomaly::{Anomaly, AnomalyKind, Detectors};
use base::stats::doubled_pairs;
use document::{Compat, PriorityPolicy, Scenario};
use engine::{Cluster, RecordColumn};
use serde::{Serialize, Serializer};

/// Examples of each kind.
const EXAMPLES: u32 = 5;

/// The findings of the detectors, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnomalyPart {
    /// How many of each kind.
    #[cfg_attr(feature = "types", ts(type = "{ [kind: string]: number }"))]
    pub counts: KindCounts,
    /// The first five of each kind, in the order in which they were noticed.
    pub first: Vec<AnomalyExample>,
}

/// One anomaly.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnomalyExample {
    /// What is wrong.
    pub kind: AnomalyKind,
    /// When it began, in microseconds.
    pub start_us: u64,
    /// When it ended, in microseconds; missing while it lasts.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_us: Option<u64>,
    /// The replica; for an imbalance the most loaded one when it was noticed.
    pub replica: u32,
    /// The first requests that prove it, and when.
    pub requests: Vec<AnomalyProof>,
    /// What happened, in one sentence.
    pub text: String,
}

/// A request that proves an anomaly, and when.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AnomalyProof {
    /// The request.
    pub request: u32,
    /// When, in microseconds.
    pub at_us: u64,
}

/// The counts that BLIS would report (`compat: blis` only).
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BlisPart {
    /// Pairs of finished requests of one replica and class where the earlier took more than twice as long; 0 with
    /// constant priorities.
    pub priority_inversions: u64,
    /// Replicas whose mean queue over their steps is more than twice the mean of all replicas.
    pub hol_blocking_events: u32,
}

/// How many of each kind, by name and in the order of the names; written as an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindCounts(pub Vec<(&'static str, u32)>);

impl Serialize for KindCounts {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().copied())
    }
}

impl AnomalyPart {
    /// The count of the kind with that name.
    pub fn count(&self, kind: &str) -> u32 {
        self.counts.0.iter().find(|(name, _)| *name == kind).map_or(0, |(_, n)| *n)
    }

    pub(super) fn new(detectors: &Detectors) -> Self {
        let mut shown = [0; AnomalyKind::ALL.len()];
        let few = |a: &&Anomaly| {
            let n: &mut u32 = &mut shown[a.kind as usize];
            *n += 1;
            *n <= EXAMPLES
        };
        // Inserted in the order of their names by hand: building a map at once would add another sort to the module.
        let mut counts: Vec<(&'static str, u32)> = Vec::new();
        for (kind, n) in detectors.counts() {
            let at = counts.partition_point(|(name, _)| *name < kind.name());
            counts.insert(at, (kind.name(), n));
        }
        let example = |a: &Anomaly| AnomalyExample {
            kind: a.kind,
            start_us: a.start.0,
            end_us: a.end.map(|end| end.0),
            replica: a.replica,
            requests: a.proofs.iter().map(|p| AnomalyProof { request: p.request.0, at_us: p.at.0 }).collect(),
            text: a.sentence(),
        };
        Self { counts: KindCounts(counts), first: detectors.kept().iter().filter(few).map(example).collect() }
    }
}

impl BlisPart {
    /// `None` unless the run follows BLIS.
    pub(super) fn new(scenario: &Scenario, engine: &Cluster) -> Option<Self> {
        (scenario.cluster.compat == Compat::Blis).then(|| Self {
            priority_inversions: priority_inversions(scenario, engine),
            hol_blocking_events: hol_blocking_events(engine),
        })
    }
}

/// Pairs of finished requests of one replica and class, in order of arrival, where the earlier took more than twice
/// as long. Pools with constant priorities have none.
pub fn priority_inversions(scenario: &Scenario, engine: &Cluster) -> u64 {
    let classes = 1 + engine.records().column(RecordColumn::Class).into_iter().max().unwrap_or(0) as usize;
    let mut groups = vec![Vec::new(); engine.replicas().len() * classes];
    for r in engine.records() {
        let Some((e2e, replica)) = r.e2e.get().zip(r.replica()) else { continue };
        let pool = engine.replicas()[replica.index()].pool();
        if scenario.cluster.pools[pool as usize].engine.priority != PriorityPolicy::Constant {
            groups[replica.index() * classes + r.class as usize].push(e2e.0);
        }
    }
    groups.iter().map(|e2e| doubled_pairs(e2e)).sum()
}

/// Replicas whose mean queue over their steps is more than twice the mean of all replicas; a single replica does not
/// count.
pub fn hol_blocking_events(engine: &Cluster) -> u32 {
    let mean = |r: &engine::Replica| share(r.totals().waiting_sum as f64, r.totals().steps as f64);
    let waits: Vec<f64> = engine.replicas().iter().map(mean).collect();
    let overall = waits.iter().sum::<f64>() / waits.len() as f64;
    let long = waits.iter().filter(|&&wait| overall > 0.0 && wait > 2.0 * overall).count();
    if waits.len() > 1 { long as u32 } else { 0 }
}
