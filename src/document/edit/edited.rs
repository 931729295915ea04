//! Applies an edit to a document.
//!
//! Everything under `cluster`, `workload` and `slo` can be edited during the run, except the engine's semantics and
//! the replayed trace. Pools and clients are never removed, so that their positions stay.

use crate::check::{check_edited, check_fault};
use crate::parse::{from_value, let_scorers_decide, place_value, profile_beside};
use crate::types::workload::client_kind;
use crate::{Change, Checked, Cluster, Scenario, TraceSettings, Workload, Write, limits};
use base::{Diagnostic, Diagnostics, Severity, diag::has_errors};
use serde_json::{Value, json};

/// What an edit may reach.
const ROOTS: [&str; 3] = ["cluster", "workload", "slo"];

impl Checked<Scenario> {
    /// The document after an edit; warnings about what it changes come along. Paths in the problems are those of the document.
    pub fn edited(&self, change: &Change) -> Result<(Self, Diagnostics), Diagnostics> {
        let old = self.get();
        let mut problems = out_of_reach(change);
        if !problems.is_empty() {
            return Err(problems);
        }
        if change.leaves_document() {
            return with_fault((self.clone(), problems), change);
        }
        let mut workload = old.workload.clone();
        // A list of requests is long, and almost no edit is about it.
        let about_requests =
            change.paths().any(|path| path == "workload" || path.starts_with("workload.requests"));
        let kept = if about_requests { Vec::new() } else { std::mem::take(&mut workload.requests) };
        let (cluster, slo) = (old.cluster.write(), old.slo.write());
        let mut tree = json!({ "cluster": cluster, "workload": workload.write(), "slo": slo });
        for (path, value) in &change.set {
            problems.extend(place_value(&mut tree, path, value.clone()).err().into_iter().flatten());
            if let Some(client) = path.strip_suffix(".kind").and_then(|client| client_at(&mut tree, client)) {
                client_kind::let_decide(client);
            }
            if profile_beside(path).is_some_and(|profile| !change.set.contains_key(&profile)) {
                let_scorers_decide(&mut tree, path);
            }
        }
        for (path, entry) in &change.add {
            problems.extend(add_entry(&mut tree, path, entry).err());
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let Scenario { cluster, mut workload, slo, .. } = from_value(tree)?;
        if !about_requests {
            workload.requests = kept;
        }
        problems.extend(fixed(old, &cluster, &workload));
        let new = Scenario { cluster, workload, slo, edits: Vec::new(), ..old.clone() };
        let (checked, found) = check_edited(new);
        let named = |path: &str| change.paths().any(|named| path.starts_with(named));
        problems.extend(found.into_iter().filter(|d| d.severity == Severity::Error || named(&d.path)));
        if has_errors(&problems) { Err(problems) } else { with_fault((checked, problems), change) }
    }
}

/// The document after an edit, if what the edit breaks can break.
fn with_fault(
    (after, mut problems): (Checked<Scenario>, Diagnostics),
    change: &Change,
) -> Result<(Checked<Scenario>, Diagnostics), Diagnostics> {
    problems.extend(change.fault.iter().flat_map(|fault| check_fault(fault, &after.get().cluster)));
    if has_errors(&problems) { Err(problems) } else { Ok((after, problems)) }
}

/// Problems of paths that no edit may name, and of an edit that names none.
fn out_of_reach(change: &Change) -> Diagnostics {
    let allowed = "fields under cluster, workload and slo";
    if change.is_empty() {
        let fix = "set a field, such as {\"set\": {\"cluster.pools[0].replicas\": 8}}, add an entry to a list, route a request, or break something";
        return vec![Diagnostic::error("", "an edit that changes nothing", allowed, fix)];
    }
    let root = |path: &str| path.split(['.', '[']).next().unwrap_or_default().to_owned();
    let out = |path: &&str| !ROOTS.contains(&root(path).as_str());
    let problem = |path: &str| {
        let found = "a field that cannot change during the run";
        Diagnostic::error(path, found, allowed, "change it in the scenario itself: the run starts again")
    };
    change.paths().filter(out).map(problem).collect()
}

/// The client at a path such as `workload.clients[0]`.
fn client_at<'a>(tree: &'a mut Value, path: &str) -> Option<&'a mut serde_json::Map<String, Value>> {
    let index = path.strip_prefix("workload.clients[")?.strip_suffix(']')?;
    tree.get_mut("workload")?.get_mut("clients")?.get_mut(index.parse::<usize>().ok()?)?.as_object_mut()
}

/// Puts an entry at the end of a list.
pub(crate) fn add_entry(tree: &mut Value, path: &str, entry: &Value) -> Result<(), Diagnostic> {
    let steps = path.split('.').flat_map(|part| part.split('[')).map(|part| part.trim_end_matches(']'));
    let mut at = Some(tree);
    for step in steps {
        at = at.and_then(|value| match value {
            Value::Array(list) => step.parse().ok().and_then(|index: usize| list.get_mut(index)),
            value => value.get_mut(step),
        });
    }
    let Some(Value::Array(list)) = at else {
        let lists = "a list of the document, such as cluster.pools or workload.clients";
        return Err(Diagnostic::error(path, "no list", lists, "set the field instead"));
    };
    if list.len() >= limits::EXPLICIT_REQUESTS {
        let most = format!("at most {}", limits::EXPLICIT_REQUESTS);
        return Err(Diagnostic::error(path, "a list that is full", most, "change one of its entries"));
    }
    list.push(entry.clone());
    Ok(())
}

/// What an edit may not change although it lies under a root.
fn fixed(old: &Scenario, cluster: &Cluster, workload: &Workload) -> Diagnostics {
    let mut problems = Diagnostics::new();
    let mut restart = |path: &str, found: &str, allowed: &str| {
        let fix = "change it in the scenario itself: the run starts again";
        problems.push(Diagnostic::error(path, found, allowed, fix));
    };
    if cluster.compat != old.cluster.compat {
        restart(
            "cluster.compat",
            "other engine semantics in the middle of a run",
            "the value at the start \
        of the run",
        );
    }
    let but_for_speed = |w: &Workload| w.trace.clone().map(|t| TraceSettings { speed: 1.0, ..t });
    if but_for_speed(workload) != but_for_speed(&old.workload) {
        let allowed = "the value at the start of the run; its speed may change";
        restart("workload.trace", "another trace in the middle of a run", allowed);
    }
    let generated = |w: &Workload| (w.clients.clone(), w.requests.len());
    if workload.trace.is_some() && generated(workload) != generated(&old.workload) {
        let allowed = "nothing: the workload replays a trace";
        let fix = "change workload.trace.speed instead";
        problems.push(Diagnostic::error("workload.clients", "clients and requests", allowed, fix));
    }
    let mut fewer = |path: &str, now: usize, before: usize, fix: &str| {
        if now < before {
            let found = format!("{now} entries, where there were {before}");
            problems.push(Diagnostic::error(path, found, "no fewer: positions stay", fix));
        }
    };
    let (pools, clients) = (&old.cluster.pools, &old.workload.clients);
    fewer("cluster.pools", cluster.pools.len(), pools.len(), "give the pool 0 replicas instead");
    fewer("workload.clients", workload.clients.len(), clients.len(), "give the client a rate of 0 instead");
    problems
}
