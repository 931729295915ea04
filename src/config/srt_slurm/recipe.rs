//! Import of a recipe of srt-slurm: the workers of prefill and decode, or those that do both, are pools; the frontend is the router.
//!
//! Source: its configuration reference, version 1 of recipes (`resources`, `backend`).

use crate::command::flags::Word;
use crate::command::shell::{EngineCommand, EngineKind};
use crate::import::configuration::models::model_named;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_object;
use crate::kubernetes::pods::gpus_of;
use crate::routers::{dynamo, smg, vllm_router};
use crate::srt_slurm::workload::workload;
use crate::trtllm::config_file::{NO_OPTION, options};
use crate::vllm::read::{Around, Sizes, gpu, is_setting};
use crate::{sglang, trtllm, vllm};
use base::Diagnostic;
use base::import::Import;
use document::limits;
use serde_json::{Value, json};

/// A recipe.
pub(crate) struct SrtSlurmRecipe;

const RESOURCES: &str = "resources";
const BACKEND: &str = "backend";

/// A kind of workers: how the recipe names them in its resources and in the engine's section, and their role.
struct Workers {
    resources: &'static str,
    section: &'static str,
    role: Option<&'static str>,
}

const WORKERS: [Workers; 3] = [
    Workers { resources: "prefill", section: "prefill", role: Some("prefill") },
    Workers { resources: "decode", section: "decode", role: Some("decode") },
    Workers { resources: "agg", section: "aggregated", role: None },
];

impl Import<Configuration> for SrtSlurmRecipe {
    fn name(&self) -> &'static str {
        "srt-slurm-recipe"
    }

    fn title(&self) -> &'static str {
        "a recipe of srt-slurm"
    }

    fn recognises(&self, source: &Value) -> bool {
        let workers = |kind: &Workers| {
            ["workers", "nodes"].iter().any(|what| {
                source
                    .get(RESOURCES)
                    .is_some_and(|all| all.get(format!("{}_{what}", kind.resources)).is_some())
            })
        };
        !is_object(source)
            && source.get(BACKEND).is_some_and(Value::is_object)
            && source.get("model").is_some_and(|model| model.get("path").is_some())
            && WORKERS.iter().any(workers)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        for kind in &WORKERS {
            let used = ["workers", "nodes"].map(|what| format!("{RESOURCES}.{}_{what}", kind.resources));
            let is_used =
                |r: &mut Reader<'_>, path: &String| r.get(path).and_then(Value::as_u64).unwrap_or(0) > 0;
            if used.iter().any(|path| is_used(&mut r, path)) {
                workers(&mut r, kind);
            }
        }
        frontend(&mut r);
        workload(&mut r);
        r.shape("name", "the name of the job");
        let gpus = format!("{RESOURCES}.gpus_per_node");
        r.without_counterpart(&gpus, "replicas have no nodes here");
        r.without_counterpart_of_rest(RESOURCES, "it says where workers run, not what they serve");
        r.without_counterpart_of_rest(BACKEND, "variables of the processes do not change what they serve");
        r.without_counterpart_of_rest("model", "the files of the model and of the container");
        r.without_counterpart_of_rest("", "it says how the job is run, not what its servers do");
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// The engine of the recipe.
fn engine_kind(r: &mut Reader<'_>) -> Option<EngineKind> {
    let path = format!("{BACKEND}.type");
    let kind = match r.get(&path).and_then(Value::as_str) {
        Some("sglang") | None => EngineKind::Sglang,
        Some("vllm") => EngineKind::Vllm,
        Some("trtllm") => EngineKind::Trtllm,
        Some(other) => {
            let other = other.to_owned();
            if !r.problems.iter().any(|problem| problem.path == path) {
                r.unknown_name(&path, &other, &["sglang", "vllm", "trtllm"]);
            }
            return None;
        }
    };
    if !r.mappings.iter().any(|row| row.key == path) {
        r.shape(&path, "the engine of the workers");
    }
    Some(kind)
}

/// Reads workers of a kind as a pool.
fn workers(r: &mut Reader<'_>, kind: &Workers) {
    let Some(engine) = engine_kind(r) else { return };
    let of = PoolOf::defined(kind.role.unwrap_or("workers"));
    let gpu_at = format!("{RESOURCES}.gpu_type");
    if let Some(text) = r.get(&gpu_at).and_then(Value::as_str).map(str::to_owned) {
        gpu(r, &gpu_at, &text, &of);
    }
    if let Some(role) = kind.role {
        r.set_pool_default(&of, "role", json!(role), 2);
    }
    let name = match engine {
        EngineKind::Vllm => "vllm_config",
        EngineKind::Sglang => "sglang_config",
        EngineKind::Trtllm => "trtllm_config",
    };
    let section = format!("{BACKEND}.{name}.{}", kind.section);
    let model = model(r, &section);
    let settings = variables(r, &format!("{BACKEND}.{}_environment", kind.section));
    let servers = number(r, &format!("{RESOURCES}.{}_workers", kind.resources)).unwrap_or(1);
    let (of_servers, role) = (Some(servers), kind.role);
    let around =
        Around { of: of.clone(), whole: true, role, servers: of_servers, settings, ..Around::default() };
    let sizes = match engine {
        EngineKind::Vllm => {
            let flags = command(flags_of(r, &section, model));
            vllm::command::command(r, &flags, &around)
        }
        EngineKind::Sglang => {
            let flags = command(flags_of(r, &section, model));
            sglang::read::command(r, &flags, &around)
        }
        EngineKind::Trtllm => tensorrt(r, &section, model, &around),
    };
    replicas(r, kind, servers, sizes, &of);
    let gpus = format!("{RESOURCES}.gpus_per_{}", kind.resources);
    gpus_of(r, &gpus, 1, sizes.tp * sizes.pp * sizes.dp, sizes);
}

fn command(flags: Vec<Word>) -> EngineCommand {
    EngineCommand { flags, ..EngineCommand::default() }
}

/// The model: the path of the recipe, or the name that clients use if the path is a name of the cluster's own.
fn model(r: &mut Reader<'_>, section: &str) -> Option<Word> {
    let path = "model.path".to_owned();
    let text = r.get(&path).and_then(Value::as_str)?.to_owned();
    let served = ["served-model-name", "served_model_name"].map(|key| format!("{section}.{key}"));
    let own = text.strip_prefix("hf:").unwrap_or(&text).to_owned();
    if model_named(&own).is_none() {
        for at in served {
            let name = r.get(&at).and_then(Value::as_str).map(str::to_owned);
            if let Some(name) = name.filter(|name| model_named(name).is_some()) {
                return Some(Word { path: at, text: format!("--model={name}") });
            }
        }
    }
    Some(Word { path, text: format!("--model={own}") })
}

/// The keys of a section as flags, after the model.
fn flags_of(r: &mut Reader<'_>, section: &str, model: Option<Word>) -> Vec<Word> {
    let mut flags: Vec<Word> = Vec::new();
    let of_model = model.as_ref().map(|word| word.path.clone());
    flags.extend(model);
    let keys: Vec<(String, Value)> = r
        .get(section)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (key, value) in keys {
        let path = format!("{section}.{key}");
        r.set_aside(&path);
        if of_model.as_ref() == Some(&path) {
            continue;
        }
        let plain = key.replace('_', "-");
        let text = match (&value, plain.strip_prefix("no-")) {
            (Value::Null, _) => continue,
            (Value::Bool(false), Some(positive)) => format!("--{positive}"),
            (Value::Bool(true), Some(_)) => format!("--{plain}"),
            (Value::String(text), _) => format!("--{plain}={text}"),
            (Value::Object(map), _) if map.keys().all(|key| key.parse::<u32>().is_ok()) => {
                let all: Vec<String> = map.values().map(Value::to_string).collect();
                format!("--{plain}={}", all.join(","))
            }
            (other, _) => format!("--{plain}={other}"),
        };
        flags.push(Word { path, text });
    }
    flags
}

/// Workers of TensorRT-LLM, whose section has the keys of its file of options.
fn tensorrt(r: &mut Reader<'_>, section: &str, model: Option<Word>, around: &Around) -> Sizes {
    trtllm::read::command(r, &command(model.into_iter().collect()), around);
    options(r, section, &around.of);
    r.without_counterpart_of_rest(section, NO_OPTION);
    let mut size = |key: &str| r.get(&format!("{section}.{key}")).and_then(Value::as_u64).unwrap_or(1).max(1);
    Sizes { tp: size("tensor_parallel_size"), pp: size("pipeline_parallel_size"), dp: 1 }
}

/// A number of workers.
fn number(r: &mut Reader<'_>, path: &str) -> Option<u64> {
    let value = r.get(path).filter(|value| !value.is_null())?;
    let most = u64::from(limits::REPLICAS);
    let found = value.as_u64().filter(|n| *n <= most);
    if found.is_none() {
        let (found, allowed) = (value.to_string(), format!("a whole number, 0 to {most}"));
        r.problems.push(Diagnostic::error(path, found, allowed, "write the number of workers"));
    }
    found
}

/// The replicas of the pool: workers × ranks of each.
fn replicas(r: &mut Reader<'_>, kind: &Workers, servers: u64, sizes: Sizes, of: &PoolOf) {
    let path = format!("{RESOURCES}.{}_workers", kind.resources);
    let all = servers.saturating_mul(sizes.dp).min(limits::REPLICAS.into());
    if r.get(&path).is_none_or(Value::is_null) {
        r.set_pool_usual(of, "replicas", json!(all), 1);
    } else if !r.problems.iter().any(|problem| problem.path == path) {
        if sizes.dp > 1 {
            r.near(
                &path,
                &format!("replicas {all}"),
                &format!("{} ranks of a worker are replicas", sizes.dp),
            );
        } else {
            r.note(&path, &format!("replicas {all}"));
        }
        r.set_pool(&path, of, "replicas", json!(all));
    }
}

/// Variables of the workers that say tiers of KV.
fn variables(r: &mut Reader<'_>, section: &str) -> Vec<Word> {
    let map = r.get(section).and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let all: Vec<Word> = map
        .map(|(name, value)| Word {
            path: format!("{section}.{name}"),
            text: format!("{name}={}", text(value)),
        })
        .filter(|word| is_setting(&word.text))
        .collect();
    for word in &all {
        r.get(&word.path);
    }
    all
}

/// The frontend as a router, by its kind and arguments.
fn frontend(r: &mut Reader<'_>) {
    let kind_at = "frontend.type";
    let program = match r.get(kind_at).and_then(Value::as_str) {
        Some("dynamo") => &dynamo::read::PROGRAM,
        Some("sglang" | "smg") => &smg::read::PROGRAM,
        Some("vllm-router") => &vllm_router::read::PROGRAM,
        _ => {
            r.without_counterpart("frontend", "a frontend without a router that is read");
            return;
        }
    };
    r.shape(kind_at, "the program of the router");
    let words = flags_of(r, "frontend.args", None);
    (program.read_words)(r, &words);
    r.without_counterpart_of_rest("frontend", "there is one router here, wherever it runs");
}
