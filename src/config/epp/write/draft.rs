//! A router's file while it is made.

use crate::epp::write::profile::Profile;
use crate::epp::write::there::There;
use crate::export::Row;
use crate::yaml::node::YamlNode;
use crate::yaml::want::{Items, Want};

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

/// The plugins so far, what a file beside has, and the rows.
pub(crate) struct Draft<'t> {
    pub(crate) there: &'t There,
    plugins: Vec<Plugin>,
    /// The entries of `flowControl`.
    pub(crate) flow: Vec<(&'static str, Want<'static>)>,
    pub(crate) gates: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
}

impl<'t> Draft<'t> {
    pub(crate) fn new(there: &'t There) -> Self {
        let (plugins, flow, gates) = (Vec::new(), Vec::new(), Vec::new());
        Self { there, plugins, flow, gates, rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a plugin, or parameters to one that is there, and returns its name. `key` is its type, or another name where
    /// two plugins of one type differ.
    pub(crate) fn plugin(
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
    pub(crate) fn implied(&mut self, key: &str, parameters: Vec<(&'static str, Want<'static>)>) {
        let written = parameters.iter().any(|(_, want)| want.is_written());
        if written || self.there.named(key, "").is_some() {
            self.plugin(key, key, parameters, "");
        }
    }

    /// The whole file.
    pub(crate) fn file(self: &mut Draft<'t>, profiles: &[Profile]) -> Want<'t> {
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
