//! The trace of a run: the file that it was read from, and the rows of it that the run replays.

use base::{Diagnostic, Diagnostics};
use document::{Scenario, Served};
use engine::workload::{Trace, replayed};
use std::sync::Arc;

/// A trace and what a run replays of it.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    /// All rows of the file: what links, reports and snapshots name.
    pub(super) file: Arc<Trace>,
    /// The rows that are replayed.
    pub(super) rows: Arc<Trace>,
}

impl Recording {
    /// What `scenario` replays of `trace`, with warnings.
    pub(super) fn of(
        scenario: &Scenario,
        trace: Option<Arc<Trace>>,
    ) -> Result<(Option<Self>, Diagnostics), Diagnostics> {
        #[cfg(feature = "cli")]
        let (trace, mut warnings) = given_or_carried(scenario, trace).map_err(|d| vec![d])?;
        #[cfg(not(feature = "cli"))]
        let mut warnings = Diagnostics::new();
        let Some(settings) = &scenario.workload.trace else {
            return Ok((trace.map(|file| Self { rows: Arc::clone(&file), file }), warnings));
        };
        let Some(file) = trace else { return Err(vec![missing(&settings.file)]) };
        if let Some(other) = other_trace(scenario, &file) {
            return Err(vec![other]);
        }
        let rows = file.operated(settings, scenario.seed);
        if rows.is_empty() && !file.is_empty() {
            return Err(vec![nothing_left(&file)]);
        }
        warnings.extend(unserved(scenario, &rows));
        warnings.extend(unstarted(scenario, &rows));
        Ok((Some(Self { file, rows }), warnings))
    }

    /// The same for a trace that the scenario carries, if it carries one that this program reads.
    pub(super) fn carried(scenario: &Scenario) -> Result<(Option<Self>, Diagnostics), Diagnostics> {
        let carries = scenario.workload.trace.as_ref().is_some_and(|t| !t.rows.is_empty());
        if carries && cfg!(feature = "cli") {
            Self::of(scenario, None)
        } else {
            Ok((None, Diagnostics::new()))
        }
    }

    /// What another scenario replays of the same file.
    pub(super) fn under(&self, scenario: &Scenario) -> Self {
        let rows = replayed(scenario, Some(&self.file)).unwrap_or_else(|| Arc::clone(&self.file));
        Self { file: Arc::clone(&self.file), rows }
    }
}

/// The trace that was given, else the one that the scenario carries. On the page its thread of files reads that one.
#[cfg(feature = "cli")]
fn given_or_carried(
    scenario: &Scenario,
    given: Option<Arc<Trace>>,
) -> Result<(Option<Arc<Trace>>, Diagnostics), Diagnostic> {
    if given.is_none()
        && let Some(settings) = &scenario.workload.trace
        && let Some((trace, warnings)) = engine::workload::trace::carried(settings)?
    {
        return Ok((Some(trace), warnings));
    }
    Ok((given, Diagnostics::new()))
}

/// The problem of a trace that is not the one whose digest `scenario` names.
pub fn other_trace(scenario: &Scenario, trace: &Trace) -> Option<Diagnostic> {
    let settings = scenario.workload.trace.as_ref().filter(|settings| !settings.digest.is_empty())?;
    let (wanted, found) = (&settings.digest, trace.digest().hex());
    (!wanted.eq_ignore_ascii_case(&found)).then(|| {
        Diagnostic::error(
            "workload.trace.digest",
            format!("a trace of {} rows with digest {found}", trace.len()),
            format!("{:?} with digest {wanted}", settings.file),
            "give the file that the scenario was made with, or leave workload.trace.digest out to replay this one",
        )
    })
}

fn nothing_left(file: &Trace) -> Diagnostic {
    let last = file.last_arrival().as_secs();
    Diagnostic::error(
        "workload.trace",
        format!("a window and a subsample without any of the {} requests of the trace", file.len()),
        "at least one request",
        format!("the last one arrives {last} s after the first: move the window, or take a larger share"),
    )
}

/// A warning about models in requests of a trace that no pool serves.
fn unserved(scenario: &Scenario, trace: &Trace) -> Option<Diagnostic> {
    let pools = &scenario.cluster.pools;
    let served = Served::new(pools);
    let (mut requests, mut names) = (0, Vec::new());
    for (name, count) in trace.models().iter().zip(trace.requests_by_model()) {
        if count > 0 && served.pools_of(name) == 0 {
            requests += count;
            names.push(name.as_str());
        }
    }
    let more = if names.len() > 3 { format!(" and {} more", names.len() - 3) } else { String::new() };
    let found = format!(
        "{requests} of {} requests ask for a model that no pool serves: {}{more}",
        trace.len(),
        names[..names.len().min(3)].join(", ")
    );
    let allowed: Vec<&str> = pools.iter().map(|p| p.model.as_str()).collect();
    let fix = "they go to any replica; to change that, rename the models in the trace or in the pools";
    (requests > 0).then(|| Diagnostic::warning("workload.trace", found, allowed.join(", "), fix))
}

/// The problem of a trace whose sessions start at no known time, or of a start process without sessions.
fn unstarted(scenario: &Scenario, trace: &Trace) -> Option<Diagnostic> {
    let settings = scenario.workload.trace.as_ref()?;
    let starts = settings.sessions_in_flight > 0 || settings.session_rate > 0.0;
    if trace.is_unplaced() && !starts {
        let found = "sessions without arrival times";
        let allowed = "workload.trace.sessions_in_flight or workload.trace.session_rate above 0";
        let fix =
            "set workload.trace.sessions_in_flight, such as 8: each next session starts when one is over";
        return Some(Diagnostic::error("workload.trace", found, allowed, fix));
    }
    let fix =
        "each request counts as a session: remove sessions_in_flight and session_rate to replay its times";
    (starts && !trace.has_sessions()).then(|| {
        let found = "a start of sessions, for a trace without sessions";
        Diagnostic::warning("workload.trace", found, "a trace whose rows have sessions", fix)
    })
}

fn missing(file: &str) -> Diagnostic {
    Diagnostic::error(
        "workload.trace",
        format!("the scenario replays the trace {file:?}, which is not loaded"),
        "a scenario together with its trace file",
        "give the file with --trace, or drop it on the page; or remove `trace` to use the clients",
    )
}
