//! Servers that sources start one by one. Commands of one model with the same settings are replicas of one pool; others, and objects of
//! the same name in other namespaces, are pools of their own.

use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::read_sources::ReadSources;
use crate::import::configuration::sets::{Field, PoolOf, SAID, Set};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Tells servers apart that would have the same pool.
pub(crate) fn tell_apart(read: &mut ReadSources, sources: &[Value]) {
    commands(read, sources);
    objects(read, sources);
}

/// The pool that a set is about.
fn pool_of(set: &Set) -> Option<&PoolOf> {
    match &set.field {
        Field::Pool(of, _) => Some(of),
        Field::Scenario(_) => None,
    }
}

/// What a command says of its pool, without the number of servers.
fn settings(read: &ReadSources, document: usize) -> Vec<(String, String, u8)> {
    let mut all: Vec<(String, String, u8)> = read
        .sets
        .iter()
        .filter(|set| set.document == document)
        .filter_map(|set| match &set.field {
            Field::Pool(_, field) if field == "replicas" => None,
            Field::Pool(_, field) => Some((field.clone(), set.value.to_string(), set.rank)),
            Field::Scenario(path) => Some((path.clone(), set.value.to_string(), set.rank)),
        })
        .collect();
    // Servers with and without a connector of caches are not the same, also where it sets nothing by itself.
    let connectors =
        read.mappings.iter().filter(|m| m.document as usize == document && m.found.starts_with("--kv-"));
    all.extend(connectors.map(|m| (m.found.clone(), m.becomes.clone(), 0)));
    all.sort();
    all
}

/// Commands that start servers.
fn commands(read: &mut ReadSources, sources: &[Value]) {
    let name_of = |document: usize| {
        let of = |set: &Set| pool_of(set).filter(|of| of.unnamed).and_then(|of| of.name.clone());
        read.sets.iter().filter(|set| set.document == document).find_map(of)
    };
    let is_command = |i: &usize| sources[*i].get("words").is_some();
    let named: Vec<(usize, String)> =
        (0..sources.len()).filter(is_command).filter_map(|i| Some((i, name_of(i)?))).collect();
    if named.len() < 2 {
        return;
    }
    let mut pools: BTreeMap<&str, Vec<Vec<usize>>> = BTreeMap::new();
    for (document, name) in &named {
        let same = pools.entry(name).or_default();
        let own = settings(read, *document);
        match same.iter_mut().find(|others| settings(read, others[0]) == own) {
            Some(others) => others.push(*document),
            None => same.push(vec![*document]),
        }
    }
    let pools: Vec<(String, Vec<usize>)> = pools
        .into_iter()
        .flat_map(|(name, kinds)| {
            kinds.into_iter().enumerate().map(move |(k, kind)| (numbered(name, k), kind))
        })
        .collect();
    for (name, documents) in pools {
        one_pool(read, &name, &documents);
    }
}

/// The name of the pool of the k-th kind of servers.
fn numbered(name: &str, k: usize) -> String {
    if k == 0 { name.to_owned() } else { format!("{name}-{}", k + 1) }
}

/// Makes the servers of some commands one pool.
fn one_pool(read: &mut ReadSources, name: &str, documents: &[usize]) {
    let is_own = |set: &Set| documents.contains(&set.document);
    let replicas = |set: &Set| matches!(&set.field, Field::Pool(_, field) if field == "replicas");
    let said = |document: usize| {
        let own = read.sets.iter().find(|set| set.document == document && replicas(set));
        own.and_then(|set| set.value.as_u64()).unwrap_or(1)
    };
    let all: u64 = documents.iter().map(|document| said(*document)).sum();
    let is_said = documents.len() > 1 || read.sets.iter().any(|set| is_own(set) && replicas(set));
    let of = PoolOf::unnamed(name);
    let was_named = read.sets.iter().filter(|set| is_own(set)).find_map(|set| pool_of(set)?.name.clone());
    read.sets.retain(|set| !(is_own(set) && replicas(set)));
    for set in read.sets.iter_mut().filter(|set| documents.contains(&set.document)) {
        if let Field::Pool(own, _) = &mut set.field
            && own.unnamed
        {
            *own = of.clone();
        }
    }
    let first = documents[0];
    let set = |key: &str, rank| Set {
        document: first,
        rank,
        ..Set::said(key, Field::Pool(of.clone(), "replicas".to_owned()), json!(all))
    };
    if !is_said {
        read.sets.push(Set { usual: true, ..set("", 1) });
    }
    let program =
        read.mappings.iter_mut().find(|m| m.document as usize == first && m.standing == Standing::Shape);
    let key = program.as_ref().map(|row| row.key.clone()).unwrap_or_default();
    if documents.len() > 1 {
        let becomes = format!(
            "replicas {all}: {} commands with the same settings are replicas of one pool",
            documents.len()
        );
        if let Some(row) = program {
            let field = "cluster.pools[].replicas".to_owned();
            *row =
                Mapping { standing: Standing::Exact, becomes, field, value: all.to_string(), ..row.clone() };
        }
    } else if let Some(row) = program.filter(|_| was_named.is_some_and(|was| was != name)) {
        row.becomes = format!(
            "{}; its settings differ from those of another command, so that it is a pool of its own, {name}",
            row.becomes
        );
    }
    if is_said {
        read.sets.push(set(&key, SAID));
    }
}

/// Objects that describe pools: the same name in another namespace is another pool.
fn objects(read: &mut ReadSources, sources: &[Value]) {
    let space = |document: usize| {
        let said = sources[document].get("metadata").and_then(|metadata| metadata.get("namespace"));
        said.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut first: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut others: BTreeMap<(usize, String), String> = BTreeMap::new();
    for set in &read.sets {
        let Some(PoolOf { name: Some(name), defines: true, .. }) = pool_of(set) else { continue };
        let own = space(set.document);
        let (document, before) = first.entry(name.clone()).or_insert_with(|| (set.document, own.clone()));
        if *document != set.document && *before != own {
            let tail = if own.is_empty() { "default" } else { own.as_str() };
            others.insert((set.document, name.clone()), format!("{name}-{tail}"));
        }
    }
    for set in &mut read.sets {
        let Field::Pool(of, _) = &mut set.field else { continue };
        let Some(name) = of.name.clone().filter(|_| of.defines) else { continue };
        if let Some(other) = others.get(&(set.document, name)) {
            of.name = Some(other.clone());
        }
    }
}
