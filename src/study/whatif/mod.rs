//! What-if studies of one routing decision: the run continues from it once for each replica that could have had the
//! request.
//!
//! Everything up to the decision is run once. From a copy of the run just before it, each alternative continues with
//! an edit that sends the request to that replica. It is an ordinary edit, so a run of the scenario with it gives the
//! same result. The results at the common end are compared, for that request and for all others.

mod account;
mod explain;
mod explanation;
mod markdown;
mod others;
mod saying;
mod sentences;
mod steps;
mod tiers;

pub use account::{Account, AccountedTime, CAUSES, Cause};
pub use explain::{ExplainQuery, Explaining, SpanBy};
pub use explanation::{CauseEvidence, CausePart, ClientShare, Explanation, RequestGroup};
pub use others::{Others, OthersTime};
pub use saying::{Quoted, Sentence, in_ms, in_percent, whole};
pub use tiers::{HitRateFall, TierFindings, TierHits, TierTrouble, WithFall};

use base::{Diagnostic, Diagnostics, Micros, ReplicaId, RequestId};
use document::{Change, Route, Scenario, TimedEdit};
use engine::{Cluster, Decision, Fact, Record, RequestState, Sink, Stage};
use others::pairs_of;
use run::observe::excluded_words;
use run::session::{Audience, Session, Trace};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A query about one decision.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WhatIfQuery {
    /// The request of the decision.
    pub request: u32,
    /// Which decision on it, where roles differ: which replica answers it, or which one prefills it.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub stage: AskedStage,
    /// Only this replica; by default all that the router could have chosen.
    #[cfg_attr(feature = "types", ts(optional))]
    pub to: Option<u32>,
    /// The instant up to which all runs continue; by default the end of the run.
    #[cfg_attr(feature = "types", ts(optional))]
    pub until_us: Option<u64>,
    /// Most alternatives, the best by score first; 0 for all.
    pub most: u32,
    /// When the request was routed, in microseconds, if known: the answer is the same and comes sooner.
    #[cfg_attr(feature = "types", ts(optional))]
    pub routed_us: Option<u64>,
}

/// Which of the two decisions on a request is asked about.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AskedStage {
    /// Which replica answers it.
    #[default]
    Home,
    /// Which replica prefills it.
    Prefill,
}

impl AskedStage {
    fn is(self, stage: Stage) -> bool {
        match self {
            Self::Home => stage == Stage::Home,
            Self::Prefill => stage == Stage::Prefill,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_home(&self) -> bool {
        *self == Self::Home
    }
}

/// One decision and its alternatives.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhatIf {
    /// The request.
    pub request: u32,
    /// Which decision on it; missing for the one that all requests have.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "AskedStage::is_home")]
    pub stage: AskedStage,
    /// When it was routed, in microseconds.
    pub routed_us: u64,
    /// The instant up to which all ran.
    pub until_us: u64,
    /// Whether this is the end of the run.
    pub ended: bool,
    /// The replica that was chosen.
    pub chosen: u32,
    /// The best candidate's score minus the chosen one's.
    pub score_regret: f64,
    /// How much earlier the request would have had its last token on the best of these replicas, in milliseconds; 0
    /// if it was on the best. Null if it had not finished.
    pub regret_ms: Option<f64>,
    /// How much less time all requests together would have taken with the best of these, in milliseconds; null without alternatives.
    pub total_regret_ms: Option<f64>,
    /// Candidates left out by the limit of the query.
    pub left_out: u32,
    /// The candidates, the best by score first.
    pub alternatives: Vec<Alternative>,
}

/// A replica that could have had the request, with the result.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// The replica.
    pub replica: u32,
    /// Whether it was chosen: then this is the actual result.
    pub chosen: bool,
    /// Its score; higher is better.
    pub score: f64,
    /// Why the router could not choose it; missing if it could.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded: Option<String>,
    /// The state of the request there.
    pub state: RequestState,
    /// Its TTFT there, in milliseconds.
    pub ttft_ms: Option<f64>,
    /// Its E2E there.
    pub e2e_ms: Option<f64>,
    /// Its TTFT there minus the actual one.
    pub ttft_diff_ms: Option<f64>,
    /// Its E2E there minus the actual one.
    pub e2e_diff_ms: Option<f64>,
    /// Gains and losses of all other requests.
    pub others: Others,
    /// Total E2E of all requests, this one included, minus the actual one, in milliseconds: over requests that
    /// finished in both.
    pub total_diff_ms: f64,
}

/// A run for queries about its decisions. It keeps two copies of the run, so that successive queries do not repeat
/// the part before.
#[derive(Debug)]
pub struct Asking {
    scenario: Scenario,
    trace: Option<Arc<Trace>>,
    /// The run just before the latest queried decision.
    before: Session,
    /// The run at the end of its answer.
    base: Session,
}

impl Asking {
    /// Explains the run of a scenario.
    pub fn new(scenario: Scenario, trace: Option<Arc<Trace>>) -> Result<(Self, Diagnostics), Diagnostics> {
        let (before, warnings) = Session::start_for_rows(scenario.clone(), trace.clone())?;
        let base = before.clone();
        Ok((Self { scenario, trace, before, base }, warnings))
    }

    /// The run at its start.
    fn start(&self) -> Session {
        let started = Session::start(self.scenario.clone(), self.trace.clone(), Audience::Batch);
        started.expect("INV-6: what was run once can be run again").0
    }

    /// Moves `before` to the instant just before the first event at `at`.
    fn go_before(&mut self, at: Micros) {
        let Some(us) = at.0.checked_sub(1) else {
            self.before = self.start();
            return;
        };
        if self.before.now().0 > us {
            self.before = self.start();
        }
        self.before.advance(Micros(us), u64::MAX);
    }

    /// Moves `base` to an instant, or to the end of the run.
    fn go_to(&mut self, until: Micros) {
        if self.base.now() > until {
            self.base = if self.before.now() <= until { self.before.clone() } else { self.start() };
        } else if self.base.now() < self.before.now() && self.before.now() <= until {
            self.base = self.before.clone();
        }
        self.base.advance(until, u64::MAX);
    }

    /// Runs the common part of a query in advance: the query is answered sooner afterwards, with the same answer.
    pub fn prepare(&mut self, asked: &WhatIfQuery) {
        let until = asked.until_us.map_or(Micros::MAX, Micros);
        if let Some(routed) = asked.routed_us.filter(|routed| *routed <= until.0) {
            self.go_before(Micros(routed));
        }
        self.go_to(until);
    }

    /// What the router saw when it chose the replica that answers a request.
    #[cfg(feature = "cli")]
    pub(crate) fn seen(&mut self, request: u32, until: Micros) -> Result<Decision, Diagnostic> {
        let id = RequestId(request);
        self.go_to(until);
        let (routed, _) = decided(&self.base, id, AskedStage::Home)?;
        self.go_before(routed);
        Ok(decision_of(&self.before, (id, AskedStage::Home), routed))
    }

    /// The alternatives of one decision.
    pub fn what_if(&mut self, asked: &WhatIfQuery) -> Result<WhatIf, Diagnostic> {
        let until = asked.until_us.map_or(Micros::MAX, Micros);
        let id = RequestId(asked.request);
        self.prepare(asked);
        let (routed, chosen) = decided(&self.base, id, asked.stage)?;
        self.go_before(routed);
        let (base, before) = (&self.base, &self.before);
        let decision = decision_of(before, (id, asked.stage), routed);
        let (places, left_out) = candidates(&decision, chosen, asked)?;
        let alternative = |place: usize| -> Alternative {
            let to = decision.seen[place].id;
            let run = (to != chosen).then(|| sent(before, routed, Route { request: id.0, to: to.0 }, until));
            compared(base, run.as_ref().unwrap_or(base), id, to, &decision, place)
        };
        let alternatives: Vec<Alternative> = places.into_iter().map(alternative).collect();
        let own = base.engine().records().at(id.index()).e2e.get().map(|e2e| e2e.0 as f64 / 1000.0);
        let best = alternatives.iter().filter_map(|a| a.e2e_ms).fold(f64::INFINITY, f64::min);
        let least = alternatives.iter().map(|a| a.total_diff_ms).fold(f64::INFINITY, f64::min);
        Ok(WhatIf {
            request: id.0,
            stage: asked.stage,
            routed_us: routed.0,
            until_us: base.now().0,
            ended: base.has_ended(),
            chosen: chosen.0,
            score_regret: decision.regret(),
            regret_ms: own.map(|own| (own - best).max(0.0)),
            total_regret_ms: (!alternatives.is_empty()).then(|| (0.0 - least).max(0.0)),
            left_out,
            alternatives,
        })
    }
}

/// When and where a request was sent; or why there is no decision.
fn decided(run: &Session, id: RequestId, stage: AskedStage) -> Result<(Micros, ReplicaId), Diagnostic> {
    let problem = |found: String, fix: &str| {
        Err(Diagnostic::error("request", found, "a request that was sent to a replica", fix))
    };
    let Some(record) = run.engine().records().get(id.index()) else {
        let arrived = run.engine().records().len();
        let found = format!("request {}, where {arrived} arrived up to {} s", id.0, run.now().as_secs());
        return problem(found, "requests are numbered from 0 in order of arrival");
    };
    let handover = run.engine().handover(id);
    let chosen = match (stage, handover) {
        (AskedStage::Home, handover) => handover.map(|h| h.home).or(record.replica()),
        (AskedStage::Prefill, Some(h)) if h.prefill.is_none() => {
            let found = format!("request {}, which its own replica prefills ({})", id.0, h.reason.name());
            return problem(found, "ask about its home, or about a request that a prefill replica had");
        }
        (AskedStage::Prefill, None) if record.routed.is_known() => {
            let found = format!("request {} of a run without prefill replicas", id.0);
            return problem(found, "ask about the replica that answered it");
        }
        (AskedStage::Prefill, handover) => handover.and_then(|h| h.prefill),
    };
    match (record.routed.get(), chosen) {
        (Some(at), Some(to)) => Ok((at, to)),
        _ if record.state() == RequestState::Rejected => {
            problem(format!("request {}, which was refused", id.0), "ask about one that was admitted")
        }
        _ => problem(format!("request {}, which is not routed yet", id.0), "let the run go on further"),
    }
}

/// A sink that records one decision.
struct Listening {
    request: RequestId,
    stage: AskedStage,
    heard: Option<Decision>,
}

impl Sink for Listening {
    fn fact(&mut self, _: Micros, _: Fact) {}

    fn wants_decision(&self, request: RequestId, _: usize) -> bool {
        request == self.request
    }

    fn decision(&mut self, _: Micros, decision: &Decision) {
        if decision.request == Some(self.request) && self.stage.is(decision.stage) {
            self.heard = Some(decision.clone());
        }
    }
}

/// The decision that a run is about to make at `at`.
fn decision_of(before: &Session, (request, stage): (RequestId, AskedStage), at: Micros) -> Decision {
    let (mut run, mut listening) = (before.clone(), Listening { request, stage, heard: None });
    run.advance_telling(at, u64::MAX, &mut listening);
    listening.heard.expect("INV-6: a decision that was made is made again")
}

/// The positions of the queried candidates, the best first, the chosen one included; and the number left out.
fn candidates(d: &Decision, chosen: ReplicaId, asked: &WhatIfQuery) -> Result<(Vec<usize>, u32), Diagnostic> {
    let mut places = d.ranking();
    if let Some(to) = asked.to {
        places.retain(|&i| d.seen[i].id.0 == to || d.seen[i].id == chosen);
        if !places.iter().any(|&i| d.seen[i].id.0 == to) {
            let found = format!("replica {to}");
            let allowed: Vec<String> = d.seen.iter().take(16).map(|v| v.id.0.to_string()).collect();
            let more = if d.seen.len() > 16 { ", …" } else { "" };
            let fix = "only these took requests of its kind when it was routed";
            return Err(Diagnostic::error("to", found, format!("{}{more}", allowed.join(", ")), fix));
        }
        return Ok((places, 0));
    }
    let most = if asked.most == 0 { usize::MAX } else { asked.most as usize };
    let (all, mut kept) = (places.len(), 0);
    places.retain(|&i| {
        kept += 1;
        kept <= most || d.seen[i].id == chosen
    });
    let left_out = (all - places.len()) as u32;
    Ok((places, left_out))
}

/// The continuation of a run from just before `at`, with a request sent elsewhere. Other edits that route it are
/// switched off.
fn sent(before: &Session, at: Micros, route: Route, until: Micros) -> Session {
    let mut run = before.clone();
    run.redirect(TimedEdit::new(at.0, Change { route: Some(route), ..Change::default() }));
    run.advance(until, u64::MAX);
    run
}

fn ms(record: &Record) -> [Option<f64>; 2] {
    [record.ttft, record.e2e].map(|time| time.get().map(|span| span.0 as f64 / 1000.0))
}

/// The result with the request on `to`, compared with the actual one.
fn compared(
    base: &Session,
    run: &Session,
    id: RequestId,
    to: ReplicaId,
    d: &Decision,
    place: usize,
) -> Alternative {
    let (a, b): (&Cluster, &Cluster) = (base.engine(), run.engine());
    let pairs = pairs_of(a, b);
    let there = pairs.iter().find(|pair| pair.a == id.index()).map_or(id.index(), |pair| pair.b);
    let (was, is) = (a.records().at(id.index()), b.records().at(there));
    let [[ttft_was, e2e_was], [ttft_ms, e2e_ms]] = [ms(&was), ms(&is)];
    let diff = |is: Option<f64>, was: Option<f64>| is.zip(was).map(|(is, was)| is - was);
    let others = Others::of(a, b, &pairs, id);
    let e2e_diff_ms = diff(e2e_ms, e2e_was);
    Alternative {
        replica: to.0,
        chosen: d.target() == Some(to),
        score: d.score(place),
        excluded: d.excluded(place).map(excluded_words),
        state: is.state(),
        ttft_ms,
        e2e_ms,
        ttft_diff_ms: diff(ttft_ms, ttft_was),
        e2e_diff_ms,
        total_diff_ms: others.e2e.sum_ms + e2e_diff_ms.unwrap_or(0.0),
        others,
    }
}
