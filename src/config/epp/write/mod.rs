//! Export of the router's configuration of llm-d and the Gateway API (`EndpointPickerConfig`). A weighted router is a
//! profile with its scorers, filters and picker; where pools have roles, the router of homes is the profile `decode`
//! and that of prefills the profile `prefill`.

mod flow;
mod memory;
mod scorers;
mod stages;
mod there;

use crate::export::{Language, Row, SystemExport, Written};
use crate::yaml::node::{YamlNode, documents, find};
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::{Changes, Items, Want, merge, new_file};
use document::{Role, RoutingPolicy, Scenario};
use there::There;

/// The router of llm-d.
pub(crate) const EXPORT: SystemExport =
    SystemExport { name: "epp", title: "llm-d", file_name: "epp.yaml", language: Language::Yaml, write };

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    let found = beside.map(|text| (text, picker_in(text)));
    let (there, not_beside) = match &found {
        Some((_, Some(node))) => (There::of(node), None),
        Some((_, None)) => {
            (There::default(), Some("it has no EndpointPickerConfig that can be followed".to_owned()))
        }
        None => (There::default(), None),
    };
    let mut draft = Draft::new(&there);
    let profiles = stages::profiles(&mut draft, scenario);
    flow::rows(&mut draft, scenario);
    signals(&mut draft, scenario);
    let (text, without_comments) = match &found {
        Some((text, Some(node))) => {
            let mut changes = Changes::default();
            merge(text, node, &draft.file(&profiles), &mut changes);
            (changes.made(text), node.flow)
        }
        _ if profiles.is_empty() && draft.flow.is_empty() => (String::new(), false),
        _ => (new_file(&draft.file(&profiles)), false),
    };
    Written { text, rows: draft.rows, notes: draft.notes, not_beside, without_comments, ..Written::default() }
}

/// The configuration of a router in a text, also within another document.
fn picker_in(text: &str) -> Option<YamlNode> {
    let is_one =
        |node: &YamlNode| node.get("kind").and_then(YamlNode::scalar) == Some("EndpointPickerConfig");
    documents(text).iter().flat_map(|document| find(text, document, &is_one)).next()
}

/// A plugin with the parameters that it should have.
struct Plugin {
    /// The name by which this export knows it; the type unless two have one type.
    key: String,
    kind: String,
    name: String,
    parameters: Vec<(&'static str, Want<'static>)>,
    /// Whether it is written in a new file even without parameters.
    needed: bool,
}

/// A profile: plugins by name, with weights.
struct Profile {
    name: String,
    plugins: Vec<(String, Option<f64>)>,
}

/// The plugins so far, what a file beside has, and the rows.
struct Draft<'t> {
    there: &'t There,
    plugins: Vec<Plugin>,
    /// The entries of `flowControl`.
    flow: Vec<(&'static str, Want<'static>)>,
    gates: Vec<String>,
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl<'t> Draft<'t> {
    fn new(there: &'t There) -> Self {
        let (plugins, flow, gates) = (Vec::new(), Vec::new(), Vec::new());
        Self { there, plugins, flow, gates, rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a plugin, or parameters to one that is there, and returns its name. `key` is its type, or another name where
    /// two plugins of one type differ.
    fn plugin(
        &mut self,
        key: &str,
        kind: &str,
        parameters: Vec<(&'static str, Want<'static>)>,
        profile: &str,
    ) -> String {
        if let Some(known) = self.plugins.iter_mut().find(|p| p.key == key) {
            let new = parameters
                .into_iter()
                .filter(|(name, _)| !known.parameters.iter().any(|(other, _)| other == name));
            let new: Vec<_> = new.collect();
            known.parameters.extend(new);
            known.needed = true;
            return known.name.clone();
        }
        let name = self.there.named(key, profile).unwrap_or_else(|| key.to_owned());
        let plugin = Plugin {
            key: key.to_owned(),
            kind: kind.to_owned(),
            name: name.clone(),
            parameters,
            needed: true,
        };
        self.plugins.push(plugin);
        name
    }

    /// The same for a plugin that is written only with parameters that differ from their defaults.
    fn implied(&mut self, key: &str, parameters: Vec<(&'static str, Want<'static>)>) {
        let written = parameters.iter().any(|(_, want)| want.is_written());
        if written || self.there.named(key, "").is_some() {
            self.plugin(key, key, parameters, "");
        }
    }

    /// The whole file.
    fn file(self: &mut Draft<'t>, profiles: &[Profile]) -> Want<'t> {
        let there = self.there;
        let plugins =
            self.plugins.drain(..).filter(|p| p.needed).map(|p| (p.name.clone(), entry(p, there))).collect();
        let ours = move |node: &YamlNode| there.may_go(node);
        let plugins = Items { items: plugins, name_of: Box::new(There::name_of), is_ours: Box::new(ours) };
        let gates = std::mem::take(&mut self.gates);
        let flow = std::mem::take(&mut self.flow);
        let profiles = there.follow(profiles);
        let mut file = vec![
            ("apiVersion", if there.is_empty() { Want::said("llm-d.ai/v1alpha1") } else { Want::Anything }),
            ("kind", Want::said("EndpointPickerConfig")),
            ("featureGates", Want::Words(gates)),
            ("plugins", Want::List(plugins)),
        ];
        if let Some(profiles) = profiles {
            file.push(("schedulingProfiles", profiles));
        }
        if !flow.is_empty() {
            file.push(("flowControl", Want::Map(flow)));
        }
        Want::Map(file)
    }
}

/// A plugin as an item of the list.
fn entry(plugin: Plugin, there: &There) -> Want<'static> {
    let known = there.has(&plugin.name);
    let named = plugin.name != plugin.kind;
    let mut entries = vec![("type", if known { Want::Anything } else { Want::said(plugin.kind.as_str()) })];
    if named && !known {
        entries.push(("name", Want::said(plugin.name.as_str())));
    }
    if !plugin.parameters.is_empty() {
        entries.push(("parameters", Want::Map(plugin.parameters)));
    }
    Want::Map(entries)
}

/// A reference of a profile to a plugin.
fn reference(name: &str, weight: Option<f64>) -> Want<'static> {
    let weight = weight.map_or(Want::Anything, |w| Want::unless(w, 1.0));
    Want::Braces(vec![("pluginRef", Want::said(name)), ("weight", weight)])
}

/// What the router knows of replicas, and how fast.
fn signals(draft: &mut Draft<'_>, scenario: &Scenario) {
    let refresh_us = scenario.cluster.snapshot_refresh_us;
    let ms = number(refresh_us as f64 / 1000.0);
    let path = "cluster.snapshot_refresh_us";
    let theirs = "--refresh-metrics-interval";
    let why = match refresh_us {
        50_000 => "it is the default of the router's flag --refresh-metrics-interval".to_owned(),
        0 => "here each decision sees the present; the router looks every 50 ms (--refresh-metrics-interval)"
            .to_owned(),
        _ => format!("not in this file: start the router with --refresh-metrics-interval={ms}ms"),
    };
    let row = Row::near(path, "signal refresh", format!("{ms} ms"), theirs, &why);
    draft.rows.push(row.default_there(true));
}

/// The roles of a scenario's pools: whether prefill and decode are apart.
fn is_split(scenario: &Scenario, there: &There) -> bool {
    let role = scenario.cluster.pools.iter().any(|pool| pool.role == Role::Prefill);
    role || (scenario.cluster.disaggregation.is_some() && there.handler.is_some())
}

/// The router of prefills.
fn prefill_routing(scenario: &Scenario) -> &RoutingPolicy {
    let own = scenario.cluster.disaggregation.as_ref().and_then(|d| d.prefill_routing.as_ref());
    own.unwrap_or(&scenario.cluster.routing)
}

/// A parameter and the value that it has where it is not written.
fn unless(value: impl Into<Scalar>, default: impl Into<Scalar>) -> Want<'static> {
    Want::unless(value, default)
}
