//! Import of a candidate of a search over policies: parameters of a policy bundle by dotted names, such as
//! `routing.cache_affinity_weight`. A section that names no policy has the one that its parameters belong to.

use crate::import::configuration::mapping::Mapping;
use crate::import::configuration::{Configuration, Report, Settings};
use crate::simulators::blis::read::{PolicyBundle, SECTIONS};
use base::Diagnostic;
use base::import::Import;
use serde_json::{Map, Value, json};

/// A candidate.
pub(crate) struct PolicyCandidate;

/// Parameters, and the policies that have them.
const POLICIES: [(&str, &str, &str); 8] = [
    ("admission", "requests_per_second", "rate-limit"),
    ("admission", "burst", "rate-limit"),
    ("admission", "", "token-bucket"),
    ("autoscale", "target_utilization", "target-utilization"),
    ("autoscale", "", "threshold"),
    ("priority", "", "slo-based"),
    ("routing", "", "weighted-scoring"),
    ("scheduler", "", "priority-fcfs"),
];

impl Import<Configuration> for PolicyCandidate {
    fn name(&self) -> &'static str {
        "policy-candidate"
    }

    fn title(&self) -> &'static str {
        "a candidate of a search over policies"
    }

    fn recognises(&self, source: &Value) -> bool {
        let is_parameter =
            |key: &String| key.split_once('.').is_some_and(|(section, _)| SECTIONS.contains(&section));
        source.as_object().is_some_and(|map| !map.is_empty() && map.keys().all(is_parameter))
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut bundle = Map::new();
        for (key, value) in source.as_object().into_iter().flatten() {
            let Some((section, name)) = key.split_once('.') else { continue };
            let own = bundle.entry(section).or_insert_with(|| json!({}));
            if matches!(name, "type" | "policy" | "enabled") {
                own[name] = value.clone();
            } else {
                own["params"][name] = value.clone();
            }
        }
        let mut inner = Report::default();
        for (section, own) in &mut bundle {
            if own.get("type").is_some() || own.get("policy").is_some() {
                continue;
            }
            let has = |name: &str| name.is_empty() || own.pointer(&format!("/params/{name}")).is_some();
            let usual = POLICIES.iter().find(|(of, name, _)| of == section && has(name));
            let Some((_, _, policy)) = usual else { continue };
            own["type"] = json!(policy);
            let fix = format!("{policy} is taken, which has them: say another one as `{section}.type`");
            let found = "parameters without the name of their policy";
            inner.problems.push(Diagnostic::warning(section.clone(), found, "a policy", fix));
        }
        let settings = PolicyBundle.read(&Value::Object(bundle), &mut inner);
        let own = |path: String| path.replacen(".params.", ".", 1);
        let is_said = |m: &Mapping| source.get(&m.key).is_some();
        let rows = inner.mappings.into_iter().map(|m| Mapping { key: own(m.key), ..m });
        report.mappings.extend(rows.filter(is_said));
        report.problems.extend(inner.problems.into_iter().map(|d| Diagnostic { path: own(d.path), ..d }));
        report.sets.extend(inner.sets);
        settings
    }
}
