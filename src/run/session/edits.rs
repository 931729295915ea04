//! The edit log: the edits of a run, applied and to come.

use super::advance::Both;
use super::memory::Needs;
use super::view::{FaultFlag, Flag};
use super::{Audience, Session};
use crate::observe::recorder::Recorder;
use crate::observe::requests_asked;
use base::math::round_to_span;
use base::small::decimal::plain;
use base::{Diagnostic, Diagnostics, Micros, ReplicaId, RequestId, diag::has_errors, number_text};
use document::{Aim, Change, Fault, Route, ScalingPolicy, Scenario, TimedEdit, limits, parse_change};
use engine::perf::Plan;
use engine::workload::Source;
use engine::{Cluster, Ignore, Replica, Sink, replicas_started};

/// All edits in order; the first `applied` of them lie behind the playhead.
#[derive(Clone, Debug)]
pub(super) struct EditLog {
    edits: Vec<TimedEdit>,
    labels: Vec<String>,
    applied: usize,
}

/// The next edit's place on the clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct EditPlace {
    at_us: u64,
    after_events: Option<u64>,
}

impl EditPlace {
    pub(super) fn at(self) -> Micros {
        Micros(self.at_us)
    }

    /// The instant, `until` at the latest, and the number of events that may run before it, when the next event is at
    /// `next`.
    ///
    /// The count only separates the events of the edit's own instant. All earlier events come first, whatever their
    /// number, which a change of the scenario changes. There is no limit if no event is left to run: a limit of 0
    /// would stop the clock before `until`.
    pub(super) fn room(self, until: Micros, done: u64, next: Micros) -> (Micros, u64) {
        match self.after_events {
            Some(n) if next == self.at() && done < n => (until.min(self.at()), n - done),
            Some(_) if next >= self.at() => (until.min(self.at()), u64::MAX),
            Some(_) | None => (until.min(Micros(self.at_us.saturating_sub(1))), u64::MAX),
        }
    }

    /// Whether its place has been reached, when the next event is at `next`.
    pub(super) fn is_due(self, done: u64, next: Micros) -> bool {
        match self.after_events {
            Some(n) => next > self.at() || (next == self.at() && done >= n),
            None => next >= self.at(),
        }
    }
}

impl EditLog {
    pub(super) fn new(edits: &[TimedEdit]) -> Self {
        let labels = edits.iter().map(|e| document::edit_label::label(&e.change())).collect();
        Self { edits: edits.to_vec(), labels, applied: 0 }
    }

    pub(super) fn restored(edits: &[TimedEdit], applied: usize) -> Self {
        Self { applied: applied.min(edits.len()), ..Self::new(edits) }
    }

    /// The same edits, with the first `applied` of them behind the playhead.
    pub(super) fn at(&self, applied: usize) -> Self {
        Self { applied, ..self.clone() }
    }

    pub(super) fn all(&self) -> &[TimedEdit] {
        &self.edits
    }

    pub(super) fn applied(&self) -> usize {
        self.applied
    }

    /// Adds an edit that routes a request as the next one; other edits that route it are switched off.
    fn redirect(&mut self, edit: TimedEdit) {
        let request = edit.route.map(|route| route.request);
        for other in &mut self.edits[self.applied..] {
            other.off |= other.route.map(|route| route.request) == request;
        }
        self.labels.insert(self.applied, document::edit_label::label(&edit.change()));
        self.edits.insert(self.applied, edit);
    }

    pub(super) fn next(&self) -> Option<EditPlace> {
        self.edits.get(self.applied).map(|e| EditPlace { at_us: e.at_us, after_events: e.after_events })
    }

    pub(super) fn flags(&self) -> Vec<Flag> {
        let pairs = self.edits.iter().zip(&self.labels).enumerate();
        pairs
            .map(|(i, (e, label))| Flag {
                at_us: e.at_us,
                label: label.clone(),
                applied: i < self.applied,
                off: e.off,
                fault: e.fault.as_ref().map(|fault| flag_of(fault, e.at_us)),
            })
            .collect()
    }
}

/// What a fault at an instant is on the timeline.
fn flag_of(fault: &Fault, at_us: u64) -> FaultFlag {
    let (replica, pool) = match fault.aim() {
        Some(Aim::Replica(number)) => (Some(number), None),
        Some(Aim::Pool(name, _)) => (None, Some(name.to_owned())),
        Some(Aim::All | Aim::Store(_)) | None => (None, None),
    };
    let lasts_us = round_to_span(fault.lasts_s() * 1e6).0;
    let until_us = (lasts_us > 0).then(|| at_us.saturating_add(lasts_us));
    FaultFlag { kind: fault.name(), replica, pool, until_us }
}

impl Session {
    /// Adds an edit that routes a request as the next one; other edits that route it are switched off.
    pub fn redirect(&mut self, edit: TimedEdit) {
        self.edits.redirect(edit);
    }

    /// Sends a request that is not routed yet to a replica, in place of the router's choice. There is no edit of it: the
    /// run is then not the one of its scenario.
    #[cfg(feature = "steer")]
    pub fn send(&mut self, request: RequestId, to: ReplicaId) {
        self.engine.redirect(request, to);
    }

    /// The document at the playhead, and after each edit still to come that is not switched off.
    pub fn course(&self) -> Vec<Scenario> {
        let mut plan = self.plan.clone();
        let mut course = vec![plan.scenario().clone()];
        for edit in self.edits.all()[self.edits.applied()..].iter().filter(|edit| !edit.off) {
            (plan, _) = plan.edited(&edit.change()).expect("INV-6: the edit was checked when it was made");
            course.push(plan.scenario().clone());
        }
        course
    }

    /// Applies an edit, given as JSON text, at the playhead. With errors nothing changes.
    pub fn apply_text(&mut self, text: &str) -> Diagnostics {
        match parse_change(text) {
            Ok(change) => self.apply(change),
            Err(problems) => problems,
        }
    }

    /// Applies an edit at the playhead. With errors nothing changes.
    pub fn apply(&mut self, change: Change) -> Diagnostics {
        let problems = match self.outcome_of(&change) {
            Ok(warnings) => warnings,
            Err(problems) => return problems,
        };
        let at = self.edits.applied;
        let (label, now) = (document::edit_label::label(&change), self.playhead);
        let edit =
            TimedEdit { after_events: Some(self.engine.events_done()), ..TimedEdit::new(now.0, change) };
        self.edits.labels.insert(at, label);
        self.edits.edits.insert(at, edit);
        self.apply_next_edit(&mut Ignore);
        problems
    }

    /// Errors or warnings of an edit at the playhead. Later edits must still be possible after it.
    fn outcome_of(&self, change: &Change) -> Result<Diagnostics, Diagnostics> {
        let (plan, mut problems) = self.plan.edited(change)?;
        if self.edits.edits.len() >= limits::EDITS {
            let found = format!("{} edits already", self.edits.edits.len());
            let fix = "save the scenario, apply the edits in it, and start from there";
            problems.push(Diagnostic::error("edits", found, format!("at most {}", limits::EDITS), fix));
        }
        let started = self.engine.replicas().len() as u32;
        let before = &self.edits.edits[..self.edits.applied];
        let routed = before.iter().filter(|e| !e.off).filter_map(|e| e.route).map(|r| r.request).collect();
        let (plan_now, needs) = (self.plan.clone(), self.needs.clone());
        let mut course = Course { plan: plan_now, needs, started, routed, problems };
        let too_many = course.count_started(&plan);
        course.problems.extend(too_many);
        course.needs.change(self.playhead, &plan);
        course.plan = plan;
        if let Some(route) = change.route {
            course.route(route);
            course.problems.extend(self.too_late(route));
        }
        if let Some(fault) = &change.fault {
            course.fault(fault);
        }
        for (i, later) in self.edits.edits.iter().enumerate().skip(self.edits.applied) {
            course.edit(i, later);
        }
        let audience = if self.recorder.live { Audience::Live } else { Audience::Batch };
        course.problems.extend(course.needs.count().problems(&self.scenario));
        course.problems.extend(course.needs.check(self.replayed(), audience));
        if has_errors(&course.problems) { Err(course.problems) } else { Ok(course.problems) }
    }

    /// A problem, if a request has been routed already.
    fn too_late(&self, route: Route) -> Option<Diagnostic> {
        let record = self.engine.records().get(route.request as usize)?;
        let at = record.routed.get()?;
        let to = record.replica().map_or_else(String::new, |id| format!(" to r{}", id.0));
        let found = format!("request {}, which was sent{to} at {} s", route.request, plain(at.as_secs()));
        let fix = "go back to before that, and edit there";
        Some(Diagnostic::error("route.request", found, "a request that is still to be routed", fix))
    }

    /// The next edit of the log that can happen: edits after the end of the run do not, whether it ended at its
    /// horizon or by a livelock. After a livelock events are still due: a later edit would come before them, and they
    /// would run in its past.
    pub(super) fn next_edit(&self) -> Option<EditPlace> {
        let given_up = self.engine.gave_up();
        let end = if given_up { self.engine.last_event_at() } else { self.engine.horizon() };
        self.edits.next().filter(|e| e.at() <= end)
    }

    /// Whether an edit is still to come that changes the run.
    pub fn awaits_edit(&self) -> bool {
        self.next_edit().is_some() && self.edits.edits[self.edits.applied..].iter().any(|edit| !edit.off)
    }

    /// Whether the next edit's place, at or before `until`, has been reached.
    pub(super) fn edit_is_due(&self, until: Micros) -> bool {
        let (done, next) = (self.engine.events_done(), self.next_event());
        self.next_edit().is_some_and(|e| e.at() <= until && e.is_due(done, next))
    }

    /// The instant of the next event; the end of time without one.
    pub(super) fn next_event(&self) -> Micros {
        self.engine.next_event_at().unwrap_or(Micros::MAX)
    }

    pub(super) fn apply_next_edit<S: Sink + ?Sized>(&mut self, also: &mut S) {
        let edit = &self.edits.edits[self.edits.applied];
        let now = Micros(edit.at_us).max(self.engine.last_event_at());
        if edit.off {
            self.edits.applied += 1;
            return;
        }
        // The timeline up to here describes the run without the edit, whether or not a run stopped here before.
        self.move_playhead(now);
        let edit = &self.edits.edits[self.edits.applied];
        let (plan, _) =
            self.plan.edited(&edit.change()).expect("INV-6: the edit was checked when it was made");
        if edit.change().leaves_document() || plan.scenario() == self.plan.scenario() {
            // Nothing changes, not even state that edits reset, such as the causes of a livelock, or when the gateway looks again.
        } else if self.engine.events_done() == 0 && now == Micros::ZERO && !self.engine.is_faulty() {
            // No event has run yet: the run begins with the edited scenario.
            self.needs.change(now, &plan);
            let source = Source::of_rows(plan.scenario(), self.recording.as_ref().map(|r| &r.rows));
            let before = std::mem::replace(&mut self.engine, Cluster::new(&plan, source));
            self.engine.keep_requests_of(&before);
            let replicas = self.engine.replicas().len();
            self.recorder = Recorder::new(plan.scenario(), replicas, self.recorder.live);
            self.forget_requests();
        } else {
            self.needs.change(now, &plan);
            // First, so that it knows the pools in the facts that follow.
            self.recorder.adopt(plan.scenario(), now);
            let prices: Vec<_> = self.engine.replicas().iter().map(Replica::usd_per_hour).collect();
            let mut sink = Both { recorder: &mut self.recorder, also };
            self.engine.adopt(&self.plan, &plan, now, &mut sink);
            for (i, before) in prices.into_iter().enumerate() {
                if self.engine.replicas()[i].usd_per_hour() != before {
                    self.recorder.meters.reprice(i, now, before);
                }
            }
        }
        if let Some(route) = self.edits.edits[self.edits.applied].route {
            self.engine.redirect(RequestId(route.request), ReplicaId(route.to));
        }
        if let Some(fault) = self.edits.edits[self.edits.applied].fault.clone() {
            let mut sink = Both { recorder: &mut self.recorder, also };
            self.engine.fault(&fault, &plan, now, &mut sink);
        }
        self.plan = plan;
        self.recorder.note_edit(now, self.edits.labels[self.edits.applied].clone());
        self.edits.applied += 1;
    }

    /// Whether continuing with the edits of another run gives that run: the applied edits are its first ones, and its
    /// next one is still to come.
    pub(super) fn leads_to(&self, edits: &[TimedEdit]) -> bool {
        let applied = self.edits.applied;
        let (done, last) = (self.engine.events_done(), self.engine.last_event_at());
        let is_ahead = |e: &TimedEdit| {
            let here = last.0 == e.at_us && e.after_events.is_some_and(|n| done <= n);
            self.playhead.0 <= e.at_us && (done == 0 || last.0 < e.at_us || here)
        };
        edits.len() >= applied
            && edits[..applied] == self.edits.edits[..applied]
            && edits.get(applied).is_none_or(is_ahead)
    }

    /// The edits on the timeline.
    pub(super) fn flags(&self) -> Vec<Flag> {
        self.edits.flags()
    }
}

/// The document of a run after each edit.
pub(super) struct Course {
    pub(super) plan: Plan,
    pub(super) needs: Needs,
    /// Replicas started so far.
    pub(super) started: u32,
    /// Requests routed by edits so far.
    routed: Vec<u32>,
    pub(super) problems: Diagnostics,
}

impl Course {
    /// The course of a run that begins with `plan`, with all its edits.
    pub(super) fn new(plan: Plan, edits: &[TimedEdit]) -> Self {
        let started = plan.scenario().cluster.pools.iter().map(|p| p.replicas).sum();
        let needs = Needs::new(&plan);
        let mut course = Self { needs, plan, started, routed: Vec::new(), problems: Diagnostics::new() };
        for (i, edit) in edits.iter().enumerate() {
            course.edit(i, edit);
        }
        course
    }

    /// A problem if the run continues as `plan` and starts too many replicas in all.
    fn count_started(&mut self, plan: &Plan) -> Option<Diagnostic> {
        self.started += replicas_started(&self.plan, plan);
        let found = format!("{} replicas started in all, those that replace others included", self.started);
        let fix = "apply the edits in the scenario itself";
        let most = limits::REPLICAS_STARTED;
        (self.started > most)
            .then(|| Diagnostic::error("cluster.pools", found, format!("at most {most}"), fix))
    }

    /// Checks the request and the replica of an edit that routes.
    fn route(&mut self, route: Route) {
        let mut problem = |field: &str, found: String, allowed: String, fix: &str| {
            self.problems.push(Diagnostic::error(format!("route.{field}"), found, allowed, fix));
        };
        let s = self.plan.scenario();
        // The number of rows of a trace is known when it is loaded.
        let asked = if s.workload.trace.is_some() { None } else { requests_asked(s, None) };
        let most = asked.unwrap_or(limits::REQUESTS);
        if u64::from(route.request) >= most {
            let allowed = match most.checked_sub(1) {
                Some(last) => format!("0 to {}", number_text::count(last)),
                None => "none: the run has no requests".to_owned(),
            };
            let fix = "requests are numbered from 0 in order of arrival";
            problem("request", format!("request {}", number_text::count(route.request.into())), allowed, fix);
        }
        // The replicas started by an autoscaler are not known in advance; whether the named one exists is checked
        // when the request is routed.
        let scaled = s.cluster.pools.iter().any(|p| p.scaling.policy != ScalingPolicy::None);
        let replicas = if scaled { limits::REPLICAS_STARTED } else { self.started };
        if route.to >= replicas {
            let allowed = match replicas.checked_sub(1) {
                Some(last) if scaled => format!("0 to {}", number_text::count(last.into())),
                Some(last) => {
                    format!("0 to {}, the replicas started up to then", number_text::count(last.into()))
                }
                None => "none: there are no replicas yet".to_owned(),
            };
            let found = format!("replica {}", number_text::count(route.to.into()));
            problem("to", found, allowed, "replicas are numbered from 0, those of the first pool first");
        }
        if self.routed.contains(&route.request) {
            let found = format!("request {}, which another edit routes too", route.request);
            problem("request", found, "one edit for each request".to_owned(), "keep one of the two");
        }
        self.routed.push(route.request);
    }

    /// Checks that the replica of a fault has been started by then.
    fn fault(&mut self, fault: &Fault) {
        let Some(Aim::Replica(number)) = fault.aim() else { return };
        let s = self.plan.scenario();
        let scaled = s.cluster.pools.iter().any(|p| p.scaling.policy != ScalingPolicy::None);
        // Which replicas an autoscaler starts is not known in advance: a fault of one that is not there does nothing.
        let replicas = if scaled { limits::REPLICAS_STARTED } else { self.started };
        if number >= replicas {
            let allowed = match replicas.checked_sub(1) {
                Some(last) => format!("0 to {}", number_text::count(last.into())),
                None => "none: there are no replicas yet".to_owned(),
            };
            let found = format!("replica {}", number_text::count(number.into()));
            let path = format!("fault.{}.replica", fault.name());
            let fix = "replicas are numbered from 0, those of the first pool first";
            self.problems.push(Diagnostic::error(path, found, allowed, fix));
        }
    }

    /// Applies edit number `i` to the document, unless it is switched off. An impossible edit is left out and is a
    /// problem.
    pub(super) fn edit(&mut self, i: usize, edit: &TimedEdit) {
        if edit.off {
            return;
        }
        let found = match self.plan.edited(&edit.change()) {
            Ok((plan, mut warnings)) => {
                warnings.extend(self.count_started(&plan));
                self.needs.change(Micros(edit.at_us), &plan);
                self.plan = plan;
                warnings
            }
            Err(problems) => problems,
        };
        let earlier = std::mem::replace(&mut self.problems, found);
        if let Some(route) = edit.route {
            self.route(route);
        }
        if let Some(fault) = &edit.fault {
            self.fault(fault);
        }
        let found = std::mem::replace(&mut self.problems, earlier);
        let inside = |mut problem: Diagnostic| {
            let key = if edit.set.keys().any(|path| problem.path.starts_with(path.as_str()))
                || edit.add.is_empty()
            {
                "set"
            } else {
                "add"
            };
            problem.path = match problem.path.as_str() {
                "" => format!("edits[{i}]"),
                path if path.starts_with("route.") || path.starts_with("fault") => {
                    format!("edits[{i}].{path}")
                }
                path => format!("edits[{i}].{key}.{path}"),
            };
            problem
        };
        self.problems.extend(found.into_iter().map(inside));
    }
}

/// A scenario with its edit log replaced.
pub(super) fn with_edits(scenario: &Scenario, edits: &[TimedEdit]) -> Scenario {
    Scenario { edits: edits.to_vec(), ..scenario.clone() }
}
