//! Which policies a run has and when: the name of a run by what it did, and the run of an entrant of a race or a case
//! of a sweep. An edit that sets what is compared would give every entrant the same policy from then on, so it is
//! left out.

use base::{Diagnostics, json};
use document::{Change, FieldValues, Scenario, TimedEdit, from_value, set_field};
use serde::Serialize;
use serde_json::{Map, Value};

/// A policy that a run has from an instant on.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyPart {
    /// From when on, in microseconds.
    pub from_us: u64,
    /// The policy, by its name in the document.
    pub tag: String,
}

/// The policies of a run at one path.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunPolicies {
    /// In words: `Round robin, Prefix aware from 42 s`.
    pub text: String,
    /// One after the other; a change of a policy's settings is a part with the same name.
    pub parts: Vec<PolicyPart>,
}

/// The policies that a run has at a path such as `cluster.routing`, one after the other.
#[must_use]
pub fn run_policies(scenario: &Scenario, path: &str) -> RunPolicies {
    let start = Value::Object(Map::from_iter([("cluster".to_owned(), json::tree(&scenario.cluster))]));
    let mut before = inside(&start, path);
    let mut parts = vec![PolicyPart { from_us: 0, tag: before.map_or_else(String::new, tag_of) }];
    for edit in scenario.edits.iter().filter(|edit| !edit.off) {
        for (set, value) in &edit.set {
            let now = &parts[parts.len() - 1].tag;
            let (tag, value) = match (below(set, path), below(path, set)) {
                (Some(""), _) => (tag_of(value), Some(value)),
                (Some(rest), _) => (first_step(rest).unwrap_or(now).to_owned(), None),
                (None, Some(rest)) => match inside(value, rest) {
                    Some(value) => (tag_of(value), Some(value)),
                    None => continue,
                },
                (None, None) => continue,
            };
            let is_same = tag == *now && value.is_some() && value == before;
            before = value;
            if !is_same {
                parts.push(PolicyPart { from_us: edit.at_us, tag });
            }
        }
    }
    // Several at one instant: the last one counts.
    let mut kept: Vec<PolicyPart> = Vec::new();
    for part in parts {
        match kept.last_mut() {
            Some(last) if last.from_us == part.from_us => *last = part,
            Some(_) | None => kept.push(part),
        }
    }
    RunPolicies { text: words(&kept), parts: kept }
}

fn words(parts: &[PolicyPart]) -> String {
    let named = parts.iter().enumerate().map(|(i, part)| {
        let changed = i > 0 && parts[i - 1].tag == part.tag;
        let name = if changed { "other settings".to_owned() } else { sentence(&part.tag) };
        if part.from_us == 0 { name } else { format!("{name} from {}\u{a0}s", part.from_us as f64 / 1e6) }
    });
    named.collect::<Vec<_>>().join(", ")
}

/// The scenario with settings from an instant on, 0 for the start. Edits of the same fields from then on are left out,
/// so that the settings hold to the end.
pub fn entrant(scenario: &Scenario, set: &FieldValues, from_us: u64) -> Result<Scenario, Diagnostics> {
    let mut made = scenario.clone();
    for (path, value) in set {
        leave_out(&mut made.edits, path, value, from_us);
    }
    if set.is_empty() {
        return Ok(made);
    }
    if from_us > 0 {
        let place = made.edits.partition_point(|edit| edit.at_us <= from_us);
        let change = Change { set: set.clone(), ..Change::default() };
        made.edits.insert(place, TimedEdit::new(from_us, change));
        return Ok(made);
    }
    let mut tree = json::tree(&made);
    for (path, value) in set {
        set_field(&mut tree, path, &value.to_string())?;
    }
    from_value(tree)
}

/// Takes a path out of the edits from an instant on, and with it edits that set nothing else. An edit of a whole that
/// has the path in it sets `value` there. Returns the instants of edits that are on.
pub(super) fn leave_out(edits: &mut Vec<TimedEdit>, path: &str, value: &Value, from_us: u64) -> Vec<u64> {
    let mut instants = Vec::new();
    edits.retain_mut(|edit| {
        if edit.at_us < from_us {
            return true;
        }
        let named = edit.set.len();
        let has_whole = edit.set.keys().any(|set| set != path && below(path, set).is_some());
        edit.set.retain(|set, _| below(set, path).is_none());
        let went = named > edit.set.len() || has_whole;
        if has_whole {
            edit.set.insert(path.to_owned(), value.clone());
        }
        if went && !edit.off {
            instants.push(edit.at_us);
        }
        !went || !edit.change().is_empty()
    });
    instants
}

/// What leads from `outer` to `path`: empty if both are the same, none if `path` is not in it.
fn below<'a>(path: &'a str, outer: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(outer)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}

/// The first name of a path within a value.
fn first_step(rest: &str) -> Option<&str> {
    rest.strip_prefix('.').map(|rest| rest.split(['.', '[']).next().unwrap_or(rest))
}

/// The value at a path within another.
pub(super) fn inside<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let mut steps = path.split(['.', '[']).map(|step| step.trim_end_matches(']')).filter(|s| !s.is_empty());
    steps.try_fold(value, |at, step| match at {
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        Value::Object(map) => map.get(step),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// The name of a policy: that of a choice without settings, or the only key of one with settings.
fn tag_of(policy: &Value) -> String {
    match policy {
        Value::String(tag) => tag.clone(),
        Value::Object(choice) => choice.keys().next().cloned().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => policy.to_string(),
    }
}

/// Short words of policies' names, which are written in capitals.
const SHORT: [&str; 7] = ["fcfs", "sjf", "slo", "kv", "lru", "hpa", "kpa"];

/// `least-loaded` as `Least loaded`, `kv-cost` as `KV cost`.
fn sentence(tag: &str) -> String {
    let word = |word: &str| if SHORT.contains(&word) { word.to_uppercase() } else { word.to_owned() };
    let text = tag.split(['-', '_']).map(word).collect::<Vec<_>>().join(" ");
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::parse;
    use serde_json::json;

    const ROUTING: &str = "cluster.routing";

    fn edited(edits: &str) -> Scenario {
        let text = format!(r#"{{"cluster": {{"routing": "round-robin"}}, "edits": [{edits}]}}"#);
        parse(&text).expect("a scenario")
    }

    fn set(path: &str, value: Value) -> FieldValues {
        FieldValues::from_iter([(path.to_owned(), value)])
    }

    const AT_42: &str = r#"{"at_us": 42000000, "set": {"cluster.routing": "prefix-aware"}}"#;

    #[test]
    fn a_run_is_named_by_the_policies_that_it_had() {
        let text = |edits: &str| run_policies(&edited(edits), ROUTING).text;
        assert_eq!(text(""), "Round robin");
        assert_eq!(text(AT_42), "Round robin, Prefix aware from 42\u{a0}s");
        let back = r#"{"at_us": 60500000, "set": {"cluster.routing": {"kv-cost": {}}}}"#;
        assert_eq!(
            text(&format!("{AT_42}, {back}")),
            "Round robin, Prefix aware from 42\u{a0}s, KV cost from 60.5\u{a0}s"
        );
        let off = AT_42.replace("42000000,", "42000000, \"off\": true,");
        assert_eq!(text(&off), "Round robin", "an edit that is off does nothing");
        let others =
            r#"{"at_us": 5, "set": {"cluster.pools[0].replicas": 9, "cluster.snapshot_refresh_us": 7}}"#;
        assert_eq!(text(others), "Round robin", "neighbours of the router are no router");
        let weighted = r#"{"at_us": 1000000, "set": {"cluster.routing": {"weighted": {}}}},
            {"at_us": 2000000, "set": {"cluster.routing.weighted.idle_threshold": 3}}"#;
        assert_eq!(text(weighted), "Round robin, Weighted from 1\u{a0}s, other settings from 2\u{a0}s");
        let twice = AT_42.replace("42000000", "50000000");
        assert_eq!(text(&format!("{AT_42}, {twice}")), text(AT_42), "the same value again changes nothing");
        let parts = run_policies(&edited(AT_42), ROUTING).parts;
        let tags: Vec<(u64, &str)> = parts.iter().map(|p| (p.from_us, p.tag.as_str())).collect();
        assert_eq!(tags, [(0, "round-robin"), (42_000_000, "prefix-aware")]);
    }

    #[test]
    fn an_entrant_has_its_policy_to_the_end_and_keeps_all_other_edits() {
        let rest = r#"{"at_us": 7, "set": {"cluster.pools[0].replicas": 9}}"#;
        let both = AT_42.replace("}}", r#", "cluster.snapshot_refresh_us": 7}}"#);
        let made = entrant(&edited(&format!("{rest}, {AT_42}, {both}")), &set(ROUTING, json!("random")), 0);
        let made = made.expect("an entrant");
        assert_eq!(run_policies(&made, ROUTING).text, "Random");
        let left: Vec<&FieldValues> = made.edits.iter().map(|edit| &edit.set).collect();
        assert_eq!(
            left,
            [&set("cluster.pools[0].replicas", json!(9)), &set("cluster.snapshot_refresh_us", json!(7))]
        );
        let own = edited(AT_42);
        assert_eq!(entrant(&own, &FieldValues::new(), 0), Ok(own), "the run itself keeps its edits");
    }

    #[test]
    fn an_entrant_from_an_instant_on_has_what_was_before_and_nothing_of_what_came_after() {
        let late = AT_42.replace("42000000", "80000000");
        let early = AT_42.replace("42000000", "20000000").replace("prefix-aware", "random");
        let made =
            entrant(&edited(&format!("{early}, {late}")), &set(ROUTING, json!("least-kv")), 50_000_000);
        let text = run_policies(&made.expect("an entrant"), ROUTING).text;
        assert_eq!(text, "Round robin, Random from 20\u{a0}s, Least KV from 50\u{a0}s");
    }

    #[test]
    fn an_edit_of_the_whole_around_the_path_keeps_the_rest_of_it() {
        let path = "cluster.pools[0].scaling.policy";
        let edit = r#"{"at_us": 3, "set": {"cluster.pools[0].scaling": {"policy": {"hpa": {}}, "max": 4}}}"#;
        let mut edits = edited(edit).edits;
        assert_eq!(leave_out(&mut edits, path, &json!("kpa"), 0), [3]);
        let keys: Vec<&str> = edits[0].set.keys().map(String::as_str).collect();
        assert_eq!(keys, ["cluster.pools[0].scaling", path]);
        assert_eq!(edits[0].set[path], "kpa");
    }
}
