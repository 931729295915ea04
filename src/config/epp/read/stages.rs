//! Profiles of prefill and decode in llm-d's router: the handler that splits requests, and its decider.

use crate::capability::Capability::ImageEncoders;
use crate::import::configuration::reader::Reader;
use base::Diagnostic;
use serde_json::{Value, json};

/// A plugin: where it stands, its type and its name.
pub(crate) struct Plugin<'a> {
    pub(crate) at: String,
    pub(crate) kind: &'a str,
    pub(crate) name: &'a str,
}

/// The plugins that a profile refers to, with the paths of their weights and these.
pub(crate) type Used<'p, 'a> = Vec<(&'p Plugin<'a>, String, f64)>;

/// The two stages of a request: the names of their profiles, and who decides.
pub(crate) struct Stages {
    pub(crate) decode: String,
    pub(crate) prefill: String,
    /// A value of `cluster.disaggregation.decider`.
    pub(crate) decider: Value,
}

const HANDLER: &str = "disagg-profile-handler";
const FORMER_HANDLER: &str = "pd-profile-handler";
const ALWAYS: &str = "always-disagg-pd-decider";
const BY_PREFIX: &str = "prefix-based-pd-decider";

const DECIDER: &str = "cluster.disaggregation.decider";

/// The stages, if a plugin splits requests. Plugins about stages are reported here; their types are returned.
pub(crate) fn stages(r: &mut Reader<'_>, plugins: &[Plugin<'_>]) -> (Option<Stages>, Vec<&'static str>) {
    let Some(handler) = plugins.iter().find(|p| p.kind == HANDLER || p.kind == FORMER_HANDLER) else {
        return (None, Vec::new());
    };
    let mut known = vec![HANDLER, FORMER_HANDLER];
    let becomes = "cluster.routing chooses the home of a request, cluster.disaggregation.prefill_routing its prefill replica";
    r.note(&format!("{}.type", handler.at), becomes);
    let at = format!("{}.parameters", handler.at);
    let decode =
        named(r, &at, ["profiles.decode", "decodeProfile"], "decode", "the profile that chooses the home");
    let prefill = named(
        r,
        &at,
        ["profiles.prefill", "prefillProfile"],
        "prefill",
        "the profile that chooses the prefill replica",
    );
    for key in ["profiles.encode", "deciders.encode", "encodeProfile", "encodeDeciderPluginName"] {
        r.without_counterpart(&format!("{at}.{key}"), ImageEncoders.sentence());
    }
    for key in ["primaryPort", "prefixPluginName", "prefixPluginType", "hashBlockSize", "threshold"] {
        r.without_counterpart(&format!("{at}.{key}"), "the decider has the threshold, and counts tokens");
    }
    let order = format!("{at}.stageOrder");
    match r.word(&order) {
        Some("prefill-first") => {
            let why = "the home is chosen first here, so that the decider can look at its cache";
            r.without_counterpart(&order, why);
        }
        _ => r.note(&order, "the home is chosen first, as here"),
    }
    let decider = decider(r, &at, handler, plugins);
    for plugin in plugins {
        let becomes = match plugin.kind {
            "prefill-filter" => "the pools with the role prefill",
            "decode-filter" => "the pools with the roles decode and mixed",
            "disagg-headers-handler" | "prefill-header-handler" => {
                "the header that names the prefill replica to the decode replica"
            }
            _ => continue,
        };
        r.note(&format!("{}.type", plugin.at), becomes);
        r.without_counterpart(&format!("{}.parameters", plugin.at), "the handler names the profiles");
    }
    known.extend(["prefill-filter", "decode-filter", "disagg-headers-handler", "prefill-header-handler"]);
    known.extend([ALWAYS, BY_PREFIX]);
    (Some(Stages { decode, prefill, decider }), known)
}

/// A name that has a current and a former key.
fn named(r: &mut Reader<'_>, at: &str, keys: [&str; 2], usual: &str, becomes: &str) -> String {
    let mut name = usual.to_owned();
    for key in keys {
        let path = format!("{at}.{key}");
        if let Some(word) = r.word(&path) {
            r.note(&path, becomes);
            word.clone_into(&mut name);
        }
    }
    name
}

/// The decider that a handler names.
fn decider(r: &mut Reader<'_>, at: &str, handler: &Plugin<'_>, plugins: &[Plugin<'_>]) -> Value {
    let keys = ["deciders.prefill", "prefillDeciderPluginName", "deciderPluginName"];
    let mut named = None;
    for path in keys.map(|key| format!("{at}.{key}")) {
        if let Some(name) = r.word(&path) {
            named = Some((path, name));
        }
    }
    let chosen = named.as_ref().and_then(|(_, name)| plugins.iter().find(|p| p.name == *name));
    let mut decision = json!(if handler.kind == FORMER_HANDLER { "always" } else { "never" });
    for plugin in plugins.iter().filter(|p| p.kind == ALWAYS || p.kind == BY_PREFIX) {
        let type_at = format!("{}.type", plugin.at);
        if chosen.is_none_or(|chosen| chosen.at != plugin.at) {
            r.without_counterpart(&type_at, "the handler does not name this decider");
            r.without_counterpart(
                &format!("{}.parameters", plugin.at),
                "the handler does not name this decider",
            );
        } else if plugin.kind == ALWAYS {
            r.note(&type_at, &format!("{DECIDER} = always"));
            decision = json!("always");
        } else {
            decision = by_prefix(r, plugin);
        }
    }
    match (named, chosen) {
        (Some((path, name)), None) => {
            let names: Vec<&str> = plugins.iter().map(|p| p.name).collect();
            r.unknown_name(&path, name, &names);
        }
        (Some((path, _)), Some(plugin)) if plugin.kind != ALWAYS && plugin.kind != BY_PREFIX => {
            let found = format!("a plugin of type {}", plugin.kind);
            let fix = "name one of these";
            r.problems.push(Diagnostic::error(path, found, format!("{ALWAYS} or {BY_PREFIX}"), fix));
        }
        (Some((path, _)), Some(plugin)) => r.note(&path, &format!("the decider of type {}", plugin.kind)),
        (None, _) => {}
    }
    decision
}

/// llm-d's threshold: 0 switches the stage off.
fn by_prefix(r: &mut Reader<'_>, plugin: &Plugin<'_>) -> Value {
    let path = format!("{}.parameters.nonCachedTokens", plugin.at);
    let zero = r.get(&path).is_none_or(|n| n == 0);
    let kind = if zero { "never" } else { "threshold" };
    r.note(&format!("{}.type", plugin.at), &format!("{DECIDER} = {kind}"));
    let becomes =
        if zero { "0 switches prefill replicas off" } else { "uncached_tokens of the decider threshold" };
    let tokens = r.whole(&path, becomes);
    if zero { json!("never") } else { json!({ "threshold": { "uncached_tokens": tokens } }) }
}
