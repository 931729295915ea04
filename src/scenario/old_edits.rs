//! Edits as they were written before an edit was a change of the document: `{"replicas": {"pool": 0, "replicas": 8}}`.

use super::Change;
use serde_json::Value;

/// Rewrites the edits of a document that say what they change under the key `change`. What cannot be read stays, and is
/// reported as any unknown key.
pub(super) fn rewrite_old_edits(document: &mut Value) {
    let Some(edits) = document.get("edits").and_then(Value::as_array) else { return };
    let rewritten: Vec<Value> = edits.iter().map(|edit| rewritten(edit, document)).collect();
    document["edits"] = Value::Array(rewritten);
}

fn rewritten(edit: &Value, document: &Value) -> Value {
    let mut edit = edit.clone();
    let Some(fields) = edit.as_object_mut() else { return edit };
    if let Some(change) = fields.get("change").and_then(|old| change_of(old, document)) {
        fields.shift_remove("change");
        fields.insert("set".to_owned(), Value::Object(change.set));
    }
    edit
}

/// The change that an edit of the older form makes of a document; `None` if it is not of that form.
pub(super) fn change_of(old: &Value, document: &Value) -> Option<Change> {
    let (kind, settings) = old.as_object()?.iter().next()?;
    let of = |list: &str, key: &str, field: &str| {
        let number = settings.get(key)?.as_u64()?;
        Some(format!("{list}[{number}].{field}"))
    };
    let pool = |field| of("cluster.pools", "pool", field);
    let value = |key: &str| settings.get(key).cloned();
    let (path, value) = match kind.as_str() {
        "arrival-rate" => {
            let client = settings.get("client")?.as_u64()?;
            let arrivals = document.pointer(&format!("/workload/clients/{client}/arrivals"));
            let kind = arrivals.and_then(Value::as_object).and_then(|kinds| kinds.keys().next());
            let kind = kind.map_or("poisson", String::as_str);
            (of("workload.clients", "client", &format!("arrivals.{kind}.rate_per_s"))?, value("rate_per_s")?)
        }
        "routing" => ("cluster.routing".to_owned(), settings.clone()),
        "admission" => ("cluster.admission".to_owned(), settings.clone()),
        "replicas" => (pool("replicas")?, value("replicas")?),
        "max-num-seqs" => (pool("engine.max_num_seqs")?, value("max_num_seqs")?),
        "max-num-batched-tokens" => {
            (pool("engine.max_num_batched_tokens")?, value("max_num_batched_tokens")?)
        }
        "kv-blocks" => (pool("kv.blocks")?, value("blocks")?),
        "snapshot-refresh" => ("cluster.snapshot_refresh_us".to_owned(), value("snapshot_refresh_us")?),
        _ => return None,
    };
    Some(Change::set(&path, value))
}

#[cfg(test)]
mod tests {
    use super::*;
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
        rewrite_old_edits(&mut document);
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
}
