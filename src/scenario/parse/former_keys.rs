//! Former names of keys that documents may still use.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// Each key and the name of its field.
const FORMER: [(&str, &str); 2] = [("most_in_flight", "max_in_flight"), ("most_sessions", "max_sessions")];

/// Renames the fields of a document. An object that uses both names of a field keeps both, which is a problem of
/// shape.
pub(super) fn migrate(document: &mut Value) {
    for part in ["cluster", "edits"] {
        if let Some(part) = document.get_mut(part) {
            rename_below(part);
        }
    }
    let edits = document.get_mut("edits").and_then(Value::as_array_mut);
    edits.into_iter().flatten().for_each(rename_in_edit);
}

/// Renames the fields that an edit names.
pub(super) fn rename_in_edit(edit: &mut Value) {
    for paths in ["set", "add"] {
        if let Some(Value::Object(map)) = edit.get_mut(paths) {
            rename_paths(map);
        }
    }
}

/// The path with the current names of its fields.
pub(super) fn current(path: &str) -> Cow<'_, str> {
    if FORMER.iter().all(|(former, _)| !path.contains(former)) {
        return Cow::Borrowed(path);
    }
    let named = |part: &str| FORMER.iter().find(|(former, _)| *former == part).map(|(_, name)| *name);
    let parts: Vec<&str> = path.split('.').map(|part| named(part).unwrap_or(part)).collect();
    Cow::Owned(parts.join("."))
}

/// Renames the fields of one object.
fn rename_in(map: &mut Map<String, Value>) {
    for (former, name) in FORMER {
        if !map.contains_key(name)
            && let Some(value) = map.shift_remove(former)
        {
            map.insert(name.to_owned(), value);
        }
    }
}

/// The same for paths. A path that occurs under both names keeps both.
fn rename_paths(map: &mut Map<String, Value>) {
    let renamed: Vec<(String, String)> =
        map.keys().map(|path| (path.clone(), current(path).into_owned())).filter(|(a, b)| a != b).collect();
    for (path, name) in renamed {
        if !map.contains_key(&name)
            && let Some(value) = map.shift_remove(&path)
        {
            map.insert(name, value);
        }
    }
}

fn rename_below(value: &mut Value) {
    match value {
        Value::Object(map) => {
            rename_in(map);
            for (key, value) in map {
                rename_below(value);
                if key.ends_with("cache-aware")
                    && let Value::Object(settings) = value
                {
                    keep_miss(settings);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(rename_below),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Links and documents that a program wrote have every setting. If only the setting for prompts without a match is
/// missing, they are older than that setting, and keep the former rule.
fn keep_miss(settings: &mut Map<String, Value>) {
    let others = ["cache_threshold", "balance_abs_threshold", "balance_rel_threshold", "prefix_index_blocks"];
    if others.iter().all(|key| settings.contains_key(*key)) && !settings.contains_key("miss") {
        settings.insert("miss".to_owned(), Value::from("smallest-memory"));
    }
}

#[cfg(test)]
mod tests {
    use super::current;
    use crate::scenario::{AdmissionPolicy, CacheMiss, RoutingPolicy, check, from_value, set_field};
    use serde_json::json;

    #[test]
    fn a_document_may_say_most_in_flight_and_most_sessions() {
        let document = json!({ "cluster": {
            "admission": { "tenant-quota": { "most_in_flight": 3 } },
            "routing": { "session-affinity": { "most_sessions": 7 } },
        } });
        let scenario = from_value(document).and_then(check).expect("a good scenario").0;
        let cluster = &scenario.get().cluster;
        assert!(matches!(&cluster.admission, AdmissionPolicy::TenantQuota(p) if p.max_in_flight == 3));
        assert!(matches!(&cluster.routing, RoutingPolicy::SessionAffinity(p) if p.max_sessions == 7));
    }

    #[test]
    fn paths_may_use_former_names_and_set_what_stands_there_under_either() {
        let path = |name: &str| format!("cluster.admission.tenant-quota.{name}");
        for (there, said) in [
            ("max_in_flight", "most_in_flight"),
            ("most_in_flight", "max_in_flight"),
            ("most_in_flight", "most_in_flight"),
        ] {
            let mut document = json!({ "cluster": { "admission": { "tenant-quota": { there: 3 } } } });
            set_field(&mut document, &path(said), "4").expect("a field that stands there");
            assert_eq!(
                document["cluster"]["admission"]["tenant-quota"],
                json!({ "max_in_flight": 4 }),
                "{there}, {said}"
            );
            let edits = json!([{ "at_us": 1, "set": { path(said): 5 } }]);
            document["edits"] = edits;
            let scenario = from_value(document).and_then(check).expect("a good scenario").0;
            let paths: Vec<&str> = scenario.get().edits[0].set.keys().map(String::as_str).collect();
            assert_eq!(paths, [path("max_in_flight")]);
        }
        assert_eq!(current("workload.clients[0].tenant"), "workload.clients[0].tenant");
    }

    #[test]
    fn documents_written_in_full_before_a_miss_was_a_setting_keep_its_rule() {
        let miss = |settings: serde_json::Value| {
            let set = json!({ "cluster.routing.cache-aware": settings });
            let document = json!({
                "cluster": { "routing": { "cache-aware": settings } },
                "edits": [{ "at_us": 5, "set": set }],
            });
            let scenario = from_value(document).and_then(check).expect("a good scenario").0;
            let in_edit = scenario.get().edits[0].set["cluster.routing.cache-aware"].get("miss").cloned();
            match &scenario.get().cluster.routing {
                RoutingPolicy::CacheAware(p) => (p.miss, in_edit),
                other => panic!("{other:?}"),
            }
        };
        let full = json!({
            "cache_threshold": 0.3, "balance_abs_threshold": 64, "balance_rel_threshold": 1.5,
            "prefix_index_blocks": 10_000,
        });
        let old = (CacheMiss::SmallestMemory, Some(json!("smallest-memory")));
        assert_eq!(miss(full.clone()), old);
        let mut new = full;
        new["miss"] = json!("fewest-in-flight");
        assert_eq!(miss(new), (CacheMiss::FewestInFlight, Some(json!("fewest-in-flight"))));
        assert_eq!(miss(json!({})), (CacheMiss::FewestInFlight, None));
        assert_eq!(miss(json!({ "cache_threshold": 0.5 })), (CacheMiss::FewestInFlight, None));
    }

    #[test]
    fn a_field_that_is_given_by_both_of_its_names_is_refused() {
        let both = json!({ "most_in_flight": 3, "max_in_flight": 4 });
        let problems = from_value(json!({ "cluster": { "admission": { "concurrency-limit": both } } }));
        let problems = problems.expect_err("only one can be meant");
        assert_eq!(problems[0].path, "cluster.admission.concurrency-limit.most_in_flight");
        assert!(problems[0].fix.contains("max_in_flight"), "{problems:?}");
    }
}
