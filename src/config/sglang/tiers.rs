//! SGLang's hierarchical cache: a CPU tier in pages of the GPU's, and a store below it.

use crate::command::flags::{Flags, Word};
use crate::import::configuration::Reader;
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::tiers::{BYTES_OF_GPU, CPU_BLOCKS, LENT, STORES, TIMES_BLOCKS};
use crate::mooncake::store::{MOONCAKE, size_gb, store};
use crate::vllm::read::{Around, Keys, Sizes};
use document::limits;
use serde_json::{Value, json};

const ON: &str = "enable-hierarchical-cache";
const BACKEND: &str = "hicache-storage-backend";
const POLICY: &str = "hicache-storage-prefetch-policy";
const EXTRA: &str = "hicache-storage-backend-extra-config";

/// Flags that mean nothing without the cache.
const OTHERS: [&str; 6] = ["hicache-ratio", "hicache-size", "hicache-write-policy", BACKEND, POLICY, EXTRA];

/// Host memory as a multiple of the GPUs' where nothing is said.
const USUAL_RATIO: f64 = 2.0;

/// Tokens below which nothing is read from the store.
const THRESHOLD: u64 = 256;

/// Seconds that a request waits for the store: the first ones, and those of 1,024 tokens.
const WAIT_S: [f64; 2] = [1.0, 0.25];

/// The keys of the backend that are read.
const EXTRA_KEYS: [&str; 4] =
    ["prefetch_threshold", "prefetch_timeout_base", "prefetch_timeout_per_ki_token", SEGMENT];

/// The key of the memory that each process lends Mooncake's store.
const SEGMENT: &str = "global_segment_size";

/// Reads the flags of the hierarchical cache, and the order of eviction.
pub(super) fn hierarchical(r: &mut Reader<'_>, flags: &mut Flags, around: &Around, sizes: Sizes) {
    eviction(r, flags, around, sizes);
    if flags.switch(ON) != Some(true) {
        flags.ignore(r, ON, "there is no CPU tier, as here");
        for name in OTHERS {
            flags.ignore(r, name, "it counts with --enable-hierarchical-cache alone");
        }
        return;
    }
    if flags.switch("disable-radix-cache") == Some(true) {
        for name in [ON].into_iter().chain(OTHERS) {
            flags.ignore(r, name, "nothing is kept with --disable-radix-cache");
        }
        return;
    }
    host(r, flags, around);
    writes(r, flags, around);
    if sizes.pp > 1 {
        for name in [BACKEND, POLICY, EXTRA] {
            flags.ignore(r, name, "pools with stages have no tiers below CPU memory here");
        }
    } else if flags.value(BACKEND).is_some() {
        storage(r, flags, around);
    } else {
        for name in [POLICY, EXTRA] {
            flags.ignore(r, name, "it counts with --hicache-storage-backend alone");
        }
    }
}

/// The size of the CPU tier.
fn host(r: &mut Reader<'_>, flags: &mut Flags, around: &Around) {
    let of = &around.of;
    let size = flags.number_in(r, "hicache-size", [0.0, limits::TIER_GB]).filter(|gb| *gb > 0.0);
    let ratio = flags.number_in(r, "hicache-ratio", [0.0, 1000.0]);
    let link = "the link has kv.transfer_tokens_per_us";
    if let Some(gb) = size {
        flags.note(
            r,
            ON,
            "a CPU tier, of the size beside it; vLLM's rules simulate the pool, as they have tiers",
        );
        flags.near(r, "hicache-size", CPU_BLOCKS, &format!("{gb} GB for each GPU; {link}"));
        let value = json!({ BYTES_OF_GPU: gb * 1e9 });
        flags.set_pool(r, "hicache-size", of, CPU_BLOCKS, value);
        flags.ignore(r, "hicache-ratio", "--hicache-size holds");
        return;
    }
    flags.note(r, "hicache-size", "the ratio holds");
    let value = json!({ TIMES_BLOCKS: ratio.unwrap_or(USUAL_RATIO) });
    if let Some(ratio) = ratio {
        flags.note(
            r,
            ON,
            "a CPU tier, of the size beside it; vLLM's rules simulate the pool, as they have tiers",
        );
        flags.near(r, "hicache-ratio", CPU_BLOCKS, &format!("{ratio} times the blocks of the GPUs; {link}"));
        flags.set_pool(r, "hicache-ratio", of, CPU_BLOCKS, value);
    } else {
        let differs = "twice the blocks of the GPUs; vLLM's rules simulate the pool, as they have tiers";
        flags.near(r, ON, CPU_BLOCKS, differs);
        flags.set_pool(r, ON, of, CPU_BLOCKS, value);
    }
}

/// When blocks are written to CPU memory.
fn writes(r: &mut Reader<'_>, flags: &mut Flags, around: &Around) {
    let name = "hicache-write-policy";
    let value = match flags.text(name) {
        Some("write_through") => json!("write-through"),
        Some("write_back") => json!("write-back"),
        Some("write_through_selective") => json!({ "selective": { "hits": 2 } }),
        Some(_) => {
            flags.not_among(r, name, &["write_back", "write_through", "write_through_selective"]);
            return;
        }
        None => return,
    };
    let shown = value.as_str().unwrap_or("selective, hits 2").to_owned();
    flags.note(r, name, &format!("kv.cpu_write {shown}"));
    flags.set_pool(r, name, &around.of, "kv.cpu_write", value);
}

/// The store below CPU memory, and how it is read.
fn storage(r: &mut Reader<'_>, flags: &mut Flags, around: &Around) {
    let of = &around.of;
    let backend = flags.text(BACKEND).unwrap_or_default().to_owned();
    let said: Value = flags.text(EXTRA).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let extra = flags.path(EXTRA).zip(said.as_object()).map(|(at, said)| Keys { at: at.to_owned(), said });
    let is_mooncake = backend == MOONCAKE;
    let name = if is_mooncake { MOONCAKE.to_owned() } else { format!("hicache-{backend}") };
    let mut own = if is_mooncake { store() } else { json!({ "name": name }) };
    if is_mooncake {
        segments(r, &mut own, extra.as_ref(), around);
    }
    let differs = match backend.as_str() {
        MOONCAKE => "a store that all servers share; its port is assumed",
        "file" => "a folder that all servers share, without an end; a disk of each is a tier fs",
        _ => {
            "a store that all servers share; its size and port are not said: write gb, servers and port_gb_per_s"
        }
    };
    flags.near(r, BACKEND, &format!("{STORES} {name}"), differs);
    let tiers = json!([{ "store": { "name": name } }]);
    let path = flags.path(BACKEND).unwrap_or_default().to_owned();
    r.set_pool(&path, of, "kv.secondary_tiers", tiers);
    r.set_pool(&path, of, "kv.load_asked", json!("arrival"));
    let threshold = extra.as_ref().and_then(|extra| {
        let key = "prefetch_threshold";
        let n = extra.whole(r, key, [0, limits::REQUEST_TOKENS.into()])?;
        extra.row(r, key, Standing::Exact, &format!("kv.load min_tokens {}", n.max(1)));
        Some(n.max(1))
    });
    r.set_pool(&path, of, "kv.load", json!({ "min_tokens": threshold.unwrap_or(THRESHOLD) }));
    waits(r, flags, extra.as_ref(), around);
    flags.set(r, BACKEND, STORES, json!([own]));
    if let Some(extra) = &extra {
        flags.note(r, EXTRA, "the keys within");
        let is_read = |key: &str| EXTRA_KEYS.contains(&key) && (is_mooncake || key != SEGMENT);
        for key in extra.said.keys().filter(|key| !is_read(key)) {
            extra.ignore(r, key, "it concerns the program of the store");
        }
    } else {
        flags.ignore(r, EXTRA, "a file, whose keys are not read: write them as JSON in quotes");
    }
}

/// How long a request waits for what is on its way from the store.
fn waits(r: &mut Reader<'_>, flags: &mut Flags, extra: Option<&Keys<'_>>, around: &Around) {
    let policy = flags.text(POLICY).unwrap_or("best_effort").to_owned();
    let mut seconds = |key: &str, usual: f64| {
        let found = extra.and_then(|extra| extra.said.get(key)).map(Value::as_f64);
        let Some(extra) = extra.filter(|_| found.is_some()) else { return usual };
        match found.flatten().filter(|s| (0.0..=3600.0).contains(s)) {
            Some(s) if policy == "timeout" => {
                extra.row(r, key, Standing::Exact, &format!("kv.load_wait timeout, {s} s"));
                s
            }
            Some(_) => {
                extra.ignore(r, key, "the policy timeout alone has it");
                usual
            }
            None => {
                extra.refuse(r, key, "0 to 3600 seconds", "write the time in seconds");
                usual
            }
        }
    };
    let [base, each] =
        [seconds("prefetch_timeout_base", WAIT_S[0]), seconds("prefetch_timeout_per_ki_token", WAIT_S[1])];
    let us = |s: f64| (s * 1e6).round() as u64;
    let timeout =
        |base: f64, each: f64| json!({ "timeout": { "base_us": us(base), "per_ki_token_us": us(each) } });
    let value = match policy.as_str() {
        "wait_complete" => json!("complete"),
        "best_effort" => timeout(0.0, 0.0),
        "timeout" => timeout(base, each),
        _ => {
            flags.not_among(r, POLICY, &["best_effort", "wait_complete", "timeout"]);
            return;
        }
    };
    let becomes = match policy.as_str() {
        "wait_complete" => "kv.load_wait complete".to_owned(),
        "best_effort" => "kv.load_wait timeout 0: what has come at its turn is used".to_owned(),
        _ => format!("kv.load_wait timeout: {base} s and {each} s for 1,024 tokens"),
    };
    flags.note(r, POLICY, &becomes);
    let name = if flags.path(POLICY).is_some() { POLICY } else { BACKEND };
    flags.set_pool(r, name, &around.of, "kv.load_wait", value);
}

/// The memory that each GPU lends Mooncake's store.
fn segments(r: &mut Reader<'_>, own: &mut Value, extra: Option<&Keys<'_>>, around: &Around) {
    const VARIABLE: &str = "MOONCAKE_GLOBAL_SEGMENT_SIZE";
    let key = SEGMENT;
    let by_key = extra.and_then(|extra| Some((extra, extra.said.get(key)?)));
    let variable = around.settings.iter().rev().find_map(|word| {
        let (name, value) = word.text.split_once('=')?;
        (name == VARIABLE).then(|| (word, Value::from(value.trim_matches(['"', '\'']))))
    });
    let said = by_key.map(|(_, value)| value.clone()).or_else(|| variable.as_ref().map(|(_, v)| v.clone()));
    let gb = said.as_ref().and_then(size_gb);
    let becomes = match gb {
        Some(gb) if gb > 0.0 => {
            own["gb"] = json!(gb);
            own[LENT] = json!(true);
            format!("{STORES} {MOONCAKE}, gb {gb:.3}: the memory of each GPU's process")
        }
        Some(_) => format!("{STORES} {MOONCAKE}: these processes lend no memory; write its gb and servers"),
        None => {
            if let Some((extra, _)) = by_key {
                extra.refuse(r, key, "a size, such as 64GB", "write bytes, or a number with a unit");
            }
            return;
        }
    };
    if let Some((extra, _)) = by_key {
        extra.row(r, key, Standing::Near, &becomes);
    } else if let Some((word, _)) = variable {
        let (key, found, standing) = (word.path.clone(), word.text.clone(), Standing::Near);
        r.mappings.push(Mapping { key, found, standing, becomes, ..Mapping::default() });
    }
}

/// The order of eviction of the GPUs.
fn eviction(r: &mut Reader<'_>, flags: &mut Flags, around: &Around, sizes: Sizes) {
    let name = "radix-eviction-policy";
    let apart = around.role.is_some() || sizes.pp > 1 || flags.switch("disable-radix-cache") == Some(true);
    match flags.text(name) {
        Some("lru") => flags.note(r, name, "kv.eviction_order lru"),
        Some("priority") if apart => {
            flags.ignore(r, name, "pools with a role, with stages or without a cache evict by use alone");
        }
        Some("priority") => {
            let differs =
                "the priority of a request is a directive for its whole text: retention of a client";
            flags.near(r, name, "kv.eviction_order sglang", differs);
            flags.set_pool(r, name, &around.of, "kv.eviction_order", json!("sglang"));
        }
        Some(_) => flags.ignore(r, name, "the order is lru, or by the priority of requests"),
        None => {}
    }
}

/// Gives each variable without a row one.
pub(super) fn settings(r: &mut Reader<'_>, all: &[Word]) {
    for word in all {
        if r.mappings.iter().any(|row| row.key == word.path) {
            continue;
        }
        let (key, found) = (word.path.clone(), word.text.clone());
        let becomes = "no counterpart: it says where the store is, or how its program works".to_owned();
        r.mappings.push(Mapping { key, found, standing: Standing::Ignored, becomes, ..Mapping::default() });
    }
}
