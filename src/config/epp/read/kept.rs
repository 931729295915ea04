//! Plugins about the KV of prompts: from which replica it is pulled, for how long that of a session is kept, and what a block is worth by
//! its tier.

use crate::import::configuration::Reader;
use crate::import::configuration::quantities::seconds_of;
use base::Diagnostic;
use document::{KvHint, limits};
use serde_json::{Map, Value, json};

pub(crate) const SOURCE: &str = "p2p-source-producer";
/// The hint for whole contexts.
pub(crate) const WHOLE_HINT: &str = "kv-cache-hint";
/// The hint for heads, within a budget.
pub(crate) const HEAD_HINT: &str = "kv-cache-hint-v2";

const HINT: &str = "cluster.kv_hint";

/// Names of tiers in the indexer, and those of `tier_weights`.
const TIERS: [(&str, &str); 8] = [
    ("gpu", "gpu"),
    ("cpu", "cpu"),
    ("disk", "disk"),
    ("fs", "disk"),
    ("storage", "disk"),
    ("store", "store"),
    ("obj", "store"),
    ("shared_storage", "store"),
];

/// What a block in CPU memory is worth where nothing is said.
pub(crate) const CPU_WORTH: f64 = 0.8;

/// The key of the worth of tiers, below the parameters of the producer.
const WORTH: &str = "indexerConfig.kvCacheBackendConfigs";

/// The producer that names the replica from which blocks of a prompt are pulled.
pub(crate) fn kv_source(r: &mut Reader<'_>, type_at: &str, parameters: &str) {
    let key = format!("{parameters}.minCachedTokenDelta");
    let most = u64::from(limits::REQUEST_TOKENS);
    r.note(type_at, "cluster.kv_source");
    let lead = match r.get(&key).map(|value| (value.as_u64().filter(|n| *n <= most), value)) {
        None => 1,
        Some((Some(0), _)) => {
            r.near(&key, "min_cached_token_delta 1", "a replica without a lead is not asked");
            1
        }
        Some((Some(lead), _)) => {
            r.note(&key, &format!("min_cached_token_delta {lead}"));
            lead
        }
        Some((None, value)) => {
            let (found, allowed) = (value.to_string(), format!("a whole number, 0 to {most}"));
            r.problems.push(Diagnostic::error(key, found, allowed, "write the lead in tokens"));
            return;
        }
    };
    r.set(type_at, "cluster.kv_source", json!({ "min_cached_token_delta": lead }));
    r.without_counterpart_of_rest(parameters, "the source is chosen in one way");
}

/// A value of the hint, with its row; one out of range is an error.
fn value(r: &mut Reader<'_>, path: &str, key: &str, [least, most]: [f64; 2], usual: f64) -> f64 {
    let Some(said) = r.get(path) else { return usual };
    let found = said.as_f64().or_else(|| seconds_of(said.as_str()?)).filter(|x| (least..=most).contains(x));
    if let Some(x) = found {
        r.note(path, &format!("{HINT}: {key} {x}"));
        return x;
    }
    let (found, allowed) = (said.to_string(), format!("{least} to {most}"));
    r.problems.push(Diagnostic::error(path, found, allowed, "write a value in this range"));
    usual
}

/// The hint for how long the KV of sessions is kept.
pub(crate) fn kv_hint(r: &mut Reader<'_>, kind: &str, type_at: &str, parameters: &str) {
    let differs = "quantiles are those of the gaps that were seen; pools obey it with kv.eviction_order vllm";
    r.near(type_at, HINT, differs);
    let usual = KvHint::default();
    let queue = format!("{parameters}.queues.0");
    let retain = format!("{queue}.retain");
    let mut of = |key: &str, ours: &str, range: [f64; 2], usual: f64| {
        value(r, &format!("{retain}.{key}"), ours, range, usual)
    };
    let quantile = of("quantile", "quantile", [limits::QUANTILE_MIN, limits::QUANTILE], usual.quantile);
    let times = [limits::HINT_S_MIN, limits::HINT_S];
    let min_s = of("minTTL", "min_s", times, usual.min_s);
    let max_s = of("maxTTL", "max_s", times, usual.max_s);
    let most = f64::from(limits::KEEP_PRIORITY);
    let priority = of("priority", "priority", [0.0, most], usual.priority.into());
    let mut hint = json!({
        "quantile": quantile, "min_s": min_s, "max_s": max_s, "priority": priority.floor() as u64,
        "head_tokens": 0, "budget_tokens": 0,
    });
    if kind == HEAD_HINT {
        for (key, ours, most, usual) in [
            (
                "maxProtectedPrefixTokens",
                "head_tokens",
                limits::REQUEST_TOKENS.into(),
                usual.head_tokens.into(),
            ),
            ("protectionBudgetTokens", "budget_tokens", limits::HINT_BUDGET_TOKENS, usual.budget_tokens),
        ] {
            let x = value(r, &format!("{parameters}.{key}"), ours, [0.0, most as f64], usual as f64);
            hint[ours] = json!(x.floor() as u64);
        }
    }
    r.without_counterpart(&format!("{queue}.sessionType"), "all sessions have one hint");
    for i in 1..r.entries(&format!("{parameters}.queues")) {
        let why = "all sessions have one hint: that of the first queue";
        r.without_counterpart(&format!("{parameters}.queues.{i}"), why);
    }
    r.without_counterpart(&format!("{parameters}.parentSessionHeader"), "each session is a scope of its own");
    r.without_counterpart_of_rest(parameters, "the hint has no such part");
    r.set(type_at, HINT, hint);
}

/// What a block is worth by its tier, as keys of the weighted router.
pub(crate) fn tier_weights(r: &mut Reader<'_>, at: &str, keys: &mut Map<String, Value>) {
    let list = format!("{at}.parameters.{WORTH}");
    let count = r.entries(&list);
    if count == 0 {
        return;
    }
    let mut all = json!({ "gpu": 1.0, "cpu": CPU_WORTH });
    for i in 0..count {
        let [name_at, weight_at] = ["name", "weight"].map(|key| format!("{list}.{i}.{key}"));
        let name = r.get(&name_at).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        let Some((_, ours)) = TIERS.iter().find(|(theirs, _)| *theirs == name) else {
            r.unknown(&name_at, "a tier that is not known here", &TIERS.map(|(theirs, _)| theirs));
            r.without_counterpart(&weight_at, "its tier is not known here");
            continue;
        };
        let becomes = format!("cluster.routing.weighted.tier_weights.{ours}");
        r.note(&name_at, &format!("the tier {ours} of the scorer tier-prefix"));
        match r.get(&weight_at).map(|said| (said, said.as_f64().filter(|x| (0.0..=1.0).contains(x)))) {
            Some((_, Some(weight))) => {
                r.note(&weight_at, &becomes);
                r.field(&weight_at, &becomes, &json!(weight));
                all[*ours] = json!(weight);
            }
            Some((said, None)) => {
                let (found, allowed) = (said.to_string(), "0 to 1");
                r.problems.push(Diagnostic::error(weight_at, found, allowed, "1 is the whole block"));
            }
            None => {}
        }
    }
    keys.insert("tier_weights".to_owned(), all);
}
