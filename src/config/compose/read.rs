//! Import of the services of a docker-compose file: one that runs an engine is a pool, one that runs a router is the router.
//!
//! Source: the Compose specification. A command is a text or a list; variables may have values of their own (`${NAME:-default}`).

use crate::command::flags::Word;
use crate::command::shell::{EngineCommand, engine_command, is_engine_image};
use crate::command::shell_words::split;
use crate::command::variables::Variables;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::server_identity::ServerIdentity;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::{is_object, no_engine};
use crate::kubernetes::pods::{engine_of, gpus_of};
use crate::routers::container::router_of_words;
use crate::vllm::read::{Around, Sizes, is_setting};
use base::import::Import;
use serde_json::Value;

/// A file of services.
pub(crate) struct DockerCompose;

const SERVICES: &str = "services";

impl Import<Configuration> for DockerCompose {
    fn name(&self) -> &'static str {
        "docker-compose"
    }

    fn title(&self) -> &'static str {
        "services of docker-compose"
    }

    fn recognises(&self, source: &Value) -> bool {
        let services = source.get(SERVICES).and_then(Value::as_object);
        let is_service =
            |service: &Value| ["image", "command", "build"].iter().any(|key| service.get(*key).is_some());
        !is_object(source) && services.is_some_and(|all| !all.is_empty() && all.values().all(is_service))
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let all = r.get(SERVICES).and_then(Value::as_object).into_iter().flat_map(|map| map.keys().cloned());
        let names: Vec<String> = all.collect();
        let mut read = 0;
        for name in &names {
            read += usize::from(service(&mut r, name));
        }
        if read == 0 {
            no_engine(&mut r, &[SERVICES]);
        }
        for key in ["version", "name"] {
            r.shape(key, "the kind of the document");
        }
        r.without_counterpart_of_rest("", "it says where services run, not what they serve");
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// Reads a service; returns whether it is an engine or a router.
fn service(r: &mut Reader<'_>, name: &str) -> bool {
    let path = format!("{SERVICES}.{name}");
    let (variables, settings) = environment(r, &format!("{path}.environment"));
    let mut words = words(r, &format!("{path}.entrypoint"), &variables);
    words.extend(self::words(r, &format!("{path}.command"), &variables));
    if router_of_words(r, &words) {
        r.shape(&format!("{path}.image"), "the image of the router");
        r.without_counterpart_of_rest(&path, "the flags say what the router does");
        return true;
    }
    let image = format!("{path}.image");
    let of_image =
        r.get(&image).and_then(Value::as_str).is_some_and(|text| is_engine_image(&variables.put_into(text)));
    let alone = || of_image.then(|| EngineCommand { flags: words.clone(), ..EngineCommand::default() });
    let Some(found) = engine_command(&words).or_else(alone) else {
        r.without_counterpart(&path, "a service that runs no engine that is read");
        return false;
    };
    let replicas = ["deploy.replicas", "scale"].map(|key| format!("{path}.{key}"));
    let replicas = replicas.into_iter().find(|at| r.get(at).is_some());
    let replicas = replicas.unwrap_or_else(|| format!("{path}.deploy.replicas"));
    r.servers.push(ServerIdentity {
        of: PoolOf::defined(name),
        host: Some(name.to_owned()),
        ..ServerIdentity::default()
    });
    let around = Around { of: PoolOf::defined(name), whole: true, settings, ..Around::default() };
    let sizes = engine_of(r, &image, &found, &replicas, around);
    gpus(r, &path, sizes);
    r.without_counterpart_of_rest(&path, "it does not change what the service serves");
    true
}

/// The words of a command: a list, or a text that a shell would split.
fn words(r: &mut Reader<'_>, path: &str, variables: &Variables) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    let parts = |at: &str, text: &str| -> Vec<Word> {
        let words = split(text).into_iter().filter(|word| word != ";").enumerate();
        let own =
            words.flat_map(|(i, word)| variables.words(&word, false).into_iter().map(move |text| (i, text)));
        own.map(|(i, text)| Word { path: format!("{at}.{i}"), text }).collect()
    };
    match r.get(path) {
        Some(Value::String(text)) => all.extend(parts(path, text)),
        Some(Value::Object(list)) => {
            for i in 0..list.len() {
                let at = format!("{path}.{i}");
                match r.get(&at) {
                    Some(Value::String(text)) if is_script(&all, text) => all.extend(parts(&at, text)),
                    Some(Value::String(text)) => {
                        let own = variables.words(text, true).into_iter();
                        all.extend(own.map(|text| Word { path: at.clone(), text }));
                    }
                    Some(other) => all.push(Word { path: at.clone(), text: other.to_string() }),
                    None => {}
                }
            }
        }
        _ => {}
    }
    all
}

/// Whether a word of a list is what a shell is given after `-c`.
fn is_script(before: &[Word], text: &str) -> bool {
    text.contains(char::is_whitespace)
        && before.last().is_some_and(|last| last.text.starts_with('-') && last.text.ends_with('c'))
}

/// The variables of a service, as a map or a list, and those of them that say tiers of KV.
fn environment(r: &mut Reader<'_>, path: &str) -> (Variables, Vec<Word>) {
    let mut all = Vec::new();
    let mut settings = Vec::new();
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let entries: Vec<(String, Option<String>)> = match r.get(path).and_then(Value::as_object) {
        Some(map) => map.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        None => Vec::new(),
    };
    for (key, value) in entries {
        let Some(value) = value else { continue };
        let is_list = key.parse::<usize>().is_ok();
        let (name, text) = if is_list {
            let Some((name, text)) = value.split_once('=') else { continue };
            (name.to_owned(), text.to_owned())
        } else {
            (key.clone(), value)
        };
        let whole = format!("{name}={text}");
        if is_setting(&whole) {
            let at = format!("{path}.{key}");
            r.get(&at);
            settings.push(Word { path: at, text: whole });
        }
        all.push((name, text));
    }
    (Variables::of(all), settings)
}

/// The GPUs that a service reserves, beside those that the flags use.
fn gpus(r: &mut Reader<'_>, path: &str, sizes: Sizes) {
    let devices = format!("{path}.deploy.resources.reservations.devices");
    for i in 0..r.entries(&devices) {
        let count = format!("{devices}.{i}.count");
        if r.get(&count).is_some_and(|value| value == "all") {
            r.without_counterpart(&count, "all GPUs of a machine: the flags say how many are used");
        } else {
            gpus_of(r, &count, 1, sizes.tp * sizes.pp * sizes.dp, sizes);
        }
    }
}
