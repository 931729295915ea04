//! Documents inside others, such as the router's configuration in the data of a `ConfigMap` or in the values of a chart.

use crate::import::configuration::server_identity::RouterRole;
use crate::import::configuration::{Configuration, Mapping, Reader, Report, Settings};
use base::Diagnostic;
use base::import::Import;
use serde_json::Value;

/// Deepest section in which a document is looked for.
const DEPTH: usize = 12;

/// The paths at which documents of a format stand in a source, from its first key on.
pub(crate) fn places(source: &Value, format: &dyn Import<Configuration>) -> Vec<String> {
    let mut found = Vec::new();
    look(source, "", format, DEPTH, &mut found);
    found
}

fn look(
    value: &Value,
    path: &str,
    format: &dyn Import<Configuration>,
    depth: usize,
    found: &mut Vec<String>,
) {
    for (key, inner) in value.as_object().into_iter().flatten().filter(|_| depth > 0) {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if format.recognises(inner) {
            found.push(path);
        } else {
            look(inner, &path, format, depth - 1, found);
        }
    }
}

/// Reads the document at a path; its keys and problems are reported with that path.
pub(crate) fn read(r: &mut Reader<'_>, at: &str, format: &dyn Import<Configuration>) -> Settings {
    let Some(inner) = r.get(at) else { return Settings::default() };
    r.set_aside(at);
    let mut report = Report::default();
    let mut settings = format.read(inner, &mut report);
    let below = |path: String| if path.is_empty() { at.to_owned() } else { format!("{at}.{path}") };
    r.mappings.extend(report.mappings.into_iter().map(|m| Mapping { key: below(m.key), ..m }));
    r.problems.extend(report.problems.into_iter().map(|d| Diagnostic { path: below(d.path), ..d }));
    r.sets.extend(report.sets.into_iter().map(|mut set| {
        if !set.key.is_empty() {
            set.key = below(set.key);
        }
        set
    }));
    r.roles.extend(report.roles.into_iter().map(|role| RouterRole { key: below(role.key), ..role }));
    r.servers.extend(report.servers);
    for patch in &mut settings.autoscalers {
        patch.start = below(std::mem::take(&mut patch.start));
    }
    settings
}
