//! Merges the fields that sources set into a scenario document. Two values for one field are a conflict, which the user
//! settles; a default gives way to what a source says.

use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::place::{place, put};
use crate::import::configuration::sets::{Field, PoolOf, SAID, Set};
use crate::import::configuration::tiers::{STORES, joined, shared_folders};
use base::{Diagnostic, Diagnostics};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The choice of a user between the values of a field.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Settled {
    /// The field, as the conflict names it.
    pub field: String,
    /// The number of the choice, from 0.
    pub choice: u32,
}

/// One of several values for a field.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The number of the key that says it, in the list of keys.
    pub key: u32,
    /// The value.
    pub value: String,
}

/// A field that sources give different values.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The field, as a path of the scenario.
    pub field: String,
    /// Its values.
    pub choices: Vec<Choice>,
    /// The number of the chosen one, if the user chose.
    pub chosen: Option<u32>,
    /// How it comes about, if not by a contradiction, and how to avoid it.
    pub note: String,
}

/// A document with the fields of all sources.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) document: Value,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) problems: Diagnostics,
}

/// Puts the fields of `sets` into a document. Mappings whose field gives way to another source's are corrected.
pub(crate) fn merge(
    mut document: Value,
    sets: &[Set],
    mappings: &mut [Mapping],
    settled: &[Settled],
) -> Merged {
    let mut problems = Diagnostics::new();
    let Pools { list: mut pools, are_new } = pools_of(&document, sets);
    let sets: Vec<Set> = sets.iter().filter(|set| are_new || !set.usual).cloned().collect();
    let sets = shared_folders(sets, mappings);
    let sets = sets.as_slice();
    let by_field = by_field(sets, &pools);
    let mut conflicts = Vec::new();
    let mut winners: BTreeMap<String, (Value, Vec<usize>)> = BTreeMap::new();
    for (field, all) in &by_field {
        let of_rank = |rank: u8| all.iter().copied().filter(move |&i| sets[i].rank == rank);
        let said: Vec<usize> = of_rank(SAID).collect();
        let Some(&first) = said.first() else {
            let Some(&best) = all.iter().max_by_key(|&&i| sets[i].rank) else { continue };
            let same = all.iter().copied().filter(|&i| sets[i].value == sets[best].value).collect();
            winners.insert(field.clone(), (sets[best].value.clone(), same));
            continue;
        };
        if field == STORES
            && let Some(all) = joined(said.iter().map(|&i| &sets[i].value))
        {
            winners.insert(field.clone(), (all, said));
            continue;
        }
        let mut values: Vec<usize> = vec![first];
        for &i in &said {
            if values.iter().all(|&known| !equal(&sets[known].value, &sets[i].value)) {
                values.push(i);
            }
        }
        let chosen = settled.iter().find(|s| s.field == *field).map(|s| s.choice);
        let chosen = chosen.filter(|&choice| (choice as usize) < values.len());
        let winner = values[chosen.unwrap_or(0) as usize];
        if values.len() > 1 {
            let note = advice(field, &values, sets, &pools);
            conflicts.push(Conflict { note, ..conflict(field, &values, sets, mappings, chosen) });
        }
        // The others of a conflict are part of it until it is settled.
        let with: Vec<usize> = if values.len() > 1 {
            said
        } else {
            all.iter().copied().filter(|&i| equal(&sets[i].value, &sets[winner].value)).collect()
        };
        winners.insert(field.clone(), (sets[winner].value.clone(), with));
    }
    drop_what_no_policy_knows(&mut winners);
    drop_bands_without_flow_control(&mut winners, &document);
    let heard: BTreeSet<usize> = winners.values().flat_map(|(_, sets)| sets.iter().copied()).collect();
    correct(mappings, sets, &heard, &by_field, &mut problems);
    place(&mut document, &mut pools, winners, sets, mappings);
    Merged { document, conflicts, problems }
}

/// Whether two values are the same; numbers by their value.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => match (x.as_f64(), y.as_f64()) {
            (Some(x), Some(y)) => x.total_cmp(&y).is_eq(),
            _ => x == y,
        },
        _ => a == b,
    }
}

/// The pools of the merged document.
struct Pools {
    list: Vec<Value>,
    /// Whether sources describe them, and the document has none of them.
    are_new: bool,
}

/// The pools of the merged document: the existing ones, or those that sources describe.
fn pools_of(document: &Value, sets: &[Set]) -> Pools {
    let mut are_new = false;
    let mut pools = match document.pointer("/cluster/pools") {
        Some(Value::Array(pools)) => pools.clone(),
        // Invalid pools are reported when the scenario is parsed.
        Some(_) => return Pools { list: Vec::new(), are_new },
        None => {
            are_new = true;
            vec![json!({})]
        }
    };
    let described = |is_described: &dyn Fn(&PoolOf) -> bool| {
        let mut names: Vec<&str> = Vec::new();
        for set in sets {
            if let Field::Pool(of, _) = &set.field
                && let Some(name) = of.name.as_deref().filter(|_| is_described(of))
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    };
    let mut defined = described(&|of| of.defines);
    if defined.is_empty() {
        // One command alone keeps the name of the only pool.
        let commands = described(&|of| of.unnamed);
        if commands.len() > 1 || pools.len() > 1 {
            defined = commands;
        }
    }
    let known = defined.iter().all(|name| pools.iter().any(|pool| name_of(pool) == *name));
    match defined.as_slice() {
        [] => {}
        _ if known => {}
        [only] if pools.len() == 1 => put(&mut pools[0], "name", json!(only)),
        all => {
            are_new = true;
            pools = all.iter().map(|name| json!({ "name": name })).collect();
        }
    }
    Pools { list: pools, are_new }
}

/// The name of a pool, or the default name.
fn name_of(pool: &Value) -> &str {
    pool.get("name").and_then(Value::as_str).unwrap_or("main")
}

/// The sets of each field, by its path in the scenario.
fn by_field(sets: &[Set], pools: &[Value]) -> BTreeMap<String, Vec<usize>> {
    let names: Vec<&str> = pools.iter().map(name_of).collect();
    let mut all: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, set) in sets.iter().enumerate() {
        match &set.field {
            Field::Scenario(path) => all.entry(path.clone()).or_default().push(i),
            Field::Pool(of, field) => {
                for (number, pool) in
                    pools.iter().enumerate().filter(|(_, pool)| is_about(of, pool, &names, sets))
                {
                    let _ = pool;
                    all.entry(format!("cluster.pools[{number}].{field}")).or_default().push(i);
                }
            }
        }
    }
    all
}

/// The model of a pool that names none.
const DEFAULT_MODEL: &str = "llama-3.1-8b";

/// The model whose pools a set is about.
fn model_of(set: &Set) -> Option<&str> {
    match &set.field {
        Field::Pool(of, _) => of.model.as_deref(),
        Field::Scenario(_) => None,
    }
}

/// Whether a value is about a pool: by the name of its target if a pool has that name, by its model, or about all.
fn is_about(of: &PoolOf, pool: &Value, names: &[&str], sets: &[Set]) -> bool {
    let plain = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let serves = |model: &str| {
        let said = |set: &Set| match &set.field {
            Field::Pool(other, field) if field == "model" => {
                other.name.as_deref().is_none_or(|name| name == name_of(pool) || !names.contains(&name))
            }
            _ => false,
        };
        let own = sets.iter().find(|set| said(set)).map(|set| &set.value).or_else(|| pool.get("model"));
        // Where no source says the pool's model, entries of several models are about the default one.
        let models: BTreeSet<&str> = sets.iter().filter_map(model_of).collect();
        let usual = if models.len() > 1 { Some(DEFAULT_MODEL) } else { None };
        let own = own.and_then(Value::as_str).or(usual);
        own.is_none_or(|own| plain(model).contains(&plain(own)) || plain(own).contains(&plain(model)))
    };
    let targeted =
        of.name.as_deref().filter(|name| names.contains(name)).is_none_or(|name| name_of(pool) == name);
    let only = of.unnamed && names.len() == 1;
    targeted && (only || of.model.as_deref().is_none_or(serves))
}

/// A conflict; the keys that say its values are marked.
fn conflict(
    field: &str,
    values: &[usize],
    sets: &[Set],
    mappings: &mut [Mapping],
    chosen: Option<u32>,
) -> Conflict {
    let mut choices = Vec::new();
    for &i in values {
        let key = mapping_of(&sets[i], mappings);
        let value = shown(&sets[i].value);
        if let Some(key) = key {
            mappings[key].standing = Standing::Conflict;
            field.clone_into(&mut mappings[key].field);
            mappings[key].value.clone_from(&value);
        }
        choices.push(Choice { key: key.map_or(u32::MAX, |key| key as u32), value });
    }
    Conflict { field: field.to_owned(), choices, chosen, note: String::new() }
}

/// The advice for a conflict. Where no pool has the names of the targets, all values are about one pool.
fn advice(field: &str, values: &[usize], sets: &[Set], pools: &[Value]) -> String {
    let target = |i: &usize| match &sets[*i].field {
        Field::Pool(PoolOf { name: Some(name), defines: false, .. }, _) => Some(name.clone()),
        Field::Pool(..) | Field::Scenario(_) => None,
    };
    let targets: BTreeSet<String> = values.iter().filter_map(target).collect();
    let number =
        field.strip_prefix("cluster.pools[").and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
    let pool = number.and_then(|number| pools.get(number)).map(name_of).unwrap_or_default();
    if targets.len() < 2 || targets.contains(pool) {
        return "keep one of the sources that say it, or settle the conflict".to_owned();
    }
    let all: Vec<String> = targets.into_iter().collect();
    let names = match all.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => all.concat(),
    };
    format!(
        "no pool is named {names}, so that all of them apply to the pool \"{pool}\": give the pools these names"
    )
}

/// A value in short.
pub(crate) fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        _ => value.to_string(),
    };
    if text.chars().count() <= 80 {
        text
    } else {
        format!("{}…", text.chars().take(77).collect::<String>())
    }
}

/// The mapping that says a set.
fn mapping_of(set: &Set, mappings: &[Mapping]) -> Option<usize> {
    let of_document = |m: &Mapping| m.document as usize == set.document && m.key.starts_with(&set.start);
    if !set.key.is_empty() {
        return mappings.iter().position(|m| m.document as usize == set.document && m.key == set.key);
    }
    let field = match &set.field {
        Field::Scenario(path) | Field::Pool(_, path) => path.as_str(),
    };
    let says = |m: &Mapping| {
        m.becomes.starts_with(field)
            || setting_of(&m.becomes).is_some_and(|setting| field == format!("scaling.{setting}"))
    };
    mappings.iter().position(|m| of_document(m) && m.has_counterpart() && says(m))
}

/// The setting of `scaling` that a note names at its beginning.
fn setting_of(becomes: &str) -> Option<&str> {
    if becomes.starts_with("policy.") {
        return Some("policy");
    }
    let rest = becomes.strip_prefix("scaling.")?;
    rest.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).next()
}

/// Defaults of optimisers and priorities hold only beside a policy that has them.
fn drop_what_no_policy_knows(winners: &mut BTreeMap<String, (Value, Vec<usize>)>) {
    let policies: BTreeMap<String, bool> = winners
        .iter()
        .filter_map(|(path, (value, _))| {
            let pool = path.strip_suffix(".scaling.policy")?;
            let name = value.as_object().and_then(|p| p.keys().next());
            Some((pool.to_owned(), name.is_some_and(|name| name.starts_with("wva-"))))
        })
        .collect();
    winners.retain(|path, _| {
        let pool = path.strip_suffix(".scaling.optimizer").or_else(|| path.strip_suffix(".scaling.priority"));
        pool.is_none_or(|pool| policies.get(pool).copied().unwrap_or(false))
    });
}

/// Priorities of classes hold only beside flow control, which they do not switch on.
fn drop_bands_without_flow_control(winners: &mut BTreeMap<String, (Value, Vec<usize>)>, document: &Value) {
    const FLOW: &str = "cluster.flow_control";
    let there = document.pointer("/cluster/flow_control").is_some_and(Value::is_object);
    if !there && !winners.contains_key(FLOW) {
        winners.retain(|path, _| !path.starts_with(&format!("{FLOW}.priorities")));
    }
}

/// Corrects mappings whose sets take effect nowhere, and reports sources about no pool.
fn correct(
    mappings: &mut [Mapping],
    sets: &[Set],
    heard: &BTreeSet<usize>,
    by_field: &BTreeMap<String, Vec<usize>>,
    problems: &mut Diagnostics,
) {
    let about: BTreeSet<usize> = by_field.values().flatten().copied().collect();
    let mut nobodys: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    let mut silent: BTreeMap<usize, String> = BTreeMap::new();
    for (i, set) in sets.iter().enumerate() {
        let own = all_of(set, mappings);
        if heard.contains(&i) {
            kept.extend(own);
            continue;
        }
        let why = if about.contains(&i) {
            let field = match &set.field {
                Field::Scenario(path) | Field::Pool(_, path) => path,
            };
            let held = by_field
                .iter()
                .any(|(path, all)| path.ends_with(field.as_str()) && all.iter().any(|j| heard.contains(j)));
            let setting = field.rsplit('.').next().unwrap_or_default();
            if field.starts_with("cluster.flow_control.priorities") && !held {
                "there is no flow control, whose bands have priorities; a client says its class".to_owned()
            } else if held {
                "another object's value holds".to_owned()
            } else {
                format!("the policy that holds knows no {setting}")
            }
        } else {
            let nobody = about_nobody(set);
            if nobodys.insert((set.document, set.start.clone())) {
                problems.push(nobody.clone());
            }
            nobody.found
        };
        silent.extend(own.into_iter().map(|m| (m, why.clone())));
    }
    for (m, why) in silent.into_iter().filter(|(m, _)| !kept.contains(m)) {
        mappings[m].standing = Standing::Ignored;
        mappings[m].becomes = format!("no counterpart: {why}");
    }
}

/// All mappings that say a set.
fn all_of(set: &Set, mappings: &[Mapping]) -> Vec<usize> {
    if !set.key.is_empty() {
        return mapping_of(set, mappings).into_iter().collect();
    }
    let field = match &set.field {
        Field::Scenario(_) => return Vec::new(),
        Field::Pool(_, path) => path.strip_prefix("scaling."),
    };
    let of = |m: &Mapping| {
        m.document as usize == set.document
            && m.key.starts_with(&set.start)
            && m.has_counterpart()
            && setting_of(&m.becomes).is_some_and(|setting| Some(setting) == field)
    };
    mappings.iter().enumerate().filter(|(_, m)| of(m)).map(|(i, _)| i).collect()
}

/// Reports that a source applies to no pool.
fn about_nobody(set: &Set) -> Diagnostic {
    let found = match &set.field {
        Field::Pool(PoolOf { model: Some(model), .. }, _) => format!("no pool serves the model {model:?}"),
        _ => "no pool has the name of its target".to_owned(),
    };
    let fix = "nothing of it is used: give the model of the pool this name, if that pool is meant";
    Diagnostic::warning(set.start.clone(), found, "the model of a pool", fix)
}
