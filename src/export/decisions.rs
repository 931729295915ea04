//! Export of routing decisions: one row for each of the best candidates, with the router's view of it and its score.

use super::cell::Cell;
use super::export::{Begun, Column, Export, columns_of};
use super::rows::{Destination, Rows};
use super::sheet::{Field, Sheet};
use base::Micros;
use document::{RoutingPolicy, Scenario};
use engine::policy::ReplicaView;
use engine::policy::routing::{Excluded, Term};
use engine::{Decision, Stage};
use run::observe::roles_differ;
use std::fmt::Write as _;

/// The rows of routing decisions.
pub(super) struct Decisions;

impl Export for Decisions {
    fn name(&self) -> &'static str {
        "decisions"
    }

    fn columns(&self) -> Vec<Column> {
        let of_parts = [("score_NAME", SCORE), ("weight_NAME", WEIGHT)];
        let of_parts = of_parts.map(|(name, help)| Column { name, unit: "", help });
        columns_of(FIELDS).into_iter().chain(columns_of(STAGE_FIELDS)).chain(of_parts).collect()
    }

    fn begin(&self, run: Begun<'_>) -> Box<dyn Rows> {
        Box::new(File::new(run))
    }
}

/// One candidate of a decision.
struct Row<'a> {
    at: Micros,
    number: u64,
    decision: &'a Decision,
    /// Rank by score, from 1.
    rank: u32,
    /// Index among the candidates.
    position: usize,
    pools: &'a [String],
}

type Value = for<'a> fn(&Row<'a>) -> Cell<'a>;

const fn field(name: &'static str, unit: &'static str, help: &'static str, value: Value) -> Field<Value> {
    Field { name, unit, help, value }
}

/// Columns of every run, in order; the columns of scores follow.
#[rustfmt::skip]
const FIELDS: &[Field<Value>] = &[
    field("decision", "", "number of the decision, from 0", |r| r.number.into()),
    field("time_us", "us", "when it was made", |r| r.at.into()),
    field("request", "", "number of the request", |r| r.decision.request.map(|id| id.0).into()),
    field("rank", "", "place of the candidate by score, from 1; those that could not be chosen come last", |r| r.rank.into()),
    field("replica", "", "number of the candidate", |r| r.seen().id.0.into()),
    field("pool", "", "name of its pool", |r| r.pools.get(r.seen().pool as usize).map(String::as_str).into()),
    field("chosen", "", "whether it got the request; of no candidate if the router refused the request", |r| (r.decision.chosen == Some(r.position)).into()),
    field("excluded", "", "why it could not be chosen: `queue-full`, `over-limit` of a filter, `other-session` or `low-affinity`", |r| r.decision.excluded(r.position).map(reason).into()),
    field("waiting", "requests", "requests in its wait queue, as the router saw it", |r| r.seen().waiting.into()),
    field("running", "requests", "requests in its batch, as the router saw it", |r| r.seen().running.into()),
    field("in_flight", "requests", "requests sent there that had not left", |r| r.seen().in_flight.into()),
    field("kv_usage", "share", "KV blocks in use, as the router saw it, from 0 to 1", |r| r.seen().kv_use().into()),
    field("load", "requests", "`waiting` + `running` + `in_flight`", |r| r.seen().load().into()),
    field("true_load", "requests", "the same as it truly was", |r| r.decision.true_load.get(r.position).copied().into()),
    field("score", "", "the policy's score, or minus its load where the policy has none; higher is better", |r| r.score().into()),
    field("score_regret", "", "of the decision: how much better the best candidate scored than the chosen one", |r| r.decision.chosen.map(|_| r.decision.regret()).into()),
];

/// The columns that follow where roles of pools differ at any time of the run: a request then has two decisions, unless its home
/// prefills it.
#[rustfmt::skip]
const STAGE_FIELDS: &[Field<Value>] = &[
    field("stage", "", "`home`, who answers the request, or `prefill`, who prefills it; only where roles of pools differ at any time of the run", |r| stage(r.decision.stage).into()),
];

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Home => "home",
        Stage::Prefill => "prefill",
    }
}

/// Meanings of the two columns of each part of a score.
const SCORE: &str = "what the policy scored the candidate by, such as `score_queue_depth`";
const WEIGHT: &str = "its weight: `score` is the sum of all parts, each times its weight";

impl Row<'_> {
    fn seen(&self) -> &ReplicaView {
        &self.decision.seen[self.position]
    }

    /// Candidates that were filtered out before scoring have no scores.
    fn score(&self) -> Option<f64> {
        let totals = &self.decision.scores.totals;
        let scored = totals.is_empty() || self.position < totals.len();
        scored.then(|| self.decision.score(self.position))
    }
}

fn reason(excluded: Excluded) -> &'static str {
    match excluded {
        Excluded::QueueFull => "queue-full",
        Excluded::OverLimit { .. } => "over-limit",
        Excluded::OtherSession => "other-session",
        Excluded::LowAffinity { .. } => "low-affinity",
        Excluded::Headroom { .. } => "headroom",
    }
}

/// The parts of the scores of a policy, by name.
fn parts(policy: &RoutingPolicy) -> Vec<Term> {
    match policy {
        RoutingPolicy::Weighted(settings) => settings.scorers().iter().map(|s| Term::of(&s.scorer)).collect(),
        RoutingPolicy::PrefixAware(_) | RoutingPolicy::PrefixOverlap(_) => vec![Term::Cache, Term::Idle],
        RoutingPolicy::CostEscalation(_) => vec![Term::Cost],
        RoutingPolicy::KvCost(settings) => {
            let active = settings.in_force().active_weight > 0.0;
            [Term::Prefill, Term::Decode].into_iter().chain(active.then_some(Term::Active)).collect()
        }
        RoutingPolicy::RoundRobin
        | RoutingPolicy::Random
        | RoutingPolicy::LeastLoaded
        | RoutingPolicy::PowerOfD(_)
        | RoutingPolicy::AlwaysBusiest
        | RoutingPolicy::LeastKv
        | RoutingPolicy::CacheAware(_)
        | RoutingPolicy::SessionAffinity(_) => Vec::new(),
    }
}

/// The policies that decide: who answers a request and, where roles of pools differ, who prefills it.
fn policies(scenario: &Scenario, handovers: bool) -> impl Iterator<Item = &RoutingPolicy> {
    let of_prefill = scenario.cluster.disaggregation.as_ref().and_then(|d| d.prefill_routing.as_ref());
    std::iter::once(&scenario.cluster.routing).chain(of_prefill.filter(|_| handovers))
}

/// The file of decisions.
struct File {
    sheet: Sheet,
    /// The columns before the parts of scores.
    fields: Vec<Value>,
    /// Most candidates of a decision, beside the chosen one.
    most: usize,
    /// Parts of scores that have columns.
    parts: Vec<Term>,
    pools: Vec<String>,
    written: u64,
}

impl File {
    fn new(run: Begun<'_>) -> Self {
        let mut known: Vec<Term> = Vec::new();
        let handovers = run.course.iter().any(roles_differ);
        for part in run.course.iter().flat_map(|scenario| policies(scenario, handovers)).flat_map(parts) {
            if !known.contains(&part) {
                known.push(part);
            }
        }
        let fields = || FIELDS.iter().chain(STAGE_FIELDS.iter().filter(|_| handovers));
        let fixed = fields().map(|f| f.name.to_owned());
        let mut expressions = 0;
        let of_part = known.iter().flat_map(|part| {
            let mut part = part.name().replace('-', "_");
            if part == "expression" {
                expressions += 1;
                let _ = write!(part, "_{expressions}");
            }
            [format!("score_{part}"), format!("weight_{part}")]
        });
        let names: Vec<String> = fixed.chain(of_part).collect();
        let sheet = Sheet::new(run.to, &names);
        let (most, fields) = (run.candidates as usize, fields().map(|f| f.value).collect());
        Self { sheet, fields, most, parts: known, pools: run.pools, written: 0 }
    }
}

impl Rows for File {
    fn out(&mut self) -> &mut dyn Destination {
        &mut self.sheet
    }

    fn takes_decisions(&self) -> bool {
        true
    }

    /// Writes the best candidates of a decision, best first, and always the chosen one.
    fn decision(&mut self, at: Micros, decision: &Decision) {
        for (rank, position) in (1..).zip(decision.ranking()) {
            if rank as usize > self.most && decision.chosen != Some(position) {
                continue;
            }
            let row = Row { at, number: self.written, decision, rank, position, pools: &self.pools };
            for value in &self.fields {
                self.sheet.cell(value(&row));
            }
            for term in &self.parts {
                let part = decision.scores.parts.iter().find(|part| part.term == *term);
                let value = part.and_then(|part| part.values.get(position)).copied();
                self.sheet.cell(value);
                self.sheet.cell(value.and(part).map(|part| part.weight));
            }
            self.sheet.end_row();
        }
        self.written += 1;
    }
}
