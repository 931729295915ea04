//! Routing decisions: the latest in full, for the inspector, and a summary of all, for the report.

use super::frame::{Candidate, ScorePart};
use crate::base::RequestId;
use crate::engine::{Decision, Engine};
use crate::policy::ReplicaView;
use crate::policy::routing::Term;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Most decisions kept.
const DECISIONS_KEPT: usize = 4096;
/// Most candidates kept, of all these decisions together.
const ROWS_KEPT: usize = 131_072;

/// A candidate as the router saw it, its load as it truly was, and what it scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    view: ReplicaView,
    true_load: u32,
    score: f64,
    chosen: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Kept {
    request: u32,
    terms: Vec<(Term, f64)>,
    rows: Vec<Row>,
    /// By row, and in it by term.
    values: Vec<f64>,
}

/// The decisions of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Decisions {
    /// How many candidates of a decision are kept; 0 means all.
    most: u32,
    kept: VecDeque<Kept>,
    rows: usize,
    routed: u64,
    regret_sum: f64,
    regret_max: f64,
    /// By replica: requests sent there.
    targets: Vec<u64>,
}

/// What the decisions of a run amount to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionPart {
    /// Requests that were let in or refused.
    pub decided: u32,
    /// Requests let in.
    pub admitted: u32,
    /// Requests refused.
    pub rejected: u32,
    /// Requests sent to a replica.
    pub routed: u64,
    /// How much better the best candidate scored than the chosen one, on average.
    pub score_regret_mean: f64,
    /// The largest of these differences.
    pub score_regret_max: f64,
    /// Replicas that got a request.
    pub unique_targets: u32,
    /// By replica: requests sent there.
    pub targets: Vec<u64>,
}

impl Decisions {
    /// No decisions yet; of each, `most` candidates are to be kept (0 means all).
    pub(super) fn new(most: u32) -> Self {
        Self { most, ..Self::default() }
    }

    /// Whether the report is to have a summary.
    pub(super) fn summarised(&self) -> bool {
        self.most > 0
    }

    /// Adds a decision to the summary, and keeps it if somebody may ask for it.
    pub(super) fn add(&mut self, d: &Decision, keep: bool) {
        let Some(request) = d.request else { return };
        if self.summarised() {
            self.routed += 1;
            let regret = d.regret();
            self.regret_sum += regret;
            self.regret_max = self.regret_max.max(regret);
            let target = d.target().index();
            if self.targets.len() <= target {
                self.targets.resize(target + 1, 0);
            }
            self.targets[target] += 1;
        }
        if keep {
            self.keep(request, d);
        }
    }

    fn keep(&mut self, request: RequestId, d: &Decision) {
        let most = if self.most == 0 { usize::MAX } else { self.most as usize };
        let mut order = d.ranking();
        let chosen = order.iter().position(|&i| i == d.chosen).filter(|&place| place >= most);
        order.truncate(most);
        order.extend(chosen.map(|_| d.chosen));
        // The oldest make room, in the queue and in memory.
        let mut kept = Kept::default();
        while self.kept.len() >= DECISIONS_KEPT || self.rows + order.len() > ROWS_KEPT {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.rows -= oldest.rows.len();
            kept = oldest;
        }
        self.rows += order.len();
        kept.request = request.0;
        kept.terms.clear();
        kept.terms.extend(d.scores.parts.iter().map(|p| (p.term, p.weight)));
        kept.rows.clear();
        kept.values.clear();
        for i in order {
            let (view, true_load, score) = (d.seen[i], d.true_load[i], d.score(i));
            kept.rows.push(Row { view, true_load, score, chosen: i == d.chosen });
            kept.values.extend(d.scores.parts.iter().map(|p| p.values[i]));
        }
        self.kept.push_back(kept);
    }

    /// What the router saw when it sent `request` somewhere, the best first, if that is still kept.
    pub(super) fn candidates(&self, request: RequestId) -> Vec<Candidate> {
        let Some(kept) = self.kept.iter().rev().find(|k| k.request == request.0) else {
            return Vec::new();
        };
        let part = |((term, weight), value): (&(Term, f64), &f64)| ScorePart {
            name: term.name().to_owned(),
            value: *value,
            weight: *weight,
            product: value * weight,
        };
        let row = |(at, r): (usize, &Row)| Candidate {
            replica: r.view.id.0,
            waiting: r.view.waiting,
            running: r.view.running,
            in_flight: r.view.in_flight,
            kv_used: r.view.kv_use(),
            load: r.view.load(),
            true_load: r.true_load,
            score: r.score,
            chosen: r.chosen,
            parts: kept.terms.iter().zip(&kept.values[at * kept.terms.len()..]).map(part).collect(),
        };
        kept.rows.iter().enumerate().map(row).collect()
    }

    /// The summary, if the scenario asked for it.
    pub(super) fn summary(&self, engine: &Engine) -> Option<DecisionPart> {
        let census = engine.census();
        let mean = if self.routed == 0 { 0.0 } else { self.regret_sum / self.routed as f64 };
        self.summarised().then(|| DecisionPart {
            decided: census.admitted + census.rejected,
            admitted: census.admitted,
            rejected: census.rejected,
            routed: self.routed,
            score_regret_mean: mean,
            score_regret_max: self.regret_max,
            unique_targets: self.targets.iter().filter(|&&n| n > 0).count() as u32,
            targets: self.targets.clone(),
        })
    }
}
