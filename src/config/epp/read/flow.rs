//! Flow control and admission of llm-d's router: saturation detectors, bands of priority, policies of fairness and order,
//! the probabilistic admitter. Without the gate `flowControl` a saturated router refuses requests of negative priority.

use crate::epp::map::{CONCURRENCY, Parameter, SERVICE, UTILIZATION, former_service};
use crate::epp::read::plugins::SHEDS;
use crate::epp::read::stages::Plugin;
use crate::import::configuration::reader::Reader;
use base::Diagnostic;
use document::limits;
use serde_json::{Value, json};

const FIELD: &str = "cluster.flow_control";
const ADMISSION: &str = "cluster.admission";

/// Bytes of text in a token.
const BYTES_PER_TOKEN: f64 = 4.0;

/// Reads flow control, admission and the plugins that belong to them.
pub(crate) fn flow(r: &mut Reader<'_>, plugins: &[Plugin<'_>], used: &dyn Fn(&str) -> bool) {
    let gate = gate(r);
    let section = r.get("flowControl").is_some_and(Value::is_object);
    let admitter = plugins.iter().find(|p| p.kind == "probabilistic-admitter");
    let named_at = detector_ref(r);
    if let (None, Some(_), Some(at)) = (&gate, admitter, &named_at) {
        let why = "the feature gate flowControl is off, and the admitter has thresholds of its own";
        r.without_counterpart(at, why);
    } else {
        let becomes = if gate.is_some() {
            format!("{FIELD}.detector")
        } else {
            format!("{ADMISSION} = shed: requests of negative priority are refused while saturated")
        };
        let found = detector(r, plugins, named_at.as_deref(), &becomes, used);
        if let Some(gate) = &gate {
            let detector = found.map(|(_, detector)| detector);
            let flow = if section { flow_control(r, plugins, detector) } else { plain(detector) };
            r.set(gate, FIELD, flow);
        } else if let Some((at, detector)) = found {
            r.set(&at, ADMISSION, json!({ "shed": { "detector": detector, "rule": "saturated" } }));
        }
    }
    if gate.is_none() && section {
        r.without_counterpart_of_rest("flowControl", "the feature gate flowControl is off");
    }
    if let Some(plugin) = admitter {
        probabilistic(r, plugin);
    }
    rest(r, plugins, used);
}

/// The key that switches flow control on.
fn gate(r: &mut Reader<'_>) -> Option<String> {
    let mut found = None;
    let gates = r.get("featureGates").and_then(Value::as_object);
    for (key, value) in gates.into_iter().flatten() {
        let path = format!("featureGates.{key}");
        let name = value.as_str().unwrap_or(key);
        if name == "flowControl" && *value != Value::Bool(false) {
            r.note(&path, FIELD);
            found = Some(path);
        } else if name == "flowControl" {
            r.note(&path, "no flow control, as without cluster.flow_control");
        } else {
            r.without_counterpart(&path, "this feature of the program has no effect on a simulation");
        }
    }
    found
}

/// Where the detector is named.
fn detector_ref(r: &mut Reader<'_>) -> Option<String> {
    ["flowControl.saturationDetector.pluginRef", "saturationDetector.pluginRef"]
        .into_iter()
        .find(|path| r.get(path).is_some())
        .map(str::to_owned)
}

fn plain(detector: Option<Value>) -> Value {
    detector.map_or_else(|| json!({}), |detector| json!({ "detector": detector }))
}

/// The detector that is named, or the only one that no profile uses as a filter, and the key that says it.
fn detector(
    r: &mut Reader<'_>,
    plugins: &[Plugin<'_>],
    named_at: Option<&str>,
    becomes: &str,
    used: &dyn Fn(&str) -> bool,
) -> Option<(String, Value)> {
    const TYPES: [&str; 2] = ["utilization-detector", "concurrency-detector"];
    former(r);
    let Some(at) = named_at else {
        let only = plugins.iter().find(|p| TYPES.contains(&p.kind) && !used(&p.at))?;
        return Some((format!("{}.type", only.at), of_plugin(r, only)));
    };
    let name = r.word(at)?;
    let Some(plugin) = plugins.iter().find(|p| p.name == name) else {
        if name == TYPES[0] {
            r.note(at, &format!("{becomes}, with its defaults"));
            return Some((at.to_owned(), json!({ "utilization": {} })));
        }
        let names: Vec<&str> = plugins.iter().map(|p| p.name).collect();
        r.unknown_name(at, name, &names);
        return None;
    };
    if TYPES.contains(&plugin.kind) {
        r.note(at, becomes);
        return Some((at.to_owned(), of_plugin(r, plugin)));
    }
    r.near(at, &format!("{FIELD}.detector = never"), "this plugin says nothing of saturation here");
    Some((at.to_owned(), json!("never")))
}

fn of_plugin(r: &mut Reader<'_>, plugin: &Plugin<'_>) -> Value {
    if plugin.kind == "concurrency-detector" { concurrency(r, plugin) } else { utilization(r, plugin) }
}

/// Thresholds beside the plugins, as in the first releases.
fn former(r: &mut Reader<'_>) {
    for key in ["queueDepthThreshold", "kvCacheUtilThreshold", "metricsStalenessThreshold"] {
        let why = "write it as the parameters of a utilization-detector";
        r.without_counterpart(&format!("saturationDetector.{key}"), why);
    }
}

/// A number cut to a range; the row says so.
fn within(r: &mut Reader<'_>, path: &str, becomes: &str, range: [f64; 2]) -> Option<f64> {
    let x = r.silent_quantity(path)?;
    let cut = x.clamp(range[0], range[1]);
    if cut.total_cmp(&x).is_eq() {
        r.note(path, becomes);
    } else {
        r.near(path, becomes, &format!("{cut}, as far as it goes here"));
    }
    Some(cut)
}

fn utilization(r: &mut Reader<'_>, plugin: &Plugin<'_>) -> Value {
    let at = &plugin.at;
    r.note(&format!("{at}.type"), "the detector utilization");
    let mut fields = json!({});
    for (Parameter { theirs, field, .. }, most) in UTILIZATION.iter().zip([limits::FLOW_THRESHOLD, 1.0]) {
        let becomes = format!("{field} of the detector utilization");
        let range = [limits::FLOW_THRESHOLD_MIN, most];
        if let Some(x) = within(r, &format!("{at}.parameters.{theirs}"), &becomes, range) {
            fields[field] = json!(x);
        }
    }
    let stale = format!("{at}.parameters.metricsStalenessThreshold");
    if let Some(s) = r.duration(&stale, "stale_us of the detector utilization") {
        fields["stale_us"] = json!((s * 1e6).round().clamp(1.0, 1e15) as u64);
    }
    r.without_counterpart(&format!("{at}.parameters.headroom"), "it counts where the plugin is a filter");
    json!({ "utilization": fields })
}

fn concurrency(r: &mut Reader<'_>, plugin: &Plugin<'_>) -> Value {
    let at = &plugin.at;
    r.note(&format!("{at}.type"), "the detector concurrency");
    let mut fields = json!({});
    for key in ["mode", "concurrencyMode"] {
        let path = format!("{at}.parameters.{key}");
        match r.word(&path) {
            Some(mode @ ("requests" | "tokens" | "hybrid")) => {
                r.note(&path, "mode of the detector concurrency");
                fields["mode"] = json!(mode);
            }
            Some(other) => r.unknown_name(&path, other, &["requests", "tokens", "hybrid"]),
            None => {}
        }
    }
    for Parameter { theirs, field, .. } in &CONCURRENCY {
        let becomes = format!("{field} of the detector concurrency");
        if let Some(n) = r.whole(&format!("{at}.parameters.{theirs}"), &becomes) {
            fields[field] = json!(n);
        }
    }
    r.without_counterpart(&format!("{at}.parameters.headroom"), "it counts where the plugin is a filter");
    json!({ "concurrency": fields })
}

fn flow_control(r: &mut Reader<'_>, plugins: &[Plugin<'_>], detector: Option<Value>) -> Value {
    let mut flow = plain(detector);
    let at = "flowControl";
    limits_of(r, at, FIELD, &mut flow);
    let ttl = r.duration(&format!("{at}.defaultRequestTTL"), &format!("{FIELD}.ttl_s"));
    let without = r.duration(&format!("{at}.noEndpointRequestTTL"), &format!("{FIELD}.no_replica_ttl_s"));
    if let Some(s) = ttl {
        flow["ttl_s"] = json!(s);
    }
    // It follows the other where it is left out.
    if let Some(s) = without.or(ttl) {
        flow["no_replica_ttl_s"] = json!(s);
    }
    if let Some(on) = r.flag(&format!("{at}.enableEviction"), &format!("{FIELD}.eviction")) {
        flow["eviction"] = json!(on);
    }
    let usage = format!("{at}.usageLimitPolicyPluginRef");
    if let Some(name) = r.word(&usage)
        && let Some(ceilings) = ceilings(r, plugins, &usage, name)
    {
        flow["ceilings"] = ceilings;
    }
    policies(r, plugins, &format!("{at}.defaultPriorityBand"), FIELD, &mut flow);
    let why = "limits are those of single bands, under priorityBands, or of all bands together";
    for section in ["defaultPriorityBand", "defaultNegativePriorityBand"] {
        r.without_counterpart_of_rest(&format!("{at}.{section}"), why);
    }
    let mut bands = Vec::new();
    for i in 0..r.entries(&format!("{at}.priorityBands")) {
        let band_at = format!("{at}.priorityBands.{i}");
        let becomes = format!("{FIELD}.bands[{i}]");
        let mut band = json!({});
        if let Some(n) = r.score(&format!("{band_at}.priority"), &format!("{becomes}.priority")) {
            band["priority"] = json!(n);
        } else {
            let fix = "give the priority of its requests";
            let allowed = "a whole number";
            r.problems.push(Diagnostic::error(format!("{band_at}.priority"), "nothing", allowed, fix));
        }
        r.without_counterpart(&format!("{band_at}.priorityName"), "a band is known by its priority");
        limits_of(r, &band_at, &becomes, &mut band);
        // A band without policies of its own has the general ones.
        for key in ["fairness", "ordering"] {
            if let Some(general) = flow.get(key) {
                band[key] = general.clone();
            }
        }
        policies(r, plugins, &band_at, &becomes, &mut band);
        bands.push(band);
    }
    if !bands.is_empty() {
        flow["bands"] = Value::Array(bands);
    }
    flow
}

/// The limits of all bands or of one.
fn limits_of(r: &mut Reader<'_>, at: &str, into: &str, fields: &mut Value) {
    if let Some(n) = r.whole(&format!("{at}.maxRequests"), &format!("{into}.max_requests")) {
        fields["max_requests"] = json!(n);
    }
    let bytes = format!("{at}.maxBytes");
    if let Some(x) = r.silent_quantity(&bytes) {
        let tokens = (x / BYTES_PER_TOKEN).round().clamp(0.0, limits::FLOW_TOKENS as f64) as u64;
        r.near(&bytes, &format!("{into}.max_prompt_tokens = {tokens}"), "four bytes of text to a token");
        fields["max_prompt_tokens"] = json!(tokens);
    }
}

/// The policies of fairness and order of all bands or of one.
fn policies(r: &mut Reader<'_>, plugins: &[Plugin<'_>], at: &str, into: &str, fields: &mut Value) {
    let by_name = |name: &str| {
        plugins.iter().find(|p| p.name == name).map_or_else(|| name.to_owned(), |p| p.kind.to_owned())
    };
    let fair_at = format!("{at}.fairnessPolicyRef");
    if let Some(name) = r.word(&fair_at) {
        let kind = by_name(name);
        let fairness = if kind.contains("round-robin") {
            Some(json!("round-robin"))
        } else if kind.contains("global-strict") {
            Some(json!("global-strict"))
        } else if kind.contains("program-aware") {
            Some(
                json!({ "program-aware": plugins.iter().find(|p| p.name == name).map_or_else(|| json!({}), |p| service(r, p)) }),
            )
        } else {
            None
        };
        match fairness {
            Some(fairness) => {
                r.note(&fair_at, &format!("{into}.fairness"));
                fields["fairness"] = fairness;
            }
            None => r.without_counterpart(&fair_at, "this policy of fairness is not simulated"),
        }
    }
    let order_at = format!("{at}.orderingPolicyRef");
    if let Some(name) = r.word(&order_at) {
        let kind = by_name(name);
        let known = [("slo-deadline", "slo-deadline"), ("edf", "edf"), ("fcfs", "fcfs")];
        match known.iter().find(|(part, _)| kind.contains(part)) {
            Some((_, ordering)) => {
                r.note(&order_at, &format!("{into}.ordering"));
                fields["ordering"] = json!(ordering);
            }
            None => r.without_counterpart(&order_at, "this order is not simulated"),
        }
    }
}

/// The settings of program-aware fairness.
fn service(r: &mut Reader<'_>, plugin: &Plugin<'_>) -> Value {
    let mut fields = json!({});
    for parameter in &SERVICE {
        for key in former_service(parameter.theirs).into_iter().chain([parameter.theirs]) {
            let path = format!("{}.parameters.{key}", plugin.at);
            let becomes = format!("{} of the fairness program-aware", parameter.field);
            if let Some(x) = r.number(&path, &becomes) {
                fields[parameter.field] = json!(x);
            }
        }
    }
    fields
}

/// The ceilings of the bands.
fn ceilings(r: &mut Reader<'_>, plugins: &[Plugin<'_>], at: &str, name: &str) -> Option<Value> {
    let plugin = plugins.iter().find(|p| p.name == name);
    let kind = plugin.map_or(name, |p| p.kind);
    let parameters = plugin.map(|p| format!("{}.parameters", p.at)).unwrap_or_default();
    let becomes = format!("{FIELD}.ceilings");
    let mut fields = json!({});
    let mut number = |r: &mut Reader<'_>, keys: &[&str], field: &str| {
        for key in keys {
            if let Some(x) = r.number(&format!("{parameters}.{key}"), &format!("{becomes}: {field}")) {
                fields[field] = json!(x);
            }
        }
    };
    if kind.contains("holdback") {
        number(r, &["maxCeiling"], "max");
        number(r, &["minCeiling"], "min");
        for key in ["domain", "mode"] {
            let path = format!("{parameters}.{key}");
            if let Some(by @ ("rank" | "value")) = r.word(&path) {
                r.note(&path, &format!("{becomes}: by"));
                fields["by"] = json!(by);
            }
        }
        r.note(at, &becomes);
        return Some(json!({ "priority-holdback": fields }));
    }
    if kind.contains("reflective") {
        r.note(at, &becomes);
        return Some(json!("soft-reflective"));
    }
    if kind.contains("static") {
        number(r, &["ceiling", "threshold", "limit"], "ceiling");
        r.note(at, &becomes);
        return Some(json!({ "static": fields }));
    }
    r.without_counterpart(at, "this policy of ceilings is not simulated");
    None
}

/// The admitter that refuses requests of negative priority with a probability.
fn probabilistic(r: &mut Reader<'_>, plugin: &Plugin<'_>) {
    let at = &plugin.at;
    let type_at = format!("{at}.type");
    r.note(&type_at, &format!("{ADMISSION} = shed, with the rule probabilistic"));
    let mut rule = json!({});
    for (key, field) in
        [("k", "factor"), ("factor", "factor"), ("power", "exponent"), ("exponent", "exponent")]
    {
        let path = format!("{at}.parameters.{key}");
        if let Some(x) = r.number(&path, &format!("{ADMISSION}.shed.rule.probabilistic.{field}")) {
            rule[field] = json!(x);
        }
    }
    let mut detector = json!({});
    for Parameter { theirs, field, .. } in &UTILIZATION {
        let path = format!("{at}.parameters.{theirs}");
        if let Some(x) = r.number(&path, &format!("{ADMISSION}.shed.detector.utilization.{field}")) {
            detector[field] = json!(x);
        }
    }
    let shed = json!({ "detector": { "utilization": detector }, "rule": { "probabilistic": rule } });
    r.set(&type_at, ADMISSION, json!({ "shed": shed }));
}

/// Plugins of flow control that nothing names.
fn rest(r: &mut Reader<'_>, plugins: &[Plugin<'_>], used: &dyn Fn(&str) -> bool) {
    for plugin in plugins.iter().filter(|p| crate::epp::read::plugins::is_of_flow(p.kind)) {
        let type_at = format!("{}.type", plugin.at);
        let parameters = format!("{}.parameters", plugin.at);
        let is_said = r.mappings.iter().any(|m| m.key == type_at);
        if !is_said && plugin.kind == SHEDS {
            r.note(&type_at, "shed of the filter slo-headroom, where the profile has that filter");
        } else if !is_said && !used(&plugin.at) {
            let is_named =
                ["fairnessPolicyRef", "orderingPolicyRef", "usageLimitPolicyPluginRef"].iter().any(|key| {
                    r.mappings
                        .iter()
                        .any(|m| m.key.ends_with(key) && m.found.trim_matches('"') == plugin.name)
                });
            if is_named {
                r.note(&type_at, "the policy that flowControl names");
            } else {
                r.without_counterpart(&type_at, "nothing names this plugin");
            }
        }
        if !used(&plugin.at) {
            let why = "nothing here reads this parameter";
            r.without_counterpart_of_rest(&parameters, why);
        }
    }
}
