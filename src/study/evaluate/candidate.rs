//! Candidates: policies as a document, and the scenario that they give. Hardware and traffic are out of their reach.

use crate::policies::entrant;
use base::{Diagnostic, Diagnostics, alike, json};
use document::expression::parse as read_expression;
use document::{FieldValues, ScalingPolicy, Scenario, limits, value_from_json};
use serde_json::{Map, Value};

/// Reads YAML text as a tree. The command line has one; JSON needs none.
pub type YamlReader = fn(&str) -> Result<Value, Diagnostics>;

/// The keys of a candidate.
pub const KEYS: [&str; 5] = ["admission", "routing", "scheduler", "priority", "autoscaler"];

/// Settings of a pool's scaling that a candidate may set. The others are the machine's: limits, prices, start-up, and how
/// old its measurements are.
const OF_AUTOSCALER: [&str; 7] =
    ["policy", "carried_out_by", "optimizer", "min", "tick_s", "window_s", "victim"];

/// Keys of scenarios that describe what a candidate runs on.
const OUT_OF_REACH: [&str; 22] = [
    "cluster",
    "workload",
    "run",
    "seed",
    "slo",
    "observe",
    "edits",
    "pools",
    "clients",
    "kv",
    "engine",
    "latency",
    "gpu",
    "replicas",
    "model",
    "tp",
    "hardware",
    "scaling",
    "flow_control",
    "disaggregation",
    "snapshot_refresh_us",
    "kv_event_delay_us",
];

/// Policies that a suite or a candidate sets; the keys that it leaves out are those of the baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// The policies by key, as written.
    pub policies: Map<String, Value>,
}

impl Candidate {
    /// Reads YAML or JSON. Lines that start with `#` or `//` are skipped.
    pub fn parse(text: &str, yaml: YamlReader) -> Result<Self, Diagnostics> {
        if text.len() > limits::CANDIDATE_BYTES {
            let found = format!("{} bytes", text.len());
            let allowed = format!("at most {} bytes", limits::CANDIDATE_BYTES);
            return Err(vec![Diagnostic::error("", found, allowed, "leave out all but the policies")]);
        }
        let is_comment = |line: &&str| {
            let line = line.trim_start();
            line.starts_with('#') || line.starts_with("//")
        };
        // An empty line in place of each, so that messages name the right one.
        let lines = text.trim_start_matches('\u{feff}').lines();
        let kept: Vec<&str> = lines.map(|line| if is_comment(&line) { "" } else { line }).collect();
        let kept = kept.join("\n");
        let value = if kept.trim_start().starts_with('{') { value_from_json(&kept)? } else { yaml(&kept)? };
        Self::from_value(value)
    }

    /// The policies of a tree. Every key that is no policy is reported.
    pub fn from_value(value: Value) -> Result<Self, Diagnostics> {
        let allowed = KEYS.join(", ");
        let policies = match value {
            Value::Object(policies) if !policies.is_empty() => policies,
            Value::Object(_) | Value::Null => {
                return Err(vec![Diagnostic::error("", "no policy", allowed, "set one of these keys")]);
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                let fix = "such as routing: least-loaded";
                let found = "a value that is not an object";
                return Err(vec![Diagnostic::error(
                    "",
                    found,
                    format!("an object with the keys {allowed}"),
                    fix,
                )]);
            }
        };
        let mut problems: Diagnostics = policies.keys().filter_map(|key| wrong_key(key)).collect();
        if let Some(autoscaler) = policies.get("autoscaler") {
            problems.extend(autoscaler_problems(autoscaler));
        }
        if problems.is_empty() { Ok(Self { policies }) } else { Err(problems) }
    }

    /// These policies where the candidate leaves them out.
    #[must_use]
    pub fn over(&self, baseline: &Self) -> Self {
        let mut policies = baseline.policies.clone();
        policies.extend(self.policies.iter().map(|(key, value)| (key.clone(), value.clone())));
        Self { policies }
    }

    /// A scenario with these policies to its end; paths of problems are those of the candidate.
    pub fn applied(&self, scenario: &Scenario) -> Result<Scenario, Diagnostics> {
        entrant(scenario, &self.settings(scenario), 0).map_err(in_candidate)
    }

    /// The fields of a scenario that these policies set.
    fn settings(&self, scenario: &Scenario) -> FieldValues {
        let mut set = FieldValues::new();
        for key in ["admission", "routing"] {
            set.extend(self.policies.get(key).map(|policy| (format!("cluster.{key}"), policy.clone())));
        }
        for (i, pool) in scenario.cluster.pools.iter().enumerate() {
            let at = format!("cluster.pools[{i}]");
            for key in ["scheduler", "priority"] {
                set.extend(
                    self.policies.get(key).map(|policy| (format!("{at}.engine.{key}"), policy.clone())),
                );
            }
            if pool.scaling.policy != ScalingPolicy::None
                && let Some(autoscaler) = self.policies.get("autoscaler")
            {
                set.extend(
                    settings_of(autoscaler).into_iter().map(|(key, v)| (format!("{at}.scaling.{key}"), v)),
                );
            }
        }
        set
    }

    /// The policies as a scenario has them, defaults written out.
    pub fn understood(&self, applied: &Scenario) -> Map<String, Value> {
        let pool = applied.cluster.pools.first();
        let of = |key: &str| match key {
            "admission" => json::tree(&applied.cluster.admission),
            "routing" => json::tree(&applied.cluster.routing),
            "scheduler" => pool.map_or(Value::Null, |pool| json::tree(&pool.engine.scheduler)),
            "priority" => pool.map_or(Value::Null, |pool| json::tree(&pool.engine.priority)),
            _ => self.policies.get(key).cloned().unwrap_or_default(),
        };
        KEYS.iter()
            .filter(|key| self.policies.contains_key(**key))
            .map(|key| ((*key).to_owned(), of(key)))
            .collect()
    }

    /// The texts of its expressions.
    pub fn expressions(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.policies.values().for_each(|policy| collect(policy, &mut found));
        found
    }

    /// Operations, names and numbers in its expressions together.
    pub fn nodes(&self) -> usize {
        self.expressions()
            .iter()
            .map(|text| read_expression(text).map_or(0, |formula| formula.ops().len()))
            .sum()
    }
}

/// The texts under the key `expression`.
fn collect<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "expression" => found.push(text),
                    value => collect(value, found),
                }
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn wrong_key(key: &str) -> Option<Diagnostic> {
    if KEYS.contains(&key) {
        return None;
    }
    let shown: String = key.chars().take(60).collect();
    let (found, fix) = if OUT_OF_REACH.contains(&key) {
        let fix = "hardware, traffic and objectives are the suite's: remove it";
        ("a key that candidates cannot set", fix.to_owned())
    } else {
        let near = alike::nearest(key, KEYS);
        (
            "an unknown key",
            near.map_or_else(|| "remove it".to_owned(), |near| format!("did you mean `{near}`?")),
        )
    };
    Some(Diagnostic::error(shown, found, KEYS.join(", "), fix))
}

/// The settings that a value of `autoscaler` stands for: settings, or the policy alone.
fn settings_of(autoscaler: &Value) -> Map<String, Value> {
    match autoscaler {
        Value::Object(settings) if !is_policy_alone(settings) => settings.clone(),
        policy => Map::from_iter([("policy".to_owned(), policy.clone())]),
    }
}

/// Whether an object names a policy by its only key, which is none of the settings nor like one.
fn is_policy_alone(settings: &Map<String, Value>) -> bool {
    settings.len() == 1 && settings.keys().all(|key| alike::nearest(key, OF_AUTOSCALER).is_none())
}

fn autoscaler_problems(autoscaler: &Value) -> Diagnostics {
    let settings = settings_of(autoscaler);
    let mut problems = Diagnostics::new();
    for key in settings.keys().filter(|key| !OF_AUTOSCALER.contains(&key.as_str())) {
        let fix = alike::nearest(key, OF_AUTOSCALER).map_or_else(
            || "limits, prices, start-up and measurements are the suite's: remove it".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        let shown: String = key.chars().take(60).collect();
        let path = format!("autoscaler.{shown}");
        problems.push(Diagnostic::error(
            path,
            "a key that candidates cannot set",
            OF_AUTOSCALER.join(", "),
            fix,
        ));
    }
    let policy = settings.get("policy");
    let knows = policy.is_some_and(|p| p == "oracle" || p.get("oracle").is_some());
    if knows {
        let fix = "it knows the arrivals to come: choose another";
        problems.push(Diagnostic::error("autoscaler", "oracle", "any policy but the oracle", fix));
    }
    problems
}

/// Problems of a scenario at the paths of the candidate's keys, each once.
pub(super) fn in_candidate(problems: Diagnostics) -> Diagnostics {
    let mut told = Diagnostics::new();
    for mut problem in problems {
        problem.path = path_in_candidate(&problem.path);
        if !told.contains(&problem) {
            told.push(problem);
        }
    }
    told
}

fn path_in_candidate(path: &str) -> String {
    let Some(rest) = path.strip_prefix("cluster.") else { return path.to_owned() };
    if ["admission", "routing"].iter().any(|key| rest.starts_with(key)) {
        return rest.to_owned();
    }
    let of_pool = rest.strip_prefix("pools[").and_then(|rest| rest.split_once("].")).map(|(_, rest)| rest);
    match of_pool {
        Some(rest) if rest.starts_with("engine.scheduler") || rest.starts_with("engine.priority") => {
            rest.trim_start_matches("engine.").to_owned()
        }
        Some(rest) if rest.starts_with("scaling") => rest.replacen("scaling", "autoscaler", 1),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_yaml(text: &str) -> Result<Value, Diagnostics> {
        if text.is_empty() { Err(Vec::new()) } else { Ok(Value::Null) }
    }

    fn problems(text: &str) -> Vec<String> {
        let all = Candidate::parse(text, no_yaml).and_then(|c| c.applied(&Scenario::default()).map(|_| ()));
        all.unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_with_markers_are_skipped() {
        let text =
            "// EVOLVE-BLOCK-START\n{\n  // a note\n  \"routing\": \"random\"\n}\n# EVOLVE-BLOCK-END\n";
        let candidate = Candidate::parse(text, no_yaml).expect("it is a candidate");
        assert_eq!(candidate.policies["routing"], "random");
    }

    #[test]
    fn keys_that_are_no_policies_name_the_nearest() {
        let all = problems(r#"{"ruoting": "random", "cluster": {}, "admission": "always-admit"}"#);
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(all[0].starts_with("error: ruoting: an unknown key; allowed: admission, "), "{all:?}");
        assert!(all[0].ends_with("did you mean `routing`?"), "{all:?}");
        assert!(all[1].contains("cluster: a key that candidates cannot set"), "{all:?}");
    }

    #[test]
    fn problems_have_the_paths_of_the_candidate() {
        let all = problems(r#"{"scheduler": "fifo", "routing": {"weighted": {"scorer": []}}}"#);
        assert!(all.iter().any(|p| p.starts_with("error: scheduler: ")), "{all:?}");
        assert!(all.iter().any(|p| p.starts_with("error: routing.weighted.scorer: ")), "{all:?}");
    }

    #[test]
    fn an_autoscaler_cannot_buy_machines_nor_see_the_future() {
        let all = problems(r#"{"autoscaler": {"policy": "oracle", "max": 100, "tick": 5}}"#);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(all[0].contains("autoscaler.max") && all[1].contains("did you mean `tick_s`?"), "{all:?}");
        assert!(problems(r#"{"autoscaler": {"oracle": {}}}"#)[0].contains("autoscaler: oracle"));
        let hpa = Candidate::parse(r#"{"autoscaler": {"hpa": {}}}"#, no_yaml).expect("a policy alone");
        assert!(settings_of(&hpa.policies["autoscaler"])["policy"].get("hpa").is_some());
    }

    #[test]
    fn nodes_are_those_of_all_expressions() {
        let text = r#"{"routing": {"weighted": {"scorers": [
            {"scorer": {"expression": "1 / (1 + waiting)"}, "weight": 1}, {"scorer": {"expression": "prefix"}, "weight": 2}
        ]}}}"#;
        let candidate = Candidate::parse(text, no_yaml).expect("it is a candidate");
        assert_eq!((candidate.nodes(), candidate.expressions().len()), (6, 2));
    }
}
