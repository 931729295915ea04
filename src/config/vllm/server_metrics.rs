//! Import of a server's `/metrics` as configuration: the labels of `vllm:cache_config_info`, and the name of the model.
//! What the other metrics measure is read by `tokenyard validate` and on the page beside a run.

use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::models::{HOW_TO_ADD_A_MODEL, model_named};
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::vllm::read::memory::kv_bytes;
use base::Diagnostic;
use base::import::Import;
use document::limits;
use serde_json::{Value, json};

const CACHE: &str = "vllm:cache_config_info";

/// The metrics of a server.
pub(crate) struct ServerMetrics;

impl Import<Configuration> for ServerMetrics {
    fn name(&self) -> &'static str {
        "server-metrics"
    }

    fn title(&self) -> &'static str {
        "a server's /metrics"
    }

    fn recognises(&self, source: &Value) -> bool {
        let alone = source.as_object().is_some_and(|map| map.len() == 1);
        alone && source.get("metrics").is_some_and(Value::is_object)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let families = r.get("metrics").and_then(Value::as_object);
        let names: Vec<&String> = families.map(|all| all.keys().collect()).unwrap_or_default();
        let of = pool_of(source);
        for name in &names {
            if name.as_str() == CACHE {
                for i in 0..r.entries(&format!("metrics.{CACHE}")) {
                    cache(&mut r, &format!("metrics.{CACHE}.{i}"), &of);
                }
            } else {
                family(&mut r, name);
            }
        }
        model(&mut r, &names, &of);
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// The name of the model in the labels of a page, with its path.
fn model_label(source: &Value) -> Option<(String, String)> {
    let families = source.get("metrics")?.as_object()?;
    families.iter().find_map(|(name, samples)| {
        let label =
            samples.get("0").or_else(|| samples.get(0))?.get("labels")?.get("model_name")?.as_str()?;
        Some((format!("metrics.{name}"), label.to_owned()))
    })
}

/// The pools that the page is about: those that serve its model.
fn pool_of(source: &Value) -> PoolOf {
    let model = model_label(source).map(|(_, name)| name).filter(|name| model_named(name).is_some());
    PoolOf { unnamed: model.is_some(), model, ..PoolOf::default() }
}

/// The model of the page.
fn model(r: &mut Reader<'_>, names: &[&String], of: &PoolOf) {
    let Some((family, label)) = model_label(r.source) else { return };
    if !names.iter().any(|name| family.ends_with(name.as_str())) {
        return;
    }
    let path = format!("{family}.0.labels.model_name");
    if let Some(known) = model_named(&label) {
        r.note(&path, &format!("model {known}"));
        r.set_pool(&path, of, "model", json!(known));
    } else {
        r.without_counterpart(&path, HOW_TO_ADD_A_MODEL);
    }
}

/// One row for a family of metrics.
fn family(r: &mut Reader<'_>, name: &str) {
    let key = format!("metrics.{name}");
    let samples = r.entries(&key);
    if let Some(lines) = r.get(&key).and_then(Value::as_u64) {
        let found = format!("{lines} lines that are no samples: left out");
        let fix = "paste the page as the server gives it";
        r.problems.push(Diagnostic::warning(key, found, "name{label=\"value\"} number", fix));
        return;
    }
    r.set_aside(&key);
    let measured = name.starts_with("vllm:") || name.starts_with("sglang:");
    let why = if measured {
        "it is measured, not set: `tokenyard validate` and the page read it beside a run"
    } else if name.starts_with("llm_d_") {
        "it is measured at the router: give its EndpointPickerConfig"
    } else {
        "it says nothing of the engine"
    };
    let found = if samples == 1 { "1 sample".to_owned() } else { format!("{samples} samples") };
    let becomes = format!("no counterpart: {why}");
    r.mappings.push(Mapping { key, found, standing: Standing::Ignored, becomes, ..Mapping::default() });
}

/// Labels that are numbers of a field: label, field, range.
const NUMBERS: [(&str, &str, [f64; 2]); 3] = [
    ("block_size", "kv.block_tokens", [1.0, limits::BLOCK_TOKENS as f64]),
    ("num_gpu_blocks", "kv.blocks", [1.0, limits::KV_BLOCKS as f64]),
    ("gpu_memory_utilization", "kv.gpu_memory_utilization", [limits::MEMORY_SHARE_MIN, 1.0]),
];

/// The settings of one engine's cache.
fn cache(r: &mut Reader<'_>, path: &str, of: &PoolOf) {
    let labels = format!("{path}.labels");
    let names: Vec<String> =
        r.get(&labels).and_then(Value::as_object).into_iter().flat_map(|map| map.keys().cloned()).collect();
    r.shape(&format!("{path}.value"), "always 1: the labels say the settings");
    for name in names {
        let at = format!("{labels}.{name}");
        let Some(text) = r.get(&at).and_then(Value::as_str).map(str::to_owned) else { continue };
        let of_field = NUMBERS.iter().find(|(label, ..)| *label == name).filter(|_| !is_none(&text));
        if let Some((_, field, range)) = of_field {
            number(r, &at, &text, (field, *range), of);
            continue;
        }
        label(r, &at, &name, &text, of);
    }
}

/// Whether a label says that nothing is set.
fn is_none(text: &str) -> bool {
    matches!(text, "" | "None" | "null")
}

/// A label that is a number of a field.
fn number(r: &mut Reader<'_>, at: &str, text: &str, (field, [least, most]): (&str, [f64; 2]), of: &PoolOf) {
    let found = text.parse::<f64>().ok().filter(|x| *x >= least && *x <= most);
    let whole = field != "kv.gpu_memory_utilization";
    let Some(x) = found.filter(|x| !whole || x.fract() == 0.0) else {
        let fix = "paste the line as the server gives it";
        r.problems.push(Diagnostic::error(at, format!("{text:?}"), format!("{least} to {most}"), fix));
        return;
    };
    let value = if whole { json!(x as u64) } else { json!(x) };
    r.note(at, &format!("{field} {value}"));
    r.set_pool(at, of, field, value);
}

/// A label that is no number of a field.
fn label(r: &mut Reader<'_>, at: &str, name: &str, text: &str, of: &PoolOf) {
    match (name, text) {
        ("engine" | "engine_index", _) => r.without_counterpart(at, "the rank: replicas of a pool are alike"),
        (_, text) if is_none(text) => r.without_counterpart(at, "nothing is set"),
        ("enable_prefix_caching", "True" | "true" | "False" | "false") => {
            let on = text.eq_ignore_ascii_case("true");
            r.note(at, &format!("kv.prefix_caching {on}"));
            r.set_pool(at, of, "kv.prefix_caching", json!(on));
        }
        ("cache_dtype", text) => match kv_bytes(text) {
            Some(bytes) => {
                r.note(at, &format!("architecture.bytes_per_kv_value {bytes}"));
                r.set_pool(at, of, "architecture.bytes_per_kv_value", json!(bytes));
            }
            None => r.without_counterpart(at, "bytes of a number in this format are not known here"),
        },
        ("num_cpu_blocks", text) => match text.parse::<u32>().ok().filter(|n| *n <= limits::KV_BLOCKS) {
            Some(0) => r.note(at, "no CPU tier"),
            Some(n) => {
                r.near(
                    at,
                    &format!("kv.cpu_blocks {n}"),
                    "in older releases these blocks are for swapping alone",
                );
                r.set_pool(at, of, "kv.cpu_blocks", json!(n));
            }
            None => r.without_counterpart(at, "no number of blocks"),
        },
        ("model_name", _) => {}
        _ => r.without_counterpart(at, "the cache is not simulated in this detail"),
    }
}
