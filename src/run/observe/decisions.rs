//! Routing decisions: the latest in full, for the inspector, and a summary of all, for the report.

mod code;
mod groups;
mod kept;

#[cfg(any(feature = "cli", feature = "closeup"))]
use base::SortedMap;
use base::number_text::three_digits;
use base::{ReplicaId, RequestId};
#[cfg(any(feature = "cli", feature = "closeup"))]
use document::Scorer;
use engine::policy::routing::{Excluded, Term, by_load};
use engine::{Cluster, Decision, Stage, ranking};
use groups::Groups;
use kept::KeptDecision;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Largest number of replicas at which every decision is kept.
const EACH_KEPT: usize = 16;

/// Whether the decision about a request is kept in full: every one up to 16 replicas, one in N / 16 with N > 16.
/// Memory is limited by the number of candidates: with fewer decisions kept, they reach back further.
pub(crate) fn is_kept(request: RequestId, replicas: usize) -> bool {
    request.index().is_multiple_of(replicas.div_ceil(EACH_KEPT).max(1))
}

/// Adds a column, or some of its entries.
fn take<T: Copy>(out: &mut Vec<T>, column: &[T], some: Option<&[usize]>) {
    match some {
        None => out.extend_from_slice(column),
        Some(order) => out.extend(order.iter().filter_map(|&i| column.get(i).copied())),
    }
}

/// The decisions of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Decisions {
    /// Most candidates of a decision that are kept; 0 means all.
    max_candidates: u32,
    kept: Groups,
    /// Those on who prefills a request, where roles differ.
    prefills: Groups,
    homes: StageSums,
    prefill_stage: StageSums,
}

/// The decisions of one stage together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct StageSums {
    routed: u64,
    regret_sum: f64,
    regret_max: f64,
    /// By replica: requests sent there.
    targets: Vec<u64>,
}

impl StageSums {
    fn add(&mut self, target: ReplicaId, regret: f64) {
        self.routed += 1;
        self.regret_sum += regret;
        self.regret_max = self.regret_max.max(regret);
        if self.targets.len() <= target.index() {
            self.targets.resize(target.index() + 1, 0);
        }
        self.targets[target.index()] += 1;
    }

    fn regret_mean(&self) -> f64 {
        if self.routed == 0 { 0.0 } else { self.regret_sum / self.routed as f64 }
    }

    fn unique_targets(&self) -> u32 {
        self.targets.iter().filter(|&&n| n > 0).count() as u32
    }

    fn part(&self) -> Option<StageDecisionPart> {
        (self.routed > 0).then(|| StageDecisionPart {
            routed: self.routed,
            score_regret_mean: self.regret_mean(),
            score_regret_max: self.regret_max,
            unique_targets: self.unique_targets(),
            targets: self.targets.clone(),
        })
    }
}

/// A summary of the decisions of a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionPart {
    /// Requests that admission admitted or refused.
    pub decided: u32,
    /// Requests that admission admitted.
    pub admitted: u32,
    /// Requests refused, by any stage.
    pub rejected: u32,
    /// Requests sent to a replica.
    pub routed: u64,
    /// Mean of the best candidate's score minus the chosen one's.
    pub score_regret_mean: f64,
    /// The largest of these differences.
    pub score_regret_max: f64,
    /// Replicas that got a request.
    pub unique_targets: u32,
    /// By replica: requests sent there.
    pub targets: Vec<u64>,
    /// The decisions on who prefills a request; missing if there were none.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill: Option<StageDecisionPart>,
}

/// The decisions on who prefills a request.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageDecisionPart {
    /// Requests sent to a prefill replica.
    pub routed: u64,
    /// Mean of the best candidate's score minus the chosen one's.
    pub score_regret_mean: f64,
    /// The largest of these differences.
    pub score_regret_max: f64,
    /// Replicas that got a request.
    pub unique_targets: u32,
    /// By replica: requests sent there.
    pub targets: Vec<u64>,
}

/// What the router saw of one replica.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The replica.
    pub replica: u32,
    /// Waiting, as seen.
    pub waiting: u32,
    /// Running, as seen.
    pub running: u32,
    /// In flight.
    pub in_flight: u32,
    /// Share of KV blocks in use as seen, 0 to 1.
    pub kv_used: f64,
    /// Waiting + running + in flight as seen.
    pub load: u32,
    /// The true load.
    pub true_load: u32,
    /// The policy's score; higher is better.
    pub score: f64,
    /// Whether it was chosen.
    pub chosen: bool,
    /// Why it was excluded, such as `wait queue full`; missing if it was not. Excluded replicas come last.
    #[cfg_attr(feature = "types", ts(optional))]
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded: Option<String>,
    /// The parts of the score; empty for a policy that does not score.
    pub parts: Vec<ScorePart>,
}

/// One part of a score.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScorePart {
    /// What is scored, such as `queue-depth`.
    pub name: String,
    /// The score, 0 to 1 for most.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
    /// Value times weight; the candidate's score is the sum of these.
    pub product: f64,
    /// Its text, if it is an expression.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<Rc<str>>,
    /// The summands of an expression, before its sum is clamped to 0 to 1; missing if it is not a sum.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summands: Option<Vec<SummandValue>>,
}

/// One summand of an expression.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummandValue {
    /// Its text, with its sign.
    pub text: Rc<str>,
    /// Its value.
    pub value: f64,
}

impl Decisions {
    /// No decisions yet; at most `max_candidates` candidates of each will be kept (0 means all).
    pub(crate) fn new(max_candidates: u32) -> Self {
        Self { max_candidates, ..Self::default() }
    }

    /// Bytes of the decisions not shared with `later`, which continued from a copy.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.kept.bytes_beside(later.map(|l| &l.kept))
            + self.prefills.bytes_beside(later.map(|l| &l.prefills))
    }

    /// Bytes of decisions that no checkpoint has packed yet.
    pub(super) fn bytes_to_pack(&self) -> u64 {
        self.kept.bytes_to_pack() + self.prefills.bytes_to_pack()
    }

    /// Packs the decisions.
    pub(super) fn pack(&mut self) {
        self.kept.pack();
        self.prefills.pack();
    }

    /// Unpacks the decisions.
    pub(super) fn unpack(&mut self) {
        self.kept.unpack();
        self.prefills.unpack();
    }

    /// Whether the report gets a summary.
    pub(crate) fn summarised(&self) -> bool {
        self.max_candidates > 0
    }

    /// Adds a decision to the summary, and stores it if `keep` is set.
    pub(crate) fn add(&mut self, d: &Decision, keep: bool) {
        let Some(request) = d.request else { return };
        if let Some(target) = d.target().filter(|_| self.summarised()) {
            let sums = match d.stage {
                Stage::Home => &mut self.homes,
                Stage::Prefill => &mut self.prefill_stage,
            };
            sums.add(target, d.regret());
        }
        if keep {
            self.keep(request, d);
        }
    }

    fn keep(&mut self, request: RequestId, d: &Decision) {
        let most = if self.max_candidates == 0 { usize::MAX } else { self.max_candidates as usize };
        // The best candidates and the chosen one. If all are kept, they are ranked when read.
        let best = (most < d.seen.len()).then(|| {
            let mut best = d.best(most);
            best.extend(d.chosen.filter(|chosen| !best.contains(chosen)));
            best
        });
        let some = best.as_deref();
        let rows = some.map_or(d.seen.len(), <[usize]>::len);
        let place = |chosen: usize| some.and_then(|s| s.iter().position(|&i| i == chosen)).unwrap_or(chosen);
        let groups = match d.stage {
            Stage::Home => &mut self.kept,
            Stage::Prefill => &mut self.prefills,
        };
        groups.push(rows, |kept| {
            kept.clear();
            kept.request = request.0;
            kept.chosen = d.chosen.map(|chosen| place(chosen) as u32);
            take(&mut kept.seen, &d.seen, some);
            take(&mut kept.true_load, &d.true_load, some);
            take(&mut kept.excluded, &d.excluded, some);
            take(&mut kept.totals, &d.scores.totals, some);
            for part in &d.scores.parts {
                kept.terms.push((part.term.clone(), part.weight));
                take(&mut kept.values, &part.values, some);
            }
            for summand in &d.scores.summands {
                kept.summands.push((summand.part, Rc::clone(&summand.text)));
                take(&mut kept.summand_values, &summand.values, some);
            }
        });
    }

    /// Of requests whose decision is kept and was scored by the cached part of the prompt: that part on the chosen replica, as the
    /// router saw it, 0 to 1.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(crate) fn believed_cached(&self) -> SortedMap<u32, f64> {
        let mut out = Vec::new();
        self.kept.each(|d| {
            let by_cache = |(term, _): &(Term, f64)| match term {
                Term::Scorer(scorer) => matches!(scorer, Scorer::PrefixAffinity | Scorer::PrecisePrefix),
                Term::Cache => true,
                Term::Expression(_)
                | Term::Idle
                | Term::Cost
                | Term::Prefill
                | Term::Decode
                | Term::Active => false,
            };
            let column = d.terms.iter().position(by_cache);
            let place = column.zip(d.chosen).map(|(column, chosen)| column * d.seen.len() + chosen as usize);
            if let Some(&share) = place.and_then(|place| d.values.get(place)) {
                out.push((d.request, share));
            }
        });
        out.into_iter().collect()
    }

    /// The candidates that the router saw for `request`, the best first, if the decision is still kept.
    pub(crate) fn candidates(&self, request: RequestId, stage: Stage) -> Vec<Candidate> {
        let found = match stage {
            Stage::Home => self.kept.latest_about(request),
            Stage::Prefill => self.prefills.latest_about(request),
        };
        let Some(kept) = &found else { return Vec::new() };
        let n = kept.seen.len();
        // Replicas with a full wait queue are known and were not scored.
        let scored = kept.values.len() / kept.terms.len().max(1);
        let part = |at: usize| {
            let column = move |(i, (term, weight)): (usize, &(Term, f64))| {
                let value = kept.values[i * scored + at];
                let name = term.name().to_owned();
                let expression = if let Term::Expression(text) = term { Some(Rc::clone(text)) } else { None };
                let of_it = kept.summands.iter().enumerate().filter(|(_, (part, _))| *part as usize == i);
                let summand = |(k, (_, text)): (usize, &(u32, Rc<str>))| SummandValue {
                    text: Rc::clone(text),
                    value: kept.summand_values[k * scored + at],
                };
                let summands: Vec<SummandValue> = of_it.map(summand).collect();
                let summands = Some(summands).filter(|all| !all.is_empty());
                ScorePart { name, value, weight: *weight, product: value * weight, expression, summands }
            };
            kept.terms.iter().enumerate().filter(|_| at < scored).map(column).collect()
        };
        let excluded = |at: usize| kept.excluded.get(at).copied().flatten();
        let score = |at: usize| kept.totals.get(at).copied().unwrap_or_else(|| by_load(&kept.seen[at]));
        let row = |at: usize| {
            let view = &kept.seen[at];
            Candidate {
                replica: view.id.0,
                waiting: view.waiting,
                running: view.running,
                in_flight: view.in_flight,
                kv_used: view.kv_use(),
                load: view.load(),
                true_load: kept.true_load[at],
                score: score(at),
                chosen: kept.chosen == Some(at as u32),
                excluded: excluded(at).map(excluded_words),
                parts: part(at),
            }
        };
        let standing = |at: usize| if excluded(at).is_some() { f64::NEG_INFINITY } else { score(at) };
        ranking((0..n).map(|at| (standing(at), kept.seen[at].id))).into_iter().map(row).collect()
    }

    /// The summary, if the scenario asked for it.
    pub(crate) fn summary(&self, engine: &Cluster) -> Option<DecisionPart> {
        let census = engine.census();
        self.summarised().then(|| DecisionPart {
            decided: census.admitted + census.rejected - census.turned_away,
            admitted: census.admitted,
            rejected: census.rejected,
            routed: self.homes.routed,
            score_regret_mean: self.homes.regret_mean(),
            score_regret_max: self.homes.regret_max,
            unique_targets: self.homes.unique_targets(),
            targets: self.homes.targets.clone(),
            prefill: self.prefill_stage.part(),
        })
    }
}

/// Why a replica was excluded, in words.
pub fn excluded_words(excluded: Excluded) -> String {
    match excluded {
        Excluded::QueueFull => "wait queue full".to_owned(),
        Excluded::OverLimit { metric, value, max } => {
            format!("{} {} above {}", metric.name(), three_digits(value), three_digits(max))
        }
        Excluded::OtherSession => "its session is on another replica".to_owned(),
        Excluded::LowAffinity { share, threshold } => {
            format!("prefix-affinity {} below {}", three_digits(share), three_digits(threshold))
        }
        Excluded::Headroom { ttft_ms, tpot_ms } => {
            let [ttft, tpot] = [ttft_ms, tpot_ms].map(three_digits);
            format!("predicted headroom of TTFT {ttft} ms, TPOT {tpot} ms")
        }
    }
}
