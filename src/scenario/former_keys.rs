//! Keys that documents may still use for fields that have another name now.

use serde_json::Value;

/// Each key and the name of its field.
const FORMER: [(&str, &str); 2] = [("most_in_flight", "max_in_flight"), ("most_sessions", "max_sessions")];

/// Gives the fields of a document their names. An object that uses both names for a field keeps both, which is a problem of
/// shape: only one can be meant.
pub(super) fn rename(document: &mut Value) {
    for part in ["cluster", "edits"] {
        if let Some(part) = document.get_mut(part) {
            rename_below(part);
        }
    }
}

fn rename_below(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (former, name) in FORMER {
                if !map.contains_key(name)
                    && let Some(value) = map.shift_remove(former)
                {
                    map.insert(name.to_owned(), value);
                }
            }
            map.values_mut().for_each(rename_below);
        }
        Value::Array(list) => list.iter_mut().for_each(rename_below),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{AdmissionPolicy, RoutingPolicy, check, from_value};
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
    fn a_field_that_is_given_by_both_of_its_names_is_refused() {
        let both = json!({ "most_in_flight": 3, "max_in_flight": 4 });
        let problems = from_value(json!({ "cluster": { "admission": { "concurrency-limit": both } } }));
        let problems = problems.expect_err("only one can be meant");
        assert_eq!(problems[0].path, "cluster.admission.concurrency-limit.most_in_flight");
        assert!(problems[0].fix.contains("max_in_flight"), "{problems:?}");
    }
}
