//! Reads edits of the older form, which named an action: `{"replicas": {"pool": 0, "replicas": 8}}`.

use crate::scenario::Change;
use serde_json::Value;

/// Rewrites the edits of a document that have the key `change`. An unreadable edit stays, and is reported like any
/// unknown key.
pub(super) fn migrate(document: &mut Value) {
    let Some(edits) = document.get("edits").and_then(Value::as_array) else { return };
    let rewritten: Vec<Value> = edits.iter().map(|edit| rewritten(edit, document)).collect();
    document["edits"] = Value::Array(rewritten);
}

fn rewritten(edit: &Value, document: &Value) -> Value {
    let mut edit = edit.clone();
    let Some(fields) = edit.as_object_mut() else { return edit };
    // An edit of both forms would lose what it sets.
    if fields.contains_key("set") {
        return edit;
    }
    if let Some(change) = fields.get("change").and_then(|old| change_of(old, document)) {
        fields.shift_remove("change");
        fields.insert("set".to_owned(), Value::Object(change.set));
    }
    edit
}

/// The change that an edit of the older form makes in a document; `None` if it is not of that form.
pub(super) fn change_of(old: &Value, document: &Value) -> Option<Change> {
    let kinds = old.as_object()?;
    let (1, Some((kind, settings))) = (kinds.len(), kinds.iter().next()) else { return None };
    if let "routing" | "admission" = kind.as_str() {
        return Some(Change::set(&format!("cluster.{kind}"), settings.clone()));
    }
    let mut settings = settings.as_object()?.clone();
    let mut take = |key: &str| settings.shift_remove(key);
    let (path, key) = match kind.as_str() {
        "arrival-rate" => {
            let client = take("client")?.as_u64()?;
            let arrivals = document.pointer(&format!("/workload/clients/{client}/arrivals"));
            let kind = arrivals.and_then(Value::as_object).and_then(|kinds| kinds.keys().next());
            let kind = kind.map_or("poisson", String::as_str);
            (format!("workload.clients[{client}].arrivals.{kind}.rate_per_s"), "rate_per_s")
        }
        "snapshot-refresh" => ("cluster.snapshot_refresh_us".to_owned(), "snapshot_refresh_us"),
        of_pool => {
            let (field, key) = match of_pool {
                "replicas" => ("replicas", "replicas"),
                "max-num-seqs" => ("engine.max_num_seqs", "max_num_seqs"),
                "max-num-batched-tokens" => ("engine.max_num_batched_tokens", "max_num_batched_tokens"),
                "kv-blocks" => ("kv.blocks", "blocks"),
                _ => return None,
            };
            (format!("cluster.pools[{}].{field}", take("pool")?.as_u64()?), key)
        }
    };
    let value = take(key)?;
    // A part without a matching field is not dropped: the edit is refused as a whole.
    settings.is_empty().then(|| Change::set(&path, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::from_value;
    use serde_json::json;

    #[test]
    fn an_edit_of_the_older_form_sets_the_field_it_meant() {
        let mut document = json!({
            "workload": {"clients": [{"arrivals": {"gamma": {"rate_per_s": 1.0, "cv": 2.0}}}]},
            "edits": [
                {"at_us": 1, "change": {"arrival-rate": {"client": 0, "rate_per_s": 3.0}}},
                {"at_us": 2, "change": {"routing": "random"}},
                {"at_us": 3, "change": {"kv-blocks": {"pool": 1, "blocks": 9}}},
                {"at_us": 4, "change": {"unknown": {}}}
            ]
        });
        migrate(&mut document);
        assert_eq!(
            document["edits"],
            json!([
                {"at_us": 1, "set": {"workload.clients[0].arrivals.gamma.rate_per_s": 3.0}},
                {"at_us": 2, "set": {"cluster.routing": "random"}},
                {"at_us": 3, "set": {"cluster.pools[1].kv.blocks": 9}},
                {"at_us": 4, "change": {"unknown": {}}}
            ])
        );
    }
    #[test]
    fn what_an_edit_says_in_both_forms_or_twice_in_the_older_one_is_refused_and_not_dropped() {
        let set = json!({"cluster.pools[0].replicas": 8});
        for edit in [
            json!({"at_us": 1, "set": set, "change": {"routing": "random"}}),
            json!({"at_us": 1, "change": {"routing": "random", "replicas": {"pool": 0, "replicas": 8}}}),
            json!({"at_us": 1, "change": {"replicas": {"pool": 0, "replicas": 8, "blocks": 9}}}),
        ] {
            let problems = from_value(json!({ "edits": [edit] })).expect_err("only one can be meant");
            assert_eq!(problems[0].path, "edits[0].change", "{problems:?}");
        }
    }
    /// The property tests are native only, as the library they are made with.
    #[cfg(not(target_arch = "wasm32"))]
    mod properties {
        use super::*;
        use crate::scenario::parse::former_keys;
        use proptest::prelude::*;
        use proptest::sample::select;

        fn object(all: Vec<(&'static str, Value)>) -> Value {
            Value::Object(all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        }

        /// Up to three fields, some of which had another name.
        fn limits() -> impl Strategy<Value = Value> {
            let names = ["most_in_flight", "max_in_flight", "most_sessions", "max_sessions", "then"];
            let limit = (select(names.to_vec()), (1..90_u32).prop_map(Value::from));
            proptest::collection::vec(limit, 0..4).prop_map(object)
        }

        /// What edits of the older form said, whole and in part, and what none of them said.
        fn change() -> impl Strategy<Value = Value> {
            let kinds = ["arrival-rate", "routing", "admission", "replicas", "max-num-seqs", "kv-blocks"];
            let kinds = [&kinds[..], &["max-num-batched-tokens", "snapshot-refresh", "unknown"]].concat();
            let keys = ["client", "pool", "rate_per_s", "replicas", "max_num_seqs", "blocks", "change"];
            let keys = [&keys[..], &["max_num_batched_tokens", "snapshot_refresh_us"]].concat();
            let setting = (select(keys), (0..5_u32).prop_map(Value::from));
            let settings = prop_oneof![
                proptest::collection::vec(setting, 0..9).prop_map(object),
                limits().prop_map(|limits| json!({ "tenant-quota": limits })),
                Just(json!("random")),
            ];
            proptest::collection::vec((select(kinds), settings), 0..3).prop_map(object)
        }

        fn edit() -> impl Strategy<Value = Value> {
            let set = limits().prop_map(|limits| json!({"cluster.admission": {"tenant-quota": limits}}));
            let (set, change) = (proptest::option::of(set), proptest::option::of(change()));
            (set, change).prop_map(|(set, change)| {
                let said = [("set", set), ("change", change)];
                object(said.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
            })
        }

        proptest! {
            #[test]
            fn what_was_brought_up_to_date_once_stays_as_it_is(
                admission in limits(),
                routing in limits(),
                arrivals in select(vec!["poisson", "gamma", "constant"]),
                edits in proptest::collection::vec(edit(), 0..5),
            ) {
                let mut once = json!({
                    "cluster": {"admission": {"tenant-quota": admission}, "routing": {"session-affinity": routing}},
                    "workload": {"clients": [{"arrivals": {arrivals: {"rate_per_s": 2}}}]},
                    "edits": edits,
                });
                let bring_up_to_date = |document: &mut Value| {
                    former_keys::migrate(document);
                    migrate(document);
                };
                bring_up_to_date(&mut once);
                let mut twice = once.clone();
                bring_up_to_date(&mut twice);
                prop_assert_eq!(twice, once);
            }
        }
    }
}
