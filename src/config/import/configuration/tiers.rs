//! What tiers of KV mean for the whole of a merged document: a folder that several commands name is a store, the stores of
//! several sources are one list, and sizes by the GPU become those of a replica.
//!
//! Readers write such sizes as objects in place of numbers, and what they know of a folder as keys of its tier; none of
//! these stays in the document.

use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::sets::{Field, Set};
use document::{Compat, Pool, data_from_value, limits};
use engine::perf::{known_model, kv_bytes_per_token, resolve};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The field of the stores that replicas share.
pub(crate) const STORES: &str = "cluster.kv_stores";

/// The field of the size of the CPU tier.
pub(crate) const CPU_BLOCKS: &str = "kv.cpu_blocks";

const TIERS: &str = "kv.secondary_tiers";

/// Bytes of each GPU, in place of a number of blocks.
pub(crate) const BYTES_OF_GPU: &str = "bytes_of_gpu";

/// A multiple of the blocks of the GPUs, in place of a number of blocks.
pub(crate) const TIMES_BLOCKS: &str = "times_blocks";

/// GB of each GPU, in place of those of a replica.
pub(crate) const GB_OF_GPU: &str = "gb_of_gpu";

/// The folder of a disk.
pub(crate) const FOLDER: &str = "folder";

/// The path of the object that says a disk.
pub(crate) const SAID_AT: &str = "said_at";

/// Where an export puts the folders of stores, which all servers share.
pub(crate) const SHARED: &str = "/kv-shared/";

/// Marks a store whose memory the replicas lend: it has a server for each of their GPUs.
pub(crate) const LENT: &str = "lent";

/// A disk of a source with its folder.
struct Folder {
    set: usize,
    tier: usize,
    path: String,
    said_at: String,
    model: Option<String>,
}

/// Makes a disk whose folder several commands name a store, with the rows that say so.
pub(crate) fn shared_folders(mut sets: Vec<Set>, mappings: &mut [Mapping]) -> Vec<Set> {
    let all = folders(&sets);
    let mut stores: Vec<Set> = Vec::new();
    for folder in &all {
        let same = |other: &&Folder| other.path == folder.path && other.model == folder.model;
        let commands: BTreeSet<usize> = all.iter().filter(same).map(|other| other.set).collect();
        if commands.len() > 1 || folder.path.starts_with(SHARED) {
            let name = store_name(folder, &all);
            let set = &mut sets[folder.set];
            say_store(&name, folder, set.document, mappings);
            let mut new = Set::said(&set.key, Field::Scenario(STORES.to_owned()), json!([{ "name": name }]));
            new.document = set.document;
            stores.push(new);
            if let Some(tier) = set.value.get_mut(folder.tier) {
                let write = tier.pointer("/fs/write").cloned();
                *tier = json!({ "store": { "name": name } });
                if let Some(write) = write {
                    tier["store"]["write"] = write;
                }
            }
        } else if let Some(disk) = sets[folder.set].value.pointer_mut(&format!("/{}/fs", folder.tier))
            && let Some(disk) = disk.as_object_mut()
        {
            disk.remove(FOLDER);
            disk.remove(SAID_AT);
        }
    }
    sets.extend(stores);
    apart_by_model(&mut sets);
    sets
}

/// The model of the pool that a set is about, if its source says it.
fn model_of(set: &Set, sets: &[Set]) -> Option<String> {
    let Field::Pool(of, _) = &set.field else { return None };
    let says = |other: &&Set| {
        other.document == set.document
            && matches!(&other.field, Field::Pool(pool, field) if pool == of && field == "model")
    };
    sets.iter().find(says)?.value.as_str().map(str::to_owned)
}

/// Gives each model a store of its own where commands of several models name one: their blocks are not alike.
fn apart_by_model(sets: &mut [Set]) {
    let is_tiers = |set: &Set| matches!(&set.field, Field::Pool(_, field) if field == TIERS);
    let models: Vec<Option<String>> =
        sets.iter().map(|set| model_of(set, sets).filter(|_| is_tiers(set))).collect();
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (set, model) in sets.iter().zip(&models) {
        for tier in set.value.as_array().into_iter().flatten() {
            if let (Some(name), Some(model)) = (tier.pointer("/store/name").and_then(Value::as_str), model) {
                users.entry(name.to_owned()).or_default().insert(model.clone());
            }
        }
    }
    users.retain(|_, models| models.len() > 1);
    let own = |name: &str, model: &str| format!("{name}-{model}");
    // The sources of tiers, with their models.
    let said: Vec<(usize, String, String)> = sets
        .iter()
        .zip(&models)
        .filter_map(|(set, model)| Some((set.document, set.key.clone(), model.clone()?)))
        .collect();
    for (set, model) in sets.iter_mut().zip(&models) {
        let entries = set.value.as_array_mut();
        if let (Some(model), Some(tiers)) = (model, entries) {
            for name in tiers.iter_mut().filter_map(|tier| tier.pointer_mut("/store/name")) {
                let renamed =
                    name.as_str().filter(|name| users.contains_key(*name)).map(|name| own(name, model));
                if let Some(renamed) = renamed {
                    *name = json!(renamed);
                }
            }
        } else if matches!(&set.field, Field::Scenario(field) if field == STORES) {
            let by = said.iter().find(|(document, key, _)| *document == set.document && *key == set.key);
            let copies = |store: &Value| -> Vec<Value> {
                let name = store["name"].as_str().unwrap_or_default();
                let Some(models) = users.get(name) else { return vec![store.clone()] };
                let models = models.iter().filter(|model| by.is_none_or(|(.., own)| own == *model));
                let copy = |model: &String| {
                    let mut copy = store.clone();
                    copy["name"] = json!(own(name, model));
                    copy
                };
                models.map(copy).collect()
            };
            set.value = Value::Array(set.value.as_array().into_iter().flatten().flat_map(copies).collect());
        }
    }
}

fn folders(sets: &[Set]) -> Vec<Folder> {
    let mut all = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        let Field::Pool(_, field) = &set.field else { continue };
        let tiers = set.value.as_array().filter(|_| field == TIERS).into_iter().flatten();
        for (tier, disk) in tiers.enumerate().filter_map(|(k, tier)| Some((k, tier.get("fs")?))) {
            let text = |key: &str| disk.get(key).and_then(Value::as_str).map(str::to_owned);
            let Some(path) = text(FOLDER) else { continue };
            let model = model_of(set, sets);
            let said_at = text(SAID_AT).unwrap_or_default();
            all.push(Folder { set: number, tier, path, said_at, model });
        }
    }
    all
}

/// The name of the store that a folder is: its last part, or all of them where another folder has the same. That of its model is part
/// of it where several models use the folder.
fn store_name(folder: &Folder, all: &[Folder]) -> String {
    let last = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let own = last(&folder.path);
    let is_taken = all.iter().any(|other| other.path != folder.path && last(&other.path) == own);
    let mut name = if is_taken { folder.path.trim_matches('/').replace('/', "-") } else { own };
    let several = all.iter().any(|other| other.path == folder.path && other.model != folder.model);
    if let (true, Some(model)) = (several, folder.model.as_ref()) {
        name = format!("{name}-{model}");
    }
    let fits = |name: &str| name.len() <= limits::STORE_NAME_BYTES;
    while !fits(&name) {
        name.remove(0);
    }
    if name.is_empty() { "shared".to_owned() } else { name }
}

/// Corrects the rows of a disk that is a store.
fn say_store(name: &str, folder: &Folder, document: usize, mappings: &mut [Mapping]) {
    for row in mappings.iter_mut().filter(|row| row.document as usize == document) {
        let Some(key) = row.key.strip_prefix(folder.said_at.as_str()) else { continue };
        match key {
            ".root_dir" => {
                row.standing = Standing::Near;
                row.becomes =
                    format!("{STORES} {name}: several commands name this folder; its speed is assumed");
                STORES.clone_into(&mut row.field);
                name.clone_into(&mut row.value);
            }
            ".type" => row.becomes = format!("{TIERS} store {name}"),
            ".n_read_threads" | ".n_write_threads" => {
                row.standing = Standing::Ignored;
                "no counterpart: a store has ports in place of threads".clone_into(&mut row.becomes);
            }
            _ => {}
        }
    }
}

/// The stores of several sources, each name once: one source may say of a store what another leaves out. `None` if two contradict each
/// other.
pub(crate) fn joined<'a>(lists: impl Iterator<Item = &'a Value>) -> Option<Value> {
    let mut all: Vec<Map<String, Value>> = Vec::new();
    for store in lists.filter_map(Value::as_array).flatten().filter_map(Value::as_object) {
        let known = all.iter_mut().find(|known| known.get("name") == store.get("name"));
        let Some(known) = known else {
            all.push(store.clone());
            continue;
        };
        for (key, value) in store {
            if known.get(key).is_some_and(|other| other != value) {
                return None;
            }
            known.insert(key.clone(), value.clone());
        }
    }
    Some(Value::Array(all.into_iter().map(Value::Object).collect()))
}

/// The stores of sources, and those of a document with other names. Of a store in both the sources' keys hold.
pub(crate) fn beside(new: &Value, there: &Value) -> Value {
    let mut all: Vec<Value> = there.as_array().cloned().unwrap_or_default();
    for store in new.as_array().into_iter().flatten() {
        let known = all.iter_mut().find(|known| known.get("name") == store.get("name"));
        match (known.and_then(Value::as_object_mut), store.as_object()) {
            (Some(known), Some(store)) => known.extend(store.clone()),
            _ => all.push(store.clone()),
        }
    }
    Value::Array(all)
}

/// The size of the CPU tier of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CpuTier {
    /// The number of blocks that a source said.
    AsSaid,
    /// Blocks that follow from bytes or from the blocks of the GPUs.
    Blocks(u64),
    /// Bytes, and the shape of the model is not known.
    Unknown,
}

/// Gives a pool its CPU tier in blocks and its disks in GB of a replica.
pub(crate) fn in_blocks(pool: &mut Value, compat: Compat) -> CpuTier {
    let number = |key: &str| pool.get(key).and_then(Value::as_u64).unwrap_or(1);
    let gpus = (number("tp") * number("pp")) as f64;
    let tiers = pool.pointer_mut("/kv/secondary_tiers").and_then(Value::as_array_mut);
    for disk in tiers.into_iter().flatten().filter_map(|tier| tier.get_mut("fs")) {
        if let Some(each) = disk.pointer(&format!("/gb/{GB_OF_GPU}")).and_then(Value::as_f64) {
            disk["gb"] = json!((each * gpus).min(limits::TIER_GB));
        }
    }
    let Some(kv) = pool.get_mut("kv").and_then(Value::as_object_mut) else { return CpuTier::AsSaid };
    if !kv.get("cpu_blocks").is_some_and(Value::is_object) {
        return CpuTier::AsSaid;
    }
    let asked = kv.remove("cpu_blocks").unwrap_or_default();
    // Rules of loads are refused without a CPU tier: they come back with its blocks.
    let rules: Vec<(&str, Option<Value>)> =
        ["load_wait", "load_asked"].into_iter().map(|key| (key, kv.remove(key))).collect();
    let Some(blocks) = blocks(&asked, pool, gpus, compat) else { return CpuTier::Unknown };
    let Some(kv) = pool.get_mut("kv").and_then(Value::as_object_mut) else { return CpuTier::Unknown };
    kv.insert("cpu_blocks".to_owned(), json!(blocks));
    let rules = rules.into_iter().filter(|_| blocks > 0);
    kv.extend(rules.filter_map(|(key, rule)| Some((key.to_owned(), rule?))));
    CpuTier::Blocks(blocks)
}

/// The blocks of a CPU tier whose size is said otherwise.
fn blocks(asked: &Value, pool: &Value, gpus: f64, compat: Compat) -> Option<u64> {
    let pool = data_from_value::<Pool>(pool, "a pool").ok()?;
    let times = asked.get(TIMES_BLOCKS).and_then(Value::as_f64);
    let exact = if let Some(times) = times {
        times * f64::from(resolve(&pool, compat, "").ok()?.blocks.0)
    } else {
        let listed = || known_model(&pool.model).map(|model| &model.architecture);
        let shape = pool.architecture.as_ref().or_else(listed)?;
        let block = kv_bytes_per_token(shape, pool.tp) as f64 * f64::from(pool.kv.block_tokens);
        asked.get(BYTES_OF_GPU)?.as_f64()? * gpus / block
    };
    Some(exact.floor().clamp(0.0, f64::from(limits::KV_BLOCKS)) as u64)
}

/// Gives a store in the memory of replicas a server for each GPU that lends it some.
pub(crate) fn lent(stores: &mut Value, pools: &[Value]) {
    for store in stores.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if store.remove(LENT).is_none() {
            continue;
        }
        let name = store.get("name").cloned().unwrap_or_default();
        let uses = |pool: &&Value| {
            let tiers = pool.pointer("/kv/secondary_tiers").and_then(Value::as_array);
            tiers.into_iter().flatten().any(|tier| tier.pointer("/store/name") == Some(&name))
        };
        let number = |pool: &Value, key: &str| pool.get(key).and_then(Value::as_u64).unwrap_or(1);
        let gpus = |pool: &Value| number(pool, "replicas") * number(pool, "tp") * number(pool, "pp");
        let servers: u64 = pools.iter().filter(uses).map(gpus).sum();
        store.insert("servers".to_owned(), json!(servers.clamp(1, limits::STORE_SERVERS.into())));
    }
}
