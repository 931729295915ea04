//! Puts the fields that sources set into the merged document, each at its place, and completes what depends on the whole.

use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::pool_shapes::{complete, prepare};
use crate::import::configuration::sets::Set;
use crate::import::configuration::tiers::{CPU_BLOCKS, CpuTier, STORES, beside, in_blocks, lent};
use document::{Compat, data_from_value};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The field of directives for all requests.
pub(crate) const RETENTION: &str = "workload.clients[].retention";

/// Puts the winning values into the document, sections before what stands in them. Each value has the numbers of the sets that say it.
pub(crate) fn place(
    document: &mut Value,
    pools: &mut Vec<Value>,
    winners: BTreeMap<String, (Value, Vec<usize>)>,
    sets: &[Set],
    mappings: &mut [Mapping],
) {
    let mut all: Vec<(String, Value)> = Vec::new();
    let mut of_pools: BTreeMap<usize, Vec<(String, Value)>> = BTreeMap::new();
    let mut sizes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (path, (value, said)) in winners {
        let of_pool = path.strip_prefix("cluster.pools[").and_then(|rest| rest.split_once("]."));
        match of_pool.and_then(|(number, field)| Some((number.parse::<usize>().ok()?, field))) {
            Some((number, field)) => {
                if field == CPU_BLOCKS {
                    sizes.insert(number, said);
                }
                of_pools.entry(number).or_default().push((field.to_owned(), value));
            }
            None => all.push((path, value)),
        }
    }
    let by_depth = |all: &mut Vec<(String, Value)>| all.sort_by_key(|(path, _)| path.matches('.').count());
    by_depth(&mut all);
    for (path, value) in all {
        match path.as_str() {
            STORES => {
                let there = document.pointer("/cluster/kv_stores").cloned().unwrap_or_default();
                put(document, &path, beside(&value, &there));
            }
            RETENTION => retain(document, &value),
            _ => put(document, &path, value),
        }
    }
    let compat = compat_of(document);
    for (number, mut fields) in of_pools {
        by_depth(&mut fields);
        let new = |field: &str| fields.iter().find(|(name, _)| name == field).map(|(_, value)| value.clone());
        let before = prepare(&mut pools[number], &new);
        let names: BTreeSet<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        for (field, value) in fields {
            put(&mut pools[number], &field, value);
        }
        complete(&mut pools[number], &before, &names);
        let tier = in_blocks(&mut pools[number], compat);
        for &i in sizes.get(&number).into_iter().flatten() {
            say_size(&tier, &sets[i], mappings);
        }
    }
    if let Some(stores) = document.pointer_mut("/cluster/kv_stores") {
        lent(stores, pools);
    }
    if let Some(root) = document.as_object_mut() {
        let cluster = root.entry("cluster").or_insert_with(|| json!({}));
        // Pools that are no list are reported when the scenario is parsed.
        let is_list = cluster.get("pools").is_none_or(Value::is_array);
        if let Some(cluster) = cluster.as_object_mut().filter(|_| is_list) {
            cluster.insert("pools".to_owned(), Value::Array(std::mem::take(pools)));
        }
    }
}

fn compat_of(document: &Value) -> Compat {
    let said = document.pointer("/cluster/compat").cloned().unwrap_or_default();
    data_from_value(&said, "compat").unwrap_or_default()
}

/// Says in the row of a size in bytes how many blocks that is.
fn say_size(tier: &CpuTier, set: &Set, mappings: &mut [Mapping]) {
    let row = mappings.iter_mut().find(|m| m.document as usize == set.document && m.key == set.key);
    let Some(row) = row.filter(|_| !set.key.is_empty()) else { return };
    match tier {
        CpuTier::AsSaid => {}
        CpuTier::Blocks(n) => {
            row.becomes = row.becomes.replacen(CPU_BLOCKS, &format!("{CPU_BLOCKS} {n}"), 1);
            row.value = n.to_string();
        }
        CpuTier::Unknown => {
            row.standing = Standing::Ignored;
            "no counterpart: the bytes of a block follow from the shape of a model of the catalogue"
                .clone_into(&mut row.becomes);
            row.field.clear();
            row.value.clear();
        }
    }
}

/// Gives all clients and requests of a document the same directives; a document without traffic gets a client with them.
fn retain(document: &mut Value, directives: &Value) {
    let Some(root) = document.as_object_mut() else { return };
    let workload = root.entry("workload").or_insert_with(|| json!({}));
    let Some(workload) = workload.as_object_mut() else { return };
    if ["clients", "requests", "trace"].iter().all(|part| !workload.contains_key(*part)) {
        workload.insert("clients".to_owned(), json!([{}]));
    }
    for part in ["clients", "requests"] {
        let entries = workload.get_mut(part).and_then(Value::as_array_mut);
        for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
            entry.insert("retention".to_owned(), directives.clone());
        }
    }
}

/// Puts a value at a dotted path. Sections on the way are made; settings of transfers stay beside those of a router.
pub(crate) fn put(at: &mut Value, path: &str, value: Value) {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    // Invalid sections are reported when the scenario is parsed.
    let Some(map) = at.as_object_mut() else { return };
    match rest {
        Some(rest) => {
            let inner = map.entry(first).or_insert_with(|| json!({}));
            if let Some(name) = inner.as_str().map(str::to_owned) {
                // A choice by its bare name gets settings.
                *inner = json!({ name: {} });
            }
            if inner.is_null() {
                *inner = Value::Object(Map::new());
            }
            put(inner, rest, value);
        }
        None => match (map.get_mut(first), value) {
            (Some(Value::Object(there)), Value::Object(given)) if first == "disaggregation" => {
                there.extend(given);
            }
            (_, value) => {
                map.insert(first.to_owned(), value);
            }
        },
    }
}
