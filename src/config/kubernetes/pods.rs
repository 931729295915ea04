//! The pods of a deployment as a pool: the container of an engine with its command, GPUs, labels and selectors.

use crate::command::flags::{Word, words_at};
use crate::command::shell::{EngineCommand, EngineKind, engine_command, expanded, is_engine_image};
use crate::command::variables::Variables;
use crate::import::configuration::Reader;
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::quantities::count_of;
use crate::import::configuration::server_identity::{ServerIdentity, labels_of};
use crate::import::configuration::sets::PoolOf;
use crate::vllm::command::image_tag;
use crate::vllm::read::{Around, Sizes, gpu, is_setting};
use crate::{sglang, trtllm, vllm};
use base::Diagnostic;
use document::limits;
use serde_json::{Value, json};

/// Labels of GPUs.
const GPU_LABELS: [&str; 4] = [
    "nvidia.com/gpu.product",
    "cloud.google.com/gke-accelerator",
    "amd.com/gpu.product-name",
    "gpu.nvidia.com/model",
];

/// Labels of roles.
const ROLE_LABELS: [&str; 3] =
    ["llm-d.ai/role", "llm-d.ai/inference-role", "nvidia.com/dynamo-sub-component-type"];

/// Resources that are GPUs.
const GPU_RESOURCES: [&str; 3] = ["nvidia.com/gpu", "amd.com/gpu", "gpu"];

/// The pods of an object.
pub(crate) struct Pods<'p> {
    /// The name of the pool.
    pub(crate) name: &'p str,
    /// The path of the number of servers; an absent one is 1.
    pub(crate) replicas: &'p str,
    /// Pods of a server.
    pub(crate) nodes: u64,
    /// The role that the object gives them.
    pub(crate) role: Option<&'static str>,
    /// Flags that the object gives by keys of its own.
    pub(crate) extra: Vec<Word>,
}

/// Reads the template of pods at a path. Returns whether a container of it is an engine.
pub(crate) fn pods(r: &mut Reader<'_>, template: &str, pods: &Pods<'_>) -> bool {
    let Some(container) = engine_container(r, &format!("{template}.spec")) else { return false };
    let of = PoolOf::defined(pods.name);
    let labels = format!("{template}.metadata.labels");
    let role = role_of_labels(r, &labels, &of).or(pods.role);
    let spec = format!("{template}.spec");
    gpu_selectors(r, &spec, &of);
    let labels = labels_of(r.get(&labels));
    r.servers.push(ServerIdentity {
        of: of.clone(),
        labels,
        host: Some(pods.name.to_owned()),
        ..ServerIdentity::default()
    });
    container_of(r, &container, pods, &of, role, None);
    true
}

/// Reads the container of an engine at a path: its image, command, number of servers and GPUs.
pub(crate) fn container_of(
    r: &mut Reader<'_>,
    path: &str,
    pods: &Pods<'_>,
    of: &PoolOf,
    role: Option<&'static str>,
    resources: Option<&str>,
) {
    let mut found = command_of(r, path);
    found.flags.extend(pods.extra.iter().cloned());
    let settings = tier_variables(r, &format!("{path}.env"));
    let around = Around { of: of.clone(), whole: true, role, settings, ..Around::default() };
    let sizes = engine_of(r, &format!("{path}.image"), &found, pods.replicas, around);
    let own = format!("{path}.resources");
    gpus(r, resources.unwrap_or(&own), pods.nodes, sizes);
}

/// Reads the command of an engine in a container with an image; `replicas` is the path of the number of servers.
pub(crate) fn engine_of(
    r: &mut Reader<'_>,
    image: &str,
    found: &EngineCommand,
    replicas: &str,
    around: Around,
) -> Sizes {
    let text = r.get(image).and_then(Value::as_str).map(str::to_owned);
    match (text, found.kind) {
        (Some(text), EngineKind::Vllm) => image_tag(r, image, &text, &around.of),
        _ => r.shape(image, "the image of the server"),
    }
    let servers = servers(r, replicas);
    let around = Around { servers: Some(servers), ..around };
    let sizes = match found.kind {
        EngineKind::Vllm => vllm::command::command(r, found, &around),
        EngineKind::Sglang => sglang::read::command(r, found, &around),
        EngineKind::Trtllm => trtllm::read::command(r, found, &around),
    };
    replicas_of(r, replicas, servers, sizes, &around.of);
    sizes
}

/// The path of the container whose command or image is that of an engine.
pub(crate) fn engine_container(r: &mut Reader<'_>, spec: &str) -> Option<String> {
    let all = format!("{spec}.containers");
    let count = r.entries(&all);
    let paths: Vec<String> = (0..count).map(|i| format!("{all}.{i}")).collect();
    let by_command = paths.iter().find(|path| engine_command(&words(r, path)).is_some());
    let is_image = |r: &mut Reader<'_>, path: &String| {
        let image = r.get(&format!("{path}.image")).and_then(Value::as_str);
        image.is_some_and(is_engine_image)
    };
    let found = match by_command {
        Some(path) => path.clone(),
        None => paths.iter().find(|path| is_image(r, path))?.clone(),
    };
    for path in paths.iter().filter(|path| **path != found) {
        r.without_counterpart(path, "a container beside the engine");
    }
    Some(found)
}

/// The words of a container: its command, and its arguments, with its variables in their places.
pub(crate) fn words(r: &mut Reader<'_>, path: &str) -> Vec<Word> {
    let mut all = words_at(r, &format!("{path}.command"));
    all.extend(words_at(r, &format!("{path}.args")));
    let variables = variables(r, &format!("{path}.env"));
    expanded(all, &variables)
}

/// The values of a container's variables.
fn variables(r: &mut Reader<'_>, path: &str) -> Variables {
    let mut all = Vec::new();
    for i in 0..r.entries(path) {
        let name = r.get(&format!("{path}.{i}.name")).and_then(Value::as_str).map(str::to_owned);
        let value = match r.get(&format!("{path}.{i}.value")) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) if other.is_number() || other.is_boolean() => Some(other.to_string()),
            _ => None,
        };
        all.extend(name.zip(value));
    }
    Variables::of(all)
}

/// The variables of a container that say tiers of KV, by the paths of their values.
pub(crate) fn tier_variables(r: &mut Reader<'_>, path: &str) -> Vec<Word> {
    let mut all = Vec::new();
    for i in 0..r.entries(path) {
        let name = r.get(&format!("{path}.{i}.name")).and_then(Value::as_str).unwrap_or_default();
        let at = format!("{path}.{i}.value");
        let text = match r.get(&at) {
            Some(Value::String(text)) => text.clone(),
            Some(other) if other.is_number() || other.is_boolean() => other.to_string(),
            _ => continue,
        };
        let text = format!("{name}={text}");
        if is_setting(&text) {
            all.push(Word { path: at, text });
        }
    }
    all
}

/// The command of a container; the arguments alone if its image starts the server.
fn command_of(r: &mut Reader<'_>, path: &str) -> EngineCommand {
    let all = words(r, path);
    if let Some(found) = engine_command(&all) {
        return found;
    }
    let command = format!("{path}.command");
    if words_at(r, &command).is_empty() {
        return EngineCommand { flags: all, ..EngineCommand::default() };
    }
    let fix = "write the flags of the engine after `vllm serve` there";
    let found = "a program that starts the engine by itself: its flags are not known";
    r.problems.push(Diagnostic::warning(command, found, "`vllm serve` with its flags", fix));
    EngineCommand { program: all, ..EngineCommand::default() }
}

/// A whole number, which a text may be.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| count_of(value.as_str()?))
}

/// Servers, as the object says; 1 by default.
fn servers(r: &mut Reader<'_>, path: &str) -> u64 {
    let most = u64::from(limits::REPLICAS);
    match r.get(path) {
        None | Some(Value::Null) => 1,
        Some(value) => {
            let found = whole(value).filter(|n| *n <= most);
            if found.is_none() {
                let allowed = format!("a whole number, 0 to {most}");
                let fix = "write the number of servers";
                r.problems.push(Diagnostic::error(
                    path,
                    crate::import::configuration::merge::shown(value),
                    allowed,
                    fix,
                ));
            }
            found.unwrap_or(1)
        }
    }
}

/// The replicas of the pool: servers × ranks of each.
fn replicas_of(r: &mut Reader<'_>, path: &str, servers: u64, sizes: Sizes, of: &PoolOf) {
    let all = (servers * sizes.dp).min(limits::REPLICAS.into());
    if r.get(path).is_none() {
        r.set_pool_usual(of, "replicas", json!(all), 1);
        return;
    }
    if sizes.dp > 1 {
        r.near(path, &format!("replicas {all}"), &format!("{} ranks of a server are replicas", sizes.dp));
    } else {
        r.note(path, &format!("replicas {all}"));
    }
    r.set_pool(path, of, "replicas", json!(all));
}

/// The GPUs of a pod: as many as the flags use, or a row that says what differs.
fn gpus(r: &mut Reader<'_>, resources: &str, nodes: u64, sizes: Sizes) {
    let used = sizes.tp * sizes.pp * sizes.dp;
    for resource in GPU_RESOURCES {
        for kind in ["limits", "requests"] {
            gpus_of(r, &format!("{resources}.{kind}.{resource}"), nodes, used, sizes);
        }
    }
}

/// The GPUs at a path, beside those that the flags use.
pub(crate) fn gpus_of(r: &mut Reader<'_>, at: &str, nodes: u64, used: u64, sizes: Sizes) {
    let Some(value) = r.get(at).cloned() else { return };
    let given = whole(&value);
    let Some(given) = given.and_then(|n: u64| n.checked_mul(nodes)) else {
        let fix = "write the number of GPUs of a pod";
        r.problems.push(Diagnostic::error(
            at,
            crate::import::configuration::merge::shown(&value),
            "a whole number",
            fix,
        ));
        return;
    };
    let product = if sizes.dp > 1 { "tp × pp × ranks" } else { "tp × pp" };
    if given == used {
        r.note(at, &format!("{product} {used}, agrees"));
    } else {
        let differs = format!("{given} GPUs for a server whose flags use {used}: the flags hold");
        r.near(at, &format!("{product} {used}"), &differs);
    }
}

/// The role in labels, as the role of the pool.
fn role_of_labels(r: &mut Reader<'_>, labels: &str, of: &PoolOf) -> Option<&'static str> {
    let mut role = None;
    for label in ROLE_LABELS {
        let path = format!("{labels}.{label}");
        let Some(said) = r.get(&path).and_then(Value::as_str).map(str::to_owned) else { continue };
        role = role.or(role_named(r, &path, &said, of));
    }
    r.set_aside(labels);
    role
}

/// A role by its name, with a row at a path.
pub(crate) fn role_named(r: &mut Reader<'_>, path: &str, said: &str, of: &PoolOf) -> Option<&'static str> {
    let role = match said {
        "prefill" => Some("prefill"),
        "decode" => Some("decode"),
        _ => None,
    };
    match (role, said) {
        (Some(role), _) => {
            r.note(path, &format!("role {role}"));
            r.set_pool(path, of, "role", json!(role));
        }
        (None, "both" | "prefill-decode" | "decode-prefill") => {
            r.note(path, "role mixed");
            r.set_pool(path, of, "role", json!("mixed"));
        }
        (None, _) => r.without_counterpart(path, "roles here are prefill, decode and mixed"),
    }
    role
}

/// GPUs that the pods select.
pub(crate) fn gpu_selectors(r: &mut Reader<'_>, spec: &str, of: &PoolOf) {
    for label in GPU_LABELS {
        let path = format!("{spec}.nodeSelector.{label}");
        gpu_of_text(r, &path, of);
    }
    let node = format!("{spec}.affinity.nodeAffinity");
    let required = format!("{node}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    let preferred = format!("{node}.preferredDuringSchedulingIgnoredDuringExecution");
    for i in 0..r.entries(&required) {
        expressions(r, &format!("{required}.{i}.matchExpressions"), of);
    }
    for i in 0..r.entries(&preferred) {
        expressions(r, &format!("{preferred}.{i}.preference.matchExpressions"), of);
    }
}

/// The GPU that a key names, if it is there.
pub(crate) fn gpu_of_text(r: &mut Reader<'_>, path: &str, of: &PoolOf) {
    if let Some(text) = r.get(path).and_then(Value::as_str).map(str::to_owned) {
        gpu(r, path, &text, of);
    }
}

/// GPUs in the expressions of a selector; of several that may serve, the first.
pub(crate) fn expressions(r: &mut Reader<'_>, path: &str, of: &PoolOf) {
    for i in 0..r.entries(path) {
        let key = r.get(&format!("{path}.{i}.key")).and_then(Value::as_str).unwrap_or_default();
        let operator = r.get(&format!("{path}.{i}.operator")).and_then(Value::as_str);
        if !GPU_LABELS.contains(&key) || operator != Some("In") {
            continue;
        }
        let values = format!("{path}.{i}.values");
        let count = r.entries(&values);
        for n in 0..count {
            let at = format!("{values}.{n}");
            let Some(text) = r.get(&at).and_then(Value::as_str).map(str::to_owned) else { continue };
            if n == 0 {
                gpu(r, &at, &text, of);
            } else {
                let becomes = "no counterpart: a pool has one GPU; the first of these holds".to_owned();
                let (key, standing) = (at, Standing::Ignored);
                r.mappings.push(Mapping { key, found: text, standing, becomes, ..Mapping::default() });
            }
        }
    }
}

/// Marks sections of an object as known: what no reader mentions there has no effect on a run.
pub(crate) fn rest(r: &mut Reader<'_>, known: &[&str]) {
    for path in known {
        r.set_aside(path);
    }
}

/// The name of an object.
pub(crate) fn name_of(r: &mut Reader<'_>) -> String {
    let found = match r.get("metadata.name") {
        Some(Value::String(name)) if !name.is_empty() => Some(name.clone()),
        Some(number) if number.is_number() => Some(number.to_string()),
        _ => None,
    };
    found.unwrap_or_else(|| "main".to_owned())
}
